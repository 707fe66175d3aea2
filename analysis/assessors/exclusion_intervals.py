"""Changes of a ranking of systems when raters are excluded, with intervals."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import comb, inf, nan
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from analysis.assessors.system_model import additive_means, cell_means, plain_means, too_large_reason
from analysis.correlation.rank_rows import (
    FEWEST_PAIRS,
    discordant_rows,
    midranks,
    pearson_rows,
    spearman_rows,
)
from analysis.pairs.paired_differences import PairedDifferences, compare_cells, undefined_differences
from analysis.pairs.system_table import Cells
from analysis.resampling.intervals import (
    Ends,
    blocks,
    bootstrap_error,
    interval_from_error,
    rao_wu_weights,
    scaled_percentiles,
)
from analysis.values.estimate import BootstrapSpec, Estimate, Floats, InputError, Scope
from analysis.values.ratings import different, occurring, ratio, settle

LISTED = 1_000
"""Largest number of systems whose swapped pairs are listed; above it, they are only counted."""


@dataclass(frozen=True, eq=False)
class RankingChange:
    """Comparison of two rankings of the same systems.

    `systems` (k,) ids in both, by their rank before; `rank_before`, `rank_after`, `shifts` (k,): 1 is best, ties have
    midranks, a positive shift is a rise. `pearson`, `spearman` between the scores, n systems; `swaps` counts pairs of
    systems in opposite order, `swapped` lists them (the first was ahead before; empty above 1,000 systems); `lost` ids
    are in the first ranking only.
    """

    systems: NDArray[Any]
    rank_before: Floats
    rank_after: Floats
    pearson: Estimate
    spearman: Estimate
    swaps: int
    swapped: tuple[tuple[Any, Any], ...]
    lost: tuple[Any, ...]

    @property
    def shifts(self) -> Floats:
        """Ranks gained (k,)."""
        return self.rank_before - self.rank_after


def compare_rankings(before: Mapping[Any, float], after: Mapping[Any, float]) -> RankingChange:
    """Compare two rankings of systems.

    Parameters
    ----------
    before, after : system -> score, NaN where undefined

    Returns
    -------
    RankingChange
        over the k systems in both, arrays (k,).

    Raises
    ------
    InputError
        where a score is infinite.

    Notes
    -----
    Rankings that share data agree by construction: compare the correlations with those of random exclusions. Undefined
    for fewer than 3 systems or equal scores.
    Source: Owczarzak et al. 2012, Table 2.

    >>> change = compare_rankings({"a": 3, "b": 2, "c": 1}, {"a": 2.5, "b": 2.75, "c": 1})
    >>> change.spearman.value, change.swapped
    (0.5, (('a', 'b'),))
    """
    ids = np.empty(len(before), dtype=object)
    ids[:] = list(before)
    first = np.array([before[system] for system in before], dtype=np.float64)
    second = np.array([after.get(system, nan) for system in before], dtype=np.float64)
    if np.isinf(first).any() or np.isinf(second).any():
        raise InputError("scores must be finite, or NaN where a system has none; got an infinite one")
    return ranking_change(ids, first, second)


def ranking_change(systems: NDArray[Any], before: Floats, after: Floats) -> RankingChange:
    """Compare two rankings from aligned scores, as `compare_rankings`."""
    shared = np.flatnonzero(~np.isnan(before) & ~np.isnan(after))
    lost = systems[~np.isnan(before) & np.isnan(after)]
    x, y = settle(before[shared]), settle(after[shared])
    order = np.argsort(-x, kind="stable")
    shared, x, y = shared[order], x[order], y[order]
    rank_x, rank_y = midranks(-np.vstack([x, y]))
    reason = _no_correlation(x, y)
    r, rho = (
        (nan, nan)
        if reason
        else (float(pearson_rows(x[None], y[None])[0]), float(pearson_rows(rank_x[None], rank_y[None])[0]))
    )
    swapped: tuple[tuple[Any, Any], ...] = ()
    if len(shared) <= LISTED:
        first, second = np.nonzero((x[:, None] > x[None, :]) & (y[:, None] < y[None, :]))
        ids = systems[shared].tolist()
        swapped = tuple((ids[i], ids[j]) for i, j in zip(first.tolist(), second.tolist(), strict=True))
        swaps = len(swapped)
    else:
        swaps = int(discordant_rows(x[None], y[None])[0])
    n = len(shared)
    return RankingChange(
        systems[shared],
        rank_x,
        rank_y,
        Estimate(r, n=n, reason=reason),
        Estimate(rho, n=n, reason=reason),
        swaps,
        swapped,
        tuple(lost.tolist()),
    )


def row_correlations(before: Floats, after: Floats) -> Floats:
    """Return Pearson's r and Spearman's rho of each pair of rows, over the systems in both."""
    x, y = settle(before), settle(after)
    few = (~np.isnan(x) & ~np.isnan(y)).sum(axis=1) < FEWEST_PAIRS
    return np.where(few, nan, np.stack([pearson_rows(x, y), spearman_rows(x, y)]))


def _no_correlation(x: Floats, y: Floats) -> str:
    if len(x) < FEWEST_PAIRS:
        needed = f"a correlation needs at least {FEWEST_PAIRS} systems that have scores before and after"
        return f"{needed}; there are {len(x)}"
    flat = [side for side, values in (("before", x), ("after", y)) if np.ptp(values) == 0]
    return f"all systems have the same score {' and '.join(flat)}" if flat else ""


RaterFilter = Callable[[NDArray[np.int64], NDArray[np.int64]], NDArray[np.bool_]]
"""Function from the counts of each rater (w,) and topic (t,) in a sample to the mask of included raters (w,)."""
MOST_DRAWN = 5_000
"""Largest number of systems with bootstrap intervals."""
FEW_UNITS = 6
"""Raters or topics below which intervals of scores are widened though both are drawn (coverage is 88% otherwise)."""
MOST_EXCLUSIONS = 400
"""Largest number of sets of excluded raters for the variance of a change."""
_BLOCK = 2_000_000
"""Cells in a block of draws."""
DENSE_RATIO = 8
"""Entries of a matrix of cells by raters per nonzero one up to which a dense matrix is faster than a sparse one."""
_RULE_BLOCK = 50
"""Samples in a block if a rule is applied in each."""


@dataclass(frozen=True, eq=False)
class Intervals:
    """Intervals of all systems' scores, (s,) each, NaN where there is none.

    `before_low` … `after_high`, and of the difference after minus before (NaN with two raters); `resampled_before` and
    `resampled_after` name the resampled units ("raters and topics", "topics", … or ""); `pairs_before` and
    `pairs_after` compare all pairs of systems, without samples; `exclusion_shares` gives by rater the share of the
    samples with this rater in which the rule excluded it, None if the same raters are excluded in all; `reason` is why
    there are no intervals.
    """

    before_low: Floats
    before_high: Floats
    after_low: Floats
    after_high: Floats
    difference_low: Floats
    difference_high: Floats
    resampled_before: str
    resampled_after: str
    draws: int
    pairs_before: PairedDifferences
    pairs_after: PairedDifferences
    exclusion_shares: dict[Any, float] | None = None
    reason: str = ""


@dataclass(frozen=True, eq=False)
class ScoreIntervals:
    """Intervals of the scores (s,) by some raters, from `low` to `high`, and comparisons of all `pairs` of systems.

    `units` name what was resampled; `exclusion_shares` (w,) is the share of the samples with a rater in which a rule
    excluded them, None without a rule; `reason` is why there are no intervals.
    """

    low: Floats
    high: Floats
    units: str
    pairs: PairedDifferences
    exclusion_shares: Floats | None = None
    reason: str = ""


def score_intervals(
    table: Cells,
    keep: NDArray[np.bool_],
    method: Literal["additive", "plain"],
    spec: BootstrapSpec,
    scope: Scope,
    pairs: PairedDifferences,
    on_progress: Callable[[float], object] | None = None,
    rule: RaterFilter | None = None,
) -> ScoreIntervals:
    """Estimate bootstrap intervals of the scores by the raters in the mask (w,), by those of the `rule` in a sample."""
    s, units = len(table.systems), resampled_units(table, keep, scope)
    reason = _reason_without_intervals(table, method, spec.draws, units)
    if reason:
        return ScoreIntervals(np.full(s, nan), np.full(s, nan), units, pairs, None, reason)
    bootstrap = _BootstrapSide(table, keep, units)
    # A rule looks at all raters of a sample.
    sampled_units = resampled_units(table, np.ones_like(keep), scope)
    rng = np.random.default_rng([spec.seed, 1])
    fit = additive_means if method == "additive" else plain_means
    samples = np.empty((spec.draws, s))
    times_sampled, times_excluded = np.zeros((2, len(keep)))
    at_once = _BLOCK // max(len(table.system), 1)
    for block in blocks(spec.draws, at_once if rule is None else min(at_once, _RULE_BLOCK), on_progress):
        size = block.stop - block.start
        weights = (
            rao_wu_weights(rng, len(table.raters), size).T,
            rao_wu_weights(rng, len(table.topics), size).T,
        )
        included = None if rule is None else _included_in_samples(rule, *weights, sampled_units)
        if included is not None:
            is_sampled = weights[0] > 0
            times_sampled, times_excluded = (
                times_sampled + is_sampled.sum(axis=1),
                times_excluded + (is_sampled & ~included).sum(axis=1),
            )
        samples[block] = fit(table, *bootstrap.weighted_means(*weights, included))
    ends = (np.fmin.reduce(samples, axis=0), np.fmax.reduce(samples, axis=0))
    is_constant = np.isclose(*ends, rtol=1e-9, atol=0.0)
    # one unit, or two alike, tell no variance
    samples[:, bootstrap.units < np.where(is_constant, 3, 2)] = nan
    bounds = _interval_around_mean(samples, spec.level, bootstrap.degrees)
    shares = None if rule is None else ratio(times_excluded, times_sampled)
    return ScoreIntervals(*bounds, units, pairs, shares)


def draw_intervals(
    table: Cells,
    keep: NDArray[np.bool_],
    method: Literal["additive", "plain"],
    spec: BootstrapSpec,
    values: tuple[Floats, Floats],
    on_progress: Callable[[float], object] | None = None,
    rule: RaterFilter | None = None,
    scope: Scope = "raters like these",
    pairs: tuple[PairedDifferences, PairedDifferences] | None = None,
    everyone: ScoreIntervals | None = None,
) -> Intervals:
    """Estimate bootstrap intervals of all scores before and after, and of their difference.

    Parameters
    ----------
    table : of s systems and w raters
    keep : (w,) True for the raters that are not excluded
    method : model of the scores of a sample
    spec : draws, seed and level
    values : (s,) scores before and after
    on_progress : called between blocks with the share done
    rule : gives the included raters of a sample; `keep` in all if not given
    scope : "these raters" resamples topics only, if there are several
    pairs : comparisons of all pairs before and after, None to compute them here
    everyone : intervals by all raters, None to estimate them here

    Returns
    -------
    Intervals
        (s,) each; NaN with a reason if there is nothing to resample.

    Notes
    -----
    A system whose raters are missing from more than half the samples has no interval. The weight of a rating is the
    number of times that its rater and its topic were drawn.
    Source: Owen 2007, "The pigeonhole bootstrap", section 2; Rao & Wu 1988; methods, section 0.
    """
    paired = pairs or compare_before_and_after(table, keep, scope, spec.level)
    before = everyone or score_intervals(table, np.ones_like(keep), method, spec, scope, paired[0])
    if before.reason:
        return empty_intervals(len(table.systems), before.reason, paired)
    is_same = bool(keep.all()) and rule is None
    after = (
        before if is_same else score_intervals(table, keep, method, spec, scope, paired[1], on_progress, rule)
    )
    shares = after.exclusion_shares
    return Intervals(
        before.low,
        before.high,
        after.low,
        after.high,
        *_change_interval(
            table,
            keep,
            values[1] - values[0],
            additive_means if method == "additive" else plain_means,
            spec,
        ),
        before.units,
        after.units,
        spec.draws,
        *paired,
        None if shares is None else dict(zip(table.raters.tolist(), shares.tolist(), strict=True)),
    )


def _change_interval(
    table: Cells, keep: NDArray[np.bool_], change: Floats, fit: Callable[..., Floats], spec: BootstrapSpec
) -> Ends:
    """Estimate the interval (s,) of each score's change when the raters outside the mask (w,) are excluded."""
    w, excluded = len(keep), int((~keep).sum())
    if excluded == 0:
        return Ends(change, change)
    if w < 3:  # the variance needs two raters on one side
        return Ends(np.full(len(change), nan), np.full(len(change), nan))
    exclusions, are_all = possible_exclusions(
        w, excluded, MOST_EXCLUSIONS, np.random.default_rng([spec.seed, 7])
    )
    before = fit(table, cell_means(table, np.ones(w, dtype=bool))[None])
    changes = []
    for block in blocks(len(exclusions), _BLOCK // max(len(table.system), 1)):
        remaining = np.stack(
            [
                cell_means(table, ~np.isin(np.arange(w), excluded_raters))
                for excluded_raters in exclusions[block]
            ]
        )
        changes.append(fit(table, remaining) - before)
    variance_of_any = bootstrap_error(np.concatenate(changes)) ** 2 * (
        (len(exclusions) - 1) / len(exclusions) if are_all else 1.0
    )
    pooled = np.maximum((w - 1) * variance_of_any - change**2, 0.0) / (w - 2)
    return interval_from_error(change, np.sqrt(pooled), spec.level, w - 2)


def possible_exclusions(
    raters: int, excluded: int, limit: int, rng: np.random.Generator
) -> tuple[NDArray[np.int64], bool]:
    """Return sets of raters (d, excluded), all or at most `limit` random ones, and True if they are all."""
    if comb(raters, excluded) <= limit:
        return np.array(list(combinations(range(raters), excluded)), dtype=np.int64).reshape(
            -1, excluded
        ), True
    return np.array([rng.choice(raters, excluded, replace=False) for _ in range(limit)]), False


def _included_in_samples(rule: RaterFilter, raters: Floats, topics: Floats, units: str) -> NDArray[np.bool_]:
    """Return the included raters (w, b) in each of b samples of raters (w, b) and topics (t, b)."""
    times = _draw_counts(raters) if "raters" in units else np.ones(raters.shape, dtype=np.int64)
    copies = (
        _draw_counts(topics)
        if units in ("topics", "raters and topics")
        else np.ones(topics.shape, dtype=np.int64)
    )
    return np.stack([rule(*sample) for sample in zip(times.T, copies.T, strict=True)], axis=1)


def _draw_counts(weights: Floats) -> NDArray[np.int64]:
    """Return the number of times that each unit was drawn, from its rescaled weight."""
    units = len(weights)
    return np.rint(weights * ((units - 1) / units if units > 1 else 1)).astype(np.int64)


def compare_before_and_after(
    table: Cells, keep: NDArray[np.bool_], scope: Scope, level: float = 0.95, has_topics: bool = True
) -> tuple[PairedDifferences, PairedDifferences]:
    """Compare all pairs of systems by all raters, and by those in the mask."""
    before = compare_cells(table, None, scope, level, has_topics)
    return before, before if keep.all() else compare_cells(table, keep, scope, level, has_topics)


def empty_intervals(
    systems: int, reason: str, pairs: tuple[PairedDifferences, PairedDifferences] | None = None
) -> Intervals:
    """Return intervals of NaN with a reason."""
    none = np.full(systems, nan)
    before, after = pairs or (undefined_differences(systems, reason), undefined_differences(systems, reason))
    return Intervals(none, none, none, none, none, none, "", "", 0, before, after, None, reason)


def _included_entries(table: Cells, keep: NDArray[np.bool_]) -> slice | NDArray[np.bool_]:
    """Return the index of the pairs of cell and rater (e,) of the included raters, a slice if these are all."""
    return slice(None) if keep.all() else keep[table.rater]


def resampled_units(table: Cells, keep: NDArray[np.bool_], scope: Scope = "raters like these") -> str:
    """Return the units that a bootstrap can resample.

    They are "raters and topics", "raters with their topics", "raters", "topics" or "".
    Source: Owen 2007 (crossed); Cameron & Miller 2015, section 2 (nested).
    """
    at = _included_entries(table, keep)
    topic, rater = table.topic[table.cell[at]], table.rater[at]
    topics, raters = different(topic), different(rater)
    if topics > 1 and scope == "these raters":
        return "topics"
    if topics > 1 and raters > 1:
        nested = different(topic * len(table.raters) + rater) == topics
        return "raters with their topics" if nested else "raters and topics"
    return "raters" if raters > 1 else "topics" if topics > 1 else ""


def _cell_rater_matrix(table: Cells, values: Floats) -> Any:
    """Return values (e,) of pairs of cell and rater as a matrix of cells by raters, sparse if most entries are 0."""
    c, w = len(table.system), len(table.raters)
    if c * w > DENSE_RATIO * len(values):
        return sparse.csr_array((values, (table.cell, table.rater)), shape=(c, w))
    matrix = np.zeros((c, w))
    matrix[table.cell, table.rater] = values
    return matrix


class _BootstrapSide:
    """Ratings of the included raters as matrices of cells by raters; the counts of each cell sum to 1."""

    def __init__(self, table: Cells, keep: NDArray[np.bool_], units: str) -> None:
        c = len(table.system)
        weight = keep[table.rater].astype(np.float64)
        n = np.bincount(table.cell, table.counts * weight, c)[table.cell]
        weight = np.where(n > 0, weight / np.where(n > 0, n, 1.0), 0.0)
        self._sums, self._shares = (
            _cell_rater_matrix(table, of * weight) for of in (table.sums, table.counts)
        )
        self._table = table
        self._topic = table.topic
        self._what = units
        self._raters = int(keep.sum())
        self._topics = different(table.topic[table.cell[_included_entries(table, keep)]])
        self.units = self._units_per_system(table, keep)

    @cached_property
    def _counts_and_sums(self) -> tuple[Any, Any]:
        """Counts and sums of the scores of all raters."""
        return _cell_rater_matrix(self._table, self._table.counts), _cell_rater_matrix(
            self._table, self._table.sums
        )

    def _units_per_system(self, table: Cells, keep: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Count the resampled units of each system (s,): raters or topics, whichever are more, if both are drawn."""
        entries = _included_entries(table, keep)
        system, s = table.system[table.cell[entries]], len(table.systems)

        def units(codes: NDArray[np.int64]) -> NDArray[np.int64]:
            size = int(codes.max(initial=0)) + 1
            return np.bincount(occurring(system * size + codes) // size, minlength=s)

        raters, topics = units(table.rater[entries]), units(table.topic[table.cell[entries]])
        if self._what == "raters and topics":
            return np.maximum(raters, topics)
        return topics if self._what == "topics" else raters

    @property
    def degrees(self) -> Floats:
        """Degrees of freedom (s,) of Student's t, as few resampled units underestimate the variance."""
        if self._what == "raters and topics":
            fewer = min(self._raters, self._topics)
            return np.full(len(self.units), 2.0 * fewer if fewer < FEW_UNITS else inf)
        of_each: Floats = np.maximum(self.units - 1.0, 1.0)
        return of_each

    def weighted_means(
        self, raters: Floats, topics: Floats, included: NDArray[np.bool_] | None = None
    ) -> tuple[Floats, Floats]:
        """Return means and weights of the cells (b, c) from weights of raters (w, b) and topics (t, b)."""
        if "raters" not in self._what:
            raters = np.ones_like(raters)
        if self._what in ("raters", "raters with their topics"):
            topics = np.ones_like(topics)
        if included is not None:
            counts, totals = self._counts_and_sums
            weighted_counts = np.asarray(counts @ (raters * included))
            shares = ratio(weighted_counts, np.asarray(counts @ included.astype(np.float64)))
            weight = np.where(np.isnan(shares), 0.0, shares) * topics[self._topic]
            return ratio(totals @ (raters * included), weighted_counts).T, weight.T
        shares = np.asarray(self._shares @ raters)
        return ratio(self._sums @ raters, shares).T, (shares * topics[self._topic]).T


def _reason_without_intervals(table: Cells, method: str, draws: int, units: str) -> str:
    if draws == 0:
        return "no draws were asked for"
    if not units:
        return "with one rater and one topic there is nothing to resample"
    systems = len(table.systems)
    if systems > MOST_DRAWN:
        return f"intervals are drawn for at most {MOST_DRAWN} of what is ranked; there are {systems}"
    return too_large_reason(table, 2 * draws) if method == "additive" else ""


def _interval_around_mean(samples: Floats, level: float, degrees: Floats) -> Ends:
    """Return the ends (s,) of the middle `level` of the samples (draws, s), widened around their mean for few units:
    each system has its own degrees of freedom (s,)."""
    known = ~np.isnan(samples)
    mean = ratio(np.where(known, samples, 0.0).sum(axis=0), known.sum(axis=0))
    return scaled_percentiles(mean, samples, level, degrees)
