"""Planted faults without a wire: what the `scripted` adapter's persona says and hears is changed.

The persona's turn is written as the chat completion that it would be on a wire, tampered with as
the proxy would, and read again as every framework's answers are. So the journal holds such calls as
announced ones, and both versions of each answer that was changed. What goes back to the persona is
changed as it would be in each request that shows it; the tool layer's own text stands with its
call, and the changed one beside it.
"""

from collections.abc import Sequence

from grid.adapter import Delivered
from grid.evidence import TamperedAnswer, TamperedResult
from grid.session import Session
from grid.tampering import JSON_HEADERS, OK, ModelAnswer, as_text
from grid.wirecall import WireCall, completion, wire_calls


class PlantedWire:
    """Stands between persona and agent in a trial in which faults are planted on the wire."""

    def __init__(self, session: Session) -> None:
        """Keep the session, which counts the answers and what is used up."""
        self._session = session

    def deliver(self, text: str, calls: tuple[WireCall, ...]) -> tuple[WireCall, ...] | None:
        """Return the calls of an answer as the agent gets them; None if it gets no answer."""
        number = self._session.answers + 1
        body = completion(self._session.model, text, calls)
        sent = ModelAnswer(status=OK, headers=dict(JSON_HEADERS), body=body)
        got = self._session.tampering.apply(number, sent)
        if got != sent:
            self._session.tampered.append(
                TamperedAnswer(
                    number=number,
                    sent=as_text(sent.body),
                    status=got.status,
                    received=as_text(got.body),
                    cut=got.cut,
                )
            )
        if got.cut:
            return None  # as on a wire: a client reports no answer that it never had whole
        self._session.model_answered(got.status, got.body)
        return wire_calls(got.body) if got.status == OK else None

    def tell(self, calls: Sequence[WireCall], back: Sequence[Delivered]) -> list[str]:
        """Return the results of an answer's calls as the persona gets them.

        Args:
            calls: the calls of the answer, as the agent got them.
            back: what the tool layer gave for each; fewer where the run ended before the rest.
        """
        return [self._told(call, item) for call, item in zip(calls, back, strict=False)]

    def _told(self, call: WireCall, delivered: Delivered) -> str:
        told = self._session.tampering.tell(call.name, delivered.text)
        if told != delivered.text:
            self._session.injected.append(TamperedResult(call=self._number(call), received=told))
        return told

    def _number(self, call: WireCall) -> int:
        """Return the number of a call in the journal; of one that was made again, the last."""
        made = reversed(self._session.layer.calls)
        return next(item.seq for item in made if item.wire_id == call.id)
