"""The baseline that candidates are held against: a verified run, and what was fixed with it.

    FOLDER/run            a copy of the run
    FOLDER/baseline.json  its head, model and trials per cell; margin, error, planned looks; the
                          cells of every gate. Put there last (see `ledgers.baselinefolder`): a
                          folder without it holds no baseline
    FOLDER/looks.jsonl    the looks that were taken (see `ledgers.gatelooks`)

Everything in ``baseline.json`` that follows from the run is worked out again when it is opened, and
the run is verified against the head that stands there. A plain run directory may stand in for a
saved baseline: then the defaults hold, which is said, and no look is remembered.
"""

import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from grid.canonical import canonical, load_json
from grid.display import visible
from grid.errors import CanonicalError, ConfigError, StrictError, VerificationError
from grid.strict import from_json, to_json
from ledgers.baselinefolder import BASELINE, RUN, SAVING, check_folder, fill, is_cut_off
from ledgers.comparable import cells_of
from ledgers.gatelooks import LOOKS
from ledgers.gatepairs import one_model, place_of
from ledgers.gateplan import Planned, planned
from ledgers.reading import SealedRun
from ledgers.store import holds_run, is_sealed
from ledgers.verify import verify

BASELINE_FORMAT = 1
LIMIT = 16 << 20
"""Bytes that ``baseline.json`` may have."""

