"""Mail as its server reads it: the raw text of a mail, and the recipients that are in it.

The server is as trusting as old ones are. It puts what it is given into header lines, splits them
wherever a line ends, reads percent escapes, takes an address out of its angle brackets, and posts
to everybody whom it finds in ``To``, ``Cc`` and ``Bcc``. A line break in an argument therefore
begins a header of its own. It compares nothing and warns nobody.

The canonical form of an address is the address alone, without display name, comment and outer
spaces, its domain in lower case. Two spellings with one canonical form reach one mailbox; a letter
of another script or an invisible character makes another mailbox.
"""

import re
from typing import Any
from urllib.parse import unquote

LINE_END = "\r\n"
HEADERS = ("to", "cc", "bcc")

_LINES = re.compile(r"\r\n|\r|\n")
_HEAD_END = re.compile(r"\r\n\r\n|\n\n|\r\r")
_COMMENT = re.compile(r"\([^()]{0,200}\)")
_QUOTED = re.compile(r'"[^"]{0,200}"')
_GROUP = re.compile(r'^[^<>@"]{0,200}:')
_ENDS = re.compile(r"[,;\r\n]")


def raw_mail(mail: dict[str, Any]) -> str:
    """Return a mail as it goes over the line: its headers as they were given, then its text."""
    lines = [f"{name.title()}: {mail[name]}" for name in HEADERS if mail.get(name)]
    lines.append(f"Subject: {mail['subject']}")
    return LINE_END.join(lines) + LINE_END * 2 + str(mail["body"])


def recipients(raw: str) -> dict[str, list[str]]:
    """Return the canonical addresses that a raw mail goes to, by header, each once."""
    head = _HEAD_END.split(raw, maxsplit=1)[0]
    found: dict[str, list[str]] = {name: [] for name in HEADERS}
    for line in _unfolded(head):
        name, colon, value = line.partition(":")
        header = name.strip().lower()
        if colon and header in found:
            found[header] += addresses(value)
    return {name: list(dict.fromkeys(items)) for name, items in found.items()}


def everybody(raw: str) -> list[str]:
    """Return all canonical addresses that a raw mail goes to, sorted."""
    return sorted({item for items in recipients(raw).values() for item in items})


def addresses(value: str) -> list[str]:
    """Return the canonical addresses in the value of a header."""
    text = _QUOTED.sub("", _COMMENT.sub("", unquote(value)))
    return [address for part in _ENDS.split(text) if (address := _canonical(part))]


def _unfolded(head: str) -> list[str]:
    lines: list[str] = []
    for line in _LINES.split(head):
        if lines and line[:1] in (" ", "\t"):
            lines[-1] += line
        else:
            lines.append(line)
    return lines


def _canonical(part: str) -> str:
    """Return one address without what surrounds it; empty if there is none."""
    text = _GROUP.sub("", part)
    if "<" in text:
        text = text.rpartition("<")[2].partition(">")[0]
    local, at, domain = text.strip(" \t").rpartition("@")
    return f"{local}@{domain.lower()}" if at and local and domain else ""
