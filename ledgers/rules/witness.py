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

Where an answer holds bytes that are no UTF-8, clients read its calls in different ways or not at
all (see `ledgers.garbled`). The two disagree then, and the provider is answerable if nothing else
is wrong; if they agree all the same, the verdict names the answer.

After a crash a framework may make calls of the last answer again without asking the model. That is
what a restore is, and the model did ask for them: the two agree, and the verdict names each call
that was made again. What the crash kept from running was not kept back. A call that a person denied
at the approval step did not run, so it has no place in the order.

Without a wire there is nothing to compare with.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from grid.evidence import CallRecord
from grid.toolanswer import APPROVER
from grid.vocabulary import Agreement, Cause, Family, Witness
from grid.wirecall import WireCall
from ledgers.alterations import altered, kept_back, never_handed_over
from ledgers.case import Case
from ledgers.conversation import told_otherwise
from ledgers.decoded import Decoded
from ledgers.finding import Pointer, brief, call_at, exchange_at, finding
from ledgers.garbled import as_read, garbled, unread
from ledgers.refusals import refused_by
from ledgers.restores import made_again
from ledgers.rule import Rule, RuleVerdict
from ledgers.validity import invalidity

type Story = tuple[str, str, str]
"""Id, name and raw arguments of one call."""

type Sight = tuple[Pointer, str, Cause]
"""Where a disagreement is seen, what it is, and who is answerable."""

NO_UTF8 = "bytes that are no UTF-8"


def judge(case: Case) -> RuleVerdict:
    """Compare the two witnesses."""
    if case.witness is Witness.JOURNAL:
        return RULE.verdict(Agreement.ONE_WITNESS)
    invalid = invalidity(case)
    if invalid is not None:
        return RULE.verdict(Agreement.INVALID, cause=invalid.cause, reasons=(invalid.reason,))
    sights = [*_counts(case), *_turns(case), *_calls(case), *_requests(case)]
    if not sights:
        notes = [*_stray(case), *_again(case)]
        found = finding(True, (pointer for pointer, _ in notes), (why for _, why in notes))
        return RULE.verdict(Agreement.AGREE, reasons=found.reasons, pointers=found.pointers)
    found = finding(True, (pointer for pointer, *_ in sights), (why for _, why, _ in sights))
    causes = {cause for *_, cause in sights}
    return RULE.verdict(
        Agreement.DISAGREE,
        cause=Cause.FRAMEWORK if Cause.FRAMEWORK in causes else Cause.PROVIDER,
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
            Cause.FRAMEWORK,
        )


def _turns(case: Case) -> Iterator[Sight]:
    """Compare the calls of each model answer with those that the journal has for that turn."""
    lost = unread(case)
    for n in sorted(lost):
        why = f"its calls could not be read: the provider's answer holds {NO_UTF8}"
        yield exchange_at(n), why, Cause.PROVIDER
    wire = [item for item in case.exchanges if item.calls and item.n not in lost]
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
            Cause.FRAMEWORK,
        )
    for exchange, calls in zip(wire, turns, strict=False):
        yield from _turn(exchange, calls)


def _turn(exchange: Decoded, calls: list[CallRecord]) -> Iterator[Sight]:
    """Compare one answer with the calls of its turn, in whichever reading fits them."""
    readings = [list(map(_told, read)) for read in as_read(exchange)]
    journal = Counter(map(_story, calls))
    fitting = next((read for read in readings if Counter(read) == journal), None)
    where = exchange_at(exchange.n)
    if fitting is None:
        yield where, "its calls are not those that the journal has for it", Cause.FRAMEWORK
        return
    if fitting != readings[0]:
        why = f"its calls are those of the journal but for {NO_UTF8}, which the provider sent"
        yield where, why, Cause.PROVIDER
    if not _in_order(fitting, [_story(call) for call in calls if _in_turn(call)]):
        yield where, "its calls ran in another order than they were sent", Cause.FRAMEWORK


def _stray(case: Case) -> Iterator[tuple[Pointer, str]]:
    for exchange in case.exchanges:
        if exchange.stray:
            yield exchange_at(exchange.n), f"the answer of exchange {exchange.n} holds {NO_UTF8}"


def _again(case: Case) -> Iterator[tuple[Pointer, str]]:
    for seq in sorted(made_again(case.journal)):
        why = f"call {seq} was made again after a restore, with no new answer of the model"
        yield call_at(seq), why


def _in_turn(call: CallRecord) -> bool:
    """Tell whether a call had to come in the order of its answer."""
    return not never_handed_over(call) and refused_by(call) != APPROVER


def _told(call: WireCall) -> Story:
    return call.id, call.name, call.raw_arguments


def _story(call: CallRecord) -> Story:
    return call.wire_id, call.wire_tool, call.raw_arguments or ""


def _in_order(sent: list[Story], ran: list[Story]) -> bool:
    rest = iter(sent)
    return all(story in rest for story in ran)


def _calls(case: Case) -> Iterator[Sight]:
    broken = garbled(case)
    for call in case.journal.calls:
        if call.raw_arguments is None:
            why = "is one that no model answer asked for"
        elif never_handed_over(call):
            back = kept_back(case, call)
            why = "was asked for and never handed to the tool layer" if back else ""
        else:
            why = altered(case, call)
        cause = Cause.FRAMEWORK
        if why and call.seq in broken:
            why = f"was asked for with {NO_UTF8}, and {_with(call)} those"
            cause = Cause.PROVIDER
        if why:
            yield call_at(call.seq), f"call {call.seq} of {brief(call.tool)!r} {why}", cause


def _with(call: CallRecord) -> str:
    return "was not handed over for" if never_handed_over(call) else "differs in nothing but"


def _requests(case: Case) -> Iterator[Sight]:
    for number, why in told_otherwise(case):
        yield exchange_at(number), why, Cause.FRAMEWORK


def _before(case: Case) -> RuleVerdict | None:
    """Judge as version 1 did, which took no notice of bytes that are no UTF-8."""
    blind = tuple(replace(item, stray=False, readings=()) for item in case.exchanges)
    found = judge(replace(case, exchanges=blind))
    return replace(found, rule_version=1)


RULE = Rule(
    id="witness",
    version=2,
    family=Family.WITNESS,
    statement="wire and journal tell the same story, and what ran is what the model asked for",
    judge=judge,
)
EARLIER = (replace(RULE, version=1, judge=_before),)
