"""Points whose half squared distances are what two values differ by, at each level of measurement.

No level needs a table of values by values. Ordinal differences are those of mean ranks (half the values at a step and
all below it), and ratio differences, ((v - w) / (v + w))² = tanh²((log v - log w) / 2), are those of points on circles.
"""

from math import pi
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from analysis.values.types import Floats

Level = Literal["nominal", "ordinal", "interval", "ratio"]
_BLOCK = 2_000_000
_ROUNDING = 1e-15


def level_points(level: Level, values: NDArray[Any], marginal: Floats) -> Any:
    """Return the points (v, c) of ascending values (v,) that occur as often as `marginal` (v,) says.

    Ranks are those of all values of the data, also where items are left out.
    Source: Krippendorff 2011, section D.
    """
    if level == "nominal":
        return sparse.identity(len(values), format="csr")
    if level == "ordinal":
        ranks = np.cumsum(marginal) - marginal / 2
        return scaled(ranks)[:, None]
    return scaled(values.astype(np.float64))[:, None] if level == "interval" else _ratio_points(values)


def scaled(values: Floats) -> Floats:
    """Return values less their mean, divided by the largest distance from it."""
    largest = float(np.abs(values).max(initial=0.0))
    centered = values / largest if largest > 0 else values
    centered = centered - (centered.mean() if centered.size else 0.0)
    return centered / (float(np.abs(centered).max(initial=0.0)) or 1.0)


def _ratio_points(values: NDArray[Any]) -> Floats:
    """Return points (v, c) with squared distances tanh²((log v - log w) / 2); zero is at distance 1 from all others.

    1 - tanh²(x / 2) is the integral over f of 4 f / sinh(pi f) cos(f x), and 1 - cos(f (x - y)) is half the squared
    distance of two points on a circle. Equal steps of f make an error of some exp(range - 2 pi / step). Directions
    along which the points do not differ are dropped.
    """
    number = values.astype(np.float64)
    positive = number > 0
    log = np.log(number[positive])
    log = log - (log.mean() if len(log) else 0.0)
    step = 2 * pi / ((np.ptp(log) if len(log) else 0.0) + 40)
    frequency = np.arange(step, 13, step)
    weight = np.sqrt(2 * step * frequency / np.sinh(pi * frequency))
    zero = np.concatenate([weight, np.zeros_like(weight), [np.sqrt(1 - (weight**2).sum())]])

    def circles(some: Floats) -> Floats:
        half = some[:, None] * frequency / 2
        sine = 2 * weight * np.sin(half)
        return np.hstack([sine * np.sin(half), sine * np.cos(half), np.zeros((len(some), 1))])

    size = max(_BLOCK // len(zero), 1)
    parts = [log[at : at + size] for at in range(0, len(log), size)]
    products = sum(
        (circles(part).T @ circles(part) for part in parts), np.outer(zero, zero) * (~positive).any()
    )
    variance, directions = np.linalg.eigh(products)
    kept = directions[:, variance > _ROUNDING * variance[-1]]
    points = np.empty((len(number), kept.shape[1]))
    points[~positive] = zero @ kept
    points[positive] = np.vstack([circles(part) @ kept for part in parts] or [np.empty((0, kept.shape[1]))])
    return points
