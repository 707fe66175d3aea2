"""Labels of a crowd: class shares, confused classes, and accuracy against an expert's labels or gold."""

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
from analysis.resampling.influence import (
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
from analysis.values.estimate import (
    BootstrapSpec,
    Codes,
    Estimate,
    Floats,
    InputError,
    OnProgress,
    Scope,
    chosen_scope,
)
from analysis.values.ratings import ratio
from analysis.values.votes import Votes
from analysis.workers import dawid_skene, glad, pcch_reliability, polls
from analysis.workers.worker_agreement import check_gold

PosteriorSampler = Callable[[Floats | None, Floats], Floats]
METHODS = ("majority vote", "r_w-weighted vote", "Dawid-Skene", "GLAD", "one rater alone")
"""The last is a reference: the expected accuracy of a single vote per item."""
MAJORITY, WEIGHTED, DAWID_SKENE, GLAD, ALONE = METHODS
FITTED = (DAWID_SKENE, GLAD)
"""Methods that are refitted in every bootstrap sample; the others have a closed form."""
CLOSED = (MAJORITY, WEIGHTED, ALONE)
FITTED_DRAWS = 200
"""Sufficient bootstrap samples: intervals use their variance, not their tails."""
_COST = {DAWID_SKENE: 10, GLAD: 20}
"""Relative cost of a vote in a fit, which makes blocks of bootstrap samples smaller."""
_MOST_VOTES_DRAWN = {DAWID_SKENE: 1_500_000, GLAD: 1_000_000}
_MOST_VOTES_DRAWN_CLOSED = 100_000_000
"""Votes times samples that take about five seconds; Dawid-Skene and GLAD are refitted in each sample."""
_FEWEST_DRAWS = 20
_NO_VARIANCE = 1e-15


@dataclass(frozen=True, eq=False)
class Labels:
    """Labels by one method and their comparison with gold.

    `shares` (q, k) the weight of each option as the item's label: 1 for the best option, equal parts for tied ones,
    NaN without votes; of one rater alone, the share of the item's votes. `right` (q,) the share that is gold, NaN
    where gold is unknown. `confusion` (k, k) items [gold, label], ties in parts. `precision` and `recall` (k,) of
    each class, NaN without such labels or such gold. `accuracy` is the mean of `right` over `items`; `ties` counts
    items among them with tied best options.
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


@dataclass(frozen=True, eq=False)
class Gold:
    """Known answers: numbers of `items` with gold and a vote and of `items_without` gold, gold items by class (k,)
    and votes by class (k,)."""

    items: int
    items_without: int
    of_class: Codes
    chosen: Codes


class AccuracySamples(NamedTuple):
    """Bootstrap samples (draws,) of a method's accuracy over items and raters, and over items only; `raters` for one
    rater alone."""

    both: Floats
    items: Floats
    raters: VarianceEstimate = NO_VARIANCE


@dataclass(frozen=True, eq=False)
class LabelAccuracy:
    """Comparison of methods: `labels`, `accuracy` and, for all but majority vote, `difference` to it, by method.

    The difference of one rater alone, a reference rather than a method, has no interval.

    `draws` counts bootstrap samples by method; n of the estimates counts items with gold; intervals hold for `scope`.
    """

    labels: Mapping[str, Labels]
    accuracy: Mapping[str, Estimate]
    difference: Mapping[str, Estimate]
    draws: Mapping[str, int]
    scope: Scope


def label_accuracy(
    votes: Votes,
    gold: ArrayLike,
    bootstrap: BootstrapSpec | None = None,
    methods: Sequence[str] = METHODS,
    fitted_draws: int | None = None,
    raters_are_persons: bool = True,
    on_progress: OnProgress = None,
    scope: Scope | None = None,
) -> LabelAccuracy:
    """Estimate the accuracy of each method with its interval, and its difference from majority vote.

    Parameters
    ----------
    votes : N votes on q items with k options
    gold : (q,) the true option, -1 where unknown
    bootstrap : settings of the intervals, 1,000 draws by default
    methods : a selection of `METHODS`; majority vote is always included
    fitted_draws : draws for Dawid-Skene and GLAD, which are refitted in each; at most 200 by default
    raters_are_persons : if not, intervals are for these raters
    on_progress : called between blocks of bootstrap samples with the share done
    scope : raters that the intervals hold for, by default raters like these from 6 raters on

    Returns
    -------
    LabelAccuracy

    Raises
    ------
    InputError
        where `gold` does not match the votes.

    Notes
    -----
    Not for gold that was derived from these votes. Items without gold are used in the fits and excluded from the
    accuracy.
    Source: methods, sections 0 and 4 (labels); Habibi and Popescu-Belis 2012, section 5 (r_w as a weight).
    """
    spec = BootstrapSpec() if bootstrap is None else bootstrap
    draws = min(spec.draws, FITTED_DRAWS) if fitted_draws is None else fitted_draws
    selected = [method for method in METHODS if method in methods or method == MAJORITY]
    over_raters = chosen_scope(scope, votes.raters, raters_are_persons) == "raters like these"
    labels, samples = {}, {}
    for index, method in enumerate(selected):
        labels[method] = label_items(votes, gold, method)
        method_spec = BootstrapSpec(draws, spec.seed, spec.level) if method in FITTED else spec

        def report_progress(share: float, index: int = index) -> None:
            if on_progress is not None:
                on_progress((index + share) / len(selected))

        samples[method] = bootstrap_accuracy(votes, gold, method, method_spec, over_raters, report_progress)
    return compare_methods(labels, samples, votes.raters if over_raters else None, spec.level)


def fit_posterior(votes: Votes, method: str) -> Floats:
    """Return the posterior or vote shares (q, k) of a method."""
    if method == DAWID_SKENE:
        return dawid_skene.fit_votes(votes).posterior
    if method == GLAD:
        return glad.fit_votes(votes).posterior
    posterior: Floats = _posterior_sampler(votes, method, np.arange(votes.items))(
        None, np.ones((1, votes.items))
    )[0]
    return posterior


def label_items(votes: Votes, gold: ArrayLike, method: str) -> Labels:
    """Label items by one method and compare the labels with gold."""
    # An item with t tied best options, gold among them, counts 1 / t: the mean of breaking the tie at random. The
    # confusion matrix uses the same parts.
    gold_codes = check_gold(votes, gold)
    posterior = fit_posterior(votes, method)
    shares = _label_shares(posterior, method)
    correct_share = _correct_share(shares, gold_codes)
    is_known = ~np.isnan(correct_share)
    confusion = np.zeros((votes.options, votes.options))
    for option in range(votes.options):
        confusion[:, option] = np.bincount(
            gold_codes[is_known], shares[is_known, option], minlength=votes.options
        )
    hits = np.diagonal(confusion)
    tied = (_best_options(posterior).sum(axis=1) > 1) & (method != ALONE)
    return Labels(
        method,
        shares,
        correct_share,
        confusion,
        ratio(hits, confusion.sum(axis=0)),
        ratio(hits, confusion.sum(axis=1)),
        float(correct_share[is_known].mean()) if is_known.any() else nan,
        int(is_known.sum()),
        int((tied & is_known).sum()),
    )


def bootstrap_accuracy(
    votes: Votes,
    gold: ArrayLike,
    method: str,
    bootstrap: BootstrapSpec,
    over_raters: bool = True,
    on_progress: OnProgress = None,
) -> AccuracySamples:
    """Return bootstrap samples of a method's accuracy, refitted in each; `over_raters`, too (Owen 2007, section 2)."""
    true = check_gold(votes, gold)
    if not (true >= 0).any():
        return AccuracySamples(*np.full((2, bootstrap.draws), nan))
    items_and_raters: list[Floats] = [np.empty(0)]
    items: list[Floats] = [np.empty(0)]
    has_gold = np.flatnonzero(true >= 0)
    sample_posterior = _posterior_sampler(votes, method, has_gold)

    def accuracy(rater_weight: Floats | None, item_weight: Floats) -> Floats:
        right = _correct_share(
            _label_shares(sample_posterior(rater_weight, item_weight), method), true[has_gold]
        )
        is_defined = ~np.isnan(right)
        weight = item_weight[:, has_gold]
        return ratio(
            (np.where(is_defined, right, 0.0) * weight).sum(axis=1), (is_defined * weight).sum(axis=1)
        )

    draws_raters = over_raters and method != ALONE
    for rater_weight, item_weight in _bootstrap_weights(votes, method, bootstrap, on_progress):
        items.append(accuracy(None, item_weight))
        items_and_raters.append(accuracy(rater_weight, item_weight) if draws_raters else items[-1])
    is_single_rater = over_raters and method == ALONE
    return AccuracySamples(
        np.concatenate(items_and_raters),
        np.concatenate(items),
        _single_rater_variance(votes, true) if is_single_rater else NO_VARIANCE,
    )


def _single_rater_variance(votes: Votes, gold: Codes) -> VarianceEstimate:
    """Return the variance that raters add to the mean share of right votes: each vote compared with the others of
    its item."""
    is_known = gold[votes.item] >= 0
    is_correct = (votes.choice == gold[votes.item]).astype(np.float64)
    other_count = votes.per_item[votes.item] - 1
    total = np.bincount(votes.item, is_correct, votes.items)[votes.item]
    deviation = np.where(other_count > 0, is_correct - (total - is_correct) / np.maximum(other_count, 1), 0.0)
    items = len(np.unique(votes.item[is_known]))
    influence = deviation / (other_count + 1) / max(items, 1)
    return rater_variance(influence[is_known], votes.rater[is_known], votes.raters)


def affordable_draws(draws: int, votes: int, method: str) -> int:
    """Return how many of these draws can be made in five seconds; 0 where they are too few for an interval."""
    limit = _MOST_VOTES_DRAWN.get(method, _MOST_VOTES_DRAWN_CLOSED) // max(votes, 1)
    return draws if draws <= limit else limit if limit >= _FEWEST_DRAWS else 0


def compare_methods(
    labels: Mapping[str, Labels],
    samples: Mapping[str, AccuracySamples] | None = None,
    raters: int | None = None,
    level: float = 0.95,
) -> LabelAccuracy:
    """Compare methods by their labels and bootstrap samples (Dean and Pagano 2015; Student 1908).

    `raters` are as many as samples were drawn from, None for these raters.
    """
    samples = {} if samples is None else samples
    accuracy, difference = {}, {}
    none = AccuracySamples(*np.empty((2, 0)))
    for method, label in labels.items():
        reason = "" if label.items else "no item has both gold and a vote"
        units = label.items if raters is None or raters < 2 else min(label.items, raters)
        method_samples = samples.get(method, none)
        low, high = _accuracy_interval(method, label, method_samples, units, level)
        accuracy[method] = Estimate(label.accuracy, float(low), float(high), label.items, reason)
        if MAJORITY in labels and method != MAJORITY:
            value = label.accuracy - labels[MAJORITY].accuracy
            error = nan
            if MAJORITY in samples and method != ALONE:
                error = _difference_error(method_samples.items, samples[MAJORITY].items, label.items)
            low, high = interval_from_error(value, error, level, max(units - 1, 1), (-1.0, 1.0))
            difference[method] = Estimate(value, float(low), float(high), label.items, reason)
    draws = {method: len(samples.get(method, none).both) for method in labels}
    scope: Scope = "these raters" if raters is None else "raters like these"
    return LabelAccuracy(labels, accuracy, difference, draws, scope)


def _accuracy_interval(
    method: str, label: Labels, samples: AccuracySamples, units: int, level: float
) -> Ends:
    """Return Wilson's interval of a method's accuracy."""
    if method != ALONE:
        return wilson_interval_from_samples(label.accuracy, samples.both, label.items, level, units)
    variance = add_variances(item_variance_from_samples(samples.items, label.items), samples.raters)
    if np.isnan(variance.variance):
        return Ends(np.asarray(nan), np.asarray(nan))
    return wilson_interval_from_variance(
        label.accuracy, variance.variance, label.items, level, variance.degrees
    )


def _difference_error(samples: Floats, majority_samples: Floats, items: int) -> float:
    """Return the standard error of a difference from majority vote, from common samples of items; at least that of
    half an item."""
    # Methods that differ on at most one item have no bootstrap variance: add half an item (Agresti and Min 2005).
    shared = min(len(samples), len(majority_samples))
    variance = item_variance_from_samples(samples[:shared] - majority_samples[:shared], items).variance
    return float(np.sqrt(np.maximum(variance, 1 / (items + 2) ** 2)))


def count_gold_items(votes: Votes, gold: ArrayLike) -> Gold:
    """Count items with gold, by class, and votes for each class."""
    true = check_gold(votes, gold)
    voted = np.bincount(votes.item, minlength=votes.items) > 0
    has_gold = (true >= 0) & voted
    return Gold(
        int(has_gold.sum()),
        int((voted & (true < 0)).sum()),
        np.bincount(true[has_gold], minlength=votes.options),
        np.bincount(votes.choice, minlength=votes.options),
    )


def label_agreement(labels: Mapping[str, Labels]) -> dict[tuple[str, str], Estimate]:
    """Return the share of items with the same label for each pair of methods."""
    same_labels = {}
    for first, second in combinations(labels, 2):
        same = (labels[first].shares * labels[second].shares).sum(axis=1)
        same = same[~np.isnan(same)]
        reason = "" if len(same) else "no item has a vote"
        same_labels[first, second] = Estimate(
            float(same.mean()) if len(same) else nan, n=len(same), reason=reason
        )
    return same_labels


def methods_differ(labels: Mapping[str, Labels]) -> NDArray[np.bool_]:
    """Return a mask of items (q,) to which methods give different labels; a tie is a separate label."""
    first, *others = (np.nan_to_num(one.shares) for one in labels.values())
    return np.asarray(np.any([(other != first).any(axis=1) for other in others], axis=0))


def _bootstrap_weights(
    votes: Votes, method: str, spec: BootstrapSpec, on_progress: OnProgress
) -> Iterator[tuple[Floats, Floats]]:
    cost = len(votes) * votes.options * _COST.get(method, 1)
    return crossed_bootstrap_counts(votes.raters, votes.items, spec.draws, spec.seed, cost, on_progress)


def _posterior_sampler(votes: Votes, method: str, items: Codes) -> PosteriorSampler:
    """Return a function of rater weights (b, w), None for weights of 1, and item weights (b, q), which gives a
    method's posterior (b, m, k) of the items (m,)."""

    def or_ones(rater_weight: Floats | None, item_weight: Floats) -> Floats:
        return np.ones((len(item_weight), votes.raters)) if rater_weight is None else rater_weight

    if method == DAWID_SKENE:
        return lambda of_raters, of_items: dawid_skene.bootstrap_posteriors(
            votes, or_ones(of_raters, of_items), of_items
        )[:, items]
    if method == GLAD:
        return lambda of_raters, of_items: glad.bootstrap_posteriors(
            votes, or_ones(of_raters, of_items), of_items
        )[:, items]
    chosen = pcch_reliability.OptionVotes(_select_items(votes, items))
    if method == WEIGHTED:
        compared_raters = pcch_reliability.RaterCorrelations(votes)

        def weighted(of_raters: Floats | None, of_items: Floats) -> Floats:
            rater_trust = np.maximum(compared_raters.reliabilities(of_raters, of_items), 0.0)
            return chosen.relevance(rater_trust * or_ones(of_raters, of_items), or_ones(of_raters, of_items))[
                0
            ]

        return weighted
    if method not in CLOSED:
        raise InputError(f"`method` must be one of {', '.join(METHODS)}, got {method!r}")
    return lambda of_raters, of_items: chosen.relevance(
        or_ones(of_raters, of_items), or_ones(of_raters, of_items)
    )[0]


def _select_items(votes: Votes, items: Codes) -> Votes:
    """Return the votes on some of the items, with codes from 0."""
    code = np.full(votes.items, -1)
    code[items] = np.arange(len(items))
    mask = code[votes.item] >= 0
    codes = code[votes.item[mask]], votes.rater[mask], votes.choice[mask]
    return Votes(*codes, len(items), votes.raters, votes.options)


def _best_options(posterior: Floats) -> NDArray[np.bool_]:
    """Return a mask of the options with the highest share or probability (…, k), all False where it is unknown."""
    if posterior.shape[-1] == 0:
        return np.zeros(posterior.shape, dtype=np.bool_)
    best: NDArray[np.bool_] = posterior >= posterior.max(axis=-1, keepdims=True) - polls.TIE_TOLERANCE
    return best


def _label_shares(posterior: Floats, method: str) -> Floats:
    """Return the weight of each option as the label (…, k): for one rater alone, the shares of the votes."""
    if method == ALONE:
        return posterior
    best = _best_options(posterior)
    return ratio(best, best.sum(axis=-1, keepdims=True))


def _correct_share(shares: Floats, gold: Codes) -> Floats:
    """Return the share of the true option (…, q), NaN without gold."""
    if shares.shape[-1] == 0:
        return np.full(shares.shape[:-1], nan)
    of_gold = shares[..., np.arange(len(gold)), np.maximum(gold, 0)]
    return np.where(gold >= 0, of_gold, nan)


NOTHING_KNOWN = "no item has both a known answer and a vote"


@dataclass(frozen=True, eq=False)
class ClassShares:
    """Class shares and confusion: by class (k,) its `votes`, and its `share` of an item's votes, mean over items.
    `coincidences` (k, k): how often, of two votes on one item, one is for the row's class and the other for the
    column's, in votes; rows add up to the votes on items with two or more votes."""

    votes: Codes
    share: tuple[Estimate, ...]
    coincidences: Floats

    @property
    def order(self) -> list[int]:
        """Classes with votes, the most common first."""
        common = np.argsort([-one.value for one in self.share], kind="stable")
        return [int(at) for at in common if self.votes[at]]

    @property
    def confusion_shares(self) -> Floats:
        """Share of the column's class among an item's other votes, given a vote for the row's class (k, k)."""
        rows = self.coincidences.sum(axis=1, keepdims=True)
        parts = np.full_like(self.coincidences, nan)
        return np.asarray(np.divide(self.coincidences, rows, out=parts, where=rows > 0))

    @property
    def most_confused_with(self) -> tuple[Codes, Floats]:
        """Class with which each class (k,) is most often confused, and how often; NaN where it is never confused."""
        off_diagonal = np.nan_to_num(self.confusion_shares - np.diag(np.diagonal(self.confusion_shares)))
        largest_share = off_diagonal.max(axis=1)
        return off_diagonal.argmax(axis=1), np.where(largest_share > 0, largest_share, nan)

    @property
    def most_confused(self) -> tuple[int, int, float] | None:
        """Most frequent pair of classes in differing votes on one item, with its share given the rarer class; None
        without differing votes."""
        differing = np.triu(self.coincidences, 1)
        if not differing.any():
            return None
        first, second = (int(i) for i in np.unravel_index(differing.argmax(), differing.shape))
        rows = self.coincidences.sum(axis=1)
        if rows[second] < rows[first]:
            first, second = second, first
        return first, second, float(self.coincidences[first, second] / rows[first])


def class_shares(votes: Votes, level: float = 0.95) -> ClassShares:
    """Return the share of each class and the confusion of classes.

    Parameters
    ----------
    votes : N votes on q items with k classes
    level : of the intervals, which are over items, for these raters

    Notes
    -----
    Each pair of the n votes on an item has weight 1 / (n - 1), so that each vote counts once (Krippendorff's
    coincidences).
    Source: Krippendorff 2011, "Computing Krippendorff's alpha-reliability", section C; Wilson 1927.
    """
    counts = np.bincount(votes.item * votes.options + votes.choice, minlength=votes.items * votes.options)
    table = counts.reshape(votes.items, votes.options).astype(np.float64)
    share = polls.shares(votes)
    n = len(share)
    value, error = share.mean(axis=0), share.var(axis=0, ddof=1) / n if n > 1 else np.full(votes.options, nan)
    estimates = []
    for class_share, variance in zip(value.tolist(), error.tolist(), strict=True):
        low, high = (
            wilson_interval_from_variance(class_share, variance, n, level, n - 1)
            if n > 1
            else (np.asarray(nan), np.asarray(nan))
        )
        estimates.append(Estimate(class_share, float(low), float(high), n, "" if n > 1 else ONE_UNIT))
    multiple_votes = table[table.sum(axis=1) > 1]
    weight = 1 / (multiple_votes.sum(axis=1) - 1)
    coincidences = (multiple_votes * weight[:, None]).T @ multiple_votes - np.diag(
        (multiple_votes * weight[:, None]).sum(axis=0)
    )
    votes_by_class = np.bincount(votes.choice, minlength=votes.options)
    return ClassShares(votes_by_class, tuple(estimates), coincidences)


@dataclass(frozen=True, eq=False)
class CrowdComparison:
    """The crowd's majority label compared with known answers, over `items` that have one.

    `accuracy` is the share of equal labels, `kappa` the agreement beyond chance, `confusion` (k, k) items by known
    answer and the crowd's label, `ties` items with tied best labels: each counts a part.
    """

    accuracy: float
    kappa: Estimate
    confusion: Floats
    items: int
    ties: int


def compare_crowd_with_known(votes: Votes, known: ArrayLike, level: float = 0.95) -> CrowdComparison:
    """Compare the crowd's majority label with known answers.

    Parameters
    ----------
    votes : N votes on q items with k classes
    known : (q,) the expert's answer or gold, -1 where unknown

    Raises
    ------
    InputError
        where `known` does not match the votes.

    Notes
    -----
    Cohen's kappa of the crowd and the known answers; each of t tied labels counts 1 / t, the mean of breaking ties at
    random. The interval is over items, for these raters (`analysis.agreement.ratio_intervals`). Source: Cohen 1960.
    """
    answers = np.asarray(known)
    majority = label_items(votes, answers, MAJORITY)
    n, cells = majority.items, majority.confusion
    if not n:
        return CrowdComparison(nan, Estimate(nan, reason=NOTHING_KNOWN), cells, 0, 0)
    is_known = ~np.isnan(majority.right)
    true, shares = answers[is_known], majority.shares[is_known]
    sums = CongerSums.from_shares(np.eye(cells.shape[0])[true], shares)
    return CrowdComparison(majority.accuracy, ratio_interval(sums, level), cells, n, majority.ties)
