"""Two automatic metrics compared on the same judgments: which one correlates better with how well people judge?"""

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
ONE_EACH = "every event has one surrogate only, so nothing is left once an event's mean is removed"
TOO_FEW_CLUSTERS = "an interval over surrogates and events needs three of each or more"
_TOLERANCE = 1e-10
_BLOCK = 400_000
"""Surrogates times permutations worked on at once."""
_NAMES = {"accuracy": "accuracy", "precision": "precision", "recall": "recall", "f_score": "F"}


@dataclass(frozen=True)
class CorrelationSpec:
    """Choice of the points that are correlated, and of their p.

    `full_text` is the id of the surrogate that is the full text, left out unless `keep_full_text`; `permutations` at
    most, of whole surrogates, drawn from `seed` where all of them would be more.
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

    `estimate` counts points; its interval is for other surrogates, and other events where points have them. `p` with
    `stars`, by Student's t at the level "system" (Spearman's exact for up to 8 points), else by permuting whole
    surrogates, when it cannot be below `smallest_p`. `p_of_points` takes points for independent, by Student's t with
    `degrees` of freedom. `left_out` points have no such measure, or nothing to be compared with in their event. Where
    the estimate is undefined, p is NaN.
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
    """A metric against all measures at one level: `cells`, measures x (Pearson, Spearman).

    The points drawn: `surrogate` (p,) place in `surrogates` (k,), `event` (p,) place in `events` (e,), -1 at the level
    "system"; `metric` and `value` (4, p), by measure, less the event's mean at the level "event-adjusted" and NaN where
    the point is left out. `p_by` says in words where p comes from.
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
        """The cell of a measure and a correlation (Hobson et al. 2007, Tables 4 to 6)."""
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
    """A metric's correlation with accuracy, precision, recall and F.

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
    Not whether single texts do: see `partitions`. A point's measure pools all judgments of the surrogate (in the
    event); its metric is the mean over its texts. Where surrogates were judged in different events, the level "system"
    mixes in how hard those are. "event-adjusted" removes from both sides the event's mean over the points that have the
    measure, without the full text; a t test has n - events - 1 degrees of freedom then. At the last two levels the
    points of a surrogate are not independent, as t takes them to be in the paper (it stands apart as `p_of_points`): p
    comes from giving every surrogate the metric of another in all events at once, two-sided from the mean over all
    permutations, and the interval from what whole surrogates and whole events add to r, on Fisher's z with Student's t.
    A cell that is missing stands at its event's mean (its middle rank) there. Spearman's rho ranks the adjusted values
    of all points together.
    Source: Hobson, Dorr, Monz and Schwartz 2007, section 4.3.3, Tables 4 to 6; Cameron, Gelbach & Miller 2011 (clusters
    of two kinds); methods, section 6.
    """
    spec = CorrelationSpec() if spec is None else spec
    if not spec.keep_full_text:
        texts = texts.of_others(spec.full_text)
    surrogate, event, metric, value = _points(texts, by_event=spec.level != "system")
    raw = np.where(np.isnan(value), nan, metric), value
    metric, value = _adjusted(*raw, event) if spec.level == "event-adjusted" else raw
    tied = [_dust_free(before, after) for before, after in zip(raw, (metric, value), strict=True)]
    sides = {"pearson": [metric, value], "spearman": tied}
    cells = [
        _by_points(
            measure,
            name,
            [side[m] for side in sides[name]],
            [side[m] for side in tied],
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
            [_products(cell, sides[cell.correlation], surrogate, event, shape) for cell in cells]
        )
        cells = _permuted(cells, products, spec, on_progress)
        p_by = (
            f"all {thousands(factorial(k))} permutations of whole surrogates"
            if _every(k, spec)
            else f"{thousands(spec.permutations)} random permutations of whole surrogates, seed {spec.seed}"
        )
    return MetricCorrelations(
        spec, tuple(cells), texts.surrogates, texts.events, surrogate, event, metric, value, p_by
    )


def stars(p: float) -> str:
    """Stars of a p value: * below .05, ** below .01, *** below .001 (Hobson et al. 2007, Tables 4 to 6).

    >>> stars(0.05), stars(0.049), stars(0.0001), stars(float("nan"))
    ('', '*', '***', '')
    """
    return next((mark for limit, mark in STARS if p < limit), "")


def _points(texts: JudgedTexts, by_event: bool) -> tuple[Codes, Codes, Floats, Floats]:
    """Surrogate and event codes (p,), the metric's mean (p,) and the measures (4, p) of each point."""
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


def _adjusted(metric: Floats, value: Floats, event: Codes) -> tuple[Floats, Floats]:
    """Both (4, p) less the mean of their event; NaN where the event has a single point."""
    known = ~np.isnan(value)
    own = np.zeros((int(event.max(initial=-1)) + 1, len(event)))
    own[event, np.arange(len(event))] = 1.0
    n = known @ own.T
    several = known & (n > 1)[:, event]
    x, y = (
        np.where(several, side - ratio(np.where(known, side, 0.0) @ own.T, n)[:, event], nan)
        for side in (metric, value)
    )
    return x, y


def _dust_free(before: Floats, after: Floats) -> Floats:
    """Differences rounded to twelve digits of the largest value that they are differences of."""
    _, settled = settle(np.stack([before, after]))
    return np.asarray(settled, dtype=np.float64)


def _by_points(
    measure: Measure,
    name: CorrelationName,
    sides: list[Floats],
    tied: list[Floats],
    clusters: tuple[Codes, Codes],
    spec: CorrelationSpec,
) -> MetricCorrelation:
    """A cell with the p that takes points for independent; `tied` are the sides (p,) without rounding errors."""
    x, y = sides
    known = ~np.isnan(y)
    n, left_out = int(known.sum()), int((~known).sum())
    reason = _why_undefined(_NAMES[measure], tied[0][known], tied[1][known], spec.level, len(y))
    if reason:
        return MetricCorrelation(
            measure, name, Estimate(nan, n=n, reason=reason), nan, "", 0, nan, nan, left_out
        )
    correlate = pearson if name == "pearson" else spearman
    correlation = correlate(x[known], y[known], alternative=spec.alternative)
    surrogate, event = (codes[known] for codes in clusters)
    removed = len(np.unique(event)) if spec.level == "event-adjusted" else 1
    degrees = n - removed - 1
    of_points = _student(correlation.estimate.value, degrees, spec.alternative)
    p = correlation.p if spec.level == "system" else of_points
    estimate = correlation.estimate
    if spec.level != "system" and estimate.defined and not estimate.reason:
        estimate = _of_clusters(estimate, x[known], y[known], (surrogate, event), degrees, name == "spearman")
    return MetricCorrelation(measure, name, estimate, p, stars(p), degrees, of_points, nan, left_out)


def _of_clusters(
    estimate: Estimate,
    x: Floats,
    y: Floats,
    clusters: tuple[Codes, Codes],
    free: int,
    ranked: bool,
) -> Estimate:
    """The interval for other surrogates and events: what each adds to r, with so many free points, on Fisher's z."""
    many = [len(np.unique(codes)) for codes in clusters]
    if min(many) < FEWEST_PAIRS or free < 1:
        return replace(estimate, low=nan, high=nan, reason=TOO_FEW_CLUSTERS)
    if ranked:
        x, y = midranks(np.stack([x, y]))
    x, y = ((side - side.mean()) / side.std() for side in (x, y))
    influence = (x * y - estimate.value * (x**2 + y**2) / 2) / len(x)
    parts = np.array(
        [
            (np.bincount(codes, influence) ** 2).sum() * n / (n - 1) * len(x) / free
            for codes, n in zip(clusters, many, strict=True)
        ]
    )
    variance = float(parts.sum())
    degrees = variance**2 / float((parts**2 / (np.array(many) - 1)).sum()) if variance > 0 else 1.0
    error = sqrt(variance) / (1 - estimate.value**2)
    low, high = interval_from_error(estimate.value, error, 0.95, degrees, scale=FISHER)
    return replace(estimate, low=float(low), high=float(high))


def _student(r: float, degrees: int, alternative: Alternative) -> float:
    if degrees < 1 or np.isnan(r):
        return nan
    room = (1 - r) * (1 + r)
    return student_p(r * sqrt(degrees / room) if room > 0 else (inf if r > 0 else -inf), degrees, alternative)


def _why_undefined(name: str, x: Floats, y: Floats, level: Level, points: int) -> str:
    if points == 0:
        return NO_TEXTS
    if level == "event-adjusted" and len(y) == 0:
        return ONE_EACH
    if len(y) < FEWEST_PAIRS:
        what = "surrogates" if level == "system" else "pairs of surrogate and event"
        return f"a correlation needs at least {FEWEST_PAIRS} {what} with {name}; there are {len(y)}"
    flat = [what for what, values in (("the metric", x), (name, y)) if np.ptp(values) == 0]
    where = " within every event" if level == "event-adjusted" else " at all points"
    return f"{' and '.join(flat)} {'is' if len(flat) == 1 else 'are'} the same{where}" if flat else ""


def _products(
    cell: MetricCorrelation, both: list[Floats], surrogate: Codes, event: Codes, shape: tuple[int, int]
) -> Floats:
    """Entry (i, j) of (k, k): the share of r if surrogate i had the metric of j; r itself is the trace."""
    x, y = (side[MEASURES.index(cell.measure)] for side in both)
    known = ~np.isnan(y)
    sides = []
    for side in (x[known], y[known]):
        if cell.correlation == "spearman" and len(side):
            side = midranks(side[None])[0]
        side = side - side.mean() if len(side) else side
        table = np.zeros(shape)
        table[surrogate[known], event[known]] = side
        sides.append(table)
    metric, value = sides
    size = sqrt(float((metric**2).sum() * (value**2).sum()))
    return np.asarray(value @ metric.T / (size if size > 0 else 1.0), dtype=np.float64)


def _every(k: int, spec: CorrelationSpec) -> bool:
    """Return True where k surrogates have no more permutations than may be worked on."""
    return factorial(k) <= spec.permutations


def _orders(k: int, spec: CorrelationSpec) -> Iterator[Codes]:
    """Permutations (b, k) of the surrogates, in blocks: all of them, or random ones."""
    if _every(k, spec):
        yield np.array(list(permutations(range(k))), dtype=np.int64).reshape(-1, k)
        return
    size = max(_BLOCK // k, 1)
    rng = np.random.default_rng(spec.seed)
    for start in range(0, spec.permutations, size):
        yield rng.permuted(np.tile(np.arange(k), (min(size, spec.permutations - start), 1)), axis=1)


def _permuted(
    cells: list[MetricCorrelation], products: Floats, spec: CorrelationSpec, on_progress: OnProgress
) -> list[MetricCorrelation]:
    """The cells with p from giving every surrogate another's metric."""
    k = products.shape[1]
    if spec.level == "system x event":
        products = products - (products.sum(axis=(1, 2)) / k**2)[:, None, None]
    blocks: list[Floats] = []
    for order in _orders(k, spec):
        blocks.append(_size(products[:, np.arange(k), order].sum(axis=2), spec.alternative))
        if on_progress is not None:
            on_progress(sum(block.shape[1] for block in blocks) / min(factorial(k), spec.permutations))
    drawn = np.concatenate(blocks, axis=1)
    observed = _size(np.trace(products, axis1=1, axis2=2), spec.alternative)
    as_far, farthest = (
        (drawn >= limit[:, None] - _TOLERANCE).sum(axis=1) for limit in (observed, drawn.max(axis=1))
    )
    if _every(k, spec):
        p, least = as_far / drawn.shape[1], farthest / drawn.shape[1]
    else:
        p, least = (as_far + 1) / (drawn.shape[1] + 1), np.full(len(cells), 1 / (drawn.shape[1] + 1))
    return [
        replace(cell, p=float(p[at]), stars=stars(float(p[at])), smallest_p=float(least[at]))
        if cell.estimate.defined
        else cell
        for at, cell in enumerate(cells)
    ]


def _size(r: Floats, alternative: Alternative) -> Floats:
    """Return how far correlations go in the direction that the test asks about."""
    if alternative == "two-sided":
        return np.abs(r)
    return r if alternative == "greater" else -r


RIGHT = [at for at, outcome in enumerate(OUTCOMES) if outcome in ("tp", "tn")]
_FRACTIONS: dict[Measure, tuple[tuple[int, ...], tuple[int, ...]]] = {
    "precision": ((1, 0, 0, 0), (1, 0, 1, 0)),
    "recall": ((1, 0, 0, 0), (1, 0, 0, 1)),
    "f_score": ((2, 0, 0, 0), (2, 0, 1, 1)),
}
"""Weights of `OUTCOMES` in the numerator and in the denominator."""


def compare_metrics_of_texts(
    texts: Mapping[str, JudgedTexts],
    correlation: CorrelationName = "pearson",
    bootstrap: BootstrapSpec | None = None,
    on_progress: Callable[[float], object] | None = None,
    measure: Measure = "accuracy",
) -> tuple[MetricPair, ...]:
    """All pairs of metrics on accuracy, precision, recall or F of the same judgments, over surrogates.

    Parameters
    ----------
    texts : name of the metric -> its texts and their judgments, of one study
    correlation : "pearson" or "spearman"
    bootstrap : draws (and permutations), seed and level
    on_progress : called between blocks with the share done
    measure : what metrics are compared on

    Returns
    -------
    tuple of MetricPair
        n counts surrogates; undefined with the reason in `difference`; none of fewer than two metrics.

    Raises
    ------
    InputError
        where the correlation or the measure is another.

    Notes
    -----
    A surrogate's accuracy is the mean over events of the mean over its texts of the share of right judgments. Single
    texts have no precision, recall or F: these are the mean over events of the rate of all judgments in an event, of
    the texts that all metrics know.
    Source: as `analysis.correlation.metric_comparison`, with surrogates for systems and events for topics.
    """
    if measure not in MEASURES:
        raise InputError(f"`measure` must be one of {', '.join(MEASURES)}; got {measure!r}")
    if len(texts) < 2:
        return ()
    keys, values, outcomes = [], [], list[Floats]()
    for one in texts.values():
        cell = one.text * len(OUTCOMES) + one.outcome
        counts = np.bincount(cell, minlength=len(one.metric) * len(OUTCOMES)).reshape(-1, len(OUTCOMES))
        judged = counts.sum(axis=1) > 0
        place = one.surrogates[one.surrogate], one.events[one.event], one.document
        keys.append(np.column_stack(place)[judged])
        values.append(one.metric[judged])
        outcomes.append(counts[judged].astype(np.float64))
    every, at = np.unique(np.concatenate(keys), axis=0, return_inverse=True)
    total: Floats = np.empty((len(every), len(OUTCOMES)))
    total[at] = np.concatenate(outcomes)
    columns, start = {}, 0
    for name, value in zip(texts, values, strict=True):
        columns[name] = np.full(len(every), np.nan)
        columns[name][at[start : start + len(value)]] = value
        start += len(value)
    surrogate, event, score = every[:, 0], every[:, 1], total[:, RIGHT].sum(axis=1) / total.sum(axis=1)
    if measure != "accuracy":
        known = ~np.isnan(np.column_stack(list(columns.values()))).any(axis=1)
        cells, cell, times = np.unique(every[known, :2], axis=0, return_inverse=True, return_counts=True)
        columns = {
            name: np.bincount(cell, column[known], len(cells)) / times for name, column in columns.items()
        }
        surrogate, event = cells[:, 0], cells[:, 1]
        score = _rate(total[known], cell, len(cells), measure)
    return compare_metrics(columns, surrogate, event, score, correlation, bootstrap, on_progress)


def _rate(counts: Floats, cell: NDArray[np.int64], cells: int, measure: Measure) -> Floats:
    """Return the rate (cells,) of all judgments in each cell, NaN where its denominator is 0."""
    above, below = (np.bincount(cell, counts @ weights, cells) for weights in _FRACTIONS[measure])
    return np.asarray(ratio(above, below), dtype=np.float64)
