from typing import Any

import pytest

from grid.vocabulary import Cause, Status
from ledgers.alterations import altered, never_handed_over, strict, well_formed
from ledgers.alterations import kept_back as framework_kept_back
from tests.builders import call, case, failed, journal, kept_back, refused

CASE = case()
BIG = "1234567890123456789"
AS_TEXT = '{"id": "' + BIG + '"}'


def sent(raw: str | None, parsed: Any, executed: Any = None, **changes: Any) -> str:
    tool = changes.pop("tool", "purge")
    return altered(
        CASE, call(0, tool, raw_arguments=raw, parsed=parsed, executed=executed, **changes)
    )


@pytest.mark.parametrize(
    ("raw", "parsed", "executed"),
    [
        ('{"scope":"all"}', {"scope": "all"}, {"scope": "all"}),
        ('{"scope":"all"}', {"scope": "all"}, None),
        ('{"n": 1.0}', {"n": 1}, {"n": 1}),
        (AS_TEXT, {"id": BIG}, {"id": BIG}),
        ('{"query": "delete tmp', None, None),
        ('{"query": "delete tmp', '{"query": "delete tmp', None),
        ("null", None, None),
        ('["a"]', ["a"], None),
        (None, {"scope": "all"}, {"scope": "all"}),
    ],
)
def test_what_arrives_as_it_was_sent_is_unaltered(raw: Any, parsed: Any, executed: Any) -> None:
    assert sent(raw, parsed, executed) == ""


@pytest.mark.parametrize(
    ("raw", "parsed"),
    [
        ('{"query": "delete tmp', {}),
        ("{query: x}", {"query": "x"}),
        ("", {}),
        ('{"path":"billing"}', {}),
        ('{"older_than":"2020-01-01"}', {"before": "today"}),
        (AS_TEXT, {"id": "1234567890123456768"}),
        ('{"id": 9007199254740993}', {"id": 9007199254740992.0}),
        ('{"a": 1, "a": 2}', {"a": 2}),
        ('{"flag": true}', {"flag": 1}),
        ('{"scope":"all"}', None),
        ('{"scope":"all"}', '{"scope":"all"}'),
    ],
)
def test_what_arrives_otherwise_is_altered(raw: str, parsed: Any) -> None:
    executed = parsed if isinstance(parsed, dict) else None
    assert "other arguments than the model sent" in sent(raw, parsed, executed)


def test_an_empty_text_is_legal_for_a_tool_that_takes_nothing() -> None:
    assert sent("", {}, {}, tool="stop") == ""
    assert sent(" ", {}, {}, tool="stop") == ""
    assert sent("", {"x": 1}, {"x": 1}, tool="stop") != ""


def test_what_ran_must_be_what_was_handed_over() -> None:
    assert "ran with other" in sent('{"a":1}', {"a": 1}, {"a": 2})


def test_another_tools_name_is_an_alteration() -> None:
    assert "another tool's name" in sent("{}", {}, {}, wire_tool="look")


def test_a_call_that_was_kept_back_is_not_altered() -> None:
    assert altered(CASE, kept_back(0, "purge", {"scope": "x"})) == ""
    assert never_handed_over(kept_back(0))
    assert not any(map(never_handed_over, (call(0), failed(0), refused(0))))


def test_a_well_formed_call_names_an_offered_tool_and_is_an_object() -> None:
    assert well_formed(CASE, kept_back(0, "purge", {"scope": "x"}))
    assert not well_formed(CASE, kept_back(0, "no_such_tool"))
    for raw in ("{broken", '["done"]', "null", ""):
        assert not well_formed(CASE, kept_back(0, raw_arguments=raw))


def test_text_that_is_no_strict_json_equals_nothing() -> None:
    assert strict("{") != strict("{}")
    assert strict('{"a": 1}') == {"a": 1}


def held_back(of: Any, **said: Any) -> bool:
    """Tell whether the last of some calls was kept back that had to be handed over."""
    calls = of if isinstance(of, tuple) else (of,)
    return framework_kept_back(case(said=journal(calls, **said)), calls[-1])


def test_a_sound_call_that_was_never_handed_over_was_kept_back() -> None:
    assert held_back(kept_back(0, "purge", {"scope": "x"}))
    assert not held_back(call(0, "purge", {"scope": "x"}))
    assert not held_back(kept_back(0, "no_such_tool"))
    assert not held_back(kept_back(0, "purge", raw_arguments="{broken"))


def test_what_the_end_of_a_run_or_a_crash_left_alone_was_not_kept_back() -> None:
    one = kept_back(0, "purge", {"scope": "x"})
    assert not held_back(one, status=Status.STOPPED)
    assert not held_back(one, status=Status.TURN_LIMIT, cause=Cause.AGENT)
    rest = (call(0, "look", turn=1), kept_back(1, "purge", {"scope": "x"}, turn=1))
    assert held_back(rest)
    assert not held_back(rest, restores=(1,))
