"""Unused data sets: the time of last opening, deletion when nobody opens them, and the operator's view."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Thread

import duckdb
import pytest

from data.engines.schema import table_of
from data.errors import DatabaseReadOnly, NotFound
from data.samples import SAMPLES
from data.settings import Settings
from data.store import catalogue, inventory
from data.store.store import Store
from tests.data.conftest import EVERY_ENGINE

MAPPING = {"item_id": "item", "rater_id": "rater", "score": "score"}
NOON = datetime(2026, 3, 31, 12, tzinfo=UTC)


@pytest.fixture
def file(write_csv: Callable[..., Path]) -> Path:
    return write_csv(("item", "rater", "score"), [("a", "x", 1), ("b", "y", 2)])


@pytest.fixture
def keeping_30_days(settings: Settings) -> Iterator[Store]:
    with Store(settings=replace(settings, unused_days=30.0)) as store:
        yield store


@pytest.fixture
def at(monkeypatch: pytest.MonkeyPatch) -> Callable[[datetime], None]:
    """Sets the store's clock."""
    return lambda moment: monkeypatch.setattr(catalogue, "now", lambda: catalogue.to_utc(moment))


def _last_used(store: Store, id: str, moment: datetime) -> None:
    with store._database.cursor() as cursor:
        cursor.execute("UPDATE datasets SET used = ? WHERE id = ?", [catalogue.to_utc(moment), id])


