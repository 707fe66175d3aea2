"""Interval rules, and how often each unit occurs in each bootstrap sample.

A draw is a row of counts: how often it holds every rater, item or story. A figure of a whole block of draws is then a
product of matrices. Generators are passed; only `multiplicities` makes its own, one for raters and one for items.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import atanh, inf, isnan, nan
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from analysis.values.estimate import Estimate, Floats, OnProgress

MANY = 5_000
"""Units from which those that are drawn are picked one after the other, in a tenth of the time of a multinomial."""
BLOCK = 2_000_000
"""Votes times draws worked on at once: small enough to stop soon and to stay in memory."""


def blocks(draws: int, size: int, on_progress: OnProgress = None) -> Iterator[slice]:
    """Slices of at most `size` that cover all draws; after each, `on_progress` is told the share done."""
    size = max(size, 1)
    for start in range(0, draws, size):
        block = slice(start, min(start + size, draws))
        yield block
        if on_progress is not None:
            on_progress(block.stop / draws)


def times_drawn(rng: np.random.Generator, units: int, size: int) -> Floats:
    """Return how often each unit is in each draw with replacement, (size, units)."""
    if units == 0:
        return np.zeros((size, 0))
    return rng.multinomial(units, np.full(units, 1 / units), size=size).astype(np.float64)


def times_picked(rng: np.random.Generator, units: int, size: int) -> Floats:
    """The same as `times_drawn`, one place after another: quicker for few units, other draws for the same seed."""
    place = rng.integers(0, units, (size, units)) + units * np.arange(size)[:, None]
    return np.bincount(place.ravel(), minlength=size * units).reshape(size, units).astype(np.float64)


def one_fewer(rng: np.random.Generator, units: int, size: int) -> Floats:
    """Weights (size, units) of draws of one unit fewer than there are, rescaled to as many; one unit alone weighs 1.

    Their variance is that of new units, which plain draws of n units fall short of by 1 in n.
    Source: Rao & Wu 1988, "Resampling inference with complex survey data", section 2.
    """
    if units < 2:
        return np.ones((size, units))
    rescaled = units / (units - 1)
    if units <= MANY:
        drawn = rng.multinomial(units - 1, np.full(units, 1 / units), size=size)
        return np.asarray(drawn * rescaled, dtype=np.float64)
    weights = np.empty((size, units))
    for row in weights:
        row[:] = np.bincount(rng.integers(0, units, units - 1), minlength=units)
        row *= rescaled
    return weights


def multiplicities(
    raters: int, items: int, draws: int, seed: int, votes: int = 0, on_progress: OnProgress = None
) -> Iterator[tuple[Floats, Floats]]:
    """Draw of raters (b, raters) and of items (b, items), crossed, in blocks sized for so many votes.

    The size of the blocks does not change what is drawn: raters and items have a generator each.
    Source: Owen 2007, "The pigeonhole bootstrap", section 2.
    """
    of_raters, of_items = np.random.default_rng([seed, 0]), np.random.default_rng([seed, 1])
    for block in blocks(draws, min(BLOCK // max(votes, raters, items, 1), draws), on_progress):
        size = block.stop - block.start
        yield times_drawn(of_raters, raters, size), times_drawn(of_items, items, size)


def jackknife_covariance(without: Floats, times: Floats | None = None) -> Floats:
    """(s, s) covariances of s figures from those without each of g parts (g, s); NaN where a part leaves one undefined.

    Of parts that are as good as each other one may stand for `times` (g,) of them.

    Source: Tukey 1958; Shao and Wu 1989 (parts of several units).
    """
    parts, figures = without.shape
    g = parts if times is None else int(times.sum())
    if g < 2:
        return np.full((figures, figures), np.nan)
    apart = without - np.average(without, axis=0, weights=times)
    weighed = apart if times is None else apart * times[:, None]
    return np.asarray((g - 1) / g * apart.T @ weighed, dtype=np.float64)


def jackknife_variance(without: Floats) -> float:
    """The variance of one figure from what it is without each of g parts (g,), as `jackknife_covariance`."""
    return float(jackknife_covariance(without[:, None])[0, 0])


def in_groups(units: int, most: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """A part (units,) for each unit: one of its own, or one of `most` random parts where there are more units."""
    return np.arange(units) if units <= most else rng.permutation(units) % most


EVERYWHERE = -inf, inf
SHARE = 0.0, 1.0
"""Where a share may lie."""
_CLOSEST = 1 - 1e-9
"""A draw with a perfect correlation counts as this one: its Fisher's z would be infinite."""
_NO_VARIANCE = 1e-12


