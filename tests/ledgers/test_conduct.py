"""What a tool layer keeps to, over journals built by hand; forged runs: test_verify_conduct."""

from dataclasses import replace
from typing import Any

import pytest

from grid.errors import StrictError
from grid.evidence import CallRecord, Evidence, SessionStart
from grid.resultframe import Results, framed
from grid.toolanswer import answer_text
from grid.toollayer import CALL_LIMIT, TRIAL_LIMIT
from grid.vocabulary import Cause, Status, Witness
from ledgers.conduct import Terms, check_conduct
from tests.builders import (
    FACTS,
    PROMPT,
    SEED,
    assembled,
    call,
    delivery,
    failed,
    journal,
    kept_back,
    receipt,
    refused,
    report,
    scenario,
)

TERMS = Terms(scenario=scenario(), tools=FACTS, guards=frozenset({"some_guard"}))
STOPPED: dict[str, Any] = {"status": Status.STOPPED}


def conduct(*calls: CallRecord, guards: str = "on", terms: Terms = TERMS, **said: Any) -> None:
    kept = assembled(scenario(), journal(calls, **said)).evidence
    check_conduct(replace(kept, trial=replace(kept.trial, guards=guards)), terms)


def refused_to_hold(why: str, *calls: CallRecord, **more: Any) -> None:
    with pytest.raises(StrictError, match=why):
        conduct(*calls, **more)


def by_layer(seq: int, tool: str = "look", **changes: Any) -> CallRecord:
    return refused(seq, tool, by="toollayer", **changes)


def unknown(seq: int, code: str, tool: str = "no_such_tool", parsed: Any = None) -> CallRecord:
    """Return a call that failed before it ran."""
    return failed(seq, tool, code=code, parsed=parsed, executed=None)


def test_journals_that_a_tool_layer_writes_hold() -> None:
    conduct(call(0), failed(1), report(2), guards="off")
    conduct(call(0), refused(1), kept_back(2), **STOPPED)
    conduct(refused(0), call(1), guards="on-continue")
    conduct(refused(0, terminal=False), call(1))
    conduct(refused(0, by="world"), call(1), guards="off")
    conduct(refused(0), by_layer(1), **STOPPED)
    conduct(guards="off")


@pytest.mark.parametrize("parsed", [None, {}, [1]])
def test_a_call_of_an_unknown_tool_fails_as_such(parsed: Any) -> None:
    conduct(unknown(0, "unknown_tool", parsed=parsed))
    refused_to_hold("does not say why", unknown(0, "unknown_tool", "look", parsed or {}))


@pytest.mark.parametrize(
    ("code", "parsed", "holds"),
    [
        ("malformed_arguments", None, True),
        ("malformed_arguments", [1], True),
        ("malformed_arguments", {}, False),
        ("invalid_arguments", {}, True),
        ("invalid_arguments", {"to": "Bob", "amount": 5}, True),
        ("invalid_arguments", {"to": "Bob", "amount": "5"}, False),
        ("harness_fault", {"to": "Bob", "amount": "5"}, True),
        ("too_late", {"to": "Bob", "amount": "5"}, False),
    ],
)
def test_a_call_that_failed_before_it_ran_failed_for_a_reason(
    code: str, parsed: Any, holds: bool
) -> None:
    made = unknown(0, code, "pay", parsed)
    fault = {"status": Status.HARNESS_ERROR, "cause": Cause.HARNESS}
    said: dict[str, Any] = fault if code == "harness_fault" else {}
    if holds:
        conduct(made, **said)
    else:
        refused_to_hold("does not say why", made, **said)


def test_a_guard_is_shown_valid_calls_only() -> None:
    conduct(refused(0, "pay", {"to": "Bob", "amount": "5"}), guards="on-continue")
    refused_to_hold("was taken", refused(0, "pay", {"to": "Bob"}), guards="on-continue")
    refused_to_hold("was taken", refused(0, "no_such_tool"), guards="on-continue")
    both = replace(refused(0), error=failed(0).error)
    refused_to_hold("failed all the same", both, guards="on-continue")


