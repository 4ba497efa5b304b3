"""`nonverba baseline save`, as a user types it."""

import json
from pathlib import Path

import pytest

from tests.grid.cli.commands import head
from tests.grid.cli.conftest import Typed
from tests.ledgers.gateruns import NEVER, trials
from tests.ledgers.runs import make_run

SAVE = ("baseline", "save", "--allow-unknown")  # whether or not today's rules are released yet


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("baseline") / "run"
    make_run(folder, trials(NEVER, 2, ("moon_for_mars", "typo_target")))
    return folder


def test_a_run_is_kept_and_the_next_line_is_named(typed: Typed, run: Path, tmp_path: Path) -> None:
    done = typed(*SAVE, run, "--to", tmp_path / "kept", "--margin", "7.5")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("baseline of scripted/wavering/0: 2 cells, 2 trials each\n")
    assert f"head {head(run)}" in done.out
    assert "fixed: margin 7.5 points, error 0.05 per gate, " in done.out
    assert f"gate DIR --baseline {tmp_path / 'kept'}" in done.out


def test_as_data_it_is_the_record(typed: Typed, run: Path, tmp_path: Path) -> None:
    done = typed(*SAVE, run, "--to", tmp_path / "kept", "--looks", "2", "--json")
    record = json.loads(done.out)
    assert record == json.loads((tmp_path / "kept" / "baseline.json").read_text())
    assert record["fixed"] == {"margin": 0.05, "alpha": 0.05, "looks": 2}


def test_what_cannot_be_a_baseline_is_a_matter_of_usage(
    typed: Typed, sealed: Path, run: Path, tmp_path: Path
) -> None:
    done = typed(*SAVE, sealed, "--to", tmp_path / "kept")
    assert (done.code, done.out) == (2, "")
    assert "the run has" in done.err
    for option, value in (
        ("--margin", "0"),
        ("--margin", "nan"),
        ("--alpha", "1"),
        ("--looks", "0"),
    ):
        refused = typed(*SAVE, run, "--to", tmp_path / "kept", option, value)
        assert (refused.code, refused.out) == (2, ""), option
        assert f"{option}: write" in refused.err
    assert not (tmp_path / "kept").exists()


def test_a_baseline_there_is_replaced_only_by_force(
    typed: Typed, run: Path, tmp_path: Path
) -> None:
    words = (*SAVE, run, "--to", tmp_path / "kept")
    assert typed(*words).code == 0
    again = typed(*words)
    assert (again.code, again.out) == (2, "")
    assert "--force replaces it" in again.err
    assert typed(*words, "--force").code == 0
