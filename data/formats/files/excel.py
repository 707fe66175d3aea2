"""Excel workbooks (.xlsx): the sheet that holds the table, and with it all sheets of the same columns.

Formulas are their last results. What a sheet claims of its size is not believed.
"""

import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path

from analysis.values.estimate import thousands
from data.errors import BadMapping, DataError, UnreadableFile, listed
from data.formats.files.workbook import Cells, Uncomputed, Workbook, damaged
from data.formats.parts.format import Aside, Canonical, Made
from data.formats.parts.writing import write
from data.kinds.kind import LONGEST_NAME
from data.mapping.proposal import NAMED_PARTS
from data.reading.wide_layouts import grids_of, roles_of
from data.settings import from_environment
from data.tables.sniffed import Switch, is_number
from data.tables.sniffing import SAMPLE_CHARACTERS
from data.tables.text import MAX_LINE, Text, check_columns, check_growth

_HEAD = 50
"""Rows in which a table must have begun."""
_SHEET = "@sheet"
_ALL = "all of these columns"
_MOST_WORDS = 20
"""Different words of a scale or labels."""


def reads(head: bytes) -> bool:
    return head.startswith(b"PK\x03\x04")


def as_text(path: Path, folder: Path, mapping: Mapping[str, str | Sequence[str]]) -> Text:
    try:
        with Workbook(path) as workbook:
            return _table(workbook, folder, mapping, path.stat().st_size)
    except (DataError, MemoryError):
        raise
    except zipfile.BadZipFile as error:
        raise UnreadableFile(
            "this Excel file or ZIP archive is damaged or was not copied whole; save or upload it again"
        ) from error
    except Exception as error:  # whatever the parts of a damaged or hostile workbook lead to
        raise damaged() from error


def _table(workbook: Workbook, folder: Path, mapping: Mapping[str, str | Sequence[str]], size: int) -> Text:
    limits = from_environment()
    longest = max(map(len, workbook.sheets), default=0)
    if longest > LONGEST_NAME:
        raise UnreadableFile(
            f"a sheet of this Excel file has a name of {thousands(longest)} characters, where Excel allows 31; give it "
            "a shorter one"
        )
    uncomputed = {title: Uncomputed() for title in workbook.sheets}
    first_rows = {
        title: list(islice(workbook.rows(title, uncomputed[title]), _HEAD)) for title in workbook.sheets
    }
    starts = {title: start for title, head in first_rows.items() if (start := _find_start(head)) is not None}
    if not starts:
        raise UnreadableFile("no sheet of this Excel file holds a table of two columns and two rows or more")
    main = max(
        starts,
        key=lambda title: (title not in workbook.hidden, sum(len(cells) for _, cells in first_rows[title])),
    )
    hidden = [title for title in starts if title in workbook.hidden and title != main]
    headers = {title: first_rows[title][index][1] for title, index in starts.items() if title not in hidden}
    first = dict(headers[main])
    target_columns: dict[str, Mapping[int, int]] = {}
    for title, header in headers.items():
        hold_ratings = all(_holds_ratings(first_rows[sheet], starts[sheet]) for sheet in (main, title))
        column_map = {} if header == headers[main] else _match_columns(header, first, hold_ratings)
        if column_map is not None:
            target_columns[title] = column_map
    read_sheets = list(target_columns)
    width = 1 + max(
        max(first),
        *(
            max(cells)
            for title in read_sheets
            if not target_columns[title]
            for _, cells in first_rows[title][starts[title] :]
        ),
    )
    check_columns(width, limits, "the sheet")
    switches: tuple[Switch, ...] = ()
    chosen = read_sheets
    if len(read_sheets) > 1:
        note = "Which sheets are read; the column `sheet` says which."
        switches = (Switch(_SHEET, "Sheet", (_ALL, *read_sheets), note),)
        setting = str(mapping.get(_SHEET, _ALL))
        if setting not in switches[0].allowed:
            raise BadMapping(f"{_SHEET} must be one of {listed(switches[0].allowed)}; got {setting!r}")
        chosen = read_sheets if setting == _ALL else [setting]
    sheet_columns = _sheet_columns(chosen) if switches else {}
    names = (*map(str, range(width)), *sheet_columns)
    skipped = {title: first_rows[title][starts[title]][0] for title in read_sheets}

    def rows_of(title: str) -> Iterable[tuple[int, Cells]]:
        # a head that is not full holds all rows: empty ones, of which there may be millions, are read once
        if len(first_rows[title]) < _HEAD:
            return first_rows[title]
        uncomputed[title] = Uncomputed()
        return workbook.rows(title, uncomputed[title])

    def rows() -> Iterator[Made]:
        characters_so_far = 0
        yield skipped[chosen[0]], _cells_by_name(first, {column: column for column in sheet_columns})
        for title in chosen:
            for line, cells in rows_of(title):
                if line <= skipped[title]:
                    continue
                # a cell beyond the names of its sheet stays beyond them
                if column_map := target_columns[title]:
                    cells = {column_map.get(index, width + index): cell for index, cell in cells.items()}
                characters = sum(map(len, cells.values()))
                characters_so_far += characters
                check_growth(characters_so_far, size)
                if max(cells) >= width:
                    filled = thousands(1 + max(cells))
                    reason = f"the row has {filled} cells where the first rows have {thousands(width)}"
                    yield Aside(line, "", reason, " ".join(cells.values())[:200])
                elif characters + sum(cell.count('"') for cell in cells.values()) + 4 * width > MAX_LINE:
                    reason = f"the row is longer than {thousands(MAX_LINE)} characters"
                    yield Aside(line, "", reason, next(iter(cells.values()))[:200])
                else:
                    sheet_cells = {column: values[title] for column, values in sheet_columns.items()}
                    yield line, _cells_by_name(cells, sheet_cells)

    def _cells_by_name(cells: Cells, sheet_cells: Mapping[str, str]) -> dict[str, str]:
        return {names[index]: cell for index, cell in cells.items()} | dict(sheet_cells)

    sample_size, no_rows_message = SAMPLE_CHARACTERS // len(chosen), "row of this file can be read"
    canonical = Canonical(names, rows())
    written = write(
        canonical, folder, "utf-8", limits, "sheet", no_rows_message, False, tuple(sheet_columns), sample_size
    )
    notes = []
    formulas = [sheet for title in chosen if (sheet := uncomputed[title]).number]
    if number := sum(sheet.number for sheet in formulas):
        cells = "1 cell is a formula" if number == 1 else f"{thousands(number)} cells are formulas"
        notes.append(
            f"{cells} without a stored result (the first in {formulas[0].first}) and read as empty. Open the file in "
            "Excel or LibreOffice, save it and upload it again."
        )
    if hidden:
        notes.append(f"Hidden sheets are left out: {listed(hidden)}.")
    other_sheets = [title for title in starts if title not in (*read_sheets, *hidden)]
    if other_sheets:
        notes.append(
            f"Of this Excel file, {listed(read_sheets)} is read; sheets of other columns are left out: "
            f"{listed(other_sheets)}."
        )
    sheets_without_table = [title for title in first_rows if title not in starts]
    if sheets_without_table:
        notes.append(
            f"Sheets without a table of two columns and two rows are left out: {listed(sheets_without_table)}."
        )
    if any(first_rows[title][: starts[title]] for title in read_sheets):
        notes.append("The rows above the table, which fill fewer columns, are left out.")
    rows_above = [cells for _, cells in first_rows[chosen[0]][: starts[chosen[0]]]]
    title = next(iter(rows_above[-1].values())) if rows_above and len(rows_above[-1]) == 1 else ""
    return replace(written.text, notes=tuple(notes), switches=switches, title=title)


