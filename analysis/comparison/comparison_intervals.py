"""Intervals of a comparison's six figures over items and raters: drawn, or analytic where items are many."""

from dataclasses import replace
from math import inf, isnan, nan, sqrt

import numpy as np
from numpy.typing import NDArray

from analysis.comparison.clusters import Clusters, clustered_variance
from analysis.comparison.level_tests import (
    NO_SPREAD,
    concordance_error,
    concordance_gains,
    concordance_of_sums,
    concordance_rows,
    rmse_error,
)
from analysis.comparison.variance_components import TwoWay
from analysis.correlation.rank_rows import midranks, pearson_from_sums, rank_correlations
from analysis.correlation.two_columns import Correlation
from analysis.resampling.intervals import (
    FISHER,
    IDENTITY,
    LOG,
    blocks,
    interval_from_error,
    scaled_percentiles,
    t_quantile,
)
from analysis.resampling.pigeonhole import (
    PigeonholeSamples,
    RatingMatrix,
    pigeonhole_bootstrap,
    two_way_variance,
)
from analysis.values.estimate import BootstrapSpec, Estimate, Floats, OnProgress, thousands
from analysis.values.ratings import settle, settled_steps

Whole = NDArray[np.int64]
FEWEST_FOR_INTERVAL = 5
"""Below this many shared items a resampled interval would mostly repeat one item."""
_SCALES = (FISHER, FISHER, FISHER, FISHER, LOG, IDENTITY)
"""Of Spearman's, Pearson's and Kendall's correlation, Lin's concordance, RMSE and the mean difference."""
_RANKS, _RMSE, _MEAN = (0, 2), 4, 5
_AT_ONCE = 40_000
"""Item means worked on at once: what of them stays in a processor's cache."""


def drawn_intervals(
    mos_candidate: Floats,
    mos_reference: Floats,
    correlations: tuple[Correlation, ...],
    error: TwoWay | None,
    bootstrap: BootstrapSpec,
    over_raters: bool,
    sides: tuple[RatingMatrix, RatingMatrix],
    on_progress: OnProgress,
    clusters: Clusters,
) -> tuple[list[Estimate], str]:
    """The figures of MOS (n,) and (n,) with intervals by the pigeonhole bootstrap of items (and raters), and how."""
    n = len(mos_candidate)
    draws = pigeonhole_bootstrap(*sides, drawn_figures, bootstrap, over_raters, on_progress)
    effects = _effects(mos_candidate, mos_reference, clusters)
    raters = len(sides[0].raters) + len(sides[1].raters)
    figures = []
    for row, bare in enumerate(without_intervals(mos_candidate, mos_reference, correlations)):
        if not bare.defined:
            figures.append(bare)
            continue
        if _perfect(row, bare.value):
            told = "the agreement is perfect, which leaves no room for an interval"
            figures.append(replace(bare, reason=told))
            continue
        if row == _MEAN:
            figures.append(of_difference(bare, error, bootstrap.level))
            continue
        scale = _SCALES[row]
        value = float(scale.forward(bare.value))
        held = _held(draws, row, value, n)
        variance, degrees = two_way_variance(held, row, n, raters, row in _RANKS, effects[row])
        low, high = scaled_percentiles(value, draws.both[row], bootstrap.level, degrees, variance)
        reason = "too many draws leave it undefined" if isnan(low) else ""
        figures.append(Estimate(bare.value, float(scale.inverse(low)), float(scale.inverse(high)), n, reason))
    return figures, _how_drawn(bootstrap, over_raters, bool(sides[1].raters.size), clusters)


