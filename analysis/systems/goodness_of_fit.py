"""Fit of a scale to comparisons: expected and observed wins, position and pairs."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import nan

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special, stats

from analysis.systems.bradley_terry import ON, Scale, fit_comparisons, outcome_probabilities, pseudo_inverse
from analysis.systems.clustered_intervals import (
    Covariance,
    ScoreContributions,
    fisher_information,
    score_contributions,
    select_on_scale,
    two_way_covariance,
)
from analysis.systems.covariates import SMALLEST_STEP, coefficient_variances, select_covariate_votes
from analysis.systems.rankings import FIRST, SECOND, TIE, PairedComparisons, encode_clusters
from analysis.systems.scale_intervals import ScaleIntervals
from analysis.values.estimate import Codes, Estimate, Flags, Floats, InputError
from analysis.workers.polls import Poll

FEWEST_EXPECTED = 5.0
"""Expected count below which at most a fifth of the cells may lie for the chi-square approximation (Cochran 1954)."""
MOST_RESULTS = 2_000
"""Largest number of results for which the correlation of votes on one item and of one rater is estimated."""


@dataclass(frozen=True, eq=False)
class GoodnessOfFit:
    """Observed against expected counts: `expected` (S, S) wins of the row plus half the ties, `residual` (S, S)
    observed minus expected in standard deviations, both NaN for pairs without comparisons on the scale.

    `statistic` is Pearson's chi-square over the outcomes of the pairs, with `degrees` of freedom; `inflation` is its
    mean relative to that of independent votes; `p`, NaN with its `reason`.
    """

    expected: Floats
    residual: Floats
    statistic: float
    degrees: int
    p: float
    reason: str = ""
    inflation: float = 1.0


def goodness_of_fit(
    scale: Scale,
    comparisons: PairedComparisons | None = None,
    item: ArrayLike | None = None,
    rater: ArrayLike | None = None,
) -> GoodnessOfFit:
    """Test how well one scale fits the results of the pairs.

    Parameters
    ----------
    scale : of (S,) systems
    comparisons : the N that it was fitted to; None: votes count as independent
    item, rater : (N,) ids of what was judged and of raters; None where unknown

    Returns
    -------
    GoodnessOfFit

    Notes
    -----
    Correlated votes on one item or of one rater make Pearson's chi-square larger than independent votes would. It is
    divided by its mean under this correlation, with Satterthwaite's degrees of freedom.
    Source: Pearson's chi-square on the outcomes of Davidson 1970; few data: Cochran 1954; correlated
    votes: Rao and Scott 1984, section 4 (second-order correction); their variance: Cameron,
    Gelbach and Miller 2011, section 2.
    """
    s = len(scale.systems)
    is_on_scale = scale.position == ON
    is_compared = is_on_scale[:, None] & is_on_scale[None, :] & (scale.compared > 0)
    if not is_compared.any() or np.isnan(scale.tie):
        reason = (
            "every comparison that could be tied was"
            if is_compared.any()
            else "no two systems are on the scale"
        )
        return GoodnessOfFit(np.full((s, s), nan), np.full((s, s), nan), nan, 0, nan, reason)
    d = np.where(is_compared, scale.strength[:, None] - scale.strength[None, :], 0)
    forced = scale.compared - scale.offered
    win, tied = outcome_probabilities(d, np.array(scale.tie))
    untied = special.expit(d)
    expected_wins = scale.offered * win + forced * untied
    expected_ties = scale.offered * tied
    share = expected_wins + expected_ties / 2
    variance = scale.offered * (win + tied / 4 - (win + tied / 2) ** 2) + forced * untied * (1 - untied)
    residual = (scale.wins + scale.ties / 2 - share) / np.sqrt(np.where(is_compared, variance, 1))
    upper = np.triu(is_compared)
    has_ties = upper & (expected_ties > 0)
    observed = np.concatenate([scale.wins[is_compared], scale.ties[has_ties]])
    expected = np.concatenate([expected_wins[is_compared], expected_ties[has_ties]])
    statistic = float(((observed - expected) ** 2 / expected).sum())
    degrees = int(upper.sum() + has_ties.sum() - (is_on_scale.sum() - 1) - (scale.tie > 0))
    reason = ""
    if degrees <= 0:
        reason = "there are no more results than strengths, so any scale would fit them"
    elif (expected < FEWEST_EXPECTED).mean() > 0.2 or expected.min() < 1:
        reason = "there are too few comparisons of some pairs for the chi-square approximation"
    elif comparisons is not None and len(expected) > MOST_RESULTS:
        reason = f"there are more than {MOST_RESULTS} results of pairs"
    p, inflation = nan, 1.0
    if not reason and comparisons is None:
        p = float(special.chdtrc(degrees, statistic))
    elif not reason and comparisons is not None:
        covariance = _residual_covariance(scale, comparisons, item, rater, is_compared, has_ties)
        p, mean = _rao_scott_test(statistic, degrees, expected, covariance)
        inflation = mean / degrees
    tables = np.where(is_compared, share, nan), np.where(is_compared, residual, nan)
    return GoodnessOfFit(*tables, statistic if degrees > 0 else nan, max(degrees, 0), p, reason, inflation)


def _residual_covariance(
    scale: Scale,
    comparisons: PairedComparisons,
    item: ArrayLike | None,
    rater: ArrayLike | None,
    is_compared: Flags,
    has_ties: Flags,
) -> Covariance:
    """Return the covariance, over items and raters, of the m results minus their fitted expectations."""
    items, raters = encode_clusters(comparisons, item, rater)
    mask, index = select_on_scale(scale, comparisons)
    first, second = comparisons.first[mask], comparisons.second[mask]
    outcome, offered = comparisons.outcome[mask], comparisons.offered[mask]
    win, tied = outcome_probabilities(scale.strength[first] - scale.strength[second], np.array(scale.tie))
    untied = special.expit(scale.strength[first] - scale.strength[second])
    win, tied = np.where(offered, win, untied), np.where(offered, tied, 0.0)
    cell = np.full((*is_compared.shape, 2), -1)  # of a win of the row, of a tie
    cell[is_compared, 0] = np.arange(is_compared.sum())
    cell[has_ties, 1] = is_compared.sum() + np.arange(has_ties.sum())
    m, k = int(is_compared.sum() + has_ties.sum()), int(index.max(initial=-1)) + 1
    cell_index = np.column_stack(
        [
            cell[first, second, 0],
            cell[second, first, 0],
            cell[np.minimum(first, second), np.maximum(first, second), 1],
        ]
    )
    weight = comparisons.weights[mask]
    residual = weight[:, None] * np.column_stack(
        [(outcome == FIRST) - win, (outcome == SECOND) - (1 - win - tied), (outcome == TIE) - tied]
    )
    score_parts = score_contributions(scale, comparisons, mask, index)
    joint = ScoreContributions(
        np.hstack([np.maximum(cell_index, 0), m + score_parts.place]),
        np.hstack([np.where(cell_index >= 0, residual, 0.0), score_parts.value]),
        m + score_parts.sums,
    )
    on_scale = np.flatnonzero(scale.position == ON)
    fitted_response = _expected_count_jacobian(scale, is_compared, has_ties, index, k) @ pseudo_inverse(
        fisher_information(scale, on_scale)
    )
    projection = np.hstack([np.eye(m), -fitted_response])
    score_covariance = two_way_covariance(joint, items[mask], raters[mask], 0, weight)
    return Covariance(
        projection @ score_covariance.items @ projection.T,
        projection @ score_covariance.raters @ projection.T,
        score_covariance.degrees_items,
        score_covariance.degrees_raters,
    )


def _expected_count_jacobian(
    scale: Scale, is_compared: Flags, has_ties: Flags, index: Codes, k: int
) -> Floats:
    """Return the derivatives (m, k + 1) of the expected results by k strengths and ln nu."""
    d = np.where(is_compared, scale.strength[:, None] - scale.strength[None, :], 0)
    win, tied = outcome_probabilities(d, np.array(scale.tie))
    untied, share = special.expit(d), win + tied / 2
    forced = scale.compared - scale.offered
    columns = [
        (
            is_compared,
            scale.offered * win * (1 - share) + forced * untied * (1 - untied),
            -scale.offered * win * tied,
        ),
        (has_ties, scale.offered * tied * (0.5 - share), scale.offered * tied * (1 - tied)),
    ]
    parts = []
    for mask, by_strength, by_tie in columns:
        row, column = np.nonzero(mask)
        part = np.zeros((len(row), k + 1))
        part[np.arange(len(row)), index[row]] = by_strength[mask]
        part[np.arange(len(row)), index[column]] = -by_strength[mask]
        part[:, k] = by_tie[mask] * (scale.tie > 0)
        parts.append(part)
    return np.vstack(parts)


def _rao_scott_test(
    statistic: float, degrees: int, expected: Floats, covariance: Covariance
) -> tuple[float, float]:
    """Return p of a chi-square statistic of correlated results, and its mean under the null hypothesis.

    The bias of squared estimated covariances is subtracted (Srivastava 2005).
    Source: Rao and Scott 1984.
    """
    root = np.outer(np.sqrt(expected), np.sqrt(expected))
    item_covariance = covariance.items / root
    item_trace = float(np.trace(item_covariance))
    mean = item_trace + max(float(np.trace(covariance.raters / root)), 0.0)
    if not item_trace > 0:
        return nan, nan
    squares = float((item_covariance**2).sum()) - item_trace**2 / covariance.degrees_items
    effective_degrees_of_freedom = (
        min(item_trace**2 / squares, float(degrees)) if squares > 0 else float(degrees)
    )
    return float(
        special.chdtrc(effective_degrees_of_freedom, effective_degrees_of_freedom * statistic / mean)
    ), mean


@dataclass(frozen=True, eq=False)
class PositionEffect:
    """Effect of the first position.

    `factor`: g, by which the odds of the system shown first are multiplied, n = comparisons; undefined with its reason.
    `p` of no effect; `strength` (S,) adjusted for position, mean 0 over the systems on the scale, NaN off it; `tie` is
    nu; `log_likelihood` of these comparisons.
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
    """Estimate the effect of the first position with its interval and test, and strengths adjusted for it.

    Parameters
    ----------
    comparisons : N comparisons of S systems
    first_shown : (N,) True where `comparisons.first` was in first position
    item : (N,) ids of what was judged
    rater : (N,) ids of raters; None where unknown: then over items only
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
    The effect is one factor for all pairs. It is undefined where each pair was always shown in the same order: it could
    then not be separated from misfit of the scale. Interval and test come
    from the sandwich variance, clustered by items and raters, with Student's t.
    Source: Davidson and Beaver 1977, "On extending the Bradley-Terry model to incorporate within-pair order effects";
    White 1982; Cameron, Gelbach and Miller 2011, section 2.
    """
    is_first_shown, items = np.asarray(first_shown, dtype=np.bool_), np.asarray(item)
    raters = np.zeros(len(comparisons)) if rater is None else np.asarray(rater)
    if not len(is_first_shown) == len(items) == len(raters) == len(comparisons):
        raise InputError("`first_shown`, `item` and `rater` must be as long as the comparisons")
    scale = fit_comparisons(comparisons)
    is_on_scale = scale.position == ON
    mask = (
        is_on_scale[comparisons.first] & is_on_scale[comparisons.second]
        if len(comparisons)
        else np.zeros(0, dtype=np.bool_)
    )
    if not mask.any() or np.isnan(scale.tie):
        return _undefined(scale, "no two systems are on the scale, or all that could tie did")
    sides = comparisons.first[mask], comparisons.second[mask]
    shown_first, shown_second = (np.where(is_first_shown[mask], *pair) for pair in (sides, sides[::-1]))
    if not np.isin(
        shown_first * len(is_on_scale) + shown_second, shown_second * len(is_on_scale) + shown_first
    ).any():
        return _undefined(
            scale, "no pair was shown in both orders, so position and strength cannot be separated"
        )
    votes = select_covariate_votes(
        scale, comparisons, mask, np.where(is_first_shown[mask], 1.0, -1.0)[:, None]
    )
    fitted = votes.maximize_likelihood(scale)
    if fitted is None:
        return _undefined(scale, "one position won throughout, so that no finite factor fits")
    theta = fitted.theta
    log_factor = float(theta[-2])
    [variance] = coefficient_variances(fitted, items[mask], raters[mask])
    error, half_width = float(np.sqrt(variance.variance)), nan
    if error > 0:
        half_width = float(stats.t.ppf((1 + level) / 2, variance.degrees)) * error
    strength = np.full(len(is_on_scale), nan)
    strength[is_on_scale] = theta[: votes.systems] - theta[: votes.systems].mean()
    return PositionEffect(
        Estimate(
            float(np.exp(log_factor)),
            float(np.exp(log_factor - half_width)),
            float(np.exp(log_factor + half_width)),
            int(mask.sum()),
        ),
        float(2 * stats.t.sf(abs(log_factor) / error, variance.degrees)) if error > 0 else nan,
        strength,
        float(np.exp(theta[-1])) if votes.ties else 0.0,
        fitted.log_likelihood,
    )