@dataclass(frozen=True)
class Transform:
    """A scale on which chance is about the same for small and large figures: there, and back."""

    forth: Callable[[Any], Any]
    back: Callable[[Any], Any]


class Ends(NamedTuple):
    """Both ends of intervals (…,), NaN where there is none."""

    low: Floats
    high: Floats


def _angle(share: Any) -> Any:
    return np.arcsin(np.sqrt(np.clip(share, 0, 1)))


def _share(angle: Any) -> Any:
    return np.sin(np.clip(angle, 0, np.pi / 2)) ** 2


IDENTITY = Transform(lambda figure: figure, lambda figure: figure)
FISHER = Transform(lambda r: np.arctanh(np.clip(r, -_CLOSEST, _CLOSEST)), np.tanh)
"""Correlations (Fisher 1921)."""
LOG = Transform(np.log, np.exp)
"""Sizes of errors, such as RMSE."""
ANGLE = Transform(_angle, _share)
"""Shares: the arcsine of the root (Anscombe 1948)."""
MISSING = Transform(
    lambda figure: np.sqrt(np.maximum(1 - figure, 0)), lambda root: 1 - np.maximum(root, 0) ** 2
)
"""Agreement: the root of what is missing to 1."""


def percentiles(
    value: ArrayLike,
    drawn: Floats,
    level: float,
    units: ArrayLike = inf,
    within: tuple[float, float] = EVERYWHERE,
) -> Ends:
    """Percentiles (…,) of the draws (draws, …), further out where few units are drawn; of one unit there are none.

    Right where the draws lie around the estimate and spread as new studies would. Not for correlations of noisy
    means, which fall in every draw, nor for shares near 1.
    Coverage of 95%: means of 6, 8 and 12 normal values 93, 94 and 95% (86, 89 and 92% without the widening); shares
    of answers over 6, 12 and 51 stories 88 to 92% (now `by_error` on angles: 92 to 97%).
    Source: Hesterberg 2015, "What teachers should know about the bootstrap", section 4 (expanded percentiles).
    """
    value, few = np.asarray(value, dtype=np.float64), np.asarray(units, dtype=np.float64)
    below, above = widened_tails(np.maximum(few, 2), level)
    low, high = (_quantile(drawn, tail) for tail in (below, above))
    return _holding(value, low, high, enough(drawn) & (few > 1), within)


def shaped(
    value: ArrayLike,
    drawn: Floats,
    level: float,
    degrees: ArrayLike,
    variance: ArrayLike | None = None,
    scale: Transform = IDENTITY,
) -> Ends:
    """The shape of the draws (draws, …) around the estimate, with the width of a variance and Student's t.

    Right where draws of raters add their chance a second time, so that a correlation falls in every draw and
    spreads too much; the variance then comes from elsewhere (`analysis.resampling.pigeonhole.two_way_variance`).
    With the draws' own variance it stretches them for few units. Without any variance the interval is the estimate.
    Source: Hesterberg 2015, "What teachers should know about the bootstrap", section 4; Student 1908.
    """
    value = np.asarray(value, dtype=np.float64)
    on_scale, tail = scale.forth(drawn), (1 - level) / 2
    on_scale = np.where(np.isfinite(on_scale), on_scale, nan)
    mean, own = _mean(on_scale), _variance(on_scale)
    wanted = own if variance is None else np.asarray(variance, dtype=np.float64)
    spread = (own > 0) & (wanted > 0)
    factor = for_few(degrees, level) * np.sqrt(wanted / np.where(spread, own, 1.0))
    centre = scale.forth(value)
    low, high = (scale.back(centre + factor * (_quantile(on_scale, at) - mean)) for at in (tail, 1 - tail))
    still = wanted == 0
    low, high = (np.where(still, value, end) for end in (low, high))
    return _holding(value, low, high, (enough(on_scale) & spread) | still, EVERYWHERE)


