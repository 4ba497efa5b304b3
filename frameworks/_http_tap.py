"""The adapters' HTTP clients: every model answer is reported raw, before its framework sees it.

A tap knows the run from the context of the request, so that one client serves all trials of a
worker. A request to anywhere but the run's own base URL is refused, and so is one without a run.
Nothing is retried, no redirect is followed, no proxy variable is read.
"""

from typing import override

import httpx

from frameworks._run import Run, current_run
from grid.vocabulary import Status


def as_sent(body: bytes) -> bytes:
    """Return a body as it is."""
    return body


class AsyncTap(httpx.AsyncBaseTransport):
    """Reports the answers that an asynchronous client gets."""

    told = staticmethod(as_sent)
    """Body as sent -> body as reported."""

    def __init__(self) -> None:
        """Open no connection yet."""
        self._wire = httpx.AsyncHTTPTransport()

    @override
    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        run = _run_of(request)
        try:
            response = await self._wire.handle_async_request(request)
            await response.aread()
        except httpx.RequestError as error:
            run.broke(_status(error))
            raise
        run.answered(response.status_code, self.told(response.content))
        return response

    @override
    async def aclose(self) -> None:
        await self._wire.aclose()


class Tap(httpx.BaseTransport):
    """Reports the answers that a blocking client gets."""

    told = staticmethod(as_sent)
    """Body as sent -> body as reported."""

    def __init__(self) -> None:
        """Open no connection yet."""
        self._wire = httpx.HTTPTransport()

    @override
    def handle_request(self, request: httpx.Request) -> httpx.Response:
        run = _run_of(request)
        try:
            response = self._wire.handle_request(request)
            response.read()
        except httpx.RequestError as error:
            run.broke(_status(error))
            raise
        run.answered(response.status_code, self.told(response.content))
        return response

    @override
    def close(self) -> None:
        self._wire.close()


def async_client() -> httpx.AsyncClient:
    """Return a tapped client, to be shared by the trials of one worker."""
    return httpx.AsyncClient(transport=AsyncTap(), trust_env=False)


def blocking_client() -> httpx.Client:
    """Return a tapped client, to be shared by the trials of one worker."""
    return httpx.Client(transport=Tap(), trust_env=False)


def _run_of(request: httpx.Request) -> Run:
    run = current_run()
    url, base = str(request.url), run.session.base_url.rstrip("/") + "/"
    if not url.startswith(base):
        run.broke(Status.FRAMEWORK_ERROR)
        raise httpx.UnsupportedProtocol(f"an agent may reach {base} only, not {url}")
    return run


def _status(error: httpx.RequestError) -> Status:
    return Status.TIMEOUT if isinstance(error, httpx.TimeoutException) else Status.PROVIDER_ERROR
