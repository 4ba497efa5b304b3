import pytest

from grid.errors import StrictError
from proxy.wire.answer import Finding
from proxy.wire.draft import SentError
from proxy.wire.typed_events import typed_events


def read(text: str) -> tuple[list[tuple[str, bool]], list[Finding]]:
    findings: list[Finding] = []
    return [(one.type, one.named) for one in typed_events(text, findings)], findings


def test_an_event_has_the_type_in_its_data_and_mostly_that_name() -> None:
    text = 'event: a\ndata: {"type":"a"}\n\ndata: {"type":"b"}\n\n'
    text += 'event: message\ndata: {"type":"c"}\n\n'
    assert read(text) == ([("a", True), ("b", False), ("c", False)], [])


def test_the_data_is_kept_as_it_was_sent() -> None:
    (event,) = typed_events('data: {"type" : "a", "n": 1.0}\n\n', [])
    assert event.raw == '{"type" : "a", "n": 1.0}'
    assert event.body == {"type": "a", "n": 1.0}


@pytest.mark.parametrize("data", ["x", "5", "[]", "null", "{}", '{"a":1}'])
def test_what_has_no_type_is_skipped_and_told(data: str) -> None:
    text = f'data: {data}\n\ndata: {{"type":"a"}}\n\n'
    assert read(text) == ([("a", False)], [Finding.BAD_EVENT])


@pytest.mark.parametrize(
    "event",
    [
        'data: {"type":"a","type":"b"}',
        'event: keepalive\ndata: {"type"',
        "event: message_delta\ndata: x",
        "event: content_block_delta\ndata:",
        "event: response.output_text.delta\ndata: 5",
    ],
)
def test_what_may_have_held_something_is_refused_once_all_is_read(event: str) -> None:
    found = []
    with pytest.raises(StrictError, match="damaged"):
        found += [one.type for one in typed_events(f'{event}\n\ndata: {{"type":"c"}}\n\n', [])]
    for harmless in ("event: keepalive\ndata: x", "event: ping\ndata:"):
        assert read(f"{harmless}\n\n") == ([], [Finding.BAD_EVENT])


@pytest.mark.parametrize(
    "event",
    [
        'event: a\ndata: {"type":"b"}',
        'event: a\ndata: {"b":1}',
        'data: {"type":5}',
        'event: a\ndata: {"type":null}',
    ],
)
def test_an_event_that_says_two_things_or_none_that_counts_is_refused(event: str) -> None:
    with pytest.raises(StrictError, match="says that it is"):
        read(event + "\n\n")


@pytest.mark.parametrize(
    ("event", "code", "message"),
    [
        ('event: error\ndata: {"type":"error","error":{"type":"t","message":"m"}}', "t", "m"),
        ('data: {"type":"error","error":{"type":"t","message":"m"}}', "t", "m"),
        ('data: {"type":"error","code":"c","message":"m"}', "c", "m"),
        ('data: {"error":{"code":502,"message":"m"}}', "502", "m"),
        ('data: {"type":"a","error":"m"}', "", "m"),
        ("event: error\ndata: m", "", "m"),
        ('event: error\ndata: {"type":"a","message":"m"}', "a", "m"),
    ],
)
def test_an_error_in_any_form_is_the_providers(event: str, code: str, message: str) -> None:
    with pytest.raises(SentError) as caught:
        read(event + "\n\n")
    assert (caught.value.code, caught.value.message) == (code, message)


def test_a_null_error_is_none() -> None:
    assert read('data: {"type":"a","error":null}\n\n') == ([("a", False)], [])


def test_done_is_the_end_and_half_an_event_is_none() -> None:
    assert read('data: {"type":"a"}\n\ndata: [DONE]\n\ndata: x') == ([("a", False)], [])
    assert read('data: {"type":"a"}\n\ndata: {"ty') == (
        [("a", False)],
        [Finding.UNTERMINATED_EVENT],
    )
    with pytest.raises(StrictError, match="after"):
        read('data: [DONE]\n\ndata: {"type":"a"}\n\n')
