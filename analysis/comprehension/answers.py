"""Answers of the cross comprehension test as integer codes: whose question was put to whose summary, and what came."""

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.values.errors import InputError

Codes = NDArray[np.int64]

ANSWERS = ("R", "P", "I", "N")
"""Relevant, partially relevant, irrelevant, not found."""


class AnswerCodes(Protocol):
    """N answers as codes from 0; `answer` is a place in `ANSWERS`, `judge` may be -1: not named.

    All (N,). Authors of summaries and of questions share their codes; a question's code is its own within a story.
    """

    @property
    def story(self) -> Codes:
        """The story."""
        ...

    @property
    def summary_author(self) -> Codes:
        """Who wrote the summary."""
        ...

    @property
    def question_author(self) -> Codes:
        """Who asked."""
        ...

    @property
    def question(self) -> Codes:
        """The question."""
        ...

    @property
    def judge(self) -> Codes:
        """Who judged the answer; -1: not named."""
        ...

    @property
    def answer(self) -> Codes:
        """A place in `ANSWERS`."""
        ...


@dataclass(frozen=True, eq=False)
class Coded:
    """N answers by any ids as codes (N,), with what the codes stand for: `stories`, `authors`, `judges` (k,)."""

    story: Codes
    summary_author: Codes
    question_author: Codes
    question: Codes
    judge: Codes
    answer: Codes
    stories: NDArray[Any]
    authors: NDArray[Any]
    judges: NDArray[Any]


@dataclass(frozen=True, eq=False)
class Crossed:
    """The answers to other authors' questions, (N,) codes each; `set_aside` answers were to the author's own.

    `story` counts from 0 over the stories that are left; `asked` is a question, whatever summary
    it was put to, and `question` one put to one summary; judges that are not named are the last one. `story_code`
    is the story's code as it came.
    """

    story: Codes
    summary_author: Codes
    question_author: Codes
    asked: Codes
    question: Codes
    judge: Codes
    answer: Codes
    story_code: Codes
    stories: int
    authors: int
    judges: int
    unnamed: int
    set_aside: int

    def __len__(self) -> int:
        return len(self.answer)


def coded(
    story: ArrayLike,
    summary_author: ArrayLike,
    question_author: ArrayLike,
    answer: ArrayLike,
    judge: ArrayLike | None = None,
    question: ArrayLike | None = None,
) -> Coded:
    """Answers by any ids as codes, for the functions that take `AnswerCodes`."""
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
    return Coded(by_story, by_wrote, by_asked, asked_as, by_judge, code, stories, authors, judges)


def crossed(answers: AnswerCodes) -> Crossed:
    """The answers that count: those of a summary to another author's questions (Kolluru and Gotoh 2005,
    section 4 ("swapping a summary-questionnaire pair"))."""
    n = len(answers.answer)
    for name in ("story", "summary_author", "question_author", "question", "judge", "answer"):
        column = getattr(answers, name)
        if np.shape(column) != (n,):
            raise InputError(f"`{name}` needs one code per answer, {n}, got shape {np.shape(column)}")
        if n and name != "judge" and column.min() < 0:
            raise InputError(f"`{name}` must be codes from 0, got {column.min()}; leave out what is missing")
    if n and answers.answer.max() >= len(ANSWERS):
        raise InputError(f"`answer` must be a place in {ANSWERS}, 0 to 3, got {answers.answer.max()}")
    kept = answers.summary_author != answers.question_author
    asked = joined(answers.story[kept], answers.question_author[kept], answers.question[kept])
    stories, story = np.unique(answers.story[kept], return_inverse=True)
    judge = np.asarray(answers.judge, dtype=np.int64)
    named = int(judge.max(initial=-1)) + 1
    judge = np.where(judge < 0, named, judge)[kept]
    return Crossed(
        story.astype(np.int64),
        answers.summary_author[kept],
        answers.question_author[kept],
        asked,
        joined(asked, answers.summary_author[kept]),
        judge,
        answers.answer[kept],
        answers.story[kept],
        len(stories),
        int(max(answers.summary_author.max(initial=-1), answers.question_author.max(initial=-1))) + 1,
        max(int(judge.max(initial=-1)) + 1, named),
        int((judge == named).sum()),
        int(n - kept.sum()),
    )


def joined(*codes: Codes) -> Codes:
    """One code from 0 for each combination of codes that occurs."""
    joined = np.asarray(codes[0], dtype=np.int64)
    for code in codes[1:]:
        width = int(np.max(code, initial=0)) + 1
        _, joined = np.unique(joined * width + code, return_inverse=True)
    return joined.astype(np.int64)


def _occurrence(code: Codes) -> Codes:
    """How many times each code came before, in the order given."""
    order = np.argsort(code, kind="stable")
    ordered = code[order]
    first = np.searchsorted(ordered, ordered)
    found = np.empty(len(code), dtype=np.int64)
    found[order] = np.arange(len(code)) - first
    return found


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
