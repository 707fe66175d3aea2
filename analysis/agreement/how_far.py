"""How far the raters of one measure agree, in the figures that a first look needs and that cost little."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from analysis.agreement.alpha import interval_alpha, krippendorff_alpha
from analysis.agreement.intraclass import stepped_up
from analysis.agreement.one_way_intervals import RaterChanges, one_way_intervals, one_way_intervals_of_sums
from analysis.values.estimate import Estimate
from analysis.values.ratings import Ratings


@dataclass(frozen=True)
class HowFar:
    """Agreement of single ratings and of their means on n items.

    `alpha` is Krippendorff's (interval data) with its interval over items, for these raters; `one` ICC(1,1) and `mean`
    ICC(1,k) with intervals over items and raters (items alone where raters are no persons), that of the mean not below
    0; `k` the harmonic mean of the ratings per item. What raters add to the intervals is `read_off` so many items, 0
    for all.
    """

    alpha: Estimate
    one: Estimate
    mean: Estimate
    k: float
    raters: int
    read_off: int = 0


def how_far(ratings: Ratings, raters_are_persons: bool = True) -> HowFar:
    """Alpha, and the reliability of one rating and of the mean of an item's ratings (methods, sections 1 and 10)."""
    _, counts = np.unique(ratings.item, return_counts=True)
    return _how_far(
        krippendorff_alpha(ratings.item, ratings.score),
        one_way_intervals(ratings, raters_are_persons).icc,
        counts,
        len(np.unique(ratings.rater)),
    )


def how_far_of_sums(
    count: NDArray[np.int64],
    total: NDArray[np.float64],
    squares: NDArray[np.float64],
    changes: RaterChanges,
    raters_are_persons: bool = True,
    some: NDArray[np.bool_] | None = None,
) -> HowFar:
    """The same from each item's number, total and squares (n,) of scores less their mean, and raters' changes (w,),
    over all items or over `some` (n,)."""
    if changes.all_equal:  # what is left of their distances is rounding
        total, squares = np.zeros(len(total)), np.zeros(len(squares))
    by_raters = changes if raters_are_persons else None
    one = one_way_intervals_of_sums(count, total, squares, by_raters, some=some).icc
    found = _how_far(interval_alpha(count, total, squares), one, count, len(changes.cells))
    return found if some is None else replace(found, read_off=int(some.sum()))


def alpha_of_sums(
    count: NDArray[np.int64], total: NDArray[np.float64], squares: NDArray[np.float64], all_equal: bool
) -> HowFar:
    """The same with alpha alone, which needs nothing of single raters; `all_equal` scores differ by rounding only."""
    if all_equal:
        total, squares = np.zeros(len(total)), np.zeros(len(squares))
    later = Estimate(float("nan"), n=len(count))
    k = float(len(count) / (1 / count).sum()) if len(count) else float("nan")
    return HowFar(interval_alpha(count, total, squares), later, later, k, 0)


def _how_far(alpha: Estimate, one: Estimate, counts: NDArray[np.int64], raters: int) -> HowFar:
    k = float(len(counts) / (1 / counts).sum()) if len(counts) else float("nan")
    return HowFar(alpha, one, from_nothing(stepped_up(one, k)), k, raters)


def from_nothing(mean: Estimate) -> Estimate:
    """The reliability of a mean without the part of its interval below 0, where Spearman-Brown has a pole and no
    reliability lies.
    """
    return replace(mean, low=max(mean.low, min(mean.value, 0.0))) if mean.low < 0 else mean
