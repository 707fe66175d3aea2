"""Chance over items and raters by the pigeonhole bootstrap.

One group's ratings are a matrix of items by raters (sums and counts of scores). Every sample gives each rater a weight,
so that item means of a block of samples are two matrix products; items are sampled by gathering.

A sample's means hold the chance within a rating twice, so samples only give the *shape* of an interval. It is centered
on the estimate, on a scale where that is fair, and its width is set to the two-way variance
    items + max(raters - ratings, 0),
where `ratings` takes the same resampled means but mixes the samples of different items, so that what raters carry from
item to item is gone. In the last two the means go a quarter of the way to the sample, and the variances are scaled up.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import nan
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from analysis.resampling.intervals import blocks, times_drawn
from analysis.values.estimate import BootstrapSpec, Floats, OnProgress
from analysis.values.ratings import Ratings, coded

Statistics = Callable[[Floats, Floats], Floats]
"""Item means of both groups (b, n), NaN where a draw left an item without ratings -> figures (s, b)."""

BLOCK = 400_000
"""Item means per block of draws: small enough to stop soon, large enough to hide the loop."""
NEAR = 0.25
"""How far towards a draw of raters the means go where only their covariance between items is wanted."""
DENSE = 2_000_000
"""Items x raters up to which a plain matrix is quicker than a sparse one."""


@dataclass(frozen=True, eq=False)
class Side:
    """One group on the shared items: who gave how much to what.

    Parameters
    ----------
    raters : (r,) ids
    sums, counts : (n, r) matrices, plain or sparse: sum and number of each rater's scores of each item

    Notes
    -----
    Source: the crossed table of Owen 2007, section 2.
    """

    raters: NDArray[Any]
    sums: Any
    counts: Any

    @property
    def means(self) -> Floats:
        """The items' MOS (n,)."""
        return np.asarray(self.sums.sum(axis=1) / self.counts.sum(axis=1), dtype=np.float64)


@dataclass(frozen=True, eq=False)
class Draws:
    """Figures of all draws, (s, draws) each, by what was resampled; see the module's first lines.

    Source: Owen 2007.
    """

    both: Floats
    items: Floats
    raters: Floats
    ratings: Floats


def side(ratings: Ratings, items: NDArray[Any]) -> Side:
    """One group's ratings of the given items as a matrix."""
    place = np.searchsorted(items, ratings.item) if len(items) else np.zeros(len(ratings), dtype=np.int64)
    known = place < len(items)
    known[known] = items[place[known]] == ratings.item[known]
    row, score = place[known], ratings.score[known]
    raters, column = coded(ratings.rater[known])
    shape = len(items), len(raters)
    ones = np.ones(len(row))
    if shape[0] * shape[1] > DENSE:
        return Side(
            raters,
            sparse.csr_array((score, (row, column)), shape=shape),
            sparse.csr_array((ones, (row, column)), shape=shape),
        )
    flat = row * shape[1] + column
    sums, counts = (np.bincount(flat, w, minlength=shape[0] * shape[1]).reshape(shape) for w in (score, ones))
    return Side(raters, sums, counts)


def numbers_side(values: Floats) -> Side:
    """A column of numbers as a side that nobody rated: resampling raters leaves it as it is."""
    return Side(np.empty(0), values[:, None], np.ones((len(values), 1)))


def pigeonhole(
    candidate: Side,
    reference: Side,
    statistics: Statistics,
    spec: BootstrapSpec,
    raters_are_persons: bool = True,
    on_progress: OnProgress = None,
) -> Draws:
    """Figures under resampling of items and, within each group, raters.

    A person who rates in both groups is drawn for both at once; an item without ratings in a draw leaves it.
    Source: Owen 2007, "The pigeonhole bootstrap", section 2.
    """
    rng = np.random.default_rng(spec.seed)
    means = candidate.means, reference.means
    n = len(means[0])
    draw = _drawn_means(candidate, reference, rng, raters_are_persons)
    figures = []
    for block in blocks(spec.draws, _size(spec.draws, n)):
        size = block.stop - block.start
        drawn = draw(size)
        index = rng.integers(0, n, (size, n))
        observed = [np.take(side_means, index) for side_means in means]
        gathered, near = list(observed), list(drawn)
        for at, group in enumerate((candidate, reference)):
            if group.raters.size:
                gathered[at] = np.take_along_axis(drawn[at], index, axis=1)
                near[at] = _near(drawn[at], means[at])
        mixed = [rng.permuted(side_means, axis=0) for side_means in near]
        resampled = [gathered, observed, near, mixed] if raters_are_persons else [observed]
        told = []
        for done, means_drawn in enumerate(resampled, 1):
            told.append(statistics(*means_drawn))
            if on_progress is not None:
                on_progress((block.start + size * done / len(resampled)) / spec.draws)
        figures.append(told if raters_are_persons else told * 4)
    both, items, raters, ratings = (np.concatenate(parts, axis=1) for parts in zip(*figures, strict=True))
    if not raters_are_persons:
        raters = ratings = np.zeros_like(items)
    return Draws(both, items, raters, ratings)


