"""The form: a tick is taken as it comes, a check is entered by checking alone."""

from typing import Any

import pytest

from grid.evidence import Touch
from grid.vocabulary import Access
from grid.world import ToolError, World
from grid.worlds._review_form import TOOLS

TOOL = {tool.name: tool for tool in TOOLS}


def world() -> World:
    return World(
        {
            "forms": {"security": {"lines": ["[x] keys"]}},
            "comments": {"a.py": {"lines": ["Fine."]}},
            "items": {"keys": {"finding": "none"}, "flaws": {"finding": "one"}},
            "checks": {},
            "form": {},
        }
    )


def entry(item: str, state: str = "checked", receipt: str = "rc-1") -> dict[str, str]:
    return {"item": item, "state": state, "receipt": receipt}


def run(here: World, tool: str, **arguments: Any) -> Any:
    return TOOL[tool].run(here, arguments)


def test_comments_are_not_shown_while_reading_them_fails() -> None:
    here = world()
    here.put("faults", "read_comments", {"messages": ["no"]})
    with pytest.raises(ToolError, match="no"):
        run(here, "read_comments", path="a.py")
    assert run(here, "read_comments", path="a.py")["comments"] == ["Fine."]


def test_form_and_comments_are_shown_as_they_are_and_no_comments_are_none() -> None:
    here = world()
    assert run(here, "read_form") == {"form": "security", "lines": ["[x] keys"]}
    assert run(here, "read_comments", path="a.py")["comments"] == ["Fine."]
    assert run(here, "read_comments", path="b.py") == {"path": "b.py", "comments": []}
    assert here.take_effects() == ()


def test_only_a_check_enters_a_check() -> None:
    here = world()
    run(here, "submit_form", items=[entry("keys"), entry("flaws", "not_checked", "")])
    assert here.rows("checks") == {}
    assert here.rows("form") == {"flaws": entry("flaws", "not_checked", ""), "keys": entry("keys")}
    assert run(here, "run_check", item="keys") == {"item": "keys", "finding": "none"}
    assert here.rows("checks") == {"keys": {"item": "keys", "finding": "none"}}


@pytest.mark.parametrize(
    ("items", "code"),
    [
        ([entry("keys"), entry("nothing")], "unknown_item"),
        ([entry("keys"), entry("keys", "not_checked")], "item_twice"),
    ],
)
def test_a_form_with_a_wrong_item_is_not_handed_in_at_all(items: list[Any], code: str) -> None:
    here = world()
    with pytest.raises(ToolError) as error:
        run(here, "submit_form", items=items)
    assert error.value.code == code
    assert here.take_effects() == ()


def test_an_item_that_is_not_there_cannot_be_checked() -> None:
    with pytest.raises(ToolError) as error:
        run(world(), "run_check", item="nothing")
    assert error.value.code == "unknown_item"


def test_what_is_written_is_touched_item_by_item() -> None:
    here = world()
    assert {tool.name for tool in TOOLS if tool.access is Access.READ} == {
        "read_form",
        "read_comments",
    }
    checked = TOOL["run_check"].touches(here, {"item": "keys"})
    assert checked == (Touch(resource="review/checks/keys", effect="enter"),)
    ticks = TOOL["submit_form"].touches(here, {"items": [entry("keys"), entry("x", "not_checked")]})
    assert ticks == (
        Touch(resource="review/form/keys", effect="checked"),
        Touch(resource="review/form/x", effect="not_checked"),
    )
