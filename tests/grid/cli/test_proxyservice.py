"""Serving sessions: which addresses and keys the proxy gets, and what happens when it dies."""

import os
import signal
import sys
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from grid.cli.proxyservice import Service, Serving, keys_of, run_command, serve
from grid.errors import ConfigError, HarnessError
from ledgers.recordings import read_recordings
from proxy.launch import ProxyProcess
from tests.proxy.bench import FakeUpstream

SERVICE = Service(
    upstreams=("http://127.0.0.1:1/v1", "https://api.anthropic.com"),
    record=None,
    stored=None,
    sessions=("session",),
    volatile=(),
    listen="127.0.0.1",
    keys=("", ""),
    stopped=0,
)


class Standing(ProxyProcess):
    """A proxy that is only asked whether it runs."""

    def __init__(self, looks: int) -> None:
        self._looks = looks

    def check(self) -> None:
        """Run for a number of looks."""
        self._looks -= 1
        if self._looks < 0:
            raise HarnessError("the recording proxy ended")


def test_each_upstream_gets_the_key_of_its_own_provider(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-one")
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    urls = ("https://api.openai.com/v1", "https://api.anthropic.com", "http://127.0.0.1:1/v1")
    assert keys_of(urls, ()) == ("sk-one", "", "")
    monkeypatch.setenv("MINE", "sk-mine")
    assert keys_of(urls, ("-", "-", "MINE")) == ("", "", "sk-mine")
    with pytest.raises(ConfigError, match="1 for 3 upstreams"):
        keys_of(urls, ("MINE",))
    monkeypatch.delenv("MINE")
    with pytest.raises(ConfigError, match="MINE is not set"):
        keys_of(urls[:1], ("MINE",))


def test_a_command_is_run_to_its_end_and_its_code_returned() -> None:
    code = run_command([sys.executable, "-c", "raise SystemExit(5)"], os.environ, Standing(10**6))
    assert code == 5


def test_a_command_that_a_signal_ended_has_the_code_that_a_shell_gives_it() -> None:
    ended = "import os, signal; os.kill(os.getpid(), signal.SIGKILL)"
    assert run_command([sys.executable, "-c", ended], os.environ, Standing(10**6)) == 137


def test_a_command_that_is_not_there_is_named() -> None:
    with pytest.raises(ConfigError, match="cannot run 'no-such-command'"):
        run_command(["no-such-command"], os.environ, Standing(10**6))


def test_a_command_does_not_outlive_the_proxy(tmp_path: Path) -> None:
    noted = tmp_path / "pid"
    code = f"import os, time; open({str(noted)!r}, 'w').write(str(os.getpid())); time.sleep(600)"
    looks = Standing(10**6)

    def end_when_it_runs() -> None:
        while not noted.exists() or not noted.read_text():
            pass
        looks._looks = 0

    waiting = threading.Thread(target=end_when_it_runs)
    waiting.start()
    with pytest.raises(HarnessError, match="ended"):
        run_command([sys.executable, "-c", code], os.environ, looks)
    waiting.join()
    with pytest.raises(ProcessLookupError):
        os.kill(int(noted.read_text()), 0)


def test_a_proxy_that_dies_leaves_what_it_recorded(tmp_path: Path) -> None:
    upstream, folder = FakeUpstream(), tmp_path / "recorded"
    service = replace(SERVICE, upstreams=(upstream.url,), keys=("",), record=folder)

    def serving(up: Serving) -> int:
        os.kill(up.proxy.pid, signal.SIGKILL)
        up.proxy.check()
        return 0

    with pytest.raises(HarnessError):
        serve(service, serving)
    (session,) = read_recordings(folder).sessions
    assert (session.record.complete, session.record.reason) == (False, "not_closed")
    upstream.close()
