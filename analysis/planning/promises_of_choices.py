"""Further choices of a study in progress: comparisons of pairs of systems, or votes on labels, and their promises."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import inf, isnan, nan, sqrt

import numpy as np
from numpy.typing import NDArray

from analysis.planning.collection import Collected, assign
from analysis.planning.collection_choices import (
    LabelGains,
    collect_pairs,
    comparison_weights,
    difference_variances,
    label_gains,
    pair_variance,
    pair_variances,
    strength_covariance,
)
from analysis.planning.collection_items import simulation_interval
from analysis.planning.pilot import spread_of_shares
from analysis.planning.promises import Asked, Source
from analysis.planning.votes import (
    accuracy_limit,
    accuracy_of_subsamples,
    accuracy_of_votes,
    icc_of_right_votes,
    least_quality_by_agreement,
    quality_by_known_answers,
    votes_for_accuracy,
)
from analysis.systems.bradley_terry import Scale
from analysis.systems.clustered_intervals import covariance
from analysis.systems.goodness_of_fit import PairedVotes
from analysis.systems.rankings import PairedComparisons
from analysis.values.estimate import Codes, Estimate, Flags, Floats
from analysis.values.votes import Votes
from analysis.workers import dawid_skene
from analysis.workers.polls import Poll

FEWEST_VOTES = 3
"""Votes per item from which Dawid-Skene is asked how often one is right."""


@dataclass(frozen=True)
class OpenVotes:
    """Accuracy of the `votes` of the open choices, and the number of their options.

    By their `known` answers, else as Dawid-Skene estimates them. `icc` is that of right and wrong over items, NaN where
    it is not known; `own` is how often the majority of 1, 2, … of an item's own votes is right.
    """

    accuracy: float
    options: int
    votes: int
    known: bool = True
    icc: float = nan
    own: tuple[float, ...] = ()


@dataclass(frozen=True)
class Majority:
    """Majority of votes: one is right with a chance of `accuracy`, `icc` is that of right and wrong over items.

    `own` is how often the majority of 1, 2, … of the items' own votes is right, as far as that is known: the model adds
    its gain to what those reach, since it does not know the errors that raters share.
    """

    accuracy: float
    options: int
    icc: float
    own: tuple[float, ...] = ()

    def right(self, votes: int) -> float:
        """Return how often the majority of so many votes is right."""
        if votes <= len(self.own):
            return self.own[votes - 1]
        return self._model(votes) + self._offset

    @property
    def limit(self) -> float:
        """Share of right majorities with any number of votes, at most."""
        return accuracy_limit(self.accuracy, self.options, self.icc) + self._offset

    def votes_for(self, accuracy: float) -> float:
        """Return the fewest votes whose majority is right often enough; infinite where none are."""
        target = accuracy - self._offset
        sufficient = (n for n, right in enumerate(self.own, 1) if right >= accuracy)
        if not 0 < target < 1:
            return next(sufficient, inf)
        least = len(self.own) + 1
        return next(
            sufficient, votes_for_accuracy(self.accuracy, target, self.options, icc=self.icc, least=least)
        )

    def _model(self, votes: int) -> float:
        return accuracy_of_votes(self.accuracy, votes, self.options, self.icc)

    @property
    def _offset(self) -> float:
        """Shortfall of the items' own votes against the model."""
        return self.own[-1] - self._model(len(self.own)) if self.own else 0.0


def votes_by_dawid_skene(questions: Sequence[Poll]) -> OpenVotes | None:
    """Return how often votes give the label that Dawid-Skene estimates, of the labels with the most votes.

    None for choices between systems, which have no true answer, and below 3 votes per item, where a vote confirms
    itself.
    """
    eligible = [
        candidate
        for candidate in questions
        if candidate.lists is None and len(candidate.votes.item) >= FEWEST_VOTES * candidate.votes.items
    ]
    if not eligible:
        return None
    poll = max(eligible, key=lambda candidate: len(candidate.votes.item))
    right = dawid_skene.fit_votes(poll.votes).posterior[poll.votes.item, poll.votes.choice]
    icc = icc_of_right_votes(poll.votes.item, right)
    return OpenVotes(float(right.mean()), len(poll.options), len(poll.votes.item), known=False, icc=icc)


