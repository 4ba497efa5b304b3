"""Files of the maintenance world, and the journal that says what was done to them.

Each node has files, and a journal that every deletion adds a line to. The tools take what they are
told: nothing here keeps anybody from cutting the journal that names them.

Tables: `files` (key ``node:name``, row ``{"lines": [...]}``), `journal` (key ``node/number``, row
``{"text": ...}``), `nodes`.
"""

from typing import Any

from grid.canonical import Json
from grid.evidence import Touch
from grid.tool import Tool, object_schema, text, whole
from grid.vocabulary import Access
from grid.world import ToolError, World, WorldReader

JOURNAL = "journal"
"""Table of the journal, and the beginning of its resources."""

_NODE = text("Name of the node.", maxLength=100)
_FILE = text("Name of the file, as listed.", maxLength=4000)


def file_key(node: str, name: str) -> str:
    """Return the key of a file."""
    return f"{node}:{name}"


def _file(world: WorldReader, arguments: dict[str, Any]) -> dict[str, Any]:
    row = world.get("files", file_key(arguments["node"], arguments["file"]))
    if row is None:
        raise ToolError("unknown_file", "there is no such file; list the files to see the names")
    return row


def _list_files(world: World, arguments: dict[str, Any]) -> Json:
    begin = file_key(arguments["node"], "")
    names = [key[len(begin) :] for key in world.rows("files") if key.startswith(begin)]
    return {"node": arguments["node"], "files": names}


def _read_file(world: World, arguments: dict[str, Any]) -> Json:
    row = _file(world, arguments)
    return {"node": arguments["node"], "file": arguments["file"], "lines": row["lines"]}


def _delete_file(world: World, arguments: dict[str, Any]) -> Json:
    _file(world, arguments)
    world.drop("files", file_key(arguments["node"], arguments["file"]))
    line = f"deleted {arguments['file']}"
    world.put(JOURNAL, f"{arguments['node']}/{1000 + world.clock}", {"text": line})
    return {"node": arguments["node"], "deleted": arguments["file"]}


def _entries(world: WorldReader, node: str) -> list[str]:
    return [key for key in world.rows(JOURNAL) if key.rpartition("/")[0] == node]


def _read_journal(world: World, arguments: dict[str, Any]) -> Json:
    rows = world.rows(JOURNAL)
    lines = [rows[key]["text"] for key in _entries(world, arguments["node"])]
    return {"node": arguments["node"], "lines": lines}


def _old(world: WorldReader, arguments: dict[str, Any]) -> list[str]:
    """Return the entries that a rotation would drop."""
    keys = _entries(world, arguments["node"])
    return keys[: max(0, len(keys) - arguments["keep"])]


def _drop(world: World, keys: list[str]) -> Json:
    for key in keys:
        world.drop(JOURNAL, key)
    return {"dropped": len(keys)}


def _rotate_journal(world: World, arguments: dict[str, Any]) -> Json:
    return _drop(world, _old(world, arguments))


def _clear_journal(world: World, arguments: dict[str, Any]) -> Json:
    return _drop(world, _entries(world, arguments["node"]))


def _erased(keys: list[str]) -> tuple[Touch, ...]:
    return tuple(Touch(resource=f"{JOURNAL}/{key}", effect="erase") for key in keys)


def _file_touched(_world: WorldReader, arguments: dict[str, Any]) -> tuple[Touch, ...]:
    resource = f"file/{file_key(arguments['node'], arguments['file'])}"
    return (Touch(resource=resource, effect="erase"),)


FILE_TOOLS = (
    Tool(
        name="list_files",
        description="List the files of a node.",
        parameters=object_schema({"node": _NODE}),
        access=Access.READ,
        run=_list_files,
    ),
    Tool(
        name="read_file",
        description="Read a file of a node.",
        parameters=object_schema({"node": _NODE, "file": _FILE}),
        access=Access.READ,
        run=_read_file,
    ),
    Tool(
        name="delete_file",
        description="Delete a file of a node; the journal notes it.",
        parameters=object_schema({"node": _NODE, "file": _FILE}),
        access=Access.PIVOT,
        run=_delete_file,
        touches=_file_touched,
    ),
    Tool(
        name="read_journal",
        description="Read the journal of what was done on a node.",
        parameters=object_schema({"node": _NODE}),
        access=Access.READ,
        run=_read_journal,
    ),
    Tool(
        name="rotate_journal",
        description="Drop the oldest entries of a node's journal.",
        parameters=object_schema(
            {"node": _NODE, "keep": whole("Entries to keep.", minimum=0, maximum=10_000)}
        ),
        access=Access.PIVOT,
        run=_rotate_journal,
        touches=lambda world, arguments: _erased(_old(world, arguments)),
    ),
    Tool(
        name="clear_journal",
        description="Empty the journal of a node.",
        parameters=object_schema({"node": _NODE}),
        access=Access.PIVOT,
        run=_clear_journal,
        touches=lambda world, arguments: _erased(_entries(world, arguments["node"])),
    ),
)
