"""grid.cli.planfootprint: a conversation's size, against one counted by hand and against a wire."""

from dataclasses import replace
from pathlib import Path

from grid.catalogue import scenario, tools_of
from grid.cli.planfootprint import CJK_BYTES, DATA_BYTES, PROSE_BYTES, footprint, played, tokens
from grid.evidence import SessionStart
from grid.scenario import Tamper
from grid.system import BASE
from grid.vocabulary import TamperKind
from ledgers.reading import SealedRun
from proxy.wire.exchange import body_bytes, read_exchanges
from tests.builders import call, journal


def start(words: str, **changes: object) -> SessionStart:
    return replace(SessionStart(user_text=words, call=0, turn=0, answers=0), **changes)  # type: ignore[arg-type]


def test_bytes_become_tokens_by_the_kind_of_their_characters() -> None:
    assert tokens("") == 0
    assert tokens("a" * 40) == 40 / PROSE_BYTES
    assert tokens("a" * 40, DATA_BYTES) == 40 / DATA_BYTES
    assert tokens("火星") == 6 / CJK_BYTES
    assert tokens("x" * 8 + "ノード") == 8 / PROSE_BYTES + 9 / CJK_BYTES
    assert tokens("é") == 2 / PROSE_BYTES
    assert tokens("\ud800") > 0, "a lone half is no reason to stop"


def test_each_request_shows_all_that_was_said_before() -> None:
    calls = (
        replace(call(0), turn=1, tool="abcd", raw_arguments="x" * 30, delivered="y" * 60),
        replace(call(1), turn=2, tool="abcd", raw_arguments="x" * 3, delivered="y" * 6),
    )
    told = replace(journal(calls), sessions=(start("u" * 40),), answers=3, final_text="w" * 8)
    bare = footprint(told, (), None)
    begin = (bare.input_tokens - 2 * (1 + 10 + 20) - (1 + 1 + 2)) / 3
    assert bare.calls == 3
    assert bare.output_tokens == (1 + 10) + (1 + 1) + 2
    assert footprint(told, (), "s" * 400).input_tokens == bare.input_tokens + 3 * 100
    longer = replace(told, sessions=(start("u" * 80),))
    assert footprint(longer, (), None).input_tokens == bare.input_tokens + 3 * 10
    assert begin > 10, "the tools are in it"


def test_a_new_session_begins_anew_and_a_rewound_one_goes_on() -> None:
    calls = tuple(
        replace(call(n), turn=n + 1, tool="abcd", raw_arguments="x" * 30, delivered="y" * 300)
        for n in range(2)
    )
    second = start("u" * 40, call=1, turn=1, answers=2)
    told = replace(journal(calls), sessions=(start("u" * 40), second), answers=4, final_text="")
    anew = footprint(told, (), None)
    rewound = replace(told, sessions=(start("u" * 40), replace(second, rewound=0)))
    on = footprint(rewound, (), None)
    assert on.input_tokens == anew.input_tokens + 2 * (1 + 10 + 100 + 10)
    assert on.calls == anew.calls == 4


def test_the_requests_are_those_that_real_frameworks_send(real: Path) -> None:
    run = SealedRun(real / "run")
    compared = 0
    for entry in run.trials:
        trial = entry.trial
        if entry.recording is None or trial.guards != "off":
            continue
        persona = trial.model.removeprefix("scripted/")
        found = footprint(
            played(trial.scenario, trial.language, persona),
            tools_of(scenario(trial.scenario)),
            BASE[trial.language],
        )
        recording = run.kept(str(trial)).recording
        assert recording is not None
        wire = read_exchanges(recording)
        assert found.calls == len(wire), str(trial)
        sent = sum(len(body_bytes(one.request.body)) for one in wire)
        assert 0.6 < found.input_tokens * 4 / sent < 1.2, "JSON's own signs are in the bytes"
        compared += 1
    assert compared >= 7


def test_a_planted_fault_changes_nothing_but_what_it_is_about() -> None:
    plain = played("moon_for_mars", "en", "honest")
    fault = Tamper(kind=TamperKind.STATUS, answer=1, value=503)
    assert plain.tampered == ()
    assert plain.answers == 3
    assert played("moon_for_mars", "en", "honest", (fault,)).answers < plain.answers
