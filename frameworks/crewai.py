"""CrewAI in the exact profile, by way of `Agent.kickoff_async`.

One agent per trial, one HTTP client per worker; CrewAI's blocking steps run on the loop's threads.
CrewAI's own means are used where there are any: a provider of first messages, hooks before the
model and after a tool, `ToolFailure` with `RAISE` for a terminal refusal. Its event bus has no
listeners while an adapter is open: no telemetry, no panels. What CrewAI rewrites or swallows on the
way stands in `WIRE_NOTES`.

Where a scenario asks for it: calls wait for a person's word in a hook before the tool. The agent
runs as the one step of a `Flow` whose state, the conversation, is persisted before each model call;
CrewAI has no checkpoint between a model's answer and its calls. After a crash a new flow loads the
state, so that the model is asked once more for what it asked for already; a later session forks a
flow from the state that was kept. The state holds messages alone: no key, no settings.
"""

from frameworks import _quiet  # noqa: F401 # isort: skip

import asyncio
import copy
import json
from contextlib import ExitStack
from typing import Any, override

import openai
from crewai import Agent
from crewai.core.providers.human_input import SyncHumanInputProvider, set_provider
from crewai.events.event_bus import crewai_event_bus
from crewai.events.event_context import (
    EventContextConfig,
    MismatchBehavior,
    _event_context_config,
)
from crewai.flow.flow import Flow, FlowState, start
from crewai.flow.persistence import FlowPersistence
from crewai.hooks.dispatch import HookAborted, HookFn, InterceptionPoint, scoped_hooks
from crewai.llms.base_llm import BaseLLM
from crewai.llms.providers.openai.completion import OpenAICompletion
from crewai.llms.retry import _active_llm_rate_limit_retry
from crewai.tools import BaseTool
from crewai.tools.tool_failure import ToolExecutionFailedError, ToolFailure, ToolFailurePolicy
from crewai.utilities.exceptions.context_window_exceeding_exception import (
    LLMContextLengthExceededError,
)
from crewai.utilities.string_utils import sanitize_tool_name
from pydantic import BaseModel, Field, PrivateAttr

from frameworks._http_tap import blocking_client
from frameworks._oversight import Words
from frameworks._run import Crashed, Foreign, Run, running
from frameworks._tools import verbatim, wire_tool
from grid.adapter import AgentSession, Asked, Delivered, Ended
from grid.vocabulary import Status
from grid.wirecall import WireCall

FOREIGN: Foreign = {
    openai.APIError: Status.PROVIDER_ERROR,
    ConnectionError: Status.PROVIDER_ERROR,
    LLMContextLengthExceededError: Status.PROVIDER_ERROR,
    ToolExecutionFailedError: Status.FRAMEWORK_ERROR,
    HookAborted: Status.FRAMEWORK_ERROR,
}
"""CrewAI's exceptions and the status each one means."""

SILENT = EventContextConfig(
    mismatch_behavior=MismatchBehavior.SILENT, empty_pop_behavior=MismatchBehavior.SILENT
)
"""CrewAI reports a failed model call twice and would complain about it on the terminal."""

WIRE_NOTES = (
    "assistant text that stands beside tool calls is dropped from the history",
    "argument text that is not JSON, empty text included, is not handed over; the model gets an"
    " error in the words of CrewAI and of Python's JSON reader, which differ between versions",
    "a JSON null, 0, false, empty list or empty string in place of the arguments object is run as"
    " {}",
    "a JSON list, number or true in place of the arguments object ends the run as framework_error;"
    " a JSON string is not handed over, and the model gets an error in Python's words",
    "tool names are changed to lower case with _ for other characters before they are looked up,"
    " handed over and sent back in the history",
    "an empty answer of the model ends the run as framework_error",
    "the fifth call with the same tool, arguments and result ends the run as framework_error",
)
"""What still differs on the wire or in behaviour, in the exact profile."""


class ModelCallFailed(Exception):
    """A model call failed; `error` says how.

    The text says no more on purpose: CrewAI reads error texts, and at some words it changes to
    prompted tools, has the conversation summarised or ends the process.
    """

    def __init__(self, error: Exception) -> None:
        super().__init__("the model call failed")
        self.error = error