def _marking(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    mark, seen = catalogue.set_last_used, list[str]()

    def counted(cursor: duckdb.DuckDBPyConnection, dataset: str, day: datetime) -> None:
        seen.append(dataset)
        mark(cursor, dataset, day)

    monkeypatch.setattr(catalogue, "set_last_used", counted)
    return seen


# --- last used -------------------------------------------------------------------------------------------------


def test_a_new_data_set_was_used_when_it_was_saved(store: Store, file: Path) -> None:
    saved = store.add(file, "ratings", MAPPING, "My study", "w1")
    assert saved.used == saved.created == store.get(saved.id).used


@EVERY_ENGINE
def test_the_last_use_is_written_once_a_day(
    store: Store, file: Path, at: Callable[[datetime], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    saved = store.add(file, "ratings", MAPPING, "My study", "w1")
    _last_used(store, saved.id, NOON)
    written = _marking(monkeypatch)
    at(NOON + timedelta(hours=11))
    for _ in range(3):
        store.record_use(saved)
    assert store.get(saved.id).used == NOON
    assert len(written) == 0
    at(NOON + timedelta(hours=13))
    for _ in range(3):
        store.record_use(saved)
    assert store.get(saved.id).used == datetime(2026, 4, 1, tzinfo=UTC)
    assert len(written) == 1
    with Store(settings=store.settings) as another:
        another.record_use(saved)
    assert len(written) == 1
    assert store.get(saved.id) == saved


def test_the_last_use_of_what_is_gone_or_cannot_be_written_is_no_error(
    store: Store, file: Path, at: Callable[[datetime], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    saved, gone = (store.add(file, "ratings", MAPPING, name, "w1") for name in ("saved", "gone"))
    store.delete(gone.id)
    tomorrow = datetime.now(UTC) + timedelta(days=1)
    at(tomorrow)
    store.record_use(gone)

    def refused(*_: object) -> None:
        raise DatabaseReadOnly("cannot be written")

    with monkeypatch.context() as patch:
        patch.setattr(store._database, "change", refused)
        store.record_use(saved)
    assert store.get(saved.id).used == saved.created
    store.record_use(saved)
    assert store.get(saved.id).used.date() == tomorrow.date()


def test_nobody_who_opens_a_data_set_waits_for_an_import(
    store: Store, file: Path, at: Callable[[datetime], None]
) -> None:
    saved = store.add(file, "ratings", MAPPING, "My study", "w1")
    at(datetime.now(UTC) + timedelta(days=1))
    with store._database.writing:
        opened = Thread(target=store.record_use, args=[saved])
        opened.start()
        opened.join(timeout=60)
        assert not opened.is_alive()
        assert store.get(saved.id).used == saved.created
    store.record_use(saved)
    assert store.get(saved.id).used > saved.created


# --- sweeping --------------------------------------------------------------------------------------------------


@EVERY_ENGINE
def test_what_a_browser_has_not_opened_for_longer_than_the_settings_say_goes(
    keeping_30_days: Store, file: Path, at: Callable[[datetime], None]
) -> None:
    store = keeping_30_days
    days = {"browser:1": [30, 32, 400], "person:1": [400], "w1": [400], None: [400]}
    saved = {
        (owner, ago): store.add(file, "ratings", MAPPING, f"{owner} {ago}", owner)
        for owner, agos in days.items()
        for ago in agos
    }
    for (_, ago), dataset in saved.items():
        _last_used(store, dataset.id, NOON - timedelta(days=ago))
    gone = [saved["browser:1", ago] for ago in (32, 400)]
    keys = [store.link(dataset.id) for dataset in gone]
    at(NOON)
    assert sorted(store.sweep_unused()) == sorted(dataset.id for dataset in gone)
    assert {stocked.id for stocked in store.inventory()} == {
        dataset.id for dataset in saved.values() if dataset not in gone
    }
    assert [store.by_key(key) for key in keys] == [None, None]
    with store._database.cursor() as cursor, pytest.raises(duckdb.CatalogException):
        cursor.execute(f"SELECT * FROM {table_of(gone[0].id)}")
    assert store.sweep_unused() == []


def test_a_day_is_kept_whole_whenever_the_data_set_was_opened_on_it(
    keeping_30_days: Store, file: Path, at: Callable[[datetime], None]
) -> None:
    store = keeping_30_days
    saved = store.add(file, "ratings", MAPPING, "My study", "browser:1")
    evening = datetime(2026, 4, 1, 23, 59, tzinfo=UTC)
    _last_used(store, saved.id, NOON)
    at(evening)
    store.record_use(saved)
    at(evening + timedelta(days=29, hours=23))
    assert store.sweep_unused() == []
    at(evening + timedelta(days=31))
    assert store.sweep_unused() == [saved.id]


def test_what_somebody_opens_while_it_is_swept_stays(
    keeping_30_days: Store, file: Path, at: Callable[[datetime], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    store = keeping_30_days
    saved = store.add(file, "ratings", MAPPING, "My study", "browser:1")
    _last_used(store, saved.id, NOON - timedelta(days=100))
    at(NOON)
    listed = inventory.list_unused

    def opened_meanwhile(cursor: duckdb.DuckDBPyConnection, before: datetime) -> list[str]:
        monkeypatch.setattr(inventory, "list_unused", listed)
        found = listed(cursor, before)
        store.record_use(saved)
        return found

    monkeypatch.setattr(inventory, "list_unused", opened_meanwhile)
    assert store.sweep_unused() == []
    assert store.get(saved.id) == saved


def test_without_a_limit_everything_stays(store: Store, file: Path, at: Callable[[datetime], None]) -> None:
    assert store.settings.unused_days is None
    saved = store.add(file, "ratings", MAPPING, "My study", "browser:1")
    at(NOON + timedelta(days=100_000))
    assert store.sweep_unused() == []
    assert store.get(saved.id) == saved


# --- the operator's view ---------------------------------------------------------------------------------------


def test_the_inventory_lists_everything_that_is_stored(
    store: Store, file: Path, write_csv: Callable[..., Path], at: Callable[[datetime], None]
) -> None:
    sample = store.ensure_samples(SAMPLES[:1])[SAMPLES[0].key]
    mine = store.add(file, "ratings", MAPPING, "=cmd", f"browser:{'0' * 64}")
    theirs = store.add(
        write_csv(("item", "rater", "score"), [("a", "x", 1)], "one.csv"), "ratings", MAPPING, "b", "person:1"
    )
    store.add_link(mine.id, "for the lab")
    store.add_link(mine.id, "for a day", expires=datetime.now(UTC) + timedelta(days=1))
    store.revoke_link(mine.id, store.add_link(mine.id, "revoked").key)
    store.revoke(theirs.id)
    with store._database.cursor() as cursor:
        cursor.execute("CHECKPOINT store")
    listed = {stocked.id: stocked for stocked in store.inventory()}
    assert list(listed) == [theirs.id, mine.id, sample.id]
    assert [stocked.workspace for stocked in listed.values()] == ["person", "browser", "none"]
    assert [stocked.rows for stocked in listed.values()] == [1, 2, 21_600]
    assert [stocked.links for stocked in listed.values()] == [0, 3, 1]
    assert (listed[mine.id].name, listed[mine.id].created) == ("=cmd", mine.created)
    on_disk = Path(store.settings.database).stat().st_size
    assert 0 < listed[mine.id].bytes < listed[sample.id].bytes < on_disk
    at(datetime.now(UTC) + timedelta(days=2))
    assert next(stocked.links for stocked in store.inventory() if stocked.id == mine.id) == 2


def test_of_a_lake_the_inventory_tells_the_size_of_its_files(
    kept_lake_settings: Settings, write_csv: Callable[..., Path]
) -> None:
    file = write_csv(("item", "rater", "score"), [(f"item {row}", "x", row % 5) for row in range(5000)])
    with Store(settings=kept_lake_settings) as store:
        saved = store.add(file, "ratings", MAPPING, "My study", "w1")
        [stocked] = store.inventory()
        parquet = Path(kept_lake_settings.data_path).rglob(f"*{saved.id}/*.parquet")
        assert stocked.bytes == sum(written.stat().st_size for written in parquet) > 0
        assert (stocked.rows, stocked.links, stocked.workspace) == (5000, 1, "none")


def test_a_store_that_can_be_written_says_nothing_and_keeps_nothing_of_the_trial(store: Store) -> None:
    before = sorted(Path(store.settings.database).parent.iterdir())
    store.check_writable()
    assert sorted(Path(store.settings.database).parent.iterdir()) == before
    assert list(store.spool.folder.iterdir()) == []


def test_removing_what_is_gone_is_said(store: Store) -> None:
    with store._database.cursor() as cursor, pytest.raises(NotFound):
        catalogue.remove_dataset(cursor, "0" * 32)
