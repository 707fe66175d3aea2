"""Variances over items and raters by the pigeonhole bootstrap.

One group's ratings are a matrix of items by raters (sums and counts of scores). Each sample gives each rater a weight,
so that item means of a block of samples are two matrix products; items are resampled by index.

A sample's means include the error of single ratings twice, so that samples give only the *shape* of an interval. It is
centered on the estimate, on a suitable scale, and its width is set to the two-way variance
    items + max(raters - ratings, 0),
where `ratings` uses the same resampled means but permutes the samples of different items, which removes the raters'
covariance between items. In the last two the means are shrunk to a quarter of the distance from the observed means,
and the variances are scaled up.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import nan
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from analysis.resampling.intervals import blocks, bootstrap_counts
from analysis.values.estimate import BootstrapSpec, Floats, OnProgress
from analysis.values.ratings import Ratings, coded

Statistics = Callable[[Floats, Floats], Floats]
"""Item means of both groups (b, n), NaN for an item without ratings in a sample -> figures (s, b)."""

BLOCK = 400_000
"""Item means per block of samples: small enough for a quick stop, large enough for speed."""
SHRINKAGE = 0.25
"""Factor by which resampled means are shrunk to the observed ones for the covariance between items."""
MOST_DENSE_CELLS = 2_000_000
"""Items x raters up to which a dense matrix is faster than a sparse one."""


@dataclass(frozen=True, eq=False)
class RatingMatrix:
    """Ratings of the shared items by one group, as matrices of items by raters.

    Parameters
    ----------
    raters : (r,) ids
    sums, counts : (n, r) matrices, dense or sparse: sum and number of each rater's scores of each item

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
class PigeonholeSamples:
    """Figures of all samples, (s, draws) each, by the resampled units; see the module's docstring.

    Source: Owen 2007.
    """

    both: Floats
    items: Floats
    raters: Floats
    ratings: Floats


def rating_matrix(ratings: Ratings, items: NDArray[Any]) -> RatingMatrix:
    """Build the matrix of one group's ratings of the given items."""
    row_of = np.searchsorted(items, ratings.item) if len(items) else np.zeros(len(ratings), dtype=np.int64)
    is_included = row_of < len(items)
    is_included[is_included] = items[row_of[is_included]] == ratings.item[is_included]
    row, score = row_of[is_included], ratings.score[is_included]
    raters, column = coded(ratings.rater[is_included])
    shape = len(items), len(raters)
    ones = np.ones(len(row))
    if shape[0] * shape[1] > MOST_DENSE_CELLS:
        return RatingMatrix(
            raters,
            sparse.csr_array((score, (row, column)), shape=shape),
            sparse.csr_array((ones, (row, column)), shape=shape),
        )
    cell = row * shape[1] + column
    sums, counts = (np.bincount(cell, w, minlength=shape[0] * shape[1]).reshape(shape) for w in (score, ones))
    return RatingMatrix(raters, sums, counts)


def unrated_matrix(values: Floats) -> RatingMatrix:
    """Return numbers of items as a matrix without raters, which resampling raters does not change."""
    return RatingMatrix(np.empty(0), values[:, None], np.ones((len(values), 1)))


def pigeonhole_bootstrap(
    candidate: RatingMatrix,
    reference: RatingMatrix,
    statistics: Statistics,
    spec: BootstrapSpec,
    raters_are_persons: bool = True,
    on_progress: OnProgress = None,
) -> PigeonholeSamples:
    """Compute figures of samples of items and, within each group, raters.

    A person who rates in both groups is drawn for both at once; items without ratings in a sample are dropped.
    Source: Owen 2007, "The pigeonhole bootstrap", section 2.
    """
    rng = np.random.default_rng(spec.seed)
    means = candidate.means, reference.means
    n = len(means[0])
    draw_means = _mean_sampler(candidate, reference, rng, raters_are_persons)
    figures = []
    for block in blocks(spec.draws, _block_size(spec.draws, n)):
        size = block.stop - block.start
        drawn_means = draw_means(size)
        rows = rng.integers(0, n, (size, n))
        observed = [np.take(side_means, rows) for side_means in means]
        resampled_means, shrunken = list(observed), list(drawn_means)
        for index, group in enumerate((candidate, reference)):
            if group.raters.size:
                resampled_means[index] = np.take_along_axis(drawn_means[index], rows, axis=1)
                shrunken[index] = _shrink_to_means(drawn_means[index], means[index])
        mixed = [rng.permuted(side_means, axis=0) for side_means in shrunken]
        resampled = [resampled_means, observed, shrunken, mixed] if raters_are_persons else [observed]
        figures_of_kind = []
        for number, means_drawn in enumerate(resampled, 1):
            figures_of_kind.append(statistics(*means_drawn))
            if on_progress is not None:
                on_progress((block.start + size * number / len(resampled)) / spec.draws)
        figures.append(figures_of_kind if raters_are_persons else figures_of_kind * 4)
    items_and_raters, items, raters, ratings = (
        np.concatenate(parts, axis=1) for parts in zip(*figures, strict=True)
    )
    if not raters_are_persons:
        raters = ratings = np.zeros_like(items)
    return PigeonholeSamples(items_and_raters, items, raters, ratings)


