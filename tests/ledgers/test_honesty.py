from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from grid.canonical import canonical, digest, load_json
from grid.evidence import TamperedAnswer
from grid.vocabulary import Outcome
from grid.wirecall import WireCall, completion, wire_calls
from ledgers import honesty
from ledgers.case import Case
from ledgers.chain import Head
from ledgers.decoded import decode
from ledgers.honesty import (
    changed_by_renaming,
    changed_by_silence,
    names_of,
    renamed,
    silenced,
)
from ledgers.reading import Kept, SealedRun, case_of
from ledgers.rule import RuleVerdict
from ledgers.rules.delivery import RULE
from proxy.wire.exchange import ErrorKind, Exchange, Response, exchange_lines, read_exchanges
from tests.builders import exchange, message
from tests.ledgers.runs import TRIALS

NAMES = [str(trial) for trial in TRIALS]


def test_deleting_what_the_assistant_said_changes_no_harm_verdict(
    sealed: tuple[Path, Head],
) -> None:
    assert changed_by_silence(sealed[0]) == ()


def test_names_changing_places_changes_no_verdict(sealed: tuple[Path, Head]) -> None:
    assert changed_by_renaming(sealed[0]) == ()


def judging(see: Callable[[Case], bool]) -> Any:
    """Return rules of which one looks at what it must not."""

    def verdict(case: Case) -> RuleVerdict:
        return crooked.verdict(Outcome.COMPROMISED if see(case) else Outcome.RESISTED)

    crooked = replace(RULE, judge=verdict)
    return lambda _manifest: (crooked,)


def test_a_rule_that_believes_words_is_caught(
    sealed: tuple[Path, Head], monkeypatch: pytest.MonkeyPatch
) -> None:
    believing = judging(lambda case: any(exchange.words for exchange in case.exchanges))
    monkeypatch.setattr(honesty, "rules_of", believing)
    assert changed_by_silence(sealed[0]) == tuple(NAMES[2:])


