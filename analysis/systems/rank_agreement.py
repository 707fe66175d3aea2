"""Agreement of rankings: Kendall's W over tasks with its interval, and each rater's correlation with the others;
counting scores of best-worst choices."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import nan

import numpy as np
from scipy import special, stats
from scipy.stats import rankdata

from analysis.agreement.reliability import too_few_raters_reason
from analysis.assessors.typical_rater import RaterChanges, clipped_fisher_z
from analysis.systems.ranked_options import (
    DEFAULT_SCOPE,
    FEWEST_TASKS,
    RankedOptions,
    RankingScope,
    cluster_codes,
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

    `w` is the ratio of sums over tasks, n = rankings; `correlation` the mean rank correlation of two raters, with
    the same interval on another scale; `p` of no agreement: Kendall's test with one task, else from the interval's
    standard error, or by chi-square without an interval. `tasks` (t,) are the codes of tasks in which two or more
    raters ranked the same options, `by_task` the W of each. `left_out` counts rankings of other options than those
    of most raters in their task. `over` names the units of the interval, as `resampled_units` does; `p` is that of
    the default scope.
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
    """Complete rankings by task: each block has the ids of its raters and their centered midranks (m, n)."""

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
    level : confidence level of the interval
    raters_are_persons : if not, raters cannot be matched across tasks
    scope : raters and tasks that the interval holds for

    Returns
    -------
    Concordance
        NaN with a reason where no task was ranked by two raters.

    Notes
    -----
    W of a task is 12 S / (m² (n³ - n) - m sum(t³ - t)). Over tasks, W is the ratio of the sums of both terms: W =
    (1 + (m - 1) r) / m for m raters in all tasks and the mean correlation r of their ranks. The interval is that of r
    by the delete-one jackknife of Fisher's z over tasks, over raters, over both (tasks plus raters minus rankings), or
    over rankings, with Student's t.
    Source: Kendall and Babington Smith 1939; Arvesen 1969 (the jackknife); Cameron, Gelbach and Miller 2011.
    """
    blocks, left_out = _group_rankings(ranked)
    by_task = tuple(map(_kendalls_w_without_test, blocks.ranks))
    tasks = np.array(blocks.task, dtype=np.int64)
    if not blocks.ranks:
        none = Estimate(nan, reason="no two raters ranked the same options of a task")
        return Concordance(none, none, nan, tasks, by_task, left_out, "")
    products, maxima, weight, squares = _sum_rank_products(blocks)
    total, largest = products.sum(), maxima.sum()
    rankings = sum(map(len, blocks.rater))
    if not largest > 0:
        none = Estimate(nan, n=rankings, reason="every rater ties all options")
        return Concordance(none, none, nan, tasks, by_task, left_out, "")
    r = float(total / largest)

    def correlation_to_w(correlation: float) -> float:
        return float((squares.sum() + correlation * largest) / weight.sum())

    default_units, units = (
        resampled_units(ranked, raters_are_persons, chosen) for chosen in (DEFAULT_SCOPE, scope)
    )
    low, high, p, resampled, reason = _correlation_interval(blocks, products, maxima, r, level, units)
    if units != default_units:  # the null hypothesis does not depend on the scope
        p = _correlation_interval(blocks, products, maxima, r, level, default_units)[2]
    if len(by_task) == 1:
        by_task = (kendalls_w(blocks.ranks[0]),)
        p = by_task[0].p
    elif np.isnan(p):
        p = float(
            stats.chi2.sf(sum(test.chi_squared for test in by_task), sum(test.items - 1 for test in by_task))
        )
    correlation = Estimate(r, low, high, rankings, warning=reason)
    floor = 0.0
    w = Estimate(
        correlation_to_w(r),
        max(correlation_to_w(low), floor),
        min(correlation_to_w(high), 1.0),
        rankings,
        warning=reason,
    )
    return Concordance(w, correlation, p, tasks, by_task, left_out, resampled)


