"""Intervals of agreement figures 1 - O / E: observed over expected disagreement, both of sums over items.

Krippendorff's alpha, Fleiss' and Conger's kappa and ICC(1,1) have this form. The interval is the hull of three: the
delete-one jackknife and the bootstrap-t of z = atanh(1 - O / E), and Fieller's interval of the ratio. It is then
widened by what a few informative items leave unknown.
"""

from dataclasses import dataclass
from functools import lru_cache
from math import inf, nan, tanh
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from analysis.resampling.intervals import Z_BOUND, blocks, fisher_z, quantile_of_t
from analysis.values.estimate import Estimate, Floats, OnProgress

BOOTSTRAP_SAMPLES, SEED = 999, 1
MOST_RESAMPLED = 2_000
"""Items up to which the bootstrap-t is part of the hull; above, the other two agree with it."""
FEWEST = 5
"""Items below which there is no interval."""
FEW_ITEMS = 20
"""Items below which an interval is shown with a warning."""
FEW_INFORMATIVE = 5.0
"""Effective number of items below which an interval is shown with a warning."""
MOST_UNANIMOUS = 0.6
"""Share of items with one and the same unanimous value above which few items carry the figure."""
NO_SPREAD = 1e-12
"""Share of the values' squares up to which their spread is rounding, and of E up to which O is."""
_EDGE = 0.999
FEW_ROWS = 1_000
"""Rows up to which the weights of bootstrap samples are kept, 8 MB for 1,000."""
_BLOCK = 8_000_000

NO_PAIRS = "no item has two ratings"
ALL_EQUAL = "everyone gave the same value, so there is nothing to agree on"


def too_few(n: int, unit: str = "items") -> str:
    """Return the reason for which so few items or clusters have no interval.

    >>> too_few(1), too_few(4, "topics")
    ('1 item with two ratings; an interval needs 5', '4 topics; an interval needs 5')
    """
    named = f"{n} {unit[:-1] if n == 1 else unit}"
    return (
        f"{named} with two ratings; an interval needs {FEWEST}"
        if unit == "items"
        else f"{named}; an interval needs {FEWEST}"
    )


def no_disagreement(n: int) -> str:
    """Return the reason for which items without any disagreement have no interval."""
    return f"no disagreement on {n} item{'' if n == 1 else 's'}"


