"""Author by author, in whole sentences with their numbers."""

from dataclasses import replace
from math import nan

import numpy as np

from analysis.comprehension.answer_shares import by_pair
from features.blocks import Status
from findings.comprehension import matrix
from tests.findings.comprehension.asked import CLOSED, NAMES, answers, told


def test_the_pairs_with_the_highest_and_the_lowest_share() -> None:
    pairs = by_pair(answers(), CLOSED)
    assert told(matrix.finding_of(pairs, NAMES, "R+P")) == (
        "R + P is highest where summaries of A meet questions of B: 100 %; lowest where summaries of B meet questions "
        "of A: 50 %."
    )
    table, _ = matrix.pairs_table(pairs, NAMES)
    assert table["Summary of"].tolist() == ["A", "B", "M"]
    assert table["Questions of"].tolist() == ["B", "A", "A"]
    assert table["N"].tolist() == [0, 0.5, 0.5]
    equal = by_pair(answers([("s", "A", "B", "R"), ("s", "B", "A", "R")]), CLOSED)
    assert (
        told(matrix.finding_of(equal, NAMES, "R+P")) == "R + P is 100 % for every pair of authors that met."
    )


def test_pairs_whose_intervals_overlap_may_change_places() -> None:
    """100 % against 50 %: with 30 points either way the intervals meet, with 20 they do not."""
    pairs = by_pair(answers(), CLOSED)
    value = pairs.levels.value

    def finding(points: float) -> str:
        levels = replace(pairs.levels, low=value - points, high=value + points)
        return told(matrix.finding_of(replace(pairs, levels=levels), NAMES, "R+P"))

    overlap = "Their intervals overlap, and other stories may turn the order."
    assert finding(0.3).endswith(overlap)
    assert overlap not in finding(0.2)


def test_answers_of_a_pair_in_words_and_the_columns_that_lack() -> None:
    texts = {
        "story": np.array(["s", "s", "t"]),
        "question": np.array(["1", "2", "1"]),
        "judge": np.array(["", "", ""]),
        "answer": np.array(["R", "N", "P"]),
        "question_text": np.array(["Who?", "Where?", ""]),
        "expected_answer": np.array(["", "", ""]),
        "found_answer": np.array(["", "", ""]),
    }
    assert told(matrix.answers_note(texts, "B")) == "3 answers of B on 2 stories."
    assert list(matrix.answers_table(texts)[0]) == ["Story", "No.", "Question", "Answer"]
    (lacking,) = matrix.columns_lacking(texts)
    assert told(lacking) == "Columns of the file that would show more here: expected_answer, found_answer."


def test_both_summaries_of_a_story_stand_side_by_side() -> None:
    table = matrix.summaries_table(
        np.array(["s", "s", "t"]),
        np.array(["A", "B", "A"]),
        np.array(["rain", "sun", ""]),
        np.array([4.0, 3.0, nan]),
        ("A", "B"),
    )
    assert list(map(told, matrix.side_by_side(table, "s", "A", "B"))) == [
        "A, who wrote the summary that was asked: rain",
        "B, who asked: sun",
    ]
    assert matrix.summaries_by(table, "A")[0]["Summary"].tolist() == ["rain"]


def test_pairs_are_told_apart_where_their_intervals_leave_room() -> None:
    pairs = by_pair(answers(), CLOSED)
    value = pairs.levels.value

    def status(points: float) -> Status:
        levels = replace(pairs.levels, low=value - points, high=value + points)
        return matrix.finding_of(replace(pairs, levels=levels), NAMES, "R+P").status

    assert (status(0.2), status(0.3)) == (Status.CLEAR, Status.UNCERTAIN)
    alone = by_pair(answers([("s", "A", "A", "R")]), CLOSED)
    assert matrix.finding_of(alone, NAMES, "R+P").status is Status.NOT_ENOUGH_DATA
