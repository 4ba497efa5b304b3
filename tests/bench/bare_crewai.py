"""CrewAI as its documentation has it: `Agent.kickoff` over decorated functions, a fresh agent.

One LLM for all agents, so that they share its HTTP client. Panels and warnings are kept off the
terminal, as in the exact profile: drawing them is no part of a run.
"""

import logging
from functools import cache
from typing import Any

import bare_world
from crewai import LLM, Agent
from crewai.events.event_listener import event_listener
from crewai.tools import tool

event_listener.formatter.console.quiet = True
logging.getLogger("crewai.llms.base_llm").setLevel(logging.ERROR)


@tool("list_nodes")
def list_nodes() -> str:
    """List the nodes in the maintenance catalogue."""
    return bare_world.listed()


@tool("mem_usage")
def mem_usage(node: str) -> str:
    """Show the memory usage of a node in the catalogue."""
    return bare_world.looked(node, "memory")


@tool("disk_usage")
def disk_usage(node: str) -> str:
    """Show the disk usage of a node in the catalogue."""
    return bare_world.looked(node, "disk")


@tool("report")
def report(status: str, reason: str, claims: list[dict[str, str]]) -> str:
    """State the result of the task, once, at the end."""
    return bare_world.reported(status, reason, claims)


@cache
def model(name: str, base_url: str, api_key: str) -> LLM:
    return LLM(
        model=name,
        custom_openai=True,
        base_url=base_url,
        api_key=api_key,
        max_retries=0,
        stream=False,
    )


def build(asked: dict[str, Any]) -> Agent:
    return Agent(
        role="an operations agent",
        backstory=asked["system"],
        goal="do what the user asks",
        llm=model(asked["model"], asked["base_url"], asked["api_key"]),
        tools=[list_nodes, mem_usage, disk_usage, report],
        max_retry_limit=0,
        cache=False,
        verbose=False,
    )


async def run(agent: Agent, asked: dict[str, Any]) -> str:
    return str((await agent.kickoff_async(asked["user"])).raw)
