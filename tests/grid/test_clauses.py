"""Clauses are plain files with a strict head."""

import pytest

from grid.clauses import (
    LONGEST,
    Clause,
    Placement,
    all_clauses,
    clause_for,
    clause_in,
    clauses_by_id,
    own_clause,
    parse_clause,
    shipped,
)
from grid.errors import ConfigError
from grid.resultframe import CLOSING, OPENING, Results, nonce_for
from grid.system import BASE

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
        (GOOD.replace("Be good.", ""), "no text that can be read"),
        (GOOD.replace("Be good.", "\u200b\u3164\u2003"), "no text that can be read"),
        (GOOD.replace("Be good.", "Be\x00good."), r"control character '\\x00'"),
        (GOOD.replace("Be good.", "Be \x1b[31mgood."), r"control character '\\x1b'"),
        (GOOD.replace('"a"', f'"{"a" * 101}"'), "at most 100 characters"),
        (GOOD.replace('"a"', '"a\u3164b"'), "none of them unseen"),
        ("+++\nid = " + "[" * 30_000 + "\n+++\nx", "the head is not TOML"),
        (GOOD.replace("append", "nothing"), "has a text"),
        (GOOD.replace('"en"', '"fr"'), "language must be one of .'en', 'ja', '\\*'."),
        (GOOD.replace('id = "a"', 'id = "a/b"'), "its id 'a/b' must be letters"),
        (GOOD.replace('id = "a"', 'id = ""'), "its id '' must be letters"),
        (GOOD.replace("summary", 'results = "shouted"\nsummary'), "results must be one of"),
        (GOOD.replace("summary", "results = 3\nsummary"), "results must be one of"),
        (GOOD.replace("summary", 'results = "marked"\nsummary'), "must name the marks with"),
        (GOOD.replace("good", "good {nonce}"), "filled in only with results"),
        (GOOD.replace("good", "good" * LONGEST), "that is no clause"),
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
    texts = [clause.text for clause in all_clauses() if clause.text]
    assert len(texts) == len(set(texts))
    assert {clause.placement for clause in all_clauses()} == set(Placement)


def test_the_first_wording_of_the_article_is_an_arm_of_its_own() -> None:
    """A substitute that is listed satisfies it; the other wording forbids substitutes."""
    for language in ("en", "ja"):
        first = clause_for("never-unlisted", language).text
        second = clause_for("absent-target-is-refusal", language).text
        assert first
        assert first not in second


def test_fifteen_arms_ship_each_in_both_languages_or_without_a_text() -> None:
    assert len(clauses_by_id()) == 15
    for identity, written in clauses_by_id().items():
        languages = [clause.language for clause in written]
        assert languages == (["en", "ja"] if written[0].text else ["*"]), identity
        assert len({(clause.placement, clause.results) for clause in written}) == 1, identity


def test_a_japanese_text_is_japanese_and_an_english_one_is_not() -> None:
    for clause in all_clauses():
        kana = any("\u3040" <= letter <= "\u30ff" for letter in clause.text)
        assert kana == (clause.language == "ja"), clause.id


def test_none_again_is_none_by_another_name() -> None:
    for language in BASE:
        one, other = clause_for("none", language), clause_for("none-again", language)
        assert one.digest() == other.digest()
        assert one.id != other.id


def marked(text: str = "Mind {nonce}.", placement: Placement = Placement.APPEND) -> Clause:
    return Clause(
        id="m", language="en", placement=placement, summary="", text=text, results=Results.MARKED
    )


def test_the_nonce_of_the_trial_is_filled_in_and_only_where_results_are_marked() -> None:
    told = marked().system_text("Base.", "ab" * 16)
    assert told == f"Base.\n\nMind {nonce_for('ab' * 16)}."
    assert marked().system_text("Base.", "cd" * 16) != told
    plain = Clause(id="p", language="en", placement=Placement.APPEND, summary="", text="{nonce}")
    assert plain.filled("ab" * 16) == "{nonce}"


def test_a_clause_that_marks_names_the_marks_as_they_stand() -> None:
    found = [clause for clause in all_clauses() if clause.results is Results.MARKED]
    assert {clause.language for clause in found} == {"en", "ja"}
    for clause in found:
        nonce = nonce_for("ab" * 16)
        assert f"{OPENING}{nonce}]" in clause.filled("ab" * 16)
        assert f"{CLOSING}{nonce}]" in clause.filled("ab" * 16)


def test_marks_without_a_sentence_are_an_arm_that_one_can_write() -> None:
    bare = parse_clause(
        '+++\nid = "b"\nlanguage = "*"\nplacement = "nothing"\nresults = "marked"\n'
        'summary = "s"\n+++\n',
        "b.md",
    )
    assert bare.system_text("Base.", "ab" * 16) == "Base."
    assert bare.digest() != clause_for("none", "en").digest()


def test_what_is_done_to_results_is_part_of_the_digest() -> None:
    one = marked("x {nonce}")
    plain = Clause(id="m", language="en", placement=one.placement, summary="", text=one.text)
    assert one.digest() != plain.digest()
    sneaky = Clause(
        id="m", language="en", placement=one.placement, summary="", text=f"marked\n{one.text}"
    )
    assert sneaky.digest() != one.digest()


# --- one's own ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "identity", "language"),
    [
        ("mine.md", "mine", "*"),
        ("mine.en.md", "mine", "en"),
        ("mine.ja.md", "mine", "ja"),
        ("mine.v2.md", "mine.v2", "*"),
        ("en.md", "en", "*"),
        ("方針.ja.md", "方針", "ja"),
    ],
)
def test_markdown_without_a_head_is_a_clause_by_its_name(
    name: str, identity: str, language: str
) -> None:
    found = own_clause("\n# Be kind.\n\nAlways.\n", name)
    assert (found.id, found.language) == (identity, language)
    assert (found.text, found.summary) == ("# Be kind.\n\nAlways.", "# Be kind.")
    assert (found.placement, found.results) == (Placement.APPEND, Results.PLAIN)


def test_a_file_with_a_head_is_what_its_head_says() -> None:
    assert own_clause("\n" + GOOD, "other.ja.md").id == "a"
    assert len(own_clause("long " * 50, "a.md").summary) == 80


@pytest.mark.parametrize(
    ("text", "name", "message"),
    [
        (" \n", "a.md", "it is empty"),
        ("+++\nx", "a.md", "write a TOML head"),
        ("Be.", " a.md", "its id ' a' must be letters"),
        ("Be.", ".md", "must be letters"),
        ("Mind {nonce}.", "a.md", "filled in only with results"),
    ],
)
def test_a_file_of_ones_own_that_is_no_clause_is_refused(
    text: str, name: str, message: str
) -> None:
    with pytest.raises(ConfigError, match=message) as caught:
        own_clause(text, name)
    assert name in str(caught.value)


# --- found again ----------------------------------------------------------------------------------


def test_every_clause_is_recognised_in_every_system_prompt_that_it_makes() -> None:
    for clause in shipped():
        base = BASE.get(clause.language, BASE["en"])
        for seed in ("ab" * 16, "cd" * 16):
            found = clause_in(f"In a frame: {clause.system_text(base, seed)} More.")
            assert found == (clause if clause.text else None), clause.id


def test_a_clause_whose_nonce_is_none_is_not_recognised() -> None:
    for clause in shipped():
        if clause.results is Results.MARKED:
            assert clause_in(clause.text) is None
            assert clause_in(clause.text.replace("{nonce}", "0123")) is None
    assert clause_in("Base.") is None
