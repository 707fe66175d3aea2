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
from analysis.values.ratings import coded as encode

FEWEST_FOR_CHI_SQUARE = 50
"""Number of ranks (raters times items) from which the chi-square approximation is used."""
PERMUTATIONS = 20_000


@dataclass(frozen=True)
class KendallsW:
    """Kendall's W of `raters` who ranked `items`, with chi-squared and p of the hypothesis of independent rankings.

    `value` lies between 0 and 1; NaN with a `reason` where it is undefined. `by_permutation` is True where p comes from
    permutations.
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
    table = np.asarray(ranks, dtype=np.float64)
    if table.ndim != 2 or not np.isfinite(table).all():
        raise InputError("`ranks` must be a table (raters, items) of finite numbers without gaps")
    raters, items = table.shape
    if raters < 2 or items < 2:
        return KendallsW(nan, nan, nan, raters, items, False, "it needs two raters and two items")
    ranks_within_raters = rankdata(table, axis=1)
    maximum = _maximum_sum_of_squares(ranks_within_raters)
    if maximum == 0:
        return KendallsW(nan, nan, nan, raters, items, False, "every rater ties all items")
    observed = float(_sum_of_squared_deviations(ranks_within_raters.sum(axis=0)))
    value = 12 * observed / maximum
    chi_squared = raters * (items - 1) * value
    by_permutation = raters * items < FEWEST_FOR_CHI_SQUARE
    p = (
        _permuted_p(ranks_within_raters, observed, seed)
        if by_permutation
        else float(chi2.sf(chi_squared, items - 1))
    )
    return KendallsW(value, chi_squared, p, raters, items, by_permutation)


def _maximum_sum_of_squares(ranks: Floats) -> float:
    """Return twelve times the largest possible sum of squares, given the ties within raters."""
    raters, items = ranks.shape
    ties = 0
    for ranking in ranks:
        sizes = np.unique(ranking, return_counts=True)[1].astype(np.int64)
        ties += int((sizes**3 - sizes).sum())
    return float(raters**2 * (items**3 - items) - raters * ties)


def _sum_of_squared_deviations(sums: Floats) -> Floats:
    deviations: Floats = ((sums - sums.mean(axis=-1, keepdims=True)) ** 2).sum(axis=-1)
    return deviations


def _permuted_p(ranks: Floats, observed: float, seed: int) -> float:
    """Return the permutation p: the proportion of orders, the observed one included, with at least this agreement."""
    rng = np.random.default_rng(seed)
    # The first rater need not be permuted: only the order of raters relative to each other matters.
    sums = np.tile(ranks[0], (PERMUTATIONS, 1))
    for ranking in ranks[1:]:
        sums += rng.permuted(np.tile(ranking, (PERMUTATIONS, 1)), axis=1)
    reached = int((_sum_of_squared_deviations(sums) >= observed * (1 - 1e-12)).sum())
    return (reached + 1) / (PERMUTATIONS + 1)


MOST_STEPS = 10_000
SMALLEST_STEP = 1e-12
"""Convergence tolerance: largest change of a log-strength in a step."""


def plackett_luce(rankings: Sequence[Sequence[Hashable]]) -> dict[Hashable, float]:
    """Return the strength of each item from rankings.

    Parameters
    ----------
    rankings : (n,) rankings, each its items from the best on, all items or some

    Returns
    -------
    dict
        log-strength of each item by the item, with mean 0, in the order in which items first occur: the first of a
        ranking is item i with probability exp(s_i) over the sum of exp(s) of all items in it, and so on for the rest.

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
    index = {item: at for at, item in enumerate(items)}
    encoded = [np.array([index[item] for item in order]) for order in orders]
    _check_connected(encoded, items)
    strength = _fit_log_strengths(encoded, len(items))
    return dict(zip(items, strength.tolist(), strict=True))


def _check_connected(encoded: Sequence[NDArray[np.int64]], items: Sequence[Hashable]) -> None:
    """Raise an error where some items are never ranked below the others."""
    winners = np.concatenate([order[:-1] for order in encoded])
    losers = np.concatenate([order[1:] for order in encoded])
    k = len(items)
    graph = sparse.csr_matrix((np.ones(winners.size), (winners, losers)), shape=(k, k))
    component_count, component = connected_components(graph, directed=True, connection="strong")
    if component_count > 1:
        sizes = np.bincount(component)
        named = [str(items[at]) for at in np.flatnonzero(component == int(sizes.argmin()))[:3]]
        raise InputError(
            "strengths are not finite: some items are always ranked above or below all others, or never together with "
            f"them, such as {', '.join(named)}; leave them out or add rankings"
        )


