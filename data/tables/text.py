"""Convert a file to UTF-8 text on disk in bounded chunks: detect its encoding, and refuse what is no table of text.

Everything that is not a table of text has a separate error message. A plain UTF-8 file is used as it is; others are
converted once. Results of passes over a file are cached.
"""

import codecs
import csv
import errno
import io
import re
import threading
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, TextIO, TypeVar
from urllib.parse import unquote

from analysis.values.estimate import thousands
from data.errors import DiskFull, NoFile, OverLimit, UnreadableFile
from data.settings import Settings, from_environment, shown, variable_of
from data.tables.sniffed import MISSING, Switch, is_number

CHUNK = 1 << 20
_GROWTH, _GROWN_FROM = 1000, 100 * 10**6
"""Maximum ratio of a text to its file above 100 MB: the highest compression ratio of gzip."""


def head_of(path: Path, size: int) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(size)
    except FileNotFoundError as error:
        raise NoFile(f"there is no file {path}") from error
    except OSError as error:
        raise NoFile(f"the file {path} cannot be opened ({error.strerror})") from error


def check_size(size: int) -> None:
    limit = from_environment().unpacked_size
    if size > limit:
        raise OverLimit(
            f"this file unpacks to more than the {shown('unpacked_size', limit)} that "
            "is allowed; split it, for instance by measure"
        )


def check_growth(size: int, upload: int) -> None:
    """Refuse a table whose texts repeat so much that its text is larger than any packing explains."""
    limit = max(_GROWTH * upload, _GROWN_FROM)
    if size > limit:
        raise OverLimit(
            f"the rows of this file repeat long texts or values: they come to more than {thousands(limit // 10**6)} "
            f"MB, {thousands(_GROWTH)} times its size. Leave the columns that repeat them out, or save the table as CSV"
        )


def check_columns(number: int, limits: Settings, subject: str = "the file") -> None:
    if number > limits.columns:
        raise OverLimit(
            f"{subject} has {thousands(number)} columns; at most {shown('columns', limits.columns)} can be read. "
            "Upload the ratings in long form, one row per rating"
        )


def check_rows(number: int, limits: Settings, subject: str = "rows") -> None:
    if number > limits.rows:
        raise OverLimit(
            f"the file has {thousands(number)} {subject}, more than the {shown('rows', limits.rows)} that "
            f"{variable_of('rows')} allows; split it, for instance by measure"
        )


@contextmanager
def writing(target: Path) -> Iterator[BinaryIO]:
    try:
        with target.open("wb") as output:
            yield output
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            raise DiskFull(
                f"there is no room in {target.parent} to unpack or decode the file; make room and try again"
            ) from error
        raise


@contextmanager
def writing_text(target: Path) -> Iterator[TextIO]:
    """Yield a UTF-8 text file to write, without translation of line ends."""
    with writing(target) as output, io.TextIOWrapper(output, encoding="utf-8", newline="") as text:
        yield text


Result = TypeVar("Result")
LARGE = 1 << 26
"""Bytes from which a file takes so long to read that two writes within it differ in modification time."""
SMALL = 1 << 20
"""Bytes up to which files are cached by their content."""
_MAX_CACHED = 16
_cache: dict[Hashable, Any] = {}
_cache_lock = threading.Lock()


def cached_by_path(path: Path, label: str, compute: Callable[[], Result]) -> Result:
    """Return the result of `compute` for a file, cached under `label` while the file is large and unchanged."""
    status = path.stat()
    if status.st_size < LARGE:
        return compute()
    return _get_or_compute((label, status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns), compute)


def cached_by_content(path: Path, key: Hashable, compute: Callable[[], Result]) -> Result:
    """Return the result of `compute` for a file, cached under `key` and the content if the file is small."""
    if path.stat().st_size > SMALL:
        return compute()
    return _get_or_compute((key, sha256(path.read_bytes()).digest()), compute)


def _get_or_compute(key: Hashable, compute: Callable[[], Result]) -> Result:
    with _cache_lock:
        if key in _cache:
            result: Result = _cache[key]
            return result
    result = compute()
    with _cache_lock:
        while len(_cache) >= _MAX_CACHED:
            del _cache[next(iter(_cache))]
        _cache[key] = result
    return result


