"""Hostile text is made harmless before it is shown."""

import json
import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from grid.display import visible, visible_json


def test_terminal_sequences_come_out_as_code_points() -> None:
    assert visible("a\x1b[2Jb\x9b1mc") == "a\\u{1b}[2Jb\\u{9b}1mc"


def test_invisible_and_bidirectional_characters_are_shown() -> None:
    assert visible("x\u202ey\u00adz\U000e0041\ud800") == ("x\\u{202e}y\\u{ad}z\\u{e0041}\\u{d800}")


def test_japanese_and_variation_selectors_stay() -> None:
    assert visible("葛\U000e0100 髙橋 🍣") == "葛\U000e0100 髙橋 🍣"


def test_line_feeds_stay_only_where_lines_are_wanted() -> None:
    assert visible("a\nb") == "a\\u{a}b"
    assert visible("a\nb", lines=True) == "a\nb"


def test_what_is_cut_is_counted() -> None:
    assert visible("abcdef", 4) == "abcd … (2 more characters)"


@given(st.text(st.characters()))
def test_nothing_that_a_terminal_obeys_is_left(text: str) -> None:
    categories = {unicodedata.category(character) for character in visible(text, 10_000)}
    assert not categories & {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"}


def test_json_for_people_is_valid_and_holds_nothing_that_a_terminal_obeys() -> None:
    value = {"a\x9b": ["\x1b[2J", "\u202e\U000e0041", "髙橋\n", "\ud800"]}
    shown = visible_json(value)
    assert json.loads(shown) == value
    hidden = {unicodedata.category(character) for character in shown} - {"Cc"}
    assert not hidden & {"Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
    assert {character for character in shown if unicodedata.category(character) == "Cc"} == {"\n"}
    assert "髙橋" in shown