def analytic_intervals(
    mos_candidate: Floats,
    mos_reference: Floats,
    correlations: tuple[Correlation, ...],
    error: TwoWay | None,
    by_raters: tuple[float, float],
    level: float,
    over_raters: bool,
    clusters: Clusters,
    taken: int,
) -> tuple[list[Estimate], str]:
    """The figures of MOS (n,) and (n,) with intervals from standard errors, and how they were made.

    `by_raters`: what raters add to the variance of Fisher's z of Pearson's r and of the concordance; it was read off so
    many items as are `taken`, where these are not all.
    """
    *_, concordance, rmse, difference = without_intervals(mos_candidate, mos_reference, correlations)
    # What raters add is known for Pearson's r; ranks are taken to gain as much in proportion.
    of_raters = by_raters[0] * max(len(mos_candidate) - 3, 0)
    effects = [each or (1.0, inf) for each in _effects(mos_candidate, mos_reference, clusters)]
    of_correlations = [
        _widened(correlation.estimate, sqrt(effect + of_raters), level, degrees)
        for correlation, (effect, degrees) in zip(correlations, effects, strict=False)
    ]
    if error is None:
        return [*of_correlations, concordance, rmse, difference], why_no_intervals(len(mos_candidate))
    n = len(mos_candidate)
    of_concordance, degrees = concordance_error(mos_candidate, mos_reference, by_raters[1], clusters.codes)
    low, high = interval_from_error(concordance.value, of_concordance, level, degrees, scale=FISHER)
    concordance = replace(concordance, low=float(low), high=float(high))
    if rmse.value > 0:
        # Raters add to the mean square through the mean difference.
        of_rmse, degrees = rmse_error(
            mos_candidate - mos_reference, 4 * difference.value**2 * error.raters, clusters.codes
        )
        low, high = interval_from_error(rmse.value, of_rmse, level, degrees, scale=LOG)
        rmse = replace(rmse, low=float(low), high=float(high))
    difference = of_difference(difference, error, level)
    over = _over(clusters) + (" and raters" if over_raters else " only")
    of_error = "the delta method" if clusters.codes else "the jackknife"
    return [*of_correlations, concordance, rmse, difference], (
        f"analytic, over {over}: Fisher's z for correlations, Student's t for the mean difference, {of_error} "
        f"for concordance and RMSE{', each with what raters add to the variance' * over_raters}{_read_off(n, taken)}"
    )


def without_intervals(
    mos_candidate: Floats, mos_reference: Floats, correlations: tuple[Correlation, ...]
) -> list[Estimate]:
    """Spearman, Pearson, Kendall, concordance, RMSE and mean difference of MOS (n,) and (n,) without intervals."""
    n = len(mos_candidate)
    bare = [replace(each.estimate, low=nan, high=nan) for each in correlations]
    if n == 0:
        none = Estimate(nan, reason="no item was rated by both sides")
        return [*bare, none, none, none]
    of_both = float(concordance_rows(mos_candidate[None], mos_reference[None])[0])
    concordance = Estimate(
        of_both, n=n, reason="" if of_both == of_both else "all means are equal on both sides"
    )
    difference = mos_candidate - mos_reference
    rmse = float(np.sqrt((difference**2).mean()))
    return [*bare, concordance, Estimate(rmse, n=n), Estimate(float(difference.mean()), n=n)]


def of_difference(difference: Estimate, error: TwoWay | None, level: float) -> Estimate:
    """The mean difference with Student's interval from the two-way variance, the test's own model."""
    if error is None or error.reason or error.error == 0:
        return replace(difference, reason=_why_no_error(error))
    low, high = interval_from_error(difference.value, error.error, level, error.degrees)
    return replace(difference, low=float(low), high=float(high))


