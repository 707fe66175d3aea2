"""Plans from a pilot: the power, and the smallest difference that a study of a given size finds."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf, nan
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from analysis.items.rating_spread import FEWEST_RATERS, level_degrees
from analysis.planning.difference import (
    DifferencePlan,
    Numbers,
    halve_slopes_as_in_app,
    plan_powers,
    satterthwaite_degrees,
)
from analysis.planning.precision import half_widths, mos_half_width
from analysis.planning.votes import preference_power
from analysis.planning.workloads import check_shares, t_test_power_function
from analysis.resampling.intervals import UNIT_INTERVAL, percentile_interval
from analysis.values.estimate import Estimate, Floats
from analysis.values.ratings import ratio
from analysis.variance.components import Components
from analysis.variance.sources import BY, ITEM, RATER, REST, SYSTEM, TOPIC

TIMES_RATER = SYSTEM + BY + RATER
SOURCES: dict[str, dict[str, float]] = {
    "residual": {REST: 1, ITEM + BY + RATER: 1},
    "rater_slope": {TIMES_RATER: 0.5},
    "item_slope": {ITEM: 0.5, SYSTEM + BY + TOPIC: 0.5},
    "rater": {RATER: 1, TIMES_RATER: 0.5},
    "item": {TOPIC: 1, ITEM: 0.5, SYSTEM + BY + TOPIC: 0.5},
    "rater_item": {TOPIC + BY + RATER: 1},
}
"""Variance sources of a pilot that make up each variance of a plan; a plan's items are the pilot's topics.

