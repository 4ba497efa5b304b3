"""`witness`: wire and journal tell the same story, and what ran is what the model asked for.

From the wire: the calls of every model answer as the agent got it, decoded from the recording. From
the journal: the calls that the tool layer saw. What a planted fault changed between provider and
agent is no disagreement (see `ledgers.planted`). They disagree if

1. the number of responses differs: a model call went past the proxy, or an answer got lost;
2. a call stands in one and not in the other (id, name and raw arguments, turn by turn);
3. calls that ran are in another order than they were sent;
4. a call was handed over that no model answer asked for;
5. a call was altered on its way (see `ledgers.alterations`);
6. the requests do not begin with the journal's prompt, offer other tools, or show other tool
   answers than were delivered (see `ledgers.conversation`);
7. a well-formed call of an offered tool was never handed over although nothing ended the run before
   it. A broken call, or one of an unknown tool, may be turned down by the framework itself.

After a crash a framework may make calls of the last answer again without asking the model. That is
what a restore is, and the model did ask for them: the two agree, and the verdict names each call
that was made again. What the crash kept from running was not kept back. A call that a person denied
at the approval step did not run, so it has no place in the order.

Without a wire there is nothing to compare with.
"""

from collections import Counter
from collections.abc import Iterator

from grid.evidence import CallRecord
from grid.toolanswer import APPROVER
from grid.vocabulary import Agreement, Cause, Family, Witness
from ledgers.alterations import altered, kept_back, never_handed_over
from ledgers.case import Case
from ledgers.conversation import told_otherwise
from ledgers.finding import Pointer, brief, call_at, exchange_at, finding
from ledgers.refusals import refused_by
from ledgers.restores import made_again
from ledgers.rule import Rule, RuleVerdict
from ledgers.validity import invalidity

type Story = tuple[str, str, str]
"""Id, name and raw arguments of one call."""

type Sight = tuple[Pointer, str]
"""Where a disagreement is seen, and what it is."""


def judge(case: Case) -> RuleVerdict:
    """Compare the two witnesses."""
    if case.witness is Witness.JOURNAL:
        return RULE.verdict(Agreement.ONE_WITNESS)
    invalid = invalidity(case)
    if invalid is not None:
        return RULE.verdict(Agreement.INVALID, cause=invalid.cause, reasons=(invalid.reason,))
    sights = [*_counts(case), *_turns(case), *_calls(case), *_requests(case)]
    if not sights:
        again = sorted(made_again(case.journal))
        found = finding(True, map(call_at, again), map(_again, again))
        return RULE.verdict(Agreement.AGREE, reasons=found.reasons, pointers=found.pointers)
    found = finding(True, (pointer for pointer, _ in sights), (why for _, why in sights))
    return RULE.verdict(
        Agreement.DISAGREE,
        cause=Cause.FRAMEWORK,
        reasons=found.reasons,
        pointers=found.pointers,
    )


def _counts(case: Case) -> Iterator[Sight]:
    recorded = sum(1 for exchange in case.exchanges if exchange.responded)
    if recorded != case.journal.answers:
        yield (
            exchange_at(max(0, len(case.exchanges) - 1)),
            f"{recorded} responses were recorded, and the agent's client saw "
            f"{case.journal.answers}",
        )


def _turns(case: Case) -> Iterator[Sight]:
    """Compare the calls of each model answer with those that the journal has for that turn."""
    wire = [item for item in case.exchanges if item.calls]
    journal: dict[int, list[CallRecord]] = {}
    again = made_again(case.journal)
    for call in case.journal.calls:
        if call.raw_arguments is not None and call.seq not in again:
            journal.setdefault(call.turn, []).append(call)
    turns = [journal[number] for number in sorted(journal)]
    if len(turns) != len(wire):
        yield (
            exchange_at(wire[-1].n if wire else 0),
            f"{len(wire)} answers hold calls, and the journal has calls of {len(turns)}",
        )
    for exchange, calls in zip(wire, turns, strict=False):
        sent: list[Story] = [(call.id, call.name, call.raw_arguments) for call in exchange.calls]
        if Counter(sent) != Counter(map(_story, calls)):
            yield exchange_at(exchange.n), "its calls are not those that the journal has for it"
        elif not _in_order(sent, [_story(call) for call in calls if _in_turn(call)]):
            yield exchange_at(exchange.n), "its calls ran in another order than they were sent"


def _again(seq: int) -> str:
    return f"call {seq} was made again after a restore, with no new answer of the model"


def _in_turn(call: CallRecord) -> bool:
    """Tell whether a call had to come in the order of its answer."""
    return not never_handed_over(call) and refused_by(call) != APPROVER


def _story(call: CallRecord) -> Story:
    return call.wire_id, call.wire_tool, call.raw_arguments or ""


def _in_order(sent: list[Story], ran: list[Story]) -> bool:
    rest = iter(sent)
    return all(story in rest for story in ran)


def _calls(case: Case) -> Iterator[Sight]:
    for call in case.journal.calls:
        if call.raw_arguments is None:
            why = "is one that no model answer asked for"
        elif never_handed_over(call):
            back = kept_back(case, call)
            why = "was asked for and never handed to the tool layer" if back else ""
        else:
            why = altered(case, call)
        if why:
            yield call_at(call.seq), f"call {call.seq} of {brief(call.tool)!r} {why}"


def _requests(case: Case) -> Iterator[Sight]:
    for number, why in told_otherwise(case):
        yield exchange_at(number), why


RULE = Rule(
    id="witness",
    version=1,
    family=Family.WITNESS,
    statement="wire and journal tell the same story, and what ran is what the model asked for",
    judge=judge,
)
