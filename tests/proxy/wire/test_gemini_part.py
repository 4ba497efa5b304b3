from typing import Any

import pytest

from grid.errors import StrictError
from proxy.wire.gemini_part import camel, kind_of


@pytest.mark.parametrize(
    ("part", "kind"),
    [
        ({"text": "x"}, "text"),
        ({"text": "", "thoughtSignature": "s"}, "text"),
        ({"functionCall": {}, "text": None, "partMetadata": {"new": 1}}, "functionCall"),
        ({"inlineData": {}, "unheardOf": 1}, "inlineData"),
        ({}, ""),
        ({"text": None}, ""),
        ({"thought": True, "thoughtSignature": "s"}, ""),
    ],
)
def test_a_part_is_of_the_kind_that_it_holds(part: dict[str, Any], kind: str) -> None:
    assert kind_of(part, "a part") == kind


@pytest.mark.parametrize(
    ("part", "words"),
    [
        ({"text": "x", "functionCall": {}}, "/parts/2 is of 2 kinds"),
        ({"unheardOf": {}}, "/parts/2 is of no known kind"),
        ({"function_call": {}}, "/parts/2 is of no known kind"),
        ({"thought": True, "unheardOf": {}}, "/parts/2 is of no known kind"),
    ],
)
def test_a_part_of_two_kinds_or_of_an_unknown_one_is_refused(
    part: dict[str, Any], words: str
) -> None:
    with pytest.raises(StrictError, match=words):
        kind_of(part, "/parts/2")


def test_both_spellings_are_one_name_and_values_are_left_alone() -> None:
    assert camel({"function_call": {"to_whom": 1}, "a": 2, "parameters_json_schema": 3}) == {
        "functionCall": {"to_whom": 1},
        "a": 2,
        "parametersJsonSchema": 3,
    }
    with pytest.raises(StrictError, match="both spellings"):
        camel({"functionCall": 1, "function_call": 2})
