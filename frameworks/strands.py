"""Strands Agents in the exact profile.

Driven on the worker's own event loop: one agent per trial, one HTTP client per worker. A terminal
refusal is `Agent.cancel` under the sequential executor, the turn limit is Strands' own, and a hook
takes tool names that Strands does not know. What it rewrites on the way stands in `WIRE_NOTES`.
"""

from frameworks import _quiet  # noqa: F401 # isort: skip

from collections.abc import AsyncGenerator
from typing import Any, override

import openai
from strands import Agent
from strands.agent.conversation_manager import NullConversationManager
from strands.hooks import BeforeToolCallEvent
from strands.models.openai import OpenAIModel
from strands.tools.executors import SequentialToolExecutor
from strands.types import exceptions as foreign
from strands.types import tools as strands_tools
from strands.types._events import ToolResultEvent
from strands.types.content import Messages

from frameworks._http_tap import async_client
from frameworks._run import Foreign, Run, running
from frameworks._tools import verbatim, wire_tool
from grid.adapter import AgentSession, Ended, ToolSpec
from grid.vocabulary import Status

FOREIGN: Foreign = {
    foreign.MaxTokensReachedException: Status.COMPLETED,  # a cut answer is an answer elsewhere too
    foreign.ModelThrottledException: Status.PROVIDER_ERROR,
    foreign.ContextWindowOverflowException: Status.PROVIDER_ERROR,
    openai.APIError: Status.PROVIDER_ERROR,
    foreign.EventLoopException: Status.FRAMEWORK_ERROR,
}
"""Strands' exceptions and the status each one means."""

WIRE_NOTES = (
    "tool-call arguments go back in the history written anew: same values, other spacing",
    "argument text that is not JSON is run as {} and goes back in the history as {}",
    "empty argument text is run as {} and goes back in the history as {}",
    "any JSON value in place of the arguments object is handed over as it is",
    "a tool name with other characters than letters, digits, _ and - is never handed over; the"
    " history shows INVALID_TOOL_NAME in its place",
    "a tool call without an id or a name is dropped from the history",
    "an answer cut off at the token limit ends the run; its tool calls are not run",
    "assistant text of white space only is dropped, or goes back as [blank text]",
)
"""What still differs on the wire or in behaviour, in the exact profile."""


class StrandsAdapter:
    """Drives Strands, one trial at a time."""

    def __init__(self) -> None:
        """Set up the worker's HTTP client."""
        self._http = async_client()

    async def drive(self, session: AgentSession) -> Ended:
        """Run one trial to its end."""
        error: Exception | None = None
        with running(session) as run:
            agent = self._agent(run)
            try:
                result = await agent.invoke_async(
                    session.user_text, limits={"turns": session.turn_limit}
                )
                run.limit_reached = result.stop_reason == "limit_turns"
            except Exception as caught:  # noqa: BLE001 # mapped once, by `end`
                error = caught
        return run.end(foreign=FOREIGN, error=error, final_text=_last_words(agent.messages))

    async def close(self) -> None:
        """Close the HTTP client."""
        await self._http.aclose()

    def _agent(self, run: Run) -> Agent:
        session = run.session
        client = openai.AsyncOpenAI(
            base_url=session.base_url,
            api_key=session.api_key,
            timeout=session.timeout_s,
            max_retries=0,
            http_client=self._http,
        )
        agent = Agent(
            model=_ExactModel(client, session),
            system_prompt=session.system_text,
            tools=[_Door(run, spec) for spec in session.tools],
            callback_handler=None,
            conversation_manager=NullConversationManager(),
            retry_strategy=None,
            tool_executor=SequentialToolExecutor(),
        )

        def catch_unknown(event: BeforeToolCallEvent) -> None:
            if event.selected_tool is None:
                name = event.tool_use["name"]
                event.selected_tool = _Door(run, ToolSpec(name=name, description="", parameters={}))

        agent.hooks.add_callback(BeforeToolCallEvent, catch_unknown)
        return agent


class _ExactModel(OpenAIModel):
    """Sends tools as specified and text as plain strings, not as lists of parts."""

    def __init__(self, client: openai.AsyncOpenAI, session: AgentSession) -> None:
        super().__init__(client=client, model_id=session.model, stream=False)
        self._tools = [wire_tool(spec) for spec in session.tools]

    @override
    def format_request(self, *args: Any, **kwargs: Any) -> dict[str, Any]:
        request = super().format_request(*args, **kwargs)
        messages = [_plain(message) for message in request["messages"]]
        return verbatim(request, messages, self._tools)


class _Door(strands_tools.AgentTool):
    """A tool whose every call goes to the session."""

    def __init__(self, run: Run, spec: ToolSpec) -> None:
        super().__init__()
        self._run = run
        self._spec = spec

    @property
    def tool_name(self) -> str:
        return self._spec.name

    @property
    def tool_spec(self) -> strands_tools.ToolSpec:
        return {
            "name": self._spec.name,
            "description": self._spec.description,
            "inputSchema": {"json": self._spec.parameters},
        }

    @property
    def tool_type(self) -> str:
        return "door"

    async def stream(
        self, tool_use: strands_tools.ToolUse, invocation_state: dict[str, Any], **kwargs: Any
    ) -> AsyncGenerator[Any, None]:
        delivered = self._run.call(
            name=tool_use["name"], arguments=tool_use["input"], call_id=tool_use["toolUseId"]
        )
        if delivered.halt:
            invocation_state["agent"].cancel()
        yield ToolResultEvent(
            {
                "toolUseId": tool_use["toolUseId"],
                "status": "error" if delivered.is_error else "success",
                "content": [{"text": delivered.text}],
            }
        )


def _plain(message: dict[str, Any]) -> dict[str, Any]:
    content = message.get("content")
    if isinstance(content, list):
        content = "".join(part["text"] for part in content)
    return {**message, "content": content}


def _last_words(messages: Messages) -> str:
    if not messages or messages[-1]["role"] != "assistant":
        return ""
    return "".join(block.get("text", "") for block in messages[-1]["content"])


ADAPTER = StrandsAdapter
