"""Consistency of content selection: manual against automatic Pyramid scores.

An assessor marks in every summary the strings that express a content unit (its contributors). The automatic score
of a summary counts the units whose strings, marked in *other* summaries of the topic, occur in its text. If an
assessor misses a unit marked elsewhere, the manual score of the summary is lower than the automatic one.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analysis.assessors.summary_scores import tokenize
from analysis.resampling.intervals import rao_wu_weights, scaled_percentiles
from analysis.values.estimate import BootstrapSpec, Counts, Estimate, Floats, InputError
from analysis.values.ratings import numbers

DEFAULT_BOOTSTRAP = BootstrapSpec()
"""Bootstrap of the intervals by default."""
YES = ("yes", "y", "true", "t", "1", "1.0", "model", "human")
NO = ("", "no", "n", "false", "f", "0", "0.0", "peer", "system", "machine")
NO_WEIGHT = "the unit's weight is not a number above 0"
NO_TEXT = "the summary's text is not known"
NO_CONTRIBUTORS = "its topic has no contributors"
ONLY_SUMMARY = "it is the only summary of its topic, so there are no others to look for"
NO_RATER = "nothing was marked in it, and its topic has several assessors"


@dataclass(frozen=True, eq=False)
class Contributors:
    """The strings that assessors marked: one entry per string.

    Parameters
    ----------
    topic, item, scu : (n,) ids of the topic, the summary and the content unit
    text : (n,) the words marked
    weight : (n,) of the unit
    condition, rater : (n,) ids, where there are any
    is_model : (n,) True if the pyramid was built from the summary: booleans, or words such as "yes" and "no"

    Notes
    -----
    Units of different topics or conditions differ even if their ids are equal.
    Source: Nenkova & Passonneau 2004; methods, section 3.
    """

    topic: NDArray[Any]
    item: NDArray[Any]
    scu: NDArray[Any]
    text: NDArray[Any]
    weight: NDArray[Any]
    condition: NDArray[Any] | None = None
    rater: NDArray[Any] | None = None
    is_model: NDArray[Any] | None = None

    def __post_init__(self) -> None:
        n = np.shape(self.topic)
        for field in fields(self):
            values = getattr(self, field.name)
            if values is None:
                continue
            column = np.asarray(values)
            if column.ndim != 1 or column.shape != n:
                raise InputError(
                    "all columns of contributors must be 1-d and equally long, one entry per marked string; "
                    f"`{field.name}` has shape {column.shape} and `topic` {n}"
                )
            object.__setattr__(self, field.name, _PARSERS.get(field.name, np.asarray)(column))


def _parse_yes_no(column: NDArray[Any]) -> NDArray[np.bool_]:
    answers = np.char.lower(column.astype(str))
    if unknown := sorted(set(answers.tolist()) - {*YES, *NO}):
        raise InputError(f"`is_model` must say yes or no for each summary, got {unknown[0]!r}")
    return np.isin(answers, YES)


_PARSERS: Mapping[str, Callable[[NDArray[Any]], NDArray[Any]]] = {
    "weight": partial(numbers, "weight"),
    "is_model": _parse_yes_no,
}


@dataclass(frozen=True, eq=False)
class PyramidScores:
    """Manual and automatic scores of n summaries, by assessor.

    `items`, `topics`, `conditions`, `raters` (n,) ids ("" where there are none), `is_model` (n,);
    `manual`, `automatic` (n,) shares of the largest weight of a summary of average size, may exceed 1;
    `left_out` (reason, number) of excluded contributors and summaries; `cells` topics under a condition, of which
    `cells_without_models` have no model summary, so that the average size is that of all summaries.
    """

    items: NDArray[Any]
    topics: NDArray[Any]
    conditions: NDArray[Any]
    raters: NDArray[Any]
    is_model: NDArray[np.bool_]
    manual: Floats
    automatic: Floats
    left_out: tuple[tuple[str, int], ...]
    cells: int
    cells_without_models: int

    @property
    def difference(self) -> Floats:
        """Manual less automatic score (n,)."""
        return self.manual - self.automatic

    def __len__(self) -> int:
        return len(self.manual)


@dataclass(frozen=True, eq=False)
class TopicScores:
    """Mean scores of each assessor's summaries of one topic under one condition.

    `raters`, `topics`, `conditions` (k,) ids, ordered by them; `manual`, `automatic` (k,) means over
    `summaries` (k,).
    """

    raters: NDArray[Any]
    topics: NDArray[Any]
    conditions: NDArray[Any]
    manual: Floats
    automatic: Floats
    summaries: Counts

    @property
    def difference(self) -> Floats:
        """Manual less automatic score (k,)."""
        return self.manual - self.automatic


@dataclass(frozen=True, eq=False)
class AssessorDifferences:
    """Difference mP - aP of each assessor.

    `raters` (w,) ids, ascending; `difference` w estimates with n topics; `topics`, `summaries` (w,) counts.
    """

    raters: NDArray[Any]
    difference: tuple[Estimate, ...]
    topics: Counts
    summaries: Counts


def pyramid_scores(
    contributors: Contributors,
    texts: Mapping[Any, str],
    cells_of_summaries: Mapping[Any, tuple[Any, Any]] | None = None,
    on_progress: Callable[[float], object] | None = None,
) -> PyramidScores:
    """Compute the manual and automatic Pyramid score of each summary.

    Parameters
    ----------
    contributors : n marked strings
    texts : summary -> its text
    cells_of_summaries : summary -> (topic, condition); without it, summaries without marks are unknown
    on_progress : called between topics with the share done

    Returns
    -------
    PyramidScores
        arrays (m,), one entry per summary and assessor, ordered by topic, condition and summary.

    Notes
    -----
    Not for paraphrasing summaries: strings are matched word for word, so that the automatic score is too low. Manual:
    the total weight of the distinct units marked. Automatic: that of the units marked in any *other* summary of the
    topic and condition with a string that occurs in the text as whole words, ignoring case, white space and
    punctuation. Both are divided by the largest total weight for the mean number of units per model summary (which may
    be fractional). A unit with several weights has the highest.
    Source: Owczarzak et al. 2012, section 2; Passonneau 2010, section 3 (modified pyramid); methods, section 3.
    """
    left_out: dict[str, int] = {}
    positive = np.isfinite(contributors.weight) & (contributors.weight > 0)
    _add_count(left_out, NO_WEIGHT, int((~positive).sum()))
    marked = _columns(contributors, positive)
    cell_of = _group_entries(marked["topic"], marked["condition"])
    unmarked = _unmarked_summaries(marked, cell_of, cells_of_summaries, left_out)
    rows: list[tuple[Any, ...]] = []
    without_models = 0
    for index, (cell, entries) in enumerate(cell_of.items()):
        cell_columns = {name: column[entries] for name, column in marked.items()}
        without_models += not cell_columns["is_model"].any()
        rows += _score_cell(cell, cell_columns, unmarked.get(cell, []), texts, left_out)
        if on_progress is not None:
            on_progress((index + 1) / len(cell_of))
    names = ("items", "topics", "conditions", "raters", "is_model", "manual", "automatic")
    columns = {name: np.array([row[index] for row in rows]) for index, name in enumerate(names)}
    kinds = {"is_model": np.bool_, "manual": np.float64, "automatic": np.float64}
    return PyramidScores(
        **{name: column.astype(kinds.get(name, column.dtype)) for name, column in columns.items()},
        left_out=tuple(left_out.items()),
        cells=len(cell_of),
        cells_without_models=without_models,
    )


def difference_by_assessor(
    scores: PyramidScores, bootstrap: BootstrapSpec = DEFAULT_BOOTSTRAP
) -> AssessorDifferences:
    """Estimate mP - aP of each assessor, averaged over summaries within a topic, then over topics.

    Parameters
    ----------
    scores : of the summaries (n,)
    bootstrap : draws, seed and level

    Returns
    -------
    AssessorDifferences
        of w assessors.

    Notes
    -----
    Lower is less consistent. Compare assessors only, as the level depends on how much the summaries copy. A topic under
    a condition counts once. The interval resamples topics with both their conditions: it is for this assessor on other
    topics.
    Source: Owczarzak et al. 2012, section 2, Figure 1; methods, section 3.
    """
    cells = scores_by_topic(scores)
    raters = np.unique(cells.raters)
    masks = [cells.raters == rater for rater in raters]
    differences = [
        _assessor_difference(cells.topics[mask], cells.difference[mask], bootstrap) for mask in masks
    ]
    return AssessorDifferences(
        raters,
        tuple(differences),
        np.array([estimate.n for estimate in differences], dtype=np.int64),
        np.array([cells.summaries[mask].sum() for mask in masks], dtype=np.int64),
    )


def scores_by_topic(scores: PyramidScores) -> TopicScores:
    """Average both scores by assessor, topic and condition.

    Parameters
    ----------
    scores : of the summaries (n,)

    Returns
    -------
    TopicScores
        (k,) one entry per assessor, topic and condition.

    Notes
    -----
    Not for few summaries, where one unusual text decides.
    Source: Owczarzak et al. 2012, section 2 ("the annotation consistency in this particular topic").
    """
    (raters, rater), (topics, topic), (conditions, condition) = (
        np.unique(ids, return_inverse=True) for ids in (scores.raters, scores.topics, scores.conditions)
    )
    shape = max(len(raters), 1), max(len(topics), 1), max(len(conditions), 1)
    codes, cell = np.unique(np.ravel_multi_index((rater, topic, condition), shape), return_inverse=True)
    r, t, c = np.unravel_index(codes, shape)
    n = np.bincount(cell, minlength=len(codes))
    manual, automatic = (
        np.bincount(cell, values, len(codes)) / n for values in (scores.manual, scores.automatic)
    )
    return TopicScores(raters[r], topics[t], conditions[c], manual, automatic, n)


def _assessor_difference(topic: NDArray[Any], difference: Floats, spec: BootstrapSpec) -> Estimate:
    """Estimate the mean over cells (k,), with its interval over topics."""
    topics, topic_of_cell = np.unique(topic, return_inverse=True)
    value, n = float(difference.mean()), len(topics)
    if n < 2:
        return Estimate(value, n=n, reason="there is only one topic, so there is nothing to draw")
    if spec.draws < 2:
        return Estimate(value, n=n, reason="no draws were asked for")
    weights = rao_wu_weights(np.random.default_rng([spec.seed, 4]), n, spec.draws).T[topic_of_cell]
    samples = (difference @ weights) / weights.sum(axis=0)
    low, high = scaled_percentiles(value, samples, spec.level, n - 1)
    return Estimate(value, float(low), float(high), n)


def _columns(contributors: Contributors, mask: NDArray[np.bool_]) -> dict[str, NDArray[Any]]:
    n = np.shape(contributors.topic)
    absent = {"condition": np.full(n, ""), "rater": np.full(n, ""), "is_model": np.zeros(n, dtype=np.bool_)}
    names = ("topic", "item", "scu", "text", "weight", "condition", "rater", "is_model")
    columns = {name: getattr(contributors, name) for name in names}
    return {
        name: np.asarray(absent[name] if column is None else column)[mask] for name, column in columns.items()
    }


def _group_entries(topic: NDArray[Any], condition: NDArray[Any]) -> dict[tuple[Any, Any], NDArray[np.int64]]:
    """Return (topic, condition) -> indices of its contributors."""
    topics, t = np.unique(topic, return_inverse=True)
    conditions, c = np.unique(condition, return_inverse=True)
    codes, cell = np.unique(t * max(len(conditions), 1) + c, return_inverse=True)
    order = np.argsort(cell, kind="stable")
    parts = np.split(order, np.searchsorted(cell[order], np.arange(1, len(codes))))
    return {
        (topics[code // len(conditions)], conditions[code % len(conditions)]): part
        for code, part in zip(codes, parts, strict=False)
    }


def _unmarked_summaries(
    marked: dict[str, NDArray[Any]],
    cells: Mapping[tuple[Any, Any], Any],
    cells_of_summaries: Mapping[Any, tuple[Any, Any]] | None,
    left_out: dict[str, int],
) -> dict[tuple[Any, Any], list[Any]]:
    """Return the summaries without marks, by topic and condition."""
    marked_items = set(marked["item"].tolist())
    unmarked: dict[tuple[Any, Any], list[Any]] = {}
    for item, cell in (cells_of_summaries or {}).items():
        if item in marked_items:
            continue
        if cell in cells:
            unmarked.setdefault(cell, []).append(item)
        else:
            _add_count(left_out, NO_CONTRIBUTORS, 1)
    return unmarked


def _score_cell(
    cell: tuple[Any, Any],
    columns: dict[str, NDArray[Any]],
    unmarked: list[Any],
    texts: Mapping[Any, str],
    left_out: dict[str, int],
) -> list[tuple[Any, ...]]:
    """Score the summaries of one topic under one condition."""
    scus, scu = np.unique(columns["scu"], return_inverse=True)
    weight = np.zeros(len(scus))
    np.maximum.at(weight, scu, columns["weight"])
    summaries = sorted(set(zip(columns["item"].tolist(), columns["rater"].tolist(), strict=True)))
    raters = {rater for _, rater in summaries}
    if len(raters) == 1:
        summaries = sorted([*summaries, *((item, rater) for item in unmarked for rater in raters)])
    else:
        _add_count(left_out, NO_RATER, len(unmarked))
    row_of = {summary: row for row, summary in enumerate(summaries)}
    rows = [row_of[pair] for pair in zip(columns["item"].tolist(), columns["rater"].tolist(), strict=True)]
    marks = np.zeros((len(summaries), len(scus)), dtype=bool)
    marks[rows, scu] = True
    is_model = np.zeros(len(summaries), dtype=bool)
    is_model[rows] |= columns["is_model"]

    items = [item for item, _ in summaries]
    if len(set(items)) < 2:
        _add_count(left_out, ONLY_SUMMARY, len(summaries))
        return []
    best = _best_weight(weight, marks[is_model] if is_model.any() else marks)
    occurs = _marked_elsewhere(items, columns, scu, len(scus), texts)
    manual, automatic = marks @ weight / best, occurs @ weight / best
    has_text = [bool(tokenize(texts.get(item, ""))) for item in items]
    _add_count(left_out, NO_TEXT, has_text.count(False))
    return [
        (item, *cell, rater, bool(is_model[row]), float(manual[row]), float(automatic[row]))
        for row, (item, rater) in enumerate(summaries)
        if has_text[row]
    ]


def _best_weight(weight: Floats, marks: NDArray[np.bool_]) -> float:
    """Return the largest total weight of as many units as these summaries hold on average, the last one in part."""
    size = float(marks.sum(axis=1).mean())
    heaviest = np.sort(weight)[::-1]
    part = np.clip(size - np.arange(len(heaviest)), 0.0, 1.0)
    return float(part @ heaviest)


def _marked_elsewhere(
    items: list[Any], columns: dict[str, NDArray[Any]], scu: Counts, units: int, texts: Mapping[Any, str]
) -> NDArray[np.bool_]:
    """Return True (summaries, units) for units with a string from another item that occurs in the text."""
    folded = {
        text: f" {' '.join(tokenize(text))} "
        for text in {*columns["text"].tolist(), *map(texts.get, items)}
        if text
    }
    items_by_string: dict[tuple[str, int], set[Any]] = {}
    for text, unit, item in zip(
        columns["text"].tolist(), scu.tolist(), columns["item"].tolist(), strict=True
    ):
        items_by_string.setdefault((folded.get(text, ""), unit), set()).add(item)
    by_first_word: dict[str, list[tuple[str, int, set[Any]]]] = {}
    for (string, unit), marked_in in items_by_string.items():
        if string.strip():
            by_first_word.setdefault(string.split()[0], []).append((string, unit, marked_in))
    has_unit = np.zeros((len(items), units), dtype=bool)
    for row, item in enumerate(items):
        text = folded.get(texts.get(item, ""), "")
        for word in set(text.split()):
            for string, unit, marked_in in by_first_word.get(word, ()):
                if string in text and (len(marked_in) > 1 or item not in marked_in):
                    has_unit[row, unit] = True
    return has_unit


def _add_count(left_out: dict[str, int], reason: str, number: int) -> None:
    if number:
        left_out[reason] = left_out.get(reason, 0) + number
