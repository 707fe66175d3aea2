"""Reliability of one rating: ICC(C,1) where the same raters rated all items, else ICC(1,1).

Between crossed raters severity cancels when items are compared. Where raters differ from item to item, it is noise.
The scope of an interval changes its width and not the estimator.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from analysis.agreement.cluster_intervals import NO_CLUSTERS, Clusters, clustered_interval
from analysis.agreement.ratio_intervals import ALL_EQUAL, item_sums, one_way_sums
from analysis.values.estimate import Estimate
from analysis.values.scope import SCOPES
from analysis.values.types import Floats

Form = Literal["ICC(C,1)", "ICC(1,1)"]
THESE, OTHERS = SCOPES
FEWEST_FOR_OTHERS = 3
"""Raters below which nothing is known about other raters."""
LOWEST = -1.0


def too_few_raters(raters: int) -> str:
    """Return the reason for which so few raters say nothing about raters like these."""
    return f"{raters} rater{'' if raters == 1 else 's'}; raters like these need {FEWEST_FOR_OTHERS} at least"


def is_crossed(count: NDArray[np.int64], raters: int) -> bool:
    """Return True where each of two raters or more gave every item one rating, by the items' numbers (n,)."""
    return raters > 1 and len(count) > 0 and bool((count == raters).all())


def one_way_icc(
    count: Floats, total: Floats, squares: Floats, clusters: Clusters = NO_CLUSTERS, level: float = 0.95
) -> Estimate:
    """Return ICC(1,1) with its interval for these raters, from each item's number, total and squares (n,).

    Totals and squares are those of scores less a number near their mean. n = items with two ratings or more.
    Source: Shrout and Fleiss 1979; Searle, Casella and McCulloch 1992, section 3.6 (unequal numbers).
    """
    found = clustered_interval(one_way_sums(count, squares, total), clusters, level)
    n, ratings = len(count), float(count.sum())
    per_item = (ratings - float((count**2).sum()) / ratings) / (n - 1) if n > 1 else 1.0

    def icc(ratio: float) -> float:
        if ratio >= 1:
            return ratio
        f = ((ratings - 1) / (1 - ratio) - (ratings - n)) / (n - 1)
        return (f - 1) / (f - 1 + per_item)

    return _mapped(found, icc)


def consistency_icc(
    count: Floats, total: Floats, squares: Floats, clusters: Clusters = NO_CLUSTERS, level: float = 0.95
) -> Estimate:
    """Return ICC(C,1) of crossed raters with its interval for these raters.

    From each item's number, total and squares (n,) of scores less their rater's mean.
    Source: McGraw and Wong 1996, Table 4.
    """
    ratings = float(count.sum())
    found = clustered_interval(item_sums(count, squares, total[:, None]), clusters, level)
    return _mapped(found, lambda alpha: 1 - (1 - alpha) * ratings / (ratings - 1))


def _mapped(found: Estimate, icc: Callable[[float], float]) -> Estimate:
    if not found.defined:
        return replace(found, reason=found.reason or ALL_EQUAL)
    value, low, high = (icc(one) for one in (found.value, found.low, found.high))
    return replace(found, value=value, low=max(low, LOWEST) if low == low else low, high=high)
