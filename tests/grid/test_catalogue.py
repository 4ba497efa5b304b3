"""`catalogue`: scenarios by number or name, their twins, and the tools that they offer."""

from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from grid import catalogue
from grid.catalogue import module_of, numbers, pair, scenario, scenarios_of, tools_of
from grid.errors import ConfigError
from grid.registry import module_names
from grid.scenario import Pair, Turn
from tests import builders


def test_numbers_are_in_order_and_name_every_module_once() -> None:
    assert list(numbers()) == sorted(numbers(), key=lambda number: int(number[1:]))
    assert sorted(numbers().values()) == list(module_names("grid.scenarios"))


def test_a_scenario_is_found_by_number_in_either_case_and_by_name() -> None:
    assert module_of("S02") == module_of("s02") == module_of("moon_for_mars") == "moon_for_mars"


@pytest.mark.parametrize("name", ["S99", "", "Moon_For_Mars", "moon_for_mars.benign", "../worlds"])
def test_what_is_no_scenario_is_refused_with_the_known_ones(name: str) -> None:
    with pytest.raises(ConfigError, match=r"unknown scenario .*Known: .*S02,.*moon_for_mars") as no:
        module_of(name)
    assert no.value.field == "scenarios"


@pytest.mark.parametrize("module", module_names("grid.scenarios"))
def test_the_twin_is_the_same_task_with_nothing_planted(module: str) -> None:
    attack, benign = scenario(module), scenario(module + ".benign")
    assert (attack.is_twin, benign.is_twin) == (False, True)
    assert benign.world == attack.world
    assert [harm.id for harm in benign.harm] == [harm.id for harm in attack.harm]
    assert attack.truth.attack or attack.truth.fault == "honest"
    assert not benign.truth.attack


@pytest.mark.parametrize("name", ["nothing", "moon_for_mars.benign.benign", ".benign"])
def test_an_id_of_nothing_is_refused(name: str) -> None:
    with pytest.raises(ConfigError, match=r"unknown (scenario|variant)"):
        scenario(name)


def test_other_names_change_the_scenario_and_the_same_names_do_not() -> None:
    plain, other = scenario("moon_for_mars"), scenario("moon_for_mars", 1)
    assert plain.digest() != other.digest()
    assert other.digest() == scenario("moon_for_mars", 1).digest()
    assert (plain.id, plain.number) == (other.id, other.number)


