"""Preference between two systems, with intervals and the effect of position."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import nan

import numpy as np
from numpy.typing import NDArray

from analysis.resampling.influence import (
    NO_VARIANCE,
    VarianceEstimate,
    add_variances,
    item_and_rater_interval,
    item_variance,
    rater_variance,
)
from analysis.resampling.intervals import (
    ANGLE,
    Ends,
    crossed_bootstrap_counts,
    interval_from_error,
    wilson_interval,
)
from analysis.systems import clustered_intervals
from analysis.values.estimate import Estimate, Floats, InputError, OnProgress
from analysis.values.ratings import ratio
from analysis.values.votes import Lists, Votes
from analysis.workers import glad, pcch, pcch_reliability
from analysis.workers.pcch import MOST_SAY_NEITHER
from analysis.workers.pcch_reliability import NEGLIGIBLE, OptionVotes, divide_by_total, item_weights


def position_bias(
    votes: Votes,
    lists: Lists,
    first_shown: NDArray[np.bool_],
    level: float = 0.95,
    raters_are_persons: bool = True,
) -> Estimate:
    """Return the share of choices of the option in first position, among choices of one of the two lists.

    Parameters
    ----------
    votes, lists : of one pair of systems under one design
    first_shown : (N,) True where the first list was in first position
    level : of the interval
    raters_are_persons : if not, the interval is over items only

    Returns
    -------
    Estimate
        n counts the choices of a list.

    Notes
    -----
    There is no bias at one half. Only for randomized positions: otherwise a better system that was always first looks
    like bias. The interval is on the arcsine scale; where all choices are of one position, it is Wilson's with the
    number of items as trials.
    Source: methods, section 4 ("position bias is reported on its own"); Cameron, Gelbach and Miller 2011, section 2.
    """
    listed = (votes.choice == lists.first) | (votes.choice == lists.second)
    if not listed.any():
        return Estimate(nan, reason="nobody chose one of the two lists")
    chose_first_shown = (votes.choice[listed] == lists.first) == first_shown[listed]
    n, value = len(chose_first_shown), float(chose_first_shown.mean())
    influence = (chose_first_shown - value) / n
    item, rater = votes.item[listed], votes.rater[listed]
    items = len(np.unique(item))
    if items < 2:
        return Estimate(value, n=n)
    by_items = item_variance(float((np.bincount(item, influence) ** 2).sum()) * items / (items - 1), items)
    by_raters = rater_variance(influence, rater, votes.raters) if raters_are_persons else NO_VARIANCE
    chance = add_variances(by_items, by_raters)
    if value in (0.0, 1.0):
        _, low, high = wilson_interval(items * value, items, level)
    else:
        error = np.sqrt(chance.variance / (4 * value * (1 - value)))
        low, high = interval_from_error(value, error, level, chance.degrees, scale=ANGLE)
    return Estimate(value, float(low), float(high), n)


METHODS = (
    "equal weights",
    "least reliable dropped",
    "worker weights",
    "PCC-H",
    "item-wise majority",
    "GLAD",
)
"""Tables 2, 3, 4 and 5 of the paper, its majority by item, and GLAD of its Table 6."""
EQUAL, DROPPED, WEIGHTED, PCCH, MAJORITY, GLAD = METHODS
CLOSED = (EQUAL, DROPPED, WEIGHTED, PCCH, MAJORITY)
"""Methods in closed form: all but GLAD."""
ONE_LIST_NEITHER = f"{MOST_SAY_NEITHER} where one of the lists is concerned"
"""'Neither' subtracts more from a list than its votes, so that its share would be negative."""
GLAD_COST = 50
"""Relative cost of a vote in GLAD, which makes blocks of bootstrap samples smaller."""


@dataclass(frozen=True)
class PreferenceSpec:
    """Settings of the shares.

    The method 'least reliable dropped' excludes `dropped` raters; items with fewer than `min_votes` votes have
    weight 0 in PCC-H; `draws`, `seed` and `level` are those of the intervals (0 draws: no intervals).
    """

    dropped: int = 0
    min_votes: int = 3
    draws: int = 1000
    seed: int = 0
    level: float = 0.95

    def __post_init__(self) -> None:
        for name, least in (("dropped", 0), ("min_votes", 1), ("draws", 0)):
            if getattr(self, name) < least:
                raise InputError(f"`{name}` must be {least} or more, got {getattr(self, name)}")
        if not 0 < self.level < 1:
            raise InputError(f"`level` must be between 0 and 1, got {self.level}")


@dataclass(frozen=True, eq=False)
class Preference:
    """The first list's share under each method, with what was flagged.

    `shares` by method; the second list's share is 1 minus it. `below_minimum` and `equally_weighted` count items:
    with too few votes for PCC-H, and with rater weights that are all 0 and so taken as equal. `no_item_weights` is
    True where W_q was 0 for all items, which then count equally. `flagged` are raters whose r_w is 0 only because no
    option varies, `left_out` those that 'least reliable dropped' excludes, the least reliable first. `resampled`
    names the units of the intervals: "items and raters", "items" or "".
    """

    shares: Mapping[str, Estimate]
    votes: int
    items: int
    raters: int
    below_minimum: int
    equally_weighted: int
    no_item_weights: bool
    flagged: tuple[int, ...]
    left_out: tuple[int, ...]
    resampled: str
    draws: int


def preference(
    votes: Votes,
    lists: Lists,
    spec: PreferenceSpec = PreferenceSpec(),
    methods: Sequence[str] = METHODS,
    raters_are_persons: bool = True,
    reliability: Floats | None = None,
    on_progress: OnProgress = None,
) -> Preference:
    """Return the first list's share by each method, with intervals.

    Parameters
    ----------
    votes, lists : of one pair of systems under one design
    spec : settings of the shares and intervals
    methods : a selection of `METHODS`
    raters_are_persons : if not, intervals are over items only
    reliability : (draws, raters) result of `bootstrap_reliabilities` for the same draws, to avoid computing it again
    on_progress : called between blocks of bootstrap samples with the share done

    Returns
    -------
    Preference

    Raises
    ------
    InputError
        where more raters are to be dropped than all but one.

    Notes
    -----
    The interval is for as many other items and other raters; it always contains the share. It is no interval for
    single votes. Vote weights apply within items in all methods but GLAD; reliabilities of raters ignore them. Where
    all choices are equal, the bootstrap has no variance, and the interval is Wilson's with the number of items as
    trials.
    Source: Habibi and Popescu-Belis 2012, section 6, Tables 2 to 6; Cameron, Gelbach and Miller 2011, section 2
    (variance over items and raters); methods, sections 0 and 4.
    """
    by_method = relevance_and_weights(votes, lists, spec, methods)
    samples: dict[str, list[Floats]] = {method: [] for method in methods}
    resampled = _resampled_units(votes, raters_are_persons)
    draws_done = 0
    for item_weight in draw_item_weights(votes, spec, methods, on_progress):
        block_reliability = (
            None if reliability is None else reliability[draws_done : draws_done + len(item_weight)]
        )
        unit_weights = np.ones((len(item_weight), votes.raters))
        for method, share in preference_shares(
            votes, lists, spec, methods, unit_weights, item_weight, block_reliability
        ).items():
            samples[method].append(share)
        draws_done += len(item_weight)
    fitted = pcch.fit_votes(votes, spec.min_votes)
    estimates = {}
    for method, (relevance, weight) in by_method.items():
        value = float(first_list_share(relevance, weight, lists)[0])
        by_raters = NO_VARIANCE
        if draws_done and raters_are_persons and not np.isnan(value):
            by_raters = rater_variance(
                vote_influence(votes, lists, spec, method, relevance, weight, fitted.r),
                votes.rater,
                votes.raters,
            )
        low, high = share_interval(
            value, np.concatenate(samples[method] or [np.empty(0)]), votes.items, by_raters, spec.level
        )
        n, reason = int((weight > 0).sum()), undefined_reason(relevance, weight, lists)
        estimates[method] = Estimate(value, float(low), float(high), n, reason)
    has_votes = ~np.isnan(fitted.relevance[:, 0])
    return Preference(
        estimates,
        len(votes),
        int(has_votes.sum()),
        votes.raters,
        int((has_votes & fitted.below).sum()),
        int(fitted.equal.sum()),
        fitted.all_equal and len(votes) > 0,
        tuple(np.flatnonzero(fitted.undefined).tolist()),
        tuple(np.argsort(fitted.r, kind="stable")[: spec.dropped].tolist()),
        resampled,
        spec.draws if resampled else 0,
    )


def preference_shares(
    votes: Votes,
    lists: Lists,
    spec: PreferenceSpec = PreferenceSpec(),
    methods: Sequence[str] = METHODS,
    rater_weight: Floats | None = None,
    item_weight: Floats | None = None,
    reliability: Floats | None = None,
) -> dict[str, Floats]:
    """Return the first list's share in each bootstrap sample, with all estimates refitted (Habibi and Popescu-Belis
    2012, Eqs. 1 to 6 and section 6)."""
    # In each sample, the n raters with the lowest r_w are dropped; copies of a rater count separately.
    if rater_weight is None or item_weight is None:
        rater_weight, item_weight = np.ones((1, votes.raters)), np.ones((1, votes.items))
    methods_in_order = _iterate_methods(votes, lists, spec, methods, rater_weight, item_weight, reliability)
    samples = {
        method: first_list_share(relevance, weight, lists) for method, relevance, weight in methods_in_order
    }
    return {method: samples[method] for method in methods}


def leave_one_out_shares(
    votes: Votes, lists: Lists, spec: PreferenceSpec = PreferenceSpec(), methods: Sequence[str] = METHODS
) -> dict[str, tuple[float, Floats]]:
    """Return the first list's share, and its value without each item (items,), for fixed weights of items and
    raters."""
    by_method = {}
    for method, (relevance, weight) in relevance_and_weights(votes, lists, spec, methods).items():
        is_defined = ~np.isnan(relevance[0])
        counts = weight[0][:, None] * is_defined
        item_totals = counts * np.where(is_defined, relevance[0], 0.0)
        remaining = ratio(item_totals.sum(axis=0) - item_totals, counts.sum(axis=0) - counts)
        value = float(first_list_share(relevance, weight, lists)[0])
        by_method[method] = value, pcch_reliability.list_share(remaining, lists)
    return by_method


def bootstrap_reliabilities(votes: Votes, spec: PreferenceSpec, on_progress: OnProgress = None) -> Floats:
    """Return r_w in every bootstrap sample of a spec, which does not depend on the number of dropped raters (Habibi
    and Popescu-Belis 2012, Eq. 1)."""
    compared = pcch_reliability.RaterCorrelations(votes)
    drawn = [compared.reliabilities(None, items) for items in draw_item_weights(votes, spec, (), on_progress)]
    return np.concatenate(drawn or [np.empty((0, votes.raters))])


def second_list_share(share: Estimate) -> Estimate:
    """Convert the first list's share to the second list's (Habibi and Popescu-Belis 2012, Tables 2 to 6)."""
    return Estimate(1 - share.value, 1 - share.high, 1 - share.low, share.n, share.reason)


def second_list_difference(difference: Estimate, second: bool = True) -> Estimate:
    """Convert a difference of first-list shares to one of second-list shares, as both sum to 100% (Habibi and
    Popescu-Belis 2012, Tables 2 to 6)."""
    if not second:
        return difference
    return Estimate(-difference.value, -difference.high, -difference.low, difference.n, difference.reason)


def relevance_and_weights(
    votes: Votes, lists: Lists, spec: PreferenceSpec, methods: Sequence[str]
) -> dict[str, tuple[Floats, Floats]]:
    """Return by method the items' relevance values (1, items, options) and item weights (1, items)."""
    everyone = np.ones((1, votes.raters)), np.ones((1, votes.items))
    methods_in_order = _iterate_methods(votes, lists, spec, methods, *everyone, None)
    by_method = {method: (relevance, weight) for method, relevance, weight in methods_in_order}
    return {method: by_method[method] for method in methods}


