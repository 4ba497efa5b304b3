from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from grid.errors import ConfigError
from grid.scenario import Tamper
from grid.vocabulary import TamperKind
from ledgers.comparable import (
    Cell,
    Measure,
    cells_of,
    check_one_measure,
    check_sampled,
    what_differs,
)
from ledgers.manifest import Manifest, Source
from ledgers.reading import SealedRun
from tests.ledgers.gated import Came, cell, place
from tests.ledgers.gateruns import ALWAYS, trials
from tests.ledgers.runs import make_run

TWO = ("moon_for_mars", "moon_for_mars.benign")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> SealedRun:
    folder = tmp_path_factory.mktemp("comparable") / "run"
    make_run(folder, (*trials(ALWAYS, 3, TWO), *trials("honest", 2, TWO)))
    return SealedRun(folder)


@pytest.fixture(scope="module")
def manifest(run: SealedRun) -> Manifest:
    return run.manifest


def test_cells_stand_in_plan_order_with_the_digests_of_their_scenarios(run: SealedRun) -> None:
    cells = cells_of((run,))
    assert [item.name for item in cells] == [
        "moon_for_mars/scripted/scripted/wavering/1/none/off/en",
        "moon_for_mars.benign/scripted/scripted/wavering/1/none/off/en",
        "moon_for_mars/scripted/scripted/honest/none/off/en",
        "moon_for_mars.benign/scripted/scripted/honest/none/off/en",
    ]
    assert [item.twin for item in cells] == [False, True, False, True]
    assert cells[0].digest == run.manifest.scenario("moon_for_mars").digest()
    assert not cells[0].wired


def test_measures_of_a_real_run(run: SealedRun) -> None:
    followed, twin, honest, _ = cells_of((run,))

    def share(item: Cell, measure: Measure) -> float | None:
        return item.counted(measure).share

    assert [share(followed, measure) for measure in Measure] == [1, 1, 0, 1]
    assert [share(honest, measure) for measure in Measure] == [0, 0, 1, 0]
    assert [share(twin, measure) for measure in Measure] == [None, None, 1, 0]
    assert (honest.reported, honest.exposure.share, honest.failed.share) == (2, 1, 0)
    assert not twin.at_stake


def test_what_failed_or_never_arrived_is_counted_beside_every_rate() -> None:
    found = cell(place(), Came(trials=20, bad=3, attempted=2, unexposed=4, invalid=6))
    harm, followed = found.counted(Measure.HARM), found.counted(Measure.FOLLOWED)
    assert (harm.hits, harm.eligible) == (3, 10)
    assert (followed.hits, followed.eligible) == (5, 10)
    assert (found.exposure.hits, found.exposure.eligible) == (10, 14)
    assert (found.failed.hits, found.failed.eligible) == (6, 20)
    assert found.reported == 14
    twin = cell(place("a.benign"), Came(trials=10, invalid=4, bad=1))
    assert (twin.failed.hits, twin.counted(Measure.UTILITY).eligible) == (4, 6)


def test_one_cell_in_two_runs_is_refused(run: SealedRun) -> None:
    with pytest.raises(ConfigError, match=r"moon_for_mars/.* stands in two of the runs"):
        cells_of((run, run))


def test_equal_manifests_differ_in_nothing_and_what_one_lacks_is_no_difference(
    manifest: Manifest,
) -> None:
    assert what_differs(manifest, manifest) == ()
    less = replace(manifest, scenarios=manifest.scenarios[:1], guards=(), clauses=(), tools={})
    assert what_differs(manifest, less) == what_differs(less, manifest) == ()


def _scenario(manifest: Manifest, **changes: Any) -> Manifest:
    first, *rest = manifest.scenarios
    return replace(manifest, scenarios=(replace(first, **changes), *rest))


def _rule(manifest: Manifest, **changes: Any) -> Manifest:
    first, *rest = manifest.rules
    return replace(manifest, rules=(replace(first, **changes), *rest))


def _tool(manifest: Manifest) -> Manifest:
    (world, tools), *_ = manifest.tools.items()
    name, tool = next(iter(tools.items()))
    return replace(manifest, tools={world: tools | {name: replace(tool, digest="00")}})


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda m: _scenario(m, title="x"), "the scenario moon_for_mars differs (same version"),
        (lambda m: _scenario(m, version=99), "differs (version "),
        (lambda m: _rule(m, version=99), "and 99)"),
        (lambda m: _rule(m, digest="00"), "differs (same version, other declaration)"),
        (lambda m: replace(m, rules=m.rules[1:]), "judged only one of them"),
        (_tool, "differs (other digest)"),
        (
            lambda m: replace(m, guards=tuple(replace(g, version=99) for g in m.guards)),
            "the guard ",
        ),
        (
            lambda m: replace(m, clauses=tuple(replace(c, text="x") for c in m.clauses)),
            "the clause none has another text or another place",
        ),
        (
            lambda m: replace(m, tamper=(Tamper(kind=TamperKind.CUT, answer=1),)),
            "other faults are planted on the wire: nothing in one, ",
        ),
        (
            lambda m: replace(m, source=Source(head="ab" * 32, framework="strands")),
            "the model's answers were asked of the model in one, played from strands in abab",
        ),
    ],
)
def test_each_part_that_differs_is_said(
    manifest: Manifest, change: Callable[[Manifest], Manifest], sentence: str
) -> None:
    found = what_differs(manifest, change(manifest))
    assert len(found) >= 1
    assert sentence in " ".join(found)


def test_runs_without_one_yardstick_are_refused_with_what_to_do(manifest: Manifest) -> None:
    def standing(folder: str, of: Manifest) -> Any:
        return SimpleNamespace(path=Path(folder), manifest=of)

    check_one_measure((standing("a", manifest), standing("b", manifest)))
    # The third differs from the second alone: the first lacks what they differ in.
    first = replace(manifest, scenarios=())
    third = _scenario(manifest, title="x")
    with pytest.raises(ConfigError, match=r"b and c cannot be compared:\n  the scenario moon"):
        check_one_measure((standing("a", first), standing("b", manifest), standing("c", third)))
    many = replace(manifest, rules=tuple(replace(rule, version=99) for rule in manifest.rules))
    with pytest.raises(ConfigError, match=r"and \d+ more\nRun both grids again"):
        check_one_measure((standing("a", manifest), standing("b", many)))


def test_only_what_draws_is_sampled() -> None:
    check_sampled(["openai/any", "scripted/wavering/0.5"])
    with pytest.raises(ConfigError, match="'scripted/honest' answers alike in every trial"):
        check_sampled(["openai/any", "scripted/honest"])
