"""frameworks._native: a framework that nobody tells how to run is watched, and stopped in time."""

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from frameworks._native import (
    PATIENCE,
    Watched,
    assembled,
    async_client,
    blocking_client,
    turned_away,
    watched,
)
from frameworks._run import Run, running
from grid.adapter import Delivered
from grid.vocabulary import Cause, Status
from grid.wirecall import wire_calls, wire_model
from proxy.wire.answer import Assistant, ProviderError, Undecodable
from proxy.wire.exchange import Exchange, Request, Response, body_json
from proxy.wire.openai_chat import decode_answer
from tests.frameworks.stage import (
    AS_THEY_SHIP,
    FakeSession,
    Reply,
    Stage,
    Upstream,
    asks,
    events,
    says,
    streamed,
)

pytestmark = AS_THEY_SHIP

NATIVE = (
    "strands-native", "langgraph-native", "langgraph-streamed-native", "crewai-native",
    "crewai-cached-native",
)  # fmt: skip
STREAMING = ("strands-native", "langgraph-streamed-native")
PAY = ("pay", '{"amount": 5, "currency": "EUR", "to": {"name": "Bob"}}')


@pytest.fixture(scope="module", params=NATIVE)
def native(request: pytest.FixtureRequest, upstream: Upstream) -> Iterator[Stage]:
    built = Stage(request.param, upstream)
    yield built
    built.close()


def replies(stage: Stage, *plain: Reply) -> tuple[Reply, ...]:
    """Return answers in the form that a framework asks for."""
    return tuple(map(streamed, plain)) if stage.framework in STREAMING else plain


def paying(number: int) -> Reply:
    """Return an answer that pays another amount each time."""
    raw = json.dumps({"amount": number, "currency": "EUR", "to": {"name": "Bob"}})
    return asks(("pay", raw), base=number)


# --- streams -------------------------------------------------------------------------------------


def as_recorded(reply: Reply) -> Assistant | ProviderError | Undecodable:
    """Return an answer as the recorder's decoder reads it."""
    headers = dict(reply.headers) or {"content-type": "application/json"}
    request = Request(method="POST", path="/x", headers={}, body={"text": "{}"})
    response = Response(status=200, headers=headers, body=body_json(reply.body))
    return decode_answer(Exchange(n=0, request=request, response=response, error=None))


def part(**fields: Any) -> dict[str, Any]:
    return {"delta": {"tool_calls": [fields]}, "finish_reason": None}


def piece(text: str, **fields: Any) -> dict[str, Any]:
    return part(function={"arguments": text}, **fields)


OPENING = part(index=0, id="a", type="function", function={"name": "pay", "arguments": ""})
END: dict[str, Any] = {"delta": {}, "finish_reason": "tool_calls"}

STREAMS: dict[str, Reply] = {
    "words": streamed(says("Paid. 支払いました。")),
    "a call": streamed(asks(PAY)),
    "words and calls": streamed(asks(PAY, ("look", "{}"), text="First the bill.")),
    "broken arguments": streamed(asks(("pay", '{"amount": 5, "cur'))),
    "empty arguments": streamed(asks(("look", ""))),
    "calls of which each goes on with the other": events(
        OPENING,
        part(index=1, id="b", type="function", function={"name": "look", "arguments": "{"}),
        piece('{"amount"', index=0),
        piece("}", index=1),
        piece(": 5}", index=0),
        END,
    ),
    "deltas without an index": events(OPENING, piece('{"amount"'), piece(": 5}", id="a"), END),
    "one index for two calls": events(
        OPENING,
        piece("{}", index=0),
        part(index=0, id="b", type="function", function={"name": "look", "arguments": "{}"}),
        END,
    ),
    "an id that comes late": events(
        part(index=0, type="function", function={"name": "pay", "arguments": "{"}),
        part(index=0, id="a", function={"arguments": "}"}),
        END,
    ),
    "a comment, and an event that is no JSON": Reply(
        body=b": ping\n\ndata: : PROCESSING\n\n" + streamed(asks(PAY)).body,
        headers=(("content-type", "text/event-stream"),),
    ),
    "carriage returns": Reply(
        body=streamed(asks(PAY)).body.replace(b"\n", b"\r\n"),
        headers=(("content-type", "text/event-stream"),),
    ),
}


