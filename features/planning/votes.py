"""Plans of votes: the power to find a preference of one of two systems, and the votes that make labels right."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from math import inf, isfinite, isnan, nan

import numpy as np

from analysis.planning.budget import item_grid, smallest_sufficient
from analysis.planning.pilot import spread_of_shares
from analysis.planning.votes import (
    accuracy_limit,
    accuracy_of_subsamples,
    accuracy_of_votes,
    icc_of_right_votes,
    least_quality_by_agreement,
    preference_half_width,
    preference_power,
    quality_by_known_answers,
    votes_for_accuracy,
)
from analysis.values.estimate import Codes, Estimate
from analysis.workers import dawid_skene
from analysis.workers.polls import Poll
from features.assessments import is_pairs, polls
from features.blocks import Finding, NextStep, Table, clear, uncertain
from features.planning.power_results import Curves, Prices, axis_end
from features.plotting.theme import decimal, share
from features.study import Study, key_of, result
from features.words import Column, counted, of_many, table_of

USUAL_QUALITY, USUAL_SD = 0.9, 0.1
"""Share of votes that are no guesses, and SD of the items' shares, where no choices tell them."""


@dataclass(frozen=True)
class PreferenceSpec:
    """Planned comparison of two systems by votes that looks for a preference of `share`.

    Items' own shares differ by `item_sd`; `quality` is the share of the votes that are no guesses.
    """

    share: float = 0.6
    items: int = 40
    votes: int = 5
    item_sd: float = USUAL_SD
    quality: float = USUAL_QUALITY
    alpha: float = 0.05
    comparisons: int = 1
    wanted: float = 0.8
    prices: Prices = field(default_factory=Prices)


@dataclass(frozen=True)
class OpenQuality:
    """Share of the votes that are no guesses: by known answers, or the least with which votes agree so often."""

    known: Estimate
    least: float


