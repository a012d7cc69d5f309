"""Whether counts fit the shares that they should have: Pearson's chi-square, for tests with fixed seeds."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Mapping

#: standard deviations of the normal law beyond which counts do not fit: 3 in 100,000 by chance
DEVIATIONS = 4.0


def fits(counts: Mapping[Hashable, int], shares: Mapping[Hashable, float]) -> bool:
    """Nothing but the expected outcomes was counted, and chi-square is below its limit (Wilson, Hilferty)."""
    if not set(counts) <= set(shares):
        return False
    total, weight = sum(counts.values()), sum(shares.values())
    chi_square = 0.0
    for outcome, share in shares.items():
        expected = total * share / weight
        assert expected >= 5, f"too few counts to judge {outcome}"
        chi_square += (counts.get(outcome, 0) - expected) ** 2 / expected
    degrees = len(shares) - 1
    if degrees == 0:
        return True
    spread = 2 / (9 * degrees)
    return chi_square < degrees * (1 - spread + DEVIATIONS * spread**0.5) ** 3


def is_uniform(counts: Mapping[Hashable, int], outcomes: Iterable[Hashable]) -> bool:
    return fits(counts, dict.fromkeys(outcomes, 1))
