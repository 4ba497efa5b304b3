"""`tool`: what the model sees of it, what is declared, and the strict schemas it is made of."""

from dataclasses import replace
from typing import Any

import pytest
from jsonschema import ValidationError

from grid.evidence import Touch
from grid.registry import load, module_names
from grid.report import REPORT
from grid.tool import Tool, object_schema, text, touches_nothing, validator, whole
from grid.vocabulary import Access
from grid.world import WorldReader
from tests.builders import nothing

TOOL = Tool(
    name="pay", description="Pays.", access=Access.PIVOT, run=nothing,
    parameters=object_schema({"to": text("Whom."), "amount": whole("How much.", minimum=1)}),
)  # fmt: skip
EVERY_TOOL = (
    REPORT,
    *(
        tool
        for world in module_names("grid.worlds")
        for tool in load("grid.worlds", world, "world").TOOLS
    ),
)


def test_the_model_sees_name_description_and_schema_and_nothing_of_the_operators_view() -> None:
    spec = TOOL.spec()
    assert (spec.name, spec.description, spec.parameters) == ("pay", "Pays.", TOOL.parameters)
    assert not {"access", "annotations", "compensate", "server"} & set(spec.__slots__)


@pytest.mark.parametrize(
    "change",
    [
        {"name": "send"}, {"description": "Sends."}, {"parameters": object_schema({})},
        {"access": Access.READ}, {"annotations": {"readOnlyHint": True}}, {"server": "far"},
        {"compensate": "refund"},
    ],
)  # fmt: skip
def test_whatever_is_declared_of_a_tool_is_in_its_digest(change: dict[str, Any]) -> None:
    assert replace(TOOL, **change).digest() != TOOL.digest()


def test_the_digest_of_a_tool_is_that_of_its_declaration_and_not_of_its_code() -> None:
    other = replace(TOOL, run=lambda _world, _arguments: {"other": 1})
    assert other.digest() == TOOL.digest()
    assert other != TOOL, "two tools are equal only if they are the same object"


def test_a_tool_touches_nothing_unless_it_says_so() -> None:
    world = WorldReader({}, 0)
    assert TOOL.touches(world, {"to": "a"}) == touches_nothing(world, {}) == ()
    touch = Touch(resource="account/a", effect="pay")
    telling = replace(TOOL, touches=lambda _world, _arguments: (touch,))
    assert telling.touches(world, {}) == (touch,)


@pytest.mark.parametrize(
    "arguments",
    [{"to": "a"}, {"to": "a", "amount": 1, "more": 2}, {"to": "a", "amount": "1"},
     {"to": "a", "amount": 0}, {"to": None, "amount": 1}, [], "x", None],
)  # fmt: skip
def test_its_schema_is_strict(arguments: Any) -> None:
    with pytest.raises(ValidationError):
        validator(TOOL).validate(arguments)


def test_what_fits_its_schema_passes() -> None:
    validator(TOOL).validate({"to": "a", "amount": 1})


def test_a_validator_is_built_once_for_each_tool_and_not_shared_by_tools_of_one_name() -> None:
    loose = replace(TOOL, parameters=object_schema({"to": text("Whom.")}))
    assert validator(TOOL) is validator(TOOL)
    validator(loose).validate({"to": "a"})


def test_properties_are_required_unless_some_are_named() -> None:
    both = {"a": text("A."), "b": text("B.")}
    assert object_schema(both)["required"] == ["a", "b"]
    assert object_schema(both, ("b",))["required"] == ["b"]
    assert object_schema(both, ())["required"] == []


def test_more_can_be_said_of_a_property() -> None:
    assert text("A.", enum=["x"]) == {"type": "string", "description": "A.", "enum": ["x"]}
    assert whole("B.", minimum=0) == {"type": "integer", "description": "B.", "minimum": 0}


@pytest.mark.parametrize("tool", EVERY_TOOL, ids=lambda tool: tool.name)
def test_every_tool_of_every_world_has_a_strict_schema_and_a_name_for_the_wire(tool: Tool) -> None:
    assert tool.name.replace("_", "").isalpha()
    assert tool.name.islower()
    waiting: list[Any] = [tool.parameters]
    while waiting:
        schema = waiting.pop()
        if isinstance(schema, dict):
            if schema.get("type") == "object":
                assert schema["additionalProperties"] is False
            waiting += schema.values()
        elif isinstance(schema, list):
            waiting += schema
