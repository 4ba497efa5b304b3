"""A worker process: reads trials from standard input, a JSON line each, and writes journals.

It runs with an allow-listed environment, a private HOME and an empty working folder, and ends the
moment its standard input closes: no worker outlives its runner. What frameworks print goes to
standard error; the pipe to the runner is a descriptor of our own.
"""

import asyncio
import gc
import os
import queue
import sys
import threading
import time
import traceback
from typing import BinaryIO

from grid.adapter import Adapter
from grid.adapters import build_adapter
from grid.canonical import canonical, load_json
from grid.errors import ConfigError
from grid.extensions import load_entry_points, load_inherited
from grid.session import TrialSpec, run_trial
from grid.strict import from_json, to_json


def main() -> None:
    """Serve trials until standard input closes."""
    pipe = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    lines: queue.Queue[bytes] = queue.Queue()
    threading.Thread(target=_read, args=(lines,), daemon=True).start()
    try:
        load_entry_points()
        load_inherited()
        asyncio.run(_serve(lines, pipe))
    except Exception:  # noqa: BLE001 - its last line is what the runner quotes
        traceback.print_exc()
        sys.stderr.flush()
        os._exit(1)  # a thread holds standard input: the interpreter would have the last word


def _read(lines: queue.Queue[bytes]) -> None:
    for line in sys.stdin.buffer:
        lines.put(line)
    os._exit(0)  # the runner is gone: nothing here may go on


async def _serve(lines: queue.Queue[bytes], pipe: BinaryIO) -> None:
    adapters: dict[str, Adapter] = {}
    while True:
        line = await asyncio.to_thread(lines.get)
        spec = from_json(TrialSpec, load_json(line))
        name = spec.trial.framework
        if name not in adapters:
            try:
                adapters[name] = _built(name)
            except ConfigError as error:
                pipe.write(canonical({"refused": str(error)}) + b"\n")
                pipe.flush()
                continue
        wall, cpu = time.perf_counter(), time.process_time()
        journal, note = await run_trial(spec, adapters[name])
        answer = {
            "journal": to_json(journal),
            "note": note,
            "wall_ms": round((time.perf_counter() - wall) * 1000),
            "cpu_ms": round((time.process_time() - cpu) * 1000),
        }
        pipe.write(canonical(answer) + b"\n")
        pipe.flush()


def _built(name: str) -> Adapter:
    """Load a framework without looking for garbage, and never look through it again.

    All that it brings stays as long as the worker; collecting on the way is a tenth of the start.
    """
    gc.disable()
    try:
        return build_adapter(name)
    finally:
        gc.enable()
        gc.freeze()


if __name__ == "__main__":
    main()
