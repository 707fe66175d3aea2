"""What raters carry from item to item: the part of a figure's chance that drawing items alone does not see.

Given the raters, items are independent, so that items drawn with the raters as they are (everything estimated again)
give all of a figure's variance but that of the raters themselves. Drawing raters as well counts chance within single
votes three times (1.8 to 2.7 times too much where few raters meet an item). Instead, each vote's part in the figure is
summed by rater: what the sums' squares hold beyond the votes' own squares is covariance between items, the raters'.
"""

from typing import NamedTuple

import numpy as np

from analysis.resampling.intervals import IDENTITY, Ends, Transform, by_error, shaped
from analysis.values.types import Codes, Floats


class Chance(NamedTuple):
    """A variance, and how unsure it is: half the variance of its estimate, its square over its degrees of freedom."""

    variance: float
    unsure: float

    @property
    def degrees(self) -> float:
        """Satterthwaite's degrees of freedom, 1 or more (Satterthwaite 1946)."""
        if not (self.variance > 0 and self.unsure > 0):
            return np.inf
        return max(self.variance**2 / self.unsure, 1.0)


NONE = Chance(0.0, 0.0)
ALIKE = 1e-24


def carried(parts: Floats, rater: Codes, raters: int) -> Chance:
    """The variance that raters (N,) carry into a figure, from each vote's part in it (N,).

    Source: Cameron, Gelbach and Miller 2011, "Robust inference with multiway clustering", section 2 (raters less their
    crossing with items); Carter, Schnepel and Steigerwald 2017 (how many equal loads unequal ones are worth).
    """
    load = np.bincount(rater, minlength=raters).astype(np.float64)
    many = int((load > 0).sum())
    if many < 2:
        return NONE
    widened = many / (many - 1)
    by_rater = float((np.bincount(rater, parts, raters) ** 2).sum()) * widened
    between = max(by_rater - float((parts**2).sum()) * widened, 0.0)
    worth = load.sum() ** 2 / (load**2).sum()
    return Chance(between, by_rater**2 / max(worth - 1, 1.0))


def together(items: Chance, raters: Chance) -> Chance:
    """Both variances; of few raters, whose part is often estimated as 0, they leave few degrees of freedom."""
    return Chance(items.variance + raters.variance, items.unsure + raters.unsure)


def of_items(variance: float, items: int) -> Chance:
    """A variance over so many items."""
    return Chance(variance, variance**2 / (items - 1))


def over_items(drawn: Floats, items: int) -> Chance:
    """The variance of a figure's draws (draws,) of items, widened by n / (n - 1); NaN for fewer than two draws."""
    known = drawn[np.isfinite(drawn)]
    if len(known) < max(len(drawn) / 2, 2) or items < 2:
        return Chance(np.nan, np.nan)
    return of_items(float(known.var(ddof=1)) * items / (items - 1), items)


def two_way_ends(
    value: float, drawn: Floats, items: int, raters: Chance, level: float, scale: Transform = IDENTITY
) -> Ends:
    """An interval with the shape of draws (draws,) of items, and what raters carry, on the scale, in its width."""
    by_items = over_items(scale.forth(drawn), items)
    chance = together(by_items, raters)
    if by_items.variance <= ALIKE:  # draws without a shape
        return by_error(value, np.sqrt(chance.variance), level, chance.degrees, scale=scale)
    return shaped(value, drawn, level, chance.degrees, chance.variance, scale)
