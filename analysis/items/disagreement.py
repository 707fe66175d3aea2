"""Disagreement on items, and items on which raters disagree more than on the others."""

from dataclasses import dataclass
from math import nan
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from analysis.resampling.intervals import FISHER, interval_from_error
from analysis.values.estimate import Codes, Floats, holm
from analysis.values.ratings import Ratings, coded, sums_of_pairs

FEWEST_RATINGS = 5
"""Fewest ratings of an item for an interval of its SD."""


@dataclass(frozen=True, eq=False)
class Disagreement:
    """SD of each item's ratings, by ascending id of the item.

    `items` (n,), `ratings` (n,) number, `mean` (n,); `sd` (n,) with its interval `low`, `high`, `others` (n,) the SD
    within the other items, and `p` (n,) of the test that the item's SD is not larger, Holm-adjusted for all tested
    items; NaN below `FEWEST_RATINGS` or without variance in the other items.
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
    """Test on which items raters disagree more than on the others.

    Parameters
    ----------
    ratings : N ratings of n items
    level : of the intervals of the SDs

    Returns
    -------
    Disagreement
        arrays (n,).

    Notes
    -----
    Does not show which item is bad: raters differ most in the middle of a scale, and a rater who is severe on all items
    increases the variance of each. The degrees of freedom of an item's variance depend on kurtosis, 2 / ((k - 3) / m +
    2 / (m - 1)) for m ratings, with the kurtosis k of all items' ratings about their means (fourth cumulants, corrected
    for the means' own error); the test is F against the variance within all other items.
    Source: Box 1953, "Non-normality and tests on variances", section 3; Holm 1979.

    >>> found = disagreement(Ratings(list("aaaaabbbbb"), list(range(10)), [1, 5, 1, 5, 1, 3, 3, 4, 3, 3]))
    >>> found.sd.round(2).tolist(), found.others.round(2).tolist()
    ([2.19, 0.45], [0.45, 2.19])
    """
    items, code = coded(ratings.item)
    m = np.bincount(code, minlength=len(items))
    mean = np.bincount(code, weights=ratings.score, minlength=len(items)) / m
    residual = ratings.score - mean[code]
    squares = np.bincount(code, weights=residual**2, minlength=len(items)).astype(np.float64)
    return disagreement_from_sums(items, m, mean, squares, float((residual[m[code] > 1] ** 4).sum()), level)


def disagreement_from_sums(
    items: NDArray[Any],
    m: NDArray[np.int64],
    mean: Floats,
    squares: Floats,
    fourth: float,
    level: float = 0.95,
) -> Disagreement:
    """Compute `disagreement` from sums.

    `m`, `mean` and `squares` (n,) are the number of each item's ratings, their mean and sum of squares about it;
    `fourth` is the sum of fourth powers about these means, over items with several ratings.
    """
    degrees = m - 1
    variance = squares.sum() / max(degrees.sum(), 1)
    squares = np.where(
        squares > 1e-12 * variance, squares, 0.0
    )  # what is left of sums where ratings are equal
    excess = _excess_kurtosis(m, variance, fourth)
    with np.errstate(divide="ignore", invalid="ignore"):
        sd = np.where(degrees > 0, np.sqrt(squares / degrees), nan)
        item_degrees = 2 / (excess / m + 2 / degrees)
        other_degrees = degrees.sum() - degrees
        other_variance = np.where(other_degrees > 0, (squares.sum() - squares) / other_degrees, nan)
        others_effective_degrees = 2 / (excess / np.maximum(m.sum() - m, 1) + 2 / other_degrees)
        low, high = (
            sd * np.sqrt(item_degrees / special.chdtri(item_degrees, tail))
            for tail in ((1 - level) / 2, (1 + level) / 2)
        )
        p = special.fdtrc(item_degrees, others_effective_degrees, sd**2 / other_variance)
    has_interval = (m >= FEWEST_RATINGS) & (sd > 0)
    is_tested = (m >= FEWEST_RATINGS) & (other_variance > 0)
    return Disagreement(
        items,
        m,
        mean,
        sd,
        np.where(has_interval, low, nan),
        np.where(has_interval, high, nan),
        np.sqrt(other_variance),
        holm(np.where(is_tested, p, nan)),
    )


def _excess_kurtosis(m: NDArray[np.int64], variance: float, fourth: float) -> float:
    """Return the excess kurtosis of the ratings about their items' means, 0 if unknown."""
    size = m[m > 1].astype(np.float64)
    if variance <= 0 or not len(size):
        return 0.0
    of_normal = 3 * variance**2 * (size * (1 - 1 / size) ** 2).sum()
    per_cumulant = (size * ((size - 1) ** 4 + (size - 1)) / size**4).sum()
    excess = (fourth - of_normal) / per_cumulant / variance**2
    return float(max(excess, -1.99))