@pytest.mark.parametrize("what", STREAMS)
def test_a_stream_is_put_together_as_the_recorder_decodes_it(what: str) -> None:
    reply = STREAMS[what]
    recorded = as_recorded(reply)
    assert isinstance(recorded, Assistant)
    whole = assembled(reply.body)
    message = json.loads(whole)["choices"][0]["message"]
    assert wire_calls(whole) == recorded.calls
    assert (message["content"] or "") == (recorded.text or "")
    assert wire_model(whole) == recorded.model == "scripted"


NO_ANSWERS: dict[str, Reply] = {
    "an event that is damaged": Reply(
        body=b"data: {bad\n\n" + streamed(asks(PAY)).body,
        headers=(("content-type", "text/event-stream"),),
    ),
    "an event with one key twice": Reply(
        body=b'data: {"choices": [], "choices": []}\n\n' + streamed(asks(PAY)).body,
        headers=(("content-type", "text/event-stream"),),
    ),
    "an error in the stream": Reply(
        body=b'data: {"error": {"message": "boom"}}\n\ndata: [DONE]\n\n',
        headers=(("content-type", "text/event-stream"),),
    ),
    "a call that goes on with nothing": events(piece("{}"), END),
    "a call under two names": events(
        OPENING, part(index=0, function={"name": "look", "arguments": "{}"}), END
    ),
    "arguments that are no text": events(OPENING, piece(5, index=0), END),  # type: ignore[arg-type]
}


@pytest.mark.parametrize("what", NO_ANSWERS)
def test_a_stream_that_is_no_answer_for_the_recorder_is_none_for_the_run(what: str) -> None:
    reply = NO_ANSWERS[what]
    assert not isinstance(as_recorded(reply), Assistant)
    assert assembled(reply.body) == reply.body
    with running(FakeSession(base_url="")) as run:
        run.answered(200, assembled(reply.body))
    assert run.end(foreign={}, error=None, final_text="").status is Status.PROVIDER_ERROR


@pytest.mark.parametrize("body", [says("data: x").body, b"", b"\xff", b'{"error": {}}'])
def test_what_is_no_stream_is_reported_as_it_is(body: bytes) -> None:
    assert assembled(body) == body


# --- the watch -----------------------------------------------------------------------------------


def showing(*roles: str) -> bytes:
    return json.dumps({"messages": [{"role": role} for role in roles]}).encode()


def test_a_conversation_that_begins_anew_is_a_restore_and_a_shortened_one_is_none() -> None:
    session = FakeSession(base_url="")
    watch = Watched(Run(session))
    begin = showing("system", "user")
    for body in (begin, begin, showing("user", "assistant", "tool", "assistant", "tool")):
        assert watch.lets_out(body)
    watch.lets_out(showing("assistant", "tool"))
    assert session.journal == []
    watch.lets_out(begin)
    assert session.journal == ["restored"]
    watch.lets_out(begin)
    assert session.journal == ["restored"], "nothing was forgotten that time"


@pytest.mark.parametrize("body", [b"", b"[]", b"{}", b'{"messages": 5}', b'{"messages": ["x"]}'])
def test_a_request_that_cannot_be_read_shows_no_answer(body: bytes) -> None:
    assert Watched(Run(FakeSession(base_url=""))).lets_out(body)


def test_a_run_has_one_watch() -> None:
    one, other = Run(FakeSession(base_url="")), Run(FakeSession(base_url=""))
    assert watched(one) is watched(one)
    assert watched(one) is not watched(other)


