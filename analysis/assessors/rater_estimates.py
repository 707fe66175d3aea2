"""One figure per rater, whether raters were ranked by identical texts or by their agreement with the others."""

from analysis.assessors.consistency import Consistency, OthersAgreement
from analysis.raters.naming import FEWEST_UNITS
from analysis.values.estimate import Estimate

Ranked = Consistency | OthersAgreement
"""How consistent each rater of one measure is."""


def estimates(ranked: Ranked) -> list[Estimate]:
    """How consistent each rater is, in the order of `ranked.raters`."""
    if isinstance(ranked, Consistency):
        return list(ranked.alpha)
    return [
        Estimate(*figures)
        for figures in zip(
            *(array.tolist() for array in (ranked.correlation, ranked.low, ranked.high, ranked.items)),
            ranked.reasons,
            strict=True,
        )
    ]


def best_first(ranked: Ranked) -> list[tuple[int, Estimate]]:
    """Raters whose consistency is defined, the highest first; last those with few items, who may agree by luck."""
    known = [(r, e) for r, e in zip(ranked.raters.tolist(), estimates(ranked), strict=True) if e.defined]
    return sorted(known, key=lambda pair: place(pair[1]))


def place(estimate: Estimate) -> tuple[bool, float, float]:
    """Sort key of a rater, for an order from high to low."""
    return estimate.n < FEWEST_UNITS, -estimate.value, -_low(estimate)


def _low(estimate: Estimate) -> float:
    return estimate.low if estimate.low == estimate.low else estimate.value
