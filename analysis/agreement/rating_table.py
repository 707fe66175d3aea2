"""Who gave which item which value, as counts of which agreement is a function."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.values.codes import coded
from analysis.values.errors import InputError
from analysis.values.types import Codes, Floats

MOST_GRADES = 101
"""Grades of a scale up to which those that nobody gave are counted: 0 to 100."""


@dataclass(frozen=True, eq=False)
class RatingTable:
    """N ratings as codes of n items, w raters and q values, each rater at most once per item.

    `values` (q,) ascending, those that could be given; `items` (n,), `raters` (w,) ids.
    """

    items: NDArray[Any]
    raters: NDArray[Any]
    values: NDArray[Any]
    item: Codes
    rater: Codes
    value: Codes

    @cached_property
    def counts(self) -> Floats:
        """How often each item got each value (n, q)."""
        return _counted(self.item, self.value, len(self.items), len(self.values))

    @cached_property
    def by_rater(self) -> Floats:
        """How often each rater gave each value (w, q)."""
        return _counted(self.rater, self.value, len(self.raters), len(self.values))

    @cached_property
    def without_own(self) -> Floats:
        """Each rating's item without that rating (N, q)."""
        left = self.counts[self.item]
        left[np.arange(len(left)), self.value] -= 1
        return left


def rating_table(
    item: ArrayLike, rater: ArrayLike, value: ArrayLike, scale: ArrayLike | None = None
) -> RatingTable:
    """Ratings (N,) as a table."""
    columns = {
        name: np.asarray(given) for name, given in (("item", item), ("rater", rater), ("value", value))
    }
    lengths = {name: column.shape for name, column in columns.items()}
    if len(set(lengths.values())) > 1 or columns["item"].ndim != 1:
        raise InputError(f"`item`, `rater` and `value` need one entry per rating each, got shapes {lengths}")
    given = columns["value"]
    if given.dtype.kind == "f" and not np.isfinite(given).all():
        raise InputError("`value` must have no missing numbers; leave such ratings out")
    values = np.unique(given if scale is None else np.asarray(scale))
    at = np.clip(np.searchsorted(values, given), 0, max(len(values) - 1, 0))
    if len(given) and not (values[at] == given).all():
        off = given[values[at] != given][0]
        raise InputError(f"`value` must be on the scale {values.tolist()}, got {off}")
    items, item_code = coded(columns["item"])
    raters, rater_code = coded(columns["rater"])
    cells, times = np.unique(item_code * max(len(raters), 1) + rater_code, return_counts=True)
    if (times > 1).any():
        i, w = divmod(int(cells[times > 1][0]), len(raters))
        raise InputError(
            f"a rater gives an item one value, got {int(times[times > 1][0])} of rater {raters[w]} for item {items[i]}"
        )
    return RatingTable(items, raters, values, item_code, rater_code, at)


def likely_scale(scores: ArrayLike) -> Floats:
    """Return the grades (q,) of the scale that scores (N,) are likely to come from.

    Of whole numbers these are all between the smallest and the largest; from 1 where the smallest is larger, and as far
    below 0 as above it where there are both. Of other scores, of more than 101 grades, and where all are equal, they
    are those that occur.

    >>> likely_scale([5, 4, 2]), likely_scale([-1, 2]), likely_scale([1.5, 4])
    (array([1., 2., 3., 4., 5.]), array([-2., -1.,  0.,  1.,  2.]), array([1.5, 4. ]))
    """
    given = np.unique(np.asarray(scores, dtype=np.float64))
    if len(given) < 2 or not (given == np.rint(given)).all():
        return given
    low, high = min(float(given[0]), 1.0), float(given[-1])
    if low < 0 < high:
        high = max(-low, high)
        low = -high
    return np.arange(low, high + 1) if high - low < MOST_GRADES else given


def _counted(of: Codes, value: Codes, units: int, values: int) -> Floats:
    counts = np.bincount(of * values + value, minlength=units * values)
    return counts.reshape(units, values).astype(np.float64)


def summed_by(code: Codes, changes: Floats, size: int) -> Floats:
    """Sums (size, …) of the rows (N, …) of each code."""
    flat = changes.reshape(len(changes), -1)
    summed = np.stack([np.bincount(code, column, size) for column in flat.T], axis=1)
    return np.asarray(summed.reshape(size, *changes.shape[1:]), dtype=np.float64)
