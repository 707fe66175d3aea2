"""Curves of repetitions and the saturation function fitted to them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from math import nan
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from analysis.repetitions.rating_orders import Order


@dataclass(frozen=True, eq=False)
class Curves:
    """Correlation with the reference after r = 1 … m ratings per item, for the measured order and k shuffles.

    For choices (`choice_repetition`), the share of items with the reference's answer after r votes. `measured` (m,),
    `shuffled` (k, m), `items` (m,) the number of items at each r. `order` names what was shuffled, `reference` the
    comparison; `left_out` counts items with ratings that were excluded. Undefined points are NaN with a `reason`.
    `pearson_of_halves` (k,) for split halves only: Pearson's r between the two halves of each shuffle
    (`analysis.repetitions.attenuation`).
    """

    measured: NDArray[np.float64]
    shuffled: NDArray[np.float64] = field(repr=False)
    items: NDArray[np.int64] = field(repr=False)
    order: Order = "within items"
    reference: Literal["item values", "split halves", "gold", "full data"] = "item values"
    left_out: int = 0
    reason: str = ""
    pearson_of_halves: NDArray[np.float64] | None = field(default=None, repr=False)

    @property
    def points(self) -> NDArray[np.float64]:
        """Points (k + 1, m), the measured order first, then the shuffles."""
        return np.vstack([self.measured[None], self.shuffled])

    @property
    def shares(self) -> bool:
        """True where points are shares of items, as for choices, rather than correlations."""
        return self.reference in ("gold", "full data")

    @property
    def repetitions(self) -> int:
        """Largest number of ratings per item, m."""
        return len(self.measured)

    def first(self, shuffles: int) -> "Curves":
        """Return the curves with the first shuffles only; for curves without undefined points."""
        halves = self.pearson_of_halves
        return replace(
            self,
            shuffled=self.shuffled[:shuffles],
            pearson_of_halves=None if halves is None else halves[:shuffles],
        )

    def mean_at(self, r: int) -> float:
        """Return the mean over orders of the correlation after r ratings per item.

        Source: Iskender et al. 2020, section 4.2, step 3.
        """
        points = self.points[:, r - 1] if r else np.zeros(0)
        points = points[~np.isnan(points)]
        return float(points.mean()) if len(points) else nan


def r_squared(points: NDArray[np.float64], curve: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return R² of one common curve for each order.

    Source: Iskender et al. 2020, section 4.2 and Table 2 (R² of each order).
    """
    is_defined = ~np.isnan(points)
    if is_defined.all() and points.size:
        deviation = ((points - points.mean(axis=1, keepdims=True)) ** 2).sum(axis=1)
        defined = points.max(axis=1) > points.min(axis=1)
        residual = ((points - curve) ** 2).sum(axis=1)
        return np.where(defined, 1 - residual / np.where(deviation > 0, deviation, 1), np.nan)
    count = np.maximum(is_defined.sum(axis=1), 1)
    mean = np.where(is_defined, points, 0).sum(axis=1) / count
    error = np.where(is_defined, points - curve, 0)
    deviation = np.where(is_defined, points - mean[:, None], 0)
    residual, total = (error**2).sum(axis=1), (deviation**2).sum(axis=1)
    highest, lowest = (
        np.where(is_defined, points, -np.inf).max(1),
        np.where(is_defined, points, np.inf).min(1),
    )
    return np.where(highest > lowest, 1 - residual / np.where(total > 0, total, 1), np.nan)


SMALLEST_RISE = 3.0
"""Smallest b (m - 1) of a curve that levels off within the repetitions (methods, section 2)."""

_GRID = np.geomspace(1e-3, 20, 120)
_STEPS = 60
_RELATIVE_TOLERANCE = 1e-14


@dataclass(frozen=True, eq=False)
class Saturation:
    """The fitted curve y = a (1 - exp(-b x)) + c and its fit to each order.

    `r_squared_measured` is for the measured order, `r_squared_shuffled` (k,) for each shuffle, both for the common
    curve; `repetitions` is m, `n` the number of points fitted. Without saturation, a, b and c are NaN with a
    `reason`.
    """

    a: float
    b: float
    c: float
    r_squared_measured: float
    r_squared_shuffled: NDArray[np.float64] = field(repr=False)
    repetitions: int
    n: int
    reason: str = ""

    @property
    def defined(self) -> bool:
        """True where a curve was fitted."""
        return self.a == self.a

    def at(self, x: Any) -> NDArray[np.float64]:
        """Return the curve at repetitions x.

        Source: Iskender et al. 2020, section 4.2 (the exponential of its Table 2).
        """
        return np.asarray(self.a * (1 - np.exp(-self.b * np.asarray(x, dtype=np.float64))) + self.c)


