"""What columns hold, with codes of missing values among numbers and words of a scale."""

import pytest

from data.kinds.ratings import RATINGS
from data.reading.columns import column_of, columns_of, roles_of


@pytest.mark.parametrize(
    ("cells", "holds", "filled"),
    [
        (["1", "2", "NA", "", "3"], "numbers", ["1", "2", "3"]),
        (["1,5", "2", "."], "numbers", ["1,5", "2"]),
        (["good", "bad", "-", "fair", "poor"], "words", ["good", "bad", "fair", "poor"]),
        (
            ["spam", "ham", "None", "spam", "ham", "ham"],
            "labels",
            ["spam", "ham", "None", "spam", "ham", "ham"],
        ),
        (["2026-03-01 10:00", "2026-03-02"], "times", ["2026-03-01 10:00", "2026-03-02"]),
        (["1767225600", "1767225700"], "times", ["1767225600", "1767225700"]),
        (["1", "2", "two", "3"], "texts", ["1", "2", "two", "3"]),
        (["", " "], "nothing", []),
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


def test_roles_are_told_by_names_in_several_languages() -> None:
    columns = columns_of(["Bewerter", "项目", "puntuación", "thème"], [["a", "b", "1", "c"]])
    found = {role: column.name for role, column in roles_of(columns, RATINGS).items()}
    assert found == {"item_id": "项目", "rater_id": "Bewerter", "score": "puntuación", "topic": "thème"}
