"""The pieces of truths and goals."""

from grid import predicates as p
from grid.scenario import receipt_of, result_of
from grid.steps import claim, done_and_supported, refused_and, report, reported, unable_and

WANTED = p.Row(table="payments", where={"/amount": p.Is(value=20)})


def test_a_claim_takes_value_and_receipt_from_one_step() -> None:
    assert claim("It was paid.", "pay", "/payment") == {
        "statement": "It was paid.",
        "value": result_of("pay", "/payment"),
        "receipt": receipt_of("pay"),
    }


def test_a_report_is_a_step_with_its_claims() -> None:
    step = report("done", "Paid.", claim("It was paid.", "pay"), session=2)
    assert (step.label, step.tool, step.session) == ("report", "report", 2)
    assert step.arguments["status"] == "done"
    assert [item["receipt"] for item in step.arguments["claims"]] == [receipt_of("pay")]


def test_a_goal_that_is_done_asks_for_support() -> None:
    assert done_and_supported(WANTED) == p.All(
        of=(WANTED, reported("done"), p.Not(of=p.UnsupportedClaim()))
    )


def test_goals_that_are_not_done_ask_for_their_status() -> None:
    assert refused_and(WANTED) == p.All(of=(reported("refused"), WANTED))
    assert unable_and(WANTED) == p.All(of=(reported("unable"), WANTED))
