"""Forged sessions, restores and approvals: each journal fits together, and is refused all the same.

Each forger edits the journal of a real trial, has it judged anew and writes everything anew.
"""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ledgers.verify import verify
from tests.ledgers.forge import Forged
from tests.ledgers.runs import SCRIPTED, make_run, trial
from tests.ledgers.tampered import failing

TRIALS = (
    trial("approval_misrouted", SCRIPTED, "honest"),
    trial("checkpoint_double_payment", SCRIPTED, "honest"),
    trial("authority_resurrected", SCRIPTED, "substituter"),
    trial("rewritten_in_flight", SCRIPTED, "honest"),
    trial("moon_for_mars", "strands", "honest"),
)
ASKED, CRASHED, REWOUND, CHANGED, WIRED = range(5)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sessions") / "run"
    make_run(folder, TRIALS)
    return folder


@pytest.fixture
def forged(run: Path, tmp_path: Path) -> Forged:
    shutil.copytree(run, tmp_path / "run")
    return Forged(tmp_path / "run")


def journal(forged: Forged, number: int) -> Any:
    return forged.evidence[number]["journal"]


def test_the_run_itself_holds(forged: Forged) -> None:
    assert verify(forged.rejudge().write(), allow_unknown=True).trials == len(TRIALS)
    assert journal(forged, CRASHED)["restores"] == [1]
    assert journal(forged, REWOUND)["sessions"][1]["rewound"] == 0


def no_approval(forged: Forged) -> None:
    journal(forged, ASKED)["deliveries"][0]["approval"] = ""


def the_other_approval(forged: Forged) -> None:
    journal(forged, ASKED)["deliveries"][0]["approval"] = "ap-1"


def another_principal(forged: Forged) -> None:
    journal(forged, ASKED)["deliveries"][0]["principal"] = "somebody"


def told_what_was_decided(forged: Forged) -> None:
    for item in journal(forged, ASKED)["approvals"]:
        item["told"] = item["granted"]


def over_before_it_came(forged: Forged) -> None:
    for item in journal(forged, ASKED)["approvals"]:
        item["expires"] = 0


def delivered_late(forged: Forged) -> None:
    journal(forged, ASKED)["deliveries"][0]["clock"] = 2000


def asked_in_another_order(forged: Forged) -> None:
    journal(forged, ASKED)["approvals"].reverse()


def restored_elsewhere(forged: Forged) -> None:
    journal(forged, CRASHED)["restores"] = [2]


def restored_before_the_crash(forged: Forged) -> None:
    journal(forged, CRASHED)["restores"] = [0]


def begun_anew(forged: Forged) -> None:
    journal(forged, REWOUND)["sessions"][1]["rewound"] = None
    journal(forged, REWOUND)["restores"] = []


FORGERS: dict[Callable[[Forged], None], str] = {
    no_approval: "not delivered as the step does it",
    the_other_approval: "not delivered as the step does it",
    another_principal: "not delivered as the step does it",
    told_what_was_decided: "was denied, and call 0 is another",
    over_before_it_came: "over sooner",
    delivered_late: "later than any run",
    asked_in_another_order: "not one that the step gives",
    restored_elsewhere: "the agent was restored before calls [2]",
    restored_before_the_crash: "the agent was restored before calls [0]",
    begun_anew: "does not go on from where it should",
}


@pytest.mark.parametrize("forger", FORGERS, ids=lambda forger: forger.__name__)
def test_what_no_run_leaves_behind_is_refused(
    forged: Forged, forger: Callable[[Forged], None]
) -> None:
    forger(forged)
    error = failing(forged.rejudge().write(), allow_unknown=True)
    assert error.step == 6
    assert FORGERS[forger] in error.detail


def test_an_exchange_that_was_taken_out_is_missed(forged: Forged) -> None:
    lines = (forged.recordings[WIRED] or b"").splitlines(keepends=True)
    forged.recordings[WIRED] = b"".join(lines[:1] + lines[2:])
    error = failing(forged.rejudge().write(), allow_unknown=True)
    assert (error.step, "exchanges are missing" in error.detail) == (7, True)


def test_answers_without_end_are_not_counted_to_the_end(forged: Forged) -> None:
    journal(forged, CHANGED)["answers"] = 2**53 - 1
    error = failing(forged.rejudge().write(), allow_unknown=True)
    assert (error.step, "more answers were seen" in error.detail) == (7, True)


@pytest.mark.parametrize("name", ["turns", "tools", "crash_points", "secrets"])
def test_a_scenario_with_more_parts_than_anyone_writes_is_refused(
    forged: Forged, name: str
) -> None:
    (scenario,) = (s for s in forged.manifest["scenarios"] if s["id"] == "approval_misrouted")
    if name == "turns":
        turn = scenario["turns"][0]
        scenario["turns"] = [{**turn, "session": number} for number in range(1, 300)]
    else:
        scenario[name] = [f"part-{number}" for number in range(300)]
    if name == "tools":
        scenario[name] = ["transfer"] * 300
    assert_too_many(forged, name)


@pytest.mark.parametrize("name", ["tools", "denies"])
def test_an_approval_step_with_more_parts_than_anyone_writes_is_refused(
    forged: Forged, name: str
) -> None:
    (scenario,) = (s for s in forged.manifest["scenarios"] if s["id"] == "approval_misrouted")
    scenario["approvals"][name] *= 300
    assert_too_many(forged, f"approvals/{name}")


def test_more_planted_faults_than_anyone_plants_are_refused(forged: Forged) -> None:
    (scenario,) = (s for s in forged.manifest["scenarios"] if s["id"] == "rewritten_in_flight")
    scenario["attack"]["tamper"] *= 300
    assert_too_many(forged, "attack/tamper")


def assert_too_many(forged: Forged, name: str) -> None:
    error = failing(forged.write(), allow_unknown=True)
    assert (error.step, f"has more than 256 {name}" in error.detail) == (2, True), error
