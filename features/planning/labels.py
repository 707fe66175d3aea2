"""Votes per label: results and findings."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from math import inf, isfinite, nan

import numpy as np

from analysis.planning.votes import (
    accuracy_limit,
    accuracy_of_own_votes,
    accuracy_of_votes,
    icc_of_right_votes,
    votes_for_accuracy,
)
from analysis.values.estimate import Estimate
from analysis.workers import dawid_skene
from analysis.workers.polls import Poll
from features.assessments import polls
from features.blocks import Finding, NextStep, Table, clear, uncertain
from features.planning.power_results import Curves, Prices
from features.plotting.numbers import decimal, share
from features.results import key_of, result
from features.study import Study
from features.words import Column, counted, of_many, table_of

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
    """How often votes of the open choices are right, and between how many options; `votes` of them.

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
        """Shares of right majorities of 1, 2, … of the items' own votes."""
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
        """What the items' own votes fall short of the model: raters share errors that the model does not know."""
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
    own = tuple(accuracy_of_own_votes(items, choices, answers).tolist())
    return OpenVotes(float(right.mean()), options, len(right), icc=icc_of_right_votes(items, right), own=own)


def labels_finding(found: LabelsFound) -> Finding:
    """Return the votes that labels need.

    Without known answers it is uncertain: errors that raters share look like agreement, and more votes repeat them.
    """
    spec, known, votes = found.spec, found.known, found.votes
    assumed = f"one vote right on {share(spec.accuracy)}, ICC {decimal(spec.icc)}"
    values: dict[str, object] = {"wanted": share(spec.wanted)}
    if not isfinite(votes):
        reached = f"{MOST_TRIED} votes reach {share(found.right(MOST_TRIED))}"
        headline = "No number of votes makes labels right on {wanted} of items."
        return clear(headline, values, f"Limit {share(found.limit)}", reached, assumed, _source(known))
    n = int(votes)
    values |= {"votes": counted(n, "vote")}
    line = (
        *(f"{of_many(at, 'votes')}: {share(found.right(at))}" for at in (n, n - 1) if at),
        f"limit {share(found.limit)}",
        assumed,
        _source(known),
    )
    if known is not None and not known.known:
        step = NextStep("Add known answers on Data", "datasets.py")
        headline = "<b>{votes}</b> per item reach {wanted} only if raters share no errors."
        return replace(uncertain(headline, values, *line), next_step=step)
    return clear("Labels need <b>{votes}</b> per item to be right on {wanted} of items.", values, *line)


def _source(known: OpenVotes | None) -> str:
    if known is None:
        return "numbers as entered"
    return of_many(known.votes, "votes") + (" with known answers" if known.known else ", no answers known")


def labels_table(found: LabelsFound) -> Table:
    """Return what each number of votes gives and costs."""
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
