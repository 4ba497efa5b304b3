import json
from typing import Any

import pytest

from grid.errors import ConfigError
from proxy.difference import explain_difference, nearest, read_pointers
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
        ("no json", {"a": 1}, "recorded 'no json', got '{"),
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


def test_another_upstream_is_a_difference() -> None:
    one, other = request("x", upstream="api.one:443"), request("x", upstream="api.two:443")
    assert explain_difference(one, other) == (
        "its upstream differs: recorded 'api.one:443', got 'api.two:443'"
    )
    assert explain_difference(one, request("x", upstream="api.one:443")) is None
    assert "replay the way it was recorded" in (explain_difference(one, request("x")) or "")


def test_of_two_long_texts_the_place_where_they_part_is_shown() -> None:
    same = "many words that are the same in both, " * 20
    found = explain_difference(request({"a": same + "moon"}), request({"a": same + "mars"}))
    assert found is not None
    assert "moon'" in found
    assert "mars'" in found
    assert len(found) < 250


BODY = {"user": "u-1", "messages": [{"role": "user", "id": 1}, {"role": "tool", "id": 2}]}


@pytest.mark.parametrize(
    ("pointers", "now"),
    [
        (["/user"], {**BODY, "user": "u-2"}),
        (["/user"], {"messages": BODY["messages"]}),
        (["/messages/*/id"], {**BODY, "messages": [{"role": "user"}, {"role": "tool", "id": 9}]}),
        (["/messages/1"], {**BODY, "messages": [{"role": "user", "id": 1}, "else"]}),
        (["/a~1b"], {**BODY, "a/b": 1}),
        (["/user", "/messages/0/id", "/none/at/all"],
         {"user": 0, "messages": [{"role": "user", "id": 0}, {"role": "tool", "id": 2}]}),
    ],
)  # fmt: skip
def test_a_field_that_was_named_as_volatile_may_differ(pointers: list[str], now: Any) -> None:
    volatile = read_pointers(pointers)
    assert explain_difference(request(BODY), request(now), volatile) is None
    assert explain_difference(request(BODY), request(now)) is not None


@pytest.mark.parametrize(
    ("pointers", "now", "words"),
    [
        (["/user"], {**BODY, "model": "m"}, "at /model: recorded nothing"),
        (["/messages/*/id"], {**BODY, "messages": [{"role": "tool", "id": 1}]}, "/messages/0/role"),
        (["/messages/1"], {**BODY, "messages": BODY["messages"][:1]}, "at /messages/1"),
        (["/messages/0"], {**BODY, "messages": [0, {"role": "tool", "id": 3}]}, "/messages/1/id"),
        (["/a/b"], {**BODY, "a/b": 1}, "at /a~1b"),
    ],
)
def test_what_stands_beside_a_volatile_field_may_not(
    pointers: list[str], now: Any, words: str
) -> None:
    found = explain_difference(request(BODY), request(now), read_pointers(pointers))
    assert found is not None
    assert words in found


@pytest.mark.parametrize("pointer", ["", "/", "user", "*", "#/user", "/*", "/*/id"])
def test_a_pointer_that_names_no_field_is_refused(pointer: str) -> None:
    with pytest.raises(ConfigError, match=r"volatile: .*such as /user"):
        read_pointers(["/fine", pointer])


def talk(*contents: str, **more: Any) -> Request:
    return request({"messages": [{"role": "user", "content": item} for item in contents], **more})


TALKS = (talk("a"), talk("a", "b"), talk("a", "b", "c"), talk("x", "y", "z", "w"))


@pytest.mark.parametrize(
    ("got", "expected", "found"),
    [
        (talk("a", "b"), 1, 1),
        (talk("a", "b"), 3, 1),  # asked again, later
        (talk("new", "a", "b", "c"), 0, 2),  # a message more in front makes no stranger of it
        (talk("x", "y", "z"), 0, 3),
        (request("a\nb"), 1, None),
    ],
)
def test_the_nearest_request_is_the_one_with_most_in_common(
    got: Request, expected: int, found: int | None
) -> None:
    assert nearest(TALKS, got, expected) == found


@pytest.mark.parametrize(("expected", "found"), [(0, 0), (1, 1), (2, 1), (9, 3)])
def test_of_equals_the_one_next_to_the_expected_place_is_the_nearest(
    expected: int, found: int
) -> None:
    recorded = [talk("a"), talk("a"), talk("b"), talk("a")]
    assert nearest(recorded, talk("a"), expected) == found


def test_bodies_that_are_no_json_are_compared_by_their_lines() -> None:
    recorded = [request("one\ntwo"), request("three\nfour\nfive"), request("")]
    assert nearest(recorded, request("four\nfive\nsix"), 0) == 1
    assert nearest(recorded, request("seven"), 0) is None
    assert nearest([], request("x"), 0) is None


def test_a_volatile_field_makes_no_request_nearer() -> None:
    recorded = [talk("a", stamp="s-1"), talk("b", stamp="s-2")]
    assert nearest(recorded, talk("a", stamp="s-2"), 1) == 1
    assert nearest(recorded, talk("a", stamp="s-2"), 1, read_pointers(["/stamp"])) == 0
