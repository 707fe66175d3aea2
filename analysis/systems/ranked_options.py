"""One scale from rankings of two or more options: Plackett-Luce, or with ties Bradley-Terry of the implied pairs.

A ranking is what one rater made of one task: all options of the task or some, with or without ties. In a best-worst
choice one option is the best and one the worst, and nothing is said of the others among each other.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.agreement.reliability import FEWEST_FOR_OTHERS, OTHERS, too_few_raters_reason
from analysis.systems.bradley_terry import ON, Scale, expected_share, fit_comparisons, inverse
from analysis.systems.clustered_intervals import Additions, between, clustered, read_off, two_ways
from analysis.systems.goodness_of_fit import PairedVotes
from analysis.systems.rankings import FIRST, SECOND, TIE, PairedComparisons
from analysis.systems.scale_intervals import ScaleIntervals, without
from analysis.values.estimate import BootstrapSpec, Codes, Flags, Floats, InputError, Scope, chosen_scope
from analysis.values.ratings import coded

FEWEST_TASKS = 5
"""Tasks from which on intervals hold for tasks like these; with fewer, for these tasks."""
TaskScope = Literal["these tasks", "tasks like these"]
TASK_SCOPES: tuple[TaskScope, ...] = ("these tasks", "tasks like these")
FEWEST_OF_TUPLE = 4
"""Options of a best-worst choice; with three, a ranking says the same."""
_STEPS, _SMALLEST_STEP = 100, 1e-10
_AT_ONCE = 4_000_000


@dataclass(frozen=True)
class RankingScope:
    """Raters and tasks that intervals of rankings generalize to; None for the default.

    By default these are raters like these from 6 raters on, and tasks like these from `FEWEST_TASKS` tasks on. With
    fewer tasks there are only these.

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
    """n ranks as codes: `task`, `rater` and `option` (n,), `rank` (n,) with 1 the best, and the `options` (S,).

    `position` (n,) is the place in which an option was shown, NaN where it is not known. `of_tuples` says that they are
    best-worst choices though their tuples have three options.

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
        """The ranking that each rank belongs to (n,)."""
        return coded(self.task * (int(self.rater.max(initial=0)) + 1) + self.rater)[1]

    @cached_property
    def tables(self) -> list[Codes]:
        """For each number of options, the places (g, k) of the ranks of g rankings, the best first."""
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
        """True where a rater gave two options of a task one rank."""
        return any(bool((np.diff(self.rank[table], axis=1) == 0).any()) for table in self.tables)

    @cached_property
    def is_best_worst(self) -> bool:
        """True where every ranking has one best and one worst option, and ties all others."""

        def has_ends(ranks: Floats) -> bool:
            inner = ranks[:, 1:-1]
            tied = (inner == inner[:, :1]).all()
            return bool(tied and (ranks[:, 0] < inner[:, 0]).all() and (ranks[:, -1] > inner[:, -1]).all())

        fewest = 3 if self.of_tuples else FEWEST_OF_TUPLE
        sizes = [table.shape[1] for table in self.tables]
        return bool(sizes) and min(sizes) >= fewest and all(has_ends(self.rank[t]) for t in self.tables)


def ranked_options(
    task: ArrayLike, rater: ArrayLike, option: ArrayLike, rank: ArrayLike, position: ArrayLike | None = None
) -> RankedOptions:
    """Return rankings from any ids.

    Parameters
    ----------
    task, rater, option : (n,) ids of what the ranking was for, of who ranked, and of what was ranked
    rank : (n,) 1 for the best; equal ranks of a task and rater are ties
    position : (n,) place in which the option was shown, where it is known

    Raises
    ------
    InputError
        where lengths differ, a rank is not finite, or a rater ranked an option of a task twice.

    Notes
    -----
    Source: Luce 1959, "Individual choice behavior"; methods: section 14.
    """
    tasks, raters, codes = (coded(np.asarray(ids))[1] for ids in (task, rater, option))
    shown = np.full(len(codes), np.nan) if position is None else np.asarray(position, dtype=np.float64)
    names = coded(np.asarray(option))[0]
    found = RankedOptions(tasks, raters, codes, np.asarray(rank, dtype=np.float64), shown, names)
    if len(np.unique(np.stack([tasks, raters, codes]), axis=1).T) < len(found):
        raise InputError("a rater ranked an option of a task twice; keep one of the ranks")
    return found


def implied_pairs(ranked: RankedOptions) -> PairedVotes:
    """Return the comparisons (N,) that rankings imply, with the task as item; a tuple of k gives 2k - 3.

    `first_shown` says that the first option of a pair stood before the second; False where positions are not known.
    Source: Kiritchenko and Mohammad 2017, section 3 (best-worst); Luce 1959 (ranks).
    """
    ones, others = [], []
    for table in ranked.tables:
        first, second = np.triu_indices(table.shape[1], 1)
        ones.append(table[:, first].ravel())
        others.append(table[:, second].ravel())
    one, other = (np.concatenate([np.zeros(0, dtype=np.int64), *places]) for places in (ones, others))
    tied = ranked.rank[one] == ranked.rank[other]
    if ranked.is_best_worst:
        one, other, tied = one[~tied], other[~tied], tied[~tied]
    swapped = ranked.option[one] > ranked.option[other]
    first, second = np.where(swapped, other, one), np.where(swapped, one, other)
    outcome = np.where(tied, TIE, np.where(swapped, SECOND, FIRST))
    offered = np.full(len(one), ranked.has_ties and not ranked.is_best_worst)
    comparisons = PairedComparisons(
        ranked.option[first], ranked.option[second], outcome, offered, ranked.options
    )
    shown = ranked.position[first] < ranked.position[second]
    return PairedVotes(comparisons, ranked.task[one], ranked.rater[one], (), 0, shown, one)


def knows_position(ranked: RankedOptions, votes: PairedVotes) -> Flags:
    """Return for which implied pairs (N,) it is known which option was shown first."""
    comparisons = votes.comparisons
    place = np.full((int(ranked.ranking.max(initial=-1)) + 1, len(ranked.options)), np.nan)
    place[ranked.ranking, ranked.option] = ranked.position
    of = ranked.ranking[votes.row]
    first, second = place[of, comparisons.first], place[of, comparisons.second]
    return np.asarray(np.isfinite(first) & np.isfinite(second) & (first != second))


def fit_ranked(ranked: RankedOptions, votes: PairedVotes | None = None) -> Scale:
    """Return one scale for all options.

    Parameters
    ----------
    ranked : (n,) ranks of S options
    votes : the pairs that they imply, where these are there already

    Returns
    -------
    Scale
        log-strengths with mean 0: by Plackett-Luce where nothing is tied, else by Bradley-Terry with ties of the
        implied pairs. Its counts are those of the implied pairs.

    Notes
    -----
    Under Plackett-Luce, a pair of a ranking follows Bradley-Terry with the same strengths, so that both scales estimate
    the same. Options off the scale of pairs are left out of the rankings.
    Source: Luce 1959; Plackett 1975; Hunter 2004; methods: section 14.
    """
    votes = implied_pairs(ranked) if votes is None else votes
    scale = fit_comparisons(votes.comparisons)
    on = np.flatnonzero(scale.position == ON)
    if not uses_plackett_luce(ranked) or len(on) < 2:
        return scale
    tables = _orders(ranked, scale)
    strength = scale.strength.copy()
    strength[on] = _maximize(tables, scale.strength[on])
    likelihood = _likelihood(tables, strength[on])
    return replace(
        scale, strength=strength, chance=expected_share(strength, scale.tie), log_likelihood=likelihood
    )


def uses_plackett_luce(ranked: RankedOptions) -> bool:
    """Return True where the scale is that of whole rankings, not of the pairs that they imply."""
    return not ranked.has_ties


def scale_of_rankings(
    ranked: RankedOptions,
    scale: Scale,
    votes: PairedVotes,
    spec: BootstrapSpec | None = None,
    raters_are_persons: bool = True,
    scope: RankingScope = DEFAULT_SCOPE,
) -> ScaleIntervals:
    """Return intervals of strengths, chances and differences, ranks and clusters of a scale from rankings.

    Parameters
    ----------
    ranked, votes, scale : (n,) ranks of S options, their implied pairs and scale
    spec : level, and draws and seed of the normal deviates that adjust for all pairs at once
    raters_are_persons : if not, rankings of one rater are not known to be so
    scope : raters and tasks that intervals hold for

    Returns
    -------
    ScaleIntervals
        `resampled` says what intervals are over, as `resampled_units` does. None for raters like these from fewer than
        3 raters.

    Notes
    -----
    Source: White 1982 (sandwich); Cameron, Gelbach and Miller 2011, section 2; methods: section 14.
    """
    spec = spec or BootstrapSpec()
    task, rater = clusters(ranked, raters_are_persons, scope)
    resampled = resampled_units(ranked, raters_are_persons, scope)
    if "raters" in resampled and ranked.raters < FEWEST_FOR_OTHERS:
        return without(scale, spec, too_few_raters_reason(ranked.raters))
    if not uses_plackett_luce(ranked):
        of = votes.row
        found = clustered(votes.comparisons, task[of], None if rater is None else rater[of], spec)
        return replace(found, resampled=resampled if not found.reason else found.resampled)
    on = np.flatnonzero(scale.position == ON)
    if spec.draws == 0:
        return without(scale, spec, "no draws were asked for")
    if len(on) == 0:
        return without(scale, spec, "no two options are on one scale")
    first = np.concatenate([table[:, 0] for table in ranked.tables])
    if len(np.unique(task[first])) < 2:
        return without(scale, spec, "there is only one ranking, so intervals are undefined")
    tables, k = _orders(ranked, scale), len(on)
    bend = np.zeros((k + 1, k + 1))
    bend[:k, :k] = sum(
        (_slopes_and_bend(order, scale.strength[on])[1] for order, _ in tables), np.zeros((k, k))
    )
    widest = max(order.shape[1] for order, _ in tables)
    place, value, rows = [], [], []
    for order, of in tables:
        slope = _slopes_and_bend(order, scale.strength[on])[0]
        padding = ((0, 0), (0, widest - order.shape[1]))
        place.append(np.pad(order, padding))
        value.append(np.pad(slope, padding))
        rows.append(of)
    parts = Additions(np.concatenate(place), np.concatenate(value), k + 1)
    at = np.concatenate(rows)
    by = np.zeros(len(at), dtype=np.int64) if rater is None else rater[at]
    found_parts = two_ways(parts, task[at], by, k - 1)
    spread = between(inverse(bend), found_parts, np.arange(k + 1))
    return replace(read_off(scale, on, spread, spec, rater is not None), resampled=resampled)


def resampled_units(
    ranked: RankedOptions, raters_are_persons: bool = True, scope: RankingScope = DEFAULT_SCOPE
) -> str:
    """Return what intervals are over: "items" (the tasks), "raters", "items and raters", or each of the "rankings" for
    these raters and tasks."""
    tasks = scope.tasks or "tasks like these"
    over = ["items"] if tasks == "tasks like these" and ranked.tasks >= FEWEST_TASKS else []
    over += ["raters"] if chosen_scope(scope.raters, ranked.raters, raters_are_persons) == OTHERS else []
    return " and ".join(over) or "rankings"


def clusters(
    ranked: RankedOptions, raters_are_persons: bool = True, scope: RankingScope = DEFAULT_SCOPE
) -> tuple[Codes, Codes | None]:
    """Return the clusters (n,) that are independent, by `resampled_units`; with tasks and raters, both."""
    by = {"items": ranked.task, "raters": ranked.rater, "rankings": ranked.ranking}
    first, *second = resampled_units(ranked, raters_are_persons, scope).split(" and ")
    return by[first], by[second[0]] if second else None


def _orders(ranked: RankedOptions, scale: Scale) -> list[tuple[Codes, Codes]]:
    """Return the options (g, k) of rankings, the best first, by their places on the scale without those off it, and the
    row (g,) of a rank of each."""
    place = np.full(len(ranked.options), -1)
    place[scale.position == ON] = np.arange(int((scale.position == ON).sum()))
    kept = place[ranked.option] >= 0
    if kept.all():
        return [(place[ranked.option[table]], table[:, 0]) for table in ranked.tables]
    rows = np.flatnonzero(kept)
    left = RankedOptions(
        ranked.task[rows],
        ranked.rater[rows],
        ranked.option[rows],
        ranked.rank[rows],
        ranked.position[rows],
        ranked.options,
    )
    return [(place[left.option[table]], rows[table[:, 0]]) for table in left.tables]


def _slopes_and_bend(order: Codes, strength: Floats) -> tuple[Floats, Floats]:
    """Return each ranking's slopes (g, k) of the log-likelihood, in the order of its options, and their information
    (S, S)."""
    weight = np.exp(strength[order])
    left = np.cumsum(weight[:, ::-1], axis=1)[:, ::-1]
    each = np.cumsum(1 / left[:, :-1], axis=1)
    slope = 1.0 - weight * np.concatenate([each, each[:, -1:]], axis=1)
    slope[:, -1] -= 1.0
    s, k = len(strength), order.shape[1]
    bend = np.zeros((s, s))
    for begin in range(0, len(order), max(_AT_ONCE // max(s, 1), 1)):
        block = slice(begin, begin + max(_AT_ONCE // max(s, 1), 1))
        rows = np.arange(len(order[block]))[:, None]
        for stage in range(k - 1):
            share = np.zeros((len(rows), s))
            share[rows, order[block, stage:]] = weight[block, stage:] / left[block, stage, None]
            bend += np.diag(share.sum(axis=0)) - share.T @ share
    return slope, bend


def _likelihood(tables: list[tuple[Codes, Codes]], strength: Floats) -> float:
    total = 0.0
    for order, _ in tables:
        told = strength[order]
        left = np.logaddexp.accumulate(told[:, ::-1], axis=1)[:, ::-1]
        total += float((told - left)[:, :-1].sum())
    return total


def _maximize(tables: list[tuple[Codes, Codes]], start: Floats) -> Floats:
    """Return the log-strengths (S,) of Plackett-Luce with mean 0, by Newton's method with halved steps."""
    strength = start - start.mean()
    now = _likelihood(tables, strength)
    for _ in range(_STEPS):
        slope, bend = np.zeros(len(strength)), np.zeros((len(strength),) * 2)
        for order, _ in tables:
            slopes, more = _slopes_and_bend(order, strength)
            slope += np.bincount(order.ravel(), slopes.ravel(), len(strength))
            bend += more
        step = inverse(bend) @ slope
        for _ in range(30):
            tried = _likelihood(tables, strength + step)
            if tried >= now - 1e-12 * abs(now):
                break
            step /= 2
        strength, now = strength + step, tried
        if np.abs(step).max() < _SMALLEST_STEP:
            break
    return np.asarray(strength - strength.mean())
