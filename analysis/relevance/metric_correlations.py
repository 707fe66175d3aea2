"""Correlation of automatic metrics with the accuracy of judgments, and comparison of metrics on the same judgments."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import permutations
from math import factorial, inf, nan, sqrt
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from analysis.correlation.metric_comparison import MetricPair, compare_metrics
from analysis.correlation.rank_rows import FEWEST_PAIRS, CorrelationName, midranks
from analysis.correlation.two_columns import pearson, spearman
from analysis.relevance.judgments import OUTCOMES, JudgedTexts
from analysis.resampling.intervals import FISHER, interval_from_error
from analysis.values.estimate import (
    ALTERNATIVES,
    Alternative,
    BootstrapSpec,
    Codes,
    Estimate,
    Floats,
    InputError,
    OnProgress,
    student_p,
    thousands,
)
from analysis.values.ratings import ratio, settle

Level = Literal["system", "system x event", "event-adjusted"]
LEVELS: tuple[Level, ...] = get_args(Level)
Measure = Literal["accuracy", "precision", "recall", "f_score"]
MEASURES: tuple[Measure, ...] = get_args(Measure)
STARS = ((0.001, "***"), (0.01, "**"), (0.05, "*"))
NO_TEXTS = "no judgment has both a known truth and a metric value"
ONE_SURROGATE_PER_EVENT = (
    "every event has one surrogate only, so nothing is left once an event's mean is removed"
)
TOO_FEW_CLUSTERS = "an interval over surrogates and events needs three of each or more"
_TOLERANCE = 1e-10
_BLOCK = 400_000
"""Surrogates times permutations in a block."""
_NAMES = {"accuracy": "accuracy", "precision": "precision", "recall": "recall", "f_score": "F"}


@dataclass(frozen=True)
class CorrelationSpec:
    """Settings of the correlated points and of their p.

    `full_text` is the id of the surrogate that is the full text, excluded unless `keep_full_text`; `permutations` is
    the maximum number of permutations of whole surrogates, drawn with `seed` where there are more.
    """

    level: Level = "system"
    alternative: Alternative = "two-sided"
    full_text: Any = None
    keep_full_text: bool = False
    permutations: int = 10_000
    seed: int = 0

    def __post_init__(self) -> None:
        if self.level not in LEVELS:
            raise InputError(f"`level` must be one of {', '.join(LEVELS)}; got {self.level!r}")
        if self.alternative not in ALTERNATIVES:
            raise InputError(
                f"`alternative` must be one of {', '.join(ALTERNATIVES)}; got {self.alternative!r}"
            )
        if self.permutations < 1:
            raise InputError(f"`permutations` must be 1 or more, got {self.permutations}")


@dataclass(frozen=True)
class MetricCorrelation:
    """One cell of the paper's Tables 4 to 6.

    `estimate` counts points; its interval is for other surrogates, and other events where points are by event. `p`
    with `stars`, by Student's t at the level "system" (Spearman's exact for up to 8 points), else by permuting whole
    surrogates, with the lower bound `smallest_p`. `p_of_points` assumes independent points, by Student's t with
    `degrees` of freedom. `left_out` points have no such measure, or are alone in their event. Where the estimate is
    undefined, p is NaN.
    """

    measure: Measure
    correlation: CorrelationName
    estimate: Estimate
    p: float
    stars: str
    degrees: int
    p_of_points: float
    smallest_p: float
    left_out: int


@dataclass(frozen=True, eq=False)
class MetricCorrelations:
    """Correlations of a metric with all measures at one level: `cells`, measures x (Pearson, Spearman).

    Points: `surrogate` (p,) index in `surrogates` (k,), `event` (p,) index in `events` (e,), -1 at the level
    "system"; `metric` and `value` (4, p), by measure, minus the event's mean at the level "event-adjusted" and NaN
    for excluded points. `p_by` names the method of p.
    """

    spec: CorrelationSpec
    cells: tuple[MetricCorrelation, ...]
    surrogates: NDArray[Any]
    events: NDArray[Any]
    surrogate: Codes
    event: Codes
    metric: Floats
    value: Floats
    p_by: str

    def cell(self, measure: Measure, correlation: CorrelationName) -> MetricCorrelation:
        """Return the cell of a measure and a correlation (Hobson et al. 2007, Tables 4 to 6)."""
        for cell in self.cells:
            if (cell.measure, cell.correlation) == (measure, correlation):
                return cell
        raise InputError(
            f"`measure` must be one of {', '.join(MEASURES)} and `correlation` pearson or spearman, "
            f"got {measure!r} and {correlation!r}"
        )


def correlations(
    texts: JudgedTexts, spec: CorrelationSpec | None = None, on_progress: OnProgress = None
) -> MetricCorrelations:
    """Correlate a metric with accuracy, precision, recall and F.

    Parameters
    ----------
    texts : t texts (t,) with N judgments (N,), of k surrogates
    spec : level, tail, full text and permutations
    on_progress : called between blocks of permutations with the share done

    Returns
    -------
    MetricCorrelations
        undefined for fewer than 3 points or constant values, with the reason.

    Notes
    -----
    For single texts, see `partitions`. A point's measure pools all judgments of the surrogate (in the event); its
    metric is the mean over its texts. Where surrogates were judged in different events, the level "system" is
    confounded with the events' difficulty. "event-adjusted" subtracts from both sides the event's mean over the points
    that have the measure, without the full text; a t test then has n - events - 1 degrees of freedom. At the last two
    levels the points of a surrogate are not independent, as the paper's t test assumes (given as `p_of_points`). There
    p comes from permuting the metric of whole surrogates in all events at once, two-sided around the mean over all
    permutations, and the interval from the influence of whole surrogates and whole events on r, on Fisher's z with
    Student's t. Missing cells then have their event's mean (its middle rank). Spearman's rho ranks the adjusted values
    of all points together.
    Source: Hobson, Dorr, Monz and Schwartz 2007, section 4.3.3, Tables 4 to 6; Cameron, Gelbach & Miller 2011 (clusters
    of two kinds); methods, section 6.
    """
    spec = CorrelationSpec() if spec is None else spec
    if not spec.keep_full_text:
        texts = texts.exclude_surrogate(spec.full_text)
    surrogate, event, metric, value = _points(texts, by_event=spec.level != "system")
    raw = np.where(np.isnan(value), nan, metric), value
    metric, value = _adjust_for_events(*raw, event) if spec.level == "event-adjusted" else raw
    rounded = [_round_differences(before, after) for before, after in zip(raw, (metric, value), strict=True)]
    sides = {"pearson": [metric, value], "spearman": rounded}
    cells = [
        _correlate_points(
            measure,
            name,
            [side[m] for side in sides[name]],
            [side[m] for side in rounded],
            (surrogate, event),
            spec,
        )
        for m, measure in enumerate(MEASURES)
        for name in get_args(CorrelationName)
    ]
    p_by = "Student's t"
    if spec.level != "system" and len(texts.surrogates):
        k = len(texts.surrogates)
        shape = k, len(texts.events)
        products = np.stack(
            [_permutation_products(cell, sides[cell.correlation], surrogate, event, shape) for cell in cells]
        )
        cells = _add_permutation_p(cells, products, spec, on_progress)
        p_by = (
            f"all {thousands(factorial(k))} permutations of whole surrogates"
            if _is_exhaustive(k, spec)
            else f"{thousands(spec.permutations)} random permutations of whole surrogates, seed {spec.seed}"
        )
    return MetricCorrelations(
        spec, tuple(cells), texts.surrogates, texts.events, surrogate, event, metric, value, p_by
    )


def stars(p: float) -> str:
    """Return the stars of a p value: * below .05, ** below .01, *** below .001 (Hobson et al. 2007, Tables 4 to 6).

    >>> stars(0.05), stars(0.049), stars(0.0001), stars(float("nan"))
    ('', '*', '***', '')
    """
    return next((mark for limit, mark in STARS if p < limit), "")


def _points(texts: JudgedTexts, by_event: bool) -> tuple[Codes, Codes, Floats, Floats]:
    """Return surrogate and event codes (p,), the metric's mean (p,) and the measures (4, p) of each point."""
    e = max(len(texts.events), 1)
    points, of_text = np.unique(
        texts.surrogate * e + texts.event if by_event else texts.surrogate, return_inverse=True
    )
    p = len(points)
    metric = np.bincount(of_text, texts.metric, p) / np.bincount(of_text, minlength=p)
    table = np.bincount(of_text[texts.text] * len(OUTCOMES) + texts.outcome, minlength=p * len(OUTCOMES))
    tp, tn, fp, fn = table.reshape(p, len(OUTCOMES)).T
    value = np.stack(
        [
            ratio(tp + tn, tp + tn + fp + fn),
            ratio(tp, tp + fp),
            ratio(tp, tp + fn),
            ratio(2 * tp, 2 * tp + fp + fn),
        ]
    )
    surrogate, event = np.divmod(points, e) if by_event else (points, np.full(p, -1))
    return surrogate, event, metric, value


