"""Excel workbooks (.xlsx): the sheet that holds the table, and with it all sheets of the same columns.

Formulas are their last results. A workbook is a ZIP archive of XML: parts are counted before they are unpacked,
entities are refused by `defusedxml`, and what a sheet claims of its size is not believed.
"""

import warnings
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import date, datetime, time
from itertools import islice
from pathlib import Path
from typing import Any

from analysis.values.counts import thousands
from data.errors import BadMapping, DataError, OverLimit, UnreadableFile, listed
from data.formats.files.formulas import uncomputed
from data.formats.parts.format import Aside, Canonical, Made
from data.formats.parts.writing import write
from data.kinds.kind import LONGEST_NAME
from data.settings import from_environment, shown
from data.tables.sniffed import Switch
from data.tables.sniffing import SAMPLE_CHARACTERS
from data.tables.text import MAX_LINE, Text

_HEAD = 50
"""Rows in which a table must have begun."""
_SHEET = "@sheet"
_ALL = "all of these columns"
_MOST_ROWS = 1_048_576
"""Of a sheet, as Excel itself has it."""
_MOST_EMPTY = 5_000_000
"""Rows without a cell, of all sheets, which take no room in a file; a stray cell at the end of a sheet makes a million,
which are passed twice."""
_CELLS_OF_A_ROW = 8
"""Cells far beside the table that take as long as an empty row."""
_MOST_SHARED = 200 * 10**6
"""Bytes of what all sheets share, which has to fit into memory."""

Cells = tuple[str, ...]


@dataclass
class _Patience:
    """How many more rows of a workbook without a cell of its table are passed over."""

    left: int

    def lose(self, rows: int) -> None:
        self.left -= rows
        if self.left < 0:
            raise OverLimit(
                "the sheets of this Excel file have millions of empty rows or columns between their cells; delete the "
                "cells far below and beside the tables, or save the table as CSV"
            )


def called(head: bytes) -> str:
    return "Excel"


def reads(head: bytes) -> bool:
    return head.startswith(b"PK\x03\x04")


@contextmanager
def as_text(path: Path, folder: Path, mapping: Mapping[str, str | Sequence[str]]) -> Iterator[Text]:
    from openpyxl import load_workbook

    _check(path)
    try:
        with path.open("rb") as file, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            workbook = load_workbook(file, read_only=True, data_only=True, keep_links=False)
            text = _table(workbook.worksheets, folder, mapping, _about_formulas(path))
    except (DataError, MemoryError):
        raise
    except Exception as error:  # whatever the parts of a damaged or hostile workbook lead to
        raise _damaged() from error
    yield text


def _damaged() -> UnreadableFile:
    return UnreadableFile(
        "this Excel file is damaged or holds what no Excel file holds; open it in Excel or LibreOffice and save it "
        "again, or save the table as CSV (UTF-8)"
    )


def _check(path: Path) -> None:
    """Refuses what is no workbook, and one whose parts unpack to more than there is room for."""
    limits = from_environment()
    try:
        with zipfile.ZipFile(path) as archive:
            sizes = {part.filename: part.file_size for part in archive.infolist()}
    except (zipfile.BadZipFile, ValueError, NotImplementedError, OSError) as error:
        raise UnreadableFile(
            "this Excel file or ZIP archive is damaged or was not copied whole; save or upload it again"
        ) from error
    if "xl/workbook.xml" not in sizes:
        if "xl/workbook.bin" in sizes:
            raise UnreadableFile(
                "this is a binary Excel file (.xlsb); save it as .xlsx or CSV and upload that"
            )
        if "content.xml" in sizes:
            raise UnreadableFile(
                "this is an OpenDocument file; save the table as .xlsx or CSV and upload that"
            )
        raise UnreadableFile("this is a ZIP archive in another; unpack it and upload the table in it")
    shared = sum(size for name, size in sizes.items() if not name.startswith("xl/worksheets/"))
    if sum(sizes.values()) > limits.unpacked_size or shared > _MOST_SHARED:
        raise OverLimit(
            f"this Excel file unpacks to more than the {shown('unpacked_size', limits.unpacked_size)} that "
            "a file may unpack to, or than the 200 MB of texts that fit into memory; save the table "
            "as CSV and upload that"
        )


def _about_formulas(path: Path) -> list[str]:
    number, first = uncomputed(path)
    if not number:
        return []
    cells = "1 cell is a formula" if number == 1 else f"{thousands(number)} cells are formulas"
    return [
        f"{cells} without a stored result (the first in {first}) and read as empty. Open the file in Excel or "
        "LibreOffice, save it and upload it again."
    ]