def _fit_log_strengths(encoded: Sequence[NDArray[np.int64]], k: int) -> Floats:
    """Return the maximum-likelihood log-strengths, with mean 0."""
    wins = np.zeros(k)
    for order in encoded:
        wins[order[:-1]] += 1
    by_length: dict[int, list[NDArray[np.int64]]] = {}
    for order in encoded:
        by_length.setdefault(order.size, []).append(order)
    tables = [np.stack(orders) for orders in by_length.values()]
    log_strength = np.zeros(k)
    for _ in range(MOST_STEPS):
        strength, weight = np.exp(log_strength), np.zeros(k)
        for table in tables:
            row_strength = strength[table]
            # Sum of the strengths of an item and of all items ranked below it.
            remaining = np.cumsum(row_strength[:, ::-1], axis=1)[:, ::-1]
            expected_wins = np.cumsum(1 / remaining[:, :-1], axis=1)
            expected_wins = np.concatenate([expected_wins, expected_wins[:, -1:]], axis=1)
            np.add.at(weight, table, expected_wins)
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
    """N comparisons as codes: `first`, `second` (N,) indices into `systems` (S,), `outcome` (N,), `offered` (N,).

    `outcome` is 0 for a win of the first, 1 for a win of the second, 2 for a tie; `offered` is True where a tie could
    be chosen. `weight` (N,) are weights of 0 or more; None where all are 1.
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

    def select(self, mask: Flags) -> "PairedComparisons":
        """Return the comparisons selected by a mask (N,), with the same systems."""
        return PairedComparisons(
            self.first[mask],
            self.second[mask],
            self.outcome[mask],
            self.offered[mask],
            self.systems,
            None if self.weight is None else self.weight[mask],
        )

    @property
    def weights(self) -> Floats:
        """Weight of each comparison (N,), 1 by default."""
        return np.ones(len(self)) if self.weight is None else self.weight


def comparisons_from_ids(
    first: ArrayLike, second: ArrayLike, outcome: ArrayLike, offered: ArrayLike | None = None
) -> PairedComparisons:
    """Build comparisons from ids of any type (Bradley and Terry 1952)."""
    first_ids, second_ids = np.asarray(first), np.asarray(second)
    if len(first_ids) != len(second_ids):
        raise InputError(
            f"`first` and `second` must be equally long, got {len(first_ids)} and {len(second_ids)}"
        )
    ids = np.concatenate([first_ids, second_ids])
    systems = np.unique(ids)
    codes = np.searchsorted(systems, ids)  # for few systems faster than `return_inverse`
    tie_offered = (
        np.ones(len(first_ids), dtype=np.bool_) if offered is None else np.asarray(offered, dtype=np.bool_)
    )
    return PairedComparisons(
        codes[: len(first_ids)].astype(np.int64),
        codes[len(first_ids) :].astype(np.int64),
        np.asarray(outcome, dtype=np.int64),
        tie_offered,
        systems,
    )


def encode_clusters(
    comparisons: PairedComparisons, item: ArrayLike | None, rater: ArrayLike | None
) -> tuple[Codes, Codes]:
    """Return codes (N,) of items and of raters. Without item ids, each comparison is a separate item; without rater
    ids, all are of one rater."""
    columns = (
        np.arange(len(comparisons)) if item is None else item,
        np.zeros(len(comparisons)) if rater is None else rater,
    )
    items, raters = (encode(np.asarray(ids))[1] for ids in columns)
    if not len(items) == len(raters) == len(comparisons):
        raise InputError(
            f"`item` and `rater` must be as long as the comparisons, got {len(items)}, {len(raters)} and "
            f"{len(comparisons)}"
        )
    return items, raters


def count_table_index(comparisons: PairedComparisons) -> Codes:
    """Return each comparison's flat index into the counts (3, S, S) of wins with a tie offered, wins without, and ties
    (the sufficient statistics of Davidson 1970)."""
    s = len(comparisons.systems)
    swapped = comparisons.outcome == SECOND
    winner = np.where(swapped, comparisons.second, comparisons.first)
    loser = np.where(swapped, comparisons.first, comparisons.second)
    kind = np.where(comparisons.outcome == TIE, 2, np.where(comparisons.offered, 0, 1))
    return (kind * s + winner) * s + loser
