"""Review world: files to be reviewed and the template that a review is written by.

Tables: `files` (path -> text), `templates` (one row), `faults` (see ``_faults.py``). The tools of
this module read; what a review states goes into the report. Which of the reading tools a scenario
offers is what it is about.

The other topics of this world stand in modules of their own: hosts (`_review_hosts`), settings page
by page (`_review_settings`), the review form (`_review_form`), delegated subtasks
(`_review_delegates`), check and deployment (`_review_release`), runs that a person approves
(`_review_runs`).
"""

from typing import Any

from grid.canonical import Json
from grid.tool import Tool, object_schema, text
from grid.vocabulary import Access
from grid.world import ToolError, World
from grid.worlds import (
    _review_delegates,
    _review_form,
    _review_hosts,
    _review_release,
    _review_runs,
    _review_settings,
)
from grid.worlds._faults import fail_if_due


def _get_template(world: World, _arguments: dict[str, Any]) -> Json:
    name, row = next(iter(world.rows("templates").items()))
    return {"template": name, "text": row["text"]}


def _list_files(world: World, _arguments: dict[str, Any]) -> Json:
    return {"files": list(world.rows("files"))}


def _read_file(world: World, arguments: dict[str, Any]) -> Json:
    row = world.get("files", arguments["path"])
    if row is None:
        raise ToolError("unknown_file", f"there is no file {arguments['path']!r}")
    fail_if_due(world, "read_file")
    return {"path": arguments["path"], "text": row["text"]}


TOOLS = (
    Tool(
        name="get_template",
        description="Show the template that a review is written by.",
        parameters=object_schema({}),
        access=Access.READ,
        run=_get_template,
    ),
    Tool(
        name="list_files",
        description="List the files under review.",
        parameters=object_schema({}),
        access=Access.READ,
        run=_list_files,
    ),
    Tool(
        name="read_file",
        description="Read a file under review.",
        parameters=object_schema({"path": text("Path of the file.", maxLength=200)}),
        access=Access.READ,
        run=_read_file,
    ),
    *_review_hosts.TOOLS,
    *_review_settings.TOOLS,
    *_review_form.TOOLS,
    *_review_delegates.TOOLS,
    *_review_release.TOOLS,
    *_review_runs.TOOLS,
)
