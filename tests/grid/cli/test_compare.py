"""`nonverba compare`: an answer from runs, and a sentence wherever there is none."""

import json
import shutil
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from grid.evidence import TrialId
from grid.scenario import Tamper
from grid.vocabulary import Cause, Status, TamperKind
from ledgers.manifest import Manifest, Source, manifest_bytes, read_manifest
from ledgers.stats.proportion import newcombe
from ledgers.store import MANIFEST
from tests.grid.cli.conftest import Said, Typed
from tests.ledgers.runs import make_run, trial

CLAUSES = ("none", "none-again", "tool-output-is-data")
SCENARIOS = ("moon_for_mars", "namesake", "typo_target")
DATA = "tool-output-is-data"


def planned(persona: str = "wavering/0.7", trials: int = 3, **axes: Any) -> Iterator[TrialId]:
    """Yield the trials of a grid; axes are given by name, as tuples."""
    for clause in axes.get("clauses", CLAUSES):
        for framework in axes.get("frameworks", ("strands", "crewai")):
            for scenario in axes.get("scenarios", (*SCENARIOS, "moon_for_mars.benign")):
                for number in range(trials):
                    yield trial(scenario, framework, persona, clause=clause, number=number)


def made(folder: Path, *args: Any, **axes: Any) -> Path:
    changes = {name: axes.pop(name) for name in ("tamper", "status", "cause") if name in axes}
    make_run(folder, tuple(planned(*args, **axes)), **changes)
    return folder


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of three clauses over three scenarios with a twin, in two frameworks."""
    return made(tmp_path_factory.mktemp("compared") / "run")


@pytest.fixture(scope="module")
def halves(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The same grid in two runs, one for the baseline and one for an arm."""
    folder = tmp_path_factory.mktemp("halves")
    return (
        made(folder / "base", frameworks=("strands",), clauses=("none",)),
        made(folder / "arm", frameworks=("strands",), clauses=(DATA,)),
    )


def refused(said: Said, *parts: str, code: int = 2) -> None:
    assert (said.code, said.out) == (code, ""), said
    assert said.err.startswith("nonverba: ")
    for part in parts:
        assert part in said.err


# --- answers --------------------------------------------------------------------------------------


def test_each_arm_is_answered_in_a_line_before_any_table(typed: Typed, run: Path) -> None:
    said = typed("compare", run, "--by", "clause")
    assert (said.code, said.err) == (0, "")
    first, second, third, *_ = said.out.splitlines()
    assert {first.split(":")[0], second.split(":")[0]} == {"none-again", DATA}
    assert third == ""
    for word in ("harm ", " points ", "helps in ", "utility ", "false claims "):
        assert word in first
    at = [
        said.out.index(title)
        for title in (
            "Did the attack arrive?", "Difference in harm over scenarios", "What it costs",
            f"{DATA} in each scenario", "clause x framework", "noise floor: none-again differs",
            "no finding about a clause",
        )
    ]  # fmt: skip
    assert at == sorted(at)


def test_the_numbers_are_those_of_the_ledger(typed: Typed, run: Path) -> None:
    """Rates and differences, counted here anew from the lines of the ledger."""
    outcomes: dict[tuple[str, str, str], list[str]] = {}
    for line in (run / "ledger.jsonl").read_text().splitlines():
        body = json.loads(line)["body"]
        if "trial" in body and body["outcome"] is not None:
            place = body["trial"]
            key = (place["clause"], place["scenario"], place["framework"])
            outcomes.setdefault(key, []).append(body["outcome"])
    differences = []
    for scenario in SCENARIOS:
        rates = {
            clause: sum(
                outcomes[clause, scenario, framework].count("compromised") / 3
                for framework in ("strands", "crewai")
            ) / 2
            for clause in ("none", DATA)
        }  # fmt: skip
        differences.append(rates[DATA] - rates["none"])
    said = json.loads(typed("compare", run, "--by", "clause", "--json").out)
    arm = next(one for one in said["arms"] if one["level"] == DATA)
    found = {one["scenario"]: one["difference"] for one in arm["scenarios"]}
    assert [found[name] for name in SCENARIOS] == pytest.approx(differences)
    assert arm["effect"]["difference"]["mean"] == pytest.approx(sum(differences) / 3)
    assert (arm["cells"], arm["twins"]) == (6, 2)
    assert said["noise"]["arm"] == "none-again"
    assert said["runs"][0]["head"] == (run / "HEAD").read_text().split('"head":"')[1][:64]


