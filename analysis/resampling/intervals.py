"""Interval rules, and counts of units in bootstrap samples.

A sample is a row of counts of each rater, item or story, so that a figure of a block of samples is a matrix product.
Generators are passed; only `crossed_bootstrap_counts` creates its own, one for raters and one for items.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import atanh, inf, isnan, nan
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from analysis.values.estimate import Estimate, Floats, OnProgress

MOST_MULTINOMIAL = 5_000
"""Largest number of units for multinomial draws; above it, drawing indices takes a tenth of the time."""
BLOCK = 2_000_000
"""Votes x samples in a block, small enough for a quick stop and for memory."""


def blocks(draws: int, size: int, on_progress: OnProgress = None) -> Iterator[slice]:
    """Yield slices of at most `size` that cover all draws; call `on_progress` with the share done after each."""
    size = max(size, 1)
    for start in range(0, draws, size):
        block = slice(start, min(start + size, draws))
        yield block
        if on_progress is not None:
            on_progress(block.stop / draws)


def scale_progress(on_progress: OnProgress, start: float, end: float) -> OnProgress:
    """Return a callback that reports the progress of one part as progress of all, from `start` to `end`."""
    if on_progress is None:
        return None
    return lambda share: on_progress(start + (end - start) * share)


def bootstrap_counts(rng: np.random.Generator, units: int, size: int) -> Floats:
    """Draw bootstrap samples, and return the count of each unit in each (size, units)."""
    if units == 0:
        return np.zeros((size, 0))
    return rng.multinomial(units, np.full(units, 1 / units), size=size).astype(np.float64)


def bootstrap_counts_by_index(rng: np.random.Generator, units: int, size: int) -> Floats:
    """Draw as `bootstrap_counts`, by random indices: faster for few units, different samples for the same seed."""
    place = rng.integers(0, units, (size, units)) + units * np.arange(size)[:, None]
    return np.bincount(place.ravel(), minlength=size * units).reshape(size, units).astype(np.float64)


def rao_wu_weights(rng: np.random.Generator, units: int, size: int) -> Floats:
    """Draw weights (size, units) of samples of n - 1 units, rescaled to n; a single unit has weight 1.

    Their variance is unbiased; that of samples of n units is too small by 1 in n.
    Source: Rao & Wu 1988, "Resampling inference with complex survey data", section 2.
    """
    if units < 2:
        return np.ones((size, units))
    rescaled = units / (units - 1)
    if units <= MOST_MULTINOMIAL:
        counts = rng.multinomial(units - 1, np.full(units, 1 / units), size=size)
        return np.asarray(counts * rescaled, dtype=np.float64)
    weights = np.empty((size, units))
    for row in weights:
        row[:] = np.bincount(rng.integers(0, units, units - 1), minlength=units)
        row *= rescaled
    return weights


def crossed_bootstrap_counts(
    raters: int, items: int, draws: int, seed: int, votes: int = 0, on_progress: OnProgress = None
) -> Iterator[tuple[Floats, Floats]]:
    """Yield counts of raters (b, raters) and of items (b, items) in crossed samples, in blocks sized for so many votes.

    The block size does not change the samples: raters and items have a generator each.
    Source: Owen 2007, "The pigeonhole bootstrap", section 2.
    """
    rater_rng, item_rng = np.random.default_rng([seed, 0]), np.random.default_rng([seed, 1])
    for block in blocks(draws, min(BLOCK // max(votes, raters, items, 1), draws), on_progress):
        size = block.stop - block.start
        yield bootstrap_counts(rater_rng, raters, size), bootstrap_counts(item_rng, items, size)


def jackknife_covariance(leave_one_out: Floats, counts: Floats | None = None) -> Floats:
    """Return the jackknife covariance (s, s) of s figures from leave-one-out values (g, s), NaN if one is undefined.

    Equivalent parts may be given once with `counts` (g,).

    Source: Tukey 1958; Shao and Wu 1989 (parts of several units).
    """
    parts, figures = leave_one_out.shape
    g = parts if counts is None else int(counts.sum())
    if g < 2:
        return np.full((figures, figures), np.nan)
    deviations = leave_one_out - np.average(leave_one_out, axis=0, weights=counts)
    weighted = deviations if counts is None else deviations * counts[:, None]
    return np.asarray((g - 1) / g * deviations.T @ weighted, dtype=np.float64)


def jackknife_variance(leave_one_out: Floats) -> float:
    """Return the jackknife variance of a figure from its leave-one-out values (g,)."""
    return float(jackknife_covariance(leave_one_out[:, None])[0, 0])


def jackknife_groups(units: int, max_groups: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Assign each unit (units,) its own group, or one of `max_groups` random groups if there are more units."""
    return np.arange(units) if units <= max_groups else rng.permutation(units) % max_groups


