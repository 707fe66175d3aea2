"""What looks wrong with a data set, in the same sentence as whatever is concluded from it."""

from collections.abc import Sequence

from findings.words import Sentence

NAMED = 2
"""Doubts that a finding names; the Overview has all."""


def doubted(sentence: Sentence, doubts: Sequence[str]) -> Sentence:
    """The finding with the doubts about its data before it.

    >>> doubted(("Crowd and lab agree.", {}), ["60 % of the items have only one rating"])
    ('<b>Doubtful</b>, since {doubt}: Crowd and lab agree.', {'doubt': '60 % of the items have only one rating'})
    """
    if not doubts:
        return sentence
    template, values = sentence
    return f"<b>Doubtful</b>, since {{doubt}}: {template}", {**values, "doubt": _together(doubts)}


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
