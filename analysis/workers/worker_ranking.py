"""Who is reliable: every worker's figures under the methods that there are, side by side, and how these agree.

What PCC-H needs as a weight is 0 for a worker without one; here it is undefined, with the reason, because a
worker who was never put to the test is not a bad one.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import nan
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.resampling.intervals import wilson
from analysis.screening.rating_speed import speed
from analysis.values.errors import InputError
from analysis.values.estimate import Estimate
from analysis.values.types import Codes, Floats, OnProgress
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
    """Where r_w may lie: its own interval, or Fisher's z over its items until that is drawn and where none can be."""
    # A correlation of 1 has no chance error of its own: it counts as one item less than perfect.
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
    """How reliable each worker is, by every method there is, without intervals of r_w.

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
    poll by itself and averaged over polls by the worker's votes there, as r_w is. Intervals of e_w are Wilson's over
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
    """Each poll's votes under codes of its own items and options; workers keep theirs."""
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
    share, low, high = wilson(np.bincount(who, weights=right, minlength=votes.raters), n, level)
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
