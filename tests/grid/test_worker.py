"""`worker`: a real process that serves trials on its pipes and ends with its runner."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any

import pytest

from grid.canonical import canonical, load_json
from grid.evidence import Journal
from grid.session import TrialSpec
from grid.strict import from_json, to_json
from grid.vocabulary import Cause, Status
from tests.ledgers.runs import SEED, played, trial, trial_seed

ROOT = str(Path(__file__).parents[2])
MAIN = "\nfrom grid.worker import main\nmain()\n"

LOUD = """
import os
from grid.adapter import Ended
from grid.vocabulary import Status
import frameworks.scripted
class Loud:
    built = 0
    def __init__(self):
        Loud.built += 1
    async def drive(self, session):
        print("a framework prints")
        os.write(1, b"and its library writes\\n")
        if session.model == "broken":
            raise RuntimeError("the adapter broke")
        return Ended(status=Status.COMPLETED, final_text=f"adapter {Loud.built}")
frameworks.scripted.ADAPTER = Loud
"""
HANGING = """
import asyncio, sys
import frameworks.scripted
class Hanging:
    async def drive(self, session):
        print("driving", file=sys.stderr, flush=True)
        await asyncio.sleep(3600)
frameworks.scripted.ADAPTER = Hanging
"""

type Worker = subprocess.Popen[bytes]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[[str], Worker]]:
    begun: list[Worker] = []

    def started(before: str = "") -> Worker:
        worker = subprocess.Popen(
            [sys.executable, "-P", "-c", before + MAIN],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            cwd=tmp_path, env=os.environ | {"PYTHONPATH": ROOT},
        )  # fmt: skip
        begun.append(worker)
        return worker

    yield started
    for worker in begun:
        worker.kill()
        worker.communicate()


def line(persona: str) -> bytes:
    of = trial("moon_for_mars", "scripted", persona)
    spec = TrialSpec(
        trial=of, seed=trial_seed(SEED, of), names=0, base_url="", api_key="", wire_model=persona,
        timeout_s=30.0, trial_timeout_s=60.0,
    )  # fmt: skip
    return canonical(to_json(spec)) + b"\n"


def pipe(stream: IO[bytes] | None) -> IO[bytes]:
    assert stream is not None
    return stream


def ask(worker: Worker, data: bytes) -> dict[str, Any]:
    pipe(worker.stdin).write(data)
    pipe(worker.stdin).flush()
    answer: dict[str, Any] = load_json(pipe(worker.stdout).readline())
    return answer


def end(worker: Worker) -> tuple[int, bytes, str]:
    """Close the worker's input; return exit code, what was left on its output, and its errors."""
    out, errors = worker.communicate(timeout=60)
    return worker.returncode, out, errors.decode()


def test_trials_are_answered_one_line_each_as_if_they_were_run_here(
    start: Callable[..., Worker],
) -> None:
    worker = start()
    for persona in ("honest", "substituter"):
        answer = ask(worker, line(persona))
        journal = from_json(Journal, answer["journal"])
        assert journal == played(trial("moon_for_mars", "scripted", persona))
        assert answer["note"] == ""
        assert answer["wall_ms"] >= 0
        assert answer["cpu_ms"] >= 0
    assert end(worker) == (0, b"", "")


def test_what_frameworks_print_never_reaches_the_runners_pipe(
    start: Callable[..., Worker],
) -> None:
    worker = start(LOUD)
    first, second = ask(worker, line("honest")), ask(worker, line("liar"))
    assert [item["journal"]["final_text"] for item in (first, second)] == ["adapter 1"] * 2, (
        "an adapter is built once per worker"
    )
    code, left, errors = end(worker)
    assert (code, left) == (0, b"")
    assert errors.count("and its library writes") == 2


def test_an_adapter_that_breaks_costs_its_trial_and_not_the_worker(
    start: Callable[..., Worker],
) -> None:
    worker = start(LOUD)
    broken = ask(worker, line("broken"))
    assert broken["journal"]["status"] == Status.HARNESS_ERROR
    assert broken["journal"]["cause"] == Cause.HARNESS
    assert broken["note"] == "RuntimeError: the adapter broke"
    assert ask(worker, line("honest"))["journal"]["status"] == Status.COMPLETED


def test_a_worker_whose_runner_is_gone_ends_in_the_middle_of_a_trial(
    start: Callable[..., Worker],
) -> None:
    worker = start(HANGING)
    pipe(worker.stdin).write(line("honest"))
    pipe(worker.stdin).flush()
    assert pipe(worker.stderr).readline() == b"driving\n"
    code, left, _ = end(worker)
    assert (code, left) == (0, b"")


def last_line(worker: Worker, data: bytes) -> str:
    """Send a line that ends the worker; return the last line of its errors, as a runner does."""
    pipe(worker.stdin).write(data)
    pipe(worker.stdin).flush()
    assert worker.wait(60) == 1
    _, left, errors = end(worker)
    assert left == b""
    return errors.splitlines()[-1]


def test_a_line_that_is_no_trial_ends_the_worker_with_its_reason_as_last_words(
    start: Callable[..., Worker],
) -> None:
    assert "CanonicalError: not strict JSON" in last_line(start(), b"not JSON\n")
    assert "StrictError: /: expected" in last_line(start(), b'{"trial":1}\n')


def test_a_framework_that_is_not_installed_is_refused_by_name(
    start: Callable[..., Worker],
) -> None:
    missing = "import sys\nsys.modules |= dict.fromkeys(('httpx', 'openai', 'strands'))\n"
    data = line("honest").replace(b'"framework":"scripted"', b'"framework":"strands"')
    worker = start(missing)
    assert "install nonverba[frameworks]" in ask(worker, data)["refused"]
    assert "journal" in ask(worker, line("honest"))  # the worker lives


def test_an_adapter_that_cannot_be_made_is_refused_with_its_reason(
    start: Callable[..., Worker],
) -> None:
    none = "import frameworks.scripted\nframeworks.scripted.ADAPTER = None\n"
    said = ask(start(none), line("honest"))["refused"]
    assert said.startswith("framework 'scripted': ADAPTER() fails: TypeError")