@dataclass(frozen=True, eq=False)
class ItemSums:
    """Sums of each of n items, or of clusters of items, from which 1 - O / E is computed.

    O = sum of `within` / sum of `compared`: `compared` (n,) is the weight of an item in O, 0 without two values, and
    `within` (n,) that weight times the item's disagreement. E = (N Q - |S|²) / (N (N - `correction`)) with the number N
    of values, their squares Q and their sum S over all items, from `count` (n,), `squares` (n,) and `totals` (n, c):
    points in c dimensions, dense or sparse, of which half the squared distance is what two values differ by. Where
    `product` (c, c) is given it takes the place of the inner product of points.
    """

    compared: Floats
    within: Floats
    count: Floats
    squares: Floats
    totals: Any
    correction: float = 1.0
    product: Floats | None = None

    @property
    def paired(self) -> int:
        """Number of items with two values or more."""
        return int((self.compared > 0).sum())

    def grouped(self, cluster: NDArray[np.int64]) -> "ItemSums":
        """Return the sums of clusters, numbered from 0 by `cluster` (n,)."""
        members = members_of(cluster)
        return ItemSums(
            members @ self.compared,
            members @ self.within,
            members @ self.count,
            members @ self.squares,
            members @ self.totals,
            self.correction,
            self.product,
        )

    def observed(self, weights: Floats) -> Floats:
        """Return O (b,) with items as often as the weights (b, n) say."""
        return _ratio(weights @ self.within, weights @ self.compared)

    def expected(self, weights: Floats) -> Floats:
        """Return E (b,) with items as often as the weights (b, n) say."""
        n, total = weights @ self.count, _dense(weights @ self.totals)
        return self._spread(n, weights @ self.squares, (self._mapped(total) * total).sum(axis=-1))

    def without_each(self) -> tuple[Floats, Floats]:
        """Return O and E without each item (n,)."""
        o = _ratio(self.within.sum() - self.within, self.compared.sum() - self.compared)
        whole = _dense(self.totals.sum(axis=0)).ravel()
        mapped = self._mapped(whole)
        around = whole @ mapped - 2 * _dense(self.totals @ mapped).ravel() + self._squared_totals()
        return o, self._spread(self.count.sum() - self.count, self.squares.sum() - self.squares, around)

    def influence_on_observed(self, weights: Floats) -> Floats:
        """Return by how much each item (b, n) moves O, times their number; 0 on average over the weights."""
        typical = (weights @ self.compared) / weights.sum(axis=1)
        moved = self.within - self.observed(weights)[:, None] * self.compared
        return np.asarray(moved / typical[:, None])

    def influence_on_expected(self, weights: Floats) -> Floats:
        """Return by how much each item (b, n) moves E, times their number; 0 on average over the weights."""
        n = weights @ self.count
        mean = _dense(weights @ self.totals) / n[:, None]
        mapped = self._mapped(mean)
        slope = 2 * (mapped * mean).sum(axis=1) - (weights @ self.squares) / n
        moved = self.squares - 2 * _dense(self.totals @ mapped.T).T + slope[:, None] * self.count
        return np.asarray(moved * (weights.sum(axis=1) / (n - self.correction))[:, None])

    def parts(self) -> tuple[Floats, Floats]:
        """Return what each item (n,) adds to O and to E, none of it negative."""
        mean = _dense(self.totals.sum(axis=0)).ravel() / self.count.sum()
        mapped = self._mapped(mean)
        of_e = self.squares - 2 * _dense(self.totals @ mapped).ravel() + (mean @ mapped) * self.count
        return self.within, np.maximum(of_e, 0.0)

    def informative(self) -> float:
        """Return the effective number of items that carry O or E, whichever is fewer (Kish 1965)."""
        return min(float(part.sum() ** 2 / max(float((part**2).sum()), 1e-300)) for part in self.parts())

    def unanimous_share(self) -> float:
        """Return the share of the paired items that have the commonest unanimous value."""
        alike = (self.compared > 0) & (self.within <= NO_SPREAD * max(self.squares.sum(), 1e-300))
        if not alike.any():
            return 0.0
        line = np.random.default_rng(0).normal(size=self.totals.shape[1])
        place = _dense(self.totals @ line).ravel()[alike] / self.count[alike]
        scale = float(np.abs(place).max()) or 1.0
        return float(np.unique(np.round(place / scale, 9), return_counts=True)[1].max() / self.paired)

    def _mapped(self, totals: Floats) -> Floats:
        return totals if self.product is None else totals @ self.product

    def _squared_totals(self) -> Floats:
        if self.product is None:
            return squared_rows(self.totals)
        return np.asarray(((self.totals @ self.product) * self.totals).sum(axis=1))

    def _spread(self, n: Floats, squares: Floats, square_of_total: Floats) -> Floats:
        return _ratio(n * squares - square_of_total, n * (n - self.correction))


def item_sums(
    count: Floats, squares: Floats, totals: Any, unanimous: NDArray[np.bool_] | None = None
) -> ItemSums:
    """Return the sums of alpha from the number, squares and totals of each item's values; items of one do not count.

    `unanimous` (n,) are the items known to have one value only, whose disagreement is exactly 0.
    """
    several = count > 1
    count, squares, totals = count[several], squares[several], totals[several]
    within = np.maximum(count * squares - squared_rows(totals), 0.0) / (count - 1)
    if unanimous is not None:
        within = np.where(unanimous[several], 0.0, within)
    return ItemSums(count, within, count, squares, totals)


def one_way_sums(count: Floats, squares: Floats, totals: Floats) -> ItemSums:
    """Return the sums (n,) whose ratio 1 - O / E is 1 - MSW (N - 1) / SST, from which ICC(1,1) follows.

    Items with one rating add to the expected disagreement alone, as in the analysis of variance.
    """
    inside = np.where(count > 1, np.maximum(squares - totals**2 / np.maximum(count, 1), 0.0), 0.0)
    return ItemSums(np.maximum(count - 1, 0.0), inside, count, squares, totals[:, None])


def ratio_value(sums: ItemSums) -> float:
    """Return 1 - O / E, NaN where the values do not differ."""
    weights = np.ones((1, len(sums.count)))
    o, e = float(sums.observed(weights)[0]), float(sums.expected(weights)[0])
    largest = float(sums.squares.sum()) / max(float(sums.count.sum()), 1.0)
    return 1 - o / e if e > NO_SPREAD * largest else nan


