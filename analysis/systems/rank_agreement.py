"""Agreement of rankings: Kendall's W over tasks with its interval, and each rater's correlation with the others;
counting scores of best-worst choices."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import nan

import numpy as np
from scipy import special, stats
from scipy.stats import rankdata

from analysis.agreement.reliability import too_few_raters_reason
from analysis.assessors.naming import RaterChanges, clipped_fisher_z
from analysis.systems.ranked_options import (
    DEFAULT_SCOPE,
    FEWEST_TASKS,
    RankedOptions,
    RankingScope,
    clusters,
    resampled_units,
)
from analysis.systems.rankings import KendallsW, kendalls_w
from analysis.values.estimate import Codes, Estimate, Flags, Floats, InputError
from analysis.values.ratings import coded

FEWEST_RATERS = 3
_NO_VARIANCE = 1e-12


@dataclass(frozen=True, eq=False)
class Concordance:
    """Kendall's W over tasks.

    `w` is the ratio of sums over tasks, n = rankings; `correlation` the mean rank correlation of two raters, with the
    same interval on another scale; `p` of no agreement: Kendall's test with one task, else from the interval's standard
    error, or by chi-square where there is none. `tasks` (t,) are the codes of tasks in which two raters or more ranked
    the same options, `by_task` the W of each. `left_out` counts rankings of other options than those of most raters in
    their task. `over` says what the interval is over, as `resampled_units` does; `p` is that of the default scope.
    """

    w: Estimate
    correlation: Estimate
    p: float
    tasks: Codes
    by_task: tuple[KendallsW, ...]
    left_out: int
    over: str


@dataclass(frozen=True, eq=False)
class _Blocks:
    """Raters with whole rankings by task: each block the ids of its raters and their midranks (m, n), centered."""

    task: list[int]
    rater: list[Codes]
    ranks: list[Floats]


def concordance(
    ranked: RankedOptions,
    level: float = 0.95,
    raters_are_persons: bool = True,
    scope: RankingScope = DEFAULT_SCOPE,
) -> Concordance:
    """Return Kendall's W over all tasks, with its test and interval.

    Parameters
    ----------
    ranked : (n,) ranks of S options
    level : of the interval
    raters_are_persons : if not, raters of different tasks are not known to be the same
    scope : raters and tasks that the interval holds for

    Returns
    -------
    Concordance
        NaN with a reason where no task was ranked by two raters.

    Notes
    -----
    W of a task is 12 S / (m² (n³ - n) - m sum(t³ - t)). Over tasks, sums are divided: W = (1 + (m - 1) r) / m where
    all tasks have m raters and r is the mean correlation of their ranks. The interval is that of r by the delete-one
    jackknife of Fisher's z over tasks, over raters, over both (tasks plus raters less rankings), or over rankings, with
    Student's t.
    Source: Kendall and Babington Smith 1939; Arvesen 1969 (the jackknife); Cameron, Gelbach and Miller 2011.
    """
    blocks, left_out = _blocks(ranked)
    found = tuple(map(_w_of, blocks.ranks))
    tasks = np.array(blocks.task, dtype=np.int64)
    if not blocks.ranks:
        none = Estimate(nan, reason="no two raters ranked the same options of a task")
        return Concordance(none, none, nan, tasks, found, left_out, "")
    shared, spread, weight, whole = _sums(blocks)
    total, most = shared.sum(), spread.sum()
    rankings = sum(map(len, blocks.rater))
    if not most > 0:
        none = Estimate(nan, n=rankings, reason="every rater ties all options")
        return Concordance(none, none, nan, tasks, found, left_out, "")
    r = float(total / most)

    def as_w(correlation: float) -> float:
        return float((whole.sum() + correlation * most) / weight.sum())

    usual, chosen = (resampled_units(ranked, raters_are_persons, of) for of in (DEFAULT_SCOPE, scope))
    low, high, p, over, reason = _ends(blocks, shared, spread, r, level, chosen)
    if chosen != usual:  # raters who rank at random do so in every scope
        p = _ends(blocks, shared, spread, r, level, usual)[2]
    if len(found) == 1:
        found = (kendalls_w(blocks.ranks[0]),)
        p = found[0].p
    elif np.isnan(p):
        p = float(stats.chi2.sf(sum(one.chi_squared for one in found), sum(one.items - 1 for one in found)))
    correlation = Estimate(r, low, high, rankings, warning=reason)
    floor = 0.0
    w = Estimate(as_w(r), max(as_w(low), floor), min(as_w(high), 1.0), rankings, warning=reason)
    return Concordance(w, correlation, p, tasks, found, left_out, over)


def _blocks(ranked: RankedOptions) -> tuple[_Blocks, int]:
    """Return the rankings of the options that most raters of a task ranked, and how many others there are."""
    order = np.lexsort((ranked.option, ranked.rater, ranked.task))
    task, rater, option = (part[order] for part in (ranked.task, ranked.rater, ranked.option))
    rank = ranked.rank[order]
    new = (task[1:] != task[:-1]) | (rater[1:] != rater[:-1])
    starts = [0, *(np.flatnonzero(new) + 1).tolist()] if len(task) else []
    by_task: dict[int, dict[tuple[int, ...], list[tuple[int, Floats]]]] = {}
    for begin, end in zip(starts, [*starts[1:], len(task)], strict=True):
        key = tuple(option[begin:end].tolist())
        if len(key) > 1:
            sets = by_task.setdefault(int(task[begin]), {})
            sets.setdefault(key, []).append((int(rater[begin]), rank[begin:end]))
    blocks, left_out = _Blocks([], [], []), 0
    for of, sets in by_task.items():
        most = max(sets.values(), key=lambda group: (len(group), len(group[0][1])))
        left_out += sum(map(len, sets.values())) - (len(most) if len(most) > 1 else 0)
        if len(most) > 1:
            midranks = rankdata(np.stack([ranks for _, ranks in most]), axis=1)
            blocks.task.append(of)
            blocks.rater.append(np.array([who for who, _ in most], dtype=np.int64))
            blocks.ranks.append(midranks - (midranks.shape[1] + 1) / 2)
    return blocks, left_out


def _w_of(ranks: Floats) -> KendallsW:
    """Return W of centered midranks (m, n), without a test, which would take long for many tasks."""
    m, n = ranks.shape
    most = m * float((ranks**2).sum())
    value = float((ranks.sum(axis=0) ** 2).sum()) / most if most > 0 else nan
    return KendallsW(
        value, m * (n - 1) * value, nan, m, n, False, "" if most > 0 else "every rater ties all options"
    )


def _sums(blocks: _Blocks) -> tuple[Floats, Floats, Floats, Floats]:
    """Return by task the sum of products of two raters' ranks, that of one rater's with all others allowed for, and
    numerator and denominator of W without them."""
    shared, spread, weight, whole = [], [], [], []
    for ranks in blocks.ranks:
        m, own = len(ranks), float((ranks**2).sum())
        shared.append(float((ranks.sum(axis=0) ** 2).sum()) - own)
        spread.append((m - 1) * own)
        whole.append(own)
        weight.append(m * own)
    return np.array(shared), np.array(spread), np.array(weight), np.array(whole)


def _ends(
    blocks: _Blocks, shared: Floats, spread: Floats, r: float, level: float, over: str
) -> tuple[float, float, float, str, str]:
    """Return the interval of the mean correlation, p that it is 0, what it is over, and why there is none.

    Tasks that two raters did not rank do not count, so that fewer may be left than an interval over tasks needs.
    """
    tasks, people = len(blocks.ranks), np.unique(np.concatenate(blocks.rater))
    if "items" in over and tasks < FEWEST_TASKS:
        over = "raters" if "raters" in over else "rankings"
    if "items" not in over and len(people) < FEWEST_RATERS:
        return nan, nan, nan, "", f"an interval needs {FEWEST_TASKS} tasks or {FEWEST_RATERS} raters"
    if "raters" in over and len(people) < FEWEST_RATERS:
        return nan, nan, nan, "", too_few_raters_reason(len(people))
    by_rater, by_cell = _without_raters(blocks, people, shared, spread)
    z, of_cells = float(clipped_fisher_z(r)), _variance(float(clipped_fisher_z(r)), *by_cell)
    parts, degrees = list[float](), list[float]()
    if "items" in over:
        parts.append(_variance(z, shared.sum() - shared, spread.sum() - spread))
        degrees.append(tasks - 1.0)
    if "raters" in over:
        of_raters = _variance(z, *by_rater)
        parts.append(max(of_raters - of_cells, 0.0) if "items" in over else of_raters)
        degrees.append(len(people) - 1.0)
    if over == "rankings":
        parts.append(of_cells)
        degrees.append(len(by_cell[0]) - 1.0)
    variance = sum(parts)
    if not variance > _NO_VARIANCE:
        return nan, nan, nan, "", "all rankings agree to the same degree, so no interval is defined"
    freedom = max(variance**2 / sum(part**2 / of for part, of in zip(parts, degrees, strict=True)), 1.0)
    error = float(np.sqrt(variance))
    reach = float(stats.t.ppf((1 + level) / 2, freedom)) * error
    p = float(2 * stats.t.sf(abs(z) / error, freedom))
    return float(np.tanh(z - reach)), float(np.tanh(z + reach)), p, over, ""


def _variance(z: float, shared: Floats, spread: Floats) -> float:
    """Return the delete-one jackknife variance of Fisher's z from the sums without each cluster."""
    kept = spread > 0
    changed = clipped_fisher_z(shared[kept] / spread[kept])
    g = len(changed)
    return float((g - 1) / g * ((changed - changed.mean()) ** 2).sum()) if g > 1 else 0.0


