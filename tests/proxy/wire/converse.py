"""Exchanges with Bedrock Converse, and what decoding one of them gives."""

import json
from typing import Any

from proxy.wire.answer import Assistant, Undecodable
from proxy.wire.bedrock_converse import decode_answer
from proxy.wire.exchange import ErrorKind, Exchange, Request, Response, body_json
from tests.proxy.wire.eventstream import counts, end, piece, start, stop, text, tool

ARGUMENTS = '{"宛先":"髙橋🍣"}'
MODEL = "anthropic.claude-3-5-sonnet-20240620-v1:0"
PATH = "/model/anthropic.claude-3-5-sonnet-20240620-v1%3A0/converse"
USAGE = {"inputTokens": 1, "outputTokens": 2, "totalTokens": 3}

STREAM = b"".join(
    [start(), text("月の"), end(), tool(1), piece(ARGUMENTS, 1), end(1), stop("tool_use"), counts()]
)


def exchange(
    answer: bytes | None,
    *,
    stream: bool = False,
    status: int = 200,
    headers: dict[str, str] | None = None,
    asked: bytes = b'{"messages":[]}',
    path: str = PATH,
    error: ErrorKind | None = None,
) -> Exchange:
    kind = "application/vnd.amazon.eventstream" if stream else "application/json"
    request = Request(
        method="POST",
        path=f"{path}-stream" if stream else path,
        headers={},
        body=body_json(asked),
    )
    response = None
    if answer is not None:
        given = {"content-type": kind} | (headers or {})
        response = Response(status=status, headers=given, body=body_json(answer))
    return Exchange(n=0, request=request, response=response, error=error)


def body(*content: Any, **changes: Any) -> bytes:
    message = {"role": "assistant", "content": list(content)}
    told = {"output": {"message": message}, "stopReason": "end_turn", "usage": USAGE}
    return json.dumps(told | changes, ensure_ascii=False).encode()


def use(given: Any, identity: Any = "t1", name: Any = "pay") -> dict[str, Any]:
    return {"toolUse": {"toolUseId": identity, "name": name, "input": given}}


def assistant(found: Exchange) -> Assistant:
    answer = decode_answer(found)
    assert isinstance(answer, Assistant), answer
    return answer


def reason(found: Exchange) -> str:
    answer = decode_answer(found)
    assert isinstance(answer, Undecodable), answer
    return answer.reason
