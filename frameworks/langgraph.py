"""LangGraph in the exact profile, by way of LangChain's `create_agent`.

Driven on the worker's own event loop: one graph per trial, one HTTP client per worker. Tools are
raw OpenAI dictionaries and every call, of whatever name, is taken by one middleware; the same
middleware jumps to the end at a terminal refusal and at the turn limit. What LangChain rewrites or
swallows on the way stands in `WIRE_NOTES`.

Where a scenario asks for it: calls wait for a person's word in LangChain's own
`HumanInTheLoopMiddleware`, all of one answer together; the graph has an `InMemorySaver`, and after
a crash a new graph with the same saver goes on without input, so that LangGraph makes the pending
calls again; a later session goes on from a checkpoint in that saver's history.
"""

from frameworks import _quiet  # noqa: F401 # isort: skip

from typing import Any, override

import openai
from langchain.agents import create_agent
from langchain.agents.middleware import (
    AgentMiddleware,
    HumanInTheLoopMiddleware,
    hook_config,
)
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage
from langchain_core.runnables import RunnableConfig
from langchain_openai import ChatOpenAI
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.errors import GraphRecursionError
from langgraph.types import Command
from pydantic import SecretStr

from frameworks._http_tap import async_client, blocking_client
from frameworks._run import Crashed, Foreign, Run, running
from frameworks._tools import verbatim, wire_tool
from grid.adapter import AgentSession, Asked, Ended
from grid.vocabulary import Status

FOREIGN: Foreign = {
    openai.APIError: Status.PROVIDER_ERROR,
    GraphRecursionError: Status.TURN_LIMIT,
}
"""LangGraph's exceptions and the status each one means."""

ONE_BY_ONE: RunnableConfig = {"max_concurrency": 1}
"""Without it, the tools of one answer run in an order that differs from run to run."""

THREAD: RunnableConfig = {**ONE_BY_ONE, "configurable": {"thread_id": "trial"}}
"""Where a graph with a checkpointer keeps the one conversation that its checkpointer has."""

WIRE_NOTES = (
    "tool-call arguments go back in the history written anew: same values, other spacing",
    "argument text that is not JSON is not handed over: alone it ends the run as"
    " invalid_tool_calls; beside a valid call the run goes on, the model gets an error in"
    " LangChain's words, and in the history the invalid call stands last",
    "empty argument text, and a JSON null, 0, false, empty list or empty string in place of the"
    " arguments object, are run as {} and go back in the history as {}",
    "a JSON list, string, number or true in place of the arguments object ends the run as"
    " framework_error",
)
"""What still differs on the wire or in behaviour, in the exact profile."""


class LangGraphAdapter:
    """Drives LangGraph, one trial at a time."""

    def __init__(self) -> None:
        """Set up the worker's HTTP clients; ChatOpenAI wants a blocking one that is never used."""
        self._http = async_client()
        self._blocking = blocking_client()

    async def drive(self, session: AgentSession) -> Ended:
        """Run one session to its end."""
        error: Exception | None = None
        words = ""
        with running(session) as run:
            try:
                words = await self._run_through(run)
            except Exception as caught:  # noqa: BLE001 # mapped once, by `end`
                error = caught
        return run.end(foreign=FOREIGN, error=error, final_text=words)

    async def _run_through(self, run: Run) -> str:
        """Run the session, through crashes and questions, to its end; return the last words."""
        session = run.session
        if not (session.restorable or session.overseen):
            state = await self._graph(run, _Door(run), None).ainvoke(_said(session), ONE_BY_ONE)
            return last_words(state["messages"])
        saver, where = session.checkpoint or (InMemorySaver(), THREAD)
        door = _Door(run)
        graph = self._graph(run, door, saver)
        entry: Any = _said(session)
        while True:
            try:
                state = await graph.ainvoke(entry, where)
            except Crashed:
                run.restored()
                graph, entry, where = self._graph(run, door, saver), None, THREAD
                continue
            if not state.get("__interrupt__"):
                break
            entry, where = Command(resume={"decisions": _decisions(run, state)}), THREAD
        if door.kept:
            session.keep((saver, await _right_after(graph, door.kept)))
        return last_words(state["messages"])

    async def close(self) -> None:
        """Close the HTTP clients."""
        self._blocking.close()
        await self._http.aclose()

    def _graph(self, run: Run, door: "_Door", saver: InMemorySaver | None) -> Any:
        session = run.session
        asked: Any = {
            name: {"allowed_decisions": ["approve", "reject"]} for name in session.overseen
        }
        person = [HumanInTheLoopMiddleware(interrupt_on=asked)] if asked else []
        model = _ExactModel(
            model=session.model,
            base_url=session.base_url,
            api_key=SecretStr(session.api_key),
            timeout=session.timeout_s,
            max_retries=0,
            streaming=False,
            use_responses_api=False,
            temperature=None,
            extra_body=dict(session.sampling),
            http_async_client=self._http,
            http_client=self._blocking,
        )
        return create_agent(
            model,
            [wire_tool(spec) for spec in session.tools],
            system_prompt=session.system_text,
            middleware=[door, *person],
            checkpointer=saver,
        )


