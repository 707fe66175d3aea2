"""First look at a table of text: delimiter, header, decimal mark, and what its columns hold.

Delimiter and header are decided here rather than by the database's sniffer, which takes a ragged file for one
column of text without a word.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice, pairwise
from pathlib import Path

from analysis.values.estimate import thousands
from data.errors import UnreadableFile, listed
from data.kinds.answer_words import points_of
from data.kinds.kind import GROUP, ITEM, RATER
from data.kinds.names import BETWEEN_LEVELS, plain_name
from data.settings import from_environment
from data.tables.rows import NEVER_CLOSED, Fault, Row, fits, numbered_lines, ragged, rows, rows_of_lines
from data.tables.sniffed import (
    MISSING,
    Sniffed,
    SniffedColumn,
    begins_with_number,
    is_any_number,
    is_comma_number,
    is_number,
    is_sound,
    part_of,
    related,
)
from data.tables.text import MAX_LINE, Text, cached_by_content, check_columns

DELIMITERS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "vertical bar"}
_OLD_ENCODINGS = {"windows-1252": "Windows-1252", "cp932": "Shift JIS", "gb18030": "GB 18030"}
SAMPLE_CHARACTERS = 1 << 19
_SAMPLE_ROWS, _HEADERS = 2000, 3
_GOLISTEN = [["Tags"], ["Name", "Date"]]
"""First cells of the tags of GoListen's examples, and of the header below them."""
_MOST_TITLE = 5
"""Rows of a title above the table."""
_ROW_NAME = "row name"
_MOST_SHORT, _FEWEST_ROWS = 5, 2
"""Cells by which all rows may be shorter than the header, and the fewest rows that show it."""
_FEWEST_BELOW, _FEWEST_WORDS = 3, 5
"""Rows that must follow two header rows: of numbers, and of words."""
_MOST_VALUES, _LONGEST_VALUE = 30, 60
"""Different values of a column, and their characters, up to which they may be words for something."""
_LONGEST_NAME = 200
"""Characters of a column's name; what has more is called by its first ones."""
_COLUMN_NAMES = frozenset((*ITEM, *RATER, *GROUP))
"""Names of columns, and of no item or person."""
_SHOWN, _LONGEST_SHOWN = 5, 80
"""Rows that a page shows before anything is saved, and characters of a cell in them."""


def inspect_text(text: Text, header_rows: int | None = None) -> tuple[Sniffed, list[list[str]]]:
    """Return what a table of text looks like, and the rows on which that rests; `header_rows` overrules the guess of
    how many rows name its columns."""
    anywhere = replace(text, path=Path(), aside=text.aside and Path())
    what = ("table", header_rows, anywhere, from_environment().columns)
    return cached_by_content(text.path, what, lambda: _inspect_rows(text, header_rows))