def _without_raters(
    blocks: _Blocks, people: Codes, shared: Floats, spread: Floats
) -> tuple[tuple[Floats, Floats], tuple[Floats, Floats]]:
    """Return the sums over tasks without each rater, and without each rater in one task."""
    lost_shared, lost_spread = np.zeros(len(people)), np.zeros(len(people))
    cells: list[Floats] = []
    for who, ranks in zip(blocks.rater, blocks.ranks, strict=True):
        own = (ranks**2).sum(axis=1)
        m = len(ranks)
        lost = 2 * (ranks @ ranks.sum(axis=0) - own)
        # without one rater, m - 2 others are left for each of m - 1
        of_spread = (m - 1) * own.sum() - (m - 2) * (own.sum() - own)
        at = np.searchsorted(people, who)
        np.add.at(lost_shared, at, lost)
        np.add.at(lost_spread, at, of_spread)
        cells.append(np.stack([lost, of_spread]))
    each = np.concatenate(cells, axis=1)
    whole = shared.sum(), spread.sum()
    return (
        (whole[0] - lost_shared, whole[1] - lost_spread),
        (whole[0] - each[0], whole[1] - each[1]),
    )


def correlation_with_others(ranked: RankedOptions) -> RaterChanges:
    """Return Fisher's z of the correlation of each rater's ranks with the mean ranks of the others, and its change
    without each task.

    Parameters
    ----------
    ranked : n ranks by w raters

    Returns
    -------
    RaterChanges
        arrays (w,) and (m,); units are tasks in which another rater ranked two options of the rater or more.

    Notes
    -----
    Ranks and mean ranks are centered within task and rater, and their products summed over tasks.
    Source: Habibi and Popescu-Belis 2012, section 5, Eq. 1, on ranks; Efron and Stein 1981 (the jackknife).
    """
    raters, rater = coded(ranked.rater)
    w, cells = len(raters), coded(ranked.task * (len(ranked.options) + 1) + ranked.option)[1]
    rank = _within(ranked)
    total, many = np.bincount(cells, rank), np.bincount(cells)
    others = many[cells] > 1
    mean = (total[cells] - rank)[others] / (many[cells] - 1)[others]
    own, group = rank[others], ranked.ranking[others]
    who, task = rater[others], ranked.task[others]
    group = coded(group)[1]
    size = np.bincount(group)
    x, y = (column - (np.bincount(group, column) / size)[group] for column in (own, mean))
    first = np.unique(group, return_index=True)[1]
    sums = [np.bincount(group, each, len(size)).astype(np.float64) for each in (x * x, y * y, x * y)]
    of, at = who[first], task[first]
    kept = size > 1
    of, at, sums = of[kept], at[kept], [each[kept] for each in sums]
    whole = [np.bincount(of, each, w).astype(np.float64) for each in sums]
    z = clipped_fisher_z(_correlation(whole))
    left = clipped_fisher_z(
        _correlation([all_of[of] - each for all_of, each in zip(whole, sums, strict=True)])
    )
    units = np.bincount(of, minlength=w)
    return RaterChanges(raters, z, units, at, of, np.nan_to_num(left - z[of]))


