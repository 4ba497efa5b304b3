"""Exports open in other people's tools: mitmproxy's own reader and a HAR reader."""

import base64
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from haralyzer import HarParser
from mitmproxy.http import HTTPFlow
from mitmproxy.io import FlowReader

from proxy.exportflows import export_flows
from proxy.wire.exchange import ErrorKind, Exchange, Request, Response, body_json
from tests.builders import call, exchange, exchanges

PLAIN = exchanges([call(0, "look", {"at": "髙橋🍣"})])
BINARY = Exchange(
    n=0,
    request=Request(
        method="POST", path="/model/x/converse?a=1", headers={}, body=body_json(b"{}"),
        upstream="bedrock.invalid:443",
    ),
    response=Response(
        status=200,
        headers={"content-type": "application/vnd.amazon.eventstream"},
        body=body_json(b"\x00\xff\x01binary"),
    ),
    error=None,
)  # fmt: skip
CUT = replace(PLAIN[0], error=ErrorKind.DISCONNECT)
NOTHING = replace(PLAIN[0], response=None, error=ErrorKind.REFUSED)
CHANGED = replace(PLAIN[0], sent=exchange(0, {}, {"sent": True}).response)


def flows_of(path: Path) -> list[HTTPFlow]:
    """Read a flow file with mitmproxy's own reader."""
    with path.open("rb") as file:
        return [flow for flow in FlowReader(file).stream() if isinstance(flow, HTTPFlow)]


def test_every_exchange_is_a_flow_with_the_same_bytes(tmp_path: Path) -> None:
    path = tmp_path / "x.mitm"
    found = [("a/b/0", PLAIN), ("c", (BINARY,))]
    assert export_flows(found, form="mitm", path=path) == len(PLAIN) + 1
    flows = flows_of(path)
    for flow, was in zip(flows, (*PLAIN, BINARY), strict=True):
        assert was.response is not None
        assert body_json(flow.request.raw_content or b"") == was.request.body
        assert flow.response is not None
        assert body_json(flow.response.raw_content or b"") == was.response.body
        assert flow.response.status_code == was.response.status
    assert flows[0].comment == "a/b/0 #0"
    assert flows[0].request.pretty_host == "upstream.invalid"
    assert flows[-1].request.url == "https://bedrock.invalid/model/x/converse?a=1"


def test_a_broken_exchange_is_a_flow_with_an_error(tmp_path: Path) -> None:
    path = tmp_path / "x.mitm"
    export_flows([("t", (CUT, replace(NOTHING, n=1)))], form="mitm", path=path)
    cut, nothing = flows_of(path)
    assert cut.error is not None
    assert (cut.error.msg, cut.response is None) == ("disconnect", False)
    assert nothing.error is not None
    assert (nothing.error.msg, nothing.response) == ("refused", None)


@pytest.mark.parametrize("provider", [False, True])
def test_of_a_tampered_answer_either_version_is_exported_and_marked(
    tmp_path: Path, provider: bool
) -> None:
    path = tmp_path / "x.mitm"
    export_flows([("t", (CHANGED, *PLAIN[1:2]))], form="mitm", path=path, provider=provider)
    changed, other = flows_of(path)
    assert changed.response is not None
    assert (b'"sent"' in (changed.response.raw_content or b"")) is provider
    assert "tampered" in changed.comment
    assert (other.marked, other.comment) == ("", "t #1")


@pytest.mark.parametrize("provider", [False, True])
def test_of_a_tampered_request_either_version_is_exported(tmp_path: Path, provider: bool) -> None:
    path = tmp_path / "x.mitm"
    injected = replace(PLAIN[0], got=body_json(b'{"injected": true}'))
    export_flows([("t", (injected,))], form="mitm", path=path, provider=provider)
    (flow,) = flows_of(path)
    assert (flow.request.raw_content == b'{"injected": true}') is provider
    assert "tampered" in flow.comment


def test_a_har_is_read_by_a_har_reader_and_holds_the_same_bodies(tmp_path: Path) -> None:
    path = tmp_path / "x.har"
    found = (*PLAIN, replace(BINARY, n=9), replace(NOTHING, n=10))
    assert export_flows([("t", found)], form="har", path=path) == len(found)
    har = json.loads(path.read_text(encoding="utf-8"))
    entries = HarParser(har).har_data["entries"]
    assert len(entries) == len(found)
    for entry, was in zip(entries, found[:-1], strict=False):
        content = entry["response"]["content"]
        text = content["text"]
        data = base64.b64decode(text) if content.get("encoding") == "base64" else text.encode()
        assert was.response is not None
        assert body_json(data) == was.response.body
        assert entry["request"]["postData"]["text"] == was.request.body["text"]
    assert entries[-1]["response"]["status"] == 0
    assert entries[0]["comment"] == "t #0"


REQUIRED = {
    "request": ("method", "url", "httpVersion", "cookies", "headers", "queryString", "headersSize"),
    "response": ("status", "statusText", "httpVersion", "cookies", "headers", "content"),
}


def test_every_entry_of_a_har_has_what_version_1_2_asks_for(tmp_path: Path) -> None:
    path = tmp_path / "x.har"
    export_flows(
        [("t", (PLAIN[0], replace(CUT, n=1), replace(NOTHING, n=2)))], form="har", path=path
    )
    log = json.loads(path.read_text(encoding="utf-8"))["log"]
    assert (log["version"], set(log["creator"]) >= {"name", "version"}) == ("1.2", True)
    for entry in log["entries"]:
        assert {"startedDateTime", "time", "request", "response", "cache", "timings"} <= set(entry)
        for side, names in REQUIRED.items():
            assert set(names) <= set(entry[side]), (side, entry[side])
        assert {"size", "mimeType"} <= set(entry["response"]["content"])


def test_a_body_that_is_no_text_and_a_host_that_is_none_do_not_lose_the_rest(
    tmp_path: Path,
) -> None:
    odd = replace(PLAIN[0].request, body=body_json(b"\x89PNG\xff"), upstream="[x:1")
    found = (replace(PLAIN[0], request=odd), *PLAIN[1:])
    for form in ("mitm", "har"):
        assert export_flows([("t", found)], form=form, path=tmp_path / form) == len(PLAIN)
    assert flows_of(tmp_path / "mitm")[0].request.raw_content == b"\x89PNG\xff"
    assert len(json.loads((tmp_path / "har").read_bytes())["log"]["entries"]) == len(PLAIN)


def test_an_exchange_that_names_no_upstream_stands_under_the_base_url(tmp_path: Path) -> None:
    path = tmp_path / "x.mitm"
    export_flows([("t", PLAIN[:1])], form="mitm", path=path, base="https://api.example/v1")
    assert flows_of(path)[0].request.url == "https://api.example/v1/chat/completions"


def test_the_same_recording_gives_the_same_har(tmp_path: Path) -> None:
    for name in "ab":
        export_flows([("t", PLAIN)], form="har", path=tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_a_file_that_is_there_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_text("mine")
    with pytest.raises(FileExistsError):
        export_flows([("t", PLAIN)], form="mitm", path=path)
    assert path.read_text() == "mine"


@pytest.mark.parametrize("form", ["mitm", "har"])
def test_half_an_export_is_not_left_behind(tmp_path: Path, form: str) -> None:
    def broken() -> Iterator[tuple[str, tuple[Exchange, ...]]]:
        yield "t", PLAIN
        raise ValueError("a frame is damaged")

    with pytest.raises(ValueError, match="damaged"):
        export_flows(broken(), form=form, path=tmp_path / "x")
    assert not (tmp_path / "x").exists()
