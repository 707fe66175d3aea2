"""How predictions of scores go with scores over systems, and that in draws of assessors and topics."""

from collections.abc import Callable, Mapping
from math import nan
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from analysis.assessors.summary_scores import SummaryScores
from analysis.resampling.draws import blocks, one_fewer
from analysis.resampling.intervals import IDENTITY, Transform, shaped
from analysis.values.estimate import BootstrapSpec

Codes = NDArray[np.int64]
OnProgress = Callable[[float], object] | None
Floats = NDArray[np.float64]

BLOCK = 2_000_000
"""Cells x draws at a time."""
FEWEST_SYSTEMS = 3


def interval_of_draws(
    value: float, drawn: Floats, resampled: Mapping[str, int], level: float, scale: Transform = IDENTITY
) -> tuple[float, float]:
    """The ends of the middle `level` of the draws around the value; NaN where nothing was resampled."""
    if not resampled:
        return nan, nan
    low, high = shaped(value, drawn, level, min(resampled.values()) - 1, scale=scale)
    return float(low), float(high)


def drawn_correlations(
    rows: SummaryScores, predicted: Floats, given: Floats, bootstrap: BootstrapSpec, on_progress: OnProgress
) -> Floats:
    """The correlation over systems (draws,) with assessors and topics drawn anew."""
    resampled = what_is_drawn(rows)
    if not resampled:
        return np.empty(0)
    rng = np.random.default_rng(bootstrap.seed)
    raters, topics = len(np.unique(rows.rater)), len(np.unique(rows.topic))
    drawn_scores, cells = (_several_judges if _crossed(rows) else _one_judge)(rows, predicted, given)
    drawn = [np.empty(0)]
    for block in blocks(bootstrap.draws, BLOCK // cells, on_progress):
        size = block.stop - block.start
        of_rater, of_topic = (
            one_fewer(rng, units, size).T if what in resampled else np.ones((units, size))
            for what, units in (("raters", raters), ("topics", topics))
        )
        predictions, scores, weight = drawn_scores(of_rater, of_topic)
        drawn.append(
            pearson_of_rows(_divided(predictions, weight).T, _divided(scores, weight).T, (weight > 0).T)
        )
    return np.concatenate(drawn)


DrawnScores = Callable[[Floats, Floats], tuple[Floats, Floats, Floats]]
"""Times each rater (w, b) and topic (t, b) is drawn -> systems' sums of predictions and of scores, and weights."""


def _one_judge(rows: SummaryScores, predicted: Floats, given: Floats) -> tuple[DrawnScores, int]:
    """Assessors come with their topics, so that a topic's means are the same in all draws."""
    cell, cell_system, cell_topic, rater = _cells_of(rows)
    judge = np.zeros(int(cell_topic.max()) + 1, dtype=np.int64)
    judge[cell_topic[cell]] = rater
    in_cell = np.bincount(cell)
    shape = int(cell_system.max()) + 1, len(judge)
    predictions, scores, present = (
        sparse.csr_array((np.bincount(cell, values) / in_cell, (cell_system, cell_topic)), shape=shape)
        for values in (predicted, given, np.ones(len(rows)))
    )

    def scored(of_rater: Floats, of_topic: Floats) -> tuple[Floats, Floats, Floats]:
        times = of_topic * of_rater[judge]
        return _product(predictions, times), _product(scores, times), _product(present, times)

    return scored, sum(shape)


def _several_judges(rows: SummaryScores, predicted: Floats, given: Floats) -> tuple[DrawnScores, int]:
    """A topic's mean is that of the assessors drawn; a topic without any is as if not drawn."""
    cell, cell_system, cell_topic, rater = _cells_of(rows)
    cells = len(cell_system)
    counts, predictions, scores = (
        sparse.csr_array((values, (cell, rater)), shape=(cells, int(rater.max()) + 1))
        for values in (np.ones(len(rows)), predicted, given)
    )
    of_system = sparse.csr_array((np.ones(cells), (cell_system, np.arange(cells))))

    def scored(of_rater: Floats, of_topic: Floats) -> tuple[Floats, Floats, Floats]:
        judged = _product(counts, of_rater)
        times = np.where(judged > 0, of_topic[cell_topic], 0.0)
        first, second = (
            _product(of_system, times * _divided(_product(sums, of_rater), judged))
            for sums in (predictions, scores)
        )
        return first, second, _product(of_system, times)

    return scored, cells


def _product(matrix: Any, columns: Floats) -> Floats:
    """A sparse matrix times a plain one."""
    return np.asarray(matrix @ columns, dtype=np.float64)


def _cells_of(rows: SummaryScores) -> tuple[Codes, Codes, Codes, Codes]:
    """Each row's cell of system and topic (n,), the cells' systems and topics (c,), each row's rater (n,)."""
    system = np.unique(rows.system, return_inverse=True)[1]
    topics, topic = np.unique(rows.topic, return_inverse=True)
    cells, cell = np.unique(system * len(topics) + topic, return_inverse=True)
    return cell, *np.divmod(cells, len(topics)), np.unique(rows.rater, return_inverse=True)[1]


def _crossed(rows: SummaryScores) -> bool:
    """Whether some topic has more than one assessor."""
    pairs = np.unique(np.column_stack([rows.topic, rows.rater]), axis=0)
    return len(pairs) > len(np.unique(pairs[:, 0]))


def what_is_drawn(rows: SummaryScores) -> Mapping[str, int]:
    """What is drawn anew, and how many of them there are; assessors take topics that only they judged along."""
    raters, topics = len(np.unique(rows.rater)), len(np.unique(rows.topic))
    drawn = {"raters": raters} if raters > 1 else {}
    if topics > 1 and (raters == 1 or _crossed(rows)):
        drawn["topics"] = topics
    return drawn


def _divided(sums: Floats, counts: Floats) -> Floats:
    return np.divide(sums, counts, out=np.zeros_like(sums), where=counts > 0)


def system_means(rows: SummaryScores, values: Floats) -> Floats:
    """Mean over topics of the topic's mean, per system (s,) or (s, c), of values (n,) or (n, c)."""
    systems, system = np.unique(rows.system, return_inverse=True)
    topics, topic = np.unique(rows.topic, return_inverse=True)
    cells, cell, in_cell = np.unique(system * len(topics) + topic, return_inverse=True, return_counts=True)
    topics_of = np.bincount(cells // max(len(topics), 1), minlength=len(systems))
    weight = 1 / (in_cell[cell] * topics_of[system])
    columns = values.reshape(len(rows), -1).T
    means = np.array([np.bincount(system, weight * column, minlength=len(systems)) for column in columns])
    return means.T.reshape(len(systems), *values.shape[1:])


def is_flat(values: Floats) -> bool:
    """Whether values differ by no more than rounding errors."""
    return bool(np.ptp(values) <= 1e-12 * max(float(np.abs(values).max()), 1e-300))


def pearson_of_rows(first: Floats, second: Floats, present: NDArray[np.bool_] | None = None) -> Floats:
    """Row by row of (d, s), over the systems present; NaN for fewer than three or no spread."""
    second = np.broadcast_to(second, first.shape)
    here = np.ones(first.shape) if present is None else present.astype(np.float64)
    n = here.sum(axis=1)
    deviations = [
        here * (values - (_divided((here * values).sum(axis=1), n))[:, None]) for values in (first, second)
    ]
    spreads = [np.sqrt((d**2).sum(axis=1)) for d in deviations]
    largest = [np.abs(here * values).max(axis=1, initial=0.0) for values in (first, second)]
    vary = [s > 1e-10 * np.maximum(m, 1e-300) for s, m in zip(spreads, largest, strict=True)]
    defined = (n >= FEWEST_SYSTEMS) & vary[0] & vary[1]
    covariance = (deviations[0] * deviations[1]).sum(axis=1)
    out = np.full(len(first), nan)
    np.divide(covariance, spreads[0] * spreads[1], out=out, where=defined)
    return np.asarray(np.clip(out, -1.0, 1.0), dtype=np.float64)
