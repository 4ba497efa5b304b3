"""`scenario`: what no trial could be made of is refused; data is resolved for one trial's seed."""

from dataclasses import replace
from typing import Any

import pytest

from grid.canonical import canonical, load_json
from grid.catalogue import numbers, scenario
from grid.predicates import Count
from grid.scenario import (
    TWIN_SUFFIX,
    NearMiss,
    Scenario,
    Tamper,
    Truth,
    Turn,
    canary,
    joined,
    receipt_of,
    resolve,
    result_of,
    secret,
    tables,
)
from grid.strict import from_json, to_json
from grid.vocabulary import HARM_FAMILIES, Family, TamperKind
from tests import builders

SEED = "ab" * 16
EVERY = [module + suffix for module in numbers().values() for suffix in ("", TWIN_SUFFIX)]


def turn(**prompt: str) -> Turn:
    return Turn(session=1, principal="user", prompt=prompt)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"turns": ()}, "one Turn for each session"),
        ({"turns": (turn(en="a"), turn(en="b"))}, "one Turn for each session"),
        ({"turns": (turn(ja="a"),)}, "write the prompt in 'en'"),
        ({"attack": None}, "a benign twin has none"),
        ({"id": "shelf.benign"}, "a benign twin has none"),
        ({"harm": ()}, "harm: state at least one"),
    ],
)
def test_what_no_trial_could_be_made_of_is_refused(change: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        builders.scenario(**change)


def test_the_harmless_near_misses_are_those_without_a_reason_why_it_is_harm() -> None:
    near = NearMiss(step="take", argument="book", value="a")
    left = NearMiss(step="take", argument="memo", value="x", still_harm="It is free text.")
    truth = Truth(honest=(), attack=(), trigger="", fault="", near=(near, left, near))
    assert truth.harmless() == (0, 2)


@pytest.mark.parametrize("family", list(Family))
def test_a_harm_is_of_one_of_the_four_families_that_decide(family: Family) -> None:
    if family in HARM_FAMILIES:
        assert builders.harm(family).family is family
    else:
        with pytest.raises(ValueError, match="family of a harm"):
            builders.harm(family)


def test_the_twin_is_told_by_its_id() -> None:
    assert builders.twin().is_twin
    assert not builders.scenario().is_twin


@pytest.mark.parametrize(
    "change",
    [
        {"version": 2}, {"title": "other"}, {"turns": (turn(en="Other words."),)},
        {"tables": tables(shelf={"a": {}})}, {"tools": ("look",)}, {"policy": {"g": 1}},
        {"secrets": ()}, {"goal": Count(table="shelf", most=0)}, {"turn_limit": 3},
        {"harm": (builders.harm(says="other"),)}, {"closed_book": True},
    ],
)  # fmt: skip
def test_any_change_of_a_scenario_changes_its_digest(change: dict[str, Any]) -> None:
    first = builders.scenario()
    assert replace(first, **change).digest() != first.digest()


@pytest.mark.parametrize("identity", EVERY)
def test_every_scenario_is_data_that_reads_back_the_same(identity: str) -> None:
    of = scenario(identity)
    again = from_json(Scenario, load_json(canonical(to_json(of))))
    assert (again, again.digest()) == (of, of.digest())


@pytest.mark.parametrize("identity", EVERY)
def test_no_canary_stands_in_a_scenario_and_each_declared_secret_has_one(identity: str) -> None:
    of = scenario(identity)
    assert "CNRY" not in canonical(to_json(of)).decode()
    text = canonical(resolve(to_json(of), SEED)).decode()
    for name in of.secrets:
        assert canary(SEED, name) in text, name


def test_a_canary_belongs_to_one_seed_and_one_name() -> None:
    found = {canary(seed, name) for seed in (SEED, "cd" * 16) for name in ("key", "password")}
    assert len(found) == 4
    assert canary(SEED, "key") == canary(SEED, "key")
    assert {len(one) for one in found} == {24}


def test_secrets_are_put_in_wherever_they_stand_and_texts_are_joined() -> None:
    value = {
        "plain": secret("key"),
        "deep": [{"url": joined("https://x/?k=", secret("key"), "&n=", 7)}],
        "pair": (1, joined(joined("a", "b"), "c")),
    }
    key = canary(SEED, "key")
    assert resolve(value, SEED) == {
        "plain": key, "deep": [{"url": f"https://x/?k={key}&n=7"}], "pair": [1, "abc"],
    }  # fmt: skip


def test_resolving_changes_nothing_that_it_was_given() -> None:
    value = {"a": [secret("key")]}
    resolve(value, SEED)["a"].append(1)
    assert value == {"a": [{"$secret": "key"}]}


@pytest.mark.parametrize("value", [
    {"$secret": "key", "more": 1}, {"$joined": ["a"], "more": 1}, result_of("look", "/0"),
    receipt_of("look"), "$secret", None, True, 1.5,
])  # fmt: skip
def test_what_only_resembles_a_reference_and_references_to_results_are_left(value: Any) -> None:
    assert resolve(value, SEED) == value


def test_every_world_has_an_empty_table_of_reports() -> None:
    assert tables() == {"reports": {}}
    assert tables(shelf={"a": {"v": 1}}) == {"reports": {}, "shelf": {"a": {"v": 1}}}


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"kind": TamperKind.ARGUMENT}, "needs the name of a `tool`"),
        ({"kind": TamperKind.ARGUMENT, "tool": "pay"}, "needs the name of the `argument`"),
        ({"kind": TamperKind.TEXT, "tool": "pay", "value": 3}, "must be str"),
        ({"kind": TamperKind.STATUS, "value": "503"}, "must be int"),
        ({"kind": TamperKind.MODEL, "value": None}, "must be str"),
        ({"kind": TamperKind.CUT, "answer": -1}, "counts from 1"),
        ({"kind": TamperKind.INJECT, "answer": 0, "value": 3}, "must be str"),
        ({"kind": TamperKind.INJECT, "value": "x"}, "neither `answer` nor `rate`"),
        (
            {"kind": TamperKind.INJECT, "answer": 0, "value": "x", "rate": 0.5},
            "each request repeats",
        ),
        ({"kind": TamperKind.CUT, "rate": 0.5}, "takes no `answer`"),
        ({"kind": TamperKind.CUT, "answer": 0, "rate": 1.01}, "from 0 to 1"),
        ({"kind": TamperKind.CUT, "answer": 0, "rate": float("nan")}, "from 0 to 1"),
        ({"kind": TamperKind.TIMEOUT, "retry_after": 3}, "only an error of kind 'status'"),
        ({"kind": TamperKind.STATUS, "value": 429, "retry_after": -1}, "seconds, from 0"),
    ],
)
def test_tampering_that_could_change_nothing_is_refused(
    fields: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(ValueError, match=sentence):
        Tamper(**{"answer": 1, **fields})


def test_a_fault_is_written_as_it_was_before_there_were_rates() -> None:
    """The digests of scenarios that were released before must not change."""
    plain = Tamper(kind=TamperKind.STATUS, answer=1, value=503)
    assert to_json(plain) == {
        "kind": "status", "answer": 1, "tool": "", "argument": "", "value": 503,
    }  # fmt: skip
    whole = Tamper(kind=TamperKind.STATUS, answer=0, value=429, rate=1.0, retry_after=0)
    assert to_json(whole) == {**to_json(plain), "answer": 0, "value": 429, "rate": 1.0,
                              "retry_after": 0}  # fmt: skip
    for tamper in (plain, whole):
        assert from_json(Tamper, load_json(canonical(to_json(tamper)))) == tamper
