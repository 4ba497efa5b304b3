"""One's own scenarios, guards, clauses and worlds: found everywhere, replacing nothing."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib.metadata import EntryPoint
from pathlib import Path
from types import ModuleType
from unittest.mock import patch

import pytest

from grid import clauses, extensions
from grid.errors import ConfigError
from grid.extensions import clause_ids, load_clauses, load_entry_points, load_folders

ROOT = Path(__file__).parents[2]
CLAUSE = (
    '+++\nid = "mine"\nlanguage = "en"\nplacement = "append"\nsummary = "Mine."\n+++\nBe kind.\n'
)
GUARD = """
from grid.guard import Guard
GUARD = Guard(id="mine", summary="refuses nothing")
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for kind, name, text in (
        ("clauses", "mine.md", CLAUSE),
        ("guards", "mine.py", GUARD),
        ("worlds", "shelf.py", "TOOLS = ()"),
    ):
        (tmp_path / "own" / kind).mkdir(parents=True)
        (tmp_path / "own" / kind / name).write_text(text)
    return tmp_path / "own"


def python(code: str, **more: str) -> subprocess.CompletedProcess[str]:
    """Run code in a process of its own: what is loaded stays loaded."""
    return subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"PYTHONPATH": str(ROOT)} | more,
    )


def test_what_a_folder_holds_is_found_like_the_projects_own(folder: Path) -> None:
    done = python(
        "from pathlib import Path\n"
        "from grid.extensions import load_folders\n"
        "from grid.clauses import all_clauses, clause_for\n"
        "from grid.guards import all_guards\n"
        "from grid.registry import load\n"
        "assert 'mine' not in {c.id for c in all_clauses()}\n"
        f"load_folders([Path({str(folder)!r})])\n"
        "assert clause_for('mine', 'en').text == 'Be kind.'\n"
        "assert 'mine' in {g.id for g in all_guards()}\n"
        "assert load('grid.worlds', 'shelf', 'world').TOOLS == ()\n"
    )
    assert done.returncode == 0, done.stderr


def test_a_process_that_is_started_from_here_loads_the_same(folder: Path) -> None:
    code = (
        "from grid.extensions import load_inherited\n"
        "from grid.guards import all_guards\n"
        "load_inherited()\n"
        "assert 'mine' in {g.id for g in all_guards()}\n"
    )
    assert python(code).returncode == 1
    done = python(code, **{extensions.VARIABLE: str(folder)})
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda path: None, "'own' is no folder; write one that holds scenarios/, worlds/"),
        (lambda path: path.mkdir(), "'own' holds none of scenarios/, worlds/, guards/"),
        (
            lambda path: [
                (path / "guards").mkdir(parents=True),
                (path / "guards" / "write_scope.py").write_text("GUARD = None"),
            ],
            r"own/guards/write_scope\.py: that name is taken; rename the file",
        ),
        (  # a package, and a module that only the shipped ones see: neither would ever be found
            lambda path: [
                (path / "guards" / "write_scope").mkdir(parents=True),
                (path / "guards" / "write_scope" / "__init__.py").write_text(""),
            ],
            r"own/guards/write_scope\.py: that name is taken",
        ),
        (
            lambda path: [
                (path / "frameworks").mkdir(parents=True),
                (path / "frameworks" / "_run.py").write_text(""),
            ],
            r"own/frameworks/_run\.py: that name is taken",
        ),
        (
            lambda path: [
                (path / "scenarios").mkdir(parents=True),
                (path / "scenarios" / "my.own.py").write_text(""),
            ],
            r"own/scenarios/my\.own\.py: name the file with letters",
        ),
    ],
)
def test_what_cannot_be_loaded_is_refused_with_what_to_write(
    tmp_path: Path, make: object, sentence: str
) -> None:
    path = tmp_path / "own"
    assert callable(make)
    make(path)
    before = list(sys.modules["grid.guards"].__path__)
    with pytest.raises(ConfigError, match=sentence):
        load_folders([path])
    assert list(sys.modules["grid.guards"].__path__) == before