@pytest.fixture
def shelf(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Put scenarios that are built by hand into the catalogue, and clear its memory after."""

    def put(**found: Pair) -> None:
        def load(package: str, name: str, *_more: object) -> Any:
            assert package == "grid.scenarios"
            return SimpleNamespace(build=lambda _names: found[name])

        monkeypatch.setattr(catalogue, "pair", pair.__wrapped__)
        monkeypatch.setattr(catalogue, "load", load)
        monkeypatch.setattr(catalogue, "module_names", lambda _package: tuple(found))

    return put


def made(**changes: Any) -> Pair:
    attack = builders.scenario(**changes)
    return Pair(attack=attack, benign=builders.twin())


def test_a_scenario_whose_id_is_not_its_modules_name_is_refused(
    shelf: Callable[..., None],
) -> None:
    shelf(shelf=made(), cellar=made())
    assert catalogue.pair("shelf").attack.id == "shelf"
    with pytest.raises(ConfigError, match=r"'cellar': write id='cellar'"):
        catalogue.pair("cellar")


def test_a_twin_of_another_scenario_is_refused(shelf: Callable[..., None]) -> None:
    strange = Pair(attack=builders.scenario(), benign=replace(builders.twin(), id="cellar.benign"))
    shelf(shelf=strange)
    with pytest.raises(ConfigError, match=r"for its twin id='shelf\.benign'"):
        catalogue.pair("shelf")


def test_two_scenarios_of_one_number_are_refused_by_name(shelf: Callable[..., None]) -> None:
    cellar = Pair(
        attack=builders.scenario(id="cellar"), benign=replace(builders.twin(), id="cellar.benign")
    )
    shelf(shelf=made(), cellar=cellar)
    with pytest.raises(ConfigError, match="shelf and cellar share the number S99"):
        numbers.__wrapped__()


@pytest.mark.parametrize("module", module_names("grid.scenarios"))
def test_tools_come_in_the_order_of_the_scenario_and_without_the_report(module: str) -> None:
    of = scenario(module)
    assert tuple(tool.name for tool in tools_of(of)) == of.tools
    assert (
        tuple(tool.name for tool in tools_of(replace(of, tools=of.tools[::-1]))) == (of.tools[::-1])
    )
    assert "report" not in of.tools


def test_a_tool_that_its_world_does_not_have_is_named() -> None:
    of = replace(scenario("moon_for_mars"), tools=("list_nodes", "launch"))
    with pytest.raises(ConfigError, match=r"moon_for_mars: world .* has no tools \['launch'\]"):
        tools_of(of)


def test_a_world_that_is_not_there_is_refused() -> None:
    with pytest.raises(ConfigError, match="unknown world 'atlantis'"):
        tools_of(replace(scenario("moon_for_mars"), world="atlantis"))


TRUTH = catalogue.scenario("moon_for_mars").truth


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"number": "40"}, "number must be like 'S02', not '40'"),
        ({"truth": replace(TRUTH, fault="substitute")}, "Did you mean substituter"),
        ({"truth": replace(TRUTH, near=())}, "write at least one near miss"),
        (
            {"truth": replace(TRUTH, near=(replace(TRUTH.near[0], argument="nodes"),))},
            "no step 'look' with an argument 'nodes'",
        ),
        (
            {"truth": replace(TRUTH, near=(replace(TRUTH.near[0], step="lok"),))},
            "no step 'lok' with an argument 'node'",
        ),
        ({"truth": replace(TRUTH, attack=())}, "write what the attacker wants"),
        ({"truth": replace(TRUTH, honest=())}, "write what an honest agent does"),
        (
            {"truth": replace(TRUTH, honest=(replace(TRUTH.honest[0], tool="list_moons"),))},
            "step 'list' calls 'list_moons', which is not in `tools`",
        ),
        (
            {"truth": replace(TRUTH, honest=(replace(TRUTH.honest[0], session=2),))},
            "step 'list' is in session 2, and there are 1",
        ),
        ({"policy": {"node_presense": {}}}, "Did you mean node_presence"),
        (
            {
                "turns": (
                    Turn(session=1, principal="user", prompt={"en": "a", "ja": "b"}),
                    Turn(session=2, principal="user", prompt={"en": "a"}),
                )
            },
            r"session 2 must be written in \['en', 'ja'\]",
        ),
    ],
    ids=[
        "number",
        "fault",
        "no near miss",
        "argument",
        "step",
        "attack",
        "honest",
        "tool",
        "session",
        "policy",
        "languages",
    ],
)
def test_a_truth_that_could_never_be_played_is_refused(
    changes: dict[str, object], sentence: str
) -> None:
    built = catalogue.pair("moon_for_mars")
    catalogue.check_pair(built)
    wrong = replace(built.attack, **changes)  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match=sentence):
        catalogue.check_pair(replace(built, attack=wrong))


def test_a_twin_is_of_its_scenarios_number_and_world() -> None:
    built = catalogue.pair("moon_for_mars")
    other = replace(built.benign, number="S03")
    with pytest.raises(ConfigError, match="number and world must be those of the scenario"):
        catalogue.check_pair(replace(built, benign=other))


def test_where_everybody_is_harmed_no_near_miss_is_asked_for() -> None:
    built = catalogue.pair("moon_for_mars")
    truth = replace(TRUTH, fault="honest", attack=(), near=(), other_route=())
    catalogue.check_pair(replace(built, attack=replace(built.attack, truth=truth)))


def test_a_name_may_stand_for_one_variant_or_for_all() -> None:
    module = next(name for name in numbers().values() if pair(name).variants)
    number, every = pair(module).attack.number, [of.id for of in pair(module).variants]
    assert scenarios_of(number) == scenarios_of(module) == (module,)
    assert list(scenarios_of(f"{number}.*")) == every
    first = every[0].partition(".")[2]
    assert scenarios_of(f"{number}.{first}") == (every[0],)
    assert scenario(every[0]).id == every[0]
    with pytest.raises(ConfigError, match="unknown variant"):
        scenarios_of(f"{number}.nowhere.plain")
    with pytest.raises(ConfigError, match="has no variants; write 'moon_for_mars'"):
        scenarios_of("S02.*")


def test_a_variant_is_named_after_its_module(shelf: Callable[..., None]) -> None:
    built = pair("moon_for_mars")
    astray = replace(built.attack, id="moon_for_mars.page")
    shelf(moon_for_mars=replace(built, variants=(astray,)))
    with pytest.raises(ConfigError, match=r"a variant's id is 'moon_for_mars\.<carrier>\.<form>'"):
        catalogue.pair("moon_for_mars")


def exits() -> Pair:
    raise SystemExit(0)


WRONG: dict[str, tuple[Callable[[], Any], str]] = {
    "raises": (lambda: 1 / 0, r"'shelf': build\(\) fails: ZeroDivisionError"),
    "exits": (exits, r"'shelf': build\(\) fails: SystemExit: 0"),
    "returns nothing": (lambda: None, r"build\(\) must return a Pair, not NoneType"),
    "family": (
        lambda: made(family="delivery"),
        "must each be a Scenario with a family such as Family.DELIVERY",
    ),
    "number": (lambda: made(number="S"), "number must be like 'S02', not 'S'"),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_build_that_goes_wrong_is_the_authors_to_mend(
    monkeypatch: pytest.MonkeyPatch, case: str
) -> None:
    build, sentence = WRONG[case]
    file = SimpleNamespace(build=lambda _names: build())
    monkeypatch.setattr(catalogue, "load", lambda *_: file)
    with pytest.raises(ConfigError, match=sentence):
        pair.__wrapped__("shelf")


@pytest.mark.parametrize("value", [float("nan"), {1, 2}])
def test_a_value_that_cannot_be_kept_is_refused_with_the_scenario(value: Any) -> None:
    built = catalogue.pair("moon_for_mars")
    wrong = replace(built.attack, policy={"node_presence": value})
    with pytest.raises(ConfigError, match="'moon_for_mars': a value of it cannot be kept"):
        catalogue.check_pair(replace(built, attack=wrong))


def test_a_world_without_tools_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalogue, "load", lambda *_: SimpleNamespace(TOOLS=(1,)))
    with pytest.raises(ConfigError, match="world 'shelf': TOOLS holds a int; write Tools"):
        tools_of(builders.scenario(world="shelf"))
