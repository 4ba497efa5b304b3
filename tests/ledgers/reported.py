"""What tests of reported failures share: judging calls, reading verdicts, a tool layer."""

from dataclasses import replace
from typing import Any

import tests.builders as built
from grid.scenario import Scenario
from grid.toollayer import LayerSettings, ToolLayer
from ledgers.adjudicate import Judgement, judge
from ledgers.rule import RuleVerdict
from tests.builders import case, exchanges, journal


def judged(of: Scenario, calls: Any, words: str = "All done.", **said: Any) -> Judgement:
    """Judge a trial whose recording fits its calls."""
    wire = said.pop("wire", None) or exchanges(calls, words)
    return judge(case(of, journal(calls, answers=len(wire), final_text=words, **said), wire=wire))


def verdict(of: Judgement, rule: str) -> RuleVerdict:
    """Return the verdict of one rule."""
    return next(item for item in of.verdicts if item.rule == rule)


def layer(**changed: Any) -> ToolLayer:
    """Return a tool layer over the builders' tools."""
    settings = LayerSettings(
        seed=built.SEED, tables={"reports": {}}, tools=built.TOOLS, guards=(), stops=False,
        policy={}, user_text=built.PROMPT, turn_limit=9,
    )  # fmt: skip
    return ToolLayer(replace(settings, **changed))
