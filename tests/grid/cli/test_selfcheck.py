"""The part of `check` that needs no framework: guards left out, layers, scenarios that drifted."""

import asyncio
import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Sequence
from dataclasses import replace
from unittest.mock import patch

import pytest

from grid.catalogue import numbers, pair
from grid.cli import checkplan, selfcheck
from grid.cli.calibration import DRIFT, FIELDS, LAYERS, NEEDED, Tally
from grid.errors import HarnessError
from grid.guard import Guard
from grid.guards import all_guards
from ledgers.released import Released, released


def guard(identity: str, layer: str = "") -> Guard:
    return Guard(id=identity, summary="A guard.", layer_of=layer)


def weighed(guards: tuple[Guard, ...], harmful: set[frozenset[str]]) -> Tally:
    """Check guards of which a harm is reached exactly without these sets of them."""

    async def reached(_modules: object, names: Sequence[str]) -> str:
        return "a trial" if frozenset(names) in harmful else ""

    tally = Tally()
    with (
        patch.object(selfcheck, "all_guards", lambda: guards),
        patch.object(selfcheck, "_reached", reached),
    ):
        for part in selfcheck.parts_of(list(numbers().values()), full=False):
            if part.without:
                tally.add(selfcheck.play(part))
    return tally


def test_a_guard_without_which_nothing_is_reached_is_named() -> None:
    tally = weighed((guard("idle"), guard("needed")), {frozenset({"needed"})})
    assert tally.tried[NEEDED] == 2
    assert tally.failed[NEEDED] == ["idle: found no harm without it"]


def test_layers_hold_singly_and_break_together() -> None:
    layers = (guard("one", "wall"), guard("two", "wall"))
    assert not weighed(layers, {frozenset({"one", "two"})}).failed
    thin = weighed(layers, {frozenset({"one"}), frozenset({"one", "two"})})
    assert thin.failed[LAYERS] == ["one: found a harm without this layer: a trial"]
    useless = weighed(layers, set())
    assert useless.failed[LAYERS] == ["wall: found no harm without all of its layers"]


def test_one_scenario_alone_does_not_need_every_guard() -> None:
    parts = list(selfcheck.parts_of(["moon_for_mars"], full=False))
    assert [part.without for part in parts] == [()]


@pytest.mark.parametrize("missing", ["node_presence", "terminal_refusal"])
def test_leaving_out_a_guard_that_is_needed_reaches_a_harm(missing: str) -> None:
    assert missing in {one.id for one in all_guards()}
    every = list(numbers().values())
    assert asyncio.run(selfcheck._reached(every, [missing]))


def test_a_scenario_that_the_released_list_does_not_know_is_noticed() -> None:
    tally = Tally()
    selfcheck._check_drift(tally, ["moon_for_mars"])
    assert (tally.tried[DRIFT], tally.failed) == (4, {})
    listed = released()
    other = listed.scenarios | {"moon_for_mars": {"1": "0" * 64}}
    stale: Released = replace(listed, scenarios=other)
    tally = Tally()
    with patch("ledgers.released.released", lambda: stale):
        selfcheck._check_drift(tally, ["moon_for_mars"])
    assert tally.failed[DRIFT][0].startswith("moon_for_mars: found scenario 'moon_for_mars'")


def test_a_field_without_a_near_miss_is_named_and_the_others_hold() -> None:
    built = pair("model_made_key")
    truth = built.attack.truth
    kept = tuple(near for near in truth.near if near.argument != "invoice")
    bad = replace(built, attack=replace(built.attack, truth=replace(truth, near=kept)))
    whole, holed = Tally(), Tally()
    selfcheck._check_fields(whole, ["model_made_key"])
    with patch.object(checkplan, "pair", lambda _module: bad):
        selfcheck._check_fields(holed, ["model_made_key"])
    assert (whole.failed, whole.tried[FIELDS]) == ({}, 5)
    (sentence,) = holed.failed[FIELDS]
    assert sentence.startswith("S26 model_made_key, call 'again' of pay, field 'invoice': found no")


def test_a_guard_of_ones_own_is_no_drift() -> None:
    own = guard("my_own")
    more = (*all_guards(), own)
    tally = Tally()
    with (
        patch.object(selfcheck, "all_guards", lambda: more),
        patch("ledgers.manifest.all_guards", lambda: more),
        patch("ledgers.released.all_guards", lambda: more),
    ):
        selfcheck._check_drift(tally, ["moon_for_mars"])
    assert (tally.tried[DRIFT], tally.failed) == (4, {})


def test_ones_own_scenario_was_released_by_nobody() -> None:
    listed = replace(released(), scenarios={})
    tally = Tally()
    with patch.object(selfcheck, "released", lambda: listed):
        selfcheck._check_drift(tally, ["moon_for_mars"])
    assert not tally.tried


def test_several_processes_count_what_one_counts() -> None:
    alone, shared = Tally(), Tally()
    with patch.object(selfcheck, "parts_of", lambda *_: iter(PARTS)):
        selfcheck.check_scripted(alone, [], full=False, jobs=1, tick=lambda: None)
        selfcheck.check_scripted(shared, [], full=False, jobs=2, tick=lambda: None)
    assert alone.tried
    assert (shared.tried, shared.failed) == (alone.tried, alone.failed)


PARTS = tuple(
    selfcheck.Part(modules=("moon_for_mars",), without=(guard,))
    for guard in ("node_presence", "terminal_refusal")
)


def kill_one(of: selfcheck.Part) -> Tally:
    """Stand in for `play` in a process of the pool, which dies of it."""
    os._exit(9 if of else 0)


def take_long(_of: selfcheck.Part) -> Tally:
    """Stand in for `play` in a process of the pool."""
    time.sleep(60)
    return Tally()


def test_a_process_that_dies_stops_the_check_with_a_sentence() -> None:
    with (
        patch.object(selfcheck, "play", kill_one),
        pytest.raises(HarnessError, match=r"a process that played scenarios .* died"),
    ):
        list(selfcheck._shared(PARTS, 2))


def test_a_check_that_is_stopped_does_not_wait_for_its_processes() -> None:
    begun = time.monotonic()
    stopper = threading.Timer(2.0, os.kill, (os.getpid(), signal.SIGINT))
    with patch.object(selfcheck, "play", take_long):
        stopper.start()
        with pytest.raises(KeyboardInterrupt):
            list(selfcheck._shared(PARTS, 2))
    assert time.monotonic() - begun < 20
    assert not [child for child in multiprocessing.active_children() if child.is_alive()]
