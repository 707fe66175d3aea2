"""Shares of the four answers in groups of answers, with intervals over stories.

A share is the mean of the judges' shares, so that each judge has equal weight. Questions of a story are not
independent: intervals resample whole stories. A bootstrap sample is the count of each story, and all counts of a block
of samples are one product of a sparse table with these.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import nan
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from analysis.comprehension.answers import Answers
from analysis.resampling.intervals import (
    ANGLE,
    IDENTITY,
    UNIT_INTERVAL,
    Ends,
    Transform,
    blocks,
    bootstrap_counts_by_index,
    bootstrap_error,
    interval_from_error,
    scale_progress,
)
from analysis.values.estimate import BootstrapSpec, Codes, Estimate, Floats, InputError, OnProgress
from analysis.values.ratings import ratio

FIGURES = ("R", "P", "I", "N", "R+P", "found")
"""The columns of all arrays of shares; "found" is R + P + I."""
SUMMED = np.array(
    [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1], [1, 1, 0, 0], [1, 1, 1, 0]], dtype=np.float64
)
"""Answers that make up each figure, (6, 4)."""

MOST_RESAMPLED = 5_000
"""Largest number of stories for the bootstrap; above it, the delta method is equivalent and faster."""
BOOTSTRAP, DELTA = "bootstrap over stories", "delta method over stories"
BLOCK = 4_000_000
"""Entries in a block of samples."""
SPARSE_DENSITY = 0.05
"""Density of the table of stories by cells below which a sparse one is faster than a dense one."""
MOST_SAMPLES = 30_000_000
"""Largest number of resampled shares in memory; more groups are processed in parts, with the same samples."""
_ROUNDING = 1e-12
"""Rounding error of a range that is 0."""

NO_ANSWER = "no question of another author was asked"
ONE_STORY = "a single story does not show how stories differ, so there is no interval"
NO_SPREAD = "all stories agree, so that resampling them shows no spread"
FEW_DRAWS = "more than half of the draws hold none of its stories, so there is no interval"


@dataclass(frozen=True, eq=False)
class Levels:
    """Shares of the answers in g groups, (g, 6) in the order of `FIGURES`.

    `value`, `low`, `high` NaN where undefined, `reason` then says why. `counts` (g, 4) answers in the order of
    `ANSWERS`, of all judges; `questions`, `stories`, `judges` (g,) their numbers, where a question counts once for each
    summary. `method` of the intervals.
    """

    value: Floats
    low: Floats
    high: Floats
    reason: NDArray[np.object_]
    counts: Codes
    questions: Codes
    stories: Codes
    judges: Codes
    method: str

    def __len__(self) -> int:
        return len(self.value)

    def part(self, groups: slice) -> "Levels":
        """Return the shares of some groups, with arrays (g, 6)."""
        return Levels(
            self.value[groups],
            self.low[groups],
            self.high[groups],
            self.reason[groups],
            self.counts[groups],
            self.questions[groups],
            self.stories[groups],
            self.judges[groups],
            self.method,
        )

    def estimate(self, group: int, figure: str) -> Estimate:
        """Return one group's share from the arrays (g, 6), n = questions."""
        column = figure_index(figure)
        return Estimate(
            float(self.value[group, column]),
            float(self.low[group, column]),
            float(self.high[group, column]),
            int(self.questions[group]),
            str(self.reason[group, column]),
        )

    def of(self, group: int) -> dict[str, Estimate]:
        """Return all shares of one group by name, from the arrays (g, 6)."""
        return {figure: self.estimate(group, figure) for figure in FIGURES}


