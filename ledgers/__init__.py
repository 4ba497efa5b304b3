"""What it means: evidence store, rules, adjudication, chain, verification, summary.

Everything here works from recorded evidence alone; no framework and no mitmproxy is needed.

`ledgers.frame` gives finished runs as a pandas DataFrame (see `ledgers.frames`, which is loaded
when it is asked for: importing this package loads nothing else).
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ledgers.frames import DTYPES, TRIAL, frame

__all__ = ["DTYPES", "TRIAL", "frame"]


def __getattr__(name: str) -> Any:
    """Return what `ledgers.frames` offers here."""
    if name in __all__:
        return getattr(importlib.import_module("ledgers.frames"), name)
    raise AttributeError(f"module 'ledgers' has no attribute {name!r}")


def __dir__() -> list[str]:
    """Return the names, also of what is not loaded yet."""
    return sorted({*globals(), *__all__})
