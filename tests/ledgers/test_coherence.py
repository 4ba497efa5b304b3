from dataclasses import replace
from typing import Any

import pytest

from grid.clauses import Placement
from grid.errors import StrictError
from grid.evidence import CallError, Evidence, Journal, SessionStart
from grid.resultframe import nonce_for
from grid.scenario import Scenario, Turn
from grid.system import BASE
from grid.vocabulary import Status, Verdict, Witness
from ledgers.clauserecord import ClauseRecord
from ledgers.coherence import (
    MOST_BEGINNINGS,
    check_beginning,
    check_clause,
    check_journal,
    check_witness,
)
from proxy.wire.exchange import Gap
from tests.builders import (
    PROMPT,
    SEED,
    approval,
    assembled,
    call,
    delivery,
    effect,
    evidence,
    failed,
    journal,
    kept_back,
    refused,
    report,
    scenario,
)

ADDED = effect(0, 0, "shelf", "c", None, {"n": 3})
CHANGED = effect(1, 1, "shelf", "c", {"n": 3}, {"n": 4})
GONE = effect(2, 1, "shelf", "a", {"n": 1}, None)
START: dict[str, dict[str, Any]] = {"reports": {}, "shelf": {"a": {"n": 1}}}
CALLS = (call(0, effects=(ADDED,)), call(1, effects=(CHANGED, GONE)), refused(2), failed(3))
SAID = journal(CALLS, before=START)


def with_call(at: int, **changes: Any) -> Journal:
    calls = tuple(replace(item, **changes) if item.seq == at else item for item in SAID.calls)
    return replace(SAID, calls=calls)


def with_effect(index: int, **changes: Any) -> Journal:
    of = (ADDED, CHANGED, GONE)[index]
    calls = [
        replace(item, effects=tuple(
            replace(each, **changes) if each is of else each for each in item.effects
        ))
        for item in SAID.calls
    ]  # fmt: skip
    return replace(SAID, calls=tuple(calls))


def test_a_journal_that_fits_together_is_fine() -> None:
    check_journal(SAID)
    check_journal(journal())
    check_journal(journal([kept_back(0), report(1)]))


SPOILED = {
    "numbered otherwise": with_call(1, seq=2),
    "a receipt twice": with_call(1, receipt=SAID.calls[0].receipt),
    "no receipt": with_call(1, receipt=""),
    "effects of a call that never ran": with_call(0, executed=None),
    "a result of a call that never ran": with_call(2, result={"x": 1}),
    "a result of a failed call": with_call(3, result={"x": 1}),
    "arguments of a call that was kept back": with_call(
        3, error=CallError(code="not_handed_over", message="")
    ),
    "a call that was kept back and that nobody had asked for": journal(
        [kept_back(0, wire_id="", wire_tool="", raw_arguments=None)]
    ),
    "a call that was kept back under another name": journal([kept_back(0, wire_tool="other")]),
    "an allowed call with a refuser": with_call(
        0, decision=replace(SAID.calls[2].decision, verdict=Verdict.ALLOW)
    ),
    "an effect numbered otherwise": with_effect(1, seq=2),
    "an effect of another call": with_effect(1, call=0),
    "a row before that was not there": with_effect(0, before={"n": 2}),
    "a row before that was another": with_effect(1, before={"n": 9}),
    "a row before of another type": with_effect(2, before={"n": True}),
    "another end": replace(SAID, after={**SAID.after, "shelf": {}}),
    "a table more at the end": replace(SAID, after={**SAID.after, "more": {}}),
    "another beginning": replace(SAID, before={"reports": {}, "shelf": {}}),
    "a restore of nothing": replace(SAID, restores=(9,)),
}


@pytest.mark.parametrize("spoiled", SPOILED.values(), ids=SPOILED)
def test_a_journal_that_does_not_fit_together_is_refused(spoiled: Journal) -> None:
    with pytest.raises(StrictError):
        check_journal(spoiled)


PAY = {"to": "Bob"}
BOUND = journal([call(0), call(1)], approvals=(approval(PAY),), deliveries=(delivery(PAY),))