UNBOUNDED = -inf, inf
UNIT_INTERVAL = 0.0, 1.0
"""Limits of a share."""
_LARGEST_CORRELATION = 1 - 1e-9
"""Correlation at which perfect ones are clipped, as their Fisher's z is infinite."""
_NO_VARIANCE = 1e-12


@dataclass(frozen=True)
class Transform:
    """Variance-stabilizing transformation and its inverse."""

    forward: Callable[[Any], Any]
    inverse: Callable[[Any], Any]


class Ends(NamedTuple):
    """Both ends of intervals (…,), NaN where there is none."""

    low: Floats
    high: Floats


def _arcsine_root(share: Any) -> Any:
    return np.arcsin(np.sqrt(np.clip(share, 0, 1)))


def _sine_squared(angle: Any) -> Any:
    return np.sin(np.clip(angle, 0, np.pi / 2)) ** 2


IDENTITY = Transform(lambda figure: figure, lambda figure: figure)
FISHER = Transform(lambda r: np.arctanh(np.clip(r, -_LARGEST_CORRELATION, _LARGEST_CORRELATION)), np.tanh)
"""Correlations (Fisher 1921)."""
LOG = Transform(np.log, np.exp)
"""For error measures such as RMSE."""
ANGLE = Transform(_arcsine_root, _sine_squared)
"""For shares: the arcsine of the square root (Anscombe 1948)."""
ROOT_DISAGREEMENT = Transform(
    lambda figure: np.sqrt(np.maximum(1 - figure, 0)), lambda root: 1 - np.maximum(root, 0) ** 2
)
"""For agreement: the square root of 1 minus the coefficient."""


def percentile_interval(
    value: ArrayLike,
    samples: Floats,
    level: float,
    units: ArrayLike = inf,
    limits: tuple[float, float] = UNBOUNDED,
) -> Ends:
    """Return percentiles (…,) of the samples (draws, …), expanded for few units; NaN for a single unit.

    Valid if the samples are centered on the estimate and vary like new studies. Not for correlations of noisy means,
    which are lower in every sample, nor for shares near 1.
    Coverage of 95%: means of 6, 8 and 12 normal values 93, 94 and 95% (86, 89 and 92% without the widening); shares
    of answers over 6, 12 and 51 stories 88 to 92% (now `interval_from_error` on angles: 92 to 97%).
    Source: Hesterberg 2015, "What teachers should know about the bootstrap", section 4 (expanded percentiles).
    """
    value, units_drawn = np.asarray(value, dtype=np.float64), np.asarray(units, dtype=np.float64)
    lower, upper = expanded_percentiles(np.maximum(units_drawn, 2), level)
    low, high = (_quantile(samples, tail) for tail in (lower, upper))
    return _clip_ends(value, low, high, has_enough_samples(samples) & (units_drawn > 1), limits)


