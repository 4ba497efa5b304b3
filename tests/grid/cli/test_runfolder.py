"""`runfolder`: finding one trial by what a user writes, and deleting nothing but a run."""

from collections.abc import Iterable
from pathlib import Path

import pytest

from grid.cli.runfolder import find_trial, kept_trial, open_manifest, remove_run
from grid.errors import ConfigError, NonverbaError
from grid.evidence import TrialId
from ledgers.manifest import Manifest, build_manifest
from ledgers.store import RunDirectory
from tests.ledgers.runs import TRIALS, finished, plan, trial


def manifest(trials: Iterable[TrialId] = TRIALS) -> Manifest:
    return build_manifest(plan(tuple(trials)))


# --- a trial by its coordinates -----------------------------------------------------------------


@pytest.mark.parametrize("of", TRIALS, ids=str)
def test_whole_coordinates_name_their_trial(of: TrialId) -> None:
    assert find_trial(manifest(), str(of)) == str(of)


@pytest.mark.parametrize(
    ("wanted", "place"),
    [
        ("S02/scripted/scripted/honest/none/off/en/0", 0),
        ("s02/strands/scripted/substituter/none/off/en/0", 2),
        ("langgraph", 5),
        ("S02/langgraph", 5),
        ("ja", 5),
        ("wavering/0.7", 5),
        ("strands/substituter", 2),
        ("substituter/strands", 2),
        ("/strands//substituter/", 2),
        ("moon_for_mars.benign", 4),
        ("tool-output-is-data", 3),
    ],
)
def test_a_number_or_any_parts_that_fit_one_trial_only_are_enough(wanted: str, place: int) -> None:
    assert find_trial(manifest(), wanted) == str(TRIALS[place])


def test_whole_coordinates_win_over_other_trials_that_hold_the_same_parts() -> None:
    first = trial("moon_for_mars", "scripted", "near-miss/0")
    second = trial("moon_for_mars", "scripted", "near-miss/0", number=1)
    assert find_trial(manifest((second, first)), str(first)) == str(first)


@pytest.mark.parametrize("wanted", ["substit", "moon", "strand", "0.", "hones"])
def test_a_part_fits_whole_or_not_at_all(wanted: str) -> None:
    with pytest.raises(ConfigError, match="no trial fits"):
        find_trial(manifest(), wanted)


def test_what_fits_several_trials_lists_exactly_those() -> None:
    with pytest.raises(ConfigError) as refused:
        find_trial(manifest(), "S02/substituter")
    assert str(refused.value).splitlines() == [
        "2 trials fit 'S02/substituter'; write one of them:", f"  {TRIALS[1]}", f"  {TRIALS[2]}",
    ]  # fmt: skip


@pytest.mark.parametrize("wanted", ["", "/", "scripted"])
def test_what_says_nothing_fits_everything(wanted: str) -> None:
    with pytest.raises(ConfigError, match=rf"6 trials fit '{wanted}'"):
        find_trial(manifest(), wanted)


def test_what_fits_nothing_shows_how_trials_are_written_but_not_all_of_a_large_run() -> None:
    many = [trial("moon_for_mars", "scripted", "honest", number=number) for number in range(30)]
    for wanted, words in (("mars", "no trial fits 'mars'"), ("honest", "30 trials fit 'honest'")):
        with pytest.raises(ConfigError) as refused:
            find_trial(manifest(many), wanted)
        assert words in str(refused.value)
        assert len(str(refused.value).splitlines()) == 9


# --- reading ------------------------------------------------------------------------------------


def test_a_folder_without_a_run_is_refused(tmp_path: Path) -> None:
    for place in (tmp_path, tmp_path / "nowhere"):
        with pytest.raises(ConfigError, match="holds no run"):
            open_manifest(place)


@pytest.mark.parametrize("data", [b"", b"{}", b"\xff", b'{"format":1}', b"[" * 9999])
def test_a_manifest_that_does_not_read_is_named_with_its_file(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "manifest.json").write_bytes(data)
    with pytest.raises(ConfigError, match=r"manifest\.json: "):
        open_manifest(tmp_path)


def test_the_manifest_of_a_run_is_the_one_that_it_was_made_with(sealed: Path) -> None:
    assert open_manifest(sealed) == manifest()


def test_a_kept_trial_is_read_with_its_recording(sealed: Path) -> None:
    wired, plain = (kept_trial(sealed, str(TRIALS[place])) for place in (2, 0))
    assert (wired.evidence.trial, plain.evidence.trial) == (TRIALS[2], TRIALS[0])
    assert wired.recording
    assert plain.recording is None


