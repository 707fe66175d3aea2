"""Contents of columns, with codes of missing values among numbers and words of a scale."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data.reading.columns import column_of, columns_of, find_minus_one, find_outlying_codes, to_number


@pytest.mark.parametrize(
    ("cells", "holds", "filled"),
    [
        (["1", "2", "NA", "", "3"], "numbers", ["1", "2", "3"]),
        (["1.5", "2", "."], "numbers", ["1.5", "2"]),
        (["good", "bad", "-", "fair", "poor"], "words", ["good", "bad", "fair", "poor"]),
        (
            ["spam", "ham", "None", "spam", "ham", "ham"],
            "labels",
            ["spam", "ham", "None", "spam", "ham", "ham"],
        ),
        (["2026-03-01 10:00", "2026-03-02"], "times", ["2026-03-01 10:00", "2026-03-02"]),
        (["1767225600", "1767225700"], "times", ["1767225600", "1767225700"]),
        (["1", "2", "2b", "3"], "texts", ["1", "2", "2b", "3"]),
        (["1", "2", "skip", "3", "2"], "numbers", ["1", "2", "3", "2"]),
        (["", " "], "nothing", []),
        (["NA", ""], "nothing", []),
        (["4 - good", "2 - bad", "3"], "numbers", ["4 - good", "2 - bad", "3"]),
    ],
)
def test_a_column_holds_what_is_left_without_missing_codes(
    cells: list[str], holds: str, filled: list[str]
) -> None:
    column = column_of("x", 0, cells)
    assert (column.holds, list(column.filled)) == (holds, filled)


def test_words_are_of_a_scale_where_all_columns_together_say_so() -> None:
    rows = [["bad", "good"], ["poor", "good"], ["fair", "excellent"], ["bad", "-"]]
    first, second = columns_of(["a", "b"], rows)
    assert (first.holds, second.holds) == ("words", "words")
    assert list(second.filled) == ["good", "good", "excellent"]


def test_a_number_that_counts_the_rows_is_no_rating() -> None:
    counting = column_of("no", 0, [str(at) for at in range(1, 9)])
    rated = column_of("score", 0, ["1", "2", "3", "2", "1", "5", "4", "2"])
    assert (counting.may_be_scale, rated.may_be_scale) == (False, True)


@pytest.mark.parametrize(
    ("cells", "codes"),
    [
        ({"1": 5, "5": 4, "-99": 2}, {"-99"}),
        ({"1": 5, "5": 4, "-1": 2}, {"-1"}),
        ({"0": 5, "10": 4, "999": 1}, {"999"}),
        ({"-3": 5, "3": 4, "-1": 2}, set()),
        ({"0": 5, "100": 4, "99": 2}, set()),
        ({"0": 5, "1": 4, "-1": 2}, set()),
        ({"-1": 3, "-999": 2}, {"-999"}),
        ({"1.25": 5, "4.5": 4, "-99": 2}, {"-99"}),
        ({"1.37": 5, "4.5": 4, "-99": 2}, set()),
    ],
)
def test_numbers_far_off_a_scale_stand_for_no_answer(cells: dict[str, int], codes: set[str]) -> None:
    assert find_outlying_codes(cells) == codes


@pytest.mark.parametrize(
    ("cells", "codes"),
    [
        ({"22.1": 1, "69.7": 1, "-1": 3}, {"-1"}),
        ({"22.1": 2, "69.7": 1, "-1": 3}, set()),
        ({"0.37": 1, "1": 1, "-1": 3}, set()),
        ({"-0.5": 1, "22.1": 1, "-1": 3}, set()),
        ({"1": 1, "10": 1, "-1": 3}, set()),
        ({"-1": 3}, set()),
    ],
)
def test_minus_one_often_below_a_slider_stands_for_no_answer(cells: dict[str, int], codes: set[str]) -> None:
    assert find_minus_one(cells) == codes


@given(st.text(alphabet="-+., 012a\u0663", max_size=6))
def test_any_cell_has_a_number_or_none(cell: str) -> None:
    """A lone sign, a code for what is missing, once ended the reading of a table."""
    number = to_number(cell)
    assert math.isnan(number) or math.isfinite(number)


@pytest.mark.parametrize(("cell", "number"), [("3 - bad", 3), ("-2,5 x", -2.5), (".5", 0.5), ("+1", 1)])
def test_the_number_that_a_cell_begins_with(cell: str, number: float) -> None:
    assert to_number(cell) == number


def test_a_lone_sign_is_no_number() -> None:
    assert math.isnan(to_number("-"))
    assert math.isnan(to_number("+"))
