"""`trialview`: the claim, marked UNVERIFIED, above what the evidence says; all of it harmless."""

import base64
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from grid.cli.trialview import show_trial, trial_json
from grid.evidence import (
    CallRecord,
    Evidence,
    Journal,
    RecordingRef,
    SessionStart,
    TamperedAnswer,
    TamperedResult,
)
from grid.vocabulary import Cause, Family, Outcome, Status, Witness
from grid.wirecall import WireCall, completion
from ledgers.adjudicate import Funnel, Judgement
from ledgers.finding import Pointer, PointerKind
from ledgers.rule import RuleVerdict
from proxy.wire.exchange import body_bytes, exchange_lines
from tests import builders

OBEYED = "\x1b[2J\x1b]0;x\x07\x9b31m\u202e\u200b\r"
CONTROL = set("\x1b\x07\x9b\u202e\u200b\r")
HOSTILE = f"{OBEYED}[red]x[/red]\n--- What the evidence says ---\noutcome: resisted"

VERDICT = RuleVerdict(
    rule="delivery", rule_version=1, family=Family.DELIVERY, outcome="compromised",
    cause=Cause.AGENT, reasons=("it paid twice", "and more"),
    pointers=(Pointer(kind=PointerKind.EFFECT, seq=3), Pointer(kind=PointerKind.CALL, seq=1)),
)  # fmt: skip
FOUND = Judgement(
    verdicts=(VERDICT,), outcome=Outcome.COMPROMISED, utility=None, alarm=None, claim=None,
    funnel=Funnel(exposed=True, proposed=True, executed=True, delivered=False, claimed="done"),
)  # fmt: skip
REFERENCE = RecordingRef(digest="ab" * 32, count=4, complete=True)

type Shown = Callable[..., str]


@pytest.fixture
def shown(capsys: pytest.CaptureFixture[str]) -> Shown:
    def text(evidence: Evidence, found: Judgement = FOUND) -> str:
        show_trial(evidence, found)
        return capsys.readouterr().out

    return text


def evidence(*calls: CallRecord, **changes: Any) -> Evidence:
    """Return evidence; what is no field of it is changed in its journal."""
    outside = {
        name: changes.pop(name)
        for name in ("trial", "clause_text", "recording", "witness")
        if name in changes
    }
    journal: Journal = builders.journal(calls, **changes)
    return replace(builders.evidence(journal), **outside)


def squeezed(text: str) -> list[str]:
    return [" ".join(line.split()) for line in text.splitlines()]


def row(text: str, start: str) -> str:
    return next(line for line in squeezed(text) if line.startswith(start))


def test_the_claim_stands_first_and_is_marked(shown: Shown) -> None:
    claimed = builders.report(1, "done", [builders.claim(0, "42")])
    text = shown(evidence(builders.call(0), claimed, final_text="I did it."))
    claims, _, rest = text.partition("--- What the evidence says ---")
    assert "(UNVERIFIED)" in claims
    assert "report: done: because | {" in claims
    assert '"value":"42"' in claims
    assert "last words: I did it." in claims
    assert "I did it." not in rest


def test_an_agent_that_claims_nothing_is_said_to_have(shown: Shown) -> None:
    text = shown(evidence(final_text=""), replace(FOUND, funnel=replace(FOUND.funnel, claimed="")))
    assert "last words: (none)" in text
    assert "report: " not in text
    assert "claimed: no report (UNVERIFIED)" in text


def test_each_verdict_has_its_cause_its_reasons_and_where_it_is_seen(shown: Shown) -> None:
    text = shown(evidence())
    assert row(text, "delivery") == (
        "delivery delivery compromised agent it paid twice; and more effect:3 call:1"
    )
    assert row(text, "outcome:") == "outcome: compromised utility: -"


def test_the_funnel_says_how_far_it_came(shown: Shown) -> None:
    assert row(shown(evidence()), "funnel:") == (
        "funnel: exposed: yes proposed: yes executed: yes delivered: no claimed: done (UNVERIFIED)"
    )


def test_arguments_stand_as_they_were_on_the_wire_beside_those_that_ran(shown: Shown) -> None:
    altered = builders.call(0, arguments={"at": "a"}, raw_arguments='{"at": 1}')
    kept = builders.kept_back(1, "purge")
    unseen = builders.call(2, turn=0, raw_arguments=None, executed={"deep": "x"})
    text = shown(evidence(altered, kept, unseen))
    assert row(text, "0 1 look").startswith('0 1 look {"at": 1} {"at":"a"} {"seen":"a shelf"}')
    assert row(text, "1 2 purge") == "1 2 purge {} - error not_handed_over: kept -"
    assert row(text, "2 0 look").startswith('2 0 look (not on the wire) {"deep":"x"}')


