"""Tables as people type them: names only in the first row of a block, headers that return, titles above blocks, and
shares of votes instead of their numbers.

A name is filled down only where that is certain: it stands in the first row of each block, no cell between is filled,
and what follows tells the rows of every block apart by the same names.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise

from data.errors import listed
from data.formats.parts.format import Aside, Canonical, Cells, Chosen, Format, Made, Table
from data.kinds.kind import RATER
from data.kinds.likely_names import ITEM_PARTS, is_about
from data.kinds.names import plain_name
from data.reading.columns import is_missing, to_number
from data.reading.item_means import COUNTS
from data.reading.rankings import words_of
from data.reading.votes import columns_of_grades
from data.tables.rows import Row, rows
from data.tables.sniffed import (
    is_any_number,
    is_comma_number,
    is_grouped,
    is_number,
    thousands_mark,
)

SPREADSHEET = "spreadsheet"
_MOST_FILLED = 4
"""Columns of names before the answers that may be filled down."""
_LABELED = re.compile(r"([^:=]{1,40}?)\s*[:=]\s*(\S.*)")
_BLOCK, _LOOKED_AT = "block", 2000
_NAMES = frozenset((*ITEM_PARTS, *RATER))
_OFF = 0.02
"""Largest difference of sums of shares and numbers of votes from whole numbers."""
_NOTE = "the row holds a note and no rating"


@dataclass(frozen=True)
class _Repairs:
    """Steps that make a table of the rows: the columns to fill down, whether rows of one cell are titles of blocks, the
    name of the column for these, and the title above the first block."""

    filled: tuple[str, ...] = ()
    repeats: bool = False
    block: str = ""
    first: str = ""


def _find_repairs(table: Table) -> _Repairs:
    """Return the repairs that the first rows call for."""
    names = _names(table)
    body = [row for row in table.head if any(row[name] for name in names)]
    has_repeated_headers = any(_is_header(row, names) for row in body)
    if has_repeated_headers:
        titles = _titles(table, names)
        first = titles[0] if titles and titles[0][0] <= table.sniffed.before else (0, table.text.title)
        several_titles = len({*titles, first}) > 1
        nearest_title = next((title for _, title in (first, *titles) if title), "") if several_titles else ""
        labeled = _LABELED.fullmatch(nearest_title)
        block = _BLOCK if nearest_title else ""
        if labeled and labeled[1] not in names:
            block = " ".join(labeled[1].split())
        return _Repairs((), True, block, first[1])
    return _Repairs(_columns_to_fill(body, names))


def _names(table: Table) -> tuple[str, ...]:
    """Return the columns of the table itself."""
    return table.names[: len(table.names) - table.text.parts]


def _titles(table: Table, names: Sequence[str]) -> list[tuple[int, str]]:
    """Return the rows of one cell with their lines: above the table, of which only the last counts, and in it."""
    start = 0 if table.text.aside is None else table.sniffed.before
    titles = []
    for row in islice(rows(table.text.path, start, table.sniffed.delimiter), _LOOKED_AT):
        cells = [cell.strip() for cell in row.cells[: len(names)]] if isinstance(row, Row) else []
        if cells and cells[0] and not any(cells[1:]):
            titles.append((row.line, cells[0]))
    titles_above = [title for title in titles if title[0] <= table.sniffed.before]
    return [*titles_above[-1:], *titles[len(titles_above) :]]


def _is_header(row: Cells, names: Sequence[str]) -> bool:
    """Return True for a row of the names of the columns."""
    return len(names) > 1 and all(row[name].casefold() == name.casefold() for name in names)


def _title_in(row: Cells, names: Sequence[str]) -> str:
    """Return the only filled cell where that is the first; "" for a row of several."""
    return row[names[0]] if row[names[0]] and not any(row[name] for name in names[1:]) else ""


def _columns_to_fill(body: Sequence[Cells], names: Sequence[str]) -> tuple[str, ...]:
    """Return the first columns that name blocks in their first rows only, the innermost last."""
    candidates: list[str] = []
    for name in names[:_MOST_FILLED]:
        cells = [row[name] for row in body]
        filled = [cell for cell in cells if cell]
        other_values = {row[column] for row in body for column in names if column != name}
        counts = filled == [str(number) for number in range(1, len(filled) + 1)]
        names_them = plain_name(name) in _NAMES or not all(map(is_any_number, filled)) or counts
        names_them = names_them and not other_values.issuperset(filled)  # else an answer like others
        if filled and cells[0] and len(filled) < len(cells) and names_them and (counts or not is_about(name)):
            candidates.append(name)
        elif candidates or len(filled) < len(cells):
            break
    columns: list[str] = []
    filled_rows = [dict(row) for row in body]
    for name in reversed(candidates):
        other_columns = [
            column
            for column in names
            if column != name and column not in candidates[: candidates.index(name)]
        ]
        if _is_certain(filled_rows, name, other_columns):
            columns.insert(0, name)
            filled_rows = [*map(_Blocks([name]).fill, filled_rows)]
    # an outer name without its inner ones leaves rows that nothing tells apart
    return tuple(columns) if len(columns) == len(candidates) else ()


def _is_certain(body: Sequence[Cells], name: str, others: Sequence[str]) -> bool:
    """Return True where full columns of names tell the rows of each block apart, and return in most blocks."""
    blocks: list[list[Cells]] = []
    for row in body:
        if row[name]:
            blocks.append([])
        blocks[-1].append(row)
    if len(blocks) < 2 or len(body) < 2 * len(blocks) or any(len(block) < 2 for block in blocks):
        return False
    full = [column for column in others if all(row[column] for row in body)]
    row_names = [
        column for column in full if _names_rows(column, [[row[column] for row in block] for block in blocks])
    ]
    for key in [(column,) for column in row_names] + [tuple(row_names[:2])] * (len(row_names) > 1):
        keys = [[tuple(row[column] for column in key) for row in block] for block in blocks]
        are_distinct = all(len({*keys_of_block}) == len(keys_of_block) for keys_of_block in keys)
        returning = len({*keys[0]} & {*keys[1]}) * 2 >= min(len(keys[0]), len(keys[1]))
        if are_distinct and returning:
            return True
    return False


def _names_rows(name: str, blocks: Sequence[Sequence[str]]) -> bool:
    """Return True for texts, and for numbers that are named as items or raters, or increase in each block."""
    if plain_name(name) in _NAMES or not all(is_any_number(cell) for block in blocks for cell in block):
        return True
    numbers = [[float(cell.replace(",", ".")) for cell in block] for block in blocks]
    return all(earlier < later for block in numbers for earlier, later in pairwise(block))


class _Blocks:
    """The last names of the columns to fill down; a new outer name, or another sheet, begins the inner ones anew."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names = names
        self._last = dict.fromkeys(names, "")

    def fill(self, row: Cells) -> Cells:
        """Return the row with these names in its empty cells."""
        for index, name in enumerate(self._names):
            if row[name]:
                self._last |= {name: row[name]} | dict.fromkeys(self._names[index + 1 :], "")
        return row | {name: row[name] or self._last[name] for name in self._names}