def fit(curves: Curves) -> Saturation:
    """Fit y = a (1 - exp(-b x)) + c to all points of all orders together.

    Parameters
    ----------
    curves : measured (m,) and shuffled (k, m) from `repetition.simulate`; NaN are excluded

    Returns
    -------
    Saturation
        NaN with a reason where a <= 0, b (m - 1) < 3 or the points do not determine b.

    Notes
    -----
    a and the knee grow with m; the limit of `analysis.repetitions.attenuation` does not.
    R² is that of the one curve for each order, 1 - SSE / SST, and may be negative.
    Source: Iskender et al. 2020, section 4.2 and Table 2. The paper does not state which orders it
    fitted; here all.
    """
    return fit_all([curves])[0]


def fit_all(all_curves: Sequence[Curves]) -> list[Saturation]:
    """Fit the curves of several measures at once."""
    widest = max((len(curves.measured) for curves in all_curves), default=0)
    mean = np.full((len(all_curves), widest), nan)
    weight = np.zeros((len(all_curves), widest))
    for row, curves in enumerate(all_curves):
        m = len(curves.measured)
        mean[row, :m], weight[row, :m] = mean_and_count(curves.points)
    repetitions = np.array([len(curves.measured) for curves in all_curves], dtype=np.int64)
    a, b, c, undetermined = fit_means(mean, weight, repetitions)
    return [
        _saturation_from_fit(curves, float(a[i]), float(b[i]), float(c[i]), bool(undetermined[i]))
        for i, curves in enumerate(all_curves)
    ]


def quantiles(rows: NDArray[np.float64], shares: Sequence[float]) -> list[NDArray[np.float64]]:
    """Return quantiles of each column over its defined rows; NaN without any."""
    if not len(rows):
        return [np.full(rows.shape[1], np.nan) for _ in shares]
    ordered = np.sort(rows, axis=0)  # NaN last
    count = (~np.isnan(ordered)).sum(axis=0)
    columns = np.arange(rows.shape[1])
    rows_of_quantiles = []
    for share in shares:
        position = share * np.maximum(count - 1, 0)
        lower = np.floor(position).astype(int)
        upper = np.minimum(lower + 1, np.maximum(count - 1, 0))
        fraction = position - lower
        value = ordered[lower, columns] * (1 - fraction) + ordered[upper, columns] * fraction
        rows_of_quantiles.append(np.where(count > 0, value, np.nan))
    return rows_of_quantiles


