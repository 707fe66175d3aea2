"""The studies whose figures are recorded, and the names that their files contain."""

import csv
import gzip
import io
import json
import re
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from data.samples import SAMPLES

ROOT = Path(__file__).resolve().parents[2]
SHARED = ROOT.parent / "shared" / "data"
NO_SHARED = "skipped the real studies: there is no folder ../shared/data next to this checkout"
DELIMITERS = ",;\t|"


@dataclass(frozen=True)
class Source:
    """One study: a built-in sample, or a file of the shared data."""

    name: str
    path: Path | None = None

    @property
    def is_sample(self) -> bool:
        """True for a built-in sample, which has no file."""
        return self.path is None

    @property
    def has_all_views(self) -> bool:
        """True where each page is recorded under all its questions, not only as it opens."""
        return self.path is None or self.path.parent == SHARED


def list_sources() -> list[Source]:
    """Return the samples, then the shared files in the order of their names."""
    samples = [Source(sample.key) for sample in SAMPLES if sample.kind != "contributors"]
    files = sorted(path for path in SHARED.rglob("*") if path.is_file() and path.suffix != ".md")
    return samples + [Source(path.relative_to(SHARED).as_posix(), path) for path in files]


def names_in(source: Source) -> frozenset[str]:
    """Return the keys of all cells and texts of a study's file."""
    if source.path is not None:
        return _names_of(source.path)
    with TemporaryDirectory() as folder:
        path = Path(folder, "sample.csv")
        next(sample for sample in SAMPLES if sample.key == source.name).write(path)
        return _names_of(path)


def _names_of(path: Path) -> frozenset[str]:
    return frozenset(key_of(text) for content in _contents(path) for text in _texts(content))


def key_of(text: str) -> str:
    """Return a text as names are compared: without case, punctuation and underscores."""
    return re.sub(r"[\W_]+", " ", text).strip().casefold()


def _contents(path: Path) -> Iterator[str]:
    raw = path.read_bytes()
    if zipfile.is_zipfile(io.BytesIO(raw)):
        with zipfile.ZipFile(io.BytesIO(raw)) as packed:
            for name in packed.namelist():
                yield Path(name).stem
                yield packed.read(name).decode("utf-8", "replace")
    else:
        yield (gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw).decode("utf-8-sig", "replace")


def _texts(content: str) -> Iterator[str]:
    try:
        yield from _leaves(json.loads(content))
        return
    except ValueError:
        pass
    try:
        yield from _leaves([json.loads(line) for line in content.splitlines() if line.strip()])
        return
    except ValueError:
        pass
    for delimiter in DELIMITERS:
        if delimiter in content:
            for row in csv.reader(io.StringIO(content, newline=""), delimiter=delimiter):
                yield from row


def _leaves(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        for name, one in value.items():
            yield str(name)
            yield from _leaves(one)
    elif isinstance(value, list):
        for one in value:
            yield from _leaves(one)
    elif isinstance(value, str):
        yield value
