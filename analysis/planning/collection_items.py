"""Means of items with the variance of a rating of each, and the half-widths that further ratings may bring."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, isinf

import numpy as np
from scipy import special

from analysis.items.rating_spread import FEWEST_OWN, SMALLEST, RatingSpread
from analysis.planning.collection import ItemGoal
from analysis.resampling.intervals import quantile_of_t
from analysis.values.estimate import Estimate
from analysis.values.ratings import Ratings
from analysis.values.types import Floats
from analysis.variance.jackknives import average_repeats

FEWEST_PRIOR = 10
"""Items with enough ratings of their own from which the spread of their variances is estimated by its logarithm."""


@dataclass(frozen=True, eq=False)
class ItemMeans:
    """Means of items with what is known of the variance of a rating of each.

    `counts` (I,) raters of each item, `squares` (I,) sums of squared deviations from its mean, `spread` the variances
    pooled over items; `prior` and `prior_degrees` those that an item's own variance is shrunk to.
    """

    counts: Floats
    squares: Floats
    spread: RatingSpread
    prior: float
    prior_degrees: float
    level: float = 0.95

    @property
    def variances(self) -> Floats:
        """Expected variance of a rating of each item (I,), its own shrunk to that of all (Smyth 2004, section 3)."""
        if isinf(self.prior_degrees):
            return np.full(len(self.counts), self.prior)
        whole = self.prior_degrees + np.maximum(self.counts - 1, 0)
        return np.asarray((self.prior_degrees * self.prior + self.squares) / np.maximum(whole - 2, 1.0))

    @property
    def goal(self) -> "ItemGoal":
        """Goal that the largest half-width of a mean falls, in squared half-widths of one rating."""
        variance, degrees = self.spread.of_means
        own = self.prior_degrees + np.maximum(self.counts, FEWEST_OWN) - 1
        wide = quantile_of_t(own, self.level)
        return ItemGoal(
            self.variances * wide**2, True, variance * float(quantile_of_t(degrees, self.level)) ** 2
        )

    def halves(self, counts: Floats, squares: Floats) -> Floats:
        """Return the half-widths (I,) of means of so many ratings with these sums of squares."""
        return _halves(self.spread.of_means, (self.prior, self.prior_degrees), counts, squares, self.level)

    @property
    def now(self) -> Floats:
        """Half-widths (I,) of the means of the ratings so far, as on the page Items."""
        prior = self.spread.prior, self.spread.prior_degrees
        return _halves(self.spread.of_means, prior, self.counts, self.squares, self.level)

    def drawn(self, more: Floats, draws: int, seed: int = 0) -> Floats:
        """Return the half-widths (draws, I) that may be found after `more` (I,) further ratings.

        Each draw takes a distribution of variances and variances of items that the ratings so far leave possible, draws
        the new ratings' squares with them, and estimates the distribution and the half-widths again.
        """
        rng = np.random.default_rng(seed)
        items, (variance, degrees) = len(self.counts), self.spread.of_means
        prior, of_prior = self._priors_drawn(rng, draws)
        factor = degrees / rng.chisquare(max(degrees, 1.0), (draws, 1))
        whole = of_prior[:, None] + np.maximum(self.counts - 1, 0)
        true = (of_prior[:, None] * prior[:, None] + self.squares) / rng.chisquare(whole, (draws, items))
        true = np.where(of_prior[:, None] >= MANY, self.prior * factor, true)
        added = np.where(more > 0, true * rng.chisquare(np.maximum(more, 1e-9), (draws, items)), 0.0)
        pooled = (degrees * variance + added.sum(axis=1, keepdims=True)) / (degrees + float(more.sum()))
        counts, squares = self.counts + more, self.squares + added
        own = counts >= FEWEST_OWN
        again = _priors(squares[:, own], counts[own] - 1, pooled[:, 0])
        return _halves((pooled, degrees), (again[0][:, None], again[1][:, None]), counts, squares, self.level)

    def _priors_drawn(self, rng: np.random.Generator, draws: int) -> tuple[Floats, Floats]:
        """Return scales and degrees (draws,) of variances' distributions that samples of the items have."""
        pooled, own = self.spread.of_means[0], self.counts >= FEWEST_OWN
        of_moments = own.sum() < FEWEST_PRIOR
        there = self.counts > 1 if of_moments else own
        free, squares = self.counts[there] - 1, self.squares[there]
        if len(free) < 2:
            return np.full(draws, self.prior), np.full(draws, MANY)
        sample = rng.multinomial(len(free), np.full(len(free), 1 / len(free)), draws) / len(free)
        if not of_moments:
            return _priors(np.broadcast_to(squares, sample.shape), free, np.full(draws, pooled), sample)
        variance = squares / free
        mean, mean_square = sample @ variance, sample @ (variance**2 * free / (free + 2))
        beyond = (
            mean_square / np.maximum(mean, 1e-150) ** 2 - 1
        )  # where no rating differs, the square is 1e-300
        degrees = np.where(beyond > 1e-6, 4 + 2 / np.maximum(beyond, 1e-6), MANY)
        return pooled * (degrees - 2) / degrees, np.minimum(degrees, MANY)


MANY = 1e6
"""Degrees of freedom of items' variances that are all the same."""


def _halves(
    of_means: tuple[Floats | float, float],
    prior: tuple[Floats | float, Floats | float],
    counts: Floats,
    squares: Floats,
    level: float,
) -> Floats:
    """Half-widths (…, I): from 5 ratings on by the item's own variance, shrunk to the prior, else by the pooled one."""
    variance, degrees = of_means
    scale, of_prior = prior
    own = counts >= FEWEST_OWN
    free = np.maximum(counts - 1, 1.0)
    known = np.minimum(of_prior, MANY)
    moderated = (known * scale + squares) / (known + free)
    wide = _quantiles(np.where(own, known + free, degrees), level)
    return np.asarray(wide * np.sqrt(np.where(own, moderated, variance) / counts))