Half of an interaction with systems belongs to the slope, half to the main effect of two systems."""
NO_SYSTEMS = "systems have no topics in common, so how much a difference varies with topics is unknown"
NO_RATERS = "systems have no raters in common, so how much a difference varies with raters is unknown"
NO_ITEMS = "each item has one rating, so its variance cannot be separated from the residual"


@dataclass(frozen=True, eq=False)
class Pilot:
    """Variances of a plan by name, from a pilot: `estimated`, and generalized samples `drawn` (draws,) of each.
    `level` of intervals; a `reason` where systems have no common topics."""

    estimated: Mapping[str, float]
    drawn: Mapping[str, Floats]
    level: float
    reason: str = ""

    @property
    def without_draws(self) -> "Pilot":
        """The same estimates, as if they were known without uncertainty."""
        return replace(self, drawn={name: values[:0] for name, values in self.drawn.items()})


def pilot(found: Components) -> Pilot:
    """Convert variance components of several systems on the same topics to the variances of a plan.

    Parameters
    ----------
    found : components of k sources (k + 1,) with their draws, from `analysis.variance_components.components`

    Returns
    -------
    Pilot
        with a reason where the variances of systems' differences over raters and topics are not estimable

    Notes
    -----
    A plan's items are the pilot's topics. Slopes are half of rater × system and of topic × system (a pilot's items,
    where each is one system's answer to a topic); the other half is common to the conditions. Sources that the pilot
    could not separate count as residual. Without common topics, `item` and `item_slope` together are the variance of
    items within a system.
    Source: Westfall, Kenny and Judd 2014, appendix (conditions coded -1 and 1); methods, section 8.
    """
    index = {name: i for i, name in enumerate(found.sources)}
    nonnegative_draws = np.maximum(found.drawn, 0.0)
    estimated, draws = {}, {}
    for name, parts in SOURCES.items():
        present = {index[source]: part for source, part in parts.items() if source in index}
        estimated[name] = float(sum(part * found.counted[i] for i, part in present.items()))
        draws[name] = sum(
            (part * nonnegative_draws[:, i] for i, part in present.items()),
            start=np.zeros(len(found.drawn)),
        )
    return Pilot(estimated, draws, found.level, found.reason or undetermined_reason(found.sources))


def undetermined_reason(sources: Collection[str]) -> str:
    """Return why these separated sources do not determine a plan's variances; "" where they do."""
    if not {SYSTEM, TOPIC} <= set(sources):
        return NO_SYSTEMS
    if TIMES_RATER not in sources:
        return NO_RATERS
    return "" if ITEM in sources else NO_ITEMS


def power_with_pilot(found: Pilot, plan: DifferencePlan) -> Estimate:
    """Return the power of a plan with a pilot's variances, with an interval for their uncertainty.

    Parameters
    ----------
    found : with any number of draws, (draws,) each
    plan : its own variances are ignored

    Returns
    -------
    Estimate
        the power, with its interval given the uncertainty of the variances, over `n` draws; NaN with the pilot's reason

    Notes
    -----
    `d` is fixed.
    Source: Weerahandi 1993, "Generalized confidence intervals" (the draws); Westfall, Kenny and Judd 2014.
    """
    (estimate,) = power_by_items(found, plan, [plan.items])
    return estimate


def power_by_items(
    pilot: Pilot, plan: DifferencePlan, items: Sequence[float], most_draws: int | None = None
) -> tuple[Estimate, ...]:
    """Return `power_with_pilot` of a plan with each of these numbers of items, with at most this many draws."""
    if pilot.reason:
        return (Estimate(nan, reason=pilot.reason),) * len(items)
    draws = {name: values[:most_draws, None] for name, values in pilot.drawn.items()}
    estimated = {name: np.array([[value]]) for name, value in pilot.estimated.items()}
    values = _powers_by_items(plan, estimated, items)[0]
    low, high = percentile_interval(
        values, _powers_by_items(plan, draws, items), pilot.level, limits=UNIT_INTERVAL
    )
    n = len(next(iter(draws.values())))
    return tuple(
        Estimate(float(value), float(lower), float(upper), n)
        for value, lower, upper in zip(values, low, high, strict=True)
    )


WITHIN_ITEM_VARIANCES = ("residual", "rater", "rater_slope", "rater_item")
"""Variances of the ratings of one item."""


def severity(pilot: Pilot) -> Estimate:
    """Return the raters' share of the variance of ratings of one item, with its interval; for `icc_half_width`.

    Source: Weerahandi 1993 (the draws).
    """
    value, draws = (
        np.atleast_1d(
            ratio(
                np.asarray(variances["rater"] + variances["rater_slope"]),
                np.asarray(sum(variances[name] for name in WITHIN_ITEM_VARIANCES)),
            )
        )
        for variances in (pilot.estimated, pilot.drawn)
    )
    if not len(draws):
        return Estimate(float(value[0]))
    low, high = percentile_interval(value[0], draws, pilot.level, limits=UNIT_INTERVAL)
    return Estimate(float(value[0]), float(low), float(high), len(draws))


def mos_half_widths(pilot: Pilot, ratings: Sequence[int], raters: float, items: int) -> tuple[Estimate, ...]:
    """Return `mos_half_width` for each of these numbers of ratings, with intervals for the uncertainty of the
    variances.

    The variances are pooled over the study's `items` and its effective number of `raters`: for other raters from 3
    raters, else for comparisons of items by the same raters. NaN for one rating per item.
    Source: Satterthwaite 1946; Weerahandi 1993 (the draws).
    """
    r = np.asarray(ratings, dtype=np.float64)
    residual_degrees = np.maximum(items * (r - 1) - raters + 1, 1.0)

    def widths(variances: Mapping[str, Any]) -> Floats:
        columns = {name: np.reshape(values, (-1, 1)) for name, values in variances.items()}
        rater, residual = (
            columns["rater"] + columns["rater_slope"],
            columns["residual"] + columns["rater_item"],
        )
        if raters < FEWEST_RATERS:
            rater, satterthwaite_degrees = np.zeros_like(rater), residual_degrees
        else:
            satterthwaite_degrees = level_degrees(rater, residual, raters, residual_degrees)
        half_width = mos_half_width(r, np.sqrt(rater + residual), pilot.level, satterthwaite_degrees)
        return np.where(r > 1, half_width, nan)

    return _interval_estimates(pilot, widths(pilot.estimated)[0], widths(pilot.drawn))


def system_half_widths(
    pilot: Pilot,
    raters: int,
    items: Sequence[int],
    ratings_per_item: int,
    loads: Sequence[float] | None = None,
) -> tuple[Estimate, ...]:
    """Return `system_half_width` for each of these numbers of items, with intervals for the uncertainty of the
    variances.

    Source: Weerahandi 1993 (the draws); Owen 2007; Satterthwaite 1946.
    """
    plan = DifferencePlan(
        raters, 2, 0.0, 1.0, 0.0, 0.0, ratings_per_item=ratings_per_item, alpha=1 - pilot.level, loads=loads
    )
    q, effective = np.asarray(items, dtype=np.float64), _effective_raters(plan, items)

    def widths(variances: Mapping[str, Any]) -> Floats:
        columns = {name: np.reshape(values, (-1, 1)) for name, values in variances.items()}
        parts = (
            (columns["rater"] + columns["rater_slope"]) / effective,
            (columns["item"] + columns["item_slope"]) / q,
            (columns["residual"] + columns["rater_item"]) / (q * plan.per_item),
        )
        return half_widths(plan, Numbers(effective, q, plan.per_item), parts)

    return _interval_estimates(pilot, widths(pilot.estimated)[0], widths(pilot.drawn))


def _interval_estimates(pilot: Pilot, values: Floats, draws: Floats) -> tuple[Estimate, ...]:
    n = len(next(iter(pilot.drawn.values()), ()))
    if not n:
        return tuple(Estimate(float(value)) for value in values)
    low, high = percentile_interval(values, draws, pilot.level, limits=(0.0, inf))
    return tuple(
        Estimate(float(value), float(lower), float(upper), n)
        for value, lower, upper in zip(values, low, high, strict=True)
    )


def _powers_by_items(plan: DifferencePlan, variances: Mapping[str, Floats], items: Sequence[float]) -> Floats:
    """Return the power (draws, items) with variances (draws, 1) each."""
    q = np.asarray(items, dtype=np.float64)
    zero_plan = replace(
        plan, rater=0.0, item=0.0, rater_item=0.0, residual=0.0, rater_slope=0.0, item_slope=0.0
    )
    ones: dict[str, Any] = {name: {name: 1.0} for name in variances}
    unit_parts = {name: replace(zero_plan, **one).parts for name, one in ones.items()}
    rater_part, item_part, residual_part = (
        sum((variances[name] * unit_parts[name][at] for name in variances), start=np.zeros((1, 1)))
        for at in range(3)
    )
    effective = _effective_raters(plan, items)
    parts = (
        rater_part * plan.effective_raters / effective,
        item_part * plan.items / q,
        residual_part * plan.items / q,
    )
    return plan_powers(plan, Numbers(effective, q, plan.per_item), parts)


def _effective_raters(plan: DifferencePlan, items: Sequence[float]) -> Floats:
    """Return the effective number of a plan's raters for each of these numbers of items (q,)."""
    return np.array([plan.effective_raters_of(plan.raters, one, plan.per_item) for one in items])


BISECTION_STEPS = 60
"""Number of bisection steps to reach rounding error."""
LARGEST_NONCENTRALITY = 1e4
"""Largest noncentrality that is searched."""


def detectable_difference(found: Pilot, plan: DifferencePlan, power: float = 0.8) -> Estimate:
    """Return the smallest difference of two systems that a study of this size finds with a given power.

    Parameters
    ----------
    found : variances, each with its draws (draws,), or none
    plan : its own variances and `d` are ignored
    power : probability of finding the difference

    Returns
    -------
    Estimate
        in points of the scale, with its interval given the uncertainty of the variances (NaN without draws), over `n`
        draws; NaN with the pilot's reason, or without degrees of freedom for raters or items

    Raises
    ------
    InputError
        where `power` is not between 0 and 1.

    Notes
    -----
    For planning only; a study's own results need its intervals (Hoenig and Heisey 2001, "The abuse of power"). The
    interval inverts that of `power_with_pilot` draw by draw, so that both have the same coverage.
    Source: Westfall, Kenny and Judd 2014, solved for the difference.
    """
    check_shares(power=power)
    if found.reason:
        return Estimate(nan, reason=found.reason)
    value = _smallest_differences(
        plan, {name: np.array([value]) for name, value in found.estimated.items()}, power
    )
    if np.isnan(value[0]):
        return Estimate(nan, reason="so few raters or items leave no degrees of freedom")
    draws = _smallest_differences(
        plan, {name: np.asarray(values) for name, values in found.drawn.items()}, power
    )
    low, high = (
        percentile_interval(value[0], draws, found.level, limits=(0.0, inf)) if len(draws) else (nan, nan)
    )
    return Estimate(float(value[0]), float(low), float(high), len(draws))


def detectable_share(
    items: float,
    votes_per_item: float,
    item_sd: float = 0.0,
    power: float = 0.8,
    alpha: float = 0.05,
    comparisons: int = 1,
) -> float:
    """Return the smallest preference (share of all votes above one half) that a comparison of this size detects.

    Parameters
    ----------
    items, votes_per_item : number of items, and of votes on each
    item_sd : standard deviation of the items' own shares
    power : probability of detecting it
    alpha, comparisons : significance level and number of pairs (Bonferroni)

    Returns
    -------
    float
        from one half to 1; NaN for one item

    Raises
    ------
    InputError
        where `preference_power` rejects an argument.

    Notes
    -----
    Source: as `preference_power`, solved for the share.
    """
    check_shares(power=power)
    low, high = 0.5, (1 + np.sqrt(1 - 4 * item_sd**2)) / 2 - 1e-9

    def has_power(share: float) -> bool:
        found = preference_power(share, items, votes_per_item, item_sd, alpha=alpha, comparisons=comparisons)
        return bool(found.power >= power)

    if not has_power(high):
        return nan
    for _ in range(BISECTION_STEPS):
        middle = (low + high) / 2
        low, high = (low, middle) if has_power(middle) else (middle, high)
    return float(high)


def spread_of_shares(chosen: ArrayLike, votes: ArrayLike) -> float:
    """Return the standard deviation of the items' own shares, without the sampling variance of their votes.

    Parameters
    ----------
    chosen, votes : (items,) votes for one side, and all votes, of each item

    Returns
    -------
    float
        0 where the shares differ no more than by chance; NaN for fewer than 2 items of 2 votes or more

    Notes
    -----
    Moments: the variance of the shares minus the mean of p (1 - p) / (n - 1). Source: Cochran 1977, section 10.3
    (two-stage sampling, estimated).

    >>> spread_of_shares([2, 0, 2, 0], [2, 2, 2, 2]), spread_of_shares([1, 1, 1], [2, 2, 2])
    (0.5773502691896257, 0.0)
    """
    k, n = (np.asarray(one, dtype=np.float64) for one in (chosen, votes))
    k, n = k[n >= 2], n[n >= 2]
    if len(n) < 2:
        return nan
    share = k / n
    variance = share.var(ddof=1) - (share * (1 - share) / (n - 1)).mean()
    return float(np.sqrt(max(variance, 0.0)))


def _smallest_differences(plan: DifferencePlan, variances: dict[str, Floats], power: float) -> Floats:
    """Return the differences (draws,) at which the test has this power."""
    draws = len(next(iter(variances.values()), ()))
    parts = np.array(
        [
            replace(plan, **{name: float(values[at]) for name, values in variances.items()}).parts  # type: ignore[arg-type]
            for at in range(draws)
        ]
    ).reshape(draws, 3)
    df = satterthwaite_degrees(plan.layout, plan.numbers, halve_slopes_as_in_app(plan.layout, list(parts.T)))
    power_at = t_test_power_function(df, plan.alpha / plan.comparisons)
    low, high = np.zeros(draws), np.full(draws, LARGEST_NONCENTRALITY)
    for _ in range(BISECTION_STEPS):
        midpoint = (low + high) / 2
        has_power = power_at(midpoint) >= power
        low, high = np.where(has_power, low, midpoint), np.where(has_power, midpoint, high)
    return np.asarray(np.where(df > 0, 2 * high * np.sqrt(parts.sum(axis=1)), np.nan))