def _inspect_rows(text: Text, header_rows: int | None) -> tuple[Sniffed, list[list[str]]]:
    lines, whole = _first_lines(text.sample or text.path)
    problems = list(text.notes)
    made = text.aside is not None
    given = header_rows if text.header is None else int(text.header)
    if text.encoding in _OLD_ENCODINGS:
        called = _OLD_ENCODINGS[text.encoding]
        problems.append(f"The file is not UTF-8; it was read as {called}. Check names with accents.")
    if text.encoding == "damaged utf-8":
        problems.append("Some bytes of the file are not valid UTF-8; the rows that hold them are set aside.")
    hint = re.fullmatch(r"\"?sep=(.)\"?", lines[0][1].strip("\r\n ") if lines and not made else "")
    skipped, declared = (
        (1, hint[1]) if hint and hint[1] in DELIMITERS else (0, "," if made else "")
    )  # as Excel writes it
    delimiter = declared or _delimiter(lines[skipped:], whole)
    records, faults, opened = _read(lines[skipped:], whole, delimiter, most=_SAMPLE_ROWS + _HEADERS)
    if opened and not made:
        next(rows(text.path, opened - 1, delimiter), None)  # ends the reading where that row has no end
    if not records:
        raise UnreadableFile("no row of this file can be read; open it and save it again as CSV in UTF-8")
    title = 0 if made else _title_rows(records)
    if title:
        records = records[title:]
        problems.append(
            f"The first {'line is' if title == 1 else f'{title} lines are'} a title above the table and left out."
        )
    first = records[0]
    width = len(first.cells) - made
    check_columns(width, from_environment(), "the first row")
    if width == 1:
        why = (
            f', "{first.cells[0][:60]}"'
            if made
            else ": neither comma, semicolon, tab nor vertical bar divides its rows"
        )
        raise UnreadableFile(
            f"there is only one column in this file{why}. A table of ratings needs at least the item, the rater and "
            "the score"
        )
    qualtrics = _qualtrics_rows(records) or int(given is None and not made and _holds_questions(records))
    levels = _header_rows(records, width, text, qualtrics) if given is None else max(0, min(given, _HEADERS))
    levels = 1 if levels and qualtrics else levels
    frame = _Frame(width) if made or not levels else _frame(records, width, levels)
    if levels:
        header = records[:levels]
        names, said = _names(frame.named(_joined([row.cells for row in header], width, text.parts)), True)
        before = header[-1].last_line
        body = records[levels + qualtrics :]
        if qualtrics:
            before = records[qualtrics].last_line
            # where questions differ by what follows ' - ' (one per clip), that part is the better name
            tails = {
                at: text.rsplit(" - ", 1)[1].strip()
                for at, text in enumerate(records[1].cells)
                if " - " in text
            }
            tails |= {at: records[1].cells[at] for at, name in enumerate(names) if _NUMBERED.fullmatch(name)}
            better = [(tails.get(at) or name)[:_LONGEST_NAME] for at, name in enumerate(names)]
            names = better if len({name.casefold() for name in better}) == len(better) else names
            problems.append(
                f"Lines 2 to {before} are further header rows, as Qualtrics writes them; they are no ratings "
                "and are left out."
                if qualtrics > 1
                else "Line 2 holds the questions, as surveys write them below the names; it is left out."
            )
        if levels > 1:
            example = next((name for name in names if BETWEEN_LEVELS in name), names[-1])
            said.insert(0, f'The first {levels} rows name the columns together, such as "{example}".')
        problems += [*said, *frame.told(names)]
    else:
        header, body = [first], records
        names, said = _names([""] * width, False)
        before = first.line - 1
        why = "holds numbers, so the file seems to have no header" if given is None else "was read as data"
        problems += [*said, f"The first row {why}; the columns are called by their number."]
    width = len(names)
    body = [record for record in body if len(record.cells) >= width - frame.short_by]
    counted = max(text.lines - before, 0)
    if not body and counted < 1:
        raise UnreadableFile("this file has a header but no rows; nothing can be imported")
    sample = [[*record.cells, *[""] * (width - len(record.cells))] for record in body[:_SAMPLE_ROWS]]
    decimal = _decimal_mark(sample)
    keys, within, together = related(names, sample)
    columns = tuple(
        replace(
            _column(name, [row[at] for row in sample], decimal, tuple(within[name])),
            together=tuple(together[name]),
        )
        for at, name in enumerate(names)
    )
    sniffed = Sniffed(
        encoding=text.encoding,
        delimiter=delimiter,
        decimal=decimal,
        header_rows=levels,
        before=before,
        columns=columns,
        rows=counted,
        looked_at=len(sample),
        problems=tuple(problems),
        regular=text.regular and all(row.last_line == row.line for row in header),
        keys=keys,
        switches=text.switches,
        source=text.source,
        first=tuple(
            tuple(" ".join(cell[:_LONGEST_SHOWN].split()) for cell in row) for row in sample[:_SHOWN]
        ),
        parts=tuple(part_of(at, names, sample) for at in range(width - text.parts, width)),
        broken="" if made else _describe_faults(records, faults, width, frame.short_by, text, levels),
        short_by=frame.short_by,
    )
    return sniffed, sample


