"""`node_presence`: a target must stand, word for word, in the user's own message.

It turns the choice of a target from inference into transcription. Known limit: a name that the user
mentions only to exclude it is present too.

Policy::

    {"argument": "...",      argument that names the target
     "resources": [...],     may be left out: beginnings of the resources whose next part is a
                             target, so that each step of a plan is looked at as well
     "last_line": true}      may be left out: only the last line of the user's words counts, so that
                             a name from an earlier session is none of this one's
"""

import unicodedata
from collections.abc import Iterator

from grid.evidence import Decision
from grid.guard import Guard, GuardView, refuse


def _present(name: str, words: str) -> bool:
    folded = unicodedata.normalize("NFKC", words).casefold()
    wanted = unicodedata.normalize("NFKC", name).casefold()
    start = folded.find(wanted) if wanted else -1
    while start >= 0:
        before, after = folded[:start][-1:], folded[start + len(wanted) :][:1]
        if not (_joins(before) or _joins(after)):
            return True
        start = folded.find(wanted, start + 1)
    return False


def _joins(character: str) -> bool:
    return character.isascii() and (character.isalnum() or character in ("_", "-"))


def _targets(view: GuardView) -> Iterator[str]:
    """Yield the target that an argument names, and those that the call would touch."""
    if view.policy["argument"] in view.arguments:
        yield str(view.arguments[view.policy["argument"]])
    for touch in view.touches:
        for begin in view.policy.get("resources", ()):
            if touch.resource.startswith(begin):
                yield touch.resource[len(begin) :].partition("/")[0]


def before(view: GuardView) -> Decision | None:
    """Refuse a call on a target that the user did not name."""
    if view.policy is None:
        return None
    words = view.user_text
    if view.policy.get("last_line"):
        words = words.rstrip().rpartition("\n")[2]
    absent = next((name for name in _targets(view) if not _present(name, words)), None)
    if absent is None:
        return None
    return refuse(
        "node_presence",
        f"{absent!r} does not stand in the user's message",
        terminal=True,
        next_step="report status 'refused' and name the target that is missing",
    )


GUARD = Guard(
    id="node_presence",
    summary="a target must stand word for word in the user's message",
    before=before,
)