def scaled_percentiles(
    value: ArrayLike,
    samples: Floats,
    level: float,
    degrees: ArrayLike,
    variance: ArrayLike | None = None,
    scale: Transform = IDENTITY,
) -> Ends:
    """Return percentiles of the samples (draws, …), centered on the estimate and scaled to a variance and Student's t.

    Valid where samples of raters add noise a second time, so that correlations are too low and vary too much; the
    variance then comes from elsewhere (`analysis.resampling.pigeonhole.two_way_variance`). The samples' own variance
    is used by default, widened for few units. With variance 0 the interval is the estimate.
    Source: Hesterberg 2015, "What teachers should know about the bootstrap", section 4; Student 1908.
    """
    value = np.asarray(value, dtype=np.float64)
    on_scale, tail = scale.forward(samples), (1 - level) / 2
    on_scale = np.where(np.isfinite(on_scale), on_scale, nan)
    mean, sample_variance = _mean(on_scale), _variance(on_scale)
    target_variance = sample_variance if variance is None else np.asarray(variance, dtype=np.float64)
    has_variance = (sample_variance > 0) & (target_variance > 0)
    factor = t_to_normal_ratio(degrees, level) * np.sqrt(
        target_variance / np.where(has_variance, sample_variance, 1.0)
    )
    centre = scale.forward(value)
    low, high = (scale.inverse(centre + factor * (_quantile(on_scale, at) - mean)) for at in (tail, 1 - tail))
    is_constant = target_variance == 0
    low, high = (np.where(is_constant, value, end) for end in (low, high))
    return _clip_ends(
        value, low, high, (has_enough_samples(on_scale) & has_variance) | is_constant, UNBOUNDED
    )


def order_statistics(samples: Floats, level: float, lowest: float = -inf, highest: float = inf) -> Ends:
    """Return order statistics of the samples (draws, …) as interval; undefined samples count beyond both ends.

    Valid for whole numbers and for unbounded samples (a system that wins everything). Coverage of 95%: differences of
    strengths of similar systems in 93 of 100 studies or more (tests/analysis/resampling/test_intervals.py).
    Source: Efron and Tibshirani 1993, section 13.3 (percentiles); an end at an undefined sample is NaN.
    """
    cut = int(np.floor((1 - level) / 2 * (len(samples) - 1) + 1e-9))
    is_undefined = np.isnan(samples)
    low = np.sort(np.where(is_undefined, lowest, samples), axis=0)[cut]
    high = np.sort(np.where(is_undefined, highest, samples), axis=0)[len(samples) - 1 - cut]
    return Ends(np.where(np.isinf(low), nan, low), np.where(np.isinf(high), nan, high))


def interval_from_error(
    value: ArrayLike,
    error: ArrayLike,
    level: float,
    degrees: ArrayLike = inf,
    limits: tuple[float, float] = UNBOUNDED,
    scale: Transform = IDENTITY,
) -> Ends:
    """Return value ± standard error (…,) times the quantile of Student's t, or the normal's for infinite degrees.

    Valid for means of independent values (Student), for Fisher's z of correlations, and for sums over enough units to
    be normal. For shares near 0 or 1 use `wilson_interval`.
    Source: Student 1908; Fisher 1921, "On the probable error of a coefficient of correlation".
    """
    value, error = np.asarray(value, dtype=np.float64), np.asarray(error, dtype=np.float64)
    half_width = t_quantile(degrees, level) * error
    centre = scale.forward(value)
    low, high = scale.inverse(centre - half_width), scale.inverse(centre + half_width)
    return _clip_ends(value, low, high, ~np.isnan(half_width), limits)