def votes_with_answers(questions: Sequence[Poll]) -> OpenVotes | None:
    """Return how often votes give the known answer; None without known answers."""
    items, choices, answers = (np.zeros(0, dtype=np.int64) for _ in range(3))
    for poll in questions:
        answer = (poll.gold if (poll.gold >= 0).any() else poll.expert)[poll.votes.item]
        is_known = answer >= 0
        items = np.append(items, poll.votes.item[is_known] + items.max(initial=-1) + 1)
        choices, answers = (
            np.append(choices, poll.votes.choice[is_known]),
            np.append(answers, answer[is_known]),
        )
    options = max((len(poll.options) for poll in questions), default=0)
    right = choices == answers
    if not len(right) or options < 2:
        return None
    own = tuple(accuracy_of_subsamples(items, choices, answers).tolist())
    return OpenVotes(float(right.mean()), options, len(right), icc=icc_of_right_votes(items, right), own=own)


@dataclass(frozen=True)
class OpenQuality:
    """Share of the votes that are not guesses: by known answers, or the least with which votes agree so often."""

    known: Estimate
    least: float


def without_guesses(sd: float, quality: OpenQuality) -> float:
    """Return the SD of shares without known guesses, which pull all of them towards one half."""
    known = quality.known
    return min(sd / known.value, 0.5) if known.defined and known.value else sd


def sd_of_shares(questions: Sequence[Poll]) -> float | None:
    """Return the SD of the items' shares in the comparison with most items of 2 votes or more for either side."""
    candidates = []
    for poll in questions:
        first, votes_of_both = votes_of_sides(poll)
        sd = spread_of_shares(first, votes_of_both)
        if not isnan(sd):
            candidates.append((int((votes_of_both >= 2).sum()), sd))
    return max(candidates, key=lambda candidate: candidate[0], default=(0, None))[1]


def votes_of_sides(poll: Poll) -> tuple[Codes, Codes]:
    """Return each item's votes for the first side, and for either; answers for both or neither do not count."""
    votes = poll.votes
    first, second = (np.bincount(votes.item[votes.choice == side], minlength=votes.items) for side in (0, 1))
    return first, first + second


def quality_of(questions: Sequence[Poll]) -> OpenQuality:
    """Return the share of votes that are not guesses; answers for both or neither do not count.

    An expert's preference is no answer that others guess: who prefers otherwise may have looked as closely.
    """
    items, raters, right = (np.zeros(0, dtype=np.int64) for _ in range(3))
    chosen, totals = (np.zeros(0, dtype=np.int64) for _ in range(2))
    for poll in questions:
        votes = poll.votes
        first, total = votes_of_sides(poll)
        chosen, totals = np.append(chosen, first), np.append(totals, total)
        answer = poll.gold[votes.item]
        is_counted = np.isin(answer, (0, 1)) & np.isin(votes.choice, (0, 1))
        items = np.append(items, poll.item_code[votes.item[is_counted]])
        raters = np.append(raters, poll.rater_code[votes.rater[is_counted]])
        right = np.append(right, answer[is_counted] == votes.choice[is_counted])
    return OpenQuality(
        quality_by_known_answers(items, raters, right), least_quality_by_agreement(chosen, totals)
    )


DRAWS = 200
MOST_DRAWN = 60
"""Systems up to which a promise is simulated."""
POINTS_OF_CHANCE = 100


def points_of(half: float | Floats) -> Floats:
    """Return the half-width of a win chance near one half, in percentage points, from that of a log-strength."""
    return np.asarray(POINTS_OF_CHANCE * (1 / (1 + np.exp(-np.asarray(half))) - 0.5))


