"""CrewAI as it ships, with its tool cache switched on by its own switch.

The finding is what the cache does: a call with the tool and the arguments of an earlier one is
answered from memory, so that a second payment that the user wants never takes place.
"""

from frameworks import _quiet  # noqa: F401 # isort: skip

from typing import Any, override

from crewai import Agent, Crew, Task

from frameworks.crewai_native import WIRE_NOTES as OF_A_CREW
from frameworks.crewai_native import CrewAINativeAdapter

WIRE_NOTES = (
    *OF_A_CREW,
    "native profile: tool cache on: a call with the tool and arguments of an earlier one is"
    " answered from memory and never handed over",
)
"""What this profile does that the exact one does not."""


class CrewAICachedNativeAdapter(CrewAINativeAdapter):
    """Drives CrewAI with its own defaults and its tool cache."""

    @override
    def crew(self, agent: Agent, task: Task) -> Any:
        """Return a crew that keeps what its tools answered."""
        return Crew(agents=[agent], tasks=[task], cache=True)


ADAPTER = CrewAICachedNativeAdapter
