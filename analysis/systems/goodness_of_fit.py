"""Fit of a scale to comparisons: expected and observed wins, circular triads, position and pairs."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import nan

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special, stats

from analysis.systems.bradley_terry import ON, Scale, fit_comparisons, inverse, outcome_chances
from analysis.systems.clustered_intervals import (
    Additions,
    Covariance,
    information,
    on_scale,
    slopes,
    two_ways,
)
from analysis.systems.covariates import SMALLEST_STEP, chances_of, votes_on
from analysis.systems.rankings import FIRST, SECOND, TIE, PairedComparisons, coded
from analysis.systems.scale_intervals import ScaleIntervals
from analysis.values.estimate import Codes, Estimate, Flags, Floats, InputError
from analysis.workers.polls import Poll

FEWEST_EXPECTED = 5.0
"""Expected count that at most a fifth of the cells may miss for the chi-square approximation (Cochran 1954)."""
MOST_RESULTS = 2_000
"""Of pairs, up to which it is worked out how votes on one item and of one rater resemble each other."""


@dataclass(frozen=True, eq=False)
class GoodnessOfFit:
    """Observed against expected: `expected` (S, S) wins of the row plus half the ties, `residual` (S, S) of
    observed less expected in standard deviations, both NaN where a pair was not compared on the scale.

    `statistic` is Pearson's chi-square over the outcomes of the pairs, with `degrees` of freedom; `inflated` how many
    times as large chance makes it as it would independent votes; `p`, NaN with its `reason`.
    """

    expected: Floats
    residual: Floats
    statistic: float
    degrees: int
    p: float
    reason: str = ""
    inflated: float = 1.0


def goodness_of_fit(
    scale: Scale,
    comparisons: PairedComparisons | None = None,
    item: ArrayLike | None = None,
    rater: ArrayLike | None = None,
) -> GoodnessOfFit:
    """Return how far the pairs' own results are from what the one scale expects.

    Parameters
    ----------
    scale : of (S,) systems
    comparisons : the N that it was fitted to; without them votes count as independent
    item, rater : (N,) ids of what was judged and who judged; None where nobody knows

    Returns
    -------
    GoodnessOfFit

    Notes
    -----
    Votes on one item, and those of one rater, resemble each other and so make Pearson's chi-square larger than
    independent votes would: it is divided by what they make of it on average, and its degrees of freedom are those of a
    sum of unequal parts.
    Source: Pearson's chi-square on the outcomes of Davidson 1970; few data: Cochran 1954; votes that resemble each
    other: Rao and Scott 1984, section 4 (second-order correction); their variance: Cameron,
    Gelbach and Miller 2011, section 2.
    """
    s = len(scale.systems)
    on = scale.position == ON
    met = on[:, None] & on[None, :] & (scale.compared > 0)
    if not met.any() or np.isnan(scale.tie):
        reason = "every comparison that could be tied was" if met.any() else "no two systems are on the scale"
        return GoodnessOfFit(np.full((s, s), nan), np.full((s, s), nan), nan, 0, nan, reason)
    d = np.where(met, scale.strength[:, None] - scale.strength[None, :], 0)
    forced = scale.compared - scale.offered
    win, tied = outcome_chances(d, np.array(scale.tie))
    plain = special.expit(d)
    expected_wins = scale.offered * win + forced * plain
    expected_ties = scale.offered * tied
    share = expected_wins + expected_ties / 2
    variance = scale.offered * (win + tied / 4 - (win + tied / 2) ** 2) + forced * plain * (1 - plain)
    residual = (scale.wins + scale.ties / 2 - share) / np.sqrt(np.where(met, variance, 1))
    upper = np.triu(met)
    has_ties = upper & (expected_ties > 0)
    observed = np.concatenate([scale.wins[met], scale.ties[has_ties]])
    expected = np.concatenate([expected_wins[met], expected_ties[has_ties]])
    statistic = float(((observed - expected) ** 2 / expected).sum())
    degrees = int(upper.sum() + has_ties.sum() - (on.sum() - 1) - (scale.tie > 0))
    reason = ""
    if degrees <= 0:
        reason = "there are no more results than strengths, so any scale would fit them"
    elif (expected < FEWEST_EXPECTED).mean() > 0.2 or expected.min() < 1:
        reason = "there are too few comparisons of some pairs for the chi-square approximation"
    elif comparisons is not None and len(expected) > MOST_RESULTS:
        reason = f"there are more than {MOST_RESULTS} results of pairs"
    p, inflated = nan, 1.0
    if not reason and comparisons is None:
        p = float(special.chdtrc(degrees, statistic))
    elif not reason and comparisons is not None:
        chance = _chance(scale, comparisons, item, rater, met, has_ties)
        p, mean = _second_order(statistic, degrees, expected, chance)
        inflated = mean / degrees
    seen = np.where(met, share, nan), np.where(met, residual, nan)
    return GoodnessOfFit(*seen, statistic if degrees > 0 else nan, max(degrees, 0), p, reason, inflated)


def _chance(
    scale: Scale,
    comparisons: PairedComparisons,
    item: ArrayLike | None,
    rater: ArrayLike | None,
    met: Flags,
    has_ties: Flags,
) -> Covariance:
    """Covariance, over items and raters, of the m results less their expectations by the fitted strengths and nu."""
    items, raters = coded(comparisons, item, rater)
    kept, place = on_scale(scale, comparisons)
    first, second = comparisons.first[kept], comparisons.second[kept]
    outcome, offered = comparisons.outcome[kept], comparisons.offered[kept]
    win, tied = outcome_chances(scale.strength[first] - scale.strength[second], np.array(scale.tie))
    plain = special.expit(scale.strength[first] - scale.strength[second])
    win, tied = np.where(offered, win, plain), np.where(offered, tied, 0.0)
    cell = np.full((*met.shape, 2), -1)  # of a win of the row, of a tie
    cell[met, 0] = np.arange(met.sum())
    cell[has_ties, 1] = met.sum() + np.arange(has_ties.sum())
    m, k = int(met.sum() + has_ties.sum()), int(place.max(initial=-1)) + 1
    where = np.column_stack(
        [
            cell[first, second, 0],
            cell[second, first, 0],
            cell[np.minimum(first, second), np.maximum(first, second), 1],
        ]
    )
    weight = comparisons.weights[kept]
    more = weight[:, None] * np.column_stack(
        [(outcome == FIRST) - win, (outcome == SECOND) - (1 - win - tied), (outcome == TIE) - tied]
    )
    of_fit = slopes(scale, comparisons, kept, place)
    both = Additions(
        np.hstack([np.maximum(where, 0), m + of_fit.place]),
        np.hstack([np.where(where >= 0, more, 0.0), of_fit.value]),
        m + of_fit.sums,
    )
    on = np.flatnonzero(scale.position == ON)
    follow = _by_parameters(scale, met, has_ties, place, k) @ inverse(information(scale, on))
    apart = np.hstack([np.eye(m), -follow])
    found = two_ways(both, items[kept], raters[kept], 0, weight)
    return Covariance(
        apart @ found.items @ apart.T,
        apart @ found.raters @ apart.T,
        found.degrees_items,
        found.degrees_raters,
    )


def _by_parameters(scale: Scale, met: Flags, has_ties: Flags, place: Codes, k: int) -> Floats:
    """Return how the expected results (m,) grow with k strengths and ln nu (m, k + 1)."""
    d = np.where(met, scale.strength[:, None] - scale.strength[None, :], 0)
    win, tied = outcome_chances(d, np.array(scale.tie))
    plain, share = special.expit(d), win + tied / 2
    forced = scale.compared - scale.offered
    columns = [
        (met, scale.offered * win * (1 - share) + forced * plain * (1 - plain), -scale.offered * win * tied),
        (has_ties, scale.offered * tied * (0.5 - share), scale.offered * tied * (1 - tied)),
    ]
    parts = []
    for which, by_strength, by_tie in columns:
        row, column = np.nonzero(which)
        part = np.zeros((len(row), k + 1))
        part[np.arange(len(row)), place[row]] = by_strength[which]
        part[np.arange(len(row)), place[column]] = -by_strength[which]
        part[:, k] = by_tie[which] * (scale.tie > 0)
        parts.append(part)
    return np.vstack(parts)


def _second_order(
    statistic: float, degrees: int, expected: Floats, chance: Covariance
) -> tuple[float, float]:
    """p of a chi-square of results with this chance, and its mean under it.

    Sums of squares of estimated covariances hold their chance, which is taken off (Srivastava 2005).
    Source: Rao and Scott 1984.
    """
    root = np.outer(np.sqrt(expected), np.sqrt(expected))
    of_items = chance.items / root
    own = float(np.trace(of_items))
    mean = own + max(float(np.trace(chance.raters / root)), 0.0)
    if not own > 0:
        return nan, nan
    squares = float((of_items**2).sum()) - own**2 / chance.degrees_items
    worth = min(own**2 / squares, float(degrees)) if squares > 0 else float(degrees)
    return float(special.chdtrc(worth, worth * statistic / mean)), mean


def circular_triads(scale: Scale) -> tuple[int, int]:
    """Triples of systems that beat each other in a circle, and all triples in which each pair has a winner.

    Parameters
    ----------
    scale : of (S,) systems

    Returns
    -------
    circular, all

    Notes
    -----
    The winner of a pair has the larger share, a tie counting half.
    Source: Kendall and Babington Smith 1940.
    """
    beats = (scale.wins > scale.wins.T).astype(np.float64)
    either = beats + beats.T
    circular, triples = (float(np.trace(m @ m @ m)) for m in (beats, either))
    return round(circular / 3), round(triples / 6)


@dataclass(frozen=True, eq=False)
class PositionEffect:
    """Effect of standing first.

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
    The effect is one factor for all pairs. Where each pair was always shown in one order it is undefined: only how
    strengths fail to add up could tell it from them, which is as much a misfit of the scale. Interval and test come
    from the sandwich variance, clustered by items and raters, with Student's t.
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
    sides = comparisons.first[kept], comparisons.second[kept]
    ahead, behind = (np.where(shown[kept], *pair) for pair in (sides, sides[::-1]))
    if not np.isin(ahead * len(on) + behind, behind * len(on) + ahead).any():
        return _undefined(
            scale, "no pair was shown in both orders, so position and strength cannot be separated"
        )
    votes = votes_on(scale, comparisons, kept, np.where(shown[kept], 1.0, -1.0)[:, None])
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
    """Return how far a strength moves at most where the position is set aside."""
    return float(np.nanmax(np.abs(scale.strength - effect.strength)))


