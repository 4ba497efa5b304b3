"""Writes the binary event streams that the tests read: framing, and Converse's events on top."""

import json
import struct
import zlib
from typing import Any


def header(name: str, value: bool | int | bytes | str, kind: int = 7) -> bytes:
    """Return one header; `kind` is the format's number of the value's type."""
    numbers = {2: ">b", 3: ">h", 4: ">i", 5: ">q", 8: ">q"}
    data = value.encode() if isinstance(value, str) else value
    written = b""
    if kind in numbers:
        written = struct.pack(numbers[kind], value)
    elif kind in (6, 7) and isinstance(data, bytes):
        written = struct.pack(">H", len(data)) + data
    elif kind == 9 and isinstance(data, bytes):
        written = data
    return bytes([len(name.encode())]) + name.encode() + bytes([kind]) + written


def framed(headers: bytes, payload: bytes) -> bytes:
    """Return one message with both checksums."""
    prelude = struct.pack(">II", 16 + len(headers) + len(payload), len(headers))
    message = prelude + struct.pack(">I", zlib.crc32(prelude)) + headers + payload
    return message + struct.pack(">I", zlib.crc32(message))


def event(name: str, body: Any) -> bytes:
    """Return one event of Converse; a body of bytes goes out as it is."""
    payload = body if isinstance(body, bytes) else json.dumps(body, ensure_ascii=False).encode()
    named = header(":event-type", name) + header(":content-type", "application/json")
    return framed(named + header(":message-type", "event"), payload)


def exception(name: str, body: Any) -> bytes:
    """Return one error of the service's model."""
    named = header(":exception-type", name) + header(":content-type", "application/json")
    return framed(named + header(":message-type", "exception"), json.dumps(body).encode())


def start() -> bytes:
    return event("messageStart", {"role": "assistant", "p": "abcdefgh"})


def text(piece: Any, index: int | None = 0) -> bytes:
    return delta({"text": piece}, index)


def delta(what: Any, index: int | None = 0) -> bytes:
    return event("contentBlockDelta", {"delta": what} | _at(index))


def tool(index: int | None, name: Any = "pay", identity: Any = "t1") -> bytes:
    use = {"toolUseId": identity, "name": name}
    return event("contentBlockStart", {"start": {"toolUse": use}} | _at(index))


def piece(more: Any, index: int | None) -> bytes:
    return delta({"toolUse": {"input": more}}, index)


def end(index: int | None = 0) -> bytes:
    return event("contentBlockStop", _at(index))


def stop(reason: Any = "end_turn") -> bytes:
    return event("messageStop", {"stopReason": reason})


def counts() -> bytes:
    usage = {"inputTokens": 1, "outputTokens": 2, "totalTokens": 3}
    return event("metadata", {"usage": usage, "metrics": {"latencyMs": 5}})


def _at(index: int | None) -> dict[str, int]:
    return {} if index is None else {"contentBlockIndex": index}
