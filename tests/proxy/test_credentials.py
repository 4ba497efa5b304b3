"""`credentials`: what is taken off, put on, and told to the redaction."""

import base64

import pytest

from proxy.credentials import (
    Field,
    answer_credentials,
    body_credentials,
    client_credentials,
    placed,
    read_proxy_user,
    signed_headers,
    swap_query_key,
    take_off,
    without_hop,
    without_query_credentials,
)

KEY = "nv-0123456789"
SIGNED = (
    b"AWS4-HMAC-SHA256 Credential=AKID0123/20260101/us-east-1/bedrock/aws4_request, "
    b"SignedHeaders=Host;x-amz-date, Signature=0f0f"
)


def fits(text: str) -> bool:
    return text == KEY


@pytest.mark.parametrize(
    ("name", "value", "place"),
    [
        (b"Authorization", f"Bearer {KEY}", b"authorization"),
        (b"x-api-key", KEY, b"x-api-key"),
        (b"API-Key", KEY, b"api-key"),
        (b"X-Goog-Api-Key", KEY, b"x-goog-api-key"),
    ],
)
def test_a_key_is_taken_off_and_the_real_one_put_into_its_place(
    name: bytes, value: str, place: bytes
) -> None:
    kept = ((b"Host", b"x"), (b"Accept", b"y"))
    fields = (kept[0], (name, value.encode()), kept[1])
    assert take_off(fields, fits) == (kept, (place,))
    header, real = placed(place, "sk-real")
    assert header.lower() == place
    assert real == value.replace(KEY, "sk-real").encode()


@pytest.mark.parametrize(
    "field",
    [
        (b"authorization", KEY.encode()),
        (b"authorization", b"Bearer other"),
        (b"x-api-key", f"Bearer {KEY}".encode()),
        (b"cookie", KEY.encode()),
        (b"proxy-authorization", f"Bearer {KEY}".encode()),
        (b"x-amz-security-token", KEY.encode()),
    ],
)
def test_what_is_no_key_in_its_place_is_taken_off_and_counts_for_nothing(field: Field) -> None:
    assert take_off((field,), fits) == ((), ())


def test_a_key_that_stands_in_two_places_is_put_into_both_and_in_each_once() -> None:
    bearer = (b"authorization", f"Bearer {KEY}".encode())
    _, places = take_off((bearer, (b"x-api-key", KEY.encode()), bearer), fits)
    assert places == (b"authorization", b"x-api-key")


@pytest.mark.parametrize(
    ("path", "secret", "sent"),
    [
        (f"/m?key={KEY}&alt=sse", "real/key", "/m?key=real%2Fkey&alt=sse"),
        (f"/m?alt=sse&key={KEY}", "", "/m?alt=sse"),
        (f"/m?key={KEY}", "", "/m"),
        ("/m?key=other", "real", None),
        ("/m?alt=sse", "real", None),
        (f"/m/key={KEY}", "real", None),
        (f"/m?monkey={KEY}", "real", None),
    ],
)
def test_a_key_in_the_query_is_swapped(path: str, secret: str, sent: str | None) -> None:
    assert swap_query_key(path, fits, secret) == sent


def test_the_user_of_a_proxy_is_read_strictly() -> None:
    def basic(text: bytes) -> str:
        return "Basic " + base64.b64encode(text).decode()

    assert read_proxy_user(basic(b"token:key:more")) == ("token", "key:more")
    assert read_proxy_user(basic(b"token:key").replace("Basic", "bAsIc ")) == ("token", "key")
    assert read_proxy_user(basic(b"no colon")) == ("no colon", "")
    for text in ("", "Basic", "Basic !!!!", "Bearer x", basic(b"\xff:\xff"), "Basic YQ"):
        found = read_proxy_user(text)
        assert found is None or found == ("", "")


