"""Units with values from several raters: what may be given, and intervals over units by leaving each out."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from analysis.resampling.draws import OnProgress, blocks
from analysis.resampling.intervals import jackknifed
from analysis.values.errors import InputError
from analysis.values.estimate import BootstrapSpec, Estimate

Floats = NDArray[np.float64]
MOST_LEFT_OUT = 5_000
"""Units up to which each is left out in turn; above, its influence says the same in no time."""
BLOCK = 2_000_000
"""Numbers in memory per block of units or dimensions."""
NO_PAIRS = "no unit has two values"
ALL_EQUAL = "everyone gave the same value, so there is nothing to agree on"
ONE_UNIT = "a single unit does not show how units differ, so there is no interval"
ONE_HOLDS_ALL = "without one of the units everyone gave the same value, so there is no interval"
NO_DIFFERENCE = "all units agree alike, so they do not show how units differ, and there is no interval"
EQUAL = 1e-12
"""A share of a sum of squares that is rounding."""


@dataclass(frozen=True, eq=False)
class UnitTable:
    """Units with two values or more: `given` (u, v) how often each value, sparse; `counts` (u,), `values` (v,)."""

    given: Any
    counts: Floats
    values: NDArray[Any]


def unit_table(unit: ArrayLike, value: NDArray[Any]) -> UnitTable:
    """The units (N,) that have two values (N,) or more."""
    units, place = np.unique(ids_of("unit", unit, len(value)), return_inverse=True)
    several = (np.bincount(place, minlength=len(units)) > 1)[place] if len(value) else np.zeros(0, np.bool_)
    _, place = np.unique(place[several], return_inverse=True)
    values, code = np.unique(value[several], return_inverse=True)
    shape = int(place.max(initial=-1)) + 1, len(values)
    given = sparse.csr_array((np.ones(len(place)), (place, code)), shape=shape)
    given.sum_duplicates()
    return UnitTable(given, np.bincount(place).astype(np.float64), values)


def interval_over_units(
    value: float,
    units: int,
    width: int,
    figure: Callable[[Floats], Floats],
    influence: Callable[[], Floats],
    spec: BootstrapSpec,
    on_progress: OnProgress = None,
) -> Estimate:
    """A figure with its interval, from what it is with units as often as weights (b, u) say.

    Every unit is left out once; where units are many, what each does to the figure (u,) says the same.
    """
    if spec.draws == 0 or units == 1:
        return Estimate(value, n=units, reason=ONE_UNIT if spec.draws else "")
    if units > MOST_LEFT_OUT:
        return interval_of_left_out(value, value - influence(), units, spec.level)
    left = np.empty(units)
    for block in blocks(units, BLOCK // (units + width), on_progress):
        weights = np.ones((block.stop - block.start, units))
        weights[np.arange(len(weights)), np.arange(block.start, block.stop)] = 0
        left[block] = figure(weights)
    return interval_of_left_out(value, left, units, spec.level)


def interval_of_left_out(value: float, left: Floats, n: int, level: float) -> Estimate:
    """A figure of agreement of n units from what it is without each of them (u,)."""
    if np.isnan(left).any():
        return Estimate(value, n=n, reason=ONE_HOLDS_ALL)
    low, high = jackknifed(value, left, level)
    return Estimate(value, float(low), float(high), n, NO_DIFFERENCE if np.isnan(low) else "")


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
