"""Intraclass correlations: how much of a rating, or of a mean of k, is the item and not the rater or the rest.

Where every rater rated every item, mean squares say it all, intervals included. Where ratings are missing, the
variances of items, raters and the rest are those of `analysis.variance`, with its intervals.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import nan
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy import special

from analysis.agreement.one_way_intervals import one_way_intervals
from analysis.resampling.intervals import percentiles
from analysis.values.codes import coded
from analysis.values.estimate import BootstrapSpec, Estimate
from analysis.values.ratings import Ratings
from analysis.variance.components import Components, components
from analysis.variance.reml import NO_REST
from analysis.variance.sources import ITEM, RATER, REST

Floats = NDArray[np.float64]
OnProgress = Callable[[float], object] | None
Method = Literal["analysis of variance", "REML", "moments"]

FORMS = ("one_way", "one_way_k", "agreement", "agreement_k", "consistency", "consistency_k")
EXACT = 1e-10
"""A residual sum of squares up to this share of all is rounding."""

ONE_ITEM = "a single item does not show how items differ"
ONE_RATER = "a single rater cannot be compared with others"
ALL_EQUAL = "all ratings are equal, so there is nothing to agree on"
NO_DIFFERENCES = "items do not differ from each other beyond what the raters' disagreement makes up"
SATURATED = "there are too few ratings to tell raters, items and the rest apart"
NO_INTERVAL = "these ratings are too few or too alike for an interval"
NOT_CROSSED = "raters and items do not meet in a way that tells them apart"
NO_RESIDUAL = "items and raters explain every rating exactly, so the likelihood has no peak"


@dataclass(frozen=True)
class Intraclass:
    """The six intraclass correlations of n items and w raters, and what they rest on.

    `one_way` ICC(1,1), `agreement` ICC(A,1) and `consistency` ICC(C,1) of a single rating; with `_k` those of
    a mean of `k` ratings, ICC(1,k), ICC(A,k), ICC(C,k): k is the number of raters or, where ratings are
    missing, the harmonic mean of the ratings per item, items with a single rating included.
    `averaged`: pairs of item and rater with several ratings, whose mean counts as one. `variances` of items,
    raters and the rest, which may be negative but for REML. `method` of the estimates, `interval` of their
    intervals.
    """

    one_way: Estimate
    one_way_k: Estimate
    agreement: Estimate
    agreement_k: Estimate
    consistency: Estimate
    consistency_k: Estimate
    variances: tuple[float, float, float]
    items: int
    raters: int
    k: float
    averaged: int
    complete: bool
    method: Method


def icc(
    ratings: Ratings, bootstrap: BootstrapSpec | None = None, on_progress: OnProgress = None
) -> Intraclass:
    """Intraclass correlations of a single rating and of a mean of k, in all six forms.

    Parameters
    ----------
    ratings : N ratings (N,) of n items by w raters, each rating any of the items
    bootstrap : of the intervals; 0 draws give none where they would have to be drawn
    on_progress : called with the share done, where there are so many raters that moments are taken

    Returns
    -------
    Intraclass
        n = items in each estimate. Undefined with its reason for one item, one rater, equal ratings.

    Notes
    -----
    Answers: with other raters of the same kind, would a rating (a mean of k) be the same? One-way: raters differ
    from item to item and their severities are noise; agreement: severities count; consistency: they do not, only
    what remains after them. Not for ordered categories (alpha, ordinal), and not comparable between samples of
    items that differ unequally. Several ratings of an item by one rater are averaged first.
    Complete ratings: mean squares with intervals from F. Incomplete ones: variance components of crossed random items
    and raters (`analysis.variance`: REML, moments above 600 raters, generalised confidence intervals); the one-way
    forms come from the unbalanced analysis of variance, their intervals from a jackknife. All are for other items and
    other raters.
    Source: McGraw & Wong 1996, Tables 4 and 7; Shrout & Fleiss 1979; Searle, Casella & McCulloch 1992, sections
    5.3 (moments) and 6.6 (REML); k: Ebel 1951.
    """
    spec = BootstrapSpec() if bootstrap is None else bootstrap
    cells = _cells(ratings)
    n, w = len(cells.counts), cells.raters
    complete = len(cells.score) == n * w
    method: Method = "analysis of variance" if complete else "REML"
    k = float(n / (1 / cells.counts).sum()) if n else nan
    why = _why_undefined(cells)
    if why:
        estimates, variances = tuple(Estimate(nan, n=n, reason=why) for _ in FORMS), (nan, nan, nan)
    elif complete:
        estimates, variances = _complete(cells, spec.level)
    else:
        found = components(cells.item, cells.rater, cells.score, bootstrap=spec, on_progress=on_progress)
        method = found.method
        estimates, variances = _incomplete(cells, found, k, spec)
    forms = dict(zip(FORMS, estimates, strict=True))
    return Intraclass(
        **forms,
        variances=variances,
        items=n,
        raters=w,
        k=k,
        averaged=cells.averaged,
        complete=complete,
        method=method,
    )


@dataclass(frozen=True, eq=False)
class _Cells:
    """One score per item and rater: `item`, `rater` codes (N,), `score` less the mean; `counts` (n,) per item."""

    item: NDArray[np.int64]
    rater: NDArray[np.int64]
    score: Floats
    counts: Floats
    raters: int
    averaged: int


def _cells(ratings: Ratings) -> _Cells:
    items, item = coded(ratings.item)
    raters, rater = coded(ratings.rater)
    cell, place, times = np.unique(
        item * max(len(raters), 1) + rater, return_inverse=True, return_counts=True
    )
    equal = len(ratings) == 0 or np.ptp(ratings.score) == 0
    centred = np.zeros(len(ratings)) if equal else ratings.score - ratings.score.mean()
    score = np.bincount(place, weights=centred, minlength=len(cell)) / times
    item, rater = np.divmod(cell, max(len(raters), 1))
    counts = np.bincount(item, minlength=len(items)).astype(np.float64)
    return _Cells(item, rater, score, counts, len(raters), int((times > 1).sum()))


def _why_undefined(cells: _Cells) -> str:
    if len(cells.counts) < 2:
        return ONE_ITEM
    if cells.raters < 2:
        return ONE_RATER
    if not np.abs(cells.score).max() > 0:
        return ALL_EQUAL
    return ""


def _complete(cells: _Cells, level: float) -> tuple[tuple[Estimate, ...], tuple[float, float, float]]:
    n, k = len(cells.counts), cells.raters
    scores = cells.score.reshape(n, k)
    by_item, by_rater, grand = scores.mean(axis=1), scores.mean(axis=0), scores.mean()
    residual = scores - by_item[:, None] - by_rater + grand
    smallest = EXACT**2 * float((scores**2).sum())
    squares = [
        k * float(((by_item - grand) ** 2).sum()),
        n * float(((by_rater - grand) ** 2).sum()),
        float((residual**2).sum()),
        float(((scores - by_item[:, None]) ** 2).sum()),
    ]
    freedom = [n - 1, k - 1, (n - 1) * (k - 1), n * (k - 1)]
    msr, msc, mse, msw = (ss / df if ss > smallest else 0.0 for ss, df in zip(squares, freedom, strict=True))

    def simple(noise: float, df: int) -> Estimate:
        below, above = _quantiles(n - 1, df, level)
        value, low, high = (_ratio(msr - f * noise, msr + (k - 1) * f * noise) for f in (1, below, 1 / above))
        return _estimate(value, low, high, n)

    def agreement() -> Estimate:
        rho = _ratio(msr - mse, msr + (k - 1) * mse + k / n * (msc - mse))
        if msc == mse == 0:
            return _estimate(rho, rho, rho, n)
        a, b = k * rho, n * (1 - rho) + k * rho * (n - 1)
        v = _ratio((a * msc + b * mse) ** 2, (a * msc) ** 2 / (k - 1) + (b * mse) ** 2 / ((n - 1) * (k - 1)))
        below, above = _quantiles(n - 1, v, level)
        rest = k * msc + (k * n - k - n) * mse
        low = _ratio(n * (msr - below * mse), below * rest + n * msr)
        high = _ratio(n * (above * msr - mse), rest + n * above * msr)
        return _estimate(rho, low, high, n)

    single = simple(msw, n * (k - 1)), agreement(), simple(mse, (n - 1) * (k - 1))
    spread = msr, msr + (msc - mse) / n, msr
    estimates = []
    for one, left in zip(single, spread, strict=True):
        estimates += [one, stepped_up(one, k) if left > 0 else Estimate(nan, n=n, reason=NO_DIFFERENCES)]
    return tuple(estimates), ((msr - mse) / k, (msc - mse) / n, mse)


def _quantiles(one: float, other: float, level: float) -> tuple[float, float]:
    """Of F with these degrees of freedom, and with them the other way round."""
    tail = (1 + level) / 2
    return float(special.fdtri(one, other, tail)), float(special.fdtri(other, one, tail))


def stepped_up(one: Estimate, k: float) -> Estimate:
    """The reliability of a mean of k ratings from that of one (Spearman-Brown)."""
    if not one.defined:
        return one
    value, low, high = (_ratio(k * r, 1 + (k - 1) * r) for r in (one.value, one.low, one.high))
    found = _estimate(value, low, high, one.n)
    return replace(found, reason=one.reason or found.reason, warning=one.warning)


def _estimate(value: float, low: float, high: float, n: int) -> Estimate:
    if not np.isfinite(value):
        return Estimate(nan, n=n, reason=NO_DIFFERENCES)
    if not np.isfinite(low + high):
        return Estimate(value, n=n, reason=NO_INTERVAL)
    return Estimate(value, min(low, value), max(high, value), n)


def _ratio(above: float, below: float) -> float:
    return above / below if below > 0 else nan


def _incomplete(
    cells: _Cells, found: Components, k: float, spec: BootstrapSpec
) -> tuple[tuple[Estimate, ...], tuple[float, float, float]]:
    n = len(cells.counts)
    once = Ratings(cells.item, cells.rater, cells.score)
    single = one_way_intervals(once, level=spec.level).icc
    if not spec.draws:
        single = Estimate(single.value, n=n, reason=single.reason)
    one = single if single.reason or single.low == single.low or not spec.draws else _without_ends(single)
    both = [one, stepped_up(one, k)]
    why = found.reason or _why_no_variances(cells, found)
    if why:
        return (*both, *(Estimate(nan, n=n, reason=why) for _ in range(4))), (nan, nan, nan)
    place = [found.sources.index(source) for source in (ITEM, RATER, REST)]
    drawn = np.maximum(found.drawn[:, place], 0.0)
    item, rater, rest = (float(part) for part in found.counted[place])
    if _agreed(cells):
        item, rater, rest, drawn = item + rater + rest, 0.0, 0.0, np.empty((0, 3))
    crossed = []
    for by_rater, over in ((1.0, 1.0), (1.0, k), (0.0, 1.0), (0.0, k)):
        share = np.array([0.0, by_rater, 1.0]) / over
        value = _ratio(item, item + rater * share[1] + rest * share[2])
        whole = drawn[:, 0] + drawn @ share
        ends = percentiles(
            value, np.divide(drawn[:, 0], whole, out=np.full_like(whole, nan), where=whole > 0), spec.level
        )
        low, high = float(ends.low), float(ends.high)
        crossed.append(_estimate(value, low, high, n) if spec.draws else Estimate(value, n=n))
    return (*both, *crossed), (item, rater, rest)


def _without_ends(one: Estimate) -> Estimate:
    return Estimate(one.value, n=one.n, reason=NO_INTERVAL if one.defined else NO_DIFFERENCES)


def _agreed(cells: _Cells) -> bool:
    """Whether all ratings of an item are the same, but for rounding."""
    means = np.bincount(cells.item, cells.score) / cells.counts
    return bool(((cells.score - means[cells.item]) ** 2).sum() <= EXACT * (cells.score**2).sum())


def _why_no_variances(cells: _Cells, found: Components) -> str:
    if len(cells.score) <= len(cells.counts) + cells.raters - 1:
        return SATURATED
    if not {ITEM, RATER} <= set(found.sources):
        return NOT_CROSSED
    if _agreed(cells):
        return ""
    return NO_RESIDUAL if found.variance[-1] <= 2 * NO_REST * found.variance.sum() else ""