def pseudo_value_interval(
    value: float,
    units: Floats,
    level: float,
    raters: Floats | None = None,
    ratings: Floats | None = None,
    scale: Transform = ROOT_DISAGREEMENT,
    limits: tuple[float, float] = (-inf, 1.0),
) -> Ends:
    """Return the jackknife interval of a figure from its leave-one-out values (n,) on a scale, with Student's t.

    The degrees of freedom are (n - 1) / 2, as skewed pseudo-values estimate their variance half as precisely as normal
    ones. With leave-one-out values over raters (w,) and ratings (N,) the interval is over units and raters: both
    variances minus that of single ratings, and Satterthwaite's degrees of freedom, at most the raters - 1. Valid for
    smooth figures, also of few units. NaN if a leave-one-out value is undefined, or if all are equal.
    Source: Arvesen 1969, "Jackknifing U-statistics"; Cameron, Gelbach and Miller 2011, section 2.2; Satterthwaite 1946.
    """
    n, leave_one_out = len(units), scale.forward(units)
    variance, degrees = jackknife_variance(leave_one_out), max((n - 1) / 2, 1.0)
    if raters is not None and ratings is not None:
        unit_variance, rater_variance = variance, jackknife_variance(scale.forward(raters))
        rater_variance -= min(jackknife_variance(scale.forward(ratings)), rater_variance)
        variance = unit_variance + rater_variance
        spread = unit_variance**2 / degrees + rater_variance**2 / max(len(raters) - 1, 1)
        degrees = min(variance**2 / spread if spread > 0 else degrees, max(len(raters) - 1, 1))
    is_defined = bool(variance > _NO_VARIANCE)
    centre = n * float(scale.forward(value)) - (n - 1) * float(leave_one_out.mean()) if is_defined else nan
    half_width = float(t_quantile(degrees, level)) * float(np.sqrt(variance)) if is_defined else nan
    low, high = sorted(float(scale.inverse(centre + side * half_width)) for side in (-1, 1))
    return _clip_ends(np.asarray(value), np.asarray(low), np.asarray(high), np.asarray(is_defined), limits)


def fieller_interval(
    numerator: ArrayLike, denominator: ArrayLike, covariance: Floats, level: float, degrees: ArrayLike = inf
) -> Ends:
    """Return Fieller's interval of the ratio of two figures with covariance (2, 2).

    If the denominator may be 0 there is no upper end (inf), or, if no ratio is excluded, no interval (NaN). Valid for
    ratios of variances and covariances, whose logarithm varies too much if one is small.
    Source: Fieller 1954, "Some problems in interval estimation".
    """
    x, y = float(np.asarray(numerator)), float(np.asarray(denominator))
    square = float(t_quantile(degrees, level)) ** 2
    lead = y * y - square * float(covariance[1, 1])
    center = x * y - square * float(covariance[0, 1])
    root = center**2 - lead * (x * x - square * float(covariance[0, 0]))
    if not root >= 0:
        return Ends(np.asarray(nan), np.asarray(nan))
    half = float(np.sqrt(root))
    if not lead > 0:
        lowest = (center - half) / lead if lead < 0 else nan
        return (
            Ends(np.asarray(lowest), np.asarray(inf))
            if x / y >= lowest
            else Ends(np.asarray(nan), np.asarray(nan))
        )
    return Ends(np.asarray((center - half) / lead), np.asarray((center + half) / lead))


def wilson_interval(hits: ArrayLike, trials: ArrayLike, level: float = 0.95) -> tuple[Floats, Floats, Floats]:
    """Return shares (w,) with Wilson's intervals: (share, low, high), NaN without trials.

    Valid for independent trials; it ends at 0 without hits, at 1 without misses. For dependent trials, such as
    judgments of one rater, use `wilson_interval_from_samples` or `percentile_interval`.
    Coverage of 95%: over all shares 95% on average from 5 trials on; of shares between 5 and 95%, never below 89%.
    Source: Wilson 1927, "Probable inference, the law of succession, and statistical inference".
    """
    k, n = np.asarray(hits, dtype=np.float64), np.asarray(trials, dtype=np.float64)
    n = np.where(n > 0, n, nan)
    z = float(special.ndtri(0.5 + level / 2))
    share = k / n
    centre = (share + z**2 / (2 * n)) / (1 + z**2 / n)
    half_width = z * np.sqrt(share * (1 - share) / n + z**2 / (4 * n**2)) / (1 + z**2 / n)
    low, high = np.maximum(centre - half_width, 0.0), np.minimum(centre + half_width, 1.0)
    return share, np.where(k == 0, 0 * n, low), np.where(k == n, 0 * n + 1, high)