def test_after_so_many_requests_none_goes_out_and_the_limit_is_reached() -> None:
    run = Run(FakeSession(base_url="", turn_limit=2))
    watch = Watched(run)
    assert [watch.lets_out(showing("user")) for _ in range(PATIENCE * 2 + 1)][-2:] == [True, False]
    assert run.limit_reached


def test_a_run_that_was_refused_for_good_asks_no_more_and_did_not_reach_its_limit() -> None:
    run = Run(FakeSession(base_url="", halted=True))
    assert not Watched(run).lets_out(showing("user"))
    assert not run.limit_reached


def blocking(url: str) -> httpx.Response:
    with blocking_client() as client:
        return client.post(url, json={"messages": []})


def asynchronous(url: str) -> httpx.Response:
    async def post() -> httpx.Response:
        async with async_client() as client:
            return await client.post(url, json={"messages": []})

    return asyncio.run(post())


@pytest.mark.parametrize("post", [blocking, asynchronous])
def test_a_client_reports_a_stream_as_one_answer_and_hands_it_on_as_it_came(
    post: Callable[[str], httpx.Response], upstream: Upstream
) -> None:
    reply = streamed(asks(PAY))
    upstream.expect((reply,))
    session = FakeSession(base_url=f"http://127.0.0.1:{upstream.port}/v1")
    with running(session) as run:
        assert post(session.base_url + "/chat/completions").content == reply.body
        assert [call.name for call in run.waiting] == ["pay"]
    assert session.answers == [(200, assembled(reply.body))]


@pytest.mark.parametrize("post", [blocking, asynchronous])
def test_a_request_of_a_run_that_is_over_is_turned_away_unsent_and_reported_to_nobody(
    post: Callable[[str], httpx.Response], upstream: Upstream
) -> None:
    upstream.expect((says("x"),))
    session = FakeSession(base_url=f"http://127.0.0.1:{upstream.port}/v1", halted=True)
    with running(session):
        answer = post(session.base_url + "/chat/completions")
    assert (answer.status_code, upstream.asked, session.answers) == (403, [], [])
    assert answer.content == turned_away(httpx.Request("POST", "http://x")).content
    assert answer.headers["x-should-retry"] == "false"


# --- the profiles --------------------------------------------------------------------------------


def test_a_run_takes_its_calls_to_the_session_and_ends_with_the_agents_words(
    native: Stage,
) -> None:
    ended = native.play(*replies(native, asks(PAY), says("Paid.")))
    assert (ended.status, ended.cause, ended.final_text) == (Status.COMPLETED, None, "Paid.")
    assert native.handed_over == [("pay", json.loads(PAY[1]))]
    assert native.session.journal == ["answer 200 pay", "call pay", "answer 200"]
    assert [message["content"] for message in native.history("tool")] == ["ran pay"]


def test_the_first_request_holds_the_users_words_the_system_text_and_the_tools_names(
    native: Stage,
) -> None:
    native.play(*replies(native, says("x")))
    (asked,) = native.asked
    told = {message["role"]: str(message["content"]) for message in asked.messages}
    assert "You pay bills." in told["system"]
    assert "Pay the bill." in told["user"]
    assert [tool["function"]["name"] for tool in asked.body["tools"]] == ["pay", "look"]
    assert asked.headers["authorization"] == "Bearer virtual-key"


def test_without_a_system_text_nothing_of_one_is_sent(native: Stage) -> None:
    native.play(*replies(native, says("x")), system_text=None)
    assert b"You pay bills." not in native.asked[0].raw


def test_an_endless_run_ends_at_the_limit_of_our_patience(native: Stage) -> None:
    plain = (paying(number) for number in range(1, 20))
    ended = native.play(*replies(native, *plain), turn_limit=3)
    assert (ended.status, ended.cause) == (Status.TURN_LIMIT, Cause.AGENT)
    assert len(native.asked) == PATIENCE * 3
    assert len(native.handed_over) == PATIENCE * 3


