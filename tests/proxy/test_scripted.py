import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from grid.cast import Answer
from grid.errors import ConfigError
from grid.wirecall import WireCall
from proxy.launch import ProxyProcess, ScriptedModels
from proxy.scripted import build_app
from proxy.wire.answer import Assistant
from proxy.wire.exchange import Exchange, Request, Response
from proxy.wire.openai_chat import decode_answer
from tests.proxy.bench import Client, chat, private_folder, recording_of

PLACE = "/play/moon_for_mars/0/abcd/v1/chat/completions"
ARGUMENTS = '{"宛先": "髙橋🍣", "amount": 5}'


def play(
    *,
    scenario_id: str,
    names: int,
    seed: str,
    persona: str,
    messages: Sequence[dict[str, Any]],
    tools: Sequence[dict[str, Any]],
) -> Answer:
    """Tell what was asked; call two tools for the persona `caller`."""
    if persona == "nobody":
        raise ConfigError("unknown persona 'nobody'")
    calls = (
        WireCall(id="call_1", name="pay", raw_arguments=ARGUMENTS),
        WireCall(id="call_2", name="report", raw_arguments=""),
    )
    if persona == "absent":
        return Answer(text="", calls=(), failed=True)
    told = f"{scenario_id} {names} {seed} {persona} {len(messages)}"
    return Answer(text=told, calls=calls if persona.startswith("caller") else ())


@pytest.fixture
def models() -> Iterator[TestClient]:
    with TestClient(build_app(play)) as client:
        yield client


def as_exchange(content_type: str, body: bytes) -> Exchange:
    request = Request(method="POST", path="/x", headers={}, body={"text": "{}"})
    response = Response(
        status=200, headers={"content-type": content_type}, body={"text": body.decode()}
    )
    return Exchange(n=0, request=request, response=response, error=None)


def test_the_persona_is_the_model_and_the_stage_is_the_address(models: TestClient) -> None:
    answer = models.post(PLACE, json=chat(model="wavering/0.6")).json()
    assert answer["choices"][0]["message"] == {
        "role": "assistant",
        "content": "moon_for_mars 0 abcd wavering/0.6 1",
    }
    assert answer["choices"][0]["finish_reason"] == "stop"
    assert answer["created"] == 0
    assert answer["model"] == "wavering/0.6"
    assert answer["usage"] == {"prompt_tokens": 3, "completion_tokens": 5, "total_tokens": 8}


def test_equal_requests_get_equal_bytes_and_another_turn_another_id(models: TestClient) -> None:
    first, second = (models.post(PLACE, json=chat(model="caller")).content for _ in range(2))
    assert first == second
    later = chat(model="caller")
    later["messages"] += [{"role": "assistant", "content": "x"}, {"role": "user", "content": "y"}]
    assert models.post(PLACE, json=later).json()["id"] != json.loads(first)["id"]


@pytest.mark.parametrize("persona", ["caller", "talker"])
def test_streamed_and_not_the_answer_is_the_same(models: TestClient, persona: str) -> None:
    """C61: both forms decode to one message, though arguments and words were cut anywhere."""
    plain = models.post(PLACE, json=chat(model=persona))
    options = {"stream": True, "stream_options": {"include_usage": True}}
    streamed = models.post(PLACE, json=chat(model=persona) | options)
    assert streamed.headers["content-type"].startswith("text/event-stream")
    assert streamed.content.count(b"data: ") > 3
    decoded = [
        decode_answer(as_exchange(answer.headers["content-type"], answer.content))
        for answer in (plain, streamed)
    ]
    assert isinstance(decoded[0], Assistant)
    assert decoded[0] == decoded[1]
    assert [call.raw_arguments for call in decoded[0].calls] == (
        [ARGUMENTS, ""] if persona == "caller" else []
    )


@pytest.mark.parametrize(
    "body", [b"no json", b"[]", b'{"model":"caller"}', b'{"model":"nobody","messages":[]}']
)
def test_what_cannot_be_played_is_a_400_with_a_reason(models: TestClient, body: bytes) -> None:
    answer = models.post(PLACE, content=body)
    assert answer.status_code == 400
    assert answer.json()["error"]["message"]


@pytest.mark.parametrize("stream", [False, True])
def test_where_the_provider_fails_every_request_is_a_503(models: TestClient, stream: bool) -> None:
    for _ in range(2):
        answer = models.post(PLACE, json=chat(model="absent") | {"stream": stream})
        assert answer.status_code == 503
        assert answer.json()["error"]["type"] == "server_error"
        assert "choices" not in answer.json()


def test_other_addresses_are_not_played(models: TestClient) -> None:
    assert models.post("/v1/chat/completions", json=chat()).status_code == 404
    assert models.post(PLACE.replace("/0/", "/x/"), json=chat()).status_code == 404
    assert models.get(PLACE).status_code == 405


def test_a_persona_of_ours_plays_through_the_proxy(tmp_path: Path) -> None:
    """The whole way: scripted model, proxy, recording, decoder."""
    folder = private_folder(tmp_path)
    with (
        ScriptedModels() as server,
        ProxyProcess(mode="record", directory=folder, upstreams=(server.address,)) as proxy,
    ):
        upstream = server.upstream(scenario="moon_for_mars", names=0, seed="ab" * 16)
        opened = proxy.open_trial("t", upstream=upstream)
        client = Client(opened, proxy.port)
        status, _, _ = client.ask(chat(model="honest"))
        client.close()
        (exchange,) = recording_of(proxy.close_trial(opened.token)).exchanges
    answer = decode_answer(exchange)
    assert status == 200
    assert isinstance(answer, Assistant)
    assert answer.calls
