"""`services`: the proxy as the runner sees it, with processes made up and with real ones."""

import json
import urllib.error
import urllib.request
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from grid.catalogue import scenario
from grid.cli.services import (
    OURS,
    ProxyWire,
    cannot_vouch,
    planted_by,
    recording_wire,
    replaying_wire,
    tell_of_strays,
)
from grid.cli.upstreams import Served
from grid.errors import HarnessError
from grid.evidence import TrialId
from grid.runner import WireAccess
from grid.scenario import Tamper
from grid.vocabulary import TamperKind
from proxy.launch import ClosedTrial, OpenedTrial, ProxyProcess
from proxy.wire.exchange import Gap, exchange_lines, read_exchanges
from proxy.wire.partial import read_partial
from tests.ledgers.runs import TRIALS

SEED = "ab" * 16
ONE, TWO = TRIALS[2], TRIALS[3]


class MadeUp:
    """A proxy without a process, which notes what it is asked."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.opened: list[tuple[str, str, Path | None]] = []
        self.planted: list[tuple[Tamper, ...]] = []
        self.seeds: list[str] = []
        self.closed: list[str] = []
        self.secrets: list[str] = []
        self.complete = True
        self.reason = "in_flight"

    def open_trial(
        self,
        trial: str,
        *,
        upstream: str,
        secret: str,
        replay: Path | None,
        tamper: tuple[Tamper, ...],
        seed: str,
    ) -> OpenedTrial:
        self.opened.append((trial, upstream, replay))
        self.planted.append(tamper)
        self.seeds.append(seed)
        self.secrets.append(secret)
        token = f"token-{len(self.opened)}"
        (self.folder / token).write_text(f"lines of {trial}")
        return OpenedTrial(token=token, base_url=f"http://proxy/{token}", api_key=f"key-{token}")

    def close_trial(self, token: str) -> ClosedTrial:
        self.closed.append(token)
        path = self.folder / token
        return ClosedTrial(
            count=1, complete=self.complete, reason=self.reason, detail="one was in flight",
            file=path if path.exists() else None,
        )  # fmt: skip


@pytest.fixture
def proxy(tmp_path: Path) -> MadeUp:
    return MadeUp(tmp_path)


def wire(proxy: MadeUp, replay: Callable[[TrialId], Path | None] | None = None) -> ProxyWire:
    process = cast("ProxyProcess", proxy)
    return ProxyWire(process, served, replay) if replay else ProxyWire(process, served)


def served(trial: TrialId, seed: str) -> Served:
    return Served(url=f"http://models/{trial}/{seed}", secret="provider's key")


def test_a_trial_is_opened_by_its_coordinates_with_the_model_that_plays_in_it(
    proxy: MadeUp,
) -> None:
    access = wire(proxy).open(ONE, SEED)
    assert proxy.opened == [(str(ONE), f"http://models/{ONE}/{SEED}", None)]
    assert access == WireAccess(base_url="http://proxy/token-1", api_key="key-token-1")
    assert proxy.secrets == ["provider's key"], "the proxy alone is told"


def test_in_replay_a_trial_is_opened_with_its_recording(proxy: MadeUp, tmp_path: Path) -> None:
    wire(proxy, lambda trial: tmp_path / trial.framework).open(ONE, SEED)
    assert proxy.opened[0][2] == tmp_path / "strands"


def test_a_trial_is_opened_with_what_its_scenario_plants_on_the_wire(proxy: MadeUp) -> None:
    process = cast("ProxyProcess", proxy)
    on = ProxyWire(process, served, planted=planted_by(0))
    for identity in ("rewritten_in_flight", "rewritten_in_flight.benign"):
        on.open(replace(ONE, scenario=identity), SEED)
    attack = scenario("rewritten_in_flight").attack
    assert attack is not None
    assert proxy.planted == [attack.tamper, ()]
    assert proxy.seeds == [SEED, SEED], "what happens at a rate is drawn from it"


def test_what_the_run_plants_comes_after_that_and_in_the_twin_too(proxy: MadeUp) -> None:
    process = cast("ProxyProcess", proxy)
    more = (Tamper(kind=TamperKind.DROP, answer=0, rate=0.5),)
    on = ProxyWire(process, served, planted=planted_by(0, more))
    for identity in ("rewritten_in_flight", "rewritten_in_flight.benign"):
        on.open(replace(ONE, scenario=identity), SEED)
    attack = scenario("rewritten_in_flight").attack
    assert attack is not None
    assert proxy.planted == [(*attack.tamper, *more), more]


def test_closing_takes_the_recording_of_that_trial_and_leaves_no_file(proxy: MadeUp) -> None:
    on = wire(proxy)
    on.open(ONE, SEED)
    on.open(TWO, SEED)
    assert on.close(TWO).raw.decode() == f"lines of {TWO}"
    assert [path.name for path in proxy.folder.iterdir()] == ["token-1"]
    assert on.close(ONE).raw.decode() == f"lines of {ONE}"
    assert list(proxy.folder.iterdir()) == []
    assert proxy.closed == ["token-2", "token-1"]


def test_what_is_incomplete_says_why_in_words_for_people(proxy: MadeUp) -> None:
    on = wire(proxy)
    on.open(ONE, SEED)
    proxy.complete = False
    recorded = on.close(ONE)
    assert (recorded.complete, recorded.reason) == (False, "one was in flight")


@pytest.mark.parametrize("reason", list(OURS))
def test_a_recorder_that_could_not_write_stops_the_run_and_keeps_nothing_of_the_trial(
    proxy: MadeUp, reason: Gap
) -> None:
    on = wire(proxy)
    on.open(ONE, SEED)
    proxy.complete, proxy.reason = False, reason.value
    with pytest.raises(HarnessError, match="run again with --resume"):
        on.close(ONE)


def test_a_model_server_that_died_is_no_fault_of_the_trial_that_met_it(proxy: MadeUp) -> None:
    def dead() -> None:
        raise HarnessError("the scripted model server ended")

    process = cast("ProxyProcess", proxy)
    on = ProxyWire(process, served, alive=dead)
    on.open(ONE, SEED)
    with pytest.raises(HarnessError, match="model server ended"):
        on.close(ONE)


def test_without_a_file_there_is_nothing_recorded(proxy: MadeUp) -> None:
    on = wire(proxy)
    on.open(ONE, SEED)
    (proxy.folder / "token-1").unlink()
    assert on.close(ONE).raw == b""


def test_what_belonged_to_no_trial_is_told_at_the_end_and_ends_the_command_by_default() -> None:
    stray = {"method": "CONNECT", "host": "models.test:443", "path": ""}
    found = {"count": 0, "first": [], "unlisted": {"telemetry.test:443": 3}}
    process = cast("ProxyProcess", SimpleNamespace(unattributed=lambda: found))
    said: list[str] = []
    tell_of_strays(process, said.append)
    assert said == [], "what a trial was refused is no stray"
    found |= {"count": 7, "first": [stray, stray]}
    tell_of_strays(process, said.append)
    assert said[0].startswith(
        "7 requests reached the proxy and belonged to no open trial, the first of them CONNECT "
        "models.test:443; nothing of it was forwarded or recorded, so the record does not hold all"
    )
    with pytest.raises(HarnessError, match=r"^7 requests .* the key of its trial\.$"):
        tell_of_strays(process, cannot_vouch)


def test_a_trial_that_is_not_open_cannot_be_closed(proxy: MadeUp) -> None:
    on = wire(proxy)
    on.open(ONE, SEED)
    on.close(ONE)
    for trial in (ONE, TWO):
        with pytest.raises(KeyError):
            on.close(trial)
    assert proxy.closed == ["token-1"]


# --- real processes -----------------------------------------------------------------------------


def ask(access: WireAccess, key: str | None = None, **changes: Any) -> tuple[int, dict[str, Any]]:
    messages = [{"role": "user", "content": "Show me the memory of moon."}]
    body = {"model": "substituter", "messages": messages} | changes
    headers = {
        "authorization": f"Bearer {key or access.api_key}", "content-type": "application/json"
    }  # fmt: skip
    request = urllib.request.Request(  # noqa: S310 - the proxy on loopback
        f"{access.base_url}/chat/completions", json.dumps(body).encode(), headers
    )
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:  # noqa: S310 - the same
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        with error:
            return error.code, json.load(error)


def folder(path: Path) -> Path:
    path.mkdir(mode=0o700)
    return path


def test_what_a_persona_said_is_recorded_and_replayed_by_processes_that_end(
    tmp_path: Path,
) -> None:
    strays: list[str] = []
    with recording_wire(folder(tmp_path / "live"), unattributed=strays.append) as on:
        access = on.open(ONE, SEED)
        status, said = ask(access)
        refused, _ = ask(access, key="nv-another")
        recorded = on.close(ONE)
    assert (status, refused) == (200, 403)
    (sentence,) = strays
    port = access.base_url.split(":")[2].partition("/")[0]
    assert sentence.startswith(
        f"1 request reached the proxy and belonged to no open trial: POST 127.0.0.1:{port} "
        "/t/[trial token]/v1/chat/completions; nothing of it was forwarded or recorded"
    )
    assert said["choices"][0]["message"]["tool_calls"][0]["function"]["name"] == "list_nodes"
    assert access.api_key.encode() not in recorded.raw
    with pytest.raises(urllib.error.URLError, match="refused"):
        ask(access)

    recording = tmp_path / "recording"
    recording.write_bytes(exchange_lines(read_partial(recorded.raw).exchanges[:1]))
    with replaying_wire(folder(tmp_path / "again"), lambda _trial: recording) as on:
        access = on.open(ONE, SEED)
        assert ask(access) == (200, said)
        assert ask(access)[0] == 404, "there is no second answer, and nobody to ask for one"
        replayed = on.close(ONE)
    assert not replayed.complete
    assert list((tmp_path / "again").iterdir()) == []


def test_a_planted_fault_is_recorded_in_both_versions_and_replayed_the_same(tmp_path: Path) -> None:
    planted = replace(ONE, scenario="fail_closed", model="scripted/honest")
    words = scenario(planted.scenario).turns[0].prompt[planted.language]
    asked = {"model": "honest", "messages": [{"role": "user", "content": words}]}

    def play(on: ProxyWire) -> tuple[str, bytes]:
        status, said = ask(on.open(planted, SEED), **asked)
        assert status == 200
        recorded = on.close(planted)
        assert recorded.complete, recorded.reason
        function = said["choices"][0]["message"]["tool_calls"][0]["function"]
        return function["arguments"], exchange_lines(read_partial(recorded.raw).exchanges)

    with recording_wire(folder(tmp_path / "live")) as on:
        first = play(on)
    assert first[0].count('"node"') == 2, "the agent gets a key twice"
    (exchange,) = read_exchanges(first[1])
    assert exchange.sent is not None
    assert exchange.sent.body["text"].count("node") == 1, "the model sent it once"
    recording = tmp_path / "recording"
    recording.write_bytes(first[1])
    with replaying_wire(folder(tmp_path / "again"), lambda _trial: recording) as on:
        assert play(on) == first
