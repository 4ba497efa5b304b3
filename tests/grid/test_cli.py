"""`grid.cli`: every failure is one plain sentence and an exit code; starting loads no framework."""

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from grid.cli import main
from grid.errors import (
    CanonicalError,
    ConfigError,
    HarnessError,
    NonverbaError,
    NotGateable,
    StrictError,
    VerificationError,
)

ROOT = Path(__file__).parents[2]
COMMANDS = ("run", "verify", "replay", "show", "judge", "check", "list")

HEAVY = (
    "crewai", "langchain", "langchain_core", "langchain_openai", "langgraph", "strands", "openai",
    "httpx", "pydantic", "mitmproxy", "mitmproxy_rs", "starlette", "uvicorn", "statsmodels",
    "scipy", "numpy", "pandas", "pytest", "hypothesis",
)  # fmt: skip
"""What must not be loaded to start the command line: only a run needs any of it."""


class Typed:
    """The command line in this process, with a `verify` that fails as a test wants it to."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        self.monkeypatch = monkeypatch
        self.capsys = capsys

    def __call__(self, *words: str) -> tuple[object, str, str]:
        self.monkeypatch.setattr(sys, "argv", ["nonverba", *words])
        with pytest.raises(SystemExit) as end:
            main()
        said = self.capsys.readouterr()
        return end.value.code, said.out, said.err

    def breaking(self, error: BaseException, *words: str) -> tuple[object, str, str]:
        def broken(*_arguments: object, **_named: object) -> None:
            raise error

        self.monkeypatch.setattr("grid.cli.verify.verify", broken)
        return self(*words, "verify", ".")


@pytest.fixture
def typed(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Typed:
    return Typed(monkeypatch, capsys)


def python(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *words], capture_output=True, text=True, timeout=60, check=False,
        env=os.environ | {"PYTHONPATH": str(ROOT)}, cwd=ROOT,
    )  # fmt: skip


def test_help_is_no_error_and_names_every_command(typed: Typed) -> None:
    for flag in ("--help", "-h"):
        code, said, errors = typed(flag)
        assert (code, errors) == (0, "")
        assert [name for name in COMMANDS if f"\n  {name} " not in said] == []


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself(typed: Typed, command: str) -> None:
    code, said, _ = typed(command, "-h")
    assert code == 0
    assert said.startswith(f"Usage: nonverba {command} ")


@pytest.mark.parametrize(
    "words", [(), ("nonsense",), ("run", "--nonsense"), ("show",), ("check", "-j", "0")]
)
def test_what_is_no_command_is_a_matter_of_usage(typed: Typed, words: tuple[str, ...]) -> None:
    code, said, errors = typed(*words)
    assert code == 2
    assert "Usage: nonverba" in said + errors


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (ConfigError("write this instead"), 2),
        (HarnessError("the proxy died"), 3),
        (NotGateable("nothing is valid"), 3),
        (VerificationError(4, "chain", "entry 3 is another"), 1),
        (CanonicalError("not strict JSON"), 2),
        (StrictError("/trials: a field too many"), 2),
    ],
)
def test_each_error_of_ours_is_one_sentence_and_its_exit_code(
    typed: Typed, error: NonverbaError, code: int
) -> None:
    assert typed.breaking(error) == (code, "", f"nonverba: {error}\n")


def test_a_sentence_that_quotes_hostile_text_is_made_harmless(typed: Typed) -> None:
    _, _, errors = typed.breaking(ConfigError("no \x1b[2J\u202e\x9b31m [red]node[/red]\nhere"))
    assert errors == "nonverba: no \\u{1b}[2J\\u{202e}\\u{9b}31m [red]node[/red]\nhere\n"


@pytest.mark.parametrize(
    ("error", "code", "parts"),
    [
        (PermissionError(errno.EACCES, "Permission denied", "/a/b"), 2, ("(/a/b)", "with -o")),
        (PermissionError(errno.EPERM, "Operation not permitted"), 2, ("no permission", "-o")),
        (OSError(errno.ENOSPC, "No space left on device"), 3, ("disk is full", "--resume")),
        (OSError(errno.ENOSPC, "No space left", "/a"), 3, ("full (/a)", "--resume")),
        (IsADirectoryError(errno.EISDIR, "Is a directory", "/a"), 2, ("Is a directory (/a).",)),
        (OSError("something odd"), 2, ("something odd.",)),
        (OSError(errno.EIO, "I/O error", "\x1b[31m"), 2, ("I/O error (\\u{1b}[31m).",)),
    ],
)
def test_an_unexpected_error_of_the_system_is_a_sentence_too(
    typed: Typed, error: OSError, code: int, parts: tuple[str, ...]
) -> None:
    found, said, errors = typed.breaking(error)
    assert (found, said) == (code, "")
    assert errors.startswith("nonverba: ")
    assert errors.count("\n") == 1
    assert [part for part in parts if part not in errors] == []


def test_ctrl_c_exits_130_and_says_that_it_stopped(typed: Typed) -> None:
    code, said, errors = typed.breaking(KeyboardInterrupt())
    assert (code, said, errors) == (130, "", "nonverba: stopped.\n")


@pytest.mark.parametrize("error", [ValueError("odd"), KeyError("x"), RecursionError("deep")])
def test_a_mistake_of_ours_is_a_sentence_and_never_exits_as_a_finding(
    typed: Typed, error: Exception
) -> None:
    code, _, errors = typed.breaking(error)
    assert code == 3
    assert type(error).__name__ in errors
    assert "--debug" in errors


@pytest.mark.parametrize(
    "words", [("--debug", "show", "nowhere", "x"), ("show", "nowhere", "x", "--debug")]
)
def test_debug_shows_the_traceback_wherever_it_stands_and_keeps_the_exit_code(
    words: tuple[str, ...],
) -> None:
    done = python("-m", "grid", *words)
    assert "Traceback (most recent call last)" in done.stderr
    assert "ConfigError: nowhere holds no run" in done.stderr
    assert done.returncode == 2


def test_without_debug_there_is_no_traceback() -> None:
    done = python("-m", "grid", "show", "nowhere", "x")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("nonverba: nowhere holds no run")
    assert done.stderr.count("\n") == 1


def test_starting_the_command_line_loads_no_framework_proxy_or_statistics() -> None:
    script = (
        "import sys, grid.cli\n"
        "print(*sorted({name.split('.')[0] for name in sys.modules}), sep='\\n')\n"
    )
    loaded = python("-c", script)
    assert loaded.returncode == 0, loaded.stderr
    assert "grid" in loaded.stdout.split()
    assert set(HEAVY) & set(loaded.stdout.split()) == set()


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
def test_a_terminal_that_cannot_show_a_character_is_no_error(encoding: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "grid", "list", "clauses"],
        capture_output=True, timeout=60, check=False, cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT), "PYTHONIOENCODING": encoding},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert b"tool-output-is-data" in done.stdout


def test_a_reader_that_goes_away_gets_no_traceback() -> None:
    listing = subprocess.Popen(
        [sys.executable, "-m", "grid", "list", "rules", "--json"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert listing.stdout is not None
    listing.stdout.close()
    _, errors = listing.communicate(timeout=60)
    assert b"Traceback" not in errors
