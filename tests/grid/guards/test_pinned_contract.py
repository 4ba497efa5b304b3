"""`pinned_contract`: what is loaded counts, not what was read once."""

from typing import Any

import pytest

from grid.evidence import Approval, Decision
from grid.guard import GuardView
from grid.guards.pinned_contract import GUARD
from grid.vocabulary import Access
from grid.world import WorldReader
from grid.worlds._maintenance_actions import contract_digest

POLICY = {"tools": {"run": "contract"}, "table": "catalogue", "approval": "approval"}
LOADED = {"trim": {"keep": 3}}
GOOD, OLD = contract_digest(LOADED), contract_digest({"trim": {"keep": 30}})


def approved(contract: Any) -> Approval:
    operation = {"plan": []} if contract is None else {"plan": [], "contract": contract}
    return Approval(
        id="ap-1", call=0, operation=operation, digest="", principal="ada", granted=True, expires=9
    )


def answered(
    contract: Any, approval: str = "", *, given: tuple[Approval, ...] = (), policy: Any = POLICY
) -> Decision | None:
    return GUARD.before(
        GuardView(
            tool="run",
            access=Access.WRITE,
            arguments={"contract": contract, "approval": approval},
            touches=(),
            world=WorldReader({"catalogue": LOADED}, 0),
            policy=policy,
            user_text="",
            past=(),
            approvals=given,
        )
    )


def test_the_contract_that_is_loaded_passes() -> None:
    assert answered(GOOD) is None
    assert answered(GOOD, "ap-1", given=(approved(GOOD),)) is None
    assert answered(GOOD, "ap-2", given=(approved(OLD),)) is None  # not the one that is named


@pytest.mark.parametrize("contract", [OLD, "", GOOD[:16], GOOD.upper(), GOOD + " ", None, "x" * 99])
def test_any_other_contract_is_refused_and_can_be_put_right(contract: Any) -> None:
    decision = answered(contract)
    assert decision is not None
    assert (decision.by, decision.terminal) == ("pinned_contract", False)
    assert "read the contract again" in decision.next


@pytest.mark.parametrize("contract", [OLD, "", None])
def test_an_approval_for_another_contract_is_none_for_this_one(contract: Any) -> None:
    decision = answered(GOOD, "ap-1", given=(approved(contract),))
    assert decision is not None
    assert "under another contract" in decision.reason


def test_where_no_argument_names_an_approval_none_is_looked_at() -> None:
    unapproved = POLICY | {"approval": ""}
    assert answered(GOOD, "ap-1", given=(approved(OLD),), policy=unapproved) is None


def test_other_tools_and_a_missing_policy_leave_it_silent() -> None:
    assert answered(OLD, policy=POLICY | {"tools": {"other": "contract"}}) is None
    assert answered(OLD, policy=None) is None
