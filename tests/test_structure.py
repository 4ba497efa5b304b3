import ast
import functools
import os
import re
import subprocess
import sys
import tomllib
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("grid", "frameworks", "proxy", "ledgers")

MAX_LINES = 400
MAX_FUNCTION_LINES = 60
MAX_PARAMETERS = 6
LOGIC_WORTH_A_TWIN = 4
"""A module with more statements than this inside its functions has a test twin."""

CALIBRATION = "tests/grid/cli/test_check.py"
TWINLESS = {
    "grid/scenarios/": CALIBRATION,
    "grid/worlds/": CALIBRATION,
    "grid/personas/": CALIBRATION,
    "grid/guards/": CALIBRATION,
}
"""Content, of which a file may have a twin but need not, and the test that exercises all of it."""

BAD_NAMES = ("Abstract", "Base", "Handler", "Helper", "Manager", "Util", "Utils")

# In brackets so that this file does not hold what it looks for.
FORBIDDEN_TEXT = {
    r"/wor[k]/|/far[m]/|/roo[t]/|/tmp/la[b]\b|/opt/(pyp[i]|wheel[s])": "a path of one machine",
    r"pyp[i][.]org|pythonhoste[d]|registry[.]npmj[s]|deb[.]debia[n][.]org": "a registry's host",
    r"\bissues sho[w]\b|\bproject machin[e]\b": "a tool of one workplace",
}

IMPORTED_AS = {
    "crewai": {"crewai"},
    "langchain": {"langchain", "langchain_core"},
    "langchain-openai": {"langchain_openai"},
    "langgraph": {"langgraph"},
    "strands-agents": {"strands"},
    "mitmproxy": {"mitmproxy", "mitmproxy_rs"},
    "vl-convert-python": {"vl_convert"},
}
"""What a declared distribution brings that we import, where that is not just its own name."""

RUN_AS_COMMANDS = {"pip"}
"""Declared distributions that are run and not imported."""

AS_NONVERBA = "import sys; sys.argv[0] = 'nonverba'; from grid.cli import main; main()"

MADE = (".git", ".hypothesis", ".venv", "__pycache__", "dist", "runs")

HELP_BLOCK = re.compile(
    r"^```console\n\$ (?:[.]venv/bin/)?(nonverba(?: [a-z]+)* --help)\n(.*?)^```", re.M | re.S
)


@functools.cache
def committed() -> tuple[str, ...]:
    """Every file that is or would be committed, relative to the root."""
    listing = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
        cwd=ROOT,
        capture_output=True,
        check=False,
    )
    names = listing.stdout.decode().split("\0") if listing.returncode == 0 else unpacked()
    return tuple(sorted(name for name in names if name and (ROOT / name).is_file()))


def unpacked() -> list[str]:
    """Return the files of a tree without git, less what `make` and its tools make."""
    names = []
    for folder, below, here in os.walk(ROOT):
        below[:] = [name for name in below if name not in MADE and not name.endswith("cache")]
        names += [str(Path(folder, name).relative_to(ROOT)) for name in here]
    return names


@functools.cache
def tree(name: str) -> ast.Module:
    return ast.parse((ROOT / name).read_text("utf-8"), name)


def python_files() -> list[str]:
    return [name for name in committed() if name.endswith(".py")]


def modules() -> list[str]:
    return [name for name in python_files() if name.split("/")[0] in PACKAGES]


def functions(name: str) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
    found = ast.walk(tree(name))
    return [node for node in found if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]


def parameters(function: ast.FunctionDef | ast.AsyncFunctionDef) -> list[str]:
    given = function.args
    every = [*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg]
    names = [one.arg for one in every if one is not None]
    return names[1:] if names[:1] in (["self"], ["cls"]) else names


def is_command(file: str, function: str) -> bool:
    """Return whether a function is a command, whose parameters are the options in its `--help`."""
    return file.startswith("grid/cli/") and function.endswith("_command")


def logic(name: str) -> int:
    """Count the statements inside a module's functions, without docstrings: what can go wrong."""
    inside = {
        node for function in functions(name) for node in ast.walk(function) if node is not function
    }
    return sum(
        isinstance(node, ast.stmt)
        and not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))
        for node in inside
    )


def twin(name: str) -> Path:
    """Return where a module's tests belong: tests/proxy/test_recorder.py for proxy/recorder.py.

    A package's twin bears its name; the leading underscore of a private module is not repeated.
    """
    path = Path(name)
    if path.name == "__init__.py":
        path = path.parent.with_suffix(".py")
    return Path("tests", path.parent, f"test_{path.name.lstrip('_')}")


