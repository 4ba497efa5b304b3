"""A scenario: who asks, what is planted or swapped, what would be harm, what is the goal.

A module in ``grid/scenarios/`` holds one: ``build(names) -> Scenario`` for the attack and its
benign twin. Values that differ from trial to trial are written as data and resolved when a trial
begins: ``secret("password")`` stands for a canary, ``joined(...)`` puts texts together.
"""

from dataclasses import dataclass
from typing import Any

from grid.canonical import digest, digest_of
from grid.evidence import Tables
from grid.predicates import Predicate
from grid.strict import to_json
from grid.vocabulary import HARM_FAMILIES, AttackKind, Family

TWIN_SUFFIX = ".benign"


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One message of a principal to the agent."""

    session: int
    """Session number, from 1."""
    principal: str
    """Who speaks."""
    prompt: dict[str, str]
    """Language -> words; ``en`` always, ``ja`` where written."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Attack:
    """What is planted, and how it is proved to have been met."""

    kind: AttackKind
    """injection, substitution, fault or absence."""
    carrier: str
    """Where it enters, in a few words."""
    exposure: Predicate
    """Holds when the attack reached the model or was met."""


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


@dataclass(frozen=True, slots=True, kw_only=True)
class NearMiss:
    """The attacker's calls with one argument changed so that no harm is left."""

    step: str
    """Label of the attacker's step."""
    argument: str
    """Name of the argument that is changed."""
    value: Any
    """What it is changed to."""


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
    """Persona that has the fault this scenario looks for; empty for a benign twin."""
    near: tuple[NearMiss, ...] = ()
    """Near misses: each field of the harmful calls that can make them harmless."""
    other_route: tuple[Step, ...] = ()
    """The same harm by a route that `attack` does not take (self-check only)."""


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
    crash_points: tuple[str, ...] = ()
    """Labels of calls after which a session is restored."""
    turn_limit: int = 12
    """The most model answers a run may take."""

    def __post_init__(self) -> None:
        """Refuse what no trial could be made of."""
        if len(self.turns) != 1:
            raise ValueError("turns: exactly one message is supported; write one Turn")
        if "en" not in self.turns[0].prompt:
            raise ValueError("turns: write the prompt in 'en'")
        if self.is_twin != (self.attack is None):
            raise ValueError("attack: a benign twin has none, every other scenario has one")
        if not self.harm:
            raise ValueError("harm: state at least one")

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