@pytest.mark.parametrize(
    ("name", "value", "learned"),
    [
        (b"Authorization", b"Bearer sk-1", {"sk-1"}),
        (b"authorization", b"raw-token", {"raw-token"}),
        (b"authorization", SIGNED, {"AKID0123", "0f0f"}),
        (b"authorization", b"Basic dXNlcjpwdw==", {"dXNlcjpwdw==", "user:pw", "pw"}),
        (b"X-Api-Key", b"k", {"k"}),
        (b"api-key", b"k", {"k"}),
        (b"x-goog-api-key", b"k", {"k"}),
        (b"Ocp-Apim-Subscription-Key", b"k", {"k"}),
        (b"X-Amz-Security-Token", b"a//b==", {"a//b=="}),
        (b"Helicone-Auth", b"Bearer k", {"k"}),
        (b"Cookie", b"a=one; b = two=2;c", {"one", "two=2", ""}),
        (b"x-jwt-assertion", b"k", {"k"}),
        (b"X-Session-Id", b"k", {"k"}),
        (b"session_id", b"k", {"k"}),
        (b"x-secret-thing", b"k", {"k"}),
        (b"x-auth-request", b"k", {"k"}),
        (b"x-cookie-2", b"k", {"k"}),
        (b"x-accesskey", b"k", {"k"}),
        (b"x-request-id", b"k", set()),
        (b"x-session-type", b"k", set()),
        (b"x-auth-token-type", b"k", set()),
        (b"x-token-count", b"k", set()),
        (b"x_token_type", b"k", set()),
        (b"x-user-session-id", b"k", {"k"}),
        (b"x-author", b"k", set()),
        (b"x-tokenizer", b"k", set()),
        (b"x-max-tokens", b"k", set()),
        (b"x-keyboard-layout", b"k", set()),
        (b"idempotency-key", b"k", set()),
        (b"proxy-authorization", b"Basic eDp5", set()),
        (b"content-type", b"token", set()),
        (b"x-monkey", b"k", set()),
        (b"x-amz-target", b"k", set()),
    ],
)
def test_every_credential_header_is_told_and_no_other(
    name: bytes, value: bytes, learned: set[str]
) -> None:
    assert {one for one, _ in client_credentials(((name, value),), "/")} == learned


@pytest.mark.parametrize(
    ("query", "learned", "kept"),
    [
        ("key=a%2Fb&alt=sse", {"a%2Fb", "a/b", "a"}, "key=[client key]&alt=sse"),
        ("access_token=t", {"t"}, "access_token=[client key]"),
        (
            "X-Amz-Credential=AKID%2F2026%2Fx&X-Amz-Signature=0f&X-Amz-Date=d",
            {"AKID%2F2026%2Fx", "AKID/2026/x", "AKID", "0f"},
            "X-Amz-Credential=[client key]&X-Amz-Signature=[client key]&X-Amz-Date=d",
        ),
        ("X-Amz-Security-Token=s", {"s"}, "X-Amz-Security-Token=[client key]"),
        ("client_secret=s&page=2", {"s"}, "client_secret=[client key]&page=2"),
        (
            "AWSAccessKeyId=AKID&Signature=0f",
            {"AKID", "0f"},
            "AWSAccessKeyId=[client key]&Signature=[client key]",
        ),
        ("refresh_token=r", {"r"}, "refresh_token=[client key]"),
        ("assertion=j", {"j"}, "assertion=[client key]"),
        (
            "authorization=Bearer%20t",
            {"Bearer%20t", "Bearer t", "t"},
            "authorization=[client key]",
        ),
        (
            "code=4%2F0Ab-0123456789",
            {"4%2F0Ab-0123456789", "4/0Ab-0123456789", "4"},
            "code=[client key]",
        ),
        ("code=international-words&code=e404", set(), "code=international-words&code=e404"),
        ("page_token=p&monkey=m&key", {""}, "page_token=p&monkey=m&key"),
        ("a=1", set(), "a=1"),
    ],
)
def test_credentials_in_the_query_are_told_and_written_as_a_placeholder(
    query: str, learned: set[str], kept: str
) -> None:
    assert {one for one, _ in client_credentials((), f"/x?{query}")} == learned
    assert without_query_credentials(f"/x?{query}") == f"/x?{kept}"
    assert without_query_credentials("/x") == "/x"


