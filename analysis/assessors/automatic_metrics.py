"""Agreement of an automatic metric with human scores, and its change when some raters are excluded.

At system level a system's mean score is compared with its mean of the metric over the same topics; at summary level
each rater's scores are compared with the metric item by item, and the raters' correlations are averaged.

Systems are drawn with their means as observed; to their variance comes what raters and topics do to all systems
together (`pigeonhole`). At summary level one sample weighs systems, raters and topics at once. The change over systems
has Zou's interval for two correlations over the same systems.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from math import inf, isnan, nan, sqrt
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from analysis.assessors.exclusion_intervals import resampled
from analysis.correlation.dependent import change
from analysis.correlation.rank_rows import FEWEST, CorrelationName, pearson_rows, rows_by, spearman_rows
from analysis.pairs.system_table import Cells, cells
from analysis.resampling.intervals import (
    FISHER,
    IDENTITY,
    Transform,
    blocks,
    by_error,
    deviation,
    enough,
    one_fewer,
    shaped,
)
from analysis.resampling.pigeonhole import NEAR
from analysis.values.estimate import BootstrapSpec, Codes, Estimate, Floats, InputError, Scope
from analysis.values.ratings import numbers, ratio, settle

DRAWS = BootstrapSpec()
"""How intervals are drawn where nobody says."""
FEWEST_DRAWN = 5
"""Systems below which drawing them says nothing."""
EVERYONE_OUT = "all raters are left out, so there are no scores to hold the metric against"
NOBODY_OUT = "nobody is left out, so nothing changes"
NO_RATINGS = "no rating has a metric value"
_BLOCK = 400_000
"""Numbers in a block of draws."""


@dataclass(frozen=True)
class Change:
    """A correlation with everyone, without those left out, and the second less the first."""

    before: Estimate
    after: Estimate
    difference: Estimate


@dataclass(frozen=True, eq=False)
class MetricAgreement:
    """A metric held against human scores, before and after some raters go.

    `system_level`, `summary_level`: the paper's Tables 3 and 4, `n` counting systems and raters;
    `systems` (s,) ids with their means `human_before`, `metric_before`, `human_after`, `metric_after` (s,),
    NaN where a system has no ratings left;
    `raters` (w,) ids, `rater_correlation` (w,) NaN where undefined, `rater_items` (w,) how many items it rests
    on, `excluded` (w,) who goes;
    `ratings`, `topics` and `…_left` of them after; `without_metric` ratings set aside for want of a metric value
    or score; `resampled` what the intervals draw.
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
        """Raters whose correlation is not defined: too few items, or constant scores or metric values."""
        return int(np.isnan(self.rater_correlation).sum())


