"""Expected precision of item means after further ratings, and the choice of items for repeated judgments."""

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
"""Number of items with enough ratings from which the distribution of variances is fitted to their logarithms."""


@dataclass(frozen=True, eq=False)
class ItemMeans:
    """Precision of the means of items.

    `counts` (I,) raters of each item, `squares` (I,) sums of squared deviations from its mean, `spread` the
    variances pooled over items; `prior` and `prior_degrees` of the distribution that an item's own variance is
    shrunk to.
    """

    counts: Floats
    squares: Floats
    spread: RatingSpread
    prior: float
    prior_degrees: float
    level: float = 0.95

    @property
    def variances(self) -> Floats:
        """Expected variance of a rating of each item (I,), the item's own shrunk to the prior (Smyth 2004, section
        3)."""
        if isinf(self.prior_degrees):
            return np.full(len(self.counts), self.prior)
        degrees = self.prior_degrees + np.maximum(self.counts - 1, 0)
        return np.asarray((self.prior_degrees * self.prior + self.squares) / np.maximum(degrees - 2, 1.0))

    @property
    def goal(self) -> "ItemGoal":
        """Goal for the largest half-width of a mean, in squared half-widths of one rating."""
        variance, degrees = self.spread.mean_variance
        own_degrees = self.prior_degrees + np.maximum(self.counts, FEWEST_RATINGS) - 1
        quantile = t_quantile(own_degrees, self.level)
        return ItemGoal(
            self.variances * quantile**2, True, variance * float(t_quantile(degrees, self.level)) ** 2
        )

    def half_widths(self, counts: Floats, squares: Floats) -> Floats:
        """Return the half-widths (I,) of means with these counts and sums of squares."""
        return _mean_half_widths(
            self.spread.mean_variance, (self.prior, self.prior_degrees), counts, squares, self.level
        )

    @property
    def current_half_widths(self) -> Floats:
        """Half-widths (I,) of the means of the ratings so far, as on the page Items."""
        prior = self.spread.prior, self.spread.prior_degrees
        return _mean_half_widths(self.spread.mean_variance, prior, self.counts, self.squares, self.level)

    def simulate_half_widths(self, further: Floats, draws: int, seed: int = 0) -> Floats:
        """Return simulated half-widths (draws, I) after `further` (I,) ratings.

        Each draw samples the distribution of variances and the items' variances given the ratings so far, simulates the
        squares of the new ratings, and refits the distribution and the half-widths.
        """
        rng = np.random.default_rng(seed)
        items, (variance, degrees) = len(self.counts), self.spread.mean_variance
        prior, prior_degrees = self._bootstrap_priors(rng, draws)
        factor = degrees / rng.chisquare(max(degrees, 1.0), (draws, 1))
        item_degrees = prior_degrees[:, None] + np.maximum(self.counts - 1, 0)
        true_variance = (prior_degrees[:, None] * prior[:, None] + self.squares) / rng.chisquare(
            item_degrees, (draws, items)
        )
        true_variance = np.where(
            prior_degrees[:, None] >= INFINITE_DEGREES, self.prior * factor, true_variance
        )
        added = np.where(
            further > 0, true_variance * rng.chisquare(np.maximum(further, 1e-9), (draws, items)), 0.0
        )
        pooled = (degrees * variance + added.sum(axis=1, keepdims=True)) / (degrees + float(further.sum()))
        counts, squares = self.counts + further, self.squares + added
        has_own_variance = counts >= FEWEST_RATINGS
        refitted_priors = _fit_variance_priors(
            squares[:, has_own_variance], counts[has_own_variance] - 1, pooled[:, 0]
        )
        return _mean_half_widths(
            (pooled, degrees),
            (refitted_priors[0][:, None], refitted_priors[1][:, None]),
            counts,
            squares,
            self.level,
        )

    def _bootstrap_priors(self, rng: np.random.Generator, draws: int) -> tuple[Floats, Floats]:
        """Return scales and degrees (draws,) of the variance distributions fitted to bootstrap samples of items."""
        pooled, has_own_variance = self.spread.mean_variance[0], self.counts >= FEWEST_RATINGS
        use_moments = has_own_variance.sum() < FEWEST_PRIOR
        is_used = self.counts > 1 if use_moments else has_own_variance
        degrees_of_freedom, squares = self.counts[is_used] - 1, self.squares[is_used]
        if len(degrees_of_freedom) < 2:
            return np.full(draws, self.prior), np.full(draws, INFINITE_DEGREES)
        sample = rng.multinomial(
            len(degrees_of_freedom), np.full(len(degrees_of_freedom), 1 / len(degrees_of_freedom)), draws
        ) / len(degrees_of_freedom)
        if not use_moments:
            return _fit_variance_priors(
                np.broadcast_to(squares, sample.shape), degrees_of_freedom, np.full(draws, pooled), sample
            )
        variance = squares / degrees_of_freedom
        mean, mean_square = (
            sample @ variance,
            sample @ (variance**2 * degrees_of_freedom / (degrees_of_freedom + 2)),
        )
        excess = (
            mean_square / np.maximum(mean, 1e-150) ** 2 - 1
        )  # where no rating differs, the square is 1e-300
        degrees = np.where(excess > 1e-6, 4 + 2 / np.maximum(excess, 1e-6), INFINITE_DEGREES)
        return pooled * (degrees - 2) / degrees, np.minimum(degrees, INFINITE_DEGREES)


