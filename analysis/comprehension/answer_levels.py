"""Shares of the four answers in groups of answers, with intervals over stories.

A share is the mean of the judges' shares, so that a judge who did more counts no more. Questions of a story are not
independent: intervals resample whole stories. A draw is how often it holds each story, and all counts of a block of
draws are one product of a sparse table with those multiplicities.
"""

from collections.abc import Callable, Iterator
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
)
from analysis.values.estimate import BootstrapSpec, Codes, Estimate, Floats, InputError, OnProgress

FIGURES = ("R", "P", "I", "N", "R+P", "found")
"""The columns of all arrays of shares; "found" is R + P + I."""
SUMMED = np.array(
    [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1], [1, 1, 0, 0], [1, 1, 1, 0]], dtype=np.float64
)
"""Which answers make up each figure, (6, 4)."""

MOST_DRAWN = 5_000
"""Stories up to which intervals are drawn; above, the delta method says the same in no time."""
BOOTSTRAP, DELTA = "bootstrap over stories", "delta method over stories"
BLOCK = 4_000_000
"""Numbers in memory per block of draws."""
MOSTLY_EMPTY = 0.05
"""Share of stories by cells with an answer up to which a sparse table is quicker than a plain one."""
MOST_HELD = 30_000_000
"""Drawn shares kept at once; more groups are worked out one part after another, with the same draws."""
_NOTHING = 1e-12
"""What rounding leaves of a spread that is 0."""

NO_ANSWER = "no question of another author was asked"
ONE_STORY = "a single story does not show how stories differ, so there is no interval"
NO_SPREAD = "all stories agree, so that resampling them shows no spread"
FEW_DRAWS = "more than half of the draws hold none of its stories, so there is no interval"


@dataclass(frozen=True, eq=False)
class Levels:
    """Shares of the answers in g groups, (g, 6) in the order of `FIGURES`.

    `value`, `low`, `high` NaN where undefined, `reason` then says why. `counts` (g, 4) answers in the order of
    `ANSWERS`, all judges together; `questions`, `stories`, `judges` (g,) what the shares rest on, where a question
    counts once for each summary it was put to. `method` of the intervals.
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
        """The same of some of the groups (the arrays (g, 6) of this class)."""
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
        """One group's share, n = questions (the arrays (g, 6) of this class)."""
        at = place_of(figure)
        return Estimate(
            float(self.value[group, at]),
            float(self.low[group, at]),
            float(self.high[group, at]),
            int(self.questions[group]),
            str(self.reason[group, at]),
        )

    def of(self, group: int) -> dict[str, Estimate]:
        """All shares of one group by their names (the arrays (g, 6) of this class)."""
        return {figure: self.estimate(group, figure) for figure in FIGURES}


