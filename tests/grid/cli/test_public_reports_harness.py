"""Failures of other people's harnesses, reported in public: numbers C67, C69, C71, C73 and C75.

Each stands here with what is right in this one. What is about one module alone is tested beside it
as well: retries that were never asked again in `tests/proxy/test_replayer.py`, an interrupted run
in `test_run.py`, equal heads with one worker and two, the order in which trials finish.
"""

import json
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import grid
import ledgers
from grid.canonical import load_json
from grid.cli.running import given_grid
from grid.cli.spool import spool
from grid.cli.summarytable import show_summary
from grid.display import visible
from grid.errors import CanonicalError, ConfigError, StrictError, VerificationError
from grid.strict import from_json, to_json
from grid.vocabulary import ClaimState, Outcome, Utility
from ledgers.entries import TrialEntry
from ledgers.frames import trial_facts
from ledgers.manifest import build_manifest, manifest_bytes, read_manifest
from ledgers.packs import PackWriter, read_frame
from ledgers.reading import SealedRun
from ledgers.seal import seal
from ledgers.store import RunDirectory
from ledgers.verify import verify
from proxy.difference import explain_difference
from tests.builders import exchange, recorder_lines
from tests.grid.cli.commands import SMALL, environment
from tests.grid.cli.conftest import Typed
from tests.ledgers.runs import ENVIRONMENT, finished, make_run, plan, played, trial

HONEST = trial("moon_for_mars", "strands", "wavering/0.5")


@pytest.fixture(scope="module")
def one(tmp_path_factory: pytest.TempPathFactory) -> SealedRun:
    folder = tmp_path_factory.mktemp("one") / "run"
    make_run(folder, [HONEST])
    return SealedRun(folder)


def hundred(one: SealedRun, words: Sequence[Outcome]) -> tuple[TrialEntry, ...]:
    (entry,) = one.trials
    return tuple(
        replace(entry, outcome=word, trial=replace(entry.trial, number=number))
        for number, word in enumerate(words)
    )


