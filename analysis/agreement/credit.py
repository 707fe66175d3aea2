"""How much of an agreement two different values are: the weights of near misses."""

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from analysis.values.errors import InputError
from analysis.values.types import Floats

Weights = Literal["identity", "linear", "quadratic", "ordinal"]


def credit(values: NDArray[Any], weights: Weights) -> Floats:
    """(q, q) from ascending values (q,): 1 for equal ones, 0 for those furthest apart, or for all that differ.

    Source: Cohen 1968, "Weighted kappa"; Gwet 2014, chapter 3 (ordinal weights).
    """
    q = len(values)
    if weights == "identity":
        return np.eye(q)
    if weights not in ("linear", "quadratic", "ordinal"):
        raise InputError(f'`weights` must be "identity", "linear", "quadratic" or "ordinal", got {weights!r}')
    if values.dtype.kind not in "iuf":
        raise InputError(f"weights {weights!r} need numbers as values, got {values[:3].tolist()}")
    if weights == "ordinal":
        ranks = np.arange(q)
        between = np.abs(ranks[:, None] - ranks) + 1
        pairs = between * (between - 1) / 2
        return np.asarray(1 - pairs / max(pairs.max(), 1))
    number = values.astype(np.float64)
    distance = np.abs(number[:, None] - number) / max(float(np.ptp(number)), 1e-300)
    return np.asarray(1 - (distance if weights == "linear" else distance**2))
