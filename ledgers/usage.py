"""How many tokens a provider said that a trial took.

The counts come from the answers as the provider sent them; nothing is estimated here. A trial has
a count only if every one of its answers told it: a sum over some of them would look like the whole.
An error in the provider's own words cost no tokens; an answer that never came whole told nothing.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from proxy.wire.answer import Assistant, ProviderError
from proxy.wire.exchange import Exchange
from proxy.wire.protocol import decode_answer

MOST = 2**53 - 1
"""A number of tokens over this is none, and so is a sum: no provider counts so many."""

_INPUT = ("prompt_tokens", "input_tokens", "inputTokens", "promptTokenCount")
_OUTPUT = ("completion_tokens", "output_tokens", "outputTokens", "candidatesTokenCount")
"""What the protocols call the two counts: chat completions, Responses and Messages, Converse,
Gemini."""
_INPUT_TOO = (
    "cache_creation_input_tokens",
    "cache_read_input_tokens",
    "cacheWriteInputTokens",
    "cacheReadInputTokens",
    "toolUsePromptTokenCount",
)
_OUTPUT_TOO = ("thoughtsTokenCount",)
"""What Messages, Converse and Gemini count beside them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Tokens of some model calls."""

    input_tokens: int | None
    """Tokens that the model read, cached ones too; None if the provider did not say."""
    output_tokens: int | None
    """Tokens that it wrote, hidden thoughts too; None if the provider did not say."""


def usage_of(exchanges: Iterable[Exchange]) -> Usage:
    """Return what the provider said that these exchanges took, together."""
    found = [_told(exchange) for exchange in exchanges]
    return Usage(
        input_tokens=_sum(one.input_tokens for one in found),
        output_tokens=_sum(one.output_tokens for one in found),
    )


def _told(exchange: Exchange) -> Usage:
    if exchange.sent is not None:  # what the provider sent counts, not what was made of it
        exchange = replace(exchange, response=exchange.sent, error=None, sent=None)
    answer = decode_answer(exchange) if exchange.response and not exchange.error else None
    if isinstance(answer, ProviderError) and answer.status >= 400:
        return Usage(input_tokens=0, output_tokens=0)
    if not isinstance(answer, Assistant) or answer.usage is None:
        return Usage(input_tokens=None, output_tokens=None)
    return Usage(
        input_tokens=_count(answer.usage, _INPUT, _INPUT_TOO),
        output_tokens=_count(answer.usage, _OUTPUT, _OUTPUT_TOO),
    )


def _count(usage: Mapping[str, Any], names: Iterable[str], beside: Iterable[str]) -> int | None:
    """Return the first count that is named, with what is counted beside it."""
    first = next((usage[name] for name in names if usage.get(name) is not None), None)
    more = [usage[name] for name in beside if usage.get(name) is not None]
    total = 0
    for number in (first, *more):
        if type(number) is not int or not 0 <= number <= MOST:
            return None
        total += number
    return total if total <= MOST else None


def _sum(counts: Iterable[int | None]) -> int | None:
    total = 0
    for count in counts:
        if count is None:
            return None
        total += count
    return total if total <= MOST else None
