"""One's own scenarios, guards, clauses and worlds: found everywhere, replacing nothing."""

import os
import subprocess
import sys
from importlib.metadata import EntryPoint
from pathlib import Path
from types import ModuleType
from unittest.mock import patch

import pytest

from grid import extensions
from grid.errors import ConfigError
from grid.extensions import load_entry_points, load_folders

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
