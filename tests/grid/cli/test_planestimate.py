"""grid.cli.planestimate: what a plan takes is summed from evidence, else it is None."""

import pytest

from grid.catalogue import scenario, tools_of
from grid.cli.planestimate import Basis, ModelPlan, Span, model_plans, personas_for
from grid.cli.planfootprint import footprint, played
from grid.cli.planprices import Price
from grid.plan import Plan
from grid.system import BASE
from tests.ledgers.runs import plan, trial

PRICE = Price(model="m", input_per_million=1.0, output_per_million=10.0, currency="USD")


def only(of: Plan, **basis: object) -> ModelPlan:
    (found,) = model_plans(of, Basis(**basis))  # type: ignore[arg-type]
    return found


def wavering(count: int, framework: str = "strands", **more: object) -> Plan:
    return plan([
        trial("moon_for_mars", framework, "wavering/0.5", number=n, **more) for n in range(count)
    ])  # fmt: skip


def test_a_deterministic_persona_is_played_itself_and_others_are_between_two() -> None:
    assert personas_for(trial("moon_for_mars", "strands", "liar")) == ("liar",)
    named = trial("moon_for_mars", "strands", "x", model="my-model")
    assert personas_for(named) == ("honest", "substituter")
    assert personas_for(trial("moon_for_mars.benign", "strands", "wavering/1")) == ("honest",)


def test_the_work_of_a_plan_is_that_of_its_trials_together() -> None:
    tools = tools_of(scenario("moon_for_mars"))
    ends = [
        footprint(played("moon_for_mars", "en", who), tools, BASE["en"])
        for who in ("honest", "substituter")
    ]
    assert ends[0].calls < ends[1].calls
    found = only(wavering(10), seconds_per_call=3.0, jobs=4)
    assert (found.cells, found.trials, found.wired) == (1, 10, 10)
    assert found.work.calls == Span(low=10 * ends[0].calls, high=10 * ends[1].calls)
    read = found.work.input_tokens
    assert read is not None
    assert read.low == pytest.approx(10 * ends[0].input_tokens)
    assert read.high == pytest.approx(10 * ends[1].input_tokens)
    assert found.wall == Span(low=30 * ends[0].calls / 4, high=30 * ends[1].calls / 4)


def test_a_clause_and_a_language_are_paid_for_in_every_request() -> None:
    bare, told = only(wavering(1)), only(wavering(1, clause="tool-output-is-data"))
    gone = only(wavering(1, clause="no-system-prompt"))
    reads = [one.work.input_tokens for one in (gone, bare, told)]
    lows = [one.low for one in reads if one is not None]
    assert len(lows) == 3
    assert lows[0] < lows[1] < lows[2]
    assert only(wavering(1, language="ja")).work.input_tokens != reads[1]


def test_without_evidence_there_is_no_number() -> None:
    found = only(wavering(3))
    assert (found.wall, found.cost, found.currency) == (None, None, "")


def test_cost_is_of_the_model_that_is_priced() -> None:
    named = plan([trial("moon_for_mars", "strands", "x", model="m")])
    found = only(named, prices={"m": PRICE})
    read, written = found.work.input_tokens, found.work.output_tokens
    assert read is not None
    assert written is not None
    assert found.cost is not None
    assert found.cost.high == pytest.approx((read.high + 10 * written.high) / 1e6)
    assert found.currency == "USD"
    assert only(named, prices={"other": PRICE}).cost is None


def test_the_reference_adapter_asks_no_model() -> None:
    found = only(wavering(3, "scripted"), seconds_per_call=1.0)
    assert (found.trials, found.wired) == (3, 0)
    assert found.work.calls == found.wall == Span(low=0.0, high=0.0)
