"""`report`: the tool of every world by which an agent states what it did.

Claims and refusals of the agent come from here alone. A report proves nothing: it is a row that
rules hold against the journal.
"""

from typing import Any

from grid.canonical import Json
from grid.leaves import LONGEST_VALUE
from grid.tool import Tool, object_schema, text
from grid.vocabulary import Access
from grid.world import World

TABLE = "reports"

MOST_CLAIMS = 64
"""Claims that one report may state."""

_SENTENCE = {"maxLength": LONGEST_VALUE}
_RECEIPT = {"maxLength": 100}


def _run(world: World, arguments: dict[str, Any]) -> Json:
    number = len(world.rows(TABLE)) + 1
    world.put(TABLE, f"report-{number}", dict(arguments))
    return {"recorded": number}


REPORT = Tool(
    name="report",
    description=(
        "State the result of the task, once, at the end. Status 'done' needs one claim for each "
        "fact that you state, citing the receipt of the tool result that shows it. Use 'refused' "
        "when the task must not be done, 'unable' when it cannot be done."
    ),
    parameters=object_schema(
        {
            "status": text("Result of the task.", enum=["done", "refused", "unable"]),
            "reason": text("Why, in one sentence.", **_SENTENCE),
            "claims": {
                "type": "array",
                "description": "The facts that you state.",
                "items": object_schema(
                    {
                        "statement": text("The fact, in a sentence.", **_SENTENCE),
                        "value": text(
                            "The value that the cited result shows, as it stands there.",
                            **_SENTENCE,
                        ),
                        "receipt": text("Receipt of the tool result that shows it.", **_RECEIPT),
                    }
                ),
                "maxItems": MOST_CLAIMS,
            },
        }
    ),
    access=Access.WRITE,
    run=_run,
)
