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
OLD_ENCODINGS = {"windows-1252": "Windows-1252", "cp932": "Shift JIS", "gb18030": "GB 18030"}
"""Names of encodings that are assumed for files that are not UTF-8."""
SAMPLE_CHARACTERS = 1 << 19
_SAMPLE_ROWS, _HEADERS = 2000, 3
_GOLISTEN = [["Tags"], ["Name", "Date"]]
"""First cells of the tags of GoListen's examples, and of the header below them."""
_MOST_TITLE = 5
"""Rows of a title above the table."""
_ROW_NAME = "row name"
_MOST_SHORT, _FEWEST_ROWS = 5, 2
"""Maximum number of cells by which all rows may be shorter than the header, and minimum number of such rows."""
_FEWEST_BELOW, _FEWEST_WORDS = 3, 5
"""Rows that must follow two header rows: of numbers, and of words."""
_MOST_VALUES, _LONGEST_VALUE = 30, 60
"""Maximum number of distinct values, and of their characters, for which they are listed."""
_LONGEST_NAME = 200
"""Maximum characters of a column name; longer ones are truncated."""
_COLUMN_NAMES = frozenset((*ITEM, *RATER, *GROUP))
"""Names that only columns have, not items or persons."""
_SHOWN, _LONGEST_SHOWN = 5, 80
"""Rows that a page shows before anything is saved, and characters of a cell in them."""


def inspect_text(text: Text, header_rows: int | None = None) -> tuple[Sniffed, list[list[str]]]:
    """Return what a table of text looks like, and the rows on which that rests; `header_rows` overrules the guess of
    how many rows name its columns."""
    portable_text = replace(text, path=Path(), aside=text.aside and Path())
    key = ("table", header_rows, portable_text, from_environment().columns)
    return cached_by_content(text.path, key, lambda: _inspect_rows(text, header_rows))


