from dataclasses import replace
from pathlib import Path

from grid.cli.spool import recordings, spool
from proxy.wire.exchange import read_exchanges
from tests.ledgers.runs import TRIALS

WIRED = [str(trial) for trial in TRIALS if trial.framework != "scripted"]


def test_the_recordings_of_wired_trials_are_read_and_no_others(sealed: Path) -> None:
    kept = recordings(sealed, TRIALS)
    assert [*kept] == WIRED
    assert all(read_exchanges(data) for data in kept.values())
    assert [*recordings(sealed, TRIALS[2:3])] == WIRED[:1]


def test_a_strict_replay_hands_out_a_trials_own_recording(sealed: Path, tmp_path: Path) -> None:
    kept = recordings(sealed, TRIALS)
    hand_out = spool(tmp_path, kept)
    told = hand_out(TRIALS[2])
    assert (told.crossed, told.volatile) == (False, ())
    assert told.file.parent == tmp_path
    assert told.file.read_bytes() == kept[str(TRIALS[2])]
    assert hand_out(TRIALS[3]).file != told.file


def test_a_crossed_one_hands_out_that_of_its_source(sealed: Path, tmp_path: Path) -> None:
    kept = recordings(sealed, TRIALS)
    hand_out = spool(tmp_path, kept, lambda trial: replace(trial, framework="strands"))
    told = [hand_out(replace(TRIALS[2], framework=name)) for name in ("crewai", "langgraph")]
    assert [item.crossed for item in told] == [True, True]
    assert told[0].file != told[1].file, "two trials that are open at once share no file"
    assert {item.file.read_bytes() for item in told} == {kept[str(TRIALS[2])]}


def test_a_trial_without_a_recording_gets_an_empty_one(tmp_path: Path) -> None:
    assert spool(tmp_path, {})(TRIALS[2]).file.read_bytes() == b""
