"""A scripted model API on a real socket, and a session that writes down what reaches it.

The upstream speaks HTTP/1.1 with keep-alive from a thread of its own, answers the k-th request with
the k-th scripted reply, and keeps every request: raw body, parsed body, headers, path.
"""

import asyncio
import json
import threading
import time
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib import import_module
from types import ModuleType
from typing import Any, override

import pytest

from grid.adapter import Adapter, Delivered, Ended, ToolSpec
from grid.adapter import Asked as AskedCall
from grid.wirecall import wire_calls

FRAMEWORKS = ("strands", "langgraph", "crewai")

AS_THEY_SHIP = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),  # they read their own old fields
    pytest.mark.filterwarnings("ignore:coroutine method .aclose.:RuntimeWarning"),
    pytest.mark.filterwarnings("ignore:Pydantic serializer warnings:UserWarning"),
]
"""Marks of tests of native profiles: what frameworks do there, their own warnings tell too."""

PAY = ToolSpec(
    name="pay",
    description="Pays  money.\nOnce only: {tools} {input} 日本語",
    parameters={
        "type": "object",
        "properties": {
            "amount": {"type": "integer"},
            "currency": {"type": "string", "enum": ["EUR", "JPY"], "default": "EUR"},
            "to": {
                "type": "object",
                "properties": {"name": {"type": "string", "pattern": "^[A-Z]"}},
                "required": ["name"],
            },
        },
        "required": ["amount"],
        "additionalProperties": False,
    },
)
LOOK = ToolSpec(name="look", description="Looks.", parameters={"type": "object", "properties": {}})


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """One scripted answer of the upstream."""

    status: int = 200
    """HTTP status."""
    body: bytes = b""
    """Body as sent."""
    headers: tuple[tuple[str, str], ...] = ()
    """Headers beside content type and length."""
    drop: bool = False
    """Close the connection in place of an answer."""
    delay_s: float = 0.0
    """Seconds before the answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One request that reached the upstream."""

    path: str
    """Path with base path."""
    headers: dict[str, str]
    """Headers, names in lower case."""
    raw: bytes
    """Body as received."""

    @property
    def body(self) -> dict[str, Any]:
        """Body, parsed."""
        parsed: dict[str, Any] = json.loads(self.raw)
        return parsed

    @property
    def messages(self) -> list[dict[str, Any]]:
        """Messages of the request."""
        messages: list[dict[str, Any]] = self.body["messages"]
        return messages


def streamed(reply: Reply, piece: int = 5) -> Reply:
    """Return an answer as the stream of deltas that it can come as, its texts in pieces."""
    choice = json.loads(reply.body)["choices"][0]
    deltas: list[dict[str, Any]] = [{"role": "assistant", "content": None}]
    words = choice["message"].get("content") or ""
    deltas += [{"content": words[at : at + piece]} for at in range(0, len(words), piece)]
    for index, call in enumerate(choice["message"].get("tool_calls") or ()):
        raw = call["function"]["arguments"]
        opening = {**call, "function": {**call["function"], "arguments": ""}}
        deltas.append({"tool_calls": [{"index": index, **opening}]})
        deltas += [
            {"tool_calls": [{"index": index, "function": {"arguments": raw[at : at + piece]}}]}
            for at in range(0, len(raw), piece)
        ]
    ends = [*((delta, None) for delta in deltas), ({}, choice["finish_reason"])]
    return events(*({"delta": delta, "finish_reason": end} for delta, end in ends))


def events(*choices: dict[str, Any]) -> Reply:
    """Return a stream of chunks that hold these choices."""
    head = {
        "id": "chatcmpl-1",
        "object": "chat.completion.chunk",
        "created": 0,
        "model": "scripted",
    }
    lines = (json.dumps({**head, "choices": [{"index": 0, **choice}]}) for choice in choices)
    body = "".join(f"data: {line}\n\n" for line in lines) + "data: [DONE]\n\n"
    return Reply(body=body.encode(), headers=(("content-type", "text/event-stream"),))


