"""Two automatic metrics held against the same human scores: which one goes better with them over systems?

Williams' test takes the systems as drawn from many and decides; Zou's interval is made to agree with it. PERM-BOTH
exchanges the two metrics' scores of single texts and asks whether the metrics differ on *these* systems: two metrics
that are equally good over many systems, each with its own taste, differ on the few at hand, and it rejects in 20 to 60
of 100 studies. BOOT-BOTH resamples systems and topics; for ranks of few systems it is wider than it says
(docs/calibration.md).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from math import isnan, nan
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from analysis.correlation.dependent import decided_by, difference, sharing, williams
from analysis.correlation.rows import FEWEST, CorrelationName, rows_by
from analysis.resampling.draws import blocks, times_drawn
from analysis.resampling.intervals import percentiles
from analysis.values.columns import numbers
from analysis.values.errors import InputError
from analysis.values.estimate import BootstrapSpec, Estimate
from analysis.values.p_values import holm
from analysis.values.quotients import ratio
from analysis.values.types import Codes, Floats, OnProgress
from analysis.values.whole_numbers import settle

FEWEST_NAMED = 8
"""Systems below which no metric is called the better one."""
_BLOCK = 4_000_000
"""Texts times draws worked on at once."""
_TOLERANCE = 1e-12


@dataclass(frozen=True)
class MetricPair:
    """Two metrics on the same scores, the one that goes better with them first.

    `correlations` of both over systems, `turned` whether a metric falls where scores rise and was turned round;
    `difference` with Zou's interval, which holds 0 just where Williams' test does not reject, its n the systems; `p` of
    that test and `p_holm` for all pairs;
    `resampled` the difference with the interval of BOOT-BOTH, `p_permuted` of PERM-BOTH, for these systems only.
    """

    better: str
    other: str
    correlations: tuple[float, float]
    turned: tuple[bool, bool]
    difference: Estimate
    p: float
    p_holm: float
    resampled: Estimate
    p_permuted: float
    texts: int

    @property
    def told_apart(self) -> bool:
        """Return True where there are enough systems and Williams' test names the better metric."""
        return self.difference.n >= FEWEST_NAMED and self.p_holm < 0.05


def compare_metrics(
    metrics: Mapping[str, ArrayLike],
    system: ArrayLike,
    topic: ArrayLike,
    score: ArrayLike,
    correlation: CorrelationName = "pearson",
    bootstrap: BootstrapSpec | None = None,
    on_progress: OnProgress = None,
) -> tuple[MetricPair, ...]:
    """All pairs of metrics on the same human scores, over systems.

    Parameters
    ----------
    metrics : name -> (N,) values of the rated texts, NaN where not known
    system, topic : (N,) ids
    score : (N,) human scores, NaN where not known
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
    Not whether either is good: see `automatic_metrics`. Each pair rests on the ratings for which both are known. A
    metric that falls where scores rise (an error rate) is turned round first.
    Source: Williams 1959; Graham & Baldwin 2014; Zou 2007; Deutsch, Dror & Roth 2021, sections 3 and 4 (BOOT-BOTH,
    PERM-BOTH; metrics standardised); Holm 1979; methods, section 3.
    """
    spec = BootstrapSpec() if bootstrap is None else bootstrap
    rows_by(correlation)
    columns = {name: numbers(name, values) for name, values in metrics.items()}
    scores = numbers("score", score)
    ids = {"system": np.asarray(system), "topic": np.asarray(topic)}
    for name, column in (columns | ids).items():
        if column.shape != scores.shape:
            raise InputError(
                "all columns must be 1-d and equally long; "
                f"`{name}` has shape {column.shape} and `score` {scores.shape}"
            )
    both = list(combinations(columns, 2))
    found = []
    for at, names in enumerate(both):
        known = np.isfinite(scores) & np.isfinite(columns[names[0]]) & np.isfinite(columns[names[1]])
        texts = _Texts(
            ids["system"][known],
            ids["topic"][known],
            scores[known],
            *(columns[name][known] for name in names),
        )
        tell = None if on_progress is None else _part(on_progress, at, len(both))
        found.append(_compared(names, texts, correlation, spec, tell))
    adjusted = holm([pair.p for pair in found])
    return tuple(replace(pair, p_holm=float(p)) for pair, p in zip(found, adjusted, strict=True))


