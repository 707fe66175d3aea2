"""The knee: where the fitted curve of saturation bends, and more ratings buy less and less."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import ceil, exp, log, nan, sqrt

import numpy as np
from numpy.typing import NDArray

from analysis.repetitions import attenuation
from analysis.repetitions.attenuation import Extrapolation, extrapolate
from analysis.repetitions.saturation import (
    SMALLEST_RISE,
    Curves,
    Saturation,
    fit,
    fit_all,
    fit_means,
    mean_and_number,
)
from analysis.resampling.intervals import (
    ANGLE,
    FISHER,
    bootstrap_error,
    center_samples,
    fisher_interval,
    inflate_samples,
    order_statistics,
    percentile_interval,
)
from analysis.values.estimate import BootstrapSpec, Estimate, Floats, InputError

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
    """Return where the knee lies between whole numbers: x* = 1 + ln(b N / (1 - exp(-b N))) / b with N = m - 1.

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
    """Knee if one had collected another number of repetitions.

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
        """Return how much lower the curve is after r ratings than after m, or after the most that it knows about."""
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
    luck = np.nan_to_num(bootstrap_error(scale.forward(curves.points))) ** 2 / np.maximum(number, 1)
    moved = inflate_samples(center_samples(mean, drawn, scale), luck, scale)
    a, b, _, _ = fit_means(moved, np.ones_like(moved), np.full(len(moved), m))
    each = knees(a, b, max(m, 1), sensitivity)
    low, high = percentile_interval(mean, moved, level, items)
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
