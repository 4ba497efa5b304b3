"""A rule: one thing that is asked of every case, and its verdict.

A rule sees a `Case` and nothing else. It answers None where it has nothing to say. Its version is
raised whenever its meaning changes, in its own module or in what it calls, so that old ledgers can
tell by which wording they were judged.
"""

from collections.abc import Callable
from dataclasses import dataclass

from grid.canonical import digest_of
from grid.vocabulary import Cause, Family
from ledgers.case import Case
from ledgers.finding import Pointer


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleVerdict:
    """What one rule says of one trial."""

    rule: str
    """Rule id."""
    rule_version: int
    """Its version."""
    family: Family
    """What it looks at."""
    outcome: str
    """A word of the enumeration that fits the family."""
    cause: Cause | None
    """Who is answerable for something bad; None if nothing is."""
    reasons: tuple[str, ...]
    """Why, in sentences."""
    pointers: tuple[Pointer, ...]
    """Where it is seen."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One rule; a module in ``ledgers/rules/`` holds one, as its constant RULE."""

    id: str
    """Name in verdicts; the module's name."""
    version: int
    """Raised when its meaning changes."""
    family: Family
    """What it looks at."""
    statement: str
    """What it says, in a sentence."""
    judge: Callable[[Case], RuleVerdict | None]
    """The verdict, or None where it has nothing to say."""

    def digest(self) -> str:
        """Return the digest of the declaration."""
        return digest_of(
            "rule",
            {
                "id": self.id,
                "version": self.version,
                "family": self.family.value,
                "statement": self.statement,
            },
        )

    def verdict(
        self,
        outcome: str,
        *,
        cause: Cause | None = None,
        reasons: tuple[str, ...] = (),
        pointers: tuple[Pointer, ...] = (),
    ) -> RuleVerdict:
        """Return a verdict of this rule."""
        return RuleVerdict(
            rule=self.id,
            rule_version=self.version,
            family=self.family,
            outcome=str(outcome),
            cause=cause,
            reasons=reasons,
            pointers=pointers,
        )
