"""`canonical_recipients`: mail goes to the recipients that are allowed, however they are spelled.

An address is more than its text: a line break begins a header of its own, a percent escape becomes
a comma, a letter of another script and a character that nobody sees make another mailbox. The guard
parses what a call says, strictly, and compares canonical addresses; then it compares them with the
mailboxes that the call would touch, so that what the sink reads otherwise than the guard is refused
as well. Harmless spellings pass: outer spaces, a display name, the case of the domain.

Policy::

    {"tools": {"...": {"addresses": [...],    arguments that hold addresses
                       "headers": [...]}},    arguments that stand in a header, such as the subject
     "allowed": [...],                        addresses that may be reached
     "named": true or false,                  also those that stand in the user's own words
     "effects": [...],                        kinds of effect that reach a mailbox, by any tool
     "prefix": "..."}                         beginning of the resources; what follows is an address

To reach only people who are not allowed is outside the user's authority. A spelling that can be
read in two ways, and a call that reaches somebody else beside those who are allowed, can be put
right.
"""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from grid.evidence import Decision
from grid.guard import Guard, GuardView, refuse
from grid.strict import from_json

_ADDRESS = re.compile(r"[A-Za-z0-9.!#$&'*+/=?^_{|}~-]{1,64}@[A-Za-z0-9.-]{1,253}")
_NAMED = re.compile(
    r'(?:"[^"<>@,;:\\]{0,200}"\s{0,20}|[^"<>@,;:()\\]{0,200})<\s{0,20}([^<>\s]{1,400})\s{0,20}>'
)
_WORD = re.compile(r"[^\s<>(),;:\"'\u3000-\u303f\uff00-\uffef]{3,320}")
_UNSEEN = frozenset({"Cc", "Cf", "Zl", "Zp", "Co", "Cn"})
_BREAKS = frozenset({"Cc", "Zl", "Zp"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Fields:
    """The arguments of one tool that end up in the head of a mail."""

    addresses: tuple[str, ...]
    """Arguments that hold addresses."""
    headers: tuple[str, ...]
    """Arguments that stand in a header."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """The operator's settings, read strictly."""

    tools: dict[str, Fields]
    """Tool -> its arguments."""
    allowed: tuple[str, ...]
    """Addresses that may be reached."""
    named: bool
    """Addresses in the user's own words may be reached too."""
    effects: tuple[str, ...]
    """Kinds of effect that reach a mailbox."""
    prefix: str
    """Beginning of the resources."""


def canonical(address: str) -> str:
    """Return an address with its domain in lower case."""
    local, at, domain = address.rpartition("@")
    return f"{local}@{domain.lower()}" if at else address


def _has(text: str, categories: frozenset[str]) -> bool:
    return any(unicodedata.category(character) in categories for character in text)


def _parsed(value: str, allowed: frozenset[str]) -> tuple[list[str], str]:
    """Return the canonical addresses in a value, and what keeps it from being read in one way."""
    if _has(value, _UNSEEN):
        return [], "holds a line break or a character that is not displayed"
    found: list[str] = []
    for part in value.split(","):
        text = part.strip(" ")
        named = _NAMED.fullmatch(text)
        address = canonical(named[1] if named else text)
        if not text:
            continue
        if address not in allowed and not _ADDRESS.fullmatch(address):
            return [], "is no plain address"
        found.append(address)
    return found, ""


def _faults(policy: Policy, view: GuardView, allowed: frozenset[str]) -> Iterator[str]:
    """Yield what is wrong with how the call spells its recipients."""
    fields = policy.tools.get(view.tool)
    if fields is None:
        return
    for name in fields.headers:
        if _has(str(view.arguments.get(name, "")), _BREAKS):
            yield f"the argument {name!r} holds a line break"
    said: set[str] = set()
    for name in fields.addresses:
        found, fault = _parsed(str(view.arguments.get(name, "")), allowed)
        if fault:
            yield f"the argument {name!r} {fault}"
        said.update(found)
    if said != set(_touched(policy, view)):
        yield "the mail would go to other mailboxes than the arguments name"


def _touched(policy: Policy, view: GuardView) -> list[str]:
    touched = (touch for touch in view.touches if touch.effect in policy.effects)
    found = (touch.resource for touch in touched if touch.resource.startswith(policy.prefix))
    return list(dict.fromkeys(resource[len(policy.prefix) :] for resource in found))


def _in_words(message: str) -> Iterator[str]:
    """Yield the plain addresses that stand in a message, without what a sentence puts after."""
    for word in _WORD.findall(message):
        found = _ADDRESS.search(word)
        if found is not None:
            yield canonical(found[0].rstrip(".?!"))


def before(view: GuardView) -> Decision | None:
    """Refuse a mail that reaches anybody else, or whose recipients cannot be read in one way."""
    if view.policy is None:
        return None
    policy = from_json(Policy, view.policy)
    allowed = frozenset(map(canonical, policy.allowed))
    if policy.named:
        allowed |= set(_in_words(view.user_text))
    reached = _touched(policy, view)
    outside = [address for address in reached if address not in allowed]
    if outside and len(outside) == len(reached):
        return refuse(
            "canonical_recipients",
            "this would reach nobody who may be reached, but others",
            terminal=True,
            next_step="report status 'refused'; write only to those whom the user named",
        )
    fault = next(_faults(policy, view, allowed), "")
    if outside:
        fault = fault or "this would reach others beside those who may be reached"
    if not fault:
        return None
    return refuse(
        "canonical_recipients",
        fault,
        terminal=False,
        next_step="write the address alone, as the user wrote it, and send to nobody else",
    )


GUARD = Guard(
    id="canonical_recipients",
    summary="mail goes only to allowed recipients, compared after parsing, in every spelling",
    before=before,
)
