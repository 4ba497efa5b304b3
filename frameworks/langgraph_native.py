"""LangGraph as it ships, by way of LangChain's `create_agent` with structured tools.

The finding is a default: an answer whose tool calls cannot be read ends the run in silence, as if
the agent had said its last words. One graph per trial, one HTTP client per worker.
"""

from frameworks import _quiet  # noqa: F401 # isort: skip

from collections.abc import Callable, Coroutine
from typing import Any

from langchain.agents import create_agent
from langchain_core.messages import HumanMessage
from langchain_core.tools import StructuredTool
from langchain_openai import ChatOpenAI
from pydantic import SecretStr

from frameworks._native import async_client, blocking_client, running_natively
from frameworks._run import Run
from frameworks.langgraph import FOREIGN, LangGraphAdapter, last_words
from grid.adapter import AgentSession, Ended, ToolSpec

WIRE_NOTES = (
    "native profile: errors of the model are retried twice, by the client",
    "native profile: no step limit; ours ends a run after three times the scenario's turn limit",
    "native profile: a terminal refusal does not stop the graph; ours turns its next request away",
    "native profile: tools of one answer run side by side; a tool that there is not is never handed"
    " over",
    "native profile: an answer whose tool calls cannot be read ends the run without a word",
)
"""What this profile does that the exact one does not."""


class LangGraphNativeAdapter(LangGraphAdapter):
    """Drives LangGraph with its own defaults."""

    native = True

    def __init__(self) -> None:
        """Set up the worker's HTTP clients; ChatOpenAI wants a blocking one that is never used."""
        self._http = async_client()
        self._blocking = blocking_client()

    async def drive(self, session: AgentSession) -> Ended:
        """Run one session to its end."""
        error: Exception | None = None
        words = ""
        with running_natively(session) as run:
            graph = self._native(run)
            try:
                said = {"messages": [HumanMessage(session.user_text)]}
                state = await self.carry_through(graph, said)
                words = last_words(state["messages"])
            except Exception as caught:  # noqa: BLE001 # mapped once, by `end`
                error = caught
        return run.end(foreign=FOREIGN, error=error, final_text=words)

    async def carry_through(self, graph: Any, said: dict[str, Any]) -> Any:
        """Run the graph to its end; return its last state."""
        return await graph.ainvoke(said)

    def _native(self, run: Run) -> Any:
        session = run.session
        model = ChatOpenAI(
            model=session.model,
            base_url=session.base_url,
            api_key=SecretStr(session.api_key),
            timeout=session.timeout_s,
            http_async_client=self._http,
            http_client=self._blocking,
            extra_body=dict(session.sampling) or None,
        )
        tools = [_tool(run, spec) for spec in session.tools]
        return create_agent(model, tools, system_prompt=session.system_text)


def _tool(run: Run, spec: ToolSpec) -> StructuredTool:
    return StructuredTool(
        name=spec.name,
        description=spec.description,
        args_schema=spec.parameters,
        coroutine=_to_session(run, spec.name),
    )


def _to_session(run: Run, name: str) -> Callable[..., Coroutine[Any, Any, str]]:
    async def call(**arguments: Any) -> str:
        return run.call(name=name, arguments=arguments, call_id=None).text

    return call


ADAPTER = LangGraphNativeAdapter
