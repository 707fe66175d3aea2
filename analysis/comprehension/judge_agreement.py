"""Agreement of several judges on the same answers.

Alpha and kappa come from tables of verdict by verdict: alpha from coincidences (all ordered pairs of a question's
verdicts, divided by its number of verdicts less one), kappa from the pairs of two judges. Such tables add up over
stories, so that a draw of stories is a weighted sum of theirs.
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
from analysis.comprehension.answer_levels import Levels, interval, levels, story_draws
from analysis.comprehension.answers import ANSWERS, Answers
from analysis.values.estimate import BootstrapSpec, Codes, Estimate, Floats, OnProgress

Metric = Literal["nominal", "ordinal"]

VERDICTS: dict[str, tuple[Metric, tuple[int, int, int, int]]] = {
    "nominal": ("nominal", (0, 1, 2, 3)),
    "ordinal": ("ordinal", (2, 1, 0, 0)),
    "binary": ("nominal", (1, 1, 0, 0)),
}
"""What R, P, I and N become: four kinds; R > P > I = N; {R, P} against {I, N}."""
_NOTHING = 1e-12
"""What rounding leaves of a sum of squares, or of 1 less a share, that is 0."""


@dataclass(frozen=True)
class JudgePair:
    """Two judges on the questions that both judged: the share of equal answers and Cohen's kappa, n = questions."""

    first: int
    second: int
    same: Estimate
    kappa: Estimate


@dataclass(frozen=True, eq=False)
class JudgeAgreement:
    """`alpha` by the names of `VERDICTS`, n = questions that two judges or more judged; `pairs` of judges by code.

    `by_judge` each judge's own shares (j groups by code). `repeated` answers of a judge to a question that the same
    judge had answered before are left out of alpha and pairs, as are `unnamed` ones, whose judge is not known.
    """

    alpha: dict[str, Estimate]
    pairs: tuple[JudgePair, ...]
    by_judge: Levels
    repeated: int
    unnamed: int


