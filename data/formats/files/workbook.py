"""The parts of an Excel workbook, read in pieces and held to Excel's own limits.

Only what a table needs is read: names of the sheets, shared texts, which cell formats show dates, and the cells.
Styles, drawings, links, comments and pivot tables are not. A part may declare no document type, so that it has neither
entities nor attributes by default, which multiply.
"""

import posixpath
import zipfile
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime, time
from functools import cache
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

from analysis.values.estimate import thousands
from data.errors import OverLimit, UnreadableFile
from data.settings import from_environment, shown

MOST_CHARACTERS = 32_767
"""Characters of a cell."""
MOST_ROWS = 1_048_576
MOST_COLUMNS = 16_384
MOST_FORMATS = 65_490
"""Formats of cells, and as many formats of numbers."""
MOST_STRINGS = 1_048_576
"""Texts that the sheets share; Excel has no limit but the number of cells."""
MOST_SHEETS = 1000
MOST_ELEMENTS = 2_500_000
"""Elements of the part of shared texts, which has two for each text at least."""
MOST_OTHER_ELEMENTS = 1_500_000
"""Elements of any other part that is no sheet: three million number formats take 6 s to go through."""
MOST_OF_A_ROW = 4 * MOST_COLUMNS
"""Elements of a row, and between two rows."""
_MOST_SHARED = 200 * 10**6
"""Bytes of a part that is no sheet, which has to fit into memory."""
_MOST_PACKED, _UNPACKED_FROM = 100, 1 << 20
"""Largest ratio of the parts to the file, where they are larger than a megabyte: spreadsheet programs come to 15, and
Apache POI has the same limit."""
_LONGEST_TAG, _LONGEST_ROW = 1 << 20, 1 << 24
"""Bytes of a tag, and characters of a row or a shared text."""
_LONGEST_FORMAT = 1024
_PIECE = 1 << 16

_BOOK, _RELATIONS, _TYPES = "xl/workbook.xml", "xl/_rels/workbook.xml.rels", "[Content_Types].xml"

Cells = Mapping[int, str]
"""The filled cells of a row by the number of their column, from 0."""


def damaged() -> UnreadableFile:
    return UnreadableFile(
        "this Excel file is damaged or holds what no Excel file holds; open it in Excel or LibreOffice and save it "
        "again, or save the table as CSV (UTF-8)"
    )


def _limit_error(problem: str) -> OverLimit:
    return OverLimit(
        f"{problem}; open this file in Excel or LibreOffice and correct that, or save the table as CSV (UTF-8)"
    )


@dataclass
class Uncomputed:
    """Number of cells that hold a formula without a stored result, and the first of them."""

    number: int = 0
    first: str = ""


