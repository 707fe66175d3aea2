"""Knee of the fitted saturation curve, with its interval."""

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
    mean_and_count,
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
"""Fewest repetitions for a knee."""


def knee(a: float, b: float, c: float, repetitions: int, sensitivity: float = 1.0) -> int | None:
    """Return the knee of a (1 - exp(-b x)) + c at the whole numbers 1 … repetitions.

    Parameters
    ----------
    a, b, c : parameters of the curve, from `fit`
    repetitions : m, a whole number
    sensitivity : Kneedle's S from 0; larger values require a flatter curve after the knee

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
    Not for planning beyond m: the knee depends on m (`knees_by_repetitions`). Kneedle: with x and y scaled to 0 … 1,
    the knee is where y - x is largest, if it later falls below that maximum by S mean steps of x. This curve is
    concave, so that y - x has one maximum and ends at 0.
    Source: Satopää et al. 2011, section III; used in Iskender et al. 2020, section 4.2 and Table 2.

    >>> knee(0.543, 0.313, 0.401, 24)
    7
    """
    _check_arguments(repetitions, sensitivity)
    at = int(knees(np.array([a]), np.array([b]), repetitions, sensitivity)[0])
    return at or None


def knees(
    a: NDArray[np.float64], b: NDArray[np.float64], repetitions: int, sensitivity: float = 1.0
) -> NDArray[np.int64]:
    """Return the knees of many curves; c is irrelevant."""
    _check_arguments(repetitions, sensitivity)
    steps = repetitions - 1
    is_saturating = (a > 0) & (b * steps >= SMALLEST_RISE) & (repetitions >= FEWEST_REPETITIONS)
    if not is_saturating.any():
        return np.zeros(len(b), dtype=np.int64)
    x = np.arange(repetitions) / steps
    rate = np.where(is_saturating, b, 1)[:, None] * steps
    difference = np.expm1(-rate * x) / np.expm1(-rate) - x
    position = np.argmax(difference, axis=1)
    is_confirmed = difference[np.arange(len(b)), position] > sensitivity / steps
    return np.where(is_saturating & is_confirmed, position + 1, 0)


def knee_closed_form(b: float, repetitions: int) -> float:
    """Return the knee of the continuous curve: x* = 1 + ln(b N / (1 - exp(-b N))) / b with N = m - 1.

    The reported knee is a whole number (`knee`), this one rounded down or up. Source: the maximum of y - x in
    Satopää et al. 2011, section III, for this curve.

    >>> round(knee_closed_form(0.271, 48), 1)
    10.4
    """
    _check_arguments(repetitions, 0.0)
    total_rise = b * (repetitions - 1)
    if not total_rise >= SMALLEST_RISE:
        return nan
    return 1 + log(total_rise / (1 - exp(-total_rise))) / b


@dataclass(frozen=True, eq=False)
class KneesByRepetitions:
    """Knees for other maximum numbers of repetitions.

    `repetitions` (p,) whole numbers; `knee` (p,) whole numbers, 0 for none; `closed_form` (p,) x*.
    """

    repetitions: NDArray[np.int64]
    knee: NDArray[np.int64]
    closed_form: NDArray[np.float64]


def knees_by_repetitions(saturation: Saturation, up_to: int, sensitivity: float = 1.0) -> KneesByRepetitions:
    """Return the knees of one fitted curve for each m.

    Source: the closed form of the knee of Iskender et al. 2020, section 4.2; the paper does not show this.
    """
    _check_arguments(up_to, sensitivity)
    repetitions = np.arange(1, up_to + 1)
    a, b = np.array([saturation.a]), np.array([saturation.b])
    knees_at = np.array([int(knees(a, b, int(m), sensitivity)[0]) for m in repetitions])
    return KneesByRepetitions(
        repetitions, knees_at, np.array([knee_closed_form(saturation.b, int(m)) for m in repetitions])
    )


