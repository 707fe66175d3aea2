"""Preference between two systems, with intervals and the effect of position."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import nan

import numpy as np
from numpy.typing import NDArray

from analysis.resampling.carried import (
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
from analysis.workers.pcch_reliability import NOTHING, Chosen, item_weights, shared


def position_bias(
    votes: Votes,
    lists: Lists,
    first_shown: NDArray[np.bool_],
    level: float = 0.95,
    raters_are_persons: bool = True,
) -> Estimate:
    """The share of choices of whatever stood first, among those that chose one of the two lists.

    Parameters
    ----------
    votes, lists : of one pair of systems under one design
    first_shown : (N,) whether the first list stood in first position
    level : of the interval
    raters_are_persons : if not, the interval is over items only

    Returns
    -------
    Estimate
        n counts the choices of a list.

    Notes
    -----
    Near one half they do not. It says so only where positions were drawn at random; a better system that always stood
    first looks like bias. The interval is on the arcsine scale; where everybody chose one position, Wilson's for as
    many trials as items.
    Source: methods, section 4 ("position bias is reported on its own"); Cameron, Gelbach and Miller 2011, section 2.
    """
    listed = (votes.choice == lists.first) | (votes.choice == lists.second)
    if not listed.any():
        return Estimate(nan, reason="nobody chose one of the two lists")
    ahead = (votes.choice[listed] == lists.first) == first_shown[listed]
    n, value = len(ahead), float(ahead.mean())
    parts = (ahead - value) / n
    item, rater = votes.item[listed], votes.rater[listed]
    items = len(np.unique(item))
    if items < 2:
        return Estimate(value, n=n)
    by_items = item_variance(float((np.bincount(item, parts) ** 2).sum()) * items / (items - 1), items)
    of_raters = rater_variance(parts, rater, votes.raters) if raters_are_persons else NO_VARIANCE
    chance = add_variances(by_items, of_raters)
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
"""Tables 2, 3, 4 and 5 of the paper, then its majority by item, then the GLAD of its Table 6."""
EQUAL, DROPPED, WEIGHTED, PCCH, MAJORITY, GLAD = METHODS
CLOSED = (EQUAL, DROPPED, WEIGHTED, PCCH, MAJORITY)
"""All but GLAD, which is fitted."""
ONE_LIST_NEITHER = f"{MOST_SAY_NEITHER} where one of the lists is concerned"
"""Neither takes more from the list that loses than is said for it, so that it would have less than nothing."""
GLAD_COST = 50
"""How many times a vote costs in GLAD: its blocks of draws are so much smaller."""


@dataclass(frozen=True)
class PreferenceSpec:
    """Settings of the shares.

    `dropped` raters are left out by the method of that name; items with fewer than `min_votes` votes have no
    weight in PCC-H; `draws`, `seed` and `level` are of the intervals (0 draws: none).
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
    """The first list's share under each method, and what was flagged on the way.

    `shares` has the methods asked for; the second list's share is 1 less it. `below_minimum` and
    `equally_weighted` count items: with too few votes for PCC-H, and where all weights of raters were 0, so that
    they counted equally. `no_item_weights` says that W_q was 0 for all items, so that they counted equally.
    `flagged` are raters whose r_w is 0 only because no option varies, `left_out` those the method 'least reliable
    dropped' leaves out, the least reliable first. `resampled` tells over what intervals are: "items and raters",
    "items" or "".
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
    """Shares of the first list with their intervals.

    Parameters
    ----------
    votes, lists : of one pair of systems under one design
    spec : see there
    methods : which of `METHODS`
    raters_are_persons : if not, intervals are over items only
    reliability : (draws, raters) what `drawn_reliabilities` gave for these draws, to save the work
    on_progress : called between blocks of draws with the share done

    Returns
    -------
    Preference

    Raises
    ------
    InputError
        where more raters are to be dropped than all but one.

    Notes
    -----
    The interval says where the share would lie with other items and other raters, as many as here; it always holds the
    share. It does not say what single votes would do. Weights of votes count within their item in all methods but
    GLAD; reliabilities of raters are without them. Where all choices are alike, no draw differs, and the interval is
    Wilson's for as many trials as items.
    Source: Habibi and Popescu-Belis 2012, section 6, Tables 2 to 6; Cameron, Gelbach and Miller 2011, section 2
    (variance over items and raters); methods, sections 0 and 4.
    """
    weighed_by = weighed(votes, lists, spec, methods)
    drawn: dict[str, list[Floats]] = {method: [] for method in methods}
    resampled = _resampled(votes, raters_are_persons)
    done = 0
    for item_weight in draws_of_items(votes, spec, methods, on_progress):
        part = None if reliability is None else reliability[done : done + len(item_weight)]
        everyone = np.ones((len(item_weight), votes.raters))
        for method, share in shares(votes, lists, spec, methods, everyone, item_weight, part).items():
            drawn[method].append(share)
        done += len(item_weight)
    fitted = pcch.fit_votes(votes, spec.min_votes)
    estimates = {}
    for method, (relevance, weight) in weighed_by.items():
        value = float(share_of_first(relevance, weight, lists)[0])
        of_raters = NO_VARIANCE
        if done and raters_are_persons and not np.isnan(value):
            of_raters = rater_variance(
                parts_of_votes(votes, lists, spec, method, relevance, weight, fitted.r),
                votes.rater,
                votes.raters,
            )
        low, high = share_ends(
            value, np.concatenate(drawn[method] or [np.empty(0)]), votes.items, of_raters, spec.level
        )
        n, reason = int((weight > 0).sum()), why_undefined(relevance, weight, lists)
        estimates[method] = Estimate(value, float(low), float(high), n, reason)
    judged = ~np.isnan(fitted.relevance[:, 0])
    return Preference(
        estimates,
        len(votes),
        int(judged.sum()),
        votes.raters,
        int((judged & fitted.below).sum()),
        int(fitted.equal.sum()),
        fitted.all_equal and len(votes) > 0,
        tuple(np.flatnonzero(fitted.undefined).tolist()),
        tuple(np.argsort(fitted.r, kind="stable")[: spec.dropped].tolist()),
        resampled,
        spec.draws if resampled else 0,
    )


def shares(
    votes: Votes,
    lists: Lists,
    spec: PreferenceSpec = PreferenceSpec(),
    methods: Sequence[str] = METHODS,
    rater_weight: Floats | None = None,
    item_weight: Floats | None = None,
    reliability: Floats | None = None,
) -> dict[str, Floats]:
    """The first list's share in each draw, everything estimated again (Habibi and Popescu-Belis 2012, Eqs. 1
    to 6 and section 6)."""
    # Dropping n takes n of a draw's raters, copies counted one by one, the lowest r_w first, as the study
    # drops n of all of its own.
    if rater_weight is None or item_weight is None:
        rater_weight, item_weight = np.ones((1, votes.raters)), np.ones((1, votes.items))
    in_turn = _weighed_in_turn(votes, lists, spec, methods, rater_weight, item_weight, reliability)
    drawn = {method: share_of_first(relevance, weight, lists) for method, relevance, weight in in_turn}
    return {method: drawn[method] for method in methods}


def shares_without_each(
    votes: Votes, lists: Lists, spec: PreferenceSpec = PreferenceSpec(), methods: Sequence[str] = METHODS
) -> dict[str, tuple[float, Floats]]:
    """The first list's share, and what it is without each item (items,), with items and raters weighed as with all."""
    found = {}
    for method, (relevance, weight) in weighed(votes, lists, spec, methods).items():
        known = ~np.isnan(relevance[0])
        counts = weight[0][:, None] * known
        parts = counts * np.where(known, relevance[0], 0.0)
        left = ratio(parts.sum(axis=0) - parts, counts.sum(axis=0) - counts)
        whole = float(share_of_first(relevance, weight, lists)[0])
        found[method] = whole, pcch_reliability.shares_of_lists(left, lists)
    return found


