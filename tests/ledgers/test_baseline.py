import errno
import shutil
from pathlib import Path

import pytest

from grid.canonical import canonical, load_json
from grid.errors import ConfigError, VerificationError
from ledgers import baseline
from ledgers.baseline import BASELINE, LOOKS, BaselineRecord, Fixed, open_baseline
from ledgers.manifest import build_manifest
from ledgers.reading import SealedRun
from ledgers.store import RunDirectory
from tests.ledgers.gateruns import NEVER, trials
from tests.ledgers.runs import make_run, plan, trial

TWO = ("moon_for_mars", "typo_target")


def save_baseline(
    source: Path, folder: Path, fixed: Fixed, *, force: bool = False
) -> BaselineRecord:
    """Save, whether or not the rules of this checkout are released yet."""
    return baseline.save_baseline(source, folder, fixed, force=force, allow_unknown=True)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("baseline") / "run"
    make_run(folder, trials(NEVER, 2, TWO))
    return folder


@pytest.fixture
def saved(run: Path, tmp_path: Path) -> Path:
    save_baseline(run, tmp_path / "saved", Fixed(margin=0.1, looks=2))
    return tmp_path / "saved"


def edited(path: Path, **changes: object) -> None:
    """Change fields of a baseline's record, in canonical form."""
    value = load_json(path.read_bytes())
    path.write_bytes(canonical(value | changes) + b"\n")


def test_a_baseline_fixes_everything_before_a_candidate_is_seen(run: Path, saved: Path) -> None:
    record = load_json((saved / BASELINE).read_bytes())
    assert record["head"] == SealedRun(run).head.head
    assert record["model"] == "scripted/wavering/0"
    assert record["fixed"] == {"margin": 0.1, "alpha": 0.05, "looks": 2}
    cells = ["moon_for_mars/scripted/none/off/en", "typo_target/scripted/none/off/en"]
    assert record["trials"] == dict.fromkeys(cells, 2)
    assert record["families"]["cell/scripted/none/off/en"] == cells


def test_a_saved_baseline_opens_as_it_was_saved(run: Path, saved: Path) -> None:
    found = open_baseline(saved)
    assert found.run.head == SealedRun(run).head
    assert (found.fixed.looks, found.looks) == (2, saved / LOOKS)
    assert {gate.id for gate in found.plan} >= {"cell/scripted/none/off/en", "global/scripted"}


def test_a_plain_run_has_the_defaults_and_remembers_no_look(run: Path) -> None:
    found = open_baseline(run)
    assert (found.fixed, found.looks) == (Fixed(), None)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"model": "real/other"}, "in model"),
        ({"trials": {"a": 1}}, "in trials"),
        ({"families": {}}, "in families"),
        ({"unreleased": ["x"]}, "in unreleased"),
        ({"format": 2}, "expected 1, found 2"),
        ({"more": 1}, "cannot be read"),
        ({"fixed": {"margin": 2.0, "alpha": 0.05, "looks": 1}}, "--margin: write points"),
        ({"fixed": {"margin": 0.1, "alpha": 0.5, "looks": 1}}, "--alpha: write a share"),
        ({"fixed": {"margin": 0.1, "alpha": 1e-300, "looks": 1}}, "--alpha: write a share"),
        ({"fixed": {"margin": 0.1, "alpha": 0.05, "looks": 0}}, "--looks: write a number"),
        ({"fixed": {"margin": 0.1, "alpha": 0.001, "looks": 2}}, "--looks: 2 looks leave each"),
    ],
)
def test_a_record_that_was_changed_is_refused(
    saved: Path, changes: dict[str, object], sentence: str
) -> None:
    edited(saved / BASELINE, **changes)
    with pytest.raises(ConfigError, match=sentence):
        open_baseline(saved)


def test_another_head_or_a_changed_run_does_not_hold(saved: Path) -> None:
    edited(saved / BASELINE, head="0" * 64)
    with pytest.raises(VerificationError, match=r"step 4 .*the baseline does not hold"):
        open_baseline(saved)


def test_a_changed_byte_of_the_run_does_not_hold(saved: Path) -> None:
    with (saved / "run" / "ledger.jsonl").open("ab") as file:
        file.write(b"\n")
    with pytest.raises(VerificationError, match="the baseline does not hold"):
        open_baseline(saved)


def test_a_record_that_is_not_canonical_is_refused(saved: Path) -> None:
    path = saved / BASELINE
    path.write_bytes(path.read_bytes().replace(b'":', b'": '))
    with pytest.raises(ConfigError, match="not in canonical form"):
        open_baseline(saved)