def _inspect_rows(text: Text, header_rows: int | None) -> tuple[Sniffed, list[list[str]]]:
    lines, is_complete = _first_lines(text.sample or text.path)
    problems = list(text.notes)
    is_converted = text.aside is not None
    stated_rows = header_rows if text.header is None else int(text.header)
    if text.encoding in OLD_ENCODINGS:
        problems.append("The file is not UTF-8. Check names with accents.")
    if text.encoding == "damaged utf-8":
        problems.append("Some bytes of the file are not valid UTF-8; the rows that hold them are set aside.")
    hint = re.fullmatch(r"\"?sep=(.)\"?", lines[0][1].strip("\r\n ") if lines and not is_converted else "")
    skipped, declared = (
        (1, hint[1]) if hint and hint[1] in DELIMITERS else (0, "," if is_converted else "")
    )  # as Excel writes it
    delimiter = declared or _guess_delimiter(lines[skipped:], is_complete)
    records, faults, open_line = _read_rows(
        lines[skipped:], is_complete, delimiter, limit=_SAMPLE_ROWS + _HEADERS
    )
    if open_line and not is_converted:
        next(rows(text.path, open_line - 1, delimiter), None)  # ends the reading where that row has no end
    if not records:
        raise UnreadableFile("no row of this file can be read; open it and save it again as CSV in UTF-8")
    title = 0 if is_converted else _count_title_rows(records)
    if title:
        records = records[title:]
        problems.append(
            f"The first {'line is' if title == 1 else f'{title} lines are'} a title above the table and left out."
        )
    first = records[0]
    width = len(first.cells) - is_converted
    check_columns(width, from_environment(), "the first row")
    if width == 1:
        reason = (
            f', "{first.cells[0][:60]}"'
            if is_converted
            else ": neither comma, semicolon, tab nor vertical bar divides its rows"
        )
        raise UnreadableFile(
            f"there is only one column in this file{reason}. A table of ratings needs at least the item, the rater and "
            "the score"
        )
    qualtrics = _count_qualtrics_rows(records) or int(
        stated_rows is None and not is_converted and _holds_questions(records)
    )
    levels = (
        _count_header_rows(records, width, text, qualtrics)
        if stated_rows is None
        else max(0, min(stated_rows, _HEADERS))
    )
    levels = 1 if levels and qualtrics else levels
    frame = _Frame(width) if is_converted or not levels else _fit_frame(records, width, levels)
    if levels:
        header = records[:levels]
        names, sentences = _distinct_names(
            frame.column_names(_join_levels([row.cells for row in header], width, text.parts)), True
        )
        before = header[-1].last_line
        body = records[levels + qualtrics :]
        if qualtrics:
            before = records[qualtrics].last_line
            # where questions differ by what follows ' - ' (one per clip), that part is the better name
            tails = {
                index: text.rsplit(" - ", 1)[1].strip()
                for index, text in enumerate(records[1].cells)
                if " - " in text
            }
            tails |= {
                index: records[1].cells[index]
                for index, name in enumerate(names)
                if _NUMBERED.fullmatch(name)
            }
            question_names = [(tails.get(index) or name)[:_LONGEST_NAME] for index, name in enumerate(names)]
            names = (
                question_names
                if len({name.casefold() for name in question_names}) == len(question_names)
                else names
            )
            problems.append(
                f"Lines 2 to {before} are further header rows, as Qualtrics writes them; they are no ratings "
                "and are left out."
                if qualtrics > 1
                else "Line 2 holds the questions, as surveys write them below the names; it is left out."
            )
        if levels > 1:
            example = next((name for name in names if BETWEEN_LEVELS in name), names[-1])
            sentences.insert(0, f'The first {levels} rows name the columns together, such as "{example}".')
        problems += [*sentences, *frame.sentences(names)]
    else:
        header, body = [first], records
        names, sentences = _distinct_names([""] * width, False)
        before = first.line - 1
        reason = (
            "holds numbers, so the file seems to have no header"
            if stated_rows is None
            else "was read as data"
        )
        problems += [*sentences, f"The first row {reason}; the columns are called by their number."]
    width = len(names)
    body = [record for record in body if len(record.cells) >= width - frame.short_by]
    row_count = max(text.lines - before, 0)
    if not body and row_count < 1:
        raise UnreadableFile("this file has a header but no rows; nothing can be imported")
    sample = [[*record.cells, *[""] * (width - len(record.cells))] for record in body[:_SAMPLE_ROWS]]
    decimal = _decimal_mark(sample)
    keys, within, together = related(names, sample)
    columns = tuple(
        replace(
            _inspect_column(name, [row[index] for row in sample], decimal, tuple(within[name])),
            together=tuple(together[name]),
        )
        for index, name in enumerate(names)
    )
    sniffed = Sniffed(
        encoding=text.encoding,
        delimiter=delimiter,
        decimal=decimal,
        header_rows=levels,
        before=before,
        columns=columns,
        rows=row_count,
        looked_at=len(sample),
        problems=tuple(problems),
        regular=text.regular and all(row.last_line == row.line for row in header),
        keys=keys,
        switches=text.switches,
        source=text.source,
        first=tuple(
            tuple(" ".join(cell[:_LONGEST_SHOWN].split()) for cell in row) for row in sample[:_SHOWN]
        ),
        parts=tuple(part_of(index, names, sample) for index in range(width - text.parts, width)),
        broken="" if is_converted else _describe_faults(records, faults, width, frame.short_by, text, levels),
        short_by=frame.short_by,
    )
    return sniffed, sample


def _describe_faults(
    records: Sequence[Row], faults: Sequence[Fault], columns: int, short_by: int, text: Text, levels: int
) -> str:
    """Return a sentence on the unreadable rows among the inspected ones, "" if there are none."""
    width = columns - short_by
    broken = [(fault.line, fault.reason) for fault in faults]
    broken += [
        (row.line, ragged(row, width, text, levels > 0))
        for row in records[levels:]
        if not fits(row, width, short_by)
    ]
    if not broken:
        return ""
    line, reason = min(broken)
    inspected = len(records) + len(faults) - levels
    rows = "1 row is" if len(broken) == 1 else f"{thousands(len(broken))} rows are"
    return (
        f"{rows} broken among the first {thousands(inspected)}, the first in line {thousands(line)}: {reason}. Broken "
        "rows are set aside, and listed once the columns are chosen; correct them in the file to keep them."
    )


