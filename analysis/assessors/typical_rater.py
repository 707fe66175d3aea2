"""Tests of raters who differ clearly from the typical one, and leave-one-out changes of raters' figures."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import nan
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from analysis.agreement.reliability import PairsWithOthers, pair_with_others
from analysis.values.estimate import Codes, Flags, Floats, InputError, benjamini_hochberg, holm
from analysis.values.ratings import Ratings, coded, ratio, sum_by_code

CLIP = 0.995
"""Value at which correlations and alphas are clipped before transformation."""
NO_SPREAD = 1e-12
"""Share of a sum of squares up to which the remainder is rounding error."""


@dataclass(frozen=True, eq=False)
class RaterChanges:
    """Figure of each rater on a variance-stabilized scale, and its changes without each unit of the rater.

    Parameters
    ----------
    raters : (w,) ids, ascending
    z : (w,) the figure on that scale, NaN where it is undefined
    units : (w,) number of the rater's units (items, or sets of identical texts)
    unit, rater : (m,) code of a unit, and index in `raters` of a rater who has it; each pair occurs once
    change : (m,) of the rater's z without the unit, 0 where that is undefined
    """

    raters: NDArray[Any]
    z: Floats
    units: Codes
    unit: Codes
    rater: Codes
    change: Floats


def clipped_fisher_z(r: ArrayLike) -> Floats:
    """Return Fisher's z of correlations, clipped to ±0.995.

    Source: Fisher 1921, "On the probable error of a coefficient of correlation".
    """
    return np.arctanh(np.clip(np.asarray(r, dtype=np.float64), -CLIP, CLIP))


def log_disagreement(alpha: ArrayLike) -> Floats:
    """Return -log(1 - alpha) / 2 of agreement coefficients, clipped to 0.995.

    This is Fisher's z of an intraclass correlation of many values, up to a constant.

    Source: Fisher 1925, "Statistical methods for research workers", section 39.
    """
    return np.asarray(-0.5 * np.log(1 - np.minimum(np.asarray(alpha, dtype=np.float64), CLIP)))


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
    pairs = pair_with_others(ratings)
    w = len(pairs.raters)
    x, y = (_centered(column, pairs.rater, w) for column in (pairs.own, pairs.others))
    units = np.bincount(pairs.rater, minlength=w)
    squares = [sum_by_code(pairs.rater, product, w) for product in (x * x, y * y, x * y)]
    z = clipped_fisher_z(_correlation(squares, pairs.tiny))
    factor = _leave_one_out_factor(units)[pairs.rater]
    without = [
        total[pairs.rater] - factor * product
        for total, product in zip(squares, (x * x, y * y, x * y), strict=True)
    ]
    smallest = [NO_SPREAD * total[pairs.rater] for total in squares[:2]]
    r = np.where(
        (without[0] > smallest[0]) & (without[1] > smallest[1]), _correlation(without, pairs.tiny), np.nan
    )
    return _changes_by_item(pairs, z, units, clipped_fisher_z(r))


def variance_ratio(changes: RaterChanges, fewest: int = 10) -> float:
    """Return the ratio of the variance of raters' z to Fisher's 1 / (n - 3), at least 1.

    It is the mean ratio of the jackknife variance to Fisher's over raters with at least `fewest` units, 1 without such
    raters. Fisher's variance is for normal scores: if most scores are the highest, a correlation varies two to four
    times as much.
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
    severity has no effect, but the used range of the scale has. The cube root of a variance of normal residuals is
    nearly normal.

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
    pairs = pair_with_others(ratings)
    w = len(pairs.raters)
    residual = _centered(pairs.own - pairs.others, pairs.rater, w)
    units = np.bincount(pairs.rater, minlength=w)
    squares = sum_by_code(pairs.rater, residual**2, w)
    z = np.cbrt(ratio(squares, units - 1))
    remaining = np.maximum(
        squares[pairs.rater] - _leave_one_out_factor(units)[pairs.rater] * residual**2, 0.0
    )
    without = np.cbrt(ratio(remaining, units[pairs.rater] - 2))
    return _changes_by_item(pairs, z, units, without)


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
    raters, rater_code = np.unique(np.asarray(rater), return_inverse=True)
    if not code.shape == value.shape == rater_code.shape:
        raise InputError(
            f"`rater`, `text` and `score` must be equally long, got {len(rater_code)}, {len(code)}, {len(value)}"
        )
    has_text, w = code >= 0, len(raters)
    rater_code, code = rater_code[has_text], code[has_text]
    point = _centered(value[has_text], rater_code, w)
    sets = int(code.max(initial=0)) + 1
    cell, cell_of_rating = np.unique(rater_code * sets + code, return_inverse=True)
    count, total, squares = (
        sum_by_code(cell_of_rating, column, len(cell)) for column in (np.ones(len(point)), point, point**2)
    )
    is_repeated = count > 1
    cell_rater, unit = np.divmod(cell[is_repeated], sets)
    count, total, squares = count[is_repeated], total[is_repeated], squares[is_repeated]
    within = count / (count - 1) * np.maximum(squares - total**2 / count, 0.0)
    parts = np.stack([count, total, squares, within])
    sums = np.stack([sum_by_code(cell_rater, part, w) for part in parts])
    scale = sums[0] * sums[2]
    z = log_disagreement(_alpha(sums, NO_SPREAD * scale))
    without = log_disagreement(_alpha(sums[:, cell_rater] - parts, NO_SPREAD * scale[cell_rater]))
    units = np.bincount(cell_rater, minlength=w)
    return RaterChanges(raters, z, units, unit, cell_rater, _change(without, z[cell_rater]))


