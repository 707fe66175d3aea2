"""Answers of the cross comprehension test as integer codes: whose question was put to whose summary, and what came."""

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
    """N answers as codes from 0: whose question was put to whose summary, and what came.

    Parameters
    ----------
    story, summary_author, question_author, question : (N,) codes; authors of summaries and of questions share
        theirs, a question's is its own within a story and its author
    judge : (N,) codes, -1 where not named
    answer : (N,) places in `ANSWERS`
    authors, judges : how many there are; as many as there are codes unless told

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

    def where(self, kept: NDArray[np.bool_]) -> "Answers":
        """Some of the answers; authors and judges that have none left count only up to the last that has."""
        return Answers(*(getattr(self, name)[kept] for name in _COLUMNS))

    def among_people(self, machines: Collection[int]) -> "Answers":
        """The answers of people's summaries to people's questions; `machines` are codes of authors."""
        if not machines:
            return self
        by_machine = np.isin(self.summary_author, list(machines))
        return self.where(~(by_machine | np.isin(self.question_author, list(machines))))

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
        """The answers that count: those of a summary to another author's questions (Kolluru and Gotoh 2005,
        section 4 ("swapping a summary-questionnaire pair"))."""
        kept = self.summary_author != self.question_author
        return replace(self.where(kept), authors=self.authors, judges=self.judges)

    @property
    def to_own(self) -> int:
        """Return how many answers an author's summary gave to the author's own questions."""
        return len(self) - len(self.to_others)

    @cached_property
    def stories(self) -> int:
        """Return how many stories have an answer."""
        return len(np.unique(self.story))

    @cached_property
    def story_place(self) -> Codes:
        """Each answer's story (N,), counted from 0 over the stories that have an answer."""
        return np.unique(self.story, return_inverse=True)[1].astype(np.int64)

    @cached_property
    def asked(self) -> Codes:
        """Each answer's question (N,), whatever summary it was put to."""
        return joined(self.story, self.question_author, self.question)

    @cached_property
    def put(self) -> Codes:
        """Each answer's question as put to one summary (N,)."""
        return joined(self.asked, self.summary_author)

    @cached_property
    def judged_by(self) -> Codes:
        """Each answer's judge (N,); those that are not named are one judge more."""
        return np.where(self.judge < 0, self.judges, self.judge)

    @property
    def unnamed(self) -> int:
        """Return how many answers have a judge that is not named."""
        return int((self.judge < 0).sum())


class AnswerNames(NamedTuple):
    """Ids that the codes of answers stand for, (k,) each."""

    stories: NDArray[Any]
    authors: NDArray[Any]
    judges: NDArray[Any]


def coded(
    story: ArrayLike,
    summary_author: ArrayLike,
    question_author: ArrayLike,
    answer: ArrayLike,
    judge: ArrayLike | None = None,
    question: ArrayLike | None = None,
) -> tuple[Answers, AnswerNames]:
    """Answers by any ids as codes, and what the codes stand for."""
    stories, by_story = _ids("story", story)
    n = len(by_story)
    wrote, asked = (
        _listed("summary_author", summary_author, n),
        _listed("question_author", question_author, n),
    )
    if n and (wrote.dtype.kind in "US") != (asked.dtype.kind in "US"):
        raise InputError(
            "`summary_author` and `question_author` must be ids of one kind, text or numbers; "
            f"got {wrote.dtype} and {asked.dtype}"
        )
    authors, by_author = np.unique(np.concatenate([wrote, asked]), return_inverse=True)
    judges, by_judge = _ids("judge", np.zeros(n) if judge is None else judge, n)
    code = _answer_codes(_listed("answer", answer, n))
    by_wrote, by_asked = by_author[:n].astype(np.int64), by_author[n:].astype(np.int64)
    pair = joined(by_story, by_wrote, by_asked)
    if question is None:
        asked_as = joined(by_story, by_asked, _occurrence(joined(pair, by_judge)))
    else:
        asked_as = joined(by_story, by_asked, _ids("question", question, n)[1])
    answers = Answers(by_story, by_wrote, by_asked, asked_as, by_judge, code)
    return answers, AnswerNames(stories, authors, judges)


def joined(*codes: Codes) -> Codes:
    """One code from 0 for each combination of codes that occurs."""
    joined = np.asarray(codes[0], dtype=np.int64)
    for code in codes[1:]:
        width = int(np.max(code, initial=0)) + 1
        _, joined = np.unique(joined * width + code, return_inverse=True)
    return joined.astype(np.int64)


def _occurrence(code: Codes) -> Codes:
    """Return how many times each code came before, in the order given."""
    order = np.argsort(code, kind="stable")
    ordered = code[order]
    first = np.searchsorted(ordered, ordered)
    before = np.empty(len(code), dtype=np.int64)
    before[order] = np.arange(len(code)) - first
    return before


def _answer_codes(given: NDArray[Any]) -> Codes:
    written, place = np.unique(given.astype(str), return_inverse=True)
    codes = {answer: at for at, answer in enumerate(ANSWERS)}
    unknown = [answer for answer in written.tolist() if answer.strip().upper() not in codes]
    if unknown:
        raise InputError(
            f"`answer` must be R, P, I or N, got {unknown[0]!r}; leave out rows without an answer"
        )
    at = np.array([codes[answer.strip().upper()] for answer in written.tolist()], dtype=np.int64)
    return at[place]


def _ids(name: str, given: ArrayLike, length: int | None = None) -> tuple[NDArray[Any], Codes]:
    ids, code = np.unique(_listed(name, given, length), return_inverse=True)
    return ids, code.astype(np.int64)


def _listed(name: str, given: ArrayLike, length: int | None = None) -> NDArray[Any]:
    array = np.asarray(given)
    if array.ndim != 1 or length not in (None, len(array)):
        told = "be 1-d" if length is None else f"have one entry per answer, {length}"
        raise InputError(f"`{name}` must {told}, got shape {array.shape}")
    if array.dtype.kind == "O":
        missing = np.array([value is None or value != value for value in array], dtype=np.bool_)
        if not missing.any():
            array = np.array(array.tolist())
    else:
        missing = np.isnan(array) if array.dtype.kind == "f" else np.zeros(len(array), dtype=np.bool_)
    if missing.any():
        where = int(np.flatnonzero(missing)[0])
        raise InputError(f"`{name}` has no value at position {where}; leave out what is missing")
    return array
