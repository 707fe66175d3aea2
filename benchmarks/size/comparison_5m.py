"""Distributions and Crowd vs lab on 5,000,000 ratings, against one plain query of the items' means.

200,000 items, 5,000 raters, 2 groups. Everything the two pages show: sizes, both groups' distributions with
their normality tests, histograms of MOS and of single ratings, all figures and tests of the comparison with
their intervals, and both pictures. Nothing is kept between runs.
"""

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from analysis.comparison.comparison import Comparison, compare_sums, verdict_flips
from analysis.comparison.variance_components import ItemPairs, RaterInfluence
from analysis.values.distributions import Description, describe_means, histogram, round_edges
from analysis.values.estimate import holm
from benchmarks.ratio import Ratio, median_seconds
from benchmarks.size.import_speed import GENERATED, MAPPING, generate_file
from data.dataset import Dataset
from data.engines.schema import table_of
from data.settings import Settings
from data.store.store import Store
from features.comparison.figures import differences, scatter
from features.comparison.results import ItemMos
from features.distributions.section import Bars, histograms
from features.plotting.theme import Look

RUNS = 7
GROUPS = ("lab", "crowd")
MEASURE = "quality"


def rows() -> Iterator[Ratio]:
    path = generate_file()
    with tempfile.TemporaryDirectory(dir=GENERATED) as folder:
        settings = Settings(database=f"{folder}/ratings.duckdb", spool=Path(folder) / "spool")
        with Store(settings=settings) as store:
            dataset = store.add(path, "ratings", MAPPING, "5,000,000 ratings")
            plain, ours = median_seconds(
                RUNS, lambda: _plain(store, dataset), lambda: compute_pages(store, dataset)
            )
    print(f"(plain {plain:.2f} s, both pages {ours:.2f} s)", file=sys.stderr)
    yield Ratio(
        "both pages, 5,000,000 ratings", "one `GROUP BY` of the items' means", ours / plain, 5, "at most"
    )


def compute_pages(store: Store, dataset: Dataset) -> tuple[Comparison, list[Description]]:
    """Run the computations of the two pages in their order."""
    cells = store.query(dataset, "cells")
    counts = store.query(dataset, "score_counts", measure=MEASURE)
    sums = store.query(dataset, "comparison", measure=MEASURE, candidate="crowd", reference="lab")
    pairs = ItemPairs(**{name: sums[name] for name in ItemPairs.__dataclass_fields__})
    pulls = RaterInfluence(**{name: sums[name] for name in RaterInfluence.__dataclass_fields__})
    raters = dict(zip(cells["group"].tolist(), cells["raters"].tolist(), strict=True))

    means = {
        "crowd": (pairs.mos_candidate, pairs.n_candidate),
        "lab": (pairs.mos_reference, pairs.n_reference),
    }
    rated = {group: (mos[n > 0], n[n > 0]) for group, (mos, n) in means.items()}
    described = [describe_means(*rated[group], raters[group]) for group in GROUPS]
    edges = round_edges(*_format_range([mos for mos, _ in rated.values()]))
    of_items = [Bars(group, edges, histogram(rated[group][0], edges)) for group in GROUPS]
    edges = round_edges(*_format_range([counts["score"]]))
    of_ratings = []
    for group in GROUPS:
        here = counts["group"] == group
        bars = histogram(counts["score"][here], edges, counts["count"][here])
        of_ratings.append(Bars(group, edges, bars))
    for bars in (of_items, of_ratings):
        histograms([(MEASURE, bars)], GROUPS, Look(), "items")

    comparison = compare_sums(pairs, pulls)
    holm([comparison.rater_p])
    verdict_flips(comparison)
    shared = pairs.shared()
    panel = ItemMos(
        MEASURE,
        shared.mos_candidate,
        shared.mos_reference,
        np.empty(0, dtype=np.str_),
        comparison.spearman,
        comparison.mean_difference,
        (comparison.limit_low, comparison.limit_high),
    )
    for picture in (scatter, differences):
        picture([panel], "crowd", "lab", "#0072B2", Look())
    store.query(dataset, "rater_attributes")
    return comparison, described


def _plain(store: Store, dataset: Dataset) -> None:
    with store._database.cursor() as cursor:
        cursor.execute(
            f"SELECT item_id, rater_group, avg(score), count(*) FROM {table_of(dataset.id)} GROUP BY ALL"
        ).fetchnumpy()


def _format_range(values: list[np.ndarray]) -> tuple[float, float]:
    return min(float(v.min()) for v in values), max(float(v.max()) for v in values)