class Workbook:
    """An open workbook: its sheets, and their rows as text."""

    def __init__(self, path: Path) -> None:
        self._archive = zipfile.ZipFile(path)
        self._size = path.stat().st_size

    def __enter__(self) -> "Workbook":
        try:
            self._check_sizes()
            self._read_book()
        except BaseException:
            self._archive.close()
            raise
        return self

    def __exit__(self, *error: object) -> None:
        self._archive.close()

    @property
    def sheets(self) -> tuple[str, ...]:
        return tuple(self._parts)

    @property
    def hidden(self) -> tuple[str, ...]:
        """Sheets that no program shows."""
        return tuple(name for name in self._parts if name in self._hidden)

    def rows(self, sheet: str, uncomputed: Uncomputed | None = None) -> Iterator[tuple[int, Cells]]:
        """Yield the filled rows of a sheet with their numbers; `uncomputed` counts formulas without a result."""
        number = 0
        for row in self._elements(self._parts[sheet], {"row"}, sheet):
            number = int(float(row.get("r", number + 1)))
            if not 0 < number <= MOST_ROWS:
                raise UnreadableFile(
                    f"a sheet of this Excel file has more rows than the {thousands(MOST_ROWS)} that Excel allows"
                )
            column, cells = -1, {}
            for cell in row.iterfind("c"):
                reference = cell.get("r")
                column = _column(reference.rstrip("0123456789")) if reference else column + 1
                if column >= MOST_COLUMNS:
                    raise damaged()
                address = f"{_letters(column)}{number}"
                stored = _text_of(cell, f"cell {address} of the sheet {sheet[:60]!r}")
                if stored:
                    cells[column] = as_text(self._value(cell, stored))
                elif uncomputed and cell.find("f") is not None and cell.get("t") != "str":
                    uncomputed.number += 1
                    uncomputed.first = uncomputed.first or address
            filled = {index: text for index, text in cells.items() if text}
            if filled:
                yield number, filled

    def _check_sizes(self) -> None:
        """Refuse a workbook whose parts are too large, before any of them is unpacked."""
        limits = from_environment()
        sizes = {part.filename: part.file_size for part in self._archive.infolist()}
        if _BOOK not in sizes:
            problem = "this is a ZIP archive in another; unpack it and upload the table in it"
            if "xl/workbook.bin" in sizes:
                problem = "this is a binary Excel file (.xlsb); save it as .xlsx or CSV and upload that"
            elif "content.xml" in sizes:
                problem = "this is an OpenDocument file; save the table as .xlsx or CSV and upload that"
            raise UnreadableFile(problem)
        unpacked = sum(sizes.values())
        shared = max(0, *(size for name, size in sizes.items() if not name.startswith("xl/worksheets/")))
        if unpacked > limits.unpacked_size or shared > _MOST_SHARED:
            raise OverLimit(
                f"this Excel file unpacks to more than the {shown('unpacked_size', limits.unpacked_size)} that "
                "a file may unpack to, or than the 200 MB of texts that fit into memory; save the table as CSV and "
                "upload that"
            )
        if unpacked > max(_MOST_PACKED * self._size, _UNPACKED_FROM):
            raise _limit_error(
                f"this Excel file unpacks to more than {_MOST_PACKED} times its size, which no spreadsheet program does"
            )

    def _read_book(self) -> None:
        part_names = set(self._archive.namelist())
        for _ in self._elements(_TYPES, ()):
            pass
        related: dict[str, tuple[str, str]] = {}
        by_type: dict[str, str] = {}
        for relation in self._elements(_RELATIONS, {"Relationship"}):
            target, type = relation.get("Target", ""), relation.get("Type", "").rpartition("/")[2]
            part = target[1:] if target.startswith("/") else posixpath.normpath(posixpath.join("xl", target))
            related[relation.get("Id", "")] = type, part
            if part in part_names:
                by_type.setdefault(type, part)
        self._strings = self._read_strings(by_type["sharedStrings"]) if "sharedStrings" in by_type else []
        self._shown = self._read_styles(by_type["styles"]) if "styles" in by_type else {}
        self._in_1904 = False
        sheets: list[tuple[str, str]] = []
        self._hidden: set[str] = set()
        for element in self._elements(_BOOK, {"sheet", "workbookPr"}):
            id = next((value for name, value in element.items() if name.endswith(":id")), "")
            if element.tag == "workbookPr":
                self._in_1904 = element.get("date1904") in ("1", "true")
            elif id:
                sheets.append((element.attrib["name"], id))
                if element.get("state", "visible") != "visible":
                    self._hidden.add(element.attrib["name"])
            if len(sheets) > MOST_SHEETS:
                raise _limit_error(f"this Excel file has more than {thousands(MOST_SHEETS)} sheets")
        self._parts: dict[str, str] = {}
        for name, id in sheets:
            type, part = related[id]
            if part in part_names and type != "chartsheet":
                if part in self._parts.values() or name in self._parts:
                    raise damaged()
                self._parts[name] = part

    def _read_strings(self, part: str) -> list[str]:
        """Return the texts that the sheets share."""
        texts: list[str] = []
        for text in self._elements(part, {"si"}):
            if len(texts) == MOST_STRINGS:
                raise _limit_error(
                    f"the sheets of this Excel file share more than {thousands(MOST_STRINGS)} texts"
                )
            description = f"shared text {thousands(len(texts) + 1)} of this Excel file"
            texts.append(_text_of(text, description).replace("x005F_", ""))
        return texts

    def _read_styles(self, part: str) -> dict[str, str]:
        """Return the numbers of the cell formats that show numbers as dates or durations: "date" or "duration"."""
        from openpyxl.styles.numbers import builtin_format_code, is_date_format, is_timedelta_format

        codes: dict[int, str] = {}
        format_numbers: list[int] = []
        for element in self._elements(part, {"numFmt", "cellStyleXfs", "xf"}):
            if element.tag == "numFmt":
                codes[int(element.attrib["numFmtId"])] = element.attrib["formatCode"][:_LONGEST_FORMAT]
            elif element.tag == "xf":
                format_numbers.append(int(element.get("numFmtId", 0)))
            if len(format_numbers) > MOST_FORMATS or len(codes) > MOST_FORMATS:
                raise _limit_error(
                    f"this Excel file has more than the {thousands(MOST_FORMATS)} cell formats that Excel allows"
                )

        def shows(number: int) -> str:
            code = codes.get(number, builtin_format_code(number))
            if not is_date_format(code):
                return ""
            return "duration" if is_timedelta_format(code) else "date"

        kinds = {number: shows(number) for number in set(format_numbers)}
        return {str(index): kinds[number] for index, number in enumerate(format_numbers) if kinds[number]}

    def _elements(self, part: str, tags: Collection[str], sheet: str = "") -> Iterator[Element]:
        """Yield the wanted elements of a part by their names without a prefix, each once it ends, and keep no other; of
        a `sheet`, up to the end of its data."""
        builder = _Builder(frozenset(tags), f"a row of the sheet {sheet[:60]!r}" if sheet else "", part)
        parser = expat.ParserCreate()
        parser.buffer_text = True
        parser.StartElementHandler = builder.start
        parser.EndElementHandler = builder.end
        parser.CharacterDataHandler = builder.text
        parser.StartDoctypeDeclHandler = _refuse
        fed = 0
        with self._archive.open(part) as file:
            while piece := file.read(_PIECE):
                parser.Parse(piece)
                fed += len(piece)
                if fed - parser.CurrentByteIndex > _LONGEST_TAG:
                    raise _limit_error(
                        f"an element of {part[-60:]} is longer than {thousands(_LONGEST_TAG)} bytes"
                    )
                yield from builder.take()
                if sheet and builder.ended:
                    return
        parser.Parse(b"", True)
        yield from builder.take()

    def _value(self, cell: Element, stored: str) -> Any:
        """Return the value of a cell, by its type and its format."""
        match cell.get("t", "n"):
            case "n":
                number = float(stored) if "." in stored or "e" in stored.lower() else int(stored)
                shows = self._shown.get(cell.get("s", "0"), "")
                return _moment(number, shows, self._in_1904) if shows else number
            case "s":
                return self._strings[int(stored)]
            case "b":
                return bool(int(stored))
            case "d":
                from openpyxl.utils.datetime import from_ISO8601

                return from_ISO8601(stored)
        return stored


