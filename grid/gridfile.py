"""Reading a grid file (TOML) and crossing its axes into a plan.

Strict: an unknown key, a wrong type or an unknown name is refused with file, line, key and what to
write instead. The published JSON Schema is ``grid/grid.schema.json``.
"""

import difflib
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from importlib.resources import files
from itertools import product
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator

from grid.adapters import SCRIPTED, check_framework, framework_names, is_native
from grid.canonical import load_json, text_json
from grid.cast import PREFIX
from grid.catalogue import numbers, scenario, scenarios_of, why_not
from grid.clauses import clause_for
from grid.display import visible
from grid.errors import CanonicalError, ConfigError
from grid.evidence import TrialId
from grid.extensions import clause_ids
from grid.guards import all_guards
from grid.guardsetting import UNCONFIGURED, checked_setting, read_setting
from grid.models import check_model, is_scripted
from grid.plan import Plan
from grid.registry import unknown
from grid.scenario import TWIN_SUFFIX, Scenario, Tamper
from grid.system import BASE
from grid.tamperblocks import read_block

FAULT = "scripted/fault"
"""Model name that stands for the persona with the fault that a scenario looks for."""

BROKEN_WIRE = "scripted/broken-wire/"

TABLES = ("cells", "tamper")
"""Tables of a grid file that may stand in it several times."""

_DEFAULTS: dict[str, Any] = {
    "cases": ["attack"],
    "clauses": ["none"],
    "guards": ["off", "on"],
    "languages": ["en"],
    "trials": 1,
}


_FIELDS = {"personas": "models", "guard settings": "guards", "variants": "scenarios"}
"""Name of a registry's list -> key of a block."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """One [[cells]] block with its defaults filled in."""

    scenarios: tuple[str, ...]
    """Ids of scenarios and variants."""
    cases: tuple[str, ...]
    """attack, benign."""
    frameworks: tuple[str, ...]
    """Adapter names."""
    models: tuple[str, ...]
    """Model ids."""
    clauses: tuple[str, ...]
    """Clause ids."""
    guards: tuple[str, ...]
    """Guard settings."""
    languages: tuple[str, ...]
    """Languages."""
    trials: int
    """Repetitions of each cell."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GridFile:
    """A grid file as read."""

    name: str
    """Name of the grid."""
    seed: int
    """Seed."""
    blocks: tuple[Block, ...]
    """Blocks, in order."""
    tamper: tuple[Tamper, ...] = ()
    """What is planted on the wire of every trial."""


def demo_text() -> str:
    """Return the text of the demo grid."""
    return files("grid").joinpath("demo.toml").read_text(encoding="utf-8")


def chosen_grid(names: Sequence[str]) -> GridFile:
    """Return the grid of scenarios that were named without a grid file.

    Each with its twin, the persona with its fault beside the honest one, guards off and on, in the
    three frameworks and in English; axis flags replace any of these.
    """
    scenarios = _scenarios(names)
    models = (FAULT, PREFIX + "honest")
    block = _block({"scenarios": scenarios, "cases": ["attack", "benign"], "models": models})
    first = scenarios[0].partition(".")[0]
    alone = all(name.partition(".")[0] == first for name in scenarios)
    return GridFile(name=first if alone else "chosen", seed=1, blocks=(block,))


def schema() -> dict[str, Any]:
    """Return the published JSON Schema of grid files."""
    text = files("grid").joinpath("grid.schema.json").read_text(encoding="utf-8")
    loaded: dict[str, Any] = load_json(text)
    return loaded


def read_grid(text: str, source: str, folder: Path | None = None) -> GridFile:
    """Read the text of a grid file, and load clauses that it names by paths from its folder.

    Raises:
        ConfigError: with file, line, key and what to write instead.
    """
    try:
        data = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise ConfigError(f"{source}: not TOML: {error}. Write 'key = value' lines.") from error
    problems = sorted(
        Draft202012Validator(schema()).iter_errors(data),
        key=lambda error: (error.validator != "additionalProperties", str(error.json_path)),
    )
    if problems:
        raise _schema_error(text, source, problems[0])

    def each[T](table: str, read: Callable[[Mapping[str, Any]], T]) -> Iterator[T]:
        for index, block in enumerate(data.get(table, ())):
            try:
                yield read(block)
            except ConfigError as error:
                field = _FIELDS.get(error.field, error.field)
                named = f"{field}: " if field else ""
                place = _place(text, source, (table, index), field)
                raise ConfigError(f"{place}: {named}{error}", field) from error

    return GridFile(
        name=data["name"],
        seed=data.get("seed", 1),
        blocks=tuple(each("cells", partial(_block, folder=folder))),
        tamper=tuple(each("tamper", read_block)),
    )


