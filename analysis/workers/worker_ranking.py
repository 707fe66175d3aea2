"""Reliability of each worker by all methods, with intervals.

PCC-H uses weight 0 for a worker without a reliability; here it is undefined, with the reason, because an untested
worker is not an unreliable one.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import nan
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from analysis.assessors.typical_rater import NO_SPREAD, RaterChanges, clipped_fisher_z
from analysis.resampling.intervals import FISHER, Ends, interval_from_error, wilson_interval
from analysis.screening.rating_behavior import speed
from analysis.values.estimate import Codes, Estimate, Floats, InputError, OnProgress
from analysis.values.ratings import ratio
from analysis.values.votes import Votes
from analysis.workers import dawid_skene, glad, pcch_reliability
from analysis.workers.worker_agreement import agreement_with_majority

FEWEST_ITEMS = 3
"""Largest number of items without an interval of r_w."""


@dataclass(frozen=True, eq=False)
class WorkerRanking:
    """Reliability of every worker by every method, (w,) each in the order of the codes.

    `r` (PCC-H) with n = items with other raters; `items` and `votes` of the worker; `majority` share of the votes
    that agree with the majority of the others; `ability` (GLAD); `accuracy` (Dawid-Skene); `known` share of the
    items with a known answer on which the worker gives it (e_w), n = those items; `seconds` median per vote;
    `intervals` the method of the intervals of `r`, "" without intervals.
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


def rank_workers(
    votes: Votes,
    known: ArrayLike | None = None,
    seconds: ArrayLike | None = None,
    poll: ArrayLike | None = None,
    level: float = 0.95,
    on_progress: OnProgress = None,
) -> WorkerRanking:
    """Estimate the reliability of each worker by every method, without intervals of r_w.

    Parameters
    ----------
    votes : N votes by w workers on q items
    known : (q,) the expert's or the true option of each item, -1 where unknown; optional
    seconds : (N,) of each vote, NaN where unknown; optional
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
    Agreement is not accuracy: where most make the same errors, a single expert comes last. GLAD and Dawid-Skene are
    fitted to each poll separately and averaged over polls by the worker's votes there, as r_w is. Intervals of e_w are
    Wilson's over the worker's items. As a weight in PCC-H, an undefined r_w is 0.
    Source: Habibi and Popescu-Belis 2012, section 5.1, Eq. 1, and section 6, Table 1; Whitehill et al. 2009;
    Dawid and Skene 1979; Wilson 1927.
    """
    poll_of_item = (
        np.zeros(votes.items, dtype=np.int64) if poll is None else check_column("poll", poll, votes.items)
    )
    vote_counts = np.bincount(votes.rater, minlength=votes.raters)
    report_progress = on_progress if on_progress is not None else lambda _: None
    r = _reliabilities(votes, poll_of_item)
    report_progress(0.1)
    majority = agreement_with_majority(votes)
    report_progress(0.2)
    abilities, accuracies = _WeightedMean(votes.raters), _WeightedMean(votes.raters)
    polls = list(_split_by_poll(votes, poll_of_item))
    for index, poll_votes in enumerate(polls):
        share = np.bincount(poll_votes.rater, minlength=votes.raters)
        abilities.add(glad.fit_votes(poll_votes).ability, share)
        accuracies.add(dawid_skene.fit_votes(poll_votes).accuracy, share)
        report_progress(0.2 + 0.8 * (index + 1) / len(polls))
    return WorkerRanking(
        r,
        _items_judged(votes),
        vote_counts,
        majority,
        abilities.value,
        accuracies.value,
        known_answer_shares(votes, known, level),
        _median_seconds(votes, seconds),
    )


class _WeightedMean:
    """Weighted mean per worker over polls, of defined figures."""

    def __init__(self, workers: int) -> None:
        self._total, self._weight = np.zeros((2, workers))

    def add(self, values: Floats, weight: Codes) -> None:
        is_defined = np.isfinite(values) & (weight > 0)
        self._total[is_defined] += weight[is_defined] * values[is_defined]
        self._weight[is_defined] += weight[is_defined]

    @property
    def value(self) -> Floats:
        return self._total / np.where(self._weight > 0, self._weight, nan)