def _canonical(table: Table, chosen: Chosen) -> Canonical:
    repairs, columns = _find_repairs(table), _names(table)
    sheet_columns = table.names[len(columns) :]
    notes = []
    if repairs.filled:
        names = listed(list(repairs.filled))
        notes.append(
            f"{names} stands in the first row of each block only: it is filled down to the rows below."
        )
    if repairs.block:
        notes.append(f'Titles above blocks of rows are read as the column "{repairs.block}".')

    def repaired_rows() -> Iterator[Made]:
        title, blocks = repairs.first, _Blocks((*sheet_columns, *repairs.filled))
        for row in table.all_rows():
            if isinstance(row, Aside):
                single_cell = row.value.strip(f" {table.sniffed.delimiter}")
                if repairs.block and table.sniffed.delimiter not in single_cell:
                    title = single_cell
                else:
                    yield row
                continue
            line, cells = row
            if repairs.repeats and _is_header(cells, columns):
                continue
            if repairs.repeats and (single_cell := _title_in(cells, columns)):
                title = single_cell
                if not repairs.block:
                    yield Aside(line, columns[0], _NOTE, single_cell)
                continue
            if not any(cells[name] for name in columns):
                continue
            cells = blocks.fill(cells)
            if repairs.block:
                labeled_title = _LABELED.fullmatch(title)
                cells[repairs.block] = labeled_title[2] if labeled_title else title
            yield line, cells

    return Canonical(
        (*((repairs.block,) if repairs.block else ()), *table.names), repaired_rows(), None, tuple(notes)
    )


