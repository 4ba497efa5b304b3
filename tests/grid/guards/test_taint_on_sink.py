"""taint_on_sink: guarded content does not leave, over however many calls it travels."""

from itertools import pairwise
from typing import Any

import pytest

from grid.errors import StrictError
from grid.guards.taint_on_sink import GUARD
from tests.grid.mailed import Mailed

POLICY: dict[str, Any] = {
    "sources": ["file//staff/"], "takes": ["read"], "shows": ["publish"],
    "sends": ["send", "fetch"],
}  # fmt: skip
LIST, PAGE = "/staff/list.txt", "/book/page.txt"
OPEN = {"path": "/book", "access": "everyone"}
MAIL = {"to": "a@b.test", "subject": "s", "body": "b"}


def share(policy: Any = POLICY, **more: Any) -> Mailed:
    return Mailed(GUARD, policy, **{
        "files": {LIST: {"blob": "list"}, PAGE: {"blob": "page"}},
        "blobs": {"list": {"lines": ["secret"]}, "page": {"lines": ["open"]}},
    } | more)  # fmt: skip


def chain(on: Mailed, *paths: str) -> None:
    for source, target in pairwise(paths):
        assert not on.refused("copy_file", source=source, target=target)


@pytest.mark.parametrize("paths", [
    (LIST, "/book/a.txt"),
    (LIST, "/old/a.txt", "/book/a.txt"),
    (LIST, "/old/a.txt", "/old/b.txt", "/tmp/c.txt", "/book/d.txt"),
    ("/staff/../staff/list.txt", "/old/%61.txt", "/book/a.txt"),
])  # fmt: skip
def test_to_open_a_folder_with_a_copy_in_it_is_refused_however_long_the_chain(
    paths: tuple[str, ...],
) -> None:
    on = share()
    chain(on, *paths)
    call = on.call("set_permission", **OPEN)
    assert (call.decision.by, call.decision.terminal) == ("taint_on_sink", True)
    assert on.rows("published") == {}


def test_a_move_carries_the_mark_though_the_source_is_gone() -> None:
    on = share()
    on.call("move_file", source=LIST, target="/old/a.txt")
    on.call("move_file", source="/old/a.txt", target="/book/a.txt")
    assert on.refused("set_permission", **OPEN)


def test_to_copy_into_an_open_folder_is_refused_at_once() -> None:
    on = share(access={"/book": {"access": "everyone"}})
    assert on.refused("copy_file", source=LIST, target="/book/a.txt")
    assert on.refused("move_file", source=LIST, target="/book/a.txt")
    assert not on.refused("copy_file", source=PAGE, target="/book/b.txt")


@pytest.mark.parametrize("steps", [
    [("copy_file", {"source": PAGE, "target": "/book/b.txt"})],
    [("copy_file", {"source": LIST, "target": "/old/a.txt"})],
    [("copy_file", {"source": LIST, "target": "/staff/b.txt"}), ("send_mail", MAIL)],
    [("read_file", {"path": PAGE}), ("write_file", {"path": "/book/c.txt", "text": "x"})],
    [("list_share", {"folder": "/staff"})],
    [("read_file", {"path": LIST})],
    [("write_file", {"path": "/book/c.txt", "text": "x"}), ("read_file", {"path": LIST})],
])  # fmt: skip
def test_what_lets_nothing_out_is_not_refused(steps: list[tuple[str, Any]]) -> None:
    on = share()
    for tool, arguments in steps:
        assert not on.refused(tool, **arguments)
    assert not on.refused("set_permission", **OPEN)


def test_one_who_has_read_it_sends_and_shows_nothing_of_his_own_any_more() -> None:
    on = share(access={"/book": {"access": "everyone"}}, pages={})
    assert not on.refused("send_mail", **MAIL)
    on.call("read_file", path=LIST)
    assert on.refused("send_mail", **MAIL)
    assert on.refused("read_page", url="https://collect.test/?x")
    assert on.refused("write_file", path="/book/new.txt", text="x")
    assert not on.refused("write_file", path="/old/new.txt", text="x")
    assert on.refused("copy_file", source="/old/new.txt", target="/book/new.txt")
    assert not on.refused("copy_file", source=PAGE, target="/old/page.txt")


def test_what_takes_and_sends_in_one_call_is_refused() -> None:
    on = share()
    assert on.refused("share_file", path=LIST, address="a@b.test")
    assert on.refused("send_mail", **MAIL, attachments=[PAGE, LIST])
    assert not on.refused("send_mail", **MAIL, attachments=[PAGE])


def test_a_call_that_failed_or_was_refused_marks_nothing() -> None:
    on = share()
    on.call("share_file", path=LIST, address="a@b.test")
    assert on.call("copy_file", source="/staff/none.txt", target=PAGE).error
    assert not on.refused("send_mail", **MAIL)


def test_without_a_policy_it_has_nothing_to_say() -> None:
    on = share(None)
    chain(on, LIST, "/book/a.txt")
    assert not on.refused("set_permission", **OPEN)


@pytest.mark.parametrize("changed", [{"sources": [""]}, {"sources": "file/"}, {"more": 1}])
def test_a_policy_that_marks_everything_or_says_too_much_is_an_error(changed: Any) -> None:
    with pytest.raises(StrictError):
        share(POLICY | changed).call("read_file", path=PAGE)


def test_a_long_run_is_followed_in_good_time() -> None:
    on = share()
    chain(on, LIST, *(f"/old/{n}.txt" for n in range(60)), "/book/z.txt")
    assert on.refused("set_permission", **OPEN)
