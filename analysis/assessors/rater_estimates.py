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


def best_first(ranked: Ranked) -> list[tuple[int, Estimate]]:
    """Raters whose consistency is defined, the most consistent first."""
    known = [(r, e) for r, e in zip(ranked.raters.tolist(), estimates(ranked), strict=True) if e.defined]
    return sorted(known, key=lambda pair: -pair[1].value)


def ends(ranked: Ranked) -> tuple[tuple[float, int], tuple[float, int]] | None:
    """Figure and rater of the least and of the most consistent; None where no two raters can be ranked."""
    known = [(e.value, r) for r, e in best_first(ranked)]
    return (min(known), max(known)) if len(known) > 1 else None


def widest(by_measure: Mapping[str, Ranked]) -> str | None:
    """The measure on which raters are furthest apart; None where no two raters can be ranked."""
    spread = {
        measure: both[1][0] - both[0][0] for measure, ranked in by_measure.items() if (both := ends(ranked))
    }
    return max(spread, key=lambda measure: spread[measure]) if spread else None