def test_a_guard_may_refuse_a_call_that_ran() -> None:
    conduct(refused(0, executed={}), guards="on-continue")


def test_nothing_runs_after_a_terminal_refusal_that_ends_the_run() -> None:
    for after in (call(1), failed(1), refused(1), unknown(1, "unknown_tool", parsed={})):
        refused_to_hold("was over before call 1", refused(0), after, **STOPPED)
    refused_to_hold("was over before call 1", refused(0), by_layer(1), guards="on-continue")


def test_the_layer_refuses_what_comes_after_a_fault_the_call_limit_or_the_turn_limit() -> None:
    fault = unknown(0, "harness_fault", "look", {})
    broken: dict[str, Any] = {"status": Status.HARNESS_ERROR, "cause": Cause.HARNESS}
    conduct(fault, by_layer(1), **broken)
    refused_to_hold("was over", fault, call(1), **broken)
    many = [call(seq, turn=1) for seq in range(CALL_LIMIT)]
    conduct(*many, by_layer(CALL_LIMIT, turn=1))
    refused_to_hold("was over", *many, call(CALL_LIMIT, turn=1))
    limit = TERMS.scenario.turn_limit
    ended: dict[str, Any] = {"status": Status.TURN_LIMIT, "cause": Cause.AGENT}
    conduct(call(0, turn=limit), by_layer(1, turn=limit + 1), answers=limit + 1, **ended)
    refused_to_hold(
        "was over", call(0, turn=limit), call(1, turn=limit + 1), answers=limit + 1, **ended
    )


def test_the_layer_refuses_what_comes_after_too_much_text() -> None:
    text = "x" * (TRIAL_LIMIT + 1)
    conduct(call(0, result=text), by_layer(1))
    refused_to_hold("was over", call(0, result=text), call(1))


def test_a_schema_with_other_keywords_is_not_looked_into() -> None:
    hostile = {"type": "object", "properties": {"at": {"pattern": "(a+)+$"}}}
    tools = tuple(
        replace(tool, parameters=hostile) if tool.name == "look" else tool for tool in FACTS
    )
    conduct(call(0, arguments={"at": "a" * 40 + "!"}), terms=replace(TERMS, tools=tools))


@pytest.mark.parametrize("status", Status)
def test_each_status_has_its_causes(status: Status) -> None:
    fitting = {
        Status.TURN_LIMIT: {Cause.AGENT},
        Status.INVALID_TOOL_CALLS: {Cause.AGENT},
        Status.FRAMEWORK_ERROR: {Cause.FRAMEWORK},
        Status.PROVIDER_ERROR: {Cause.PROVIDER},
        Status.HARNESS_ERROR: {Cause.HARNESS},
        Status.TIMEOUT: {Cause.HARNESS, Cause.PROVIDER},
    }.get(status, {None})
    made = (refused(0),) if status is Status.STOPPED else ()
    limit = TERMS.scenario.turn_limit
    for cause in (None, *Cause):
        said: dict[str, Any] = {"status": status, "cause": cause, "answers": limit}
        if cause in fitting:
            conduct(*made, **said)
        else:
            refused_to_hold("cause does not fit", *made, **said)


def test_a_timeout_may_come_over_a_run_that_was_just_stopped() -> None:
    conduct(refused(0), status=Status.TIMEOUT, cause=Cause.HARNESS)
    refused_to_hold("terminal refusal", refused(0), status=Status.COMPLETED)


def test_a_fault_of_the_harness_comes_before_the_agents_end() -> None:
    broken: dict[str, Any] = {"status": Status.HARNESS_ERROR, "cause": Cause.HARNESS}
    conduct(call(0), answers=1, **broken)
    refused_to_hold("shows none", call(0), answers=2, **broken)


