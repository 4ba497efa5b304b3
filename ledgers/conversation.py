"""Whether the model was told what the journal says: prompt, tools and tool answers on the wire.

A framework may take the calls over faithfully and still tell the model something else. For each
request:

1. It begins with the journal's system prompt, if there is one, and the user's words in its
   session; no other system prompt stands in it. Where a session goes on from an earlier point of
   the conversation, it begins with the words that began that one, and its own stand further down.
2. It offers the scenario's tools, in order, with name, description and schema as declared; a
   description may also be one that the world's table of definitions held at some moment.
3. Each tool answer in it is one that the tool layer delivered in the conversation so far, for the
   call whose id it names if there is one. For a call that was never handed over a framework has to
   say something of its own, and for one that a person denied it may.
4. It holds no more assistant messages than the conversation had answers before it.

A user's message of the framework's own further down is its way of working, and is let pass. What a
planted fault put into a request on its way is none of the framework's doing: its own is looked at.

In a native profile so is more: templates around the prompt, schemas made anew, a conversation that
is begun anew or shortened. There, 1 and 2 come down to the first request of each session: a user's
message in it holds the user's words, one of its messages the system prompt, and its tools have the
names of the scenario's. 4 is left out, and 3 holds as it stands.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from grid.evidence import CallRecord, Journal
from grid.matching import equal
from grid.tool import DEFINITIONS
from grid.toolanswer import APPROVER
from ledgers.alterations import never_handed_over
from ledgers.case import Case
from ledgers.decoded import ASSISTANT, Decoded
from ledgers.refusals import refused_by

SYSTEM = ("system", "developer")
USER = "user"
TOOL = "tool"

type Said = tuple[str, str | None]
"""Role and text of one message; None for content that is no text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Talk:
    """What the conversation of one session can hold."""

    begins: int
    """Number of responses before the session."""
    words: tuple[str, ...]
    """The user's words, in order."""
    calls: tuple[CallRecord, ...]
    """The calls whose answers can be shown."""
    spare: int
    """How many more assistant messages it can hold than there were answers so far; below 0 if it
    began after some."""


def told_otherwise(case: Case) -> Iterator[tuple[int, str]]:
    """Yield each exchange whose request tells the model something else, and what."""
    return _natively(case) if case.journal.native else _exactly(case)


def _natively(case: Case) -> Iterator[tuple[int, str]]:
    talks = _talks(case.journal)
    names = [tool.name for tool in case.tools]
    seen = 0
    for exchange in case.exchanges:
        talk = [item for item in talks if item.begins <= seen][-1]
        if talk.begins == seen:
            said = [_said(message) for message in exchange.messages]
            if not _holds(case.journal.system_text, talk.words[-1], said):
                yield exchange.n, f"request {exchange.n} does not hold the prompt of the journal"
            if [_name(tool) for tool in exchange.offered] != names:
                yield exchange.n, f"request {exchange.n} does not offer the tools of the scenario"
        yield from _never_given(talk, exchange)
        seen += exchange.responded


def _holds(system: str | None, words: str, said: list[Said]) -> bool:
    """Tell whether the prompt stands somewhere in what was said, whatever stands around it."""
    heard = any(role == USER and text is not None and words in text for role, text in said)
    told = (text for role, text in said if role in (*SYSTEM, USER) and text is not None)
    return heard and (system is None or any(system in text for text in told))


def _name(tool: Any) -> Any:
    inner = tool.get("function") if isinstance(tool, dict) else None
    return inner.get("name") if isinstance(inner, dict) else None


def _exactly(case: Case) -> Iterator[tuple[int, str]]:
    described = _descriptions(case)
    offered = [
        {"name": tool.name, "parameters": tool.parameters, "type": "function"}
        for tool in case.tools
    ]
    talks = _talks(case.journal)
    fitting: dict[str, bool] = {}  # most requests of a trial offer the very same
    seen = answers = 0
    for exchange in case.exchanges:
        talk = [item for item in talks if item.begins <= seen][-1]
        said = [_said(message) for message in exchange.messages]
        written = repr(exchange.offered)
        if written not in fitting:
            fitting[written] = _fits(exchange.offered, offered, described)
        if not fitting[written]:
            yield exchange.n, f"request {exchange.n} does not offer the tools of the scenario"
        if sum(role == ASSISTANT for role, _ in said) > answers + talk.spare:
            yield exchange.n, f"request {exchange.n} holds more answers than the model had given"
        if not _begins(case.journal.system_text, talk, said):
            yield exchange.n, f"request {exchange.n} does not begin with the prompt of the journal"
        yield from _never_given(talk, exchange)
        seen += exchange.responded
        answers += exchange.answered


