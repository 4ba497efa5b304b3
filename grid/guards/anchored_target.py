"""`anchored_target`: the agent acts on one target, which it first names in the user's own words.

An agent that says itself what it may act on can say whatever it is about to do, and then keeps to
it. So what it declares is held against the user's message, which it cannot change: the declared
words must stand there, as whole words; where the message quotes something, they must be all of one
quotation. Compared is text in normal form (NFKC), in any case, with spaces made one.

Words that are only part of a longer target that the user named are ambiguous, and so are words that
two targets bear. After that only rows that bear the declared name can be acted on, by any tool.

Policy::

    {"tool": "...",         tool by which the agent declares its target
     "argument": "...",     its argument that holds the name
     "effects": [...],      the kinds of effect that need a declared target
     "prefix": "...",       beginning of their resources; what follows is the key of a row
     "table": "...",        table of those rows
     "field": "..."}        field that holds a row's name

Without quotation marks a single word of the name that the user wrote is taken if a row bears just
that word and none bears the whole name: no comparison of texts can tell what was meant.

Another target than the declared one lies outside the user's authority. Everything else can be put
right, and each refusal says how.
"""

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from grid.evidence import Decision
from grid.guard import Guard, GuardView, refuse
from grid.strict import from_json
from grid.vocabulary import Verdict

QUOTES = {'"': '"', "\u201c": "\u201d", "\u300c": "\u300d", "\u300e": "\u300f", "\u00ab": "\u00bb"}
"""Opening and closing marks of a quotation."""

LONGEST_SHOWN = 80
"""Characters of a name that a refusal repeats."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """The operator's settings, read strictly."""

    tool: str
    """Tool by which the agent declares its target."""
    argument: str
    """Its argument that holds the name."""
    effects: tuple[str, ...]
    """Kinds of effect that need a declared target."""
    prefix: str
    """Beginning of their resources."""
    table: str
    """Table of the rows that can be targets."""
    field: str
    """Field that holds a row's name."""


def plain(text: str) -> str:
    """Return a text in the form in which names are compared."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def quotations(words: str) -> tuple[str, ...]:
    """Return what a message quotes, in order."""
    found, at = [], 0
    while at < len(words):
        closing = QUOTES.get(words[at])
        end = words.find(closing, at + 1) if closing else -1
        if end > at + 1:
            found.append(plain(words[at + 1 : end]))
        at = end + 1 if end >= 0 else at + 1
    return tuple(found)


def _joins(character: str) -> bool:
    """Tell whether a word goes on with a character; scripts without spaces end a word."""
    if not character or unicodedata.east_asian_width(character) in "WF":
        return False
    mark = unicodedata.category(character).startswith("M")
    return mark or character.isalnum() or character in "_-"


def _places(name: str, words: str) -> Iterator[tuple[int, int]]:
    """Yield where a name stands in a message as whole words; both are plain."""
    at = words.find(name) if name else -1
    while at >= 0:
        end = at + len(name)
        if not (_joins(words[at - 1 : at]) or _joins(words[end : end + 1])):
            yield at, end
        at = words.find(name, at + 1)


def _names(policy: Policy, view: GuardView) -> dict[str, str]:
    """Return the plain name of each row, by key."""
    rows = view.world.rows(policy.table).items()
    return {key: plain(str(row.get(policy.field, ""))) for key, row in rows}


def _inside_a_longer(name: str, words: str, names: set[str]) -> bool:
    """Tell whether a name stands in a message only as a part of longer names."""
    longer = [place for other in names if name in other != name for place in _places(other, words)]
    return all(
        any(a <= start and end <= b for a, b in longer) for start, end in _places(name, words)
    )


def _unanchored(policy: Policy, view: GuardView, declared: str) -> str:
    """Return what is wrong with a declared target; empty if nothing is."""
    name, words, shown = plain(declared), plain(view.user_text), declared[:LONGEST_SHOWN]
    quoted = quotations(view.user_text)
    if not any(map(str.isalnum, name)) or not any(_places(name, words)):
        return f"{shown!r} does not stand in the user's message"
    if quoted and name not in quoted:
        return f"{shown!r} is not what the user's message quotes"
    if _inside_a_longer(name, words, set(_names(policy, view).values())):
        return f"{shown!r} is only a part of the name that the user's message holds"
    return ""


def _declared(policy: Policy, view: GuardView) -> str | None:
    """Return the target that was declared last and taken; None if there is none."""
    for past in reversed(view.past):
        taken = past.decision.verdict is Verdict.ALLOW and not past.error
        if past.tool == policy.tool and taken and isinstance(past.arguments, dict):
            return str(past.arguments.get(policy.argument, ""))
    return None


def _acted_on(policy: Policy, view: GuardView) -> list[str]:
    """Return the keys of the rows that a call would act on."""
    return [
        touch.resource[len(policy.prefix) :]
        for touch in view.touches
        if touch.effect in policy.effects and touch.resource.startswith(policy.prefix)
    ]


def _no(reason: str, next_step: str, *, terminal: bool = False) -> Decision:
    return refuse("anchored_target", reason, terminal=terminal, next_step=next_step)


def _act(policy: Policy, view: GuardView, targets: list[str]) -> Decision | None:
    """Refuse to act on what is not the declared target."""
    names, declared = _names(policy, view), _declared(policy, view)
    if declared is None:
        return _no(
            "no target was declared yet",
            f"call {policy.tool!r} with the name of the target as the user wrote it, then this",
        )
    bearing = [key for key, name in names.items() if name == plain(declared)]
    unknown = [target for target in targets if target not in names]
    if unknown:
        return _no(
            f"there is no target {unknown[0][:LONGEST_SHOWN]!r}",
            "look the targets up and use an id of them",
        )
    if any(target not in bearing for target in targets):
        return _no(
            f"this would act on another target than {declared!r}, which the user named",
            "report status 'refused'; act on nothing that the user did not name",
            terminal=True,
        )
    if len(bearing) > 1:
        return _no(
            f"{len(bearing)} targets are called {declared!r}",
            "report status 'refused' and say which targets bear the name",
        )
    return None


def before(view: GuardView) -> Decision | None:
    """Refuse a target that is not anchored, and an act on another target."""
    if view.policy is None:
        return None
    policy = from_json(Policy, view.policy)
    if view.tool == policy.tool:
        fault = _unanchored(policy, view, str(view.arguments.get(policy.argument, "")))
        again = "declare the target in the words of the user's message, or report 'refused'"
        return _no(fault, again) if fault else None
    targets = _acted_on(policy, view)
    return _act(policy, view, targets) if targets else None


GUARD = Guard(
    id="anchored_target",
    summary="the agent acts on one target only, which it named in the user's own words",
    before=before,
)
