"""Answers a trial's requests from its recording: strict, in order, and never from anywhere else.

The k-th request of a trial gets the k-th recorded answer if method, path and canonical body are
the same. If not, or if the recording is used up, the client gets a 404 that says which part
differs, the trial fails with that sentence, and nothing is forwarded: in replay no address is
listed, so the proxy cannot connect to anything. A recorded break is replayed as one. Answers that a
planted fault had changed are replayed as the provider sent them, and the recorder plants it anew.

Runs after the recorder, which writes the replayed exchange as if it had come over the wire.
"""

from mitmproxy import http

from proxy.difference import explain_difference
from proxy.passage import Passage, fails_closed, passage_of, refuse
from proxy.recorder import Recorder
from proxy.tamperer import from_provider, on_the_wire
from proxy.wire.exchange import ErrorKind, Exchange, Gap, Response


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
        recorded = passage.trial.replay
        number = passage.number
        if number >= len(recorded):
            _mismatch(flow, passage, f"the recording ends after {len(recorded)} requests")
        elif why := explain_difference(
            recorded[number].request, self._recorder.request_of(flow, passage)
        ):
            _mismatch(flow, passage, why)
        else:
            passage.replayed = from_provider(recorded[number])
            _answer(flow, passage.replayed)


def _mismatch(flow: http.HTTPFlow, passage: Passage, why: str) -> None:
    sentence = f"request {passage.number} of this trial is not the recorded one: {why}"
    passage.trial.fail(Gap.REPLAY_MISMATCH, sentence)
    refuse(flow, 404, str(Gap.REPLAY_MISMATCH), passage.trial.redaction.clean_text(sentence))


def _answer(flow: http.HTTPFlow, exchange: Exchange) -> None:
    if exchange.response is not None:
        flow.response = on_the_wire(exchange.response, cut=exchange.error is not None)
    elif exchange.error is ErrorKind.CLIENT_LEFT:
        flow.response = on_the_wire(_NOTHING, cut=True)
    else:
        words = f"the recorded upstream gave no answer: {exchange.error}"
        flow.response = http.Response.make(502, words, {"content-type": "text/plain"})


_NOTHING = Response(status=502, headers={}, body={"text": ""})
