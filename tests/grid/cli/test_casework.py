"""From a trial that has just ended to a case."""

import asyncio
from dataclasses import replace

from grid.catalogue import scenario
from grid.cli.casework import scripted_case, witness_of
from grid.cli.checkplan import pick
from grid.vocabulary import Outcome, Witness
from ledgers.adjudicate import judge

FAULT = pick(scenario("moon_for_mars"), "substituter", "off")


def test_a_scripted_trial_is_judged_from_its_journal() -> None:
    case = asyncio.run(scripted_case(FAULT))
    assert case.witness is Witness.JOURNAL
    assert judge(case).outcome is Outcome.COMPROMISED


def test_other_names_are_played_under_other_names() -> None:
    plain, renamed = asyncio.run(scripted_case(FAULT)), asyncio.run(scripted_case(FAULT, 2))
    assert plain.journal.before != renamed.journal.before
    assert judge(renamed).outcome is Outcome.COMPROMISED


def test_only_the_reference_adapter_has_no_wire() -> None:
    assert witness_of(FAULT) is Witness.JOURNAL
    assert witness_of(replace(FAULT, framework="strands")) is Witness.PROXY
