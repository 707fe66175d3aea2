"""Krippendorff's alpha: agreement on the values of units beyond what chance would give.

Alpha compares the squared differences within units with those between any two values. For interval data these
are sums of squares, so that three sums per unit are enough; other levels have points in `disagreement`.
"""

from math import nan
from typing import Any, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.agreement.cluster_intervals import Clusters, clustered_interval
from analysis.agreement.disagreement import Level, level_points, scaled
from analysis.agreement.ratio_intervals import (
    ALL_EQUAL,
    NO_PAIRS,
    ItemSums,
    item_sums,
    ratio_value,
    squared_rows,
)
from analysis.agreement.units import EQUAL, ids_of, labels_of, unit_table
from analysis.values.columns import finite_numbers
from analysis.values.errors import InputError
from analysis.values.estimate import BootstrapSpec, Estimate
from analysis.values.types import Floats, OnProgress

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


def interval_sums(count: Floats, total: Floats, squares: Floats) -> ItemSums:
    """Return the sums of the alpha of interval data from three sums (u,) per unit, around the mean of all values."""
    several = count > 1
    count, total, squares = count[several], total[several], squares[several]
    if not len(count):
        return item_sums(count, squares, total[:, None])
    center, origin = total.sum() / count.sum(), float(squares.sum())
    squares = squares - 2 * center * total + center**2 * count
    if squares.sum() <= EQUAL * origin:  # the values differ by rounding only
        total, squares, center = np.zeros(len(count)), np.zeros(len(count)), 0.0
    return item_sums(count, squares, (total - center * count)[:, None])


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