def _said(session: AgentSession) -> dict[str, Any]:
    return {"messages": [HumanMessage(session.user_text)]}


def _decisions(run: Run, state: Any) -> list[dict[str, Any]]:
    """Have a person decide on the calls that wait, and return the answers as LangChain wants."""
    calls = [
        Asked(name=call["name"], arguments=call["args"], call_id=call["id"])
        for call in state["messages"][-1].tool_calls
        if call["name"] in run.session.overseen
    ]
    return [
        {"type": "approve"} if told is None else {"type": "reject", "message": told.text}
        for told in run.ask(calls)
    ]


async def _right_after(graph: Any, call_id: str) -> Any:
    """Return the earliest checkpoint that holds the result of a call and waits for no other one."""
    found = None
    async for snapshot in graph.aget_state_history(THREAD):
        messages = snapshot.values.get("messages", ())
        if any(getattr(message, "tool_call_id", None) == call_id for message in messages):
            found = snapshot.config
    return {**found, **ONE_BY_ONE} if found else THREAD


class _ExactModel(ChatOpenAI):
    """Keeps the system role, which LangChain renames for models called o1, o3 and so on."""

    @override
    def _get_request_payload(self, *args: Any, **kwargs: Any) -> dict[str, Any]:
        payload = super()._get_request_payload(*args, **kwargs)
        for message in payload["messages"]:
            if message["role"] == "developer":
                message["role"] = "system"
        sampling = payload.pop("extra_body", {})
        return verbatim(payload, payload["messages"], payload["tools"], sampling)


class _Door(AgentMiddleware):
    """Takes every tool call to the session, and ends the run when it is over."""

    def __init__(self, run: Run) -> None:
        super().__init__()
        self._run = run
        self.kept = ""
        """Id of the call after whose result a later session goes on."""

    @override
    @hook_config(can_jump_to=["end"])
    async def abefore_model(self, state: Any, runtime: Any) -> dict[str, Any] | None:
        run = self._run
        if not run.over and not run.spent:
            return None
        run.limit_reached = not run.over
        return {"jump_to": "end"}

    @override
    async def awrap_tool_call(self, request: Any, handler: Any) -> ToolMessage:
        call = request.tool_call
        delivered = self._run.call(name=call["name"], arguments=call["args"], call_id=call["id"])
        if delivered.crash:
            raise Crashed
        if delivered.keep:
            self.kept = call["id"]
        return ToolMessage(
            content=delivered.text,
            tool_call_id=call["id"],
            name=call["name"],
            status="error" if delivered.is_error else "success",
        )


def last_words(messages: list[AnyMessage]) -> str:
    """Return the agent's last words."""
    last = messages[-1]
    return str(last.text) if isinstance(last, AIMessage) else ""


ADAPTER = LangGraphAdapter
