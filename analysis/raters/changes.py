"""Figures of single raters with the change of each when one of the rater's units is removed."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.agreement.reliability import BesideOthers, beside_others
from analysis.values.errors import InputError
from analysis.values.quotients import ratio
from analysis.values.ratings import Ratings

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]
LARGEST = 0.995
"""Largest correlation or alpha that enters a scale on which 1 is infinite."""
NO_SPREAD = 1e-12
"""Part of a sum of squares up to which what is left of it is rounding error."""


@dataclass(frozen=True, eq=False)
class RaterChanges:
    """One figure per rater on a scale of even variance, and its change without each unit of the rater.

    Parameters
    ----------
    raters : (w,) ids, ascending
    z : (w,) the figure on that scale, NaN where it is undefined
    units : (w,) number of the rater's units (items, or sets of identical texts)
    unit, rater : (m,) code of a unit, and place in `raters` of a rater who has it; a pair occurs once
    change : (m,) of the rater's z without the unit, 0 where nothing defined is left
    """

    raters: NDArray[Any]
    z: Floats
    units: Codes
    unit: Codes
    rater: Codes
    change: Floats


def fisher(r: ArrayLike) -> Floats:
    """Return Fisher's z of correlations, clipped to ±0.995.

    Source: Fisher 1921, "On the probable error of a coefficient of correlation".
    """
    return np.arctanh(np.clip(np.asarray(r, dtype=np.float64), -LARGEST, LARGEST))


def log_disagreement(alpha: ArrayLike) -> Floats:
    """Return -log(1 - alpha) / 2 of agreement coefficients, clipped to 0.995: Fisher's z of an intraclass correlation
    of many values, up to a constant.

    Source: Fisher 1925, "Statistical methods for research workers", section 39.
    """
    return np.asarray(-0.5 * np.log(1 - np.minimum(np.asarray(alpha, dtype=np.float64), LARGEST)))


def correlation_changes(ratings: Ratings) -> RaterChanges:
    """Return Fisher's z of each rater's correlation with the mean of the others, and its change without each item.

    Parameters
    ----------
    ratings : N ratings by w raters; repeats of a rater on an item count as their mean

    Returns
    -------
    RaterChanges
        arrays (w,) and (m,), over the items that another rater rated, too.

    Notes
    -----
    Source: Habibi and Popescu-Belis 2012, section 5, Eq. 1, on numeric ratings; Efron and Stein 1981 (the jackknife).
    """
    pairs = beside_others(ratings)
    w = len(pairs.raters)
    x, y = (_centered(column, pairs.rater, w) for column in (pairs.own, pairs.others))
    units = np.bincount(pairs.rater, minlength=w)
    squares = [_sums(pairs.rater, product, w) for product in (x * x, y * y, x * y)]
    z = fisher(_correlation(squares, pairs.tiny))
    left = _factor(units)[pairs.rater]
    without = [
        total[pairs.rater] - left * product
        for total, product in zip(squares, (x * x, y * y, x * y), strict=True)
    ]
    kept = [NO_SPREAD * total[pairs.rater] for total in squares[:2]]
    r = np.where((without[0] > kept[0]) & (without[1] > kept[1]), _correlation(without, pairs.tiny), np.nan)
    return _of_items(pairs, z, units, fisher(r))


def variance_ratio(changes: RaterChanges, fewest: int = 10) -> float:
    """Return how many times as large as Fisher's 1 / (n - 3) the variance of raters' z is, at least 1.

    The jackknife's variance of each rater with so many units or more, over Fisher's; the mean of all such raters, as
    one rater's varies too much. 1 where there is none. Fisher's is that of normal scores: where most are the highest,
    a correlation varies two to four times as much.
    Source: Tukey 1958 (the jackknife); Fisher 1921.
    """
    tested = (changes.units >= fewest) & np.isfinite(changes.z)
    if not tested.any():
        return 1.0
    units = changes.units.astype(np.float64)
    squares = np.bincount(changes.rater, changes.change**2, len(units))
    ratios = squares * (units - 1) / np.maximum(units, 1) * (units - 3)
    return max(float(ratios[tested].mean()), 1.0)


def scatter_changes(ratings: Ratings) -> RaterChanges:
    """Return the cube root of each rater's mean squared residual, and its change without each item.

    A residual is a score minus the mean of the other raters on the item, minus the rater's mean of these differences:
    severity does not count, but the part of the scale that a rater uses does. The cube root makes a variance of normal
    residuals nearly normal.

    Parameters
    ----------
    ratings : N ratings by w raters; repeats of a rater on an item count as their mean

    Returns
    -------
    RaterChanges
        arrays (w,) and (m,), over the items that another rater rated, too.

    Notes
    -----
    Source: Wilson and Hilferty 1931, "The distribution of chi-square".
    """
    pairs = beside_others(ratings)
    w = len(pairs.raters)
    residual = _centered(pairs.own - pairs.others, pairs.rater, w)
    units = np.bincount(pairs.rater, minlength=w)
    squares = _sums(pairs.rater, residual**2, w)
    z = np.cbrt(ratio(squares, units - 1))
    left = np.maximum(squares[pairs.rater] - _factor(units)[pairs.rater] * residual**2, 0.0)
    without = np.cbrt(ratio(left, units[pairs.rater] - 2))
    return _of_items(pairs, z, units, without)


def alpha_changes(rater: ArrayLike, text: ArrayLike, score: ArrayLike) -> RaterChanges:
    """Return each rater's alpha on identical texts on the scale of `log_disagreement`, and its change without each set.

    Parameters
    ----------
    rater : (N,) ids
    text : (N,) codes; equal codes are identical texts, -1 is none
    score : (N,) finite numbers

    Returns
    -------
    RaterChanges
        arrays (w,) and (m,), over the sets of identical texts that the rater judged more than once.

    Raises
    ------
    InputError
        where lengths differ.

    Notes
    -----
    Source: Krippendorff 2011, "Computing Krippendorff's alpha", interval metric; Owczarzak et al. 2012, section 3.
    """
    code, value = np.asarray(text, dtype=np.int64), np.asarray(score, dtype=np.float64)
    raters, who = np.unique(np.asarray(rater), return_inverse=True)
    if not code.shape == value.shape == who.shape:
        raise InputError(
            f"`rater`, `text` and `score` must be equally long, got {len(who)}, {len(code)}, {len(value)}"
        )
    known, w = code >= 0, len(raters)
    who, code = who[known], code[known]
    point = _centered(value[known], who, w)
    sets = int(code.max(initial=0)) + 1
    cell, place = np.unique(who * sets + code, return_inverse=True)
    count, total, squares = (
        _sums(place, column, len(cell)) for column in (np.ones(len(point)), point, point**2)
    )
    several = count > 1
    owner, unit = np.divmod(cell[several], sets)
    count, total, squares = count[several], total[several], squares[several]
    within = count / (count - 1) * np.maximum(squares - total**2 / count, 0.0)
    parts = np.stack([count, total, squares, within])
    whole = np.stack([_sums(owner, part, w) for part in parts])
    scale = whole[0] * whole[2]
    z = log_disagreement(_alpha(whole, NO_SPREAD * scale))
    without = log_disagreement(_alpha(whole[:, owner] - parts, NO_SPREAD * scale[owner]))
    units = np.bincount(owner, minlength=w)
    return RaterChanges(raters, z, units, unit, owner, _change(without, z[owner]))


def _of_items(pairs: BesideOthers, z: Floats, units: Codes, without: Floats) -> RaterChanges:
    """Return changes from z (w,) of the raters and what it is without each of their items (m,)."""
    return RaterChanges(pairs.raters, z, units, pairs.item, pairs.rater, _change(without, z[pairs.rater]))


def _alpha(sums: Floats, smallest: Floats) -> Floats:
    """Return interval alpha of sums (4, …): number of values, total, squares, and n SS / (n - 1) of the units."""
    n, total, squares, within = sums
    spread = n * squares - total**2
    return np.where(spread > smallest, 1 - ratio(within * (n - 1), spread), np.nan)


def _centered(values: Floats, rater: Codes, w: int) -> Floats:
    return values - ratio(_sums(rater, values, w), np.bincount(rater, minlength=w))[rater]


def _correlation(squares: Sequence[Floats], tiny: float) -> Floats:
    xx, yy, xy = squares
    spread = (xx > tiny) & (yy > tiny)
    return np.where(spread, xy / np.sqrt(np.where(spread, xx * yy, 1.0)), np.nan)


def _factor(units: Codes) -> Floats:
    """Return n / (n - 1): how much of a centered square a sum of squares loses without its unit."""
    return np.nan_to_num(ratio(units, units - 1))


def _change(without: Floats, z: Floats) -> Floats:
    return np.nan_to_num(without - z)


def _sums(code: Codes, values: Floats, many: int) -> Floats:
    return np.bincount(code, values, many).astype(np.float64)
