"""Which trials a cross-framework replay has; whatever does not fit is refused with what does."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from grid.cli.crossplan import plan_crossing
from grid.errors import ConfigError
from ledgers.manifest import Source, build_manifest
from ledgers.reading import SealedRun
from tests.ledgers.crossed import crossed_manifest, make_crossed
from tests.ledgers.runs import TRIALS, make_run, plan, trial


@pytest.fixture
def original(sealed: Path) -> SealedRun:
    return SealedRun(sealed)


def test_each_recorded_trial_is_played_to_each_framework_in_order(original: SealedRun) -> None:
    found = plan_crossing(original, ["crewai", "langgraph", "crewai"], None)
    recorded = [item for item in TRIALS if item.framework == "strands"]
    assert (found.source, found.targets) == ("strands", ("crewai", "langgraph"))
    assert list(found.manifest.trials) == [
        replace(item, framework=name) for item in recorded for name in found.targets
    ]
    assert [found.origin(item) for item in found.manifest.trials[::2]] == recorded
    assert found.left_out == ()


def test_the_new_run_names_its_source_and_is_else_a_run_of_its_trials(original: SealedRun) -> None:
    found = plan_crossing(original, ["crewai"], "strands").manifest
    assert found.source == Source(head=original.head.head, framework="strands")
    assert (found.name, found.seed) == (original.manifest.name, original.manifest.seed)
    assert replace(found, source=None) == build_manifest(plan(found.trials))


@pytest.mark.parametrize(
    ("targets", "source", "found"),
    [
        (["crewai"], "strands", "strands"),
        (["crewai"], "langgraph", "langgraph"),
        (["strands"], None, "langgraph"),
        (["langgraph"], None, "strands"),
        (["langgraph-native"], "langgraph", "langgraph"),
    ],
)
def test_the_source_is_the_one_that_was_named_or_the_only_other_one(
    original: SealedRun, targets: list[str], source: str | None, found: str
) -> None:
    assert plan_crossing(original, targets, source).source == found


@pytest.mark.parametrize(
    ("targets", "source", "words"),
    [
        (["crewai"], None, r"--from: .*several frameworks; write one of: strands, langgraph"),
        (["crewai"], "crewai", r"--from: .*from 'crewai'; it has those of: strands, langgraph"),
        (["crewai"], "scripted", r"--from: .*it has those of: strands, langgraph"),
        (["strands"], "strands", "--framework: the answers are those of 'strands'"),
        (["strands", "langgraph"], None, r"--framework: .*no answers of another framework"),
        (["scripted"], "strands", "--framework: 'scripted' has no wire"),
        (["strand"], None, "unknown framework 'strand'"),
    ],
)
def test_what_does_not_fit_is_refused_with_what_does(
    original: SealedRun, targets: list[str], source: str | None, words: str
) -> None:
    with pytest.raises(ConfigError, match=words):
        plan_crossing(original, targets, source)


def test_a_scenario_that_a_framework_cannot_express_is_left_out_and_said(tmp_path: Path) -> None:
    planned: list[Any] = [
        trial("moon_for_mars", "strands", "honest"),
        trial("checkpoint_double_payment", "strands", "honest"),
    ]
    make_run(tmp_path / "run", planned[:1])
    run = SealedRun(tmp_path / "run")
    run.manifest = build_manifest(plan(planned))
    found = plan_crossing(run, ["strands-native", "crewai"], None)
    assert [(item.scenario, item.framework) for item in found.manifest.trials] == [
        ("moon_for_mars", "strands-native"),
        ("moon_for_mars", "crewai"),
        ("checkpoint_double_payment", "crewai"),
    ]
    assert found.left_out == (
        "S24 cannot be run in strands-native: native profiles have no approval step of ours and "
        "take no checkpoints",
    )
    run.manifest = build_manifest(plan(planned[1:]))
    with pytest.raises(ConfigError, match="nothing is left to play: S24 cannot be run"):
        plan_crossing(run, ["strands-native"], None)


def test_a_run_that_was_played_itself_is_no_source(original: SealedRun, tmp_path: Path) -> None:
    make_crossed(tmp_path / "run", original, crossed_manifest(original, "strands", ["crewai"]))
    with pytest.raises(ConfigError, match=f"head {original.head.head}; name the folder of that"):
        plan_crossing(SealedRun(tmp_path / "run"), ["langgraph"], None)


def test_a_run_without_a_wire_has_nothing_to_play(tmp_path: Path) -> None:
    make_run(tmp_path / "run", TRIALS[:2])
    with pytest.raises(ConfigError, match="it has those of: none with a recording"):
        plan_crossing(SealedRun(tmp_path / "run"), ["crewai"], None)