def mean_and_count(points: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the mean and the number of points at each repetition, without NaN.

    Source: sufficient for the least squares of Iskender et al. 2020, section 4.2.
    """
    is_defined = ~np.isnan(points)
    count = is_defined.sum(axis=-2).astype(np.float64)
    total = np.where(is_defined, points, 0).sum(axis=-2)
    return np.where(count > 0, total / np.maximum(count, 1), nan), count


def fit_means(
    mean: NDArray[np.float64], weight: NDArray[np.float64], repetitions: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64], NDArray[np.bool_]]:
    """Fit many curves to weighted means for each repetition.

    Source: Iskender et al. 2020, section 4.2; the search over b alone is variable projection (Golub and Pereyra
    1973).
    """
    d, m = mean.shape
    w = np.where(np.isnan(mean), 0, weight)
    y = np.where(w > 0, mean, 0)
    total = w.sum(axis=1)
    y = np.where(w > 0, y - ((w * y).sum(axis=1) / np.maximum(total, 1))[:, None], 0)
    spread = (w * y * y).sum(axis=1)
    is_sufficient = ((w > 0).sum(axis=1) >= 3) & (spread > 1e-24 * np.maximum(total, 1))
    x = np.arange(1, m + 1, dtype=np.float64)

    decay = np.exp(-_GRID[:, None] * x)  # 1 - exp(-b x) up to a constant and the sign
    first, second, with_y = w @ decay.T, w @ (decay**2).T, (w * y) @ decay.T
    decay_squares = second - first**2 / np.maximum(total, 1)[:, None]
    explained = np.where(
        decay_squares > 1e-13 * second, with_y**2 / np.where(decay_squares > 0, decay_squares, 1), 0
    )
    best = np.argmax(explained, axis=1) if d else np.zeros(0, dtype=np.intp)
    is_interior = (best > 0) & (best < len(_GRID) - 1)
    low, high = _GRID[np.maximum(best - 1, 0)], _GRID[np.minimum(best + 1, len(_GRID) - 1)]
    b = find_root_regula_falsi(low, high, lambda b: _error_gradient(b, x, y, w, total))
    a = _best_amplitude(b, x, y, w, total)[0]
    decay = np.exp(-b[:, None] * x)
    raw = np.where(w > 0, mean, 0)
    c = ((w * raw).sum(axis=1) - a * (w * (1 - decay)).sum(axis=1)) / np.maximum(total, 1)
    undetermined = ~is_sufficient | (best == len(_GRID) - 1)
    saturates = ~undetermined & is_interior & (a > 0) & (b * (repetitions - 1) >= SMALLEST_RISE)
    return np.where(saturates, a, nan), np.where(saturates, b, nan), np.where(saturates, c, nan), undetermined


def _best_amplitude(
    b: NDArray[np.float64],
    x: NDArray[np.float64],
    y: NDArray[np.float64],
    w: NDArray[np.float64],
    total: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return the best a for each b (d,), the residuals of y (d, m), and exp(-b x) (d, m)."""
    decay = np.exp(-b[:, None] * x)
    basis = ((w * decay).sum(axis=1) / np.maximum(total, 1))[:, None] - decay
    norm = (w * basis * basis).sum(axis=1)
    a = (w * basis * y).sum(axis=1) / np.where(norm > 0, norm, 1)
    return a, y - a[:, None] * basis, decay


def _error_gradient(
    b: NDArray[np.float64],
    x: NDArray[np.float64],
    y: NDArray[np.float64],
    w: NDArray[np.float64],
    total: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return half the negative derivative of the squared error by b (d,), at the best a and c."""
    a, residual, decay = _best_amplitude(b, x, y, w, total)
    gradient: NDArray[np.float64] = (w * residual * a[:, None] * x * decay).sum(axis=1)
    return gradient


def find_root_regula_falsi(
    low: NDArray[np.float64],
    high: NDArray[np.float64],
    function: Callable[[NDArray[np.float64]], NDArray[np.float64]],
) -> NDArray[np.float64]:
    """Return the root of a function that is positive at low and negative at high: regula falsi with the Illinois
    rule."""
    at_low, at_high = function(low), function(high)
    b = low
    side = np.zeros(len(low), dtype=np.int64)
    for _ in range(_STEPS):
        drop = at_low - at_high
        fraction = np.where(drop > 0, at_low / np.where(drop > 0, drop, 1), 0.5)
        previous, b = b, low + np.clip(fraction, 0, 1) * (high - low)
        if (np.abs(b - previous) <= _RELATIVE_TOLERANCE * b).all():
            break
        value = function(b)
        is_positive = value > 0
        low, at_low = np.where(is_positive, b, low), np.where(is_positive, value, at_low)
        high, at_high = np.where(is_positive, high, b), np.where(is_positive, at_high, value)
        at_high = np.where(is_positive & (side == 1), at_high / 2, at_high)
        at_low = np.where(~is_positive & (side == -1), at_low / 2, at_low)
        side = np.where(is_positive, 1, -1)
    return b


def _saturation_from_fit(curves: Curves, a: float, b: float, c: float, undetermined: bool) -> Saturation:
    k, m = curves.shuffled.shape
    number = int(np.isfinite(curves.points).sum())
    if a != a:
        if number == 0:
            reason = curves.reason or "there are no points to fit a curve to"
        elif undetermined:
            reason = "the points do not determine a curve"
        else:
            reason = f"the curve does not level off within {m} repetitions"
        return Saturation(nan, nan, nan, nan, np.full(k, nan), m, number, reason)
    curve = a * (1 - np.exp(-b * np.arange(1, m + 1))) + c
    described = r_squared(curves.points, curve)
    return Saturation(a, b, c, float(described[0]), described[1:], m, number)
