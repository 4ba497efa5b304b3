"""Strands Agents in the exact profile.

Driven on the worker's own event loop: one agent per trial, one HTTP client per worker. A terminal
refusal is `Agent.cancel` under the sequential executor, the turn limit is Strands' own, and a hook
takes tool names that Strands does not know. What it rewrites on the way stands in `WIRE_NOTES`.

Where a scenario asks for it: calls wait for a person's word as interrupts of `BeforeToolCallEvent`,
all of one answer together, which takes the concurrent executor; a snapshot is taken before each
call, and after a crash a new agent loads it and goes on without a prompt, so that Strands makes the
pending calls of the last answer again; a later session loads a snapshot and prompts anew.
"""

from frameworks import _quiet  # noqa: F401 # isort: skip

from collections.abc import AsyncGenerator, Callable
from typing import Any, override

import openai
from strands import Agent
from strands.agent.conversation_manager import NullConversationManager
from strands.hooks import AfterToolsEvent, BeforeModelCallEvent, BeforeToolCallEvent
from strands.models.openai import OpenAIModel
from strands.tools.executors import ConcurrentToolExecutor, SequentialToolExecutor
from strands.types import exceptions as foreign
from strands.types import tools as strands_tools
from strands.types._events import ToolResultEvent
from strands.types.content import Messages

from frameworks._http_tap import async_client
from frameworks._run import Crashed, Foreign, Run, running
from frameworks._tools import verbatim, wire_tool
from grid.adapter import AgentSession, Asked, Delivered, Ended, ToolSpec
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
        """Run one session to its end."""
        error: Exception | None = None
        with running(session) as run:
            work = _Work(self._http, run)
            try:
                await work.go_on()
            except Exception as caught:  # noqa: BLE001 # mapped once, by `end`
                error = caught
        return run.end(foreign=FOREIGN, error=error, final_text=last_words(work.agent.messages))

    async def close(self) -> None:
        """Close the HTTP client."""
        await self._http.aclose()


class _Work:
    """One session: its agent, and the agents that take over from it after a crash."""

    def __init__(self, http: Any, run: Run) -> None:
        self._http = http
        self._run = run
        self._snapshot: Any = run.session.checkpoint  # of the last moment to which we can go back
        self._keep = self._crashed = False
        self._words: dict[str, Delivered | None] = {}  # a person's answers, by id of the call
        self.agent = self._new_agent()

    async def go_on(self) -> None:
        """Run the session, through crashes and questions, to its end."""
        run, prompt = self._run, self._run.session.user_text
        entry: Any = prompt
        while True:
            # a run that goes on with pending calls counts that as a turn of its own
            limits: Any = {"turns": run.left + (entry is not prompt)}
            try:
                result = await self.agent.invoke_async(entry, limits=limits)
            except Crashed:
                run.restored()
                self.agent = self._new_agent()
                # what was answered before the call is part of the snapshot: no new answers
                entry = [] if self._snapshot.data["interrupt_state"]["activated"] else None
                continue
            run.limit_reached = result.stop_reason == "limit_turns"
            if result.stop_reason != "interrupt":
                return
            entry = self._answers(result.interrupts)

    def _answers(self, interrupts: Any) -> list[dict[str, Any]]:
        """Have a person decide on the calls that wait, and return the answers as Strands wants."""
        calls = [Asked(**interrupt.reason) for interrupt in interrupts]
        for call, told in zip(calls, self._run.ask(calls), strict=True):
            self._words[str(call.call_id)] = told
        return [
            {
                "interruptResponse": {
                    "interruptId": interrupt.id,
                    "response": "no" if self._words[str(call.call_id)] else "yes",
                }
            }
            for interrupt, call in zip(interrupts, calls, strict=True)
        ]

    def before_tool(self, event: BeforeToolCallEvent) -> None:
        """Take tool names that Strands does not know, keep a snapshot, wait for a person's word."""
        run, use = self._run, event.tool_use
        if event.selected_tool is None:
            event.selected_tool = tool_for(
                run, ToolSpec(name=use["name"], description="", parameters={})
            )
        if run.session.restorable:
            self._snapshot = self.agent.take_snapshot(preset="session")
        if use["name"] not in run.session.overseen:
            return
        waiting = {"name": use["name"], "arguments": use["input"], "call_id": use["toolUseId"]}
        if event.interrupt(f"approve/{use['toolUseId']}", reason=waiting) != "yes":
            denied = self._words.get(str(use["toolUseId"]))
            event.cancel_tool = denied.text if denied else True

    def before_model(self, event: BeforeModelCallEvent) -> None:
        """Hand over the checkpoint for a later session, as soon as all results are in."""
        if self._keep:
            self._keep = False
            self._run.session.keep(self.agent.take_snapshot(preset="session"))

    def after_tools(self, event: AfterToolsEvent) -> None:
        """Crash once more: the concurrent executor has swallowed the first time."""
        if self._crashed:
            self._crashed = False
            raise Crashed

    def delivered(self, delivered: Delivered) -> None:
        """Crash, or note that a checkpoint is wanted, where the session says so."""
        if delivered.crash:
            self._crashed = True
            raise Crashed
        self._keep = self._keep or delivered.keep

    def _new_agent(self) -> Agent:
        run, session = self._run, self._run.session
        client = openai.AsyncOpenAI(
            base_url=session.base_url,
            api_key=session.api_key,
            timeout=session.timeout_s,
            max_retries=0,
            http_client=self._http,
        )
        batched = ConcurrentToolExecutor() if session.overseen else SequentialToolExecutor()
        agent = Agent(
            model=_ExactModel(client, session),
            system_prompt=session.system_text,
            tools=[_Door(run, spec, self.delivered) for spec in session.tools],
            callback_handler=None,
            conversation_manager=NullConversationManager(),
            retry_strategy=None,
            tool_executor=batched,
        )
        if self._snapshot is not None:
            agent.load_snapshot(self._snapshot)
        agent.hooks.add_callback(BeforeToolCallEvent, self.before_tool)
        agent.hooks.add_callback(BeforeModelCallEvent, self.before_model)
        agent.hooks.add_callback(AfterToolsEvent, self.after_tools)
        return agent


class _ExactModel(OpenAIModel):
    """Sends tools as specified and text as plain strings, not as lists of parts."""

    def __init__(self, client: openai.AsyncOpenAI, session: AgentSession) -> None:
        super().__init__(client=client, model_id=session.model, stream=False)
        self._tools = [wire_tool(spec) for spec in session.tools]
        self._sampling = session.sampling

    @override
    def format_request(self, *args: Any, **kwargs: Any) -> dict[str, Any]:
        request = super().format_request(*args, **kwargs)
        messages = [_plain(message) for message in request["messages"]]
        return verbatim(request, messages, self._tools, self._sampling)


class _Door(strands_tools.AgentTool):
    """A tool whose every call goes to the session."""

    def __init__(
        self, run: Run, spec: ToolSpec, then: Callable[[Delivered], None] | None = None
    ) -> None:
        super().__init__()
        self._run = run
        self._spec = spec
        self._then = then

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
        if self._then is not None:
            self._then(delivered)
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


def tool_for(run: Run, spec: ToolSpec) -> strands_tools.AgentTool:
    """Return a tool whose every call goes to the session."""
    return _Door(run, spec)


def last_words(messages: Messages) -> str:
    """Return the agent's last words."""
    if not messages or messages[-1]["role"] != "assistant":
        return ""
    return "".join(block.get("text", "") for block in messages[-1]["content"])


ADAPTER = StrandsAdapter
