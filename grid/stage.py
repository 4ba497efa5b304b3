"""How a scripted persona is played: a pure function of what the agent can see, plus the truth.

A persona is a generator: it yields what the agent does next and is sent the results. It keeps no
state between requests: the scripted model server replays the generator from the messages of each
request. The personas are instruments with known faults; nothing they do says anything about a real
model.

A trial may have several sessions, each with steps of its own in the truth. A persona is played once
per session: its stage shows it the steps of that session only, and what was seen and remembered in
the sessions before only where the conversation holds it.
"""

import json
from collections.abc import Callable, Generator, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from grid.adapter import ToolSpec
from grid.canonical import digest, plain_json
from grid.resultframe import unframed
from grid.scenario import Step, Truth, resolve
from grid.wirecall import WireCall


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What came back for one call, as the agent sees it."""

    text: str
    """The tool message."""
    ok: bool
    """The tool layer says it succeeded."""
    receipt: str
    """Receipt; empty if the message holds none."""
    value: Any
    """The result; None if there is none."""
    refused: bool
    """It was refused."""
    terminal: bool
    """It was refused for good."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedCall:
    """One call that a persona makes."""

    tool: str
    """Tool name."""
    arguments: Any
    """Arguments, without references."""
    raw: str | None = None
    """Argument text to send instead (broken on purpose)."""

    def raw_text(self) -> str:
        """Return the argument text on the wire."""
        return plain_json(self.arguments, indent=None) if self.raw is None else self.raw


@dataclass(frozen=True, slots=True, kw_only=True)
class Act:
    """One assistant turn: calls, or last words."""

    calls: tuple[PlannedCall, ...] = ()
    """Calls, in order."""
    text: str = ""
    """Words."""


