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
    squared_rows,
)
from analysis.values.estimate import BootstrapSpec, Estimate, Floats, InputError, OnProgress
from analysis.values.ratings import finite_numbers

ONE_UNIT = "a single unit does not show how units differ, so there is no interval"
ONE_HOLDS_ALL = "without one of the units everyone gave the same value, so there is no interval"
NO_DIFFERENCE = "all units agree alike, so they do not show how units differ, and there is no interval"


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


Level = Literal["nominal", "ordinal", "interval", "ratio"]
_BLOCK = 2_000_000
_ROUNDING = 1e-15


def level_points(level: Level, values: NDArray[Any], marginal: Floats) -> Any:
    """Return the points (v, c) of ascending values (v,) that occur as often as `marginal` (v,) says.

    Ranks are those of all values of the data, also where items are left out.
    Source: Krippendorff 2011, section D.
    """
    if level == "nominal":
        return sparse.identity(len(values), format="csr")
    if level == "ordinal":
        ranks = np.cumsum(marginal) - marginal / 2
        return scaled(ranks)[:, None]
    return scaled(values.astype(np.float64))[:, None] if level == "interval" else _ratio_points(values)


def scaled(values: Floats) -> Floats:
    """Return values less their mean, divided by the largest distance from it."""
    largest = float(np.abs(values).max(initial=0.0))
    centered = values / largest if largest > 0 else values
    centered = centered - (centered.mean() if centered.size else 0.0)
    return centered / (float(np.abs(centered).max(initial=0.0)) or 1.0)


