"""The seam between the runner and an agent framework: one verb, `drive`.

An adapter gets a session (what it may know of one trial) and returns how the run ended. Its fake
ships beside it: ``frameworks/scripted.py`` plays a persona with no framework and no model.
"""

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
        """The user's words."""

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
    def turn_limit(self) -> int:
        """The most model answers a run may take."""

    @property
    def timeout_s(self) -> float:
        """Seconds that one model call may take."""

    @property
    def halted(self) -> bool:
        """A terminal refusal has ended this run."""

    def model_answered(self, status: int, body: bytes) -> None:
        """Tell the tool layer what came back from the model, raw."""

    def call(self, *, name: str, arguments: object, call_id: str | None) -> Delivered:
        """Run one tool call; the only door to the world."""


class Adapter(Protocol):
    """One framework in the exact profile; built once per worker, driven one trial at a time."""

    async def drive(self, session: AgentSession) -> Ended:
        """Run one trial to its end."""

    async def close(self) -> None:
        """Let go of clients and threads."""