def largest_shift(scale: Scale, effect: PositionEffect) -> float:
    """Return the largest change of a strength when adjusting for position."""
    return float(np.nanmax(np.abs(scale.strength - effect.strength)))


def has_same_order(scale: Scale, effect: PositionEffect) -> bool:
    """Return True where adjusting for position leaves the order of the systems on the scale unchanged."""
    on = scale.order[scale.position[scale.order] == ON]
    return bool((np.diff(effect.strength[on]) <= SMALLEST_STEP).all())


def _undefined(scale: Scale, reason: str) -> PositionEffect:
    return PositionEffect(Estimate(nan, reason=reason), nan, np.full(len(scale.systems), nan), nan, nan)


NO_DESIGN = "no design named"


@dataclass(frozen=True, eq=False)
class PairedVotes:
    """All comparisons of the chosen designs; `item` and `rater` (n,) are the data set's codes.

    `first_shown` (n,) is True where the comparison's first system was in first position, `row` (n,) is the index of the
    vote among the choices. `forced` names the designs that offered no tie; `self_comparisons` counts rows that compare
    a system with itself.
    """

    comparisons: PairedComparisons
    item: Codes
    rater: Codes
    forced: tuple[str, ...]
    self_comparisons: int
    first_shown: NDArray[np.bool_]
    row: Codes

    def order_by_system(self, first: Floats, second: Floats) -> tuple[Floats, Floats]:
        """Convert values of the first and second shown output of all choices to values of each comparison's first and
        second system (n,)."""
        one, other = first[self.row], second[self.row]
        return np.where(self.first_shown, one, other), np.where(self.first_shown, other, one)


