"""Answers a trial's requests from its recording: in order, and never from anywhere else.

Strict, unless a trial was opened as a crossed one: the k-th request of a trial gets the k-th
recorded answer if method, upstream, path and canonical body are the same, but for fields of the
body that were named as volatile. If not, or if the recording is used up, the client gets a 404 that
says which recorded request is the nearest and which part differs from it, and the trial fails with
that sentence.

In a crossed trial the answers come from a recording of another framework: the k-th request gets the
k-th answer whatever it asks, in the form that it asks for (see `proxy.crossplay`). Only a recording
that is used up, or an answer that cannot be written in that form, is a 404 there.

Nothing is forwarded: in replay no address is listed, so the proxy cannot connect to anything. A
recorded break is replayed as one. Answers that a planted fault had changed are replayed as the
provider sent them, and the recorder plants it anew.

Runs after the recorder, which writes the replayed exchange as if it had come over the wire.
"""

from mitmproxy import http

from grid.errors import StrictError
from proxy.crossplay import played
from proxy.difference import explain_difference, nearest
from proxy.passage import NO_ANSWER, error_body, fails_closed, passage_of, refuse
from proxy.recorder import Recorder
from proxy.tamperer import from_provider, on_the_wire
from proxy.trial import Trial
from proxy.wire.exchange import ErrorKind, Exchange, Gap, Request, Response


class Replayer:
    """Replays recorded answers."""

    def __init__(self, recorder: Recorder) -> None:
        """Keep the recorder: what is compared is what it would write."""
        self._recorder = recorder

    @fails_closed
    def request(self, flow: http.HTTPFlow) -> None:
        """Answer a request from the recording, or refuse it."""
        passage = passage_of(flow)
        if flow.response is not None:
            return
        if passage is None or passage.number is None or passage.trial.replay is None:
            raise LookupError("a request to replay has no number or no recording")
        got = self._recorder.request_of(flow, passage)
        find = _crossed if passage.trial.crossed else _same
        try:
            passage.replayed = find(passage.trial, passage.number, got)
        except _Unanswered as found:
            passage.trial.fail(found.gap, str(found))
            refuse(flow, 404, str(found.gap), passage.trial.redaction.clean_text(str(found)))
        else:
            _answer(flow, passage.replayed)


class _Unanswered(Exception):
    """The recording has no answer to a request; says why, in a sentence."""

    def __init__(self, gap: Gap, sentence: str) -> None:
        """Keep the word under which the trial fails."""
        super().__init__(sentence)
        self.gap = gap


def _same(trial: Trial, number: int, got: Request) -> Exchange:
    """Return the recorded exchange of that number, if its request is the same.

    Raises:
        _Unanswered: it is not, or there is none; with the nearest one.
    """
    recorded, volatile = trial.replay or (), trial.volatile
    over = number >= len(recorded)
    why = None if over else explain_difference(recorded[number].request, got, volatile)
    if not over and why is None:
        return from_provider(recorded[number])
    reasons = [f"the recording ends after {len(recorded)} requests"] if over else []
    near = nearest([item.request for item in recorded], got, number, volatile)
    if near is not None and near != number:
        why = explain_difference(recorded[near].request, got, volatile)
        told = "and it is the same" if why is None else f"where {why}"
        why = f"the nearest one is {trial.nth(recorded[near].n)}, {told}"
    reasons += [why] if why else []
    raise _Unanswered(
        Gap.REPLAY_MISMATCH,
        f"{trial.nth(number)} of {trial.called} is not the recorded one: {'; '.join(reasons)}",
    )


def _crossed(trial: Trial, number: int, got: Request) -> Exchange:
    """Return the recorded exchange of that number in the form that is asked for.

    Raises:
        _Unanswered: there is none, or it cannot be written in that form.
    """
    recorded = trial.replay or ()
    found = next((item for item in recorded if item.n == number), None)
    if found is None:
        raise _Unanswered(
            Gap.REPLAY_SPENT,
            f"{trial.nth(number)} of {trial.called} has no recorded answer: the recording holds "
            f"{len(recorded)} of another framework",
        )
    try:
        return played(from_provider(found), got)
    except StrictError as error:
        raise _Unanswered(
            Gap.REPLAY_MISMATCH,
            f"{trial.nth(number)} of {trial.called} cannot be answered: {error}",
        ) from error


def _answer(flow: http.HTTPFlow, exchange: Exchange) -> None:
    if exchange.response is not None:
        flow.response = on_the_wire(exchange.response, cut=exchange.error is not None)
    elif exchange.error is ErrorKind.CLIENT_LEFT:
        flow.response = on_the_wire(_NOTHING, cut=True)
    else:
        words = error_body(NO_ANSWER, f"the recorded upstream gave no answer: {exchange.error}")
        flow.response = http.Response.make(502, words, {"content-type": "application/json"})


_NOTHING = Response(status=502, headers={}, body={"text": ""})