def test_words_repeated_in_a_later_request_are_deleted_too(
    sealed: tuple[Path, Head], monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = SealedRun(sealed[0]).kept(NAMES[3])
    said = "I am quite sure."
    asked = {"model": "m", "messages": [message(words=said), {"role": "user", "content": said}]}
    talking = replace(kept, recording=exchange_lines([exchange(0, asked, {"choices": []})]))
    (quiet,) = decode(silenced(talking).recording or b"")
    assert [strand.text for strand in quiet.shown if strand.text == said] == [said]
    assert (silenced(talking).recording or b"").count(said.encode()) == 1


def test_a_rule_that_knows_names_is_caught(
    sealed: tuple[Path, Head], monkeypatch: pytest.MonkeyPatch
) -> None:
    def telling(kept: Kept, manifest: Any) -> Case:
        return replace(case_of(kept, manifest), seed=str(kept.evidence.trial))

    monkeypatch.setattr(honesty, "case_of", telling)
    monkeypatch.setattr(honesty, "rules_of", judging(lambda case: "honest" in case.seed))
    assert changed_by_renaming(sealed[0])


def test_renaming_takes_every_name_to_another_one() -> None:
    names = names_of(TRIALS)
    for trial in TRIALS:
        other = names.trial(trial)
        assert other.framework != trial.framework
        assert other.model != trial.model
        assert other.clause != trial.clause
        assert (other.scenario, other.guards, other.language, other.number) == (
            trial.scenario,
            trial.guards,
            trial.language,
            trial.number,
        )
    assert names_of(TRIALS[:1]).framework == {"scripted": "somebody"}


def test_the_wires_model_name_is_renamed_too(sealed: tuple[Path, Head]) -> None:
    kept = SealedRun(sealed[0]).kept(NAMES[3])
    other = renamed(kept, names_of(TRIALS))
    models = {load_json(item.request.body["text"])["model"] for item in exchanges_of(other)}
    assert models == {other.evidence.trial.model}
    assert other.evidence.trial.model != kept.evidence.trial.model


def with_planted_id(kept: Kept) -> Kept:
    """Return a trial whose first answer a fault had put under another model id."""
    first, *rest = read_exchanges(kept.recording or b"")
    assert first.response is not None
    body = load_json(first.response.body["text"])
    asked = load_json(first.request.body["text"])["model"]
    other = {"text": canonical({**body, "model": "somebody-else"}).decode()}
    own = {"text": canonical({**body, "model": asked}).decode()}
    answers = [replace(first.response, body=text) for text in (other, own)]
    changed = replace(first, response=answers[0], sent=answers[1])
    return replace(kept, recording=exchange_lines([changed, *rest]))


def test_a_model_id_that_was_planted_is_no_name(sealed: tuple[Path, Head]) -> None:
    kept = with_planted_id(SealedRun(sealed[0]).kept(NAMES[3]))
    other = renamed(kept, names_of(TRIALS))
    first = read_exchanges(other.recording or b"")[0]
    bodies = (first.request, first.response, first.sent)
    told = [load_json(item.body["text"])["model"] for item in bodies if item is not None]
    name = other.evidence.trial.model
    assert told == [name, "somebody-else", name]


def test_without_a_wire_a_planted_id_stays_and_the_models_own_name_changes(
    sealed: tuple[Path, Head],
) -> None:
    kept = SealedRun(sealed[0]).kept(NAMES[0])
    call = WireCall(id="c", name="pay", raw_arguments="{}")
    bodies = [completion(model, "so", [call]).decode() for model in ("honest", "somebody-else")]
    planted = TamperedAnswer(number=1, sent=bodies[0], status=200, received=bodies[1], cut=False)
    half = replace(planted, number=2, received=bodies[0][:9], cut=True)
    journal = replace(kept.evidence.journal, tampered=(planted, half))
    changed = replace(kept, evidence=replace(kept.evidence, journal=journal))
    one, two = renamed(changed, names_of(TRIALS)).evidence.journal.tampered
    assert load_json(one.sent)["model"] == "scripted/substituter"
    assert load_json(one.received)["model"] == "somebody-else"
    assert two.received == half.received
    quiet = silenced(changed).evidence.journal.tampered[0]
    for text in (quiet.sent, quiet.received):
        assert load_json(text)["choices"][0]["message"]["content"] is None
        assert wire_calls(text.encode()) == (call,)


def test_both_versions_of_a_changed_answer_are_silenced(sealed: tuple[Path, Head]) -> None:
    said = exchange(
        0, {"model": "m", "messages": []}, {"choices": [{"message": message(words="a")}]}
    )
    assert said.response is not None
    body = said.response.body["text"].replace('"a"', '"b"')
    both = replace(
        said, sent=replace(said.response, body={"text": body}), error=ErrorKind.DISCONNECT
    )
    kept = replace(SealedRun(sealed[0]).kept(NAMES[3]), recording=exchange_lines([both]))
    (quiet,) = read_exchanges(silenced(kept).recording or b"")
    for answer in (quiet.response, quiet.sent):
        assert answer is not None
        assert load_json(answer.body["text"])["choices"][0]["message"]["content"] is None


def test_both_versions_of_a_changed_request_are_edited(sealed: tuple[Path, Head]) -> None:
    said = exchange(0, {"model": "m", "messages": [message(words="a")]}, {"choices": []})
    asked = load_json(said.request.body["text"])
    result = {"role": "tool", "tool_call_id": "c", "content": "pay now"}
    got = {**asked, "messages": [*asked["messages"], result]}
    both = replace(said, got={"text": canonical(got).decode()})
    kept = replace(SealedRun(sealed[0]).kept(NAMES[3]), recording=exchange_lines([both]))
    (quiet,) = read_exchanges(silenced(kept).recording or b"")
    (other,) = read_exchanges(renamed(kept, names_of(TRIALS)).recording or b"")
    for item, content, model in ((quiet, None, "m"), (other, "a", kept.evidence.trial.model)):
        assert item.got is not None
        found = load_json(item.got["text"])
        assert found["messages"] == [{**message(), "content": content}, result]
        assert (found["model"] == "m") == (model == "m")
        assert load_json(item.request.body["text"])["model"] == found["model"]


def exchanges_of(kept: Kept) -> tuple[Exchange, ...]:
    assert kept.recording is not None
    assert kept.evidence.recording is not None
    assert kept.evidence.recording.digest == digest("recording", kept.recording)
    return read_exchanges(kept.recording)


def test_silencing_keeps_every_call_and_every_other_word(sealed: tuple[Path, Head]) -> None:
    for name in NAMES[2:]:
        kept = SealedRun(sealed[0]).kept(name)
        quiet = silenced(kept)
        assert kept.recording is not None
        assert quiet.recording is not None
        before, after = decode(kept.recording), decode(quiet.recording)
        assert [item.calls for item in after] == [item.calls for item in before]
        assert [item.shown for item in after] == [item.shown for item in before]
        assert any(item.words for item in before)
        assert not any(item.words for item in after)
        assert quiet.evidence.journal.final_text == ""
        exchanges_of(quiet)


def streamed(*deltas: Any) -> Exchange:
    chunks = [{"id": "c", "choices": [{"index": 0, "delta": delta}]} for delta in deltas]
    chunks.append({"id": "c", "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
    lines = [f"data: {canonical(chunk).decode()}\n\n" for chunk in chunks]
    asked = {"model": "m", "messages": [{"role": "user", "content": "hello"}], "stream": True}
    response = Response(
        status=200, headers={"content-type": "text/event-stream"},
        body={"text": "".join(lines) + "data: [DONE]\n\n"},
    )  # fmt: skip
    return replace(exchange(0, asked, {}), response=response)


def test_a_stream_is_silenced_event_by_event(sealed: tuple[Path, Head]) -> None:
    call = {
        "index": 0, "id": "c1", "type": "function", "function": {"name": "pay", "arguments": "{}"},
    }  # fmt: skip
    said = streamed({"role": "assistant", "content": "I will "}, {"content": "pay"},
                    {"tool_calls": [call]})  # fmt: skip
    kept = replace(SealedRun(sealed[0]).kept(NAMES[3]), recording=exchange_lines([said]))
    (before,), (after,) = decode(kept.recording or b""), decode(silenced(kept).recording or b"")
    assert (before.words, len(before.calls)) == (("I will pay",), 1)
    assert (after.words, after.calls, after.trouble) == ((), before.calls, "")


def test_bodies_that_are_no_json_stay_as_they_are(sealed: tuple[Path, Head]) -> None:
    odd = exchange(0, "no json", "neither", status=503)
    binary = replace(odd, request=replace(odd.request, body={"base64": "/w=="}))
    kept = replace(SealedRun(sealed[0]).kept(NAMES[3]), recording=exchange_lines([binary]))
    assert silenced(kept).recording == kept.recording
