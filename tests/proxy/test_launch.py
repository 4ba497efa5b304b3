import os
import select
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from grid.errors import HarnessError
from proxy.launch import Child, ProxyProcess, ScriptedModels
from tests.proxy.bench import PATIENCE_S, Bench, private_folder

PARENT = """
import sys, time
from pathlib import Path
from proxy.launch import ProxyProcess, ScriptedModels
models = ScriptedModels()
proxy = ProxyProcess(mode="record", directory=Path(sys.argv[1]), upstreams=(models.address,))
print(models.pid, proxy.pid, flush=True)
time.sleep(600)
"""


@pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="waits for processes of others")
def test_no_child_outlives_a_runner_that_is_killed(tmp_path: Path) -> None:
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT, str(private_folder(tmp_path))],
        stdout=subprocess.PIPE,
        env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])},
    )
    with parent:
        assert parent.stdout is not None
        pids = [int(word) for word in parent.stdout.readline().split()]
        watched = [os.pidfd_open(pid) for pid in pids]
        parent.send_signal(signal.SIGKILL)
    assert len(watched) == 2
    for descriptor in watched:
        ended, _, _ = select.select([descriptor], [], [], PATIENCE_S)
        os.close(descriptor)
        assert ended, "a child outlived its runner"


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


def test_a_refusal_is_one_sentence(bench: Bench) -> None:
    with pytest.raises(HarnessError, match=r"the recording proxy refused: upstream: .*not listed"):
        bench.open(upstream="http://127.0.0.1:1/v1")


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


def test_hundreds_of_trials_open_and_close_on_one_proxy(bench: Bench) -> None:
    opened = [bench.open(trial=f"t/{n}") for n in range(300)]
    assert len({client.opened.token for client in opened}) == 300
    assert all(bench.close(client).complete for client in opened)


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
