"""Agreement of workers with the majority, with an expert and with gold."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import combinations, pairwise
from math import nan, sqrt
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from analysis.correlation.rank_rows import pearson_from_sums
from analysis.correlation.two_columns import Correlation, pearson, spearman
from analysis.resampling.intervals import FISHER, fisher_interval, interval_from_error, wilson_interval
from analysis.values.estimate import Codes, Estimate, Floats, InputError
from analysis.values.ratings import Ratings
from analysis.values.votes import Votes

FEWEST_WORKERS = 3
"""Workers that a correlation over workers needs."""
MOST_LEFT_OUT = 1000
"""Workers up to which each is left out in turn."""
_PERFECT = 1 - 1e-6
CELLS = 4_000_000
"""Votes times options looked at at once."""


def agreement_with_majority(votes: Votes) -> Floats:
    """Return how often each worker chooses what most of the others chose.

    Parameters
    ----------
    votes : N votes by w workers

    Returns
    -------
    (w,)
        share of the worker's votes on items that someone else judged; where t options have most votes, choosing
        one of them counts 1 / t. NaN where there is no such item.

    Notes
    -----
    Not corrected for chance: where one option is nearly always right, always choosing it agrees, too.
    Source: Habibi and Popescu-Belis 2012, section 6 (majority voting), the worker's own votes left out.
    """
    pair, place = np.unique(votes.rater * max(votes.items, 1) + votes.item, return_inverse=True)
    who, item = np.divmod(pair, max(votes.items, 1))
    order = np.argsort(place, kind="stable")
    place, choice = place[order], votes.choice[order]
    options = max(votes.options, 1)
    everyone = np.bincount(votes.item * options + votes.choice, minlength=votes.items * options)
    everyone = everyone.reshape(votes.items, options)
    agreed, counted = np.zeros((2, votes.raters))
    step = max(CELLS // options, 1)
    for start in range(0, len(pair), step):
        stop = min(start + step, len(pair))
        of = slice(*np.searchsorted(place, [start, stop]))
        cells = (place[of] - start) * options + choice[of]
        own = np.bincount(cells, minlength=(stop - start) * options).reshape(-1, options)
        others = everyone[item[start:stop]] - own
        most = others.max(axis=1, keepdims=True)
        highest = (others == most) & (most > 0)
        with_them = (own * highest).sum(axis=1) / np.maximum(highest.sum(axis=1), 1)
        judged = own.sum(axis=1) * (most[:, 0] > 0)
        agreed += np.bincount(who[start:stop], weights=with_them, minlength=votes.raters)
        counted += np.bincount(who[start:stop], weights=judged, minlength=votes.raters)
    return agreed / np.where(counted > 0, counted, nan)


def rank_correlations(
    figures: Mapping[str, ArrayLike], level: float = 0.95
) -> dict[tuple[str, str], Estimate]:
    """Spearman's rho between every two methods, over the workers who have both figures.

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
    All of them rest on the same votes, so even two useless methods may agree; only known answers are evidence from
    outside. The interval is over workers, on Fisher's z: the larger of Bonett and Wright's error and the jackknife's,
    since workers with few items scatter more than others.
    Source: methods, section 4; Bonett and Wright 2000; Efron and Stein 1981 (jackknife).
    """
    columns = {name: np.asarray(values, dtype=np.float64) for name, values in figures.items()}
    if len({values.shape for values in columns.values()}) > 1:
        raise InputError(
            f"`figures` must be equally long, got {[len(values) for values in columns.values()]}"
        )
    of_pairs = {}
    for one, other in combinations(columns, 2):
        x, y = _both(columns[one], columns[other])
        of_pairs[one, other] = _of_workers(_over_workers(x, y, level)).estimate
    return of_pairs


def known_against_r(r: ArrayLike, known: ArrayLike, level: float = 0.95) -> tuple[Correlation, Correlation]:
    """Return whether workers who give the known answers also agree with the others: e_w against r_w.

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
    The interval is that of `rank_correlations` and takes both figures as they are: noise in them makes the correlation
    smaller than that of the workers themselves. Pearson's r hangs on single workers far from the others; its intervals
    covered 76 to 96% (Fisher's z, jackknife) and are not given.
    Source: Habibi and Popescu-Belis 2012, section 6, Table 1.

    >>> pair = [0.81, 0.65, 0.64, 0.71], [0.66, 0.54, 0.54, 0.50]
    >>> round(known_against_r(*pair)[0].estimate.value, 2)
    0.78
    """
    x, y = np.asarray(r, dtype=np.float64), np.asarray(known, dtype=np.float64)
    if x.shape != y.shape:
        raise InputError(f"`r` and `known` must be equally long, got {len(x)} and {len(y)}")
    x, y = _both(x, y)
    plain = pearson(x, y, level=level)
    without = replace(plain, estimate=replace(plain.estimate, low=nan, high=nan))
    return _of_workers(without), _of_workers(_over_workers(x, y, level))


def agreement_with_reference(
    ratings: Ratings, values: Mapping[Any, float], level: float = 0.95
) -> tuple[Estimate, ...]:
    """Pearson's r of each rater's scores with a reference's value of the same items: e_w for numbers.

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
    Severity does not enter. Several scores of a rater for an item are averaged first. Intervals are Fisher's z over the
    rater's items.
    Source: e_w of Habibi and Popescu-Belis 2012, section 6, for scores (methods, section 4, last line).
    """
    raters, rater = np.unique(ratings.rater, return_inverse=True)
    items, item = np.unique(ratings.item, return_inverse=True)
    value = np.array([values.get(name, nan) for name in items.tolist()], dtype=np.float64)
    cell, place = np.unique(rater * max(len(items), 1) + item, return_inverse=True)
    own = np.bincount(place, weights=ratings.score) / np.maximum(np.bincount(place), 1)
    who, of_item = np.divmod(cell, max(len(items), 1))
    met = np.isfinite(value[of_item])
    who, own, theirs = who[met], own[met], value[of_item][met]
    start = np.searchsorted(who, np.arange(len(raters) + 1))
    return tuple(
        _with_reference(pearson(own[a:b], theirs[a:b], level=level).estimate)
        for a, b in pairwise(start.tolist())
    )


def agreement_with_reference_of_sums(
    items: Codes, own: Floats, others: Floats, products: Floats, level: float = 0.95
) -> tuple[Estimate, ...]:
    """As `agreement_with_reference`, from sums (w,) over the items of each rater that have a value: how many they are,
    and the squares of the rater's scores, of the values, and their products, each around its mean."""
    known = (items >= 3) & (own > 0) & (others > 0)
    return tuple(
        _with_reference(
            fisher_interval(r, 1 / sqrt(n - 3) if n > 3 else nan, n, level)
            if r == r
            else Estimate(nan, n=n, reason="undefined")
        )
        for r, n in zip(pearson_from_sums(own, others, products, known).tolist(), items.tolist(), strict=True)
    )


def _with_reference(e: Estimate) -> Estimate:
    """The same with a reason that speaks of a reference where it is undefined."""
    if e.defined:
        return e
    few = "fewer than 3 items with a reference"
    return replace(e, reason=few if e.n < 3 else "the scores, or the reference, do not vary")


def _over_workers(x: Floats, y: Floats, level: float) -> Correlation:
    """Spearman's rho (w,) with its interval over workers."""
    found = spearman(x, y, level=level)
    e = found.estimate
    if np.isnan(e.low) or np.abs(e.value) >= 1 or e.n > MOST_LEFT_OUT:
        return found
    error = max(float(np.sqrt((1 + e.value**2 / 2) / (e.n - 3))), _jackknife_error(x, y))
    low, high = interval_from_error(e.value, error, level, scale=FISHER)
    return replace(found, estimate=replace(e, low=float(low), high=float(high)))


def _jackknife_error(x: Floats, y: Floats) -> float:
    """The standard error of Fisher's z of Spearman's rho, each worker left out in turn."""
    n = len(x)
    others = ~np.eye(n, dtype=np.bool_)
    rank_x, rank_y = (
        stats.rankdata(np.broadcast_to(v, (n, n))[others].reshape(n, n - 1), axis=1) for v in (x, y)
    )
    away_x, away_y = (rank - rank.mean(axis=1, keepdims=True) for rank in (rank_x, rank_y))
    spread = np.sqrt((away_x**2).sum(axis=1) * (away_y**2).sum(axis=1))
    z = FISHER.forward((away_x * away_y).sum(axis=1)[spread > 0] / spread[spread > 0])
    z = z[np.abs(z) < FISHER.forward(_PERFECT)]
    return float(np.sqrt((n - 1) / n * ((z - z.mean()) ** 2).sum())) if len(z) else 0.0


def _both(x: Floats, y: Floats) -> tuple[Floats, Floats]:
    both = ~(np.isnan(x) | np.isnan(y))
    return x[both], y[both]


def _of_workers(correlation: Correlation) -> Correlation:
    """The same with reasons that speak of workers."""
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


@dataclass(frozen=True, eq=False)
class AgainstGold:
    """Each worker against gold, (w,) each: `accuracy` over `items` with gold, Wilson's interval; NaN without."""

    accuracy: Floats
    low: Floats
    high: Floats
    items: Codes


def against_gold(votes: Votes, gold: ArrayLike, level: float = 0.95) -> AgainstGold:
    """Each worker's accuracy on the items with gold.

    Parameters
    ----------
    votes : N votes by w workers on q items
    gold : (q,) the true option, -1 where not known
    level : of the intervals

    Returns
    -------
    AgainstGold
        arrays (w,).

    Raises
    ------
    InputError
        where `gold` does not fit the votes.

    Notes
    -----
    Items are the units: several votes of a worker on an item count as their share that is right. Not for comparing
    workers who judged items of different difficulty.
    Source: Habibi and Popescu-Belis 2012, section 6 (e_w); Wilson 1927.
    """
    true = checked_gold(votes, gold)
    known = true[votes.item] >= 0
    pair, at = np.unique(votes.rater[known] * votes.items + votes.item[known], return_inverse=True)
    hits = (votes.choice[known] == true[votes.item[known]]).astype(np.float64)
    share = np.bincount(at, hits, minlength=len(pair)) / np.maximum(np.bincount(at, minlength=len(pair)), 1)
    worker = pair // max(votes.items, 1)
    items = np.bincount(worker, minlength=votes.raters)
    accuracy, low, high = wilson_interval(np.bincount(worker, share, minlength=votes.raters), items, level)
    return AgainstGold(accuracy, low, high, items)


def confusion_of(votes: Votes, gold: ArrayLike, worker: int) -> Codes:
    """One worker's votes on items with gold, counted (Dawid and Skene 1979, section 2)."""
    true = checked_gold(votes, gold)
    own = (votes.rater == worker) & (true[votes.item] >= 0)
    k = votes.options
    cell = true[votes.item[own]] * k + votes.choice[own]
    return np.bincount(cell, minlength=k * k).reshape(k, k)


def checked_gold(votes: Votes, gold: ArrayLike) -> Codes:
    """Gold (q,) as codes, -1 where not known, if it fits the votes."""
    true = np.asarray(gold, dtype=np.int64)
    if true.shape != (votes.items,):
        raise InputError(
            f"`gold` needs one option for each of the {votes.items} items (-1 where not known), "
            f"got shape {true.shape}"
        )
    if len(true) and not (true.min() >= -1 and true.max() < votes.options):
        raise InputError(f"`gold` must lie in -1 … {votes.options - 1}, got {true.min()} to {true.max()}")
    return true