def correlation_with_position(ranked: RankedOptions) -> tuple[Codes, Floats]:
    """Return the raters (w,) and Pearson's correlation of each one's ranks with the positions in which options were
    shown, both centered within rankings; NaN where positions are not known. Not where positions tell quality."""
    raters, rater = coded(ranked.rater)
    known = np.flatnonzero(np.isfinite(ranked.position))
    group = coded(ranked.ranking[known])[1]
    size = np.maximum(np.bincount(group), 1)
    x, y = (
        column - (np.bincount(group, column) / size)[group]
        for column in (_within(ranked)[known], ranked.position[known])
    )
    sums = [np.bincount(rater[known], part, len(raters)).astype(np.float64) for part in (x * x, y * y, x * y)]
    return raters, _correlation(sums)


def _within(ranked: RankedOptions) -> Floats:
    """Return midranks within each ranking, from 0 to 1 so that long rankings do not count more."""
    rank = np.zeros(len(ranked))
    for table in ranked.tables:
        rank[table] = (rankdata(ranked.rank[table], axis=1) - 1) / (table.shape[1] - 1)
    return rank


def _correlation(sums: Sequence[Floats]) -> Floats:
    xx, yy, xy = sums
    defined: Flags = (xx > 1e-12) & (yy > 1e-12)
    root = np.sqrt(np.where(defined, xx * yy, 1.0))
    return np.asarray(np.divide(xy, root, out=np.full(len(xx), nan), where=defined))


