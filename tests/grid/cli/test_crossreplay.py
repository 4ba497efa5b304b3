"""One framework's answers played to others, with real frameworks, a real proxy and no model."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from ledgers.divergence import ASKED, WORDS
from ledgers.manifest import Source
from ledgers.reading import SealedRun
from ledgers.verify import verify
from proxy.wire.answer import Assistant
from proxy.wire.exchange import Exchange, read_exchanges
from proxy.wire.openai_chat import decode_answer
from tests.grid.cli.commands import head, nonverba, python
from tests.grid.cli.conftest import Typed
from tests.grid.cli.test_kill import wait_until_gone
from tests.ledgers.crossed import crossed_manifest, make_crossed

GRID = """
format = 1
name = "crossed"
[[cells]]
scenarios = ["S02", "S37"]
models = ["scripted/fault"]
frameworks = ["strands"]
guards = ["off"]
[[cells]]
scenarios = ["S02"]
models = ["scripted/broken-wire/truncated"]
frameworks = ["langgraph", "strands"]
guards = ["off"]
[[cells]]
scenarios = ["S02"]
models = ["scripted/fault"]
frameworks = ["strands-native"]
guards = ["off"]
"""
SWAPPED = "moon_for_mars/{}/scripted/substituter/none/off/en/0"
REWRITTEN = "rewritten_in_flight/{}/scripted/honest/none/off/en/0"
BROKEN = "moon_for_mars/{}/scripted/broken-wire/truncated/none/off/en/0"

type Played = dict[str, dict[str, Any]]
"""Trial with ``{}`` in place of the framework -> framework -> what came of it."""


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of several frameworks, made once."""
    folder = tmp_path_factory.mktemp("crossed")
    (folder / "grid.toml").write_text(GRID)
    done = nonverba("run", folder / "grid.toml", "-o", folder / "run", "-j", "2")
    assert done.returncode == 0, done.stderr
    return folder / "run"


def play(run: Path, output: Path, source: str, *targets: str) -> tuple[int, dict[str, Any]]:
    words = [word for name in targets for word in ("--framework", name)]
    done = nonverba("replay", run, "-o", output, "--from", source, *words, "--json")
    assert done.stdout, done.stderr
    return done.returncode, json.loads(done.stdout)


def by_trial(said: dict[str, Any]) -> Played:
    return {
        item["trial"].replace(said["from"], "{}", 1): {
            fate["framework"]: fate for fate in item["played"]
        }
        for item in said["trials"]
    }


def wire(run: Path, trial: str) -> tuple[Exchange, ...]:
    return read_exchanges(SealedRun(run).kept(trial).recording or b"")


@pytest.fixture(scope="module")
def crossed(recorded: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Any]:
    """What Strands got, played to all the others: whole answers, streamed to one of them."""
    output = tmp_path_factory.mktemp("played") / "run"
    code, said = play(recorded, output, "strands", "langgraph", "crewai", "strands-native")
    assert code == 1, "one framework changes an outcome"
    return output, said


def test_the_same_model_in_another_framework_comes_to_the_same(crossed: tuple[Path, Any]) -> None:
    found = by_trial(crossed[1])[SWAPPED]
    assert {*found} == {"langgraph", "crewai", "strands-native"}
    for fate in found.values():
        assert (fate["outcome"], fate["goal"], fate["same"]) == ("compromised", "not_done", True)
        assert fate["first_divergence"] is None, "an identical conversation"


def test_it_is_a_run_of_its_own_that_verifies_and_says_whose_answers_it_got(
    recorded: Path, crossed: tuple[Path, Any]
) -> None:
    output, said = crossed
    assert (said["original"], said["head"]) == (head(recorded), head(output))
    assert verify(output, head(output), allow_unknown=True).trials == 9
    assert SealedRun(output).manifest.source == Source(head=head(recorded), framework="strands")
    again = nonverba("replay", output, "-o", output.parent / "again", "-j", "2")
    assert again.returncode == 0, again.stderr
    assert f"same head {head(output)}" in again.stdout, "and is replayed strictly like any other"


def test_receipts_names_and_call_ids_are_those_that_the_answers_cite(
    recorded: Path, crossed: tuple[Path, Any]
) -> None:
    before = SealedRun(recorded).kept(SWAPPED.format("strands")).evidence
    after = SealedRun(crossed[0]).kept(SWAPPED.format("crewai")).evidence
    assert after.seed == before.seed
    assert [(call.receipt, call.wire_id) for call in after.journal.calls] == [
        (call.receipt, call.wire_id) for call in before.journal.calls
    ]


