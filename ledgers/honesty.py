"""The two tests of honesty, for any run directory.

Silence: every text that the assistant wrote is deleted, from the journal and from the recorded
bytes, in both versions of an answer that a planted fault changed; no verdict of the four harm
families may change. Renaming: the names of personas, frameworks, clauses and models change places,
in the coordinates and on the wire; no verdict at all may change. A model id that a fault put in
place of the one asked for is what the scenario plants, and no name.

Both work on the evidence itself and judge it anew. They share no code with the decoder that keeps
words out of a case, because they test it.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from grid.canonical import digest, plain_json
from grid.evidence import Evidence, TamperedAnswer, TrialId
from grid.vocabulary import HARM_FAMILIES
from grid.wirecall import same_model
from ledgers.adjudicate import Judgement, judge
from ledgers.manifest import Manifest
from ledgers.packs import INDEX, read_index
from ledgers.reading import Kept, SealedRun, case_of, frames_by_trial, read_kept, rules_of
from proxy.wire.answertext import parse
from proxy.wire.exchange import Exchange, Request, Response, exchange_lines, read_exchanges

EVENT = "data:"
CALLS = ("role", "tool_calls", "function_call")
"""Parts of an assistant message that stay."""

type Edit = Callable[[Any, str], None]
"""Changes one JSON body in place; told the model id that was asked for there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Names:
    """A renaming: each old name with the one that takes its place."""

    framework: dict[str, str]
    """Adapter names."""
    model: dict[str, str]
    """Model ids; scripted ones hold the persona's name."""
    clause: dict[str, str]
    """Clause ids."""

    def trial(self, trial: TrialId) -> TrialId:
        """Return the coordinates under other names."""
        return replace(
            trial,
            framework=self.framework[trial.framework],
            model=self.model[trial.model],
            clause=self.clause[trial.clause],
        )


def changed_by_silence(folder: Path) -> tuple[str, ...]:
    """Return the trials of a sealed run whose harm verdicts change when nobody says anything."""
    return _changed(folder, silenced, _harms)


def changed_by_renaming(folder: Path) -> tuple[str, ...]:
    """Return the trials of a sealed run whose judgement changes when names change places."""
    names = names_of(SealedRun(folder).manifest.trials)
    return _changed(folder, lambda kept: renamed(kept, names), lambda judgement: judgement)


def _harms(judgement: Judgement) -> Any:
    return [verdict for verdict in judgement.verdicts if verdict.family in HARM_FAMILIES]


def _changed(
    folder: Path, edit: Callable[[Kept], Kept], look: Callable[[Judgement], Any]
) -> tuple[str, ...]:
    manifest: Manifest = SealedRun(folder).manifest
    rules = rules_of(manifest)
    frames = frames_by_trial(read_index((folder / INDEX).read_bytes()))
    changed: list[str] = []
    for trial in manifest.trials:
        kept = read_kept(folder, frames[str(trial)])
        before, after = (judge(case_of(item, manifest), rules) for item in (kept, edit(kept)))
        if look(before) != look(after):
            changed.append(str(trial))
    return tuple(changed)


def silenced(kept: Kept) -> Kept:
    """Return a trial with every text of the assistant deleted."""
    quiet = replace(kept, evidence=_with_journal(kept.evidence, final_text=""))
    return _rebuilt(quiet, _silence)


def renamed(kept: Kept, names: Names) -> Kept:
    """Return a trial under other names."""
    trial = kept.evidence.trial
    other = names.trial(trial)

    def edit(body: Any, asked: str) -> None:
        told = body.get("model") if isinstance(body, dict) else None
        if isinstance(told, str) and same_model(asked, told):  # an id that was planted is no name
            body["model"] = other.model

    return _rebuilt(replace(kept, evidence=replace(kept.evidence, trial=other)), edit)


