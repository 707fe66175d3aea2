"""From an item's first r ratings to one value, for every r: the mean and what may be better than the mean.

A rater's own figures (severity, spread, reliability) at r rest on the first r ratings of every item in that
order and nothing else: taken from all the data they would tell the early ratings what the late ones know.
"""

from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from analysis.correlation.sums import around_the_means, pearson_of_sums

Aggregation = Literal[
    "mean", "median", "trimmed mean", "z-scored mean", "bias-corrected mean", "reliability-weighted mean"
]
AGGREGATIONS: tuple[Aggregation, ...] = get_args(Aggregation)
BY_ITEM = AGGREGATIONS[:3]
"""Those that look at one item's ratings only and know no raters."""

TRIMMED = 0.2
"""Share of ratings that the trimmed mean leaves out at each end, rounded down (Wilcox's usual choice)."""


def running_steps(
    aggregation: Aggregation, steps: NDArray[np.int64], top: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Mean, median or trimmed mean of the first 1 … m whole-number scores, as whole numbers.

    Source: Iskender et al. 2020, section 4.2, step 2 (mean); median and trimmed mean are the future work of its
    section 5.
    """
    r = np.arange(1, len(steps) + 1)
    if aggregation == "mean":
        values = np.empty_like(steps)
        values[:1] = steps[:1]
        for place in range(1, len(values)):
            np.add(values[place - 1], steps[place], out=values[place])
        return values, top * r
    return _middle(aggregation, steps), top * (2 * np.ones_like(r) if aggregation == "median" else _kept(r))


def running_values(
    aggregation: Aggregation,
    scores: NDArray[np.float64],
    rater: NDArray[np.int64],
    raters: int,
    given: NDArray[np.bool_],
) -> NDArray[np.float64]:
    """Each item's value (m, b, n) after its first 1 … m ratings, the raters' figures from these ratings alone.

    `scores`, `rater` (m, b, n) in the order in which they count, for b orders of n items; `given` (m, n).
    - trimmed mean: without the lowest and highest 20% (rounded down, so it is the mean up to r = 4);
    - z-scored mean: a score less its rater's mean, divided by its rater's SD (n - 1). A rater with one rating
      so far takes everyone's mean, a rater without spread everyone's SD;
    - bias-corrected mean: a rater's mean deviation from the MOS of the items rated is removed (P.913, 12.4);
    - reliability-weighted mean: weights max(r_w, 0), r_w the correlation of the rater's scores with the mean
      of the other ratings of the same items (Habibi and Popescu-Belis 2012). A rater with fewer than three items so
      far, or without spread, takes the mean weight of those who have one. All weights 0 on an item: equal weights.
    Not for raters that each rated one item: all of these become the mean.
    """
    if aggregation == "mean":
        r = np.arange(1, len(scores) + 1)[:, None, None]
        mean: NDArray[np.float64] = np.cumsum(scores, axis=0) / r
        return mean
    if aggregation in ("median", "trimmed mean"):
        r = np.arange(1, len(scores) + 1)
        divisor = np.full(len(scores), 2) if aggregation == "median" else _kept(r)
        middle: NDArray[np.float64] = _middle(aggregation, scores) / divisor[:, None, None]
        return middle
    if aggregation == "z-scored mean":
        return _z_scored(scores, rater, raters, given)
    if aggregation == "bias-corrected mean":
        return _bias_corrected(scores, rater, raters, given)
    return _reliability_weighted(scores, rater, raters, given)


def _kept(r: NDArray[np.int64]) -> NDArray[np.int64]:
    kept: NDArray[np.int64] = r - 2 * np.floor(TRIMMED * r + 1e-9).astype(np.int64)
    return kept


def _middle(aggregation: Aggregation, scores: NDArray[Any]) -> NDArray[Any]:
    """(m, b, n) twice the median, or the sum of the scores kept, of the first 1 … m."""
    ascending = np.empty_like(scores)
    out = np.empty_like(scores)
    for place in range(len(scores)):
        r = place + 1
        carried = scores[place].copy()
        for lower in range(place):  # insert the new score; the arrays are long, r is short
            higher = np.maximum(ascending[lower], carried)
            np.minimum(ascending[lower], carried, out=ascending[lower])
            carried = higher
        ascending[place] = carried
        if aggregation == "median":
            out[place] = ascending[place // 2] + ascending[r // 2]
        else:
            cut = (r - int(_kept(np.array([r]))[0])) // 2
            out[place] = ascending[cut : r - cut].sum(axis=0)
    return out


class _Tally:
    """Sums over ratings per (order, rater), over the first r places."""

    def __init__(self, rater: NDArray[np.int64], raters: int, given: NDArray[np.bool_]) -> None:
        b = rater.shape[1]
        self.shape = (b, raters + 1)
        self.place = np.where(given[:, None, :], rater, raters) + np.arange(b)[:, None] * (raters + 1)

    def sums(self, values: NDArray[np.float64], r: int) -> NDArray[np.float64]:
        """(b, raters + 1) sums of values (r, b, n)."""
        size = self.shape[0] * self.shape[1]
        place = self.place[:r].ravel()
        total = np.bincount(place, weights=values.ravel(), minlength=size).astype(np.float64, copy=False)
        total = total.reshape(self.shape)
        total[:, -1] = 0
        return total

    def per_rating(self, figures: NDArray[np.float64], r: int) -> NDArray[np.float64]:
        """(r, b, n) each rating's rater's figure."""
        each: NDArray[np.float64] = figures.ravel()[self.place[:r]]
        return each


def _z_scored(
    scores: NDArray[np.float64], rater: NDArray[np.int64], raters: int, given: NDArray[np.bool_]
) -> NDArray[np.float64]:
    tally = _Tally(rater, raters, given)
    present = np.broadcast_to(given[:, None, :], scores.shape).astype(np.float64)
    shifted = scores - (scores * present).sum() / present.sum()
    out: NDArray[np.float64] = np.empty_like(shifted)
    count = total = squares = np.zeros(tally.shape)
    for place in range(len(scores)):
        r = place + 1
        latest = slice(place, r)
        step = _Tally(rater[latest], raters, given[latest])
        count = count + step.sums(present[latest], 1)
        total = total + step.sums(shifted[latest], 1)
        squares = squares + step.sums(shifted[latest] ** 2, 1)
        everyone = _mean_sd(count.sum(1), total.sum(1), squares.sum(1))
        mean, sd = _mean_sd(count, total, squares)
        mean = np.where(count >= 2, mean, everyone[0][:, None])
        sd = np.where(sd > 0, sd, everyone[1][:, None])
        scale = np.where(sd > 0, 1 / np.where(sd > 0, sd, 1), 0)
        z = (shifted[:r] - tally.per_rating(mean, r)) * tally.per_rating(scale, r)
        out[place] = z.sum(axis=0) / r
    return out


def _mean_sd(
    count: NDArray[np.float64], total: NDArray[np.float64], squares: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Means and SD (n - 1); 0 where there is none. Scores are centred, so that little cancels."""
    mean = total / np.maximum(count, 1)
    left = squares - count * mean**2
    left[left <= 1e-12 * squares] = 0
    return mean, np.sqrt(left / np.maximum(count - 1, 1))


def _bias_corrected(
    scores: NDArray[np.float64], rater: NDArray[np.int64], raters: int, given: NDArray[np.bool_]
) -> NDArray[np.float64]:
    tally = _Tally(rater, raters, given)
    present = np.broadcast_to(given[:, None, :], scores.shape).astype(np.float64)
    out = np.empty_like(scores)
    for place in range(len(scores)):
        r = place + 1
        known = present[:r]
        mos = (scores[:r] * known).sum(axis=0) / known.sum(axis=0)
        count = np.maximum(tally.sums(known, r), 1)
        bias = tally.sums((scores[:r] - mos) * known, r) / count
        out[place] = mos - tally.per_rating(bias, r).sum(axis=0) / r
    return out


def _reliability_weighted(
    scores: NDArray[np.float64], rater: NDArray[np.int64], raters: int, given: NDArray[np.bool_]
) -> NDArray[np.float64]:
    tally = _Tally(rater, raters, given)
    present = np.broadcast_to(given[:, None, :], scores.shape).astype(np.float64)
    centre = (scores * present).sum() / present.sum()
    shifted = (scores - centre) * present
    out: NDArray[np.float64] = np.empty_like(shifted)
    for place in range(len(scores)):
        r = place + 1
        x, known = shifted[:r], present[:r]
        others = known.sum(axis=0) - 1
        met = known * (others > 0)
        other = (x.sum(axis=0) - x) / np.maximum(others, 1) * met
        own = x * met
        reliability, has_one = _correlation(
            *(tally.sums(v, r) for v in (met, own, other, own * own, other * other, own * other))
        )
        weight = np.maximum(reliability, 0)
        with_one = np.maximum(has_one.sum(axis=1), 1)
        typical = np.where(has_one.any(axis=1), (weight * has_one).sum(axis=1) / with_one, 1.0)
        weight = np.where(has_one, weight, typical[:, None])
        w = tally.per_rating(weight, r) * known
        sums = w.sum(axis=0)
        weighted = (w * x).sum(axis=0) / np.where(sums > 0, sums, 1)
        out[place] = np.where(sums > 0, weighted, x.sum(axis=0) / r) + centre
    return out


_DUST = 1e-12
"""Share of the sums below which what is left of their products is rounding: r = 0 must not become a weight."""


def _correlation(
    count: NDArray[np.float64],
    x: NDArray[np.float64],
    y: NDArray[np.float64],
    xx: NDArray[np.float64],
    yy: NDArray[np.float64],
    xy: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Pearson's r from sums, and where it is defined: three ratings and spread on both sides."""
    spread_x, spread_y, shared = around_the_means(count, x, y, xx, yy, xy)
    defined = (count >= 3) & (spread_x > 1e-9 * xx) & (spread_y > 1e-9 * yy)
    shared = np.where(np.abs(shared) > _DUST * np.sqrt(xx * yy), shared, 0.0)
    return np.where(defined, pearson_of_sums(spread_x, spread_y, shared, defined), 0), defined
