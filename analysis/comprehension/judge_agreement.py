"""Agreement of several judges on the same answers.

Alpha and kappa come from tables of verdict by verdict: alpha from coincidences (all ordered pairs of a question's
verdicts, divided by its number of verdicts - 1), kappa from the pairs of two judges. The tables of a bootstrap sample
are weighted sums of those of the stories.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from math import nan
from typing import Literal

import numpy as np

from analysis.agreement.alpha import krippendorff_alpha
from analysis.agreement.kappas import cohen_kappa
from analysis.comprehension.answer_levels import (
    Levels,
    estimate_levels,
    interval_over_stories,
    resample_stories,
)
from analysis.comprehension.answers import ANSWERS, Answers
from analysis.values.estimate import BootstrapSpec, Codes, Estimate, Floats, OnProgress

Metric = Literal["nominal", "ordinal"]

VERDICTS: dict[str, tuple[Metric, tuple[int, int, int, int]]] = {
    "nominal": ("nominal", (0, 1, 2, 3)),
    "ordinal": ("ordinal", (2, 1, 0, 0)),
    "binary": ("nominal", (1, 1, 0, 0)),
}
"""Codes of R, P, I and N for each measure: four kinds; R > P > I = N; {R, P} against {I, N}."""
_ROUNDING = 1e-12
"""Rounding error of a sum of squares, or of 1 - a share, that is 0."""


@dataclass(frozen=True)
class JudgePair:
    """Share of equal answers and Cohen's kappa of two judges on their shared questions, n = questions."""

    first: int
    second: int
    same: Estimate
    kappa: Estimate


@dataclass(frozen=True, eq=False)
class JudgeAgreement:
    """`alpha` by the names of `VERDICTS`, n = questions that two judges or more judged; `pairs` of judges by code.

    `by_judge` each judge's own shares (j groups by code). Alpha and pairs exclude `repeated` answers of a judge to the
    same question, and `unnamed` ones, whose judge is unknown.
    """

    alpha: dict[str, Estimate]
    pairs: tuple[JudgePair, ...]
    by_judge: Levels
    repeated: int
    unnamed: int


def judge_agreement(
    answers: Answers, bootstrap: BootstrapSpec | None = None, on_progress: OnProgress = None
) -> JudgeAgreement:
    """Estimate the agreement of judges on the same questions about the same summaries.

    Parameters
    ----------
    answers : N answers by code, (N,) each; own questions are set aside
    bootstrap : of the intervals, 1,000 draws by default
    on_progress : called between blocks of draws with the share done

    Returns
    -------
    JudgeAgreement
        undefined with the reason where no question has two judges, or all their answers are equal.

    Raises
    ------
    InputError
        where codes are out of range.

    Notes
    -----
    Binary is the paper's assumption that only {R, P} against {I, N} matters. Not for "who is right". Alpha and kappa
    are low if nearly all answers are equal, however rarely judges differ: compare the share of equal answers. Intervals
    use the bootstrap standard error over stories, for these judges, with Student's t.
    Source: Krippendorff 2011, section D; Cohen 1960; Kolluru and Gotoh 2005, section 4.2; methods, section 5.
    """
    spec = BootstrapSpec() if bootstrap is None else bootstrap
    to_others, judges = answers.to_others, answers.judges
    by_judge = estimate_levels(to_others, to_others.judge, judges, spec)
    first_verdicts = _first_verdicts(to_others)
    verdicts = _Verdicts(
        to_others.story_index[first_verdicts],
        to_others.question_summary_id[first_verdicts],
        to_others.judge[first_verdicts],
        to_others.answer[first_verdicts],
        to_others.stories,
    )
    judge_pairs = list(combinations(range(judges), 2))
    measures = [_measure_alpha(verdicts, metric, np.array(recoded)) for metric, recoded in VERDICTS.values()]
    for first, second in judge_pairs:
        measures += _measure_pair(verdicts, first, second)
    estimates = _with_intervals(measures, to_others.stories, spec, on_progress)
    pair_estimates = estimates[len(VERDICTS) :]
    return JudgeAgreement(
        dict(zip(VERDICTS, estimates, strict=False)),
        tuple(JudgePair(*pair, *pair_estimates[2 * at : 2 * at + 2]) for at, pair in enumerate(judge_pairs)),
        by_judge,
        len(to_others) - to_others.unnamed - len(first_verdicts),
        to_others.unnamed,
    )


@dataclass(frozen=True, eq=False)
class _Verdicts:
    """One answer of each judge to each question put to a summary, (N,) codes each."""

    story: Codes
    question: Codes
    judge: Codes
    answer: Codes
    stories: int


@dataclass(frozen=True, eq=False)
class _Measure:
    """Figure of all stories, and the function of sums (b, v, v) of the stories' tables (s, v, v) that gives it."""

    estimate: Estimate
    tables: Floats
    figure: Callable[[Floats], Floats]
    lowest: float


def _first_verdicts(answers: Answers) -> Codes:
    """Return the indices of each named judge's first answer to each question."""
    rows = np.flatnonzero(answers.judge >= 0)
    key = answers.question_summary_id[rows] * max(answers.judges, 1) + answers.judge[rows]
    return rows[np.unique(key, return_index=True)[1]]