def same_order(scale: Scale, effect: PositionEffect) -> bool:
    """Return True where the systems on the scale keep their order where the position is set aside."""
    on = scale.order[scale.position[scale.order] == ON]
    return bool((np.diff(effect.strength[on]) <= SMALLEST_STEP).all())


def _undefined(scale: Scale, reason: str) -> PositionEffect:
    return PositionEffect(Estimate(nan, reason=reason), nan, np.full(len(scale.systems), nan), nan, nan)


NO_DESIGN = "no design named"


@dataclass(frozen=True, eq=False)
class PairedVotes:
    """All comparisons of the chosen designs; `item` and `rater` (n,) are the data set's codes.

    `first_shown` (n,) says whether the comparison's first system stood in first position, `row` (n,) where the vote
    stands among the choices asked for.
    `forced` names the designs that offered no tie; `itself` counts rows in which a system met itself.
    """

    comparisons: PairedComparisons
    item: Codes
    rater: Codes
    forced: tuple[str, ...]
    itself: int
    first_shown: NDArray[np.bool_]
    row: Codes

    def by_system(self, first: Floats, second: Floats) -> tuple[Floats, Floats]:
        """Return what is told of both outputs of the choices asked for, as they were shown: of each comparison's first
        and second system (n,)."""
        one, other = first[self.row], second[self.row]
        return np.where(self.first_shown, one, other), np.where(self.first_shown, other, one)


