"""Length beside what is found: machines stay out of both correlations, but in the table."""

import numpy as np
import pytest

from analysis.comprehension.answers import encode_answers
from analysis.comprehension.summary_length import (
    Summaries,
    length_and_shares,
    length_correlation_over_authors,
)
from analysis.values.estimate import BootstrapSpec

CLOSED = BootstrapSpec(draws=0)
AUTHORS = "ABCM"
FOUND = {"A": "RRRR", "B": "RRRN", "C": "RRNN", "M": "NNNN"}
ROWS = [
    (story, wrote, asked, answer)
    for story in "st"
    for wrote, given in FOUND.items()
    for asked in "ABC"
    if asked != wrote
    for answer in given
]
LENGTHS = np.array([120.0, 100.0, 70.0, 300.0] * 2)


def test_machines_count_in_the_table_only() -> None:
    answers, _ = encode_answers(*(list(column) for column in zip(*ROWS, strict=True)))
    both = length_and_shares(
        answers,
        Summaries(np.repeat([0, 1], 4), np.tile(np.arange(4), 2), LENGTHS / 5, LENGTHS, 4),
        (3,),
        CLOSED,
    )
    assert both.people == [0, 1, 2]
    assert both.authors.tolist() == [0, 1, 2, 3]
    assert both.summaries.tolist() == [2, 2, 2, 2]
    assert both.table.characters.mean.tolist() == [120, 100, 70, 300]
    of_people = length_correlation_over_authors([1, 0.75, 0.5], [120, 100, 70])
    assert both.over_authors.value == pytest.approx(of_people.value)
    assert both.within.value == pytest.approx(of_people.value)
    assert (both.over_authors.n, both.within.n) == (3, 6)


def test_among_people_are_neither_machines_questions_nor_their_summaries() -> None:
    answers, _ = encode_answers(["s"] * 4, ["A", "M", "A", "B"], ["B", "A", "M", "A"], ["R", "N", "P", "I"])
    assert answers.without_machines((2,)).answer.tolist() == [0, 2]
    assert answers.without_machines(()) is answers
    assert (answers.writers, answers.askers) == ([0, 1, 2], [0, 1, 2])
