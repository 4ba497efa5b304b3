"""``python bare_child.py FRAMEWORK``: drives one framework with nothing of nonverba around it.

Reads one JSON line per trial and answers with one. It runs where only its own framework is
imported, and ends when its standard input does.
"""

import asyncio
import importlib
import json
import os
import sys
import time
from typing import Any, BinaryIO

import bare_world

TOOL_CALLS = 3
"""What the scripted model asks for in the trial that is measured."""


async def serve(driver: Any, pipe: BinaryIO) -> None:
    while line := await asyncio.to_thread(sys.stdin.buffer.readline):
        asked = json.loads(line)
        bare_world.reset()
        started = time.process_time_ns()
        agent = driver.build(asked)
        built = time.process_time_ns() - started
        words = await driver.run(agent, asked)
        if bare_world.ROWS["calls"] != TOOL_CALLS or len(bare_world.ROWS["reports"]) != 1:
            raise SystemExit(f"the bare agent did not play the trial: {bare_world.ROWS} {words!r}")
        say(pipe, {"built_ms": built / 1e6})


def say(pipe: BinaryIO, answer: dict[str, Any]) -> None:
    pipe.write(json.dumps(answer).encode() + b"\n")
    pipe.flush()


def main() -> None:
    pipe = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what frameworks print goes to standard error
    driver = importlib.import_module(f"bare_{sys.argv[1]}")
    say(pipe, {"ready": True})
    asyncio.run(serve(driver, pipe))


if __name__ == "__main__":
    main()
