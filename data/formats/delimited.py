"""From a file's bytes to rows of text: encoding, compression, delimiter, header, and what is wrong with the
file.

Uploads are hostile or broken until shown otherwise, so bytes are read in bounded pieces, and everything that
is not a table of text gets a sentence of its own. A plain UTF-8 file is used where it lies; all others are
written out once as UTF-8. Delimiter and header are decided here rather than by the database's sniffer, which
takes a ragged file for one column of text without a word.
"""

import codecs
import csv
import errno
import re
import tempfile
import zlib
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, TextIO

from data.errors import DiskFull, OverLimit, UnreadableFile
from data.settings import from_environment, shown, variable_of

MAX_LINE = 1 << 20
MAX_COLUMNS = 2000
DELIMITERS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "vertical bar"}
_CHUNK = 1 << 20
_SAMPLE_CHARACTERS = 1 << 19
_SAMPLE_ROWS = 2000
_ENDING = 4096
_MEMBERS, _MEMBER = 1000, 1024
"""A .gz file may have this many members, and one more for each so many bytes; each costs time whatever it holds."""
csv.field_size_limit(MAX_LINE)

NUMBER = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*")
_COMMA_NUMBER = re.compile(r"\s*[+-]?\d*,\d+\s*")
LEADING_NUMBER = r"^\s*([+-]?\d+(?:[.,]\d+)?)(?:\s*[-–—:=.)(/]|\s)\s*[^\s\d]"

_NOT_YET = "cannot be read yet: open it where it was made, save the table as CSV (UTF-8) and upload that"
_SIGNATURES: tuple[tuple[bytes, str], ...] = (
    (b"PK\x03\x04", f"this is an Excel file, or another ZIP archive; these {_NOT_YET}"),
    (b"\xd0\xcf\x11\xe0", f"this is an Excel 97-2003 file (.xls); these {_NOT_YET}"),
    (b"PAR1", f"this is a Parquet file; these {_NOT_YET}"),
    (b"ARROW1", f"this is an Arrow file; these {_NOT_YET}"),
    (b"$FL2", f"this is an SPSS file; these {_NOT_YET}"),
    (b"<stata_dta>", f"this is a Stata file; these {_NOT_YET}"),
    (b"SQLite format 3\x00", f"this is a SQLite database; these {_NOT_YET}"),
    (b"%PDF", "this is a PDF, not a table; upload the table behind it as CSV"),
    (b"\x89PNG", "this is a picture (PNG), not a table"),
    (b"\xff\xd8\xff", "this is a picture (JPEG), not a table"),
    (b"BZh", "this file is packed with bzip2; unpack it, or pack it with gzip (.gz)"),
    (b"\xfd7zXZ\x00", "this file is packed with xz; unpack it, or pack it with gzip (.gz)"),
    (b"7z\xbc\xaf'\x1c", "this is a 7-Zip archive; unpack it, or pack the one table with gzip (.gz)"),
    (b"(\xb5/\xfd", "this file is packed with zstd; unpack it, or pack it with gzip (.gz)"),
    (b"Rar!", "this is a RAR archive; unpack it and upload the table in it"),
    (b"\x1f\x8b", "this file was packed with gzip twice; unpack it once"),
)
_GZIP = b"\x1f\x8b"


@dataclass(frozen=True)
class Text:
    """A file as UTF-8 text on disk.

    `lines` counts its lines, without blank ones at the end. `regular` is whether every line can be trusted to be
    valid, free of NUL, of reasonable length and ends alike, so that the database may read it directly.
    """

    path: Path
    encoding: str
    lines: int
    regular: bool


@dataclass(frozen=True)
class SniffedColumn:
    """One column of the file and what the rows looked at hold: up to three different `examples`; of its
    filled cells, the share that are numbers and the share that begin with one ("4 - good"); the `distinct`
    values and `filled` cells among the rows looked at; and the range of the numbers."""

    name: str
    examples: tuple[str, ...]
    numbers: float
    leading_numbers: float
    distinct: int
    filled: int
    low: float
    high: float


