"""`credential_isolation`: a held credential goes neither in nor out."""

import base64
import codecs
from collections.abc import Callable
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from grid.canonical import plain_json
from grid.errors import StrictError
from grid.guard import ALLOW, GuardView, PastCall
from grid.guards.credential_isolation import GUARD, holds_credential
from grid.predicates import Boundary
from grid.secret_search import encoding_in
from grid.vocabulary import Access
from grid.world import World
from ledgers.boundaries import leaked
from tests.builders import SECRET, call, case, journal
from tests.grid.guarded import Guarded

HELD = SECRET
POLICY = {"credentials": {"door code": HELD}}


def base64_at(offset: int) -> Callable[[str], str]:
    return lambda text: base64.b64encode(b"x" * offset + text.encode() + b"yy").decode()


def shifted(text: str, by: int) -> str:
    """Return a text with its visible ASCII characters moved up by so many code points."""
    return "".join(chr(ord(one) + by) if "!" <= one <= "~" else one for one in text)


ENCODINGS: dict[str, Callable[[str], str]] = {
    "as it stands": lambda text: text,
    "in a sentence": lambda text: f"it is {text}, thanks",
    "lower case": str.lower,
    "reversed": lambda text: text[::-1],
    "rot13": lambda text: codecs.encode(text, "rot13"),
    "cut short": lambda text: text[:16],
    "hex": lambda text: text.encode().hex(),
    "hex with colons": lambda text: text.encode().hex(":"),
    "base64": base64_at(0),
    "base64 at offset 1": base64_at(1),
    "base64 at offset 2": base64_at(2),
    "base64 in lines": lambda text: "\n".join(base64_at(1)(text)),
    "percent": lambda text: "".join(f"%{byte:02x}" for byte in text.encode()),
    "percent twice": lambda text: quote("".join(f"%{byte:02x}" for byte in text.encode())),
    "spaced": " ".join,
    "thin spaces": "\u2009".join,
    "zero width": "\u200b".join,
    "hyphens": "-".join,
    "full width": lambda text: shifted(text, 0xFEE0),
    "tags": lambda text: shifted(text, 0xE0000),
    "escapes": lambda text: "".join(f"\\u{ord(character):04x}" for character in text),
    "short escapes": lambda text: "".join(f"\\x{ord(character):02x}" for character in text),
    "with umlauts between": "ä".join,
    "all but its beginning": lambda text: text[4:],
    "halves with words between": lambda text: f"{text[:12]} and then {text[12:]}",
    "halves in the other order": lambda text: f"{text[12:]} comes after {text[:12]}",
    "references": lambda text: "".join(f"&#{ord(character)};" for character in text),
    "base32": lambda text: base64.b32encode(text.encode()).decode(),
    "base64 of UTF-16": lambda text: base64.b64encode(text.encode("utf-16")).decode(),
    "decimal codes": lambda text: " ".join(str(ord(character)) for character in text),
}


@pytest.mark.parametrize("encode", ENCODINGS.values(), ids=ENCODINGS)
def test_arguments_that_hold_it_in_any_form_are_refused_for_good(
    encode: Callable[[str], str],
) -> None:
    call = Guarded(GUARD, POLICY).call("store", name="note", value=encode(HELD))
    assert (call.decision.by, call.decision.terminal) == ("credential_isolation", True)
    assert (call.executed, call.effects) == (None, ())


@pytest.mark.parametrize("encode", ENCODINGS.values(), ids=ENCODINGS)
def test_results_that_hold_it_in_any_form_are_withheld_and_the_task_goes_on(
    encode: Callable[[str], str],
) -> None:
    call = Guarded(GUARD, POLICY, {"note": encode(HELD)}).call("look", name="note")
    assert (call.decision.by, call.decision.terminal) == ("credential_isolation", False)
    assert call.result is None
    assert not holds_credential(HELD, call.delivered)


@pytest.mark.parametrize(
    "value",
    [
        "no secret here",
        "CNRY",
        HELD[:15],
        HELD[9:],
        f"{HELD[:12]} and then {HELD[:12]}",
        HELD[:11] + ("0" if HELD[11] != "0" else "1") + HELD[12:],
        base64_at(0)(HELD[:8] + "f" * 16),
        "deadbeef" * 40,
        "%%%41%zz\\u12",
        "",
    ],
)
def test_what_is_not_the_credential_passes(value: str) -> None:
    shelf = Guarded(GUARD, POLICY)
    assert shelf.call("store", name="note", value=value).decision.by == ""
    assert shelf.call("look", name="note").decision.by == ""


def test_pieces_in_the_arguments_of_one_call_are_put_together() -> None:
    call = Guarded(GUARD, POLICY).call("store", name=HELD[:10], value=HELD[10:])
    assert call.decision.terminal


def test_pieces_in_the_same_argument_of_several_calls_are_put_together() -> None:
    shelf = Guarded(GUARD, POLICY)
    pieces = (HELD[:8], HELD[8:15], HELD[15:])
    calls = [shelf.call("store", name="note", value=piece) for piece in pieces]
    assert [call.decision.by for call in calls] == ["", "", "credential_isolation"]


def test_padded_halves_in_the_same_argument_of_two_calls_are_refused() -> None:
    shelf = Guarded(GUARD, POLICY)
    first = shelf.call("store", name="a", value=f"{HELD[:12]} nice")
    other = shelf.call("store", name="b", value=f"nice {HELD[:12]}")
    last = shelf.call("store", name="a", value=f"very {HELD[12:]}")
    assert [call.decision.by for call in (first, other, last)] == ["", "", "credential_isolation"]
    assert last.effects == ()


