"""LangGraph in the exact profile, by way of LangChain's `create_agent`.

Driven on the worker's own event loop: one graph per trial, one HTTP client per worker. Tools are
raw OpenAI dictionaries and every call, of whatever name, is taken by one middleware; the same
middleware jumps to the end at a terminal refusal and at the turn limit. What LangChain rewrites or
swallows on the way stands in `WIRE_NOTES`.
"""

from frameworks import _quiet  # noqa: F401 # isort: skip

from typing import Any, override

import openai
from langchain.agents import create_agent
from langchain.agents.middleware import AgentMiddleware, hook_config
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage
from langchain_core.runnables import RunnableConfig
from langchain_openai import ChatOpenAI
from langgraph.errors import GraphRecursionError
from pydantic import SecretStr

from frameworks._http_tap import async_client, blocking_client
from frameworks._run import Foreign, Run, running
from frameworks._tools import verbatim, wire_tool
from grid.adapter import AgentSession, Ended
from grid.vocabulary import Status

FOREIGN: Foreign = {
    openai.APIError: Status.PROVIDER_ERROR,
    GraphRecursionError: Status.TURN_LIMIT,
}
"""LangGraph's exceptions and the status each one means."""

ONE_BY_ONE: RunnableConfig = {"max_concurrency": 1}
"""Without it, the tools of one answer run in an order that differs from run to run."""

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
        """Run one trial to its end."""
        error: Exception | None = None
        words = ""
        with running(session) as run:
            graph = self._graph(run)
            try:
                state = await graph.ainvoke(
                    {"messages": [HumanMessage(session.user_text)]}, ONE_BY_ONE
                )
                words = _last_words(state["messages"])
            except Exception as caught:  # noqa: BLE001 # mapped once, by `end`
                error = caught
        return run.end(foreign=FOREIGN, error=error, final_text=words)

    async def close(self) -> None:
        """Close the HTTP clients."""
        self._blocking.close()
        await self._http.aclose()

    def _graph(self, run: Run) -> Any:
        session = run.session
        model = _ExactModel(
            model=session.model,
            base_url=session.base_url,
            api_key=SecretStr(session.api_key),
            timeout=session.timeout_s,
            max_retries=0,
            streaming=False,
            use_responses_api=False,
            temperature=None,
            http_async_client=self._http,
            http_client=self._blocking,
        )
        return create_agent(
            model,
            [wire_tool(spec) for spec in session.tools],
            system_prompt=session.system_text,
            middleware=[_Door(run)],
        )


class _ExactModel(ChatOpenAI):
    """Keeps the system role, which LangChain renames for models called o1, o3 and so on."""

    @override
    def _get_request_payload(self, *args: Any, **kwargs: Any) -> dict[str, Any]:
        payload = super()._get_request_payload(*args, **kwargs)
        for message in payload["messages"]:
            if message["role"] == "developer":
                message["role"] = "system"
        return verbatim(payload, payload["messages"], payload["tools"])


class _Door(AgentMiddleware):
    """Takes every tool call to the session, and ends the run when it is over."""

    def __init__(self, run: Run) -> None:
        super().__init__()
        self._run = run

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
        return ToolMessage(
            content=delivered.text,
            tool_call_id=call["id"],
            name=call["name"],
            status="error" if delivered.is_error else "success",
        )


def _last_words(messages: list[AnyMessage]) -> str:
    last = messages[-1]
    return str(last.text) if isinstance(last, AIMessage) else ""


ADAPTER = LangGraphAdapter
