"""Bradley-Terry with ties and what else differs between the two outputs of a comparison: their length, their style.

The distance of i shown with a count x and j shown with y is strength_i - strength_j + b (x - y) / (x + y); chances
follow from it as without (`analysis.systems.bradley_terry`). Everything is summed without a row of systems for
each comparison, so that millions of them fit.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from math import nan
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special, stats

from analysis.resampling.carried import NO_VARIANCE, VarianceEstimate, add_variances
from analysis.systems.bradley_terry import (
    ON,
    Scale,
    expected_share,
    fit_comparisons,
    inverse,
    outcome_chances,
)
from analysis.systems.clustered_intervals import Additions, between, read_off, two_ways, worth
from analysis.systems.rankings import FIRST, TIE, PairedComparisons, coded
from analysis.systems.scale_intervals import ScaleIntervals, strengths, without
from analysis.values.estimate import BootstrapSpec, Codes, Estimate, Flags, Floats, InputError
from analysis.values.ratings import coded as values_coded

MOST_STEPS = 100
SMALLEST_STEP = 1e-9
BOUND = 15.0
"""A coefficient beyond which only an infinite one would fit."""
FEW = 6
"""Raters below which they alone leave degrees of freedom: what so few carry is often estimated as 0."""
_NEW = 1e-9
"""The share of a covariate's squares that systems and other covariates must leave for it to be told from them."""


@dataclass(frozen=True, eq=False)
class StyleEffects:
    """Effects of style, and the systems without it.

    `names` (c,) of the covariates; `effect` (c,) on the log odds per standard deviation of the covariate, n =
    comparisons; `twice` (c,) the chance of an output with twice the count to win, of two equally strong systems and
    where there is no tie; `p` (c,) of no effect; `adjusted` the scale with style taken into account, with its
    `intervals`; `plain` without, of the same comparisons; `known` (N,) which comparisons these are: those with all
    values; `reason` says why all is NaN.
    """

    names: tuple[str, ...]
    effect: tuple[Estimate, ...]
    twice: tuple[Estimate, ...]
    p: Floats
    adjusted: Scale
    intervals: ScaleIntervals
    plain: Scale
    known: Flags
    reason: str = ""

    @property
    def strength(self) -> tuple[Estimate, ...]:
        """Strength of each system (S,), with style taken into account; mean 0 over the systems on the scale."""
        return strengths(self.adjusted, self.intervals)

    @property
    def left_out(self) -> int:
        """Return how many comparisons lack a value."""
        return int((~self.known).sum())


