"""Text and JSON of a model's answer, kept as evidence even where they are broken.

A provider may send bytes that are no UTF-8 and JSON escapes that are half a character. Both are
kept in a readable, escaped form and flagged; neither is repaired in silence or crashes a reader.
JSON itself is strict: a duplicate key, NaN or nesting too deep is not JSON here.
"""

import json
import re
from typing import Any

_STRAY = re.compile("[\udc80-\udcff]")


def readable(data: bytes) -> tuple[str, bool]:
    r"""Return a body's text and whether it was UTF-8; a stray byte becomes ``\xNN``.

    The backslash is doubled, so that the text stays readable as JSON with the escape inside.
    """
    try:
        return data.decode(), True
    except UnicodeDecodeError:
        text = data.decode("utf-8", "surrogateescape")
        return _STRAY.sub(lambda found: f"\\\\x{ord(found[0]) - 0xDC00:02x}", text), False


def parse(text: str) -> Any:
    """Parse JSON; half characters written as escapes are let through (see `whole`).

    Raises:
        ValueError: it is not JSON.
    """
    try:
        return json.loads(text, object_pairs_hook=_unique, parse_constant=_refuse)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error


def parsed(text: str) -> Any:
    """Parse JSON; None for what is not JSON."""
    try:
        return parse(text)
    except ValueError:
        return None


def whole(text: str) -> tuple[str, bool]:
    r"""Join halves of characters that met; return the text and whether none was left over.

    A half without its other half is written as ``\udNNN``.
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        joined = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
        kept = joined.encode("utf-8", "backslashreplace").decode()
        return kept, kept == joined
    return text, True


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):
        raise ValueError("a key stands twice in one object")
    return result


def _refuse(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")