def _adjust_for_events(metric: Floats, value: Floats, event: Codes) -> tuple[Floats, Floats]:
    """Subtract the event means from both sides (4, p); NaN where the event has a single point."""
    is_known = ~np.isnan(value)
    event_indicators = np.zeros((int(event.max(initial=-1)) + 1, len(event)))
    event_indicators[event, np.arange(len(event))] = 1.0
    n = is_known @ event_indicators.T
    has_several = is_known & (n > 1)[:, event]
    x, y = (
        np.where(
            has_several, side - ratio(np.where(is_known, side, 0.0) @ event_indicators.T, n)[:, event], nan
        )
        for side in (metric, value)
    )
    return x, y


def _round_differences(before: Floats, after: Floats) -> Floats:
    """Round differences to twelve digits of the largest value from which they were computed."""
    _, settled = settle(np.stack([before, after]))
    return np.asarray(settled, dtype=np.float64)


def _correlate_points(
    measure: Measure,
    name: CorrelationName,
    sides: list[Floats],
    rounded: list[Floats],
    clusters: tuple[Codes, Codes],
    spec: CorrelationSpec,
) -> MetricCorrelation:
    """Return a cell with the p of independent points; `rounded` are the sides (p,) without rounding errors."""
    x, y = sides
    is_defined = ~np.isnan(y)
    n, left_out = int(is_defined.sum()), int((~is_defined).sum())
    reason = _undefined_reason(
        _NAMES[measure], rounded[0][is_defined], rounded[1][is_defined], spec.level, len(y)
    )
    if reason:
        return MetricCorrelation(
            measure, name, Estimate(nan, n=n, reason=reason), nan, "", 0, nan, nan, left_out
        )
    correlate = pearson if name == "pearson" else spearman
    correlation = correlate(x[is_defined], y[is_defined], alternative=spec.alternative)
    surrogate, event = (codes[is_defined] for codes in clusters)
    removed_means = len(np.unique(event)) if spec.level == "event-adjusted" else 1
    degrees = n - removed_means - 1
    p_of_points = _student_p(correlation.estimate.value, degrees, spec.alternative)
    p = correlation.p if spec.level == "system" else p_of_points
    estimate = correlation.estimate
    if spec.level != "system" and estimate.defined and not estimate.reason:
        estimate = _cluster_interval(
            estimate, x[is_defined], y[is_defined], (surrogate, event), degrees, name == "spearman"
        )
    return MetricCorrelation(measure, name, estimate, p, stars(p), degrees, p_of_points, nan, left_out)


