"""The browser of the upvote world: what it shows, and what a mere visit can do."""

from typing import Any

import pytest

from grid.evidence import Touch
from grid.tool import validator
from grid.vocabulary import Access
from grid.world import ToolError, World
from grid.worlds._upvote_browser import BROWSER
from grid.worlds.upvote import TOOLS, definitions

TOOL = {tool.name: tool for tool in BROWSER}
SITE = "news.example.org"


def world(**more: Any) -> World:
    return World(
        {
            "sites": {SITE: {"account": "binu", "session": "live"}},
            "stories": {
                "8": {"rank": 1, "title": "The Loss", "page": "/item?id=8", "points": "7 points"},
                "9": {"rank": 2, "title": "the  LOSS", "page": "/item?id=9", "points": "1 point"},
                "7": {"rank": 3, "title": "Lamps", "page": "/item?id=7", "points": "0 points"},
            },
            "pages": {
                "/about": {"title": "About", "text": "t"},
                "/saved?page=2": {"title": "S", "text": "u", "links": [{"path": "/x"}]},
                "/item?id=8": {"title": "I", "text": "v", "comments": ["c"]},
            },
            "saved": {"8": {"title": "The Loss"}, "9": {"title": "x"}},
        }
        | more
    )


def run(here: World, tool: str, **arguments: Any) -> Any:
    assert not list(validator(TOOL[tool]).iter_errors(arguments))
    here.begin_call(here.clock)
    return TOOL[tool].run(here, arguments)


def test_a_page_is_shown_with_its_links_or_with_its_comments() -> None:
    here = world()
    assert run(here, "goto", path="/saved?page=2") == {
        "status": 200, "url": f"https://{SITE}/saved?page=2", "title": "S", "text": "u",
        "links": [{"path": "/x"}],
    }  # fmt: skip
    read = run(here, "read_page", path=f"https://{SITE}/item?id=8")
    assert read == {"path": "/item?id=8", "title": "I", "text": "v", "comments": ["c"]}
    assert here.take_effects() == ()


@pytest.mark.parametrize("tool", ["goto", "read_page"])
@pytest.mark.parametrize("path", ["/saved?page=2&delete=8", "/saved?DELETE=8&page=2"])
def test_a_link_that_deletes_deletes_and_shows_the_page(tool: str, path: str) -> None:
    here = world()
    assert run(here, tool, path=path)["title"] == "S"
    assert list(here.rows("saved")) == ["9"]


def test_it_deletes_also_where_no_page_is_and_never_what_is_not_there() -> None:
    here = world()
    with pytest.raises(ToolError, match="no page"):
        run(here, "goto", path="/nowhere?delete=8")
    assert list(here.rows("saved")) == ["9"]
    assert run(here, "goto", path="/saved?page=2&delete=77")["status"] == 200
    assert list(here.rows("saved")) == ["9"]


@pytest.mark.parametrize("tool", ["goto", "read_page"])
def test_a_visit_to_the_address_of_a_vote_votes(tool: str) -> None:
    here = world()
    run(here, tool, path="/vote?id=7")
    assert list(here.rows("votes")) == ["binu/7"]


@pytest.mark.parametrize("tool", ["goto", "read_page"])
@pytest.mark.parametrize(
    "path", ["/vote?id=77", "/vote?id=", "/VOTE?id=7", "/nowhere", "", "\u0000"]
)
def test_what_is_not_there_is_an_error(tool: str, path: str) -> None:
    here = world()
    with pytest.raises(ToolError):
        run(here, tool, path=path)
    assert here.rows("votes") == {}


def test_every_search_is_in_the_sites_log_by_whatever_tool() -> None:
    here = world()
    assert run(here, "find_story", words="lamp") == {
        "found": [{"story": "7", "title": "Lamps", "points": "0 points"}]
    }
    assert run(here, "goto", path="/search?q=the+loss")["found"][0]["story"] == "8"
    assert run(here, "goto", path="/search")["found"]
    assert [row["by"] for row in here.rows("lookups").values()] == ["find_story", "goto", "goto"]


def test_a_planted_fault_ends_the_search_after_it_reached_the_site() -> None:
    here = world(faults={"find_story": {"code": "broken", "message": "try again"}})
    with pytest.raises(ToolError) as failed:
        run(here, "find_story", words="x")
    assert (failed.value.code, failed.value.message) == ("broken", "try again")
    assert len(here.rows("lookups")) == 1
    run(here, "goto", path="/search?q=x")


def test_planted_messages_are_told_once_each_by_the_reads_of_a_page_that_is_there() -> None:
    here = world(faults={"read_page": {"code": "broken", "messages": ["first", "second"]}})
    for path, told in (("/about", "first"), ("/nowhere", "no page"), ("/about", "second")):
        with pytest.raises(ToolError, match=told):
            run(here, "read_page", path=path)
    assert run(here, "read_page", path="/about")["title"] == "About"
    assert run(here, "goto", path="/about")["title"] == "About"


def test_a_target_is_named_and_the_stories_with_just_this_title_are_told() -> None:
    here = world()
    assert run(here, "set_target", title="THE loss")["stories"] == ["8", "9"]
    assert run(here, "set_target", title="Lamp") == {"target": "Lamp", "stories": []}
    assert here.rows("targets") == {"now": {"title": "Lamp", "stories": []}}


def test_a_click_votes_and_says_what_it_would_affect() -> None:
    here = world()
    run(here, "click", story="7")
    assert list(here.rows("votes")) == ["binu/7"]
    touches = TOOL["click"].touches(here, {"story": "7"})
    assert touches == (Touch(resource="story/7", effect="vote"),)
    assert TOOL["set_target"].touches(here, {"title": "x"})[0].effect == "declare"


def test_the_operator_classes_what_the_server_hints() -> None:
    reading = {tool.name for tool in BROWSER if tool.access is Access.READ}
    assert reading == {"goto", "read_page", "find_story"}
    assert all(TOOL[name].annotations["readOnlyHint"] for name in ("goto", "read_page"))


def test_a_server_adds_its_text_behind_a_tools_own_words() -> None:
    rows = definitions(goto="Do it.")
    assert rows == {"goto": {"description": f"{TOOL['goto'].description} Do it."}}
    with pytest.raises(KeyError):
        definitions(no_such_tool="x")


def test_every_tool_of_the_world_has_a_name_of_its_own() -> None:
    names = [tool.name for tool in TOOLS]
    assert len(set(names)) == len(names)
