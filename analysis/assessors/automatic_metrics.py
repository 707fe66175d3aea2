"""Agreement of an automatic metric with human scores, and its change when some raters are excluded.

At system level a system's mean score is compared with its mean of the metric over the same topics; at summary level
each rater's scores are compared with the metric item by item, and the raters' correlations are averaged.

Systems are resampled with their observed means; to their variance is added the one due to raters and topics shared by
all systems (`pigeonhole`). At summary level one sample weights systems, raters and topics at once. The change over
systems has Zou's interval for two correlations over the same systems.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from math import inf, isnan, nan, sqrt
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from analysis.assessors.exclusion_intervals import resampled_units
from analysis.correlation.dependent import correlation_change
from analysis.correlation.rank_rows import (
    FEWEST_PAIRS,
    CorrelationName,
    pearson_rows,
    row_correlation,
    spearman_rows,
)
from analysis.pairs.system_table import Cells, build_cells
from analysis.resampling.intervals import (
    FISHER,
    IDENTITY,
    Transform,
    blocks,
    bootstrap_error,
    has_enough_samples,
    interval_from_error,
    rao_wu_weights,
    scaled_percentiles,
)
from analysis.resampling.pigeonhole import SHRINKAGE
from analysis.values.estimate import BootstrapSpec, Codes, Estimate, Floats, InputError, Scope
from analysis.values.ratings import numbers, ratio, settle

DEFAULT_BOOTSTRAP = BootstrapSpec()
"""Bootstrap of the intervals by default."""
FEWEST_SYSTEMS = 5
"""Fewest systems to resample."""
EVERYONE_OUT = "all raters are left out, so there are no scores to hold the metric against"
NOBODY_OUT = "nobody is left out, so nothing changes"
NO_RATINGS = "no rating has a metric value"
_BLOCK = 400_000
"""Numbers in a block of draws."""


@dataclass(frozen=True)
class Change:
    """A correlation with all raters, without the excluded ones, and the second minus the first."""

    before: Estimate
    after: Estimate
    difference: Estimate


@dataclass(frozen=True, eq=False)
class MetricAgreement:
    """Agreement of a metric with human scores, before and after some raters are excluded.

    `system_level`, `summary_level`: the paper's Tables 3 and 4, `n` counting systems and raters;
    `systems` (s,) ids with their means `human_before`, `metric_before`, `human_after`, `metric_after` (s,),
    NaN for a system without remaining ratings;
    `raters` (w,) ids, `rater_correlation` (w,) NaN where undefined, `rater_items` (w,) its number of items,
    `excluded` (w,);
    `ratings`, `topics` and `…_left` of them after; `without_metric` ratings excluded for lack of a metric value
    or score; `resampled` the units that the intervals draw.
    """

    correlation: CorrelationName
    system_level: Change
    summary_level: Change
    systems: NDArray[Any]
    human_before: Floats
    metric_before: Floats
    human_after: Floats
    metric_after: Floats
    raters: NDArray[Any]
    rater_correlation: Floats
    rater_items: Codes
    excluded: NDArray[np.bool_]
    ratings: int
    ratings_left: int
    topics: int
    topics_left: int
    without_metric: int
    resampled: str

    @property
    def undefined_raters(self) -> int:
        """Number of raters without a correlation: too few items, or constant scores or metric values."""
        return int(np.isnan(self.rater_correlation).sum())


@dataclass(frozen=True, eq=False)
class MetricScores:
    """N ratings paired with a metric, without the `set_aside` ones of unknown score or metric.

    Parameters
    ----------
    metric : (N,) the metric's value of the item of each rating, NaN where it is not known
    item, system, topic, rater : (N,) ids; where nothing but items is ranked, `system` is the item
    score : (N,) numbers, NaN where unknown

    Raises
    ------
    InputError
        where lengths differ or a metric or score is no number.

    Notes
    -----
    Source: Owczarzak et al. 2012, section 3, Tables 3 and 4.
    """

    metric: Floats
    item: NDArray[Any]
    system: NDArray[Any]
    topic: NDArray[Any]
    rater: NDArray[Any]
    score: Floats
    set_aside: int

    def __init__(
        self,
        metric: ArrayLike,
        item: ArrayLike,
        system: ArrayLike,
        topic: ArrayLike,
        rater: ArrayLike,
        score: ArrayLike,
    ) -> None:
        arguments = {
            "metric": metric,
            "item": item,
            "system": system,
            "topic": topic,
            "rater": rater,
            "score": score,
        }
        columns = {
            name: numbers(name, column) if name in ("metric", "score") else np.asarray(column)
            for name, column in arguments.items()
        }
        shape = columns["score"].shape
        for name, column in columns.items():
            if column.ndim != 1 or column.shape != shape:
                raise InputError(
                    "all columns must be 1-d and equally long, one entry per rating; "
                    f"`{name}` has shape {column.shape} and `score` {shape}"
                )
        is_defined = np.isfinite(columns["metric"]) & np.isfinite(columns["score"])
        for name, column in columns.items():
            object.__setattr__(self, name, column[is_defined])
        object.__setattr__(self, "set_aside", int((~is_defined).sum()))


def metric_agreement(
    scores: MetricScores,
    without: Iterable[Any] = (),
    correlation: CorrelationName = "pearson",
    bootstrap: BootstrapSpec = DEFAULT_BOOTSTRAP,
    on_progress: Callable[[float], object] | None = None,
    scope: Scope = "raters like these",
) -> MetricAgreement:
    """Correlate a metric with human scores at system and summary level, before and after an exclusion.

    Parameters
    ----------
    scores : (N,) ratings paired with the metric
    without : ids of the raters to exclude; ids without ratings have no effect
    correlation : "pearson" or "spearman"
    bootstrap : draws, seed and level of the intervals
    on_progress : called between blocks with the share done
    scope : "these raters" where rater ids are slots, so that intervals are for other systems and topics only

    Returns
    -------
    MetricAgreement
        of s systems and w raters; undefined figures are NaN with their reason.

    Raises
    ------
    InputError
        for an unknown correlation.

    Notes
    -----
    A system's score is the mean over topics of the topic's mean, and the metric is averaged over the same ratings; if
    systems lack different topics, both include the topics' difficulty. Errors of single ratings lower both
    correlations, so the estimates and intervals are for this number of ratings. To compare raters see
    `analysis.assessors.consistency`. The intervals are for other systems, raters and topics, centered on the estimate
    on Fisher's z, with Student's t for few. Systems are not resampled for Spearman's rho, as ranks of systems drawn
    twice are tied; their variance is (1 + rho² / 2) / (systems - 3) (Bonett & Wright).
    Source: Owczarzak et al. 2012, section 3, Tables 3 and 4; methods, sections 0 and 3.
    """
    row_correlation(correlation)
    ids = scores.system, scores.topic, scores.rater
    human, machine = build_cells(*ids, scores.score), build_cells(*ids, scores.metric)
    excluded = set(without)
    keep = np.array([name not in excluded for name in human.raters.tolist()], dtype=bool)
    all_raters = np.ones_like(keep)
    sides = [_IncludedRatings(human, machine, mask, correlation, scope) for mask in (all_raters, keep)]
    pairs = _RaterItemPairs(human, scores, correlation)
    rater_correlations = pairs.correlations()[:, 0] if len(keep) else np.empty(0)
    points = np.array(
        [
            [side.correlation() for side in sides],
            [
                float(
                    _mean_correlation(rater_correlations[:, None], side.keep[:, None].astype(np.float64))[0]
                )
                for side in sides
            ],
        ]
    )
    levels = _draw_samples(sides, pairs, rater_correlations, bootstrap, on_progress)
    counts = [(side.systems_known, int((~np.isnan(rater_correlations) & side.keep).sum())) for side in sides]
    ranked = correlation == "spearman"
    system_level, summary_level = (
        _estimate_change(
            points[level].tolist(),
            samples,
            sides,
            [n[level] for n in counts],
            reason_of,
            bootstrap.level,
            ranked,
        )
        for level, (samples, reason_of) in enumerate(
            zip(levels, (_reason_without_systems, _reason_without_raters), strict=True)
        )
    )
    if bootstrap.draws and system_level.difference.defined:
        system_level = replace(
            system_level, difference=_difference_on_shared_systems(sides, bootstrap.level, ranked)
        )
    (human_before, metric_before), (human_after, metric_after) = (side.means for side in sides)
    is_included = keep[human.rater]
    return MetricAgreement(
        correlation,
        system_level,
        summary_level,
        human.systems,
        human_before,
        metric_before,
        human_after,
        metric_after,
        human.raters,
        rater_correlations,
        pairs.items,
        ~keep,
        int(human.counts.sum()),
        int(human.counts[is_included].sum()),
        len(human.topics),
        len(np.unique(human.topic[human.cell[is_included]])),
        scores.set_aside,
        sides[0].resampled,
    )


class _Samples(NamedTuple):
    """Correlations (2, draws) before and after in bootstrap samples.

    `systems` resamples systems, `other_units` raters and topics of all systems together, `mixed` those of each system
    separately. At summary level `systems` resamples all units.
    """

    systems: Floats
    other_units: Floats
    mixed: Floats


class _IncludedRatings:
    """Ratings of the included raters, as a matrix of systems by pairs of topic and rater."""

    def __init__(
        self,
        human: Cells,
        machine: Cells,
        keep: NDArray[np.bool_],
        correlation: CorrelationName,
        scope: Scope,
    ) -> None:
        self.keep = keep
        self._rows = row_correlation(correlation)
        weight = keep[human.rater].astype(np.float64)
        n = np.bincount(human.cell, human.counts * weight, len(human.system))[human.cell]
        weight = weight / np.where(n > 0, n, 1.0)
        raters = max(len(human.raters), 1)
        pairs, column = np.unique(human.topic[human.cell] * raters + human.rater, return_inverse=True)
        self._topic, self._rater = np.divmod(pairs, raters)
        self._systems = len(human.systems)
        coordinates, shape = (human.system[human.cell], column), (self._systems, len(pairs))
        parts = (human.sums, machine.sums, human.counts)
        self._sums = sparse.vstack(
            [sparse.csr_array((part * weight, coordinates), shape=shape) for part in parts], format="csr"
        )
        self.other_units = resampled_units(human, keep, scope)
        self.means = self._means(np.ones((len(pairs), 1)))[:, :, 0]

    @property
    def draws_raters(self) -> bool:
        return "raters" in self.other_units

    @property
    def draws_topics(self) -> bool:
        return self.other_units in ("topics", "raters and topics")

    @property
    def resampled(self) -> str:
        """Names of the resampled units."""
        if not self.keep.any():
            return ""
        separator = ", " if " and " in self.other_units else " and "
        return f"systems{separator}{self.other_units}" if self.other_units else "systems"

    @property
    def fewest_other_units(self) -> int:
        """Number of resampled raters or topics, whichever is smaller; 1 if neither is resampled."""
        raters, topics = int(self.keep.sum()), len(np.unique(self._topic[self.keep[self._rater]]))
        return min(
            [n for n, drawn in ((raters, self.draws_raters), (topics, self.draws_topics)) if drawn], default=1
        )

    @property
    def systems_known(self) -> int:
        return int((~np.isnan(self.means[0])).sum())

    def correlation(self) -> float:
        """Return the correlation over systems of the included raters."""
        human, machine = self.means[:, None]
        return float(self._over_systems(human, machine)[0])

    def correlations_of_systems(self, chosen: Codes) -> Floats:
        """Return correlations (b,) over resampled systems (b, s), with their observed means."""
        return self._over_systems(*self.means[:, chosen])

    def correlations_of_other_units(
        self, raters: Floats, topics: Floats, order: Codes
    ) -> tuple[Floats, Floats]:
        """Return Pearson's r over systems (b,) under weights of raters (w, b) and topics (t, b).

        The second value permutes each system's samples separately, by `order` (b, s). Pearson's r is also used for
        ranks, which are not continuous in the means.
        """
        shrunk = self.means[:, None] + SHRINKAGE * np.nan_to_num(
            self.weighted_means(raters, topics) - self.means[:, None]
        )
        known = ~np.isnan(shrunk)
        centered = shrunk - (np.where(known, shrunk, 0.0).sum(axis=2) / known.sum(axis=2))[:, :, None]
        mixed = np.take_along_axis(centered, np.broadcast_to(order, centered.shape), axis=1)
        return pearson_rows(*shrunk), pearson_rows(*mixed)

    def weighted_means(self, raters: Floats, topics: Floats) -> Floats:
        """Return means of scores and of the metric (2, b, s) under weights of raters (w, b) and topics (t, b)."""
        weights = raters[self._rater] if self.draws_raters else np.ones((len(self._rater), raters.shape[1]))
        if self.draws_topics:
            weights = weights * topics[self._topic]
        return self._means(weights).transpose(0, 2, 1)

    def _means(self, weights: Floats) -> Floats:
        """Return means of scores and of the metric (2, s, b) under weights of the pairs (p, b)."""
        human, machine, n = np.asarray(self._sums @ weights).reshape(3, self._systems, weights.shape[1])
        return np.stack([settle(ratio(human, n)), settle(ratio(machine, n))])

    def _over_systems(self, human: Floats, machine: Floats) -> Floats:
        is_too_few = (~np.isnan(human)).sum(axis=1) < FEWEST_PAIRS
        if is_too_few.all():
            return np.full(len(human), nan)
        return np.where(is_too_few, nan, self._rows(human, machine))


class _RaterItemPairs:
    """Scores of each rater and item with the item's metric value, sorted by rater."""

    def __init__(self, table: Cells, scores: MetricScores, correlation: CorrelationName) -> None:
        self._ranked = correlation == "spearman"
        w = len(table.raters)
        rater = np.searchsorted(table.raters, scores.rater)
        items, item = np.unique(scores.item, return_inverse=True)
        pairs, first, pair_of_rating, times = np.unique(
            rater * max(len(items), 1) + item, return_index=True, return_inverse=True, return_counts=True
        )
        self.rater = pairs // max(len(items), 1)
        self._system = np.searchsorted(table.systems, scores.system[first])
        self._topic = np.searchsorted(table.topics, scores.topic[first])
        self.topics = table.topics
        self.items = np.bincount(self.rater, minlength=w)
        self._starts = np.searchsorted(self.rater, np.arange(w))
        self._sides = []
        for values in (scores.metric, scores.score):
            pair_means = settle(np.bincount(pair_of_rating, values, len(pairs)) / times)
            rater_mean = np.bincount(self.rater, pair_means, w) / np.maximum(self.items, 1)
            self._sides.append(pair_means - rater_mean[self.rater])
        self._orders = [np.lexsort((side, self.rater)) for side in self._sides]

    def correlations(self, systems: Floats | None = None, topics: Floats | None = None) -> Floats:
        """Return each rater's correlation (w, b) under weights of systems (s, b) and topics (t, b), 1 by default."""
        weights = np.ones((len(self.rater), 1))
        for unit_weights, codes in ((systems, self._system), (topics, self._topic)):
            weights = weights if unit_weights is None else weights * unit_weights[codes]
        if len(self.rater) == 0:
            return np.empty((0, weights.shape[1]))
        x, y = (
            self._ranks(side, order, weights) if self._ranked else side[:, None]
            for side, order in zip(self._sides, self._orders, strict=True)
        )
        n = self._sum_by_rater(weights)
        shared = np.where(n > 0, n, 1.0)
        x, y = (side - (self._sum_by_rater(weights * side) / shared)[self.rater] for side in (x, y))
        xx, yy, xy = (self._sum_by_rater(weights * product) for product in (x * x, y * y, x * y))
        scales = [self._sum_by_rater(side[:, None] ** 2) for side in self._sides]
        if self._ranked:
            scales = [shared**2, shared**2]
        is_defined = (self._sum_by_rater((weights > 0).astype(np.float64)) >= FEWEST_PAIRS) & (
            (xx > 1e-12 * scales[0]) & (yy > 1e-12 * scales[1])
        )
        r = xy / np.sqrt(np.where(is_defined, xx * yy, 1.0))
        return np.where(is_defined, np.clip(r, -1.0, 1.0), nan)

    def _sum_by_rater(self, values: Floats) -> Floats:
        return np.add.reduceat(
            np.broadcast_to(values, (len(self.rater), values.shape[1])), self._starts, axis=0
        )

    def _ranks(self, values: Floats, order: Codes, weights: Floats) -> Floats:
        """Return weighted midranks within each rater (P, b)."""
        value, rater, weight = values[order], self.rater[order], weights[order]
        begins = np.append(True, (np.diff(value) != 0) | (np.diff(rater) != 0))
        tied = np.add.reduceat(weight, np.flatnonzero(begins), axis=0)
        before = np.cumsum(tied, axis=0) - tied / 2
        ranks = np.empty_like(weight)
        ranks[order] = before[np.cumsum(begins) - 1]
        return ranks


