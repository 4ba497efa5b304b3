"""Playing a recorded model answer to a client that the answer was not recorded from.

Matched by turn alone: the k-th answer of a trial is given to the k-th request of the trial that it
is played to, whatever that one asks. Whether it asked the same is found afterwards, from the two
recordings (see `ledgers.divergence`).

A client that wants the form in which an answer was recorded gets the recorded bytes. One that wants
a stream where the answer was recorded whole, or the other way round, gets what the answer says,
written anew: words, refusal, calls with their ids and argument text, finish reason, token counts
and model id are the recorded ones; how a stream was cut, and an index that was missing on the way,
are not. That goes for chat completions; an answer of another protocol is given in its recorded form
or not at all. Errors keep their status and bytes, and so does what cannot be decoded; what broke
off breaks off again at the same byte.
"""

from dataclasses import replace

from grid.canonical import canonical, digest, load_json, plain_json
from grid.errors import CanonicalError, StrictError
from proxy.completion import (
    EVENT_STREAM,
    JSON,
    Completion,
    counts_tokens,
    stream_events,
    whole_body,
)
from proxy.wire import openai_chat
from proxy.wire.answer import Asked, Assistant, ProviderError
from proxy.wire.exchange import Exchange, Request, Response, body_bytes, body_json
from proxy.wire.protocol import decode_answer, decode_request, decoder_of

OK = 200


def played(recorded: Exchange, request: Request) -> Exchange:
    """Return a recorded exchange with its answer in the form that a request asks for.

    Args:
        recorded: the exchange as the provider answered it.
        request: what the client asks now; its body says whether it wants a stream.

    Raises:
        StrictError: the client speaks a protocol in which the answer cannot be written; in a
            sentence.
    """
    said = decode_answer(recorded)
    answer = recorded.response
    settled = recorded.error is not None or answer is None or answer.status != OK
    if settled or answer is None or not isinstance(said, Assistant | ProviderError):
        return recorded
    wanted = _asked(request)
    if wanted is None or _form(recorded) == (_protocol(request), wanted.stream):
        return recorded
    spoken = {decoder_of(recorded.request.path), decoder_of(request.path)}
    if spoken != {openai_chat}:
        raise StrictError(
            f"the answer recorded from {recorded.request.path} cannot be written as one to "
            f"{request.path} that is {'a stream' if wanted.stream else 'whole'}: only chat "
            "completions change their form"
        )
    try:
        body = _written(said, answer, request, stream=wanted.stream)
    except (CanonicalError, UnicodeError) as error:
        raise StrictError(f"the recorded answer cannot be written in another form: {error}") from (
            error
        )
    kind = {"content-type": EVENT_STREAM if wanted.stream else JSON}
    return replace(recorded, response=replace(answer, headers=kind, body=body_json(body)))


def _written(
    said: Assistant | ProviderError, answer: Response, request: Request, *, stream: bool
) -> bytes:
    if isinstance(said, ProviderError):
        error = {"message": said.message, "type": said.code, "param": None, "code": said.code}
        if stream:
            return b"data: " + plain_json({"error": error}, indent=None).encode() + b"\n\n"
        return canonical({"error": error})
    completion = Completion(
        id="chatcmpl-" + digest("completion", body_bytes(answer.body))[:24],
        model=said.model,
        text=said.text,
        refusal=said.refusal,
        calls=said.calls,
        finish_reason=said.finish_reason,
        usage=said.usage,
    )
    if stream:
        counted = counts_tokens(load_json(body_bytes(request.body)))
        return b"".join(stream_events(completion, counted=counted))
    return whole_body(completion)


def _form(recorded: Exchange) -> tuple[str, bool]:
    """Return the protocol of an answer, and whether it came as a stream."""
    protocol, answer = _protocol(recorded.request), recorded.response
    if protocol == openai_chat.__name__ and answer is not None:
        kind = answer.headers.get("content-type", "").partition(";")[0].strip().lower()
        return protocol, kind == EVENT_STREAM
    asked = _asked(recorded.request)
    return protocol, asked is not None and asked.stream


def _protocol(request: Request) -> str:
    return decoder_of(request.path).__name__


def _asked(request: Request) -> Asked | None:
    asked = decode_request(Exchange(n=0, request=request, response=None, error=None))
    return asked if isinstance(asked, Asked) else None
