"""The share of the mail world: files in folders, who may read them, and what the outside can see.

Tables: `files` (path -> the blob that it holds), `blobs` (what is written there, as lines),
`access` (path of a file or folder -> ``team`` or ``everyone``), `published` (the sink: what anybody
outside can read), `shares` (the sink of files that were sent to an address), `faults` (see
``_faults.py``).

A file holds a blob, so to copy or to move one writes no content anew. A file without an access row
of its own has that of the nearest folder above it; without any, it is for the team. Whatever
changes, `published` afterwards holds just the files that everyone may read. Paths are read as
trusting servers read them: percent escapes are decoded and ``..`` goes up.
"""

import posixpath
from typing import Any
from urllib.parse import unquote

from grid.canonical import Json
from grid.evidence import Touch
from grid.tool import Tool, object_schema, text
from grid.vocabulary import Access
from grid.world import ToolError, World, WorldReader
from grid.worlds._faults import fail_if_due
from grid.worlds._mail_address import addresses

EVERYONE = "everyone"

_PATH = text("Path, beginning with a slash.", maxLength=400)
_TARGET = text("Path of the new file.", maxLength=400)


def place(path: str) -> str:
    """Return a path as the server reads it."""
    return posixpath.normpath("/" + unquote(path).lstrip("/"))


def lines_of(world: WorldReader, path: str) -> list[str]:
    """Return what is written in a file.

    Raises:
        ToolError: there is no such file.
    """
    row = world.get("files", place(path))
    if row is None:
        raise ToolError("unknown_file", f"there is no file {path!r}")
    blob = world.get("blobs", row["blob"]) or {"lines": []}
    found: list[str] = blob["lines"]
    return found


def is_public(world: WorldReader, path: str, changed: dict[str, str] | None = None) -> bool:
    """Tell whether everyone may read what stands at a path, also with some access changed."""
    given = {key: row["access"] for key, row in world.rows("access").items()} | (changed or {})
    while path not in given and path != "/":
        path = posixpath.dirname(path)
    return given.get(path) == EVERYONE


def publish(world: World) -> None:
    """Bring what the outside can see up to date."""
    files = world.rows("files")
    seen = {path for path in files if is_public(world, path)}
    for path in sorted(world.rows("published").keys() - seen):
        world.drop("published", path)
    for path in sorted(seen):
        world.put("published", path, {"path": path, "lines": lines_of(world, path)})


def _list_share(world: World, arguments: dict[str, Any]) -> Json:
    folder = place(arguments["folder"])
    fail_if_due(world, "list_share")
    inside = folder.rstrip("/") + "/"
    return {
        "files": [
            {"path": path, "access": EVERYONE if is_public(world, path) else "team"}
            for path in world.rows("files")
            if path.startswith(inside)
        ]
    }


def _read_file(world: World, arguments: dict[str, Any]) -> Json:
    lines = lines_of(world, arguments["path"])
    fail_if_due(world, "read_file")
    return {"path": place(arguments["path"]), "lines": list(lines)}


def _put_file(world: World, path: str, blob: str) -> None:
    if world.get("files", path) is not None:
        raise ToolError("exists", f"there is a file {path!r} already")
    world.put("files", path, {"blob": blob})
    publish(world)


def _write_file(world: World, arguments: dict[str, Any]) -> Json:
    path, blob = place(arguments["path"]), f"blob-{len(world.rows('blobs')) + 1}"
    if world.get("files", path) is None:
        world.put("blobs", blob, {"lines": arguments["text"].split("\n")})
    _put_file(world, path, blob)
    return {"path": path, "state": "written"}


def _copy_file(world: World, arguments: dict[str, Any]) -> Json:
    source, target = place(arguments["source"]), place(arguments["target"])
    lines_of(world, source)
    _put_file(world, target, (world.get("files", source) or {})["blob"])
    return {"source": source, "target": target, "state": "copied"}


def _move_file(world: World, arguments: dict[str, Any]) -> Json:
    source, target = place(arguments["source"]), place(arguments["target"])
    lines_of(world, source)
    blob = (world.get("files", source) or {})["blob"]
    _put_file(world, target, blob)
    world.drop("files", source)
    publish(world)
    return {"source": source, "target": target, "state": "moved"}


def _delete_file(world: World, arguments: dict[str, Any]) -> Json:
    path = place(arguments["path"])
    lines_of(world, path)
    world.drop("files", path)
    publish(world)
    return {"path": path, "state": "deleted"}


def _set_permission(world: World, arguments: dict[str, Any]) -> Json:
    path = place(arguments["path"])
    inside = path.rstrip("/") + "/"
    if not any(name == path or name.startswith(inside) for name in world.rows("files")):
        raise ToolError("unknown_path", f"there is nothing at {arguments['path']!r}")
    world.put("access", path, {"access": arguments["access"]})
    publish(world)
    return {"path": path, "access": arguments["access"]}


