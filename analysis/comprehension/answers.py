"""Answers of the cross comprehension test as integer codes: author of the question, author of the summary, answer."""

from collections.abc import Collection
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.values.estimate import Codes, InputError

ANSWERS = ("R", "P", "I", "N")
"""Relevant, partially relevant, irrelevant, not found."""
_COLUMNS = ("story", "summary_author", "question_author", "question", "judge", "answer")


@dataclass(frozen=True, eq=False)
class Answers:
    """N answers as codes from 0, to an author's question about an author's summary.

    Parameters
    ----------
    story, summary_author, question_author, question : (N,) codes; authors of summaries and of questions have common
        codes, question codes are within a story and author
    judge : (N,) codes, -1 where unnamed
    answer : (N,) indices in `ANSWERS`
    authors, judges : their numbers; by default those of the codes

    Raises
    ------
    InputError
        where lengths differ or a code is out of range.

    Notes
    -----
    Source: Kolluru and Gotoh 2005, section 4; methods, section 5.
    """

    story: Codes
    summary_author: Codes
    question_author: Codes
    question: Codes
    judge: Codes
    answer: Codes
    authors: int = -1
    judges: int = -1

    def __post_init__(self) -> None:
        n = len(self.answer)
        for name in _COLUMNS:
            column = getattr(self, name)
            if np.shape(column) != (n,):
                raise InputError(f"`{name}` needs one code per answer, {n}, got shape {np.shape(column)}")
            if n and name != "judge" and column.min() < 0:
                raise InputError(
                    f"`{name}` must be codes from 0, got {column.min()}; leave out what is missing"
                )
        if n and self.answer.max() >= len(ANSWERS):
            raise InputError(f"`answer` must be a place in {ANSWERS}, 0 to 3, got {self.answer.max()}")
        if self.authors < 0:
            last = max(self.summary_author.max(initial=-1), self.question_author.max(initial=-1))
            object.__setattr__(self, "authors", int(last) + 1)
        if self.judges < 0:
            object.__setattr__(self, "judges", int(self.judge.max(initial=-1)) + 1)

    def __len__(self) -> int:
        return len(self.answer)

    def select(self, mask: NDArray[np.bool_]) -> "Answers":
        """Return the answers in the mask (N,); `authors` and `judges` are recounted from their codes."""
        return Answers(*(getattr(self, name)[mask] for name in _COLUMNS))

    def without_machines(self, machines: Collection[int]) -> "Answers":
        """Return the answers of people's summaries to people's questions; `machines` are codes of authors."""
        if not machines:
            return self
        by_machine = np.isin(self.summary_author, list(machines))
        return self.select(~(by_machine | np.isin(self.question_author, list(machines))))

    @property
    def writers(self) -> list[int]:
        """Codes of the authors of summaries."""
        return [int(code) for code in np.unique(self.summary_author)]

    @property
    def askers(self) -> list[int]:
        """Codes of the authors of questions."""
        return [int(code) for code in np.unique(self.question_author)]

    @cached_property
    def to_others(self) -> "Answers":
        """Answers of summaries to other authors' questions, on which all shares are based.

        Source: Kolluru and Gotoh 2005, section 4 ("swapping a summary-questionnaire pair").
        """
        kept = self.summary_author != self.question_author
        return replace(self.select(kept), authors=self.authors, judges=self.judges)

    @property
    def to_own(self) -> int:
        """Number of answers of an author's summary to the author's own questions."""
        return len(self) - len(self.to_others)

    @cached_property
    def stories(self) -> int:
        """Number of stories with an answer."""
        return len(np.unique(self.story))

    @cached_property
    def story_index(self) -> Codes:
        """Index of each answer's story (N,) among the stories with an answer."""
        return np.unique(self.story, return_inverse=True)[1].astype(np.int64)

    @cached_property
    def question_id(self) -> Codes:
        """Code of each answer's question (N,), for all summaries."""
        return combine_codes(self.story, self.question_author, self.question)

    @cached_property
    def question_summary_id(self) -> Codes:
        """Code of each answer's question and summary (N,)."""
        return combine_codes(self.question_id, self.summary_author)

    @cached_property
    def judge_index(self) -> Codes:
        """Code of each answer's judge (N,), with one more code for unnamed judges."""
        return np.where(self.judge < 0, self.judges, self.judge)

    @property
    def unnamed(self) -> int:
        """Number of answers with an unnamed judge."""
        return int((self.judge < 0).sum())