def style_effects(
    comparisons: PairedComparisons,
    style: Mapping[str, tuple[ArrayLike, ArrayLike]],
    item: ArrayLike,
    rater: ArrayLike | None,
    spec: BootstrapSpec | None = None,
) -> StyleEffects:
    """Effects of the outputs' length and other counts of style on the odds of being chosen, and strengths without it.

    Parameters
    ----------
    comparisons : N comparisons of S systems
    style : name -> counts (N,) of the first and (N,) of the second system's output, 0 or more, NaN where not known
    item : (N,) ids of what was judged
    rater : (N,) ids of who judged; None where nobody knows: then over items only
    spec : level, and draws and seed of the normal deviates that adjust for all pairs at once

    Returns
    -------
    StyleEffects
        undefined with its reason where a covariate cannot be separated from the systems, or only an infinite one fits.

    Raises
    ------
    InputError
        where lengths differ, a value is negative, or no covariate is given.

    Notes
    -----
    Not whether length is bad: where better systems write more for good reasons, the adjusted strengths take that from
    them. A covariate is the difference of both counts over their sum, 0 where both are 0, divided by its root mean
    square: its standard deviation around no difference, so that exchanging the sides changes nothing (the arena divides
    by the one around the mean). Intervals come from the sandwich variance, clustered by items and raters, with
    Student's t.
    Source: Chiang et al. 2024, "Chatbot Arena", and its style control (covariates); Davidson 1970 (ties); White 1982;
    Cameron, Gelbach and Miller 2011, section 2.

    >>> from analysis.systems.rankings import compared
    >>> games = compared(["a", "b"] * 4, ["b", "a"] * 4, [0, 0, 1, 1, 1, 0, 1, 1])
    >>> length = [90, 80, 70, 20, 30, 60, 10, 35], [40, 70, 20, 60, 80, 50, 30, 90]
    >>> style_effects(games, {"length": length}, range(8), None).effect[0].value > 0
    True
    """
    spec = spec or BootstrapSpec()
    items, raters = coded(comparisons, item, rater)
    gaps, logs = _gaps(style, len(comparisons))
    known = np.logical_and.reduce(np.isfinite(gaps), axis=1)
    there, items, raters = comparisons.of(known), items[known], raters[known]
    scale = fit_comparisons(there)
    names = tuple(style)

    def undefined(reason: str) -> StyleEffects:
        nothing = (Estimate(nan, n=len(there), reason=reason),) * len(names)
        none = without(scale, spec, reason)
        return StyleEffects(
            names, nothing, nothing, np.full(len(names), nan), scale, none, scale, known, reason
        )

    if not known.any():
        return undefined("no comparison has a number of both outputs")
    on = scale.position == ON
    kept = on[there.first] & on[there.second]
    if not kept.any() or np.isnan(scale.tie):
        return undefined("no two systems are on the scale, or all that could tie did")
    unit = np.sqrt((gaps[known] ** 2).mean(axis=0))
    votes = votes_on(scale, there, kept, (gaps[known] / np.where(unit > 0, unit, 1))[kept])
    # a gap of two systems' own lengths is no difference of theirs, but that of its logarithm is
    if not votes.is_identified or not votes_on(scale, there, kept, logs[known][kept]).is_identified:
        return undefined("style differs only as the systems do, so the two cannot be separated")
    fitted = votes.maximum(scale)
    if fitted is None:
        return undefined("style decided throughout, so that no finite effect fits")
    theta = fitted.theta
    k, c, items, raters = votes.systems, len(names), items[kept], raters[kept]
    strength = np.full(len(on), nan)
    strength[on] = theta[:k] - theta[:k].mean()
    tie = float(np.exp(theta[-1])) if votes.ties else 0.0
    adjusted = replace(
        scale,
        strength=strength,
        chance=expected_share(strength, tie),
        tie=tie,
        log_likelihood=fitted.log_likelihood,
    )
    if items.max() < 1:
        intervals = without(adjusted, spec, "there is only one item, so intervals over items are undefined")
        error, degrees = np.full(c, nan), np.ones(c)
    else:
        places = np.append(np.arange(k), k + c)
        sums = two_ways(fitted.slopes, items, raters, k - 1 + c + votes.ties, votes.weight)
        spread = between(fitted.variance, sums, places)
        intervals = read_off(adjusted, np.flatnonzero(on), spread, spec, raters.max() > 0)
        chance = chances_of(fitted, items, raters)
        error = np.sqrt([each.variance for each in chance])
        degrees = np.array([each.degrees for each in chance])
    value, half = theta[k : k + c], stats.t.ppf((1 + spec.level) / 2, degrees) * error
    p = np.full(c, nan)
    some = error > 0
    p[some] = 2 * stats.t.sf(np.abs(value[some]) / error[some], degrees[some])
    ends = np.stack([value, value - half, value + half], axis=1)
    of_twice = special.expit(ends / (3 * unit[:, None]))  # twice the count: (2 - 1) / (2 + 1)
    effect, twice = (
        tuple(Estimate(value, low, high, len(items)) for value, low, high in figures.tolist())
        for figures in (ends, of_twice)
    )
    return StyleEffects(names, effect, twice, p, adjusted, intervals, scale, known)


def _gaps(style: Mapping[str, tuple[ArrayLike, ArrayLike]], n: int) -> tuple[Floats, Floats]:
    """Return for each covariate (N, c) the difference of both counts over their sum, NaN where one is not known, and
    that of their logarithms."""
    if not style:
        raise InputError("`style` must hold at least one pair of columns")
    gaps, logs = [], []
    for name, both in style.items():
        first, second = (np.asarray(side, dtype=np.float64) for side in both)
        if first.shape != (n,) or second.shape != (n,):
            raise InputError(
                f"`{name}` must hold {n} numbers for each side, got {first.shape} and {second.shape}"
            )
        if (first < 0).any() or (second < 0).any():
            raise InputError(f"`{name}` must not be negative: it counts something of an output")
        whole = first + second
        gaps.append((first - second) / np.where(whole == 0, 1.0, whole))
        logs.append(np.log1p(first) - np.log1p(second))
    return np.column_stack(gaps), np.column_stack(logs)


