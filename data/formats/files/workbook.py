"""The parts of an Excel workbook, read in pieces and held to Excel's own limits.

Only what a table needs is read: names of the sheets, shared texts, which cell formats show dates, and the cells.
Styles, drawings, links, comments and pivot tables are not. A part may declare no document type, so that it has neither
entities nor attributes by default, which multiply.
"""

import posixpath
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, time
from functools import cache
from pathlib import Path
from typing import Any, Protocol
from xml.parsers import expat

from analysis.values.counts import thousands
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
"""Elements of any other part that is no sheet: Excel's limits on formats come to less."""
MOST_OF_A_ROW = 4 * MOST_COLUMNS
"""Elements of a row, of a shared text, and between two rows."""
_MOST_SHARED = 200 * 10**6
"""Bytes of a part that is no sheet, which has to fit into memory."""
_MOST_PACKED, _UNPACKED_FROM = 100, 1 << 20
"""Largest ratio of the parts to the file, where they are larger than a megabyte: spreadsheet programs come to 15, and
Apache POI has the same limit."""
_LONGEST_TAG = 1 << 20
_LONGEST_FORMAT = 1024
_PIECE = 1 << 16

_BOOK, _RELATIONS, _TYPES = "xl/workbook.xml", "xl/_rels/workbook.xml.rels", "[Content_Types].xml"
_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main "
_ROW, _CELL, _VALUE, _FORMULA, _DATA = (f"{_MAIN}{name}" for name in ("row", "c", "v", "f", "sheetData"))
_ITEM, _TEXT, _PHONETIC = (f"{_MAIN}{name}" for name in ("si", "t", "rPh"))

Cells = Mapping[int, str]
"""The filled cells of a row by the number of their column, from 0."""
Attributes = dict[str, str]


def damaged() -> UnreadableFile:
    return UnreadableFile(
        "this Excel file is damaged or holds what no Excel file holds; open it in Excel or LibreOffice and save it "
        "again, or save the table as CSV (UTF-8)"
    )


def _over(what: str) -> OverLimit:
    return OverLimit(
        f"{what}; open this file in Excel or LibreOffice and mend that, or save the table as CSV (UTF-8)"
    )


@dataclass
class Uncomputed:
    """Number of cells that hold a formula without a stored result, and the first of them."""

    number: int = 0
    first: str = ""


