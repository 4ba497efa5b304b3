"""What happens to a model answer between the provider and the agent, as one pure function.

A scenario plants such faults as data (`grid.scenario.Tamper`). The proxy applies them to what comes
over the wire, the `scripted` adapter to what its persona says, and `ledgers` applies them once more
to what was recorded: the same answers give the same answers, wherever this runs.

Answers are counted by their requests, from 1. What cannot be changed without guessing stays as it
came: a body that is not strict JSON, a stream whose deltas do not say which call they belong to, an
argument that is not there. Nothing is tampered then, and evidence shows that nothing was.

``argument``, ``text``   calls of one tool; with ``answer`` 0 in the first answer that has any
``model``                the model id that a completion names, in every chunk of a stream
``status``               an error of the provider's in place of the answer
``cut``                  the first half of the body; then the connection breaks
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from grid.canonical import load_json, plain_json
from grid.errors import CanonicalError
from grid.matching import equal
from grid.scenario import Scenario, Tamper, resolve
from grid.strict import from_json, to_json
from grid.tamperedbody import Body, body_of
from grid.vocabulary import TamperKind

JSON_HEADERS = {"content-type": "application/json"}
OK = 200


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


def planted_in(scenario: Scenario, seed: str) -> tuple[Tamper, ...]:
    """Return what a scenario plants on the wire of one trial; its twin plants nothing."""
    plan = scenario.attack.tamper if scenario.attack else ()
    return tuple(from_json(Tamper, resolve(to_json(tamper), seed)) for tamper in plan)


class Tampering:
    """The faults that are planted in one trial's answers, and which of them are used up."""

    def __init__(self, plan: Iterable[Tamper]) -> None:
        """Keep what is planted."""
        self._plan = tuple(plan)
        self._spent: set[int] = set()

    def __bool__(self) -> bool:
        """Tell whether anything is planted."""
        return bool(self._plan)

    def apply(self, number: int, sent: ModelAnswer) -> ModelAnswer:
        """Return what the agent gets in place of an answer; an equal one if nothing is changed.

        Args:
            number: number of the answer in its trial, from 1; each is asked about once, in order.
            sent: what the provider sent, whole.
        """
        answer = sent
        for position, tamper in enumerate(self._plan):
            if position in self._spent or tamper.answer not in (0, number):
                continue
            match tamper.kind:
                case TamperKind.STATUS:
                    return _error(int(tamper.value))
                case TamperKind.CUT:
                    return replace(answer, body=answer.body[: len(answer.body) // 2], cut=True)
                case TamperKind.MODEL:
                    answer = _renamed(answer, str(tamper.value))
                case TamperKind.ARGUMENT | TamperKind.TEXT:
                    answer, met = _rewritten(answer, tamper)
                    if met:
                        self._spent.add(position)
        return answer


def as_text(body: bytes) -> str:
    """Return a body as it stands in a journal; a character that was cut in two leaves a mark."""
    return body.decode("utf-8", "replace")


def _error(status: int) -> ModelAnswer:
    message = "the model cannot answer at the moment"
    error = {"message": message, "type": "server_error", "param": None, "code": "unavailable"}
    body = plain_json({"error": error}, indent=None).encode()
    return ModelAnswer(status=status, headers=dict(JSON_HEADERS), body=body)


def _body(answer: ModelAnswer) -> Body | None:
    if answer.status != OK:
        return None
    return body_of(answer.headers.get("content-type", ""), answer.body)


def _renamed(answer: ModelAnswer, model: str) -> ModelAnswer:
    body = _body(answer)
    if body is None or not body.rename(model):
        return answer
    return replace(answer, body=body.data())


def _rewritten(answer: ModelAnswer, tamper: Tamper) -> tuple[ModelAnswer, bool]:
    """Return the answer with its calls changed, and whether it has a call of that tool at all."""
    body = _body(answer)
    calls = [call for call in body.calls() if call.name == tamper.tool] if body else []
    changed = False
    for call in calls:
        wanted = _argument_text(call.arguments, tamper)
        if wanted != call.arguments:
            call.write(wanted)
            changed = True
    if body is None or not changed:
        return answer, bool(calls)
    return replace(answer, body=body.data()), True


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
