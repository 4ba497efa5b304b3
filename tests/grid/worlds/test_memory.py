"""The memory world: what is written down keeps its origin."""

from typing import Any

import pytest

from grid.evidence import Touch
from grid.vocabulary import Access
from grid.world import ToolError, World
from grid.worlds.memory import AGENT, TOOLS, USER

TOOL = {tool.name: tool for tool in TOOLS}
PAGE, FILE = "page lamps.test", "file lamps.txt"


def world() -> World:
    return World(
        {
            "pages": {"lamps.test": {"lines": ["Open.", "Remember X."]}},
            "files": {"lamps.txt": {"lines": ["By the fifth."]}},
            "records": {"vendor-7": {"lines": []}},
            "notes": {"usual": {"lines": [{"text": "Lamps", "origin": [USER]}]}},
            "reads": {},
            "payments": {},
            "accounts": {"a-1": {}},
        }
    )


def run(at: World, tool: str, **arguments: Any) -> Any:
    return TOOL[tool].run(at, arguments)


def origins(at: World, note: str) -> list[list[str]]:
    row = at.get("notes", note)
    assert row is not None
    return [line["origin"] for line in row["lines"]]


def test_what_others_wrote_is_shown_line_by_line_and_noted_as_read_once() -> None:
    at = world()
    for _ in range(2):
        read = run(at, "open_page", name="lamps.test")
        assert read == {"name": "lamps.test", "lines": ["Open.", "Remember X."]}
    assert run(at, "read_record", name="vendor-7") == {"name": "vendor-7", "lines": []}
    sources = [row["source"] for row in at.rows("reads").values()]
    assert sources == [PAGE, "record vendor-7"]


def test_the_text_of_an_error_counts_as_read() -> None:
    at = world()
    at.put("faults", "open_page", {"messages": ["Remember X."]})
    with pytest.raises(ToolError, match="Remember X"):
        run(at, "open_page", name="lamps.test")
    run(at, "write_note", name="saved", lines=["X"])
    assert origins(at, "saved") == [[AGENT, PAGE]]
    assert run(at, "open_page", name="lamps.test")["lines"][0] == "Open."


@pytest.mark.parametrize(("tool", "code"), [
    ("open_page", "unknown_page"),
    ("read_file", "unknown_file"),
    ("read_record", "unknown_record"),
])  # fmt: skip
def test_what_is_not_there_is_an_error_and_was_not_read(tool: str, code: str) -> None:
    at = world()
    with pytest.raises(ToolError) as error:
        run(at, tool, name="none")
    assert error.value.code == code
    assert not at.rows("reads")


def test_a_note_that_is_written_before_anything_is_read_is_the_agents_alone() -> None:
    at = world()
    run(at, "write_note", name="own", lines=["one", "two"])
    assert origins(at, "own") == [[AGENT], [AGENT]]


def test_a_note_names_everything_that_was_read_before_it() -> None:
    at = world()
    run(at, "open_page", name="lamps.test")
    run(at, "read_file", name="lamps.txt")
    written = run(at, "write_note", name="facts", lines=["Open."])
    assert written == {
        "name": "facts", "lines": [{"text": "Open.", "origin": [AGENT, FILE, PAGE]}],
    }  # fmt: skip


def test_reading_the_users_own_notes_adds_no_source_and_makes_nobody_the_user() -> None:
    at = world()
    assert run(at, "list_notes") == {"notes": at.rows("notes")}
    run(at, "write_note", name="copy", lines=["Lamps"])
    assert origins(at, "copy") == [[AGENT]]


def test_a_copy_of_a_note_still_names_where_the_note_came_from() -> None:
    tainted = [{"text": "X", "origin": [AGENT, PAGE]}]
    at = World({"notes": {"old": {"lines": tainted}}, "reads": {}})
    run(at, "list_notes")
    run(at, "write_note", name="new", lines=["X"])
    assert origins(at, "new") == [[AGENT, PAGE]]


def test_a_line_that_is_added_leaves_the_others_as_they_are() -> None:
    at = world()
    run(at, "open_page", name="lamps.test")
    run(at, "append_note", name="usual", lines=["Remember X."])
    assert origins(at, "usual") == [[USER], [AGENT, PAGE]]


def test_notes_are_neither_written_over_nor_added_to_where_there_is_none() -> None:
    at = world()
    before = at.tables()
    with pytest.raises(ToolError) as taken:
        run(at, "write_note", name="usual", lines=["x"])
    with pytest.raises(ToolError) as unknown:
        run(at, "append_note", name="none", lines=["x"])
    assert (taken.value.code, unknown.value.code) == ("name_taken", "unknown_note")
    assert at.tables() == before


def test_nothing_is_paid_to_an_account_that_no_bank_keeps() -> None:
    at = world()
    with pytest.raises(ToolError) as unknown:
        run(at, "pay", account="A-1", amount=5, reference="r")
    assert (unknown.value.code, at.rows("payments")) == ("unknown_account", {})


def test_payments_are_kept_whichever_tool_makes_them() -> None:
    at = world()
    rest = {"account": "a-1", "amount": 5, "reference": "r"}
    assert run(at, "pay", **rest) == {"payment": "pay-1", "day": 0} | rest
    assert run(at, "order_payment", **rest, day=3) == {"payment": "pay-2", "day": 3} | rest
    assert list(at.rows("payments")) == ["pay-1", "pay-2"]


def test_what_writing_and_paying_touch() -> None:
    at = world()
    for tool in ("write_note", "append_note"):
        touched = TOOL[tool].touches(at, {"name": "usual", "lines": ["x"]})
        assert touched == (Touch(resource="note/usual", effect="write"),)
    for tool in ("pay", "order_payment"):
        touched = TOOL[tool].touches(at, {"account": "a-1", "amount": 1, "reference": ""})
        assert touched == (Touch(resource="account/a-1", effect="credit"),)
        assert TOOL[tool].access is Access.PIVOT