@dataclass(frozen=True)
class Sniffed:
    """What a file looks like. `rows` is an estimate where cells hold line breaks. `before` is the number of
    lines that come before the first row of data; `looked_at` the number of rows that the columns' facts rest
    on. `problems` are sentences for the user."""

    encoding: str
    delimiter: str
    decimal: str
    header: bool
    before: int
    columns: tuple[SniffedColumn, ...]
    rows: int
    looked_at: int
    problems: tuple[str, ...]
    regular: bool

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns)


@dataclass(frozen=True)
class Fault:
    """A row that cannot be read: its line, why, and the beginning of its text."""

    line: int
    reason: str
    value: str


def sniff(path: Path, header: bool | None = None) -> Sniffed:
    """Looks at a file and says how it is to be read; `header` overrules what is guessed about the first row.

    Raises
    ------
    UnreadableFile
        where it holds no table of text; the message says what it is and what to do.
    OverLimit, DiskFull
        where it unpacks to more than may be read, or there is no room to unpack it.
    """
    with tempfile.TemporaryDirectory() as folder, as_text(path, Path(folder)) as text:
        return describe(text, header)


@contextmanager
def as_text(path: Path, folder: Path) -> Iterator[Text]:
    """The file as UTF-8 on disk: itself where it is that already, else written into `folder` for the time
    being.

    Raises
    ------
    UnreadableFile, OverLimit, DiskFull
        as `sniff`.
    """
    packed = _head(path, 2) == _GZIP
    plain = folder / f"{path.name}.unpacked" if packed else path
    decoded = folder / f"{path.name}.utf8"
    try:
        if packed:
            _unpack(path, plain)
        encoding = _encoding(plain)
        text = None if encoding else _survey(plain, "utf-8")
        if text is None:
            encoding = encoding or "windows-1252"
            _decode(plain, decoded, encoding)
            text = _survey(decoded, encoding)
        if text is None:  # only text that we wrote ourselves
            raise UnreadableFile("the text of this file cannot be read; save it as CSV in UTF-8")
        yield text
    finally:
        decoded.unlink(missing_ok=True)
        if packed:
            plain.unlink(missing_ok=True)


def describe(text: Text, header: bool | None = None) -> Sniffed:
    """What `sniff` finds, for a file that is text already.

    Raises
    ------
    UnreadableFile
        where there is no table in the text.
    """
    lines, whole = _first_lines(text.path)
    problems: list[str] = []
    if text.encoding == "windows-1252":
        problems.append("The file is not UTF-8; it was read as Windows-1252. Check names with accents.")
    if text.encoding == "damaged utf-8":
        problems.append("Some bytes of the file are not valid UTF-8; the rows that hold them are set aside.")
    skipped, told = _separator_line(lines)
    delimiter = told or _delimiter(lines[skipped:], whole)
    records = _read(lines[skipped:], whole, delimiter)
    if not records:
        raise UnreadableFile("no row of this file can be read; open it and save it again as CSV in UTF-8")
    first = records[0]
    width = len(first.cells)
    if width > MAX_COLUMNS:
        raise UnreadableFile(
            f"the first row has {width:,} columns; at most {MAX_COLUMNS:,} can be read. Upload the ratings "
            "in long form, one row per rating"
        )
    if width == 1:
        raise UnreadableFile(
            "there is only one column in this file: neither comma, semicolon, tab nor vertical bar divides "
            "its rows. A table of ratings needs at least the item, the rater and the score"
        )
    body = [record for record in records[1:] if len(record.cells) >= width]
    guessed = header is None
    if header is None:
        header = _has_header(first.cells, [record.cells for record in body[:200]])
    names, said = _names(first.cells if header else [""] * width, header)
    problems += said
    before = skipped
    if header:
        before = first.last_line
        qualtrics = _qualtrics_rows(records)
        if qualtrics:
            before = records[qualtrics].last_line
            names = _qualtrics_names(names, records[1].cells)
            body = body[qualtrics:]
            problems.append(
                f"Lines 2 to {before} are further header rows, as Qualtrics writes them; they are no ratings "
                "and are left out."
            )
    else:
        before = first.line - 1
        body = [first, *body]
        why = "holds numbers, so the file seems to have no header" if guessed else "was read as data"
        problems.append(f"The first row {why}; the columns are called by their number.")
    rows = max(text.lines - before, 0)
    if not body and rows < 1:
        raise UnreadableFile("this file has a header but no rows; nothing can be imported")
    sample = [record.cells for record in body[:_SAMPLE_ROWS]]
    decimal = _decimal(sample)
    columns = tuple(_column(name, [row[at] for row in sample], decimal) for at, name in enumerate(names))
    return Sniffed(
        encoding=text.encoding,
        delimiter=delimiter,
        decimal=decimal,
        header=header,
        before=before,
        columns=columns,
        rows=rows,
        looked_at=len(sample),
        problems=tuple(problems),
        regular=text.regular and first.last_line == first.line,
    )