@dataclass(frozen=True)
class PreferenceFound:
    """A planned comparison by votes with its power, and how many votes of the open choices are no guesses."""

    spec: PreferenceSpec
    quality: OpenQuality | None = None

    @property
    def power(self) -> float:
        return self.power_at(self.spec.items, self.spec.votes)

    def power_at(self, items: float, votes: int) -> float:
        spec = self.spec
        others = spec.item_sd, spec.quality, spec.alpha, spec.comparisons
        return preference_power(spec.share, items, votes, *others).power

    def half_width(self, votes: int) -> float:
        """Return the half-width of the interval of the share, which guesses pull towards one half."""
        spec = self.spec
        seen = 0.5 + spec.quality * (spec.share - 0.5)
        return preference_half_width(seen, spec.items, votes, spec.quality * spec.item_sd)

    def price(self, votes: int) -> float:
        return self.spec.prices.of_votes(self.spec.items, votes)

    def items_needed(self, votes: int) -> float:
        if self.spec.share == 0.5 or not self.spec.quality:
            return inf
        return smallest_sufficient(lambda items: self.power_at(items, votes) >= self.spec.wanted)

    @property
    def others(self) -> tuple[int, ...]:
        """Votes per item whose curves are drawn."""
        votes = self.spec.votes
        return tuple(sorted({1, max(votes // 2, 1), votes, 2 * votes, 4 * votes}))

    @cached_property
    def alternatives(self) -> Mapping[int, tuple[float, float]]:
        return {
            votes: (self.power_at(self.spec.items, votes), self.half_width(votes)) for votes in self.others
        }

    def curves(self) -> Curves:
        """Return the power along items, by votes per item."""
        x = item_grid(axis_end(self.spec.items), self.spec.items, points=20)
        return {v: (x, tuple(Estimate(self.power_at(items, v)) for items in x)) for v in self.others}

    @property
    def budget(self) -> float:
        """Money that may be spent: as entered, else what the comparison costs."""
        budget = self.spec.prices.budget
        return self.price(self.spec.votes) if budget is None else budget

    def same_price(self) -> list[tuple[float, float, int]]:
        """Return items, power and votes of the comparisons that the budget pays for."""
        prices, points = self.spec.prices, []
        for votes in self.others if prices.are_known else ():
            each = prices.item + votes * prices.costs.rating
            items = (self.budget - prices.fixed) / each if each else 0.0
            if 4 <= items <= axis_end(self.spec.items):
                points.append((items, self.power_at(items, votes), votes))
        return points


def plan_preference(study: Study, spec: PreferenceSpec) -> PreferenceFound:
    """Plan a comparison of two systems by votes; the open choices may tell how many votes are guesses."""
    return PreferenceFound(spec, open_quality(study))


def open_quality(study: Study) -> OpenQuality | None:
    """Return how many votes of the open choices between two systems are no guesses; None where there are none."""
    return quality_of(polls(study)) if study.holds_choices and is_pairs(study) else None


def usual_item_sd(study: Study) -> float:
    """Return the SD of the items' shares that a control starts with: that of the open choices, if nobody guessed."""
    quality = open_quality(study)
    sd = None if quality is None else sd_of_shares(polls(study))
    return USUAL_SD if quality is None or sd is None else min(round(without_guesses(sd, quality), 2), 0.5)


def without_guesses(sd: float, quality: OpenQuality) -> float:
    """Return the SD of shares without known guesses, which pull all of them towards one half."""
    known = quality.known
    return min(sd / known.value, 0.5) if known.defined and known.value else sd


def usual_quality(quality: OpenQuality | None) -> int:
    """Return the percent of votes that a control starts with: what is known, else the usual, or the least possible."""
    usual = round(100 * USUAL_QUALITY)
    if quality is None or not quality.known.defined:
        least = 0 if quality is None or isnan(quality.least) else round(100 * quality.least)
        return max(usual, least)
    return min(max(round(100 * quality.known.value), 10), 100)


def sd_of_shares(asked: Sequence[Poll]) -> float | None:
    """Return the SD of the items' shares in the comparison with most items of 2 votes or more for either side."""
    found = []
    for poll in asked:
        first, both = votes_of_sides(poll)
        sd = spread_of_shares(first, both)
        if not isnan(sd):
            found.append((int((both >= 2).sum()), sd))
    return max(found, key=lambda one: one[0], default=(0, None))[1]


def votes_of_sides(poll: Poll) -> tuple[Codes, Codes]:
    """Return each item's votes for the first side, and for either; answers for both or neither do not count."""
    votes = poll.votes
    first, second = (np.bincount(votes.item[votes.choice == side], minlength=votes.items) for side in (0, 1))
    return first, first + second


def quality_of(asked: Sequence[Poll]) -> OpenQuality:
    """Return the share of votes that are no guesses; answers for both or neither do not count.

    An expert's preference is no answer that others guess: who prefers otherwise may have looked as closely.
    """
    items, raters, right = (np.zeros(0, dtype=np.int64) for _ in range(3))
    chosen, both = (np.zeros(0, dtype=np.int64) for _ in range(2))
    for poll in asked:
        votes = poll.votes
        first, either = votes_of_sides(poll)
        chosen, both = np.append(chosen, first), np.append(both, either)
        answer = poll.gold[votes.item]
        counts = np.isin(answer, (0, 1)) & np.isin(votes.choice, (0, 1))
        items = np.append(items, poll.item_code[votes.item[counts]])
        raters = np.append(raters, poll.rater_code[votes.rater[counts]])
        right = np.append(right, answer[counts] == votes.choice[counts])
    return OpenQuality(
        quality_by_known_answers(items, raters, right), least_quality_by_agreement(chosen, both)
    )


USUAL_ICC = 0.3
"""Intraclass correlation of right and wrong votes where nothing is known of it."""
FEWEST_VOTES = 3
"""Votes per item from which Dawid-Skene is asked how often one is right."""
MOST_VOTES = 25
MOST_TRIED = 99


@dataclass(frozen=True)
class LabelsSpec:
    """Labels by the majority of votes, of which one is right with a chance of `accuracy`.

    `icc` is the intraclass correlation of right and wrong votes over items; labels shall be right on a share `wanted`.
    """

    accuracy: float = 0.7
    icc: float = USUAL_ICC
    options: int = 2
    wanted: float = 0.9
    items: int = 40
    prices: Prices = field(default_factory=Prices)


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

    @property
    def usual(self) -> LabelsSpec:
        """Spec in which a vote is right as often as here, to the digits of the controls."""
        icc = USUAL_ICC if self.icc != self.icc else min(round(self.icc, 2), 0.95)
        percent = min(max(round(100 * self.accuracy), 5), 99)
        return LabelsSpec(percent / 100, icc, min(self.options, 20))


@dataclass(frozen=True)
class LabelsFound:
    """Labels by the majority; `known` is what the open choices tell where the numbers of the spec are theirs."""

    spec: LabelsSpec
    known: OpenVotes | None = None

    @property
    def own(self) -> tuple[float, ...]:
        return self.known.own if self.known is not None else ()

    def right(self, votes: int) -> float:
        """Return how often the majority of so many votes is right.

        Up to the votes at hand the items' own votes tell; beyond, the model adds its gain to what those reach.
        """
        if votes <= len(self.own):
            return self.own[votes - 1]
        return self._model(votes) + self._offset

    @property
    def limit(self) -> float:
        """Share of right majorities with any number of votes, at most."""
        spec = self.spec
        return accuracy_limit(spec.accuracy, spec.options, spec.icc) + self._offset

    @property
    def votes(self) -> float:
        """The fewest votes whose majority is right often enough; infinite where none are."""
        spec, own = self.spec, self.own
        beyond = spec.wanted - self._offset
        found = (n for n, right in enumerate(own, 1) if right >= spec.wanted)
        if not 0 < beyond < 1:
            return next(found, inf)
        least = len(own) + 1
        return next(found, votes_for_accuracy(spec.accuracy, beyond, spec.options, icc=spec.icc, least=least))

    def curves(self) -> Curves:
        """Return how often the majority is right along votes, by the percent of single votes that are right."""
        x = tuple(range(1, self.most + 1))
        here = round(100 * self.spec.accuracy)
        made: Curves = {}
        for percent in (here - 10, here, here + 10):
            if 0 < percent < 100:
                one = self if percent == here else LabelsFound(replace(self.spec, accuracy=percent / 100))
                made[percent] = x, tuple(Estimate(one.right(votes)) for votes in x)
        return made

    @property
    def most(self) -> int:
        """Votes up to which curves go."""
        votes = self.votes
        return MOST_VOTES if votes == inf else int(min(max(MOST_VOTES, 1.2 * votes), MOST_TRIED))

    def _model(self, votes: int) -> float:
        spec = self.spec
        return accuracy_of_votes(spec.accuracy, votes, spec.options, spec.icc)

    @property
    def _offset(self) -> float:
        """Shortfall of the items' own votes against the model, which does not know the errors that raters share."""
        return self.own[-1] - self._model(len(self.own)) if self.own else 0.0


def plan_labels(study: Study, spec: LabelsSpec) -> LabelsFound:
    """Find how often the majority of votes is right, by the items' own votes where the numbers are theirs."""
    known = open_votes(study)
    asked = replace(LabelsSpec(), accuracy=spec.accuracy, icc=spec.icc, options=spec.options)
    return LabelsFound(spec, known if known is not None and known.usual == asked else None)


def open_votes(study: Study) -> OpenVotes | None:
    """Return how often votes are right: by known answers, else by Dawid-Skene; None where neither can tell."""
    if not study.holds_choices:
        return None
    asked = polls(study)
    return votes_with_answers(asked) or result(
        key_of(study.dataset, "votes right by Dawid-Skene"), lambda: votes_by_dawid_skene(asked)
    )


def votes_by_dawid_skene(asked: Sequence[Poll]) -> OpenVotes | None:
    """Return how often votes give the label that Dawid-Skene estimates, of the labels with the most votes.

    None for choices between systems, which have no true answer, and below 3 votes per item, where a vote confirms
    itself.
    """
    enough = [
        one for one in asked if one.lists is None and len(one.votes.item) >= FEWEST_VOTES * one.votes.items
    ]
    if not enough:
        return None
    poll = max(enough, key=lambda one: len(one.votes.item))
    right = dawid_skene.fit_votes(poll.votes).posterior[poll.votes.item, poll.votes.choice]
    icc = icc_of_right_votes(poll.votes.item, right)
    return OpenVotes(float(right.mean()), len(poll.options), len(poll.votes.item), known=False, icc=icc)


def votes_with_answers(asked: Sequence[Poll]) -> OpenVotes | None:
    """Return how often votes give the known answer; None without known answers."""
    items, choices, answers = (np.zeros(0, dtype=np.int64) for _ in range(3))
    for poll in asked:
        answer = (poll.gold if (poll.gold >= 0).any() else poll.expert)[poll.votes.item]
        known = answer >= 0
        items = np.append(items, poll.votes.item[known] + items.max(initial=-1) + 1)
        choices, answers = np.append(choices, poll.votes.choice[known]), np.append(answers, answer[known])
    options = max((len(poll.options) for poll in asked), default=0)
    right = choices == answers
    if not len(right) or options < 2:
        return None
    own = tuple(accuracy_of_subsamples(items, choices, answers).tolist())
    return OpenVotes(float(right.mean()), options, len(right), icc=icc_of_right_votes(items, right), own=own)


def labels_finding(found: LabelsFound) -> Finding:
    """Return the votes that labels need.

    Without known answers it is uncertain: errors that raters share look like agreement, and more votes repeat them.
    """
    spec, known, votes = found.spec, found.known, found.votes
    assumed = f"one vote right on {share(spec.accuracy)}, ICC {decimal(spec.icc)}"
    source = _source(spec, known)
    values: dict[str, object] = {"wanted": share(spec.wanted)}
    if not isfinite(votes):
        reached = f"{MOST_TRIED} votes reach {share(found.right(MOST_TRIED))}"
        headline = "No number of votes makes labels right on {wanted} of items."
        return clear(headline, values, f"Limit {share(found.limit)}", reached, assumed, source)
    n = int(votes)
    values |= {"votes": counted(n, "vote")}
    line = (
        f"{of_many(n, 'votes')}: {share(found.right(n))}",
        f"limit {share(found.limit)}",
        assumed,
        source,
    )
    if known is not None and not known.known:
        step = NextStep("Add known answers on Data", "datasets.py")
        reach = "reaches" if n == 1 else "reach"
        headline = f"<b>{{votes}}</b> per item {reach} {{wanted}} only if raters share no errors."
        return replace(uncertain(headline, values, *line), next_step=step)
    return clear("Labels need <b>{votes}</b> per item to be right on {wanted} of items.", values, *line)


def _source(spec: LabelsSpec, known: OpenVotes | None) -> str:
    if known is None:
        usual = LabelsSpec()
        is_usual = (spec.accuracy, spec.icc, spec.options) == (usual.accuracy, usual.icc, usual.options)
        return "default numbers" if is_usual else "numbers as entered"
    return of_many(known.votes, "votes") + (" with known answers" if known.known else ", no answers known")


def labels_table(found: LabelsFound) -> Table:
    votes, spec = list(range(1, found.most + 1)), found.spec
    return table_of(
        "labels",
        "How often the majority of so many votes is right.",
        [
            Column("Votes per item", votes),
            Column("Right", [found.right(n) for n in votes], partial(share, digits=1)),
            *spec.prices.column([spec.prices.of_votes(spec.items, n) for n in votes]),
        ],
    )
