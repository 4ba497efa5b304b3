"""The tool layer: the only door to the world.

Every call that an agent makes comes through `ToolLayer.call`: it is matched with what the model
announced on the wire, validated strictly against the tool's schema, shown to the guards, run, and
journalled with its arguments in three forms. Nothing that a framework does can take a call past it
or out of the journal; calls that the model announced and the framework never handed over are
journalled as such, and so are calls that a person denied at the framework's approval step.
"""

import copy
import threading
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from grid.adapter import Asked, Delivered, ToolSpec
from grid.announced import (
    ANNOUNCED_LIMIT as ANNOUNCED_LIMIT,
)  # limits of a journal, all in one place
from grid.announced import ARGUMENT_LIMIT, NAME_LIMIT, Announced, Announcements, short
from grid.canonical import canonical, check_value
from grid.errors import CanonicalError
from grid.evidence import CallError, CallRecord, Decision, Tables, Touch
from grid.guard import ALLOW, Guard, GuardView, PastCall
from grid.overseer import DENIED, ask, deliver
from grid.report import REPORT
from grid.resultframe import Results, framed
from grid.scenario import Oversight
from grid.tool import Tool, described, validator
from grid.toolanswer import (
    HARNESS_FAULT,
    INVALID_ARGUMENTS,
    MALFORMED_ARGUMENTS,
    TOOL_LAYER,
    UNKNOWN_TOOL,
    WORLD,
    answer_text,
    complaint,
    receipt_for,
)
from grid.vocabulary import Verdict
from grid.wirecall import WireCall, says
from grid.world import ToolError, World, WorldReader, WorldRefusal, cancel_out

CALL_LIMIT = 100
"""The most calls of one run that are executed; later ones are refused and journalled."""
TRIAL_LIMIT = 4 * 1024 * 1024
"""Characters of arguments and answers of one run; after that nothing more is executed."""

SPARE_DEPTH = 16
"""Levels of nesting that arguments leave free: they are journalled inside other records."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LayerSettings:
    """What a tool layer is set up with for one trial."""

    seed: str
    """Hex seed of the trial; receipts derive from it."""
    tables: Tables
    """The world before, resolved."""
    tools: tuple[Tool, ...]
    """Tools that are offered, without `report`."""
    guards: tuple[Guard, ...]
    """Guards, in the order they are asked; empty when guards are off."""
    stops: bool
    """A terminal refusal ends the run."""
    policy: dict[str, Any]
    """guard id -> settings."""
    user_text: str
    """The user's words in the first session."""
    turn_limit: int
    """The most model answers a session may take."""
    oversight: Oversight | None = None
    """Calls that wait for a person's word; None: none."""
    results: Results = Results.PLAIN
    """What the clause does to tool results."""
    language: str = "en"
    """Language of the trial."""


