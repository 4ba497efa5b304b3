"""An answer while it grows, and the frame around every decoder: from one exchange to one answer.

What is the same for all protocols stands here: an exchange without a whole answer, a body that is
not in the encoding its header names, an error with its status, and the marks of what is odd. A
decoder brings one function that reads a whole response into an `AnswerDraft`.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from grid.errors import StrictError
from grid.wirecall import WireCall
from proxy.wire.answer import Assistant, Finding, ProviderError, Undecodable
from proxy.wire.answertext import parse, readable, whole
from proxy.wire.exchange import Exchange, Response, body_bytes
from proxy.wire.lastword import media_type as media_type_in

WORDS_KEPT = 2000
"""Characters of a provider's error message that are kept."""


class SentError(Exception):
    """The provider sent an error object instead of an answer, or inside a 200 stream."""

    def __init__(self, code: str, message: str) -> None:
        """Keep the provider's words."""
        super().__init__(message)
        self.code = code
        self.message = message

    @classmethod
    def of(cls, error: Any) -> "SentError":
        """Read an error object, or an error that is only text."""
        if not isinstance(error, dict):
            return cls("", str(error)[:WORDS_KEPT])
        code = error.get("code") or error.get("type") or ""
        return cls(str(code), str(error.get("message") or "")[:WORDS_KEPT])


@dataclass(slots=True)
class DraftCall:
    """A tool call while it grows."""

    index: int | None
    """Its index in the stream."""
    id: str = ""
    """Its id."""
    name: str = ""
    """Its name."""
    arguments: str = ""
    """Its arguments so far."""


@dataclass(slots=True)
class AnswerDraft:
    """An answer while it grows."""

    text: str | None = None
    """Words so far."""
    refusal: str | None = None
    """Refusal text so far."""
    calls: list[DraftCall] = field(default_factory=list)
    """Tool calls so far, in order of appearance."""
    finish_reason: str = ""
    """Empty until it is known."""
    usage: dict[str, Any] | None = None
    """Token counts."""
    model: str = ""
    """Model id."""
    fingerprint: str = ""
    """What the provider says of the system that answered."""
    findings: list[Finding] = field(default_factory=list)
    """What was odd, in order, with repetitions."""


def decode_response(
    exchange: Exchange, read: Callable[[Response], AnswerDraft]
) -> Assistant | ProviderError | Undecodable:
    """Read what was answered, with a protocol's own way of reading a whole response.

    Args:
        exchange: the exchange.
        read: reads a response with status 200; raises `SentError` for an error inside it, and
            `StrictError` or `ValueError` for what cannot be read in one way only.
    """
    response = exchange.response
    if exchange.error is not None:
        return Undecodable(reason=f"the exchange ended without a whole answer: {exchange.error}")
    if response is None:
        return Undecodable(reason="the recording holds no response")
    retry_after = response.headers.get("retry-after")
    if response.status != 200:
        return _refused(response.status, readable(body_bytes(response.body))[0], retry_after)
    encoding = response.headers.get("content-encoding", "identity").strip().lower()
    if encoding != "identity":
        # The recorder keeps this header only where the body was not in that encoding.
        return Undecodable(reason=f"the response body is not in its content encoding {encoding!r}")
    try:
        draft = read(response)
    except SentError as error:
        return failed(200, error, retry_after)
    except (StrictError, ValueError) as error:
        return Undecodable(reason=whole(str(error))[0])
    return _assistant(draft)


def media_type(response: Response) -> str:
    """Return the content type of a response without its parameters, in lower case."""
    return media_type_in(response.headers.get("content-type", ""))


def text_of(response: Response, findings: list[Finding]) -> str:
    """Return a response's body as text; stray bytes are escaped and told."""
    text, valid = readable(body_bytes(response.body))
    if not valid:
        findings.append(Finding.INVALID_UTF8)
    return text


def object_of(text: str, what: str) -> dict[str, Any]:
    """Parse a JSON object.

    Raises:
        StrictError: it is none; the sentence names `what` it should have been.
    """
    try:
        body = parse(text)
    except ValueError as error:
        raise StrictError(f"the {what} is not JSON: {error}") from error
    if not isinstance(body, dict):
        raise StrictError(f"the {what} is no JSON object")
    return body


def request_text(exchange: Exchange) -> str:
    """Return a request's body as text.

    Raises:
        StrictError: it is not UTF-8.
    """
    text, valid = readable(body_bytes(exchange.request.body))
    if not valid:
        raise StrictError("the request body is not UTF-8")
    return text


def objects(record: dict[str, Any], key: str) -> list[dict[str, Any]]:
    """Return a member that is a list of objects; empty if it is absent or null.

    Raises:
        StrictError: it is something else.
    """
    value = record.get(key)
    if value is None:
        return []
    if not isinstance(value, list) or any(not isinstance(item, dict) for item in value):
        raise StrictError(f"{key} is no list of objects")
    return value


def optional_text(record: dict[str, Any], key: str) -> str | None:
    """Return a member that is text; None if it is absent or null.

    Raises:
        StrictError: it is something else.
    """
    value = record.get(key)
    if not isinstance(value, str | None):
        raise StrictError(f"{key} is no text")
    return value


def joined(before: str | None, more: Any, what: str) -> str | None:
    """Append text to text; null appends nothing.

    Raises:
        StrictError: it is no text.
    """
    if more is None:
        return before
    if not isinstance(more, str):
        raise StrictError(f"{what} is no text")
    return (before or "") + more


def once(before: str, now: Any, what: str) -> str:
    """Return what may be said again but never otherwise; null and empty say nothing.

    Raises:
        StrictError: it is no text, or another one than before.
    """
    if now is None or now == "":
        return before
    if not isinstance(now, str):
        raise StrictError(f"a tool call's {what} is no text")
    if before and before != now:
        raise StrictError(f"a tool call's {what} changes within one answer")
    return now


def _assistant(draft: AnswerDraft) -> Assistant | Undecodable:
    findings = list(draft.findings)
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
        finish_reason=_whole(draft.finish_reason, findings),
        usage=draft.usage,
        model=_whole(draft.model, findings),
        findings=tuple(sorted(set(findings))),
        skipped=findings.count(Finding.BAD_EVENT),
        fingerprint=draft.fingerprint,
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


def _refused(status: int, text: str, retry_after: str | None) -> ProviderError:
    failure = SentError("", text[:WORDS_KEPT])
    try:
        body = parse(text)
    except ValueError:
        body = None
    error = body.get("error") if isinstance(body, dict) else None
    if isinstance(error, dict | str):
        failure = SentError.of(error)
    return failed(status, failure, retry_after)


def failed(status: int, error: SentError, retry_after: str | None) -> ProviderError:
    """Return what a provider's own error is to those who judge."""
    return ProviderError(
        status=status,
        code=whole(error.code)[0],
        message=whole(error.message)[0],
        retry_after=retry_after,
    )


def _whole(text: str, findings: list[Finding]) -> str:
    kept, fine = whole(text)
    if not fine:
        findings.append(Finding.HALF_CHARACTER)
    return kept
