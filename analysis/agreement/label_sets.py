"""Distances between sets of labels, for answers that hold several labels."""

from collections.abc import Hashable, Iterable


def masi_distance(a: Iterable[Hashable], b: Iterable[Hashable]) -> float:
    """Return the distance of two sets of labels by MASI.

    Parameters
    ----------
    a, b : (n,) and (m,) labels, each counted once

    Returns
    -------
    float
        1 minus Jaccard's index times 1 for equal sets, 2/3 where one contains the other, 1/3 where they overlap, and 0
        where they share nothing; two empty sets are equal.

    Notes
    -----
    Exact thirds, where nltk rounds to 0.67 and 0.33. Source: Passonneau 2006; methods: section 14.
    """
    one, other = frozenset(a), frozenset(b)
    if one == other:
        return 0.0
    shared = len(one & other)
    if not shared:
        return 1.0
    factor = 2 / 3 if one < other or other < one else 1 / 3
    return 1 - factor * shared / len(one | other)
