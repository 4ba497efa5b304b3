"""LangGraph in the exact profile, by way of LangChain's `create_agent`.

Driven on the worker's own event loop: one graph per trial, one HTTP client per worker. Tools are
raw OpenAI dictionaries and every call, of whatever name, is taken by one middleware; the same
middleware jumps to the end at a terminal refusal and at the turn limit. What LangChain rewrites or
swallows on the way stands in `WIRE_NOTES`.
"""

from frameworks import _quiet  # noqa: F401 # isort: split

from typing import Any, override

import openai
from langchain.agents import create_agent
from langchain.agents.middleware import AgentMiddleware, hook_config
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage
from langchain_openai import ChatOpenAI
from langgraph.errors import GraphRecursionError

from frameworks._http_tap import async_client, blocking_client
from frameworks._run import Foreign, Run, running
from frameworks._tools import wire_tool
from grid.adapter import AgentSession, Ended
from grid.vocabulary import Status

FOREIGN: Foreign = {
    openai.APIError: Status.PROVIDER_ERROR,
    GraphRecursionError: Status.TURN_LIMIT,
}
"""LangGraph's exceptions and the status each one means."""

WIRE_NOTES = ()


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
                state = await graph.ainvoke({"messages": [HumanMessage(session.user_text)]})
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
        model = ChatOpenAI(
            model=session.model, base_url=session.base_url, api_key=session.api_key,
            timeout=session.timeout_s, max_retries=0, streaming=False, use_responses_api=False,
            http_async_client=self._http, http_client=self._blocking,
        )
        return create_agent(
            model, [wire_tool(spec) for spec in session.tools], system_prompt=session.system_text,
            middleware=[_Door(run)],
        )


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
            content=delivered.text, tool_call_id=call["id"], name=call["name"],
            status="error" if delivered.is_error else "success",
        )


def _last_words(messages: list[AnyMessage]) -> str:
    last = messages[-1]
    return str(last.text) if isinstance(last, AIMessage) else ""


ADAPTER = LangGraphAdapter
