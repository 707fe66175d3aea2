"""The file formats that are read: a new one is one module and its place in `READERS`.

Whatever a file is, its reader leaves a table of UTF-8 text on disk, and from there on all formats are alike.
"""

import tempfile
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Protocol

from data.formats.delimited import text as delimited_text
from data.formats.delimited.sniffed import Sniffed
from data.formats.delimited.sniffing import describe
from data.formats.delimited.text import Text
from data.formats.raw.bounded import head_of, unpacked
from data.settings import from_environment

_HEAD = 1 << 12


class Reader(Protocol):
    """What a module of a format has."""

    def reads(self, head: bytes) -> bool:
        """Whether a file that begins so is of this format."""

    def as_text(self, path: Path, folder: Path) -> AbstractContextManager[Text]:
        """The file as a table of UTF-8 text, written into `folder` for the time being where it is none."""


READERS: tuple[Reader, ...] = (delimited_text,)
"""The first that reads a file does."""


@contextmanager
def as_text(path: Path, folder: Path) -> Iterator[Text]:
    """A file of any format, packed or not, as a table of UTF-8 text."""
    with unpacked(path, folder) as plain:
        head = head_of(plain, _HEAD)
        reader = next(reader for reader in READERS if reader.reads(head))
        with reader.as_text(plain, folder) as text:
            yield text


def sniff(path: Path, header: bool | None = None) -> Sniffed:
    """Looks at a file and says how it is to be read; `header` overrules what is guessed about the first row."""
    spool = from_environment().spool
    spool.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=spool) as folder, as_text(path, Path(folder)) as text:
        return describe(text, header)
