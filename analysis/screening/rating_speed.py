"""How fast each rater is beside the others."""

from dataclasses import dataclass
from math import nan
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.screening.rating_columns import equally_long
from analysis.values.codes import coded
from analysis.values.errors import InputError
from analysis.values.types import Counts, Flags, Floats


@dataclass(frozen=True, eq=False)
class Speed:
    """How fast raters work.

    `raters` (w,), `seconds` (w,) median per rating (NaN where no time is known), `ratings` (w,) with a known
    time, `too_fast` (w,); `typical` median of the raters' medians, `limit` below which a rater is too fast.
    """

    raters: NDArray[Any]
    seconds: Floats
    ratings: Counts
    too_fast: Flags
    typical: float
    limit: float


def speed(rater: ArrayLike, seconds: ArrayLike, factor: float = 0.5) -> Speed:
    """Each rater's median seconds per rating, and who is much faster than the rest.

    Parameters
    ----------
    rater : (N,) ids
    seconds : (N,) per rating, NaN where unknown
    factor : a median below this share of the median of the raters' medians is too fast

    Returns
    -------
    Speed
        arrays (w,).

    Raises
    ------
    InputError
        where lengths differ, or for a factor outside 0 … 1.

    Notes
    -----
    Not where raters met items of very different length. By default twice as fast as the typical rater, Leiner's 2.
    Source: Leiner 2019, "Too fast, too straight, too weird", Survey Research Methods 13(3).

    >>> speed(["a", "a", "b", "c"], [4, 6, 5, 2]).too_fast
    array([False, False,  True])
    """
    if not 0 <= factor <= 1:
        raise InputError(f"`factor` must be between 0 and 1, got {factor}")
    ids, times = equally_long(rater=rater, seconds=seconds)
    raters, code = coded(ids)
    w = len(raters)
    known = ~np.isnan(times.astype(np.float64))
    who, took = code[known], times[known].astype(np.float64)
    took = took[np.lexsort((took, who))]
    count = np.bincount(who, minlength=w)
    start = np.cumsum(count) - count
    timed = count > 0
    median = np.full(w, nan)
    lower, upper = (start + (count - 1) // 2)[timed], (start + count // 2)[timed]
    median[timed] = (took[lower] + took[upper]) / 2
    typical = float(np.median(median[timed])) if timed.any() else nan
    limit = factor * typical
    with np.errstate(invalid="ignore"):
        return Speed(raters, median, count, median < limit, typical, limit)