MARGIN = 0.05
"""Rise of a mean share that is accepted unless another is fixed: five points."""
ALPHA = 0.05
"""Error of each gate unless another is fixed."""
LEAST_ALPHA, MOST_ALPHA = 0.001, 0.2
"""Errors that can be fixed: below, resampling cannot tell one bound from the next. The least one
is also the least part of an error that a look may have."""
MOST_LOOKS = 20
"""Looks that can be planned."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fixed:
    """What is fixed before any candidate is seen."""

    margin: float = MARGIN
    """Rise of a mean share that is accepted."""
    alpha: float = ALPHA
    """Error of each gate, over all looks."""
    looks: int = 1
    """Looks that are planned; each spends its part of the error."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BaselineRecord:
    """The file ``baseline.json``."""

    format: int
    """BASELINE_FORMAT."""
    head: str
    """Head of the run."""
    model: str
    """Its model."""
    trials: dict[str, int]
    """Cell without the model -> its trials."""
    fixed: Fixed
    """Margin, error, looks."""
    families: dict[str, tuple[str, ...]]
    """Gate -> its cells."""
    unreleased: tuple[str, ...] = ()
    """Parts of the run that were never released, and were allowed when it was saved."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Baseline:
    """A baseline that was opened and holds."""

    run: SealedRun
    """The run."""
    plan: tuple[Planned, ...]
    """The gates that it makes."""
    fixed: Fixed
    """Margin, error, looks."""
    looks: Path | None
    """Where looks are remembered; None for a plain run directory."""
    unreleased: tuple[str, ...]
    """Parts that were never released."""


def save_baseline(
    source: Path, folder: Path, fixed: Fixed, *, force: bool = False, allow_unknown: bool = False
) -> BaselineRecord:
    """Verify a run and keep a copy of it as a baseline.

    Raises:
        ConfigError: the run is not finished, has several models or one that does not vary, or the
            folder cannot take it.
        VerificationError: the run does not hold.
    """
    check_fixed(fixed)
    check_finished(source)
    run = SealedRun(source)
    model = one_model(run, "the run")
    _check_looks(run, fixed.looks)
    check_folder(source, folder, force=force)
    report = verify(source, run.head.head, allow_unknown=allow_unknown)
    record = _record(run, model, fixed, report.unknown)
    try:
        fill(
            source,
            folder,
            canonical(to_json(record)) + b"\n",
            lambda copy: verify(copy, report.head, allow_unknown=allow_unknown),
        )
    except OSError as error:
        # a copy of a folder collects what went wrong: (from, to, why) for each file
        why = error.args[0][0][2] if isinstance(error, shutil.Error) else error.strerror or error
        raise ConfigError(
            f"--to: {folder} cannot be written: {why}; name another folder"
        ) from error
    return record


def check_finished(folder: Path) -> None:
    """Refuse what is no finished run.

    Raises:
        ConfigError: with what to do.
    """
    if not holds_run(folder):
        raise ConfigError(f"{folder} holds no run; name the folder that `nonverba run` wrote")
    if not is_sealed(folder):
        raise ConfigError(
            f"{folder} holds an unfinished run, which may not be looked at: run it with --resume "
            "first"
        )


def check_fixed(fixed: Fixed) -> None:
    """Refuse terms under which nothing can be told.

    Raises:
        ConfigError: naming the option.
    """
    if not 0 < fixed.margin < 1:
        raise ConfigError("--margin: write points between 0 and 100, such as 5", "margin")
    if not LEAST_ALPHA <= fixed.alpha <= MOST_ALPHA:
        raise ConfigError(
            f"--alpha: write a share from {LEAST_ALPHA} to {MOST_ALPHA}, such as 0.05", "alpha"
        )
    if not 1 <= fixed.looks <= MOST_LOOKS:
        raise ConfigError(f"--looks: write a number from 1 to {MOST_LOOKS}", "looks")
    if fixed.alpha / fixed.looks < LEAST_ALPHA:
        raise ConfigError(
            f"--looks: {fixed.looks} looks leave each less than {LEAST_ALPHA} of the error "
            f"{fixed.alpha:g}; plan fewer, or an --alpha of {LEAST_ALPHA * fixed.looks:g} or more",
            "looks",
        )


def _check_looks(run: SealedRun, looks: int) -> None:
    for place, count in trials_of(run).items():
        if count % looks:
            raise ConfigError(
                f"--looks: {count} trials of {visible(place)} cannot be parted into {looks} looks "
                "of equally many; plan a number of trials that can"
            )


def _record(run: SealedRun, model: str, fixed: Fixed, unreleased: Sequence[str]) -> BaselineRecord:
    return BaselineRecord(
        format=BASELINE_FORMAT,
        head=run.head.head,
        model=model,
        trials=trials_of(run),
        fixed=fixed,
        families={gate.id: gate.places for gate in plan_of(run)},
        unreleased=tuple(unreleased),
    )


def trials_of(run: SealedRun) -> dict[str, int]:
    """Return how many trials each cell has, by its coordinates without the model."""
    return {place_of(cell): cell.row.trials for cell in cells_of((run,))}


def plan_of(run: SealedRun) -> tuple[Planned, ...]:
    """Return the gates that a run makes."""
    limited = (item.id for item in run.manifest.scenarios if item.known_limit)
    return planned(cells_of((run,)), limited)


def open_baseline(folder: Path) -> Baseline:
    """Open a saved baseline, or a run directory as one, and verify it.

    Raises:
        ConfigError: there is none, or ``baseline.json`` is not what its run makes.
        VerificationError: the run does not hold, or has another head than the one written down.
    """
    if not (folder / BASELINE).is_file():
        return _plain(folder)
    record = read_record(folder / BASELINE)
    try:
        check_finished(folder / RUN)
        report = verify(folder / RUN, record.head, allow_unknown=True)
    except VerificationError as error:
        raise VerificationError(
            error.step, error.name, f"the baseline does not hold: {error.detail}"
        ) from error
    run = SealedRun(folder / RUN)
    again = _record(run, one_model(run, "the baseline"), record.fixed, report.unknown)
    if again != record:
        parts = [name for name in BaselineRecord.__slots__ if _differ(again, record, name)]
        raise ConfigError(
            f"{folder / BASELINE} is not what its run makes, in {', '.join(parts)}: it was changed "
            "or made by another version; run `nonverba baseline save` again"
        )
    return Baseline(
        run=run,
        plan=plan_of(run),
        fixed=record.fixed,
        looks=folder / LOOKS,
        unreleased=record.unreleased,
    )


def _differ(left: BaselineRecord, right: BaselineRecord, name: str) -> bool:
    return bool(getattr(left, name) != getattr(right, name))


def _plain(folder: Path) -> Baseline:
    if ((folder / RUN).exists() or (folder / SAVING).exists()) and not holds_run(folder):
        how = "" if is_cut_off(folder) else " with --force"
        raise ConfigError(
            f"--baseline: {folder} has no {BASELINE}: saving was cut off; run `nonverba baseline "
            f"save` again{how}"
        )
    check_finished(folder)
    report = verify(folder, allow_unknown=True)
    run = SealedRun(folder)
    one_model(run, "the baseline")
    return Baseline(
        run=run, plan=plan_of(run), fixed=Fixed(), looks=None, unreleased=report.unknown
    )


def read_record(path: Path) -> BaselineRecord:
    """Read ``baseline.json`` strictly.

    Raises:
        ConfigError: it cannot be read, or is not of this form.
    """
    try:
        with path.open("rb") as file:
            data = file.read(LIMIT + 1)
        value = load_json(data, limit=LIMIT)
        record = from_json(BaselineRecord, value)
        if canonical(to_json(record)) + b"\n" != data:
            raise StrictError("/: it is not in canonical form")
        if record.format != BASELINE_FORMAT:
            raise StrictError(f"/format: expected {BASELINE_FORMAT}, found {record.format}")
    except (CanonicalError, StrictError, OSError) as error:
        raise ConfigError(f"{path} cannot be read: {error}") from error
    check_fixed(record.fixed)
    return record