@dataclass(frozen=True, eq=False)
class MetricScores:
    """N ratings beside a metric, without those whose score or metric is not known (`set_aside` of them).

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
        given = {
            "metric": metric,
            "item": item,
            "system": system,
            "topic": topic,
            "rater": rater,
            "score": score,
        }
        columns = {
            name: numbers(name, column) if name in ("metric", "score") else np.asarray(column)
            for name, column in given.items()
        }
        shape = columns["score"].shape
        for name, column in columns.items():
            if column.ndim != 1 or column.shape != shape:
                raise InputError(
                    "all columns must be 1-d and equally long, one entry per rating; "
                    f"`{name}` has shape {column.shape} and `score` {shape}"
                )
        known = np.isfinite(columns["metric"]) & np.isfinite(columns["score"])
        for name, column in columns.items():
            object.__setattr__(self, name, column[known])
        object.__setattr__(self, "set_aside", int((~known).sum()))


def metric_agreement(
    scores: MetricScores,
    without: Iterable[Any] = (),
    correlation: CorrelationName = "pearson",
    bootstrap: BootstrapSpec = DRAWS,
    on_progress: Callable[[float], object] | None = None,
    scope: Scope = "raters like these",
) -> MetricAgreement:
    """Correlation of a metric with human scores at system and summary level, before and after.

    Parameters
    ----------
    scores : (N,) ratings beside the metric
    without : ids of the raters that go; ids that gave no ratings change nothing
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
    A system's score is the mean over topics of the topic's mean, and the metric is averaged over exactly the same
    ratings; where systems miss different topics, both mix the topics' difficulty in. Errors of single ratings lower
    both correlations, so the figures, and their intervals, are for this many ratings. Not for one rater against
    another: see `analysis.assessors.consistency`. The intervals are for other systems, raters and topics, centred on
    the estimate on Fisher's z, with Student's t for few; what systems add to Spearman's rho is not drawn, as ranks of
    systems drawn twice are tied, but has the variance (1 + rho² / 2) / (systems - 3) (Bonett & Wright).
    Source: Owczarzak et al. 2012, section 3, Tables 3 and 4; methods, sections 0 and 3.
    """
    rows_by(correlation)
    where = scores.system, scores.topic, scores.rater
    human, machine = cells(*where, scores.score), cells(*where, scores.metric)
    gone = set(without)
    keep = np.array([name not in gone for name in human.raters.tolist()], dtype=bool)
    everyone = np.ones_like(keep)
    sides = [_Side(human, machine, which, correlation, scope) for which in (everyone, keep)]
    pairs = _Pairs(human, scores, correlation)
    of_raters = pairs.correlations()[:, 0] if len(keep) else np.empty(0)
    points = np.array(
        [
            [side.correlation() for side in sides],
            [float(_mean(of_raters[:, None], side.keep[:, None].astype(np.float64))[0]) for side in sides],
        ]
    )
    levels = _draws(sides, pairs, of_raters, bootstrap, on_progress)
    counted = [(side.systems_known, int((~np.isnan(of_raters) & side.keep).sum())) for side in sides]
    ranked = correlation == "spearman"
    system_level, summary_level = (
        _change(points[at].tolist(), drawn, sides, [n[at] for n in counted], why, bootstrap.level, ranked)
        for at, (drawn, why) in enumerate(zip(levels, (_why_no_systems, _why_no_raters), strict=True))
    )
    if bootstrap.draws and system_level.difference.defined:
        system_level = replace(system_level, difference=_over_same_systems(sides, bootstrap.level, ranked))
    (human_before, metric_before), (human_after, metric_after) = (side.means for side in sides)
    left = keep[human.rater]
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
        of_raters,
        pairs.items,
        ~keep,
        int(human.counts.sum()),
        int(human.counts[left].sum()),
        len(human.topics),
        len(np.unique(human.topic[human.cell[left]])),
        scores.set_aside,
        sides[0].what,
    )


class _Draws(NamedTuple):
    """Correlations (2, draws) before and after: with systems drawn, and with raters and topics drawn for systems that
    stay, together and each system separately. At summary level all that is drawn is in `systems`."""

    systems: Floats
    others: Floats
    mixed: Floats


class _Side:
    """The ratings of the raters that stay, as a matrix of systems by pairs of topic and rater."""

    def __init__(
        self,
        human: Cells,
        machine: Cells,
        keep: NDArray[np.bool_],
        correlation: CorrelationName,
        scope: Scope,
    ) -> None:
        self.keep = keep
        self._rows = rows_by(correlation)
        weight = keep[human.rater].astype(np.float64)
        n = np.bincount(human.cell, human.counts * weight, len(human.system))[human.cell]
        weight = weight / np.where(n > 0, n, 1.0)
        raters = max(len(human.raters), 1)
        pairs, column = np.unique(human.topic[human.cell] * raters + human.rater, return_inverse=True)
        self._topic, self._rater = np.divmod(pairs, raters)
        self._systems = len(human.systems)
        at, shape = (human.system[human.cell], column), (self._systems, len(pairs))
        parts = (human.sums, machine.sums, human.counts)
        self._sums = sparse.vstack(
            [sparse.csr_array((part * weight, at), shape=shape) for part in parts], format="csr"
        )
        self.others = resampled(human, keep, scope)
        self.means = self._means(np.ones((len(pairs), 1)))[:, :, 0]

    @property
    def draws_raters(self) -> bool:
        return "raters" in self.others

    @property
    def draws_topics(self) -> bool:
        return self.others in ("topics", "raters and topics")

    @property
    def what(self) -> str:
        """Return what is drawn, in words."""
        if not self.keep.any():
            return ""
        apart = ", " if " and " in self.others else " and "
        return f"systems{apart}{self.others}" if self.others else "systems"

    @property
    def fewest_others(self) -> int:
        """The number of raters or of topics drawn, whichever is lower; 1 where neither is drawn."""
        raters, topics = int(self.keep.sum()), len(np.unique(self._topic[self.keep[self._rater]]))
        return min(
            [n for n, drawn in ((raters, self.draws_raters), (topics, self.draws_topics)) if drawn], default=1
        )

    @property
    def systems_known(self) -> int:
        return int((~np.isnan(self.means[0])).sum())

    def correlation(self) -> float:
        """Over systems, everyone counted once."""
        human, machine = self.means[:, None]
        return float(self._over_systems(human, machine)[0])

    def of_systems(self, chosen: Codes) -> Floats:
        """Over the systems chosen (b, s), with their means as observed (b,)."""
        return self._over_systems(*self.means[:, chosen])

    def of_others(self, raters: Floats, topics: Floats, order: Codes) -> tuple[Floats, Floats]:
        """Pearson's r over systems (b,), under weights of raters (w, b) and topics (t, b); and with each system's draws
        put in an order (b, s) of its own. Ranks of means that differ by a hair would jump."""
        near = self.means[:, None] + NEAR * np.nan_to_num(self.drawn(raters, topics) - self.means[:, None])
        known = ~np.isnan(near)
        own = near - (np.where(known, near, 0.0).sum(axis=2) / known.sum(axis=2))[:, :, None]
        mixed = np.take_along_axis(own, np.broadcast_to(order, own.shape), axis=1)
        return pearson_rows(*near), pearson_rows(*mixed)

    def drawn(self, raters: Floats, topics: Floats) -> Floats:
        """Means of scores and of the metric (2, b, s) under weights of raters (w, b) and topics (t, b)."""
        weights = raters[self._rater] if self.draws_raters else np.ones((len(self._rater), raters.shape[1]))
        if self.draws_topics:
            weights = weights * topics[self._topic]
        return self._means(weights).transpose(0, 2, 1)

    def _means(self, weights: Floats) -> Floats:
        """Means of scores and of the metric (2, s, b) under weights of the pairs (p, b)."""
        human, machine, n = np.asarray(self._sums @ weights).reshape(3, self._systems, weights.shape[1])
        return np.stack([settle(ratio(human, n)), settle(ratio(machine, n))])

    def _over_systems(self, human: Floats, machine: Floats) -> Floats:
        few = (~np.isnan(human)).sum(axis=1) < FEWEST
        if few.all():
            return np.full(len(human), nan)
        return np.where(few, nan, self._rows(human, machine))


class _Pairs:
    """Every rater's scores of each item and the item's metric value, ordered by rater."""

    def __init__(self, table: Cells, scores: MetricScores, correlation: CorrelationName) -> None:
        self._ranked = correlation == "spearman"
        w = len(table.raters)
        rater = np.searchsorted(table.raters, scores.rater)
        items, item = np.unique(scores.item, return_inverse=True)
        pairs, first, place, times = np.unique(
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
            of_pair = settle(np.bincount(place, values, len(pairs)) / times)
            rater_mean = np.bincount(self.rater, of_pair, w) / np.maximum(self.items, 1)
            self._sides.append(of_pair - rater_mean[self.rater])
        self._orders = [np.lexsort((side, self.rater)) for side in self._sides]

    def correlations(self, systems: Floats | None = None, topics: Floats | None = None) -> Floats:
        """Each rater's correlation (w, b), under weights of systems (s, b) and topics (t, b), 1 unless given."""
        weights = np.ones((len(self.rater), 1))
        for given, place in ((systems, self._system), (topics, self._topic)):
            weights = weights if given is None else weights * given[place]
        if len(self.rater) == 0:
            return np.empty((0, weights.shape[1]))
        x, y = (
            self._ranks(side, order, weights) if self._ranked else side[:, None]
            for side, order in zip(self._sides, self._orders, strict=True)
        )
        n = self._per_rater(weights)
        shared = np.where(n > 0, n, 1.0)
        x, y = (side - (self._per_rater(weights * side) / shared)[self.rater] for side in (x, y))
        xx, yy, xy = (self._per_rater(weights * product) for product in (x * x, y * y, x * y))
        spread = [self._per_rater(side[:, None] ** 2) for side in self._sides]
        if self._ranked:
            spread = [shared**2, shared**2]
        enough = (self._per_rater((weights > 0).astype(np.float64)) >= FEWEST) & (
            (xx > 1e-12 * spread[0]) & (yy > 1e-12 * spread[1])
        )
        r = xy / np.sqrt(np.where(enough, xx * yy, 1.0))
        return np.where(enough, np.clip(r, -1.0, 1.0), nan)

    def _per_rater(self, values: Floats) -> Floats:
        return np.add.reduceat(
            np.broadcast_to(values, (len(self.rater), values.shape[1])), self._starts, axis=0
        )

    def _ranks(self, values: Floats, order: Codes, weights: Floats) -> Floats:
        """Middle ranks within each rater (P, b) of values that stand there as often as they weigh."""
        value, rater, weight = values[order], self.rater[order], weights[order]
        begins = np.append(True, (np.diff(value) != 0) | (np.diff(rater) != 0))
        tied = np.add.reduceat(weight, np.flatnonzero(begins), axis=0)
        before = np.cumsum(tied, axis=0) - tied / 2
        ranks = np.empty_like(weight)
        ranks[order] = before[np.cumsum(begins) - 1]
        return ranks


