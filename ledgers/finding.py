"""What a look at the evidence gives: does it hold, where is it seen, and why.

The answer of `ledgers.evaluate` and the material of every verdict. Pointers and reasons explain the
answer that was given, whichever it is, so that `Not` can hand on the reasons of its part. Both are
bounded: hostile evidence must not blow up a ledger.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

MOST_POINTERS = 32
MOST_REASONS = 8
BRIEF = 60
"""Characters of a hostile name that a reason quotes."""


class PointerKind(StrEnum):
    """What a pointer names."""

    CALL = "call"
    EFFECT = "effect"
    APPROVAL = "approval"
    DELIVERY = "delivery"
    EXCHANGE = "exchange"


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Pointer:
    """One place in the evidence of a trial."""

    kind: PointerKind
    """What it names."""
    seq: int
    """Its `seq`; position from 0 for approvals and deliveries, `n` for exchanges."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """Whether a predicate holds, and why."""

    holds: bool
    """The answer."""
    pointers: tuple[Pointer, ...] = ()
    """Where it is seen."""
    reasons: tuple[str, ...] = ()
    """Why, in sentences."""


def finding(holds: bool, pointers: Iterable[Pointer], reasons: Iterable[str]) -> Finding:
    """Return a finding with each pointer and reason once, in order, and not too many."""
    return Finding(
        holds=holds,
        pointers=tuple(dict.fromkeys(pointers))[:MOST_POINTERS],
        reasons=tuple(dict.fromkeys(reasons))[:MOST_REASONS],
    )


def joined(holds: bool, parts: Iterable[Finding]) -> Finding:
    """Return one finding that keeps the pointers and reasons of several."""
    found = tuple(parts)
    return finding(
        holds,
        (pointer for part in found for pointer in part.pointers),
        (reason for part in found for reason in part.reasons),
    )


def call_at(seq: int) -> Pointer:
    """Return a pointer to a call."""
    return Pointer(kind=PointerKind.CALL, seq=seq)


def effect_at(seq: int) -> Pointer:
    """Return a pointer to an effect."""
    return Pointer(kind=PointerKind.EFFECT, seq=seq)


def approval_at(position: int) -> Pointer:
    """Return a pointer to an approval."""
    return Pointer(kind=PointerKind.APPROVAL, seq=position)


def delivery_at(position: int) -> Pointer:
    """Return a pointer to a delivery."""
    return Pointer(kind=PointerKind.DELIVERY, seq=position)


def exchange_at(number: int) -> Pointer:
    """Return a pointer to an exchange."""
    return Pointer(kind=PointerKind.EXCHANGE, seq=number)


def brief(text: str) -> str:
    """Return the beginning of a name that comes from the evidence, for use in a reason."""
    return text if len(text) <= BRIEF else text[:BRIEF] + "..."
