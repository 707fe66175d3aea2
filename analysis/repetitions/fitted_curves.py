"""One measure's curves with what was fitted to them: the saturation, its knee, and how split halves carry on."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, nan, sqrt

import numpy as np

from analysis.correlation.two_columns import fisher_interval
from analysis.repetitions.curves import Curves
from analysis.repetitions.knee import knee
from analysis.repetitions.saturation import Saturation, fit_all
from analysis.repetitions.split_halves import Extrapolation, extrapolate
from analysis.values.estimate import Estimate

FARTHEST = 12
"""Ratings per item to which split halves are carried on at least."""


@dataclass(frozen=True)
class FittedCurves:
    """The curves of one measure (or comparison), the fitted saturation, its knee, and for split halves more ratings."""

    measure: str
    curves: Curves
    saturation: Saturation
    knee: int | None
    beyond: Extrapolation | None = None

    @property
    def longest(self) -> int:
        """The largest number of ratings that a picture shows."""
        return self.curves.repetitions if self.beyond is None else len(self.beyond.curve)

    @property
    def most(self) -> int:
        """The most ratings per item that the curve knows about."""
        return max(self.curves.repetitions * (1 if self.beyond is None else 2), 1)

    def level(self, r: int) -> float:
        """The correlation after r ratings: of the fitted curve, else the mean over orders; split halves carried on.

        For choices the mean over orders: a share is exact at the last vote, and the curve need not be.
        """
        if self.beyond is not None:
            return float(self.beyond.curve[r - 1]) if r <= len(self.beyond.curve) else nan
        if r > self.curves.repetitions:
            return nan
        if self.saturation.defined and not self.curves.shares:
            return float(self.saturation.at(r))
        return self.curves.mean_at(r)

    @property
    def correlation(self) -> Estimate:
        """The correlation after all ratings with Fisher's interval over items, for these raters only."""
        m = self.curves.repetitions
        n = int(self.curves.items[-1]) if m else 0
        at_m = self.curves.mean_at(m)
        error = sqrt((1 + at_m**2 / 2) / (n - 3)) if n > 3 and at_m == at_m else nan
        return fisher_interval(at_m, error, n, 0.95)

    def given_up(self, r: int, m: int) -> float:
        """How much lower the curve is after r ratings than after m, or after the most that it knows about."""
        return self.level(min(m, self.most)) - self.level(r)


def fit_curves(
    measures: Sequence[str], curves: Sequence[Curves], sensitivity: float
) -> tuple[FittedCurves, ...]:
    """All measures' curves fitted together, with the knee under Kneedle's sensitivity."""
    return tuple(
        FittedCurves(measure, c, f, knee(f.a, f.b, f.c, max(c.repetitions, 1), sensitivity), _beyond(c))
        for measure, c, f in zip(measures, curves, fit_all(curves), strict=True)
    )


def _beyond(curves: Curves) -> Extrapolation | None:
    if curves.reference != "split halves" or not curves.repetitions:
        return None
    return extrapolate(curves, max(FARTHEST, 2 * curves.repetitions + 1))


def by_knee(fitted: Sequence[FittedCurves]) -> list[FittedCurves]:
    """Those with a knee, the lowest first."""
    return sorted((one for one in fitted if one.knee is not None), key=lambda one: one.knee or 0)


def median_knee(fitted: Sequence[FittedCurves]) -> int | None:
    """The median knee, rounded up; None where there is no knee."""
    knees = [one.knee for one in by_knee(fitted)]
    return ceil(float(np.median(np.array(knees, dtype=np.float64)))) if knees else None
