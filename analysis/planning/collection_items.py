"""Means of items and what further ratings may bring; repeated judgments of one rater: which items to judge again."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import inf, isinf, isnan, nan

import numpy as np
from scipy import special
from scipy.special import stdtrit

from analysis.agreement.alpha import interval_alpha
from analysis.items.rating_spread import FEWEST_RATINGS, SMALLEST, RatingSpread
from analysis.planning.collection import ItemGoal, Strategy
from analysis.resampling.intervals import t_quantile
from analysis.values.estimate import Codes, Estimate, Floats, InputError
from analysis.values.ratings import Ratings
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
        variance, degrees = self.spread.mean_variance
        own = self.prior_degrees + np.maximum(self.counts, FEWEST_RATINGS) - 1
        wide = t_quantile(own, self.level)
        return ItemGoal(
            self.variances * wide**2, True, variance * float(t_quantile(degrees, self.level)) ** 2
        )

    def halves(self, counts: Floats, squares: Floats) -> Floats:
        """Return the half-widths (I,) of means of so many ratings with these sums of squares."""
        return _halves(
            self.spread.mean_variance, (self.prior, self.prior_degrees), counts, squares, self.level
        )

    @property
    def now(self) -> Floats:
        """Half-widths (I,) of the means of the ratings so far, as on the page Items."""
        prior = self.spread.prior, self.spread.prior_degrees
        return _halves(self.spread.mean_variance, prior, self.counts, self.squares, self.level)

    def drawn(self, more: Floats, draws: int, seed: int = 0) -> Floats:
        """Return the half-widths (draws, I) that may be found after `more` (I,) further ratings.

        Each draw takes a distribution of variances and variances of items that the ratings so far leave possible, draws
        the new ratings' squares with them, and estimates the distribution and the half-widths again.
        """
        rng = np.random.default_rng(seed)
        items, (variance, degrees) = len(self.counts), self.spread.mean_variance
        prior, of_prior = self._priors_drawn(rng, draws)
        factor = degrees / rng.chisquare(max(degrees, 1.0), (draws, 1))
        whole = of_prior[:, None] + np.maximum(self.counts - 1, 0)
        true = (of_prior[:, None] * prior[:, None] + self.squares) / rng.chisquare(whole, (draws, items))
        true = np.where(of_prior[:, None] >= MANY, self.prior * factor, true)
        added = np.where(more > 0, true * rng.chisquare(np.maximum(more, 1e-9), (draws, items)), 0.0)
        pooled = (degrees * variance + added.sum(axis=1, keepdims=True)) / (degrees + float(more.sum()))
        counts, squares = self.counts + more, self.squares + added
        own = counts >= FEWEST_RATINGS
        again = _priors(squares[:, own], counts[own] - 1, pooled[:, 0])
        return _halves((pooled, degrees), (again[0][:, None], again[1][:, None]), counts, squares, self.level)

    def _priors_drawn(self, rng: np.random.Generator, draws: int) -> tuple[Floats, Floats]:
        """Return scales and degrees (draws,) of variances' distributions that samples of the items have."""
        pooled, own = self.spread.mean_variance[0], self.counts >= FEWEST_RATINGS
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
    own = counts >= FEWEST_RATINGS
    free = np.maximum(counts - 1, 1.0)
    known = np.minimum(of_prior, MANY)
    moderated = (known * scale + squares) / (known + free)
    wide = _quantiles(np.where(own, known + free, degrees), level)
    return np.asarray(wide * np.sqrt(np.where(own, moderated, variance) / counts))


def _quantiles(degrees: Floats, level: float) -> Floats:
    """Student's t quantiles (…,), of very many from a table over 1 / df."""
    if degrees.size < len(INVERSE):
        return t_quantile(degrees, level)
    table = t_quantile(1 / np.maximum(INVERSE, 1e-12), level)
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
    if (counts >= FEWEST_RATINGS).sum() < FEWEST_PRIOR:
        prior, degrees = _prior_of_moments(counts, squares, spread.mean_variance[0])
    elif not _differ(counts, squares):
        prior, degrees = spread.mean_variance[0], inf
    return ItemMeans(counts, squares, spread, prior, degrees, level)


