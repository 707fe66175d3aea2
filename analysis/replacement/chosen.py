"""Choices as answers that can be equal: of labels the label, of pairs the system, whichever stood first.

An item of pairs is a comparison of two systems under a design. An item of labels under several designs counts once
under each.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analysis.values.types import Codes

KNOWN = ("expert", "gold")
"""Columns of choices with one answer per item."""
_NO_SIDE = 10**6
"""Above the codes of systems: both, neither and a tie are answers of their own."""


@dataclass(frozen=True, eq=False)
class Chosen:
    """Choices (n,): codes of `item` and `rater`, of the answer, and of each `KNOWN` column's answer, -1 for none."""

    item: Codes
    rater: Codes
    answer: Codes
    known: Mapping[str, Codes]


def chosen(choices: Mapping[str, NDArray[Any]], systems: int, designs: int) -> Chosen:
    """Choices as the store has them (`analysis.workers.polls.Choices`), between so many systems (0: labels) under so
    many designs."""
    first, second = choices["first"], choices["second"]
    item = choices["item"] * (designs + 1) + choices["design"] + 1
    for side in (np.minimum(first, second), np.maximum(first, second)):
        item = item * (systems + 1) + side + 1

    def answers(column: str) -> Codes:
        codes = choices[column]
        if not systems:
            return codes
        other = np.where(codes > 1, codes + _NO_SIDE, -1)
        return np.where(codes == 0, first, np.where(codes == 1, second, other))

    return Chosen(item, choices["rater"], answers("choice"), {column: answers(column) for column in KNOWN})
