import importlib.util
import os
import re
import shutil
import socket
import stat
import subprocess
import sys
import sysconfig
import tomllib
import zipfile
from email.parser import Parser
from importlib import metadata
from itertools import chain
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("grid", "frameworks", "proxy", "ledgers")
FINDER = ROOT / ".ci" / "find-python"
OURS_BY_MAKE = Path(sys.prefix) == ROOT / ".venv"

# A Python that answers the finder's probe with what its folder's name says.
FAKE = """#!/bin/sh
printf '%s' '{version}|{path}|{problem}'
"""


def fake_python(folder: Path, name: str, version: str, problem: str = "") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    program = folder / name
    program.write_text(FAKE.format(version=version, path=program, problem=problem))
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    return program


def find(tmp_path: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the finder in an empty folder that sees only the fakes and the shell's own tools."""
    tools = tmp_path / "tools"
    tools.mkdir(exist_ok=True)
    for name in ("cat", "env", "sh"):
        found = shutil.which(name)
        assert found
        (tools / name).unlink(missing_ok=True)
        (tools / name).symlink_to(found)
    path = os.pathsep.join([str(tmp_path / "bin"), str(tools)])
    return subprocess.run(
        ["sh", str(FINDER)],
        cwd=tmp_path,
        env={"PATH": path, "HOME": str(tmp_path / "home"), **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def test_an_old_python_is_refused_with_its_version_and_what_to_install(tmp_path: Path) -> None:
    fake_python(tmp_path / "bin", "python3", "3.11.7", "older than 3.12")
    answer = find(tmp_path, PYENV_ROOT=str(tmp_path / "none"))
    if answer.returncode == 0:
        pytest.skip(f"a Python of the whole system is found: {answer.stdout.strip()}")
    assert answer.returncode == 2
    assert answer.stdout == ""
    assert "nonverba needs Python 3.12 or 3.13. Found only:" in answer.stderr
    assert "python3 is Python 3.11.7: older than 3.12" in answer.stderr
    assert "pyenv install 3.13" in answer.stderr


def test_the_named_python_is_the_only_one_considered(tmp_path: Path) -> None:
    fake_python(tmp_path / "bin", "python3.13", "3.13.0")
    old = fake_python(tmp_path / "old", "python3", "3.9.18", "older than 3.12")
    answer = find(tmp_path, PYTHON=str(old))
    assert answer.returncode == 2
    assert "PYTHON names another" in answer.stderr
    assert "3.9.18" in answer.stderr


def test_a_named_python_that_does_not_run_is_said_to_be_so(tmp_path: Path) -> None:
    answer = find(tmp_path, PYTHON="/nowhere/python9")
    assert answer.returncode == 2
    assert "PYTHON=/nowhere/python9 does not run" in answer.stderr


def test_a_fitting_name_on_the_path_wins_over_an_old_one(tmp_path: Path) -> None:
    fake_python(tmp_path / "bin", "python3", "3.11.7", "older than 3.12")
    good = fake_python(tmp_path / "bin", "python3.12", "3.12.1")
    assert find(tmp_path).stdout == f"{good}\n"


def test_a_pyenv_version_is_found_although_its_shims_hide_it(tmp_path: Path) -> None:
    fake_python(tmp_path / "bin", "python3", "3.11.7", "older than 3.12")
    shim = tmp_path / "bin" / "python3.13"
    shim.write_text("#!/bin/sh\necho 'pyenv: python3.13: command not found' >&2\nexit 127\n")
    shim.chmod(0o755)
    hidden = fake_python(tmp_path / "home/.pyenv/versions/3.13.0/bin", "python3", "3.13.0")
    assert find(tmp_path).stdout == f"{hidden}\n"


def test_the_python_behind_an_existing_environment_is_kept(tmp_path: Path) -> None:
    fake_python(tmp_path / "bin", "python3.13", "3.13.0")
    kept = fake_python(tmp_path / ".venv/bin", "python", "3.12.1")
    assert find(tmp_path).stdout == f"{kept}\n"


def test_a_python_without_its_venv_module_is_refused_with_the_package_to_install(
    tmp_path: Path,
) -> None:
    lame = fake_python(
        tmp_path / "bin", "python3.12", "3.12.1", "without its module ensurepip (apt install it)"
    )
    answer = find(tmp_path, PYTHON=str(lame))
    assert answer.returncode == 2
    assert "without its module ensurepip (apt install it)" in answer.stderr


def test_the_running_python_passes_the_real_probe(tmp_path: Path) -> None:
    answer = find(tmp_path, PYTHON=sys.executable)
    assert answer.returncode == 0, answer.stderr
    assert Path(answer.stdout.strip()).resolve() == Path(sys.executable).resolve()


def test_make_alone_lists_every_target() -> None:
    shown = subprocess.run(
        ["make", "-s"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    targets = re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.M)
    assert set(targets) == set(re.findall(r"^make ([a-z]+) ", shown, re.M))


# Hides every installed distribution outside the closure of the core dependencies, then imports all
# that a core install must be able to use.
CORE_ONLY = """
import importlib, importlib.abc, pkgutil, re, sys
from importlib import metadata

def name_of(text):
    return re.sub(r"[-_.]+", "-", re.split(r"[^A-Za-z0-9._-]", text, maxsplit=1)[0]).lower()

core, waiting = set(), list(sys.argv[1:])
while waiting:
    name = name_of(waiting.pop())
    if name in core:
        continue
    core.add(name)
    try:
        needs = metadata.requires(name) or []
    except metadata.PackageNotFoundError:  # for another system
        continue
    waiting += [need for need in needs if "extra ==" not in need]

owners = metadata.packages_distributions()

class OnlyCore(importlib.abc.MetaPathFinder):
    def find_spec(self, fullname, path=None, target=None):
        owned = {name_of(owner) for owner in owners.get(fullname.partition(".")[0], ())}
        if owned and not owned & (core | {"nonverba"}):
            raise ModuleNotFoundError(f"{fullname} is not part of a core install", name=fullname)
        return None

sys.meta_path.insert(0, OnlyCore())
for absent in ("mitmproxy", "strands", "langgraph", "crewai", "langchain", "statsmodels"):
    try:
        importlib.import_module(absent)
    except ModuleNotFoundError:
        continue
    sys.exit(f"{absent} is not hidden: this test proves nothing")

wanted = ["frameworks.scripted"]
for root in ("grid", "ledgers", "proxy.wire"):
    package = importlib.import_module(root)
    wanted += [root, *(m.name for m in pkgutil.walk_packages(package.__path__, root + "."))]
for name in wanted:
    if name != "grid.__main__":
        importlib.import_module(name)
print(len(wanted))
"""


def test_a_core_install_can_import_all_that_runs_scripted_judges_and_verifies() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    done = subprocess.run(
        [sys.executable, "-c", CORE_ONLY, *project["dependencies"]],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 40


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    (built,) = folder.glob("*.whl")
    return zipfile.ZipFile(built)


def test_the_wheel_holds_every_file_of_the_four_packages(wheel: zipfile.ZipFile) -> None:
    listing = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", *PACKAGES],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if listing.returncode:
        pytest.skip("not a git checkout, so nothing says which files belong")
    expected = {name for name in listing.stdout.split() if (ROOT / name).is_file()}
    packed = {name for name in wheel.namelist() if ".dist-info/" not in name}
    assert packed == expected
    assert "grid/clauses/tool-output-is-data.en.md" in packed
    assert {f"{package}/py.typed" for package in PACKAGES} <= packed


def test_the_wheel_declares_the_extras_the_program_and_the_licence(wheel: zipfile.ZipFile) -> None:
    (folder,) = {name.split("/")[0] for name in wheel.namelist() if ".dist-info/" in name}
    about = Parser().parsestr(wheel.read(f"{folder}/METADATA").decode())
    extras = {"all", "frameworks", "local", "proxy", "stats"}
    assert set(about.get_all("Provides-Extra", [])) == extras
    assert about["License-Expression"] == "Apache-2.0"
    assert about["Requires-Python"] == ">=3.12"
    assert b"nonverba = grid.cli:main" in wheel.read(f"{folder}/entry_points.txt")
    assert b"Apache License" in wheel.read(f"{folder}/licenses/LICENSE")


def test_the_unpacked_wheel_reads_its_own_data_files(
    wheel: zipfile.ZipFile, tmp_path: Path
) -> None:
    wheel.extractall(tmp_path / "installed")
    script = (
        "import grid.clauses, sys\n"
        "assert grid.clauses.__file__.startswith(sys.argv[1]), grid.clauses.__file__\n"
        "from importlib.resources import files\n"
        "print(len([f for f in files('grid.clauses').iterdir() if f.name.endswith('.md')]))\n"
    )
    shown = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path / "installed")],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(tmp_path / "installed")},
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert int(shown) == len(list((ROOT / "grid" / "clauses").glob("*.md")))


def test_no_installed_package_takes_one_of_our_four_names() -> None:
    site = Path(sysconfig.get_paths()["purelib"])
    taken = [name for name in PACKAGES if (site / name).exists() or (site / f"{name}.py").exists()]
    assert not taken


def test_the_lock_pins_every_declared_dependency_with_hashes_and_no_address() -> None:
    lock = (ROOT / "requirements.lock").read_text("utf-8")
    assert "://" not in lock
    assert "#" not in lock
    pins = dict(
        re.findall(r"^([a-z0-9-]+)==(\S+)(?=.*\\\n    --hash=sha256:[0-9a-f]{64})", lock, re.M)
    )
    assert len(pins) == len(re.findall(r"^\S", lock, re.M)), "a line without a hash"
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    lines = [
        *settings["project"]["dependencies"],
        *chain(*settings["project"]["optional-dependencies"].values()),
        *settings["dependency-groups"]["dev"],
        *settings["build-system"]["requires"],
    ]
    names = {re.split(r"[\[<>=~!; ]", line, maxsplit=1)[0] for line in lines} - {"nonverba"}
    assert not names - set(pins)


@pytest.mark.skipif(not OURS_BY_MAKE, reason="not the environment of `make setup`")
def test_the_environment_is_the_locked_one() -> None:
    lock = (ROOT / "requirements.lock").read_text("utf-8")
    pins = dict(re.findall(r"^([a-z0-9-]+)==(\S+)", lock, re.M))
    differing = {
        name: f"{distribution.version} instead of {pins.get(name)}"
        for distribution in metadata.distributions()
        if (name := re.sub(r"[-_.]+", "-", distribution.name).lower()) not in ("pip", "nonverba")
        and distribution.version != pins.get(name)
    }
    assert not differing, "run `make clean setup`"


@pytest.mark.skipif(not OURS_BY_MAKE, reason="not the environment of `make setup`")
def test_the_program_runs_from_any_folder(tmp_path: Path) -> None:
    shown = subprocess.run(
        [str(ROOT / ".venv" / "bin" / "nonverba"), "--help"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert "nonverba" in shown


@pytest.mark.skipif(not OURS_BY_MAKE, reason="not the environment of `make setup`")
def test_installed_packages_come_with_their_bytecode() -> None:
    for name in ("jsonschema", "mitmproxy", "crewai", "strands", "langgraph"):
        spec = importlib.util.find_spec(name)
        assert spec
        folder = spec.submodule_search_locations
        assert folder
        sources = [p for p in Path(next(iter(folder))).glob("*.py") if p.stat().st_size]
        stale = [
            str(source)
            for source in sources
            if not Path(importlib.util.cache_from_source(str(source))).is_file()
        ]
        assert not stale


@pytest.mark.skipif(not OURS_BY_MAKE, reason="not the environment of `make setup`")
def test_the_locked_packages_agree_with_one_another() -> None:
    checked = subprocess.run(
        [str(ROOT / ".venv" / "bin" / "uv"), "pip", "check", "--python", sys.executable],
        capture_output=True,
        text=True,
        check=False,
    )
    assert checked.returncode == 0, checked.stderr


@pytest.mark.skipif(
    os.environ.get("NONVERBA_NETWORK") != "off", reason="the system gives no network namespace"
)
def test_the_suite_runs_with_the_network_off_and_loopback_on(reached: list[str]) -> None:
    script = (
        "import socket\n"
        "server = socket.create_server(('127.0.0.1', 0))\n"
        "socket.create_connection(server.getsockname()).close()\n"
        "try:\n"
        "    socket.create_connection(('192.0.2.1', 9), timeout=5)\n"
        "except OSError as error:\n"
        "    print(error.errno)\n"
    )
    shown = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    ).stdout
    assert shown.strip() == "101", "the network is unreachable"


@pytest.mark.parametrize("host", ["192.0.2.1", "telemetry.example.invalid", "2001:db8::1"])
def test_the_guard_refuses_and_remembers_an_outside_address(host: str, reached: list[str]) -> None:
    with pytest.raises(ConnectionError, match="talk to nothing but this machine"):
        socket.create_connection((host, 443), timeout=1)
    assert len(reached) == 1
    reached.clear()


def test_the_guard_lets_loopback_through(reached: list[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        socket.create_connection(server.getsockname()).close()
    assert reached == []
