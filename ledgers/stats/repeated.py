"""Repeated tries: pass^k of the defender, best-of-k of the attacker, from counts per scenario.

pass^k is the chance that k trials drawn without replacement are all safe, the mean over scenarios
of C(c,k)/C(n,k) (Yao et al., tau-bench, 2024). best-of-k is the chance that at least one of k is
a success of the attack, the mean of 1 - C(n-s,k)/C(n,k). Both are unbiased for k independent
trials, and exact: whole numbers until the one division.
"""

from collections.abc import Sequence
from math import comb, fsum


def pass_k(counts: Sequence[tuple[int, int]], k: int) -> float | None:
    """Return pass^k over scenarios, each given as (safe trials, trials).

    A scenario with fewer than k trials is left out; None if none is left.

    Raises:
        ValueError: k is below 1, or a count is no count.
    """
    found = _shares(counts, k)
    return fsum(found) / len(found) if found else None


def best_of_k(counts: Sequence[tuple[int, int]], k: int) -> float | None:
    """Return best-of-k over scenarios, each given as (successes of the attack, trials).

    A scenario with fewer than k trials is left out; None if none is left.

    Raises:
        ValueError: k is below 1, or a count is no count.
    """
    for hits, n in counts:
        _check(hits, n)
    withstood = pass_k([(n - hits, n) for hits, n in counts], k)
    return None if withstood is None else 1 - withstood


def _shares(counts: Sequence[tuple[int, int]], k: int) -> list[float]:
    if k < 1:
        raise ValueError(f"k must be at least 1, not {k}")
    for hits, n in counts:
        _check(hits, n)
    return [comb(hits, k) / comb(n, k) for hits, n in counts if n >= k]


def _check(hits: int, n: int) -> None:
    if not 0 <= hits <= n:
        raise ValueError(f"a count must lie between 0 and the number of trials, not {hits} of {n}")
