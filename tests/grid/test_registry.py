"""`registry`: a folder of modules, imported one by one when asked for, with helpful refusals."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from grid.errors import ConfigError
from grid.registry import load, module_names, unknown

PACKAGE = "shelf_of_plugins"


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    folder = tmp_path / PACKAGE
    folder.mkdir()
    for name, text in {
        "__init__": "",
        "pear": "NAME = 'pear'",
        "apple": "NAME = 'apple'",
        "broken": "import a_package_that_is_nowhere",
        "crooked": "1 / 0",
        "half": "NAME = (",
        "leaver": "raise SystemExit(0)",
        "zero": "\0",
        "_hidden": "raise RuntimeError('a private module was imported')",
    }.items():
        (folder / f"{name}.py").write_text(text)
    (folder / "notes.txt").write_text("no module")
    monkeypatch.syspath_prepend(tmp_path)
    yield PACKAGE
    module_names.cache_clear()
    for name in [name for name in sys.modules if name.split(".")[0] == PACKAGE]:
        del sys.modules[name]


def test_names_are_sorted_and_private_modules_and_other_files_are_none(package: str) -> None:
    assert module_names(package) == (
        "apple",
        "broken",
        "crooked",
        "half",
        "leaver",
        "pear",
        "zero",
    )


def test_naming_the_modules_imports_none_of_them(package: str) -> None:
    module_names(package)
    assert not [name for name in sys.modules if name.startswith(PACKAGE + ".")]


def test_a_module_is_imported_when_it_is_asked_for_and_alone(package: str) -> None:
    assert load(package, "pear", "fruit").NAME == "pear"
    assert f"{PACKAGE}.apple" not in sys.modules


def test_a_module_that_breaks_says_so_when_it_is_asked_for_and_not_before(package: str) -> None:
    assert load(package, "apple", "fruit").NAME == "apple"
    sentence = "the file of fruit 'broken' imports 'a_package_that_is_nowhere', which is not there"
    with pytest.raises(ConfigError, match=sentence):
        load(package, "broken", "fruit")


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("half", "the file of fruit 'half', line 1: .*never closed"),
        ("crooked", "the file of fruit 'crooked' fails: ZeroDivisionError"),
        ("apple", "the file of fruit 'apple' does not define 'TASTE'; write it at"),
    ],
)
def test_a_file_that_is_no_entry_is_named_with_what_is_wrong(
    package: str, name: str, sentence: str
) -> None:
    with pytest.raises(ConfigError, match=sentence):
        load(package, name, "fruit", "TASTE")


@pytest.mark.parametrize("name", ["_hidden", "", "pear.NAME", "notes", "..", "__init__", "PEAR"])
def test_nothing_but_a_public_module_can_be_asked_for(package: str, name: str) -> None:
    with pytest.raises(
        ConfigError, match="Known: apple, broken, crooked, half, leaver, pear, zero"
    ) as refused:
        load(package, name, "fruit")
    assert refused.value.field == "fruits"


def test_near_names_come_before_all_names() -> None:
    assert str(unknown("fruit", "pears", ["pear", "apple"])) == (
        "unknown fruit 'pears'. Did you mean pear? Known: apple, pear"
    )


def test_nothing_is_suggested_for_what_resembles_nothing() -> None:
    assert str(unknown("fruit", "xyz", ["pear"])) == "unknown fruit 'xyz'. Known: pear"


def test_a_module_that_exits_does_not_end_the_command(package: str) -> None:
    with pytest.raises(ConfigError, match="the file of fruit 'leaver' fails: SystemExit: 0"):
        load(package, "leaver", "fruit")


def test_a_line_is_named_only_where_there_is_one(package: str) -> None:
    with pytest.raises(ConfigError, match="the file of fruit 'zero': source code"):
        load(package, "zero", "fruit")


def test_a_folder_under_a_modules_name_is_no_file(package: str, tmp_path: Path) -> None:
    (tmp_path / PACKAGE / "crate.py").mkdir()
    with pytest.raises(ConfigError, match="fruit 'crate' cannot be read; is it a file"):
        load(package, "crate", "fruit")


def test_what_is_defined_must_be_of_its_kind(package: str) -> None:
    assert load(package, "pear", "fruit", "NAME", str)
    with pytest.raises(ConfigError, match="'pear': NAME must be a int, not str"):
        load(package, "pear", "fruit", "NAME", int)
