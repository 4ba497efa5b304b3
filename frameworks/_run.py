"""One trial as an adapter sees it: what the model asked for, what was run, how it came to an end.

It stands between a framework and the session. Whatever goes wrong inside the session is the
harness's own fault: it is kept, the framework is stopped, and `end` raises it again, because every
framework would otherwise show it to the model as a failed tool and go on.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

from grid.adapter import AgentSession, Asked, Delivered, Ended
from grid.vocabulary import Cause, Status
from grid.wirecall import WireCall, wire_calls

NOT_RUN = Delivered(text="not run: this run is over", is_error=True, halt=True)
"""Stands in for the result of a call that came after the end; it never reaches a model."""

CAUSES = {
    Status.TURN_LIMIT: Cause.AGENT,
    Status.INVALID_TOOL_CALLS: Cause.AGENT,
    Status.FRAMEWORK_ERROR: Cause.FRAMEWORK,
    Status.PROVIDER_ERROR: Cause.PROVIDER,
    Status.TIMEOUT: Cause.PROVIDER,
}
"""Who is answerable for a bad end."""

type Foreign = Mapping[type[Exception], Status]
"""An adapter's map of its framework's exceptions; the first class that fits decides.

`COMPLETED` stands for an exception that is only the framework's way of ending a run.
"""


def meaning(foreign: Foreign, kind: type[Exception]) -> Status:
    """Return what an exception of a framework makes of a run; an unknown one is a crash."""
    fits = (status for known, status in foreign.items() if issubclass(kind, known))
    return next(fits, Status.FRAMEWORK_ERROR)


class Crashed(BaseException):
    """The agent's process is gone, as far as its framework can tell.

    No framework may take it for a failed tool and show it to the model, hence no `Exception`.
    """


class Run:
    """The state of one session."""

    def __init__(self, session: AgentSession) -> None:
        """Start with nothing asked and nothing run."""
        self.session = session
        self.waiting: list[WireCall] = []
        """Calls of the last answer that were not handed over yet."""
        self.limit_reached = False
        """The framework was stopped at the turn limit."""
        self._answers = 0
        self._closed = False
        self._halted = False
        self._broken: Status | None = None
        self._fault: Exception | None = None

    @property
    def over(self) -> bool:
        """Nothing may run any more: a terminal refusal, a fault of the harness, or the end."""
        return self._halted or self._closed or self._fault is not None or self.session.halted

    @property
    def left(self) -> int:
        """How many more answers the model may give."""
        return self.session.turn_limit - self._answers

    @property
    def spent(self) -> bool:
        """The model has given as many answers as it may."""
        return self.left <= 0

    def answered(self, status: int, body: bytes) -> None:
        """Note a model answer; the session sees it before the framework does."""
        if self._closed:
            return  # a thread of a framework outlived its trial; the journal is closed
        self._answers += 1
        sound = status == 200 and _is_completion(body)
        self.waiting = list(wire_calls(body)) if sound else []
        self._broken = None if sound else Status.PROVIDER_ERROR
        self._guarded(lambda: self.session.model_answered(status, body))

    def broke(self, status: Status) -> None:
        """Note that a model call got no answer, and what that makes of the run."""
        self.waiting = []
        self._broken = status

    def call(self, *, name: str, arguments: object, call_id: str | None) -> Delivered:
        """Take one call to the session, unless the run is over."""
        if self.over:
            return NOT_RUN
        self._take(name, call_id)
        delivered = self._guarded(
            lambda: self.session.call(name=name, arguments=arguments, call_id=call_id)
        )
        if delivered is None:
            return NOT_RUN
        self._halted = self._halted or delivered.halt
        return delivered

    def ask(self, calls: Sequence[Asked]) -> tuple[Delivered | None, ...]:
        """Have a person decide on calls of the last answer; none is approved in a run that is over.

        Returns:
            for each call, what to tell the model in place of running it; None: it may run.
        """
        told = None if self.over else self._guarded(lambda: self.session.ask(calls))
        if told is None:
            return (NOT_RUN,) * len(calls)
        for call, denied in zip(calls, told, strict=True):
            if denied is not None:
                self._take(call.name, call.call_id)
        return told

    def restored(self) -> None:
        """Tell the session that the agent goes on from a checkpoint."""
        self._guarded(self.session.restored)

    def end(self, *, foreign: Foreign, error: Exception | None, final_text: str) -> Ended:
        """Say how the run ended; a fault of the harness is raised again.

        Args:
            foreign: the adapter's map of its framework's exceptions.
            error: what the framework raised, if it did.
            final_text: the agent's last words, if there are any.
        """
        if self._fault is not None:
            raise self._fault
        status = self._status(foreign, error)
        note = "" if error is None else f"{type(error).__name__}: {error}"
        return Ended(status=status, cause=CAUSES.get(status), final_text=final_text, note=note)

    def close(self) -> None:
        """Let nothing more through to the session."""
        self._closed = True

    def _status(self, foreign: Foreign, error: Exception | None) -> Status:
        if self._halted:
            return Status.STOPPED
        if self._broken is not None:
            return self._broken
        if self.limit_reached:
            return Status.TURN_LIMIT
        meant = Status.COMPLETED if error is None else meaning(foreign, type(error))
        if meant is not Status.COMPLETED:
            return meant
        return Status.INVALID_TOOL_CALLS if self.waiting else Status.COMPLETED

    def _take(self, name: str, call_id: str | None) -> None:
        same_id = [item for item in self.waiting if call_id and item.id == call_id]
        same_name = [item for item in self.waiting if item.name == name]
        both = [item for item in same_id if item.name == name]
        for found in (both or same_id or same_name)[:1]:
            self.waiting.remove(found)

    def _guarded[T](self, action: Callable[[], T]) -> T | None:
        try:
            return action()
        except Exception as error:  # noqa: BLE001 # kept here, raised again by `end`
            self._fault = self._fault or error
            return None


def _is_completion(body: bytes) -> bool:
    """Some frameworks take an error object for an empty answer; a provider's fault is its own."""
    try:
        return isinstance(json.loads(body)["choices"][0]["message"], dict)
    except (ValueError, LookupError, TypeError, RecursionError):
        return False


_CURRENT: ContextVar[Run] = ContextVar("_CURRENT")


def current_run() -> Run:
    """Return the run that this task or thread works for; frameworks hand the context down."""
    return _CURRENT.get()


@contextmanager
def running(session: AgentSession) -> Iterator[Run]:
    """Open a run for one trial; model requests made within belong to it."""
    run = Run(session)
    token = _CURRENT.set(run)
    try:
        yield run
    finally:
        _CURRENT.reset(token)
        run.close()
