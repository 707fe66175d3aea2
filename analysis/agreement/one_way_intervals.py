"""Intervals of the one-way components over items and, where raters are persons, over raters too."""

from dataclasses import dataclass
from math import exp, inf, isfinite, nan, sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.agreement.rating_reliability import one_way_icc
from analysis.agreement.reliability import OneWay, one_way
from analysis.resampling.intervals import quantile_of_t
from analysis.resampling.jackknife import jackknife_covariance
from analysis.values.codes import coded
from analysis.values.estimate import Estimate
from analysis.values.ratings import Ratings
from analysis.values.types import Floats

FEWEST_ITEMS = 5
"""Items below which nothing is said about how sure a reliability is."""


@dataclass(frozen=True)
class OneWayIntervals:
    """ICC(1,1) and the SD of an item's ratings with their intervals; NaN where they are not known."""

    icc: Estimate
    sd_within: Estimate


def one_way_intervals(
    ratings: Ratings, raters_are_persons: bool = True, level: float = 0.95
) -> OneWayIntervals:
    """Intervals of the reliability of one rating and of the SD of an item's ratings.

    Jackknife variances of the log of the ratio of mean squares and of the log variance: over items, and over raters
    less what both share, that of single ratings; Student's t with Satterthwaite's degrees of freedom. Over items alone
    the reliability has the interval of `analysis.agreement.rating_reliability.one_way_icc`.
    Source: Shrout and Fleiss 1979 (the ratio); Arvesen 1969 (jackknife of the log ratio); Cameron, Gelbach and Miller
    2011 (two ways of clustering).
    """
    components = one_way(ratings)
    if components.reason or components.items < FEWEST_ITEMS:
        return _alone(components)
    _, item = coded(ratings.item)
    _, rater = coded(ratings.rater)
    sums = _Sums(item, rater, ratings.score - ratings.score.mean())
    if not raters_are_persons or rater.max() == 0:
        return _with_ends(components, sums.of_items, None, level)
    cells, raters = sums.without_cells_and_raters()
    beyond_items = _Beyond(_variance(_logs(raters)), raters.shape[1], _variance(_logs(cells)))
    return _with_ends(components, sums.of_items, beyond_items, level)


@dataclass(frozen=True, eq=False)
class _Beyond:
    """(2,) variances over so many raters, and over single ratings."""

    raters: Floats
    number: int
    single: Floats


def _alone(components: OneWay) -> OneWayIntervals:
    return OneWayIntervals(
        Estimate(components.icc, n=components.items, reason=components.reason),
        Estimate(components.sd_within, n=components.items, reason=components.reason),
    )


def _with_ends(components: OneWay, of_items: Floats, beyond: _Beyond | None, level: float) -> OneWayIntervals:
    total = of_items.sum(axis=1, keepdims=True)
    whole = _logs(total)[:, 0]
    if not np.isfinite(whole).all():
        return _alone(components)
    spreads, parts = [_variance(_logs(total - of_items))], [of_items.shape[1]]
    if beyond is not None:
        spreads, parts = [*spreads, beyond.raters, beyond.single], [*parts, beyond.number]
    half = _half_widths(spreads, parts, level)
    items, ratings, counts = total[[0, 1, 5], 0]
    per_item = float((ratings - counts / ratings) / (items - 1))
    ratio = exp(float(whole[0]))
    low, high = (_icc(ratio * exp(sign * half[0]), per_item) for sign in (-1, 1))
    icc = Estimate(components.icc, low, high, components.items)
    if beyond is None:
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
    """(2,) jackknife variances of the figures (2, g) without each of g parts."""
    known = figures[:, np.isfinite(figures).all(axis=0)]
    return np.diagonal(jackknife_covariance(known.T))


def _half_widths(spreads: list[Floats], parts: list[int], level: float) -> Floats:
    """(2,) half widths from the variances over items alone, or over items, raters and single ratings."""
    if len(spreads) == 1:
        return np.sqrt(spreads[0]) * float(quantile_of_t(parts[0] - 1, level))
    items, raters, single = spreads
    half = np.empty(2)
    for at in range(2):
        a, b = float(items[at]), float(raters[at])
        only_raters = max(b - float(single[at]), 0.0)
        total = a + only_raters
        degrees = total**2 / (a**2 / (parts[0] - 1) + only_raters**2 / (parts[1] - 1)) if total > 0 else 1.0
        if at and only_raters > 0:  # a variance of severities is known no better than so few raters allow
            degrees = min(degrees, parts[1] - 1)
        half[at] = sqrt(total) * float(quantile_of_t(max(degrees, 1.0), level))
    return half


class _Sums:
    """What both figures are made of, summed over items, with what a part of the ratings takes away."""

    def __init__(self, item: NDArray[np.intp], rater: NDArray[np.intp], score: Floats) -> None:
        self.of_items = _summed(np.bincount(item), np.bincount(item, score), np.bincount(item, score**2))
        self.total = self.of_items.sum(axis=1, keepdims=True)
        self.item, self.rater, self.score = item, rater, score

    def without_cells_and_raters(self) -> tuple[Floats, Floats]:
        """Without all ratings of one item by one rater, and without all of one rater."""
        cell, place = np.unique(self.rater * (self.item.max() + 1) + self.item, return_inverse=True)
        rater, item = np.divmod(cell, self.item.max() + 1)
        n, total, square = self.of_items[1:4, item]
        left = (
            n - np.bincount(place),
            total - np.bincount(place, self.score),
            square - np.bincount(place, self.score**2),
        )
        change = _summed(*left) - self.of_items[:, item]
        of_raters = np.array([np.bincount(rater, one) for one in change])
        without_cell: Floats = self.total + change
        without_rater: Floats = self.total + of_raters
        return without_cell, without_rater


def _summed(n: ArrayLike, total: ArrayLike, square: ArrayLike) -> Floats:
    """(8, g) of each: item, ratings, sum S, sum of squares, S^2 / n, n^2, has it two ratings, their variance."""
    number, total, square = (np.asarray(one, dtype=np.float64) for one in (n, total, square))
    there, several = number > 0, number > 1
    between = np.where(there, total**2 / np.where(there, number, 1), 0)
    variance = np.where(several, (square - between) / np.where(several, number - 1, 1), 0)
    sums: Floats = np.array(
        [there, number, total, square, between, number**2, several, variance], dtype=np.float64
    )
    return sums


def _logs(sums: Floats) -> Floats:
    """(2, g) log of the ratio of the mean squares, and of the mean variance of an item's ratings."""
    items, ratings, total, square, between, _, several, variance = sums
    with np.errstate(divide="ignore", invalid="ignore"):
        within = (square - between) / (ratings - items)
        around = (between - total**2 / ratings) / (items - 1)
        logs: Floats = np.log(np.vstack([around / within, variance / several]))
    return logs


def items_to_tell(icc: Estimate) -> float:
    """About how many items would hold the interval of a reliability above 0, were it what it seems; inf where it is not
    above 0.
    """
    if not icc.value > 0:
        return inf
    return icc.n * max((icc.value - icc.low) / icc.value, 1.0) ** 2