MAX_LINE = 1 << 20
_LOOKED_AT = 50
"""Number of lines that are inspected for spaces between cells."""
_ENDING = 4096
_NOT_YET = "cannot be read yet: open it where it was made, save the table as CSV (UTF-8) and upload that"
_PACKED = "this file is packed with {}; unpack it, or pack it with gzip (.gz)"
_PICTURE = "this is a picture ({}), not a table; upload the table that it shows as CSV"
_SIGNATURES: tuple[tuple[bytes, str], ...] = (
    (b"\xd0\xcf\x11\xe0", f"this is an Excel 97-2003 file (.xls); these {_NOT_YET}"),
    (b"FEA1", f"this is a Feather file of the first version; these {_NOT_YET}"),
    (b"<stata_dta>", f"this is a Stata file; these {_NOT_YET}"),
    (b"SQLite format 3\x00", f"this is a SQLite database; these {_NOT_YET}"),
    (b"%PDF", "this is a PDF, not a table; upload the table behind it as CSV"),
    (b"\x89PNG", _PICTURE.format("PNG")),
    (b"\xff\xd8\xff", _PICTURE.format("JPEG")),
    (b"BZh", _PACKED.format("bzip2")),
    (b"\xfd7zXZ\x00", _PACKED.format("xz")),
    (b"7z\xbc\xaf'\x1c", "this is a 7-Zip archive; unpack it, or pack the one table with gzip (.gz)"),
    (b"(\xb5/\xfd", _PACKED.format("zstd")),
    (b"Rar!", "this is a RAR archive; unpack it and upload the table in it"),
    (b"\x1f\x8b", "this file was packed with gzip twice; unpack it once"),
)


@dataclass(frozen=True)
class Columns:
    """Typed columns of a file: the relation that has them as `c0`, `c1`, …, their database types, and a function that
    writes all rows as text."""

    relation: str
    types: tuple[str, ...]
    write: Callable[[], "Text"]


@dataclass(frozen=True)
class Text:
    """File as UTF-8 text on disk.

    `lines` is the number of lines without blank ones at the end; `ended` is True if the last one has a line end.
    `regular` is True if all lines are valid, free of NUL, of limited length and with the same line ends, so that the
    database can read the file directly. A row can span several lines only if the text is `quoted`. In the output of a
    format or reader, the last column of each row is its line in the upload, and the file `aside` contains the rejected
    rows: line, column, reason, value; `header` is True if the first row contains names (None if unknown), `notes` are
    sentences on assumptions, and `switches` the options of the reader. If several files or sheets were combined, the
    last `parts` columns name them, and `sample` contains the first rows of each. `source` is the kind of a file that
    was no text. If there are typed `columns`, only the first rows are written until `whole` is called. `title` is a row
    of one cell above the table of a sheet.
    """

    path: Path
    encoding: str
    lines: int
    regular: bool
    quoted: bool
    aside: Path | None = None
    header: bool | None = None
    notes: tuple[str, ...] = ()
    switches: tuple[Switch, ...] = ()
    parts: int = 0
    sample: Path | None = None
    title: str = ""
    ended: bool = True
    source: str = ""
    columns: Columns | None = None

    def whole(self) -> "Text":
        """Return the text with all rows."""
        return self if self.columns is None else self.columns.write()


def reads(head: bytes) -> bool:
    """Return True for every file, because this is the fallback and has a message for all that is no table."""
    return True


def as_text(path: Path, folder: Path, mapping: Mapping[str, object] | None = None) -> Text:
    """Return the file as UTF-8 text: itself if it is UTF-8, else converted into `folder`."""
    encoding = _detect_encoding(path)
    survey = None if encoding else cached_by_path(path, "text", lambda: _scan(path, "utf-8"))
    text = survey and replace(survey, path=path)  # it may have another name by now
    if text is None:
        decoded = folder / f"{path.name}.utf8"
        encoding = encoding or _guess_old_encoding(head_of(path, 1 << 16))
        _decode(path, decoded, encoding)
        text = _scan(decoded, encoding)
    if text is None:  # only text that we wrote ourselves
        raise UnreadableFile("the text of this file cannot be read; save it as CSV in UTF-8")
    surveyed = text
    notes = cached_by_path(text.path, "tabs", lambda: _describe_loose_tabs(surveyed)) if text.regular else ()
    is_pcibex = text.regular and head_of(text.path, len(_PCIBEX)) == _PCIBEX
    if is_pcibex:
        notes = ("The columns are named in comments, as PCIbex writes them.",)
    if notes:
        rewritten = folder / f"{path.name}.tabs"
        (_name_columns if is_pcibex else _rewrite_as_csv)(text.path, rewritten)
        text = replace(_scan(rewritten, encoding or "utf-8") or text, notes=notes)
    return text