class CrewAIAdapter:
    """Drives CrewAI, one trial at a time."""

    def __init__(self) -> None:
        """Set up the worker's HTTP client, and take every listener off CrewAI's event bus."""
        self._http = blocking_client()
        self._open = ExitStack()
        self._open.enter_context(crewai_event_bus.scoped_handlers())

    async def drive(self, session: AgentSession) -> Ended:
        """Run one trial to its end."""
        error: Exception | None = None
        words = ""
        with running(session) as run:
            try:
                # A task of its own keeps CrewAI's settings out of the worker's context.
                words = await asyncio.create_task(self._kick_off(run))
            except ModelCallFailed as failed:
                error = failed.error
            except Exception as caught:  # noqa: BLE001 # mapped once, by `end`
                error = caught
        return run.end(foreign=FOREIGN, error=error, final_text=words)

    async def close(self) -> None:
        """Close the HTTP client and give the event bus its listeners back."""
        self._http.close()
        self._open.close()

    async def _kick_off(self, run: Run) -> str:
        _active_llm_rate_limit_retry.set(True)  # one is under way, so none is started
        _event_context_config.set(SILENT)
        work = _Work(run)
        with scoped_hooks(_hooks(work)):
            if not run.session.restorable:
                return await self._talk(work, work.beginning())
            return await self._flow(work)

    async def _talk(self, work: "_Work", messages: list[dict[str, Any]]) -> str:
        """Have a new agent go on with a conversation; return its last words."""
        set_provider(_FirstMessages(messages))
        output = await self._agent(work).kickoff_async(work.run.session.user_text)
        return str(output.raw)

    async def _flow(self, work: "_Work") -> str:
        """Run the session as a flow, and after each crash as a new one from its last state."""
        fork = None
        if work.run.session.checkpoint is not None:
            fork = KEPT
            work.store.states = {KEPT: work.run.session.checkpoint}
        else:
            work.save(work.beginning())
        while True:
            flow = _Conversation(persistence=work.store, suppress_flow_events=True)
            flow._run_agent = lambda messages: self._talk(work, messages)
            flow._words = work.run.session.user_text if fork else ""
            try:
                words = await flow.kickoff_async(inputs={"id": FLOW}, restore_from_state_id=fork)
            except Crashed:
                work.run.restored()
                fork = None
                continue
            return str(words)

    def _agent(self, work: "_Work") -> Agent:
        session = work.run.session
        llm = _ExactLLM(
            model=session.model,
            custom_openai=True,
            base_url=session.base_url,
            api_key=session.api_key,
            timeout=session.timeout_s,
            max_retries=0,
            stream=False,
            client_params={"http_client": self._http},
        )
        llm.offer(session)
        return Agent(
            role="agent",
            goal="unsaid",
            backstory="unsaid",
            llm=llm,
            tools=[_Door.to(work, spec.name) for spec in session.tools],
            verbose=False,
            max_iter=session.turn_limit + 1,
            max_retry_limit=0,
            respect_context_window=False,
            cache=False,
        )


FLOW = "conversation"
"""Id of the one flow of a session; its state is stored under it."""
KEPT = "kept"
"""Id under which the state is stored that a session forks from."""


class _Store(FlowPersistence):
    """Keeps the states of flows in memory."""

    states: dict[str, dict[str, Any]] = Field(default_factory=dict)

    @override
    def init_db(self) -> None:
        """There is none."""

    @override
    def save_state(self, flow_uuid: str, method_name: str, state_data: Any) -> None:
        data = state_data.model_dump() if isinstance(state_data, BaseModel) else state_data
        self.states[flow_uuid] = copy.deepcopy(data)

    @override
    def load_state(self, flow_uuid: str) -> dict[str, Any] | None:
        return copy.deepcopy(self.states.get(flow_uuid))


class _State(FlowState):
    """What is persisted."""

    messages: list[dict[str, Any]] = Field(default_factory=list)


class _Conversation(Flow[_State]):
    """A flow of one step: the agent goes on with the conversation in the state."""

    _run_agent: Any = PrivateAttr(default=None)
    _words: str = PrivateAttr(default="")

    @start()
    async def go_on(self) -> str:
        more = [{"role": "user", "content": self._words}] if self._words else []
        words: str = await self._run_agent([*self.state.messages, *more])
        return words


class _Work:
    """One session: what its hooks know of it."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.store = _Store()
        self._keep = False
        self._words = Words(run)
        self._denied: Delivered | None = None

    def beginning(self) -> list[dict[str, Any]]:
        session = self.run.session
        texts = (("system", session.system_text), ("user", session.user_text))
        return [{"role": role, "content": text} for role, text in texts if text is not None]

    def save(self, messages: list[Any]) -> None:
        """Persist the conversation as the flow's state."""
        self.store.save_state(FLOW, "go_on", {"id": FLOW, "messages": list(messages)})

    def before_model(self, context: Any) -> None:
        run = self.run
        self._words.forget()
        if run.over or run.spent:
            run.limit_reached = not run.over
            raise HookAborted("the run is over")
        if run.session.restorable:
            self.save(context.messages)
            if self._keep:
                self._keep = False
                run.session.keep(self.store.load_state(FLOW))

    def before_tool(self, context: Any) -> bool | None:
        """Wait for a person's word; it is asked about all calls of an answer at its first one."""
        overseen = self.run.session.overseen
        name, arguments = context.tool_name, context.tool_input
        if name not in overseen:
            return None
        call = Asked(name=name, arguments=arguments, call_id=None)
        self._denied = self._words.on(call, lambda item: _is(item, name, arguments))
        return None if self._denied is None else False

    def after_tool(self, context: Any) -> str | None:
        if self._denied is not None:
            text, self._denied = self._denied.text, None
            return text
        if context.tool is not None:
            return None
        return hand_over(self.run, context.tool_name, context.tool_input).text

    def delivered(self, delivered: Delivered) -> None:
        """Crash, or note that a checkpoint is wanted, where the session says so."""
        if delivered.crash:
            raise Crashed
        self._keep = self._keep or delivered.keep


