"""PCC-H on 1,000,000 votes of 10,000 workers, against one count of the items' choices.

100,000 items with 10 votes each, 4 options; both have the votes in memory, the count as a table of DuckDB.
"""

import duckdb
import numpy as np

from analysis.values.votes import Votes
from analysis.workers.pcch import fit_votes
from benchmarks.ratio import Ratio, median_seconds

ITEMS, EACH, RATERS, OPTIONS = 100_000, 10, 10_000, 4
THREADS = 2
RUNS = 7


def votes() -> Votes:
    """Draw votes, half of which are the item's own answer and half random."""
    rng = np.random.default_rng(0)
    item = np.repeat(np.arange(ITEMS), EACH)
    own = rng.integers(0, OPTIONS, ITEMS)[item]
    choice = np.where(rng.random(len(item)) < 0.5, own, rng.integers(0, OPTIONS, len(item)))
    return Votes(item, rng.integers(0, RATERS, len(item)), choice, ITEMS, RATERS, OPTIONS)


def rows() -> list[Ratio]:
    sample = votes()
    with duckdb.connect(config={"threads": THREADS}) as connection:
        connection.register("given", {"item": sample.item, "choice": sample.choice})
        connection.execute("CREATE TABLE votes AS SELECT * FROM given")
        count = "SELECT item, choice, count(*) AS votes FROM votes GROUP BY item, choice"
        counted = connection.execute(count).fetchnumpy()
        assert counted["votes"].sum() == len(sample)
        query_seconds, ours = median_seconds(
            RUNS, lambda: connection.execute(count).fetchnumpy(), lambda: fit_votes(sample)
        )
    return [
        Ratio(
            f"`pcch.fit_votes`, {len(sample):,} votes of {RATERS:,} workers",
            "one `GROUP BY` of the items' choices",
            ours / query_seconds,
            10,
            "at most",
        )
    ]


if __name__ == "__main__":
    for row in rows():
        print(row.as_markdown())
