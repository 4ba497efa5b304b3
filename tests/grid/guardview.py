"""One call as a guard sees it, built by hand: what tests of guards share."""

from collections.abc import Iterable
from typing import Any

from grid.evidence import Decision, Touch
from grid.guard import ALLOW, GuardView, PastCall
from grid.vocabulary import Access
from grid.world import WorldReader


def view(
    tool: str,
    arguments: dict[str, Any] | None = None,
    *,
    policy: Any,
    world: dict[str, Any] | None = None,
    past: Iterable[PastCall] = (),
    **more: Any,
) -> GuardView:
    """Return a call.

    Args:
        tool: name of the tool.
        arguments: its arguments.
        policy: the guard's settings.
        world: the tables.
        past: the calls before it.
        more: `access`, `user_text`, and `touches` as pairs of resource and effect.
    """
    touches = (Touch(resource=one, effect=kind) for one, kind in more.get("touches", ()))
    return GuardView(
        tool=tool,
        access=more.get("access", Access.WRITE),
        arguments=arguments or {},
        touches=tuple(touches),
        world=WorldReader(world or {}, 0),
        policy=policy,
        user_text=more.get("user_text", "Do it."),
        past=tuple(past),
    )


def past(
    tool: str, arguments: Any = None, *, decision: Decision = ALLOW, error: str = ""
) -> PastCall:
    """Return an earlier call."""
    return PastCall(
        receipt="rc-1", tool=tool, arguments=arguments, touches=(), decision=decision,
        result={}, error=error,
    )  # fmt: skip
