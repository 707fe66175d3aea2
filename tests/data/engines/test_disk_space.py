"""A save that fails or is killed gives back the disk space that it took, and harms nothing that was saved."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import duckdb
import numpy as np
import pytest

from data.engines.schema import estimate_size
from data.errors import DiskFull
from data.settings import Settings
from data.store.store import Store
from tests.data.damage import files_no_larger_than
from tests.data.engines.test_engine_faults import disk

WriteCsv = Callable[..., Path]
ROOT = Path(__file__).parents[3]
MAPPING = {"item_id": "item", "rater_id": "rater", "score": "score"}
SMALL = [(f"item {at // 5}", f"rater {at % 5}", at % 7) for at in range(200)]
MB = 1_000_000


@pytest.fixture
def small(write_csv: WriteCsv) -> Path:
    return write_csv(MAPPING.values(), SMALL, "small.csv")


@pytest.fixture
def large(write_csv: WriteCsv) -> Path:
    """File over 2 MB, even when compressed."""
    ids = np.random.default_rng(0).integers(0, 2**63, 140_000).tolist()
    return write_csv(MAPPING.values(), [(item, item % 100, 1) for item in ids], "large.csv")


def fill(file: Path) -> None:
    """Write a file until its disk is full."""
    with suppress(OSError), file.open("wb", buffering=0) as others:
        while True:
            others.write(bytes(4096))


def scores(store: Store, name: str) -> list[list[float]]:
    """Return the scores of every data set that is called so, in their order."""
    return [
        store.query(dataset, "ratings", measure="score", group="all ratings")["score"].tolist()
        for dataset in store.datasets("w")
        if dataset.name == name
    ]


def size_of(settings: Settings) -> int:
    return Path(settings.database).stat().st_size


@pytest.mark.storage
def test_a_failed_save_leaves_the_file_as_large_as_before(store: Store, small: Path, large: Path) -> None:
    store.add(small, "ratings", MAPPING, "before", "w")
    with large.open("rb") as content:
        waiting = store.spool.keep("large.csv", content)
    store.check(waiting, "ratings", MAPPING)  # its rows wait in the spool now, which is not what is full
    for _ in range(2):
        with files_no_larger_than(3 * MB // 2), pytest.raises(DiskFull, match="nothing was saved"):
            store.add(waiting, "ratings", MAPPING, "too much", "w")
        assert size_of(store.settings) < MB
    store.add(small, "ratings", MAPPING, "after", "w")
    assert scores(store, "before") == scores(store, "after") == [[score for *_, score in SMALL]]
    assert scores(store, "too much") == []


KILLED = """
import os, signal, sys
import duckdb
connection = duckdb.connect(":memory:")
connection.execute(f"ATTACH '{sys.argv[1]}' AS store")
connection.execute("BEGIN TRANSACTION")
connection.execute("CREATE TABLE store.half AS SELECT hash(range) AS number FROM range(1_000_000)")
os.kill(os.getpid(), signal.SIGKILL)
"""


def kill_in_the_middle_of_writing(settings: Settings) -> None:
    ended = subprocess.run([sys.executable, "-c", KILLED, settings.database], check=False)
    assert ended.returncode == -signal.SIGKILL
    assert size_of(settings) > 5 * MB


@pytest.mark.storage
@pytest.mark.parametrize("hole", [False, True], ids=["no hole", "a hole"])
def test_what_a_killed_writer_took_is_given_back_at_the_next_start(
    settings: Settings, small: Path, large: Path, hole: bool
) -> None:
    with Store(settings=settings) as store:
        store.add(small, "ratings", MAPPING, "before", "w")
        if hole:
            first = store.add(large, "ratings", MAPPING, "hole", "w")
            store.add(large, "ratings", MAPPING, "behind", "w")
            store.delete(first.id)
    grown = size_of(settings)
    kill_in_the_middle_of_writing(settings)
    with Store(settings=settings) as store:
        assert size_of(settings) <= grown
        assert hole or size_of(settings) < MB
        assert scores(store, "before") == [[score for *_, score in SMALL]]
        assert [len(of) for of in scores(store, "behind")] == [140_000] * hole


KILLED_WHILE_RECLAIMING = """
import os, signal, sys
from pathlib import Path
import duckdb
from data.engines.file_engine import FileEngine
from data.settings import Settings

class Counting:
    def __init__(self, connection, left):
        self.connection, self.left = connection, left
    def execute(self, statement, *values):
        done = self.connection.execute(statement, *values)
        self.left -= 1
        if self.left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return done

