"""Whether standing first helps: Bradley-Terry with ties and a factor on the odds of the system that was shown first.

P(i shown first beats j) = g p_i / (g p_i + p_j + nu sqrt(g p_i p_j)), the tie has the third part: a proportional effect
of the position, alike for all pairs. Davidson and Beaver write the factor on the other side; their tie parameter is
this one times a constant.
"""

from dataclasses import dataclass
from math import nan
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special, stats

from analysis.resampling.carried import NONE, Chance, together
from analysis.values.errors import InputError
from analysis.values.estimate import Estimate
from analysis.workers.scale.bradley_terry import ON, Scale, fit_comparisons, outcome_chances
from analysis.workers.scale.paired_comparisons import FIRST, TIE, PairedComparisons

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]
Flags = NDArray[np.bool_]
MOST_STEPS = 100
SMALLEST_STEP = 1e-9
FEW = 6
"""Raters below which they alone leave degrees of freedom: what so few carry is often estimated as 0."""
BOUND = 15.0
"""Logarithm of a factor beyond which only an infinite one would fit."""


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
    Answers: do people take what they see first, once who is stronger is taken into account, and does the order of the
    systems hang on it? The effect is one factor for all pairs; where each pair was always shown in one order it cannot
    be told from strength. Interval and test come from the sandwich variance, clustered by items and raters, with
    Student's t.
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
    place = np.cumsum(on) - 1
    votes = _Votes(
        place[comparisons.first[kept]],
        place[comparisons.second[kept]],
        comparisons.outcome[kept],
        comparisons.offered[kept],
        np.where(shown[kept], 1.0, -1.0),
        int(on.sum()),
        bool(scale.tie > 0),
    )
    if not votes.told_apart:
        return _undefined(scale, "no pair changed places, so position and strength cannot be told apart")
    fitted = _maximum(
        votes, np.append(scale.strength[on], [0.0, np.log(scale.tie) if scale.tie > 0 else 0.0])
    )
    if fitted is None:
        return _undefined(scale, "one position won throughout, so that no finite factor fits")
    theta, bend = fitted
    log_factor = float(theta[-2])
    chance = _chance(votes, theta, bend, items[kept], raters[kept])
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
        votes.log_likelihood(theta),
    )


def largest_shift(scale: Scale, effect: PositionEffect) -> float:
    """How far a strength moves at most where the position is set aside."""
    return float(np.nanmax(np.abs(scale.strength - effect.strength)))


def same_order(scale: Scale, effect: PositionEffect) -> bool:
    """Whether the systems on the scale keep their order where the position is set aside."""
    on = scale.order[scale.position[scale.order] == ON]
    return bool((np.diff(effect.strength[on]) <= SMALLEST_STEP).all())


@dataclass(frozen=True, eq=False)
class _Votes:
    """Comparisons among the systems on the scale; parameters are their strengths, ln g and ln nu."""

    first: Codes
    second: Codes
    outcome: Codes
    offered: Flags
    side: Floats
    systems: int
    ties: bool

    @property
    def told_apart(self) -> bool:
        """Whether positions are no sum of the systems' places."""
        seen = np.unique(np.column_stack([self.first, self.second, self.side]), axis=0)
        design = np.zeros((len(seen), self.systems + 1))
        n = np.arange(len(seen))
        design[n, seen[:, 0].astype(np.int64)] += 1
        design[n, seen[:, 1].astype(np.int64)] -= 1
        design[:, -1] = seen[:, 2]
        return bool(np.linalg.matrix_rank(design) > np.linalg.matrix_rank(design[:, :-1]))

    def _chances(self, theta: Floats) -> tuple[Floats, Floats, Floats]:
        """Of each comparison: its distance, and the chances that the first wins and that it is a tie."""
        d = theta[self.first] - theta[self.second] + theta[-2] * self.side
        nu = np.exp(theta[-1]) if self.ties else 0.0
        win, tie = outcome_chances(d, np.array(nu))
        plain = special.expit(d)
        return d, np.where(self.offered, win, plain), np.where(self.offered, tie, 0.0)

    def log_likelihood(self, theta: Floats) -> float:
        """Of the outcomes."""
        _, win, tie = self._chances(theta)
        chance = np.select([self.outcome == FIRST, self.outcome == TIE], [win, tie], 1 - win - tie)
        return float(np.log(np.maximum(chance, 1e-300)).sum())

    def slopes(self, theta: Floats) -> tuple[Floats, Floats]:
        """What each comparison adds to the slope (N, 2): of its distance, and of ln nu."""
        _, win, tie = self._chances(theta)
        tied = self.outcome == TIE
        points = np.where(tied, 0.5, self.outcome == FIRST)
        return points - win - tie / 2, np.where(self.offered & self.ties, tied - tie, 0.0)

    def spread(self, of_distance: Floats, of_ties: Floats, code: Codes) -> Floats:
        """Sums (clusters, parameters) of slopes."""
        sums = np.zeros((int(code.max()) + 1, self.systems + 2))
        np.add.at(sums, (code, self.first), of_distance)
        np.add.at(sums, (code, self.second), -of_distance)
        np.add.at(sums, (code, np.full(len(code), self.systems)), of_distance * self.side)
        np.add.at(sums, (code, np.full(len(code), self.systems + 1)), of_ties)
        return sums

    def bend(self, theta: Floats) -> Floats:
        """The information (parameters, parameters)."""
        _, win, tie = self._chances(theta)
        share = win + tie / 2
        weight = np.where(self.offered, win + tie / 4 - share**2, win * (1 - win))
        across = np.where(self.offered & self.ties, tie * (0.5 - share), 0.0)
        n = np.arange(len(weight))
        design = np.zeros((len(weight), self.systems + 2))
        design[n, self.first] += 1
        design[n, self.second] -= 1
        design[:, -2] = self.side
        bend = design.T @ (weight[:, None] * design)
        bend[:, -1] = bend[-1] = design.T @ across
        bend[-1, -1] = (tie * (1 - tie) * self.offered).sum() if self.ties else 1.0
        return np.asarray(bend)


