import base64
import hashlib
import http.client
import json
import urllib.parse

import pytest

from proxy.redaction import LASTING_MOST, PASSING_MOST, Redaction
from tests.proxy.bench import (
    EVENT_STREAM_HEAD,
    Bench,
    Seen,
    chunk,
    plain_answer,
    recording_of,
)

SECRET = 'sk-"real"/0123456789+abcdef'


def every_form(value: str) -> list[bytes]:
    raw = value.encode()
    return [
        raw,
        json.dumps(value)[1:-1].encode(),
        urllib.parse.quote(value, safe="").encode(),
        raw.hex().encode(),
        *(base64.b64encode(b"x" * n + raw)[4:-4] for n in range(3)),
        *(base64.urlsafe_b64encode(b"x" * n + raw)[4:-4] for n in range(3)),
    ]


def test_no_key_reaches_the_disk_in_any_usual_form(bench: Bench) -> None:
    """The upstream echoes the real key, the client sends its own key and token about."""

    def play(connection: object, seen: Seen) -> bool:
        key = seen.headers["authorization"]
        body = json.dumps(
            {
                "plain": key,
                "quoted": urllib.parse.quote(key, safe=""),
                "hex": key.encode().hex(),
                "base64": base64.b64encode(b"ab" + key.encode()).decode(),
            }
        )
        connection.sendall(plain_answer(body.encode(), "401 Unauthorized", f"X-Echo: {key}"))  # type: ignore[attr-defined]
        return True

    bench.upstream.play = play
    client = bench.open(secret=SECRET)
    opened = client.opened
    told = {"messages": [{"role": "user", "content": f"{opened.api_key} at {opened.base_url}"}]}
    client.ask(told, path=f"/chat/completions?key={opened.api_key}")
    bench.close(client)
    written = b"".join(path.read_bytes() for path in bench.folder.iterdir())
    for value in (SECRET, opened.api_key, opened.token):
        for form in every_form(value):
            assert form not in written
    for placeholder in (b"[provider key]", b"[virtual key]", b"[trial token]"):
        assert placeholder in written


def test_the_agent_is_not_told_the_key_that_its_provider_echoes(bench: Bench) -> None:
    def play(connection: object, seen: Seen) -> bool:
        key = seen.headers["authorization"]
        connection.sendall(plain_answer(key.encode(), f"400 {key}", f"X-Echo: {key}"))  # type: ignore[attr-defined]
        return True

    bench.upstream.play = play
    response = bench.open(secret="sk-real-0123456789").start()
    assert response.read() == b"Bearer [provider key]"
    assert (response.reason, response.getheader("x-echo")) == ("Bearer [provider key]",) * 2


def test_placeholders_are_the_same_in_every_run() -> None:
    first = Redaction(secrets=("a" * 20,), key="b" * 32, token="c" * 32)
    second = Redaction(secrets=("d" * 20,), key="e" * 32, token="f" * 32)
    assert first.clean(b"a" * 20 + b"b" * 32) == second.clean(b"d" * 20 + b"e" * 32)


def test_canaries_and_short_keys_are_left_alone() -> None:
    text = b"the canary 7f3a-EMPTY is evidence"
    assert Redaction(secrets=("EMPTY",), key="k" * 32, token="0" * 32).clean(text) == text


@pytest.mark.parametrize("shift", range(6))
def test_a_key_inside_a_longer_base64_text_is_found(shift: int) -> None:
    key = "nv-0123456789abcdef0123456789abcdef"
    text = base64.b64encode(b"x" * shift + key.encode() + b" and more")
    cleaned = Redaction(key=key, token="0" * 32).clean(text)
    assert b"[virtual key]" in cleaned
    assert base64.b64encode(key.encode())[4:-4] not in cleaned


def test_headers_are_kept_by_allow_list_and_cleaned() -> None:
    key = "k" * 32
    fields = [
        (b"Content-Type", b"a\xff; " + key.encode()),
        (b"Set-Cookie", b"secret"),
        (b"ACCEPT", b"one"),
        (b"accept", b"other"),
        (b"acc\xffept", b"no name of ours"),
    ]
    kept = Redaction(key=key, token="0" * 32).clean_headers(fields, ("content-type", "accept"))
    assert kept == {"content-type": "a\\udcff; [virtual key]", "accept": "one, other"}