def test_only_what_is_meant_for_the_proxy_is_taken_off_in_forward_mode() -> None:
    kept = ((b"Authorization", b"Bearer x"), (b"Cookie", b"a=b"), (b"Host", b"h"))
    hop = ((b"Proxy-Authorization", b"Basic x"), (b"proxy-connection", b"keep-alive"))
    assert without_hop((*hop, *kept)) == kept


def test_the_headers_under_a_signature_are_known() -> None:
    assert signed_headers(((b"Authorization", SIGNED),)) == {"host", "x-amz-date"}
    assert signed_headers(((b"authorization", b"Bearer x"),)) == frozenset()
    assert signed_headers(()) == frozenset()


def test_a_signature_passes_and_every_other_credential_lasts() -> None:
    fields = ((b"authorization", SIGNED), (b"x-hub-signature", b"s"), (b"x-api-key", b"k"))
    query = "/?X-Amz-Signature=q&X-Amz-Credential=c&sig=g&key=y"
    found = set(client_credentials(fields, query))
    lasting = {(one, True) for one in ("AKID0123", "k", "c", "y")}
    assert found == lasting | {(one, False) for one in ("0f0f", "s", "q", "g")}


@pytest.mark.parametrize(
    ("body", "found"),
    [
        (b'{"access_token": "ya29.a1", "refresh_token":"r1", "expires_in": 1}', ["ya29.a1", "r1"]),
        (b' {"api_key": "k1", "api_key": "k2"}', ["k1", "k2"]),
        (
            b'{"password": "p-1", "apikey": "a1", "client_secret": "s1", "id_token": "i1"}',
            ["p-1", "a1", "s1", "i1"],
        ),
        (b'{"password": "password", "api_key": "EMPTY"}', []),
        (b'{"password": {"type": "string"}, "input": {"password": "p-1"}}', []),
        (b'{"arguments": "{\\"password\\": \\"p-1\\"}"}', []),
        (b'{"password": "CNRY0123456789abcdef0123", "page_token": "x1"}', []),
        (b'[["password", "p-1"], {"password": "p-1"}]', []),
        (b'{"password": "p-1"', []),
        (b'{"password": "p-1", "x": ' + b"[" * 60_000, []),
        (b'{"password": "p-1", "x": "' + b"x" * 65_536 + b'"}', []),
        (b"", []),
    ],
)
def test_only_the_top_of_a_small_body_is_looked_at_for_credentials(
    body: bytes, found: list[str]
) -> None:
    assert list(body_credentials(body)) == found


@pytest.mark.parametrize(
    ("body", "found"),
    [
        (b"grant_type=x&client_secret=a%2Fb-0123", {"a/b-0123", "a%2Fb-0123"}),
        (b"password=0123456789", {"0123456789"}),
        (b"password=letters", set()),
        (b"my_password=0123456789", set()),
        (b"say password=0123456789", set()),
        (b"refresh_token=CNRY0123456789abcdef0123", set()),
    ],
)
def test_a_secret_at_the_top_of_a_form_is_one(body: bytes, found: set[str]) -> None:
    assert set(body_credentials(body)) == found


def test_the_cookies_of_an_answer_are_credentials_and_words_are_none() -> None:
    fields = [
        (b"Set-Cookie", b"sid=a=b-0123; Path=/; Secure"),
        (b"set-cookie", b"scheme=darkmode"),
        (b"Cookie", b"sid=none"),
    ]
    assert list(answer_credentials(fields)) == ["a=b-0123"]
