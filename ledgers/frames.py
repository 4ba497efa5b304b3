"""Finished runs as one pandas DataFrame: a row per trial and rule, in ledger order.

    import ledgers
    frame = ledgers.frame("runs/demo")
    trials = frame.drop_duplicates(ledgers.TRIAL)

Words and counts come from the ledger, calls from the evidence, tokens from the recordings, times
from ``timings.jsonl``; nothing is judged again and nothing is estimated. Packs are read one trial
at a time, so memory grows with the rows alone. Every trial has at least one row: one that no rule
spoke of stands there with `rule` missing, so what failed never leaves the denominator unseen.

What a column does not hold is missing (``pandas.NA``), never 0 and never an empty word, but for
`claimed`, whose empty word is a word: no report was made. Texts are as they were recorded, and may
be hostile: escape them where you show them.

pandas is imported when a frame is made; it is part of the extra ``stats``.
"""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from grid.canonical import load_json
from grid.errors import CanonicalError, ConfigError, StrictError
from grid.scenario import TWIN_SUFFIX
from ledgers.entries import TrialEntry
from ledgers.packs import INDEX, Frame, Pack, read_frame, read_index
from ledgers.reading import SealedRun, frames_by_trial
from ledgers.store import TIMINGS, read_timings
from ledgers.usage import usage_of
from proxy.wire.exchange import read_exchanges

if TYPE_CHECKING:
    import pandas as pd  # type: ignore[import-untyped]

type RunLike = str | Path | SealedRun

TRIAL: Final = (
    "head",
    "scenario",
    "framework",
    "model",
    "clause",
    "guards",
    "language",
    "trial",
)
"""Columns that name one trial among all runs."""

DTYPES: Final[Mapping[str, str]] = {
    "scenario": "category",
    "number": "category",
    "case": "category",
    "framework": "category",
    "model": "category",
    "clause": "category",
    "guards": "category",
    "language": "category",
    "trial": "Int64",
    "outcome": "category",
    "rule": "category",
    "rule_version": "Int64",
    "family": "category",
    "verdict": "category",
    "cause": "category",
    "reason": "string",
    "utility": "category",
    "alarm": "category",
    "claim": "category",
    "exposed": "boolean",
    "proposed": "boolean",
    "executed": "boolean",
    "delivered": "boolean",
    "claimed": "category",
    "status": "category",
    "calls": "Int64",
    "requests": "Int64",
    "input_tokens": "Int64",
    "output_tokens": "Int64",
    "latency_ms": "Int64",
    "model_ms": "Float64",
    "seed": "string",
    "evidence": "string",
    "head": "category",
}
"""Column -> dtype, in column order; the same for every run, whatever it holds."""


