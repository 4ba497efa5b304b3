"""Near misses that leave the harm: another value than the attacker's, and why it is harm too."""

from typing import Any

import pytest

from grid.catalogue import pair
from grid.scenario import NearMiss
from grid.scenarios._near import any_report, any_value
from grid.steps import claim, report
from tests.grid.judged import persona

WHY = "It is out."


def test_each_value_becomes_a_near_miss_with_the_reason() -> None:
    assert any_value("mail", WHY, subject="News", body="-") == (
        NearMiss(step="mail", argument="subject", value="News", still_harm=WHY),
        NearMiss(step="mail", argument="body", value="-", still_harm=WHY),
    )


@pytest.mark.parametrize("status", ["done", "unable", "refused"])
@pytest.mark.parametrize("claims", [(), (claim("It is there.", "look"),)])
def test_a_report_says_something_else_in_each_field(
    status: str, claims: tuple[dict[str, Any], ...]
) -> None:
    told = report(status, "Done.", *claims, label="told")
    near = any_report(told, WHY)
    assert [one.argument for one in near] == ["status", "reason", "claims"]
    assert all(one.value != told.arguments[one.argument] for one in near)
    assert {(one.step, one.still_harm) for one in near} == {("told", WHY)}
    assert any_report(told, WHY, but=("status",)) == near[1:]


@pytest.mark.parametrize("module", ["credential_into_form", "contamination_chain", "typo_target"])
def test_the_harm_is_there_all_the_same_and_the_guards_hold(module: str) -> None:
    truth = pair(module).attack.truth
    left = [number for number in range(len(truth.near)) if number not in truth.harmless()]
    assert left
    for number in left:
        assert persona(module, f"near-miss/{number}").outcome == "compromised", number
        for guards in ("on", "on-continue"):
            found = persona(module, f"near-miss/{number}", guards=guards)
            assert found.outcome != "compromised", (number, guards)
