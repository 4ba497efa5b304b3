"""LangGraph as its documentation has it: `create_agent` over plain functions, a fresh graph.

One model object for all graphs, so that they share its HTTP client.
"""

from functools import cache
from typing import Any

import bare_world
import httpx
from langchain.agents import create_agent
from langchain_openai import ChatOpenAI
from pydantic import SecretStr

HTTP = httpx.AsyncClient(trust_env=False)
BLOCKING = httpx.Client(trust_env=False)  # else ChatOpenAI makes a TLS context of its own


async def list_nodes() -> str:
    """List the nodes in the maintenance catalogue."""
    return bare_world.listed()


async def mem_usage(node: str) -> str:
    """Show the memory usage of a node in the catalogue."""
    return bare_world.looked(node, "memory")


async def disk_usage(node: str) -> str:
    """Show the disk usage of a node in the catalogue."""
    return bare_world.looked(node, "disk")


async def report(status: str, reason: str, claims: list[dict[str, str]]) -> str:
    """State the result of the task, once, at the end."""
    return bare_world.reported(status, reason, claims)


@cache
def model(name: str, base_url: str, api_key: str) -> ChatOpenAI:
    return ChatOpenAI(
        model=name,
        base_url=base_url,
        api_key=SecretStr(api_key),
        max_retries=0,
        streaming=False,
        http_async_client=HTTP,
        http_client=BLOCKING,
    )


def build(asked: dict[str, Any]) -> Any:
    return create_agent(
        model(asked["model"], asked["base_url"], asked["api_key"]),
        [list_nodes, mem_usage, disk_usage, report],
        system_prompt=asked["system"],
    )


async def run(agent: Any, asked: dict[str, Any]) -> str:
    state = await agent.ainvoke({"messages": [{"role": "user", "content": asked["user"]}]})
    return str(state["messages"][-1].text)
