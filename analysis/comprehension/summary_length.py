"""Correlation of summary length with answers found, author by author and within stories."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import nan
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.comprehension.answer_levels import Levels, interval_over_stories, resample_stories
from analysis.comprehension.answer_shares import shares_by_code, shares_of_summaries
from analysis.comprehension.answers import Answers, combine_codes
from analysis.correlation.two_columns import pearson
from analysis.resampling.intervals import FISHER
from analysis.values.estimate import BootstrapSpec, Codes, Estimate, Floats, InputError, OnProgress

FEWEST_AUTHORS = 3
"""Two points always lie on a line."""
FEWEST_STORIES = 2
_ROUNDING = 1e-12
"""Rounding error of a sum of squares that is 0, as a share of that around the origin."""


@dataclass(frozen=True, eq=False)
class Spreads:
    """Mean, SD (n - 1) and number of a figure's values for each author, (a,) each.

    NaN where an author has none, or a single one for the SD.
    """

    mean: Floats
    sd: Floats
    n: Codes


@dataclass(frozen=True, eq=False)
class LengthTable:
    """Lengths of the authors' summaries and the number of questions they set on one; the spreads hold (a,) each."""

    words: Spreads
    characters: Spreads
    characters_per_word: Spreads
    questions: Spreads


def length_correlation_over_authors(found: ArrayLike, characters: ArrayLike, level: float = 0.95) -> Estimate:
    """Correlate authors' mean summary length with the share of the others' questions answered.

    Parameters
    ----------
    found : (a,) share (or per cent) of questions with an answer in each author's summaries
    characters : (a,) mean length of the author's summaries
    level : of the interval

    Returns
    -------
    Estimate
        Pearson's r with Fisher's z interval, n = authors. Authors with either missing are left out. Undefined for
        fewer than 3 authors or constant values; without an interval for 3.

    Raises
    ------
    InputError
        where lengths differ or a number is infinite.

    Notes
    -----
    With four authors the interval excludes almost nothing; `length_correlation_within_stories` is more precise. Not for
    single summaries of many stories, as long stories have long summaries.
    Source: Kolluru and Gotoh 2005, section 5.1; Fisher 1921; methods, section 5.

    >>> golden = length_correlation_over_authors([71, 61, 54, 73], [113, 99, 81, 131])
    >>> f"{golden.value:.3f} ({golden.low:.2f} to {golden.high:.3f}), {golden.n} authors"
    '0.965 (0.05 to 0.999), 4 authors'
    """
    share, length = _numbers("found", found), _numbers("characters", characters)
    _check_length("characters", length, len(share))
    is_defined = ~(np.isnan(share) | np.isnan(length))
    n = int(is_defined.sum())
    if n < FEWEST_AUTHORS:
        return Estimate(
            nan, n=n, reason=f"a correlation needs at least {FEWEST_AUTHORS} authors; there are {n}"
        )
    for name, values in (("share of questions answered", share), ("mean length", length)):
        if np.ptp(values[is_defined]) == 0:
            return Estimate(nan, n=n, reason=f"all authors have the same {name}")
    r = pearson(share[is_defined], length[is_defined], level=level).estimate
    if n == FEWEST_AUTHORS and r.defined:
        return replace(r, reason=f"an interval needs at least {FEWEST_AUTHORS + 1} authors; there are {n}")
    return r


