"""Each vote's part in the share of a preference: how far the share would move if the vote were not there.

Summed by rater they tell what raters carry from item to item (`analysis.resampling.carried`). Weights of raters and of
items stay as they are here; that these are estimated, too, is in the draws of items.
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
    inverse,
    outcome_chances,
)
from analysis.systems.rankings import TIE, PairedComparisons, coded
from analysis.systems.scale_intervals import ScaleIntervals, clusters_of, without
from analysis.values.estimate import BootstrapSpec, Codes, Floats
from analysis.values.ratings import coded as values_coded
from analysis.values.votes import Lists, Votes
from analysis.workers import glad


def of_weighted_votes(votes: Votes, relevance: Floats, rater_weight: Floats) -> Floats:
    """(N, options) of shares that are means of votes with these weights of their raters (w,)."""
    weight = rater_weight[votes.rater] * votes.weights
    total = np.bincount(votes.item, weight, votes.items)
    weight = np.where(
        total[votes.item] > 0, weight, votes.weights
    )  # where all weights are 0, votes weigh alike
    total = np.bincount(votes.item, weight, votes.items)
    chosen = np.eye(votes.options)[votes.choice]
    parts: Floats = (weight / total[votes.item])[:, None] * (chosen - np.nan_to_num(relevance)[votes.item])
    return parts


def of_majority(votes: Votes, relevance: Floats, lists: Lists) -> Floats:
    """(N, options) of the item's winner, which turns, or ties, without a vote or does not."""
    counts = np.zeros((votes.items, votes.options))
    np.add.at(counts, (votes.item, votes.choice), votes.weights)
    without = counts[votes.item]
    without[np.arange(len(votes)), votes.choice] -= votes.weights
    return _shrunk(votes, relevance[votes.item] - winners(without, lists), votes.weights)


def of_glad(votes: Votes, relevance: Floats) -> Floats:
    """(N, options) of GLAD's posterior, its abilities and difficulties as they are."""
    fitted = glad.fit_votes(votes)
    if fitted.reason:
        return np.zeros((len(votes), votes.options))
    evidence = fitted.ability[votes.rater] * np.exp(-fitted.difficulty[votes.item])
    evidence += np.log(max(votes.options - 1, 1))
    odds = relevance[votes.item]
    without = odds.copy()
    own = np.arange(len(votes)), votes.choice
    without[own] *= np.exp(-evidence)
    without /= without.sum(axis=1, keepdims=True)
    return _shrunk(votes, odds - without, np.ones(len(votes)))


def in_the_share(votes: Votes, lists: Lists, parts: Floats, relevance: Floats, item_weight: Floats) -> Floats:
    """From parts (N, options) in the items' values to those (N,) in the first list's share (Eqs. 3 and 6)."""
    weight = np.where(np.isnan(relevance[:, 0]), 0.0, item_weight)
    weight = weight / weight.sum()
    prv = weight @ np.nan_to_num(relevance)
    of_first, of_second = np.zeros((2, votes.options))
    of_first[lists.first] = of_second[lists.second] = 1.0
    for option, by in ((lists.both, 0.5), (lists.neither, -0.5)):
        if option is not None:
            of_first[option] = of_second[option] = by
    first, second = prv @ of_first, prv @ of_second
    slope = (of_first * second - of_second * first) / (first + second) ** 2
    return np.asarray(weight[votes.item] * (parts @ slope))


def winners(relevance: Floats, lists: Lists) -> Floats:
    """All of an item's relevance (…, options) to the list that more chose, half to each where equally many did."""
    # What Eq. 3 adds to and takes from both lists alike does not change which is ahead.
    told = relevance * 0.0  # NaN stays what it is
    ahead = np.sign(relevance[..., lists.first] - relevance[..., lists.second])
    told[..., lists.first], told[..., lists.second] = (1 + ahead) / 2, (1 - ahead) / 2
    return told


def _shrunk(votes: Votes, moved: Floats, weight: Floats) -> Floats:
    """Return what leaving a vote out moves, as what one vote of n with these weights (N,) adds."""
    many = np.bincount(votes.item, weight, votes.items)[votes.item]
    return np.asarray(moved * ((many - weight) / many)[:, None])


T = TypeVar("T", np.float64, np.int64, np.bool_)
NOTHING = 1e-12
_SUMS_AT_ONCE = 8_000_000
"""Sums of clusters and parameters in memory at once."""


@dataclass(frozen=True, eq=False)
class Additions:
    """Parts that each of n comparisons adds to a few of m sums: `value` (n, w) at `place` (n, w)."""

    place: Codes
    value: Floats
    sums: int

    def of(self, kept: NDArray[np.bool_] | Codes | slice) -> "Additions":
        """Of these comparisons alone."""
        return Additions(self.place[kept], self.value[kept], self.sums)