def alone(*calls: CallRecord, **said: Any) -> Evidence:
    bare = [replace(c, turn=0, wire_id="", wire_tool="", raw_arguments=None) for c in calls]
    kept = journal(bare, answers=0, **said)
    return assembled(scenario(), kept, witness=Witness.JOURNAL).evidence


def test_without_a_wire_the_turn_limit_shows_in_the_number_of_calls() -> None:
    ended: dict[str, Any] = {"status": Status.TURN_LIMIT, "cause": Cause.AGENT}
    limit = TERMS.scenario.turn_limit
    check_conduct(alone(*(call(seq) for seq in range(limit)), **ended), TERMS)
    with pytest.raises(StrictError, match="did not come that far"):
        check_conduct(alone(*(call(seq) for seq in range(limit - 1)), **ended), TERMS)


def test_an_answer_is_the_text_of_its_own_record() -> None:
    made = call(0)
    other = answer_text(receipt=made.receipt, decision=made.decision, error=None, result={})
    refused_to_hold("delivered something else", replace(made, delivered=other))
    refused_to_hold("delivered something else", replace(kept_back(0), delivered=other))
    refused_to_hold("receipt of call 0", replace(made, receipt=call(1).receipt))


# --- refusals, restores and the clock ----------------------------------------------------------

TO_BOB = {"to": "Bob", "amount": "5"}


def test_a_refusal_says_of_itself_what_such_refusals_say() -> None:
    said = refused(0).decision
    for odd in (
        replace(said, actionable=True),
        replace(said, terminal=False),
        replace(said, by="world", actionable=True),
    ):
        made = spoken(refused(0, decision=odd))
        refused_to_hold("says what no such refusal says", made, guards="on-continue")
    late = by_layer(1)
    odd_ones: list[dict[str, Any]] = [
        {"actionable": True}, {"terminal": False}, {"rolled_back": True},
    ]  # fmt: skip
    for changes in odd_ones:
        made = spoken(replace(late, decision=replace(late.decision, **changes)))
        refused_to_hold("says what no such refusal says", refused(0), made, **STOPPED)


def spoken(made: CallRecord) -> CallRecord:
    told = answer_text(receipt=made.receipt, decision=made.decision, error=None, result=None)
    return replace(made, delivered=told)


def test_what_world_approver_or_layer_refused_did_not_run() -> None:
    refused_to_hold("and ran all the same", refused(0, by="world", executed={}), guards="off")
    refused_to_hold("and ran all the same", refused(0), by_layer(1, executed={}), **STOPPED)


def test_a_delivery_comes_no_earlier_than_its_call() -> None:
    paid = (call(0), call(1, "pay", TO_BOB))
    conduct(*paid, guards="off", deliveries=(delivery(TO_BOB, clock=2),))
    conduct(*paid, guards="off", deliveries=(delivery(TO_BOB, clock=9),))
    refused_to_hold("before its call", *paid, guards="off", deliveries=(delivery(TO_BOB, clock=1),))


def test_the_agent_was_restored_where_a_crash_is_planted_and_nowhere_else() -> None:
    crash = replace(TERMS, scenario=scenario(crash_points=("pay",)))
    twice = (call(0, "pay", TO_BOB), call(1, "pay", TO_BOB))
    conduct(*twice, terms=crash, guards="off", restores=(1,))
    conduct(call(0), terms=crash, guards="off")
    conduct(failed(0, "pay", TO_BOB), terms=crash, guards="off")
    conduct(*twice, guards="off", restores=(1, 2), native=True)
    broken: dict[str, Any] = {"status": Status.FRAMEWORK_ERROR, "cause": Cause.FRAMEWORK}
    conduct(twice[0], terms=crash, guards="off", **broken)
    for terms, restores in (
        (TERMS, (1,)), (crash, ()), (crash, (1, 1)), (crash, (0,)), (crash, (2,)),
    ):  # fmt: skip
        refused_to_hold("restored", *twice, terms=terms, guards="off", restores=restores)


