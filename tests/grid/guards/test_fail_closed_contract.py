from typing import Any

import pytest

from grid.evidence import CallRecord
from grid.guards.fail_closed_contract import GUARD
from grid.wirecall import WireCall
from tests.grid.guarded import Guarded

STORE = {"name": "a", "value": "b"}


def called(
    raw: str | None,
    handed: Any = None,
    *,
    configured: bool = True,
    said: str = "store",
) -> CallRecord:
    on = Guarded(GUARD, {} if configured else None)
    if raw is not None:
        on.layer.announce((WireCall(id="c", name=said, raw_arguments=raw),))
    return on.call("store", **(STORE if handed is None else handed))


def test_a_call_that_the_answer_asks_for_word_for_word_runs() -> None:
    for raw in ('{"name":"a","value":"b"}', ' {"value": "b", "name": "\\u0061"} '):
        assert called(raw).executed == STORE


@pytest.mark.parametrize(
    "raw",
    [
        "", "null", "[]", "{}", '{"name": "a", "value": "b"', '{"name": "a"}',
        '{"name": "a", "value": "c", "value": "b"}', '{"name": "a", "value": "b", "value": "b"}',
        '{"name": "a", "value": "B"}', '{"name": "a", "value": "b", "more": 1}', "x" * 100_000,
        "[" * 10_000, '{"name": "a", "value": NaN}', '"\\ud800"',
    ],
)  # fmt: skip
def test_a_call_that_was_made_of_something_else_is_refused_and_can_be_put_right(raw: str) -> None:
    record = called(raw)
    assert (record.decision.by, record.decision.terminal) == ("fail_closed_contract", False)
    assert (record.executed, record.effects) == (None, ())


def test_a_call_under_another_name_is_refused() -> None:
    assert called('{"name": "a", "value": "b"}', said="look").decision.by == GUARD.id


def test_a_call_of_which_nothing_is_known_is_let_pass_and_so_is_every_one_without_policy() -> None:
    assert called(None).executed == STORE
    assert called("", configured=False).executed == STORE
