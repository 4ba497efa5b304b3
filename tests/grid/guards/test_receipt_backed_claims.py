"""`receipt_backed_claims`: no claim without a call that shows it."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grid.errors import StrictError
from grid.evidence import CallRecord
from grid.guards.receipt_backed_claims import GUARD
from ledgers.claims import unsupported
from tests.builders import case, journal, scenario
from tests.grid.guarded import Guarded

POLICY = {"closed_book": False, "cites": None}

CLOSED = {"closed_book": True, "cites": None}


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


@pytest.mark.parametrize(
    "value", ["", " ", "0", "timeou", "30\nretry = 3", "= 3", ".", '"', "=", "e"]
)
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
    assert shelf(CLOSED).report("done").decision.by == ""


def test_a_closed_book_frees_nobody_from_supporting_a_claim() -> None:
    closed = shelf(CLOSED)
    assert closed.report("done", ("30", "rc-verified")).decision.by == GUARD.id


@pytest.mark.parametrize("status", ["unable", "refused"])
def test_who_does_not_say_done_needs_no_support(status: str) -> None:
    assert shelf().report(status, ("30", "rc-verified")).decision.by == ""


def test_without_a_policy_it_has_nothing_to_say() -> None:
    assert shelf(None).report("done", ("30", "rc-verified")).decision.by == ""


@pytest.mark.parametrize("missing", POLICY)
def test_a_policy_that_leaves_something_open_is_an_error(missing: str) -> None:
    policy = {name: value for name, value in POLICY.items() if name != missing}
    with pytest.raises(StrictError, match=missing):
        shelf(policy).report("done")


def test_a_claim_may_cite_only_the_tools_of_the_policy() -> None:
    here = shelf(POLICY | {"cites": ["look"]})
    stored = here.call("store", name="lamp", value="30")
    other = here.report("done", ("stored", stored.receipt))
    assert (other.decision.by, other.decision.terminal) == (GUARD.id, False)
    assert "'store', which does not show" in other.decision.reason
    look = here.call("look", name="lamp")
    assert here.report("done", ("30", look.receipt), ("stored", stored.receipt)).decision.by
    assert here.report("done", ("30", look.receipt)).decision.by == ""


def test_a_policy_that_names_no_tool_lets_nothing_be_cited() -> None:
    here = shelf(POLICY | {"cites": []})
    look = here.call("look", name="config")
    assert here.report("done", ("30", look.receipt)).decision.by == GUARD.id


PIECES = st.sampled_from(
    ["3", "30", "3.5", "-3", "+3", "a", "A_", " ", ".", ",", "-", "値", "\n", "é", "\u0301", "e"]
)
TEXTS = st.lists(PIECES, max_size=6).map("".join)
CLAIMS = st.tuples(TEXTS | st.sampled_from(["30.0", "true", "None"]), st.integers(0, 4))


def reported(policy: Any, shown: str, claims: list[tuple[str, int]]) -> Guarded:
    """Return a run that looks, fails, stores and reports, each claim citing one of those calls."""
    here = Guarded(GUARD, policy, {"config": shown})
    here.call("look", name="config")
    here.call("look", nothing="config")
    here.call("store", name="config", value="30")
    here.report("unable")
    receipts = [*(call.receipt for call in here.layer.calls), "rc-verified"]
    here.report("done", *((value, receipts[of]) for value, of in claims))
    return here


@settings(deadline=None)  # a busy machine is no failure
@given(TEXTS, st.lists(CLAIMS, max_size=3))
def test_the_guard_refuses_exactly_what_the_rule_finds_unsupported(
    shown: str, claims: list[tuple[str, int]]
) -> None:
    refused = reported(POLICY, shown, claims).layer.calls[-1].decision.by == GUARD.id
    taken = reported(None, shown, claims).layer.calls
    assert unsupported(case(scenario(), journal(taken))).holds is refused


ABOUT = POLICY | {"about": ["config", "lamp"], "named_by": {"look": "name"}}
SHOWN = POLICY | {"about": ["timeout", "retry"], "shown_at": {"look": "/value"}}


def claims(here: Guarded, *stated: tuple[str, str, str]) -> CallRecord:
    """Report claims of statement, value and receipt."""
    told = [
        {"statement": statement, "value": value, "receipt": receipt}
        for statement, value, receipt in stated
    ]
    return here.call("report", status="done", reason="Because.", claims=told)


def two(policy: Any) -> tuple[Guarded, str, str]:
    """Return a shelf with two things, both looked at, and the receipts of the looks."""
    here = Guarded(GUARD, policy, {"config": "on", "lamp": "on"})
    first, second = here.call("look", name="config"), here.call("look", name="lamp")
    return here, first.receipt, second.receipt


def test_each_thing_needs_a_claim_on_a_call_that_names_it() -> None:
    here, config, lamp = two(ABOUT)
    good = ("config is on", "on", config), ("The lamp is on.", "on", lamp)
    assert claims(here, *good).decision.by == ""
    assert claims(here, *reversed(good)).decision.by == ""


@pytest.mark.parametrize(
    ("statements", "reason"),
    [
        (("config is on",), "no claim is about 'lamp'"),
        (("config is on", "config is on"), "claim 1 is about 'config', but cites a call"),
        (("config and lamp are on", "lamp is on"), "claim 0 names config and lamp at once"),
        (("It is on.", "lamp is on"), "no claim is about 'config'"),
        (("myconfig is on", "lamp is on"), "no claim is about 'config'"),
        (("", "lamp is on"), "no claim is about 'config'"),
        (("lamp is on", "config is on"), "claim 0 is about 'lamp', but cites a call"),
    ],
)
def test_a_claim_about_something_else_is_refused(statements: tuple[str, ...], reason: str) -> None:
    here, config, lamp = two(ABOUT)
    stated = [(text, "on", of) for text, of in zip(statements, (config, lamp), strict=False)]
    refused = claims(here, *stated)
    assert (refused.decision.by, refused.decision.terminal) == (GUARD.id, False)
    assert refused.decision.reason.startswith(reason)


def test_a_claim_beside_the_matter_may_cite_any_call_and_stands_for_nothing_asked() -> None:
    here, config, lamp = two(ABOUT | {"cites": ["look"]})
    other = here.call("store", name="shade", value="on").receipt
    good = ("config is on", "on", config), ("lamp is on", "on", lamp)
    assert claims(here, ("It was stored.", "stored", other), *good).decision.by == ""
    assert claims(here, ("It was stored.", "lost", other), *good).decision.by == GUARD.id
    assert claims(here, ("lamp was stored", "stored", other), *good).decision.by == GUARD.id
    assert claims(here, ("It was stored.", "stored", other)).decision.by == GUARD.id


def test_case_plays_no_part_in_a_name_unless_two_names_differ_by_nothing_else() -> None:
    here, config, lamp = two(ABOUT)
    assert claims(here, ("Config is on", "on", config), ("LAMP: on", "on", lamp)).decision.by == ""
    told_apart = ABOUT | {"about": ["lamp", "Lamp"]}
    here = Guarded(GUARD, told_apart, {"lamp": "on", "Lamp": "off"})
    small, large = (here.call("look", name=name).receipt for name in ("lamp", "Lamp"))
    good = ("lamp is on", "on", small), ("Lamp is off", "off", large)
    assert claims(here, *good).decision.by == ""
    assert claims(here, good[0], ("lamp is off", "off", large)).decision.by == GUARD.id


def test_one_receipt_does_not_stand_for_two_things() -> None:
    here, config, _ = two(ABOUT)
    refused = claims(here, ("config is on", "on", config), ("lamp is on", "on", config))
    assert "claim 1 is about 'lamp', but cites a call about something else" in (
        refused.decision.reason
    )


def test_a_longer_name_is_not_taken_for_the_shorter_one_inside_it() -> None:
    policy = POLICY | {"about": ["web", "web-1"], "named_by": {"look": "name"}}
    here = Guarded(GUARD, policy, {"web": "on", "web-1": "off"})
    web, first = here.call("look", name="web").receipt, here.call("look", name="web-1").receipt
    assert claims(here, ("web is on", "on", web), ("web-1 is off", "off", first)).decision.by == ""
    wrong = claims(here, ("web is on", "on", web), ("web-1 is on", "on", web))
    assert "claim 1 is about 'web-1'" in wrong.decision.reason


def test_a_tool_that_names_nothing_can_be_cited_for_anything_that_is_asked_about() -> None:
    here = Guarded(GUARD, POLICY | {"about": ["lamp"]}, {"lamp": "on"})
    look = here.call("look", name="lamp")
    assert claims(here, ("lamp is on", "on", look.receipt)).decision.by == ""


@pytest.mark.parametrize(("timeout", "retry", "fine"), [
    ("30", "3", True), ("3", "3", False), ("30", "30", False), ("3", "30", False),
    ("30", "9", False), ("30", "timeout", False),
])  # fmt: skip
def test_a_value_counts_only_under_the_name_that_the_claim_names(
    timeout: str, retry: str, fine: bool
) -> None:
    here = Guarded(GUARD, SHOWN, {"config": {"timeout": 30, "retry": 3, "limit": 9}})
    of = here.call("look", name="config").receipt
    told = claims(here, ("timeout is set", timeout, of), ("retry is set", retry, of))
    assert (told.decision.by == "") is fine


@pytest.mark.parametrize("shown", ["timeout 30", ["30"], 30, {"retry": 30}, None])
def test_a_result_without_values_by_name_supports_no_value(shown: Any) -> None:
    here = Guarded(GUARD, POLICY | {"about": ["timeout"], "shown_at": {"look": "/value"}})
    here.layer.world.put("shelf", "config", {"value": shown, "also": "30"})
    of = here.call("look", name="config").receipt
    assert claims(here, ("timeout is set", "30", of)).decision.by == GUARD.id


def test_what_somebody_wrote_in_a_result_is_hearsay() -> None:
    policy = POLICY | {"hearsay": {"look": ["/value/report", "/value/more~1said"]}}
    told = {"report": "timeout is 30", "more/said": ["31"], "seen": {"report": "32"}}
    here = Guarded(GUARD, policy, {"config": told})
    of = here.call("look", name="config").receipt
    for value, fine in (("30", False), ("31", False), ("32", True)):
        assert (here.report("done", (value, of)).decision.by == "") is fine


HOSTILE = st.text(max_size=8) | st.sampled_from(
    ["config", "lamp", "configlamp", "\u202econfig", "con\u200bfig", "c" * 4000, "config" * 600]
)


@settings(deadline=None)  # a busy machine is no failure
@given(st.lists(st.tuples(HOSTILE, HOSTILE), max_size=4))
def test_no_statement_or_value_breaks_it_and_done_always_names_everything(
    stated: list[tuple[str, str]],
) -> None:
    here, config, lamp = two(ABOUT)
    told = [(text, value, config) for text, value in stated]
    assert claims(here, *told).decision.by == GUARD.id  # nothing here cites the look at the lamp
    assert lamp