def _cluster_interval(
    estimate: Estimate,
    x: Floats,
    y: Floats,
    clusters: tuple[Codes, Codes],
    degrees_of_points: int,
    ranked: bool,
) -> Estimate:
    """Return the interval for other surrogates and events from their influence on r, on Fisher's z."""
    cluster_counts = [len(np.unique(codes)) for codes in clusters]
    if min(cluster_counts) < FEWEST_PAIRS or degrees_of_points < 1:
        return replace(estimate, low=nan, high=nan, reason=TOO_FEW_CLUSTERS)
    if ranked:
        x, y = midranks(np.stack([x, y]))
    x, y = ((side - side.mean()) / side.std() for side in (x, y))
    influence = (x * y - estimate.value * (x**2 + y**2) / 2) / len(x)
    variances = np.array(
        [
            (np.bincount(codes, influence) ** 2).sum() * n / (n - 1) * len(x) / degrees_of_points
            for codes, n in zip(clusters, cluster_counts, strict=True)
        ]
    )
    variance = float(variances.sum())
    degrees = (
        variance**2 / float((variances**2 / (np.array(cluster_counts) - 1)).sum()) if variance > 0 else 1.0
    )
    error = sqrt(variance) / (1 - estimate.value**2)
    low, high = interval_from_error(estimate.value, error, 0.95, degrees, scale=FISHER)
    return replace(estimate, low=float(low), high=float(high))