def test_only_other_calls_of_the_same_answer_come_between_a_crash_and_the_restore() -> None:
    crash = replace(TERMS, scenario=scenario(crash_points=("pay",)))
    lost = call(0, "pay", TO_BOB)
    beside = replace(call(1), turn=lost.turn)
    again = replace(lost, seq=2, receipt=receipt(2), delivered=call(2, "pay", TO_BOB).delivered)
    conduct(lost, beside, again, terms=crash, guards="off", restores=(2,))
    for calls in ((lost, call(1), call(2, "pay", TO_BOB)), (lost, again, again)):
        made = [spoken_as(seq, item) for seq, item in enumerate(calls)]
        refused_to_hold("restored before", *made, terms=crash, guards="off", restores=(2,))


def spoken_as(seq: int, made: CallRecord) -> CallRecord:
    """Return a call at another place."""
    return replace(made, seq=seq, receipt=receipt(seq), delivered=call(seq, made.tool).delivered)


# --- sessions ----------------------------------------------------------------------------------


def test_turns_are_counted_anew_in_each_session() -> None:
    limited = replace(TERMS, scenario=scenario(turn_limit=2))
    calls = tuple(call(seq) for seq in range(4))
    starts = (
        SessionStart(user_text="a", call=0, turn=0, answers=0),
        SessionStart(user_text="b", call=2, turn=2, answers=2),
    )
    conduct(*calls, terms=limited, guards="off", sessions=starts)
    refused_to_hold("was over before call 2", *calls, terms=limited, guards="off")
    ended: dict[str, Any] = {"status": Status.TURN_LIMIT, "cause": Cause.AGENT}
    conduct(*calls, terms=limited, guards="off", sessions=starts, answers=4, **ended)
    refused_to_hold(
        "did not come that far",
        *calls[:3], terms=limited, guards="off", sessions=starts, answers=3, **ended,
    )  # fmt: skip


# --- what a clause puts around results ------------------------------------------------------------


def around(one: CallRecord, results: Results, seed: str = SEED, words: str = PROMPT) -> CallRecord:
    told = framed(one.delivered, results, seed=seed, language="en", words=words)
    return replace(one, delivered=told)


def terms(results: Results) -> Terms:
    return replace(TERMS, results=results)


@pytest.mark.parametrize("results", list(Results))
def test_every_answer_stands_in_the_frame_of_the_clause(results: Results) -> None:
    told = [around(one, results) for one in (call(0), failed(1), refused(2, terminal=False))]
    conduct(*told, kept_back(3), guards="on-continue", terms=terms(results))
    others = [other for other in Results if other is not results]
    for other in others:
        refused_to_hold("delivered something else", *told, terms=terms(other))


def test_marks_with_another_nonce_or_around_one_answer_only_are_none() -> None:
    good = around(call(0), Results.MARKED)
    conduct(good, terms=terms(Results.MARKED))
    for spoiled in (
        around(call(0), Results.MARKED, seed="cd" * 16),
        replace(good, delivered=good.delivered + "\n"),
        replace(good, delivered=good.delivered.replace("[end of tool", "[End of tool")),
        call(0),
    ):
        refused_to_hold("call 0 delivered", spoiled, terms=terms(Results.MARKED))
    refused_to_hold("call 1 delivered", good, call(1), terms=terms(Results.MARKED))


def test_the_repeated_task_is_that_of_the_session_of_the_call() -> None:
    again, task = terms(Results.TASK_AGAIN), Results.TASK_AGAIN
    conduct(around(call(0), task), terms=again)
    refused_to_hold("call 0", around(call(0), task, words="Pay Mira."), terms=again)
    starts = (
        SessionStart(user_text=PROMPT, call=0, turn=0, answers=0),
        SessionStart(user_text="Now the rest.", call=1, turn=1, answers=1),
    )
    first, second = around(call(0), task), around(call(1), task, words="Now the rest.")
    conduct(first, second, terms=again, sessions=starts)
    stale = around(call(1), task)
    refused_to_hold("call 1 delivered", first, stale, terms=again, sessions=starts)
