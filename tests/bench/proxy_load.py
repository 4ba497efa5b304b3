"""The client of the measurements: bursts of requests over connections that are kept alive.

Reads one JSON line for each burst (``url``, ``key``, ``size`` of the body in bytes, ``concurrency``
and ``requests``) and answers with the latencies, in milliseconds. Connections are kept from one to
the next, so that none is made inside a measurement but in the first.
"""

import asyncio
import sys
import time
from typing import Any

import aiohttp
from proxy_upstream import WORDS

from grid.canonical import canonical, load_json, plain_json

MOST_CONNECTIONS = 64
SAID_AT_ONCE = 4_000
"""Bytes of one message."""


def body_of(size: int) -> bytes:
    """Return a conversation of about a size, part of it in Japanese, as an agent would send it."""
    text = (WORDS * (size // len(WORDS.encode()) + 1)).encode()[:size]
    parts = (text[start : start + SAID_AT_ONCE] for start in range(0, size, SAID_AT_ONCE))
    messages = [{"role": "user", "content": part.decode("utf-8", "ignore")} for part in parts]
    return canonical({"model": "bench", "messages": messages})


async def burst(session: aiohttp.ClientSession, asked: dict[str, Any]) -> list[float]:
    """Send requests and return how long each took, in milliseconds."""
    headers = {"authorization": f"Bearer {asked['key']}", "content-type": "application/json"}
    body = body_of(asked["size"])
    left = iter(range(asked["requests"]))
    took: list[float] = []

    async def work() -> None:
        for _ in left:
            started = time.perf_counter()
            async with session.post(asked["url"], data=body, headers=headers) as answer:
                await answer.read()
                if answer.status != 200:
                    raise SystemExit(f"{asked['url']} answered {answer.status}")
            took.append((time.perf_counter() - started) * 1000)

    await asyncio.gather(*(work() for _ in range(asked["concurrency"])))
    return took


async def serve() -> None:
    """Obey until standard input ends."""
    loop = asyncio.get_running_loop()
    connector = aiohttp.TCPConnector(limit=MOST_CONNECTIONS, keepalive_timeout=600)
    async with aiohttp.ClientSession(connector=connector, auto_decompress=False) as session:
        print("{}", flush=True)
        while line := await loop.run_in_executor(None, sys.stdin.buffer.readline):
            took = await burst(session, load_json(line))
            print(plain_json({"took_ms": took}, indent=None), flush=True)


if __name__ == "__main__":
    asyncio.run(serve())
