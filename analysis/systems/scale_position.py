"""Whether standing first helps: Bradley-Terry with ties and a factor on the odds of the system that was shown first.

P(i shown first beats j) = g p_i / (g p_i + p_j + nu sqrt(g p_i p_j)), the tie has the third part: a proportional effect
of the position, alike for all pairs. Davidson and Beaver write the factor on the other side; their tie parameter is
this one times a constant.
"""

from dataclasses import dataclass
from math import nan

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from analysis.systems.bradley_terry import ON, Scale, fit_comparisons
from analysis.systems.covariates import SMALLEST_STEP, chances_of, votes_on
from analysis.systems.paired_comparisons import PairedComparisons
from analysis.values.errors import InputError
from analysis.values.estimate import Estimate
from analysis.values.types import Floats


@dataclass(frozen=True, eq=False)
class PositionEffect:
    """How much standing first helps.

    `factor`: g, by which the odds of the system shown first are multiplied, n = comparisons; undefined with its reason.
    `p` of no effect; `strength` (S,) with the position taken into account, mean 0 over the systems on the scale, NaN
    beyond it; `tie` is nu; `log_likelihood` of these comparisons.
    """

    factor: Estimate
    p: float
    strength: Floats
    tie: float
    log_likelihood: float


def position_effect(
    comparisons: PairedComparisons,
    first_shown: ArrayLike,
    item: ArrayLike,
    rater: ArrayLike | None,
    level: float = 0.95,
) -> PositionEffect:
    """The effect of standing first, with its interval and test, and the strengths without it.

    Parameters
    ----------
    comparisons : N comparisons of S systems
    first_shown : (N,) whether `comparisons.first` stood in first position
    item : (N,) ids of what was judged
    rater : (N,) ids of who judged; None where nobody knows: then over items only
    level : of the interval

    Returns
    -------
    PositionEffect

    Raises
    ------
    InputError
        where lengths differ.

    Notes
    -----
    The effect is one factor for all pairs; where each pair was always shown in one order it cannot be told from
    strength. Interval and test come from the sandwich variance, clustered by items and raters, with Student's t.
    Source: Davidson and Beaver 1977, "On extending the Bradley-Terry model to incorporate within-pair order effects";
    White 1982; Cameron, Gelbach and Miller 2011, section 2.
    """
    shown, items = np.asarray(first_shown, dtype=np.bool_), np.asarray(item)
    raters = np.zeros(len(comparisons)) if rater is None else np.asarray(rater)
    if not len(shown) == len(items) == len(raters) == len(comparisons):
        raise InputError("`first_shown`, `item` and `rater` must be as long as the comparisons")
    scale = fit_comparisons(comparisons)
    on = scale.position == ON
    kept = on[comparisons.first] & on[comparisons.second] if len(comparisons) else np.zeros(0, dtype=np.bool_)
    if not kept.any() or np.isnan(scale.tie):
        return _undefined(scale, "no two systems are on the scale, or all that could tie did")
    votes = votes_on(scale, comparisons, kept, np.where(shown[kept], 1.0, -1.0)[:, None])
    if not votes.told_apart:
        return _undefined(
            scale, "no pair was shown in both orders, so position and strength cannot be separated"
        )
    fitted = votes.maximum(scale)
    if fitted is None:
        return _undefined(scale, "one position won throughout, so that no finite factor fits")
    theta = fitted.theta
    log_factor = float(theta[-2])
    [chance] = chances_of(fitted, items[kept], raters[kept])
    error, half = float(np.sqrt(chance.variance)), nan
    if error > 0:
        half = float(stats.t.ppf((1 + level) / 2, chance.degrees)) * error
    strength = np.full(len(on), nan)
    strength[on] = theta[: votes.systems] - theta[: votes.systems].mean()
    return PositionEffect(
        Estimate(
            float(np.exp(log_factor)),
            float(np.exp(log_factor - half)),
            float(np.exp(log_factor + half)),
            int(kept.sum()),
        ),
        float(2 * stats.t.sf(abs(log_factor) / error, chance.degrees)) if error > 0 else nan,
        strength,
        float(np.exp(theta[-1])) if votes.ties else 0.0,
        fitted.log_likelihood,
    )


def largest_shift(scale: Scale, effect: PositionEffect) -> float:
    """How far a strength moves at most where the position is set aside."""
    return float(np.nanmax(np.abs(scale.strength - effect.strength)))


def same_order(scale: Scale, effect: PositionEffect) -> bool:
    """Whether the systems on the scale keep their order where the position is set aside."""
    on = scale.order[scale.position[scale.order] == ON]
    return bool((np.diff(effect.strength[on]) <= SMALLEST_STEP).all())


def _undefined(scale: Scale, reason: str) -> PositionEffect:
    return PositionEffect(Estimate(nan, reason=reason), nan, np.full(len(scale.systems), nan), nan, nan)