@dataclass(frozen=True)
class Pair:
    """Results of two systems, the stronger first, and what the scale expects.

    `share` and `expected` are of the first, a tie counting half; `difference` is of strengths, `p` adjusted for all
    pairs; `differs` is True for a clear difference, None where unknown.
    """

    first: str
    second: str
    compared: float
    share: float
    expected: float
    residual: float
    difference: Estimate
    p: float
    differs: bool | None


def design_name(poll: Poll) -> str:
    """Return the name of a poll's design, or a placeholder without one."""
    return poll.design or NO_DESIGN


def paired_votes(polls: Sequence[Poll], designs: Sequence[str], weighted: bool = True) -> PairedVotes:
    """Return the votes of polls under these designs, with weights relative to their mean unless all are equal."""
    chosen = [poll for poll in polls if design_name(poll) in designs]
    tie_designs = {design_name(poll) for poll in polls if len(poll.options) > 2}
    self_comparisons = sum(len(poll.votes) for poll in chosen if poll.first == poll.second)
    compared = [poll for poll in chosen if poll.first != poll.second]
    systems = sorted({system for poll in compared for system in (poll.first, poll.second)})
    lengths = [len(poll.votes) for poll in compared]

    def repeat_by_vote(code_of_poll: Sequence[int]) -> Codes:
        return np.repeat(np.array(code_of_poll, dtype=np.int64), lengths)

    def concatenate(parts: Sequence[Codes]) -> Codes:
        return np.concatenate([np.zeros(0, dtype=np.int64), *parts])

    weight = np.concatenate([np.zeros(0), *(poll.votes.weights for poll in compared)])
    comparisons = PairedComparisons(
        repeat_by_vote([systems.index(poll.first) for poll in compared]),
        repeat_by_vote([systems.index(poll.second) for poll in compared]),
        np.minimum(concatenate([poll.votes.choice for poll in compared]), 2),
        repeat_by_vote([design_name(poll) in tie_designs for poll in compared]).astype(np.bool_),
        np.array(systems, dtype=np.str_),
        weight / weight.mean() if weighted and len(weight) and np.ptp(weight) > 0 else None,
    )
    return PairedVotes(
        comparisons,
        concatenate([poll.item_code[poll.votes.item] for poll in compared]),
        concatenate([poll.rater_code[poll.votes.rater] for poll in compared]),
        tuple(design for design in designs if design not in tie_designs),
        self_comparisons,
        np.concatenate([np.zeros(0, dtype=np.bool_), *(poll.first_shown for poll in compared)]),
        concatenate([poll.row for poll in compared]),
    )


