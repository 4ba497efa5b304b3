"""`nonverba proxy`: a stranger's agent recorded and replayed, and every end that it can have."""

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from ledgers.recordings import read_recordings
from tests.grid.cli.commands import environment, nonverba
from tests.grid.cli.conftest import Typed
from tests.proxy.bench import ANSWER, FakeUpstream, Seen, chat, plain_answer

KEY = "sk-secret-of-the-provider-0123456789"
AGENT = """
import http.client, json, os, sys, urllib.request
base = os.environ.get("OPENAI_BASE_URL") or sys.argv[1]
words = sys.argv[2]
body = json.dumps({"model": "fake", "messages": [{"role": "user", "content": words}]}).encode()
asked = urllib.request.Request(base + "/chat/completions", body, {
    "content-type": "application/json", "authorization": "Bearer " + os.environ["OPENAI_API_KEY"],
})
with urllib.request.urlopen(asked) as answer:
    print(json.load(answer)["choices"][0]["message"]["content"])
sys.exit(int(sys.argv[3]) if len(sys.argv) > 3 else 0)
"""


@pytest.fixture
def upstream(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeUpstream]:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-somebody-elses-provider")
    monkeypatch.setenv("MINE", KEY)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    found = FakeUpstream()
    yield found
    found.close()


@pytest.fixture
def agent(tmp_path: Path) -> Path:
    path = tmp_path / "agent.py"
    path.write_text(AGENT)
    return path


def written(folder: Path) -> bytes:
    """Everything that stands in a folder."""
    return b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())


@pytest.mark.parametrize("via", ["base-url", "https-proxy"])
def test_an_agent_is_recorded_and_then_replayed_with_its_provider_gone(
    upstream: FakeUpstream, agent: Path, tmp_path: Path, via: str
) -> None:
    command = ("--", sys.executable, agent, upstream.url, "hello")
    folder = tmp_path / "recorded"
    words = ("--upstream", upstream.url, "--key-env", "MINE", "--record", folder, "--via", via)
    done = nonverba("proxy", *words, *command)
    assert (done.returncode, done.stdout) == (0, "moon\n"), done.stderr
    assert "session: 1 exchange, complete" in done.stderr
    own = os.environ["OPENAI_API_KEY"]
    sent = KEY if via == "base-url" else own
    assert upstream.seen[0].headers["authorization"] == f"Bearer {sent}"
    assert not any(secret.encode() in written(folder) for secret in (KEY, own))
    (session,) = read_recordings(folder).sessions
    assert bool(session.exchanges[0].request.upstream) is (via == "https-proxy")
    upstream.close()
    again = nonverba("proxy", "--replay", folder, "--via", via, *command)
    assert (again.returncode, again.stdout) == (0, "moon\n"), again.stderr
    other = nonverba("proxy", "--replay", folder, "--via", via, *command[:-1], "goodbye")
    assert other.returncode == 1
    assert "recorded 'hello', got 'goodbye'" in other.stderr
    assert "request 1 of session session is not the recorded one" in other.stderr
    idle = (*command[:2], "-c", "pass")
    short = nonverba("proxy", "--replay", folder, "--via", via, *idle)
    assert "session session asked 0 times, the recorded one 1 times" in short.stderr


def test_by_base_url_a_command_is_given_no_key_that_the_proxy_sends(
    upstream: FakeUpstream, tmp_path: Path
) -> None:
    code = "import os; print(sorted(os.environ.values()))"
    words = ("--upstream", upstream.url, "--key-env", "MINE", "--via", "base-url")
    done = nonverba("proxy", *words, "--", sys.executable, "-c", code)
    assert done.stdout.startswith("["), done.stderr
    assert KEY not in done.stdout
    assert os.environ["OPENAI_API_KEY"] not in done.stdout


def test_a_command_that_never_came_to_the_proxy_is_no_success(
    upstream: FakeUpstream, tmp_path: Path
) -> None:
    words = ("--upstream", upstream.url, "--record", tmp_path / "r", "--", sys.executable, "-c")
    done = nonverba("proxy", *words, "pass")
    assert done.returncode == 3
    assert "asked nothing through the proxy" in done.stderr
    other = "import urllib.request as u\ntry: u.urlopen('http://api.example/v1')\nexcept OSError: 0"
    words = ("--upstream", upstream.url, "--record", tmp_path / "s", "--", sys.executable, "-c")
    done = nonverba("proxy", *words, other)
    assert done.returncode == 3
    assert "api.example:80 was asked for and refused" in done.stderr


