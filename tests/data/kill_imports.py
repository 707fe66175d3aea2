"""Imports into a store and kills itself doing so, again and again; run by test_store_kills.py.

A process that never opens the database forks one that imports in a loop, writes a line for every data set that
`Store.add` has returned, and is killed with SIGKILL at a random moment. Then another one opens the store and
looks at everything that was acknowledged so far. Forking saves the half second that importing Python takes.
"""

import csv
import os
import random
import signal
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path

import numpy as np

from data.engine import table_of
from data.settings import Settings
from data.store import Store

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
            ratings = store.query(dataset, "ratings", measure="score", group="lab")
            assert ratings["score"].tolist() == scores_of(number), "a data set has other rows than its file"
            assert store.by_key(store.link(dataset.id)) == dataset
        with store._database.cursor() as cursor:
            tables = cursor.execute(
                "SELECT table_name FROM duckdb_tables() WHERE database_name = 'store' AND table_name LIKE 'rows%'"
            ).fetchall()
        assert {name for (name,) in tables} == {table_of(id) for id in found}, (
            "a table belongs to no data set"
        )


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


def main(folder: Path, kills: int, databases: int, seed: int) -> None:
    rng = random.Random(seed)
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
            os.kill(process, signal.SIGKILL)
            _, status = os.waitpid(process, 0)
            if not os.WIFSIGNALED(status):
                sys.exit("the importing process ended by itself")
            _, status = os.waitpid(forked(verify, settings, acknowledged), 0)
            if status:
                sys.exit("the store was harmed")
        total += lines_of(acknowledged)
    sys.stdout.write(f"{kills} kills, {total} data sets acknowledged\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]), kills=50, databases=5, seed=int(sys.argv[2]))
