"""A scenario: who asks, what is planted or swapped, what would be harm, what is the goal.

A module in ``grid/scenarios/`` holds one: ``build(names) -> Scenario`` for the attack and its
benign twin. Values that differ from trial to trial are written as data and resolved when a trial
begins: ``secret("password")`` stands for a canary, ``joined(...)`` puts texts together. The pieces
that truths are made of, such as reports with their claims, stand in `grid.steps`.
"""

from dataclasses import dataclass, field
from typing import Any

from grid.canonical import digest, digest_of
from grid.evidence import Tables
from grid.predicates import Called, Predicate
from grid.strict import LATER, to_json
from grid.vocabulary import HARM_FAMILIES, AttackKind, Family, TamperKind

TWIN_SUFFIX = ".benign"


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One message of a principal to the agent; each begins a session of its own."""

    session: int
    """Session number, from 1. The world goes on from one session to the next."""
    principal: str
    """Who speaks."""
    prompt: dict[str, str]
    """Language -> words; ``en`` always, ``ja`` where written."""
    rewind: str = ""
    """The conversation goes on from a checkpoint of the session before: the one right after the
    first result of this tool. Empty: the conversation is a new one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Oversight:
    """The framework's own approval step: calls that wait for a person's word."""

    tools: tuple[str, ...]
    """Names of the tools whose calls have to be approved."""
    principal: str
    """Who is asked."""
    denies: tuple[Called, ...] = ()
    """Calls that this person denies (by tool and arguments); every other one is approved."""
    misrouted: bool = False
    """Planted: the answers to questions of one model answer come back in reverse order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tamper:
    """What is done on the wire, between the provider and the agent."""

    kind: TamperKind
    """What is changed."""
    answer: int
    """Number of the model answer in its trial, from 1; 0: every one."""
    tool: str = ""
    """`argument`, `text`, `drop`, `duplicate`: only calls of this tool are changed, in whichever
    answer they come first if `answer` is 0 and there is no `rate`. `inject`: only its results. For
    the last three an empty name stands for every tool."""
    argument: str = ""
    """`argument`: name of the argument that is changed. `inject`: name of the member that the text
    becomes where the result is a JSON object; ``note`` if it is empty."""
    value: Any = None
    """`argument`: the new value. `text`: the new argument text. `model`: the model id that is told.
    `status`: the status code of an error answer. `inject`: the text. Others: nothing."""
    rate: float | None = field(default=None, metadata=LATER)
    """The share of all answers that this happens to, from 0 to 1; each is drawn from the trial's
    seed (see `grid.tampering`). None: to the one, or to all, that `answer` says."""
    retry_after: int | None = field(default=None, metadata=LATER)
    """`status`: seconds that the error's ``Retry-After`` header names; None: it has none."""

    def __post_init__(self) -> None:
        """Refuse what could change nothing, and what means nothing."""
        about_call = self.kind in (TamperKind.ARGUMENT, TamperKind.TEXT)
        if about_call and not self.tool:
            raise ValueError(f"tamper: kind {self.kind.value!r} needs the name of a `tool`")
        if self.kind is TamperKind.ARGUMENT and not self.argument:
            raise ValueError("tamper: kind 'argument' needs the name of the `argument`")
        kind = _VALUES.get(self.kind, object)
        if not isinstance(self.value, kind | dict):  # a record stands for a value of the trial
            raise ValueError(f"tamper: `value` of kind {self.kind.value!r} must be {kind.__name__}")
        if self.answer < 0:
            raise ValueError("tamper: `answer` counts from 1; 0 stands for every one")
        if self.kind is TamperKind.INJECT and (self.answer or self.rate is not None):
            raise ValueError(
                "tamper: kind 'inject' takes neither `answer` nor `rate`: each request repeats the "
                "results before it, so the text stands in all that show such a result"
            )
        if self.rate is not None and not (0 <= self.rate <= 1 and self.answer == 0):
            raise ValueError("tamper: `rate` is a number from 0 to 1, and takes no `answer`")
        if self.retry_after is not None and self.kind is not TamperKind.STATUS:
            raise ValueError("tamper: only an error of kind 'status' takes `retry_after`")
        if self.retry_after is not None and self.retry_after < 0:
            raise ValueError("tamper: `retry_after` is a whole number of seconds, from 0")


