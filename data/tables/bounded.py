"""Bytes of uploads, which are hostile or broken until shown otherwise: read and written in bounded pieces."""

import errno
import io
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, TextIO

from analysis.values.counts import thousands
from data.errors import DiskFull, NoFile, OverLimit, UnreadableFile
from data.settings import Settings, from_environment, shown, variable_of

CHUNK = 1 << 20
_GZIP, _ZIP = b"\x1f\x8b", b"PK\x03\x04"
_WORKBOOKS = {"[Content_Types].xml", "content.xml"}
"""A part of every Excel file, and of every OpenDocument one."""
_GROWTH, _GROWN_FROM = 1000, 100 * 10**6
"""How many times larger than a file its text may be, where it is larger than 100 MB: as much as gzip packs at most."""
_MEMBERS, _MEMBER = 1000, 1024
"""A .gz file may have this many members, and one more for each so many bytes; each costs time whatever it holds."""


@contextmanager
def unpacked(path: Path, folder: Path) -> Iterator[Path]:
    """The file itself, or what it holds where it is packed with gzip or ZIP, in `folder` for the time being."""
    files = packed_files(path)
    if files is None and head_of(path, 2) != _GZIP:
        yield path
        return
    plain = folder / f"{path.name}.unpacked"
    try:
        if files is None:
            _unpack(path, plain)
        elif len(files) == 1:
            unzip(path, files[0], plain)
        else:
            held = f"{thousands(len(files))} files" if files else "no file"
            raise UnreadableFile(
                f"this ZIP archive holds {held}; unpack it, and upload the files with the ratings together"
            )
        yield plain
    finally:
        plain.unlink(missing_ok=True)


def head_of(path: Path, size: int) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(size)
    except FileNotFoundError as error:
        raise NoFile(f"there is no file {path}") from error
    except OSError as error:
        raise NoFile(f"the file {path} cannot be opened ({error.strerror})") from error


def _unpack(path: Path, target: Path) -> None:
    """Unpacks gzip in bounded pieces; a few kilobytes can hold terabytes, or millions of members of nothing."""
    written = members = 0
    with path.open("rb") as packed, writing(target) as out:
        decoder = zlib.decompressobj(wbits=31)
        pending = packed.read(CHUNK)
        while pending:
            try:
                piece = decoder.decompress(pending, CHUNK)
            except zlib.error as error:
                raise UnreadableFile(
                    "this .gz file is damaged and cannot be unpacked; pack it again, or upload it unpacked"
                ) from error
            written += len(piece)
            check_size(written)
            out.write(piece)
            if decoder.eof:
                pending = decoder.unused_data or packed.read(CHUNK)
                if pending.strip(b"\0"):
                    members += 1
                    if members > _MEMBERS + packed.tell() // _MEMBER:
                        raise UnreadableFile(
                            "this .gz file is made of very many tiny packed pieces, which no packing program does; "
                            "unpack it and pack it again"
                        )
                    decoder = zlib.decompressobj(wbits=31)
            else:
                pending = decoder.unconsumed_tail or packed.read(CHUNK)
        if not decoder.eof:
            raise UnreadableFile("this .gz file ends too early; it was not copied or uploaded whole")


def packed_files(path: Path) -> list[zipfile.ZipInfo] | None:
    """The files in a ZIP archive; None for all else, and for an archive that is a workbook."""
    if head_of(path, 4) != _ZIP:
        return None
    try:
        with zipfile.ZipFile(path) as archive:
            members = archive.infolist()
    except (zipfile.BadZipFile, ValueError, NotImplementedError, OSError) as error:
        raise UnreadableFile(
            "this Excel file or ZIP archive is damaged or was not copied whole; save or upload it again"
        ) from error
    if any(member.filename in _WORKBOOKS for member in members):
        return None
    files = [
        member
        for member in members
        if not member.is_dir()
        and not member.filename.startswith("__MACOSX/")
        and not member.filename.endswith(".DS_Store")
    ]
    if any(file.flag_bits & 1 for file in files):
        raise UnreadableFile("this ZIP archive is locked with a password; unpack it and upload what is in it")
    return files


def unzip(path: Path, member: zipfile.ZipInfo, target: Path) -> None:
    """Unpacks one file of an archive in bounded pieces."""
    written = 0
    try:
        with zipfile.ZipFile(path) as archive, archive.open(member) as packed, writing(target) as out:
            while piece := packed.read(CHUNK):
                written += len(piece)
                check_size(written)
                out.write(piece)
    except (
        zipfile.BadZipFile,
        zlib.error,
        NotImplementedError,
        EOFError,
        OSError,
        ValueError,
        RuntimeError,
    ) as error:
        raise UnreadableFile(
            "this ZIP archive is damaged or packed in a way that cannot be read; pack it again, or upload what is in it"
        ) from error


def check_size(written: int) -> None:
    limit = from_environment().unpacked_size
    if written > limit:
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


def check_rows(number: int, limits: Settings, what: str = "rows") -> None:
    if number > limits.rows:
        raise OverLimit(
            f"the file has {thousands(number)} {what}, more than the {shown('rows', limits.rows)} that "
            f"{variable_of('rows')} allows; split it, for instance by measure"
        )


@contextmanager
def writing(target: Path) -> Iterator[BinaryIO]:
    try:
        with target.open("wb") as out:
            yield out
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            raise DiskFull(
                f"there is no room in {target.parent} to unpack or decode the file; make room and try again"
            ) from error
        raise


@contextmanager
def writing_text(target: Path) -> Iterator[TextIO]:
    """A file of UTF-8 text to write, with line ends as they are written."""
    with writing(target) as out, io.TextIOWrapper(out, encoding="utf-8", newline="") as text:
        yield text