def test_a_terminal_refusal_ends_the_run_with_no_further_call_and_no_further_request(
    native: Stage,
) -> None:
    plain = (paying(number) for number in range(1, 9))
    ended = native.play(
        *replies(native, *plain),
        deliver=lambda _call: Delivered(text="no", is_error=True, halt=True),
    )
    assert (ended.status, ended.cause) == (Status.STOPPED, None)
    assert (len(native.asked), len(native.handed_over)) == (1, 1)


def test_a_fault_of_the_harness_is_raised_and_not_shown_to_the_model(native: Stage) -> None:
    def broken(_call: object) -> Delivered:
        raise ZeroDivisionError("ours")

    with pytest.raises(ZeroDivisionError, match="ours"):
        native.play(*replies(native, asks(PAY), says("x")), deliver=broken)


def test_one_error_of_the_model_is_retried_and_both_answers_are_seen(native: Stage) -> None:
    boom = Reply(status=500, body=b'{"error": {"message": "boom"}}')
    ended = native.play(boom, *replies(native, says("x")))
    assert ended.status is Status.COMPLETED
    assert native.session.journal == ["answer 500", "answer 200"]


def test_trials_that_run_one_after_the_other_know_nothing_of_each_other(native: Stage) -> None:
    native.play(*replies(native, asks(PAY), says("x")), user_text="Pay FIRST.")
    native.play(*replies(native, asks(PAY), says("x")), user_text="Pay second.")
    assert not any(b"FIRST" in asked.raw for asked in native.asked)
    assert native.handed_over == [("pay", json.loads(PAY[1]))]
    assert "restored" not in native.session.journal


def test_a_scenario_with_an_approval_step_is_refused_before_anything_is_asked(
    native: Stage,
) -> None:
    with pytest.raises(NotImplementedError, match="no approval step"):
        native.play(says("x"), overseen=("pay",))
    assert (native.asked, native.session.journal) == ([], [])


def test_every_native_profile_says_what_it_does_otherwise(native: Stage) -> None:
    assert native.module.WIRE_NOTES
    assert all("native profile: " in note for note in native.module.WIRE_NOTES)


ALONE = """
import sys
reached = []
def spy(event, args):
    if event == "socket.connect":
        reached.append(args[1])
    elif event == "socket.getaddrinfo":
        reached.append(args[:2])
sys.addaudithook(spy)
import asyncio
from grid.adapters import build_adapter
from tests.frameworks.stage import FakeSession
async def main():
    adapter = build_adapter(sys.argv[1])
    ended = await adapter.drive(FakeSession(base_url=sys.argv[2]))
    await adapter.close()
    return f"{ended.status} {ended.final_text}"
ended = asyncio.run(main())
print("ENDED", ended, sorted({str(address) for address in reached}))
"""


@pytest.mark.parametrize("framework", [name for name in NATIVE if name != "crewai-cached-native"])
def test_a_process_of_its_own_reaches_the_base_url_alone(
    framework: str, upstream: Upstream, tmp_path: Path
) -> None:
    plain = (asks(("look", "{}")), says("done"))
    upstream.expect(tuple(map(streamed, plain)) if framework in STREAMING else plain)
    done = subprocess.run(
        [sys.executable, "-c", ALONE, framework, f"http://127.0.0.1:{upstream.port}/v1"],
        capture_output=True,
        text=True,
        timeout=120,
        cwd=tmp_path,
        check=True,
        env={
            "PYTHONPATH": str(Path(__file__).resolve().parents[2]),
            "PATH": os.environ["PATH"],
            "HOME": str(tmp_path),
            "http_proxy": "http://127.0.0.1:9",
            "LANGSMITH_TRACING": "true",
            "LANGSMITH_API_KEY": "k",
            "OPENAI_BASE_URL": "http://[::1]",
            "CREWAI_TRACING_ENABLED": "true",
            "OTEL_SDK_DISABLED": "false",
        },
    )
    ours = str([str(("127.0.0.1", upstream.port))])
    assert done.stdout.splitlines()[-1] == f"ENDED completed done {ours}"
