"""One figure per rater, whether raters were ranked by identical texts or by their agreement with the others."""

from collections.abc import Mapping

from analysis.assessors.consistency import Consistency, OthersAgreement
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


FEWEST = 10
"""Items shared with others, or sets of identical texts, of a rater who is named the most or the least consistent."""


def best_first(ranked: Ranked) -> list[tuple[int, Estimate]]:
    """Raters whose consistency is defined, by the lower end of the interval; last those with little to go by.

    A rater with three items in common with others may agree perfectly by luck: the lower end tells.
    """
    known = [(r, e) for r, e in zip(ranked.raters.tolist(), estimates(ranked), strict=True) if e.defined]
    return sorted(known, key=lambda pair: place(pair[1]))


def place(estimate: Estimate) -> tuple[bool, float, float]:
    """What raters are sorted by, the most consistent first."""
    return estimate.n < FEWEST, -_low(estimate), -estimate.value


def ends(ranked: Ranked) -> tuple[tuple[int, Estimate], tuple[int, Estimate]] | None:
    """The rater who is surely the least and the one who is surely the most consistent, with their figures.

    Judged by the upper and by the lower ends; None where no two raters have enough to go by.
    """
    known = [(r, e) for r, e in best_first(ranked) if e.n >= FEWEST]
    if len(known) < 2:
        return None
    return min(known, key=lambda pair: (_high(pair[1]), pair[1].value)), known[0]


def told_apart(both: tuple[tuple[int, Estimate], tuple[int, Estimate]]) -> bool:
    """Whether the intervals of the least and of the most consistent leave room between them."""
    return both[0][1].high < both[1][1].low


def widest(by_measure: Mapping[str, Ranked]) -> str | None:
    """The measure on which raters are furthest apart; None where no two raters can be ranked."""
    spread = {
        measure: both[1][1].value - both[0][1].value
        for measure, ranked in by_measure.items()
        if (both := ends(ranked))
    }
    return max(spread, key=lambda measure: spread[measure]) if spread else None


def _low(estimate: Estimate) -> float:
    return estimate.low if estimate.low == estimate.low else estimate.value


def _high(estimate: Estimate) -> float:
    return estimate.high if estimate.high == estimate.high else estimate.value