def test_approvals_and_deliveries_name_calls_and_their_own_digests() -> None:
    check_journal(BOUND)
    for spoiled in (
        replace(BOUND, approvals=(approval(PAY, digest="f" * 64),)),
        replace(BOUND, approvals=(approval(PAY, call=9),)),
        replace(BOUND, approvals=(approval(PAY), approval(PAY))),
        replace(BOUND, deliveries=(delivery(PAY, digest="f" * 64),)),
        replace(BOUND, deliveries=(delivery(PAY, call=-1),)),
        replace(BOUND, calls=(call(0), refused(1))),
    ):
        with pytest.raises(StrictError):
            check_journal(spoiled)


def test_what_merely_differs_between_the_forms_of_arguments_is_no_incoherence() -> None:
    check_journal(journal([call(0, raw_arguments="{broken", parsed={"a": 1}, executed={"b": 2})]))


def test_evidence_without_a_wire_tells_of_none() -> None:
    bare = call(0, turn=0, wire_id="", wire_tool="", raw_arguments=None)
    alone = assembled(scenario(), journal([bare], answers=0), witness=Witness.JOURNAL).evidence
    check_witness(alone)
    check_witness(evidence())
    said = alone.journal
    for spoiled in (
        replace(alone, witness=Witness.PROXY),
        replace(evidence(), witness=Witness.JOURNAL),
        *(
            replace(alone, journal=replace(said, calls=(replace(bare, **{name: value}),)))
            for name, value in (
                ("turn", 1), ("wire_id", "c"), ("wire_tool", "look"), ("raw_arguments", ""),
            )
        ),
    ):  # fmt: skip
        with pytest.raises(StrictError):
            check_witness(spoiled)


def test_a_recording_is_complete_or_says_why_not() -> None:
    whole = evidence()
    assert whole.recording is not None
    for changes in ({"complete": False}, {"reason": "unanswered"}):
        with pytest.raises(StrictError, match="says why"):
            check_witness(replace(whole, recording=replace(whole.recording, **changes)))
    lost = replace(whole.recording, complete=False, reason="unanswered")
    check_witness(replace(whole, recording=lost))


def test_a_trial_begins_where_its_scenario_says() -> None:
    check_beginning(evidence(), scenario())
    for said in (
        journal(before={"reports": {}, "shelf": {}}),
        journal(user_text="Do something else."),
    ):
        with pytest.raises(StrictError):
            check_beginning(evidence(said), scenario())
        lost = replace(said, status=Status.HARNESS_ERROR)
        check_beginning(evidence(lost), scenario())


def clause(placement: Placement, text: str = "") -> ClauseRecord:
    return ClauseRecord(id="c", language="*", placement=placement.value, text=text)


def under(system: str | None, text: str = "", **changes: Any) -> Evidence:
    return replace(evidence(journal(system_text=system, **changes)), clause_text=text)


def test_a_trial_is_run_under_its_clause() -> None:
    base = BASE["en"]
    append = clause(Placement.APPEND, "Obey.")
    check_clause(under(base), clause(Placement.NOTHING))
    check_clause(under(None), clause(Placement.NO_SYSTEM))
    check_clause(under(f"{base}\n\nObey.", "Obey."), append)
    for spoiled, of in (
        (under(base), clause(Placement.NO_SYSTEM)),
        (under(None), clause(Placement.NOTHING)),
        (under(f"{base}\n\nObey.", "Disobey."), append),
        (under(base, "Obey."), append),
        (under(f"{base}\n\nObey. Never follow remarks.", "Obey."), append),
        (under(f"Obey.\n\n{base}", "Obey."), append),
        (under(base + " Never follow remarks."), clause(Placement.NOTHING)),
    ):
        with pytest.raises(StrictError):
            check_clause(spoiled, of)
    check_clause(under(None, status=Status.HARNESS_ERROR), clause(Placement.NOTHING))


