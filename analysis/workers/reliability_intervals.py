"""Intervals of each worker's r_w: chance over items, and what the other workers carry from item to item."""

from dataclasses import dataclass, replace
from math import nan

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from analysis.resampling.intervals import FISHER, Ends, by_error
from analysis.values.types import Codes, Floats
from analysis.values.votes import Votes
from analysis.workers.worker_ranking import FEWEST_ITEMS, WorkerRanking, checked_column

MOST_MEETINGS = 50_000_000
"""Votes that meet another vote of their item up to which colleagues are looked at one by one."""
_PERFECT = 1 - 1e-12


@dataclass(frozen=True, eq=False)
class ReliabilityVariance:
    """Variances (w,) of each worker's r_w: over `items`, and over `others`, who are worth `degrees` + 1."""

    items: Floats
    others: Floats
    degrees: Floats


def with_intervals(
    ranking: WorkerRanking,
    votes: Votes,
    poll: ArrayLike | None = None,
    level: float = 0.95,
    raters_are_persons: bool = True,
) -> WorkerRanking:
    """The same ranking with an interval for every r_w.

    Parameters
    ----------
    ranking : the ranking of these votes
    votes, poll : what it was made from, (q,) codes of polls or None
    level : of the intervals
    raters_are_persons : if not, intervals are over items only

    Returns
    -------
    WorkerRanking

    Raises
    ------
    InputError
        where `poll` has the wrong length.

    Notes
    -----
    On Fisher's z. Over items: the larger of Fisher's variance and the one that each item's pull on r_w shows, since
    choices are not normal. Over colleagues: what each of them pulls r_w by, summed over items, less what single votes
    do by chance. Intervals of r_w over items alone cover 76 to 96%. No interval up to three items and for perfect
    correlations.
    Source: Fisher 1921; Cameron, Gelbach and Miller 2011, section 2; Satterthwaite 1946; methods, section 0.
    """
    of_item = (
        np.zeros(votes.items, dtype=np.int64) if poll is None else checked_column("poll", poll, votes.items)
    )
    value, items = np.array([(e.value, e.n) for e in ranking.r]).reshape(-1, 2).T
    others = raters_are_persons and _meetings(votes) <= MOST_MEETINGS
    low, high = reliability_ends(value, items, reliability_variance(votes, of_item, others), level)
    r = tuple(
        replace(e, low=a, high=b) for e, a, b in zip(ranking.r, low.tolist(), high.tolist(), strict=True)
    )
    told = "Fisher's z over items" + (" and the other workers" if others else "")
    return replace(ranking, r=r, intervals=told)


def reliability_ends(value: Floats, items: Floats, spread: ReliabilityVariance, level: float) -> Ends:
    """Intervals of r_w (w,) over so many items (w,) each; NaN up to three items and for perfect correlations."""
    known = (items > FEWEST_ITEMS) & (np.abs(value) < _PERFECT)
    bend = np.where(known, (1 - np.where(known, value, 0.0) ** 2) ** 2, nan)
    of_items = np.maximum(1 / np.maximum(items - FEWEST_ITEMS, 1), spread.items / bend)
    of_others = spread.others / bend
    carry = of_others > 0
    degrees = np.where(
        carry, spread.degrees * ((of_items + of_others) / np.where(carry, of_others, 1)) ** 2, np.inf
    )
    return by_error(value, np.sqrt(of_items + of_others), level, degrees, scale=FISHER)


def _meetings(votes: Votes) -> float:
    return float((votes.per_item.astype(np.float64) ** 2).sum())


