"""Planted faults on a real wire: what the client gets, what the record holds, and the replay."""

import gzip
import http.client
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from grid.scenario import Tamper
from grid.tampering import ModelAnswer, Tampering
from grid.vocabulary import TamperKind
from grid.wirecall import WireCall, completion, wire_calls, wire_model
from proxy.tamperer import from_provider, on_the_wire, tampered
from proxy.wire.answer import Assistant, Finding
from proxy.wire.exchange import (
    ErrorKind,
    Exchange,
    Recording,
    Response,
    body_bytes,
    exchange_lines,
)
from proxy.wire.openai_chat import decode_answer
from tests import builders
from tests.proxy.bench import (
    EVENT_STREAM_HEAD,
    Bench,
    Client,
    chat,
    chunk,
    plain_answer,
    recording_of,
    running_bench,
)

PAY = WireCall(id="c1", name="pay", raw_arguments='{"to": "Kaya"}')
SENT = completion("fake", "", (PAY,))
TO_MIRA = Tamper(kind=TamperKind.ARGUMENT, answer=0, tool="pay", argument="to", value="Mira")
RENAMED = Tamper(kind=TamperKind.MODEL, answer=0, value="other")
DROPPED = Tamper(kind=TamperKind.DROP, answer=0, tool="pay")
TWICE = Tamper(kind=TamperKind.DUPLICATE, answer=0, tool="pay")
LATE = Tamper(kind=TamperKind.TIMEOUT, answer=1)
LIMITED = Tamper(kind=TamperKind.STATUS, answer=0, value=429, rate=0.4, retry_after=3)
UNAVAILABLE = Tamper(kind=TamperKind.STATUS, answer=1, value=503)
CUT = Tamper(kind=TamperKind.CUT, answer=1)


def delta(**fields: Any) -> bytes:
    data = {"model": "fake", "choices": [{"index": 0, "delta": fields}]}
    return b"data: " + json.dumps(data).encode() + b"\n\n"


PIECES = [
    delta(tool_calls=[{"index": 0, "id": "c1", "function": {"name": "pay", "arguments": ""}}]),
    delta(tool_calls=[{"index": 0, "function": {"arguments": '{"to": "Ka'}}]),
    delta(tool_calls=[{"index": 0, "function": {"arguments": 'ya"}'}}]),
    b'data: {"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]}\n\n',
    b"data: [DONE]\n\n",
]
STREAM = EVENT_STREAM_HEAD + b"".join(map(chunk, PIECES)) + b"0\r\n\r\n"


