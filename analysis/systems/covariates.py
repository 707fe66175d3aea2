"""Bradley-Terry with ties and covariates of the two outputs of a comparison: their length, their style.

The linear predictor of i with a count x and j with y is strength_i - strength_j + b (x - y) / (x + y); probabilities
follow as without covariates (`analysis.systems.bradley_terry`). Sums avoid a dense design matrix, so that millions of
comparisons fit into memory.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from math import nan
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special, stats

from analysis.resampling.influence import NO_VARIANCE, VarianceEstimate, add_variances
from analysis.systems.bradley_terry import (
    ON,
    Scale,
    expected_share,
    fit_comparisons,
    outcome_probabilities,
    pseudo_inverse,
)
from analysis.systems.clustered_intervals import (
    ScoreContributions,
    effective_degrees,
    intervals_from_covariance,
    sandwich_covariance,
    two_way_covariance,
)
from analysis.systems.rankings import FIRST, TIE, PairedComparisons, encode_clusters
from analysis.systems.scale_intervals import ScaleIntervals, strength_estimates, undefined_intervals
from analysis.values.estimate import BootstrapSpec, Codes, Estimate, Flags, Floats, InputError
from analysis.values.ratings import coded as values_coded

MOST_STEPS = 100
SMALLEST_STEP = 1e-9
LARGEST_COEFFICIENT = 15.0
"""Coefficient beyond which the maximum is taken to be infinite (separation)."""
FEW_RATERS = 6
"""Raters below which the degrees of freedom are those of raters: their variance is often estimated as 0."""
_FEWEST_UNIQUE_VARIANCE = 1e-9
"""Least share of a covariate's variance that systems and other covariates must not explain (tolerance)."""


@dataclass(frozen=True, eq=False)
class StyleEffects:
    """Effects of style, and the systems' strengths adjusted for it.

    `names` (c,) of the covariates; `effect` (c,) on the log odds per standard deviation of the covariate, n =
    comparisons; `twice` (c,) the win probability of an output with twice the count, for two equally strong systems and
    no tie; `p` (c,) of no effect; `adjusted` the scale adjusted for style, with its `intervals`; `plain` the unadjusted
    scale of the same comparisons; `known` (N,) mask of these comparisons: those with all values; `reason` why all is
    NaN.
    """

    names: tuple[str, ...]
    effect: tuple[Estimate, ...]
    twice: tuple[Estimate, ...]
    p: Floats
    adjusted: Scale
    intervals: ScaleIntervals
    plain: Scale
    known: Flags
    reason: str = ""

    @property
    def strength(self) -> tuple[Estimate, ...]:
        """Strength of each system (S,), adjusted for style; mean 0 over the systems on the scale."""
        return strength_estimates(self.adjusted, self.intervals)

    @property
    def left_out(self) -> int:
        """Number of comparisons with a missing value."""
        return int((~self.known).sum())


