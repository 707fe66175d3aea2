"""Differences between authors: tests on the same questions, and machine summaries compared with those by people."""

from collections.abc import Collection
from dataclasses import dataclass
from itertools import combinations
from math import nan

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from analysis.comprehension.answer_levels import (
    FIGURES,
    SUMMED,
    figure_index,
    interval_over_stories,
    resample_stories,
)
from analysis.comprehension.answers import Answers, combine_codes
from analysis.resampling.intervals import interval_from_error, jackknife_covariance
from analysis.values.estimate import BootstrapSpec, Codes, Estimate, Floats, InputError, OnProgress

FEWEST_STORIES = 10
"""Fewest stories for the test, in which each author takes a degree of freedom."""
MOST_AUTHORS = 30
_SINGULAR = 1e-9
FEW_AUTHORS = "fewer than two authors' summaries were asked the same questions"
MANY_AUTHORS = f"there are more than {MOST_AUTHORS} authors"
FEW_STORIES = f"the test needs at least {FEWEST_STORIES} stories, and two more than authors"
NOT_COMPARABLE = "the authors' summaries were not asked the same questions, directly or through others"
LENGTH_IS_AUTHOR = "length and author always go together, so they cannot be separated"
NO_SPREAD = "all stories differ alike, so there is no spread to test against"


@dataclass(frozen=True, eq=False)
class AuthorDifferences:
    """Differences of a authors' summaries on the same questions.

    `authors` (a,) codes; `effects` (a,) shares answered minus their mean; `pairs` (first, second) -> difference with an
    interval that holds for all pairs at once. `f`, `df1`, `df2`, `p` of the test that all effects are 0; `slope` the
    change of the share by 10 characters, undefined if lengths are not part of the model. `stories` compared; `reason`
    why all is undefined.
    """

    authors: Codes
    effects: Floats
    pairs: dict[tuple[int, int], Estimate]
    f: float
    df1: int
    df2: int
    p: float
    slope: Estimate
    stories: int
    reason: str = ""

    @property
    def largest(self) -> tuple[int, int] | None:
        """Pair with the largest difference, the higher author first; None if undefined."""
        known = [pair for pair, of in self.pairs.items() if of.value >= 0]
        return max(known, key=lambda pair: self.pairs[pair].value, default=None)


def author_differences(
    answers: Answers, characters: ArrayLike | None = None, figure: str = "R+P", level: float = 0.95
) -> AuthorDifferences:
    """Test the differences between authors' summaries in the share of the others' questions answered.

    Parameters
    ----------
    answers : N answers by code
    characters : (N,) length of the summary of each answer, NaN where unknown; None to take no account of it
    figure : one of `answer_levels.FIGURES`
    level : of the intervals

    Returns
    -------
    AuthorDifferences
        undefined with the reason where questions, stories or lengths do not allow it.

    Raises
    ------
    InputError
        for another figure, or lengths of other answers.

    Notes
    -----
    Least squares on the summary's author (and length) within the questions of one story, author and judge, since a
    summary is never asked its own author's. Fitted again without each story; Hotelling's T² as F. Intervals of pairs
    are Student's over stories, Bonferroni-adjusted.
    Source: beyond Kolluru and Gotoh 2005, section 5.1; Hotelling 1931; Miller 1974 (jackknife); methods, section 5.
    """
    value = SUMMED[figure_index(figure), answers.answer]
    length = np.zeros(len(answers)) if characters is None else np.asarray(characters, dtype=np.float64)
    if length.shape != (len(answers),):
        raise InputError(f"`characters` needs one length per answer, {len(answers)}, got {length.shape}")
    is_included = (answers.summary_author != answers.question_author) & ~np.isnan(length)
    codes, author = np.unique(answers.summary_author[is_included], return_inverse=True)
    a = len(codes)
    if a < 2 or a > MOST_AUTHORS:
        return _undefined_differences(codes, 0, FEW_AUTHORS if a < 2 else MANY_AUTHORS)
    rows = answers.select(is_included)
    x = np.zeros((len(rows), a + 1))
    x[np.arange(len(rows)), author] = 1.0
    x[:, a] = length[is_included] / 10
    group = combine_codes(rows.story, rows.question_author, rows.judge_index)
    x, y = _center_by_group(group, x), _center_by_group(group, value[is_included][:, None])[:, 0]
    is_used = (np.abs(x) > _SINGULAR).any(axis=1)
    stories, story = np.unique(rows.story[is_used], return_inverse=True)
    s = len(stories)
    if s < FEWEST_STORIES or s < a + 2:
        return _undefined_differences(codes, s, FEW_STORIES)
    squares, products = _sums_by_story(x[is_used], y[is_used], story, s)
    total = squares.sum(axis=0)
    if _rank(total[:a, :a]) < a - 1:
        return _undefined_differences(codes, s, NOT_COMPARABLE)
    if characters is not None and not _is_separate(total):
        return _undefined_differences(codes, s, LENGTH_IS_AUTHOR)
    beta = _solve(total, products.sum(axis=0))
    without = _solve(total - squares, products.sum(axis=0) - products)
    covariance = jackknife_covariance(without)
    return _test_effects(codes, beta, covariance, s, characters is not None, level)


