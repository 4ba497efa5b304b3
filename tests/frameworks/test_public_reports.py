"""Failures that others reported of frameworks, played in the frameworks themselves.

By the numbers C01 to C33 of the list that they were sketched from. Here stands what reaches the
tool layer, in the exact and in the native profiles; what a judge makes of it is in
`tests/ledgers/test_public_reports*.py` and `test_handed_cases.py`.
"""

import json
from collections.abc import Iterator
from typing import Any, NamedTuple, override
from unittest.mock import patch

import pytest
from crewai.llms.providers.openai.completion import OpenAICompletion
from langchain.agents.middleware import AgentMiddleware, hook_config
from langgraph.checkpoint.memory import InMemorySaver

from grid.adapter import Delivered, ToolSpec
from grid.vocabulary import Cause, Status
from tests.frameworks.stage import (
    AS_THEY_SHIP,
    FRAMEWORKS,
    Call,
    Reply,
    Stage,
    Upstream,
    asks,
    says,
    streamed,
)

pytestmark = AS_THEY_SHIP

NATIVE = tuple(f"{name}-native" for name in FRAMEWORKS)
STREAMING = ("strands-native",)
READ = ToolSpec(
    name="read_doc",
    description="Reads a document; without a topic, the whole index.",
    parameters={
        "type": "object",
        "properties": {
            "topic": {"type": "string"}, "message_id": {"type": "string"}, "n": {"type": "integer"},
        },
        "required": [],
        "additionalProperties": False,
    },
)  # fmt: skip


class Profile(Stage):
    """A stage that answers a profile in the form that it asks for."""

    def plays(self, *replies: Reply, **changes: Any) -> Any:
        form = streamed if self.framework in STREAMING else lambda reply: reply
        return self.play(*map(form, replies), **changes)


@pytest.fixture(scope="module")
def stages(upstream: Upstream) -> Iterator[dict[str, Profile]]:
    built = {name: Profile(name, upstream) for name in (*FRAMEWORKS, *NATIVE)}
    yield built
    for stage in built.values():
        stage.close()


@pytest.fixture(params=(*FRAMEWORKS, *NATIVE))
def profile(request: pytest.FixtureRequest, stages: dict[str, Profile]) -> Profile:
    return stages[request.param]


def delivering(text: str, *, is_error: bool = False) -> Any:
    return lambda call: Delivered(text=text, is_error=is_error, halt=False)


SIMULATED = (
    "Thought: I save the report\nAction: look\nAction Input: {}\n"
    "Observation: saved, 312 bytes\nFinal Answer: The report is saved at out.md"
)


def test_c01_a_tool_that_is_simulated_in_text_never_runs_and_nothing_is_asked_again(
    profile: Profile,
) -> None:
    ended = profile.plays(says(SIMULATED), says("x"))
    assert ended.status is Status.COMPLETED
    assert profile.session.journal == ["answer 200"]
    assert profile.session.answers[0][0] == 200


@pytest.mark.parametrize("raw", ['{"topic":"日本語"}', '{"topic":"a","n":12}'])
def test_c03_the_same_call_streamed_and_unstreamed_runs_once_with_the_same_arguments(
    stages: dict[str, Profile], raw: str
) -> None:
    found = []
    for name in ("strands", "strands-native"):
        stages[name].plays(asks(("read_doc", raw)), says("x"), tools=(READ,))
        found.append(stages[name].handed_over)
    assert found == [[("read_doc", json.loads(raw))]] * 2


def test_c05_and_c07_words_beside_calls_make_no_call_of_their_own(profile: Profile) -> None:
    profile.plays(
        asks(("look", "{}"), text="Deposited the file to inbox/; all 14 tests pass."),
        says("Deposited the file to inbox/ and removed the temp files."),
    )
    assert profile.handed_over == [("look", {})]


class _LateSaver(InMemorySaver):
    """The process was killed before what a finished call wrote was stored."""

    @override
    async def aput_writes(self, *given: Any, **more: Any) -> None:
        """Store nothing."""


@pytest.mark.parametrize(("saver", "again"), [(_LateSaver, 1), (InMemorySaver, 0)], ids=["A", "B"])
def test_c08_a_finished_call_runs_again_only_if_its_write_was_not_stored_before_the_crash(
    stages: dict[str, Profile], saver: type[InMemorySaver], again: int
) -> None:
    """Told by what came to the tool layer, whatever the checkpoints say; the same every time."""
    on = stages["langgraph"]
    for _ in range(3):
        crash = [True]

        def deliver(call: Call, crash: list[bool] = crash) -> Delivered:
            lost = call.name == "pay" and bool(crash) and crash.pop()
            return Delivered(text="ran", is_error=False, halt=False, crash=lost)

        with patch.object(on.module, "InMemorySaver", saver):
            on.play(
                asks(("look", "{}"), ("pay", '{"amount": 5}')), says("x"),
                restorable=True, deliver=deliver,
            )  # fmt: skip
        names = [call.name for call in on.session.calls]
        assert names == ["look", "pay", *["look"] * again, "pay"]


