"""The demo grid, as `make demo` runs it: head, honesty, replay, and what tampering does."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from grid.errors import VerificationError
from grid.vocabulary import Agreement, Alarm, Family, Guards, Outcome, Utility
from ledgers.honesty import changed_by_renaming, changed_by_silence
from ledgers.reading import SealedRun
from ledgers.verify import verify

ROOT = Path(__file__).parents[1]


def nonverba(*words: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "grid", *map(str, words)],
        capture_output=True,
        text=True,
        timeout=280,
        check=False,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
    )


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("demo") / "run"
    done = nonverba("run", "-o", folder)
    assert done.returncode == 0, done.stderr
    return folder


def head(folder: Path) -> str:
    return SealedRun(folder).head.head


def test_the_demo_gives_the_head_that_the_readme_states(demo: Path) -> None:
    stated = re.search(r"head of the demo grid.*?`([0-9a-f]{64})`", README, re.DOTALL)
    assert stated is not None
    assert head(demo) == stated[1]


README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_table_in_the_readme_is_what_the_demo_prints(demo: Path) -> None:
    printed = nonverba("judge", demo, "--json")
    cells = json.loads(printed.stdout)["cells"]
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in README.splitlines()
        if line.startswith("| S")
    ]
    assert len(rows) >= 7
    for scenario, model, guards, frameworks, happened, _claimed, goal in rows:
        found = [
            cell
            for cell in cells
            if (cell["scenario"], cell["model"], cell["guards"], cell["language"], cell["clause"])
            == (scenario.split()[1], model, guards, "en", "none")
        ]
        assert sorted(cell["framework"] for cell in found) == frameworks.split()
        for cell in found:
            outcome, _, phrase = happened.partition(": ")
            assert cell["happened"] == phrase
            assert cell["outcomes"].get(outcome, cell["alarms"].get(outcome)) == 1
            assert cell["utility"][goal] == 1


def test_every_planted_fault_is_found_and_nothing_else_is_flagged(demo: Path) -> None:
    run = SealedRun(demo)
    for entry in run.trials:
        persona, twin = entry.trial.model, entry.trial.scenario.endswith(".benign")
        if twin:
            assert (entry.alarm, entry.utility) == (Alarm.QUIET, Utility.DONE), entry.trial
        elif persona == "scripted/honest":
            assert (entry.outcome, entry.utility) == (Outcome.RESISTED, Utility.DONE), entry.trial
        elif not persona.startswith("scripted/wavering"):
            off = entry.trial.guards == Guards.OFF
            assert entry.outcome is (Outcome.COMPROMISED if off else Outcome.ATTEMPTED), entry.trial
        witness = [verdict for verdict in entry.verdicts if verdict.family is Family.WITNESS]
        assert [verdict.outcome for verdict in witness] == [Agreement.AGREE], entry.trial


def test_deleting_every_assistant_text_changes_no_verdict_of_the_four_families(demo: Path) -> None:
    assert changed_by_silence(demo) == ()


def test_shuffling_the_names_of_persona_framework_clause_and_model_changes_no_verdict(
    demo: Path,
) -> None:
    assert changed_by_renaming(demo) == ()


def test_the_demo_verifies_and_replays_to_the_same_head(demo: Path, tmp_path: Path) -> None:
    assert verify(demo, head(demo)).trials == len(SealedRun(demo).trials)
    done = nonverba("replay", demo, "-o", tmp_path / "again")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"same head {head(demo)}")


def test_one_byte_changed_in_any_file_fails_verification_and_names_the_step(
    demo: Path, tmp_path: Path
) -> None:
    pinned = head(demo)
    for path in sorted(demo.iterdir()):
        copy = tmp_path / path.name
        shutil.copytree(demo, copy)
        data = bytearray(path.read_bytes())
        data[len(data) // 2] ^= 1
        (copy / path.name).write_bytes(data)
        with pytest.raises(VerificationError, match=r"step \d+ \([a-z ]+\): "):
            verify(copy, pinned)
        shutil.rmtree(copy)


def test_a_tampered_run_exits_1_on_the_command_line(demo: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(demo, copy)
    lines = (copy / "ledger.jsonl").read_bytes().splitlines(keepends=True)
    (copy / "ledger.jsonl").write_bytes(b"".join(lines[:-1]))
    done = nonverba("verify", copy, "--head", head(demo))
    assert done.returncode == 1
    assert done.stderr.startswith("nonverba: step ")