def _describe_faults(
    records: Sequence[Row], faults: Sequence[Fault], columns: int, short_by: int, text: Text, levels: int
) -> str:
    """A sentence on the rows, among those looked at, that cannot be read as rows of this table."""
    width = columns - short_by
    wrong = [(fault.line, fault.reason) for fault in faults]
    wrong += [
        (row.line, ragged(row, width, text, levels > 0))
        for row in records[levels:]
        if not fits(row, width, short_by)
    ]
    if not wrong:
        return ""
    line, reason = min(wrong)
    looked = len(records) + len(faults) - levels
    rows = "1 row is" if len(wrong) == 1 else f"{thousands(len(wrong))} rows are"
    return (
        f"{rows} broken among the first {thousands(looked)}, the first in line {thousands(line)}: {reason}. Broken "
        "rows are set aside, and listed once the columns are chosen; mend them in the file to keep them."
    )


def _first_lines(path: Path) -> tuple[list[tuple[int, str]], bool]:
    """The first lines with their numbers, and whether they are all there are."""
    lines = []
    characters = 0
    with path.open(encoding="utf-8-sig", errors="surrogateescape", newline="") as file:
        for number, line in numbered_lines(file):
            if number == 1 and len(line) > MAX_LINE:
                raise UnreadableFile(
                    f"the first line is longer than {thousands(MAX_LINE)} characters, so this is hardly a table with "
                    "one row per line; check the line ends, or save it again as CSV"
                )
            lines.append((number, line))
            characters += len(line)
            if characters > SAMPLE_CHARACTERS:
                return lines, False
    return lines, True


def _read(
    lines: Sequence[tuple[int, str]], whole: bool, delimiter: str, most: int = 10**9
) -> tuple[list[Row], list[Fault], int]:
    """The readable rows of the first lines, those between them that are not, and the line of a row that may go on
    beyond these lines, or 0; nothing after it is read."""
    readable: list[Row] = []
    faults: list[Fault] = []
    for record in rows_of_lines(iter(lines), delimiter):
        if isinstance(record, Row):
            readable.append(record)
        elif record.endless or (not whole and record.reason == NEVER_CLOSED):
            return readable, faults, record.line
        else:
            faults.append(record)
        if len(readable) == most:
            break
    return readable, faults, 0


def _title_rows(records: Sequence[Row]) -> int:
    """Return how many rows of a single cell stand above the first of several cells: without any delimiter but those of
    a sentence, which a space follows, or the first of the row above names of columns."""
    if [row.cells[:at] for at, row in enumerate(records[:2], start=1)] == _GOLISTEN:
        return int(any(row.cells[0] for row in records[2:4]))  # below names of files, perhaps
    wide = next((at for at, row in enumerate(records) if len([*filter(str.strip, row.cells)]) > 1), 0)
    above = records[:wide]
    alone = not any(
        re.search(rf"{re.escape(mark)}(?! )", row.cells[0]) for row in above for mark in DELIMITERS
    )
    padded = any(len(row.cells) > 1 for row in above)
    if padded:
        alone = all(row.cells[0].strip() or not any(row.cells) for row in above)
        alone = alone and not any(
            map(is_any_number, (*records[wide].cells, *(row.cells[0] for row in above)))
        )
    return wide if alone and wide <= _MOST_TITLE and len(records) > wide + 1 else 0


def _delimiter(lines: Sequence[tuple[int, str]], whole: bool) -> str:
    """The delimiter under which most rows have as many cells as the first; then the one that bares most numbers, or
    most cells; then the tab, which no sentence holds."""
    best, delimiter = (0.0, 0.0, 0, False), ","
    for candidate in DELIMITERS:
        if not any(candidate in line for _, line in lines):
            continue
        found = _read(lines, whole, candidate, most=200)[0]
        records = [record.cells for record in found[_title_rows(found) :]]
        if not records or len(records[0]) == 1:
            continue
        width = len(records[0])
        alike = sum(len(cells) == width for cells in records) / len(records)
        cells = [cell for record in records for cell in record]
        numbers = sum(is_any_number(cell) for cell in cells) / len(cells)
        score = round(alike, 1), numbers, width, candidate == "\t"
        if score > best:
            best, delimiter = score, candidate
    return delimiter


