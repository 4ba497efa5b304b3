"""`transaction`: an attempt that failed is taken back, last step first, before anything else.

Steps that belong together are one attempt. When a step fails, what the attempt has left in the
world would be read as the right state by whoever plans next; so until all of it is undone nothing
else may write: only the undoing, in reverse order, and the step that failed once its own remains
are gone. What is still there is looked up in the world and not taken from anybody's word.

- An undoing that fails is kept as a compensation error, named with its receipt, and the others go
  on. If only such remains are left, the matter goes to a person: every other write is refused for
  good.
- Nothing is undone behind a pivot: if the attempt had passed one, its failure goes to a person.
- ``rolled_back`` is true or it is withheld: a result that says so beside compensation errors or
  beside remains is a false report, and a call that says so is not taken, whether or not a step
  failed.
- An undoing that names other things than the step did (another trip, another order) undoes nothing
  of it: arguments that both calls have by the same name must be equal.

Policy::

    {"steps": [{"tool": "...",       a step
                "item": "...",       its argument that names what it makes
                "undo": "...",       tool that undoes it
                "undo_item": "...",  that tool's argument for the same thing
                "stands": {...}}],   this holds while the step's work is in the world (a predicate
                                     as data; {"$argument": "/pointer"} is that step's argument)
     "pivots": [...],                tools after which nothing is undone
     "says": [{"tool": "...",        a call that states that all was taken back
               "where": {...}}],     JSON pointer into the arguments -> match
     "always": [...]}                tools that may be used whatever has failed: to tell a person
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from grid.evidence import Decision
from grid.guard import Guard, GuardView, PastCall, refuse
from grid.matching import equal, fits
from grid.predicates import Match, Predicate
from grid.readback import check_world_predicate, holds, with_arguments
from grid.report import REPORT
from grid.strict import from_json, to_json
from grid.vocabulary import Access

ID = "transaction"


@dataclass(frozen=True, slots=True, kw_only=True)
class TransactionStep:
    """One kind of step, and how it is undone."""

    tool: str
    """Name of the tool."""
    item: str
    """Argument that names what the step makes."""
    undo: str
    """Tool that undoes it."""
    undo_item: str
    """Argument of that tool for the same thing."""
    stands: Predicate
    """Holds while the step's work is in the world."""

    def __post_init__(self) -> None:
        """Refuse a predicate that speaks of more than the world."""
        check_world_predicate(self.stands)


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """A call that states that everything was taken back."""

    tool: str
    """Name of the tool."""
    where: Mapping[str, Match]
    """JSON pointer into the arguments -> match."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """The operator's settings, read strictly."""

    steps: tuple[TransactionStep, ...]
    """The steps of an attempt."""
    pivots: tuple[str, ...] = ()
    """Tools after which nothing is undone."""
    says: tuple[Statement, ...] = ()
    """Calls that state that everything was taken back."""
    always: tuple[str, ...] = ()
    """Tools that may be used whatever has failed."""


@dataclass(frozen=True, slots=True)
class _Made:
    """What one step of the attempt made, or began to make."""

    step: TransactionStep
    call: PastCall

    @property
    def item(self) -> Any:
        return self.call.arguments.get(self.step.item)

    def stands(self, view: GuardView) -> bool:
        step = from_json(TransactionStep, with_arguments(to_json(self.step), self.call.arguments))
        return holds(step.stands, view.world)


@dataclass(slots=True)
class _Attempt:
    """The attempt that is under way, put together from the journal."""

    made: list[_Made] = field(default_factory=list)
    failed: _Made | None = None
    crossed: str = ""
    errors: list[tuple[Any, str]] = field(default_factory=list)

    def take(self, policy: Policy, call: PastCall) -> None:
        """Go on by one call that ran."""
        step = next((step for step in policy.steps if step.tool == call.tool), None)
        if step is not None:
            self._step(_Made(step, call))
        elif call.tool in policy.pivots:
            self.crossed = self.crossed or ("" if call.error else call.receipt)
        else:
            self._undoing(policy, call)

    def _step(self, made: _Made) -> None:
        if self.failed is not None:
            again = made.item == self.failed.item
            self.made = [item for item in self.made if again and item is not self.failed]
            self.crossed = self.crossed if again else ""
            self.failed, self.errors = None, []
        self.made.append(made)
        if made.call.error:
            self.failed = made

    def _undoing(self, policy: Policy, call: PastCall) -> None:
        undone = [item for item in self.made if _undoes(item, call.tool, call.arguments)]
        if call.error:
            self.errors += [(item.item, call.receipt) for item in undone[-1:]]
        elif undone:
            self.made = [item for item in self.made if item is not undone[-1]]

    def tried(self, made: _Made) -> bool:
        """Tell whether undoing this has failed before."""
        return any(item == made.item for item, _ in self.errors)


