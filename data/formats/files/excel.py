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
    heads = {title: list(islice(workbook.rows(title, uncomputed[title]), _HEAD)) for title in workbook.sheets}
    begin = {title: start for title, head in heads.items() if (start := _start(head)) is not None}
    if not begin:
        raise UnreadableFile("no sheet of this Excel file holds a table of two columns and two rows or more")
    main = max(
        begin,
        key=lambda title: (title not in workbook.hidden, sum(len(cells) for _, cells in heads[title])),
    )
    hidden = [title for title in begin if title in workbook.hidden and title != main]
    headers = {title: heads[title][at][1] for title, at in begin.items() if title not in hidden}
    first = dict(headers[main])
    places: dict[str, Mapping[int, int]] = {}
    for title, header in headers.items():
        hold_ratings = all(_holds_ratings(heads[each], begin[each]) for each in (main, title))
        found = {} if header == headers[main] else _places(header, first, hold_ratings)
        if found is not None:
            places[title] = found
    alike = list(places)
    width = 1 + max(
        max(first),
        *(max(cells) for title in alike if not places[title] for _, cells in heads[title][begin[title] :]),
    )
    check_columns(width, limits, "the sheet")
    switches: tuple[Switch, ...] = ()
    chosen = alike
    if len(alike) > 1:
        note = "Which sheets are read; the column `sheet` says which."
        switches = (Switch(_SHEET, "Sheet", (_ALL, *alike), note),)
        wanted = str(mapping.get(_SHEET, _ALL))
        if wanted not in switches[0].allowed:
            raise BadMapping(f"{_SHEET} must be one of {listed(switches[0].allowed)}; got {wanted!r}")
        chosen = alike if wanted == _ALL else [wanted]
    parts = _parts(chosen) if switches else {}
    names = (*map(str, range(width)), *parts)
    skipped = {title: heads[title][begin[title]][0] for title in alike}

    def rows_of(title: str) -> Iterable[tuple[int, Cells]]:
        # a head that is not full holds all rows: empty ones, of which there may be millions, are read once
        if len(heads[title]) < _HEAD:
            return heads[title]
        uncomputed[title] = Uncomputed()
        return workbook.rows(title, uncomputed[title])

    def rows() -> Iterator[Made]:
        written = 0
        yield skipped[chosen[0]], _named(first, {part: part for part in parts})
        for title in chosen:
            for line, cells in rows_of(title):
                if line <= skipped[title]:
                    continue
                if place := places[title]:  # a cell beyond the names of its sheet stays beyond them
                    cells = {place.get(at, width + at): cell for at, cell in cells.items()}
                characters = sum(map(len, cells.values()))
                written += characters
                check_growth(written, size)
                if max(cells) >= width:
                    why = f"the row has {thousands(1 + max(cells))} cells where the first rows have {thousands(width)}"
                    yield Aside(line, "", why, " ".join(cells.values())[:200])
                elif characters + sum(cell.count('"') for cell in cells.values()) + 4 * width > MAX_LINE:
                    why = f"the row is longer than {thousands(MAX_LINE)} characters"
                    yield Aside(line, "", why, next(iter(cells.values()))[:200])
                else:
                    yield line, _named(cells, {part: of[title] for part, of in parts.items()})

    def _named(cells: Cells, named: Mapping[str, str]) -> dict[str, str]:
        return {names[at]: cell for at, cell in cells.items()} | dict(named)

    of_each, nothing = SAMPLE_CHARACTERS // len(chosen), "row of this file can be read"
    canonical = Canonical(names, rows())
    written = write(canonical, folder, "utf-8", limits, "sheet", nothing, False, tuple(parts), of_each)
    notes = []
    formulas = [each for title in chosen if (each := uncomputed[title]).number]
    if number := sum(each.number for each in formulas):
        cells = "1 cell is a formula" if number == 1 else f"{thousands(number)} cells are formulas"
        notes.append(
            f"{cells} without a stored result (the first in {formulas[0].first}) and read as empty. Open the file in "
            "Excel or LibreOffice, save it and upload it again."
        )
    if hidden:
        notes.append(f"Hidden sheets are left out: {listed(hidden)}.")
    left = [title for title in begin if title not in (*alike, *hidden)]
    if left:
        notes.append(
            f"Of this Excel file, {listed(alike)} is read; sheets of other columns are left out: {listed(left)}."
        )
    bare = [title for title in heads if title not in begin]
    if bare:
        notes.append(f"Sheets without a table of two columns and two rows are left out: {listed(bare)}.")
    if any(heads[title][: begin[title]] for title in alike):
        notes.append("The rows above the table, which fill fewer columns, are left out.")
    above = [cells for _, cells in heads[chosen[0]][: begin[chosen[0]]]]
    title = next(iter(above[-1].values())) if above and len(above[-1]) == 1 else ""
    return replace(written.text, notes=tuple(notes), switches=switches, title=title)


