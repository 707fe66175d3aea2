"""Labels of a crowd: the share of each class, which classes are confused, and how far the crowd's label is an
expert's or gold."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import nan
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.agreement.alpha import ONE_UNIT
from analysis.agreement.kappas import CongerSums
from analysis.agreement.ratio_intervals import ratio_interval
from analysis.resampling.carried import (
    NO_VARIANCE,
    VarianceEstimate,
    add_variances,
    item_variance_from_samples,
    rater_variance,
)
from analysis.resampling.intervals import (
    Ends,
    crossed_bootstrap_counts,
    interval_from_error,
    wilson_interval_from_samples,
    wilson_interval_from_variance,
)
from analysis.values.estimate import BootstrapSpec, Codes, Estimate, Floats, InputError, OnProgress
from analysis.values.votes import Votes
from analysis.workers import dawid_skene, glad, pcch_reliability, polls
from analysis.workers.worker_agreement import checked_gold

Fitting = Callable[[Floats | None, Floats], Floats]
METHODS = ("majority vote", "r_w-weighted vote", "Dawid-Skene", "GLAD", "one rater alone")
"""The last is for reference: what to expect of a single vote on each item."""
MAJORITY, WEIGHTED, DAWID_SKENE, GLAD, ALONE = METHODS
FITTED = (DAWID_SKENE, GLAD)
"""Fitted again in every draw, which takes its time; the others are closed."""
CLOSED = (MAJORITY, WEIGHTED, ALONE)
DRAWS_OF_FITTED = 200
"""Draws that are enough: intervals rest on the draws' variance, not on their tails."""
_COST = {DAWID_SKENE: 10, GLAD: 20}
"""How many times a vote costs in a fit: blocks of draws are so much smaller."""
_MOST_VOTES_DRAWN = {DAWID_SKENE: 1_500_000, GLAD: 1_000_000}
_MOST_VOTES_DRAWN_CLOSED = 100_000_000
"""Votes times draws that take some five seconds; of Dawid-Skene and GLAD, each draw runs to its own maximum."""
_FEWEST_DRAWS = 20
_NO_VARIANCE = 1e-15


@dataclass(frozen=True, eq=False)
class Labels:
    """One method's labels and how they compare with gold.

    `shares` (q, k) how far each option is the item's label: 1 for the best one, equal parts where several are
    best, NaN without votes; of one rater alone, the share of the item's votes. `right` (q,) the share that is
    gold, NaN where it is not known. `confusion` (k, k) items [gold, label], ties in parts. `precision` and
    `recall` (k,) of each class, NaN where nothing was given that label or has it as gold. `accuracy` mean of
    `right` over `items`; `ties` items among them whose best options tie, `ties_in_all` also among the rest.
    """

    method: str
    shares: Floats
    right: Floats
    confusion: Floats
    precision: Floats
    recall: Floats
    accuracy: float
    items: int
    ties: int
    ties_in_all: int


@dataclass(frozen=True, eq=False)
class Gold:
    """Known answers: `items` with gold and a vote, `items_without` gold, of the class (k,) with votes (k,)."""

    items: int
    items_without: int
    of_class: Codes
    chosen: Codes


class AccuracyDraws(NamedTuple):
    """A method's accuracy in draws (draws,) of items and raters, and of items only; `raters`: of one rater alone."""

    both: Floats
    items: Floats
    raters: VarianceEstimate = NO_VARIANCE


@dataclass(frozen=True, eq=False)
class LabelAccuracy:
    """Methods side by side: `labels`, `accuracy` and, for all but majority vote, `difference` to it, by method.

    The difference of one rater alone, who is no rival but a measure of the votes, has no interval.

    `draws` by method; n of the estimates counts items with gold.
    """

    labels: Mapping[str, Labels]
    accuracy: Mapping[str, Estimate]
    difference: Mapping[str, Estimate]
    draws: Mapping[str, int]


