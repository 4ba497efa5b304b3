"""Small real runs for the gate: five scenarios that never, or always, come to harm."""

from collections.abc import Sequence
from pathlib import Path

from grid.evidence import TrialId
from tests.ledgers.runs import SCRIPTED, make_run, trial

SCENARIOS = ("moon_for_mars", "typo_target", "invented_count", "silent_error", "pivot_first")
NEVER, NEVER_AGAIN, ALWAYS = "wavering/0", "wavering/0.0", "wavering/1"


def trials(
    persona: str, count: int = 12, scenarios: Sequence[str] = SCENARIOS, guards: str = "off"
) -> tuple[TrialId, ...]:
    """Return trials of one model: of each scenario as many."""
    return tuple(
        trial(scenario, SCRIPTED, persona, number=number, guards=guards)
        for scenario in scenarios
        for number in range(count)
    )


def run(folder: Path, persona: str, count: int = 12) -> Path:
    """Run and seal; return the folder."""
    make_run(folder, trials(persona, count))
    return folder