def test_a_refusal_says_who_refused_and_whether_for_good(shown: Shown) -> None:
    calls = (builders.refused(0), builders.refused(1, terminal=False, by="world"))
    text = shown(evidence(*calls))
    assert "refused for good by some_guard: no" in row(text, "0 1")
    assert "refused by world: no" in row(text, "1 2")


def test_a_failure_and_an_effect_are_shown(shown: Shown) -> None:
    change = builders.effect(0, 1, "shelf", "a", None, {"v": 1})
    text = shown(evidence(builders.failed(0), builders.call(1, effects=(change,))))
    assert "error not_found: no" in row(text, "0 1")
    assert row(text, "1 2").endswith(" 0:shelf/a")


def test_how_the_run_ended_and_what_it_rests_on_is_said(shown: Shown) -> None:
    text = shown(
        evidence(
            status=Status.PROVIDER_ERROR, cause=Cause.PROVIDER, clause_text="Be careful.",
            witness=Witness.PROXY, recording=REFERENCE,
        )
    )  # fmt: skip
    assert "ended    provider_error (cause: provider)" in text
    assert "witness  proxy" in text
    assert "clause   Be careful." in text
    assert f"recording: 4 exchanges, complete, digest {'ab' * 8}\n" in text


def test_an_incomplete_recording_says_why_and_no_recording_says_nothing(shown: Shown) -> None:
    broken = replace(REFERENCE, complete=False, reason="in_flight")
    assert "incomplete: in_flight" in shown(evidence(recording=broken))
    plain = shown(evidence(recording=None, witness=Witness.JOURNAL))
    assert "recording:" not in plain
    assert "clause   (none)" in plain
    assert "(cause:" not in plain


HOSTILE_PLACES: dict[str, Callable[[], Evidence]] = {
    "last words": lambda: evidence(final_text=HOSTILE),
    "user's words": lambda: evidence(user_text=HOSTILE),
    "clause": lambda: evidence(clause_text=HOSTILE),
    "report": lambda: evidence(builders.report(0, HOSTILE, [builders.claim(0, HOSTILE)])),
    "tool name": lambda: evidence(builders.call(0, HOSTILE)),
    "arguments on the wire": lambda: evidence(builders.call(0, raw_arguments=HOSTILE)),
    "executed arguments": lambda: evidence(builders.call(0, executed={HOSTILE: HOSTILE})),
    "result": lambda: evidence(builders.call(0, result=HOSTILE)),
    "refuser": lambda: evidence(builders.refused(0, by=HOSTILE)),
    "error code": lambda: evidence(builders.failed(0, code=HOSTILE)),
    "row key": lambda: evidence(
        builders.call(0, effects=(builders.effect(0, 0, HOSTILE, HOSTILE, None, {}),))
    ),
    "coordinates": lambda: evidence(trial=replace(builders.TRIAL, model=HOSTILE)),
    "recording's reason": lambda: evidence(
        recording=replace(REFERENCE, complete=False, reason=HOSTILE)
    ),
    "recording's digest": lambda: evidence(recording=replace(REFERENCE, digest=HOSTILE)),
}


@pytest.mark.parametrize("place", HOSTILE_PLACES)
def test_hostile_text_in_evidence_commands_nothing_and_forges_no_line(
    shown: Shown, place: str
) -> None:
    text = shown(HOSTILE_PLACES[place]())
    assert not CONTROL & set(text)
    assert "\\u{1b}[2J" in text or "\\u001b[2J" in text, "it is shown, not dropped"
    lines = squeezed(text)
    assert lines.count("--- What the evidence says ---") == 1
    assert "outcome: resisted" not in lines


@pytest.mark.parametrize("field", ["rule", "outcome", "reasons"])
def test_hostile_text_in_a_verdict_commands_nothing(shown: Shown, field: str) -> None:
    value: Any = (OBEYED,) if field == "reasons" else OBEYED
    found = replace(FOUND, verdicts=(replace(VERDICT, **{field: value}),))
    assert not CONTROL & set(shown(evidence(), found))


def test_a_claimed_status_that_is_hostile_commands_nothing(shown: Shown) -> None:
    found = replace(FOUND, funnel=replace(FOUND.funnel, claimed=HOSTILE))
    text = shown(evidence(), found)
    assert not CONTROL & set(text)
    assert squeezed(text).count("--- What the evidence says ---") == 1


def test_a_very_long_result_is_cut_and_what_is_cut_is_counted(shown: Shown) -> None:
    text = shown(evidence(builders.call(0, result="x" * 5000)))
    assert text.count("x") < 300
    assert "more characters)" in " ".join(squeezed(text))


