"""Doubts about a data set, in the same sentence as whatever is concluded from it."""

from collections.abc import Sequence
from dataclasses import replace

from features.blocks import Finding
from features.words import Sentence

NAMED = 2
"""Doubts that a finding names; the Overview has all."""
NEVER_CHECKED: Sentence = (
    "This data was imported before imports were checked for what looks wrong, so no finding can say whether it does. "
    "Upload the file again as a new version on the Data page to have it checked.",
    {},
)
HOW_DOUBTED = """
**Doubtful** stands before whatever is concluded from data that looked wrong when it was imported: at least a third of
its rows repeat an item and a rater; more than half of its items have only one row and belong to no systems; all scores
of a measure are the same; scores lie outside the scale of at least 99% of the others, or far off it, as codes of
missing answers do; a group shares no item with another one; gold fits no answer that anybody gave; columns that could
hold ratings are not used; or the raters were guessed by the values of a column. The figures are computed as ever. Where
data are too few, or a question does not apply, nothing is concluded, and it is said without it.
"""


def add_doubts(finding: Finding, doubts: Sequence[str]) -> Finding:
    """Return the finding with the doubts about its data, where it concludes something from them."""
    return replace(finding, doubtful=tuple(doubts)) if finding.status.concludes else finding


def sentence_of(finding: Finding) -> Sentence:
    """Return the headline, with the doubts about its data before it.

    >>> sentence_of(Finding(("Crowd and lab agree.", {}), doubtful=["60% of the items have only one rating"]))
    ('<b>Doubtful</b>, since {doubt}: Crowd and lab agree.', {'doubt': '60% of the items have only one rating'})
    """
    if not finding.doubtful:
        return finding.headline
    template, values = finding.headline
    return f"<b>Doubtful</b>, since {{doubt}}: {template}", {**values, "doubt": _together(finding.doubtful)}


def looks_wrong(doubts: Sequence[str]) -> Sentence:
    """Return what the Overview says of data with doubts, and how they go away."""
    return (
        "This data looks wrong: {doubts}. Every finding says so until a new version without it is uploaded on the "
        "Data page (<b>More</b>, <b>Upload a new version</b>).",
        {"doubts": "; ".join(doubts)},
    )


def _together(doubts: Sequence[str]) -> str:
    rest = len(doubts) - NAMED
    more = f" and {rest} more {'thing looks' if rest == 1 else 'things look'} wrong" if rest > 0 else ""
    return "; ".join(doubts[:NAMED]) + more