def _changes_by_item(pairs: PairsWithOthers, z: Floats, units: Codes, without: Floats) -> RaterChanges:
    """Return the changes from the raters' z (w,) and its leave-one-out values over their items (m,)."""
    return RaterChanges(pairs.raters, z, units, pairs.item, pairs.rater, _change(without, z[pairs.rater]))


def _alpha(sums: Floats, smallest: Floats) -> Floats:
    """Return interval alpha of sums (4, …): number of values, total, squares, and n SS / (n - 1) of the units."""
    n, total, squares, within = sums
    spread = n * squares - total**2
    return np.where(spread > smallest, 1 - ratio(within * (n - 1), spread), np.nan)


def _centered(values: Floats, rater: Codes, w: int) -> Floats:
    return values - ratio(sum_by_code(rater, values, w), np.bincount(rater, minlength=w))[rater]


def _correlation(squares: Sequence[Floats], tiny: float) -> Floats:
    xx, yy, xy = squares
    spread = (xx > tiny) & (yy > tiny)
    return np.where(spread, xy / np.sqrt(np.where(spread, xx * yy, 1.0)), np.nan)


def _leave_one_out_factor(units: Codes) -> Floats:
    """Return n / (n - 1), by which a sum of squares decreases per centered square of an excluded unit."""
    return np.nan_to_num(ratio(units, units - 1))


def _change(without: Floats, z: Floats) -> Floats:
    return np.nan_to_num(without - z)


FEWEST_UNITS = 10
"""Fewest items, or sets of identical texts, of a tested rater."""
FEWEST_RATERS = 5
"""Fewest tested raters."""
FEWEST_VOTES_ABOVE = 50
"""Fewest votes of a rater of choices who may be named above: by chance r_w reaches 1 with 20 to 25."""
LONGEST_EXACT = 50
"""Tested raters up to which the family-wise error rate is controlled, above it the false discovery rate."""
NO_VARIANCE = 1e-12
"""Pooled variance up to which figures do not vary with the units."""


@dataclass(frozen=True)
class PooledVariance:
    """Variance of a figure z of n units, times n - 3, with its `degrees` of freedom.

    1 for correlations of normal scores with independent errors, NaN if no rater has enough units.
    """

    value: float
    degrees: float


