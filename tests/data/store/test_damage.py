"""A database file or a file of a lake that is damaged: what is damaged is named, and all else goes on.

Nothing is saved into a damaged database file; a lake goes on saving, since each of its files is written once.
"""

import logging
import os
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from data.dataset import Dataset
from data.engines.schema import sums_of, table_of
from data.errors import Damaged, DataError, FileDamaged, NotADatabase, StorageUnavailable
from data.settings import Settings
from data.store.store import Store
from data.transfer.moving import back_up, restore
from tests.data.conftest import write_table
from tests.data.damage import damage_table
from tests.lake_servers import S3

MAPPING = {"item_id": "item", "rater_id": "rater", "score": "score"}
SCORES = [(7 * at) % 11 for at in range(3_000)]


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    rows = [(f"item {at // 10}", f"rater {at % 10}", score) for at, score in enumerate(SCORES)]
    return write_table(tmp_path_factory.mktemp("file") / "file.csv", [*MAPPING.values()], rows)


@pytest.fixture(scope="module")
def intact(file: Path) -> tuple[Path, Dataset, Dataset]:
    """A closed database, and the two data sets in it."""
    path = file.with_name("intact.duckdb")
    with Store(settings=Settings(database=str(path), spool=file.with_name("spool"), threads=1)) as store:
        one, two = (store.add(file, "ratings", MAPPING, name, "w") for name in ("one", "two"))
    return path, one, two


@pytest.fixture
def saved(file_settings: Settings, intact: tuple[Path, Dataset, Dataset]) -> tuple[Dataset, Dataset]:
    """Two data sets in a database that is closed."""
    path, one, two = intact
    Path(file_settings.database).parent.mkdir()
    shutil.copy(path, file_settings.database)
    return one, two


def scores(store: Store, dataset: Dataset) -> list[float]:
    found = store.query(dataset, "ratings", measure="score", group="all ratings")
    return [float(score) for score in found["score"]]


def open_and_verify(settings: Settings) -> None:
    with Store(settings=settings) as store:
        store.verify()
        store.check_writable()


def test_a_damaged_data_set_is_said_to_be_and_the_other_is_read(
    file_settings: Settings, saved: tuple[Dataset, Dataset], caplog: pytest.LogCaptureFixture
) -> None:
    bad, good = saved
    damage_table(file_settings.database, table_of(bad.id))
    with Store(settings=file_settings) as store:
        assert store.unreadable() == []
        with caplog.at_level(logging.ERROR):
            for _ in range(2):
                with pytest.raises(Damaged, match="restore the last back-up") as caught:
                    scores(store, bad)
        assert file_settings.database not in caught.value.visitor_message()
        assert [record.msg for record in caplog.records] == ["a part of the database cannot be read"]
        assert store.unreadable() == [bad.id]
        assert scores(store, good) == SCORES
        assert [each.id for each in store.datasets("w")] == [good.id, bad.id]


def test_nothing_is_saved_into_a_damaged_database(
    file_settings: Settings, saved: tuple[Dataset, Dataset], file: Path, tmp_path: Path
) -> None:
    bad, good = saved
    with Store(settings=file_settings) as store:
        back_up(store, tmp_path / "kept")
        store.delete(good.id)
    damage_table(file_settings.database, table_of(bad.id))
    with Store(settings=file_settings) as store:
        assert store.verify() == [bad.id]
        with pytest.raises(Damaged, match="nothing is saved into it"):
            store.add(file, "ratings", MAPPING, "new", "w")
        with pytest.raises(DataError, match="damaged"):
            restore(tmp_path / "kept", store)
        with pytest.raises(Damaged, match="damaged"):
            store.check_writable()
        assert [each.id for each in store.datasets("w")] == [bad.id]
        assert store.check(file, "ratings", MAPPING).kept == len(SCORES)


def test_after_a_restore_all_is_read_and_saving_goes_on(
    file_settings: Settings, saved: tuple[Dataset, Dataset], file: Path, tmp_path: Path
) -> None:
    with Store(settings=file_settings) as store:
        back_up(store, tmp_path / "kept")
    damage_table(file_settings.database, table_of(saved[0].id))
    with Store(settings=file_settings) as store:
        assert store.verify() == [saved[0].id]
    Path(file_settings.database).rename(tmp_path / "damaged.duckdb")
    with Store(settings=file_settings) as store:
        restore(tmp_path / "kept", store)
        assert store.verify() == []
        store.check_writable()
        store.add(file, "ratings", MAPPING, "new", "w")
        assert [scores(store, each) for each in store.datasets("w")] == [SCORES] * 3


def test_a_back_up_holds_what_can_still_be_read(
    file_settings: Settings, saved: tuple[Dataset, Dataset], file: Path, tmp_path: Path
) -> None:
    bad, good = saved
    damage_table(file_settings.database, table_of(bad.id))
    with (
        Store(settings=file_settings) as store,
        pytest.raises(DataError, match=f"lacks .*{bad.id}.* holds all else"),
    ):
        back_up(store, tmp_path / "kept")
    with Store(settings=replace(file_settings, database=str(tmp_path / "new.duckdb"))) as store:
        restore(tmp_path / "kept", store)
        assert [each.id for each in store.datasets("w")] == [good.id]
        assert scores(store, good) == SCORES