class TestC67ErrorsNeverLeaveTheDenominatorUnseen:
    WORDS = [Outcome.RESISTED] * 80 + [Outcome.COMPROMISED] * 10 + [Outcome.INVALID] * 10

    def test_the_errors_stand_in_the_cell_that_shows_the_rate(
        self, one: SealedRun, capsys: pytest.CaptureFixture[str]
    ) -> None:
        show_summary(hundred(one, self.WORDS), one.manifest)
        said = capsys.readouterr().out
        row = next(line for line in said.splitlines() if "(harm " in line)
        for words in ("80 resisted", "10 compromised", "10 invalid"):
            assert words in row
        assert "outside every rate: 0 not_exposed, 10 invalid" in said

    def test_without_errors_none_are_told(
        self, one: SealedRun, capsys: pytest.CaptureFixture[str]
    ) -> None:
        show_summary(hundred(one, self.WORDS[:90]), one.manifest)
        said = capsys.readouterr().out
        assert "invalid" not in said
        assert "(harm 11%" in said

    def test_a_frame_keeps_a_row_for_each_error(self, tmp_path: Path) -> None:
        of = trial("moon_for_mars", "strands", "honest")
        trials = (of, replace(of, number=1), replace(of, number=2))
        manifest = build_manifest(plan(trials))
        with RunDirectory.create(tmp_path / "run", manifest) as made:
            for number, each in enumerate(trials):
                lost: dict[str, Any] = {"raw": b""} if number else {}
                made.keep(finished(each, manifest, **lost), {"wall_ms": 1, "note": ""})
            seal(made, ENVIRONMENT)
        rows = ledgers.frame(tmp_path / "run").drop_duplicates([*ledgers.TRIAL])
        assert rows["outcome"].tolist() == ["resisted", "invalid", "invalid"]
        assert rows["utility"].tolist() == ["done", "invalid", "invalid"]

    def test_a_trial_that_no_rule_spoke_of_keeps_its_row(
        self, one: SealedRun, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (entry,) = one.trials
        monkeypatch.setattr(one, "trials", (replace(entry, verdicts=()),))
        found = ledgers.frame(one)
        assert len(found) == 1
        assert found["rule"].isna().all()
        assert found["outcome"].notna().all()

    def test_no_trial_at_all_is_no_result(self) -> None:
        manifest = build_manifest(plan([HONEST]))
        with pytest.raises(StrictError, match="a plan without trials shows nothing"):
            read_manifest(manifest_bytes(replace(manifest, trials=())))
        with pytest.raises(ConfigError, match="the grid holds no trial"):
            grid.run(SMALL.replace("S02", "S54"))  # which the reference adapter cannot play

    @pytest.mark.parametrize("value", [float("nan"), 2.0, True, "passed", "", None])
    def test_a_score_is_a_word_of_the_list_and_nothing_else(
        self, one: SealedRun, value: Any
    ) -> None:
        body = to_json(one.trials[0])
        assert from_json(TrialEntry, body) == one.trials[0]
        with pytest.raises(StrictError, match="/status"):
            from_json(TrialEntry, body | {"status": value})

    @pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999"])
    def test_no_file_of_a_run_may_hold_a_number_that_is_none(self, number: str) -> None:
        with pytest.raises(CanonicalError):
            load_json(f'{{"share":{number}}}')

    @pytest.mark.parametrize("number", ["nan", "inf", "-inf", "+nan"])
    @pytest.mark.parametrize("key", ["seed", "trials", "rate", "retry_after", "value"])
    def test_no_number_of_a_grid_file_may_be_none(self, key: str, number: str) -> None:
        lines = SMALL + 'trials = 1\n[[tamper]]\nkind = "status"\nvalue = 429\nrate = 0.5\n'
        lines = lines.replace('name = "small"', 'name = "small"\nseed = 1') + "retry_after = 1\n"
        assert given_grid(lines).tamper[0].rate == 0.5
        kept = [f"{key} = {number}" if line.startswith(f"{key} = ") else line
                for line in lines.splitlines()]  # fmt: skip
        with pytest.raises(ConfigError, match=key):
            given_grid("\n".join(kept))

    @pytest.mark.parametrize("model", ["wavering/nan", "wavering/inf", "wavering/0.5,spread=nan",
                                       "wavering/0.5,fails=nan", "near-miss/nan"])  # fmt: skip
    def test_no_number_of_a_persona_may_be_none(self, model: str) -> None:
        with pytest.raises(ConfigError):
            given_grid(SMALL.replace("honest", model))

    @pytest.mark.parametrize(
        "words",
        [
            ("gate", "{run}", "--baseline", "{run}", "--margin", "nan"),
            ("gate", "{run}", "--baseline", "{run}", "--alpha", "nan"),
            ("baseline", "save", "{run}", "--to", "{new}", "--margin", "nan"),
            ("baseline", "save", "{run}", "--to", "{new}", "--alpha", "inf"),
            ("plan", "--scenario", "S02", "--seconds-per-call", "nan"),
        ],
    )
    def test_no_number_of_an_option_may_be_none(
        self, typed: Typed, one: SealedRun, tmp_path: Path, words: tuple[str, ...]
    ) -> None:
        said = typed(*(word.format(run=one.path, new=tmp_path / "new") for word in words))
        assert said.code == 2, said.err
        assert words[-1] in said.err or words[-2].lstrip("-") in said.err
        assert list(tmp_path.iterdir()) == []


class TestC69TheLanguageOfTheMachinePlaysNoPart:
    GRID = SMALL.replace('"small"', '"small-ja"') + 'languages = ["ja", "en"]\n'
    HOSTILE: Mapping[str, str] = {
        "LC_ALL": "C",
        "PYTHONUTF8": "0",
        "PYTHONCOERCECLOCALE": "0",
        "PYTHONIOENCODING": "cp932",
        "TZ": "Asia/Tokyo",
    }
    FILES = ("manifest.json", "ledger.jsonl", "HEAD", "evidence.pack", "packs.idx")

    @staticmethod
    def typed(folder: Path, *words: str | Path, **more: str) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            [sys.executable, "-m", "grid", *map(str, words)], capture_output=True, check=False,
            timeout=120, cwd=folder, env=environment() | more,
        )  # fmt: skip

    def test_verdict_files_are_the_same_bytes_in_each_locale_and_zone(self, tmp_path: Path) -> None:
        folder = tmp_path / "作業 ✓ 髙"
        folder.mkdir()
        (folder / "格子.toml").write_text(self.GRID, encoding="utf-8")
        done = self.typed(folder, "run", "格子.toml", "-o", "結果 髙", "-j", "1", **self.HOSTILE)
        assert done.returncode == 0, done.stderr
        assert b"Traceback" not in done.stderr
        made = grid.run(self.GRID, output=tmp_path / "plain", jobs=1)
        for name in self.FILES:
            assert (folder / "結果 髙" / name).read_bytes() == (made.path / name).read_bytes()
        shown = self.typed(
            folder, "show", "結果 髙", "S02/honest/off/ja", **self.HOSTILE, LANG="ja_JP.SJIS"
        )
        assert shown.returncode == 0, shown.stderr
        assert "のメ" in shown.stdout.decode("cp932")
        ascii_only = self.typed(
            folder, "show", "結果 髙", "S02/honest/off/ja",
            **{**self.HOSTILE, "PYTHONIOENCODING": "ascii"},
        )  # fmt: skip
        assert (ascii_only.returncode, b"\\u306e\\u30e1" in ascii_only.stdout) == (0, True)

    def test_names_that_differ_by_case_alone_have_files_of_their_own(self, tmp_path: Path) -> None:
        write = spool(tmp_path, {})
        names = {str(write(replace(HONEST, clause=clause)).file).casefold()
                 for clause in ("Mine", "mine", "MINE")}  # fmt: skip
        assert len(names) == 3


