"""Judgments for a preference."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import inf, isnan

import numpy as np

from analysis.planning.budget import fewest, items_along
from analysis.planning.pilot import spread_of_shares
from analysis.planning.votes import (
    least_quality_by_agreement,
    preference_half_width,
    preference_power,
    quality_by_known_answers,
)
from analysis.values.estimate import Estimate
from analysis.values.types import Codes
from analysis.workers.polls import Poll
from features.assessments import is_pairs, polls
from features.planning.power_results import Curves, Prices, reach
from features.study import Study

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
        """Power of the chosen comparison."""
        return self.power_at(self.spec.items, self.spec.votes)

    def power_at(self, items: float, votes: int) -> float:
        """Return the power with other numbers."""
        spec = self.spec
        others = spec.item_sd, spec.quality, spec.alpha, spec.comparisons
        return preference_power(spec.share, items, votes, *others).power

    def half_width(self, votes: int) -> float:
        """Return the half-width of the interval of the share, which guesses pull towards one half."""
        spec = self.spec
        seen = 0.5 + spec.quality * (spec.share - 0.5)
        return preference_half_width(seen, spec.items, votes, spec.quality * spec.item_sd)

    def price(self, votes: int) -> float:
        """Return the price with so many votes per item."""
        return self.spec.prices.of_votes(self.spec.items, votes)

    def items_needed(self, votes: int) -> float:
        """Return the items for the wanted power."""
        if self.spec.share == 0.5 or not self.spec.quality:
            return inf
        return fewest(lambda items: self.power_at(items, votes) >= self.spec.wanted)

    @property
    def others(self) -> tuple[int, ...]:
        """Votes per item whose curves are drawn."""
        votes = self.spec.votes
        return tuple(sorted({1, max(votes // 2, 1), votes, 2 * votes, 4 * votes}))

    @cached_property
    def alternatives(self) -> Mapping[int, tuple[float, float]]:
        """Power and half-width with other votes per item."""
        return {
            votes: (self.power_at(self.spec.items, votes), self.half_width(votes)) for votes in self.others
        }

    def curves(self) -> Curves:
        """Return the power along items, by votes per item."""
        x = items_along(reach(self.spec.items), self.spec.items, points=20)
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
            if 4 <= items <= reach(self.spec.items):
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
