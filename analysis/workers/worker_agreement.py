"""Agreement of workers with the majority, with an expert and with gold."""

from collections.abc import Mapping
from dataclasses import replace
from itertools import combinations, pairwise
from math import nan, sqrt
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from analysis.correlation.rank_rows import pearson_from_sums
from analysis.correlation.two_columns import Correlation, pearson, spearman
from analysis.resampling.intervals import FISHER, fisher_interval, interval_from_error
from analysis.values.estimate import Codes, Estimate, Floats, InputError
from analysis.values.ratings import Ratings
from analysis.values.votes import Votes

FEWEST_WORKERS = 3
"""Workers that a correlation over workers needs."""
MOST_JACKKNIFE_WORKERS = 1000
"""Largest number of workers for the jackknife."""
_PERFECT = 1 - 1e-6
CELLS_PER_BLOCK = 4_000_000
"""Votes times options in a block."""


def agreement_with_majority(votes: Votes) -> Floats:
    """Return the share of each worker's votes that agree with the majority of the others.

    Parameters
    ----------
    votes : N votes by w workers

    Returns
    -------
    (w,)
        share of the worker's votes on items with other raters; a vote for one of t tied options counts 1 / t. NaN
        without such items.

    Notes
    -----
    Not corrected for chance: where one option is nearly always right, always choosing it also agrees.
    Source: Habibi and Popescu-Belis 2012, section 6 (majority voting), without the worker's own votes.
    """
    pair, pair_code = np.unique(votes.rater * max(votes.items, 1) + votes.item, return_inverse=True)
    rater_of_pair, item = np.divmod(pair, max(votes.items, 1))
    order = np.argsort(pair_code, kind="stable")
    pair_code, choice = pair_code[order], votes.choice[order]
    options = max(votes.options, 1)
    all_counts = np.bincount(votes.item * options + votes.choice, minlength=votes.items * options)
    all_counts = all_counts.reshape(votes.items, options)
    agreeing, compared = np.zeros((2, votes.raters))
    step = max(CELLS_PER_BLOCK // options, 1)
    for start in range(0, len(pair), step):
        end = min(start + step, len(pair))
        block_votes = slice(*np.searchsorted(pair_code, [start, end]))
        cells = (pair_code[block_votes] - start) * options + choice[block_votes]
        own_votes = np.bincount(cells, minlength=(end - start) * options).reshape(-1, options)
        other_votes = all_counts[item[start:end]] - own_votes
        largest_count = other_votes.max(axis=1, keepdims=True)
        highest = (other_votes == largest_count) & (largest_count > 0)
        agreeing_votes = (own_votes * highest).sum(axis=1) / np.maximum(highest.sum(axis=1), 1)
        judged_votes = own_votes.sum(axis=1) * (largest_count[:, 0] > 0)
        agreeing += np.bincount(rater_of_pair[start:end], weights=agreeing_votes, minlength=votes.raters)
        compared += np.bincount(rater_of_pair[start:end], weights=judged_votes, minlength=votes.raters)
    return agreeing / np.where(compared > 0, compared, nan)


def rank_correlations(
    figures: Mapping[str, ArrayLike], level: float = 0.95
) -> dict[tuple[str, str], Estimate]:
    """Return Spearman's rho between all pairs of methods, over the workers with both figures.

    Parameters
    ----------
    figures : method -> (w,) figures of the same workers, NaN where undefined
    level : of the intervals

    Returns
    -------
    dict
        (one method, a later one) -> rho with n = workers; undefined with its reason under three workers.

    Raises
    ------
    InputError
        where lengths differ.

    Notes
    -----
    All methods use the same votes, so that even two useless methods may agree; only known answers are independent
    evidence. The interval is over workers, on Fisher's z, with the larger of Bonett and Wright's and the jackknife
    standard error, since figures of workers with few items vary more.
    Source: methods, section 4; Bonett and Wright 2000; Efron and Stein 1981 (jackknife).
    """
    columns = {name: np.asarray(values, dtype=np.float64) for name, values in figures.items()}
    if len({values.shape for values in columns.values()}) > 1:
        raise InputError(
            f"`figures` must be equally long, got {[len(values) for values in columns.values()]}"
        )
    by_pair = {}
    for first, second in combinations(columns, 2):
        x, y = _select_defined_pairs(columns[first], columns[second])
        by_pair[first, second] = _reason_for_workers(_spearman_over_workers(x, y, level)).estimate
    return by_pair


def correlate_known_with_r(
    r: ArrayLike, known: ArrayLike, level: float = 0.95
) -> tuple[Correlation, Correlation]:
    """Correlate the workers' agreement with known answers, e_w, with their agreement with the others, r_w.

    Parameters
    ----------
    r, known : (w,) of the same workers, NaN where undefined
    level : of the intervals

    Returns
    -------
    (Correlation, Correlation)
        Pearson's r, without an interval, and Spearman's rho; n = workers with both.

    Raises
    ------
    InputError
        where lengths differ.

    Notes
    -----
    The interval is that of `rank_correlations` and ignores the sampling error of both figures, which attenuates the
    correlation. Pearson's r depends on outlying workers; its intervals covered 76 to 96% (Fisher's z, jackknife) and
    are not given.
    Source: Habibi and Popescu-Belis 2012, section 6, Table 1.

    >>> pair = [0.81, 0.65, 0.64, 0.71], [0.66, 0.54, 0.54, 0.50]
    >>> round(correlate_known_with_r(*pair)[0].estimate.value, 2)
    0.78
    """
    x, y = np.asarray(r, dtype=np.float64), np.asarray(known, dtype=np.float64)
    if x.shape != y.shape:
        raise InputError(f"`r` and `known` must be equally long, got {len(x)} and {len(y)}")
    x, y = _select_defined_pairs(x, y)
    correlation = pearson(x, y, level=level)
    without_interval = replace(correlation, estimate=replace(correlation.estimate, low=nan, high=nan))
    return _reason_for_workers(without_interval), _reason_for_workers(_spearman_over_workers(x, y, level))


def agreement_with_reference(
    ratings: Ratings, values: Mapping[Any, float], level: float = 0.95
) -> tuple[Estimate, ...]:
    """Return Pearson's r of each rater's scores with reference values of the same items: e_w for numbers.

    Parameters
    ----------
    ratings : N ratings by w raters
    values : item -> its value in the reference
    level : of the intervals

    Returns
    -------
    (w,) estimates
        in ascending order of rater ids, n = items with a value; undefined with its reason.

    Notes
    -----
    It does not depend on severity. Several scores of a rater for an item are averaged first. Intervals are Fisher's z
    over the rater's items.
    Source: e_w of Habibi and Popescu-Belis 2012, section 6, for scores (methods, section 4, last line).
    """
    raters, rater = np.unique(ratings.rater, return_inverse=True)
    items, item = np.unique(ratings.item, return_inverse=True)
    value = np.array([values.get(name, nan) for name in items.tolist()], dtype=np.float64)
    cell, cell_code = np.unique(rater * max(len(items), 1) + item, return_inverse=True)
    own_mean = np.bincount(cell_code, weights=ratings.score) / np.maximum(np.bincount(cell_code), 1)
    rater_of_cell, item_of_cell = np.divmod(cell, max(len(items), 1))
    has_value = np.isfinite(value[item_of_cell])
    rater_of_cell, own_mean, reference = (
        rater_of_cell[has_value],
        own_mean[has_value],
        value[item_of_cell][has_value],
    )
    start = np.searchsorted(rater_of_cell, np.arange(len(raters) + 1))
    return tuple(
        _reason_for_reference(pearson(own_mean[a:b], reference[a:b], level=level).estimate)
        for a, b in pairwise(start.tolist())
    )


def agreement_with_reference_from_sums(
    items: Codes, own: Floats, others: Floats, products: Floats, level: float = 0.95
) -> tuple[Estimate, ...]:
    """Return `agreement_with_reference` from sums (w,) over the items of each rater that have a value: their number,
    and the centered sums of squares of the scores and of the values, and of their products."""
    is_defined = (items >= 3) & (own > 0) & (others > 0)
    return tuple(
        _reason_for_reference(
            fisher_interval(r, 1 / sqrt(n - 3) if n > 3 else nan, n, level)
            if r == r
            else Estimate(nan, n=n, reason="undefined")
        )
        for r, n in zip(
            pearson_from_sums(own, others, products, is_defined).tolist(),
            items.tolist(),
            strict=True,
        )
    )


def _reason_for_reference(e: Estimate) -> Estimate:
    """Reword the reason of an undefined estimate for a reference."""
    if e.defined:
        return e
    few = "fewer than 3 items with a reference"
    return replace(e, reason=few if e.n < 3 else "the scores, or the reference, do not vary")


def _spearman_over_workers(x: Floats, y: Floats, level: float) -> Correlation:
    """Return Spearman's rho (w,) with its interval over workers."""
    correlation = spearman(x, y, level=level)
    e = correlation.estimate
    if np.isnan(e.low) or np.abs(e.value) >= 1 or e.n > MOST_JACKKNIFE_WORKERS:
        return correlation
    error = max(float(np.sqrt((1 + e.value**2 / 2) / (e.n - 3))), _jackknife_error(x, y))
    low, high = interval_from_error(e.value, error, level, scale=FISHER)
    return replace(correlation, estimate=replace(e, low=float(low), high=float(high)))


def _jackknife_error(x: Floats, y: Floats) -> float:
    """Return the jackknife standard error of Fisher's z of Spearman's rho over workers."""
    n = len(x)
    off_diagonal = ~np.eye(n, dtype=np.bool_)
    rank_x, rank_y = (
        stats.rankdata(np.broadcast_to(v, (n, n))[off_diagonal].reshape(n, n - 1), axis=1) for v in (x, y)
    )
    deviation_x, deviation_y = (rank - rank.mean(axis=1, keepdims=True) for rank in (rank_x, rank_y))
    scale = np.sqrt((deviation_x**2).sum(axis=1) * (deviation_y**2).sum(axis=1))
    z = FISHER.forward((deviation_x * deviation_y).sum(axis=1)[scale > 0] / scale[scale > 0])
    z = z[np.abs(z) < FISHER.forward(_PERFECT)]
    return float(np.sqrt((n - 1) / n * ((z - z.mean()) ** 2).sum())) if len(z) else 0.0


def _select_defined_pairs(x: Floats, y: Floats) -> tuple[Floats, Floats]:
    both = ~(np.isnan(x) | np.isnan(y))
    return x[both], y[both]


def _reason_for_workers(correlation: Correlation) -> Correlation:
    """Reword the reasons for workers."""
    e = correlation.estimate
    if e.defined and not e.reason:
        return correlation
    if e.n < FEWEST_WORKERS:
        reason = f"fewer than {FEWEST_WORKERS} raters have both figures"
    elif not e.defined:
        reason = "one of the figures is the same for all workers"
    elif e.n == FEWEST_WORKERS:
        reason = f"no interval over only {FEWEST_WORKERS} workers"
    else:
        reason = e.reason
    return replace(correlation, estimate=replace(e, reason=reason))


def worker_confusion(votes: Votes, gold: ArrayLike, worker: int) -> Codes:
    """Count one worker's votes on items with gold (Dawid and Skene 1979, section 2)."""
    true = check_gold(votes, gold)
    mask = (votes.rater == worker) & (true[votes.item] >= 0)
    k = votes.options
    cell = true[votes.item[mask]] * k + votes.choice[mask]
    return np.bincount(cell, minlength=k * k).reshape(k, k)


def check_gold(votes: Votes, gold: ArrayLike) -> Codes:
    """Return gold (q,) as codes, -1 where unknown, or raise an error if it does not match the votes."""
    true = np.asarray(gold, dtype=np.int64)
    if true.shape != (votes.items,):
        raise InputError(
            f"`gold` needs one option for each of the {votes.items} items (-1 where not known), "
            f"got shape {true.shape}"
        )
    if len(true) and not (true.min() >= -1 and true.max() < votes.options):
        raise InputError(f"`gold` must lie in -1 … {votes.options - 1}, got {true.min()} to {true.max()}")
    return true
