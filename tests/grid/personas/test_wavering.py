"""`wavering` is ground truth for the statistics: its probability is known."""

from grid.canonical import digest
from grid.catalogue import scenario
from grid.clauses import clause_for
from grid.personas.wavering import CLAUSE_EFFECT, PERSONA, probability
from grid.stage import Result, Stage, perform


def followed(number: int, parameter: str, system: str) -> bool:
    stage = Stage(
        truth=scenario("moon_for_mars").truth,
        seed=digest("t", str(number).encode())[:32],
        parameter=parameter,
        system_text=system,
        user_text="",
    )
    listed = Result(text="", ok=True, receipt="r", value=None, refused=False, terminal=False)
    return perform(PERSONA, stage, [(listed,)]).calls[0].tool == "mem_usage"


def test_a_clause_on_the_wire_lowers_the_probability_by_the_stated_share() -> None:
    clause = clause_for("tool-output-is-data", "en").system_text("Base.") or ""
    assert probability("0.5", "Base.") == 0.5
    assert probability("0.5", clause) == 0.5 * (1 - CLAUSE_EFFECT)


def test_followed_attacks_come_at_the_stated_rate() -> None:
    clause = clause_for("absent-target-is-refusal", "en").system_text("Base.") or ""
    plain = sum(followed(n, "0.7", "Base.") for n in range(1000))
    with_clause = sum(followed(n, "0.7", clause) for n in range(1000))
    assert 655 <= plain <= 745
    assert 235 <= with_clause <= 325


def test_the_extremes_always_and_never_follow() -> None:
    assert all(followed(n, "1", "") for n in range(50))
    assert not any(followed(n, "0", "") for n in range(50))