@dataclass(frozen=True, eq=False)
class TypicalComparison:
    """Tests of each rater's figure against the typical rater's.

    `tested` (w,) raters with enough units; `typical` their weighted median, on the scale of z; `t`, `p` (w,) two-sided
    and not adjusted, NaN for others; `may_be_above` (w,) raters with the units for it; `error` of the difference of a
    rater with the median number of units (`units`), with `degrees` of freedom; `p_differ` of the hypothesis that all
    raters are equally good. `reason` says why nobody was tested.
    """

    tested: Flags
    typical: float
    t: Floats
    p: Floats
    may_be_above: Flags
    error: float
    units: int
    degrees: float
    p_differ: float
    reason: str = ""


@dataclass(frozen=True, eq=False)
class NamedRaters:
    """Raters who are clearly below or above the typical rater.

    `p` (w,) adjusted, `below` and `above` (w,); `p_differ` adjusted over measures. A rater with the median number of
    units whose true figure is `detectable`, on the scale of z, is named with probability 1/2.
    """

    p: Floats
    below: Flags
    above: Flags
    p_differ: float
    detectable: float


def pooled_variance(changes: RaterChanges, fewest: int = FEWEST_UNITS) -> PooledVariance:
    """Estimate the pooled jackknife variance of raters' z, without the part that is common to all raters.

    Parameters
    ----------
    changes : of w raters (w,)
    fewest : units of a rater who is included

    Returns
    -------
    PooledVariance
        NaN for fewer than two such raters.

    Notes
    -----
    With a_uw = sqrt((n_w - 1) / n_w) (z_w(-u) - z_w), w_w = n_w - 3, p_w = w_w / sum of w and g_u = sum of p_w a_uw,
    v_w = [sum of a_uw (a_uw - 2 g_u) + sum of g_u²] / (1 - p_w), and the value is the mean of w_w v_w.
    Source: Efron and Stein 1981, "The jackknife estimate of variance".
    """
    tested = (changes.units >= fewest) & np.isfinite(changes.z)
    weight = np.where(tested, changes.units - 3.0, 0.0)
    if tested.sum() < 2:
        return PooledVariance(nan, nan)
    weights_share = weight / weight.sum()
    is_tested = tested[changes.rater]
    rater, units = changes.rater[is_tested], changes.units[changes.rater[is_tested]]
    change = changes.change[is_tested] * np.sqrt((units - 1) / units)
    _, unit = coded(changes.unit[is_tested])
    common = np.bincount(unit, weights_share[rater] * change)
    own_variance = np.bincount(rater, change * (change - 2 * common[unit]), len(tested))
    variance = (own_variance + common @ common) / (1 - weights_share)
    return PooledVariance(
        float((weight * variance)[tested].mean()), float((changes.units[tested] - 1).sum()) / 2
    )


def compare_with_typical(
    z: ArrayLike,
    units: ArrayLike,
    variance: PooledVariance,
    fewest_above: int = FEWEST_UNITS,
    unit: str = "items",
) -> TypicalComparison:
    """Test each rater's figure against the typical rater's.

    Parameters
    ----------
    z : (w,) figures on a scale of even variance, NaN where undefined; as `RaterChanges.z`
    units : (w,) number of units of each
    variance : of these figures, or of the same raters on a sample of the units
    fewest_above : units of a rater who may be named above
    unit : what `reason` calls the units

    Returns
    -------
    TypicalComparison
        arrays (w,); with its reason where fewer than 5 raters have 10 units, or figures do not vary with the units.

    Notes
    -----
    Answers: is this rater less consistent than most, beyond chance over items? Not: is the rater right. Has little
    power with few items: with 25, correlations of .35 and .67 are hardly distinguishable.
    t = (z - weighted median) / sqrt(variance / (n - 3) · K / (K - 1)) for K tested raters, F = sum of
    (n - 3)(z - mean)² / (variance (K - 1)).
    Source: Cochran 1954, "The combination of estimates from different experiments" (F); Fisher 1921.
    """
    figure, number = np.asarray(z, dtype=np.float64), np.asarray(units, dtype=np.int64)
    tested = (number >= FEWEST_UNITS) & np.isfinite(figure)
    k = int(tested.sum())
    reason = ""
    if len(figure) < FEWEST_RATERS:
        reason = f"you have {len(figure)}, it needs {FEWEST_RATERS}"
    elif k < FEWEST_RATERS:
        reason = f"you have {k} with {FEWEST_UNITS} {unit} or more, it needs {FEWEST_RATERS}"
    elif not variance.value > NO_VARIANCE:
        reason = f"the raters' figures do not depend on which {unit} they have"
    if reason:
        none, no_flags = np.full(len(figure), nan), np.zeros(len(figure), dtype=np.bool_)
        return TypicalComparison(no_flags, nan, none, none, no_flags, nan, 0, nan, nan, reason)
    weight = np.where(tested, number - 3.0, 0.0)
    typical = weighted_median(figure[tested], weight[tested])
    variance_of_one = variance.value * k / (k - 1)
    deviation = np.where(tested, figure - typical, nan)
    t = deviation / np.sqrt(variance_of_one / np.where(tested, weight, 1.0))
    p = np.asarray(2 * special.stdtr(variance.degrees, -np.abs(t)), dtype=np.float64)
    mean = float(weight[tested] @ figure[tested] / weight.sum())
    ratio_of_variances = float(weight[tested] @ (figure[tested] - mean) ** 2) / variance.value / (k - 1)
    median_units = int(np.median(number[tested]))
    return TypicalComparison(
        tested,
        typical,
        t,
        p,
        number >= fewest_above,
        float(np.sqrt(variance_of_one / (median_units - 3))),
        median_units,
        variance.degrees,
        float(special.fdtrc(k - 1, variance.degrees, ratio_of_variances)),
    )


