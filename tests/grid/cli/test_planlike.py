"""grid.cli.planlike: means of a run, of the closest trials that told what is asked for."""

from dataclasses import replace
from pathlib import Path

import pytest

from grid.cli.planlike import GROUPS, Like
from grid.errors import ConfigError
from ledgers.manifest import build_manifest
from ledgers.reading import SealedRun
from ledgers.seal import seal
from ledgers.store import RunDirectory
from tests import builders
from tests.ledgers.runs import ENVIRONMENT, finished, make_run, plan, trial

ONE = trial("moon_for_mars", "strands", "substituter")
TRIALS = (
    ONE,
    replace(ONE, number=1),
    trial("moon_for_mars", "strands", "honest"),
    trial("moon_for_mars", "langgraph", "honest"),
    trial("moon_for_mars.benign", "strands", "honest"),
    trial("moon_for_mars", "scripted", "honest"),
)


@pytest.fixture(scope="module")
def like(tmp_path_factory: pytest.TempPathFactory) -> Like:
    folder = tmp_path_factory.mktemp("like") / "run"
    plain, manifest = builders.completion, build_manifest(plan(TRIALS))
    with pytest.MonkeyPatch.context() as patch, RunDirectory.create(folder, manifest) as made:
        for count, of in enumerate(TRIALS):
            said = {"usage": {"prompt_tokens": 10 * count, "completion_tokens": count}}
            patch.setattr(builders, "completion", lambda it, said=said: plain(it) | said)
            made.keep(finished(of, manifest), {"wall_ms": 100 * count, "note": ""})
        seal(made, ENVIRONMENT)
    return Like(SealedRun(folder))


def test_a_mean_is_that_of_the_trials_own_cell(like: Like) -> None:
    tokens = like.mean(ONE, "input_tokens")
    assert tokens is not None
    assert (tokens.value, tokens.group) == ((0 * 4 + 10 * 4) / 2, 0)
    wall = like.mean(replace(ONE, number=7), "latency_ms")
    assert wall is not None
    assert (wall.value, GROUPS[wall.group]) == (50, "its own cell")


def test_what_the_run_has_not_is_taken_from_a_wider_group(like: Like) -> None:
    for asked, group, value in (
        (replace(ONE, clause="other"), 1, 4.0),
        (replace(ONE, model="new-model"), 2, (4 + 4 + 3) / 3),
        (replace(ONE, framework="crewai"), 3, (4 + 4 + 3 + 3) / 4),
        (replace(ONE, scenario="never_seen"), 4, (4 + 4 + 3 + 3 + 3) / 5),
    ):
        found = like.mean(asked, "requests")
        assert found is not None
        assert (found.group, found.value) == (group, value)


def test_what_no_trial_told_is_none(sealed: Path) -> None:
    found = Like(SealedRun(sealed))
    assert found.mean(ONE, "input_tokens") is None, "a provider that counted nothing"
    assert found.mean(ONE, "requests") is not None


def test_a_run_without_a_wire_tells_nothing(tmp_path: Path) -> None:
    make_run(tmp_path / "run", [trial("moon_for_mars", "scripted", "honest")])
    with pytest.raises(ConfigError, match=r"--like: no trial of .* went over a wire"):
        Like(SealedRun(tmp_path / "run"))