def _group_rankings(ranked: RankedOptions) -> tuple[_Blocks, int]:
    """Return the rankings of the options that most raters of a task ranked, and the number of other rankings."""
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
    for task_code, sets in by_task.items():
        largest_group = max(sets.values(), key=lambda group: (len(group), len(group[0][1])))
        left_out += sum(map(len, sets.values())) - (len(largest_group) if len(largest_group) > 1 else 0)
        if len(largest_group) > 1:
            midranks = rankdata(np.stack([ranks for _, ranks in largest_group]), axis=1)
            blocks.task.append(task_code)
            blocks.rater.append(np.array([rater_code for rater_code, _ in largest_group], dtype=np.int64))
            blocks.ranks.append(midranks - (midranks.shape[1] + 1) / 2)
    return blocks, left_out


def _kendalls_w_without_test(ranks: Floats) -> KendallsW:
    """Return W of centered midranks (m, n) without its test, which would be slow for many tasks."""
    m, n = ranks.shape
    maximum = m * float((ranks**2).sum())
    value = float((ranks.sum(axis=0) ** 2).sum()) / maximum if maximum > 0 else nan
    return KendallsW(
        value, m * (n - 1) * value, nan, m, n, False, "" if maximum > 0 else "every rater ties all options"
    )


def _sum_rank_products(blocks: _Blocks) -> tuple[Floats, Floats, Floats, Floats]:
    """Return by task the sum of products of different raters' ranks, its maximum, and the two other terms of W."""
    products, maxima, weight, squares = [], [], [], []
    for ranks in blocks.ranks:
        m, sum_of_squares = len(ranks), float((ranks**2).sum())
        products.append(float((ranks.sum(axis=0) ** 2).sum()) - sum_of_squares)
        maxima.append((m - 1) * sum_of_squares)
        squares.append(sum_of_squares)
        weight.append(m * sum_of_squares)
    return np.array(products), np.array(maxima), np.array(weight), np.array(squares)


def _correlation_interval(
    blocks: _Blocks, products: Floats, maxima: Floats, r: float, level: float, units: str
) -> tuple[float, float, float, str, str]:
    """Return the interval of the mean correlation, p of no correlation, the units it is over, and why there is none.

    Only tasks ranked by two raters count, so that fewer may remain than an interval over tasks needs.
    """
    tasks, raters = len(blocks.ranks), np.unique(np.concatenate(blocks.rater))
    if "items" in units and tasks < FEWEST_TASKS:
        units = "raters" if "raters" in units else "rankings"
    if "items" not in units and len(raters) < FEWEST_RATERS:
        return nan, nan, nan, "", f"an interval needs {FEWEST_TASKS} tasks or {FEWEST_RATERS} raters"
    if "raters" in units and len(raters) < FEWEST_RATERS:
        return nan, nan, nan, "", too_few_raters_reason(len(raters))
    by_rater, by_cell = _leave_one_out_sums(blocks, raters, products, maxima)
    z, cell_variance = float(clipped_fisher_z(r)), _jackknife_variance(float(clipped_fisher_z(r)), *by_cell)
    variances, degrees = list[float](), list[float]()
    if "items" in units:
        variances.append(_jackknife_variance(z, products.sum() - products, maxima.sum() - maxima))
        degrees.append(tasks - 1.0)
    if "raters" in units:
        rater_variance = _jackknife_variance(z, *by_rater)
        variances.append(max(rater_variance - cell_variance, 0.0) if "items" in units else rater_variance)
        degrees.append(len(raters) - 1.0)
    if units == "rankings":
        variances.append(cell_variance)
        degrees.append(len(by_cell[0]) - 1.0)
    variance = sum(variances)
    if not variance > _NO_VARIANCE:
        return nan, nan, nan, "", "all rankings agree to the same degree, so no interval is defined"
    degrees_of_freedom = max(
        variance**2 / sum(part**2 / df for part, df in zip(variances, degrees, strict=True)), 1.0
    )
    standard_error = float(np.sqrt(variance))
    half_width = float(stats.t.ppf((1 + level) / 2, degrees_of_freedom)) * standard_error
    p = float(2 * stats.t.sf(abs(z) / standard_error, degrees_of_freedom))
    return float(np.tanh(z - half_width)), float(np.tanh(z + half_width)), p, units, ""


