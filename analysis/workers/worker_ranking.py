"""Reliability of each worker by all methods, with intervals, and the agreement of these methods.

What PCC-H needs as a weight is 0 for a worker without one; here it is undefined, with the reason, because a
worker who was never put to the test is not a bad one.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import nan
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from analysis.assessors.naming import NO_SPREAD, RaterChanges, clipped_fisher_z
from analysis.resampling.intervals import FISHER, Ends, interval_from_error, wilson_interval
from analysis.screening.rating_behavior import speed
from analysis.values.estimate import Codes, Estimate, Floats, InputError, OnProgress
from analysis.values.ratings import ratio
from analysis.values.votes import Votes
from analysis.workers import dawid_skene, glad, pcch_reliability
from analysis.workers.worker_agreement import agreement_with_majority

FEWEST_ITEMS = 3
"""Items up to which an r_w has no interval."""


@dataclass(frozen=True, eq=False)
class WorkerRanking:
    """Every worker under every method, (w,) each in the order of the codes.

    `r` (PCC-H) with n = items that someone else judged too; `items` and `votes` given; `majority` share of the
    votes that agree with the majority of the others; `ability` (GLAD); `accuracy` (Dawid-Skene); `known` share
    of the items with a known answer on which the worker gives it (e_w), n = those items; `seconds` median per
    vote; `intervals` how those of `r` were made, "" where there are none.
    """

    r: tuple[Estimate, ...]
    items: Codes
    votes: Codes
    majority: Floats
    ability: Floats
    accuracy: Floats
    known: tuple[Estimate, ...]
    seconds: Floats
    intervals: str = ""


def best_first(r: Sequence[Estimate]) -> Codes:
    """Places by the lower end of the interval of r_w, the highest first, undefined ones last: a worker of whom little
    is known heads no ranking."""
    return np.argsort([-ends_of(one)[0] if one.defined else np.inf for one in r], kind="stable").astype(
        np.int64
    )


def ends_of(r: Estimate) -> tuple[float, float]:
    """Return the interval of r_w: its own, or Fisher's z over its items until that is drawn and where none can be."""
    # A correlation of 1 has no chance error: it counts as one item less than perfect.
    if not np.isnan(r.low):
        return r.low, r.high
    if r.n <= FEWEST_ITEMS:
        return -1.0, 1.0
    centre, error = np.arctanh(np.clip(r.value, 1 / r.n - 1, 1 - 1 / r.n)), 1.96 / np.sqrt(r.n - FEWEST_ITEMS)
    return float(np.tanh(centre - error)), float(np.tanh(centre + error))


def rank_workers(
    votes: Votes,
    known: ArrayLike | None = None,
    seconds: ArrayLike | None = None,
    poll: ArrayLike | None = None,
    level: float = 0.95,
    on_progress: OnProgress = None,
) -> WorkerRanking:
    """Return how reliable each worker is, by every method there is, without intervals of r_w.

    Parameters
    ----------
    votes : N votes by w workers on q items
    known : (q,) the expert's or the true option of each item, -1 where not known; optional
    seconds : (N,) of each vote, NaN where not known; optional
    poll : (q,) code of the comparison that an item belongs to; None for one poll
    level : of the intervals of e_w
    on_progress : called with the share done

    Returns
    -------
    WorkerRanking
        arrays (w,); undefined figures are NaN, those of `r` and `known` with their reason.

    Raises
    ------
    InputError
        where `known`, `seconds` or `poll` have the wrong length.

    Notes
    -----
    Not who is right: where most are wrong alike, the lone expert comes last. GLAD and Dawid-Skene are fitted to each
    poll separately and averaged over polls by the worker's votes there, as r_w is. Intervals of e_w are Wilson's over
    the worker's items. As a weight in PCC-H an undefined r_w counts 0.
    Source: Habibi and Popescu-Belis 2012, section 5.1, Eq. 1, and section 6, Table 1; Whitehill et al. 2009;
    Dawid and Skene 1979; Wilson 1927.
    """
    of_item = (
        np.zeros(votes.items, dtype=np.int64) if poll is None else checked_column("poll", poll, votes.items)
    )
    given = np.bincount(votes.rater, minlength=votes.raters)
    told = on_progress if on_progress is not None else lambda _: None
    r = _reliabilities(votes, of_item)
    told(0.1)
    majority = agreement_with_majority(votes)
    told(0.2)
    abilities, accuracies = _Mean(votes.raters), _Mean(votes.raters)
    polls = list(_polls(votes, of_item))
    for at, part in enumerate(polls):
        share = np.bincount(part.rater, minlength=votes.raters)
        abilities.add(glad.fit_votes(part).ability, share)
        accuracies.add(dawid_skene.fit_votes(part).accuracy, share)
        told(0.2 + 0.8 * (at + 1) / len(polls))
    return WorkerRanking(
        r,
        _items_judged(votes),
        given,
        majority,
        abilities.value,
        accuracies.value,
        _shares_known(votes, known, level),
        _median_seconds(votes, seconds),
    )


