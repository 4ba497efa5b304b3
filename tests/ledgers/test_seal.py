import hashlib
import shutil
from pathlib import Path
from typing import Any

import pytest

from grid.canonical import load_json
from grid.errors import HarnessError
from grid.vocabulary import Outcome
from ledgers import seal as module
from ledgers.chain import Head, read_head
from ledgers.manifest import build_manifest
from ledgers.reading import SealedRun
from ledgers.seal import seal, sums
from ledgers.store import (
    ENVIRONMENT,
    FILES,
    HEAD,
    LEDGER,
    PARTIAL,
    SUMMED,
    SUMS,
    TIMINGS,
    RunDirectory,
    is_sealed,
    read_timings,
)
from ledgers.verify import verify
from tests.builders import exchanges, recorder_frames
from tests.ledgers import runs
from tests.ledgers.runs import ENVIRONMENT as VERSIONS
from tests.ledgers.runs import TRIALS, finished, make_run, plan


def test_the_head_is_that_of_the_ledger(sealed: tuple[Path, Head]) -> None:
    folder, head = sealed
    assert read_head((folder / HEAD).read_bytes()) == head
    assert head.count == len(TRIALS) + 2


def test_the_order_in_which_trials_finish_plays_no_part(
    sealed: tuple[Path, Head], tmp_path: Path
) -> None:
    head = make_run(tmp_path / "run", order=tuple(reversed(TRIALS)))
    assert head == sealed[1]
    same = (LEDGER, HEAD, TIMINGS)
    assert all(
        (tmp_path / "run" / name).read_bytes() == (sealed[0] / name).read_bytes() for name in same
    )


def test_sums_are_those_of_sha256sum(sealed: tuple[Path, Head]) -> None:
    lines = (sealed[0] / SUMS).read_text().splitlines()
    assert [line.split("  ")[1] for line in lines] == list(SUMMED)
    assert not {HEAD, SUMS, TIMINGS} & set(SUMMED)
    for line in lines:
        digest, name = line.split("  ")
        assert hashlib.sha256((sealed[0] / name).read_bytes()).hexdigest() == digest
    assert sums(sealed[0]) == (sealed[0] / SUMS).read_bytes()


def test_a_run_with_a_trial_missing_is_not_sealed(tmp_path: Path) -> None:
    manifest = build_manifest(plan())
    with RunDirectory.create(tmp_path / "run", manifest) as run:
        run.keep(finished(TRIALS[0], manifest), {})
        with pytest.raises(HarnessError, match="5 trials are missing, the first of them moon_for"):
            seal(run, {})


def test_sealing_killed_anywhere_is_done_again_with_the_same_head(
    sealed: tuple[Path, Head], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    manifest = build_manifest(plan())
    with RunDirectory.create(tmp_path / "run", manifest) as run:
        for trial in TRIALS:
            run.keep(finished(trial, manifest), {"wall_ms": 12, "note": ""})

    class Killed(BaseException):
        pass

    steps: list[Any] = [module.write_file, module.remove_partial, shutil.rmtree]
    for stop in range(6):
        done = iter(range(stop))

        def or_die(real: Any, countdown: Any = done) -> Any:
            def step(*arguments: Any) -> None:
                if next(countdown, None) is None:
                    raise Killed
                real(*arguments)

            return step

        with monkeypatch.context() as patched:
            patched.setattr(module, "write_file", or_die(steps[0]))
            patched.setattr(module, "remove_partial", or_die(steps[1]))
            with (
                RunDirectory.resume(tmp_path / "run", manifest) as run,
                pytest.raises(Killed),
            ):
                seal(run, VERSIONS)
        assert not is_sealed(tmp_path / "run")
    (tmp_path / "run" / PARTIAL / TIMINGS).unlink()  # as a removal cut half way leaves it
    with RunDirectory.resume(tmp_path / "run", manifest) as run:
        assert seal(run, VERSIONS) == sealed[1]
    assert verify(tmp_path / "run", sealed[1].head).pinned
    for name in FILES:
        assert (tmp_path / "run" / name).read_bytes() == (sealed[0] / name).read_bytes(), name


def test_the_environment_is_outside_the_head(sealed: tuple[Path, Head], tmp_path: Path) -> None:
    manifest = build_manifest(plan())
    with RunDirectory.create(tmp_path / "run", manifest) as run:
        for trial in TRIALS:
            run.keep(finished(trial, manifest), {"wall_ms": 99, "note": "slow"})
        assert seal(run, {"host": "another machine"}) == sealed[1]
    assert load_json((tmp_path / "run" / ENVIRONMENT).read_bytes()) == {"host": "another machine"}
    timings = read_timings((tmp_path / "run" / TIMINGS).read_bytes())
    assert list(timings) == [str(trial) for trial in TRIALS]
    assert timings[str(TRIALS[0])] == {"wall_ms": 99, "note": "slow"}


def test_a_full_disk_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    manifest = build_manifest(plan(TRIALS[:1]))

    def full(*_arguments: Any) -> None:
        raise OSError(28, "No space left on device")

    with RunDirectory.create(tmp_path / "run", manifest) as run:
        run.keep(finished(TRIALS[0], manifest), {})
        monkeypatch.setattr(module, "write_file", full)
        with pytest.raises(HarnessError, match=r"No space left on device.*--resume"):
            seal(run, {})


@pytest.mark.parametrize("hole", ["a damaged answer", "an unanswered request"])
def test_a_hole_in_a_recording_makes_one_trial_invalid_and_the_run_is_sealed(
    tmp_path: Path, hole: str
) -> None:
    """C61, C63: what stands before and behind the hole is used, and the run goes on."""
    wired = runs.trial("moon_for_mars", "strands", "substituter", guards="on-continue")
    played = runs.played(wired)
    wire = exchanges(runs.on_wire(played.calls), words=played.final_text)
    frames = recorder_frames(wire, None if hole == "a damaged answer" else "in_flight")
    if hole == "a damaged answer":
        frames[2] = frames[2][:-9] + bytes(8) + b"\n"
    else:
        del frames[2]
    plain = runs.trial("moon_for_mars", "scripted", "honest")
    runs.make_run(tmp_path / "run", (plain, wired), raw=b"".join(frames))
    outcomes = [entry.outcome for entry in SealedRun(tmp_path / "run").trials]
    assert outcomes == [Outcome.RESISTED, Outcome.INVALID]
    assert verify(tmp_path / "run").trials == 2