def name_raters(comparisons: Sequence[TypicalComparison], level: float = 0.05) -> tuple[NamedRaters, ...]:
    """Name the raters clearly below or above the typical one on each measure, adjusted for all raters and measures.

    Parameters
    ----------
    comparisons : one per measure
    level : probability of naming any rater if all are equally good

    Returns
    -------
    tuple
        one per measure, arrays (w,). Up to 50 raters `level` bounds the family-wise error rate, above it the false
        discovery rate, for a list to screen.

    Notes
    -----
    Source: Holm 1979; Benjamini and Hochberg 1995, "Controlling the false discovery rate".
    """
    p = np.concatenate([np.zeros(0), *(comparison.p for comparison in comparisons)])
    adjusted = (benjamini_hochberg if is_screening_list(comparisons) else holm)(p)
    bounds = np.cumsum([len(comparison.p) for comparison in comparisons])
    differ = holm([comparison.p_differ for comparison in comparisons])
    tests = max(int((~np.isnan(p)).sum()), 1)
    named = []
    for comparison, p_adjusted, p_differ in zip(
        comparisons, np.split(adjusted, bounds[:-1]) if len(bounds) else (), differ, strict=True
    ):
        is_significant = np.nan_to_num(p_adjusted, nan=1.0) < level
        critical_t = (
            special.stdtrit(comparison.degrees, 1 - level / tests / 2)
            if comparison.error == comparison.error
            else nan
        )
        named.append(
            NamedRaters(
                p_adjusted,
                is_significant & (comparison.t < 0),
                is_significant & (comparison.t > 0) & comparison.may_be_above,
                float(p_differ),
                float(comparison.typical - critical_t * comparison.error),
            )
        )
    return tuple(named)


def is_screening_list(comparisons: Sequence[TypicalComparison]) -> bool:
    """Return True if so many raters are tested that only the false discovery rate is controlled."""
    return max((int(each.tested.sum()) for each in comparisons), default=0) > LONGEST_EXACT


def weighted_median(values: ArrayLike, weights: ArrayLike) -> float:
    """Return the weighted median of values (n,), the mean of two values if both are medians.

    >>> weighted_median([3.0, 1.0, 2.0], [1, 1, 1]), weighted_median([1.0, 2.0, 9.0], [1, 1, 2])
    (2.0, 5.5)
    """
    value, weight = np.asarray(values, dtype=np.float64), np.asarray(weights, dtype=np.float64)
    order = np.argsort(value, kind="stable")
    half = np.cumsum(weight[order]) / weight.sum() - 0.5
    first, last = int(np.argmax(half >= -NO_VARIANCE)), int(np.argmax(half > NO_VARIANCE))
    return float(value[order[first]] + value[order[last]]) / 2
