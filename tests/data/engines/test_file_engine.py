"""Store on a single file: one process has it, and a disk that fails is reported in words."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import duckdb
import numpy as np
import pytest

from data.engines import database
from data.engines.schema import VERSION, table_of
from data.errors import (
    Damaged,
    DatabaseInUse,
    DatabaseReadOnly,
    DataError,
    DiskFull,
    NewerDatabase,
    NotADatabase,
)
from data.settings import Settings
from data.store.store import Store
from tests.data.damage import files_no_larger_than

WriteCsv = Callable[..., Path]
ROOT = Path(__file__).parents[3]
HEADER = ("item", "rater", "score", "group")
MAPPING = {"item_id": "item", "rater_id": "rater", "score": "score", "rater_group": "group"}
ROWS = [
    (item, f"{group} {rater}", rater % 5 + 1, group)
    for item in ("a", "b", "c")
    for group in ("crowd", "lab")
    for rater in range(6)
]


@pytest.fixture
def threads() -> int:
    return 2


@pytest.fixture
def file(write_csv: WriteCsv) -> Path:
    return write_csv(HEADER, ROWS)


def test_a_large_study_takes_no_more_room_than_duckdb_itself_needs(
    settings: Settings, tmp_path: Path
) -> None:
    plain = tmp_path / "plain.duckdb"
    with duckdb.connect(plain) as connection:
        connection.execute(
            """CREATE TABLE ratings AS SELECT format('item_{:06d}', i // 25) AS item,
                'rater ' || hash(i) % 2500 AS rater,
                1 + hash(i, 7) % 5 AS score, CASE WHEN i % 25 < 12 THEN 'lab' ELSE 'crowd' END AS "group"
            FROM range(300_000) numbers(i) ORDER BY hash(i, 13)"""
        )
        connection.execute(f"COPY ratings TO '{tmp_path}/ratings.csv'")
    with Store(settings=settings) as store:
        empty = os.path.getsize(settings.database)
        store.add(tmp_path / "ratings.csv", "ratings", MAPPING)
    assert os.path.getsize(settings.database) - empty < 1.3 * os.path.getsize(plain)


def test_stores_of_one_process_share_a_file(settings: Settings, file: Path) -> None:
    with Store(settings=settings) as first:
        with Store(settings=settings) as second:
            saved = second.add(file, "ratings", MAPPING, "My study")
        assert first.get(saved.id) == saved
    with duckdb.connect(settings.database, read_only=True) as plain:
        assert plain.execute("SELECT count(*) FROM datasets").fetchone() == (1,)


def test_a_database_open_in_another_process_is_said_to_be(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "_ATTACH_SECONDS", 0.1)
    Store(settings=settings).close()
    hold = f"""
import duckdb, sys
held = duckdb.connect({settings.database!r})
print("held", flush=True)
sys.stdin.read()
"""
    with subprocess.Popen(
        [sys.executable, "-c", hold], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "held\n"
        with pytest.raises(DatabaseInUse) as caught:
            Store(settings=settings)
        other.communicate("")
    assert f"open in another process (process {other.pid})" in str(caught.value)
    assert "RATERSCOPE_DATABASE" in str(caught.value)
    Store(settings=settings).close()


@contextmanager
def _as_nobody() -> Iterator[None]:
    """Root may write anywhere; then someone else has to try."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.mark.parametrize("there", [False, True])
def test_a_folder_that_cannot_be_written_is_said_to_be(settings: Settings, there: bool) -> None:
    folder = Path(settings.database).parent
    if there:
        Store(settings=settings).close()
        Path(settings.database).chmod(0o444)
    else:
        folder.mkdir()
    folder.chmod(0o555)
    try:
        with (
            _as_nobody(),
            pytest.raises(DatabaseReadOnly, match="cannot be written"),
        ):
            Store(settings=settings)
    finally:
        folder.chmod(0o755)
    assert there or list(folder.iterdir()) == []


@pytest.mark.storage
def test_a_full_disk_saves_nothing_and_harms_nothing(store: Store, file: Path, write_csv: WriteCsv) -> None:
    saved = store.add(file, "ratings", MAPPING, "before", "w1")
    rng = np.random.default_rng(0)
    rows = [(f"{a}", f"{b}", 1, "lab") for a, b in rng.integers(0, 2**63, (40_000, 2))]
    large = write_csv(HEADER, rows, "large.csv")
    with files_no_larger_than(Path(store.settings.database).stat().st_size + 300_000):
        for _ in range(3):
            with pytest.raises(
                DiskFull, match=r"no room (left .* nothing was saved|in .* for the rows of this file)"
            ):
                store.add(large, "ratings", MAPPING, "too much", "w1")
            assert store.query(saved, "overview")["rows"].tolist() == [len(ROWS)]
    assert store.datasets("w1") == [saved]
    assert _tables(store) == [table_of(saved.id)]
    assert store.add(large, "ratings", MAPPING, "now there is room", "w1").rows_kept == 40_000


def test_a_database_of_a_newer_version_is_said_to_be(settings: Settings) -> None:
    Store(settings=settings).close()
    with duckdb.connect(settings.database) as plain:
        plain.execute("UPDATE schema_version SET version = version + 1")
    with pytest.raises(
        NewerDatabase, match=f"newer .* Raterscope: its format is {VERSION + 1}, .* up to {VERSION}"
    ):
        Store(settings=settings)


def test_a_newer_duckdb_is_recognized_by_its_message(store: Store) -> None:
    said = (
        "IO Error: Trying to read a database file with version number 99, but we can only read versions between "
        "64 and 68."
    )
    with pytest.raises(NewerDatabase, match="newer DuckDB than the installed"), store._database.cursor():
        raise duckdb.IOException(said)


@pytest.mark.parametrize("content", [b"", b"hello", b"item,rater,score\n" * 5000])
def test_a_file_that_is_no_database_is_said_to_be_and_left_alone(settings: Settings, content: bytes) -> None:
    path = Path(settings.database)
    path.parent.mkdir()
    path.write_bytes(content)
    with pytest.raises(NotADatabase, match="is no DuckDB database"):
        Store(settings=settings)
    assert path.read_bytes() == content


def test_a_damaged_database_is_said_to_be(settings: Settings) -> None:
    Store(settings=settings).close()
    path = Path(settings.database)
    content = bytearray(path.read_bytes())
    for at in range(4096, len(content), 512):
        content[at] ^= 0xFF
    path.write_bytes(content)
    with pytest.raises(Damaged, match="is damaged"):
        Store(settings=settings)


def test_someone_elses_duckdb_file_is_left_alone(settings: Settings) -> None:
    Path(settings.database).parent.mkdir()
    with duckdb.connect(settings.database) as plain:
        plain.execute("CREATE TABLE rows_of_mine (i INTEGER)")
    with pytest.raises(NotADatabase, match="not one of Raterscope"):
        Store(settings=settings)
    with duckdb.connect(settings.database) as plain:
        assert plain.execute("SELECT count(*) FROM rows_of_mine").fetchone() == (0,)


def test_a_table_without_a_catalogue_row_is_swept(settings: Settings, file: Path) -> None:
    with Store(settings=settings) as store:
        saved = store.add(file, "ratings", MAPPING, "My study")
    with duckdb.connect(settings.database) as plain:
        plain.execute(f"CREATE TABLE {table_of('0' * 32)} (i INTEGER)")
    with Store(settings=settings) as store:
        assert _tables(store) == [table_of(saved.id)]


def test_too_little_memory_is_said_to_be(settings: Settings, write_csv: WriteCsv) -> None:
    long = write_csv(HEADER, [(f"{at}" * 20, f"{at}" * 20, 1, "lab") for at in range(100_000)], "long.csv")
    with Store(settings=replace(settings, memory=12_000_000)) as store:
        with pytest.raises(DataError, match=r"more memory than the 12 MB that RATERSCOPE_MEMORY allows"):
            store.add(long, "ratings", MAPPING, "too much", "w1")
        assert store.datasets("w1") == []


def test_a_small_data_set_costs_little_room(store: Store, file: Path) -> None:
    path = Path(store.settings.database)
    for number in range(20):
        store.add(file, "ratings", MAPPING, f"{number}")
    with store._database.cursor() as cursor:
        cursor.execute("CHECKPOINT store")
    assert path.stat().st_size / 20 < 100_000


def _tables(store: Store) -> list[str]:
    with store._database.cursor() as cursor:
        return [
            name
            for (name,) in cursor.execute(
                "SELECT table_name FROM duckdb_tables() WHERE database_name = 'store' AND table_name LIKE 'rows%' "
                "ORDER BY table_name"
            ).fetchall()
        ]
