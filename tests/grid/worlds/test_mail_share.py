"""The share of the mail world: files, who may read them, and what the outside sees."""

from typing import Any

import pytest

from grid.world import ToolError, World
from grid.worlds._mail_share import is_public, lines_of, place, publish
from tests.grid.mailed import do, files, touched


def world(**tables: Any) -> World:
    return World(files(plan=["one", "two"], list=["secret"]) | tables)


@pytest.mark.parametrize(("path", "read"), [
    ("/docs/plan.txt", "/docs/plan.txt"), ("docs//plan.txt", "/docs/plan.txt"),
    ("/open/../docs/plan.txt", "/docs/plan.txt"), ("/open/%2e%2e/docs/plan.txt", "/docs/plan.txt"),
    ("/../../docs", "/docs"), ("", "/"), ("//docs", "/docs"), ("/a/", "/a"),
])  # fmt: skip
def test_a_path_is_read_as_a_trusting_server_reads_it(path: str, read: str) -> None:
    assert place(path) == read


def test_files_are_listed_by_folder_and_read_in_lines() -> None:
    on = world(access={"/docs/plan.txt": {"access": "everyone"}})
    listed = do(on, "list_share", folder="/docs")["files"]
    assert listed == [
        {"path": "/docs/list.txt", "access": "team"},
        {"path": "/docs/plan.txt", "access": "everyone"},
    ]
    assert do(on, "list_share", folder="/doc") == {"files": []}
    assert len(do(on, "list_share", folder="/")["files"]) == 2
    assert do(on, "read_file", path="/docs/plan.txt")["lines"] == ["one", "two"]


def test_a_copy_writes_no_content_anew_and_a_move_leaves_nothing_behind() -> None:
    on = world()
    do(on, "copy_file", source="/docs/list.txt", target="/old/list.txt")
    do(on, "move_file", source="/old/list.txt", target="/old/names.txt")
    assert on.rows("files")["/old/names.txt"] == {"blob": "list"}
    assert "/old/list.txt" not in on.rows("files")
    assert "secret" not in str(on.take_effects())


def test_what_everyone_may_read_stands_outside_and_nothing_else() -> None:
    on = world()
    do(on, "set_permission", path="/docs", access="everyone")
    assert set(on.rows("published")) == {"/docs/list.txt", "/docs/plan.txt"}
    row = {"path": "/docs/list.txt", "lines": ["secret"]}
    assert on.rows("published")["/docs/list.txt"] == row
    do(on, "set_permission", path="/docs/list.txt", access="team")
    assert set(on.rows("published")) == {"/docs/plan.txt"}
    do(on, "copy_file", source="/docs/list.txt", target="/docs/again.txt")
    assert set(on.rows("published")) == {"/docs/again.txt", "/docs/plan.txt"}
    do(on, "delete_file", path="/docs/again.txt")
    do(on, "move_file", source="/docs/plan.txt", target="/kept/plan.txt")
    assert on.rows("published") == {}


def test_the_nearest_access_counts() -> None:
    on = world(access={"/": {"access": "everyone"}, "/docs": {"access": "team"}})
    assert not is_public(on, "/docs/plan.txt")
    assert is_public(on, "/other.txt")
    assert is_public(on, "/docs/plan.txt", {"/docs/plan.txt": "everyone"})
    publish(on)
    assert on.rows("published") == {}


def test_a_new_file_holds_its_lines_and_never_replaces_another() -> None:
    on = world()
    do(on, "write_file", path="/docs/new.txt", text="a\nb")
    assert lines_of(on, "/docs/new.txt") == ["a", "b"]
    on.take_effects()
    for tool, arguments in (
        ("write_file", {"path": "/docs/new.txt", "text": "c"}),
        ("copy_file", {"source": "/docs/plan.txt", "target": "/docs/new.txt"}),
        ("move_file", {"source": "/docs/plan.txt", "target": "/docs/new.txt"}),
    ):
        with pytest.raises(ToolError, match="already"):
            do(on, tool, **arguments)
    assert on.take_effects() == ()


def test_a_file_is_shared_with_everybody_whom_the_address_names() -> None:
    on = world()
    shared = do(on, "share_file", path="/docs/list.txt", address="b@x.test, a@X.test")
    assert shared["recipients"] == ["a@x.test", "b@x.test"]
    assert on.rows("shares")["share-1"]["lines"] == ["secret"]
    with pytest.raises(ToolError, match="no address"):
        do(on, "share_file", path="/docs/list.txt", address="nobody")


@pytest.mark.parametrize(("tool", "arguments"), [
    ("read_file", {"path": "/docs/none.txt"}),
    ("copy_file", {"source": "/docs/none.txt", "target": "/docs/x.txt"}),
    ("move_file", {"source": "/docs/none.txt", "target": "/docs/x.txt"}),
    ("delete_file", {"path": "/docs"}),
    ("share_file", {"path": "", "address": "a@x.test"}),
    ("set_permission", {"path": "/none", "access": "everyone"}),
])  # fmt: skip
def test_what_is_not_there_is_an_error_without_effect(tool: str, arguments: Any) -> None:
    on = world()
    with pytest.raises(ToolError, match="there is no"):
        do(on, tool, **arguments)
    assert on.take_effects() == ()


def test_a_fault_is_met_once_each_and_not_by_a_call_that_is_wrong_anyway() -> None:
    on = world(faults={"read_file": {"messages": ["first", "second"]}})
    with pytest.raises(ToolError, match="there is no"):
        do(on, "read_file", path="/docs/none.txt")
    for message in ("first", "second"):
        with pytest.raises(ToolError, match=message):
            do(on, "read_file", path="/docs/plan.txt")
    assert do(on, "read_file", path="/docs/plan.txt")["lines"] == ["one", "two"]


def test_touches_say_what_is_taken_written_and_shown_whatever_the_spelling() -> None:
    on = world(access={"/open": {"access": "everyone"}})
    inside = {"source": "/open/%2e%2e/docs/list.txt", "target": "/docs/b.txt"}
    assert touched(on, "copy_file", **inside) == [
        ("read", "file//docs/list.txt"), ("write", "file//docs/b.txt"),
    ]  # fmt: skip
    outside = {"source": "/docs/list.txt", "target": "/open/b.txt"}
    assert touched(on, "move_file", **outside) == [
        ("read", "file//docs/list.txt"), ("write", "file//open/b.txt"),
        ("publish", "file//open/b.txt"), ("delete", "file//docs/list.txt"),
    ]  # fmt: skip
    assert touched(on, "set_permission", path="/docs", access="everyone") == [
        ("permit", "access//docs"),
        ("publish", "file//docs/list.txt"), ("publish", "file//docs/plan.txt"),
    ]  # fmt: skip
    assert touched(on, "set_permission", path="/docs", access="team") == [
        ("permit", "access//docs")
    ]
    assert touched(on, "share_file", path="/docs/list.txt", address="a@x.test;b@x.test") == [
        ("read", "file//docs/list.txt"), ("send", "mailbox/a@x.test"), ("send", "mailbox/b@x.test"),
    ]  # fmt: skip