def label_accuracy(
    votes: Votes,
    gold: ArrayLike,
    bootstrap: BootstrapSpec | None = None,
    methods: Sequence[str] = METHODS,
    draws_of_fitted: int | None = None,
    raters_are_persons: bool = True,
    on_progress: OnProgress = None,
) -> LabelAccuracy:
    """Accuracy of each method with its interval, and how far it lies above majority vote.

    Parameters
    ----------
    votes : N votes on q items with k options
    gold : (q,) the true option, -1 where not known
    bootstrap : of the intervals, 1,000 draws unless told otherwise
    methods : which of `METHODS`; majority vote is always among them
    draws_of_fitted : for Dawid-Skene and GLAD, which are fitted again in each; at most 200 unless told otherwise
    raters_are_persons : if not, intervals are over items only
    on_progress : called between blocks of draws with the share done

    Returns
    -------
    LabelAccuracy

    Raises
    ------
    InputError
        where `gold` does not fit the votes.

    Notes
    -----
    Not for gold that was itself made from these votes. Items without gold are used in the fits and left out of the
    accuracy.
    Source: methods, sections 0 and 4 (labels); Habibi and Popescu-Belis 2012, section 5 (r_w as a weight).
    """
    spec = BootstrapSpec() if bootstrap is None else bootstrap
    fewer = min(spec.draws, DRAWS_OF_FITTED) if draws_of_fitted is None else draws_of_fitted
    wanted = [method for method in METHODS if method in methods or method == MAJORITY]
    labels, drawn = {}, {}
    for at, method in enumerate(wanted):
        labels[method] = labelled(votes, gold, method)
        own = BootstrapSpec(fewer, spec.seed, spec.level) if method in FITTED else spec

        def told(done: float, at: int = at) -> None:
            if on_progress is not None:
                on_progress((at + done) / len(wanted))

        drawn[method] = accuracy_draws(votes, gold, method, own, raters_are_persons, told)
    return compared(labels, drawn, votes.raters if raters_are_persons else None, spec.level)


def fitted(votes: Votes, method: str) -> Floats:
    """Return what a method says of each item."""
    if method == DAWID_SKENE:
        return dawid_skene.fit_votes(votes).posterior
    if method == GLAD:
        return glad.fit_votes(votes).posterior
    posterior: Floats = _fitting(votes, method, np.arange(votes.items))(None, np.ones((1, votes.items)))[0]
    return posterior


def labelled(votes: Votes, gold: ArrayLike, method: str, posterior: Floats | None = None) -> Labels:
    """One method's labels held against gold."""
    # An item whose best t options tie, gold among them, counts 1 / t: what breaking the tie at random gives
    # on average. The same parts go into the confusion matrix.
    true = checked_gold(votes, gold)
    posterior = fitted(votes, method) if posterior is None else posterior
    shares = _shares(posterior, method)
    right = _right(shares, true)
    known = ~np.isnan(right)
    confusion = np.zeros((votes.options, votes.options))
    for option in range(votes.options):
        confusion[:, option] = np.bincount(true[known], shares[known, option], minlength=votes.options)
    hits = np.diagonal(confusion)
    tied = (_best(posterior).sum(axis=1) > 1) & (method != ALONE)
    return Labels(
        method,
        shares,
        right,
        confusion,
        _divided(hits, confusion.sum(axis=0)),
        _divided(hits, confusion.sum(axis=1)),
        float(right[known].mean()) if known.any() else nan,
        int(known.sum()),
        int((tied & known).sum()),
        int(tied.sum()),
    )


def accuracy_draws(
    votes: Votes,
    gold: ArrayLike,
    method: str,
    bootstrap: BootstrapSpec,
    raters_are_persons: bool = True,
    on_progress: OnProgress = None,
) -> AccuracyDraws:
    """A method's accuracy in every draw, fitted again in each (Owen 2007, section 2)."""
    true = checked_gold(votes, gold)
    if not (true >= 0).any():
        return AccuracyDraws(*np.full((2, bootstrap.draws), nan))
    both: list[Floats] = [np.empty(0)]
    items: list[Floats] = [np.empty(0)]
    has_gold = np.flatnonzero(true >= 0)
    again = _fitting(votes, method, has_gold)

    def accuracy(rater_weight: Floats | None, item_weight: Floats) -> Floats:
        right = _right(_shares(again(rater_weight, item_weight), method), true[has_gold])
        known = ~np.isnan(right)
        weight = item_weight[:, has_gold]
        return _divided((np.where(known, right, 0.0) * weight).sum(axis=1), (known * weight).sum(axis=1))

    draws_raters = raters_are_persons and method != ALONE
    for rater_weight, item_weight in _draws(votes, method, bootstrap, on_progress):
        items.append(accuracy(None, item_weight))
        both.append(accuracy(rater_weight, item_weight) if draws_raters else items[-1])
    alone = raters_are_persons and method == ALONE
    return AccuracyDraws(
        np.concatenate(both), np.concatenate(items), _raters_alone(votes, true) if alone else NO_VARIANCE
    )


