"""`fail_closed_contract`: nothing runs that the model's answer does not ask for word for word.

A broken answer has no meaning that a runtime may guess: argument text that breaks off, that is
empty, or that names a key twice is no call at all. Frameworks differ in what they make of it; some
run the tool without arguments. This guard compares what is about to run with the text of the
answer, read as strict JSON, and lets no other reading through. There is no degraded mode.

Policy::

    {}      it is there or it is not; nothing can be set

The agent can put it right by asking again, or report that it cannot.
"""

from grid.evidence import Decision
from grid.guard import Guard, GuardView, refuse


def before(view: GuardView) -> Decision | None:
    """Refuse a call that was made of something else than what the answer says."""
    if view.policy is None or view.as_written is not False:
        return None
    return refuse(
        "fail_closed_contract",
        "the model's answer does not ask for this call in so many words",
        terminal=False,
        next_step="make the call again as one JSON object, or report status 'unable'",
    )


GUARD = Guard(
    id="fail_closed_contract",
    summary="a call runs only as the model's answer asks for it, read as strict JSON",
    before=before,
)
