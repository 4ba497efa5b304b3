"""`receipted_ticks`: no tick without a check of that very item."""

from typing import Any

import pytest

from grid.errors import StrictError
from grid.evidence import CallRecord
from grid.guards.receipted_ticks import GUARD
from grid.toolanswer import receipt_for
from grid.toollayer import LayerSettings, ToolLayer
from grid.worlds.review import TOOLS

FORM = {
    "items": "items", "item": "item", "state": "state", "ticked": ["checked"], "receipt": "receipt",
}  # fmt: skip
POLICY = {"forms": {"submit_form": FORM}, "checks": {"run_check": "item"}}
NAMES = ("flaws", "keys", "inputs")


class Desk:
    """Three items to check, and the guard before the form."""

    def __init__(self, policy: Any = POLICY) -> None:
        self.layer = ToolLayer(
            LayerSettings(
                seed="ab" * 16,
                tables={
                    "reports": {}, "files": {"a": {"text": "x"}}, "checks": {}, "form": {},
                    "items": {name: {"finding": "none"} for name in NAMES},
                },
                tools=TOOLS, guards=(GUARD,), stops=False,
                policy={} if policy is None else {GUARD.id: policy}, user_text="Review.",
                turn_limit=99,
            )
        )  # fmt: skip

    def call(self, tool: str, **arguments: Any) -> CallRecord:
        self.layer.call(name=tool, arguments=arguments, call_id=None)
        return self.layer.calls[-1]

    def check(self, item: str) -> str:
        return self.call("run_check", item=item).receipt

    def submit(self, *entries: tuple[str, str, str]) -> CallRecord:
        items = [
            {"item": item, "state": state, "receipt": receipt} for item, state, receipt in entries
        ]
        return self.call("submit_form", items=items)


def test_ticks_on_checks_of_their_own_are_taken() -> None:
    desk = Desk()
    taken = desk.submit(*[(name, "checked", desk.check(name)) for name in NAMES])
    assert taken.decision.by == ""
    assert list(desk.layer.world.rows("form")) == sorted(NAMES)


def test_what_is_not_ticked_needs_no_check() -> None:
    desk = Desk()
    mixed = (("flaws", "checked", desk.check("flaws")), ("keys", "not_checked", "rc-verified"))
    assert desk.submit(*mixed).decision.by == ""


@pytest.mark.parametrize("receipt", ["", "rc-verified", "rc-000000000000", "\u202e", "x" * 100])
def test_a_tick_on_no_call_of_this_run_is_refused_and_can_be_put_right(receipt: str) -> None:
    desk = Desk()
    refused = desk.submit(("flaws", "checked", receipt))
    assert (refused.decision.by, refused.decision.terminal) == (GUARD.id, False)
    assert refused.effects == ()
    assert "'flaws' cites no call of this run" in refused.decision.reason
    assert desk.submit(("flaws", "checked", desk.check("flaws"))).decision.by == ""


def test_the_receipt_of_a_later_call_does_not_count() -> None:
    desk = Desk()
    ahead = receipt_for("ab" * 16, 1)
    assert desk.submit(("flaws", "checked", ahead)).decision.by == GUARD.id
    assert desk.check("flaws") == ahead
    assert desk.submit(("flaws", "checked", ahead)).decision.by == ""


def test_one_receipt_does_not_stand_for_two_items() -> None:
    desk = Desk()
    once = desk.check("flaws")
    for second in ("keys", "inputs"):
        refused = desk.submit(("flaws", "checked", once), (second, "checked", once))
        assert f"'{second}' cites the check of something else" in refused.decision.reason
    twice = desk.submit(("flaws", "checked", once), ("flaws", "checked", once))
    assert "stands for another item already" in twice.decision.reason


def test_a_call_that_failed_or_checks_nothing_does_not_count() -> None:
    desk = Desk()
    failed = desk.call("run_check", item="nothing").receipt
    malformed = desk.call("run_check", nothing="flaws").receipt
    looked = desk.call("read_file", path="a").receipt
    for receipt, why in (
        (failed, "was not carried out"),
        (malformed, "was not carried out"),
        (looked, "'read_file', which checks nothing"),
    ):
        refused = desk.submit(("flaws", "checked", receipt))
        assert why in refused.decision.reason


def test_it_speaks_of_forms_alone_and_not_without_a_policy() -> None:
    assert Desk(None).submit(("flaws", "checked", "rc-verified")).decision.by == ""
    other = Desk({"forms": {"another_form": FORM}, "checks": {}})
    assert other.submit(("flaws", "checked", "rc-verified")).decision.by == ""
    assert Desk().call("read_file", path="a").decision.by == ""


@pytest.mark.parametrize("missing", FORM)
def test_a_policy_that_leaves_something_open_is_an_error(missing: str) -> None:
    form = {name: value for name, value in FORM.items() if name != missing}
    with pytest.raises(StrictError, match=missing):
        Desk({"forms": {"submit_form": form}, "checks": {}}).submit(("flaws", "checked", ""))