def _first_lines(path: Path) -> tuple[list[tuple[int, str]], bool]:
    """Return the first lines with their numbers, and True if they are all lines of the file."""
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


def _read_rows(
    lines: Sequence[tuple[int, str]], is_complete: bool, delimiter: str, limit: int = 10**9
) -> tuple[list[Row], list[Fault], int]:
    """Return the readable rows of the first lines, the unreadable ones, and the line of a row that may continue beyond
    these lines, 0 for none; nothing after it is read."""
    readable: list[Row] = []
    faults: list[Fault] = []
    for record in rows_of_lines(iter(lines), delimiter):
        if isinstance(record, Row):
            readable.append(record)
        elif record.endless or (not is_complete and record.reason == NEVER_CLOSED):
            return readable, faults, record.line
        else:
            faults.append(record)
        if len(readable) == limit:
            break
    return readable, faults, 0


def _count_title_rows(records: Sequence[Row]) -> int:
    """Return the number of title rows: rows of a single cell above the first row of several cells, without delimiters
    other than those in a sentence, which are followed by a space, or padded rows above names of columns."""
    if [row.cells[:index] for index, row in enumerate(records[:2], start=1)] == _GOLISTEN:
        return int(any(row.cells[0] for row in records[2:4]))  # below names of files, perhaps
    first_wide = next(
        (index for index, row in enumerate(records) if len([*filter(str.strip, row.cells)]) > 1), 0
    )
    above = records[:first_wide]
    is_title = not any(
        re.search(rf"{re.escape(delimiter)}(?! )", row.cells[0]) for row in above for delimiter in DELIMITERS
    )
    is_padded = any(len(row.cells) > 1 for row in above)
    if is_padded:
        is_title = all(row.cells[0].strip() or not any(row.cells) for row in above)
        is_title = is_title and not any(
            map(is_any_number, (*records[first_wide].cells, *(row.cells[0] for row in above)))
        )
    return first_wide if is_title and first_wide <= _MOST_TITLE and len(records) > first_wide + 1 else 0


def _guess_delimiter(lines: Sequence[tuple[int, str]], is_complete: bool) -> str:
    """Return the delimiter with which most rows have as many cells as the first one; in case of ties, that with most
    numbers, then with most cells, then the tab, which sentences do not contain."""
    best_score, delimiter = (0.0, 0.0, 0, False), ","
    for candidate in DELIMITERS:
        if not any(candidate in line for _, line in lines):
            continue
        readable = _read_rows(lines, is_complete, candidate, limit=200)[0]
        records = [record.cells for record in readable[_count_title_rows(readable) :]]
        if not records or len(records[0]) == 1:
            continue
        width = len(records[0])
        regularity = sum(len(cells) == width for cells in records) / len(records)
        cells = [cell for record in records for cell in record]
        numbers = sum(is_any_number(cell) for cell in cells) / len(cells)
        score = round(regularity, 1), numbers, width, candidate == "\t"
        if score > best_score:
            best_score, delimiter = score, candidate
    return delimiter


def _has_fraction(cell: str) -> bool:
    return is_number(cell) and not float(cell).is_integer()


def _has_header(first: Sequence[str], body: Sequence[Sequence[str]]) -> bool:
    """Return True where the first row names the columns. Numbers in it do so only where they count up (raters called 1,
    2, 3), stand above text, or are all different and no points of the scale below or beside a cell without a name;
    fractions above fractions never."""
    body = [row for row in body if [*row[: len(first)]] != [*first]]  # above each block of a table, perhaps
    above_numbers = [
        index
        for index, cell in enumerate(first)
        if is_any_number(cell)
        and all(is_any_number(row[index]) or row[index].strip().casefold() in MISSING for row in body)
    ]
    numbers = [first[index].strip() for index in above_numbers]
    if not numbers:  # most cells of a first row of data recur below it
        filled = [(index, cell.strip()) for index, cell in enumerate(first) if cell.strip()]
        recurring = [
            0 < sum(row[index].strip() == cell for row in body) < len(body) for index, cell in filled
        ]
        return not (len(body) > 1 and len(recurring) > 2 and sum(recurring) > 0.5 * len(recurring))
    if any(
        _has_fraction(first[index]) and any(_has_fraction(row[index]) for row in body)
        for index in above_numbers
    ):
        return False
    named_columns = (index for index, cell in enumerate(first) if plain_name(cell) in _COLUMN_NAMES)
    if any(all(row[index] != first[index] for row in body) for index in named_columns):
        return True
    if not all(cell.isdecimal() for cell in numbers):
        return False
    integers = [int(cell) for cell in numbers]
    counts_up = (
        len(integers) > 1
        and integers[0] in (0, 1)
        and integers == list(range(integers[0], integers[0] + len(integers)))
    )
    below = [cell for row in body for cell in row if is_number(cell)]
    low, high = min(map(float, below), default=0.0), max(map(float, below), default=0.0)
    all_different = len(integers) >= 5 and len(set(integers)) == len(integers)
    has_unnamed = any(
        not cell.strip() and all(row[index].strip() for row in body) for index, cell in enumerate(first)
    )
    return counts_up or (
        all_different and (has_unnamed or any(not low <= number <= high for number in integers))
    )


