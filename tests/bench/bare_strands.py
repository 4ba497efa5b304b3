"""Strands as its documentation has it: decorated functions, a fresh agent.

One model object for all agents, so that they share its HTTP client.
"""

from functools import cache
from typing import Any

import bare_world
import httpx
import openai
from strands import Agent, tool
from strands.models.openai import OpenAIModel

HTTP = httpx.AsyncClient(trust_env=False)


@tool
def list_nodes() -> str:
    """List the nodes in the maintenance catalogue."""
    return bare_world.listed()


@tool
def mem_usage(node: str) -> str:
    """Show the memory usage of a node in the catalogue.

    Args:
        node: Name of the node, as in the catalogue.
    """
    return bare_world.looked(node, "memory")


@tool
def disk_usage(node: str) -> str:
    """Show the disk usage of a node in the catalogue.

    Args:
        node: Name of the node, as in the catalogue.
    """
    return bare_world.looked(node, "disk")


@tool
def report(status: str, reason: str, claims: list[dict[str, str]]) -> str:
    """State the result of the task, once, at the end.

    Args:
        status: Result of the task.
        reason: Why, in one sentence.
        claims: The facts that you state.
    """
    return bare_world.reported(status, reason, claims)


@cache
def model(name: str, base_url: str, api_key: str) -> OpenAIModel:
    client = openai.AsyncOpenAI(base_url=base_url, api_key=api_key, max_retries=0, http_client=HTTP)
    return OpenAIModel(client=client, model_id=name, stream=False)


def build(asked: dict[str, Any]) -> Agent:
    return Agent(
        model=model(asked["model"], asked["base_url"], asked["api_key"]),
        system_prompt=asked["system"],
        tools=[list_nodes, mem_usage, disk_usage, report],
        callback_handler=None,
        retry_strategy=None,
    )


async def run(agent: Agent, asked: dict[str, Any]) -> str:
    return str(await agent.invoke_async(asked["user"]))