def test_a_field_that_may_differ_is_named(
    upstream: FakeUpstream, agent: Path, tmp_path: Path
) -> None:
    command = ("--via", "base-url", "--", sys.executable, agent, upstream.url)
    folder = tmp_path / "recorded"
    nonverba("proxy", "--upstream", upstream.url, "--record", folder, *command, "hello")
    pointer = "/messages/0/content"
    again = nonverba("proxy", "--replay", folder, "--volatile", pointer, *command, "goodbye")
    assert (again.returncode, again.stdout) == (0, "moon\n"), again.stderr


def test_the_exit_code_of_the_command_is_passed_on(
    upstream: FakeUpstream, agent: Path, tmp_path: Path
) -> None:
    command = ("--via", "base-url", "--", sys.executable, agent, upstream.url, "hello", "7")
    assert nonverba("proxy", "--upstream", upstream.url, *command).returncode == 7
    folder = tmp_path / "recorded"
    done = nonverba("proxy", "--upstream", upstream.url, "--record", folder, *command)
    assert done.returncode == 7
    assert read_recordings(folder).sessions[0].record.complete


class Standing:
    """A proxy that waits for agents, and the variables that it printed."""

    def __init__(self, upstream: FakeUpstream, *words: str | Path) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "grid", "proxy", "--upstream", upstream.url, "--json"]
            + [str(word) for word in words],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=environment(),
            start_new_session=True,
        )
        assert self.process.stdout is not None
        lines = ""
        for line in self.process.stdout:
            lines += line
            if line == "}\n":
                break
        self.variables: dict[str, dict[str, dict[str, str]]] = json.loads(lines)

    def ask(self, session: str, **changes: str) -> int:
        """Ask by base URL; return the status."""
        names = self.variables[session]["base-url"] | changes
        code = (
            "import json, os, sys, urllib.request, urllib.error\n"
            "asked = urllib.request.Request(os.environ['OPENAI_BASE_URL'] + '/chat/completions',"
            " sys.argv[1].encode(), {'authorization': 'Bearer ' + os.environ['OPENAI_API_KEY']})\n"
            "try: print(urllib.request.urlopen(asked).status)\n"
            "except urllib.error.HTTPError as error: print(error.code)\n"
        )
        done = subprocess.run(
            [sys.executable, "-c", code, json.dumps(chat())],
            env=os.environ | names,
            capture_output=True,
            text=True,
            check=True,
        )
        return int(done.stdout)

    def end(self, number: int) -> tuple[int, str, str]:
        """Send a signal; return exit code, output and errors."""
        self.process.send_signal(number)
        out, errors = self.process.communicate(timeout=60)
        return self.process.returncode, out, errors


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_sessions_are_kept_apart_and_sealed_when_it_is_stopped(
    upstream: FakeUpstream, tmp_path: Path, number: int
) -> None:
    folder = tmp_path / "recorded"
    up = Standing(upstream, "--record", folder, "--session", "first", "--session", "second")
    assert [up.ask("first"), up.ask("second"), up.ask("first")] == [200, 200, 200]
    code, out, errors = up.end(number)
    assert code == 0, errors
    assert {
        name: item["count"] for name, item in json.loads(out)["sessions"].items()
    } == {"first": 2, "second": 1}  # fmt: skip
    first, second = read_recordings(folder).sessions
    assert (first.record.name, first.record.count, first.record.complete) == ("first", 2, True)
    assert (second.record.name, second.record.count) == ("second", 1)
    assert not (folder / "partial").exists()


def test_what_belongs_to_no_session_is_refused_and_said_at_the_end(
    upstream: FakeUpstream, tmp_path: Path
) -> None:
    up = Standing(upstream, "--record", tmp_path / "recorded")
    assert up.ask("session", OPENAI_API_KEY="nv-" + "0" * 40) == 403
    code, _, errors = up.end(signal.SIGTERM)
    assert code == 3
    assert "1 x a request that belongs to no session was refused (POST 127.0.0.1" in errors
    assert not upstream.seen