COLUMNS: Final = """
=============  ========  ======================================================================
column         dtype     meaning
=============  ========  ======================================================================
scenario       category  scenario id; a twin's ends in ``.benign``
number         category  the scenario's number, such as ``S02``
case           category  ``attack`` or ``benign`` (the twin)
framework      category  adapter; ``scripted`` has no wire and is never pooled with the others
model          category  model id
clause         category  clause id
guards         category  guard setting
language       category  ``en`` or ``ja``
trial          Int64     repetition of the cell, from 0
outcome        category  the trial's outcome, that of its worst harm rule; missing for a twin
rule           category  rule id; missing if no rule spoke
rule_version   Int64     its version
family         category  what the rule looks at
verdict        category  what the rule says, in a word of its family
cause          category  who is answerable for what the rule found; missing if nothing is
reason         string    the rule's first reason
utility        category  whether the goal holds: ``done``, ``not_done``, ``invalid``
alarm          category  on a twin, ``quiet``, ``alarm`` or ``invalid``; missing elsewhere
claim          category  what the agent's report is worth: ``none``, ``supported``, ``false``,
                         ``invalid``
exposed        boolean   the attack was met
proposed       boolean   the agent asked for the harmful call
executed       boolean   a harmful call ran
delivered      boolean   its effect arrived
claimed        category  status word of the last report; empty for no report
status         category  how the trial's run ended
calls          Int64     tool calls in the journal, ``report`` and refused ones among them
requests       Int64     requests that the agent's side sent to the model, failed ones among
                         them; missing without a wire
input_tokens   Int64     tokens that the model read, as the provider counted them; missing
                         unless it said so for every request of the trial
output_tokens  Int64     tokens that it wrote, in the same way
latency_ms     Int64     milliseconds of wall time of the trial in its worker, from building
                         the world to the last session's end: model, tools and framework
                         together; waiting for a worker is not in it
model_ms       Float64   milliseconds between each request's arrival at the proxy and the end of
                         its answer, summed over the requests; missing if one has no end. Those
                         of requests made at once count in full
seed           string    seed of the trial, hex
evidence       string    digest of its evidence
head           category  head of the run
=============  ========  ======================================================================

The columns up to `trial`, `outcome`, and all from `utility` on are of the trial, and the same
in each of its rows: count trials after ``drop_duplicates(ledgers.TRIAL)``.

`latency_ms` and `model_ms` are outside the head: nothing vouches for them.
"""
"""What each column means; the end of the docstring of `frame`."""


def frame(runs: RunLike | Iterable[RunLike]) -> "pd.DataFrame":
    """Return finished runs as a DataFrame, one row per trial and rule.

    What the columns mean stands below.

    Args:
        runs: a run directory, or a `SealedRun`, or several of them.

    Raises:
        ConfigError: there is no finished run, it cannot be read, one stands there twice, or pandas
            is not installed.
    """
    columns: dict[str, list[Any]] = {name: [] for name in DTYPES}
    heads: dict[str, Path] = {}
    for run in _each(runs):
        if run.head.head in heads:
            raise ConfigError(
                f"{heads[run.head.head]} and {run.path} have the same head: they are one run, and "
                "its trials would be counted twice; name one of them"
            )
        heads[run.head.head] = run.path
        for entry, of_trial in zip(run.trials, trial_facts(run), strict=True):
            for of_rule in _of_rules(entry):
                for name, values in columns.items():
                    values.append(of_rule[name] if name in of_rule else of_trial[name])
    return _typed(columns)


frame.__doc__ = f"{frame.__doc__}\n{COLUMNS}"


def _each(runs: RunLike | Iterable[RunLike]) -> Iterator[SealedRun]:
    named = (runs,) if isinstance(runs, str | Path | SealedRun) else tuple(runs)
    if not named:
        raise ConfigError("name at least one run directory")
    for run in named:
        yield run if isinstance(run, SealedRun) else SealedRun(Path(run))


def _typed(columns: Mapping[str, list[Any]]) -> "pd.DataFrame":
    """Return the columns with their dtypes; categories are the words that are there, sorted."""
    try:
        import pandas as pd
    except ImportError as error:
        raise ConfigError(
            f"a frame needs {error.name or 'pandas, with all below it'}, which is not installed; "
            "install nonverba[stats]"
        ) from error
    made: dict[str, Any] = {}
    for name, values in columns.items():
        dtype: Any = DTYPES[name]
        if dtype == "category":
            words = sorted({value for value in values if value is not None})
            dtype = pd.CategoricalDtype(pd.Index(words, dtype=str))
        made[name] = pd.array(values, dtype=dtype)
    return pd.DataFrame(made)


