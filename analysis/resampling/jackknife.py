"""Covariances of figures from what becomes of them without each of g parts: no draws, any figure of sums will do."""

import numpy as np
from numpy.typing import NDArray

from analysis.values.types import Floats


def jackknife_covariance(without: Floats, times: Floats | None = None) -> Floats:
    """(s, s) covariances of s figures from those without each of g parts (g, s); NaN where a part leaves one undefined.

    Of parts that are as good as each other one may stand for `times` (g,) of them.

    Source: Tukey 1958; Shao and Wu 1989 (parts of several units).
    """
    parts, figures = without.shape
    g = parts if times is None else int(times.sum())
    if g < 2:
        return np.full((figures, figures), np.nan)
    apart = without - np.average(without, axis=0, weights=times)
    weighed = apart if times is None else apart * times[:, None]
    return np.asarray((g - 1) / g * apart.T @ weighed, dtype=np.float64)


def jackknife_variance(without: Floats) -> float:
    """The variance of one figure from what it is without each of g parts (g,), as `jackknife_covariance`."""
    return float(jackknife_covariance(without[:, None])[0, 0])


def in_groups(units: int, most: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """A part (units,) for each unit: one of its own, or one of `most` random parts where there are more units."""
    return np.arange(units) if units <= most else rng.permutation(units) % most