def _draw_samples(
    sides: list[_IncludedRatings],
    pairs: _RaterItemPairs,
    rater_correlations: Floats,
    spec: BootstrapSpec,
    on_progress: Callable[[float], object] | None,
) -> tuple[_Samples, _Samples]:
    """Draw bootstrap samples at system and at summary level."""
    rng = np.random.default_rng([spec.seed, 3])
    none = np.full((2, spec.draws), nan)
    systems, others, mixed, single = (none.copy() for _ in range(4))
    s, t = len(sides[0].means[0]), len(pairs.topics)
    for block in blocks(spec.draws, _BLOCK // max(len(pairs.rater), s, 1), on_progress if s else None):
        size = block.stop - block.start
        raters, topics = rao_wu_weights(rng, len(rater_correlations), size).T, rao_wu_weights(rng, t, size).T
        chosen = rng.integers(0, max(s, 1), (size, s))
        order = rng.permuted(np.tile(np.arange(size)[:, None], s), axis=0)
        times = np.bincount((chosen + s * np.arange(size)[:, None]).ravel(), minlength=size * s)
        by_system = times.reshape(size, s).T.astype(np.float64)
        by_systems, with_topics = pairs.correlations(by_system), None
        if any(side.draws_topics for side in sides):
            with_topics = pairs.correlations(by_system, topics)
        for index, side in enumerate(sides):
            if not side.resampled:
                continue
            systems[index, block] = side.correlations_of_systems(chosen)
            if side.other_units:
                others[index, block], mixed[index, block] = side.correlations_of_other_units(
                    raters, topics, order
                )
            correlations = with_topics if with_topics is not None and side.draws_topics else by_systems
            weights = raters if side.draws_raters else np.ones_like(raters)
            single[index, block] = _mean_correlation(correlations, weights * side.keep[:, None])
    return _Samples(systems, others, mixed), _Samples(single, none, none)


def _mean_correlation(correlations: Floats, weights: Floats) -> Floats:
    """Average the defined correlations (w, b) over raters (b,)."""
    is_defined = ~np.isnan(correlations)
    weights = np.where(is_defined, weights, 0.0)
    return ratio((weights * np.where(is_defined, correlations, 0.0)).sum(axis=0), weights.sum(axis=0))


def _estimate_change(
    points: list[float],
    draws: _Samples,
    sides: list[_IncludedRatings],
    counts: list[int],
    reason_of: Callable[[_IncludedRatings, int], str],
    level: float,
    ranked: bool,
) -> Change:
    """Estimate before, after and difference from two points, with samples (2, d) and counts of systems or raters."""
    before, after = (
        _estimate_correlation(
            points[index],
            _Samples(*(each[index] for each in draws)),
            sides[index],
            counts[index],
            reason_of,
            level,
            ranked,
        )
        for index in range(2)
    )
    n = min(counts)
    if sides[1].keep.all() and len(sides[1].keep):
        return Change(before, after, Estimate(nan, n=n, reason=NOBODY_OUT))
    if not (before.defined and after.defined):
        return Change(before, after, Estimate(nan, n=n, reason=after.reason or before.reason))
    differences = _Samples(*(each[1] - each[0] for each in draws))
    fewer = min(sides, key=lambda side: side.systems_known)
    return Change(before, after, _estimate_from_samples(points[1] - points[0], differences, fewer, n, level))


def _difference_on_shared_systems(sides: list[_IncludedRatings], level: float, ranked: bool) -> Estimate:
    """Estimate the correlation after minus that before, with Zou's interval over the shared systems."""
    before, after = (side.means for side in sides)
    is_shared = ~np.isnan(before[0]) & ~np.isnan(after[0])
    n = int(is_shared.sum())
    rows = spearman_rows if ranked else pearson_rows
    pairs = [(after[i, is_shared], before[j, is_shared]) for i in (0, 1) for j in (0, 1)]
    cross = [float(rows(x[None], y[None])[0]) if n >= FEWEST_PAIRS else nan for x, y in pairs]
    return correlation_change(
        sides[1].correlation(),
        sides[0].correlation(),
        (cross[0], cross[1], cross[2], cross[3]),
        n,
        level,
        ranked,
    )


def _estimate_correlation(
    value: float,
    samples: _Samples,
    side: _IncludedRatings,
    n: int,
    reason_of: Callable[[_IncludedRatings, int], str],
    level: float,
    ranked: bool,
) -> Estimate:
    """Estimate a correlation with its interval on Fisher's z."""
    if isnan(value):
        return Estimate(nan, n=n, reason=reason_of(side, n))
    if abs(value) >= 1 - 1e-12:
        return Estimate(value, n=n, reason="the correlation is perfect, which leaves no room for an interval")
    if ranked and reason_of is _reason_without_systems and len(samples.systems):
        return _estimate_spearman(value, samples, side, n, level)
    return _estimate_from_samples(value, samples, side, n, level, FISHER)


def _estimate_spearman(
    value: float, samples: _Samples, side: _IncludedRatings, n: int, level: float
) -> Estimate:
    """Estimate Spearman's rho over systems, whose variance has a formula."""
    if n <= FEWEST_PAIRS:
        return Estimate(
            value, n=n, reason=f"an interval needs at least {FEWEST_PAIRS + 1} systems; there are {n}"
        )
    variance = (1 + value**2 / 2) / (n - 3) + _variance_of_other_units(samples, FISHER)
    low, high = interval_from_error(value, sqrt(variance), level, scale=FISHER)
    return Estimate(value, float(low), float(high), n)


def _variance_of_other_units(samples: _Samples, scale: Transform) -> float:
    """Return the variance due to raters and topics shared by all systems, 0 if they are not resampled."""
    if not has_enough_samples(samples.other_units):
        return 0.0
    variance_together, variance_separate = (
        float(bootstrap_error(scale.forward(correlations))) ** 2
        for correlations in (samples.other_units, samples.mixed)
    )
    return max(variance_together - variance_separate, 0.0) / SHRINKAGE**2


def _estimate_from_samples(
    value: float, samples: _Samples, side: _IncludedRatings, n: int, level: float, scale: Transform = IDENTITY
) -> Estimate:
    """Estimate a figure with the interval of its samples, or the reason why it has none."""
    if not len(samples.systems):
        return Estimate(value, n=n, reason="no draws were asked for")
    if side.systems_known < FEWEST_SYSTEMS:
        reason = f"an interval needs at least {FEWEST_SYSTEMS} systems; there are {side.systems_known}"
        return Estimate(value, n=n, reason=reason)
    if not has_enough_samples(samples.systems):
        return Estimate(value, n=n, reason="too many draws leave it undefined")
    system_variance, other_variance = (
        float(bootstrap_error(scale.forward(samples.systems))) ** 2,
        _variance_of_other_units(samples, scale),
    )
    variance = system_variance + other_variance
    degrees = inf
    if variance > 0:
        denominator = system_variance**2 / (side.systems_known - 1) + other_variance**2 / max(
            side.fewest_other_units - 1, 1
        )
        degrees = variance**2 / denominator
    low, high = scaled_percentiles(value, samples.systems, level, degrees, variance, scale)
    return Estimate(value, float(low), float(high), n)


def _reason_without_systems(side: _IncludedRatings, n: int) -> str:
    if n == 0:
        return EVERYONE_OUT if len(side.keep) else NO_RATINGS
    if n < FEWEST_PAIRS:
        return f"a correlation needs at least {FEWEST_PAIRS} systems; there are {n}"
    flat = [np.ptp(means[~np.isnan(means)]) == 0 for means in side.means]
    return "all systems have the same score" if flat[0] else "the metric is the same for all systems"


def _reason_without_raters(side: _IncludedRatings, n: int) -> str:
    if not side.keep.any():
        return EVERYONE_OUT if len(side.keep) else NO_RATINGS
    return f"no rater has {FEWEST_PAIRS} items on which both scores and metric differ"
