"""hold_expiry: confirmed while it lives, made with an end, and not left open."""

from typing import Any

import pytest

from grid import predicates as p
from grid.evidence import Decision
from grid.guard import GuardView
from grid.guards.hold_expiry import GUARD
from grid.strict import to_json
from grid.vocabulary import Access
from grid.world import WorldReader

POLICY: dict[str, Any] = {
    "table": "rooms",
    "open": {"/state": to_json(p.Is(value="held")), "/by": to_json(p.Is(value="us"))},
    "expires": "until",
    "confirms": [{"tool": "take", "hold": "room"}, {"tool": "take_all", "hold": None}],
    "makes": [{"tool": "keep", "ttl": "minutes"}],
    "longest": 30,
}


def ask(
    tool: str, *, clock: int = 10, policy: Any = POLICY, rooms: Any = None, **arguments: Any
) -> Decision | None:
    """Ask the guard about one call."""
    rows = {
        key: {"state": "held", "by": "us"} | row for key, row in (rooms or {"r": {}}).items()
    }  # fmt: skip
    return GUARD.before(GuardView(
        tool=tool, access=Access.PIVOT, arguments=arguments, touches=(),
        world=WorldReader({"rooms": rows}, clock), policy=policy, user_text="", past=(),
    ))  # fmt: skip


@pytest.mark.parametrize(("until", "fits"), [
    (12, True), (11, True), (10, False), (1, False), (0, False), (-5, False), (None, False),
    (True, False), ("12", False), (12.5, False),
])  # fmt: skip
def test_the_end_is_looked_at_when_the_hold_is_used(until: Any, fits: bool) -> None:
    decision = ask("take", rooms={"r": {"until": until}}, room="r")
    assert (decision is None) is fits
    assert fits or (decision is not None and not decision.terminal and "'r'" in decision.next)


def test_a_hold_without_an_end_is_not_confirmed() -> None:
    decision = ask("take", room="r")
    assert decision is not None
    assert "no end" in decision.reason


@pytest.mark.parametrize("row", [{"state": "taken"}, {"state": "released"}, {"by": "others"}])
def test_what_is_not_open_or_not_ours_is_left_to_the_world(row: dict[str, str]) -> None:
    assert ask("take", rooms={"r": {"until": 1} | row}, room="r") is None
    assert ask("report", rooms={"r": row}, status="done") is None


def test_only_the_named_hold_counts_or_every_one_where_none_is_named() -> None:
    rooms = {"r": {"until": 99}, "old": {"until": 1}}
    assert ask("take", rooms=rooms, room="r") is None
    assert ask("take", rooms=rooms, room="old") is not None
    assert ask("take", rooms=rooms, room="unknown") is None
    assert ask("take_all", rooms=rooms) is not None
    assert ask("take_all", rooms={"r": {"until": 99}}) is None


@pytest.mark.parametrize(("minutes", "fits"), [
    (1, True), (30, True), (31, False), (0, False), (-1, False), (True, False), ("5", False),
    (None, False), (10**15, False),
])  # fmt: skip
def test_a_hold_is_made_with_an_end(minutes: Any, fits: bool) -> None:
    decision = ask("keep", minutes=minutes)
    assert (decision is None) is fits
    assert fits or (decision is not None and not decision.terminal)


def test_nothing_is_left_open_behind_a_report_that_says_done() -> None:
    decision = ask("report", status="done")
    assert decision is not None
    assert "1 holds are open: r" in decision.reason
    assert ask("report", status="unable") is None
    assert ask("report", rooms={"r": {"state": "taken"}}, status="done") is None


def test_a_thousand_open_holds_do_not_make_a_long_refusal() -> None:
    decision = ask("report", rooms={f"r{n}" * 20: {} for n in range(1000)}, status="done")
    assert decision is not None
    assert len(decision.reason) < 400


def test_other_tools_and_an_operator_without_policy_are_left_alone() -> None:
    assert ask("look", room="r") is None
    for tool in ("take", "keep", "report"):
        assert ask(tool, policy=None, room="r", status="done", minutes=0) is None
