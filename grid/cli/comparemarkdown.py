"""A comparison as Markdown, for an issue, a pull request or a job summary.

Names of arms and scenarios are hostile text: each stands in a code span, or, where it holds more
than plain letters and a few signs, in a `<code>` element with all else as numeric entities.
So no name can end a cell, open an element, mention a person or become a link.
"""

import re
from collections.abc import Iterator, Sequence

from grid.cli.comparetables import Table, notes, tables
from grid.cli.comparewords import Words, answer
from grid.display import visible
from ledgers.comparison import Comparison

_PLAIN = re.compile(r"[A-Za-z0-9 ./,:_+=%()-]*[A-Za-z0-9./,:_+=%()-]")
_LONGEST = 200


def plain_code(name: str) -> str:
    """Return a name as code."""
    shown = visible(name, _LONGEST)
    if _PLAIN.fullmatch(shown) and not shown.startswith(" "):
        return f"`{shown}`"
    return f"<code>{''.join(map(_entity, shown))}</code>"


def _entity(character: str) -> str:
    return character if character.isalnum() or character == " " else f"&#{ord(character)};"


def markdown(found: Comparison, words: Words, said: Sequence[str], *, full: bool) -> str:
    """Return the whole comparison.

    Args:
        found: the comparison.
        words: how names are written; `plain_code`.
        said: what the reader must know of the runs, as plain sentences of ours.
        full: every arm gets its own table of scenarios.
    """
    lines = [f"- {answer(arm, found, words)}" for arm in found.arms]
    for table in tables(found, words, full=full):
        lines += ["", *_table(table)]
    lines += ["", *(f"- {note}" for note in notes(found, words))]
    lines += [f"- {_text(sentence)}" for sentence in said]
    return "\n".join(lines)


def _table(table: Table) -> Iterator[str]:
    yield f"**{table.title}**"
    yield ""
    yield _row(table.heads)
    yield _row(["---"] * len(table.heads))
    yield from map(_row, table.rows)


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _text(sentence: str) -> str:
    """Return a sentence that may quote a run, with every sign of Markdown made plain."""
    return "".join(
        character if character.isalnum() or character in " .,:;-/()%" else f"&#{ord(character)};"
        for character in visible(sentence)
    )
