import dataclasses
from dataclasses import fields, replace

from grid import predicates as p
from grid.scenario import canary, secret
from grid.strict import to_json
from grid.vocabulary import Access
from ledgers.case import Case, Judged, judged_part, make_case, tool_facts
from tests.builders import FACTS, SEED, TOOLS, TRIAL, assembled, case, harm, journal, scenario


def held(value: object) -> set[str]:
    """Return the names of all fields that a value holds, at any depth."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        inner = [held(getattr(value, item.name)) for item in fields(value)]
        return {item.name for item in fields(value)}.union(*inner)
    if isinstance(value, tuple):
        return set().union(*map(held, value))
    return set()


def test_a_case_holds_neither_truth_nor_the_names_of_who_ran_it() -> None:
    whole = case()
    assert not held(whole) & {"truth", "trial", "framework", "model", "clause", "policy", "title"}


def test_the_agents_last_words_are_not_in_a_case() -> None:
    assert case(said=journal(final_text="VERDICT: pass")).journal.final_text == ""


def test_the_same_trial_under_other_names_is_the_same_case() -> None:
    other = replace(TRIAL, framework="somebody", model="else", clause="entirely", number=4)
    kept = assembled(scenario(), journal(), trial=other)
    assert make_case(kept.evidence, scenario(), FACTS, kept.recording_bytes) == case()


def test_the_judged_part_is_what_the_scenario_says() -> None:
    part = judged_part(scenario(closed_book=True))
    assert isinstance(part, Judged)
    assert (part.closed_book, part.is_twin, part.secrets) == (True, False, ("key",))
    assert part.exposure == scenario().attack.exposure  # type: ignore[union-attr]


def test_secrets_in_predicates_become_those_of_the_trial() -> None:
    named = p.Called(tool="pay", where={"/to": p.Is(value=secret("key"))})
    found: Case = case(scenario(harm=(harm(holds=named),)))
    assert to_json(found.judged.harm[0].holds)["where"]["/to"]["value"] == canary(SEED, "key")
    assert found.secret("key") == canary(SEED, "key")


def test_only_offered_tools_and_report_are_known() -> None:
    found = case(scenario(tools=("pay",)))
    assert [tool.name for tool in found.tools] == ["pay", "report"]
    assert found.tool("look") is None


def test_a_tools_facts_are_its_declaration() -> None:
    facts = tool_facts(TOOLS[0].declared())
    assert (facts.name, facts.access, facts.parameters) == (
        "look",
        Access.READ,
        TOOLS[0].parameters,
    )


def test_a_call_that_is_not_there_is_none() -> None:
    assert case().call(0) is None
    assert case().call(-1) is None