def _refuse(*declared: object) -> None:
    raise damaged()


class _Builder:
    """Listener for the elements of a part, which builds the wanted ones within the limits on their size."""

    def __init__(self, tags: frozenset[str], row: str, part: str) -> None:
        self.ended = False
        self._tags, self._row, self._part = tags, row, part
        most_in_part = MOST_ELEMENTS if "si" in tags else min(MOST_OTHER_ELEMENTS, MOST_ELEMENTS)
        self._most = MOST_OF_A_ROW if row else most_in_part
        self._ready: list[Element] = []
        self._tree: TreeBuilder | None = None
        self._depth = self._elements = self._characters = 0

    def take(self) -> Iterator[Element]:
        """Yield the elements that have ended since the last time."""
        yield from self._ready
        self._ready.clear()

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        self._elements += 1
        if self._elements > self._most:
            subject = self._row or f"the part {self._part[-60:]} of this Excel file"
            raise _limit_error(f"{subject} has more than {thousands(self._most)} elements")
        name = tag.rpartition(":")[2]
        if self._tree is None and name in self._tags:
            self._tree, self._depth, self._characters = TreeBuilder(), 0, 0
        if self._tree is not None:
            self._tree.start(name, attributes)
            self._depth += 1

    def end(self, tag: str) -> None:
        name = tag.rpartition(":")[2]
        if self._tree is not None:
            self._tree.end(name)
            self._depth -= 1
            if not self._depth:
                self._ready.append(self._tree.close())
                self._tree = None
                self._elements = 0 if self._row else self._elements
        self.ended = self.ended or name == "sheetData"

    def text(self, characters: str) -> None:
        if self._tree is not None:
            self._characters += len(characters)
            if self._characters > _LONGEST_ROW:
                subject = self._row or f"a text in the part {self._part[-60:]} of this Excel file"
                raise _limit_error(f"{subject} is longer than {thousands(_LONGEST_ROW)} characters")
            self._tree.data(characters)


def _text_of(element: Element, description: str) -> str:
    """Return the text of a cell or a shared one: its runs joined, without phonetic hints."""
    if element.tag == "c" and element.get("t") != "inlineStr":
        text = element.findtext("v", "")
    else:
        holder = element.find("is") if element.tag == "c" else element
        runs = [] if holder is None else [run for run in holder if run.tag != "rPh"]
        text = "".join((run.text if run.tag == "t" else run.findtext("t")) or "" for run in runs)
    if len(text) > MOST_CHARACTERS:
        raise _limit_error(
            f"{description} is longer than the {thousands(MOST_CHARACTERS)} characters that Excel allows in a cell"
        )
    return text


def _moment(number: float, shows: str, in_1904: bool) -> Any:
    from openpyxl.utils.datetime import CALENDAR_MAC_1904, WINDOWS_EPOCH, from_excel

    epoch = CALENDAR_MAC_1904 if in_1904 else WINDOWS_EPOCH
    try:
        return from_excel(number, epoch, timedelta=shows == "duration")
    except (OverflowError, ValueError):
        return "#VALUE!"


@cache
def _column(letters: str) -> int:
    """The number of a column, from 0.

    >>> _column("A"), _column("XFD")
    (0, 16383)
    """
    number = 0
    for letter in letters:
        number = 26 * number + ord(letter) - ord("A") + 1
        if not "A" <= letter <= "Z" or number > MOST_COLUMNS:
            raise damaged()
    if not number:
        raise damaged()
    return number - 1


def _letters(column: int) -> str:
    """The letters of a column.

    >>> _letters(0), _letters(16383)
    ('A', 'XFD')
    """
    letters, number = "", column + 1
    while number > 0:
        number, letter_number = divmod(number - 1, 26)
        letters = chr(ord("A") + letter_number) + letters
    return letters


def as_text(value: Any) -> str:
    """Return the value of a cell as text."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, date | time):
        return value.isoformat(" ") if isinstance(value, datetime) else value.isoformat()
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return str(int(value))
    return str(value).replace("\0", "\ufffd")
