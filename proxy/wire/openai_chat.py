"""OpenAI chat completions: from one recorded exchange to what was asked and what was answered.

Pure and strict. An answer is an `Assistant`, a `ProviderError` (the provider refused or failed in
its own words) or `Undecodable` with a reason; never an empty message that nobody sent. Oddities
that leave one reading only are kept as findings. Tool arguments stay raw text: whether they are
JSON is a finding, and they are never repaired, joined anew or cut.
"""

from collections import Counter
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, TypeGuard

from grid.errors import StrictError
from grid.wirecall import WireCall
from proxy.wire.answertext import parse, readable, whole
from proxy.wire.chat_stream import Draft, SentError, merge_stream
from proxy.wire.exchange import Exchange, body_bytes
from proxy.wire.sse import read_events


class Finding(StrEnum):
    """Something odd in an answer that could still be read in one way only."""

    INVALID_UTF8 = "invalid_utf8"
    """Bytes that are no UTF-8, kept as ``\\xNN``."""
    HALF_CHARACTER = "half_character"
    """Half of a surrogate pair, kept as ``\\udNNN``."""
    BAD_EVENT = "bad_event"
    """An event of the stream was no JSON and was skipped."""
    UNTERMINATED_EVENT = "unterminated_event"
    """The stream ends inside an event, which was skipped."""
    NO_DONE = "no_done"
    """The stream has a finish reason but no ``[DONE]``."""
    INDEX_MISSING = "index_missing"
    """A tool-call delta has no index."""
    INDEX_REUSED = "index_reused"
    """Two tool calls with ids of their own share one index."""
    EMPTY_CALL_ID = "empty_call_id"
    """A tool call has no id."""
    DUPLICATE_CALL_ID = "duplicate_call_id"
    """Two tool calls of one answer share an id."""
    MALFORMED_ARGUMENTS = "malformed_arguments"
    """A tool call's arguments are not JSON."""
    NO_CONTENT = "no_content"
    """The provider sent a message with neither words nor calls."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A request."""

    model: str
    """Model id asked for."""
    messages: tuple[dict[str, Any], ...]
    """Messages, as sent."""
    tools: tuple[dict[str, Any], ...]
    """Tools, as sent; empty for none."""
    stream: bool
    """The answer was asked for as a stream."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Assistant:
    """An answer."""

    text: str | None
    """Words; None if the provider sent none."""
    refusal: str | None
    """The provider's own refusal text; None for none."""
    calls: tuple[WireCall, ...]
    """Tool calls, in order."""
    finish_reason: str
    """Why it ended, in the provider's word."""
    usage: dict[str, Any] | None
    """Token counts, as sent."""
    model: str
    """Model id that the provider says answered."""
    findings: tuple[Finding, ...]
    """What was odd, each word once, sorted."""
    skipped: int
    """Events of the stream that were no JSON and were skipped."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderError:
    """The provider refused or failed in its own words: neither an answer nor a gap."""

    status: int
    """HTTP status; 200 for an error inside a stream."""
    code: str
    """The error's code, else its type; empty for neither."""
    message: str
    """The provider's words."""
    retry_after: str | None
    """The header as sent; see `seconds_to_wait`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Undecodable:
    """It cannot be read in one way only; the reason is fit for a report, not for hashing."""

    reason: str
    """A sentence."""


def decode_request(exchange: Exchange) -> Asked | Undecodable:
    """Read what was asked."""
    text, valid = readable(body_bytes(exchange.request.body))
    if not valid:
        return Undecodable(reason="the request body is not UTF-8")
    try:
        body = parse(text)
    except ValueError as error:
        return Undecodable(reason=f"the request body is not JSON: {error}")
    if not isinstance(body, dict):
        return Undecodable(reason="the request body is no JSON object")
    messages, tools = body.get("messages"), body.get("tools") or []
    if not _objects(messages) or any(not isinstance(m.get("role"), str) for m in messages):
        return Undecodable(reason="/messages is no list of messages with a role")
    if not _objects(tools):
        return Undecodable(reason="/tools is no list of objects")
    if not isinstance(body.get("model"), str):
        return Undecodable(reason="/model is no text")
    return Asked(
        model=body["model"],
        messages=tuple(messages),
        tools=tuple(tools),
        stream=body.get("stream") is True,
    )


def decode_answer(exchange: Exchange) -> Assistant | ProviderError | Undecodable:
    """Read what was answered."""
    response = exchange.response
    if exchange.error is not None:
        return Undecodable(reason=f"the exchange ended without a whole answer: {exchange.error}")
    if response is None:
        return Undecodable(reason="the recording holds no response")
    text, valid = readable(body_bytes(response.body))
    findings = [] if valid else [Finding.INVALID_UTF8]
    retry_after = response.headers.get("retry-after")
    if response.status != 200:
        return _provider_error(response.status, text, retry_after)
    kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
    try:
        stream = kind == "text/event-stream"
        draft = _from_stream(text, findings) if stream else _from_body(text)
    except SentError as error:
        return ProviderError(
            status=200, code=error.code, message=whole(error.message)[0], retry_after=retry_after
        )
    except (StrictError, ValueError) as error:
        return Undecodable(reason=str(error))
    return _assistant(draft, findings)


def seconds_to_wait(retry_after: str | None) -> float | None:
    """Return the seconds of a ``Retry-After`` header; None if it is absent, a date or no wait.

    A date needs a clock, and a recording holds none; a negative wait is none.
    """
    try:
        seconds = float(retry_after or "")
    except ValueError:
        return None
    return seconds if 0 <= seconds < float("inf") else None


def _from_stream(text: str, findings: list[Finding]) -> Draft:
    events = read_events(text)
    chunks: list[Any] = []
    done = False
    for data in events.data:
        if data == "[DONE]":
            done = True
            break
        try:
            chunks.append(parse(data))
        except ValueError:
            findings.append(Finding.BAD_EVENT)
    if events.unterminated and not done:
        findings.append(Finding.UNTERMINATED_EVENT)
    draft = merge_stream(chunks)
    if not draft.finish_reason:
        raise StrictError("the stream stops without a finish reason")
    if not done:
        findings.append(Finding.NO_DONE)
    return draft


def _from_body(text: str) -> Draft:
    try:
        body = parse(text)
    except ValueError as error:
        raise StrictError(f"the response body is not JSON: {error}") from error
    if not isinstance(body, dict):
        raise StrictError("the response body is no JSON object")
    draft = Draft()
    draft.take_whole(body)
    return draft


def _assistant(draft: Draft, findings: list[Finding]) -> Assistant | Undecodable:
    findings += [Finding(word) for word in draft.findings]
    calls: list[WireCall] = []
    for call in draft.calls:
        if not call.name:
            return Undecodable(reason=f"tool call {len(calls)} has no name")
        calls.append(
            WireCall(
                id=_whole(call.id, findings),
                name=_whole(call.name, findings),
                raw_arguments=_whole(call.arguments, findings),
            )
        )
    findings += _call_findings(calls)
    text = None if draft.text is None else _whole(draft.text, findings)
    refusal = None if draft.refusal is None else _whole(draft.refusal, findings)
    if not text and not refusal and not calls:
        findings.append(Finding.NO_CONTENT)
    return Assistant(
        text=text,
        refusal=refusal,
        calls=tuple(calls),
        finish_reason=draft.finish_reason,
        usage=draft.usage,
        model=draft.model,
        findings=tuple(sorted(set(findings))),
        skipped=findings.count(Finding.BAD_EVENT),
    )


def _call_findings(calls: list[WireCall]) -> list[Finding]:
    found: list[Finding] = []
    counts = Counter(call.id for call in calls if call.id)
    if any(not call.id for call in calls):
        found.append(Finding.EMPTY_CALL_ID)
    if any(count > 1 for count in counts.values()):
        found.append(Finding.DUPLICATE_CALL_ID)
    for call in calls:
        try:
            parse(call.raw_arguments)
        except ValueError:
            found.append(Finding.MALFORMED_ARGUMENTS)
    return found


def _provider_error(status: int, text: str, retry_after: str | None) -> ProviderError:
    code, message = "", text[:2000]
    try:
        body = parse(text)
    except ValueError:
        body = None
    error = body.get("error") if isinstance(body, dict) else None
    if isinstance(error, dict):
        failure = SentError.of(error)
        code, message = failure.code, failure.message
    elif isinstance(error, str):
        message = error
    return ProviderError(
        status=status, code=code, message=whole(message)[0], retry_after=retry_after
    )


def _whole(text: str, findings: list[Finding]) -> str:
    kept, fine = whole(text)
    if not fine:
        findings.append(Finding.HALF_CHARACTER)
    return kept


def _objects(value: Any) -> TypeGuard[list[dict[str, Any]]]:
    return isinstance(value, list) and all(isinstance(item, dict) for item in value)
