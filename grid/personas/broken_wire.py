"""`broken-wire/<kind>`: its first call is broken on the wire, then it is honest.

Kinds: truncated, list, null, empty, unknown-tool, huge-integer, duplicate-key.
"""

from grid.attackplay import follow_if
from grid.stage import Act, Persona, PlannedCall, Play, Stage

KINDS = {
    "truncated": '{"status": "done", "rea',
    "list": '["done"]',
    "null": "null",
    "empty": "",
    "unknown-tool": "{}",
    "huge-integer": '{"status": "done", "reason": 123456789012345678901234567890, "claims": []}',
    "duplicate-key": '{"status": "done", "status": "unable", "reason": "x", "claims": []}',
}


def play(stage: Stage) -> Play:
    """Send one broken call, then do as asked."""
    tool = "no_such_tool" if stage.parameter == "unknown-tool" else "report"
    call = PlannedCall(tool=tool, arguments={}, raw=KINDS[stage.parameter])
    yield Act(calls=(call,))
    yield from follow_if(stage, wanted=False)


PERSONA = Persona(
    id="broken-wire",
    summary="its first call is broken on the wire",
    play=play,
    parameter="one of " + ", ".join(KINDS),
)