def _maximum(votes: _Votes, theta: Floats) -> tuple[Floats, Floats] | None:
    """Newton's method with halved steps: the parameters and the information there; None where g has no bound."""
    all_of_them = np.zeros(len(votes.first), dtype=np.int64)
    now = votes.log_likelihood(theta)
    for _ in range(MOST_STEPS):
        slope = votes.spread(*votes.slopes(theta), all_of_them)[0]
        step = np.linalg.pinv(votes.bend(theta), hermitian=True) @ slope
        step /= max(float(np.abs(step).max()) / 3, 1.0)
        for _ in range(30):
            tried = votes.log_likelihood(theta + step)
            if tried >= now - 1e-12 * abs(now):
                break
            step = step / 2
        theta, now = theta + step, tried
        if np.abs(theta[-2]) > BOUND:
            return None
        if np.abs(step).max() < SMALLEST_STEP:
            break
    return theta, votes.bend(theta)


def _chance(votes: _Votes, theta: Floats, bend: Floats, item: NDArray[Any], rater: NDArray[Any]) -> Chance:
    """The variance of ln g over items, and what raters add to it."""
    bread = np.linalg.pinv(bend, hermitian=True)[-2]
    slopes = votes.slopes(theta)
    _, of_item = np.unique(item, return_inverse=True)
    _, of_rater = np.unique(rater, return_inverse=True)
    _, cell = np.unique(of_item * (of_rater.max() + 1) + of_rater, return_inverse=True)

    def of(code: Codes) -> tuple[float, float]:
        sums = votes.spread(*slopes, code) @ bread
        size = np.bincount(code)
        worth = max(float(size.sum() ** 2 / (size**2).sum()) - 1, 1.0)
        return float((sums**2).sum()), worth

    items, worth_items = of(of_item)
    many = int(of_item.max()) + 1
    items *= many / max(many - votes.systems - votes.ties, 1)
    by_items = Chance(items, items**2 / worth_items)
    if of_rater.max() < 1:
        return together(by_items, NONE)
    raters, worth_raters = of(of_rater)
    raters /= share_left(of_rater)
    of_cells = of(cell)[0] / share_left(cell)
    both = together(by_items, Chance(max(raters - of_cells, 0.0), raters**2 / worth_raters))
    few = both.variance**2 / worth_raters if of_rater.max() + 1 < FEW else 0.0
    return Chance(both.variance, max(both.unsure, few))


def share_left(code: Codes) -> float:
    """How much of the variance between clusters is left around a mean that each pulls along by its size: 1 - 1/n of n
    equal ones, less where some are large (Bell and McCaffrey 2002, "Bias reduction in standard errors")."""
    share = np.bincount(code) / len(code)
    squares = float((share**2).sum())
    return max(1 - 2 * float((share**3).sum()) / squares + squares, SMALLEST_STEP)


def _undefined(scale: Scale, reason: str) -> PositionEffect:
    return PositionEffect(Estimate(nan, reason=reason), nan, np.full(len(scale.systems), nan), nan, nan)