def _raters_alone(votes: Votes, gold: Codes) -> VarianceEstimate:
    """Return what raters carry into the mean share of right votes: each vote compared with the others of its item."""
    known = gold[votes.item] >= 0
    right = (votes.choice == gold[votes.item]).astype(np.float64)
    others = votes.per_item[votes.item] - 1
    total = np.bincount(votes.item, right, votes.items)[votes.item]
    apart = np.where(others > 0, right - (total - right) / np.maximum(others, 1), 0.0)
    items = len(np.unique(votes.item[known]))
    parts = apart / (others + 1) / max(items, 1)
    return rater_variance(parts[known], votes.rater[known], votes.raters)


def affordable(draws: int, votes: int, method: str) -> int:
    """Return how many of the draws wanted can be made in five seconds; 0 where they are too few for an interval."""
    within_reach = _MOST_VOTES_DRAWN.get(method, _MOST_VOTES_DRAWN_CLOSED) // max(votes, 1)
    return draws if draws <= within_reach else within_reach if within_reach >= _FEWEST_DRAWS else 0


def compared(
    labels: Mapping[str, Labels],
    drawn: Mapping[str, AccuracyDraws] | None = None,
    raters: int | None = None,
    level: float = 0.95,
) -> LabelAccuracy:
    """Methods side by side, from what was found for each alone (Dean and Pagano 2015; Student 1908)."""
    drawn = {} if drawn is None else drawn
    accuracy, difference = {}, {}
    none = AccuracyDraws(*np.empty((2, 0)))
    for method, label in labels.items():
        reason = "" if label.items else "no item has both gold and a vote"
        units = label.items if raters is None or raters < 2 else min(label.items, raters)
        of_method = drawn.get(method, none)
        low, high = _ends(method, label, of_method, units, level)
        accuracy[method] = Estimate(label.accuracy, float(low), float(high), label.items, reason)
        if MAJORITY in labels and method != MAJORITY:
            value = label.accuracy - labels[MAJORITY].accuracy
            error = nan
            if MAJORITY in drawn and method != ALONE:
                error = _error_of_difference(of_method.items, drawn[MAJORITY].items, label.items)
            low, high = interval_from_error(value, error, level, max(units - 1, 1), (-1.0, 1.0))
            difference[method] = Estimate(value, float(low), float(high), label.items, reason)
    return LabelAccuracy(
        labels, accuracy, difference, {method: len(drawn.get(method, none).both) for method in labels}
    )


def _ends(method: str, label: Labels, drawn: AccuracyDraws, units: int, level: float) -> Ends:
    """Wilson's interval of a method's accuracy."""
    if method != ALONE:
        return wilson_interval_from_samples(label.accuracy, drawn.both, label.items, level, units)
    chance = add_variances(item_variance_from_samples(drawn.items, label.items), drawn.raters)
    if np.isnan(chance.variance):
        return Ends(np.asarray(nan), np.asarray(nan))
    return wilson_interval_from_variance(label.accuracy, chance.variance, label.items, level, chance.degrees)


def _error_of_difference(drawn: Floats, of_majority: Floats, items: int) -> float:
    """Of the same draws of items, the first of them where one has more; at least what half an item makes."""
    # Where methods differ on one item or none, no draw differs; half an item to either side (Agresti and Min 2005).
    shared = min(len(drawn), len(of_majority))
    variance = item_variance_from_samples(drawn[:shared] - of_majority[:shared], items).variance
    return float(np.sqrt(np.maximum(variance, 1 / (items + 2) ** 2)))


def gold_known(votes: Votes, gold: ArrayLike) -> Gold:
    """Return how many items have gold, by class, and how often each class was chosen."""
    true = checked_gold(votes, gold)
    voted = np.bincount(votes.item, minlength=votes.items) > 0
    known = (true >= 0) & voted
    return Gold(
        int(known.sum()),
        int((voted & (true < 0)).sum()),
        np.bincount(true[known], minlength=votes.options),
        np.bincount(votes.choice, minlength=votes.options),
    )


def same_label(labels: Mapping[str, Labels]) -> dict[tuple[str, str], Estimate]:
    """The share of items to which two methods give the same label, for each pair of methods."""
    same_labels = {}
    for one, other in combinations(labels, 2):
        same = (labels[one].shares * labels[other].shares).sum(axis=1)
        same = same[~np.isnan(same)]
        reason = "" if len(same) else "no item has a vote"
        same_labels[one, other] = Estimate(
            float(same.mean()) if len(same) else nan, n=len(same), reason=reason
        )
    return same_labels


