"""Ranks with intervals, from which systems are surely above which."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from analysis.values.types import Codes


@dataclass(frozen=True, eq=False)
class RankIntervals:
    """First and last rank (k,) that each of k systems may have, all of them at once."""

    low: Codes
    high: Codes


def rank_intervals(above: ArrayLike) -> RankIntervals:
    """Between which ranks each system lies, all intervals at once.

    Parameters
    ----------
    above : (k, k) whether the row's system is surely above the column's, all pairs looked at together

    Notes
    -----
    From one more than the number surely above it to the number not surely below. Where the risk of any false entry of
    `above` is at most 5%, all these intervals hold the true ranks in 95% of studies or more: no rule of their own. A
    pair that was not compared is one that is not told apart.
    Source: Mohamad, Goeman and van Zwet 2019, "Simultaneous confidence intervals for ranks with application to ranking
    institutions", section 3.

    >>> found = rank_intervals([[False, False, True], [False, False, True], [False, False, False]])
    >>> found.low.tolist(), found.high.tolist()
    ([1, 1, 3], [2, 2, 3])
    """
    surely = np.asarray(above, dtype=np.bool_)
    return RankIntervals(1 + surely.sum(axis=0), len(surely) - surely.sum(axis=1))
