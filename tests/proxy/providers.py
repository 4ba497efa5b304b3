"""Servers on loopback that speak four providers' protocols over TLS, as far as a test asks them.

They check the key, or the signature, that a real client brings along, and keep what they were
asked. What they answer is fixed: words, a tool call and token counts, whole or as a stream.
"""

import json
import re
import ssl
import struct
import threading
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

OPENAI_KEY = "sk-test-0123456789abcdefghij"
ANTHROPIC_KEY = "sk-ant-test-0123456789abcdefghij"
GEMINI_KEY = "AIza-test-0123456789abcdefghij"
AWS_KEY_ID = "AKIATEST0123456789AB"
AWS_SECRET = "aws/secret+0123456789abcdefghij"
AWS_SESSION = "session//token+0123456789abcdefghij=="

TEXT = "月へ 🍣 to the moon"
ARGUMENTS = {"city": "東京", "unit": "celsius"}


@dataclass(frozen=True)
class Asked:
    """One request as a provider got it."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]


@dataclass
class Provider:
    """All four protocols behind one address."""

    tls: ssl.SSLContext
    asked: list[Asked] = field(default_factory=list)

    def __post_init__(self) -> None:
        provider = self

        class Answering(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def do_POST(self) -> None:
                length = int(self.headers["content-length"])
                headers = {name.lower(): value for name, value in self.headers.items()}
                raw = self.rfile.read(length)
                asked = Asked(self.path, headers, json.loads(raw))
                provider.asked.append(asked)
                status, kind, pieces = answer(asked, raw)
                self.send_response(status)
                self.send_header("content-type", kind)
                self.send_header("transfer-encoding", "chunked")
                self.end_headers()
                for piece in [*pieces, b""]:
                    self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))

            def log_message(self, *_: object) -> None:
                """Say nothing."""

        class Listening(ThreadingHTTPServer):
            daemon_threads = True

            def finish_request(self, request: Any, client_address: Any) -> None:
                with provider.tls.wrap_socket(request, server_side=True) as connection:
                    Answering(connection, client_address, self)

            def handle_error(self, *_: object) -> None:
                """A client that does not trust us is no error of ours."""

        self._server = Listening(("127.0.0.1", 0), Answering)
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    @property
    def port(self) -> int:
        """Where it listens."""
        return self._server.server_port

    @property
    def address(self) -> str:
        """Address, for the list of upstreams."""
        return f"localhost:{self.port}"

    def close(self) -> None:
        """Stop to listen."""
        self._server.shutdown()
        self._server.server_close()


type Answered = tuple[int, str, list[bytes]]


def answer(asked: Asked, raw: bytes) -> Answered:
    """Answer as the provider does whose path it is."""
    path = urlsplit(asked.path).path
    for pattern, allowed, play in ROUTES:
        if re.fullmatch(pattern, path):
            if not allowed(asked, raw):
                return 401, "application/json", [_json({"message": "no such key"})]
            return play(asked)
    return 404, "application/json", [_json({"message": "no such path"})]


def _openai(asked: Asked) -> Answered:
    head = {"id": "chatcmpl-1", "created": 1, "model": asked.body["model"]}
    function = {"name": "weather", "arguments": json.dumps(ARGUMENTS)}
    call = {"id": "call_1", "type": "function", "function": function}
    usage = {"prompt_tokens": 5, "completion_tokens": 7, "total_tokens": 12}
    if not asked.body.get("stream"):
        message = {"role": "assistant", "content": TEXT, "tool_calls": [call]}
        choice = {"index": 0, "message": message, "finish_reason": "tool_calls", "logprobs": None}
        whole = head | {"object": "chat.completion", "choices": [choice], "usage": usage}
        return 200, "application/json", [_json(whole)]
    begun = call | {"index": 0, "function": {"name": "weather", "arguments": ""}}
    deltas: list[dict[str, Any]] = [
        {"role": "assistant", "content": TEXT[:4]},
        {"content": TEXT[4:]},
        {"tool_calls": [begun]},
        *(
            {"tool_calls": [{"index": 0, "function": {"arguments": piece}}]}
            for piece in _pieces(function["arguments"])
        ),
    ]
    chunks = [
        head
        | {"object": "chat.completion.chunk"}
        | {"choices": [{"index": 0, "delta": delta, "finish_reason": reason}]}
        for delta, reason in [*((delta, None) for delta in deltas), ({}, "tool_calls")]
    ]
    events = [b"data: " + _json(chunk) + b"\n\n" for chunk in chunks]
    return 200, "text/event-stream", [*events, b"data: [DONE]\n\n"]


def _anthropic(asked: Asked) -> Answered:
    words = {"type": "text", "text": TEXT}
    call = {"type": "tool_use", "id": "toolu_1", "name": "weather", "input": ARGUMENTS}
    message = {
        "id": "msg_1", "type": "message", "role": "assistant", "model": asked.body["model"],
        "content": [words, call], "stop_reason": "tool_use", "stop_sequence": None,
        "usage": {"input_tokens": 5, "output_tokens": 7},
    }  # fmt: skip
    if not asked.body.get("stream"):
        return 200, "application/json", [_json(message)]
    events = [
        {"type": "message_start", "message": message | {"content": [], "stop_reason": None}},
        {"type": "content_block_start", "index": 0, "content_block": words | {"text": ""}},
        {"type": "ping"},
        *(
            {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": p}}
            for p in _pieces(TEXT)
        ),
        {"type": "content_block_stop", "index": 0},
        {"type": "content_block_start", "index": 1, "content_block": call | {"input": {}}},
        *(
            {
                "type": "content_block_delta",
                "index": 1,
                "delta": {"type": "input_json_delta", "partial_json": piece},
            }
            for piece in _pieces(json.dumps(ARGUMENTS))
        ),
        {"type": "content_block_stop", "index": 1},
        {
            "type": "message_delta",
            "delta": {"stop_reason": "tool_use", "stop_sequence": None},
            "usage": {"output_tokens": 7},
        },
        {"type": "message_stop"},
    ]
    lines = [
        f"event: {event['type']}\ndata: ".encode() + _json(event) + b"\n\n" for event in events
    ]
    return 200, "text/event-stream", lines


def _converse(asked: Asked) -> Answered:
    call = {"toolUse": {"toolUseId": "t1", "name": "weather", "input": ARGUMENTS}}
    usage = {"inputTokens": 5, "outputTokens": 7, "totalTokens": 12}
    message = {"role": "assistant", "content": [{"text": TEXT}, call]}
    whole = {
        "output": {"message": message}, "stopReason": "tool_use", "usage": usage,
        "metrics": {"latencyMs": 3},
    }  # fmt: skip
    return 200, "application/json", [_json(whole)]


def _converse_stream(asked: Asked) -> Answered:
    began = {"start": {"toolUse": {"toolUseId": "t1", "name": "weather"}}, "contentBlockIndex": 1}
    events: list[tuple[str, dict[str, Any]]] = [
        ("messageStart", {"role": "assistant"}),
        *(
            ("contentBlockDelta", {"delta": {"text": piece}, "contentBlockIndex": 0})
            for piece in _pieces(TEXT)
        ),
        ("contentBlockStop", {"contentBlockIndex": 0}),
        ("contentBlockStart", began),
        *(
            ("contentBlockDelta", {"delta": {"toolUse": {"input": p}}, "contentBlockIndex": 1})
            for p in _pieces(json.dumps(ARGUMENTS))
        ),
        ("contentBlockStop", {"contentBlockIndex": 1}),
        ("messageStop", {"stopReason": "tool_use"}),
        (
            "metadata",
            {
                "usage": {"inputTokens": 5, "outputTokens": 7, "totalTokens": 12},
                "metrics": {"latencyMs": 3},
            },
        ),
    ]
    frames = [_frame(name, _json(payload)) for name, payload in events]
    return 200, "application/vnd.amazon.eventstream", frames


def _frame(event: str, payload: bytes) -> bytes:
    """Return one message of AWS's binary event stream: prelude, headers, payload, sums."""
    headers = b""
    pairs = {":event-type": event, ":content-type": "application/json", ":message-type": "event"}
    for name, value in pairs.items():
        headers += struct.pack("!B", len(name)) + name.encode()
        headers += struct.pack("!BH", 7, len(value)) + value.encode()
    prelude = struct.pack("!II", 16 + len(headers) + len(payload), len(headers))
    message = prelude + struct.pack("!I", zlib.crc32(prelude)) + headers + payload
    return message + struct.pack("!I", zlib.crc32(message))


