"""Votes so far of choices: how often they are right, how many are no guesses, and how far items differ."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, isnan, nan

import numpy as np

from analysis.planning.pilot import spread_of_shares
from analysis.planning.votes import (
    accuracy_limit,
    accuracy_of_subsamples,
    accuracy_of_votes,
    icc_of_right_votes,
    least_quality_by_agreement,
    quality_by_known_answers,
    votes_for_accuracy,
)
from analysis.values.estimate import Codes, Estimate
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

    def votes_for(self, wanted: float) -> float:
        """Return the fewest votes whose majority is right often enough; infinite where none are."""
        beyond = wanted - self._offset
        found = (n for n, right in enumerate(self.own, 1) if right >= wanted)
        if not 0 < beyond < 1:
            return next(found, inf)
        least = len(self.own) + 1
        return next(found, votes_for_accuracy(self.accuracy, beyond, self.options, icc=self.icc, least=least))

    def _model(self, votes: int) -> float:
        return accuracy_of_votes(self.accuracy, votes, self.options, self.icc)

    @property
    def _offset(self) -> float:
        """Shortfall of the items' own votes against the model."""
        return self.own[-1] - self._model(len(self.own)) if self.own else 0.0


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


@dataclass(frozen=True)
class OpenQuality:
    """Share of the votes that are no guesses: by known answers, or the least with which votes agree so often."""

    known: Estimate
    least: float


def without_guesses(sd: float, quality: OpenQuality) -> float:
    """Return the SD of shares without known guesses, which pull all of them towards one half."""
    known = quality.known
    return min(sd / known.value, 0.5) if known.defined and known.value else sd


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
