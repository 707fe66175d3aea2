"""Ratings per item at which their mean reaches a reliability, and what would make that number less uncertain."""

from dataclasses import dataclass
from math import ceil, inf, isnan, nan
from typing import Literal

from analysis.agreement.agreement_summary import AgreementSummary
from analysis.agreement.rating_reliability import FEWEST_FOR_OTHERS, OTHERS, too_few_raters
from analysis.agreement.ratio_intervals import fisher_z
from analysis.values.estimate import Estimate

MOST_FOR_OTHERS = 1_000
"""Upper end of the ratings needed beyond which the raters are too few for raters like these."""
NO_RELIABILITY = "raters do not agree beyond chance, so no mean gets reliable"


def ratings_for(reliability: float, target: float) -> float:
    """Return the first number of ratings whose mean reaches a reliability: Spearman-Brown solved for it.

    Infinite where one rating has none, NaN where it is undefined.
    Source: methods, section 2, rule 3; Spearman 1910, Brown 1910.

    >>> ratings_for(0.3, 0.8)
    10.0
    """
    if isnan(reliability):
        return nan
    if reliability <= 0:
        return inf
    return float(max(ceil(target * (1 - reliability) / ((1 - target) * reliability) - 1e-9), 1))


def ratings_needed(found: AgreementSummary, target: float) -> Estimate:
    """Return the ratings per item at which their mean reaches a reliability, with the interval of one rating's.

    The upper end is infinite where the reliability of one rating may be 0. NaN with a reason where the reliability has
    no interval, and, for raters like these, below 3 raters or where the upper end exceeds 1,000.
    """
    one = found.one
    if found.scope == OTHERS and found.raters < FEWEST_FOR_OTHERS:
        return Estimate(nan, n=one.n, reason=too_few_raters(found.raters))
    if not one.defined or isnan(one.low):
        return Estimate(nan, n=one.n, reason=one.reason, warning=one.warning)
    value, low, high = (ratings_for(end, target) for end in (one.value, one.high, one.low))
    if found.scope == OTHERS and high > MOST_FOR_OTHERS:
        reason = f"{found.raters} raters leave open whether 1,000 ratings are enough with raters like these"
        return Estimate(nan, n=one.n, reason=reason, warning=one.warning)
    return Estimate(value, low, high, one.n, warning=one.warning)


@dataclass(frozen=True)
class Advice:
    """Means to narrow the interval of a reliability: more `of` raters or items, `number` in all where it is known."""

    of: Literal["raters", "items"]
    number: float = nan


def advise(found: AgreementSummary, wanted: float | None = None) -> Advice | None:
    """Return what would narrow the interval of one rating's reliability, to a half-width on z where one is wanted.

    Raters where they make up at least half of its variance, else items; None where more items alone cannot narrow it so
    far. How many items is unknown where they are counted by systems and topics: more items of these narrow little.
    """
    one = found.one
    half = (fisher_z(one.high) - fisher_z(one.low)) / 2
    if found.items_share < 0.5:
        return Advice("raters")
    if wanted is None or isnan(half) or found.by_clusters:
        return Advice("items")
    left = wanted**2 - half**2 * (1 - found.items_share)
    return Advice("items", float(ceil(one.n * half**2 * found.items_share / left))) if left > 0 else None
