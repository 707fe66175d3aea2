"""A store of its own for each test, and files to import."""

import csv
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from data.settings import Settings
from data.store import Store

WriteCsv = Callable[..., Path]


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(database=str(tmp_path / "db" / "test.duckdb"), spool=tmp_path / "spool", threads=2)


@pytest.fixture
def store(settings: Settings) -> Iterator[Store]:
    with Store(settings=settings) as store:
        yield store


@pytest.fixture
def write_csv(tmp_path: Path) -> WriteCsv:
    """Writes a header and rows to a file outside the spool folder."""

    def write(header: Sequence[str], rows: Sequence[Sequence[object]], name: str = "file.csv") -> Path:
        path = tmp_path / name
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(header)
            writer.writerows(rows)
        return path

    return write
