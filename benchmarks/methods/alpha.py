"""Interval alpha of 5,000,000 ratings in the store, with its interval, against one plain query of item means."""

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from analysis.agreement.alpha import interval_alpha
from analysis.values.estimate import Estimate
from benchmarks.ratio import Ratio, median_seconds
from benchmarks.size.import_speed import GENERATED, MAPPING, generate_file
from data.dataset import Dataset
from data.engines.schema import table_of
from data.settings import Settings
from data.store.store import Store

RUNS = 7
MEASURE = "quality"


def rows() -> Iterator[Ratio]:
    path = generate_file()
    with tempfile.TemporaryDirectory(dir=GENERATED) as folder:
        settings = Settings(database=f"{folder}/ratings.duckdb", spool=Path(folder) / "spool")
        with Store(settings=settings) as store:
            dataset = store.add(path, "ratings", MAPPING, "5,000,000 ratings")
            query_seconds, alpha_seconds = median_seconds(
                RUNS, lambda: _plain(store, dataset), lambda: alpha(store, dataset)
            )
    print(f"(plain {query_seconds:.2f} s, alpha {alpha_seconds:.2f} s)", file=sys.stderr)
    yield Ratio(
        "interval alpha, 5,000,000 ratings",
        "one `GROUP BY` of the items' means",
        alpha_seconds / query_seconds,
        4,
        "at most",
    )


def alpha(store: Store, dataset: Dataset) -> Estimate:
    sums = store.query(dataset, "unit_sums", measure=MEASURE)
    return interval_alpha(sums["count"], sums["total"], sums["squares"])


def _plain(store: Store, dataset: Dataset) -> None:
    with store._database.cursor() as cursor:
        cursor.execute(
            f"SELECT item_id, avg(score), count(*) FROM {table_of(dataset.id)} GROUP BY item_id"
        ).fetchnumpy()
