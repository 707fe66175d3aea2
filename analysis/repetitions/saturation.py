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

    For choices (`choice_repetition`) the share of items that the first r votes answer as the reference.
    `measured` (m,), `shuffled` (k, m), `items` (m,) how many items each r rests on. `order` is what was shuffled,
    `reference` against what; `left_out` counts items with ratings that entered nowhere. Points are NaN where not
    defined, and `reason` says why. `pearson_of_halves` (k,) is there for split halves only: Pearson's r between
    the two halves of each shuffle (`analysis.repetitions.attenuation`).
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
        """(k + 1, m) the measured order first, then the shuffles."""
        return np.vstack([self.measured[None], self.shuffled])

    @property
    def shares(self) -> bool:
        """Return True where points are shares of items, as for choices, and not correlations."""
        return self.reference in ("gold", "full data")

    @property
    def repetitions(self) -> int:
        """m, the largest number of ratings per item."""
        return len(self.measured)

    def first(self, shuffles: int) -> "Curves":
        """The same with the first so many of its shuffles; for curves whose points are all defined."""
        halves = self.pearson_of_halves
        return replace(
            self,
            shuffled=self.shuffled[:shuffles],
            pearson_of_halves=None if halves is None else halves[:shuffles],
        )

    def mean_at(self, r: int) -> float:
        """The mean over orders of the correlation after r ratings per item.

        Source: Iskender et al. 2020, section 4.2, step 3.
        """
        points = self.points[:, r - 1] if r else np.zeros(0)
        points = points[~np.isnan(points)]
        return float(points.mean()) if len(points) else nan


