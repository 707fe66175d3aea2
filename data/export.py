"""Tables on their way out with all their digits: nothing that a spreadsheet would run, whatever a name holds.

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

FORMULA = r"[=+\-@\t\r\n＝＋－＠]"
"""What a text that a spreadsheet runs begins with, full-width signs included, and the numbers that do so too: for
Python and for SQL."""
PLAIN_NUMBER = r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?"
_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def neutral(cell: object) -> object:
    """Text that a spreadsheet would run as a formula, with an apostrophe before it; all else as it is.

    >>> neutral("=cmd|' /C calc'!A0"), neutral("＝1+1"), neutral("-1.5"), neutral("speech"), neutral(-2)
    ("'=cmd|' /C calc'!A0", "'＝1+1", '-1.5', 'speech', -2)
    """
    if isinstance(cell, str) and re.match(FORMULA, cell) and not re.fullmatch(PLAIN_NUMBER, cell):
        return "'" + cell
    return cell


def csv_bytes(table: pd.DataFrame) -> bytes:
    """A table as CSV in UTF-8, full precision, formulas neutralised in cells and headers."""
    text: str = _neutralised(table).to_csv(index=False, lineterminator="\r\n")
    return text.encode("utf-8")


def _neutralised(table: pd.DataFrame) -> pd.DataFrame:
    safe = table.map(neutral)
    safe.columns = [neutral(str(name)) for name in table.columns]
    return safe


def parquet_bytes(table: pd.DataFrame) -> bytes:
    """A table as Parquet, full precision; a column of numbers and texts becomes one of texts."""
    one_kind = table.copy()
    one_kind.columns = [str(name) for name in table.columns]
    for name in one_kind:
        if one_kind[name].dtype == object and one_kind[name].dropna().map(type).nunique() > 1:
            one_kind[name] = one_kind[name].map(str, na_action="ignore")
    return one_kind.to_parquet(index=False)


def json_bytes(table: pd.DataFrame) -> bytes:
    """A table as a JSON list of its rows, full precision; what is undefined is null, what has no end a text."""
    rows = [
        {str(name): _in_json(value) for name, value in zip(table.columns, row, strict=True)}
        for row in table.itertuples(index=False, name=None)
    ]
    return json.dumps(rows, ensure_ascii=False, allow_nan=False, indent=1).encode("utf-8")


def _in_json(value: Any) -> object:
    value = value.item() if hasattr(value, "item") else value
    if isinstance(value, float) and not isfinite(value):
        return None if isnan(value) else str(value)
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    return None if repr(value) in ("<NA>", "NaT") else str(value)


@dataclass(frozen=True)
class Figure:
    """A number of a workbook and the format in which it shows."""

    value: float
    format: str


def workbook(
    title: str, heads: Sequence[str], rows: Iterable[Sequence[str | Figure]], notes: Iterable[str] = ()
) -> bytes:
    """An Excel workbook of one sheet: numbers are numbers, no text is a formula, notes stand below the table."""
    from openpyxl import Workbook
    from openpyxl.cell import WriteOnlyCell
    from openpyxl.styles import Alignment, Font
    from openpyxl.utils import get_column_letter

    book = Workbook(write_only=True)
    book.properties.title = title
    sheet = book.create_sheet("Table")
    sheet.freeze_panes = "A2"

    def made(content: str | Figure) -> Any:
        if isinstance(content, Figure):
            cell = WriteOnlyCell(sheet, content.value)
            cell.number_format = content.format
            return cell
        cell = WriteOnlyCell(sheet, _NOT_IN_XML.sub(" ", content))
        cell.data_type = "s"  # also where it begins as a formula does, or is called as an error
        cell.quotePrefix = neutral(content) != content
        return cell

    held = [list(row) for row in rows]
    for at, head in enumerate(heads):
        longest = max((len(row[at]) for row in held if isinstance(row[at], str)), default=0)  # type: ignore[arg-type]
        sheet.column_dimensions[get_column_letter(at + 1)].width = min(max(longest, len(head), 8) + 2, 60)
    headed = [made(head) for head in heads]
    for cell in headed:
        cell.font, cell.alignment = Font(bold=True), Alignment(wrap_text=True, vertical="top")
    sheet.append(headed)
    for row in held:
        sheet.append([made(content) for content in row])
    for note in ("", *notes):
        sheet.append([made(note)])
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()