def test_what_a_client_acts_on_is_kept_of_an_answer_and_nothing_else(bench: Bench) -> None:
    acted_on = {
        "Content-Type": "application/json",
        "Retry-After": "3",
        "retry-after-ms": "2500",
        "x-should-retry": "true",
        "x-amzn-ErrorType": "ThrottlingException",
    }
    dropped = ("x-amzn-RequestId: 7", "request-id: 7", "Date: x", "openai-organization: o")
    lines = (*(f"{name}: {value}" for name, value in acted_on.items()), *dropped)
    bench.upstream.play = lambda connection, seen: connection.sendall(
        plain_answer(b"{}", "429 Wait", *lines)
    )
    client = bench.open()
    client.ask()
    (exchange,) = recording_of(bench.close(client)).exchanges
    assert exchange.response is not None
    assert exchange.response.headers == {name.lower(): one for name, one in acted_on.items()}


@pytest.mark.parametrize(
    ("value", "kept"),
    [("2500", True), ("12.5", True), ("a-cookie-0123", False), ("1, 2", False), ("", False)],
)
def test_a_header_that_is_a_number_is_kept_as_a_number_alone(value: str, kept: bool) -> None:
    fields = [(b"Retry-After-Ms", value.encode()), (b"x-should-retry", b"a-cookie-0123")]
    found = Redaction(key="k" * 32, token="0" * 32).clean_headers(
        fields, ("retry-after-ms", "x-should-retry")
    )
    assert found == ({"retry-after-ms": value} if kept else {})


LEARNED = "AKIA/learned+on=the'way&<7>"


def test_a_learned_credential_is_replaced_from_then_on_in_every_form() -> None:
    redaction = Redaction(secrets=("s" * 20,), key="k" * 32, token="0" * 32)
    forms = [
        LEARNED.encode(),
        json.dumps(LEARNED)[1:-1].encode(),
        LEARNED.replace("/", "\\/").encode(),
        b"AKIA/learned+on\\u003dthe\\u0027way\\u0026\\u003c7\\u003e",
        urllib.parse.quote(LEARNED).encode(),
        urllib.parse.quote(LEARNED, safe="").encode(),
        urllib.parse.quote(LEARNED, safe="").lower().encode().replace(b"akia", b"AKIA"),
        LEARNED.encode().hex().encode(),
        LEARNED.encode().hex().upper().encode(),
        *(base64.b64encode(b"x" * n + LEARNED.encode() + b"yyy") for n in range(3)),
        *(base64.urlsafe_b64encode(b"x" * n + LEARNED.encode() + b"yyy") for n in range(3)),
    ]
    text = b" | ".join(forms)
    assert redaction.clean(text) == text
    redaction.learn(LEARNED)
    cleaned = redaction.clean(text)
    for form in (*forms, *every_form(LEARNED)):
        assert form not in cleaned, form
    assert cleaned.count(b"[client key]") == len(forms)
    assert redaction.clean(LEARNED[:-1].encode()) == LEARNED[:-1].encode(), "a near miss stays"


def test_a_known_credential_that_is_learned_keeps_its_placeholder() -> None:
    redaction = Redaction(secrets=("s" * 20,), key="k" * 32, token="0" * 32)
    for value in ("s" * 20, "k" * 32, "0" * 32):
        redaction.learn(value)
    told = redaction.clean(b"s" * 20 + b" " + b"k" * 32 + b" " + b"0" * 32)
    assert told == b"[provider key] [virtual key] [trial token]"


def test_the_longer_of_two_credentials_is_replaced_whole() -> None:
    redaction = Redaction(key="k" * 32, token="0" * 32)
    redaction.learn("session-token")
    redaction.learn("session-token-and-more")
    assert redaction.clean(b"session-token-and-more session-token") == (
        b"[client key] [client key]"
    )


@pytest.mark.parametrize("value", ["", "short", "x" * 7])
def test_what_is_too_short_to_be_a_credential_is_not_learned(value: str) -> None:
    redaction = Redaction(key="k" * 32, token="0" * 32)
    redaction.learn(value)
    assert redaction.clean(b"a short xxxxxxx word") == b"a short xxxxxxx word"


def test_a_credential_that_is_no_utf8_is_learned_and_spoils_no_text() -> None:
    """A header may hold any bytes; those of half a character may stand inside of a whole one."""
    redaction = Redaction(key="k" * 32, token="0" * 32)
    redaction.learn("\udc9c\udc88secret-cookie")
    assert redaction.clean(b"\x9c\x88secret-cookie") == b"[client key]"
    assert redaction.clean_text("月secret-cookie") == "\\xe6[client key]"
    assert redaction.clean_text("月 secret-cookie") == "月 secret-cookie"


def test_every_providers_key_is_hidden_from_agents() -> None:
    redaction = Redaction(
        secrets=("first-key", "", "short", "other-key"), key="k" * 32, token="0" * 32
    )
    assert redaction.secrets == (b"first-key", b"other-key")
    assert redaction.without_secret(b"first-key other-key short") == (
        b"[provider key] [provider key] short"
    )


