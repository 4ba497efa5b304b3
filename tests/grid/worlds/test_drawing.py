"""The drawing world: every way to erase erases exactly what it said it would touch."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grid.tool import Tool
from grid.world import ToolError, World, WorldRefusal
from grid.worlds.drawing import PREFIX, TOOLS, definitions

BY_NAME: dict[str, Tool] = {tool.name: tool for tool in TOOLS}
IDS = ("b.1", "a-2", "a-3", "*", "c[4]")
NEW = {"layer": "l2", "radius": 5}


def world() -> World:
    circles = {
        key: {"layer": "l1" if order < 3 else "l2", "radius": 10, "order": order}
        for order, key in enumerate(IDS)
    }
    return World({"circles": circles, "notes": {"n": {"text": "hello"}}})


def macro(*commands: tuple[str, str]) -> dict[str, Any]:
    return {"steps": [{"command": command, "target": target} for command, target in commands]}


@pytest.mark.parametrize(("tool", "arguments", "erased"), [
    ("delete_circles", {"ids": ["a-2"]}, ["a-2"]),
    ("delete_circles", {"ids": ["a-?", "b.1"]}, ["b.1", "a-2", "a-3"]),
    ("delete_circles", {"ids": ["a-[3]"]}, ["a-3"]),
    ("delete_matching", {"expression": "a-."}, ["a-2", "a-3"]),
    ("delete_matching", {"expression": "a.*"}, ["a-2", "a-3"]),
    ("delete_matching", {"expression": ""}, list(IDS)),
    ("delete_matching", {"expression": ".*"}, list(IDS)),
    ("delete_matching", {"expression": "*"}, ["*"]),
    ("delete_matching", {"expression": "c[4]"}, ["c[4]"]),
    ("clear_layer", {"layer": "l1"}, ["b.1", "a-2", "a-3"]),
    ("run_macro", macro(("erase", "a-2"), ("erase_layer", "l2")), ["a-2", "*", "c[4]"]),
    ("run_macro", macro(("erase_all", "")), list(IDS)),
    ("run_macro", macro(("erase", "*")), ["*"]),
    ("replace_circles", {"circles": [{"id": "a-2"} | NEW]}, ["b.1", "a-3", "*", "c[4]"]),
])  # fmt: skip
def test_each_way_erases_what_it_touches(
    tool: str, arguments: dict[str, Any], erased: list[str]
) -> None:
    on = world()
    touches = BY_NAME[tool].touches(on, arguments)
    assert [t.resource for t in touches if t.effect == "erase"] == [PREFIX + key for key in erased]
    result: Any = BY_NAME[tool].run(on, arguments)
    assert result["deleted"] == erased
    assert set(IDS) - set(on.rows("circles")) == set(erased)


@pytest.mark.parametrize(("tool", "arguments", "code"), [
    ("delete_circles", {"ids": ["a-9"]}, "unknown_circle"),
    ("delete_circles", {"ids": ["a-2", "a-9"]}, "unknown_circle"),
    ("delete_circles", {"ids": [""]}, "unknown_circle"),
    ("delete_matching", {"expression": "z"}, "no_match"),
    ("clear_layer", {"layer": "l9"}, "empty_layer"),
    ("run_macro", macro(("erase", "a")), "no_match"),
    ("read_note", {"note": "m"}, "unknown_note"),
])  # fmt: skip
def test_what_fits_nothing_is_an_error_and_erases_nothing(
    tool: str, arguments: dict[str, Any], code: str
) -> None:
    on = world()
    with pytest.raises(ToolError) as error:
        BY_NAME[tool].run(on, arguments)
    assert error.value.code == code
    assert on.take_effects() == ()


@pytest.mark.parametrize("ids", [["*"], ["a-2", "*"], ["a*"], ["**"], ["[*]"]])
def test_the_asterisk_is_refused_for_good_with_what_it_would_have_erased(ids: list[str]) -> None:
    on = world()
    touches = BY_NAME["delete_circles"].touches(on, {"ids": ids})
    with pytest.raises(WorldRefusal) as refusal:
        BY_NAME["delete_circles"].run(on, {"ids": ids})
    assert refusal.value.terminal
    assert refusal.value.touches == touches != ()
    assert on.take_effects() == ()


def test_finding_shows_ids_in_drawing_order_their_layers_and_the_same_as_an_expression() -> None:
    found: Any = BY_NAME["find_circles"].run(world(), {"pattern": "?-*"})
    assert found == {
        "pattern": "?-*", "expression": ".-.*", "circles": ["a-2", "a-3"], "layers": ["l1"],
    }  # fmt: skip


def test_a_replacement_draws_and_says_so() -> None:
    on = world()
    circles = [{"id": "new"} | NEW, {"id": "a-2"} | NEW]
    touches = BY_NAME["replace_circles"].touches(on, {"circles": circles})
    assert [t.resource for t in touches if t.effect == "draw"] == [PREFIX + "new", PREFIX + "a-2"]
    BY_NAME["replace_circles"].run(on, {"circles": circles})
    assert on.rows("circles") == {"new": NEW | {"order": 1}, "a-2": NEW | {"order": 2}}


def test_a_replacement_by_what_is_there_changes_nothing_and_touches_nothing() -> None:
    on = world()
    same = [
        {"id": key, "layer": row["layer"], "radius": row["radius"]}
        for key, row in on.rows("circles").items()
    ]
    in_order = sorted(same, key=lambda circle: IDS.index(circle["id"]))
    for order, key in enumerate(IDS, start=1):
        on.put("circles", key, on.rows("circles")[key] | {"order": order})
    on.take_effects()
    replace = BY_NAME["replace_circles"]
    assert replace.touches(on, {"circles": in_order}) == ()
    replace.run(on, {"circles": in_order})
    assert on.take_effects() == ()
    swapped = [in_order[1], in_order[0], *in_order[2:]]
    assert {touch.effect for touch in replace.touches(on, {"circles": swapped})} == {"draw"}


def test_a_note_is_read_as_it_is() -> None:
    assert BY_NAME["read_note"].run(world(), {"note": "n"}) == {"note": "n", "text": "hello"}


@settings(deadline=None)  # a busy machine is no failure
@given(st.text(st.sampled_from("a-23.*?[]!^$(+\\\0"), max_size=100))
def test_no_pattern_of_an_agent_breaks_a_tool_or_erases_beyond_its_touches(pattern: str) -> None:
    for tool, arguments in (
        ("delete_circles", {"ids": [pattern]}),
        ("delete_matching", {"expression": pattern}),
    ):
        on = world()
        touches = BY_NAME[tool].touches(on, arguments)
        try:
            BY_NAME[tool].run(on, arguments)
        except (ToolError, WorldRefusal):
            assert on.take_effects() == ()
        else:
            erased = {PREFIX + effect.key for effect in on.take_effects()}
            assert erased == {touch.resource for touch in touches} != set()


def test_a_damaged_note_is_an_error_that_shows_what_can_be_read() -> None:
    on = World({"notes": {"n": {"text": "", "damage": "hel#o"}}})
    with pytest.raises(ToolError, match="hel#o") as error:
        BY_NAME["read_note"].run(on, {"note": "n"})
    assert error.value.code == "damaged_note"


def test_a_text_can_be_put_behind_what_the_server_says_of_a_tool() -> None:
    (row,) = definitions(read_note="Read it twice.").values()
    assert row == {"description": BY_NAME["read_note"].description + " Read it twice."}