# --- bytes --------------------------------------------------------------------------------------------------


def _head(path: Path, size: int) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(size)
    except FileNotFoundError as error:
        raise UnreadableFile(f"there is no file {path}") from error
    except OSError as error:
        raise UnreadableFile(f"the file {path} cannot be opened ({error.strerror})") from error


def _unpack(path: Path, target: Path) -> None:
    """Unpacks gzip in bounded pieces; a few kilobytes can hold terabytes, or millions of members of nothing."""
    written = members = 0
    with path.open("rb") as packed, _writing(target) as out:
        decoder = zlib.decompressobj(wbits=31)
        pending = packed.read(_CHUNK)
        while pending:
            try:
                piece = decoder.decompress(pending, _CHUNK)
            except zlib.error as error:
                raise UnreadableFile(
                    "this .gz file is damaged and cannot be unpacked; pack it again, or upload it unpacked"
                ) from error
            written += len(piece)
            _check_size(written)
            out.write(piece)
            if decoder.eof:
                pending = decoder.unused_data or packed.read(_CHUNK)
                if pending.strip(b"\0"):
                    members += 1
                    if members > _MEMBERS + packed.tell() // _MEMBER:
                        raise UnreadableFile(
                            "this .gz file is made of very many tiny packed pieces, which no packing program does; "
                            "unpack it and pack it again"
                        )
                    decoder = zlib.decompressobj(wbits=31)
            else:
                pending = decoder.unconsumed_tail or packed.read(_CHUNK)
        if not decoder.eof:
            raise UnreadableFile("this .gz file ends too early; it was not copied or uploaded whole")


def _encoding(path: Path) -> str | None:
    """The encoding that the first bytes tell; None where they leave UTF-8 or Windows-1252."""
    head = _head(path, 1 << 16)
    if not head:
        raise UnreadableFile("this file is empty")
    for signature, what in _SIGNATURES:
        if head.startswith(signature):
            raise UnreadableFile(what)
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    nulls = {"utf-16-be": head[0::2].count(0), "utf-16-le": head[1::2].count(0)}
    likely = max(nulls, key=nulls.__getitem__)
    if nulls[likely] > 0.15 * len(head) and min(nulls.values()) < 0.01 * len(head):
        return likely
    control = sum(count for byte, count in Counter(head).items() if byte < 32 and byte not in b"\t\n\r\f\0")
    if head.count(0) > max(0.05 * len(head), 16) or (control > 0.05 * len(head) and not _mostly_utf8(head)):
        raise UnreadableFile(
            "this is a binary file, not a table of text; save the table as CSV and upload that"
        )
    start = head.removeprefix(codecs.BOM_UTF8).lstrip()
    if not start:
        if path.stat().st_size <= len(head):
            raise UnreadableFile("this file holds nothing but white space")
        raise UnreadableFile("this file begins with nothing but white space; remove it")
    if start[:1] in (b"{", b"[") and re.match(rb"[\[{]\s*[\[{\"\]}]", start):
        raise UnreadableFile(f"this is a JSON file; these {_NOT_YET}")
    if re.match(rb"<(!doctype html|html|head|body|table|\?xml)", start, re.IGNORECASE):
        raise UnreadableFile(
            "this is a web page (HTML or XML), not a table; download the table itself as CSV and upload that"
        )
    return None


