"""Length of the summaries beside what is found in them, author by author and within stories."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from analysis.comprehension.answer_levels import Levels
from analysis.comprehension.answer_shares import coded_shares, found_in
from analysis.comprehension.answers import Answers
from analysis.comprehension.summary_length import (
    LengthTable,
    length_correlation,
    length_table,
    questions_set,
    within_stories,
)
from analysis.values.estimate import BootstrapSpec, Estimate


@dataclass(frozen=True, eq=False)
class Summaries:
    """An entry per summary: codes of story and author, of `authors` authors, and lengths, NaN where not known."""

    story: NDArray[np.int64]
    author: NDArray[np.int64]
    words: NDArray[np.float64]
    characters: NDArray[np.float64]
    authors: int


@dataclass(frozen=True, eq=False)
class LengthAndFound:
    """What is found and how long summaries are by author code, and both correlations, of the codes `people`."""

    levels: Levels
    table: LengthTable
    over_authors: Estimate
    within: Estimate
    people: Sequence[int]

    @property
    def summaries(self) -> NDArray[np.int64]:
        """Summaries of each author, (a,)."""
        return np.maximum(self.table.characters.n, self.table.questions.n)

    @property
    def authors(self) -> NDArray[np.int64]:
        """Codes of the authors of whom there is a summary."""
        return np.flatnonzero(self.levels.questions.astype(bool) | (self.summaries > 0))


def length_and_found(
    answers: Answers,
    summaries: Summaries,
    machines: tuple[int, ...],
    bootstrap: BootstrapSpec | None = None,
    on_progress: Callable[[float], object] | None = None,
) -> LengthAndFound:
    """Both by author; correlations leave out the `machines`, within stories their questions too."""
    story, author = summaries.story, summaries.author
    people = [code for code in np.unique(author).tolist() if code not in machines]
    by_people = np.isin(author, people)
    levels = coded_shares(answers, bootstrap, on_progress).by_summary_author
    table = length_table(
        author,
        summaries.words,
        summaries.characters,
        questions_set(answers, story, author),
        summaries.authors,
    )
    story, author = story[by_people], author[by_people]
    return LengthAndFound(
        levels,
        table,
        length_correlation(levels.value[people, -1], table.characters.mean[people]),
        within_stories(
            story,
            found_in(answers.among_people(machines), story, author),
            summaries.characters[by_people],
            bootstrap,
            on_progress,
        ),
        people,
    )
