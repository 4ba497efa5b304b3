from typing import Any

import pytest

from grid.canonical import load_json
from grid.errors import StrictError
from grid.evidence import CallRecord
from grid.guards.model_identity import GUARD
from grid.wirecall import WireCall, same_model
from tests.grid.guarded import Guarded


def called(policy: Any, known: bool | None, *, announced: bool = True) -> CallRecord:
    on = Guarded(GUARD, policy)
    call = WireCall(id="c", name="store", raw_arguments='{"name": "a", "value": "b"}')
    if announced:
        on.layer.announce((call,), known)
    return on.call("store", **load_json(call.raw_arguments))


def test_a_call_of_another_model_is_refused_for_good_and_no_model_is_named() -> None:
    for unknown in ("allow", "refuse"):
        record = called({"unknown": unknown}, False)
        assert (record.decision.by, record.decision.terminal) == ("model_identity", True)
        assert record.executed is None


def test_a_call_of_the_requested_model_runs() -> None:
    for unknown in ("allow", "refuse"):
        assert called({"unknown": unknown}, True).executed is not None


def test_what_becomes_of_an_unknown_model_is_the_operators_choice() -> None:
    for announced in (True, False):
        assert called({"unknown": "allow"}, None, announced=announced).executed is not None
        refused = called({"unknown": "refuse"}, None, announced=announced)
        assert refused.decision.by == "model_identity"


def test_without_a_policy_it_says_nothing() -> None:
    assert called(None, False).executed is not None


@pytest.mark.parametrize("policy", [{}, {"unknown": "maybe"}, {"unknown": "allow", "x": 1}])
def test_a_policy_is_read_strictly(policy: Any) -> None:
    with pytest.raises(StrictError):
        called(policy, True)


def test_a_dated_version_of_the_requested_model_is_the_requested_one() -> None:
    assert same_model("m", "m") is True
    assert same_model("m-4", "m-4-2031-05-06") is True
    assert same_model("m-4", "m-4-20310506") is True
    assert same_model("m-4", "m-4-0613") is True
    assert same_model("m-4", "m-4-002") is True
    assert same_model("m-4-latest", "m-4-20310506") is True
    for other in (
        "m-4o",
        "m-4-mini",
        "m-4-2031-05-06-x",
        "n",
        "M-4",
        "m-",
        "xm-4",
        "m-4-2031",
        "m-4-7",
        "m-4-0613-x",
        "m-4-20310506\n",
    ):
        assert same_model("m-4", other) is False, other
    assert same_model("m-4-latest", "m-4") is False
    assert same_model("m-4", "") is None
    assert same_model("", "m-4") is None
