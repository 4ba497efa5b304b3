"""One answer in every protocol, whole and streamed: what the suites over all protocols share.

A dialect writes what was `Said` the way its provider does. Streams are lists of events, each ended
by its blank line, so that a test can leave one out, repeat it or cut inside it.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from proxy.wire.answer import Assistant
from proxy.wire.exchange import ErrorKind, Exchange, Request, Response, body_json
from proxy.wire.protocol import decode_answer

type Cut = Callable[[str], Sequence[str]]
"""How a text is cut into the pieces of a stream."""

STREAM = "text/event-stream; charset=utf-8"
PLAIN = "application/json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """One answer."""

    text: str | None = None
    calls: tuple[tuple[str | None, str, str], ...] = ()
    """Id, name and argument text of each call; no id is written for None."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """One protocol."""

    name: str
    path: str
    whole: Callable[[Said], bytes]
    stream: Callable[[Said, Cut], list[bytes]]
    error: bytes
    """An event with the error `overloaded` and the words `too busy`."""
    asked: dict[str, Any]
    """A request with a bit of everything."""

    def __str__(self) -> str:
        return self.name


def in_one(text: str) -> Sequence[str]:
    return [text]


def in_halves_at(place: int) -> Cut:
    """Cut a text in two at a place counted in UTF-16 units: also inside a character."""

    def cut(text: str) -> Sequence[str]:
        units = utf16(text)
        return ["".join(units[:place]), "".join(units[place:])]

    return cut


def utf16(text: str) -> list[str]:
    """Return a text as its UTF-16 units; half of a pair is a lone surrogate."""
    data = text.encode("utf-16-be")
    pairs = [data[at : at + 2] for at in range(0, len(data), 2)]
    return [pair.decode("utf-16-be", "surrogatepass") for pair in pairs]


def exchange(
    dialect: Dialect,
    answer: bytes | None,
    *,
    kind: str = PLAIN,
    status: int = 200,
    headers: dict[str, str] | None = None,
    error: ErrorKind | None = None,
    asked: bytes = b"{}",
) -> Exchange:
    request = Request(method="POST", path=dialect.path, headers={}, body=body_json(asked))
    response = None
    if answer is not None:
        head = {"content-type": kind} | (headers or {})
        response = Response(status=status, headers=head, body=body_json(answer))
    return Exchange(n=0, request=request, response=response, error=error)


def decoded(dialect: Dialect, answer: bytes, *, kind: str = PLAIN) -> Assistant:
    found = decode_answer(exchange(dialect, answer, kind=kind))
    assert isinstance(found, Assistant), found
    return found


def streamed(dialect: Dialect, events: Sequence[bytes]) -> Assistant:
    return decoded(dialect, b"".join(events), kind=STREAM)


def shape(found: Assistant) -> Said:
    calls = tuple((call.id, call.name, call.raw_arguments) for call in found.calls)
    return Said(text=found.text, calls=calls)


def event(body: dict[str, Any], *, named: bool = True) -> bytes:
    name = f"event: {body['type']}\n" if named else ""
    return f"{name}data: {json.dumps(body)}\n\n".encode()


def _id(key: str, identity: str | None) -> dict[str, str]:
    return {} if identity is None else {key: identity}


def _chat_whole(said: Said) -> bytes:
    message: dict[str, Any] = {"role": "assistant", "content": said.text}
    if said.calls:
        message["tool_calls"] = [
            _id("id", identity)
            | {"type": "function", "function": {"name": name, "arguments": arguments}}
            for identity, name, arguments in said.calls
        ]
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    return json.dumps(
        {"id": "c", "object": "chat.completion", "created": 0, "model": "m-1", "choices": [choice]}
    ).encode()


def chat_delta(finish: str | None = None, **delta: Any) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    body = {"id": "c", "object": "chat.completion.chunk", "created": 0, "model": "m-1"}
    return f"data: {json.dumps(body | {'choices': [choice]})}\n\n".encode()


def _chat_stream(said: Said, cut: Cut) -> list[bytes]:
    events = [chat_delta(role="assistant", content=None)]
    if said.text is not None:
        events += [chat_delta(content=piece) for piece in cut(said.text)]
    for index, (identity, name, arguments) in enumerate(said.calls):
        opening = {"index": index, "type": "function", "function": {"name": name, "arguments": ""}}
        events.append(chat_delta(tool_calls=[opening | _id("id", identity)]))
        events += [
            chat_delta(tool_calls=[{"index": index, "function": {"arguments": piece}}])
            for piece in cut(arguments)
        ]
    return [*events, chat_delta("stop"), b"data: [DONE]\n\n"]


def _messages_whole(said: Said) -> bytes:
    blocks = [] if said.text is None else [json.dumps({"type": "text", "text": said.text})]
    for identity, name, arguments in said.calls:
        head = json.dumps({"type": "tool_use", "name": name} | _id("id", identity))
        blocks.append(f'{head[:-1]}, "input": {arguments}}}')
    head = json.dumps(
        {"id": "m", "type": "message", "role": "assistant", "model": "m-1"}
        | {"stop_reason": "end_turn", "usage": {"input_tokens": 1, "output_tokens": 2}}
    )
    return f'{head[:-1]}, "content": [{", ".join(blocks)}]}}'.encode()


def _messages_stream(said: Said, cut: Cut) -> list[bytes]:
    message = {"id": "m", "type": "message", "role": "assistant", "model": "m-1", "content": []}
    message |= {"stop_reason": None, "usage": {"input_tokens": 1, "output_tokens": 0}}
    events = [event({"type": "message_start", "message": message}), event({"type": "ping"})]
    blocks: list[tuple[dict[str, Any], list[dict[str, Any]]]] = []
    if said.text is not None:
        pieces = [{"type": "text_delta", "text": piece} for piece in cut(said.text)]
        blocks.append(({"type": "text", "text": ""}, pieces))
    for identity, name, arguments in said.calls:
        begun = {"type": "tool_use", "name": name, "input": {}} | _id("id", identity)
        pieces = [{"type": "input_json_delta", "partial_json": piece} for piece in cut(arguments)]
        blocks.append((begun, pieces))
    for index, (begun, pieces) in enumerate(blocks):
        at = {"index": index}
        events.append(event({"type": "content_block_start", "content_block": begun} | at))
        events += [event({"type": "content_block_delta", "delta": piece} | at) for piece in pieces]
        events.append(event({"type": "content_block_stop"} | at))
    last = {"type": "message_delta", "delta": {"stop_reason": "end_turn", "stop_sequence": None}}
    return [
        *events,
        event(last | {"usage": {"output_tokens": 2}}),
        event({"type": "message_stop"}),
    ]


def response_items(said: Said) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = []
    if said.text is not None:
        part = {"type": "output_text", "text": said.text, "annotations": []}
        items.append(
            {"type": "message", "id": "msg_0", "role": "assistant", "status": "completed"}
            | {"content": [part]}
        )
    for number, (identity, name, arguments) in enumerate(said.calls):
        items.append(
            {"type": "function_call", "id": f"fc_{number}", "status": "completed"}
            | {"name": name, "arguments": arguments}
            | _id("call_id", identity)
        )
    return items


def response(said: Said, **changes: Any) -> dict[str, Any]:
    body = {"id": "r", "object": "response", "created_at": 0, "status": "completed"}
    body |= {"model": "m-1", "output": response_items(said), "error": None, "tools": []}
    body |= {"parallel_tool_calls": True, "tool_choice": "auto", "usage": {"total_tokens": 3}}
    return body | changes


def _responses_stream(said: Said, cut: Cut) -> list[bytes]:
    begun = response(said, status="in_progress", output=[], usage=None)
    bodies: list[dict[str, Any]] = [{"type": "response.created", "response": begun}]
    for index, item in enumerate(response_items(said)):
        at = {"output_index": index}
        of = at | {"item_id": item["id"]}
        empty = {"content": []} if item["type"] == "message" else {"arguments": ""}
        added = item | {"status": "in_progress"} | empty
        bodies.append({"type": "response.output_item.added", "item": added} | at)
        bodies += _message(item, of, cut) if item["type"] == "message" else _call(item, of, cut)
        bodies.append({"type": "response.output_item.done", "item": item} | at)
    bodies.append({"type": "response.completed", "response": response(said)})
    return [event(body | {"sequence_number": n}) for n, body in enumerate(bodies)]


def _message(item: dict[str, Any], of: dict[str, Any], cut: Cut) -> list[dict[str, Any]]:
    (part,) = item["content"]
    of = of | {"content_index": 0}
    return [
        {"type": "response.content_part.added", "part": part | {"text": ""}} | of,
        *(
            {"type": "response.output_text.delta", "delta": piece, "logprobs": []} | of
            for piece in cut(part["text"])
        ),
        {"type": "response.output_text.done", "text": part["text"], "logprobs": []} | of,
        {"type": "response.content_part.done", "part": part} | of,
    ]


def _call(item: dict[str, Any], of: dict[str, Any], cut: Cut) -> list[dict[str, Any]]:
    name = "response.function_call_arguments"
    done = {"name": item["name"], "arguments": item["arguments"]}
    return [
        *({"type": f"{name}.delta", "delta": piece} | of for piece in cut(item["arguments"])),
        {"type": f"{name}.done"} | done | of,
    ]


def whole_response(said: Said) -> bytes:
    return json.dumps(response(said)).encode()


SCHEMA = {"type": "object", "properties": {"a": {"type": "number"}}}
CHAT_ASKED: dict[str, Any] = {
    "model": "m",
    "stream": True,
    "messages": [
        {"role": "system", "content": "be brief"},
        {"role": "user", "content": [{"type": "text", "text": "pay"}]},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {"id": "c1", "type": "function", "function": {"name": "pay", "arguments": "{}"}}
            ],
        },
        {"role": "tool", "tool_call_id": "c1", "content": "paid"},
    ],
    "tools": [
        {
            "type": "function",
            "function": {"name": "pay", "description": "pays", "parameters": SCHEMA},
        }
    ],
}
MESSAGES_ASKED: dict[str, Any] = {
    "model": "m",
    "stream": True,
    "max_tokens": 9,
    "system": [{"type": "text", "text": "be brief"}],
    "messages": [
        {"role": "user", "content": "pay"},
        {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "hm", "signature": "s"},
                {"type": "text", "text": "I pay."},
                {"type": "tool_use", "id": "c1", "name": "pay", "input": {"a": 1.5}},
                {"type": "tool_use", "id": "c2", "name": "pay", "input": {}},
            ],
        },
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "c2", "content": "no", "is_error": True},
                {
                    "type": "tool_result",
                    "tool_use_id": "c1",
                    "content": [{"type": "text", "text": "paid"}],
                },
                {"type": "text", "text": "and now?"},
            ],
        },
    ],
    "tools": [{"name": "pay", "description": "pays", "input_schema": SCHEMA}],
}
RESPONSES_ASKED: dict[str, Any] = {
    "model": "m",
    "stream": True,
    "instructions": "be brief",
    "input": [
        {"role": "user", "content": "pay"},
        {"type": "reasoning", "id": "rs_1", "summary": []},
        {
            "type": "message",
            "role": "assistant",
            "content": [{"type": "output_text", "text": "I pay."}],
        },
        {"type": "function_call", "call_id": "c1", "name": "pay", "arguments": '{"a":1.5}'},
        {"type": "function_call", "call_id": "c2", "name": "pay", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c2", "output": "no"},
        {
            "type": "function_call_output",
            "call_id": "c1",
            "output": [{"type": "input_text", "text": "paid"}],
        },
    ],
    "tools": [
        {
            "type": "function",
            "name": "pay",
            "description": "pays",
            "parameters": SCHEMA,
            "strict": True,
        }
    ],
}

CHAT = Dialect(
    name="chat",
    path="/v1/chat/completions",
    whole=_chat_whole,
    stream=_chat_stream,
    error=b'data: {"error": {"type": "overloaded", "message": "too busy"}}\n\n',
    asked=CHAT_ASKED,
)
MESSAGES = Dialect(
    name="messages",
    path="/v1/messages",
    whole=_messages_whole,
    stream=_messages_stream,
    error=event({"type": "error", "error": {"type": "overloaded", "message": "too busy"}}),
    asked=MESSAGES_ASKED,
)
RESPONSES = Dialect(
    name="responses",
    path="/v1/responses",
    whole=whole_response,
    stream=_responses_stream,
    error=event({"type": "error", "code": "overloaded", "message": "too busy", "param": None}),
    asked=RESPONSES_ASKED,
)
DIALECTS = (CHAT, MESSAGES, RESPONSES)
