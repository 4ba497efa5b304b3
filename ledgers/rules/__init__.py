"""Rules as code, one file each: a module holds one public constant, RULE.

A module whose rule has had earlier versions holds them in EARLIER, so that old ledgers can still be
judged by the wording of their day.
"""

from functools import cache

from grid.errors import ConfigError
from grid.registry import load, module_names
from grid.vocabulary import Family
from ledgers.rule import Rule


@cache
def all_rules() -> tuple[Rule, ...]:
    """Return every rule at its current version, in the order of verdicts: by family, then by id.

    Raises:
        ConfigError: a module's rule does not have the module's name.
    """
    order = list(Family)
    found = [_current(name) for name in module_names(__name__)]
    return tuple(sorted(found, key=lambda rule: (order.index(rule.family), rule.id)))


def rule_at(identity: str, version: int) -> Rule:
    """Return a rule at one of its versions.

    Raises:
        ConfigError: there is no such rule, or this checkout does not know that version.
    """
    module = load(__name__, identity, "rule")
    versions = {rule.version: rule for rule in (*getattr(module, "EARLIER", ()), module.RULE)}
    if version not in versions:
        known = ", ".join(str(number) for number in sorted(versions))
        raise ConfigError(f"rule {identity!r} has no version {version} here; it has: {known}")
    found: Rule = versions[version]
    return found


def _current(name: str) -> Rule:
    rule: Rule = load(__name__, name, "rule").RULE
    if rule.id != name:
        raise ConfigError(f"the rule in module {name!r} calls itself {rule.id!r}")
    return rule
