"""Scores as whole numbers, so that means which are equal are equal to the computer too.

0.1 + 0.2 is not 0.3 in floating point, and a rank correlation would see a difference where there is none.
Scores on whole-number or decimal scales are therefore counted in their smallest common step; real-valued
figures (such as z scores) are rounded to 12 digits of the largest one, far above their rounding errors.
"""

import numpy as np
from numpy.typing import NDArray

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
    """What `settle` has rounded values (…,) to, counted in steps of the largest's twelfth digit; NaN is any number.

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
