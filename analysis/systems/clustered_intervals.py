"""Sandwich intervals of a Bradley-Terry scale, and the influence of each vote on the share of a preference.

Influences summed by rater give the variance that raters add to that of items (`analysis.resampling.influence`). Weights
of raters and items are held fixed here; the bootstrap samples of items include their estimation error.
"""

from dataclasses import dataclass
from itertools import product
from math import nan
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special, stats

from analysis.pairs.system_table import rank_intervals
from analysis.systems.bradley_terry import (
    ON,
    Scale,
    expected_share,
    fit_comparisons,
    outcome_probabilities,
    pseudo_inverse,
)
from analysis.systems.rankings import TIE, PairedComparisons, encode_clusters
from analysis.systems.scale_intervals import ScaleIntervals, cluster_systems, undefined_intervals
from analysis.values.estimate import BootstrapSpec, Codes, Floats
from analysis.values.ratings import coded as values_coded
from analysis.values.votes import Lists, Votes
from analysis.workers import glad


def influence_on_weighted_shares(votes: Votes, relevance: Floats, rater_weight: Floats) -> Floats:
    """Return the influence (N, options) of each vote on its item's weighted share, given rater weights (w,)."""
    weight = rater_weight[votes.rater] * votes.weights
    total = np.bincount(votes.item, weight, votes.items)
    weight = np.where(total[votes.item] > 0, weight, votes.weights)  # equal weights where all are 0
    total = np.bincount(votes.item, weight, votes.items)
    chosen = np.eye(votes.options)[votes.choice]
    parts: Floats = (weight / total[votes.item])[:, None] * (chosen - np.nan_to_num(relevance)[votes.item])
    return parts


def influence_on_majority(votes: Votes, relevance: Floats, lists: Lists) -> Floats:
    """Return the influence (N, options) of each vote on its item's majority, by removing the vote."""
    counts = np.zeros((votes.items, votes.options))
    np.add.at(counts, (votes.item, votes.choice), votes.weights)
    remaining = counts[votes.item]
    remaining[np.arange(len(votes)), votes.choice] -= votes.weights
    return _influence_from_removal(
        votes, relevance[votes.item] - split_to_majority(remaining, lists), votes.weights
    )


def influence_on_glad(votes: Votes, relevance: Floats) -> Floats:
    """Return the influence (N, options) of each vote on GLAD's posterior, for fixed abilities and difficulties."""
    fitted = glad.fit_votes(votes)
    if fitted.reason:
        return np.zeros((len(votes), votes.options))
    evidence = fitted.ability[votes.rater] * np.exp(-fitted.difficulty[votes.item])
    evidence += np.log(max(votes.options - 1, 1))
    posterior = relevance[votes.item]
    remaining = posterior.copy()
    chosen = np.arange(len(votes)), votes.choice
    remaining[chosen] *= np.exp(-evidence)
    remaining /= remaining.sum(axis=1, keepdims=True)
    return _influence_from_removal(votes, posterior - remaining, np.ones(len(votes)))


def influence_on_list_share(
    votes: Votes, lists: Lists, parts: Floats, relevance: Floats, item_weight: Floats
) -> Floats:
    """Return the influence (N,) on the first list's share from that on the items' values (N, options), Eqs. 3 and 6."""
    weight = np.where(np.isnan(relevance[:, 0]), 0.0, item_weight)
    weight = weight / weight.sum()
    prv = weight @ np.nan_to_num(relevance)
    of_first, of_second = np.zeros((2, votes.options))
    of_first[lists.first] = of_second[lists.second] = 1.0
    for option, amount in ((lists.both, 0.5), (lists.neither, -0.5)):
        if option is not None:
            of_first[option] = of_second[option] = amount
    first, second = prv @ of_first, prv @ of_second
    gradient = (of_first * second - of_second * first) / (first + second) ** 2
    return np.asarray(weight[votes.item] * (parts @ gradient))


def split_to_majority(relevance: Floats, lists: Lists) -> Floats:
    """Assign each item's relevance (…, options) to the list with more votes, half to each in a tie."""
    # The terms of Eq. 3 that are equal for both lists do not change which one is ahead.
    winner_share = relevance * 0.0  # keeps NaN
    ahead = np.sign(relevance[..., lists.first] - relevance[..., lists.second])
    winner_share[..., lists.first], winner_share[..., lists.second] = (1 + ahead) / 2, (1 - ahead) / 2
    return winner_share


