"""Variables of an agent behind the proxy: the right names, and nothing that goes around it."""

import shlex
from pathlib import Path

import pytest

from grid.cli.proxied import (
    Providers,
    Way,
    by_base_url,
    environment_of,
    export_lines,
    names_of,
    usual_key,
)
from proxy.launch import OpenedTrial

OPENED = OpenedTrial(
    token="ab" * 16,
    base_url="http://127.0.0.1:1/t/ab/v1",
    api_key="nv-key",
    more_urls=("http://127.0.0.1:1/t/ab/u1", "http://127.0.0.1:1/t/ab/u2"),
    proxy_url="http://ab:nv-key@127.0.0.1:2",
)
UPSTREAMS = ("https://api.anthropic.com", "https://api.openai.com/v1", "http://127.0.0.1:8000/v1")


@pytest.mark.parametrize(
    ("upstream", "names"),
    [
        ("https://api.openai.com/v1", ("OPENAI_BASE_URL", "OPENAI_API_KEY")),
        ("https://api.anthropic.com", ("ANTHROPIC_BASE_URL", "ANTHROPIC_API_KEY")),
        ("https://generativelanguage.googleapis.com", ("GOOGLE_GEMINI_BASE_URL", "GEMINI_API_KEY")),
    ],
)
def test_each_provider_has_its_usual_names(upstream: str, names: tuple[str, str]) -> None:
    (found,) = names_of(upstream)
    assert (found.url, found.key) == names
    assert usual_key(upstream) == names[1]


@pytest.mark.parametrize(
    "upstream", ["http://api.anthropic.com.example/v1", "http://127.0.0.1:8000/v1"]
)
def test_a_host_of_nobody_we_know_gets_every_name_and_no_key(upstream: str) -> None:
    assert {found.key for found in names_of(upstream)} == {
        "OPENAI_API_KEY",
        "ANTHROPIC_API_KEY",
        "GEMINI_API_KEY",
    }
    assert usual_key(upstream) is None


def test_the_first_upstream_of_a_kind_gets_the_name() -> None:
    assert by_base_url(OPENED, UPSTREAMS) == {
        "ANTHROPIC_BASE_URL": OPENED.base_url,
        "ANTHROPIC_API_KEY": "nv-key",
        "OPENAI_BASE_URL": OPENED.more_urls[0],
        "OPENAI_API_KEY": "nv-key",
        "GOOGLE_GEMINI_BASE_URL": OPENED.more_urls[1],
        "GEMINI_API_KEY": "nv-key",
    }


def test_by_base_url_the_real_key_is_taken_from_the_command() -> None:
    own = {"OPENAI_API_KEY": "sk-real", "ANTHROPIC_API_KEY": "sk-ant-real", "MINE": "sk-mine"}
    own |= {"COPY": "sk-real", "HOME": "/h", "EMPTY": "", "no_proxy": "corp.example"}
    providers = Providers(upstreams=UPSTREAMS, keys=("sk-ant-real", "sk-real", "sk-mine"))
    found = environment_of(Way.BASE_URL, OPENED, providers, Path("/ca.pem"), own)
    assert not {"sk-real", "sk-ant-real", "sk-mine"} & set(found.values())
    assert (found["HOME"], found["EMPTY"]) == ("/h", "")
    assert found["NO_PROXY"] == found["no_proxy"] == "127.0.0.1,localhost"


def test_through_the_proxy_nothing_of_the_users_own_goes_around_it() -> None:
    own = {
        "https_proxy": "http://corporate:3128",
        "no_proxy": "*",
        "NO_PROXY": "api.openai.com",
        "SSL_CERT_FILE": "/theirs.pem",
        "OPENAI_API_KEY": "sk-real",
    }
    providers = Providers(upstreams=UPSTREAMS, keys=("", "sk-real", ""))
    found = environment_of(Way.HTTPS_PROXY, OPENED, providers, Path("/ca.pem"), own)
    assert {found.get(name) or "" for name in ("no_proxy", "NO_PROXY")} == {""}
    assert found.get("https_proxy") in (None, OPENED.proxy_url)
    assert found["HTTPS_PROXY"] == found["HTTP_PROXY"] == OPENED.proxy_url
    assert found["SSL_CERT_FILE"] == found["AWS_CA_BUNDLE"] == "/ca.pem"
    assert found["OPENAI_API_KEY"] == "sk-real"


def test_lines_for_a_shell_are_read_back_as_they_were() -> None:
    for value in ("plain", "a b", "'", "$(rm x)", "髙"):
        (line,) = export_lines({"NAME": value})
        assert shlex.split(line) == ["export", f"NAME={value}"]
