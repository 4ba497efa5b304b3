"""`tamperblocks`: blocks that do not fit together are refused in a sentence; the rest is told."""

from typing import Any

import pytest

from grid.errors import ConfigError
from grid.gridfile import schema
from grid.plan import Plan
from grid.scenario import Tamper
from grid.tamperblocks import idle_faults, read_block, told
from grid.vocabulary import TamperKind
from tests.ledgers.runs import trial


@pytest.mark.parametrize(
    ("block", "field", "sentence"),
    [
        ({"kind": "cut", "value": 3}, "value", "'cut' does not take it; it takes: answer, rate"),
        ({"kind": "model", "value": "m", "tool": "pay"}, "tool", "does not take it"),
        ({"kind": "inject", "value": "x", "rate": 0.5}, "rate", "takes: argument, tool, value"),
        ({"kind": "timeout", "retry_after": 3}, "retry_after", "does not take it"),
        ({"kind": "status"}, "", "the key 'value' is missing"),
        ({"kind": "inject"}, "", "the key 'value' is missing"),
        ({"kind": "status", "value": "429"}, "value", "from 400 to 599, such as 429"),
        ({"kind": "status", "value": True}, "value", "from 400 to 599"),
        ({"kind": "status", "value": 200}, "value", "from 400 to 599"),
        ({"kind": "model", "value": 3}, "", "`value` of kind 'model' must be str"),
        ({"kind": "argument", "argument": "to", "value": 1}, "", "needs the name of a `tool`"),
        ({"kind": "argument", "tool": "pay", "value": 1}, "", "the name of the `argument`"),
        ({"kind": "drop", "answer": 2, "rate": 0.5}, "", "takes no `answer`"),
        ({"kind": "text", "tool": "pay", "value": "\ud800"}, "value", "write what JSON can hold"),
        ({"kind": "argument", "tool": "p", "argument": "a", "value": object()}, "value", "JSON"),
    ],
)  # fmt: skip
def test_a_block_that_means_nothing_is_refused_with_its_key_and_what_to_write(
    block: dict[str, Any], field: str, sentence: str
) -> None:
    with pytest.raises(ConfigError) as caught:
        read_block(block)
    assert sentence in str(caught.value)
    assert (caught.value.field or "") == field
    assert not str(caught.value).startswith("tamper")


def test_what_is_left_out_has_its_default() -> None:
    assert read_block({"kind": "drop"}) == Tamper(kind=TamperKind.DROP, answer=0)
    found = read_block({"kind": "status", "value": 429, "rate": 1, "retry_after": 2})
    assert found == Tamper(kind=TamperKind.STATUS, answer=0, value=429, rate=1.0, retry_after=2)
    assert type(found.rate) is float


BLOCKS: list[tuple[dict[str, Any], str]] = [
    ({"kind": "argument", "tool": "pay", "argument": "to", "value": "Mira"},
     "argument 'to' of each call of 'pay' becomes \"Mira\", in the first answer that has one"),
    ({"kind": "text", "tool": "pay", "value": "{", "answer": 2},
     "the argument text of each call of 'pay' becomes \"{\", in answer 2"),
    ({"kind": "model", "value": "m"}, "the answer says that it comes from \"m\", in every answer"),
    ({"kind": "status", "value": 429, "rate": 0.25, "retry_after": 2},
     "an error 429 with Retry-After: 2 comes in place of the answer, in 0.25 of all answers "
     "(drawn from each trial's seed)"),
    ({"kind": "cut", "answer": 1}, "the answer breaks off half way, in answer 1"),
    ({"kind": "timeout", "rate": 1},
     "the answer never comes: the agent gets a 504, in 1 of all answers (drawn from each trial's "
     "seed)"),
    ({"kind": "inject", "tool": "look", "value": "x"},
     "\"x\" is put into each tool result of 'look' on its way to the model, in every request that "
     "shows it"),
    ({"kind": "drop"},
     "each tool call is taken out of the answer, in the first answer that has one"),
    ({"kind": "duplicate", "tool": "pay"},
     "each call of 'pay' stands in the answer twice, in the first answer that has one"),
]  # fmt: skip


@pytest.mark.parametrize(("block", "words"), BLOCKS)
def test_each_kind_is_told_in_words(block: dict[str, Any], words: str) -> None:
    assert told(read_block(block)) == words


def test_every_kind_can_be_written_and_is_told() -> None:
    kinds = {kind.value for kind in TamperKind}
    assert {block["kind"] for block, _ in BLOCKS} == kinds
    assert set(schema()["$defs"]["fault"]["properties"]["kind"]["enum"]) == kinds


def test_a_fault_about_a_tool_that_nobody_offers_is_told() -> None:
    plan = Plan(name="x", seed=1, trials=(trial("moon_for_mars", "scripted", "honest"),))
    for tool, idle in (("mem_usage", False), ("report", False), ("", False), ("mem_usag", True)):
        one = Plan(
            name=plan.name, seed=1, trials=plan.trials,
            tamper=(Tamper(kind=TamperKind.DROP, answer=0, tool=tool),),
        )  # fmt: skip
        sentences = idle_faults(one)
        assert len(sentences) == idle
        assert all(f"{tool!r}" in it and "mem_usage" in it for it in sentences)
    assert idle_faults(plan) == ()


@pytest.mark.parametrize(("argument", "idle"), [("node", False), ("nodes", True)])
def test_a_fault_about_an_argument_that_its_tool_does_not_take_is_told(
    argument: str, idle: bool
) -> None:
    tamper = Tamper(
        kind=TamperKind.ARGUMENT, answer=0, tool="mem_usage", argument=argument, value="mars"
    )
    trials = (trial("moon_for_mars", "scripted", "honest"),)
    sentences = idle_faults(Plan(name="x", seed=1, trials=trials, tamper=(tamper,)))
    assert len(sentences) == idle
    assert all("has no argument 'nodes'" in it and "it has: node" in it for it in sentences)