def votes_on(scale: Scale, comparisons: PairedComparisons, kept: Flags, columns: Floats) -> "CovariateVotes":
    """The comparisons (N,) that are kept, all of systems on the scale, with covariates (n, c) (Davidson 1970)."""
    on = scale.position == ON
    place = np.cumsum(on) - 1
    return CovariateVotes(
        place[comparisons.first[kept]],
        place[comparisons.second[kept]],
        comparisons.outcome[kept],
        comparisons.offered[kept],
        columns,
        comparisons.weights[kept],
        int(on.sum()),
        bool(scale.tie > 0),
    )


@dataclass(frozen=True, eq=False)
class CovariateVotes:
    """Comparisons among the systems on the scale with covariates (n, c), of the first less of the second, and `weight`
    (n,).

    Parameters are the systems' strengths, the coefficients, and ln nu.
    """

    first: Codes
    second: Codes
    outcome: Codes
    offered: Flags
    columns: Floats
    weight: Floats
    systems: int
    ties: bool

    @property
    def is_identified(self) -> bool:
        """Return True where the covariates are no sums of what the systems add to either side, nor of each other."""
        bend = self.products(np.ones(len(self.first)))
        k = self.systems
        across = bend[:k, k:-1]
        left = bend[k:-1, k:-1] - across.T @ inverse(bend[:k, :k]) @ across
        size = np.sqrt(np.diag(bend[k:-1, k:-1]))
        if not (size > 0).all():
            return False
        return bool(np.linalg.eigvalsh(left / np.outer(size, size))[0] > _NEW)

    def at(self, theta: Floats) -> "Place":
        """Return what the outcomes say of these parameters."""
        d = theta[self.first] - theta[self.second] + self.columns @ theta[self.systems : -1]
        win, tie = outcome_chances(d, np.array(np.exp(theta[-1]) if self.ties else 0.0))
        if not self.offered.all():
            win, tie = np.where(self.offered, win, special.expit(d)), np.where(self.offered, tie, 0.0)
        return Place(self, theta, win, tie)

    def maximum(self, scale: Scale) -> "Place | None":
        """Newton's method with halved steps, from the scale without covariates; None where one has no bound."""
        k, c = self.systems, self.columns.shape[1]
        log_tie = np.log(scale.tie) if self.ties else 0.0
        now = self.at(np.concatenate([scale.strength[scale.position == ON], np.zeros(c), [log_tie]]))
        for _ in range(MOST_STEPS):
            step = now.variance @ now.slope
            step /= max(float(np.abs(step).max()) / 3, 1.0)
            for _ in range(30):
                tried = self.at(now.theta + step)
                if tried.log_likelihood >= now.log_likelihood - 1e-12 * abs(now.log_likelihood):
                    break
                step = step / 2
            now = tried
            if np.abs(now.theta[k:-1]).max() > BOUND:
                return None
            if np.abs(step).max() < SMALLEST_STEP:
                break
        return now

    def summed(self, weight: Floats) -> Floats:
        """Sum over comparisons of their places in the distance, weighted (parameters less ln nu)."""
        k = self.systems
        of_systems = np.bincount(self.first, weight, k) - np.bincount(self.second, weight, k)
        return np.concatenate([of_systems, weight @ self.columns])

    def products(self, weight: Floats) -> Floats:
        """Sum over comparisons of the products of their places in the distance (parameters, parameters), 0 for nu."""
        k, c = self.systems, self.columns.shape[1]
        met = np.bincount(self.first * k + self.second, weight, k * k).reshape(k, k)
        met = met + met.T
        bend = np.zeros((k + c + 1, k + c + 1))
        bend[:k, :k] = np.diag(met.sum(axis=1)) - met
        for at in range(c):
            bend[:-1, k + at] = bend[k + at, :-1] = self.summed(weight * self.columns[:, at])
        return bend


