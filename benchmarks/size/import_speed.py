"""Import of 5,000,000 ratings, checks included, against DuckDB's own reading of the same file.

The file has 200,000 items, 5,000 raters, 2 groups and one measure, in random order. Each side writes to a new
database file; peak memory is that of a process that does nothing else.
"""

import multiprocessing
import resource
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import duckdb

from benchmarks.ratio import Ratio, median_seconds
from data.settings import Settings
from data.store.store import Store

GENERATED = Path(__file__).parents[1] / "generated"
MAPPING = {
    "item_id": "item",
    "rater_id": "rater",
    "rater_group": "group",
    "measure": "measure",
    "score": "score",
}
MEMORY = 2 * 10**9
RUNS = 5


def generate_file() -> Path:
    """Return the file of ratings, generated once."""
    path = GENERATED / "ratings_5m.csv"
    if not path.exists():
        GENERATED.mkdir(exist_ok=True)
        draft = path.with_suffix(".draft")
        duckdb.connect().execute(
            f"""COPY (
                WITH votes AS (
                    SELECT i // 25 AS item, CASE WHEN i % 25 < 12 THEN 'lab' ELSE 'crowd' END AS "group",
                        hash(i) % 2500 AS rater, 1 + hash(i, 7) % 5 AS score
                    FROM range(5000000) numbers(i) ORDER BY hash(i, 13))
                SELECT format('item_{{:06d}}', item) AS item, format('{{}}_{{:04d}}', "group", rater) AS rater,
                    "group", 'quality' AS measure, score
                FROM votes
            ) TO '{draft}' (HEADER)"""
        )
        draft.rename(path)
    return path


def rows() -> Iterator[Ratio]:
    path = generate_file()
    with tempfile.TemporaryDirectory(dir=GENERATED) as folder:
        work = Path(folder)
        plain, ours = median_seconds(RUNS, lambda: _plain(path, work), lambda: _ours(path, work))
        print(f"(plain {plain:.2f} s, with checks {ours:.2f} s)", file=sys.stderr)
        yield Ratio(
            "`Store.add`, 5,000,000 ratings", "`CREATE TABLE AS` of `read_csv`", ours / plain, 2.5, "at most"
        )
        plain_size, our_size = _plain(path, work), _ours(path, work)
        yield Ratio("its database file", "the file of that table", our_size / plain_size, 1.3, "at most")
        with multiprocessing.get_context("spawn").Pool(1) as alone:
            peak = alone.apply(_peak_memory, (path, work))
    yield Ratio("its peak memory", "2 GB", peak / MEMORY, 1.0, "at most")


def _plain(path: Path, work: Path) -> int:
    folder = Path(tempfile.mkdtemp(dir=work))
    with duckdb.connect(folder / "plain.duckdb") as connection:
        connection.execute("CREATE TABLE ratings AS SELECT * FROM read_csv(?)", [str(path)])
    return _remove_database(folder / "plain.duckdb")


def _ours(path: Path, work: Path) -> int:
    folder = Path(tempfile.mkdtemp(dir=work))
    settings = Settings(database=str(folder / "ours.duckdb"), spool=folder / "spool")
    with Store(settings=settings) as store:
        dataset = store.add(path, "ratings", MAPPING, "5,000,000 ratings")
    if dataset.rows_kept != 5_000_000:
        raise RuntimeError(f"{dataset.rows_kept} rows were kept, not 5,000,000")
    return _remove_database(Path(settings.database))


def _remove_database(database: Path) -> int:
    size = database.stat().st_size
    shutil.rmtree(database.parent)
    return size


def _peak_memory(path: Path, work: Path) -> int:
    _ours(path, work)
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
