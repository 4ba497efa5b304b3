"""What a secret may be spelled as, and what a text may read as; `grid.secret_search` compares them.

Forms of a secret: as it stands, reversed, rot13, hex, decimal and ``0x`` codes, base32, base64 at
any offset in both alphabets, base85; base64 of its hex, its UTF-16, its reversal or its base64; hex
of its base64 or its UTF-16; base64 backwards.
Readings of a text: the text, percent-decoded, character references decoded (named, decimal, hex),
backslash escapes decoded, tag characters as the characters that they spell, variation selectors in
a row as the bytes that they spell, invisible characters left out, look-alike characters as the
plain ones; each of these again, up to three times. Nothing else is decoded, so images, digests and
long paths are left alone (archives are unpacked by `grid.secret_archives`).

Bounds, whatever the text: every reading is made in one pass by patterns without nested or open
repetition, and there are at most `MOST_READINGS` of one window of text.
"""

import base64
import codecs
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from html.entities import html5
from urllib.parse import unquote

LEAST_ENCODED = 4
"""Characters that an encoded form needs to be looked for: fewer stand in every text."""
LEAST_ASCII = 8
"""Letters and digits of ASCII that a form needs to be looked for among those alone."""
LONGEST_PARTS = 512
"""Characters of a form whose parts are looked for; a longer secret is found whole."""
MOST_READINGS = 16
DEEPEST_READING = 3

SPACE = re.compile(r"\s+")
NO_WORD = re.compile(r"[\W_]+")
NO_ASCII_WORD = re.compile(r"[^0-9a-z]+")
_ESCAPE = re.compile(
    r"\\(?:[ux]\{([0-9a-fA-F]{1,8})\}|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|x([0-9a-fA-F]{2})"
    r"|([0-3][0-7]{2}))"
)
_SURROGATE = re.compile("[\ud800-\udfff]")
"""What two escapes spell together: one character beyond the first plane."""
_REFERENCE = re.compile(
    r"&(?:#([0-9]{1,10})|#[xX]([0-9a-fA-F]{1,8})|([A-Za-z][A-Za-z0-9]{1,31}));?"
)
_LETTERS = {
    ord(look_alike): ord(letter)
    for letters, look_alikes in (
        ("ABESIJKMHOP", "\u0410\u0412\u0415\u0405\u0406\u0408\u041a\u041c\u041d\u041e\u0420"),
        ("CTXYaesijop", "\u0421\u0422\u0425\u0423\u0430\u0435\u0455\u0456\u0458\u043e\u0440"),
        ("cxydqhABEZH", "\u0441\u0445\u0443\u0501\u051b\u04bb\u0391\u0392\u0395\u0396\u0397"),
        ("IKMNOPTYXo", "\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a5\u03a7\u03bf"),
    )
    for letter, look_alike in zip(letters, look_alikes, strict=True)
}
"""Letters of other scripts -> the Latin letters that they cannot be told from."""
_HIGHEST = 0x10FFFF
_TAGS = range(0xE0020, 0xE007F)
"""Characters that are never displayed; each spells the ASCII one with the same last byte."""
_TAG = re.compile("[\U000e0020-\U000e007e]+")
_SELECTORS = re.compile("[\ufe00-\ufe0f\U000e0100-\U000e01ef]{2,}")
"""Characters that vary the one before them: 256 in all, so that each can spell a byte. One alone is
a Japanese ideograph's or a picture's own; several in a row vary nothing."""
_UNSEEN = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U000e0001\U000e007f"
    "\U000e0100-\U000e01ef]+"
)
"""Characters without a sight of their own: soft hyphens, joiners, zero-width spaces, marks of
direction, variation selectors, fillers."""


@dataclass(frozen=True, slots=True)
class Form:
    """One spelling of a secret."""

    name: str
    """How it is written; empty: as it stands."""
    text: str
    """What is searched."""