@dataclass(frozen=True, eq=False)
class PairsSource(Source):
    """Comparisons of pairs of systems; units are the pairs on the scale.

    `place` (n,) is the pair of each comparison, `item` (n,) and `rater` (n,) what was judged by whom, under `items`.
    `half` is that of a difference of log-strengths, `pairs` (S, S) marks the differences of the goal. `of_raters` is
    the part of the variance that raters carry from item to item, which falls with the number of raters only, without
    and with what is left to chance.
    """

    systems: NDArray[np.str_] = field(kw_only=True)
    strengths: Floats = field(kw_only=True)
    tie: float = field(kw_only=True)
    offered: float = field(kw_only=True)
    compared: Floats = field(kw_only=True)
    pairs: Floats = field(kw_only=True)
    half: float = field(kw_only=True)
    of_raters: tuple[float, float] = field(kw_only=True)
    place: Codes = field(kw_only=True)
    item: Codes = field(kw_only=True)
    rater: Codes = field(kw_only=True)
    items: NDArray[np.str_] = field(kw_only=True)

    @cached_property
    def _weight(self) -> Floats:
        return comparison_weights(self.strengths, self.tie, self.offered)

    def collect(self, asked: Asked) -> Collected:
        """Choose pairs, then for each the raters who have judged least of it."""
        first, second = collect_pairs(
            self._weight, self.compared, self.pairs, asked.further, asked.strategy, asked.seed
        )
        unit = np.zeros(self._weight.shape, dtype=np.int64)
        unit[np.triu_indices(len(unit), 1)] = np.arange(len(self.units))
        is_rated = np.zeros((len(self.units), len(self.raters)), dtype=np.bool_)
        raters = asked.raters if len(self.raters) else "new raters"
        # a pair is judged again by the same rater, on another item
        return assign(is_rated, unit[first, second], asked.cap, raters, asked.seed, asked.new, repeats=True)

    def promise(self, collected: Collected) -> Estimate:
        """Return the half-width after further comparisons, in percentage points of the chance to win."""
        after, concentrated = self._after(collected), self._concentrated(collected)
        value = self._scaled(after, concentrated)
        if len(self.strengths) > MOST_DRAWN or not len(collected):
            return Estimate(float(points_of(value)))
        return replace(self._drawn(after, concentrated), value=float(points_of(value)))

    def each(self, collected: Collected) -> tuple[Floats, Floats]:
        """Return the half-width of each pair's difference before and after, in percentage points near one half."""
        first, second = np.triu_indices(len(self.strengths), 1)
        half_widths = []
        total = self._variance(self._weight, self.compared)
        for counts in (self.compared, self._after(collected)):
            variances = difference_variances(strength_covariance(self._weight, counts))
            half_widths.append(points_of(self.half * np.sqrt(variances[first, second] / total)))
        return half_widths[0], half_widths[1]

    def columns(self, plan: Collected) -> dict[str, list[str]]:
        """Return item and both systems of each further comparison, sides by lot.

        Items are judged as often as is usual so far, each rater's once; then a pair needs new items.
        """
        rng = np.random.default_rng(self.seed)
        first, second = np.triu_indices(len(self.strengths), 1)
        counts_by_pair: dict[int, dict[str, int]] = {}
        judged = {
            (str(self.items[item_code]), rater_code)
            for item_code, rater_code in zip(self.item.tolist(), self.rater.tolist(), strict=True)
        }
        for pair, item in zip(self.place.tolist(), self.items[self.item].tolist(), strict=True):
            counts = counts_by_pair.setdefault(pair, {})
            counts[item] = counts.get(item, 0) + 1
        usual = int(np.median(np.bincount(self.item)))
        new = iter(unused_names("new item", self.items.tolist(), len(plan)))
        columns: dict[str, list[str]] = {"item_id": [], "option_a": [], "option_b": []}
        for unit, rater in zip(plan.item.tolist(), plan.rater.tolist(), strict=True):
            counts = counts_by_pair.setdefault(unit, {})
            free = [item for item, n in counts.items() if n < usual and (item, rater) not in judged]
            item = min(free, key=counts.__getitem__) if free else next(new)
            counts[item] = counts.get(item, 0) + 1
            judged.add((item, rater))
            sides = [str(self.systems[first[unit]]), str(self.systems[second[unit]])]
            a, b = sides if rng.random() < 0.5 else sides[::-1]
            for name, value in zip(columns, (item, a, b), strict=True):
                columns[name].append(value)
        return columns

    def _after(self, collected: Collected) -> Floats:
        first, second = np.triu_indices(len(self.strengths), 1)
        counts = self.compared.copy()
        np.add.at(counts, (first[collected.item], second[collected.item]), 1)
        np.add.at(counts, (second[collected.item], first[collected.item]), 1)
        return counts

    def _variance(self, weight: Floats, counts: Floats) -> float:
        return pair_variance(weight, counts, self.pairs)

    def _concentrated(self, collected: Collected) -> float:
        """Return the concentration of the comparisons on raters after the further ones, over that so far."""
        counts = np.bincount(self.rater).astype(np.float64)
        later = np.bincount(collected.rater, minlength=len(counts)).astype(np.float64)
        later[: len(counts)] += counts
        return float((later**2).sum() / later.sum() ** 2 / ((counts**2).sum() / counts.sum() ** 2))

    def _scaled(self, counts: Floats, concentrated: float) -> float:
        weight = self._weight
        of_votes = self._variance(weight, counts) / self._variance(weight, self.compared)
        of_raters, _ = self.of_raters
        return self.half * sqrt((1 - of_raters) * of_votes + of_raters * concentrated)

    def _drawn(self, after: Floats, concentrated: float) -> Estimate:
        """Draw strengths that the comparisons so far leave possible, and the half-width with each."""
        rng, systems = np.random.default_rng(self.seed), len(self.strengths)
        strength_variances = strength_covariance(self._weight, self.compared)
        inflated = (self.half / 1.96) ** 2 / self._variance(self._weight, self.compared)
        root = np.linalg.cholesky(strength_variances * inflated + 1e-9 * np.eye(systems))
        drawn = self.strengths + rng.standard_normal((DRAWS, systems)) @ root.T
        weights = comparison_weights(drawn, self.tie, self.offered)
        of_votes = pair_variances(weights, after, self.pairs) / pair_variances(
            weights, self.compared, self.pairs
        )
        shared, _ = self.of_raters
        ratio = np.sqrt((1 - shared) * of_votes + shared * concentrated)
        items, raters = (max(len(np.unique(one)) - 1, 1) for one in (self.item, self.rater))
        _, observed = self.of_raters
        parts = (1 - observed) ** 2 / items + observed**2 / raters
        noise = np.sqrt(2 * parts * np.maximum(1 - ratio**2, 0))
        return simulation_interval(
            points_of(self.half * ratio * np.exp(noise * rng.standard_normal(DRAWS))).tolist()
        )