def _jackknife_variance(z: float, products: Floats, maxima: Floats) -> float:
    """Return the delete-one jackknife variance of Fisher's z from the leave-one-out sums."""
    is_defined = maxima > 0
    leave_one_out_values = clipped_fisher_z(products[is_defined] / maxima[is_defined])
    g = len(leave_one_out_values)
    return (
        float((g - 1) / g * ((leave_one_out_values - leave_one_out_values.mean()) ** 2).sum())
        if g > 1
        else 0.0
    )


def _leave_one_out_sums(
    blocks: _Blocks, raters: Codes, products: Floats, maxima: Floats
) -> tuple[tuple[Floats, Floats], tuple[Floats, Floats]]:
    """Return the sums over tasks without each rater, and without each rater in one task."""
    removed_products, removed_maxima = np.zeros(len(raters)), np.zeros(len(raters))
    cells: list[Floats] = []
    for rater_codes, ranks in zip(blocks.rater, blocks.ranks, strict=True):
        squares = (ranks**2).sum(axis=1)
        m = len(ranks)
        products_of_rater = 2 * (ranks @ ranks.sum(axis=0) - squares)
        # Without one rater, each of the m - 1 remaining raters has m - 2 others.
        maxima_of_rater = (m - 1) * squares.sum() - (m - 2) * (squares.sum() - squares)
        index = np.searchsorted(raters, rater_codes)
        np.add.at(removed_products, index, products_of_rater)
        np.add.at(removed_maxima, index, maxima_of_rater)
        cells.append(np.stack([products_of_rater, maxima_of_rater]))
    all_cells = np.concatenate(cells, axis=1)
    totals = products.sum(), maxima.sum()
    return (
        (totals[0] - removed_products, totals[1] - removed_maxima),
        (totals[0] - all_cells[0], totals[1] - all_cells[1]),
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
    rank = _ranks_within_rankings(ranked)
    total, count = np.bincount(cells, rank), np.bincount(cells)
    has_others = count[cells] > 1
    mean = (total[cells] - rank)[has_others] / (count[cells] - 1)[has_others]
    own_rank, group = rank[has_others], ranked.ranking[has_others]
    rater_codes, task = rater[has_others], ranked.task[has_others]
    group = coded(group)[1]
    size = np.bincount(group)
    x, y = (column - (np.bincount(group, column) / size)[group] for column in (own_rank, mean))
    first = np.unique(group, return_index=True)[1]
    sums = [np.bincount(group, each, len(size)).astype(np.float64) for each in (x * x, y * y, x * y)]
    rater_of_group, task_of_group = rater_codes[first], task[first]
    has_two = size > 1
    rater_of_group, task_of_group, sums = (
        rater_of_group[has_two],
        task_of_group[has_two],
        [each[has_two] for each in sums],
    )
    rater_sums = [np.bincount(rater_of_group, each, w).astype(np.float64) for each in sums]
    z = clipped_fisher_z(_correlations_from_sums(rater_sums))
    leave_one_out_values = clipped_fisher_z(
        _correlations_from_sums(
            [all_of[rater_of_group] - each for all_of, each in zip(rater_sums, sums, strict=True)]
        )
    )
    units = np.bincount(rater_of_group, minlength=w)
    return RaterChanges(
        raters,
        z,
        units,
        task_of_group,
        rater_of_group,
        np.nan_to_num(leave_one_out_values - z[rater_of_group]),
    )


def correlation_with_position(ranked: RankedOptions) -> tuple[Codes, Floats]:
    """Return the raters (w,) and Pearson's correlation of each one's ranks with the positions in which options were
    shown, both centered within rankings; NaN for unknown positions. Not where positions depend on quality."""
    raters, rater = coded(ranked.rater)
    rows = np.flatnonzero(np.isfinite(ranked.position))
    group = coded(ranked.ranking[rows])[1]
    size = np.maximum(np.bincount(group), 1)
    x, y = (
        column - (np.bincount(group, column) / size)[group]
        for column in (_ranks_within_rankings(ranked)[rows], ranked.position[rows])
    )
    sums = [np.bincount(rater[rows], part, len(raters)).astype(np.float64) for part in (x * x, y * y, x * y)]
    return raters, _correlations_from_sums(sums)


def _ranks_within_rankings(ranked: RankedOptions) -> Floats:
    """Return midranks within each ranking, scaled to 0 to 1 so that long rankings have no larger weight."""
    rank = np.zeros(len(ranked))
    for table in ranked.tables:
        rank[table] = (rankdata(ranked.rank[table], axis=1) - 1) / (table.shape[1] - 1)
    return rank


def _correlations_from_sums(sums: Sequence[Floats]) -> Floats:
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
    level : confidence level of the intervals
    undefined : reason for raters without an estimate

    Returns
    -------
    tuple
        one per rater; without an interval for fewer than `FEWEST_TASKS` units.

    Notes
    -----
    The delete-one jackknife of Fisher's z with Student's t. Source: Arvesen 1969.
    """
    units = changes.units
    mean = np.bincount(changes.rater, changes.change, len(units)) / np.maximum(units, 1)
    squares = np.bincount(changes.rater, (changes.change - mean[changes.rater]) ** 2, len(units))
    error = np.sqrt(squares * (units - 1) / np.maximum(units, 1))
    estimates = []
    for z, n, standard_error in zip(changes.z.tolist(), units.tolist(), error.tolist(), strict=True):
        if not np.isfinite(z):
            estimates.append(Estimate(nan, n=n, reason=undefined))
        elif n < FEWEST_TASKS or not standard_error > 0:
            estimates.append(Estimate(float(np.tanh(z)), n=n))
        else:
            half_width = float(stats.t.ppf((1 + level) / 2, n - 1)) * standard_error
            bounds = float(np.tanh(z - half_width)), float(np.tanh(z + half_width))
            estimates.append(Estimate(float(np.tanh(z)), *bounds, n))
    return tuple(estimates)


HALVES = 100
"""Number of random halves of the tuples."""


@dataclass(frozen=True, eq=False)
class BestWorstScores:
    """Counting scores of the S options of best-worst choices.

    `score` (S,) is (times best - times worst) / times shown, from -1 to 1, with `low` and `high`; `shown`, `best`
    and `worst` (S,) are counts. `inflation` (S,) is the design effect: the variance of a score relative to that of
    independent choices. `reliability` is the mean Spearman correlation of the scores of two random halves of the
    tuples, `halves` all of them; NaN with a `reason` where it is undefined.
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
    raters_are_persons : if not, choices cannot be grouped by rater
    scope : raters and tuples that intervals hold for

    Returns
    -------
    BestWorstScores

    Raises
    ------
    InputError
        where `ranked` are not best-worst choices.

    Notes
    -----
    (score + 1) / 2 is treated as a share with Wilson's interval for the effective number of choices. This number comes
    from the clustered variance of all options' scores (`cluster_codes`).
    Source: Kiritchenko and Mohammad 2017, section 3; Wilson 1927; Rao and Scott 1992 (clustered shares).
    """
    if not ranked.is_best_worst:
        raise InputError("`ranked` must be best-worst choices: one best and one worst option in each")
    s, rows = len(ranked.options), np.concatenate([table.ravel() for table in ranked.tables])
    value = np.zeros(len(ranked))
    for table in ranked.tables:
        value[table[:, 0]], value[table[:, -1]] = 1.0, -1.0
    option, choice = ranked.option[rows], value[rows]
    times_shown, best, worst = (
        np.bincount(option[mask], minlength=s) for mask in (choice > -2, choice > 0, choice < 0)
    )
    score = np.divide(best - worst, times_shown, out=np.full(s, np.nan), where=times_shown > 0)
    share = (score + 1) / 2
    cluster, second_codes = cluster_codes(ranked, raters_are_persons, scope)
    second_cluster = None if second_codes is None else second_codes[rows]
    inflation = _design_effect((choice + 1) / 2, option, share, cluster[rows], second_cluster)
    effective_number = np.where(times_shown > 0, times_shown / inflation, np.nan)
    z = special.ndtri((1 + level) / 2)
    center = (share + z**2 / (2 * effective_number)) / (1 + z**2 / effective_number)
    half_width = (
        z
        / (1 + z**2 / effective_number)
        * np.sqrt(share * (1 - share) / effective_number + z**2 / (4 * effective_number**2))
    )
    low, high = 2 * (center - half_width) - 1, 2 * (center + half_width) - 1
    correlations = _split_half_correlations(option, choice, ranked.task[rows], s, seed, halves)
    reason = "" if len(correlations) else "no half of the tuples has three options that differ in score"
    mean = float(correlations.mean()) if len(correlations) else np.nan
    return BestWorstScores(score, low, high, times_shown, best, worst, inflation, mean, correlations, reason)


def _design_effect(share: Floats, option: Codes, mean: Floats, task: Codes, rater: Codes | None) -> Floats:
    """Return the variance of each share (S,), clustered by task and rater, relative to p (1 - p) / n.

    The larger of the value for all options together and that of the option.
    """
    residual, s = share - mean[option], len(mean)
    times_shown = np.bincount(option, minlength=s)

    def squares(cluster: Codes) -> Floats:
        pairs, cell = coded(option * (int(cluster.max()) + 1) + cluster)
        sums = np.bincount(cell, residual)
        option_of_cell = pairs // (int(cluster.max()) + 1)
        cluster_count = np.bincount(option_of_cell, minlength=s)[option_of_cell]
        return np.bincount(
            option_of_cell, sums**2 * cluster_count / np.maximum(cluster_count - 1, 1), s
        ).astype(np.float64)

    variance = squares(task)
    if rater is not None and rater.max(initial=0) > 0:
        rater_part = squares(rater) - squares(task * (int(rater.max()) + 1) + rater)
        variance = np.maximum(variance, variance + rater_part)
    binomial_variance = times_shown * np.nan_to_num(mean * (1 - mean))
    if not binomial_variance.sum() > 0 or not variance.sum() > 0:
        return np.ones(s)
    effect = np.divide(variance, binomial_variance, out=np.zeros(s), where=binomial_variance > 0)
    return np.asarray(np.maximum(variance.sum() / binomial_variance.sum(), effect))


def _split_half_correlations(
    option: Codes, value: Floats, task: Codes, s: int, seed: int, halves: int
) -> Floats:
    """Return the rank correlations of the scores of random halves of the tuples."""
    rng, tuples = np.random.default_rng(seed), coded(task)[1]
    tuple_count = int(tuples.max(initial=-1)) + 1
    correlations = []
    for _ in range(halves):
        in_first_half = rng.permutation(tuple_count) < tuple_count // 2
        scores = []
        for half in (in_first_half[tuples], ~in_first_half[tuples]):
            times_shown = np.bincount(option[half], minlength=s)
            total = np.bincount(option[half], value[half], s)
            scores.append(np.divide(total, times_shown, out=np.full(s, np.nan), where=times_shown > 0))
        is_defined = np.isfinite(scores[0]) & np.isfinite(scores[1])
        x, y = (rankdata(each[is_defined]) for each in scores)
        if len(x) > 2 and x.std() > 0 and y.std() > 0:
            correlations.append(float(np.corrcoef(x, y)[0, 1]))
    return np.array(correlations)
