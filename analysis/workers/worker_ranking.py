"""Who is reliable: every worker's figures under the methods that there are, side by side, and how these agree.

What PCC-H needs as a weight is 0 for a worker without one; here it is undefined, with the reason, because a
worker who was never put to the test is not a bad one.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, pairwise
from math import nan
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.correlation.two_columns import Correlation, pearson, spearman
from analysis.resampling.draws import multiplicities
from analysis.resampling.intervals import FISHER, Ends, by_error, for_few, moved, wilson
from analysis.screening.rules import speed
from analysis.values.errors import InputError
from analysis.values.estimate import BootstrapSpec, Estimate
from analysis.values.ratings import Ratings
from analysis.values.votes import Votes
from analysis.workers import dawid_skene, glad, pcch

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]
OnProgress = Callable[[float], object] | None

FEWEST_WORKERS = 3
"""Workers that a correlation over workers needs."""
FEWEST_ITEMS = 3
"""Items up to which an r_w has no interval."""
MOST_VOTES = 300_000
"""Votes up to which intervals of r_w are drawn; above them Fisher's z takes no time."""
CELLS = 4_000_000
"""Votes times options looked at at once."""
_PERFECT = 1 - 1e-12


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
    Answers: who agrees with the others, and with the truth where it is known? Not who is right: where most are
    wrong alike, the lone expert comes last. GLAD and Dawid-Skene are fitted to each poll by itself and averaged
    over polls by the worker's votes there, as r_w is. Intervals of e_w are Wilson's over the worker's items.
    As a weight in PCC-H an undefined r_w counts 0.
    Source: Habibi and Popescu-Belis 2012, section 5.1, Eq. 1, and section 6, Table 1; Whitehill et al. 2009;
    Dawid and Skene 1979; Wilson 1927.
    """
    of_item = np.zeros(votes.items, dtype=np.int64) if poll is None else _column("poll", poll, votes.items)
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


def with_intervals(
    found: WorkerRanking,
    votes: Votes,
    poll: ArrayLike | None = None,
    bootstrap: BootstrapSpec | None = None,
    raters_are_persons: bool = True,
    on_progress: OnProgress = None,
) -> WorkerRanking:
    """The same ranking with an interval for every r_w.

    Parameters
    ----------
    found : the ranking of these votes
    votes, poll : what it was made from, (q,) codes of polls or None
    bootstrap : of the intervals; no draws leave them out
    raters_are_persons : if not, only items are drawn
    on_progress : called between blocks of draws with the share done

    Returns
    -------
    WorkerRanking

    Raises
    ------
    InputError
        where `poll` has the wrong length.

    Notes
    -----
    Answers: where would this worker's r_w lie with other items and other colleagues? A draw repeats r_w of
    everyone: items count as often as they are drawn, and so do the workers among `the others`. How often a worker
    is drawn has no part in the worker's own r_w, so every draw has one for everybody. The draws are moved, on the
    scale of Fisher's z, so that their middle is the estimate (copies of few colleagues make a noisier mean than
    they did, and r_w in a draw is too low), and widened as few items need it (Student's t, n / (n - 1));
    benchmarks/worker_coverage.md shows what that does. No interval up to three items, where fewer than half the
    draws are defined, or where all are alike. Above 300,000 votes: Fisher's z over the worker's items.
    Source: Owen 2007, "The pigeonhole bootstrap", section 2; Hesterberg 2015, "What teachers should know about the
    bootstrap", section 4 (widened); methods, section 0.
    """
    spec = BootstrapSpec() if bootstrap is None else bootstrap
    if spec.draws == 0:
        return found
    if len(votes) > MOST_VOTES:
        return replace(found, r=_over_items(found.r, spec.level), intervals="Fisher's z over items")
    of_item = np.zeros(votes.items, dtype=np.int64) if poll is None else _column("poll", poll, votes.items)
    drawn = reliability_draws(votes, of_item, spec, raters_are_persons, on_progress)
    value, items = np.array([(e.value, e.n) for e in found.r]).reshape(-1, 2).T
    low, high = intervals_of_draws(drawn, value, items, spec.level)
    r = tuple(replace(e, low=a, high=b) for e, a, b in zip(found.r, low.tolist(), high.tolist(), strict=True))
    what = "items and of the other workers" if raters_are_persons else "items"
    return replace(found, r=r, intervals=f"bootstrap of {what}")


def reliability_draws(
    votes: Votes,
    poll: Codes,
    spec: BootstrapSpec,
    raters_are_persons: bool = True,
    on_progress: OnProgress = None,
) -> Floats:
    """Every worker's r_w in every draw of items and of the other workers (Owen 2007, "The pigeonhole
    bootstrap", section 2)."""
    raters, rater = np.unique(votes.rater, return_inverse=True)
    items, item = np.unique(votes.item, return_inverse=True)
    there = Votes(item, rater, votes.choice, len(items), len(raters), votes.options)
    drawn = np.full((spec.draws, votes.raters), nan)
    done, cost = 0, len(votes) * max(votes.options, 1)
    for of_raters, of_items in multiplicities(
        len(raters), len(items), spec.draws, spec.seed, cost, on_progress
    ):
        block = slice(done, done + len(of_items))
        weight = of_raters if raters_are_persons else np.ones_like(of_raters)
        drawn[block, raters] = pcch.correlations(there, weight, of_items, poll[items])
        done = block.stop
    return drawn


def intervals_of_draws(drawn: Floats, value: Floats, items: Floats, level: float) -> Ends:
    """Intervals of r_w from its draws (draws, w), moved on Fisher's z, since draws are too low, and stretched for
    few items; none where all draws are alike."""
    many = np.maximum(items, 2)
    low, high = moved(
        value, drawn, level, for_few(many - 1, level) * np.sqrt(many / (many - 1)), scale=FISHER
    )
    known = ~np.isnan(drawn)
    spread = np.where(known, drawn, -1).max(axis=0, initial=-1) > np.where(known, drawn, 1).min(
        axis=0, initial=1
    )
    there = (items > FEWEST_ITEMS) & spread
    return Ends(np.where(there, low, nan), np.where(there, high, nan))


def agreement_with_majority(votes: Votes) -> Floats:
    """How often each worker chooses what most of the others chose.

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
    Answers: how often is this worker with the majority? Not corrected for chance: where one option is nearly
    always right, always choosing it agrees, too.
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


def best_first(r: Sequence[Estimate]) -> Codes:
    """Places from the highest to the lowest, undefined ones last."""
    return np.argsort([-one.value if one.defined else np.inf for one in r], kind="stable").astype(np.int64)


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
    Answers: would another method put the workers in another order? All of them rest on the same votes, so even
    two useless methods may agree; only known answers are evidence from outside.
    Source: methods, section 4; the interval is that of `analysis.correlation.two_columns.spearman`.
    """
    columns = {name: np.asarray(values, dtype=np.float64) for name, values in figures.items()}
    if len({values.shape for values in columns.values()}) > 1:
        raise InputError(
            f"`figures` must be equally long, got {[len(values) for values in columns.values()]}"
        )
    found = {}
    for one, other in combinations(columns, 2):
        x, y = _both(columns[one], columns[other])
        found[one, other] = _of_workers(spearman(x, y, level=level)).estimate
    return found


def known_against_r(r: ArrayLike, known: ArrayLike, level: float = 0.95) -> tuple[Correlation, Correlation]:
    """Whether workers who give the known answers also agree with the others: e_w against r_w.

    Parameters
    ----------
    r, known : (w,) of the same workers, NaN where undefined
    level : of the intervals

    Returns
    -------
    (Correlation, Correlation)
        Pearson's r and Spearman's rho, n = workers with both.

    Raises
    ------
    InputError
        where lengths differ.

    Notes
    -----
    Answers: can r_w stand in for known answers? The interval is over workers (Fisher's z) and takes both figures
    as they are: noise in them makes the correlation smaller than that of the workers themselves.
    Source: Habibi and Popescu-Belis 2012, section 6, Table 1.

    >>> pair = [0.81, 0.65, 0.64, 0.71], [0.66, 0.54, 0.54, 0.50]
    >>> round(known_against_r(*pair)[0].estimate.value, 2)
    0.78
    """
    x, y = np.asarray(r, dtype=np.float64), np.asarray(known, dtype=np.float64)
    if x.shape != y.shape:
        raise InputError(f"`r` and `known` must be equally long, got {len(x)} and {len(y)}")
    x, y = _both(x, y)
    return _of_workers(pearson(x, y, level=level)), _of_workers(spearman(x, y, level=level))


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
    Answers: who orders and spaces the items as the reference does? Severity does not enter. Several scores of a
    rater for an item are averaged first. Intervals are Fisher's z over the rater's items.
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
    found = []
    for a, b in pairwise(start.tolist()):
        e = pearson(own[a:b], theirs[a:b], level=level).estimate
        if not e.defined:
            few = b - a < 3
            told = (
                "fewer than 3 items with a reference" if few else "the scores, or the reference, do not vary"
            )
            e = replace(e, reason=told)
        found.append(e)
    return tuple(found)


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
    r = pcch.reliabilities(votes, poll=poll)[0]
    undefined = pcch.undefined(votes, poll)
    pair = np.unique(votes.item * max(votes.raters, 1) + votes.rater)
    judges = np.bincount(pair // max(votes.raters, 1), minlength=votes.items)
    shared: Codes = np.bincount(
        pair % max(votes.raters, 1), weights=judges[pair // max(votes.raters, 1)] > 1, minlength=votes.raters
    ).astype(np.int64)
    varies = _varies(votes.of(judges[votes.item] > 1), poll)
    several = len(np.unique(poll)) > 1
    found = []
    for value, none, n, own in zip(
        r.tolist(), undefined.tolist(), shared.tolist(), varies.tolist(), strict=True
    ):
        if not none:
            found.append(Estimate(value, n=n))
            continue
        if n == 0:
            reason = "nobody else judged an item of this worker"
        elif n == 1:
            reason = "only one item that others judged too"
        elif not own:
            reason = "always chose the same option" + (" within a comparison" if several else "")
        else:
            reason = "the others' votes on the same items do not vary"
        found.append(Estimate(nan, n=n, reason=reason))
    return tuple(found)


def _varies(votes: Votes, poll: Codes) -> NDArray[np.bool_]:
    """(w,) whether a worker chose two options within a poll."""
    polls = int(poll.max(initial=0)) + 1
    place = votes.rater * polls + poll[votes.item]
    low = np.full(votes.raters * polls, votes.options)
    high = np.full(votes.raters * polls, -1)
    np.minimum.at(low, place, votes.choice)
    np.maximum.at(high, place, votes.choice)
    return np.asarray((high > low).reshape(votes.raters, polls).any(axis=1))


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
        np.full(votes.items, -1) if known is None else _column("known", known, votes.items).astype(np.int64)
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
        found = speed(votes.rater, _column("seconds", seconds, len(votes)))
        median[found.raters] = found.seconds
    return median


def _over_items(r: tuple[Estimate, ...], level: float) -> tuple[Estimate, ...]:
    """Fisher's z over each worker's items; no interval for few of them and for perfect correlations."""
    value, items = np.array([(e.value, e.n) for e in r]).reshape(-1, 2).T
    known = (items > FEWEST_ITEMS) & (np.abs(value) < _PERFECT)
    error = np.where(known, 1 / np.sqrt(np.maximum(items - FEWEST_ITEMS, 1)), nan)
    low, high = by_error(value, error, level, scale=FISHER)
    return tuple(replace(e, low=a, high=b) for e, a, b in zip(r, low.tolist(), high.tolist(), strict=True))


def _both(x: Floats, y: Floats) -> tuple[Floats, Floats]:
    both = ~(np.isnan(x) | np.isnan(y))
    return x[both], y[both]


def _of_workers(found: Correlation) -> Correlation:
    """The same with reasons that speak of workers."""
    e = found.estimate
    if e.defined and not e.reason:
        return found
    if e.n < FEWEST_WORKERS:
        reason = f"fewer than {FEWEST_WORKERS} workers have both figures"
    elif not e.defined:
        reason = "one of the figures is the same for all workers"
    elif e.n == FEWEST_WORKERS:
        reason = f"no interval over only {FEWEST_WORKERS} workers"
    else:
        reason = e.reason
    return replace(found, estimate=replace(e, reason=reason))


def _column(name: str, values: ArrayLike, many: int) -> NDArray[Any]:
    column = np.asarray(values)
    if column.shape != (many,):
        raise InputError(f"`{name}` must have shape ({many},), got {column.shape}")
    return column
