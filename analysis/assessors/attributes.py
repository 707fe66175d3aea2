"""Numbers that are known of raters, such as age: their summary, and bands at the quartiles."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite

import numpy as np
from numpy.typing import ArrayLike

from analysis.values.estimate import InputError
from analysis.values.types import Floats

FEWEST_NUMBERS = 7
"""Different values from which an attribute of numbers is a quantity; of fewer, each value is a class."""


@dataclass(frozen=True)
class NumberSummary:
    """Mean, SD (n - 1), range and quartiles of n numbers; the SD is NaN for one."""

    n: int
    mean: float
    sd: float
    lowest: float
    quartiles: tuple[float, float, float]
    highest: float


def summarize_numbers(values: ArrayLike) -> NumberSummary:
    """Return the summary of numbers (n,), NaN left out.

    Raises
    ------
    InputError
        where no number is known.

    >>> summarize_numbers([20, 30, 40, float("nan")]).mean
    30.0
    """
    numbers = np.asarray(values, dtype=np.float64)
    known = numbers[~np.isnan(numbers)]
    if not len(known):
        raise InputError("`values` needs at least one number")
    low, middle, high = (float(at) for at in np.quantile(known, (0.25, 0.5, 0.75)))
    sd = float(known.std(ddof=1)) if len(known) > 1 else np.nan
    return NumberSummary(
        len(known), float(known.mean()), sd, float(known.min()), (low, middle, high), float(known.max())
    )


def as_quantity(values: Sequence[str]) -> Floats | None:
    """Return values as numbers, NaN for "", where all known ones are numbers and many differ; None otherwise.

    >>> as_quantity(["yes", "no"]) is None, as_quantity([*map(str, range(8)), ""])[-2:].tolist()
    (True, [7.0, nan])
    """
    numbers = np.full(len(values), np.nan)
    for at, value in enumerate(values):
        if value:
            try:
                numbers[at] = float(value)
            except ValueError:
                return None
            if not isfinite(numbers[at]):
                return None
    known = numbers[~np.isnan(numbers)]
    return numbers if len(np.unique(known)) >= FEWEST_NUMBERS else None


def quartile_bands(values: ArrayLike) -> list[str]:
    """Return the band between quartiles of each number (n,), named after its ends, "" for NaN.

    A value at a quartile belongs to the band below; bands without a value do not occur.

    >>> quartile_bands([20, 21, 30, 31, 40, 41, 50, 51])
    ['20 to 21', '20 to 21', '30 to 31', '30 to 31', '40 to 41', '40 to 41', '50 to 51', '50 to 51']
    """
    numbers = np.asarray(values, dtype=np.float64)
    known = ~np.isnan(numbers)
    if not known.any():
        return [""] * len(numbers)
    cuts = np.quantile(numbers[known], (0.25, 0.5, 0.75))
    place = np.searchsorted(cuts, numbers, side="left")
    names = {}
    for band in np.unique(place[known]).tolist():
        inside = numbers[known & (place == band)]
        low, high = float(inside.min()), float(inside.max())
        names[band] = f"{low:g}" if low == high else f"{low:g} to {high:g}"
    return [names[band] if here else "" for band, here in zip(place.tolist(), known.tolist(), strict=True)]
