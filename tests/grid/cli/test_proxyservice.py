"""Serving sessions: which addresses and keys the proxy gets, and what happens when it dies."""

import os
import signal
import subprocess
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


TIED = """
import os, subprocess, sys
from grid.cli.proxyservice import run_command
from tests.grid.cli.test_proxyservice import Standing
run_command(sys.argv[1:], os.environ, Standing(10**6))
"""
SAYS = "import os, time; print(os.getpid(), flush=True); time.sleep(600)"


@pytest.mark.skipif(sys.platform != "linux", reason="the kernel of Linux does it")
def test_a_command_dies_with_a_proxy_that_is_killed() -> None:
    owner = subprocess.Popen(
        [sys.executable, "-c", TIED, sys.executable, "-c", SAYS],
        stdout=subprocess.PIPE,
        env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[3])},
    )
    assert owner.stdout is not None
    assert int(owner.stdout.readline()) != owner.pid
    owner.kill()
    rest, _ = owner.communicate(timeout=20)
    assert rest == b"", "the command, which holds the other end, is gone too"


def test_a_command_starts_as_if_nothing_stood_between(
    capfd: pytest.CaptureFixture[str],
) -> None:
    """Its arguments, variables and signals are those that it was given."""
    shell = "grep SigIgn /proc/$$/status; env | cut -d= -f1 | sort; printf '%s|' \"$@\""
    variables = {"PATH": os.environ["PATH"], "LANG": "C", "ODD": "a b"}
    command = ["sh", "-c", shell, "sh", "a b", "-c", ""]
    plain = subprocess.run(command, env=variables, stdout=subprocess.PIPE, text=True, check=True)
    assert run_command(command, variables, Standing(10**6)) == 0
    told, expected = (text.split() for text in (capfd.readouterr().out, plain.stdout))
    assert told[2:] == expected[2:]
    ignored = {int(text[1], 16) >> (signal.SIGPIPE - 1) & 1 for text in (told, expected)}
    assert ignored == {0}, "Python ignores broken pipes; the command does not"


def test_what_is_no_program_is_said_in_a_sentence(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    broken = tmp_path / "broken"
    broken.write_bytes(b"\x7fELF nothing")
    broken.chmod(0o755)
    assert run_command([str(broken)], os.environ, Standing(10**6)) == 2
    assert f"COMMAND: cannot run '{broken}': " in capfd.readouterr().err


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


def test_a_recording_that_cannot_be_sealed_is_said_in_a_sentence_and_kept(tmp_path: Path) -> None:
    upstream, folder = FakeUpstream(), tmp_path / "recorded"
    service = replace(SERVICE, upstreams=(upstream.url,), keys=("",), record=folder)

    def serving(up: Serving) -> int:
        (folder / "session.zst").mkdir()
        return 0

    with pytest.raises(HarnessError, match="is not sealed; what there is of it is kept in partial"):
        serve(service, serving)
    (session,) = read_recordings(folder).sessions
    assert (session.record.name, session.record.count) == ("session", 0)
    upstream.close()


def test_a_folder_that_cannot_be_made_is_said_in_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    service = replace(SERVICE, record=tmp_path / "file" / "recorded")
    with pytest.raises(HarnessError, match=r"cannot record into .*: Not a directory"):
        serve(service, lambda up: 0)
