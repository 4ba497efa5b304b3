from dataclasses import replace

import pytest

from grid.errors import ConfigError
from grid.vocabulary import Family
from ledgers import rules
from ledgers.rules import all_rules, leakage, rule_at


def test_each_family_has_its_rule_and_they_stand_in_order() -> None:
    assert [rule.family for rule in all_rules()] == list(Family)


def test_a_rule_is_found_at_its_versions_and_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    assert rule_at("leakage", 1) is leakage.RULE
    with pytest.raises(ConfigError, match="has no version 2 here; it has: 1"):
        rule_at("leakage", 2)
    with pytest.raises(ConfigError, match="Did you mean leakage"):
        rule_at("leakag", 1)
    old = replace(leakage.RULE, version=0)
    monkeypatch.setattr(leakage, "EARLIER", (old,), raising=False)
    assert rule_at("leakage", 0) is old


def test_a_rule_is_named_as_its_module(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leakage, "RULE", replace(leakage.RULE, id="leak"))
    with pytest.raises(ConfigError, match="module 'leakage' calls itself 'leak'"):
        rules._current("leakage")
