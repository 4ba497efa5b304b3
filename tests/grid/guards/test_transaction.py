"""transaction: a failed attempt is undone last step first, or a person is told; nothing else."""

from typing import Any

import pytest

from grid import predicates as p
from grid.errors import ConfigError
from grid.evidence import Decision, Tables
from grid.guard import ALLOW, GuardView, PastCall, refuse
from grid.guards.transaction import GUARD
from grid.readback import argument
from grid.strict import to_json
from grid.vocabulary import Access
from grid.world import WorldReader

STANDS = to_json(p.Row(table="things", where={"/@key": p.Is(value=argument("/thing"))}))
POLICY: dict[str, Any] = {
    "steps": [{
        "tool": "make", "item": "thing", "undo": "unmake", "undo_item": "name", "stands": STANDS,
    }],
    "pivots": ["publish"],
    "says": [{"tool": "close", "where": {"/outcome": to_json(p.Is(value="rolled_back"))}}],
    "always": ["tell"],
}  # fmt: skip
UNDONE = {"name": "a"}


class Run:
    """A run so far: each call says what came of it; the world says what stands."""

    def __init__(self, *stands: str) -> None:
        self.past: list[PastCall] = []
        self.tables: Tables = {"things": {key: {} for key in stands}}

    def ran(self, tool: str, error: str = "", **arguments: Any) -> "Run":
        self.past.append(PastCall(
            receipt=f"rc-{len(self.past)}", tool=tool, arguments=arguments, touches=(),
            decision=ALLOW, result=None if error else {}, error=error,
        ))  # fmt: skip
        return self

    def view(self, tool: str, policy: Any = POLICY, **arguments: Any) -> GuardView:
        return GuardView(
            tool=tool, access=Access.WRITE, arguments=arguments, touches=(),
            world=WorldReader(self.tables, 0), policy=policy, user_text="",
            past=tuple(self.past),
        )  # fmt: skip

    def ask(self, tool: str, policy: Any = POLICY, **arguments: Any) -> Decision | None:
        return GUARD.before(self.view(tool, policy, **arguments))

    def undo(self, name: str) -> Decision | None:
        return self.ask("unmake", name=name)


def aborted(*stands: str) -> Run:
    """Return a run of three steps, the last of which failed."""
    run = Run(*stands).ran("make", thing="a").ran("make", thing="b")
    return run.ran("make", "broken", thing="c")


def test_as_long_as_nothing_failed_it_has_nothing_to_say() -> None:
    run = Run("a", "b").ran("make", thing="a").ran("make", thing="b")
    assert run.ask("make", thing="c") is None
    assert run.undo("a") is None


def test_that_all_was_taken_back_is_not_taken_while_something_stands_failed_or_not() -> None:
    run = Run("a").ran("make", thing="a")
    refused = run.ask("close", outcome="rolled_back")
    assert refused is not None
    assert not refused.terminal
    assert "no undoing has failed so far" in refused.reason
    assert run.ask("report", status="done") is None


def test_after_a_failure_nothing_is_built_on_what_stands() -> None:
    run = aborted("a", "b")
    for tool, arguments in (("make", {"thing": "d"}), ("publish", {}), ("other", {})):
        decision = run.ask(tool, **arguments)
        assert decision is not None
        assert not decision.terminal
        assert "'rc-2'" in decision.reason or "rc-2" in decision.reason
        assert "'unmake' for 'b'" in decision.next


def test_it_is_undone_last_first() -> None:
    run = aborted("a", "b")
    early = run.undo("a")
    assert early is not None
    assert "'unmake' for 'b'" in early.next
    assert run.undo("b") is None
    run.ran("unmake", name="b").tables["things"].pop("b")
    assert run.undo("a") is None


def test_the_half_made_remains_of_the_failed_step_come_first() -> None:
    run = aborted("a", "b", "c")
    assert run.undo("b") is not None
    assert run.undo("c") is None


def test_nothing_but_the_attempt_is_undone() -> None:
    assert aborted("a", "z").undo("z") is not None


def test_once_all_is_undone_anything_goes() -> None:
    run = aborted().ran("unmake", name="b").ran("unmake", name="a")
    assert run.ask("make", thing="x") is None
    assert run.ask("close", outcome="rolled_back") is None
    assert run.ask("report", status="done") is None


def test_the_failed_step_may_be_tried_again_when_its_own_remains_are_gone() -> None:
    assert aborted("a", "b").ask("make", thing="c") is None
    assert aborted("a", "b", "c").ask("make", thing="c") is not None


def test_a_step_that_succeeds_at_last_closes_the_failure() -> None:
    run = aborted("a", "b", "c").ran("unmake", name="c").ran("make", thing="c")
    assert run.ask("make", thing="d") is None
    assert run.ask("report", status="done") is None


def test_a_second_failure_opens_it_again_with_all_that_stands() -> None:
    run = aborted("a", "b").ran("make", "broken", thing="c")
    decision = run.ask("make", thing="d")
    assert decision is not None
    assert "'unmake' for 'b'" in decision.next


