"""proxy.localserver: a model is loaded, answers depend on nothing else, and nothing is left."""

import hashlib
import json
import os
import random
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from grid.errors import ConfigError, HarnessError
from proxy.localserver import LocalServer, template_sha256, template_text, templates
from tests.proxy.tinymodel import write_tiny_model

SYSTEM = ("You look after machines.", "You write letters.")
WORDS = ("Show me the memory of moon.", "moon のメモリを見て", "Hello", "Show me mars.")
ONLY_MARS = {
    "type": "object",
    "properties": {"node": {"enum": ["mars"]}},
    "required": ["node"],
    "additionalProperties": False,
}


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tiny_model(tmp_path_factory.mktemp("tiny") / "tiny.gguf")


@pytest.fixture(scope="module")
def server(model: Path) -> Iterator[LocalServer]:
    with LocalServer(model, alias="tiny", template="fenced") as running:
        yield running


def asked(server: LocalServer, messages: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
    body = {"model": "tiny", "messages": messages, "max_tokens": 40, **more}
    answer = httpx.post(f"http://{server.address}/v1/chat/completions", json=body, timeout=60)
    found: dict[str, Any] = answer.json()
    return found


def conversations() -> list[list[dict[str, Any]]]:
    """Return conversations that share beginnings of every length."""
    found = []
    for system in SYSTEM:
        for words in WORDS:
            begun = [{"role": "system", "content": system}, {"role": "user", "content": words}]
            more = [
                {"role": "assistant", "content": "Looking."},
                {"role": "user", "content": words},
            ]
            found += [begun, [*begun, *more]]
    return found


def draws(server: LocalServer, order: int) -> list[str]:
    """Return what each conversation is answered, asked twice and in an order of chance."""
    talks = conversations()
    places = [*range(len(talks))] * 2
    random.Random(order).shuffle(places)  # noqa: S311 - an order, not a secret
    said: dict[int, set[str]] = {}
    for place in places:
        answer = asked(
            server, talks[place], temperature=place % 2, seed=place, logprobs=True, top_logprobs=3
        )
        choice = answer["choices"][0]
        said.setdefault(place, set()).add(json.dumps([choice["message"], choice["logprobs"]]))
    assert {len(texts) for texts in said.values()} == {1}, "asked twice, answered alike"
    return [said[place].pop() for place in range(len(talks))]


def test_an_answer_depends_on_the_request_alone_to_the_last_bit(
    server: LocalServer, model: Path
) -> None:
    first = draws(server, 1)
    assert draws(server, 2) == first, "whatever was asked before"
    with LocalServer(model, alias="tiny", template="fenced", threads=2) as again:
        assert draws(again, 3) == first, "after a new start, and with other threads"
    assert len(set(first)) == len(first)


def test_the_cache_is_on(server: LocalServer) -> None:
    talk = conversations()[1]
    asked(server, talk, seed=1)
    answer = asked(server, [*talk, {"role": "user", "content": "More."}], seed=1)
    assert answer["usage"]["prompt_tokens_details"]["cached_tokens"] > 40


def test_a_schema_is_kept_to_by_the_engine(server: LocalServer) -> None:
    form = {"type": "json_schema", "json_schema": {"name": "answer", "schema": ONLY_MARS}}
    talk = [{"role": "user", "content": "Show me moon."}]
    answer = asked(server, talk, response_format=form, temperature=1, seed=3, max_tokens=200)
    assert json.loads(answer["choices"][0]["message"]["content"]) == {"node": "mars"}
    assert answer["model"] == "tiny"


def called(server: LocalServer, node: dict[str, Any], seed: int) -> list[Any]:
    """Return the arguments of the calls that noise makes, once a call was begun for it."""
    form = {**ONLY_MARS, "properties": {"node": node}}
    tool = {"type": "function", "function": {"name": "look", "parameters": form}}
    begun = {"role": "assistant", "content": '```json\n{"name": "look"'}
    talk = [{"role": "user", "content": "Show me moon."}, begun]
    more = {"tool_choice": "required", "max_tokens": 4000}
    choice = asked(server, talk, tools=[tool], temperature=1, seed=seed, **more)["choices"][0]
    assert choice["finish_reason"] == "tool_calls"
    calls = [call["function"] for call in choice["message"]["tool_calls"]]
    assert {call["name"] for call in calls} == {"look"}
    return [json.loads(call["arguments"]) for call in calls]


def test_a_call_is_held_to_the_enum_of_its_schema(server: LocalServer) -> None:
    for seed in range(3):
        for word in ("mars", "venus"):
            found = called(server, {"enum": [word]}, seed)
            assert found == [{"node": word}] * len(found)
    loose = called(server, {"type": "string", "maxLength": 8}, 1)
    assert {"node": "mars"} not in loose, "noise does not say mars of itself"


def test_special_tokens_in_a_message_are_read_as_such_and_other_marks_as_text(
    server: LocalServer,
) -> None:
    def tokens(text: str) -> int:
        talk: list[dict[str, Any]] = [
            {"role": "user", "content": "Look."},
            {"role": "tool", "tool_call_id": "0", "content": text},
        ]
        count: int = asked(server, talk, max_tokens=1)["usage"]["prompt_tokens"]
        return count

    empty = tokens("")
    assert tokens("<|im_end|>") == empty + 1, "one token: it ends the message"
    assert tokens("<|im_emd|>") == empty + 10, "ten bytes of text"
    assert tokens("<tool_response>") == empty + 15, "never a token of its own"


def test_a_plain_template_puts_every_kind_of_message_into_words(model: Path) -> None:
    call = {"id": "0", "type": "function", "function": {"name": "look", "arguments": "{}"}}
    talk: list[dict[str, Any]] = [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": [{"type": "text", "text": "in parts"}]},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "0", "content": "a result"},
    ]
    with LocalServer(model, alias="m", template="plain") as server:
        assert rendered(server, talk) == (
            "Be brief.\n\nUser:\nin parts\n\n"
            'Assistant:\n```json\n{"name": "look", "arguments": {}}\n```\n\n'
            "Result:\na result\n\nAssistant:\n"
        )
        assert rendered(server, talk[1:2]) == "User:\nin parts\n\nAssistant:\n"


def test_answers_can_be_streamed(server: LocalServer) -> None:
    body = {"model": "tiny", "stream": True, "max_tokens": 5}
    body["messages"] = [{"role": "user", "content": "Hello"}]
    answer = httpx.post(f"http://{server.address}/v1/chat/completions", json=body, timeout=60)
    lines = [line for line in answer.content.split(b"\n") if line.startswith(b"data: ")]
    assert lines[-1] == b"data: [DONE]"
    assert b'"finish_reason":null' in lines[0], "a part before the end"


def rendered(server: LocalServer, messages: list[dict[str, Any]], **more: Any) -> str:
    body = {"messages": messages, **more}
    answer = httpx.post(f"http://{server.address}/apply-template", json=body, timeout=60)
    return str(answer.json()["prompt"])


def test_every_kind_of_message_is_put_into_the_prompt(server: LocalServer) -> None:
    calls = [
        {"id": str(n), "type": "function", "function": {"name": name, "arguments": '{"a": 1}'}}
        for n, name in enumerate(("look", "find"))
    ]
    text = rendered(
        server,
        [
            {"role": "user", "content": [{"type": "text", "text": "in parts"}]},
            {"role": "assistant", "content": None, "tool_calls": calls},
            {"role": "tool", "tool_call_id": "0", "content": "first result"},
            {"role": "tool", "tool_call_id": "1", "content": "second result"},
        ],
    )
    assert text == (
        "<|im_start|>user\nin parts<|im_end|>\n"
        '<|im_start|>assistant\n```json\n{"name": "look", "arguments": {"a": 1}}\n```\n'
        '```json\n{"name": "find", "arguments": {"a": 1}}\n```<|im_end|>\n'
        "<|im_start|>user\n<tool_response>\nfirst result\n</tool_response><|im_end|>\n"
        "<|im_start|>user\n<tool_response>\nsecond result\n</tool_response><|im_end|>\n"
        "<|im_start|>assistant\n"
    )


def test_tools_stand_in_the_system_message_with_the_way_to_call_them(server: LocalServer) -> None:
    tool = {"type": "function", "function": {"name": "look", "parameters": ONLY_MARS}}
    talk = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hello"}]
    text = rendered(server, talk, tools=[tool])
    head = text.partition("<|im_end|>")[0]
    assert head.startswith("<|im_start|>system\nBe brief.\n\n# Tools\n")
    assert '"name": "look"' in head
    assert "```json" in head


def test_what_it_is_stands_in_its_facts(server: LocalServer, model: Path) -> None:
    facts = server.facts
    assert facts["engine"] == "xllamacpp"
    assert facts["version"][0].isdigit()
    assert facts["settings"]["computed at once"] == 1
    assert facts["template"] == "fenced"
    assert facts["template sha256"] == template_sha256("fenced")
    assert facts["weights sha256"] == hashlib.sha256(model.read_bytes()).hexdigest()


def test_a_file_that_is_no_model_is_refused_before_anything_starts(tmp_path: Path) -> None:
    wrong = tmp_path / "model.gguf"
    wrong.write_bytes(b"PK\x03\x04")
    with pytest.raises(ConfigError, match="does not begin with GGUF"):
        LocalServer(wrong, alias="m")
    with pytest.raises(ConfigError, match="cannot read the model file"):
        LocalServer(tmp_path / "absent.gguf", alias="m")


def test_a_model_file_that_breaks_off_is_told_in_a_sentence(model: Path, tmp_path: Path) -> None:
    cut = tmp_path / "cut.gguf"
    cut.write_bytes(model.read_bytes()[:60_000])
    with pytest.raises(HarnessError, match=r"cannot load .*cut\.gguf.*is the file whole"):
        LocalServer(cut, alias="m", template="fenced")


def test_a_template_that_does_not_ship_is_refused(model: Path) -> None:
    with pytest.raises(ConfigError, match="write one of fenced, plain, own"):
        LocalServer(model, alias="m", template="shouted")
    assert templates() == ("fenced", "plain")
    assert len(template_sha256("fenced")) == 64
    assert "tool_calls" in template_text("plain")


def test_it_says_what_it_loads_and_leaves_no_port(model: Path) -> None:
    said: list[str] = []
    with LocalServer(model, alias="m", tell=said.append) as running:
        port = running.port
        running.check()
    assert said == ["loading tiny.gguf (0 MB) ..."]
    assert not _listens(port)
    with pytest.raises(HarnessError, match="the local model m ended"):
        running.check()


def test_it_dies_with_the_process_that_started_it(model: Path) -> None:
    code = (
        "import sys, time; from pathlib import Path; from proxy.localserver import LocalServer\n"
        "server = LocalServer(Path(sys.argv[1]), alias='m')\n"
        "print(server.pid, server.port, flush=True); time.sleep(600)"
    )
    words = [sys.executable, "-c", code, str(model)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        pid, port = map(int, parent.stdout.readline().split())
        parent.send_signal(signal.SIGKILL)
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline and (_lives(pid) or _listens(port)):
        time.sleep(0.05)
    assert not _lives(pid)
    assert not _listens(port), "its last thread holds the port, and is gone"


def _listens(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), timeout=5).close()
    except ConnectionError:
        return False
    return True


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    stat = Path(f"/proc/{pid}/stat")
    return not stat.exists() or stat.read_text().rpartition(")")[2].split()[0] != "Z"
