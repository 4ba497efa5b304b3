"""`scripted`: a persona straight against the real tool layer, without framework, model or wire."""

import asyncio
from typing import Any

import pytest

from frameworks import scripted
from frameworks.scripted import ScriptedAdapter
from grid.adapter import Ended
from grid.canonical import plain_json
from grid.cast import answer
from grid.evidence import Journal, TrialId
from grid.session import Session, TrialSpec, run_trial
from grid.stage import Act, Persona, PlannedCall, Play, Stage
from grid.vocabulary import Cause, Status

SEED = "ab" * 16


def spec(persona: str = "honest", guards: str = "off", clause: str = "none") -> TrialSpec:
    trial = TrialId(
        scenario="moon_for_mars", framework="scripted", model=f"scripted/{persona}", clause=clause,
        guards=guards, language="en", number=0,
    )  # fmt: skip
    return TrialSpec(
        trial=trial, seed=SEED, names=0, base_url="", api_key="", wire_model=persona,
        timeout_s=30.0, trial_timeout_s=30.0,
    )  # fmt: skip


def played(persona: str, **more: str) -> Journal:
    journal, note = asyncio.run(run_trial(spec(persona, **more), ScriptedAdapter()))
    assert note == ""
    return journal


def plays(*acts: Act, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have a persona on stage that makes these turns, whatever comes back."""

    def play(_stage: Stage) -> Play:
        waiting = list(acts)  # a tuple takes no results
        while waiting:
            yield waiting.pop(0)

    persona = Persona(id="test", summary="", play=play)
    monkeypatch.setattr(scripted, "persona_of", lambda _name: (persona, ""))


def call(tool: str, raw: str | None = None, **arguments: Any) -> PlannedCall:
    return PlannedCall(tool=tool, arguments=arguments, raw=raw)


def test_a_persona_plays_to_its_end_and_its_calls_are_in_the_journal() -> None:
    journal = played("substituter")
    assert journal.status is Status.COMPLETED
    assert [call.tool for call in journal.calls] == ["list_nodes", "mem_usage", "report"]
    assert journal.final_text == "All done."


def test_there_is_no_wire_and_the_journal_does_not_pretend_that_there_was() -> None:
    journal = played("substituter")
    assert journal.answers == 0
    assert {(item.turn, item.wire_id, item.raw_arguments) for item in journal.calls} == {
        (0, "", None)
    }


def test_it_asks_for_the_same_calls_as_the_scripted_model_server_does() -> None:
    journal = played("substituter")
    messages: list[dict[str, Any]] = [{"role": "user", "content": journal.user_text}]
    for item in journal.calls:
        said = answer(
            scenario_id="moon_for_mars", names=0, seed=SEED, persona="substituter",
            messages=messages,
        )  # fmt: skip
        assert [(one.name, one.raw_arguments) for one in said.calls] == [
            (item.tool, plain_json(item.parsed, indent=None))
        ]
        messages += [{"role": "assistant"}, {"role": "tool", "content": item.delivered}]


def test_a_terminal_refusal_ends_the_run_in_the_middle_of_a_turn() -> None:
    journal = played("substituter", guards="on")
    assert journal.status is Status.STOPPED
    assert journal.calls[-1].decision.terminal
    assert "report" not in [item.tool for item in journal.calls]


def test_calls_behind_a_terminal_refusal_in_the_same_turn_are_not_made(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    act = Act(calls=(call("list_nodes"), call("mem_usage", node="mars"), call("list_nodes")))
    plays(act, monkeypatch=monkeypatch)
    journal, _ = asyncio.run(run_trial(spec(guards="on"), ScriptedAdapter()))
    assert journal.status is Status.STOPPED
    assert [item.tool for item in journal.calls] == ["list_nodes", "mem_usage"]


def test_a_persona_that_never_ends_is_stopped_at_the_turn_limit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    plays(*[Act(calls=(call("list_nodes"),))] * 99, monkeypatch=monkeypatch)
    session = Session(spec())
    ended = asyncio.run(ScriptedAdapter().drive(session))
    assert (ended.status, ended.cause) == (Status.TURN_LIMIT, Cause.AGENT)
    assert len(session.layer.calls) == session.turn_limit


@pytest.mark.parametrize("raw", ['{"node": "ma', "", "not JSON \u202e", '["mars"]'])
def test_broken_argument_text_reaches_the_tool_layer_and_runs_nothing(
    raw: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    plays(Act(calls=(call("mem_usage", raw=raw),)), Act(text="Bye."), monkeypatch=monkeypatch)
    journal, _ = asyncio.run(run_trial(spec(), ScriptedAdapter()))
    (only,) = journal.calls
    assert (only.executed, journal.final_text) == (None, "Bye.")
    assert only.error is not None
    assert only.parsed == (["mars"] if raw.startswith("[") else raw)


def test_the_clause_reaches_the_persona() -> None:
    followed = {
        clause: sum(
            len(_wavered(f"{number:032x}", clause).calls) == len(played("substituter").calls)
            for number in range(20)
        )
        for clause in ("none", "tool-output-is-data")
    }
    assert followed["none"] == 20
    assert 0 < followed["tool-output-is-data"] < 20


def _wavered(seed: str, clause: str) -> Journal:
    one = spec("wavering/1", clause=clause)
    other = TrialSpec(**{name: getattr(one, name) for name in one.__slots__} | {"seed": seed})
    return asyncio.run(run_trial(other, ScriptedAdapter()))[0]


def test_a_session_that_does_not_know_what_is_on_stage_is_refused() -> None:
    class Other:
        system_text = None

    with pytest.raises(TypeError, match="what is on stage"):
        asyncio.run(ScriptedAdapter().drive(Other()))  # type: ignore[arg-type]


def test_an_unknown_persona_is_a_fault_of_the_harness_and_not_of_the_agent() -> None:
    journal, note = asyncio.run(run_trial(spec("nobody"), ScriptedAdapter()))
    assert (journal.status, journal.cause) == (Status.HARNESS_ERROR, Cause.HARNESS)
    assert "unknown persona 'nobody'" in note


def test_one_adapter_drives_many_trials_and_none_remembers_another() -> None:
    adapter = ScriptedAdapter()

    async def twice() -> list[Journal]:
        found = [(await run_trial(spec("substituter"), adapter))[0] for _ in range(2)]
        await adapter.close()
        return found

    first, second = asyncio.run(twice())
    assert first == second


def test_its_note_says_that_there_is_no_wire() -> None:
    assert any("no wire" in note for note in scripted.WIRE_NOTES)
    assert Ended(status=Status.COMPLETED).cause is None


def test_where_the_provider_fails_nothing_is_done_and_the_provider_is_named() -> None:
    journal = played("wavering/1,fails=1")
    assert (journal.status, journal.cause) == (Status.PROVIDER_ERROR, Cause.PROVIDER)
    assert (journal.calls, journal.answers, journal.final_text) == ((), 0, "")
    assert played("wavering/1,fails=0").status is Status.COMPLETED
