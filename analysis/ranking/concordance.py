"""Kendall's W: how far raters who rank the same items agree."""

from dataclasses import dataclass
from math import nan

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import chi2, rankdata

from analysis.values.errors import InputError
from analysis.values.types import Floats

FEWEST_FOR_CHI_SQUARE = 50
"""Ranks, raters times items, from which the distribution of chi-squared is close enough."""
PERMUTATIONS = 20_000


@dataclass(frozen=True)
class KendallsW:
    """Kendall's W of `raters` who ranked `items`, with its chi-squared and p that raters rank independently.

    `value` is from 0 to 1; NaN with a `reason` where it is undefined. `by_permutation` says where p comes from.
    """

    value: float
    chi_squared: float
    p: float
    raters: int
    items: int
    by_permutation: bool
    reason: str = ""


def kendalls_w(ranks: ArrayLike, seed: int = 0) -> KendallsW:
    """Return Kendall's coefficient of concordance with its test.

    Parameters
    ----------
    ranks : (raters, items) of each item by each rater, ties allowed; scores are ranked within each rater
    seed : of the permutations

    Returns
    -------
    KendallsW
        NaN with a reason below two raters or two items, or where every rater ties all items. p is by 20,000 random
        permutations within raters where raters times items are fewer than 50, else by chi-square with items - 1
        degrees of freedom.

    Raises
    ------
    InputError
        where `ranks` is no table of finite numbers.

    Notes
    -----
    W = 12 S / (m² (n³ - n) - m sum(t³ - t)), S the sum of squared deviations of the items' rank sums.
    Source: Kendall and Babington Smith 1939; methods: section 14.
    """
    given = np.asarray(ranks, dtype=np.float64)
    if given.ndim != 2 or not np.isfinite(given).all():
        raise InputError("`ranks` must be a table (raters, items) of finite numbers without gaps")
    raters, items = given.shape
    if raters < 2 or items < 2:
        return KendallsW(nan, nan, nan, raters, items, False, "it needs two raters and two items")
    ranked = rankdata(given, axis=1)
    most = _largest_sum(ranked)
    if most == 0:
        return KendallsW(nan, nan, nan, raters, items, False, "every rater ties all items")
    observed = float(_squared_deviations(ranked.sum(axis=0)))
    value = 12 * observed / most
    chi_squared = raters * (items - 1) * value
    by_permutation = raters * items < FEWEST_FOR_CHI_SQUARE
    p = _permuted_p(ranked, observed, seed) if by_permutation else float(chi2.sf(chi_squared, items - 1))
    return KendallsW(value, chi_squared, p, raters, items, by_permutation)


def _largest_sum(ranked: Floats) -> float:
    """Return twelve times the sum of squares that raters with these ties reach where all agree."""
    raters, items = ranked.shape
    ties = 0
    for row in ranked:
        sizes = np.unique(row, return_counts=True)[1].astype(np.int64)
        ties += int((sizes**3 - sizes).sum())
    return float(raters**2 * (items**3 - items) - raters * ties)


def _squared_deviations(sums: Floats) -> Floats:
    deviations: Floats = ((sums - sums.mean(axis=-1, keepdims=True)) ** 2).sum(axis=-1)
    return deviations


def _permuted_p(ranked: Floats, observed: float, seed: int) -> float:
    """Return the share of permutations within raters, and of the data themselves, that agree at least as much."""
    rng = np.random.default_rng(seed)
    sums = np.tile(
        ranked[0], (PERMUTATIONS, 1)
    )  # the first rater may stay: only the order between raters counts
    for row in ranked[1:]:
        sums += rng.permuted(np.tile(row, (PERMUTATIONS, 1)), axis=1)
    reached = int((_squared_deviations(sums) >= observed * (1 - 1e-12)).sum())
    return (reached + 1) / (PERMUTATIONS + 1)
