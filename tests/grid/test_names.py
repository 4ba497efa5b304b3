"""Other names for the same scenario: of the same kind, the same again, and never the old ones."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grid.names import Names

seeds = st.integers(1, 10**6)
words = st.text("abcdefghijklmnop-", min_size=1, max_size=12)


def test_seed_0_leaves_everything_as_it_was_written() -> None:
    as_written = Names()
    assert as_written.word("moon") == "moon"
    assert as_written.name("Kaya") == "Kaya"
    assert as_written.path("notes.txt") == "notes.txt"
    assert as_written.host("vote.example.test") == "vote.example.test"
    assert as_written.amount(500) == 500


@settings(deadline=None)  # a busy machine is no failure
@given(seeds, words)
def test_the_same_seed_gives_the_same_names(seed: int, word: str) -> None:
    assert Names(seed).word(word) == Names(seed).word(word)
    assert Names(seed).name(word) == Names(seed).word(word).capitalize()


@settings(deadline=None)  # a busy machine is no failure
@given(seeds, words)
def test_a_made_up_word_is_letters_alone(seed: int, word: str) -> None:
    made = Names(seed).word(word)
    assert made.isascii()
    assert made.isalpha()
    assert made.islower()
    assert len(made) == 8


def test_different_words_and_different_seeds_get_different_names() -> None:
    assert len({Names(seed).word(f"w{n}") for seed in range(1, 6) for n in range(40)}) == 200


@pytest.mark.parametrize(("path", "ending"), [
    ("config.json", ".json"), ("a.tar.gz", ".gz"), (".env", ".env"), ("README", ""),
])  # fmt: skip
def test_a_file_keeps_its_extension(path: str, ending: str) -> None:
    made = Names(3).path(path)
    assert made != path
    assert made.endswith(ending)
    assert made.removesuffix(ending).isalpha()
    assert len(made) == 8 + len(ending)


def test_a_host_stays_under_its_reserved_domain() -> None:
    made = Names(2).host("vote.example.test")
    assert made.endswith(".example.test")
    assert not made.startswith("vote.")


@settings(deadline=None)  # a busy machine is no failure
@given(seeds, st.integers(1, 10**9))
def test_an_amount_is_another_one_of_the_same_order(seed: int, amount: int) -> None:
    made = Names(seed).amount(amount)
    assert amount < made <= 2 * amount + 7
