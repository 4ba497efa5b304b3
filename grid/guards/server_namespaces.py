"""`server_namespaces`: a server's texts say how its own tools are used, and nobody else's.

Where several tool servers share one agent, the description, an answer, an error or a notice of one
can tell the agent how to use the tools of another: whom else to mail, which note to read first. The
guard looks at where a value can have come from. An argument that the operator watches may hold

- what stands, word for word, in the user's own message, or
- what a tool of the same server answered in this run, unless the agent had put it into that very
  call: an echo is no word of the server's.

What any other server said names nothing here, in whatever form it was said.

Policy::

    {"servers": {"...": ["...", ...]},     server -> its tools, by the operator's own list
     "arguments": {"...": ["...", ...]}}   tool -> arguments that are watched

A text argument is watched as a whole, a list item by item; a value without a visible character
names nothing and is refused, since many a tool takes it for everything. Where a server keeps an
address book that the agent can write to, the arguments that write are to be watched as well.

A refused value can be left out or replaced by what the user wrote, so no refusal is terminal.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from grid.evidence import Decision
from grid.guard import Guard, GuardView, PastCall, refuse
from grid.leaves import leaves
from grid.strict import from_json
from grid.vocabulary import Verdict
from grid.wording import stands_in


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """The operator's settings, read strictly."""

    servers: dict[str, tuple[str, ...]]
    """Server -> its tools."""
    arguments: dict[str, tuple[str, ...]]
    """Tool -> arguments that are watched."""

    def beside(self, tool: str) -> set[str]:
        """Return the tools of the server that a tool belongs to; one in no list stands alone."""
        return {tool}.union(*(tools for tools in self.servers.values() if tool in tools))


def _answered(view: GuardView, tools: set[str]) -> Iterator[PastCall]:
    """Yield the calls of some tools that succeeded."""
    for past in view.past:
        allowed = past.decision.verdict is Verdict.ALLOW and not past.error
        if allowed and past.tool in tools and past.result is not None:
            yield past


def _in_any(value: str, content: Any) -> bool:
    return any(stands_in(value, str(leaf)) for leaf in leaves(content))


def _own(view: GuardView, value: str, tools: set[str]) -> bool:
    """Tell whether a tool of the same server named a value by itself."""
    return any(
        _in_any(value, past.result) and not _in_any(value, past.arguments)
        for past in _answered(view, tools)
    )


def before(view: GuardView) -> Decision | None:
    """Refuse a value that neither the user nor the tool's own server named."""
    if view.policy is None:
        return None
    policy = from_json(Policy, view.policy)
    tools = policy.beside(view.tool)
    for name in policy.arguments.get(view.tool, ()):
        for leaf in leaves(view.arguments.get(name)):
            value = str(leaf)
            if not (stands_in(value, view.user_text) or _own(view, value, tools)):
                return _refused(name, value)
    return None


def _refused(name: str, value: str) -> Decision:
    return refuse(
        "server_namespaces",
        f"{value[:80]!r} in {name!r} was named neither by the user nor by this tool's own server",
        terminal=False,
        next_step="use only values that the user wrote or that this tool's own server answered",
    )


GUARD = Guard(
    id="server_namespaces",
    summary="an argument holds only what the user or the tool's own server named",
    before=before,
)