class ToolLayer:
    """One trial's tool layer."""

    def __init__(self, settings: LayerSettings) -> None:
        """Set up the world and an empty journal."""
        self._settings = settings
        self._tools = {tool.name: tool for tool in (*settings.tools, REPORT)}
        self._lock = threading.Lock()  # frameworks run tools on threads of their own
        self._announced = Announcements()
        self.world = World(settings.tables)
        self.calls: list[CallRecord] = []
        self.restores: list[int] = []
        self.user_text = self.words = settings.user_text  # of all sessions; of this one
        self.begun = 0  # model answers before this session
        self.spent = 0
        self.halted = False
        self.fault = ""  # what broke in the harness: a framework may swallow the exception

    def specs(self) -> tuple[ToolSpec, ...]:
        """Return the tools as the model sees them now, `report` last."""
        tables = self.world._tables
        return tuple(described(tool.spec(), tables) for tool in self._tools.values())

    @property
    def turn(self) -> int:
        """Number of the last model answer that can hold calls."""
        return self._announced.turn

    def announce(self, calls: tuple[WireCall, ...], model_as_requested: bool | None = None) -> None:
        """Note a new model answer; what is left of the last one was never handed over.

        Args:
            calls: the calls that it asks for.
            model_as_requested: whether it came under the model id that was asked for, if known.
        """
        with self._lock:
            self._journal_left_over()
            self._announced.announce(calls, model_as_requested)

    def begin_session(self, user_text: str) -> None:
        """Begin one more session: more words of the user's, and its turns are counted anew."""
        with self._lock:
            self._journal_left_over()
            self.user_text += "\n" + user_text
            self.words = user_text
            self.begun = self.turn

    def restored(self) -> None:
        """Note that the agent goes on from a checkpoint and has forgotten what came after it."""
        with self._lock:
            self.restores.append(len(self.calls))
            self._announced.restored()

    def ask(self, calls: Sequence[Asked]) -> tuple[Delivered | None, ...]:
        """Have the approver decide on the calls of one model answer that wait for a person's word.

        Returns:
            for each call, what to tell the model in place of running it; None: it may run.
        """
        with self._lock:
            of, last = self._settings.oversight, len(self.calls) - 1
            told = ask(of, self.world, [call.operation() for call in calls], after=last)
            return tuple(
                None if may else self._denied(call) for call, may in zip(calls, told, strict=True)
            )

    def _denied(self, asked: Asked) -> Delivered:
        draft = _Draft(layer=self, name=short(asked.name, NAME_LIMIT), call_id=asked.call_id)
        draft.hand_over(asked.arguments)
        draft.deny()
        return draft.close()

    def finish(self) -> None:
        """Journal what the framework never handed over; the run is over."""
        with self._lock:
            self._journal_left_over()

    def call(self, *, name: str, arguments: object, call_id: str | None) -> Delivered:
        """Take one call to its end: match, validate, guard, run, journal, deliver."""
        with self._lock:
            draft = _Draft(layer=self, name=short(name, NAME_LIMIT), call_id=call_id)
            try:
                draft.hand_over(arguments)
                draft.decide()
                return draft.close()
            except Exception as error:
                self.fault = f"{type(error).__name__}: {error}"
                self.halted = True
                draft.break_off()
                raise

    def match(self, name: str, call_id: str | None) -> Announced | None:
        """Take the announced call that this one is."""
        return self._announced.match(name, call_id)

    def past(self) -> tuple[PastCall, ...]:
        """Return the journal as guards may see it."""
        return tuple(
            PastCall(
                receipt=call.receipt,
                tool=call.tool,
                arguments=call.executed,
                touches=call.touches,
                decision=call.decision,
                result=call.result,
                error=call.error.code if call.error else "",
            )
            for call in self.calls
        )

    def receipt(self, seq: int) -> str:
        """Return the receipt of a call: cannot be guessed from another one."""
        return receipt_for(self._settings.seed, seq)

    def _journal_left_over(self) -> None:
        for item in self._announced.left_over():
            seq = len(self.calls)
            self.calls.append(item.never_handed_over(seq, self.receipt(seq)))