def trial_facts(run: SealedRun) -> Iterator[dict[str, Any]]:
    """Yield what a frame says of each trial, in ledger order; pandas is not needed for it.

    Raises:
        ConfigError: the run cannot be read.
    """
    try:
        timings = _timings(run.path / TIMINGS)
        frames = frames_by_trial(read_index((run.path / INDEX).read_bytes()))
        numbers = {item.id: item.number for item in run.manifest.scenarios}
        for entry in run.trials:
            name = str(entry.trial)
            of_trial = _of_trial(entry, numbers, run.head.head)
            of_trial |= _counted(run.path, frames.get(name, {}), name)
            of_trial |= _times(timings.get(name, {}), of_trial["requests"])
            yield of_trial
    except (CanonicalError, StrictError, OSError) as error:
        raise ConfigError(
            f"the run in {run.path} cannot be read: {error}; `nonverba verify` names the step"
        ) from error


def _timings(path: Path) -> dict[str, dict[str, Any]]:
    return read_timings(path.read_bytes()) if path.is_file() else {}


def _of_trial(entry: TrialEntry, numbers: Mapping[str, str], head: str) -> dict[str, Any]:
    trial, funnel = entry.trial, entry.funnel
    return {
        "scenario": trial.scenario,
        "number": numbers.get(trial.scenario),
        "case": "benign" if trial.scenario.endswith(TWIN_SUFFIX) else "attack",
        "framework": trial.framework,
        "model": trial.model,
        "clause": trial.clause,
        "guards": trial.guards,
        "language": trial.language,
        "trial": trial.number,
        "outcome": _word(entry.outcome),
        "utility": _word(entry.utility),
        "alarm": _word(entry.alarm),
        "claim": _word(entry.claim),
        "exposed": funnel.exposed,
        "proposed": funnel.proposed,
        "executed": funnel.executed,
        "delivered": funnel.delivered,
        "claimed": funnel.claimed,
        "status": _word(entry.status),
        "requests": entry.recording.count if entry.recording else None,
        "seed": entry.seed,
        "evidence": entry.evidence,
        "head": head,
    }


def _word(word: Any) -> str | None:
    return None if word is None else str(word)


def _of_rules(entry: TrialEntry) -> list[dict[str, Any]]:
    silent = dict.fromkeys(("rule", "rule_version", "family", "verdict", "cause", "reason"))
    return [
        {
            "rule": verdict.rule,
            "rule_version": verdict.rule_version,
            "family": _word(verdict.family),
            "verdict": verdict.outcome,
            "cause": _word(verdict.cause),
            "reason": verdict.reasons[0] if verdict.reasons else None,
        }
        for verdict in entry.verdicts
    ] or [silent]


def _counted(folder: Path, frames: Mapping[Pack, Frame], trial: str) -> dict[str, int | None]:
    """Return what is counted in the packs; the whole evidence is read strictly by `verify`."""
    if Pack.EVIDENCE not in frames:
        raise StrictError(f"{INDEX}: {trial!r} is without evidence")
    evidence = load_json(read_frame(folder, frames[Pack.EVIDENCE]))
    match evidence:
        case {"journal": {"calls": list(calls)}}:
            found: dict[str, int | None] = {"calls": len(calls)}
        case _:
            raise StrictError(f"the evidence of {trial!r} holds no calls")
    if Pack.RECORDING not in frames:
        return found | {"input_tokens": None, "output_tokens": None}
    usage = usage_of(read_exchanges(read_frame(folder, frames[Pack.RECORDING])))
    return found | {"input_tokens": usage.input_tokens, "output_tokens": usage.output_tokens}


def _times(timing: Mapping[str, Any], requests: int | None) -> dict[str, Any]:
    wall = timing.get("wall_ms")
    return {
        "latency_ms": wall if type(wall) is int and wall >= 0 else None,
        "model_ms": _waited(timing.get("exchanges"), requests),
    }


def _waited(exchanges: Any, requests: int | None) -> float | None:
    """Return how long answers took, together; None if that is not known of every request."""
    if not isinstance(exchanges, list) or len(exchanges) != requests:
        return None
    total = 0.0
    for item in exchanges:
        match item:
            case [int() | float() as asked, _, int() | float() as ended] if ended >= asked:
                total += ended - asked
            case _:
                return None
    return round(total, 3)
