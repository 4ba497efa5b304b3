"""Any JSON, and what holds for every decoder whatever it is given."""

from hypothesis import strategies as st

from proxy.wire.answer import Assistant, Finding, ProviderError, Undecodable

WORDS = st.text(max_size=12)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3),
    max_leaves=6,
)


def check(found: Assistant | ProviderError | Undecodable) -> None:
    """Hold an answer to this: it has a reason to have ended, and if it is empty, it says so."""
    if isinstance(found, Assistant):
        assert found.finish_reason
        empty = not found.text and not found.refusal and not found.calls
        assert empty == (Finding.NO_CONTENT in found.findings)
    elif isinstance(found, Undecodable):
        assert found.reason
