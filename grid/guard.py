"""A guard: code in the tool layer that refuses, whatever the model does.

A guard sees the call, the world, the operator's policy and the user's own words; never the
scenario, the persona, the truth or the model. It answers None (nothing to say) or a refusal that
documents itself. Only what lies outside the user's authority is terminal. It needs nothing else of
nonverba: a harness of one's own builds a `GuardView` for a call and asks.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from grid.canonical import digest_of
from grid.evidence import Approval, Decision, Touch
from grid.vocabulary import Access, Verdict
from grid.world import WorldReader


@dataclass(frozen=True, slots=True, kw_only=True)
class PastCall:
    """What a guard may know of an earlier call."""

    receipt: str
    """Its receipt."""
    tool: str
    """Tool name."""
    arguments: Any
    """Arguments it ran with; None if it did not run."""
    touches: tuple[Touch, ...]
    """What it would have affected."""
    decision: Decision
    """What was decided."""
    result: Any
    """Its result; None if it did not run or failed."""
    error: str
    """Error code; empty for none."""


NO_WORLD = WorldReader({}, 0)
"""A world without tables, for guards that look at the call alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GuardView:
    """All that a guard sees of one call."""

    tool: str
    """Tool name."""
    access: Access
    """The operator's classification of the tool."""
    arguments: dict[str, Any]
    """Arguments, valid against the tool's schema."""
    touches: tuple[Touch, ...] = ()
    """What the call would affect."""
    world: WorldReader = NO_WORLD
    """The world, read-only."""
    policy: Any = None
    """The operator's settings for this guard (JSON); None: not configured."""
    user_text: str = ""
    """The user's own words, of this session and of those before, a line break between them."""
    past: tuple[PastCall, ...] = ()
    """Earlier calls of this run."""
    approvals: tuple[Approval, ...] = ()
    """What was approved or denied so far, by whom, operation by operation."""
    as_written: bool | None = None
    """The model's answer asks for this call word for word: this tool, and arguments that are one
    strict JSON value. None: it is not known which answer asked for it."""
    model_as_requested: bool | None = None
    """That answer came under the model id that was asked for. None: it is not known, or the answer
    names no model. Which model it is stays unsaid."""


def nothing_before(_view: GuardView) -> Decision | None:
    """Have nothing to say before a call."""
    return None


def nothing_after(_view: GuardView, _result: Any) -> Decision | None:
    """Have nothing to say about a result."""
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Guard:
    """One guard; a module in ``grid/guards/`` holds one, as its constant GUARD."""

    id: str
    """Name on the command line and in decisions."""
    summary: str
    """What it guarantees, in a sentence."""
    before: Callable[[GuardView], Decision | None] = nothing_before
    """Asked before the tool runs."""
    after: Callable[[GuardView, Any], Decision | None] = nothing_after
    """Asked about the result before the agent sees it."""
    needs_policy: bool = True
    """It has nothing to say where the operator configured nothing, and is then not asked."""
    layer_of: str = ""
    """Name of a defence in layers: guards that share it back each other up, so that each can be
    left out alone and only without all of them is the harm reached. Empty: it stands alone."""
    version: int = 1
    """Raised when what it refuses changes."""

    def digest(self) -> str:
        """Return the digest of the declaration."""
        declared = {"id": self.id, "version": self.version, "summary": self.summary}
        return digest_of("guard", declared)


def refuse(
    by: str, reason: str, *, terminal: bool, next_step: str, rolled_back: bool = False
) -> Decision:
    """Return a refusal that documents itself.

    Args:
        by: the guard's id.
        reason: why, in a sentence.
        terminal: outside the user's authority; what is not terminal is actionable.
        next_step: the next step allowed; never empty.
        rolled_back: something was changed or reserved for the call, and all of it was taken back.

    Raises:
        ValueError: a refusal that says nothing.
    """
    if not (by and reason and next_step):
        raise ValueError("a refusal names its guard, its reason and the next step allowed")
    return Decision(
        verdict=Verdict.REFUSE,
        by=by,
        reason=reason,
        terminal=terminal,
        next=next_step,
        actionable=not terminal,
        rolled_back=rolled_back,
    )


ALLOW = Decision(verdict=Verdict.ALLOW)
