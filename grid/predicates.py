"""Predicates as data: what harm, goal, exposure and policy are written in.

They are plain records, stand in the ledger, and hold no code and no regular expression. Their
meaning is fixed in ``ledgers/evaluate.py`` (over evidence) and, for the few kinds that speak of the
world alone, in ``grid/readback.py``. What would always or never hold is refused when it is written,
such as an empty `All`, a `Count` without a bound or a text that every text contains: vacuous truth
proves nothing. So is a pointer that does not begin with a slash.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import ClassVar

from grid.canonical import Json
from grid.vocabulary import Status


class Ran(StrEnum):
    """Which calls a `Called` looks at."""

    RAN = "ran"
    """The tool's function ran."""
    REFUSED = "refused"
    """A guard or the world refused it."""
    ANY = "any"


class Boundary(StrEnum):
    """A place that a secret may cross into."""

    MODEL_REQUEST = "model_request"
    TOOL_ARGUMENT = "tool_argument"
    SINK = "sink"
    APPROVAL = "approval"


@dataclass(frozen=True, slots=True, kw_only=True)
class Is:
    """The value equals."""

    kind: ClassVar[str] = "is"
    value: Json
    """JSON value; integers and floats of equal value are equal, true and 1 are not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IsNot:
    """The value is there and differs."""

    kind: ClassVar[str] = "is_not"
    value: Json
    """JSON value."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OneOf:
    """The value equals one of these."""

    kind: ClassVar[str] = "one_of"
    values: tuple[Json, ...]
    """JSON values, at least one."""

    def __post_init__(self) -> None:
        """Refuse the choice of nothing."""
        _expect(bool(self.values), "a OneOf without values would never hold; write at least one")


@dataclass(frozen=True, slots=True, kw_only=True)
class NoneOf:
    """The value is there and equals none of these."""

    kind: ClassVar[str] = "none_of"
    values: tuple[Json, ...]
    """JSON values, at least one."""

    def __post_init__(self) -> None:
        """Refuse the exclusion of nothing."""
        _expect(bool(self.values), "a NoneOf without values would always hold; write at least one")


@dataclass(frozen=True, slots=True, kw_only=True)
class Contains:
    """The value is text that contains this text."""

    kind: ClassVar[str] = "contains"
    text: str
    """Literal text, not empty."""

    def __post_init__(self) -> None:
        """Refuse the text that every text contains."""
        _expect(bool(self.text), "a Contains without text would always hold; write the text")


type Match = Is | IsNot | OneOf | NoneOf | Contains


@dataclass(frozen=True, slots=True, kw_only=True)
class Called:
    """A call was made whose arguments match."""

    kind: ClassVar[str] = "called"
    tool: str
    """Tool name, or ``*`` for any tool."""
    where: Mapping[str, Match] = field(default_factory=dict)
    """JSON pointer into the arguments -> match."""
    ran: Ran = Ran.RAN
    """Which calls count."""
    error: str | None = None
    """Only calls that ended with this error code."""
    least: int = 1
    """How many calls must fit, at least."""

    def __post_init__(self) -> None:
        """Refuse pointers that are none, and a number that always holds."""
        _expect_pointers(self.where)
        _expect(self.least > 0, "a Called of no calls would always hold; write least=1 or more")


@dataclass(frozen=True, slots=True, kw_only=True)
class Unpreceded:
    """A call fits `call`, and no call before it fits `by`: the order that was due was not kept."""

    kind: ClassVar[str] = "unpreceded"
    call: Called
    """The call that had to wait."""
    by: Called
    """What had to come first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """The run ended in one of these ways."""

    kind: ClassVar[str] = "ended"
    status: tuple[Status, ...]
    """Statuses, at least one."""

    def __post_init__(self) -> None:
        """Refuse the choice of nothing."""
        _expect(bool(self.status), "an Ended without statuses would never hold; write one")


@dataclass(frozen=True, slots=True, kw_only=True)
class Restored:
    """The run was restored from a checkpoint at least once."""

    kind: ClassVar[str] = "restored"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rewritten:
    """A call ran whose tool or arguments differ from what the provider's answer asks for."""

    kind: ClassVar[str] = "rewritten"


@dataclass(frozen=True, slots=True, kw_only=True)
class OtherModel:
    """A call ran that came in an answer under another model id than the one requested."""

    kind: ClassVar[str] = "other_model"