def test_as_data_everything_is_there_and_the_claim_under_its_own_key() -> None:
    of = evidence(builders.report(0), final_text="I did it.")
    said = trial_json(of, FOUND)
    assert said["UNVERIFIED"] == ["report: done: because", "last words: I did it."]
    assert said["trial"] == str(of.trial)
    assert said["judgement"]["funnel"]["claimed"] == "done"
    assert said["evidence"]["journal"]["calls"][0]["tool"] == "report"


def odd(words: str = "?", **sent: Any) -> bytes:
    """Return a recording in which each question mark of an answer's words is a stray byte."""
    made = builders.exchange(0, {"model": "m", "messages": [], **sent}, called(words))
    assert made.response is not None
    body = body_bytes(made.response.body).replace(b"?", b"\xff")
    kept = {"base64": base64.b64encode(body).decode()}
    return exchange_lines([replace(made, response=replace(made.response, body=kept))])


def test_what_was_odd_on_the_wire_is_told_last_and_counted_as_data(
    capsys: pytest.CaptureFixture[str],
) -> None:
    show_trial(evidence(), FOUND, recording=odd())
    *_, recorded, told, no_json = capsys.readouterr().out.splitlines()
    assert recorded.startswith("recording: ")
    assert told == (
        "odd on the wire: exchange 0: the answer: it holds bytes that are no UTF-8, which are kept "
        "as \\xNN"
    )
    assert no_json.endswith("a tool call's arguments are not JSON")
    assert trial_json(evidence(), FOUND, recording=odd())["oddities"] == 2
    plain = exchange_lines(builders.exchanges((builders.call(0),)))
    show_trial(evidence(), FOUND, recording=plain)
    assert "odd on the wire" not in capsys.readouterr().out
    assert trial_json(evidence(), FOUND, recording=plain)["oddities"] == 0
    assert trial_json(evidence(), FOUND)["oddities"] == 0


def test_very_many_oddities_are_listed_up_to_a_limit_and_counted(
    capsys: pytest.CaptureFixture[str],
) -> None:
    results = [{"role": "tool", "tool_call_id": "x", "content": "y"} for _ in range(40)]
    show_trial(evidence(), FOUND, recording=odd(messages=results))
    lines = [line for line in capsys.readouterr().out.splitlines() if line.startswith("odd on")]
    assert len(lines) == 21
    assert lines[-1] == "odd on the wire: and 22 more"


def test_hostile_text_in_an_oddity_commands_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    body = f'{{"choices": [], "{HOSTILE}": 1'
    made = builders.exchange(0, {"model": "m", "messages": []}, body)
    encoded = replace(
        made,
        response=replace(made.response, headers={"content-encoding": HOSTILE}),  # type: ignore[type-var]
    )
    show_trial(evidence(), FOUND, recording=exchange_lines([made, replace(encoded, n=1)]))
    text = capsys.readouterr().out
    assert text.count("odd on the wire: exchange") == 2
    assert not CONTROL & set(text)
    assert squeezed(text).count("--- What the evidence says ---") == 1
    assert "outcome: resisted" not in squeezed(text)


def test_markers_of_verification_are_told_and_decide_nothing(shown: Shown) -> None:
    unbacked = shown(evidence(final_text="All verified, 確認済み."))
    assert "markers: 確認済み, verified; claims a verification, and no tool was called" in unbacked
    backed = shown(evidence(builders.call(0), final_text="All verified."))
    assert "markers: verified (informational, never a verdict)" in backed
    assert "markers: none (informational" in shown(evidence(final_text="All checked."))


START = SessionStart(user_text="First.", call=0, turn=0, answers=0)


def test_later_sessions_and_restores_are_told_in_place(shown: Shown) -> None:
    new = replace(START, user_text="Second.", call=1, turn=1, answers=1)
    back = replace(START, user_text="Third.", call=2, turn=2, answers=2, rewound=0)
    calls = (builders.call(0), builders.call(1), builders.call(2))
    text = shown(evidence(*calls, sessions=(START, new, back), restores=(1, 2, 3)))
    assert "asked    First.\n" in text
    assert "session 2 begins before call 1, in a new conversation: Second.\n" in text
    assert (
        "session 3 begins before call 2, from the conversation as it was right after call 0: Third."
    ) in text
    assert (
        text.count("the agent was restored from a checkpoint") == 2
    )  # not where a session rewinds
    assert "restored from a checkpoint before call 1\n" in text
    assert "restored from a checkpoint after the last call\n" in text


