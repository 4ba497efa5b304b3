"""`console`: hostile text is printed harmless, nothing is cut, and results go where they belong."""

import io
import json
import subprocess
import sys
from itertools import count
from types import SimpleNamespace

import pytest

from grid.cli import console
from grid.cli.console import MANY, STYLES, progress, say, show_json, show_table, styled, tell

type Capture = pytest.CaptureFixture[str]

OBEYED = "\x1b\x07\x08\r\x7f\x9b\u202e\u2066\u200b\U000e0041"
"""Characters that a terminal or a reader would obey or not see."""


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def table(*rows: tuple[str, ...], title: str = "") -> None:
    heads = [f"head {place}" for place in range(len(rows[0]))]
    show_table(title, heads, rows)


@pytest.mark.parametrize("character", OBEYED, ids=ascii)
def test_a_cell_shows_what_a_terminal_would_obey(capsys: Capture, character: str) -> None:
    table((f"a{character}b", "c"))
    said = capsys.readouterr().out
    assert character not in said
    assert f"a\\u{{{ord(character):x}}}b" in said


@pytest.mark.parametrize("text", [
    "[red]x[/red]", "[/]", "[link=http://x]y[/link]", ":smile:", "[bold", "\\[red]", "{task}",
])  # fmt: skip
def test_markup_is_text_in_cells_heads_and_titles(capsys: Capture, text: str) -> None:
    show_table(f"title {text}", [f"head {text}"], [(text,)])
    lines = [line.strip() for line in capsys.readouterr().out.splitlines()]
    assert f"title {text}" in lines
    assert f"head {text}" in lines
    assert text in lines


def test_a_line_feed_in_a_cell_stays_in_its_column_and_forges_no_row(capsys: Capture) -> None:
    table(("real", "resisted\ncompromised"), ("next", "fine"))
    lines = capsys.readouterr().out.splitlines()
    row = next(line for line in lines if "real" in line)
    forged = next(line for line in lines if "compromised" in line)
    column = row.index("resisted")
    assert forged.index("compromised") == column
    assert not forged[:column].strip()


def test_without_a_terminal_nothing_is_cut_and_nothing_coloured(capsys: Capture) -> None:
    long = "x" * 900
    table(("compromised", long))
    said = capsys.readouterr().out
    assert said.count("x") == 900
    assert "\x1b" not in said
    assert "…" not in said


def test_on_a_terminal_words_are_coloured_and_text_brings_no_colour_of_its_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setattr(sys, "stdout", Terminal())
    table(("compromised", "\x1b[32mgreen"))
    said = sys.stdout.getvalue()  # type: ignore[attr-defined]
    assert "\x1b[1;31mcompromised" in said
    assert "\\u{1b}[32mgreen" in said
    assert "\x1b[32m" not in said


def test_colour_is_switched_off_by_its_usual_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setattr(sys, "stdout", Terminal())
    table(("compromised",))
    assert "31m" not in sys.stdout.getvalue()  # type: ignore[attr-defined]


@pytest.mark.parametrize("word", STYLES)
def test_a_word_has_its_colour_with_and_without_what_follows(word: str) -> None:
    assert {str(styled(word + rest).style) for rest in ("", " by somebody", ": because")} == {
        STYLES[word]
    }


def test_a_claim_that_is_false_is_not_coloured_like_one_that_is_true() -> None:
    assert str(styled("done (false)").style) == STYLES["false"]


def test_a_word_that_means_nothing_here_has_no_colour() -> None:
    assert str(styled("anything else").style) == ""
    assert str(styled("").style) == ""


def test_results_and_words_for_people_do_not_mix(capsys: Capture) -> None:
    say("a result")
    say()
    tell("a word")
    assert capsys.readouterr() == ("a result\n\n", "a word\n")


def test_json_is_readable_and_reads_back_the_same(capsys: Capture) -> None:
    value = {"b": ["日本語 髙 🍣", None, 1.5], "a": {"c": 'quo"te\n'}}
    show_json(value)
    said = capsys.readouterr().out
    assert json.loads(said) == value
    assert "日本語 髙 🍣" in said


