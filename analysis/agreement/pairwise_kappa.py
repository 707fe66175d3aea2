"""Cohen's kappa of each two raters, and its mean over the pairs, with parts of the ratings left out."""

from dataclasses import dataclass
from math import nan

import numpy as np

from analysis.agreement.rater_pairs import FEWEST_SHARED
from analysis.agreement.rating_table import RatingTable
from analysis.values.types import Floats

MOST_NUMBERS = 20_000_000
"""Raters x raters x values up to which every pair has a table."""
FEW_SHARED = f"no two raters have {FEWEST_SHARED} items in common and differ from each other or over items"
TOO_MANY_RATERS = "there are too many raters for all pairs of them"


@dataclass(frozen=True, eq=False)
class PairwiseKappas:
    """`kappa` (w, w) of each two raters, NaN where they share fewer than ten items or chance agrees for certain.

    `value` is the mean over pairs; `items` (n,), `raters` (w,), `ratings` (N,) what it is without each.
    """

    kappa: Floats
    value: float
    items: Floats
    raters: Floats
    ratings: Floats
    reason: str = ""


def pairwise_kappas(table: RatingTable, worth: Floats) -> PairwiseKappas:
    """Kappas with the credit (q, q) that two values earn (Cohen 1968; Light 1971)."""
    n, w, q = len(table.items), len(table.raters), len(table.values)
    nothing = np.full(n, nan), np.full(w, nan), np.full(len(table.item), nan)
    if w * w * q > MOST_NUMBERS or n * w * q > MOST_NUMBERS:
        return PairwiseKappas(np.full((w, w), nan), nan, *nothing, TOO_MANY_RATERS)
    one_hot = np.zeros((n, w, q))
    one_hot[table.item, table.rater, table.value] = 1
    there = one_hot.sum(axis=2)
    both = there.T @ there
    marginal = (one_hot.reshape(n, w * q).T @ there).reshape(w, q, w).transpose(0, 2, 1)
    credited = (one_hot @ worth).transpose(1, 0, 2).reshape(w, n * q) @ one_hot.transpose(1, 0, 2).reshape(
        w, n * q
    ).T
    expected = np.einsum("jkv,kjv->jk", marginal @ worth, marginal)
    kappa = _kappa(both, credited, expected)
    kappa[(both < FEWEST_SHARED) | np.eye(w, dtype=np.bool_)] = nan
    counted = ~np.isnan(kappa)
    pairs = counted.sum() / 2
    if not pairs:
        return PairwiseKappas(kappa, nan, *nothing, FEW_SHARED)
    known = np.where(counted, kappa, 0.0)
    total = known.sum() / 2
    of_items, of_ratings = np.zeros(n), np.zeros(len(table.item))
    order = np.argsort(table.item, kind="stable")
    bounds = np.searchsorted(table.item[order], np.arange(n + 1))
    for i in range(n):
        own = order[bounds[i] : bounds[i + 1]]
        who, what = table.rater[own], table.value[own]
        grid = np.ix_(who, who)
        # without this item each of the two shares of values loses the one given here
        lost = np.einsum("jv,kjv->jk", worth[what], marginal[grid])
        equal = worth[what[:, None], what[None, :]]
        left = _kappa(both[grid] - 1, credited[grid] - equal, expected[grid] - lost - lost.T + equal)
        change = np.where(counted[grid], left - known[grid], 0.0)
        of_items[i] = change.sum() / 2
        of_ratings[own] = change.sum(axis=1)
    without = pairs - counted.sum(axis=1)
    return PairwiseKappas(
        kappa,
        float(total / pairs),
        (total + of_items) / pairs,
        (total - known.sum(axis=1)) / np.where(without > 0, without, nan),
        (total + of_ratings) / pairs,
    )


def _kappa(both: Floats, credited: Floats, expected: Floats) -> Floats:
    """From sums over the items that both rated: how many, credit earned, and the product of both tables' margins."""
    number = np.maximum(both, 1)
    chance = expected / number**2
    certain = 1 - chance < 1e-12
    return np.where(certain, nan, (credited / number - chance) / np.where(certain, 1.0, 1 - chance))