def completion(message: dict[str, Any], finish: str) -> Reply:
    """Return a chat completion around a message."""
    body = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 0,
        "model": "scripted",
        "choices": [
            {
                "index": 0,
                "finish_reason": finish,
                "message": {"role": "assistant", "content": None, **message},
            }
        ],
        "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
    }
    return Reply(body=json.dumps(body).encode())


def says(text: str | None, finish: str = "stop") -> Reply:
    """Return an answer of text alone."""
    return completion({"content": text}, finish)


def asks(
    *calls: tuple[str, str], text: str | None = None, finish: str = "tool_calls", base: int = 0
) -> Reply:
    """Return an answer with tool calls (name, raw argument text); ids are call-<base>, ..."""
    tool_calls = [
        {
            "id": f"call-{base + place}",
            "type": "function",
            "function": {"name": name, "arguments": raw},
        }
        for place, (name, raw) in enumerate(calls)
    ]
    return completion({"content": text, "tool_calls": tool_calls}, finish)


class Upstream:
    """The scripted model API."""

    def __init__(self) -> None:
        self.asked: list[Asked] = []
        self.answered = 0
        self.replies: list[Reply] = []
        upstream = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                upstream.answer(self)

            @override
            def log_message(self, format: str, *args: Any) -> None:
                """Keep quiet."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))
        self._thread.start()
        self.port = self._server.server_address[1]

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        """Keep the request and send the next reply; none left is an error of the test."""
        raw = handler.rfile.read(int(handler.headers["content-length"]))
        headers = {name.lower(): value for name, value in handler.headers.items()}
        self.asked.append(Asked(path=handler.path, headers=headers, raw=raw))
        place = len(self.asked) - 1
        spent = Reply(status=418, body=b'{"error": {"message": "no reply is left"}}')
        reply = self.replies[place] if place < len(self.replies) else spent
        time.sleep(reply.delay_s)
        if reply.drop:
            handler.close_connection = True
            handler.connection.close()
        else:
            self._send(handler, reply)
        self.answered += 1

    def _send(self, handler: BaseHTTPRequestHandler, reply: Reply) -> None:
        headers = {"content-type": "application/json", **dict(reply.headers)}
        head = [
            f"HTTP/1.1 {reply.status} Scripted",
            f"content-length: {len(reply.body)}",
            *(f"{name}: {value}" for name, value in headers.items()),
        ]
        with suppress(OSError):  # an agent that was cut off does not listen any more
            handler.wfile.write("\r\n".join(head).encode() + b"\r\n\r\n" + reply.body)

    def expect(self, replies: tuple[Reply, ...]) -> None:
        """Forget the last trial; have these replies ready for the next."""
        self.asked = []
        self.answered = 0
        self.replies = list(replies)

    def close(self) -> None:
        """Stop serving."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One call that reached the session."""

    name: str
    """Name as handed over."""
    arguments: object
    """Arguments as handed over."""
    call_id: str | None
    """Id as handed over."""