def dotted(name: str) -> str:
    return name.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def outside_imports(name: str) -> set[str]:
    """Return the top-level names of third-party packages that a module imports, wherever."""
    names = set()
    for node in ast.walk(tree(name)):
        if isinstance(node, ast.Import):
            names |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.add(node.module.split(".")[0])
    return names - set(sys.stdlib_module_names) - set(PACKAGES)


def test_the_four_packages_are_there_and_typed() -> None:
    for package in PACKAGES:
        assert (ROOT / package / "__init__.py").is_file()
        assert (ROOT / package / "py.typed").is_file()


def test_every_folder_of_modules_is_a_package() -> None:
    folders = {str(Path(name).parent) for name in modules()}
    bare = [folder for folder in folders if not (ROOT / folder / "__init__.py").is_file()]
    assert not bare, f"without __init__.py the wheel and mypy lose them: {sorted(bare)}"


def test_no_folder_under_tests_is_a_package() -> None:
    inits = [name for name in committed() if re.fullmatch(r"tests/(.*/)?__init__[.]py", name)]
    assert not inits, "a tests/grid package would shadow grid"


def test_no_file_is_longer_than_a_reader_holds() -> None:
    lengths = {name: (ROOT / name).read_text("utf-8").count("\n") for name in python_files()}
    assert not {name: length for name, length in lengths.items() if length > MAX_LINES}


def test_no_function_is_longer_than_a_screen() -> None:
    long = [
        f"{name}:{node.lineno} {node.name} has {node.end_lineno - node.lineno + 1} lines"
        for name in python_files()
        for node in functions(name)
        if node.end_lineno and node.end_lineno - node.lineno >= MAX_FUNCTION_LINES
    ]
    assert not long


def test_no_function_takes_more_than_six_parameters() -> None:
    wide = [
        f"{name}:{node.lineno} {node.name}({', '.join(parameters(node))})"
        for name in modules()
        for node in functions(name)
        if len(parameters(node)) > MAX_PARAMETERS and not is_command(name, node.name)
    ]
    assert not wide


def test_every_module_opens_with_a_docstring() -> None:
    assert not [name for name in modules() if not ast.get_docstring(tree(name))]


def test_names_say_what_happened() -> None:
    vague = [
        f"{name}:{node.lineno} {node.name}"
        for name in modules()
        for node in ast.walk(tree(name))
        if isinstance(node, ast.ClassDef) and node.name.strip("_").endswith(BAD_NAMES)
    ]
    vague += [
        name for name in modules() if re.search(r"/_?(utils?|helpers?|base|common|misc)\b", name)
    ]
    assert not vague


def test_every_module_with_logic_has_a_test_twin() -> None:
    missing = [
        f"{name} -> {twin(name)}"
        for name in modules()
        if logic(name) > LOGIC_WORTH_A_TWIN
        and not name.startswith(tuple(TWINLESS))
        and str(twin(name)) not in committed()
    ]
    assert not missing, "\n".join(["no test twin:", *missing])


def test_every_twin_names_its_module_and_holds_a_test() -> None:
    empty = []
    for name in modules():
        path = str(twin(name))
        if path in committed():
            text = (ROOT / path).read_text("utf-8")
            named = re.search(rf"\b{dotted(name).rpartition('.')[2]}\b", text)
            if not named or not re.search(r"^ *(async )?def test_", text, re.MULTILINE):
                empty.append(path)
    assert not empty


def test_each_exception_excuses_something_and_names_a_test_that_exists() -> None:
    for place, test in TWINLESS.items():
        assert any(name.startswith(place) and logic(name) > 0 for name in modules()), place
        assert test in committed(), f"{place} rests on {test}"


def test_no_committed_file_names_a_machine_a_registry_or_a_workplace() -> None:
    found = []
    for name in committed():
        text = (ROOT / name).read_bytes().decode("utf-8", "replace")
        for pattern, what in FORBIDDEN_TEXT.items():
            found += [
                f"{name}:{text.count(chr(10), 0, hit.start()) + 1} holds {what}: {hit.group()}"
                for hit in re.finditer(pattern, text)
            ]
    assert not found


def test_wire_decoders_import_only_the_standard_library_and_grid() -> None:
    wrong = []
    for name in modules():
        if not name.startswith("proxy/wire/"):
            continue
        wrong += [f"{name} imports {outside}" for outside in outside_imports(name)]
        for node in ast.walk(tree(name)):
            target = node.module if isinstance(node, ast.ImportFrom) else None
            targets = (
                [alias.name for alias in node.names] if isinstance(node, ast.Import) else [target]
            )
            for one in targets:
                top, _, rest = (one or "").partition(".")
                if top in ("frameworks", "ledgers") or (
                    top == "proxy" and rest.split(".")[0] != "wire"
                ):
                    wrong.append(f"{name} imports {one}")
    assert not wrong


