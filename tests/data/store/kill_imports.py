"""Changes a store and kills itself doing so, again and again; run by test_store_kills.py.

A process that never opens the database forks one that opens it and in a loop imports, replaces, joins and deletes,
writes a line for every call that has returned, and dies a moment into one of the statements it gives to DuckDB. Which
one is drawn so that the kills are spread over all of them, from opening the store to the end of a deletion. Then
another process opens the store and looks at everything that was acknowledged so far, cell by cell. On a lake two
processes work at the same time, and one lives on when the other dies. Forking saves the half second that importing
Python takes.
"""

import csv
import itertools
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
import pandas as pd  # noqa: F401 - DuckDB loads it at the first value it is given: once here instead of in every fork

from data.engines.schema import sums_of, table_of
from data.settings import Settings
from data.store import sums
from data.store.store import Store

MAPPING = {"item_id": "item", "rater_id": "rater", "score": "score", "rater_group": "group"}
SIZES = (60, 600, 2_000)
LIVES = 2
"""Lives of a data set, from its import to its deletion, over which the kills are spread."""
JOINED = "joined"


def sum_some() -> None:
    """From now on, and in what is forked, some of these data sets have sums, others have none."""
    sums.MIN_ROWS, sums.MAX_SHARE = 600, 10.0


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
    """Return the rows that must be stored: every cell, in the file's order."""
    return [
        (at + 1, str(at // 10), f"r{at % 10}", float(score), "lab")
        for at, score in enumerate(scores_of(number))
    ]


def write_numbers(folder: Path) -> Path:
    """A second file: a number for each item."""
    file = folder / "numbers.csv"
    file.write_text(
        "item,pesq\n" + "".join(f"{item},{number_of(item)}\n" for item in range(max(SIZES) // 10))
    )
    return file


def number_of(item: int) -> float:
    return item % 7 + 0.5


def change(store: Store, files: list[Path], number: int, told: Callable[[str], None]) -> None:
    """Imports a file, replaces it by the next one, joins that with numbers of its items, and deletes it."""
    saved = store.add(files[number], "ratings", MAPPING, str(number), "w")
    told(f"{saved.id} kept {number}")
    after = (number + 1) % len(files)
    newer = store.add(files[after], "ratings", MAPPING, str(after), "w", replaces=saved.id)
    told(f"{newer.id} kept {after}")
    numbers = files[0].with_name("numbers.csv")
    joined = store.join(newer, numbers, "items of ratings", {"item_id": "item", "pesq": "pesq"})
    whole = store.add(
        joined.path,
        joined.kind,
        joined.mapping,
        f"{after} {JOINED}",
        "w",
        replaces=newer.id,
        made_from=joined.made_from,
    )
    told(f"{whole.id} kept {after}")
    store.spool.discard(joined.path)
    told(f"{newer.id} deleting")
    store.delete(newer.id)
    told(f"{newer.id} deleted")


def watch_statements(seen: Callable[[], None]) -> None:
    """Calls `seen` before each statement that this thread gives to DuckDB."""

    def look(frame: object, event: str, called: object) -> None:
        if event == "c_call" and getattr(called, "__name__", "") == "execute":
            seen()

    sys.setprofile(look)


def die_at(statement: int, after: float) -> None:
    """Kills this process so many seconds into the statement of that number, whatever it is doing then."""
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    numbers = itertools.count()

    def seen() -> None:
        if next(numbers) == statement:
            signal.setitimer(signal.ITIMER_REAL, after)

    watch_statements(seen)


def keep_changing(
    settings: Settings, files: list[Path], acknowledged: Path, statement: int, after: float
) -> None:
    die_at(statement, after)
    with Store(settings=settings) as store, acknowledged.open("a") as log:

        def told(line: str) -> None:
            log.write(f"{line}\n")
            log.flush()

        while True:
            for number in range(len(files)):
                change(store, files, number, told)


def measure(settings: Settings, files: list[Path], measured: Path) -> None:
    """Write how many statements a life of some imports has, and the seconds that one of them takes."""
    numbers = itertools.count()
    started = time.monotonic()
    watch_statements(lambda: next(numbers))  # type: ignore[arg-type, return-value]
    with Store(settings=settings) as store:
        for number in range(LIVES):
            change(store, files, number, lambda line: None)
    statements = next(numbers)
    measured.write_text(f"{statements} {(time.monotonic() - started) / statements}")


def verify(settings: Settings, acknowledged: Path, alone: bool) -> None:
    """Every acknowledged data set is there with its content unless it was deleted; of the others, at most the last
    whole one. What the dead left in the spool goes when its time is over; `alone` says that nobody works there."""
    with Store(settings=settings) as store:
        known, deleting, deleted = {}, set(), set()
        for line in acknowledged.read_text().splitlines() if acknowledged.exists() else ():
            id, done, *number = line.split()
            if done == "kept":
                known[id] = int(*number)
            (deleting if done == "deleting" else deleted if done == "deleted" else set()).add(id)
        found = {dataset.id: dataset for dataset in store.datasets("w")}
        assert known.keys() - deleting <= found.keys(), "an acknowledged data set is gone"
        assert not deleted & found.keys(), "a deleted data set is there again"
        for dataset in found.values():
            number, *joined = dataset.name.split()
            assert known.get(dataset.id, int(number)) == int(number)
            stored = store._database.read(partial(stored_rows, table=table_of(dataset.id)))
            assert stored == rows_of(int(number)), "a data set has other rows than its file"
            if joined:
                wrong = store._database.read(partial(wrong_numbers, table=table_of(dataset.id)))
                assert wrong == 0, "a joined data set has other numbers than the second file"
            assert store.by_key(store.link(dataset.id)) == dataset
        tables, ids = store._database.read(tables_and_ids)
        rows = {table for table in tables if table.startswith("rows")}
        assert rows == {table_of(id) for id in ids}, "a table belongs to no data set"
        large = {dataset.id for dataset in found.values() if dataset.rows_kept >= sums.MIN_ROWS}
        assert large == {dataset.id for dataset in found.values() if dataset.summed}
        whole = {sums_of(id, table) for id in large for table in sums.SUMS}
        assert whole <= tables - rows, "sums of a data set are not there"
        assert {table[5:37] for table in tables} <= ids, "sums belong to no data set"
        assert found.keys() <= ids
        assert store._database.read(orphans) == 0, "the catalogue names a data set that is not there"
        if alone:
            for left in settings.spool.iterdir():
                os.utime(left, (0, 0))
            store.spool.sweep()
            assert not list(settings.spool.iterdir()), "what the dead left in the spool stays"


def wrong_numbers(cursor: duckdb.DuckDBPyConnection, table: str) -> int:
    statement = f"SELECT count(*) FROM {table} WHERE pesq IS DISTINCT FROM CAST(item_id AS INTEGER) % 7 + 0.5"
    return cursor.execute(statement).fetchall()[0][0]


def orphans(cursor: duckdb.DuckDBPyConnection) -> int:
    named = " UNION ALL ".join(f"SELECT dataset FROM {table}" for table in ("links", "reports", "kept_views"))
    statement = f"SELECT count(*) FROM ({named} UNION ALL SELECT replaces FROM datasets) AS named(id) "
    statement += "WHERE id IS NOT NULL AND id NOT IN (SELECT id FROM datasets)"
    return cursor.execute(statement).fetchall()[0][0]


def stored_rows(cursor: duckdb.DuckDBPyConnection, table: str) -> list[tuple[object, ...]]:
    return cursor.execute(
        f'SELECT "row", item_id, rater_id, score, rater_group FROM {table} ORDER BY "row"'
    ).fetchall()


def tables_and_ids(cursor: duckdb.DuckDBPyConnection) -> tuple[set[str], set[str]]:
    """At one moment: on a lake others go on writing."""
    cursor.execute("BEGIN TRANSACTION")
    ids = {id for (id,) in cursor.execute("SELECT id FROM datasets").fetchall()}
    tables = cursor.execute(
        "SELECT table_name FROM duckdb_tables() WHERE database_name = 'store' "
        "AND regexp_matches(table_name, '^(rows|sums)_')"
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
    return acknowledged.read_text().count(" kept ") if acknowledged.exists() else 0


def died(process: int) -> None:
    _, status = os.waitpid(process, 0)
    if not (os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGALRM):
        sys.exit("the importing process ended by itself")


def moments(settings: Settings, files: list[Path], kills: int, rng: random.Random) -> list[tuple[int, float]]:
    """Statements spread over a whole life of an importing process, in any order, and the seconds into each."""
    measured = files[0].with_name("measured")
    _, status = os.waitpid(forked(measure, settings, files, measured), 0)
    if status:
        sys.exit("an import fails that nobody kills")
    statements, seconds = measured.read_text().split()
    drawn = [int((kill + rng.random()) / kills * int(statements)) for kill in range(kills)]
    rng.shuffle(drawn)
    return [(statement, rng.uniform(1e-6, 2 * float(seconds))) for statement in drawn]


def verified(settings: Settings, acknowledged: Path, alone: bool) -> None:
    _, status = os.waitpid(forked(verify, settings, acknowledged, alone), 0)
    if status:
        sys.exit("the store was harmed")


def on_files(folder: Path, kills: int, databases: int, rng: random.Random) -> int:
    """One process at a time imports and dies; returns how many imports were acknowledged."""
    files = write_files(folder)
    timed = Settings(database=str(folder / "timed.duckdb"), spool=folder / "timed")
    total = 0
    for number, moment in enumerate(moments(timed, files, kills, rng)):
        home = folder / f"store{number % databases}"
        settings = Settings(
            database=str(home / "test.duckdb"), spool=home / "spool", datasets=10**9, threads=2
        )
        acknowledged = home.with_name(f"acknowledged{number % databases}")
        before = lines_of(acknowledged)
        died(forked(keep_changing, settings, files, acknowledged, *moment))
        verified(settings, acknowledged, alone=True)
        total += lines_of(acknowledged) - before
    return total


def on_a_lake(folder: Path, kills: int, url: str, rng: random.Random) -> int:
    """Two processes import, one after the other dies and is replaced; returns how many were acknowledged."""
    files = write_files(folder)
    settings = Settings(
        database=url, data_path=str(folder / "lake"), spool=folder / "spool", datasets=10**9, threads=1
    )
    acknowledged = folder / "acknowledged"
    drawn = moments(settings, files, kills, rng)
    acknowledged.touch()
    writers = [forked(keep_changing, settings, files, acknowledged, *moment) for moment in drawn[:2]]
    for at, moment in enumerate([*drawn[2:], None, None]):
        died(writers.pop(0))
        if at == kills // 2:
            verified(settings, acknowledged, alone=False)
        if moment is not None:
            writers.append(forked(keep_changing, settings, files, acknowledged, *moment))
    verified(settings, acknowledged, alone=True)
    return lines_of(acknowledged)


if __name__ == "__main__":
    sum_some()
    place, times, chance = Path(sys.argv[1]), int(sys.argv[2]), random.Random(int(sys.argv[3]))
    write_numbers(place)
    if len(sys.argv) == 5:
        saved = on_a_lake(place, times, sys.argv[4], chance)
    else:
        saved = on_files(place, times, databases=4, rng=chance)
    sys.stdout.write(f"{times} kills, {saved} data sets acknowledged\n")
