"""Tables on their way out hold nothing that a spreadsheet would run, however it is spelt."""

import csv
import io
import json
import zipfile

import pandas as pd
import pytest
from openpyxl import load_workbook

from data.export import Figure, csv_bytes, json_bytes, neutralize, parquet_bytes, workbook

SIGNS = ["=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠"]


@pytest.mark.parametrize("sign", SIGNS)
def test_whatever_begins_a_formula_gets_an_apostrophe(sign: str) -> None:
    text = sign + "HYPERLINK(A1)"
    table = pd.DataFrame({text: [text], "score": [-1.5]})
    [header, row] = csv.reader(io.StringIO(csv_bytes(table).decode(), newline=""))
    assert header == ["'" + text, "score"]
    assert row == ["'" + text, "-1.5"]


@pytest.mark.parametrize("plain", ["-1.5", "+3", "-.5e-3", "speech", "", "'=1"])
def test_numbers_and_words_stay(plain: str) -> None:
    assert neutralize(plain) == plain


TABLE = pd.DataFrame(
    {
        "rater": ["=1+1", "<b>|a_b\\%", "ü 雪", "#N/A"],
        "ρ": [1 / 3, -1e-17, float("nan"), 0.1 + 0.2],
        "n": [1, 2, 3, 2**53],
        "knee": pd.array([7, None, 3, 4], dtype="Int64"),
        "odds": [float("inf"), float("-inf"), 1.0, 2.0],
        "told": [0.5, "never", None, 3],
    }
)


def test_unrounded_files_are_read_back_to_the_same_numbers() -> None:
    read = {
        "csv": pd.read_csv(io.BytesIO(csv_bytes(TABLE))),
        "parquet": pd.read_parquet(io.BytesIO(parquet_bytes(TABLE))),
        "json": pd.DataFrame(json.loads(json_bytes(TABLE))),
    }
    for table in read.values():
        assert list(table) == list(TABLE)
        assert table["ρ"].fillna(9).tolist() == TABLE["ρ"].fillna(9).tolist()
        assert table["n"].tolist() == TABLE["n"].tolist()
        assert table["knee"].isna().tolist() == [False, True, False, False]
        assert table["knee"].dropna().astype(int).tolist() == [7, 3, 4]
        assert table["odds"].astype(float).tolist() == TABLE["odds"].tolist()
    assert read["parquet"]["rater"].tolist() == read["json"]["rater"].tolist() == TABLE["rater"].tolist()
    assert read["parquet"]["told"].tolist()[:2] == ["0.5", "never"]
    assert read["json"]["told"].tolist() == [0.5, "never", None, 3]


def test_a_workbook_holds_numbers_as_numbers_and_no_text_as_a_formula() -> None:
    hostile = ["=1+1", "=HYPERLINK(A1)", "#N/A", "@x", "a\x00b", "<x>&"]
    file = workbook("=title", ["=head", "n"], [(text, Figure(1 / 3, "0.00")) for text in hostile], ["=note"])
    sheet = load_workbook(io.BytesIO(file)).active
    rows = list(sheet.iter_rows())
    assert [cell.value for cell in rows[0]] == ["=head", "n"]
    assert [row[0].value for row in rows[1:7]] == [*hostile[:4], "a b", hostile[5]]
    assert {row[0].data_type for row in [*rows[:7], rows[-1]]} == {"s"}
    assert [row[0].quotePrefix for row in rows[1:5]] == [True, True, False, True]
    assert {row[1].value for row in rows[1:7]} == {1 / 3}
    assert {row[1].number_format for row in rows[1:7]} == {"0.00"}
    assert rows[-1][0].value == "=note"
    with zipfile.ZipFile(io.BytesIO(file)) as parts:
        assert b"<f>" not in parts.read("xl/worksheets/sheet1.xml")
