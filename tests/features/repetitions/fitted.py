"""Curves that are exactly what they are fitted by, to speak of."""

import numpy as np

from analysis.repetitions.knee import FittedCurves, KneeInterval, fit_curves
from analysis.repetitions.saturation import Curves
from analysis.values.estimate import Estimate


def saturating(measure: str = "focus", b: float = 0.6, m: int = 12, **more: object) -> FittedCurves:
    """A curve 0.6 (1 - e^(-b r)) + 0.3 for r = 1 … m, the same in each of two orders."""
    return of_points(0.6 * (1 - np.exp(-b * np.arange(1, m + 1))) + 0.3, measure, **more)


def of_points(points: np.ndarray, measure: str = "focus", **more: object) -> FittedCurves:
    curves = Curves(points, np.tile(points, (2, 1)), np.full(len(points), 50), **more)
    return fit_curves([measure], [curves], sensitivity=1.0)[0]


def intervals(*fitted: FittedCurves, without_knee: float = 0.0) -> list[KneeInterval]:
    """Intervals of these knees, of bootstrap samples of which so many have none."""
    none = np.zeros(0)
    return [
        KneeInterval(Estimate(float(one.knee or np.nan), 2.0, 9.0), without_knee, none, none, none, none, 100)
        for one in fitted
    ]