UNRANKED = "no other rater ranked the same options differently"


def rater_estimates(
    changes: RaterChanges, level: float = 0.95, undefined: str = UNRANKED
) -> tuple[Estimate, ...]:
    """Return the agreement of each rater with the others, n = units, with its interval over units.

    Parameters
    ----------
    changes : Fisher's z of correlations or alphas, as `correlation_with_others` gives them
    level : of the intervals
    undefined : the reason of a rater without a figure

    Returns
    -------
    tuple
        one per rater; without an interval from fewer than `FEWEST_TASKS` units.

    Notes
    -----
    The delete-one jackknife of Fisher's z with Student's t. Source: Arvesen 1969.
    """
    units = changes.units
    mean = np.bincount(changes.rater, changes.change, len(units)) / np.maximum(units, 1)
    squares = np.bincount(changes.rater, (changes.change - mean[changes.rater]) ** 2, len(units))
    error = np.sqrt(squares * (units - 1) / np.maximum(units, 1))
    found = []
    for z, n, of in zip(changes.z.tolist(), units.tolist(), error.tolist(), strict=True):
        if not np.isfinite(z):
            found.append(Estimate(nan, n=n, reason=undefined))
        elif n < FEWEST_TASKS or not of > 0:
            found.append(Estimate(float(np.tanh(z)), n=n))
        else:
            reach = float(stats.t.ppf((1 + level) / 2, n - 1)) * of
            ends = float(np.tanh(z - reach)), float(np.tanh(z + reach))
            found.append(Estimate(float(np.tanh(z)), *ends, n))
    return tuple(found)


HALVES = 100
"""Random halves of the tuples."""


@dataclass(frozen=True, eq=False)
class BestWorstScores:
    """Counting scores of the S options of best-worst choices.

    `score` (S,) is (times best - times worst) / times shown, from -1 to 1, with `low` and `high`; `shown`, `best` and
    `worst` (S,) are counts. `inflation` (S,) is how many times as large as that of independent shares the variance of
    a score is. `reliability` is the mean Spearman correlation of the scores of two random halves of the tuples,
    `halves` all of them; NaN with a `reason` where it is undefined.
    """

    score: Floats
    low: Floats
    high: Floats
    shown: Codes
    best: Codes
    worst: Codes
    inflation: Floats
    reliability: float
    halves: Floats
    reason: str = ""


