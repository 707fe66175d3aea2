"""Intervals of agreement figures 1 - O / E: observed over expected disagreement, both of sums over items.

Krippendorff's alpha, Fleiss' and Conger's kappa and ICC(1,1) have this form. The interval is the hull of three: the
delete-one jackknife and the bootstrap-t of z = atanh(1 - O / E), and Fieller's interval of the ratio. It is then
widened where few items are informative.
"""

from dataclasses import dataclass
from functools import lru_cache
from math import inf, nan, tanh
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from analysis.resampling.intervals import Z_BOUND, blocks, fisher_z, t_quantile
from analysis.values.estimate import Estimate, Floats, OnProgress
from analysis.values.ratings import ratio

BOOTSTRAP_SAMPLES, SEED = 999, 1
MOST_RESAMPLED = 2_000
"""Largest number of items for which the hull includes the bootstrap-t; above it, the other two agree with it."""
FEWEST_FOR_INTERVAL = 5
"""Items below which there is no interval."""
FEW_ITEMS = 20
"""Items below which an interval is shown with a warning."""
FEW_INFORMATIVE = 5.0
"""Effective number of items below which an interval is shown with a warning."""
MOST_UNANIMOUS = 0.6
"""Share of items with the same unanimous value above which few items determine the coefficient."""
NO_SPREAD = 1e-12
"""Share of the values' squares below which their spread is rounding error, and of E below which O is."""
_EDGE = 0.999
FEW_ROWS = 1_000
"""Largest number of rows for which the weights of bootstrap samples are cached, 8 MB for 1,000."""
_BLOCK = 8_000_000

NO_PAIRS = "no item has two ratings"
ALL_EQUAL = "everyone gave the same value, so there is nothing to agree on"


def too_few_reason(n: int, unit: str = "items") -> str:
    """Return the reason why fewer than 5 items or clusters have no interval.

    >>> too_few_reason(1), too_few_reason(4, "topics")
    ('1 item with two ratings; an interval needs 5', '4 topics; an interval needs 5')
    """
    named = f"{n} {unit[:-1] if n == 1 else unit}"
    return (
        f"{named} with two ratings; an interval needs {FEWEST_FOR_INTERVAL}"
        if unit == "items"
        else f"{named}; an interval needs {FEWEST_FOR_INTERVAL}"
    )


def no_disagreement_reason(n: int) -> str:
    """Return the reason why items without any disagreement have no interval."""
    return f"no disagreement on {n} item{'' if n == 1 else 's'}"


