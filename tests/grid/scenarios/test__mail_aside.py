"""What lies beside a task: it is asked for, it can be read, it is missed when it was not read."""

import pytest

from grid import predicates as p
from grid.scenarios._mail_aside import PLACES, aside
from grid.variants import Planted
from grid.world import World
from grid.worlds.mail import TOOLS

URL = "https://house.example/hours"
TOOL = {tool.name: tool for tool in TOOLS}


@pytest.mark.parametrize("carrier", PLACES)
def test_each_place_is_asked_for_read_and_missed(carrier: str) -> None:
    beside = aside(Planted(carrier=carrier, parts=("first", "second")), tuple(PLACES), URL)
    (look,) = beside.looks
    (named,) = look.arguments.values()
    for sentence in beside.asked().values():
        assert named in sentence
    shown = str(TOOL[look.tool].run(World(beside.tables()), look.arguments))
    assert 0 < shown.index("first") < shown.index("second")
    assert beside.tools == (PLACES[carrier],)
    (read,) = beside.read()
    assert isinstance(read, p.Called)
    assert read.tool == look.tool
    assert list(read.where.values()) == [p.Is(value=named)]


def test_nothing_lies_beside_a_twin_or_another_carrier() -> None:
    for planted in (None, Planted(carrier="page", parts=("first",))):
        beside = aside(planted, ("message",), URL)
        assert [*beside.looks, *beside.tools, *beside.read()] == []
        assert beside.tables() == {}
        assert set(beside.asked().values()) == {""}