class _Mean:
    """A weighted mean per worker over polls, of those where the figure is defined."""

    def __init__(self, workers: int) -> None:
        self._total, self._weight = np.zeros((2, workers))

    def add(self, values: Floats, weight: Codes) -> None:
        known = np.isfinite(values) & (weight > 0)
        self._total[known] += weight[known] * values[known]
        self._weight[known] += weight[known]

    @property
    def value(self) -> Floats:
        return self._total / np.where(self._weight > 0, self._weight, nan)


def _reliabilities(votes: Votes, poll: Codes) -> tuple[Estimate, ...]:
    r = pcch_reliability.reliabilities(votes, poll=poll)[0]
    undefined = pcch_reliability.undefined(votes, poll)
    pair = np.unique(votes.item * max(votes.raters, 1) + votes.rater)
    judges = np.bincount(pair // max(votes.raters, 1), minlength=votes.items)
    shared: Codes = np.bincount(
        pair % max(votes.raters, 1), weights=judges[pair // max(votes.raters, 1)] > 1, minlength=votes.raters
    ).astype(np.int64)
    compared = votes.of(judges[votes.item] > 1)
    varies, several = _varies(compared, poll), len(np.unique(poll)) > 1
    most = _most_in_a_poll(compared, poll)
    reliabilities = []
    columns = (each.tolist() for each in (r, undefined, shared, varies, most))
    for value, none, n, own, votes_in_a_poll in zip(*columns, strict=True):
        if not none:
            reliabilities.append(Estimate(value, n=n))
            continue
        if n == 0:
            reason = "nobody else judged an item of this worker"
        elif n == 1:
            reason = "only one item that others judged too"
        elif not own:
            reason = "always chose the same option"
            if several and votes_in_a_poll < 2:
                reason = "only one item in each comparison, so choices cannot vary"
            elif several:
                reason = "never chose two different options in one comparison"
        else:
            reason = "the others' votes on the same items do not vary"
        reliabilities.append(Estimate(nan, n=n, reason=reason))
    return tuple(reliabilities)


def _varies(votes: Votes, poll: Codes) -> NDArray[np.bool_]:
    """(w,) whether a worker chose two options within a poll."""
    polls = int(poll.max(initial=0)) + 1
    place = votes.rater * polls + poll[votes.item]
    low = np.full(votes.raters * polls, votes.options)
    high = np.full(votes.raters * polls, -1)
    np.minimum.at(low, place, votes.choice)
    np.maximum.at(high, place, votes.choice)
    return np.asarray((high > low).reshape(votes.raters, polls).any(axis=1))


def _most_in_a_poll(votes: Votes, poll: Codes) -> Codes:
    """Return the number of votes of each worker in the poll with most of them (w,)."""
    polls = int(poll.max(initial=0)) + 1
    counts = np.bincount(votes.rater * polls + poll[votes.item], minlength=votes.raters * polls)
    return np.asarray(counts.reshape(votes.raters, polls).max(axis=1), dtype=np.int64)


def _polls(votes: Votes, poll: Codes) -> Iterator[Votes]:
    """Each poll's votes under separate codes of its items and options; workers keep theirs."""
    of_vote = poll[votes.item]
    codes = np.unique(of_vote)
    if len(codes) < 2:
        yield votes
        return
    for code in codes:
        kept = of_vote == code
        items, item = np.unique(votes.item[kept], return_inverse=True)
        options, choice = np.unique(votes.choice[kept], return_inverse=True)
        yield Votes(item, votes.rater[kept], choice, len(items), votes.raters, len(options))


def _items_judged(votes: Votes) -> Codes:
    pair = np.unique(votes.rater * max(votes.items, 1) + votes.item)
    return np.bincount(pair // max(votes.items, 1), minlength=votes.raters)


def _shares_known(votes: Votes, known: ArrayLike | None, level: float) -> tuple[Estimate, ...]:
    answer = (
        np.full(votes.items, -1)
        if known is None
        else checked_column("known", known, votes.items).astype(np.int64)
    )
    kept = votes.of(answer[votes.item] >= 0)
    pair, place = np.unique(kept.rater * max(votes.items, 1) + kept.item, return_inverse=True)
    gave_it = np.bincount(place, weights=kept.choice == answer[kept.item], minlength=len(pair))
    right = gave_it / np.maximum(np.bincount(place, minlength=len(pair)), 1)
    who = pair // max(votes.items, 1)
    n = np.bincount(who, minlength=votes.raters)
    share, low, high = wilson_interval(np.bincount(who, weights=right, minlength=votes.raters), n, level)
    none = "no answers are known" if (answer < 0).all() else "judged no item with a known answer"
    return tuple(
        Estimate(*figures, reason="" if figures[3] else none)
        for figures in zip(share.tolist(), low.tolist(), high.tolist(), n.tolist(), strict=True)
    )


def _median_seconds(votes: Votes, seconds: ArrayLike | None) -> Floats:
    median = np.full(votes.raters, nan)
    if seconds is not None:
        of_raters = speed(votes.rater, checked_column("seconds", seconds, len(votes)))
        median[of_raters.raters] = of_raters.seconds
    return median


def checked_column(name: str, values: ArrayLike, many: int) -> NDArray[Any]:
    """A column as an array, if it has this length."""
    column = np.asarray(values)
    if column.shape != (many,):
        raise InputError(f"`{name}` must have shape ({many},), got {column.shape}")
    return column


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
    told = "Fisher's z over items" + (" and the other raters" if others else "")
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
    return interval_from_error(value, np.sqrt(of_items + of_others), level, degrees, scale=FISHER)


def _meetings(votes: Votes) -> float:
    return float((votes.per_item.astype(np.float64) ** 2).sum())


def reliability_variance(votes: Votes, poll: Codes, others: bool = True) -> ReliabilityVariance:
    """Return how far each item, and each of the other workers, moves every worker's r_w."""
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
    """Return how much each poll's r_w counts in a worker's (g,): by the votes compared there, where it is defined."""
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


def reliability_changes(
    votes: Votes, r: ArrayLike, items: ArrayLike, poll: Codes | None = None
) -> RaterChanges:
    """Return Fisher's z of each worker's r_w, and its change without each item.

    Parameters
    ----------
    votes : N votes by w workers on q items
    r, items : (w,) the workers' r_w, NaN where undefined, and their items that others judged, too
    poll : (q,) code of the comparison that an item belongs to; None for one

    Returns
    -------
    RaterChanges
        arrays (w,) and (m,), over the items that another worker judged, too.

    Notes
    -----
    For each option Pearson's correlation is computed anew from centered sums less the item's part; then the mean over
    the options that still vary, and over polls by the number of votes compared.
    Source: Habibi and Popescu-Belis 2012, section 5.1, Eq. 1 (as `analysis.workers.pcch_reliability.correlations`).
    """
    w = votes.raters
    of_item = np.zeros(votes.items, dtype=np.int64) if poll is None else np.asarray(poll, dtype=np.int64)
    groups = (int(of_item.max(initial=0)) + 1) * w
    pair, at = np.unique(votes.item * max(w, 1) + votes.rater, return_inverse=True)
    item, rater = np.divmod(pair, max(w, 1))
    own = np.bincount(at, minlength=len(pair))
    others = votes.per_item[item] - own
    group = of_item[item] * w + rater
    counted = np.where(others > 0, own, 0).astype(np.float64)
    n = np.bincount(group, counted, groups).astype(np.float64)
    left = n[group] - counted
    whole, without = np.zeros((2, groups)), np.zeros((2, len(pair)))
    for option in range(votes.options):
        chosen = np.bincount(at, votes.choice == option, len(pair)).astype(np.float64)
        share = ratio(np.bincount(votes.item, votes.choice == option, votes.items)[item] - chosen, others)
        y = np.where(others > 0, share, 0.0)
        x = chosen / own
        dx, dy = (v - ratio(np.bincount(group, counted * v, groups), n)[group] for v in (x, y))
        # A worker's several votes on an item have one y, and the square of x of each vote is x itself.
        within = chosen - own * x * x
        parts = np.where(others > 0, np.stack([own * dx * dx + within, own * dy * dy, own * dx * dy]), 0.0)
        sums = np.stack([np.bincount(group, part, groups).astype(np.float64) for part in parts])
        moved = np.where(others > 0, np.stack([dx * dx, dy * dy, dx * dy]), 0.0)
        rest: Floats = sums[:, group] - parts - counted**2 * moved / np.where(left > 0, left, 1.0)
        least = NO_SPREAD * n
        _add(whole, sums, least)
        _add(without, rest, least[group])
    of_group, of_rest = (ratio(total, varying) for total, varying in (whole, without))
    weight = np.where(np.isnan(of_group), 0.0, n)
    above, below = (
        np.bincount(np.arange(groups) % max(w, 1), column, w)
        for column in (weight * np.nan_to_num(of_group), weight)
    )
    kept = np.where(np.isnan(of_rest), 0.0, left)
    r_without = ratio(
        above[rater] - weight[group] * np.nan_to_num(of_group[group]) + kept * np.nan_to_num(of_rest),
        below[rater] - weight[group] + kept,
    )
    met = others > 0
    z = clipped_fisher_z(r)
    change = np.nan_to_num(clipped_fisher_z(r_without) - z[rater])
    return RaterChanges(
        np.arange(w), z, np.asarray(items, dtype=np.int64), item[met], rater[met], change[met]
    )


def _add(totals: Floats, sums: Floats, least: Floats) -> None:
    """Add the correlation of each column of sums (3, c) to the totals, and 1 to their number, where both sides vary."""
    xx, yy, xy = sums
    varies = (xx > least) & (yy > least)
    totals += np.where(
        varies, np.stack([xy / np.sqrt(np.where(varies, xx * yy, 1.0)), np.ones(len(xx))]), 0.0
    )
