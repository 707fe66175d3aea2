"""Reliability of one rating: ICC(C,1) where the same raters rated all items, else ICC(1,1).

With crossed raters, severity cancels when items are compared. Where raters differ from item to item, it is noise.
The scope of an interval changes its width, not the estimator.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import nan
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from analysis.agreement.cluster_intervals import NO_CLUSTERS, Clusters, clustered_interval
from analysis.agreement.ratio_intervals import ALL_EQUAL, item_sums, one_way_sums
from analysis.correlation.rank_rows import pearson_from_sums
from analysis.values.estimate import SCOPES, Estimate, Floats, InputError
from analysis.values.ratings import Ratings, coded, sums_of_pairs

Form = Literal["ICC(C,1)", "ICC(1,1)"]
THESE, OTHERS = SCOPES
FEWEST_FOR_OTHERS = 3
"""Fewest raters for an interval over raters."""
LOWEST = -1.0
ONE_ITEM = "a single item does not show how items differ"


def too_few_raters_reason(raters: int) -> str:
    """Return the reason why so few raters give no interval for raters like these."""
    return f"{raters} rater{'' if raters == 1 else 's'}; raters like these need {FEWEST_FOR_OTHERS} at least"


def is_crossed(count: NDArray[np.int64], raters: int) -> bool:
    """Return True if two raters or more each rated every item once, from the number of ratings of each item (n,)."""
    return raters > 1 and len(count) > 0 and bool((count == raters).all())


def one_way_icc(
    count: Floats, total: Floats, squares: Floats, clusters: Clusters = NO_CLUSTERS, level: float = 0.95
) -> Estimate:
    """Estimate ICC(1,1) for these raters from the number, total and sum of squares of each item's ratings (n,).

    Subtract a number near the mean from the scores before summing. n = items with two ratings or more.
    Source: Shrout and Fleiss 1979; Searle, Casella and McCulloch 1992, section 3.6 (unequal numbers).
    """
    estimate = clustered_interval(one_way_sums(count, squares, total), clusters, level)
    n, ratings = len(count), float(count.sum())
    if n == 1 and estimate.defined:
        return Estimate(nan, n=estimate.n, reason=ONE_ITEM)
    per_item = (ratings - float((count**2).sum()) / ratings) / (n - 1) if n > 1 else 1.0

    def icc(ratio: float) -> float:
        if ratio >= 1:
            return ratio
        f = ((ratings - 1) / (1 - ratio) - (ratings - n)) / (n - 1)
        return (f - 1) / (f - 1 + per_item)

    return _transform_estimate(estimate, icc)


def consistency_icc(
    count: Floats, total: Floats, squares: Floats, clusters: Clusters = NO_CLUSTERS, level: float = 0.95
) -> Estimate:
    """Estimate ICC(C,1) of crossed raters, with its interval for these raters.

    `count`, `total` and `squares` are each item's sums (n,) of scores minus their rater's mean.
    Source: McGraw and Wong 1996, Table 4.
    """
    ratings = float(count.sum())
    found = clustered_interval(item_sums(count, squares, total[:, None]), clusters, level)
    return _transform_estimate(found, lambda alpha: 1 - (1 - alpha) * ratings / (ratings - 1))


def _transform_estimate(estimate: Estimate, icc: Callable[[float], float]) -> Estimate:
    if not estimate.defined:
        return replace(estimate, reason=estimate.reason or ALL_EQUAL)
    value, low, high = (icc(one) for one in (estimate.value, estimate.low, estimate.high))
    return replace(estimate, value=value, low=max(low, LOWEST) if low == low else low, high=high)


FEWEST_ITEMS = 3
"""Fewest items that a rater must share with others for a correlation with them."""


@dataclass(frozen=True)
class OneWay:
    """One-way variance components of items and of ratings within items.

    `between` is the variance of items, `within` that of ratings of one item, `icc` the reliability of a single rating,
    ICC(1,1), `sd_within` the square root of the mean variance within items, `ratings_per_item` the mean count;
    `items` and `ratings` are counts. NaN with a `reason` where undefined.
    """

    between: float
    within: float
    icc: float
    sd_within: float
    ratings_per_item: float
    items: int
    ratings: int
    reason: str = ""

    @property
    def degrees(self) -> int:
        """Degrees of freedom of the variance within items."""
        return self.ratings - self.items


def one_way(ratings: Ratings) -> OneWay:
    """Estimate the variance components of items and of ratings within items, for unequal counts too.

    Parameters
    ----------
    ratings : N ratings of n items

    Returns
    -------
    OneWay
        `between` may be negative (items differ less than by chance); ICC(1,1) is then negative too.

    Notes
    -----
    Raters' severities count as noise. This is right where each item is rated by different raters, and conservative
    where all raters rate all items. With unequal counts the mean square between items estimates within + n0 between,
    n0 = (N - sum of squared counts / N) / (n - 1). sd_within is over items with two ratings or more; the mean of SDs
    of few ratings would be too small. Arrays are (N,).
    Source: Shrout and Fleiss 1979, ICC(1,1); Searle, Casella and McCulloch 1992, section 3.6 (unequal counts).

    >>> round(one_way(Ratings([1, 1, 2, 2, 3, 3], [1, 2, 3, 4, 5, 6], [1, 2, 3, 3, 5, 4])).icc, 3)
    0.862
    """
    items, item = coded(ratings.item)
    counts = np.bincount(item, minlength=len(items))
    means = np.bincount(item, weights=ratings.score, minlength=len(items)) / counts
    squares = np.bincount(item, (ratings.score - means[item]) ** 2, len(items)).astype(np.float64)
    equal = not len(ratings) or np.ptp(ratings.score) == 0
    return _one_way(counts, means, squares, float(ratings.score.mean()) if len(ratings) else nan, bool(equal))


def _one_way(counts: NDArray[np.int64], means: Floats, squares: Floats, grand: float, equal: bool) -> OneWay:
    n, total = len(counts), int(counts.sum())
    if n < 2 or total == n:
        reason = (
            "fewer than two items do not show how items differ"
            if n < 2
            else "no item has two ratings, so ratings of one item cannot be compared"
        )
        return OneWay(nan, nan, nan, nan, total / n if n else nan, n, total, reason)
    within = float(squares.sum()) / (total - n)
    mean_square = float((counts * (means - grand) ** 2).sum()) / (n - 1)
    typical = (total - float((counts**2).sum()) / total) / (n - 1)
    between = (mean_square - within) / typical
    several = counts > 1
    sd = float(np.sqrt((squares[several] / (counts[several] - 1)).mean()))
    if equal:
        return OneWay(0.0, 0.0, nan, 0.0, total / n, n, total, "all ratings are equal, so no ICC is defined")
    return OneWay(between, within, between / (between + within), sd, total / n, n, total)


@dataclass(frozen=True, eq=False)
class RaterReliability:
    """Agreement of each rater with the others.

    `raters` (w,) ids, ascending; `correlation` (w,) with the mean of the others on the same items, NaN where fewer
    than three items are shared or a side is constant; `items` (w,) number shared; `ratings` (w,) number given;
    `constant` (w,) True for raters whose scores of these items do not vary.
    """

    raters: NDArray[Any]
    correlation: NDArray[np.float64]
    items: NDArray[np.int64]
    ratings: NDArray[np.int64]
    constant: NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class PairsWithOthers:
    """Pairs of a rater's score and the mean of all other raters' scores on the same item.

    `raters` (w,) ids, ascending, `ratings` (w,) number given. One pair per rater and shared item: `rater` (p,)
    positions in `raters`, ascending, `item` (p,) codes, `own` and `others` (p,) scores minus the mean of all scores.
    Sums of squares up to `tiny` are rounding error.
    """

    raters: NDArray[Any]
    ratings: NDArray[np.int64]
    rater: NDArray[np.int64]
    item: NDArray[np.int64]
    own: NDArray[np.float64]
    others: NDArray[np.float64]
    tiny: float


def pair_with_others(ratings: Ratings) -> PairsWithOthers:
    """Pair each rater's score with the mean of the other raters' scores, item by item.

    Source: Habibi and Popescu-Belis 2012, section 5, Eq. 1, on numeric ratings (methods, section 4, last line).
    """
    items, item = coded(ratings.item)
    raters, rater = coded(ratings.rater)
    centred = ratings.score - (ratings.score.mean() if len(ratings) else 0)
    cell_rater, cell_item, own_sum, counts = sums_of_pairs(rater, item, centred)
    item_sum = np.bincount(item, weights=centred, minlength=len(items))
    item_count = np.bincount(item, minlength=len(items))
    other_count = item_count[cell_item] - counts
    has_others = other_count > 0
    own_mean = own_sum[has_others] / counts[has_others]
    others_mean = (item_sum[cell_item[has_others]] - own_sum[has_others]) / other_count[has_others]
    tiny = 1e-18 * max(float((centred**2).sum()), 0.0)
    ratings_per_rater = np.bincount(rater, minlength=len(raters))
    return PairsWithOthers(
        raters, ratings_per_rater, cell_rater[has_others], cell_item[has_others], own_mean, others_mean, tiny
    )


def rater_reliability(ratings: Ratings) -> RaterReliability:
    """Correlate each rater's scores with the mean of all other raters on the same items (Pearson's r).

    Severity has no effect. Not for two raters: each is then the other's only reference.
    Source: Habibi and Popescu-Belis 2012, section 5, Eq. 1, on numeric ratings (methods, section 4, last line).
    """
    pairs = pair_with_others(ratings)
    rater, w = pairs.rater, len(pairs.raters)
    shared = np.bincount(rater, minlength=w)
    safe = np.maximum(shared, 1)
    x = pairs.own - (np.bincount(rater, weights=pairs.own, minlength=w) / safe)[rater]
    y = pairs.others - (np.bincount(rater, weights=pairs.others, minlength=w) / safe)[rater]
    xx, yy, xy = (np.bincount(rater, weights=v, minlength=w) for v in (x * x, y * y, x * y))
    enough = (shared >= FEWEST_ITEMS) & (xx > pairs.tiny) & (yy > pairs.tiny)
    correlation = pearson_from_sums(xx, yy, xy, enough)
    return RaterReliability(pairs.raters, correlation, shared, pairs.ratings, xx <= pairs.tiny)


def drop_least_reliable_raters(ratings: Ratings, share: float = 0.25) -> tuple[Ratings, int]:
    """Drop the given share of raters, those who agree least with the others, and return their number too.

    The gain is slightly optimistic, as the same ratings select the raters. Arrays are (N,).
    Source: future work of Iskender et al. 2020, section 5 (sensitivity of measures to annotation quality).
    """
    if not 0 <= share <= 1:
        raise InputError(f"`share` must be between 0 and 1, got {share}")
    agreement = rater_reliability(ratings)
    known = np.flatnonzero(~np.isnan(agreement.correlation))
    worst = known[np.argsort(agreement.correlation[known], kind="stable")][: int(share * len(known) + 1e-9)]
    keep = ~np.isin(ratings.rater, agreement.raters[worst])
    order = None if ratings.order is None else ratings.order[keep]
    return Ratings(ratings.item[keep], ratings.rater[keep], ratings.score[keep], order), len(worst)
