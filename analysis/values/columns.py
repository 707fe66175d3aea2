"""Columns as they are given, read as numbers."""

import numpy as np
from numpy.typing import ArrayLike

from analysis.values.errors import InputError
from analysis.values.types import Floats


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