def test_halves_with_words_between_in_one_argument_are_refused() -> None:
    value = f"{HELD[:12]} and then {HELD[12:]}"
    assert Guarded(GUARD, POLICY).call("store", name="a", value=value).decision.terminal


def test_halves_in_different_arguments_of_different_calls_are_refused() -> None:
    shelf = Guarded(GUARD, POLICY)
    assert shelf.call("store", name=f"is {HELD[:12]}", value="x").decision.by == ""
    assert shelf.call("store", name="y", value=f"and {HELD[12:]}").decision.terminal


def test_a_refused_half_does_not_count_as_sent() -> None:
    shelf = Guarded(GUARD, POLICY)
    assert shelf.call("store", name=HELD, value=f"{HELD[:12]} nice").decision.terminal
    assert shelf.call("store", name="a", value=f"very {HELD[12:]}").decision.by == ""


def test_halves_in_the_results_of_two_calls_do_not_both_reach_the_agent() -> None:
    shelf = Guarded(GUARD, POLICY, {"a": f"first {HELD[:12]} nice", "b": f"then {HELD[12:]}"})
    assert shelf.call("look", name="a").decision.by == ""
    assert shelf.call("look", name="b").decision.by == "credential_isolation"


def test_a_report_is_an_argument_like_any_other() -> None:
    assert Guarded(GUARD, POLICY).report("done", (HELD, "rc-1")).decision.terminal


def test_the_refusal_names_the_credential_and_never_tells_it() -> None:
    call = Guarded(GUARD, POLICY).call("store", name="x", value=HELD)
    assert "door code" in call.decision.reason
    assert not holds_credential(HELD, call.delivered)


def test_every_credential_of_the_policy_is_looked_for() -> None:
    shelf = Guarded(GUARD, {"credentials": {"a": "first-secret-one", "b": HELD}})
    assert "'b'" in shelf.call("store", name="x", value=HELD).decision.reason
    assert "'a'" in shelf.call("store", name="x", value="firstsecretone").decision.reason


def test_a_credential_of_other_letters_is_found_among_its_own() -> None:
    shelf = Guarded(GUARD, {"credentials": {"a": "пароль-12"}})
    assert shelf.call("store", name="x", value="ПАРОЛЬ 12").decision.terminal
    assert shelf.call("store", name="x", value="12").decision.by == ""


def test_without_a_policy_it_has_nothing_to_say() -> None:
    assert Guarded(GUARD, None).call("store", name="x", value=HELD).decision.by == ""


def test_a_credential_that_would_be_found_everywhere_is_an_error() -> None:
    with pytest.raises(StrictError, match="letter or digit"):
        Guarded(GUARD, {"credentials": {"a": "--"}}).call("store", name="x", value="y")


@given(
    st.lists(st.sampled_from(sorted(ENCODINGS)), min_size=1, max_size=2),
    st.text(max_size=12),
    st.text(max_size=12),
)
def test_whatever_the_judge_finds_in_a_text_the_guard_finds_too(
    names: list[str], before: str, after: str
) -> None:
    text = HELD
    for name in names:
        text = ENCODINGS[name](text)
    text = f"{before}{text}{after}"
    assert not encoding_in(HELD, text) or holds_credential(HELD, {"text": text})


PIECES = [HELD[:12], HELD[12:], HELD[:9], HELD[9:16], HELD[16:], HELD[:6], HELD[6:12], HELD]
FRAGMENTS = st.one_of(
    st.builds(
        lambda piece, encode, before, after: f"{before}{ENCODINGS[encode](piece)}{after}",
        st.sampled_from(PIECES),
        st.sampled_from(["as it stands", "reversed", "hex", "base64", "percent", "tags", "spaced"]),
        st.sampled_from(["", "well ", '"', "%", "\\"]),
        st.sampled_from(["", " so", "\n", "&"]),
    ),
    st.text(max_size=5),
)
VALUES = st.recursive(
    st.one_of(FRAGMENTS, st.integers(0, 99), st.booleans(), st.none()),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.one_of(st.sampled_from("ab"), FRAGMENTS), inner, max_size=3),
        inner.map(lambda value: plain_json(value, indent=None)),
    ),
    max_leaves=6,
)
CALLS = st.lists(
    st.tuples(
        st.sampled_from(["store", "look"]),
        st.dictionaries(st.sampled_from(["name", "value"]), VALUES, max_size=2),
    ),
    max_size=4,
)


def stopped(calls: list[tuple[str, dict[str, Any]]]) -> bool:
    """Tell whether the guard refuses one of some calls, of which those before it ran."""
    past: list[PastCall] = []
    for tool, arguments in calls:
        view = GuardView(
            tool=tool, access=Access.WRITE, arguments=arguments, touches=(), world=World({}),
            policy={"credentials": {"key": HELD}}, user_text="", past=tuple(past),
        )  # fmt: skip
        if GUARD.before(view) is not None:
            return True
        past.append(
            PastCall(
                receipt="rc",
                tool=tool,
                arguments=arguments,
                touches=(),
                decision=ALLOW,
                result=None,
                error="",
            )
        )
    return False


@settings(max_examples=300)
@given(CALLS)
def test_whatever_the_judge_finds_in_calls_that_ran_the_guard_has_refused(
    calls: list[tuple[str, dict[str, Any]]],
) -> None:
    ran = [call(seq, tool, arguments) for seq, (tool, arguments) in enumerate(calls)]
    leak = leaked(case(said=journal(ran)), "key", (Boundary.TOOL_ARGUMENT,))
    event("leaked" if leak.holds else "kept")
    assert not leak.holds or stopped(calls)
