"""A store of its own for each test, on a file or on a lake, and files to import."""

import csv
import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import duckdb
import pytest

from data.settings import Settings
from data.store.store import Store
from tests import lake_servers

WriteCsv = Callable[..., Path]
EVERY_ENGINE = pytest.mark.parametrize("settings", ["file", "kept lake"], indirect=True)
"""For the contract that every engine keeps: whatever SQL a store gives it means the same, alone and at once with
others. All other tests of the store run on a file."""
EVERY_STORAGE = pytest.mark.parametrize("settings", ["file", "kept lake", "kept s3"], indirect=True)
EVERY_STORAGE_ANEW = pytest.mark.parametrize("settings", ["file", "lake", "s3"], indirect=True)
"""For what a lake does when it is made or opened; all other tests use one that stays open and is emptied after each."""
_OF_STORAGE = {"postgres", "s3"}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        settings = item.callspec.params.get("settings", "file") if hasattr(item, "callspec") else "file"
        needs = settings != "file" or not _OF_STORAGE.isdisjoint(getattr(item, "fixturenames", ()))
        if needs and item.get_closest_marker("slow") is None:
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
def threads() -> int:
    """Threads of a file database. Splitting the short tables of most tests costs a fifth of their time, so one is
    enough; modules with long tables or concurrent work take two. Lakes always do."""
    return 1


@pytest.fixture
def file_settings(tmp_path: Path, threads: int) -> Settings:
    """Settings of a single-file store."""
    return Settings(database=str(tmp_path / "db" / "test.duckdb"), spool=tmp_path / "spool", threads=threads)


@pytest.fixture
def lake_settings(tmp_path: Path, postgres: lake_servers.Postgres) -> Settings:
    """A new lake with its files in a folder."""
    return new_lake(postgres, tmp_path)


@pytest.fixture
def s3_settings(tmp_path: Path, postgres: lake_servers.Postgres, s3: lake_servers.S3) -> Settings:
    """A new lake with its files in a bucket."""
    return in_a_bucket(new_lake(postgres, tmp_path), s3)


def is_lake(store: Store) -> bool:
    """Return True for a store on a lake, where each query takes long."""
    return not store.settings.database.endswith(".duckdb")


def new_lake(postgres: lake_servers.Postgres, folder: Path) -> Settings:
    return Settings(
        database=postgres.new_url(), data_path=str(folder / "lake"), spool=folder / "spool", threads=2
    )


def in_a_bucket(settings: Settings, s3: lake_servers.S3) -> Settings:
    return replace(
        settings,
        data_path=s3.new_path(),
        s3_endpoint=s3.endpoint,
        s3_region=s3.region,
        s3_key=s3.key,
        s3_secret=s3.secret,
    )


@pytest.fixture(scope="session")
def kept_lake(postgres: lake_servers.Postgres, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """Stays open from test to test: to open a lake takes longer than most of what is done on it."""
    with Store(settings=new_lake(postgres, tmp_path_factory.mktemp("kept"))) as store:
        yield store


@pytest.fixture(scope="session")
def kept_s3(
    postgres: lake_servers.Postgres, s3: lake_servers.S3, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Store]:
    with Store(settings=in_a_bucket(new_lake(postgres, tmp_path_factory.mktemp("kept")), s3)) as store:
        yield store


@pytest.fixture
def kept_lake_settings(kept_lake: Store) -> Iterator[Settings]:
    yield kept_lake.settings
    empty(kept_lake)


@pytest.fixture
def kept_s3_settings(kept_s3: Store) -> Iterator[Settings]:
    yield kept_s3.settings
    empty(kept_s3)


def empty(store: Store) -> None:
    """Leave the store as a new one is."""
    with store._database.cursor() as cursor:
        cursor.execute("BEGIN TRANSACTION")
        tables = cursor.execute(
            "SELECT table_name FROM duckdb_tables() WHERE database_name = 'store' "
            "AND regexp_matches(table_name, '^(rows|sums)_')"
        ).fetchall()
        for (name,) in tables:
            cursor.execute(f"DROP TABLE {name}")
        for name in ("datasets", "links", "reports", "kept_views"):
            cursor.execute(f"DELETE FROM {name}")
        cursor.execute("COMMIT")
    for left in store.spool.folder.iterdir():
        shutil.rmtree(left) if left.is_dir() else left.unlink()


@pytest.fixture
def settings(request: pytest.FixtureRequest) -> Settings:
    """A file, or what a test module asks for: `parametrize("settings", [...], indirect=True)`."""
    found: Settings = request.getfixturevalue(
        f"{getattr(request, 'param', 'file')}_settings".replace(" ", "_")
    )
    return found


@pytest.fixture
def store(settings: Settings) -> Iterator[Store]:
    with Store(settings=settings) as store:
        yield store


@pytest.fixture(scope="module")
def shared_store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """One store for the tests of a module that look only at what they save."""
    folder = tmp_path_factory.mktemp("shared")
    settings = Settings(database=str(folder / "test.duckdb"), spool=folder / "spool", threads=1)
    with Store(settings=settings) as store:
        yield store


def write_table(path: Path, header: Sequence[str], rows: Sequence[Sequence[object]]) -> Path:
    """Write a header and rows as CSV."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)
    return path


@pytest.fixture
def write_csv(tmp_path: Path) -> WriteCsv:
    """Write a header and rows to a file outside the spool folder."""

    def write(header: Sequence[str], rows: Sequence[Sequence[object]], name: str = "file.csv") -> Path:
        return write_table(tmp_path / name, header, rows)

    return write


@pytest.fixture(scope="session")
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    """One for all files; tables of a few rows are too short to be shared out among threads."""
    with duckdb.connect(config={"threads": 1}) as opened:
        yield opened