def _ratio_points(values: NDArray[Any]) -> Floats:
    """Return points (v, c) with squared distances tanh²((log v - log w) / 2); zero is at distance 1 from all others.

    1 - tanh²(x / 2) is the integral over f of 4 f / sinh(pi f) cos(f x), and 1 - cos(f (x - y)) is half the squared
    distance of two points on a circle. Equal steps of f make an error of some exp(range - 2 pi / step). Directions
    along which the points do not differ are dropped.
    """
    number = values.astype(np.float64)
    positive = number > 0
    log = np.log(number[positive])
    log = log - (log.mean() if len(log) else 0.0)
    step = 2 * pi / ((np.ptp(log) if len(log) else 0.0) + 40)
    frequency = np.arange(step, 13, step)
    weight = np.sqrt(2 * step * frequency / np.sinh(pi * frequency))
    zero = np.concatenate([weight, np.zeros_like(weight), [np.sqrt(1 - (weight**2).sum())]])

    def circles(some: Floats) -> Floats:
        half = some[:, None] * frequency / 2
        sine = 2 * weight * np.sin(half)
        return np.hstack([sine * np.sin(half), sine * np.cos(half), np.zeros((len(some), 1))])

    size = max(_BLOCK // len(zero), 1)
    parts = [log[at : at + size] for at in range(0, len(log), size)]
    products = sum(
        (circles(part).T @ circles(part) for part in parts), np.outer(zero, zero) * (~positive).any()
    )
    variance, directions = np.linalg.eigh(products)
    kept = directions[:, variance > _ROUNDING * variance[-1]]
    points = np.empty((len(number), kept.shape[1]))
    points[~positive] = zero @ kept
    points[positive] = np.vstack([circles(part) @ kept for part in parts] or [np.empty((0, kept.shape[1]))])
    return points


Weights = Literal["identity", "linear", "quadratic", "ordinal"]


def credit(values: NDArray[Any], weights: Weights) -> Floats:
    """(q, q) from ascending values (q,): 1 for equal ones, 0 for those furthest apart, or for all that differ.

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
    """Krippendorff's alpha of values given to units by any number of raters.

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
        units are equal. No interval below 5 units and without any disagreement, with the reason. `warning` says
        where the interval is not to be relied on.

    Raises
    ------
    InputError
        for an unknown level, lengths that differ, values that are missing or not finite, negative ones at the
        ratio level.

    Notes
    -----
    1: always; 0: as any two values of the data do; below: less. Not for "do they order units alike" (a correlation),
    and not comparable between data with few and with many different units: without spread between units alpha is low
    however close raters are. Units with one value do not count. The interval is one for *these* raters: over units
    (`analysis.agreement.ratio_intervals`), or over the topics, or the systems and topics, that they belong to
    (`analysis.agreement.cluster_intervals`). Ordinal ranks are those of all values. Memory and time grow with the
    number of values, not with its square.
    Source: Krippendorff 2011, "Computing Krippendorff's alpha-reliability", section D.

    >>> krippendorff_alpha([1, 1, 2, 2, 3, 3], [1, 1, 2, 3, 3, 3], "nominal").value.__round__(4)
    0.5455
    """
    spec = BootstrapSpec() if bootstrap is None else bootstrap
    if level not in LEVELS:
        raise InputError(f"`level` must be one of {', '.join(map(repr, LEVELS))}, got {level!r}")
    given = labels_of("value", value) if level == "nominal" else finite_numbers("value", value)
    if level == "ratio" and given.size and given.min() < 0:
        raise InputError(
            f"`value` must not be negative at the ratio level, got {given.min()}; "
            "take the interval level, or add what makes zero mean nothing"
        )
    table = unit_table(unit, given)
    if not len(table.counts):
        return Estimate(nan, n=0, reason=NO_PAIRS)
    points = level_points(level, table.values, np.asarray(table.given.sum(axis=0), dtype=np.float64).ravel())
    unanimous = np.diff(table.given.indptr) == 1
    sums = item_sums(table.counts, table.given @ squared_rows(points), table.given @ points, unanimous)
    if not spec.draws:
        return _without_interval(sums)
    clusters = Clusters.of_ratings(unit, table.units, system, topic)
    return clustered_interval(sums, clusters, spec.level, on_progress)


def _without_interval(sums: ItemSums) -> Estimate:
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
    """Krippendorff's alpha of interval data, from three sums per unit.

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
    Answers what `krippendorff_alpha` does, for data that a database has summed up. Sums should be of the values
    less a number near their mean: sums of squares far from it have lost the digits that matter.
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
        return _without_interval(sums)
    return clustered_interval(sums, Clusters.of_items(counts > 1, system, topic), spec.level)


def alpha_without_each(unit: ArrayLike, rater: ArrayLike, value: ArrayLike) -> tuple[NDArray[Any], Floats]:
    """Interval alpha of the data without each rater in turn: raters (w,) ascending, alpha (w,).

    The sums of all are updated by what a rater's own units change, so that all raters cost as much as one alpha.
    A rater without whom alpha is higher pulls the agreement down, but with few raters may be the one who is right.

    >>> alpha_without_each([1, 1, 1, 2, 2, 2], ["a", "b", "c"] * 2, [1, 1, 5, 2, 2, 1])[1].round(2)
    array([-0.19, -0.19,  1.  ])
    """
    number = finite_numbers("value", value)
    units, unit_code = np.unique(ids_of("unit", unit, len(number)), return_inverse=True)
    raters, rater_code = np.unique(ids_of("rater", rater, len(number)), return_inverse=True)
    w = len(raters)
    if w == 0:
        return raters, np.empty(0)
    point = scaled(number)
    cell, place = np.unique(rater_code * len(units) + unit_code, return_inverse=True)
    who, which = np.divmod(cell, len(units))
    powers = [np.ones(len(point)), point, point**2]
    own = [np.bincount(place, weights=x).astype(np.float64) for x in powers]
    whole = [np.bincount(unit_code, weights=x).astype(np.float64) for x in powers]
    before = _unit_sums(*whole)
    after = _unit_sums(*[x[which] - y for x, y in zip(whole, own, strict=True)])
    change = after - before[which]
    left = np.stack([np.bincount(who, weights=x, minlength=w) for x in change.T], axis=1)
    counts, totals, squares = whole
    alpha, lost = alpha_of_changes(counts, totals, squares, left.astype(np.float64))
    for place_of in np.flatnonzero(lost):
        rest = rater_code != place_of
        alpha[place_of] = krippendorff_alpha(unit_code[rest], number[rest], bootstrap=BootstrapSpec(0)).value
    return raters, alpha


def alpha_without_each_unit(unit: ArrayLike, value: ArrayLike) -> tuple[NDArray[Any], Floats]:
    """Interval alpha of the data without each unit in turn: units (u,) with two values or more, ascending, alpha (u,).

    >>> alpha_without_each_unit([1, 1, 2, 2, 3, 3], [1, 1, 2, 3, 3, 3])[1].round(3).tolist()
    [-0.0, 1.0, 0.727]
    """
    number = finite_numbers("value", value)
    units, code = np.unique(ids_of("unit", unit, len(number)), return_inverse=True)
    point = scaled(number)
    counts, totals, squares = (
        np.bincount(code, weights=x, minlength=len(units)).astype(np.float64)
        for x in (np.ones(len(point)), point, point**2)
    )
    alpha, _ = alpha_of_changes(counts, totals, squares, -_unit_sums(counts, totals, squares))
    return units[counts > 1], alpha[counts > 1]


def alpha_of_changes(
    counts: Floats, totals: Floats, squares: Floats, changes: Floats
) -> tuple[Floats, NDArray[np.bool_]]:
    """Interval alpha (w,) after each of w changes (w, 4) of what all units (u,) add up to, and where digits are lost.

    A change is in the number of values, their total, their squares and n SS / (n - 1), of units with two values or
    more. Digits are lost where hardly any spread is left.
    """
    before = _unit_sums(counts, totals, squares).sum(axis=0)
    sums = before + changes
    sums[:, 0] = np.rint(sums[:, 0])
    spread = sums[:, 0] * sums[:, 2] - sums[:, 1] ** 2
    return _alpha_of_sums(sums, 0.0), (spread < 1e-6 * sums[:, 0] * before[2]) & (sums[:, 0] > 0)


def _unit_sums(counts: Floats, totals: Floats, squares: Floats) -> Floats:
    """(u, 4): count, total, squares and n SS / (n - 1) of each unit, 0 where there are no two values."""
    counts = np.rint(counts)
    several = counts > 1
    safe = np.where(several, counts, 2)
    within = safe / (safe - 1) * np.maximum(squares - totals**2 / safe, 0.0)
    return np.stack([counts, totals, squares, within], axis=1) * several[:, None]


def _alpha_of_sums(sums: Floats, smallest: float) -> Floats:
    """Alpha of sums (…, 4) of units, NaN where N SS is not above `smallest`."""
    n, total, squares, within = np.moveaxis(sums, -1, 0)
    spread = n * squares - total**2
    defined = (spread > smallest) & (n > 1)
    return np.where(defined, 1 - within * (n - 1) / np.where(defined, spread, 1), nan)
