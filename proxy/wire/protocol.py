"""Which provider's protocol does an exchange speak? Told by its path alone, and then decoded.

A path that fits none is read as chat completions: whatever speaks it under a path of its own is
still read strictly, and what is something else comes out as `Undecodable`.
"""

import re
from types import ModuleType

from proxy.wire import openai_chat
from proxy.wire.answer import Asked, Assistant, ProviderError, Undecodable
from proxy.wire.exchange import Exchange

_DECODERS: tuple[tuple[re.Pattern[str], ModuleType], ...] = ()
"""Path without its query -> the module that reads it."""


def decoder_of(path: str) -> ModuleType:
    """Return the module that reads exchanges with this path."""
    plain = path.partition("?")[0]
    for pattern, module in _DECODERS:
        if pattern.search(plain):
            return module
    return openai_chat


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