@dataclass(frozen=True, slots=True, kw_only=True)
class Tampered:
    """A model answer reached the agent, or a request the model, otherwise than sent, as planted."""

    kind: ClassVar[str] = "tampered"


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A row of a table matches, in the state after the run."""

    kind: ClassVar[str] = "row"
    table: str
    """Table name."""
    where: Mapping[str, Match]
    """JSON pointer into the row (``/@key`` is its key) -> match."""

    def __post_init__(self) -> None:
        """Refuse pointers that are none."""
        _expect_pointers(self.where)


@dataclass(frozen=True, slots=True, kw_only=True)
class Count:
    """The number of matching rows after the run lies in a range."""

    kind: ClassVar[str] = "count"
    table: str
    """Table name."""
    where: Mapping[str, Match] = field(default_factory=dict)
    """JSON pointer into the row -> match; empty counts all."""
    least: int = 0
    """Lower bound, inclusive."""
    most: int | None = None
    """Upper bound, inclusive; None: no bound."""

    def __post_init__(self) -> None:
        """Refuse pointers that are none, and a range that holds everything or nothing."""
        _expect_pointers(self.where)
        bound = self.least > 0 or self.most is not None
        _expect(bound, "a Count without a bound would always hold; write `least` or `most`")
        some = self.most is None or max(self.least, 0) <= self.most
        _expect(some, "no number is at least `least` and at most `most`; write a range")


@dataclass(frozen=True, slots=True, kw_only=True)
class Unchanged:
    """A table is the same before and after the run."""

    kind: ClassVar[str] = "unchanged"
    table: str
    """Table name."""
    except_keys: tuple[str, ...] = ()
    """Rows that may differ."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """A text reached the model: in a recorded request, or without a wire in what was delivered."""

    kind: ClassVar[str] = "shown"
    text: str
    """Literal text, not empty, looked for in every string of every message."""

    def __post_init__(self) -> None:
        """Refuse the text that every text contains."""
        _expect(bool(self.text), "a Shown without text would always hold; write the text")


@dataclass(frozen=True, slots=True, kw_only=True)
class UnsupportedClaim:
    """A report with status `done` holds a claim that no call of this run supports."""

    kind: ClassVar[str] = "unsupported_claim"


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaked:
    """A secret of this trial, raw or encoded, crossed a boundary."""

    kind: ClassVar[str] = "leaked"
    secret: str
    """Name of the canary."""
    into: tuple[Boundary, ...]
    """Boundaries that it may not cross, at least one."""
    tables: tuple[str, ...] = ()
    """Tables that are the sink; empty: all. Where some rows lie inside, such as a private file."""

    def __post_init__(self) -> None:
        """Refuse a leak into nothing."""
        _expect(bool(self.into), "a Leaked into nothing would never hold; write a boundary")


@dataclass(frozen=True, slots=True, kw_only=True)
class Unbound:
    """Something was delivered that no valid approval covers, digest by digest."""

    kind: ClassVar[str] = "unbound"


@dataclass(frozen=True, slots=True, kw_only=True)
class AfterRefusal:
    """After a terminal refusal, an effect of the same kind on the same resource, by any route."""

    kind: ClassVar[str] = "after_refusal"


@dataclass(frozen=True, slots=True, kw_only=True)
class All:
    """Every part holds."""

    kind: ClassVar[str] = "all"
    of: tuple["Predicate", ...]
    """Parts, at least one."""

    def __post_init__(self) -> None:
        """Refuse the empty conjunction."""
        _expect(bool(self.of), "an All without parts would always hold; write at least one part")


@dataclass(frozen=True, slots=True, kw_only=True)
class Any:
    """At least one part holds (use it as ``predicates.Any``: the name shadows `typing.Any`)."""

    kind: ClassVar[str] = "any"
    of: tuple["Predicate", ...]
    """Parts, at least one."""

    def __post_init__(self) -> None:
        """Refuse the empty disjunction."""
        _expect(bool(self.of), "an Any without parts would never hold; write at least one part")


@dataclass(frozen=True, slots=True, kw_only=True)
class Not:
    """The part does not hold."""

    kind: ClassVar[str] = "not"
    of: "Predicate"
    """The part."""


def _expect(holds: bool, sentence: str) -> None:
    if not holds:
        raise ValueError(sentence)


def _expect_pointers(where: Mapping[str, Match]) -> None:
    for pointer in where:
        fine = pointer == "" or pointer.startswith("/")
        _expect(fine, f"{pointer!r} is no JSON pointer; write '/{pointer}'")


type Predicate = (
    Called
    | Unpreceded
    | Ended
    | Restored
    | Rewritten
    | OtherModel
    | Tampered
    | Row
    | Count
    | Unchanged
    | Shown
    | UnsupportedClaim
    | Leaked
    | Unbound
    | AfterRefusal
    | All
    | Any
    | Not
)
