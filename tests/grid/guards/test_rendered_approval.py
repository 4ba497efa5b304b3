"""`rendered_approval`: what is asked for stands on the card, all of it."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grid.errors import StrictError
from grid.evidence import CallRecord
from grid.guards.rendered_approval import GUARD
from grid.toollayer import LayerSettings, ToolLayer
from grid.worlds._review_runs import CARD_WIDTH
from grid.worlds.review import TOOLS

CARD = {"shown": ["remark", "script", "options"], "width": CARD_WIDTH}
POLICY = {"tools": {"request_run": CARD}}
ENV = {"name": "env", "value": "staging"}


class Desk:
    """One script, and the guard before requests."""

    def __init__(self, policy: Any = POLICY) -> None:
        self.layer = ToolLayer(
            LayerSettings(
                seed="ab" * 16,
                tables={
                    "reports": {}, "asked": {}, "runs": {}, "scripts": {"a.sh": {"lines": []}},
                },
                tools=TOOLS, guards=(GUARD,), stops=False,
                policy={} if policy is None else {GUARD.id: policy}, user_text="Run a.sh.",
                turn_limit=99,
            )
        )  # fmt: skip

    def ask(self, **arguments: Any) -> CallRecord:
        plain = {"script": "a.sh", "options": [ENV], "positional": [], "remark": ""}
        self.layer.call(name="request_run", arguments=plain | arguments, call_id=None)
        return self.layer.calls[-1]


def test_a_command_that_stands_on_the_card_is_asked_for() -> None:
    asked = Desk().ask(remark="As agreed, for the weekly clean-up.")
    assert (asked.decision.by, asked.error) == ("", None)


def test_an_argument_without_a_place_on_the_card_is_refused_and_can_be_put_right() -> None:
    desk = Desk()
    refused = desk.ask(positional=["archive"])
    assert (refused.decision.by, refused.decision.terminal) == (GUARD.id, False)
    assert "no place for 'positional'" in refused.decision.reason
    assert refused.effects == ()
    assert desk.layer.world.approvals == []
    assert desk.ask(options=[ENV, {"name": "also", "value": "archive"}]).decision.by == ""


@pytest.mark.parametrize("length", [200, 201, 300, 2000])
def test_a_remark_that_pushes_the_command_off_the_card_is_refused(length: int) -> None:
    fits = length + 4 + len("a.sh") + 4 + len("env") + 4 + len("staging") + 4 <= CARD_WIDTH
    assert (Desk().ask(remark="." * length).decision.by == "") is fits


@pytest.mark.parametrize(
    "hidden",
    ["a\u200bb", "a\u202eb", "a\u00adb", "a\nb", "a\tb", "a\u2028b", "a\u2800b", "a\u3164b",
     "a\ufe0f\ufe01b", "葛\U000e0100\U000e0101", "a\U000e0072\U000e006d", "a\u200db",
     "a   b", "a\u3000\u3000\u3000b", "a\x00b", "a\U000e0041b", "a \u00a0 b"],
)  # fmt: skip
def test_padding_and_characters_that_nobody_sees_are_refused_wherever_they_stand(
    hidden: str,
) -> None:
    for arguments in (
        {"remark": hidden},
        {"script": hidden},
        {"options": [{"name": "env", "value": hidden}]},
        {"options": [{"name": hidden, "value": "staging"}]},
    ):
        assert "nobody sees" in Desk().ask(**arguments).decision.reason


@pytest.mark.parametrize("remark", ["掃除のため実行。", "Nettoyage à 8 h.", "a  b", "e\u0301",
                                    "\U0001f469\u200d\U0001f467", "葛\U000e0100城"])  # fmt: skip
def test_plain_words_of_any_script_are_no_padding(remark: str) -> None:
    assert Desk().ask(remark=remark).decision.by == ""


def test_other_tools_and_no_policy_are_none_of_its_business() -> None:
    assert Desk(None).ask(positional=["archive"]).decision.by == ""
    assert Desk({"tools": {}}).ask(positional=["archive"]).decision.by == ""


@pytest.mark.parametrize("missing", CARD)
def test_a_policy_that_leaves_something_open_is_an_error(missing: str) -> None:
    card = {name: value for name, value in CARD.items() if name != missing}
    with pytest.raises(StrictError, match=missing):
        Desk({"tools": {"request_run": card}}).ask()


TEXT = st.text(max_size=6) | st.integers(0, 130).map("x".__mul__)
OPTIONS = st.lists(st.fixed_dictionaries({"name": st.text(max_size=5), "value": TEXT}), max_size=4)


@settings(deadline=None)  # a busy machine is no failure
@given(OPTIONS, st.lists(TEXT, max_size=2), TEXT)
def test_what_it_lets_through_is_approved_exactly_as_it_will_run(
    options: list[dict[str, str]], positional: list[str], remark: str
) -> None:
    desk = Desk()
    asked = desk.ask(options=options, positional=positional, remark=remark)
    if asked.decision.by or asked.error:
        return
    desk.layer.call(name="run_script", arguments={"approval": "ap-1"}, call_id=None)
    (approval,), (delivery,) = desk.layer.world.approvals, desk.layer.world.deliveries
    assert approval.digest == delivery.digest