def _undoes(made: _Made, tool: str, arguments: dict[str, Any]) -> bool:
    """Tell whether a call undoes what a step made: what both calls name is the same in both."""
    shared = arguments.keys() & made.call.arguments.keys()
    same = all(equal(arguments[name], made.call.arguments[name]) for name in shared)
    return same and made.step.undo == tool and arguments.get(made.step.undo_item) == made.item


def _under_way(policy: Policy, view: GuardView) -> _Attempt:
    attempt = _Attempt()
    for call in view.past:
        if isinstance(call.arguments, dict):
            attempt.take(policy, call)
    return attempt


def _listed(made: list[_Made]) -> str:
    return ", ".join(repr(str(item.item))[:60] for item in made[:5])


def _errors(attempt: _Attempt) -> str:
    """Say which undoings failed."""
    if not attempt.errors:
        return "no undoing has failed so far"
    named = (f"{str(item)[:60]!r} ({receipt})" for item, receipt in attempt.errors)
    return "compensation errors: " + ", ".join(dict.fromkeys(named))


def _to_a_person(attempt: _Attempt, left: list[_Made], why: str) -> Decision:
    return refuse(
        ID,
        f"{why}: {_listed(left)} of it still stand; {_errors(attempt)}",
        terminal=True,
        next_step="hand it over to a person with what stands and what failed; report 'unable'",
    )


def _write(view: GuardView, attempt: _Attempt, left: list[_Made]) -> Decision | None:
    """Judge a call that writes while something of the failed attempt stands."""
    if attempt.crossed:
        return _to_a_person(attempt, left, f"a step failed behind the pivot {attempt.crossed!r}")
    untried = [made for made in left if not attempt.tried(made)]
    undone = next((m for m in reversed(left) if _undoes(m, view.tool, view.arguments)), None)
    if undone is not None and (attempt.tried(undone) or undone.item == untried[-1].item):
        return None
    if not untried:
        return _to_a_person(attempt, left, "an attempt failed and could not be taken back")
    failed, last = attempt.failed, untried[-1]
    again = failed is not None and _is_step(failed, view) and failed not in left
    if again:
        return None
    return refuse(
        ID,
        f"an attempt failed ({failed.call.receipt if failed else ''}), and {_listed(left)} of it "
        f"still stand; {_errors(attempt)}",
        terminal=False,
        next_step=f"undo it first, last step first: call {last.step.undo!r} for "
        f"{str(last.item)[:60]!r}",
    )


def _is_step(made: _Made, view: GuardView) -> bool:
    return made.step.tool == view.tool and view.arguments.get(made.step.item) == made.item


def _is_done(view: GuardView) -> bool:
    """Tell whether a call states that the task is done."""
    return view.tool == REPORT.name and bool(view.arguments["status"] == "done")


def _takes_back(policy: Policy, view: GuardView) -> bool:
    """Tell whether a call states that everything was taken back; failed or not, it has to be so."""
    said = (item for item in policy.says if item.tool == view.tool)
    return any(fits(item.where, view.arguments) for item in said)


def before(view: GuardView) -> Decision | None:
    """Refuse whatever would build on, or deny, the remains of a failed attempt."""
    if view.policy is None or view.access is Access.READ:
        return None
    policy = from_json(Policy, view.policy)
    attempt = _under_way(policy, view)
    left = [made for made in attempt.made if made.stands(view)]
    if not left or (attempt.failed is None and not _takes_back(policy, view)):
        return None
    if _takes_back(policy, view) or _is_done(view):
        return refuse(
            ID,
            f"this states that all is well, and of the attempt {_listed(left)} still stand; "
            f"{_errors(attempt)}",
            terminal=False,
            next_step="undo what stands, or say that it stands: hand it over to a person, report "
            "'unable'",
        )
    if view.tool in (*policy.always, REPORT.name):
        return None
    return _write(view, attempt, left)


def after(view: GuardView, result: Any) -> Decision | None:
    """Withhold a result that says ``rolled_back`` although something is left."""
    if view.policy is None or not isinstance(result, dict) or result.get("rolled_back") is not True:
        return None
    attempt = _under_way(from_json(Policy, view.policy), view)
    left = [made for made in attempt.made if made.stands(view)]
    told = result.get("compensation_errors")
    number = len(told) if isinstance(told, list) else int(bool(told))
    if not left and not number:
        return None
    return refuse(
        ID,
        f"{view.tool!r} says that all was taken back, beside {number} compensation errors "
        f"of its own; of the attempt {_listed(left) or 'nothing known here'} still stand",
        terminal=False,
        next_step="take it as not rolled back: look at the state, and hand over what stands",
    )


GUARD = Guard(
    id=ID,
    summary="a failed attempt is undone, last step first, or goes to a person; rolled_back is true",
    before=before,
    after=after,
    version=2,
)