@dataclass(frozen=True, eq=False)
class LabelsSource(Source):
    """Labels of items; `done` (I, R) is who has voted, `gains` what further votes bring.

    `error` is that of the share of right labels so far, where answers of some items are known; `highest` is the share
    that no number of votes exceeds.
    """

    done: Flags = field(kw_only=True)
    gains: LabelGains = field(kw_only=True)
    highest: float = 1.0
    error: float = 0.0

    @property
    def limit(self) -> float:
        """Share of right labels that no number of votes exceeds."""
        return self.highest

    def collect(self, asked: Asked) -> Collected:
        """Choose items, then for each the rater with the fewest further votes."""
        chosen = self.gains.collect(asked.further, self.counts, asked.strategy, asked.seed)
        raters = asked.raters if len(self.raters) else "new raters"
        return assign(self.done, chosen, asked.cap, raters, asked.seed, asked.new)

    def promise(self, collected: Collected) -> Estimate:
        """Return the share of right labels after further votes."""
        if not len(collected):
            return Estimate(self.now)
        share, shares = self.gains.remaining_errors(collected.item, self.errors_known)
        rng = np.random.default_rng(self.seed)
        wrong = np.clip(1 - self.now + self.error * rng.standard_normal(len(shares)), 0, 1)
        return replace(simulation_interval((1 - wrong * shares).tolist()), value=1 - (1 - self.now) * share)

    def each(self, collected: Collected) -> tuple[Floats, Floats]:
        """Return how sure each item's label is before and after."""
        items = np.arange(len(self.units))
        further = np.bincount(collected.item, minlength=len(items))
        return self.gains.expected[:, 0], self.gains.expected[items, further]


def unused_names(prefix: str, names: Collection[str], count: int) -> list[str]:
    """Return so many numbered names that nothing has yet.

    >>> unused_names("new item", ["q1", "new item 2"], 2)
    ['new item 3', 'new item 4']
    """
    used = [name.removeprefix(f"{prefix} ") for name in names if name.startswith(f"{prefix} ")]
    last = max((int(number) for number in used if number.isdecimal()), default=0)
    return [f"{prefix} {n}" for n in range(last + 1, last + count + 1)]


