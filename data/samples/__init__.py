"""The built-in studies: what a first start shows, what tests and pictures use. All of them synthetic.

Each is a generator with planted truths rather than a file, so that the truths can be tested for and no
collected data has to be carried along.
"""

import csv
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from data.samples import assessors, comparisons, comprehension, relevance, summaries


@dataclass(frozen=True)
class Sample:
    """A study, or a table that belongs to one, that can be written to a file and imported like an upload."""

    key: str
    name: str
    kind: str
    mapping: Mapping[str, str]
    version: str
    """Raised whenever the file's content changes, or what its import says of it."""
    generate: Callable[[], summaries.Table]

    def write(self, path: Path) -> None:
        """Write the table as a CSV file, UTF-8, a header and one line per row; always the same bytes."""
        table = self.generate()
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(table)
            writer.writerows(zip(*(column.tolist() for column in table.values()), strict=True))


def _sample(
    key: str,
    name: str,
    kind: str,
    columns: Iterable[str],
    generate: Callable[[], summaries.Table],
    version: str = "1",
) -> Sample:
    """A study whose columns have their canonical names."""
    mapping = MappingProxyType({column: column for column in columns})
    return Sample(f"sample-{key}", f"{name} (synthetic)", kind, mapping, version, generate)


_COMPARISONS = "Comparisons: 3 pairs of recommenders, 10 workers"
_COMPREHENSION = "Comprehension: 51 stories, 4 authors and a machine"
_RELEVANCE = "Relevance: 10 raters, headlines and summaries"
SAMPLES: tuple[Sample, ...] = (
    _sample("summaries", "Summaries: crowd and lab", "ratings", summaries.COLUMNS, summaries.generate),
    _sample(
        "assessors", "Assessors: TAC-like, 8 assessors", "ratings", assessors.COLUMNS, assessors.generate, "3"
    ),
    _sample(
        "assessors-pyramid",
        "Assessors: contributors of the pyramids",
        "contributors",
        assessors.CONTRIBUTOR_COLUMNS,
        assessors.contributors,
    ),
    _sample("comparisons", _COMPARISONS, "choices", comparisons.COLUMNS, comparisons.generate),
    _sample("comprehension", _COMPREHENSION, "comprehension", comprehension.COLUMNS, comprehension.generate),
    _sample("relevance", _RELEVANCE, "relevance", relevance.COLUMNS, relevance.generate),
)
