import pytest

from grid.errors import ConfigError
from proxy.address import parse_address, parse_upstream


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
