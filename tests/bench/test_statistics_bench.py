"""The benchmark runs from end to end; its figures are judged by itself, its judging here."""

import importlib
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ledgers.comparable import Measure
from ledgers.entries import TrialEntry
from ledgers.gatecells import family_gate
from ledgers.gatemeans import mean_gate
from ledgers.gateresult import Kind, Label, Terms

HERE = Path(__file__).parent
SCRIPT = HERE / "statistics_bench.py"


@pytest.fixture(scope="module")
def bench() -> Iterator[Any]:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(HERE.parent / "ledgers"))
        patch.syspath_prepend(str(HERE))
        yield importlib.import_module("statistics_bench")


@pytest.fixture(scope="module")
def played(bench: Any, tmp_path_factory: pytest.TempPathFactory) -> tuple[TrialEntry, ...]:
    found: tuple[TrialEntry, ...] = sys.modules["statistics_persona"].played(
        tmp_path_factory.mktemp("draws"), 2
    )
    return found


def test_the_benchmark_prints_its_tables_and_finds_every_trial_as_foretold() -> None:
    found = subprocess.run(
        [sys.executable, str(SCRIPT), "--quick"],
        env=os.environ | {"PYTHONPATH": str(HERE.parent.parent)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.returncode == 0, found.stderr
    assert "16 of 16 trials" in found.stdout
    rows = [line.split("|")[1:-1] for line in found.stdout.splitlines() if line.startswith("|")]
    sizes = [row[0].strip() for row in rows if len(row) == len(rows[0])]
    assert sizes[2:] == ["8 x 5", "24 x 5"]
    assert sum(len(row) == 5 for row in rows) == 2 + 5 + 2


def test_a_missed_target_is_named_and_ends_with_one(
    bench: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    tiny = bench.Size(comparisons=20, scenarios=8, trials=5)
    work = replace(bench.QUICK, size=tiny, scenarios=(8, 8), gates=(), cells=())
    monkeypatch.setattr(bench, "USUAL", work)
    monkeypatch.setattr(bench, "persona", lambda *_: None)
    monkeypatch.setattr(bench, "COVERED", (0.0, 1.0))
    monkeypatch.setattr(sys, "argv", ["statistics_bench.py"])
    bench.main()
    assert "missed" not in capsys.readouterr().out.lower()
    monkeypatch.setattr(bench, "FALSE_POSITIVES", -0.01)
    with pytest.raises(SystemExit) as ended:
        bench.main()
    assert ended.value.code == 1
    assert "- false positives, A/A, 8 x 5" in capsys.readouterr().out


def test_a_persona_that_draws_otherwise_than_foretold_is_noticed(
    bench: Any, played: tuple[TrialEntry, ...]
) -> None:
    foretold = sys.modules["statistics_persona"].foretold
    assert all(entry.outcome == foretold(entry) for entry in played)
    assert len({entry.outcome for entry in played}) == 3
    other = [replace(entry, seed=entry.seed[::-1]) for entry in played]
    assert any(entry.outcome != foretold(entry) for entry in other)
    other = [replace(entry, trial=replace(entry.trial, clause="penalty")) for entry in played]
    assert any(entry.outcome != foretold(entry) for entry in other)


def test_the_designs_have_the_true_differences_that_they_state(bench: Any) -> None:
    draws = sys.modules["statistics_draws"]
    for design in (bench.OPPOSITE, bench.EQUAL, bench.CLAUSED, bench.RARE):
        first, second = draws.chances(design, 300, 10)
        assert float((second - first).mean()) == pytest.approx(design.true, abs=0.02)
    first, second = draws.chances(bench.OPPOSITE, 300, 10)
    assert float((second > first).mean()) == pytest.approx(0.5, abs=0.03)
    assert float((second - first).std()) == pytest.approx(0.3 * (2 / 3) ** 0.5, abs=0.01)


def test_the_rules_that_are_simulated_decide_as_the_gate_itself_does(bench: Any) -> None:
    rules, gated = sys.modules["statistics_gate"], importlib.import_module("gated")
    draws = bench.Draws(bench.Size(comparisons=12, scenarios=24, trials=20))
    labels, failed = [], []
    for number in range(12):
        worse = 0.3 + 0.02 * number
        apart = sys.modules["statistics_draws"].Design(
            says="worse", first="0.3,spread=0.2", second=f"{worse},spread=0.2", true=worse - 0.3
        )
        before, after = (arm[number] for arm in draws.counts(apart, 24, 20))
        pairs = gated.many(before.tolist(), after.tolist())
        terms = Terms(margin=0.1, alpha=rules.ALPHA)
        label = mean_gate("mean", Kind.GLOBAL, Measure.HARM, pairs, terms).label
        differences = (after - before)[None, :] / 20
        if rules.sign_flip(differences, "greater")[0] <= rules.ALPHA:
            assert label is Label.FAIL
        else:
            assert (label is Label.PASS) == rules.stays_below(differences, 0.1)[0]
        labels.append(label)
        cells = family_gate("cells", Kind.CELL, Measure.HARM, pairs, terms).cells
        found = [cell.label is Label.FAIL for cell in cells]
        assert found == rules.failing(before[None, :], after[None, :], 20)[0].tolist()
        failed.append(any(found))
    assert {Label.FAIL, Label.PASS} <= set(labels)
    assert len(set(failed)) == 2