@dataclass(frozen=True, eq=False)
class ItemSums:
    """Sums of each of n items, or of clusters of items, from which 1 - O / E is computed.

    O = sum of `within` / sum of `compared`: `compared` (n,) is the weight of an item in O, 0 without two values, and
    `within` (n,) that weight times the item's disagreement. E = (N Q - |S|²) / (N (N - `correction`)) with the number N
    of values, their sum of squares Q and their sum S over all items, from `count` (n,), `squares` (n,) and `totals`
    (n, c). Values are points in c dimensions, dense or sparse; two values differ by half their squared distance.
    `product` (c, c), if given, replaces the inner product of points.
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

    def sum_by_cluster(self, cluster: NDArray[np.int64]) -> "ItemSums":
        """Add up the items of each cluster; `cluster` (n,) holds codes from 0."""
        members = membership_matrix(cluster)
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
        """Return O (b,) of items with weights (b, n)."""
        return ratio(weights @ self.within, weights @ self.compared)

    def expected(self, weights: Floats) -> Floats:
        """Return E (b,) of items with weights (b, n)."""
        n, total = weights @ self.count, _to_dense(weights @ self.totals)
        return self._expected_disagreement(
            n, weights @ self.squares, (self._apply_product(total) * total).sum(axis=-1)
        )

    def leave_one_out(self) -> tuple[Floats, Floats]:
        """Return leave-one-out values of O and E (n,)."""
        o = ratio(self.within.sum() - self.within, self.compared.sum() - self.compared)
        total = _to_dense(self.totals.sum(axis=0)).ravel()
        mapped = self._apply_product(total)
        squared_total = total @ mapped - 2 * _to_dense(self.totals @ mapped).ravel() + self._squared_totals()
        return o, self._expected_disagreement(
            self.count.sum() - self.count, self.squares.sum() - self.squares, squared_total
        )

    def influence_on_observed(self, weights: Floats) -> Floats:
        """Return the influence of each item on O (b, n), with weighted mean 0."""
        mean_weight = (weights @ self.compared) / weights.sum(axis=1)
        influence = self.within - self.observed(weights)[:, None] * self.compared
        return np.asarray(influence / mean_weight[:, None])

    def influence_on_expected(self, weights: Floats) -> Floats:
        """Return the influence of each item on E (b, n), with weighted mean 0."""
        n = weights @ self.count
        mean = _to_dense(weights @ self.totals) / n[:, None]
        mapped = self._apply_product(mean)
        slope = 2 * (mapped * mean).sum(axis=1) - (weights @ self.squares) / n
        influence = self.squares - 2 * _to_dense(self.totals @ mapped.T).T + slope[:, None] * self.count
        return np.asarray(influence * (weights.sum(axis=1) / (n - self.correction))[:, None])

    def contributions(self) -> tuple[Floats, Floats]:
        """Return the nonnegative contributions of the items (n,) to O and to E."""
        mean = _to_dense(self.totals.sum(axis=0)).ravel() / self.count.sum()
        mapped = self._apply_product(mean)
        of_e = self.squares - 2 * _to_dense(self.totals @ mapped).ravel() + (mean @ mapped) * self.count
        return self.within, np.maximum(of_e, 0.0)

    def effective_number(self) -> float:
        """Return the effective number of items in O or in E, whichever is smaller (Kish 1965)."""
        return min(
            float(part.sum() ** 2 / max(float((part**2).sum()), 1e-300)) for part in self.contributions()
        )

    def unanimous_share(self) -> float:
        """Return the share of the paired items that have the commonest unanimous value."""
        unanimous = (self.compared > 0) & (self.within <= NO_SPREAD * max(self.squares.sum(), 1e-300))
        if not unanimous.any():
            return 0.0
        line = np.random.default_rng(0).normal(size=self.totals.shape[1])
        position = _to_dense(self.totals @ line).ravel()[unanimous] / self.count[unanimous]
        scale = float(np.abs(position).max()) or 1.0
        return float(np.unique(np.round(position / scale, 9), return_counts=True)[1].max() / self.paired)

    def _apply_product(self, totals: Floats) -> Floats:
        return totals if self.product is None else totals @ self.product

    def _squared_totals(self) -> Floats:
        if self.product is None:
            return row_sums_of_squares(self.totals)
        return np.asarray(((self.totals @ self.product) * self.totals).sum(axis=1))

    def _expected_disagreement(self, n: Floats, squares: Floats, square_of_total: Floats) -> Floats:
        return ratio(n * squares - square_of_total, n * (n - self.correction))


def item_sums(
    count: Floats, squares: Floats, totals: Any, unanimous: NDArray[np.bool_] | None = None
) -> ItemSums:
    """Return the sums of alpha from the number, squares and totals of each item's values, without items of one value.

    `unanimous` (n,) marks the items with equal values, whose disagreement is exactly 0.
    """
    is_paired = count > 1
    count, squares, totals = count[is_paired], squares[is_paired], totals[is_paired]
    within = np.maximum(count * squares - row_sums_of_squares(totals), 0.0) / (count - 1)
    if unanimous is not None:
        within = np.where(unanimous[is_paired], 0.0, within)
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
    warn_below: int = FEW_ITEMS,
    unit: str = "items",
    sums_by_item: ItemSums | None = None,
) -> Estimate:
    """Estimate 1 - O / E, with its interval over the rows of the sums.

    Parameters
    ----------
    sums : a row per item, or per cluster of items
    level : of the interval
    on_progress : called with the share done
    warn_below : rows below which there is a warning
    unit : what a row is, in the plural
    sums_by_item : sums of the items where rows are clusters

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
    items = sums_by_item or sums
    n, rows = items.paired, sums.paired
    if n == 0:
        return Estimate(nan, n=0, reason=NO_PAIRS)
    value = ratio_value(sums)
    if value != value:
        return Estimate(nan, n=n, reason=ALL_EQUAL)
    if 1 - value <= NO_SPREAD:
        reason = no_disagreement_reason(n)
        return Estimate(1.0, n=n, reason=reason, warning=f"{reason.capitalize()}, so there is no interval.")
    if rows < FEWEST_FOR_INTERVAL:
        reason = too_few_reason(rows, unit)
        return Estimate(
            value, n=n, reason=reason, warning=interval_warning(n, rows, warn_below, unit, inf, 0.0)
        )
    informative = sums.effective_number()
    low, high = _widen_for_few_items(_hull(sums, value, level, on_progress), value, informative)
    warning = interval_warning(n, rows, warn_below, unit, informative, items.unanimous_share())
    return Estimate(value, low, high, n, warning=warning)


