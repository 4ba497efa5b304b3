"""What a trial is answered from in replay, and how strictly; as the runner says it to the proxy."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Playback:
    """A recording to answer from."""

    file: Path
    """File with the canonical exchanges."""
    crossed: bool = False
    """It is of another framework: its answers are played by turn, whatever is asked."""
    volatile: tuple[str, ...] = ()
    """JSON pointers of request fields that may differ; a step ``*`` is any key or item."""


def playing(replay: Path | Playback | None) -> dict[str, Any]:
    """Return the fields of the command that opens a trial.

    Args:
        replay: the recording; a path alone is a strict replay; None in record mode.
    """
    if replay is None:
        return {"replay": None}
    found = Playback(file=replay) if isinstance(replay, Path) else replay
    return {
        "replay": str(found.file.absolute()),
        "crossed": found.crossed,
        "volatile": list(found.volatile),
    }