def test_an_entry_point_must_be_a_package_that_can_be_imported() -> None:
    point = EntryPoint(name="own", value="a_package_of_nobody", group=extensions.GROUP)
    with (
        patch.object(extensions, "entry_points", lambda group: (point,)),
        pytest.raises(ConfigError, match="entry point 'own' of 'nonverba' cannot be imported"),
    ):
        load_entry_points()
    plain = EntryPoint(name="own", value="string", group=extensions.GROUP)
    with (
        patch.object(extensions, "entry_points", lambda group: (plain,)),
        pytest.raises(ConfigError, match="must name a package"),
    ):
        load_entry_points()


def test_the_folder_of_an_entry_point_is_loaded(folder: Path) -> None:
    package = ModuleType("own_package")
    package.__path__ = [str(folder)]
    taken: list[Path] = []
    point = EntryPoint(name="own", value="own_package", group=extensions.GROUP)
    with (
        patch.dict(sys.modules, {"own_package": package}),
        patch.object(extensions, "entry_points", lambda group: (point,)),
        patch.object(extensions, "load_folders", lambda found: taken.extend(found)),
    ):
        load_entry_points()
    assert taken == [folder]


def test_a_path_that_children_could_not_read_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a:b" / "guards").mkdir(parents=True)
    with pytest.raises(ConfigError, match="no ':' may stand in the path of 'a:b'"):
        load_folders([tmp_path / "a:b"])


OWN_GUARDS = {
    "GUARD = None": "the file of guard 'mine': GUARD must be a Guard, not NoneType",
    GUARD.replace('"mine"', '"write_scope"'): "the file of guard 'mine': write id='mine'",
}


@pytest.mark.parametrize("text", OWN_GUARDS)
def test_a_guard_that_is_none_or_goes_by_anothers_name_is_refused(folder: Path, text: str) -> None:
    (folder / "guards" / "mine.py").write_text(text)
    done = python(
        "from pathlib import Path\n"
        "from grid.errors import ConfigError\n"
        "from grid.extensions import load_folders\n"
        "from grid.guards import all_guards\n"
        f"load_folders([Path({str(folder)!r})])\n"
        "try:\n    all_guards()\nexcept ConfigError as error:\n    print(error)\n"
    )
    assert done.stdout.strip() == OWN_GUARDS[text], done.stderr


# --- clauses --------------------------------------------------------------------------------------


@pytest.fixture
def texts(tmp_path: Path) -> Iterator[Path]:
    """A folder of clauses; whatever is loaded from it is forgotten afterwards."""
    place, before = tmp_path / "texts", os.environ.get(extensions.VARIABLE)
    place.mkdir()
    (place / "kind.en.md").write_text("Be kind.")
    (place / "kind.ja.md").write_text("優しく。")
    (place / "plain.md").write_text("Be plain.")
    (place / "notes.txt").write_text("No clause.")
    yield place
    clauses.own_files().clear()
    clauses.forget()
    os.environ.pop(extensions.VARIABLE, None)
    if before is not None:
        os.environ[extensions.VARIABLE] = before


def test_a_path_that_is_named_is_loaded_and_an_id_stays_an_id(texts: Path) -> None:
    found = clause_ids(["none", str(texts / "plain.md"), "nonesuch"])
    assert found == ("none", "plain", "nonesuch")
    assert clauses.clause_for("plain", "ja").text == "Be plain."
    assert os.environ[extensions.VARIABLE] == str(texts / "plain.md")


def test_a_folder_stands_for_all_its_clauses_each_in_its_languages(texts: Path) -> None:
    assert clause_ids([str(texts)]) == ("kind", "plain")
    assert clauses.clause_for("kind", "ja").text == "優しく。"
    assert clause_ids([str(texts / "plain.md"), str(texts)]) == ("plain", "kind")
    assert len(clauses.own_files()) == 3