def length_correlation_within_stories(
    story: ArrayLike,
    found: ArrayLike,
    characters: ArrayLike,
    bootstrap: BootstrapSpec | None = None,
    on_progress: OnProgress = None,
) -> Estimate:
    """Correlate the length of summaries with the share of questions answered within stories.

    Parameters
    ----------
    story : (k,) codes from 0, one entry per summary
    found : (k,) share of the others' questions with an answer in the summary (`answer_shares.shares_of_summaries`)
    characters : (k,) length of the summary
    bootstrap : of the interval, 1,000 draws by default
    on_progress : called between blocks of draws with the share done

    Returns
    -------
    Estimate
        Pearson's r of both minus their means within the story, n = summaries of stories with two or more. Summaries
        with either missing are left out. Undefined without such stories, or where within all of them either is
        constant.

    Raises
    ------
    InputError
        where lengths differ or a number is infinite.

    Notes
    -----
    Differences between stories cancel. Authors differ in more than length, so that this is not the effect of adding
    words. Few questions per summary reduce r. The interval uses the bootstrap standard error over stories, on Fisher's
    z, with Student's t.
    Source: beyond Kolluru and Gotoh 2005, section 5.1; methods, section 5.
    """
    spec = BootstrapSpec() if bootstrap is None else bootstrap
    share, length = _numbers("found", found), _numbers("characters", characters)
    code = np.asarray(story)
    _check_length("found", share, len(code))
    _check_length("characters", length, len(code))
    is_defined = ~(np.isnan(share) | np.isnan(length))
    _, story_code, times = np.unique(code[is_defined], return_inverse=True, return_counts=True)
    is_shared = times[story_code] > 1
    _, story_code = np.unique(story_code[is_shared], return_inverse=True)
    x, y = length[is_defined][is_shared], share[is_defined][is_shared]
    n, stories = len(story_code), int(story_code.max(initial=-1)) + 1
    if stories < FEWEST_STORIES:
        missing = "no story has" if stories == 0 else "only one story has"
        return Estimate(nan, n=n, reason=f"{missing} two summaries or more")
    smallest = _ROUNDING * np.array([x @ x, y @ y])
    x, y = (
        values - (np.bincount(story_code, values) / np.bincount(story_code))[story_code] for values in (x, y)
    )
    sums = np.stack([np.bincount(story_code, weights=each) for each in (x * x, y * y, x * y)])
    xx, yy = sums[0].sum(), sums[1].sum()
    if xx <= smallest[0] or yy <= smallest[1]:
        missing = "length" if xx <= smallest[0] else "share of questions answered"
        return Estimate(nan, n=n, reason=f"summaries of one story all have the same {missing}")
    value = float(_pearson_from_story_sums(sums.sum(axis=1, keepdims=True), smallest)[0])
    if spec.draws == 0:
        return Estimate(value, n=n)
    samples = [np.empty(0)]
    for _, weights in resample_stories(stories, spec, on_progress=on_progress):
        samples.append(_pearson_from_story_sums(sums @ weights, smallest))
    return interval_over_stories(value, np.concatenate(samples), stories, spec.level, n, -1.0, 1.0, FISHER)


def length_table(
    author: ArrayLike,
    words: ArrayLike,
    characters: ArrayLike,
    questions: ArrayLike,
    authors: int | None = None,
) -> LengthTable:
    """Describe words, characters, characters per word and questions of each author's summaries.

    Parameters
    ----------
    author : (k,) codes from 0, one entry per summary
    words, characters : (k,) lengths, NaN where not known
    questions : (k,) how many questions the author set on it, NaN for none (`count_questions`)
    authors : how many there are; None takes the largest code

    Returns
    -------
    LengthTable
        (a,) by code.

    Raises
    ------
    InputError
        where lengths differ or a number is infinite.

    Notes
    -----
    Characters per word are a summary's own quotient, so that each summary counts the same; a summary without words has
    none.
    Source: Kolluru and Gotoh 2005, section 3.4, Table 1; methods, section 5.
    """
    code = np.asarray(author, dtype=np.int64)
    columns = [
        _numbers(name, given)
        for name, given in (("words", words), ("characters", characters), ("questions", questions))
    ]
    for name, column in zip(("words", "characters", "questions"), columns, strict=True):
        _check_length(name, column, len(code))
    a = int(code.max(initial=-1)) + 1 if authors is None else authors
    in_words, in_characters, n_questions = columns
    has_words = in_words > 0
    per_word = np.where(has_words, in_characters / np.where(has_words, in_words, 1.0), nan)
    return LengthTable(
        *(_describe_by_author(code, values, a) for values in (in_words, in_characters, per_word, n_questions))
    )