def order_statistics(drawn: Floats, level: float, lowest: float = -inf, highest: float = inf) -> Ends:
    """The draws (draws, …) with as many beyond as the level leaves out; an undefined one counts against both ends.

    Right for whole numbers, where nothing lies between two draws, and where draws may have no bound (a system that
    wins everything). Coverage of 95%: differences of strengths of like systems in 93 of 100 studies or more
    (tests/analysis/resampling/test_intervals.py).
    Source: Efron and Tibshirani 1993, section 13.3 (percentiles); an end that rests on unknown draws stays open.
    """
    cut = int(np.floor((1 - level) / 2 * (len(drawn) - 1) + 1e-9))
    unknown = np.isnan(drawn)
    low = np.sort(np.where(unknown, lowest, drawn), axis=0)[cut]
    high = np.sort(np.where(unknown, highest, drawn), axis=0)[len(drawn) - 1 - cut]
    return Ends(np.where(np.isinf(low), nan, low), np.where(np.isinf(high), nan, high))


def by_error(
    value: ArrayLike,
    error: ArrayLike,
    level: float,
    degrees: ArrayLike = inf,
    within: tuple[float, float] = EVERYWHERE,
    scale: Transform = IDENTITY,
) -> Ends:
    """A standard error (…,) to both sides, times Student's t, or the normal's quantile where degrees are infinite.

    Right for means of independent values (Student), for Fisher's z of correlations, and for sums over so many units
    that they are normal. Not for shares near 0 or 1: `wilson`.
    Source: Student 1908; Fisher 1921, "On the probable error of a coefficient of correlation".
    """
    value, error = np.asarray(value, dtype=np.float64), np.asarray(error, dtype=np.float64)
    half = quantile_of_t(degrees, level) * error
    centre = scale.forth(value)
    low, high = scale.back(centre - half), scale.back(centre + half)
    return _holding(value, low, high, ~np.isnan(half), within)


def jackknifed(
    value: float,
    units: Floats,
    level: float,
    raters: Floats | None = None,
    ratings: Floats | None = None,
    scale: Transform = MISSING,
    within: tuple[float, float] = (-inf, 1.0),
) -> Ends:
    """The pseudo-values on a scale of a figure that is (n,) without each unit, with Student's t.

    Half as many degrees of freedom as units less one: such pseudo-values are skewed and tell their variance only half
    as well as normal ones. Given what the figure is without each rater (w,) and without each rating (N,) too, the
    interval is one over units and raters: both variances are added, what they share (that of single ratings) is taken
    off once, and the degrees of freedom are Satterthwaite's, at most the raters less one. Right for figures that are
    smooth in every unit, of few units too. None where one of them leaves nothing behind, or where none changes a thing.
    Source: Arvesen 1969, "Jackknifing U-statistics"; Cameron, Gelbach and Miller 2011, section 2.2; Satterthwaite 1946.
    """
    n, left = len(units), scale.forth(units)
    variance, degrees = jackknife_variance(left), max((n - 1) / 2, 1.0)
    if raters is not None and ratings is not None:
        of_units, of_raters = variance, jackknife_variance(scale.forth(raters))
        of_raters -= min(jackknife_variance(scale.forth(ratings)), of_raters)
        variance = of_units + of_raters
        spread = of_units**2 / degrees + of_raters**2 / max(len(raters) - 1, 1)
        degrees = min(variance**2 / spread if spread > 0 else degrees, max(len(raters) - 1, 1))
    known = bool(variance > _NO_VARIANCE)
    centre = n * float(scale.forth(value)) - (n - 1) * float(left.mean()) if known else nan
    half = float(quantile_of_t(degrees, level)) * float(np.sqrt(variance)) if known else nan
    low, high = sorted(float(scale.back(centre + side * half)) for side in (-1, 1))
    return _holding(np.asarray(value), np.asarray(low), np.asarray(high), np.asarray(known), within)


def fieller(
    above: ArrayLike, below: ArrayLike, covariance: Floats, level: float, degrees: ArrayLike = inf
) -> Ends:
    """All ratios that the figures, with their covariance (2, 2), do not rule out.

    Where the figure below may be 0 it has no upper end (inf), or, where nothing is ruled out, none at all (NaN).
    Right for ratios of variances and of covariances to them, whose logarithm spreads too much where one is small.
    Source: Fieller 1954, "Some problems in interval estimation".
    """
    x, y = float(np.asarray(above)), float(np.asarray(below))
    square = float(quantile_of_t(degrees, level)) ** 2
    lead = y * y - square * float(covariance[1, 1])
    middle = x * y - square * float(covariance[0, 1])
    root = middle**2 - lead * (x * x - square * float(covariance[0, 0]))
    if not root >= 0:
        return Ends(np.asarray(nan), np.asarray(nan))
    half = float(np.sqrt(root))
    if not lead > 0:
        lowest = (middle - half) / lead if lead < 0 else nan
        return (
            Ends(np.asarray(lowest), np.asarray(inf))
            if x / y >= lowest
            else Ends(np.asarray(nan), np.asarray(nan))
        )
    return Ends(np.asarray((middle - half) / lead), np.asarray((middle + half) / lead))


