"""One look: a candidate is judged once, with the trials that the baseline fixed, or as planned.

Looking at a growing run until it passes, or fails, errs far more often than is said. So every cell
of a candidate must have exactly the baseline's trials. Where N looks were planned with the
baseline, look K has K parts of N of them, and each look spends one part of N of the error.

The looks that were taken are remembered beside the baseline, with the digests of all trials: a run
that shares one of them with an earlier look at another head is that run grown or cut, and needs a
planned look. The same head again is the same answer and no second look. A candidate that is run
anew needs a seed of its own; how often a model was looked at is said. A run with too many invalid
trials to be gated was not looked at, and is not remembered.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from errno import ENOSPC
from os import strerror, truncate
from pathlib import Path

from grid.canonical import canonical, load_json
from grid.display import visible
from grid.errors import CanonicalError, ConfigError, StrictError
from grid.strict import from_json, to_json
from ledgers.reading import SealedRun

LOOKS = "looks.jsonl"
LIMIT = 64 << 20
"""Bytes that the file may have."""

_NUMBER = re.compile("[1-9][0-9]{0,5}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """One look that was taken: a line of ``looks.jsonl``."""

    baseline: str
    """Head of the baseline."""
    head: str
    """Head of the candidate."""
    model: str
    """Its model."""
    look: int
    """Number of the look, from 1."""
    looks: int
    """Looks that were planned."""
    trials: tuple[str, ...]
    """Digests of the evidence of its trials."""


def read_look(text: str | None, planned: int, *, saved: bool) -> int:
    """Return the number of a look from ``K/N``.

    Args:
        text: what stands after ``--look``; None: it is not given.
        planned: looks that the baseline planned.
        saved: the baseline was saved, so that looks can have been planned.

    Raises:
        ConfigError: it was not planned so.
    """
    if text is None:
        if planned > 1:
            raise ConfigError(
                f"the baseline planned {planned} looks: say which one this is, such as "
                f"--look 1/{planned}",
                "look",
            )
        return 1
    number, slash, of = text.partition("/")
    numbers = [part for part in (number, of) if _NUMBER.fullmatch(part)]
    if not slash or len(numbers) < 2 or int(number) > int(of):
        raise ConfigError(f"--look: write K/N, such as 1/2, not {visible(text)!r}", "look")
    if int(of) != planned:
        how = f"planned {planned}" if saved else "is a plain run, for which none were planned"
        raise ConfigError(
            f"--look {visible(text)}: the baseline {how}; looks are planned before any is taken, "
            f"with `nonverba baseline save DIR --to FOLDER --looks {int(of)}`",
            "look",
        )
    return int(number)


def check_counts(
    before: Mapping[str, int], after: Mapping[str, int], look: int, looks: int
) -> None:
    """Refuse a candidate whose cells do not have the trials that this look is planned with.

    Args:
        before: cell -> trials of the baseline.
        after: the same of the candidate.
        look: number of this look.
        looks: looks that were planned.

    Raises:
        ConfigError: naming a cell.
    """
    for place, count in before.items():
        wanted, found = count * look // looks, after.get(place, 0)
        if found == wanted:
            continue
        which = f"look {look} of {looks}" if looks > 1 else "the baseline"
        how = "looked at early" if found < wanted else "grown"
        raise ConfigError(
            f"the candidate has {found} trials of {visible(place)}, and {which} fixes {wanted}: a "
            f"run that is {how} errs more often than is said. Run it with --trials {wanted}"
            + ("" if looks > 1 else ", or plan several looks with `nonverba baseline save --looks`")
        )


def check_independent(before: SealedRun, after: SealedRun) -> None:
    """Refuse a candidate that is made of the baseline's own trials.

    Raises:
        ConfigError: it shares trials with the baseline.
    """
    shared = {entry.evidence for entry in before.trials} & {
        entry.evidence for entry in after.trials
    }
    if shared:
        raise ConfigError(
            f"{len(shared)} of {len(after.trials)} trials of the candidate are the baseline's own, "
            "bit for bit: that is no second sample. Run it with a seed of its own (`seed = ...` in "
            "the grid)"
        )


def look_at(run: SealedRun, baseline: str, look: int, looks: int) -> Look:
    """Return a look at a run."""
    return Look(
        baseline=baseline,
        head=run.head.head,
        model=run.trials[0].trial.model,
        look=look,
        looks=looks,
        trials=tuple(entry.evidence for entry in run.trials),
    )


def check_first(now: Look, taken: Sequence[Look]) -> None:
    """Refuse a second look that was not planned.

    Raises:
        ConfigError: the run was looked at before, when it had other trials or another number.
    """
    mine = frozenset(now.trials)
    for past in taken:
        if past.head == now.head or past.look < now.look:
            continue
        shared = len(mine.intersection(past.trials))
        if shared:
            which = f"look {past.look} of {past.looks}" if past.looks > 1 else "a look"
            raise ConfigError(
                f"{shared} of {len(now.trials)} trials of the candidate were seen before, in "
                f"{which} at the run with the head {past.head[:16]}...: it is the same run, grown "
                "or cut, and a second look at it errs more often than is said. Run the candidate "
                "anew with a seed of its own (`seed = ...` in the grid), or plan looks with "
                "`nonverba baseline save --looks`"
            )


def read_looks(path: Path, baseline: str) -> tuple[Look, ...]:
    """Read the looks that were taken.

    Raises:
        ConfigError: the file cannot be read, or is about another baseline.
    """
    if path.is_symlink() or (path.exists() and not path.is_file()):
        raise ConfigError(f"{path} is no plain file; take it from version control again")
    if not path.exists():
        return ()
    try:
        with path.open("rb") as file:
            data = file.read(LIMIT + 1)
        return tuple(_lines(data, baseline))
    except (CanonicalError, StrictError, OSError) as error:
        raise ConfigError(
            f"{path} cannot be read: {error}; take it from version control again"
        ) from error


def _lines(data: bytes, baseline: str) -> Iterator[Look]:
    if len(data) > LIMIT:
        raise StrictError(f"it has more than {LIMIT} bytes")
    lines = data.split(b"\n")
    if lines.pop():
        raise StrictError("its last line is cut")
    for line in lines:
        look = from_json(Look, load_json(line))
        if canonical(to_json(look)) != line:
            raise StrictError("a line is not in canonical form")
        if look.baseline != baseline:
            raise StrictError("a look at another baseline stands in it")
        yield look


def remember(path: Path, now: Look, taken: Sequence[Look]) -> None:
    """Write a look down, unless it is there.

    Raises:
        ConfigError: it cannot be written: a look that is not remembered must not be taken.
    """
    if any((past.head, past.look) == (now.head, now.look) for past in taken):
        return
    whole: int | None = None
    try:
        with path.open("ab", buffering=0) as file:
            whole = file.tell()
            line = canonical(to_json(now)) + b"\n"
            if file.write(line) != len(line):
                raise OSError(ENOSPC, strerror(ENOSPC))
    except OSError as error:
        if whole is not None:
            truncate(path, whole)  # half a line would make the file useless to all later looks
        raise ConfigError(
            f"{path}: this look cannot be written down ({error.strerror or error}), and so it is "
            "not taken: make the folder writable"
        ) from error


def times_looked(now: Look, taken: Sequence[Look]) -> int:
    """Return how many other runs of the same model were looked at in the same look."""
    heads = {past.head for past in taken if (past.model, past.look) == (now.model, now.look)}
    return len(heads - {now.head})