def ratio_interval(
    sums: ItemSums,
    level: float = 0.95,
    on_progress: OnProgress = None,
    few: int = FEW_ITEMS,
    unit: str = "items",
    of_items: ItemSums | None = None,
) -> Estimate:
    """Return 1 - O / E with its interval over the rows of the sums.

    Parameters
    ----------
    sums : a row per item, or per cluster of items
    level : of the interval
    on_progress : called with the share done
    few : rows below which there is a warning
    unit : what a row is, in the plural
    of_items : sums of the items where rows are clusters

    Returns
    -------
    Estimate
        n = items with two values or more. Undefined without such an item and where all values are equal; no interval
        below 5 rows and without any disagreement.

    Notes
    -----
    Both distances from z to the hull of the three intervals are multiplied by 1 + 1 / m, with the effective number m
    of rows that carry O or E, whichever is fewer: (sum)² / sum of squares of their parts.
    Source: Arvesen 1969 (jackknife), Hall 1988 (bootstrap-t), Fieller 1954; Zapf et al. 2016 (comparison for alpha).
    """
    items = of_items or sums
    n, rows = items.paired, sums.paired
    if n == 0:
        return Estimate(nan, n=0, reason=NO_PAIRS)
    value = ratio_value(sums)
    if value != value:
        return Estimate(nan, n=n, reason=ALL_EQUAL)
    if 1 - value <= NO_SPREAD:
        reason = no_disagreement(n)
        return Estimate(1.0, n=n, reason=reason, warning=f"{reason.capitalize()}, so there is no interval.")
    if rows < FEWEST:
        reason = too_few(rows, unit)
        return Estimate(value, n=n, reason=reason, warning=warning_of(n, rows, few, unit, inf, 0.0))
    informative = sums.informative()
    low, high = _widened(_hull(sums, value, level, on_progress), value, informative)
    warning = warning_of(n, rows, few, unit, informative, items.unanimous_share())
    return Estimate(value, low, high, n, warning=warning)


def jackknife_interval(value: float, left: Floats, n: int, level: float = 0.95) -> Estimate:
    """Return the interval of a figure of n items from its values without each of them (n,): the jackknife of z alone.

    For Gwet's AC1 and AC2, whose chance agreement is not a ratio of sums. Source: Arvesen 1969.
    """
    if 1 - value <= NO_SPREAD:
        reason = no_disagreement(n)
        return Estimate(1.0, n=n, reason=reason, warning=f"{reason.capitalize()}, so there is no interval.")
    if n < FEWEST:
        return Estimate(value, n=n, reason=too_few(n), warning=warning_of(n, n, FEW_ITEMS, "items", inf, 0.0))
    z, half = (
        fisher_z(value),
        float(quantile_of_t(n - 1, level)) * z_error(_z_of(1 - left, np.ones(len(left)))),
    )
    return Estimate(
        value, *ends_of(value, z - half, z + half), n, warning=warning_of(n, n, FEW_ITEMS, "items", inf, 0.0)
    )


def _hull(sums: ItemSums, value: float, level: float, on_progress: OnProgress) -> tuple[float, float]:
    """Return both ends of the hull of the three intervals, as z."""
    z, rows = fisher_z(value), len(sums.count)
    quantile = float(quantile_of_t(sums.paired - 1, level))
    half = quantile * z_error(z_without_each(sums))
    ends = [z - half, z + half]
    weights = np.ones((1, rows))
    o, e = float(sums.observed(weights)[0]), float(sums.expected(weights)[0])
    of_o, of_e = sums.influence_on_observed(weights)[0], sums.influence_on_expected(weights)[0]
    if rows <= MOST_RESAMPLED:
        error = float(np.sqrt(((of_o / o - of_e / e) ** 2).sum() / (rows * (rows - 1)))) / (1 + value)
        below, above = _bootstrap_t(sums, z, level, on_progress)
        ends += [z - above * error, z - below * error]
    ends += [fisher_z(end) for end in _fieller(o, e, of_o, of_e, quantile)]
    known = [end for end in ends if end == end]
    return min(known), max(known)


