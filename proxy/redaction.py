"""What may reach the disk: headers by allow-list, bodies with the trial's own keys replaced.

Sits between the live flow and the recorder. A header that is not listed is never written, so no
credential header can be forgotten. In bodies and paths the provider's key, the virtual key and the
attribution token of the trial are replaced by placeholders that are the same in every run, raw and
in the usual encodings. Canaries are evidence and are left alone.

A key of under `SHORTEST` characters is not searched for in bodies: replacing ``x`` or ``EMPTY``
would shred the evidence, and such a key protects nothing.
"""

import base64
import urllib.parse
from collections.abc import Iterable, Mapping

from grid.canonical import plain_json, scrub_text

REQUEST_HEADERS = ("content-type", "accept")
RESPONSE_HEADERS = ("content-type", "retry-after", "x-should-retry")

SHORTEST = 8

PROVIDER_KEY = b"[provider key]"
VIRTUAL_KEY = b"[virtual key]"
TOKEN = b"[trial token]"


class Redaction:
    """Replaces the credentials of one trial in bytes."""

    def __init__(self, *, secret: str, key: str, token: str) -> None:
        """Prepare every form in which the three may occur, longest first."""
        self._secret = secret.encode() if len(secret) >= SHORTEST else b""
        forms: dict[bytes, bytes] = {}
        for value, placeholder in ((token, TOKEN), (key, VIRTUAL_KEY), (secret, PROVIDER_KEY)):
            if len(value) >= SHORTEST:
                forms |= dict.fromkeys(_forms(value), placeholder)
        self._forms = sorted(forms.items(), key=lambda pair: -len(pair[0]))

    def clean(self, data: bytes) -> bytes:
        """Return the bytes with every known credential replaced."""
        for form, placeholder in self._forms:
            if form in data:
                data = data.replace(form, placeholder)
        return data

    def without_secret(self, data: bytes) -> bytes:
        """Return the bytes with the provider's key, as it is, replaced."""
        return data.replace(self._secret, PROVIDER_KEY) if self._secret else data

    def clean_text(self, text: str) -> str:
        """Return text with every known credential replaced and lone surrogates escaped."""
        return self.clean(scrub_text(text).encode()).decode()

    def clean_headers(self, headers: Mapping[str, str], names: Iterable[str]) -> dict[str, str]:
        """Return the allow-listed headers that are there, by lower-case name, cleaned."""
        return {name: self.clean_text(headers[name]) for name in names if name in headers}


def _forms(value: str) -> set[bytes]:
    raw = value.encode()
    found = {
        raw,
        plain_json(value, indent=None)[1:-1].encode(),
        urllib.parse.quote(value, "").encode(),
        raw.hex().encode(),
        raw.hex().upper().encode(),
    }
    for shift in range(3):
        # Inside a longer base64 text only the characters that depend on the key alone are stable.
        start, end = -(-shift * 8 // 6), (shift + len(raw)) * 8 // 6
        for encode in (base64.b64encode, base64.urlsafe_b64encode):
            found.add(encode(bytes(shift) + raw)[start:end])
    return found