def _influence_from_removal(votes: Votes, change: Floats, weight: Floats) -> Floats:
    """Convert the change by removing a vote into its influence as one vote of n with these weights (N,)."""
    total = np.bincount(votes.item, weight, votes.items)[votes.item]
    return np.asarray(change * ((total - weight) / total)[:, None])


T = TypeVar("T", np.float64, np.int64, np.bool_)
NEGLIGIBLE = 1e-12
_SUMS_PER_BLOCK = 8_000_000
"""Cluster sums (clusters times parameters) held in memory at once."""


@dataclass(frozen=True, eq=False)
class ScoreContributions:
    """Contributions of each of n comparisons to the scores of m parameters: `value` (n, w) at index `place` (n, w)."""

    place: Codes
    value: Floats
    sums: int

    def select(self, selected: NDArray[np.bool_] | Codes | slice) -> "ScoreContributions":
        """Return the contributions of the selected comparisons."""
        return ScoreContributions(self.place[selected], self.value[selected], self.sums)


@dataclass(frozen=True, eq=False)
class Covariance:
    """Covariance over `items` and `raters` (k + 1, k + 1) of k strengths and ln nu, with their degrees of freedom."""

    items: Floats
    raters: Floats
    degrees_items: float
    degrees_raters: float

    def contrast_errors(self, contrasts: Floats) -> tuple[Floats, Floats]:
        """Return standard errors and Satterthwaite's degrees of freedom of contrasts (n, k + 1)."""
        items, raters = (
            np.maximum(((contrasts @ part) * contrasts).sum(axis=1), 0) for part in (self.items, self.raters)
        )
        variance = items + raters
        parts = items**2 / self.degrees_items + raters**2 / self.degrees_raters
        degrees = variance**2 / np.where(parts > 0, parts, 1)
        return np.sqrt(variance), np.where(parts > 0, np.maximum(degrees, 1), self.degrees_items)


def sandwich_intervals(
    comparisons: PairedComparisons,
    item: ArrayLike,
    rater: ArrayLike | None,
    spec: BootstrapSpec | None = None,
) -> ScaleIntervals:
    """Return sandwich intervals of strengths, chances and differences, with ranks and clusters.

    Parameters
    ----------
    comparisons : N comparisons of S systems
    item : (N,) ids of what was judged
    rater : (N,) ids of raters; None where unknown: then over items only
    spec : level, and draws and seed of the normal deviates that adjust for all pairs at once

    Returns
    -------
    ScaleIntervals

    Raises
    ------
    InputError
        where lengths differ.

    Notes
    -----
    Not for few items or few raters: Student's t has the degrees of freedom of the smaller number.
    Source: White 1982 (sandwich); Cameron, Gelbach and Miller 2011, "Robust inference with multiway clustering",
    section 2; Hothorn, Bretz and Westfall 2008 (all pairs at once); Bojar et al. 2016 (clusters).
    """
    spec = spec or BootstrapSpec()
    items, raters = encode_clusters(comparisons, item, rater)
    scale = fit_comparisons(comparisons)
    on_scale = np.flatnonzero(scale.position == ON)
    if spec.draws == 0:
        return undefined_intervals(scale, "no draws were asked for")
    if len(on_scale) == 0:
        return undefined_intervals(scale, "no two systems are on one scale")
    if items.max(initial=0) < 1:
        return undefined_intervals(scale, "there is only one item, so intervals over items are undefined")
    covariance_of_scale = covariance(scale, comparisons, items, raters)
    return intervals_from_covariance(scale, on_scale, covariance_of_scale, spec, raters.max(initial=0) > 0)


def covariance(scale: Scale, comparisons: PairedComparisons, item: Codes, rater: Codes) -> Covariance:
    """Return the sandwich covariance of the systems on the scale (White 1982; Cameron, Gelbach and Miller 2011, section
    2)."""
    on_scale = np.flatnonzero(scale.position == ON)
    mask, index = select_on_scale(scale, comparisons)
    inverse_information = pseudo_inverse(fisher_information(scale, on_scale))
    fixed_parameters = len(on_scale) - 1 + (scale.tie > 0)
    scores = (
        score_contributions(scale, comparisons, mask, index),
        item[mask],
        rater[mask],
        int(fixed_parameters),
    )
    score_covariance = two_way_covariance(*scores, comparisons.weights[mask])
    return sandwich_covariance(inverse_information, score_covariance, np.arange(len(on_scale) + 1))