def _detect_encoding(path: Path) -> str | None:
    """Return the encoding that the first bytes indicate, None for UTF-8 or an older one-byte or Asian encoding."""
    head = head_of(path, 1 << 16)
    if not head:
        raise UnreadableFile("this file is empty")
    for signature, message in _SIGNATURES:
        if head.startswith(signature):
            raise UnreadableFile(message)
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    nulls = {"utf-16-be": head[0::2].count(0), "utf-16-le": head[1::2].count(0)}
    encoding = max(nulls, key=nulls.__getitem__)
    if nulls[encoding] > 0.15 * len(head) and min(nulls.values()) < 0.01 * len(head):
        return encoding
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
    if re.match(rb"<(!doctype html|html|head|body|table|\?xml)", start, re.IGNORECASE):
        raise UnreadableFile(
            "this is a web page (HTML or XML), not a table; download the table itself as CSV and upload that"
        )
    return None


def _guess_old_encoding(head: bytes) -> str:
    """Return the encoding from before UTF-8 in which a file seems to be written, by its first bytes: of Japanese where
    they hold kana, of Chinese where bytes beyond ASCII come in pairs and mostly in several of them, as no accents do,
    else of western languages."""
    kana = re.findall(rb"\x82[\x9f-\xf1]|\x83[\x40-\x96]", head)
    pairs = re.findall(rb"[\xa1-\xfe]+", head)
    if len(kana) > 1:
        return "cp932"
    mostly_long = 2 * sum(len(pair) > 2 for pair in pairs) >= len(pairs) > 0
    return "gb18030" if mostly_long and not any(len(pair) % 2 for pair in pairs) else "windows-1252"


