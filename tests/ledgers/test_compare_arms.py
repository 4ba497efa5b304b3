"""`compare_arms`: like beside like, one to one, and a sentence where there is nothing like it."""

import pytest

from grid.errors import ConfigError
from ledgers.compare_arms import (
    Axis,
    Question,
    baseline_of,
    levels_of,
    pair_up,
    stand_apart,
)
from tests.ledgers.compared import cell

HALF = "scripted/wavering/0.5"
THIRD = "scripted/wavering/0.3"


def test_levels_stand_in_plan_order() -> None:
    cells = [cell(clause="z"), cell("two", clause="z"), cell(clause="a")]
    assert levels_of(cells, Axis.CLAUSE) == ("z", "a")


@pytest.mark.parametrize(
    ("axis", "levels", "asked", "chosen"),
    [
        (Axis.CLAUSE, ("a", "none", "b"), "", "none"),
        (Axis.CLAUSE, ("a", "none", "b"), "b", "b"),
        (Axis.GUARDS, ("on", "off"), "", "off"),
        (Axis.MODEL, ("vendor/new", "vendor/old"), "", "vendor/new"),
        (Axis.FRAMEWORK, ("strands", "crewai"), "", "strands"),
        (Axis.FRAMEWORK, ("strands", "crewai", "langgraph"), "crewai", "crewai"),
    ],
)
def test_the_baseline_is_the_plain_level_the_first_of_two_or_the_named_one(
    axis: Axis, levels: tuple[str, ...], asked: str, chosen: str
) -> None:
    cells = [cell(**{axis.value: level}) for level in levels]
    assert baseline_of(cells, Question(axis=axis, baseline=asked)) == chosen


@pytest.mark.parametrize(
    ("axis", "levels", "asked", "said"),
    [
        (Axis.CLAUSE, ("a", "b"), "", "there is no 'none' here.*--baseline.*a, b"),
        (Axis.GUARDS, ("on", "on-continue"), "", "there is no 'off' here.*on, on-continue"),
        (Axis.FRAMEWORK, ("x", "y", "z"), "", "there are 3.*--baseline.*x, y, z"),
        (Axis.MODEL, ("x", "y", "z"), "", "there are 3.*x, y, z"),
        (Axis.CLAUSE, ("none", "a"), "b", "'b'.*none"),
        (Axis.CLAUSE, ("none",), "", r"nothing to compare by clause: there is one alone \(none\)"),
    ],
)
def test_a_baseline_that_is_not_plain_must_be_named_from_the_listed_levels(
    axis: Axis, levels: tuple[str, ...], asked: str, said: str
) -> None:
    cells = [cell(**{axis.value: level}) for level in levels]
    with pytest.raises(ConfigError, match=said):
        baseline_of(cells, Question(axis=axis, baseline=asked))


def test_the_framework_scripted_stands_apart_from_real_ones_and_alone_among_itself() -> None:
    real, own = cell(framework="crewai"), cell(framework="scripted")
    assert stand_apart([own, real]) == ((real,), 1)
    assert stand_apart([own]) == ((own,), 0)
    assert stand_apart([real]) == ((real,), 0)


def test_cells_are_paired_on_every_other_coordinate() -> None:
    base = [
        cell(framework=framework, language=language, guards=guards, model=model)
        for framework in ("strands", "crewai")
        for language in ("en", "ja")
        for guards in ("off", "on")
        for model in (HALF, "vendor/one")
    ]
    arm = [
        cell(
            framework=one.framework, language=one.language, guards=one.guards, model=one.model,
            clause="a",
        )
        for one in reversed(base)
    ]  # fmt: skip
    found = pair_up([*base, *arm], Axis.CLAUSE, "a", "none")
    assert len(found.attacks) == len(base)
    assert (found.alone, found.unmet) == ((), ())
    for pair in found.attacks:
        assert pair.arm.clause == "a"
        assert pair.base.clause == "none"
        assert pair.arm.place[:3] == pair.base.place[:3]
        assert pair.arm.place[4:] == pair.base.place[4:]


def test_cells_without_a_partner_are_left_out_and_named_on_both_sides() -> None:
    cells = [
        cell("both"), cell("both", clause="a"), cell("base_only"), cell("arm_only", clause="a"),
    ]  # fmt: skip
    found = pair_up(cells, Axis.CLAUSE, "a", "none")
    assert [pair.scenario for pair in found.attacks] == ["both"]
    assert [name.split("/")[0] for name in found.alone] == ["arm_only"]
    assert [name.split("/")[0] for name in found.unmet] == ["base_only"]