INFINITE_DEGREES = 1e6
"""Degrees of freedom that stand for equal variances of all items."""


def _mean_half_widths(
    pooled_variance: tuple[Floats | float, float],
    prior: tuple[Floats | float, Floats | float],
    counts: Floats,
    squares: Floats,
    level: float,
) -> Floats:
    """Return half-widths (…, I) of means: with 5 or more ratings by the item's variance, shrunk to the prior, else
    by the pooled variance."""
    variance, degrees = pooled_variance
    scale, prior_degrees = prior
    has_own_variance = counts >= FEWEST_RATINGS
    degrees_of_freedom = np.maximum(counts - 1, 1.0)
    finite_prior_degrees = np.minimum(prior_degrees, INFINITE_DEGREES)
    moderated = (finite_prior_degrees * scale + squares) / (finite_prior_degrees + degrees_of_freedom)
    quantile = _t_quantiles(
        np.where(has_own_variance, finite_prior_degrees + degrees_of_freedom, degrees), level
    )
    return np.asarray(quantile * np.sqrt(np.where(has_own_variance, moderated, variance) / counts))


def _t_quantiles(degrees: Floats, level: float) -> Floats:
    """Return Student's t quantiles (…,), interpolated in a table over 1 / df for large arrays."""
    if degrees.size < len(INVERSE_DEGREES):
        return t_quantile(degrees, level)
    table = t_quantile(1 / np.maximum(INVERSE_DEGREES, 1e-12), level)
    return np.interp(1 / np.maximum(degrees, 1.0), INVERSE_DEGREES, table)


INVERSE_DEGREES = np.linspace(0, 1, 2001) ** 1.5
"""Inverse degrees of freedom in the table."""


def _fit_variance_priors(
    squares: Floats, degrees_of_freedom: Floats, pooled: Floats, weight: Floats | None = None
) -> tuple[Floats, Floats]:
    """Return scale and degrees (draws,) of the distribution of variances, from sums of squares (draws, m) with their
    degrees (m,).

    The vectorized estimate of `rating_spread`. Source: Smyth 2004, section 6.2 and its appendix (inverse trigamma).
    """
    draws, m = squares.shape
    if m < 2:
        return pooled, np.full(draws, INFINITE_DEGREES)
    variance = squares / degrees_of_freedom
    floor = np.maximum(
        SMALLEST * np.maximum(np.median(variance, axis=1), pooled), 1e-300
    )  # no rating may differ
    logs = (
        np.log(np.maximum(variance, floor[:, None]))
        - special.digamma(degrees_of_freedom / 2)
        + np.log(degrees_of_freedom / 2)
    )
    weights = np.full((1, m), 1 / m) if weight is None else weight
    mean = (weights * logs).sum(axis=1)
    spread = (weights * (logs - mean[:, None]) ** 2).sum(axis=1) * m / (m - 1)
    excess = spread - (weights * special.polygamma(1, degrees_of_freedom / 2)).sum(axis=1)
    half_degrees = _inverse_trigamma(np.maximum(excess, 1e-9))
    scale = np.exp(mean + special.digamma(half_degrees) - np.log(half_degrees))
    is_equal = excess <= 1e-9
    return np.where(is_equal, pooled, scale), np.where(
        is_equal, INFINITE_DEGREES, np.minimum(2 * half_degrees, INFINITE_DEGREES)
    )