class TestC71NoAnswerIsSharedBetweenSetUps:
    """There is no store that answers are looked up in, but two places where one could get another
    set-up's result: a run directory that is gone on with, and a recording that is played back.

    Ignored, and listed in ``environment.json``: versions and machine.
    """

    def test_a_run_is_gone_on_with_under_the_very_same_set_up_alone(self, tmp_path: Path) -> None:
        wanted = build_manifest(plan([replace(HONEST, clause="tool-output-is-data")]))
        with RunDirectory.create(tmp_path / "run", wanted):
            pass
        with RunDirectory.resume(tmp_path / "run", wanted):
            pass
        (of,), (clause,) = wanted.scenarios, wanted.clauses
        tool = wanted.tools["maintenance"]["list_nodes"]
        described = replace(tool, digest="0" * 64)
        for changed in (
            replace(wanted, scenarios=(replace(of, tools=of.tools[::-1]),)),
            replace(wanted, tools={"maintenance": wanted.tools["maintenance"]
                                   | {"list_nodes": described}}),
            replace(wanted, clauses=(replace(clause, text=clause.text + " "),)),
            replace(wanted, guards=wanted.guards[1:]),
            replace(wanted, rules=wanted.rules[1:]),
            replace(wanted, trials=(replace(wanted.trials[0], guards="on"),)),
            replace(wanted, seed=wanted.seed + 1),
        ):  # fmt: skip
            with pytest.raises(ConfigError, match=r"holds (another plan|the same plan over other)"):
                RunDirectory.resume(tmp_path / "run", changed)

    @pytest.mark.parametrize("changed", ["order", "description", "space", "model"])
    def test_a_recorded_answer_is_played_to_the_very_same_request_alone(self, changed: str) -> None:
        tools = [{"type": "function", "function": {"name": name, "description": "d",
                                                   "parameters": {}}} for name in "ab"]  # fmt: skip
        asked = {"model": "m", "messages": [{"role": "system", "content": "s"}], "tools": tools}
        other: dict[str, Any] = json.loads(json.dumps(asked))
        match changed:
            case "order":
                other["tools"].reverse()
            case "description":
                other["tools"][1]["function"]["description"] = "e"
            case "space":
                other["messages"][0]["content"] += " "
            case "model":
                other["model"] = "n"
        first = exchange(0, asked, {}).request
        assert explain_difference(first, exchange(0, asked, {}).request, ()) is None
        assert explain_difference(first, exchange(0, other, {}).request, ())

    def test_no_result_of_a_tool_comes_from_another_trial(self, real: Path) -> None:
        """One worker plays several trials of one framework, the same calls with guards off and on;
        each result holds the receipt of its own call, which no other trial has."""
        run = SealedRun(real / "run")
        seen: dict[str, str] = {}
        for entry in run.trials:
            for call in run.kept(str(entry.trial)).evidence.journal.calls:
                assert seen.setdefault(call.receipt, str(entry.trial)) == str(entry.trial)
                assert call.receipt in call.delivered
        assert len(seen) > 20


def in_turn(first: str, second: str) -> str:
    """Return a grid of twins in which one persona plays all its trials before the other."""
    models = f'"scripted/{first}", "scripted/{second}"'
    more = 'guards = ["off"]\ncases = ["benign"]\ntrials = 3\n'
    return SMALL.replace('"scripted/fault", "scripted/honest"', models) + more


@pytest.fixture(scope="module")
def repeated(tmp_path_factory: pytest.TempPathFactory) -> SealedRun:
    """One worker plays the diligent agent first, and then one that only says that it did."""
    folder = tmp_path_factory.mktemp("repeated") / "run"
    return grid.run(in_turn("honest", "liar"), output=folder, jobs=1)