FileEngine(Path(sys.argv[1]), Settings()).prepare(Counting(duckdb.connect(":memory:"), int(sys.argv[2])))
"""


@pytest.mark.storage
@pytest.mark.parametrize("statements", [3, 4, 5, 6])
def test_a_kill_while_space_is_reclaimed_loses_nothing(
    settings: Settings, small: Path, statements: int
) -> None:
    with Store(settings=settings) as store:
        store.add(small, "ratings", MAPPING, "before", "w")
    kill_in_the_middle_of_writing(settings)
    ended = subprocess.run(
        [sys.executable, "-c", KILLED_WHILE_RECLAIMING, settings.database, str(statements)],
        check=False,
        cwd=ROOT,
    )
    assert ended.returncode == -signal.SIGKILL, "it was killed in the middle of it"
    with Store(settings=settings) as store:
        assert scores(store, "before") == [[score for *_, score in SMALL]]
    with Store(settings=settings) as store:
        assert size_of(settings) < MB
        assert scores(store, "before") == [[score for *_, score in SMALL]]
    with duckdb.connect(settings.database, read_only=True) as plain:
        tables = plain.execute(
            "SELECT table_name FROM duckdb_tables() WHERE table_name LIKE 'rows%'"
        ).fetchall()
    assert len(tables) == 1


@pytest.mark.storage
def test_a_disk_without_a_byte_left_gives_back_the_space_of_a_killed_save(
    settings: Settings, tmp_path: Path, small: Path
) -> None:
    with disk(tmp_path / "disk", "24m") as place:
        on_it = replace(settings, database=str(place / "r.duckdb"))
        with Store(settings=on_it) as store:
            store.add(small, "ratings", MAPPING, "before", "w")
        kill_in_the_middle_of_writing(on_it)
        fill(place / "others")
        assert os.statvfs(place).f_bavail == 0
        with Store(settings=on_it) as store:
            assert size_of(on_it) < MB
            assert store.add(small, "ratings", MAPPING, "after", "w").rows_kept == len(SMALL)
            assert scores(store, "before") == scores(store, "after")


@pytest.mark.storage
def test_a_save_that_does_not_fit_is_not_begun(
    settings: Settings, tmp_path: Path, small: Path, large: Path
) -> None:
    with disk(tmp_path / "disk", "4m") as place:
        on_it = replace(settings, database=str(place / "r.duckdb"))
        with Store(settings=on_it) as store:
            store.add(small, "ratings", MAPPING, "before", "w")
            before = size_of(on_it)
            with pytest.raises(
                DiskFull, match=r"needs about \d+ MB .* but \S+ MB are free .* free disk space"
            ) as caught:
                store.add(large, "ratings", MAPPING, "too much", "w")
            assert "MB left" in caught.value.visitor_message()
            assert str(place) not in caught.value.visitor_message()
            assert size_of(on_it) == before
            store.check_writable()
            fill(place / "others")
            with pytest.raises(DiskFull):
                store.check_writable()


@pytest.mark.parametrize("free", [0, 10 * MB, None])
def test_what_is_free_decides_whether_a_save_is_begun(
    store: Store, small: Path, monkeypatch: pytest.MonkeyPatch, free: int | None
) -> None:
    monkeypatch.setattr(
        store._database._engine, "free_space", lambda cursor: None if free is None else (free, Path("/disk"))
    )
    if free == 0:
        with pytest.raises(DiskFull, match="0 B are free on the disk of /disk"):
            store.add(small, "ratings", MAPPING, "one", "w")
        assert store.datasets("w") == []
    else:
        assert store.add(small, "ratings", MAPPING, "one", "w").rows_kept == len(SMALL)


@pytest.mark.parametrize("rows", [200, 20_000])
def test_the_estimate_covers_what_is_written_and_is_not_absurd(
    store: Store, write_csv: WriteCsv, rows: int
) -> None:
    data = [(f"item {at // 5}", f"rater {at % 50}", at % 7) for at in range(rows)]
    file = write_csv(MAPPING.values(), data)
    with store._stage_or_reopen(file, "ratings", MAPPING) as (cursor, staged, _):
        needed = estimate_size(cursor, staged.path)
    database = Path(store.settings.database)
    log = database.with_name(f"{database.name}.wal")
    before = size_of(store.settings)
    store.add(file, "ratings", MAPPING, "one", "w")
    written = size_of(store.settings) - before + log.stat().st_size
    assert written < needed < 10 * written + MB
