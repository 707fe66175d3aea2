"""Curves of repetitions by raters of one kind, and what chance over these raters adds at one number of ratings."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from analysis.correlation.rank_rows import spearman_rows
from analysis.repetitions.rating_orders import reach
from analysis.repetitions.repetition import RepetitionSpec, orders
from analysis.resampling.intervals import jackknife_variance
from analysis.values.ratings import Ratings
from analysis.values.types import Floats

MOST_WORK = 30_000_000
"""Values of items ordered to leave out each rater, in all."""


@dataclass(frozen=True, eq=False)
class ValueCurve:
    """Mean Spearman correlation with the reference after r = 1 … m ratings, over random orders (m,).

    `orders` drawn are (k, n, w) scores in the order in which they count, NaN where an item has no more, and `raters`
    (k, n, w) who gave them; `known` (n,) the reference.
    """

    curve: Floats
    scores: Floats
    raters: Floats
    known: Floats

    def variance_at(self, r: int) -> float:
        """Return the variance of the curve at r over raters, by leaving out each one; NaN where that is undefined.

        In each order a rater who is left out is followed by the item's next rating (Tukey 1958).
        """
        who = np.unique(self.raters[self.raters >= 0])
        first, whose = self.scores[..., :r], self.raters[..., :r]
        shape = self.scores.shape
        later = self.scores[..., r] if shape[2] > r else np.full(shape[:2], np.nan)
        total = first.sum(axis=2)
        without = []
        for rater in who.tolist():
            own = whose == rater
            gone = own.any(axis=2)
            changed = np.where(gone, total - np.where(own, first, 0.0).sum(axis=2) + later, total)
            without.append(_mean_correlation(changed, self.known))
        return jackknife_variance(np.array(without)) if len(without) > 1 else np.nan


def value_curve(ratings: Ratings, reference: Mapping[Any, float], spec: RepetitionSpec) -> ValueCurve:
    """Return the curve of N ratings by raters of one kind, as `analysis.repetition.simulate` has it.

    Orders are within items, and of many raters and items fewer than `spec` says.
    """
    items = ratings.mos()
    known = np.array([reference.get(item, np.nan) for item in items.items.tolist()], dtype=np.float64)
    counts = items.counts[~np.isnan(known)]
    m, width = reach(counts), int(counts.max(initial=1))
    work = max(len(np.unique(ratings.rater)) * len(counts), 1)
    shuffles = max(min(spec.shuffles, MOST_WORK // work), 1)
    spec = replace(spec, shuffles=shuffles, repetitions=width, order="within items")
    drawn = orders(ratings, spec, reference)
    codes = np.unique(ratings.rater, return_inverse=True)[1].astype(np.float64)
    scores = np.where(drawn >= 0, ratings.score[drawn], np.nan)
    raters = np.where(drawn >= 0, codes[drawn], -1)
    known = known[~np.isnan(known)]
    sums = np.cumsum(scores, axis=2)
    curve = np.array([_mean_correlation(sums[..., r], known) for r in range(m)])
    return ValueCurve(curve, scores, raters, known)


def _mean_correlation(values: Floats, known: Floats) -> float:
    """Mean over orders of the correlation of items' values (k, n) with those known (n,); sums rank as means do."""
    rho = spearman_rows(np.round(values, 9), np.broadcast_to(known, values.shape))
    return float(np.nanmean(rho)) if not np.isnan(rho).all() else np.nan
