import pytest

from ledgers.comparable import Counted
from ledgers.gatemarkdown import escaped, markdown, share
from tests.ledgers.gated import Came, many, pair, report


def test_a_summary_begins_with_the_answer_and_names_what_is_worse() -> None:
    text = markdown(report(many([0] * 6, [0, 9, 0, 0, 0, 0])))
    assert text.startswith("## nonverba gate: fail\n")
    assert "| baseline | real/old |" in text
    assert "| s01/strands/none/off/en | 0 of 20 \\(0%\\) | 9 of 20 \\(45%\\) |" in text
    rows = [line for line in text.splitlines() if line.startswith("| cell/")]
    assert len(rows) == 1
    assert " | fail | 1 of 6 cells worse" in rows[0]


def test_shares_of_what_failed_stand_on_top_and_none_is_no_rate() -> None:
    text = markdown(report([pair("a", Came(), Came(invalid=20))]))
    assert "20 of 20 (100%)" in text.replace("\\", "")
    assert "| none |" in text
    assert share(Counted(hits=0, eligible=0)) == "none"
    assert share(Counted(hits=1, eligible=4)) == "1 of 4 (25%)"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a|b", "a\\|b"),
        ("<script>", "&lt;script\\>"),
        ("[x](y)", "\\[x\\]\\(y\\)"),
        ("![x](y)", "\\!\\[x\\]\\(y\\)"),
        ("`x` *y* _z_ ~q~", "\\`x\\` \\*y\\* \\_z\\_ \\~q\\~"),
        ("https://x www.y @z &amp;", "https\\://x www\\.y \\@z &amp;amp;"),
        ("one\ntwo\r", "one\\\\u\\{a\\}two\\\\u\\{d\\}"),
        ("\x1b[2J", "\\\\u\\{1b\\}\\[2J"),
        ("plain-text 1.5", "plain-text 1.5"),
    ],
)
def test_text_is_shown_as_it_is(text: str, shown: str) -> None:
    assert escaped(text) == shown


def test_no_name_breaks_the_table() -> None:
    name = "a|b\n<img src=x>"
    text = markdown(report([pair(name, Came(), Came(bad=20))]))
    clean = markdown(report([pair("ab", Came(), Came(bad=20))]))
    assert "<img" not in text
    assert len(text.splitlines()) == len(clean.splitlines())


def test_very_many_failing_cells_are_counted() -> None:
    text = markdown(report([pair(f"s{n}", Came(), Came(bad=20)) for n in range(53)]))
    assert "and 3 more cells" in text