@dataclass(frozen=True)
class _Frame:
    """Fit between the names of the header and the cells of the rows. `width`: cells of the header that are names;
    `short_by`: last columns without a cell in any row; `row_names`: the first column has no name; `unnamed`: the last
    has none."""

    width: int
    short_by: int = 0
    row_names: bool = False
    unnamed: bool = False

    def column_names(self, header: Sequence[str]) -> list[str]:
        """Return the names of all columns, "" if the header has none."""
        return [*[_ROW_NAME] * self.row_names, *header[: self.width], *[""] * self.unnamed]

    def sentences(self, names: Sequence[str]) -> list[str]:
        """Return sentences on assumptions about the header."""
        empty = "this column is" if self.short_by == 1 else "these columns are"
        row_names = (
            "The header has one name less than the rows have cells, as R writes row names: the first column is called "
            f'"{names[0]}".'
        )
        if self.short_by:
            return [f"No row has a cell for {listed(names[-self.short_by :])}: {empty} empty."]
        return [row_names] if self.row_names else []


def _fit_frame(records: Sequence[Row], width: int, levels: int) -> _Frame:
    """Fit the header to rows that all have as many cells as each other, but not as many as the header."""
    header, body = records[0].cells, [row.cells for row in records[levels:]]
    lengths = {len(cells) for cells in body}
    if len(body) < _FEWEST_ROWS or len(lengths) > 1 or lengths == {width}:
        return _Frame(width)
    cells = lengths.pop()
    if width - _MOST_SHORT <= cells < width and cells > 1:
        has_name = bool("".join(header[cells:]).strip())
        return _Frame(width, short_by=width - cells) if has_name else _Frame(cells)
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


def _count_header_rows(records: Sequence[Row], width: int, text: Text, qualtrics: int) -> int:
    """Guess how many rows name the columns: none, one, or more where upper levels span several columns."""
    first = records[0].cells[:width]
    body = [record.cells for record in records[1 + qualtrics :] if len(record.cells) >= width][:200]
    if text.aside is None:
        frame = _fit_frame(records, width, 1)
        if frame.short_by:
            body = [[*record.cells, *[""] * frame.short_by] for record in records[1:201]]
        elif frame.row_names:
            body = [cells[1:] for cells in body]
    if not _has_header(first, body):
        return 0
    return 1 if qualtrics or text.parts else _count_levels(first, [cells[:width] for cells in body])


