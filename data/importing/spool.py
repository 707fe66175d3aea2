"""Spool: the only folder from which the database may read files, with waiting uploads and files of running imports.

Every file gets its own folder inside it, under a safe name, because the name that a user chose may contain wildcards
that the CSV reader would expand. Files of killed processes are removed after some time. The total size is limited;
when space is needed, the oldest unsaved uploads are removed first.
"""

import itertools
import os
import re
import secrets
import shutil
import threading
import time
import zipfile
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from typing import BinaryIO, ClassVar

from data.errors import NoFile, NotFound, OverLimit, SpoolFull, spool_error
from data.settings import Settings, shown, variable_of

_CHUNK = 1 << 20
_BYTES_BETWEEN_CHECKS = 64 * _CHUNK
"""Bytes of an upload between checks of the spool's size."""
_MAX_NAME_LENGTH = 200
_WORK_SUFFIX = "-work"
"""Suffix of the names of folders in use; all other folders are waiting uploads."""
_SUFFIXES = re.compile(r"(\.[A-Za-z0-9]{1,8}){0,2}$")


class Spool:
    """Spool folder of these settings; the list of removed uploads is shared by the process."""

    _limit_lock: ClassVar = threading.Lock()
    _evicted: ClassVar[deque[Path]] = deque(maxlen=10_000)

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self.folder = settings.spool

    def keep(self, name: str, content: BinaryIO) -> Path:
        """Store an upload until it is saved or expires; return its path."""
        upload = self.begin_upload(name)
        try:
            while chunk := content.read(_CHUNK):
                upload.write(chunk)
            return upload.finish()
        except BaseException:
            upload.abort()
            raise

    def keep_as_archive(self, files: Sequence[tuple[str, Path]]) -> Path:
        """Store several files as one upload: an archive whose bytes depend only on the files and their names."""
        size = sum(path.stat().st_size for _, path in files)
        limit = self._settings.upload_size
        if size > limit:
            raise OverLimit(
                f"together the files are larger than the {shown('upload_size', limit)} that "
                f"{variable_of('upload_size')} allows; compress them (.gz), or upload fewer"
            )
        with self.make_folder() as folder:
            used_names: set[str] = set()
            with _explain_errors(folder), zipfile.ZipFile(folder / "files.zip", "w") as archive:
                for name, path in files:
                    entry = zipfile.ZipInfo(_unique_name(name, used_names))
                    with path.open("rb") as source, archive.open(entry, "w", force_zip64=True) as target:
                        shutil.copyfileobj(source, target, _CHUNK)
            return self.store_made(folder / "files.zip")

    def link_file(self, path: Path) -> Path:
        """Link a local file into the spool as a waiting upload, always at the same path, so that earlier results are
        found again."""
        with self.expose(path) as link:
            status = path.resolve().stat()
            key = sha256(f"{path.resolve()}\0{status.st_size}\0{status.st_mtime_ns}".encode()).hexdigest()[
                :32
            ]
            upload = self.folder / key / link.name
            if not upload.exists():
                with _explain_errors(self.folder):
                    upload.parent.mkdir(exist_ok=True)
                    os.link(link, upload)
        return upload

    def begin_upload(self, name: str) -> "IncomingUpload":
        """Begin an upload that arrives in pieces."""
        self.sweep()
        self.enforce_limit()
        with _explain_errors(self.folder):
            folder = self._new_folder()
            return IncomingUpload(self, folder / _safe_name(name), self._settings.upload_size)

    def claim(self, upload: Path) -> Path:
        """Return an upload that has arrived; raise `NotFound` with the reason if it was removed."""
        if not upload.exists():
            raise NotFound(f"This upload is gone: {self.explain_missing(upload)}. Upload the file again.")
        return upload

    def explain_missing(self, upload: Path) -> str:
        """Return the reason why an upload was removed."""
        settings = self._settings
        if upload.parent in self._evicted:
            return (
                f"newer uploads needed its room, of which there is {shown('spool_size', settings.spool_size)} for all "
                f"visitors ({variable_of('spool_size')})"
            )
        return f"an upload waits {shown('spool_hours', settings.spool_hours)} hours"

    def enforce_limit(self) -> None:
        """Enforce the size limit of the spool by removing the oldest uploads that are not in use."""
        limit = self._settings.spool_size
        with self._limit_lock:
            sizes = {folder: disk_size(folder) for folder in _folders(self.folder)}
            total = sum(sizes.values())
            if total <= limit:
                return
            for folder in sorted(sizes, key=_modified_at):
                if total <= limit:
                    return
                if folder.name.endswith(_WORK_SUFFIX) or _is_in_use(folder):
                    continue
                shutil.rmtree(folder, ignore_errors=True)
                self._evicted.append(folder)
                total -= sizes[folder]
        if total > limit:
            raise SpoolFull(
                f"the folder where uploads wait and are read is full: it holds {shown('spool_size', limit)}, the most "
                f"that {variable_of('spool_size')} allows; try again later, or with a smaller file"
            )

    def discard(self, upload: Path) -> None:
        """Remove an upload; one that was already removed is no error."""
        if self._is_waiting(upload):
            shutil.rmtree(upload.parent, ignore_errors=True)

    def cache_result(self, upload: Path, name: str, file: Path, pattern: str) -> None:
        """Cache a file made from a waiting upload as long as the upload waits, replacing files that match `pattern`.

        Do nothing for a file outside the spool, or if the file system has no links.
        """
        if not self._is_waiting(upload):
            return
        for outdated in upload.parent.glob(pattern):
            outdated.unlink(missing_ok=True)
        with suppress(OSError):
            os.link(file, upload.parent / name)

    def link_cached(self, upload: Path, name: str, into: Path) -> bool:
        """Link a cached file of a waiting upload to `into`; return False if there is none."""
        if not self._is_waiting(upload):
            return False
        try:
            os.link(upload.parent / name, into)
        except OSError:
            return False
        return True

    def _is_waiting(self, upload: Path) -> bool:
        return upload.parent.parent == self.folder

    @contextmanager
    def expose(self, path: Path) -> Iterator[Path]:
        """Yield a path under which the database may read the file, in a temporary folder of the spool.

        It is a hard link; only a file on another disk is copied.
        """
        try:
            source = path.resolve(strict=True)
        except (OSError, RuntimeError, ValueError) as error:
            raise NoFile(f"there is no file {str(path)!r}") from error
        if not source.is_file():
            raise NoFile(f"{str(path)!r} is not a file")
        with _explain_errors(self.folder):
            folder = self._new_folder()
        try:
            link = folder / _safe_name(path.name)
            with _explain_errors(self.folder):
                try:
                    os.link(source, link)
                except OSError:
                    shutil.copyfile(source, link)
            yield link
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    @contextmanager
    def make_folder(self) -> Iterator[Path]:
        """Yield a new folder for files to be fetched; it is removed after an error, else when its time
        is over or with `discard`.
        """
        self.sweep()
        with _explain_errors(self.folder):
            folder = self._new_folder()
            try:
                yield folder
            except BaseException:
                shutil.rmtree(folder, ignore_errors=True)
                raise

    def store_made(self, file: Path) -> Path:
        """Turn a file in a folder of `make_folder` into a waiting upload; return its path."""
        with _explain_errors(self.folder):
            folder = file.parent.rename(file.parent.with_name(file.parent.name.removesuffix(_WORK_SUFFIX)))
        self.enforce_limit()
        return folder / file.name

    def sweep(self) -> None:
        """Remove uploads that have waited longer than the settings allow."""
        if not self.folder.is_dir():
            return
        cutoff = time.time() - self._settings.spool_hours * 3600
        for entry in self.folder.iterdir():
            try:
                is_expired = entry.stat().st_mtime < cutoff
            except FileNotFoundError:  # another process swept it
                continue
            if is_expired and entry.is_dir():
                shutil.rmtree(entry, ignore_errors=True)

    def _new_folder(self) -> Path:
        folder = self.folder / f"{secrets.token_hex(16)}{_WORK_SUFFIX}"
        folder.mkdir(mode=0o700, parents=True)
        return folder