def _reliabilities(votes: Votes, poll: Codes) -> tuple[Estimate, ...]:
    r = pcch_reliability.reliabilities(votes, poll=poll)[0]
    undefined = pcch_reliability.undefined_reliability(votes, poll)
    pair = np.unique(votes.item * max(votes.raters, 1) + votes.rater)
    judges = np.bincount(pair // max(votes.raters, 1), minlength=votes.items)
    shared_items: Codes = np.bincount(
        pair % max(votes.raters, 1), weights=judges[pair // max(votes.raters, 1)] > 1, minlength=votes.raters
    ).astype(np.int64)
    compared_votes = votes.select(judges[votes.item] > 1)
    varies, has_several_polls = _has_varying_choices(compared_votes, poll), len(np.unique(poll)) > 1
    largest_votes = _largest_poll_votes(compared_votes, poll)
    reliabilities = []
    columns = (each.tolist() for each in (r, undefined, shared_items, varies, largest_votes))
    for value, is_undefined, n, has_variance, votes_in_a_poll in zip(*columns, strict=True):
        if not is_undefined:
            reliabilities.append(Estimate(value, n=n))
            continue
        if n == 0:
            reason = "nobody else judged an item of this rater"
        elif n == 1:
            reason = "only one item that others judged too"
        elif not has_variance:
            reason = "always chose the same option"
            if has_several_polls and votes_in_a_poll < 2:
                reason = "only one item in each comparison, so choices cannot vary"
            elif has_several_polls:
                reason = "never chose two different options in one comparison"
        else:
            reason = "the others' votes on the same items do not vary"
        reliabilities.append(Estimate(nan, n=n, reason=reason))
    return tuple(reliabilities)


def _has_varying_choices(votes: Votes, poll: Codes) -> NDArray[np.bool_]:
    """Return a mask (w,) of workers with different choices within a poll."""
    polls = int(poll.max(initial=0)) + 1
    cell = votes.rater * polls + poll[votes.item]
    low = np.full(votes.raters * polls, votes.options)
    high = np.full(votes.raters * polls, -1)
    np.minimum.at(low, cell, votes.choice)
    np.maximum.at(high, cell, votes.choice)
    return np.asarray((high > low).reshape(votes.raters, polls).any(axis=1))


def _largest_poll_votes(votes: Votes, poll: Codes) -> Codes:
    """Return the number of votes of each worker in the poll with most of them (w,)."""
    polls = int(poll.max(initial=0)) + 1
    counts = np.bincount(votes.rater * polls + poll[votes.item], minlength=votes.raters * polls)
    return np.asarray(counts.reshape(votes.raters, polls).max(axis=1), dtype=np.int64)


def _split_by_poll(votes: Votes, poll: Codes) -> Iterator[Votes]:
    """Yield each poll's votes with separate codes of its items and options, and the same codes of workers."""
    of_vote = poll[votes.item]
    codes = np.unique(of_vote)
    if len(codes) < 2:
        yield votes
        return
    for code in codes:
        mask = of_vote == code
        items, item = np.unique(votes.item[mask], return_inverse=True)
        options, choice = np.unique(votes.choice[mask], return_inverse=True)
        yield Votes(item, votes.rater[mask], choice, len(items), votes.raters, len(options))


def _items_judged(votes: Votes) -> Codes:
    pair = np.unique(votes.rater * max(votes.items, 1) + votes.item)
    return np.bincount(pair // max(votes.items, 1), minlength=votes.raters)


def known_answer_shares(votes: Votes, known: ArrayLike | None, level: float = 0.95) -> tuple[Estimate, ...]:
    """Return each worker's share of right answers on the items whose answer (q,) is `known`, -1 where it is not.

    Several votes of a worker on an item count as their share of right votes.
    Source: Habibi and Popescu-Belis 2012, section 6 (e_w); Wilson 1927.
    """
    answer = (
        np.full(votes.items, -1)
        if known is None
        else check_column("known", known, votes.items).astype(np.int64)
    )
    votes_with_answer = votes.select(answer[votes.item] >= 0)
    pair, pair_code = np.unique(
        votes_with_answer.rater * max(votes.items, 1) + votes_with_answer.item, return_inverse=True
    )
    right_votes = np.bincount(
        pair_code, weights=votes_with_answer.choice == answer[votes_with_answer.item], minlength=len(pair)
    )
    right = right_votes / np.maximum(np.bincount(pair_code, minlength=len(pair)), 1)
    rater_of_pair = pair // max(votes.items, 1)
    n = np.bincount(rater_of_pair, minlength=votes.raters)
    share, low, high = wilson_interval(
        np.bincount(rater_of_pair, weights=right, minlength=votes.raters), n, level
    )
    none = "no answers are known" if (answer < 0).all() else "judged no item with a known answer"
    return tuple(
        Estimate(*figures, reason="" if figures[3] else none)
        for figures in zip(share.tolist(), low.tolist(), high.tolist(), n.tolist(), strict=True)
    )


def _median_seconds(votes: Votes, seconds: ArrayLike | None) -> Floats:
    median = np.full(votes.raters, nan)
    if seconds is not None:
        of_raters = speed(votes.rater, check_column("seconds", seconds, len(votes)))
        median[of_raters.raters] = of_raters.seconds
    return median


def check_column(name: str, values: ArrayLike, length: int) -> NDArray[Any]:
    """Return a column as an array, or raise an error for another length."""
    column = np.asarray(values)
    if column.shape != (length,):
        raise InputError(f"`{name}` must have shape ({length},), got {column.shape}")
    return column


MOST_VOTE_PAIRS = 50_000_000
"""Largest number of pairs of votes on an item for which the variance over other raters is estimated."""
_PERFECT = 1 - 1e-12


@dataclass(frozen=True, eq=False)
class ReliabilityVariance:
    """Variances (w,) of each worker's r_w: over `items`, and over `others` with `degrees` of freedom.

    `effective` (w,) counts the items that r_w is based on: of several polls, each costs one item, and a poll in which
    the worker's or the others' choices do not vary has none.
    """

    items: Floats
    others: Floats
    degrees: Floats
    effective: Floats


def add_reliability_intervals(
    ranking: WorkerRanking,
    votes: Votes,
    poll: ArrayLike | None = None,
    level: float = 0.95,
    raters_are_persons: bool = True,
) -> WorkerRanking:
    """Add an interval to every r_w of the ranking.

    Parameters
    ----------
    ranking : the ranking of these votes
    votes, poll : data of the ranking, (q,) codes of polls or None
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
    On Fisher's z. Over items: the larger of Fisher's variance and the variance of the items' influence on r_w, since
    choices are not normal. Over other raters: the squared influence of each on r_w, summed over items, minus that of
    single votes. Each poll costs one item, and one without variation has none: with a vote or two per poll, intervals
    of all items excluded 0 in 23% of random raters, and these do in 4%. Intervals of r_w over items alone cover 76 to
    96%. No interval up to three such items and for perfect correlations.
    Source: Fisher 1921; Cameron, Gelbach and Miller 2011, section 2; Satterthwaite 1946; methods, section 0.
    """
    poll_of_item = (
        np.zeros(votes.items, dtype=np.int64) if poll is None else check_column("poll", poll, votes.items)
    )
    value = np.array([e.value for e in ranking.r])
    over_raters = raters_are_persons and _count_vote_pairs(votes) <= MOST_VOTE_PAIRS
    low, high = reliability_intervals(value, reliability_variance(votes, poll_of_item, over_raters), level)
    r = tuple(
        replace(e, low=a, high=b) for e, a, b in zip(ranking.r, low.tolist(), high.tolist(), strict=True)
    )
    description = "Fisher's z over items" + (" and the other raters" if over_raters else "")
    return replace(ranking, r=r, intervals=description)


def reliability_intervals(value: Floats, variance: ReliabilityVariance, level: float) -> Ends:
    """Return intervals of r_w (w,); NaN up to three effective items and for perfect correlations."""
    items = variance.effective
    has_interval = (items > FEWEST_ITEMS) & (np.abs(value) < _PERFECT)
    derivative_squared = np.where(has_interval, (1 - np.where(has_interval, value, 0.0) ** 2) ** 2, nan)
    item_variance = np.maximum(1 / np.maximum(items - FEWEST_ITEMS, 1), variance.items / derivative_squared)
    rater_variance = variance.others / derivative_squared
    has_rater_variance = rater_variance > 0
    degrees = np.where(
        has_rater_variance,
        variance.degrees
        * ((item_variance + rater_variance) / np.where(has_rater_variance, rater_variance, 1)) ** 2,
        np.inf,
    )
    return interval_from_error(value, np.sqrt(item_variance + rater_variance), level, degrees, scale=FISHER)


def _count_vote_pairs(votes: Votes) -> float:
    return float((votes.per_item.astype(np.float64) ** 2).sum())


def reliability_variance(votes: Votes, poll: Codes, over_raters: bool = True) -> ReliabilityVariance:
    """Return the variance of every worker's r_w over items and over the other workers, from their influence."""
    group = poll[votes.item] * votes.raters + votes.rater
    groups = (int(poll.max(initial=0)) + 1) * votes.raters
    pair, pair_of_vote = np.unique(votes.item * votes.raters + votes.rater, return_inverse=True)
    colleagues = votes.per_item[votes.item] - np.bincount(pair_of_vote)[pair_of_vote]
    has_others = colleagues > 0
    n = np.bincount(group[has_others], minlength=groups).astype(np.float64)
    influence, item_influence, mean_influence = (
        np.zeros((votes.options, len(votes))),
        np.zeros(len(votes)),
        np.zeros(len(votes)),
    )
    varying = np.zeros(groups)
    for option in range(votes.options):
        x = votes.choice == option
        own_votes = np.bincount(pair_of_vote, x, len(pair))[pair_of_vote]
        y = (np.bincount(votes.item, x, votes.items)[votes.item] - own_votes) / np.where(
            has_others, colleagues, 1
        )
        zx, _ = _standardize_within_groups(x.astype(np.float64), group, has_others, n)
        zy, sd = _standardize_within_groups(y, group, has_others, n)
        varies = has_others & (zx != 0) & (sd[group] > 0)
        varying += np.bincount(group[varies], minlength=groups) > 0
        r = np.bincount(group, np.where(varies, zx * zy, 0.0), groups) / np.maximum(n, 1)
        scale = np.where(varies, np.maximum(n, 1)[group], np.inf)
        item_influence += (zx * zy - r[group] * (zx**2 + zy**2) / 2) / scale
        derivative = (zx - r[group] * zy) / scale / np.where(varies, sd[group], 1)
        influence[option] = derivative / np.where(has_others, colleagues, 1)
        mean_influence += influence[option] * y
    has_colleagues = np.zeros(len(pair), dtype=np.bool_)
    has_colleagues[pair_of_vote] = has_others
    items_of_group = np.bincount(
        poll[pair // max(votes.raters, 1)] * votes.raters + pair % max(votes.raters, 1),
        has_colleagues,
        groups,
    )
    effective = (
        np.where(varying > 0, items_of_group - 1, 0.0)
        .reshape(-1 if votes.raters else 1, votes.raters)
        .sum(axis=0)
        + 1
    )
    weight = _poll_weights(n, varying, votes.raters)[group] / np.maximum(varying[group], 1)
    by_item = np.bincount(pair_of_vote, weight * item_influence, len(pair))
    rater_of_pair = pair % max(votes.raters, 1)
    judged = np.bincount(rater_of_pair, minlength=votes.raters)
    items = np.bincount(rater_of_pair, by_item**2, votes.raters) * judged / np.maximum(judged - 1, 1)
    if not over_raters:
        none = np.zeros(votes.raters), np.full(votes.raters, np.inf)
        return ReliabilityVariance(items, *none, effective)
    over_others = _variance_over_others(votes, weight * influence, weight * mean_influence)
    return ReliabilityVariance(items, *over_others, effective)


def _standardize_within_groups(
    values: Floats, group: Codes, is_used: NDArray[np.bool_], n: Floats
) -> tuple[Floats, Floats]:
    """Return values (N,) centered and scaled within groups, 0 without variance, and the standard deviations (g,)."""
    used_values, counts = np.where(is_used, values, 0.0), np.maximum(n, 1)
    deviation = np.where(is_used, values - (np.bincount(group, used_values, len(n)) / counts)[group], 0.0)
    standard_deviation = np.sqrt(np.bincount(group, deviation**2, len(n)) / counts)
    standard_deviation[standard_deviation < 1e-9] = 0.0
    return deviation / np.where(standard_deviation > 0, standard_deviation, np.inf)[group], standard_deviation


def _poll_weights(n: Floats, varying: Floats, raters: int) -> Floats:
    """Return the weight of each poll's r_w in a worker's (g,): the number of compared votes, if it is defined."""
    compared = np.where(varying > 0, n, 0.0).reshape(-1 if raters else 1, raters)
    total = compared.sum(axis=0)
    share: Floats = (compared / np.where(total > 0, total, 1)).ravel()
    return share


def _variance_over_others(votes: Votes, influence: Floats, mean_influence: Floats) -> tuple[Floats, Floats]:
    """Return the variance (w,) over the other workers and its degrees of freedom, from each vote's influence
    (options, N)."""
    # Another rater's vote for option a on an item has influence[a] - mean_influence on the worker's r_w.
    shape = votes.raters, votes.items
    all_votes = sparse.csr_array((np.ones(len(votes)), (votes.rater, votes.item)), shape=shape)
    total_influence = (
        sparse.csr_array((-mean_influence, (votes.rater, votes.item)), shape=shape) @ all_votes.T
    )
    single_vote_squares = np.zeros(len(votes))
    for option, option_influence in enumerate(influence):
        chosen = votes.choice == option
        option_votes = sparse.csr_array(
            (np.ones(int(chosen.sum())), (votes.rater[chosen], votes.item[chosen])), shape=shape
        )
        total_influence = (
            total_influence
            + sparse.csr_array((option_influence, (votes.rater, votes.item)), shape=shape) @ option_votes.T
        )
        other_votes = np.bincount(votes.item[chosen], minlength=votes.items)[votes.item] - chosen
        single_vote_squares += other_votes * (option_influence - mean_influence) ** 2
    colleagues = np.diff((all_votes @ all_votes.T).indptr) - (votes.per_rater > 0)
    squares = np.asarray(total_influence.power(2).sum(axis=1)).ravel() - total_influence.diagonal() ** 2
    variance = np.maximum(squares - np.bincount(votes.rater, single_vote_squares, votes.raters), 0.0)
    return variance * colleagues / np.maximum(colleagues - 1, 1), np.maximum(colleagues - 1.0, 1.0)


def reliability_changes(
    votes: Votes, r: ArrayLike, items: ArrayLike, poll: Codes | None = None
) -> RaterChanges:
    """Return Fisher's z of each worker's r_w, and its change without each item.

    Parameters
    ----------
    votes : N votes by w workers on q items
    r, items : (w,) the workers' r_w, NaN where undefined, and their number of items with other raters
    poll : (q,) code of the comparison that an item belongs to; None for one

    Returns
    -------
    RaterChanges
        arrays (w,) and (m,), over the items with other raters.

    Notes
    -----
    For each option Pearson's correlation is recomputed from centered sums minus the item's terms; then averaged over
    the options that still vary, and over polls by the number of compared votes.
    Source: Habibi and Popescu-Belis 2012, section 5.1, Eq. 1 (as `analysis.workers.pcch_reliability.correlations`).
    """
    w = votes.raters
    poll_of_item = np.zeros(votes.items, dtype=np.int64) if poll is None else np.asarray(poll, dtype=np.int64)
    groups = (int(poll_of_item.max(initial=0)) + 1) * w
    pair, pair_code = np.unique(votes.item * max(w, 1) + votes.rater, return_inverse=True)
    item, rater = np.divmod(pair, max(w, 1))
    own_votes = np.bincount(pair_code, minlength=len(pair))
    other_votes = votes.per_item[item] - own_votes
    group = poll_of_item[item] * w + rater
    compared = np.where(other_votes > 0, own_votes, 0).astype(np.float64)
    n = np.bincount(group, compared, groups).astype(np.float64)
    remaining = n[group] - compared
    with_all, leave_one_out = np.zeros((2, groups)), np.zeros((2, len(pair)))
    for option in range(votes.options):
        chosen = np.bincount(pair_code, votes.choice == option, len(pair)).astype(np.float64)
        share = ratio(
            np.bincount(votes.item, votes.choice == option, votes.items)[item] - chosen, other_votes
        )
        y = np.where(other_votes > 0, share, 0.0)
        x = chosen / own_votes
        dx, dy = (v - ratio(np.bincount(group, compared * v, groups), n)[group] for v in (x, y))
        # A worker's several votes on an item have one y, and the square of x of each vote is x itself.
        within = chosen - own_votes * x * x
        parts = np.where(
            other_votes > 0,
            np.stack([own_votes * dx * dx + within, own_votes * dy * dy, own_votes * dx * dy]),
            0.0,
        )
        sums = np.stack([np.bincount(group, part, groups).astype(np.float64) for part in parts])
        mean_shift = np.where(other_votes > 0, np.stack([dx * dx, dy * dy, dx * dy]), 0.0)
        remaining_sums: Floats = (
            sums[:, group] - parts - compared**2 * mean_shift / np.where(remaining > 0, remaining, 1.0)
        )
        least = NO_SPREAD * n
        _add_correlations(with_all, sums, least)
        _add_correlations(leave_one_out, remaining_sums, least[group])
    group_r, group_r_without = (ratio(total, varying) for total, varying in (with_all, leave_one_out))
    weight = np.where(np.isnan(group_r), 0.0, n)
    weighted_sum, weight_sum = (
        np.bincount(np.arange(groups) % max(w, 1), column, w)
        for column in (weight * np.nan_to_num(group_r), weight)
    )
    remaining_weight = np.where(np.isnan(group_r_without), 0.0, remaining)
    r_without = ratio(
        weighted_sum[rater]
        - weight[group] * np.nan_to_num(group_r[group])
        + remaining_weight * np.nan_to_num(group_r_without),
        weight_sum[rater] - weight[group] + remaining_weight,
    )
    has_others = other_votes > 0
    z = clipped_fisher_z(r)
    change = np.nan_to_num(clipped_fisher_z(r_without) - z[rater])
    return RaterChanges(
        np.arange(w),
        z,
        np.asarray(items, dtype=np.int64),
        item[has_others],
        rater[has_others],
        change[has_others],
    )


def _add_correlations(totals: Floats, sums: Floats, least: Floats) -> None:
    """Add the correlation of each column of sums (3, c) to the totals, and 1 to their number, where both sides vary."""
    xx, yy, xy = sums
    varies = (xx > least) & (yy > least)
    totals += np.where(
        varies, np.stack([xy / np.sqrt(np.where(varies, xx * yy, 1.0)), np.ones(len(xx))]), 0.0
    )
