"""Guard settings: which guards are asked."""

import pytest

from grid.errors import ConfigError
from grid.guards import all_guards
from grid.guardsetting import UNCONFIGURED, checked_setting, read_setting


@pytest.mark.parametrize(
    ("text", "asked", "stops"),
    [
        ("off", set(), False),
        ("on", {"a", "b", "c"}, True),
        ("on-continue", {"a", "b", "c"}, False),
        ("all-but:b", {"a", "c"}, False),
        ("all-but:a,b", {"c"}, False),
        ("only:b", {"b"}, False),
        ("only:a,c", {"a", "c"}, False),
    ],
)
def test_a_setting_asks_exactly_its_guards(text: str, asked: set[str], stops: bool) -> None:
    setting = read_setting(text)
    assert {guard for guard in "abc" if setting.asks(guard)} == asked
    assert setting.stops is stops
    assert setting.text == text


@pytest.mark.parametrize(
    "text", ["", "ON", "all-but:", "only:", "only", "all-but:b,a", "only:a,a", "only:a,", "but:a"]
)
def test_what_is_no_setting_is_refused(text: str) -> None:
    with pytest.raises(ConfigError, match="unknown guard setting"):
        read_setting(text)


def test_names_are_put_in_order_once_each() -> None:
    assert checked_setting("all-but:b, a,b", "abc") == "all-but:a,b"
    assert checked_setting("on", "abc") == "on"


def test_a_guard_that_there_is_not_is_refused_with_the_known_ones() -> None:
    with pytest.raises(ConfigError, match=r"unknown guard 'd'.*Known: a, b, c"):
        checked_setting("only:d", "abc")
    with pytest.raises(ConfigError, match="write guard ids after the colon, such as 'only:a'"):
        checked_setting("only:", "abc")
    with pytest.raises(ConfigError, match="unknown guard setting 'some:a'"):
        checked_setting("some:a", "abc")


def test_exactly_one_guard_of_ours_needs_no_policy() -> None:
    assert [guard.id for guard in all_guards() if not guard.needs_policy] == [UNCONFIGURED]
