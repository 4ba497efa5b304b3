import json
import subprocess
import sys
from pathlib import Path

import pytest

CHILD = """
import asyncio
from proxy.lifeline import die_with_parent, obey, say

async def answer(word, fields):
    if word == "slow":
        await gate.wait()
    elif word == "free":
        gate.set()
    elif word == "break":
        raise ZeroDivisionError("oops")
    return {"did": word} | fields

async def main():
    global gate
    gate = asyncio.Event()
    say({"ready": True, "port": 1})
    await obey(answer)

die_with_parent()
asyncio.run(main())
"""


def run(lines: bytes) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-c", CHILD],
        input=lines,
        capture_output=True,
        timeout=20,
        check=False,
        env={"PYTHONPATH": str(Path(__file__).parents[2])},
    )


def test_a_slow_command_holds_up_no_other_and_each_gets_its_id_back() -> None:
    done = run(
        b'{"do":"slow","id":1}\n{"do":"x","id":2,"a":[]}\n{"do":"free","id":3}\n{"do":"stop"}\n'
    )
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert answers[0] == {"ready": True, "port": 1}
    assert answers[1] == {"ok": True, "did": "x", "id": 2, "a": []}
    assert {"ok": True, "did": "free", "id": 3} in answers
    assert done.returncode == 0


def test_a_command_that_breaks_is_answered_and_the_process_goes_on() -> None:
    done = run(b'{"do":"break"}\nnonsense\n{"do":5}\n{"do":"x"}\n{"do":"stop"}\n')
    answers = [json.loads(line) for line in done.stdout.splitlines()][1:]
    assert answers[0] == {"ok": False, "error": "ZeroDivisionError: oops"}
    assert [answer["ok"] for answer in answers] == [False, False, False, True, True]


def test_the_end_of_standard_input_is_the_end() -> None:
    done = run(b'{"do":"slow"}\n')
    assert (done.returncode, done.stderr) == (0, b"")


def test_a_line_that_never_ends_ends_the_process_with_a_sentence() -> None:
    done = run(b"x" * 2_000_000)
    assert done.returncode == 2
    assert b"over 1048576 bytes" in done.stderr


def test_standard_input_must_be_a_pipe(tmp_path: Path) -> None:
    path = tmp_path / "input"
    path.write_bytes(b"")
    with path.open("rb") as file:
        done = subprocess.run(
            [sys.executable, "-c", CHILD],
            stdin=file,
            capture_output=True,
            timeout=20,
            check=False,
            env={"PYTHONPATH": str(Path(__file__).parents[2])},
        )
    assert done.returncode == 2
    assert b"standard input must be a pipe" in done.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="asks the Linux kernel")
def test_the_kernel_is_asked_to_kill_the_child_with_its_parent() -> None:
    read = (
        "import ctypes\n"
        "from proxy.lifeline import die_with_parent\n"
        "die_with_parent()\n"
        "found = ctypes.c_int()\n"
        "ctypes.CDLL(None).prctl(2, ctypes.byref(found))\n"
        "print(found.value)\n"
    )
    shown = subprocess.run(
        [sys.executable, "-c", read],
        capture_output=True,
        check=True,
        timeout=20,
        env={"PYTHONPATH": str(Path(__file__).parents[2])},
    )
    assert shown.stdout == b"9\n"