def _bootstrap_t(sums: ItemSums, z: float, level: float, on_progress: OnProgress) -> tuple[float, float]:
    """Return the quantiles of the studentized bootstrap samples of z; the interval's ends are z less them."""
    rows = len(sums.count)
    width = rows + sums.totals.shape[1]
    found = []
    draw = _usual_weights(rows) if rows <= FEW_ROWS else None
    rng = np.random.default_rng(SEED)
    for block in blocks(BOOTSTRAP_SAMPLES, _BLOCK // width, on_progress):
        several = block.stop - block.start
        weights = _weights(rng, rows, several) if draw is None else draw[block]
        with np.errstate(divide="ignore", invalid="ignore"):
            o, e = sums.observed(weights), sums.expected(weights)
            of_o, of_e = sums.influence_on_observed(weights), sums.influence_on_expected(weights)
            value = 1 - o / e
            pulls = (of_o / o[:, None] - of_e / e[:, None]) ** 2
            error = np.sqrt((weights * pulls).sum(axis=1) / (rows * (rows - 1))) / (1 + value)
            found.append((_z_of(o, e) - z) / np.where(error > NO_SPREAD, error, nan))
    studentized = np.concatenate(found)
    studentized = studentized[np.isfinite(studentized)]
    if not len(studentized):
        return nan, nan
    below, above = np.quantile(studentized, [(1 - level) / 2, (1 + level) / 2])
    return float(below), float(above)


def _weights(rng: np.random.Generator, rows: int, samples: int) -> Floats:
    """Return how often each row (samples, rows) is drawn."""
    return rng.multinomial(rows, np.full(rows, 1 / rows), samples).astype(np.float64)


@lru_cache(maxsize=4)
def _usual_weights(rows: int) -> Floats:
    """Return the same of all samples; kept, as the same numbers of rows recur for many raters."""
    weights = _weights(np.random.default_rng(SEED), rows, BOOTSTRAP_SAMPLES)
    weights.setflags(write=False)
    return weights


def _fieller(o: float, e: float, of_o: Floats, of_e: Floats, quantile: float) -> tuple[float, float]:
    """Return all 1 - theta with (O - theta E)² up to quantile² times its variance; -1 where E may be 0."""
    n = len(of_o)
    oo, ee, oe = (
        float((x * y).sum()) * quantile**2 / (n * (n - 1))
        for x, y in ((of_o, of_o), (of_e, of_e), (of_o, of_e))
    )
    a, b, c = e * e - ee, o * e - oe, o * o - oo
    root = float(np.sqrt(max(b * b - a * c, 0.0)))
    if a > 0:
        return 1 - (b + root) / a, 1 - max((b - root) / a, 0.0)
    if a < 0 < c and b * b > a * c:
        return -1.0, 1 - max((b - root) / a, (b + root) / a, 0.0)
    return -1.0, 1.0


def _widened(hull: tuple[float, float], value: float, informative: float) -> tuple[float, float]:
    """Return the ends of the figure's interval with both distances widened for few informative items."""
    z, wider = fisher_z(value), 1 + 1 / informative
    return ends_of(value, z - wider * (z - hull[0]), z + wider * (hull[1] - z))


def ends_of(value: float, low: float, high: float) -> tuple[float, float]:
    """Return the interval of a figure from both ends of its z; ends close to -1 and 1 are open."""
    low, high = tanh(low), tanh(high)
    return min(-1.0 if low < -_EDGE else low, value), max(1.0 if high > _EDGE else high, value)


def warning_of(n: int, rows: int, few: int, unit: str, informative: float, unanimous: float) -> str:
    """Return why an interval is not to be relied on, "" where it may be."""
    alike = unanimous > MOST_UNANIMOUS and n < 2 * FEW_ITEMS
    if rows >= few and informative >= FEW_INFORMATIVE and not alike:
        return ""
    if informative >= FEW_INFORMATIVE and not alike:
        return f"Based on {rows} {unit[:-1] if rows == 1 else unit}; a reliable interval needs {few}."
    told = f"Based on about {informative:.0f} informative {unit[:-1] if round(informative) == 1 else unit}"
    if unanimous > MOST_UNANIMOUS:
        return f"{told}; most items got the same score from everybody."
    return f"{told}; few of them carry the figure."


def z_without_each(sums: ItemSums) -> Floats:
    """Return z of the figure without each row (n,)."""
    return _z_of(*sums.without_each())


def z_error(z: Floats) -> float:
    """Return the delete-one jackknife's standard error from z without each of g parts, of those that are finite."""
    z = z[np.isfinite(z)]
    return float(np.sqrt((len(z) - 1) / len(z) * ((z - z.mean()) ** 2).sum())) if len(z) > 1 else nan


def _z_of(o: Floats, e: Floats) -> Floats:
    """Return z of figures from O and E (…,)."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.arctanh(np.clip(1 - o / e, -Z_BOUND, Z_BOUND)))


def _ratio(above: Any, below: Any) -> Floats:
    return np.asarray(np.divide(above, below, out=np.full(np.shape(above), nan), where=np.asarray(below) > 0))


def _dense(matrix: Any) -> Floats:
    return np.asarray(matrix.todense() if hasattr(matrix, "todense") else matrix, dtype=np.float64)


def squared_rows(matrix: Any) -> Floats:
    """Return the sum of squares of each row of a dense or sparse matrix."""
    return np.asarray((matrix * matrix).sum(axis=1), dtype=np.float64).ravel()


def members_of(code: NDArray[np.int64]) -> Any:
    """Return the sparse matrix (g, n) of 1 where item n has code g, which sums rows by code."""
    shape = int(code.max(initial=-1)) + 1, len(code)
    return sparse.csr_array((np.ones(len(code)), (code, np.arange(len(code)))), shape=shape)


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


EQUAL = 1e-12
"""A share of a sum of squares that is rounding."""
