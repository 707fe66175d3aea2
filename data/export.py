"""Export tables with full precision and without text that a spreadsheet would run as a formula.

As a page shows them they are written by `features.printing`.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import isfinite, isnan
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # whoever reads a file needs no tables: importing them takes longer than all the rest
    import pandas as pd

FORMULA_PATTERN = r"[=+\-@\t\r\n＝＋－＠]"
"""What a text that a spreadsheet runs begins with, full-width signs included, and the numbers that do so too: for
Python and for SQL."""
NUMBER_PATTERN = r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?"
_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def neutralize(cell: object) -> object:
    """Put an apostrophe before a text that a spreadsheet would run as a formula; return other cells unchanged.

    >>> neutralize("=cmd|' /C calc'!A0"), neutralize("＝1+1"), neutralize("-1.5"), neutralize("speech"), neutralize(-2)
    ("'=cmd|' /C calc'!A0", "'＝1+1", '-1.5', 'speech', -2)
    """
    if isinstance(cell, str) and re.match(FORMULA_PATTERN, cell) and not re.fullmatch(NUMBER_PATTERN, cell):
        return "'" + cell
    return cell


def csv_bytes(table: pd.DataFrame) -> bytes:
    """Return a table as CSV in UTF-8, full precision, formulas neutralized in cells and headers."""
    text: str = _neutralize_table(table).to_csv(index=False, lineterminator="\r\n")
    return text.encode("utf-8")


def _neutralize_table(table: pd.DataFrame) -> pd.DataFrame:
    safe = table.map(neutralize)
    safe.columns = [neutralize(str(name)) for name in table.columns]
    return safe


def parquet_bytes(table: pd.DataFrame) -> bytes:
    """Return a table as Parquet, full precision; a column of numbers and texts becomes one of texts."""
    one_kind = table.copy()
    one_kind.columns = [str(name) for name in table.columns]
    for name in one_kind:
        if one_kind[name].dtype == object and one_kind[name].dropna().map(type).nunique() > 1:
            one_kind[name] = one_kind[name].map(str, na_action="ignore")
    return one_kind.to_parquet(index=False)


def json_bytes(table: pd.DataFrame) -> bytes:
    """Return a table as a JSON list of rows, full precision; undefined numbers are null, infinite ones texts."""
    rows = [
        {str(name): _json_value(value) for name, value in zip(table.columns, row, strict=True)}
        for row in table.itertuples(index=False, name=None)
    ]
    return json.dumps(rows, ensure_ascii=False, allow_nan=False, indent=1).encode("utf-8")


def _json_value(value: Any) -> object:
    value = value.item() if hasattr(value, "item") else value
    if isinstance(value, float) and not isfinite(value):
        return None if isnan(value) else str(value)
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    return None if repr(value) in ("<NA>", "NaT") else str(value)


@dataclass(frozen=True)
class Figure:
    """Number of a workbook with its display format."""

    value: float
    format: str


def workbook(
    title: str, heads: Sequence[str], rows: Iterable[Sequence[str | Figure]], notes: Iterable[str] = ()
) -> bytes:
    """Return an Excel workbook of one sheet: numbers as numbers, no formulas, notes below the table."""
    from openpyxl import Workbook
    from openpyxl.cell import WriteOnlyCell
    from openpyxl.styles import Alignment, Font
    from openpyxl.utils import get_column_letter

    book = Workbook(write_only=True)
    book.properties.title = title
    sheet = book.create_sheet("Table")
    sheet.freeze_panes = "A2"

    def write_cell(content: str | Figure) -> Any:
        if isinstance(content, Figure):
            cell = WriteOnlyCell(sheet, content.value)
            cell.number_format = content.format
            return cell
        cell = WriteOnlyCell(sheet, _NOT_IN_XML.sub(" ", content))
        cell.data_type = "s"  # also where it begins as a formula does, or is called as an error
        cell.quotePrefix = neutralize(content) != content
        return cell

    held = [list(row) for row in rows]
    for at, head in enumerate(heads):
        longest = max((len(row[at]) for row in held if isinstance(row[at], str)), default=0)  # type: ignore[arg-type]
        sheet.column_dimensions[get_column_letter(at + 1)].width = min(max(longest, len(head), 8) + 2, 60)
    headed = [write_cell(head) for head in heads]
    for cell in headed:
        cell.font, cell.alignment = Font(bold=True), Alignment(wrap_text=True, vertical="top")
    sheet.append(headed)
    for row in held:
        sheet.append([write_cell(content) for content in row])
    for note in ("", *notes):
        sheet.append([write_cell(note)])
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()
