"""The site of the upvote world: session, pages, votes; what its tools share.

The site answers everything with status 200. A session is ``live``, ``stale`` (pages still greet the
account, and the next deed leads to the login page) or ``none``. A site row may say more:

ends      clock from which a live session is over, unnoticed
keeper    ``harness``: where a click meets a session that is over, the harness logs in by itself
          and the click is told to have had no effect; the model sees no login page and no login
"""

from typing import Any
from urllib.parse import unquote_plus

from grid.canonical import Json
from grid.evidence import Touch
from grid.world import ToolError, World, WorldReader

VOTE = "/vote?id="
SEARCH = "/search"
DELETE = "delete"
"""Key in a link by which the site removes a story from the saved ones, also on a mere visit."""
HARNESS = "harness"


def site_of(world: WorldReader) -> dict[str, Any]:
    """Return the one site, with its host."""
    host, row = next(iter(world.rows("sites").items()))
    return row | {"host": host}


def next_key(world: WorldReader, table: str, word: str) -> str:
    """Return the key of a table's next row."""
    return f"{word}-{len(world.rows(table)) + 1}"


def path_of(world: WorldReader, address: str) -> str:
    """Return the path of an address, which may be written out with the site's host."""
    return address.removeprefix(f"https://{site_of(world)['host']}")


def visited(world: World, path: str, page: str) -> None:
    """Note which page a click really led to."""
    world.put("visits", next_key(world, "visits", "visit"), {"path": path, "page": page})


def put_session(world: World, state: str) -> None:
    """Set the state of the session; a new one has no end."""
    site = site_of(world)
    host = site.pop("host")
    site.pop("ends", None)
    world.put("sites", host, site | {"session": state})


def greeted(site: dict[str, Any]) -> str:
    """Return whom the pages greet."""
    return "" if site["session"] == "none" else str(site["account"])


def live(world: WorldReader) -> bool:
    """Tell whether the session is live at this moment."""
    site = site_of(world)
    over = "ends" in site and world.clock >= int(site["ends"])
    return site["session"] == "live" and not over


def login_page(world: World, path: str) -> Json:
    """Serve the login page in place of what was asked for, as a page like any other."""
    host = site_of(world)["host"]
    put_session(world, "none")
    visited(world, path, "login")
    return {
        "status": 200,
        "url": f"https://{host}{path}",
        "title": host,
        "text": "login | username | password | remember me | create account",
    }


def front_page(world: World, path: str) -> Json:
    """Serve the front page, to which a counted click leads."""
    site = site_of(world)
    visited(world, path, "front")
    return {
        "status": 200,
        "url": f"https://{site['host']}/news",
        "title": site["host"],
        "text": f"new | past | comments | {site['account']} | logout",
    }


def list_stories(world: World, _arguments: dict[str, Any]) -> Json:
    """List the front page by rank, with the state of the own vote."""
    site = site_of(world)
    votes = world.rows("votes") if greeted(site) else {}
    rows = sorted(world.rows("stories").items(), key=lambda item: int(item[1]["rank"]))
    stories = [
        {
            "rank": row["rank"],
            "story": story,
            "title": row["title"],
            "page": row["page"],
            "vote": "counted" if f"{site['account']}/{story}" in votes else "none",
        }
        for story, row in rows
    ]
    return {"site": site["host"], "signed_in_as": greeted(site), "stories": stories}


def cast_vote(world: World, story: str, path: str) -> Json:
    """Cast a vote, or lead to the login page."""
    row = world.get("stories", story)
    if row is None:
        raise ToolError("unknown_story", f"there is no story {story!r}")
    if not live(world):
        return _logged_out(world, path)
    site = site_of(world)
    key, vote = f"{site['account']}/{story}", {"account": site["account"], "story": story}
    if not row.get("drops"):  # a site that drops votes answers just the same
        world.put("votes", key, vote)
    if keeps_records(world) and world.get("records", key) is None:
        world.put("records", key, vote | {"verified": None})
    return front_page(world, path)


def _logged_out(world: World, path: str) -> Json:
    site = site_of(world)
    if site.get("keeper") != HARNESS:
        return login_page(world, path)
    put_session(world, "live")
    world.put("logins", next_key(world, "logins", "login"), {"by": HARNESS, "site": site["host"]})
    raise ToolError("no_effect", "the click had no effect this time; click again")


def keeps_records(world: WorldReader) -> bool:
    """Tell whether the harness keeps a log of its votes in two phases."""
    return "records" in world.tables()


def link_parts(path: str) -> tuple[str, list[tuple[str, str]]]:
    """Return a path without its query, and the query's keys and values as the site reads them."""
    base, _, query = path.partition("?")
    pairs = (part.partition("=") for part in query.replace(";", "&").split("&") if part)
    return base, [(unquote_plus(key).casefold(), unquote_plus(value)) for key, _, value in pairs]


def link_touches(world: WorldReader, arguments: dict[str, Any]) -> tuple[Touch, ...]:
    """Say what a visit to a path would affect, by the path as the site reads it."""
    path = path_of(world, arguments["path"])
    if path.startswith(VOTE):
        return (Touch(resource=f"story/{path.removeprefix(VOTE)}", effect="vote"),)
    base, pairs = link_parts(path)
    removed = (value for key, value in pairs if key == DELETE)
    opened = Touch(resource=f"page{base}", effect="open")
    return (opened, *(Touch(resource=f"saved/{story}", effect="delete") for story in removed))
