import http.client
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from mitmproxy.test import tflow

from grid.errors import HarnessError
from proxy.playback import Playback
from proxy.recorder import Recorder
from proxy.replayer import Replayer
from proxy.wire.exchange import (
    ErrorKind,
    Exchange,
    Gap,
    Request,
    Response,
    exchange_lines,
)
from tests.proxy.bench import (
    EVENT_STREAM_HEAD,
    Bench,
    Client,
    chat,
    chunk,
    error_of,
    plain_answer,
    recording_of,
    running_bench,
)

STREAM = b'data: {"choices":[]}\n\ndata: [DONE]\n\n'


@pytest.fixture(scope="module")
def replaying(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    """A replaying proxy; its fake upstream listens, so that a connection to it would be seen."""
    with running_bench(tmp_path_factory.mktemp("replay"), mode="replay") as bench:
        yield bench


def exchange(n: int, content: str, answer: str) -> Exchange:
    body = {"text": json.dumps(chat(content))}
    return Exchange(
        n=n,
        error=None,
        request=Request(
            method="POST",
            path="/chat/completions",
            headers={"content-type": "application/json"},
            body=body,
        ),
        response=Response(
            status=200, headers={"content-type": "application/json"}, body={"text": answer}
        ),
    )


def replay(
    bench: Bench, tmp_path: Path, *exchanges: Exchange, volatile: Any = (), **more: Any
) -> Client:
    file = tmp_path / "recording.jsonl"
    file.write_bytes(exchange_lines(exchanges))
    played = Playback(file=file, volatile=volatile) if volatile else file
    return bench.open(replay=played, **more)


def test_a_recorded_trial_is_replayed_to_the_byte(
    bench: Bench, replaying: Bench, tmp_path: Path
) -> None:
    """Answers, a rate limit, an event stream, and both ways of breaking off, in order."""
    replies = iter(
        [
            plain_answer(b'{ "spaced":  "\xe6\x9c\x88" }'),
            plain_answer(
                b"slow down",
                "429 Too Many Requests",
                "Retry-After: 1",
                "X-Other: 1",
                "Content-Type: text/plain",
                "x-should-retry: true",
            ),
            EVENT_STREAM_HEAD + chunk(STREAM) + b"0\r\n\r\n",
            plain_answer(b"\xff\xfe\x00"),
            plain_answer(b""),
            EVENT_STREAM_HEAD + chunk(STREAM[:9]),
            b"",
        ]
    )
    bench.upstream.play = lambda connection, seen: connection.sendall(next(replies))
    client = bench.open(secret="sk-0123456789abcdef")
    first = [talk(client, f"turn {n}") for n in range(7)]
    recorded = recording_of(bench.close(client))
    assert recorded.complete
    assert [item.error for item in recorded.exchanges[5:]] == ["disconnect"] * 2

    again = replay(replaying, tmp_path, *recorded.exchanges)
    second = [talk(again, f"turn {n}") for n in range(7)]
    closed = replaying.close(again)
    assert closed.complete, closed.detail
    assert second[:6] == first[:6]
    assert (second[6][0], first[6][0]) == (502, 502)
    codes = [(error_of(told[6][1])["code"], told[6][2]) for told in (first, second)]
    assert codes == [("no_answer", {"content-type": "application/json"})] * 2
    lines = exchange_lines(recording_of(closed).exchanges)
    assert lines == exchange_lines(recorded.exchanges)
    assert replaying.upstream.connections == 0


def talk(client: Client, content: str) -> tuple[int, bytes, dict[str, str]]:
    """Ask; keep what came, also of an answer that was cut."""
    response = client.start(chat(content))
    try:
        body = response.read()
    except http.client.IncompleteRead as error:
        body = error.partial + b" (cut)"
    kept = ("content-type", "retry-after", "x-should-retry")
    headers = {k.lower(): v for k, v in response.getheaders() if k.lower() in kept}
    client.close()
    return response.status, body, headers


def test_key_order_and_spacing_of_a_request_do_not_matter(replaying: Bench, tmp_path: Path) -> None:
    client = replay(replaying, tmp_path, exchange(0, "x", "answer"))
    turned = dict(reversed(chat("x").items()))
    assert client.ask(json.dumps(turned, indent=3).encode())[:2] == (200, b"answer")
    assert replaying.close(client).complete


def test_a_request_that_differs_is_explained_and_stops_the_trial(
    replaying: Bench, tmp_path: Path
) -> None:
    client = replay(replaying, tmp_path, exchange(0, "to the moon", "one"), exchange(1, "x", "two"))
    status, body, headers = client.ask(chat("to mars"))
    error = error_of(body)
    assert (status, error["code"], headers["x-should-retry"]) == (404, "replay_mismatch", "false")
    sentence = (
        "request 0 of this trial is not the recorded one: its body differs at "
        "/messages/0/content: recorded 'to the moon', got 'to mars'"
    )
    assert error["message"] == sentence
    assert client.ask(chat("to the moon"))[0] == 403, "a failed trial gets nothing more"
    closed = replaying.close(client)
    assert (closed.complete, closed.reason, closed.detail) == (False, "replay_mismatch", sentence)
    assert replaying.upstream.connections == 0


def test_another_path_or_method_is_a_mismatch(replaying: Bench, tmp_path: Path) -> None:
    client = replay(replaying, tmp_path, exchange(0, "x", "one"))
    status, body, _ = client.ask(chat("x"), path="/embeddings")
    assert status == 404
    assert "its path differs" in error_of(body)["message"]


def test_a_recording_that_is_used_up_is_a_mismatch_and_never_forwarded(
    replaying: Bench, tmp_path: Path
) -> None:
    client = replay(replaying, tmp_path, exchange(0, "x", "one"))
    assert client.ask(chat("x"))[0] == 200
    status, body, _ = client.ask(chat("x"))
    assert (status, error_of(body)["code"]) == (404, "replay_mismatch")
    assert error_of(body)["message"].endswith(
        "the recording ends after 1 requests; the nearest one is request 0, and it is the same"
    )
    assert not replaying.close(client).complete
    assert replaying.upstream.connections == 0


def test_a_mismatch_names_the_recorded_request_that_is_most_alike(
    replaying: Bench, tmp_path: Path
) -> None:
    recorded = [exchange(n, f"turn {n} of the talk", "one") for n in range(3)]
    client = replay(replaying, tmp_path, *recorded)
    extra = {"tools": [{"name": "pay"}]}
    status, body, _ = client.ask(chat("turn 2 of the talk", **extra))
    assert (status, error_of(body)["message"]) == (
        404,
        "request 0 of this trial is not the recorded one: the nearest one is request 2, where its "
        "body differs at /tools: recorded nothing, got [{'name': 'pay'}]",
    )
    client = replay(replaying, tmp_path, *recorded)
    _, body, _ = client.ask(chat("turn 1 of the talk"))
    assert "the nearest one is request 1, and it is the same" in error_of(body)["message"]


def test_a_session_of_the_proxy_alone_is_named_and_counted_as_people_count(
    replaying: Bench, tmp_path: Path
) -> None:
    recorded = [exchange(n, f"turn {n} of the talk", "one") for n in range(3)]
    session = {"trial": "this-one", "session": True}
    client = replay(replaying, tmp_path, *recorded, **session)
    assert client.ask(chat("turn 0 of the talk"))[0] == 200
    sentence = (
        "request 2 of session this-one is not the recorded one: the nearest one is request 3, and "
        "it is the same"
    )
    assert error_of(client.ask(chat("turn 2 of the talk"))[1])["message"] == sentence
    again = error_of(client.ask(chat("turn 2 of the talk"))[1])["message"]
    assert again == "session this-one has failed and was stopped"
    assert replaying.close(client).detail == sentence
    client = replay(replaying, tmp_path, *recorded, **session)
    client.ask(chat("turn 0 of the talk"))
    assert (
        replaying.close(client).detail == "session this-one asked 1 times, the recorded one 3 times"
    )


def test_a_secret_in_a_request_is_not_repeated_in_the_sentence(
    replaying: Bench, tmp_path: Path
) -> None:
    client = replay(replaying, tmp_path, exchange(0, "to the moon", "one"))
    _, body, _ = client.ask(chat(f"my key is {client.opened.api_key}"))
    closed = replaying.close(client)
    for said in (error_of(body)["message"], closed.detail):
        assert "got 'my key is [virtual key]'" in said
        assert client.opened.api_key not in said


@pytest.mark.parametrize(
    ("volatile", "sent", "status"),
    [
        (("/user",), {"user": "u-2"}, 200),
        (("/user",), {}, 200),
        (("/user",), {"user": "u-2", "seed": 1}, 404),
        (("/seed",), {"user": "u-2"}, 404),
        ((), {"user": "u-2"}, 404),
    ],
)
def test_only_a_field_that_was_named_may_differ(
    replaying: Bench, tmp_path: Path, volatile: Any, sent: dict[str, Any], status: int
) -> None:
    recorded = exchange(0, "x", "one")
    text = json.dumps(chat("x", user="u-1"))
    recorded = replace(recorded, request=replace(recorded.request, body={"text": text}))
    client = replay(replaying, tmp_path, recorded, volatile=volatile)
    assert client.ask(chat("x", **sent))[0] == status
    closed = replaying.close(client)
    assert closed.complete is (status == 200)
    if closed.complete:
        (kept,) = recording_of(closed).exchanges
        assert json.loads(kept.request.body["text"]) == chat("x", **sent), "as it was asked now"


@pytest.mark.parametrize("pointer", ["user", "/", "/*"])
def test_a_volatile_field_without_a_name_is_refused_when_the_trial_is_opened(
    replaying: Bench, tmp_path: Path, pointer: str
) -> None:
    before = set(replaying.folder.iterdir())
    with pytest.raises(HarnessError, match=r"volatile: .*names no field"):
        replay(replaying, tmp_path, exchange(0, "x", "one"), volatile=(pointer,))
    assert set(replaying.folder.iterdir()) == before, "nothing was begun"


def test_a_trial_that_asks_less_than_recorded_is_not_complete(
    replaying: Bench, tmp_path: Path
) -> None:
    client = replay(replaying, tmp_path, exchange(0, "x", "one"), exchange(1, "y", "two"))
    client.ask(chat("x"))
    closed = replaying.close(client)
    assert (closed.complete, closed.reason) == (False, "replay_short")
    assert closed.detail == "the trial asked 1 times, the recorded one 2 times"


def test_equal_requests_of_two_trials_get_their_own_answers(
    replaying: Bench, tmp_path: Path
) -> None:
    first = replay(replaying, tmp_path, exchange(0, "x", "of the first"))
    file = tmp_path / "second.jsonl"
    file.write_bytes(exchange_lines((exchange(0, "x", "of the second"),)))
    second = replaying.open(replay=file, upstream="")
    assert second.ask(chat("x"))[1] == b"of the second"
    assert first.ask(chat("x"))[1] == b"of the first"


def test_a_client_that_had_left_gets_no_answer_again(replaying: Bench, tmp_path: Path) -> None:
    whole = exchange(0, "x", "")
    left = Exchange(n=0, request=whole.request, response=None, error=ErrorKind.CLIENT_LEFT)
    client = replay(replaying, tmp_path, left)
    assert talk(client, "x") == (502, b" (cut)", {})
    recording = recording_of(replaying.close(client))
    assert exchange_lines(recording.exchanges) == exchange_lines((left,))


@pytest.mark.parametrize(
    ("content", "words"),
    [(None, "No such file"), (b"{}\n", "is no recording"), (b'{"n":0', "is cut")],
)
def test_a_recording_that_does_not_read_is_an_error_not_an_empty_one(
    replaying: Bench, tmp_path: Path, content: bytes | None, words: str
) -> None:
    file = tmp_path / "recording.jsonl"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(HarnessError, match=words):
        replaying.open(replay=file)


def test_replay_needs_a_recording_and_recording_takes_none(
    bench: Bench, replaying: Bench, tmp_path: Path
) -> None:
    with pytest.raises(HarnessError, match="a file in replay mode"):
        replaying.open()
    with pytest.raises(HarnessError, match="null in record mode"):
        replay(bench, tmp_path, exchange(0, "x", "one"))


def test_a_request_that_no_recorder_numbered_is_refused() -> None:
    flow = tflow.tflow()
    Replayer(Recorder(1000)).request(flow)
    assert flow.response is not None
    assert flow.response.status_code == 500
    assert error_of(flow.response.content or b"")["code"] == Gap.INTERNAL_ERROR