def _knows(table: Table) -> bool:
    repairs = _find_repairs(table) if table.sniffed.header_rows else _Repairs()
    return bool(repairs.filled or repairs.repeats)


def _shares_of_votes(table: Table) -> tuple[tuple[str, ...], str] | None:
    """Return the columns of shares that add up to 1 in each row, and the one with the number of votes by which all of
    them become whole numbers; None where there are none."""
    totals = [name for name in table.names if COUNTS & {*words_of(name)}]
    share_columns = [
        name
        for name in table.names
        if all(is_missing(row[name]) or 0 <= _share(row[name]) <= 1 for row in table.head)
    ]
    for of_grade in columns_of_grades(share_columns) if table.head and totals else ():
        shares = tuple(of_grade[grade] for grade in sorted(of_grade))
        shares_of_rows = [[_share(row[name]) for name in shares] for row in table.head]
        if all(share in (0, 1) for row in shares_of_rows for share in row):
            continue
        if any(abs(sum(row) - 1) > _OFF for row in shares_of_rows):
            continue
        for total in totals:
            votes = [float(row[total]) if is_number(row[total]) else 0 for row in table.head]
            numbers = [
                share * count for row, count in zip(shares_of_rows, votes, strict=True) for share in row
            ]
            if min(votes) > 0 and all(abs(number - round(number)) <= _OFF for number in numbers):
                return shares, total
    return None


def _share(cell: str) -> float:
    """Return the share of votes in a cell: none where it is empty, and -1 for anything else."""
    return to_number(cell) if is_any_number(cell) else 0.0 if is_missing(cell) else -1.0


def _votes(table: Table, chosen: Chosen) -> Canonical:
    shares_and_total = _shares_of_votes(table)
    assert shares_and_total is not None
    shares, total = shares_and_total
    vote_columns = {name: f"{name} votes" if any(map(str.isdigit, name)) else name for name in shares}

    def of_row(line: int, row: Cells) -> Iterator[Made]:
        row_shares = [_share(row[name]) for name in shares]
        if is_number(row[total]) and min(row_shares) >= 0 and abs(sum(row_shares) - 1) <= _OFF:
            votes = [str(round(share * float(row[total]))) for share in row_shares]
            yield line, {**row, **dict(zip(vote_columns.values(), votes, strict=True))}
        else:
            yield Aside(line, total, "a share of votes, or their number, is missing", row[total])

    note = f"Shares of votes ({listed(shares)}) became numbers of votes, of {total} in each row."
    names = tuple(vote_columns.get(name, name) for name in table.names)
    return Canonical(names, table.convert(of_row), None, (note,))


def _thousands(table: Table) -> dict[str, str]:
    """Return the columns of numbers with a mark between thousands, and that mark, where the cells determine it."""
    cells = {name: [row[name] for row in table.head] for name in table.names}
    marks = {name: guess for name in table.names if (guess := thousands_mark(cells[name]))[0]}
    certain_marks = {mark for mark, is_told in marks.values() if is_told}
    other_cells = [cell for name in table.names if name not in marks for cell in cells[name]]
    certain_marks |= (
        {"."} if marks and table.sniffed.decimal == "," and any(map(is_comma_number, other_cells)) else set()
    )
    certain_marks |= {","} if any("." in cell and is_number(cell) for cell in other_cells) else set()
    return {name: mark for name, (mark, _) in marks.items() if mark in certain_marks and not table.text.parts}


def _without_marks(table: Table, chosen: Chosen) -> Canonical:
    marks = _thousands(table)
    decimal = "." if "," in marks.values() else table.sniffed.decimal

    def of_row(line: int, row: Cells) -> Iterator[Made]:
        numbers = {name: row[name].replace(mark, "").replace(",", decimal) for name, mark in marks.items()}
        yield line, row | {name: numbers[name] for name in marks if is_grouped(row[name], marks[name])}

    note = f"Marks between thousands are left out in {listed(list(marks))}."
    return Canonical(table.names, table.convert(of_row), None, (note,))


FORMATS = (
    Format(SPREADSHEET, _knows, _canonical),
    Format("shares of votes", lambda table: _shares_of_votes(table) is not None, _votes),
    Format("marks between thousands", lambda table: bool(_thousands(table)), _without_marks),
)
