"""The one folder from which the database may read files: where uploads wait, and where imports work.

Every file gets its own folder inside it, under a harmless name, because the name a user chose may hold
wildcards that the CSV reader would follow. What a killed process left is swept when its time is over. All that lies
there together is bounded; where room is needed, the uploads that wait longest unsaved go first.
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

from data.errors import NoFile, NoRoom, NotFound, OverLimit, spool_failed
from data.settings import Settings, shown, variable_of

_CHUNK = 1 << 20
_LOOK = 64 * _CHUNK
"""Bytes of an upload after which the spool's size is looked at again."""
_LONGEST_NAME = 200
_WORK = "-work"
"""The end of the name of a folder in which something is made; all others are uploads that wait."""
_SUFFIXES = re.compile(r"(\.[A-Za-z0-9]{1,8}){0,2}$")


class Spool:
    """The spool folder of these settings; all of one process know what had to make room."""

    _making_room: ClassVar = threading.Lock()
    _pushed_out: ClassVar[deque[Path]] = deque(maxlen=10_000)

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self.folder = settings.spool

    def keep(self, name: str, content: BinaryIO) -> Path:
        """Let an upload wait until it is saved or its time is over; returns where it waits."""
        arriving = self.arriving(name)
        try:
            while chunk := content.read(_CHUNK):
                arriving.write(chunk)
            return arriving.whole()
        except BaseException:
            arriving.give_up()
            raise

    def keep_together(self, files: Sequence[tuple[str, Path]]) -> Path:
        """Let several files wait as one, by their names: an archive whose bytes depend on nothing else."""
        size = sum(path.stat().st_size for _, path in files)
        limit = self._settings.upload_size
        if size > limit:
            raise OverLimit(
                f"together the files are larger than the {shown('upload_size', limit)} that "
                f"{variable_of('upload_size')} allows; compress them (.gz), or upload fewer"
            )
        with self.making() as folder:
            taken: set[str] = set()
            with _explained(folder), zipfile.ZipFile(folder / "files.zip", "w") as archive:
                for name, path in files:
                    inside = zipfile.ZipInfo(_distinct(name, taken))
                    with path.open("rb") as source, archive.open(inside, "w", force_zip64=True) as target:
                        shutil.copyfileobj(source, target, _CHUNK)
            return self.let_wait(folder / "files.zip")

    def linked(self, path: Path) -> Path:
        """A file of this machine as an upload that waits, at one place each time: what was read of it is found again
        by who asks once more."""
        with self.readable(path) as inside:
            told = path.resolve().stat()
            place = sha256(f"{path.resolve()}\0{told.st_size}\0{told.st_mtime_ns}".encode()).hexdigest()[:32]
            waiting = self.folder / place / inside.name
            if not waiting.exists():
                with _explained(self.folder):
                    waiting.parent.mkdir(exist_ok=True)
                    os.link(inside, waiting)
        return waiting

    def arriving(self, name: str) -> "Arriving":
        """Room for an upload that comes in pieces."""
        self.sweep()
        self.make_room()
        with _explained(self.folder):
            folder = self._new_folder()
            return Arriving(self, folder / _harmless(name), self._settings.upload_size)

    def claim(self, arrived: Path) -> Path:
        """An upload that arrived and now waits for its visit; an error says why where it is gone."""
        if not arrived.exists():
            raise NotFound(f"This upload is gone: {self.why_gone(arrived)}. Upload the file again.")
        return arrived

    def why_gone(self, waiting: Path) -> str:
        """Return what became of an upload that nobody saved or discarded."""
        settings = self._settings
        if waiting.parent in self._pushed_out:
            return (
                f"newer uploads needed its room, of which there is {shown('spool_size', settings.spool_size)} for all "
                f"visitors ({variable_of('spool_size')})"
            )
        return f"an upload waits {shown('spool_hours', settings.spool_hours)} hours"

    def make_room(self) -> None:
        """Holds the limit on all that lies here: the uploads that wait longest go, none that arrives or is read."""
        limit = self._settings.spool_size
        with self._making_room:
            held = {folder: size_of(folder) for folder in _folders(self.folder)}
            used = sum(held.values())
            if used <= limit:
                return
            for folder in sorted(held, key=_touched):
                if used <= limit:
                    return
                if folder.name.endswith(_WORK) or _is_read(folder):
                    continue
                shutil.rmtree(folder, ignore_errors=True)
                self._pushed_out.append(folder)
                used -= held[folder]
        if used > limit:
            raise NoRoom(
                f"the folder where uploads wait and are read is full: it holds {shown('spool_size', limit)}, the most "
                f"that {variable_of('spool_size')} allows; try again later, or with a smaller file"
            )

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
        """Return True where what was made from a waiting upload is still there; then `into` is another name of it."""
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
        """The file under a name that the database may read, in its own folder that goes at the end.

        A hard link costs nothing whatever the file's size; only a file on another disk is copied.
        """
        try:
            source = path.resolve(strict=True)
        except (OSError, RuntimeError, ValueError) as error:
            raise NoFile(f"there is no file {str(path)!r}") from error
        if not source.is_file():
            raise NoFile(f"{str(path)!r} is not a file")
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
        """A separate folder for what is to be fetched; it goes at once after an error, else when its time
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

    def let_wait(self, made: Path) -> Path:
        """Has a file made in a folder of `making` wait like an upload; returns where it waits."""
        with _explained(self.folder):
            folder = made.parent.rename(made.parent.with_name(made.parent.name.removesuffix(_WORK)))
        self.make_room()
        return folder / made.name

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
        folder = self.folder / f"{secrets.token_hex(16)}{_WORK}"
        folder.mkdir(mode=0o700, parents=True)
        return folder


class Arriving:
    """An upload on its way into the spool, in a folder that becomes one of those that wait once all has come."""

    def __init__(self, spool: Spool, at: Path, limit: int) -> None:
        self._spool, self._at, self._limit = spool, at, limit
        self._file = at.open("wb")

    def write(self, piece: bytes) -> None:
        with _explained(self._spool.folder):
            self._file.write(piece)
        if self._file.tell() > self._limit:
            raise OverLimit(
                f"the file is larger than the {shown('upload_size', self._limit)} that "
                f"{variable_of('upload_size')} allows; compress it (.gz) or split it"
            )
        if self._file.tell() % _LOOK < len(piece):
            self._spool.make_room()

    def whole(self) -> Path:
        """End it; returns where it waits."""
        with _explained(self._spool.folder):
            self._file.close()
        self._spool.make_room()
        with _explained(self._spool.folder):
            folder = self._at.parent.rename(
                self._at.parent.with_name(self._at.parent.name.removesuffix(_WORK))
            )
        return folder / self._at.name

    def give_up(self) -> None:
        with suppress(OSError):
            self._file.close()
        shutil.rmtree(self._at.parent, ignore_errors=True)


def _folders(spool: Path) -> list[Path]:
    try:
        return [entry for entry in spool.iterdir() if entry.is_dir()]
    except OSError:
        return []


def _touched(folder: Path) -> float:
    try:
        return folder.stat().st_mtime
    except OSError:  # swept meanwhile
        return 0.0


def _is_read(folder: Path) -> bool:
    """True where an upload in this folder has another name meanwhile, in a folder where something is made of it."""
    with suppress(OSError):
        return any(file.stat().st_nlink > 1 for file in folder.iterdir())
    return False


def size_of(folder: Path) -> int:
    """Bytes on the disk; a file of two names in the spool counts half under each."""
    size = 0
    for at, _, names in os.walk(folder):
        for name in names:
            with suppress(OSError):
                told = os.stat(os.path.join(at, name))
                size += told.st_size // max(told.st_nlink, 1)
    return size


def _distinct(name: str, taken: set[str]) -> str:
    """A name for a file in an archive: plain text, and no second one."""
    wished = name.encode("utf-8", "replace").decode().replace("\0", "")[-_LONGEST_NAME:] or "file"
    names = itertools.chain([wished], (f"{wished} ({at})" for at in itertools.count(2)))
    free = next(each for each in names if each not in taken)
    taken.add(free)
    return free


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
    except OSError as error:
        raise spool_failed(folder, variable_of("spool"), error) from error
