"""Krippendorff's alpha with its interval, from tables of counts."""

from dataclasses import dataclass
from math import nan, pi
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from analysis.agreement.cluster_intervals import Clusters, clustered_interval
from analysis.agreement.ratio_intervals import (
    ALL_EQUAL,
    NO_PAIRS,
    ItemSums,
    interval_sums,
    item_sums,
    ratio_value,
    row_sums_of_squares,
)
from analysis.values.estimate import BootstrapSpec, Estimate, Floats, InputError, OnProgress
from analysis.values.ratings import finite_numbers

ONE_UNIT = "a single unit does not show how units differ, so there is no interval"
UNDEFINED_WITHOUT_ONE_UNIT = "without one of the units everyone gave the same value, so there is no interval"
NO_DIFFERENCE = "all units agree alike, so they do not show how units differ, and there is no interval"


@dataclass(frozen=True, eq=False)
class UnitTable:
    """Units: `value_counts` (u, v), sparse; number of values `counts` (u,), `values` (v,), `units` (u,) ids."""

    value_counts: Any
    counts: Floats
    values: NDArray[Any]
    units: NDArray[Any]


def unit_table(unit: ArrayLike, value: NDArray[Any], fewest: int = 2) -> UnitTable:
    """Count the values (N,) of the units (N,) that have at least `fewest` values."""
    ids = check_ids("unit", unit, len(value))
    units, unit_code = np.unique(ids, return_inverse=True)
    is_kept = (
        (np.bincount(unit_code, minlength=len(units)) >= fewest)[unit_code]
        if len(value)
        else np.zeros(0, np.bool_)
    )
    units, unit_code = np.unique(ids[is_kept], return_inverse=True)
    values, code = np.unique(value[is_kept], return_inverse=True)
    value_counts = sparse.csr_array(
        (np.ones(len(unit_code)), (unit_code, code)), shape=(len(units), len(values))
    )
    value_counts.sum_duplicates()
    return UnitTable(
        value_counts, np.bincount(unit_code, minlength=len(units)).astype(np.float64), values, units
    )


def check_ids(name: str, ids: ArrayLike, length: int) -> NDArray[Any]:
    """Return ids as an array, checked to have one entry per value."""
    array = np.asarray(ids)
    if array.shape != (length,):
        raise InputError(f"`{name}` needs one id per value, {length}, got an array of shape {array.shape}")
    return array


def check_labels(name: str, labels: ArrayLike) -> NDArray[Any]:
    """Return labels (N,) as an array, checked for missing ones."""
    array = np.asarray(labels)
    if array.ndim != 1:
        raise InputError(f"`{name}` must be 1-d, got an array of shape {array.shape}")
    missing = np.isnan(array) if array.dtype.kind == "f" else np.zeros(len(array), dtype=np.bool_)
    if array.dtype.kind == "O":
        missing = np.array([label is None or label != label for label in array], dtype=np.bool_)
    if missing.any():
        position = int(np.flatnonzero(missing)[0])
        raise InputError(f"`{name}` has no value at position {position}; leave out what is missing")
    return array


Level = Literal["nominal", "ordinal", "interval", "ratio"]
_BLOCK = 2_000_000
_ROUNDING = 1e-15


def level_points(level: Level, values: NDArray[Any], marginal: Floats) -> Any:
    """Return points (v, c) for ascending values (v,) with frequencies `marginal` (v,).

    Half the squared distance of two points is the difference of the values at this level. Ranks are those of all
    values of the data, also where items are left out.
    Source: Krippendorff 2011, section D.
    """
    if level == "nominal":
        return sparse.identity(len(values), format="csr")
    if level == "ordinal":
        ranks = np.cumsum(marginal) - marginal / 2
        return center_and_scale(ranks)[:, None]
    return (
        center_and_scale(values.astype(np.float64))[:, None] if level == "interval" else _ratio_points(values)
    )


def center_and_scale(values: Floats) -> Floats:
    """Subtract the mean from values, and divide by the largest absolute deviation."""
    largest = float(np.abs(values).max(initial=0.0))
    centered = values / largest if largest > 0 else values
    centered = centered - (centered.mean() if centered.size else 0.0)
    return centered / (float(np.abs(centered).max(initial=0.0)) or 1.0)


