"""The smallest difference that a study of a given size finds: power asked backwards."""

from dataclasses import replace
from math import inf, nan

import numpy as np
from numpy.typing import ArrayLike

from analysis.planning.difference import DifferencePlan, as_the_app_has_it, degrees
from analysis.planning.pilot import Pilot
from analysis.planning.t_tests import powers_of_t, shares
from analysis.planning.votes import preference_power
from analysis.resampling.intervals import percentiles
from analysis.values.estimate import Estimate
from analysis.values.types import Floats

STEPS = 60
"""Halvings after which two ends are one to rounding."""
LARGEST = 1e4
"""Noncentrality beyond which no test is asked for."""


def detectable_difference(found: Pilot, plan: DifferencePlan, power: float = 0.8) -> Estimate:
    """The smallest difference of two systems that a study of this size finds with a given chance.

    Parameters
    ----------
    found : variances, each with its draws (draws,), or none
    plan : whose own variances and `d` do not count
    power : the chance of finding it

    Returns
    -------
    Estimate
        in points of the scale, with the interval that the pilot's variances leave (NaN without draws), over `n` draws;
        NaN with the pilot's reason, or where raters or items leave no degrees of freedom

    Raises
    ------
    InputError
        where `power` is not between 0 and 1.

    Notes
    -----
    Says nothing of a study's own results: its intervals do (Hoenig and Heisey 2001, "The abuse of power"). The interval
    holds the true difference exactly where that of `power_with_pilot` at this difference holds `power`, draw by draw:
    its coverage is that one's.
    Source: Westfall, Kenny and Judd 2014, solved for the difference.
    """
    shares(power=power)
    if found.reason:
        return Estimate(nan, reason=found.reason)
    here = _smallest(plan, {name: np.array([value]) for name, value in found.estimated.items()}, power)
    if np.isnan(here[0]):
        return Estimate(nan, reason="so few raters or items leave no degrees of freedom")
    drawn = _smallest(plan, {name: np.asarray(values) for name, values in found.drawn.items()}, power)
    low, high = percentiles(here[0], drawn, found.level, within=(0.0, inf)) if len(drawn) else (nan, nan)
    return Estimate(float(here[0]), float(low), float(high), len(drawn))


def detectable_share(
    items: float,
    votes_per_item: float,
    item_sd: float = 0.0,
    power: float = 0.8,
    alpha: float = 0.05,
    comparisons: int = 1,
) -> float:
    """The smallest preference (share of all votes above one half) that a comparison of this size tells from a draw.

    Parameters
    ----------
    items, votes_per_item : in all, and of each
    item_sd : how far the items' own shares differ
    power : the chance of telling it
    alpha, comparisons : risk of a false preference, and over how many pairs (Bonferroni)

    Returns
    -------
    float
        from one half to 1; NaN for one item

    Raises
    ------
    InputError
        where `preference_power` refuses an argument.

    Notes
    -----
    Source: as `preference_power`, solved for the share.
    """
    shares(power=power)
    low, high = 0.5, (1 + np.sqrt(1 - 4 * item_sd**2)) / 2 - 1e-9

    def reached(share: float) -> bool:
        found = preference_power(share, items, votes_per_item, item_sd, alpha=alpha, comparisons=comparisons)
        return bool(found.power >= power)

    if not reached(high):
        return nan
    for _ in range(STEPS):
        between = (low + high) / 2
        low, high = (low, between) if reached(between) else (between, high)
    return float(high)


def spread_of_shares(chosen: ArrayLike, votes: ArrayLike) -> float:
    """How far the items' own shares differ (SD), without what so few votes of each add by chance.

    Parameters
    ----------
    chosen, votes : (items,) votes for one side, and all votes, of each item

    Returns
    -------
    float
        0 where the shares differ no more than by chance; NaN for fewer than 2 items of 2 votes or more

    Notes
    -----
    Moments: the variance of the shares less the mean of p (1 - p) / (n - 1). Source: Cochran 1977, section 10.3
    (two-stage sampling, estimated).

    >>> spread_of_shares([2, 0, 2, 0], [2, 2, 2, 2]), spread_of_shares([1, 1, 1], [2, 2, 2])
    (0.5773502691896257, 0.0)
    """
    k, n = (np.asarray(one, dtype=np.float64) for one in (chosen, votes))
    k, n = k[n >= 2], n[n >= 2]
    if len(n) < 2:
        return nan
    share = k / n
    own = share.var(ddof=1) - (share * (1 - share) / (n - 1)).mean()
    return float(np.sqrt(max(own, 0.0)))


def _smallest(plan: DifferencePlan, variances: dict[str, Floats], power: float) -> Floats:
    """(draws,) differences at which the test has this power."""
    draws = len(next(iter(variances.values()), ()))
    parts = np.array(
        [
            replace(plan, **{name: float(values[at]) for name, values in variances.items()}).parts  # type: ignore[arg-type]
            for at in range(draws)
        ]
    ).reshape(draws, 3)
    df = degrees(plan.layout, plan.numbers, as_the_app_has_it(plan.layout, list(parts.T)))
    power_at = powers_of_t(df, plan.alpha / plan.comparisons)
    low, high = np.zeros(draws), np.full(draws, LARGEST)
    for _ in range(STEPS):
        between = (low + high) / 2
        enough = power_at(between) >= power
        low, high = np.where(enough, low, between), np.where(enough, between, high)
    return np.asarray(np.where(df > 0, 2 * high * np.sqrt(parts.sum(axis=1)), np.nan))
