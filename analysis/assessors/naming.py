"""Raters who differ clearly from the typical one, and how figures change without a rater."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import nan
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from analysis.agreement.reliability import PairsWithOthers, pair_with_others
from analysis.values.estimate import Codes, Flags, Floats, InputError, benjamini_hochberg, holm
from analysis.values.ratings import Ratings, coded, ratio

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
    pairs = pair_with_others(ratings)
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
    pairs = pair_with_others(ratings)
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


def _of_items(pairs: PairsWithOthers, z: Floats, units: Codes, without: Floats) -> RaterChanges:
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


FEWEST_UNITS = 10
"""Items, or sets of identical texts, of a rater who is tested."""
FEWEST_RATERS = 5
"""Raters who must be tested."""
FEWEST_VOTES_ABOVE = 50
"""Votes of a rater of choices who may be named above: by luck r_w reaches 1 with 20 to 25."""
LONGEST_EXACT = 50
"""Tested raters up to whom the chance of any false name is bounded; of more, the share of false ones in the list."""
NO_VARIANCE = 1e-12
"""Pooled variance up to which figures do not vary with the units."""


@dataclass(frozen=True)
class PooledVariance:
    """Variance of a figure z of n units, times n - 3: `value`, 1 for correlations of normal scores without
    shared chance, with its `degrees` of freedom. NaN where nobody has enough units."""

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

    `p` (w,) adjusted, `below` and `above` (w,); `p_differ` adjusted over measures. `missed`: a rater with the median
    number of units whose true figure is this far down, on the scale of z, is named half of the time.
    """

    p: Floats
    below: Flags
    above: Flags
    p_differ: float
    missed: float


def pooled_variance(changes: RaterChanges, fewest: int = FEWEST_UNITS) -> PooledVariance:
    """Return the variance of z that raters have in common, apart from what removing a unit does to all of them.

    Parameters
    ----------
    changes : of w raters (w,)
    fewest : units of a rater who counts

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
    share = weight / weight.sum()
    kept = tested[changes.rater]
    rater, units = changes.rater[kept], changes.units[changes.rater[kept]]
    change = changes.change[kept] * np.sqrt((units - 1) / units)
    _, unit = coded(changes.unit[kept])
    common = np.bincount(unit, share[rater] * change)
    own = np.bincount(rater, change * (change - 2 * common[unit]), len(tested))
    variance = (own + common @ common) / (1 - share)
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
    Answers: is this rater less consistent than most, beyond chance over items? Not: is the rater right; and with few
    items seldom. With 25 items a correlation of .35 is hardly distinguished from one of .67.
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
        reason = f"{k} of {len(figure)} have {FEWEST_UNITS} {unit} or more, it needs {FEWEST_RATERS}"
    elif not variance.value > NO_VARIANCE:
        reason = f"the raters' figures do not depend on which {unit} they have"
    if reason:
        none, nobody = np.full(len(figure), nan), np.zeros(len(figure), dtype=np.bool_)
        return TypicalComparison(nobody, nan, none, none, nobody, nan, 0, nan, nan, reason)
    weight = np.where(tested, number - 3.0, 0.0)
    typical = weighted_median(figure[tested], weight[tested])
    of_one = variance.value * k / (k - 1)
    away = np.where(tested, figure - typical, nan)
    t = away / np.sqrt(of_one / np.where(tested, weight, 1.0))
    p = np.asarray(2 * special.stdtr(variance.degrees, -np.abs(t)), dtype=np.float64)
    mean = float(weight[tested] @ figure[tested] / weight.sum())
    ratio_of_variances = float(weight[tested] @ (figure[tested] - mean) ** 2) / variance.value / (k - 1)
    middle = int(np.median(number[tested]))
    return TypicalComparison(
        tested,
        typical,
        t,
        p,
        number >= fewest_above,
        float(np.sqrt(of_one / (middle - 3))),
        middle,
        variance.degrees,
        float(special.fdtrc(k - 1, variance.degrees, ratio_of_variances)),
    )


def name_raters(comparisons: Sequence[TypicalComparison], level: float = 0.05) -> tuple[NamedRaters, ...]:
    """Return who is clearly below or above the typical rater on each measure, adjusted for all raters and measures.

    Parameters
    ----------
    comparisons : one per measure
    level : chance that anybody is named although all raters are equally good

    Returns
    -------
    tuple
        one per measure, arrays (w,). Up to 50 raters the chance of any false name is at most `level`; of more, `level`
        of those named are false on average: a list to look at.

    Notes
    -----
    Source: Holm 1979; Benjamini and Hochberg 1995, "Controlling the false discovery rate".
    """
    p = np.concatenate([np.zeros(0), *(each.p for each in comparisons)])
    adjusted = (benjamini_hochberg if is_screening_list(comparisons) else holm)(p)
    ends = np.cumsum([len(each.p) for each in comparisons])
    differ = holm([each.p_differ for each in comparisons])
    tests = max(int((~np.isnan(p)).sum()), 1)
    named = []
    for each, own, p_differ in zip(
        comparisons, np.split(adjusted, ends[:-1]) if len(ends) else (), differ, strict=True
    ):
        known = np.nan_to_num(own, nan=1.0) < level
        far = special.stdtrit(each.degrees, 1 - level / tests / 2) if each.error == each.error else nan
        named.append(
            NamedRaters(
                own,
                known & (each.t < 0),
                known & (each.t > 0) & each.may_be_above,
                float(p_differ),
                float(each.typical - far * each.error),
            )
        )
    return tuple(named)


def is_screening_list(comparisons: Sequence[TypicalComparison]) -> bool:
    """Return True where so many raters are tested that only the share of false names is bounded."""
    return max((int(each.tested.sum()) for each in comparisons), default=0) > LONGEST_EXACT


def weighted_median(values: ArrayLike, weights: ArrayLike) -> float:
    """Return the value with half of the weight (n,) on either side, the middle of two where both are such.

    >>> weighted_median([3.0, 1.0, 2.0], [1, 1, 1]), weighted_median([1.0, 2.0, 9.0], [1, 1, 2])
    (2.0, 5.5)
    """
    value, weight = np.asarray(values, dtype=np.float64), np.asarray(weights, dtype=np.float64)
    order = np.argsort(value, kind="stable")
    half = np.cumsum(weight[order]) / weight.sum() - 0.5
    first, last = int(np.argmax(half >= -NO_VARIANCE)), int(np.argmax(half > NO_VARIANCE))
    return float(value[order[first]] + value[order[last]]) / 2
