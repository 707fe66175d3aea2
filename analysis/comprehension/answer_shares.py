"""Shares of questions answered, by authors and by types of stories, with intervals over stories."""

from dataclasses import dataclass
from functools import cached_property
from math import nan
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.comprehension.answer_levels import (
    FIGURES,
    Levels,
    compare_groups,
    estimate_levels,
    figure_index,
    group_shares,
)
from analysis.comprehension.answers import ANSWERS, AnswerNames, Answers, encode_answers
from analysis.values.estimate import BootstrapSpec, Codes, Estimate, Floats, InputError, OnProgress

__all__ = ["ANSWERS", "FIGURES"]


@dataclass(frozen=True, eq=False)
class StoryTypes:
    """Names of types (t,), each story's index in them (s,), -1 for another type or none; `there` counts all types."""

    names: NDArray[np.str_]
    of_story: NDArray[np.int64]
    there: int


def largest_types(types: NDArray[np.str_], limit: int) -> StoryTypes:
    """Return at most `limit` types with the most stories, from each story's type (s,), "" where unknown.

    >>> largest_types(np.array(["b", "a", "b", "", "c", "c"]), 2).of_story.tolist()
    [0, -1, 0, -1, 1, 1]
    """
    names, code = np.unique(types, return_inverse=True)
    is_known = names != ""
    stories = np.where(is_known, np.bincount(code, minlength=len(names)), -1)
    largest = np.sort(np.argsort(-stories, kind="stable")[: min(limit, int(is_known.sum()))])
    index_of = np.full(len(names), -1, dtype=np.int64)
    index_of[largest] = np.arange(len(largest))
    return StoryTypes(names[largest], index_of[code], int(is_known.sum()))


@dataclass(frozen=True, eq=False)
class SharesByCode:
    """Shares by code: `overall` (one group), `by_summary_author` and `by_question_author` (a groups).

    `set_aside` counts excluded answers to the author's own questions.
    """

    overall: Levels
    by_summary_author: Levels
    by_question_author: Levels
    set_aside: int


@dataclass(frozen=True, eq=False)
class Shares:
    """Shares of the answers by ids: answer (or "R+P", "found") -> Estimate with n = questions.

    `levels` the same by codes, `answers` what they come from, `names` what the codes stand for.
    """

    overall: dict[str, Estimate]
    by_summary_author: dict[Any, dict[str, Estimate]]
    by_question_author: dict[Any, dict[str, Estimate]]
    levels: SharesByCode
    answers: Answers
    names: AnswerNames
    bootstrap: BootstrapSpec

    @property
    def set_aside(self) -> int:
        """Answers that an author's summary gave to the author's own questions."""
        return self.levels.set_aside

    @property
    def stories(self) -> int:
        """Stories with an answer to another author's question."""
        return int(self.levels.overall.stories[0])

    @property
    def judges(self) -> int:
        """Judges of such answers."""
        return int(self.levels.overall.judges[0])

    @cached_property
    def by_pair(self) -> dict[tuple[Any, Any], dict[str, Estimate]]:
        """(summary author, question author) -> answer -> Estimate; undefined for an author with itself."""
        pairs = shares_by_pair(self.answers, self.bootstrap)
        names = self.names.authors.tolist()
        return {
            (summary_author, question_author): pairs.levels.of(pairs.place(row, column))
            for row, summary_author in enumerate(names)
            for column, question_author in enumerate(names)
        }


@dataclass(frozen=True, eq=False)
class Pairs:
    """Summary author by question author: `levels` of a x a groups, summary author by summary author.

    The diagonal is always undefined: a summary is never asked its own author's questions.
    """

    levels: Levels
    authors: int

    def place(self, summary_author: int, question_author: int) -> int:
        """Return the index of a pair's group in `levels`, by rows of the matrix (a, a)."""
        return summary_author * self.authors + question_author

    def matrix(self, figure: str) -> Floats:
        """One share (a, a), NaN where a pair never met."""
        return self.levels.value[:, figure_index(figure)].reshape(self.authors, self.authors)


@dataclass(frozen=True, eq=False)
class Types:
    """Shares by story type: `levels` of t groups by code, `differences` (first, second) -> answer -> Estimate.

    A difference is the first type's share minus the second's, its n the smaller number of stories.
    `unknown` answers are about stories without a type.
    """

    levels: Levels
    differences: dict[tuple[int, int], dict[str, Estimate]]
    unknown: int


