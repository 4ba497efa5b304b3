"""frameworks._quiet: a framework reaches nothing but the model API, and prints nothing."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from frameworks._quiet import SILENCE
from tests.frameworks.stage import FRAMEWORKS, Reply, Upstream, asks, says


def test_the_switches_are_set_over_whatever_was_there() -> None:
    assert SILENCE.items() <= os.environ.items()


ALONE = """
import sys
reached = []
def spy(event, args):
    if event == "socket.connect":
        reached.append(args[1])
    elif event == "socket.getaddrinfo":
        reached.append(args[:2])
sys.addaudithook(spy)
import asyncio
from importlib import import_module
from tests.frameworks.stage import FakeSession
async def main():
    adapter = import_module(f"frameworks.{sys.argv[1]}").ADAPTER()
    ended = await adapter.drive(FakeSession(base_url=sys.argv[2]))
    failed = await adapter.drive(FakeSession(base_url=sys.argv[2]))
    await adapter.close()
    return f"{ended.status} {ended.final_text} {failed.status}"
print(asyncio.run(main()))
print(sorted({str(address) for address in reached}))
"""


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_a_process_of_its_own_reaches_the_base_url_alone_and_prints_nothing(
    framework: str, upstream: Upstream, tmp_path: Path
) -> None:
    upstream.expect((asks(("look", "{}")), says("done"), Reply(status=500)))
    root = str(Path(__file__).resolve().parents[2])
    done = subprocess.run(
        [sys.executable, "-c", ALONE, framework, f"http://127.0.0.1:{upstream.port}/v1"],
        capture_output=True,
        text=True,
        timeout=120,
        cwd=tmp_path,
        check=True,
        env={
            "PYTHONPATH": root,
            "HOME": str(tmp_path),
            "http_proxy": "http://127.0.0.1:9",
            "LANGSMITH_TRACING": "true",
            "LANGSMITH_API_KEY": "k",
            "OPENAI_BASE_URL": "http://[::1]",
            "CREWAI_TRACING_ENABLED": "true",
            "OTEL_SDK_DISABLED": "false",
        },
    )
    assert done.stdout.splitlines() == [
        "completed done provider_error",
        str([str(("127.0.0.1", upstream.port))]),
    ]
    assert done.stderr == ""