def declared() -> dict[str, set[str]]:
    """Return, for the core and each extra, the import names that its distributions bring."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    groups = {"core": project["dependencies"], **project["optional-dependencies"]}
    return {
        group: set().union(*(imports(line) for line in lines))
        for group, lines in groups.items()
        if group != "all"
    }


def requirements(project: dict[str, Any]) -> list[str]:
    return [*project["dependencies"], *chain(*project["optional-dependencies"].values())]


def imports(requirement: str) -> set[str]:
    name = re.split(r"[\[<>=~!; ]", requirement, maxsplit=1)[0]
    return IMPORTED_AS.get(name, {name.replace("-", "_")})


def serving_groups(name: str) -> tuple[str, ...]:
    """Return whose dependencies a module may import."""
    if name.startswith("frameworks/") and name != "frameworks/scripted.py":
        return ("core", "frameworks")
    if name.startswith("proxy/") and not name.startswith("proxy/wire/"):
        return ("core", "proxy", "local")  # ruff bans `local` at module level, too
    return ("core", "stats")  # ruff bans `stats` at module level, so only a lazy import can pass


def test_every_import_is_declared_where_its_module_is_installed() -> None:
    allowed = declared()
    undeclared = [
        f"{name} imports {outside}, which is not in {' or '.join(serving_groups(name))}"
        for name in modules()
        for outside in outside_imports(name)
        if not any(outside in allowed[group] for group in serving_groups(name))
    ]
    assert not undeclared


def test_every_declared_dependency_is_imported() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    lines = requirements(project)
    used = RUN_AS_COMMANDS.union(*(outside_imports(name) for name in modules()))
    idle = [line for line in lines if not line.startswith("nonverba[") and not imports(line) & used]
    assert not idle, "declared, but no module imports it"


def test_the_help_blocks_of_the_readme_are_what_the_program_prints() -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    for command, printed in HELP_BLOCK.findall(readme):
        shown = subprocess.run(
            [sys.executable, "-c", AS_NONVERBA, *command.split()[1:]],
            cwd=ROOT, capture_output=True, text=True, check=True,
            env=os.environ | {"COLUMNS": "80", "NO_COLOR": "1", "TERM": "dumb"},
        ).stdout  # fmt: skip
        assert lines_of(printed) == lines_of(shown), (
            f"paste the output of `{command}` into README.md"
        )


def lines_of(text: str) -> list[str]:
    return [line.rstrip() for line in text.strip("\n").splitlines() if line.strip()]


BREACHES = {
    "grid/world.py: import ledgers": "grid's vocabulary stands at the bottom",
    "grid/world.py: import grid.cli": "only __main__ imports the command line",
    "frameworks/scripted.py: import proxy.wire": "frameworks knows neither proxy nor ledgers",
    "proxy/wire/__init__.py: import ledgers": "proxy knows neither frameworks nor ledgers",
    "ledgers/__init__.py: import proxy.server": "of proxy only the wire decoders",
    "ledgers/__init__.py: import frameworks": "ledgers knows no framework",
    "frameworks/strands.py: import langchain": "a framework is imported in its one adapter",
    "grid/world.py: import crewai": "a framework is imported in its one adapter",
    "proxy/wire/__init__.py: import mitmproxy": "mitmproxy is imported in proxy only",
    "grid/cli/__init__.py: import proxy.server": "mitmproxy is imported in proxy only",
}
"""A line that must not be written, and the contract that must refuse it."""


@pytest.mark.parametrize("breach", BREACHES)
def test_each_import_contract_refuses_what_it_is_there_for(breach: str, tmp_path: Path) -> None:
    for name in [*modules(), "pyproject.toml"]:
        copy = tmp_path / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes((ROOT / name).read_bytes())
    name, line = breach.split(": ")
    with (tmp_path / name).open("a") as module:
        module.write(f"\n{line}\n")
    linted = subprocess.run(
        [str(Path(sys.executable).with_name("lint-imports")), "--no-cache"],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    broken = [
        one for one in linted.stdout.splitlines() if one.split("(")[0].rstrip().endswith("BROKEN")
    ]
    assert linted.returncode == 1, linted.stdout + linted.stderr
    assert any(BREACHES[breach] in one for one in broken), linted.stdout
