"""Built-in synthetic studies, for the first start, for tests and for pictures.

Each is a generator with planted truths rather than a file, so that the truths can be tested for and no
collected data has to be carried along.
"""

import csv
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from data.dataset import SLOT
from data.kinds.studies import GRADE_COLUMNS
from data.mapping.plan import FileMapping
from data.samples import (
    assessors,
    comparisons,
    comprehension,
    label_sets,
    rankings,
    relevance,
    summaries,
    votes,
)


@dataclass(frozen=True)
class Sample:
    """Study, or a table linked to one, that can be written to a file and imported like an upload."""

    key: str
    name: str
    kind: str
    mapping: FileMapping
    version: str
    """Increased whenever the content of the file or its import report changes."""
    generate: Callable[[], summaries.Table]
    question: str = ""
    """Question that the study answers best; empty if it only belongs to another study."""

    def write(self, path: Path) -> None:
        """Write the table as a CSV file in UTF-8; the bytes are always the same."""
        table = self.generate()
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(table)
            writer.writerows(zip(*(column.tolist() for column in table.values()), strict=True))


SAMPLES: tuple[Sample, ...] = (
    Sample(
        key="sample-summaries",
        name="Summaries: crowd and lab (synthetic)",
        kind="ratings",
        mapping=MappingProxyType({name: name for name in summaries.COLUMNS}),
        version="2",
        generate=summaries.generate,
        question="How many crowd ratings are enough?",
    ),
    Sample(
        key="sample-assessors",
        name="Assessors: TAC-like, 8 assessors (synthetic)",
        kind="ratings",
        mapping=MappingProxyType({name: name for name in assessors.COLUMNS}),
        version="3",
        generate=assessors.generate,
        question="Which raters are inconsistent?",
    ),
    Sample(
        key="sample-assessors-pyramid",
        name="Assessors: contributors of the pyramids (synthetic)",
        kind="contributors",
        mapping=MappingProxyType({name: name for name in assessors.CONTRIBUTOR_COLUMNS}),
        version="1",
        generate=assessors.contributors,
    ),
    Sample(
        key="sample-comparisons",
        name="Comparisons: 3 pairs of recommenders, 10 workers (synthetic)",
        kind="choices",
        mapping=MappingProxyType({name: name for name in comparisons.COLUMNS}),
        version="1",
        generate=comparisons.generate,
        question="Which system do people prefer?",
    ),
    Sample(
        key="sample-comprehension",
        name="Comprehension: 51 stories, 4 authors and a machine (synthetic)",
        kind="comprehension",
        mapping=MappingProxyType({name: name for name in comprehension.COLUMNS}),
        version="1",
        generate=comprehension.generate,
        question="How much do two summaries share?",
    ),
    Sample(
        key="sample-relevance",
        name="Relevance: 10 raters, headlines and summaries (synthetic)",
        kind="relevance",
        mapping=MappingProxyType({name: name for name in relevance.COLUMNS}),
        version="1",
        generate=relevance.generate,
        question="Which summaries suffice?",
    ),
    Sample(
        key="sample-rankings",
        name="Rankings: 5 translation systems, 20 raters (synthetic)",
        kind="rankings",
        mapping=MappingProxyType({name: name for name in rankings.COLUMNS}),
        version="1",
        generate=rankings.generate,
        question="Which system ranks best?",
    ),
    Sample(
        key="sample-label-sets",
        name="Label sets: 60 posts, 6 emotions, 12 raters (synthetic)",
        kind="label sets",
        mapping=MappingProxyType({name: name for name in label_sets.COLUMNS} | {"@separator": ";"}),
        version="1",
        generate=label_sets.generate,
        question="Are crowd labels right?",
    ),
    Sample(
        key="sample-votes",
        name="Votes per grade: 180 pictures, 12 codecs (synthetic)",
        kind="ratings",
        mapping=MappingProxyType(
            {
                "item_id": "item_id",
                "rater_id": SLOT,
                "votes": votes.GRADES,
                "system": "system",
                "topic": "topic",
                "@form": GRADE_COLUMNS,
                "@raters": "slots",
                "@names score": ("1", "2", "3", "4", "5"),
            }
        ),
        version="1",
        generate=votes.generate,
        question="Which codec looks best?",
    ),
)