def _test_effects(
    codes: Codes, beta: Floats, covariance: Floats, stories: int, has_length: bool, level: float
) -> AuthorDifferences:
    a, effects = len(codes), beta[: len(codes)]
    basis = np.linalg.svd(np.eye(a) - 1 / a)[0][:, : a - 1]
    contrast, contrast_covariance = basis.T @ effects, basis.T @ covariance[:a, :a] @ basis
    if _rank(contrast_covariance) < a - 1:
        return _undefined_differences(codes, stories, NO_SPREAD)
    df1, df2 = a - 1, stories - a + 1
    f = float(contrast @ np.linalg.solve(contrast_covariance, contrast)) * df2 / (df1 * (stories - 1))
    number = a * (a - 1) // 2
    pairs = {}
    for first, second in combinations(range(a), 2):
        variance = covariance[first, first] + covariance[second, second] - 2 * covariance[first, second]
        value = float(effects[first] - effects[second])
        interval = interval_from_error(value, np.sqrt(variance), 1 - (1 - level) / number, stories - 1)
        pairs[first, second] = Estimate(value, float(interval.low), float(interval.high), stories)
        pairs[second, first] = Estimate(-value, -float(interval.high), -float(interval.low), stories)
    slope = Estimate(nan, n=stories)
    if has_length:
        interval = interval_from_error(beta[a], np.sqrt(covariance[a, a]), level, stories - 1)
        slope = Estimate(float(beta[a]), float(interval.low), float(interval.high), stories)
    p = float(special.fdtrc(df1, df2, f))
    return AuthorDifferences(codes, effects - effects.mean(), pairs, f, df1, df2, p, slope, stories)


def _undefined_differences(codes: Codes, stories: int, reason: str) -> AuthorDifferences:
    unknown = Estimate(nan, n=stories, reason=reason)
    return AuthorDifferences(codes, np.full(len(codes), nan), {}, nan, 0, 0, nan, unknown, stories, reason)


def _center_by_group(group: Codes, values: Floats) -> Floats:
    """Values (n, c) minus the means of their groups (n,)."""
    _, code, count = np.unique(group, return_inverse=True, return_counts=True)
    means = np.stack([np.bincount(code, weights=column) for column in values.T], axis=1) / count[:, None]
    return np.asarray(values - means[code])


def _sums_by_story(x: Floats, y: Floats, story: Codes, stories: int) -> tuple[Floats, Floats]:
    """Return sums of squares (s, c, c) and products with y (s, c) of each story's rows."""
    c = x.shape[1]
    squares, products = np.empty((stories, c, c)), np.empty((stories, c))
    for i in range(c):
        products[:, i] = np.bincount(story, x[:, i] * y, stories)
        for j in range(i, c):
            squares[:, i, j] = squares[:, j, i] = np.bincount(story, x[:, i] * x[:, j], stories)
    return squares, products


def _solve(squares: Floats, products: Floats) -> Floats:
    """Solve normal equations (…, c) that do not determine the authors' mean."""
    inverse = np.linalg.pinv(squares, rcond=_SINGULAR, hermitian=True)
    return np.asarray((inverse @ products[..., None])[..., 0])


