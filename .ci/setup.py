"""Builds `.venv` from `requirements.lock`, once, and trusts it only when it was finished.

Called by `make setup` with the interpreter that `.ci/find-python` chose; needs only the standard
library. Every package is installed by exact version and hash, as a wheel, so that no foreign build
code runs; its bytecode is compiled at once. uv does the work when it can be had from the registry
(the lock pins it too), pip otherwise. The last act writes a stamp that names the lock, the
interpreter and the folder: a missing or different stamp means the environment is built again from
nothing. The user's own index, certificate and proxy settings are kept; settings that would change
what is installed, or where, are not.
"""

import contextlib
import fcntl
import hashlib
import os
import re
import shutil
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
UV = VENV / "bin" / "uv"
LOCK = ROOT / "requirements.lock"
STAMP = VENV / "nonverba-setup"
EXACTLY = ("--require-hashes", "--no-deps", "--only-binary", ":all:")
"""What both installers are told: these files, no others, and nothing that must be built."""
WORTH_A_LINE = 0.2
"""A step that took fewer seconds is not reported."""

# Where packages come from and how to get there is the user's business, what and where to is ours.
KEPT_SETTINGS = (
    "CACHE", "CERT", "CONCURRENT", "CONFIG_FILE", "CREDENTIALS", "FIND_LINKS", "HTTP", "INDEX",
    "INSECURE_HOST", "KEYRING", "LINK_MODE", "NATIVE_TLS", "NETRC", "OFFLINE", "PROXY", "RETRIES",
    "TIMEOUT", "TRUSTED_HOST",
)  # fmt: skip


class SetupFailed(Exception):
    """Set-up cannot go on; the text says why and what to do."""


def main() -> int:
    """Bring `.venv` up to date; do nothing, silently, when it already is."""
    started = time.monotonic()
    with _only_one():
        environment, project = _environment_mark(), _project_mark()
        done = _stamp()
        if done == [environment, project]:
            return 0
        if done[:1] != [environment]:
            _build()
        _write_stamp(environment)
        _install_project()
        _write_stamp(environment, project)
    print(f"Set up in {time.monotonic() - started:.0f} s.", flush=True)
    return 0