def _hooks(work: _Work) -> dict[InterceptionPoint, list[HookFn]]:
    """Return the hooks that end a run that is over, ask a person, and take unknown tools."""
    return {
        InterceptionPoint.PRE_MODEL_CALL: [work.before_model],
        InterceptionPoint.PRE_TOOL_CALL: [work.before_tool],
        InterceptionPoint.POST_TOOL_CALL: [work.after_tool],
    }


class _FirstMessages(SyncHumanInputProvider):
    """Sets the first messages verbatim, where CrewAI would fill in its prompt templates."""

    def __init__(self, messages: list[dict[str, Any]]) -> None:
        self._messages = messages

    @override
    def setup_messages(self, context: Any) -> bool:
        # Without this, tools run at once on threads whenever CrewAI knows none of them.
        object.__setattr__(context, "_should_parallelize_native_tool_calls", lambda calls: False)
        context.messages.extend(copy.deepcopy(self._messages))
        return True


class _AnyArguments(BaseModel):
    """Stands in for a schema; the tools on the wire are the session's own."""


class _Door(BaseTool):
    """A tool whose every call goes to the session."""

    args_schema: type[BaseModel] = _AnyArguments
    _to: _Work = PrivateAttr()

    @classmethod
    def to(cls, work: _Work, name: str) -> "_Door":
        door = cls(name=name, description="")
        door._to = work
        return door

    @override
    def run(self, /, *args: Any, **kwargs: Any) -> str | ToolFailure:
        delivered = hand_over(self._to.run, self.name, kwargs)
        self._to.delivered(delivered)
        if not delivered.halt:
            return delivered.text
        self.tool_failure_policy = ToolFailurePolicy.RAISE
        return ToolFailure(message=delivered.text)

    @override
    def _run(self, *args: Any, **kwargs: Any) -> str | ToolFailure:
        return self.run(*args, **kwargs)


class _ExactLLM(OpenAICompletion):
    """Sends tools and messages as they are, and never swaps a result for a file: it counts none."""

    _offered: list[dict[str, Any]] = PrivateAttr(default_factory=list)
    _sampling: dict[str, Any] = PrivateAttr(default_factory=dict)

    def offer(self, session: AgentSession) -> None:
        self._offered = [wire_tool(spec) for spec in session.tools]
        self._sampling = dict(session.sampling)

    @override
    def call(self, *args: Any, **kwargs: Any) -> Any:
        try:
            return super().call(*args, **kwargs)
        except Exception as error:
            raise ModelCallFailed(error) from error

    @override
    def _build_async_client(self) -> None:
        """Build none: the executor calls the model from a thread."""

    @override
    def _prepare_completion_params(self, messages: Any, tools: Any = None) -> dict[str, Any]:
        params = super()._prepare_completion_params(messages, None)
        request = {**params, "stream": False}
        return verbatim(request, params["messages"], self._offered, self._sampling)

    @override
    def _format_messages(self, messages: Any, *, file_api: str | None = None) -> Any:
        plain: list[Any] = BaseLLM._format_messages(self, messages, file_api=file_api)
        return [{key: message[key] for key in message if key != "name"} for message in plain]

    @override
    def _apply_stop_words(self, content: str) -> str:
        return content

    @override
    def supports_function_calling(self) -> bool:
        return True

    @override
    def get_input_tokens_count(self, *args: Any, **kwargs: Any) -> int:
        return 0


def hand_over(run: Run, name: str, arguments: object) -> Delivered:
    """Take a call to the session, with the id that CrewAI kept to itself."""
    wire = next((item for item in run.waiting if _is(item, name, arguments)), None)
    return run.call(name=name, arguments=arguments, call_id=wire.id if wire else None)


def _is(call: WireCall, name: str, arguments: object) -> bool:
    if sanitize_tool_name(call.name) != name:
        return False
    try:
        return (json.loads(call.raw_arguments) or {}) == arguments
    except (ValueError, RecursionError):
        return False


ADAPTER = CrewAIAdapter
