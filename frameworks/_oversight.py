"""A person's word on the calls of one model answer, for frameworks that ask call by call.

A framework whose approval step comes right before each call would ask about the second call of an
answer after the first one has run. Here all overseen calls of an answer are asked about together,
at the first of them, and each call then finds its own word.
"""

import json
from collections.abc import Callable
from typing import Any

from frameworks._run import Run
from grid.adapter import Asked, Delivered
from grid.wirecall import WireCall


class Words:
    """What was decided about the last answer."""

    def __init__(self, run: Run) -> None:
        """Start with nothing asked."""
        self._run = run
        self._told: list[tuple[WireCall, Delivered | None]] | None = None

    def forget(self) -> None:
        """Begin with a new answer of the model."""
        self._told = None

    def on(self, call: Asked, is_it: Callable[[WireCall], bool]) -> Delivered | None:
        """Return what to tell the model in place of running a call; None: it may run.

        Args:
            call: the call as the framework would hand it over.
            is_it: tells whether a call of the model's answer is this one.
        """
        if self._told is None:
            overseen = self._run.session.overseen
            calls = [item for item in self._run.waiting if item.name in overseen]
            self._told = list(zip(calls, self._run.ask(list(map(_asked, calls))), strict=True))
        mine = next((item for item in self._told if is_it(item[0])), None)
        if mine is None:  # the framework has made another call of what the model asked for
            return self._run.ask([call])[0]
        self._told.remove(mine)
        return mine[1]


def _asked(call: WireCall) -> Asked:
    return Asked(name=call.name, arguments=_read(call.raw_arguments), call_id=call.id)


def _read(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text
