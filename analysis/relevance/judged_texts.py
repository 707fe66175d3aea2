"""Judgments of relevance beside an automatic metric's values: what both the correlations and the partitions rest on.

A text is one surrogate of one document of an event. Only texts with a metric value, and only judgments of them whose
truth is known, enter; so that both sides of every correlation rest on the same texts.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.relevance.judgments import Judgments, yes_or_no
from analysis.values.columns import numbers
from analysis.values.errors import InputError
from analysis.values.types import Codes, Floats

OUTCOMES = ("tp", "tn", "fp", "fn")
"""Judged relevant and so it is, judged not and so it is not, judged relevant but is not, judged not but is."""


@dataclass(frozen=True, eq=False)
class MetricTable:
    """A metric column: `event`, `document`, `surrogate` (M,) ids of texts and their `value` (M,), NaN where unknown."""

    event: ArrayLike
    document: ArrayLike
    surrogate: ArrayLike
    value: ArrayLike

    def without(self, surrogate: Any) -> "MetricTable":
        """The same less the texts of one surrogate, such as the full text."""
        kept = np.asarray(self.surrogate) != surrogate
        return MetricTable(**{name: np.asarray(column)[kept] for name, column in vars(self).items()})


@dataclass(frozen=True, eq=False)
class JudgedTexts:
    """t texts with a metric value and N judgments of them.

    `surrogates` (k,), `events` (e,), `raters` (r,) ids of all judgments, in ascending order; `surrogate`, `event`,
    `document` (t,) codes of the texts, ordered by event, document and surrogate, documents numbered through all
    `documents` of the study; `metric` (t,). `text`, `rater` (N,) codes of the judgments and `outcome` (N,), the place
    in `OUTCOMES`. `without_truth` and `without_metric` judgments were set aside, in this order; `unjudged` texts have
    a metric value but no judgment of known truth.
    """

    surrogates: NDArray[Any]
    events: NDArray[Any]
    raters: NDArray[Any]
    documents: int
    surrogate: Codes
    event: Codes
    document: Codes
    metric: Floats
    text: Codes
    rater: Codes
    outcome: Codes
    without_truth: int
    without_metric: int
    unjudged: int

    def of_others(self, surrogate: Any) -> "JudgedTexts":
        """The same less one surrogate, such as the full text."""
        named = [name != surrogate for name in self.surrogates.tolist()]
        if all(named):
            return self
        stays = np.array(named)[self.surrogate]
        kept = stays[self.text]
        return JudgedTexts(
            self.surrogates[named],
            self.events,
            self.raters,
            self.documents,
            (np.cumsum(named) - 1)[self.surrogate[stays]],
            self.event[stays],
            self.document[stays],
            self.metric[stays],
            (np.cumsum(stays) - 1)[self.text[kept]],
            self.rater[kept],
            self.outcome[kept],
            self.without_truth,
            self.without_metric,
            self.unjudged,
        )


def judged_texts(judgments: Judgments, truth: ArrayLike, metric: MetricTable) -> JudgedTexts:
    """Judgments and metric values brought together by event, document and surrogate.

    Parameters
    ----------
    judgments : N of them
    truth : (N,) 0, 1, or NaN where not known: gold, or the rater's own judgment of the full text
    metric : M texts with their values

    Raises
    ------
    InputError
        where lengths differ, truths are not 0 or 1, ids are of different kinds, or a text has two metric values.

    Notes
    -----
    Gold makes it LDC Agreement, the rater's own judgment of the full text Relevance Prediction.
    Source: Hobson, Dorr, Monz and Schwartz 2007, sections 4.3.3 and 5.3.3; methods, section 6.

    >>> table = MetricTable([1, 1], ["a", "b"], ["h", "h"], [0.2, float("nan")])
    >>> of = Judgments([1, 2, 1], [1, 1, 1], ["a", "a", "b"], ["h"] * 3, [1, 0, 1])
    >>> texts = judged_texts(of, [1, 1, 0], table)
    >>> texts.metric.tolist(), [OUTCOMES[outcome] for outcome in texts.outcome], texts.without_metric
    ([0.2], ['tp', 'fn'], 1)
    """
    length = len(judgments)
    judged, true = judgments.judgment, yes_or_no("truth", truth, length, may_lack=True)
    raters, of_rater = np.unique(judgments.rater, return_inverse=True)
    value = _values(metric)
    key, table = np.zeros(length, dtype=np.int64), np.zeros(len(value), dtype=np.int64)
    known = ~np.isnan(value)
    ids = []
    for name in ("event", "document", "surrogate"):
        names, code = np.unique(getattr(judgments, name), return_inverse=True)
        there = _placed(name, names, getattr(metric, name), len(value))
        key, table = key * len(names) + code, table * len(names) + np.maximum(there, 0)
        known &= there >= 0
        ids.append(names)
    events, documents, surrogates = ids
    known_keys, first = np.unique(table[known], return_index=True)
    if len(known_keys) < known.sum():
        raise InputError(
            "`metric` must have one value per event, document and surrogate; some texts have several: "
            "keep one row of each, or average them"
        )
    with_truth = ~np.isnan(true)
    kept = with_truth & np.isin(key, known_keys)
    texts, text = np.unique(key[kept], return_inverse=True)
    of_document, of_surrogate = np.divmod(texts, max(len(surrogates), 1))
    numbered = np.unique(key // max(len(surrogates), 1))
    wrong, judged_no = judged[kept] != true[kept], judged[kept] == 0
    return JudgedTexts(
        surrogates,
        events,
        raters,
        len(numbered),
        of_surrogate,
        of_document // max(len(documents), 1),
        np.searchsorted(numbered, of_document),
        value[known][first][np.searchsorted(known_keys, texts)],
        text,
        of_rater[kept],
        (2 * wrong + judged_no).astype(np.int64),
        int(length - with_truth.sum()),
        int(with_truth.sum() - kept.sum()),
        int((~np.isnan(value)).sum() - len(texts)),
    )


def _placed(name: str, ids: NDArray[Any], values: ArrayLike, length: int) -> Codes:
    """Place (M,) of each value among the ids, -1 where it is none of them."""
    array = _column(f"metric.{name}", values, length)
    if not len(ids) or not len(array):
        return np.full(len(array), -1)
    texts = [np.asarray(each).dtype.kind not in "biuf" for each in (ids, array)]
    if texts[0] != texts[1]:
        raise InputError(f"`{name}` and `metric.{name}` must hold ids of one kind, both text or both numbers")
    place = np.minimum(np.searchsorted(ids, array), len(ids) - 1)
    return np.where(ids[place] == array, place, -1)


def _values(metric: MetricTable) -> Floats:
    value = numbers("metric.value", metric.value)
    if np.isinf(value).any():
        raise InputError("`metric.value` must be finite, or NaN where it is not known")
    return value


def _column(name: str, values: ArrayLike, length: int) -> NDArray[Any]:
    array = np.asarray(values)
    if array.ndim != 1 or len(array) != length:
        raise InputError(f"`{name}` must be 1-d with one entry per row, {length}, got shape {array.shape}")
    return array
