"""The wire's side of a trial as judges see it: what requests showed and answers asked for.

The agent's own words and calls are kept apart from everything else. A request repeats earlier
answers: those messages are left out of what the request shows, whatever the protocol calls them,
because they tell the model nothing that it did not say itself. What a call handed over is judged
where it ran. The model id is left out too.

What a planted fault changed on its way is read as the agent knows it: its own request, the answer
that it got. Beside it stand the provider's own calls, and what the model was shown is read from the
request as the provider got it.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from grid.wirecall import WireCall
from ledgers.texts import Strand, strands
from proxy.wire.answer import Asked, Assistant, Finding, Undecodable
from proxy.wire.answertext import parse, readable
from proxy.wire.exchange import Exchange, Request, body_bytes, read_exchanges
from proxy.wire.protocol import decode_answer, decode_request, path_without_model, without_own

ASSISTANT = "assistant"

_STRAY = re.compile("[\udc80-\udcff]")


@dataclass(frozen=True, kw_only=True)  # no slots: `shown` is worked out when a rule asks for it
class Decoded:
    """One exchange."""

    n: int
    """Position in the trial, from 0."""
    request: Request
    """The request as the provider got it."""
    messages: tuple[dict[str, Any], ...]
    """Messages of the request, in the shared shape; none if it cannot be decoded."""
    offered: tuple[dict[str, Any], ...]
    """Tools of the request, in the shared shape; none if it cannot be decoded."""
    responded: bool
    """The client saw a whole response, of whatever status."""
    answered: bool
    """The response was a model answer or an error with status 200."""
    calls: tuple[WireCall, ...]
    """Tool calls of the answer, in order."""
    words: tuple[str, ...]
    """The agent's own words in the answer."""
    trouble: str
    """Why it cannot be read in one way only; empty if it can."""
    asked_model: str = ""
    """Model id asked for; empty if the request cannot be decoded."""
    told_model: str = ""
    """Model id that the answer names, as the agent got it; empty if it names none."""
    served: tuple[str, str] = ("", "")
    """Model id and fingerprint as the provider sent them; empty where it said nothing."""
    sent: tuple[WireCall, ...] = ()
    """Tool calls as the provider sent them, in order."""
    tampered: bool = False
    """The provider's answer was another one: a planted fault changed it on its way."""
    asked: Request | None = None
    """The agent's own request, where a planted fault changed it on its way; else None."""
    stray: bool = False
    """The answer, as the agent got it, holds bytes that are no UTF-8."""
    readings: tuple[tuple[WireCall, ...], ...] = ()
    """Its calls as clients read them that make something else of such bytes; see `_readings`."""

    @cached_property
    def shown(self) -> tuple[Strand, ...]:
        """Strings of the request, without the agent's own messages and the model id."""
        return tuple(_shown(self.request))

    @cached_property
    def own(self) -> frozenset[str]:
        """Those of them that the agent's own request holds."""
        asked = self.request if self.asked is None else self.asked
        return frozenset(strand.text for strand in _shown(asked))


def troubles(exchanges: Iterable[Exchange]) -> Iterator[str]:
    """Yield what keeps each exchange from being read in one way only."""
    for exchange in exchanges:
        found = _decoded(exchange)
        if found.trouble:
            yield f"exchange {found.n}: {found.trouble}"


def decode(recording: bytes) -> tuple[Decoded, ...]:
    """Decode the canonical bytes of a recording.

    Raises:
        StrictError: a line misses a field or is out of order.
        CanonicalError: a line is not strict JSON.
    """
    return tuple(_decoded(item) for item in read_exchanges(recording))


def _decoded(exchange: Exchange) -> Decoded:
    asked = decode_request(exchange)
    whole = exchange.response is not None and exchange.error is None
    answer = decode_answer(exchange)
    trouble = "the request cannot be decoded" if isinstance(asked, Undecodable) else ""
    if whole and isinstance(answer, Undecodable):
        trouble = trouble or "the answer cannot be decoded"
    spoken = answer if isinstance(answer, Assistant) else None
    sent = _sent(exchange, spoken)
    return Decoded(
        n=exchange.n,
        request=exchange.forwarded,
        messages=asked.messages if isinstance(asked, Asked) else (),
        offered=asked.tools if isinstance(asked, Asked) else (),
        responded=whole,
        answered=whole and exchange.response is not None and exchange.response.status == 200,
        calls=spoken.calls if spoken else (),
        words=tuple(text for text in (spoken.text, spoken.refusal) if text) if spoken else (),
        trouble=trouble,
        asked_model=asked.model if isinstance(asked, Asked) else "",
        told_model=spoken.model if spoken else "",
        served=(sent.model, sent.fingerprint) if sent else ("", ""),
        sent=sent.calls if sent else (),
        tampered=exchange.sent is not None,
        asked=None if exchange.got is None else exchange.request,
        stray=spoken is not None and Finding.INVALID_UTF8 in spoken.findings,
        readings=_readings(exchange) if spoken and Finding.INVALID_UTF8 in spoken.findings else (),
    )


def _readings(exchange: Exchange) -> tuple[tuple[WireCall, ...], ...]:
    """Return the calls of an answer with each stray byte, or each run of them, marked or left out.

    That is what clients do that do not give up. What cannot be decoded then is no reading.
    """
    response = exchange.response
    if response is None:
        return ()
    data = body_bytes(response.body)
    each = _STRAY.sub("\ufffd", data.decode("utf-8", "surrogateescape"))
    texts = dict.fromkeys((data.decode("utf-8", "replace"), each, data.decode("utf-8", "ignore")))
    read = [
        decode_answer(replace(exchange, response=replace(response, body={"text": text})))
        for text in texts
    ]
    return tuple(answer.calls for answer in read if isinstance(answer, Assistant))


def _sent(exchange: Exchange, spoken: Assistant | None) -> Assistant | None:
    """Return the answer as the provider sent it; `spoken` is the one that the agent got."""
    if exchange.sent is None:
        return spoken
    sent = decode_answer(replace(exchange, response=exchange.sent, error=None, sent=None))
    return sent if isinstance(sent, Assistant) else None


def _shown(request: Request) -> Iterator[Strand]:
    yield Strand("/@path", path_without_model(request.path), "/@path")
    text, _ = readable(body_bytes(request.body))
    try:
        body = parse(text)
    except ValueError:
        yield Strand("", text)  # what cannot be read as JSON may still show a secret
        return
    yield from strands(without_own_messages(body, request.path))


def without_own_messages(body: Any, path: str) -> Any:
    """Return a request body without the model id, and with nothing in place of own messages.

    Args:
        body: the body as JSON.
        path: the request's path, which tells the protocol and so where messages stand.
    """
    if not isinstance(body, dict):
        return body
    return without_own({key: value for key, value in body.items() if key != "model"}, path)
