"""Units with values from several raters, as tables of counts."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from analysis.values.errors import InputError
from analysis.values.types import Floats

ONE_UNIT = "a single unit does not show how units differ, so there is no interval"
ONE_HOLDS_ALL = "without one of the units everyone gave the same value, so there is no interval"
NO_DIFFERENCE = "all units agree alike, so they do not show how units differ, and there is no interval"
EQUAL = 1e-12
"""A share of a sum of squares that is rounding."""


@dataclass(frozen=True, eq=False)
class UnitTable:
    """Units: `given` (u, v) how often each value, sparse; `counts` (u,), `values` (v,), `units` (u,) ids."""

    given: Any
    counts: Floats
    values: NDArray[Any]
    units: NDArray[Any]


def unit_table(unit: ArrayLike, value: NDArray[Any], fewest: int = 2) -> UnitTable:
    """Return the units (N,) that have so many values (N,) or more."""
    ids = ids_of("unit", unit, len(value))
    units, place = np.unique(ids, return_inverse=True)
    kept = (
        (np.bincount(place, minlength=len(units)) >= fewest)[place] if len(value) else np.zeros(0, np.bool_)
    )
    units, place = np.unique(ids[kept], return_inverse=True)
    values, code = np.unique(value[kept], return_inverse=True)
    given = sparse.csr_array((np.ones(len(place)), (place, code)), shape=(len(units), len(values)))
    given.sum_duplicates()
    return UnitTable(given, np.bincount(place, minlength=len(units)).astype(np.float64), values, units)


def ids_of(name: str, given: ArrayLike, length: int) -> NDArray[Any]:
    """Ids, one per value."""
    array = np.asarray(given)
    if array.shape != (length,):
        raise InputError(f"`{name}` needs one id per value, {length}, got an array of shape {array.shape}")
    return array


def labels_of(name: str, given: ArrayLike) -> NDArray[Any]:
    """Labels (N,), none of them missing."""
    array = np.asarray(given)
    if array.ndim != 1:
        raise InputError(f"`{name}` must be 1-d, got an array of shape {array.shape}")
    missing = np.isnan(array) if array.dtype.kind == "f" else np.zeros(len(array), dtype=np.bool_)
    if array.dtype.kind == "O":
        missing = np.array([label is None or label != label for label in array], dtype=np.bool_)
    if missing.any():
        where = int(np.flatnonzero(missing)[0])
        raise InputError(f"`{name}` has no value at position {where}; leave out what is missing")
    return array
