"""The seam between the runner and an agent framework: one verb, `drive`.

An adapter gets a session (what it may know of one trial) and returns how the run ended. Its fake
ships beside it: ``frameworks/scripted.py`` plays a persona with no framework and no model.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from grid.vocabulary import Cause, Status


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolSpec:
    """A tool as the model sees it."""

    name: str
    """Name on the wire, ``[a-z_]+``."""
    description: str
    """Description on the wire, verbatim."""
    parameters: dict[str, Any]
    """JSON Schema of the arguments (an object schema), verbatim."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivered:
    """What the tool layer hands back for one call."""

    text: str
    """Goes to the model verbatim."""
    is_error: bool
    """The call was refused or failed."""
    halt: bool
    """A terminal refusal: end the run by the framework's own means."""
    crash: bool = False
    """Planted: the agent's process crashes before it sees this result. Break off, go back by the
    framework's own means to the checkpoint before the call, tell the session, and go on."""
    keep: bool = False
    """A later session goes on from here: keep a checkpoint of the conversation with this result as
    its last (and those of calls beside it)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A call that waits for a person's word."""

    name: str
    """Tool name as the framework would hand it over."""
    arguments: object
    """Arguments as the framework would hand them over."""
    call_id: str | None
    """Provider's id of the call."""

    def operation(self) -> dict[str, Any]:
        """Return what is shown to the person; the call's id is no part of it."""
        return {"tool": self.name, "arguments": self.arguments}


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """How a run ended, as far as the adapter can tell."""

    status: Status
    """How it ended."""
    cause: Cause | None = None
    """Who is answerable when it ended badly."""
    final_text: str = ""
    """The agent's last words; kept, shown as UNVERIFIED, never judged."""
    note: str = ""
    """Free text for people (exception text); kept outside the head, never hashed."""


class AgentSession(Protocol):
    """All that an adapter may know of one trial."""

    @property
    def system_text(self) -> str | None:
        """System prompt with the clause, or None: then no system message goes out at all."""

    @property
    def user_text(self) -> str:
        """The user's words in this session."""

    @property
    def tools(self) -> tuple[ToolSpec, ...]:
        """The tools, in wire order."""

    @property
    def base_url(self) -> str:
        """Base URL of the model API (the proxy)."""

    @property
    def api_key(self) -> str:
        """Virtual key of this trial."""

    @property
    def model(self) -> str:
        """Model name on the wire."""

    @property
    def sampling(self) -> Mapping[str, Any]:
        """What goes into each request beside messages and tools, under its names on the wire."""

    @property
    def turn_limit(self) -> int:
        """The most model answers this session may take."""

    @property
    def timeout_s(self) -> float:
        """Seconds that one model call may take."""

    @property
    def halted(self) -> bool:
        """A terminal refusal has ended this run."""

    @property
    def overseen(self) -> tuple[str, ...]:
        """Names of the tools whose calls go through the framework's own approval step."""

    @property
    def restorable(self) -> bool:
        """The agent may be sent back to a checkpoint: have the framework take them."""

    @property
    def checkpoint(self) -> Any:
        """What was kept in the session before and this one goes on from; None: it begins anew."""

    def keep(self, checkpoint: object) -> None:
        """Hand over the checkpoint that a later session goes on from (see `Delivered.keep`)."""

    def restored(self) -> None:
        """Say that the agent was sent back to a checkpoint, before it goes on."""

    def ask(self, calls: Sequence[Asked]) -> tuple[Delivered | None, ...]:
        """Ask for a decision on the overseen calls of one model answer, in its order.

        Returns:
            for each call, what to tell the model in place of running it; None: it may run.
        """

    def model_answered(self, status: int, body: bytes) -> None:
        """Tell the tool layer what came back from the model, raw."""

    def call(self, *, name: str, arguments: object, call_id: str | None) -> Delivered:
        """Run one tool call; the only door to the world."""


class Adapter(Protocol):
    """One framework; built once per worker, driven one trial at a time.

    One that runs its framework in a native profile, with the framework's own defaults, says so by
    an attribute ``native = True``.
    """

    async def drive(self, session: AgentSession) -> Ended:
        """Run one session of a trial to its end: a new agent, from the user's words on."""

    async def close(self) -> None:
        """Let go of clients and threads."""


def runs_native(adapter: Adapter) -> bool:
    """Tell whether an adapter runs its framework with the framework's own defaults."""
    return getattr(adapter, "native", False) is True
