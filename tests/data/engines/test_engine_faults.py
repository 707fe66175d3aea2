"""Disks, PostgreSQL and S3 fail in the middle of work: a sentence each time, and nothing that was saved is harmed."""

import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from data.dataset import Dataset
from data.errors import DatabaseReadOnly, DataError, DiskFull, StorageUnavailable
from data.settings import Settings
from data.store.store import Store
from tests.lake_servers import S3, Postgres

WriteCsv = Callable[..., Path]
MAPPING = {"item_id": "item", "rater_id": "rater", "score": "score"}


def scores_of(number: int) -> list[int]:
    return np.random.default_rng(number).integers(1, 100, 600).tolist()


def write_file(write_csv: WriteCsv, number: int) -> Path:
    rows = [(at // 10, at % 10, score) for at, score in enumerate(scores_of(number))]
    return write_csv(MAPPING.values(), rows, f"{number}.csv")


def holds(store: Store, dataset: Dataset, number: int) -> bool:
    found = store.query(dataset, "ratings", measure="score", group="all ratings")
    return bool(found["score"].tolist() == scores_of(number))


@contextmanager
def disk(place: Path, size: str) -> Iterator[Path]:
    """A disk of its own, in memory."""
    place.mkdir()
    if os.geteuid() != 0 or _mount("-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(place)) != 0:
        pytest.skip("only root can mount a small disk; test_file_engine.py fills one in another way")
    try:
        yield place
    finally:
        subprocess.run(["umount", "-l", str(place)], check=False, capture_output=True)


def _mount(*options: str) -> int:
    return subprocess.run(["mount", *options], check=False, capture_output=True).returncode


@pytest.mark.storage
@pytest.mark.parametrize("settings", ["file", "lake"], indirect=True)
def test_a_full_disk_saves_nothing_harms_nothing_and_can_be_mended(
    settings: Settings, tmp_path: Path, write_csv: WriteCsv
) -> None:
    rng = np.random.default_rng(0)
    rows = [(f"{a}", f"{b}", 1) for a, b in rng.integers(0, 2**63, (100_000, 2))]
    large, small = write_csv(MAPPING.values(), rows, "large.csv"), write_file(write_csv, 1)
    with disk(tmp_path / "disk", "1200k") as place:
        on_it = replace(
            settings,
            database=settings.database if "ducklake" in settings.database else str(place / "r.duckdb"),
            data_path=str(place / "lake"),
        )
        with Store(settings=on_it) as store:
            saved = store.add(small, "ratings", MAPPING, "before", "w")
            for _ in range(2):
                with pytest.raises(DiskFull, match="nothing was saved"):
                    store.add(large, "ratings", MAPPING, "too much", "w")
                assert holds(store, saved, 1)
            assert store.datasets("w") == [saved]
            assert _mount("-o", "remount,size=100m", str(place)) == 0
            assert store.add(large, "ratings", MAPPING, "now there is room", "w").rows_kept == 100_000
            assert holds(store, saved, 1)


@pytest.mark.parametrize("settings", ["file", "lake"], indirect=True)
def test_a_disk_that_becomes_read_only_is_said_to_be_and_can_be_mended(
    settings: Settings, tmp_path: Path, write_csv: WriteCsv
) -> None:
    with disk(tmp_path / "disk", "50m") as place:
        on_it = replace(
            settings,
            database=settings.database if "ducklake" in settings.database else str(place / "r.duckdb"),
            data_path=str(place / "lake"),
        )
        with Store(settings=on_it) as store:
            saved = store.add(write_file(write_csv, 1), "ratings", MAPPING, "before", "w")
            if "ducklake" not in settings.database:
                with store._database.cursor() as cursor:
                    cursor.execute("CHECKPOINT store")
        assert _mount("-o", "remount,ro", str(place)) == 0
        with pytest.raises(DatabaseReadOnly, match="cannot be written"), Store(settings=on_it) as store:
            store._database.probe()
        assert _mount("-o", "remount,rw", str(place)) == 0
        with Store(settings=on_it) as store:
            store._database.probe()
            assert store.datasets("w") == [saved]
            assert holds(store, saved, 1)


class Work:
    """Two threads that import and look at what was saved, again and again, until they are stopped."""

    def __init__(self, store: Store, files: list[Path]) -> None:
        self.saved: list[tuple[Dataset, int]] = []
        self.told: list[Exception] = []
        self.harm: list[str] = []
        self._store, self._files = store, files
        self._over = threading.Event()
        self._threads = [threading.Thread(target=self._go, args=(turn,)) for turn in range(2)]
        for thread in self._threads:
            thread.start()

    def wait_for(self, more: int) -> None:
        """Until so many more were saved."""
        enough, give_up = len(self.saved) + more, time.monotonic() + 120
        while len(self.saved) < enough and time.monotonic() < give_up and not self.harm:
            time.sleep(0.02)
        assert len(self.saved) >= enough, (self.harm, self.told[-1:])

    def wait_for_faults(self, more: int) -> None:
        """Until so many more imports were refused."""
        enough, give_up = len(self.told) + more, time.monotonic() + 120
        while len(self.told) < enough and time.monotonic() < give_up and not self.harm:
            time.sleep(0.02)
        assert len(self.told) >= enough, self.harm

    def end(self) -> None:
        self._over.set()
        for thread in self._threads:
            thread.join(timeout=120)
        assert not any(thread.is_alive() for thread in self._threads)

    def _go(self, turn: int) -> None:
        while not self._over.is_set():
            number = turn % len(self._files)
            turn += 1
            try:
                dataset = self._store.add(self._files[number], "ratings", MAPPING, str(number), "w")
                self.saved.append((dataset, number))
                earlier, of = self.saved[turn % len(self.saved)]
                if not holds(self._store, earlier, of):
                    self.harm.append("a saved data set has other rows")
            except DataError as error:
                self.told.append(error)
                time.sleep(0.1)
            except Exception as error:
                self.harm.append(repr(error))


def all_is_there(settings: Settings, work: Work) -> None:
    """Check on another server that all acknowledged data sets are whole."""
    assert work.harm == []
    for error in work.told:
        assert "nothing was saved" in str(error) or "look at your list" in str(error), error
    with Store(settings=settings) as store:
        found = store.datasets("w")
        assert {dataset.id for dataset, _ in work.saved} <= {dataset.id for dataset in found}
        for dataset in found:
            assert holds(store, dataset, int(dataset.name))


@pytest.mark.slow
@pytest.mark.parametrize("settings", ["lake"], indirect=True)
def test_postgresql_restarted_in_the_middle_of_imports_loses_nothing(
    settings: Settings, postgres: Postgres, write_csv: WriteCsv
) -> None:
    settings = replace(settings, datasets=10**6)
    files = [write_file(write_csv, number) for number in range(3)]
    with Store(settings=settings) as store:
        work = Work(store, files)
        try:
            for kind in (signal.SIGINT, signal.SIGQUIT):
                work.wait_for(2)
                postgres.stop(kind)
                time.sleep(0.5)
                postgres.start()
            work.wait_for(2)
        finally:
            work.end()
    all_is_there(settings, work)


@pytest.mark.parametrize("settings", ["lake"], indirect=True)
def test_while_postgresql_is_gone_everything_is_refused_with_a_sentence(
    settings: Settings, postgres: Postgres, write_csv: WriteCsv
) -> None:
    with Store(settings=settings) as store:
        saved = store.add(write_file(write_csv, 1), "ratings", MAPPING, "before", "w")
        postgres.stop()
        try:
            for call in (
                lambda: store.datasets("w"),
                lambda: holds(store, saved, 1),
                store._database.probe,
                lambda: store.delete(saved.id),
            ):
                with pytest.raises(
                    StorageUnavailable, match=r"the lake's catalogue .* does not answer; nothing was saved"
                ):
                    call()
        finally:
            postgres.start()
        assert store.datasets("w") == [saved]
        assert holds(store, saved, 1)
        store._database.probe()


@pytest.mark.slow
@pytest.mark.parametrize("settings", ["s3"], indirect=True)
def test_s3_gone_in_the_middle_of_imports_loses_nothing(
    settings: Settings, s3: S3, write_csv: WriteCsv
) -> None:
    settings = replace(settings, datasets=10**6)
    files = [write_file(write_csv, number) for number in range(3)]
    with Store(settings=settings) as store:
        work = Work(store, files)
        try:
            work.wait_for(2)
            s3.stop()
            with pytest.raises(
                StorageUnavailable, match=r"the lake's files .* cannot be reached; nothing was saved"
            ):
                store._database.probe()
            work.wait_for_faults(2)
            s3.start()
            work.wait_for(2)
        finally:
            work.end()
        store._database.probe()
    assert any(isinstance(error, StorageUnavailable) for error in work.told), "no import met the fault"
    all_is_there(settings, work)


@pytest.mark.parametrize("settings", ["lake"], indirect=True)
def test_a_folder_that_goes_is_said_to_be_and_is_used_again_when_it_is_back(
    settings: Settings, write_csv: WriteCsv
) -> None:
    file = write_file(write_csv, 1)
    with Store(settings=settings) as store:
        saved = store.add(file, "ratings", MAPPING, "before", "w")
        place = Path(settings.data_path)
        place.rename(place.with_name("away"))
        with pytest.raises(StorageUnavailable, match="cannot be reached; nothing was saved"):
            store.add(file, "ratings", MAPPING, "after", "w")
        with pytest.raises(StorageUnavailable, match="cannot be reached"):
            store._database.probe()
        place.with_name("away").rename(place)
        assert store.datasets("w") == [saved]
        assert holds(store, saved, 1)
        assert holds(store, store.add(file, "ratings", MAPPING, "after", "w"), 1)