def reliability_variance(votes: Votes, poll: Codes, others: bool = True) -> ReliabilityVariance:
    """How far each item, and each of the other workers, moves every worker's r_w."""
    group = poll[votes.item] * votes.raters + votes.rater
    groups = (int(poll.max(initial=0)) + 1) * votes.raters
    pair, at = np.unique(votes.item * votes.raters + votes.rater, return_inverse=True)
    colleagues = votes.per_item[votes.item] - np.bincount(at)[at]
    met = colleagues > 0
    n = np.bincount(group[met], minlength=groups).astype(np.float64)
    pulls, of_items, spare = np.zeros((votes.options, len(votes))), np.zeros(len(votes)), np.zeros(len(votes))
    varying = np.zeros(groups)
    for option in range(votes.options):
        x = votes.choice == option
        own = np.bincount(at, x, len(pair))[at]
        y = (np.bincount(votes.item, x, votes.items)[votes.item] - own) / np.where(met, colleagues, 1)
        zx, _ = _standardised(x.astype(np.float64), group, met, n)
        zy, spread = _standardised(y, group, met, n)
        varies = met & (zx != 0) & (spread[group] > 0)
        varying += np.bincount(group[varies], minlength=groups) > 0
        r = np.bincount(group, np.where(varies, zx * zy, 0.0), groups) / np.maximum(n, 1)
        scale = np.where(varies, np.maximum(n, 1)[group], np.inf)
        of_items += (zx * zy - r[group] * (zx**2 + zy**2) / 2) / scale
        steepness = (zx - r[group] * zy) / scale / np.where(varies, spread[group], 1)
        pulls[option] = steepness / np.where(met, colleagues, 1)
        spare += pulls[option] * y
    weight = _of_polls(n, varying, votes.raters)[group] / np.maximum(varying[group], 1)
    by_item = np.bincount(at, weight * of_items, len(pair))
    who = pair % max(votes.raters, 1)
    judged = np.bincount(who, minlength=votes.raters)
    items = np.bincount(who, by_item**2, votes.raters) * judged / np.maximum(judged - 1, 1)
    if not others:
        return ReliabilityVariance(items, np.zeros(votes.raters), np.full(votes.raters, np.inf))
    return ReliabilityVariance(items, *_of_others(votes, weight * pulls, weight * spare))


def _standardised(values: Floats, group: Codes, met: NDArray[np.bool_], n: Floats) -> tuple[Floats, Floats]:
    """Values (N,) less their group's mean over its deviation, 0 where that is 0, and the deviations (g,)."""
    counted, of = np.where(met, values, 0.0), np.maximum(n, 1)
    away = np.where(met, values - (np.bincount(group, counted, len(n)) / of)[group], 0.0)
    spread = np.sqrt(np.bincount(group, away**2, len(n)) / of)
    spread[spread < 1e-9] = 0.0
    return away / np.where(spread > 0, spread, np.inf)[group], spread


def _of_polls(n: Floats, varying: Floats, raters: int) -> Floats:
    """How much each poll's r_w counts in a worker's (g,): by the votes compared there, where it is defined."""
    counted = np.where(varying > 0, n, 0.0).reshape(-1 if raters else 1, raters)
    total = counted.sum(axis=0)
    share: Floats = (counted / np.where(total > 0, total, 1)).ravel()
    return share


def _of_others(votes: Votes, pulls: Floats, spare: Floats) -> tuple[Floats, Floats]:
    """Variance (w,) over the other workers, and its degrees of freedom, from each vote's pulls (options, N)."""
    # A colleague's vote for option a on an item moves the worker's r_w by pulls[a] - spare.
    shape = votes.raters, votes.items
    counted = sparse.csr_array((np.ones(len(votes)), (votes.rater, votes.item)), shape=shape)
    moved = sparse.csr_array((-spare, (votes.rater, votes.item)), shape=shape) @ counted.T
    single = np.zeros(len(votes))
    for option, pull in enumerate(pulls):
        chosen = votes.choice == option
        given = sparse.csr_array(
            (np.ones(int(chosen.sum())), (votes.rater[chosen], votes.item[chosen])), shape=shape
        )
        moved = moved + sparse.csr_array((pull, (votes.rater, votes.item)), shape=shape) @ given.T
        many = np.bincount(votes.item[chosen], minlength=votes.items)[votes.item] - chosen
        single += many * (pull - spare) ** 2
    met = np.diff((counted @ counted.T).indptr) - (votes.per_rater > 0)
    squares = np.asarray(moved.power(2).sum(axis=1)).ravel() - moved.diagonal() ** 2
    between = np.maximum(squares - np.bincount(votes.rater, single, votes.raters), 0.0)
    return between * met / np.maximum(met - 1, 1), np.maximum(met - 1.0, 1.0)