@dataclass(frozen=True)
class Pair:
    """Two systems, the stronger first: their own result and what the scale expects of them.

    `share` and `expected` are of the first, a tie counting half; `difference` is of strengths, `p` adjusted for asking
    about all pairs; `apart` says whether they clearly differ, None where that is not known.
    """

    first: str
    second: str
    compared: float
    share: float
    expected: float
    residual: float
    difference: Estimate
    p: float
    apart: bool | None


def design_of(poll: Poll) -> str:
    """The design of a poll, also where it has no name."""
    return poll.design or NO_DESIGN


def paired_votes(polls: Sequence[Poll], designs: Sequence[str], weighted: bool = True) -> PairedVotes:
    """The votes of polls under these designs, with their weights, relative to the mean one, where these differ."""
    chosen = [poll for poll in polls if design_of(poll) in designs]
    free = {design_of(poll) for poll in polls if len(poll.options) > 2}
    itself = sum(len(poll.votes) for poll in chosen if poll.first == poll.second)
    used = [poll for poll in chosen if poll.first != poll.second]
    systems = sorted({system for poll in used for system in (poll.first, poll.second)})
    lengths = [len(poll.votes) for poll in used]

    def by_vote(code_of_poll: Sequence[int]) -> Codes:
        return np.repeat(np.array(code_of_poll, dtype=np.int64), lengths)

    def together(parts: Sequence[Codes]) -> Codes:
        return np.concatenate([np.zeros(0, dtype=np.int64), *parts])

    weight = np.concatenate([np.zeros(0), *(poll.votes.weights for poll in used)])
    comparisons = PairedComparisons(
        by_vote([systems.index(poll.first) for poll in used]),
        by_vote([systems.index(poll.second) for poll in used]),
        np.minimum(together([poll.votes.choice for poll in used]), 2),
        by_vote([design_of(poll) in free for poll in used]).astype(np.bool_),
        np.array(systems, dtype=np.str_),
        weight / weight.mean() if weighted and len(weight) and np.ptp(weight) > 0 else None,
    )
    return PairedVotes(
        comparisons,
        together([poll.item_code[poll.votes.item] for poll in used]),
        together([poll.rater_code[poll.votes.rater] for poll in used]),
        tuple(design for design in designs if design not in free),
        itself,
        np.concatenate([np.zeros(0, dtype=np.bool_), *(poll.first_shown for poll in used)]),
        together([poll.row for poll in used]),
    )


