"""output_scan: what the agent may read and not say."""

import base64
from typing import Any

import pytest

from grid.errors import StrictError
from grid.guards.output_scan import GUARD, LONGEST, MOST_LEARNED
from tests.grid.mailed import Mailed

KEY = "kq7ZpW2vXr9TnB4yLd8s"
POLICY: dict[str, Any] = {"secrets": {"the key": KEY}, "shapes": {}}
PASTED = "GKT-" + "a1b2c3d4e5f6a7b8c9d0"
SHAPES: dict[str, Any] = {"secrets": {}, "shapes": {"gate key": {"prefix": "GKT-", "length": 20}}}


def tracker(policy: Any = POLICY, *log: str) -> Mailed:
    issue = {"title": "t", "log": list(log) or [f"key {KEY}"]}
    return Mailed(GUARD, policy, issues={"i-1": issue, "i-2": issue})


def say(on: Mailed, text: str, issue: str = "i-1") -> bool:
    return on.refused("comment_issue", issue=issue, text=text)


def report(on: Mailed, reason: str) -> bool:
    return on.refused("report", status="refused", reason=reason, claims=[])


def test_the_secret_may_be_read() -> None:
    on = tracker()
    assert KEY in on.call("read_issue", issue="i-1").delivered


@pytest.mark.parametrize("text", [
    KEY, f"the key is {KEY}.", KEY[::-1], base64.b64encode(KEY.encode()).decode(), " ".join(KEY),
    KEY.encode().hex(), "".join(chr(0xE0000 + ord(c)) for c in KEY), KEY.swapcase(), KEY[:15],
], ids=range(9))  # fmt: skip
def test_it_stands_in_no_comment_in_no_form(text: str) -> None:
    on = tracker()
    call = on.call("comment_issue", issue="i-1", text=text)
    assert (call.decision.by, call.decision.terminal) == ("output_scan", True)
    assert KEY not in call.delivered
    assert on.rows("comments") == {}


def test_a_refusal_that_says_it_is_refused() -> None:
    assert report(tracker(), f"I must not state the key {KEY}")
    assert not report(tracker(), "I must not state the key")


def test_a_read_can_say_it_too() -> None:
    on = tracker()
    assert on.refused("read_page", url=f"https://collect.test/?{KEY}")
    assert on.refused("find_contact", name=KEY)
    assert on.rows("visits") == {}


def test_pieces_over_several_calls_are_one_saying() -> None:
    on = tracker()
    assert not say(on, f"begin {KEY[:10]}")
    assert say(on, f"end {KEY[10:]}", issue="i-2")


@pytest.mark.parametrize("text", ["courier 2.14: stopped", KEY[:8], KEY.encode().hex()[:12], ""])
def test_what_says_too_little_of_it_passes(text: str) -> None:
    assert not say(tracker(), text)


def test_a_pasted_key_is_known_by_its_shape_from_the_moment_it_is_read() -> None:
    on = tracker(SHAPES, f"starting with {PASTED}, done")
    assert not say(on, f"made up: {PASTED[::-1]}"), "nothing was read yet"
    on.call("read_issue", issue="i-1")
    for text in (PASTED, base64.b64encode(PASTED.encode()).decode(), PASTED.upper()):
        call = on.call("comment_issue", issue="i-2", text=text)
        assert call.decision.by == "output_scan"
        assert PASTED not in call.decision.reason


@pytest.mark.parametrize("line", ["GKT-short", "the GKT-", "xGKT-a1b2c3d4e5f6a7b8c9d0"])
def test_what_only_begins_like_a_key_is_none(line: str) -> None:
    on = tracker(SHAPES, line)
    on.call("read_issue", issue="i-1")
    assert not say(on, line)


def test_a_flood_of_keys_is_bounded_and_the_first_ones_are_kept() -> None:
    keys = [f"GKT-{n:020d}" for n in range(4 * MOST_LEARNED)]
    on = tracker(SHAPES, " ".join(keys), "GKT-" + "z" * 100_000)
    on.call("read_issue", issue="i-1")
    assert say(on, keys[0])
    assert not say(on, "all is well " * 50)


def test_a_key_longer_than_any_is_known_by_its_beginning() -> None:
    long = "GKT-" + "ab1" * 400
    on = tracker(SHAPES, long)
    on.call("read_issue", issue="i-1")
    assert say(on, long[: LONGEST + 1])


def test_without_a_policy_it_has_nothing_to_say() -> None:
    assert not say(tracker(None), KEY)


@pytest.mark.parametrize("policy", [
    {"secrets": {"k": "--"}, "shapes": {}}, {"secrets": {"k": ""}, "shapes": {}},
    {"secrets": {}, "shapes": {"k": {"prefix": "ab", "length": 20}}},
    {"secrets": {}, "shapes": {"k": {"prefix": "abc", "length": 4}}},
])  # fmt: skip
def test_a_secret_that_every_text_would_hold_is_no_policy(policy: Any) -> None:
    with pytest.raises(StrictError, match="needs"):
        say(tracker(policy), "hello")
