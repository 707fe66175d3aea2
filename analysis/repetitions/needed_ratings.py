"""Ratings per item needed for a reliability with raters like these, and what would narrow the answer."""

from dataclasses import dataclass
from math import ceil, exp, inf, log, nan, sqrt
from typing import Literal

import numpy as np

from analysis.agreement.reliability import one_way
from analysis.repetitions.stopping import reliable_between
from analysis.values.errors import InputError
from analysis.values.estimate import Estimate
from analysis.values.ratings import Ratings
from analysis.variance.jackknives import (
    FEW_RATERS,
    Figure,
    Jackknife,
    JackknifeSpread,
    average_repeats,
    jackknife_components,
)

Grade = Literal["plain", "rough", "not enough data"]
FEWEST_PLAIN = 6
"""Raters from which a number is given without calling it rough."""
MOST = 1000
"""Ratings beyond which the upper end says that there are too few raters."""
WIDEST = 4.0
"""Upper end over lower end of the ratings needed, beyond which nobody can plan by them."""
BEYOND = f"these raters leave open more than {MOST:,} ratings per item"
NO_DISAGREEMENT = "raters of an item never disagree, which leaves no interval"


@dataclass(frozen=True)
class Advice:
    """More `raters` or more `items`, and how many in all; None where more of either alone is not enough."""

    more: Literal["raters", "items"]
    number: int | None


@dataclass(frozen=True, eq=False)
class NeededRatings:
    """Ratings per item at which an item's mean reaches a reliability, for raters like these.

    `reliability` of one rating, ICC(C,1) where `crossed` (every rater rated every item), else ICC(1,1); `ratings` with
    infinite ends where no number is enough. `grade` is "rough" below 6 raters; where there is not enough data a
    `reason`. `advice` is what would bring the upper end within four times the lower one, None where it is there.
    """

    reliability: Estimate
    ratings: Estimate
    crossed: bool
    items: int
    raters: int
    grade: Grade
    reason: str = ""
    advice: Advice | None = None


def needed_ratings(
    ratings: Ratings, target: float = 0.8, level: float = 0.95, seed: int = 0
) -> NeededRatings:
    """Estimate the ratings per item that a reliability of an item's mean needs, with raters like these.

    Parameters
    ----------
    ratings : N ratings of n items by w raters; repeats of a rater on an item count once
    target : reliability of the mean, between 0 and 1
    level : of the interval
    seed : of the sample of cells behind the interval

    Returns
    -------
    NeededRatings
        in ratings per item; with fewer than 3 raters or 10 items, or an upper end beyond 1,000, not enough data.

    Raises
    ------
    InputError
        where `target` is not between 0 and 1.

    Notes
    -----
    Answers: how many ratings of each item does the next study need, with other items and other raters of this kind?
    Both ends come from those of the reliability of one rating, by Spearman-Brown. Where raters missed items the
    standard error is that of ICC(A,1), around the value of ICC(1,1).
    Source: Spearman 1910; Brown 1910; Arvesen 1969; Cameron, Gelbach and Miller 2011.

    >>> item, rater = (codes.ravel() for codes in np.indices((12, 6)))
    >>> found = needed_ratings(Ratings(item, rater, item % 5 + 0.5 * rater + (item * (rater + 2)) % 3))
    >>> found.ratings.value, found.ratings.low, found.ratings.high, found.grade
    (1.0, 1.0, 2.0, 'plain')
    """
    if not 0 < target < 1:
        raise InputError(f"`target` must be between 0 and 1, got {target}")
    cells = average_repeats(ratings.item, ratings.rater, ratings.score)
    jackknife = jackknife_components(cells, seed=seed)
    crossed = len(cells.score) == jackknife.items * jackknife.raters
    ratio, undefined = _ratio(Ratings(cells.item, cells.rater, cells.score), jackknife, crossed)
    if undefined:
        one = Estimate(nan, n=jackknife.items, reason=undefined)
        return NeededRatings(
            one, one, crossed, jackknife.items, jackknife.raters, "not enough data", undefined
        )
    figure: Figure = "consistency" if crossed else "agreement"
    one = jackknife.interval_of_icc(ratio / (1 + ratio), ratio, figure, 1, level)
    needed = reliable_between(one, target)
    grade: Grade = "plain" if jackknife.raters >= FEWEST_PLAIN else "rough"
    reason, advice = jackknife.reason, None
    if not reason:
        spread, z = jackknife.spreads[figure], jackknife.z_of(ratio)
        if needed.high > WIDEST * needed.low:
            advice = advise(spread, jackknife.items, jackknife.raters, _wanted(z), level)
        if needed.high > MOST:
            reason = BEYOND
            needed = Estimate(needed.value, needed.low, inf, needed.n, reason)
    elif reason == FEW_RATERS:
        advice = Advice("raters", FEWEST_PLAIN)
    return NeededRatings(
        one,
        needed,
        crossed,
        jackknife.items,
        jackknife.raters,
        "not enough data" if reason else grade,
        reason,
        advice,
    )


def advise(spread: JackknifeSpread, items: int, raters: int, wanted: float, level: float = 0.95) -> Advice:
    """Return what brings the half-width of an interval to the one that is `wanted` on its scale.

    Raters, where at least half of the variance is theirs: more items would change little. The degrees of freedom are
    taken to stay.
    """
    quantile = spread.half_width(level) / sqrt(spread.variance)
    aim = (wanted / quantile) ** 2
    by_raters = spread.raters >= 0.5 * spread.variance
    own, other = (spread.raters, spread.items) if by_raters else (spread.items, spread.raters)
    at_hand = raters if by_raters else items
    number = ceil(at_hand * own / (aim - other)) if aim > other else None
    return Advice("raters" if by_raters else "items", number)


def _wanted(z: float) -> float:
    """Half-width around z that makes the upper end of the ratings needed `WIDEST` times the lower one.

    Ratings needed are in proportion to 1 / (exp(2 z) - 1).
    """
    grown = exp(2 * max(z, 1e-3))
    return 0.5 * log((1 - WIDEST + sqrt((WIDEST - 1) ** 2 + 4 * WIDEST * grown**2)) / (2 * grown))


def _ratio(ratings: Ratings, jackknife: Jackknife, crossed: bool) -> tuple[float, str]:
    """Signal over noise of one rating, or the reason why there is none."""
    if crossed and not np.isnan(jackknife.values).any():
        return float(jackknife.ratios[0]), ""
    components = one_way(ratings)
    if components.reason or not components.within > 0:
        return nan, components.reason or NO_DISAGREEMENT
    return components.between / components.within, ""
