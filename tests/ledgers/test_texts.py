import pytest

from grid.canonical import plain_json
from grid.resultframe import Results, framed
from ledgers.texts import Strand, opened, strands


def test_every_string_is_found_with_its_place_starred_and_exact() -> None:
    value = {"a": ["x", {"b": "y"}], "n": 3, "t": True, "z": None}
    assert [strand for strand in strands(value) if "@" not in strand.place] == [
        Strand("/a/*", "x", "/a/0"),
        Strand("/a/*/b", "y", "/a/1/b"),
    ]


def test_keys_count_as_strings() -> None:
    assert Strand("/@name", "hidden", "/@name") in list(strands({"hidden": 1}))


def test_json_inside_strings_is_opened_a_bounded_number_of_times() -> None:
    value = "deep"
    for _ in range(6):
        value = plain_json([value], indent=None)
    texts = [strand.text for strand in strands([value])]
    assert len(texts) == 4, "the string itself and three openings"
    assert "deep" not in texts
    assert "deep" in [strand.text for strand in strands(plain_json(["deep"]))]


def test_text_that_is_no_strict_json_stays_a_string() -> None:
    for text in ('{"a": 1, "a": 2}', "{broken", "[1e999]", "plain", "12"):
        assert opened(text) is None
        assert [strand.text for strand in strands(text)] == [text]


@pytest.mark.parametrize("results", list(Results))
def test_a_tool_answer_is_opened_through_what_a_clause_put_around_it(results: Results) -> None:
    answer = plain_json({"ok": True, "result": 'say "hi"\nnow'}, indent=None)
    told = framed(answer, results, seed="ab" * 16, language="en", words="Do it.")
    found = strands({"content": told})
    assert Strand("/content/@json/result", 'say "hi"\nnow', "/content/@json/result") in found
    assert found[1].text == told
    broken = told.replace('"ok"', "ok")
    assert opened(broken) is None