def _inverse_trigamma(x: Floats) -> Floats:
    y = 0.5 + 1 / x
    for _ in range(20):
        trigamma = special.polygamma(1, y)
        y = y + trigamma * (1 - trigamma / x) / special.polygamma(2, y)
    return np.where(x < 1e-6, 1 / x, y)


def item_means(ratings: Ratings, spread: RatingSpread, level: float = 0.95) -> ItemMeans:
    """Estimate the precision of the means of items and the variance of a rating of each.

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
    of the variances; where these differ no more than by chance, all items have the pooled variance. Otherwise the
    degrees come from the mean and mean square of the variances, which are defined where all raters agree.
    Source: Smyth 2004, section 6.2; moments of the inverse chi-squared distribution.
    """
    cells = average_repeats(ratings.item, ratings.rater, ratings.score)
    counts = cells.ratings_per_item.astype(np.float64)
    means = np.bincount(cells.item, cells.score) / counts
    squares = np.bincount(cells.item, (cells.score - means[cells.item]) ** 2).astype(np.float64, copy=False)
    prior, degrees = spread.prior, spread.prior_degrees
    if (counts >= FEWEST_RATINGS).sum() < FEWEST_PRIOR:
        prior, degrees = _prior_from_moments(counts, squares, spread.mean_variance[0])
    elif not _variances_differ(counts, squares):
        prior, degrees = spread.mean_variance[0], inf
    return ItemMeans(counts, squares, spread, prior, degrees, level)


def _variances_differ(counts: Floats, squares: Floats) -> bool:
    """Return True where the variances of items with 5 ratings or more differ significantly, one-sided at .05.

    The logarithm of a variance has a known variance and fourth cumulant. Source: Bartlett and Kendall 1946.
    """
    has_own_variance = (counts >= FEWEST_RATINGS) & (squares > 0)
    if has_own_variance.sum() < 2:
        return False
    half_degrees = (counts[has_own_variance] - 1) / 2
    logs = np.log(squares[has_own_variance] / half_degrees) - special.digamma(half_degrees)
    expected = special.polygamma(1, half_degrees)
    variance = special.polygamma(3, half_degrees) + 2 * expected**2
    excess = float(((logs - logs.mean()) ** 2 - expected).sum())
    return bool(excess > special.ndtri(0.95) * np.sqrt(variance.sum()))


def _prior_from_moments(counts: Floats, squares: Floats, pooled: float) -> tuple[float, float]:
    degrees_of_freedom = counts - 1
    is_defined = degrees_of_freedom > 0
    variance = squares[is_defined] / degrees_of_freedom[is_defined]
    mean_square = (
        float((variance**2 * degrees_of_freedom[is_defined] / (degrees_of_freedom[is_defined] + 2)).mean())
        if is_defined.any()
        else 0.0
    )
    mean = float(variance.mean()) if is_defined.any() else 0.0
    excess = mean_square / mean**2 - 1 if mean > 0 else 0.0
    if not excess > 1e-6:
        return pooled, inf
    degrees = 4 + 2 / excess
    return pooled * (degrees - 2) / degrees, degrees


def simulation_interval(values: Sequence[float], level: float = 0.95) -> Estimate:
    """Return the mean of simulated results with their central interval."""
    results = np.asarray(values, dtype=np.float64)
    low, high = np.quantile(results, [(1 - level) / 2, (1 + level) / 2])
    return Estimate(float(results.mean()), float(low), float(high), len(results))


