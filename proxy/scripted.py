"""``python -m proxy.scripted CONFIG.json``: scripted models that speak chat completions.

A separate upstream process that plays personas: it is told which scenario is on stage by its
address (``/play/<scenario>/<names>/<seed>/v1/chat/completions``) and which persona by the
request's ``model``. It is told neither the guards nor any rule. Equal requests get equal bytes:
no clock, no random id; token counts are counts of words. Where a persona is one whose provider
fails a trial, every request of that trial is answered with 503.
"""

import asyncio
import socket
import sys
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from grid.canonical import canonical, digest, load_json
from grid.cast import Answer
from grid.cast import answer as play_persona
from grid.errors import ConfigError, NonverbaError
from grid.extensions import load_entry_points, load_inherited
from proxy.completion import (
    EVENT_STREAM,
    JSON,
    Completion,
    counts_tokens,
    stream_events,
    whole_body,
)
from proxy.lifeline import die_with_parent, exit_with_sentence, obey, say

ROUTE = "/play/{scenario}/{names:int}/{seed}/v1/chat/completions"


class Play(Protocol):
    """What answers a request; `grid.cast.answer` outside tests."""

    def __call__(
        self,
        *,
        scenario_id: str,
        names: int,
        seed: str,
        persona: str,
        messages: Sequence[dict[str, Any]],
        tools: Sequence[dict[str, Any]],
    ) -> Answer:
        """Return what the persona answers."""


def build_app(play: Play = play_persona) -> Starlette:
    """Return the application."""

    async def complete(request: Request) -> Response:
        try:
            return _complete(play, request.path_params, await request.body())
        except NonverbaError as error:
            return _error(400, str(error), "invalid_request_error", "scripted_model")

    return Starlette(routes=[Route(ROUTE, complete, methods=["POST"])])


def _complete(play: Play, place: Mapping[str, Any], raw: bytes) -> Response:
    body = load_json(raw)
    messages = body.get("messages") if isinstance(body, dict) else None
    tools = body.get("tools") if isinstance(body, dict) else None
    if not isinstance(messages, list) or any(not isinstance(item, dict) for item in messages):
        raise ConfigError("messages: a list of messages")
    persona, seed = str(body.get("model")), str(place["seed"])
    answer = play(
        scenario_id=str(place["scenario"]),
        names=int(place["names"]),
        seed=seed,
        persona=persona,
        messages=messages,
        tools=tools if isinstance(tools, list) else [],
    )
    if answer.failed:
        return _error(503, "the model cannot answer at the moment", "server_error", "unavailable")
    turn = sum(item.get("role") == "assistant" for item in messages)
    said = Completion(
        id="chatcmpl-" + digest("completion", f"{seed}/{turn}".encode())[:24],
        model=persona,
        text=answer.text or None,
        calls=answer.calls,
        finish_reason="tool_calls" if answer.calls else "stop",
        usage=_usage(messages, answer),
    )
    if body.get("stream") is True:
        events = stream_events(said, counted=counts_tokens(body))
        return StreamingResponse(_sent(events), media_type=EVENT_STREAM)
    return Response(whole_body(said), media_type=JSON)


def _error(status: int, message: str, kind: str, code: str) -> Response:
    error = {"message": message, "type": kind, "param": None, "code": code}
    return Response(canonical({"error": error}), status_code=status, media_type=JSON)


async def _sent(events: Iterator[bytes]) -> AsyncIterator[bytes]:
    for event in events:
        yield event


def _usage(messages: Sequence[dict[str, Any]], answer: Answer) -> dict[str, int]:
    prompt = sum(_words(str(item.get("content") or "")) for item in messages)
    said = [answer.text, *(call.raw_arguments for call in answer.calls)]
    completion = sum(_words(text) for text in said)
    return {
        "prompt_tokens": prompt,
        "completion_tokens": completion,
        "total_tokens": prompt + completion,
    }


def _words(text: str) -> int:
    return len(text.split())


class _Server(uvicorn.Server):
    """Says on standard output which port was bound, once it listens."""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start to listen, then write the ready line."""
        await super().startup(sockets)
        if self.started and sockets:
            say({"ready": True, "port": sockets[0].getsockname()[1]})


async def serve() -> None:
    """Serve until the runner ends the process."""

    async def answer(word: str, fields: dict[str, Any]) -> dict[str, object]:
        raise ConfigError(f"no command {word!r} with the fields {sorted(fields)}")

    # The protocol is named because asyncio sets TCP_NODELAY on sockets that name it, and without
    # that every kept-alive answer waits 40 ms for a delayed acknowledgement.
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP) as listener:
        listener.bind(("127.0.0.1", 0))
        config = uvicorn.Config(
            build_app(),
            log_config=None,
            access_log=False,
            server_header=False,
            date_header=False,
            lifespan="off",
            ws="none",
        )
        obeying = asyncio.get_running_loop().create_task(obey(answer))
        try:
            await _Server(config).serve(sockets=[listener])
        finally:
            obeying.cancel()


def main() -> None:
    """Read the configuration, which has no fields yet, and serve."""
    die_with_parent()
    try:
        if len(sys.argv) != 2 or load_json(Path(sys.argv[1]).read_bytes()) != {}:
            raise ConfigError("write: python -m proxy.scripted CONFIG.json, a file that holds {}")
        load_entry_points()
        load_inherited()
        asyncio.run(serve())
    except (NonverbaError, OSError) as error:
        exit_with_sentence(error)


if __name__ == "__main__":
    main()
