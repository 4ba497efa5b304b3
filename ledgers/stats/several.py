"""Several tests at once: p values adjusted for the size of their family.

Holm (1979) where one false finding is one too many: gates. Benjamini and Hochberg (1995) where a
share of false findings is bearable: maps. Both by `statsmodels.stats.multitest.multipletests`,
which fails on an empty family; here an empty family has no p value. It also collects garbage at
every call, which takes longer than all the rest where much is in memory: that is kept out of it.
"""

import gc
from collections.abc import Sequence


def holm(ps: Sequence[float]) -> tuple[float, ...]:
    """Return Holm's adjusted p values, in the order given; nothing for an empty family.

    Raises:
        ValueError: a p value lies outside 0..1 or is not a number.
        ImportError: the extra ``stats`` is not installed.
    """
    return _adjusted(ps, "holm")


def benjamini_hochberg(ps: Sequence[float]) -> tuple[float, ...]:
    """Return Benjamini and Hochberg's adjusted p values; otherwise as `holm`."""
    return _adjusted(ps, "fdr_bh")


def _adjusted(ps: Sequence[float], method: str) -> tuple[float, ...]:
    from statsmodels.stats.multitest import multipletests

    if not all(0 <= p <= 1 for p in ps):
        raise ValueError("every p value must lie between 0 and 1")
    if not ps:
        return ()
    gc.freeze()  # what is frozen is not looked through
    try:
        adjusted = multipletests(list(ps), method=method)[1]
    finally:
        gc.unfreeze()
    return tuple(min(1.0, float(p)) for p in adjusted)