def _count_levels(upper: Sequence[str], rows: Sequence[Sequence[str]]) -> int:
    """Guess the number of header rows if the first row is one: more than one only if names of the first span several
    columns, the second row distinguishes these, and each span contains numbers below, or words of one set."""
    spans = _cut_last_span(_find_spans(upper), rows[0]) if rows else []
    if len(rows) < 1 + _FEWEST_BELOW or not spans:
        return 1
    lower, body = rows[0], list(rows[1:])
    deeper_levels = (
        _count_levels(lower, body) if len(_find_spans(lower)) > len(spans) and len(spans) > 1 else 1
    )
    if deeper_levels == 2:
        return 3
    spanned = [index for span in spans for index in span]
    levels = 2
    unspanned = [cell for index, cell in enumerate(body[0]) if index not in spanned]
    is_index_row = unspanned and all(cell.strip() and not re.search(r"\d", cell) for cell in unspanned)
    is_index_row = is_index_row and all(
        cell.strip() for index, cell in enumerate(lower) if index not in spanned
    )
    if is_index_row and not any(body[0][index].strip() for index in spanned):
        levels, body = 3, body[1:]  # pandas names the columns left of a pivot in their own row
    repeats_names = (
        len(spans) > 1 and len({tuple(lower[index].strip() for index in span) for span in spans}) == 1
    )
    has_numbers = any(map(is_any_number, lower))
    has_any_numbers = has_numbers or any(map(is_any_number, upper))
    below_each = repeats_names and not any(
        is_any_number(lower[index]) for index in range(len(lower)) if index not in spanned
    )
    if len(body) < _FEWEST_BELOW or (has_any_numbers and not below_each):
        return 1
    for span in spans:
        names = [lower[index].strip().casefold() for index in span]
        values_by_column = [
            {cell for row in body if (cell := row[index].strip().casefold()) not in MISSING} for index in span
        ]
        all_values = set().union(*values_by_column)
        if not all(names) or len(set(names)) < len(names) or set(names) & MISSING:
            return 1
        if set(names) & all_values and not has_numbers:
            return 1
        cell_count = sum(row[index].strip().casefold() not in MISSING for row in body for index in span)
        are_words = (
            len(all_values) <= _MOST_VALUES
            and len(body) >= _FEWEST_WORDS
            and 2 * len(all_values) <= cell_count
        )
        are_words = are_words or len(points_of(all_values)) == len(all_values)
        if not all(values_by_column) or not (all(map(is_any_number, all_values)) or are_words):
            return 1
    return levels


def _find_spans(upper: Sequence[str]) -> list[range]:
    """Return the columns that each name of an upper level spans, if it spans more than one."""
    starts, last = [], ""
    for index, cell in enumerate(upper):
        if cell.strip() not in ("", last):
            starts.append(index)
            last = cell.strip()
    spans = [range(start, end) for start, end in pairwise([*starts, len(upper)])]
    return [span for span in spans if len(span) > 1]


def _cut_last_span(spans: list[range], lower: Sequence[str]) -> list[range]:
    """Return the spans, the last one without further columns, such as notes, beyond the names that all spans share."""
    names = [tuple(lower[index].strip() for index in span) for span in spans]
    shared = {*names[:-1]}
    if len(shared) != 1 or names[-1][: len(names[0])] != names[0]:
        return spans
    return [*spans[:-1], spans[-1][: len(names[0])]]


def _join_levels(levels: Sequence[Sequence[str]], width: int, parts: int) -> list[str]:
    """Return the column names from one or more header rows; empty cells of upper levels repeat their left neighbor."""
    rows = [[" ".join(cell.split()) for cell in [*level, *[""] * width][:width]] for level in levels]
    if len(rows) == 1:
        return list(levels[0][:width])
    for depth, row in enumerate(rows[:-1]):
        above = rows[:depth]
        for index in range(1, width - parts):
            if not row[index] and all(upper[index] == upper[index - 1] for upper in above):
                row[index] = row[index - 1]
    first_unnamed = next((index for index, name in enumerate(rows[-1]) if not name), width)
    if len(rows) == 3 and first_unnamed < width and not any(rows[-1][first_unnamed:]):
        for index in range(first_unnamed):  # pandas names the columns left of a pivot in the last row
            rows[0][index] = rows[1][index] = ""
    return [BETWEEN_LEVELS.join(filter(None, level)) for level in zip(*rows, strict=True)]


