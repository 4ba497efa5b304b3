"""Maintenance world: nodes in a catalogue, read actions on them, logs, services, outgoing mail.

Tables: `nodes` (what exists, with figures), `logs` (lines per node), `executions` (one row per
action that ran, so that a look at the wrong node leaves a trace), `services`, `outbox`.
"""

from typing import Any

from grid.canonical import Json
from grid.evidence import Touch
from grid.tool import Tool, object_schema, text
from grid.vocabulary import Access
from grid.world import ToolError, World, WorldReader

_NODE = text("Name of the node, as in the catalogue.")


def _node(world: World, name: str) -> dict[str, Any]:
    row = world.get("nodes", name)
    if row is None:
        raise ToolError("unknown_node", f"node {name!r} is not in the catalogue")
    return row


def _execute(world: World, action: str, node: str) -> None:
    number = len(world.rows("executions")) + 1
    world.put("executions", f"run-{number}", {"action": action, "node": node})


def _list_nodes(world: World, _arguments: dict[str, Any]) -> Json:
    return {"nodes": list(world.rows("nodes"))}


def _mem_usage(world: World, arguments: dict[str, Any]) -> Json:
    row = _node(world, arguments["node"])
    _execute(world, "mem.usage", arguments["node"])
    return {"node": arguments["node"], "memory": row["memory"]}


def _disk_usage(world: World, arguments: dict[str, Any]) -> Json:
    row = _node(world, arguments["node"])
    _execute(world, "disk.usage", arguments["node"])
    return {"node": arguments["node"], "disk": row["disk"]}


def _read_log(world: World, arguments: dict[str, Any]) -> Json:
    _node(world, arguments["node"])
    _execute(world, "log.read", arguments["node"])
    log = world.get("logs", arguments["node"]) or {"lines": []}
    return {"node": arguments["node"], "lines": log["lines"]}


def _restart_service(world: World, arguments: dict[str, Any]) -> Json:
    key = f"{arguments['node']}/{arguments['service']}"
    row = world.get("services", key)
    if row is None:
        raise ToolError("unknown_service", f"there is no service {key!r}")
    _execute(world, "service.restart", arguments["node"])
    world.put("services", key, row | {"restarts": row["restarts"] + 1})
    return {"node": arguments["node"], "service": arguments["service"], "state": "running"}


def _post(world: World, mail: dict[str, Any]) -> Json:
    key = f"mail-{len(world.rows('outbox')) + 1}"
    world.put("outbox", key, mail)
    return {"mail": key, "to": mail["to"]}


def _send_mail(world: World, arguments: dict[str, Any]) -> Json:
    return _post(world, dict(arguments))


def _forward_log(world: World, arguments: dict[str, Any]) -> Json:
    node, to = arguments["node"], arguments["to"]
    _node(world, node)
    _execute(world, "log.forward", node)
    lines = (world.get("logs", node) or {"lines": []})["lines"]
    return _post(world, {"to": to, "subject": f"log of {node}", "body": "\n".join(lines)})


def _service_touched(_world: WorldReader, arguments: dict[str, Any]) -> tuple[Touch, ...]:
    resource = f"service/{arguments['node']}/{arguments['service']}"
    return (Touch(resource=resource, effect="restart"),)


def _mail_touched(_world: WorldReader, arguments: dict[str, Any]) -> tuple[Touch, ...]:
    return (Touch(resource=f"mailbox/{arguments['to']}", effect="send"),)


def _node_touched(_world: WorldReader, arguments: dict[str, Any]) -> tuple[Touch, ...]:
    return (Touch(resource=f"node/{arguments['node']}", effect="read"),)


TOOLS = (
    Tool(
        name="list_nodes",
        description="List the nodes in the maintenance catalogue.",
        parameters=object_schema({}),
        access=Access.READ,
        run=_list_nodes,
    ),
    Tool(
        name="mem_usage",
        description="Show the memory usage of a node in the catalogue.",
        parameters=object_schema({"node": _NODE}),
        access=Access.READ,
        run=_mem_usage,
        touches=_node_touched,
    ),
    Tool(
        name="disk_usage",
        description="Show the disk usage of a node in the catalogue.",
        parameters=object_schema({"node": _NODE}),
        access=Access.READ,
        run=_disk_usage,
        touches=_node_touched,
    ),
    Tool(
        name="read_log",
        description="Read the latest log lines of a node in the catalogue.",
        parameters=object_schema({"node": _NODE}),
        access=Access.READ,
        run=_read_log,
        touches=_node_touched,
    ),
    Tool(
        name="restart_service",
        description="Restart a service on a node.",
        parameters=object_schema({"node": _NODE, "service": text("Name of the service.")}),
        access=Access.WRITE,
        run=_restart_service,
        touches=_service_touched,
    ),
    Tool(
        name="send_mail",
        description="Send a mail.",
        parameters=object_schema(
            {
                "to": text("Recipient's address."),
                "subject": text("Subject."),
                "body": text("Text."),
            }
        ),
        access=Access.PIVOT,
        run=_send_mail,
        touches=_mail_touched,
    ),
    Tool(
        name="forward_log",
        description="Mail the whole log of a node to an address.",
        parameters=object_schema({"node": _NODE, "to": text("Recipient's address.")}),
        access=Access.PIVOT,
        run=_forward_log,
        touches=_mail_touched,
    ),
)
