"""Which items look broken: those who else agree with the others best rate them otherwise than they should."""

from dataclasses import dataclass
from math import nan
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from analysis.resampling.intervals import FISHER, by_error
from analysis.values.codes import coded, sums_of_pairs
from analysis.values.p_values import holm
from analysis.values.ratings import Ratings
from analysis.values.types import Codes, Floats

FEWEST_RATERS = 10
"""Raters of an item, and further items of a rater, below which nothing is said."""
BLOCK = 200_000
"""Ratings that are looked at together."""


@dataclass(frozen=True, eq=False)
class Discrimination:
    """How ratings of each item go with how well their raters agree with the others elsewhere, by ascending id.

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
    """Whether better raters rate an item lower, or higher, than it should be.

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
        low, high = by_error(np.clip(r, -1 + 1e-12, 1 - 1e-12), error, level, scale=FISHER)
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