def _student_p(r: float, degrees: int, alternative: Alternative) -> float:
    if degrees < 1 or np.isnan(r):
        return nan
    unexplained = (1 - r) * (1 + r)
    return student_p(
        r * sqrt(degrees / unexplained) if unexplained > 0 else (inf if r > 0 else -inf), degrees, alternative
    )


def _undefined_reason(name: str, x: Floats, y: Floats, level: Level, points: int) -> str:
    if points == 0:
        return NO_TEXTS
    if level == "event-adjusted" and len(y) == 0:
        return ONE_SURROGATE_PER_EVENT
    if len(y) < FEWEST_PAIRS:
        variable = "surrogates" if level == "system" else "pairs of surrogate and event"
        return f"a correlation needs at least {FEWEST_PAIRS} {variable} with {name}; there are {len(y)}"
    constant = [variable for variable, values in (("the metric", x), (name, y)) if np.ptp(values) == 0]
    scope = " within every event" if level == "event-adjusted" else " at all points"
    return (
        f"{' and '.join(constant)} {'is' if len(constant) == 1 else 'are'} the same{scope}"
        if constant
        else ""
    )


def _permutation_products(
    cell: MetricCorrelation,
    sides_by_measure: list[Floats],
    surrogate: Codes,
    event: Codes,
    shape: tuple[int, int],
) -> Floats:
    """Return products (k, k) whose entry (i, j) is the part of r if surrogate i had the metric of j; r is the trace."""
    x, y = (side[MEASURES.index(cell.measure)] for side in sides_by_measure)
    is_defined = ~np.isnan(y)
    sides = []
    for side in (x[is_defined], y[is_defined]):
        if cell.correlation == "spearman" and len(side):
            side = midranks(side[None])[0]
        side = side - side.mean() if len(side) else side
        table = np.zeros(shape)
        table[surrogate[is_defined], event[is_defined]] = side
        sides.append(table)
    metric, value = sides
    size = sqrt(float((metric**2).sum() * (value**2).sum()))
    return np.asarray(value @ metric.T / (size if size > 0 else 1.0), dtype=np.float64)


def _is_exhaustive(k: int, spec: CorrelationSpec) -> bool:
    """Return True where all permutations of k surrogates are within the maximum."""
    return factorial(k) <= spec.permutations


