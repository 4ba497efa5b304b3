"""Clauses are plain files with a strict head."""

import pytest

from grid.clauses import Placement, all_clauses, clause_for, known_texts, parse_clause
from grid.errors import ConfigError

GOOD = '+++\nid = "a"\nlanguage = "en"\nplacement = "append"\nsummary = "s"\n+++\nBe good.\n'


def test_a_clause_is_read_verbatim() -> None:
    clause = parse_clause(GOOD, "a.en.md")
    assert (clause.id, clause.text) == ("a", "Be good.")
    assert clause.system_text("Base.") == "Base.\n\nBe good."


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Be good.", "write a TOML head"),
        (GOOD.replace('id = "a"', "id = a"), "not TOML"),
        (GOOD.replace('id = "a"\n', ""), "the head needs exactly"),
        (GOOD.replace('"append"', '"before"'), "placement must be one of"),
        (GOOD.replace("Be good.", ""), "has a text"),
        (GOOD.replace("append", "nothing"), "has a text"),
    ],
)
def test_bad_clause_files_name_the_file_and_what_is_wrong(text: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message) as caught:
        parse_clause(text, "bad.md")
    assert "bad.md" in str(caught.value)


def test_no_clause_keeps_the_system_prompt_and_no_system_prompt_takes_it_away() -> None:
    assert clause_for("none", "ja").system_text("Base.") == "Base."
    assert clause_for("no-system-prompt", "en").system_text("Base.") is None


def test_a_clause_in_a_language_that_it_lacks_is_refused() -> None:
    with pytest.raises(ConfigError, match="has: en, ja"):
        clause_for("tool-output-is-data", "fr")


def test_ids_and_languages_are_unique_and_texts_differ() -> None:
    keys = [(clause.id, clause.language) for clause in all_clauses()]
    assert len(keys) == len(set(keys))
    assert len(known_texts()) == len(set(known_texts()))
    assert {clause.placement for clause in all_clauses()} == set(Placement)


def test_the_first_wording_of_the_article_is_an_arm_of_its_own() -> None:
    """A substitute that is listed satisfies it; the other wording forbids substitutes."""
    for language in ("en", "ja"):
        first = clause_for("never-unlisted", language).text
        second = clause_for("absent-target-is-refusal", language).text
        assert first
        assert first not in second
