"""`comparepicture`: every number in its place, and hostile names as words."""

import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from grid.cli.comparepicture import chart, check_picture, safe_svg, write_picture
from grid.errors import ConfigError, HarnessError
from ledgers.compare_arms import Axis, Question
from ledgers.comparison import Comparison, compare
from tests.ledgers.compared import arms, cell

SCRIPT = "<script>alert(1)</script>"
COUNTS = {"none": [7, 6, 8, 7], "none-again": [6, 7, 8, 6], "good": [2, 3, 1, 4]}


def by_clause(counts: dict[str, list[int]]) -> Comparison:
    return compare(arms(counts), Question(axis=Axis.CLAUSE))


def drawn(folder: Path, found: Comparison, numbers: dict[str, str] | None = None) -> str:
    write_picture(folder / "p.svg", found, numbers or {})
    return (folder / "p.svg").read_text("utf-8")


def texts(svg: str) -> list[str]:
    root = ElementTree.fromstring(svg)  # noqa: S314 - drawn by the code under test
    return ["".join(e.itertext()) for e in root.iter() if str(e.tag).endswith("}text")]


def rows_of(specification: Any) -> list[dict[str, Any]]:
    """Return the rows of every chart in a specification."""
    if isinstance(specification, list):
        return [row for part in specification for row in rows_of(part)]
    if not isinstance(specification, dict):
        return []
    own = specification.get("data", {}).get("values", [])
    return [*own, *(row for part in specification.values() for row in rows_of(part))]


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> str:
    return drawn(tmp_path_factory.mktemp("plain"), by_clause(COUNTS), {"s0": "S01"})


def test_arms_and_scenarios_are_named_and_every_cell_holds_its_number(plain: str) -> None:
    words = texts(plain)
    assert {"good", "none-again", "S01 s0", "s1", "s2", "s3"} <= set(words)
    for number in ("-50", "-30", "-70", "-10", "+10", "0"):
        assert number in words
    assert any(word.startswith("-45 [-") for word in words)
    assert any("noise floor" in word for word in words)


def test_the_forest_holds_both_intervals_and_the_noise_floor() -> None:
    found = by_clause(COUNTS)
    data = chart(found, {}).to_dict()
    good = next(arm.effect.difference for arm in found.arms if arm.level == "good")
    assert good is not None
    assert good.t is not None
    assert good.bca is not None
    assert found.noise is not None
    assert found.noise.floor is not None
    held = rows_of(data)
    for kind, interval in (("t", good.t), ("bca", good.bca)):
        row = next(one for one in held if one.get("kind") == kind and one["arm"] == "good ")
        assert (row["low"], row["high"]) == pytest.approx((100 * interval.low, 100 * interval.high))
    band = next(one for one in held if set(one) == {"low", "high"})
    assert band["high"] == pytest.approx(100 * found.noise.floor)
    assert band["low"] == -band["high"]


def test_without_a_copy_no_noise_floor_is_drawn() -> None:
    data = chart(by_clause({"none": [7, 6], "good": [1, 2]}), {}).to_dict()
    assert not [row for row in rows_of(data) if set(row) == {"low", "high"}]


def test_a_difference_that_is_not_there_is_the_word_none_and_no_colour(tmp_path: Path) -> None:
    cells = [
        *arms({"none": [7, 6], "good": [1, 2]}), cell("dead"),
        cell("dead", 0, 0, invalid=4, clause="good"),
    ]  # fmt: skip
    found = compare(cells, Question(axis=Axis.CLAUSE))
    row = next(one for one in rows_of(chart(found, {}).to_dict()) if one.get("scenario") == "dead ")
    assert (row["points"], row["text"]) == (None, "none")
    assert "none" in texts(drawn(tmp_path, found))


@pytest.mark.parametrize("name", [SCRIPT, "a'b\"c</text><script>x</script>", "]]>&#x3c;b", "{{x}}"])
def test_hostile_names_are_words_in_svg_and_html(name: str, tmp_path: Path) -> None:
    found = by_clause({"none": [7, 6, 8], name: [1, 2, 3]})
    svg = drawn(tmp_path, found, {"s0": name[:20]})
    assert name in texts(svg)
    assert "<script" not in svg
    write_picture(tmp_path / "p.html", found, {"s0": name})
    page = (tmp_path / "p.html").read_text("utf-8")
    assert "<script" not in page
    assert "default-src 'none'" in page


