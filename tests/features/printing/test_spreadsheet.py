"""A page's table as an Excel sheet: the page's digits, and behind them the numbers with all of theirs."""

import io
from typing import Any

import pandas as pd
from openpyxl import load_workbook

from analysis.values.estimate import Estimate
from features.plotting.theme import (
    count,
    decimal,
    estimate_in_table,
    p_value,
    share,
    share_saved,
)
from features.printing import excel

RHO = [2 / 3, -1 / 3, float("nan")]
SHOWN = (
    pd.DataFrame(
        {
            "System": ["=1+1", "0.5", "–"],
            "ρ": RHO,
            "Share": [0.617, 1 / 3, 0.5],
            "Saved": [2 / 3, 0.299, 1.0],
            "p": [0.00002, 0.034, 1.0],
            "Items": [21600, 8, 1],
            "Halves": [0.5, 0.25, 0.125],
            "Knee": ["7 to 9", "–", ""],
        }
    ),
    {
        "ρ": [
            estimate_in_table(Estimate(RHO[0], 0.51, 0.72)),
            decimal(RHO[1]),
            decimal(RHO[2]),
        ],
        "Share": [
            estimate_in_table(Estimate(0.617, 0.571, 0.652), share),
            share(1 / 3),
            estimate_in_table(Estimate(0.5, 0.25, 0.75), share),
        ],
        "Saved": share_saved,
        "p": p_value,
        "Items": count,
        "Halves": ["0.500, 4 each", "0.250, 4 each", "elsewhere"],
    },
)


def sheet(columns: list[str] | None = None) -> list[list[Any]]:
    file = excel(SHOWN, columns, "Systems", ["Seed 0"])  # type: ignore[arg-type]
    return [list(row) for row in load_workbook(io.BytesIO(file)).active.iter_rows()]


def column(rows: list[list[Any]], head: str) -> list[tuple[object, str]]:
    at = [cell.value for cell in rows[0]].index(head)
    return [(row[at].value, row[at].number_format) for row in rows[1:4]]


def test_numbers_are_the_tables_own_shown_with_the_pages_digits() -> None:
    rows = sheet()
    assert column(rows, "ρ")[:2] == [(2 / 3, "0.00"), (-1 / 3, "0.00")]
    assert column(rows, "ρ")[2][0] == "–"
    assert column(rows, "Share") == [(0.617, "0%"), (1 / 3, "0%"), (0.5, "0%")]
    assert column(rows, "Saved") == [(2 / 3, "0%"), (0.299, "0%"), (1.0, "0%")]
    assert column(rows, "p") == [(0.00002, '[<0.001]"< .001";.000'), (0.034, ".000"), (1.0, "0.000")]
    assert column(rows, "Items") == [(21600, "#,##0"), (8, "0"), (1, "0")]
    assert [value for value, _ in column(rows, "System")] == ["=1+1", "0.5", "–"]
    assert [value for value, _ in column(rows, "Knee")] == ["7 to 9", "–", None]


def test_intervals_and_other_words_stand_in_a_second_column_as_shown() -> None:
    rows = sheet()
    assert [value for value, _ in column(rows, "ρ, as shown")] == ["0.67 (0.51 to 0.72)", "−0.33", "–"]
    assert column(rows, "Share, as shown")[0][0] == "62% (57 to 65%)"
    assert [value for value, _ in column(rows, "Halves")] == [0.5, 0.25, "elsewhere"]
    assert column(rows, "Halves, as shown")[0][0] == "0.500, 4 each"
    assert [row[0].value for row in rows[4:]] == [None, "Systems", "Seed 0"]


def test_only_the_columns_on_show_are_written_in_their_order() -> None:
    assert [cell.value for cell in sheet(["Items", "System"])[0]] == ["Items", "System"]