def _has_header(first: Sequence[str], body: Sequence[Sequence[str]]) -> bool:
    """Return True where the first row names the columns. Numbers in it do so only where they count up (raters called 1,
    2, 3), stand above text, or are all different and no points of the scale below or beside a cell without a name."""
    body = [row for row in body if [*row[: len(first)]] != [*first]]  # above each block of a table, perhaps
    numbers = [
        cell.strip()
        for at, cell in enumerate(first)
        if is_any_number(cell)
        and all(is_any_number(row[at]) or row[at].strip().casefold() in MISSING for row in body)
    ]
    if not numbers:  # most cells of a first row of data come again below it
        filled = [(at, cell.strip()) for at, cell in enumerate(first) if cell.strip()]
        again = [0 < sum(row[at].strip() == cell for row in body) < len(body) for at, cell in filled]
        return not (len(body) > 1 and len(again) > 2 and sum(again) > 0.5 * len(again))
    called = (at for at, cell in enumerate(first) if plain_name(cell) in _COLUMN_NAMES)
    if any(all(row[at] != first[at] for row in body) for at in called):
        return True
    if not all(cell.isdecimal() for cell in numbers):
        return False
    whole = [int(cell) for cell in numbers]
    counting = len(whole) > 1 and whole[0] in (0, 1) and whole == list(range(whole[0], whole[0] + len(whole)))
    below = [cell for row in body for cell in row if is_number(cell)]
    low, high = min(map(float, below), default=0.0), max(map(float, below), default=0.0)
    different = len(whole) >= 5 and len(set(whole)) == len(whole)
    unnamed = any(not cell.strip() and all(row[at].strip() for row in body) for at, cell in enumerate(first))
    return counting or (different and (unnamed or any(not low <= number <= high for number in whole)))


@dataclass(frozen=True)
class _Frame:
    """Fit between the names of the header and the cells of the rows. `width`: cells of the header that are names;
    `short_by`: last columns without a cell in any row; `row_names`: the first column has no name; `unnamed`: the last
    has none."""

    width: int
    short_by: int = 0
    row_names: bool = False
    unnamed: bool = False

    def named(self, header: Sequence[str]) -> list[str]:
        """The names of all columns; empty where the header has none."""
        return [*[_ROW_NAME] * self.row_names, *header[: self.width], *[""] * self.unnamed]

    def told(self, names: Sequence[str]) -> list[str]:
        """Sentences about what was assumed."""
        empty = "this column is" if self.short_by == 1 else "these columns are"
        row_names = (
            "The header has one name less than the rows have cells, as R writes row names: the first column is called "
            f'"{names[0]}".'
        )
        if self.short_by:
            return [f"No row has a cell for {listed(names[-self.short_by :])}: {empty} empty."]
        return [row_names] if self.row_names else []


def _frame(records: Sequence[Row], width: int, levels: int) -> _Frame:
    """Fit the header to rows that all have as many cells as each other, but not as many as the header."""
    header, body = records[0].cells, [row.cells for row in records[levels:]]
    lengths = {len(cells) for cells in body}
    if len(body) < _FEWEST_ROWS or len(lengths) > 1 or lengths == {width}:
        return _Frame(width)
    cells = lengths.pop()
    if width - _MOST_SHORT <= cells < width and cells > 1:
        named = bool("".join(header[cells:]).strip())
        return _Frame(width, short_by=width - cells) if named else _Frame(cells)
    if cells != width + 1 or not any(row[-1].strip() for row in body):
        return _Frame(width)
    # row names as R writes them are all different, and numbers or next to numbers only; R leaves no cell empty
    names = [row[0].strip() for row in body]
    row_names = len({*names}) == len(names) and all(names) and all(row[-1].strip() for row in body)
    others = (cell for row in body for cell in row[1:])
    row_names = row_names and (
        all(map(str.isdecimal, names)) or all(is_any_number(cell) or cell.strip() == "NA" for cell in others)
    )
    return _Frame(width, row_names=row_names, unnamed=not row_names)


def _header_rows(records: Sequence[Row], width: int, text: Text, qualtrics: int) -> int:
    """Guess how many rows name the columns: none, one, or more where upper levels span several columns."""
    first = records[0].cells[:width]
    body = [record.cells for record in records[1 + qualtrics :] if len(record.cells) >= width][:200]
    if text.aside is None:
        frame = _frame(records, width, 1)
        if frame.short_by:
            body = [[*record.cells, *[""] * frame.short_by] for record in records[1:201]]
        elif frame.row_names:
            body = [cells[1:] for cells in body]
    if not _has_header(first, body):
        return 0
    return 1 if qualtrics or text.parts else _levels(first, [cells[:width] for cells in body])


