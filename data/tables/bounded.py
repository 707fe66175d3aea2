"""Bytes of uploads, which are hostile or broken until shown otherwise: read and written in bounded pieces."""

import errno
import io
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, TextIO

from analysis.values.columns import thousands
from data.errors import DiskFull, NoFile, OverLimit
from data.settings import Settings, from_environment, shown, variable_of

CHUNK = 1 << 20
_GROWTH, _GROWN_FROM = 1000, 100 * 10**6
"""How many times larger than a file its text may be, where it is larger than 100 MB: as much as gzip packs at most."""


def head_of(path: Path, size: int) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(size)
    except FileNotFoundError as error:
        raise NoFile(f"there is no file {path}") from error
    except OSError as error:
        raise NoFile(f"the file {path} cannot be opened ({error.strerror})") from error


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


def check_columns(number: int, limits: Settings, what: str = "the file") -> None:
    if number > limits.columns:
        raise OverLimit(
            f"{what} has {thousands(number)} columns; at most {shown('columns', limits.columns)} can be read. Upload "
            "the ratings in long form, one row per rating"
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
