"""Plans from a pilot: the power, and the smallest difference that a study of a given size finds."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf, nan
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from analysis.items.rating_spread import FEWEST_RATERS, level_degrees
from analysis.planning.difference import DifferencePlan, Numbers, as_the_app_has_it, degrees, powers
from analysis.planning.precision import half_widths, mos_half_width
from analysis.planning.votes import preference_power
from analysis.planning.workloads import powers_of_t, shares
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
"""What each variance of a plan is made of in a pilot where systems meet the same topics, which a plan calls items.

What a rater or topic has with each of two systems is half a slope and half what both share."""
NO_SYSTEMS = "systems have no topics in common, so how much a difference varies with topics is unknown"
NO_RATERS = "systems have no raters in common, so how much a difference varies with raters is unknown"
NO_ITEMS = "each item has one rating, so its variance cannot be separated from the residual"


@dataclass(frozen=True, eq=False)
class Pilot:
    """A plan's variances by name as a pilot has them: `estimated`, and `drawn` (draws,) each, from which ratings like
    these would be as likely to have come. `level` of intervals; without systems that met the same topics a `reason`.
    """

    estimated: Mapping[str, float]
    drawn: Mapping[str, Floats]
    level: float
    reason: str = ""


def pilot(found: Components) -> Pilot:
    """The variances that a plan needs, from those of ratings of several systems on the same topics.

    Parameters
    ----------
    found : of k sources (k + 1,), with their draws, as `analysis.variance_components.components` gives them

    Returns
    -------
    Pilot
        with a reason where the ratings do not tell how far systems' differences vary with raters and topics

    Notes
    -----
    A plan's items are the pilot's topics. Slopes are half of rater × system and of topic × system (a pilot's items,
    where each is one system's answer to a topic); the other half is what conditions share. What the pilot could not
    separate from the rest counts as rest. Where systems met no common topics, `item` and `item_slope` together are
    what items of one system differ by.
    Source: Westfall, Kenny and Judd 2014, appendix (conditions coded -1 and 1); methods, section 8.
    """
    place = {name: at for at, name in enumerate(found.sources)}
    drawn_of = np.maximum(found.drawn, 0.0)
    estimated, drawn = {}, {}
    for name, parts in SOURCES.items():
        held = {place[source]: part for source, part in parts.items() if source in place}
        estimated[name] = float(sum(part * found.counted[at] for at, part in held.items()))
        drawn[name] = sum(
            (part * drawn_of[:, at] for at, part in held.items()), start=np.zeros(len(found.drawn))
        )
    return Pilot(estimated, drawn, found.level, found.reason or unknown(found.sources))


def unknown(sources: Collection[str]) -> str:
    """Return why ratings that tell these sources apart leave a plan's variances open; "" where they do not."""
    if not {SYSTEM, TOPIC} <= set(sources):
        return NO_SYSTEMS
    if TIMES_RATER not in sources:
        return NO_RATERS
    return "" if ITEM in sources else NO_ITEMS


def power_with_pilot(found: Pilot, plan: DifferencePlan) -> Estimate:
    """The power of a plan with a pilot's variances, and how unsure these leave it.

    Parameters
    ----------
    found : of any number of draws, (draws,) each
    plan : whose own variances do not count

    Returns
    -------
    Estimate
        the power, with the interval that the pilot's variances leave, over `n` draws; NaN with the pilot's reason

    Notes
    -----
    `d` is taken as given.
    Source: Weerahandi 1993, "Generalized confidence intervals" (the draws); Westfall, Kenny and Judd 2014.
    """
    (only,) = power_by_items(found, plan, [plan.items])
    return only


def power_by_items(
    found: Pilot, plan: DifferencePlan, items: Sequence[float], most_draws: int | None = None
) -> tuple[Estimate, ...]:
    """`power_with_pilot` of the same plan with each of these numbers of items, at most so many draws each."""
    if found.reason:
        return (Estimate(nan, reason=found.reason),) * len(items)
    drawn = {name: values[:most_draws, None] for name, values in found.drawn.items()}
    estimated = {name: np.array([[value]]) for name, value in found.estimated.items()}
    values = _powers(plan, estimated, items)[0]
    low, high = percentile_interval(values, _powers(plan, drawn, items), found.level, limits=UNIT_INTERVAL)
    n = len(next(iter(drawn.values())))
    return tuple(
        Estimate(float(value), float(one), float(other), n)
        for value, one, other in zip(values, low, high, strict=True)
    )


WITHIN_ITEM = ("residual", "rater", "rater_slope", "rater_item")
"""What ratings of one item differ by."""


def severity(found: Pilot) -> Estimate:
    """The raters' share of what ratings of one item differ by, with what the pilot leaves open; for `icc_half_width`.

    Source: Weerahandi 1993 (the draws).
    """
    one, drawn = (
        np.atleast_1d(
            ratio(
                np.asarray(given["rater"] + given["rater_slope"]),
                np.asarray(sum(given[name] for name in WITHIN_ITEM)),
            )
        )
        for given in (found.estimated, found.drawn)
    )
    if not len(drawn):
        return Estimate(float(one[0]))
    low, high = percentile_interval(one[0], drawn, found.level, limits=UNIT_INTERVAL)
    return Estimate(float(one[0]), float(low), float(high), len(drawn))


def mos_half_widths(found: Pilot, ratings: Sequence[int], raters: float, items: int) -> tuple[Estimate, ...]:
    """`mos_half_width` for each of these numbers of ratings, with what the pilot leaves open.

    The variances are pooled over the study's `items` and its effective number of `raters`: the level of an item for
    other raters from 3 on; below, items as compared by the same raters. NaN for one rating of each item.
    Source: Satterthwaite 1946; Weerahandi 1993 (the draws).
    """
    r = np.asarray(ratings, dtype=np.float64)
    residual_degrees = np.maximum(items * (r - 1) - raters + 1, 1.0)

    def widths(given: Mapping[str, Any]) -> Floats:
        of = {name: np.reshape(values, (-1, 1)) for name, values in given.items()}
        rater, residual = of["rater"] + of["rater_slope"], of["residual"] + of["rater_item"]
        if raters < FEWEST_RATERS:
            rater, degrees = np.zeros_like(rater), residual_degrees
        else:
            degrees = level_degrees(rater, residual, raters, residual_degrees)
        half = mos_half_width(r, np.sqrt(rater + residual), found.level, degrees)
        return np.where(r > 1, half, nan)

    return _with_ends(found, widths(found.estimated)[0], widths(found.drawn))


def system_half_widths(
    found: Pilot,
    raters: int,
    items: Sequence[int],
    ratings_per_item: int,
    loads: Sequence[float] | None = None,
) -> tuple[Estimate, ...]:
    """`system_half_width` for each of these numbers of items, with what the pilot leaves open.

    Source: Weerahandi 1993 (the draws); Owen 2007; Satterthwaite 1946.
    """
    plan = DifferencePlan(
        raters, 2, 0.0, 1.0, 0.0, 0.0, ratings_per_item=ratings_per_item, alpha=1 - found.level, loads=loads
    )
    q, worth = np.asarray(items, dtype=np.float64), _effective(plan, items)

    def widths(given: Mapping[str, Any]) -> Floats:
        of = {name: np.reshape(values, (-1, 1)) for name, values in given.items()}
        parts = (
            (of["rater"] + of["rater_slope"]) / worth,
            (of["item"] + of["item_slope"]) / q,
            (of["residual"] + of["rater_item"]) / (q * plan.per_item),
        )
        return half_widths(plan, Numbers(worth, q, plan.per_item), parts)

    return _with_ends(found, widths(found.estimated)[0], widths(found.drawn))


def _with_ends(found: Pilot, values: Floats, drawn: Floats) -> tuple[Estimate, ...]:
    n = len(next(iter(found.drawn.values()), ()))
    if not n:
        return tuple(Estimate(float(value)) for value in values)
    low, high = percentile_interval(values, drawn, found.level, limits=(0.0, inf))
    return tuple(
        Estimate(float(value), float(one), float(other), n)
        for value, one, other in zip(values, low, high, strict=True)
    )


def _powers(plan: DifferencePlan, variances: Mapping[str, Floats], items: Sequence[float]) -> Floats:
    """(draws, items) the power with variances (draws, 1) each."""
    q = np.asarray(items, dtype=np.float64)
    unit = replace(plan, rater=0.0, item=0.0, rater_item=0.0, residual=0.0, rater_slope=0.0, item_slope=0.0)
    ones: dict[str, Any] = {name: {name: 1.0} for name in variances}
    per = {name: replace(unit, **one).parts for name, one in ones.items()}
    of_raters, of_items, of_rest = (
        sum((variances[name] * per[name][at] for name in variances), start=np.zeros((1, 1)))
        for at in range(3)
    )
    worth = _effective(plan, items)
    parts = of_raters * plan.effective_raters / worth, of_items * plan.items / q, of_rest * plan.items / q
    return powers(plan, Numbers(worth, q, plan.per_item), parts)


def _effective(plan: DifferencePlan, items: Sequence[float]) -> Floats:
    """Return what a plan's raters are worth with each of these numbers of items (q,)."""
    return np.array([plan.effective_of(plan.raters, one, plan.per_item) for one in items])


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
    low, high = (
        percentile_interval(here[0], drawn, found.level, limits=(0.0, inf)) if len(drawn) else (nan, nan)
    )
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
    """Return how far the items' own shares differ (SD), without what so few votes of each add by chance.

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
