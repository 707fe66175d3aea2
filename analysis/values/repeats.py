"""Repeats: votes of one rater on one item more than once, of which one stands for all where raters are compared."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.values.errors import InputError

MERGES = ("mean", "last")


def standing_votes(
    item: ArrayLike, rater: ArrayLike, choice: ArrayLike, order: ArrayLike, merge: str = "mean"
) -> NDArray[np.int64]:
    """Return the places of the votes that stand for each rater's votes on an item.

    Parameters
    ----------
    item, rater, choice : (N,) ids or codes
    order : (N,) numbers, ascending in time; ties as they stand
    merge : "mean" for the most frequent choice, the last given among equally frequent ones; "last" for the last

    Returns
    -------
    (n,) places, ascending, one for each rater and item: that of the last vote for the choice that stands.

    Raises
    ------
    InputError
        where lengths differ, or for an unknown `merge`.

    Notes
    -----
    Not for counting votes: there all count.
    Source: Krippendorff 2011, "Computing Krippendorff's alpha": a unit has at most one value from each observer.

    >>> standing_votes(["a"] * 4, [1] * 4, ["x", "y", "y", "x"], [1, 2, 3, 4]).tolist()
    [3]
    """
    if merge not in MERGES:
        raise InputError(f"`merge` must be one of {', '.join(MERGES)}, got {merge!r}")
    items, raters, choices = (_codes(column) for column in (item, rater, choice))
    times = np.asarray(order)
    if not len(items) == len(raters) == len(choices) == len(times):
        raise InputError("`item`, `rater`, `choice` and `order` must be equally long")
    if not len(items):
        return np.zeros(0, dtype=np.int64)
    cell = items * (raters.max() + 1) + raters
    rank = np.empty(len(cell), dtype=np.int64)
    rank[np.argsort(times, kind="stable")] = np.arange(len(cell))
    given = np.zeros(len(cell), dtype=np.int64)
    if merge == "mean":
        _, same, often = np.unique(np.stack([cell, choices]), axis=1, return_inverse=True, return_counts=True)
        given = often[same]
    places = np.lexsort((rank, given, cell))
    ends = np.append(np.flatnonzero(np.diff(cell[places])), len(places) - 1)
    return np.sort(places[ends])


def _codes(column: ArrayLike) -> NDArray[Any]:
    return np.unique(np.asarray(column), return_inverse=True)[1].astype(np.int64)
