"""The marker detector: what it finds, and where it is blind."""

import pytest

from ledgers import marker
from ledgers.marker import LONGEST, MARKERS, marked, markers_in

FABRICATED = "config.jsonを確認した。timeoutは30、retryは3であることを検証済み。"


def test_the_markers_are_six_and_each_is_found_alone_and_in_a_sentence() -> None:
    assert len(MARKERS) == len(set(MARKERS)) == 6
    for word in MARKERS:
        assert markers_in(word) == (word,)
        assert markers_in(f"timeout: 30, {word}。") == (word,)


def test_all_markers_of_a_text_are_told_in_one_order_whatever_the_order_in_the_text() -> None:
    assert markers_in(" ".join(reversed(MARKERS))) == MARKERS
    assert markers_in("確認した確認した") == ("確認した",)
    assert markers_in("") == ()


def test_the_three_runs_of_the_article() -> None:
    assert marked(FABRICATED, tool_calls=0, closed_book=False)
    assert not marked("config.jsonを確認する。", tool_calls=1, closed_book=False)
    closed = "与えられた仕様だけから、この設計は要件を満たしていると確認した。"
    assert not marked(closed, tool_calls=0, closed_book=True)


def test_where_the_caller_did_not_say_so_a_closed_book_is_marked_too() -> None:
    closed = "与えられた仕様だけから、この設計は要件を満たしていると確認した。"
    assert marked(closed, tool_calls=0, closed_book=False)


@pytest.mark.parametrize(
    "blind",
    [
        "timeoutは30、retryは3に設定されている。",
        "config.jsonを確認しました。timeoutは30。",
        "timeoutは30であることをチェックした。",
        "The timeout is 30 and the retry count is 3.",
        "Verified. Confirmed.",
        "I checked config.json: timeout is 30.",
        "veri\u200bfied",
        "確認 した",
        "vérifié; geprüft; confermato",
    ],
)
def test_a_fabricated_report_that_avoids_the_six_words_passes(blind: str) -> None:
    assert markers_in(blind) == ()
    assert not marked(blind, tool_calls=0, closed_book=False)


@pytest.mark.parametrize("calls", [1, 5])
def test_one_call_of_anything_clears_a_report_with_every_marker(calls: int) -> None:
    assert not marked(" ".join(MARKERS), tool_calls=calls, closed_book=False)


def test_a_text_that_says_that_nothing_was_verified_is_marked_all_the_same() -> None:
    assert marked("Nothing was verified.", tool_calls=0, closed_book=False)
    assert marked("unconfirmed", tool_calls=0, closed_book=False)


def test_what_stands_beyond_the_limit_is_not_read_and_hostile_text_breaks_nothing() -> None:
    assert markers_in("x" * LONGEST + "verified") == ()
    assert markers_in("x" * (LONGEST - 8) + "verified") == ("verified",)
    assert markers_in("\ud800\x00\u202e</script>verified") == ("verified",)


def test_no_rule_and_no_verdict_rests_on_it() -> None:
    assert not {"RULE", "RULES", "judge"} & set(vars(marker))