def _ratio_points(values: NDArray[Any]) -> Floats:
    """Return points (v, c) with squared distances tanh²((log v - log w) / 2); zero is at distance 1 from all others.

    1 - tanh²(x / 2) is the integral over f of 4 f / sinh(pi f) cos(f x), and 1 - cos(f (x - y)) is half the squared
    distance of two points on a circle. Equal steps of f have an error of about exp(range - 2 pi / step). Directions
    in which the points do not differ are dropped.
    """
    number = values.astype(np.float64)
    positive = number > 0
    log = np.log(number[positive])
    log = log - (log.mean() if len(log) else 0.0)
    step = 2 * pi / ((np.ptp(log) if len(log) else 0.0) + 40)
    frequency = np.arange(step, 13, step)
    weight = np.sqrt(2 * step * frequency / np.sinh(pi * frequency))
    zero = np.concatenate([weight, np.zeros_like(weight), [np.sqrt(1 - (weight**2).sum())]])

    def circles(logs: Floats) -> Floats:
        half = logs[:, None] * frequency / 2
        sine = 2 * weight * np.sin(half)
        return np.hstack([sine * np.sin(half), sine * np.cos(half), np.zeros((len(logs), 1))])

    size = max(_BLOCK // len(zero), 1)
    parts = [log[at : at + size] for at in range(0, len(log), size)]
    products = sum(
        (circles(part).T @ circles(part) for part in parts), np.outer(zero, zero) * (~positive).any()
    )
    variance, directions = np.linalg.eigh(products)
    basis = directions[:, variance > _ROUNDING * variance[-1]]
    points = np.empty((len(number), basis.shape[1]))
    points[~positive] = zero @ basis
    points[positive] = np.vstack([circles(part) @ basis for part in parts] or [np.empty((0, basis.shape[1]))])
    return points


Weights = Literal["identity", "linear", "quadratic", "ordinal"]


def agreement_weights(values: NDArray[Any], weights: Weights) -> Floats:
    """Return the agreement weights (q, q) of ascending values (q,): 1 for equal values, 0 for the most different.

    Source: Cohen 1968, "Weighted kappa"; Gwet 2014, chapter 3 (ordinal weights).
    """
    q = len(values)
    if weights == "identity":
        return np.eye(q)
    if weights not in ("linear", "quadratic", "ordinal"):
        raise InputError(f'`weights` must be "identity", "linear", "quadratic" or "ordinal", got {weights!r}')
    if values.dtype.kind not in "iuf":
        raise InputError(f"weights {weights!r} need numbers as values, got {values[:3].tolist()}")
    if weights == "ordinal":
        ranks = np.arange(q)
        between = np.abs(ranks[:, None] - ranks) + 1
        pairs = between * (between - 1) / 2
        return np.asarray(1 - pairs / max(pairs.max(), 1))
    number = values.astype(np.float64)
    distance = np.abs(number[:, None] - number) / max(float(np.ptp(number)), 1e-300)
    return np.asarray(1 - (distance if weights == "linear" else distance**2))


LEVELS: tuple[Level, ...] = get_args(Level)


def krippendorff_alpha(
    unit: ArrayLike,
    value: ArrayLike,
    level: Level = "interval",
    bootstrap: BootstrapSpec | None = None,
    on_progress: OnProgress = None,
    system: ArrayLike | None = None,
    topic: ArrayLike | None = None,
) -> Estimate:
    """Estimate Krippendorff's alpha of values given to units by any number of raters.

    Parameters
    ----------
    unit : (N,) ids; equal ids are the same unit
    value : (N,) finite numbers; for nominal data labels of any sortable kind
    level : what differences mean: "nominal" (any two differ alike), "ordinal", "interval" or "ratio"
    bootstrap : the level of the interval; 0 draws: none
    on_progress : called between blocks of bootstrap samples with the share done
    system, topic : (N,) ids of what the unit of each value belongs to, where units are clustered

    Returns
    -------
    Estimate
        n = units with two values or more. Undefined where there is no such unit, or where all values of such
        units are equal. No interval below 5 units and without any disagreement, with the reason. `warning` is set
        if the interval is unreliable.

    Raises
    ------
    InputError
        for an unknown level, lengths that differ, values that are missing or not finite, negative ones at the
        ratio level.

    Notes
    -----
    1 is perfect agreement, 0 that of any two values of the data, and below 0 is less. Not for "do raters order units
    alike" (use a correlation), and not comparable between data whose units differ little and much: without variance
    between units alpha is low however close raters are. Units with one value do not count. The interval is for *these*
    raters: over units (`analysis.agreement.ratio_intervals`), or over their topics, or systems and topics
    (`analysis.agreement.cluster_intervals`). Ordinal ranks are those of all values. Memory and time are linear in the
    number of values.
    Source: Krippendorff 2011, "Computing Krippendorff's alpha-reliability", section D.

    >>> krippendorff_alpha([1, 1, 2, 2, 3, 3], [1, 1, 2, 3, 3, 3], "nominal").value.__round__(4)
    0.5455
    """
    spec = BootstrapSpec() if bootstrap is None else bootstrap
    if level not in LEVELS:
        raise InputError(f"`level` must be one of {', '.join(map(repr, LEVELS))}, got {level!r}")
    values = check_labels("value", value) if level == "nominal" else finite_numbers("value", value)
    if level == "ratio" and values.size and values.min() < 0:
        raise InputError(
            f"`value` must not be negative at the ratio level, got {values.min()}; "
            "take the interval level, or add what makes zero mean nothing"
        )
    table = unit_table(unit, values)
    if not len(table.counts):
        return Estimate(nan, n=0, reason=NO_PAIRS)
    points = level_points(
        level, table.values, np.asarray(table.value_counts.sum(axis=0), dtype=np.float64).ravel()
    )
    unanimous = np.diff(table.value_counts.indptr) == 1
    sums = item_sums(
        table.counts, table.value_counts @ row_sums_of_squares(points), table.value_counts @ points, unanimous
    )
    if not spec.draws:
        return _point_estimate(sums)
    clusters = Clusters.from_ratings(unit, table.units, system, topic)
    return clustered_interval(sums, clusters, spec.level, on_progress)


def _point_estimate(sums: ItemSums) -> Estimate:
    value, n = ratio_value(sums), sums.paired
    return Estimate(value, n=n, reason="" if value == value else ALL_EQUAL)


def interval_alpha(
    count: ArrayLike,
    total: ArrayLike,
    squares: ArrayLike,
    bootstrap: BootstrapSpec | None = None,
    system: ArrayLike | None = None,
    topic: ArrayLike | None = None,
) -> Estimate:
    """Estimate Krippendorff's alpha of interval data from three sums per unit.

    Parameters
    ----------
    count : (u,) number of values of each unit
    total : (u,) their sum
    squares : (u,) the sum of their squares
    bootstrap : the level of the interval; 0 draws: none
    system, topic : (u,) ids of what each unit belongs to, where units are clustered

    Returns
    -------
    Estimate
        n = units with two values or more; the rest as `krippendorff_alpha`.

    Raises
    ------
    InputError
        where lengths differ, a sum is not finite or a count negative.

    Notes
    -----
    For data that a database has summed; otherwise use `krippendorff_alpha`. Subtract a number near the mean from the
    values before summing: sums of squares of large values lose precision.
    With SS_u the squares of a unit around its mean, SS those of all N values around theirs:
    alpha = 1 - (sum of n_u SS_u / (n_u - 1) / N) / (SS / (N - 1)).
    The interval is that of `krippendorff_alpha`.
    Source: Krippendorff 2011, section D, with the interval difference written as sums of squares.

    >>> interval_alpha([2, 2, 2], [2, 5, 6], [2, 13, 18]).value.__round__(4)
    0.8276
    """
    spec = BootstrapSpec() if bootstrap is None else bootstrap
    counts, totals, squared = (
        finite_numbers(name, given)
        for name, given in (("count", count), ("total", total), ("squares", squares))
    )
    if len({len(counts), len(totals), len(squared)}) > 1:
        raise InputError(
            "`count`, `total` and `squares` need one entry per unit each, "
            f"got {len(counts)}, {len(totals)} and {len(squared)}"
        )
    if counts.size and counts.min() < 0:
        raise InputError(f"`count` must not be negative, got {counts.min():g}")
    sums = interval_sums(counts, totals, squared)
    if not sums.paired:
        return Estimate(nan, n=0, reason=NO_PAIRS)
    if not spec.draws:
        return _point_estimate(sums)
    return clustered_interval(sums, Clusters.from_item_ids(counts > 1, system, topic), spec.level)


def alpha_without_each_rater(
    unit: ArrayLike, rater: ArrayLike, value: ArrayLike
) -> tuple[NDArray[Any], Floats]:
    """Return the raters (w,), ascending, and the interval alpha without each of them (w,).

    The sums of all units are updated by each rater's units, so that all raters take as long as one alpha. A rater
    without whom alpha is higher lowers the agreement, but with few raters may be the one who is right.

    >>> alpha_without_each_rater([1, 1, 1, 2, 2, 2], ["a", "b", "c"] * 2, [1, 1, 5, 2, 2, 1])[1].round(2)
    array([-0.19, -0.19,  1.  ])
    """
    number = finite_numbers("value", value)
    units, unit_code = np.unique(check_ids("unit", unit, len(number)), return_inverse=True)
    raters, rater_code = np.unique(check_ids("rater", rater, len(number)), return_inverse=True)
    w = len(raters)
    if w == 0:
        return raters, np.empty(0)
    point = center_and_scale(number)
    cell, cell_code = np.unique(rater_code * len(units) + unit_code, return_inverse=True)
    rater_of_cell, unit_of_cell = np.divmod(cell, len(units))
    powers = [np.ones(len(point)), point, point**2]
    cell_sums = [np.bincount(cell_code, weights=x).astype(np.float64) for x in powers]
    unit_sums = [np.bincount(unit_code, weights=x).astype(np.float64) for x in powers]
    before = _unit_sums(*unit_sums)
    after = _unit_sums(*[x[unit_of_cell] - y for x, y in zip(unit_sums, cell_sums, strict=True)])
    change = after - before[unit_of_cell]
    changes_by_rater = np.stack(
        [np.bincount(rater_of_cell, weights=x, minlength=w) for x in change.T], axis=1
    )
    counts, totals, squares = unit_sums
    alpha, imprecise = update_alpha(counts, totals, squares, changes_by_rater.astype(np.float64))
    for w_imprecise in np.flatnonzero(imprecise):
        keep = rater_code != w_imprecise
        alpha[w_imprecise] = krippendorff_alpha(
            unit_code[keep], number[keep], bootstrap=BootstrapSpec(0)
        ).value
    return raters, alpha


def alpha_without_each_unit(unit: ArrayLike, value: ArrayLike) -> tuple[NDArray[Any], Floats]:
    """Return the units (u,) with two values or more, ascending, and the interval alpha without each of them (u,).

    >>> alpha_without_each_unit([1, 1, 2, 2, 3, 3], [1, 1, 2, 3, 3, 3])[1].round(3).tolist()
    [-0.0, 1.0, 0.727]
    """
    number = finite_numbers("value", value)
    units, code = np.unique(check_ids("unit", unit, len(number)), return_inverse=True)
    point = center_and_scale(number)
    counts, totals, squares = (
        np.bincount(code, weights=x, minlength=len(units)).astype(np.float64)
        for x in (np.ones(len(point)), point, point**2)
    )
    alpha, _ = update_alpha(counts, totals, squares, -_unit_sums(counts, totals, squares))
    return units[counts > 1], alpha[counts > 1]


def update_alpha(
    counts: Floats, totals: Floats, squares: Floats, changes: Floats
) -> tuple[Floats, NDArray[np.bool_]]:
    """Return interval alpha (w,) after each of w changes (w, 4) of the sums of all units, and which are imprecise (w,).

    A change is in the number of values, their total, their squares and n SS / (n - 1), of units with two values or
    more. Alpha is imprecise where almost no variance remains.
    """
    before = _unit_sums(counts, totals, squares).sum(axis=0)
    sums = before + changes
    sums[:, 0] = np.rint(sums[:, 0])
    spread = sums[:, 0] * sums[:, 2] - sums[:, 1] ** 2
    return _alpha_from_sums(sums, 0.0), (spread < 1e-6 * sums[:, 0] * before[2]) & (sums[:, 0] > 0)


def _unit_sums(counts: Floats, totals: Floats, squares: Floats) -> Floats:
    """Return count, total, squares and n SS / (n - 1) of each unit (u, 4), 0 for units of one value."""
    counts = np.rint(counts)
    is_paired = counts > 1
    n = np.where(is_paired, counts, 2)
    within = n / (n - 1) * np.maximum(squares - totals**2 / n, 0.0)
    return np.stack([counts, totals, squares, within], axis=1) * is_paired[:, None]


def _alpha_from_sums(sums: Floats, smallest: float) -> Floats:
    """Return alpha from sums (…, 4) of units, NaN where N SS is not above `smallest`."""
    n, total, squares, within = np.moveaxis(sums, -1, 0)
    total_variation = n * squares - total**2
    defined = (total_variation > smallest) & (n > 1)
    return np.where(defined, 1 - within * (n - 1) / np.where(defined, total_variation, 1), nan)
