"""What happens on the wire between the provider and the agent, as one pure function.

A scenario plants such faults as data (`grid.scenario.Tamper`), and so may whoever writes a grid
(`grid.tamperblocks`); both are applied, the scenario's first. The proxy applies them to what comes
over the wire, the `scripted` adapter to what its persona says and is told, and `ledgers` applies
them once more to what was recorded: the same bytes give the same bytes, wherever this runs.

Answers are counted by their requests, from 1. What cannot be changed without guessing stays as it
came: a body that is not strict JSON or of another provider's protocol, a stream whose deltas do not
say which call they belong to, an argument that is not there. Nothing is tampered then, and evidence
shows that nothing was.

``argument``, ``text``   calls of one tool; with ``answer`` 0 in the first answer that has any
``drop``, ``duplicate``  the same, of one tool or of every one; a copy gets an id of its own
``model``                the model id that a completion names, in every chunk of a stream
``status``               an error of the provider's in place of the answer
``timeout``              the same with status 504, as a gateway says it, and at once: no agent waits
                         longer because of a fault, so that a run stays as short as its replay
``cut``                  the first half of the body; then the connection breaks
``inject``               not the answer but the request: each result of one tool or of every one, in
                         each request that shows it (see `grid.tamperedrequest`)

With a ``rate`` a fault is not used up: it happens to an answer if

    unit_interval("tamper", seed, position, number) < rate

where `grid.canonical.unit_interval` draws from a digest, ``seed`` is the trial's, ``position`` that
of the fault among those of the trial, from 0, and ``number`` that of the answer.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

from grid.canonical import digest, load_json, plain_json, unit_interval
from grid.errors import CanonicalError
from grid.matching import equal
from grid.scenario import Scenario, Tamper, resolve
from grid.strict import from_json, to_json
from grid.tamperedbody import Body, Call, body_of
from grid.tamperedrequest import with_result, with_results
from grid.vocabulary import TamperKind

JSON_HEADERS = {"content-type": "application/json"}
OK = 200
TOO_MANY = 429
NO_ANSWER = 504

_UNAVAILABLE = ("the model cannot answer at the moment", "server_error", "unavailable")
_ERRORS = {
    TOO_MANY: ("too many requests at the moment", "rate_limit_error", "rate_limit_exceeded"),
    NO_ANSWER: ("no answer came in time", "server_error", "timeout"),
}
"""Status -> message, type and code of the error that takes an answer's place."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelAnswer:
    """One answer on the wire."""

    status: int
    """HTTP status."""
    headers: dict[str, str]
    """Headers, lower-case names; ``content-type`` tells a stream from a whole body."""
    body: bytes
    """Body, without content encoding."""
    cut: bool = False
    """The body breaks off: the connection ends before all of it has come."""


def planted_in(scenario: Scenario, seed: str, more: Iterable[Tamper] = ()) -> tuple[Tamper, ...]:
    """Return what is planted on the wire of one trial.

    Args:
        scenario: its scenario; a twin plants nothing of its own.
        seed: hex seed of the trial.
        more: what the grid plants in each of its trials.
    """
    plan = scenario.attack.tamper if scenario.attack else ()
    return tuple(from_json(Tamper, resolve(to_json(tamper), seed)) for tamper in (*plan, *more))


