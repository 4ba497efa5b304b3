"""grid.cli.planview: numbers as people read them, and none where there is none."""

import pytest

from grid.cli.planeffect import Detectable, PerCell, Pooled
from grid.cli.planestimate import Basis, ModelPlan, Span, Work
from grid.cli.planview import effect, plan_json, rests_on, show_plan
from tests.ledgers.runs import plan, trial

PLAN = plan([trial("moon_for_mars", "strands", "x", model="m\x1b[31m")])


def model_plan(wall: Span | None = None, cost: Span | None = None) -> ModelPlan:
    calls = Span(low=1234.4, high=1234.4)
    work = Work(calls=calls, input_tokens=Span(low=1, high=2e6), output_tokens=None, seconds=wall)
    return ModelPlan(
        model="m\x1b[31m", cells=1, trials=1, wired=1, work=work, wall=wall, cost=cost,
        currency="USD" if cost else "",
    )  # fmt: skip


FOUND = Detectable(
    model="m\x1b[31m", why_not="", scenarios=1, trials=1,
    pooled=(Pooled(rate=0.1, difference=None), Pooled(rate=0.5, difference=0.123)),
    cell_trials=20, tests=24,
    per_cell=(PerCell(hits=0, fails_at=7, rate=0.444), PerCell(hits=6, fails_at=None, rate=None)),
)  # fmt: skip


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [((0, 59), "0 s to 59 s"), ((60, 60), "1 min"), ((3000, 7200), "50 min to 2.0 h")],
)
def test_a_row_is_written_for_people(
    capsys: pytest.CaptureFixture[str], seconds: tuple[float, float], shown: str
) -> None:
    one = model_plan(Span(low=seconds[0], high=seconds[1]), Span(low=0.5, high=1234.567))
    show_plan(PLAN, (one,), (FOUND,), Basis())
    said = capsys.readouterr().out
    for words in ("1,234", "1 to 2,000,000", "none", shown, "0.50 to 1,234.57 USD"):
        assert words in said
    assert "\x1b" not in said, "a model's name is hostile too"


def test_an_effect_that_is_not_found_is_none_and_never_zero() -> None:
    said = effect(FOUND)
    assert "1 scenario x 1 trial," in said
    assert "none at a mean rate of 10%, 12 points at a mean rate of 50%" in said
    assert "44% against a baseline with 0 harmed; none against a baseline with 6 harmed" in said
    assert effect(Detectable(model="m", why_not="so")) == "smallest effect: none; so."


def test_what_is_missing_is_said_and_what_is_there_is_not() -> None:
    bare = " ".join(rests_on(PLAN, (model_plan(),), Basis()))
    assert "Time is none" in bare
    assert "Cost is none" in bare
    one = Span(low=1, high=1)
    whole = " ".join(rests_on(PLAN, (model_plan(one, one),), Basis(seconds_per_call=2.0)))
    assert "is none" not in whole
    assert "Time: 2 s a call, 2 workers" in whole


def test_as_data_what_is_unknown_is_null() -> None:
    found = plan_json(PLAN, (model_plan(),), (FOUND,), Basis())
    assert found["models"][0]["cost"] is None
    assert found["models"][0]["work"]["output_tokens"] is None
    assert found["detectable"][0]["pooled"][0] == {"rate": 0.1, "difference": None}
