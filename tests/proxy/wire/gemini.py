"""Exchanges with Gemini, and what decoding one of them gives."""

import json
from typing import Any

from proxy.wire.answer import Assistant, Undecodable
from proxy.wire.exchange import ErrorKind, Exchange, Request, Response, body_json
from proxy.wire.gemini_content import decode_answer

ARGUMENTS = '{"宛先":"髙橋🍣"}'
MODEL = "gemini-2.5-flash"
WHOLE = f"/v1beta/models/{MODEL}:generateContent"
EVENTS = f"/v1beta/models/{MODEL}:streamGenerateContent?alt=sse"
ARRAY = f"/v1beta/models/{MODEL}:streamGenerateContent"
USAGE = {"promptTokenCount": 1, "candidatesTokenCount": 2, "totalTokenCount": 3}


def exchange(
    answer: bytes | None,
    path: str = WHOLE,
    *,
    status: int = 200,
    headers: dict[str, str] | None = None,
    asked: bytes = b'{"contents":[]}',
    error: ErrorKind | None = None,
) -> Exchange:
    kind = "text/event-stream" if path == EVENTS else "application/json; charset=UTF-8"
    request = Request(method="POST", path=path, headers={}, body=body_json(asked))
    response = None
    if answer is not None:
        given = {"content-type": kind} | (headers or {})
        response = Response(status=status, headers=given, body=body_json(answer))
    return Exchange(n=0, request=request, response=response, error=error)


def chunk(*parts: Any, finish: Any = "STOP", **changes: Any) -> dict[str, Any]:
    """Return a whole answer, or a piece of one; without a finish reason it goes on."""
    candidate: dict[str, Any] = {"content": {"parts": list(parts), "role": "model"}, "index": 0}
    if finish is not None:
        candidate["finishReason"] = finish
    told = {"candidates": [candidate], "usageMetadata": USAGE, "modelVersion": "g-001"}
    return told | changes


def body(*parts: Any, finish: Any = "STOP", **changes: Any) -> bytes:
    return written(chunk(*parts, finish=finish, **changes))


def call(given: Any, identity: Any = "c1", name: Any = "pay") -> dict[str, Any]:
    return {"functionCall": {"id": identity, "name": name, "args": given}}


def sse(*chunks: Any) -> bytes:
    lines = [one if isinstance(one, bytes) else written(one) for one in chunks]
    return b"".join(b"data: " + line + b"\r\n\r\n" for line in lines)


def array(*chunks: Any) -> bytes:
    """Return the other form of a stream, laid out as the provider does."""
    pieces = [json.dumps(one, ensure_ascii=False, indent=2).encode() for one in chunks]
    return b"[" + b"\n,\r\n".join(pieces) + b"\n]\n"


def written(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode()


def assistant(found: Exchange) -> Assistant:
    answer = decode_answer(found)
    assert isinstance(answer, Assistant), answer
    return answer


def reason(found: Exchange) -> str:
    answer = decode_answer(found)
    assert isinstance(answer, Undecodable), answer
    return answer.reason