def r_squared(points: NDArray[np.float64], curve: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return how well one common curve describes each order.

    Source: Iskender et al. 2020, section 4.2 and Table 2 (R² of each order).
    """
    there = ~np.isnan(points)
    if there.all() and points.size:
        around = ((points - points.mean(axis=1, keepdims=True)) ** 2).sum(axis=1)
        defined = points.max(axis=1) > points.min(axis=1)
        left = ((points - curve) ** 2).sum(axis=1)
        return np.where(defined, 1 - left / np.where(around > 0, around, 1), np.nan)
    count = np.maximum(there.sum(axis=1), 1)
    mean = np.where(there, points, 0).sum(axis=1) / count
    error = np.where(there, points - curve, 0)
    around = np.where(there, points - mean[:, None], 0)
    left, total = (error**2).sum(axis=1), (around**2).sum(axis=1)
    highest, lowest = np.where(there, points, -np.inf).max(1), np.where(there, points, np.inf).min(1)
    return np.where(highest > lowest, 1 - left / np.where(total > 0, total, 1), np.nan)


SMALLEST_RISE = 3.0
"""b (m - 1) below this: the curve has not levelled off within the repetitions (methods, section 2)."""

_GRID = np.geomspace(1e-3, 20, 120)
_STEPS = 60
_CLOSE = 1e-14


@dataclass(frozen=True, eq=False)
class Saturation:
    """The fitted curve y = a (1 - exp(-b x)) + c and how well it describes each order.

    `r_squared_measured` is for the measured order, `r_squared_shuffled` (k,) for each shuffle, both of the
    one common curve; `repetitions` is m, `n` the number of points fitted. Where there is no saturation, a, b
    and c are NaN and `reason` says why.
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
        """Return True where a curve was found."""
        return self.a == self.a

    def at(self, x: Any) -> NDArray[np.float64]:
        """The curve at repetitions x.

        Source: Iskender et al. 2020, section 4.2 (the exponential of its Table 2).
        """
        return np.asarray(self.a * (1 - np.exp(-self.b * np.asarray(x, dtype=np.float64))) + self.c)


def fit(curves: Curves) -> Saturation:
    """Fit y = a (1 - exp(-b x)) + c to all points of all orders together.

    Parameters
    ----------
    curves : measured (m,) and shuffled (k, m), as `repetition.simulate` gives them; NaN are left out

    Returns
    -------
    Saturation
        with NaN and a reason where a <= 0, b (m - 1) < 3 or the points do not determine b.

    Notes
    -----
    a and the knee grow with m; `analysis.repetitions.attenuation` has a limit that does not.
    R² is that of the one curve for each order, 1 - SSE / SST, and may be negative.
    Source: Iskender et al. 2020, section 4.2 and Table 2. Which orders the paper fitted is not stated; here
    all.
    """
    return fit_all([curves])[0]


def fit_all(every: Sequence[Curves]) -> list[Saturation]:
    """The same for several measures at once, at little more than the price of one."""
    widest = max((len(curves.measured) for curves in every), default=0)
    mean = np.full((len(every), widest), nan)
    weight = np.zeros((len(every), widest))
    for row, curves in enumerate(every):
        m = len(curves.measured)
        mean[row, :m], weight[row, :m] = mean_and_number(curves.points)
    repetitions = np.array([len(curves.measured) for curves in every], dtype=np.int64)
    a, b, c, undetermined = fit_means(mean, weight, repetitions)
    return [
        _described(curves, float(a[i]), float(b[i]), float(c[i]), bool(undetermined[i]))
        for i, curves in enumerate(every)
    ]


def quantiles(rows: NDArray[np.float64], shares: Sequence[float]) -> list[NDArray[np.float64]]:
    """Return quantiles of each column over the rows that are defined there; NaN where none is."""
    if not len(rows):
        return [np.full(rows.shape[1], np.nan) for _ in shares]
    ordered = np.sort(rows, axis=0)  # NaN last
    there = (~np.isnan(ordered)).sum(axis=0)
    columns = np.arange(rows.shape[1])
    rows_of_quantiles = []
    for share in shares:
        place = share * np.maximum(there - 1, 0)
        below = np.floor(place).astype(int)
        above = np.minimum(below + 1, np.maximum(there - 1, 0))
        part = place - below
        value = ordered[below, columns] * (1 - part) + ordered[above, columns] * part
        rows_of_quantiles.append(np.where(there > 0, value, np.nan))
    return rows_of_quantiles


def mean_and_number(points: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Mean of the points at each repetition and how many there are, NaN left out.

    Source: sufficient for the least squares of Iskender et al. 2020, section 4.2.
    """
    there = ~np.isnan(points)
    number = there.sum(axis=-2).astype(np.float64)
    total = np.where(there, points, 0).sum(axis=-2)
    return np.where(number > 0, total / np.maximum(number, 1), nan), number


def fit_means(
    mean: NDArray[np.float64], weight: NDArray[np.float64], repetitions: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64], NDArray[np.bool_]]:
    """Fit many curves to weighted means per repetition.

    Source: Iskender et al. 2020, section 4.2; the search over b alone is variable projection (Golub and Pereyra
    1973).
    """
    d, m = mean.shape
    w = np.where(np.isnan(mean), 0, weight)
    y = np.where(w > 0, mean, 0)
    total = w.sum(axis=1)
    y = np.where(w > 0, y - ((w * y).sum(axis=1) / np.maximum(total, 1))[:, None], 0)
    spread = (w * y * y).sum(axis=1)
    enough = ((w > 0).sum(axis=1) >= 3) & (spread > 1e-24 * np.maximum(total, 1))
    x = np.arange(1, m + 1, dtype=np.float64)

    decay = np.exp(-_GRID[:, None] * x)  # 1 - exp(-b x) but for a constant and the sign
    first, second, with_y = w @ decay.T, w @ (decay**2).T, (w * y) @ decay.T
    own = second - first**2 / np.maximum(total, 1)[:, None]
    explained = np.where(own > 1e-13 * second, with_y**2 / np.where(own > 0, own, 1), 0)
    best = np.argmax(explained, axis=1) if d else np.zeros(0, dtype=np.intp)
    inside = (best > 0) & (best < len(_GRID) - 1)
    low, high = _GRID[np.maximum(best - 1, 0)], _GRID[np.minimum(best + 1, len(_GRID) - 1)]
    b = where_falling_ends(low, high, lambda b: _descent(b, x, y, w, total))
    a = _best_a(b, x, y, w, total)[0]
    decay = np.exp(-b[:, None] * x)
    raw = np.where(w > 0, mean, 0)
    c = ((w * raw).sum(axis=1) - a * (w * (1 - decay)).sum(axis=1)) / np.maximum(total, 1)
    undetermined = ~enough | (best == len(_GRID) - 1)
    saturates = ~undetermined & inside & (a > 0) & (b * (repetitions - 1) >= SMALLEST_RISE)
    return np.where(saturates, a, nan), np.where(saturates, b, nan), np.where(saturates, c, nan), undetermined


def _best_a(
    b: NDArray[np.float64],
    x: NDArray[np.float64],
    y: NDArray[np.float64],
    w: NDArray[np.float64],
    total: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """(d,) best a for each b, (d, m) what it leaves of y, (d, m) exp(-b x)."""
    decay = np.exp(-b[:, None] * x)
    basis = ((w * decay).sum(axis=1) / np.maximum(total, 1))[:, None] - decay
    norm = (w * basis * basis).sum(axis=1)
    a = (w * basis * y).sum(axis=1) / np.where(norm > 0, norm, 1)
    return a, y - a[:, None] * basis, decay


def _descent(
    b: NDArray[np.float64],
    x: NDArray[np.float64],
    y: NDArray[np.float64],
    w: NDArray[np.float64],
    total: NDArray[np.float64],
) -> NDArray[np.float64]:
    """(d,) half the fall of the squared error with b; at the best a and c only b's own part is left."""
    a, residual, decay = _best_a(b, x, y, w, total)
    fall: NDArray[np.float64] = (w * residual * a[:, None] * x * decay).sum(axis=1)
    return fall


def where_falling_ends(
    low: NDArray[np.float64],
    high: NDArray[np.float64],
    slope: Callable[[NDArray[np.float64]], NDArray[np.float64]],
) -> NDArray[np.float64]:
    """Return where the slope turns from positive at low to negative at high: regula falsi with the Illinois rule."""
    at_low, at_high = slope(low), slope(high)
    b = low
    side = np.zeros(len(low), dtype=np.int64)
    for _ in range(_STEPS):
        fall = at_low - at_high
        share = np.where(fall > 0, at_low / np.where(fall > 0, fall, 1), 0.5)
        last, b = b, low + np.clip(share, 0, 1) * (high - low)
        if (np.abs(b - last) <= _CLOSE * b).all():
            break
        here = slope(b)
        up = here > 0
        low, at_low = np.where(up, b, low), np.where(up, here, at_low)
        high, at_high = np.where(up, high, b), np.where(up, at_high, here)
        at_high = np.where(up & (side == 1), at_high / 2, at_high)
        at_low = np.where(~up & (side == -1), at_low / 2, at_low)
        side = np.where(up, 1, -1)
    return b


def _described(curves: Curves, a: float, b: float, c: float, undetermined: bool) -> Saturation:
    k, m = curves.shuffled.shape
    number = int(np.isfinite(curves.points).sum())
    if a != a:
        if number == 0:
            reason = curves.reason or "there are no points to fit a curve to"
        elif undetermined:
            reason = "no saturation in this range: the points do not determine a curve"
        else:
            reason = f"no saturation in this range: the curve does not level off within {m} repetitions"
        return Saturation(nan, nan, nan, nan, np.full(k, nan), m, number, reason)
    curve = a * (1 - np.exp(-b * np.arange(1, m + 1))) + c
    described = r_squared(curves.points, curve)
    return Saturation(a, b, c, float(described[0]), described[1:], m, number)