@dataclass
class FakeSession:
    """An `AgentSession` that writes down what reaches it."""

    base_url: str
    system_text: str | None = "You pay bills."
    user_text: str = "Pay the bill."
    tools: tuple[ToolSpec, ...] = (PAY, LOOK)
    api_key: str = "virtual-key"
    model: str = "scripted/honest"
    turn_limit: int = 8
    timeout_s: float = 5.0
    halted: bool = False
    overseen: tuple[str, ...] = ()
    restorable: bool = False
    checkpoint: Any = None
    sampling: dict[str, Any] = field(default_factory=dict)
    decide: Callable[[Sequence[AskedCall]], tuple[Delivered | None, ...]] = field(
        default=lambda calls: (None,) * len(calls)
    )
    deliver: Callable[[Call], Delivered] = field(
        default=lambda call: Delivered(text=f"ran {call.name}", is_error=False, halt=False)
    )
    calls: list[Call] = field(default_factory=list)
    answers: list[tuple[int, bytes]] = field(default_factory=list)
    journal: list[str] = field(default_factory=list)
    kept: list[Any] = field(default_factory=list)
    running: int = 0
    overlapped: bool = False

    def model_answered(self, status: int, body: bytes) -> None:
        """Write down an answer."""
        self.answers.append((status, body))
        names = ",".join(call.name for call in wire_calls(body))
        self.journal.append(f"answer {status} {names}".strip())

    def ask(self, calls: Sequence[AskedCall]) -> tuple[Delivered | None, ...]:
        """Write down a question and decide."""
        names = ",".join(str(call.call_id) for call in calls)
        self.journal.append(f"ask {names}".strip())
        return self.decide(calls)

    def keep(self, checkpoint: object) -> None:
        """Keep a checkpoint for the next session."""
        self.kept.append(checkpoint)

    def restored(self) -> None:
        """Write down a restore."""
        self.journal.append("restored")

    def call(self, *, name: str, arguments: object, call_id: str | None) -> Delivered:
        """Write down a call and deliver."""
        self.running += 1
        self.overlapped = self.overlapped or self.running > 1
        call = Call(name=name, arguments=arguments, call_id=call_id)
        self.calls.append(call)
        self.journal.append(f"call {name}")
        try:
            delivered = self.deliver(call)
        finally:
            self.running -= 1
        self.halted = self.halted or delivered.halt
        return delivered


class Stage:
    """One adapter, one upstream, one event loop: what a worker is."""

    def __init__(self, framework: str, upstream: Upstream) -> None:
        self.framework = framework
        self.upstream = upstream
        self._runner = asyncio.Runner()
        self.module = import_module(f"frameworks.{framework.replace('-', '_')}")
        self.adapter: Adapter = self.module.ADAPTER()
        self.session = self.new_session()

    def new_session(self, **changes: Any) -> FakeSession:
        """Return a session against this upstream."""
        base = {"base_url": f"http://127.0.0.1:{self.upstream.port}/t/token/v1"}
        return FakeSession(**{**base, **changes})

    def play(self, *replies: Reply, **changes: Any) -> Ended:
        """Run one trial against scripted replies; requests and session are kept on the stage."""
        self.upstream.expect(replies)
        self.session = self.new_session(**changes)
        return self.run(self.adapter.drive(self.session))

    def run[T](self, coroutine: Coroutine[Any, Any, T]) -> T:
        """Run something on the worker's loop."""
        return self._runner.run(coroutine)

    @property
    def asked(self) -> list[Asked]:
        """Requests of the last trial."""
        return self.upstream.asked

    @property
    def handed_over(self) -> list[tuple[str, object]]:
        """Calls that reached the session, name and arguments."""
        return [(call.name, call.arguments) for call in self.session.calls]

    def history(self, role: str) -> list[dict[str, Any]]:
        """Return the messages of a role in the last request."""
        return [message for message in self.asked[-1].messages if message["role"] == role]

    def notes(self, words: str) -> bool:
        """Tell whether a wire note of this adapter says something."""
        return any(words in note for note in self.module.WIRE_NOTES)

    def close(self) -> None:
        """Close adapter and loop."""
        self.run(self.adapter.close())
        self._runner.close()


def classes_of(module: ModuleType) -> list[type[Exception]]:
    """Return the exception classes that a module defines."""
    kinds = [kind for kind in vars(module).values() if isinstance(kind, type)]
    return [
        kind for kind in kinds if issubclass(kind, Exception) and kind.__module__ == module.__name__
    ]


def subclasses(kind: type[Exception]) -> set[type[Exception]]:
    """Return all classes below an exception class that are loaded."""
    below = set(kind.__subclasses__())
    return below.union(*(subclasses(one) for one in below))
