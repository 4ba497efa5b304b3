"""What was odd in the exchanges of a recording, in short sentences for people; never a verdict.

Told are what a decoder found odd in an answer and read in one way all the same, events that it
skipped, requests and answers of a known protocol that it could not read, and tool results of which
nobody can say which call they answer. A request repeats the conversation so far: what is odd there
is told once, where it is shown first.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from proxy.wire.answer import Asked, Assistant, Finding, Undecodable
from proxy.wire.exchange import Exchange
from proxy.wire.pairing import PairedBy, pair_results
from proxy.wire.protocol import decode_answer, decode_request, protocol_of

SENTENCES = {
    Finding.INVALID_UTF8: r"it holds bytes that are no UTF-8, which are kept as \xNN",
    Finding.HALF_CHARACTER: r"it holds half of a character, which is kept as \udNNN",
    Finding.BAD_EVENT: "an event of the stream was no JSON and was skipped",
    Finding.UNTERMINATED_EVENT: "the stream ends inside an event, which was skipped",
    Finding.UNKNOWN_EVENT: "an event of a type that the protocol does not know was skipped",
    Finding.UNNAMED_EVENT: "its events have no names, and some clients do not see those",
    Finding.NO_DONE: "the stream has a finish reason and not its last word",
    Finding.INDEX_MISSING: "a part of the stream has no index",
    Finding.INDEX_SKIPPED: "the indices of the stream's parts have a gap",
    Finding.INDEX_REUSED: "two tool calls share one index",
    Finding.NOT_ENDED: "a part of the stream was never said to be over",
    Finding.EMPTY_CALL_ID: "a tool call has no id",
    Finding.DUPLICATE_CALL_ID: "two tool calls share one id",
    Finding.MALFORMED_ARGUMENTS: "a tool call's arguments are not JSON",
    Finding.NO_CONTENT: "it holds neither words nor calls",
}
"""What is said of an answer."""

PAIRINGS = {
    PairedBy.AMBIGUOUS: "is a tool result, and more than one call could be meant",
    PairedBy.NOTHING: "is a tool result, and no call stands before it",
}
"""What is said of a message of a request; one that is paired by its id or its order is not odd."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Oddity:
    """One thing that was odd in one exchange."""

    n: int
    """Number of the exchange, from 0."""
    says: str
    """What was odd, in a sentence; it may hold text of the provider's or the agent's."""

    def __str__(self) -> str:
        """Return it as one line."""
        return f"exchange {self.n}: {self.says}"


def oddities(exchanges: Iterable[Exchange]) -> tuple[Oddity, ...]:
    """Return what was odd, in order."""
    found: list[Oddity] = []
    shown: set[str] = set()
    for exchange in exchanges:
        asked = [says for says in _of_request(exchange) if says not in shown]
        shown.update(asked)
        found += [Oddity(n=exchange.n, says=says) for says in (*asked, *_of_answer(exchange))]
    return tuple(found)


def _of_request(exchange: Exchange) -> Iterator[str]:
    asked = decode_request(exchange)
    if isinstance(asked, Undecodable) and _of_a_protocol(exchange):
        yield f"the request cannot be decoded: {asked.reason}"
    if isinstance(asked, Asked):
        for pairing in pair_results(asked.messages):
            if pairing.by in PAIRINGS:
                yield f"message {pairing.message} of the request {PAIRINGS[pairing.by]}"


def _of_answer(exchange: Exchange) -> Iterator[str]:
    answer = decode_answer(exchange)
    whole = exchange.response is not None and exchange.error is None
    if isinstance(answer, Undecodable) and whole and _of_a_protocol(exchange):
        yield f"the answer cannot be decoded: {answer.reason}"
    if isinstance(answer, Assistant):
        for found in answer.findings:
            if found is Finding.BAD_EVENT and answer.skipped > 1:
                yield f"the answer: {answer.skipped} events of the stream were no JSON and skipped"
            else:
                yield f"the answer: {SENTENCES[found]}"


def _of_a_protocol(exchange: Exchange) -> bool:
    """Tell whether a path is one of a known protocol: what stands under another need not decode."""
    path = exchange.request.path
    return protocol_of(path).path.search(path.partition("?")[0]) is not None