def test_a_trial_that_is_not_kept_yet_is_a_matter_of_resuming(tmp_path: Path) -> None:
    with RunDirectory.create(tmp_path / "run", manifest()) as run:
        run.keep(finished(TRIALS[0], run.manifest), {})
    assert kept_trial(tmp_path / "run", str(TRIALS[0])).evidence.trial == TRIALS[0]
    with pytest.raises(ConfigError, match="has not finished; run again with --resume"):
        kept_trial(tmp_path / "run", str(TRIALS[1]))


@pytest.mark.parametrize("name", ["packs.idx", "evidence.pack", "recordings.pack"])
def test_packs_that_do_not_read_point_to_verification(copy: Path, name: str) -> None:
    (copy / name).write_bytes(bytes(byte ^ 1 for byte in (copy / name).read_bytes()))
    with pytest.raises(ConfigError, match=r"`nonverba verify .*` names the step"):
        kept_trial(copy, str(TRIALS[2]))
    (copy / name).unlink()
    with pytest.raises(ConfigError, match=r"`nonverba verify .*` names the step"):
        kept_trial(copy, str(TRIALS[2]))


def test_an_index_that_names_a_recording_without_its_evidence_points_to_verification(
    copy: Path,
) -> None:
    lines = (copy / "packs.idx").read_bytes().splitlines(keepends=True)
    (copy / "packs.idx").write_bytes(b"".join(lines[:-1]))
    with pytest.raises(ConfigError, match=r"`nonverba verify .*` names the step"):
        kept_trial(copy, str(TRIALS[-1]))


# --- deleting -----------------------------------------------------------------------------------


def test_a_finished_and_an_unfinished_run_are_deleted(copy: Path, tmp_path: Path) -> None:
    with RunDirectory.create(tmp_path / "begun", manifest()) as run:
        run.keep(finished(TRIALS[0], run.manifest), {})
        (run.partial / "live").mkdir()
    for path in (copy, tmp_path / "begun"):
        remove_run(path)
        assert not path.exists()


def test_a_run_killed_before_its_manifest_is_deleted(tmp_path: Path) -> None:
    (tmp_path / "run" / "partial").mkdir(parents=True)
    remove_run(tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_where_there_is_nothing_to_delete_nothing_is(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "file").write_text("a letter")
    for name in ("empty", "file", "nowhere"):
        remove_run(tmp_path / name)
    assert (tmp_path / "empty").is_dir()
    assert (tmp_path / "file").read_text() == "a letter"


@pytest.mark.parametrize("name", ["thesis.tex", ".git", "manifest.json.bak", "head"])
def test_a_run_with_anything_else_beside_it_is_left_alone_as_a_whole(copy: Path, name: str) -> None:
    (copy / name).write_text("years of work")
    before = sorted(path.name for path in copy.iterdir())
    with pytest.raises(ConfigError, match=rf"'{name}', which no run left there"):
        remove_run(copy)
    assert sorted(path.name for path in copy.iterdir()) == before


@pytest.mark.parametrize("name", ["SHA256SUMS", "HEAD", "ledger.jsonl"])
def test_a_folder_whose_files_only_bear_the_names_of_a_runs_is_left_alone(
    tmp_path: Path, name: str
) -> None:
    (tmp_path / name).write_text("somebody's")
    with pytest.raises(ConfigError, match="delete the folder yourself"):
        remove_run(tmp_path)
    assert (tmp_path / name).read_text() == "somebody's"


def test_a_link_to_a_run_is_not_followed(copy: Path, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(copy)
    with pytest.raises(ConfigError, match="a link"):
        remove_run(link)
    assert (copy / "HEAD").is_file()


def test_a_link_inside_a_run_goes_and_what_it_points_to_stays(copy: Path, tmp_path: Path) -> None:
    treasure = tmp_path / "treasure"
    treasure.mkdir()
    (treasure / "gold").write_text("au")
    (copy / "partial").symlink_to(treasure)
    remove_run(copy)
    assert not copy.exists()
    assert (treasure / "gold").read_text() == "au"


def test_a_run_that_another_process_is_writing_is_not_deleted_under_it(tmp_path: Path) -> None:
    with (
        RunDirectory.create(tmp_path / "run", manifest()),
        pytest.raises(NonverbaError, match="another process"),
    ):
        remove_run(tmp_path / "run")
    assert (tmp_path / "run" / "manifest.json").is_file()
