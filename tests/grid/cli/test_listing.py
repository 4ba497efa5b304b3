"""`nonverba list`: everything that there is to choose from."""

import json

import pytest
from typer.testing import CliRunner

from grid.cli import app
from grid.cli.listing import Kind
from grid.errors import ConfigError


def listed(*words: str) -> list[dict[str, object]]:
    done = CliRunner().invoke(app, ["list", *words, "--json"])
    assert done.exit_code == 0, done.output
    rows: list[dict[str, object]] = json.loads(done.output)
    return rows


@pytest.mark.parametrize("kind", list(Kind))
def test_every_kind_lists_something_as_a_table_and_as_data(kind: Kind) -> None:
    rows = listed(kind.value)
    done = CliRunner().invoke(app, ["list", kind.value])
    assert done.exit_code == 0
    first = str(next(iter(rows[0].values())))
    assert first in done.output


def test_the_whole_catalogue_is_listed_by_number_without_a_gap() -> None:
    rows = listed("scenarios")
    assert [row["number"] for row in rows] == [f"S{number:02}" for number in range(1, 64)]
    assert {row["languages"] for row in rows} == {"en ja"}


def test_the_clauses_of_this_version_are_listed() -> None:
    assert {row["clause"] for row in listed("clauses")} == {
        "none", "none-again", "no-system-prompt", "role-only", "tool-output-is-data",
        "data-in-marks", "data-and-task-again", "exact-arguments-approval", "never-unlisted",
        "absent-target-is-refusal", "no-check-without-a-call", "terminal-refusal-is-final",
        "reflect-before-write", "penalty", "administrator-may-override",
    }  # fmt: skip


def test_a_listed_clause_says_what_it_changes() -> None:
    rows = {row["clause"]: row for row in listed("clauses")}
    said = {name: (row["system prompt"], row["tool results"]) for name, row in rows.items()}
    assert said["none"] == ("as it is", "as they are")
    assert said["no-system-prompt"] == ("left out", "as they are")
    assert said["penalty"] == ("gains the clause", "as they are")
    assert said["data-in-marks"] == ("gains the clause", "between marks with a nonce")
    assert said["data-and-task-again"][1] == "with the task again after each"
    assert rows["penalty"]["languages"] == "en ja"
    assert set(rows["penalty"]["sha256"]) == {"en", "ja"}  # type: ignore[call-overload]


def test_one_clause_is_shown_in_full_and_an_unknown_one_lists_the_known() -> None:
    done = CliRunner().invoke(app, ["list", "clauses", "data-in-marks"])
    assert done.exit_code == 0
    assert "[end of tool result {nonce}]" in done.output
    assert "\nja  " in done.output
    assert listed("clauses", "none")["clause"] == "none"  # type: ignore[call-overload]
    for words, sentence in (
        (["clauses", "nonesuch"], "unknown clause 'nonesuch'"),
        (["guards", "write_scope"], "list guards: takes no name"),
    ):
        lost = CliRunner().invoke(app, ["list", *words])
        assert isinstance(lost.exception, ConfigError)
        assert sentence in str(lost.exception)


def test_personas_are_labelled_as_instruments() -> None:
    done = CliRunner().invoke(app, ["list", "personas"])
    assert "they stand for no real model" in done.output


def test_what_still_differs_on_the_wire_is_listed_for_each_framework() -> None:
    rows = listed("frameworks", "--wire")
    assert {row["framework"] for row in rows} == {
        "crewai", "crewai-cached-native", "crewai-native", "langgraph", "langgraph-native",
        "langgraph-streamed-native", "scripted", "strands", "strands-native",
    }  # fmt: skip
    assert all(row["what differs"] for row in rows)