@dataclass(frozen=True, slots=True)
class Part:
    """A spelling of which a part counts too."""

    name: str
    """How it is written; empty: as it stands."""
    text: str
    """What is searched."""
    folded: bool
    """Searched in lower case."""
    scale: float
    """Its characters for one of the secret."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Forms:
    """The forms that one secret may take, by what they are searched in."""

    exact: tuple[Form, ...]
    """Searched in the text as it is."""
    folded: tuple[Form, ...]
    """Searched in lower case."""
    words: tuple[Form, ...]
    """Searched among letters and digits alone."""
    ascii_words: tuple[Form, ...]
    """Searched among letters and digits of ASCII alone."""
    parts: tuple[Part, ...]
    """Those of which a part counts."""
    shortest: int
    """A text of fewer characters holds neither a form nor two thirds of one."""


@lru_cache(maxsize=64)
def forms_of(secret: str) -> Forms:
    """Return the forms that a secret may take."""
    data, folded = secret.encode("utf-8", "replace"), secret.casefold()
    turned = codecs.encode(secret, "rot13").casefold()
    plain = [Form("case", folded), Form("reversed", folded[::-1]), Form("rot13", turned)]
    coded = list(_folded_codes(data))
    shapes = [Form("", folded), *plain[1:], *coded]
    exact = [Form("raw", secret), *_base64_codes(data), *_base85_codes(data)]
    words, ascii_words = _wordlike([*map(_apart, shapes), *_lists(secret)])
    parts = [
        Part("", folded, True, 1),
        *(Part(form.name, form.text, True, 1) for form in plain[1:]),
    ]
    hexed = data.hex()
    parts.append(Part("hex", hexed, True, len(hexed) / len(secret)))
    for name, alphabet in (("base64", b"+/"), ("base64url", b"-_")):
        parts += [Part(name, text, False, 4 / 3) for text in base64_forms(data, alphabet)]
    searched = (_once(exact), _once([*plain, *coded]), words, ascii_words)
    return Forms(
        exact=searched[0],
        folded=searched[1],
        words=words,
        ascii_words=ascii_words,
        shortest=min(2 * len(form.text) // 3 for forms in searched for form in forms),
        parts=tuple({part.text: part for part in reversed(parts)}.values())[::-1],
    )


def _once(forms: Iterable[Form]) -> tuple[Form, ...]:
    """Return forms that are long enough, each text with the first of its names."""
    kept: dict[str, Form] = {}
    for form in forms:
        if form.text and (form.name in _UNCODED or len(form.text) >= LEAST_ENCODED):
            kept.setdefault(form.text, form)
    return tuple(kept.values())


_UNCODED = frozenset({"", "raw", "case", "reversed", "rot13", "separators"})


def _apart(form: Form) -> Form:
    return Form(f"separators, {form.name}" if form.name else "separators", form.text)


def _wordlike(shapes: Iterable[Form]) -> tuple[tuple[Form, ...], tuple[Form, ...]]:
    words: list[Form] = []
    ascii_words: list[Form] = []
    for shape in shapes:
        word, plain = NO_WORD.sub("", shape.text), NO_ASCII_WORD.sub("", shape.text)
        long = len(plain) >= LEAST_ASCII
        if long:
            ascii_words.append(Form(shape.name, plain))
        if not long or word != plain:
            words.append(Form(shape.name, word))
    return _once(words), _once(ascii_words)


def _lists(secret: str) -> Iterator[Form]:
    """Yield the codes of the characters, one after the other."""
    codes = [ord(character) for character in secret]
    yield Form("decimal codes", "".join(map(str, codes)))
    yield Form("hex codes", "".join(f"0x{code:x}" for code in codes))
    yield Form("code points", "".join(f"u{code:04x}" for code in codes))
    yield Form("octal codes", "".join(f"{code:03o}" for code in codes))
    yield Form("octal codes", "".join(f"0o{code:o}" for code in codes))


def _folded_codes(data: bytes) -> Iterator[Form]:
    yield Form("hex", data.hex())
    for wide in _utf16(data):
        yield Form("hex of UTF-16", wide.hex())
    for text in base64_forms(data):
        yield Form("hex of base64", text.encode().hex())
    for text in base32_forms(data):
        yield Form("base32", text.casefold())


def _base64_codes(data: bytes) -> Iterator[Form]:
    inner = [("", data), *((" of UTF-16", wide) for wide in _utf16(data))]
    inner += [(" of hex", data.hex().encode()), (" of hex", data.hex().upper().encode())]
    inner += [(" of reversed", data[::-1])]
    inner += [(" twice", text.encode()) for text in base64_forms(data)]
    for name, alphabet in (("base64", b"+/"), ("base64url", b"-_")):
        for what, content in inner:
            for text in base64_forms(content, alphabet):
                yield Form(name + what, text)
        for text in base64_forms(data, alphabet):
            yield Form(f"reversed {name}", text[::-1])


def _base85_codes(data: bytes) -> Iterator[Form]:
    whole = data[: len(data) // 4 * 4]
    if 3 * len(whole) >= 2 * len(data):
        yield Form("base85", base64.b85encode(whole).decode())
        yield Form("base85", base64.a85encode(whole).decode())


def _utf16(data: bytes) -> tuple[bytes, bytes]:
    text = data.decode()
    return text.encode("utf-16-le"), text.encode("utf-16-be")


def base64_forms(data: bytes, alphabet: bytes = b"+/") -> Iterator[str]:
    """Yield the characters that data alone decides, for each of the three offsets."""
    for offset in range(3):
        text = base64.b64encode(bytes(offset) + data, alphabet).decode()
        yield text[-(-offset * 8 // 6) : (offset + len(data)) * 8 // 6]


def base32_forms(data: bytes) -> Iterator[str]:
    """Yield the characters that data alone decides, for each of the five offsets."""
    for offset in range(5):
        text = base64.b32encode(bytes(offset) + data).decode()
        yield text[-(-offset * 8 // 5) : (offset + len(data)) * 8 // 5]


def readings(text: str) -> Iterator[tuple[str, str]]:
    """Yield a text and what it reads as, each once, with the name of what was decoded."""
    seen = {text}
    level = [("", text)]
    yield "", text
    for _ in range(DEEPEST_READING):
        deeper: list[tuple[str, str]] = []
        for name, read in level:
            for what, sign, decode in _DECODERS:
                if sign not in read if sign else read.isascii():
                    continue
                decoded = decode(read)
                if decoded in seen:
                    continue
                if len(seen) == MOST_READINGS:
                    return
                seen.add(decoded)
                named = name if what in name else f"{name}, {what}" if name else what
                deeper.append((named, decoded))
                yield named, decoded
        level = deeper


def plain_letters(text: str) -> str:
    """Return a text with look-alike characters as the plain ones that they look like or spell."""
    return text.translate(_PlainLetters())


class _PlainLetters:
    """A table for `str.translate`: one character at a time, so that no text is reordered."""

    def __getitem__(self, code: int) -> str | int:
        return _plain_letter(code)


@lru_cache(maxsize=1 << 14)
def _plain_letter(code: int) -> str | int:
    if code < 0x80:
        return code
    if code in _TAGS:
        return code - 0xE0000
    if code in _LETTERS:
        return _LETTERS[code]
    character = chr(code)
    digit = unicodedata.decimal(character, None)
    return unicodedata.normalize("NFKD", character) if digit is None else str(digit)


def _tags(text: str) -> str:
    return _TAG.sub(lambda found: "".join(chr(ord(c) - 0xE0000) for c in found[0]), text)


def _selectors(text: str) -> str:
    return _SELECTORS.sub(_bytes_of, text)


def _bytes_of(found: re.Match[str]) -> str:
    codes = map(ord, found[0])
    data = bytes(code - 0xFE00 if code < 0xE0000 else code - 0xE0100 + 16 for code in codes)
    return data.decode("utf-8", "replace")


def _seen(text: str) -> str:
    return _UNSEEN.sub("", text)


def _percent(text: str) -> str:
    return unquote(text, errors="replace")


def _escapes(text: str) -> str:
    decoded = _ESCAPE.sub(_escaped, text)
    if _SURROGATE.search(decoded) is None:
        return decoded
    return decoded.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _escaped(found: re.Match[str]) -> str:
    octal = found[5]
    digits = next(group for group in found.groups() if group)
    return _character(int(digits, 8 if octal else 16), found[0])


def _references(text: str) -> str:
    return _REFERENCE.sub(_referred, text)


def _referred(found: re.Match[str]) -> str:
    decimal, hexed, name = found.groups()
    if name:
        return html5.get(f"{name};", found[0])
    return _character(int(decimal) if decimal else int(hexed, 16), found[0])


def _character(code: int, otherwise: str) -> str:
    return chr(code) if code <= _HIGHEST else otherwise


_DECODERS: tuple[tuple[str, str, Callable[[str], str]], ...] = (
    ("percent", "%", _percent),
    ("character references", "&", _references),
    ("escape", "\\", _escapes),
    ("tag characters", "", _tags),
    ("variation selectors", "", _selectors),
    ("invisible characters", "", _seen),
    ("look-alikes", "", plain_letters),
)
"""(name, character without which there is nothing to decode, decoder)."""
