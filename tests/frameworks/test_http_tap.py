"""frameworks._http_tap: nothing gets past the tap, and it reports before anybody reads."""

import asyncio
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from frameworks._http_tap import AsyncTap, Tap, async_client, blocking_client
from frameworks._run import Run, running
from grid.vocabulary import Status
from tests.frameworks.stage import FakeSession, Reply, Upstream, asks, says


def blocking(url: str, **options: Any) -> httpx.Response:
    with blocking_client() as client:
        return client.post(url, json={"messages": []}, **options)


def asynchronous(url: str, **options: Any) -> httpx.Response:
    async def post() -> httpx.Response:
        async with async_client() as client:
            return await client.post(url, json={"messages": []}, **options)

    return asyncio.run(post())


def status_of(run: Run) -> Status:
    return run.end(foreign={}, error=None, final_text="").status


both = pytest.mark.parametrize("post", [blocking, asynchronous])
type Post = Callable[..., httpx.Response]


@both
def test_an_answer_is_reported_raw_and_still_reaches_the_client(
    post: Post, upstream: Upstream
) -> None:
    reply = asks(("pay", '{"amount": 1}'))
    upstream.expect((reply,))
    session = FakeSession(base_url=f"http://127.0.0.1:{upstream.port}/v1/")
    with running(session) as run:
        response = post(session.base_url + "chat/completions")
        assert [call.name for call in run.waiting] == ["pay"]
    assert session.answers == [(200, reply.body)]
    assert response.content == reply.body


@both
@pytest.mark.parametrize(
    ("reply", "timeout", "expected"),
    [
        (Reply(drop=True), 5, Status.PROVIDER_ERROR),
        (Reply(body=says("x").body, delay_s=1.5), 0.5, Status.TIMEOUT),
        (
            Reply(body=b"no gzip", headers=(("content-encoding", "gzip"),)),
            5,
            Status.PROVIDER_ERROR,
        ),
    ],
)
def test_a_broken_connection_is_reported_and_raised(
    post: Post, upstream: Upstream, reply: Reply, timeout: float, expected: Status
) -> None:
    upstream.expect((reply, reply))
    session = FakeSession(base_url=f"http://127.0.0.1:{upstream.port}/v1")
    with running(session) as run:
        with pytest.raises(httpx.RequestError):
            post(session.base_url + "/chat/completions", timeout=timeout)
        assert status_of(run) is expected
    assert session.answers == []
    assert len(upstream.asked) == 1


@both
def test_nobody_listening_is_the_providers_fault(post: Post) -> None:
    with running(FakeSession(base_url="http://127.0.0.1:1/v1")) as run:
        with pytest.raises(httpx.ConnectError):
            post("http://127.0.0.1:1/v1/chat/completions")
        assert status_of(run) is Status.PROVIDER_ERROR


@both
@pytest.mark.parametrize(
    "url", ["http://127.0.0.1:{port}/v1x/chat", "http://127.0.0.1:{port}/", "http://[::1]/v1/chat"]
)
def test_a_request_to_anywhere_else_is_refused_unsent(
    post: Post, upstream: Upstream, url: str
) -> None:
    upstream.expect((says("x"),))
    with running(FakeSession(base_url=f"http://127.0.0.1:{upstream.port}/v1")) as run:
        with pytest.raises(httpx.UnsupportedProtocol, match="may reach"):
            post(url.format(port=upstream.port))
        assert status_of(run) is Status.FRAMEWORK_ERROR
    assert upstream.asked == []


@both
def test_a_request_without_a_run_is_refused_unsent(post: Post, upstream: Upstream) -> None:
    upstream.expect((says("x"),))
    with pytest.raises(LookupError):
        post(f"http://127.0.0.1:{upstream.port}/v1/chat/completions")
    assert upstream.asked == []


@both
def test_a_redirect_is_not_followed_and_a_proxy_variable_not_read(
    post: Post, upstream: Upstream, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    upstream.expect((Reply(status=307, headers=(("location", "/v1/other"),)), says("x")))
    session = FakeSession(base_url=f"http://127.0.0.1:{upstream.port}/v1")
    with running(session) as run:
        assert post(session.base_url + "/chat/completions").status_code == 307
        assert status_of(run) is Status.PROVIDER_ERROR
    assert [asked.path for asked in upstream.asked] == ["/v1/chat/completions"]


def test_a_tap_may_report_an_answer_in_another_form_and_hands_it_on_as_it_came(
    upstream: Upstream, monkeypatch: pytest.MonkeyPatch
) -> None:
    reply = asks(("pay", "{}"))
    for post, tap in ((blocking, Tap), (asynchronous, AsyncTap)):
        monkeypatch.setattr(tap, "told", staticmethod(lambda body: body.replace(b"pay", b"PAY")))
        upstream.expect((reply,))
        session = FakeSession(base_url=f"http://127.0.0.1:{upstream.port}/v1")
        with running(session):
            assert post(session.base_url + "/chat/completions").content == reply.body
        assert session.answers == [(200, reply.body.replace(b"pay", b"PAY"))]
