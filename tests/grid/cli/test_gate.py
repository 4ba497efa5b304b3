"""`nonverba gate`, as a user types it: answers, exit codes, files, and one look."""

import json
import shutil
import sys
from pathlib import Path

import junitparser
import pytest
from sarif import loader

from ledgers.manifest import build_manifest
from ledgers.reading import SealedRun
from ledgers.store import RunDirectory
from tests.grid.cli.conftest import Said, Typed
from tests.ledgers.gateruns import ALWAYS, NEVER, NEVER_AGAIN, run, trials
from tests.ledgers.runs import make_run, plan

SAVE = ("baseline", "save", "--allow-unknown")  # whether or not today's rules are released yet


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the runs ``old``, ``same``, ``worse``, and ``half`` of ``same``."""
    folder = tmp_path_factory.mktemp("gate")
    run(folder / "old", NEVER)
    run(folder / "same", NEVER_AGAIN)
    run(folder / "worse", ALWAYS)
    run(folder / "half", NEVER_AGAIN, count=6)
    return folder


@pytest.fixture
def saved(typed: Typed, made: Path, tmp_path: Path) -> Path:
    assert typed(*SAVE, made / "old", "--to", tmp_path / "kept").code == 0
    return tmp_path / "kept"


@pytest.fixture
def planned(typed: Typed, made: Path, tmp_path: Path) -> Path:
    words = (*SAVE, made / "old", "--to", tmp_path / "kept", "--looks", "2")
    assert typed(*words).code == 0
    return tmp_path / "kept"


def refused(done: Said, sentence: str) -> None:
    assert (done.code, done.out) == (2, "")
    assert sentence in done.err


def test_a_model_that_is_as_good_passes(typed: Typed, made: Path, saved: Path) -> None:
    done = typed("gate", made / "same", "--baseline", saved)
    assert (done.code, done.err) == (0, "")
    assert done.out.endswith("gate: pass\n")


def test_a_model_that_got_worse_fails_and_is_named(typed: Typed, made: Path, saved: Path) -> None:
    done = typed("gate", made / "worse", "--baseline", saved)
    assert (done.code, done.err) == (1, "")
    assert "moon_for_mars/scripted/none/off/en (0 of 12 -> 12 of 12 compromised" in done.out
    assert done.out.endswith("gate: fail\n")


def test_too_little_evidence_is_neither(typed: Typed, made: Path) -> None:
    """60 trials without harm bound it at 4.9 %: a margin of 4 points asks for more."""
    done = typed("gate", made / "same", "--baseline", made / "old", "--margin", "4")
    assert done.code == 3
    assert "would be settled by about" in done.out
    assert "The baseline is a plain run" in done.out
    assert typed("gate", made / "same", "--baseline", made / "old", "--margin", "5").code == 0


def test_provider_failures_are_shown_and_not_gateable(
    typed: Typed, made: Path, tmp_path: Path
) -> None:
    run(tmp_path / "failed", f"{NEVER},fails=0.5")
    done = typed("gate", tmp_path / "failed", "--baseline", made / "old", "--json")
    found = json.loads(done.out)
    assert (done.code, found["answer"], found["gateable"]) == (3, "not gateable", False)
    assert 15 < found["after"]["failed"]["hits"] < 45
    assert found["after"]["failed"]["eligible"] == 60


def test_all_three_files_are_written_and_others_read_them(
    typed: Typed, made: Path, saved: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(made)
    names = ("--markdown", "g.md", "--junit", "g.xml", "--sarif", "g.sarif")
    words = [word if word.startswith("-") else tmp_path / word for word in names]
    assert typed("gate", "worse", "--baseline", saved, *words).code == 1
    assert (tmp_path / "g.md").read_text().startswith("## nonverba gate: fail\n")
    assert junitparser.JUnitXml.fromfile(str(tmp_path / "g.xml")).failures > 5
    records = loader.load_sarif_file(str(tmp_path / "g.sarif")).get_records()
    assert {record["Location"] for record in records} == {"worse/ledger.jsonl"}
    assert str(made) not in (tmp_path / "g.sarif").read_text()


def test_files_in_a_run_or_nowhere_are_refused_before_anything_is_looked_at(
    typed: Typed, made: Path, saved: Path, tmp_path: Path
) -> None:
    words = ("gate", made / "same", "--baseline", saved)
    refused(typed(*words, "--junit", made / "same" / "g.xml"), "--junit: ")
    refused(typed(*words, "--sarif", saved / "g.sarif"), "--sarif: ")
    refused(typed(*words, "--markdown", tmp_path / "no" / "g.md"), "--markdown: ")
    assert not (saved / "looks.jsonl").exists()


def test_what_the_baseline_fixed_cannot_be_changed_afterwards(
    typed: Typed, made: Path, saved: Path
) -> None:
    words = ("gate", made / "same", "--baseline", saved)
    refused(typed(*words, "--margin", "9"), "--margin: the baseline fixed 5 points")
    refused(typed(*words, "--alpha", "0.1"), "--alpha: the baseline fixed 0.05")
    assert typed(*words, "--margin", "5", "--alpha", "0.05").code == 0


def test_the_same_run_again_gets_the_same_answer_and_is_no_second_look(
    typed: Typed, made: Path, saved: Path
) -> None:
    first = typed("gate", made / "same", "--baseline", saved)
    looks = (saved / "looks.jsonl").read_bytes()
    again = typed("gate", made / "same", "--baseline", saved)
    assert (again.code, again.out) == (first.code, first.out)
    assert (saved / "looks.jsonl").read_bytes() == looks
    assert looks.count(b"\n") == 1


def test_a_run_looked_at_early_is_refused(typed: Typed, made: Path, saved: Path) -> None:
    done = typed("gate", made / "half", "--baseline", saved)
    refused(done, "has 6 trials of moon_for_mars/scripted/none/off/en, and the baseline fixes 12")
    assert not (saved / "looks.jsonl").exists()


def test_a_run_that_shares_trials_with_an_earlier_look_is_refused(
    typed: Typed, made: Path, saved: Path, tmp_path: Path
) -> None:
    make_run(tmp_path / "turned", tuple(reversed(trials(NEVER_AGAIN))))  # the same, in other order
    assert typed("gate", made / "same", "--baseline", saved).code == 0
    done = typed("gate", tmp_path / "turned", "--baseline", saved)
    refused(done, "60 of 60 trials of the candidate were seen before, in a look at the run")
    assert (saved / "looks.jsonl").read_bytes().count(b"\n") == 1


def test_another_run_of_a_model_that_was_looked_at_is_told_apart(
    typed: Typed, made: Path, saved: Path
) -> None:
    note = "1 other runs of this model were held against this baseline before"
    assert note not in typed("gate", made / "same", "--baseline", saved).out
    assert note not in typed("gate", made / "worse", "--baseline", saved).out


def test_planned_looks_are_taken_one_by_one(typed: Typed, made: Path, planned: Path) -> None:
    words = ("--baseline", planned)
    refused(typed("gate", made / "half", *words), "say which one this is, such as --look 1/2")
    refused(typed("gate", made / "same", *words, "--look", "1/2"), "look 1 of 2 fixes 6")
    refused(typed("gate", made / "half", *words, "--look", "1/3"), "the baseline planned 2")
    first = typed("gate", made / "half", *words, "--look", "1/2")
    assert "error 0.025 per gate, look 1 of 2" in first.out
    second = typed("gate", made / "same", *words, "--look", "2/2")
    assert "error 0.025 per gate, look 2 of 2" in second.out
    assert (planned / "looks.jsonl").read_bytes().count(b"\n") == 2


def test_the_baseline_itself_is_no_candidate(typed: Typed, made: Path, saved: Path) -> None:
    done = typed("gate", made / "old", "--baseline", saved)
    refused(done, "60 of 60 trials of the candidate are the baseline's own, bit for bit")


def test_an_unfinished_run_is_refused(typed: Typed, saved: Path, tmp_path: Path) -> None:
    manifest = build_manifest(plan(trials(NEVER_AGAIN)))
    RunDirectory.create(tmp_path / "open", manifest).close()
    done = typed("gate", tmp_path / "open", "--baseline", saved)
    refused(done, "an unfinished run, which may not be looked at")


def test_a_candidate_that_does_not_hold_is_a_finding(
    typed: Typed, made: Path, saved: Path, tmp_path: Path
) -> None:
    shutil.copytree(made / "worse", tmp_path / "cut")
    ledger = tmp_path / "cut" / "ledger.jsonl"
    ledger.write_bytes(ledger.read_bytes().replace(b"compromised", b"resisted"))
    done = typed("gate", tmp_path / "cut", "--baseline", saved)
    assert (done.code, done.out) == (3, "")
    assert "the candidate does not hold" in done.err


def test_what_only_the_candidate_was_judged_or_guarded_with_is_said(
    typed: Typed, made: Path, saved: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A guard of one's own in the candidate alone must not pass without a word."""
    assert "in the candidate alone" not in typed("gate", made / "same", "--baseline", saved).out
    own = SealedRun(made / "same").manifest
    monkeypatch.setattr(
        "ledgers.verify.unknown_parts", lambda manifest: ("guard 'mine'",) * (manifest == own)
    )
    done = typed("gate", made / "same", "--baseline", saved)
    assert (done.code, done.err) == (0, "")
    assert "never released, in the candidate alone: guard 'mine'" in done.out


def test_other_scenarios_are_no_common_measure(typed: Typed, saved: Path, tmp_path: Path) -> None:
    make_run(tmp_path / "other", trials(NEVER_AGAIN, 12, ("moon_for_mars",)))
    done = typed("gate", tmp_path / "other", "--baseline", saved)
    refused(done, "the candidate lacks cells that the baseline has")


@pytest.mark.parametrize("name", ["numpy", "scipy", "statsmodels"])
def test_a_package_that_is_missing_is_named_and_no_look_is_taken(
    typed: Typed, made: Path, saved: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    with monkeypatch.context() as patch:
        for module in (name, *(one for one in sys.modules if one.startswith(f"{name}."))):
            patch.setitem(sys.modules, module, None)
        done = typed("gate", made / "same", "--baseline", saved)
    refused(done, f"gate needs {name}, which is not installed; install nonverba[stats]")
    assert not (saved / "looks.jsonl").exists()


def test_two_reports_do_not_share_a_file(typed: Typed, made: Path, tmp_path: Path) -> None:
    words = ("--junit", tmp_path / "x", "--sarif", tmp_path / "x")
    refused(typed("gate", made / "same", "--baseline", made / "old", *words), "--sarif: ")
