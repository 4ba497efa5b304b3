"""What may reach the disk: headers by allow-list, bodies with the trial's own keys replaced.

Sits between the live flow and the recorder. A header that is not listed is never written, so no
credential header can be forgotten. In bodies and paths the provider's key, the virtual key and the
attribution token of the trial, and every credential that a client brought along itself, are
replaced by placeholders that are the same in every run, raw and in the usual encodings. Canaries
are evidence and are left alone.

A key of under `SHORTEST` characters is not searched for in bodies: replacing ``x`` or ``EMPTY``
would shred the evidence, and such a key protects nothing. One that a model spells out over several
events of a stream is no single text on the wire, and is not found.
"""

import base64
import re
import urllib.parse
from collections.abc import Collection, Iterable, Sequence

from grid.canonical import plain_json, scrub_text
from proxy.escapes import replaced, unescaped

REQUEST_HEADERS = ("content-type", "accept")
RESPONSE_HEADERS = (
    "content-type",
    "retry-after",
    "retry-after-ms",
    "x-should-retry",
    "x-amzn-errortype",
)
"""What a client acts on, so that a replayed answer is the same to it."""
_ONLY = {
    "retry-after-ms": re.compile(r"[0-9]{1,12}(\.[0-9]{1,12})?"),
    "x-should-retry": re.compile(r"(?i:true|false)"),
}
"""What these must be to be kept: with anything else no client acts on them."""

SHORTEST = 8

PASSING_MOST = 16
"""How many credentials that pass are known at once: those of the exchanges under way."""
LASTING_MOST = 32
"""How many lasting ones of a client are known at once: some servers give a new cookie with each
answer, and each would make every later exchange slower. One that comes again stays."""

PROVIDER_KEY = b"[provider key]"
VIRTUAL_KEY = b"[virtual key]"
TOKEN = b"[trial token]"
CLIENT_KEY = b"[client key]"