class _Draft:
    """One call on its way through the layer."""

    def __init__(self, *, layer: ToolLayer, name: str, call_id: str | None) -> None:
        self.layer = layer
        self.settings = layer._settings
        self.name = name
        self.seq = len(layer.calls)
        self.announced = layer.match(name, call_id)
        self.tool = layer._tools.get(name)
        self.parsed: Any = None
        self.executed: Any = None
        self.touches: tuple[Touch, ...] = ()
        self.decision = ALLOW
        self.error: CallError | None = None
        self.result: Any = None

    def hand_over(self, arguments: object) -> None:
        """Keep what the framework handed over, or say why it cannot be kept."""
        try:
            check_value(arguments, depth=SPARE_DEPTH)
            size = len(canonical(arguments))
            if size > ARGUMENT_LIMIT:
                raise CanonicalError(f"arguments over {ARGUMENT_LIMIT} bytes are not taken")
        except CanonicalError as error:
            self.error = CallError(code=MALFORMED_ARGUMENTS, message=str(error))
            return
        self.layer.spent += size
        self.parsed = copy.deepcopy(arguments)  # a framework may change its own object later
        if self.tool is None:
            known = ", ".join(sorted(self.layer._tools))
            message = f"there is no tool {self.name!r}; the tools are: {known}"
            self.error = CallError(code=UNKNOWN_TOOL, message=message)
        elif not isinstance(arguments, dict):
            message = "arguments must be a JSON object"
            self.error = CallError(code=MALFORMED_ARGUMENTS, message=message)
        else:
            self._validate(self.tool)

    def _validate(self, tool: Tool) -> None:
        found = validator(tool).iter_errors(self.parsed)
        problems = sorted(complaint(problem) for problem in found)
        if problems:
            self.error = CallError(code=INVALID_ARGUMENTS, message=problems[0])

    def decide(self) -> None:
        """Refuse, fail or run the call."""
        if not self._late() and self.error is None and self.tool is not None:
            self._guarded(self.tool)

    def deny(self) -> None:
        """Refuse the call because a person denied it."""
        if not self._late() and self.error is None and self.tool is not None:
            self.touches = self.tool.touches(self._reader(), self.parsed)
            self.decision = DENIED

    def _late(self) -> bool:
        """Refuse what comes after the end of a run."""
        layer = self.layer
        if layer.halted:
            self.decision = _over("a terminal refusal has ended this run")
        elif layer.turn - layer.begun > self.settings.turn_limit or self.seq >= CALL_LIMIT:
            self.decision = _over("the run is over its limit of model answers or calls")
        elif layer.spent > TRIAL_LIMIT:
            self.decision = _over("the run is over its limit of text in arguments and answers")
        return self.decision.verdict is Verdict.REFUSE

    def _reader(self) -> WorldReader:
        return WorldReader(self.layer.world._tables, self.layer.world.clock)

    def _guarded(self, tool: Tool) -> None:
        reader = self._reader()
        self.touches = tool.touches(reader, self.parsed)
        policy, seen = self.settings.policy, self._view(tool, reader)
        asked = [
            (guard, replace(seen, policy=policy.get(guard.id)))
            for guard in self.settings.guards
            if guard.id in policy or not guard.needs_policy
        ]
        for guard, view in asked:
            decision = guard.before(view)
            if decision is not None:
                self._refused(decision)
                return
        self._run(tool)
        if self.error is None and self.decision.verdict is Verdict.ALLOW:
            for guard, view in asked:
                decision = guard.after(view, self.result)
                if decision is not None:
                    self._refused(decision)
                    self.result = None
                    return

    def _view(self, tool: Tool, reader: WorldReader) -> GuardView:
        asked, bare = self.announced, not tool.parameters.get("properties")
        return GuardView(
            tool=tool.name,
            access=tool.access,
            arguments=self.parsed,
            touches=self.touches,
            world=reader,
            policy=None,
            user_text=self.layer.user_text,
            past=self.layer.past(),
            approvals=tuple(self.layer.world.approvals),
            as_written=says(asked.call, tool.name, self.parsed, bare=bare) if asked else None,
            model_as_requested=asked.model_as_requested if asked else None,
        )

    def _refused(self, decision: Decision) -> None:
        self.decision = decision
        if decision.terminal and self.settings.stops:
            self.layer.halted = True

    def _run(self, tool: Tool) -> None:
        world = self.layer.world
        world.begin_call(self.seq)
        self.executed = self.parsed
        try:
            self.result = tool.run(world, self.parsed)
        except ToolError as error:
            self.error = CallError(code=error.code, message=error.message)
        except WorldRefusal as refusal:
            left = world.since_taken()
            if left and not (refusal.rolled_back and cancel_out(left)):
                # What was not taken back did happen: a tool must raise ToolError for that.
                raise RuntimeError(f"{tool.name!r} refused, and left effects behind") from refusal
            self.executed = None
            self.touches = refusal.touches or self.touches
            self._refused(
                Decision(
                    verdict=Verdict.REFUSE,
                    by=WORLD,
                    reason=refusal.reason,
                    terminal=refusal.terminal,
                    next=refusal.next_step,
                    actionable=not refusal.terminal,
                    rolled_back=refusal.rolled_back,
                )
            )
        if self.executed is not None and (self.error is None or world.changed):
            deliver(self.settings.oversight, world, tool.name, self.parsed)

    def break_off(self) -> None:
        """Journal a call that a fault of the harness cut short, with the effects it had by then."""
        self.result = None
        self.error = CallError(
            code=HARNESS_FAULT, message="the harness failed while it carried this call out"
        )
        self.close()

    def close(self) -> Delivered:
        """Journal the call and return what the agent gets."""
        layer, announced = self.layer, self.announced
        receipt = layer.receipt(self.seq)
        text = self._told(receipt)
        layer.spent += len(text)
        layer.calls.append(
            CallRecord(
                seq=self.seq,
                turn=layer.turn,
                wire_id=announced.call.id if announced else "",
                receipt=receipt,
                tool=self.name,
                wire_tool=announced.name if announced else "",
                raw_arguments=announced.arguments if announced else None,
                parsed=self.parsed,
                executed=self.executed,
                touches=self.touches,
                decision=self.decision,
                result=self.result,
                delivered=text,
                error=self.error,
                effects=layer.world.take_effects(),
            )
        )
        refused = self.decision.verdict is Verdict.REFUSE
        return Delivered(text=text, is_error=refused or self.error is not None, halt=layer.halted)

    def _told(self, receipt: str) -> str:
        """Return the answer with what the clause puts around it."""
        answer = answer_text(
            receipt=receipt, decision=self.decision, error=self.error, result=self.result
        )
        of = self.settings
        return framed(
            answer, of.results, seed=of.seed, language=of.language, words=self.layer.words
        )


def _over(reason: str) -> Decision:
    return Decision(
        verdict=Verdict.REFUSE,
        by=TOOL_LAYER,
        reason=reason,
        terminal=True,
        next="end the run; nothing more will be executed",
    )
