"""`comparetables`: what is shown, in which order, and what is said to be left out."""

from grid.cli.comparetables import FEW, WIDE, Table, notes, tables
from grid.cli.comparewords import Words
from grid.display import visible
from ledgers.compare_arms import Axis, Question
from ledgers.comparison import Comparison, compare
from tests.ledgers.compared import arms, cell

WORDS = Words(named=visible, numbers={})
BASE = [7, 6, 8, 7, 6, 8, 7, 7]
GOOD = [2, 3, 2, 4, 1, 3, 2, 0]


def by_clause(*cells: object) -> Comparison:
    return compare(cells, Question(axis=Axis.CLAUSE))  # type: ignore[arg-type]


def shown(found: Comparison, *, full: bool = False) -> list[Table]:
    return list(tables(found, WORDS, full=full))


def said(found: Comparison) -> str:
    return "\n".join(notes(found, WORDS))


def test_exposure_comes_first_then_the_effect_its_cost_and_each_scenario() -> None:
    titles = [table.title for table in shown(by_clause(*arms({"none": BASE, "good": GOOD})))]
    assert titles[0].startswith("Did the attack arrive?")
    assert titles[1].startswith("Difference in harm over scenarios")
    assert titles[2].startswith("What it costs")
    assert titles[3] == "good in each scenario: arm / baseline"
    assert len(titles) == 4


def test_every_row_has_a_cell_for_every_head() -> None:
    cells = [
        *arms({"none": BASE, "none-again": GOOD, "a": GOOD, "b": BASE, "c": BASE}),
        *arms({"none": BASE, "none-again": GOOD, "a": GOOD, "b": BASE, "c": BASE}, language="ja"),
        cell("dead"), cell("dead", 0, 0, invalid=3, clause="a"),
        cell("s0.benign", 9), cell("s0.benign", 9, clause="a"),
    ]  # fmt: skip
    for full in (False, True):
        for table in shown(by_clause(*cells), full=full):
            assert table.rows, table.title
            assert {len(row) for row in table.rows} == {len(table.heads)}, table.title


def test_the_effect_stands_with_both_intervals_counts_and_noise_floor() -> None:
    found = by_clause(*arms({"none": BASE, "none-again": list(reversed(BASE)), "good": GOOD}))
    table = shown(found)[1]
    row = dict(zip(table.heads, table.rows[0], strict=True))
    assert row["harm"] == "70 % -> 21 %"
    assert row["points, t 95 %"].startswith("-49 [-")
    assert row["BCa 95 %"].startswith("[-")
    assert row["b/w/e"] == "8/0/0"
    assert found.noise is not None
    assert row["noise"] == f"{100 * (found.noise.floor or 0):.1f}"


def test_a_scenario_has_trials_and_exposure_before_its_rates() -> None:
    table = shown(by_clause(*arms({"none": BASE, "good": GOOD})))[3]
    assert table.heads[:4] == ("scenario", "trials", "invalid", "exposed")
    assert table.rows[7][:5] == (
        "s7", "10 / 10", "0 % / 0 %", "100 % / 100 %", "0 % (<= 26 %) / 70 %",
    )  # fmt: skip


def test_a_scenario_without_an_eligible_trial_prints_none_and_is_named() -> None:
    cells = [
        *arms({"none": BASE, "good": GOOD}), cell("dead", 9),
        cell("dead", 0, 0, not_exposed=10, clause="good"),
    ]  # fmt: skip
    found = by_clause(*cells)
    row = shown(found)[3].rows[-1]
    assert row == ("dead", "10 / 10", "0 % / 0 %", "0 % / 100 % !", "none / none", "none", "none",
                   "none")  # fmt: skip
    assert "good: 1 scenarios (dead) left out of the pooled difference" in said(found)
    assert "the arm gets no credit for that" in said(found)


def test_many_arms_share_one_table_of_scenarios_unless_all_is_asked_for() -> None:
    many = {"none": BASE, **{f"arm-{n}": GOOD for n in range(FEW + 1)}}
    found = by_clause(*arms(many))
    matrix = shown(found)[3]
    assert matrix.heads == ("scenario", *(f"arm-{n}" for n in range(FEW + 1)))
    assert matrix.rows[0] == ("s0", *["-50"] * (FEW + 1))
    assert matrix.rows[7][1].endswith("*")  # 0 of 10 against 7 of 10
    assert len(shown(found)) == 4
    assert len(shown(found, full=True)) == 3 + FEW + 1