def style_effects(
    comparisons: PairedComparisons,
    style: Mapping[str, tuple[ArrayLike, ArrayLike]],
    item: ArrayLike,
    rater: ArrayLike | None,
    spec: BootstrapSpec | None = None,
) -> StyleEffects:
    """Estimate effects of length and other style counts on the odds of being chosen, and strengths adjusted for them.

    Parameters
    ----------
    comparisons : N comparisons of S systems
    style : name -> counts (N,) of the first and (N,) of the second system's output, 0 or more, NaN where unknown
    item : (N,) ids of what was judged
    rater : (N,) ids of raters; None where unknown: then over items only
    spec : level, and draws and seed of the normal deviates that adjust for all pairs at once

    Returns
    -------
    StyleEffects
        undefined with its reason where a covariate cannot be separated from the systems, or only an infinite one fits.

    Raises
    ------
    InputError
        where lengths differ, a value is negative, or no covariate is given.

    Notes
    -----
    An effect does not say that length is bad: where better systems write more for good reasons, adjusted strengths lose
    that advantage. A covariate is the difference of both counts over their sum, 0 where both are 0, divided by its root
    mean square: its standard deviation around 0, so that exchanging the sides changes nothing (the arena uses the
    standard deviation around the mean). Intervals come from the sandwich variance, clustered by items and raters, with
    Student's t.
    Source: Chiang et al. 2024, "Chatbot Arena", and its style control (covariates); Davidson 1970 (ties); White 1982;
    Cameron, Gelbach and Miller 2011, section 2.

    >>> from analysis.systems.rankings import comparisons_from_ids
    >>> games = comparisons_from_ids(["a", "b"] * 4, ["b", "a"] * 4, [0, 0, 1, 1, 1, 0, 1, 1])
    >>> length = [90, 80, 70, 20, 30, 60, 10, 35], [40, 70, 20, 60, 80, 50, 30, 90]
    >>> style_effects(games, {"length": length}, range(8), None).effect[0].value > 0
    True
    """
    spec = spec or BootstrapSpec()
    items, raters = encode_clusters(comparisons, item, rater)
    differences, log_differences = _style_differences(style, len(comparisons))
    is_complete = np.logical_and.reduce(np.isfinite(differences), axis=1)
    complete, items, raters = comparisons.select(is_complete), items[is_complete], raters[is_complete]
    scale = fit_comparisons(complete)
    names = tuple(style)

    def undefined(reason: str) -> StyleEffects:
        no_estimates = (Estimate(nan, n=len(complete), reason=reason),) * len(names)
        no_intervals = undefined_intervals(scale, reason)
        return StyleEffects(
            names,
            no_estimates,
            no_estimates,
            np.full(len(names), nan),
            scale,
            no_intervals,
            scale,
            is_complete,
            reason,
        )

    if not is_complete.any():
        return undefined("no comparison has a number of both outputs")
    is_on_scale = scale.position == ON
    mask = is_on_scale[complete.first] & is_on_scale[complete.second]
    if not mask.any() or np.isnan(scale.tie):
        return undefined("no two systems are on the scale, or all that could tie did")
    standard_deviation = np.sqrt((differences[is_complete] ** 2).mean(axis=0))
    votes = select_covariate_votes(
        scale,
        complete,
        mask,
        (differences[is_complete] / np.where(standard_deviation > 0, standard_deviation, 1))[mask],
    )
    # Lengths that depend on the system alone are collinear with the systems on the log scale.
    if (
        not votes.is_identified
        or not select_covariate_votes(scale, complete, mask, log_differences[is_complete][mask]).is_identified
    ):
        return undefined("style differs only as the systems do, so the two cannot be separated")
    fitted = votes.maximize_likelihood(scale)
    if fitted is None:
        return undefined("style decided throughout, so that no finite effect fits")
    theta = fitted.theta
    k, c, items, raters = votes.systems, len(names), items[mask], raters[mask]
    strength = np.full(len(is_on_scale), nan)
    strength[is_on_scale] = theta[:k] - theta[:k].mean()
    tie = float(np.exp(theta[-1])) if votes.ties else 0.0
    adjusted = replace(
        scale,
        strength=strength,
        chance=expected_share(strength, tie),
        tie=tie,
        log_likelihood=fitted.log_likelihood,
    )
    if items.max() < 1:
        intervals = undefined_intervals(
            adjusted, "there is only one item, so intervals over items are undefined"
        )
        error, degrees = np.full(c, nan), np.ones(c)
    else:
        parameters = np.append(np.arange(k), k + c)
        score_covariance = two_way_covariance(
            fitted.score_contributions, items, raters, k - 1 + c + votes.ties, votes.weight
        )
        covariance = sandwich_covariance(fitted.variance, score_covariance, parameters)
        intervals = intervals_from_covariance(
            adjusted, np.flatnonzero(is_on_scale), covariance, spec, raters.max() > 0
        )
        chance = coefficient_variances(fitted, items, raters)
        error = np.sqrt([each.variance for each in chance])
        degrees = np.array([each.degrees for each in chance])
    value, half_width = theta[k : k + c], stats.t.ppf((1 + spec.level) / 2, degrees) * error
    p = np.full(c, nan)
    is_defined = error > 0
    p[is_defined] = 2 * stats.t.sf(np.abs(value[is_defined]) / error[is_defined], degrees[is_defined])
    bounds = np.stack([value, value - half_width, value + half_width], axis=1)
    twice_probability = special.expit(
        bounds / (3 * standard_deviation[:, None])
    )  # twice the count: (2 - 1) / (2 + 1)
    effect, twice = (
        tuple(Estimate(value, low, high, len(items)) for value, low, high in figures.tolist())
        for figures in (bounds, twice_probability)
    )
    return StyleEffects(names, effect, twice, p, adjusted, intervals, scale, is_complete)


def _style_differences(style: Mapping[str, tuple[ArrayLike, ArrayLike]], n: int) -> tuple[Floats, Floats]:
    """Return for each covariate (N, c) the difference of both counts over their sum, NaN where one is missing, and the
    difference of their logarithms."""
    if not style:
        raise InputError("`style` must hold at least one pair of columns")
    differences, log_differences = [], []
    for name, sides in style.items():
        first, second = (np.asarray(side, dtype=np.float64) for side in sides)
        if first.shape != (n,) or second.shape != (n,):
            raise InputError(
                f"`{name}` must hold {n} numbers for each side, got {first.shape} and {second.shape}"
            )
        if (first < 0).any() or (second < 0).any():
            raise InputError(f"`{name}` must not be negative: it counts something of an output")
        total = first + second
        differences.append((first - second) / np.where(total == 0, 1.0, total))
        log_differences.append(np.log1p(first) - np.log1p(second))
    return np.column_stack(differences), np.column_stack(log_differences)


