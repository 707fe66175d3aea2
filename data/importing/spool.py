"""The one folder from which the database may read files: where uploads wait, and where imports work.

Every file gets a folder of its own inside it, under a harmless name, because the name a user chose may hold
wildcards that the CSV reader would follow. What a killed process left is swept when its time is over.
"""

import os
import re
import secrets
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from data.errors import DatabaseReadOnly, DataError, DiskFull, OverLimit
from data.settings import Settings, shown, variable_of

_CHUNK = 1 << 20
_SUFFIXES = re.compile(r"(\.[A-Za-z0-9]{1,8}){0,2}$")


class Spool:
    """The spool folder of these settings."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self.folder = settings.spool

    def keep(self, name: str, content: BinaryIO) -> Path:
        """Let an upload wait until it is saved or its time is over; returns where it waits."""
        self.sweep()
        limit = self._settings.upload_size
        with _explained(self.folder):
            folder = self._new_folder()
            waiting = folder / _harmless(name)
            try:
                with waiting.open("wb") as file:
                    while chunk := content.read(_CHUNK):
                        file.write(chunk)
                        if file.tell() > limit:
                            raise OverLimit(
                                f"the file is larger than the {shown('upload_size', limit)} that "
                                f"{variable_of('upload_size')} allows; compress it (.gz) or split it"
                            )
            except BaseException:
                shutil.rmtree(folder, ignore_errors=True)
                raise
        return waiting

    def discard(self, waiting: Path) -> None:
        """Remove an upload that no longer waits; one that is already gone is no error."""
        if self._waits(waiting):
            shutil.rmtree(waiting.parent, ignore_errors=True)

    def put_beside(self, upload: Path, name: str, made: Path, instead_of: str) -> None:
        """Keeps what was made from a waiting upload as long as that waits, instead of what earlier matches.

        For a file that does not wait here, or where the file system has no links, nothing is kept.
        """
        if not self._waits(upload):
            return
        for earlier in upload.parent.glob(instead_of):
            earlier.unlink(missing_ok=True)
        with suppress(OSError):
            os.link(made, upload.parent / name)

    def take_beside(self, upload: Path, name: str, into: Path) -> bool:
        """Whether what was made from a waiting upload is still there; then `into` is another name of it."""
        if not self._waits(upload):
            return False
        try:
            os.link(upload.parent / name, into)
        except OSError:
            return False
        return True

    def _waits(self, upload: Path) -> bool:
        return upload.parent.parent == self.folder

    @contextmanager
    def readable(self, path: Path) -> Iterator[Path]:
        """The file under a name that the database may read, in a folder of its own that goes at the end.

        A hard link costs nothing whatever the file's size; only a file on another disk is copied.
        """
        try:
            source = path.resolve(strict=True)
        except (OSError, RuntimeError, ValueError) as error:
            raise DataError(f"there is no file {str(path)!r}") from error
        if not source.is_file():
            raise DataError(f"{str(path)!r} is not a file")
        with _explained(self.folder):
            folder = self._new_folder()
        try:
            inside = folder / _harmless(path.name)
            with _explained(self.folder):
                try:
                    os.link(source, inside)
                except OSError:
                    shutil.copyfile(source, inside)
            yield inside
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    @contextmanager
    def making(self) -> Iterator[Path]:
        """A folder of its own for what is to be fetched; it goes at once after an error, else when its time
        is over or with `discard`.
        """
        self.sweep()
        with _explained(self.folder):
            folder = self._new_folder()
            try:
                yield folder
            except BaseException:
                shutil.rmtree(folder, ignore_errors=True)
                raise

    def sweep(self) -> None:
        """Remove what has waited longer than the settings allow."""
        if not self.folder.is_dir():
            return
        oldest = time.time() - self._settings.spool_hours * 3600
        for entry in self.folder.iterdir():
            try:
                old = entry.stat().st_mtime < oldest
            except FileNotFoundError:  # another process swept it
                continue
            if old and entry.is_dir():
                shutil.rmtree(entry, ignore_errors=True)

    def _new_folder(self) -> Path:
        folder = self.folder / secrets.token_hex(16)
        folder.mkdir(parents=True)
        return folder


def _harmless(name: str) -> str:
    """Only the endings of a name matter, for the reader to tell formats by.

    >>> _harmless("my [final] *.csv.gz"), _harmless("../../etc/passwd")
    ('file.csv.gz', 'file')
    """
    endings = _SUFFIXES.search(Path(name).name)
    return "file" + (endings[0].lower() if endings else "")


@contextmanager
def _explained(folder: Path) -> Iterator[None]:
    try:
        yield
    except PermissionError as error:
        raise DatabaseReadOnly(
            f"the spool folder {folder} or the file to import is not open to this user; give the right, or "
            f"set {variable_of('spool')} to another folder"
        ) from error
    except OSError as error:
        raise DiskFull(
            f"the spool folder {folder} cannot take the file ({error.strerror}); make room, or set "
            f"{variable_of('spool')} to a folder on another disk"
        ) from error