class IncomingUpload:
    """Incoming upload, in a folder that becomes that of a waiting upload at the end."""

    def __init__(self, spool: Spool, path: Path, limit: int) -> None:
        self._spool, self._path, self._limit = spool, path, limit
        self._file = path.open("wb")

    def write(self, chunk: bytes) -> None:
        with _explain_errors(self._spool.folder):
            self._file.write(chunk)
        if self._file.tell() > self._limit:
            raise OverLimit(
                f"the file is larger than the {shown('upload_size', self._limit)} that "
                f"{variable_of('upload_size')} allows; compress it (.gz) or split it"
            )
        if self._file.tell() % _BYTES_BETWEEN_CHECKS < len(chunk):
            self._spool.enforce_limit()

    def finish(self) -> Path:
        """Complete the upload; return its path."""
        with _explain_errors(self._spool.folder):
            self._file.close()
        self._spool.enforce_limit()
        with _explain_errors(self._spool.folder):
            folder = self._path.parent.rename(
                self._path.parent.with_name(self._path.parent.name.removesuffix(_WORK_SUFFIX))
            )
        return folder / self._path.name

    def abort(self) -> None:
        with suppress(OSError):
            self._file.close()
        shutil.rmtree(self._path.parent, ignore_errors=True)


def _folders(spool: Path) -> list[Path]:
    try:
        return [entry for entry in spool.iterdir() if entry.is_dir()]
    except OSError:
        return []


def _modified_at(folder: Path) -> float:
    try:
        return folder.stat().st_mtime
    except OSError:  # swept meanwhile
        return 0.0


def _is_in_use(folder: Path) -> bool:
    """Return True if an upload in this folder is linked in a folder in use."""
    with suppress(OSError):
        return any(file.stat().st_nlink > 1 for file in folder.iterdir())
    return False


def disk_size(folder: Path) -> int:
    """Return the bytes of a folder; a file with two links counts half in each place."""
    size = 0
    for directory, _, names in os.walk(folder):
        for name in names:
            with suppress(OSError):
                status = os.stat(os.path.join(directory, name))
                size += status.st_size // max(status.st_nlink, 1)
    return size


def _unique_name(name: str, used_names: set[str]) -> str:
    """Return a unique name for a file in an archive, as plain text."""
    preferred = name.encode("utf-8", "replace").decode().replace("\0", "")[-_MAX_NAME_LENGTH:] or "file"
    names = itertools.chain([preferred], (f"{preferred} ({number})" for number in itertools.count(2)))
    unique = next(candidate for candidate in names if candidate not in used_names)
    used_names.add(unique)
    return unique


def _safe_name(name: str) -> str:
    """Return a safe name with only the suffixes, from which the reader recognizes formats.

    >>> _safe_name("my [final] *.csv.gz"), _safe_name("../../etc/passwd")
    ('file.csv.gz', 'file')
    """
    endings = _SUFFIXES.search(Path(name).name)
    return "file" + (endings[0].lower() if endings else "")


@contextmanager
def _explain_errors(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise spool_error(folder, variable_of("spool"), error) from error