def _rank(matrix: Floats) -> int:
    return int(
        np.linalg.matrix_rank(matrix, tol=_SINGULAR * max(float(np.trace(matrix)), 1e-300), hermitian=True)
    )


def _is_separate(squares: Floats) -> bool:
    """Return True if lengths vary within authors, so that effects of author and length can be separated."""
    a = len(squares) - 1
    of_length = (
        squares[a, a]
        - squares[a, :a] @ np.linalg.pinv(squares[:a, :a], rcond=_SINGULAR, hermitian=True) @ squares[:a, a]
    )
    return bool(squares[a, a] > 0 and of_length > _SINGULAR * squares[a, a])


SHARED = "R+P"
"""The figure of the ratio: the level that summaries share."""
NO_QUESTIONS = "no question was put to both its summary and a person's by the same judge"
NO_HUMAN_LEVEL = "summaries by people answer none of these questions"


@dataclass(frozen=True)
class MachineLevel:
    """Shares of a machine's and of people's summaries on the same questions, answer -> Estimate.

    `ratio` of the machine's R + P to people's and `difference` (machine minus people), paired by stories. n of all =
    questions; `stories` and `judges` are their numbers; `left_out` counts questions about the machine's summaries that
    could not be paired.
    """

    machine: dict[str, Estimate]
    people: dict[str, Estimate]
    ratio: Estimate
    difference: Estimate
    stories: int
    judges: int
    left_out: int


def machine_levels(
    answers: Answers,
    machines: Collection[int],
    bootstrap: BootstrapSpec | None = None,
    on_progress: OnProgress = None,
) -> dict[int, MachineLevel]:
    """Compare each machine with the human level on the same questions.

    Parameters
    ----------
    answers : N answers by code, (N,) each; own questions are set aside
    machines : codes of the authors that are machines; all others are people
    bootstrap : of the intervals, 1,000 draws by default
    on_progress : called between blocks of draws with the share done

    Returns
    -------
    {machine: MachineLevel}
        undefined with the reason where no question was put to a person's summary as well.

    Raises
    ------
    InputError
        where codes are out of range, or a machine is not an author.

    Notes
    -----
    The human level is not 100%: people agree on about 61%. A question is included if one judge judged it for the
    machine's summary and for one or more by people; several people's answers are averaged, so that each question counts
    once on both sides. Both levels are means over the judges. Intervals use the bootstrap standard error over stories,
    with Student's t; that of the ratio requires a human level far from 0.
    Source: Kolluru and Gotoh 2005, section 6; methods, section 5.
    """
    spec = BootstrapSpec() if bootstrap is None else bootstrap
    to_others = answers.to_others
    unknown = [machine for machine in machines if not 0 <= machine < to_others.authors]
    if unknown:
        raise InputError(
            f"`machines` must be codes of authors, 0 to {to_others.authors - 1}, got {unknown[0]}"
        )
    listed = sorted(set(machines))
    question_judge = combine_codes(to_others.question_id, to_others.judge_index)
    is_person = ~np.isin(to_others.summary_author, listed)
    n_asked = int(question_judge.max(initial=-1)) + 1
    people = _shares_by_question(question_judge[is_person], to_others.answer[is_person], n_asked)
    story_of, judge_of, question_of = (np.zeros(n_asked, dtype=np.int64) for _ in range(3))
    story_of[question_judge], judge_of[question_judge], question_of[question_judge] = (
        to_others.story_index,
        to_others.judge_index,
        to_others.question_id,
    )

    pairs = []
    for machine in listed:
        is_own = to_others.summary_author == machine
        machine_shares = _shares_by_question(question_judge[is_own], to_others.answer[is_own], n_asked)
        shared = np.flatnonzero(~np.isnan(machine_shares[:, 0]) & ~np.isnan(people[:, 0]))
        questions = len(np.unique(to_others.question_id[is_own]))
        pairs.append(
            _PairedQuestions(
                machine_shares[shared],
                people[shared],
                story_of[shared],
                judge_of[shared],
                question_of[shared],
                questions,
                to_others.stories,
            )
        )
    samples = _draw_samples(pairs, to_others.stories, spec, on_progress)
    return {
        machine: _machine_level(pair, of_draws, spec)
        for machine, pair, of_draws in zip(listed, pairs, samples, strict=True)
    }


