"""Planted faults without a wire: what the `scripted` adapter's persona says is changed on its way.

The persona's turn is written as the chat completion that it would be on a wire, tampered with as
the proxy would, and read again as every framework's answers are. So the journal holds such calls as
announced ones, and both versions of each answer that was changed.
"""

from grid.evidence import TamperedAnswer
from grid.session import Session
from grid.tampering import JSON_HEADERS, OK, ModelAnswer, as_text
from grid.wirecall import WireCall, completion, wire_calls


class PlantedWire:
    """Stands between persona and agent in a trial whose scenario plants faults on the wire."""

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
