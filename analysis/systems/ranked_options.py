"""One scale from rankings of two or more options: Plackett-Luce, or with ties Bradley-Terry of the implied pairs.

A ranking is by one rater for one task: of all or some options of the task, with or without ties. In a best-worst choice
one option is the best and one the worst, and the order of the others is unknown.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.agreement.reliability import FEWEST_FOR_OTHERS, OTHERS, too_few_raters_reason
from analysis.systems.bradley_terry import ON, Scale, expected_share, fit_comparisons, pseudo_inverse
from analysis.systems.clustered_intervals import (
    ScoreContributions,
    intervals_from_covariance,
    sandwich_covariance,
    sandwich_intervals,
    two_way_covariance,
)
from analysis.systems.goodness_of_fit import PairedVotes
from analysis.systems.rankings import FIRST, SECOND, TIE, PairedComparisons
from analysis.systems.scale_intervals import ScaleIntervals, undefined_intervals
from analysis.values.estimate import BootstrapSpec, Codes, Flags, Floats, InputError, Scope, chosen_scope
from analysis.values.ratings import coded

FEWEST_TASKS = 5
"""Number of tasks from which intervals hold for tasks like these; with fewer, for these tasks."""
TaskScope = Literal["these tasks", "tasks like these"]
TASK_SCOPES: tuple[TaskScope, ...] = ("these tasks", "tasks like these")
FEWEST_TUPLE_OPTIONS = 4
"""Least number of options of a best-worst choice; with three, it is a full ranking."""
_STEPS, _SMALLEST_STEP = 100, 1e-10
_CELLS_PER_BLOCK = 4_000_000


@dataclass(frozen=True)
class RankingScope:
    """Raters and tasks to which intervals of rankings generalize; None for the default.

    The default is raters like these for 6 or more raters, and tasks like these for `FEWEST_TASKS` or more tasks.
    With fewer tasks, only these tasks are possible.

    Raises
    ------
    InputError
        for another scope of tasks.
    """

    raters: Scope | None = None
    tasks: TaskScope | None = None

    def __post_init__(self) -> None:
        if self.tasks not in (None, *TASK_SCOPES):
            raise InputError(
                f"`tasks` must be one of {', '.join(map(repr, TASK_SCOPES))}, got {self.tasks!r}"
            )


DEFAULT_SCOPE = RankingScope()


@dataclass(frozen=True, eq=False)
class RankedOptions:
    """Ranks as codes: `task`, `rater` and `option` (n,), `rank` (n,) with 1 the best, and the `options` (S,).

    `position` (n,) is the place in which an option was shown, NaN where unknown. `of_tuples` is True for best-worst
    choices of three options.

    Raises
    ------
    InputError
        where lengths differ or a rank is not finite.
    """

    task: Codes
    rater: Codes
    option: Codes
    rank: Floats
    position: Floats
    options: NDArray[Any]
    of_tuples: bool = False

    def __post_init__(self) -> None:
        lengths = [len(part) for part in (self.task, self.rater, self.option, self.rank, self.position)]
        if len(set(lengths)) > 1:
            raise InputError(
                f"`task`, `rater`, `option`, `rank` and `position` must be equally long, got {lengths}"
            )
        if not np.isfinite(self.rank).all():
            raise InputError("`rank` must hold finite numbers")

    def __len__(self) -> int:
        return len(self.option)

    @cached_property
    def ranking(self) -> Codes:
        """Code of the ranking of each rank (n,)."""
        return coded(self.task * (int(self.rater.max(initial=0)) + 1) + self.rater)[1]

    @cached_property
    def tables(self) -> list[Codes]:
        """Indices (g, k) of the ranks of g rankings, best first, for each number k of options."""
        order = np.lexsort((self.rank, self.ranking))
        size = np.bincount(self.ranking)
        start = np.cumsum(size) - size
        return [order[start[size == k][:, None] + np.arange(k)] for k in np.unique(size).tolist() if k > 1]

    @property
    def rankings(self) -> int:
        """Number of rankings of two options or more."""
        return sum(map(len, self.tables))

    @property
    def tasks(self) -> int:
        """Number of tasks."""
        return len(np.unique(self.task))

    @property
    def raters(self) -> int:
        """Number of raters."""
        return len(np.unique(self.rater))

    @cached_property
    def has_ties(self) -> bool:
        """True where a rater gave two options of a task the same rank."""
        return any(bool((np.diff(self.rank[table], axis=1) == 0).any()) for table in self.tables)

    @cached_property
    def is_best_worst(self) -> bool:
        """True where every ranking has one best and one worst option, and all others are tied."""

        def has_ends(ranks: Floats) -> bool:
            inner = ranks[:, 1:-1]
            tied = (inner == inner[:, :1]).all()
            return bool(tied and (ranks[:, 0] < inner[:, 0]).all() and (ranks[:, -1] > inner[:, -1]).all())

        min_options = 3 if self.of_tuples else FEWEST_TUPLE_OPTIONS
        sizes = [table.shape[1] for table in self.tables]
        return bool(sizes) and min(sizes) >= min_options and all(has_ends(self.rank[t]) for t in self.tables)


def ranked_options(
    task: ArrayLike, rater: ArrayLike, option: ArrayLike, rank: ArrayLike, position: ArrayLike | None = None
) -> RankedOptions:
    """Build rankings from ids of any type.

    Parameters
    ----------
    task, rater, option : (n,) ids of tasks, raters and ranked options
    rank : (n,) 1 for the best; equal ranks of a task and rater are ties
    position : (n,) place in which the option was shown; None if unknown

    Returns
    -------
    RankedOptions
        with the ids as codes (n,), and the options' names (S,).

    Raises
    ------
    InputError
        where lengths differ, a rank is not finite, or a rater ranked an option of a task twice.

    Notes
    -----
    Source: Luce 1959, "Individual choice behavior"; methods: section 14.
    """
    tasks, raters, codes = (coded(np.asarray(ids))[1] for ids in (task, rater, option))
    positions = np.full(len(codes), np.nan) if position is None else np.asarray(position, dtype=np.float64)
    names = coded(np.asarray(option))[0]
    ranked = RankedOptions(tasks, raters, codes, np.asarray(rank, dtype=np.float64), positions, names)
    if len(np.unique(np.stack([tasks, raters, codes]), axis=1).T) < len(ranked):
        raise InputError("a rater ranked an option of a task twice; keep one of the ranks")
    return ranked


def implied_pairs(ranked: RankedOptions) -> PairedVotes:
    """Return the comparisons that rankings imply, with the task as item.

    Parameters
    ----------
    ranked : (n,) ranks of S options

    Returns
    -------
    PairedVotes
        (N,) comparisons, k (k - 1) / 2 of a ranking of k options and 2k - 3 of a best-worst choice. `first_shown` is
        True where the first option of a pair was shown before the second; False for unknown positions.

    Notes
    -----
    Source: Kiritchenko and Mohammad 2017, section 3 (best-worst); Luce 1959 (ranks).
    """
    better_parts, worse_parts = [], []
    for table in ranked.tables:
        first, second = np.triu_indices(table.shape[1], 1)
        better_parts.append(table[:, first].ravel())
        worse_parts.append(table[:, second].ravel())
    better, worse = (
        np.concatenate([np.zeros(0, dtype=np.int64), *places]) for places in (better_parts, worse_parts)
    )
    tied = ranked.rank[better] == ranked.rank[worse]
    if ranked.is_best_worst:
        better, worse, tied = better[~tied], worse[~tied], tied[~tied]
    swapped = ranked.option[better] > ranked.option[worse]
    first, second = np.where(swapped, worse, better), np.where(swapped, better, worse)
    outcome = np.where(tied, TIE, np.where(swapped, SECOND, FIRST))
    offered = np.full(len(better), ranked.has_ties and not ranked.is_best_worst)
    comparisons = PairedComparisons(
        ranked.option[first], ranked.option[second], outcome, offered, ranked.options
    )
    shown = ranked.position[first] < ranked.position[second]
    return PairedVotes(comparisons, ranked.task[better], ranked.rater[better], (), 0, shown, better)


def has_known_order(ranked: RankedOptions, votes: PairedVotes) -> Flags:
    """Return a mask of implied pairs (N,) for which it is known which option was shown first."""
    comparisons = votes.comparisons
    position = np.full((int(ranked.ranking.max(initial=-1)) + 1, len(ranked.options)), np.nan)
    position[ranked.ranking, ranked.option] = ranked.position
    ranking = ranked.ranking[votes.row]
    first, second = position[ranking, comparisons.first], position[ranking, comparisons.second]
    return np.asarray(np.isfinite(first) & np.isfinite(second) & (first != second))


def fit_ranked(ranked: RankedOptions, votes: PairedVotes | None = None) -> Scale:
    """Fit one scale to all options.

    Parameters
    ----------
    ranked : (n,) ranks of S options
    votes : the implied pairs, if already computed

    Returns
    -------
    Scale
        log-strengths with mean 0: by Plackett-Luce without ties, else by Bradley-Terry with ties of the implied pairs.
        Its counts are those of the implied pairs.

    Notes
    -----
    Under Plackett-Luce, a pair of a ranking follows Bradley-Terry with the same strengths, so that both scales have the
    same estimand. Options off the scale of pairs are excluded from the rankings.
    Source: Luce 1959; Plackett 1975; Hunter 2004; methods: section 14.
    """
    votes = implied_pairs(ranked) if votes is None else votes
    scale = fit_comparisons(votes.comparisons)
    on_scale = np.flatnonzero(scale.position == ON)
    if not uses_plackett_luce(ranked) or len(on_scale) < 2:
        return scale
    tables = _orders_on_scale(ranked, scale)
    strength = scale.strength.copy()
    strength[on_scale] = _maximize_likelihood(tables, scale.strength[on_scale])
    likelihood = _log_likelihood(tables, strength[on_scale])
    return replace(
        scale, strength=strength, chance=expected_share(strength, scale.tie), log_likelihood=likelihood
    )


def uses_plackett_luce(ranked: RankedOptions) -> bool:
    """Return True if the scale is fitted to whole rankings, not to the implied pairs."""
    return not ranked.has_ties


def scale_of_rankings(
    ranked: RankedOptions,
    scale: Scale,
    votes: PairedVotes,
    spec: BootstrapSpec | None = None,
    raters_are_persons: bool = True,
    scope: RankingScope = DEFAULT_SCOPE,
) -> ScaleIntervals:
    """Return intervals of strengths, chances and differences, with ranks and clusters, of a scale from rankings.

    Parameters
    ----------
    ranked, votes, scale : (n,) ranks of S options, their implied pairs and scale
    spec : level, and draws and seed of the normal deviates that adjust for all pairs at once
    raters_are_persons : if not, rankings cannot be grouped by rater
    scope : raters and tasks that intervals hold for

    Returns
    -------
    ScaleIntervals
        `resampled` names the units of the intervals, as `resampled_units` does. None for raters like these with fewer
        than 3 raters.

    Notes
    -----
    Source: White 1982 (sandwich); Cameron, Gelbach and Miller 2011, section 2; methods: section 14.
    """
    spec = spec or BootstrapSpec()
    task, rater = cluster_codes(ranked, raters_are_persons, scope)
    resampled = resampled_units(ranked, raters_are_persons, scope)
    if "raters" in resampled and ranked.raters < FEWEST_FOR_OTHERS:
        return undefined_intervals(scale, too_few_raters_reason(ranked.raters))
    if not uses_plackett_luce(ranked):
        row = votes.row
        intervals = sandwich_intervals(
            votes.comparisons, task[row], None if rater is None else rater[row], spec
        )
        return replace(intervals, resampled=resampled if not intervals.reason else intervals.resampled)
    on_scale = np.flatnonzero(scale.position == ON)
    if spec.draws == 0:
        return undefined_intervals(scale, "no draws were asked for")
    if len(on_scale) == 0:
        return undefined_intervals(scale, "no two options are on one scale")
    first = np.concatenate([table[:, 0] for table in ranked.tables])
    if len(np.unique(task[first])) < 2:
        return undefined_intervals(scale, "there is only one ranking, so intervals are undefined")
    tables, k = _orders_on_scale(ranked, scale), len(on_scale)
    information = np.zeros((k + 1, k + 1))
    information[:k, :k] = sum(
        (_scores_and_information(order, scale.strength[on_scale])[1] for order, _ in tables), np.zeros((k, k))
    )
    widest = max(order.shape[1] for order, _ in tables)
    indices, value, rows = [], [], []
    for order, row in tables:
        slope = _scores_and_information(order, scale.strength[on_scale])[0]
        padding = ((0, 0), (0, widest - order.shape[1]))
        indices.append(np.pad(order, padding))
        value.append(np.pad(slope, padding))
        rows.append(row)
    contributions = ScoreContributions(np.concatenate(indices), np.concatenate(value), k + 1)
    ranking_rows = np.concatenate(rows)
    rater_code = np.zeros(len(ranking_rows), dtype=np.int64) if rater is None else rater[ranking_rows]
    score_covariance = two_way_covariance(contributions, task[ranking_rows], rater_code, k - 1)
    covariance = sandwich_covariance(pseudo_inverse(information), score_covariance, np.arange(k + 1))
    return replace(
        intervals_from_covariance(scale, on_scale, covariance, spec, rater is not None), resampled=resampled
    )


def resampled_units(
    ranked: RankedOptions, raters_are_persons: bool = True, scope: RankingScope = DEFAULT_SCOPE
) -> str:
    """Return the units of the intervals: "items" (the tasks), "raters", "items and raters", or "rankings" for these
    raters and tasks."""
    tasks = scope.tasks or "tasks like these"
    units = ["items"] if tasks == "tasks like these" and ranked.tasks >= FEWEST_TASKS else []
    units += ["raters"] if chosen_scope(scope.raters, ranked.raters, raters_are_persons) == OTHERS else []
    return " and ".join(units) or "rankings"


def cluster_codes(
    ranked: RankedOptions, raters_are_persons: bool = True, scope: RankingScope = DEFAULT_SCOPE
) -> tuple[Codes, Codes | None]:
    """Return the codes (n,) of independent clusters, by `resampled_units`; two sets for tasks and raters."""
    codes_by_unit = {"items": ranked.task, "raters": ranked.rater, "rankings": ranked.ranking}
    first, *second = resampled_units(ranked, raters_are_persons, scope).split(" and ")
    return codes_by_unit[first], codes_by_unit[second[0]] if second else None


def _orders_on_scale(ranked: RankedOptions, scale: Scale) -> list[tuple[Codes, Codes]]:
    """Return the options (g, k) of rankings, best first, as indices on the scale without those off it, and the row
    (g,) of a rank of each."""
    index_on_scale = np.full(len(ranked.options), -1)
    index_on_scale[scale.position == ON] = np.arange(int((scale.position == ON).sum()))
    is_on_scale = index_on_scale[ranked.option] >= 0
    if is_on_scale.all():
        return [(index_on_scale[ranked.option[table]], table[:, 0]) for table in ranked.tables]
    rows = np.flatnonzero(is_on_scale)
    remaining = RankedOptions(
        ranked.task[rows],
        ranked.rater[rows],
        ranked.option[rows],
        ranked.rank[rows],
        ranked.position[rows],
        ranked.options,
    )
    return [(index_on_scale[remaining.option[table]], rows[table[:, 0]]) for table in remaining.tables]


def _scores_and_information(order: Codes, strength: Floats) -> tuple[Floats, Floats]:
    """Return each ranking's scores (g, k) of the log-likelihood, in the order of its options, and the information
    (S, S)."""
    weight = np.exp(strength[order])
    remaining = np.cumsum(weight[:, ::-1], axis=1)[:, ::-1]
    inverse_sums = np.cumsum(1 / remaining[:, :-1], axis=1)
    score = 1.0 - weight * np.concatenate([inverse_sums, inverse_sums[:, -1:]], axis=1)
    score[:, -1] -= 1.0
    s, k = len(strength), order.shape[1]
    information = np.zeros((s, s))
    for begin in range(0, len(order), max(_CELLS_PER_BLOCK // max(s, 1), 1)):
        block = slice(begin, begin + max(_CELLS_PER_BLOCK // max(s, 1), 1))
        rows = np.arange(len(order[block]))[:, None]
        for stage in range(k - 1):
            share = np.zeros((len(rows), s))
            share[rows, order[block, stage:]] = weight[block, stage:] / remaining[block, stage, None]
            information += np.diag(share.sum(axis=0)) - share.T @ share
    return score, information


def _log_likelihood(tables: list[tuple[Codes, Codes]], strength: Floats) -> float:
    total = 0.0
    for order, _ in tables:
        ranked_strength = strength[order]
        remaining = np.logaddexp.accumulate(ranked_strength[:, ::-1], axis=1)[:, ::-1]
        total += float((ranked_strength - remaining)[:, :-1].sum())
    return total


def _maximize_likelihood(tables: list[tuple[Codes, Codes]], start: Floats) -> Floats:
    """Return the log-strengths (S,) of Plackett-Luce with mean 0, by Newton's method with step halving."""
    strength = start - start.mean()
    current = _log_likelihood(tables, strength)
    for _ in range(_STEPS):
        score, information = np.zeros(len(strength)), np.zeros((len(strength),) * 2)
        for order, _ in tables:
            scores, block_information = _scores_and_information(order, strength)
            score += np.bincount(order.ravel(), scores.ravel(), len(strength))
            information += block_information
        step = pseudo_inverse(information) @ score
        for _ in range(30):
            candidate = _log_likelihood(tables, strength + step)
            if candidate >= current - 1e-12 * abs(current):
                break
            step /= 2
        strength, current = strength + step, candidate
        if np.abs(step).max() < _SMALLEST_STEP:
            break
    return np.asarray(strength - strength.mean())
