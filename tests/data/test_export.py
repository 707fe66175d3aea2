"""Tables on their way out hold nothing that a spreadsheet would run, however it is spelt."""

import csv
import io

import pandas as pd
import pytest

from data.export import csv_bytes, neutral, pasteable

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
    assert neutral(plain) == plain


@pytest.mark.parametrize("sign", SIGNS)
def test_what_is_pasted_holds_no_formula_and_no_further_cell(sign: str) -> None:
    """A tab or a line's end inside a cell would begin another cell with what stands behind it."""
    table = pd.DataFrame(
        {"rater": [sign + "1+1", "a\t=1+1", "b\n=1+1", " " + sign], "rho\n=2": [0.5, -0.25, 2, 3]}
    )
    lines = pasteable(table).split("\n")
    assert len(lines) == 5
    for line in lines:
        cells = line.split("\t")
        assert len(cells) == 2
        assert not cells[0].startswith(tuple(SIGNS))
    assert lines[2] == "a =1+1\t-0.25"