def jackknife_interval(value: float, leave_one_out: Floats, n: int, level: float = 0.95) -> Estimate:
    """Return the jackknife interval of z of a coefficient, from its values without each of n items (n,).

    For Gwet's AC1 and AC2, whose chance agreement is not a ratio of sums. Source: Arvesen 1969.
    """
    if 1 - value <= NO_SPREAD:
        reason = no_disagreement_reason(n)
        return Estimate(1.0, n=n, reason=reason, warning=f"{reason.capitalize()}, so there is no interval.")
    if n < FEWEST_FOR_INTERVAL:
        return Estimate(
            value, n=n, reason=too_few_reason(n), warning=interval_warning(n, n, FEW_ITEMS, "items", inf, 0.0)
        )
    z, half = (
        fisher_z(value),
        float(t_quantile(n - 1, level))
        * jackknife_error(_z_from_disagreements(1 - leave_one_out, np.ones(len(leave_one_out)))),
    )
    return Estimate(
        value,
        *interval_from_z(value, z - half, z + half),
        n,
        warning=interval_warning(n, n, FEW_ITEMS, "items", inf, 0.0),
    )


def _hull(sums: ItemSums, value: float, level: float, on_progress: OnProgress) -> tuple[float, float]:
    """Return both ends of the hull of the three intervals, as z."""
    z, rows = fisher_z(value), len(sums.count)
    quantile = float(t_quantile(sums.paired - 1, level))
    half = quantile * jackknife_error(leave_one_out_z(sums))
    ends = [z - half, z + half]
    weights = np.ones((1, rows))
    o, e = float(sums.observed(weights)[0]), float(sums.expected(weights)[0])
    influence_o, influence_e = sums.influence_on_observed(weights)[0], sums.influence_on_expected(weights)[0]
    if rows <= MOST_RESAMPLED:
        error = float(np.sqrt(((influence_o / o - influence_e / e) ** 2).sum() / (rows * (rows - 1)))) / (
            1 + value
        )
        lower, upper = _bootstrap_t(sums, z, level, on_progress)
        ends += [z - upper * error, z - lower * error]
    ends += [fisher_z(end) for end in _fieller(o, e, influence_o, influence_e, quantile)]
    defined = [end for end in ends if end == end]
    return min(defined), max(defined)


