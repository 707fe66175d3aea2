"""The open study of cross comprehension as arrays: who asked what of whose summary, and what was found; cached."""

from dataclasses import fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analysis.comprehension.answers import Answers
from features.results import key_of, query, result
from features.study import Study


def answers(study: Study) -> Answers:
    """All answers of the study."""

    def compute() -> Answers:
        columns = query(study.dataset, "comprehension")
        return Answers(
            **{field.name: columns[field.name] for field in fields(Answers) if field.name in columns}
        )

    return result(key_of(study.dataset, "answers"), compute)


def names(study: Study, column: str) -> NDArray[np.str_]:
    """The names that the codes of "story", "author" or "judge" stand for."""
    stood_for: NDArray[np.str_] = query(study.dataset, "comprehension_names", column=column)["name"]
    return stood_for


def author_kinds(study: Study) -> NDArray[np.str_]:
    """Person or machine as the file says it, by author code; "" where it is not known."""
    rows = query(study.dataset, "author_kinds")
    kinds = np.full(len(names(study, "author")), "", dtype=rows["kind"].dtype)
    kinds[np.searchsorted(names(study, "author"), rows["author"])] = rows["kind"]
    return kinds


def machines(study: Study) -> tuple[int, ...]:
    """Codes of the authors that are machines."""
    return tuple(at for at, kind in enumerate(author_kinds(study)) if kind.casefold() in MACHINE)


MACHINE = ("machine", "system", "automatic", "model", "computer")
"""How an author's kind says that it is no person."""


def story_types(study: Study) -> NDArray[np.str_]:
    """Each story's type by its code; "" where it is not known."""
    types: NDArray[np.str_] = query(study.dataset, "story_types")["type"]
    return types


def summaries(study: Study) -> dict[str, Any]:
    """Each summary once: story, author (codes), characters, words (NaN where not known), text."""
    rows = query(study.dataset, "summaries")
    return {
        **rows,
        "story": np.searchsorted(names(study, "story"), rows["story"]),
        "author": np.searchsorted(names(study, "author"), rows["author"]),
    }


def texts_of(
    study: Study, summary_author: str, question_author: str, story: str | None = None
) -> dict[str, NDArray[np.str_]]:
    """One cell's questions in words: story, question, judge, answer, question_text, expected_answer, found_answer,
    summary_text."""
    only = {} if story is None else {"story": story}
    return query(
        study.dataset,
        "comprehension_texts",
        summary_author=summary_author,
        question_author=question_author,
        **only,
    )
