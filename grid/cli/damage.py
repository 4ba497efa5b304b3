"""What is said of a standalone recording that is not whole, wherever one is read."""

from grid.cli.console import tell
from grid.display import visible
from grid.errors import ConfigError
from ledgers.recordings import Recordings, SessionRecord

WORDS = 600
"""Characters that are shown of what is wrong with a recording."""


def lacks(record: SessionRecord) -> str:
    """Return in words that a recording is not complete, why, and which places do not read."""
    more = f": {visible(record.detail, WORDS)}" if record.detail else ""
    return f"not complete ({visible(record.reason)}{more})"


def check_readable(stored: Recordings, name: str | None, option: str) -> None:
    """Say which sessions cannot be read and are left out.

    Args:
        stored: a folder as read.
        name: the one session that is wanted; None: all.
        option: the option that named it.

    Raises:
        ConfigError: that session is one of them.
    """
    for item in stored.damaged:
        why = f"the recording of {item.name} cannot be read: {visible(item.why, WORDS)}"
        if name == item.name:
            raise ConfigError(f"{option}: {why}")
        if name is None:
            tell(f"note: {why}; it is left out")
