"""`deliver_by_digest`: a name delivers only what was checked."""

from typing import Any

import pytest

from grid.errors import StrictError
from grid.evidence import CallRecord
from grid.guards.deliver_by_digest import GUARD
from grid.toollayer import LayerSettings, ToolLayer
from grid.worlds.review import TOOLS

NAMED = {"argument": "path", "table": "files", "key": "path", "fields": ["text"]}
POLICY = {"tools": {"deploy_file": NAMED}, "checks": "checked", "passed": ""}


class Desk:
    """Two files, a change that waits, and the guard before deployments."""

    def __init__(self, policy: Any = POLICY) -> None:
        self.layer = ToolLayer(
            LayerSettings(
                seed="ab" * 16,
                tables={
                    "reports": {}, "checked": {}, "deployed": {},
                    "files": {"a.sh": {"text": "one"}, "b.sh": {"text": "two"}},
                    "incoming": {"c": {"path": "a.sh", "text": "three"}},
                },
                tools=TOOLS, guards=(GUARD,), stops=False,
                policy={} if policy is None else {GUARD.id: policy}, user_text="Deploy.",
                turn_limit=99,
            )
        )  # fmt: skip

    def call(self, tool: str, **arguments: Any) -> CallRecord:
        self.layer.call(name=tool, arguments=arguments, call_id=None)
        return self.layer.calls[-1]

    def deploy(self, path: str) -> CallRecord:
        return self.call("deploy_file", path=path)


def test_what_was_checked_and_is_still_there_is_delivered() -> None:
    desk = Desk()
    desk.call("check_file", path="a.sh")
    assert desk.deploy("a.sh").decision.by == ""


def test_what_changed_since_its_check_is_refused_and_can_be_put_right_in_two_ways() -> None:
    desk = Desk()
    digest = desk.call("check_file", path="a.sh").result["digest"]
    desk.call("pull_changes")
    refused = desk.deploy("a.sh")
    assert (refused.decision.by, refused.decision.terminal) == (GUARD.id, False)
    assert "not what was checked any more" in refused.decision.reason
    assert digest in refused.decision.reason
    assert refused.effects == ()
    assert desk.call("deploy_checked", digest=digest).result["digest"] == digest
    desk.call("check_file", path="a.sh")
    assert desk.deploy("a.sh").decision.by == ""


def test_what_was_never_checked_is_refused_also_beside_a_check_of_another_file() -> None:
    desk = Desk()
    assert "'b.sh' was never checked" in desk.deploy("b.sh").decision.reason
    desk.call("check_file", path="a.sh")
    assert "'b.sh' was never checked" in desk.deploy("b.sh").decision.reason


def test_the_same_text_under_another_name_is_not_what_was_checked() -> None:
    desk = Desk()
    desk.call("check_file", path="a.sh")
    desk.layer.world.put("files", "b.sh", {"text": "one"})
    assert desk.deploy("b.sh").decision.by == GUARD.id


def test_a_change_that_was_taken_back_is_no_change() -> None:
    desk = Desk()
    desk.call("check_file", path="a.sh")
    desk.call("pull_changes")
    desk.layer.world.put("files", "a.sh", {"text": "one"})
    assert desk.deploy("a.sh").decision.by == ""


@pytest.mark.parametrize("path", ["./a.sh", "A.sh", "a.sh ", "", "\u202ea.sh", "a" * 200])
def test_another_spelling_of_the_name_is_refused(path: str) -> None:
    desk = Desk()
    desk.call("check_file", path="a.sh")
    assert "nothing called" in desk.deploy(path).decision.reason


def test_a_check_that_did_not_pass_covers_nothing() -> None:
    desk = Desk(POLICY | {"passed": "granted"})
    desk.call("check_file", path="a.sh")
    row = desk.layer.world.get("checked", "ap-1")
    assert row is not None
    desk.layer.world.put("checked", "ap-1", row | {"granted": False})
    assert "never checked" in desk.deploy("a.sh").decision.reason


def test_other_tools_and_no_policy_are_none_of_its_business() -> None:
    assert Desk(None).deploy("a.sh").decision.by == ""
    assert Desk(POLICY | {"tools": {}}).deploy("a.sh").decision.by == ""
    assert Desk().call("read_file", path="a.sh").decision.by == ""


@pytest.mark.parametrize("missing", POLICY)
def test_a_policy_that_leaves_something_open_is_an_error(missing: str) -> None:
    with pytest.raises(StrictError, match=missing):
        Desk({name: value for name, value in POLICY.items() if name != missing}).deploy("a.sh")