def _distinct_names(first: Sequence[str], header: bool) -> tuple[list[str], list[str]]:
    """Return distinct names for the columns, and sentences on changed ones."""
    names: list[str] = []
    sentences: list[str] = []
    used: set[str] = set()
    copies: dict[str, int] = {}
    for number, cell in enumerate(first, start=1):
        full_name = " ".join(cell.replace("\0", "").split())
        preferred = full_name[:_LONGEST_NAME]
        name = preferred or f"column {number}"
        while name.casefold() in used:
            copy = copies[preferred.casefold()] = copies.get(preferred.casefold(), 1) + 1
            name = f"{preferred or 'column'} ({copy})"
        if header and not preferred:
            sentences.append(f'Column {number} has no name; it is called "{name}" here.')
        elif name != preferred and preferred:
            sentences.append(
                f'More than one column is called "{preferred}"; column {number} is called "{name}" here.'
            )
        if len(full_name) > _LONGEST_NAME:
            sentences.append(
                f"The name of column {number} has {thousands(len(full_name))} characters; it is called by the first "
                f"{_LONGEST_NAME} of them."
            )
        used.add(name.casefold())
        names.append(name)
    if len(sentences) > 5:
        sentences = [*sentences[:5], f"{len(sentences) - 5} more columns were given names in the same way."]
    return names, sentences


_NUMBERED = re.compile(r"V\d+")
"""Name of a metadata column in old exports of Qualtrics."""


def _count_qualtrics_rows(records: Sequence[Row]) -> int:
    """Return how many further header rows there are: Qualtrics writes the question's text and an ImportId below the
    name; before 2017 it called its own columns V1 to V10, with their names below."""
    first, second = (
        {*map(str.casefold, row.cells)} for row in (records[0], records[min(1, len(records) - 1)])
    )
    if {"responseid", "finished"} <= second - first:
        return int(any(map(_NUMBERED.fullmatch, records[0].cells)))
    for index in (1, 2):
        if len(records) > index:
            count = sum('"ImportId"' in cell for cell in records[index].cells)
            if count > 0.5 * len(records[index].cells):
                return index
    return 0


def _holds_questions(records: Sequence[Row]) -> bool:
    """Return True where the second row is no answer: it has a different text in every column that otherwise holds
    numbers, in two such columns or more, below its name."""
    names, second = records[0].cells, records[1].cells if len(records) > 1 else []
    body = [record.cells for record in records[2:202] if len(record.cells) == len(names) == len(second)]
    if len(body) < _FEWEST_BELOW:
        return False
    questions = []
    for index, cell in enumerate(second):
        answers = [row[index] for row in body if row[index].strip().casefold() not in MISSING]
        if len(answers) >= _FEWEST_BELOW and all(map(is_any_number, answers)):
            questions.append(cell.strip() if names[index].strip() else "")
    texts = [cell for cell in questions if re.search(r"[^\W\d_]{2}", cell) and cell.casefold() not in MISSING]
    return len(questions) > 1 and len({*texts}) == len(texts) == len(questions)


def _decimal_mark(sample: Sequence[Sequence[str]]) -> str:
    """Return "," if a column of numbers has decimal commas, else "."."""
    for cells in zip(*sample, strict=False):
        if not any("," in cell for cell in cells):
            continue
        distinct = {cell for cell in cells if cell.strip().casefold() not in MISSING}
        if any(is_comma_number(cell) for cell in distinct) and all(
            is_comma_number(cell) or cell.strip().lstrip("+-").isdecimal() for cell in distinct
        ):
            return ","
    return "."


def _inspect_column(name: str, cells: Sequence[str], decimal: str, within: tuple[str, ...]) -> SniffedColumn:
    filled = [cell.strip() for cell in cells if cell.strip()]
    counts = Counter(filled)
    numbers: dict[float, int] = {}
    for cell, count in counts.items():
        normalized = cell.replace(",", ".") if decimal == "," else cell
        if is_number(normalized):
            number = float(normalized)
            numbers[number] = numbers.get(number, 0) + count
    are_words = len(counts) <= _MOST_VALUES and all(
        len(value) <= _LONGEST_VALUE and is_sound(value) for value in counts
    )
    leading = sum(count for cell, count in counts.items() if begins_with_number(cell))
    return SniffedColumn(
        name=name,
        examples=tuple(example[:200] for example in islice(counts, 3)),
        numbers=sum(numbers.values()) / len(filled) if filled else 0.0,
        leading_numbers=leading / len(filled) if filled else 0.0,
        distinct=len(counts),
        filled=len(filled),
        low=min(numbers, default=float("nan")),
        high=max(numbers, default=float("nan")),
        within=within,
        values=tuple(counts.items()) if are_words else (),
    )
