"""OpenAI chat completions: from one recorded exchange to what was asked and what was answered.

Pure and strict. An answer is an `Assistant`, a `ProviderError` (the provider refused or failed in
its own words) or `Undecodable` with a reason; never an empty message that nobody sent. Oddities
that leave one reading only are kept as findings. Tool arguments stay raw text: whether they are
JSON is a finding, and they are never repaired, joined anew or cut.
"""

from collections import Counter
from typing import Any, TypeGuard

from grid.errors import StrictError
from grid.wirecall import WireCall
from proxy.wire.answer import Asked, Assistant, Finding, ProviderError, Undecodable
from proxy.wire.answertext import parse, readable, whole
from proxy.wire.chat_stream import Draft, SentError, merge_stream
from proxy.wire.exchange import Exchange, body_bytes
from proxy.wire.sse import read_events


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
