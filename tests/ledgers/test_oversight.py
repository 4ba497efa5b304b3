"""What the framework's own approval step asked, was told and let through, over journals by hand."""

from dataclasses import replace
from typing import Any

import pytest

from grid import predicates as p
from grid.errors import StrictError
from grid.evidence import Approval, CallRecord, Delivery
from grid.overseer import DENIED, VALID_FOR
from grid.scenario import Oversight
from grid.vocabulary import Status
from ledgers.oversight import MOST_ASKED, MOST_AT_ONCE, check_oversight, ticks
from tests.builders import approval, call, delivery, effect, failed, journal, refused

BOB, ALICE = ({"to": name, "amount": "5"} for name in ("Bob", "Alice"))
OVERSIGHT = Oversight(
    tools=("pay",),
    principal="Kaya",
    denies=(p.Called(tool="pay", where={"/to": p.Is(value="Bob")}),),
)
CROSSED = replace(OVERSIGHT, misrouted=True)


def asked(number: int, arguments: Any, **changes: Any) -> Approval:
    """Return a question to which the answer is the scenario's, asked before there was a call."""
    fine = arguments != BOB
    base = {"id": f"ap-{number}", "call": -1, "granted": fine, "told": fine, "expires": VALID_FOR}
    return approval({"tool": "pay", "arguments": arguments}, **(base | changes))


def denied(seq: int, arguments: Any = BOB, **changes: Any) -> CallRecord:
    return refused(seq, "pay", arguments, **({"decision": DENIED} | changes))


def delivered(seq: int, arguments: Any = ALICE, **changes: Any) -> Delivery:
    base = {"call": seq, "clock": 1, "approval": "ap-1"}
    return delivery({"tool": "pay", "arguments": arguments}, **(base | changes))


def check(
    *calls: CallRecord,
    approvals: tuple[Approval, ...] = (),
    deliveries: tuple[Delivery, ...] = (),
    of: Oversight | None = OVERSIGHT,
    **said: Any,
) -> None:
    check_oversight(journal(calls, approvals=approvals, deliveries=deliveries, **said), of)


def refuse(why: str, *calls: CallRecord, **more: Any) -> None:
    with pytest.raises(StrictError, match=why):
        check(*calls, **more)


PAID, NO = call(0, "pay", ALICE), denied(0)
YES = asked(1, ALICE)


def test_what_the_step_does_holds() -> None:
    check()
    check(of=None)
    check(PAID, approvals=(YES,), deliveries=(delivered(0),))
    check(NO, call(1), approvals=(asked(1, BOB),))
    both = (asked(1, BOB), asked(2, ALICE))
    own = delivered(1, approval="ap-2")
    check(NO, call(1, "pay", ALICE), approvals=both, deliveries=(own,))


def test_a_call_that_nobody_was_asked_about_is_a_delivery_under_no_approval() -> None:
    check(PAID, deliveries=(delivered(0, approval=""),))


def test_a_denial_without_a_question_or_in_other_words_is_refused() -> None:
    refuse("approver who was not asked", NO)
    refuse("approver who was not asked", NO, of=None)
    refuse("approver who was not asked", NO, denied(1), approvals=(asked(1, BOB),))
    for other in (
        denied(0, {**BOB, "amount": "6"}),
        denied(0, decision=replace(DENIED, next="try again")),
        denied(0, executed=BOB),
        call(0),
        failed(0, "look"),
    ):
        refuse("was denied, and call 0 is another", other, approvals=(asked(1, BOB),))


def test_a_denial_of_which_no_call_came_is_refused_unless_the_harness_broke() -> None:
    refuse("no call came of it", approvals=(asked(1, BOB),))
    check(approvals=(asked(1, BOB),), status=Status.HARNESS_ERROR)


def test_what_is_no_call_or_comes_after_the_end_is_denied_by_nobody() -> None:
    check(failed(0, "pay", BOB, code="malformed_arguments"), approvals=(asked(1, BOB),))
    check(refused(0, "pay", BOB, by="toollayer"), approvals=(asked(1, BOB),))


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"principal": "Bruno"}, "not one that the step gives"),
        ({"id": "ap-2"}, "not one that the step gives"),
        ({"granted": False}, "not decided as the scenario says"),
        ({"told": False}, "came back otherwise"),
        ({"expires": VALID_FOR - 1}, "over sooner"),
    ],
)
def test_an_approval_is_the_one_that_the_step_gives(changes: dict[str, Any], why: str) -> None:
    refuse(why, call(0), approvals=(asked(1, ALICE, **changes),))