def _permutation_blocks(k: int, spec: CorrelationSpec) -> Iterator[Codes]:
    """Yield permutations (b, k) of the surrogates in blocks: all of them, or random ones."""
    if _is_exhaustive(k, spec):
        yield np.array(list(permutations(range(k))), dtype=np.int64).reshape(-1, k)
        return
    size = max(_BLOCK // k, 1)
    rng = np.random.default_rng(spec.seed)
    for start in range(0, spec.permutations, size):
        yield rng.permuted(np.tile(np.arange(k), (min(size, spec.permutations - start), 1)), axis=1)


def _add_permutation_p(
    cells: list[MetricCorrelation], products: Floats, spec: CorrelationSpec, on_progress: OnProgress
) -> list[MetricCorrelation]:
    """Return the cells with p from permuting the metrics of surrogates."""
    k = products.shape[1]
    if spec.level == "system x event":
        products = products - (products.sum(axis=(1, 2)) / k**2)[:, None, None]
    blocks: list[Floats] = []
    for order in _permutation_blocks(k, spec):
        blocks.append(_signed_extremeness(products[:, np.arange(k), order].sum(axis=2), spec.alternative))
        if on_progress is not None:
            on_progress(sum(block.shape[1] for block in blocks) / min(factorial(k), spec.permutations))
    permuted = np.concatenate(blocks, axis=1)
    observed = _signed_extremeness(np.trace(products, axis1=1, axis2=2), spec.alternative)
    as_extreme, most_extreme = (
        (permuted >= limit[:, None] - _TOLERANCE).sum(axis=1) for limit in (observed, permuted.max(axis=1))
    )
    if _is_exhaustive(k, spec):
        p, smallest_p = as_extreme / permuted.shape[1], most_extreme / permuted.shape[1]
    else:
        p, smallest_p = (
            (as_extreme + 1) / (permuted.shape[1] + 1),
            np.full(len(cells), 1 / (permuted.shape[1] + 1)),
        )
    return [
        replace(cell, p=float(p[index]), stars=stars(float(p[index])), smallest_p=float(smallest_p[index]))
        if cell.estimate.defined
        else cell
        for index, cell in enumerate(cells)
    ]


def _signed_extremeness(r: Floats, alternative: Alternative) -> Floats:
    """Return correlations signed so that larger values are more extreme under the alternative."""
    if alternative == "two-sided":
        return np.abs(r)
    return r if alternative == "greater" else -r


RIGHT_OUTCOMES = [at for at, outcome in enumerate(OUTCOMES) if outcome in ("tp", "tn")]
_FRACTIONS: dict[Measure, tuple[tuple[int, ...], tuple[int, ...]]] = {
    "precision": ((1, 0, 0, 0), (1, 0, 1, 0)),
    "recall": ((1, 0, 0, 0), (1, 0, 0, 1)),
    "f_score": ((2, 0, 0, 0), (2, 0, 1, 1)),
}
"""Weights of `OUTCOMES` in the numerator and in the denominator."""


def compare_metrics_of_texts(
    texts: Mapping[str, JudgedTexts],
    bootstrap: BootstrapSpec | None = None,
    on_progress: Callable[[float], object] | None = None,
    measure: Measure = "accuracy",
) -> tuple[MetricPair, ...]:
    """Compare all pairs of metrics by Pearson's r with accuracy, precision, recall or F, over surrogates.

    Parameters
    ----------
    texts : name of the metric -> its texts with judgments, from one study
    bootstrap : draws (and permutations), seed and level
    on_progress : called between blocks with the share done
    measure : measure that the metrics are correlated with

    Returns
    -------
    tuple of MetricPair
        n counts surrogates; undefined with the reason in `difference`; none of fewer than two metrics.

    Raises
    ------
    InputError
        where the measure is unknown.

    Notes
    -----
    A surrogate's accuracy is the mean over events of the mean over its texts of the share of right judgments. Single
    texts have no precision, recall or F: these are the mean over events of the rate of all judgments in an event, for
    texts with values of all metrics.
    Source: as `analysis.correlation.metric_comparison`, with surrogates for systems and events for topics.
    """
    if measure not in MEASURES:
        raise InputError(f"`measure` must be one of {', '.join(MEASURES)}; got {measure!r}")
    if len(texts) < 2:
        return ()
    keys, values, outcomes = [], [], list[Floats]()
    for joined in texts.values():
        cell = joined.text * len(OUTCOMES) + joined.outcome
        counts = np.bincount(cell, minlength=len(joined.metric) * len(OUTCOMES)).reshape(-1, len(OUTCOMES))
        judged = counts.sum(axis=1) > 0
        cells_of_texts = joined.surrogates[joined.surrogate], joined.events[joined.event], joined.document
        keys.append(np.column_stack(cells_of_texts)[judged])
        values.append(joined.metric[judged])
        outcomes.append(counts[judged].astype(np.float64))
    all_keys, row = np.unique(np.concatenate(keys), axis=0, return_inverse=True)
    total: Floats = np.empty((len(all_keys), len(OUTCOMES)))
    total[row] = np.concatenate(outcomes)
    columns, start = {}, 0
    for name, value in zip(texts, values, strict=True):
        columns[name] = np.full(len(all_keys), np.nan)
        columns[name][row[start : start + len(value)]] = value
        start += len(value)
    surrogate, event, score = (
        all_keys[:, 0],
        all_keys[:, 1],
        total[:, RIGHT_OUTCOMES].sum(axis=1) / total.sum(axis=1),
    )
    if measure != "accuracy":
        is_defined = ~np.isnan(np.column_stack(list(columns.values()))).any(axis=1)
        cells, cell, texts_per_cell = np.unique(
            all_keys[is_defined, :2], axis=0, return_inverse=True, return_counts=True
        )
        columns = {
            name: np.bincount(cell, column[is_defined], len(cells)) / texts_per_cell
            for name, column in columns.items()
        }
        surrogate, event = cells[:, 0], cells[:, 1]
        score = _cell_rates(total[is_defined], cell, len(cells), measure)
    return compare_metrics(columns, surrogate, event, score, "pearson", bootstrap, on_progress)


def _cell_rates(counts: Floats, cell: NDArray[np.int64], cells: int, measure: Measure) -> Floats:
    """Return the rate (cells,) of all judgments in each cell, NaN where its denominator is 0."""
    numerator, denominator = (np.bincount(cell, counts @ weights, cells) for weights in _FRACTIONS[measure])
    return np.asarray(ratio(numerator, denominator), dtype=np.float64)
