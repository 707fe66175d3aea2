"""Intraclass correlations with intervals over items and, where raters are persons, over raters."""

from dataclasses import dataclass, replace
from math import exp, inf, isfinite, isinf, nan, sqrt
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.agreement.reliability import ONE_ITEM, OneWay, one_way, one_way_icc
from analysis.resampling.intervals import jackknife_covariance, t_quantile
from analysis.values.estimate import BootstrapSpec, Estimate, Floats, OnProgress
from analysis.values.ratings import Ratings, coded
from analysis.variance.components import Components, estimate_components
from analysis.variance.jackknives import CellScores, Figure, Jackknife, average_repeats, jackknife_components
from analysis.variance.reml import SMALLEST_RESIDUAL
from analysis.variance.sources import ITEM, RATER, REST, design

FEWEST_ITEMS = 5
"""Fewest items for an interval of a reliability."""


@dataclass(frozen=True)
class OneWayIntervals:
    """ICC(1,1) and the SD of an item's ratings with their intervals, NaN where undefined."""

    icc: Estimate
    sd_within: Estimate


def one_way_intervals(
    ratings: Ratings, raters_are_persons: bool = True, level: float = 0.95
) -> OneWayIntervals:
    """Estimate the reliability of one rating and the SD of an item's ratings, with intervals.

    Jackknife variances of the log ratio of mean squares and of the log variance: over items plus over raters minus
    over single ratings; Student's t with Satterthwaite's degrees of freedom. Over items alone the reliability has the
    interval of `analysis.agreement.reliability.one_way_icc`.
    Source: Shrout and Fleiss 1979 (the ratio); Arvesen 1969 (jackknife of the log ratio); Cameron, Gelbach and Miller
    2011 (two ways of clustering).
    """
    components = one_way(ratings)
    if components.reason or components.items < FEWEST_ITEMS:
        return _without_intervals(components)
    _, item = coded(ratings.item)
    _, rater = coded(ratings.rater)
    sums = _OneWaySums(item, rater, ratings.score - ratings.score.mean())
    if not raters_are_persons or rater.max() == 0:
        return _with_intervals(components, sums.of_items, None, level)
    cells, raters = sums.without_cells_and_raters()
    beyond_items = _RaterVariances(
        _variance(_log_figures(raters)), raters.shape[1], _variance(_log_figures(cells))
    )
    return _with_intervals(components, sums.of_items, beyond_items, level)


@dataclass(frozen=True, eq=False)
class _RaterVariances:
    """Jackknife variances (2,) over `number` raters, and over single ratings."""

    raters: Floats
    number: int
    single: Floats


def _without_intervals(components: OneWay) -> OneWayIntervals:
    return OneWayIntervals(
        Estimate(components.icc, n=components.items, reason=components.reason),
        Estimate(components.sd_within, n=components.items, reason=components.reason),
    )


def _with_intervals(
    components: OneWay, of_items: Floats, rater_variances: _RaterVariances | None, level: float
) -> OneWayIntervals:
    total = of_items.sum(axis=1, keepdims=True)
    logs = _log_figures(total)[:, 0]
    if not np.isfinite(logs).all():
        return _without_intervals(components)
    variances, sizes = [_variance(_log_figures(total - of_items))], [of_items.shape[1]]
    if rater_variances is not None:
        variances, sizes = (
            [*variances, rater_variances.raters, rater_variances.single],
            [*sizes, rater_variances.number],
        )
    half = _half_widths(variances, sizes, level)
    items, ratings, counts = total[[0, 1, 5], 0]
    per_item = float((ratings - counts / ratings) / (items - 1))
    ratio = exp(float(logs[0]))
    low, high = (_icc(ratio * exp(sign * half[0]), per_item) for sign in (-1, 1))
    icc = Estimate(components.icc, low, high, components.items)
    if rater_variances is None:
        number, total_of, squares = of_items[1], of_items[2], of_items[3]
        icc = one_way_icc(number, total_of, squares, level=level)
    narrower, wider = (components.sd_within * exp(sign * half[1] / 2) for sign in (-1, 1))
    return OneWayIntervals(
        icc,
        Estimate(components.sd_within, narrower, wider, components.items),
    )


def _icc(ratio: float, per_item: float) -> float:
    return (ratio - 1) / (ratio - 1 + per_item) if isfinite(ratio) else nan


def _variance(figures: Floats) -> Floats:
    """Return jackknife variances (2,) from the figures without each of g parts (2, g)."""
    known = figures[:, np.isfinite(figures).all(axis=0)]
    return np.diagonal(jackknife_covariance(known.T))