def list_pairs(scale: Scale, intervals: ScaleIntervals | None, fit: GoodnessOfFit) -> list[Pair]:
    """Return every pair of systems with comparisons, or on one scale."""
    order = scale.order.tolist()
    return [
        _pair(scale, intervals, fit, i, j)
        for rank, i in enumerate(order)
        for j in order[rank + 1 :]
        if scale.compared[i, j] or scale.position[i] == scale.position[j] == ON
    ]


def _pair(scale: Scale, intervals: ScaleIntervals | None, fit: GoodnessOfFit, i: int, j: int) -> Pair:
    n = float(scale.compared[i, j])
    low, high, p, differs = np.nan, np.nan, np.nan, None
    if intervals is not None:
        low, high = float(intervals.difference_low[i, j]), float(intervals.difference_high[i, j])
        p = float(intervals.p[i, j])
        if scale.position[i] == scale.position[j] == ON:
            differs = bool(intervals.above[i, j] or intervals.above[j, i])
    return Pair(
        str(scale.systems[i]),
        str(scale.systems[j]),
        float(scale.numbers[i, j]),
        float(scale.shares[i, j]),
        float(fit.expected[i, j]) / n if n else np.nan,
        float(fit.residual[i, j]),
        Estimate(float(scale.strength[i] - scale.strength[j]), low, high),
        p,
        differs,
    )
