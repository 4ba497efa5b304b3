import asyncio
import logging
from collections.abc import Callable
from typing import Any

import pytest
from mitmproxy.exceptions import AddonHalt
from mitmproxy.options import Options
from mitmproxy.proxy.layers.http import HttpRequestHook
from mitmproxy.test import tflow

from proxy.quickhooks import QuickMaster

type Do = Callable[[], None]


class Addon:
    """Notes what it is told, and then does as the test says."""

    def __init__(self, name: str, told: list[str], do: Do = lambda: None) -> None:
        self.name, self.told, self.do = name, told, do

    def request(self, flow: Any) -> None:
        self.told.append(f"{self.name} request")
        self.do()


class Waiting(Addon):
    async def request(self, flow: Any) -> None:
        await asyncio.sleep(0)
        self.told.append(f"{self.name} waited")


class Deaf:
    name = "deaf"

    def update(self, flows: Any) -> None:
        raise AssertionError("no addon of ours is told of changes")


def fail() -> None:
    raise ZeroDivisionError("oops")


def halt() -> None:
    raise AddonHalt


def hooked(told: list[str], **more: Any) -> list[str]:
    async def run() -> None:
        master = QuickMaster(Options())
        addons = (Addon("one", told, **more), Deaf(), Waiting("two", told), Addon("three", told))
        master.addons.add(*addons)
        await master.addons.handle_lifecycle(HttpRequestHook(tflow.tflow()))

    asyncio.run(run())
    return told


def test_addons_are_asked_in_order_for_the_hooks_that_they_have() -> None:
    assert hooked([]) == ["one request", "two waited", "three request"]


def test_a_hook_that_fails_is_logged_and_the_next_addon_is_asked(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Our own addons fail closed by themselves; the alarm hears of all others by this record."""
    with caplog.at_level(logging.ERROR):
        assert hooked([], do=fail)[1:] == ["two waited", "three request"]
    assert any("oops" in record.getMessage() + str(record.exc_info) for record in caplog.records)


def test_a_hook_may_keep_the_event_from_those_behind_it() -> None:
    assert hooked([], do=halt) == ["one request"]


def test_changes_of_the_options_reach_the_addons() -> None:
    async def run() -> list[set[str]]:
        seen = []

        class Configured:
            def configure(self, updated: set[str]) -> None:
                seen.append(updated)

        master = QuickMaster(Options())
        master.addons.add(Configured())
        seen.clear()
        master.options.update(listen_port=1)
        return seen

    assert asyncio.run(run()) == [{"listen_port"}]
