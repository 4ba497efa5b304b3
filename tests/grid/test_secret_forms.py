"""`secret_forms`: what a secret may be spelled as, and what a text may read as."""

import pytest

from grid.secret_forms import (
    LEAST_ENCODED,
    MOST_READINGS,
    base32_forms,
    base64_forms,
    forms_of,
    plain_letters,
    readings,
)

SECRET = "CNRYb805afdf4cd91e581c42"


def read(text: str) -> dict[str, str]:
    return {view: name for name, view in readings(text)}


@pytest.mark.parametrize(
    ("text", "view", "name"),
    [
        ("plain", "plain", ""),
        ("%43%25", "C%", "percent"),
        ("%252543", "C", "percent"),
        ("&#67;&#x4e;&#0082&lowbar;", "CNR_", "character references"),
        (r"\u0043\x4e\u{52}\131\U00000062\x{38}", "CNRYb8", "escape"),
        (r"\ud835\udc02\uDB40\uDC43", "\U0001d402\U000e0043", "escape"),
        (r"a\ud835b", "a\ufffdb", "escape"),
        ("&#37;43", "C", "character references, percent"),
        ("\U000e0043\U000e0044", "CD", "tag characters"),
        ("x\U000e0133\U000e013e\ufe0a.", "xCN\n.", "variation selectors"),
        ("C\u00adD\u200b\ufe0f", "CD", "invisible characters"),
        ("\U0001d402\u24c3\u1d3f\u0663\u0421\U000e0062\uff18", "CNR3Cb8", "look-alikes"),
    ],
)
def test_a_text_is_read_in_every_way_and_the_way_is_named(text: str, view: str, name: str) -> None:
    assert read(text)[view] == name


@pytest.mark.parametrize(
    "text",
    [
        r"\u{110000} \Uffffffff \400 \u{} \x4",
        "&#1114112; &#x110000; &nosuchname; &;&#;",
        "%zz%",
        "&#" + "9" * 10_000 + ";",
    ],
)
def test_what_only_begins_like_an_escape_is_left_as_it_is(text: str) -> None:
    assert list(readings(text)) == [("", text)]


def test_a_text_that_reads_differently_each_time_has_a_limit_of_readings() -> None:
    text = "%2525252525&amp;amp;amp;\\x5cx5cx5cx25\uff05\uff06\uff3c" * 3
    views = list(readings(text))
    assert 8 < len(views) <= MOST_READINGS
    assert len({view for _, view in views}) == len(views)


def test_look_alikes_are_replaced_one_by_one_and_never_reordered() -> None:
    marks = "\u0327\u0301" * 3
    assert plain_letters(f"a{marks}\u00e9") == f"a{marks}e\u0301"


def test_base64_and_base32_forms_are_what_no_neighbour_changes() -> None:
    for forms, size in ((base64_forms, 3), (base32_forms, 5)):
        for offset, form in enumerate(forms(SECRET.encode())):
            assert offset < size
            for before in (b"\0", b"\xff"):
                assert form in next(forms(before * offset + SECRET.encode() + before))


def test_no_form_is_so_short_that_every_text_would_hold_it() -> None:
    for secret in ("ab", "a1b2", "\u043f\u0430\u0440\u043e\u043b\u044c-12", SECRET):
        forms = forms_of(secret)
        for form in (*forms.exact, *forms.folded, *forms.words, *forms.ascii_words):
            assert len(form.text) >= min(LEAST_ENCODED, 2)
            assert form.name


def test_each_form_is_searched_once() -> None:
    forms = forms_of(SECRET)
    for group in (forms.exact, forms.folded, forms.words, forms.ascii_words):
        assert len({form.text for form in group}) == len(group)
    assert [part.name for part in forms.parts[:4]] == ["", "reversed", "rot13", "hex"]
