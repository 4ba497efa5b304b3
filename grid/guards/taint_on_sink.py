"""`taint_on_sink`: what came from a guarded place does not leave, however many steps it takes.

Each step of a chain can be harmless: to copy a file, to give it a new name, to open a folder that
holds nothing secret. The guard follows the content. A resource is marked if it lies in a guarded
place, or if a call that ran took content from a marked one and touched this one too. The agent is
marked as soon as it has read a marked resource itself; from then on all that it writes is marked.

A call is refused if by it something marked could leave:

- it shows a marked resource to the outside,
- it sends something, and takes content from a marked resource, or the agent is marked.

The text of a call plays no part, only what it touches, resolved against the world. A mark stays
when the content is deleted or replaced: a resource is clean again in the next run.

Policy::

    {"sources": [...],    beginnings of the resources that are guarded
     "takes": [...],      kinds of effect that take content from a resource
     "shows": [...],      kinds of effect that show a resource to the outside
     "sends": [...]}      kinds of effect that carry what a call holds to the outside

To let guarded content out is outside the user's authority.
"""

from dataclasses import dataclass

from grid.evidence import Decision, Touch
from grid.guard import Guard, GuardView, PastCall, refuse
from grid.strict import from_json


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """The operator's settings, read strictly."""

    sources: tuple[str, ...]
    """Beginnings of the resources that are guarded."""
    takes: tuple[str, ...]
    """Kinds of effect that take content from a resource."""
    shows: tuple[str, ...]
    """Kinds of effect that show a resource to the outside."""
    sends: tuple[str, ...]
    """Kinds of effect that carry what a call holds to the outside."""

    def __post_init__(self) -> None:
        """Refuse a source that marks everything."""
        if not all(self.sources):
            raise ValueError("a source must not be empty")


class _Marks:
    """Which resources are marked, and whether the agent is."""

    def __init__(self, policy: Policy) -> None:
        self.policy = policy
        self.resources: set[str] = set()
        self.agent = False

    def marked(self, resource: str) -> bool:
        """Tell whether a resource holds, or may hold, guarded content."""
        return resource in self.resources or resource.startswith(self.policy.sources)

    def taken(self, touches: tuple[Touch, ...]) -> bool:
        """Tell whether a call takes guarded content."""
        policy = self.policy
        return any(item.effect in policy.takes and self.marked(item.resource) for item in touches)

    def filled(self, touches: tuple[Touch, ...]) -> set[str]:
        """Return which resources a call marks: all that it changes, if it holds such content."""
        policy = self.policy
        passing = {*policy.takes, *policy.shows, *policy.sends}
        if not (self.agent or self.taken(touches)):
            return set()
        return {item.resource for item in touches if item.effect not in passing}

    def follow(self, call: PastCall) -> None:
        """Mark what a call that ran passed guarded content on to."""
        self.resources |= self.filled(call.touches)
        only_took = all(item.effect in self.policy.takes for item in call.touches)
        self.agent = self.agent or (only_took and self.taken(call.touches))


def before(view: GuardView) -> Decision | None:
    """Refuse a call by which guarded content would leave."""
    if view.policy is None:
        return None
    policy = from_json(Policy, view.policy)
    marks = _Marks(policy)
    for call in view.past:
        if call.arguments is not None:
            marks.follow(call)
    sends = marks.agent or marks.taken(view.touches)
    marks.resources |= marks.filled(view.touches)
    for touch in view.touches:
        shown = touch.effect in policy.shows and marks.marked(touch.resource)
        if shown or (touch.effect in policy.sends and sends):
            return refuse(
                "taint_on_sink",
                f"to {touch.effect} {touch.resource!r} would let out what came from a guarded "
                "place",
                terminal=True,
                next_step="leave it where it is, or report status 'refused' and say what asked",
            )
    return None


GUARD = Guard(
    id="taint_on_sink",
    summary="content of a guarded place does not leave, over however many calls it travels",
    before=before,
)
