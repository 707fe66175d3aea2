"""Units with values from several raters: what may be given, and intervals over units, drawn or by their influence."""

from collections.abc import Callable
from dataclasses import dataclass
from math import inf, sqrt
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from analysis.resampling.draws import OnProgress, blocks, times_picked
from analysis.resampling.intervals import by_error, percentiles
from analysis.values.errors import InputError
from analysis.values.estimate import BootstrapSpec, Estimate

Floats = NDArray[np.float64]
MOST_DRAWN = 5_000
"""Units up to which intervals are drawn; above, the delta method says the same in no time."""
BLOCK = 2_000_000
"""Numbers in memory per block of draws or dimensions."""
NO_PAIRS = "no unit has two values"
ALL_EQUAL = "everyone gave the same value, so there is nothing to agree on"
ONE_UNIT = "a single unit does not show how units differ, so there is no interval"
FEW_DRAWS = "in more than half of the draws everyone gave the same value, so there is no interval"
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
    on_progress: OnProgress,
) -> Estimate:
    """A figure with its interval: its draws (b, u) of units, or where these are many what each does to it (u,)."""
    if units > MOST_DRAWN:
        return _by_influence(value, influence(), spec)
    rng = np.random.default_rng(spec.seed)
    drawn = np.empty(spec.draws)
    for block in blocks(spec.draws, BLOCK // (units + width), on_progress):
        drawn[block] = figure(times_picked(rng, units, block.stop - block.start))
    return interval_of_draws(value, drawn, units, spec)


def interval_of_draws(value: float, drawn: Floats, n: int, spec: BootstrapSpec) -> Estimate:
    """A figure of n units with the percentiles of its draws (draws,)."""
    if spec.draws == 0:
        return Estimate(value, n=n)
    if n == 1:
        return Estimate(value, n=n, reason=ONE_UNIT)
    low, high = percentiles(value, drawn, spec.level, n)
    return Estimate(value, float(low), float(high), n, FEW_DRAWS if np.isnan(low) else "")


def _by_influence(value: float, influence: Floats, spec: BootstrapSpec) -> Estimate:
    """The delta method's interval; it ends at 1."""
    n = len(influence)
    if spec.draws == 0:
        return Estimate(value, n=n)
    error = sqrt(n * float(influence.var(ddof=1)))
    low, high = by_error(value, error, spec.level, within=(-inf, 1.0))
    return Estimate(value, float(low), float(high), n)


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


def numbers_of(name: str, given: ArrayLike) -> Floats:
    """Finite numbers (N,)."""
    try:
        array = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"`{name}` must hold numbers: {error}") from error
    if array.ndim != 1:
        raise InputError(f"`{name}` must be 1-d, got an array of shape {array.shape}")
    if not np.isfinite(array).all():
        where = int(np.flatnonzero(~np.isfinite(array))[0])
        raise InputError(
            f"`{name}` must be finite, got {array[where]} at position {where}; leave out what is missing"
        )
    return array
