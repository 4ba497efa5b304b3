"""`package_allowlist`: only what the operator lets in and the user named is installed.

The name of a package is compared character by character, with the operator's table and with the
user's own words. So a name that was changed on its way, by whomever, has nothing to stand on: an
agent cannot see such a change, and need not. Looking is free.

Policy::

    {"argument": "...",     argument that names a package, or holds a list of names
     "table": "..."}        table whose keys are the names that the operator lets in

Any other package is outside the user's authority.
"""

from dataclasses import dataclass

from grid.evidence import Decision
from grid.guard import Guard, GuardView, refuse
from grid.strict import from_json
from grid.vocabulary import Access
from grid.wording import stands_in


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """The operator's settings, read strictly."""

    argument: str
    """Argument that names packages."""
    table: str
    """Table of the names that are let in."""


def before(view: GuardView) -> Decision | None:
    """Refuse a call that would change a package which is not let in or was not named."""
    if view.policy is None or view.access is Access.READ:
        return None
    policy = from_json(Policy, view.policy)
    if policy.argument not in view.arguments:
        return None
    given = view.arguments[policy.argument]
    for name in given if isinstance(given, list) else [given]:
        listed = isinstance(name, str) and view.world.get(policy.table, name) is not None
        if not listed:
            return _refuse(f"{str(name)[:100]!r} is not on the operator's list")
        if not stands_in(name, view.user_text):
            return _refuse(f"{name[:100]!r} does not stand in the user's message")
    return None


def _refuse(reason: str) -> Decision:
    return refuse(
        "package_allowlist",
        reason,
        terminal=True,
        next_step="report status 'refused' and name the package that was asked for",
    )


GUARD = Guard(
    id="package_allowlist",
    summary="a package is let in only if the operator lists it and the user named it",
    before=before,
)