@dataclass(frozen=True, eq=False)
class Covariance:
    """Chance over `items` and `raters` (k + 1, k + 1) in k strengths and ln nu, with their degrees of freedom."""

    items: Floats
    raters: Floats
    degrees_items: float
    degrees_raters: float

    def of(self, contrasts: Floats) -> tuple[Floats, Floats]:
        """Standard errors and Satterthwaite's degrees of freedom of contrasts (n, k + 1)."""
        items, raters = (
            np.maximum(((contrasts @ part) * contrasts).sum(axis=1), 0) for part in (self.items, self.raters)
        )
        whole = items + raters
        parts = items**2 / self.degrees_items + raters**2 / self.degrees_raters
        degrees = whole**2 / np.where(parts > 0, parts, 1)
        return np.sqrt(whole), np.where(parts > 0, np.maximum(degrees, 1), self.degrees_items)


def clustered(
    comparisons: PairedComparisons,
    item: ArrayLike,
    rater: ArrayLike | None,
    spec: BootstrapSpec | None = None,
) -> ScaleIntervals:
    """Intervals of strengths, chances and differences, ranks and clusters from the sandwich variance.

    Parameters
    ----------
    comparisons : N comparisons of S systems
    item : (N,) ids of what was judged
    rater : (N,) ids of who judged; None where nobody knows: then over items only
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
    Not with a handful of either: it rests on Student's t with as many degrees of freedom as the fewer of them allow.
    Source: White 1982 (sandwich); Cameron, Gelbach and Miller 2011, "Robust inference with multiway clustering",
    section 2; Hothorn, Bretz and Westfall 2008 (all pairs at once); Bojar et al. 2016 (clusters).
    """
    spec = spec or BootstrapSpec()
    items, raters = coded(comparisons, item, rater)
    scale = fit_comparisons(comparisons)
    on = np.flatnonzero(scale.position == ON)
    if spec.draws == 0:
        return without(scale, spec, "no draws were asked for")
    if len(on) == 0:
        return without(scale, spec, "no two systems are on one scale")
    if items.max(initial=0) < 1:
        return without(scale, spec, "there is only one item, so intervals over items are undefined")
    spread = covariance(scale, comparisons, items, raters)
    return read_off(scale, on, spread, spec, raters.max(initial=0) > 0)


def covariance(scale: Scale, comparisons: PairedComparisons, item: Codes, rater: Codes) -> Covariance:
    """The sandwich of the systems on the scale (White 1982; Cameron, Gelbach and Miller 2011, section 2)."""
    on = np.flatnonzero(scale.position == ON)
    kept, place = on_scale(scale, comparisons)
    bread = inverse(information(scale, on))
    lost = len(on) - 1 + (scale.tie > 0)
    given = slopes(scale, comparisons, kept, place), item[kept], rater[kept], int(lost)
    found = two_ways(*given, comparisons.weights[kept])
    return between(bread, found, np.arange(len(on) + 1))


def between(bread: NDArray[np.floating[Any]], found: Covariance, places: Codes) -> Covariance:
    """The sandwich of k strengths and ln nu, which stand at these places (k + 1,) among all parameters."""
    items, raters = (
        (bread @ middle @ bread)[np.ix_(places, places)] for middle in (found.items, found.raters)
    )
    return Covariance(items, _evened(_not_negative(raters)), found.degrees_items, found.degrees_raters)


def on_scale(scale: Scale, comparisons: PairedComparisons) -> tuple[NDArray[np.bool_], Codes]:
    """Return which comparisons are of two systems on the scale, and each system's place there, -1 beyond it."""
    on = np.flatnonzero(scale.position == ON)
    place = np.full(len(scale.systems), -1)
    place[on] = np.arange(len(on))
    return (place[comparisons.first] >= 0) & (place[comparisons.second] >= 0), place


def two_ways(
    parts: Additions, item: Codes, rater: Codes, lost: int, weight: Floats | None = None
) -> Covariance:
    """Variance (m, m) of sums from what each comparison adds to them: over items, and what raters carry from item
    to item (raters less raters within items, which may come out below 0); `lost` parameters make it 0.

    Degrees of freedom are those of clusters as large as their sums of `weight` (n,), 1 where there are none.
    """

    def summed(of: Codes, lost: int) -> tuple[Floats, float]:
        present, code = values_coded(of)
        size, many = np.bincount(code), len(present)
        middle = products_of_sums(parts, code, size) * many / max(many - lost, 1)
        return middle, worth(np.bincount(code, weight))

    by_item, degrees_items = summed(item, lost)
    if rater.max(initial=0) < 1:
        return Covariance(by_item, np.zeros_like(by_item), degrees_items, np.inf)
    by_rater, degrees_raters = summed(rater, min(lost, 1))
    of_cells, _ = summed(item * (rater.max(initial=0) + 1) + rater, min(lost, 1))
    return Covariance(by_item, by_rater - of_cells, degrees_items, degrees_raters)


