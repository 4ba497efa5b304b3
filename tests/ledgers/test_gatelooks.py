import os
import resource
from pathlib import Path

import pytest

from grid.errors import ConfigError
from ledgers.gatelooks import (
    Look,
    check_counts,
    check_first,
    read_look,
    read_looks,
    remember,
    times_looked,
)

BASE = "ba" * 32


def look(head: str, *trials: str, number: int = 1, of: int = 1, model: str = "m") -> Look:
    return Look(baseline=BASE, head=head, model=model, look=number, looks=of, trials=tuple(trials))


@pytest.mark.parametrize(
    ("text", "planned", "number"), [(None, 1, 1), ("2/3", 3, 2), ("1/1", 1, 1)]
)
def test_a_look_is_one_that_was_planned(text: str | None, planned: int, number: int) -> None:
    assert read_look(text, planned, saved=True) == number


@pytest.mark.parametrize(
    "text", ["", "1", "1/", "/2", "0/2", "3/2", "a/b", "1/2/3", "-1/2", "01/2", "1/" + "9" * 5000]
)
def test_what_is_no_look_is_refused(text: str) -> None:
    with pytest.raises(ConfigError, match="write K/N"):
        read_look(text, 2, saved=True)


def test_looks_that_were_not_planned_are_refused() -> None:
    with pytest.raises(ConfigError, match="the baseline planned 1; looks are planned before"):
        read_look("1/2", 1, saved=True)
    with pytest.raises(ConfigError, match="is a plain run, for which none were planned"):
        read_look("1/2", 1, saved=False)
    with pytest.raises(ConfigError, match="say which one this is, such as --look 1/2"):
        read_look(None, 2, saved=True)


def test_a_candidate_has_the_trials_of_the_baseline() -> None:
    check_counts({"a": 20}, {"a": 20}, 1, 1)
    with pytest.raises(ConfigError, match=r"has 10 trials of a, .* fixes 20: .* looked at early"):
        check_counts({"a": 20}, {"a": 10}, 1, 1)
    with pytest.raises(ConfigError, match=r"30 trials of a, .* a run that is grown"):
        check_counts({"a": 20}, {"a": 30}, 1, 1)


def test_a_planned_look_has_its_part_of_them() -> None:
    check_counts({"a": 20, "b": 40}, {"a": 10, "b": 20}, 1, 2)
    check_counts({"a": 20}, {"a": 20}, 2, 2)
    with pytest.raises(ConfigError, match="look 1 of 2 fixes 10"):
        check_counts({"a": 20}, {"a": 20}, 1, 2)


def test_a_run_that_grew_since_a_look_is_refused() -> None:
    past = (look("aa", "1", "2"),)
    with pytest.raises(ConfigError, match="1 of 2 trials of the candidate were seen before"):
        check_first(look("bb", "2", "3"), past)
    check_first(look("bb", "3", "4"), past)  # run anew
    check_first(look("aa", "1", "2"), past)  # the same run again


def test_later_looks_that_were_planned_may_share_and_earlier_ones_may_not() -> None:
    past = (look("aa", "1", "2", number=1, of=2),)
    check_first(look("bb", "1", "2", "3", "4", number=2, of=2), past)
    with pytest.raises(ConfigError, match="in look 1 of 2"):
        check_first(look("bb", "1", "3", number=1, of=2), past)
    with pytest.raises(ConfigError, match="in look 2 of 2"):
        check_first(look("cc", "1", number=1, of=2), (look("bb", "1", "2", number=2, of=2),))


def test_looks_are_remembered_once_each_and_read_again(tmp_path: Path) -> None:
    path = tmp_path / "looks.jsonl"
    assert read_looks(path, BASE) == ()
    first, second = look("aa", "1"), look("bb", "2")
    remember(path, first, ())
    remember(path, first, (first,))
    remember(path, second, (first,))
    assert read_looks(path, BASE) == (first, second)
    assert times_looked(second, (first, second)) == 1
    assert times_looked(look("cc", model="other"), (first, second)) == 0


def test_a_look_that_cannot_be_written_down_is_not_taken(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be written down"):
        remember(tmp_path / "missing" / "looks.jsonl", look("aa"), ())


@pytest.mark.parametrize("data", [b"{}\n", b"[", b'{"a":1}', b"\xff\n", b"\n", b'{"a":1,"a":2}\n'])
def test_looks_that_cannot_be_read_are_refused(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "looks.jsonl"
    path.write_bytes(data)
    with pytest.raises(ConfigError, match="cannot be read"):
        read_looks(path, BASE)


def test_looks_at_another_baseline_and_edited_ones_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "looks.jsonl"
    remember(path, look("aa", "1"), ())
    with pytest.raises(ConfigError, match="a look at another baseline"):
        read_looks(path, "00" * 32)
    path.write_bytes(path.read_bytes().replace(b'":', b'": '))
    with pytest.raises(ConfigError, match="not in canonical form"):
        read_looks(path, BASE)


def test_looks_are_remembered_in_a_plain_file_of_the_baseline_only(tmp_path: Path) -> None:
    """A pipe would never answer, and a link would have the look written somewhere else."""
    pipe, link = tmp_path / "pipe", tmp_path / "link"
    os.mkfifo(pipe)
    link.symlink_to(tmp_path / "elsewhere")
    for path in (pipe, link, tmp_path):
        with pytest.raises(ConfigError, match="is no plain file"):
            read_looks(path, BASE)
    assert read_looks(tmp_path / "elsewhere", BASE) == ()


def test_half_a_look_is_not_left_in_the_file_when_the_disk_is_full(tmp_path: Path) -> None:
    remember(tmp_path / "looks.jsonl", look("a", "1"), ())
    kept = (tmp_path / "looks.jsonl").read_bytes()
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(kept) + 20, hard))
    try:
        with pytest.raises(ConfigError, match="is not taken"):
            remember(tmp_path / "looks.jsonl", look("b", "2"), ())
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert (tmp_path / "looks.jsonl").read_bytes() == kept
