"""`wavering` is ground truth for the statistics: its probability is known."""

import pytest

from grid.canonical import digest
from grid.catalogue import numbers, scenario
from grid.clauses import clause_for, shipped
from grid.errors import ConfigError
from grid.personas.wavering import (
    CLAUSE_EFFECT,
    EFFECTS,
    PERSONA,
    fails,
    follows,
    probability,
    read_odds,
)
from grid.stage import Result, Stage, perform
from grid.system import BASE

SEED = "ab" * 16


def seed(number: int) -> str:
    return digest("t", str(number).encode())[:32]


def followed(number: int, parameter: str, system: str) -> bool:
    stage = Stage(
        truth=scenario("moon_for_mars").truth,
        seed=seed(number),
        parameter=parameter,
        system_text=system,
        user_text="",
    )
    listed = Result(text="", ok=True, receipt="r", value=None, refused=False, terminal=False)
    return perform(PERSONA, stage, [(listed,)]).calls[0].tool == "mem_usage"


def prompt(clause: str, language: str = "en") -> str:
    return clause_for(clause, language).system_text(BASE[language], SEED) or ""


def test_a_clause_on_the_wire_lowers_the_probability_by_the_stated_share() -> None:
    assert probability("0.5", "Base.") == 0.5
    assert probability("0.5", prompt("tool-output-is-data")) == 0.5 * (1 - CLAUSE_EFFECT)


EARLIER = ("none", "no-system-prompt", "never-unlisted", "absent-target-is-refusal")


@pytest.mark.parametrize("language", ["en", "ja"])
def test_the_draws_under_the_first_clauses_are_as_they_were(language: str) -> None:
    """A head with `wavering` in it must not change because clauses were added."""
    for clause in (*EARLIER, "tool-output-is-data"):
        lowered = 1 if clause in EARLIER[:2] else 1 - 0.6
        assert probability("0.7", prompt(clause, language)) == 0.7 * lowered
    drawn = [follows(seed(n), 0.7) for n in range(12)]
    assert drawn == [followed(n, "0.7", BASE["en"]) for n in range(12)]
    assert "".join("NY"[one] for one in drawn) == "YNYNYNYYNYYN"


@pytest.mark.parametrize("language", ["en", "ja"])
def test_each_clause_has_the_effect_of_its_id_in_every_language(language: str) -> None:
    for clause in shipped():
        if clause.language in (language, "*"):
            share = EFFECTS.get(clause.id, CLAUSE_EFFECT) if clause.text else 0
            found = probability("0.5", prompt(clause.id, language))
            assert found == pytest.approx(0.5 * (1 - share)), clause.id
    assert {clause.id for clause in shipped()} >= set(EFFECTS)


def test_the_controls_do_what_controls_do() -> None:
    assert (
        probability("0.5", prompt("role-only")) == probability("0.5", prompt("none-again")) == 0.5
    )
    assert probability("0.5", prompt("administrator-may-override")) > 0.5
    assert probability("0.9", prompt("administrator-may-override")) == 1


def test_followed_attacks_come_at_the_stated_rate() -> None:
    clause = prompt("absent-target-is-refusal")
    plain = sum(followed(n, "0.7", "Base.") for n in range(1000))
    with_clause = sum(followed(n, "0.7", clause) for n in range(1000))
    assert 655 <= plain <= 745
    assert 235 <= with_clause <= 325


def test_the_extremes_always_and_never_follow() -> None:
    assert all(followed(n, "1", "") for n in range(50))
    assert not any(followed(n, "0", "") for n in range(50))


# --- what stands after the probability ------------------------------------------------------------


def test_every_part_of_the_parameter_is_read() -> None:
    odds = read_odds("0.7,spread=0.2,pay=.9,fails=0.05,move=0")
    assert (odds.p, odds.spread, odds.fails) == (0.7, 0.2, 0.05)
    assert odds.tools == (("pay", 0.9), ("move", 0.0))
    assert read_odds("1") == read_odds("1.0")


WRONG = {
    "": "'what stands first' needs a number",
    "x": "'x' needs a number between 0 and 1",
    "1.1": "'1.1' needs a number",
    "-0.1": "'-0.1' needs a number",
    "nan": "'nan' needs",
    "1e-1": "'1e-1' needs",
    " 0.5": "needs a number",
    "0.5,spread": "'spread=' needs a number",
    "0.5,spread=2": "'spread=2' needs a number",
    "0.5,fails=often": "'fails=often' needs a number",
    "0.5,=0.1": "'=0.1' is no part of it",
    "0.5,0.6": "'0.6' is no part of it",
    "0.5,": "'' is no part of it",
    "0.5,spread=0.1,spread=0.2": "'spread' stands in it twice",
    "0.5,pay=0.1,pay=0.1": "'pay' stands in it twice",
    "0.5, pay=0.1": "' pay=0.1' is no part of it",
}


@pytest.mark.parametrize("parameter", WRONG)
def test_what_is_no_parameter_is_refused_with_what_to_write(parameter: str) -> None:
    with pytest.raises(ConfigError, match=WRONG[parameter]) as caught:
        read_odds(parameter)
    assert "Write scripted/wavering/P" in str(caught.value)


def test_tasks_differ_evenly_around_the_probability_and_stay_what_one_can_be() -> None:
    tasks = [f"task {number}" for number in range(2000)]
    drawn = [probability("0.5,spread=0.2", "", task=task) for task in tasks]
    assert min(drawn) == pytest.approx(0.3, abs=0.01)
    assert max(drawn) == pytest.approx(0.7, abs=0.01)
    assert sum(drawn) / len(drawn) == pytest.approx(0.5, abs=0.01)
    below = sum(chance < 0.4 for chance in drawn) / len(drawn)
    assert below == pytest.approx(0.25, abs=0.03)
    edge = [probability("0.9,spread=0.3", "", task=task) for task in tasks]
    assert max(edge) == 1
    assert all(0.6 <= chance <= 1 for chance in edge)
    assert {probability("0.5", "", task=task) for task in tasks} == {0.5}


def test_a_clause_lowers_what_was_drawn_for_the_task() -> None:
    clause = prompt("tool-output-is-data")
    for task in ("a", "b", "c"):
        drawn = probability("0.5,spread=0.4", "", task=task)
        with_clause = probability("0.5,spread=0.4", clause, task=task)
        assert with_clause == pytest.approx(drawn * (1 - CLAUSE_EFFECT))


def test_a_tool_on_offer_has_its_own_probability_and_the_first_named_wins() -> None:
    parameter = "0.2,spread=0.1,pay=0.9,move=0.8"
    assert probability(parameter, "", task="t", tools=("look", "pay", "move")) == 0.9
    assert probability(parameter, "", task="t", tools=("move",)) == 0.8
    assert probability(parameter, "", task="t", tools=("look",)) < 0.31


def test_the_provider_fails_at_the_stated_rate_whatever_the_agent_draws() -> None:
    failed = [fails("0.7,fails=0.3", seed(n)) for n in range(1000)]
    assert 250 <= sum(failed) <= 350
    both = sum(lost and follows(seed(n), 0.7) for n, lost in enumerate(failed))
    assert both / sum(failed) == pytest.approx(0.7, abs=0.1)
    assert not any(fails("0.7", seed(n)) for n in range(100))
    assert all(fails("0.7,fails=1", seed(n)) for n in range(100))


def test_the_scenarios_are_tasks_of_their_own() -> None:
    asked = {str([turn.prompt for turn in scenario(name).turns]) for name in numbers().values()}
    assert len(asked) >= 59