def methods_differ(labels: Mapping[str, Labels]) -> NDArray[np.bool_]:
    """Return for each item (q,) whether methods give it different labels; a tie is a separate label."""
    first, *others = (np.nan_to_num(one.shares) for one in labels.values())
    return np.asarray(np.any([(other != first).any(axis=1) for other in others], axis=0))


def _draws(
    votes: Votes, method: str, spec: BootstrapSpec, on_progress: OnProgress
) -> Iterator[tuple[Floats, Floats]]:
    cost = len(votes) * votes.options * _COST.get(method, 1)
    return crossed_bootstrap_counts(votes.raters, votes.items, spec.draws, spec.seed, cost, on_progress)


def _fitting(votes: Votes, method: str, items: Codes) -> Fitting:
    """What says of some items (m,), in draws of raters (b, w), None where each counts once, and of items (b, q), what
    the method does (b, m, k)."""

    def once(rater_weight: Floats | None, item_weight: Floats) -> Floats:
        return np.ones((len(item_weight), votes.raters)) if rater_weight is None else rater_weight

    if method == DAWID_SKENE:
        return lambda by, on: dawid_skene.posterior_draws(votes, once(by, on), on)[:, items]
    if method == GLAD:
        return lambda by, on: glad.posterior_draws(votes, once(by, on), on)[:, items]
    chosen = pcch_reliability.Chosen(_on(votes, items))
    if method == WEIGHTED:
        compared_raters = pcch_reliability.Compared(votes)

        def weighted(by: Floats | None, on: Floats) -> Floats:
            trust = np.maximum(compared_raters.reliabilities(by, on), 0.0)
            return chosen.relevance(trust * once(by, on), once(by, on))[0]

        return weighted
    if method not in CLOSED:
        raise InputError(f"`method` must be one of {', '.join(METHODS)}, got {method!r}")
    return lambda by, on: chosen.relevance(once(by, on), once(by, on))[0]


def _on(votes: Votes, items: Codes) -> Votes:
    """The votes on some of the items, under codes from 0."""
    code = np.full(votes.items, -1)
    code[items] = np.arange(len(items))
    kept = code[votes.item] >= 0
    of = code[votes.item[kept]], votes.rater[kept], votes.choice[kept]
    return Votes(*of, len(items), votes.raters, votes.options)


def _best(posterior: Floats) -> NDArray[np.bool_]:
    """The options with the highest share or probability (…, k); none where it is not known."""
    if posterior.shape[-1] == 0:
        return np.zeros(posterior.shape, dtype=np.bool_)
    best: NDArray[np.bool_] = posterior >= posterior.max(axis=-1, keepdims=True) - polls.ALIKE
    return best


def _shares(posterior: Floats, method: str) -> Floats:
    """Return how far each option is the label (…, k): one rater alone says it with the shares of the votes."""
    if method == ALONE:
        return posterior
    best = _best(posterior)
    return _divided(best, best.sum(axis=-1, keepdims=True))


def _right(shares: Floats, gold: Codes) -> Floats:
    """The share of the true option (…, q), NaN without gold."""
    if shares.shape[-1] == 0:
        return np.full(shares.shape[:-1], nan)
    of_gold = shares[..., np.arange(len(gold)), np.maximum(gold, 0)]
    return np.where(gold >= 0, of_gold, nan)


def _divided(parts: ArrayLike, whole: ArrayLike) -> Floats:
    """NaN where the whole is 0."""
    part, of = np.asarray(parts, dtype=np.float64), np.asarray(whole, dtype=np.float64)
    return np.where(of > 0, part / np.where(of > 0, of, 1.0), nan)


NOTHING_KNOWN = "no item has both a known answer and a vote"