class _Handler(Protocol):
    """Listener for the elements of a part."""

    def start(self, tag: str, attributes: Attributes) -> None: ...

    def end(self, tag: str) -> None: ...

    def text(self, characters: str) -> None: ...


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

    def rows(self, sheet: str, uncomputed: "Uncomputed | None" = None) -> Iterator[tuple[int, Cells]]:
        """The rows of a sheet that hold anything, with their numbers; `uncomputed` counts formulas without a result."""
        handler = _Rows(self, sheet, uncomputed or Uncomputed())
        for _ in self._parsed(self._parts[sheet], handler):
            yield from handler.ready
            handler.ready = []
            if handler.ended:
                return

    def _check_sizes(self) -> None:
        """Refuse a workbook whose parts unpack to more than there is room for, before any of them is unpacked."""
        limits = from_environment()
        sizes = {part.filename: part.file_size for part in self._archive.infolist()}
        if _BOOK not in sizes:
            if "xl/workbook.bin" in sizes:
                raise UnreadableFile(
                    "this is a binary Excel file (.xlsb); save it as .xlsx or CSV and upload that"
                )
            if "content.xml" in sizes:
                raise UnreadableFile(
                    "this is an OpenDocument file; save the table as .xlsx or CSV and upload that"
                )
            raise UnreadableFile("this is a ZIP archive in another; unpack it and upload the table in it")
        unpacked = sum(sizes.values())
        shared = max(
            (size for name, size in sizes.items() if not name.startswith("xl/worksheets/")), default=0
        )
        if unpacked > limits.unpacked_size or shared > _MOST_SHARED:
            raise OverLimit(
                f"this Excel file unpacks to more than the {shown('unpacked_size', limits.unpacked_size)} that "
                "a file may unpack to, or than the 200 MB of texts that fit into memory; save the table as CSV and "
                "upload that"
            )
        if unpacked > max(_MOST_PACKED * self._size, _UNPACKED_FROM):
            raise _over(
                f"this Excel file unpacks to more than {_MOST_PACKED} times its size, which no spreadsheet program does"
            )

    def _read_book(self) -> None:
        book, relations, strings, styles = _Book(), _Relations(), _Strings(), _Styles()
        self._read(_TYPES, _Ignored())
        self._read(_BOOK, book)
        self._read(_RELATIONS, relations)
        there = set(self._archive.namelist())
        for type, handler in (("sharedStrings", strings), ("styles", styles)):
            for part in relations.parts_of(type):
                if part in there:
                    self._read(part, handler)
                    break
        self.strings, self.formats, self.in_1904 = strings.read, styles.formats(), book.in_1904
        self._parts: dict[str, str] = {}
        for name, id in book.sheets:
            type, part = relations.by_id[id]
            if part in there and type != "chartsheet":
                if part in self._parts.values() or name in self._parts:
                    raise damaged()
                self._parts[name] = part

    def _read(self, part: str, handler: _Handler) -> None:
        for _ in self._parsed(part, handler):
            pass

    def _parsed(self, part: str, handler: _Handler) -> Iterator[None]:
        """Feed a part to a handler, one piece after each step."""
        parser = expat.ParserCreate(namespace_separator=" ")
        parser.buffer_text = True
        parser.StartElementHandler = handler.start
        parser.EndElementHandler = handler.end
        parser.CharacterDataHandler = handler.text
        parser.StartDoctypeDeclHandler = _refuse
        fed = 0
        with self._archive.open(part) as file:
            while piece := file.read(_PIECE):
                parser.Parse(piece)
                fed += len(piece)
                if fed - parser.CurrentByteIndex > _LONGEST_TAG:
                    raise _over(f"an element of {part[-60:]} is longer than {thousands(_LONGEST_TAG)} bytes")
                yield
        parser.Parse(b"", True)
        yield


def _refuse(*declared: object) -> None:
    raise damaged()


@dataclass
class _Ignored:
    """A part of which only the size counts."""

    elements: int = 0

    def start(self, tag: str, attributes: Attributes) -> None:
        self.elements += 1
        if self.elements > self.most_elements():
            raise _over(f"a part of this Excel file has more than {thousands(self.most_elements())} elements")

    def most_elements(self) -> int:
        """Return how many elements the part may have."""
        return min(MOST_OTHER_ELEMENTS, MOST_ELEMENTS)

    def end(self, tag: str) -> None: ...

    def text(self, characters: str) -> None: ...


@dataclass
class _Book(_Ignored):
    """The names of the sheets with their relations, and whether days are counted from 1904."""

    sheets: list[tuple[str, str]] = field(default_factory=list)
    in_1904: bool = False

    def start(self, tag: str, attributes: Attributes) -> None:
        super().start(tag, attributes)
        if tag == f"{_MAIN}sheet":
            id = next((value for name, value in attributes.items() if name.endswith("relationships id")), "")
            if id:
                self.sheets.append((attributes["name"], id))
            if len(self.sheets) > MOST_SHEETS:
                raise _over(f"this Excel file has more than {thousands(MOST_SHEETS)} sheets")
        elif tag == f"{_MAIN}workbookPr":
            self.in_1904 = attributes.get("date1904") in ("1", "true")


@dataclass
class _Relations(_Ignored):
    """The type and the part of each relation of the workbook."""

    by_id: dict[str, tuple[str, str]] = field(default_factory=dict)

    def start(self, tag: str, attributes: Attributes) -> None:
        super().start(tag, attributes)
        if tag.endswith(" Relationship"):
            target = attributes.get("Target", "")
            part = target[1:] if target.startswith("/") else posixpath.normpath(posixpath.join("xl", target))
            type = attributes.get("Type", "").rpartition("/")[2]
            self.by_id[attributes.get("Id", "")] = type, part

    def parts_of(self, type: str) -> list[str]:
        return [part for of, part in self.by_id.values() if of == type]