def test_a_question_that_the_scenario_does_not_ask_is_refused() -> None:
    refuse("none that the scenario", call(0), approvals=(YES,), of=None)
    shown = {"tool": "pay", "arguments": ALICE}
    for operation in ({"tool": "pay"}, {**shown, "id": "1"}, {**shown, "tool": ["pay"]}):
        odd = approval(operation, call=-1, told=True, expires=VALID_FOR)
        refuse("none that the scenario", call(0), approvals=(odd,))
    look = approval({**shown, "tool": "look"}, call=-1, told=True, expires=VALID_FOR)
    refuse("of another tool", call(0), approvals=(look,))


def test_approvals_stand_in_the_order_in_which_they_were_asked_for() -> None:
    later = asked(1, ALICE, call=0, expires=VALID_FOR + 1)
    first = asked(2, ALICE)
    refuse("order in which", call(0), approvals=(later, first))
    tools = approval(ALICE, id="ap-2", call=0)
    split = (later, tools, asked(3, ALICE, call=0, expires=VALID_FOR + 1))
    refuse("does not stand with its batch", call(0), approvals=split)
    check(call(0), approvals=(replace(tools, id="ap-1"), replace(later, id="ap-2")))


def test_planted_answers_change_places_and_nothing_else() -> None:
    crossed = (asked(1, ALICE, told=False), asked(2, BOB, told=True))
    no, ran = denied(0, ALICE), call(1, "pay", BOB)
    own = delivered(1, BOB, approval="ap-2")
    check(no, ran, approvals=crossed, deliveries=(own,), of=CROSSED)
    refuse("came back otherwise", no, ran, approvals=crossed, deliveries=(own,))
    straight = (asked(1, ALICE), asked(2, BOB))
    refuse("came back otherwise", NO, PAID, approvals=straight[:1] + crossed[1:], of=CROSSED)
    under = replace(own, approval="ap-1")
    refuse("not delivered as", no, ran, approvals=crossed, deliveries=(under,), of=CROSSED)


def test_answers_that_should_have_changed_places_and_did_not_are_refused() -> None:
    """Each alone would be its own reverse; the step asks about the calls of one answer together."""
    asked_alone = (asked(1, ALICE), asked(2, BOB))
    told = (denied(0), call(1, "pay", ALICE))
    own = delivered(1)
    check(*told, approvals=asked_alone, deliveries=(own,), of=CROSSED)
    three = (asked(1, BOB, told=True), asked(2, ALICE), asked(3, ALICE, told=False))
    check(denied(0, ALICE), approvals=three, of=CROSSED)
    turned = (asked(1, BOB, told=True), asked(2, ALICE, told=False), asked(3, ALICE))
    check(denied(0, ALICE), approvals=turned, of=CROSSED)
    odd = (asked(1, BOB, told=True), asked(2, ALICE))
    refuse("came back otherwise", call(0), approvals=odd, of=CROSSED)


def test_an_overseen_call_that_came_to_something_is_a_delivery_of_its_own() -> None:
    written = effect(0, 0, "paid", "p", None, {})
    half = failed(0, "pay", ALICE, effects=(written,))
    check(half, deliveries=(delivered(0, approval=""),))
    check(failed(0, "pay", ALICE))
    for made, deliveries in (
        (PAID, ()),
        (PAID, (delivered(0), delivered(0))),
        (PAID, (delivered(0, BOB),)),
        (half, ()),
    ):
        refuse("no delivery of its own", made, approvals=(YES,), deliveries=deliveries)


@pytest.mark.parametrize(
    "changes", [{"approval": ""}, {"approval": "ap-2"}, {"principal": "Bruno"}]
)
def test_an_overseen_call_is_delivered_as_the_step_does_it(changes: dict[str, Any]) -> None:
    refuse("not delivered as", PAID, approvals=(YES,), deliveries=(delivered(0, **changes),))


def test_an_approval_that_came_after_a_call_is_not_what_it_ran_under() -> None:
    after = asked(1, ALICE, call=0, expires=VALID_FOR + 1)
    refuse("not delivered as", PAID, approvals=(after,), deliveries=(delivered(0),))
    check(PAID, approvals=(after,), deliveries=(delivered(0, approval=""),))


def test_no_run_lasts_as_long_as_an_approval_is_good() -> None:
    late = delivered(0, clock=VALID_FOR + 1)
    refuse("later than any run", PAID, approvals=(YES,), deliveries=(late,))


def test_the_clock_goes_on_with_each_call_that_is_begun() -> None:
    calls = (call(0), refused(1), refused(2, by="world"), failed(3), denied(4), call(5))
    assert ticks(journal(calls)) == (1, 1, 2, 3, 3, 4)


def test_more_questions_than_a_run_can_ask_are_not_looked_into() -> None:
    batch = tuple(asked(number + 1, ALICE) for number in range(MOST_AT_ONCE + 1))
    refuse("questions were asked after call -1", approvals=batch)
    refuse("more than", approvals=(YES,) * (MOST_ASKED + 1))