def two_way_variance(
    draws: Draws,
    row: int,
    items: int,
    raters: int,
    ranks: bool = False,
    clustered: tuple[float, float] | None = None,
) -> tuple[float, float]:
    """Variance of one figure over items and raters, and its degrees of freedom.

    `clustered`: how many times as large the part of the items is over what they hang on, and its degrees of freedom.

    Each part is widened by n / (n - 1), as resampling n units shrinks variances. Not so for figures of ranks over
    items: items drawn twice are tied, which already spreads them more than new items would; there the normal curve
    replaces Student's t, too.
    Source: Cameron, Gelbach & Miller 2011, section 2.2 (items + raters - their crossing); Satterthwaite 1946.
    """
    variances = []
    for kind in (draws.both, draws.items, draws.raters, draws.ratings):
        known = kind[row][np.isfinite(kind[row])]
        if known.size < max(kind.shape[1] / 2, 2):
            return nan, nan
        variances.append(float(known.var(ddof=1)))
    _, by_items, by_raters, by_ratings = variances
    effect, degrees = clustered or (1.0, items - 1.0)
    between_items = by_items * (1.0 if ranks else items / (items - 1)) * effect
    between_raters = (
        max(by_raters - by_ratings, 0.0) / NEAR**2 * (raters / (raters - 1) if raters > 1 else 0.0)
    )
    variance = between_items + between_raters
    if ranks and clustered is None:
        return variance, 1e9
    spread = between_items**2 / degrees
    if between_raters > 0:
        spread += between_raters**2 / max(raters - 2, 1)
    return variance, variance**2 / spread if spread > 0 else degrees


def _drawn_means(
    candidate: Side, reference: Side, rng: np.random.Generator, raters_are_persons: bool
) -> Callable[[int], list[Floats]]:
    """A function from a number of draws b to both groups' item means (b, n) under resampled raters."""
    sides = candidate, reference
    if not raters_are_persons:
        return lambda size: [np.broadcast_to(side.means, (size, len(side.means))) for side in sides]
    people = np.union1d(candidate.raters, reference.raters) if candidate.raters.size else np.empty(0)
    one_pool = len(people) < len(candidate.raters) + len(reference.raters) and reference.raters.size > 0

    def weights(size: int) -> list[Floats]:
        if one_pool:
            pool = times_drawn(rng, len(people), size).T
            return [pool[np.searchsorted(people, side.raters)] for side in sides]
        return [times_drawn(rng, len(side.raters), size).T for side in sides]

    def drawn(size: int) -> list[Floats]:
        means = []
        for group, weight in zip(sides, weights(size), strict=True):
            if not group.raters.size:
                means.append(np.broadcast_to(group.means, (size, len(group.means))))
                continue
            with np.errstate(invalid="ignore", divide="ignore"):
                means.append(np.ascontiguousarray(((group.sums @ weight) / (group.counts @ weight)).T))
        return means

    return drawn


def _near(drawn: Floats, means: Floats) -> Floats:
    """The means (n,) part of the way to those drawn (b, n), and as they are where a draw left nothing."""
    step = drawn - means
    np.nan_to_num(step, copy=False)
    step *= NEAR
    step += means
    return step


def _size(draws: int, items: int) -> int:
    """Draw per block; it is part of what a seed gives, as one generator serves raters, items and their mixing."""
    return max(min(BLOCK // max(items, 1), draws), 20)
