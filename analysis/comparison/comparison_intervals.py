"""Intervals of a comparison's six figures over items and raters: bootstrap, or analytic for many items."""

from dataclasses import replace
from math import inf, isnan, nan, sqrt

import numpy as np
from numpy.typing import NDArray

from analysis.comparison.clusters import Clusters, clustered_variance
from analysis.comparison.level_tests import (
    NO_SPREAD,
    concordance_error,
    concordance_from_sums,
    concordance_influence,
    concordance_rows,
    rmse_error,
)
from analysis.comparison.variance_components import TwoWayVariance
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
"""Fewest shared items for a bootstrap interval."""
_SCALES = (FISHER, FISHER, FISHER, FISHER, LOG, IDENTITY)
"""Scales of intervals: Spearman, Pearson, Kendall, Lin's concordance, RMSE and the mean difference."""
_RANKS, _RMSE, _MEAN = (0, 2), 4, 5
_BLOCK = 40_000
"""Item means in a block, which fit into the processor's cache."""


def bootstrap_intervals(
    mos_candidate: Floats,
    mos_reference: Floats,
    correlations: tuple[Correlation, ...],
    error: TwoWayVariance | None,
    bootstrap: BootstrapSpec,
    over_raters: bool,
    sides: tuple[RatingMatrix, RatingMatrix],
    on_progress: OnProgress,
    clusters: Clusters,
) -> tuple[list[Estimate], str]:
    """Estimate the six figures of both sides' MOS (n,) by the pigeonhole bootstrap; return also its description."""
    n = len(mos_candidate)
    samples = pigeonhole_bootstrap(*sides, figures_of_samples, bootstrap, over_raters, on_progress)
    effects = _design_effects(mos_candidate, mos_reference, clusters)
    raters = len(sides[0].raters) + len(sides[1].raters)
    figures = []
    for row, bare in enumerate(figures_without_intervals(mos_candidate, mos_reference, correlations)):
        if not bare.defined:
            figures.append(bare)
            continue
        if _is_perfect(row, bare.value):
            reason_perfect = "the agreement is perfect, which leaves no room for an interval"
            figures.append(replace(bare, reason=reason_perfect))
            continue
        if row == _MEAN:
            figures.append(mean_difference_interval(bare, error, bootstrap.level))
            continue
        scale = _SCALES[row]
        value = float(scale.forward(bare.value))
        clipped = _clip_samples(samples, row, value, n)
        variance, degrees = two_way_variance(clipped, row, n, raters, row in _RANKS, effects[row])
        low, high = scaled_percentiles(value, samples.both[row], bootstrap.level, degrees, variance)
        reason = "too many draws leave it undefined" if isnan(low) else ""
        figures.append(Estimate(bare.value, float(scale.inverse(low)), float(scale.inverse(high)), n, reason))
    return figures, _describe_bootstrap(bootstrap, over_raters, bool(sides[1].raters.size), clusters)


def analytic_intervals(
    mos_candidate: Floats,
    mos_reference: Floats,
    correlations: tuple[Correlation, ...],
    error: TwoWayVariance | None,
    by_raters: tuple[float, float],
    level: float,
    over_raters: bool,
    clusters: Clusters,
    sampled: int,
) -> tuple[list[Estimate], str]:
    """The figures of MOS (n,) and (n,) with intervals from standard errors, and how they were made.

    `by_raters`: what raters add to the variance of Fisher's z of Pearson's r and of the concordance; it was read off so
    many items as are `sampled`, where these are not all.
    """
    *_, concordance, rmse, difference = figures_without_intervals(mos_candidate, mos_reference, correlations)
    # The variance due to raters is known for Pearson's r; that of ranks is assumed to be proportional.
    rater_effect = by_raters[0] * max(len(mos_candidate) - 3, 0)
    effects = [each or (1.0, inf) for each in _design_effects(mos_candidate, mos_reference, clusters)]
    intervals = [
        _scale_interval(correlation.estimate, sqrt(effect + rater_effect), level, degrees)
        for correlation, (effect, degrees) in zip(correlations, effects, strict=False)
    ]
    if error is None:
        return [*intervals, concordance, rmse, difference], no_intervals_reason(len(mos_candidate))
    n = len(mos_candidate)
    concordance_se, degrees = concordance_error(mos_candidate, mos_reference, by_raters[1], clusters.codes)
    low, high = interval_from_error(concordance.value, concordance_se, level, degrees, scale=FISHER)
    concordance = replace(concordance, low=float(low), high=float(high))
    if rmse.value > 0:
        # Raters add to the mean square through the mean difference.
        rmse_se, degrees = rmse_error(
            mos_candidate - mos_reference, 4 * difference.value**2 * error.raters, clusters.codes
        )
        low, high = interval_from_error(rmse.value, rmse_se, level, degrees, scale=LOG)
        rmse = replace(rmse, low=float(low), high=float(high))
    difference = mean_difference_interval(difference, error, level)
    units = _describe_units(clusters) + (" and raters" if over_raters else " only")
    method = "the delta method" if clusters.codes else "the jackknife"
    return [*intervals, concordance, rmse, difference], (
        f"analytic, over {units}: Fisher's z for correlations, Student's t for the mean difference, {method} "
        f"for concordance and RMSE{', each with what raters add to the variance' * over_raters}"
        f"{_describe_sample(n, sampled)}"
    )


