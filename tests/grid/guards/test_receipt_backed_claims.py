"""`receipt_backed_claims`: no claim without a call that shows it."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grid.errors import StrictError
from grid.guards.receipt_backed_claims import GUARD, shows
from ledgers.claims import holds_value
from tests.grid.guarded import Guarded

POLICY = {"closed_book": False}


def shelf(policy: Any = POLICY) -> Guarded:
    return Guarded(GUARD, policy, {"config": 'timeout = 30\nretry = "3"'})


def test_a_claim_with_its_receipt_and_value_is_taken() -> None:
    here = shelf()
    look = here.call("look", name="config")
    assert here.report("done", ("30", look.receipt), ("3", look.receipt)).decision.by == ""


def test_a_value_that_is_right_is_refused_without_a_call() -> None:
    refused = shelf().report("done", ("30", "rc-verified"))
    assert (refused.decision.by, refused.decision.terminal) == ("receipt_backed_claims", False)
    assert refused.effects == ()
    assert "cite its receipt" in refused.decision.next


def test_the_refused_agent_can_look_and_report_again() -> None:
    here = shelf()
    assert here.report("done", ("30", "")).decision.by == "receipt_backed_claims"
    look = here.call("look", name="config")
    assert here.report("done", ("30", look.receipt)).decision.by == ""


def test_one_unsupported_claim_among_supported_ones_is_named() -> None:
    here = shelf()
    look = here.call("look", name="config")
    refused = here.report("done", ("30", look.receipt), ("4", look.receipt), ("3", look.receipt))
    assert refused.decision.reason.startswith("claim 1 states a value")


@pytest.mark.parametrize("value", ["", " ", "0", "timeou", "30\nretry = 3", "= 3"])
def test_a_value_that_the_cited_result_does_not_hold_as_a_word_is_refused(value: str) -> None:
    here = shelf()
    look = here.call("look", name="config")
    assert here.report("done", (value, look.receipt)).decision.by == "receipt_backed_claims"


def test_the_receipt_of_a_call_that_failed_or_was_never_made_supports_nothing() -> None:
    here = shelf()
    failed = here.call("look", nothing="config")
    assert failed.error is not None
    assert here.report("done", ("config", failed.receipt)).decision.by == GUARD.id
    unknown = here.call("no_such_tool")
    assert here.report("done", ("config", unknown.receipt)).decision.by == GUARD.id


def test_a_report_supports_no_report() -> None:
    here = shelf()
    first = here.report("unable")
    assert "proves nothing" in here.report("done", ("1", first.receipt)).decision.reason


def test_done_that_cites_nothing_is_refused_unless_the_book_is_closed() -> None:
    assert "cites nothing" in shelf().report("done").decision.reason
    assert shelf({"closed_book": True}).report("done").decision.by == ""


def test_a_closed_book_frees_nobody_from_supporting_a_claim() -> None:
    closed = shelf({"closed_book": True})
    assert closed.report("done", ("30", "rc-verified")).decision.by == GUARD.id


@pytest.mark.parametrize("status", ["unable", "refused"])
def test_who_does_not_say_done_needs_no_support(status: str) -> None:
    assert shelf().report(status, ("30", "rc-verified")).decision.by == ""


def test_without_a_policy_it_has_nothing_to_say() -> None:
    assert shelf(None).report("done", ("30", "rc-verified")).decision.by == ""


def test_a_policy_that_does_not_say_whether_the_book_is_closed_is_an_error() -> None:
    with pytest.raises(StrictError, match="closed_book"):
        shelf({}).report("done")


@pytest.mark.parametrize(
    ("result", "value"),
    [
        ({"n": 30}, "30"),
        ({"n": -3}, "-3"),
        ({"ok": True}, "true"),
        (["a", {"b": "up 3.5 days"}], "3.5"),
        ({"text": "ends with 30."}, "30"),
        ({"text": "値は30です"}, "30"),
    ],
)
def test_a_result_shows_its_values_and_the_words_of_its_texts(result: Any, value: str) -> None:
    assert shows(result, value)


@pytest.mark.parametrize(
    ("result", "value"),
    [
        ({"n": 300}, "30"),
        ({"n": None}, "None"),
        ({"30": "x"}, "30"),
        ({"text": "3.5"}, "3"),
        ({"text": "1,300"}, "300"),
        ({"text": "-30"}, "30"),
        ({"text": "rc30"}, "30"),
        ({"text": "30"}, "3 0"),
        (None, "null"),
    ],
)
def test_a_result_does_not_show_parts_of_words_and_numbers(result: Any, value: str) -> None:
    assert not shows(result, value)


PIECES = st.sampled_from(["3", "30", "3.5", "-3", "+3", "a", "A_", " ", ".", ",", "-", "値", "\n"])
TEXTS = st.lists(PIECES, max_size=6).map("".join)
RESULTS = st.recursive(
    st.none() | st.booleans() | st.integers(-40, 40) | st.sampled_from([3.5, 30.0]) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
)


@given(RESULTS, TEXTS | st.sampled_from(["true", "false", "None", "30.0"]))
def test_what_the_guard_lets_through_the_judge_finds_supported(result: Any, value: str) -> None:
    assert not shows(result, value) or holds_value(result, value)
