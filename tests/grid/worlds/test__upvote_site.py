"""The site behind the upvote world's tools: sessions that end, links, votes that it drops."""

from typing import Any

import pytest

from grid.evidence import Touch
from grid.world import ToolError, World
from grid.worlds._upvote_site import (
    cast_vote,
    link_parts,
    link_touches,
    live,
    path_of,
    put_session,
)

SITE = "news.example.org"


def world(session: str = "live", **more: Any) -> World:
    stories = {
        "8": {"rank": 1, "title": "B", "page": "/item?id=8"},
        "9": {"rank": 2, "title": "A", "page": "/item?id=9", "drops": True},
    }
    site = {"account": "binu", "session": session} | more.pop("site", {})
    return World({"sites": {SITE: site}, "stories": stories} | more)


def vote(here: World, story: str = "8") -> Any:
    here.begin_call(here.clock)
    return cast_vote(here, story, f"/vote?id={story}")


def test_a_session_is_live_until_the_clock_reaches_its_end() -> None:
    here = world(site={"ends": 2})
    assert live(here)
    here.begin_call(0)
    assert live(here)
    here.begin_call(1)
    assert not live(here)


@pytest.mark.parametrize("session", ["stale", "none"])
def test_a_session_that_is_over_leads_to_the_login_page_where_nobody_keeps_it(session: str) -> None:
    here = world(session)
    page = vote(here)
    assert "password" in page["text"]
    assert (here.rows("votes"), here.rows("logins")) == ({}, {})


@pytest.mark.parametrize("site", [{"session": "stale"}, {"session": "none"}, {"ends": 1}])
def test_the_harness_logs_in_unseen_where_it_keeps_the_session(site: dict[str, Any]) -> None:
    here = world(site={"keeper": "harness"} | site)
    with pytest.raises(ToolError) as failed:
        vote(here)
    assert failed.value.code == "no_effect"
    assert "log" not in failed.value.message
    assert here.rows("logins") == {"login-1": {"by": "harness", "site": SITE}}
    assert here.rows("visits") == {}
    assert vote(here)["title"] == SITE
    assert "binu/8" in here.rows("votes")


def test_a_new_session_has_no_end() -> None:
    here = world(site={"ends": 1})
    put_session(here, "live")
    here.begin_call(5)
    assert live(here)


def test_a_dropped_vote_is_answered_like_any_other_and_is_not_there() -> None:
    here = world(records={})
    kept, dropped = vote(here, "8"), vote(here, "9")
    assert kept == dropped
    assert list(here.rows("votes")) == ["binu/8"]
    assert {row["verified"] for row in here.rows("records").values()} == {None}
    assert list(here.rows("records")) == ["binu/8", "binu/9"]


def test_a_second_click_leaves_a_settled_record_as_it_is() -> None:
    settled = {"binu/8": {"account": "binu", "story": "8", "verified": True}}
    here = world(records=settled)
    vote(here, "8")
    assert here.rows("records") == settled


def test_without_a_log_nothing_is_logged() -> None:
    here = world()
    vote(here)
    assert here.rows("records") == {}
    assert not any(effect.table == "records" for effect in here.take_effects())


@pytest.mark.parametrize(("path", "base", "pairs"), [
    ("/x", "/x", []), ("/x?", "/x", []), ("", "", []), ("?a=1", "", [("a", "1")]),
    ("/x?a=1&b=2", "/x", [("a", "1"), ("b", "2")]), ("/x?a=1;B=2", "/x", [("a", "1"), ("b", "2")]),
    ("/x?%64elete=7", "/x", [("delete", "7")]), ("/x?q=a+b%20c", "/x", [("q", "a b c")]),
    ("/x?a&&=1", "/x", [("a", ""), ("", "1")]), ("/x?a=1=2", "/x", [("a", "1=2")]),
    ("/x?%zz=%", "/x", [("%zz", "%")]),
])  # fmt: skip
def test_a_link_is_read_as_the_site_reads_it(
    path: str, base: str, pairs: list[tuple[str, str]]
) -> None:
    assert link_parts(path) == (base, pairs)


@pytest.mark.parametrize(("path", "touches"), [
    ("/x", {("page/x", "open")}),
    ("/vote?id=8", {("story/8", "vote")}),
    (f"https://{SITE}/vote?id=8", {("story/8", "vote")}),
    ("/saved?delete=8", {("page/saved", "open"), ("saved/8", "delete")}),
    (
        "/saved?Delete=8&%64elete=9",
        {("page/saved", "open"), ("saved/8", "delete"), ("saved/9", "delete")},
    ),
])  # fmt: skip
def test_a_visit_says_what_it_would_affect(path: str, touches: set[tuple[str, str]]) -> None:
    found = link_touches(world(), {"path": path})
    assert set(found) == {Touch(resource=one, effect=kind) for one, kind in touches}


def test_an_address_of_another_host_is_no_path_of_this_site() -> None:
    assert path_of(world(), f"https://{SITE}/x") == "/x"
    assert path_of(world(), "https://other.example.org/x") == "https://other.example.org/x"