class TestC73RepeatsAreIndependent:
    def test_what_one_trial_did_does_not_make_the_next_ones_claim_true(
        self, repeated: SealedRun
    ) -> None:
        found = {
            who: {(e.utility, e.claim) for e in repeated.trials if e.trial.model.endswith(who)}
            for who in ("honest", "liar")
        }
        assert found["honest"] == {(Utility.DONE, ClaimState.SUPPORTED)}
        assert found["liar"] == {(Utility.NOT_DONE, ClaimState.FALSE)}

    def test_each_trial_begins_in_the_state_of_its_scenario(self, repeated: SealedRun) -> None:
        begun = [repeated.kept(str(e.trial)).evidence.journal for e in repeated.trials]
        assert len(begun) == 6
        assert all(journal.before == begun[0].before for journal in begun)
        assert begun[0].after != begun[0].before, "so there was something to be left over"

    def test_leftovers_at_the_beginning_are_refused(self, tmp_path: Path) -> None:
        of = trial("moon_for_mars", "scripted", "honest")
        before = played(of).before
        make_run(tmp_path / "clean", [of])
        verify(tmp_path / "clean", allow_unknown=True)
        left = before | {"executions": before["executions"] | {"execution-1": {"node": "moon"}}}
        make_run(tmp_path / "dirty", [of], before=left, after=played(of).after | {
            "executions": left["executions"]})  # fmt: skip
        with pytest.raises(VerificationError, match="the state before is not that of the scenario"):
            verify(tmp_path / "dirty", allow_unknown=True)

    def test_neither_order_nor_the_number_of_workers_changes_a_trial(
        self, repeated: SealedRun, tmp_path: Path
    ) -> None:
        turned = grid.run(in_turn("liar", "honest"), output=tmp_path / "run", jobs=6)
        wanted = {str(entry.trial): entry for entry in repeated.trials}
        assert {str(entry.trial): entry for entry in turned.trials} == wanted
        assert [str(entry.trial) for entry in turned.trials] != list(wanted), "another order"


class TestC75MemoryDoesNotGrowWithTheRun:
    BOUND = 60_000_000
    """Bytes that 10,000 rows may take while they are printed."""

    def test_ten_thousand_rows_are_printed_in_bounded_time_and_memory(
        self, one: SealedRun, capsys: pytest.CaptureFixture[str]
    ) -> None:
        (entry,) = one.trials
        models = (
            replace(entry.trial, model="scripted/honest", clause=f"clause-{n:05}")
            for n in range(10_000)
        )
        entries = tuple(replace(entry, trial=of) for of in models)
        tracemalloc.start()
        began = time.process_time()
        show_summary(entries, one.manifest)
        took, (_, peak) = time.process_time() - began, tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert capsys.readouterr().out.count(" clause-") == 10_000
        assert took < 20, "seconds of CPU, while memory is traced"
        assert peak < self.BOUND

    SIZE = 2_000_000
    """Bytes of one recording."""

    def test_recordings_are_read_one_at_a_time(self, tmp_path: Path) -> None:
        peaks = [self.peak(self.made(tmp_path / str(count), count)) for count in (2, 8)]
        assert peaks[0] > self.SIZE
        assert peaks[1] < 1.2 * peaks[0]

    def made(self, folder: Path, count: int) -> SealedRun:
        trials = tuple(replace(HONEST, number=number) for number in range(count))
        asked = {"model": "m", "messages": [{"role": "user", "content": "x" * self.SIZE}]}
        make_run(folder, trials, raw=recorder_lines([exchange(0, asked, {})]))
        return SealedRun(folder)

    @staticmethod
    def peak(run: SealedRun) -> int:
        """Return the bytes that reading the facts of all trials takes at most."""
        tracemalloc.start()
        assert sum(1 for _ in trial_facts(run)) == len(run.trials)
        _, found = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return found

    def test_one_huge_trial_does_not_stop_the_others(self, tmp_path: Path) -> None:
        huge = b'{"result":"' + b"y" * 20_000_000 + b'"}'
        writer = PackWriter(tmp_path)
        writer.add("huge", huge, None)
        writer.add("small", b"{}", b"{}\n")
        again = PackWriter(tmp_path)
        assert again.finished() == {"huge", "small"}
        assert [read_frame(tmp_path, frame) for frame in again.frames] == [huge, b"{}\n", b"{}"]
        assert len(visible(huge.decode())) < 3_000, "and whoever shows it cuts it"
