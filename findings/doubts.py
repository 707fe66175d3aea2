"""What looks wrong with a data set, in the same sentence as whatever is concluded from it."""

import re
from collections.abc import Sequence

from findings.words import Sentence

NAMED = 2
"""Doubts that a finding names; the Overview has all."""
_UNTOLD = re.compile(
    r"cannot be (told|tested|compared|held against)|is not known|"
    r"^No .* (can be|are known|has ratings|has a knee|was asked)"
)
"""What a finding begins with that says what cannot be said."""
_MARKUP = re.compile(r"<[^>]*>")
NEVER_CHECKED: Sentence = (
    "This data was imported before imports were checked for what looks wrong, so no finding can say whether it does. "
    "Upload the file again as a new version on the Data page to have it checked.",
    {},
)
HOW_DOUBTED = """
**Doubtful** stands before whatever is concluded from data that looked wrong when it was imported: at least a third of
its rows repeat an item and a rater; more than half of its items have only one row and belong to no systems; all scores
of a measure are the same; scores lie outside the scale of at least 99 % of the others; a group shares no item with
another one; or gold fits no answer that anybody gave. The figures are computed as ever. What cannot be told is said
without it, as nothing is concluded.
"""


def doubted(sentence: Sentence, doubts: Sequence[str]) -> Sentence:
    """The finding with the doubts about its data before it.

    >>> doubted(("Crowd and lab agree.", {}), ["60 % of the items have only one rating"])
    ('<b>Doubtful</b>, since {doubt}: Crowd and lab agree.', {'doubt': '60 % of the items have only one rating'})
    """
    if not doubts:
        return sentence
    template, values = sentence
    return f"<b>Doubtful</b>, since {{doubt}}: {template}", {**values, "doubt": _together(doubts)}


def concludes(sentence: Sentence) -> bool:
    """Whether a finding concludes anything; one that begins with what cannot be told does not.

    >>> concludes(("Which of {a} and {b} wins <b>cannot be told</b>: their intervals overlap.", {}))
    False
    >>> concludes(("It takes <b>{r}</b> ratings. For {others} it cannot be told.", {}))
    True
    """
    first = re.split(r"[:.;]( |$)", _MARKUP.sub("", sentence[0]), maxsplit=1)[0]
    return _UNTOLD.search(first) is None


def looks_wrong(doubts: Sequence[str]) -> Sentence:
    """What the Overview says of data with doubts, and how they go."""
    return (
        "This data looks wrong: {doubts}. Every finding says so until a new version without it is uploaded on the "
        "Data page (<b>More</b>, <b>Upload a new version</b>).",
        {"doubts": "; ".join(doubts)},
    )


def _together(doubts: Sequence[str]) -> str:
    rest = len(doubts) - NAMED
    more = f" and {rest} more {'thing looks' if rest == 1 else 'things look'} wrong" if rest > 0 else ""
    return "; ".join(doubts[:NAMED]) + more