def _half_widths(variances: list[Floats], sizes: list[int], level: float) -> Floats:
    """Return half-widths (2,) from the variances over items alone, or over items, raters and single ratings."""
    if len(variances) == 1:
        return np.sqrt(variances[0]) * float(t_quantile(sizes[0] - 1, level))
    items, raters, single = variances
    half = np.empty(2)
    for i in range(2):
        a, b = float(items[i]), float(raters[i])
        only_raters = max(b - float(single[i]), 0.0)
        total = a + only_raters
        degrees = total**2 / (a**2 / (sizes[0] - 1) + only_raters**2 / (sizes[1] - 1)) if total > 0 else 1.0
        if i and only_raters > 0:  # the number of raters limits the precision of the variance of severities
            degrees = min(degrees, sizes[1] - 1)
        half[i] = sqrt(total) * float(t_quantile(max(degrees, 1.0), level))
    return half


class _OneWaySums:
    """Sums over items for both figures, of all ratings and without parts of them."""

    def __init__(self, item: NDArray[np.intp], rater: NDArray[np.intp], score: Floats) -> None:
        self.of_items = _item_statistics(
            np.bincount(item), np.bincount(item, score), np.bincount(item, score**2)
        )
        self.total = self.of_items.sum(axis=1, keepdims=True)
        self.item, self.rater, self.score = item, rater, score

    def without_cells_and_raters(self) -> tuple[Floats, Floats]:
        """Return the sums without each rater's ratings of each item, and without each rater."""
        cell, cell_code = np.unique(self.rater * (self.item.max() + 1) + self.item, return_inverse=True)
        rater, item = np.divmod(cell, self.item.max() + 1)
        n, total, square = self.of_items[1:4, item]
        remaining = (
            n - np.bincount(cell_code),
            total - np.bincount(cell_code, self.score),
            square - np.bincount(cell_code, self.score**2),
        )
        change = _item_statistics(*remaining) - self.of_items[:, item]
        of_raters = np.array([np.bincount(rater, one) for one in change])
        without_cell: Floats = self.total + change
        without_rater: Floats = self.total + of_raters
        return without_cell, without_rater


def _item_statistics(n: ArrayLike, total: ArrayLike, square: ArrayLike) -> Floats:
    """Return for each item (8, g): has ratings, n, sum S, sum of squares, S^2 / n, n^2, has two ratings, variance."""
    number, total, square = (np.asarray(one, dtype=np.float64) for one in (n, total, square))
    has_ratings, is_paired = number > 0, number > 1
    between = np.where(has_ratings, total**2 / np.where(has_ratings, number, 1), 0)
    variance = np.where(is_paired, (square - between) / np.where(is_paired, number - 1, 1), 0)
    sums: Floats = np.array(
        [has_ratings, number, total, square, between, number**2, is_paired, variance], dtype=np.float64
    )
    return sums


def _log_figures(sums: Floats) -> Floats:
    """Return the logs (2, g) of the ratio of the mean squares and of the mean variance within items."""
    items, ratings, total, square, between, _, paired, variance = sums
    with np.errstate(divide="ignore", invalid="ignore"):
        ms_within = (square - between) / (ratings - items)
        ms_between = (between - total**2 / ratings) / (items - 1)
        logs: Floats = np.log(np.vstack([ms_between / ms_within, variance / paired]))
    return logs


Method = Literal["analysis of variance", "REML", "moments"]

FIGURES: tuple[Figure, ...] = ("agreement", "agreement", "consistency")
"""Figures whose jackknife gives the intervals of the one-way forms, of agreement and of consistency."""
FORMS = ("one_way", "one_way_k", "agreement", "agreement_k", "consistency", "consistency_k")
ROUNDING = 1e-10
"""Share of the total sum of squares up to which a residual one is rounding error."""

ONE_RATER = "a single rater cannot be compared with others"
ALL_EQUAL = "all ratings are equal, so there is nothing to agree on"
NO_DIFFERENCES = "items do not differ from each other beyond what the raters' disagreement makes up"
SATURATED = "there are too few ratings to tell raters, items and the rest apart"
NO_INTERVAL = "these ratings are too few or too alike for an interval"
NO_NOISE = "all ratings of an item agree, which leaves no interval"
NOT_CROSSED = "raters and items do not meet in a way that tells them apart"
NO_RESIDUAL = "items and raters explain every rating exactly, so the likelihood has no peak"


