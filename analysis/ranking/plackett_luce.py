"""One scale from complete or partial rankings without ties: the model of Plackett and Luce."""

from collections.abc import Hashable, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from analysis.values.errors import InputError
from analysis.values.types import Floats

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
