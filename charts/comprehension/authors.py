"""Authors in a figure: which of many are drawn."""

from collections.abc import Sequence

MOST_AUTHORS = 12
"""Authors in the matrix; of more, those with most questions."""


def most_asked(names: Sequence[str], questions: Sequence[int], most: int = MOST_AUTHORS) -> list[int]:
    """Places of the names to draw, in order: all, or of more than `most` those with most questions."""
    often = sorted(range(len(names)), key=lambda at: -questions[at])[:most]
    return sorted(often)