@dataclass(frozen=True)
class Intraclass:
    """The six intraclass correlations of n items and w raters, with their variance components.

    `one_way` ICC(1,1), `agreement` ICC(A,1) and `consistency` ICC(C,1) of a single rating; with `_k` those of
    a mean of `k` ratings, ICC(1,k), ICC(A,k), ICC(C,k): k is the number of raters or, where ratings are
    missing, the harmonic mean of the ratings per item, items with a single rating included.
    `averaged` counts pairs of item and rater with several ratings, which are averaged. `variances` are those of items,
    raters and residual, which may be negative except with REML. `method` estimated them.
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
    """Estimate the intraclass correlations of a single rating and of a mean of k, in all six forms.

    Parameters
    ----------
    ratings : N ratings (N,) of n items by w raters, each rating any of the items
    bootstrap : level of the intervals, and the seed of the jackknife's sample of cells; there is no bootstrap
    on_progress : called with the share done, if there are so many raters that moments are used

    Returns
    -------
    Intraclass
        n = items in each estimate. Undefined with its reason for one item, one rater, equal ratings.

    Notes
    -----
    One-way: raters differ from item to item and their severities are noise. Agreement: severities count as error.
    Consistency: they do not. For ordered categories use ordinal alpha; not comparable between samples of items with
    different variances. Repeated ratings of an item by one rater are averaged first. Complete ratings: mean squares.
    Incomplete ones: variance components of crossed random items and raters (`analysis.variance`: REML, moments above
    600 raters), and the unbalanced analysis of variance for the one-way forms. Intervals are for other items and other
    raters, who may differ in noise: jackknives over both, which need 10 items and 3 raters
    (`analysis.variance.jackknives`); the one-way forms have the standard error of agreement.
    Source: McGraw & Wong 1996, Tables 4 and 7; Shrout & Fleiss 1979; Searle, Casella & McCulloch 1992, sections
    5.3 (moments) and 6.6 (REML); k: Ebel 1951; intervals: Arvesen 1969; Cameron, Gelbach & Miller 2011.
    """
    spec = BootstrapSpec() if bootstrap is None else bootstrap
    cells = average_repeats(ratings.item, ratings.rater, ratings.score)
    n, w = len(cells.ratings_per_item), int(cells.rater.max(initial=-1)) + 1
    complete = len(cells.score) == n * w
    method: Method = "analysis of variance"
    k = cells.harmonic_mean
    reason = _undefined_reason(cells)
    if reason:
        estimates, variances = tuple(Estimate(nan, n=n, reason=reason) for _ in FORMS), (nan, nan, nan)
    else:
        jackknife = jackknife_components(cells, seed=spec.seed)
        if complete:
            ratios, variances = _ratios_of_complete(cells, k)
        else:
            components = estimate_components(design(cells.item, cells.rater, cells.score), on_progress)
            method = components.method
            ratios, variances = _ratios_of_incomplete(cells, components)
        estimates = tuple(
            estimate
            for ratio, figure in zip(ratios, FIGURES, strict=True)
            for estimate in _single_and_mean_reliability(ratio, figure, k, jackknife, spec.level)
        )
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


def interval_for_others(
    reliability: Estimate,
    figure: Figure,
    ratings: Ratings,
    topic: NDArray[np.int64] | None = None,
    level: float = 0.95,
) -> Estimate:
    """Estimate the interval of the reliability of one rating for other raters and other items, or topics (n,).

    `figure` is the form whose standard error is used: agreement for one-way forms. If only some of the `one.n` items
    have ratings here, they give the variance due to raters, and that due to items is scaled to all items.
    """
    if not reliability.defined or reliability.value >= 1:
        return reliability
    jackknife = jackknife_components(
        average_repeats(ratings.item, ratings.rater, ratings.score), () if topic is None else (topic,)
    )
    share = min(len(np.unique(ratings.item)) / max(reliability.n, 1), 1.0)
    variances = {
        name: replace(spread, items=spread.items * share) for name, spread in jackknife.spreads.items()
    }
    rescaled = replace(jackknife, spreads=variances)
    return replace(
        rescaled.interval_of_icc(
            reliability.value, reliability.value / (1 - reliability.value), figure, 1, level
        ),
        n=reliability.n,
    )


def _undefined_reason(cells: CellScores) -> str:
    if len(cells.ratings_per_item) < 2:
        return ONE_ITEM
    if not cells.rater.any():
        return ONE_RATER
    if not np.abs(cells.score).max() > 0:
        return ALL_EQUAL
    return ""


Ratio = float | str
"""Signal-to-noise ratio of one rating (inf without noise), or the reason why it is undefined."""


def _single_and_mean_reliability(
    ratio: Ratio, figure: Figure, k: float, jackknife: Jackknife, level: float
) -> tuple[Estimate, Estimate]:
    """Estimate the reliability of one rating and of a mean of k."""
    n = jackknife.items
    if isinstance(ratio, str):
        return Estimate(nan, n=n, reason=ratio), Estimate(nan, n=n, reason=ratio)
    if isinf(ratio):
        perfect = Estimate(1.0, n=n, reason=NO_NOISE)
        return perfect, perfect
    of_one, of_k = (_divide(times * ratio, 1 + times * ratio) for times in (1.0, k))
    return (
        jackknife.interval_of_icc(of_one, ratio, figure, 1, level),
        jackknife.interval_of_icc(of_k, ratio, figure, k, level)
        if np.isfinite(of_k)
        else Estimate(nan, n=n, reason=NO_DIFFERENCES),
    )


def _ratios_of_complete(cells: CellScores, k: float) -> tuple[list[Ratio], tuple[float, float, float]]:
    """Return the one-way, agreement and consistency ratios, and the variances, from mean squares."""
    n, w = len(cells.ratings_per_item), round(k)
    scores = cells.score.reshape(n, w)
    by_item, by_rater, grand = scores.mean(axis=1), scores.mean(axis=0), scores.mean()
    residual = scores - by_item[:, None] - by_rater + grand
    smallest = ROUNDING**2 * float((scores**2).sum())
    squares = [
        w * float(((by_item - grand) ** 2).sum()),
        n * float(((by_rater - grand) ** 2).sum()),
        float((residual**2).sum()),
        float(((scores - by_item[:, None]) ** 2).sum()),
    ]
    freedom = [n - 1, w - 1, (n - 1) * (w - 1), n * (w - 1)]
    msr, msc, mse, msw = (ss / df if ss > smallest else 0.0 for ss, df in zip(squares, freedom, strict=True))
    items, raters = (msr - mse) / w, (msc - mse) / n
    ratios = [
        _signal_to_noise((msr - msw) / w, msw),
        _signal_to_noise(items, raters + mse),
        _signal_to_noise(items, mse),
    ]
    return ratios, (items, raters, mse)


def _signal_to_noise(signal: float, noise: float) -> Ratio:
    if noise > 0:
        return signal / noise
    return inf if signal > 0 else NO_DIFFERENCES


def spearman_brown(single: Estimate, k: float) -> Estimate:
    """Return the reliability of a mean of k ratings from that of one (Spearman-Brown)."""
    if not single.defined:
        return single
    value, low, high = (_divide(k * r, 1 + (k - 1) * r) for r in (single.value, single.low, single.high))
    estimate = _estimate(value, low, high, single.n)
    return replace(estimate, reason=single.reason or estimate.reason, warning=single.warning)


def _estimate(value: float, low: float, high: float, n: int) -> Estimate:
    if not np.isfinite(value):
        return Estimate(nan, n=n, reason=NO_DIFFERENCES)
    if not np.isfinite(low + high):
        return Estimate(value, n=n, reason=NO_INTERVAL)
    return Estimate(value, min(low, value), max(high, value), n)


def _divide(numerator: float, denominator: float) -> float:
    return numerator / denominator if denominator > 0 else nan


def _ratios_of_incomplete(
    cells: CellScores, components: Components
) -> tuple[list[Ratio], tuple[float, float, float]]:
    """Return the one-way, agreement and consistency ratios, and the variances, with missing ratings."""
    one_way_components = one_way(Ratings(cells.item, cells.rater, cells.score))
    single: Ratio = one_way_components.reason or _signal_to_noise(
        one_way_components.between, one_way_components.within
    )
    reason = components.reason or _reason_without_variances(cells, components)
    if reason:
        return [single, reason, reason], (nan, nan, nan)
    item, rater, residual = (
        float(components.counted[components.sources.index(source)]) for source in (ITEM, RATER, REST)
    )
    if _is_unanimous(cells):
        item, rater, residual = item + rater + residual, 0.0, 0.0
    return [single, _signal_to_noise(item, rater + residual), _signal_to_noise(item, residual)], (
        item,
        rater,
        residual,
    )


def _is_unanimous(cells: CellScores) -> bool:
    """Return True if all ratings of each item are equal, except for rounding."""
    means = np.bincount(cells.item, cells.score) / cells.ratings_per_item
    return bool(((cells.score - means[cells.item]) ** 2).sum() <= ROUNDING * (cells.score**2).sum())


def _reason_without_variances(cells: CellScores, components: Components) -> str:
    if len(cells.score) <= len(cells.ratings_per_item) + cells.rater.max():
        return SATURATED
    if not {ITEM, RATER} <= set(components.sources):
        return NOT_CROSSED
    if _is_unanimous(cells):
        return ""
    return NO_RESIDUAL if components.variance[-1] <= 2 * SMALLEST_RESIDUAL * components.variance.sum() else ""
