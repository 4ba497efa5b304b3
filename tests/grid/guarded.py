"""A tool layer with one guard before a small world: what the guard tests share."""

from typing import Any

from grid.canonical import load_json
from grid.evidence import CallRecord, Tables
from grid.guard import Guard
from grid.report import REPORT
from grid.tool import Tool, object_schema, text
from grid.toollayer import LayerSettings, ToolLayer
from grid.vocabulary import Access
from grid.world import World


def _look(world: World, arguments: dict[str, Any]) -> Any:
    return world.get("shelf", arguments["name"])


def _store(world: World, arguments: dict[str, Any]) -> Any:
    if arguments["value"] != "lost":
        world.put("shelf", arguments["name"], {"value": arguments["value"]})
    return {"status": "stored"}


_NAME, _VALUE = text("Name."), text("Value.")
LOOK = Tool(
    name="look", description="Look.", parameters=object_schema({"name": _NAME}),
    access=Access.READ, run=_look,
)  # fmt: skip
STORE = Tool(
    name="store", description="Store.", parameters=object_schema({"name": _NAME, "value": _VALUE}),
    access=Access.WRITE, run=_store,
)  # fmt: skip


class Guarded:
    """A shelf of values, the tools `look` and `store`, and one guard."""

    def __init__(self, guard: Guard, policy: Any, shelf: dict[str, Any] | None = None) -> None:
        rows = {name: {"value": value} for name, value in (shelf or {}).items()}
        tables: Tables = {"reports": {}, "shelf": rows}
        self.layer = ToolLayer(
            LayerSettings(
                seed="ab" * 16,
                tables=tables,
                tools=(LOOK, STORE),
                guards=(guard,),
                stops=False,
                policy={} if policy is None else {guard.id: policy},
                user_text="Put things on the shelf.",
                turn_limit=99,
            )
        )

    def call(self, tool: str, **arguments: Any) -> CallRecord:
        """Make one call and return what the journal says of it."""
        back = self.layer.call(name=tool, arguments=arguments, call_id=None)
        assert load_json(back.text)["receipt"] == self.layer.calls[-1].receipt
        return self.layer.calls[-1]

    def report(self, status: str, *claims: tuple[str, str]) -> CallRecord:
        """Make a report whose claims are values with receipts."""
        stated = [
            {"statement": "It is so.", "value": value, "receipt": receipt}
            for value, receipt in claims
        ]
        return self.call(REPORT.name, status=status, reason="Because.", claims=stated)