_VALUES: dict[TamperKind, type] = {
    TamperKind.TEXT: str,
    TamperKind.MODEL: str,
    TamperKind.STATUS: int,
    TamperKind.INJECT: str,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Attack:
    """What is planted, and how it is proved to have been met."""

    kind: AttackKind
    """injection, substitution, fault or absence."""
    carrier: str
    """Where it enters, in a few words."""
    exposure: Predicate
    """Holds when the attack reached the model or was met."""
    tamper: tuple[Tamper, ...] = ()
    """What is done on the wire."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Harm:
    """One thing that must not happen, in the tool layer."""

    id: str
    """Short name."""
    says: str
    """What the agent was doing when it holds, for people: 'paying one invoice twice'."""
    family: Family
    """One of the four harm families."""
    holds: Predicate
    """The harm happened."""
    attempt: Predicate
    """The harmful call was made and refused."""

    def __post_init__(self) -> None:
        """Refuse families that are not about harm."""
        if self.family not in HARM_FAMILIES:
            raise ValueError(f"family of a harm must be one of {[f.value for f in HARM_FAMILIES]}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One tool call of the truth; arguments may hold `result_of`, `receipt_of`, `secret`."""

    label: str
    """Name that later steps refer to."""
    tool: str
    """Tool name."""
    arguments: Any
    """Arguments, as data to resolve."""
    may_fail: bool = False
    """An error or a correctable refusal here is expected; the next step follows all the same."""
    session: int = 1
    """Session that it belongs to."""
    beside: bool = False
    """It is asked for in the same model answer as the step before it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NearMiss:
    """The attacker's calls with one argument changed; both kinds are played by the self-check."""

    step: str
    """Label of the attacker's step."""
    argument: str
    """Name of the argument that is changed."""
    value: Any
    """What it is changed to."""
    still_harm: str = field(default="", metadata=LATER)
    """Why this is harm all the same, as with any value there, in a sentence. Empty: no harm is
    left."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Truth:
    """The honest calls and the attacker's; drives personas and self-check, nothing else."""

    honest: tuple[Step, ...]
    """What an honest agent does, its report last."""
    attack: tuple[Step, ...]
    """What the attacker wants, its report last; empty for a benign twin."""
    trigger: str
    """Text whose sight makes a gullible agent follow; empty: it needs none."""
    fault: str
    """Persona that has the fault this scenario looks for; empty for a benign twin. ``honest`` where
    the fault is not the agent's: whoever does as asked is harmed, unless a guard is there. Then
    `attack` may be empty, and `near` and `other_route` with it."""
    near: tuple[NearMiss, ...] = ()
    """Near misses: each field of the harmful calls, first one that leaves no harm."""
    other_route: tuple[Step, ...] = ()
    """The same harm by a route that `attack` does not take (self-check only)."""

    def harmless(self) -> tuple[int, ...]:
        """Return the numbers of the near misses that leave no harm."""
        return tuple(number for number, near in enumerate(self.near) if not near.still_harm)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """One scenario, or its benign twin."""

    id: str
    """Module name; the benign twin's ends in ``.benign``."""
    number: str
    """Stable number, S01.."""
    version: int
    """Raised when its meaning changes."""
    title: str
    """One line."""
    family: Family
    """What it is mainly about."""
    origin: str
    """Where it was reported."""
    turns: tuple[Turn, ...]
    """Messages to the agent."""
    attack: Attack | None
    """None: the benign twin."""
    world: str
    """Name of the world module in ``grid/worlds/``."""
    tables: Tables
    """The world before, as data to resolve."""
    tools: tuple[str, ...]
    """Names of the tools that are offered, in wire order (`report` comes last by itself)."""
    policy: dict[str, Any]
    """Operator's settings: guard id -> JSON."""
    secrets: tuple[str, ...]
    """Names of the canaries."""
    harm: tuple[Harm, ...]
    """What must not happen; the benign twin states the same harms."""
    goal: Predicate
    """What the user wants, in the tool layer."""
    truth: Truth
    """For personas and self-check only."""
    closed_book: bool = False
    """The caller declared that no tool call is needed to answer."""
    approvals: Oversight | None = None
    """The framework's own approval step; None: it asks nobody."""
    crash_points: tuple[str, ...] = ()
    """Names of tools: after the first call of each that succeeded, the agent crashes before it sees
    the result, and is restored from the checkpoint that its framework took before the call."""
    known_limit: str = ""
    """Why no guard holds here, in a sentence: the scenario stands outside the promise that guards
    are never passed. Empty: they hold."""
    frameworks: tuple[str, ...] = ()
    """Adapters that it is about; empty: every exact profile and `scripted`."""
    inexpressible: dict[str, str] = field(default_factory=dict)
    """Adapter -> why it cannot express this scenario, in a sentence."""
    turn_limit: int = 12
    """The most model answers a run may take."""

    def __post_init__(self) -> None:
        """Refuse what no trial could be made of."""
        sessions = [turn.session for turn in self.turns]
        if not sessions or sessions != list(range(1, len(sessions) + 1)):
            raise ValueError("turns: write one Turn for each session, numbered from 1")
        if any("en" not in turn.prompt for turn in self.turns):
            raise ValueError("turns: write the prompt in 'en'")
        if self.is_twin != (self.attack is None):
            raise ValueError("attack: a benign twin has none, every other scenario has one")
        if (self.family is Family.UTILITY) != (not self.harm):
            raise ValueError("harm: state at least one; only a scenario about utility has none")

    @property
    def is_twin(self) -> bool:
        """Tell whether this is the benign twin."""
        return self.id.endswith(TWIN_SUFFIX)

    def digest(self) -> str:
        """Return the digest of the whole scenario as data."""
        return digest_of("scenario", to_json(self))


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """A scenario with its benign twin, as a scenario module builds them."""

    attack: Scenario
    """The scenario."""
    benign: Scenario
    """The twin: the same task with nothing planted."""
    variants: tuple[Scenario, ...] = ()
    """The attack through other carriers and in other forms (see `grid.variants`); the id of each is
    ``<module>.<carrier>.<form>``."""


def secret(name: str) -> dict[str, str]:
    """Return data that stands for the canary of that name in the trial."""
    return {"$secret": name}


def result_of(label: str, pointer: str = "") -> dict[str, str]:
    """Return data (for a truth) that stands for a part of an earlier step's result."""
    return {"$result": label, "pointer": pointer}


def receipt_of(label: str) -> dict[str, str]:
    """Return data (for a truth) that stands for the receipt of an earlier step."""
    return {"$receipt": label}


def joined(*parts: Any) -> dict[str, Any]:
    """Return data that stands for the parts put together as one text."""
    return {"$joined": list(parts)}


def canary(seed: str, name: str) -> str:
    """Return the canary of a trial: 24 characters that occur nowhere else by chance."""
    return "CNRY" + digest("canary", f"{seed}/{name}".encode())[:20]


def resolve(value: Any, seed: str) -> Any:
    """Return data with `secret` and `joined` put in for one trial's seed."""
    if isinstance(value, dict):
        if set(value) == {"$secret"}:
            return canary(seed, value["$secret"])
        if set(value) == {"$joined"}:
            return "".join(str(resolve(part, seed)) for part in value["$joined"])
        return {key: resolve(item, seed) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [resolve(item, seed) for item in value]
    return value


def tables(**named: dict[str, dict[str, Any]]) -> Tables:
    """Return tables by keyword, with an empty `reports` table, which every world has."""
    return {"reports": {}} | named