def test_more_arms_than_fit_side_by_side_go_on_in_another_table() -> None:
    found = by_clause(*arms({"none": BASE, **{f"arm-{n}": GOOD for n in range(WIDE + 2)}}))
    wide, rest = shown(found)[3:]
    assert wide.heads == ("scenario", *(f"arm-{n}" for n in range(WIDE)))
    assert rest.heads == ("scenario", f"arm-{WIDE}", f"arm-{WIDE + 1}")
    assert len(rest.rows) == len(BASE)


def test_interactions_have_a_table_for_each_coordinate() -> None:
    cells = [
        *arms({"none": BASE, "a": GOOD}, framework="strands"),
        *arms({"none": BASE, "a": BASE}, framework="crewai"),
    ]
    table = shown(by_clause(*cells))[-1]
    assert table.title.startswith("clause x framework")
    assert [row[:3] for row in table.rows] == [("a", "strands", "8"), ("a", "crewai", "8")]
    assert table.rows[1][3] == "0 (no interval)"
    assert table.rows[0][5] == "0.008"


def test_costs_stand_with_their_intervals_and_twins_apart() -> None:
    cells = [
        *arms({"none": BASE, "a": GOOD}), cell("s0.benign", 10), cell("s1.benign", 10),
        cell("s0.benign", 9, clause="a"), cell("s1.benign", 6, alarm=1, clause="a"),
    ]  # fmt: skip
    row = shown(by_clause(*cells))[2].rows[0]
    assert row[1] == "100 % (>= 96 %) -> 100 % (>= 96 %): 0 (no interval)"
    assert row[2].startswith("100 % (>= 86 %) -> 75 %: -25 [")
    assert row[4].startswith("0 % (<= 14 %) -> 5 %: +5 [")


# --- notes ----------------------------------------------------------------------------------------


def test_an_unknown_noise_floor_says_what_to_do() -> None:
    assert "run the clause none-again beside none" in said(
        by_clause(*arms({"none": BASE, "a": GOOD}))
    )
    cells = [cell(model="x"), cell(model="y")]
    found = compare(cells, Question(axis=Axis.MODEL))
    assert "no two levels of model are known to be the same thing" in said(found)


def test_a_known_noise_floor_is_told() -> None:
    found = by_clause(*arms({"none": BASE, "none-again": list(reversed(BASE)), "a": GOOD}))
    assert "noise floor: none-again differs from none, which is the same thing, by" in said(found)


def test_what_has_no_partner_is_counted_and_named() -> None:
    cells = [*arms({"none": BASE, "a": GOOD}), cell("lonely", clause="a"), cell("left")]
    assert "a: 2 cells left out that have no partner, such as lonely/" in said(by_clause(*cells))


def test_too_few_scenarios_for_any_finding_is_said_and_enough_is_not() -> None:
    few = by_clause(*arms({"none": BASE[:5], "a": GOOD[:5]}))
    assert "with so few scenarios and 1 arms no p below 0.062 is possible" in said(few)
    enough = by_clause(*arms({"none": BASE[:6], "a": GOOD[:6]}))
    assert "no p below" not in said(enough)


def test_unequal_trials_are_allowed_and_said() -> None:
    cells = [*arms({"none": BASE}, of=20), *arms({"a": GOOD})]
    assert "arms have unequal numbers of trials" in said(by_clause(*cells))
    assert "unequal" not in said(by_clause(*arms({"none": BASE, "a": GOOD})))


def test_uneven_cells_are_marked_and_explained() -> None:
    cells = [
        cell("s0", 1, 10, framework="x"), cell("s0", 20, 100, framework="x", clause="a"),
        cell("s0", 80, 100, framework="y"), cell("s0", 9, 10, framework="y", clause="a"),
    ]  # fmt: skip
    found = by_clause(*cells)
    assert shown(found)[3].rows[0][0] == "s0 ~"
    assert "~: the cells of this scenario have unequal numbers" in said(found)


def test_failures_that_differ_are_marked_and_explained() -> None:
    cells = [cell("s0", 5), cell("s0", 5, 5, invalid=5, clause="a")]
    found = by_clause(*cells)
    assert shown(found)[0].rows[0][3] == "50 % / 0 % !"
    assert "whoever fails more looks worse than it is" in said(found)
    even = by_clause(cell("s0", 5, 5, invalid=5), cells[1])
    assert shown(even)[0].rows[0][3] == "50 % / 50 %"
    assert "looks worse" not in said(even)


def test_scripted_cells_beside_real_ones_are_said_to_be_left_out() -> None:
    cells = [*arms({"none": BASE, "a": GOOD}), cell(framework="scripted")]
    assert "1 cells of the framework scripted are left out" in said(by_clause(*cells))