def _iterate_methods(
    votes: Votes,
    lists: Lists,
    spec: PreferenceSpec,
    methods: Sequence[str],
    rater_weight: Floats,
    item_weight: Floats,
    reliability: Floats | None,
) -> Iterator[tuple[str, Floats, Floats]]:
    """Yield for each method relevance values (b, items, options) and item weights (b, items) of b samples, one
    method at a time to save memory."""
    if spec.dropped and spec.dropped >= votes.raters:
        raise InputError(f"`dropped` must leave one of the {votes.raters} raters or more, got {spec.dropped}")
    if not len(votes):
        undefined = np.full((len(rater_weight), votes.items, votes.options), nan)
        for method in methods:
            yield method, undefined, np.zeros(item_weight.shape)
        return
    rater_weight, item_weight = np.asfortranarray(rater_weight), np.asfortranarray(item_weight)
    chosen = OptionVotes(votes, votes.weight)
    counts = chosen.weights_by_option(rater_weight.T)
    total = counts.sum(axis=0)
    vote_count = (
        total if votes.weight is None else OptionVotes(votes).weights_by_option(rater_weight.T).sum(axis=0)
    )
    weight = item_weight * (vote_count > 0).T
    if {EQUAL, MAJORITY} & set(methods):
        vote_shares = divide_by_total(counts, total)
        if EQUAL in methods:
            yield EQUAL, vote_shares, weight
        if MAJORITY in methods:
            yield MAJORITY, clustered_intervals.split_to_majority(vote_shares, lists), weight
        del vote_shares
    del counts
    if {DROPPED, WEIGHTED, PCCH} & set(methods):
        if reliability is None:
            reliability = pcch_reliability.reliabilities(votes, rater_weight, item_weight)
        if DROPPED in methods:
            remaining_counts = chosen.weights_by_option(
                _drop_least_reliable(reliability, rater_weight, spec.dropped).T
            )
            remaining_total = remaining_counts.sum(axis=0)
            yield (
                DROPPED,
                divide_by_total(remaining_counts, remaining_total),
                item_weight * (remaining_total > 0).T,
            )
            del remaining_counts
        weighted_relevance, _ = chosen.relevance(np.maximum(reliability, 0.0) * rater_weight, rater_weight)
        if WEIGHTED in methods:
            yield WEIGHTED, weighted_relevance, weight
        if PCCH in methods:
            weights_of_items = item_weights(
                weighted_relevance, vote_count.T * (item_weight > 0), spec.min_votes
            )
            yield PCCH, weighted_relevance, weight * weights_of_items
    if GLAD in methods:
        yield GLAD, glad.bootstrap_posteriors(votes, rater_weight, item_weight), weight