def test_a_folder_whose_saving_was_cut_off_is_no_baseline(saved: Path) -> None:
    (saved / BASELINE).unlink()
    with pytest.raises(ConfigError, match="saving was cut off"):
        open_baseline(saved)


def test_nothing_and_an_unfinished_run_are_no_baseline(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="holds no run"):
        open_baseline(tmp_path)
    planned = plan(trials(NEVER, 1, TWO))
    RunDirectory.create(tmp_path / "open", build_manifest(planned)).close()
    with pytest.raises(ConfigError, match="unfinished run, which may not be looked at"):
        open_baseline(tmp_path / "open")
    with pytest.raises(ConfigError, match="unfinished run"):
        save_baseline(tmp_path / "open", tmp_path / "to", Fixed())


def test_a_run_that_does_not_hold_is_not_saved(run: Path, tmp_path: Path) -> None:
    shutil.copytree(run, tmp_path / "bad")
    (tmp_path / "bad" / "packs.idx").write_bytes(b"")
    with pytest.raises((VerificationError, ConfigError)):
        save_baseline(tmp_path / "bad", tmp_path / "to", Fixed())
    assert not (tmp_path / "to").exists()


def test_several_models_and_one_that_never_varies_make_no_baseline(tmp_path: Path) -> None:
    make_run(tmp_path / "two", (*trials(NEVER, 1, TWO), *trials("wavering/1", 1, TWO)))
    with pytest.raises(ConfigError, match="the run has 2 models"):
        save_baseline(tmp_path / "two", tmp_path / "to", Fixed())
    make_run(tmp_path / "same", (trial("moon_for_mars", "scripted", "honest"),))
    with pytest.raises(ConfigError, match="answers alike in every trial"):
        save_baseline(tmp_path / "same", tmp_path / "to", Fixed())


def test_trials_must_part_into_the_looks_that_are_planned(run: Path, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"2 trials of moon_for_mars/.* into 3 looks"):
        save_baseline(run, tmp_path / "to", Fixed(looks=3))


def test_a_baseline_is_replaced_only_by_force_and_with_its_looks(run: Path, saved: Path) -> None:
    (saved / LOOKS).write_bytes(b"")
    with pytest.raises(ConfigError, match="--force replaces it"):
        save_baseline(run, saved, Fixed())
    save_baseline(run, saved, Fixed(), force=True)
    assert not (saved / LOOKS).exists()
    assert open_baseline(saved).fixed == Fixed()


@pytest.mark.parametrize("name", ["notes.txt", "run/notes.txt"])
def test_a_folder_that_holds_something_else_is_left_alone(
    run: Path, saved: Path, name: str
) -> None:
    (saved / name).write_text("mine")
    with pytest.raises(ConfigError, match=r"'notes.txt', which no baseline left there"):
        save_baseline(run, saved, Fixed(), force=True)
    assert (saved / name).read_text() == "mine"


def test_a_baseline_and_its_run_do_not_lie_in_each_other(run: Path, saved: Path) -> None:
    for source, folder in ((run, run), (run, run / "to"), (saved / "run", saved)):
        with pytest.raises(ConfigError, match="lie in each other"):
            save_baseline(source, folder, Fixed(), force=True)
    assert open_baseline(saved)


def test_a_place_that_is_no_folder_is_refused(run: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(ConfigError, match="no folder of its own"):
        save_baseline(run, tmp_path / "file", Fixed(), force=True)


def test_what_was_never_released_is_saved_only_if_it_is_allowed_and_stays_named(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ledgers.verify.unknown_parts", lambda _: ("rule 'mine'",))
    with pytest.raises(VerificationError, match="never released: rule 'mine'"):
        baseline.save_baseline(run, tmp_path / "to", Fixed())
    assert save_baseline(run, tmp_path / "to", Fixed()).unreleased == ("rule 'mine'",)
    assert open_baseline(tmp_path / "to").unreleased == ("rule 'mine'",)


def test_a_copy_that_finds_no_room_is_told_in_one_sentence(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(source: str, to: str) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("shutil.copytree.__defaults__", (False, None, full, False, False))
    with pytest.raises(ConfigError, match=r"cannot be written: \[Errno 28\] No space left on") as e:
        save_baseline(run, tmp_path / "to", Fixed())
    assert "[(" not in str(e.value)
    assert not (tmp_path / "to").exists()