def test_sums_that_are_damaged_count_as_their_data_set(
    file_settings: Settings, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("data.store.sums.MIN_ROWS", 1_000)
    with Store(settings=file_settings) as store:
        saved = store.add(file, "ratings", MAPPING, "one", "w")
        assert saved.summed
    damage_table(file_settings.database, sums_of(saved.id, "by_item"))
    with Store(settings=file_settings) as store:
        assert store.verify() == [saved.id]


@pytest.mark.parametrize("table", ["links", "reports"])
def test_a_damaged_catalogue_is_found(
    file_settings: Settings, saved: tuple[Dataset, Dataset], table: str
) -> None:
    damage_table(file_settings.database, table)
    with Store(settings=file_settings) as store:
        assert store.verify() == [""]
        with pytest.raises(Damaged, match="damaged"):
            store.check_writable()


@pytest.mark.parametrize("share", [0.9, 0.5, 0.1])
def test_a_file_that_was_cut_is_said_to_be_damaged(
    file_settings: Settings, saved: tuple[Dataset, Dataset], share: float
) -> None:
    os.truncate(file_settings.database, int(share * Path(file_settings.database).stat().st_size))
    with pytest.raises(Damaged, match="restore the last back-up"):
        open_and_verify(file_settings)


def test_verifying_reads_some_rows_at_a_time_and_can_be_stopped(
    file_settings: Settings, saved: tuple[Dataset, Dataset], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("data.store.inventory.ROWS_PER_PART", 1_000)
    damage_table(file_settings.database, table_of(saved[1].id))
    with Store(settings=file_settings) as store:
        parts: list[float] = []
        assert store.verify(parts.append) == [saved[1].id]
        of_catalogue = 3
        assert len(parts) == of_catalogue + 3, "the first part that cannot be read ends the damaged one"
        assert store.verify(lambda seconds: True) == [saved[1].id]
        store.verify_in_background()
    assert not store._verify_thread.is_alive(), "it ends with its store"


def test_a_file_that_is_read_elsewhere_never_counts_as_damage(store: Store) -> None:
    """A visitor's upload must not keep others from saving."""
    for words in ("checksum", "Corrupt database file: computed checksum", "Could not read from file"):
        with pytest.raises(Exception, match=words), store._database.cursor() as cursor:
            cursor.execute("SELECT error(?)", [words])
    bad = store.spool.folder / "bad.parquet"
    bad.parent.mkdir(exist_ok=True)
    bad.write_bytes(b"PAR1" + bytes(100) + b"PAR1")
    with pytest.raises(Exception, match="bad"), store._database.cursor() as cursor:
        cursor.execute(f"SELECT * FROM read_parquet('{bad}')")
    assert store._database.damage is None
    store.check_writable()


def test_a_file_of_another_program_is_still_no_database(file_settings: Settings, tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("notes " * 10_000)
    with pytest.raises(NotADatabase):
        Store(settings=replace(file_settings, database=str(path)))


def parquet_of(settings: Settings, dataset: Dataset) -> Path:
    (path,) = Path(settings.data_path, "main", table_of(dataset.id)).glob("*.parquet")
    return path


def cut_to(share: float) -> Callable[[Path], None]:
    return lambda path: os.truncate(path, int(share * path.stat().st_size))


@pytest.mark.parametrize("harm", [Path.unlink, cut_to(0.5)], ids=["missing", "cut"])
def test_a_damaged_file_of_a_lake_is_named_and_saving_goes_on(
    lake_settings: Settings, file: Path, harm: Callable[[Path], None], caplog: pytest.LogCaptureFixture
) -> None:
    with Store(settings=lake_settings) as store:
        good, bad = (store.add(file, "ratings", MAPPING, name, "w") for name in ("good", "bad"))
        assert store.verify() == []
        path = parquet_of(lake_settings, bad)
        content = path.read_bytes()
        harm(path)
        with caplog.at_level(logging.ERROR):
            assert store.verify() == [bad.id]
            with pytest.raises(FileDamaged) as caught:
                scores(store, bad)
        assert lake_settings.data_path not in caught.value.visitor_message()
        assert [str(path) in record.__dict__["fields"]["reason"] for record in caplog.records] == [True]
        assert [each.id for each in store.inventory() if not each.readable] == [bad.id]
        assert scores(store, good) == SCORES
        store.check_writable()
        assert scores(store, store.add(file, "ratings", MAPPING, "new", "w")) == SCORES
    path.write_bytes(content)
    with Store(settings=lake_settings) as store:
        assert store.verify() == []
        assert scores(store, bad) == SCORES


def test_a_missing_object_of_a_bucket_is_found(s3_settings: Settings, s3: S3, file: Path) -> None:
    with Store(settings=s3_settings) as store:
        good, bad = (store.add(file, "ratings", MAPPING, name, "w") for name in ("good", "bad"))
        assert store.verify() == []
        folder = f"{s3_settings.data_path}main/{table_of(bad.id)}"
        with store._database.cursor() as cursor:
            ((name,),) = cursor.execute("SELECT file FROM glob(?)", [f"{folder}/*.parquet"]).fetchall()
        s3.remove(str(name))
        assert store.verify() == [bad.id]
        assert scores(store, good) == SCORES


@pytest.mark.parametrize("settings", ["lake", "s3"], indirect=True)
def test_storage_that_is_away_is_no_damage(
    settings: Settings, file: Path, request: pytest.FixtureRequest
) -> None:
    with Store(settings=settings) as store:
        saved = store.add(file, "ratings", MAPPING, "one", "w")
        is_remote = "://" in settings.data_path
        away = Path(f"{settings.data_path} away")
        if is_remote:
            request.getfixturevalue("s3").stop()
        else:
            Path(settings.data_path).rename(away)
        try:
            with pytest.raises(StorageUnavailable):
                store.verify()
            with pytest.raises(StorageUnavailable):
                scores(store, saved)
        finally:
            if is_remote:
                request.getfixturevalue("s3").start()
            else:
                away.rename(settings.data_path)
        assert store.unreadable() == []
        assert store.verify() == []
        assert scores(store, saved) == SCORES