def test_names_cannot_hide_or_turn_round_what_is_drawn(tmp_path: Path) -> None:
    found = by_clause({"none": [7, 6, 8], "a\u202eb\x1b": [1, 2, 3]})
    svg = drawn(tmp_path, found)
    assert not set("\u202e\x1b") & set(svg)
    assert "a\\u{202e}b\\u{1b}" in texts(svg)


def test_long_names_that_begin_alike_stay_apart(tmp_path: Path) -> None:
    long = "x" * 300
    found = by_clause({"none": [7, 6, 8], long + "1": [1, 2, 3], long + "2": [3, 4, 5]})
    names = {word for word in texts(drawn(tmp_path, found)) if word.startswith("xxx")}
    assert len(names) == 2


@pytest.mark.parametrize(
    "name", ["constructor", "toString", "hasOwnProperty", "__proto__", "valueOf", "null"]
)
def test_a_name_that_every_object_of_the_renderer_has_is_drawn_as_any_other(
    name: str, tmp_path: Path
) -> None:
    cells = [cell(name, hits, clause=clause) for clause, hits in (("none", 7), (name, 2))]
    cells += arms({"none": [7, 6, 8], name: [1, 2, 3]})
    assert texts(drawn(tmp_path, compare(cells, Question(axis=Axis.CLAUSE)))).count(name) == 3


def test_a_picture_is_never_put_into_a_run(tmp_path: Path) -> None:
    (tmp_path / "HEAD").write_text("")
    with pytest.raises(ConfigError, match=r"--picture: .* lies in a run"):
        check_picture(tmp_path / "p.svg", [tmp_path])
    check_picture(tmp_path / "p.svg", [tmp_path / "other"])


def test_the_page_loads_nothing(tmp_path: Path) -> None:
    write_picture(tmp_path / "p.html", by_clause(COUNTS), {})
    page = (tmp_path / "p.html").read_text("utf-8")
    assert set(re.findall(r"https?://[^\"' ]+", page)) <= {
        "http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink",
    }  # fmt: skip
    assert not re.findall(r"\b(?:src|href)=", page)
    assert set(re.findall(r"url\((.)", page)) <= {"#"}


def test_a_png_is_a_picture(tmp_path: Path) -> None:
    write_picture(tmp_path / "p.png", by_clause(COUNTS), {})
    data = (tmp_path / "p.png").read_bytes()
    assert data.startswith(b"\x89PNG\r\n")
    assert len(data) > 5_000


@pytest.mark.parametrize(
    "inside",
    [
        "<script>x</script>", '<g onload="x"/>', '<image href="http://x.y"/>', "<foreignObject/>",
        '<a xmlns:xlink="http://www.w3.org/1999/xlink" xlink:href="x"/>',
        '<path xmlns:xlink="http://www.w3.org/1999/xlink" xlink:href="x"/>',
    ],
)  # fmt: skip
def test_a_drawing_that_holds_more_than_shapes_and_words_is_not_written(inside: str) -> None:
    svg = f'<svg xmlns="http://www.w3.org/2000/svg">{inside}</svg>'
    with pytest.raises(HarnessError, match="is not written"):
        safe_svg(svg)


def test_a_drawing_of_shapes_and_words_is() -> None:
    svg = '<svg xmlns="http://www.w3.org/2000/svg"><text class="on">&lt;script&gt;</text></svg>'
    assert safe_svg(svg) == svg


def test_the_files_name_says_what_is_drawn(tmp_path: Path) -> None:
    for name in ("a.svg", "a.PNG", "a.html"):
        check_picture(tmp_path / name)
    for name in ("a", "a.jpg", "svg"):
        with pytest.raises(ConfigError, match=r"[.]svg, [.]png or [.]html"):
            check_picture(tmp_path / name)
    with pytest.raises(ConfigError, match="name one in a folder that exists"):
        check_picture(tmp_path / "none" / "a.svg")
