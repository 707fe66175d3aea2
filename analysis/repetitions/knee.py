"""The knee: where the fitted curve of saturation bends, and more ratings buy less and less."""

from dataclasses import dataclass
from math import exp, log, nan

import numpy as np
from numpy.typing import NDArray

from analysis.repetitions.saturation import SMALLEST_RISE, Saturation
from analysis.values.errors import InputError

FEWEST_REPETITIONS = 6
"""Up to five repetitions show no knee."""


def knee(a: float, b: float, c: float, repetitions: int, sensitivity: float = 1.0) -> int | None:
    """The knee of a (1 - exp(-b x)) + c at the whole numbers 1 … repetitions.

    Parameters
    ----------
    a, b, c : the curve, as `fit` gives it
    repetitions : m, a whole number
    sensitivity : Kneedle's S from 0; larger values want a flatter curve after the knee

    Returns
    -------
    int or None
        None where m <= 5 (too few repetitions for a knee), where the curve does not saturate within m (a <=
        0, b <= 0, b (m - 1) < 3, or NaN), or where the curve after it is not flat enough for `sensitivity`.

    Raises
    ------
    InputError
        for fewer than one repetition or a negative sensitivity.

    Notes
    -----
    Not for planning beyond m: the knee moves with m (`knees_by_repetitions`). Kneedle: x and y scaled to 0 … 1, the
    knee is where y - x is largest, if it later falls below that maximum by S mean steps of x. This curve is concave, so
    y - x has one maximum and ends at 0, and that is all there is to do.
    Source: Satopää et al. 2011, section III; used in Iskender et al. 2020, section 4.2 and Table 2.

    >>> knee(0.543, 0.313, 0.401, 24)
    7
    """
    _check(repetitions, sensitivity)
    at = int(knees(np.array([a]), np.array([b]), repetitions, sensitivity)[0])
    return at or None


def knees(
    a: NDArray[np.float64], b: NDArray[np.float64], repetitions: int, sensitivity: float = 1.0
) -> NDArray[np.int64]:
    """The knees of many curves; c does not matter."""
    _check(repetitions, sensitivity)
    steps = repetitions - 1
    saturates = (a > 0) & (b * steps >= SMALLEST_RISE) & (repetitions >= FEWEST_REPETITIONS)
    if not saturates.any():
        return np.zeros(len(b), dtype=np.int64)
    x = np.arange(repetitions) / steps
    rate = np.where(saturates, b, 1)[:, None] * steps
    difference = np.expm1(-rate * x) / np.expm1(-rate) - x
    at = np.argmax(difference, axis=1)
    confirmed = difference[np.arange(len(b)), at] > sensitivity / steps
    return np.where(saturates & confirmed, at + 1, 0)


def knee_closed_form(b: float, repetitions: int) -> float:
    """Where the knee lies between whole numbers: x* = 1 + ln(b N / (1 - exp(-b N))) / b with N = m - 1.

    Not the knee to report: that is a whole number (`knee`), this one rounded down or up.
    Source: the maximum of y - x in Satopää et al. 2011, section III, for this curve.

    >>> round(knee_closed_form(0.271, 48), 1)
    10.4
    """
    _check(repetitions, 0.0)
    span = b * (repetitions - 1)
    if not span >= SMALLEST_RISE:
        return nan
    return 1 + log(span / (1 - exp(-span))) / b


@dataclass(frozen=True, eq=False)
class KneesByRepetitions:
    """Where the knee would lie had one collected another number of repetitions.

    `repetitions` (p,) whole numbers; `knee` (p,) whole numbers, 0 where there is none; `closed_form` (p,) x*.
    """

    repetitions: NDArray[np.int64]
    knee: NDArray[np.int64]
    closed_form: NDArray[np.float64]


def knees_by_repetitions(saturation: Saturation, up_to: int, sensitivity: float = 1.0) -> KneesByRepetitions:
    """The knee of one fitted curve against m.

    Source: the closed form of the knee of Iskender et al. 2020, section 4.2; the paper does not show this.
    """
    _check(up_to, sensitivity)
    every = np.arange(1, up_to + 1)
    a, b = np.array([saturation.a]), np.array([saturation.b])
    each = np.array([int(knees(a, b, int(m), sensitivity)[0]) for m in every])
    return KneesByRepetitions(every, each, np.array([knee_closed_form(saturation.b, int(m)) for m in every]))


def _check(repetitions: int, sensitivity: float) -> None:
    if repetitions < 1:
        raise InputError(f"`repetitions` must be a whole number from 1, got {repetitions}")
    if not sensitivity >= 0:
        raise InputError(f"`sensitivity` must be 0 or more, got {sensitivity}")