def _survey(path: Path, encoding: str) -> Text | None:
    """Reads a file once in pieces: line ends, NUL, over-long lines; None where it is not UTF-8."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    size = feeds = returns = both = carried = 0
    valid, odd, last, ending = True, False, b"", b""
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            if valid:
                try:
                    decoder.decode(chunk)
                except UnicodeDecodeError:
                    if not _mostly_utf8(chunk):
                        return None
                    valid = False
            end = chunk.find(b"\n")
            odd |= carried + (len(chunk) if end < 0 else end) > MAX_LINE or b"\0" in chunk
            carried = carried + len(chunk) if end < 0 else len(chunk) - chunk.rfind(b"\n") - 1
            feeds += chunk.count(b"\n")
            if b"\r" in chunk or last == b"\r":
                returns += chunk.count(b"\r")
                both += chunk.count(b"\r\n") + (last == b"\r" and chunk[:1] == b"\n")
            size += len(chunk)
            last = chunk[-1:]
            ending = (ending + chunk)[-_ENDING:]
    if valid:
        try:
            decoder.decode(b"", final=True)
        except UnicodeDecodeError:
            valid = False
    blank = ending[len(ending.rstrip(b"\r\n")) :].replace(b"\r\n", b"\n")
    lines = feeds + returns - both + (last not in b"\r\n") - max(len(blank) - 1, 0)
    uniform = returns == both and both in (0, feeds)
    return Text(path, encoding if valid else "damaged utf-8", lines, valid and uniform and not odd)


def _mostly_utf8(piece: bytes) -> bool:
    """Whether this is UTF-8 with some damage rather than another encoding."""
    beyond_ascii = [c for c in piece.decode("utf-8", "surrogateescape") if c > "\x7f"]
    bad = sum("\udc80" <= c <= "\udcff" for c in beyond_ascii)
    return 4 * bad <= len(beyond_ascii)


def _decode(path: Path, target: Path, encoding: str) -> None:
    written = 0
    try:
        with path.open(encoding=encoding, newline="") as source, _writing(target) as out:
            while piece := source.read(_CHUNK):
                written += out.write(piece.encode("utf-8"))
                _check_size(written)
    except UnicodeError as error:
        if encoding == "windows-1252":
            raise UnreadableFile(
                "the text of this file is neither UTF-8 nor UTF-16 nor Windows-1252; save it as CSV in UTF-8"
            ) from error
        raise UnreadableFile(
            "this file begins as UTF-16 but is damaged further on; save it as CSV in UTF-8"
        ) from error


def _check_size(written: int) -> None:
    limit = from_environment().unpacked_size
    if written > limit:
        raise OverLimit(
            f"this file unpacks to more than the {shown('unpacked_size', limit)} that "
            f"{variable_of('unpacked_size')} allows; split it, for instance by measure"
        )


@contextmanager
def _writing(target: Path) -> Iterator[BinaryIO]:
    try:
        with target.open("wb") as out:
            yield out
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            raise DiskFull(
                f"there is no room in {target.parent} to unpack or decode the file; make room and try again"
            ) from error
        raise


# --- rows ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Row:
    """One row of cells, and the first and last line of the file that it stands on."""

    line: int
    last_line: int
    cells: list[str]


def rows(path: Path, skip: int, delimiter: str) -> Iterator[Row | Fault]:
    """The rows of a text from line `skip + 1` on, whatever is in it; blank lines are no rows.

    A quotation mark that is never closed costs its own line only: reading goes on after that line.
    """
    with path.open(encoding="utf-8-sig", errors="surrogateescape", newline="") as file:
        numbered = _numbered_lines(file)
        for _ in range(skip):
            next(numbered, None)
        yield from _rows(numbered, delimiter)


def _numbered_lines(file: TextIO) -> Iterator[tuple[int, str]]:
    """Lines with their numbers; of an over-long one only the beginning, which is longer than `MAX_LINE`."""
    number = 0
    while line := file.readline(MAX_LINE + 1):
        number += 1
        yield number, line
        while len(line) > MAX_LINE and line[-1] not in "\r\n":
            line = file.readline(MAX_LINE + 1)
            if len(line) <= MAX_LINE:
                break


def _rows(numbered: Iterator[tuple[int, str]], delimiter: str) -> Iterator[Row | Fault]:
    pending: deque[tuple[int, str]] = deque()
    taken: list[tuple[int, str]] = []
    ended = False

    def feed() -> Iterator[str]:
        nonlocal ended
        ended = False
        while True:
            number, line = pending.popleft() if pending else next(numbered, (0, ""))
            if number == 0:
                ended = True
                return
            taken.append((number, line))
            yield line

    reader = csv.reader(feed(), delimiter=delimiter)
    while True:
        taken.clear()
        reason = ""
        cells: list[str] = []
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error:
            reason = f"a cell is longer than {MAX_LINE:,} characters"
            if len(taken) > 1:
                reason = f"a quotation mark opens a cell that does not end within {MAX_LINE:,} characters"
        if not reason and ended and _left_open(taken, delimiter):
            reason = "a quotation mark opens a cell that does not end before the file does"
        if reason:
            pending.extendleft(reversed(taken[1:]))
            reader = csv.reader(feed(), delimiter=delimiter)
        line, text = taken[0]
        if len(text) > MAX_LINE:
            reason = f"the line is longer than {MAX_LINE:,} characters"
        elif any("\0" in part for _, part in taken):
            reason = reason or "the row holds a NUL character, a sign of a damaged file"
        elif any("\udc80" <= c <= "\udcff" for _, part in taken if not part.isascii() for c in part):
            reason = reason or "the row holds bytes that are not valid UTF-8"
        if reason:
            yield Fault(line, reason, _shown(text))
        elif cells:
            yield Row(line, taken[-1][0], cells)


def _left_open(taken: list[tuple[int, str]], delimiter: str) -> bool:
    try:
        for _ in csv.reader((text for _, text in taken), delimiter=delimiter, strict=True):
            pass
    except csv.Error as error:
        return "unexpected end" in str(error)
    return False


def _shown(text: str) -> str:
    return re.sub("[\0\udc80-\udcff]", "\ufffd", text[:200].rstrip("\r\n"))


# --- what the rows look like --------------------------------------------------------------------------------


def _first_lines(path: Path) -> tuple[list[tuple[int, str]], bool]:
    """The first lines with their numbers, and whether they are all there are."""
    lines = []
    characters = 0
    with path.open(encoding="utf-8-sig", errors="surrogateescape", newline="") as file:
        for number, line in _numbered_lines(file):
            if number == 1 and len(line) > MAX_LINE:
                raise UnreadableFile(
                    f"the first line is longer than {MAX_LINE:,} characters, so this is hardly a table with "
                    "one row per line; check the line ends, or save it again as CSV"
                )
            lines.append((number, line))
            characters += len(line)
            if characters > _SAMPLE_CHARACTERS:
                return lines, False
    return lines, True


def _separator_line(lines: Sequence[tuple[int, str]]) -> tuple[int, str | None]:
    """Excel's own hint in the first line, `sep=;`: the lines it takes, and the delimiter it tells."""
    found = re.fullmatch(r"\"?sep=(.)\"?", lines[0][1].strip("\r\n ") if lines else "")
    return (1, found[1]) if found and found[1] in DELIMITERS else (0, None)