def drawn_reliabilities(votes: Votes, spec: PreferenceSpec, on_progress: OnProgress = None) -> Floats:
    """r_w in every draw of a spec, which does not change with how many raters are dropped (Habibi and
    Popescu-Belis 2012, Eq. 1)."""
    compared = pcch_reliability.Compared(votes)
    drawn = [compared.reliabilities(None, items) for items in draws_of_items(votes, spec, (), on_progress)]
    return np.concatenate(drawn or [np.empty((0, votes.raters))])


def of_the_second(share: Estimate) -> Estimate:
    """The second list's share from the first one's (Habibi and Popescu-Belis 2012, Tables 2 to 6)."""
    return Estimate(1 - share.value, 1 - share.high, 1 - share.low, share.n, share.reason)


def of_the_other_list(difference: Estimate, second: bool = True) -> Estimate:
    """A difference of the first list's shares as one of the second list's (Habibi and Popescu-Belis 2012,
    Tables 2 to 6 (both shares add to 100%))."""
    if not second:
        return difference
    return Estimate(-difference.value, -difference.high, -difference.low, difference.n, difference.reason)


def weighed(
    votes: Votes, lists: Lists, spec: PreferenceSpec, methods: Sequence[str]
) -> dict[str, tuple[Floats, Floats]]:
    """Each method as the items' relevance values (1, items, options) and how much each item counts (1, items)."""
    everyone = np.ones((1, votes.raters)), np.ones((1, votes.items))
    in_turn = _weighed_in_turn(votes, lists, spec, methods, *everyone, None)
    by_method = {method: (relevance, weight) for method, relevance, weight in in_turn}
    return {method: by_method[method] for method in methods}


