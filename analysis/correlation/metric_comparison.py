"""Accuracy of automatic metrics against human scores, and comparisons of two metrics."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from math import isnan, nan
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from analysis.correlation.dependent import (
    align_with_test,
    correlation_difference,
    shared_column_correlations,
    williams_test,
)
from analysis.correlation.rank_rows import FEWEST_PAIRS, CorrelationName, row_correlation
from analysis.resampling.intervals import (
    FISHER,
    blocks,
    bootstrap_counts,
    interval_from_error,
    jackknife_variance,
    percentile_interval,
    scale_progress,
)
from analysis.values.estimate import BootstrapSpec, Codes, Estimate, Floats, InputError, OnProgress, holm
from analysis.values.ratings import numbers, ratio, settle

_PERMUTED_BLOCK = 2_000_000
"""Entries in a block of permuted differences."""


@dataclass(frozen=True)
class TieCalibrated:
    """Accuracy with metric differences of at most `epsilon` as ties, and with epsilon 0 (`at_zero`).

    `pairs` counts the pairs of outputs for one item with human and metric scores.
    """

    accuracy: float
    epsilon: float
    at_zero: float
    pairs: int


def pairwise_accuracy(human: ArrayLike, metric: ArrayLike) -> float:
    """Return the share of pairs of systems whose means a metric orders as people do.

    Parameters
    ----------
    human, metric : (systems, items) scores; a system's mean is over the items that both score

    Returns
    -------
    float
        from 0 to 1. Pairs with equal means by people are left out; equal means by the metric alone count as wrong. NaN
        where no pair is left.

    Raises
    ------
    InputError
        where the arrays differ in shape or hold infinite scores. Source: Kocmi et al. 2021; methods: section 12.
    """
    return _pairwise_agreement(*_check_scores(human, metric)).share


def soft_pairwise_accuracy(
    human: ArrayLike, metric: ArrayLike, permutations: int = 1000, seed: int = 0
) -> float:
    """Return the agreement of people and a metric in the p values of each pair of systems.

    Parameters
    ----------
    human, metric : (systems, items) scores; a pair is compared on the items for which both systems have both scores
    permutations : random swaps of both systems' scores of items, the same for all pairs, people and metric
    seed : of the swaps

    Returns
    -------
    float
        1 minus the mean over pairs of |p by people - p by the metric|, p the one-sided p value of the paired
        permutation test that the first system is better. NaN where no pair shares an item.

    Raises
    ------
    InputError
        where the arrays differ in shape or hold infinite scores, or `permutations` is below 1.
        Source: Thompson et al. 2024; methods: section 12.
    """
    if permutations < 1:
        raise InputError(f"`permutations` must be 1 or more, got {permutations}")
    return _soft_agreement(*_check_scores(human, metric), permutations, seed).share


def tie_calibrated_accuracy(human: ArrayLike, metric: ArrayLike) -> TieCalibrated:
    """Return the share of pairs of outputs for an item that a metric orders as people do, including ties.

    Parameters
    ----------
    human, metric : (systems, items) scores

    Returns
    -------
    TieCalibrated
        the share of pairs that are concordant, or tied by both, with the epsilon up to which metric differences are
        ties; of several that are best, the smallest. NaN where no pair is scored by both.

    Raises
    ------
    InputError
        where the arrays differ in shape or hold infinite scores.

    Notes
    -----
    acc = (C + T_hm) / (C + D + T_h + T_m + T_hm) over all pairs within an item.
    Source: Deutsch, Foster and Freitag 2023; methods: section 12.
    """
    people, machine = _check_scores(human, metric)
    upper = np.triu_indices(len(people), 1)
    by_people, by_metric = (
        np.concatenate([scores[i] - scores[j] for i, j in zip(*upper, strict=True)] or [np.empty(0)])
        for scores in (people, machine)
    )
    known = ~np.isnan(by_people)
    by_people, by_metric = by_people[known], by_metric[known]
    if not by_people.size:
        return TieCalibrated(nan, nan, nan, 0)
    size = np.abs(by_metric)
    order = np.argsort(size, kind="stable")
    tied, same_order = by_people == 0, by_people * by_metric > 0
    gain = np.cumsum(tied[order].astype(np.int64) - same_order[order])
    last_of_size = np.append(np.flatnonzero(np.diff(size[order])), size.size - 1)
    epsilons = np.concatenate([[0.0], size[order][last_of_size]])
    correct = np.concatenate(
        [[int((tied & (size == 0)).sum() + same_order.sum())], same_order.sum() + gain[last_of_size]]
    )
    best = int(correct.argmax())
    return TieCalibrated(
        float(correct[best] / size.size), float(epsilons[best]), float(correct[0] / size.size), size.size
    )


@dataclass(frozen=True)
class AccuracyIntervals:
    """Pairwise accuracy of systems, soft pairwise accuracy, and accuracy over pairs of outputs of an item."""

    pairwise: Estimate
    soft: Estimate
    segments: Estimate


def accuracy_intervals(
    human: ArrayLike, metric: ArrayLike, permutations: int = 1000, seed: int = 0, level: float = 0.95
) -> AccuracyIntervals:
    """Estimate pairwise, soft pairwise and tie-calibrated accuracy, with intervals for systems like these.

    Parameters
    ----------
    human, metric : (systems, items) scores
    permutations, seed : as in `soft_pairwise_accuracy`
    level : of the intervals

    Returns
    -------
    AccuracyIntervals
        n = systems; without an interval below 8 systems, or if all leave-one-out values are equal.

    Raises
    ------
    InputError
        as the three functions do.

    Notes
    -----
    Pairs share systems, so that the jackknife leaves out each system with all its pairs (Arvesen 1969), on Fisher's
    scale of twice the accuracy - 1, with Student's t. Items and epsilon are fixed.
    """
    people, machine = _check_scores(human, metric)
    epsilon = tie_calibrated_accuracy(people, machine).epsilon
    return AccuracyIntervals(
        _pairwise_agreement(people, machine).estimate(level),
        _soft_agreement(people, machine, permutations, seed).estimate(level),
        _segment_agreement(people, machine, epsilon).estimate(level),
    )


@dataclass(frozen=True, eq=False)
class _PairSums:
    """Agreements out of totals for each pair of systems (S, S), above the diagonal."""

    agreements: Floats
    totals: Floats

    @property
    def share(self) -> float:
        total = float(self.totals.sum())
        return float(self.agreements.sum()) / total if total else nan

    def estimate(self, level: float) -> Estimate:
        """Return the share with its jackknife interval over systems."""
        n, value = len(self.totals), self.share
        if n < FEWEST_SYSTEMS or isnan(value):
            reason = (
                f"an interval needs {FEWEST_SYSTEMS} systems" if n < FEWEST_SYSTEMS else "no pair is left"
            )
            return Estimate(value, n=n, reason=reason)
        remaining = [
            each.sum() - each.sum(axis=0) - each.sum(axis=1) for each in (self.agreements, self.totals)
        ]
        error = jackknife_variance(FISHER.forward(2 * ratio(*remaining) - 1)) ** 0.5
        ends = interval_from_error(2 * value - 1, error or nan, level, n - 1, scale=FISHER)
        low, high = (1 + float(ends.low)) / 2, (1 + float(ends.high)) / 2
        return Estimate(value, low, high, n, "no system changes it" if isnan(low) else "")


def _pairwise_agreement(people: Floats, machine: Floats) -> _PairSums:
    signs = [_pair_signs(_row_means(scores)) for scores in (people, machine)]
    is_defined = (signs[0] != 0) & ~np.isnan(signs[0]) & ~np.isnan(signs[1])
    return _PairSums(
        *(_upper_triangle(each, len(people)) for each in ((signs[0] == signs[1]) & is_defined, is_defined))
    )


def _soft_agreement(people: Floats, machine: Floats, permutations: int, seed: int) -> _PairSums:
    signs = np.random.default_rng(seed).choice([-1.0, 1.0], (permutations, people.shape[1]))
    is_defined = ~np.isnan(people)
    agreements, totals = np.zeros((len(people), len(people))), np.zeros((len(people), len(people)))
    for first in range(len(people) - 1):
        is_shared = is_defined[first] & is_defined[first + 1 :]
        has_shared = is_shared.any(axis=1)
        p = [_one_sided_p(scores, first, is_shared, signs) for scores in (people, machine)]
        agreements[first, first + 1 :] = np.where(has_shared, 1 - np.abs(p[0] - p[1]), 0.0)
        totals[first, first + 1 :] = has_shared
    return _PairSums(agreements, totals)


def _segment_agreement(people: Floats, machine: Floats, epsilon: float) -> _PairSums:
    agreements, totals = np.zeros((len(people), len(people))), np.zeros((len(people), len(people)))
    for first in range(len(people) - 1):
        by_people, by_metric = (scores[first] - scores[first + 1 :] for scores in (people, machine))
        tied = np.abs(by_metric) <= epsilon
        agrees = np.where(by_people == 0, tied, ~tied & (by_people * by_metric > 0))
        is_defined = ~np.isnan(by_people)
        agreements[first, first + 1 :], totals[first, first + 1 :] = (
            (agrees & is_defined).sum(axis=1),
            is_defined.sum(axis=1),
        )
    return _PairSums(agreements, totals)


def _upper_triangle(values: NDArray[np.bool_], systems: int) -> Floats:
    """Return the values of pairs as a square matrix, above the diagonal."""
    matrix = np.zeros((systems, systems))
    matrix[np.triu_indices(systems, 1)] = values
    return matrix


def _check_scores(human: ArrayLike, metric: ArrayLike) -> tuple[Floats, Floats]:
    """Return both tables as checked arrays, NaN where either is."""
    people, machine = np.array(human, dtype=np.float64), np.array(metric, dtype=np.float64)
    if people.ndim != 2 or people.shape != machine.shape:
        raise InputError(
            f"`human` and `metric` must be tables (systems, items) of one shape, got {people.shape} and {machine.shape}"
        )
    if np.isinf(people).any() or np.isinf(machine).any():
        raise InputError("`human` and `metric` must not hold infinite scores; use NaN for a missing one")
    missing = np.isnan(people) | np.isnan(machine)
    people[missing] = machine[missing] = nan
    return people, machine


def common_means(human: ArrayLike, metric: ArrayLike) -> tuple[Floats, Floats]:
    """Return the means (systems,) of two tables (systems, items) over the items that have both scores."""
    people, machine = _check_scores(human, metric)
    return _row_means(people), _row_means(machine)


def _row_means(scores: Floats) -> Floats:
    is_defined = ~np.isnan(scores)
    counts = is_defined.sum(axis=1)
    sums = np.where(is_defined, scores, 0.0).sum(axis=1)
    means: Floats = np.divide(sums, counts, out=np.full(len(scores), nan), where=counts > 0)
    return means


def _pair_signs(means: Floats) -> Floats:
    """Return the sign of each pair's difference, 0 up to rounding."""
    first, second = np.triu_indices(len(means), 1)
    difference = means[first] - means[second]
    rounding = 1e-12 * np.maximum(np.abs(means[first]), np.abs(means[second]))
    signs: Floats = np.where(np.abs(difference) <= rounding, 0.0, np.sign(difference))
    return signs


