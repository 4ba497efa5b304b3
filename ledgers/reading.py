"""Reading a run: its trials from the packs, their cases, and a sealed run as a whole.

Reading is strict about form and trusts the content: whether a ledger holds is for `ledgers.verify`.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from grid.canonical import canonical, load_json
from grid.errors import CanonicalError, ConfigError, StrictError
from grid.evidence import Evidence
from grid.models import is_scripted
from grid.registry import unknown
from grid.strict import from_json, to_json
from ledgers.adjudicate import judge
from ledgers.case import Case, make_case
from ledgers.chain import EntryKind, Head, read_entries, read_head
from ledgers.entries import TrialEntry, trial_entry
from ledgers.identity import served_in
from ledgers.manifest import Manifest, current_rules, read_manifest
from ledgers.packs import INDEX, Frame, Pack, read_frame, read_index
from ledgers.rule import Rule
from ledgers.rules import rule_at
from ledgers.runlock import check_entries
from ledgers.store import HEAD, LEDGER, MANIFEST, is_sealed

UNFIT = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)
"""What judging makes of a journal that no run left behind."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """One trial as it is kept."""

    evidence: Evidence
    """Its evidence."""
    evidence_bytes: bytes
    """The canonical bytes of that."""
    recording: bytes | None
    """Canonical bytes of its recording; None without a wire."""


class SealedRun:
    """A finished run."""

    def __init__(self, path: Path) -> None:
        """Read everything but the packs' content.

        Raises:
            ConfigError: there is no finished run, or it cannot be read.
        """
        if not is_sealed(path):
            raise ConfigError(f"{path} holds no finished run")
        check_entries(path)
        self.path = path
        try:
            self.manifest: Manifest = read_manifest((path / MANIFEST).read_bytes())
            entries = read_entries((path / LEDGER).read_bytes())
            self.head: Head = read_head((path / HEAD).read_bytes())
            self.trials: tuple[TrialEntry, ...] = tuple(
                from_json(TrialEntry, entry.body)
                for entry in entries
                if entry.kind is EntryKind.TRIAL
            )
            self._frames = frames_by_trial(read_index((path / INDEX).read_bytes()))
        except (CanonicalError, StrictError, OSError) as error:
            raise ConfigError(f"the run in {path} cannot be read: {error}") from error

    def entry(self, trial: str) -> TrialEntry:
        """Return the entry of a trial by its coordinates joined by ``/``.

        Raises:
            ConfigError: the run has no such trial; near ones are listed.
        """
        named = {str(entry.trial): entry for entry in self.trials}
        if trial not in named:
            raise unknown("trial", trial, named)
        return named[trial]

    def kept(self, trial: str) -> Kept:
        """Return the evidence and recording of a trial.

        Raises:
            ConfigError: the run has no such trial, or its frames cannot be read.
        """
        self.entry(trial)
        try:
            return read_kept(self.path, self._frames[trial])
        except (CanonicalError, StrictError, OSError, KeyError) as error:
            raise ConfigError(f"the evidence of {trial} cannot be read: {error}") from error

    def case(self, trial: str) -> Case:
        """Return what a judge may see of a trial."""
        return case_of(self.kept(trial), self.manifest, first_answers(self.trials))

    def rejudged(self) -> Iterator[TrialEntry]:
        """Judge every trial anew by the rules of today, in plan order.

        Raises:
            ConfigError: the evidence does not fit together, which judging takes for granted.
        """
        today = replace(self.manifest, rules=current_rules())
        try:
            yield from judge_run(self.path, today)
        except UNFIT as error:
            raise ConfigError(
                f"the evidence in {self.path} does not fit together "
                f"({type(error).__name__}); `nonverba verify {self.path}` names the step"
            ) from error


def judge_run(folder: Path, manifest: Manifest) -> Iterator[TrialEntry]:
    """Judge every trial of a run from its packs, in plan order, at the manifest's rule versions."""
    rules = rules_of(manifest)
    frames = frames_by_trial(read_index((folder / INDEX).read_bytes()))
    firsts: dict[str, str] = {}
    for trial in manifest.trials:
        kept = read_kept(folder, frames.get(str(trial), {}))
        yield judged_anew(kept, manifest, rules, firsts)


def judged_anew(
    kept: Kept, manifest: Manifest, rules: tuple[Rule, ...], firsts: dict[str, str]
) -> TrialEntry:
    """Judge one trial of a run; trials come in plan order.

    Args:
        kept: the trial.
        manifest: the run's manifest.
        rules: rules to judge by.
        firsts: model of the grid -> model id that its first answer told; grows.
    """
    model = kept.evidence.trial.model
    case = case_of(kept, manifest, firsts)
    served = () if is_scripted(model) else served_in(case.exchanges)
    told = [item.model for item in served if item.model]
    if told:
        firsts.setdefault(model, told[0])
    return trial_entry(kept.evidence, kept.evidence_bytes, judge(case, rules), served)


def first_answers(trials: Iterable[TrialEntry]) -> dict[str, str]:
    """Return which model id the first answer of each real model told, in plan order."""
    firsts: dict[str, str] = {}
    for entry in trials:
        for served in entry.served:
            if served.model:
                firsts.setdefault(entry.trial.model, served.model)
    return firsts


def rules_of(manifest: Manifest) -> tuple[Rule, ...]:
    """Return the rules that a manifest names, at its versions.

    Raises:
        ConfigError: this checkout does not know one of them.
    """
    return tuple(rule_at(rule.id, rule.version) for rule in manifest.rules)


def frames_by_trial(frames: tuple[Frame, ...]) -> dict[str, dict[Pack, Frame]]:
    """Return the frames of each trial."""
    found: dict[str, dict[Pack, Frame]] = {}
    for frame in frames:
        found.setdefault(frame.trial, {})[frame.pack] = frame
    return found


def read_kept(folder: Path, frames: Mapping[Pack, Frame]) -> Kept:
    """Read one trial from the packs.

    Raises:
        StrictError: a frame or the evidence in it is not what it should be.
        CanonicalError: the evidence is not strict JSON.
    """
    if Pack.EVIDENCE not in frames:
        raise StrictError(f"{INDEX}: there is a trial without evidence")
    data = read_frame(folder, frames[Pack.EVIDENCE])
    recording = frames.get(Pack.RECORDING)
    return Kept(
        evidence=read_evidence(data),
        evidence_bytes=data,
        recording=read_frame(folder, recording) if recording else None,
    )


def read_evidence(data: bytes) -> Evidence:
    """Read evidence strictly from its canonical bytes.

    Raises:
        StrictError: a field is wrong or the bytes are not canonical.
        CanonicalError: it is not strict JSON.
    """
    evidence = from_json(Evidence, load_json(data))
    if canonical(to_json(evidence)) != data:
        raise StrictError("the evidence is not in canonical form")
    return evidence


def case_of(kept: Kept, manifest: Manifest, firsts: Mapping[str, str] | None = None) -> Case:
    """Return what a judge may see of a kept trial.

    Args:
        kept: the trial.
        manifest: the run's manifest.
        firsts: model of the grid -> model id that its first answer told; None: not known.
    """
    trial = kept.evidence.trial
    scenario = manifest.scenario(trial.scenario)
    facts = manifest.tool_facts(scenario.world)
    expected = None if is_scripted(trial.model) else (firsts or {}).get(trial.model, "")
    return make_case(kept.evidence, scenario, facts, kept.recording, expected)
