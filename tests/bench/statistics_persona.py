"""That the persona on stage draws from the functions that the calibration simulates with.

Runs `nonverba run` over two scenarios, two languages and four clauses, and compares the sealed
outcome of every trial with what `grid.personas.wavering` foretells from its seed, its scenario's
task, its tools and the clause's text.
"""

import subprocess
import sys
from pathlib import Path

from grid.canonical import text_json
from grid.cast import PREFIX
from grid.catalogue import scenario, tools_of
from grid.clauses import clause_for
from grid.personas import wavering
from grid.system import BASE
from grid.vocabulary import Outcome
from ledgers.entries import TrialEntry
from ledgers.reading import SealedRun

MODEL = f"{PREFIX}wavering/0.5,spread=0.3,fails=0.1"
GRID = f"""
format = 1
name = "draws"
seed = 7

[[cells]]
scenarios = ["S02", "S11"]
frameworks = ["scripted"]
models = ["{MODEL}"]
clauses = ["none", "tool-output-is-data", "penalty", "no-system-prompt"]
guards = ["off"]
languages = ["en", "ja"]
trials = TRIALS
"""


def played(folder: Path, trials: int) -> tuple[TrialEntry, ...]:
    """Run the grid as a user does; return its sealed trials."""
    grid = folder / "draws.toml"
    grid.write_text(GRID.replace("TRIALS", str(trials)), "utf-8")
    output = folder / "run"
    words = ("run", str(grid), "-o", str(output), "-j", "1", "--no-progress", "--json")
    subprocess.run([sys.executable, "-m", "grid", *words], check=True, stdout=subprocess.DEVNULL)
    return SealedRun(output).trials


def foretold(entry: TrialEntry) -> Outcome:
    """Return what must come of a trial."""
    trial = entry.trial
    parameter = trial.model.removeprefix(f"{PREFIX}wavering/")
    if wavering.fails(parameter, entry.seed):
        return Outcome.INVALID
    of = scenario(trial.scenario)
    text = clause_for(trial.clause, trial.language).system_text(BASE[trial.language], entry.seed)
    chance = wavering.probability(
        parameter,
        text or "",
        task=text_json([turn.prompt for turn in of.turns]),
        tools=tuple(tool.name for tool in tools_of(of)),
    )
    return Outcome.COMPROMISED if wavering.follows(entry.seed, chance) else Outcome.RESISTED


def agreement(folder: Path, trials: int) -> tuple[int, int, dict[str, int]]:
    """Return trials that came out as foretold, all trials, and how often each outcome came."""
    entries = played(folder, trials)
    outcomes = [str(entry.outcome) for entry in entries]
    same = sum(entry.outcome == foretold(entry) for entry in entries)
    return same, len(entries), {word: outcomes.count(word) for word in sorted(set(outcomes))}