def _differ(counts: Floats, squares: Floats) -> bool:
    """Return True where items of 5 ratings or more differ in variance by more than chance, one-sided at .05.

    The logarithm of a variance has a known variance and fourth cumulant. Source: Bartlett and Kendall 1946.
    """
    own = (counts >= FEWEST_RATINGS) & (squares > 0)
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


Z = 1.96
"""Standard errors to each side of a 95% interval of many items."""


@dataclass(frozen=True, eq=False)
class OwnRepeats:
    """Scores of one rater by item (I,): `counts`, `totals` and `squares` of them, and the `topic` of each item.

    Scores may be less any number near their mean. `step` is the distance of the points of the scale, 0 for any number.
    """

    counts: Floats
    totals: Floats
    squares: Floats
    topic: Codes
    step: float = 0.0

    @property
    def repeated(self) -> int:
        """Number of items judged more than once."""
        return int((self.counts > 1).sum())

    @cached_property
    def alpha(self) -> Estimate:
        """Return alpha over the repeated items."""
        return interval_alpha(self.counts, self.totals, self.squares)

    @cached_property
    def _within(self) -> tuple[float, float]:
        """Variance of a rater's scores of one item, and the degrees of freedom that its estimate is worth."""
        several = self.counts > 1
        free = self.counts[several] - 1
        each = self.squares[several] - self.totals[several] ** 2 / self.counts[several]
        variance = float(each.sum() / free.sum())
        spread = float(((each - variance * free) ** 2).sum())
        degrees = 2 * (variance * free.sum()) ** 2 / spread if spread > 0 else inf
        return variance, min(degrees, float(free.sum()))

    @cached_property
    def _all(self) -> tuple[float, float]:
        """Mean and variance of all first scores of the rater, a repeated item's by its mean."""
        means = self.totals / self.counts
        within, _ = self._within
        return float(means.mean()), float(means.var(ddof=1) + (within * (1 - 1 / self.counts)).mean())

    def collect(self, n: int, strategy: Strategy = "targeted", seed: int = 0) -> Codes:
        """Choose items to judge again, topic after topic; an item that was judged twice is not judged again.

        Parameters
        ----------
        n : judgments
        strategy : "as so far" topics in any order, "evenly" those with the fewest repeats first, "targeted" those
            whose repeats narrow the interval of alpha most
        seed : decides between equals

        Returns
        -------
        (m,) codes of items, m at most n.

        Raises
        ------
        InputError
            where `n` is below 0, or targeted repeats have none before them.

        Notes
        -----
        An item's expected part in the variance of alpha is s⁴ (3 − 2 v + v²) / V², with s² the variance within items, V
        that of the repeated scores and v an item's expected share of it over V. Topics are chosen one by one, by the
        reduction per judgment. Source: methods, section 11; linearization of alpha.
        """
        if n < 0:
            raise InputError(f"`n` must be 0 or more, got {n}")
        if strategy == "targeted" and not self.repeated:
            raise InputError("targeted repeats need items that were judged twice")
        rng = np.random.default_rng(seed)
        once = np.flatnonzero(self.counts == 1)
        once = once[rng.permutation(len(once))]
        topics = self.topic[once]
        left = [once[topics == topic] for topic in dict.fromkeys(topics.tolist())]
        if strategy == "evenly":
            done = np.bincount(self.topic[self.counts > 1], minlength=int(self.topic.max(initial=0)) + 1)
            left.sort(key=lambda items: done[self.topic[items[0]]])
        if strategy == "targeted":
            left = self._by_reduction(left, n)
        return np.concatenate([*left, np.empty(0, dtype=np.int64)])[:n].astype(np.int64)

    def _by_reduction(self, left: list[Codes], n: int) -> list[Codes]:
        within, _ = self._within
        mean, total = self._all
        seen = (self.totals - self.counts * mean) / self.counts
        shrunk = max(1 - within / total, 0.0) if total > 0 else 0.0
        again = (shrunk * seen) ** 2 + total * (1 - shrunk**2)  # expected square of the second score
        each = (seen**2 + again) / 2
        several = self.counts > 1
        spread = (self.squares - 2 * mean * self.totals + self.counts * mean**2)[several] / self.counts[
            several
        ]
        kept, chosen = spread.tolist(), list[Codes]()
        while left and sum(map(len, chosen)) < n:
            now = _variance(np.array(kept))
            gains = [(now - _variance(np.append(kept, each[items]))) / len(items) for items in left]
            best = left.pop(int(np.argmax(gains)))
            chosen.append(best)
            kept += each[best].tolist()
        return chosen

    def promise(self, items: Codes, draws: int = 200, seed: int = 0) -> tuple[Estimate, Estimate]:
        """Return half the width of alpha's interval, and alpha, after these items (m,) are judged again.

        Parameters
        ----------
        items : (m,) codes of items judged once
        draws : simulated results
        seed : of the draws

        Returns
        -------
        both Estimates
            mean and an interval that holds 95% of results; NaN where the repeats so far do not differ.

        Notes
        -----
        The second score is normal around the first, shrunk to the rater's mean, on the rater's scale. The variance
        within items is drawn from an inverse chi-squared with the degrees of freedom that its spread leaves. The
        half-width is 1.96 linearized standard errors, times how much wider the interval so far is, which fades as items
        are added; its own interval is Student's with the same degrees, on the logarithm.
        """
        within, free = self._within if self.repeated else (nan, nan)
        mean, total = self._all if self.repeated else (nan, nan)
        half = (self.alpha.high - self.alpha.low) / 2
        if not within > 0 or not total > 0 or isnan(half):
            none = Estimate(nan, reason=self.alpha.reason or "the repeats so far do not differ")
            return none, none
        rng = np.random.default_rng(seed)
        means, first = self.totals / self.counts, self.totals[items]
        noise = np.minimum(within * free / rng.chisquare(free, draws), total)[:, None]
        shrunk = 1 - noise / total
        second = mean + shrunk * (first - mean)
        second = second + np.sqrt(total * (1 - shrunk**2)) * rng.standard_normal(second.shape)
        if self.step:
            second = first + self.step * np.round((second - first) / self.step)
            second = np.clip(second, means.min(), means.max())
        several = self.counts > 1
        so_far = self.counts[several], self.totals[several], self.squares[several]
        errors, _ = _error_of_alpha(*(each[None] for each in so_far))
        added = np.full(second.shape, 2.0), first + second, first**2 + second**2
        after, alphas = _error_of_alpha(
            *(np.hstack([np.tile(old, (draws, 1)), new]) for old, new in zip(so_far, added, strict=True))
        )
        wider = 1 + (half / (Z * errors[0]) - 1) * self.repeated / (self.repeated + len(items))
        halves = np.minimum(Z * wider * after, half)
        logs = np.log(halves)
        reach = float(stdtrit(free, 0.975)) * logs.std()
        low, high = np.exp(logs.mean() - reach), np.exp(logs.mean() + reach)
        found = Estimate(float(halves.mean()), float(low), float(high), draws)
        return found, promised(alphas.tolist())


def _error_of_alpha(counts: Floats, totals: Floats, squares: Floats) -> tuple[Floats, Floats]:
    """Return the linearized standard error of alpha, and alpha, from sums of items (draws, n), each by draw."""
    number = counts.sum(axis=1, keepdims=True)
    mean = totals.sum(axis=1, keepdims=True) / number
    within = (squares - totals**2 / counts) / (counts - 1) * counts
    spread = squares - 2 * mean * totals + counts * mean**2
    observed = within.sum(axis=1, keepdims=True) / number
    expected = spread.sum(axis=1, keepdims=True) / (number - 1)
    ratio = observed / expected
    part = (within - ratio * spread) / (expected * number)
    return np.sqrt((part**2).sum(axis=1)), (1 - ratio)[:, 0]


def _variance(spread: Floats) -> float:
    """Return the expected variance of alpha, but for a factor, by items' mean squares around the mean (I,)."""
    total = spread.mean()
    share = spread / total
    return float((3 - 2 * share + share**2).sum() / (len(spread) * total) ** 2)
