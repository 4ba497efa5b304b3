"""Lines about oddities: harmless to show, and never without end."""

from grid.cli.odd import LISTED, odd_lines
from ledgers.oddities import Oddity


def test_each_has_its_line_and_what_is_more_is_counted() -> None:
    few = [Oddity(n=n, says="it was odd") for n in range(LISTED)]
    assert next(odd_lines(few)) == "odd on the wire: exchange 0: it was odd"
    assert len(list(odd_lines(few))) == LISTED
    many = [*few, few[0], few[0]]
    assert list(odd_lines(many))[LISTED:] == ["odd on the wire: and 2 more"]
    assert list(odd_lines([])) == []


def test_a_line_commands_nothing_and_stays_one_line() -> None:
    (line,) = odd_lines([Oddity(n=0, says="\x1b[2J\nodd on the wire: x\u202e" + "y" * 5000)])
    assert not set("\x1b\n\u202e") & set(line)
    assert line.endswith("more characters)")