class AnswerNames(NamedTuple):
    """Ids that the codes of answers stand for, (k,) each."""

    stories: NDArray[Any]
    authors: NDArray[Any]
    judges: NDArray[Any]


def encode_answers(
    story: ArrayLike,
    summary_author: ArrayLike,
    question_author: ArrayLike,
    answer: ArrayLike,
    judge: ArrayLike | None = None,
    question: ArrayLike | None = None,
) -> tuple[Answers, AnswerNames]:
    """Encode answers by any ids as codes, and return the ids of the codes."""
    stories, story_code = _ids("story", story)
    n = len(story_code)
    summary_authors, question_authors = (
        _check_column("summary_author", summary_author, n),
        _check_column("question_author", question_author, n),
    )
    if n and (summary_authors.dtype.kind in "US") != (question_authors.dtype.kind in "US"):
        raise InputError(
            "`summary_author` and `question_author` must be ids of one kind, text or numbers; "
            f"got {summary_authors.dtype} and {question_authors.dtype}"
        )
    authors, author_code = np.unique(np.concatenate([summary_authors, question_authors]), return_inverse=True)
    judges, judge_code = _ids("judge", np.zeros(n) if judge is None else judge, n)
    code = _answer_codes(_check_column("answer", answer, n))
    summary_author_code, question_author_code = (
        author_code[:n].astype(np.int64),
        author_code[n:].astype(np.int64),
    )
    pair = combine_codes(story_code, summary_author_code, question_author_code)
    if question is None:
        question_code = combine_codes(
            story_code, question_author_code, _count_earlier(combine_codes(pair, judge_code))
        )
    else:
        question_code = combine_codes(story_code, question_author_code, _ids("question", question, n)[1])
    answers = Answers(story_code, summary_author_code, question_author_code, question_code, judge_code, code)
    return answers, AnswerNames(stories, authors, judges)


def combine_codes(*codes: Codes) -> Codes:
    """Return one code from 0 for each combination of codes that occurs (N,)."""
    combined = np.asarray(codes[0], dtype=np.int64)
    for code in codes[1:]:
        width = int(np.max(code, initial=0)) + 1
        _, combined = np.unique(combined * width + code, return_inverse=True)
    return combined.astype(np.int64)


def _count_earlier(code: Codes) -> Codes:
    """Count the earlier occurrences of each entry's code (N,)."""
    order = np.argsort(code, kind="stable")
    ordered = code[order]
    first = np.searchsorted(ordered, ordered)
    before = np.empty(len(code), dtype=np.int64)
    before[order] = np.arange(len(code)) - first
    return before


def _answer_codes(answers: NDArray[Any]) -> Codes:
    labels, label_of = np.unique(answers.astype(str), return_inverse=True)
    codes = {answer: code for code, answer in enumerate(ANSWERS)}
    unknown = [answer for answer in labels.tolist() if answer.strip().upper() not in codes]
    if unknown:
        raise InputError(
            f"`answer` must be R, P, I or N, got {unknown[0]!r}; leave out rows without an answer"
        )
    code = np.array([codes[answer.strip().upper()] for answer in labels.tolist()], dtype=np.int64)
    return code[label_of]


def _ids(name: str, column: ArrayLike, length: int | None = None) -> tuple[NDArray[Any], Codes]:
    ids, code = np.unique(_check_column(name, column, length), return_inverse=True)
    return ids, code.astype(np.int64)


def _check_column(name: str, column: ArrayLike, length: int | None = None) -> NDArray[Any]:
    array = np.asarray(column)
    if array.ndim != 1 or length not in (None, len(array)):
        requirement = "be 1-d" if length is None else f"have one entry per answer, {length}"
        raise InputError(f"`{name}` must {requirement}, got shape {array.shape}")
    if array.dtype.kind == "O":
        missing = np.array([value is None or value != value for value in array], dtype=np.bool_)
        if not missing.any():
            array = np.array(array.tolist())
    else:
        missing = np.isnan(array) if array.dtype.kind == "f" else np.zeros(len(array), dtype=np.bool_)
    if missing.any():
        position = int(np.flatnonzero(missing)[0])
        raise InputError(f"`{name}` has no value at position {position}; leave out what is missing")
    return array