def clusters(scale: Scale, drawn: ScaleIntervals) -> list[list[str]]:
    """The systems of each cluster, the strongest first."""
    on = [at for at in scale.order.tolist() if scale.position[at] == ON]
    return [
        [str(scale.systems[at]) for at in on if drawn.cluster[at] == cluster]
        for cluster in range(1, int(drawn.cluster.max()) + 1)
    ]


def pairs(scale: Scale, drawn: ScaleIntervals | None, fit: GoodnessOfFit) -> list[Pair]:
    """Every pair that was compared, or that the scale compares."""
    order = scale.order.tolist()
    return [
        _pair(scale, drawn, fit, i, j)
        for place, i in enumerate(order)
        for j in order[place + 1 :]
        if scale.compared[i, j] or scale.position[i] == scale.position[j] == ON
    ]


def _pair(scale: Scale, drawn: ScaleIntervals | None, fit: GoodnessOfFit, i: int, j: int) -> Pair:
    n = float(scale.compared[i, j])
    low, high, p, apart = np.nan, np.nan, np.nan, None
    if drawn is not None:
        low, high = float(drawn.difference_low[i, j]), float(drawn.difference_high[i, j])
        p = float(drawn.p[i, j])
        if scale.position[i] == scale.position[j] == ON:
            apart = bool(drawn.above[i, j] or drawn.above[j, i])
    return Pair(
        str(scale.systems[i]),
        str(scale.systems[j]),
        float(scale.numbers[i, j]),
        float(scale.shares[i, j]),
        float(fit.expected[i, j]) / n if n else np.nan,
        float(fit.residual[i, j]),
        Estimate(float(scale.strength[i] - scale.strength[j]), low, high),
        p,
        apart,
    )