def _parts(sheets: Sequence[str]) -> dict[str, dict[str, str]]:
    """Return the columns that say from which sheet a row comes, by the sheets' names, such as OQ_crowd."""
    grid = next(iter(grids_of(sheets)), None)
    roles = (roles_of(grid, None) if grid else None) or {}
    parts = {
        f"{NAMED_PARTS[role]}sheet": dict(zip(sheets, each, strict=True)) for role, each in roles.items()
    }
    return parts or {"sheet": {title: title for title in sheets}}


def _places(header: Cells, first: dict[int, str], hold_ratings: bool) -> dict[int, int] | None:
    """Return where the columns of a sheet stand in the first one's, to which those that it lacks are added; None for a
    sheet of other columns.

    Sheets are alike where one of them has all names of the other, or where both hold ratings and name their items in a
    column called alike.
    """
    own, firsts = _plain(header), {name: at for at, name in _plain(first).items()}
    names = {*own.values()}
    are_named = len(firsts) == len(first) and not any(map(is_number, names))
    is_part = len(names & firsts.keys()) > 1 and (names <= firsts.keys() or firsts.keys() <= names)
    name_items_alike = own[min(own)] == _plain(first)[min(first)]
    if len(names) < len(own) or not ((are_named and is_part) or (hold_ratings and name_items_alike)):
        return None
    for at, name in own.items():
        if name not in firsts:
            firsts[name] = max(first) + 1
            first[firsts[name]] = header[at]
    return {at: firsts[name] for at, name in own.items()}


def _plain(header: Mapping[int, str]) -> dict[int, str]:
    """Return the names of columns as they are compared."""
    return {at: " ".join(cell.split()).casefold() for at, cell in header.items()}


def _holds_ratings(head: Sequence[tuple[int, Cells]], begin: int) -> bool:
    """Return True where, beside the first column, a sheet holds nothing but numbers, or a few words."""
    rows = [cells for _, cells in head[begin + 1 :]]
    first = min(head[begin][1], default=0)
    filled = [cell.strip() for cells in rows for at, cell in cells.items() if at > first and cell.strip()]
    words = {cell for cell in filled if not is_number(cell)}
    return len(filled) > 1 and len(words) <= min(_MOST_WORDS, len(filled) // 2)


def _start(head: Sequence[tuple[int, Cells]]) -> int | None:
    """Return which of the rows is the first of the table: it fills at least half as many cells as the fullest, or its
    names span those of the row below."""
    fullest = max((len(cells) for _, cells in head), default=0)
    able = (at for at, (_, cells) in enumerate(head[:-1]) if fullest > 1 and 2 * len(cells) >= fullest)
    found = next(able, None)
    while found and head[found - 1][0] == head[found][0] - 1 and _spans(head[found - 1][1], head[found][1]):
        found -= 1
    return found


def _spans(upper: Cells, lower: Cells) -> bool:
    """Return True where two names or more span several columns each, and all others stand above empty cells."""
    ends = [*list(upper)[1:], max(lower) + 1]
    above = [end - at for at, end in zip(upper, ends, strict=True) if at in lower]
    return len(above) > 1 and min(above) > 1 and not any(map(is_number, lower.values()))