def test_two_runs_of_one_grid_are_one(typed: Typed, halves: tuple[Path, Path]) -> None:
    said = json.loads(typed("compare", *halves, "--by", "clause", "--json").out)
    (arm,) = said["arms"]
    assert (arm["level"], arm["cells"]) == (DATA, 3)
    assert len(said["runs"]) == 2


@pytest.mark.parametrize("axis", ["clause", "framework"])
def test_every_axis_with_two_levels_can_be_compared(typed: Typed, run: Path, axis: str) -> None:
    said = typed("compare", run, "--by", axis)
    assert said.code == 0
    assert "Did the attack arrive?" in said.out


def test_models_and_guards_are_compared_too(typed: Typed, tmp_path: Path) -> None:
    for persona in ("0.2", "0.8"):
        made(tmp_path / persona, f"wavering/{persona}", clauses=("none",), frameworks=("strands",))
    by_model = typed("compare", tmp_path / "0.2", tmp_path / "0.8", "--by", "model")
    assert by_model.out.startswith("scripted/wavering/0.8: harm ")
    guarded = [replace(one, guards="on") for one in planned(clauses=("none",))]
    make_run(tmp_path / "guards", (*planned(clauses=("none",)), *guarded))
    by_guards = typed("compare", tmp_path / "guards", "--by", "guards")
    assert by_guards.out.startswith("on: harm ")
    followed = typed("compare", tmp_path / "guards", "--by", "guards", "--measure", "followed")
    assert followed.out.startswith("on: followed ")


def test_another_baseline_turns_the_question_round(typed: Typed, run: Path) -> None:
    def mean(level: str, *words: str) -> float:
        said = json.loads(typed("compare", run, "--by", "clause", "--json", *words).out)
        arm = next(one for one in said["arms"] if one["level"] == level)
        return float(arm["effect"]["difference"]["mean"])

    assert mean("none", "--baseline", DATA) == pytest.approx(-mean(DATA))


def test_markdown_is_for_pasting(typed: Typed, run: Path) -> None:
    said = typed("compare", run, "--by", "clause", "--markdown")
    assert said.code == 0
    assert said.out.startswith("- `")
    assert "| arm | cells | trials |" in said.out


@pytest.mark.parametrize(
    ("name", "begins"), [("p.svg", b"<svg"), ("p.png", b"\x89PNG"), ("p.html", b"<!doctype html>")]
)
def test_a_picture_is_written_beside_the_answer(
    typed: Typed, run: Path, tmp_path: Path, name: str, begins: bytes
) -> None:
    said = typed("compare", run, "--by", "clause", "--picture", tmp_path / name)
    assert said.code == 0
    assert (tmp_path / name).read_bytes().startswith(begins)
    assert name in said.err
    assert "Did the attack arrive?" in said.out


def test_the_same_runs_give_the_same_bytes(typed: Typed, run: Path) -> None:
    one, other = (typed("compare", run, "--by", "clause", "--json").out for _ in range(2))
    assert one == other


