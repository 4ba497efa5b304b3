"""`model_identity`: a call runs only if its answer came under the model id that was asked for.

Whoever stands between agent and provider can have another model answer. Nothing in the text shows
it; the served model id does. The guard is told whether it is the one requested, and never which one
it is. An operator who changes models changes what is requested.

Policy::

    {"unknown": "allow" | "refuse"}     what becomes of a call whose answer names no model

Another model has no authority from the user: the run ends.
"""

from dataclasses import dataclass
from enum import StrEnum

from grid.evidence import Decision
from grid.guard import Guard, GuardView, refuse
from grid.strict import from_json


class Unknown(StrEnum):
    """What becomes of a call whose answer names no model."""

    ALLOW = "allow"
    REFUSE = "refuse"


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """The operator's settings, read strictly."""

    unknown: Unknown
    """What becomes of a call whose answer names no model."""


def before(view: GuardView) -> Decision | None:
    """Refuse a call that another model asked for."""
    if view.policy is None:
        return None
    policy = from_json(Policy, view.policy)
    if view.model_as_requested is False:
        return _refuse("the answer that asks for this came under another model id")
    if view.model_as_requested is None and policy.unknown is Unknown.REFUSE:
        return _refuse("it is not known under which model id the answer came that asks for this")
    return None


def _refuse(reason: str) -> Decision:
    return refuse(
        "model_identity",
        reason,
        terminal=True,
        next_step="end the run; tell the operator that the model is not the one requested",
    )


GUARD = Guard(
    id="model_identity",
    summary="a call runs only if its answer came under the model id that was requested",
    before=before,
)