def sandwich_covariance(
    inverse_information: NDArray[np.floating[Any]], score_covariance: Covariance, parameters: Codes
) -> Covariance:
    """Return the sandwich covariance of k strengths and ln nu, given their indices (k + 1,) among all parameters."""
    items, raters = (
        (inverse_information @ middle @ inverse_information)[np.ix_(parameters, parameters)]
        for middle in (score_covariance.items, score_covariance.raters)
    )
    return Covariance(
        items,
        _shrink_rater_covariance(_nearest_semidefinite(raters)),
        score_covariance.degrees_items,
        score_covariance.degrees_raters,
    )


def select_on_scale(scale: Scale, comparisons: PairedComparisons) -> tuple[NDArray[np.bool_], Codes]:
    """Return a mask of the comparisons of two systems on the scale, and each system's index there, -1 off the scale."""
    on_scale = np.flatnonzero(scale.position == ON)
    index = np.full(len(scale.systems), -1)
    index[on_scale] = np.arange(len(on_scale))
    return (index[comparisons.first] >= 0) & (index[comparisons.second] >= 0), index


def two_way_covariance(
    contributions: ScoreContributions,
    item: Codes,
    rater: Codes,
    fixed_parameters: int,
    weight: Floats | None = None,
) -> Covariance:
    """Return the covariance (m, m) of scores over items, and the part that raters add across items: raters minus raters
    within items, which may be negative. `fixed_parameters` counts the linear constraints on the scores.

    Degrees of freedom take cluster sizes from sums of `weight` (n,), 1 by default.
    """

    def cluster_covariance(cluster: Codes, fixed_parameters: int) -> tuple[Floats, float]:
        present, code = values_coded(cluster)
        size, count = np.bincount(code), len(present)
        products = sum_cluster_products(contributions, code, size) * count / max(count - fixed_parameters, 1)
        return products, effective_degrees(np.bincount(code, weight))

    by_item, degrees_items = cluster_covariance(item, fixed_parameters)
    if rater.max(initial=0) < 1:
        return Covariance(by_item, np.zeros_like(by_item), degrees_items, np.inf)
    by_rater, degrees_raters = cluster_covariance(rater, min(fixed_parameters, 1))
    by_cell, _ = cluster_covariance(item * (rater.max(initial=0) + 1) + rater, min(fixed_parameters, 1))
    return Covariance(by_item, by_rater - by_cell, degrees_items, degrees_raters)


def effective_degrees(size: NDArray[Any]) -> float:
    """Return the degrees of freedom of clusters of these sizes: Kish's effective number minus 1."""
    return max(float(size.sum() ** 2 / (size**2).sum()) - 1, 1.0)


