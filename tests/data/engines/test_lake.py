"""The lake: what only many servers on one catalogue need."""

import importlib.util
import os
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Literal

import duckdb
import pytest

from data.engines import database
from data.engines.schema import table_of
from data.errors import BadSetting, DataError, NotADatabase, NotFound, StorageUnavailable
from data.settings import Settings
from data.store.store import Store
from tests.data.conftest import new_lake
from tests.lake_servers import Postgres

WriteCsv = Callable[..., Path]
ROOT = Path(__file__).parents[3]
MAPPING = {"item_id": "item", "rater_id": "rater", "score": "score"}
NEW = pytest.mark.parametrize("settings", ["lake"], indirect=True)
KEPT = pytest.mark.parametrize("settings", ["kept lake"], indirect=True)
"""One that stays open, for what depends on neither opening nor files of its own."""


@pytest.fixture
def file(write_csv: WriteCsv) -> Path:
    return write_csv(MAPPING.values(), [(at // 6, f"r{at % 6}", at % 5 + 1) for at in range(36)])


@pytest.fixture(scope="module")
def closed_lake(postgres: Postgres, tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """Return the settings of a lake that tests find and leave closed and empty."""
    settings = new_lake(postgres, tmp_path_factory.mktemp("closed"))
    Store(settings=settings).close()
    return settings


def parquet_files(settings: Settings) -> list[Path]:
    return sorted(Path(settings.data_path).rglob("*.parquet"))


@KEPT
def test_two_servers_on_one_catalogue_find_what_the_other_saved(settings: Settings, file: Path) -> None:
    script = f"""
import sys; sys.path.insert(0, {str(ROOT)!r})
from pathlib import Path
from typing import Literal
from data.settings import Settings
from data.store.store import Store
settings = Settings(
    database={settings.database!r}, data_path={settings.data_path!r}, spool=Path({str(settings.spool)!r})
)
with Store(settings=settings) as store:
    print(len(store.query(store.get(sys.stdin.readline().strip()), "ratings", measure="score",
                          group="all ratings")["score"]), flush=True)
    for number in range(2):
        print(store.add({str(file)!r}, "ratings", {MAPPING!r}, "theirs", "w").id, flush=True)
"""
    with (
        Store(settings=settings) as store,
        subprocess.Popen(
            [sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        ) as other,
    ):
        ours = [store.add(file, "ratings", MAPPING, "ours", "w").id]
        assert other.stdin is not None
        assert other.stdout is not None
        other.stdin.write(f"{ours[0]}\n")
        other.stdin.flush()
        assert other.stdout.readline() == "36\n"
        ours += [store.add(file, "ratings", MAPPING, "ours", "w").id for _ in range(2)]
        theirs = other.communicate(timeout=120)[0].split()
        assert other.returncode == 0
        found = store.datasets("w")
        assert {dataset.id for dataset in found} == {*ours, *theirs}
        assert len(found) == 5
        for dataset in found:
            assert store.query(dataset, "overview")["rows"].tolist() == [36]


@NEW
def test_a_deleted_data_set_goes_from_the_storage_when_nobody_can_read_it_any_more(
    store: Store, file: Path, settings: Settings, postgres: Postgres
) -> None:
    kept = store.add(file, "ratings", MAPPING, "kept", "w")
    before = parquet_files(settings)
    gone = store.add(file, "ratings", MAPPING, "a secret study", "w")
    store.delete(gone.id)
    store._database.sweep()
    assert len(parquet_files(settings)) > len(before), "another server may still be reading it"
    time.sleep(1.1)
    store._database.sweep(seconds=1)
    time.sleep(1.1)
    store._database.sweep(seconds=1)
    assert parquet_files(settings) == before
    name = settings.database.rpartition("dbname=")[2]
    held = postgres.ask("SELECT string_agg(table_name, ' ') FROM ducklake_inlined_data_tables", name)
    rows = "".join(postgres.ask(f"SELECT t::text FROM {table} AS t", name) for table in held.split())
    for told in (gone.id, gone.name):  # PostgreSQL shows these texts as bytes
        assert told.encode().hex() not in rows
        assert told not in rows
    assert kept.id.encode().hex() in rows
    assert store.query(kept, "overview")["rows"].tolist() == [36]
    with pytest.raises(NotFound):
        store.get(gone.id)


@NEW
def test_what_a_killed_writer_left_is_swept_once_it_is_old(
    store: Store, file: Path, settings: Settings
) -> None:
    saved = store.add(file, "ratings", MAPPING, "kept", "w")
    there = parquet_files(settings)
    old, young = (there[0].with_name(f"ducklake-{age}.parquet") for age in ("old", "young"))
    for orphan in (old, young):
        orphan.write_bytes(there[0].read_bytes())
    days_ago = time.time() - 2 * 86_400
    os.utime(old, (days_ago, days_ago))
    store._database.sweep()
    assert parquet_files(settings) == sorted([*there, young])
    assert store.query(saved, "overview")["rows"].tolist() == [36]


@NEW
def test_a_table_without_a_catalogue_row_is_swept(settings: Settings, file: Path) -> None:
    with Store(settings=settings) as store:
        saved = store.add(file, "ratings", MAPPING, "kept", "w")
        with store._database.cursor() as cursor:
            cursor.execute(f"CREATE TABLE {table_of('0' * 32)} (i INTEGER)")
    with Store(settings=settings) as store, store._database.cursor() as cursor:
        names = cursor.execute(
            "SELECT table_name FROM duckdb_tables() WHERE table_name LIKE 'rows%'"
        ).fetchall()
    assert names == [(table_of(saved.id),)]


def test_two_lakes_never_share_a_folder(closed_lake: Settings, postgres: Postgres) -> None:
    with pytest.raises(BadSetting, match=r"holds the files of another lake .* RATERSCOPE_DATA_PATH"):
        Store(settings=replace(closed_lake, database=postgres.new_url()))


@NEW
def test_a_folder_that_is_not_mounted_is_not_taken_for_an_empty_one(settings: Settings, file: Path) -> None:
    with Store(settings=settings) as store:
        saved = store.add(file, "ratings", MAPPING, "kept", "w")
    mounted = Path(settings.data_path)
    mounted.rename(mounted.with_name("elsewhere"))
    with pytest.raises(StorageUnavailable, match="is the folder mounted"):
        Store(settings=settings)
    for made in (mounted / "main", mounted):
        made.rmdir()
    mounted.with_name("elsewhere").rename(mounted)
    with Store(settings=settings) as store:
        assert store.query(saved, "overview")["rows"].tolist() == [36]


def test_another_data_path_than_the_lakes_is_said_to_be(closed_lake: Settings, tmp_path: Path) -> None:
    with pytest.raises(BadSetting, match=r"keeps its files at .*/lake/, not at .* set RATERSCOPE_DATA_PATH"):
        Store(settings=replace(closed_lake, data_path=str(tmp_path / "other")))


@NEW
def test_someone_elses_lake_is_left_alone(settings: Settings) -> None:
    Store(settings=settings).close()
    lake = database.open_database(settings.database, settings)
    with lake.cursor() as cursor:
        for table in ("schema_version", "links", "reports", "datasets"):
            cursor.execute(f"DROP TABLE {table}")
        cursor.execute("CREATE TABLE rows_of_mine (i INTEGER)")
    lake.close()
    with pytest.raises(NotADatabase, match="not one of Raterscope"):
        Store(settings=settings)


@KEPT
def test_no_message_and_no_traceback_holds_the_password(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "_ATTACH_SECONDS", 0.0)  # it says the same after two seconds of trying
    address = settings.database.removeprefix("ducklake:postgres:")
    port = address.partition("port=")[2].split()[0]
    for url in (
        f"ducklake:postgres:{address} password='very secret'".replace("dbname=", "dbname=not_"),
        f"ducklake:postgres:postgresql://postgres:very%20secret@127.0.0.1:{port}/nothing",
        "ducklake:postgres:host=127.0.0.1 port=1 dbname=r password=very\\ secret",
    ):
        with pytest.raises(DataError) as caught:
            Store(settings=replace(settings, database=url))
        told = "".join(traceback.format_exception(caught.value))
        assert "very" not in told.replace("very secret@127", "very secret@127"), told
        assert "RATERSCOPE_DATABASE" in str(caught.value)


@KEPT
@pytest.mark.parametrize("url", ["ducklake:sqlite:x.db", "ducklake:x.db", "ducklake:"])
def test_another_catalogue_than_postgresql_is_refused(settings: Settings, url: str) -> None:
    with pytest.raises(BadSetting, match=r"RATERSCOPE_DATABASE must be a file or `ducklake:postgres:"):
        Store(settings=replace(settings, database=url))


def test_missing_extensions_are_said_to_be(closed_lake: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(DataError, match=r"extension ducklake .* install requirements-hosting\.txt"):
        Store(settings=closed_lake)


@KEPT
def test_a_conflict_is_resolved_by_doing_it_again(store: Store) -> None:
    calls = []

    def work(cursor: duckdb.DuckDBPyConnection) -> int:
        cursor.execute("INSERT INTO reports (dataset) VALUES ('x')")
        calls.append(1)
        if len(calls) == 1:
            raise duckdb.TransactionException("Transaction conflict - someone was faster")
        return 7

    assert store._database.change(work) == 7
    assert len(calls) == 2
    assert _count(store) == 1


@KEPT
@pytest.mark.parametrize("saved", [True, False])
def test_a_commit_whose_answer_was_lost_is_looked_up(
    store: Store, monkeypatch: pytest.MonkeyPatch, saved: bool
) -> None:
    database = store._database
    real = database.transaction
    calls = []

    @contextmanager
    def lost(cursor: duckdb.DuckDBPyConnection | None = None) -> Iterator[duckdb.DuckDBPyConnection]:
        with real(cursor) as used:
            yield used
            if len(calls) == 1 and not saved:
                raise duckdb.IOException("server closed the connection unexpectedly")
        if len(calls) == 1:
            raise duckdb.IOException("server closed the connection unexpectedly")

    monkeypatch.setattr(database, "transaction", lost)

    def work(cursor: duckdb.DuckDBPyConnection) -> None:
        calls.append(1)
        cursor.execute("INSERT INTO reports (dataset) VALUES ('x')")

    database.change(work)
    assert len(calls) == (1 if saved else 2)
    assert _count(store) == 1


@NEW
def test_probing_and_measuring_leave_nothing_behind(store: Store, file: Path, settings: Settings) -> None:
    store.add(file, "ratings", MAPPING, "kept", "w")
    there = sorted(Path(settings.data_path).rglob("*"))
    store._database.probe()
    assert sorted(Path(settings.data_path).rglob("*")) == there
    assert store._database.size() == sum(path.stat().st_size for path in parquet_files(settings)) > 0


def _count(store: Store) -> int:
    with store._database.cursor() as cursor:
        found = cursor.execute("SELECT count(*) FROM reports WHERE dataset = 'x'").fetchone()
    assert found is not None
    return int(found[0])


@contextmanager
def lent(store: Store, kinds: list[Literal["short", "long"]]) -> Iterator[list[float]]:
    """So many threads of other visitors at work, each with a connection; how many bytes each may use."""
    limits: list[float] = []
    done, taken = threading.Event(), threading.Barrier(len(kinds) + 1)

    def visitor(kind: Literal["short", "long"]) -> None:
        with store._database.cursor(kind=kind) as cursor:
            row = cursor.execute("SELECT current_setting('memory_limit')").fetchone()
            number, unit = str((row or [""])[0]).split()
            limits.append(float(number) * {"KiB": 2**10, "MiB": 2**20, "GiB": 2**30}[unit])
            taken.wait(60)
            done.wait(60)

    with ThreadPoolExecutor(len(kinds)) as visitors:
        under_way = [visitors.submit(visitor, kind) for kind in kinds]
        try:
            taken.wait(60)
            yield limits
        finally:
            done.set()
    for visit in under_way:
        visit.result()


@KEPT
def test_all_connections_together_keep_within_the_memory(
    store: Store, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "_MAX_WAIT", 0.2)
    with lent(store, ["long"] * 2 + ["short"] * 4) as limits:
        assert settings.memory / 2 < sum(limits) <= settings.memory
        for kind in ("long", "short"):
            with pytest.raises(DataError, match="too many are at work"), store._database.cursor(kind=kind):
                pass
    with lent(store, ["long"] * 2 + ["short"] * 4) as limits:
        assert sum(limits) <= settings.memory, "those that were kept count too"


@KEPT
def test_imports_leave_connections_for_readers(
    store: Store, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    saved = store.add(file, "ratings", MAPPING, "read meanwhile", "w")
    monkeypatch.setattr(database, "_MAX_WAIT", 0.2)
    with lent(store, ["long"] * 2):
        assert store.query(saved, "overview")["rows"].tolist() == [36]
        with pytest.raises(DataError, match="too many are at work"):
            store.add(file, "ratings", MAPPING, "one too many", "w")


@KEPT
def test_who_waits_to_change_the_catalogue_holds_no_connection(
    store: Store, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    saved = store.add(file, "ratings", MAPPING, "as it was", "w")
    monkeypatch.setattr(database, "_MAX_WAIT", 5)
    with ThreadPoolExecutor(8) as visitors:
        with store._database.writing:
            under_way = [visitors.submit(store.rename, saved.id, f"name {number}") for number in range(8)]
            time.sleep(0.5)
            with lent(store, ["short"] * 4):
                pass
            assert store.get(saved.id).name == "as it was"
        names = {visit.result().name for visit in under_way}
    assert names == {f"name {number}" for number in range(8)}