def test_a_table_fits_into_a_hundred_columns(
    typed: Typed, run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("grid.cli.console.out", narrow)
    said = typed("compare", run, "--by", "clause")
    tables = said.out[said.out.index("Did the attack") : said.out.index("noise floor: none-again")]
    assert max(map(len, tables.splitlines())) <= 100
    for name in ("moon_for_mars", "[-", "b/w/e", "Newcombe"):
        assert name in tables


def narrow() -> Any:
    return Console(file=sys.stdout, highlight=False, markup=False, emoji=False, width=100)


def test_names_that_somebody_made_up_cannot_command_the_terminal(
    typed: Typed, tmp_path: Path
) -> None:
    hostile = ("\x1b[2J<script>x", "\u202e|`b`")
    folder = made(tmp_path / "run", clauses=("none",), frameworks=hostile)
    for words in ((), ("--markdown",), ("--json",), ("--picture", tmp_path / "p.html")):
        said = typed("compare", folder, "--by", "framework", *words)
        assert said.code == 0
        assert not set("\x1b\u202e") & set(said.out + said.err)
        assert "--markdown" not in words or "<script" not in said.out
    page = (tmp_path / "p.html").read_text("utf-8")
    assert "<script" not in page
    assert "&lt;script" in page


def test_what_was_planted_on_the_wire_is_said(typed: Typed, tmp_path: Path) -> None:
    folder = made(tmp_path / "run", tamper=(PLANTED,))
    said = typed("compare", folder, "--by", "clause")
    assert "planted on the wire of every trial, where it has it: " in said.out


# --- refusals: each red on what is really bad, green on the near miss beside it -------------------

PLANTED = Tamper(kind=TamperKind.STATUS, answer=0, value=429, rate=0.2)


def altered(folder: Path, change: Callable[[Manifest], Manifest]) -> None:
    """Rewrite the manifest of a run as another version would have left it."""
    path = folder / MANIFEST
    path.write_bytes(manifest_bytes(change(read_manifest(path.read_bytes()))))


def first(records: tuple[Any, ...], **changes: Any) -> tuple[Any, ...]:
    return (replace(records[0], **changes), *records[1:])


OTHER: dict[str, tuple[Callable[[Manifest], Manifest], str]] = {
    "scenario": (
        lambda m: replace(m, scenarios=first(m.scenarios, title="another")),
        "the scenario moon_for_mars differs",
    ),
    "rule": (lambda m: replace(m, rules=first(m.rules, version=99)), "the rule "),
    "guard": (lambda m: replace(m, guards=first(m.guards, digest="0" * 64)), "the guard "),
    "tamper": (lambda m: replace(m, tamper=(PLANTED,)), "other faults are planted"),
    "source": (
        lambda m: replace(m, source=Source(head="0" * 64, framework="langgraph")),
        "played from langgraph",
    ),
}


@pytest.mark.parametrize("what", OTHER)
def test_runs_without_one_yardstick_are_refused(typed: Typed, tmp_path: Path, what: str) -> None:
    base = made(tmp_path / "base", frameworks=("strands",), clauses=("none",), trials=1)
    arm = made(tmp_path / "arm", frameworks=("strands",), clauses=(DATA,), trials=1)
    near = typed("compare", base, arm, "--by", "clause")
    assert near.code == 0
    change, sentence = OTHER[what]
    altered(arm, change)
    refused(
        typed("compare", base, arm, "--by", "clause"), "cannot be compared", sentence,
        "Run both grids again",
    )  # fmt: skip


def test_another_text_of_a_clause_is_another_clause(typed: Typed, tmp_path: Path) -> None:
    for name, clauses in (("base", ("none", DATA)), ("arm", ("none", DATA))):
        scenarios = ("moon_for_mars",) if name == "base" else ("namesake",)
        made(tmp_path / name, clauses=clauses, scenarios=scenarios, frameworks=("strands",))
    runs = (tmp_path / "base", tmp_path / "arm")
    assert typed("compare", *runs, "--by", "clause").code == 0
    altered(
        runs[1],
        lambda m: replace(
            m, clauses=tuple(replace(c, text=c.text + "!") if c.text else c for c in m.clauses)
        ),
    )
    refused(typed("compare", *runs, "--by", "clause"), f"the clause {DATA} (en) has another text")


def test_another_parameter_of_the_persona_is_refused_unless_it_is_the_question(
    typed: Typed, tmp_path: Path
) -> None:
    base = made(tmp_path / "base", "wavering/0.3", clauses=("none",), trials=1)
    arm = made(tmp_path / "arm", "wavering/0.5", clauses=(DATA,), trials=1)
    refused(
        typed("compare", base, arm, "--by", "clause"), "scripted/wavering/0.5",
        "scripted/wavering/0.3", "--by model",
    )  # fmt: skip
    same = made(tmp_path / "same", "wavering/0.5", clauses=("none",), trials=1)
    assert typed("compare", base, same, "--by", "model").code == 0
    assert typed("compare", same, arm, "--by", "clause").code == 0


def test_deterministic_personas_are_no_samples(typed: Typed, tmp_path: Path) -> None:
    folder = made(tmp_path / "run", "substituter", trials=2)
    refused(
        typed("compare", folder, "--by", "clause"), "scripted/substituter",
        "repeats are no samples", "scripted/wavering/<p>",
    )  # fmt: skip


def test_half_a_run_is_refused_with_what_to_do(typed: Typed, run: Path, tmp_path: Path) -> None:
    shutil.copytree(run, tmp_path / "half")
    assert typed("compare", tmp_path / "half", "--by", "clause").code == 0
    (tmp_path / "half" / "partial").mkdir()
    refused(typed("compare", tmp_path / "half", "--by", "clause"), "has not finished", "--resume")


def test_a_folder_without_a_run_is_refused(typed: Typed, tmp_path: Path) -> None:
    refused(typed("compare", tmp_path, "--by", "clause"), "holds no finished run")


def test_the_same_run_twice_is_refused(typed: Typed, run: Path) -> None:
    refused(typed("compare", run, run, "--by", "clause"), "stands in two of the runs")


def test_one_level_alone_and_an_unknown_baseline_are_refused(typed: Typed, run: Path) -> None:
    refused(typed("compare", run, "--by", "guards"), "nothing to compare by guards", "--by")
    refused(typed("compare", run, "--by", "clause", "--baseline", "nonne"), "nonne", "none")


def test_without_an_eligible_trial_the_exit_code_is_three(typed: Typed, tmp_path: Path) -> None:
    dead = made(
        tmp_path / "dead",
        "wavering/0",
        trials=1,
        status=Status.PROVIDER_ERROR,
        cause=Cause.PROVIDER,
    )
    refused(
        typed("compare", dead, "--by", "clause"), "nothing to compare with none",
        "12 of 12 trials of the arms", code=3,
    )  # fmt: skip


def test_unusable_options_are_refused_before_anything_is_read(
    typed: Typed, run: Path, tmp_path: Path
) -> None:
    refused(typed("compare", run, "--by", "clause", "--json", "--markdown"), "choose one")
    refused(typed("compare", run, "--by", "clause", "--picture", tmp_path / "p.jpg"), ".svg, .png")
    assert typed("compare", run, "--by", "weather").code == 2


def test_without_the_extra_the_sentence_says_what_to_install(
    typed: Typed, run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    newcombe.cache_clear()
    for name in ("statsmodels", "statsmodels.stats", "statsmodels.stats.proportion"):
        monkeypatch.setitem(sys.modules, name, None)
    refused(typed("compare", run, "--by", "clause"), "install nonverba[stats]")


def test_a_verdict_that_was_edited_is_refused(typed: Typed, run: Path, tmp_path: Path) -> None:
    shutil.copytree(run, tmp_path / "run")
    ledger = tmp_path / "run" / "ledger.jsonl"
    data = ledger.read_bytes()
    assert b'"compromised"' in data
    ledger.write_bytes(data.replace(b'"compromised"', b'"resisted"', 1))
    said = typed("compare", tmp_path / "run", "--by", "clause")
    refused(said, "does not hold", "is not that of its content", "`nonverba verify` names")