def figures_without_intervals(
    mos_candidate: Floats, mos_reference: Floats, correlations: tuple[Correlation, ...]
) -> list[Estimate]:
    """Return Spearman, Pearson, Kendall, concordance, RMSE and mean difference of both MOS (n,) without intervals."""
    n = len(mos_candidate)
    bare = [replace(each.estimate, low=nan, high=nan) for each in correlations]
    if n == 0:
        none = Estimate(nan, reason="no item was rated by both sides")
        return [*bare, none, none, none]
    concordance_value = float(concordance_rows(mos_candidate[None], mos_reference[None])[0])
    concordance = Estimate(
        concordance_value,
        n=n,
        reason="" if concordance_value == concordance_value else "all means are equal on both sides",
    )
    difference = mos_candidate - mos_reference
    rmse = float(np.sqrt((difference**2).mean()))
    return [*bare, concordance, Estimate(rmse, n=n), Estimate(float(difference.mean()), n=n)]


def mean_difference_interval(difference: Estimate, error: TwoWayVariance | None, level: float) -> Estimate:
    """Return the mean difference with Student's interval from the two-way variance, as in the test."""
    if error is None or error.reason or error.error == 0:
        return replace(difference, reason=_no_error_reason(error))
    low, high = interval_from_error(difference.value, error.error, level, error.degrees)
    return replace(difference, low=float(low), high=float(high))


def limits_of_agreement(
    difference: Floats, error: TwoWayVariance | None, level: float, clusters: Clusters
) -> tuple[Estimate, Estimate]:
    """Estimate the limits of agreement (Bland & Altman 1986), which contain 95% of the differences (n,).

    The variance of a limit is that of the mean difference, including raters, plus that of the SD over items. If
    differences are not normal, as at the end of a scale, the variance of the items' influence is used if it is larger.
    """
    n = len(difference)
    if n < 2:
        none = Estimate(nan, n=n, reason=f"limits of agreement need at least 2 shared items; there are {n}")
        return none, none
    centre, sd, z = float(difference.mean()), float(difference.std(ddof=1)), 1.96
    limits = np.array([centre - z * sd, centre + z * sd])
    if error is None or error.reason or sd == 0:
        reason = NO_SPREAD if sd == 0 else _no_error_reason(error)
        lower, upper = (Estimate(limit, n=n, reason=reason) for limit in limits.tolist())
        return lower, upper
    mean_variance, spread_variance, df = error.error**2, z * z * sd * sd / (2 * (n - 1)), n - 1.0
    if clusters.codes:
        spread_variance, df = clustered_variance(z * (difference - centre) ** 2 / (2 * sd), clusters.codes)
    degrees = (mean_variance + spread_variance) ** 2 / (
        mean_variance**2 / error.degrees + spread_variance**2 / df
    )
    errors = [
        sqrt(mean_variance + spread_variance + each) for each in _excess_variances(difference, z, clusters)
    ]
    low, high = interval_from_error(limits, errors, level, degrees)
    lower, upper = (
        Estimate(*figures, n) for figures in zip(limits.tolist(), low.tolist(), high.tolist(), strict=True)
    )
    return lower, upper


def _excess_variances(difference: Floats, z: float, clusters: Clusters) -> list[float]:
    """Return the excess variance of each limit over items (n,) compared with normal differences, at least 0."""
    if clusters.codes:
        return [0.0, 0.0]
    n, deviation, sd = len(difference), difference - difference.mean(), float(difference.std(ddof=1))
    normal = sd * sd / n + z * z * sd * sd / (2 * (n - 1))
    influences = (deviation + side * z * (deviation**2 - sd * sd) / (2 * sd) for side in (-1, 1))
    return [max(clustered_variance(each, ())[0] - normal, 0.0) for each in influences]


def no_intervals_reason(n: int) -> str:
    """Return the reason why there are no intervals over n shared items."""
    if n < FEWEST_FOR_INTERVAL:
        return f"intervals and resampling need at least {FEWEST_FOR_INTERVAL} shared items; there are {n}"
    return "no intervals were asked for"


def _no_error_reason(error: TwoWayVariance | None) -> str:
    return "it needs at least 2 shared items" if error is None else error.reason or NO_SPREAD