def _scan(path: Path, encoding: str) -> Text | None:
    """Scan a file once for line ends, NUL and over-long lines; return None if it is not UTF-8."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    size = line_feeds = carriage_returns = crlf_count = line_length = 0
    valid, at_boundary, has_odd_lines, quoted, last_byte, ending = True, True, False, False, b"", b""
    with path.open("rb") as file:
        while chunk := file.read(CHUNK):
            if valid and not (chunk.isascii() and at_boundary):
                try:
                    decoder.decode(chunk)
                    at_boundary = not decoder.getstate()[0]
                except UnicodeDecodeError:
                    if not _mostly_utf8(chunk):
                        return None
                    valid = False
            end = chunk.find(b"\n")
            has_odd_lines |= line_length + (len(chunk) if end < 0 else end) > MAX_LINE or b"\0" in chunk
            line_length = line_length + len(chunk) if end < 0 else len(chunk) - chunk.rfind(b"\n") - 1
            quoted |= b'"' in chunk
            line_feeds += chunk.count(b"\n")
            if b"\r" in chunk or last_byte == b"\r":
                carriage_returns += chunk.count(b"\r")
                crlf_count += chunk.count(b"\r\n") + (last_byte == b"\r" and chunk[:1] == b"\n")
            size += len(chunk)
            last_byte = chunk[-1:]
            ending = (ending + chunk[-_ENDING:])[-_ENDING:]
    if valid:
        try:
            decoder.decode(b"", final=True)
        except UnicodeDecodeError:
            valid = False
    blank = ending[len(ending.rstrip(b"\r\n")) :].replace(b"\r\n", b"\n")
    lines = line_feeds + carriage_returns - crlf_count + (last_byte not in b"\r\n") - max(len(blank) - 1, 0)
    uniform = carriage_returns == crlf_count and crlf_count in (0, line_feeds)
    encoding = encoding if valid else "damaged utf-8"
    return Text(
        path, encoding, lines, valid and uniform and not has_odd_lines, quoted, ended=last_byte in b"\r\n"
    )


_CLOSED = re.compile(r'[^"].*|"(?:[^"]|"")*"|')
"""Pattern of a valid CSV cell."""


def _describe_loose_tabs(text: Text) -> tuple[str, ...]:
    """Return sentences on a text of cells between tabs or spaces that is no CSV; none for any other.

    Its names may stand between spaces. Where each line has as many cells, but marks that open some are not closed, a
    quotation mark is part of a text: as CSV, it would swallow the rows that follow.
    """
    with text.path.open(encoding="utf-8-sig", newline="") as file:
        first, second = file.readline(MAX_LINE), file.readline(MAX_LINE)
        width = second.count("\t") + 1
        if _is_space_separated([first, second, *islice(file, _LOOKED_AT)]):
            return ("Spaces divide the cells of each row.",)
        has_spaced_names = (
            "\t" not in first and len(first.split()) == width > 2
        )  # names above cells between tabs
        if width < 2 or not (has_spaced_names or first.count("\t") + 1 == width):
            return ()
        file.seek(0)
        lines = iter(file)
        next(lines)
        has_loose_marks = False
        for line in lines if text.quoted else ():
            cells = line.rstrip("\r\n").split("\t")
            if len(cells) != width:
                has_loose_marks = False
                break
            has_loose_marks = has_loose_marks or ('"' in line and not all(map(_CLOSED.fullmatch, cells)))
    sentences = (
        ("The names in the first line stand between spaces, the cells below between tabs.",)
        if has_spaced_names
        else ()
    )
    marks = "Quotation marks are part of the texts: each line is a row."
    return (*sentences, marks) if has_loose_marks else sentences


def _is_space_separated(lines: Sequence[str]) -> bool:
    """Return True where nothing but spaces divides lines into as many cells, as R and SPSS write them: one column holds
    numbers, and the names in the first line may lack one for the rows."""
    if any(mark in line for line in lines for mark in ",;\t|"):
        return False
    first, *others = map(_cells_between_spaces, lines)
    widths = {len(cells) for cells in others}
    width = widths.pop() if len(widths) == 1 else 0
    numbers = [
        any(map(is_number, column)) and all(is_number(cell) or cell.casefold() in MISSING for cell in column)
        for column in (zip(*others, strict=False) if width > 1 else ())
    ]
    is_table = len(others) > 1 and len(first) in (width, width - 1)
    return is_table and (any(numbers) if width > 2 else bool(numbers) and all(numbers))


def _cells_between_spaces(line: str) -> list[str]:
    return next(csv.reader([line.strip()], delimiter=" ", skipinitialspace=True), [])


def _rewrite_as_csv(path: Path, target: Path) -> None:
    """Write a text with loose tabs, or with spaces, as CSV: its marks doubled, its cells between tabs."""
    with path.open(encoding="utf-8-sig", newline="") as source, writing(target) as output:
        size = 0
        for line in source:
            cells = line.rstrip("\r\n").split("\t") if "\t" in line else _cells_between_spaces(line)
            escaped = ['"' + cell.replace('"', '""') + '"' if '"' in cell else cell for cell in cells]
            size += output.write(("\t".join(escaped) + "\n").encode("utf-8"))
            check_size(size)


_PCIBEX = b"#\n# Results on "
"""First bytes of PCIbex results."""
_NAMED = re.compile(r"# (\d+)\. (.+)\.\s*")


def _name_columns(path: Path, target: Path) -> None:
    """Write results of PCIbex as CSV below the names that stand in their comments, each row in its line; the columns of
    the answers may differ from row to row, and the last is that of comments."""
    names: dict[str, None] = {}
    with path.open(encoding="utf-8-sig", newline="") as source:
        for line in source:
            names |= {match[2]: None} if (match := _NAMED.fullmatch(line)) else {}
    with path.open(encoding="utf-8-sig", newline="") as source, writing(target) as output:
        header = ",".join(name.replace('"', "").replace(",", " ") for name in names)
        size = output.write((header + "\n").encode("utf-8"))
        column_names: list[str] = []
        next(source)
        for line in source:
            row = ""
            if match := _NAMED.fullmatch(line):
                column_names = [*column_names[: int(match[1]) - 1], match[2]]
            elif not line.startswith("#") and line.strip():
                values = line.rstrip("\r\n").split(",")  # a comma in a cell is written as %2C
                cells = dict(zip(column_names, values, strict=False))
                texts = [unquote(cells.get(name, "")).replace('"', '""') for name in names]
                row = ",".join(f'"{cell}"' for cell in texts)
            size += output.write((" ".join(row.splitlines()) + "\n").encode("utf-8"))
            check_size(size)


def _mostly_utf8(chunk: bytes) -> bool:
    """Return True where this is UTF-8 with some damage rather than another encoding."""
    beyond_ascii = [c for c in chunk.decode("utf-8", "surrogateescape") if c > "\x7f"]
    damaged = sum("\udc80" <= c <= "\udcff" for c in beyond_ascii)
    return 4 * damaged <= len(beyond_ascii)


def _decode(path: Path, target: Path, encoding: str) -> None:
    size = 0
    try:
        with path.open(encoding=encoding, newline="") as source, writing(target) as output:
            while chunk := source.read(CHUNK):
                size += output.write(chunk.encode("utf-8"))
                check_size(size)
    except UnicodeError as error:
        problem = "this file begins as UTF-16 but is damaged further on"
        if not encoding.startswith("utf"):
            problem = "the text of this file is neither UTF-8 nor UTF-16 nor Windows-1252"
        raise UnreadableFile(f"{problem}; save it as CSV in UTF-8") from error