def worth(size: NDArray[Any]) -> float:
    """Return the degrees of freedom of clusters of these sizes (Kish's effective number of them, less 1)."""
    return max(float(size.sum() ** 2 / (size**2).sum()) - 1, 1.0)


def products_of_sums(parts: Additions, code: Codes, size: Codes) -> Floats:
    """Sum over clusters (m, m) of the products of what each one's comparisons add up to.

    A comparison that is a separate cluster adds the products of its few parts; of the others, sums are made in
    blocks of clusters.
    """
    m, alone = parts.sums, size[code] == 1
    middle = np.zeros((m, m))
    if alone.any():
        single = parts.of(alone)
        for one, other in product(range(single.place.shape[1]), repeat=2):
            pair, both = (
                single.place[:, one] * m + single.place[:, other],
                single.value[:, one] * single.value[:, other],
            )
            middle += np.bincount(pair, both, m * m).reshape(m, m)
        parts, code = parts.of(~alone), (np.cumsum(size > 1) - 1)[code[~alone]]
    many, step = int((size > 1).sum()), max(_SUMS_AT_ONCE // m, 1)
    if many > step:
        order = np.argsort(code, kind="stable")
        parts, code = parts.of(order), code[order]
    for start in range(0, many, step):
        block, of = parts, code
        if many > step:
            first, end = np.searchsorted(code, [start, start + step])
            block, of = parts.of(slice(first, end)), code[first:end] - start
        place = (of[:, None] * m + block.place).ravel()
        sums = np.bincount(place, block.value.ravel(), min(step, many) * m).reshape(-1, m)
        middle += sums.T @ sums
    return middle


def slopes(scale: Scale, comparisons: PairedComparisons, kept: NDArray[np.bool_], place: Codes) -> Additions:
    """Return what each comparison adds to the k + 1 slopes of the log-likelihood."""
    k = int(place.max(initial=-1)) + 1
    first, second = comparisons.first[kept], comparisons.second[kept]
    d = scale.strength[first] - scale.strength[second]
    tied, offered = comparisons.outcome[kept] == TIE, comparisons.offered[kept]
    win, tie = outcome_chances(d, np.array(np.nan_to_num(scale.tie)))
    points = np.where(tied, 0.5, comparisons.outcome[kept] == 0)
    weight = comparisons.weights[kept]
    more = weight * (points - np.where(offered, win + tie / 2, special.expit(d)))
    of_ties = weight * np.where(offered, tied - tie, 0.0) * (scale.tie > 0)
    if np.isnan(scale.tie):  # whoever could tie did, which says nothing of strengths
        more = np.where(offered, 0.0, more)
    columns = np.column_stack([place[first], place[second], np.full(len(d), k)])
    return Additions(columns, np.column_stack([more, -more, of_ties]), k + 1)


def information(scale: Scale, on: Codes) -> Floats:
    """The information (k + 1, k + 1) about strengths and ln nu."""
    d = scale.strength[on][:, None] - scale.strength[on]
    offered = scale.offered[np.ix_(on, on)]
    forced = scale.compared[np.ix_(on, on)] - offered
    win, tie = outcome_chances(d, np.array(np.nan_to_num(scale.tie)))
    if np.isnan(scale.tie):
        offered = np.zeros_like(offered)
    share, plain = win + tie / 2, special.expit(d)
    weight = forced * plain * (1 - plain) + offered * (win + tie / 4 - share**2)
    k = len(on)
    bend = np.zeros((k + 1, k + 1))
    bend[:k, :k] = np.diag(weight.sum(axis=1)) - weight
    if scale.tie > 0:
        bend[:k, k] = bend[k, :k] = (offered * tie * (0.5 - share)).sum(axis=1)
        bend[k, k] = (offered * tie * (1 - tie)).sum() / 2
    return bend


def _not_negative(matrix: Floats) -> Floats:
    """The nearest variance: what would be negative of it is 0."""
    values, vectors = np.linalg.eigh((matrix + matrix.T) / 2)
    clipped: Floats = (vectors * np.maximum(values, 0)) @ vectors.T
    return clipped


def _evened(raters: Floats) -> Floats:
    """Half of what raters add to each system is that system's own, half the mean of all: few raters tell no more."""
    k = len(raters) - 1
    even = raters.copy()
    even[:k, :k] = raters[:k, :k].trace() / max(k - 1, 1) * (np.eye(k) - 1 / k)
    even[:k, k] = even[k, :k] = 0.0
    return (raters + even) / 2


def read_off(
    scale: Scale, on: Codes, spread: Covariance, spec: BootstrapSpec, by_raters: bool
) -> ScaleIntervals:
    """Intervals, ranks and clusters of all S systems, of which those `on` the scale vary so."""
    s, k = len(scale.systems), len(on)
    strength = scale.strength[on]
    own = np.eye(k + 1)[:k]
    own[:, :k] -= 1 / k
    error, degrees = spread.of(own)
    reach = stats.t.ppf((1 + spec.level) / 2, degrees) * error
    low, high = strength - reach, strength + reach
    chance_low, chance_high = _chance_ends(scale, strength, own, spread, spec.level)
    first, second = np.triu_indices(k, 1)
    pairs = own[first] - own[second]
    of_pairs, degrees = spread.of(pairs)
    gap = strength[first] - strength[second]
    reach = stats.t.ppf((1 + spec.level) / 2, degrees) * of_pairs
    certain = np.where(of_pairs > NOTHING, np.abs(gap) / np.where(of_pairs > NOTHING, of_pairs, 1), np.inf)
    certain[(of_pairs <= NOTHING) & (np.abs(gap) <= NOTHING)] = 0.0
    adjusted = _all_at_once(certain, pairs, spread, of_pairs, degrees, spec)

    def square(upper: Floats, lower: Floats, diagonal: float) -> Floats:
        full = np.full((k, k), diagonal)
        full[first, second], full[second, first] = upper, lower
        return full

    p = square(adjusted, adjusted, nan)
    above = (p <= 1 - spec.level + NOTHING) & (strength[:, None] > strength)
    ranks = rank_intervals(above)

    def spread_out(values: NDArray[T], nothing: float) -> NDArray[T]:
        full: NDArray[T] = np.full(s if values.ndim == 1 else (s, s), nothing, dtype=values.dtype)
        full[on if values.ndim == 1 else np.ix_(on, on)] = values
        return full

    return ScaleIntervals(
        low=spread_out(low, nan),
        high=spread_out(high, nan),
        chance_low=spread_out(chance_low, nan),
        chance_high=spread_out(chance_high, nan),
        difference_low=spread_out(square(gap - reach, -gap - reach, 0.0), nan),
        difference_high=spread_out(square(gap + reach, reach - gap, 0.0), nan),
        p=spread_out(p, nan),
        above=spread_out(above, False),
        rank_low=spread_out(ranks.low, 0),
        rank_high=spread_out(ranks.high, 0),
        cluster=spread_out(clusters_of(above, strength), 0),
        draws=spec.draws,
        whole=spec.draws,
        resampled="items and raters" if by_raters else "items",
    )


def _chance_ends(
    scale: Scale, strength: Floats, own: Floats, spread: Covariance, level: float
) -> tuple[Floats, Floats]:
    """End of the chance to win against an average system, on the log odds."""
    tie = float(np.nan_to_num(scale.tie))
    chance = expected_share(strength, tie)
    step = 1e-5
    by_strength = (expected_share(strength + step, tie) - expected_share(strength - step, tie)) / (2 * step)
    by_tie = (
        expected_share(strength, tie * np.exp(step)) - expected_share(strength, tie * np.exp(-step))
    ) / (2 * step)
    contrasts = own * by_strength[:, None]
    contrasts[:, -1] = by_tie
    error, degrees = spread.of(contrasts)
    reach = stats.t.ppf((1 + level) / 2, degrees) * error / (chance * (1 - chance))
    odds = special.logit(chance)
    return special.expit(odds - reach), special.expit(odds + reach)


def _all_at_once(
    certain: Floats, pairs: Floats, spread: Covariance, error: Floats, degrees: Floats, spec: BootstrapSpec
) -> Floats:
    """p of each pair, adjusted for all: how often the largest of all pairs' deviations is as large by chance."""
    rng = np.random.default_rng(spec.seed)
    values, vectors = np.linalg.eigh(spread.items + spread.raters)
    root = vectors * np.sqrt(np.maximum(values, 0))
    few = float(degrees.min())
    largest = np.zeros(spec.draws)
    scaled = (
        np.where(error[:, None] > NOTHING, pairs / np.where(error > NOTHING, error, 1)[:, None], 0.0) @ root
    )
    normal = rng.standard_normal((spec.draws, len(values)))
    by = np.sqrt(few / rng.chisquare(few, spec.draws))
    for part in np.array_split(scaled, max(len(scaled) * spec.draws // 4_000_000, 1)):
        largest = np.maximum(largest, np.abs(normal @ part.T).max(axis=1) * by)
    beyond = len(largest) - np.searchsorted(np.sort(largest), certain - NOTHING)
    adjusted: Floats = (1 + beyond) / (1 + len(largest))
    return adjusted
