"""p values: of a t, of several tests at once, and in which direction a test looks."""

from collections.abc import Callable
from math import nan
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from analysis.values.errors import InputError
from analysis.values.types import Floats

Alternative = Literal["two-sided", "less", "greater"]
ALTERNATIVES: tuple[Alternative, ...] = ("two-sided", "less", "greater")


def student_p(t: float, degrees: float, alternative: Alternative) -> float:
    """p of a t value.

    Source: Student 1908.

    >>> round(student_p(2.0, 10, "two-sided"), 4)
    0.0734
    """
    if alternative == "two-sided":
        return float(min(1.0, 2 * special.stdtr(degrees, -abs(t))))
    return float(special.stdtr(degrees, t if alternative == "less" else -t))


def holm(p: ArrayLike) -> Floats:
    """Return p values adjusted for having asked several measures at once.

    Parameters
    ----------
    p : (k,) p values; NaN stays NaN and does not count

    Returns
    -------
    (k,)

    Raises
    ------
    InputError
        where a value is not between 0 and 1.

    Notes
    -----
    Source: Holm 1979; methods: section 1.

    >>> holm([0.01, 0.04, float("nan"), 0.03]).tolist()
    [0.03, 0.06, nan, 0.06]
    """
    return _adjusted(p, lambda known: np.maximum.accumulate(known * np.arange(len(known), 0, -1)))


def benjamini_hochberg(p: ArrayLike) -> Floats:
    """Return p values adjusted so that, of those below a level, at most this share are false on average.

    Parameters
    ----------
    p : (k,) p values; NaN stays NaN and does not count

    Returns
    -------
    (k,)

    Raises
    ------
    InputError
        where a value is not between 0 and 1.

    Notes
    -----
    Answers: which of very many are worth a look? Not: which of them clearly differ; see `holm`.
    Source: Benjamini and Hochberg 1995, "Controlling the false discovery rate".

    >>> benjamini_hochberg([0.01, 0.04, float("nan"), 0.03]).round(3).tolist()
    [0.03, 0.04, nan, 0.04]
    """

    def adjust(known: Floats) -> Floats:
        steps = known * len(known) / np.arange(1, len(known) + 1)
        return np.minimum.accumulate(steps[::-1])[::-1]

    return _adjusted(p, adjust)


def _adjusted(p: ArrayLike, adjust: Callable[[Floats], Floats]) -> Floats:
    """Return p values adjusted in ascending order, at most 1; NaN stays NaN."""
    values = np.asarray(p, dtype=np.float64)
    if values.ndim != 1 or np.any((values < 0) | (values > 1)):
        raise InputError("`p` must be 1-d and hold values between 0 and 1")
    adjusted = np.full(values.shape, nan)
    known = np.flatnonzero(~np.isnan(values))
    order = known[np.argsort(values[known], kind="stable")]
    adjusted[order] = np.minimum(adjust(values[order]), 1.0)
    return adjusted
