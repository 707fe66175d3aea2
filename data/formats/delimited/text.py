"""From a file's bytes to UTF-8 text on disk: compression, encoding, and what is no table of text.

Uploads are hostile or broken until shown otherwise, so bytes are read in bounded pieces, and everything that
is not a table of text gets a sentence of its own. A plain UTF-8 file is used where it lies; all others are
written out once as UTF-8.
"""

import codecs
import errno
import re
import zlib
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from data.errors import DiskFull, OverLimit, UnreadableFile
from data.settings import from_environment, shown, variable_of

MAX_LINE = 1 << 20
_CHUNK = 1 << 20
_ENDING = 4096
_MEMBERS, _MEMBER = 1000, 1024
"""A .gz file may have this many members, and one more for each so many bytes; each costs time whatever it holds."""
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


@contextmanager
def as_text(path: Path, folder: Path) -> Iterator[Text]:
    """The file as UTF-8 on disk: itself where it is that already, else written into `folder` for the time
    being.
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