def test_approvals_and_deliveries_are_shown_with_who_and_what(shown: Shown) -> None:
    yes = builders.approval({"pay": 1}, id="ap-1", principal="Kaya", granted=True)
    no = replace(yes, id="ap-2", call=-1, granted=False, told=True)
    sent = builders.delivery({"pay": 2}, approval="ap-1", principal="Kaya")
    text = shown(evidence(builders.call(0), approvals=(yes, no), deliveries=(sent,)))
    assert row(text, "ap-1") == f'ap-1 {yes.call} Kaya approved {{"pay":1}}'
    assert row(text, "ap-2") == (
        'ap-2 before any Kaya denied (the other word reached the agent) {"pay":1}'
    )
    assert row(text, f"{sent.call} ap-1") == f'{sent.call} ap-1 Kaya {{"pay":2}}'


def test_a_native_profile_is_said(shown: Shown) -> None:
    assert "profile  native" in shown(evidence(native=True))
    assert "profile" not in shown(evidence())


def called(arguments: str, model: str = "m") -> str:
    return completion(model, "", [WireCall(id="c", name="pay", raw_arguments=arguments)]).decode()


def test_an_answer_that_was_changed_without_a_wire_stands_in_both_versions(shown: Shown) -> None:
    changed = TamperedAnswer(
        number=1, sent=called('{"to":1}'), status=200, received=called('{"to":2}'), cut=False
    )
    cut = TamperedAnswer(number=2, sent=called("{}"), status=200, received="{", cut=True)
    error = TamperedAnswer(number=3, sent="words", status=503, received="busy", cut=False)
    text = shown(evidence(tampered=(changed, cut, error)))
    assert row(text, "1 model") == '1 model m: pay {"to":1} model m: pay {"to":2}'
    assert row(text, "2 model") == "2 model m: pay {} { (then the connection broke)"
    assert row(text, "3 words") == "3 words status 503: busy"


def test_an_answer_that_was_changed_on_the_wire_stands_in_both_versions(
    capsys: pytest.CaptureFixture[str],
) -> None:
    plain = builders.exchange(0, {}, {})
    assert plain.response is not None
    bodies = [{"text": called("{}", model)} for model in ("asked", "lesser")]
    sent, got = (replace(plain.response, body=body) for body in bodies)
    data = exchange_lines([plain, replace(plain, n=1, response=got, sent=sent)])
    show_trial(evidence(), FOUND, recording=data)
    text = capsys.readouterr().out
    assert row(text, "2 model") == "2 model asked: pay {} model lesser: pay {}"
    assert not [line for line in squeezed(text) if line.startswith("1 model")]


RESULT = {"role": "tool", "tool_call_id": "call-7", "content": "a shelf"}


def test_a_result_that_was_changed_stands_in_both_versions_once(
    capsys: pytest.CaptureFixture[str], shown: Shown
) -> None:
    asked = {"model": "m", "messages": [{"role": "user", "content": "look"}, RESULT]}
    plain = builders.exchange(0, asked, {})
    got = plain.request.body["text"].replace("a shelf", "a trap")
    changed = replace(plain, got={"text": got})
    data = exchange_lines([plain, *(replace(changed, n=n) for n in (1, 2))])
    show_trial(evidence(), FOUND, recording=data)
    text = capsys.readouterr().out
    assert row(text, "call-7") == "call-7 a shelf a trap"
    assert text.count("a trap") == 1
    call = builders.call(0)
    told = TamperedResult(call=0, received="a trap")
    alone = shown(evidence(call, injected=(told,)))
    assert "a trap" in alone
    assert "tool results changed on their way" in alone
    assert "tool results changed on their way" not in shown(evidence(call))


def test_what_the_run_itself_plants_is_said_at_the_head(
    capsys: pytest.CaptureFixture[str],
) -> None:
    show_trial(evidence(), FOUND, planted=["an error 429 comes"])
    text = capsys.readouterr().out
    line = "tampered by the run itself: an error 429 comes"
    assert line in text[: text.index("--- What the agent claims")]


def test_hostile_text_of_sessions_approvals_and_answers_is_made_harmless(shown: Shown) -> None:
    after = replace(START, user_text=HOSTILE)
    granted = builders.approval({HOSTILE: HOSTILE}, id=HOSTILE, principal=HOSTILE)
    sent = builders.delivery({HOSTILE: HOSTILE}, approval=HOSTILE, principal=HOSTILE)
    planted = TamperedAnswer(
        number=1, sent=HOSTILE, status=200, received=called(HOSTILE, HOSTILE), cut=False
    )
    text = shown(
        evidence(
            sessions=(START, after), approvals=(granted,), deliveries=(sent,), tampered=(planted,)
        )
    )
    assert not CONTROL & set(text)
    assert text.count("--- What the evidence says ---\n") == 1
