"""Distributions of ratings: size, center, spread, shape, normality and histogram.

All figures are computed from counts and sums per item, so that raw ratings and stored sums give the same results.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, nan
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from analysis.values.estimate import InputError
from analysis.values.ratings import settle

FEWEST_FOR_NORMALITY = 8
"""Fewest values for p of the corrected Anderson-Darling statistic (D'Agostino & Stephens, Table 4.7)."""


@dataclass(frozen=True)
class Normality:
    """Anderson-Darling test of normality with estimated mean and SD.

    `statistic` is A², `corrected` A² (1 + 0.75 / n + 2.25 / n²), `p` belongs to the latter.
    Source: D'Agostino & Stephens 1986, Goodness-of-fit techniques, Tables 4.7 and 4.9.
    """

    statistic: float
    corrected: float
    p: float
    reason: str = ""


@dataclass(frozen=True)
class Description:
    """One group's ratings of a measure: sizes, and the distribution of its items' MOS.

    `sd` divides by n - 1, `skewness` is adjusted (Fisher-Pearson G1). Undefined figures are NaN with a `reason`. `end`
    tells whether the median is the lowest or highest of the items' MOS. `raters` is 0 for a column of numbers.
    Source: Iskender et al. 2020, section 4.1 and Table 1; methods: section 1.
    """

    items: int
    ratings: int
    raters: int
    per_item_min: int
    per_item_median: float
    per_item_max: int
    median: float
    mean: float
    sd: float
    skewness: float
    normality: Normality
    reason: str = ""
    end: Literal["", "lowest", "highest"] = ""


def describe_means(means: ArrayLike, counts: ArrayLike, raters: int) -> Description:
    """Describe sizes and distribution of the MOS of one group on one measure.

    Parameters
    ----------
    means : (n,) MOS of each item
    counts : (n,) number of its ratings
    raters : number of raters of the group

    Returns
    -------
    Description
        with a `reason` where the MOS have no spread.

    Raises
    ------
    InputError
        where lengths differ.

    Notes
    -----
    The mean is that of the items' MOS, not of the single ratings, which would weight items by their number of ratings.
    Source: Iskender et al. 2020, section 4.1; methods: section 1.

    >>> group = describe_means([4.5, 2.0, 3.0], [2, 2, 1], raters=2)
    >>> group.items, group.ratings, group.raters, group.per_item_min, group.median, group.sd
    (3, 5, 2, 1, 3.0, 1.2583057392117916)
    """
    mos, per_item = np.asarray(means, dtype=np.float64), np.asarray(counts)
    if mos.ndim != 1 or mos.shape != per_item.shape:
        raise InputError(
            f"`means` and `counts` must be 1-d and equally long, got {mos.shape} and {per_item.shape}"
        )
    n = len(mos)
    if n == 0:
        undefined = Normality(nan, nan, nan, "there are no items")
        return Description(0, 0, raters, 0, nan, 0, nan, nan, nan, nan, undefined, "there are no items")
    mos = settle(mos)
    constant = np.ptp(mos) == 0
    reason = "one item alone has no spread" if n == 1 else "all items have the same MOS" if constant else ""
    median = float(np.median(mos))
    extremes = {float(mos.min()): "lowest", float(mos.max()): "highest"}
    return Description(
        items=n,
        ratings=int(per_item.sum()),
        raters=raters,
        per_item_min=int(per_item.min()),
        per_item_median=float(np.median(per_item)),
        per_item_max=int(per_item.max()),
        median=median,
        mean=float(mos.mean()),
        sd=float(mos.std(ddof=1)) if n > 1 else nan,
        skewness=skewness(mos),
        normality=anderson_darling(mos),
        reason=reason,
        end=extremes.get(median, ""),  # type: ignore[arg-type]
    )


def skewness(values: ArrayLike) -> float:
    """Return the adjusted skewness G1: negative where the long tail is on the left.

    Unreliable for fewer than 30 values. Source: Fisher-Pearson coefficient G1 as in Joanes & Gill 1998.

    >>> round(skewness([1, 4, 5, 5]), 6)
    -1.658524
    """
    x = _check_one_d(values)
    n = len(x)
    if n < 3 or np.ptp(x) == 0:
        return nan
    deviation = x - x.mean()
    square = deviation * deviation
    g1 = (square * deviation).mean() / square.mean() ** 1.5
    return float(g1 * np.sqrt(n * (n - 1)) / (n - 2))


def anderson_darling(values: ArrayLike) -> Normality:
    """Test by Anderson and Darling whether values come from a normal distribution.

    p is undefined for fewer than 8 values; with thousands of items, every real distribution of MOS is rejected.
    Departure: above 10, p is constant at the formula's value there (3.7e-24), as it would increase again. Source:
    D'Agostino & Stephens 1986, Tables 4.7 and 4.9, case 3; methods: section 1.

    >>> anderson_darling([1, 2, 3, 4, 5, 6, 7, 8]).p > 0.9
    True
    """
    x = np.sort(_check_one_d(values))
    n = len(x)
    if n < 2 or x[0] == x[-1]:
        return Normality(nan, nan, nan, "normality needs at least two different values")
    # The weights 2 i - 1 of a run of equal values sum to a difference of squares: MOS of whole-number ratings have
    # few distinct values, for any number of items.
    last = np.append(np.flatnonzero(x[1:] != x[:-1]), n - 1)
    z = (x[last] - x.mean()) / x.std(ddof=1)
    start, stop = np.concatenate([[0.0], last[:-1] + 1.0]), last + 1.0
    lower_terms = (stop**2 - start**2) * special.log_ndtr(z)
    upper_terms = ((n - start) ** 2 - (n - stop) ** 2) * special.log_ndtr(-z)
    a2 = float(-n - (lower_terms + upper_terms).sum() / n)
    corrected = a2 * (1 + 0.75 / n + 2.25 / n**2)
    if n < FEWEST_FOR_NORMALITY:
        reason = f"a p of normality needs at least {FEWEST_FOR_NORMALITY} items; there are {n}"
        return Normality(a2, corrected, nan, reason)
    return Normality(a2, corrected, _anderson_p(corrected))


def round_edges(low: float, high: float, most: int = 24) -> NDArray[np.float64]:
    """Return edges of histogram bars at round numbers, for several groups on one scale; `high` may be the last edge.

    Source: Figure 2 of Iskender et al. 2020; round steps: Heckbert 1990.

    >>> round_edges(1.2, 4.9, most=8).tolist()
    [1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0, 4.5, 5.0]
    """
    if not (np.isfinite(low) and np.isfinite(high) and low <= high):
        raise InputError(f"`low` and `high` must be finite and in order, got {low} and {high}")
    step = _round_step((high - low) / most if high > low else max(abs(low), 1.0) / 10)
    first, last = _floor_steps(low, step), -_floor_steps(-high, step)
    while last - first > most:
        step = _round_step(1.01 * step)
        first, last = _floor_steps(low, step), -_floor_steps(-high, step)
    edges: NDArray[np.float64] = np.round(np.arange(first, max(last, first + 1) + 1) * step, 12)
    return edges


def histogram_edges(values: Sequence[ArrayLike], most: int = 24) -> NDArray[np.float64]:
    """Return the edges of at most this many bars for all groups' values, centered on whole numbers if all are whole.

    >>> histogram_edges([[1, 2], [4]]).tolist(), histogram_edges([[1.2], [4.9]], most=8).tolist()[:3]
    ([0.5, 1.5, 2.5, 3.5, 4.5], [1.0, 1.5, 2.0])
    """
    all_values = settle(np.concatenate([_check_one_d(of_group) for of_group in values]))
    low, high = float(all_values.min()), float(all_values.max())
    if high - low < most and (all_values == np.rint(all_values)).all():
        return np.arange(low, high + 2) - 0.5
    return round_edges(low, high, most)


def histogram(values: ArrayLike, edges: NDArray[np.float64], counts: ArrayLike | None = None) -> NDArray[Any]:
    """Count the values between each two edges (the lower and the very last included).

    `counts` of the values may be weights.

    Source: Iskender et al. 2020, Figure 2.

    >>> histogram([1, 2, 5], np.array([1.0, 3.0, 6.0]), counts=[10, 1, 4]).tolist()
    [11, 4]
    """
    x = settle(_check_one_d(values))
    bar = np.searchsorted(edges, x, side="right") - 1 - (x == edges[-1])
    if x.size and (bar.min() < 0 or bar.max() >= len(edges) - 1):
        raise InputError(f"`values` must lie between the edges {edges[0]} and {edges[-1]}")
    weights = None if counts is None else np.asarray(counts)
    found = np.bincount(bar, weights=weights, minlength=len(edges) - 1)
    return found if weights is not None and weights.dtype.kind == "f" else found.astype(np.int64)


def _anderson_p(a: float) -> float:
    if a < 0.2:
        return 1 - exp(-13.436 + 101.14 * a - 223.73 * a * a)
    if a < 0.34:
        return 1 - exp(-8.318 + 42.796 * a - 59.938 * a * a)
    if a < 0.6:
        return exp(0.9177 - 4.279 * a - 1.38 * a * a)
    a = min(a, 10.0)
    return exp(1.2937 - 5.709 * a + 0.0186 * a * a)


def _floor_steps(value: float, step: float) -> int:
    """Return the whole steps up to a value, rounded up within a billionth of a step."""
    return int(np.floor(value / step + 1e-9))


def _round_step(step: float) -> float:
    power = 10.0 ** np.floor(np.log10(step))
    return float(next(nice * power for nice in (1, 2, 2.5, 5, 10) if nice * power >= step * (1 - 1e-9)))


def _check_one_d(values: ArrayLike) -> NDArray[np.float64]:
    x = np.asarray(values, dtype=np.float64)
    if x.ndim != 1:
        raise InputError(f"`values` must be 1-d, got an array of shape {x.shape}")
    return x