def _measure_alpha(verdicts: _Verdicts, metric: Metric, recoded: Codes) -> _Measure:
    value = recoded[verdicts.answer]
    estimate = krippendorff_alpha(verdicts.question, value, metric, BootstrapSpec(0))
    estimate = replace(estimate, value=min(estimate.value, 1.0) if estimate.defined else nan)
    v = int(recoded.max()) + 1
    _, unit_of = np.unique(verdicts.question, return_inverse=True)
    units = int(unit_of.max(initial=-1)) + 1
    counts = np.bincount(unit_of * v + value, minlength=units * v).reshape(units, v).astype(np.float64)
    story_of_unit = np.zeros(units, dtype=np.int64)
    story_of_unit[unit_of] = verdicts.story
    others = np.maximum(counts.sum(axis=1) - 1, 1)
    pairs = counts[:, :, None] * (counts[:, None, :] - np.eye(v)) / others[:, None, None]
    return _Measure(
        estimate,
        _sum_by_story(story_of_unit, pairs, verdicts.stories),
        partial(_alpha_from_coincidences, metric=metric),
        -np.inf,
    )


def _alpha_from_coincidences(coincidences: Floats, metric: Metric) -> Floats:
    n_v = coincidences.sum(axis=2)
    n = n_v.sum(axis=1)
    if metric == "nominal":
        differ = np.broadcast_to(1 - np.eye(n_v.shape[1]), coincidences.shape)
    else:
        rank = np.cumsum(n_v, axis=1) - n_v / 2
        differ = (rank[:, :, None] - rank[:, None, :]) ** 2
    within = (coincidences * differ).sum(axis=(1, 2))
    between = (n_v[:, :, None] * n_v[:, None, :] * differ).sum(axis=(1, 2))
    defined = between > _ROUNDING
    return np.where(defined, 1 - (n - 1) * within / np.where(defined, between, 1.0), nan)


def _measure_pair(verdicts: _Verdicts, first: int, second: int) -> list[_Measure]:
    first_rows, second_rows = (np.flatnonzero(verdicts.judge == judge) for judge in (first, second))
    _, in_first, in_second = np.intersect1d(
        verdicts.question[first_rows], verdicts.question[second_rows], True, return_indices=True
    )
    first_rows, second_rows = first_rows[in_first], second_rows[in_second]
    n, v = len(first_rows), len(ANSWERS)
    kappa = cohen_kappa(verdicts.answer[first_rows], verdicts.answer[second_rows], BootstrapSpec(0))
    pairs = np.zeros((n, v, v))
    pairs[np.arange(n), verdicts.answer[first_rows], verdicts.answer[second_rows]] = 1
    tables = _sum_by_story(verdicts.story[first_rows], pairs, verdicts.stories)
    same = float((verdicts.answer[first_rows] == verdicts.answer[second_rows]).mean()) if n else nan
    if n == 0:
        same_of, kappa = (Estimate(nan, reason="no question that both judged"),) * 2
    else:
        same_of = Estimate(same, n=n)
    return [_Measure(same_of, tables, _share_of_equal, 0.0), _Measure(kappa, tables, _kappa_from_pairs, -1.0)]


def _share_of_equal(pairs: Floats) -> Floats:
    n = pairs.sum(axis=(1, 2))
    return np.where(n > 0, np.einsum("bvv->b", pairs) / np.maximum(n, 1), nan)


def _kappa_from_pairs(pairs: Floats) -> Floats:
    n = np.maximum(pairs.sum(axis=(1, 2)), 1)
    same = np.einsum("bvv->b", pairs) / n
    chance = (pairs.sum(axis=1) * pairs.sum(axis=2)).sum(axis=1) / n**2
    defined = (chance < 1 - _ROUNDING) & (pairs.sum(axis=(1, 2)) > 0)
    return np.where(defined, (same - chance) / np.where(defined, 1 - chance, 1.0), nan)


def _sum_by_story(story: Codes, tables: Floats, stories: int) -> Floats:
    v = tables.shape[1]
    columns = tables.reshape(len(tables), v * v).T
    summed = [np.bincount(story, weights=column, minlength=stories) for column in columns]
    return np.stack(summed, axis=1).reshape(stories, v, v).astype(np.float64)


def _with_intervals(
    measures: list[_Measure], stories: int, spec: BootstrapSpec, on_progress: OnProgress
) -> list[Estimate]:
    width = sum(measure.tables[:1].size for measure in measures)
    samples: list[list[Floats]] = [[] for _ in measures]
    for _, weights in resample_stories(stories, spec, width, on_progress) if stories else ():
        for measure, blocks in zip(measures, samples, strict=True):
            v = measure.tables.shape[1]
            summed = weights.T @ measure.tables.reshape(stories, v * v)
            blocks.append(measure.figure(summed.reshape(-1, v, v)))
    return [
        interval_over_stories(
            measure.estimate.value,
            np.concatenate(blocks),
            int(measure.tables.any(axis=(1, 2)).sum()),
            spec.level,
            measure.estimate.n,
            measure.lowest,
            1.0,
        )
        if measure.estimate.defined and spec.draws
        else measure.estimate
        for measure, blocks in zip(measures, samples, strict=True)
    ]
