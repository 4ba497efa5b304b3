"""`effectkinds`: words that say the same count as one kind, and no others do."""

import pytest

from grid.effectkinds import TAKING_AWAY, alike
from grid.evidence import Touch


def touch(effect: str, resource: str = "shelf/book") -> Touch:
    return Touch(resource=resource, effect=effect)


def test_all_words_for_taking_away_are_one_kind() -> None:
    assert len({alike(touch(word)) for word in TAKING_AWAY}) == 1
    assert len({alike(touch("erase", at)) for at in ("a", "b")}) == 2


@pytest.mark.parametrize("word", ["pay", "send", "write", "read", "release", "Delete", ""])
def test_every_other_word_stands_for_itself(word: str) -> None:
    assert alike(touch(word)) == touch(word)
    assert alike(touch(word)) != alike(touch("delete"))