def select_covariate_votes(
    scale: Scale, comparisons: PairedComparisons, mask: Flags, columns: Floats
) -> "CovariateVotes":
    """Return the masked comparisons (N,), all of systems on the scale, with covariates (n, c) (Davidson 1970)."""
    is_on_scale = scale.position == ON
    index = np.cumsum(is_on_scale) - 1
    return CovariateVotes(
        index[comparisons.first[mask]],
        index[comparisons.second[mask]],
        comparisons.outcome[mask],
        comparisons.offered[mask],
        columns,
        comparisons.weights[mask],
        int(is_on_scale.sum()),
        bool(scale.tie > 0),
    )


@dataclass(frozen=True, eq=False)
class CovariateVotes:
    """Comparisons among the systems on the scale, with `weight` (n,) and covariates (n, c): first minus second system.

    Parameters are the systems' strengths, the coefficients, and ln nu.
    """

    first: Codes
    second: Codes
    outcome: Codes
    offered: Flags
    columns: Floats
    weight: Floats
    systems: int
    ties: bool

    @property
    def is_identified(self) -> bool:
        """True where no covariate is a linear combination of systems and other covariates."""
        matrix = self.weighted_products(np.ones(len(self.first)))
        k = self.systems
        mixed = matrix[:k, k:-1]
        residual = matrix[k:-1, k:-1] - mixed.T @ pseudo_inverse(matrix[:k, :k]) @ mixed
        size = np.sqrt(np.diag(matrix[k:-1, k:-1]))
        if not (size > 0).all():
            return False
        return bool(np.linalg.eigvalsh(residual / np.outer(size, size))[0] > _FEWEST_UNIQUE_VARIANCE)

    def evaluate(self, theta: Floats) -> "LikelihoodPoint":
        """Return the likelihood of the outcomes at these parameters."""
        d = theta[self.first] - theta[self.second] + self.columns @ theta[self.systems : -1]
        win, tie = outcome_probabilities(d, np.array(np.exp(theta[-1]) if self.ties else 0.0))
        if not self.offered.all():
            win, tie = np.where(self.offered, win, special.expit(d)), np.where(self.offered, tie, 0.0)
        return LikelihoodPoint(self, theta, win, tie)

    def maximize_likelihood(self, scale: Scale) -> "LikelihoodPoint | None":
        """Maximize by Newton's method with step halving from the scale without covariates; None where a coefficient is
        infinite."""
        k, c = self.systems, self.columns.shape[1]
        log_tie = np.log(scale.tie) if self.ties else 0.0
        current = self.evaluate(
            np.concatenate([scale.strength[scale.position == ON], np.zeros(c), [log_tie]])
        )
        for _ in range(MOST_STEPS):
            step = current.variance @ current.score
            step /= max(float(np.abs(step).max()) / 3, 1.0)
            for _ in range(30):
                candidate = self.evaluate(current.theta + step)
                if candidate.log_likelihood >= current.log_likelihood - 1e-12 * abs(current.log_likelihood):
                    break
                step = step / 2
            current = candidate
            if np.abs(current.theta[k:-1]).max() > LARGEST_COEFFICIENT:
                return None
            if np.abs(step).max() < SMALLEST_STEP:
                break
        return current

    def weighted_sums(self, weight: Floats) -> Floats:
        """Return the weighted column sums of the design matrix (parameters without ln nu,)."""
        k = self.systems
        system_sums = np.bincount(self.first, weight, k) - np.bincount(self.second, weight, k)
        return np.concatenate([system_sums, weight @ self.columns])

    def weighted_products(self, weight: Floats) -> Floats:
        """Return the weighted cross products of the design matrix (parameters, parameters), 0 for nu."""
        k, c = self.systems, self.columns.shape[1]
        pair_weight = np.bincount(self.first * k + self.second, weight, k * k).reshape(k, k)
        pair_weight = pair_weight + pair_weight.T
        matrix = np.zeros((k + c + 1, k + c + 1))
        matrix[:k, :k] = np.diag(pair_weight.sum(axis=1)) - pair_weight
        for at in range(c):
            matrix[:-1, k + at] = matrix[k + at, :-1] = self.weighted_sums(weight * self.columns[:, at])
        return matrix


