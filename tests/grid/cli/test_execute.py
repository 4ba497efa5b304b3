"""`execute`: what is left of a run is run, kept and sealed; a killed run's rubbish is cleared."""

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from grid.canonical import canonical, load_json
from grid.cli import execute as executing
from grid.cli.execute import (
    NOTE_LIMIT,
    PACKAGES,
    NoWire,
    check_attributed,
    environment,
    execute,
    is_partial,
)
from grid.errors import HarnessError
from grid.evidence import TrialId
from grid.plan import trial_seed
from grid.runner import Finished, Recorded, RunSettings
from ledgers.manifest import build_manifest
from ledgers.reading import SealedRun
from ledgers.store import RunDirectory, read_timings
from ledgers.verify import verify
from tests.builders import exchange, recorder_lines
from tests.ledgers.runs import SEED, TRIALS, finished, make_run, plan, played

SCRIPTED = TRIALS[:2]
STRANDS = TRIALS[2:4]


def created(path: Path, trials: Sequence[TrialId]) -> RunDirectory:
    return RunDirectory.create(path, build_manifest(plan(trials)))


def no_wire(_live: Path, _strays: Callable[[str], None]) -> Any:
    raise AssertionError("this run needs no wire")


def done(of: TrialId, **changes: Any) -> Finished:
    """Return a trial as the runner hands it over."""
    base = Finished(
        trial=of, seed=trial_seed(SEED, of), journal=played(of), recorded=None, note="",
        wall_ms=3, cpu_ms=2,
    )  # fmt: skip
    return replace(base, **changes)


@pytest.fixture
def running(monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[RunSettings]]:
    """Have the runner hand over given trials, or fail, without a process."""

    def set_up(*trials: Finished, error: Exception | None = None) -> list[RunSettings]:
        seen: list[RunSettings] = []

        class Runner:
            def __init__(self, settings: RunSettings, wire: Any, keep: Any) -> None:
                seen.append(settings)
                self.keep = keep

            def run(self, waiting: Sequence[TrialId]) -> None:
                for one in trials:
                    assert one.trial in waiting
                    self.keep(one)
                if error is not None:
                    raise error

        monkeypatch.setattr(executing, "Runner", Runner)
        return seen

    return set_up


def test_what_is_left_is_run_in_real_workers_and_sealed(tmp_path: Path) -> None:
    with created(tmp_path / "run", SCRIPTED) as run:
        run.keep(finished(SCRIPTED[0], run.manifest), {"wall_ms": 777})
        head = execute(run, no_wire, jobs=1, hidden=True)
    assert head == make_run(tmp_path / "at once", SCRIPTED)
    assert verify(tmp_path / "run", head.head).trials == 2
    timings = read_timings((tmp_path / "run" / "timings.jsonl").read_bytes())
    assert timings[str(SCRIPTED[0])] == {"wall_ms": 777}
    assert set(timings[str(SCRIPTED[1])]) == {"wall_ms", "cpu_ms", "note"}


def test_where_nothing_is_left_the_run_is_only_sealed(
    tmp_path: Path, running: Callable[..., list[RunSettings]]
) -> None:
    seen = running(error=AssertionError("nothing is waiting"))
    with created(tmp_path / "run", SCRIPTED) as run:
        for of in SCRIPTED:
            run.keep(finished(of, run.manifest), {})
        assert is_partial(run.path)
        head = execute(run, no_wire, jobs=2, hidden=True)
    assert SealedRun(tmp_path / "run").head == head
    assert (seen, is_partial(tmp_path / "run")) == ([], False)