def _levels(upper: Sequence[str], rows: Sequence[Sequence[str]]) -> int:
    """Guess how many header rows there are where the first is one: more than one only where names of the first span
    several columns, the second tells these apart, and below both each span holds numbers, or words of one set."""
    spans = _spans(upper)
    if len(rows) < 1 + _FEWEST_BELOW or not spans:
        return 1
    lower, body = rows[0], list(rows[1:])
    deeper = _levels(lower, body) if len(_spans(lower)) > len(spans) and len(spans) > 1 else 1
    if deeper == 2:
        return 3
    spanned = [at for span in spans for at in span]
    levels = 2
    third = [cell for at, cell in enumerate(body[0]) if at not in spanned]
    named = third and all(cell.strip() and not re.search(r"\d", cell) for cell in third)
    named = named and all(cell.strip() for at, cell in enumerate(lower) if at not in spanned)
    if named and not any(body[0][at].strip() for at in spanned):
        levels, body = 3, body[1:]  # pandas names the columns left of a pivot in their own row
    alike = len(spans) > 1 and len({tuple(lower[at].strip() for at in span) for span in spans}) == 1
    numbered = any(map(is_any_number, lower))
    counted = numbered or any(map(is_any_number, upper))
    below_each = alike and not any(is_any_number(lower[at]) for at in range(len(lower)) if at not in spanned)
    if len(body) < _FEWEST_BELOW or (counted and not below_each):
        return 1
    for span in spans:
        names = [lower[at].strip().casefold() for at in span]
        found = [{cell for row in body if (cell := row[at].strip().casefold()) not in MISSING} for at in span]
        together = set().union(*found)
        if not all(names) or len(set(names)) < len(names) or set(names) & MISSING:
            return 1
        if set(names) & together and not numbered:
            return 1
        cells = sum(row[at].strip().casefold() not in MISSING for row in body for at in span)
        words = len(together) <= _MOST_VALUES and len(body) >= _FEWEST_WORDS and 2 * len(together) <= cells
        words = words or len(points_of(together)) == len(together)
        if not all(found) or not (all(map(is_any_number, together)) or words):
            return 1
    return levels


def _spans(upper: Sequence[str]) -> list[range]:
    """The columns under each name of an upper level that repeat it or leave it empty, where that is more than one."""
    starts, last = [], ""
    for at, cell in enumerate(upper):
        if cell.strip() not in ("", last):
            starts.append(at)
            last = cell.strip()
    spans = [range(begin, end) for begin, end in pairwise([*starts, len(upper)])]
    return [span for span in spans if len(span) > 1]


def _joined(levels: Sequence[Sequence[str]], width: int, parts: int) -> list[str]:
    """The names that one or more header rows give: an empty cell of an upper level repeats the one to its left."""
    rows = [[" ".join(cell.split()) for cell in [*level, *[""] * width][:width]] for level in levels]
    if len(rows) == 1:
        return list(levels[0][:width])
    for depth, row in enumerate(rows[:-1]):
        above = rows[:depth]
        for at in range(1, width - parts):
            if not row[at] and all(upper[at] == upper[at - 1] for upper in above):
                row[at] = row[at - 1]
    left = next((at for at, name in enumerate(rows[-1]) if not name), width)
    if len(rows) == 3 and left < width and not any(rows[-1][left:]):
        for at in range(left):  # pandas names the columns left of a pivot in the last row
            rows[0][at] = rows[1][at] = ""
    return [BETWEEN_LEVELS.join(filter(None, level)) for level in zip(*rows, strict=True)]


