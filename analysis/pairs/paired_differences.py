"""Simultaneous comparison of all pairs of systems, with the vectorized studentized range of k means.

The range is integrated here because scipy's `studentized_range` needs 30 ms per probability and a second per quantile.
"""

from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from math import nan, sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special
from scipy.optimize.elementwise import find_root

from analysis.pairs.cluster_jackknife import (
    added_variances,
    added_variances_of_table,
    cluster_changes,
    cluster_changes_of_table,
)
from analysis.pairs.least_squares import Design, Fit, fit_design
from analysis.pairs.system_table import Cells, build_cells, letters
from analysis.values.estimate import Codes, Floats, Scope, chosen_scope
from analysis.values.ratings import coded, different

SCALES, POINTS, DEGREE = 160, 128, 100
"""Nodes for the scale of the error and for the largest of k normal numbers; degree of the range's polynomial."""
LARGEST_DEVIATION = 9.0
"""Standard deviations beyond which the normal density is ignored."""
LARGEST_RANGE = 14.0
"""Largest range of normal numbers, in standard deviations."""
TAIL_PROBABILITY = 1e-17
"""Tail probability of the error's scale that is ignored."""
MOST_DEGREES = 1e9
"""Largest degrees of freedom, equivalent to infinity."""
NODES = 32
"""Degree of the table of quantiles over 1 / df."""
BLOCK = 4_000_000
"""Entries in a block."""


