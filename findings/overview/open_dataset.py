"""What the Overview says of the open data set: how much it holds, and where there is nothing to compare."""

from collections.abc import Mapping, Sequence

from charts.parts.numbers import count
from data.kinds.definitions import KINDS
from findings.study import Study
from findings.words import Sentence

SYNTHETIC: Sentence = (
    "This built-in study is synthetic: made to resemble published results, not collected. "
    "Upload your own on the Data page.",
    {},
)
ONE_GROUP: Sentence = ("There is one group only, and no numeric column to hold it against.", {})
SAME_GROUP: Sentence = (
    "Candidate and reference are the same group. Choose another reference in the sidebar.",
    {},
)


def size(study: Study, overview: Mapping[str, Sequence[int]]) -> Sentence:
    """How many rows of how many items by how many raters, from the row of the query `overview`."""
    kind = KINDS[study.dataset.kind]
    return (
        "<b>{name}</b>: {rows} {what} of {items} {of} by {raters} {by}{groups}.",
        {
            "name": study.dataset.name,
            "rows": count(overview["rows"][0]),
            "what": kind.rows,
            "items": count(overview["items"][0]),
            "of": kind.items,
            "raters": count(overview["raters"][0]),
            "by": kind.raters,
            "groups": f" in {len(study.groups)} groups" if len(study.groups) > 1 else "",
        },
    )