def _sheet_columns(sheets: Sequence[str]) -> dict[str, dict[str, str]]:
    """Return the columns that name the sheet of a row, or the parts of its name, such as OQ_crowd."""
    grid = next(iter(grids_of(sheets)), None)
    roles = (roles_of(grid, None) if grid else None) or {}
    columns = {
        f"{NAMED_PARTS[role]}sheet": dict(zip(sheets, values, strict=True)) for role, values in roles.items()
    }
    return columns or {"sheet": {title: title for title in sheets}}


def _match_columns(header: Cells, first: dict[int, str], hold_ratings: bool) -> dict[int, int] | None:
    """Return the columns of the first sheet that those of another belong to, after adding those that the first one
    lacks; None for a sheet of other columns.

    Sheets have the same columns where one of them has all names of the other, or where both hold ratings and name their
    items in a column of the same name.
    """
    own_names = _comparable_names(header)
    first_columns = {name: index for index, name in _comparable_names(first).items()}
    names = {*own_names.values()}
    are_named = len(first_columns) == len(first) and not any(map(is_number, names))
    is_part = len(names & first_columns.keys()) > 1 and (
        names <= first_columns.keys() or first_columns.keys() <= names
    )
    name_items_alike = own_names[min(own_names)] == _comparable_names(first)[min(first)]
    if len(names) < len(own_names) or not ((are_named and is_part) or (hold_ratings and name_items_alike)):
        return None
    for index, name in own_names.items():
        if name not in first_columns:
            first_columns[name] = max(first) + 1
            first[first_columns[name]] = header[index]
    return {index: first_columns[name] for index, name in own_names.items()}


def _comparable_names(header: Mapping[int, str]) -> dict[int, str]:
    """Return the names of columns in lower case with single spaces, for comparisons."""
    return {index: " ".join(cell.split()).casefold() for index, cell in header.items()}


def _holds_ratings(head: Sequence[tuple[int, Cells]], begin: int) -> bool:
    """Return True where, beside the first column, a sheet holds nothing but numbers, or a few words."""
    rows = [cells for _, cells in head[begin + 1 :]]
    first = min(head[begin][1], default=0)
    filled = [
        cell.strip() for cells in rows for index, cell in cells.items() if index > first and cell.strip()
    ]
    words = {cell for cell in filled if not is_number(cell)}
    return len(filled) > 1 and len(words) <= min(_MOST_WORDS, len(filled) // 2)


def _find_start(head: Sequence[tuple[int, Cells]]) -> int | None:
    """Return the index of the first row of the table: it fills at least half as many cells as the fullest, or its
    names span those of the row below."""
    fullest = max((len(cells) for _, cells in head), default=0)
    candidates = (
        index for index, (_, cells) in enumerate(head[:-1]) if fullest > 1 and 2 * len(cells) >= fullest
    )
    start = next(candidates, None)
    while start and head[start - 1][0] == head[start][0] - 1 and _spans(head[start - 1][1], head[start][1]):
        start -= 1
    return start


def _spans(upper: Cells, lower: Cells) -> bool:
    """Return True where two names or more span several columns each, and all others stand above empty cells."""
    ends = [*list(upper)[1:], max(lower) + 1]
    span_widths = [end - index for index, end in zip(upper, ends, strict=True) if index in lower]
    return len(span_widths) > 1 and min(span_widths) > 1 and not any(map(is_number, lower.values()))
