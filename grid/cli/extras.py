"""What is said where a command needs a package that an install without extras does not have."""

from collections.abc import Iterator
from contextlib import contextmanager

from grid.errors import ConfigError

LONGEST = 300
"""Characters of a package's own sentence that are passed on."""


@contextmanager
def needing(what: str, extra: str) -> Iterator[None]:
    """Turn a package that is missing, or does not load, into a sentence that names the extra.

    Args:
        what: what needs it.
        extra: the extra that brings it.

    Raises:
        ConfigError: a package is not there.
    """
    try:
        yield
    except ImportError as error:
        raise lacking(what, extra, error) from error


def lacking(what: str, extra: str, error: ImportError) -> ConfigError:
    """Return the sentence; a package that does not load often names nobody in its error."""
    if isinstance(error, ModuleNotFoundError) and error.name:
        why = f"{error.name.partition('.')[0]}, which is not installed"
    else:
        why = f"a package that does not load ({' '.join(str(error).split())[:LONGEST]})"
    return ConfigError(f"{what} needs {why}; install nonverba[{extra}]")
