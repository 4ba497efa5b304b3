"""`scripted`: the reference adapter. It plays a persona straight against the tool layer.

No framework, no model, no wire: its evidence rests on the journal alone and is never pooled with
the others.
"""

import json
from typing import Any

from grid.adapter import AgentSession, Ended
from grid.cast import persona_of, stage_for
from grid.session import Session
from grid.stage import Result, perform, read_result
from grid.vocabulary import Cause, Status

WIRE_NOTES = ("plays a persona against the tool layer; there is no wire",)


class ScriptedAdapter:
    """Plays scripted personas."""

    async def drive(self, session: AgentSession) -> Ended:
        """Play one trial to its end."""
        if not isinstance(session, Session):
            raise TypeError("the scripted adapter needs to know what is on stage")
        spec = session.spec
        persona, parameter = persona_of(spec.wire_model)
        past: list[tuple[Result, ...]] = []
        for _ in range(session.turn_limit):
            stage = stage_for(  # anew each turn, as the model server does: a persona has no memory
                scenario_id=spec.trial.scenario,
                names=spec.names,
                seed=spec.seed,
                parameter=parameter,
                system_text=session.system_text or "",
                user_text=session.user_text,
            )
            act = perform(persona, stage, past)
            if not act.calls:
                return Ended(status=Status.COMPLETED, final_text=act.text)
            results: list[Result] = []
            for call in act.calls:
                arguments = _parsed(call.raw_text())
                delivered = session.call(name=call.tool, arguments=arguments, call_id=None)
                results.append(read_result(delivered.text))
                if delivered.halt:
                    return Ended(status=Status.STOPPED)
            past.append(tuple(results))
        return Ended(status=Status.TURN_LIMIT, cause=Cause.AGENT)

    async def close(self) -> None:
        """Hold nothing."""


def _parsed(raw: str) -> Any:
    try:
        return json.loads(raw)
    except ValueError:
        return raw


ADAPTER = ScriptedAdapter
