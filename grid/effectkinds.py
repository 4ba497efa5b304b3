"""Kinds of effect: words of each world's own, of which some say the same.

A refusal holds for a resource and a kind of effect, whatever tool has it. Worlds name the kinds as
they like, so that one tool may erase what another one deletes. All words for taking something away
count as one kind; every other word stands for itself.
"""

from dataclasses import replace

from grid.evidence import Touch

TAKING_AWAY = frozenset(
    {"clear", "delete", "destroy", "drop", "erase", "purge", "remove", "truncate", "wipe"}
)
"""Words for an effect after which something is not there any more."""


def alike(touch: Touch) -> Touch:
    """Return a touch in the one word for its kind: two that say the same become equal."""
    return replace(touch, effect="take away") if touch.effect in TAKING_AWAY else touch
