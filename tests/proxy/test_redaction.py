import base64
import json
import urllib.parse

import pytest

from proxy.redaction import Redaction
from tests.proxy.bench import Bench, Seen, plain_answer

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
        connection.sendall(plain_answer(seen.headers["authorization"].encode()))  # type: ignore[attr-defined]
        return True

    bench.upstream.play = play
    _, body, _ = bench.open(secret="sk-real-0123456789").ask()
    assert body == b"Bearer [provider key]"


def test_placeholders_are_the_same_in_every_run() -> None:
    first = Redaction(secret="a" * 20, key="b" * 32, token="c" * 32)
    second = Redaction(secret="d" * 20, key="e" * 32, token="f" * 32)
    assert first.clean(b"a" * 20 + b"b" * 32) == second.clean(b"d" * 20 + b"e" * 32)


def test_canaries_and_short_keys_are_left_alone() -> None:
    text = b"the canary 7f3a-EMPTY is evidence"
    assert Redaction(secret="EMPTY", key="k" * 32, token="0" * 32).clean(text) == text


@pytest.mark.parametrize("shift", range(6))
def test_a_key_inside_a_longer_base64_text_is_found(shift: int) -> None:
    key = "nv-0123456789abcdef0123456789abcdef"
    text = base64.b64encode(b"x" * shift + key.encode() + b" and more")
    cleaned = Redaction(secret="", key=key, token="0" * 32).clean(text)
    assert b"[virtual key]" in cleaned
    assert base64.b64encode(key.encode())[4:-4] not in cleaned


def test_headers_are_kept_by_allow_list_and_cleaned() -> None:
    key = "k" * 32
    headers = {"content-type": f"a\udcff; {key}", "set-cookie": "secret"}
    redaction = Redaction(secret="", key=key, token="0" * 32)
    kept = redaction.clean_headers(headers, ("content-type", "accept"))
    assert kept == {"content-type": "a\\udcff; [virtual key]"}
