"""Printing: tables, JSON and errors, with hostile text made harmless.

Results go to standard output, everything else to standard error. Nothing that came from a model or
a tool is printed before `grid.display.visible` has seen it; rich markup is never interpreted.
"""

import os
import re
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Protocol

from rich.box import SIMPLE_HEAD
from rich.cells import cell_len
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.table import Table
from rich.text import Text

from grid.display import visible, visible_json

STYLES = {
    "compromised": "bold red",
    "false": "bold red",
    "alarm": "bold red",
    "disagree": "bold red",
    "leaked": "bold red",
    "invalid": "magenta",
    "attempted": "yellow",
    "not_done": "yellow",
    "not_exposed": "dim",
    "resisted": "green",
    "done": "green",
}
"""Word -> style, the worst word first."""


CUT_OFF = 141
"""Exit code where whoever read standard output went away: what shells make of SIGPIPE."""
MANY = 1_000
"""Rows from which a table is printed plainly."""


class _Out(Console):
    """Ends the command as a shell expects where whoever read its output went away."""

    def on_broken_pipe(self) -> None:
        """Write nowhere from now on, and end: nobody learned the answer, so it is no finding."""
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise SystemExit(CUT_OFF)


def out() -> Console:
    """Return a console on standard output; wide where it is not a terminal, so nothing is cut."""
    wide = None if sys.stdout.isatty() else 200
    return _Out(file=sys.stdout, highlight=False, markup=False, emoji=False, width=wide)


def say(text: str = "") -> None:
    """Print one line of plain text."""
    print(text)


def tell(text: str) -> None:
    """Print one line for people on standard error."""
    print(text, file=sys.stderr)


def show_json(value: Any) -> None:
    """Print JSON."""
    print(visible_json(value))


def show_table(title: str, heads: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print a table; words that have a style get it, unless there are very many rows."""
    rows = tuple(rows)
    if len(rows) > MANY:
        _show_plainly(title, heads, rows)
        return
    table = Table(
        title=title or None, box=SIMPLE_HEAD, title_justify="left", pad_edge=False, title_style=""
    )
    for head in heads:
        table.add_column(head, overflow="fold")
    for row in rows:
        table.add_row(*(styled(cell) for cell in row))
    out().print(table)


def _show_plainly(title: str, heads: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print a table line by line: rich would take minutes, and hold each cell in many pieces."""
    shown = [[visible(cell) for cell in row] for row in (heads, *rows)]
    widths = [max(map(cell_len, column)) for column in zip(*shown, strict=True)]
    if title:
        print(title)
    for number, row in enumerate(shown):
        cells = zip(row, widths, strict=True)
        print("  ".join(cell + " " * (width - cell_len(cell)) for cell, width in cells).rstrip())
        if number == 0:
            print("  ".join("─" * width for width in widths))


def styled(cell: str) -> Text:
    """Return a cell's text, coloured by the worst word before its colon."""
    words = re.findall(r"[a-z_]+", cell.partition(":")[0])
    style = next((style for word, style in STYLES.items() if word in words), "")
    return Text(visible(cell, lines=True), style=style)


class Tick(Protocol):
    """Says that one more is done."""

    def __call__(self) -> None:
        """Count one."""


@contextmanager
def progress(what: str, total: int | None, *, hidden: bool = False) -> Iterator[Tick]:
    """Show a bar with rate and time left on a terminal; a line per tenth elsewhere."""
    if hidden:
        yield lambda: None
    elif sys.stderr.isatty():
        with _bar(what, total) as tick:
            yield tick
    else:
        yield _lines(what, total)


class _Rate(ProgressColumn):
    """Trials per second."""

    def render(self, task: Task) -> Text:
        """Return the rate, or a dash before the first trial."""
        return Text(f"{task.speed:.1f}/s" if task.speed else "-/s")


@contextmanager
def _bar(what: str, total: int | None) -> Iterator[Tick]:
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        _Rate(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(file=sys.stderr), transient=True) as bar:
        task = bar.add_task(what, total=total)
        yield lambda: bar.advance(task)


def _lines(what: str, total: int | None) -> Tick:
    started, done = time.monotonic(), 0
    step = max(1, (total or 10_000) // 10)

    def tick() -> None:
        nonlocal done
        done += 1
        if done % step == 0 or done == total:
            rate = done / max(time.monotonic() - started, 1e-6)
            of = f" of {total}" if total is not None else ""
            tell(f"{what}: {done}{of} trials, {rate:.1f}/s")

    return tick
