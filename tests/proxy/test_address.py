import pytest

from grid.errors import ConfigError
from proxy.address import (
    exposure,
    join_address,
    parse_address,
    parse_listen,
    parse_upstream,
    reachable,
)


def test_a_base_url_is_read() -> None:
    upstream = parse_upstream("https://API.example.test/v1/")
    assert (upstream.scheme, upstream.address, upstream.base) == (
        "https",
        ("api.example.test", 443),
        "/v1",
    )
    assert parse_upstream("http://127.0.0.1:8000").address == ("127.0.0.1", 8000)


@pytest.mark.parametrize(
    "url",
    [
        "",
        "127.0.0.1:80",
        "ftp://x",
        "http://",
        "http://user:pw@x",
        "http://x?key=1",
        "http://x#f",
        "http://x:port",
        "http://x:99999",
        "http://\u0131.test",
        "http://[::1",
    ],
)
def test_anything_more_or_less_is_refused(url: str) -> None:
    with pytest.raises(ConfigError, match="upstream"):
        parse_upstream(url)


def test_a_listed_address_is_host_and_port() -> None:
    assert parse_address("[::1]:80") == ("::1", 80)
    for text in ("x", ":80", "x:", "x:0", "x:65536", "x:8\u0660"):
        with pytest.raises(ConfigError, match="write host:port"):
            parse_address(text)


@pytest.mark.parametrize("address", [("one.test", 443), ("127.0.0.1", 80), ("::1", 8080)])
def test_an_address_is_written_as_it_is_read(address: tuple[str, int]) -> None:
    assert parse_address(join_address(*address)) == address


def test_what_is_listened_on_is_an_address_and_a_client_here_reaches_it() -> None:
    everywhere = "0.0.0.0"  # noqa: S104 - nothing is bound
    assert [reachable(parse_listen(text)) for text in ("127.0.0.1", everywhere, "::", "::1")] == [
        "127.0.0.1",
        "127.0.0.1",
        "::1",
        "::1",
    ]
    for text in ("", "localhost", "127.0.0.1:80", "*"):
        with pytest.raises(ConfigError, match=r"listen: .* write 127\.0\.0\.1"):
            parse_listen(text)


def test_only_an_address_that_others_reach_is_warned_of() -> None:
    assert exposure("127.0.0.1") == exposure("127.0.0.9") == exposure("::1") == ""
    for listen in ("0.0.0.0", "192.168.1.2", "::"):  # noqa: S104 - nothing is bound
        assert exposure(listen).startswith(f"warning: the proxy listens on {listen}, where")
