"""Ratings of items by raters, and tools for columns of ids and numbers: checks, codes, counts, quotients."""

from dataclasses import dataclass
from math import nan
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from analysis.values.estimate import Codes, Floats, InputError


def numbers(name: str, values: ArrayLike) -> Floats:
    """Return numbers (N,), NaN where unknown."""
    try:
        array = np.array(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"`{name}` must hold numbers: {error}") from error
    if array.ndim != 1:
        raise InputError(f"`{name}` must be 1-d, got an array of shape {array.shape}")
    return array


def finite_numbers(name: str, values: ArrayLike) -> Floats:
    """Return numbers (N,), or raise an error unless all are finite."""
    array = numbers(name, values)
    if not np.isfinite(array).all():
        position = int(np.flatnonzero(~np.isfinite(array))[0])
        raise InputError(
            f"`{name}` must be finite, got {array[position]} at position {position}; leave out what is missing"
        )
    return array


LARGEST_EXACT = 1 << 52
"""Largest whole number that floating point represents exactly."""


def coded(values: NDArray[Any]) -> tuple[NDArray[Any], Codes]:
    """Return the distinct ids in ascending order, and the index of each value among them.

    >>> coded(np.array([7, 3, 7]))
    (array([3, 7]), array([1, 0, 1]))
    """
    if len(values) and values.dtype.kind in "iuf":
        low, high = float(values.min()), float(values.max())
        if high - low <= 4 * len(values) + 1000 and max(-low, high) < LARGEST_EXACT:
            index = values.astype(np.int64, copy=False)
            index = index - int(low) if low else index
            if values.dtype.kind != "f" or (index + low == values).all():
                present = np.bincount(index) > 0
                if present.all():
                    return (np.arange(len(present)) + low).astype(values.dtype), index
                return (np.flatnonzero(present) + low).astype(values.dtype), (np.cumsum(present) - 1)[index]
    ids, code = np.unique(values, return_inverse=True)
    return ids, code.astype(np.int64, copy=False)


def different(codes: Codes) -> int:
    """Return the number of distinct codes.

    >>> different(np.array([7, 3, 7]))
    2
    """
    return len(occurring(codes))


def occurring(codes: Codes) -> Codes:
    """Return the distinct codes in ascending order.

    >>> occurring(np.array([7, 3, 7]))
    array([3, 7])
    """
    if int(codes.max(initial=0)) <= 4 * len(codes) + 1000:
        return np.flatnonzero(np.bincount(codes))
    return np.unique(codes)


def sum_by_code(code: Codes, values: NDArray[Any] | None, size: int = 0) -> Floats:
    """Sum the values (N,), or count the entries, of each code (size,)."""
    return np.bincount(code, values, size).astype(np.float64, copy=False)


def sums_of_pairs(row: Codes, column: Codes, values: Floats) -> tuple[Codes, Codes, Floats, Floats]:
    """Return each distinct pair of codes (N,) in ascending order: both codes, the sum of its values (N,) and their
    number.

    >>> sums_of_pairs(np.array([1, 0, 1]), np.array([2, 0, 2]), np.array([3.0, 4.0, 5.0]))
    (array([0, 1]), array([0, 2]), array([4., 8.]), array([1., 2.]))
    """
    shape = int(row.max(initial=0)) + 1, int(column.max(initial=0)) + 1
    # The real part adds up the values, the imaginary part counts them.
    table = sparse.coo_array((values + 1j, (row, column)), shape=shape).tocsr()
    first = np.repeat(np.arange(shape[0]), np.diff(table.indptr))
    return first, table.indices.astype(np.int64), table.data.real, table.data.imag


_DECIMALS = 6
_DIGITS = 1e12
_LARGEST = 1 << 45
"""Sums of up to 2**17 such scores still fit 63 bits."""


def whole_steps(scores: NDArray[np.float64]) -> NDArray[np.int64] | None:
    """Return scores as numbers of their smallest common step above the lowest, or None without such a step.

    >>> whole_steps(np.array([0.3, 0.1, 5.0]))
    array([ 2,  0, 49])
    >>> whole_steps(np.array([1 / 3, 1.0])) is None
    True
    """
    if len(scores) == 0:
        return np.zeros(0, dtype=np.int64)
    if np.abs(scores).max() > _LARGEST:
        return None
    for decimals in range(_DECIMALS + 1):
        unit = 10.0**decimals
        steps = np.rint(scores * unit)
        if (steps / unit == scores).all():
            break
    else:
        return None
    if np.abs(steps).max() > _LARGEST:
        return None
    whole = steps.astype(np.int64)
    whole -= whole.min()
    common = int(np.gcd.reduce(whole))
    return whole // common if common > 1 else whole