def _one_sided_p(scores: Floats, first: int, is_shared: NDArray[np.bool_], signs: Floats) -> Floats:
    """Return one-sided p values of a system against each later one, on their shared items."""
    differences = np.where(is_shared, scores[first] - scores[first + 1 :], 0.0)
    observed = differences.sum(axis=1)
    rounding = 1e-12 * np.abs(differences).sum(axis=1)
    times_reached = np.zeros(len(differences))
    step = max(1, _PERMUTED_BLOCK // max(len(differences), 1))
    for start in range(0, len(signs), step):
        permuted = differences @ signs[start : start + step].T
        times_reached += (permuted >= (observed - rounding)[:, None]).sum(axis=1)
    p: Floats = times_reached / len(signs)
    return p


FEWEST_SYSTEMS = 8
"""Fewest systems to name the better metric."""
_BLOCK = 4_000_000
"""Texts x samples in a block."""
_TOLERANCE = 1e-12


@dataclass(frozen=True)
class MetricPair:
    """Comparison of two metrics on the same scores, the better one first.

    `correlations` of both over systems, `sign_reversed` True for metrics with negative correlation, whose sign was
    reversed; `difference` with Zou's interval, which excludes 0 exactly if Williams' test rejects, n = systems; `p` of
    that test and `p_holm` for all pairs; `resampled` the difference with the interval of BOOT-BOTH, `p_permuted` of
    PERM-BOTH, for these systems only.
    """

    better: str
    other: str
    correlations: tuple[float, float]
    sign_reversed: tuple[bool, bool]
    difference: Estimate
    p: float
    p_holm: float
    resampled: Estimate
    p_permuted: float
    texts: int

    @property
    def differs(self) -> bool:
        """True if there are enough systems and Williams' test finds a difference."""
        return self.difference.n >= FEWEST_SYSTEMS and self.p_holm < 0.05


def compare_metrics(
    metrics: Mapping[str, ArrayLike],
    system: ArrayLike,
    topic: ArrayLike,
    score: ArrayLike,
    correlation: CorrelationName = "pearson",
    bootstrap: BootstrapSpec | None = None,
    on_progress: OnProgress = None,
) -> tuple[MetricPair, ...]:
    """Compare all pairs of metrics by their correlation with the same human scores, over systems.

    Parameters
    ----------
    metrics : name -> (N,) values of the rated texts, NaN where unknown
    system, topic : (N,) ids
    score : (N,) human scores, NaN where unknown
    correlation : "pearson" or "spearman"
    bootstrap : draws (and permutations), seed and level
    on_progress : called between blocks with the share done

    Returns
    -------
    tuple of MetricPair
        undefined with the reason in `difference` where a metric or the scores are the same for all systems.

    Raises
    ------
    InputError
        where lengths differ, a value is no number, or the correlation is another.

    Notes
    -----
    Does not show whether either is good: see `automatic_metrics`. Each pair uses the ratings with both metrics. The
    sign of a metric with negative correlation (an error rate) is reversed first.
    Source: Williams 1959; Graham & Baldwin 2014; Zou 2007; Deutsch, Dror & Roth 2021, sections 3 and 4 (BOOT-BOTH,
    PERM-BOTH; metrics standardised); Holm 1979; methods, section 3.
    """
    spec = BootstrapSpec() if bootstrap is None else bootstrap
    row_correlation(correlation)
    columns = {name: numbers(name, values) for name, values in metrics.items()}
    scores = numbers("score", score)
    ids = {"system": np.asarray(system), "topic": np.asarray(topic)}
    for name, column in (columns | ids).items():
        if column.shape != scores.shape:
            raise InputError(
                "all columns must be 1-d and equally long; "
                f"`{name}` has shape {column.shape} and `score` {scores.shape}"
            )
    pairs = list(combinations(columns, 2))
    compared = []
    for index, names in enumerate(pairs):
        is_defined = np.isfinite(scores) & np.isfinite(columns[names[0]]) & np.isfinite(columns[names[1]])
        texts = _SystemTopicCells(
            ids["system"][is_defined],
            ids["topic"][is_defined],
            scores[is_defined],
            *(columns[name][is_defined] for name in names),
        )
        report_part = scale_progress(on_progress, index / len(pairs), (index + 1) / len(pairs))
        compared.append(_compare_pair(names, texts, correlation, spec, report_part))
    adjusted = holm([pair.p for pair in compared])
    return tuple(replace(pair, p_holm=float(p)) for pair, p in zip(compared, adjusted, strict=True))


class _SystemTopicCells:
    """Cells of system and topic: mean score, and standardized means of both metrics, (c,) each."""

    def __init__(self, system: NDArray[Any], topic: NDArray[Any], *columns: Floats) -> None:
        systems, system_code = np.unique(system, return_inverse=True)
        topics, topic_code = np.unique(topic, return_inverse=True)
        cells, cell, times = np.unique(
            system_code * max(len(topics), 1) + topic_code, return_inverse=True, return_counts=True
        )
        self.systems, self.topics, self.cells = len(systems), len(topics), len(cells)
        self.system, self.topic = np.divmod(cells, max(len(topics), 1))
        score, *metrics = (np.bincount(cell, column, len(cells)) / times for column in columns)
        self.score: Floats = score
        self.metrics = [_standardised(metric) for metric in metrics]
        share = 1 / np.maximum(np.bincount(self.system, minlength=self.systems), 1)
        self._over_topics = sparse.csr_array(
            (share[self.system], (np.arange(len(cells)), self.system)), shape=(len(cells), self.systems)
        )

    def means(self, values: Floats) -> Floats:
        """Average values of the cells (b, c) over topics, by system (b, s)."""
        return np.asarray(values @ self._over_topics, dtype=np.float64)

    def by_topic(self, values: Floats) -> Any:
        """Return values of the cells as a sparse table of systems by topics."""
        return sparse.csr_array((values, (self.system, self.topic)), shape=(self.systems, self.topics))


def _standardised(values: Floats) -> Floats:
    deviation = float(values.std()) if len(values) else 0.0
    return (values - values.mean()) / deviation if deviation > 0 else np.zeros_like(values)


def _compare_pair(
    names: tuple[str, str],
    texts: _SystemTopicCells,
    correlation: CorrelationName,
    spec: BootstrapSpec,
    on_progress: OnProgress,
) -> MetricPair:
    rows = row_correlation(correlation)

    def correlate(first: Floats, second: Floats) -> Floats:
        return rows(settle(np.atleast_2d(first)), settle(np.atleast_2d(second)))

    human, first, second = (texts.means(values[None]) for values in (texts.score, *texts.metrics))
    r = [
        float(correlate(metric, human)[0]) if texts.systems >= FEWEST_PAIRS else nan
        for metric in (first, second)
    ]
    if any(isnan(value) for value in r):
        reason = _undefined_reason(names, texts, r)
        none = Estimate(nan, n=texts.systems, reason=reason)
        return MetricPair(*names, (r[0], r[1]), (False, False), none, nan, nan, none, nan, texts.cells)
    sign_reversed = [value < 0 for value in r]
    order = (0, 1) if abs(r[0]) >= abs(r[1]) else (1, 0)
    metrics = [texts.metrics[at] * (-1 if sign_reversed[at] else 1) for at in order]
    first, second = (texts.means(metric[None]) for metric in metrics)
    high, low = (abs(r[at]) for at in order)
    between, n, ranks = float(correlate(first, second)[0]), texts.systems, correlation == "spearman"
    samples = _draw_differences(texts, metrics, correlate, spec, on_progress)
    test = williams_test(high, low, between, n, ranks=ranks)
    interval = correlation_difference(
        high, low, shared_column_correlations(high, low, between), n, spec.level, ranks
    )
    value = high - low
    permuted, resampled = (
        (np.concatenate(parts) for parts in zip(*samples, strict=True)) if samples else (None, None)
    )
    return MetricPair(
        names[order[0]],
        names[order[1]],
        (high, low),
        (sign_reversed[order[0]], sign_reversed[order[1]]),
        align_with_test(test, interval, spec.level),
        test.p,
        nan,
        _bootstrap_difference(value, resampled, n, spec.level),
        nan
        if permuted is None
        else float((1 + (np.abs(permuted) >= value - _TOLERANCE).sum()) / (1 + len(permuted))),
        texts.cells,
    )


def _draw_differences(
    texts: _SystemTopicCells,
    metrics: list[Floats],
    correlate: Callable[[Floats, Floats], Floats],
    spec: BootstrapSpec,
    on_progress: OnProgress,
) -> list[tuple[Floats, Floats]]:
    """Draw differences of the correlations, permuted by swapping metrics, and of resampled systems and topics."""
    swap_rng, draw_rng = np.random.default_rng([spec.seed, 5]), np.random.default_rng([spec.seed, 6])
    human, first, second = (texts.means(values[None]) for values in (texts.score, *metrics))
    differences = metrics[0] - metrics[1]
    tables = [texts.by_topic(values) for values in (texts.score, *metrics, np.ones(texts.cells))]
    samples = []
    for block in blocks(spec.draws, _BLOCK // max(texts.cells, 1), on_progress):
        size = block.stop - block.start
        swapped = texts.means((swap_rng.random((size, texts.cells)) < 0.5) * differences)
        human_rows = np.broadcast_to(human, swapped.shape)
        permuted = correlate(first - swapped, human_rows) - correlate(second + swapped, human_rows)
        counts = bootstrap_counts(draw_rng, texts.topics, size).T
        drawn_systems: Codes = draw_rng.integers(0, texts.systems, (size, texts.systems))
        *sums, known = (np.asarray(table @ counts) for table in tables)
        scores, *both = (np.take_along_axis(ratio(each, known).T, drawn_systems, axis=1) for each in sums)
        samples.append((permuted, correlate(both[0], scores) - correlate(both[1], scores)))
    return samples


def _bootstrap_difference(value: float, samples: Floats | None, n: int, level: float) -> Estimate:
    """Return the difference with the percentiles of BOOT-BOTH."""
    if samples is None:
        return Estimate(value, n=n, reason="no draws were asked for")
    low, high = percentile_interval(value, samples, level)
    return Estimate(
        value, float(low), float(high), n, "too many draws leave it undefined" if isnan(low) else ""
    )


def _undefined_reason(names: tuple[str, str], texts: _SystemTopicCells, r: list[float]) -> str:
    if texts.systems < FEWEST_PAIRS:
        return f"a correlation needs at least {FEWEST_PAIRS} systems with both metrics; there are {texts.systems}"
    if all(isnan(value) for value in r) and np.ptp(texts.means(texts.score[None])) <= _TOLERANCE:
        return "all systems have the same score"
    return f"{names[0] if isnan(r[0]) else names[1]} is the same for all systems"
