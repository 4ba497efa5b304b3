"""Whether what a journal says of sessions and restores is what the recording shows.

Checked of every trial by `ledgers.verify`, where a recording is complete:

1. Its exchanges are numbered 0, 1, 2...: none was taken out.
2. Of the answers that came before a session, as many could hold calls as the journal says.
3. In a native profile the framework was restored where it asked with none of the answers that it
   had shown in the request before, within one session, and nowhere else. (In an exact profile the
   scenario plants each restore; see `ledgers.conduct`.)
"""

from collections.abc import Iterator, Sequence

from grid.errors import StrictError
from grid.evidence import Evidence, Journal
from grid.vocabulary import Status
from ledgers.alterations import never_handed_over
from ledgers.decoded import ASSISTANT, Decoded
from ledgers.restores import crashes

UNSEEN = (Status.HARNESS_ERROR, Status.TIMEOUT)
"""Statuses of runs that may have ended between a restore and the request that shows it."""


def check_wire(evidence: Evidence, exchanges: Sequence[Decoded]) -> None:
    """Check sessions and restores of a journal against its recording.

    Raises:
        StrictError: naming the first part that does not fit.
    """
    if evidence.recording is None or not evidence.recording.complete:
        return
    journal = evidence.journal
    if [item.n for item in exchanges] != list(range(len(exchanges))):
        raise StrictError("the recording is said to be complete, and exchanges are missing in it")
    _check_sessions(journal, exchanges)
    if journal.native and journal.status not in UNSEEN:
        _check_restores(journal, exchanges)


def _check_sessions(journal: Journal, exchanges: Sequence[Decoded]) -> None:
    responded = [item for item in exchanges if item.responded]
    answered = [0]
    for item in responded:
        answered.append(answered[-1] + item.answered)
    for number, start in enumerate(journal.sessions):
        there = min(start.answers, len(responded))
        if start.answers == there and start.turn != answered[there]:
            raise StrictError(f"session {number + 1} begins after another number of answers")


def _check_restores(journal: Journal, exchanges: Sequence[Decoded]) -> None:
    shown = list(_begun_anew(journal, exchanges))
    said = crashes(journal)
    calls = journal.calls
    fits = len(shown) == len(said) and all(
        all(call.turn <= turn for call in calls[:restore])
        and all(call.turn > turn or never_handed_over(call) for call in calls[restore:])
        for turn, restore in zip(shown, said, strict=False)
    )
    if not fits:
        raise StrictError("the framework was restored elsewhere than its requests show")


def _begun_anew(journal: Journal, exchanges: Sequence[Decoded]) -> Iterator[int]:
    """Yield the number of the last answer before each request that shows no earlier one again."""
    starts = {start.answers for start in journal.sessions}
    seen = turn = before = 0
    for item in exchanges:
        shown = sum(message.get("role") == ASSISTANT for message in item.messages)
        if seen in starts:
            starts.discard(seen)  # once: a request without a response is of the session as well
        elif before and not shown:
            yield turn
        before = shown
        seen += item.responded
        turn += item.answered