@dataclass(frozen=True, eq=False)
class ClassShares:
    """By class (k,): its `votes`, and its `share` of an item's votes, mean over items. `together` (k, k): how often, of
    two votes on one item, one is for the row's class and the other for the column's, in votes; rows add to the votes on
    items of two votes or more."""

    votes: Codes
    share: tuple[Estimate, ...]
    together: Floats

    @property
    def order(self) -> list[int]:
        """Classes that were given, the most common first."""
        common = np.argsort([-one.value for one in self.share], kind="stable")
        return [int(at) for at in common if self.votes[at]]

    @property
    def confused(self) -> Floats:
        """Share of the column's class among an item's other votes, where one vote is for the row's class (k, k)."""
        rows = self.together.sum(axis=1, keepdims=True)
        parts = np.full_like(self.together, nan)
        return np.asarray(np.divide(self.together, rows, out=parts, where=rows > 0))

    @property
    def mistaken_for(self) -> tuple[Codes, Floats]:
        """Class that each class (k,) is most often confused with, and how often; NaN where it is with none."""
        others = np.nan_to_num(self.confused - np.diag(np.diagonal(self.confused)))
        often = others.max(axis=1)
        return others.argmax(axis=1), np.where(often > 0, often, nan)

    @property
    def most_confused(self) -> tuple[int, int, float] | None:
        """Return, of two votes on one item that differ, the classes they are for most often, and how often where the
        rarer of the two is one of them; None where no two differ."""
        apart = np.triu(self.together, 1)
        if not apart.any():
            return None
        one, other = (int(at) for at in np.unravel_index(apart.argmax(), apart.shape))
        rows = self.together.sum(axis=1)
        if rows[other] < rows[one]:
            one, other = other, one
        return one, other, float(self.together[one, other] / rows[one])


def class_shares(votes: Votes, level: float = 0.95) -> ClassShares:
    """The share of each class and which classes are confused.

    Parameters
    ----------
    votes : N votes on q items with k classes
    level : of the intervals, which are over items, for these raters

    Notes
    -----
    Of an item of n votes each pair of votes counts 1 / (n - 1), so that each vote counts once (Krippendorff's
    coincidences).
    Source: Krippendorff 2011, "Computing Krippendorff's alpha-reliability", section C; Wilson 1927.
    """
    counts = np.bincount(votes.item * votes.options + votes.choice, minlength=votes.items * votes.options)
    table = counts.reshape(votes.items, votes.options).astype(np.float64)
    share = polls.shares(votes)
    n = len(share)
    value, error = share.mean(axis=0), share.var(axis=0, ddof=1) / n if n > 1 else np.full(votes.options, nan)
    told = []
    for one, variance in zip(value.tolist(), error.tolist(), strict=True):
        low, high = (
            wilson_interval_from_variance(one, variance, n, level, n - 1)
            if n > 1
            else (np.asarray(nan), np.asarray(nan))
        )
        told.append(Estimate(one, float(low), float(high), n, "" if n > 1 else ONE_UNIT))
    several = table[table.sum(axis=1) > 1]
    weight = 1 / (several.sum(axis=1) - 1)
    together = (several * weight[:, None]).T @ several - np.diag((several * weight[:, None]).sum(axis=0))
    given = np.bincount(votes.choice, minlength=votes.options)
    return ClassShares(given, tuple(told), together)


@dataclass(frozen=True, eq=False)
class CrowdAgainst:
    """The crowd's majority label compared with a known answer, over `items` that have one.

    `accuracy` the share of equal ones, `kappa` beyond chance, `confusion` (k, k) items by known answer and the
    crowd's label, `ties` items whose best labels tie: each counts a part.
    """

    accuracy: float
    kappa: Estimate
    confusion: Floats
    items: int
    ties: int


def crowd_against(votes: Votes, known: ArrayLike, level: float = 0.95) -> CrowdAgainst:
    """Return how far the label that most give is the known answer.

    Parameters
    ----------
    votes : N votes on q items with k classes
    known : (q,) the expert's answer or gold, -1 where not known

    Raises
    ------
    InputError
        where `known` does not fit the votes.

    Notes
    -----
    Cohen's kappa of two raters, the crowd being one; of t labels that tie each counts 1 / t, as breaking ties at random
    would on average. The interval is one over items, for these raters (`analysis.agreement.ratio_intervals`). Source:
    Cohen 1960.
    """
    answers = np.asarray(known)
    label = labelled(votes, answers, MAJORITY)
    n, cells = label.items, label.confusion
    if not n:
        return CrowdAgainst(nan, Estimate(nan, reason=NOTHING_KNOWN), cells, 0, 0)
    there = ~np.isnan(label.right)
    true, shares = answers[there], label.shares[there]
    sums = CongerSums.from_shares(np.eye(cells.shape[0])[true], shares)
    return CrowdAgainst(label.accuracy, ratio_interval(sums, level), cells, n, label.ties)