def with_axes(grid: GridFile, axes: Mapping[str, Any]) -> GridFile:
    """Return the grid with axes replaced in every block (None and empty leave an axis as it is).

    Of a grid that holds a wanted scenario, only the blocks that hold it run it; one that stands in
    no block is run by every block.
    """
    wanted = {name: value for name, value in axes.items() if value}
    if "guards" in wanted:
        wanted["guards"] = _settings(wanted["guards"])
    chosen = _scenarios(wanted.pop("scenarios")) if "scenarios" in wanted else ()
    holding = [
        replace(block, scenarios=held)
        for block in grid.blocks
        if (held := tuple(name for name in chosen if name in block.scenarios))
    ]
    held_somewhere = {name for block in grid.blocks for name in block.scenarios}
    rest = tuple(name for name in chosen if name not in held_somewhere)
    if rest:
        of_rest = (replace(block, scenarios=rest) for block in grid.blocks)
        holding += of_rest if "languages" in wanted else _in_own_languages(of_rest)
    if not chosen:
        holding = list(grid.blocks)
    blocks = tuple(replace(block, **wanted) for block in holding)
    for block in blocks:
        _check_names(block)
    return replace(grid, blocks=blocks)


def _in_own_languages(blocks: Iterable[Block]) -> Iterator[Block]:
    """Leave out, of a grid that was not written for a scenario, the languages that it has not."""
    for block in blocks:
        for name in block.scenarios:
            written = scenario(name).turns[0].prompt
            if languages := tuple(word for word in block.languages if word in written):
                yield replace(block, scenarios=(name,), languages=languages)


def cross(grid: GridFile, family: str | None = None) -> Plan:
    """Cross the axes of every block into a plan; each trial stands in it once.

    Args:
        grid: the grid.
        family: only scenarios of this family.

    Raises:
        ConfigError: nothing is left, or a combination cannot be run.
    """
    asked = dict.fromkeys(
        trial
        for block in grid.blocks
        for trial in _trials(block)
        if family is None or scenario(trial.scenario).family.value == family
    )
    trials = tuple(trial for trial in asked if not why_not(_of(trial), trial.framework))
    if not trials:
        reasons = [*left_out(grid), "no scenario of it fits the chosen axes"]
        raise ConfigError(f"the grid holds no trial: {reasons[0]}")
    return Plan(name=grid.name, seed=grid.seed, trials=trials, tamper=grid.tamper)


def left_out(grid: GridFile) -> tuple[str, ...]:
    """Return which scenarios of a grid are left out in which framework, and why, in sentences."""
    asked = (trial for block in grid.blocks for trial in _trials(block))
    told = (
        f"{_of(trial).number} cannot be run in {trial.framework}: {reason}"
        for trial in asked
        if (reason := why_not(_of(trial), trial.framework))
    )
    return tuple(dict.fromkeys(told))


def idle_guards(plan: Plan) -> tuple[str, ...]:
    """Return which guards an ablation names although no scenario of the plan configures them."""
    named = {
        guard
        for trial in plan.trials
        for guard in read_setting(trial.guards).named or ()
        if guard != UNCONFIGURED
    }
    used = {guard for trial in plan.trials for guard in _of(trial).policy}
    return tuple(
        f"no scenario here configures the guard {guard!r}: leaving it out, or asking it alone, "
        "shows nothing about it"
        for guard in sorted(named - used)
    )


def _of(trial: TrialId) -> Scenario:
    return scenario(trial.scenario)


def _trials(block: Block) -> Iterator[TrialId]:
    cells = product(
        block.scenarios,
        block.cases,
        block.frameworks,
        block.models,
        block.clauses,
        block.guards,
        block.languages,
        range(block.trials),
    )
    for module, case, framework, model, clause, guards, language, number in cells:
        identity = module.partition(".")[0] + TWIN_SUFFIX if case == "benign" else module
        known = scenario(identity).turns[0].prompt
        if language not in known:
            raise ConfigError(
                f"scenario {module!r} is not written in {language!r}; it has: {', '.join(known)}",
                "languages",
            )
        clause_for(clause, language)
        yield TrialId(
            scenario=identity,
            framework=framework,
            model=_model(identity, model),
            clause=clause,
            guards=guards,
            language=language,
            number=number,
        )


def _model(identity: str, model: str) -> str:
    if model != FAULT:
        return model
    return PREFIX + (scenario(identity).truth.fault or "honest")


