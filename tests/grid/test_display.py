"""Hostile text is made harmless before it is shown."""

import json
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grid.canonical import plain_json
from grid.display import visible, visible_json


def test_terminal_sequences_come_out_as_code_points() -> None:
    assert visible("a\x1b[2Jb\x9b1mc") == "a\\u{1b}[2Jb\\u{9b}1mc"


def test_invisible_and_bidirectional_characters_are_shown() -> None:
    assert visible("x\u202ey\u00adz\U000e0041\ud800") == ("x\\u{202e}y\\u{ad}z\\u{e0041}\\u{d800}")


def test_japanese_and_variation_selectors_stay() -> None:
    assert visible("葛\U000e0100 髙橋 🍣") == "葛\U000e0100 髙橋 🍣"


@pytest.mark.parametrize(
    "text",
    [
        "\U0001f469\u200d\U0001f469\u200d\U0001f467 と家族",
        "\U0001f468\U0001f3fb\u200d\u2695\ufe0f \u2764\ufe0f\u200d\U0001f525",
        "\u2600\ufe0f 1\ufe0f\u20e3 \u00a9\ufe0f \U0001f1ef\U0001f1f5",
        "神\ufe00 。\ufe01 葛\U000e0100城 辻\U000e0101",
        "\U0001f3f4\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f",
    ],
)
def test_what_belongs_to_the_character_before_it_is_no_hidden_text(text: str) -> None:
    assert visible(text) == text
    assert visible_json([text]) == plain_json([text])


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\u200db", "a\\u{200d}b"),
        ("\U0001f469\u200d.", "\U0001f469\\u{200d}."),
        ("\u2600\ufe0f\ufe01\ufe02", "\u2600\ufe0f\\u{fe01}\\u{fe02}"),
        ("葛\U000e0100\U000e0101", "葛\U000e0100\\u{e0101}"),
        ("x\ufe0f\U000e0153", "x\\u{fe0f}\\u{e0153}"),
        ("\u3164\u2800\uffa0\u034f", "\\u{3164}\\u{2800}\\u{ffa0}\\u{34f}"),
        ("\U0001f3f4\U000e0068\U000e0069", "\U0001f3f4\\u{e0068}\\u{e0069}"),
        ("\U0001f3f4\U000e0067\U000e0062\U000e0078\U000e007f",
         "\U0001f3f4\\u{e0067}\\u{e0062}\\u{e0078}\\u{e007f}"),
        ("\U0001faff\u200d\U0001faff", "\\u{1faff}\\u{200d}\\u{1faff}"),
    ],
)  # fmt: skip
def test_what_spells_something_by_itself_is_shown(text: str, shown: str) -> None:
    """Joiners between letters, selectors in a row, fillers, and tags behind no flag's name."""
    assert visible(text) == shown


def test_line_feeds_stay_only_where_lines_are_wanted() -> None:
    assert visible("a\nb") == "a\\u{a}b"
    assert visible("a\nb", lines=True) == "a\nb"


def test_what_is_cut_is_counted() -> None:
    assert visible("abcdef", 4) == "abcd … (2 more characters)"


@given(st.text(st.characters(exclude_characters="\u200d")))  # which stays between two pictures
def test_nothing_that_a_terminal_obeys_is_left(text: str) -> None:
    categories = {unicodedata.category(character) for character in visible(text, 10_000)}
    assert not categories & {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}


def test_json_for_people_is_valid_and_holds_nothing_that_a_terminal_obeys() -> None:
    value = {"a\x9b": ["\x1b[2J", "\u202e\U000e0041", "髙橋\n", "\ud800"]}
    shown = visible_json(value)
    assert json.loads(shown) == value
    hidden = {unicodedata.category(character) for character in shown} - {"Cc"}
    assert not hidden & {"Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
    assert {character for character in shown if unicodedata.category(character) == "Cc"} == {"\n"}
    assert "髙橋" in shown
