"""Ratings of items by raters, repeats of a rater, and ratings with and without some."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.values.columns import coded, finite_numbers
from analysis.values.estimate import InputError


class ItemMeans(NamedTuple):
    """Mean opinion scores: `items` (n,) sorted ids, `means` (n,), `counts` (n,) ratings behind each."""

    items: NDArray[Any]
    means: NDArray[np.float64]
    counts: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Ratings:
    """N ratings of one measure.

    Parameters
    ----------
    item, rater : (N,) ids of any sortable kind; equal ids are the same item or rater
    score : (N,) numbers
    order : (N,) numbers, optional; within an item, ratings count in ascending order, ties as they stand

    Raises
    ------
    InputError
        where lengths differ, a score or order is not a finite number, or an array is not 1-d.

    Notes
    -----
    Arrays are copied where needed and made read-only, so that results can be cached safely.
    An item rated twice by the same rater keeps both ratings.
    Source: the ratings table of Iskender et al. 2020, section 4.2 (steps 1 and 2), in long form.
    """

    item: NDArray[Any]
    rater: NDArray[Any]
    score: NDArray[np.float64]
    order: NDArray[np.float64] | None = None

    def __init__(
        self, item: ArrayLike, rater: ArrayLike, score: ArrayLike, order: ArrayLike | None = None
    ) -> None:
        arrays: dict[str, NDArray[Any]] = {"item": _ids("item", item), "rater": _ids("rater", rater)}
        arrays["score"] = finite_numbers("score", score)
        if order is not None:
            arrays["order"] = finite_numbers("order", order)
        lengths = {name: len(array) for name, array in arrays.items()}
        if len(set(lengths.values())) > 1:
            told = ", ".join(f"`{name}` has {length}" for name, length in lengths.items())
            raise InputError(f"all arrays must be equally long, one entry per rating; {told}")
        for name, array in arrays.items():
            array.setflags(write=False)
            object.__setattr__(self, name, array)
        if order is None:
            object.__setattr__(self, "order", None)

    def __len__(self) -> int:
        return len(self.score)

    def mos(self) -> ItemMeans:
        """Mean opinion score of each item: the mean of all its ratings.

        Returns
        -------
        ItemMeans
            ids (n,), means (n,), counts (n,), by ascending id.

        Notes
        -----
        Not for groups whose raters rated very different items: then a rater's severity mixes into the item; see
        `analysis.repetitions.rating_orders`.
        Source: Iskender et al. 2020, section 4 ("the mean of 24 judgments per item").

        >>> Ratings(["a", "a", "b"], [1, 2, 1], [4, 5, 2]).mos()
        ItemMeans(items=array(['a', 'b'], dtype='<U1'), means=array([4.5, 2. ]), counts=array([2, 1]))
        """
        items, code = coded(self.item)
        counts = np.bincount(code, minlength=len(items))
        sums = np.bincount(code, weights=self.score, minlength=len(items))
        return ItemMeans(items, sums / counts, counts)


def _ids(name: str, values: ArrayLike) -> NDArray[Any]:
    array = np.array(values)
    if array.ndim != 1:
        raise InputError(f"`{name}` must be 1-d, one id per rating, got an array of shape {array.shape}")
    return array


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


@dataclass(frozen=True)
class RatingsCompared:
    """Number of ratings both versions hold alike, how many have another score, and how many only one of them holds."""

    same: int
    changed: int
    gone: int
    added: int


def ratings_compared(before: Ratings, after: Ratings) -> RatingsCompared:
    """Ratings of the same items and raters, compared with each other.

    Parameters
    ----------
    before, after : ratings of one measure by one group; equal ids are the same item or rater in both

    Notes
    -----
    Where a rater rated an item more than once, equal scores are matched first. It does not say which version is right.

    >>> old = Ratings(["a", "a", "b"], ["x", "y", "x"], [1, 2, 3])
    >>> ratings_compared(old, Ratings(["a", "a", "c"], ["x", "y", "x"], [1, 5, 3]))
    RatingsCompared(same=1, changed=1, gone=1, added=1)
    """
    item, rater = _codes_of_both(before.item, after.item), _codes_of_both(before.rater, after.rater)
    cell = item * (int(rater.max(initial=0)) + 1) + rater
    score = _codes_of_both(before.score, after.score)
    by_score = _codes_of_both(cell) * (int(score.max(initial=0)) + 1) + score
    at = len(before.score)
    same = _in_both(by_score[:at], by_score[at:])
    met = _in_both(cell[:at], cell[at:])
    return RatingsCompared(same, met - same, at - met, len(after.score) - met)


def _codes_of_both(*versions: NDArray[Any]) -> NDArray[np.int64]:
    """The ids of both versions, one after the other, as their places among the sorted distinct ones."""
    _, codes = np.unique(np.concatenate(versions), return_inverse=True)
    return codes.astype(np.int64)


def _in_both(one: NDArray[np.int64], other: NDArray[np.int64]) -> int:
    """Return how many of each value both hold, summed."""
    values, counts = np.unique(one, return_counts=True)
    others, other_counts = np.unique(other, return_counts=True)
    _, at, other_at = np.intersect1d(values, others, assume_unique=True, return_indices=True)
    return int(np.minimum(counts[at], other_counts[other_at]).sum())