class TestC10ToolsThatFailAfterTheirEffect:
    PAYS = ("pay", '{"amount": 5}')

    def test_an_error_that_is_delivered_is_a_result_and_runs_once(self, profile: Profile) -> None:
        profile.plays(asks(self.PAYS), says("x"), deliver=delivering("timeout", is_error=True))
        assert [call.name for call in profile.session.calls] == ["pay"]
        assert len(profile.asked) == 2

    def raising(self, run: Any, name: str, arguments: Any) -> Any:
        """Have the effect, then fail."""
        run.call(name=name, arguments=arguments, call_id=None)
        raise TimeoutError("504 after the commit")

    def test_crewai_in_text_mode_runs_a_tool_that_raises_six_times_for_one_request(
        self, stages: dict[str, Profile]
    ) -> None:
        """Its log counts three; what counts is what came to the tool layer."""
        on = stages["crewai-native"]
        text = 'Thought: I pay\nAction: pay\nAction Input: {"amount": 5}\n'
        with (
            patch.object(on.module, "hand_over", self.raising),
            patch.object(OpenAICompletion, "supports_function_calling", lambda _llm: False),
        ):
            on.plays(says(text), says("Thought: so be it\nFinal Answer: Paid."))
        assert on.session.journal == ["answer 200", *["call pay"] * 6, "answer 200"]

    def test_and_once_where_it_takes_calls_from_the_wire(self, stages: dict[str, Profile]) -> None:
        on = stages["crewai-native"]
        with patch.object(on.module, "hand_over", self.raising):
            on.plays(asks(self.PAYS), says("x"))
        assert on.session.journal == ["answer 200 pay", "call pay", "answer 200"]


@pytest.mark.parametrize("result", ["null", "", "0", "false", "[]", "{}"])
def test_c12_a_falsy_result_is_a_result_and_the_tool_runs_once(
    profile: Profile, result: str
) -> None:
    profile.plays(asks(("look", "{}")), says("x"), deliver=delivering(result))
    assert profile.handed_over == [("look", {})]
    assert [message["content"] for message in profile.history("tool")] == [result]


def test_c16_a_failure_inside_a_success_is_shown_as_it_is_and_completes_the_run(
    profile: Profile,
) -> None:
    told: list[str] = []

    def deliver(_call: Call) -> Delivered:
        told.append(json.dumps({"receipt": len(told), "ok": False, "error": "channel_not_found"}))
        return Delivered(text=told[-1], is_error=False, halt=False)

    tries = [asks(("look", "{}"), base=place) for place in range(5)]
    hedge = says("I tried to post; there may be an issue with the channel.")
    ended = profile.plays(*tries, hedge, deliver=deliver)
    assert ended.status is Status.COMPLETED, "for the framework all is well"
    assert len(profile.session.calls) == 5
    assert [message["content"] for message in profile.history("tool")] == told


def test_c18_a_spent_budget_of_steps_ends_as_one_whatever_the_framework_says(
    profile: Profile,
) -> None:
    """A profile as it ships may take three times as many answers (`frameworks._native`)."""
    said = iter(range(99))

    def again(_call: Call) -> Delivered:
        return Delivered(text=f"call me again ({next(said)})", is_error=False, halt=False)

    tries = [asks(("look", "{}"), base=place) for place in range(40)]
    ended = profile.plays(*tries, deliver=again, turn_limit=3)
    assert (ended.status, ended.cause) == (Status.TURN_LIMIT, Cause.AGENT)
    assert len(profile.session.calls) == (9 if profile.framework in NATIVE else 3)


@pytest.mark.parametrize("is_error", [True, False])
def test_c22_what_the_model_is_told_of_a_failure_is_what_the_tool_layer_said(
    profile: Profile, is_error: bool
) -> None:
    said = '{"ok":false,"error":{"kind":"tool","code":"disk_full"}}'
    profile.plays(asks(("look", "{}")), says("x"), deliver=delivering(said, is_error=is_error))
    assert [message["content"] for message in profile.history("tool")] == [said]


class Broken(NamedTuple):
    """What becomes of broken argument text: handed over or not, and how the run ends."""

    handed_over: tuple[object, ...]
    status: Status