@pytest.mark.parametrize("character", OBEYED, ids=ascii)
def test_json_holds_nothing_that_a_terminal_would_obey(capsys: Capture, character: str) -> None:
    show_json({f"k{character}": f"v{character}"})
    said = capsys.readouterr().out
    assert character not in said
    assert json.loads(said) == {f"k{character}": f"v{character}"}


# --- progress -----------------------------------------------------------------------------------


def ticked(times: int, total: int | None, *, hidden: bool = False) -> None:
    with progress("trials", total, hidden=hidden) as tick:
        for _ in range(times):
            tick()


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let one second pass between any two looks at the clock."""
    seconds = count()
    clock = SimpleNamespace(monotonic=lambda: float(next(seconds)))
    monkeypatch.setattr(console, "time", clock)


@pytest.mark.usefixtures("clock")
def test_without_a_terminal_there_is_a_line_for_each_tenth_with_the_rate(capsys: Capture) -> None:
    ticked(100, 100)
    out, said = capsys.readouterr()
    lines = said.splitlines()
    assert out == ""
    assert len(lines) == 10
    assert lines[0] == "trials: 10 of 100 trials, 10.0/s"
    assert lines[-1] == "trials: 100 of 100 trials, 10.0/s"


@pytest.mark.parametrize("total", [1, 3, 17, 101])
def test_the_last_trial_is_always_counted(capsys: Capture, total: int) -> None:
    ticked(total, total)
    assert f"trials: {total} of {total} trials" in capsys.readouterr().err.splitlines()[-1]


def test_of_an_unknown_total_only_every_thousandth_is_told(capsys: Capture) -> None:
    ticked(2500, None)
    lines = capsys.readouterr().err.splitlines()
    assert [line.split(",")[0] for line in lines] == ["trials: 1000 trials", "trials: 2000 trials"]


def test_nothing_to_do_is_no_error(capsys: Capture) -> None:
    ticked(0, 0)
    assert capsys.readouterr().err == ""


def test_hidden_progress_prints_nothing_anywhere(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    ticked(5, 5, hidden=True)
    assert capsys.readouterr() == ("", "")
    monkeypatch.setattr(sys, "stderr", Terminal())
    ticked(5, 5, hidden=True)
    assert sys.stderr.getvalue() == ""  # type: ignore[attr-defined]


def test_on_a_terminal_there_is_a_bar_on_standard_error_that_is_gone_at_the_end(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setattr(sys, "stderr", Terminal())
    ticked(3, 3)
    said = sys.stderr.getvalue()  # type: ignore[attr-defined]
    assert "trials" in said
    assert "3/3" in said
    assert said.rstrip().endswith("\x1b[2K"), "the bar's line is erased"
    assert capsys.readouterr().out == ""


def test_a_table_with_very_many_rows_is_printed_plainly_and_still_harmless(
    capsys: pytest.CaptureFixture[str],
) -> None:
    rows = [("火星", "a\x1b[31m"), *((f"row {n}", "b") for n in range(MANY))]
    show_table("many", ("first", "second"), rows)
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "many"
    assert lines[1].split() == ["first", "second"]
    assert lines[3] == "火星     a\\u{1b}[31m"
    assert lines[4] == "row 0    b"
    assert len(lines) == 3 + len(rows)
    show_table("", ("first",), [("x",)])
    assert "─" in capsys.readouterr().out


def test_a_reader_who_went_away_is_no_finding() -> None:
    code = (
        "import sys\n"
        "from grid.cli.console import show_table\n"
        "sys.stdin.read()\n"
        "show_table('t', ('a',), [('b',)])"
    )
    words = [sys.executable, "-c", code]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdin is not None
        process.stdout.close()
        process.stdin.close()  # only now is anything written
        assert process.wait(60) == console.CUT_OFF == 141
