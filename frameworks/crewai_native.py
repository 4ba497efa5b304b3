"""CrewAI as it ships: a crew of one agent with one task, its own prompts and schemas.

The findings are the defaults: a model call that fails restarts the whole task, whatever was done by
then; at the step limit the model is told to ignore its instructions and is asked once more, without
tools; arguments are coerced by a schema that CrewAI made of ours.
"""

from frameworks import _quiet  # noqa: F401 # isort: skip

import asyncio
from typing import Any, override

from crewai import Agent, Crew, Task
from crewai.llms.providers.openai.completion import OpenAICompletion
from crewai.tools import BaseTool
from pydantic import PrivateAttr

from frameworks._native import blocking_client, running_natively
from frameworks._run import Run
from frameworks.crewai import FOREIGN, CrewAIAdapter, hand_over
from grid.adapter import AgentSession, Ended, ToolSpec

WIRE_NOTES = (
    "native profile: system prompt and task stand inside CrewAI's own templates",
    "native profile: all properties become required, optional ones may be null, defaults are gone,"
    " and arguments are coerced to the schema before they are handed over",
    "native profile: a model call that fails after the client's two retries restarts the whole"
    " task, up to twice",
    "native profile: after 25 steps the model is asked once more, without tools and told to ignore"
    " all previous instructions",
    "native profile: a terminal refusal does not stop the crew; ours turns its next request away",
)
"""What this profile does that the exact one does not."""

EXPECTED = "A report of what was done."
"""Expected output of the task; CrewAI asks for one."""


class CrewAINativeAdapter(CrewAIAdapter):
    """Drives CrewAI with its own defaults."""

    native = True

    def __init__(self) -> None:
        """Set up the worker's HTTP client, and take every listener off CrewAI's event bus."""
        super().__init__()
        self._http.close()
        self._http = blocking_client()

    async def drive(self, session: AgentSession) -> Ended:
        """Run one session to its end."""
        error: Exception | None = None
        words = ""
        with running_natively(session) as run:
            try:
                # A task of its own keeps CrewAI's settings out of the worker's context.
                words = await asyncio.create_task(self.kick_off(run))
            except Exception as caught:  # noqa: BLE001 # mapped once, by `end`
                error = caught
        return run.end(foreign=FOREIGN, error=error, final_text=words)

    async def kick_off(self, run: Run) -> str:
        """Run the crew; return its last words."""
        agent = self.agent(run)
        task = Task(description=run.session.user_text, expected_output=EXPECTED, agent=agent)
        output = await self.crew(agent, task).kickoff_async()
        return str(output.raw)

    def crew(self, agent: Agent, task: Task) -> Any:
        """Return the crew that does the task."""
        return Crew(agents=[agent], tasks=[task])

    def agent(self, run: Run) -> Agent:
        """Return the agent, with CrewAI's own defaults."""
        session = run.session
        llm = _ReachedLLM(
            model=session.model,
            custom_openai=True,
            base_url=session.base_url,
            api_key=session.api_key,
            timeout=session.timeout_s,
            client_params={"http_client": self._http},
            **session.sampling,
        )
        return Agent(
            role="Assistant",
            goal="Do what the user asks.",
            backstory=session.system_text or "You help the user.",
            llm=llm,
            tools=[_NativeDoor.of(run, spec) for spec in session.tools],
        )


class _ReachedLLM(OpenAICompletion):
    """CrewAI's own client on our wire; the asynchronous one is never used."""

    @override
    def _build_async_client(self) -> None:
        """Build none: it would want a wire of another kind."""


class _NativeDoor(BaseTool):
    """A tool with CrewAI's own handling of arguments."""

    _to: Run = PrivateAttr()

    @classmethod
    def of(cls, run: Run, spec: ToolSpec) -> "_NativeDoor":
        schema: Any = spec.parameters  # CrewAI makes a model of it
        door = cls(name=spec.name, description=spec.description, args_schema=schema)
        door._to = run
        return door

    @override
    def _run(self, *args: Any, **kwargs: Any) -> str:
        return hand_over(self._to, self.name, kwargs).text


ADAPTER = CrewAINativeAdapter
