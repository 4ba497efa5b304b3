import asyncio
import json
from pathlib import Path
from typing import cast

import pytest
from mitmproxy.addons.proxyserver import Proxyserver
from mitmproxy.http import HTTPFlow
from mitmproxy.proxy.mode_servers import ProxyConnectionHandler
from mitmproxy.test import taddons, tflow

from grid.errors import HarnessError
from proxy.passage import Passage, attach, fails_closed, hang_up, passage_of, refuse
from proxy.wholebody import BodyTooLargeError
from tests.proxy.test_trial import SECRET, build


class Addon:
    def __init__(self, error: Exception) -> None:
        self.error = error

    @fails_closed
    def request(self, flow: HTTPFlow) -> None:
        raise self.error


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (HarnessError("no room"), "recorder_failed"),
        (BodyTooLargeError("big"), "too_large"),
        (ZeroDivisionError("oops"), "internal_error"),
    ],
)
def test_a_hook_that_fails_answers_with_an_error(
    error: Exception, code: str, capsys: pytest.CaptureFixture[str]
) -> None:
    flow = tflow.tflow()
    Addon(error).request(flow)
    assert flow.response is not None
    assert flow.response.status_code == 500
    assert json.loads(flow.response.content or b"")["error"]["code"] == code
    assert flow.response.headers["x-should-retry"] == "false"
    assert str(error) in capsys.readouterr().err


def test_what_is_said_of_a_failure_holds_no_credential(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    trial, _ = build(tmp_path)
    flow = tflow.tflow()
    attach(flow, Passage(trial=trial, suffix="/x"))
    Addon(ValueError(f"a header with {SECRET} in it")).request(flow)
    said = capsys.readouterr().err + trial.detail
    assert said.count("a header with [provider key] in it") == 2
    assert SECRET not in said


def test_a_refusal_can_be_written_whatever_the_words_are() -> None:
    flow = tflow.tflow()
    refuse(flow, 403, "x", "half a character \ud83d and a \x00")
    assert flow.response is not None
    assert "\\ud83d" in json.loads(flow.response.content or b"")["error"]["message"]
    assert passage_of(flow) is None


def test_hanging_up_closes_the_clients_connection() -> None:
    closed = []

    class Connection:
        def __init__(self, flow: HTTPFlow) -> None:
            self.transports = {flow.client_conn: None}

        def close_connection(self, connection: object) -> None:
            closed.append(connection)

    async def run() -> None:
        server = Proxyserver()
        with taddons.context(server):
            flow = tflow.tflow()
            hang_up(flow)
            server.connections[flow.client_conn.id] = cast(ProxyConnectionHandler, Connection(flow))
            hang_up(flow)
            assert not closed, "not inside the hook"
            await asyncio.sleep(0)
            assert closed == [flow.client_conn]

    asyncio.run(run())