def _weighed_in_turn(
    votes: Votes,
    lists: Lists,
    spec: PreferenceSpec,
    methods: Sequence[str],
    rater_weight: Floats,
    item_weight: Floats,
    reliability: Floats | None,
) -> Iterator[tuple[str, Floats, Floats]]:
    """The same in each draw (b, items, options) and (b, items), one method's at a time, as many draws take room."""
    if spec.dropped and spec.dropped >= votes.raters:
        raise InputError(f"`dropped` must leave one of the {votes.raters} raters or more, got {spec.dropped}")
    if not len(votes):
        nothing = np.full((len(rater_weight), votes.items, votes.options), nan)
        for method in methods:
            yield method, nothing, np.zeros(item_weight.shape)
        return
    rater_weight, item_weight = np.asfortranarray(rater_weight), np.asfortranarray(item_weight)
    chosen = Chosen(votes, votes.weight)
    by_everyone = chosen.by(rater_weight.T)
    total = by_everyone.sum(axis=0)
    counted = total if votes.weight is None else Chosen(votes).by(rater_weight.T).sum(axis=0)
    judged = item_weight * (counted > 0).T
    if {EQUAL, MAJORITY} & set(methods):
        everyone = shared(by_everyone, total)
        if EQUAL in methods:
            yield EQUAL, everyone, judged
        if MAJORITY in methods:
            yield MAJORITY, clustered_intervals.winners(everyone, lists), judged
        del everyone
    del by_everyone
    if {DROPPED, WEIGHTED, PCCH} & set(methods):
        if reliability is None:
            reliability = pcch_reliability.reliabilities(votes, rater_weight, item_weight)
        if DROPPED in methods:
            by_left = chosen.by(_without_the_least(reliability, rater_weight, spec.dropped).T)
            left = by_left.sum(axis=0)
            yield DROPPED, shared(by_left, left), item_weight * (left > 0).T
            del by_left
        trusted, _ = chosen.relevance(np.maximum(reliability, 0.0) * rater_weight, rater_weight)
        if WEIGHTED in methods:
            yield WEIGHTED, trusted, judged
        if PCCH in methods:
            of_items = item_weights(trusted, counted.T * (item_weight > 0), spec.min_votes)
            yield PCCH, trusted, judged * of_items
    if GLAD in methods:
        yield GLAD, glad.posterior_draws(votes, rater_weight, item_weight), judged


