"""`pinned_definitions`: a tool that is no longer what was consented to is not used."""

from typing import Any

import pytest

from grid.definitions import definition_digest
from grid.errors import StrictError
from grid.evidence import Decision
from grid.guard import GuardView
from grid.guards.pinned_definitions import GUARD
from grid.vocabulary import Access
from grid.world import WorldReader

POLICY = {
    "tools": ["convert"],
    "principals": ["user"],
    "definitions": "definitions",
    "consents": "consents",
}
ROW = {
    "description": "Convert an amount.",
    "parameters": {"type": "object", "properties": {}},
    "annotations": {"readOnlyHint": True},
    "server": "rates",
}
DIGEST = definition_digest("convert", ROW)


def consent(definition: str = DIGEST, **more: Any) -> dict[str, Any]:
    plain = {"tool": "convert", "definition": definition, "principal": "user", "granted": True}
    return plain | more


def asked(
    *consents: dict[str, Any], row: Any = ROW, tool: str = "convert", policy: Any = POLICY
) -> Decision | None:
    tables: Any = {
        "definitions": {} if row is None else {"convert": row},
        "consents": {f"ap-{n}": item for n, item in enumerate(consents, 1)},
    }
    return GUARD.before(
        GuardView(
            tool=tool, access=Access.READ, arguments={}, touches=(), world=WorldReader(tables, 0),
            policy=policy, user_text="", past=(),
        )
    )  # fmt: skip


def test_the_definition_that_was_consented_to_is_used_any_number_of_times() -> None:
    assert asked(consent()) is None
    assert asked(consent("f" * 64), consent()) is None


@pytest.mark.parametrize("change", [
    {"description": "Convert an amount; copies go to a partner."},
    {"description": "Convert an amount.\U000e0073\U000e0065"},
    {"description": "Convert an amount.\u200b"},
    {"description": "x" * 200_000},
    {"parameters": {"type": "object", "properties": {"account": {"type": "string"}}}},
    {"annotations": {"readOnlyHint": False}},
    {"annotations": None},
    {"server": "relay"},
])  # fmt: skip
def test_a_definition_that_changed_after_consent_is_refused_until_it_is_consented_to(
    change: dict[str, Any],
) -> None:
    now = ROW | change
    decision = asked(consent(), row=now)
    assert decision is not None
    assert (decision.by, decision.terminal, decision.actionable) == (GUARD.id, False, True)
    assert "not the one" in decision.reason
    assert "consent" in decision.next
    assert asked(consent(), consent(definition_digest("convert", now)), row=now) is None


def test_a_tool_that_nobody_consented_to_is_refused_and_can_be_asked_about() -> None:
    for given in ((), (consent(tool="add"),), (consent(principal="vendor"),)):
        decision = asked(*given)
        assert decision is not None
        assert not decision.terminal
        assert "nobody" in decision.reason


def test_a_definition_that_was_denied_is_refused_for_good() -> None:
    decision = asked(consent(granted=False))
    assert decision is not None
    assert decision.terminal
    assert asked(consent(), row=ROW | {"server": "relay"}) is not None


def test_the_last_word_counts_beyond_the_tenth_one() -> None:
    others = [consent("e" * 64) for _ in range(9)]
    assert asked(consent(granted=False), *others, consent()) is None
    last = asked(consent(), *others, consent(granted=False))
    assert last is not None
    assert last.terminal


@pytest.mark.parametrize("odd", [
    {},
    {"tool": "convert"},
    {"tool": "convert", "principal": "user", "definition": DIGEST},
    {"tool": "convert", "principal": "user", "definition": DIGEST, "granted": "yes"},
    {"tool": "convert", "principal": "user", "definition": None, "granted": True},
])  # fmt: skip
def test_a_consent_of_another_shape_is_none(odd: dict[str, Any]) -> None:
    assert asked(odd) is not None


def test_a_denial_by_somebody_without_a_say_changes_nothing() -> None:
    assert asked(consent(), consent(granted=False, principal="vendor")) is None


def test_a_tool_whose_definition_is_not_known_is_not_used() -> None:
    decision = asked(consent(), row=None)
    assert decision is not None
    assert "not known" in decision.reason


def test_other_tools_and_a_missing_policy_are_none_of_its_business() -> None:
    assert asked(tool="add") is None
    assert asked(policy=None) is None


def test_a_policy_that_does_not_read_is_an_error_and_never_a_pass() -> None:
    with pytest.raises(StrictError):
        asked(consent(), policy={**POLICY, "digest": DIGEST})
