from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grid.errors import CanonicalError, StrictError
from proxy.wire.exchange import (
    ErrorKind,
    Exchange,
    Request,
    Response,
    body_bytes,
    body_json,
    exchange_lines,
    read_exchanges,
)


@given(st.binary(max_size=200))
def test_a_body_comes_back_to_the_byte(data: bytes) -> None:
    assert body_bytes(body_json(data)) == data


def exchanges() -> tuple[Exchange, ...]:
    request = Request(method="POST", path="/x", headers={"accept": "a"}, body={"text": "月"})
    response = Response(status=200, headers={}, body={"base64": "/w=="})
    return (
        Exchange(n=0, request=request, response=response, error=None),
        Exchange(n=1, request=request, response=None, error=ErrorKind.REFUSED),
    )


def test_canonical_lines_come_back_equal_and_to_the_byte() -> None:
    lines = exchange_lines(exchanges())
    assert read_exchanges(lines) == exchanges()
    assert exchange_lines(read_exchanges(lines)) == lines
    assert lines.split(b"\n")[0] == (
        '{"error":null,"n":0,"request":{"body":{"text":"月"},"headers":{"accept":"a"},'
        '"method":"POST","path":"/x"},"response":{"body":{"base64":"/w=="},"headers":{},'
        '"status":200}}'.encode()
    )


def test_canonical_lines_are_read_strictly() -> None:
    lines = exchange_lines(exchanges())
    first, second = lines.splitlines(keepends=True)
    for wrong in (
        lines[:-1],
        second + first,
        first + first,
        lines.replace(b'"error":"refused"', b'"error":null'),
        lines.replace(b'"n":1', b'"n":1,"x":1'),
        lines.replace(b'"/w=="', b'"/w="'),
    ):
        with pytest.raises(StrictError):
            read_exchanges(wrong)
    with pytest.raises(CanonicalError):
        read_exchanges(b"no json\n")
    assert read_exchanges(b"") == ()
    assert [item.n for item in read_exchanges(second)] == [1], "an unanswered one leaves a hole"


CHANGED = Response(status=503, headers={}, body={"text": "no"})


def changed(error: ErrorKind | None, got: Response | None = CHANGED) -> Exchange:
    plain = exchanges()[0]
    return replace(plain, response=got, error=error, sent=plain.response)


@pytest.mark.parametrize("error", [None, ErrorKind.DISCONNECT])
def test_an_answer_that_was_changed_on_its_way_is_held_in_both_versions(
    error: ErrorKind | None,
) -> None:
    exchange = changed(error)
    assert exchange.provided is exchange.sent
    assert read_exchanges(exchange_lines((exchange,))) == (exchange,)


def test_an_exchange_in_which_nothing_was_changed_says_nothing_of_it() -> None:
    lines = exchange_lines(exchanges())
    assert b"sent" not in lines
    plain = read_exchanges(lines)[-1]
    assert plain.provided is plain.response


@pytest.mark.parametrize(
    "exchange",
    [
        changed(None, exchanges()[0].response),
        changed(ErrorKind.CLIENT_LEFT),
        changed(ErrorKind.DISCONNECT, None),
        replace(changed(None), sent=replace(CHANGED, status=7)),
        replace(changed(None), sent=replace(CHANGED, body={})),
    ],
)
def test_a_change_that_makes_no_sense_is_refused(exchange: Exchange) -> None:
    with pytest.raises(StrictError):
        read_exchanges(exchange_lines((exchange,)))


def test_a_change_that_is_written_empty_is_refused() -> None:
    line = exchange_lines(exchanges()[:1])
    with pytest.raises(StrictError, match="/sent"):
        read_exchanges(line.replace(b'"response"', b'"sent":null,"response"'))


def test_a_request_that_was_changed_on_its_way_is_held_in_both_versions() -> None:
    plain = exchanges()[0]
    other = replace(plain, got={"text": "{}"})
    assert read_exchanges(exchange_lines((other,))) == (other,)
    assert other.forwarded == replace(plain.request, body={"text": "{}"})
    assert plain.forwarded is plain.request
    assert b'"got"' not in exchange_lines((plain,))


@pytest.mark.parametrize(
    "got", [exchanges()[0].request.body, {}, {"text": "a", "base64": ""}, {"base64": "?"}]
)
def test_a_request_that_was_changed_to_itself_or_to_no_body_is_refused(got: dict[str, str]) -> None:
    with pytest.raises(StrictError):
        read_exchanges(exchange_lines((replace(exchanges()[0], got=got),)))
    line = exchange_lines(exchanges()[:1])
    with pytest.raises(StrictError, match="/got"):
        read_exchanges(line.replace(b'"request"', b'"got":null,"request"'))


def test_the_upstream_that_a_client_named_is_written_and_none_is_not() -> None:
    """So recordings of trials with a base URL keep the digests that they always had."""
    plain = exchanges()[0]
    named = replace(plain, request=replace(plain.request, upstream="api.test:443"))
    lines = exchange_lines((named,))
    assert b'"path":"/x","upstream":"api.test:443"}' in lines
    assert read_exchanges(lines) == (named,)
    assert b"upstream" not in exchange_lines((plain,))


def test_an_upstream_that_is_written_empty_is_refused() -> None:
    plain = exchanges()[0]
    named = replace(plain, request=replace(plain.request, upstream="x"))
    lines = exchange_lines((named,))
    with pytest.raises(StrictError, match="/request/upstream"):
        read_exchanges(lines.replace(b'"upstream":"x"', b'"upstream":""'))