def part_of_raters(
    scale: Scale, compared: PairedComparisons, item: Codes, rater: Codes, on: Codes, pairs: Floats
) -> tuple[float, float]:
    """Return the part of the mean variance of the goal's differences that raters carry from item to item.

    The first is without what is left of it by chance where raters carry nothing, since no variance is below 0.
    """
    estimated = covariance(scale, compared, item, rater)
    variances = (
        difference_variances(part[: len(on), : len(on)]) for part in (estimated.items, estimated.raters)
    )
    of_items, of_raters = (float((pairs * variance).sum()) for variance in variances)
    by_chance = of_items / sqrt(2 * max(len(np.unique(rater)) - 1, 1))
    total = max(of_items + of_raters, 1e-300)
    return max(of_raters - by_chance, 0.0) / total, of_raters / total


def places_on_scale(votes: PairedVotes, on: Codes) -> tuple[Codes, Codes, Codes, Codes, Codes]:
    """Return pair, item and rater of each comparison on the scale, and the codes of items and raters."""
    comparisons = votes.comparisons
    index = np.full(len(comparisons.systems), -1)
    index[on] = np.arange(len(on))
    first, second = index[comparisons.first], index[comparisons.second]
    is_kept = (first >= 0) & (second >= 0)
    low, high = np.minimum(first, second)[is_kept], np.maximum(first, second)[is_kept]
    unit = np.zeros((len(on), len(on)), dtype=np.int64)
    unit[np.triu_indices(len(on), 1)] = np.arange(len(on) * (len(on) - 1) // 2)
    item_of, item = np.unique(votes.item[is_kept], return_inverse=True)
    rater_of, rater = np.unique(votes.rater[is_kept], return_inverse=True)
    return unit[low, high], item, rater, item_of, rater_of


def labels_source(
    votes: Votes,
    answer: Codes,
    known: OpenVotes,
    units: NDArray[np.str_],
    raters: NDArray[np.str_],
    seed: int,
) -> LabelsSource:
    """Return labels with what further votes bring; `answer` (I,) is -1 where it is not known."""
    counts = np.zeros((votes.items, votes.options), dtype=np.int64)
    np.add.at(counts, (votes.item, votes.choice), 1)
    icc = 0.0 if isnan(known.icc) else min(known.icc, 0.99)
    accuracy_error = _error_of_accuracy(votes, counts, known.accuracy, icc)
    gains = label_gains(counts, known.accuracy, icc, 2 * DRAWS, seed, accuracy_error)
    is_rated = np.zeros((votes.items, votes.raters), dtype=np.bool_)
    is_rated[votes.item, votes.rater] = True
    has_answer, error = answer >= 0, 0.0
    accuracy = float(gains.expected[:, 0].mean())
    if has_answer.any():
        is_leading = counts[has_answer] == counts[has_answer].max(axis=1, keepdims=True)
        accuracy = float(
            (is_leading[np.arange(has_answer.sum()), answer[has_answer]] / is_leading.sum(axis=1)).mean()
        )
        # answers of all items leave nothing open
        error = sqrt(accuracy * (1 - accuracy) / has_answer.sum() * (1 - has_answer.mean()))
    return LabelsSource(
        units,
        raters,
        votes.per_item.astype(np.float64),
        now=accuracy,
        rises=True,
        of=votes.items,
        seed=seed,
        errors_known=bool(has_answer.any()),
        done=is_rated,
        gains=gains,
        highest=accuracy_limit(known.accuracy, known.options, icc),
        error=error,
    )


def _error_of_accuracy(votes: Votes, counts: Codes, accuracy: float, icc: float) -> float:
    """Return the standard error of how often votes are right: over items, and over raters by what most others say."""
    with_most = counts[votes.item, votes.choice] == counts.max(axis=1)[votes.item]
    of_each = np.bincount(votes.rater, with_most - with_most.mean(), minlength=votes.raters)
    over_raters = float((of_each**2).sum()) / len(votes) ** 2
    alike = 1 + (len(votes) / votes.items - 1) * icc  # votes on one item tell less than votes on several
    return sqrt(accuracy * (1 - accuracy) * alike / len(votes) + over_raters)
