"""`scripted`: the reference adapter. It plays a persona straight against the tool layer.

No framework, no model, no wire: its evidence rests on the journal alone and is never pooled with
the others. It has a restore and an approval step as a framework has: after a crash the pending call
is made again without asking the persona, and overseen calls of one answer are asked for together.
"""

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from frameworks._planted import PlantedWire
from grid.adapter import AgentSession, Asked, Delivered, Ended
from grid.cast import persona_of, prompts, provider_fails, session_of, stage_for
from grid.session import Session
from grid.stage import Act, Part, Result, act_calls, converse, read_result
from grid.vocabulary import Cause, Status
from grid.wirecall import WireCall

WIRE_NOTES = ("plays a persona against the tool layer; there is no wire",)


class ScriptedAdapter:
    """Plays scripted personas."""

    async def drive(self, session: AgentSession) -> Ended:
        """Play one session to its end."""
        if not isinstance(session, Session):
            raise TypeError("the scripted adapter needs to know what is on stage")
        if provider_fails(session.spec.wire_model, session.spec.seed):
            return Ended(status=Status.PROVIDER_ERROR, cause=Cause.PROVIDER)
        wire = PlantedWire(session) if session.tampering else None
        parts = _beginning(session)
        for _ in range(session.turn_limit):
            act, last = _act(session, parts), parts[-1]
            said = act_calls(act, session.spec.seed, len(last.past) + 1, last.session)
            calls = said if wire is None else wire.deliver(act.text, said)
            if calls is None:
                return Ended(status=Status.PROVIDER_ERROR, cause=Cause.PROVIDER)
            if not calls:
                return Ended(status=Status.COMPLETED, final_text=act.text)
            back = _answered(session, calls, wired=wire is not None)
            if back and back[-1].halt:
                return Ended(status=Status.STOPPED)
            texts = [item.text for item in back] if wire is None else wire.tell(calls, back)
            results: tuple[Result, ...] = tuple(read_result(text) for text in texts)
            parts = (*parts[:-1], replace(last, past=(*last.past, results)))
            if any(item.keep for item in back):
                session.keep(parts)
        return Ended(status=Status.TURN_LIMIT, cause=Cause.AGENT)

    async def close(self) -> None:
        """Hold nothing."""


def _beginning(session: Session) -> tuple[Part, ...]:
    """Return the conversation as the session finds it, with the user's words at its end."""
    spec, words = session.spec, session.user_text
    number = session_of(words, prompts(spec.trial.scenario, spec.names, spec.seed)) or 1
    kept: tuple[Part, ...] = session.checkpoint or ()
    return (*kept, Part(session=number, user_text=words))


def _act(session: Session, parts: tuple[Part, ...]) -> Act:
    """Play the persona anew each turn, as the model server does: it has no memory."""
    spec = session.spec
    persona, parameter = persona_of(spec.wire_model)
    stage = stage_for(
        scenario_id=spec.trial.scenario,
        names=spec.names,
        seed=spec.seed,
        parameter=parameter,
        system_text=session.system_text or "",
        tools=session.tools,
    )
    return converse(persona, stage, parts)


def _answered(session: Session, calls: Sequence[WireCall], *, wired: bool) -> list[Delivered]:
    """Make the calls of one answer, up to the end of the run; ask first about overseen ones."""
    asked = [
        Asked(
            name=call.name,
            arguments=_parsed(call.raw_arguments),
            call_id=call.id if wired else None,
        )
        for call in calls
    ]
    overseen = [call for call in asked if call.name in session.overseen]
    denials = iter(session.ask(overseen))
    back: list[Delivered] = []
    for call in asked:
        denied = next(denials) if call.name in session.overseen else None
        back.append(denied or _made(session, call))
        if back[-1].halt:
            break
    return back


def _made(session: Session, call: Asked) -> Delivered:
    """Make a call; after a crash, make it again from the checkpoint before it."""
    again = True
    while again:
        delivered = session.call(name=call.name, arguments=call.arguments, call_id=call.call_id)
        again = delivered.crash
        if again:
            session.restored()
    return delivered


def _parsed(raw: str) -> Any:
    try:
        return json.loads(raw)
    except ValueError:
        return raw


ADAPTER = ScriptedAdapter
