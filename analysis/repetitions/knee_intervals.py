"""How sure the knee is: its interval and the curve's band, from the curves of resampled studies.

Items drawn twice are tied, and copies of votes add no information, so the curves of draws lie beside the study's. Draws
therefore give the spread around their own mean: they are moved so that their mean curve is the study's, correlations on
Fisher's z, shares on angles, and spread by the luck of the study's own orders. docs/calibration.md counts how often
band and knee hold the truth.
"""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from analysis.repetitions import attenuation
from analysis.repetitions.curves import Curves
from analysis.repetitions.knee import FEWEST_REPETITIONS, knees
from analysis.repetitions.saturation import Saturation, fit, fit_means, mean_and_number
from analysis.resampling.intervals import (
    ANGLE,
    FISHER,
    deviation,
    moved_draws,
    order_statistics,
    percentiles,
    widened_draws,
)
from analysis.values.estimate import BootstrapSpec, Estimate
from analysis.values.types import Floats

MOST_WITHOUT_KNEE = 0.1
"""The share of the draws that may be without a knee before a finding reports none."""
USUAL = BootstrapSpec(draws=100)
"""Draws where none are asked for: each repeats a whole simulation."""


@dataclass(frozen=True, eq=False)
class KneeInterval:
    """The knee with its interval, and the curve's.

    `knee` the estimate; its `low` and `high` hold the middle of the draws, of which one without a knee counts as beyond
    the last repetition, so that `high` is infinite where more than 2.5% have none; `without_knee` the share of those.
    `mean` (m,) is the curve's mean over orders, `low` (m,) and `high` (m,) its band. `rho_inf` (d,) and
    `ratings_for_half` (d,) are the attenuation curve of each draw, none for shares; they are fitted to `drawn` (d, m),
    the draws' mean curves, once somebody asks.
    """

    knee: Estimate
    without_knee: float
    mean: Floats = field(repr=False)
    low: Floats = field(repr=False)
    high: Floats = field(repr=False)
    drawn: Floats = field(repr=False)
    draws: int = 0
    reason: str = ""

    @property
    def has_knee(self) -> bool:
        """True where at least 90% of the draws have a knee, without which none is reported."""
        return self.knee.defined and self.without_knee <= MOST_WITHOUT_KNEE

    @property
    def rho_inf(self) -> Floats:
        """The limit of each draw."""
        return self._attenuation[0]

    @property
    def ratings_for_half(self) -> Floats:
        """The number of ratings of each draw with which half of the mean's variance is signal."""
        return self._attenuation[1]

    @cached_property
    def _attenuation(self) -> tuple[Floats, Floats]:
        if not len(self.drawn):
            return np.zeros(0), np.zeros(0)
        return attenuation.fit_means(self.drawn, np.ones_like(self.drawn))


def knee_interval(
    curves: Curves,
    drawn: Floats,
    sensitivity: float = 1.0,
    level: float = 0.95,
    shares: bool = False,
    fitted: Saturation | None = None,
) -> KneeInterval:
    """The knee of a study's curves with the interval that the mean curves (d, m) of resampled studies give it.

    `shares`: the curves are shares of items answered right, and not correlations. `fitted`: what `fit` gave for the
    curves, if it is known.
    Source: Owen 2007 (pigeonhole bootstrap); methods, sections 0 and 2.
    """
    m = curves.repetitions
    estimate = fitted or fit(curves)
    knee = int(knees(np.array([estimate.a]), np.array([estimate.b]), max(m, 1), sensitivity)[0])
    mean, number = mean_and_number(curves.points)
    items = int(curves.items.max(initial=0))
    none = np.zeros((0, m))
    if len(drawn) == 0 or not (number > 0).any():
        nothing = np.full(m, np.nan)
        alone = Estimate(float(knee or np.nan), n=items, reason=estimate.reason)
        return KneeInterval(alone, np.nan, mean, nothing, nothing, none, 0, curves.reason)
    scale = ANGLE if shares else FISHER
    luck = np.nan_to_num(deviation(scale.forth(curves.points))) ** 2 / np.maximum(number, 1)
    moved = widened_draws(moved_draws(mean, drawn, scale), luck, scale)
    a, b, _, _ = fit_means(moved, np.ones_like(moved), np.full(len(moved), m))
    each = knees(a, b, max(m, 1), sensitivity)
    low, high = percentiles(mean, moved, level, items)
    return KneeInterval(
        _with_interval(knee, each, level, items, m, estimate.reason),
        float((each == 0).mean()),
        mean,
        low,
        high,
        none if shares else moved,
        len(moved),
    )


def _with_interval(
    knee: int, each: NDArray[np.int64], level: float, items: int, m: int, reason: str
) -> Estimate:
    if not knee:
        few = m < FEWEST_REPETITIONS
        told = "too few repetitions for a knee" if few else "the curve is not flat enough for a knee"
        return Estimate(np.nan, n=items, reason=reason or told)
    if not each.any():
        return Estimate(float(knee), n=items, reason="no bootstrap sample has a knee, so it has no interval")
    beyond = np.where(each > 0, each, np.inf).astype(np.float64)
    low, high = (float(end) for end in order_statistics(beyond, level))
    return Estimate(
        float(knee), float(np.fmin(low, knee)), np.inf if np.isnan(high) else max(high, knee), items
    )
