"""`nonverba compare`: which arm helps, where, by how much, how surely, and at what cost.

Reads finished runs and writes nothing but the picture that is asked for. Refused, with exit code 2,
is what has not one yardstick: an unfinished run, other scenarios, rules, tools, guards or faults,
deterministic personas, another parameter of a persona. Where no trial can show harm on both sides,
the exit code is 3. A ledger whose chain is broken is refused too; whether its verdicts are those of
its evidence is for `nonverba verify`.
"""

from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from grid.cast import PREFIX
from grid.cli.comparemarkdown import markdown, plain_code
from grid.cli.comparepicture import check_picture, write_picture
from grid.cli.comparetables import notes, tables
from grid.cli.comparewords import Words, answer
from grid.cli.console import say, show_json, show_table, tell
from grid.cli.extras import needing
from grid.display import visible
from grid.errors import CanonicalError, ConfigError, StrictError
from grid.strict import to_json
from grid.tamperblocks import told
from ledgers.chain import check_chain, head_of, read_entries
from ledgers.comparable import Measure, cells_of, check_one_measure, check_sampled
from ledgers.compare_arms import Axis, Question
from ledgers.comparison import Comparison, compare
from ledgers.reading import SealedRun
from ledgers.store import LEDGER, holds_run, is_sealed


class Safety(StrEnum):
    """What arms are compared in."""

    HARM = Measure.HARM.value
    FOLLOWED = Measure.FOLLOWED.value


def compare_command(
    directories: Annotated[
        list[Path], typer.Argument(metavar="DIR...", help="Run directories; all are one grid.")
    ],
    by: Annotated[Axis, typer.Option("--by", help="What is compared.")],
    baseline: Annotated[
        str,
        typer.Option(
            "--baseline",
            help="What the others are compared with; none for clauses, off for guards.",
        ),
    ] = "",
    measure: Annotated[
        Safety,
        typer.Option(
            "--measure",
            help="harm: it holds in the tool layer. followed: the agent made the harmful call, "
            "refused or not.",
        ),
    ] = Safety.HARM,
    full: Annotated[
        bool, typer.Option("--full", help="Every scenario of every arm in a table of its own.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    as_markdown: Annotated[
        bool, typer.Option("--markdown", help="Print Markdown, for pasting.")
    ] = False,
    picture: Annotated[
        Path | None,
        typer.Option("--picture", help="Also draw it: a file that ends in .svg, .png or .html."),
    ] = None,
) -> None:
    """Compare clauses, models, frameworks or guard settings, with statistics."""
    if as_json and as_markdown:
        raise ConfigError("--json and --markdown: choose one of them")
    if picture is not None:
        check_picture(picture, directories)
    runs = [_open(path) for path in directories]
    question = Question(axis=by, measure=Measure(measure.value), baseline=baseline)
    numbers = _numbers(runs)
    with needing("compare", "stats"):
        found = _compare(runs, question)
        if picture is not None:
            write_picture(picture, found, numbers)
            tell(f"picture written to {visible(str(picture))}")
    said = tuple(_about(runs))
    if as_json:
        show_json(_data(runs, found))
    elif as_markdown:
        words = Words(named=plain_code, numbers=numbers)
        say(markdown(found, words, said, full=full))
    else:
        _show(found, Words(named=visible, numbers=numbers), said, full=full)


def _open(path: Path) -> SealedRun:
    if holds_run(path) and not is_sealed(path):
        raise ConfigError(
            f"{path} holds a run that has not finished, and half a run is no sample: go on with it "
            f"first, by `nonverba run GRID.toml -o {path} --resume`"
        )
    run = SealedRun(path)
    _check_chain(run)
    return run


def _check_chain(run: SealedRun) -> None:
    """Refuse a ledger that was edited: its chain and its head must be of one piece.

    Packs are not read, so this is no `verify`; it takes no time.
    """
    try:
        entries = read_entries((run.path / LEDGER).read_bytes())
        check_chain(entries)
        if head_of(entries) != run.head:
            raise StrictError("HEAD is not that of the ledger")
    except (CanonicalError, StrictError, OSError) as error:
        raise ConfigError(
            f"{run.path} does not hold: {error}; `nonverba verify` names the step"
        ) from error


def _compare(runs: Sequence[SealedRun], question: Question) -> Comparison:
    check_one_measure(runs)
    cells = cells_of(runs)
    check_sampled(dict.fromkeys(cell.model for cell in cells))
    return compare(cells, question)


def _numbers(runs: Sequence[SealedRun]) -> dict[str, str]:
    """Return the number of each scenario, also for its variants and its twin."""
    return {
        scenario.id.partition(".")[0]: scenario.number
        for run in runs
        for scenario in run.manifest.scenarios
    }


def _about(runs: Sequence[SealedRun]) -> list[str]:
    """Say what the reader must know of the runs."""
    said = []
    models = {entry.trial.model for run in runs for entry in run.trials}
    if any(model.startswith(PREFIX) for model in models):
        said.append(
            "scripted/... are personas whose odds a clause changes by a built-in share: such a "
            "comparison shows how the statistics read, and is no finding about a clause"
        )
    first = runs[0].manifest  # the others do not differ in these, or they would be refused
    if first.source is not None:
        said.append(visible(first.source.sentence()))
    said += [
        f"planted on the wire of every trial, where it has it: {visible(told(tamper))}"
        for tamper in first.tamper
    ]
    return said


def _data(runs: Sequence[SealedRun], found: Comparison) -> dict[str, Any]:
    named = [{"name": run.manifest.name, "head": run.head.head} for run in runs]
    return {"runs": named, **to_json(found)}


def _show(found: Comparison, words: Words, said: Sequence[str], *, full: bool) -> None:
    for arm in found.arms:
        say(answer(arm, found, words))
    say()
    for table in tables(found, words, full=full):
        show_table(table.title, table.heads, table.rows)
    for note in (*notes(found, words), *said):
        say(note)
