"""``python split_child.py FRAMEWORK``: a worker with stopwatches, to see where its time goes.

It does what `grid.worker` does for a trial, with the parts timed: reading and writing its lines,
setting up world and tool layer, building the framework's objects, calls into the tool layer. What
is left of the process's time is the framework at work.
"""

import asyncio
import os
import sys
import time
from collections.abc import Callable
from functools import wraps
from typing import Any, BinaryIO

from grid.adapters import build_adapter
from grid.canonical import canonical, load_json
from grid.evidence import Journal
from grid.session import Session, TrialSpec, run_trial
from grid.strict import from_json, to_json

BUILDERS = ("_agent", "_graph", "_new_agent")
"""The method of an adapter, or of its record of a session, that builds what a framework needs."""

spent: dict[str, int] = {}


def timed[**P, R](part: str, function: Callable[P, R]) -> Callable[P, R]:
    """Return the function with its thread's CPU time added to a part."""

    @wraps(function)
    def wrapper(*args: P.args, **kwargs: P.kwargs) -> R:
        started = time.thread_time_ns()
        try:
            return function(*args, **kwargs)
        finally:
            spent[part] = spent.get(part, 0) + time.thread_time_ns() - started

    return wrapper


def put_stopwatches(adapter: Any) -> None:
    """Time the session's doors and the adapter's builder."""
    for name, part in (("__init__", "set up"), ("call", "tools"), ("model_answered", "tools")):
        setattr(Session, name, timed(part, getattr(Session, name)))
    work = getattr(sys.modules[type(adapter).__module__], "_Work", adapter)
    found = ((on, name) for on in (adapter, work) for name in BUILDERS if hasattr(on, name))
    on, builder = next(found, (None, ""))
    if on is None:
        raise SystemExit(f"{type(adapter).__name__} has none of the methods {BUILDERS} to time")
    setattr(on, builder, timed("construction", getattr(on, builder)))


async def serve(framework: str, pipe: BinaryIO) -> None:
    adapter = build_adapter(framework)
    put_stopwatches(adapter)
    say(pipe, b'{"ready": true}')
    while line := await asyncio.to_thread(sys.stdin.buffer.readline):
        spent.clear()
        started = time.process_time_ns()
        spec = timed("lines", read)(line)
        journal, note = await run_trial(spec, adapter)
        answer = timed("lines", written)(journal, note)
        spent["all"] = time.process_time_ns() - started
        parts = canonical({part: ns / 1e6 for part, ns in spent.items()})
        say(pipe, b'{"answer":' + answer + b',"spent_ms":' + parts + b"}")


def read(line: bytes) -> TrialSpec:
    return from_json(TrialSpec, load_json(line))


def written(journal: Journal, note: str) -> bytes:
    return canonical({"journal": to_json(journal), "note": note})


def say(pipe: BinaryIO, line: bytes) -> None:
    pipe.write(line + b"\n")
    pipe.flush()


def main() -> None:
    pipe = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what frameworks print goes to standard error
    asyncio.run(serve(sys.argv[1], pipe))


if __name__ == "__main__":
    main()
