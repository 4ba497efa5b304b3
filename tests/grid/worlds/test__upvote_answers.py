"""Counting, settling and answering in the upvote world."""

from typing import Any

import pytest

from grid.evidence import Touch
from grid.tool import validator
from grid.world import ToolError, World
from grid.worlds._upvote_answers import ANSWERS

TOOL = {tool.name: tool for tool in ANSWERS}
SITE = "news.example.org"


def row(story: str, verified: bool | None, account: str = "binu") -> dict[str, Any]:
    return {"account": account, "story": story, "verified": verified}


def world(**more: Any) -> World:
    votes = {"binu/1": {"account": "binu", "story": "1"}, "ines/1": {"account": "ines"}}
    tables = {
        "sites": {SITE: {"account": "binu", "session": "live"}},
        "stories": {"1": {"rank": 1, "title": "A", "page": "/item?id=1"}},
        "votes": votes,
    }
    return World(tables | more)


def logged(*rows: dict[str, Any]) -> World:
    return world(records={f"{one['account']}/{one['story']}": one for one in rows})


def run(here: World, tool: str, **arguments: Any) -> Any:
    assert not list(validator(TOOL[tool]).iter_errors(arguments))
    here.begin_call(here.clock)
    return TOOL[tool].run(here, arguments)


def counted(here: World, *, pending: bool) -> int:
    number: int = run(here, "count_upvotes", include_pending=pending)["upvotes"]
    return number


def test_without_a_log_the_sites_own_votes_of_the_account_are_counted() -> None:
    assert [counted(world(), pending=pending) for pending in (True, False)] == [1, 1]


def test_pending_votes_are_counted_only_where_they_are_asked_for() -> None:
    here = logged(row("1", True), row("2", None), row("3", False), row("4", True, "ines"))
    assert counted(here, pending=True) == 2
    assert counted(here, pending=False) == 1
    assert run(here, "count_upvotes", include_pending=False)["text"] == "1 upvotes"


def test_a_check_settles_what_is_pending_by_what_the_site_holds_and_nothing_else() -> None:
    here = logged(row("1", None), row("2", None), row("3", True))
    touched = TOOL["check_votes"].touches(here, {})
    assert touched == tuple(Touch(resource=f"record/binu/{n}", effect="settle") for n in "12")
    assert run(here, "check_votes")["checked"] == [
        {"story": "1", "verified": "yes"}, {"story": "2", "verified": "no"},
    ]  # fmt: skip
    phases = {key: one["verified"] for key, one in here.rows("records").items()}
    assert phases == {"binu/1": True, "binu/2": False, "binu/3": True}
    assert run(here, "check_votes")["checked"] == []


def test_a_planted_fault_keeps_the_count_from_being_had() -> None:
    here = world(faults={"count_upvotes": {"code": "locked", "message": "no"}})
    with pytest.raises(ToolError, match="no"):
        counted(here, pending=False)
    assert run(here, "fill_answer", field="upvotes")["value"] == 1


def test_an_answer_is_written_down_with_who_gave_it_and_is_not_echoed() -> None:
    here = world()
    told = run(here, "answer", field="upvotes", value=77)
    assert "77" not in str(told)
    assert here.rows("answers") == {"upvotes": {"value": 77, "from": "agent"}}
    assert run(here, "fill_answer", field="upvotes")["text"] == "1 upvotes"
    assert here.rows("answers") == {"upvotes": {"value": 1, "from": "store"}}


@pytest.mark.parametrize("field", ["karma", "", "Upvotes", "x" * 80])
def test_the_sheet_has_one_field(field: str) -> None:
    here = world()
    with pytest.raises(ToolError, match="no field"):
        run(here, "answer", field=field, value=1)
    with pytest.raises(ToolError, match="no field"):
        run(here, "fill_answer", field=field)
    assert here.rows("answers") == {}


def test_a_record_can_be_removed_and_says_so_beforehand() -> None:
    here = logged(row("1", False))
    touched = TOOL["forget_record"].touches(here, {"story": "1"})
    assert touched == (Touch(resource="record/binu/1", effect="erase"),)
    run(here, "forget_record", story="1")
    assert here.rows("records") == {}
    with pytest.raises(ToolError, match="no record"):
        run(here, "forget_record", story="1")


def test_a_reply_is_kept_with_the_scripts_that_it_is_written_in() -> None:
    here = world()
    run(here, "reply", story="1", text="A はい")
    assert here.rows("replies")["reply-1"] == {
        "story": "1", "text": "A はい", "script": "hiragana+latin",
    }  # fmt: skip
    with pytest.raises(ToolError, match="no story"):
        run(here, "reply", story="2", text="A")
    assert TOOL["reply"].touches(here, {})[0].effect == "reply"
    assert TOOL["answer"].touches(here, {"field": "upvotes"})[0].resource == "answer/upvotes"