def sum_cluster_products(contributions: ScoreContributions, code: Codes, size: Codes) -> Floats:
    """Return the sum over clusters of the outer products of their score sums (m, m).

    Clusters of one comparison add the products of its few contributions; the others are summed in blocks.
    """
    m, is_single = contributions.sums, size[code] == 1
    products_of_all = np.zeros((m, m))
    if is_single.any():
        single = contributions.select(is_single)
        for i, j in product(range(single.place.shape[1]), repeat=2):
            index_pair, value_products = (
                single.place[:, i] * m + single.place[:, j],
                single.value[:, i] * single.value[:, j],
            )
            products_of_all += np.bincount(index_pair, value_products, m * m).reshape(m, m)
        contributions, code = contributions.select(~is_single), (np.cumsum(size > 1) - 1)[code[~is_single]]
    cluster_count, step = int((size > 1).sum()), max(_SUMS_PER_BLOCK // m, 1)
    if cluster_count > step:
        order = np.argsort(code, kind="stable")
        contributions, code = contributions.select(order), code[order]
    for start in range(0, cluster_count, step):
        block, cluster_code = contributions, code
        if cluster_count > step:
            first, end = np.searchsorted(code, [start, start + step])
            block, cluster_code = contributions.select(slice(first, end)), code[first:end] - start
        cell = (cluster_code[:, None] * m + block.place).ravel()
        sums = np.bincount(cell, block.value.ravel(), min(step, cluster_count) * m).reshape(-1, m)
        products_of_all += sums.T @ sums
    return products_of_all


def score_contributions(
    scale: Scale, comparisons: PairedComparisons, mask: NDArray[np.bool_], index: Codes
) -> ScoreContributions:
    """Return each comparison's contributions to the k + 1 scores of the log-likelihood."""
    k = int(index.max(initial=-1)) + 1
    first, second = comparisons.first[mask], comparisons.second[mask]
    d = scale.strength[first] - scale.strength[second]
    tied, offered = comparisons.outcome[mask] == TIE, comparisons.offered[mask]
    win, tie = outcome_probabilities(d, np.array(np.nan_to_num(scale.tie)))
    points = np.where(tied, 0.5, comparisons.outcome[mask] == 0)
    weight = comparisons.weights[mask]
    residual = weight * (points - np.where(offered, win + tie / 2, special.expit(d)))
    tie_residual = weight * np.where(offered, tied - tie, 0.0) * (scale.tie > 0)
    if np.isnan(scale.tie):  # all that could tie did: no information about strengths
        residual = np.where(offered, 0.0, residual)
    columns = np.column_stack([index[first], index[second], np.full(len(d), k)])
    return ScoreContributions(columns, np.column_stack([residual, -residual, tie_residual]), k + 1)


def fisher_information(scale: Scale, on_scale: Codes) -> Floats:
    """Return the Fisher information (k + 1, k + 1) of strengths and ln nu."""
    d = scale.strength[on_scale][:, None] - scale.strength[on_scale]
    offered = scale.offered[np.ix_(on_scale, on_scale)]
    forced = scale.compared[np.ix_(on_scale, on_scale)] - offered
    win, tie = outcome_probabilities(d, np.array(np.nan_to_num(scale.tie)))
    if np.isnan(scale.tie):
        offered = np.zeros_like(offered)
    share, untied = win + tie / 2, special.expit(d)
    weight = forced * untied * (1 - untied) + offered * (win + tie / 4 - share**2)
    k = len(on_scale)
    matrix = np.zeros((k + 1, k + 1))
    matrix[:k, :k] = np.diag(weight.sum(axis=1)) - weight
    if scale.tie > 0:
        matrix[:k, k] = matrix[k, :k] = (offered * tie * (0.5 - share)).sum(axis=1)
        matrix[k, k] = (offered * tie * (1 - tie)).sum() / 2
    return matrix


def _nearest_semidefinite(matrix: Floats) -> Floats:
    """Return the nearest positive semidefinite matrix, with negative eigenvalues set to 0."""
    values, vectors = np.linalg.eigh((matrix + matrix.T) / 2)
    clipped: Floats = (vectors * np.maximum(values, 0)) @ vectors.T
    return clipped


def _shrink_rater_covariance(raters: Floats) -> Floats:
    """Shrink the rater covariance halfway to equal independent variances, as it is unstable with few raters."""
    k = len(raters) - 1
    exchangeable = raters.copy()
    exchangeable[:k, :k] = raters[:k, :k].trace() / max(k - 1, 1) * (np.eye(k) - 1 / k)
    exchangeable[:k, k] = exchangeable[k, :k] = 0.0
    return (raters + exchangeable) / 2


def intervals_from_covariance(
    scale: Scale,
    systems_on_scale: Codes,
    covariance_of_scale: Covariance,
    spec: BootstrapSpec,
    by_raters: bool,
) -> ScaleIntervals:
    """Return intervals, ranks and clusters of all S systems from the covariance of those on the scale."""
    s, k = len(scale.systems), len(systems_on_scale)
    strength = scale.strength[systems_on_scale]
    contrasts = np.eye(k + 1)[:k]
    contrasts[:, :k] -= 1 / k
    error, degrees = covariance_of_scale.contrast_errors(contrasts)
    half_width = stats.t.ppf((1 + spec.level) / 2, degrees) * error
    low, high = strength - half_width, strength + half_width
    chance_low, chance_high = _win_probability_interval(
        scale, strength, contrasts, covariance_of_scale, spec.level
    )
    first, second = np.triu_indices(k, 1)
    pair_contrasts = contrasts[first] - contrasts[second]
    pair_error, degrees = covariance_of_scale.contrast_errors(pair_contrasts)
    difference = strength[first] - strength[second]
    half_width = stats.t.ppf((1 + spec.level) / 2, degrees) * pair_error
    studentized = np.where(
        pair_error > NEGLIGIBLE, np.abs(difference) / np.where(pair_error > NEGLIGIBLE, pair_error, 1), np.inf
    )
    studentized[(pair_error <= NEGLIGIBLE) & (np.abs(difference) <= NEGLIGIBLE)] = 0.0
    adjusted = _adjust_for_all_pairs(
        studentized, pair_contrasts, covariance_of_scale, pair_error, degrees, spec
    )

    def square(upper: Floats, lower: Floats, diagonal: float) -> Floats:
        expanded = np.full((k, k), diagonal)
        expanded[first, second], expanded[second, first] = upper, lower
        return expanded

    p = square(adjusted, adjusted, nan)
    is_above = (p <= 1 - spec.level + NEGLIGIBLE) & (strength[:, None] > strength)
    ranks = rank_intervals(is_above)

    def expand(values: NDArray[T], fill_value: float) -> NDArray[T]:
        expanded: NDArray[T] = np.full(s if values.ndim == 1 else (s, s), fill_value, dtype=values.dtype)
        expanded[systems_on_scale if values.ndim == 1 else np.ix_(systems_on_scale, systems_on_scale)] = (
            values
        )
        return expanded

    return ScaleIntervals(
        low=expand(low, nan),
        high=expand(high, nan),
        chance_low=expand(chance_low, nan),
        chance_high=expand(chance_high, nan),
        difference_low=expand(square(difference - half_width, -difference - half_width, 0.0), nan),
        difference_high=expand(square(difference + half_width, half_width - difference, 0.0), nan),
        p=expand(p, nan),
        above=expand(is_above, False),
        rank_low=expand(ranks.low, 0),
        rank_high=expand(ranks.high, 0),
        cluster=expand(cluster_systems(is_above, strength), 0),
        resampled="items and raters" if by_raters else "items",
    )


def _win_probability_interval(
    scale: Scale,
    strength: Floats,
    contrasts_of_strength: Floats,
    covariance_of_scale: Covariance,
    level: float,
) -> tuple[Floats, Floats]:
    """Return the interval of the probability of beating an average system, on the log-odds scale."""
    tie = float(np.nan_to_num(scale.tie))
    chance = expected_share(strength, tie)
    step = 1e-5
    by_strength = (expected_share(strength + step, tie) - expected_share(strength - step, tie)) / (2 * step)
    by_tie = (
        expected_share(strength, tie * np.exp(step)) - expected_share(strength, tie * np.exp(-step))
    ) / (2 * step)
    contrasts = contrasts_of_strength * by_strength[:, None]
    contrasts[:, -1] = by_tie
    error, degrees = covariance_of_scale.contrast_errors(contrasts)
    half_width = stats.t.ppf((1 + level) / 2, degrees) * error / (chance * (1 - chance))
    odds = special.logit(chance)
    return special.expit(odds - half_width), special.expit(odds + half_width)


def _adjust_for_all_pairs(
    studentized: Floats,
    pairs: Floats,
    covariance_of_scale: Covariance,
    standard_error: Floats,
    degrees: Floats,
    spec: BootstrapSpec,
) -> Floats:
    """Return p of each pair, adjusted for all pairs by the distribution of the largest studentized difference."""
    rng = np.random.default_rng(spec.seed)
    values, vectors = np.linalg.eigh(covariance_of_scale.items + covariance_of_scale.raters)
    root = vectors * np.sqrt(np.maximum(values, 0))
    fewest_degrees = float(degrees.min())
    largest = np.zeros(spec.draws)
    scaled = (
        np.where(
            standard_error[:, None] > NEGLIGIBLE,
            pairs / np.where(standard_error > NEGLIGIBLE, standard_error, 1)[:, None],
            0.0,
        )
        @ root
    )
    normal = rng.standard_normal((spec.draws, len(values)))
    chi_scale = np.sqrt(fewest_degrees / rng.chisquare(fewest_degrees, spec.draws))
    for part in np.array_split(scaled, max(len(scaled) * spec.draws // 4_000_000, 1)):
        largest = np.maximum(largest, np.abs(normal @ part.T).max(axis=1) * chi_scale)
    exceeding = len(largest) - np.searchsorted(np.sort(largest), studentized - NEGLIGIBLE)
    adjusted: Floats = (1 + exceeding) / (1 + len(largest))
    return adjusted
