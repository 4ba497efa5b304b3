"""nonverba doctor: what works is read from what came back, through the proxy."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from grid.cli import app
from grid.cli.doctor import Finding, findings
from grid.errors import ConfigError, NotGateable
from grid.wirecall import WireCall
from proxy.wire.answer import Assistant, ProviderError, Undecodable
from tests.frameworks.stage import Reply, Upstream, asks, says, streamed
from tests.proxy.tinymodel import write_tiny_model

RIGHT = '{"node": "mars"}'


@pytest.fixture
def provider() -> Iterator[Upstream]:
    upstream = Upstream()
    yield upstream
    upstream.close()


def doctor(provider: Upstream, *replies: Reply, model: str = "vllm/scripted") -> Any:
    provider.expect(replies)
    where = f"http://127.0.0.1:{provider.port}/v1"
    return CliRunner().invoke(app, ["doctor", model, "--base-url", where, "--json"])


def works(output: str) -> dict[str, bool | None]:
    return {row["what"]: row["works"] for row in json.loads(output)["found"]}


def test_a_sound_provider_passes_and_is_asked_with_its_key(
    provider: Upstream, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VLLM_API_KEY", "provider-key")
    done = doctor(
        provider, asks(("look", RIGHT)), streamed(says("hello")), says(RIGHT), says("a"), says("a")
    )
    assert done.exit_code == 0, done.output
    assert set(works(done.stdout).values()) == {True}
    assert {asked.headers["authorization"] for asked in provider.asked} == {"Bearer provider-key"}
    assert {asked.path for asked in provider.asked} == {"/v1/chat/completions"}
    assert {asked.body["model"] for asked in provider.asked} == {"scripted"}


def test_a_model_without_tool_calls_is_a_finding(provider: Upstream) -> None:
    done = doctor(
        provider, says(RIGHT), streamed(says("hello")), says("moon"), says("a"), says("b")
    )
    assert done.exit_code == 1, done.output
    assert works(done.stdout) == {
        "tools": False,
        "streaming": True,
        "JSON schema": False,
        "seed": False,
        "usage": True,
        "model id": True,
    }


def test_a_provider_that_answers_nothing_is_no_finding(provider: Upstream) -> None:
    refusal = Reply(status=401, body=b'{"error": {"message": "no such key"}}')
    done = doctor(provider, *[refusal] * 5)
    assert isinstance(done.exception, NotGateable)
    assert "gave no answer: 401: no such key" in str(done.exception)


def test_another_model_than_the_one_asked_for_is_told(provider: Upstream) -> None:
    replies = (asks(("look", RIGHT)), streamed(says("x")), says(RIGHT), says("a"), says("a"))
    done = doctor(provider, *replies, model="vllm/other")
    assert done.exit_code == 0
    assert works(done.stdout)["model id"] is False


def test_a_real_engine_is_started_and_asked(tmp_path: Path) -> None:
    model = write_tiny_model(tmp_path / "tiny.gguf")
    done = CliRunner().invoke(app, ["doctor", "local/tiny", "--gguf", str(model), "--json"])
    assert done.exit_code == 1, done.output
    found = works(done.stdout)
    assert not found["tools"], "its words are noise"
    assert found["JSON schema"], "the engine keeps to a schema whatever the model wants"
    assert found["seed"]
    assert found["streaming"]


def test_a_persona_needs_no_doctor() -> None:
    done = CliRunner().invoke(app, ["doctor", "scripted/honest"])
    assert isinstance(done.exception, ConfigError)


def said(text: str | None = None, calls: tuple[WireCall, ...] = (), **more: Any) -> Assistant:
    given: dict[str, Any] = {"usage": None, "model": "m", **more}
    return Assistant(
        text=text, refusal=None, calls=calls, finish_reason="stop", findings=(), skipped=0, **given
    )


def call(name: str, raw: str) -> WireCall:
    return WireCall(id="1", name=name, raw_arguments=raw)


def found(**answers: Any) -> dict[str, Finding]:
    all_said = dict.fromkeys(("tools", "streaming", "JSON schema", "seed", "seed again"), said("a"))
    rows = findings("m", all_said | {key.replace("_", " "): one for key, one in answers.items()})
    return {row.what: row for row in rows}


@pytest.mark.parametrize(
    ("calls", "fine"),
    [
        ((call("look", RIGHT),), True),
        ((call("look", '{"node":"mars"}'),), True),
        ((call("look", '{"node": "moon"}'),), False),
        ((call("Look", RIGHT),), False),
        ((call("look", RIGHT), call("look", RIGHT)), False),
        ((call("look", '{"node": "mars"'),), False),
        ((call("look", '{"node": "mars", "x": 1}'),), False),
        ((), False),
    ],
)
def test_a_tool_call_is_right_or_it_is_not(calls: tuple[WireCall, ...], fine: bool) -> None:
    assert found(tools=said(calls=calls))["tools"].works is fine


def test_what_cannot_be_said_is_not_said() -> None:
    assert found(tools=said("x", model=""))["model id"].works is None
    error = ProviderError(status=429, code="", message="slow down", retry_after=None)
    rows = found(seed_again=error, streaming=Undecodable(reason="it is no stream"))
    assert (rows["seed"].works, rows["seed"].detail) == (False, "429: slow down")
    assert "it is no stream" in rows["streaming"].detail
    assert not found(tools=said("x"))["usage"].works
    assert found(tools=said("x", usage={"total_tokens": 7}))["usage"].detail == "total_tokens 7"
