"""Ranks within rows, equal values sharing their middle rank."""

from typing import Any

import numpy as np
from numpy.typing import NDArray


def midranks(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """Ranks 1 … n within each row, equal values sharing their middle rank; NaN rank last.

    Source: Kendall 1945, "The treatment of ties in ranking problems".
    """
    order = np.argsort(rows, axis=1)
    first, last = tie_ends(np.take_along_axis(rows, order, axis=1))
    ranks = np.empty(rows.shape)
    np.put_along_axis(ranks, order, (first + last) / 2 + 1, axis=1)
    return ranks


def tie_ends(ordered: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """First and last position (k, n) of the run of equal values that each entry of sorted rows belongs to."""
    n = ordered.shape[1]
    position = np.broadcast_to(np.arange(n), ordered.shape)
    begins = np.ones(ordered.shape, dtype=bool)
    begins[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
    ends = np.ones(ordered.shape, dtype=bool)
    ends[:, :-1] = begins[:, 1:]
    first = np.maximum.accumulate(np.where(begins, position, 0), axis=1)
    last = np.minimum.accumulate(np.where(ends, position, n)[:, ::-1], axis=1)[:, ::-1]
    return first, last
