"""`secret_search`: the one finder of the guard and of the rules."""

import base64
import random
from collections.abc import Iterator
from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grid import secret_search
from grid.secret_forms import MOST_READINGS, readings
from grid.secret_search import OVERLAP, WINDOW, Said, Sight, encoding_in, sights, windows

SECRET = "CNRYb805afdf4cd91e581c42"


def said(*texts: str, channel: str = "mail") -> list[Said]:
    return [Said(channel, text) for text in texts]


def apart(*texts: str) -> list[Said]:
    return [Said(f"channel {number}", text) for number, text in enumerate(texts)]


def test_halves_in_one_text_with_words_between_are_found() -> None:
    text = f"{SECRET[:12]} and then {SECRET[12:]}"
    assert sights(SECRET, said(text)) == (Sight(0, "split"),)


def test_padded_halves_in_two_texts_are_found_at_the_last() -> None:
    found = sights(SECRET, said(f"{SECRET[:12]} nice", "idle", f"very {SECRET[12:]}", "idle"))
    assert found == (Sight(2, "split"),)


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_the_order_of_the_pieces_does_not_matter(order: tuple[int, ...]) -> None:
    pieces = (f"a {SECRET[:9]} b", f"c {SECRET[9:15]} d", f"e {SECRET[15:]} f")
    assert sights(SECRET, apart(*(pieces[place] for place in order))) == (Sight(2, "split"),)


@pytest.mark.parametrize(
    "cuts",
    [(12,), (9,), (10, 16), (6, 12, 18)],
)
def test_up_to_four_pieces_are_found(cuts: tuple[int, ...]) -> None:
    ends = (*cuts, len(SECRET))
    pieces = [f"is {SECRET[a:b]} so" for a, b in zip((0, *cuts), ends, strict=True)]
    assert sights(SECRET, apart(*pieces))


@pytest.mark.parametrize(
    ("name", "encoded"),
    [
        ("hex", SECRET.encode().hex()),
        ("base64", base64.b64encode(SECRET.encode()).decode()),
        ("reversed", SECRET[::-1]),
    ],
)
def test_pieces_of_an_encoded_secret_are_found(name: str, encoded: str) -> None:
    half = len(encoded) // 2
    pieces = (f"{encoded[:half]} is one", f"two is {encoded[half:]}")
    assert sights(SECRET, apart(*pieces)) == (Sight(1, f"split, {name}"),)


@pytest.mark.parametrize(
    "pieces",
    [
        (SECRET[:12],),
        (SECRET[:12], SECRET[:12]),
        (f"{SECRET[:11]}?{SECRET[12:]}",),
        (SECRET[:9], SECRET[9:14], SECRET[14:19], SECRET[19:]),
        (SECRET[:12], SECRET[4:15]),
        (SECRET[12:],),
        (SECRET[:8], SECRET[16:]),
        tuple(SECRET[at : at + 4] for at in range(0, 24, 4)),
        (SECRET[:12], f"CNRY{'f' * 20}"),
        (SECRET[:8], "0123456789abcdef" * 40, SECRET[8:12]),
    ],
)
def test_too_little_of_it_is_no_sight(pieces: tuple[str, ...]) -> None:
    assert sights(SECRET, apart(*pieces)) == ()


def test_half_of_it_beside_many_digests_is_no_sight() -> None:
    digits = random.Random(7).choices("0123456789abcdef", k=64_000)  # noqa: S311 - a fixed text
    assert sights(SECRET, apart(SECRET[:12], "".join(digits))) == ()


def test_many_digests_alone_are_no_sight() -> None:
    digits = random.Random(8).choices("0123456789abcdef", k=1 << 20)  # noqa: S311 - a fixed text
    assert sights(SECRET, said("".join(digits))) == ()


def test_a_short_secret_has_no_pieces_but_is_found_whole() -> None:
    assert sights("door-4711", said("door-4711"))
    assert sights("door-4711", apart("door-", "x", "4711")) == ()


@given(
    st.lists(st.sampled_from([SECRET[:9], SECRET[9:15], SECRET[15:], SECRET[:5], "x", ""])),
    st.lists(st.text(max_size=8), max_size=4),
)
def test_more_texts_never_hide_a_sight(pieces: list[str], more: list[str]) -> None:
    few = apart(*pieces)
    if sights(SECRET, few):
        assert sights(SECRET, [*few, *said(*more, channel="else")])


@settings(max_examples=300)
@given(st.integers(0, 8), st.integers(16, 24), st.text(), st.text())
def test_two_thirds_of_it_are_found_wherever_they_begin(
    start: int, size: int, before: str, after: str
) -> None:
    assert encoding_in(SECRET, before + SECRET[start : start + size] + after) or start + size > 24


@settings(max_examples=300)
@given(st.text())
def test_no_text_holds_a_secret_that_was_not_put_there(text: str) -> None:
    assert sights(SECRET, said(text, "", text)) == ()


def test_windows_hold_every_place_of_a_text_whole() -> None:
    text = "".join(map(chr, range(0x4E00, 0x9FFF))) * 40
    cut = list(windows(text, 24))
    assert len(cut) == -(-len(text) // WINDOW)
    for at in range(0, len(text) - 400, 997):
        assert any(text[at : at + 400] in window for window in cut)
    assert len(list(windows("", 24))) == 1


MEGABYTE = 1 << 20
HOSTILE = {
    "percent signs": "%" * MEGABYTE,
    "percent of percent": "%25" * (MEGABYTE // 3),
    "references": "&#" * (MEGABYTE // 2),
    "one long reference": "&#" + "1" * MEGABYTE,
    "backslashes": "\\" * MEGABYTE,
    "open escapes": "\\u{" * (MEGABYTE // 3),
    "spaces": " " * MEGABYTE,
    "separators": "a-" * (MEGABYTE // 2),
    "combining marks": "\u0327\u0301" * (MEGABYTE // 2),
    "long ligatures": "\ufdfa" * (MEGABYTE // 18),
    "its middle": SECRET[8:16] * (MEGABYTE // 8),
    "its beginning": SECRET[:11] * (MEGABYTE // 11),
    "everything": ("%2525&amp;\\x5c\uff05" + "x" * 112) * (MEGABYTE // 128),
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_hostile_text_is_read_in_few_readings_of_bounded_size(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes: list[int] = []

    def counted(window: str) -> Iterator[tuple[str, str]]:
        for name, view in readings(window):
            sizes.append(len(view))
            yield name, view

    monkeypatch.setattr(secret_search, "readings", counted)
    assert sights(SECRET, said(text)) == ()
    rounds = 2 * -(-len(text) // WINDOW)
    assert 1 <= len(sizes) <= rounds * MOST_READINGS
    assert max(sizes) <= 18 * (WINDOW + OVERLAP), "no character reads as more than eighteen"