def _quantiles(degrees: Floats, level: float) -> Floats:
    """Student's t quantiles (…,), of very many from a table over 1 / df."""
    if degrees.size < len(INVERSE):
        return quantile_of_t(degrees, level)
    table = quantile_of_t(1 / np.maximum(INVERSE, 1e-12), level)
    return np.interp(1 / np.maximum(degrees, 1.0), INVERSE, table)


INVERSE = np.linspace(0, 1, 2001) ** 1.5
"""Inverse degrees of freedom in the table."""


def _priors(
    squares: Floats, free: Floats, pooled: Floats, weight: Floats | None = None
) -> tuple[Floats, Floats]:
    """Scale and degrees (draws,) of the distribution of variances, from squares (draws, m) with their degrees (m,).

    As `rating_spread` has it, for many at once. Source: Smyth 2004, section 6.2 and its appendix (inverse trigamma).
    """
    draws, m = squares.shape
    if m < 2:
        return pooled, np.full(draws, MANY)
    variance = squares / free
    floor = np.maximum(
        SMALLEST * np.maximum(np.median(variance, axis=1), pooled), 1e-300
    )  # no rating may differ
    logs = np.log(np.maximum(variance, floor[:, None])) - special.digamma(free / 2) + np.log(free / 2)
    share = np.full((1, m), 1 / m) if weight is None else weight
    mean = (share * logs).sum(axis=1)
    spread = (share * (logs - mean[:, None]) ** 2).sum(axis=1) * m / (m - 1)
    beyond = spread - (share * special.polygamma(1, free / 2)).sum(axis=1)
    half = _inverse_trigamma(np.maximum(beyond, 1e-9))
    scale = np.exp(mean + special.digamma(half) - np.log(half))
    same = beyond <= 1e-9
    return np.where(same, pooled, scale), np.where(same, MANY, np.minimum(2 * half, MANY))


def _inverse_trigamma(x: Floats) -> Floats:
    y = 0.5 + 1 / x
    for _ in range(20):
        of = special.polygamma(1, y)
        y = y + of * (1 - of / x) / special.polygamma(2, y)
    return np.where(x < 1e-6, 1 / x, y)


def item_means(ratings: Ratings, spread: RatingSpread, level: float = 0.95) -> ItemMeans:
    """Return what is known of the means of items, and of the variance of a rating of each.

    Parameters
    ----------
    ratings : N ratings; a rater's repeats on an item count once
    spread : of these ratings, as `rating_spread` gives it

    Returns
    -------
    ItemMeans
        (I,) items in ascending order of their ids.

    Notes
    -----
    Items' variances are inverse chi-squared. With 10 items of 5 ratings or more, their degrees come from the logarithms
    of the variances, and there are none of their own where these differ no more than by chance; otherwise from their
    mean and their mean square, which have a value where all raters agree.
    Source: Smyth 2004, section 6.2; moments of the inverse chi-squared distribution.
    """
    cells = average_repeats(ratings.item, ratings.rater, ratings.score)
    counts = cells.ratings_per_item.astype(np.float64)
    means = np.bincount(cells.item, cells.score) / counts
    squares = np.bincount(cells.item, (cells.score - means[cells.item]) ** 2).astype(np.float64, copy=False)
    prior, degrees = spread.prior, spread.prior_degrees
    if (counts >= FEWEST_OWN).sum() < FEWEST_PRIOR:
        prior, degrees = _prior_of_moments(counts, squares, spread.of_means[0])
    elif not _differ(counts, squares):
        prior, degrees = spread.of_means[0], inf
    return ItemMeans(counts, squares, spread, prior, degrees, level)


def _differ(counts: Floats, squares: Floats) -> bool:
    """Return True where items of 5 ratings or more differ in variance by more than chance, one-sided at .05.

    The logarithm of a variance has a known variance and fourth cumulant. Source: Bartlett and Kendall 1946.
    """
    own = (counts >= FEWEST_OWN) & (squares > 0)
    if own.sum() < 2:
        return False
    half = (counts[own] - 1) / 2
    logs = np.log(squares[own] / half) - special.digamma(half)
    each = special.polygamma(1, half)
    spread = special.polygamma(3, half) + 2 * each**2
    beyond = float(((logs - logs.mean()) ** 2 - each).sum())
    return bool(beyond > special.ndtri(0.95) * np.sqrt(spread.sum()))


def _prior_of_moments(counts: Floats, squares: Floats, pooled: float) -> tuple[float, float]:
    free = counts - 1
    there = free > 0
    variance = squares[there] / free[there]
    mean_square = float((variance**2 * free[there] / (free[there] + 2)).mean()) if there.any() else 0.0
    mean = float(variance.mean()) if there.any() else 0.0
    beyond = mean_square / mean**2 - 1 if mean > 0 else 0.0
    if not beyond > 1e-6:
        return pooled, inf
    degrees = 4 + 2 / beyond
    return pooled * (degrees - 2) / degrees, degrees


def promised(values: Sequence[float], level: float = 0.95) -> Estimate:
    """Return the mean of simulated results with the interval that holds so many of them."""
    drawn = np.asarray(values, dtype=np.float64)
    low, high = np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2])
    return Estimate(float(drawn.mean()), float(low), float(high), len(drawn))