def names_of(trials: Iterable[TrialId]) -> Names:
    """Return a renaming in which every name of a run is taken by the next one of its kind."""
    known = tuple(trials)
    return Names(
        framework=_rotated({trial.framework for trial in known}),
        model=_rotated({trial.model for trial in known}),
        clause=_rotated({trial.clause for trial in known}),
    )


def _rotated(names: set[str]) -> dict[str, str]:
    """Map each name to the next; a name that stands alone becomes a made-up one."""
    order = sorted(names)
    if len(order) == 1:
        return {order[0]: "somebody"}
    return dict(zip(order, (*order[1:], order[0]), strict=True))


def _rebuilt(kept: Kept, edit: Edit) -> Kept:
    """Edit every body of a trial, in recording and journal, and name the edited recording."""
    recording = None
    evidence = _with_journal(
        kept.evidence,
        tampered=tuple(_edit_tampered(item, edit) for item in kept.evidence.journal.tampered),
    )
    if kept.recording is not None:
        exchanges = read_exchanges(kept.recording)
        recording = exchange_lines(_edit_exchange(item, edit) for item in exchanges)
    if evidence.recording is not None and recording is not None:
        reference = replace(evidence.recording, digest=digest("recording", recording))
        evidence = replace(evidence, recording=reference)
    return replace(kept, evidence=evidence, recording=recording)


def _with_journal(evidence: Evidence, **changes: Any) -> Evidence:
    return replace(evidence, journal=replace(evidence.journal, **changes))


def _edit_exchange(exchange: Exchange, edit: Edit) -> Exchange:
    """Edit a request and its answer, both versions of each."""
    asked = _model_of(exchange.request.body.get("text", ""))

    def edited[M: (Request, Response)](message: M) -> M:
        return replace(message, body=_edit_body(message.body, edit, asked))

    return replace(
        exchange,
        request=edited(exchange.request),
        response=edited(exchange.response) if exchange.response else None,
        sent=edited(exchange.sent) if exchange.sent else None,
        got=_edit_body(exchange.got, edit, asked) if exchange.got else None,
    )


def _edit_tampered(answer: TamperedAnswer, edit: Edit) -> TamperedAnswer:
    """Edit both versions of an answer without a wire; the provider's names the model asked for."""
    asked = _model_of(answer.sent)
    return replace(
        answer,
        sent=_edit_text(answer.sent, edit, asked),
        received=_edit_text(answer.received, edit, asked),
    )


def _model_of(text: str) -> str:
    try:
        body = parse(text)
    except ValueError:
        return ""
    told = body.get("model") if isinstance(body, dict) else None
    return told if isinstance(told, str) else ""


def _edit_body(body: dict[str, str], edit: Edit, asked: str) -> dict[str, str]:
    """Edit the JSON of a body, or of each event of a stream; other bytes stay as they are."""
    if "text" not in body:
        return body
    text = body["text"]
    if any(line.startswith(EVENT) for line in text.splitlines()):
        return {"text": "\n".join(_edit_event(line, edit, asked) for line in text.split("\n"))}
    return {"text": _edit_text(text, edit, asked)}


def _edit_event(line: str, edit: Edit, asked: str) -> str:
    if not line.startswith(EVENT):
        return line
    return f"{EVENT} {_edit_text(line.removeprefix(EVENT).strip(), edit, asked)}"


def _edit_text(text: str, edit: Edit, asked: str) -> str:
    try:
        value = parse(text)
    except ValueError:
        return text
    edit(value, asked)
    return plain_json(value, indent=None, ascii_only=True)


def _silence(body: Any, _asked: str) -> None:
    """Delete the words of every assistant message in a request or an answer."""
    if not isinstance(body, dict):
        return
    for message in _objects(body.get("messages")):
        if message.get("role") == "assistant":
            _mute(message)
    for choice in _objects(body.get("choices")):
        for name in ("message", "delta"):
            if isinstance(choice.get(name), dict):
                _mute(choice[name])


def _mute(message: dict[str, Any]) -> None:
    for name in list(message):
        if name not in CALLS:
            message[name] = None


def _objects(value: Any) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
