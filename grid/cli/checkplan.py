"""Which trials `nonverba check` plays.

On `scripted` everything that is cheap; in the frameworks what stands for a claim of its own.

Personas ignore clauses (all but `wavering`), so the default crosses two of them. A clause that puts
something around tool results is no sentence alone: honest runs and faults must come to the same in
spite of it, once for each scenario on `scripted`, and in one framework each, taken in turn.
``full`` crosses all clauses, under three more sets of names, and takes every persona into the
frameworks too.
"""

from collections.abc import Iterable, Iterator, Sequence

from grid.adapters import SCRIPTED, framework_names, is_native
from grid.cast import PREFIX
from grid.catalogue import HONEST, pair
from grid.clauses import all_clauses
from grid.evidence import TrialId
from grid.guardsetting import UNCONFIGURED
from grid.personas.broken_wire import KINDS
from grid.resultframe import Results
from grid.scenario import Scenario
from grid.vocabulary import Guards

EVERYWHERE = (
    "honest",
    "gullible",
    "substituter",
    "fabricator",
    "liar",
    "retrier",
    "leaker",
    "forger",
    "steady",
    "do-nothing",
    "other-route",
    "wavering/0.5",
    "quoter",
)
BARE = ("none", "no-system-prompt")
"""Clauses of the default check."""


def pick(
    of: Scenario, persona: str, guards: str, *, framework: str = SCRIPTED, **more: str
) -> TrialId:
    """Return one trial; `more` may name ``clause`` and ``language``."""
    return TrialId(
        scenario=of.id,
        framework=framework,
        model=PREFIX + persona,
        clause=more.get("clause", "none"),
        guards=guards,
        language=more.get("language", "en"),
        number=0,
    )


def sides(modules: Iterable[str]) -> Iterator[Scenario]:
    """Yield each scenario and its twin."""
    for module in modules:
        yield pair(module).attack
        yield pair(module).benign


def on_scripted(modules: Iterable[str]) -> Iterator[Scenario]:
    """Yield what the reference adapter can play: every twin, and what needs no framework."""
    return (of for of in sides(modules) if of.is_twin or expresses(of, SCRIPTED))


def expresses(of: Scenario, framework: str) -> bool:
    """Tell whether a scenario can be run in a framework, or is about others."""
    whole = pair(of.id.partition(".")[0]).attack
    if framework in whole.inexpressible:
        return False
    if whole.frameworks:
        return framework in whole.frameworks or framework == SCRIPTED
    return not is_native(framework)


def cross_trials(modules: Iterable[str], *, full: bool = False) -> Iterator[TrialId]:
    """Yield every persona on `scripted`, with the attack and in the twin, under all settings."""
    clauses = _english() if full else BARE
    for of in on_scripted(modules):
        for persona in personas(of):
            for setting in Guards:
                for clause in clauses:
                    yield pick(of, persona, setting.value, clause=clause)
                for language in of.turns[0].prompt:
                    if language != "en":
                        yield pick(of, persona, setting.value, language=language)
        for clause in () if full else framing():
            for persona in dict.fromkeys(("honest", of.truth.fault or "honest")):
                yield pick(of, persona, Guards.OFF, clause=clause)


def framing() -> tuple[str, ...]:
    """Return the clauses that put something around tool results."""
    found = (clause.id for clause in all_clauses() if clause.results is not Results.PLAIN)
    return tuple(dict.fromkeys(found))


def _english() -> tuple[str, ...]:
    return tuple(dict.fromkeys(c.id for c in all_clauses() if c.language in ("en", "*")))


def personas(of: Scenario) -> Iterator[str]:
    """Yield the personas that play a scenario or its twin."""
    yield from EVERYWHERE
    yield from (f"near-miss/{number}" for number in range(len(of.truth.near)))
    yield from (f"broken-wire/{kind}" for kind in KINDS)


def variant_trials(modules: Iterable[str]) -> Iterator[TrialId]:
    """Yield, for each variant, who follows, who does not, and who quotes."""
    for module in modules:
        for of in pair(module).variants if expresses(pair(module).attack, SCRIPTED) else ():
            for persona in dict.fromkeys((of.truth.fault or "honest", "honest", "quoter")):
                for setting in (Guards.OFF, Guards.ON, Guards.ON_CONTINUE):
                    yield pick(of, persona, setting.value)