def _draws(
    sides: list[_Side],
    pairs: _Pairs,
    of_raters: Floats,
    spec: BootstrapSpec,
    on_progress: Callable[[float], object] | None,
) -> tuple[_Draws, _Draws]:
    """At system and at summary level."""
    rng = np.random.default_rng([spec.seed, 3])
    none = np.full((2, spec.draws), nan)
    systems, others, mixed, single = (none.copy() for _ in range(4))
    s, t = len(sides[0].means[0]), len(pairs.topics)
    for block in blocks(spec.draws, _BLOCK // max(len(pairs.rater), s, 1), on_progress if s else None):
        size = block.stop - block.start
        raters, topics = one_fewer(rng, len(of_raters), size).T, one_fewer(rng, t, size).T
        chosen = rng.integers(0, max(s, 1), (size, s))
        order = rng.permuted(np.tile(np.arange(size)[:, None], s), axis=0)
        times = np.bincount((chosen + s * np.arange(size)[:, None]).ravel(), minlength=size * s)
        by_system = times.reshape(size, s).T.astype(np.float64)
        alone, with_topics = pairs.correlations(by_system), None
        if any(side.draws_topics for side in sides):
            with_topics = pairs.correlations(by_system, topics)
        for at, side in enumerate(sides):
            if not side.what:
                continue
            systems[at, block] = side.of_systems(chosen)
            if side.others:
                others[at, block], mixed[at, block] = side.of_others(raters, topics, order)
            each = with_topics if with_topics is not None and side.draws_topics else alone
            weights = raters if side.draws_raters else np.ones_like(raters)
            single[at, block] = _mean(each, weights * side.keep[:, None])
    return _Draws(systems, others, mixed), _Draws(single, none, none)


def _mean(of_raters: Floats, weights: Floats) -> Floats:
    """Mean over raters (b,) of their correlations (w, b), those that are not defined left out."""
    known = ~np.isnan(of_raters)
    weights = np.where(known, weights, 0.0)
    return ratio((weights * np.where(known, of_raters, 0.0)).sum(axis=0), weights.sum(axis=0))


def _change(
    points: list[float],
    draws: _Draws,
    sides: list[_Side],
    counts: list[int],
    why: Callable[[_Side, int], str],
    level: float,
    ranked: bool,
) -> Change:
    """Before, after and difference of two points with draws (2, d) that rest on so many systems or raters."""
    before, after = (
        _estimate(
            points[at], _Draws(*(each[at] for each in draws)), sides[at], counts[at], why, level, ranked
        )
        for at in range(2)
    )
    n = min(counts)
    if sides[1].keep.all() and len(sides[1].keep):
        return Change(before, after, Estimate(nan, n=n, reason=NOBODY_OUT))
    if not (before.defined and after.defined):
        return Change(before, after, Estimate(nan, n=n, reason=after.reason or before.reason))
    apart = _Draws(*(each[1] - each[0] for each in draws))
    fewer = min(sides, key=lambda side: side.systems_known)
    return Change(before, after, _with_ends(points[1] - points[0], apart, fewer, n, level))


def _over_same_systems(sides: list[_Side], level: float, ranked: bool) -> Estimate:
    """The correlation after less that before, with Zou's interval over the systems that are there both times."""
    before, after = (side.means for side in sides)
    both = ~np.isnan(before[0]) & ~np.isnan(after[0])
    n = int(both.sum())
    rows = spearman_rows if ranked else pearson_rows
    pairs = [(after[i, both], before[j, both]) for i in (0, 1) for j in (0, 1)]
    found = [float(rows(x[None], y[None])[0]) if n >= FEWEST else nan for x, y in pairs]
    return change(
        sides[1].correlation(),
        sides[0].correlation(),
        (found[0], found[1], found[2], found[3]),
        n,
        level,
        ranked,
    )


def _estimate(
    value: float,
    drawn: _Draws,
    side: _Side,
    n: int,
    why: Callable[[_Side, int], str],
    level: float,
    ranked: bool,
) -> Estimate:
    """A correlation with its interval on Fisher's z."""
    if isnan(value):
        return Estimate(nan, n=n, reason=why(side, n))
    if abs(value) >= 1 - 1e-12:
        return Estimate(value, n=n, reason="the correlation is perfect, which leaves no room for an interval")
    if ranked and why is _why_no_systems and len(drawn.systems):
        return _of_ranks(value, drawn, side, n, level)
    return _with_ends(value, drawn, side, n, level, FISHER)


def _of_ranks(value: float, drawn: _Draws, side: _Side, n: int, level: float) -> Estimate:
    """Spearman's rho over systems: what systems add is worked out."""
    if n <= FEWEST:
        return Estimate(value, n=n, reason=f"an interval needs at least {FEWEST + 1} systems; there are {n}")
    variance = (1 + value**2 / 2) / (n - 3) + _of_others(drawn, FISHER)
    low, high = by_error(value, sqrt(variance), level, scale=FISHER)
    return Estimate(value, float(low), float(high), n)


def _of_others(drawn: _Draws, scale: Transform) -> float:
    """The variance that raters and topics add to all systems together; 0 where they are not drawn."""
    if not enough(drawn.others):
        return 0.0
    together, apart = (float(deviation(scale.forth(kind))) ** 2 for kind in (drawn.others, drawn.mixed))
    return max(together - apart, 0.0) / NEAR**2


def _with_ends(
    value: float, drawn: _Draws, side: _Side, n: int, level: float, scale: Transform = IDENTITY
) -> Estimate:
    """A figure with the interval of its draws, or the reason why it has none."""
    if not len(drawn.systems):
        return Estimate(value, n=n, reason="no draws were asked for")
    if side.systems_known < FEWEST_DRAWN:
        told = f"an interval needs at least {FEWEST_DRAWN} systems; there are {side.systems_known}"
        return Estimate(value, n=n, reason=told)
    if not enough(drawn.systems):
        return Estimate(value, n=n, reason="too many draws leave it undefined")
    of_systems, of_others = float(deviation(scale.forth(drawn.systems))) ** 2, _of_others(drawn, scale)
    variance = of_systems + of_others
    degrees = inf
    if variance > 0:
        spread = of_systems**2 / (side.systems_known - 1) + of_others**2 / max(side.fewest_others - 1, 1)
        degrees = variance**2 / spread
    low, high = shaped(value, drawn.systems, level, degrees, variance, scale)
    return Estimate(value, float(low), float(high), n)


def _why_no_systems(side: _Side, n: int) -> str:
    if n == 0:
        return EVERYONE_OUT if len(side.keep) else NO_RATINGS
    if n < FEWEST:
        return f"a correlation needs at least {FEWEST} systems; there are {n}"
    flat = [np.ptp(means[~np.isnan(means)]) == 0 for means in side.means]
    return "all systems have the same score" if flat[0] else "the metric is the same for all systems"


def _why_no_raters(side: _Side, n: int) -> str:
    if not side.keep.any():
        return EVERYONE_OUT if len(side.keep) else NO_RATINGS
    return f"no rater has {FEWEST} items on which both scores and metric differ"