def test_twins_are_no_attacks() -> None:
    cells = [
        cell("one"), cell("one.benign"), cell("one", clause="a"), cell("one.benign", clause="a"),
    ]  # fmt: skip
    found = pair_up(cells, Axis.CLAUSE, "a", "none")
    assert [pair.arm.scenario for pair in found.attacks] == ["one"]
    assert [pair.arm.scenario for pair in found.twins] == ["one.benign"]


def test_variants_of_one_attack_are_one_scenario_and_never_each_others_partner() -> None:
    cells = [
        cell("one.log_line.plain"), cell("one.log_line.tags"),
        cell("one.log_line.tags", clause="a"), cell("one.log_line.plain", clause="a"),
    ]  # fmt: skip
    found = pair_up(cells, Axis.CLAUSE, "a", "none")
    assert {pair.scenario for pair in found.attacks} == {"one"}
    assert all(pair.arm.scenario == pair.base.scenario for pair in found.attacks)


# --- refusals ------------------------------------------------------------------------------------


def test_another_parameter_of_a_persona_is_another_agent() -> None:
    cells = [cell(model=HALF), cell(model=THIRD, clause="a")]
    with pytest.raises(
        ConfigError, match=r"by scripted/wavering/0[.]3 and the baseline by .*0[.]5"
    ):
        pair_up(cells, Axis.CLAUSE, "a", "none")


def test_one_shared_parameter_does_not_excuse_another_one() -> None:
    cells = [cell(model=HALF), cell(model=HALF, clause="a"), cell(model=THIRD, clause="a")]
    with pytest.raises(ConfigError, match="another parameter is another agent"):
        pair_up(cells, Axis.CLAUSE, "a", "none")


def test_a_baseline_that_was_played_with_more_parameters_serves_each_arm() -> None:
    cells = [cell(model=HALF), cell(model=THIRD), cell(model=THIRD, clause="a")]
    found = pair_up(cells, Axis.CLAUSE, "a", "none")
    assert [pair.base.model for pair in found.attacks] == [THIRD]
    assert len(found.unmet) == 1


def test_by_model_the_parameter_is_what_is_compared() -> None:
    cells = [cell(model=HALF), cell(model=THIRD)]
    assert len(pair_up(cells, Axis.MODEL, THIRD, HALF).attacks) == 1


def test_a_guard_setting_that_only_one_arm_has_is_no_other_persona() -> None:
    cells = [cell(), cell(clause="a"), cell(clause="a", guards="on")]
    assert len(pair_up(cells, Axis.CLAUSE, "a", "none").alone) == 1


def test_arms_that_share_no_cell_are_told_apart_in_a_sentence() -> None:
    cells = [cell("one", framework="strands"), cell("one", framework="crewai", clause="a")]
    with pytest.raises(ConfigError, match=r"share no cell \(framework crewai against strands\)"):
        pair_up(cells, Axis.CLAUSE, "a", "none")


def test_arms_that_cross_without_meeting_are_refused_too() -> None:
    cells = [
        cell("one", framework="strands"), cell("two", framework="crewai"),
        cell("two", framework="strands", clause="a"), cell("one", framework="crewai", clause="a"),
    ]  # fmt: skip
    with pytest.raises(ConfigError, match="no scenario stands in both with the same of all else"):
        pair_up(cells, Axis.CLAUSE, "a", "none")


def test_another_scenario_under_the_same_name_is_refused() -> None:
    cells = [cell(digest="x"), cell(clause="a", digest="y")]
    with pytest.raises(ConfigError, match="the scenario one is not the same in a and in none"):
        pair_up(cells, Axis.CLAUSE, "a", "none")
    same = [cell(digest="x"), cell(clause="a", digest="x")]
    assert len(pair_up(same, Axis.CLAUSE, "a", "none").attacks) == 1


def test_names_that_somebody_made_up_cannot_command_the_terminal() -> None:
    cells = [cell(clause="\x1b[2J"), cell(clause="\u202eb", framework="other")]
    with pytest.raises(ConfigError) as refused:
        pair_up(cells, Axis.CLAUSE, "\x1b[2J", "\u202eb")
    assert not set("\x1b\u202e") & set(str(refused.value))
