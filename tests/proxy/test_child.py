"""`child`: a child process of ours as its owner sees it."""

import os
import signal
import sys
import threading
from pathlib import Path

import pytest

from grid.errors import HarnessError
from proxy.child import Child
from proxy.launch import ProxyProcess, ScriptedModels
from tests.proxy.bench import PATIENCE_S, private_folder


@pytest.mark.skipif(sys.platform != "linux", reason="reads the environment of another process")
def test_a_child_sees_no_variable_that_is_not_listed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-not-for-children")
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:1")
    with ScriptedModels() as models:
        environment = Path(f"/proc/{models.pid}/environ").read_bytes()
    names = {entry.partition(b"=")[0] for entry in environment.split(b"\0")}
    assert b"PYTHONPATH" in names
    assert not {b"OPENAI_API_KEY", b"HTTPS_PROXY", b"HOME"} & names


def test_a_child_that_cannot_start_is_one_sentence_with_its_last_words() -> None:
    with pytest.raises(HarnessError, match=r"the ghost ended \(exit code 1\); .*No module named"):
        Child("proxy.no_such_module", {}, "the ghost")


def test_stopping_twice_and_killing_after_that_do_no_harm() -> None:
    models = ScriptedModels()
    models.stop()
    models.stop()
    models.kill()
    with pytest.raises(HarnessError, match="ended"):
        models.ask({"do": "stop"})


def test_a_server_that_is_being_killed_is_noticed_before_it_is_gone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A process loses its sockets before it can be waited for: the window has failed a run."""
    with ScriptedModels() as models:
        models.check()
        os.kill(models._process.pid, signal.SIGKILL)
        models._process.wait(PATIENCE_S)
        monkeypatch.setattr(models._process, "poll", lambda: None)
        with pytest.raises(HarnessError, match="run again with --resume"):
            models.check()
        monkeypatch.undo()


def test_a_child_that_dies_fails_everyone_who_waits(tmp_path: Path) -> None:
    with ProxyProcess(
        mode="record", directory=private_folder(tmp_path), upstreams=("127.0.0.1:9",)
    ) as proxy:
        os.kill(proxy.pid, signal.SIGSTOP)  # so that the answers are awaited when it dies
        failures: list[HarnessError] = []

        def ask() -> None:
            try:
                proxy.open_trial("t", upstream="http://127.0.0.1:9")
            except HarnessError as error:
                failures.append(error)

        threads = [threading.Thread(target=ask) for _ in range(4)]
        for thread in threads:
            thread.start()
        os.kill(proxy.pid, signal.SIGKILL)
        for thread in threads:
            thread.join(PATIENCE_S)
    assert len(failures) == 4
    assert all("exit code -9" in str(error) and "--resume" in str(error) for error in failures)
