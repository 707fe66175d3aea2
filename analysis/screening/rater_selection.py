"""Rules that pick raters by a number known for each: the lowest few, those below or above a limit."""

import numpy as np
from numpy.typing import ArrayLike, NDArray


def lowest(values: ArrayLike, how_many: int) -> NDArray[np.int64]:
    """Places of the lowest values, lowest first (the worst one or two assessors of Owczarzak et al. 2012,
    Table 2).

    >>> lowest([0.5, float("nan"), 0.1, 0.9], 2)
    array([2, 0])
    """
    array = np.asarray(values, dtype=np.float64)
    known = np.flatnonzero(~np.isnan(array))
    return known[np.argsort(array[known], kind="stable")][:how_many]


def below(values: ArrayLike, limit: float) -> NDArray[np.int64]:
    """Places of values below a limit; unknown ones (NaN) are never below it (threshold presets, methods,
    section 3).

    >>> below([0.5, float("nan"), 0.1], 0.5)
    array([2])
    """
    return np.flatnonzero(np.asarray(values, dtype=np.float64) < limit)


def above(values: ArrayLike, limit: float) -> NDArray[np.int64]:
    """Places of values above a limit; unknown ones (NaN) are never above it (threshold presets, methods,
    section 3).

    >>> above([0.5, float("nan"), 0.1], 0.2)
    array([0])
    """
    return np.flatnonzero(np.asarray(values, dtype=np.float64) > limit)


def change(before: float, after: float) -> float:
    """What a figure gains by an exclusion: after minus before, NaN where either is not defined (the
    comparisons of Owczarzak et al. 2012, Tables 3 and 4).

    >>> change(0.5, 0.75)
    0.25
    """
    return after - before