def _read(lines: Sequence[tuple[int, str]], whole: bool, delimiter: str, most: int = 10**9) -> list[Row]:
    """The readable rows of the first lines; without the last ones where a cell may go on beyond these
    lines."""
    found: list[Row] = []
    for record in _rows(iter(lines), delimiter):
        if isinstance(record, Row):
            found.append(record)
        elif not whole and "before the file does" in record.reason:
            break
        if len(found) == most:
            break
    return found


def _delimiter(lines: Sequence[tuple[int, str]], whole: bool) -> str:
    """The delimiter under which most rows have as many cells as the first; then the one that bares most
    numbers."""
    best, delimiter = (0.0, 0.0, 0), ","
    for candidate in DELIMITERS:
        records = [record.cells for record in _read(lines, whole, candidate, most=200)]
        if not records or len(records[0]) == 1:
            continue
        width = len(records[0])
        alike = sum(len(cells) == width for cells in records) / len(records)
        cells = [cell for record in records for cell in record]
        numbers = sum(_is_number(cell) for cell in cells) / len(cells)
        if (round(alike, 1), numbers, width) > best:
            best, delimiter = (round(alike, 1), numbers, width), candidate
    return delimiter


def _is_number(cell: str) -> bool:
    return NUMBER.fullmatch(cell) is not None or _COMMA_NUMBER.fullmatch(cell) is not None