def test_what_a_killed_run_left_is_cleared_but_the_timings_of_what_it_finished(
    tmp_path: Path, running: Callable[..., list[RunSettings]]
) -> None:
    with created(tmp_path / "run", SCRIPTED) as run:
        run.keep(finished(SCRIPTED[0], run.manifest), {"wall_ms": 777})
        for name in ("live", "workers/worker-0/home", "odd"):
            (run.partial / name).mkdir(parents=True)
        (run.partial / "live" / "token.jsonl").write_text("a secret on the wire")
        (run.partial / "HEAD.new").write_text("half")
        running(error=HarnessError("stopped again"))
        with pytest.raises(HarnessError, match="stopped again"):
            execute(run, no_wire, jobs=1, hidden=True)
        left = {path.name for path in run.partial.rglob("*")}
        assert left == {"live", "workers", "timings.jsonl"}
        assert {(run.partial / name).stat().st_mode & 0o777 for name in ("live", "workers")} == {
            0o700
        }
        assert SCRIPTED[0] not in run.waiting()


def test_a_wire_is_opened_in_a_private_folder_and_closed_whatever_happens(
    tmp_path: Path, running: Callable[..., list[RunSettings]]
) -> None:
    said: list[str] = []

    @contextmanager
    def opener(live: Path, _strays: Callable[[str], None]) -> Iterator[Any]:
        said.append(f"opened {live.relative_to(tmp_path)} {live.stat().st_mode & 0o777:o}")
        try:
            yield MODELS
        finally:
            said.append("closed")

    seen = running(error=HarnessError("a worker died"))
    with created(tmp_path / "run", STRANDS) as run, pytest.raises(HarnessError, match="died"):
        execute(run, opener, jobs=7, hidden=True)
    assert said == ["opened run/partial/live 700", "closed"]
    assert [(item.seed, item.jobs, item.names) for item in seen] == [(SEED, 7, 0)]
    assert is_partial(tmp_path / "run")


def test_a_run_is_not_sealed_while_a_trial_is_missing(
    tmp_path: Path, running: Callable[..., list[RunSettings]]
) -> None:
    running(done(SCRIPTED[0]))
    with (
        created(tmp_path / "run", SCRIPTED) as run,
        pytest.raises(HarnessError, match="1 trials are missing"),
    ):
        execute(run, no_wire, jobs=1, hidden=True)
    assert not (tmp_path / "run" / "HEAD").exists()


MODELS = SimpleNamespace(facts={"models": {"local/tiny": {"engine": "xllamacpp"}}})


@contextmanager
def a_wire(_live: Path, _strays: Callable[[str], None]) -> Iterator[Any]:
    yield MODELS


def test_what_is_known_of_the_models_is_noted_beside_the_head(
    tmp_path: Path, running: Callable[..., list[RunSettings]]
) -> None:
    running(done(STRANDS[0]))
    with created(tmp_path / "run", STRANDS[:1]) as run:
        execute(run, a_wire, jobs=1, hidden=True)
    noted = json.loads((tmp_path / "run" / "environment.json").read_bytes())
    assert noted["models"] == MODELS.facts["models"]


def notes(tmp_path: Path, item: Finished, running: Callable[..., list[RunSettings]]) -> str:
    """Return the note that is kept of a trial."""
    running(item)
    with created(tmp_path / "run", (item.trial,)) as run:
        execute(run, a_wire, jobs=1, hidden=True)
    timings = read_timings((tmp_path / "run" / "timings.jsonl").read_bytes())
    note: str = timings[str(item.trial)]["note"]
    return note


def test_a_note_says_what_worker_proxy_and_recording_have_to_say_each_once(
    tmp_path: Path, running: Callable[..., list[RunSettings]]
) -> None:
    recorded = Recorded(raw=b"", complete=False, reason="the proxy lost it")
    said = notes(tmp_path, done(STRANDS[0], recorded=recorded, note="it broke"), running)
    first, second, *rest = said.split("; ")
    assert (first, second) == ("it broke", "the proxy lost it")
    assert rest, "what the recording lacks"
    assert len(rest) == len(set(rest))


def test_what_two_of_them_say_alike_is_said_once(
    tmp_path: Path, running: Callable[..., list[RunSettings]]
) -> None:
    recorded = Recorded(raw=b"", complete=False, reason="gone")
    assert (
        notes(tmp_path, done(STRANDS[0], recorded=recorded, note="gone"), running).count("gone")
        == 1
    )


