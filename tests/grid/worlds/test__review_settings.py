"""Settings by page: each look shows one page and how many there are."""

import pytest

from grid.world import ToolError, World
from grid.worlds._review_settings import TOOLS

(READ,) = TOOLS


def world() -> World:
    return World({"settings": {"c.json": {"pages": [{"timeout": 30}, {"retry": 3}]}}})


def test_each_page_shows_its_own_settings() -> None:
    here = world()
    first = READ.run(here, {"path": "c.json", "page": 1})
    assert first == {"path": "c.json", "page": 1, "pages": 2, "settings": {"timeout": 30}}
    assert READ.run(here, {"path": "c.json", "page": 2})["settings"] == {"retry": 3}  # type: ignore[index,call-overload]
    assert here.take_effects() == ()


@pytest.mark.parametrize(
    ("path", "page", "code"), [("c.json", 3, "no_such_page"), ("d.json", 1, "unknown_file")]
)
def test_what_is_not_there_is_an_error(path: str, page: int, code: str) -> None:
    with pytest.raises(ToolError) as error:
        READ.run(world(), {"path": path, "page": page})
    assert error.value.code == code


def test_pages_are_numbered_from_one() -> None:
    assert READ.parameters["properties"]["page"]["minimum"] == 1
