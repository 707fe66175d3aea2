"""Pearson's r from sums: the one place where a sum of products is divided by the roots of two sums of squares."""

import numpy as np
from numpy.typing import ArrayLike

from analysis.values.types import Floats


def pearson_of_sums(xx: ArrayLike, yy: ArrayLike, xy: ArrayLike, defined: ArrayLike = True) -> Floats:
    """r (…,) of sums of squares and products around the means; NaN where not `defined` or a side is flat."""
    of_x, of_y, of_both = (np.asarray(each, dtype=np.float64) for each in (xx, yy, xy))
    known = np.asarray(defined, dtype=np.bool_) & (of_x > 0) & (of_y > 0)
    root = np.sqrt(np.where(known, of_x * of_y, 1.0))
    return np.where(known, np.clip(of_both / root, -1.0, 1.0), np.nan)


def around_the_means(
    count: ArrayLike, x: ArrayLike, y: ArrayLike, xx: ArrayLike, yy: ArrayLike, xy: ArrayLike
) -> tuple[Floats, Floats, Floats]:
    """Sums of squares and products (…,) around the means from raw sums over so many pairs."""
    n, of_x, of_y, of_xx, of_yy, of_xy = (
        np.asarray(each, dtype=np.float64) for each in (count, x, y, xx, yy, xy)
    )
    size = np.where(n > 0, n, 1.0)
    return of_xx - of_x**2 / size, of_yy - of_y**2 / size, of_xy - of_x * of_y / size