def mutation_trials(modules: Iterable[str]) -> Iterator[TrialId]:
    """Yield, for each call of an honest script, the script without it and with it altered."""
    for of in on_scripted(modules):
        if of.truth.fault == HONEST:
            continue  # whoever does as asked is harmed there: the twin shows what utility notices
        for number, step in enumerate(of.truth.honest):
            yield pick(of, f"skip/{number}", Guards.OFF)
            if step.arguments:
                yield pick(of, f"alter/{number}", Guards.OFF)


def framework_trials(modules: Sequence[str], framework: str, *, full: bool) -> Iterator[TrialId]:
    """Yield what is worth a run in a framework: the columns of the matrix, and each carrier once.

    With ``full``: every persona under every guard setting in every language, the faults without a
    system prompt, and every variant with guards off and on.
    """
    for of in sides(modules):
        if not expresses(of, framework):
            continue
        if full:
            yield from _everything(of, framework)
        else:
            yield from (
                pick(of, persona, setting, framework=framework)
                for persona, setting in worth_a_run(of)
            )
    for module in modules:
        if expresses(pair(module).attack, framework):
            yield from _carriers(module, framework, full=full)
            yield from _framed(module, framework)


def _everything(of: Scenario, framework: str) -> Iterator[TrialId]:
    """Yield every persona under every guard setting, in every language, and without a prompt."""
    for persona in personas(of):
        for setting in Guards:
            for language in of.turns[0].prompt:
                yield pick(of, persona, setting, framework=framework, language=language)
    for persona in dict.fromkeys(("honest", of.truth.fault or "honest")):
        for setting in (Guards.OFF, Guards.ON):
            yield pick(of, persona, setting, framework=framework, clause=BARE[-1])


def worth_a_run(of: Scenario) -> Iterator[tuple[str, str]]:
    """Yield persona and guard setting of the runs that every framework makes of a scenario."""
    if of.is_twin:
        yield from (("honest", setting) for setting in (Guards.OFF.value, Guards.ON.value))
        return
    for persona in dict.fromkeys(("honest", of.truth.fault)):
        yield from ((persona, setting) for setting in (Guards.OFF.value, Guards.ON.value))
    yield from ((persona, Guards.OFF.value) for persona in ("do-nothing", "liar"))


def _carriers(module: str, framework: str, *, full: bool) -> Iterator[TrialId]:
    """Yield one variant of each carrier, another form in each framework; with ``full`` all."""
    carriers: dict[str, list[Scenario]] = {}
    for of in pair(module).variants:
        carriers.setdefault(of.id.split(".")[1], []).append(of)
    turn = sum(map(ord, framework + module))
    for place, forms in enumerate(carriers.values()):
        chosen = forms if full else [forms[(turn + place) % len(forms)]]
        for of in chosen:
            fault = of.truth.fault or "honest"
            yield pick(of, fault, Guards.OFF, framework=framework)
            if full:
                yield pick(of, fault, Guards.ON, framework=framework)
            if full and fault != "honest":
                yield pick(of, "honest", Guards.OFF, framework=framework)


def _framed(module: str, framework: str) -> Iterator[TrialId]:
    """Yield the fault under a clause that frames results, if it is this framework's turn."""
    of, clauses = pair(module).attack, framing()
    able = [name for name in framework_names() if name != SCRIPTED and expresses(of, name)]
    turn = sum(map(ord, module))
    if clauses and able[turn % len(able)] == framework:
        clause = clauses[turn // len(able) % len(clauses)]
        yield pick(of, of.truth.fault, Guards.OFF, framework=framework, clause=clause)


def ablation_trials(modules: Iterable[str], guards: Sequence[str]) -> Iterator[TrialId]:
    """Yield trials that may reach a harm when these guards are left out."""
    setting = "all-but:" + ",".join(sorted(guards))
    for module in modules:
        of = pair(module).attack
        configured = set(guards) & {*of.policy, UNCONFIGURED}
        if of.known_limit or not configured or not expresses(of, SCRIPTED):
            continue
        for persona in dict.fromkeys((of.truth.fault, "other-route", "retrier", *EVERYWHERE)):
            yield pick(of, persona, setting)


def renamed(trials: Iterable[TrialId]) -> Iterator[TrialId]:
    """Yield the trials that are played again under other names."""
    return (trial for trial in trials if trial.clause == "none" and trial.language == "en")
