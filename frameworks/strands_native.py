"""Strands Agents as it ships: streaming, retries, concurrent tools, its own tool schemas.

The findings are the defaults themselves: argument text that is no JSON is run as ``{}``, and a
throttled model is asked up to six times. One agent per trial, one HTTP client per worker. Nothing
is switched off but the printing of words.
"""

from frameworks import _quiet  # noqa: F401 # isort: skip

import openai
from strands import Agent
from strands.models.openai import OpenAIModel

from frameworks._native import async_client, running_natively
from frameworks._run import Run
from frameworks.strands import FOREIGN, StrandsAdapter, last_words, tool_for
from grid.adapter import AgentSession, Ended

WIRE_NOTES = (
    "native profile: answers are streamed; requests carry stream options and user content as parts",
    "native profile: every property without a description gets one, and every schema a list of"
    " required properties",
    "native profile: 429 is retried up to six times, with pauses of 4 s and more; other errors of"
    " the model twice, by the client",
    "native profile: no step limit; ours ends a run after three times the scenario's turn limit",
    "native profile: tools of one answer run side by side; a tool that there is not is never handed"
    " over",
)
"""What this profile does that the exact one does not."""


class StrandsNativeAdapter(StrandsAdapter):
    """Drives Strands with its own defaults."""

    native = True

    def __init__(self) -> None:
        """Set up the worker's HTTP client."""
        self._http = async_client()

    async def drive(self, session: AgentSession) -> Ended:
        """Run one session to its end."""
        error: Exception | None = None
        with running_natively(session) as run:
            agent = self._agent(run)
            try:
                await agent.invoke_async(session.user_text)
            except Exception as caught:  # noqa: BLE001 # mapped once, by `end`
                error = caught
        return run.end(foreign=FOREIGN, error=error, final_text=last_words(agent.messages))

    def _agent(self, run: Run) -> Agent:
        session = run.session
        client = openai.AsyncOpenAI(
            base_url=session.base_url,
            api_key=session.api_key,
            timeout=session.timeout_s,
            http_client=self._http,
        )
        return Agent(
            model=OpenAIModel(client=client, model_id=session.model, params=dict(session.sampling)),
            system_prompt=session.system_text,
            tools=[tool_for(run, spec) for spec in session.tools],
            callback_handler=None,
        )


ADAPTER = StrandsNativeAdapter
