"""How far raters give the same thing the same value, beyond what chance would: alpha and the kappas.

Alpha compares the squared differences within units with those between any two values. For interval data these
are sums of squares, so that three sums per unit are enough. The other levels come down to the same: ordinal
differences are those of mean ranks (half the values at a step and all below it), and ratio differences,
((v - w) / (v + w))² = tanh²((log v - log w) / 2), are those of points in a space of some 150 dimensions. So
nothing here needs a table of values by values.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import inf, isfinite, nan, pi, sqrt
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from analysis.agreement.intraclass import Intraclass, icc
from analysis.resampling.draws import blocks, times_picked
from analysis.resampling.intervals import by_error, percentiles
from analysis.values.errors import InputError
from analysis.values.estimate import BootstrapSpec, Estimate

__all__ = [
    "Intraclass",
    "Level",
    "alpha_without_each",
    "cohen_kappa",
    "fleiss_kappa",
    "icc",
    "interval_alpha",
    "krippendorff_alpha",
]

Floats = NDArray[np.float64]
OnProgress = Callable[[float], object] | None
Level = Literal["nominal", "ordinal", "interval", "ratio"]
LEVELS: tuple[Level, ...] = ("nominal", "ordinal", "interval", "ratio")

MOST_DRAWN = 5_000
"""Units up to which intervals are drawn; above, the delta method says the same in no time."""
BLOCK = 2_000_000
"""Numbers in memory per block of draws or dimensions."""
EQUAL = 1e-12
"""A sum of squares around the mean up to this share of that around the given origin is rounding."""

NO_PAIRS = "no unit has two values"
ALL_EQUAL = "everyone gave the same value, so there is nothing to agree on"
ONE_UNIT = "a single unit does not show how units differ, so there is no interval"
FEW_DRAWS = "in more than half of the draws everyone gave the same value, so there is no interval"


def krippendorff_alpha(
    unit: ArrayLike,
    value: ArrayLike,
    level: Level = "interval",
    bootstrap: BootstrapSpec | None = None,
    on_progress: OnProgress = None,
) -> Estimate:
    """Krippendorff's alpha of values given to units by any number of raters.

    Parameters
    ----------
    unit : (N,) ids; equal ids are the same unit
    value : (N,) finite numbers; for nominal data labels of any sortable kind
    level : what differences mean: "nominal" (any two differ alike), "ordinal", "interval" or "ratio"
    bootstrap : of the interval, 1,000 draws by default
    on_progress : called between blocks of draws with the share done

    Returns
    -------
    Estimate
        n = units with two values or more. Undefined where there is no such unit, or where all values of such
        units are equal.

    Raises
    ------
    InputError
        for an unknown level, lengths that differ, values that are missing or not finite, negative ones at the
        ratio level.

    Notes
    -----
    Answers: do raters reproduce each other's values, severity included? 1: always; 0: as any two values of the
    data do; below: less. Not for "do they order units alike" (a correlation), and not comparable between data
    with few and with many different units: without spread between units alpha is low however close raters are.
    Units with one value do not count. The interval resamples units, with the whole estimate in each draw, and
    takes percentiles of the draws in which alpha is defined, widened where units are few
    (`analysis.resampling.intervals.percentiles`); it is one for *these* raters. Above 5,000 units it
    is the delta method's (normal). Memory and time grow with the number of values, not with its square.
    Source: Krippendorff 2011, "Computing Krippendorff's alpha-reliability", section D.

    >>> krippendorff_alpha([1, 1, 2, 2, 3, 3], [1, 1, 2, 3, 3, 3], "nominal").value.__round__(4)
    0.5455
    """
    spec = BootstrapSpec() if bootstrap is None else bootstrap
    if level not in LEVELS:
        raise InputError(f"`level` must be one of {', '.join(map(repr, LEVELS))}, got {level!r}")
    given = _labels("value", value) if level == "nominal" else _numbers("value", value)
    if level == "ratio" and given.size and given.min() < 0:
        raise InputError(
            f"`value` must not be negative at the ratio level, got {given.min()}; "
            "take the interval level, or add what makes zero mean nothing"
        )
    table = _table(unit, given)
    n = len(table.counts)
    if n == 0:
        return Estimate(nan, n=0, reason=NO_PAIRS)
    if len(table.values) == 1:
        return Estimate(nan, n=n, reason=ALL_EQUAL)
    if level == "interval":
        point = _scaled(table.values)
        total, squares = table.given @ point, table.given @ point**2
        return interval_alpha(table.counts, total, squares, spec)
    measured = (
        _Nominal(table) if level == "nominal" else _Ordinal(table) if level == "ordinal" else _Ratio(table)
    )
    return _estimate(measured, table, spec, on_progress)


def interval_alpha(
    count: ArrayLike, total: ArrayLike, squares: ArrayLike, bootstrap: BootstrapSpec | None = None
) -> Estimate:
    """Krippendorff's alpha of interval data, from three sums per unit.

    Parameters
    ----------
    count : (u,) number of values of each unit
    total : (u,) their sum
    squares : (u,) the sum of their squares
    bootstrap : of the interval, 1,000 draws by default

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
    The interval is drawn or, above 5,000 units, the delta method's.
    Source: Krippendorff 2011, section D, with the interval difference written as sums of squares.

    >>> interval_alpha([2, 2, 2], [2, 5, 6], [2, 13, 18]).value.__round__(4)
    0.8276
    """
    spec = BootstrapSpec() if bootstrap is None else bootstrap
    counts, totals, squared = (
        _numbers(name, given) for name, given in (("count", count), ("total", total), ("squares", squares))
    )
    if len({len(counts), len(totals), len(squared)}) > 1:
        raise InputError(
            "`count`, `total` and `squares` need one entry per unit each, "
            f"got {len(counts)}, {len(totals)} and {len(squared)}"
        )
    if counts.size and counts.min() < 0:
        raise InputError(f"`count` must not be negative, got {counts.min():g}")
    several = counts > 1
    counts, totals, squared = counts[several], totals[several], squared[several]
    n = len(counts)
    if n == 0:
        return Estimate(nan, n=0, reason=NO_PAIRS)
    centre, origin = totals.sum() / counts.sum(), squared.sum()
    squared = squared - 2 * centre * totals + centre**2 * counts
    totals = totals - centre * counts
    within = counts / (counts - 1) * np.maximum(squared - totals**2 / counts, 0.0)
    sums = np.stack([counts, totals, squared, within], axis=1)
    smallest = EQUAL * float(counts.sum()) * float(origin)
    value = float(_alpha_of_sums(sums.sum(axis=0), smallest))
    if not isfinite(value):
        return Estimate(nan, n=n, reason=ALL_EQUAL)
    if n > MOST_DRAWN:
        return _delta(value, _influence_of_sums(sums), spec)
    drawn = _drawn(n, 0, spec, lambda weights: _alpha_of_sums(weights @ sums, smallest), None)
    return _percentiles(value, drawn, n, spec)


def alpha_without_each(unit: ArrayLike, rater: ArrayLike, value: ArrayLike) -> tuple[NDArray[Any], Floats]:
    """Interval alpha of the data without each rater in turn.

    Parameters
    ----------
    unit, rater : (N,) ids
    value : (N,) finite numbers

    Returns
    -------
    (w,) raters in ascending order, (w,) alpha without each
        NaN where no unit keeps two values, or all that is left is equal.

    Raises
    ------
    InputError
        where lengths differ or a value is missing or not finite.

    Notes
    -----
    Answers: who pulls the agreement down? Alpha is higher without such a rater. Not a verdict: with few raters
    the one who is right may stand alone. The sums of all are updated by what a rater's own units change, so that
    all raters together cost as much as one alpha.
    Source: methods, section 3 ("alpha with and without the rater"); Krippendorff 2011, section D.

    >>> alpha_without_each([1, 1, 1, 2, 2, 2], ["a", "b", "c"] * 2, [1, 1, 5, 2, 2, 1])[1].round(2)
    array([-0.19, -0.19,  1.  ])
    """
    number = _numbers("value", value)
    units, unit_code = np.unique(_ids("unit", unit, len(number)), return_inverse=True)
    raters, rater_code = np.unique(_ids("rater", rater, len(number)), return_inverse=True)
    w = len(raters)
    if w == 0:
        return raters, np.empty(0)
    point = _scaled(number)
    cell, place = np.unique(rater_code * len(units) + unit_code, return_inverse=True)
    who, which = np.divmod(cell, len(units))
    powers = [np.ones(len(point)), point, point**2]
    own = [np.bincount(place, weights=x).astype(np.float64) for x in powers]
    whole = [np.bincount(unit_code, weights=x).astype(np.float64) for x in powers]
    before = _unit_sums(*whole)
    after = _unit_sums(*[x[which] - y for x, y in zip(whole, own, strict=True)])
    change = after - before[which]
    left = np.stack([np.bincount(who, weights=x, minlength=w) for x in change.T], axis=1)
    sums = before.sum(axis=0) + left
    sums[:, 0] = np.rint(sums[:, 0])
    spread = sums[:, 0] * sums[:, 2] - sums[:, 1] ** 2
    alpha = _alpha_of_sums(sums, 0.0)
    lost = (spread < 1e-6 * sums[:, 0] * before[:, 2].sum()) & (sums[:, 0] > 0)
    for place_of in np.flatnonzero(lost):
        rest = rater_code != place_of
        alpha[place_of] = krippendorff_alpha(unit_code[rest], number[rest], bootstrap=BootstrapSpec(0)).value
    return raters, alpha


def cohen_kappa(first: ArrayLike, second: ArrayLike, bootstrap: BootstrapSpec | None = None) -> Estimate:
    """Cohen's kappa of two raters who labelled the same items.

    Parameters
    ----------
    first, second : (n,) labels of any sortable kind, one pair per item
    bootstrap : of the interval, 1,000 draws by default

    Returns
    -------
    Estimate
        n = items. Undefined without items and where both always gave one and the same label.

    Raises
    ------
    InputError
        where lengths differ, labels are of different kinds or missing.

    Notes
    -----
    Answers: how much more often do two raters agree than if each labelled at random with their own shares? Not
    for ordered labels, where near misses count (alpha, ordinal), nor for more than two raters (Fleiss' kappa).
    The interval resamples items and takes percentiles of the draws in which kappa is defined, widened where
    items are few.
    Source: Cohen 1960, "A coefficient of agreement for nominal scales".

    >>> cohen_kappa(["y", "y", "n", "n"], ["y", "n", "n", "n"]).value
    0.5
    """
    spec = BootstrapSpec() if bootstrap is None else bootstrap
    one, two = _labels("first", first), _labels("second", second)
    n = len(one)
    if n != len(two):
        raise InputError(f"`first` and `second` need one label per item each, got {n} and {len(two)}")
    if n == 0:
        return Estimate(nan, n=0, reason="there are no items")
    if (one.dtype.kind in "US") != (two.dtype.kind in "US"):
        raise InputError(
            f"labels of `first` and `second` must be of one kind, text or numbers; got {one.dtype} and {two.dtype}"
        )
    labels, code = np.unique(np.concatenate([one, two]), return_inverse=True)
    if len(labels) == 1:
        return Estimate(nan, n=n, reason=ALL_EQUAL)
    pairs, times = np.unique(code[:n] * len(labels) + code[n:], return_counts=True)
    rows, columns = np.divmod(pairs, len(labels))
    k, shape = np.arange(len(pairs)), (len(pairs), len(labels))
    ones = np.ones(len(pairs))
    of_first, of_second = (sparse.csr_array((ones, (k, place)), shape=shape) for place in (rows, columns))

    def kappa(drawn: Floats) -> Floats:
        agreed = drawn[:, rows == columns].sum(axis=1) / n
        chance = ((drawn @ of_first) * (drawn @ of_second)).sum(axis=1) / n**2
        return _chance_corrected(agreed, chance)

    value = float(kappa(times[None, :].astype(np.float64))[0])
    rng = np.random.default_rng(spec.seed)
    drawn = [
        kappa(rng.multinomial(n, times / n, size=block.stop - block.start).astype(np.float64))
        for block in blocks(spec.draws, BLOCK // (len(pairs) + len(labels)))
    ]
    return _percentiles(value, np.concatenate([np.empty(0), *drawn]), n, spec)


def fleiss_kappa(unit: ArrayLike, value: ArrayLike, bootstrap: BootstrapSpec | None = None) -> Estimate:
    """Fleiss' kappa of labels given to units by any number of raters.

    Parameters
    ----------
    unit : (N,) ids; equal ids are the same unit
    value : (N,) labels of any sortable kind
    bootstrap : of the interval, 1,000 draws by default

    Returns
    -------
    Estimate
        n = units with two labels or more. Undefined where there is no such unit, or where all labels of such
        units are equal.

    Raises
    ------
    InputError
        where lengths differ or labels are missing.

    Notes
    -----
    Answers: how much more often do two raters of a unit agree than any two labels of the data would? Raters may
    differ from unit to unit. Not for ordered labels (alpha, ordinal). With unequal numbers n_u of labels, of
    which x_uv are v, and m units: kappa = 1 - (sum over units of n_u - sum of x_uv² / n_u) / ((N - m) (1 - sum of
    p_v²)), p_v the share of v among all N labels; with equal numbers this is Fleiss 1971. Units with one label do
    not count. Intervals as in `krippendorff_alpha`.
    Source: Fleiss 1971; Fleiss, Levin & Paik 2003, "Statistical methods for rates and proportions", section 18.3.

    >>> fleiss_kappa([1, 1, 1, 2, 2, 2], ["a", "a", "a", "b", "b", "a"]).value.__round__(4)
    0.25
    """
    spec = BootstrapSpec() if bootstrap is None else bootstrap
    table = _table(unit, _labels("value", value))
    n = len(table.counts)
    if n == 0:
        return Estimate(nan, n=0, reason=NO_PAIRS)
    if len(table.values) == 1:
        return Estimate(nan, n=n, reason=ALL_EQUAL)
    return _estimate(_Fleiss(table), table, spec, None)


@dataclass(frozen=True, eq=False)
class _Table:
    """Units with two values or more: `given` (u, v) how often each value, sparse; `counts` (u,), `values` (v,)."""

    given: Any
    counts: Floats
    values: NDArray[Any]


def _table(unit: ArrayLike, value: NDArray[Any]) -> _Table:
    units, place = np.unique(_ids("unit", unit, len(value)), return_inverse=True)
    several = (np.bincount(place, minlength=len(units)) > 1)[place] if len(value) else np.zeros(0, np.bool_)
    _, place = np.unique(place[several], return_inverse=True)
    values, code = np.unique(value[several], return_inverse=True)
    shape = int(place.max(initial=-1)) + 1, len(values)
    given = sparse.csr_array((np.ones(len(place)), (place, code)), shape=shape)
    given.sum_duplicates()
    return _Table(given, np.bincount(place).astype(np.float64), values)


class _Nominal:
    """Alpha where any two different values differ by 1; the base of the others.

    `weigh` turns weights (b, u) of units into alpha (b,), `influence` says what each unit does to alpha (u,).
    """

    def __init__(self, table: _Table) -> None:
        self.table = table
        self.weight = 1 / (table.counts - 1)
        self.within = self.weight * self.pairs(table.given)

    def pairs(self, counts: Any) -> Floats:
        """Sum of the squared differences of all ordered pairs of values in each row."""
        return np.asarray(counts.sum(axis=1) ** 2 - (counts * counts).sum(axis=1), dtype=np.float64)

    def weigh(self, weights: Floats) -> Floats:
        marginal = weights @ self.table.given
        return _alpha(weights @ self.within, self.pairs(marginal), weights @ self.table.counts)

    def to_all(self, marginal: Floats) -> Floats:
        """Sum of the squared differences of each value from all values of the data."""
        found: Floats = marginal.sum() - marginal
        return found

    def changes(self, marginal: Floats) -> tuple[Floats, Floats]:
        """What one more of each value adds to the differences within units, and between all."""
        return np.zeros(len(marginal)), 2 * self.to_all(marginal)

    def influence(self) -> Floats:
        marginal = np.asarray(self.table.given.sum(axis=0), dtype=np.float64)
        within, n = float(self.within.sum()), float(marginal.sum())
        between = float(self.pairs(marginal[None, :])[0])
        of_within, of_between = self.changes(marginal)
        inside = self.within + self.table.given @ of_within
        among = self.table.given @ of_between
        found: Floats = -(
            (n - 1) / between * inside
            + within / between * self.table.counts
            - (n - 1) * within / between**2 * among
        )
        return found


class _Fleiss(_Nominal):
    """Kappa: each unit's disagreement counts by its number of labels, less one for each unit."""

    def __init__(self, table: _Table) -> None:
        super().__init__(table)
        self.within = self.within * (table.counts - 1) / table.counts

    def weigh(self, weights: Floats) -> Floats:
        n, m = weights @ self.table.counts, weights.sum(axis=1)
        chance = self.pairs(weights @ self.table.given) / n**2
        return _chance_corrected(1 - (weights @ self.within) / (n - m), 1 - chance)

    def influence(self) -> Floats:
        marginal = np.asarray(self.table.given.sum(axis=0), dtype=np.float64)
        counts, n, m = self.table.counts, float(marginal.sum()), len(self.table.counts)
        between = float(self.pairs(marginal[None, :])[0])
        ratio = float(self.within.sum()) * n**2 / ((n - m) * between)
        among = self.table.given @ (2 * self.to_all(marginal))
        log = self.within / self.within.sum() if self.within.any() else np.zeros(m)
        found: Floats = -ratio * (log + 2 * counts / n - (counts - 1) / (n - m) - among / between)
        return found


class _Ordinal(_Nominal):
    """Alpha where two values differ by how many values of the data lie between them."""

    def __init__(self, table: _Table) -> None:
        self.table = table
        self.weight = 1 / (table.counts - 1)
        self.rank = _mean_ranks(np.asarray(table.given.sum(axis=0), dtype=np.float64))
        self.within = self.weight * self.pairs(table.given)

    def pairs(self, counts: Any) -> Floats:
        return _squared_differences(counts, self.rank[:, None])

    def weigh(self, weights: Floats) -> Floats:
        given, counts = self.table.given, self.table.counts
        marginal = weights @ given
        rank = _mean_ranks(marginal) / marginal.sum(axis=1, keepdims=True)
        squares, totals = given @ (rank**2).T, given @ rank.T
        within = 2 * (counts[:, None] * squares - totals**2) * self.weight[:, None]
        n = weights @ counts
        between = 2 * (n * (marginal * rank**2).sum(axis=1) - (marginal * rank).sum(axis=1) ** 2)
        return _alpha((weights.T * within).sum(axis=0), between, n)

    def to_all(self, marginal: Floats) -> Floats:
        rank, n = self.rank, marginal.sum()
        found: Floats = marginal @ rank**2 + n * rank**2 - 2 * (marginal @ rank) * rank
        return found

    def changes(self, marginal: Floats) -> tuple[Floats, Floats]:
        given, rank, n = self.table.given, self.rank, marginal.sum()
        scaled = given.T @ (self.weight * self.table.counts)
        pulled = given.T @ (self.weight * (given @ rank))
        within = _later(4 * (scaled * rank - pulled))
        between = _later(4 * (n * marginal * rank - marginal * (marginal @ rank)))
        return within, 2 * self.to_all(marginal) + between


class _Ratio(_Nominal):
    """Alpha where two values differ by their difference as a share of their sum; zero differs from all by 1."""

    def __init__(self, table: _Table) -> None:
        self.positive = table.values > 0
        self.log = np.log(table.values[self.positive].astype(np.float64))
        super().__init__(table)

    def weigh(self, weights: Floats) -> Floats:
        marginal = weights @ self.table.given
        several = (marginal > 0).sum(axis=1) > 1
        return np.where(several, super().weigh(weights), nan)

    def pairs(self, counts: Any) -> Floats:
        above = counts[:, self.positive]
        n, rest = counts.sum(axis=1), above.sum(axis=1)
        found = np.asarray(2 * rest * (n - rest), dtype=np.float64)
        for points in _points(self.log):
            found += _squared_differences(above, points)
        return found

    def to_all(self, marginal: Floats) -> Floats:
        above = marginal[self.positive]
        found: Floats = np.where(self.positive, marginal.sum() - above.sum(), above.sum())
        for points in _points(self.log):
            squares = (points**2).sum(axis=1)
            found[self.positive] += above @ squares + above.sum() * squares - 2 * (points @ (above @ points))
        return found


def _points(log: Floats) -> Iterator[Floats]:
    """Points (v, d) whose squared distances, added over all blocks, are tanh²((log v - log w) / 2).

    1 - tanh²(x / 2) is the integral over f of 2 f / sinh(pi f) cos(f x), and 1 - cos(f (x - y)) is half the squared
    distance of two points on a circle. Equal steps of f make an error of some exp(range - 2 pi / step).
    """
    if not len(log):
        return
    centred = log - log.mean()
    step = 2 * pi / (np.ptp(log) + 40)
    frequency = np.arange(step, 13, step)
    weight = np.sqrt(2 * step * frequency / np.sinh(pi * frequency))
    block = max(BLOCK // len(log), 1)
    for start in range(0, len(frequency), block):
        some = slice(start, start + block)
        half = centred[:, None] * frequency[some] / 2
        sine = 2 * weight[some] * np.sin(half)
        yield np.hstack([sine * np.sin(half), sine * np.cos(half)])


def _squared_differences(counts: Any, points: Floats) -> Floats:
    """Sum over all ordered pairs in each row of counts (k, v) of the squared distances of their points (v, d)."""
    squares = counts @ (points**2).sum(axis=1)
    found = 2 * (counts.sum(axis=1) * squares - ((counts @ points) ** 2).sum(axis=1))
    return np.maximum(np.asarray(found, dtype=np.float64), 0.0)


def _mean_ranks(marginal: Floats) -> Floats:
    """Half of what is at each value and all that is below it, less half of all; the last axis is the values."""
    whole = marginal.sum(axis=-1, keepdims=True)
    ranks: Floats = np.cumsum(marginal, axis=-1) - marginal / 2 - whole / 2
    return ranks


def _later(change: Floats) -> Floats:
    """What one more of each value does by raising the mean ranks of all values above it, and half its own."""
    return change[::-1].cumsum()[::-1] - change / 2


def _alpha(within: Floats, between: Floats, n: Floats) -> Floats:
    defined = between > 0
    return np.where(defined, 1 - (n - 1) * within / np.where(defined, between, 1), nan)


def _chance_corrected(agreed: Floats, chance: Floats) -> Floats:
    defined = chance < 1 - EQUAL
    return np.where(defined, (agreed - chance) / np.where(defined, 1 - chance, 1), nan)


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


def _influence_of_sums(sums: Floats) -> Floats:
    n, total, squares, within = sums.sum(axis=0)
    spread = n * squares - total**2
    by_spread = sums @ np.array([squares, -2 * total, n, 0.0])
    by_within = (n - 1) * sums[:, 3] + within * sums[:, 0]
    found: Floats = -(by_within - within * (n - 1) / spread * by_spread) / spread
    return found


def _estimate(measured: _Nominal, table: _Table, spec: BootstrapSpec, on_progress: OnProgress) -> Estimate:
    n = len(table.counts)
    value = float(measured.weigh(np.ones((1, n)))[0])
    if not isfinite(value):
        return Estimate(nan, n=n, reason=ALL_EQUAL)
    if n > MOST_DRAWN:
        return _delta(value, measured.influence(), spec)
    return _percentiles(value, _drawn(n, len(table.values), spec, measured.weigh, on_progress), n, spec)


def _drawn(
    units: int, values: int, spec: BootstrapSpec, figure: Callable[[Floats], Floats], on_progress: OnProgress
) -> Floats:
    """The figure of units drawn with replacement, (draws,)."""
    rng = np.random.default_rng(spec.seed)
    drawn = np.empty(spec.draws)
    for block in blocks(spec.draws, BLOCK // (units + values), on_progress):
        drawn[block] = figure(times_picked(rng, units, block.stop - block.start))
    return drawn


def _percentiles(value: float, drawn: Floats, n: int, spec: BootstrapSpec) -> Estimate:
    if spec.draws == 0:
        return Estimate(value, n=n)
    if n == 1:
        return Estimate(value, n=n, reason=ONE_UNIT)
    low, high = percentiles(value, drawn, spec.level, n)
    return Estimate(value, float(low), float(high), n, FEW_DRAWS if np.isnan(low) else "")


def _delta(value: float, influence: Floats, spec: BootstrapSpec) -> Estimate:
    n = len(influence)
    if spec.draws == 0:
        return Estimate(value, n=n)
    error = sqrt(n * float(influence.var(ddof=1)))
    low, high = by_error(value, error, spec.level, within=(-inf, 1.0))
    return Estimate(value, float(low), float(high), n)


def _scaled(values: Floats) -> Floats:
    """Less their mean and by the largest distance from it, which no alpha minds."""
    largest = float(np.abs(values).max(initial=0.0))
    centred = values / largest if largest > 0 else values
    centred = centred - (centred.mean() if centred.size else 0.0)
    return centred / (float(np.abs(centred).max(initial=0.0)) or 1.0)


def _ids(name: str, given: ArrayLike, length: int) -> NDArray[Any]:
    array = np.asarray(given)
    if array.shape != (length,):
        raise InputError(f"`{name}` needs one id per value, {length}, got an array of shape {array.shape}")
    return array


def _labels(name: str, given: ArrayLike) -> NDArray[Any]:
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


def _numbers(name: str, given: ArrayLike) -> Floats:
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