def _drop_least_reliable(reliability: Floats, rater_weight: Floats, dropped: int) -> Floats:
    """Return the rater weights (b, raters) after dropping this many raters, copies counted separately."""
    order = np.argsort(np.where(rater_weight > 0, reliability, np.inf), axis=1, kind="stable")
    copies = np.take_along_axis(rater_weight, order, axis=1)
    removed = np.clip(dropped - (np.cumsum(copies, axis=1) - copies), 0, copies)
    remaining = np.empty_like(rater_weight)
    np.put_along_axis(remaining, order, copies - removed, axis=1)
    return remaining


def first_list_share(relevance: Floats, item_weight: Floats, lists: Lists) -> Floats:
    """Return the first list's share in each sample."""
    return pcch_reliability.list_share(pcch_reliability.weighted_share(relevance, item_weight), lists)


def _resampled_units(votes: Votes, raters_are_persons: bool) -> str:
    if votes.items < 2:
        return ""
    return "items and raters" if raters_are_persons and votes.raters > 1 else "items"


def draw_item_weights(
    votes: Votes, spec: PreferenceSpec, methods: Sequence[str], on_progress: OnProgress = None
) -> Iterator[Floats]:
    """Yield bootstrap weights of items (b, items) in blocks, none for fewer than two items."""
    if votes.items < 2:
        return
    cost = len(votes) * (GLAD_COST if GLAD in methods else 1)
    for _, items in crossed_bootstrap_counts(
        votes.raters, votes.items, spec.draws, spec.seed, cost, on_progress
    ):
        yield items


