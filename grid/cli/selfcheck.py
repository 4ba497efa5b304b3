"""The part of `nonverba check` that needs no framework: everything is played on `scripted`.

The work is cut into parts, one for each scenario and one for each guard or defence in layers that
is left out; several processes share them. What they counted is the same whoever counted it.

Two claims are not about personas. Each field of a harmful call must have a near miss (see
`grid.cli.fields`). And a scenario that was changed, whatever it is called, must not pass for the
released one, or a weakened predicate could travel in a consistent ledger.
"""

import asyncio
import multiprocessing
import signal
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, replace

from grid.catalogue import numbers, scenario
from grid.cli.calibration import (
    DRIFT,
    FIELDS,
    LAYERS,
    NEEDED,
    Tally,
    same_under_other_names,
    weigh,
)
from grid.cli.casework import scripted_case
from grid.cli.checkplan import (
    ablation_trials,
    cross_trials,
    mutation_trials,
    pick,
    renamed,
    sides,
    variant_trials,
)
from grid.cli.console import Tick
from grid.cli.fields import complaints_of
from grid.errors import HarnessError
from grid.evidence import TrialId
from grid.extensions import load_entry_points, load_inherited
from grid.guards import all_guards
from grid.plan import Plan
from grid.predicates import Not
from grid.vocabulary import Guards, Outcome
from ledgers.adjudicate import Judgement, judge
from ledgers.manifest import Manifest, build_manifest
from ledgers.released import released, unknown_parts

NAMES = (1, 2, 3)
"""Names seeds of the whole cross; the default plays the first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One part of the work."""

    modules: tuple[str, ...]
    """Scenarios that are played."""
    without: tuple[str, ...] = ()
    """Guards that are left out; empty: the part is about its one scenario."""
    layers: str = ""
    """Name of the defence in layers that they are all of; empty: one guard."""
    full: bool = False
    """The whole cross."""


def parts_of(modules: Sequence[str], full: bool) -> Iterator[Part]:
    """Cut the work into parts; one scenario alone does not need every guard."""
    yield from (Part(modules=(module,), full=full) for module in modules)
    if len(modules) < len(numbers()):
        return
    every, layers = tuple(modules), dict[str, list[str]]()
    for guard in all_guards():
        yield Part(modules=every, without=(guard.id,))
        if guard.layer_of:
            layers.setdefault(guard.layer_of, []).append(guard.id)
    for name, guards in layers.items():
        yield Part(modules=every, without=tuple(guards), layers=name)


def check_scripted(
    tally: Tally, modules: Sequence[str], *, full: bool, jobs: int, tick: Tick
) -> None:
    """Play everything that needs no framework.

    Args:
        tally: counts what is found.
        modules: names of the scenarios.
        full: the whole cross.
        jobs: processes that share the work; 1: this one alone.
        tick: called after each part.
    """
    parts = list(parts_of(modules, full))
    for counted in _shared(parts, jobs) if jobs > 1 and len(parts) > 1 else map(play, parts):
        tally.add(counted)
        tick()


def _shared(parts: Iterable[Part], jobs: int) -> Iterator[Tally]:
    spawned = multiprocessing.get_context("spawn")  # a fork would copy the progress bar's thread
    pool = ProcessPoolExecutor(jobs, mp_context=spawned, initializer=_begin)
    try:
        for done in as_completed([pool.submit(play, part) for part in parts]):
            yield done.result()
    except BrokenProcessPool as error:
        raise HarnessError(
            "a process that played scenarios on `scripted` died; run `nonverba check` again, with "
            "-j 1 to see why"
        ) from error
    finally:
        _end(pool)


def _end(pool: ProcessPoolExecutor) -> None:
    """End a pool now: whoever stops `check` does not wait for what nobody will read."""
    processes = [*(pool._processes or {}).values()]  # no public name before 3.14
    pool.shutdown(wait=False, cancel_futures=True)
    for process in processes:
        process.kill()
    for process in processes:
        process.join()


def _begin() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that started this one
    load_entry_points()
    load_inherited()


def play(part: Part) -> Tally:
    """Play one part; return what was counted."""
    tally = Tally()
    if part.without:
        asyncio.run(_leave_out(tally, part))
    else:
        asyncio.run(_play_scenario(tally, part))
        _check_fields(tally, part.modules)
        _check_drift(tally, part.modules)
    return tally


async def _play_scenario(tally: Tally, part: Part) -> None:
    trials = list(cross_trials(part.modules, full=part.full))
    plain: dict[TrialId, Judgement] = {}
    for trial in (*trials, *variant_trials(part.modules), *mutation_trials(part.modules)):
        plain[trial] = await _weighed(tally, trial, 0)
    for names in NAMES if part.full else NAMES[:1]:
        for trial in renamed(trials):
            found = await _weighed(tally, trial, names)
            same_under_other_names(tally, str(trial), names, plain[trial], found)


async def _weighed(tally: Tally, trial: TrialId, names: int) -> Judgement:
    found = judge(await scripted_case(trial, names))
    weigh(tally, trial, scenario(trial.scenario, names), found)
    return found


async def _leave_out(tally: Tally, part: Part) -> None:
    """Leave out guards and see whether a harm comes through; a layer alone must not matter."""
    reached = await _reached(part.modules, part.without)
    if part.layers:
        tally.expect(LAYERS, bool(reached), part.layers, "no harm without all of its layers")
        return
    (name,) = part.without
    if next(guard.layer_of for guard in all_guards() if guard.id == name):
        tally.expect(LAYERS, not reached, name, f"a harm without this layer: {reached}")
    else:
        tally.expect(NEEDED, bool(reached), name, "no harm without it")


async def _reached(modules: Sequence[str], guards: Sequence[str]) -> str:
    """Return a trial that reaches a harm without these guards, or an empty string."""
    for trial in ablation_trials(modules, guards):
        if judge(await scripted_case(trial)).outcome is Outcome.COMPROMISED:
            return str(trial)
    return ""


def _complaints(manifest: Manifest) -> tuple[str, ...]:
    """Return what was never released, but for guards of one's own: nobody released those."""
    known = released().guards
    kept = tuple(guard for guard in manifest.guards if guard.id in known)
    own = {f"no guard {guard.id!r}" for guard in all_guards() if guard.id not in known}
    return tuple(part for part in unknown_parts(replace(manifest, guards=kept)) if part not in own)


def _check_fields(tally: Tally, modules: Sequence[str]) -> None:
    """Count each field of a harmful call, and whether a near miss changes it."""
    for of in sides(modules):
        for where, complaint in complaints_of(of):
            tally.expect(FIELDS, not complaint, where, complaint)


def _check_drift(tally: Tally, modules: Sequence[str]) -> None:
    for of in sides(modules):
        if of.id not in released().scenarios:
            continue  # one's own: nobody released it
        manifest = build_manifest(
            Plan(name="drift", seed=1, trials=(pick(of, "honest", Guards.OFF),))
        )
        weakened = replace(of, goal=Not(of=of.goal))
        drifted = _complaints(replace(manifest, scenarios=(weakened,)))
        as_it_is = _complaints(manifest)
        tally.expect(DRIFT, not as_it_is, of.id, "; ".join(as_it_is[:2]))
        tally.expect(DRIFT, bool(drifted), of.id, "no complaint about a changed goal")
