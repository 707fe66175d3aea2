"""Paired comparisons and rankings of items: counts of wins, Kendall's W, and the scale of Plackett and Luce."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from math import nan
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from scipy.sparse.csgraph import connected_components
from scipy.stats import chi2, rankdata

from analysis.values.estimate import Codes, Flags, Floats, InputError
from analysis.values.ratings import coded as values_coded

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


MOST_STEPS = 10_000
SMALLEST_STEP = 1e-12
"""Largest change of a log-strength at which the fit has ended."""


def plackett_luce(rankings: Sequence[Sequence[Hashable]]) -> dict[Hashable, float]:
    """Return the strength of each item from rankings.

    Parameters
    ----------
    rankings : (n,) rankings, each its items from the best on, all items or some

    Returns
    -------
    dict
        log-strength of each item by the item, with mean 0, in the order in which items first occur: the first of a
        ranking is item i with the chance exp(s_i) over the sum of exp(s) of all items in it, and so on for the rest.

    Raises
    ------
    InputError
        where a ranking holds an item twice, no ranking holds two items, or strengths are not finite, since some items
        are never ranked below others.

    Notes
    -----
    Maximum likelihood by the MM algorithm of Hunter 2004. Source: Luce 1959, Plackett 1975; methods: section 14.
    """
    orders = [list(each) for each in rankings]
    for order in orders:
        if len(set(order)) < len(order):
            raise InputError(f"a ranking holds an item twice: {order!r}")
    orders = [order for order in orders if len(order) > 1]
    if not orders:
        raise InputError("`rankings` must hold at least one ranking of two items or more")
    items = list(dict.fromkeys(item for order in orders for item in order))
    place = {item: at for at, item in enumerate(items)}
    coded = [np.array([place[item] for item in order]) for order in orders]
    _check_connected(coded, items)
    strength = _fit(coded, len(items))
    return dict(zip(items, strength.tolist(), strict=True))


def _check_connected(coded: Sequence[NDArray[np.int64]], items: Sequence[Hashable]) -> None:
    """Refuse rankings in which a part of the items is never ranked below the others."""
    above = np.concatenate([order[:-1] for order in coded])
    below = np.concatenate([order[1:] for order in coded])
    k = len(items)
    graph = sparse.csr_matrix((np.ones(above.size), (above, below)), shape=(k, k))
    parts, part = connected_components(graph, directed=True, connection="strong")
    if parts > 1:
        sizes = np.bincount(part)
        named = [str(items[at]) for at in np.flatnonzero(part == int(sizes.argmin()))[:3]]
        raise InputError(
            "strengths are not finite: some items are always ranked above or below all others, or never together with "
            f"them, such as {', '.join(named)}; leave them out or add rankings"
        )


def _fit(coded: Sequence[NDArray[np.int64]], k: int) -> Floats:
    """Return the log-strengths that make the rankings most likely, with mean 0."""
    wins = np.zeros(k)
    for order in coded:
        wins[order[:-1]] += 1
    by_length: dict[int, list[NDArray[np.int64]]] = {}
    for order in coded:
        by_length.setdefault(order.size, []).append(order)
    tables = [np.stack(orders) for orders in by_length.values()]
    log_strength = np.zeros(k)
    for _ in range(MOST_STEPS):
        strength, weight = np.exp(log_strength), np.zeros(k)
        for table in tables:
            of_rows = strength[table]
            left = np.cumsum(of_rows[:, ::-1], axis=1)[
                :, ::-1
            ]  # strengths of an item and of all ranked below it
            chances = np.cumsum(1 / left[:, :-1], axis=1)
            chances = np.concatenate([chances, chances[:, -1:]], axis=1)
            np.add.at(weight, table, chances)
        following = np.log(wins / weight)
        following -= following.mean()
        step = float(np.abs(following - log_strength).max())
        log_strength = following
        if step < SMALLEST_STEP:
            break
    return log_strength


FIRST, SECOND, TIE = range(3)
"""Outcomes of a comparison."""


@dataclass(frozen=True, eq=False)
class PairedComparisons:
    """N comparisons as codes: `first`, `second` (N,) places in `systems` (S,), `outcome` (N,), `offered` (N,).

    `outcome` is 0 where the first won, 1 where the second did, 2 for a tie; `offered` says whether a tie could
    have been chosen. `weight` (N,) is how much each counts, 0 or more; None where all count alike.
    """

    first: Codes
    second: Codes
    outcome: Codes
    offered: Flags
    systems: NDArray[Any]
    weight: Floats | None = None

    def __post_init__(self) -> None:
        if self.weight is not None and (
            self.weight.shape != self.first.shape or not (self.weight >= 0).all()
        ):
            raise InputError(f"`weight` must hold {len(self)} numbers of 0 or more, one for each comparison")
        lengths = [len(part) for part in (self.first, self.second, self.outcome, self.offered)]
        if len(set(lengths)) > 1:
            raise InputError(
                f"`first`, `second`, `outcome` and `offered` must be equally long, got {lengths}"
            )
        for name, codes, many in (
            ("first", self.first, len(self.systems)),
            ("second", self.second, len(self.systems)),
            ("outcome", self.outcome, 3),
        ):
            if len(codes) and not (codes.min() >= 0 and codes.max() < many):
                raise InputError(f"`{name}` must lie in 0 … {many - 1}, got {codes.min()} to {codes.max()}")
        if (self.first == self.second).any():
            raise InputError("a system cannot be compared with itself; leave such rows out")
        if ((self.outcome == TIE) & ~self.offered).any():
            raise InputError("`offered` must be true wherever `outcome` is a tie")

    def __len__(self) -> int:
        return len(self.first)

    def of(self, kept: Flags) -> "PairedComparisons":
        """Those that are kept (N,), of the same systems."""
        return PairedComparisons(
            self.first[kept],
            self.second[kept],
            self.outcome[kept],
            self.offered[kept],
            self.systems,
            None if self.weight is None else self.weight[kept],
        )

    @property
    def weights(self) -> Floats:
        """Return the weight of each comparison (N,), 1 without weights."""
        return np.ones(len(self)) if self.weight is None else self.weight


def compared(
    first: ArrayLike, second: ArrayLike, outcome: ArrayLike, offered: ArrayLike | None = None
) -> PairedComparisons:
    """Comparisons from any ids (Bradley and Terry 1952)."""
    one, other = np.asarray(first), np.asarray(second)
    if len(one) != len(other):
        raise InputError(f"`first` and `second` must be equally long, got {len(one)} and {len(other)}")
    both = np.concatenate([one, other])
    systems = np.unique(both)
    codes = np.searchsorted(systems, both)  # of few systems in many rows, quicker than the inverse
    free = np.ones(len(one), dtype=np.bool_) if offered is None else np.asarray(offered, dtype=np.bool_)
    return PairedComparisons(
        codes[: len(one)].astype(np.int64),
        codes[len(one) :].astype(np.int64),
        np.asarray(outcome, dtype=np.int64),
        free,
        systems,
    )


def coded(
    comparisons: PairedComparisons, item: ArrayLike | None, rater: ArrayLike | None
) -> tuple[Codes, Codes]:
    """Codes (N,) of items and of raters; without ids each vote is of a separate item, and all of one rater."""
    given = (
        np.arange(len(comparisons)) if item is None else item,
        np.zeros(len(comparisons)) if rater is None else rater,
    )
    items, raters = (values_coded(np.asarray(ids))[1] for ids in given)
    if not len(items) == len(raters) == len(comparisons):
        raise InputError(
            f"`item` and `rater` must be as long as the comparisons, got {len(items)}, {len(raters)} and "
            f"{len(comparisons)}"
        )
    return items, raters


def cells(comparisons: PairedComparisons) -> Codes:
    """The place of each comparison in a table of counts (3, S, S): wins with a tie on offer, wins without,
    ties (sufficient statistics of Davidson 1970)."""
    s = len(comparisons.systems)
    swapped = comparisons.outcome == SECOND
    winner = np.where(swapped, comparisons.second, comparisons.first)
    loser = np.where(swapped, comparisons.first, comparisons.second)
    kind = np.where(comparisons.outcome == TIE, 2, np.where(comparisons.offered, 0, 1))
    return (kind * s + winner) * s + loser
