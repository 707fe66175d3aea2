"""The MOS of one item, with an interval over the raters who gave it."""

from math import nan, sqrt

import numpy as np
from numpy.typing import ArrayLike

from analysis.items.rating_spread import FEWEST_OWN, TWO_RATERS, RatingSpread, mean_half_width
from analysis.resampling.intervals import by_error
from analysis.values.estimate import Estimate
from analysis.values.ratings import Ratings
from analysis.values.types import Floats


def item_mean(
    score: ArrayLike, rater: ArrayLike, level: float = 0.95, spread: RatingSpread | None = None
) -> Estimate:
    """Estimate the mean of an item's ratings.

    Parameters
    ----------
    score, rater : (m,) ratings of one item and who gave them
    level : that the interval is to cover
    spread : of the ratings of all items, as `rating_spread` gives it

    Returns
    -------
    Estimate
        its `n` counts the ratings.

    Raises
    ------
    InputError
        where lengths differ or a score is not a finite number.

    Notes
    -----
    Several ratings by one rater count as one cluster, so that a rater who rates again tells nothing new about raters.
    Student's t over raters, or, with the `spread` of all items, with the pooled variance below 5 raters of the item and
    with the item's own variance shrunk to that of all items from 5 on. With two raters in all there is no interval:
    they can only compare items.
    Source: Student 1908; Liang and Zeger 1986, section 2, for the clusters; Smyth 2004 (shrinkage).

    >>> found = item_mean([1, 3, 5, 3], list("abcd"))
    >>> found.value, round(found.low, 2), round(found.high, 2)
    (3.0, 0.4, 5.6)
    """
    given = Ratings(np.zeros(len(np.asarray(rater)), dtype=np.int64), rater, score)
    m = len(given)
    if not m:
        return Estimate(nan, reason="nobody rated this item")
    mean = float(given.score.mean())
    raters, code = np.unique(given.rater, return_inverse=True)
    if spread is not None and not spread.reason:
        return _with_spread(mean, m, np.bincount(code, given.score) / np.bincount(code), spread, level)
    if len(raters) < 2:
        return Estimate(mean, n=m, reason="one rater alone gives no interval")
    pulls = np.bincount(code, weights=given.score - mean)
    error = sqrt(float((pulls**2).sum()) * len(raters) / (len(raters) - 1)) / m
    low, high = by_error(mean, error, level, degrees=len(raters) - 1)
    return Estimate(mean, float(low), float(high), m)


def _with_spread(mean: float, n: int, score: Floats, spread: RatingSpread, level: float) -> Estimate:
    """The mean of n ratings with its interval, from one score (r,) per rater."""
    if spread.compares_only:
        return Estimate(mean, n=n, reason=TWO_RATERS)
    r = len(score)
    own = spread.moderated(float(score.var(ddof=1)), r - 1) if r >= FEWEST_OWN else spread.of_level
    half = mean_half_width(*own, r, level)
    return Estimate(mean, mean - half, mean + half, n)