@contextlib.contextmanager
def _only_one() -> Iterator[None]:
    """Hold a lock on the lock file: two terminals may both type `make`."""
    with LOCK.open("rb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        yield


def _environment_mark() -> str:
    state = hashlib.sha256()
    for part in (
        LOCK.read_bytes(),
        Path(__file__).read_bytes(),
        str(ROOT).encode(),  # the scripts in .venv/bin hold the absolute path
        f"{Path(sys.executable).resolve()} {sys.version}".encode(),
    ):
        state.update(len(part).to_bytes(8) + part)
    return state.hexdigest()


def _project_mark() -> str:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    parts = [settings.get(key) for key in ("build-system", "project")]
    parts.append(settings.get("tool", {}).get("hatch"))
    return hashlib.sha256(repr(parts).encode()).hexdigest()


def _stamp() -> list[str]:
    if not PYTHON.exists():  # also when its interpreter was uninstalled
        return []
    try:
        return STAMP.read_text("utf-8").split()
    except FileNotFoundError:
        return []


def _write_stamp(*lines: str) -> None:
    fresh = STAMP.with_suffix(".new")
    fresh.write_text("\n".join(lines) + "\n", "utf-8")
    fresh.replace(STAMP)


def _build() -> None:
    count = len(re.findall(r"^\S+==", LOCK.read_text("utf-8"), re.MULTILINE))
    version = ".".join(map(str, sys.version_info[:3]))
    print(f"Setting up .venv with Python {version}: {count} locked packages, once.", flush=True)
    if VENV.is_symlink():
        VENV.unlink()
    elif VENV.exists():
        shutil.rmtree(VENV)
    _run("creating the environment", [sys.executable, "-m", "venv", str(VENV)])
    if not (_bootstrap_uv() and _install_with_uv()):
        _install_with_pip()


def _bootstrap_uv() -> bool:
    """Install the locked uv into the environment itself; False when that cannot be done."""
    if os.environ.get("NONVERBA_INSTALLER") == "pip":
        return False
    pinned = VENV / "uv.txt"
    pinned.write_text(_locked("uv"), "utf-8")
    try:
        _run("fetching uv", [*_pip(), *EXACTLY, "-r", str(pinned)])
        _run("starting uv", [str(UV), "-q", "self", "version"])
    except SetupFailed:
        print("uv cannot be installed here; going on with pip, which takes longer.", flush=True)
        return False
    finally:
        pinned.unlink()
    return True


def _install_with_uv() -> bool:
    command = [*_uv(), *EXACTLY, "--compile-bytecode", "-r", str(LOCK)]
    try:
        _run("installing packages", command)
    except SetupFailed:
        print(
            "uv could not install the packages; trying again with pip, which takes longer.",
            flush=True,
        )
        return False
    return True


def _install_with_pip() -> None:
    _run("installing packages", [*_pip(), *EXACTLY, "--no-compile", "-r", str(LOCK)])
    # Exit code 1 also means that some package ships a template that is no Python: not our business.
    _run(
        "compiling bytecode", [str(PYTHON), "-m", "compileall", "-q", "-q", "-j0", _site()], {0, 1}
    )


def _install_project() -> None:
    """Install the checkout in place, from what is already here: nothing is fetched."""
    tool = [*_uv(), "--offline"] if UV.exists() else [*_pip(), "--no-index"]
    _run("installing nonverba", [*tool, "--no-deps", "--no-build-isolation", "-e", str(ROOT)])


def _pip() -> list[str]:
    return [str(PYTHON), "-m", "pip", "install", "-qq", "--no-user", "--disable-pip-version-check"]


def _uv() -> list[str]:
    return [str(UV), "pip", "install", "-q", "--python", str(PYTHON)]


def _site() -> str:
    return str(
        VENV / "lib" / f"python{sys.version_info[0]}.{sys.version_info[1]}" / "site-packages"
    )


def _locked(name: str) -> str:
    """Return the lines of the lock that pin one package."""
    lines = LOCK.read_text("utf-8").splitlines()
    starts = [n for n, line in enumerate(lines) if line.startswith(f"{name}==")]
    if not starts:
        raise SetupFailed(
            f"requirements.lock does not pin {name}; run: git checkout requirements.lock"
        )
    end = starts[0] + 1
    while end < len(lines) and lines[end].startswith(" "):
        end += 1
    return "\n".join(lines[starts[0] : end]) + "\n"


def _environment() -> dict[str, str]:
    kept = {}
    for name, value in os.environ.items():
        tool, _, setting = name.partition("_")
        if tool in ("PIP", "UV") and not any(word in setting for word in KEPT_SETTINGS):
            continue
        if name.startswith("PYTHON") or name in (
            "VIRTUAL_ENV",
            "CONDA_PREFIX",
            "__PYVENV_LAUNCHER__",
        ):
            continue  # PYTHONDONTWRITEBYTECODE above all: every later start would compile again
        kept[name] = value
    # A constraint of the machine's own would be added to exact pins: it can only make them fail.
    ours = {"PIP_CONSTRAINT": os.devnull, "UV_PYTHON_DOWNLOADS": "never", "VIRTUAL_ENV": str(VENV)}
    return kept | ours


def _run(doing: str, command: list[str], fine: frozenset[int] | set[int] = frozenset({0})) -> None:
    """Run one step, showing on a terminal how long it has taken so far."""
    started = time.monotonic()
    live = sys.stdout.isatty()
    with subprocess.Popen(command, env=_environment(), cwd=ROOT, stdin=subprocess.DEVNULL) as child:
        while True:
            try:
                code = child.wait(timeout=1)
                break
            except subprocess.TimeoutExpired:
                if live:
                    print(f"\r  {doing} … {time.monotonic() - started:.0f} s", end="", flush=True)
    took = time.monotonic() - started
    if live:
        print("\r\033[K", end="")
    if code not in fine:
        raise SetupFailed(f"{doing} failed (see above)")
    if took >= WORTH_A_LINE:
        print(f"  {doing}: {took:.1f} s", flush=True)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except SetupFailed as failure:
        sys.exit(
            f"Set-up stopped: {failure}.\n"
            "It needs the package index once, and about 2 GB of disk. "
            "Run the same command again to retry."
        )
    except KeyboardInterrupt:
        sys.exit("\nSet-up was interrupted; the next make begins it anew.")
