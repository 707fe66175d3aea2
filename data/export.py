"""Export tables with full precision and without text that a spreadsheet would run as a formula.

`features.printing` formats them as a page shows them.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import isfinite, isnan
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # reading a file needs no tables, and importing pandas takes longer than everything else
    import pandas as pd

FORMULA_PATTERN = r"[=+\-@\t\r\n＝＋－＠]"
"""Beginning of texts that a spreadsheet runs, with full-width signs, and pattern of numbers, which are exempt; for
Python and SQL."""
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
    uniform = table.copy()
    uniform.columns = [str(name) for name in table.columns]
    for name in uniform:
        if uniform[name].dtype == object and uniform[name].dropna().map(type).nunique() > 1:
            uniform[name] = uniform[name].map(str, na_action="ignore")
    return uniform.to_parquet(index=False)


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
    title: str, headers: Sequence[str], rows: Iterable[Sequence[str | Figure]], notes: Iterable[str] = ()
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

    table = [list(row) for row in rows]
    for index, header in enumerate(headers):
        longest = max((len(row[index]) for row in table if isinstance(row[index], str)), default=0)  # type: ignore[arg-type]
        sheet.column_dimensions[get_column_letter(index + 1)].width = min(
            max(longest, len(header), 8) + 2, 60
        )
    header_cells = [write_cell(header) for header in headers]
    for cell in header_cells:
        cell.font, cell.alignment = Font(bold=True), Alignment(wrap_text=True, vertical="top")
    sheet.append(header_cells)
    for row in table:
        sheet.append([write_cell(content) for content in row])
    for note in ("", *notes):
        sheet.append([write_cell(note)])
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()
