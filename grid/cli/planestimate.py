"""How much a grid will ask of each model: calls, tokens, time and money, as far as evidence tells.

Nothing is guessed. Calls and tokens come from the scenarios, played once each (see
`grid.cli.planfootprint`), or from the means of a finished run (`grid.cli.planlike`). A
deterministic persona does what it does; any other model is somewhere between the agent that is
honest and the one that has the fault that the scenario looks for, so both are played and the
estimate is a span. What no evidence tells is None.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from grid.adapters import SCRIPTED
from grid.cast import PREFIX
from grid.catalogue import HONEST, scenario, tools_of
from grid.clauses import clause_for
from grid.cli.planfootprint import Footprint, footprint, played
from grid.cli.planlike import Like
from grid.cli.planprices import Price
from grid.evidence import Journal, TrialId
from grid.models import is_sampled
from grid.plan import Plan
from grid.system import BASE


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """A quantity, from the least to the most that is expected."""

    low: float
    """Least."""
    high: float
    """Most; the same where there is one number."""

    def plus(self, other: "Span") -> "Span":
        """Return the sum of both."""
        return Span(low=self.low + other.low, high=self.high + other.high)

    def times(self, factor: float) -> "Span":
        """Return a multiple."""
        return Span(low=self.low * factor, high=self.high * factor)


NOTHING = Span(low=0.0, high=0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """What some trials take; None stands for what no evidence tells."""

    calls: Span | None
    """Requests to the model."""
    input_tokens: Span | None
    """Tokens that it reads."""
    output_tokens: Span | None
    """Tokens that it writes."""
    seconds: Span | None
    """Time of the trials, one after another."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelPlan:
    """What one model of a grid is asked."""

    model: str
    """Model id."""
    cells: int
    """Cells."""
    trials: int
    """Trials."""
    wired: int
    """Trials in which the model is asked over a wire: all but those of the framework `scripted`."""
    work: Work
    """What they take."""
    wall: Span | None
    """Seconds until the last one is done, with the workers of the plan."""
    cost: Span | None
    """Money; None without a price."""
    currency: str
    """Of the cost; empty without a price."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Basis:
    """What the estimates rest on."""

    like: Like | None = None
    """A finished run; None: the scenarios are played."""
    seconds_per_call: float | None = None
    """Seconds of one model call, as the user says; None: they are not known."""
    jobs: int = 2
    """Workers."""
    prices: Mapping[str, Price] | None = None
    """Prices by model."""


def model_plans(plan: Plan, basis: Basis) -> tuple[ModelPlan, ...]:
    """Return what each model of a plan is asked, in the order in which they stand there."""
    by_model: dict[str, list[TrialId]] = {}
    for trial in plan.trials:
        by_model.setdefault(trial.model, []).append(trial)
    return tuple(_model_plan(plan, model, found, basis) for model, found in by_model.items())


def groups_used(plan: Plan, like: Like) -> Counter[int]:
    """Return how many of a plan's trials rest on each group of a run's trials (see `planlike`)."""
    found = (like.mean(trial, "requests") for trial in _wired(plan.trials))
    return Counter(mean.group for mean in found if mean is not None)


def _wired(trials: Iterable[TrialId]) -> list[TrialId]:
    return [trial for trial in trials if trial.framework != SCRIPTED]


def _model_plan(plan: Plan, model: str, trials: Sequence[TrialId], basis: Basis) -> ModelPlan:
    wired = _wired(trials)
    of_trial = _Scenarios(plan).work if basis.like is None else partial(_as_in, basis.like)
    work = _timed(_summed(map(of_trial, wired)), basis)
    workers = max(1, min(basis.jobs, len(trials)))
    price = (basis.prices or {}).get(model)
    return ModelPlan(
        model=model,
        cells=len({str(trial).rpartition("/")[0] for trial in trials}),
        trials=len(trials),
        wired=len(wired),
        work=work,
        wall=None if work.seconds is None else work.seconds.times(1 / workers),
        cost=_cost(work, price),
        currency=price.currency if price else "",
    )


def _summed(parts: Iterable[Work]) -> Work:
    total = Work(calls=NOTHING, input_tokens=NOTHING, output_tokens=NOTHING, seconds=NOTHING)
    for part, count in Counter(parts).items():  # most trials take what others of their cell take
        total = Work(
            calls=_sum(total.calls, part.calls, count),
            input_tokens=_sum(total.input_tokens, part.input_tokens, count),
            output_tokens=_sum(total.output_tokens, part.output_tokens, count),
            seconds=_sum(total.seconds, part.seconds, count),
        )
    return total


def _sum(total: Span | None, part: Span | None, count: int) -> Span | None:
    return None if total is None or part is None else total.plus(part.times(count))


def _timed(work: Work, basis: Basis) -> Work:
    """Put the user's seconds in place of those that the evidence tells."""
    seconds = basis.seconds_per_call
    if seconds is None:
        return work
    return Work(
        calls=work.calls,
        input_tokens=work.input_tokens,
        output_tokens=work.output_tokens,
        seconds=None if work.calls is None else work.calls.times(seconds),
    )