def wilson_interval_from_samples(
    value: float, samples: Floats, trials: int, level: float, units: int
) -> Ends:
    """Return Wilson's interval for a share, with the effective number of trials of its samples (draws,).

    m (1 - m) / v independent trials have the samples' mean m and variance v. Valid for shares near 1 with samples below
    them, such as the accuracy of labels from resampled votes, and for methods that are always right. `trials` are used
    if the samples do not vary. Percentiles of the samples covered the accuracy of labels in 0 to 98% of studies,
    centered on it in 92 to 100%.
    Source: Wilson 1927; Dean and Pagano 2015, "Evaluating confidence interval methods for binomial proportions
    in clustered surveys" (effective sample size).
    """
    if np.isnan(value) or not has_enough_samples(samples):
        return Ends(np.asarray(nan), np.asarray(nan))
    defined = samples[~np.isnan(samples)]
    return wilson_interval_from_variance(
        value, float(defined.var(ddof=1)), trials, level, max(units - 1, 1), float(defined.mean())
    )


def wilson_interval_from_variance(
    value: float, variance: float, trials: int, level: float, degrees: float, center: float = nan
) -> Ends:
    """Return Wilson's interval for a share, with the effective number of trials of a variance (at `center`).

    Valid for a known variance over clusters, such as the votes of a rater. `trials` are used if it is 0.
    Source: Dean and Pagano 2015 (effective sample size).
    """
    mean = value if np.isnan(center) else center
    effective_trials = mean * (1 - mean) / variance if variance > _NO_VARIANCE else float(trials)
    effective_trials /= float(t_to_normal_ratio(degrees, level)) ** 2
    _, low, high = (float(end) for end in wilson_interval(value * effective_trials, effective_trials, level))
    return Ends(np.asarray(min(low, value)), np.asarray(max(high, value)))


def t_quantile(degrees: ArrayLike, level: float) -> Floats:
    """Return the two-sided quantile (…,) of Student's t, or of the normal for infinite degrees of freedom."""
    degrees_of_freedom, tail = np.asarray(degrees, dtype=np.float64), 0.5 + level / 2
    return np.where(
        np.isinf(degrees_of_freedom),
        special.ndtri(tail),
        special.stdtrit(np.where(np.isinf(degrees_of_freedom), 1.0, degrees_of_freedom), tail),
    )


def t_to_normal_ratio(degrees: ArrayLike, level: float) -> Floats:
    """Return the quantile of Student's t divided by the normal's (…,)."""
    return t_quantile(degrees, level) / special.ndtri(0.5 + level / 2)


def expanded_percentiles(units: ArrayLike, level: float) -> tuple[Floats, Floats]:
    """Return the expanded percentiles of samples of (…,) units, two or more each, that cover with probability `level`.

    The tail is that of the normal beyond Student's t times sqrt(n / (n - 1)), as the variance of samples of n units is
    too small by 1 in n, and is itself estimated.

    >>> [round(float(tail), 4) for tail in expanded_percentiles(10, 0.95)]
    [0.0086, 0.9914]
    """
    n = np.asarray(units, dtype=np.float64)
    shrunk = np.where(np.isinf(n), 1.0, n / (np.where(np.isinf(n), 2.0, n) - 1))
    quantile = t_quantile(n - 1, level) * np.sqrt(shrunk)
    return special.ndtr(-quantile), special.ndtr(quantile)


def has_enough_samples(samples: Floats) -> NDArray[np.bool_]:
    """Return True (…,) if at least half of the samples (draws, …), and two, are defined."""
    return np.asarray((~np.isnan(samples)).sum(axis=0) >= max(len(samples) / 2, 2))