def range_p(q: ArrayLike, k: int, df: ArrayLike) -> Floats:
    """Return the probabilities that the studentized range of k means exceeds q.

    Parameters
    ----------
    q : (n,) values
    k : number of means
    df : degrees of freedom, one number or (n,), 1 or more

    Notes
    -----
    Equal to scipy's `studentized_range.sf` to about 1e-10. Source: Lund & Lund 1983, "Algorithm AS 190".

    >>> range_p([3.7729], 3, 12).round(4).tolist()
    [0.05]
    """
    # The range of k normal numbers is at most w with probability k ∫ φ(z) (Φ(z) - Φ(z - w))^(k - 1) dz,
    # which is taken once as a polynomial in w; the error's scale is averaged over on its logarithm.
    polynomial = _range_of_normals(k)
    quantiles = np.asarray(q, dtype=np.float64)
    degrees = np.broadcast_to(np.asarray(df, dtype=np.float64), quantiles.shape)
    step = max(1, BLOCK // SCALES)
    parts = []
    for start in range(0, len(quantiles), step):
        block_degrees = degrees[start : start + step]
        scale, weight = _scale_nodes(
            block_degrees[:1] if (block_degrees == block_degrees[0]).all() else block_degrees
        )
        scaled = np.minimum(quantiles[start : start + step, None] * scale, LARGEST_RANGE)
        parts.append(((1 - polynomial(scaled)) * weight).sum(axis=1))
    return np.asarray(np.clip(np.concatenate([np.empty(0), *parts]), 0.0, 1.0))


def critical_range(level: float, k: int, df: float) -> float:
    """Return the studentized range of k means that is exceeded with probability 1 - level.

    >>> round(critical_range(0.95, 3, 12), 4)
    3.7729
    """
    return float(_quantiles(level, k, np.array([df]))[0])


def critical_ranges(level: float, k: int, df: ArrayLike) -> Floats:
    """Return critical ranges for many degrees of freedom (…,), each 1 or more, from a table over 1 / df (to 1e-6)."""
    inverse = 1 / np.clip(np.asarray(df, dtype=np.float64), 1.0, MOST_DEGREES)
    return np.asarray(np.exp(_quantile_polynomial(level, k)(inverse)))


@lru_cache(maxsize=64)
def _quantile_polynomial(level: float, k: int) -> np.polynomial.Chebyshev:
    """Return the logarithm of the quantile as a polynomial in 1 / df from 0 to 1."""

    def log_quantiles(inverse: Floats) -> Floats:
        return np.asarray(np.log(_quantiles(level, k, 1 / np.maximum(inverse, 1 / MOST_DEGREES))))

    return np.polynomial.Chebyshev.interpolate(log_quantiles, NODES, (0.0, 1.0))


def _quantiles(level: float, k: int, df: Floats) -> Floats:
    def excess(q: Floats, degrees: Floats) -> Floats:
        return range_p(q, k, degrees) - (1 - level)

    high = np.full(len(df), 4.0)
    while (is_exceeded := excess(high, df) > 0).any():
        high = np.where(is_exceeded, 2 * high, high)
    roots = find_root(excess, (np.zeros(len(df)), high), args=(df,))
    return np.asarray(roots.x)


@lru_cache(maxsize=64)
def _range_of_normals(k: int) -> np.polynomial.Chebyshev:
    """Return the distribution of the range of k normal numbers, as a polynomial from 0 to `LARGEST_RANGE`."""
    node, width = _gauss_legendre(POINTS)
    z = LARGEST_DEVIATION * node
    density = k * LARGEST_DEVIATION * width * np.exp(-z * z / 2) / sqrt(2 * np.pi)
    cdf = special.ndtr(z)

    def inside(w: Floats) -> Floats:
        inner: Floats = (cdf - special.ndtr(z - w[:, None])) ** (k - 1) @ density
        return inner

    return np.polynomial.Chebyshev.interpolate(inside, DEGREE, (0.0, LARGEST_RANGE))


def _scale_nodes(df: Floats) -> tuple[Floats, Floats]:
    """Return values (n, SCALES) of sqrt(chi² / df) with their weights, at nodes of the logarithm."""
    low = np.log(special.gammaincinv(df / 2, TAIL_PROBABILITY)) / 2
    high = np.log(special.gammainccinv(df / 2, TAIL_PROBABILITY)) / 2
    node, width = _gauss_legendre(SCALES)
    x = low[:, None] + (high - low)[:, None] * (node + 1) / 2
    density = df[:, None] * x - np.exp(2 * x)
    weight = width * np.exp(density - density.max(axis=1, keepdims=True))
    return np.exp(x) * np.sqrt(2 / df)[:, None], weight / weight.sum(axis=1, keepdims=True)


@lru_cache(maxsize=4)
def _gauss_legendre(number: int) -> tuple[Floats, Floats]:
    """Return Gauss-Legendre nodes and weights on -1 to 1."""
    node, width = np.polynomial.legendre.leggauss(number)
    return np.asarray(node), np.asarray(width)


MOST_COMPARED = 100
"""Largest number of systems whose pairs are all compared."""
FEWEST_TOPICS, FEWEST_RATERS = 6, 3
"""Fewest topics, and for raters like these fewest raters, for comparisons."""
NO_VARIANCE = 1e-9
"""Share of the scores' variance below which a variance is 0."""


@dataclass(frozen=True, eq=False)
class PairedDifferences:
    """All pairs of k systems.

    `scores` (k,) have mean 0 over the compared systems. Matrices (k, k), row minus column, NaN where undefined:
    `differences`, their standard `error` with `df` degrees of freedom, `low` and `high` of their simultaneous
    intervals, adjusted `p`, and `is_different`, True where the interval excludes 0. `letters` (k,): systems that share
    one do not clearly differ. `reason` is why all is undefined.
    """

    scores: Floats
    differences: Floats
    error: Floats
    df: Floats
    low: Floats
    high: Floats
    p: Floats
    is_different: NDArray[np.bool_]
    letters: tuple[str, ...]
    scope: Scope = "raters like these"
    level: float = 0.95
    compared: int = 0
    reason: str = ""

    @property
    def number_different(self) -> int:
        """Number of pairs whose interval excludes 0."""
        return int(self.is_different.sum()) // 2

    @property
    def pairs(self) -> int:
        """Number of pairs that have an interval."""
        return int((~np.isnan(self.low)).sum()) // 2

    def select(self, systems: ArrayLike) -> "PairedDifferences":
        """Return the systems at these indices, in this order, with intervals simultaneous for all compared systems."""
        index = np.asarray(systems, dtype=np.int64)
        pairs = np.ix_(index, index)
        return replace(
            self,
            scores=self.scores[index],
            differences=self.differences[pairs],
            error=self.error[pairs],
            df=self.df[pairs],
            low=self.low[pairs],
            high=self.high[pairs],
            p=self.p[pairs],
            is_different=self.is_different[pairs],
            letters=tuple(self.letters[one] for one in index),
        )

    @cached_property
    def detectable(self) -> float:
        """Difference of two systems that such a study detects with a power of 80%, all pairs tested; NaN if unknown.

        For the median pair it is the half-width plus t(.8; df) standard errors.
        """
        return self.detectable_with(0.8)

    def detectable_with(self, power: float) -> float:
        """Return the difference that such a study detects with another power."""
        is_defined = ~np.isnan(self.error)
        if not is_defined.any():
            return nan
        half_width = (self.high - self.low)[is_defined] / 2
        return float(
            np.median(half_width + special.stdtrit(self.df[is_defined], power) * self.error[is_defined])
        )


def paired_differences(
    system: ArrayLike,
    topic: ArrayLike,
    rater: ArrayLike,
    score: ArrayLike,
    scope: Scope | None = None,
    level: float = 0.95,
    has_topics: bool = True,
) -> PairedDifferences:
    """Compare all pairs of systems, for these raters or for raters like these, and for other topics.

    Parameters
    ----------
    system, topic, rater : (N,) ids
    score : (N,) numbers, any unit
    scope : None for raters like these from 6 raters on, these raters below
    level : probability that all intervals hold at once
    has_topics : False where `topic` names items that each belong to one system

    Returns
    -------
    PairedDifferences
        (k,) systems in ascending order of their ids, in the unit of `score`; with a reason and without figures below 6
        topics, below 3 raters for raters like these, where a difference cannot be estimated, or does not vary.

    Raises
    ------
    InputError
        where lengths differ or a score is not a finite number.

    Notes
    -----
    Least squares of score on system + topic + rater, each system's topic with weight 1; jackknife over topics, raters
    and topic × rater; pooled variances after Ledoit and Wolf 2004; Satterthwaite 1946 and Box 1954 for degrees of
    freedom; the studentized range for all pairs. Source: MacKinnon, Nielsen and Webb 2023 (CR3); Cameron, Gelbach and
    Miller 2011 (two-way clusters); Games and Howell 1976; Hayter 1984.
    """
    return compare_cells(build_cells(system, topic, rater, score), None, scope, level, has_topics)


def compare_cells(
    table: Cells,
    included: NDArray[np.bool_] | None,
    scope: Scope | None,
    level: float = 0.95,
    has_topics: bool = True,
) -> PairedDifferences:
    """Compare all pairs of systems of a table by the raters in the mask (w,) (None: all), as `paired_differences`."""
    systems = len(table.systems)
    if included is not None and not included.all():
        table = _select_ratings(table, included[table.rater])
    raters, topics = different(table.rater), different(table.topic)
    scope = chosen_scope(scope, raters)
    reason = _missing_reason(different(table.system), topics, raters, scope, has_topics)
    if reason:
        return undefined_differences(systems, reason, scope, level)
    is_connected = _is_estimable_without_one(table, scope)
    if not is_connected.all():
        table = _select_ratings(table, is_connected[table.system][table.cell])
    (systems_present, system_code), (_, topic_code), (_, rater_code) = (
        coded(each) for each in (table.system, table.topic, table.rater)
    )
    if len(systems_present) < 2:
        reason = (
            f"at most one system was rated in several {'topics' if has_topics else 'items'} by several raters"
        )
        return undefined_differences(systems, reason, scope, level)
    design = Design(system_code, topic_code, table.cell, rater_code, table.counts, table.sums, has_topics)
    fitted = fit_design(design)
    if not fitted.is_estimable:
        return undefined_differences(systems, _not_estimable_reason(design), scope, level)
    compared = _compare_all(fitted, scope, level, design.variance)
    return (
        compared
        if compared.reason or len(systems_present) == systems
        else _insert_systems(compared, systems_present, systems)
    )


def _select_ratings(table: Cells, is_included: NDArray[np.bool_]) -> Cells:
    """Select pairs of cell and rater by a mask (e,), and the cells with remaining ratings."""
    cells_present, cell = coded(table.cell[is_included])
    return replace(
        table,
        system=table.system[cells_present],
        topic=table.topic[cells_present],
        cell=cell,
        rater=table.rater[is_included],
        sums=table.sums[is_included],
        counts=table.counts[is_included],
    )


def _missing_reason(systems: int, topics: int, raters: int, scope: Scope, has_topics: bool) -> str:
    """Return the reason why systems cannot be compared, "" if they can."""
    if systems < 2:
        return "a comparison needs two systems"
    if systems > MOST_COMPARED:
        return f"all pairs are compared for at most {MOST_COMPARED} systems, and there are {systems}"
    if topics < FEWEST_TOPICS:
        units, are = "topics" if has_topics else "items", "is" if topics == 1 else "are"
        return f"a comparison needs {FEWEST_TOPICS} {units}, and there {are} {topics}"
    if scope == "raters like these" and raters < FEWEST_RATERS:
        return f"raters like these need {FEWEST_RATERS} raters, and there are {raters}"
    return ""


def _is_estimable_without_one(table: Cells, scope: Scope) -> NDArray[np.bool_]:
    """Return the mask of systems (s,) with ratings without any one topic, or for raters like these any one rater."""
    is_connected = np.ones(len(table.systems), dtype=bool)
    if len(table.cell) == 0:
        return is_connected
    present, first = np.unique(table.system, return_index=True)
    first_pairs = np.searchsorted(table.cell, first)
    for ids, starts in ((table.topic, first), (table.rater, first_pairs)):
        if ids is table.topic or scope == "raters like these":
            is_connected[present] &= np.minimum.reduceat(ids, starts) < np.maximum.reduceat(ids, starts)
    return is_connected


def _not_estimable_reason(design: Design) -> str:
    """Return the reason why differences are not estimable: topics or raters that systems do not share."""
    if design.has_topics and not fit_design(design.without_raters()).is_estimable:
        return "the systems fall into groups that share no topic"
    return "the systems fall into groups rated by different raters, so their severity counts as a difference"


def _compare_all(fitted: Fit, scope: Scope, level: float, total: float) -> PairedDifferences:
    k = fitted.design.systems
    variance, df = _variances(fitted, scope)
    off_diagonal = ~np.eye(k, dtype=bool)
    if not (variance[off_diagonal] > NO_VARIANCE * total).any():
        return undefined_differences(
            k, "the differences do not vary, so nothing tells how certain they are", scope, level
        )
    is_defined = off_diagonal & (variance > NO_VARIANCE * total)
    error, df = np.sqrt(np.where(is_defined, variance, nan)), np.where(is_defined, df, nan)
    half_width, p = np.full((k, k), nan), np.full((k, k), nan)
    differences = fitted.score[:, None] - fitted.score
    half_width[is_defined] = critical_ranges(level, k, df[is_defined]) / np.sqrt(2) * error[is_defined]
    upper = np.triu(is_defined)
    p[upper] = range_p(np.sqrt(2) * np.abs(differences[upper]) / error[upper], k, np.clip(df[upper], 1, 1e9))
    p = np.where(is_defined.T & ~upper, p.T, p)
    is_different = is_defined & (np.abs(differences) > half_width)
    return PairedDifferences(
        fitted.score, differences, error, df, differences - half_width, differences + half_width, p, is_different,
        letters(-fitted.score, is_different), scope, level, k,
    )  # fmt: skip


def _variances(fitted: Fit, scope: Scope) -> tuple[Floats, Floats]:
    """Estimate the variances of all differences (k, k) and their degrees of freedom."""
    changes = _cluster_changes(fitted, scope)
    topic_changes, topic_added = changes[0]
    if scope == "these raters":
        variance, df = _pool_variances(fitted, topic_changes, topic_added[0])
        return variance, np.full_like(variance, df)
    rater_changes, rater_added = changes[1]
    cell_changes, cell_added = changes[2]
    residual = (cell_changes**2).sum() / cell_added[1].sum()

    def expected(change: Floats, add: tuple[Floats, Floats]) -> Floats:
        """Return the expected contribution of each cluster to the sum of the scores' variances."""
        extra = add[0].sum() - cell_added[0].sum()
        is_positive = extra > NO_VARIANCE * add[0].sum()
        own_variance = max(((change**2).sum() - (cell_changes**2).sum()) / extra, 0.0) if is_positive else 0.0
        return np.asarray(own_variance * add[0] + residual * add[1])

    topic, f_topic = _pool_variances(fitted, topic_changes, expected(topic_changes, topic_added))
    rater, f_rater = _pool_variances(
        fitted, rater_changes, expected(rater_changes, rater_added), crossed=True
    )
    cell, f_cell = _pool_variances(fitted, cell_changes, cell_added[0])
    t, r, c = (1 / len(one) for one in (topic_changes, rater_changes, cell_changes))
    correction = 1 - t - r + c
    parts = (1 - t) * topic / correction, (1 - r) * rater / correction, (1 - c) * cell / correction
    variance = np.maximum(parts[0] + parts[1] - parts[2], np.maximum(topic, rater) / 2)
    denominator = parts[0] ** 2 / f_topic + parts[1] ** 2 / f_rater + parts[2] ** 2 / f_cell
    return variance, np.divide(variance**2, denominator, out=np.ones_like(denominator), where=denominator > 0)


def _cluster_changes(fitted: Fit, scope: Scope) -> list[tuple[Floats, tuple[Floats, Floats]]]:
    """Return changes and added variances of topics, and for raters like these of raters and of cells."""
    design, table = fitted.design, fitted.table
    if scope == "raters like these" and table is not None:
        levels, other_levels, cells = zip(
            cluster_changes_of_table(fitted, table), added_variances_of_table(fitted, table), strict=True
        )
        return (
            [other_levels, levels, cells] if fitted.eliminated == "rater" else [levels, other_levels, cells]
        )
    clusters = [design.topic]
    if scope == "raters like these":
        _, pair = coded(design.topic * (int(design.rater.max()) + 1) + design.rater)
        clusters += [design.rater, pair]
    return [(cluster_changes(fitted, each), added_variances(fitted, each)) for each in clusters]


def _pool_variances(
    fitted: Fit, change: Floats, added: Floats, crossed: bool = False
) -> tuple[Floats, float]:
    """Estimate the variances of all differences (k, k), shrunk to a common one, and their degrees of freedom.

    `change` (G, k) are the changes without each cluster, `added` (G,) its contribution to the scores' variances. The
    weight of the common variance is that of Ledoit and Wolf 2004; with equal variances and no correlation it is 1
    (Tukey's case). A cluster of items belongs to one system, so that each pair has only some of them; all other
    clusters are `crossed` with the systems.
    """
    k = change.shape[1]
    product = change.T @ change
    total, squares = float(np.trace(product)), float((product**2).sum())
    common = total / (k - 1)
    noise = float(((change**2).sum(axis=1) ** 2).sum()) - squares / len(change)
    distance = squares - total**2 / (k - 1)
    weight = min(1.0, noise / distance) if distance > 1e-12 * squares else 1.0
    unpooled = np.diag(product)[:, None] + np.diag(product) - 2 * product
    variance = weight * 2 * common + (1 - weight) * unpooled
    effective = added.sum() ** 2 / (added**2).sum() if (added > 0).any() else 1.0
    if fitted.design.has_topics or crossed:
        unpooled_degrees = max(1.0, effective - 1)
        pooled_degrees = unpooled_degrees * (k - 1) * _box_epsilon(unpooled_degrees, k, total, squares)
    else:
        unpooled_degrees, pooled_degrees = max(1.0, 2 * effective / k - 2), max(1.0, effective - k)
    return variance, 1 / ((1 - (1 - weight) ** 2) / pooled_degrees + (1 - weight) ** 2 / unpooled_degrees)


def _box_epsilon(df: float, k: int, total: float, squares: float) -> float:
    """Return Box's epsilon of k systems, nearly unbiased, from the trace of a matrix of `df` degrees and its square."""
    unbiased = squares
    if df > 1.01:
        unbiased = df / ((df - 1) * (df + 2)) * (df * squares - total**2)
    epsilon = total**2 / unbiased / (k - 1) if unbiased > 0 else 1.0
    return float(np.clip(epsilon, 1 / (k - 1), 1))


def undefined_differences(
    k: int, reason: str, scope: Scope = "raters like these", level: float = 0.95
) -> PairedDifferences:
    """Return undefined comparisons of k systems with a reason."""
    missing = np.full((k, k), nan)
    return PairedDifferences(
        np.full(k, nan), missing, missing, missing, missing, missing, missing, np.zeros((k, k), dtype=np.bool_),
        ("",) * k, scope, level, 0, reason,
    )  # fmt: skip


def _insert_systems(compared: PairedDifferences, index: Codes, k: int) -> PairedDifferences:
    """Insert comparisons of some systems among all k, where the others are undefined."""

    def extend(matrix: Floats) -> Floats:
        return np.pad(matrix, (0, 1), constant_values=nan)

    extended = replace(
        compared,
        scores=np.append(compared.scores, nan),
        differences=extend(compared.differences),
        error=extend(compared.error),
        df=extend(compared.df),
        low=extend(compared.low),
        high=extend(compared.high),
        p=extend(compared.p),
        is_different=np.pad(compared.is_different, (0, 1)),
        letters=(*compared.letters, ""),
    )
    position = np.full(k, len(index))
    position[index] = np.arange(len(index))
    return extended.select(position)