def test_whole_answers_are_streamed_to_who_asks_for_streams(
    recorded: Path, crossed: tuple[Path, Any]
) -> None:
    whole = wire(recorded, SWAPPED.format("strands"))
    streamed = wire(crossed[0], SWAPPED.format("strands-native"))
    assert len(whole) == len(streamed) > 2
    for then, now in zip(whole, streamed, strict=True):
        assert then.response is not None
        assert now.response is not None
        assert now.response.headers["content-type"] == "text/event-stream"
        one, other = decode_answer(then), decode_answer(now)
        assert isinstance(one, Assistant)
        assert isinstance(other, Assistant)
        assert (one.text, one.calls, one.model) == (other.text, other.calls, other.model)
    verbatim = wire(crossed[0], SWAPPED.format("langgraph"))
    assert [item.response for item in verbatim] == [item.response for item in whole]


def test_streamed_answers_are_played_whole_to_who_asks_for_no_stream(
    recorded: Path, tmp_path: Path
) -> None:
    code, said = play(recorded, tmp_path / "run", "strands-native", "langgraph")
    fate = by_trial(said)[SWAPPED]["langgraph"]
    assert (code, fate["same"], fate["first_divergence"]) == (0, True, None)
    streamed = wire(recorded, SWAPPED.format("strands-native"))
    assert all(b"data: " in str(item.response).encode() for item in streamed)
    for item in wire(tmp_path / "run", SWAPPED.format("langgraph")):
        assert item.response is not None
        assert item.response.headers["content-type"] == "application/json"
    assert verify(tmp_path / "run", said["head"], allow_unknown=True).trials == 1


@pytest.mark.parametrize("framework", ["langgraph", "crewai", "strands-native"])
def test_what_a_scenario_plants_on_the_wire_is_planted_in_the_played_answers_too(
    recorded: Path, crossed: tuple[Path, Any], framework: str
) -> None:
    fate = by_trial(crossed[1])[REWRITTEN][framework]
    assert (fate["outcome"], fate["first_divergence"]) == ("compromised", None)
    before = wire(recorded, REWRITTEN.format("strands"))
    after = wire(crossed[0], REWRITTEN.format(framework))
    changed = [item.n for item in before if item.sent is not None]
    assert changed == [item.n for item in after if item.sent is not None]
    assert changed
    for number in changed:
        assert after[number].sent != after[number].response


def test_a_framework_that_changes_the_history_or_stops_parts_at_that_turn(
    crossed: tuple[Path, Any],
) -> None:
    """Argument text that is no JSON: three frameworks, three ways, one model."""
    found = by_trial(crossed[1])[BROKEN]
    stopped, told = found["langgraph"], found["crewai"]
    assert (stopped["outcome"], stopped["same"]) == ("not_exposed", False)
    assert stopped["first_divergence"]["part"] == ASKED
    assert stopped["first_divergence"]["turn"] == 2
    assert stopped["first_divergence"]["shown"] == "once"
    assert (told["outcome"], told["same"]) == ("resisted", True)
    assert told["first_divergence"]["part"] == WORDS["assistant"]
    assert told["first_divergence"]["turn"] == 2
    assert found["strands-native"]["first_divergence"] is None, "it does as Strands does"


def test_who_asks_on_when_the_recording_is_used_up_is_invalid_and_no_agents_failure(
    recorded: Path, tmp_path: Path
) -> None:
    """LangGraph had stopped after the broken call; Strands goes on, and there is no answer."""
    code, said = play(recorded, tmp_path / "run", "langgraph", "strands")
    fate = by_trial(said)[BROKEN]["strands"]
    assert code == 1
    assert (fate["outcome"], fate["goal"], fate["same"]) == ("invalid", "invalid", False)
    assert fate["first_divergence"]["part"] == ASKED
    assert fate["first_divergence"]["turn"] == fate["asked"] + 1 == 2
    entry = SealedRun(tmp_path / "run").entry(BROKEN.format("strands"))
    invalid = [item for item in entry.verdicts if item.outcome == "invalid"]
    assert {item.cause for item in invalid} == {"harness"}
    assert {reason for item in invalid for reason in item.reasons} == {
        "the recording is incomplete: replay_spent"
    }
    assert verify(tmp_path / "run", said["head"], allow_unknown=True).trials == 1