class _Texts:
    """Cells of system and topic: mean score, and standardised means of both metrics, (c,) each."""

    def __init__(self, system: NDArray[Any], topic: NDArray[Any], *columns: Floats) -> None:
        systems, of_system = np.unique(system, return_inverse=True)
        topics, of_topic = np.unique(topic, return_inverse=True)
        cells, cell, times = np.unique(
            of_system * max(len(topics), 1) + of_topic, return_inverse=True, return_counts=True
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
        """Mean over topics of each system (b, s), from values of the cells (b, c)."""
        return np.asarray(values @ self._over_topics, dtype=np.float64)

    def by_topic(self, values: Floats) -> Any:
        """Values of the cells as a table of systems by topics."""
        return sparse.csr_array((values, (self.system, self.topic)), shape=(self.systems, self.topics))


def _standardised(values: Floats) -> Floats:
    deviation = float(values.std()) if len(values) else 0.0
    return (values - values.mean()) / deviation if deviation > 0 else np.zeros_like(values)


def _compared(
    names: tuple[str, str],
    texts: _Texts,
    correlation: CorrelationName,
    spec: BootstrapSpec,
    on_progress: OnProgress,
) -> MetricPair:
    rows = rows_by(correlation)

    def related(first: Floats, second: Floats) -> Floats:
        return rows(settle(np.atleast_2d(first)), settle(np.atleast_2d(second)))

    human, first, second = (texts.means(values[None]) for values in (texts.score, *texts.metrics))
    r = [float(related(metric, human)[0]) if texts.systems >= FEWEST else nan for metric in (first, second)]
    if any(isnan(value) for value in r):
        reason = _why_undefined(names, texts, r)
        none = Estimate(nan, n=texts.systems, reason=reason)
        return MetricPair(*names, (r[0], r[1]), (False, False), none, nan, nan, none, nan, texts.cells)
    turned = [value < 0 for value in r]
    order = (0, 1) if abs(r[0]) >= abs(r[1]) else (1, 0)
    metrics = [texts.metrics[at] * (-1 if turned[at] else 1) for at in order]
    first, second = (texts.means(metric[None]) for metric in metrics)
    high, low = (abs(r[at]) for at in order)
    between, n, ranks = float(related(first, second)[0]), texts.systems, correlation == "spearman"
    drawn = _drawn(texts, metrics, related, spec, on_progress)
    test = williams(high, low, between, n, ranks=ranks)
    zou = difference(high, low, sharing(high, low, between), n, spec.level, ranks)
    value = high - low
    permuted, resampled = (
        (np.concatenate(parts) for parts in zip(*drawn, strict=True)) if drawn else (None, None)
    )
    return MetricPair(
        names[order[0]],
        names[order[1]],
        (high, low),
        (turned[order[0]], turned[order[1]]),
        decided_by(test, zou, spec.level),
        test.p,
        nan,
        _resampled(value, resampled, n, spec.level),
        nan
        if permuted is None
        else float((1 + (np.abs(permuted) >= value - _TOLERANCE).sum()) / (1 + len(permuted))),
        texts.cells,
    )


def _drawn(
    texts: _Texts,
    metrics: list[Floats],
    related: Callable[[Floats, Floats], Floats],
    spec: BootstrapSpec,
    on_progress: OnProgress,
) -> list[tuple[Floats, Floats]]:
    """Differences of the correlations in blocks: with metrics exchanged text by text, and with systems and topics
    drawn."""
    of_swaps, of_draws = np.random.default_rng([spec.seed, 5]), np.random.default_rng([spec.seed, 6])
    human, first, second = (texts.means(values[None]) for values in (texts.score, *metrics))
    apart = metrics[0] - metrics[1]
    tables = [texts.by_topic(values) for values in (texts.score, *metrics, np.ones(texts.cells))]
    found = []
    for block in blocks(spec.draws, _BLOCK // max(texts.cells, 1), on_progress):
        size = block.stop - block.start
        moved = texts.means((of_swaps.random((size, texts.cells)) < 0.5) * apart)
        same = np.broadcast_to(human, moved.shape)
        permuted = related(first - moved, same) - related(second + moved, same)
        times = times_drawn(of_draws, texts.topics, size).T
        chosen: Codes = of_draws.integers(0, texts.systems, (size, texts.systems))
        *sums, known = (np.asarray(table @ times) for table in tables)
        scores, *both = (np.take_along_axis(ratio(each, known).T, chosen, axis=1) for each in sums)
        found.append((permuted, related(both[0], scores) - related(both[1], scores)))
    return found


def _resampled(value: float, drawn: Floats | None, n: int, level: float) -> Estimate:
    """The difference with the percentiles of BOOT-BOTH."""
    if drawn is None:
        return Estimate(value, n=n, reason="no draws were asked for")
    low, high = percentiles(value, drawn, level)
    return Estimate(
        value, float(low), float(high), n, "too many draws leave it undefined" if isnan(low) else ""
    )


def _why_undefined(names: tuple[str, str], texts: _Texts, r: list[float]) -> str:
    if texts.systems < FEWEST:
        return f"a correlation needs at least {FEWEST} systems with both metrics; there are {texts.systems}"
    if all(isnan(value) for value in r) and np.ptp(texts.means(texts.score[None])) <= _TOLERANCE:
        return "all systems have the same score"
    return f"{names[0] if isnan(r[0]) else names[1]} is the same for all systems"


def _part(on_progress: Callable[[float], object], at: int, parts: int) -> Callable[[float], object]:
    return lambda done: on_progress((at + done) / parts)
