"""What the native profiles share: a wire that watches a framework which nobody tells how to run.

A framework as it ships decides for itself when to stream, to retry, to begin again and to stop. So
the wire looks at each request: one that shows no answer of the model, after others did, comes from
a conversation that was begun anew, and that is a restore. (One that only shows fewer answers was
shortened: that is the framework's way of working.) A streamed answer is put together for the
journal. And what may run for ever is stopped here: after so many answers, and after a terminal
refusal, no further request goes out.
"""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, override
from weakref import WeakKeyDictionary

import httpx

from frameworks._http_tap import AsyncTap, Tap
from frameworks._run import Run, current_run, running
from grid.adapter import AgentSession
from grid.canonical import plain_json

PATIENCE = 3
"""Model answers that a native run may take, as a multiple of its scenario's turn limit: a framework
that retries and begins again takes more of them than its exact profile."""

OVER = b'{"error": {"message": "this run is over", "type": "run_over", "code": "run_over"}}'
"""Body of the answer to a request that does not go out."""


def assembled(body: bytes) -> bytes:
    """Return a streamed chat completion as one body; anything else as it is.

    Deltas are put together as the recorder's decoder does it. Nothing is repaired: a stream that
    holds an error, or cannot be read in one way only, is handed on as it is, and is no answer.
    """
    if not body.lstrip().startswith((b"data:", b":", b"event:")):
        return body
    words: list[str] = []
    calls: list[_Call] = []
    models: list[str] = []
    try:
        for chunk in _chunks(body.decode()):
            if chunk.get("error") is not None or len(chunk.get("choices") or ()) > 1:
                return body
            models.append(chunk.get("model") or "")
            for choice in chunk.get("choices") or ():
                delta = choice.get("delta") or {}
                words.append(delta.get("content") or "")
                for part in delta.get("tool_calls") or ():
                    _call_of(calls, part).add(part)
        message = {
            "role": "assistant",
            "content": "".join(words) or None,
            "tool_calls": [call.whole() for call in calls],
        }
    except (ValueError, LookupError, TypeError, AttributeError):
        return body
    model = next((name for name in models if name), "")
    whole = {"model": model, "choices": [{"index": 0, "message": message}]}
    return plain_json(whole, indent=None).encode()


def _chunks(text: str) -> Iterator[dict[str, Any]]:
    """Yield the JSON objects of a stream; an event that is none, or never ended, is skipped.

    Raises:
        ValueError: an event is damaged, and may have held one.
    """
    pending: list[str] = []
    lines = _LINE_END.split(text.removeprefix("\ufeff"))
    for line in lines if lines[-1] else lines[:-1]:  # behind the last line end stands no line
        name, _, value = line.partition(":")
        if name == "data":
            pending.append(value.removeprefix(" "))
        elif not line and pending:
            event, pending = "\n".join(pending), []
            chunk = _parsed(event)
            if isinstance(chunk, dict):
                yield chunk
            elif "{" in event:
                raise ValueError("an event of the stream is damaged")


def _parsed(event: str) -> Any:
    """Parse JSON in which each key stands once; None for what is none."""

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any] | None:
        return dict(pairs) if len(dict(pairs)) == len(pairs) else fail("a key stands twice")

    def fail(what: str) -> Any:
        raise ValueError(what)

    try:
        return json.loads(event, object_pairs_hook=once, parse_constant=fail)
    except (ValueError, RecursionError):
        return None


_LINE_END = re.compile(r"\r\n|\n|\r")


@dataclass(slots=True)
class _Call:
    """A tool call while it grows."""

    index: Any
    id: str = ""
    name: str = ""
    arguments: str = ""

    def add(self, part: dict[str, Any]) -> None:
        function = part.get("function") or {}
        self.id = _once(self.id, part.get("id") or "")
        self.name = _once(self.name, function.get("name") or "")
        self.arguments += function.get("arguments") or ""

    def whole(self) -> dict[str, Any]:
        function = {"name": self.name, "arguments": self.arguments}
        return {"id": self.id, "type": "function", "function": function}


def _call_of(calls: list[_Call], part: dict[str, Any]) -> _Call:
    """Return the call that a delta goes on with, or a new one."""
    index, identity = part.get("index"), part.get("id") or ""
    same = calls[-1:] if index is None else [call for call in calls if call.index == index]
    if same and (identity in ("", same[-1].id) or (index is not None and not same[-1].id)):
        return same[-1]
    if index is None and not identity:
        raise ValueError("a delta with neither index nor id, and no call before")
    calls.append(_Call(index))
    return calls[-1]


def _once(known: str, said: str) -> str:
    if known and said and known != said:
        raise ValueError("a call under two names")
    return known or said


@contextmanager
def running_natively(session: AgentSession) -> Iterator[Run]:
    """Open a run for one trial of a native profile.

    Raises:
        NotImplementedError: the scenario wants an approval step, and no framework has one that it
            was not told of. Such a trial would say of a framework what our harness left out.
    """
    if session.overseen:
        raise NotImplementedError("a native profile has no approval step")
    with running(session) as run:
        yield run


class Watched:
    """What the wire knows of one run."""

    def __init__(self, run: Run) -> None:
        """Start with nothing asked."""
        self._run = run
        self._shown = 0
        self._answers = 0

    def lets_out(self, body: bytes) -> bool:
        """Look at a request, and tell whether it may go out: a run that is over asks no more."""
        if self._run.over or self._answers >= PATIENCE * self._run.session.turn_limit:
            self._run.limit_reached = not self._run.over
            return False
        shown = _answers_in(body)
        if self._shown and not shown:
            self._run.restored()
        self._shown = shown
        self._answers += 1
        return True


def turned_away(request: httpx.Request) -> httpx.Response:
    """Return the answer to a request that does not go out; no client tries that one again."""
    return httpx.Response(403, headers={"x-should-retry": "false"}, content=OVER, request=request)


class NativeAsyncTap(AsyncTap):
    """Watches an asynchronous client."""

    told = staticmethod(assembled)

    @override
    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        if not watched(current_run()).lets_out(await request.aread()):
            return turned_away(request)
        return await super().handle_async_request(request)


class NativeTap(Tap):
    """Watches a blocking client."""

    told = staticmethod(assembled)

    @override
    def handle_request(self, request: httpx.Request) -> httpx.Response:
        if not watched(current_run()).lets_out(request.read()):
            return turned_away(request)
        return super().handle_request(request)


_WATCHED: WeakKeyDictionary[Run, Watched] = WeakKeyDictionary()


def watched(run: Run) -> Watched:
    """Return what watches a run; there is one for each."""
    found = _WATCHED.get(run)
    if found is None:
        found = _WATCHED[run] = Watched(run)
    return found


def async_client() -> httpx.AsyncClient:
    """Return a watched client, to be shared by the trials of one worker."""
    return httpx.AsyncClient(transport=NativeAsyncTap(), trust_env=False)


def blocking_client() -> httpx.Client:
    """Return a watched client, to be shared by the trials of one worker."""
    return httpx.Client(transport=NativeTap(), trust_env=False)


def _answers_in(body: bytes) -> int:
    """Count the answers of the model that a request shows again."""
    try:
        messages = json.loads(body)["messages"]
        return sum(message.get("role") == "assistant" for message in messages)
    except (ValueError, LookupError, TypeError, AttributeError):
        return 0
