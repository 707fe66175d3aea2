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
    """Excess kurtosis of the ratings without their items' means; 0, the normal, where it is unknown."""
    size = m[m > 1].astype(np.float64)
    if variance <= 0 or not len(size):
        return 0.0
    of_normal = 3 * variance**2 * (size * (1 - 1 / size) ** 2).sum()
    per_cumulant = (size * ((size - 1) ** 4 + (size - 1)) / size**4).sum()
    excess = (fourth - of_normal) / per_cumulant / variance**2
    return float(max(excess, -1.99))


FEWEST_RATERS = 10
"""Raters of an item, and further items of a rater, below which nothing is said."""
BLOCK = 200_000
"""Ratings that are looked at together."""


@dataclass(frozen=True, eq=False)
class Discrimination:
    """Correlation of ratings of each item with how well their raters agree with the others elsewhere, by ascending id.

    `items` (n,), `raters` (n,) that could be used; `r` (n,) with its interval `low`, `high`: below 0 the better raters
    rate the item lower; `p` (n,) that r is 0, adjusted by Holm for all items asked. NaN where fewer than
    `FEWEST_RATERS` raters of an item have `FEWEST_RATERS` further items.
    """

    items: NDArray[Any]
    raters: NDArray[np.int64]
    r: Floats
    low: Floats
    high: Floats
    p: Floats


def discrimination(ratings: Ratings, level: float = 0.95) -> Discrimination:
    """Return whether better raters rate an item lower, or higher, than it should be.

    Parameters
    ----------
    ratings : N ratings; of several by a rater of one item their mean counts
    level : that the intervals are to cover

    Returns
    -------
    Discrimination
        arrays (n,).

    Notes
    -----
    A rater's line over all other items says what the rater gives an item of which the others think so much; what is
    given beyond that, in units of the rater's usual distance from the line, is correlated over raters with how well
    each agrees with the others on all other items; a curve that all items share is taken off first. So neither a
    rater's severity nor that better raters use more of the scale makes an item look broken. The mean of the others is
    itself known with an error, which moves the ratings of raters with a steep line more: interval (Fisher's z) and p
    (Student's t) are wider by that. Not where raters rate few items or items have few raters. Source: the
    discrimination index of item analysis (Lord and Novick 1968, section 15), with the rater in the place of the
    examinee.
    """
    pairs = _pairs(ratings)
    n = len(pairs.items)
    agreement, beyond, reach = _elsewhere(pairs)
    known = ~np.isnan(agreement)
    item = pairs.item[known]
    beyond[known] -= _shared_by_all(pairs.others[known], agreement[known], beyond[known])
    raters = np.bincount(item, minlength=n)
    enough = raters >= FEWEST_RATERS
    a, b, c = (_within(item, values[known], n) for values in (agreement, beyond, reach))
    aa, bb, ab, ac = (np.bincount(item, weights=each, minlength=n) for each in (a * a, b * b, a * b, a * c))
    with np.errstate(divide="ignore", invalid="ignore"):
        r = np.where(enough & (aa > 1e-12) & (bb > 1e-12), ab / np.sqrt(aa * bb), nan)
        wider = np.sqrt(1 + _variance_within(pairs) * ac**2 / (aa * bb))
        t = r / wider * np.sqrt((raters - 2) / np.maximum(1 - r**2, 1e-300))
        p = 2 * special.stdtr(np.maximum(raters - 2, 1).astype(float), -np.abs(t))
        error = wider / np.sqrt(np.maximum(raters - 3, 1))
        low, high = interval_from_error(np.clip(r, -1 + 1e-12, 1 - 1e-12), error, level, scale=FISHER)
    return Discrimination(pairs.items, raters, r, low, high, holm(p))


@dataclass(frozen=True, eq=False)
class _Pairs:
    """One rating per item and rater (codes), and the mean of the item's other raters, NaN without any."""

    items: NDArray[Any]
    item: Codes
    rater: Codes
    score: Floats
    others: Floats


def _pairs(ratings: Ratings) -> _Pairs:
    items, item = coded(ratings.item)
    item, rater, total, times = sums_of_pairs(item, coded(ratings.rater)[1], ratings.score)
    score = total / times
    count = np.bincount(item, minlength=len(items))[item]
    sums = np.bincount(item, weights=score, minlength=len(items))[item]
    with np.errstate(divide="ignore", invalid="ignore"):
        others = np.where(count > 1, (sums - score) / (count - 1), nan)
    return _Pairs(items, item, rater, score, others)