def _table(
    sheets: Sequence[Any], folder: Path, mapping: Mapping[str, str | Sequence[str]], notes: list[str]
) -> Text:
    limits, patience = from_environment(), _Patience(_MOST_EMPTY)
    longest = max((len(sheet.title) for sheet in sheets), default=0)
    if longest > LONGEST_NAME:
        raise UnreadableFile(
            f"a sheet of this Excel file has a name of {thousands(longest)} characters, where Excel allows 31; give it "
            "a shorter one"
        )
    heads = {sheet.title: list(islice(_rows(sheet, limits.columns, patience), _HEAD)) for sheet in sheets}
    begin = {title: start for title, head in heads.items() if (start := _start(head)) is not None}
    if not begin:
        raise UnreadableFile("no sheet of this Excel file holds a table of two columns and two rows or more")
    main = max(begin, key=lambda title: sum(len([c for c in cells if c]) for _, cells in heads[title]))
    first = heads[main][begin[main]][1]
    alike = [title for title in begin if title == main or heads[title][begin[title]][1] == first]
    width = max(len(cells) for title in alike for _, cells in heads[title][begin[title] :])
    if width > limits.columns:
        raise OverLimit(
            f"the sheet has {thousands(width)} columns; at most {shown('columns', limits.columns)} can be read. "
            "Upload the ratings in long form, one row per rating"
        )
    switches: tuple[Switch, ...] = ()
    chosen = alike
    if len(alike) > 1:
        switches = (
            Switch(
                _SHEET,
                "Sheet",
                (_ALL, *alike),
                "Which sheets are read; the column `sheet` says which.",
            ),
        )
        wanted = str(mapping.get(_SHEET, _ALL))
        if wanted not in switches[0].allowed:
            raise BadMapping(f"{_SHEET} must be one of {listed(switches[0].allowed)}; got {wanted!r}")
        chosen = alike if wanted == _ALL else [wanted]
    names = tuple(map(str, range(width))) + (("sheet",) if switches else ())
    by_title = {sheet.title: sheet for sheet in sheets}
    skipped = {title: heads[title][begin[title]][0] for title in alike}

    def rows() -> Iterator[Made]:
        yield skipped[chosen[0]], dict(zip(names, (*_padded(first, width), "sheet"), strict=False))
        for title in chosen:
            for line, cells in _rows(by_title[title], width, patience):
                if line <= skipped[title] or not cells:
                    continue
                if len(cells) > width:
                    told = f"the row has {thousands(len(cells))} cells where the first rows have {thousands(width)}"
                    yield Aside(line, "", told, " ".join(cells)[:200])
                elif sum(map(len, cells)) + sum(cell.count('"') for cell in cells) + 4 * width > MAX_LINE:
                    yield Aside(
                        line, "", f"the row is longer than {thousands(MAX_LINE)} characters", cells[0][:200]
                    )
                else:
                    yield line, dict(zip(names, (*_padded(cells, width), title), strict=False))

    left = [title for title in heads if heads[title] and title not in alike]
    if left:
        notes.append(
            f"Of this Excel file, {listed(alike)} is read; sheets of other columns are left out: {listed(left)}."
        )
    if any(cells for title in alike for _, cells in heads[title][: begin[title]]):
        notes.append("The rows above the table, which fill fewer columns, are left out.")
    canonical = Canonical(names, rows(), notes=tuple(notes))
    told = ("sheet",) if switches else ()
    of_each = SAMPLE_CHARACTERS // len(chosen)
    written = write(
        canonical, folder, "utf-8", limits, "sheet", "row of this file can be read", False, told, of_each
    )
    return replace(written.text, notes=tuple(notes), switches=switches)


def _rows(sheet: Any, width: int, patience: _Patience) -> Iterator[tuple[int, Cells]]:
    """The rows of a sheet that hold anything, with their numbers, without what is empty at their ends; those that are
    empty, or go beyond the `width`, cost patience."""
    sheet.reset_dimensions()
    for number, row in enumerate(sheet.iter_rows(values_only=True), start=1):
        if number > _MOST_ROWS:
            raise UnreadableFile(
                f"a sheet of this file has more rows than the {thousands(_MOST_ROWS)} that Excel allows"
            )
        cells = [_cell(value) for value in row]
        while cells and not cells[-1]:
            cells.pop()
        if not cells or len(cells) > width:
            patience.lose(1 + len(row) // _CELLS_OF_A_ROW)
        if cells:
            yield number, tuple(cells)


def _start(head: Sequence[tuple[int, Cells]]) -> int | None:
    """Which of the rows is the first of the table: it fills at least half as many cells as the fullest."""
    fullest = max((sum(map(bool, cells)) for _, cells in head), default=0)
    for at, (_, cells) in enumerate(head):
        if fullest > 1 and 2 * sum(map(bool, cells)) >= fullest and at + 1 < len(head):
            return at
    return None


def _padded(cells: Cells, width: int) -> Cells:
    return cells + ("",) * (width - len(cells))


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime):
        return value.isoformat(" ")
    if isinstance(value, date | time):
        return value.isoformat()
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return str(int(value))
    return str(value).replace("\0", "\ufffd")
