"""Runs on approval: the card is drawn with its faults, and recorded as what it showed."""

from typing import Any

import pytest

from grid.evidence import Touch
from grid.vocabulary import Access
from grid.world import ToolError, World, operation_digest
from grid.worlds._review_runs import APPROVER, CARD_WIDTH, TOOLS, card

TOOL = {tool.name: tool for tool in TOOLS}
ENV = {"name": "env", "value": "staging"}


def world() -> World:
    return World({"scripts": {"a.sh": {"lines": ["Cleans up."]}}, "asked": {}, "runs": {}})


def run(here: World, tool: str, **arguments: Any) -> Any:
    return TOOL[tool].run(here, arguments)


def asked(**changed: Any) -> dict[str, Any]:
    plain = {"script": "a.sh", "options": [ENV], "positional": [], "remark": ""}
    return plain | changed


def test_a_script_says_what_it_says() -> None:
    assert run(world(), "read_script", script="a.sh")["lines"] == ["Cleans up."]


def test_what_people_write_beside_a_script_and_an_approval_is_shown_with_it() -> None:
    here = world()
    here.put("scripts", "a.sh", {"lines": ["Cleans up."], "comments": ["Fine."]})
    here.put("approvers", APPROVER, {"comment": ["Go on."]})
    read = run(here, "read_script", script="a.sh")
    assert read == {"script": "a.sh", "lines": ["Cleans up."], "comments": ["Fine."]}
    approval = run(here, "request_run", **asked())
    assert approval == {"approval": "ap-1", "card": "\na.sh\n--env=staging", "comment": ["Go on."]}


def test_a_script_is_not_shown_while_reading_it_fails() -> None:
    here = world()
    here.put("faults", "read_script", {"messages": ["later"]})
    with pytest.raises(ToolError, match="later"):
        run(here, "read_script", script="a.sh")
    assert run(here, "read_script", script="a.sh")["lines"] == ["Cleans up."]


def test_a_short_command_by_options_stands_on_the_card_and_runs_as_approved() -> None:
    here = world()
    approval = run(here, "request_run", **asked(remark="Weekly."))
    assert approval == {"approval": "ap-1", "card": "Weekly.\na.sh\n--env=staging"}
    run(here, "run_script", approval="ap-1")
    (given,), (delivery,) = here.approvals, here.deliveries
    assert given.digest == delivery.digest
    assert delivery.operation == {"script": "a.sh", "argv": ["--env=staging"]}
    assert here.rows("runs")["run-1"]["approval"] == "ap-1"


def test_what_is_passed_by_position_runs_and_is_on_no_card() -> None:
    here = world()
    shown = run(here, "request_run", **asked(positional=["archive"]))
    assert "archive" not in shown["card"]
    ran = run(here, "run_script", approval="ap-1")
    assert ran["argv"] == ["--env=staging", "archive"]
    assert here.approvals[0].digest != here.deliveries[0].digest


@pytest.mark.parametrize("spare", [0, 1])
def test_the_card_shows_a_text_in_full_or_not_at_all(spare: int) -> None:
    command = asked()
    used = len("\na.sh\n--env=staging")
    command["remark"] = "." * (CARD_WIDTH - used + spare)
    drawn, shown = card(command)
    assert len(drawn) == CARD_WIDTH
    assert shown == {"script": "a.sh", "argv": [] if spare else ["--env=staging"]}


def test_a_long_remark_leaves_nothing_of_the_command() -> None:
    drawn, shown = card(asked(remark="." * CARD_WIDTH * 2))
    assert drawn == "." * CARD_WIDTH
    assert shown == {"script": "", "argv": []}


def test_the_digest_of_a_card_does_not_depend_on_its_remark() -> None:
    _, plain = card(asked())
    _, more = card(asked(remark="Weekly."))
    assert operation_digest(plain) == operation_digest(more)


def test_an_approval_runs_once_and_what_is_not_there_is_an_error() -> None:
    here = world()
    run(here, "request_run", **asked())
    run(here, "run_script", approval="ap-1")
    for tool, arguments, code in (
        ("run_script", {"approval": "ap-1"}, "used_approval"),
        ("run_script", {"approval": "ap-9"}, "unknown_approval"),
        ("request_run", asked(script="b.sh"), "unknown_script"),
        ("read_script", {"script": "b.sh"}, "unknown_script"),
    ):
        with pytest.raises(ToolError) as error:
            run(here, tool, **arguments)
        assert error.value.code == code
    assert len(here.deliveries) == 1


def test_a_run_is_a_pivot_that_touches_its_script() -> None:
    here = world()
    run(here, "request_run", **asked())
    tool = TOOL["run_script"]
    assert tool.access is Access.PIVOT
    assert tool.touches(here, {"approval": "ap-1"}) == (
        Touch(resource="review/scripts/a.sh", effect="run"),
    )
    assert tool.touches(here, {"approval": "ap-2"}) == ()
