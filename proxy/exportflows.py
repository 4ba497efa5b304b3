"""Recorded exchanges as mitmproxy flows and as HAR, for other people's tools to open.

A recording holds no clock, no address of a client and only the headers of an allow-list. So the
flows stand one second apart from the beginning of 1970, come from 127.0.0.1, and name an upstream
that cannot exist (``upstream.invalid``) where the recording names none; ``https`` stands where the
port is 443. What is exported is what the agent asked and got; with `provider`, what the provider
was asked and had sent where a planted fault changed it.
"""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Any

from mitmproxy.addons.savehar import SaveHar
from mitmproxy.connection import Client, ConnectionState, Server
from mitmproxy.flow import Error
from mitmproxy.http import Headers, HTTPFlow, Request, Response
from mitmproxy.io import FlowWriter

from grid.canonical import plain_json
from grid.errors import ConfigError
from proxy.address import Upstream, parse_address, parse_upstream
from proxy.wire.exchange import Exchange, body_bytes
from proxy.wire.exchange import Request as Asked
from proxy.wire.exchange import Response as Recorded

NOWHERE = Upstream(scheme="http", host="upstream.invalid", port=80, base="")
"""Upstream of an exchange that names none."""
FORMATS = ("mitm", "har")
_HTTP = b"HTTP/1.1"
_TLS_PORT = 443
_HOST = re.compile(r"[A-Za-z0-9._:-]{1,253}")


def export_flows(
    recordings: Iterable[tuple[str, tuple[Exchange, ...]]],
    *,
    form: str,
    path: Path,
    provider: bool = False,
    base: str = "",
) -> int:
    """Write recordings to one file and return the number of exchanges.

    Args:
        recordings: name (of a trial or session) and exchanges of each.
        form: one of `FORMATS`; ``har`` is put together in memory.
        path: the file; it must not exist.
        provider: the provider's side of what a planted fault changed.
        base: base URL of exchanges that name no upstream, if it is known.

    Raises:
        OSError: it cannot be written.
    """
    flows = _flows(recordings, parse_upstream(base) if base else NOWHERE, provider=provider)
    with path.open("xb") as file:
        try:
            return _write_har(flows, file) if form == "har" else _write_mitm(flows, file)
        except BaseException:
            path.unlink()  # half a file would open, and look whole
            raise


def _write_mitm(flows: Iterator[HTTPFlow], file: IO[bytes]) -> int:
    writer, count = FlowWriter(file), 0
    for count, flow in enumerate(flows, start=1):  # noqa: B007 - the last number is the count
        writer.add(flow)
    return count


def _write_har(flows: Iterator[HTTPFlow], file: IO[bytes]) -> int:
    kept = list(flows)
    har: dict[str, Any] = SaveHar().make_har(kept)
    har["log"]["creator"] = {"name": "nonverba", "version": "", "comment": "times are made up"}
    for entry, flow in zip(har["log"]["entries"], kept, strict=True):
        entry["comment"] = flow.comment
        if flow.response is None:  # the format asks for these; the stock code leaves them out
            entry["response"] |= {"content": {"size": 0, "mimeType": ""}, "httpVersion": "HTTP/1.1"}
    # A body that is no text holds stray bytes as halves of characters: written out as escapes.
    file.write(plain_json(har, indent=1).encode("utf-8", "backslashreplace") + b"\n")
    return len(kept)


def _flows(
    recordings: Iterable[tuple[str, tuple[Exchange, ...]]], base: Upstream, *, provider: bool
) -> Iterator[HTTPFlow]:
    second = 0.0
    for name, exchanges in recordings:
        for exchange in exchanges:
            yield _flow(name, exchange, _place(exchange, base), second, provider)
            second += 1.0


def _place(exchange: Exchange, base: Upstream) -> Upstream:
    """Return where a request went, as well as it is known; a recording may be anybody's."""
    named = exchange.request.upstream
    if not named:
        return base
    try:
        host, port = parse_address(named)
    except ConfigError:
        return NOWHERE
    if not _HOST.fullmatch(host):
        return NOWHERE
    scheme = "https" if port == _TLS_PORT else "http"
    return Upstream(scheme=scheme, host=host, port=port, base="")


def _flow(
    name: str, exchange: Exchange, place: Upstream, second: float, provider: bool
) -> HTTPFlow:
    client = Client(
        peername=("127.0.0.1", 0),
        sockname=("127.0.0.1", 0),
        timestamp_start=second,
        state=ConnectionState.CLOSED,
    )
    flow = HTTPFlow(client, Server(address=place.address))
    flow.id = f"{name}#{exchange.n}"
    flow.request = _request(exchange.forwarded if provider else exchange.request, place, second)
    resent = exchange.sent is not None
    answer = exchange.sent if provider and resent else exchange.response
    if answer is not None:
        flow.response = _response(answer, second)
    if exchange.error is not None and not (provider and resent):
        flow.error = Error(str(exchange.error), second)
    changed = resent or exchange.got is not None
    side = "the provider's side" if provider else "the agent's side"
    flow.comment = f"{name} #{exchange.n}" + (f"; tampered, {side}" if changed else "")
    flow.marked = ":warning:" if changed else ""
    flow.timestamp_created = second
    return flow


def _request(asked: Asked, place: Upstream, second: float) -> Request:
    body = body_bytes(asked.body)
    headers = _headers(asked.headers, body, host=place.host)
    return Request(
        host=place.host,
        port=place.port,
        method=asked.method.encode("utf-8", "surrogateescape"),
        scheme=place.scheme.encode(),
        authority=b"",
        path=(place.base + asked.path or "/").encode("utf-8", "surrogateescape"),
        http_version=_HTTP,
        headers=headers,
        content=body,
        trailers=None,
        timestamp_start=second,
        timestamp_end=second,
    )


def _response(answer: Recorded, second: float) -> Response:
    body = body_bytes(answer.body)
    return Response(
        http_version=_HTTP,
        status_code=answer.status,
        reason=b"",
        headers=_headers(answer.headers, body),
        content=body,
        trailers=None,
        timestamp_start=second,
        timestamp_end=second,
    )


def _headers(recorded: dict[str, str], body: bytes, *, host: str = "") -> Headers:
    pairs = [(b"host", host.encode())] if host else []
    pairs += [
        (name.encode(), value.encode("utf-8", "surrogateescape"))
        for name, value in recorded.items()
    ]
    return Headers([*pairs, (b"content-length", str(len(body)).encode())])
