"""Finding a secret in texts, raw, encoded, in part or in pieces, and naming how it was written.

The one finder that the guard `credential_isolation` and the rules on leaks share: what a rule calls
a leak, the guard can prevent. It is pure, and it never decodes on a guess: the forms of the secret
(`grid.secret_forms`) are searched as plain substrings in every reading of a text.

1. A text holds the secret in one piece, or with separators between its characters; an archive
   that is written out in the text holds it so (`grid.secret_archives`).
2. A text holds two thirds of it or more in one piece, but no fewer than `LEAST_CUT` characters.
3. The texts of one channel hold it when they are joined.
4. All texts together hold it in pieces, in whatever order and with whatever between: at most
   `MOST_PIECES`, each of at least `LEAST_PIECE` characters, that cover five sixths of it without a
   gap.

3 and 4 are asked only if 1 and 2 found nothing. To hold more texts never hides a sight.

Bounds, whatever the texts: long texts are read in windows of `WINDOW` characters that overlap; each
window has a fixed number of readings, each searched once for each of a fixed number of forms, and
what a fixed number of archives says, up to a fixed length. Time grows with the length of the texts,
memory with the window.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from grid.secret_archives import unpacked
from grid.secret_forms import (
    LONGEST_PARTS,
    NO_ASCII_WORD,
    NO_WORD,
    SPACE,
    Form,
    Forms,
    Part,
    forms_of,
    readings,
)

WINDOW = 1 << 18
OVERLAP = 1 << 14
LONGEST_FORM = 16
"""Characters that one of the secret may take up in a text."""
LEAST_CUT = 12
MOST_PIECES = 4
LEAST_PIECE = 6
REMEMBERED = 1 << 20
"""A text of up to so many characters is not read again when it comes again."""


class Said(NamedTuple):
    """One text and the channel that it belongs to."""

    channel: str
    """Which texts follow one another, such as an argument of a tool."""
    text: str
    """The text."""


class Sight(NamedTuple):
    """One sight of a secret."""

    at: int
    """Which text, from 0; for a secret in pieces, the text of the last one."""
    encoding: str
    """How it was written, such as ``raw`` or ``percent, base64``."""


def sights(secret: str, said: Sequence[Said]) -> tuple[Sight, ...]:
    """Return every sight of a secret in texts, in order; one that is split counts once."""
    found = [
        Sight(index, name)
        for index, (_, text) in enumerate(said)
        if (name := encoding_in(secret, text))
    ]
    return tuple(found) or tuple(_split(secret, said))


def encoding_in(secret: str, text: str) -> str:
    """Return how a secret is written in a text, or an empty string if it is not there."""
    return (_known_encoding if len(text) <= REMEMBERED else _encoding)(secret, text)


def _encoding(secret: str, text: str) -> str:
    if not secret:
        return ""
    forms = forms_of(secret)
    if len(text) < forms.shortest:
        return ""
    for window in windows(text, len(secret)):
        views = tuple(readings(window))
        inside = dict.fromkeys(found for _, view in views for found in unpacked(view))
        name = _seen_in(forms, views)
        if not name or name.endswith(("base64", "hex")):  # an archive says more of it
            name = _seen_inside(forms, inside) or name
        if name:
            return name
    return ""


def _seen_inside(forms: Forms, archives: Iterable[tuple[str, str]]) -> str:
    """Return how the texts of archives hold one of the forms, each read in every way."""
    for archive, text in archives:
        views = ((f"{archive}, {name}" if name else archive, view) for name, view in readings(text))
        if name := _seen_in(forms, tuple(views)):
            return name
    return ""


def _seen_in(forms: Forms, views: tuple[tuple[str, str], ...]) -> str:
    """Return how readings hold one of the forms; the plainest way counts."""
    for look in (_whole, _spread, _cut):
        for reading, view in views:
            if name := look(forms, view):
                named = [reading, "" if reading and name == "raw" else name]
                return ", ".join(part for part in named if part)
    return ""


_known_encoding = lru_cache(maxsize=1 << 9)(_encoding)


def windows(text: str, length: int) -> Iterator[str]:
    """Yield overlapping windows of a text in which a secret of some length is looked for."""
    beyond = max(OVERLAP, LONGEST_FORM * length)
    yield text[: WINDOW + beyond]
    for start in range(WINDOW, len(text), WINDOW):
        yield text[start : start + WINDOW + beyond]


def _first(forms: Sequence[Form], view: str) -> str:
    for form in forms:
        if form.text in view:
            return form.name
    return ""


def _whole(forms: Forms, view: str) -> str:
    """Return the name of a form that stands in a view in one piece."""
    return _first(forms.exact, view) or _first(forms.folded, view.casefold())


def _spread(forms: Forms, view: str) -> str:
    """Return the name of a form whose characters stand apart in a view."""
    packed = SPACE.sub("", view)
    if len(packed) != len(view) and (name := _first(forms.exact, packed)):
        return "separators" if name == "raw" else name
    folded = view.casefold()
    name = _first(forms.ascii_words, NO_ASCII_WORD.sub("", folded)) if forms.ascii_words else ""
    if not name and forms.words:
        name = _first(forms.words, NO_WORD.sub("", folded))
    return name


def _cut(forms: Forms, view: str) -> str:
    """Return the name of a form of which two thirds or more stand in a view in one piece."""
    folded = view.casefold()
    packed = SPACE.sub("", view)
    bare = NO_ASCII_WORD.sub("", folded)
    for part in forms.parts:
        where = (folded, bare) if part.folded else (view, packed)
        for separated, haystack in enumerate(where):
            needle = NO_ASCII_WORD.sub("", part.text) if separated and part.folded else part.text
            if _mostly_in(needle[:LONGEST_PARTS], haystack, LEAST_CUT * part.scale):
                named = ["separators" if separated else "", "cut short", part.name]
                return ", ".join(word for word in named if word)
    return ""


def _mostly_in(form: str, view: str, least: float) -> bool:
    """Tell whether two thirds of a form stand in a view: they hold the form's middle third."""
    kept = max(math.ceil(least), -(-2 * len(form) // 3))
    if kept >= len(form):
        return False
    left, right = len(form) - kept, kept
    at = view.find(form[left:right])
    while at >= 0:
        before, after = at, at + right - left
        start, end = left, right
        while start and before and form[start - 1] == view[before - 1]:
            start, before = start - 1, before - 1
        while end < len(form) and after < len(view) and form[end] == view[after]:
            end, after = end + 1, after + 1
        if end - start >= kept:
            return True
        at = view.find(form[left:right], at + 1)
    return False


def _split(secret: str, said: Sequence[Said]) -> Iterator[Sight]:
    """Yield the sight of a secret that is spread over texts, or in pieces in one."""
    channels: dict[str, list[int]] = {}
    for index, (channel, _) in enumerate(said):
        channels.setdefault(channel, []).append(index)
    for places in channels.values():
        if len(places) > 1:
            name = encoding_in(secret, "".join(said[place].text for place in places))
            if name:
                yield Sight(places[-1], _split_name("" if name == "raw" else name))
                return
    yield from _pieces(secret, said)


def _split_name(name: str) -> str:
    return f"split, {name}" if name else "split"


def _pieces(secret: str, said: Sequence[Said]) -> Iterator[Sight]:
    if len(secret) < LEAST_CUT:
        return
    parts = forms_of(secret).parts
    reached = [[0] * len(part.text[:LONGEST_PARTS]) for part in parts]
    seen: set[str] = set()
    for index, (_, text) in enumerate(said):
        if text in seen:
            continue
        seen.add(text)
        for number, lengths in _reach(secret, text):
            reached[number] = list(map(max, reached[number], lengths))
            if _covers(reached[number], parts[number].scale):
                yield Sight(index, _split_name(parts[number].name))
                return


def _reach(secret: str, text: str) -> tuple[tuple[int, tuple[int, ...]], ...]:
    """Return, for each part of which pieces stand in a text, how far they reach from where."""
    return (_known_reach if len(text) <= REMEMBERED else _read_reach)(secret, text)


def _read_reach(secret: str, text: str) -> tuple[tuple[int, tuple[int, ...]], ...]:
    if len(text) < LEAST_PIECE:
        return ()
    parts = forms_of(secret).parts
    best: dict[int, tuple[int, ...]] = {}
    for window in windows(text, len(secret)):
        for _, view in readings(window):
            folded = view.casefold()
            for number, part in enumerate(parts):
                where = folded if part.folded else view
                if any(anchor in where for anchor in _anchors(part)):
                    lengths = _lengths(part, where)
                    best[number] = tuple(map(max, best.get(number, lengths), lengths))
    return tuple(sorted(best.items()))


_known_reach = lru_cache(maxsize=1 << 9)(_read_reach)


@lru_cache(maxsize=1 << 9)
def _anchors(part: Part) -> tuple[str, ...]:
    """Return blocks of a part of which every piece that is long enough holds one."""
    form, size = part.text[:LONGEST_PARTS], (math.ceil(LEAST_PIECE * part.scale) + 1) // 2
    return tuple(form[at : at + size] for at in range(0, len(form) - size + 1, size))


def _lengths(part: Part, view: str) -> tuple[int, ...]:
    """Return for each character of a part how long a piece from there on stands in a view."""
    form, least = part.text[:LONGEST_PARTS], math.ceil(LEAST_PIECE * part.scale)
    lengths: list[int] = []
    end = 0
    for start in range(len(form)):
        end = max(end, start)  # what stands from a character on stands from the next one on, too
        if end < start + least:
            if start + least > len(form) or form[start : start + least] not in view:
                lengths.append(end - start if end > start else 0)
                continue
            end = start + least
        while end < len(form) and form[start : end + 1] in view:
            end += 1
        lengths.append(end - start)
    return tuple(lengths)


def _covers(lengths: Sequence[int], scale: float) -> bool:
    """Tell whether a few pieces cover five sixths of a form without a gap."""
    size, end = len(lengths), 0
    far: list[int] = []  # how far a piece that holds a character reaches beyond it
    for start, length in enumerate(lengths):
        if length >= LEAST_PIECE * scale:
            end = max(end, start + length)
        far.append(max(end, start))
    far.append(size)
    for start in range(size):
        reached = start
        for _ in range(MOST_PIECES):
            reached = far[reached]
        if 6 * (reached - start) >= 5 * size:
            return True
    return False
