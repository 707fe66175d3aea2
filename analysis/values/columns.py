"""Columns of ids and numbers: checks, integer codes, counts and quotients."""

from math import nan
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from analysis.values.estimate import InputError
from analysis.values.types import Codes, Floats


def numbers(name: str, given: ArrayLike) -> Floats:
    """Numbers (N,), NaN where not known."""
    try:
        array = np.array(given, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"`{name}` must hold numbers: {error}") from error
    if array.ndim != 1:
        raise InputError(f"`{name}` must be 1-d, got an array of shape {array.shape}")
    return array


def finite_numbers(name: str, given: ArrayLike) -> Floats:
    """Numbers (N,), all of them known and finite."""
    array = numbers(name, given)
    if not np.isfinite(array).all():
        where = int(np.flatnonzero(~np.isfinite(array))[0])
        raise InputError(
            f"`{name}` must be finite, got {array[where]} at position {where}; leave out what is missing"
        )
    return array


LARGEST = 1 << 52
"""Whole numbers up to which floating point tells them apart."""


def coded(values: NDArray[Any]) -> tuple[NDArray[Any], Codes]:
    """Ascending ids and each value's place among them.

    >>> coded(np.array([7, 3, 7]))
    (array([3, 7]), array([1, 0, 1]))
    """
    if len(values) and values.dtype.kind in "iuf":
        low, high = float(values.min()), float(values.max())
        if high - low <= 4 * len(values) + 1000 and max(-low, high) < LARGEST:
            place = values.astype(np.int64, copy=False)
            place = place - int(low) if low else place
            if values.dtype.kind != "f" or (place + low == values).all():
                present = np.bincount(place) > 0
                if present.all():
                    return (np.arange(len(present)) + low).astype(values.dtype), place
                return (np.flatnonzero(present) + low).astype(values.dtype), (np.cumsum(present) - 1)[place]
    ids, code = np.unique(values, return_inverse=True)
    return ids, code.astype(np.int64, copy=False)


def different(codes: Codes) -> int:
    """Return how many different codes there are.

    >>> different(np.array([7, 3, 7]))
    2
    """
    return len(occurring(codes))


def occurring(codes: Codes) -> Codes:
    """Return the different codes, ascending.

    >>> occurring(np.array([7, 3, 7]))
    array([3, 7])
    """
    if int(codes.max(initial=0)) <= 4 * len(codes) + 1000:
        return np.flatnonzero(np.bincount(codes))
    return np.unique(codes)


def sums_of_pairs(one: Codes, other: Codes, values: Floats) -> tuple[Codes, Codes, Floats, Floats]:
    """Each pair of codes (N,) that occurs, ascending: both codes, the sum of its values (N,) and how many they are.

    >>> sums_of_pairs(np.array([1, 0, 1]), np.array([2, 0, 2]), np.array([3.0, 4.0, 5.0]))
    (array([0, 1]), array([0, 2]), array([4., 8.]), array([1., 2.]))
    """
    shape = int(one.max(initial=0)) + 1, int(other.max(initial=0)) + 1
    # Sums and numbers add up in one pass, as the real and the imaginary parts.
    both = sparse.coo_array((values + 1j, (one, other)), shape=shape).tocsr()
    first = np.repeat(np.arange(shape[0]), np.diff(both.indptr))
    return first, both.indices.astype(np.int64), both.data.real, both.data.imag


_DECIMALS = 6
_DIGITS = 1e12
_LARGEST = 1 << 45
"""Sums of up to 2**17 such scores still fit 63 bits."""


def whole_steps(scores: NDArray[np.float64]) -> NDArray[np.int64] | None:
    """Scores counted from the lowest in their smallest common step, or None where there is no such step.

    >>> whole_steps(np.array([0.3, 0.1, 5.0]))
    array([ 2,  0, 49])
    >>> whole_steps(np.array([1 / 3, 1.0])) is None
    True
    """
    if len(scores) == 0:
        return np.zeros(0, dtype=np.int64)
    if np.abs(scores).max() > _LARGEST:
        return None
    for places in range(_DECIMALS + 1):
        unit = 10.0**places
        steps = np.rint(scores * unit)
        if (steps / unit == scores).all():
            break
    else:
        return None
    if np.abs(steps).max() > _LARGEST:
        return None
    counted = steps.astype(np.int64)
    counted -= counted.min()
    common = int(np.gcd.reduce(counted))
    return counted // common if common > 1 else counted


def tie_exact(values: NDArray[np.float64]) -> NDArray[np.int64]:
    """Real values as whole numbers from 0, equal where the values agree to 12 digits of the largest.

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
    """Values (…,) rounded to twelve significant digits of the largest, so that equal means are equal.

    Sums of decimal scores differ in the last bits with the order of adding, which would break ties between items.

    >>> np.unique(settle(np.array([0.1 + 0.2, 0.3]))).tolist()
    [0.3]
    """
    places = _places(values)
    return values if places is None else np.round(values, places)


def settled_steps(values: NDArray[np.float64], settled: NDArray[np.float64]) -> NDArray[np.int64]:
    """Values (…,) as `settle` has rounded them, counted in steps of the largest's twelfth digit; NaN is any number.

    >>> sums = np.array([0.1 + 0.2, 0.3])
    >>> settled_steps(sums, settle(sums)).tolist()
    [300000000000, 300000000000]
    """
    places = _places(values)
    if places is None:
        return np.zeros(values.shape, dtype=np.int64)
    steps = settled * 10.0**places
    with np.errstate(invalid="ignore"):
        return np.rint(steps, out=steps).astype(np.int64)


def _places(values: NDArray[np.float64]) -> int | None:
    """Decimal places up to the twelfth digit of the largest value; None where there is none but 0."""
    highest, lowest = (end.reduce(values, axis=None, initial=0.0) for end in (np.fmax, np.fmin))
    largest = max(float(highest), -float(lowest))
    if largest == 0 or not np.isfinite(largest):
        return None
    return 11 - int(np.floor(np.log10(largest)))


def ratio(above: Any, below: Any) -> NDArray[np.float64]:
    """Quotients, NaN where `below` is not above 0."""
    return np.where(below > 0, above / np.where(below > 0, below, 1.0), nan)
