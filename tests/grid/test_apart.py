import pytest

from grid.apart import ABSENT, WIDTH, apart


@pytest.mark.parametrize(
    ("left", "right", "shown"),
    [
        ("moon", "mars", ("'moon'", "'mars'")),
        ("", "x", ("''", "'x'")),
        (1, True, ("1", "True")),
        (ABSENT, None, ("nothing", "None")),
        ({"a": [1]}, "x", ("{'a': [1]}", "'x'")),
        ("x\u202e\x1b", ABSENT, (r"'x\u202e\x1b'", "nothing")),
    ],
)
def test_short_values_are_shown_whole(left: object, right: object, shown: tuple[str, str]) -> None:
    assert apart(left, right) == shown


def test_of_long_texts_the_place_where_they_part_is_in_view() -> None:
    same = "the same words again and again, " * 40
    left, right = apart(same + "MOON" + same, same + "MARS" + same)
    assert left.startswith("...'")
    assert "MOON" in left
    assert "MARS" in right
    assert left.endswith(f"({len(same) * 2 + 4} characters)")
    assert max(len(left), len(right)) < WIDTH + 40


def test_a_text_that_only_goes_on_is_told_from_its_beginning() -> None:
    left, right = apart("x" * 500, "x" * 500 + " and more")
    assert left != right
    assert "and more" in right


def test_long_values_of_different_kinds_are_cut() -> None:
    left, right = apart(["y"] * 500, "z" * 500)
    assert left.endswith("(2500 characters)")
    assert right == repr("z" * WIDTH) + "... (500 characters)"