def _block(data: Mapping[str, Any], folder: Path | None = None) -> Block:
    real = [name for name in framework_names() if name != SCRIPTED and not is_native(name)]
    filled = {"frameworks": real} | _DEFAULTS | dict(data)
    lists = {key: tuple(value) for key, value in filled.items() if key != "trials"}
    lists["scenarios"] = _scenarios(lists["scenarios"])
    lists["guards"] = _settings(lists["guards"])
    lists["clauses"] = clause_ids(lists["clauses"], folder)
    block = Block(trials=filled["trials"], **lists)
    _check_names(block)
    return block


def _scenarios(names: Sequence[str]) -> tuple[str, ...]:
    if "all" in names:
        return tuple(numbers().values())
    return tuple(dict.fromkeys(found for name in names for found in scenarios_of(name)))


def _settings(texts: Sequence[str]) -> tuple[str, ...]:
    known = [guard.id for guard in all_guards()]
    return tuple(dict.fromkeys(checked_setting(text, known) for text in texts))


def _check_names(block: Block) -> None:
    _check_words("language", block.languages, list(BASE))
    for framework in block.frameworks:
        check_framework(framework)
    for model in block.models:
        if model != FAULT:
            check_model(model)
        if SCRIPTED in block.frameworks and (
            model.startswith(BROKEN_WIRE) or not is_scripted(model)
        ):
            what = "breaks its call on the wire" if is_scripted(model) else "is asked on a wire"
            raise ConfigError(
                f"{model!r} {what}, and the framework 'scripted' has none; write a real framework",
                "models",
            )
    for clause in block.clauses:
        for language in block.languages:
            clause_for(clause, language)


def _check_words(what: str, words: Sequence[str], known: Sequence[str]) -> None:
    for word in words:
        if word not in known:
            raise unknown(what, word, known)


def _schema_error(text: str, source: str, problem: Any) -> ConfigError:
    path = [part for part in problem.absolute_path]
    block = (path[0], path[1]) if len(path) > 1 and path[0] in TABLES else None
    key = next((str(part) for part in reversed(path) if isinstance(part, str)), "")
    if problem.validator == "additionalProperties":
        known = ", ".join(sorted(problem.schema["properties"]))
        extra = sorted(set(problem.instance) - set(problem.schema["properties"]))[0]
        near = difflib.get_close_matches(extra, problem.schema["properties"], n=1)
        hint = f"did you mean {near[0]!r}? " if near else ""
        return ConfigError(
            f"{_place(text, source, block, extra)}: there is no key {extra!r}; {hint}"
            f"Write one of: {known}"
        )
    if problem.validator == "required":
        missing = next(name for name in problem.schema["required"] if name not in problem.instance)
        return ConfigError(
            f"{_place(text, source, block, '')}: the key {missing!r} is missing. "
            f"{_description(missing)}"
        )
    named = f"{key}: " if key else ""
    why = "holds a word twice" if problem.validator == "uniqueItems" else "does not fit"
    return ConfigError(
        f"{_place(text, source, block, key)}: {named}{_shown(problem.instance)} {why}. "
        f"{_description(key)}"
    )


def _shown(value: Any) -> str:
    """Return a value of a grid file as TOML writes it, shortened."""
    if isinstance(value, dict):
        return "a table"
    try:
        return visible(text_json(value), 60)
    except CanonicalError:  # a date, or a number that JSON cannot hold
        return visible(str(value), 60)


def _description(key: str) -> str:
    whole = schema()
    kinds = (whole["$defs"][name]["properties"] for name in ("fault", "block"))
    properties = whole["properties"] | {name: of for kind in kinds for name, of in kind.items()}
    text = properties.get(key, {}).get("description", "")
    return f"Write {text[:1].lower()}{text[1:]}" if text else ""


def _place(text: str, source: str, block: tuple[str, int] | None, key: str) -> str:
    """Return ``file, line N`` of a key, or of the block's head when the key is not there.

    A block is named by its table and its number there; None: the key stands outside of all.
    """
    lines = text.splitlines()
    start, end = 0, len(lines)
    if block is not None:
        table, number = block
        heads = [i for i, line in enumerate(lines) if re.match(r"\s*\[\[", line)]
        own = [i for i in heads if re.match(rf"\s*\[\[\s*{table}\s*\]\]", lines[i])]
        if number < len(own):
            start = own[number]
            end = next((i for i in heads if i > start), len(lines))
    head = rf"\s*(\[\s*{re.escape(key)}\s*\]|{re.escape(key)}\s*=)"
    found = next(
        (i for i in range(start, end) if key and re.match(head, lines[i])),
        start,
    )
    return f"{source}, line {found + 1}"
