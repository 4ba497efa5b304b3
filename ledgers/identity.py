"""Which model answered: what a provider says of it, and whether that stays the same within a run.

A run asks for a model by name, and its provider says in each answer which one spoke. If that is
another one in the middle of a run, its trials are draws of two models, and no rate over them means
anything: from the first answer of a model in plan order on, a trial with another model id is
invalid, and the provider is answerable. What a planted fault wrote into an answer on its way is not
what the provider said.

A fingerprint tells more of the system behind an id. Providers spread requests over several of
them, so each is kept in the ledger and none makes a trial invalid.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from ledgers.decoded import Decoded


@dataclass(frozen=True, slots=True, kw_only=True)
class Served:
    """What a provider says of the model that answered."""

    model: str
    """Model id; empty if it says none."""
    fingerprint: str
    """Of the system that answered; empty if it says none."""


def served_in(exchanges: Iterable[Decoded]) -> tuple[Served, ...]:
    """Return what the answers of a trial say, each once, in order; those that say nothing aside."""
    told = dict.fromkeys(exchange.served for exchange in exchanges)
    return tuple(
        Served(model=model, fingerprint=fingerprint)
        for model, fingerprint in told
        if model or fingerprint
    )


def other_model(exchanges: Iterable[Decoded], expected: str) -> str:
    """Return why a trial was not answered by the run's model, in a sentence; empty if it was.

    Args:
        exchanges: those of the trial.
        expected: the model id that the run's first answer told; empty: it is this trial's own.
    """
    for served in served_in(exchanges):
        expected = expected or served.model
        if served.model and served.model != expected:
            return f"an answer came from {served.model}, and the run's first from {expected}"
    return ""