def _design_effects(x: Floats, y: Floats, clusters: Clusters) -> list[tuple[float, float] | None]:
    """Return the design effects of clusters on the first five figures of x (n,) and y (n,), with degrees of freedom.

    None without clusters. That of rho is used for tau. Source: Kish 1965, "Survey Sampling", section 8.2.
    """
    if not clusters.codes or min(np.ptp(x), np.ptp(y)) == 0:
        return [None] * 5
    rank_influence = _influence_on_r(*midranks(np.stack([x, y])))
    influences = (
        rank_influence,
        _influence_on_r(x, y),
        rank_influence,
        concordance_influence(x, y),
        (x - y) ** 2,
    )
    effects: list[tuple[float, float] | None] = []
    for influence, parameters in zip(influences, (2, 2, 2, 2, 1), strict=True):
        clustered, degrees = clustered_variance(influence, clusters.codes, parameters)
        item_variance, _ = clustered_variance(influence, ())
        effects.append((clustered / item_variance if item_variance > 0 else 1.0, degrees))
    return effects


def _influence_on_r(x: Floats, y: Floats) -> Floats:
    """Return the influence of each item (n,) on the correlation, by the delta method."""
    unit_x, unit_y = ((side - side.mean()) / side.std() for side in (x, y))
    r = float((unit_x * unit_y).mean())
    return np.asarray(unit_x * unit_y - r * (unit_x**2 + unit_y**2) / 2)


def _is_perfect(row: int, value: float) -> bool:
    return value <= 0 if row == _RMSE else row < _RMSE and abs(value) >= 1 - 1e-12


def _scale_interval(estimate: Estimate, factor: float, level: float, degrees: float) -> Estimate:
    """Multiply the half-width of the interval on Fisher's z by a factor."""
    if isnan(estimate.low):
        return estimate
    error = (FISHER.forward(estimate.high) - FISHER.forward(estimate.value)) / t_quantile(inf, level)
    low, high = interval_from_error(estimate.value, factor * error, level, degrees, scale=FISHER)
    return replace(estimate, low=float(low), high=float(high))


def figures_of_samples(mos_candidate: Floats, mos_reference: Floats) -> Floats:
    """Compute the six figures on their scales (6, b) from both sides' item means (b, n)."""
    means = settle(mos_candidate), settle(mos_reference)
    b, n = mos_candidate.shape
    if b > 1 and all((side == side[0]).all() for side in means):
        # If each item has one rating, resampling raters changes no mean.
        return np.repeat(figures_of_samples(mos_candidate[:1], mos_reference[:1]), b, axis=1)
    steps = settled_steps(mos_candidate, means[0]), settled_steps(mos_reference, means[1])
    figures = np.empty((len(_SCALES), b))
    for block in blocks(b, _BLOCK // max(n, 1)):
        figures[:, block] = _transformed_figures(
            means[0][block], means[1][block], steps[0][block], steps[1][block]
        )
    return figures


def _transformed_figures(
    mos_candidate: Floats, mos_reference: Floats, steps_candidate: Whole, steps_reference: Whole
) -> Floats:
    """Compute the figures from settled means, and from these in whole steps for ranks."""
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
    agreement = concordance_from_sums(xx, yy, xy, n * (mean_x - mean_y) ** 2)
    with np.errstate(divide="ignore", invalid="ignore"):
        z = np.arctanh(np.vstack([ranks.rho, linear, ranks.tau, agreement]))
        return np.vstack([z, np.log(squares / n) / 2, difference.sum(axis=1) / n])


def _clip_samples(samples: PigeonholeSamples, row: int, value: float, n: int) -> PigeonholeSamples:
    """Clip the samples of a correlation at six standard errors beyond the estimate.

    Some samples of few items have a perfect correlation, which is infinite on Fisher's z.
    """
    if row >= _RMSE:
        return samples
    largest = abs(value) + 6 / sqrt(n - 3)
    for kind in (samples.both, samples.items, samples.raters, samples.ratings):
        np.clip(kind[row], -largest, largest, out=kind[row])
    return samples


def _describe_bootstrap(
    bootstrap: BootstrapSpec, over_raters: bool, rated_reference: bool, clusters: Clusters
) -> str:
    settings = f"{thousands(bootstrap.draws)} samples, seed {bootstrap.seed}"
    width = f", as wide as the variance over {_describe_units(clusters)}"
    if not over_raters:
        suffix = width if clusters.description else ""
        return f"bootstrap of items only ({settings}), centered on the estimate{suffix}"
    raters = "raters of each group" if rated_reference else "the candidate's raters"
    return f"bootstrap of items and {raters} ({settings}), centered on the estimate{width} and raters"


def _describe_units(clusters: Clusters) -> str:
    return (
        clusters.description
        if clusters.codes
        else f"items{f' ({clusters.description})' if clusters.description else ''}"
    )


def _describe_sample(items: int, sampled: int) -> str:
    return "" if sampled == items else f" (read off {thousands(sampled)} of {thousands(items)} items)"