@dataclass(frozen=True, eq=False)
class LikelihoodPoint:
    """Probabilities (n,) of a win of the first and of a tie, at the parameters `theta`."""

    votes: CovariateVotes
    theta: Floats
    win: Floats
    tie: Floats

    @cached_property
    def log_likelihood(self) -> float:
        """Log-likelihood of the outcomes."""
        outcome = self.votes.outcome
        chance = np.select([outcome == FIRST, outcome == TIE], [self.win, self.tie], 1 - self.win - self.tie)
        return float((self.votes.weight * np.log(np.maximum(chance, 1e-300))).sum())

    @cached_property
    def _residuals(self) -> tuple[Floats, Floats]:
        """Weighted residuals of each comparison's points of the first system and of its tie."""
        votes = self.votes
        tied = votes.outcome == TIE
        residual = np.where(tied, 0.5, votes.outcome == FIRST) - self.win - self.tie / 2
        return votes.weight * residual, votes.weight * np.where(
            votes.offered & votes.ties, tied - self.tie, 0.0
        )

    @property
    def score(self) -> Floats:
        """Gradient of the log-likelihood (parameters,)."""
        residual, tie_residual = self._residuals
        return np.append(self.votes.weighted_sums(residual), tie_residual.sum())

    @cached_property
    def score_contributions(self) -> ScoreContributions:
        """Contributions of each comparison to the scores of all parameters."""
        votes = self.votes
        residual, tie_residual = self._residuals
        values = np.column_stack([residual, -residual, residual[:, None] * votes.columns, tie_residual])
        last = votes.systems + votes.columns.shape[1] + 1
        other_columns = np.broadcast_to(np.arange(votes.systems, last), (len(residual), last - votes.systems))
        return ScoreContributions(np.column_stack([votes.first, votes.second, other_columns]), values, last)

    @cached_property
    def information(self) -> Floats:
        """Fisher information (parameters, parameters)."""
        votes, win, tie = self.votes, self.win, self.tie
        share = win + tie / 2
        weight = votes.weight * np.where(votes.offered, win + tie / 4 - share**2, win * (1 - win))
        matrix = votes.weighted_products(weight)
        mixed = votes.weight * np.where(votes.offered & votes.ties, tie * (0.5 - share), 0.0)
        matrix[:-1, -1] = matrix[-1, :-1] = votes.weighted_sums(mixed)
        matrix[-1, -1] = (votes.weight * tie * (1 - tie) * votes.offered).sum() if votes.ties else 1.0
        return matrix

    @cached_property
    def variance(self) -> Floats:
        """Covariance (parameters, parameters) for independent comparisons: the inverse information."""
        return pseudo_inverse(self.information)


def coefficient_variances(
    fitted: LikelihoodPoint, item: NDArray[Any], rater: NDArray[Any]
) -> tuple[VarianceEstimate, ...]:
    """Return the variance of each coefficient over items (n,), with the part that raters (n,) add (White 1982; Cameron,
    Gelbach and Miller 2011, section 2)."""
    votes, contributions = fitted.votes, fitted.score_contributions
    of_item, of_rater = (values_coded(each)[1] for each in (item, rater))
    _, cell = values_coded(of_item * (of_rater.max() + 1) + of_rater)
    item_count, rater_count = int(of_item.max()) + 1, int(of_rater.max()) + 1
    item_degrees, rater_degrees = (
        effective_degrees(np.bincount(code, votes.weight)) for code in (of_item, of_rater)
    )

    def coefficient_variance(parameter: int) -> VarianceEstimate:
        influence = (contributions.value * fitted.variance[parameter][contributions.place]).sum(axis=1)

        def cluster_variance(code: Codes) -> float:
            return float((np.bincount(code, influence) ** 2).sum())

        items = cluster_variance(of_item) * item_count / max(item_count - votes.systems - votes.ties, 1)
        by_items = VarianceEstimate(items, items**2 / item_degrees)
        if rater_count < 2:
            return add_variances(by_items, NO_VARIANCE)
        raters, by_cell = (
            cluster_variance(of_rater) / cluster_variance_share(of_rater, votes.weight),
            cluster_variance(cell) / cluster_variance_share(cell, votes.weight),
        )
        combined = add_variances(
            by_items, VarianceEstimate(max(raters - by_cell, 0.0), raters**2 / rater_degrees)
        )
        uncertainty_of_few = combined.variance**2 / rater_degrees if rater_count < FEW_RATERS else 0.0
        return VarianceEstimate(combined.variance, max(combined.uncertainty, uncertainty_of_few))

    return tuple(coefficient_variance(votes.systems + at) for at in range(votes.columns.shape[1]))


def cluster_variance_share(code: Codes, weight: Floats | None = None) -> float:
    """Return the share of the between-cluster variance that remains around their weighted mean: 1 - 1/n of n equal
    clusters, less for unequal ones (Bell and McCaffrey 2002, "Bias reduction in standard errors")."""
    size = np.bincount(code, weight)
    share = size / size.sum()
    sum_of_squares = float((share**2).sum())
    return max(1 - 2 * float((share**3).sum()) / sum_of_squares + sum_of_squares, SMALLEST_STEP)
