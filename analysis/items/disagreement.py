"""How far the ratings of one item lie apart, and on which items raters disagree more than on the others."""

from dataclasses import dataclass
from math import nan
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from analysis.values.codes import coded
from analysis.values.p_values import holm
from analysis.values.ratings import Ratings
from analysis.values.types import Floats

FEWEST_RATINGS = 5
"""Ratings of an item below which its spread says nothing."""


@dataclass(frozen=True, eq=False)
class Disagreement:
    """The spread of each item's ratings, by ascending id of the item.

    `items` (n,), `ratings` (n,) behind each, `mean` (n,); `sd` (n,) with its interval `low`, `high`, `others` (n,) the
    SD within the other items, and `p` (n,) that the item's ratings lie further apart than theirs, adjusted by Holm for
    all items asked: NaN where an item has fewer than `FEWEST_RATINGS` or nothing to be held against.
    """

    items: NDArray[Any]
    ratings: NDArray[np.int64]
    mean: Floats
    sd: Floats
    low: Floats
    high: Floats
    others: Floats
    p: Floats


def disagreement(ratings: Ratings, level: float = 0.95) -> Disagreement:
    """On which items raters disagree.

    Parameters
    ----------
    ratings : N ratings of n items
    level : that the intervals of the SDs are to cover

    Returns
    -------
    Disagreement
        arrays (n,).

    Notes
    -----
    Not which item is bad: raters differ most in the middle of a scale, and a rater who is severe on all items adds to
    the spread of each. An item's variance has as many degrees of freedom as its kurtosis allows, 2 / ((k - 3) / m + 2 /
    (m - 1)) for m ratings, with the kurtosis k of all items' ratings about their means (fourth cumulants, freed from
    the means' own error); the test is F against the variance within all other items.
    Source: Box 1953, "Non-normality and tests on variances", section 3; Holm 1979.

    >>> found = disagreement(Ratings(list("aaaaabbbbb"), list(range(10)), [1, 5, 1, 5, 1, 3, 3, 4, 3, 3]))
    >>> found.sd.round(2).tolist(), found.others.round(2).tolist()
    ([2.19, 0.45], [0.45, 2.19])
    """
    items, code = coded(ratings.item)
    m = np.bincount(code, minlength=len(items))
    mean = np.bincount(code, weights=ratings.score, minlength=len(items)) / m
    rest = ratings.score - mean[code]
    squares = np.bincount(code, weights=rest**2, minlength=len(items)).astype(np.float64)
    return disagreement_of_sums(items, m, mean, squares, float((rest[m[code] > 1] ** 4).sum()), level)


def disagreement_of_sums(
    items: NDArray[Any],
    m: NDArray[np.int64],
    mean: Floats,
    squares: Floats,
    fourth: float,
    level: float = 0.95,
) -> Disagreement:
    """As `disagreement`, from the number of each item's ratings (n,), their mean and squares about it, and of all
    ratings of items with several the fourth powers about these means."""
    free = m - 1
    variance = squares.sum() / max(free.sum(), 1)
    squares = np.where(
        squares > 1e-12 * variance, squares, 0.0
    )  # what is left of sums where ratings are equal
    excess = _excess_kurtosis(m, variance, fourth)
    with np.errstate(divide="ignore", invalid="ignore"):
        sd = np.where(free > 0, np.sqrt(squares / free), nan)
        own = 2 / (excess / m + 2 / free)
        other_free = free.sum() - free
        other = np.where(other_free > 0, (squares.sum() - squares) / other_free, nan)
        of_others = 2 / (excess / np.maximum(m.sum() - m, 1) + 2 / other_free)
        low, high = (
            sd * np.sqrt(own / special.chdtri(own, tail)) for tail in ((1 - level) / 2, (1 + level) / 2)
        )
        p = special.fdtrc(own, of_others, sd**2 / other)
    told = (m >= FEWEST_RATINGS) & (sd > 0)
    asked = (m >= FEWEST_RATINGS) & (other > 0)
    return Disagreement(
        items,
        m,
        mean,
        sd,
        np.where(told, low, nan),
        np.where(told, high, nan),
        np.sqrt(other),
        holm(np.where(asked, p, nan)),
    )


def _excess_kurtosis(m: NDArray[np.int64], variance: float, fourth: float) -> float:
    """Of what is left of the ratings without their items' means; 0, the normal, where it cannot be told."""
    size = m[m > 1].astype(np.float64)
    if variance <= 0 or not len(size):
        return 0.0
    of_normal = 3 * variance**2 * (size * (1 - 1 / size) ** 2).sum()
    per_cumulant = (size * ((size - 1) ** 4 + (size - 1)) / size**4).sum()
    excess = (fourth - of_normal) / per_cumulant / variance**2
    return float(max(excess, -1.99))
