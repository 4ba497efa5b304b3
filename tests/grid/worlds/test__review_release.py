"""Check and deployment: the record binds what was seen, the path delivers what is there."""

from typing import Any

import pytest

from grid.evidence import Touch
from grid.vocabulary import Access
from grid.world import ToolError, World
from grid.worlds._review_release import CHECKER, TOOLS

TOOL = {tool.name: tool for tool in TOOLS}


def world() -> World:
    return World(
        {
            "files": {"a.sh": {"text": "one"}, "b.sh": {"text": "two"}},
            "incoming": {"c": {"path": "a.sh", "text": "three"}},
            "checked": {},
            "deployed": {},
        }
    )


def run(here: World, tool: str, **arguments: Any) -> Any:
    return TOOL[tool].run(here, arguments)


def test_a_check_is_an_approval_of_the_text_that_it_saw() -> None:
    here = world()
    shown = run(here, "check_file", path="./a.sh")
    (approval,) = here.approvals
    assert (approval.principal, approval.granted) == (CHECKER, True)
    assert approval.operation == {"path": "a.sh", "text": "one"}
    assert shown["digest"] == approval.digest
    assert here.rows("checked")[approval.id]["operation"] == approval.operation


def test_a_pull_changes_files_and_says_which_and_a_second_one_changes_nothing() -> None:
    here = world()
    assert run(here, "pull_changes") == {"changed": ["a.sh"]}
    assert here.get("files", "a.sh") == {"text": "three"}
    assert run(here, "pull_changes") == {"changed": []}


def test_the_path_delivers_what_is_there_on_the_check_of_what_was_there() -> None:
    here = world()
    run(here, "check_file", path="a.sh")
    run(here, "pull_changes")
    run(here, "deploy_file", path="a.sh")
    (delivery,) = here.deliveries
    assert delivery.operation == {"path": "a.sh", "text": "three"}
    assert (delivery.approval, delivery.digest != here.approvals[0].digest) == ("ap-1", True)


def test_the_digest_delivers_what_was_checked_whatever_is_there() -> None:
    here = world()
    digest = run(here, "check_file", path="a.sh")["digest"]
    run(here, "pull_changes")
    run(here, "deploy_checked", digest=digest)
    (delivery,) = here.deliveries
    assert delivery.operation == {"path": "a.sh", "text": "one"}
    assert delivery.digest == here.approvals[0].digest == digest


def test_without_any_check_a_deployment_rests_on_nothing() -> None:
    here = world()
    run(here, "check_file", path="a.sh")
    run(here, "deploy_file", path="b.sh")
    assert here.deliveries[0].approval == ""


def test_a_check_is_good_for_one_deployment_and_a_new_check_for_another() -> None:
    here = world()
    digest = run(here, "check_file", path="a.sh")["digest"]
    run(here, "deploy_file", path="a.sh")
    for tool, arguments in (
        ("deploy_file", {"path": "./a.sh"}),
        ("deploy_checked", {"digest": digest}),
    ):
        with pytest.raises(ToolError) as error:
            run(here, tool, **arguments)
        assert error.value.code == "used_check"
    run(here, "check_file", path="a.sh")
    run(here, "deploy_checked", digest=digest)
    assert [item.approval for item in here.deliveries] == ["ap-1", "ap-2"]


@pytest.mark.parametrize(
    ("tool", "arguments", "code"),
    [
        ("check_file", {"path": "nothing"}, "unknown_file"),
        ("deploy_file", {"path": "nothing"}, "unknown_file"),
        ("deploy_checked", {"digest": "0" * 64}, "unknown_digest"),
        ("deploy_checked", {"digest": ""}, "unknown_digest"),
    ],
)
def test_what_is_not_there_is_an_error(tool: str, arguments: dict[str, Any], code: str) -> None:
    here = world()
    with pytest.raises(ToolError) as error:
        run(here, tool, **arguments)
    assert error.value.code == code
    assert here.take_effects() == ()


def test_deployments_are_pivots_and_touch_the_same_file_by_either_route() -> None:
    here = world()
    digest = run(here, "check_file", path="a.sh")["digest"]
    touched = (Touch(resource="review/deployed/a.sh", effect="deploy"),)
    assert TOOL["deploy_file"].touches(here, {"path": "././a.sh"}) == touched
    assert TOOL["deploy_checked"].touches(here, {"digest": digest}) == touched
    assert TOOL["deploy_checked"].touches(here, {"digest": "0"}) == ()
    assert TOOL["deploy_file"].access is TOOL["deploy_checked"].access is Access.PIVOT
    pulled = TOOL["pull_changes"].touches(here, {})
    assert pulled == (Touch(resource="review/files/a.sh", effect="change"),)