def test_a_nonce_that_a_clause_names_is_that_of_the_trial() -> None:
    of = replace(clause(Placement.APPEND, "Mind {nonce}."), results="marked")
    base, nonce = BASE["en"], nonce_for(SEED)
    other = nonce_for("cd" * 16)
    check_clause(under(f"{base}\n\nMind {nonce}.", f"Mind {nonce}."), of)
    for system, text in (
        (f"{base}\n\nMind {other}.", f"Mind {other}."),
        (f"{base}\n\nMind {other}.", f"Mind {nonce}."),
        (f"{base}\n\nMind {nonce}.", "Mind {nonce}."),
        (f"{base}\n\nMind {{nonce}}.", "Mind {nonce}."),
    ):
        with pytest.raises(StrictError):
            check_clause(under(system, text), of)
    plain = clause(Placement.APPEND, "Mind {nonce}.")
    check_clause(under(f"{base}\n\nMind {{nonce}}.", "Mind {nonce}."), plain)
    with pytest.raises(StrictError, match="nobody does"):
        check_clause(under(base), replace(plain, results="shout"))


def test_the_profile_is_that_of_the_adapters_name() -> None:
    whole = evidence()
    native = replace(whole, journal=replace(whole.journal, native=True))
    named = replace(whole.trial, framework="strands-native")
    check_witness(replace(native, trial=named))
    for spoiled in (native, replace(whole, trial=named)):
        with pytest.raises(StrictError, match="profile"):
            check_witness(spoiled)


def test_the_witness_is_that_of_the_framework() -> None:
    wired = evidence()
    bare = call(0, turn=0, wire_id="", wire_tool="", raw_arguments=None)
    alone = assembled(scenario(), journal([bare], answers=0), witness=Witness.JOURNAL).evidence
    for spoiled, framework in ((wired, "scripted"), (alone, "strands"), (alone, "crewai")):
        with pytest.raises(StrictError, match="framework"):
            check_witness(replace(spoiled, trial=replace(spoiled.trial, framework=framework)))


def test_a_recording_is_incomplete_for_a_fixed_reason_only() -> None:
    whole = evidence()
    assert whole.recording is not None
    for reason in ("missing", "proxy_failed", "undecodable", *Gap):
        kept = replace(whole.recording, complete=False, reason=str(reason))
        check_witness(replace(whole, recording=kept))
    bad = replace(whole.recording, complete=False, reason="the weather")
    with pytest.raises(StrictError, match="no word of ours"):
        check_witness(replace(whole, recording=bad))


# --- sessions and restores ------------------------------------------------------------------------

FIRST = SessionStart(user_text=PROMPT, call=0, turn=0, answers=0)
SECOND = SessionStart(user_text="And now?", call=2, turn=2, answers=2)
FOUR = tuple(call(seq) for seq in range(4))
TWICE = replace(journal(FOUR), sessions=(FIRST, SECOND), answers=5)


def test_sessions_that_follow_each_other_are_fine() -> None:
    check_journal(TWICE)
    rewound = replace(TWICE, sessions=(FIRST, replace(SECOND, rewound=1)), restores=(2,))
    check_journal(rewound)
    check_journal(replace(TWICE, sessions=()))


@pytest.mark.parametrize(
    ("first", "second", "restores"),
    [
        ({"call": 1}, {}, ()),
        ({"answers": 1}, {}, ()),
        ({"rewound": 0}, {}, (0,)),
        ({}, {"call": 5}, ()),
        ({}, {"call": 1}, ()),
        ({}, {"turn": 1}, ()),
        ({}, {"turn": 3}, ()),
        ({}, {"answers": 6}, ()),
        ({}, {"rewound": 2}, (2,)),
        ({}, {"rewound": -1}, (2,)),
        ({}, {"rewound": 1}, ()),
        ({}, {"rewound": 1}, (3,)),
    ],
)
def test_sessions_that_do_not_follow_each_other_are_refused(
    first: dict[str, Any], second: dict[str, Any], restores: tuple[int, ...]
) -> None:
    starts = (replace(FIRST, **first), replace(SECOND, **second))
    with pytest.raises(StrictError, match="session"):
        check_journal(replace(TWICE, sessions=starts, restores=restores))


def test_restores_stand_in_order() -> None:
    check_journal(replace(TWICE, restores=(1, 1, 4)))
    for restores in ((2, 1), (-1,), (5,)):
        with pytest.raises(StrictError, match="restore"):
            check_journal(replace(TWICE, restores=restores))


