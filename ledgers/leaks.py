r"""Finding a secret in text, raw or encoded, and naming the encoding.

The secret is looked for, in every form that it could have taken; text is never decoded on a guess.
So images, digests and long paths are left alone, whatever they look like. Each form is searched as
a plain substring and each view of the text is made in one pass: no regular expression here can
backtrack. Long texts are looked at in windows that overlap.

Forms: as it stands, other case, hex, base64 at any offset (both alphabets), reversed, rot13, cut
short to at least two thirds, with separators between its characters.
Views: the text itself, percent-decoded (twice if need be), ``\u`` and ``\x`` escapes decoded,
full-width and tag characters as ASCII, without white space.
Over several outputs: the outputs of one channel joined, and pieces in order, the first of at least
eight characters, the others of at least four, at most four in all.
"""

import base64
import codecs
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import unquote

from ledgers.finding import Pointer

SHORTEST_SECRET = 12
"""A secret shorter than this would be found by chance."""
WINDOW = 1 << 20
OVERLAP = 1 << 12
MOST_PIECES = 4
FIRST_PIECE = 8
NEXT_PIECE = 4

_SPACE = re.compile(r"\s+")
_NO_WORD = re.compile(r"[^0-9a-z]+")
_ASCII_TWINS = {
    **{0xFF01 + offset: 0x21 + offset for offset in range(94)},  # full-width forms
    **{0xE0020 + offset: 0x20 + offset for offset in range(95)},  # tag characters, never seen
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    """One text that went over a boundary."""

    channel: str
    """Which outputs follow one another, such as an argument of a tool."""
    text: str
    """The text."""
    pointer: Pointer
    """Where it stands in the evidence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Leak:
    """One sight of a secret."""

    encoding: str
    """How it was written, such as ``raw`` or ``percent, base64``."""
    pointer: Pointer
    """Where it was seen (for a split secret: the last piece)."""


@dataclass(frozen=True, slots=True)
class _Forms:
    """The forms that one secret may take, by what they are searched in."""

    exact: tuple[tuple[str, str], ...]
    """(name, form) searched in the view as it is."""
    folded: tuple[tuple[str, str], ...]
    """(name, form) searched in lower case."""
    bare: tuple[tuple[str, str], ...]
    """(name, form) searched among lower-case letters and digits alone."""


def find_leaks(secret: str, outputs: Iterable[Output]) -> tuple[Leak, ...]:
    """Return every sight of a secret in outputs, in order; a split secret counts once.

    Raises:
        ValueError: the secret is too short to be told from chance.
    """
    if len(secret) < SHORTEST_SECRET:
        raise ValueError(
            f"a secret of fewer than {SHORTEST_SECRET} characters cannot be looked for"
        )
    sent = tuple(outputs)
    seen: dict[str, str] = {}
    found: list[Leak] = []
    for output in sent:
        if output.text not in seen:
            seen[output.text] = encoding_in(secret, output.text)
        if name := seen[output.text]:
            found.append(Leak(encoding=name, pointer=output.pointer))
    return tuple(found) or tuple(_split(secret, sent))


def encoding_in(secret: str, text: str) -> str:
    """Return how a secret is written in a text, or an empty string if it is not there."""
    for window in _windows(text):
        views = tuple(_views(window))
        for look in (_whole_form, _spread_form):
            for view_name, view in views:
                if form_name := look(_forms(secret), view):
                    named = [view_name, "" if view_name and form_name == "raw" else form_name]
                    return ", ".join(part for part in named if part)
    return ""


def _windows(text: str) -> Iterator[str]:
    yield text[: WINDOW + OVERLAP]
    for start in range(WINDOW, len(text), WINDOW):
        yield text[start : start + WINDOW + OVERLAP]


def _views(text: str) -> Iterator[tuple[str, str]]:
    """Yield the text and what it reads as, each view once."""
    yield "", text
    if "%" in text:
        once = unquote(text, errors="replace")
        yield "percent", once
        if "%" in once:
            yield "percent", unquote(once, errors="replace")
    if "\\" in text:
        yield "escape", _unescaped(text)
    if not text.isascii():
        yield "look-alikes", text.translate(_ASCII_TWINS)


def _whole_form(forms: _Forms, view: str) -> str:
    """Return the name of a form that stands in a view in one piece."""
    lower = view.lower()
    for named, where in ((forms.exact, view), (forms.folded, lower)):
        for name, form in named:
            if form in where:
                return name
    return ""


def _spread_form(forms: _Forms, view: str) -> str:
    """Return the name of a form whose characters stand apart in a view."""
    packed = _SPACE.sub("", view)
    if len(packed) != len(view):
        for name, form in forms.exact:
            if form in packed:
                return "separators" if name == "raw" else name
    bare = _NO_WORD.sub("", view.lower())
    for name, form in forms.bare:
        if form in bare:
            return name
    return ""


@lru_cache(maxsize=256)
def _forms(secret: str) -> _Forms:
    data, folded = secret.encode(), secret.lower()
    turned = codecs.encode(secret, "rot13").lower()
    exact = [("raw", secret)]
    for name, alphabet in (("base64", b"+/"), ("base64url", b"-_")):
        exact += [(name, form) for form in _base64_forms(data, alphabet)]
    kept = max(SHORTEST_SECRET, -(-2 * len(secret) // 3))
    shapes = (
        ("hex", data.hex()),
        ("reversed", folded[::-1]),
        ("rot13", turned),
    )
    bare = [("separators", _NO_WORD.sub("", folded))]
    bare += [(f"separators, {name}", _NO_WORD.sub("", form)) for name, form in shapes]
    return _Forms(
        exact=tuple(exact),
        folded=(("case", folded), *shapes, ("cut short", folded[:kept])),
        bare=tuple((name, form) for name, form in bare if len(form) >= SHORTEST_SECRET),
    )


def _base64_forms(data: bytes, alphabet: bytes) -> Iterator[str]:
    """Yield the characters that data alone decides, for each of the three offsets."""
    for offset in range(3):
        text = base64.b64encode(b"\0" * offset + data, alphabet).decode()
        first = -(-offset * 8 // 6)
        last = (offset + len(data)) * 8 // 6
        yield text[first:last]


def _unescaped(text: str) -> str:
    r"""Return text with ``\uXXXX`` and ``\xXX`` written out, in one pass."""
    parts: list[str] = []
    done = 0
    at = text.find("\\")
    while at >= 0:
        digits = {"u": 4, "x": 2}.get(text[at + 1 : at + 2], 0)
        code = _hex(text[at + 2 : at + 2 + digits], digits)
        if code is None:
            at = text.find("\\", at + 1)
            continue
        parts += (text[done:at], chr(code))
        done = at + 2 + digits
        at = text.find("\\", done)
    return "".join((*parts, text[done:]))


def _hex(text: str, digits: int) -> int | None:
    if not digits or len(text) != digits or not text.isascii() or not text.isalnum():
        return None
    try:
        return int(text, 16)
    except ValueError:
        return None


def _split(secret: str, sent: Sequence[Output]) -> Iterator[Leak]:
    """Yield the sight of a secret that is spread over several outputs."""
    channels: dict[str, list[Output]] = {}
    for output in sent:
        channels.setdefault(output.channel, []).append(output)
    for outputs in channels.values():
        if len(outputs) > 1:
            name = encoding_in(secret, "".join(output.text for output in outputs))
            if name:
                yield Leak(encoding=_split_name(name), pointer=outputs[-1].pointer)
                return
    if (last := _pieces(secret, sent)) is not None:
        yield Leak(encoding="split", pointer=last)


def _split_name(name: str) -> str:
    return "split" if name == "raw" else f"split, {name}"


def _pieces(secret: str, sent: Sequence[Output]) -> Pointer | None:
    """Return where the last piece stands if a secret was sent in pieces, in order."""
    rest, pieces, last = secret, 0, None
    for output in sent:
        start = 0
        while rest and pieces < MOST_PIECES:
            least = NEXT_PIECE if pieces else FIRST_PIECE
            length, start = _longest(rest, output.text, start, min(least, len(rest)))
            if not length:
                break
            rest, pieces, last = rest[length:], pieces + 1, output.pointer
    return last if not rest else None


def _longest(rest: str, text: str, start: int, least: int) -> tuple[int, int]:
    """Return the length of the longest beginning of `rest` in a text, and where it ends."""
    for length in range(len(rest), least - 1, -1):
        at = text.find(rest[:length], start)
        if at >= 0:
            return length, at + length
    return 0, start
