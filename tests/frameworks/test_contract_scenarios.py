"""Sessions, restores and approvals from end to end: a scenario, a real framework, a real session.

The upstream plays a persona as the scripted model server does, from the messages of each request.
Only the recording is missing: what the wire saw is held against the journal elsewhere.
"""

import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from typing import Any, override

import pytest

from grid.canonical import canonical
from grid.cast import answer
from grid.catalogue import scenario, tools_of
from grid.evidence import Journal, TrialId
from grid.report import REPORT
from grid.session import TrialSpec, run_trial
from grid.strict import to_json
from grid.vocabulary import Cause, Status
from ledgers.case import tool_facts
from ledgers.causes import cause_of
from ledgers.coherence import check_beginning, check_journal
from ledgers.conduct import Terms, check_conduct
from ledgers.evaluate import evaluate
from tests import builders
from tests.frameworks.stage import FRAMEWORKS, Reply, Stage, Upstream, asks, says

# CrewAI reads fields that it has deprecated itself, in a module that gives itself another's name.
pytestmark = pytest.mark.filterwarnings(
    "ignore::DeprecationWarning:crewai[.]agents[.]agent_builder[.]base_agent"
)

KEY = "virtual-key-of-this-trial"


class Playing(Upstream):
    """An upstream that plays a persona."""

    def __init__(self) -> None:
        super().__init__()
        self.on: dict[str, Any] = {}

    @override
    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        body = json.loads(handler.rfile.read(int(handler.headers["content-length"])))
        said = answer(messages=body["messages"], tools=body["tools"], **self.on)
        calls = [(call.name, call.raw_arguments) for call in said.calls]
        reply = asks(*calls) if calls else says(said.text)
        self._send(handler, Reply(body=_with_ids(reply.body, [call.id for call in said.calls])))


def _with_ids(raw: bytes, ids: list[str]) -> bytes:
    body = json.loads(raw)
    calls = body["choices"][0]["message"].get("tool_calls", [])
    for call, identity in zip(calls, ids, strict=True):
        call["id"] = identity
    return json.dumps(body).encode()


@pytest.fixture(scope="module")
def playing() -> Iterator[Playing]:
    server = Playing()
    yield server
    server.close()


@pytest.fixture(scope="module", params=FRAMEWORKS)
def framework(request: pytest.FixtureRequest, playing: Playing) -> Iterator[Stage]:
    built = Stage(request.param, playing)
    yield built
    built.close()


def run(on: Stage, scenario_id: str, persona: str, guards: str = "off") -> Journal:
    """Run one trial in a framework; its journal is one that a tool layer could have written."""
    assert isinstance(on.upstream, Playing)
    on.upstream.on = {
        "scenario_id": scenario_id, "names": 0, "seed": builders.SEED, "persona": persona,
    }  # fmt: skip
    trial = TrialId(
        scenario=scenario_id, framework=on.framework, model=f"scripted/{persona}", clause="none",
        guards=guards, language="en", number=0,
    )  # fmt: skip
    spec = TrialSpec(
        trial=trial, seed=builders.SEED, names=0,
        base_url=f"http://127.0.0.1:{on.upstream.port}/v1", api_key=KEY, wire_model="persona",
        timeout_s=30.0, trial_timeout_s=60.0,
    )  # fmt: skip
    journal, note = on.run(run_trial(spec, on.adapter))
    assert note == "" or journal.status is Status.STOPPED, note  # CrewAI stops by an exception
    _check(trial, journal)
    return journal


def _check(trial: TrialId, journal: Journal) -> None:
    of = scenario(trial.scenario)
    facts = tuple(tool_facts(tool.declared()) for tool in (*tools_of(of), REPORT))
    kept = builders.assembled(of, journal, trial=trial, wire=()).evidence
    check_journal(journal)
    check_beginning(kept, of)
    check_conduct(kept, Terms(scenario=of, tools=facts, guards=frozenset(of.policy)))


def cause(scenario_id: str, journal: Journal) -> Cause | None:
    """Return who is answerable for the scenario's harm; None: it does not hold."""
    of = scenario(scenario_id)
    case = builders.case(of, journal, wire=())
    (harm,) = of.harm
    found = evaluate(harm.holds, case)
    return cause_of(case, found.pointers) if found.holds else None


CASES = (
    ("checkpoint_double_payment", "honest", Cause.FRAMEWORK),
    ("approval_misrouted", "honest", Cause.FRAMEWORK),
    ("authority_resurrected", "substituter", Cause.AGENT),
)


@pytest.mark.parametrize(("name", "persona", "whose"), CASES)
def test_without_guards_the_harm_is_done_and_it_is_clear_whose_it_is(
    framework: Stage, name: str, persona: str, whose: Cause
) -> None:
    assert cause(name, run(framework, name, persona)) is whose


@pytest.mark.parametrize(("name", "persona", "whose"), CASES)
def test_with_guards_it_is_not_and_without_the_fault_there_is_none(
    framework: Stage, name: str, persona: str, whose: Cause
) -> None:
    for guards in ("on", "on-continue"):
        assert cause(name, run(framework, name, persona, guards)) is None
        twin = run(framework, name + ".benign", "honest", guards)
        assert twin.status is Status.COMPLETED
        assert evaluate(scenario(name).goal, builders.case(scenario(name), twin, wire=())).holds


@pytest.mark.parametrize(("name", "persona", "whose"), CASES)
def test_the_same_persona_gives_the_same_bytes_and_no_key_is_among_them(
    framework: Stage, name: str, persona: str, whose: Cause
) -> None:
    first, second = (canonical(to_json(run(framework, name, persona))) for _ in range(2))
    assert first == second
    assert KEY.encode() not in first


def test_a_careful_agent_is_sent_back_and_asks_anew(framework: Stage) -> None:
    journal = run(framework, "authority_resurrected", "honest")
    assert [start.rewound for start in journal.sessions] == [None, 0]
    assert [item.approval for item in journal.deliveries] == ["ap-1", "ap-2"]
    assert cause("authority_resurrected", journal) is None
