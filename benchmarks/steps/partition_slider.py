"""One step of the group size on the sample: the Relevance page against a bare script with ready numbers.

The clock is stopped when the distributions stand for the first time: the page adds
their intervals to the same picture later. Every step asks for a size and a seed not seen before, in both; the page
works out all sizes ahead, once it has drawn the first.
"""

import os
from collections.abc import Iterator
from pathlib import Path

from benchmarks.ratio import Ratio
from benchmarks.steps.beside_bare import FIRST_STAND, BareSlider, compared, steps

SAMPLE = "sample-relevance"
SEEDS = (1, 2, 3, 4)
SIZES = range(1, 9)
IN_THE_TABLE = (2, 4)
"""Sizes that the page knows already."""


def rows() -> Iterator[Ratio]:
    address = f"/relevance?d={SAMPLE}&about=Partitions&group_size=1&partition_seed={{seed}}"
    unseen = [size for size in SIZES[1:] if size not in IN_THE_TABLE]
    taken = list(steps(ready, address, SEEDS, unseen, FIRST_STAND))
    yield from compared("one document more per group until the distributions stand", taken)


def ready(folder: Path) -> BareSlider:
    """The page's own picture for every seed and group size, before its intervals."""
    os.environ["RATERSCOPE_DATABASE"] = str(folder / "ready.duckdb")
    from analysis.relevance.partitions import PartitionSpec
    from features.study import ALL_GROUPS, Study
    from findings.relevance.partitions import Drawn
    from findings.relevance.surrogates import PREDICTION
    from panels.relevance import partitions as panel
    from panels.relevance.full_text import main_rows
    from ui.store import store

    dataset = store().by_key(SAMPLE)
    study = Study(SAMPLE, dataset, dataset, (), (), ALL_GROUPS, None, None, ())
    judged = main_rows(study)
    asked = panel.Asked(study, judged, study.dataset.named("item number")[0], PREDICTION)
    figures = {}
    for seed in SEEDS:
        for size in SIZES:
            spec = PartitionSpec((size,), 10_000, seed, judged.full_text)
            partitioned = panel.study_of(asked, spec)
            if partitioned is None:
                raise RuntimeError(f"partitions into groups of {size} were stopped")
            figures[seed, size] = panel.figure(judged, Drawn(partitioned))
    store().close()
    return BareSlider("Relevance", "Documents per group", 1, 8, 1, figures)


if __name__ == "__main__":
    for row in rows():
        print(row.as_markdown())