def test_the_first_part_of_a_key_at_the_end_of_a_cut_body_is_replaced() -> None:
    redaction = Redaction(secrets=(SECRET,), key="k" * 32, token="0" * 32)
    for form in every_form(SECRET)[:4]:
        for end in range(8, len(form)):
            cut = b"said: " + form[:end]
            assert redaction.clean(cut, cut=True) == b"said: [provider key]"
            assert redaction.clean(cut) == cut, "what is whole holds no part of a key by a cut"
    for short in (b"said: " + SECRET.encode()[:7], SECRET.encode()[:9] + b"!", b""):
        assert redaction.clean(short, cut=True) == short


def test_a_stream_that_breaks_off_inside_of_a_key_leaves_no_part_of_it(bench: Bench) -> None:
    event = f"data: {SECRET[:-3]}".encode()
    bench.upstream.play = lambda connection, seen: connection.sendall(
        EVENT_STREAM_HEAD + chunk(event)
    )
    client = bench.open(secret=SECRET)
    with pytest.raises((http.client.IncompleteRead, ConnectionError)):
        client.start().read()
    (exchange,) = recording_of(bench.close(client)).exchanges
    assert exchange.response is not None
    assert exchange.response.body == {"text": "data: [provider key]"}


def signature(number: int) -> str:
    return hashlib.sha256(b"%d" % number).hexdigest()


def test_a_credential_that_passes_is_known_for_a_while_and_slows_nothing_later() -> None:
    redaction = Redaction(secrets=(SECRET,), key="k" * 32, token="0" * 32)
    for number in range(PASSING_MOST):
        redaction.learn(signature(number), lasting=False)
    redaction.learn(signature(0), lasting=False)
    count = len(redaction._forms)
    redaction.learn(signature(PASSING_MOST), lasting=False)
    assert redaction.clean(signature(1).encode()) == signature(1).encode(), (
        "the oldest is forgotten"
    )
    for number in (0, *range(2, PASSING_MOST + 1)):
        assert redaction.clean(signature(number).encode()) == b"[client key]"
    for number in range(500):
        redaction.learn(signature(number), lasting=False)
    assert len(redaction._forms) <= count + 20, "what is searched for does not grow"
    redaction.learn(signature(-1))
    for number in range(500):
        redaction.learn(signature(number), lasting=False)
    assert redaction.clean(signature(-1).encode() + SECRET.encode()) == (
        b"[client key][provider key]"
    )


def test_a_known_credential_that_passes_keeps_its_placeholder_and_lasts() -> None:
    redaction = Redaction(key="k" * 32, token="0" * 32)
    for value in ("k" * 32, *map(signature, range(PASSING_MOST)), "short"):
        redaction.learn(value, lasting=False)
    assert redaction.clean(b"k" * 32 + b" short") == b"[virtual key] short"
    assert redaction.clean(signature(0).encode()) == b"[client key]", "the short one took no place"


def test_a_cookie_that_changes_with_each_answer_slows_nothing_later() -> None:
    """What comes again stays known, and nothing is forgotten of what came together."""
    redaction = Redaction(secrets=(SECRET,), key="k" * 32, token="0" * 32)
    for number in range(LASTING_MOST):
        redaction.learn("a-key-that-comes-again", signature(number))
    count = len(redaction._forms)
    for number in range(1000):
        redaction.learn("a-key-that-comes-again", signature(number))
    assert len(redaction._forms) <= count + 20
    told = f"a-key-that-comes-again {signature(999)} {SECRET} {signature(0)}"
    assert redaction.clean(told.encode()) == (
        b"[client key] [client key] [provider key] " + signature(0).encode()
    )
    together = [signature(-number) for number in range(1, 3 * LASTING_MOST)]
    redaction.learn(*together)
    assert redaction.clean("".join(together).encode()) == b"[client key]" * len(together)


@pytest.mark.parametrize(
    "form",
    [
        "".join(f"\\u{ord(one):04x}" for one in SECRET),
        SECRET.replace("+", "\\u002B").replace('"', "\\u0022"),
        "".join(f"%{ord(one):02X}" for one in SECRET),
        SECRET.replace("-", "%2D"),
        urllib.parse.quote(urllib.parse.quote(SECRET, safe=""), safe=""),
        SECRET.replace('"', "&#34;").replace("/", "&#x2F;"),
    ],
)
def test_a_key_of_which_single_characters_are_escaped_is_found(form: str) -> None:
    redaction = Redaction(secrets=(SECRET,), key="k" * 32, token="0" * 32)
    assert redaction.clean(f"a {form} b".encode()) == b"a [provider key] b"
    assert redaction.clean(f"a {form[:-1]} b".encode()) == f"a {form[:-1]} b".encode()