def judge_agreement(
    answers: Answers, bootstrap: BootstrapSpec | None = None, on_progress: OnProgress = None
) -> JudgeAgreement:
    """Agreement of judges on the same question put to the same summary.

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
    Binary is the paper's assumption that only {R, P} against {I, N} matters. Not for "who is right", and alpha is low
    where nearly all answers are alike, however seldom judges differ: the share of equal answers stands beside kappa.
    Intervals rest on the spread of draws of stories, for these judges, with Student's t.
    Source: Krippendorff 2011, section D; Cohen 1960; Kolluru and Gotoh 2005, section 4.2; methods, section 5.
    """
    spec = BootstrapSpec() if bootstrap is None else bootstrap
    kept, named = answers.to_others, answers.judges
    by_judge = levels(kept, kept.judge, named, spec)
    once = _first_verdicts(kept)
    of = _Verdicts(kept.story_place[once], kept.put[once], kept.judge[once], kept.answer[once], kept.stories)
    both = list(combinations(range(named), 2))
    measures = [_alpha(of, metric, np.array(recoded)) for metric, recoded in VERDICTS.values()]
    for first, second in both:
        measures += _same_and_kappa(of, first, second)
    estimates = _with_intervals(measures, kept.stories, spec, on_progress)
    of_pairs = estimates[len(VERDICTS) :]
    return JudgeAgreement(
        dict(zip(VERDICTS, estimates, strict=False)),
        tuple(JudgePair(*pair, *of_pairs[2 * at : 2 * at + 2]) for at, pair in enumerate(both)),
        by_judge,
        len(kept) - kept.unnamed - len(once),
        kept.unnamed,
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
    """A figure of all stories, and how it comes from sums (b, v, v) of the stories' tables (s, v, v)."""

    estimate: Estimate
    tables: Floats
    figure: Callable[[Floats], Floats]
    lowest: float


def _first_verdicts(kept: Answers) -> Codes:
    """Places of each named judge's first answer to each question."""
    known = np.flatnonzero(kept.judge >= 0)
    key = kept.put[known] * max(kept.judges, 1) + kept.judge[known]
    return known[np.unique(key, return_index=True)[1]]


def _alpha(of: _Verdicts, metric: Metric, recoded: Codes) -> _Measure:
    value = recoded[of.answer]
    estimate = krippendorff_alpha(of.question, value, metric, BootstrapSpec(0))
    estimate = replace(estimate, value=min(estimate.value, 1.0) if estimate.defined else nan)
    v = int(recoded.max()) + 1
    _, place = np.unique(of.question, return_inverse=True)
    units = int(place.max(initial=-1)) + 1
    given = np.bincount(place * v + value, minlength=units * v).reshape(units, v).astype(np.float64)
    of_unit = np.zeros(units, dtype=np.int64)
    of_unit[place] = of.story
    others = np.maximum(given.sum(axis=1) - 1, 1)
    pairs = given[:, :, None] * (given[:, None, :] - np.eye(v)) / others[:, None, None]
    return _Measure(
        estimate, _by_story(of_unit, pairs, of.stories), partial(_alpha_of, metric=metric), -np.inf
    )


def _alpha_of(coincidences: Floats, metric: Metric) -> Floats:
    n_v = coincidences.sum(axis=2)
    n = n_v.sum(axis=1)
    if metric == "nominal":
        differ = np.broadcast_to(1 - np.eye(n_v.shape[1]), coincidences.shape)
    else:
        rank = np.cumsum(n_v, axis=1) - n_v / 2
        differ = (rank[:, :, None] - rank[:, None, :]) ** 2
    within = (coincidences * differ).sum(axis=(1, 2))
    between = (n_v[:, :, None] * n_v[:, None, :] * differ).sum(axis=(1, 2))
    defined = between > _NOTHING
    return np.where(defined, 1 - (n - 1) * within / np.where(defined, between, 1.0), nan)


def _same_and_kappa(of: _Verdicts, first: int, second: int) -> list[_Measure]:
    one, two = (np.flatnonzero(of.judge == judge) for judge in (first, second))
    _, at_one, at_two = np.intersect1d(of.question[one], of.question[two], True, return_indices=True)
    one, two = one[at_one], two[at_two]
    n, v = len(one), len(ANSWERS)
    kappa = cohen_kappa(of.answer[one], of.answer[two], BootstrapSpec(0))
    pairs = np.zeros((n, v, v))
    pairs[np.arange(n), of.answer[one], of.answer[two]] = 1
    tables = _by_story(of.story[one], pairs, of.stories)
    same = float((of.answer[one] == of.answer[two]).mean()) if n else nan
    if n == 0:
        same_of, kappa = (Estimate(nan, reason="no question that both judged"),) * 2
    else:
        same_of = Estimate(same, n=n)
    return [_Measure(same_of, tables, _same_of, 0.0), _Measure(kappa, tables, _kappa_of, -1.0)]


def _same_of(pairs: Floats) -> Floats:
    n = pairs.sum(axis=(1, 2))
    return np.where(n > 0, np.einsum("bvv->b", pairs) / np.maximum(n, 1), nan)


def _kappa_of(pairs: Floats) -> Floats:
    n = np.maximum(pairs.sum(axis=(1, 2)), 1)
    same = np.einsum("bvv->b", pairs) / n
    chance = (pairs.sum(axis=1) * pairs.sum(axis=2)).sum(axis=1) / n**2
    defined = (chance < 1 - _NOTHING) & (pairs.sum(axis=(1, 2)) > 0)
    return np.where(defined, (same - chance) / np.where(defined, 1 - chance, 1.0), nan)


def _by_story(story: Codes, tables: Floats, stories: int) -> Floats:
    v = tables.shape[1]
    columns = tables.reshape(len(tables), v * v).T
    summed = [np.bincount(story, weights=column, minlength=stories) for column in columns]
    return np.stack(summed, axis=1).reshape(stories, v, v).astype(np.float64)


def _with_intervals(
    measures: list[_Measure], stories: int, spec: BootstrapSpec, on_progress: OnProgress
) -> list[Estimate]:
    width = sum(measure.tables[:1].size for measure in measures)
    drawn: list[list[Floats]] = [[] for _ in measures]
    for _, weights in story_draws(stories, spec, width, on_progress) if stories else ():
        for measure, of_blocks in zip(measures, drawn, strict=True):
            v = measure.tables.shape[1]
            summed = weights.T @ measure.tables.reshape(stories, v * v)
            of_blocks.append(measure.figure(summed.reshape(-1, v, v)))
    return [
        interval(
            measure.estimate.value,
            np.concatenate(of_blocks),
            int(measure.tables.any(axis=(1, 2)).sum()),
            spec.level,
            measure.estimate.n,
            measure.lowest,
            1.0,
        )
        if measure.estimate.defined and spec.draws
        else measure.estimate
        for measure, of_blocks in zip(measures, drawn, strict=True)
    ]
