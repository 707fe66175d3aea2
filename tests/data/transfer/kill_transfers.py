"""Migrates and backs up and kills itself doing so, again and again; run by test_moving.py.

A process that never opens the database forks one that transfers, kills it with SIGKILL at a random moment, and
forks another one that looks at what is there: whole data sets only, and the last whole back-up.
"""

import os
import random
import shutil
import signal
import sys
import time
from pathlib import Path

from data.engines.schema import table_of
from data.settings import Settings
from data.store.store import Store
from data.transfer import interchange, moving
from tests.data.store.kill_imports import MAPPING, forked, sum_some, write_files

MOST_TIMES = 10
"""Largest number of migrations, in times those asked for: when they are short, most kills come before or after."""


def settings_of(folder: Path) -> Settings:
    return Settings(database=str(folder / "test.duckdb"), spool=folder / "spool", threads=2)


def fill(source: Path, files: list[Path]) -> None:
    with Store(settings=settings_of(source)) as store:
        for number, file in enumerate(files):
            saved = store.add(file, "ratings", MAPPING, str(number), "w")
            store.add_link(saved.id, f"link {number}")


def contents(store: Store) -> dict[str, tuple[object, ...]]:
    """Return each data set's row hash and catalogue entries; every table belongs to one."""
    found = {}
    with store._database.cursor() as cursor:
        for dataset in store.datasets("w"):
            found[dataset.id] = (
                interchange.hash_dataset(cursor, dataset.id),
                dataset,
                store.links(dataset.id),
                store.report(dataset.id),
            )
        tables = cursor.execute(
            "SELECT table_name FROM duckdb_tables() WHERE database_name = 'store' AND table_name LIKE 'rows%'"
        ).fetchall()
    assert {name for (name,) in tables} == {table_of(id) for id in found}
    return found


def migrate(source: Path, target: Path) -> None:
    with Store(settings=settings_of(source)) as old, Store(settings=settings_of(target)) as new:
        moving.migrate(old, new)


def back_up(source: Path, folder: Path) -> None:
    with Store(settings=settings_of(source)) as store:
        moving.back_up(store, folder)


def verify_part(source: Path, target: Path, told: Path, whole: bool = False) -> None:
    with Store(settings=settings_of(source)) as old, Store(settings=settings_of(target)) as new:
        expected, found = contents(old), contents(new)
        assert found.items() <= expected.items(), "a data set came out other than it went in"
        assert not whole or found == expected, "a data set is missing"
        with told.open("a") as file:
            file.write(f"{0 < len(found) < len(expected):d}")


def verify_back_up(source: Path, folder: Path, home: Path, told: Path) -> None:
    """The back-up from before the data set was added, or the one with it: never anything between."""
    with Store(settings=settings_of(source)) as old, Store(settings=settings_of(home)) as new:
        moving.restore(folder, new)
        expected, found = contents(old), contents(new)
        newest = [dataset.id for dataset in old.datasets("w")]
        assert found.items() <= expected.items()
        missing = expected.keys() - found.keys()
        assert missing in ({newest[0]}, set()), "a killed back-up harmed the one before"
        with told.open("a") as file:
            file.write(f"{bool(missing):d}")


def add(source: Path, file: Path) -> None:
    with Store(settings=settings_of(source)) as store:
        store.add(file, "ratings", MAPPING, "newest", "w")


def must(*work: object) -> None:
    _, status = os.waitpid(forked(*work), 0)  # type: ignore[arg-type]
    if status:
        sys.exit("a transfer or a look at it failed")


def killed(after: float, *work: object) -> None:
    process = forked(*work)  # type: ignore[arg-type]
    time.sleep(after)
    os.kill(process, signal.SIGKILL)
    os.waitpid(process, 0)


def main(folder: Path, seed: int, migrations: int, back_ups: int, expected: int) -> None:
    """Kill so many migrations and back-ups; then more migrations, until enough kills came in the middle of one."""
    rng = random.Random(seed)
    source, target, kept, told = (folder / name for name in ("source", "target", "kept", "told"))
    files = write_files(folder)
    must(fill, source, files)
    started = time.monotonic()
    must(migrate, source, target)
    one = time.monotonic() - started

    def interrupted() -> int:
        return told.read_text().count("1") if told.exists() else 0

    kills = 0
    while kills < migrations or (interrupted() < expected and kills < MOST_TIMES * migrations):
        if kills % 3 == 0:
            shutil.rmtree(target)
        killed(rng.uniform(0, one), migrate, source, target)
        must(verify_part, source, target, told)
        kills += 1
    must(migrate, source, target)
    must(verify_part, source, target, told, True)
    must(back_up, source, kept)
    for number in range(back_ups):
        must(add, source, files[number % len(files)])
        started = time.monotonic()
        killed(rng.uniform(0, one / 3), back_up, source, kept)
        must(verify_back_up, source, kept, folder / f"home{number}", told)
        must(back_up, source, kept)
    sys.stdout.write(f"{kills + back_ups} kills, {interrupted()} in the middle\n")


if __name__ == "__main__":
    sum_some()
    main(Path(sys.argv[1]), *map(int, sys.argv[2:]))
