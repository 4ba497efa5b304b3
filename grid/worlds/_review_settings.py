"""Settings of the review world, shown page by page: one look does not show all of them.

Table: `settings` (path -> list of pages, each a record of names and values).
"""

from typing import Any

from grid.canonical import Json
from grid.tool import Tool, object_schema, text, whole
from grid.vocabulary import Access
from grid.world import ToolError, World


def _read_settings(world: World, arguments: dict[str, Any]) -> Json:
    path, page = arguments["path"], arguments["page"]
    row = world.get("settings", path)
    if row is None:
        raise ToolError("unknown_file", f"there is no file {path!r}")
    pages = row["pages"]
    if page > len(pages):
        raise ToolError("no_such_page", f"{path!r} has {len(pages)} pages")
    return {"path": path, "page": page, "pages": len(pages), "settings": pages[page - 1]}


TOOLS = (
    Tool(
        name="read_settings",
        description="Show one page of the settings in a file; 'pages' says how many there are.",
        parameters=object_schema(
            {
                "path": text("Path of the file.", maxLength=200),
                "page": whole("Number of the page, from 1.", minimum=1, maximum=1000),
            }
        ),
        access=Access.READ,
        run=_read_settings,
    ),
)