def _without_the_least(reliability: Floats, rater_weight: Floats, dropped: int) -> Floats:
    """Return how often each rater (b, raters) is left once so many, copies counted one by one, are dropped."""
    order = np.argsort(np.where(rater_weight > 0, reliability, np.inf), axis=1, kind="stable")
    copies = np.take_along_axis(rater_weight, order, axis=1)
    gone = np.clip(dropped - (np.cumsum(copies, axis=1) - copies), 0, copies)
    left = np.empty_like(rater_weight)
    np.put_along_axis(left, order, copies - gone, axis=1)
    return left


def share_of_first(relevance: Floats, item_weight: Floats, lists: Lists) -> Floats:
    """The first list's share in each draw."""
    return pcch_reliability.shares_of_lists(pcch_reliability.weighted_share(relevance, item_weight), lists)


def _resampled(votes: Votes, raters_are_persons: bool) -> str:
    if votes.items < 2:
        return ""
    return "items and raters" if raters_are_persons and votes.raters > 1 else "items"


def draws_of_items(
    votes: Votes, spec: PreferenceSpec, methods: Sequence[str], on_progress: OnProgress = None
) -> Iterator[Floats]:
    """Draw of items (b, items), where there are several."""
    if votes.items < 2:
        return
    cost = len(votes) * (GLAD_COST if GLAD in methods else 1)
    for _, items in crossed_bootstrap_counts(
        votes.raters, votes.items, spec.draws, spec.seed, cost, on_progress
    ):
        yield items


def share_ends(value: float, drawn: Floats, items: int, raters: VarianceEstimate, level: float) -> Ends:
    """The interval of a share: the shape of draws of items, and what raters carry added, on the arcsine scale."""
    slope = 4 * value * (1 - value)
    if slope < NOTHING and len(drawn) and not np.ptp(drawn) > NOTHING:  # nobody in this study differed
        return Ends(*np.asarray(wilson_interval(items * value, items, level)[1:]))
    on_angle = (
        VarianceEstimate(raters.variance / slope, raters.uncertainty / slope**2) if slope > 0 else NO_VARIANCE
    )
    return item_and_rater_interval(value, drawn, items, on_angle, level, ANGLE)


def parts_of_votes(
    votes: Votes,
    lists: Lists,
    spec: PreferenceSpec,
    method: str,
    relevance: Floats,
    item_weight: Floats,
    reliability: Floats,
) -> Floats:
    """Each vote's part (N,) in the first list's share, from the values and weights (1, q, …) of one method's items."""
    of = relevance[0]
    if method == MAJORITY:
        parts = clustered_intervals.of_majority(votes, of, lists)
    elif method == GLAD:
        parts = clustered_intervals.of_glad(votes, of)
    else:
        weight = np.ones(votes.raters)
        if method == DROPPED:
            weight = _without_the_least(reliability[None], weight[None], spec.dropped)[0]
        elif method != EQUAL:
            weight = np.maximum(reliability, 0.0)
        parts = clustered_intervals.of_weighted_votes(votes, of, weight)
    return clustered_intervals.in_the_share(votes, lists, parts, of, item_weight[0])


def items_to_tell(share: Estimate, items: int) -> float:
    """About how many items like these would put the interval to one side of one half; infinite at one half."""
    to_half = share.value - share.low if share.value > 0.5 else share.high - share.value
    gap = abs(share.value - 0.5)
    return items * (to_half / gap) ** 2 if gap > 0 else np.inf


def why_undefined(relevance: Floats, weight: Floats, lists: Lists) -> str:
    """Return why a share is undefined, from one draw's (1, items, options) and (1, items); empty if defined."""
    prv = pcch_reliability.weighted_share(relevance, weight)
    if not np.isnan(pcch_reliability.shares_of_lists(prv, lists)[0]):
        return ""
    if np.isnan(prv).any():
        return pcch.NO_VOTES
    neither = 0.0 if lists.neither is None else prv[0, lists.neither]
    return MOST_SAY_NEITHER if neither >= 0.5 else ONE_LIST_NEITHER
