"""LangGraph as it ships, run by its own `astream` with the model's words as they come.

The finding is what that way of running makes of a call that breaks off: LangChain then puts tool
calls together with a parser of unfinished JSON, which closes what is open. So a call that the model
never finished is run, and the model is shown it afterwards as its own. Without streaming the same
text is read strictly (see `frameworks.langgraph_native`).
"""

from frameworks import _quiet  # noqa: F401 # isort: skip

from typing import Any, override

from frameworks.langgraph_native import WIRE_NOTES as OF_A_GRAPH
from frameworks.langgraph_native import LangGraphNativeAdapter

WIRE_NOTES = (
    *OF_A_GRAPH,
    "native profile: messages are streamed: answers come as a stream",
    "native profile: messages are streamed: argument text that breaks off is completed, run, and"
    " goes back in the history as if it had been sent so; what cannot be completed ends the run",
)
"""What this profile does that the exact one does not."""


class LangGraphStreamedNativeAdapter(LangGraphNativeAdapter):
    """Drives LangGraph with its own defaults, and reads the model's words as they come."""

    @override
    async def carry_through(self, graph: Any, said: dict[str, Any]) -> Any:
        """Run the graph to its end, with its words as they come; return its last state."""
        state: Any = said
        async for mode, part in graph.astream(said, stream_mode=["messages", "values"]):
            if mode == "values":
                state = part
        return state


ADAPTER = LangGraphStreamedNativeAdapter