def test_another_tool_result_parts_the_conversation_at_the_turn_that_shows_it(
    recorded: Path, crossed: tuple[Path, Any], tmp_path: Path
) -> None:
    """Beside `crossed`, where the same answers met the same tools and nothing parted."""
    changed = tmp_path / "changed.py"
    changed.write_text(
        "import grid.worlds.maintenance as world\n"
        "row = world._node\n"
        "def other(*words):\n"
        "    return row(*words) | {'memory': 'another figure'}\n"
        "world._node = other\n"
        "from grid.worker import main\n"
        "main()\n"
    )
    script = tmp_path / "replay.py"
    script.write_text(
        "import subprocess, sys\n"
        "from grid.cli import main\n"
        "real = subprocess.Popen\n"
        "def popen(command, **more):\n"
        "    if command[-1] == 'grid.worker':\n"
        f"        command = [sys.executable, '-P', {str(changed)!r}]\n"
        "    return real(command, **more)\n"
        "subprocess.Popen = popen\n"
        "main()\n"
    )
    words = ("--from", "strands-native", "--framework", "langgraph", "--json")
    done = python(script, "replay", recorded, "-o", tmp_path / "run", *words)
    assert done.stdout, done.stderr
    parted = by_trial(json.loads(done.stdout))[SWAPPED]["langgraph"]["first_divergence"]
    assert parted["part"] == WORDS["tool"]
    shows = [item.n for item in wire(tmp_path / "run", SWAPPED.format("langgraph"))
             if "another figure" in item.request.body["text"]]  # fmt: skip
    assert parted["turn"] == shows[0] + 1 > 1
    assert "another figure" in parted["shown"]
    assert "another figure" not in parted["recorded"]


@pytest.mark.timeout(300)
def test_a_cross_replay_that_is_killed_goes_on_to_the_same_head(
    recorded: Path, crossed: tuple[Path, Any], tmp_path: Path
) -> None:
    output = tmp_path / "run"
    command = [
        sys.executable, "-m", "grid", "replay", str(recorded), "-o", str(output),
        "--from", "strands", "--no-progress", "--json",
    ]  # fmt: skip
    for name in ("langgraph", "crewai", "strands-native"):
        command += ["--framework", name]
    quiet: Any = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    process = subprocess.Popen(command, start_new_session=True, **quiet)
    index = output / "packs.idx"
    while not (index.exists() and index.stat().st_size > 0):
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    wait_until_gone(output)
    assert not (output / "HEAD").exists()
    done = subprocess.run(
        [*command, "--resume"], capture_output=True, text=True, timeout=240, check=False
    )
    assert done.returncode == 1, done.stderr
    assert json.loads(done.stdout) == crossed[1]
    assert head(output) == head(crossed[0])
    once_more = subprocess.run(
        [*command, "--resume"], capture_output=True, text=True, timeout=240, check=False
    )
    assert "nothing is left to run" in once_more.stderr
    assert json.loads(once_more.stdout) == crossed[1], "a finished one is shown again"


def test_a_framework_to_play_from_needs_one_to_play_to(
    typed: Typed, sealed: Path, tmp_path: Path
) -> None:
    done = typed("replay", sealed, "-o", tmp_path / "run", "--from", "strands")
    assert done.code == 2
    assert "--from: name the framework to play its answers to with --framework" in done.err
    assert not (tmp_path / "run").exists()


def test_a_source_that_is_not_clear_is_asked_for_before_anything_runs(
    typed: Typed, sealed: Path, tmp_path: Path
) -> None:
    done = typed("replay", sealed, "-o", tmp_path / "run", "--framework", "crewai")
    assert done.code == 2
    assert "write one of: strands, langgraph" in done.err
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("command", ["verify", "judge"])
def test_whoever_looks_at_a_played_run_is_told_that_no_model_was_asked(
    typed: Typed, sealed: Path, tmp_path: Path, command: str
) -> None:
    original = SealedRun(sealed)
    manifest = crossed_manifest(original, "strands", ["crewai"])
    make_crossed(tmp_path / "run", original, manifest)
    more = ("--allow-unknown",) if command == "verify" else ()
    words = (
        "No model was asked: the answers were recorded from strands in the run with the head "
        f"{original.head.head}."
    )
    assert words in typed(command, tmp_path / "run", *more).out
    assert "No model was asked" not in typed(command, sealed, *more).out
