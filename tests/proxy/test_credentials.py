"""`credentials`: what is taken off, put on, and told to the redaction."""

import base64

import pytest

from proxy.credentials import (
    Field,
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
    assert set(client_credentials(((name, value),), "/")) == learned


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
        ("page_token=p&monkey=m&key", {""}, "page_token=p&monkey=m&key"),
        ("a=1", set(), "a=1"),
    ],
)
def test_credentials_in_the_query_are_told_and_written_as_a_placeholder(
    query: str, learned: set[str], kept: str
) -> None:
    assert set(client_credentials((), f"/x?{query}")) == learned
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