FEWEST_RATERS = 10
"""Fewest raters of an item, and fewest other items of a rater."""
BLOCK = 200_000
"""Ratings in a block."""


@dataclass(frozen=True, eq=False)
class Discrimination:
    """Correlation of each item's ratings with their raters' agreement on the other items, by ascending id.

    `items` (n,), `raters` (n,) number used; `r` (n,) with its interval `low`, `high`: negative if better raters rate
    the item lower; `p` (n,) of the test that r is 0, Holm-adjusted for all tested items. NaN if fewer than
    `FEWEST_RATERS` raters of an item have `FEWEST_RATERS` other items.
    """

    items: NDArray[Any]
    raters: NDArray[np.int64]
    r: Floats
    low: Floats
    high: Floats
    p: Floats


def discrimination(ratings: Ratings, level: float = 0.95) -> Discrimination:
    """Test whether better raters rate an item lower, or higher, than expected.

    Parameters
    ----------
    ratings : N ratings; repeated ratings of an item by a rater are averaged
    level : of the intervals

    Returns
    -------
    Discrimination
        arrays (n,).

    Notes
    -----
    A rater's regression line over all other items predicts the rating from the others' mean. The residual, in units of
    its prediction error, is correlated over raters with each one's agreement with the others on all other items; a
    curve common to all items is subtracted first. So neither severity nor the larger range of better raters affects the
    result. The mean of the others has an error, which affects raters with a steep line more: interval (Fisher's z) and
    p (Student's t) include it. Not for raters with few items or items with few raters. Source: the discrimination index
    of item analysis (Lord and Novick 1968, section 15), with raters as examinees.
    """
    pairs = _pair_with_others(ratings)
    n = len(pairs.items)
    agreement, residual, sensitivity = _leave_one_out_figures(pairs)
    is_defined = ~np.isnan(agreement)
    item = pairs.item[is_defined]
    residual[is_defined] -= _common_curve(
        pairs.others[is_defined], agreement[is_defined], residual[is_defined]
    )
    raters = np.bincount(item, minlength=n)
    has_enough = raters >= FEWEST_RATERS
    agreement_within, residual_within, sensitivity_within = (
        _center_by_item(item, values[is_defined], n) for values in (agreement, residual, sensitivity)
    )
    aa, bb, ab, ac = (
        np.bincount(item, weights=each, minlength=n)
        for each in (
            agreement_within * agreement_within,
            residual_within * residual_within,
            agreement_within * residual_within,
            agreement_within * sensitivity_within,
        )
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        r = np.where(has_enough & (aa > 1e-12) & (bb > 1e-12), ab / np.sqrt(aa * bb), nan)
        widening = np.sqrt(1 + _variance_within(pairs) * ac**2 / (aa * bb))
        t = r / widening * np.sqrt((raters - 2) / np.maximum(1 - r**2, 1e-300))
        p = 2 * special.stdtr(np.maximum(raters - 2, 1).astype(float), -np.abs(t))
        error = widening / np.sqrt(np.maximum(raters - 3, 1))
        low, high = interval_from_error(np.clip(r, -1 + 1e-12, 1 - 1e-12), error, level, scale=FISHER)
    return Discrimination(pairs.items, raters, r, low, high, holm(p))


@dataclass(frozen=True, eq=False)
class _RatingsWithOthers:
    """One rating per item and rater (codes), and the mean of the item's other raters, NaN without any."""

    items: NDArray[Any]
    item: Codes
    rater: Codes
    score: Floats
    others: Floats


def _pair_with_others(ratings: Ratings) -> _RatingsWithOthers:
    items, item = coded(ratings.item)
    item, rater, total, times = sums_of_pairs(item, coded(ratings.rater)[1], ratings.score)
    score = total / times
    count = np.bincount(item, minlength=len(items))[item]
    sums = np.bincount(item, weights=score, minlength=len(items))[item]
    with np.errstate(divide="ignore", invalid="ignore"):
        others = np.where(count > 1, (sums - score) / (count - 1), nan)
    return _RatingsWithOthers(items, item, rater, score, others)


def _leave_one_out_figures(pairs: _RatingsWithOthers) -> tuple[Floats, Floats, Floats]:
    """Return for each rating, from the rater's other items: correlation with the others, residual, and sensitivity.

    The residual from the rater's line is in units of its prediction error; the sensitivity is its derivative by the
    mean of the others. NaN with fewer than `FEWEST_RATERS` other items.
    """
    has_others = ~np.isnan(pairs.others)
    centre = pairs.score.mean() if len(pairs.score) else 0.0
    x, y = np.where(has_others, pairs.others - centre, 0.0), np.where(has_others, pairs.score - centre, 0.0)
    size = int(pairs.rater.max(initial=-1)) + 1
    sums = [
        np.bincount(pairs.rater, values, size).astype(np.float64, copy=False)
        for values in (has_others.astype(float), x, y, x * x, y * y, x * y)
    ]
    figures = np.full((3, len(x)), nan)
    for part in _blocks(len(x)):
        block = has_others[part], x[part], y[part]
        figures[:, part] = _figures_without_rating([of[pairs.rater[part]] for of in sums], *block)
    return figures[0], figures[1], figures[2]


def _figures_without_rating(
    sums: list[Floats], has_others: NDArray[np.bool_], x: Floats, y: Floats
) -> tuple[Floats, ...]:
    """Compute `_leave_one_out_figures` of some ratings from the sums over all ratings of their raters."""
    own_terms = (has_others.astype(float), x, y, x * x, y * y, x * y)
    m, sx, sy, xx, yy, xy = (of_all - mine for of_all, mine in zip(sums, own_terms, strict=True))
    with np.errstate(divide="ignore", invalid="ignore"):
        xx, yy, xy = xx - sx * sx / m, yy - sy * sy / m, xy - sx * sy / m
        r, slope = xy / np.sqrt(xx * yy), xy / xx
        prediction_error = np.sqrt(
            np.maximum(yy - slope * xy, 0) / (m - 2) * (1 + 1 / m + (x - sx / m) ** 2 / xx)
        )
        residual = special.ndtri(special.stdtr(m - 2, (y - sy / m - slope * (x - sx / m)) / prediction_error))
        sensitivity = slope / prediction_error
        usable = (
            has_others
            & (m >= FEWEST_RATERS)
            & (xx > 1e-9 * m)
            & (yy > 1e-9 * m)
            & (prediction_error**2 > 1e-9 * yy)
        )
    return tuple(np.where(usable, values, nan) for values in (r, residual, sensitivity))


def _blocks(n: int) -> list[slice]:
    return [slice(start, start + BLOCK) for start in range(0, n, BLOCK)]


def _common_curve(others: Floats, agreement: Floats, residual: Floats) -> Floats:
    """Fit the part of residuals common to all items: a cubic in the mean of the others, with interactions by agreement.

    Near the ends of a scale raters' lines are curved, those of good raters most.
    """
    if not len(others):
        return residual
    x = (others - others.mean()) / (np.ptp(others) or 1.0)
    a = agreement - agreement.mean()
    gram, moments, common = np.zeros((8, 8)), np.zeros(8), np.empty_like(residual)
    for part in _blocks(len(x)):
        surface = _cubic_terms(x[part], a[part])
        gram += surface.T @ surface
        moments += surface.T @ residual[part]
    coefficients = np.linalg.lstsq(gram, moments, rcond=None)[0]
    for part in _blocks(len(x)):
        common[part] = _cubic_terms(x[part], a[part]) @ coefficients
    return common


def _cubic_terms(x: Floats, agreement: Floats) -> Floats:
    powers = np.array([np.ones(len(x)), x, x * x, x * x * x])
    return np.vstack([powers, powers * agreement]).T


def _center_by_item(item: Codes, values: Floats, n: int) -> Floats:
    """Subtract the item's mean from each value (N,)."""
    mean = np.bincount(item, weights=values, minlength=n) / np.maximum(np.bincount(item, minlength=n), 1)
    centred: Floats = values - mean[item]
    return centred


def _variance_within(pairs: _RatingsWithOthers) -> float:
    """Return the variance of the scores about their item's mean."""
    n = len(pairs.items)
    rest = _center_by_item(pairs.item, pairs.score, n)
    return float((rest**2).sum() / max(len(rest) - n, 1))
