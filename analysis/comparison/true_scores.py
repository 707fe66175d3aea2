"""Both sides' agreement without the chance in their means: spread, reliability, ceiling and corrected correlation."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, isinf, isnan, log, nan, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analysis.comparison.true_variances import (
    SideSums,
    Variances,
    cells_of,
    variances,
    variances_of_sums,
)
from analysis.resampling.intervals import by_error, fieller
from analysis.values.codes import coded
from analysis.values.estimate import Estimate
from analysis.values.p_values import student_p
from analysis.values.ratings import Ratings
from analysis.values.types import OnProgress

FEWEST_ITEMS = 5
SHARED = "somebody rated in both groups, so that their errors are not independent"
COLUMN = "the reference is a column of numbers, of which nobody knows how far it repeats"
MANY = "it is worked out from single ratings, which are read with the intervals"
FEW = "fewer than 3 items were rated by two different people on each side"
PERFECT = "the raters agree perfectly, which leaves no room for an interval"
NO_INTERVAL = "too few raters or items, or too small a spread of the items, for an interval"


@dataclass(frozen=True)
class TrueScores:
    """What remains of both sides' agreement without the chance in their means, over the items (`n` of the estimates)
    that two different people rated on each side.

    `spread`: SD of the candidate's true scores over that of the reference's, `spread_p` of its being 1, two-sided;
    `reliability_candidate`, `reliability_reference` of the means; `ceiling`: the correlation of the reference with
    a candidate without error; `corrected`: Pearson's r over the root of both reliabilities, which may exceed 1.
    """

    spread: Estimate
    spread_p: float
    reliability_candidate: Estimate
    reliability_reference: Estimate
    ceiling: Estimate
    corrected: Estimate


def undefined(reason: str) -> TrueScores:
    """Nothing of it, and why."""
    none = Estimate(nan, reason=reason)
    return TrueScores(none, nan, none, none, none, none)


def true_scores(
    candidate: Ratings,
    reference: Ratings,
    items: NDArray[Any],
    clusters: Sequence[NDArray[np.int64]] = (),
    persons: bool = True,
    intervals: bool = True,
    level: float = 0.95,
    seed: int = 0,
    on_progress: OnProgress = None,
) -> TrueScores:
    """Figures of true scores over items (n,), with intervals over these or over what they hang on (n,), and raters.

    Source: Spearman 1904 (correction for attenuation); Shrout & Fleiss 1979 (reliability); Bland & Altman 1999, section
    3.2 (unequal spreads); Fieller 1954 (intervals of ratios).
    """
    if persons and np.intersect1d(coded(candidate.rater)[0], coded(reference.rater)[0]).size:
        return undefined(SHARED)
    sides = cells_of(candidate, items, persons), cells_of(reference, items, persons)
    intervals = intervals and len(items) >= FEWEST_ITEMS
    return _told(variances(sides, len(items), clusters, persons, intervals, seed, on_progress), level)


@dataclass(frozen=True, eq=False)
class SharedSums:
    """Sums of candidate and reference over the items that both rated (n,), where nobody rated an item twice; the raters
    of either; and both sides' ratings of `some` of the items (m,), by which it is looked what raters carry."""

    sums: tuple[SideSums, SideSums]
    raters: tuple[NDArray[Any], NDArray[Any]]
    ratings: tuple[Ratings, Ratings]
    some: NDArray[Any]


def true_scores_of_sums(
    of: SharedSums,
    clusters: Sequence[NDArray[np.int64]] = (),
    persons: bool = True,
    level: float = 0.95,
    seed: int = 0,
    on_progress: OnProgress = None,
) -> TrueScores:
    """As `true_scores`, with intervals, from sums over items (n,) and over raters."""
    if persons and np.intersect1d(*of.raters).size:
        return undefined(SHARED)
    items = len(of.sums[0].count)
    few = cells_of(of.ratings[0], of.some, persons), cells_of(of.ratings[1], of.some, persons)
    found = variances_of_sums(
        of.sums, few, len(of.some), clusters, persons, items >= FEWEST_ITEMS, seed, on_progress
    )
    return _told(found, level)