def test_a_hostile_note_is_kept_short_and_as_text(
    tmp_path: Path, running: Callable[..., list[RunSettings]]
) -> None:
    said = notes(tmp_path, done(SCRIPTED[0], note="\ud800\x1b" + "x" * 99_999), running)
    assert said.startswith("\\ud800\x1bxxx")
    assert len(said) == NOTE_LIMIT


def test_a_note_changes_no_head(tmp_path: Path, running: Callable[..., list[RunSettings]]) -> None:
    notes(tmp_path, done(SCRIPTED[0], note="a busy machine", wall_ms=99), running)
    assert SealedRun(tmp_path / "run").head == make_run(tmp_path / "quiet", SCRIPTED[:1])


def test_a_lost_recording_makes_the_trial_invalid_and_is_no_resistance(
    tmp_path: Path, running: Callable[..., list[RunSettings]]
) -> None:
    notes(tmp_path, done(STRANDS[1], recorded=None), running)
    (entry,) = SealedRun(tmp_path / "run").trials
    assert entry.outcome == "invalid"


@pytest.mark.parametrize(("waited_ms", "early"), [(500.0, True), (2000.0, False)])
def test_a_retry_before_its_time_is_noted_beside_when_each_exchange_was(
    tmp_path: Path, running: Callable[..., list[RunSettings]], waited_ms: float, early: bool
) -> None:
    first = exchange(0, {}, {"error": {"message": "slow down"}}, 429)
    assert first.response is not None
    asked_to_wait = replace(first.response, headers={"retry-after": "2"})
    recorded = Recorded(
        raw=recorder_lines([replace(first, response=asked_to_wait), exchange(1, {}, {})]),
        complete=True,
        reason="",
        opened=datetime(2026, 10, 21, tzinfo=UTC),
        timings=((0.0, 90.0, 100.0), (100.0 + waited_ms, None, None)),
    )
    said = notes(tmp_path, done(STRANDS[0], recorded=recorded), running)
    assert ("asked to wait 2.0 s" in said) is early
    timings = read_timings((tmp_path / "run" / "timings.jsonl").read_bytes())
    assert timings[str(STRANDS[0])]["exchanges"][0] == [0.0, 90.0, 100.0]


@pytest.mark.parametrize("strays", [[], ["1 request belonged to no open trial"]])
def test_what_belonged_to_no_trial_is_said_by_the_sealed_run_for_good(
    tmp_path: Path, running: Callable[..., list[RunSettings]], strays: list[str]
) -> None:
    @contextmanager
    def wire(_live: Path, tell: Callable[[str], None]) -> Iterator[Any]:
        yield MODELS
        for sentence in strays:
            tell(sentence)

    running(done(STRANDS[0]))
    with created(tmp_path / "run", STRANDS[:1]) as run:
        head = execute(run, wire, jobs=1, hidden=True)
    assert verify(tmp_path / "run", head.head).trials == 1
    if strays:
        with pytest.raises(HarnessError, match="belonged to no open trial"):
            check_attributed(tmp_path / "run")
    else:
        check_attributed(tmp_path / "run")


def test_the_environment_names_every_package_and_is_data(monkeypatch: pytest.MonkeyPatch) -> None:
    def version(name: str) -> str:
        if name == "crewai":
            raise PackageNotFoundError(name)
        return "1.2.3"

    monkeypatch.setattr(executing, "version", version)
    said = environment()
    assert load_json(canonical(said)) == said
    assert said["versions"] == dict.fromkeys(PACKAGES, "1.2.3") | {"crewai": "not installed"}
    assert said["python"].startswith("3.")


def test_a_wire_that_is_not_there_cannot_be_used() -> None:
    with pytest.raises(RuntimeError, match=r"moon_for_mars/.* has no wire"):
        NoWire().open(TRIALS[0], "ab")
    with pytest.raises(RuntimeError, match="has no wire"):
        NoWire().close(TRIALS[0])