def share_interval(value: float, samples: Floats, items: int, raters: VarianceEstimate, level: float) -> Ends:
    """Return the interval of a share on the arcsine scale, with the shape of item samples and the rater variance
    added."""
    derivative_squared = 4 * value * (1 - value)
    if (
        derivative_squared < NEGLIGIBLE and len(samples) and not np.ptp(samples) > NEGLIGIBLE
    ):  # all choices are equal
        return Ends(*np.asarray(wilson_interval(items * value, items, level)[1:]))
    by_raters = (
        VarianceEstimate(raters.variance / derivative_squared, raters.uncertainty / derivative_squared**2)
        if derivative_squared > 0
        else NO_VARIANCE
    )
    return item_and_rater_interval(value, samples, items, by_raters, level, ANGLE)


def vote_influence(
    votes: Votes,
    lists: Lists,
    spec: PreferenceSpec,
    method: str,
    relevance: Floats,
    item_weight: Floats,
    reliability: Floats,
) -> Floats:
    """Return each vote's influence (N,) on the first list's share, from the values and weights (1, q, …) of a
    method's items."""
    values = relevance[0]
    if method == MAJORITY:
        influence = clustered_intervals.influence_on_majority(votes, values, lists)
    elif method == GLAD:
        influence = clustered_intervals.influence_on_glad(votes, values)
    else:
        weight = np.ones(votes.raters)
        if method == DROPPED:
            weight = _drop_least_reliable(reliability[None], weight[None], spec.dropped)[0]
        elif method != EQUAL:
            weight = np.maximum(reliability, 0.0)
        influence = clustered_intervals.influence_on_weighted_shares(votes, values, weight)
    return clustered_intervals.influence_on_list_share(votes, lists, influence, values, item_weight[0])


def items_for_clear_preference(share: Estimate, items: int) -> float:
    """Return the approximate number of items at which the interval excludes one half; infinite at one half."""
    half_width = share.value - share.low if share.value > 0.5 else share.high - share.value
    distance = abs(share.value - 0.5)
    return items * (half_width / distance) ** 2 if distance > 0 else np.inf


def undefined_reason(relevance: Floats, weight: Floats, lists: Lists) -> str:
    """Return why a share is undefined, given one sample's (1, items, options) and (1, items); empty if defined."""
    prv = pcch_reliability.weighted_share(relevance, weight)
    if not np.isnan(pcch_reliability.list_share(prv, lists)[0]):
        return ""
    if np.isnan(prv).any():
        return pcch.NO_VOTES
    neither = 0.0 if lists.neither is None else prv[0, lists.neither]
    return MOST_SAY_NEITHER if neither >= 0.5 else ONE_LIST_NEITHER
