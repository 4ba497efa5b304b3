"""How our child processes live and die: a ready line, commands on stdin, death at its end.

A child writes ``{"ready": true, "port": N}`` once it listens, then one JSON line for each command
line it reads. Answers may come out of order; a command with an ``id`` gets it back. When standard
input ends, the parent is gone and the process exits at once; on Linux the kernel also kills it
when the thread that started it dies.
"""

import asyncio
import ctypes
import os
import signal
import sys
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from grid.canonical import load_json, plain_json
from grid.errors import ConfigError, NonverbaError

LINE_LIMIT = 1024 * 1024
"""Bytes of a command line."""

_PR_SET_PDEATHSIG = 1

type Answer = Callable[[str, dict[str, Any]], Awaitable[Mapping[str, Any]]]
"""Takes the word ``do`` of a command and its other fields; returns the fields to answer with."""


def die_with_parent() -> None:
    """Ask the kernel to kill this process when its parent dies (Linux; elsewhere nothing)."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def tied(command: list[str], environment: Mapping[str, str]) -> list[str]:
    """Return a command that runs somebody else's, which dies with this process (Linux).

    Elsewhere it is the very command. It is to be started from the main thread, with `environment`;
    what cannot be run ends with exit code 2 and a sentence.
    """
    if sys.platform != "linux":
        return command
    known = "1" if "LC_CTYPE" in environment else ""
    return [sys.executable, "-I", "-S", "-c", _TIE, str(os.getpid()), known, *command]


_TIE = f"""
import ctypes, os, signal, sys
parent, known, *command = sys.argv[1:]
ctypes.CDLL(None).prctl({_PR_SET_PDEATHSIG}, signal.SIGKILL)
if os.getppid() != int(parent):
    os._exit(1)
known or os.environ.pop("LC_CTYPE", None)  # Python may have set it for itself
for number in (signal.SIGPIPE, signal.SIGXFSZ):
    signal.signal(number, signal.SIG_DFL)
try:
    os.execvp(command[0], command)
except OSError as error:
    print(f"COMMAND: cannot run {{command[0]!r}}: {{error.strerror}}", file=sys.stderr)
    os._exit(2)
"""
"""What stands between: it ties itself to its parent and then becomes the command."""


def say(fields: Mapping[str, Any]) -> None:
    """Write one line to standard output, whole."""
    data = plain_json(fields, indent=None).encode() + b"\n"
    while data:
        data = data[os.write(sys.stdout.fileno(), data) :]


def exit_with_sentence(error: Exception) -> None:
    """Say on standard error why the process cannot go on, and end it."""
    print(str(error), file=sys.stderr, flush=True)
    os._exit(error.exit_code if isinstance(error, NonverbaError) else 3)


def end(leave: Callable[[], None]) -> None:
    """End the process at once, after a last thing to do."""
    leave()
    os._exit(0)


async def obey(answer: Answer, leave: Callable[[], None] = lambda: None) -> None:
    """Answer commands until standard input ends, then end the process.

    Args:
        answer: answers a command.
        leave: the last thing to do before the process ends by command or by the end of its input.
    """
    reader = asyncio.StreamReader(limit=LINE_LIMIT)
    loop = asyncio.get_running_loop()
    try:
        await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    except (ValueError, OSError) as error:
        exit_with_sentence(ConfigError(f"standard input must be a pipe: {error}"))
    tasks: set[asyncio.Task[None]] = set()
    try:
        while line := await reader.readline():
            task = loop.create_task(_obey_one(line, answer, leave))
            tasks.add(task)
            task.add_done_callback(tasks.discard)
    except ValueError:
        leave()
        exit_with_sentence(ConfigError(f"a command line is over {LINE_LIMIT} bytes"))
    end(leave)


async def _obey_one(line: bytes, answer: Answer, leave: Callable[[], None]) -> None:
    marked: dict[str, Any] = {}
    try:
        command = load_json(line)
        if not isinstance(command, dict) or not isinstance(command.get("do"), str):
            raise ConfigError('a command is an object with the field "do"')
        marked = {"id": command.pop("id")} if "id" in command else {}
        word = command.pop("do")
        if word == "stop":
            say({"ok": True} | marked)
            end(leave)
        say({"ok": True} | dict(await answer(word, command)) | marked)
    except NonverbaError as error:
        say({"ok": False, "error": str(error)} | marked)
    except Exception as error:  # noqa: BLE001 - a command never goes unanswered
        say({"ok": False, "error": f"{type(error).__name__}: {error}"} | marked)