@dataclass
class _Strings(_Ignored):
    """The texts that the sheets share: their runs together, without what says how to pronounce them."""

    read: list[str] = field(default_factory=list)
    parts: list[str] = field(default_factory=list)
    characters: int = 0
    collects: bool = False
    phonetic: bool = False

    def most_elements(self) -> int:
        """Return how many elements the part may have."""
        return MOST_ELEMENTS

    def start(self, tag: str, attributes: Attributes) -> None:
        super().start(tag, attributes)
        if tag == _ITEM:
            self.parts, self.characters = [], 0
        elif tag == _PHONETIC:
            self.phonetic = True
        elif tag == _TEXT:
            self.collects = not self.phonetic

    def end(self, tag: str) -> None:
        if tag == _TEXT:
            self.collects = False
        elif tag == _PHONETIC:
            self.phonetic = False
        elif tag == _ITEM:
            if len(self.read) == MOST_STRINGS:
                raise _over(f"the sheets of this Excel file share more than {thousands(MOST_STRINGS)} texts")
            self.read.append("".join(self.parts).replace("x005F_", ""))

    def text(self, characters: str) -> None:
        if self.collects:
            self.characters += len(characters)
            if self.characters > MOST_CHARACTERS:
                raise _over(
                    f"shared text {thousands(len(self.read) + 1)} of this Excel file is longer than the "
                    f"{thousands(MOST_CHARACTERS)} characters that Excel allows in a cell"
                )
            self.parts.append(characters)


@dataclass
class _Styles(_Ignored):
    """The formats of numbers that cell formats name."""

    codes: dict[int, str] = field(default_factory=dict)
    used: list[int] = field(default_factory=list)
    of_cells: bool = False

    def start(self, tag: str, attributes: Attributes) -> None:
        super().start(tag, attributes)
        if tag == f"{_MAIN}cellXfs":
            self.of_cells = True
        elif tag == f"{_MAIN}xf" and self.of_cells:
            self.used.append(int(attributes.get("numFmtId", 0)))
        elif tag == f"{_MAIN}numFmt":
            self.codes[int(attributes["numFmtId"])] = attributes["formatCode"][:_LONGEST_FORMAT]
        if len(self.used) > MOST_FORMATS or len(self.codes) > MOST_FORMATS:
            raise _over(
                f"this Excel file has more than the {thousands(MOST_FORMATS)} cell formats that Excel allows"
            )

    def end(self, tag: str) -> None:
        if tag == f"{_MAIN}cellXfs":
            self.of_cells = False

    def formats(self) -> dict[str, str]:
        """The numbers of the cell formats that show numbers as dates or durations: "date" or "duration"."""
        from openpyxl.styles.numbers import builtin_format_code, is_date_format, is_timedelta_format

        def shows(number: int) -> str:
            code = self.codes.get(number, builtin_format_code(number))
            if not is_date_format(code):
                return ""
            return "duration" if is_timedelta_format(code) else "date"

        known = {number: shows(number) for number in set(self.used)}
        return {str(at): known[number] for at, number in enumerate(self.used) if known[number]}