def count_questions(answers: Answers, story: ArrayLike, author: ArrayLike) -> Floats:
    """Count the questions of an author about a story (Kolluru and Gotoh 2005, section 3.3, Table 1)."""
    wanted_story, wanted_author = np.asarray(story, dtype=np.int64), np.asarray(author, dtype=np.int64)
    first = np.unique(
        combine_codes(answers.story, answers.question_author, answers.question), return_index=True
    )[1]
    combined = combine_codes(
        np.concatenate([answers.story[first], wanted_story]),
        np.concatenate([answers.question_author[first], wanted_author]),
    )
    counts = np.bincount(combined[: len(first)], minlength=int(combined.max(initial=-1)) + 1)[
        combined[len(first) :]
    ]
    return np.where(counts > 0, counts, nan)


def _describe_by_author(author: Codes, values: Floats, authors: int) -> Spreads:
    known = ~np.isnan(values)
    code, value = author[known], values[known]
    n = np.bincount(code, minlength=authors)
    mean = np.where(n > 0, np.bincount(code, weights=value, minlength=authors) / np.maximum(n, 1), nan)
    squares = np.bincount(code, weights=(value - mean[code]) ** 2, minlength=authors)
    return Spreads(mean, np.where(n > 1, np.sqrt(squares / np.maximum(n - 1, 1)), nan), n)


def _pearson_from_story_sums(sums: Floats, smallest: Floats) -> Floats:
    """Return r from sums (3, b) of squares and products, NaN where a side is constant."""
    xx, yy, xy = sums
    varies = (xx > smallest[0]) & (yy > smallest[1])
    return np.where(varies, np.clip(xy / np.sqrt(np.where(varies, xx * yy, 1.0)), -1.0, 1.0), nan)


def _numbers(name: str, values: ArrayLike) -> Floats:
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 1 or np.isinf(array).any():
        raise InputError(f"`{name}` must be 1-d and without infinite numbers, got shape {array.shape}")
    return array


def _check_length(name: str, values: NDArray[Any], length: int) -> None:
    if len(values) != length:
        raise InputError(f"`{name}` needs one entry per summary or author, {length}, got {len(values)}")


@dataclass(frozen=True, eq=False)
class Summaries:
    """Summaries by codes of story and author, of `authors` authors, with lengths, NaN where unknown."""

    story: NDArray[np.int64]
    author: NDArray[np.int64]
    words: NDArray[np.float64]
    characters: NDArray[np.float64]
    authors: int


@dataclass(frozen=True, eq=False)
class LengthAndShares:
    """Shares of answers and lengths of summaries by author code, with both correlations over the authors `people`."""

    levels: Levels
    table: LengthTable
    over_authors: Estimate
    within: Estimate
    people: Sequence[int]

    @property
    def summaries(self) -> NDArray[np.int64]:
        """Number of summaries of each author (a,)."""
        return np.maximum(self.table.characters.n, self.table.questions.n)

    @property
    def authors(self) -> NDArray[np.int64]:
        """Codes of the authors with a summary."""
        return np.flatnonzero(self.levels.questions.astype(bool) | (self.summaries > 0))


def length_and_shares(
    answers: Answers,
    summaries: Summaries,
    machines: tuple[int, ...],
    bootstrap: BootstrapSpec | None = None,
    on_progress: Callable[[float], object] | None = None,
) -> LengthAndShares:
    """Estimate shares and lengths by author, and their correlations without `machines`.

    The correlation within stories also excludes machines' questions.
    """
    story, author = summaries.story, summaries.author
    people = [code for code in np.unique(author).tolist() if code not in machines]
    by_people = np.isin(author, people)
    levels = shares_by_code(answers, bootstrap, on_progress).by_summary_author
    table = length_table(
        author,
        summaries.words,
        summaries.characters,
        count_questions(answers, story, author),
        summaries.authors,
    )
    story, author = story[by_people], author[by_people]
    return LengthAndShares(
        levels,
        table,
        length_correlation_over_authors(levels.value[people, -1], table.characters.mean[people]),
        length_correlation_within_stories(
            story,
            shares_of_summaries(answers.without_machines(machines), story, author),
            summaries.characters[by_people],
            bootstrap,
            on_progress,
        ),
        people,
    )
