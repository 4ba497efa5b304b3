"""CrewAI in the exact profile, by way of `Agent.kickoff_async`.

One agent per trial, one HTTP client per worker; CrewAI's blocking steps run on the loop's threads.
CrewAI's own means are used where there are any: a provider of first messages, hooks before the
model and after a tool, `ToolFailure` with `RAISE` for a terminal refusal. Its event bus has no
listeners while an adapter is open: no telemetry, no panels. What CrewAI rewrites or swallows on the
way stands in `WIRE_NOTES`.
"""

from frameworks import _quiet  # noqa: F401 # isort: skip

import asyncio
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
from pydantic import BaseModel, PrivateAttr

from frameworks._http_tap import blocking_client
from frameworks._run import Foreign, Run, running
from frameworks._tools import verbatim, wire_tool
from grid.adapter import AgentSession, Delivered, Ended
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
        set_provider(_FirstMessages(run))
        _active_llm_rate_limit_retry.set(True)  # one is under way, so none is started
        _event_context_config.set(SILENT)
        with scoped_hooks(_hooks(run)):
            output = await self._agent(run).kickoff_async(run.session.user_text)
        return str(output.raw)

    def _agent(self, run: Run) -> Agent:
        session = run.session
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
            tools=[_Door.to(run, spec.name) for spec in session.tools],
            verbose=False,
            max_iter=session.turn_limit + 1,
            max_retry_limit=0,
            respect_context_window=False,
            cache=False,
        )


def _hooks(run: Run) -> dict[InterceptionPoint, list[HookFn]]:
    """Return the hooks that end a run that is over, and take tools that CrewAI does not know."""

    def before_model(_: object) -> None:
        if run.over or run.spent:
            run.limit_reached = not run.over
            raise HookAborted("the run is over")

    def after_tool(context: Any) -> str | None:
        if context.tool is not None:
            return None
        return _hand_over(run, context.tool_name, context.tool_input).text

    return {
        InterceptionPoint.PRE_MODEL_CALL: [before_model],
        InterceptionPoint.POST_TOOL_CALL: [after_tool],
    }


class _FirstMessages(SyncHumanInputProvider):
    """Sets the first messages verbatim, where CrewAI would fill in its prompt templates."""

    def __init__(self, run: Run) -> None:
        self._texts = (("system", run.session.system_text), ("user", run.session.user_text))

    @override
    def setup_messages(self, context: Any) -> bool:
        # Without this, tools run at once on threads whenever CrewAI knows none of them.
        object.__setattr__(context, "_should_parallelize_native_tool_calls", lambda calls: False)
        context.messages.extend(
            {"role": role, "content": text} for role, text in self._texts if text is not None
        )
        return True


class _AnyArguments(BaseModel):
    """Stands in for a schema; the tools on the wire are the session's own."""


class _Door(BaseTool):
    """A tool whose every call goes to the session."""

    args_schema: type[BaseModel] = _AnyArguments
    _to: Run = PrivateAttr()

    @classmethod
    def to(cls, run: Run, name: str) -> "_Door":
        door = cls(name=name, description="")
        door._to = run
        return door

    @override
    def run(self, /, *args: Any, **kwargs: Any) -> str | ToolFailure:
        delivered = _hand_over(self._to, self.name, kwargs)
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

    def offer(self, session: AgentSession) -> None:
        self._offered = [wire_tool(spec) for spec in session.tools]

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
        return verbatim({**params, "stream": False}, params["messages"], self._offered)

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


def _hand_over(run: Run, name: str, arguments: object) -> Delivered:
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