def limits_of_agreement(
    difference: Floats, error: TwoWay | None, level: float, clusters: Clusters
) -> tuple[Estimate, Estimate]:
    """The limits (Bland & Altman 1986) between which 95% of the differences (n,) lie, with intervals.

    A limit moves with the mean difference, of which raters are a part, and with the spread of the items. Where
    differences are not normal, as at the end of a scale, what each item adds to a limit counts if it varies more.
    """
    n = len(difference)
    if n < 2:
        none = Estimate(nan, n=n, reason=f"limits of agreement need at least 2 shared items; there are {n}")
        return none, none
    centre, sd, z = float(difference.mean()), float(difference.std(ddof=1)), 1.96
    limits = np.array([centre - z * sd, centre + z * sd])
    if error is None or error.reason or sd == 0:
        reason = NO_SPREAD if sd == 0 else _why_no_error(error)
        lower, upper = (Estimate(limit, n=n, reason=reason) for limit in limits.tolist())
        return lower, upper
    of_mean, of_spread, df = error.error**2, z * z * sd * sd / (2 * (n - 1)), n - 1.0
    if clusters.codes:
        of_spread, df = clustered_variance(z * (difference - centre) ** 2 / (2 * sd), clusters.codes)
    degrees = (of_mean + of_spread) ** 2 / (of_mean**2 / error.degrees + of_spread**2 / df)
    errors = [sqrt(of_mean + of_spread + each) for each in _beyond_normal(difference, z, clusters)]
    low, high = interval_from_error(limits, errors, level, degrees)
    lower, upper = (
        Estimate(*figures, n) for figures in zip(limits.tolist(), low.tolist(), high.tolist(), strict=True)
    )
    return lower, upper


def _beyond_normal(difference: Floats, z: float, clusters: Clusters) -> list[float]:
    """Excess of the variance of either limit over items (n,) over that of normal differences, 0 if smaller."""
    if clusters.codes:
        return [0.0, 0.0]
    n, deviation, sd = len(difference), difference - difference.mean(), float(difference.std(ddof=1))
    normal = sd * sd / n + z * z * sd * sd / (2 * (n - 1))
    gains = (deviation + side * z * (deviation**2 - sd * sd) / (2 * sd) for side in (-1, 1))
    return [max(clustered_variance(each, ())[0] - normal, 0.0) for each in gains]


def why_no_intervals(n: int) -> str:
    """Return why nothing was drawn over n shared items."""
    if n < FEWEST_FOR_INTERVAL:
        return f"intervals and resampling need at least {FEWEST_FOR_INTERVAL} shared items; there are {n}"
    return "no intervals were asked for"


def _why_no_error(error: TwoWay | None) -> str:
    return "it needs at least 2 shared items" if error is None else error.reason or NO_SPREAD


def _effects(x: Floats, y: Floats, clusters: Clusters) -> list[tuple[float, float] | None]:
    """For each of the first five figures of x (n,) and y (n,), how many times as large its variance over what items
    hang on is as that over items, and the degrees of freedom; None where they hang on nothing.

    Of tau the effect is that of rho. Source: Kish 1965, "Survey Sampling", section 8.2 (design effect).
    """
    if not clusters.codes or min(np.ptp(x), np.ptp(y)) == 0:
        return [None] * 5
    of_ranks = _gains_of_r(*midranks(np.stack([x, y])))
    of_figures = of_ranks, _gains_of_r(x, y), of_ranks, concordance_gains(x, y), (x - y) ** 2
    effects: list[tuple[float, float] | None] = []
    for gains, fitted in zip(of_figures, (2, 2, 2, 2, 1), strict=True):
        clustered, degrees = clustered_variance(gains, clusters.codes, fitted)
        over_items, _ = clustered_variance(gains, ())
        effects.append((clustered / over_items if over_items > 0 else 1.0, degrees))
    return effects


def _gains_of_r(x: Floats, y: Floats) -> Floats:
    """Return what each item of (n,) and (n,) adds to their correlation; the delta method."""
    unit_x, unit_y = ((side - side.mean()) / side.std() for side in (x, y))
    r = float((unit_x * unit_y).mean())
    return np.asarray(unit_x * unit_y - r * (unit_x**2 + unit_y**2) / 2)


def _perfect(row: int, value: float) -> bool:
    return value <= 0 if row == _RMSE else row < _RMSE and abs(value) >= 1 - 1e-12


