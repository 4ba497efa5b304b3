"""The fake model API behind the proxies that are measured: one short answer to whatever is asked.

A bare asyncio protocol, so that the upstream is never what a measurement waits for. Says its port
on standard output and ends when its standard input does.
"""

import asyncio
import sys

from grid.canonical import canonical

WORDS = "The node moon is up; 月のノードは稼働中です。 "
ANSWER = canonical(
    {
        "id": "bench",
        "object": "chat.completion",
        "created": 0,
        "model": "bench",
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": WORDS * 30},
                "finish_reason": "stop",
            }
        ],
        "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
    }
)
REPLY = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s" % (
    len(ANSWER),
    ANSWER,
)
_LENGTH = b"\r\ncontent-length:"


class Upstream(asyncio.Protocol):
    """Answers each request once its body is there."""

    def __init__(self) -> None:
        """Start with nothing read."""
        self._head = b""
        self._left = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the connection."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        """Count what came, and answer at the end of a body."""
        if not self._left:
            self._head += data
            head, gap, rest = self._head.partition(b"\r\n\r\n")
            if not gap:
                return
            fields = (b"\r\n" + head.partition(b"\r\n")[2]).lower()
            self._left = int(fields.partition(_LENGTH)[2].partition(b"\r\n")[0])
            self._head, data = b"", rest
        self._left -= len(data)
        if not self._left:
            self._transport.write(REPLY)


async def serve() -> None:
    """Serve until standard input ends."""
    loop = asyncio.get_running_loop()
    server = await loop.create_server(Upstream, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await loop.run_in_executor(None, sys.stdin.buffer.read)
    server.close()


if __name__ == "__main__":
    asyncio.run(serve())
