"""Which provider's protocol does an exchange speak? Told by its path alone, and then decoded.

A path that fits none is read as chat completions: whatever speaks it under a path of its own is
still read strictly, and what is something else comes out as `Undecodable`.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from proxy.wire import (
    anthropic_messages,
    bedrock_converse,
    gemini_content,
    openai_chat,
    openai_responses,
)
from proxy.wire.answer import Asked, Assistant, ProviderError, Undecodable
from proxy.wire.exchange import Exchange


@dataclass(frozen=True, slots=True, kw_only=True)
class Protocol:
    """How one provider's exchanges are read."""

    path: re.Pattern[str]
    """Searched in a path without its query; a group ``model`` in it holds the model id."""
    module: ModuleType
    """Its decoder."""
    conversation: str
    """Member of a request's body that lists the conversation so far."""
    is_own: Callable[[dict[str, Any]], bool]
    """Whether an entry of that list is the model's own."""


def _assistants(message: dict[str, Any]) -> bool:
    return message.get("role") == "assistant"


_CHAT = Protocol(
    path=re.compile(r"(^|/)chat/completions$"),
    module=openai_chat,
    conversation="messages",
    is_own=_assistants,
)
_PROTOCOLS = (
    _CHAT,
    Protocol(
        path=anthropic_messages.PATH,
        module=anthropic_messages,
        conversation="messages",
        is_own=_assistants,
    ),
    Protocol(
        path=openai_responses.PATH,
        module=openai_responses,
        conversation="input",
        is_own=openai_responses.is_own,
    ),
    Protocol(
        path=bedrock_converse.PATH,
        module=bedrock_converse,
        conversation="messages",
        is_own=_assistants,
    ),
    Protocol(
        path=gemini_content.PATH,
        module=gemini_content,
        conversation="contents",
        is_own=gemini_content.is_own,
    ),
)


def protocol_of(path: str) -> Protocol:
    """Return how exchanges with this path are read."""
    plain = path.partition("?")[0]
    return next((one for one in _PROTOCOLS if one.path.search(plain)), _CHAT)


def decoder_of(path: str) -> ModuleType:
    """Return the module that reads exchanges with this path."""
    return protocol_of(path).module


def decode_request(exchange: Exchange) -> Asked | Undecodable:
    """Read what was asked."""
    found: Asked | Undecodable = decoder_of(exchange.request.path).decode_request(exchange)
    return found


def decode_answer(exchange: Exchange) -> Assistant | ProviderError | Undecodable:
    """Read what was answered."""
    found: Assistant | ProviderError | Undecodable = decoder_of(
        exchange.request.path
    ).decode_answer(exchange)
    return found


def path_without_model(path: str) -> str:
    """Return a path with ``*`` in place of the model id, where the protocol puts it there."""
    plain, mark, query = path.partition("?")
    found = protocol_of(path).path.search(plain)
    if found is None or found.groupdict().get("model") is None:
        return path
    return f"{plain[: found.start('model')]}*{plain[found.end('model') :]}{mark}{query}"


def without_own(body: dict[str, Any], path: str) -> dict[str, Any]:
    """Return a request's body with null in place of what the model said itself.

    The others keep their positions: a verdict names them.
    """
    protocol = protocol_of(path)
    listed = body.get(protocol.conversation)
    if not isinstance(listed, list):
        return body
    kept = [None if isinstance(one, dict) and protocol.is_own(one) else one for one in listed]
    return body | {protocol.conversation: kept}