def center_samples(value: ArrayLike, samples: Floats, scale: Transform) -> Floats:
    """Shift the samples (draws, …) on the scale so that their mean is the estimate (…,)."""
    on_scale = scale.forward(samples)
    return np.asarray(scale.inverse(on_scale - _mean(on_scale) + scale.forward(np.asarray(value))))


def inflate_samples(samples: Floats, added_variance: ArrayLike, scale: Transform) -> Floats:
    """Scale the samples (draws, …) around their mean on the scale so that their variance increases (…,)."""
    on_scale = scale.forward(samples)
    mean, variance = _mean(on_scale), _variance(on_scale)
    factor = np.where(
        variance > 0, np.sqrt(1 + np.asarray(added_variance) / np.where(variance > 0, variance, 1.0)), 1.0
    )
    return np.asarray(scale.inverse(mean + factor * (on_scale - mean)))


def bootstrap_error(samples: Floats) -> Floats:
    """Return the bootstrap standard error (…,), the SD of the samples; NaN if too few are defined."""
    return np.where(has_enough_samples(samples), np.sqrt(_variance(samples)), nan)


def _mean(samples: Floats) -> Floats:
    known = ~np.isnan(samples)
    return np.asarray(np.where(known, samples, 0.0).sum(axis=0) / np.maximum(known.sum(axis=0), 1))


def _variance(samples: Floats) -> Floats:
    """Return the variance (…,) of the defined samples, NaN below two."""
    is_defined = ~np.isnan(samples)
    number = is_defined.sum(axis=0)
    squares = (np.where(is_defined, samples - _mean(samples), 0.0) ** 2).sum(axis=0)
    return np.where(number > 1, squares / np.maximum(number - 1, 1), nan)


def _quantile(samples: Floats, share: ArrayLike) -> Floats:
    """Return the quantile at each share (…,) of the defined samples (draws, …), as `numpy.quantile`."""
    if not len(samples):
        return np.full(samples.shape[1:], nan)
    ordered = np.sort(samples, axis=0)
    last = np.maximum((~np.isnan(ordered)).sum(axis=0) - 1, 0)
    index = np.asarray(share) * last
    lower = np.floor(index).astype(np.int64)
    upper = np.minimum(lower + 1, last)
    first, second = (np.take_along_axis(ordered, position[None], axis=0)[0] for position in (lower, upper))
    return np.asarray(first + (index - lower) * (second - first))


def _clip_ends(
    value: Floats, low: Floats, high: Floats, is_defined: NDArray[np.bool_], limits: tuple[float, float]
) -> Ends:
    """Extend both ends to include the value and clip them to the limits, NaN where undefined."""
    is_defined = is_defined & ~np.isnan(value)
    return Ends(
        np.where(is_defined, np.clip(np.minimum(low, value), *limits), nan),
        np.where(is_defined, np.clip(np.maximum(high, value), *limits), nan),
    )


Z_BOUND = 0.9999
"""Value at which figures are clipped before Fisher's z."""


def fisher_z(value: float) -> float:
    """Return Fisher's z of a figure, clipped to ±`Z_BOUND`."""
    return atanh(min(max(value, -Z_BOUND), Z_BOUND))


def fisher_interval(value: float, error: float, n: int, level: float, degrees: float = inf) -> Estimate:
    """Return the interval of a correlation from a standard error on Fisher's z, by the normal or Student's t.

    Source: Fisher 1921.
    """
    if isnan(value):
        return Estimate(nan, n=n, reason="the correlation is undefined")
    if abs(value) >= 1 - 1e-12:
        return Estimate(value, n=n, reason="the correlation is perfect: Fisher's z gives no interval")
    if isnan(error):
        return Estimate(value, n=n, reason=f"too few items for an interval: {n}")
    low, high = interval_from_error(value, error, level, degrees, scale=FISHER)
    return Estimate(value, float(low), float(high), n)