def _names(first: Sequence[str], header: bool) -> tuple[list[str], list[str]]:
    """Distinct names for the columns, and sentences about those that had to be changed."""
    names: list[str] = []
    said: list[str] = []
    taken: set[str] = set()
    copies: dict[str, int] = {}
    for number, cell in enumerate(first, start=1):
        whole = " ".join(cell.replace("\0", "").split())
        wished = whole[:_LONGEST_NAME]
        name = wished or f"column {number}"
        while name.casefold() in taken:
            copy = copies[wished.casefold()] = copies.get(wished.casefold(), 1) + 1
            name = f"{wished or 'column'} ({copy})"
        if header and not wished:
            said.append(f'Column {number} has no name; it is called "{name}" here.')
        elif name != wished and wished:
            said.append(
                f'More than one column is called "{wished}"; column {number} is called "{name}" here.'
            )
        if len(whole) > _LONGEST_NAME:
            said.append(
                f"The name of column {number} has {thousands(len(whole))} characters; it is called by the first "
                f"{_LONGEST_NAME} of them."
            )
        taken.add(name.casefold())
        names.append(name)
    if len(said) > 5:
        said = [*said[:5], f"{len(said) - 5} more columns were given names in the same way."]
    return names, said


_NUMBERED = re.compile(r"V\d+")
"""A column of the envelope in old exports of Qualtrics."""


def _qualtrics_rows(records: Sequence[Row]) -> int:
    """Return how many further header rows there are: Qualtrics writes the question's text and an ImportId below the
    name; before 2017 it called its own columns V1 to V10, with their names below."""
    first, second = (
        {*map(str.casefold, row.cells)} for row in (records[0], records[min(1, len(records) - 1)])
    )
    if {"responseid", "finished"} <= second - first:
        return int(any(map(_NUMBERED.fullmatch, records[0].cells)))
    for at in (1, 2):
        if len(records) > at:
            marked = sum('"ImportId"' in cell for cell in records[at].cells)
            if marked > 0.5 * len(records[at].cells):
                return at
    return 0


def _holds_questions(records: Sequence[Row]) -> bool:
    """Return True where the second row is no answer: it has a different text in every column that otherwise holds
    numbers, in two such columns or more, below its name."""
    names, second = records[0].cells, records[1].cells if len(records) > 1 else []
    body = [record.cells for record in records[2:202] if len(record.cells) == len(names) == len(second)]
    if len(body) < _FEWEST_BELOW:
        return False
    questions = []
    for at, cell in enumerate(second):
        below = [row[at] for row in body if row[at].strip().casefold() not in MISSING]
        if len(below) >= _FEWEST_BELOW and all(map(is_any_number, below)):
            questions.append(cell.strip() if names[at].strip() else "")
    texts = [cell for cell in questions if re.search(r"[^\W\d_]{2}", cell) and cell.casefold() not in MISSING]
    return len(questions) > 1 and len({*texts}) == len(texts) == len(questions)


def _decimal_mark(sample: Sequence[Sequence[str]]) -> str:
    """The decimal comma, where a column holds nothing but numbers and writes some of them so."""
    for cells in zip(*sample, strict=False):
        if not any("," in cell for cell in cells):
            continue
        different = {cell for cell in cells if cell.strip().casefold() not in MISSING}
        if any(is_comma_number(cell) for cell in different) and all(
            is_comma_number(cell) or cell.strip().lstrip("+-").isdecimal() for cell in different
        ):
            return ","
    return "."


def _column(name: str, cells: Sequence[str], decimal: str, within: tuple[str, ...]) -> SniffedColumn:
    filled = [cell.strip() for cell in cells if cell.strip()]
    different = Counter(filled)
    numbers: dict[float, int] = {}
    for cell, times in different.items():
        as_written = cell.replace(",", ".") if decimal == "," else cell
        if is_number(as_written):
            number = float(as_written)
            numbers[number] = numbers.get(number, 0) + times
    words = len(different) <= _MOST_VALUES and all(
        len(value) <= _LONGEST_VALUE and is_sound(value) for value in different
    )
    leading = sum(times for cell, times in different.items() if begins_with_number(cell))
    return SniffedColumn(
        name=name,
        examples=tuple(example[:200] for example in islice(different, 3)),
        numbers=sum(numbers.values()) / len(filled) if filled else 0.0,
        leading_numbers=leading / len(filled) if filled else 0.0,
        distinct=len(different),
        filled=len(filled),
        low=min(numbers, default=float("nan")),
        high=max(numbers, default=float("nan")),
        within=within,
        values=tuple(different.items()) if words else (),
    )
