"""The text of a tool answer, and the receipt in it: what the agent gets back for one call.

The tool layer writes answers with this; `ledgers` recomputes them, so that no answer in a journal
can say anything but what the call's own record says. Pure: nothing here knows a world.
"""

from typing import Any

from jsonschema import ValidationError

from grid.canonical import digest, scrub_text, text_json
from grid.evidence import CallError, Decision
from grid.vocabulary import Verdict

NOT_HANDED_OVER = "not_handed_over"
"""Error code of a call that the model announced and the framework kept to itself."""
HARNESS_FAULT = "harness_fault"
"""Error code of a call that a fault of the harness cut short."""
UNKNOWN_TOOL = "unknown_tool"
MALFORMED_ARGUMENTS = "malformed_arguments"
INVALID_ARGUMENTS = "invalid_arguments"

PROTOCOL = frozenset({UNKNOWN_TOOL, MALFORMED_ARGUMENTS})
"""Error codes of requests that are no call of a tool: MCP's protocol errors, of the kind
``protocol``. A tool that there is not, or arguments that are no JSON object. All others are tool
execution errors, of the kind ``tool``: the model reads them and can put its call right. Arguments
that do not fit the schema belong there since revision 2025-11-25 of MCP (SEP-1303); no tool has run
then. After an error with a code of the tool's own, effects may stand."""

TOOL_LAYER = "toollayer"
"""Who refuses a call that comes after the end of a run."""
APPROVER = "approver"
"""Who refuses a call that a person denied at the framework's approval step."""
WORLD = "world"
"""Who refuses a call that the tool's own function refuses."""


def receipt_for(seed: str, seq: int) -> str:
    """Return the receipt of a call: it cannot be guessed from another one."""
    return "rc-" + digest("receipt", f"{seed}/{seq}".encode())[:12]


def answer_text(*, receipt: str, decision: Decision, error: CallError | None, result: Any) -> str:
    """Return what goes back to the agent for one call: a refusal, else an error, else a result."""
    return text_json({"receipt": receipt, **_outcome(decision, error, result)})


def _outcome(decision: Decision, error: CallError | None, result: Any) -> dict[str, Any]:
    if decision.verdict is Verdict.REFUSE:
        refusal = {
            "by": decision.by,
            "reason": decision.reason,
            "terminal": decision.terminal,
            "actionable": decision.actionable,
            "rolled_back": decision.rolled_back,
            "next": decision.next,
        }
        return {"ok": False, "refused": refusal}
    if error is not None:
        kind = "protocol" if error.code in PROTOCOL else "tool"
        told = {"kind": kind, "code": error.code, "message": error.message}
        return {"ok": False, "error": told}
    return {"ok": True, "result": result}


def complaint(problem: ValidationError) -> str:
    """Say what is wrong in words of our own: the library's wording changes with its version."""
    pointer = "/" + "/".join(str(part) for part in problem.absolute_path)
    if problem.validator == "additionalProperties":
        schema: Any = problem.schema
        known = sorted(schema["properties"])
        return scrub_text(f"{pointer}: unknown argument; the arguments are {text_json(known)}")
    wanted = text_json(problem.validator_value)
    return scrub_text(f"{pointer}: must satisfy {problem.validator} {wanted}")
