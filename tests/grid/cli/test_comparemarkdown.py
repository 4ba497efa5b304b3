"""`comparemarkdown`: for pasting, and no name can break out of its cell."""

import html
import re

import pytest

from grid.cli.comparemarkdown import markdown, plain_code
from grid.cli.comparewords import Words
from ledgers.compare_arms import Axis, Question
from ledgers.comparison import compare
from tests.ledgers.compared import arms

HOSTILE = [
    "<script>alert(1)</script>", "a|b", "a\\|b", "`x`", "x` | `y", "[link](http://x.y)",
    "@somebody", "![p](x)", "line\nbreak", "\x1b[2J", "*bold*", "&lt;b&gt;", " `", "", "#1", "a\rb",
]  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_name_is_one_piece_of_code(name: str) -> None:
    shown = plain_code(name)
    inner = re.fullmatch(r"`([^`]+)`|<code>([^<>|`\n\r\\@*\[\]]*)</code>", shown)
    assert inner, shown
    assert "|" not in shown
    assert "\n" not in shown
    assert "\x1b" not in shown


def test_a_plain_name_stays_readable_and_a_japanese_one_too() -> None:
    assert plain_code("tool-output-is-data") == "`tool-output-is-data`"
    assert plain_code("scripted/wavering/0.7,spread=0.2") == "`scripted/wavering/0.7,spread=0.2`"
    assert plain_code("道具の結果") == "<code>道具の結果</code>"


def test_entities_spell_the_name() -> None:
    inner = plain_code("<b>|x").removeprefix("<code>").removesuffix("</code>")
    assert html.unescape(inner) == "<b>|x"


@pytest.mark.parametrize("name", HOSTILE)
def test_every_row_of_a_table_has_the_cells_of_its_head_whatever_the_names(name: str) -> None:
    level = name or "empty"
    found = compare(arms({"none": [7, 6, 8, 7], level: [2, 3, 1, 4]}), Question(axis=Axis.CLAUSE))
    words = Words(named=plain_code, numbers={"s0": name})
    text = markdown(found, words, ["planted: <img src=x> `a` | b"], full=False)
    assert "<script" not in text
    assert "<img" not in text
    width = 0
    for line in text.splitlines():
        if line.startswith("|"):
            width = width or line.count("|")
            assert line.count("|") == width, line
        else:
            width = 0


def test_the_answer_comes_first_and_what_was_left_out_last() -> None:
    found = compare(arms({"none": [7, 6, 8, 7], "a": [2, 3, 1, 4]}), Question(axis=Axis.CLAUSE))
    lines = markdown(found, Words(named=plain_code, numbers={}), ["mind this"], full=False)
    first, *_, last = lines.splitlines()
    assert first.startswith("- `a`: harm 70 % -> 25 %, -45 points [")
    assert last == "- mind this"
    assert "| arm | cells | trials | invalid | exposed, of those not invalid |" in lines