def test_a_folder_of_a_killed_proxy_reads_and_is_not_complete(
    upstream: FakeUpstream, tmp_path: Path
) -> None:
    folder = tmp_path / "recorded"
    up = Standing(upstream, "--record", folder)
    assert up.ask("session") == 200
    up.end(signal.SIGKILL)
    (session,) = read_recordings(folder).sessions
    assert (session.record.count, session.record.complete) == (1, False)
    done = nonverba("export", folder, "--to", "mitm", "-o", tmp_path / "out.mitm")
    assert done.stdout.startswith("1 exchanges"), done.stderr
    assert (
        "the recording of session is not complete (not_closed: the file has no close" in done.stderr
    )


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ((), "--upstream: name the provider"),
        (("--upstream", "api.openai.com"), "write http(s)://host"),
        (("--upstream", "http://127.0.0.1:1", "--record", "a", "--replay", "b"), "not both"),
        (("--upstream", "http://127.0.0.1:1", "--volatile", "/x"), "only with --replay"),
        (("--upstream", "http://127.0.0.1:1", "--session", "a/b"), "--session 'a/b'"),
        (("--replay", "nowhere"), "holds no recordings"),
        (("--upstream", "http://127.0.0.1:1", "--", "no-such-command"), "no 'no-such-command'"),
        (
            ("--upstream", "http://127.0.0.1:1", "--session", "a", "--session", "b", "--", "true"),
            "name one",
        ),
        (
            ("--upstream", "http://127.0.0.1:1", "--key-env", "NO_SUCH_VARIABLE", "--", "true"),
            "NO_SUCH_VARIABLE is not set",
        ),
    ],
)
def test_what_cannot_be_served_is_said_in_a_sentence(
    typed: Typed, words: tuple[str, ...], says: str
) -> None:
    said = typed("proxy", *words)
    assert said.code == 2
    assert says in said.err


READER = "import sys, urllib.request as u\n" + AGENT.partition("with urllib")[0].replace(
    "sys.argv[2]", "'hello'"
) + "u.urlopen(asked).read()"  # fmt: skip


def odd_answer(connection: socket.socket, seen: Seen) -> bool:
    """Answer with a byte in the words that is no UTF-8."""
    body = json.dumps(ANSWER).encode()
    assert b"moon" in body
    connection.sendall(plain_answer(body.replace(b"moon", b"mo\xffn")))
    return True


def test_what_was_odd_on_the_wire_is_said_of_each_session_that_is_recorded(
    upstream: FakeUpstream, tmp_path: Path
) -> None:
    words = ("--upstream", upstream.url, "--via", "base-url")
    command = ("--", sys.executable, "-c", READER)
    plain = nonverba("proxy", *words, "--record", tmp_path / "plain", *command)
    assert plain.returncode == 0, plain.stderr
    assert "odd on the wire" not in plain.stderr
    upstream.play = odd_answer
    done = nonverba("proxy", *words, "--record", tmp_path / "odd", "--json", *command)
    assert done.returncode == 0, done.stderr
    told = r"exchange 0: the answer: it holds bytes that are no UTF-8, which are kept as \xNN"
    assert f"note: odd on the wire: {told}\n" in done.stderr
    assert json.loads(done.stdout)["sessions"]["session"]["oddities"] == 1
    unrecorded = nonverba("proxy", *words, "--json", *command)
    assert "oddities" not in json.loads(unrecorded.stdout)["sessions"]["session"]


def test_a_damaged_session_is_left_out_of_a_replay_and_said(
    upstream: FakeUpstream, tmp_path: Path
) -> None:
    words = ("--upstream", upstream.url, "--via", "base-url")
    command = ("--", sys.executable, "-c", READER)
    folder = tmp_path / "recorded"
    assert nonverba("proxy", *words, "--record", folder, *command).returncode == 0
    index = json.loads((folder / "sessions.json").read_text())
    (session,) = index["sessions"]
    index["sessions"].append(session | {"name": "other"})
    (folder / "sessions.json").write_text(json.dumps(index))
    (folder / "other.zst").write_bytes(b"damaged")
    again = nonverba("proxy", "--replay", folder, "--via", "base-url", *command)
    assert again.returncode == 3, again.stderr
    assert "note: the recording of other cannot be read: other.zst is not what" in again.stderr
    one = nonverba("proxy", "--replay", folder, "--session", "session", *words[2:], *command)
    assert (one.returncode, "cannot be read" in one.stderr) == (0, False), one.stderr
    named = nonverba("proxy", "--replay", folder, "--session", "other", *words[2:], *command)
    assert named.returncode == 2
    assert "--session: the recording of other cannot be read" in named.stderr