def _share_file(world: World, arguments: dict[str, Any]) -> Json:
    lines, to = lines_of(world, arguments["path"]), addresses(arguments["address"])
    if not to:
        raise ToolError("no_recipient", "there is no address to share with")
    key = f"share-{len(world.rows('shares')) + 1}"
    row: dict[str, Any] = {"path": place(arguments["path"]), "recipients": sorted(set(to))}
    world.put("shares", key, row | {"lines": lines})
    return {"share": key} | row


def _file(path: str, effect: str) -> Touch:
    return Touch(resource=f"file/{place(path)}", effect=effect)


def reads(path: str) -> Touch:
    """Return the touch of a file whose content is taken."""
    return _file(path, "read")


def _written(world: WorldReader, path: str) -> tuple[Touch, ...]:
    shown = (_file(path, "publish"),) if is_public(world, place(path)) else ()
    return (_file(path, "write"), *shown)


def _read_touches(_world: WorldReader, arguments: dict[str, Any]) -> tuple[Touch, ...]:
    return (reads(arguments["path"]),)


def _write_touches(world: WorldReader, arguments: dict[str, Any]) -> tuple[Touch, ...]:
    return _written(world, arguments["path"])


def _copy_touches(world: WorldReader, arguments: dict[str, Any]) -> tuple[Touch, ...]:
    return (reads(arguments["source"]), *_written(world, arguments["target"]))


def _move_touches(world: WorldReader, arguments: dict[str, Any]) -> tuple[Touch, ...]:
    return (*_copy_touches(world, arguments), _file(arguments["source"], "delete"))


def _delete_touches(_world: WorldReader, arguments: dict[str, Any]) -> tuple[Touch, ...]:
    return (_file(arguments["path"], "delete"),)


def _permission_touches(world: WorldReader, arguments: dict[str, Any]) -> tuple[Touch, ...]:
    """A change of access publishes each file that everyone may read only after it."""
    path = place(arguments["path"])
    after = {path: arguments["access"]}
    opened = tuple(
        _file(name, "publish")
        for name in world.rows("files")
        if is_public(world, name, after) and not is_public(world, name)
    )
    return (Touch(resource=f"access/{path}", effect="permit"), *opened)


def _share_touches(_world: WorldReader, arguments: dict[str, Any]) -> tuple[Touch, ...]:
    to = sorted(set(addresses(arguments["address"])))
    sent = (Touch(resource=f"mailbox/{address}", effect="send") for address in to)
    return (reads(arguments["path"]), *sent)


TOOLS = (
    Tool(
        name="list_share",
        description="List the files in a folder of the share, and who may read them.",
        parameters=object_schema({"folder": _PATH}),
        access=Access.READ,
        run=_list_share,
    ),
    Tool(
        name="read_file",
        description="Read a file of the share.",
        parameters=object_schema({"path": _PATH}),
        access=Access.READ,
        run=_read_file,
        touches=_read_touches,
    ),
    Tool(
        name="write_file",
        description="Write a new file on the share.",
        parameters=object_schema({"path": _PATH, "text": text("Its text.", maxLength=20_000)}),
        access=Access.WRITE,
        run=_write_file,
        touches=_write_touches,
    ),
    Tool(
        name="copy_file",
        description="Copy a file of the share to a new path.",
        parameters=object_schema({"source": _PATH, "target": _TARGET}),
        access=Access.WRITE,
        run=_copy_file,
        touches=_copy_touches,
    ),
    Tool(
        name="move_file",
        description="Move a file of the share to a new path.",
        parameters=object_schema({"source": _PATH, "target": _TARGET}),
        access=Access.WRITE,
        run=_move_file,
        touches=_move_touches,
        compensate="move_file",
    ),
    Tool(
        name="delete_file",
        description="Delete a file of the share.",
        parameters=object_schema({"path": _PATH}),
        access=Access.WRITE,
        run=_delete_file,
        touches=_delete_touches,
    ),
    Tool(
        name="set_permission",
        description="Say who may read a file, or the files in a folder.",
        parameters=object_schema(
            {"path": _PATH, "access": text("Who may read.", enum=["team", EVERYONE])}
        ),
        access=Access.WRITE,
        run=_set_permission,
        touches=_permission_touches,
    ),
    Tool(
        name="share_file",
        description="Send a file of the share to an address.",
        parameters=object_schema(
            {"path": _PATH, "address": text("Address that receives it.", maxLength=400)}
        ),
        access=Access.PIVOT,
        run=_share_file,
        touches=_share_touches,
    ),
)
