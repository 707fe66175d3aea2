"""One step of the group size on the sample: the Relevance page against a bare script with ready numbers.

The clock is stopped when the distributions stand for the first time: the page adds
their intervals to the same picture later. Every step asks for a size and a seed not seen before, in both; the page
works out all sizes ahead, once it has drawn the first.
"""

import os
from collections.abc import Iterator
from pathlib import Path

from benchmarks.ratio import Ratio
from benchmarks.steps.beside_bare import CLOCK_OF_FIRST_DRAWING, BareSlider, compare_with_bare, measure_steps

SAMPLE = "sample-relevance"
SEEDS = (1, 2, 3, 4)
SIZES = range(1, 9)
IN_THE_TABLE = (2, 4)
"""Sizes that the page knows already."""


def rows() -> Iterator[Ratio]:
    address = f"/relevance?d={SAMPLE}&about=Partitions&group_size=1&partition_seed={{seed}}"
    unseen = [size for size in SIZES[1:] if size not in IN_THE_TABLE]
    steps = list(measure_steps(prepare_figures, address, SEEDS, unseen, CLOCK_OF_FIRST_DRAWING))
    yield from compare_with_bare("one document more per group until the distributions stand", steps)


def prepare_figures(folder: Path) -> BareSlider:
    """Return the page's figure for every seed and group size, before its intervals."""
    os.environ["RATERSCOPE_DATABASE"] = str(folder / "ready.duckdb")
    from features.plotting.theme import Look
    from features.relevance.agreement_results import PREDICTION, metrics
    from features.relevance.metrics_results import PartitionsSpec, preview_partitions
    from features.relevance.metrics_section import partition_outlines
    from features.study import ALL_GROUPS, Study
    from ui.elements import store

    dataset = store().by_key(SAMPLE)
    study = Study(SAMPLE, dataset, dataset, (), (), ALL_GROUPS, None, None, ())
    figures = {}
    for seed in SEEDS:
        for size in SIZES:
            spec = PartitionsSpec(metrics(study)[0], PREDICTION, size, seed=seed)
            figure = partition_outlines(preview_partitions(study, spec), Look())
            if figure is None:
                raise RuntimeError(f"partitions into groups of {size} were stopped")
            figures[seed, size] = figure
    store().close()
    return BareSlider("Relevance", "Documents per group", 1, 8, 1, figures)


if __name__ == "__main__":
    for row in rows():
        print(row.as_markdown())