def test_paths_start_from_the_folder_that_is_told(texts: Path) -> None:
    assert clause_ids(["plain.md"], texts) == ("plain",)
    assert clause_ids(["texts"], texts.parent) == ("kind", "plain")


def test_what_one_process_loaded_its_children_load_and_recognise(texts: Path) -> None:
    load_clauses(texts)
    done = python(
        "from grid.extensions import load_inherited\n"
        "from grid.clauses import clause_for, clause_in\n"
        "load_inherited()\n"
        "assert clause_for('kind', 'en').text == 'Be kind.'\n"
        "assert clause_in('Base. Be plain.').id == 'plain'\n"
    )
    assert done.returncode == 0, done.stderr


BAD_CLAUSES: dict[str, tuple[Callable[[Path], object], str]] = {
    "nowhere.md": (lambda _: None, "'nowhere.md' is not there; write the path of a clause file"),
    "notes.txt": (
        lambda path: path.write_text("x"),
        r"'notes.txt' must be a file that ends in .md, or a folder of such",
    ),
    "empty": (lambda path: path.mkdir(), r"'empty' holds no file that ends in .md"),
    "odd.md": (lambda path: path.mkdir(), r"'odd.md' holds no file that ends in .md"),
    "none.md": (
        lambda path: path.write_text("x"),
        "'none.md': there is a clause 'none' already; name the file, or the id in its head, other",
    ),
    "penalty.fr.md": (lambda path: path.write_bytes(b"\xff"), "penalty.fr.md: cannot be read as"),
    "blank.md": (lambda path: path.write_text("\n"), "blank.md: it is empty"),
    "kind.md": (lambda path: path.write_text("x"), "two clauses are called 'kind' in"),
    "a:b.md": (lambda path: path.write_text("x"), "its id 'a:b' must be letters"),
    "long.md": (lambda path: path.write_text("x" * 90_000), "that is no clause"),
}


@pytest.mark.parametrize("name", BAD_CLAUSES)
def test_a_clause_that_cannot_be_loaded_leaves_everything_as_it_was(texts: Path, name: str) -> None:
    load_clauses(texts)
    before = (list(clauses.own_files()), clauses.all_clauses(), os.environ[extensions.VARIABLE])
    make, sentence = BAD_CLAUSES[name]
    place = texts.parent / name
    make(place)
    with pytest.raises(ConfigError, match=sentence):
        clause_ids([str(place)])
    after = (list(clauses.own_files()), clauses.all_clauses(), os.environ[extensions.VARIABLE])
    assert after == before


def test_a_path_of_a_clause_that_children_could_not_read_is_refused(texts: Path) -> None:
    (texts.parent / "a:b").mkdir()
    (texts.parent / "a:b" / "mine.md").write_text("x")
    with pytest.raises(ConfigError, match=r"no ':' may stand in the path of 'mine.md'"):
        load_clauses(texts.parent / "a:b" / "mine.md")


def test_the_name_of_a_link_is_the_name_of_the_clause(texts: Path) -> None:
    (texts.parent / "alias.md").symlink_to(texts / "plain.md")
    assert clause_ids([str(texts.parent / "alias.md"), str(texts / "plain.md")]) == (
        "alias",
        "plain",
    )


def test_a_clause_of_a_loaded_folder_may_do_without_a_head(folder: Path) -> None:
    (folder / "clauses" / "bare.en.md").write_text("Be bare.")
    done = python(
        "from pathlib import Path\n"
        "from grid.extensions import load_folders\n"
        "from grid.clauses import clause_for\n"
        f"load_folders([Path({str(folder)!r})])\n"
        "assert clause_for('bare', 'en').text == 'Be bare.'\n"
    )
    assert done.returncode == 0, done.stderr