def wilson(hits: ArrayLike, trials: ArrayLike, level: float = 0.95) -> tuple[Floats, Floats, Floats]:
    """Shares (w,) with Wilson's intervals: (share, low, high), NaN without trials.

    Right for independent trials; it ends at 0 without hits, at 1 without misses. Not for trials that depend on each
    other, such as judgments of one rater: `wilson_of_draws`, `percentiles`.
    Coverage of 95%: over all shares 95% on average from 5 trials on; of shares between 5 and 95%, never below 89%.
    Source: Wilson 1927, "Probable inference, the law of succession, and statistical inference".
    """
    k, n = np.asarray(hits, dtype=np.float64), np.asarray(trials, dtype=np.float64)
    n = np.where(n > 0, n, nan)
    z = float(special.ndtri(0.5 + level / 2))
    share = k / n
    centre = (share + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z * np.sqrt(share * (1 - share) / n + z**2 / (4 * n**2)) / (1 + z**2 / n)
    low, high = np.maximum(centre - half, 0.0), np.minimum(centre + half, 1.0)
    return share, np.where(k == 0, 0 * n, low), np.where(k == n, 0 * n + 1, high)


def wilson_of_draws(value: float, drawn: Floats, trials: int, level: float, units: int) -> Ends:
    """Wilson's interval for a share, with as many trials as the variance of its draws (draws,) is worth.

    m (1 - m) / v independent trials would give shares around m, the draws' mean, their variance v. Right for shares
    near 1 whose draws lie wholly below them, as the accuracy of labels does when votes are drawn anew; and it says
    something of methods that are always right. `trials` count where the draws do not vary.
    Percentiles of the draws covered the accuracy of labels in 0 to 98% of studies, moved to it in 92 to 100%.
    Source: Wilson 1927; Dean and Pagano 2015, "Evaluating confidence interval methods for binomial proportions
    in clustered surveys" (effective sample size).
    """
    if np.isnan(value) or not enough(drawn):
        return Ends(np.asarray(nan), np.asarray(nan))
    known = drawn[~np.isnan(drawn)]
    return wilson_of_variance(
        value, float(known.var(ddof=1)), trials, level, max(units - 1, 1), float(known.mean())
    )


def wilson_of_variance(
    value: float, variance: float, trials: int, level: float, degrees: float, around: float = nan
) -> Ends:
    """Wilson's interval for a share, with as many trials as its variance is worth (as of `around`, itself if NaN).

    Right where a variance over clusters is known, as of the votes of one rater alone. `trials` count where it is 0.
    Source: Dean and Pagano 2015 (effective sample size).
    """
    mean = value if np.isnan(around) else around
    worth = mean * (1 - mean) / variance if variance > _NO_VARIANCE else float(trials)
    worth /= float(for_few(degrees, level)) ** 2
    _, low, high = (float(end) for end in wilson(value * worth, worth, level))
    return Ends(np.asarray(min(low, value)), np.asarray(max(high, value)))


def quantile_of_t(degrees: ArrayLike, level: float) -> Floats:
    """Return how many standard errors (…,) each end is away: Student's t, the normal's where degrees are infinite."""
    of, tail = np.asarray(degrees, dtype=np.float64), 0.5 + level / 2
    return np.where(np.isinf(of), special.ndtri(tail), special.stdtrit(np.where(np.isinf(of), 1.0, of), tail))


def for_few(degrees: ArrayLike, level: float) -> Floats:
    """Student's t over the normal's quantile (…,): what a spread that is itself estimated adds to an interval."""
    return quantile_of_t(degrees, level) / special.ndtri(0.5 + level / 2)


def widened_tails(units: ArrayLike, level: float) -> tuple[Floats, Floats]:
    """Return which percentiles of the draws of (…,) units, two or more each, cover as often as `level` says.

    Draws of n units vary as n - 1 of n would, and a normal curve has no room for a spread that is itself
    estimated: the tail is that of the normal beyond Student's t times sqrt(n / (n - 1)).

    >>> [round(float(tail), 4) for tail in widened_tails(10, 0.95)]
    [0.0086, 0.9914]
    """
    n = np.asarray(units, dtype=np.float64)
    shrunk = np.where(np.isinf(n), 1.0, n / (np.where(np.isinf(n), 2.0, n) - 1))
    far = quantile_of_t(n - 1, level) * np.sqrt(shrunk)
    return special.ndtr(-far), special.ndtr(far)


def enough(drawn: Floats) -> NDArray[np.bool_]:
    """Return whether at least half of the draws (draws, …), and two, are defined."""
    return np.asarray((~np.isnan(drawn)).sum(axis=0) >= max(len(drawn) / 2, 2))


def moved_draws(value: ArrayLike, drawn: Floats, scale: Transform) -> Floats:
    """The draws (draws, …), moved on the scale until their mean is the estimate (…,)."""
    on_scale = scale.forth(drawn)
    return np.asarray(scale.back(on_scale - _mean(on_scale) + scale.forth(np.asarray(value))))


def widened_draws(drawn: Floats, more: ArrayLike, scale: Transform) -> Floats:
    """The draws (draws, …), spread on the scale around their mean until their variance is larger by so much (…,)."""
    on_scale = scale.forth(drawn)
    mean, own = _mean(on_scale), _variance(on_scale)
    factor = np.where(own > 0, np.sqrt(1 + np.asarray(more) / np.where(own > 0, own, 1.0)), 1.0)
    return np.asarray(scale.back(mean + factor * (on_scale - mean)))


def deviation(drawn: Floats) -> Floats:
    """The standard deviation (…,) of the draws, a standard error for `by_error`; NaN where too few are defined."""
    return np.where(enough(drawn), np.sqrt(_variance(drawn)), nan)


def _mean(drawn: Floats) -> Floats:
    known = ~np.isnan(drawn)
    return np.asarray(np.where(known, drawn, 0.0).sum(axis=0) / np.maximum(known.sum(axis=0), 1))


def _variance(drawn: Floats) -> Floats:
    """(…,), NaN for fewer than two draws."""
    known = ~np.isnan(drawn)
    number = known.sum(axis=0)
    squares = (np.where(known, drawn - _mean(drawn), 0.0) ** 2).sum(axis=0)
    return np.where(number > 1, squares / np.maximum(number - 1, 1), nan)


def _quantile(drawn: Floats, share: ArrayLike) -> Floats:
    """Return, of the draws (draws, …) that are defined, the quantile at each share (…,), as `numpy.quantile` has it."""
    if not len(drawn):
        return np.full(drawn.shape[1:], nan)
    ordered = np.sort(drawn, axis=0)
    last = np.maximum((~np.isnan(ordered)).sum(axis=0) - 1, 0)
    at = np.asarray(share) * last
    under = np.floor(at).astype(np.int64)
    over = np.minimum(under + 1, last)
    first, second = (np.take_along_axis(ordered, place[None], axis=0)[0] for place in (under, over))
    return np.asarray(first + (at - under) * (second - first))


def _holding(
    value: Floats, low: Floats, high: Floats, known: NDArray[np.bool_], within: tuple[float, float]
) -> Ends:
    """End on either side of their value and within its limits, NaN where they are not known."""
    known = known & ~np.isnan(value)
    return Ends(
        np.where(known, np.clip(np.minimum(low, value), *within), nan),
        np.where(known, np.clip(np.maximum(high, value), *within), nan),
    )


Z_BOUND = 0.9999
"""Figures closer to -1 and 1 count as these on the scale of z."""


def fisher_z(value: float) -> float:
    """Return z = atanh of a figure, within bounds."""
    return atanh(min(max(value, -Z_BOUND), Z_BOUND))


def fisher_interval(value: float, error: float, n: int, level: float, degrees: float = inf) -> Estimate:
    """A correlation's interval from a standard error on Fisher's z, by the normal or Student's t.

    Source: Fisher 1921.
    """
    if isnan(value):
        return Estimate(nan, n=n, reason="the correlation is undefined")
    if abs(value) >= 1 - 1e-12:
        return Estimate(value, n=n, reason="the correlation is perfect: Fisher's z gives no interval")
    if isnan(error):
        return Estimate(value, n=n, reason=f"too few items for an interval: {n}")
    low, high = by_error(value, error, level, degrees, scale=FISHER)
    return Estimate(value, float(low), float(high), n)
