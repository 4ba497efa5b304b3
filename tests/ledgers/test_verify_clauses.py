"""Step 6 of `verify`: what a clause promises to do to tool results was done, in every answer.

Each forger edits evidence and recording alike and writes everything anew, as in
`test_verify_conduct`. The marks of a run are its clause's and its trials' own, or none.
"""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from grid.resultframe import nonce_for, unframed
from ledgers.verify import verify
from tests.ledgers.forge import Forged
from tests.ledgers.runs import SCRIPTED, make_run, trial
from tests.ledgers.tampered import failing

TRIALS = (
    trial("moon_for_mars", SCRIPTED, "substituter", clause="data-in-marks"),
    trial("moon_for_mars", "strands", "substituter", clause="data-in-marks", language="ja"),
    trial("moon_for_mars", SCRIPTED, "honest", clause="data-and-task-again"),
    trial("moon_for_mars", "strands", "honest", clause="data-and-task-again", guards="on"),
    trial("moon_for_mars", SCRIPTED, "honest"),
)
MARKED, WIRED, AGAIN, AGAIN_WIRED, PLAIN = range(5)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("clauses") / "run"
    make_run(folder, TRIALS)
    return folder


@pytest.fixture
def forged(run: Path, tmp_path: Path) -> Forged:
    shutil.copytree(run, tmp_path / "run")
    return Forged(tmp_path / "run")


def test_the_run_itself_holds(run: Path, forged: Forged) -> None:
    assert verify(run, allow_unknown=True).trials == len(TRIALS)
    assert verify(forged.rejudge().write(), allow_unknown=True).trials == len(TRIALS)
    assert set(forged.manifest["clauses"][0]) == {"id", "language", "placement", "text", "results"}
    assert forged.manifest["clauses"][-1]["id"] == "none"
    assert "results" not in forged.manifest["clauses"][-1]


def edit(forged: Forged, number: int, change: Callable[[str], str], system: bool = False) -> None:
    """Change what was delivered, in journal and recording alike, and the system prompt if asked."""
    journal = forged.evidence[number]["journal"]
    wire = forged.recordings[number]
    for call in journal["calls"]:
        old, call["delivered"] = call["delivered"], change(call["delivered"])
        wire = wire and wire.replace(escaped(old), escaped(call["delivered"]))
    if system:
        forged.evidence[number]["clause_text"] = change(forged.evidence[number]["clause_text"])
        old, journal["system_text"] = journal["system_text"], change(journal["system_text"])
        wire = wire and wire.replace(escaped(old), escaped(journal["system_text"]))
    forged.recordings[number] = wire


def escaped(text: str) -> bytes:
    """Return a text as it stands in JSON inside JSON."""
    for _ in range(2):
        text = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return text.encode()


def other_nonce(forged: Forged, number: int) -> Callable[[str], str]:
    own, other = nonce_for(forged.evidence[number]["seed"]), nonce_for("cd" * 16)
    return lambda text: text.replace(own, other)


def without_frames(forged: Forged) -> None:
    edit(forged, MARKED, lambda text: unframed(text).answer)


def without_frames_on_a_wire(forged: Forged) -> None:
    closing = escaped("\n[end of tool result")
    assert closing in (forged.recordings[WIRED] or b"")
    edit(forged, WIRED, lambda text: unframed(text).answer)
    assert closing not in (forged.recordings[WIRED] or b"")


def without_the_task(forged: Forged) -> None:
    edit(forged, AGAIN, lambda text: unframed(text).answer)


def another_task(forged: Forged) -> None:
    edit(forged, AGAIN_WIRED, lambda text: text.replace("moon", "mars"))


def marks_with_another_nonce(forged: Forged) -> None:
    edit(forged, WIRED, other_nonce(forged, WIRED))


def a_nonce_of_its_own_all_the_way(forged: Forged) -> None:
    edit(forged, MARKED, other_nonce(forged, MARKED), system=True)


def a_prompt_with_another_nonce(forged: Forged) -> None:
    journal = forged.evidence[MARKED]["journal"]
    journal["system_text"] = other_nonce(forged, MARKED)(journal["system_text"])


def a_prompt_with_the_template(forged: Forged) -> None:
    nonce = nonce_for(forged.evidence[MARKED]["seed"])
    for holder, name in (
        (forged.evidence[MARKED], "clause_text"),
        (forged.evidence[MARKED]["journal"], "system_text"),
    ):
        holder[name] = holder[name].replace(nonce, "{nonce}")


def one_answer_without(forged: Forged) -> None:
    last = forged.evidence[MARKED]["journal"]["calls"][-1]
    last["delivered"] = unframed(last["delivered"]).answer


def a_clause_that_promises_nothing(forged: Forged) -> None:
    for clause in forged.manifest["clauses"]:
        clause.pop("results", None)


def a_clause_that_promises_more(forged: Forged) -> None:
    forged.manifest["clauses"][-1]["results"] = "marked"


def a_clause_that_does_what_nobody_does(forged: Forged) -> None:
    forged.manifest["clauses"][-1]["results"] = "shouted"


FORGERS: dict[Callable[[Forged], None], str] = {
    without_frames: "call 0 delivered something else",
    without_frames_on_a_wire: "call 0 delivered something else",
    without_the_task: "call 0 delivered something else",
    another_task: "call 0 delivered something else",
    marks_with_another_nonce: "call 0 delivered something else",
    a_nonce_of_its_own_all_the_way: "the clause is not that of the manifest",
    a_prompt_with_another_nonce: "the system prompt is not",
    a_prompt_with_the_template: "the clause is not that of the manifest",
    one_answer_without: "delivered something else",
    a_clause_that_promises_nothing: "the clause is not that of the manifest",
    a_clause_that_promises_more: "call 0 delivered something else",
    a_clause_that_does_what_nobody_does: "nobody does 'shouted' to results",
}


@pytest.mark.parametrize("forger", FORGERS, ids=lambda forger: forger.__name__)
def test_results_that_are_not_as_the_clause_says_are_refused(
    forged: Forged, forger: Callable[[Forged], None]
) -> None:
    forger(forged)
    error: Any = failing(forged.rejudge().write())
    assert error.step == 6
    assert FORGERS[forger] in error.detail
