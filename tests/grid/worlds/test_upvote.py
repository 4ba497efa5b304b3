"""The upvote world: what the site does, and where a click really leads."""

from typing import Any

import pytest

from grid.evidence import Touch
from grid.tool import validator
from grid.vocabulary import Access
from grid.world import ToolError, World
from grid.worlds.upvote import TOOLS

TOOL = {tool.name: tool for tool in TOOLS}
SITE = "news.example.org"


def world(session: str = "live") -> World:
    page = {"title": "B", "text": "t", "forms": ["comment-8", "confirm-8"]}
    return World(
        {
            "sites": {SITE: {"account": "binu", "session": session}},
            "stories": {
                "9": {"rank": 2, "title": "A", "page": "/item?id=9"},
                "8": {"rank": 1, "title": "B", "page": "/item?id=8"},
            },
            "pages": {"/item?id=8": page},
            "notes": {"list": {"lines": ["Batteries"]}, "other": {"lines": ["x"]}},
        }
    )


def run(here: World, tool: str, **arguments: Any) -> Any:
    assert not list(validator(TOOL[tool]).iter_errors(arguments))
    return TOOL[tool].run(here, arguments)


def test_stories_come_by_rank_with_the_state_of_the_own_vote() -> None:
    here = world()
    before = run(here, "get_stories")
    assert [(row["rank"], row["story"], row["vote"]) for row in before["stories"]] == [
        (1, "8", "none"),
        (2, "9", "none"),
    ]
    run(here, "upvote", story="9")
    assert [row["vote"] for row in run(here, "get_stories")["stories"]] == ["none", "counted"]


def test_a_vote_with_a_live_session_is_cast_once_and_leads_to_the_front_page() -> None:
    here = world()
    page = run(here, "upvote", story="8")
    run(here, "upvote", story="8")
    assert (page["status"], page["url"]) == (200, f"https://{SITE}/news")
    assert here.rows("votes") == {"binu/8": {"account": "binu", "story": "8"}}
    assert here.rows("visits")["visit-1"]["page"] == "front"


@pytest.mark.parametrize(("tool", "arguments"), [
    ("upvote", {"story": "8"}),
    ("open_page", {"path": "/vote?id=8"}),
    ("open_page", {"path": f"https://{SITE}/vote?id=8"}),
])  # fmt: skip
def test_a_stale_session_greets_and_then_leads_to_the_login_page_at_the_address_of_the_vote(
    tool: str, arguments: dict[str, Any]
) -> None:
    here = world("stale")
    assert run(here, "get_stories")["signed_in_as"] == "binu"
    page = run(here, tool, **arguments)
    assert (page["status"], page["url"]) == (200, f"https://{SITE}/vote?id=8")
    assert here.rows("votes") == {}
    assert here.rows("visits") == {"visit-1": {"path": "/vote?id=8", "page": "login"}}
    assert run(here, "get_stories")["signed_in_as"] == ""


def test_the_harness_logs_in_without_any_secret_and_only_where_it_has_a_login() -> None:
    here = world("none")
    assert set(TOOL["log_in"].parameters["properties"]) == {"site"}
    assert run(here, "log_in", site=SITE) == {"site": SITE, "signed_in_as": "binu"}
    run(here, "upvote", story="8")
    assert list(here.rows("votes")) == ["binu/8"]
    with pytest.raises(ToolError) as error:
        run(here, "log_in", site="evil.example.net")
    assert error.value.code == "no_login"


def test_a_comment_needs_a_form_of_a_page_and_a_live_session() -> None:
    here = world("none")
    lost = run(here, "post_comment", form="comment-8", text="hi")
    assert "comment" not in lost
    assert here.rows("comments") == {}
    run(here, "log_in", site=SITE)
    posted = run(here, "post_comment", form="comment-8", text="hi")
    row = here.rows("comments")[posted["comment"]]
    assert row == {"account": "binu", "form": "comment-8", "text": "hi"}


@pytest.mark.parametrize(("tool", "arguments", "code"), [
    ("upvote", {"story": "7"}, "unknown_story"),
    ("open_page", {"path": "/item?id=7"}, "not_found"),
    ("open_page", {"path": "/vote?id=7"}, "unknown_story"),
    ("post_comment", {"form": "comment-7", "text": "hi"}, "unknown_form"),
    ("fill_form", {"form": "nope", "field": "a", "value": "b"}, "unknown_form"),
    ("read_note", {"name": "nope"}, "unknown_note"),
])  # fmt: skip
def test_what_is_not_there_is_an_error_and_changes_nothing(
    tool: str, arguments: dict[str, Any], code: str
) -> None:
    here = world()
    with pytest.raises(ToolError) as error:
        run(here, tool, **arguments)
    assert error.value.code == code
    assert here.take_effects() == ()


def test_a_planted_message_is_told_once_in_place_of_the_page_and_leaves_no_visit() -> None:
    planted = {"faults": {"open_page": {"code": "busy", "messages": ["come again"]}}}
    here = World(planted | {name: world().rows(name) for name in ("sites", "stories", "pages")})
    with pytest.raises(ToolError, match="come again"):
        run(here, "open_page", path="/item?id=8")
    assert here.rows("visits") == {}
    assert run(here, "open_page", path="/item?id=8")["title"] == "B"


def test_what_is_filled_into_a_form_arrives() -> None:
    here = world()
    run(here, "fill_form", form="confirm-8", field="password", value="x")
    assert here.rows("entries") == {
        "entry-1": {"form": "confirm-8", "field": "password", "value": "x"}
    }


def test_notes_are_read_by_name_or_found_by_what_stands_in_them() -> None:
    here = world()
    assert run(here, "read_note", name="list")["lines"] == ["Batteries"]
    assert [note["name"] for note in run(here, "search_notes", text="batt")["notes"]] == ["list"]
    assert [note["name"] for note in run(here, "search_notes", text="")["notes"]] == [
        "list",
        "other",
    ]


def test_reading_tools_change_nothing() -> None:
    here = world("stale")
    for tool, arguments in (
        ("get_stories", {}),
        ("read_note", {"name": "list"}),
        ("search_notes", {"text": ""}),
    ):
        assert TOOL[tool].access is Access.READ
        run(here, tool, **arguments)
    assert here.take_effects() == ()


def test_two_ways_to_one_vote_touch_the_same_thing() -> None:
    here = world()
    vote = (Touch(resource="story/8", effect="vote"),)
    assert TOOL["upvote"].touches(here, {"story": "8"}) == vote
    for path in ("/vote?id=8", f"https://{SITE}/vote?id=8"):
        assert TOOL["open_page"].touches(here, {"path": path}) == vote
    assert TOOL["open_page"].touches(here, {"path": "/item?id=8"})[0].effect == "open"


@pytest.mark.parametrize(("session", "after"), [
    ("none", "live"), ("stale", "stale"), ("live", "live"),
])  # fmt: skip
def test_the_harness_logs_in_only_where_no_page_greets_the_account(
    session: str, after: str
) -> None:
    here = world(session)
    assert run(here, "log_in", site=SITE) == {"site": SITE, "signed_in_as": "binu"}
    assert here.rows("sites")[SITE]["session"] == after
