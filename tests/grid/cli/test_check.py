"""The calibration notices when a rule is replaced by a constant, or a guard is switched off.

Every persona plays every scenario once on `scripted`, and a few trials run in a real framework; the
cases are then judged again under each broken rule.
"""

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from grid.adapters import SCRIPTED
from grid.catalogue import numbers, scenario
from grid.cli import app, check
from grid.cli.calibration import (
    FAULTS,
    GUARDED,
    HONEST,
    NEAR,
    TWINS,
    WITNESSES,
    WORDS,
    Tally,
    weigh,
)
from grid.cli.services import recording_wire
from grid.evidence import TrialId
from grid.guard import Guard
from grid.guards import all_guards
from grid.runner import Finished, Runner, RunSettings
from grid.vocabulary import (
    Agreement,
    Alarm,
    ClaimState,
    Family,
    Guards,
    Outcome,
    TextLeak,
    Utility,
)
from ledgers.adjudicate import judge
from ledgers.case import Case
from ledgers.rule import Rule, RuleVerdict
from ledgers.rules import all_rules

WORDS_OF = {
    Family.LEAKAGE: Outcome,
    Family.DELIVERY: Outcome,
    Family.BINDING: Outcome,
    Family.REFUSAL: Outcome,
    Family.UTILITY: Utility,
    Family.FALSE_ALARM: Alarm,
    Family.CLAIM: ClaimState,
    Family.WITNESS: Agreement,
    Family.LEAK_IN_TEXT: TextLeak,
}

TELLING = ("honest", "liar", "do-nothing", "near-miss/0", "other-route")
"""Personas that, with each scenario's own fault, tell a working rule from a broken one."""

type Cases = list[tuple[TrialId, Case]]


@pytest.fixture(scope="module")
def cases(tmp_path_factory: pytest.TempPathFactory) -> Cases:
    found = asyncio.run(_played())
    found += _in_strands(tmp_path_factory.mktemp("strands"))
    return found


async def _played() -> Cases:
    trials = check.cross_trials(numbers().values(), SCRIPTED, ("none",), (Guards.OFF, Guards.ON))
    return [
        (trial, await check.scripted_case(trial))
        for trial in trials
        if trial.model.removeprefix("scripted/") in (*TELLING, fault(trial))
    ]


def fault(trial: TrialId) -> str:
    return scenario(trial.scenario).truth.fault


def _in_strands(folder: Path) -> Cases:
    wanted = ("honest", "leaker")
    trials = [
        trial
        for trial in check.cross_trials(
            ("credential_into_form",), "strands", ("none",), (Guards.OFF,)
        )
        if trial.model.removeprefix("scripted/") in wanted
    ]
    kept: list[Finished] = []
    live = folder / "live"
    live.mkdir(mode=0o700)
    with recording_wire(live) as wire:
        settings = RunSettings(seed=check.SEED, jobs=1, folder=folder / "workers")
        Runner(settings, wire, kept.append).run(trials)
    return [
        (done.trial, check.case_for(done.trial, done.seed, 0, done.journal, done.recorded))
        for done in kept
    ]


def weighed(cases: Cases, rules: tuple[Rule, ...]) -> Tally:
    tally = Tally()
    for trial, case in cases:
        weigh(tally, trial, scenario(trial.scenario), judge(case, rules))
    return tally


def constant(rule: Rule, word: str) -> Rule:
    def always(_case: Case) -> RuleVerdict:
        return rule.verdict(word)

    return replace(rule, judge=always)


def silent(rule: Rule) -> Rule:
    return replace(rule, judge=lambda _case: None)


def broken() -> Iterator[tuple[str, Rule]]:
    for rule in all_rules():
        yield f"{rule.id} is silent", silent(rule)
        for word in WORDS_OF[rule.family]:
            yield f"{rule.id} always says {word.value}", constant(rule, word.value)


def test_with_the_rules_as_they_are_nothing_fails(cases: Cases) -> None:
    tally = weighed(cases, all_rules())
    assert tally.failed == {}
    tried = {FAULTS, HONEST, NEAR, TWINS, GUARDED, WITNESSES, WORDS}
    assert all(tally.tried[claim] for claim in tried)


@pytest.mark.parametrize(("what", "rule"), [pytest.param(*item, id=item[0]) for item in broken()])
def test_any_rule_replaced_by_a_constant_is_noticed(cases: Cases, what: str, rule: Rule) -> None:
    rules = tuple(rule if known.id == rule.id else known for known in all_rules())
    assert weighed(cases, rules).failed, what


@pytest.mark.parametrize("guard", [guard.id for guard in all_guards()])
def test_any_guard_switched_off_is_noticed(guard: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def left() -> tuple[Guard, ...]:
        return tuple(known for known in all_guards() if known.id != guard)

    monkeypatch.setattr("grid.session.all_guards", left)
    tally = Tally()
    settings = (Guards.ON, Guards.ON_CONTINUE)
    for trial in check.cross_trials(numbers().values(), SCRIPTED, ("none",), settings):
        if trial.model.removeprefix("scripted/") not in ("other-route", fault(trial)):
            continue
        found = asyncio.run(check.play_scripted(trial))
        weigh(tally, trial, scenario(trial.scenario), found)
    assert GUARDED in tally.failed


def test_a_failed_calibration_exits_1_and_says_where(monkeypatch: pytest.MonkeyPatch) -> None:
    rules = tuple(
        constant(rule, "resisted") if rule.id == "delivery" else rule for rule in all_rules()
    )
    monkeypatch.setattr(check, "judge", lambda case: judge(case, rules))
    monkeypatch.setattr(check, "framework_names", lambda: (SCRIPTED,))
    done = CliRunner().invoke(app, ["check", "S02", "--no-progress"])
    assert done.exit_code == 1
    assert "every planted fault is found: " in done.output
    assert "moon_for_mars/scripted/scripted/substituter/none/off/en/0" in done.output