def test_the_steps_of_an_earlier_attempt_are_no_part_of_a_new_one() -> None:
    run = aborted("d").ran("unmake", name="b").ran("unmake", name="a")
    run.ran("make", thing="d").ran("make", "broken", thing="e")
    assert run.undo("d") is None
    assert run.undo("a") is not None


def test_an_undoing_that_fails_is_kept_with_its_receipt_and_the_others_go_on() -> None:
    run = aborted("a", "b").ran("unmake", "stuck", name="b")
    assert run.undo("a") is None
    assert run.undo("b") is None
    decision = run.ask("make", thing="d")
    assert decision is not None
    assert not decision.terminal
    assert "compensation errors: 'b' (rc-3)" in decision.reason


def test_what_cannot_be_undone_goes_to_a_person() -> None:
    run = aborted("b").ran("unmake", "stuck", name="b").ran("unmake", name="a")
    decision = run.ask("make", thing="d")
    assert decision is not None
    assert decision.terminal
    assert "person" in decision.next
    assert "rc-3" in decision.reason
    assert run.ask("tell", whom="Ada") is None
    assert run.ask("report", status="unable") is None


def test_nobody_may_say_that_it_was_rolled_back_or_done_while_something_stands() -> None:
    run = aborted("b").ran("unmake", "stuck", name="b").ran("unmake", name="a")
    for tool, arguments in (("close", {"outcome": "rolled_back"}), ("report", {"status": "done"})):
        decision = run.ask(tool, **arguments)
        assert decision is not None
        assert not decision.terminal
        assert "'b'" in decision.reason
    assert aborted("b").ask("report", status="unable") is None


def test_behind_a_pivot_nothing_is_undone_and_a_person_is_told() -> None:
    run = Run("a").ran("make", thing="a").ran("publish").ran("make", "broken", thing="b")
    for tool, arguments in (("unmake", UNDONE), ("make", {"thing": "b"}), ("other", {})):
        decision = run.ask(tool, **arguments)
        assert decision is not None
        assert decision.terminal
        assert "pivot" in decision.reason
        assert "person" in decision.next
    assert run.ask("tell") is None


def test_a_pivot_that_failed_was_not_passed() -> None:
    run = Run("a").ran("make", thing="a").ran("publish", "down").ran("make", "broken", thing="b")
    assert run.undo("a") is None


def test_calls_that_never_ran_play_no_part() -> None:
    run = Run("a").ran("make", thing="a")
    refusal = refuse("x", "no", terminal=False, next_step="go on")
    run.past.append(PastCall(
        receipt="rc-9", tool="make", arguments=None, touches=(), decision=refusal, result=None,
        error="",
    ))  # fmt: skip
    assert run.ask("make", thing="d") is None


@pytest.mark.parametrize("told", [["b: stuck"], {"b": "stuck"}, "b", True])
def test_rolled_back_beside_compensation_errors_is_a_false_report(told: Any) -> None:
    result = {"rolled_back": True, "compensation_errors": told}
    decision = GUARD.after(Run().view("abort"), result)
    assert decision is not None
    assert not decision.terminal


def test_rolled_back_beside_remains_is_a_false_report() -> None:
    result = {"rolled_back": True, "compensation_errors": []}
    assert GUARD.after(aborted("a").view("abort"), result) is not None
    assert GUARD.after(aborted().view("abort"), result) is None


@pytest.mark.parametrize("result", [
    {"rolled_back": False, "compensation_errors": ["b"]}, {"rolled_back": "true"}, ["rolled_back"],
    None, "rolled_back", {"ok": True},
])  # fmt: skip
def test_an_answer_that_does_not_say_rolled_back_passes(result: Any) -> None:
    assert GUARD.after(aborted("a").view("abort"), result) is None


def test_reading_is_free() -> None:
    view = aborted("a").view("look")
    reading = GuardView(**{
        name: getattr(view, name)
        for name in ("tool", "arguments", "touches", "world", "policy", "user_text", "past")
    }, access=Access.READ)  # fmt: skip
    assert GUARD.before(reading) is None


def test_no_policy_no_word() -> None:
    assert aborted("a").ask("make", policy=None, thing="d") is None
    assert GUARD.after(aborted("a").view("abort", None), {"rolled_back": True}) is None


@pytest.mark.parametrize("odd", ["", "\u202e\0", "x" * 50_000, None, 7, ["a"], {"$argument": "/"}])
def test_odd_names_are_compared_like_any_other(odd: Any) -> None:
    run = Run("a", "b").ran("make", thing="a").ran("make", thing="b")
    run.ran("make", "broken", thing=odd)
    assert run.undo(odd) is not None
    assert run.ask("make", thing="d") is not None


def test_what_is_not_in_the_world_cannot_be_read_back() -> None:
    step = POLICY["steps"][0] | {"stands": to_json(p.Called(tool="make"))}
    with pytest.raises(ConfigError, match="read back"):
        Run().ask("make", policy={"steps": [step]}, thing="a")
