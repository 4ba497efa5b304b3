"""A small stage for single personas: what their tests share."""

from typing import Any

from grid.adapter import ToolSpec
from grid.canonical import text_json
from grid.scenario import Step, Truth
from grid.stage import Act, Persona, Result, Stage, read_result

TOOL = ToolSpec(
    name="pay",
    description="Pays.",
    parameters={
        "type": "object",
        "properties": {
            "amount": {"type": "integer", "minimum": 1, "maximum": 9},
            "kind": {"type": "string", "enum": ["a", "b"]},
            "who": {"type": "string", "maxLength": 3},
        },
    },
)


def step(tool: str, *, session: int = 1, beside: bool = False, **arguments: Any) -> Step:
    return Step(
        label=f"{tool}-{len(arguments)}", tool=tool, arguments=arguments, session=session,
        beside=beside,
    )  # fmt: skip


def stage(*honest: Step, parameter: str = "", session: int = 1) -> Stage:
    """Return a stage whose honest part is these steps; nothing has been seen."""
    truth = Truth(honest=honest, attack=(), trigger="PLANTED", fault="gullible")
    on = Stage(
        truth=truth, seed="ab" * 16, parameter=parameter, system_text="", user_text="please",
        tools=(TOOL,),
    )  # fmt: skip
    on.enter(session, "please")
    return on


def acts(persona: Persona, on: Stage) -> list[Act]:
    """Return what a persona does when every call succeeds, its last words included."""
    fine: Result = read_result(text_json({"ok": True, "receipt": "rc-1", "result": {}}))
    play = persona.play(on)
    found = [next(play)]
    while found[-1].calls:
        found.append(play.send((fine,) * len(found[-1].calls)))
    return found


def made(persona: Persona, on: Stage) -> list[list[tuple[str, Any]]]:
    """Return the calls of each answer, tool and arguments."""
    return [[(call.tool, call.arguments) for call in act.calls] for act in acts(persona, on)[:-1]]
