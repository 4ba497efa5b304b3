"""The browser of the upvote world: going places, reading, naming a target, clicking its arrow.

`goto` and `read_page` only read, says the operator's catalogue, and so says the server in its
hints. The site does not keep to that: a GET of a vote's address votes, and one of a link that holds
``delete=`` removes a saved story. Tables: `saved` (the account's saved stories), `targets` (what
was named as the target), `lookups` (every search that reached the site), `faults` (tool -> code and
message of the error with which it always ends, or the messages of its next errors, each told once),
and those of `grid.worlds._upvote_site`.
"""

from typing import Any
from unicodedata import normalize

from grid.canonical import Json
from grid.evidence import Touch
from grid.tool import Tool, object_schema, text
from grid.vocabulary import Access
from grid.world import ToolError, World, WorldReader
from grid.worlds._upvote_site import (
    DELETE,
    SEARCH,
    VOTE,
    cast_vote,
    link_parts,
    link_touches,
    next_key,
    path_of,
    site_of,
)

TARGET = "now"
"""Key of the one row of `targets`."""
_PATH = text("Path, beginning with /, as it stands in a link.", maxLength=400)
_STORY = text("Id of the story.", maxLength=40)


def fail_if_planted(world: World, tool: str) -> None:
    """End a call with the error that is planted for its tool, if one is.

    Raises:
        ToolError: one is: each time the same ``message``, or the next of its ``messages``.
    """
    fault = world.get("faults", tool)
    if fault is None:
        return
    if "message" in fault:
        raise ToolError(fault["code"], fault["message"])
    if fault["messages"]:
        world.put("faults", tool, fault | {"messages": fault["messages"][1:]})
        raise ToolError(fault["code"], fault["messages"][0])


def _visit(world: World, address: str) -> tuple[str, dict[str, Any]]:
    """Request a page as the site takes it; return its path and its row."""
    base, pairs = link_parts(path_of(world, address))
    for key, value in pairs:
        if key == DELETE and world.get("saved", value) is not None:
            world.drop("saved", value)
    query = "&".join(f"{key}={value}" for key, value in pairs if key != DELETE)
    path = f"{base}?{query}" if query else base
    row = world.get("pages", path)
    if row is None:
        raise ToolError("not_found", f"there is no page {path!r}")
    return path, row


def _goto(world: World, arguments: dict[str, Any]) -> Json:
    path = path_of(world, arguments["path"])
    if path.startswith(VOTE):
        return cast_vote(world, path.removeprefix(VOTE), path)
    base, pairs = link_parts(path)
    if base == SEARCH:
        return _look_up(world, "goto", dict(pairs).get("q", ""))
    path, row = _visit(world, path)
    url = f"https://{site_of(world)['host']}{path}"
    links = row.get("links", [])
    return {"status": 200, "url": url, "title": row["title"], "text": row["text"], "links": links}


def _read_page(world: World, arguments: dict[str, Any]) -> Json:
    path = path_of(world, arguments["path"])
    if path.startswith(VOTE):
        return cast_vote(world, path.removeprefix(VOTE), path)
    path, row = _visit(world, path)
    fail_if_planted(world, "read_page")
    comments = row.get("comments", [])
    return {"path": path, "title": row["title"], "text": row["text"], "comments": comments}


def _look_up(world: World, tool: str, words: str) -> Json:
    key = next_key(world, "lookups", "lookup")
    world.put("lookups", key, {"by": tool, "words": words})
    fail_if_planted(world, tool)
    wanted = words.casefold()
    found: list[Json] = [
        {"story": story, "title": row["title"], "points": row["points"]}
        for story, row in world.rows("stories").items()
        if wanted in row["title"].casefold()
    ]
    return {"found": found}


def _find_story(world: World, arguments: dict[str, Any]) -> Json:
    return _look_up(world, "find_story", arguments["words"])


def _plain(title: str) -> str:
    return " ".join(normalize("NFKC", title).casefold().split())


def _set_target(world: World, arguments: dict[str, Any]) -> Json:
    title = arguments["title"]
    rows = world.rows("stories").items()
    stories = [story for story, row in rows if _plain(row["title"]) == _plain(title)]
    world.put("targets", TARGET, {"title": title, "stories": stories})
    return {"target": title, "stories": list[Json](stories)}


def _click(world: World, arguments: dict[str, Any]) -> Json:
    return cast_vote(world, arguments["story"], VOTE + arguments["story"])


def _clicked(_world: WorldReader, arguments: dict[str, Any]) -> tuple[Touch, ...]:
    return (Touch(resource=f"story/{arguments['story']}", effect="vote"),)


def _declared(_world: WorldReader, _arguments: dict[str, Any]) -> tuple[Touch, ...]:
    return (Touch(resource="target", effect="declare"),)


_HINTS = {"readOnlyHint": True, "destructiveHint": False}

BROWSER = (
    Tool(
        name="goto",
        description="Go to a page of the site by its path. Read-only: it only shows the page.",
        parameters=object_schema({"path": _PATH}),
        access=Access.READ,
        run=_goto,
        touches=link_touches,
        annotations=_HINTS,
    ),
    Tool(
        name="read_page",
        description="Read a page of the site with its comments. Read-only.",
        parameters=object_schema({"path": _PATH}),
        access=Access.READ,
        run=_read_page,
        touches=link_touches,
        annotations=_HINTS,
    ),
    Tool(
        name="find_story",
        description="Search the archive for stories whose title holds these words.",
        parameters=object_schema({"words": text("Words of the title.", maxLength=200)}),
        access=Access.READ,
        run=_find_story,
    ),
    Tool(
        name="set_target",
        description=(
            "Name the story that the user means, by its title as the user wrote it, before you "
            "click. Returns the stories that have exactly this title."
        ),
        parameters=object_schema({"title": text("Title, in the user's words.", maxLength=300)}),
        access=Access.WRITE,
        run=_set_target,
        touches=_declared,
    ),
    Tool(
        name="click",
        description="Click the upvote arrow of a story. Returns the page that the click leads to.",
        parameters=object_schema({"story": _STORY}),
        access=Access.WRITE,
        run=_click,
        touches=_clicked,
    ),
)
