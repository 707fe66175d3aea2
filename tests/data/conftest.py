"""A store of its own for each test, on a file or on a lake, and files to import."""

import csv
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from data.settings import Settings
from data.store.store import Store
from tests import lake_servers

WriteCsv = Callable[..., Path]
EVERY_ENGINE = pytest.mark.parametrize("settings", ["file", "lake"], indirect=True)
"""For the contract that every engine keeps: whatever SQL a store gives it means the same, alone and at once with
others. All other tests of the store run on a file."""
EVERY_STORAGE = pytest.mark.parametrize("settings", ["file", "lake", "s3"], indirect=True)
_OF_STORAGE = {"postgres", "s3", "lake_settings", "s3_settings"}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        settings = item.callspec.params.get("settings") if hasattr(item, "callspec") else None
        if settings in ("lake", "s3") or not _OF_STORAGE.isdisjoint(getattr(item, "fixturenames", ())):
            item.add_marker(pytest.mark.storage)


@pytest.fixture(scope="session")
def postgres() -> Iterator[lake_servers.Postgres]:
    try:
        lake_servers.programs()
    except FileNotFoundError as error:
        if os.environ.get("RATERSCOPE_REQUIRE_POSTGRES"):
            raise
        pytest.skip(str(error))
    with lake_servers.postgres() as server:
        yield server


@pytest.fixture(scope="session")
def s3() -> Iterator[lake_servers.S3]:
    with lake_servers.s3() as store:
        yield store


@pytest.fixture
def file_settings(tmp_path: Path) -> Settings:
    """For tests of what only a single file does."""
    return Settings(database=str(tmp_path / "db" / "test.duckdb"), spool=tmp_path / "spool", threads=2)


@pytest.fixture
def lake_settings(tmp_path: Path, postgres: lake_servers.Postgres) -> Settings:
    """A new lake with its files in a folder."""
    return Settings(
        database=postgres.new_url(), data_path=str(tmp_path / "lake"), spool=tmp_path / "spool", threads=2
    )


@pytest.fixture
def s3_settings(lake_settings: Settings, s3: lake_servers.S3) -> Settings:
    """A new lake with its files in a bucket."""
    return replace(
        lake_settings,
        data_path=s3.new_path(),
        s3_endpoint=s3.endpoint,
        s3_region=s3.region,
        s3_key=s3.key,
        s3_secret=s3.secret,
    )


@pytest.fixture
def settings(request: pytest.FixtureRequest) -> Settings:
    """A file, or what a test module asks for: `parametrize("settings", [...], indirect=True)`."""
    found: Settings = request.getfixturevalue(f"{getattr(request, 'param', 'file')}_settings")
    return found


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