def shares(
    story: ArrayLike,
    summary_author: ArrayLike,
    question_author: ArrayLike,
    answer: ArrayLike,
    judge: ArrayLike | None = None,
    bootstrap: BootstrapSpec | None = None,
    question: ArrayLike | None = None,
    on_progress: OnProgress = None,
) -> Shares:
    """Estimate the shares of authors' questions answered by others' summaries: overall, by summary and question author.

    Parameters
    ----------
    story, summary_author, question_author : (N,) ids of any kind
    answer : (N,) "R", "P", "I" or "N", in capitals or not
    judge : (N,) ids; None is one judge
    bootstrap : of the intervals, 1,000 draws by default
    question : (N,) ids within story and question author; None: the k-th answer that a judge gives on a story and
        pair of authors is to their k-th question
    on_progress : called between blocks of draws with the share done

    Returns
    -------
    Shares
        undefined with the reason for an author who met no other.

    Raises
    ------
    InputError
        where lengths differ, an answer is another one, or ids are missing or of different kinds.

    Notes
    -----
    Not for "whose summary is better": longer summaries answer more (`analysis.comprehension.summary_length`). A share
    is the mean of the judges' shares. Answers to the author's own questions are set aside and counted. Intervals rest
    on the spread of draws of stories with all their answers, for these authors and judges: on angles, with Student's t
    (percentiles of the same draws covered 88 to 92%; docs/calibration.md). Above 5,000 stories the interval is the
    delta method's.
    Source: Kolluru and Gotoh 2005, sections 4 and 5, Figures 2a and 2b; methods, section 5.

    >>> study = shares(["s", "s", "t", "t"], ["A", "B", "A", "B"], ["B", "A", "B", "A"], ["R", "N", "P", "N"])
    >>> study.overall["R+P"].value, study.by_summary_author["A"]["found"].value
    (0.5, 1.0)
    """
    spec = BootstrapSpec() if bootstrap is None else bootstrap
    answers, named = encode_answers(story, summary_author, question_author, answer, judge, question)
    by_code = shares_by_code(answers, spec, on_progress)
    names = named.authors.tolist()

    def by_author(levels: Levels, occurs: Codes) -> dict[Any, dict[str, Estimate]]:
        return {names[code]: levels.of(code) for code in np.unique(occurs).tolist()}

    return Shares(
        by_code.overall.of(0),
        by_author(by_code.by_summary_author, answers.summary_author),
        by_author(by_code.by_question_author, answers.question_author),
        by_code,
        answers,
        named,
        spec,
    )


def shares_by_code(
    answers: Answers, bootstrap: BootstrapSpec | None = None, on_progress: OnProgress = None
) -> SharesByCode:
    """Estimate the shares of `shares` by codes."""
    to_others = answers.to_others
    a = to_others.authors
    of_groups = estimate_levels(
        to_others,
        np.concatenate(
            [
                np.zeros(len(to_others), dtype=np.int64),
                1 + to_others.summary_author,
                1 + a + to_others.question_author,
            ]
        ),
        1 + 2 * a,
        bootstrap,
        on_progress,
    )
    return SharesByCode(
        of_groups.part(slice(0, 1)),
        of_groups.part(slice(1, 1 + a)),
        of_groups.part(slice(1 + a, None)),
        answers.to_own,
    )


def shares_by_pair(
    answers: Answers, bootstrap: BootstrapSpec | None = None, on_progress: OnProgress = None
) -> Pairs:
    """Estimate the shares of each pair of a summary's and a question's author.

    Parameters
    ----------
    answers : N answers by code, (N,) each
    bootstrap : of the intervals, 1,000 draws by default
    on_progress : called between blocks of draws with the share done

    Returns
    -------
    Pairs
        a x a groups; undefined with the reason where a pair never met.

    Raises
    ------
    InputError
        where codes are out of range.

    Notes
    -----
    Not symmetric: B's questions on A's summaries are another cell than A's on B's.
    Source: methods, section 5 ("author by author matrix"); Kolluru and Gotoh 2005, section 5.
    """
    to_others = answers.to_others
    group = to_others.summary_author * to_others.authors + to_others.question_author
    return Pairs(
        estimate_levels(to_others, group, to_others.authors**2, bootstrap, on_progress), to_others.authors
    )


def shares_by_story_type(
    answers: Answers,
    story_type: ArrayLike,
    bootstrap: BootstrapSpec | None = None,
    on_progress: OnProgress = None,
) -> Types:
    """Estimate the shares of each type of story, and the differences between types.

    Parameters
    ----------
    answers : N answers by code
    story_type : (s,) codes of the types by story code, -1 for none
    bootstrap : of the intervals, 1,000 draws by default
    on_progress : called between blocks of draws with the share done

    Returns
    -------
    Types

    Raises
    ------
    InputError
        where codes are out of range or a story has no entry in `story_type`.

    Notes
    -----
    Types are different stories: where authors or judges differ between them as well, so may the reason. Intervals of a
    difference come from the same draws of stories as the shares, with tails for as many stories as the smaller type
    has.
    Source: Kolluru and Gotoh 2005, section 3.4 ("left for a future study"); methods, section 5.
    """
    to_others = answers.to_others
    of_story = np.asarray(story_type, dtype=np.int64)
    if to_others.story.max(initial=-1) >= len(of_story):
        raise InputError(
            f"`story_type` needs one code per story, {to_others.story.max() + 1}, got {len(of_story)}"
        )
    group = of_story[to_others.story]
    of_types, differences = compare_groups(
        to_others, group, int(of_story.max(initial=-1)) + 1, bootstrap, on_progress
    )
    return Types(of_types, differences, int((group < 0).sum()))


def shares_of_summaries(
    answers: Answers, story: ArrayLike, author: ArrayLike, figure: str = "found"
) -> Floats:
    """Compute the share of each summary by codes of story and author (k,), NaN where unknown."""
    to_others = answers.to_others
    column = figure_index(figure)
    requested = np.asarray(story, dtype=np.int64) * to_others.authors + np.asarray(author, dtype=np.int64)
    groups, group = np.unique(
        to_others.story * to_others.authors + to_others.summary_author, return_inverse=True
    )
    value = group_shares(to_others, group, len(groups))[:, column]
    position = np.minimum(np.searchsorted(groups, requested), max(len(groups) - 1, 0))
    outside = np.asarray(author, dtype=np.int64) >= to_others.authors
    if not len(groups):
        return np.full(len(requested), nan)
    return np.where((groups[position] == requested) & ~outside, value[position], nan)
