"""The studentized range of k means, for many quantities and degrees of freedom at once.

It is integrated here because scipy's `studentized_range` needs some 30 ms per probability and a second per quantile.
"""

from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from math import nan, sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special
from scipy.optimize.elementwise import find_root

from analysis.pairs.cluster_jackknife import (
    changes,
    changes_of_table,
    variances_added,
    variances_added_of_table,
)
from analysis.pairs.least_squares import Design, Fit, fit
from analysis.pairs.system_table import Cells, cells, letters
from analysis.values.estimate import Codes, Floats, Scope, chosen_scope
from analysis.values.ratings import coded, different

SCALES, POINTS, DEGREE = 160, 128, 100
"""Nodes for the scale of the error and for the largest of k normal numbers; degree of the range's polynomial."""
FARTHEST = 9.0
"""Standard deviations beyond which no normal number is looked for."""
WIDEST = 14.0
"""Standard deviations that no range of normal numbers exceeds."""
RARE = 1e-17
"""Probability of an error's scale beyond which it is left out."""
MOST_DEGREES = 1e9
"""Degrees of freedom above which more change nothing."""
NODES = 32
"""Degree of the table of quantiles over 1 / df."""
BLOCK = 4_000_000
"""Numbers in memory at once."""


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
    given = np.asarray(q, dtype=np.float64)
    degrees = np.broadcast_to(np.asarray(df, dtype=np.float64), given.shape)
    step = max(1, BLOCK // SCALES)
    parts = []
    for start in range(0, len(given), step):
        of_these = degrees[start : start + step]
        scale, weight = _scales(of_these[:1] if (of_these == of_these[0]).all() else of_these)
        wide = np.minimum(given[start : start + step, None] * scale, WIDEST)
        parts.append(((1 - polynomial(wide)) * weight).sum(axis=1))
    return np.asarray(np.clip(np.concatenate([np.empty(0), *parts]), 0.0, 1.0))


def critical_range(level: float, k: int, df: float) -> float:
    """Return the studentized range of k means that is exceeded with probability 1 - level.

    >>> round(critical_range(0.95, 3, 12), 4)
    3.7729
    """
    return float(_quantiles(level, k, np.array([df]))[0])


def critical_ranges(level: float, k: int, df: ArrayLike) -> Floats:
    """Return the same for many degrees of freedom (…,), each 1 or more, from a table over 1 / df (to about 1e-6)."""
    inverse = 1 / np.clip(np.asarray(df, dtype=np.float64), 1.0, MOST_DEGREES)
    return np.asarray(np.exp(_table(level, k)(inverse)))


@lru_cache(maxsize=64)
def _table(level: float, k: int) -> np.polynomial.Chebyshev:
    """Logarithm of the quantile as a polynomial in 1 / df from 0 to 1."""

    def log_quantiles(inverse: Floats) -> Floats:
        return np.asarray(np.log(_quantiles(level, k, 1 / np.maximum(inverse, 1 / MOST_DEGREES))))

    return np.polynomial.Chebyshev.interpolate(log_quantiles, NODES, (0.0, 1.0))


def _quantiles(level: float, k: int, df: Floats) -> Floats:
    def excess(q: Floats, of: Floats) -> Floats:
        return range_p(q, k, of) - (1 - level)

    high = np.full(len(df), 4.0)
    while (beyond := excess(high, df) > 0).any():
        high = np.where(beyond, 2 * high, high)
    found = find_root(excess, (np.zeros(len(df)), high), args=(df,))
    return np.asarray(found.x)


@lru_cache(maxsize=64)
def _range_of_normals(k: int) -> np.polynomial.Chebyshev:
    """Probability that the range of k normal numbers is at most w, as a polynomial from 0 to WIDEST."""
    node, width = _nodes(POINTS)
    z = FARTHEST * node
    density = k * FARTHEST * width * np.exp(-z * z / 2) / sqrt(2 * np.pi)
    below = special.ndtr(z)

    def inside(w: Floats) -> Floats:
        inner: Floats = (below - special.ndtr(z - w[:, None])) ** (k - 1) @ density
        return inner

    return np.polynomial.Chebyshev.interpolate(inside, DEGREE, (0.0, WIDEST))


def _scales(df: Floats) -> tuple[Floats, Floats]:
    """Values (n, SCALES) of sqrt(chi² / df) and how often they are, on the logarithm's nodes."""
    low = np.log(special.gammaincinv(df / 2, RARE)) / 2
    high = np.log(special.gammainccinv(df / 2, RARE)) / 2
    node, width = _nodes(SCALES)
    x = low[:, None] + (high - low)[:, None] * (node + 1) / 2
    density = df[:, None] * x - np.exp(2 * x)
    weight = width * np.exp(density - density.max(axis=1, keepdims=True))
    return np.exp(x) * np.sqrt(2 / df)[:, None], weight / weight.sum(axis=1, keepdims=True)


@lru_cache(maxsize=4)
def _nodes(number: int) -> tuple[Floats, Floats]:
    """Nodes and weights of Gauss and Legendre on -1 to 1."""
    node, width = np.polynomial.legendre.leggauss(number)
    return np.asarray(node), np.asarray(width)


MOST_COMPARED = 100
"""Systems of which all pairs are compared."""
FEWEST_TOPICS, FEWEST_RATERS = 6, 3
"""Topics, and for raters like these raters, from which differences are compared."""
NOTHING = 1e-9
"""Part of the scores' variance below which a variance is 0."""


@dataclass(frozen=True, eq=False)
class PairedDifferences:
    """All pairs of k systems.

    `scores` (k,) have mean 0 over the compared systems. Matrices (k, k), row minus column, NaN where nothing is known:
    `differences`, their standard `error` with `df` degrees of freedom, `low` and `high` of their simultaneous
    intervals, adjusted `p`, and `apart`, True where the interval excludes 0. `letters` (k,): systems that share one do
    not clearly differ. `reason` says why there is none of this.
    """

    scores: Floats
    differences: Floats
    error: Floats
    df: Floats
    low: Floats
    high: Floats
    p: Floats
    apart: NDArray[np.bool_]
    letters: tuple[str, ...]
    scope: Scope = "raters like these"
    level: float = 0.95
    compared: int = 0
    reason: str = ""

    @property
    def differing(self) -> int:
        """Number of pairs whose interval excludes 0."""
        return int(self.apart.sum()) // 2

    @property
    def pairs(self) -> int:
        """Number of pairs that have an interval."""
        return int((~np.isnan(self.low)).sum()) // 2

    def select(self, systems: ArrayLike) -> "PairedDifferences":
        """Return those at these places only, in this order; their intervals still hold for all that were compared."""
        at = np.asarray(systems, dtype=np.int64)
        both = np.ix_(at, at)
        return replace(
            self,
            scores=self.scores[at],
            differences=self.differences[both],
            error=self.error[both],
            df=self.df[both],
            low=self.low[both],
            high=self.high[both],
            p=self.p[both],
            apart=self.apart[both],
            letters=tuple(self.letters[one] for one in at),
        )

    @cached_property
    def detectable(self) -> float:
        """Difference of two systems that such a study finds with a power of 80%, all pairs tested; NaN if unknown.

        That of the median pair: its half-width plus t(.8; df) standard errors.
        """
        return self.detectable_with(0.8)

    def detectable_with(self, power: float) -> float:
        """Return the same with another power."""
        known = ~np.isnan(self.error)
        if not known.any():
            return nan
        half = (self.high - self.low)[known] / 2
        return float(np.median(half + special.stdtrit(self.df[known], power) * self.error[known]))


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
    return compare_cells(cells(system, topic, rater, score), None, scope, level, has_topics)


def compare_cells(
    table: Cells,
    keep: NDArray[np.bool_] | None,
    scope: Scope | None,
    level: float = 0.95,
    has_topics: bool = True,
) -> PairedDifferences:
    """Compare all pairs of the systems of a table by the raters (w,) to keep (None: all), as `paired_differences`."""
    systems = len(table.systems)
    if keep is not None and not keep.all():
        table = _part(table, keep[table.rater])
    raters, topics = different(table.rater), different(table.topic)
    scope = chosen_scope(scope, raters)
    reason = _too_few(different(table.system), topics, raters, scope, has_topics)
    if reason:
        return no_differences(systems, reason, scope, level)
    often = _seen_often(table, scope)
    if not often.all():
        table = _part(table, often[table.system][table.cell])
    (there, of_system), (_, of_topic), (_, of_rater) = (
        coded(each) for each in (table.system, table.topic, table.rater)
    )
    if len(there) < 2:
        return no_differences(systems, "at most one system has enough ratings", scope, level)
    design = Design(of_system, of_topic, table.cell, of_rater, table.counts, table.sums, has_topics)
    fitted = fit(design)
    if not fitted.is_estimable:
        return no_differences(systems, _why_not_estimable(design), scope, level)
    found = _compare(fitted, scope, level, design.variance)
    return found if found.reason or len(there) == systems else _placed(found, there, systems)


def _part(table: Cells, stays: NDArray[np.bool_]) -> Cells:
    """Return the pairs of cell and rater (e,) that stay, and the cells that still have ratings."""
    there, cell = coded(table.cell[stays])
    return replace(
        table,
        system=table.system[there],
        topic=table.topic[there],
        cell=cell,
        rater=table.rater[stays],
        sums=table.sums[stays],
        counts=table.counts[stays],
    )


def _too_few(systems: int, topics: int, raters: int, scope: Scope, has_topics: bool) -> str:
    """Return what is missing for a comparison, "" if nothing is."""
    if systems < 2:
        return "a comparison needs two systems"
    if systems > MOST_COMPARED:
        return f"all pairs are compared for at most {MOST_COMPARED} systems, and there are {systems}"
    if topics < FEWEST_TOPICS:
        return f"it needs {FEWEST_TOPICS} {'topics' if has_topics else 'items'}, and there are {topics}"
    if scope == "raters like these" and raters < FEWEST_RATERS:
        return f"raters like these need {FEWEST_RATERS} raters, and there are {raters}"
    return ""


def _seen_often(table: Cells, scope: Scope) -> NDArray[np.bool_]:
    """Return which systems (s,) stay where any one topic goes, or for raters like these any one rater."""
    enough = np.ones(len(table.systems), dtype=bool)
    if len(table.cell) == 0:
        return enough
    present, first = np.unique(table.system, return_index=True)
    of_pairs = np.searchsorted(table.cell, first)
    for ids, starts in ((table.topic, first), (table.rater, of_pairs)):
        if ids is table.topic or scope == "raters like these":
            enough[present] &= np.minimum.reduceat(ids, starts) < np.maximum.reduceat(ids, starts)
    return enough


def _why_not_estimable(design: Design) -> str:
    """Return what separates the systems: topics that they do not share, or raters."""
    if design.has_topics and not fit(design.without_raters()).is_estimable:
        return "the systems fall into groups that share no topic"
    return "the systems fall into groups rated by different raters, so their severity counts as a difference"


def _compare(fitted: Fit, scope: Scope, level: float, total: float) -> PairedDifferences:
    k = fitted.design.systems
    variance, df = _variances(fitted, scope)
    off = ~np.eye(k, dtype=bool)
    if not (variance[off] > NOTHING * total).any():
        return no_differences(
            k, "the differences do not vary, so nothing tells how certain they are", scope, level
        )
    known = off & (variance > NOTHING * total)
    error, df = np.sqrt(np.where(known, variance, nan)), np.where(known, df, nan)
    half, p = np.full((k, k), nan), np.full((k, k), nan)
    differences = fitted.score[:, None] - fitted.score
    half[known] = critical_ranges(level, k, df[known]) / np.sqrt(2) * error[known]
    upper = np.triu(known)
    p[upper] = range_p(np.sqrt(2) * np.abs(differences[upper]) / error[upper], k, np.clip(df[upper], 1, 1e9))
    p = np.where(known.T & ~upper, p.T, p)
    apart = known & (np.abs(differences) > half)
    return PairedDifferences(
        fitted.score, differences, error, df, differences - half, differences + half, p, apart,
        letters(-fitted.score, apart), scope, level, k,
    )  # fmt: skip


def _variances(fitted: Fit, scope: Scope) -> tuple[Floats, Floats]:
    """Variances of all differences (k, k) and their degrees of freedom."""
    found = _clusters(fitted, scope)
    of_topics, topics_add = found[0]
    if scope == "these raters":
        variance, df = _pooled(fitted, of_topics, topics_add[0])
        return variance, np.full_like(variance, df)
    of_raters, raters_add = found[1]
    of_both, both_add = found[2]
    residual = (of_both**2).sum() / both_add[1].sum()

    def expected(change: Floats, add: tuple[Floats, Floats]) -> Floats:
        """Return the part of each cluster in the sum of the scores' variances."""
        more = add[0].sum() - both_add[0].sum()
        known = more > NOTHING * add[0].sum()
        own = max(((change**2).sum() - (of_both**2).sum()) / more, 0.0) if known else 0.0
        return np.asarray(own * add[0] + residual * add[1])

    topic, f_topic = _pooled(fitted, of_topics, expected(of_topics, topics_add))
    rater, f_rater = _pooled(fitted, of_raters, expected(of_raters, raters_add), crossed=True)
    cell, f_cell = _pooled(fitted, of_both, both_add[0])
    t, r, c = (1 / len(one) for one in (of_topics, of_raters, of_both))
    whole = 1 - t - r + c
    parts = (1 - t) * topic / whole, (1 - r) * rater / whole, (1 - c) * cell / whole
    variance = np.maximum(parts[0] + parts[1] - parts[2], np.maximum(topic, rater) / 2)
    spread = parts[0] ** 2 / f_topic + parts[1] ** 2 / f_rater + parts[2] ** 2 / f_cell
    return variance, np.divide(variance**2, spread, out=np.ones_like(spread), where=spread > 0)


def _clusters(fitted: Fit, scope: Scope) -> list[tuple[Floats, tuple[Floats, Floats]]]:
    """Return changes and added variances of topics, and for raters like these of raters and of both together."""
    design, table = fitted.design, fitted.table
    if scope == "raters like these" and table is not None:
        levels, others, both = zip(
            changes_of_table(fitted, table), variances_added_of_table(fitted, table), strict=True
        )
        return [others, levels, both] if fitted.eliminated == "rater" else [levels, others, both]
    clusters = [design.topic]
    if scope == "raters like these":
        _, pair = coded(design.topic * (int(design.rater.max()) + 1) + design.rater)
        clusters += [design.rater, pair]
    return [(changes(fitted, each), variances_added(fitted, each)) for each in clusters]


def _pooled(fitted: Fit, change: Floats, added: Floats, crossed: bool = False) -> tuple[Floats, float]:
    """Variances of all differences (k, k), pooled over pairs as far as they are alike, and their degrees of freedom.

    `change` (G, k) are the changes without each cluster, `added` (G,) what each adds to the scores' variances. The
    weight of the common variance is that of Ledoit and Wolf 2004; with equal variances and no correlation it is 1
    (Tukey's case). A cluster of items belongs to one system, so each pair has its part of them only; all others are
    `crossed` with the systems.
    """
    k = change.shape[1]
    product = change.T @ change
    total, squares = float(np.trace(product)), float((product**2).sum())
    common = total / (k - 1)
    noise = float(((change**2).sum(axis=1) ** 2).sum()) - squares / len(change)
    distance = squares - total**2 / (k - 1)
    weight = min(1.0, noise / distance) if distance > 1e-12 * squares else 1.0
    own = np.diag(product)[:, None] + np.diag(product) - 2 * product
    variance = weight * 2 * common + (1 - weight) * own
    effective = added.sum() ** 2 / (added**2).sum() if (added > 0).any() else 1.0
    if fitted.design.has_topics or crossed:
        single = max(1.0, effective - 1)
        pooled = single * (k - 1) * _sphericity(single, k, total, squares)
    else:
        single, pooled = max(1.0, 2 * effective / k - 2), max(1.0, effective - k)
    return variance, 1 / ((1 - (1 - weight) ** 2) / pooled + (1 - weight) ** 2 / single)


def _sphericity(df: float, k: int, total: float, squares: float) -> float:
    """Box's epsilon of k systems, nearly unbiased, from the trace of a matrix of `df` degrees and of its square."""
    unbiased = squares
    if df > 1.01:
        unbiased = df / ((df - 1) * (df + 2)) * (df * squares - total**2)
    epsilon = total**2 / unbiased / (k - 1) if unbiased > 0 else 1.0
    return float(np.clip(epsilon, 1 / (k - 1), 1))


def no_differences(
    k: int, reason: str, scope: Scope = "raters like these", level: float = 0.95
) -> PairedDifferences:
    """Return that k systems are not compared, and why."""
    nothing = np.full((k, k), nan)
    return PairedDifferences(
        np.full(k, nan), nothing, nothing, nothing, nothing, nothing, nothing, np.zeros((k, k), dtype=np.bool_),
        ("",) * k, scope, level, 0, reason,
    )  # fmt: skip


def _placed(found: PairedDifferences, at: Codes, k: int) -> PairedDifferences:
    """Return comparisons of some systems among all k: the others' place is one more, of which nothing is known."""

    def extend(matrix: Floats) -> Floats:
        return np.pad(matrix, (0, 1), constant_values=nan)

    one_more = replace(
        found,
        scores=np.append(found.scores, nan),
        differences=extend(found.differences),
        error=extend(found.error),
        df=extend(found.df),
        low=extend(found.low),
        high=extend(found.high),
        p=extend(found.p),
        apart=np.pad(found.apart, (0, 1)),
        letters=(*found.letters, ""),
    )
    place = np.full(k, len(at))
    place[at] = np.arange(len(at))
    return one_more.select(place)