def _elsewhere(pairs: _Pairs) -> tuple[Floats, Floats, Floats]:
    """For each rating, over the rater's other items: the correlation with the others; what the rating is beyond the
    rater's line, in units of the usual distance from it; and how far that would move with the mean of the others. NaN
    with fewer than `FEWEST_RATERS` other items."""
    there = ~np.isnan(pairs.others)
    centre = pairs.score.mean() if len(pairs.score) else 0.0
    x, y = np.where(there, pairs.others - centre, 0.0), np.where(there, pairs.score - centre, 0.0)
    size = int(pairs.rater.max(initial=-1)) + 1
    sums = [
        np.bincount(pairs.rater, values, size).astype(np.float64, copy=False)
        for values in (there.astype(float), x, y, x * x, y * y, x * y)
    ]
    found = np.full((3, len(x)), nan)
    for part in _parts(len(x)):
        here = there[part], x[part], y[part]
        found[:, part] = _without_each([of[pairs.rater[part]] for of in sums], *here)
    return found[0], found[1], found[2]


def _without_each(sums: list[Floats], there: NDArray[np.bool_], x: Floats, y: Floats) -> tuple[Floats, ...]:
    """`_elsewhere` of some ratings, from what is added up over all of each one's rater."""
    own = (there.astype(float), x, y, x * x, y * y, x * y)
    m, sx, sy, xx, yy, xy = (of_all - mine for of_all, mine in zip(sums, own, strict=True))
    with np.errstate(divide="ignore", invalid="ignore"):
        xx, yy, xy = xx - sx * sx / m, yy - sy * sy / m, xy - sx * sy / m
        r, slope = xy / np.sqrt(xx * yy), xy / xx
        usual = np.sqrt(np.maximum(yy - slope * xy, 0) / (m - 2) * (1 + 1 / m + (x - sx / m) ** 2 / xx))
        beyond = special.ndtri(special.stdtr(m - 2, (y - sy / m - slope * (x - sx / m)) / usual))
        reach = slope / usual
        usable = there & (m >= FEWEST_RATERS) & (xx > 1e-9 * m) & (yy > 1e-9 * m) & (usual**2 > 1e-9 * yy)
    return tuple(np.where(usable, values, nan) for values in (r, beyond, reach))


def _parts(n: int) -> list[slice]:
    return [slice(start, start + BLOCK) for start in range(0, n, BLOCK)]


def _shared_by_all(others: Floats, agreement: Floats, beyond: Floats) -> Floats:
    """What of the last all items have in common: near the ends of a scale no rater's line is straight, and that of good
    raters bends most. A cubic in the mean of the others, of which agreement moves every coefficient."""
    if not len(others):
        return beyond
    x = (others - others.mean()) / (np.ptp(others) or 1.0)
    a = agreement - agreement.mean()
    gram, moments, shared = np.zeros((8, 8)), np.zeros(8), np.empty_like(beyond)
    for part in _parts(len(x)):
        surface = _surface(x[part], a[part])
        gram += surface.T @ surface
        moments += surface.T @ beyond[part]
    coefficients = np.linalg.lstsq(gram, moments, rcond=None)[0]
    for part in _parts(len(x)):
        shared[part] = _surface(x[part], a[part]) @ coefficients
    return shared


def _surface(x: Floats, agreement: Floats) -> Floats:
    powers = np.array([np.ones(len(x)), x, x * x, x * x * x])
    return np.vstack([powers, powers * agreement]).T


def _within(item: Codes, values: Floats, n: int) -> Floats:
    """Values less their item's mean."""
    mean = np.bincount(item, weights=values, minlength=n) / np.maximum(np.bincount(item, minlength=n), 1)
    centred: Floats = values - mean[item]
    return centred


def _variance_within(pairs: _Pairs) -> float:
    """Of the raters' scores about their item's mean."""
    n = len(pairs.items)
    rest = _within(pairs.item, pairs.score, n)
    return float((rest**2).sum() / max(len(rest) - n, 1))
