"""Packed uploads: gzip, and the files in ZIP and tar archives, unpacked in bounded pieces.

No name in an archive is ever used as a path, and only its plain files are read: no links, no devices.
"""

import re
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO

from analysis.values.estimate import thousands
from data.errors import UnreadableFile
from data.tables.text import CHUNK, check_size, head_of, writing

_GZIP, _ZIP, _TAR, _TAR_AT = b"\x1f\x8b", b"PK\x03\x04", b"ustar", 257
_WORKBOOKS = {"[Content_Types].xml", "content.xml"}
"""Members by which Excel and OpenDocument workbooks are recognized."""
_MEMBERS, _MEMBER = 1000, 1024
"""Maximum number of members of a .gz file, plus one per so many bytes, since each takes time whatever its size."""
_MOST_ENTRIES = 10_000
"""Maximum number of entries of a tar archive, which has no index and is read entry by entry."""
_DOCUMENT = re.compile(
    r"(read[ _-]?me|licen[cs]e|citation|changelog)(\.txt|\.html?|\.cff)?|.*\.(md|rst|pdf)", re.IGNORECASE
)
"""Names of texts about the tables beside them."""
_DAMAGE = (
    zipfile.BadZipFile, tarfile.TarError, zlib.error, NotImplementedError, EOFError, OSError, ValueError, OverflowError,
    RuntimeError,
)  # fmt: skip


@dataclass(frozen=True)
class Packed:
    """File in an archive: its name, and the size that the archive states."""

    name: str
    size: int
    entry: zipfile.ZipInfo | tarfile.TarInfo


def gunzipped(path: Path, folder: Path) -> Path:
    """Return the file itself, or what it holds where it is packed with gzip, in `folder`."""
    if head_of(path, 2) != _GZIP:
        return path
    unpacked = folder / f"{path.name}.unpacked"
    _gunzip(path, unpacked)
    return unpacked


def only_file(path: Path, folder: Path) -> Path:
    """Return the file itself, or the one file in this archive, in `folder`."""
    files = packed_files(path)
    if files is None:
        return path
    if len(files) != 1:
        count_text = f"{thousands(len(files))} files" if files else "no file"
        raise UnreadableFile(
            f"this archive holds {count_text}; unpack it, and upload the files with the ratings together"
        )
    extracted = folder / f"{path.name}.only"
    extract(path, files[0], extracted)
    return extracted


def _gunzip(path: Path, target: Path) -> None:
    """Unpack gzip in bounded pieces; a few kilobytes can hold terabytes, or millions of members of nothing."""
    size = members = 0
    with path.open("rb") as packed, writing(target) as output:
        decoder = zlib.decompressobj(wbits=31)
        compressed = packed.read(CHUNK)
        while compressed:
            try:
                chunk = decoder.decompress(compressed, CHUNK)
            except zlib.error as error:
                raise UnreadableFile(
                    "this .gz file is damaged and cannot be unpacked; pack it again, or upload it unpacked"
                ) from error
            size += len(chunk)
            check_size(size)
            output.write(chunk)
            if decoder.eof:
                compressed = decoder.unused_data or packed.read(CHUNK)
                if compressed.strip(b"\0"):
                    members += 1
                    if members > _MEMBERS + packed.tell() // _MEMBER:
                        raise UnreadableFile(
                            "this .gz file is made of very many tiny packed pieces, which no packing program does; "
                            "unpack it and pack it again"
                        )
                    decoder = zlib.decompressobj(wbits=31)
            else:
                compressed = decoder.unconsumed_tail or packed.read(CHUNK)
        if not decoder.eof:
            raise UnreadableFile("this .gz file ends too early; it was not copied or uploaded whole")


def packed_files(path: Path, documents: bool = False) -> list[Packed] | None:
    """Return the files in a ZIP or tar archive, without a README and the like beside others, or only these `documents`;
    None for all else, and for an archive that is a workbook."""
    head = head_of(path, _TAR_AT + len(_TAR))
    if head.startswith(_ZIP):
        files = _list_zip(path)
    elif head.endswith(_TAR) and len(head) > _TAR_AT:
        files = _list_tar(path)
    else:
        return None
    if files is None:
        return None
    files = [file for file in files if not _is_system_file(file.name)]
    tables = [file for file in files if not _DOCUMENT.fullmatch(PurePosixPath(file.name).name)] or files
    return [file for file in files if (file in tables) is not documents]


def _list_zip(path: Path) -> list[Packed] | None:
    try:
        with zipfile.ZipFile(path) as archive:
            members = archive.infolist()
    except (zipfile.BadZipFile, ValueError, NotImplementedError, OSError) as error:
        raise UnreadableFile(
            "this Excel file or ZIP archive is damaged or was not copied whole; save or upload it again"
        ) from error
    if any(member.filename in _WORKBOOKS for member in members):
        return None
    files = [member for member in members if not member.is_dir()]
    if any(file.flag_bits & 1 for file in files if not _is_system_file(file.filename)):
        raise UnreadableFile("this ZIP archive is locked with a password; unpack it and upload what is in it")
    return [Packed(file.filename, file.file_size, file) for file in files]


def _list_tar(path: Path) -> list[Packed]:
    files = []
    try:
        with tarfile.open(path, "r:") as archive:
            for number, entry in enumerate(archive, start=1):
                if number > _MOST_ENTRIES:
                    raise UnreadableFile(
                        f"this tar archive has more than {thousands(_MOST_ENTRIES)} entries; upload the files with the "
                        "ratings together"
                    )
                if entry.isreg():
                    files.append(Packed(entry.name.encode("utf-8", "replace").decode(), entry.size, entry))
    except _DAMAGE as error:
        raise _damage_error() from error
    return files


def _is_system_file(name: str) -> bool:
    path = PurePosixPath(name)
    return name.startswith("__MACOSX/") or path.name.startswith("._") or path.name.endswith(".DS_Store")


def extract(path: Path, file: Packed, target: Path) -> None:
    """Unpack one file of an archive in bounded pieces."""
    size = 0
    try:
        with _open_member(path, file) as packed, writing(target) as output:
            while chunk := packed.read(CHUNK):
                size += len(chunk)
                check_size(size)
                output.write(chunk)
    except _DAMAGE as error:
        raise _damage_error() from error


@contextmanager
def _open_member(path: Path, file: Packed) -> Iterator[IO[bytes]]:
    if isinstance(file.entry, zipfile.ZipInfo):
        with zipfile.ZipFile(path) as archive, archive.open(file.entry) as packed:
            yield packed
        return
    with tarfile.open(path, "r:") as tar:
        member = tar.extractfile(file.entry)
        assert member is not None
        with member:
            yield member


def _damage_error() -> UnreadableFile:
    return UnreadableFile(
        "this archive is damaged or packed in a way that cannot be read; pack it again, or upload what is in it"
    )
