import json
from typing import Any

import pytest

from proxy.difference import explain_difference
from proxy.wire.exchange import Request


def request(body: Any, **changes: str) -> Request:
    text = body if isinstance(body, str) else json.dumps(body)
    fields = {"method": "POST", "path": "/x"} | changes
    return Request(headers={}, body={"text": text}, **fields)


@pytest.mark.parametrize(
    ("then", "now"),
    [
        ('{"a":1,"b":[]}', '{ "b": [], "a": 1.0 }'),
        ("not json", "not json"),
        ('{"x":"\\u00e9"}', '{"x":"é"}'),
    ],
)
def test_the_same_canonical_body_is_no_difference(then: str, now: str) -> None:
    assert explain_difference(request(then), request(now)) is None


@pytest.mark.parametrize(
    ("then", "now", "words"),
    [
        ({"a": 1}, {"a": True}, "at /a: recorded 1, got True"),
        ({"a": 1}, {}, "at /a: recorded 1, got nothing"),
        ({}, {"a/b~c": None}, "at /a~1b~0c: recorded nothing, got None"),
        ({"m": ["x", "y"]}, {"m": ["x"]}, "at /m/1: recorded 'y', got nothing"),
        ({"m": [{"t": "x\u202e\x1b"}]}, {"m": [{"t": "x"}]}, r"/m/0/t: recorded 'x\u202e\x1b'"),
        ([1], {"a": 1}, "at /: recorded [1], got {'a': 1}"),
        ("no json", {"a": 1}, "recorded {'text': 'no json'}"),
        ('{"a":1,"a":2}', '{"a":2}', "its body differs: recorded"),
    ],
)
def test_the_part_that_differs_is_named(then: Any, now: Any, words: str) -> None:
    found = explain_difference(request(then), request(now))
    assert found is not None
    assert words in found


def test_method_and_path_come_first_and_long_values_are_cut() -> None:
    found = explain_difference(request({"a": "x" * 500}), request({"a": "y" * 500}))
    assert found is not None
    assert len(found) < 400
    assert "its method differs" in str(
        explain_difference(request("x"), request("y", method="GET", path="/y"))
    )
    assert "its path differs" in str(explain_difference(request("x"), request("y", path="/y")))
