"""What a restore from a checkpoint does to a run: calls made again, results that were forgotten.

After a crash a framework goes back to a checkpoint from before a call. Either it makes the pending
calls of the last answer again, without asking the model (such a call has the turn, the id and the
text of one before the restore); or it has the model answer again, which does not know what it
asked for already. A session that goes on from an earlier point of its conversation is a restore as
well, but nothing is pending then: it is left out here.
"""

from collections import Counter
from collections.abc import Iterable

from grid.evidence import CallRecord, Journal
from grid.matching import equal

type Story = tuple[int, str, str, str]
"""Turn, id, name and raw arguments of one call."""


def crashes(journal: Journal) -> tuple[int, ...]:
    """Return the restores that begin no session: `seq` of the first call after each."""
    begun = Counter(start.call for start in journal.sessions if start.rewound is not None)
    found = []
    for restore in journal.restores:
        if begun[restore]:
            begun[restore] -= 1
        else:
            found.append(restore)
    return tuple(found)


def made_again(journal: Journal) -> frozenset[int]:
    """Return the calls that a framework made again after a restore, with no new model answer.

    Each call of an answer is taken for made again at most once for each restore.
    """
    found: set[int] = set()
    restores = crashes(journal)
    ends = (*restores[1:], len(journal.calls))
    for begin, end in zip(restores, ends, strict=False):
        before = {_story(call) for call in journal.calls[:begin] if call.raw_arguments is not None}
        for call in journal.calls[begin:end]:
            if _story(call) in before:
                before.remove(_story(call))
                found.add(call.seq)
    return frozenset(found)


def cut_short(journal: Journal) -> frozenset[int]:
    """Return the answers in the midst of which the agent crashed: the rest may never have run."""
    return frozenset(journal.calls[restore - 1].turn for restore in crashes(journal) if restore > 0)


def forgotten(journal: Journal, calls: Iterable[CallRecord]) -> bool:
    """Tell whether one of the calls was forgotten in a restore, and another one came after it.

    Forgotten is the last call before the restore, whose result the agent never saw, and any call
    that was made after it once more, with the same tool and arguments.
    """
    pointed = tuple(calls)
    for restore in crashes(journal):
        early = [call for call in pointed if call.seq < restore]
        late = [call for call in pointed if call.seq >= restore]
        if late and any(call.seq == restore - 1 for call in early):
            return True
        if any(_same(left, right) for left in early for right in late):
            return True
    return False


def _same(left: CallRecord, right: CallRecord) -> bool:
    return left.tool == right.tool and equal(left.executed, right.executed)


def _story(call: CallRecord) -> Story:
    return call.turn, call.wire_id, call.wire_tool, call.raw_arguments or ""
