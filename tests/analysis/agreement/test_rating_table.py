"""Counts of a table of ratings, by hand."""

import numpy as np
import pytest

from analysis.agreement.agreement_summary import infer_scale, rating_table, sum_rows_by_code
from analysis.values.estimate import InputError


def test_counts_of_items_raters_and_of_items_without_a_rating() -> None:
    table = rating_table(["x", "x", "y"], ["a", "b", "a"], ["no", "yes", "no"])
    assert table.values.tolist() == ["no", "yes"]
    assert table.counts.tolist() == [[1, 1], [1, 0]]
    assert table.counts_by_rater.tolist() == [[2, 0], [0, 1]]
    assert table.counts_without_rating.tolist() == [[0, 1], [1, 0], [0, 0]]


def test_sums_of_rows_by_code() -> None:
    rows = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    assert sum_rows_by_code(np.array([0, 2, 0]), rows, 3).tolist() == [[6, 8], [0, 0], [3, 4]]


def test_a_rater_rates_an_item_once() -> None:
    with pytest.raises(InputError, match="got 3 of rater a for item x"):
        rating_table(["x"] * 3, ["a"] * 3, [1, 2, 2])


@pytest.mark.parametrize(
    ("scores", "grades"),
    [
        ([5, 3, 3], [1, 2, 3, 4, 5]),
        ([0, 4], [0, 1, 2, 3, 4]),
        ([-2, 3], [-3, -2, -1, 0, 1, 2, 3]),
        ([-4, -1], [-4, -3, -2, -1]),
        ([2, 4.5], [2, 4.5]),
        ([0, 100], list(range(101))),
        ([0, 101], [0, 101]),
        ([5, 5], [5]),
        ([], []),
    ],
    ids=str,
)
def test_grades_that_nobody_gave_belong_to_the_scale(scores: list[float], grades: list[float]) -> None:
    assert infer_scale(scores).tolist() == grades
