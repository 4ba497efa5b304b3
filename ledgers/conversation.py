"""Whether the model was told what the journal says: prompt, tools and tool answers on the wire.

A framework may take the calls over faithfully and still tell the model something else. For each
request:

1. It begins with the journal's system prompt, if there is one, and the user's words; no other
   system prompt stands in it.
2. It offers the scenario's tools, in order, with name, description and schema as declared.
3. Each tool answer in it is one that the tool layer delivered, for the call whose id it names if
   there is one. For a call that was never handed over a framework has to say something of its own.
4. It holds no more assistant messages than there were answers before it.

A user's message of the framework's own further down is its way of working, and is let pass.
"""

from collections.abc import Iterator
from typing import Any

from grid.evidence import CallRecord
from grid.matching import equal
from ledgers.alterations import never_handed_over
from ledgers.case import Case
from ledgers.decoded import ASSISTANT, Decoded

SYSTEM = ("system", "developer")
USER = "user"
TOOL = "tool"

type Said = tuple[str, str | None]
"""Role and text of one message; None for content that is no text."""


def told_otherwise(case: Case) -> Iterator[tuple[int, str]]:
    """Yield each exchange whose request tells the model something else, and what."""
    offered = [
        {
            "type": "function",
            "function": {
                "name": tool.name,
                "description": tool.description,
                "parameters": tool.parameters,
            },
        }
        for tool in case.tools
    ]
    answers = 0
    for exchange in case.exchanges:
        for why in _otherwise(case, exchange, offered, answers):
            yield exchange.n, f"request {exchange.n} {why}"
        answers += exchange.answered


def _otherwise(
    case: Case, exchange: Decoded, offered: list[dict[str, Any]], answers: int
) -> Iterator[str]:
    said = [_said(message) for message in exchange.messages]
    if not _begins(case, said):
        yield "does not begin with the prompt of the journal"
    if not equal(list(exchange.offered), offered):
        yield "does not offer the tools of the scenario"
    for message in exchange.messages:
        if message.get("role") == TOOL and not _was_delivered(case, message):
            yield "shows a tool answer that the tool layer never gave"
    if sum(role == ASSISTANT for role, _ in said) > answers:
        yield "holds more answers than the model had given"


def _said(message: dict[str, Any]) -> Said:
    return str(message.get("role")), _text(message.get("content"))


def _text(content: Any) -> str | None:
    """Return content as text: as it is, or as a list of text parts."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return None
    parts = [part.get("text") if isinstance(part, dict) else None for part in content]
    texts = [part for part in parts if isinstance(part, str)]
    return "".join(texts) if len(texts) == len(parts) else None


def _begins(case: Case, said: list[Said]) -> bool:
    system, user = case.journal.system_text, case.journal.user_text
    prompt: list[Said] = [] if system is None else [("system", system)]
    prompt.append((USER, user))
    more = any(role in SYSTEM for role, _ in said[len(prompt) :])
    return said[: len(prompt)] == prompt and not more


def _was_delivered(case: Case, message: dict[str, Any]) -> bool:
    identity, text = message.get("tool_call_id"), _text(message.get("content"))
    calls = case.journal.calls
    named = [call for call in calls if identity and call.wire_id == identity]
    return any(_gave(call, text) for call in named or calls)


def _gave(call: CallRecord, text: str | None) -> bool:
    return never_handed_over(call) or call.delivered == text