def _check_arguments(repetitions: int, sensitivity: float) -> None:
    if repetitions < 1:
        raise InputError(f"`repetitions` must be a whole number from 1, got {repetitions}")
    if not sensitivity >= 0:
        raise InputError(f"`sensitivity` must be 0 or more, got {sensitivity}")


FEWEST_EXTRAPOLATED = 12
"""Fewest ratings per item to which split halves are extrapolated."""


@dataclass(frozen=True)
class FittedCurves:
    """Curves of one measure (or comparison), the fitted saturation, its knee, and the extrapolation of split halves."""

    measure: str
    curves: Curves
    saturation: Saturation
    knee: int | None
    extrapolation: Extrapolation | None = None

    @property
    def longest_shown(self) -> int:
        """Largest number of ratings shown in a figure."""
        return self.curves.repetitions if self.extrapolation is None else len(self.extrapolation.curve)

    @property
    def largest_known(self) -> int:
        """Largest number of ratings per item covered by the curve."""
        return max(self.curves.repetitions * (1 if self.extrapolation is None else 2), 1)

    def level(self, r: int) -> float:
        """Return the correlation after r ratings: of the fitted curve, else the mean over orders; split halves
        extrapolated.

        For choices the mean over orders: a share is exact at the last vote, and the curve need not be.
        """
        if self.extrapolation is not None:
            return float(self.extrapolation.curve[r - 1]) if r <= len(self.extrapolation.curve) else nan
        if r > self.curves.repetitions:
            return nan
        if self.saturation.defined and not self.curves.shares:
            return float(self.saturation.at(r))
        return self.curves.mean_at(r)

    @property
    def correlation(self) -> Estimate:
        """Correlation after all ratings with Fisher's interval over items, for these raters only."""
        m = self.curves.repetitions
        n = int(self.curves.items[-1]) if m else 0
        at_m = self.curves.mean_at(m)
        error = sqrt((1 + at_m**2 / 2) / (n - 3)) if n > 3 and at_m == at_m else nan
        return fisher_interval(at_m, error, n, 0.95)

    def loss(self, r: int, m: int) -> float:
        """Return the loss of correlation with r ratings compared with m, or with the largest covered number."""
        return self.level(min(m, self.largest_known)) - self.level(r)


def fit_curves(
    measures: Sequence[str], curves: Sequence[Curves], sensitivity: float
) -> tuple[FittedCurves, ...]:
    """Fit the curves of all measures, with the knee at Kneedle's sensitivity."""
    return tuple(
        FittedCurves(
            measure,
            c,
            f,
            knee(f.a, f.b, f.c, max(c.repetitions, 1), sensitivity),
            _extrapolate_split_halves(c),
        )
        for measure, c, f in zip(measures, curves, fit_all(curves), strict=True)
    )


def _extrapolate_split_halves(curves: Curves) -> Extrapolation | None:
    if curves.reference != "split halves" or not curves.repetitions:
        return None
    return extrapolate(curves, max(FEWEST_EXTRAPOLATED, 2 * curves.repetitions + 1))


def sort_by_knee(fitted: Sequence[FittedCurves]) -> list[FittedCurves]:
    """Return the curves with a knee, in ascending order of the knee."""
    return sorted((curve for curve in fitted if curve.knee is not None), key=lambda curve: curve.knee or 0)


def median_knee(fitted: Sequence[FittedCurves]) -> int | None:
    """Return the median knee, rounded up; None without a knee."""
    knees = [one.knee for one in sort_by_knee(fitted)]
    return ceil(float(np.median(np.array(knees, dtype=np.float64)))) if knees else None


MOST_WITHOUT_KNEE = 0.1
"""Largest share of bootstrap samples without a knee for which a knee is reported."""
DEFAULT_BOOTSTRAP = BootstrapSpec(draws=100)
"""Default bootstrap; each sample repeats a whole simulation."""


