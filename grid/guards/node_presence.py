"""`node_presence`: a target must stand, word for word, in the user's own message.

It turns the choice of a target from inference into transcription. Policy: {"argument": name of the
argument that names the target}. Known limit: a name that the user mentions only to exclude it is
present too.
"""

import unicodedata

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


def before(view: GuardView) -> Decision | None:
    """Refuse a call on a target that the user did not name."""
    if view.policy is None or view.policy["argument"] not in view.arguments:
        return None
    target = str(view.arguments[view.policy["argument"]])
    if _present(target, view.user_text):
        return None
    return refuse(
        "node_presence",
        f"{target!r} does not stand in the user's message",
        terminal=True,
        next_step="report status 'refused' and name the target that is missing",
    )


GUARD = Guard(
    id="node_presence",
    summary="a target must stand word for word in the user's message",
    before=before,
)
