"""`nonverba list`: everything that there is to choose from."""

import json

import pytest
from typer.testing import CliRunner

from grid.cli import app
from grid.cli.listing import Kind


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
    assert [row["number"] for row in rows] == [f"S{number:02}" for number in range(1, 62)]
    assert {row["languages"] for row in rows} == {"en ja"}


def test_the_clauses_of_this_version_are_listed() -> None:
    assert {row["clause"] for row in listed("clauses")} == {
        "none", "tool-output-is-data", "absent-target-is-refusal", "never-unlisted",
        "no-system-prompt",
    }  # fmt: skip


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