def estimate_levels(
    answers: Answers,
    group: Codes,
    groups: int,
    bootstrap: BootstrapSpec | None = None,
    on_progress: OnProgress = None,
) -> Levels:
    """Estimate the shares of the answers in each group, with intervals over stories."""
    # All groups use the same samples of stories, so that shared stories cancel in differences.
    spec = BootstrapSpec() if bootstrap is None else bootstrap
    size = max(MOST_SAMPLES // (max(spec.draws, 1) * len(FIGURES)), 1)
    starts = range(0, max(groups, 1), size)
    parts = []
    for index, start in enumerate(starts):
        report_part = scale_progress(on_progress, index / len(starts), (index + 1) / len(starts))
        own_group = np.where((group >= start) & (group < start + size), group - start, -1)
        table = _Table.from_answers(answers, own_group, min(size, groups - start))
        parts.append(_levels(table, table.draw_samples(spec, report_part), spec))
    return parts[0] if len(parts) == 1 else _concatenate(parts)


def group_shares(answers: Answers, group: Codes, groups: int) -> Floats:
    """Compute the shares of the answers in each group (g, 6), without intervals."""
    return _Table.from_answers(answers, group, groups).value


def compare_groups(
    answers: Answers,
    group: Codes,
    groups: int,
    bootstrap: BootstrapSpec | None = None,
    on_progress: OnProgress = None,
) -> tuple[Levels, dict[tuple[int, int], dict[str, Estimate]]]:
    """Estimate the shares of groups of different stories, and their differences with Welch's degrees of freedom."""
    spec = BootstrapSpec() if bootstrap is None else bootstrap
    table = _Table.from_answers(answers, group, groups)
    samples = table.draw_samples(spec, on_progress)
    of_groups = _levels(table, samples, spec)
    return of_groups, {
        (first, second): _difference(of_groups, samples, table, first, second, spec)
        for first, second in combinations(range(groups), 2)
    }


@dataclass(frozen=True, eq=False)
class _Table:
    """Answers counted by story and cell, a cell being one judge in one group.

    `row_story`, `row_cell`, `row_answer` of the M rows in a group; `owner` (c,) the cells' groups.
    """

    row_story: Codes
    row_cell: Codes
    row_answer: Codes
    row_question: Codes
    owner: Codes
    groups: int
    stories: int

    @staticmethod
    def from_answers(answers: Answers, group: Codes, groups: int) -> "_Table":
        n = len(answers)
        if group.ndim != 1 or (len(group) % n if n else len(group)):
            raise InputError(f"`group` needs a code for each answer, {n}, got shape {group.shape}")
        times = len(group) // n if n else 0
        in_group = group >= 0
        story, judge, answer, question = (
            np.tile(column, times)[in_group]
            for column in (
                answers.story_index,
                answers.judge_index,
                answers.answer,
                answers.question_summary_id,
            )
        )
        judges = answers.judges + 1
        cells, cell = np.unique(group[in_group] * judges + judge, return_inverse=True)
        owner = cells // judges
        return _Table(story, cell.astype(np.int64), answer, question, owner, groups, answers.stories)

    @property
    def row_group(self) -> Codes:
        return self.owner[self.row_cell]

    @cached_property
    def counts(self) -> Codes:
        """Number of answers of each cell (c, 4)."""
        flat = np.bincount(self.row_cell * 4 + self.row_answer, minlength=len(self.owner) * 4)
        return flat.reshape(len(self.owner), 4)

    @cached_property
    def cell_shares(self) -> Floats:
        """Shares in each cell (c, 6)."""
        return np.asarray((self.counts @ SUMMED.T) / self.counts.sum(axis=1, keepdims=True))

    @cached_property
    def judges(self) -> Codes:
        """Number of judges of each group (g,)."""
        return np.bincount(self.owner, minlength=self.groups)

    @cached_property
    def value(self) -> Floats:
        """Mean of the judges' shares (g, 6)."""
        return ratio(self._by_owner(self.cell_shares), self.judges[:, None].astype(np.float64))

    @cached_property
    def group_stories(self) -> Codes:
        """Number of stories with an answer in each group (g,)."""
        return _count_distinct(self.row_group, self.row_story, self.groups)

    def draw_samples(self, spec: BootstrapSpec, on_progress: OnProgress) -> Floats | None:
        """Return the shares (draws, g, 6) in samples of stories, NaN without any of a group's; None if too many."""
        if not (0 < self.stories <= MOST_RESAMPLED and spec.draws):
            return None
        cells = len(self.owner)
        table: Any = sparse.csr_array(
            (np.ones(len(self.row_story)), (self.row_answer * cells + self.row_cell, self.row_story)),
            shape=(4 * cells, self.stories),
        )
        if table.nnz > SPARSE_DENSITY * 4 * cells * self.stories:
            table = table.toarray()
        judges_of = sparse.csr_array(
            (np.ones(cells), (self.owner, np.arange(cells))), shape=(self.groups, cells)
        )
        samples = np.empty((spec.draws, self.groups, len(FIGURES)))
        for block, weights in resample_stories(self.stories, spec, 4 * cells, on_progress):
            size = weights.shape[1]
            counts = np.asarray(table @ weights, dtype=np.float64).reshape(4, cells, size)
            n_answers = counts.sum(axis=0)
            counts /= np.where(n_answers > 0, n_answers, 1.0)
            judges = np.asarray(judges_of @ (n_answers > 0).astype(np.float64))
            shares = np.stack([ratio(np.asarray(judges_of @ each), judges) for each in counts])
            samples[block] = np.einsum("fx,xgb->bgf", SUMMED, shares)
        return samples

    def standard_errors(self) -> Floats:
        """Return standard errors (g, 6) from the influence of each story."""
        influence = SUMMED.T[self.row_answer] - self.cell_shares[self.row_cell]
        influence /= (self.counts.sum(axis=1) * self.judges[self.owner])[self.row_cell][:, None]
        group_story, code = np.unique(self.row_group * self.stories + self.row_story, return_inverse=True)
        of_story = np.stack(
            [np.bincount(code, weights=x, minlength=len(group_story)) for x in influence.T], axis=1
        )
        squares = np.stack(
            [
                np.bincount(group_story // self.stories, weights=x**2, minlength=self.groups)
                for x in of_story.T
            ],
            axis=1,
        )
        return np.sqrt(squares * self.stories / max(self.stories - 1, 1))

    def _by_owner(self, values: Floats) -> Floats:
        summed = [np.bincount(self.owner, weights=column, minlength=self.groups) for column in values.T]
        return np.stack(summed, axis=1).astype(np.float64)


def resample_stories(
    stories: int, spec: BootstrapSpec, width: int = 0, on_progress: OnProgress = None
) -> Iterator[tuple[slice, Floats]]:
    """Yield the counts of stories in bootstrap samples, in blocks (s, b)."""
    rng = np.random.default_rng(spec.seed)
    for block in blocks(spec.draws, BLOCK // max(stories, width, 1), on_progress):
        yield block, bootstrap_counts_by_index(rng, stories, block.stop - block.start).T


def interval_over_stories(
    value: float,
    samples: Floats,
    stories: int,
    level: float,
    n: int,
    lowest: float = -np.inf,
    highest: float = np.inf,
    scale: Transform | None = None,
) -> Estimate:
    """Return a figure with the interval of its samples (draws,) of stories, or the reason why it has none."""
    reason = str(_reason_without_interval(samples[:, None], np.array([stories]))[0])
    if reason:
        return Estimate(value, n=n, reason=reason)
    low, high = interval_from_samples(
        np.asarray(value), samples, np.asarray(stories), level, (lowest, highest), scale
    )
    return Estimate(value, float(low), float(high), n)


def interval_from_samples(
    value: Floats,
    samples: Floats,
    stories: Codes,
    level: float,
    limits: tuple[float, float],
    scale: Transform | None = None,
) -> Ends:
    """Return intervals (…,) from the SD of samples (draws, …) of stories, with Student's t; for shares on angles."""
    transform = (ANGLE if limits == UNIT_INTERVAL else IDENTITY) if scale is None else scale
    n = np.maximum(stories, 2)
    error = bootstrap_error(transform.forward(samples)) * np.sqrt(n / (n - 1))
    return interval_from_error(value, error, level, n - 1, limits, transform)


def _levels(table: _Table, samples: Floats | None, spec: BootstrapSpec) -> Levels:
    value = table.value
    method = BOOTSTRAP if table.stories <= MOST_RESAMPLED else DELTA
    stories = np.repeat(table.group_stories[:, None], len(FIGURES), axis=1)
    errors = table.standard_errors() if samples is None and spec.draws and table.stories else None
    (low, high), reason = _interval_or_reason(value, samples, errors, stories, spec.level, (0.0, 1.0))
    reason[np.isnan(value)] = NO_ANSWER
    counts = np.bincount(table.row_group * 4 + table.row_answer, minlength=table.groups * 4)
    return Levels(
        value,
        low,
        high,
        reason,
        counts.reshape(table.groups, 4),
        _count_distinct(table.row_group, table.row_question, table.groups),
        table.group_stories,
        table.judges,
        method,
    )


def _concatenate(parts: list[Levels]) -> Levels:
    return Levels(
        np.concatenate([part.value for part in parts]),
        np.concatenate([part.low for part in parts]),
        np.concatenate([part.high for part in parts]),
        np.concatenate([part.reason for part in parts]),
        np.concatenate([part.counts for part in parts]),
        np.concatenate([part.questions for part in parts]),
        np.concatenate([part.stories for part in parts]),
        np.concatenate([part.judges for part in parts]),
        parts[0].method,
    )


def _difference(
    of_groups: Levels, samples: Floats | None, table: _Table, first: int, second: int, spec: BootstrapSpec
) -> dict[str, Estimate]:
    n = int(min(of_groups.stories[first], of_groups.stories[second]))
    value = of_groups.value[first] - of_groups.value[second]
    stories = np.full(len(FIGURES), n)
    if samples is not None:
        reason = _reason_without_interval(samples[:, first] - samples[:, second], stories)
        story_counts = np.maximum(of_groups.stories[[first, second], None], 2)
        squares = bootstrap_error(samples[:, [first, second]]) ** 2 * story_counts / (story_counts - 1)
        total, denominator = squares.sum(axis=0), (squares**2 / (story_counts - 1)).sum(axis=0)
        degrees = np.where(denominator > 0, total**2 / np.where(denominator > 0, denominator, 1.0), 1.0)
        low, high = interval_from_error(value, np.sqrt(total), spec.level, degrees, (-1.0, 1.0))
        low, high = (np.where(reason == "", end, nan) for end in (low, high))
    else:
        error = None
        if spec.draws and table.stories:
            errors = table.standard_errors()
            error = np.hypot(errors[first], errors[second])
        (low, high), reason = _interval_or_reason(value, None, error, stories, spec.level, (-1.0, 1.0))
    reason[np.isnan(value)] = "one of the two types has no answers"
    return {
        figure: Estimate(float(value[at]), float(low[at]), float(high[at]), n, str(reason[at]))
        for at, figure in enumerate(FIGURES)
    }


def _interval_or_reason(
    value: Floats,
    samples: Floats | None,
    errors: Floats | None,
    stories: Codes,
    level: float,
    limits: tuple[float, float],
) -> tuple[Ends, NDArray[np.object_]]:
    """Return intervals (…,) from samples (draws, …) of stories or from standard errors, and reasons without one."""
    if samples is not None:
        reason = _reason_without_interval(samples, stories)
        low, high = interval_from_samples(value, samples, stories, level, limits)
    else:
        reason = np.full(value.shape, "", dtype=object)
        error = np.full(value.shape, nan) if errors is None else errors
        low, high = interval_from_error(value, error, level, limits=limits)
        if errors is not None:
            reason[errors < _ROUNDING] = NO_SPREAD
            reason[stories < 2] = ONE_STORY
    is_undefined = reason != ""
    return Ends(np.where(is_undefined, nan, low), np.where(is_undefined, nan, high)), reason


def _reason_without_interval(samples: Floats, stories: Codes) -> NDArray[np.object_]:
    """Return the reason why samples (draws, …) of stories give no interval, "" if they do."""
    is_defined = ~np.isnan(samples)
    ranges = np.where(is_defined, samples, -np.inf).max(axis=0, initial=-np.inf)
    ranges = ranges - np.where(is_defined, samples, np.inf).min(axis=0, initial=np.inf)
    reason = np.full(samples.shape[1:], "", dtype=object)
    reason[ranges < _ROUNDING] = NO_SPREAD
    reason[is_defined.sum(axis=0) < len(samples) / 2] = FEW_DRAWS
    reason[stories < 2] = ONE_STORY
    return reason


def figure_index(figure: str) -> int:
    """Return the column of a figure in the arrays (g, 6), by `FIGURES`."""
    if figure not in FIGURES:
        raise InputError(f"`figure` must be one of {', '.join(map(repr, FIGURES))}, got {figure!r}")
    return FIGURES.index(figure)


def _count_distinct(group: Codes, member: Codes, groups: int) -> Codes:
    """Count the different members of each group (g,)."""
    width = int(member.max(initial=0)) + 1
    ordered = np.sort(group * width + member)
    first = np.concatenate([np.ones(min(len(ordered), 1), dtype=np.bool_), ordered[1:] != ordered[:-1]])
    return np.bincount(ordered[first] // width, minlength=groups)
