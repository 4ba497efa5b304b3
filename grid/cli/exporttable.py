"""A finished run as a table for other people's tools: Parquet as it is, CSV for spreadsheets.

Parquet holds the frame of `ledgers.frame` with its types. In CSV a missing value is an empty cell,
and text is made harmless: what a terminal would obey or hide comes out as an escape, and a text
that a spreadsheet would take for a formula gets an apostrophe before it.
"""

from collections.abc import Callable
from pathlib import Path

from grid.cli.extras import needing
from grid.display import visible
from ledgers.frames import DTYPES, frame

FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
"""What a spreadsheet may take for the beginning of a formula; the wide forms too."""
LONGEST = 2000
"""Characters of a text in CSV; a spreadsheet's cell holds no more than some."""


def write_parquet(directory: Path, output: Path) -> int:
    """Write the frame of a run as Parquet to a new file; return the number of rows.

    Raises:
        ConfigError: there is no finished run, or pyarrow is not installed.
        FileExistsError: the file is there.
    """
    with needing("Parquet", "stats"):
        import pyarrow  # type: ignore[import-untyped]
        from pyarrow import parquet
    table = pyarrow.Table.from_pandas(frame(directory), preserve_index=False)
    with output.open("xb") as file:
        _whole(output, lambda: parquet.write_table(table, file, compression="zstd"))
    return int(table.num_rows)


def write_csv(directory: Path, output: Path) -> int:
    """Write the frame of a run as CSV to a new file; return the number of rows.

    Raises:
        ConfigError: there is no finished run, or pandas is not installed.
        FileExistsError: the file is there.
    """
    found = frame(directory)
    for name, dtype in DTYPES.items():
        if dtype in ("category", "string"):
            found[name] = found[name].astype("string").map(harmless, na_action="ignore")
    with output.open("x", encoding="utf-8", newline="") as file:
        _whole(output, lambda: found.to_csv(file, index=False, lineterminator="\n"))
    return len(found)


def harmless(text: str) -> str:
    """Return a text that may stand in a cell of a spreadsheet."""
    shown = visible(text, LONGEST)
    return f"'{shown}" if text.lstrip(" ").startswith(FORMULA) else shown


def _whole(output: Path, write: Callable[[], object]) -> None:
    """Write a file that was just created; what fails half way leaves none."""
    try:
        write()
    except BaseException:
        output.unlink()
        raise
