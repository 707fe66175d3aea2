"""Import of 2,000,000 ratings into a lake, checks included, against DuckDB's own reading of the same file.

PostgreSQL and the folder of Parquet files are on this machine. Each side begins with nothing; opening the lake
does not count, because a server does it once.
"""

import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import duckdb

from benchmarks.ratio import Ratio, median_seconds
from benchmarks.size.import_speed import GENERATED, MAPPING, generate_file
from data.settings import Settings
from data.store.store import Store
from tests import lake_servers

ROWS = 2_000_000
RUNS = 5


def rows() -> Iterator[Ratio]:
    try:
        lake_servers.programs()
    except FileNotFoundError as error:
        print(f"(no lake: {error})", file=sys.stderr)
        return
    with (
        tempfile.TemporaryDirectory(dir=_generated_folder()) as folder,
        lake_servers.postgres() as server,
    ):
        path = Path(folder) / "ratings.csv"
        duckdb.connect().execute(
            f"COPY (SELECT * FROM read_csv('{generate_file()}') LIMIT {ROWS}) TO '{path}' (HEADER)"
        )
        settings = Settings(
            database=server.new_url(),
            data_path=str(Path(folder) / "lake"),
            spool=Path(folder) / "spool",
            datasets=10**6,
        )
        with Store(settings=settings) as store:
            plain, ours = median_seconds(RUNS, lambda: _plain(path), lambda: _ours(store, path))
        print(f"(plain {plain:.2f} s, into the lake {ours:.2f} s)", file=sys.stderr)
        yield Ratio(
            f"`Store.add`, {ROWS:,} ratings into a lake",
            "`CREATE TABLE AS` of `read_csv`",
            ours / plain,
            3.5,
            "at most",
        )


def _generated_folder() -> Path:
    GENERATED.mkdir(exist_ok=True)
    return GENERATED


def _plain(path: Path) -> None:
    folder = Path(tempfile.mkdtemp(dir=path.parent))
    with duckdb.connect(folder / "plain.duckdb") as connection:
        connection.execute("CREATE TABLE ratings AS SELECT * FROM read_csv(?)", [str(path)])
    shutil.rmtree(folder)


def _ours(store: Store, path: Path) -> None:
    dataset = store.add(path, "ratings", MAPPING, "ratings")
    if dataset.rows_kept != ROWS:
        raise RuntimeError(f"{dataset.rows_kept} rows were kept, not {ROWS:,}")