class Redaction:
    """Replaces the credentials of one trial in bytes."""

    def __init__(self, *, secrets: Sequence[str] = (), key: str, token: str) -> None:
        """Prepare every form in which they may occur, longest first.

        Args:
            secrets: the keys of the trial's providers; an empty one is none.
            key: the trial's virtual key.
            token: its attribution token.
        """
        self._known: dict[bytes, bytes] = {}
        self._lasting: dict[bytes, set[bytes]] = {}
        self._passing: dict[bytes, set[bytes]] = {}
        self._forms: tuple[tuple[bytes, bytes], ...] = ()
        self._shortest = 0
        self._add(token, TOKEN)
        self._add(key, VIRTUAL_KEY)
        for secret in secrets:
            self._add(secret, PROVIDER_KEY)
        found = {one.encode() for one in secrets if len(one) >= SHORTEST}
        self.secrets = tuple(sorted(found, key=lambda one: (-len(one), one)))
        """The providers' keys that are searched for, as they are on the wire; longest first, since
        one may begin like another."""

    def learn(self, *credentials: str, lasting: bool = True) -> None:
        """Replace credentials that a client brought along from now on, as `CLIENT_KEY`.

        One that is known already keeps its placeholder; one of under `SHORTEST` characters is left
        alone. When `LASTING_MOST` others have come since, one is forgotten, but never one of those
        that came with it.

        Args:
            credentials: all that came with one message.
            lasting: they may come again. One that does not, as a signature over a single request,
                is forgotten when `PASSING_MOST` others of its kind have come.
        """
        known, most = (self._lasting, LASTING_MOST) if lasting else (self._passing, PASSING_MOST)
        new = False
        for value in credentials:
            raw = value.encode("utf-8", "surrogateescape")
            if len(raw) < SHORTEST or raw in self._known:
                continue
            if not lasting and raw in self._lasting:
                continue
            forms = known.pop(raw, None)
            new = new or forms is None
            known[raw] = forms or _forms(raw)
        while len(known) > max(most, len(credentials)):
            del known[next(iter(known))]
        if new:
            self._sort()

    def learn_brought(self, credentials: Iterable[tuple[str, bool]]) -> None:
        """Learn what came with one request: each credential, and whether it lasts."""
        found = tuple(credentials)
        self.learn(*(value for value, lasting in found if lasting))
        self.learn(*(value for value, lasting in found if not lasting), lasting=False)

    def _add(self, value: str, placeholder: bytes) -> None:
        raw = value.encode("utf-8", "surrogateescape")
        if len(raw) < SHORTEST or raw in self._known:
            return
        self._known = dict.fromkeys(_forms(raw), placeholder) | self._known
        self._sort()

    def _sort(self) -> None:
        brought = (*self._passing.values(), *self._lasting.values())
        known = {form: CLIENT_KEY for forms in brought for form in forms} | self._known
        self._forms = tuple(sorted(known.items(), key=lambda pair: -len(pair[0])))
        self._shortest = len(self._forms[-1][0])

    def clean(self, data: bytes, *, cut: bool = False) -> bytes:
        """Return the bytes with every known credential replaced.

        Args:
            data: a body, or any text.
            cut: it broke off, so that it may end in the first part of a credential.
        """
        if len(data) >= self._shortest:
            for form, placeholder in self._forms:
                if form in data:
                    data = data.replace(form, placeholder)
            told = unescaped(data)
            if told != data:
                for form, placeholder in self._forms:
                    if form in told:
                        data = replaced(data, form, placeholder)
        return self._without_beginning(data) if cut else data

    def _without_beginning(self, data: bytes) -> bytes:
        for form, placeholder in self._forms:
            place = data.find(form[:SHORTEST], max(0, len(data) - len(form) + 1))
            while place >= 0:
                if form.startswith(data[place:]):
                    return data[:place] + placeholder
                place = data.find(form[:SHORTEST], place + 1)
        return data

    def without_secret(self, data: bytes) -> bytes:
        """Return the bytes with every provider's key, as it is, replaced."""
        for secret in self.secrets:
            data = data.replace(secret, PROVIDER_KEY)
        return data

    def clean_text(self, text: str) -> str:
        """Return text with every known credential replaced and lone surrogates escaped."""
        return self.clean(scrub_text(text).encode()).decode("utf-8", "backslashreplace")

    def clean_headers(
        self, fields: Iterable[tuple[bytes, bytes]], names: Collection[str]
    ) -> dict[str, str]:
        """Return the allow-listed headers that are there, by lower-case name, cleaned.

        Args:
            fields: name and value of each header, as they are on the wire.
            names: the list, in lower case; a header that comes twice is folded into one.
        """
        found: dict[str, str] = {}
        for raw, value in fields:
            name = raw.decode("utf-8", "surrogateescape").lower()
            if name in names:
                text = value.decode("utf-8", "surrogateescape")
                found[name] = f"{found[name]}, {text}" if name in found else text
        return {
            name: self.clean_text(text)
            for name, text in found.items()
            if name not in _ONLY or _ONLY[name].fullmatch(text)
        }


def _forms(raw: bytes) -> set[bytes]:
    """Return the forms in which a value may occur: in JSON, in an address, in hex, in base64."""
    quoted = plain_json(raw.decode("utf-8", "surrogateescape"), indent=None)[1:-1]
    escaped = quoted.encode("utf-8", "surrogateescape")
    percent = urllib.parse.quote_from_bytes(raw, "")
    found = {
        raw,
        escaped,
        escaped.replace(b"/", b"\\/"),
        _UNSAFE_IN_HTML.sub(lambda hit: b"\\u%04x" % hit[0][0], escaped),
        percent.encode(),
        re.sub("%..", lambda hit: hit[0].lower(), percent).encode(),
        urllib.parse.quote_from_bytes(raw, "/").encode(),
        raw.hex().encode(),
        raw.hex().upper().encode(),
    }
    for shift in range(3):
        # Inside a longer base64 text only the characters that depend on the key alone are stable.
        start, end = -(-shift * 8 // 6), (shift + len(raw)) * 8 // 6
        for encode in (base64.b64encode, base64.urlsafe_b64encode):
            found.add(encode(bytes(shift) + raw)[start:end])
    return found


_UNSAFE_IN_HTML = re.compile(b"[<>&=']")
"""What some servers escape in JSON, so that it may stand in a page."""