@pytest.fixture(scope="module")
def replaying(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    with running_bench(tmp_path_factory.mktemp("replay"), mode="replay") as bench:
        yield bench


def ask(client: Client, body: dict[str, Any] | None = None) -> tuple[int, bytes, bool]:
    """Ask; return status, body, and whether the body broke off."""
    response = client.start(body or chat("x"))
    try:
        got = response.status, response.read(), False
    except http.client.IncompleteRead as error:
        got = response.status, error.partial, True
    client.close()
    return got


def trial(
    bench: Bench, *plan: Tamper, answers: bytes | list[bytes]
) -> tuple[list[tuple[int, bytes, bool]], Recording]:
    """Run a trial with something planted; return what the client got, and the recording."""
    waiting = iter([answers] if isinstance(answers, bytes) else answers)
    bench.upstream.play = lambda connection, seen: connection.sendall(next(waiting))
    client = bench.open(tamper=plan, secret="sk-0123456789abcdef")
    many = 1 if isinstance(answers, bytes) else len(answers)
    got = [ask(client, chat(f"turn {number}")) for number in range(many)]
    recording = recording_of(bench.close(client))
    assert recording.complete, recording.detail
    return got, recording


def test_the_client_gets_the_changed_answer_and_the_record_holds_both(bench: Bench) -> None:
    head = ("X-Other: 1", "Retry-After: 3")
    ((status, body, cut),), recording = trial(
        bench, TO_MIRA, answers=plain_answer(SENT, "200 OK", *head)
    )
    assert (status, cut) == (200, False)
    assert [call.raw_arguments for call in wire_calls(body)] == ['{"to": "Mira"}']
    (exchange,) = recording.exchanges
    assert exchange.response is not None
    assert exchange.sent is not None
    assert body_bytes(exchange.response.body) == body
    assert body_bytes(exchange.sent.body) == SENT
    assert exchange.sent.headers == exchange.response.headers
    assert exchange.sent.headers["retry-after"] == "3"
    assert b"Mira" not in bench.upstream.seen[-1].body


def test_a_stream_is_held_and_comes_changed(bench: Bench) -> None:
    ((_, body, cut),), recording = trial(bench, TO_MIRA, RENAMED, answers=STREAM)
    assert not cut
    (exchange,) = recording.exchanges
    got, sent = (decode_answer(item) for item in (exchange, from_provider(exchange)))
    assert isinstance(got, Assistant)
    assert isinstance(sent, Assistant)
    assert (got.model, sent.model) == ("other", "fake")
    assert [call.raw_arguments for call in got.calls] == ['{"to": "Mira"}']
    assert [call.raw_arguments for call in sent.calls] == ['{"to": "Kaya"}']
    assert exchange.response is not None
    assert body_bytes(exchange.response.body) == body
    assert body.endswith(b"data: [DONE]\n\n")


@pytest.mark.parametrize("answers", [plain_answer(SENT), STREAM])
def test_a_cut_answer_breaks_off_half_way(bench: Bench, answers: bytes) -> None:
    ((status, body, cut),), recording = trial(bench, CUT, answers=answers)
    assert (status, cut) == (200, True)
    (exchange,) = recording.exchanges
    assert exchange.error is ErrorKind.DISCONNECT
    assert exchange.response is not None
    assert exchange.sent is not None
    whole = body_bytes(exchange.sent.body)
    assert body_bytes(exchange.response.body) == body == whole[: len(whole) // 2]


def test_an_error_comes_in_place_of_the_answer_and_the_next_one_is_whole(bench: Bench) -> None:
    got, recording = trial(bench, UNAVAILABLE, answers=[plain_answer(SENT)] * 2)
    assert [item[0] for item in got] == [503, 200]
    assert got[1][1] == SENT
    first, second = recording.exchanges
    assert first.response is not None
    assert first.response.headers == {"content-type": "application/json"}
    assert second.sent is None


def test_a_compressed_answer_comes_plain_and_changed(bench: Bench) -> None:
    packed = plain_answer(gzip.compress(SENT), "200 OK", "Content-Encoding: gzip")
    ((_, body, _),), recording = trial(bench, TO_MIRA, answers=packed)
    assert [call.raw_arguments for call in wire_calls(body)] == ['{"to": "Mira"}']
    sent = recording.exchanges[0].sent
    assert sent is not None
    assert body_bytes(sent.body) == SENT


@pytest.mark.parametrize(
    "body", [b"no json", b"\xff\xfe\x00", b"", b'{"choices": []}', completion("fake", "words", ())]
)
def test_an_answer_that_has_no_such_call_passes_to_the_byte(bench: Bench, body: bytes) -> None:
    (got,), recording = trial(bench, TO_MIRA, answers=plain_answer(body))
    assert got == (200, body, False)
    assert recording.exchanges[0].sent is None
    assert b'"sent"' not in exchange_lines(recording.exchanges)


def test_the_record_of_what_is_not_changed_does_not_grow(bench: Bench) -> None:
    files = []
    for plan in ((), (replace(TO_MIRA, tool="other_tool"),)):
        client = bench.open(tamper=plan)
        client.ask()
        file = bench.close(client).file
        assert file is not None
        files.append(file.read_bytes())
    assert files[0] == files[1]


def test_what_is_planted_in_one_trial_is_not_used_up_by_another(bench: Bench) -> None:
    bench.upstream.play = lambda connection, seen: connection.sendall(plain_answer(SENT))
    clients = [bench.open(tamper=(TO_MIRA,)) for _ in range(2)]
    plain = bench.open()
    bodies = [ask(client)[1] for client in (*clients, plain)]
    assert [wire_calls(body)[0].raw_arguments for body in bodies] == [
        '{"to": "Mira"}', '{"to": "Mira"}', '{"to": "Kaya"}',
    ]  # fmt: skip


def test_a_fault_that_cannot_be_planted_stops_the_trial(bench: Bench) -> None:
    bench.upstream.play = lambda connection, seen: connection.sendall(plain_answer(SENT))
    client = bench.open(tamper=(replace(UNAVAILABLE, value={"soon": 1}),))
    assert ask(client)[0] == 500
    closed = bench.close(client)
    assert (closed.complete, closed.reason) == (False, "internal_error")


def test_a_secret_in_a_changed_answer_is_told_to_nobody(bench: Bench) -> None:
    said = completion("fake", "your key is sk-0123456789abcdef", (PAY,))
    ((_, body, _),), recording = trial(bench, TO_MIRA, answers=plain_answer(said))
    assert b"sk-0123456789abcdef" not in body + exchange_lines(recording.exchanges)
    assert b"[provider key]" in body


@pytest.mark.parametrize("answers", [plain_answer(SENT), STREAM])
@pytest.mark.parametrize(("plan", "calls"), [(DROPPED, 0), (TWICE, 2)])
def test_calls_are_taken_out_and_repeated_in_whole_answers_and_streams(
    bench: Bench, plan: Tamper, calls: int, answers: bytes
) -> None:
    ((status, body, cut),), recording = trial(bench, plan, answers=answers)
    assert (status, cut) == (200, False)
    (exchange,) = recording.exchanges
    got, sent = (decode_answer(item) for item in (exchange, from_provider(exchange)))
    assert isinstance(got, Assistant)
    assert isinstance(sent, Assistant)
    assert [(call.name, call.raw_arguments) for call in got.calls] == [
        ("pay", '{"to": "Kaya"}')
    ] * calls
    assert len({call.id for call in got.calls}) == calls
    assert [call.id for call in sent.calls] == ["c1"]
    assert (got.finish_reason, sent.finish_reason) == (
        "tool_calls" if calls else "stop", "tool_calls",
    )  # fmt: skip
    assert got.findings == (() if calls else (Finding.NO_CONTENT,))
    assert sent.findings == ()
    assert exchange.response is not None
    assert body_bytes(exchange.response.body) == body


def test_calls_of_another_tool_or_answer_pass_to_the_byte(bench: Bench) -> None:
    others = [replace(plan, tool="look") for plan in (DROPPED, TWICE)]
    others += [replace(plan, answer=3) for plan in (DROPPED, TWICE, LATE)]
    got, recording = trial(bench, *others, answers=[plain_answer(SENT)] * 2)
    assert got == [(200, SENT, False)] * 2
    assert all(exchange.sent is None for exchange in recording.exchanges)


def test_an_answer_that_never_comes_is_a_504_at_once(bench: Bench) -> None:
    got, recording = trial(bench, LATE, answers=[plain_answer(SENT)] * 2)
    assert [item[0] for item in got] == [504, 200]
    first, second = recording.exchanges
    assert first.error is None
    assert first.sent is not None
    assert body_bytes(first.sent.body) == SENT, "the provider did answer; nobody was told"
    assert second.sent is None


def test_errors_at_a_rate_are_drawn_from_the_seed_and_say_when_to_come_back(bench: Bench) -> None:
    bench.upstream.play = lambda connection, seen: connection.sendall(plain_answer(SENT))
    found = {}
    for seed in ("ab" * 16, "cd" * 16):
        client = bench.open(tamper=(LIMITED,), seed=seed)
        found[seed] = [ask(client)[0] for _ in range(12)]
        expected = Tampering((LIMITED,), seed)
        sent = ModelAnswer(status=200, headers={}, body=SENT)
        assert found[seed] == [expected.apply(n, sent).status for n in range(1, 13)]
        recording = recording_of(bench.close(client))
        limited = [item.response for item in recording.exchanges if item.sent is not None]
        assert {item.headers["retry-after"] for item in limited if item} == {"3"}
        assert len(limited) == found[seed].count(429)
    assert found["ab" * 16] != found["cd" * 16]


PLANS = [
    ((TO_MIRA, RENAMED), [plain_answer(SENT), STREAM, plain_answer(b"no json")]),
    ((CUT,), [plain_answer(SENT), plain_answer(SENT)]),
    ((UNAVAILABLE,), [plain_answer(b"", "204 No Content"), plain_answer(SENT, "429 Wait")]),
    ((TWICE, DROPPED), [plain_answer(SENT), STREAM]),
    ((LATE, replace(DROPPED, answer=2)), [STREAM, STREAM]),
]


@pytest.mark.parametrize(("plan", "answers"), PLANS)
def test_a_replay_plants_the_same_anew_and_writes_the_same_bytes(
    bench: Bench,
    replaying: Bench,
    tmp_path: Path,
    plan: tuple[Tamper, ...],
    answers: list[bytes],
) -> None:
    first, recorded = trial(bench, *plan, answers=answers)
    lines = exchange_lines(recorded.exchanges)
    file = tmp_path / "recording.jsonl"
    file.write_bytes(lines)
    for planted, same in ((plan, True), ((), False)):
        client = replaying.open(replay=file, tamper=planted)
        second = [ask(client, chat(f"turn {number}")) for number in range(len(answers))]
        closed = replaying.close(client)
        assert closed.complete, closed.detail
        again = exchange_lines(recording_of(closed).exchanges)
        assert ((second == first), (again == lines)) == (same, same)
        assert (b'"sent"' in again) == same
    assert replaying.upstream.connections == 0


def response(body: bytes, status: int = 200) -> Response:
    headers = {"content-type": "application/json"}
    return Response(status=status, headers=headers, body={"text": body.decode()})


def test_where_nothing_is_changed_the_very_response_comes_back() -> None:
    sent = response(SENT)
    assert tampered(Tampering(()), 0, sent) == (sent, False)
    got, cut = tampered(Tampering((TO_MIRA,)), 0, response(b"no json"))
    assert (got, cut) == (response(b"no json"), False)
    assert tampered(Tampering((CUT,)), 1, sent)[0] is sent, "answers are counted by their requests"
    got, cut = tampered(Tampering((RENAMED,)), 4, sent)
    assert (wire_model(body_bytes(got.body)), cut) == ("other", False)


def test_a_cut_answer_promises_more_than_it_holds() -> None:
    whole, cut = (on_the_wire(response(b"{}"), cut=it) for it in (False, True))
    assert (whole.headers["content-length"], cut.headers["content-length"]) == ("2", "3")
    assert cut.headers["connection"] == "close"
    assert "connection" not in whole.headers


def test_the_providers_side_of_an_exchange_is_whole() -> None:
    asked = builders.exchange(0, {}, {}).request
    changed = Exchange(
        n=3, request=asked, response=response(SENT[:9]), error=ErrorKind.DISCONNECT,
        sent=response(SENT),
    )  # fmt: skip
    assert from_provider(changed) == Exchange(
        n=3, request=asked, response=response(SENT), error=None
    )
    plain = replace(changed, sent=None)
    assert from_provider(plain) is plain
    asked_otherwise = replace(plain, got={"text": "{}"})
    assert from_provider(asked_otherwise) == plain