RUN_EMPTY = Broken(({},), Status.COMPLETED)
TOLD_SO = Broken((), Status.COMPLETED)
SILENT = Broken((), Status.INVALID_TOOL_CALLS)
BROKEN = {
    "strands": dict.fromkeys(('{"topic": "delete tmp', "{topic: x}", ""), RUN_EMPTY),
    "langgraph": {'{"topic": "delete tmp': SILENT, "{topic: x}": SILENT, "": RUN_EMPTY},
    "crewai": dict.fromkeys(('{"topic": "delete tmp', "{topic: x}", ""), TOLD_SO),
}
"""The same in the exact and in the native profile."""


@pytest.mark.parametrize("raw", BROKEN["strands"])
def test_c23_broken_argument_text_is_known_to_run_as_nothing_or_not_at_all(
    profile: Profile, raw: str
) -> None:
    expected = BROKEN[profile.framework.removesuffix("-native")][raw]
    ended = profile.plays(asks(("read_doc", raw)), says("x"), tools=(READ,))
    assert profile.handed_over == [("read_doc", given) for given in expected.handed_over]
    assert ended.status is expected.status


@pytest.mark.parametrize(
    "asked",
    [{"message_id": "1234567890123456789"}, {"message_id": "1", "n": 9007199254740993}],
)
def test_c25_no_digit_of_a_large_number_is_lost(profile: Profile, asked: dict[str, Any]) -> None:
    profile.plays(asks(("read_doc", json.dumps(asked))), says("x"), tools=(READ,))
    ((_, handed),) = profile.handed_over
    assert isinstance(handed, dict)
    assert {name: handed[name] for name in asked} == asked
    filled = {name for name, value in handed.items() if value is not None} - set(asked)
    assert not filled


def test_c27_an_unknown_argument_is_handed_over_or_the_call_is_not(profile: Profile) -> None:
    """Never dropped: the tool would run as if nothing had been asked for."""
    profile.plays(asks(("read_doc", '{"path":"billing"}')), says("x"), tools=(READ,))
    turned_down = profile.framework == "crewai-native"
    assert profile.handed_over == ([] if turned_down else [("read_doc", {"path": "billing"})])
    if turned_down:
        (message,) = profile.history("tool")
        assert "Extra inputs are not permitted" in message["content"]


@pytest.mark.parametrize("raw", ['{"n":"x","path":1}', '{"n":[]}', '{"topic": "delete', "[1]"])
def test_c39_no_error_of_a_frameworks_own_tells_what_the_model_never_sent(
    profile: Profile, raw: str
) -> None:
    profile.plays(
        asks(("read_doc", raw)), says("x"), tools=(READ,), system_text="SYSTEM-7f", api_key="KEY-7f"
    )
    told = [str(message["content"]) for message in profile.history("tool")]
    assert not any(word in text for text in told for word in ("SYSTEM-7f", "KEY-7f", "127.0.0.1"))


class _Jump(AgentMiddleware):
    """Another middleware that sends every answer with calls straight to the tools."""

    @hook_config(can_jump_to=["tools"])
    async def aafter_model(self, state: Any, runtime: Any) -> dict[str, Any] | None:
        last = [message for message in state["messages"] if message.type == "ai"][-1]
        return {"jump_to": "tools"} if last.tool_calls else None


class TestC33ExecutedAfterARejection:
    NO = Delivered(text='{"ok":false}', is_error=True, halt=False)

    def rejected(self, on: Profile) -> list[str]:
        on.play(
            asks(("pay", '{"amount": 5}')), says("x"), overseen=("pay",),
            decide=lambda calls: (self.NO,) * len(calls),
        )  # fmt: skip
        return on.session.journal

    @pytest.mark.parametrize("framework", FRAMEWORKS)
    def test_a_rejected_call_does_not_run(self, stages: dict[str, Profile], framework: str) -> None:
        assert "call pay" not in self.rejected(stages[framework])

    def test_a_jump_to_the_tools_runs_it_all_the_same_and_the_journal_has_it(
        self, stages: dict[str, Profile]
    ) -> None:
        """The transcript says that it was rejected; the order of the journal says that it ran."""
        on = stages["langgraph"]
        create = on.module.create_agent

        def jumping(*given: Any, middleware: Any, **more: Any) -> Any:
            return create(*given, middleware=[_Jump(), *middleware], **more)

        with patch.object(on.module, "create_agent", jumping):
            journal = self.rejected(on)
        assert journal[:3] == ["answer 200 pay", "ask call-0", "call pay"]
        told = [message["content"] for message in on.history("tool")]
        assert told[0].startswith("User rejected the tool call")