NORMAL_QUANTILE = 1.96
"""Normal quantile of a 95% interval."""


@dataclass(frozen=True, eq=False)
class OwnRepeats:
    """Scores of one rater by item (I,): `counts`, `totals` and `squares` of them, and the `topic` of each item.

    A constant may be subtracted from all scores. `step` is the distance between scale points, 0 for a continuous
    scale.
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
        """Alpha over the repeated items."""
        return interval_alpha(self.counts, self.totals, self.squares)

    @cached_property
    def _within_variance(self) -> tuple[float, float]:
        """Variance of a rater's scores of one item, and the effective degrees of freedom of its estimate."""
        is_repeated = self.counts > 1
        degrees_of_freedom = self.counts[is_repeated] - 1
        item_squares = self.squares[is_repeated] - self.totals[is_repeated] ** 2 / self.counts[is_repeated]
        variance = float(item_squares.sum() / degrees_of_freedom.sum())
        spread = float(((item_squares - variance * degrees_of_freedom) ** 2).sum())
        degrees = 2 * (variance * degrees_of_freedom.sum()) ** 2 / spread if spread > 0 else inf
        return variance, min(degrees, float(degrees_of_freedom.sum()))

    @cached_property
    def _score_moments(self) -> tuple[float, float]:
        """Mean and variance of all first scores of the rater, a repeated item's by its mean."""
        means = self.totals / self.counts
        within, _ = self._within_variance
        return float(means.mean()), float(means.var(ddof=1) + (within * (1 - 1 / self.counts)).mean())

    def collect(self, n: int, strategy: Strategy = "targeted", seed: int = 0) -> Codes:
        """Choose items to judge again, topic by topic; items that were judged twice are excluded.

        Parameters
        ----------
        n : judgments
        strategy : "as before" topics in random order, "evenly" those with the fewest repeats first, "targeted"
            those whose repeats narrow the interval of alpha most
        seed : for breaking ties

        Returns
        -------
        (m,) codes of items, m at most n.

        Raises
        ------
        InputError
            where `n` is below 0, or targeted repeats are chosen without earlier repeats.

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
        single = np.flatnonzero(self.counts == 1)
        single = single[rng.permutation(len(single))]
        topics = self.topic[single]
        remaining_topics = [single[topics == topic] for topic in dict.fromkeys(topics.tolist())]
        if strategy == "evenly":
            repeats_by_topic = np.bincount(
                self.topic[self.counts > 1], minlength=int(self.topic.max(initial=0)) + 1
            )
            remaining_topics.sort(key=lambda items: repeats_by_topic[self.topic[items[0]]])
        if strategy == "targeted":
            remaining_topics = self._order_topics_by_reduction(remaining_topics, n)
        return np.concatenate([*remaining_topics, np.empty(0, dtype=np.int64)])[:n].astype(np.int64)

    def _order_topics_by_reduction(self, remaining_topics: list[Codes], n: int) -> list[Codes]:
        within, _ = self._within_variance
        mean, total = self._score_moments
        mean_deviation = (self.totals - self.counts * mean) / self.counts
        reliability = max(1 - within / total, 0.0) if total > 0 else 0.0
        expected_square = (reliability * mean_deviation) ** 2 + total * (
            1 - reliability**2
        )  # expected square of the second score
        new_squares = (mean_deviation**2 + expected_square) / 2
        is_repeated = self.counts > 1
        mean_squares = (self.squares - 2 * mean * self.totals + self.counts * mean**2)[
            is_repeated
        ] / self.counts[is_repeated]
        item_squares, chosen = mean_squares.tolist(), list[Codes]()
        while remaining_topics and sum(map(len, chosen)) < n:
            current = _relative_alpha_variance(np.array(item_squares))
            gains = [
                (current - _relative_alpha_variance(np.append(item_squares, new_squares[items]))) / len(items)
                for items in remaining_topics
            ]
            best = remaining_topics.pop(int(np.argmax(gains)))
            chosen.append(best)
            item_squares += new_squares[best].tolist()
        return chosen

    def simulate_alpha(self, items: Codes, draws: int = 200, seed: int = 0) -> tuple[Estimate, Estimate]:
        """Simulate the half-width of alpha's interval, and alpha, after these items (m,) are judged again.

        Parameters
        ----------
        items : (m,) codes of items judged once
        draws : simulated results
        seed : of the draws

        Returns
        -------
        both Estimates
            mean and central 95% interval of the simulated results; NaN where the repeats so far do not differ.

        Notes
        -----
        The second score is normal around the first, shrunk to the rater's mean, on the rater's scale. The variance
        within items is drawn from an inverse chi-squared with its effective degrees of freedom. The half-width is 1.96
        linearized standard errors times the ratio to the current interval, which tends to 1 as items are added; its
        interval is Student's with the same degrees, on the log scale.
        """
        within, degrees_of_freedom = self._within_variance if self.repeated else (nan, nan)
        mean, total = self._score_moments if self.repeated else (nan, nan)
        half_width = (self.alpha.high - self.alpha.low) / 2
        if not within > 0 or not total > 0 or isnan(half_width):
            undefined = Estimate(nan, reason=self.alpha.reason or "the repeats so far do not differ")
            return undefined, undefined
        rng = np.random.default_rng(seed)
        means, first = self.totals / self.counts, self.totals[items]
        noise = np.minimum(within * degrees_of_freedom / rng.chisquare(degrees_of_freedom, draws), total)[
            :, None
        ]
        reliability = 1 - noise / total
        second = mean + reliability * (first - mean)
        second = second + np.sqrt(total * (1 - reliability**2)) * rng.standard_normal(second.shape)
        if self.step:
            second = first + self.step * np.round((second - first) / self.step)
            second = np.clip(second, means.min(), means.max())
        is_repeated = self.counts > 1
        current = self.counts[is_repeated], self.totals[is_repeated], self.squares[is_repeated]
        errors, _ = _alpha_standard_error(*(each[None] for each in current))
        added = np.full(second.shape, 2.0), first + second, first**2 + second**2
        new_errors, alphas = _alpha_standard_error(
            *(np.hstack([np.tile(old, (draws, 1)), new]) for old, new in zip(current, added, strict=True))
        )
        widening = 1 + (half_width / (NORMAL_QUANTILE * errors[0]) - 1) * self.repeated / (
            self.repeated + len(items)
        )
        half_widths = np.minimum(NORMAL_QUANTILE * widening * new_errors, half_width)
        log_half_widths = np.log(half_widths)
        log_reach = float(stdtrit(degrees_of_freedom, 0.975)) * log_half_widths.std()
        low, high = np.exp(log_half_widths.mean() - log_reach), np.exp(log_half_widths.mean() + log_reach)
        half_width_estimate = Estimate(float(half_widths.mean()), float(low), float(high), draws)
        return half_width_estimate, simulation_interval(alphas.tolist())


def _alpha_standard_error(counts: Floats, totals: Floats, squares: Floats) -> tuple[Floats, Floats]:
    """Return the linearized standard error of alpha, and alpha, from sums of items (draws, n) in each draw."""
    number = counts.sum(axis=1, keepdims=True)
    mean = totals.sum(axis=1, keepdims=True) / number
    within = (squares - totals**2 / counts) / (counts - 1) * counts
    total_squares = squares - 2 * mean * totals + counts * mean**2
    observed = within.sum(axis=1, keepdims=True) / number
    expected = total_squares.sum(axis=1, keepdims=True) / (number - 1)
    ratio = observed / expected
    influence = (within - ratio * total_squares) / (expected * number)
    return np.sqrt((influence**2).sum(axis=1)), (1 - ratio)[:, 0]


def _relative_alpha_variance(mean_squares: Floats) -> float:
    """Return the expected variance of alpha up to a constant factor, from items' mean squares around the mean (I,)."""
    total = mean_squares.mean()
    share = mean_squares / total
    return float((3 - 2 * share + share**2).sum() / (len(mean_squares) * total) ** 2)