def _widened(estimate: Estimate, factor: float, level: float, degrees: float) -> Estimate:
    """The interval stretched on Fisher's z."""
    if isnan(estimate.low):
        return estimate
    error = (FISHER.forward(estimate.high) - FISHER.forward(estimate.value)) / t_quantile(inf, level)
    low, high = interval_from_error(estimate.value, factor * error, level, degrees, scale=FISHER)
    return replace(estimate, low=float(low), high=float(high))


def drawn_figures(mos_candidate: Floats, mos_reference: Floats) -> Floats:
    """The six figures on their scales, (6, b), of item means (b, n) and (b, n)."""
    means = settle(mos_candidate), settle(mos_reference)
    b, n = mos_candidate.shape
    if b > 1 and all((side == side[0]).all() for side in means):
        # Where each item has one rating, draws of raters leave all means as they are.
        return np.repeat(drawn_figures(mos_candidate[:1], mos_reference[:1]), b, axis=1)
    steps = settled_steps(mos_candidate, means[0]), settled_steps(mos_reference, means[1])
    figures = np.empty((len(_SCALES), b))
    for block in blocks(b, _AT_ONCE // max(n, 1)):
        figures[:, block] = _statistics_of(means[0][block], means[1][block], steps[0][block], steps[1][block])
    return figures


def _statistics_of(
    mos_candidate: Floats, mos_reference: Floats, steps_candidate: Whole, steps_reference: Whole
) -> Floats:
    """The same of settled means, and of these counted in whole steps."""
    present = ~np.isnan(mos_candidate + mos_reference)
    ranks = rank_correlations(steps_candidate, steps_reference, ~present)
    n = present.sum(axis=1)
    x, y = (
        side if present.all() else np.where(present, side, 0.0) for side in (mos_candidate, mos_reference)
    )
    difference = x - y
    mean_x, mean_y = (side.sum(axis=1) / np.maximum(n, 1) for side in (x, y))
    dx, dy = (present * (side - mean[:, None]) for side, mean in ((x, mean_x), (y, mean_y)))
    xx, yy, xy, squares = (
        np.einsum("ij,ij->i", *both) for both in ((dx, dx), (dy, dy), (dx, dy), (difference, difference))
    )
    linear = pearson_from_sums(xx, yy, xy, ~np.isnan(ranks.rho))
    agreement = concordance_of_sums(xx, yy, xy, n * (mean_x - mean_y) ** 2)
    with np.errstate(divide="ignore", invalid="ignore"):
        z = np.arctanh(np.vstack([ranks.rho, linear, ranks.tau, agreement]))
        return np.vstack([z, np.log(squares / n) / 2, difference.sum(axis=1) / n])


def _held(draws: PigeonholeSamples, row: int, value: float, n: int) -> PigeonholeSamples:
    """Draw of a correlation held within six standard errors beyond the estimate: with few items some draws
    repeat three of them, correlate perfectly, and would be infinite on Fisher's z."""
    if row >= _RMSE:
        return draws
    most = abs(value) + 6 / sqrt(n - 3)
    for kind in (draws.both, draws.items, draws.raters, draws.ratings):
        np.clip(kind[row], -most, most, out=kind[row])
    return draws


def _how_drawn(bootstrap: BootstrapSpec, over_raters: bool, rated_reference: bool, clusters: Clusters) -> str:
    told = f"{thousands(bootstrap.draws)} samples, seed {bootstrap.seed}"
    hang = f", as wide as the variance over {_over(clusters)}"
    if not over_raters:
        only = hang if clusters.told else ""
        return f"bootstrap of items only ({told}), centered on the estimate{only}"
    raters = "raters of each group" if rated_reference else "the candidate's raters"
    return f"bootstrap of items and {raters} ({told}), centered on the estimate{hang} and raters"


def _over(clusters: Clusters) -> str:
    return clusters.told if clusters.codes else f"items{f' ({clusters.told})' if clusters.told else ''}"


def _read_off(items: int, taken: int) -> str:
    return "" if taken == items else f" (read off {thousands(taken)} of {thousands(items)} items)"