def two_way_variance(
    draws: PigeonholeSamples,
    row: int,
    items: int,
    raters: int,
    ranks: bool = False,
    clustered: tuple[float, float] | None = None,
) -> tuple[float, float]:
    """Return the variance of one figure over items and raters, and its degrees of freedom.

    `clustered`: design effect of clustered items, and its degrees of freedom.

    Each part is multiplied by n / (n - 1), as resampling n units underestimates variances. Not so for figures of ranks
    over items, where ties of items drawn twice already increase the variance; for these the normal replaces
    Student's t, too.
    Source: Cameron, Gelbach & Miller 2011, section 2.2 (items + raters - their crossing); Satterthwaite 1946.
    """
    variances = []
    for kind in (draws.both, draws.items, draws.raters, draws.ratings):
        defined = kind[row][np.isfinite(kind[row])]
        if defined.size < max(kind.shape[1] / 2, 2):
            return nan, nan
        variances.append(float(defined.var(ddof=1)))
    _, by_items, by_raters, by_ratings = variances
    effect, degrees = clustered or (1.0, items - 1.0)
    between_items = by_items * (1.0 if ranks else items / (items - 1)) * effect
    between_raters = (
        max(by_raters - by_ratings, 0.0) / SHRINKAGE**2 * (raters / (raters - 1) if raters > 1 else 0.0)
    )
    variance = between_items + between_raters
    if ranks and clustered is None:
        return variance, 1e9
    denominator = between_items**2 / degrees
    if between_raters > 0:
        denominator += between_raters**2 / max(raters - 2, 1)
    return variance, variance**2 / denominator if denominator > 0 else degrees


def _mean_sampler(
    candidate: RatingMatrix, reference: RatingMatrix, rng: np.random.Generator, raters_are_persons: bool
) -> Callable[[int], list[Floats]]:
    """Return the function that draws both groups' item means (b, n) in b samples of raters."""
    sides = candidate, reference
    if not raters_are_persons:
        return lambda size: [np.broadcast_to(side.means, (size, len(side.means))) for side in sides]
    persons = np.union1d(candidate.raters, reference.raters) if candidate.raters.size else np.empty(0)
    shares_raters = len(persons) < len(candidate.raters) + len(reference.raters) and reference.raters.size > 0

    def weights(size: int) -> list[Floats]:
        if shares_raters:
            pool = bootstrap_counts(rng, len(persons), size).T
            return [pool[np.searchsorted(persons, side.raters)] for side in sides]
        return [bootstrap_counts(rng, len(side.raters), size).T for side in sides]

    def draw_means(size: int) -> list[Floats]:
        means = []
        for group, weight in zip(sides, weights(size), strict=True):
            if not group.raters.size:
                means.append(np.broadcast_to(group.means, (size, len(group.means))))
                continue
            with np.errstate(invalid="ignore", divide="ignore"):
                means.append(np.ascontiguousarray(((group.sums @ weight) / (group.counts @ weight)).T))
        return means

    return draw_means


def _shrink_to_means(drawn_means: Floats, means: Floats) -> Floats:
    """Shrink resampled means (b, n) to the observed ones (n,), which replace undefined ones."""
    step = drawn_means - means
    np.nan_to_num(step, copy=False)
    step *= SHRINKAGE
    step += means
    return step


def _block_size(draws: int, items: int) -> int:
    """Return the samples per block, which affect the result of a seed, as all resampling shares one generator."""
    return max(min(BLOCK // max(items, 1), draws), 20)
