"""Ratings of one measure by one group: who gave which item which score, and in what order."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.values.codes import coded
from analysis.values.columns import finite_numbers
from analysis.values.errors import InputError


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
        `analysis.repetitions.aggregation`.
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