class Tampering:
    """The faults that are planted in one trial, and which of them are used up."""

    def __init__(self, plan: Iterable[Tamper], seed: str = "") -> None:
        """Keep what is planted, and the trial's seed for what is drawn."""
        self._plan = tuple(plan)
        self._seed = seed
        self._spent: set[int] = set()

    def __bool__(self) -> bool:
        """Tell whether anything is planted."""
        return bool(self._plan)

    @property
    def of_answers(self) -> bool:
        """Tell whether anything is planted in answers: then each is held until it is whole."""
        return any(tamper.kind is not TamperKind.INJECT for tamper in self._plan)

    def ask(self, body: bytes) -> bytes:
        """Return what the provider gets in place of a request's body."""
        return with_results(body, self._injections())

    def tell(self, tool: str, result: str) -> str:
        """Return what a single tool result becomes on its way to the model, as `ask` has it."""
        return with_result(result, tool, self._injections())

    def apply(self, number: int, sent: ModelAnswer) -> ModelAnswer:
        """Return what the agent gets in place of an answer; an equal one if nothing is changed.

        Args:
            number: number of the answer in its trial, from 1; each is asked about once, in order.
            sent: what the provider sent, whole.
        """
        answer = sent
        for position, tamper in enumerate(self._plan):
            if not self._happens(position, tamper, number):
                continue
            match tamper.kind:
                case TamperKind.STATUS:
                    return _error(int(tamper.value), tamper.retry_after)
                case TamperKind.TIMEOUT:
                    return _error(NO_ANSWER)
                case TamperKind.CUT:
                    return replace(answer, body=answer.body[: len(answer.body) // 2], cut=True)
                case TamperKind.MODEL:
                    answer = _renamed(answer, str(tamper.value))
                case TamperKind.INJECT:
                    continue  # it happens to requests
                case _:
                    answer, met = _changed(answer, tamper, number)
                    if met and tamper.rate is None:
                        self._spent.add(position)
        return answer

    def _happens(self, position: int, tamper: Tamper, number: int) -> bool:
        if tamper.rate is not None:
            drawn = unit_interval("tamper", self._seed, str(position), str(number))
            return drawn < tamper.rate
        return position not in self._spent and tamper.answer in (0, number)

    def _injections(self) -> list[Tamper]:
        return [tamper for tamper in self._plan if tamper.kind is TamperKind.INJECT]


def as_text(body: bytes) -> str:
    """Return a body as it stands in a journal; a character that was cut in two leaves a mark."""
    return body.decode("utf-8", "replace")


def _error(status: int, retry_after: int | None = None) -> ModelAnswer:
    message, kind, code = _ERRORS.get(status, _UNAVAILABLE)
    error = {"message": message, "type": kind, "param": None, "code": code}
    headers = dict(JSON_HEADERS)
    if retry_after is not None:
        headers["retry-after"] = str(retry_after)
    body = plain_json({"error": error}, indent=None).encode()
    return ModelAnswer(status=status, headers=headers, body=body)


def _body(answer: ModelAnswer) -> Body | None:
    if answer.status != OK:
        return None
    return body_of(answer.headers.get("content-type", ""), answer.body)


def _renamed(answer: ModelAnswer, model: str) -> ModelAnswer:
    body = _body(answer)
    if body is None or not body.rename(model):
        return answer
    return replace(answer, body=body.data())


def _changed(answer: ModelAnswer, tamper: Tamper, number: int) -> tuple[ModelAnswer, bool]:
    """Return the answer with its calls changed, and whether it has a call of that tool at all."""
    body = _body(answer)
    places = _places(body.calls(), tamper) if body else {}
    if body is None or not _CHANGES[tamper.kind](body, places, tamper, number):
        return answer, bool(places)
    return replace(answer, body=body.data()), True


def _places(calls: tuple[Call, ...], tamper: Tamper) -> dict[int, Call]:
    """Return the calls that are meant, by their places; one without a clear name never is."""
    named = {at: call for at, call in enumerate(calls) if call.name}
    return {at: call for at, call in named.items() if tamper.tool in ("", call.name)}


def _rewrite(_body: Body, places: dict[int, Call], tamper: Tamper, _number: int) -> bool:
    changed = False
    for call in places.values():
        wanted = _argument_text(call.arguments, tamper)
        if wanted != call.arguments:
            call.write(wanted)
            changed = True
    return changed


def _drop(body: Body, places: dict[int, Call], _tamper: Tamper, _number: int) -> bool:
    body.drop(places)
    return bool(places)


def _repeat(body: Body, places: dict[int, Call], _tamper: Tamper, number: int) -> bool:
    body.repeat({at: _id_of_copy(number, at, call) for at, call in places.items()})
    return bool(places)


def _id_of_copy(number: int, place: int, call: Call) -> str:
    """Return the id of a call's copy: as long as providers' own, and the same in each replay."""
    return "call_" + digest("copy", f"{number}/{place}/{call.id}".encode())[:24]


def _argument_text(text: str, tamper: Tamper) -> str:
    if tamper.kind is TamperKind.TEXT:
        return str(tamper.value)
    try:
        arguments: Any = load_json(text)
    except CanonicalError:
        return text
    if not isinstance(arguments, dict) or tamper.argument not in arguments:
        return text
    if equal(arguments[tamper.argument], tamper.value):
        return text
    return plain_json(arguments | {tamper.argument: tamper.value}, indent=None)


_CHANGES: dict[TamperKind, Callable[[Body, dict[int, Call], Tamper, int], bool]] = {
    TamperKind.ARGUMENT: _rewrite,
    TamperKind.TEXT: _rewrite,
    TamperKind.DROP: _drop,
    TamperKind.DUPLICATE: _repeat,
}
"""What each kind does to the calls that are meant; it tells whether anything is changed."""
