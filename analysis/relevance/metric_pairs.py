"""Two automatic metrics held against the same judgments: which one goes better with their accuracy?"""

from collections.abc import Callable, Mapping

import numpy as np

from analysis.correlation.metric_comparison import MetricPair, compare_metrics
from analysis.correlation.rows import CorrelationName
from analysis.relevance.judged_texts import OUTCOMES, JudgedTexts
from analysis.values.estimate import BootstrapSpec

RIGHT = [at for at, outcome in enumerate(OUTCOMES) if outcome in ("tp", "tn")]


def compare_metrics_of_texts(
    texts: Mapping[str, JudgedTexts],
    correlation: CorrelationName = "pearson",
    bootstrap: BootstrapSpec | None = None,
    on_progress: Callable[[float], object] | None = None,
) -> tuple[MetricPair, ...]:
    """All pairs of metrics on the accuracy of the same judgments, over surrogates.

    Parameters
    ----------
    texts : name of the metric -> its texts and their judgments, of one study
    correlation : "pearson" or "spearman"
    bootstrap : draws (and permutations), seed and level
    on_progress : called between blocks with the share done

    Returns
    -------
    tuple of MetricPair
        n counts surrogates; undefined with the reason in `difference`; none of fewer than two metrics.

    Raises
    ------
    InputError
        where the correlation is another.

    Notes
    -----
    A surrogate's accuracy is the mean over events of the mean over its texts of the share of right judgments. Not for
    precision or recall, which single texts do not have.
    Source: as `analysis.correlation.metric_comparison`, with surrogates for systems and events for topics.
    """
    if len(texts) < 2:
        return ()
    keys, values, shares = [], [], []
    for one in texts.values():
        given = np.bincount(one.text, minlength=len(one.metric))
        right = np.bincount(one.text, np.isin(one.outcome, RIGHT), len(one.metric))
        judged = given > 0
        place = one.surrogates[one.surrogate], one.events[one.event], one.document
        keys.append(np.column_stack(place)[judged])
        values.append(one.metric[judged])
        shares.append(right[judged] / given[judged])
    every, at = np.unique(np.concatenate(keys), axis=0, return_inverse=True)
    score = np.empty(len(every))
    score[at] = np.concatenate(shares)
    columns, start = {}, 0
    for name, value in zip(texts, values, strict=True):
        columns[name] = np.full(len(every), np.nan)
        columns[name][at[start : start + len(value)]] = value
        start += len(value)
    return compare_metrics(columns, every[:, 0], every[:, 1], score, correlation, bootstrap, on_progress)
