"""Cohen's and Fleiss' kappa, the kappas of rater pairs, and the MASI distance of label sets."""

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from math import nan
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from analysis.agreement.agreement_summary import RatingTable, rating_table
from analysis.agreement.alpha import Weights, agreement_weights, check_labels, unit_table
from analysis.agreement.ratio_intervals import ALL_EQUAL, ItemSums, ratio_interval, ratio_value
from analysis.correlation.rank_rows import center_sums, pearson_from_sums
from analysis.values.estimate import BootstrapSpec, Estimate, Floats, InputError
from analysis.values.ratings import Ratings, coded

_BLOCK = 4_000_000


def fleiss_sums(number: Floats, agreed: Floats, share: Any, weight_matrix: Floats | None = None) -> ItemSums:
    """Return the sums of Fleiss' kappa, whose chance agreement is that of two draws from the mean shares of values.

    `number` (n,) is the number of each item's ratings, `agreed` (n,) the share of its pairs that agree, `share` (n, q)
    the share of each value, `weight_matrix` (q, q) the agreement weights, None for equal values only.
    """
    is_paired, has_ratings = (number > 1).astype(np.float64), (number > 0).astype(np.float64)
    within = is_paired * np.where(1 - agreed > 1e-12, 1 - agreed, 0.0)
    return ItemSums(is_paired, within, has_ratings, has_ratings, share, correction=0.0, product=weight_matrix)


