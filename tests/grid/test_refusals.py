"""Every guard, driven to a refusal in its own scenario: each refusal documents itself.

A guard that no case here drives to a refusal fails, so a new one needs a scenario whose policy
names it. What the agent is told is read from the answer as it was delivered.
"""

import asyncio
import re
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest

from frameworks.scripted import ScriptedAdapter
from grid.canonical import load_json
from grid.catalogue import numbers, pair
from grid.evidence import CallRecord, Journal, TrialId
from grid.guards import all_guards
from grid.matching import equal
from grid.scenario import Step
from grid.session import TrialSpec, run_trial
from grid.vocabulary import Verdict
from tests.grid.judged import SEED, Script

GUARDS = tuple(guard.id for guard in all_guards())
TOLD = {"by", "reason", "terminal", "actionable", "rolled_back", "next"}


def play(
    scenario_id: str, guard: str, persona: str | None, steps: tuple[Step, ...] = ()
) -> Journal:
    """Play a persona, or given calls, with one guard alone."""
    trial = TrialId(
        scenario=scenario_id, framework="scripted", model="scripted/x", clause="none",
        guards=f"only:{guard}", language="en", number=0,
    )  # fmt: skip
    spec = TrialSpec(
        trial=trial, seed=SEED, names=0, base_url="", api_key="", wire_model=persona or "x",
        timeout_s=30.0, trial_timeout_s=60.0,
    )  # fmt: skip
    adapter = ScriptedAdapter() if persona else Script(scenario_id, steps)
    journal, note = asyncio.run(run_trial(spec, adapter))
    assert not note, note
    return journal


def after_a_refusal_of_the_worlds() -> Journal:
    """Reuse a key for another amount, which the world refuses for good, then take another key."""
    of = pair("model_made_key").attack
    first = next(step for step in of.truth.attack if step.tool == "pay").arguments
    other = first | {"amount": first["amount"] + 1}
    tries = (first, other, other | {"idempotency_key": "a-new-key"})
    steps = tuple(
        Step(label=f"try {n}", tool="pay", arguments=made) for n, made in enumerate(tries)
    )
    return play(of.id, "terminal_refusal", None, steps)


def journals(guard: str) -> Iterator[Journal]:
    if guard == "terminal_refusal":  # it needs no policy
        yield after_a_refusal_of_the_worlds()
    for module in numbers().values():
        of = pair(module).attack
        if guard in of.policy and "scripted" not in of.inexpressible:
            route = ("other-route",) if of.truth.other_route else ()
            for persona in (of.truth.fault, *route):
                yield play(module, guard, persona)


@cache
def refusals(guard: str) -> tuple[CallRecord, ...]:
    """Return every call that a guard refused in the scenarios whose policy names it."""
    return tuple(
        call
        for journal in journals(guard)
        for call in journal.calls
        if call.decision.verdict is Verdict.REFUSE and call.decision.by == guard
    )


@pytest.mark.parametrize("guard", GUARDS)
def test_a_refusal_says_by_whom_why_and_what_may_be_done_next(guard: str) -> None:
    found = refusals(guard)
    assert found, "no scenario drives this guard to a refusal"
    for call in found:
        told: dict[str, Any] = load_json(call.delivered)
        assert set(told) == {"ok", "receipt", "refused"}
        assert (told["ok"], told["receipt"]) == (False, call.receipt)
        refused = told["refused"]
        assert set(refused) == TOLD
        assert refused["by"] == guard
        for sentence in (refused["reason"], refused["next"]):
            assert len(sentence.split()) >= 3, sentence
        assert refused["actionable"] is not refused["terminal"]
        assert call.decision == type(call.decision)(verdict=Verdict.REFUSE, **refused)


@pytest.mark.parametrize("guard", GUARDS)
def test_nothing_ran_or_the_refusal_says_truly_whether_it_was_taken_back(guard: str) -> None:
    for call in refusals(guard):
        assert (call.result, call.error) == (None, None)
        if call.executed is None:
            assert call.effects == ()
        if call.decision.rolled_back:
            assert net_changes(call) == []


@pytest.mark.parametrize("guard", GUARDS)
def test_after_a_terminal_refusal_the_next_step_is_to_report_or_to_end(guard: str) -> None:
    for call in refusals(guard):
        if call.decision.terminal:
            assert re.search(r"report|end the run", call.decision.next), call.decision


def net_changes(call: CallRecord) -> list[tuple[str, str]]:
    """Return the rows that a call left otherwise than it found them."""
    before: dict[tuple[str, str], Any] = {}
    after: dict[tuple[str, str], Any] = {}
    for effect in call.effects:
        before.setdefault((effect.table, effect.key), effect.before)
        after[effect.table, effect.key] = effect.after
    return [row for row in before if not equal(before[row], after[row])]