def _gemini(asked: Asked) -> Answered:
    return 200, "application/json", [_json(_candidate([{"text": TEXT}, _CALL], "STOP"))]


def _gemini_stream(asked: Asked) -> Answered:
    parts = [*({"text": piece} for piece in _pieces(TEXT)), _CALL]
    chunks = [_candidate([part], "STOP" if part is _CALL else None) for part in parts]
    return 200, "text/event-stream", [b"data: " + _json(chunk) + b"\r\n\r\n" for chunk in chunks]


_CALL = {"functionCall": {"name": "weather", "args": ARGUMENTS}}


def _candidate(parts: list[dict[str, Any]], reason: str | None) -> dict[str, Any]:
    candidate = {"content": {"parts": parts, "role": "model"}, "index": 0}
    usage = {"promptTokenCount": 5, "candidatesTokenCount": 7, "totalTokenCount": 12}
    ended = {"finishReason": reason} if reason else {}
    return {
        "candidates": [candidate | ended],
        "usageMetadata": usage,
        "modelVersion": "gemini-test",
    }


def _bears(header: str, value: str) -> Callable[[Asked, bytes], bool]:
    return lambda asked, _: asked.headers.get(header) == value


def signed(asked: Asked, raw: bytes) -> bool:
    """Compute the signature of AWS over what came, and compare it with the one that came."""
    found = re.fullmatch(
        rf"AWS4-HMAC-SHA256 Credential={AWS_KEY_ID}/\d+/us-east-1/bedrock/aws4_request, "
        r"SignedHeaders=([a-z0-9;-]+), Signature=([0-9a-f]{64})",
        asked.headers.get("authorization", ""),
    )
    if found is None:
        return False
    names = found[1].split(";")
    if not {"host", "x-amz-date", "x-amz-security-token"} <= set(names):
        return False
    url = f"https://{asked.headers['host']}{asked.path}"
    request = AWSRequest("POST", url, {name: asked.headers[name] for name in names}, raw)
    request.context["timestamp"] = asked.headers["x-amz-date"]
    credentials = Credentials(AWS_KEY_ID, AWS_SECRET, AWS_SESSION)
    auth = SigV4Auth(credentials, "bedrock", "us-east-1")
    text = auth.string_to_sign(request, auth.canonical_request(request))
    return bool(auth.signature(text, request) == found[2])


ROUTES: list[tuple[str, Callable[[Asked, bytes], bool], Callable[[Asked], Answered]]] = [
    (r"/v1/chat/completions", _bears("authorization", f"Bearer {OPENAI_KEY}"), _openai),
    (r"/v1/messages", _bears("authorization", f"Bearer {ANTHROPIC_KEY}"), _anthropic),
    (r"/model/[^/]+/converse", signed, _converse),
    (r"/model/[^/]+/converse-stream", signed, _converse_stream),
    (r"/v1(?:beta)?/models/[^/:]+:generateContent", _bears("x-goog-api-key", GEMINI_KEY), _gemini),
    (
        r"/v1(?:beta)?/models/[^/:]+:streamGenerateContent",
        _bears("x-goog-api-key", GEMINI_KEY),
        _gemini_stream,
    ),
]


def _pieces(text: str) -> Iterator[str]:
    return (text[start : start + 5] for start in range(0, len(text), 5))


def _json(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode()
