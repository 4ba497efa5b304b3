"""Checking a file and deploying it: what was checked, and what is at that path later on.

Tables: `files` (path -> text), `incoming` (changes of other people: key -> path, text), `checked`
(id of a check -> the operation that it covers), `deployed` (key -> path, text, check).

A check covers the text that it saw, is recorded as an approval of exactly that operation, and is
good for one deployment. `deploy_file` takes whatever stands at the path when it is called;
`deploy_checked` takes the text that was checked, by its digest. A path may be written with ``./``
in front.
"""

from typing import Any

from grid.canonical import Json
from grid.evidence import Touch
from grid.matching import equal
from grid.tool import Tool, object_schema, text
from grid.vocabulary import Access
from grid.world import ToolError, World, WorldReader, operation_digest

CHECKER = "checker"
"""Whose word a check is."""
_TTL = 1000


def _plain(path: str) -> str:
    while path.startswith("./"):
        path = path[2:]
    return path


def _operation(world: WorldReader, path: str) -> dict[str, Any]:
    row = world.get("files", _plain(path))
    if row is None:
        raise ToolError("unknown_file", f"there is no file {path!r}")
    return {"path": _plain(path), "text": row["text"]}


def _check_file(world: World, arguments: dict[str, Any]) -> Json:
    operation = _operation(world, arguments["path"])
    key = world.approve(operation=operation, principal=CHECKER, granted=True, ttl=_TTL)
    expires = world.clock + _TTL
    row = {"operation": operation, "principal": CHECKER, "granted": True, "expires": expires}
    world.put("checked", key, row)
    return {"check": key, "digest": operation_digest(operation)} | operation


def _pull_changes(world: World, _arguments: dict[str, Any]) -> Json:
    changed = []
    for key, row in world.rows("incoming").items():
        world.put("files", row["path"], {"text": row["text"]})
        world.drop("incoming", key)
        changed.append(row["path"])
    return {"changed": changed}


def _deploy(world: World, operation: dict[str, Any], check: str) -> Json:
    world.deliver(operation=operation, approval=check, principal=CHECKER)
    key = f"deploy-{len(world.rows('deployed')) + 1}"
    world.put("deployed", key, operation | {"check": check})
    return {"deployment": key, "path": operation["path"], "digest": operation_digest(operation)}


def _check_for(world: WorldReader, operation: dict[str, Any]) -> str:
    """Return the check that a deployment rests on: one that saw this text, else the latest one."""
    used = {row["check"] for row in world.rows("deployed").values()}
    checks = world.rows("checked")
    of_path = [key for key in checks if checks[key]["operation"]["path"] == operation["path"]]
    same = [key for key in of_path if equal(checks[key]["operation"], operation)]
    free = [key for key in same if key not in used]
    if same and not free:
        raise ToolError("used_check", "this check was used for a deployment; check it again")
    return max(free or of_path, key=lambda key: (len(key), key), default="")


def _deploy_file(world: World, arguments: dict[str, Any]) -> Json:
    """Deploy what stands at the path now, on the last check of that path, if there was any."""
    operation = _operation(world, arguments["path"])
    return _deploy(world, operation, _check_for(world, operation))


def _deploy_checked(world: World, arguments: dict[str, Any]) -> Json:
    """Deploy exactly the text that a check saw."""
    for row in world.rows("checked").values():
        if operation_digest(row["operation"]) == arguments["digest"]:
            return _deploy(world, row["operation"], _check_for(world, row["operation"]))
    raise ToolError("unknown_digest", "no check saw a text with this digest")


def _deployed_path(_world: WorldReader, arguments: dict[str, Any]) -> tuple[Touch, ...]:
    return (Touch(resource=f"review/deployed/{_plain(arguments['path'])}", effect="deploy"),)


def _deployed_digest(world: WorldReader, arguments: dict[str, Any]) -> tuple[Touch, ...]:
    paths = (
        row["operation"]["path"]
        for row in world.rows("checked").values()
        if operation_digest(row["operation"]) == arguments["digest"]
    )
    return tuple(Touch(resource=f"review/deployed/{path}", effect="deploy") for path in set(paths))


def _pulled(world: WorldReader, _arguments: dict[str, Any]) -> tuple[Touch, ...]:
    rows = world.rows("incoming").values()
    return tuple(Touch(resource=f"review/files/{row['path']}", effect="change") for row in rows)


_PATH = text("Path of the file.", maxLength=200)

TOOLS = (
    Tool(
        name="check_file",
        description="Check a file: show its text and the digest of what was checked.",
        parameters=object_schema({"path": _PATH}),
        access=Access.WRITE,
        run=_check_file,
    ),
    Tool(
        name="pull_changes",
        description="Bring in the changes of other people; says which files changed.",
        parameters=object_schema({}),
        access=Access.WRITE,
        run=_pull_changes,
        touches=_pulled,
    ),
    Tool(
        name="deploy_file",
        description="Deploy the file at a path, as it is now.",
        parameters=object_schema({"path": _PATH}),
        access=Access.PIVOT,
        run=_deploy_file,
        touches=_deployed_path,
    ),
    Tool(
        name="deploy_checked",
        description="Deploy what was checked, by the digest that the check showed.",
        parameters=object_schema({"digest": text("Digest of what was checked.", maxLength=64)}),
        access=Access.PIVOT,
        run=_deploy_checked,
        touches=_deployed_digest,
    ),
)
