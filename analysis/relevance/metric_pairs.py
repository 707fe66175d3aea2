"""Two automatic metrics compared on the same judgments: which one correlates better with how well people judge?"""

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from analysis.correlation.metric_comparison import MetricPair, compare_metrics
from analysis.correlation.rows import CorrelationName
from analysis.relevance.judged_texts import OUTCOMES, JudgedTexts
from analysis.relevance.metric_correlations import MEASURES, Measure
from analysis.values.errors import InputError
from analysis.values.estimate import BootstrapSpec
from analysis.values.quotients import ratio
from analysis.values.types import Floats

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
