"""Verifying a ledger that somebody else made; nothing in it is trusted, none of it is run.

The steps, in order; the first that fails is named:

 1. files and sums      exactly the files of a run, plain ones, of bounded size; SHA256SUMS holds
 2. parse strictly      every file is canonical JSON of exactly its form
 3. chain               each entry follows the one before; header and seal fit manifest and trials
 4. head                HEAD is that of the chain, and the one that was expected, if one was given
 5. packs               every frame is there, unpacks within bounds, and is what entries name
 6. effects             evidence is canonical and coherent, begins where scenario and clause say,
                        and is what a tool layer writes; effects over `before` give `after`
 7. recordings          each is what the evidence says; an incomplete one was judged invalid;
                        planted faults, sessions and restores are those that it shows
 8. verdicts            judged anew, at the rule versions of the manifest, each entry comes out
                        the same
 9. plan                exactly the planned trials, each with the seed of its coordinates, or of
                        those that its model answers were played from
10. released            scenarios, clauses, tools, guards and rules are released ones, and no
                        guard or rule is missing

Steps 6 to 8 are taken trial by trial. Without an expected head from outside, a ledger that was cut
or written anew as a whole cannot be told from the original; the report says so. Names in a ledger
are never used as paths, and whatever goes wrong with hostile input is a `VerificationError`.

Only such a head also tells whether the tools, the provider and a native framework did what journal
and recording say together: that a tool's result is the one it gives, that a provider sent the
answer that a fault would have made of it, that a framework never asked before it let a call run. Of
a run whose model answers were played from another one, only that one shows that they are its own.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from stat import S_ISREG

import zstandard

from grid.canonical import MAX_BYTES, canonical, digest, load_json, scrub_text
from grid.errors import NonverbaError, StrictError, VerificationError
from grid.evidence import EVIDENCE_FORMAT, Evidence
from grid.strict import from_json
from grid.vocabulary import Outcome, Utility
from ledgers.chain import Entry, Head, check_chain, head_of, read_entries, read_head
from ledgers.clauserecord import as_clause
from ledgers.coherence import check_beginning, check_clause, check_journal, check_witness
from ledgers.conduct import Terms, check_conduct
from ledgers.crosscheck import check_wire
from ledgers.decoded import decode
from ledgers.entries import LEDGER_FORMAT, Header, Seal, TrialEntry
from ledgers.manifest import Manifest, manifest_bytes, manifest_digest, read_manifest
from ledgers.packs import INDEX, Frame, Pack, pack_sizes, read_frame, read_index
from ledgers.reading import Kept, frames_by_trial, judged_anew, read_kept, rules_of
from ledgers.released import unknown_parts
from ledgers.seal import sums
from ledgers.store import (
    ENVIRONMENT,
    FILES,
    HEAD,
    LEDGER,
    MANIFEST,
    SUMS,
    TIMINGS,
    read_timings,
)
from ledgers.tampering import check_tampering
from proxy.wire.exchange import Exchange, exchange_lines, read_exchanges

STEPS = {
    1: "files and sums",
    2: "parse strictly",
    3: "chain",
    4: "head",
    5: "packs",
    6: "effects",
    7: "recordings",
    8: "verdicts",
    9: "plan",
    10: "released",
}

SMALL = 1 << 20
LIMITS = {
    MANIFEST: MAX_BYTES,
    LEDGER: 4 * MAX_BYTES,
    INDEX: MAX_BYTES,
    HEAD: SMALL,
    ENVIRONMENT: SMALL,
    TIMINGS: MAX_BYTES,
    SUMS: SMALL,
    Pack.EVIDENCE.file: 1 << 32,
    Pack.RECORDING.file: 1 << 32,
}
"""Bytes that each file may have; packs are read frame by frame."""

UNNAMED = SMALL
"""Bytes of a pack that no frame holds; with more of them it is refused before it is hashed."""

HOSTILE = (
    NonverbaError,
    OSError,
    ValueError,
    TypeError,
    LookupError,
    AttributeError,
    ArithmeticError,
    RecursionError,
    MemoryError,
    zstandard.ZstdError,
)
"""What hostile bytes can make of reading them; anything else would be a mistake of ours."""

SENTENCE = 400
"""Characters of a foreign sentence that are passed on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifyReport:
    """A ledger that holds."""

    head: str
    """Its head."""
    count: int
    """Number of its entries."""
    trials: int
    """Number of its trials."""
    pinned: bool
    """The head was expected from outside; else nothing shows that the ledger is the original."""
    unknown: tuple[str, ...]
    """Parts that were never released; empty unless they were allowed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Parsed:
    """All files but the packs, read strictly."""

    manifest: Manifest
    entries: tuple[Entry, ...]
    header: Header
    trials: tuple[TrialEntry, ...]
    seal: Seal
    head: Head
    frames: tuple[Frame, ...]


def verify(
    directory: Path, head: str | None = None, *, allow_unknown: bool = False
) -> VerifyReport:
    """Verify a run directory.

    Args:
        directory: the run directory.
        head: the head that it must have, from an article, a README, CI.
        allow_unknown: let parts pass that were never released; they are listed in the report.

    Raises:
        VerificationError: the ledger does not hold; with the step that failed.
    """
    with _step(1):
        _check_files(directory)
    with _step(2):
        parsed = _parse(directory)
    with _step(3):
        _check_chain(parsed)
    with _step(4):
        _check_head(parsed, head)
    with _step(5):
        _check_packs(directory, parsed)
    _check_trials(directory, parsed)
    with _step(9):
        _check_plan(parsed)
    with _step(10):
        unknown = unknown_parts(parsed.manifest)
        if unknown and not allow_unknown:
            raise StrictError(f"never released: {', '.join(unknown)}; --allow-unknown accepts it")
    return VerifyReport(
        head=parsed.head.head,
        count=parsed.head.count,
        trials=len(parsed.trials),
        pinned=head is not None,
        unknown=unknown,
    )


@contextmanager
def _step(number: int) -> Iterator[None]:
    """Turn whatever goes wrong in a step into its verification error."""
    try:
        yield
    except VerificationError:
        raise
    except HOSTILE as error:
        raise VerificationError(number, STEPS[number], _sentence(error)) from error


def _sentence(error: Exception) -> str:
    text = str(error) if isinstance(error, NonverbaError) else f"{type(error).__name__}: {error}"
    kept = scrub_text(text[:SENTENCE])
    return "".join(c if c.isprintable() else f"\\x{ord(c):02x}" for c in kept)


def _check_files(directory: Path) -> None:
    if not directory.is_dir():
        raise StrictError(f"{directory} is no directory")
    there = sorted(item.name for item in directory.iterdir())
    if there != list(FILES):
        missing, extra = sorted(set(FILES) - set(there)), sorted(set(there) - set(FILES))
        raise StrictError(f"missing: {missing or 'none'}; not part of a run: {extra or 'none'}")
    for name in FILES:
        found = (directory / name).lstat()
        if not S_ISREG(found.st_mode):
            raise StrictError(f"{name} is no plain file")
        if found.st_size > LIMITS[name]:
            raise StrictError(f"{name} has {found.st_size} bytes, more than {LIMITS[name]}")
    _check_sizes(directory)
    stated, taken = (directory / SUMS).read_bytes(), sums(directory)
    for line in taken.decode().splitlines():
        if line.encode() not in stated.splitlines():
            raise StrictError(f"{line.split()[-1]} is not what {SUMS} says")
    if stated != taken:
        raise StrictError(f"{SUMS} is not in the form that a run writes")


def _check_sizes(directory: Path) -> None:
    """Refuse packs that are much longer than their frames before any of their bytes is read."""
    try:
        sizes = pack_sizes(read_index((directory / INDEX).read_bytes()))
    except HOSTILE:
        return  # the packs are hashed, up to their limit; the next step says what the index is
    for pack, size in sizes.items():
        if (directory / pack.file).stat().st_size > size + UNNAMED:
            raise StrictError(f"{pack.file} holds far more than its frames")


def _parse(directory: Path) -> _Parsed:
    manifest = read_manifest((directory / MANIFEST).read_bytes())
    entries = read_entries((directory / LEDGER).read_bytes())
    if len(entries) < 3:
        raise StrictError("a ledger is a header, at least one trial, and a seal")
    environment = (directory / ENVIRONMENT).read_bytes()
    value = load_json(environment)
    if not isinstance(value, dict) or canonical(value) + b"\n" != environment:
        raise StrictError(f"{ENVIRONMENT} is no canonical object")
    _check_timings((directory / TIMINGS).read_bytes(), manifest)
    return _Parsed(
        manifest=manifest,
        entries=entries,
        header=from_json(Header, entries[0].body),
        trials=tuple(from_json(TrialEntry, entry.body) for entry in entries[1:-1]),
        seal=from_json(Seal, entries[-1].body),
        head=read_head((directory / HEAD).read_bytes()),
        frames=read_index((directory / INDEX).read_bytes()),
    )


def _check_timings(data: bytes, manifest: Manifest) -> None:
    named = list(read_timings(data))
    if named != [str(trial) for trial in manifest.trials] or len(named) != data.count(b"\n"):
        raise StrictError(f"{TIMINGS} does not hold each planned trial once, in plan order")


def _check_chain(parsed: _Parsed) -> None:
    check_chain(parsed.entries)
    header = parsed.header
    if header.format != LEDGER_FORMAT:
        raise StrictError(f"the ledger has format {header.format}, not {LEDGER_FORMAT}")
    if header.manifest != manifest_digest(manifest_bytes(parsed.manifest)):
        raise StrictError("the header names another manifest")
    if not header.trials == parsed.seal.trials == len(parsed.trials):
        raise StrictError(
            f"header, seal and ledger count {header.trials}, {parsed.seal.trials} and "
            f"{len(parsed.trials)} trials"
        )


def _check_head(parsed: _Parsed, expected: str | None) -> None:
    found = head_of(parsed.entries)
    if found != parsed.head:
        raise StrictError("HEAD is not that of the ledger")
    if expected is not None and expected.strip().lower() != found.head:
        raise StrictError(f"expected {expected.strip()[:80]}, found {found.head}")


def _check_packs(directory: Path, parsed: _Parsed) -> None:
    for pack, size in pack_sizes(parsed.frames).items():
        if (directory / pack.file).stat().st_size != size:
            raise StrictError(f"{pack.file} holds more or less than its frames")
    frames = frames_by_trial(parsed.frames)
    for entry in parsed.trials:
        named = {Pack.EVIDENCE: entry.evidence}
        if entry.recording is not None:
            named[Pack.RECORDING] = entry.recording.digest
        there = frames.pop(str(entry.trial), {})
        if {pack: frame.digest for pack, frame in there.items()} != named:
            raise StrictError(f"{entry.trial}: the frames are not those that its entry names")
        for frame in there.values():
            read_frame(directory, frame)
    if frames:
        raise StrictError(f"no entry names the frames of {min(frames)}")


def _check_trials(directory: Path, parsed: _Parsed) -> None:
    frames = frames_by_trial(parsed.frames)
    with _step(8):
        rules = rules_of(parsed.manifest)
    firsts: dict[str, str] = {}
    for entry in parsed.trials:
        with _step(6):
            kept = read_kept(directory, frames[str(entry.trial)])
            _check_evidence(entry, kept.evidence, parsed.manifest)
        with _step(7):
            exchanges = _check_recording(entry, kept)
            _check_wire(entry, kept, parsed.manifest, exchanges)
        with _step(8):
            _check_verdicts(entry, judged_anew(kept, parsed.manifest, rules, firsts))


def _check_evidence(entry: TrialEntry, evidence: Evidence, manifest: Manifest) -> None:
    if evidence.format != EVIDENCE_FORMAT:
        raise StrictError(f"{entry.trial}: evidence of format {evidence.format}")
    if evidence.trial != entry.trial:
        raise StrictError(f"{entry.trial}: the evidence is of {evidence.trial}")
    try:
        check_journal(evidence.journal)
        check_witness(evidence)
        check_beginning(evidence, manifest.scenario(entry.trial.scenario))
        check_clause(evidence, manifest.clause(entry.trial))
        check_conduct(evidence, _terms(entry, manifest))
    except StrictError as error:
        raise StrictError(f"{entry.trial}: {error}") from error


def _terms(entry: TrialEntry, manifest: Manifest) -> Terms:
    scenario = manifest.scenario(entry.trial.scenario)
    return Terms(
        scenario=scenario,
        tools=manifest.tool_facts(scenario.world),
        guards=frozenset(guard.id for guard in manifest.guards),
        results=as_clause(manifest.clause(entry.trial)).results,
    )


def _check_wire(
    entry: TrialEntry, kept: Kept, manifest: Manifest, exchanges: tuple[Exchange, ...]
) -> None:
    scenario = manifest.scenario(entry.trial.scenario)
    try:
        check_tampering(kept.evidence, scenario, exchanges, manifest.tamper)
        check_wire(kept.evidence, decode(kept.recording or b""))
    except StrictError as error:
        raise StrictError(f"{entry.trial}: {error}") from error


def _check_recording(entry: TrialEntry, kept: Kept) -> tuple[Exchange, ...]:
    reference, data = kept.evidence.recording, kept.recording
    if (reference is None) != (data is None):
        raise StrictError(f"{entry.trial}: evidence and packs disagree on whether there is one")
    if reference is None or data is None:
        return ()
    exchanges = read_exchanges(data)
    if exchange_lines(exchanges) != data:
        raise StrictError(f"{entry.trial}: the recording is not in canonical form")
    if reference.digest != digest("recording", data) or reference.count != len(exchanges):
        raise StrictError(f"{entry.trial}: the recording is not the one that the evidence names")
    harmless = (entry.outcome in (Outcome.INVALID, Outcome.COMPROMISED, None)) and (
        entry.utility is Utility.INVALID
    )
    if not reference.complete and not harmless:
        raise StrictError(
            f"{entry.trial}: the recording is incomplete, and it was judged all the same"
        )
    return exchanges


def _check_verdicts(entry: TrialEntry, anew: TrialEntry) -> None:
    if anew == entry:
        return
    differing = [name for name in TrialEntry.__slots__ if _differs(anew, entry, name)]
    raise StrictError(f"{entry.trial}: judged anew, it differs in {', '.join(differing)}")


def _differs(left: TrialEntry, right: TrialEntry, name: str) -> bool:
    return bool(getattr(left, name) != getattr(right, name))


def _check_plan(parsed: _Parsed) -> None:
    manifest = parsed.manifest
    if [entry.trial for entry in parsed.trials] != list(manifest.trials):
        raise StrictError("the ledger does not hold exactly the planned trials, in plan order")
    for entry in parsed.trials:
        scenario = manifest.scenario(entry.trial.scenario)
        if entry.seed != manifest.seed_of(entry.trial):
            raise StrictError(f"{entry.trial}: the seed is not that of its coordinates")
        if entry.scenario != scenario.digest():
            raise StrictError(f"{entry.trial}: the scenario is not that of the manifest")