def _cost(work: Work, price: Price | None) -> Span | None:
    read, written = work.input_tokens, work.output_tokens
    if price is None or read is None or written is None:
        return None
    return Span(low=price.cost(read.low, written.low), high=price.cost(read.high, written.high))


# --- from the scenarios ---------------------------------------------------------------------------


def personas_for(trial: TrialId) -> tuple[str, ...]:
    """Return who is played for a trial: the persona itself, or the honest and the faulty one."""
    if trial.model.startswith(PREFIX) and not is_sampled(trial.model):
        return (trial.model.removeprefix(PREFIX),)
    return tuple(dict.fromkeys((HONEST, scenario(trial.scenario).truth.fault or HONEST)))


class _Scenarios:
    """The scenarios of a plan, each played once for each agent and language."""

    def __init__(self, plan: Plan) -> None:
        """Keep what the plan plants in every trial."""
        self._tamper = plan.tamper
        self._journals: dict[tuple[str, str, str], Journal] = {}
        self._work: dict[tuple[str, str, str, tuple[str, ...]], Work] = {}

    def work(self, trial: TrialId) -> Work:
        """Return what one trial takes."""
        who = personas_for(trial)
        key = (trial.scenario, trial.language, trial.clause, who)
        if key not in self._work:
            self._work[key] = self._measured(trial, who)
        return self._work[key]

    def _measured(self, trial: TrialId, who: Sequence[str]) -> Work:
        system = clause_for(trial.clause, trial.language).system_text(BASE[trial.language])
        tools = tools_of(scenario(trial.scenario))
        found = [footprint(self._journal(trial, one), tools, system) for one in who]
        return Work(
            calls=_span(found, lambda one: one.calls),
            input_tokens=_span(found, lambda one: one.input_tokens),
            output_tokens=_span(found, lambda one: one.output_tokens),
            seconds=None,
        )

    def _journal(self, trial: TrialId, persona: str) -> Journal:
        key = (trial.scenario, trial.language, persona)
        if key not in self._journals:
            self._journals[key] = played(*key, self._tamper)
        return self._journals[key]


def _span(found: Sequence[Footprint], of: Callable[[Footprint], float]) -> Span:
    values = [of(one) for one in found]
    return Span(low=min(values), high=max(values))


# --- from a run -----------------------------------------------------------------------------------


def _as_in(like: Like, trial: TrialId) -> Work:
    return Work(
        calls=_mean(like, trial, "requests"),
        input_tokens=_mean(like, trial, "input_tokens"),
        output_tokens=_mean(like, trial, "output_tokens"),
        seconds=_mean(like, trial, "latency_ms", 0.001),
    )


def _mean(like: Like, trial: TrialId, name: str, unit: float = 1.0) -> Span | None:
    found = like.mean(trial, name)
    return None if found is None else Span(low=found.value, high=found.value).times(unit)