@dataclass(frozen=True, eq=False)
class _PairedQuestions:
    """Questions by one judge each (k,): shares of answers (k, 4) of the machine and of people, story and judge (k,)."""

    machine: Floats
    people: Floats
    story: Codes
    judge: Codes
    question: Codes
    in_all: int
    stories: int

    def sums(self) -> Floats:
        """Return the number of questions and both sides' sums of shares by story and judge (s, j, 9)."""
        judges, judge_code = np.unique(self.judge, return_inverse=True)
        columns = np.column_stack([np.ones(len(judge_code)), self.machine, self.people])
        j = len(judges)
        summed = [
            np.bincount(self.story * j + judge_code, weights=column, minlength=self.stories * j)
            for column in columns.T
        ]
        return np.stack(summed, axis=1).reshape(self.stories, j, 9).astype(np.float64)


def _shares_by_question(question: Codes, answer: Codes, n: int) -> Floats:
    """Return the shares of the answers (n, 4) to each question by one judge, NaN without answers."""
    counts = np.bincount(question * 4 + answer, minlength=n * 4).reshape(n, 4)
    total = counts.sum(axis=1, keepdims=True)
    return np.where(total > 0, counts / np.maximum(total, 1), nan)


def _levels_from_sums(sums: Floats) -> Floats:
    """Return shares of machine and people (b, 2, 6) from sums (b, j, 9), averaged over judges with a question."""
    n = sums[:, :, :1]
    shares = sums[:, :, 1:] / np.where(n > 0, n, 1.0)
    judges = (n > 0).sum(axis=1)
    mean = np.where(judges > 0, shares.sum(axis=1) / np.maximum(judges, 1), nan)
    return np.asarray(mean.reshape(-1, 2, 4) @ SUMMED.T)


def _draw_samples(
    pairs: list[_PairedQuestions], stories: int, spec: BootstrapSpec, on_progress: OnProgress
) -> list[Floats]:
    """Draw the shares of each machine and of people in bootstrap samples (draws, 2, 6)."""
    tables = [pair.sums() for pair in pairs]
    samples = [np.empty((spec.draws, 2, len(FIGURES))) for _ in pairs]
    width = sum(table[:1].size for table in tables)
    for block, weights in resample_stories(stories, spec, width, on_progress) if stories else ():
        for table, levels in zip(tables, samples, strict=True):
            summed = weights.T @ table.reshape(stories, -1)
            levels[block] = _levels_from_sums(summed.reshape(weights.shape[1], -1, 9))
    return samples


def _machine_level(pair: _PairedQuestions, samples: Floats, spec: BootstrapSpec) -> MachineLevel:
    n, stories = len(np.unique(pair.question)), len(np.unique(pair.story))
    left_out = pair.in_all - n
    if n == 0:
        none = Estimate(nan, reason=NO_QUESTIONS)
        shares = dict.fromkeys(FIGURES, none)
        return MachineLevel(shares, shares, none, none, 0, 0, left_out)

    def estimate(value: float, of_draws: Floats, lowest: float, highest: float) -> Estimate:
        if spec.draws == 0:
            return Estimate(value, n=n)
        return interval_over_stories(value, of_draws, stories, spec.level, n, lowest, highest)

    value = _levels_from_sums(pair.sums().sum(axis=0, keepdims=True))[0]
    machine, people = (
        {
            figure: estimate(float(value[side, at]), samples[:, side, at], 0.0, 1.0)
            for at, figure in enumerate(FIGURES)
        }
        for side in range(2)
    )
    shared = figure_index(SHARED)
    machine_share, human_share = value[:, shared].tolist()
    drawn_own, drawn_human = samples[:, 0, shared], samples[:, 1, shared]
    ratio = Estimate(nan, n=n, reason=NO_HUMAN_LEVEL)
    if human_share > 0:
        is_positive = drawn_human > 0
        ratio = estimate(
            machine_share / human_share,
            np.where(is_positive, drawn_own / np.where(is_positive, drawn_human, 1.0), nan),
            0.0,
            np.inf,
        )
    difference = estimate(machine_share - human_share, drawn_own - drawn_human, -1.0, 1.0)
    judges = len(np.unique(pair.judge))
    return MachineLevel(machine, people, ratio, difference, stories, judges, left_out)
