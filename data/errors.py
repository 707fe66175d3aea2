"""Errors of files and the database, in sentences that a page can show unchanged.

One family, so that a page needs one `except DataError`; one class per cause, so that code can tell
them apart.
"""

import errno
from collections.abc import Iterable, Sequence
from typing import Self

from analysis.values.estimate import shorten


class DataError(Exception):
    """Error that the user or the operator can fix; `str()` says what, where and how."""

    instead = ""
    """Message for visitors, if the error itself names folders or processes of the server."""

    on_page = ""
    """Message on a page, if the error itself names keys of a mapping, which no page shows."""

    def visitor_message(self) -> str:
        """Return the message for a page that anybody can open."""
        return self.instead or self.on_page or str(self)


_OPERATOR = "The operator of this server finds in its log what to do."


class CannotOpen(DataError):
    """The database cannot be opened now."""

    instead = f"Saved data sets cannot be opened on this server at the moment. {_OPERATOR}"


class DatabaseInUse(CannotOpen):
    """Another process holds the database file."""


class DatabaseReadOnly(CannotOpen):
    """The database or its folder cannot be written."""

    instead = f"This server's disk cannot be written at the moment, so nothing can be saved. {_OPERATOR}"


class DiskFull(CannotOpen):
    """There is no room left for the database or its spool folder; nothing was saved."""

    instead = (
        "There is no room left on this server's disk; nothing was saved, and what was there before is unharmed. "
        f"{_OPERATOR}"
    )

    @classmethod
    def before_saving(cls, needed: str, free: str, place: str, variable: str) -> Self:
        """Return the error of a save that was not begun because there is too little disk space."""
        error = cls(
            f"saving this needs about {needed} of disk space, but {free} are free on the disk of {place}; nothing was "
            f"saved: free disk space there, delete data sets that are no longer needed, or set {variable} to a place "
            "on another disk"
        )
        error.instead = (
            f"Saving this needs about {needed} of disk space, but this server has only {free} left. Nothing was saved, "
            "and what was saved before is unharmed. Save a smaller file, delete data sets that you no longer need, or "
            "tell the operator of this server."
        )
        return error


def spool_error(folder: object, variable: str, error: OSError) -> CannotOpen:
    """Return the error of the spool folder: its disk is full, or it cannot be written for another reason."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        return DiskFull(
            f"the spool folder {folder} cannot take the file ({error.strerror}); make room, or set {variable} to a "
            "folder on another disk"
        )
    copied = " or the file that is copied there cannot be read" if isinstance(error, PermissionError) else ""
    return DatabaseReadOnly(
        f"the spool folder {folder} cannot be written{copied} ({error.strerror}): make it a folder that this "
        f"user may write, or set {variable} to another folder"
    )


class NewerDatabase(DataError):
    """The database was written by a newer version of Raterscope or DuckDB."""

    instead = CannotOpen.instead


class NotADatabase(CannotOpen):
    """The file is no DuckDB database, or none of Raterscope."""


class Damaged(CannotOpen):
    """A part of the database file cannot be read, or is not as it was written."""

    instead = (
        "This cannot be read: the database of this server is damaged. Other data sets may still open, but nothing new "
        f"can be saved. {_OPERATOR}"
    )


class FileDamaged(Damaged):
    """A file of a lake is missing or damaged, which concerns the data set whose rows it holds and no other."""

    instead = (
        "This cannot be read: a file of this data set is missing or damaged on this server. Other data sets are "
        f"unharmed, and new ones can be saved. {_OPERATOR}"
    )


class OutOfMemory(DataError):
    """An import or a query needs more memory than the limit allows."""


class NotFound(DataError):
    """There is no such data set; the message is the same for deleted and unknown ones."""


class OverLimit(DataError):
    """A limit of `data.settings` is reached; the message names it and the variable that raises it."""


class SpoolFull(OverLimit):
    """The spool is full for now."""


class BadSetting(DataError):
    """An environment variable holds a value that cannot be used."""

    instead = CannotOpen.instead


class StorageUnavailable(DataError):
    """The lake's catalogue, folder or bucket cannot be reached now; what was saved is unharmed."""

    instead = (
        "Saved data sets cannot be reached at the moment; nothing was saved just now, and what was saved before is "
        "unharmed: try again in a moment."
    )


class UnknownName(DataError):
    """A query, parameter, group, measure or column that does not exist; the message lists those that do."""


class UnreadableFile(DataError):
    """The file to import holds no table that can be read; the message says what it is and what to do."""


class NoRatings(DataError):
    """The file is understood, and holds no rating that can be read; the message says what it holds instead."""


class NoFile(UnreadableFile):
    """There is no file to read, or none that may be opened."""

    instead = "This upload is no longer on the server. Upload the file again."


class BadMapping(DataError):
    """A mapping that does not fit the file or the kind; the message names the column and what is allowed."""

    def __init__(self, message: str = "", on_page: str = "") -> None:
        super().__init__(message)
        self.on_page = on_page


class AmbiguousReading(DataError):
    """A table can be read in two ways; the message names both, and the user has to choose."""


def listed(names: Iterable[str]) -> str:
    """Return names for a message, at most 20 and each of at most 60 characters.

    >>> listed(["lab", "crowd"])
    "'lab', 'crowd'"
    """
    quoted_names = [repr(shorten(name, 60)) for name in names]
    return ", ".join(quoted_names[:20]) + (
        f" and {len(quoted_names) - 20} more" if len(quoted_names) > 20 else ""
    )


def list_first(names: Sequence[str]) -> str:
    """Return the first three names for a message, and a sign that there are more.

    >>> list_first(["lab", "crowd"]), list_first(["a", "b", "c", "d"])
    ("'lab', 'crowd'", "'a', 'b', 'c' …")
    """
    return listed(names[:3]) + (" …" if len(names) > 3 else "")