class _Rows:
    """The rows of a sheet, in `ready` as soon as they end, until the sheet's data `ended`."""

    def __init__(self, workbook: Workbook, sheet: str, uncomputed: Uncomputed) -> None:
        self.ready: list[tuple[int, Cells]] = []
        self.ended = False
        self._sheet, self._uncomputed = sheet, uncomputed
        self._strings, self._formats = workbook.strings, workbook.formats
        self._in_1904 = workbook.in_1904
        self._number = self._elements = self._passed_over = 0
        self._cells: dict[int, str] = {}
        self._column = -1
        self._type, self._style = "n", "0"
        self._parts: list[str] = []
        self._characters = 0
        self._inline = self._collects = self._phonetic = self._formula = False

    def start(self, tag: str, attributes: Attributes) -> None:
        self._elements += 1
        if tag == _CELL:
            place = attributes.get("r")
            self._column = _column(place.rstrip("0123456789")) if place else self._column + 1
            if self._column >= MOST_COLUMNS:
                raise damaged()
            self._type = attributes.get("t", "n")
            self._style = attributes.get("s", "0")
            self._inline = self._type == "inlineStr"
            self._parts, self._characters, self._formula = [], 0, False
        elif tag == _VALUE:
            self._collects = not self._inline
        elif tag == _TEXT:
            self._collects = self._inline and not self._phonetic
        elif tag == _FORMULA:
            self._formula = True
        elif tag == _ROW:
            self._begin(attributes.get("r"))
        elif tag == _PHONETIC:
            self._phonetic = True
        if self._elements > MOST_OF_A_ROW:
            raise _over(
                f"row {thousands(self._number)} of the sheet {self._sheet[:60]!r} has more than "
                f"{thousands(MOST_OF_A_ROW)} elements, four for each column that Excel allows"
            )

    def end(self, tag: str) -> None:
        if tag in (_VALUE, _TEXT):
            self._collects = False
        elif tag == _CELL:
            if self._parts:
                text = as_text(self._value("".join(self._parts)))
                if text:
                    self._cells[self._column] = text
            elif self._formula and self._type != "str":
                self._uncomputed.number += 1
                self._uncomputed.first = self._uncomputed.first or f"{_letters(self._column)}{self._number}"
        elif tag == _ROW:
            if self._cells:
                self.ready.append((self._number, self._cells))
            self._cells, self._elements, self._passed_over = {}, 0, 0
        elif tag == _PHONETIC:
            self._phonetic = False
        elif tag == _DATA:
            self.ended = True

    def text(self, characters: str) -> None:
        if self._collects:
            self._characters += len(characters)
            if self._characters > MOST_CHARACTERS:
                raise _over(
                    f"cell {_letters(self._column)}{self._number} of the sheet {self._sheet[:60]!r} is longer than the "
                    f"{thousands(MOST_CHARACTERS)} characters that Excel allows in a cell"
                )
            self._parts.append(characters)
        else:
            self._passed_over += len(characters)
            if self._passed_over > _LONGEST_TAG:
                raise damaged()

    def _begin(self, number: str | None) -> None:
        self._number = self._number + 1 if number is None else int(float(number))
        self._column = -1
        if not 0 < self._number <= MOST_ROWS:
            raise UnreadableFile(
                f"a sheet of this Excel file has more rows than the {thousands(MOST_ROWS)} that Excel allows"
            )

    def _value(self, stored: str) -> Any:
        """Return what a cell stores, by its type and its format."""
        if self._type == "n":
            number = float(stored) if "." in stored or "e" in stored.lower() else int(stored)
            shows = self._formats.get(self._style, "")
            return _moment(number, shows, self._in_1904) if shows else number
        if self._type == "s":
            return self._strings[int(stored)]
        if self._type == "b":
            return bool(int(stored))
        if self._type == "d":
            from openpyxl.utils.datetime import from_ISO8601

            return from_ISO8601(stored)
        return stored


def _moment(number: float, shows: str, in_1904: bool) -> Any:
    from openpyxl.utils.datetime import CALENDAR_MAC_1904, WINDOWS_EPOCH, from_excel

    try:
        return from_excel(
            number, CALENDAR_MAC_1904 if in_1904 else WINDOWS_EPOCH, timedelta=shows == "duration"
        )
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
        number, left = divmod(number - 1, 26)
        letters = chr(ord("A") + left) + letters
    return letters


def as_text(value: Any) -> str:
    """Return a value of a cell as it stands in a table."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime):
        return value.isoformat(" ")
    if isinstance(value, date | time):
        return value.isoformat()
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return str(int(value))
    return str(value).replace("\0", "\ufffd")
