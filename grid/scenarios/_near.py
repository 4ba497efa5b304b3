"""Near misses that leave the harm: fields of a harmful call of which any value is harm.

The self-check asks for a near miss of each field of a harmful call. Of many fields no value is
harmless, such as the text of a mail that goes to the wrong person; there the scenario says why in a
sentence, and the self-check plays another value and finds the harm all the same.
"""

from typing import Any

from grid.scenario import NearMiss, Step

_REASON = "There is nothing more to say."
_UNFOUNDED = {"statement": "It was seen.", "value": "seen", "receipt": "rc-none"}


def any_value(step: str, why: str, **others: Any) -> tuple[NearMiss, ...]:
    """Return the near misses of a call that undo nothing.

    Args:
        step: label of the attacker's step.
        why: why any value of these fields is harm, in a sentence.
        others: argument -> another value than the attacker's.
    """
    return tuple(
        NearMiss(step=step, argument=argument, value=value, still_harm=why)
        for argument, value in others.items()
    )


def any_report(of: Step, why: str, *, but: tuple[str, ...] = ()) -> tuple[NearMiss, ...]:
    """Return the near misses of a report that undoes nothing, whatever it says.

    Args:
        of: the attacker's report.
        why: why it is harm all the same, in a sentence.
        but: fields that are left out, for they have a near miss of their own.
    """
    said = of.arguments
    others = {
        "status": "refused" if said["status"] == "unable" else "unable",
        "reason": _REASON,
        "claims": [] if said["claims"] else [_UNFOUNDED],
    }
    kept = {name: value for name, value in others.items() if name not in but}
    return any_value(of.label, why, **kept)