@dataclass(frozen=True, eq=False)
class Place:
    """The chances (n,) that the first wins and that it is a tie, by the parameters at which they are so."""

    votes: CovariateVotes
    theta: Floats
    win: Floats
    tie: Floats

    @cached_property
    def log_likelihood(self) -> float:
        """Of the outcomes."""
        outcome = self.votes.outcome
        chance = np.select([outcome == FIRST, outcome == TIE], [self.win, self.tie], 1 - self.win - self.tie)
        return float((self.votes.weight * np.log(np.maximum(chance, 1e-300))).sum())

    @cached_property
    def _more_than_expected(self) -> tuple[Floats, Floats]:
        """By how much each comparison's points of the first, and its tie, exceed their chances, weighted."""
        votes = self.votes
        tied = votes.outcome == TIE
        more = np.where(tied, 0.5, votes.outcome == FIRST) - self.win - self.tie / 2
        return votes.weight * more, votes.weight * np.where(votes.offered & votes.ties, tied - self.tie, 0.0)

    @property
    def slope(self) -> Floats:
        """Of the log-likelihood (parameters,)."""
        more, of_ties = self._more_than_expected
        return np.append(self.votes.summed(more), of_ties.sum())

    @cached_property
    def slopes(self) -> Additions:
        """Return what each comparison adds to the slopes of all parameters."""
        votes = self.votes
        more, of_ties = self._more_than_expected
        added = np.column_stack([more, -more, more[:, None] * votes.columns, of_ties])
        last = votes.systems + votes.columns.shape[1] + 1
        rest = np.broadcast_to(np.arange(votes.systems, last), (len(more), last - votes.systems))
        return Additions(np.column_stack([votes.first, votes.second, rest]), added, last)

    @cached_property
    def bend(self) -> Floats:
        """The information (parameters, parameters)."""
        votes, win, tie = self.votes, self.win, self.tie
        share = win + tie / 2
        weight = votes.weight * np.where(votes.offered, win + tie / 4 - share**2, win * (1 - win))
        bend = votes.products(weight)
        across = votes.weight * np.where(votes.offered & votes.ties, tie * (0.5 - share), 0.0)
        bend[:-1, -1] = bend[-1, :-1] = votes.summed(across)
        bend[-1, -1] = (votes.weight * tie * (1 - tie) * votes.offered).sum() if votes.ties else 1.0
        return bend

    @cached_property
    def variance(self) -> Floats:
        """Of the parameters (parameters, parameters), were all comparisons independent: the information's inverse."""
        return inverse(self.bend)


def chances_of(fitted: Place, item: NDArray[Any], rater: NDArray[Any]) -> tuple[VarianceEstimate, ...]:
    """Return for each coefficient the variance over items (n,), and what raters (n,) add to it (White 1982; Cameron,
    Gelbach and Miller 2011, section 2)."""
    votes, parts = fitted.votes, fitted.slopes
    of_item, of_rater = (values_coded(each)[1] for each in (item, rater))
    _, cell = values_coded(of_item * (of_rater.max() + 1) + of_rater)
    many_items, many_raters = int(of_item.max()) + 1, int(of_rater.max()) + 1
    worth_items, worth_raters = (worth(np.bincount(code, votes.weight)) for code in (of_item, of_rater))

    def chance_of(parameter: int) -> VarianceEstimate:
        pulls = (parts.value * fitted.variance[parameter][parts.place]).sum(axis=1)

        def over(code: Codes) -> float:
            return float((np.bincount(code, pulls) ** 2).sum())

        items = over(of_item) * many_items / max(many_items - votes.systems - votes.ties, 1)
        by_items = VarianceEstimate(items, items**2 / worth_items)
        if many_raters < 2:
            return add_variances(by_items, NO_VARIANCE)
        raters, of_cells = (
            over(of_rater) / share_left(of_rater, votes.weight),
            over(cell) / share_left(cell, votes.weight),
        )
        both = add_variances(
            by_items, VarianceEstimate(max(raters - of_cells, 0.0), raters**2 / worth_raters)
        )
        few = both.variance**2 / worth_raters if many_raters < FEW else 0.0
        return VarianceEstimate(both.variance, max(both.uncertainty, few))

    return tuple(chance_of(votes.systems + at) for at in range(votes.columns.shape[1]))


def share_left(code: Codes, weight: Floats | None = None) -> float:
    """Return how much of the variance between clusters is left around a mean that each pulls along by its size: 1 - 1/n
    of n equal ones, less where some are large (Bell and McCaffrey 2002, "Bias reduction in standard errors")."""
    size = np.bincount(code, weight)
    share = size / size.sum()
    squares = float((share**2).sum())
    return max(1 - 2 * float((share**3).sum()) / squares + squares, SMALLEST_STEP)