@dataclass(frozen=True, eq=False)
class KneeInterval:
    """The knee with its interval, and that of the curve.

    `knee` is the estimate; its `low` and `high` are percentiles of the samples, with samples without a knee counted
    as infinite, so that `high` is infinite where more than 2.5% have none; `without_knee` is the share of those.
    `mean` (m,) is the curve's mean over orders, `low` (m,) and `high` (m,) its band. `rho_inf` (d,) and
    `ratings_for_half` (d,) are the attenuation curves of the samples, none for shares; they are fitted lazily to
    `drawn` (d, m), the samples' mean curves.
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
        """True where at least 90% of the samples have a knee; otherwise none is reported."""
        return self.knee.defined and self.without_knee <= MOST_WITHOUT_KNEE

    @property
    def rho_inf(self) -> Floats:
        """Limit of each sample."""
        return self._attenuation[0]

    @property
    def ratings_for_half(self) -> Floats:
        """Number of ratings of each sample at which half of the mean's variance is signal."""
        return self._attenuation[1]

    @cached_property
    def _attenuation(self) -> tuple[Floats, Floats]:
        if not len(self.drawn):
            return np.zeros(0), np.zeros(0)
        return attenuation.fit_means(self.drawn, np.ones_like(self.drawn))


def knee_interval(
    curves: Curves,
    samples: Floats,
    sensitivity: float = 1.0,
    level: float = 0.95,
    shares: bool = False,
    fitted: Saturation | None = None,
) -> KneeInterval:
    """Return the knee of a study's curves with its interval from the mean curves (d, m) of resampled studies.

    `shares` is True for curves of shares of items, not correlations. `fitted` is the result of `fit` for the curves,
    if known. Source: Owen 2007 (pigeonhole bootstrap); methods, sections 0 and 2.
    """
    m = curves.repetitions
    estimate = fitted or fit(curves)
    knee = int(knees(np.array([estimate.a]), np.array([estimate.b]), max(m, 1), sensitivity)[0])
    mean, number = mean_and_count(curves.points)
    items = int(curves.items.max(initial=0))
    no_samples = np.zeros((0, m))
    if len(samples) == 0 or not (number > 0).any():
        undefined = np.full(m, np.nan)
        without_interval = Estimate(float(knee or np.nan), n=items, reason=estimate.reason)
        return KneeInterval(
            without_interval, np.nan, mean, undefined, undefined, no_samples, 0, curves.reason
        )
    scale = ANGLE if shares else FISHER
    order_variance = np.nan_to_num(bootstrap_error(scale.forward(curves.points))) ** 2 / np.maximum(number, 1)
    adjusted_samples = inflate_samples(center_samples(mean, samples, scale), order_variance, scale)
    a, b, _, _ = fit_means(
        adjusted_samples, np.ones_like(adjusted_samples), np.full(len(adjusted_samples), m)
    )
    sample_knees = knees(a, b, max(m, 1), sensitivity)
    low, high = percentile_interval(mean, adjusted_samples, level, items)
    return KneeInterval(
        _knee_estimate(knee, sample_knees, level, items, m, estimate.reason),
        float((sample_knees == 0).mean()),
        mean,
        low,
        high,
        no_samples if shares else adjusted_samples,
        len(adjusted_samples),
    )


def _knee_estimate(
    knee: int, sample_knees: NDArray[np.int64], level: float, items: int, m: int, reason: str
) -> Estimate:
    if not knee:
        has_few_repetitions = m < FEWEST_REPETITIONS
        default_reason = (
            "too few repetitions for a knee"
            if has_few_repetitions
            else "the curve is not flat enough for a knee"
        )
        return Estimate(np.nan, n=items, reason=reason or default_reason)
    if not sample_knees.any():
        return Estimate(float(knee), n=items, reason="no bootstrap sample has a knee, so it has no interval")
    with_infinite = np.where(sample_knees > 0, sample_knees, np.inf).astype(np.float64)
    low, high = (float(end) for end in order_statistics(with_infinite, level))
    return Estimate(
        float(knee), float(np.fmin(low, knee)), np.inf if np.isnan(high) else max(high, knee), items
    )