def levels(
    answers: Answers,
    group: Codes,
    groups: int,
    bootstrap: BootstrapSpec | None = None,
    on_progress: OnProgress = None,
) -> Levels:
    """The shares of the answers in each group, with intervals over stories."""
    # All groups see the same draws of stories, so that what they have in common cancels in differences.
    spec = BootstrapSpec() if bootstrap is None else bootstrap
    size = max(MOST_HELD // (max(spec.draws, 1) * len(FIGURES)), 1)
    starts = range(0, max(groups, 1), size)
    parts = []
    for at, start in enumerate(starts):
        told = None if on_progress is None else _share_of(on_progress, at, len(starts))
        own = np.where((group >= start) & (group < start + size), group - start, -1)
        table = _Table.of(answers, own, min(size, groups - start))
        parts.append(_levels(table, table.draws(spec, told), spec))
    return parts[0] if len(parts) == 1 else _one_after_another(parts)


def values(answers: Answers, group: Codes, groups: int) -> Floats:
    """The shares alone."""
    return _Table.of(answers, group, groups).value


def compared(
    answers: Answers,
    group: Codes,
    groups: int,
    bootstrap: BootstrapSpec | None = None,
    on_progress: OnProgress = None,
) -> tuple[Levels, dict[tuple[int, int], dict[str, Estimate]]]:
    """The shares of each group, and the difference between any two."""
    # For groups of different stories. Welch's degrees of freedom.
    spec = BootstrapSpec() if bootstrap is None else bootstrap
    table = _Table.of(answers, group, groups)
    drawn = table.draws(spec, on_progress)
    of_groups = _levels(table, drawn, spec)
    return of_groups, {
        (first, second): _difference(of_groups, drawn, table, first, second, spec)
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
    def of(answers: Answers, group: Codes, groups: int) -> "_Table":
        n = len(answers)
        if group.ndim != 1 or (len(group) % n if n else len(group)):
            raise InputError(f"`group` needs a code for each answer, {n}, got shape {group.shape}")
        times = len(group) // n if n else 0
        kept = group >= 0
        story, judge, answer, question = (
            np.tile(column, times)[kept]
            for column in (answers.story_place, answers.judged_by, answers.answer, answers.put)
        )
        judges = answers.judges + 1
        cells, cell = np.unique(group[kept] * judges + judge, return_inverse=True)
        owner = cells // judges
        return _Table(story, cell.astype(np.int64), answer, question, owner, groups, answers.stories)

    @property
    def row_group(self) -> Codes:
        return self.owner[self.row_cell]

    @cached_property
    def counts(self) -> Codes:
        """(c, 4) answers of each cell."""
        flat = np.bincount(self.row_cell * 4 + self.row_answer, minlength=len(self.owner) * 4)
        return flat.reshape(len(self.owner), 4)

    @cached_property
    def cell_shares(self) -> Floats:
        """(c, 6) shares in each cell."""
        return np.asarray((self.counts @ SUMMED.T) / self.counts.sum(axis=1, keepdims=True))

    @cached_property
    def judges(self) -> Codes:
        """(g,)"""
        return np.bincount(self.owner, minlength=self.groups)

    @cached_property
    def value(self) -> Floats:
        """(g, 6): the mean of the judges' shares."""
        return _ratio(self._by_owner(self.cell_shares), self.judges[:, None].astype(np.float64))

    @cached_property
    def group_stories(self) -> Codes:
        """(g,) stories with an answer in each group."""
        return _distinct(self.row_group, self.row_story, self.groups)

    def draws(self, spec: BootstrapSpec, on_progress: OnProgress) -> Floats | None:
        """(draws, g, 6): the shares of drawn stories, NaN where a draw has none of a group's; None if many."""
        if not (0 < self.stories <= MOST_DRAWN and spec.draws):
            return None
        cells = len(self.owner)
        table: Any = sparse.csr_array(
            (np.ones(len(self.row_story)), (self.row_answer * cells + self.row_cell, self.row_story)),
            shape=(4 * cells, self.stories),
        )
        if table.nnz > MOSTLY_EMPTY * 4 * cells * self.stories:
            table = table.toarray()
        judges_of = sparse.csr_array(
            (np.ones(cells), (self.owner, np.arange(cells))), shape=(self.groups, cells)
        )
        drawn = np.empty((spec.draws, self.groups, len(FIGURES)))
        for block, weights in story_draws(self.stories, spec, 4 * cells, on_progress):
            size = weights.shape[1]
            counts = np.asarray(table @ weights, dtype=np.float64).reshape(4, cells, size)
            asked = counts.sum(axis=0)
            counts /= np.where(asked > 0, asked, 1.0)
            judges = np.asarray(judges_of @ (asked > 0).astype(np.float64))
            of_answer = np.stack([_ratio(np.asarray(judges_of @ each), judges) for each in counts])
            drawn[block] = np.einsum("fx,xgb->bgf", SUMMED, of_answer)
        return drawn

    def standard_errors(self) -> Floats:
        """(g, 6), from what each story does to a share."""
        pull = SUMMED.T[self.row_answer] - self.cell_shares[self.row_cell]
        pull /= (self.counts.sum(axis=1) * self.judges[self.owner])[self.row_cell][:, None]
        place, at = np.unique(self.row_group * self.stories + self.row_story, return_inverse=True)
        of_story = np.stack([np.bincount(at, weights=x, minlength=len(place)) for x in pull.T], axis=1)
        squares = np.stack(
            [np.bincount(place // self.stories, weights=x**2, minlength=self.groups) for x in of_story.T],
            axis=1,
        )
        return np.sqrt(squares * self.stories / max(self.stories - 1, 1))

    def _by_owner(self, values: Floats) -> Floats:
        summed = [np.bincount(self.owner, weights=column, minlength=self.groups) for column in values.T]
        return np.stack(summed, axis=1).astype(np.float64)


def story_draws(
    stories: int, spec: BootstrapSpec, width: int = 0, on_progress: OnProgress = None
) -> Iterator[tuple[slice, Floats]]:
    """Return how often each story is in each draw with replacement, in blocks (s, b)."""
    rng = np.random.default_rng(spec.seed)
    for block in blocks(spec.draws, BLOCK // max(stories, width, 1), on_progress):
        yield block, bootstrap_counts_by_index(rng, stories, block.stop - block.start).T


def interval(
    value: float,
    drawn: Floats,
    stories: int,
    level: float,
    n: int,
    lowest: float = -np.inf,
    highest: float = np.inf,
    scale: Transform | None = None,
) -> Estimate:
    """A figure with the interval of its draws (draws,) of stories, or why it has none."""
    reason = str(_why_none(drawn[:, None], np.array([stories]))[0])
    if reason:
        return Estimate(value, n=n, reason=reason)
    low, high = of_draws(np.asarray(value), drawn, np.asarray(stories), level, (lowest, highest), scale)
    return Estimate(value, float(low), float(high), n)


def of_draws(
    value: Floats,
    drawn: Floats,
    stories: Codes,
    level: float,
    within: tuple[float, float],
    scale: Transform | None = None,
) -> Ends:
    """Intervals (…,) by the spread of draws (draws, …) of so many stories, with Student's t; of shares on angles."""
    on = (ANGLE if within == UNIT_INTERVAL else IDENTITY) if scale is None else scale
    n = np.maximum(stories, 2)
    error = bootstrap_error(on.forward(drawn)) * np.sqrt(n / (n - 1))
    return interval_from_error(value, error, level, n - 1, within, on)


def _levels(table: _Table, drawn: Floats | None, spec: BootstrapSpec) -> Levels:
    value = table.value
    method = BOOTSTRAP if table.stories <= MOST_DRAWN else DELTA
    stories = np.repeat(table.group_stories[:, None], len(FIGURES), axis=1)
    errors = table.standard_errors() if drawn is None and spec.draws and table.stories else None
    (low, high), reason = _ends(value, drawn, errors, stories, spec.level, (0.0, 1.0))
    reason[np.isnan(value)] = NO_ANSWER
    counts = np.bincount(table.row_group * 4 + table.row_answer, minlength=table.groups * 4)
    return Levels(
        value,
        low,
        high,
        reason,
        counts.reshape(table.groups, 4),
        _distinct(table.row_group, table.row_question, table.groups),
        table.group_stories,
        table.judges,
        method,
    )


def _share_of(on_progress: Callable[[float], object], at: int, parts: int) -> Callable[[float], object]:
    return lambda done: on_progress((at + done) / parts)


def _one_after_another(parts: list[Levels]) -> Levels:
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
    of_groups: Levels, drawn: Floats | None, table: _Table, first: int, second: int, spec: BootstrapSpec
) -> dict[str, Estimate]:
    n = int(min(of_groups.stories[first], of_groups.stories[second]))
    value = of_groups.value[first] - of_groups.value[second]
    stories = np.full(len(FIGURES), n)
    if drawn is not None:
        reason = _why_none(drawn[:, first] - drawn[:, second], stories)
        both = np.maximum(of_groups.stories[[first, second], None], 2)
        squares = bootstrap_error(drawn[:, [first, second]]) ** 2 * both / (both - 1)
        total, parts = squares.sum(axis=0), (squares**2 / (both - 1)).sum(axis=0)
        welch = np.where(parts > 0, total**2 / np.where(parts > 0, parts, 1.0), 1.0)
        low, high = interval_from_error(value, np.sqrt(total), spec.level, welch, (-1.0, 1.0))
        low, high = (np.where(reason == "", end, nan) for end in (low, high))
    else:
        error = None
        if spec.draws and table.stories:
            errors = table.standard_errors()
            error = np.hypot(errors[first], errors[second])
        (low, high), reason = _ends(value, None, error, stories, spec.level, (-1.0, 1.0))
    reason[np.isnan(value)] = "one of the two types has no answers"
    return {
        figure: Estimate(float(value[at]), float(low[at]), float(high[at]), n, str(reason[at]))
        for at, figure in enumerate(FIGURES)
    }


def _ends(
    value: Floats,
    drawn: Floats | None,
    errors: Floats | None,
    stories: Codes,
    level: float,
    within: tuple[float, float],
) -> tuple[Ends, NDArray[np.object_]]:
    """Intervals (…,) from draws (draws, …) of stories or from standard errors, and why there is none."""
    if drawn is not None:
        reason = _why_none(drawn, stories)
        low, high = of_draws(value, drawn, stories, level, within)
    else:
        reason = np.full(value.shape, "", dtype=object)
        error = np.full(value.shape, nan) if errors is None else errors
        low, high = interval_from_error(value, error, level, limits=within)
        if errors is not None:
            reason[errors < _NOTHING] = NO_SPREAD
            reason[stories < 2] = ONE_STORY
    none = reason != ""
    return Ends(np.where(none, nan, low), np.where(none, nan, high)), reason


def _why_none(drawn: Floats, stories: Codes) -> NDArray[np.object_]:
    """Return why draws (draws, …) of so many stories give no interval; "" where they do."""
    known = ~np.isnan(drawn)
    spread = np.where(known, drawn, -np.inf).max(axis=0, initial=-np.inf)
    spread = spread - np.where(known, drawn, np.inf).min(axis=0, initial=np.inf)
    reason = np.full(drawn.shape[1:], "", dtype=object)
    reason[spread < _NOTHING] = NO_SPREAD
    reason[known.sum(axis=0) < len(drawn) / 2] = FEW_DRAWS
    reason[stories < 2] = ONE_STORY
    return reason


def place_of(figure: str) -> int:
    """Return which column of the arrays (g, 6) a figure is (`FIGURES`)."""
    if figure not in FIGURES:
        raise InputError(f"`figure` must be one of {', '.join(map(repr, FIGURES))}, got {figure!r}")
    return FIGURES.index(figure)


def _ratio(part: Floats, whole: Floats) -> Floats:
    return np.where(whole > 0, part / np.where(whole > 0, whole, 1.0), nan)


def _distinct(group: Codes, member: Codes, groups: int) -> Codes:
    """(g,) how many different members each group has."""
    width = int(member.max(initial=0)) + 1
    ordered = np.sort(group * width + member)
    first = np.concatenate([np.ones(min(len(ordered), 1), dtype=np.bool_), ordered[1:] != ordered[:-1]])
    return np.bincount(ordered[first] // width, minlength=groups)
