"""Imports into a store and kills itself doing so, again and again; run by test_store_kills.py.

A process that never opens the database forks one that imports in a loop, writes a line for every data set that
`Store.add` has returned, and is killed with SIGKILL at a random moment. Then another one opens the store and
looks at everything that was acknowledged so far, cell by cell. On a lake two processes import at the same time,
and one lives on when the other is killed. Forking saves the half second that importing Python takes.
"""

import csv
import os
import random
import signal
import sys
import time
import traceback
from collections.abc import Callable
from functools import partial
from pathlib import Path

import duckdb
import numpy as np

from data.engines.engine import table_of
from data.settings import Settings
from data.store.datasets import Store

MAPPING = {"item_id": "item", "rater_id": "rater", "score": "score", "rater_group": "group"}
SIZES = (300, 2_000, 10_000)


def scores_of(number: int) -> list[int]:
    return np.random.default_rng(number).integers(1, 100, SIZES[number % len(SIZES)]).tolist()


def write_files(folder: Path) -> list[Path]:
    files = []
    for number in range(2 * len(SIZES)):
        files.append(folder / f"{number}.csv")
        with files[-1].open("w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(MAPPING.values())
            writer.writerows(
                (at // 10, f"r{at % 10}", score, "lab") for at, score in enumerate(scores_of(number))
            )
    return files


def rows_of(number: int) -> list[tuple[int, str, str, float, str]]:
    """What must be stored of a file: every cell of every row, in the file's order."""
    return [
        (at + 1, str(at // 10), f"r{at % 10}", float(score), "lab")
        for at, score in enumerate(scores_of(number))
    ]


def keep_importing(settings: Settings, files: list[Path], acknowledged: Path) -> None:
    with Store(settings=settings) as store, acknowledged.open("a") as log:
        while True:
            for number, file in enumerate(files):
                saved = store.add(file, "ratings", MAPPING, str(number), "w")
                log.write(f"{saved.id} {number}\n")
                log.flush()


def import_all(settings: Settings, files: list[Path]) -> None:
    with Store(settings=settings) as store:
        for number, file in enumerate(files):
            store.add(file, "ratings", MAPPING, str(number), "w")


def verify(settings: Settings, acknowledged: Path) -> None:
    """Every acknowledged data set is there with its content; of the others, at most the last whole one."""
    with Store(settings=settings) as store:
        known = {}
        for line in acknowledged.read_text().splitlines() if acknowledged.exists() else ():
            id, number = line.split()
            known[id] = int(number)
        found = {dataset.id: dataset for dataset in store.datasets("w")}
        assert known.keys() <= found.keys(), "an acknowledged data set is gone"
        for dataset in found.values():
            number = int(dataset.name)
            assert known.get(dataset.id, number) == number
            stored = store._database.read(partial(stored_rows, table=table_of(dataset.id)))
            assert stored == rows_of(number), "a data set has other rows than its file"
            assert store.by_key(store.link(dataset.id)) == dataset
        tables, ids = store._database.read(tables_and_ids)
        assert tables == {table_of(id) for id in ids}, "a table belongs to no data set"
        assert found.keys() <= ids


def stored_rows(cursor: duckdb.DuckDBPyConnection, table: str) -> list[tuple[object, ...]]:
    return cursor.execute(
        f'SELECT "row", item_id, rater_id, score, rater_group FROM {table} ORDER BY "row"'
    ).fetchall()


def tables_and_ids(cursor: duckdb.DuckDBPyConnection) -> tuple[set[str], set[str]]:
    """At one moment: on a lake others go on writing."""
    cursor.execute("BEGIN TRANSACTION")
    ids = {id for (id,) in cursor.execute("SELECT id FROM datasets").fetchall()}
    tables = cursor.execute(
        "SELECT table_name FROM duckdb_tables() WHERE database_name = 'store' AND table_name LIKE 'rows%'"
    ).fetchall()
    cursor.execute("ROLLBACK")
    return {name for (name,) in tables}, ids


def forked(work: Callable[..., None], *arguments: object) -> int:
    process = os.fork()
    if process == 0:
        code = 1
        try:
            work(*arguments)
            code = 0
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stderr.flush()
            os._exit(code)
    return process


def lines_of(acknowledged: Path) -> int:
    return len(acknowledged.read_text().splitlines()) if acknowledged.exists() else 0


def wait_for(acknowledged: Path, lines: int) -> None:
    """Until so many imports have returned, so that a slow machine is not only killed while it opens the store."""
    give_up = time.monotonic() + 60
    while lines_of(acknowledged) < lines and time.monotonic() < give_up:
        time.sleep(0.002)


def killed(process: int) -> None:
    os.kill(process, signal.SIGKILL)
    _, status = os.waitpid(process, 0)
    if not os.WIFSIGNALED(status):
        sys.exit("the importing process ended by itself")


def verified(settings: Settings, acknowledged: Path) -> None:
    _, status = os.waitpid(forked(verify, settings, acknowledged), 0)
    if status:
        sys.exit("the store was harmed")


def on_files(folder: Path, kills: int, databases: int, rng: random.Random) -> int:
    """One process at a time imports and is killed; returns how many imports were acknowledged."""
    files = write_files(folder)
    home = folder / "timed"
    started = time.monotonic()
    os.waitpid(
        forked(import_all, Settings(database=str(home / "test.duckdb"), spool=home / "spool"), files), 0
    )
    one_import = (time.monotonic() - started) / len(files)
    total = 0
    for database in range(databases):
        home = folder / f"store{database}"
        settings = Settings(
            database=str(home / "test.duckdb"), spool=home / "spool", datasets=10**9, threads=2
        )
        acknowledged = folder / f"acknowledged{database}"
        for _ in range(kills // databases):
            process = forked(keep_importing, settings, files, acknowledged)
            wait_for(acknowledged, lines_of(acknowledged) + rng.randint(0, 4))
            time.sleep(rng.uniform(0, one_import))
            killed(process)
            verified(settings, acknowledged)
        total += lines_of(acknowledged)
    return total


def on_a_lake(folder: Path, kills: int, url: str, rng: random.Random) -> int:
    """Two processes import, one after the other is killed and replaced; returns how many were acknowledged."""
    files = write_files(folder)
    settings = Settings(
        database=url, data_path=str(folder / "lake"), spool=folder / "spool", datasets=10**9, threads=1
    )
    acknowledged = folder / "acknowledged"
    started = time.monotonic()
    writers = [forked(keep_importing, settings, files, acknowledged) for _ in range(2)]
    wait_for(acknowledged, 2)
    one_import = (time.monotonic() - started) / 2
    try:
        for kill in range(kills):
            wait_for(acknowledged, lines_of(acknowledged) + rng.randint(0, 2))
            time.sleep(rng.uniform(0, one_import))
            killed(writers.pop(0))
            if kill == kills // 2:
                verified(settings, acknowledged)
            writers.append(forked(keep_importing, settings, files, acknowledged))
    finally:
        for writer in writers:
            killed(writer)
    verified(settings, acknowledged)
    return lines_of(acknowledged)


if __name__ == "__main__":
    place, times, chance = Path(sys.argv[1]), int(sys.argv[2]), random.Random(int(sys.argv[3]))
    if len(sys.argv) == 5:
        saved = on_a_lake(place, times, sys.argv[4], chance)
    else:
        saved = on_files(place, times, databases=5, rng=chance)
    sys.stdout.write(f"{times} kills, {saved} data sets acknowledged\n")