def tie_exact(values: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return real values as whole numbers from 0, equal where the values agree to 12 digits of the largest.

    >>> tie_exact(np.array([0.1 + 0.2, 0.3])).tolist()
    [0, 0]
    """
    if values.size == 0:
        return np.zeros(values.shape, dtype=np.int64)
    low, high = float(values.min()), float(values.max())
    largest = max(abs(low), abs(high), high - low)
    if largest == 0:
        return np.zeros(values.shape, dtype=np.int64)
    return np.rint((values - low) * (_DIGITS / largest)).astype(np.int64)


def settle(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Round values (…,) to twelve significant digits of the largest, so that equal means are equal.

    Sums of decimal scores depend on the order of summation in the last bits, which would break ties between items.

    >>> np.unique(settle(np.array([0.1 + 0.2, 0.3]))).tolist()
    [0.3]
    """
    places = _decimal_places(values)
    return values if places is None else np.round(values, places)


def settled_steps(values: NDArray[np.float64], settled: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return values (…,) rounded by `settle` as numbers of steps of the largest value's twelfth digit; NaN gives an
    arbitrary number.

    >>> sums = np.array([0.1 + 0.2, 0.3])
    >>> settled_steps(sums, settle(sums)).tolist()
    [300000000000, 300000000000]
    """
    decimals = _decimal_places(values)
    if decimals is None:
        return np.zeros(values.shape, dtype=np.int64)
    steps = settled * 10.0**decimals
    with np.errstate(invalid="ignore"):
        return np.rint(steps, out=steps).astype(np.int64)


def _decimal_places(values: NDArray[np.float64]) -> int | None:
    """Return the decimal places of the twelfth digit of the largest value; None if all are 0."""
    highest, lowest = (end.reduce(values, axis=None, initial=0.0) for end in (np.fmax, np.fmin))
    largest = max(float(highest), -float(lowest))
    if largest == 0 or not np.isfinite(largest):
        return None
    return 11 - int(np.floor(np.log10(largest)))


def ratio(numerator: Any, denominator: Any) -> NDArray[np.float64]:
    """Return quotients, NaN where the denominator is not positive."""
    return np.where(denominator > 0, numerator / np.where(denominator > 0, denominator, 1.0), nan)


class ItemMeans(NamedTuple):
    """Mean opinion scores: `items` (n,) sorted ids, `means` (n,), `counts` (n,) numbers of ratings."""

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
    order : (N,) numbers, optional, that sort the ratings of an item; ties in row order

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
        arrays: dict[str, NDArray[Any]] = {
            "item": _check_ids("item", item),
            "rater": _check_ids("rater", rater),
        }
        arrays["score"] = finite_numbers("score", score)
        if order is not None:
            arrays["order"] = finite_numbers("order", order)
        lengths = {name: len(array) for name, array in arrays.items()}
        if len(set(lengths.values())) > 1:
            lengths_text = ", ".join(f"`{name}` has {length}" for name, length in lengths.items())
            raise InputError(f"all arrays must be equally long, one entry per rating; {lengths_text}")
        for name, array in arrays.items():
            array.setflags(write=False)
            object.__setattr__(self, name, array)
        if order is None:
            object.__setattr__(self, "order", None)

    def __len__(self) -> int:
        return len(self.score)

    def mos(self) -> ItemMeans:
        """Return the mean opinion score of each item: the mean of all its ratings.

        Returns
        -------
        ItemMeans
            ids (n,), means (n,), counts (n,), by ascending id.

        Notes
        -----
        Not for groups whose raters rated very different items: raters' severity then biases the items; see
        `analysis.repetitions.rating_orders`.
        Source: Iskender et al. 2020, section 4 ("the mean of 24 judgments per item").

        >>> Ratings(["a", "a", "b"], [1, 2, 1], [4, 5, 2]).mos()
        ItemMeans(items=array(['a', 'b'], dtype='<U1'), means=array([4.5, 2. ]), counts=array([2, 1]))
        """
        items, code = coded(self.item)
        counts = np.bincount(code, minlength=len(items))
        sums = np.bincount(code, weights=self.score, minlength=len(items))
        return ItemMeans(items, sums / counts, counts)


def _check_ids(name: str, values: ArrayLike) -> NDArray[Any]:
    array = np.array(values)
    if array.ndim != 1:
        raise InputError(f"`{name}` must be 1-d, one id per rating, got an array of shape {array.shape}")
    return array


MERGES = ("mean", "last")


def standing_votes(
    item: ArrayLike, rater: ArrayLike, choice: ArrayLike, order: ArrayLike, merge: str = "mean"
) -> NDArray[np.int64]:
    """Return the index of the vote that represents each rater's votes on an item.

    Parameters
    ----------
    item, rater, choice : (N,) ids or codes
    order : (N,) numbers, ascending in time; ties in row order
    merge : "mean" for the most frequent choice, the last given among equally frequent ones; "last" for the last

    Returns
    -------
    (n,) ascending indices, one for each rater and item: that of the last vote for the representative choice.

    Raises
    ------
    InputError
        where lengths differ, or for an unknown `merge`.

    Notes
    -----
    Not for counting votes, where all count.
    Source: Krippendorff 2011, "Computing Krippendorff's alpha": a unit has at most one value from each observer.

    >>> standing_votes(["a"] * 4, [1] * 4, ["x", "y", "y", "x"], [1, 2, 3, 4]).tolist()
    [3]
    """
    if merge not in MERGES:
        raise InputError(f"`merge` must be one of {', '.join(MERGES)}, got {merge!r}")
    items, raters, choices = (_encode(column) for column in (item, rater, choice))
    times = np.asarray(order)
    if not len(items) == len(raters) == len(choices) == len(times):
        raise InputError("`item`, `rater`, `choice` and `order` must be equally long")
    if not len(items):
        return np.zeros(0, dtype=np.int64)
    cell = items * (raters.max() + 1) + raters
    rank = np.empty(len(cell), dtype=np.int64)
    rank[np.argsort(times, kind="stable")] = np.arange(len(cell))
    frequency = np.zeros(len(cell), dtype=np.int64)
    if merge == "mean":
        _, choice_of_cell, choice_counts = np.unique(
            np.stack([cell, choices]), axis=1, return_inverse=True, return_counts=True
        )
        frequency = choice_counts[choice_of_cell]
    sort_order = np.lexsort((rank, frequency, cell))
    last = np.append(np.flatnonzero(np.diff(cell[sort_order])), len(sort_order) - 1)
    return np.sort(sort_order[last])


def _encode(column: ArrayLike) -> NDArray[Any]:
    return np.unique(np.asarray(column), return_inverse=True)[1].astype(np.int64)


@dataclass(frozen=True)
class RatingsComparison:
    """Numbers of ratings that are equal in both versions, have another score, or are in only one version."""

    same: int
    changed: int
    gone: int
    added: int


def compare_ratings(before: Ratings, after: Ratings) -> RatingsComparison:
    """Compare two versions of ratings by item and rater.

    Parameters
    ----------
    before, after : ratings of one measure by one group; equal ids are the same item or rater in both

    Notes
    -----
    Where a rater rated an item more than once, equal scores are matched first.

    >>> old = Ratings(["a", "a", "b"], ["x", "y", "x"], [1, 2, 3])
    >>> compare_ratings(old, Ratings(["a", "a", "c"], ["x", "y", "x"], [1, 5, 3]))
    RatingsComparison(same=1, changed=1, gone=1, added=1)
    """
    item, rater = _encode_jointly(before.item, after.item), _encode_jointly(before.rater, after.rater)
    cell = item * (int(rater.max(initial=0)) + 1) + rater
    score = _encode_jointly(before.score, after.score)
    by_score = _encode_jointly(cell) * (int(score.max(initial=0)) + 1) + score
    number_before = len(before.score)
    same = _count_common(by_score[:number_before], by_score[number_before:])
    matched = _count_common(cell[:number_before], cell[number_before:])
    return RatingsComparison(same, matched - same, number_before - matched, len(after.score) - matched)


def _encode_jointly(*versions: NDArray[Any]) -> NDArray[np.int64]:
    """Return the concatenated ids of both versions as codes of the sorted distinct ids."""
    _, codes = np.unique(np.concatenate(versions), return_inverse=True)
    return codes.astype(np.int64)


def _count_common(first: NDArray[np.int64], second: NDArray[np.int64]) -> int:
    """Return the number of values in both, counted with multiplicity."""
    values, counts = np.unique(first, return_counts=True)
    others, other_counts = np.unique(second, return_counts=True)
    _, index, other_index = np.intersect1d(values, others, assume_unique=True, return_indices=True)
    return int(np.minimum(counts[index], other_counts[other_index]).sum())