@dataclass(frozen=True, eq=False)
class CongerSums(ItemSums):
    """Sums of Conger's kappa, whose chance agreement is that of two raters with their own distributions of values.

    `ratings` (n, w) is 1 where a rater rated an item, and `shares` (n, w q) 1 where the rater gave it that value, both
    sparse. `product` (q, q) holds the agreement weights.
    """

    ratings: Any = None
    shares: Any = None

    @classmethod
    def from_table(cls, table: RatingTable, weight_matrix: Floats) -> "CongerSums":
        """Return the sums of a table of ratings."""
        n, w, q = len(table.items), len(table.raters), len(table.values)
        number = table.counts.sum(axis=1)
        pairs = np.where(number > 1, number * (number - 1), 1.0)
        agreed = (table.counts * (table.counts @ weight_matrix - 1)).sum(axis=1) / pairs
        share = table.counts / np.maximum(number, 1)[:, None]
        fleiss = fleiss_sums(number, agreed, share, weight_matrix)
        ones = np.ones(len(table.item))
        ratings = sparse.csr_array((ones, (table.item, table.rater)), shape=(n, w))
        shares = sparse.csr_array((ones, (table.item, table.rater * q + table.value)), shape=(n, w * q))
        return cls(**vars(fleiss), ratings=ratings, shares=shares)

    @classmethod
    def from_shares(cls, first: Floats, second: Floats) -> "CongerSums":
        """Return the sums of Cohen's kappa from the shares (n, q) of each value that two raters gave to items."""
        n, ones = len(first), np.ones(len(first))
        fleiss = fleiss_sums(
            2 * ones, (first * second).sum(axis=1), (first + second) / 2, np.eye(first.shape[1])
        )
        shares = sparse.csr_array(np.hstack([first, second]))
        ratings = sparse.csr_array(np.ones((n, 2)))
        return cls(**vars(fleiss), ratings=ratings, shares=shares)

    def expected(self, weights: Floats) -> Floats:
        """Return E (b,) of items with weights (b, n)."""
        return self._expected(weights @ self.ratings, weights @ self.shares)

    def leave_one_out(self) -> tuple[Floats, Floats]:
        """Return leave-one-out values of O and E (n,)."""
        o, _ = super().leave_one_out()
        n = len(self.count)
        number, shares = self.ratings.sum(axis=0), self.shares.sum(axis=0)
        size = max(_BLOCK // max(self.shares.shape[1], 1), 1)
        e = [
            self._expected(
                number - self.ratings[start : start + size].toarray(),
                shares - self.shares[start : start + size].toarray(),
            )
            for start in range(0, n, size)
        ]
        return o, np.concatenate(e)

    def influence_on_expected(self, weights: Floats) -> Floats:
        """Return the influence of each item on E (b, n), with weighted mean 0."""
        number, share, raters = self._shares(weights @ self.ratings, weights @ self.shares)
        other_shares = (share.sum(axis=1, keepdims=True) - share) @ np.asarray(self.product)
        pairs = np.maximum(raters * (raters - 1), 1)[:, None, None]
        slope = -2 * other_shares / np.maximum(number, 1)[:, :, None] / pairs
        level = -(slope * share).sum(axis=2)
        moved = self.shares @ slope.reshape(len(weights), -1).T + self.ratings @ level.T
        return np.asarray(moved.T * weights.sum(axis=1)[:, None])

    def _shares(self, number: Floats, shares: Floats) -> tuple[Floats, Floats, Floats]:
        """Return ratings (b, w) and shares (b, w, q) of each rater, and the number of raters with ratings (b,)."""
        share = shares.reshape(*number.shape, -1) / np.maximum(number, 1)[:, :, None]
        return number, share, (number > 0).sum(axis=1)

    def _expected(self, number: Floats, shares: Floats) -> Floats:
        _, share, raters = self._shares(number, shares)
        total = share.sum(axis=1)
        all_pairs = ((total @ np.asarray(self.product)) * total).sum(axis=1)
        same_rater = ((share @ np.asarray(self.product)) * share).sum(axis=(1, 2))
        pairs = raters * (raters - 1.0)
        return np.where(pairs > 0, 1 - (all_pairs - same_rater) / np.where(pairs > 0, pairs, 1.0), np.nan)


def masi_distance(a: Iterable[Hashable], b: Iterable[Hashable]) -> float:
    """Return the distance of two sets of labels by MASI.

    Parameters
    ----------
    a, b : (n,) and (m,) labels, each counted once

    Returns
    -------
    float
        1 minus Jaccard's index times 1 for equal sets, 2/3 where one contains the other, 1/3 where they overlap, and 0
        where they share nothing; two empty sets are equal.

    Notes
    -----
    Exact thirds, where nltk rounds to 0.67 and 0.33. Source: Passonneau 2006; methods: section 14.
    """
    first, second = frozenset(a), frozenset(b)
    if first == second:
        return 0.0
    shared = len(first & second)
    if not shared:
        return 1.0
    factor = 2 / 3 if first < second or second < first else 1 / 3
    return 1 - factor * shared / len(first | second)


MOST_RATERS = 40
"""Largest number of raters whose pairs are all compared."""
FEWEST_SHARED = 10
"""Fewest shared items for a statistic of two raters."""


@dataclass(frozen=True, eq=False)
class RaterPairs:
    """Pairs of w raters.

    `raters` (w,) ids; matrices (w, w): `items` the number shared, `equal` the share of them with equal values,
    `correlation` Pearson's r; NaN below 10 shared items, on the diagonal, and r where a side is constant.
    """

    raters: NDArray[Any]
    items: NDArray[np.int64]
    equal: Floats
    correlation: Floats


def rater_pairs(ratings: Ratings) -> RaterPairs:
    """Compare each pair of raters, of more than 40 the 40 with the most ratings.

    Repeated ratings of an item are averaged. Source: methods, section 10 (pair by pair agreement).
    """
    raters, rater = coded(ratings.rater)
    busiest = np.sort(np.argsort(-np.bincount(rater, minlength=len(raters)), kind="stable")[:MOST_RATERS])
    column_of = np.full(len(raters), -1)
    column_of[busiest] = np.arange(len(busiest))
    is_busiest = column_of[rater] >= 0
    items, item = coded(ratings.item[is_busiest])
    table = np.zeros((2, len(items), len(busiest)))
    centre = ratings.score.mean() if len(ratings.score) else 0.0
    np.add.at(table[0], (item, column_of[rater[is_busiest]]), ratings.score[is_busiest] - centre)
    np.add.at(table[1], (item, column_of[rater[is_busiest]]), 1.0)
    is_rated = (table[1] > 0).astype(np.float64)
    score = table[0] / np.maximum(table[1], 1)
    shared = is_rated.T @ is_rated
    moments = center_sums(
        shared,
        score.T @ is_rated,
        is_rated.T @ score,
        (score**2).T @ is_rated,
        is_rated.T @ score**2,
        score.T @ score,
    )
    enough = (shared >= FEWEST_SHARED) & ~np.eye(len(busiest), dtype=np.bool_)
    tiny = 1e-12 * max(float((score**2).sum()), 1e-300)
    defined = enough & (moments[0] > tiny) & (moments[1] > tiny)
    equal = np.array(
        [
            (is_rated * is_rated[:, [w]] * (np.abs(score - score[:, [w]]) < 1e-9)).sum(axis=0)
            for w in range(len(busiest))
        ]
    ).reshape(len(busiest), len(busiest))
    return RaterPairs(
        raters[busiest],
        np.rint(shared).astype(np.int64),
        np.where(enough, equal / np.maximum(shared, 1), np.nan),
        pearson_from_sums(*moments, defined),
    )


MOST_CELLS = 20_000_000
"""Largest size of raters x raters x values, or items x raters x values, for which all pairs are computed."""
FEW_SHARED = f"no two raters have {FEWEST_SHARED} items in common and differ from each other or over items"
TOO_MANY_RATERS = "there are too many raters for all pairs of them"


@dataclass(frozen=True, eq=False)
class PairwiseKappas:
    """Kappas of all pairs of raters.

    `kappa` (w, w) is NaN where two share fewer than ten items or chance agreement is 1. `value` is the mean over pairs;
    `items` (n,), `raters` (w,) and `ratings` (N,) are its leave-one-out values.
    """

    kappa: Floats
    value: float
    items: Floats
    raters: Floats
    ratings: Floats
    reason: str = ""


def pairwise_kappas(table: RatingTable, weight_matrix: Floats) -> PairwiseKappas:
    """Compute the kappas of all pairs of raters with agreement weights (q, q) (Cohen 1968; Light 1971)."""
    n, w, q = len(table.items), len(table.raters), len(table.values)
    undefined = np.full(n, nan), np.full(w, nan), np.full(len(table.item), nan)
    if w * w * q > MOST_CELLS or n * w * q > MOST_CELLS:
        return PairwiseKappas(np.full((w, w), nan), nan, *undefined, TOO_MANY_RATERS)
    one_hot = np.zeros((n, w, q))
    one_hot[table.item, table.rater, table.value] = 1
    has_rating = one_hot.sum(axis=2)
    shared = has_rating.T @ has_rating
    marginal = (one_hot.reshape(n, w * q).T @ has_rating).reshape(w, q, w).transpose(0, 2, 1)
    credited = (one_hot @ weight_matrix).transpose(1, 0, 2).reshape(w, n * q) @ one_hot.transpose(
        1, 0, 2
    ).reshape(w, n * q).T
    expected = np.einsum("jkv,kjv->jk", marginal @ weight_matrix, marginal)
    kappa = _kappa(shared, credited, expected)
    kappa[(shared < FEWEST_SHARED) | np.eye(w, dtype=np.bool_)] = nan
    is_defined = ~np.isnan(kappa)
    pairs = is_defined.sum() / 2
    if not pairs:
        return PairwiseKappas(kappa, nan, *undefined, FEW_SHARED)
    defined_kappa = np.where(is_defined, kappa, 0.0)
    total = defined_kappa.sum() / 2
    item_changes, rating_changes = np.zeros(n), np.zeros(len(table.item))
    order = np.argsort(table.item, kind="stable")
    bounds = np.searchsorted(table.item[order], np.arange(n + 1))
    for i in range(n):
        rows = order[bounds[i] : bounds[i + 1]]
        raters, values = table.rater[rows], table.value[rows]
        grid = np.ix_(raters, raters)
        # Without this item, both marginal distributions lose the value given here.
        removed = np.einsum("jv,kjv->jk", weight_matrix[values], marginal[grid])
        equal = weight_matrix[values[:, None], values[None, :]]
        updated = _kappa(
            shared[grid] - 1, credited[grid] - equal, expected[grid] - removed - removed.T + equal
        )
        change = np.where(is_defined[grid], updated - defined_kappa[grid], 0.0)
        item_changes[i] = change.sum() / 2
        rating_changes[rows] = change.sum(axis=1)
    remaining_pairs = pairs - is_defined.sum(axis=1)
    return PairwiseKappas(
        kappa,
        float(total / pairs),
        (total + item_changes) / pairs,
        (total - defined_kappa.sum(axis=1)) / np.where(remaining_pairs > 0, remaining_pairs, nan),
        (total + rating_changes) / pairs,
    )


def _kappa(number_shared: Floats, credited: Floats, expected: Floats) -> Floats:
    """Return kappa from the number of shared items, their summed weights, and the product of both margins."""
    number = np.maximum(number_shared, 1)
    chance = expected / number**2
    certain = 1 - chance < 1e-12
    return np.where(certain, nan, (credited / number - chance) / np.where(certain, 1.0, 1 - chance))


def cohen_kappa(
    first: ArrayLike,
    second: ArrayLike,
    bootstrap: BootstrapSpec | None = None,
    weights: Weights = "identity",
) -> Estimate:
    """Estimate Cohen's kappa, plain or weighted, of two raters who gave the same items a label each.

    Parameters
    ----------
    first, second : (n,) labels of any sortable kind, one pair per item
    bootstrap : the level of the interval; 0 draws: none
    weights : credit for near misses between numbers: "identity" none, "linear", "quadratic", "ordinal"

    Returns
    -------
    Estimate
        n = items. Undefined without items and where both always gave one and the same label.

    Raises
    ------
    InputError
        where lengths differ, labels are of different kinds or missing, or weights need numbers and got words.

    Notes
    -----
    Ordered labels want weights. Not for more than two raters (`analysis.agreement.chance_corrected`: Fleiss' and
    Conger's kappa, the mean over pairs). The interval is one over items, for these two raters
    (`analysis.agreement.ratio_intervals`).
    Source: Cohen 1960, "A coefficient of agreement for nominal scales"; Cohen 1968, "Weighted kappa".

    >>> cohen_kappa(["y", "y", "n", "n"], ["y", "n", "n", "n"]).value
    0.5
    """
    spec = BootstrapSpec() if bootstrap is None else bootstrap
    first_labels, second_labels = check_labels("first", first), check_labels("second", second)
    n = len(first_labels)
    if n != len(second_labels):
        raise InputError(
            f"`first` and `second` need one label per item each, got {n} and {len(second_labels)}"
        )
    if n == 0:
        return Estimate(nan, n=0, reason="there are no items")
    if (first_labels.dtype.kind in "US") != (second_labels.dtype.kind in "US"):
        raise InputError(
            "labels of `first` and `second` must be of one kind, text or numbers; "
            f"got {first_labels.dtype} and {second_labels.dtype}"
        )
    item = np.tile(np.arange(n), 2)
    table = rating_table(item, np.repeat([0, 1], n), np.concatenate([first_labels, second_labels]))
    return _estimate(CongerSums.from_table(table, agreement_weights(table.values, weights)), spec)


def fleiss_kappa(unit: ArrayLike, value: ArrayLike, bootstrap: BootstrapSpec | None = None) -> Estimate:
    """Estimate Fleiss' kappa of labels given to units by any number of raters.

    Parameters
    ----------
    unit : (N,) ids; equal ids are the same unit
    value : (N,) labels of any sortable kind
    bootstrap : the level of the interval; 0 draws: none

    Returns
    -------
    Estimate
        n = units with two labels or more. Undefined where there is no such unit, or where all labels of such
        units are equal.

    Raises
    ------
    InputError
        where lengths differ or labels are missing.

    Notes
    -----
    Raters may differ from unit to unit. Not for ordered labels (alpha, ordinal). kappa = (p_a - p_e) / (1 - p_e): p_a
    is the mean over units with two labels of the share of equal pairs, p_e the sum of squares of the mean over all
    units of their shares of each label. With equal numbers of labels this is Fleiss 1971. Intervals as in
    `krippendorff_alpha`.
    Source: Fleiss 1971; Gwet 2014, chapter 2 (unequal numbers of labels).

    >>> fleiss_kappa([1, 1, 1, 2, 2, 2], ["a", "a", "a", "b", "b", "a"]).value.__round__(4)
    0.25
    """
    spec = BootstrapSpec() if bootstrap is None else bootstrap
    table = unit_table(unit, check_labels("value", value), fewest=1)
    counts: Any = table.value_counts
    pairs = table.counts * (table.counts - 1)
    equal = np.asarray((counts * counts).sum(axis=1)).ravel() - table.counts
    agreed = np.divide(equal, pairs, out=np.zeros(len(pairs)), where=pairs > 0)
    share = counts.multiply(1 / table.counts[:, None]).tocsr() if len(pairs) else counts
    return _estimate(fleiss_sums(table.counts, agreed, share), spec)


def _estimate(sums: ItemSums, spec: BootstrapSpec) -> Estimate:
    if spec.draws:
        return ratio_interval(sums, spec.level)
    value = ratio_value(sums)
    return Estimate(value, n=sums.paired, reason="" if value == value else ALL_EQUAL)