def _told(found: Variances, level: float) -> TrueScores:
    if not found.items:
        return undefined(FEW)
    of_candidate, of_reference = (_reliability(found, at, level) for at in (0, 1))
    why = "; ".join(
        f"the {name}'s items differ no more than chance within a rating makes them"
        for at, name in enumerate(("candidate", "reference"))
        if not found.values[at] > 0
    )
    spread, p = _spread(found, level) if not why else (Estimate(nan, n=found.items, reason=why), nan)
    return TrueScores(
        spread,
        p,
        of_candidate,
        of_reference,
        _ceiling(of_reference, why.split("; ")[-1]),
        _corrected(found, level) if not why else Estimate(nan, n=found.items, reason=why),
    )


def _reliability(found: Variances, at: int, level: float) -> Estimate:
    """The share of true scores in the variance of one side's means; its interval on the log of the share of chance."""
    true, of_means = float(found.values[at]), float(found.values[3 + at])
    name = ("candidate", "reference")[at]
    if not of_means > 0:
        return Estimate(nan, n=found.items, reason=f"the {name}'s means do not differ")
    chance = 1 - true / of_means
    if abs(chance) < 1e-12:
        return Estimate(1.0, n=found.items, reason=PERFECT)
    if chance < 0:
        return Estimate(nan, n=found.items, reason=f"the {name}'s ratings differ too little to tell chance")
    gradient = np.zeros((1, 5))
    gradient[0, at], gradient[0, 3 + at] = -1 / (chance * of_means), true / (chance * of_means**2)
    covariance, degrees = found.covariance(gradient, np.ones(1))
    low, high = by_error(log(chance), sqrt(covariance[0, 0]), level, degrees)
    return _bounded(1 - chance, 1 - exp(high), 1 - exp(low), found)


def _spread(found: Variances, level: float) -> tuple[Estimate, float]:
    """The ratio of true SDs, with p of equal ones: they agree, as both use the same contrast of variances.

    No more degrees of freedom than the smaller group of raters has: Satterthwaite's take the estimated share of the
    raters in the variance for the true one, and reject up to 17% of equal spreads of ordinal scores.
    """
    candidate, reference = found.values[:2]
    both = np.eye(5)[:2]
    covariance, degrees = found.covariance(both, np.array([1.0, -1.0]))
    degrees = min([degrees, *(of_raters for _, of_raters in found.parts[1:])])
    low, high = fieller(candidate, reference, covariance, level, degrees)
    error = sqrt(covariance[0, 0] - 2 * covariance[0, 1] + covariance[1, 1])
    p = student_p(float(candidate - reference) / error, degrees, "two-sided") if error > 0 else nan
    lower, upper = (sqrt(max(float(end), 0.0)) if not isnan(end) else nan for end in (low, high))
    return _bounded(sqrt(candidate / reference), lower, upper, found), p


def _ceiling(reliability: Estimate, why: str) -> Estimate:
    """The root of the reference's reliability; where that may be less than nothing, no correlation is allowed."""
    if not reliability.value >= 0:
        return Estimate(nan, n=reliability.n, reason=reliability.reason or why)
    low, high = (
        sqrt(max(end, 0.0)) if not isnan(end) else nan for end in (reliability.low, reliability.high)
    )
    return Estimate(sqrt(reliability.value), low, high, reliability.n, reliability.reason)


def _corrected(found: Variances, level: float) -> Estimate:
    """The covariance of both sides' means over the root of both true variances."""
    candidate, reference, together = (float(value) for value in found.values[:3])
    size = sqrt(candidate * reference)
    gradients = np.zeros((2, 5))
    gradients[0, 2] = 1.0
    gradients[1, :2] = size / 2 / candidate, size / 2 / reference
    contrast = np.array([1.0, -together / size])
    covariance, degrees = found.covariance(gradients, contrast)
    low, high = fieller(together, size, covariance, level, degrees)
    if isnan(low) or isinf(high):  # few systems leave the root unsure, and not its ratio to what goes with it
        error = sqrt(float(contrast @ covariance @ contrast)) / size
        low, high = by_error(together / size, error, level, degrees)
    return _bounded(together / size, float(low), float(high), found)


def _bounded(value: float, low: float, high: float, found: Variances) -> Estimate:
    known = not (isnan(low) or isnan(high))
    reason = NO_INTERVAL if found.parts and not known else ""
    return (
        Estimate(value, low, high, found.items, reason)
        if known
        else Estimate(value, n=found.items, reason=reason)
    )