def best_worst_scores(
    ranked: RankedOptions,
    level: float = 0.95,
    seed: int = 0,
    raters_are_persons: bool = True,
    halves: int = HALVES,
    scope: RankingScope = DEFAULT_SCOPE,
) -> BestWorstScores:
    """Return the counting scores of best-worst choices with intervals, and their split-half reliability.

    Parameters
    ----------
    ranked : best-worst choices, (n,) ranks of S options: one best and one worst in each
    level : of the intervals
    seed : of the halves
    halves : number of random halves
    raters_are_persons : if not, choices of one rater are not known to be so
    scope : raters and tuples that intervals hold for

    Returns
    -------
    BestWorstScores

    Raises
    ------
    InputError
        where `ranked` are no best-worst choices.

    Notes
    -----
    (score + 1) / 2 is treated as a share: Wilson's interval, with as many choices as independent ones would say the
    same. How many these are comes from the variance of all options' scores, clustered as
    `clusters` says.
    Source: Kiritchenko and Mohammad 2017, section 3; Wilson 1927; Rao and Scott 1992 (clustered shares).
    """
    if not ranked.is_best_worst:
        raise InputError("`ranked` must be best-worst choices: one best and one worst option in each")
    s, rows = len(ranked.options), np.concatenate([table.ravel() for table in ranked.tables])
    value = np.zeros(len(ranked))
    for table in ranked.tables:
        value[table[:, 0]], value[table[:, -1]] = 1.0, -1.0
    option, of = ranked.option[rows], value[rows]
    shown, best, worst = (np.bincount(option[which], minlength=s) for which in (of > -2, of > 0, of < 0))
    score = np.divide(best - worst, shown, out=np.full(s, np.nan), where=shown > 0)
    part = (score + 1) / 2
    by, by_rater = clusters(ranked, raters_are_persons, scope)
    other = None if by_rater is None else by_rater[rows]
    inflation = _inflation((of + 1) / 2, option, part, by[rows], other)
    many = np.where(shown > 0, shown / inflation, np.nan)
    z = special.ndtri((1 + level) / 2)
    middle = (part + z**2 / (2 * many)) / (1 + z**2 / many)
    reach = z / (1 + z**2 / many) * np.sqrt(part * (1 - part) / many + z**2 / (4 * many**2))
    low, high = 2 * (middle - reach) - 1, 2 * (middle + reach) - 1
    correlations = _halves(option, of, ranked.task[rows], s, seed, halves)
    reason = "" if len(correlations) else "no half of the tuples has three options that differ in score"
    mean = float(correlations.mean()) if len(correlations) else np.nan
    return BestWorstScores(score, low, high, shown, best, worst, inflation, mean, correlations, reason)


def _inflation(part: Floats, option: Codes, mean: Floats, task: Codes, rater: Codes | None) -> Floats:
    """Return how many times as large as p (1 - p) / n the variance of each share (S,) is, clustered by task and rater.

    That of all options together, or the option's own where that is larger.
    """
    left, s = part - mean[option], len(mean)
    shown = np.bincount(option, minlength=s)

    def squares(by: Codes) -> Floats:
        own, cell = coded(option * (int(by.max()) + 1) + by)
        sums = np.bincount(cell, left)
        of = own // (int(by.max()) + 1)
        many = np.bincount(of, minlength=s)[of]
        return np.bincount(of, sums**2 * many / np.maximum(many - 1, 1), s).astype(np.float64)

    found = squares(task)
    if rater is not None and rater.max(initial=0) > 0:
        more = squares(rater) - squares(task * (int(rater.max()) + 1) + rater)
        found = np.maximum(found, found + more)
    usual = shown * np.nan_to_num(mean * (1 - mean))
    if not usual.sum() > 0 or not found.sum() > 0:
        return np.ones(s)
    own = np.divide(found, usual, out=np.zeros(s), where=usual > 0)
    return np.asarray(np.maximum(found.sum() / usual.sum(), own))


def _halves(option: Codes, value: Floats, task: Codes, s: int, seed: int, halves: int) -> Floats:
    """Return the rank correlations of the scores of random halves of the tuples."""
    rng, tuples = np.random.default_rng(seed), coded(task)[1]
    many = int(tuples.max(initial=-1)) + 1
    found = []
    for _ in range(halves):
        inside = rng.permutation(many) < many // 2
        scores = []
        for half in (inside[tuples], ~inside[tuples]):
            shown = np.bincount(option[half], minlength=s)
            total = np.bincount(option[half], value[half], s)
            scores.append(np.divide(total, shown, out=np.full(s, np.nan), where=shown > 0))
        both = np.isfinite(scores[0]) & np.isfinite(scores[1])
        x, y = (rankdata(each[both]) for each in scores)
        if len(x) > 2 and x.std() > 0 and y.std() > 0:
            found.append(float(np.corrcoef(x, y)[0, 1]))
    return np.array(found)
