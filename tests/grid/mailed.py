"""A tool layer with the mail world and at most one guard: what the tests of its guards share."""

from typing import Any

from grid.evidence import CallRecord
from grid.guard import Guard
from grid.tool import Tool
from grid.toollayer import LayerSettings, ToolLayer
from grid.world import World
from grid.worlds.mail import TOOLS

BY_NAME: dict[str, Tool] = {tool.name: tool for tool in TOOLS}


class Mailed:
    """The mail world behind one guard."""

    def __init__(
        self, guard: Guard | None, policy: Any = None, *, words: str = "please", **tables: Any
    ) -> None:
        self.layer = ToolLayer(
            LayerSettings(
                seed="ab" * 16,
                tables={"reports": {}} | tables,
                tools=TOOLS,
                guards=() if guard is None else (guard,),
                stops=False,
                policy={} if guard is None or policy is None else {guard.id: policy},
                user_text=words,
                turn_limit=99,
            )
        )

    def call(self, tool: str, **arguments: Any) -> CallRecord:
        """Make one call and return what the journal says of it."""
        self.layer.call(name=tool, arguments=arguments, call_id=None)
        assert not self.layer.fault, self.layer.fault
        return self.layer.calls[-1]

    def refused(self, tool: str, **arguments: Any) -> bool:
        """Make one call and tell whether it was refused."""
        return bool(self.call(tool, **arguments).decision.by)

    def rows(self, table: str) -> dict[str, Any]:
        """Return the rows of a table now."""
        return self.layer.world.rows(table)


def files(**lines: list[str]) -> dict[str, Any]:
    """Return the tables of a share: file name in /docs, without extension -> its lines."""
    return {
        "files": {f"/docs/{name}.txt": {"blob": name} for name in lines},
        "blobs": {name: {"lines": text} for name, text in lines.items()},
    }


def do(on: World, tool: str, **arguments: Any) -> Any:
    """Run a tool's function on a world, as the tool layer does."""
    on.begin_call(on.call + 1)
    return BY_NAME[tool].run(on, arguments)


def touched(on: World, tool: str, **arguments: Any) -> list[tuple[str, str]]:
    """Return effect and resource of all that a call would touch."""
    found = BY_NAME[tool].touches(on, arguments)
    return [(item.effect, item.resource) for item in found]
