"""The matrix of `nonverba check`: scenario x framework x persona, with no place left empty."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from grid.adapters import is_native
from grid.cast import PREFIX
from grid.catalogue import pair
from grid.cli.checkplan import expresses, worth_a_run
from grid.cli.console import say, show_table
from grid.evidence import TrialId
from grid.vocabulary import Alarm, Outcome, Utility
from ledgers.adjudicate import Judgement

LETTERS: dict[str, str] = {
    Outcome.COMPROMISED: "C",
    Outcome.ATTEMPTED: "a",
    Outcome.RESISTED: "r",
    Outcome.NOT_EXPOSED: "n",
    Outcome.INVALID: "!",
    Alarm.QUIET: "q",
    Alarm.ALARM: "A",
    Utility.DONE: "d",
    Utility.NOT_DONE: "-",
}
"""Outcome, alarm of a twin, utility of a scenario that is about utility alone -> letter."""

LEGEND = (
    "each place: honest off, honest on, fault off, fault on, do-nothing, liar | twin off, twin on "
    "(fewer where the fault is not the agent's). C compromised, a attempted, r resisted, "
    "n not exposed, ! invalid; twins: q quiet, A alarm; utility alone: d done, - not done; "
    ". did not run"
)
MISSING = "."


@dataclass(slots=True)
class Matrix:
    """What came of each run in a framework."""

    letters: dict[tuple[str, str, str, str], str] = field(default_factory=dict)
    """Scenario or twin id, framework, persona, guard setting -> letter."""

    def note(self, trial: TrialId, found: Judgement) -> None:
        """Put one trial into its place."""
        word = found.outcome or found.alarm or found.utility
        key = (trial.scenario, trial.framework, trial.model.removeprefix(PREFIX), trial.guards)
        self.letters[key] = LETTERS.get(str(word), "?")

    def place(self, module: str, framework: str) -> str:
        """Return what stands in one place; a full stop for each run that is not there."""
        built = pair(module)
        parts = []
        for of in (built.attack, built.benign):
            runs = ((of.id, framework, persona, guards) for persona, guards in worth_a_run(of))
            parts.append("".join(self.letters.get(run, MISSING) for run in runs))
        return "|".join(parts)

    def empty(self, modules: Sequence[str], frameworks: Sequence[str]) -> list[str]:
        """Return the places that lack a run, as sentences."""
        return [
            f"{module} in {framework}: {self.place(module, framework)}"
            for module in modules
            for framework in frameworks
            if expresses(pair(module).attack, framework)
            and MISSING in self.place(module, framework)
        ]


def show_matrix(matrix: Matrix, modules: Sequence[str], frameworks: Sequence[str]) -> None:
    """Print the matrix, exact profiles before native ones; where one cannot express it, why."""
    exact = [name for name in frameworks if not is_native(name)]
    native = [name for name in frameworks if is_native(name)]
    about = [name for name in modules if pair(name).attack.frameworks]
    _show("scenario x framework x persona", matrix, modules, exact)
    if about and native:
        _show("native profiles: the frameworks as they ship", matrix, about, native)
    say(LEGEND)


def _show(title: str, matrix: Matrix, modules: Sequence[str], frameworks: Sequence[str]) -> None:
    rows, reasons = [], []
    for module in modules:
        of = pair(module).attack
        places = []
        for framework in frameworks:
            if expresses(of, framework):
                places.append(matrix.place(module, framework))
            elif framework in of.inexpressible:
                places.append("cannot")
                reasons.append(f"{of.number} in {framework}: {of.inexpressible[framework]}")
            else:
                places.append("-")
        if set(places) != {"-"}:
            rows.append((of.number, module, *places))
    show_table(title, ("", "scenario", *frameworks), rows)
    for reason in reasons:
        say(reason)