def _bootstrap_t(sums: ItemSums, z: float, level: float, on_progress: OnProgress) -> tuple[float, float]:
    """Return the quantiles of the studentized bootstrap samples of z; the interval's ends are z less them."""
    rows = len(sums.count)
    width = rows + sums.totals.shape[1]
    samples = []
    all_weights = _cached_weights(rows) if rows <= FEW_ROWS else None
    rng = np.random.default_rng(SEED)
    for block in blocks(BOOTSTRAP_SAMPLES, _BLOCK // width, on_progress):
        size = block.stop - block.start
        weights = _draw_weights(rng, rows, size) if all_weights is None else all_weights[block]
        with np.errstate(divide="ignore", invalid="ignore"):
            o, e = sums.observed(weights), sums.expected(weights)
            influence_o, influence_e = (
                sums.influence_on_observed(weights),
                sums.influence_on_expected(weights),
            )
            value = 1 - o / e
            squared_influence = (influence_o / o[:, None] - influence_e / e[:, None]) ** 2
            error = np.sqrt((weights * squared_influence).sum(axis=1) / (rows * (rows - 1))) / (1 + value)
            samples.append((_z_from_disagreements(o, e) - z) / np.where(error > NO_SPREAD, error, nan))
    studentized = np.concatenate(samples)
    studentized = studentized[np.isfinite(studentized)]
    if not len(studentized):
        return nan, nan
    lower, upper = np.quantile(studentized, [(1 - level) / 2, (1 + level) / 2])
    return float(lower), float(upper)


def _draw_weights(rng: np.random.Generator, rows: int, samples: int) -> Floats:
    """Draw how often each row occurs in each bootstrap sample (samples, rows)."""
    return rng.multinomial(rows, np.full(rows, 1 / rows), samples).astype(np.float64)


@lru_cache(maxsize=4)
def _cached_weights(rows: int) -> Floats:
    """Draw the weights of all samples, cached because many raters have equal numbers of rows."""
    weights = _draw_weights(np.random.default_rng(SEED), rows, BOOTSTRAP_SAMPLES)
    weights.setflags(write=False)
    return weights


def _fieller(
    o: float, e: float, influence_o: Floats, influence_e: Floats, quantile: float
) -> tuple[float, float]:
    """Return Fieller's interval, all 1 - theta with (O - theta E)² <= quantile² Var(O - theta E); -1 if E may be 0."""
    n = len(influence_o)
    oo, ee, oe = (
        float((x * y).sum()) * quantile**2 / (n * (n - 1))
        for x, y in ((influence_o, influence_o), (influence_e, influence_e), (influence_o, influence_e))
    )
    a, b, c = e * e - ee, o * e - oe, o * o - oo
    root = float(np.sqrt(max(b * b - a * c, 0.0)))
    if a > 0:
        return 1 - (b + root) / a, 1 - max((b - root) / a, 0.0)
    if a < 0 < c and b * b > a * c:
        return -1.0, 1 - max((b - root) / a, (b + root) / a, 0.0)
    return -1.0, 1.0


def _widen_for_few_items(hull: tuple[float, float], value: float, informative: float) -> tuple[float, float]:
    """Return the interval with both half-widths of z multiplied by 1 + 1 / `informative`."""
    z, wider = fisher_z(value), 1 + 1 / informative
    return interval_from_z(value, z - wider * (z - hull[0]), z + wider * (hull[1] - z))


def interval_from_z(value: float, low: float, high: float) -> tuple[float, float]:
    """Transform both ends of z into an interval that includes the value; ends near -1 and 1 become -1 and 1."""
    low, high = tanh(low), tanh(high)
    return min(-1.0 if low < -_EDGE else low, value), max(1.0 if high > _EDGE else high, value)


def interval_warning(
    n: int, rows: int, warn_below: int, unit: str, informative: float, unanimous: float
) -> str:
    """Return the warning about an unreliable interval, "" for a reliable one."""
    mostly_unanimous = unanimous > MOST_UNANIMOUS and n < 2 * FEW_ITEMS
    if rows >= warn_below and informative >= FEW_INFORMATIVE and not mostly_unanimous:
        return ""
    if informative >= FEW_INFORMATIVE and not mostly_unanimous:
        return f"Based on {rows} {unit[:-1] if rows == 1 else unit}; a reliable interval needs {warn_below}."
    basis = f"Based on about {informative:.0f} informative {unit[:-1] if round(informative) == 1 else unit}"
    if unanimous > MOST_UNANIMOUS:
        return f"{basis}; most items got the same score from everybody."
    return f"{basis}; few of them carry the figure."


def leave_one_out_z(sums: ItemSums) -> Floats:
    """Return z of the coefficient without each row (n,)."""
    return _z_from_disagreements(*sums.leave_one_out())


def jackknife_error(z: Floats) -> float:
    """Return the delete-one jackknife's standard error from the finite values of z without each of g parts (g,)."""
    z = z[np.isfinite(z)]
    return float(np.sqrt((len(z) - 1) / len(z) * ((z - z.mean()) ** 2).sum())) if len(z) > 1 else nan


def _z_from_disagreements(o: Floats, e: Floats) -> Floats:
    """Return z = atanh(1 - O / E) from O and E (…,)."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.arctanh(np.clip(1 - o / e, -Z_BOUND, Z_BOUND)))


def _to_dense(matrix: Any) -> Floats:
    return np.asarray(matrix.todense() if hasattr(matrix, "todense") else matrix, dtype=np.float64)


def row_sums_of_squares(matrix: Any) -> Floats:
    """Return the sum of squares of each row of a dense or sparse matrix."""
    return np.asarray((matrix * matrix).sum(axis=1), dtype=np.float64).ravel()


def membership_matrix(code: NDArray[np.int64]) -> Any:
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
    if squares.sum() <= ROUNDING * origin:  # the values differ by rounding only
        total, squares, center = np.zeros(len(count)), np.zeros(len(count)), 0.0
    return item_sums(count, squares, (total - center * count)[:, None])


ROUNDING = 1e-12
"""Share of a sum of squares that counts as rounding error."""
