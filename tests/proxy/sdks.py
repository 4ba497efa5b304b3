"""``python sdks.py NAME BASE_URL``: a real client, unmodified, asks whole and as a stream.

It knows nothing of a proxy: what brings it there is in its environment. It prints what it made of
the answers, as JSON. ``python sdks.py NAME BASE_URL fails`` prints the error that it raises
instead: its package, its name and its words.
"""

import json
import sys
from typing import Any

PROMPT = "What is the weather at the moon? 🍣"


def ask_openai(base: str) -> list[Any]:
    """Ask by the client of OpenAI."""
    import openai  # noqa: PLC0415 - each client alone, as in somebody's agent

    with openai.OpenAI(base_url=f"{base}/v1", max_retries=0) as client:
        asked: dict[str, Any] = {
            "model": "gpt-test",
            "messages": [{"role": "user", "content": PROMPT}],
        }
        whole = client.chat.completions.create(**asked)
        stream = client.chat.completions.create(**asked, stream=True)
        return [whole.model_dump(), [chunk.model_dump() for chunk in stream]]


def ask_anthropic(base: str) -> list[Any]:
    """Ask by the client of Anthropic."""
    import anthropic  # noqa: PLC0415 - as above

    with anthropic.Anthropic(base_url=base, max_retries=0) as client:
        asked: dict[str, Any] = {
            "model": "claude-test",
            "max_tokens": 99,
            "messages": [{"role": "user", "content": PROMPT}],
        }
        whole = client.messages.create(**asked)
        with client.messages.stream(**asked) as stream:
            events = [event.model_dump() for event in stream]
            return [whole.model_dump(), events, stream.get_final_message().model_dump()]


def ask_bedrock(base: str) -> list[Any]:
    """Ask by the client of AWS, which signs what it asks."""
    import boto3  # noqa: PLC0415 - as above
    from botocore.config import Config  # noqa: PLC0415 - as above

    client = boto3.client(
        "bedrock-runtime",
        endpoint_url=base,
        region_name="us-east-1",
        config=Config(retries={"total_max_attempts": 1}),
    )
    asked: dict[str, Any] = {
        "modelId": "vendor.model-1:0",
        "messages": [{"role": "user", "content": [{"text": PROMPT}]}],
    }
    whole = client.converse(**asked)
    stream = client.converse_stream(**asked)
    del whole["ResponseMetadata"]
    return [whole, list(stream["stream"])]


def ask_gemini(base: str) -> list[Any]:
    """Ask by the client of Google."""
    from google import genai  # noqa: PLC0415 - as above
    from google.genai import types  # noqa: PLC0415 - as above

    client = genai.Client(http_options=types.HttpOptions(base_url=base))
    whole = client.models.generate_content(model="gemini-test", contents=PROMPT)
    stream = client.models.generate_content_stream(model="gemini-test", contents=PROMPT)
    kept = {"candidates", "usage_metadata", "model_version"}
    return [
        whole.model_dump(include=kept, mode="json"),
        [chunk.model_dump(include=kept, mode="json") for chunk in stream],
    ]


CLIENTS = {
    "openai": ask_openai,
    "anthropic": ask_anthropic,
    "bedrock": ask_bedrock,
    "gemini": ask_gemini,
}


def failing(name: str, base: str) -> list[str]:
    """Return the error that a client raises: its package, its name and its words."""
    try:
        CLIENTS[name](base)
    except Exception as error:  # noqa: BLE001 - which one it is, is what is asked
        kind = type(error)
        return [kind.__module__.partition(".")[0], kind.__name__, str(error)]
    raise AssertionError("it did not fail")


if __name__ == "__main__":
    ask = failing if sys.argv[3:] == ["fails"] else lambda name, base: CLIENTS[name](base)
    print(json.dumps(ask(sys.argv[1], sys.argv[2]), ensure_ascii=False))