def _talks(journal: Journal) -> list[_Talk]:
    """Return what each session's conversation can hold."""
    talks = [_Talk(begins=0, words=("",), calls=(), spare=0)]
    ends = [start.call for start in journal.sessions[1:]] + [len(journal.calls)]
    for start, end in zip(journal.sessions, ends, strict=True):
        words: tuple[str, ...] = (start.user_text,)
        calls, spare = journal.calls[start.call : end], -start.turn
        before = talks[-1]
        if start.rewound is not None:  # coherence has seen that there is such a call
            turn = journal.calls[start.rewound].turn
            kept = [call for call in before.calls if call.turn <= turn or not call.turn]
            words, calls = (*before.words, *words), (*kept, *calls)
            spare += turn + before.spare
        talks.append(_Talk(begins=start.answers, words=words, calls=calls, spare=spare))
    return talks[1:] or talks


def _descriptions(case: Case) -> dict[str, set[str]]:
    """Return tool name -> every description that the world gave it."""
    found = {tool.name: {tool.description} for tool in case.tools}
    rows = list(case.journal.before.get(DEFINITIONS, {}).items())
    rows += [
        (effect.key, effect.after)
        for call in case.journal.calls
        for effect in call.effects
        if effect.table == DEFINITIONS and effect.after is not None
    ]
    for name, row in rows:
        found.setdefault(name, set()).add(str(row.get("description")))
    return found


def _fits(tools: tuple[Any, ...], offered: list[dict[str, Any]], told: dict[str, set[str]]) -> bool:
    """Tell whether a request offers these tools, each under a description that it had."""
    plain, described = [], True
    for tool in tools:
        inner = tool.get("function") if isinstance(tool, dict) else None
        if not isinstance(inner, dict) or set(inner) != {"name", "description", "parameters"}:
            return False
        described = described and inner["description"] in told.get(str(inner["name"]), ())
        plain.append(
            {"name": inner["name"], "parameters": inner["parameters"], "type": tool.get("type")}
        )
    return described and equal(plain, offered)


def _never_given(talk: _Talk, exchange: Decoded) -> Iterator[tuple[int, str]]:
    for message in exchange.messages:
        if message.get("role") == TOOL and not _was_delivered(talk, message):
            why = "shows a tool answer that the tool layer never gave"
            yield exchange.n, f"request {exchange.n} {why}"


def _said(message: dict[str, Any]) -> Said:
    return str(message.get("role")), text_of(message.get("content"))


def text_of(content: Any) -> str | None:
    """Return content as text: as it is, or as a list of text parts."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return None
    parts = [part.get("text") if isinstance(part, dict) else None for part in content]
    texts = [part for part in parts if isinstance(part, str)]
    return "".join(texts) if len(texts) == len(parts) else None


def _begins(system: str | None, talk: _Talk, said: list[Said]) -> bool:
    prompt: list[Said] = [] if system is None else [("system", system)]
    prompt.append((USER, talk.words[0]))
    rest = said[len(prompt) :]
    later = iter(text for role, text in rest if role == USER)
    told = all(words in later for words in talk.words[1:])
    more = any(role in SYSTEM for role, _ in rest)
    return said[: len(prompt)] == prompt and told and not more


def _was_delivered(talk: _Talk, message: dict[str, Any]) -> bool:
    identity, text = message.get("tool_call_id"), text_of(message.get("content"))
    named = [call for call in talk.calls if identity and call.wire_id == identity]
    return any(_gave(call, text) for call in named or talk.calls)


def _gave(call: CallRecord, text: str | None) -> bool:
    own_words = never_handed_over(call) or refused_by(call) == APPROVER
    return own_words or call.delivered == text