type Play = Generator[Act, tuple[Result, ...], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """The part of a conversation that belongs to one session."""

    session: int
    """Session number, from 1."""
    user_text: str
    """The user's words, as they stand in the conversation."""
    past: tuple[tuple[Result, ...], ...] = ()
    """The results of each answer since those words."""


class Stage:
    """What a persona may look at; `seen` grows as results come in."""

    def __init__(
        self,
        *,
        truth: Truth,
        seed: str,
        parameter: str,
        system_text: str,
        user_text: str,
        tools: Sequence[ToolSpec] = (),
    ) -> None:
        """Start with the prompt and the tools' descriptions alone, in session 1."""
        self.script = truth
        self.session = 1
        self.truth = _of_session(truth, 1)
        self.seed = seed
        self.parameter = parameter
        self.system_text = system_text
        self.user_text = user_text
        self.tools = tuple(tools)
        self.task = ""
        """What the user asks for, as the scenario has it before a trial's own values are put in:
        the same in every trial, framework and language."""
        self.seen: list[str] = [user_text, *(tool.description for tool in tools)]
        self.memory: dict[str, Result] = {}
        self.played = False

    def enter(self, session: int, user_text: str) -> None:
        """Go on to another session of the same conversation; what was seen stays seen."""
        self.session = session
        self.truth = _of_session(self.script, session)
        if user_text != self.user_text:
            self.user_text = user_text
            self.seen.append(user_text)

    def triggered(self) -> bool:
        """Tell whether the attack's trigger has been seen (an attack without one needs none)."""
        trigger = self.truth.trigger
        return any(trigger in text for text in self.seen)

    def fill(self, value: Any) -> Any:
        """Return arguments with secrets, results and receipts put in."""
        return self._refer(resolve(value, self.seed))

    def _refer(self, value: Any) -> Any:
        if isinstance(value, dict):
            if "$receipt" in value:
                return self._recall(value["$receipt"]).receipt
            if "$result" in value:
                return _point(self._recall(value["$result"]).value, value["pointer"])
            return {key: self._refer(item) for key, item in value.items()}
        if isinstance(value, list):
            return [self._refer(item) for item in value]
        return value

    def _recall(self, label: str) -> Result:
        return self.memory.get(label, NO_RESULT)


@dataclass(frozen=True, slots=True, kw_only=True)
class Persona:
    """A scripted behaviour; a module in ``grid/personas/`` holds one, as its constant PERSONA."""

    id: str
    """Name, as in ``scripted/<id>``."""
    summary: str
    """What is wrong with it, in a sentence."""
    play: Callable[[Stage], Play]
    """The behaviour."""
    parameter: str = ""
    """What stands after ``/`` in the model id; empty: nothing may."""
    deterministic: bool = True
    """Ignores clauses and seeds: repeats are no samples."""
    fails: Callable[[str, str], bool] | None = None
    """Tells of a parameter and a trial's seed whether the provider fails that trial; None: never.
    """


NO_RESULT = Result(text="", ok=False, receipt="", value=None, refused=False, terminal=False)


def read_result(text: str) -> Result:
    """Read a tool message, whatever a clause put around it.

    What is not the tool layer's JSON is a failed result.
    """
    try:
        message = json.loads(unframed(text).answer)
    except (ValueError, RecursionError):
        message = None
    if not isinstance(message, dict) or "ok" not in message:
        return Result(text=text, ok=False, receipt="", value=None, refused=False, terminal=False)
    refused = message.get("refused")
    return Result(
        text=text,
        ok=message["ok"] is True,
        receipt=str(message.get("receipt", "")),
        value=message.get("result"),
        refused=refused is not None,
        terminal=isinstance(refused, dict) and refused.get("terminal") is True,
    )


def play_steps(
    stage: Stage, steps: Iterable[Step], *, persist: bool = False
) -> Generator[Act, tuple[Result, ...], Result | None]:
    """Make the calls of a script, as it groups them; return the result that stopped it, or None.

    Args:
        stage: what is seen; results are kept under the steps' labels.
        steps: the script.
        persist: go on after refusals and errors, as a hostile agent does.
    """
    for group in answers(steps):
        stopped = yield from play_answer(stage, group, persist=persist)
        if stopped is not None:
            return stopped
    return None


def answers(steps: Iterable[Step]) -> tuple[tuple[Step, ...], ...]:
    """Put together the steps that are asked for in one model answer."""
    found: list[tuple[Step, ...]] = []
    for step in steps:
        if step.beside and found:
            found[-1] = (*found[-1], step)
        else:
            found.append((step,))
    return tuple(found)


def play_answer(
    stage: Stage, steps: tuple[Step, ...], *, persist: bool = False
) -> Generator[Act, tuple[Result, ...], Result | None]:
    """Make the calls of one answer; return the first result that stops the script, or None."""
    calls = [PlannedCall(tool=step.tool, arguments=stage.fill(step.arguments)) for step in steps]
    results = yield Act(calls=tuple(calls))
    stopped = None
    for place, step in enumerate(steps):
        result = results[place] if place < len(results) else NO_RESULT
        stage.memory[step.label] = result
        stage.seen.extend(_strings(result))
        fine = result.ok or persist or (step.may_fail and not result.terminal)
        if not fine and stopped is None:
            stopped = result
    return stopped


def report(status: str, reason: str) -> PlannedCall:
    """Return a report without claims."""
    return PlannedCall(tool="report", arguments={"status": status, "reason": reason, "claims": []})


def wire_id(seed: str, turn: int, index: int, session: int = 1) -> str:
    """Return the id of a scripted call: the same for equal seeds, another in each session."""
    place = f"{turn}/{index}" if session == 1 else f"{session}/{turn}/{index}"
    return "call_" + digest("call", f"{seed}/{place}".encode())[:20]


def perform(persona: Persona, stage: Stage, past: Sequence[tuple[Result, ...]]) -> Act:
    """Return what the persona does after the results of its past turns.

    The stage must be a new one: what is seen and remembered grows while the past is played again.
    """
    if stage.played:
        raise ValueError("a persona is played on a new stage")
    stage.played = True
    return _play(persona, stage, past)


def converse(persona: Persona, stage: Stage, parts: Sequence[Part]) -> Act:
    """Return what the persona does next in a conversation of several sessions.

    Args:
        persona: who is played.
        stage: a new stage.
        parts: the sessions that the conversation holds, in order; the last one goes on.
    """
    if stage.played:
        raise ValueError("a persona is played on a new stage")
    stage.played = True
    act = Act()
    for part in parts:
        stage.enter(part.session, part.user_text)
        act = _play(persona, stage, part.past)
    return act


def _play(persona: Persona, stage: Stage, past: Sequence[tuple[Result, ...]]) -> Act:
    play = persona.play(stage)
    try:
        act = next(play)
        for results in past:
            act = play.send(results)
    except StopIteration:
        return Act(text="I have nothing more to do.")
    return act


def act_calls(act: Act, seed: str, turn: int, session: int = 1) -> tuple[WireCall, ...]:
    """Return an act's calls as they stand on the wire."""
    return tuple(
        WireCall(
            id=wire_id(seed, turn, index, session), name=call.tool, raw_arguments=call.raw_text()
        )
        for index, call in enumerate(act.calls)
    )


def _of_session(truth: Truth, session: int) -> Truth:
    """Return the part of a truth that is played in one session."""

    def kept(steps: tuple[Step, ...]) -> tuple[Step, ...]:
        return tuple(step for step in steps if step.session == session)

    return replace(
        truth,
        honest=kept(truth.honest),
        attack=kept(truth.attack),
        other_route=kept(truth.other_route),
    )


def _strings(result: Result) -> list[str]:
    found: list[str] = [result.text]
    waiting: list[Any] = [result.value]
    while waiting:
        value = waiting.pop()
        if isinstance(value, str):
            found.append(value)
        elif isinstance(value, dict):
            waiting.extend(value.values())
        elif isinstance(value, list):
            waiting.extend(value)
    return found


def _point(value: Any, pointer: str) -> Any:
    for part in pointer.split("/")[1:]:
        if isinstance(value, list) and part.isdigit() and int(part) < len(value):
            value = value[int(part)]
        elif isinstance(value, dict) and part in value:
            value = value[part]
        else:
            return ""
    return value
