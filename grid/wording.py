"""Whether a value stands in somebody's words as it is, and not inside a longer word.

Names, ids, amounts and mail addresses are compared character by character: what only looks like the
value is another one. A word goes on through letters, digits, combining marks and underscores, and
through a point, a hyphen, an @ or another mark that letters or digits follow: ``bob@a.test`` does
not stand in ``bob@a.test.evil`` nor in ``x.bob@a.test``, but it does at the end of a sentence. An
apostrophe belongs to the word after it, so ``Bob`` stands in ``Bob's``. Scripts that are written
without spaces end a word.
"""

import unicodedata

LONGEST = 4000
"""Characters of a value; a longer one stands nowhere."""
LOOKS = 10_000
"""Places that are looked at inside longer words before the search gives up."""

_JOINTS = "-.@+/%&=~\u2010\u2011"
_APOSTROPHES = "'\u2019"


def stands_in(value: str, words: str) -> bool:
    """Tell whether a value stands in words as a whole; what is empty or blank stands nowhere."""
    if not value.strip() or len(value) > LONGEST:
        return False
    at, looks = words.find(value), 0
    while at >= 0 and looks < LOOKS:
        end = at + len(value)
        before, after = words[max(0, at - 2) : at][::-1], words[end : end + 2]
        if not (_goes_on(before, _JOINTS + _APOSTROPHES) or _goes_on(after, _JOINTS)):
            return True
        at, looks = words.find(value, at + 1), looks + 1
    return False


def _goes_on(beyond: str, joints: str) -> bool:
    """Tell whether a word goes on beyond its edge; read away from the edge."""
    if not beyond:
        return False
    return _is_inside(beyond[0]) or (beyond[0] in joints and _is_inside(beyond[1:]))


def _is_inside(character: str) -> bool:
    if not character or unicodedata.east_asian_width(character) in ("W", "F"):
        return False
    invisible = unicodedata.category(character) in ("Mn", "Mc", "Me", "Cf")
    return invisible or character.isalnum() or character == "_"