def _has_header(first: Sequence[str], body: Sequence[Sequence[str]]) -> bool:
    """Whether the first row names the columns. Numbers in it do so only where they count up or are all
    different (raters called 1, 2, 3), or stand above text."""
    numbers = [
        cell.strip()
        for at, cell in enumerate(first)
        if _is_number(cell) and all(_is_number(row[at]) or not row[at].strip() for row in body)
    ]
    if not numbers:
        return True
    if not all(cell.isdecimal() for cell in numbers):
        return False
    whole = [int(cell) for cell in numbers]
    counting = len(whole) > 1 and whole[0] in (0, 1) and whole == list(range(whole[0], whole[0] + len(whole)))
    return counting or (len(whole) >= 5 and len(set(whole)) == len(whole))


def _names(first: Sequence[str], header: bool) -> tuple[list[str], list[str]]:
    """Distinct names for the columns, and sentences about those that had to be changed."""
    names: list[str] = []
    said: list[str] = []
    taken: set[str] = set()
    for number, cell in enumerate(first, start=1):
        wished = " ".join(cell.replace("\0", "").split())[:200]
        name = wished or f"column {number}"
        copy = 1
        while name.casefold() in taken:
            copy += 1
            name = f"{wished or 'column'} ({copy})"
        if header and not wished:
            said.append(f'Column {number} has no name; it is called "{name}" here.')
        elif name != wished and wished:
            said.append(
                f'More than one column is called "{wished}"; column {number} is called "{name}" here.'
            )
        taken.add(name.casefold())
        names.append(name)
    if len(said) > 5:
        said = [*said[:5], f"{len(said) - 5} more columns were given names in the same way."]
    return names, said


def _qualtrics_rows(records: Sequence[Row]) -> int:
    """How many further header rows there are: Qualtrics writes the question's text and an ImportId below the
    name."""
    for at in (1, 2):
        if len(records) > at:
            marked = sum('"ImportId"' in cell for cell in records[at].cells)
            if marked > 0.5 * len(records[at].cells):
                return at
    return 0


def _qualtrics_names(names: list[str], questions: Sequence[str]) -> list[str]:
    """Where questions differ by what follows ' - ' (one per clip), that part is the better name."""
    tails = {at: text.rsplit(" - ", 1)[1].strip() for at, text in enumerate(questions) if " - " in text}
    better = [tails.get(at) or name for at, name in enumerate(names)]
    return better if len({name.casefold() for name in better}) == len(better) else names


def _decimal(sample: Sequence[Sequence[str]]) -> str:
    """The decimal comma, where a column holds nothing but numbers and writes some of them so."""
    for cells in zip(*sample, strict=False):
        filled = [cell for cell in cells if cell.strip()]
        with_comma = sum(_COMMA_NUMBER.fullmatch(cell) is not None for cell in filled)
        if with_comma and all(
            _COMMA_NUMBER.fullmatch(c) or c.strip().lstrip("+-").isdecimal() for c in filled
        ):
            return ","
    return "."


def _column(name: str, cells: Sequence[str], decimal: str) -> SniffedColumn:
    filled = [cell.strip() for cell in cells if cell.strip()]
    different = list(dict.fromkeys(filled))
    as_written = [cell.replace(",", ".") if decimal == "," else cell for cell in filled]
    numbers = [float(cell) for cell in as_written if NUMBER.fullmatch(cell)]
    leading = sum(re.match(LEADING_NUMBER, cell) is not None for cell in filled)
    return SniffedColumn(
        name=name,
        examples=tuple(example[:200] for example in different[:3]),
        numbers=len(numbers) / len(filled) if filled else 0.0,
        leading_numbers=leading / len(filled) if filled else 0.0,
        distinct=len(different),
        filled=len(filled),
        low=min(numbers, default=float("nan")),
        high=max(numbers, default=float("nan")),
    )