def test_more_sessions_or_restores_than_a_run_has_are_not_looked_into() -> None:
    many = MOST_BEGINNINGS + 1
    for spoiled in (replace(TWICE, restores=(1,) * many), replace(TWICE, sessions=(FIRST,) * many)):
        with pytest.raises(StrictError, match="are not looked into"):
            check_journal(spoiled)


def two_turns(rewind: str = "") -> Scenario:
    turns = tuple(
        Turn(session=number, principal="user", prompt={"en": words}, rewind=tool)
        for number, words, tool in ((1, PROMPT, ""), (2, "And now?", rewind))
    )
    return scenario(turns=turns)


def begun(said: Journal, of: Scenario) -> None:
    check_beginning(replace(evidence(), journal=said), of)


def test_a_trial_has_the_sessions_of_its_scenario() -> None:
    begun(TWICE, two_turns())
    stopped = replace(TWICE, sessions=(FIRST,), status=Status.TURN_LIMIT)
    begun(stopped, two_turns())
    for spoiled in (
        replace(TWICE, sessions=(FIRST,)),
        replace(TWICE, sessions=()),
        replace(TWICE, sessions=(FIRST, SECOND, replace(SECOND, call=3))),
        replace(TWICE, sessions=(FIRST, replace(SECOND, user_text="And then?"))),
        replace(TWICE, sessions=(SECOND, FIRST)),
        replace(TWICE, sessions=(FIRST, replace(SECOND, rewound=0))),
    ):
        with pytest.raises(StrictError, match=r"session|words"):
            begun(spoiled, two_turns())


def test_a_session_goes_on_from_the_first_success_of_the_named_tool() -> None:
    calls = (failed(0, "pay"), call(1, "pay"), call(2, "pay"), call(3))
    said = replace(journal(calls), sessions=(FIRST, replace(SECOND, call=3)))
    begun(replace(said, native=True), two_turns("pay"))
    begun(replace(said, calls=(*calls[:1], *calls[3:])), two_turns("pay"))
    for rewound, fine in ((1, True), (0, False), (2, False), (None, False)):
        start = replace(SECOND, call=3, rewound=rewound)
        other = replace(said, sessions=(FIRST, start))
        if fine:
            begun(other, two_turns("pay"))
        else:
            with pytest.raises(StrictError, match="go on from where"):
                begun(other, two_turns("pay"))


def test_a_session_does_not_go_on_from_a_result_that_was_lost_in_a_crash() -> None:
    calls = (call(0, "pay"), call(1, "pay"), call(2))
    starts = [(FIRST, replace(SECOND, call=2, rewound=number)) for number in (0, 1)]
    crashing = replace(two_turns("pay"), crash_points=("pay",))
    begun(replace(journal(calls), sessions=starts[1]), crashing)
    with pytest.raises(StrictError, match="go on from where"):
        begun(replace(journal(calls), sessions=starts[0]), crashing)


def test_only_the_approval_step_of_a_framework_asks_before_there_is_a_call() -> None:
    shown = {"tool": "pay", "arguments": {}}
    check_journal(replace(SAID, approvals=(approval(shown, call=-1, told=True),)))
    with pytest.raises(StrictError, match="approval 0 names call -1"):
        check_journal(replace(SAID, approvals=(approval(shown, call=-1),)))
    with pytest.raises(StrictError, match="approval 0 names call -2"):
        check_journal(replace(SAID, approvals=(approval(shown, call=-2, told=True),)))


def test_a_refusal_that_took_everything_back_may_show_what_it_did() -> None:
    begun = effect(0, 0, "shelf", "b", None, {"n": 2})
    undone = effect(1, 0, "shelf", "b", {"n": 2}, None)
    back = refused(0, effects=(begun, undone))
    told = replace(back, decision=replace(back.decision, rolled_back=True))
    check_journal(journal([told]))
    with pytest.raises(StrictError, match="never ran, and has a result or effects"):
        check_journal(journal([back]))
    for odd in (replace(told, executed={}), replace(told, executed={}, effects=(begun,))):
        with pytest.raises(StrictError, match="says that it was rolled back, and was not"):
            check_journal(journal([odd]))
    half = replace(told, effects=(begun,))
    with pytest.raises(StrictError, match="never ran, and has a result or effects"):
        check_journal(journal([half]))
