"""What changed between two versions of the same measure's ratings, rating by rating."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analysis.values.ratings import Ratings


@dataclass(frozen=True)
class RatingsCompared:
    """How many ratings both versions hold alike, how many have another score, and how many only one of them holds."""

    same: int
    changed: int
    gone: int
    added: int


def ratings_compared(before: Ratings, after: Ratings) -> RatingsCompared:
    """Ratings of the same items and raters, held against each other.

    Parameters
    ----------
    before, after : ratings of one measure by one group; equal ids are the same item or rater in both

    Notes
    -----
    Where a rater rated an item more than once, equal scores are matched first. It does not say which version is right.

    >>> old = Ratings(["a", "a", "b"], ["x", "y", "x"], [1, 2, 3])
    >>> ratings_compared(old, Ratings(["a", "a", "c"], ["x", "y", "x"], [1, 5, 3]))
    RatingsCompared(same=1, changed=1, gone=1, added=1)
    """
    item, rater = _codes(before.item, after.item), _codes(before.rater, after.rater)
    cell = item * (int(rater.max(initial=0)) + 1) + rater
    score = _codes(before.score, after.score)
    by_score = _codes(cell) * (int(score.max(initial=0)) + 1) + score
    at = len(before.score)
    same = _in_both(by_score[:at], by_score[at:])
    met = _in_both(cell[:at], cell[at:])
    return RatingsCompared(same, met - same, at - met, len(after.score) - met)


def _codes(*versions: NDArray[Any]) -> NDArray[np.int64]:
    """The ids of both versions, one after the other, as their places among the sorted distinct ones."""
    _, codes = np.unique(np.concatenate(versions), return_inverse=True)
    return codes.astype(np.int64)


def _in_both(one: NDArray[np.int64], other: NDArray[np.int64]) -> int:
    """How many of each value both hold, summed."""
    values, counts = np.unique(one, return_counts=True)
    others, other_counts = np.unique(other, return_counts=True)
    _, at, other_at = np.intersect1d(values, others, assume_unique=True, return_indices=True)
    return int(np.minimum(counts[at], other_counts[other_at]).sum())
