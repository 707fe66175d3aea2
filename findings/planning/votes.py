"""How many items and votes tell a preference from a draw, and how many votes make a label right."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import isfinite, isnan, nan

import numpy as np
import pandas as pd

from analysis.planning.alternatives import fewest, items_along
from analysis.planning.detectable import spread_of_shares
from analysis.planning.vote_quality import least_quality_by_agreement, quality_by_known_answers
from analysis.planning.votes import (
    accuracy_limit,
    accuracy_of_own_votes,
    accuracy_of_votes,
    icc_of_right_votes,
    preference_half_width,
    preference_power,
    votes_for_accuracy,
)
from analysis.values.estimate import Estimate
from analysis.workers import dawid_skene
from analysis.workers.polls import Poll
from features.blocks import Finding
from features.plotting.numbers import chance, count, decimal, money, p_value, share, share_with_interval
from features.polls import polls
from features.results import key_of, result
from features.study import Study
from features.tables import Shown
from features.verdicts import clear
from features.words import Sentence, of_many
from findings.planning.apart import HOUR, Prices

BESIDE = ("Votes per item", "Power", "Half of the interval", "Price")
PREFERENCE_EXPLANATION = """
**Power.** The chance to tell a preference from a draw: a two-sided t test over the items' shares, which differ by
chance of votes and by what items have of their own (two-stage sampling, Cochran 1977, section 10.3). Items are drawn;
workers are these, and votes on an item independent. Workers who guess pull the share towards one half: with 80 % of the
votes that are no guesses, one vote in five falls by lot. Further pairs of systems share the level of the test
(Bonferroni).

**How many are guesses** follows from the open choices where answers are known: a guess is right half of the time, so
that twice the share of right votes less one are none; the interval is over items and workers (in 95 to 99 of 100
simulated studies it held; it is wider than it says where items are few). Votes on the same item
alone tell only the least that it can be, since people may differ as well as guess.
"""
LABEL_EXPLANATION = """
**Votes for a label.** How often the majority of votes is right, ties drawn by lot. Some items are harder than others:
the chance that a vote is right differs between items by a beta distribution with the mean and the intraclass
correlation (ICC) given above, and wrong votes spread evenly over the other options (Condorcet 1785; Snow et al. 2008;
Skellam 1948). With an ICC of 0 all items are equally hard, which promises too much. However many votes, the majority
stays wrong on the items where a wrong option leads: that is the limit. Where the open choices have known answers and
the numbers above are theirs, figures up to the votes at hand (the median item's) are averages over all choices of so
many of each item's own votes; there wrong votes gather where they did. Weights by worker (Dawid-Skene, on the Systems
page) do better than the majority where workers differ.
"""
MOST_VOTES = 25
MOST_TRIED = 99
USUAL_ICC = 0.3
"""Intraclass correlation of right and wrong votes where nothing is known of it."""
USUAL_QUALITY = 90
"""Percent of votes that are no guesses, where nothing is known of them."""
FEWEST_VOTES = 3
"""Votes per item from which Dawid-Skene is asked how often one is right."""


@dataclass(frozen=True)
class Preference:
    """A planned comparison of two systems by votes."""

    share: float
    items: int
    votes: int
    item_sd: float
    quality: float
    alpha: float
    comparisons: int
    wanted: float
    prices: Prices

    @property
    def power(self) -> float:
        return self.power_at(self.items, self.votes)

    def power_at(self, items: int, votes: int) -> float:
        """The power with other numbers."""
        return preference_power(
            self.share, items, votes, self.item_sd, self.quality, self.alpha, self.comparisons
        ).power

    @property
    def half_width(self) -> float:
        """Of the share that will be seen."""
        seen = 0.5 + self.quality * (self.share - 0.5)
        return preference_half_width(seen, self.items, self.votes, self.quality * self.item_sd)

    @property
    def price(self) -> float:
        costs = self.prices.costs
        return costs.fixed + self.items * (costs.item + self.votes * costs.rating)

    @property
    def items_needed(self) -> float:
        """Items for the wanted power."""
        if self.share == 0.5 or not self.quality:
            return float("inf")
        return fewest(lambda items: self.power_at(items, self.votes) >= self.wanted)


def preference_finding(one: Preference) -> list[Finding]:
    """The power of the chosen study, and the items that the wanted power takes."""
    values: dict[str, object] = {
        "items": of_many(one.items, "items"),
        "votes": of_many(one.votes, "votes"),
        "share": share(one.share),
        "power": chance(one.power),
        "half": decimal(100 * one.half_width, 0),
        "wanted": share(one.wanted),
        "needed": of_many(one.items_needed, "items") if isfinite(one.items_needed) else "",
    }
    return [
        clear(
            "With <b>{items} of {votes} each</b>, a preference of <b>{share}</b> is told from a draw with a power of "
            "<b>{power}</b> and known to about ±\u00a0{half} points.",
            values,
        ),
        clear(
            "For {wanted} it takes {needed} with as many votes."
            if values["needed"]
            else "No number of items is enough for {wanted}.",
            values,
        ),
    ]


def preference_effort(one: Preference) -> Sentence:
    """Price, votes and hours."""
    votes = one.items * one.votes
    return (
        "That is <b>{price}</b>: {votes}, {hours} hours at {seconds}\u00a0s each.",
        {
            "price": money(one.price, one.prices.currency),
            "votes": of_many(votes, "votes"),
            "hours": decimal(votes * one.prices.seconds / HOUR, 1),
            "seconds": f"{one.prices.seconds:g}",
        },
    )


def preference_for_the_paper(one: Preference) -> str:
    """What an application or a paper says of the size of the study."""
    tests = "" if one.comparisons == 1 else f", Bonferroni-adjusted for {one.comparisons} comparisons"
    return (
        f"We plan {of_many(one.items, 'items')} with {of_many(one.votes, 'votes')} each. A two-sided test over items "
        f"at alpha = {p_value(one.alpha)}{tests} then tells a preference of {share(one.share)} from 50 % with a power "
        f"of {chance(one.power)} (items differing by an SD of {decimal(one.item_sd)}; {share(one.quality)} of the "
        f"votes no guesses)."
    )


def votes_beside(votes: int) -> tuple[int, ...]:
    """Votes per item whose curves are drawn.

    >>> votes_beside(5), votes_beside(1)
    ((1, 2, 5, 10, 20), (1, 2, 4))
    """
    return tuple(sorted({1, max(votes // 2, 1), votes, 2 * votes, 4 * votes}))


def preference_curves(one: Preference, most: int) -> dict[int, tuple[tuple[int, ...], tuple[Estimate, ...]]]:
    """Power along items, by votes per item."""
    x = items_along(most, one.items, points=20)
    return {
        votes: (x, tuple(Estimate(one.power_at(items, votes)) for items in x))
        for votes in votes_beside(one.votes)
    }


def preference_same_price(one: Preference, most: int) -> list[tuple[float, float, int]]:
    """Items, power and votes of the comparisons that cost what is to be spent."""
    costs = one.prices.costs
    budget = one.price if one.prices.budget is None else one.prices.budget
    points = []
    for votes in votes_beside(one.votes):
        each = costs.item + votes * costs.rating
        items = (budget - costs.fixed) / each if each else 0.0
        if 4 <= items <= most:
            points.append((items, one.power_at(items, votes), votes))  # type: ignore[arg-type]
    return points


def preference_beside(one: Preference) -> Shown:
    """The same comparison with other votes per item."""
    others = [replace(one, votes=votes) for votes in votes_beside(one.votes)]
    needed = f"Items for {share(one.wanted)}"
    rows = pd.DataFrame(
        {
            "Votes per item": [each.votes for each in others],
            "Power": [each.power for each in others],
            "Half of the interval": [each.half_width for each in others],
            "Price": [each.price for each in others],
            needed: [each.items_needed for each in others],
        }
    )
    return rows, {
        "Power": lambda value: share(value, 1),
        "Half of the interval": lambda value: share(value, 1),
        "Price": lambda value: money(value, one.prices.currency),
        needed: lambda value: count(value) if isfinite(value) else "–",
    }


@dataclass(frozen=True)
class Labels:
    """Labels by the majority of votes; `own` is how often 1, 2, … of the items' own votes are right, empty without."""

    accuracy: float
    options: int
    wanted: float
    items: int
    prices: Prices
    icc: float = 0.0
    own: tuple[float, ...] = ()

    @property
    def votes(self) -> float:
        """Return the fewest votes whose majority is right often enough."""
        here = (n for n, right in enumerate(self.own, 1) if right >= self.wanted)
        beyond = votes_for_accuracy(
            self.accuracy, self.wanted, self.options, icc=self.icc, least=len(self.own) + 1
        )
        return next(here, beyond)

    def right(self, votes: int) -> float:
        """Return how often the majority of so many is right: of the items' own votes where there are as many."""
        if votes <= len(self.own):
            return self.own[votes - 1]
        return accuracy_of_votes(self.accuracy, votes, self.options, self.icc)

    @property
    def limit(self) -> float:
        """Share of right majorities with any number of votes, at most."""
        return accuracy_limit(self.accuracy, self.options, self.icc)


@dataclass(frozen=True)
class OpenVotes:
    """How often votes of the open choices are right, and between how many options; `votes` of them. By their `known`
    answers, else as Dawid-Skene estimates them. `icc` of right and wrong over items, NaN where it is not known.
    `own`: how often the majority of 1, 2, … of an item's own votes is right."""

    accuracy: float
    options: int
    votes: int
    known: bool = True
    icc: float = nan
    own: tuple[float, ...] = ()


def of_study(study: Study) -> OpenVotes | None:
    """What the open choices say of one vote: by known answers, else by Dawid-Skene; None where neither can tell."""
    if not study.holds_choices:
        return None
    asked = polls(study)
    return of_open_choices(asked) or result(
        key_of(study.dataset, "votes right by Dawid-Skene"), lambda: by_dawid_skene(asked)
    )


def by_dawid_skene(asked: Sequence[Poll]) -> OpenVotes | None:
    """How often votes give the label that Dawid-Skene holds for true, of the labels with the most votes; None for
    choices between systems, which have no true answer, and below 3 votes per item, where a vote confirms itself."""
    enough = [
        one for one in asked if one.lists is None and len(one.votes.item) >= FEWEST_VOTES * one.votes.items
    ]
    if not enough:
        return None
    poll = max(enough, key=lambda one: len(one.votes.item))
    right = dawid_skene.fit_votes(poll.votes).posterior[poll.votes.item, poll.votes.choice]
    icc = icc_of_right_votes(poll.votes.item, right)
    return OpenVotes(float(right.mean()), len(poll.options), len(poll.votes.item), known=False, icc=icc)


def of_open_choices(asked: Sequence[Poll]) -> OpenVotes | None:
    """What the open choices say of one vote; None without known answers."""
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


@dataclass(frozen=True)
class OpenShares:
    """How far items' own shares differ (SD) in the open choices, over `items` with 2 votes or more for either side."""

    sd: float
    items: int
    name: str


@dataclass(frozen=True)
class OpenQuality:
    """How many votes of the open choices between two systems are no guesses: by known answers, or the least with which
    votes on the same item agree so often."""

    known: Estimate
    least: float


def quality_of_open_choices(asked: Sequence[Poll]) -> OpenQuality:
    """What the open choices say of it; answers for both or neither do not count. An expert's preference is no answer
    that others guess: who prefers otherwise may have looked as closely."""
    items, raters, right = (np.zeros(0, dtype=np.int64) for _ in range(3))
    chosen, both = (np.zeros(0, dtype=np.int64) for _ in range(2))
    for poll in asked:
        votes = poll.votes
        first, second = (
            np.bincount(votes.item[votes.choice == side], minlength=votes.items) for side in (0, 1)
        )
        chosen, both = np.append(chosen, first), np.append(both, first + second)
        answer = poll.gold[votes.item]
        told = np.isin(answer, (0, 1)) & np.isin(votes.choice, (0, 1))
        items = np.append(items, poll.item_code[votes.item[told]])
        raters = np.append(raters, poll.rater_code[votes.rater[told]])
        right = np.append(right, answer[told] == votes.choice[told])
    return OpenQuality(
        quality_by_known_answers(items, raters, right), least_quality_by_agreement(chosen, both)
    )


def without_guesses(shares: OpenShares | None, quality: OpenQuality | None) -> OpenShares | None:
    """How far items' shares would differ if nobody guessed: guesses pull all of them towards one half."""
    if shares is None or quality is None or not quality.known.defined or not quality.known.value:
        return shares
    return replace(shares, sd=min(shares.sd / quality.known.value, 0.5))


def usual_quality(quality: OpenQuality | None) -> int:
    """In percent, where a control starts: what is known, else the usual, or the least that it can be."""
    if quality is None or not quality.known.defined:
        least = 0 if quality is None or isnan(quality.least) else round(100 * quality.least)
        return max(USUAL_QUALITY, least)
    return min(max(round(100 * quality.known.value), 10), 100)


def quality_note(quality: OpenQuality, one: Preference) -> Sentence:
    """Where the usual share of votes that are no guesses comes from, or why the open choices do not tell it."""
    known = quality.known
    if known.defined:
        ends = [replace(one, quality=end).power for end in (known.low, known.high)]
        return (
            "Of the {votes} in the open choices whose answer is known, <b>{quality}</b> are no guesses (twice the "
            "share that is right, less one): with either end the power is {low} or {high}. Who looked closely and "
            "disagrees with the known answer counts as guessing.",
            {
                "votes": of_many(known.n, "votes"),
                "quality": share_with_interval(known),
                "low": chance(ends[0]),
                "high": chance(ends[1]),
            },
        )
    if isnan(quality.least):
        return (
            "How many votes are no guesses the open choices do not tell: no answers are known, and no item has several "
            "votes.",
            {},
        )
    return (
        "How many votes are no guesses the open choices do not tell without known answers: votes that disagree are "
        "guesses, or people who differ. So often as votes on one item agree, it is at least about {least}.",
        {"least": share(quality.least)},
    )


def shares_of_open_choices(asked: Sequence[Poll]) -> OpenShares | None:
    """What the open comparison with the most such items says of them; answers for both or neither do not count."""
    told = []
    for poll in asked:
        first, second = (
            np.bincount(poll.votes.item[poll.votes.choice == side], minlength=poll.votes.items)
            for side in (0, 1)
        )
        sd, items = spread_of_shares(first, first + second), int((first + second >= 2).sum())
        if not isnan(sd):
            told.append(OpenShares(sd, items, poll.name))
    return max(told, key=lambda one: one.items, default=None)


def shares_note(one: OpenShares) -> Sentence:
    """Where the usual SD of the items' shares comes from."""
    return (
        "In the open choices ({name}, {items}) the items' own shares differ by an SD of {sd}, without what so few "
        "votes of each add by chance and known guesses hide.",
        {"name": one.name, "items": of_many(one.items, "items"), "sd": decimal(one.sd)},
    )


def labels_finding(one: Labels) -> list[Finding]:
    """The votes that it takes, and what they cost."""
    votes = one.votes
    values: dict[str, object] = {
        "accuracy": share(one.accuracy),
        "wanted": share(one.wanted),
        "limit": share(one.limit),
        "most": of_many(MOST_TRIED, "votes"),
        "at_most": share(one.right(MOST_TRIED)),
    }
    if not isfinite(votes):
        return [
            clear(
                "Where single votes are right in <b>{accuracy}</b>, no number of votes makes the majority right in "
                "{wanted}: {most} reach {at_most}, and the limit is {limit}. Better instructions or raters would help.",
                values,
            )
        ]
    costs = one.prices.costs
    n = int(votes)
    return [
        clear(
            "<b>{votes} per item</b> make the majority right in <b>{reached}</b> of the items where single votes are "
            "right in {accuracy}; {fewer}. With any number it is at most {limit}.",
            values
            | {
                "votes": of_many(n, "votes"),
                "reached": share(one.right(n)),
                "fewer": f"{of_many(n - 1, 'votes')} in {share(one.right(n - 1))}"
                if n > 1
                else "one is enough",
            },
        ),
        clear(
            "For {items} that is {price}: {all_votes}, {hours} hours at {seconds}\u00a0s each.",
            {
                "items": of_many(one.items, "items"),
                "price": money(
                    costs.fixed + one.items * (costs.item + n * costs.rating), one.prices.currency
                ),
                "all_votes": of_many(one.items * n, "votes"),
                "hours": decimal(one.items * n * one.prices.seconds / HOUR, 1),
                "seconds": f"{one.prices.seconds:g}",
            },
        ),
    ]


def open_note(one: OpenVotes) -> Sentence:
    """Where the usual accuracy comes from."""
    own = (
        " Up to {own} per item the figures are those of the items' own votes, beyond them the model's."
        if one.own
        else ""
    )
    return (
        (
            "In the open choices {accuracy} of {votes} with a known answer are right"
            if one.known
            else "No answers are known; by Dawid-Skene's estimate {accuracy} of the {votes} are right"
        )
        + (", and right votes gather on the same items with an ICC of {icc}." if one.icc == one.icc else ".")
        + own,
        {
            "accuracy": share(one.accuracy),
            "votes": of_many(one.votes, "votes"),
            "icc": decimal(one.icc),
            "own": of_many(len(one.own), "votes"),
        },
    )


def labels_curves(one: Labels) -> dict[int, tuple[tuple[int, ...], tuple[Estimate, ...]]]:
    """Accuracy of the majority along votes, by the accuracy (in percent) of one vote."""
    x = tuple(range(1, _most(one) + 1))
    percents = sorted({round(100 * one.accuracy) + step for step in (-10, 0, 10)})
    return {
        percent: (
            x,
            tuple(Estimate(_at_percent(one, percent).right(votes)) for votes in x),
        )
        for percent in percents
        if 0 < percent < 100
    }


def _at_percent(one: Labels, percent: int) -> Labels:
    """Return the labels with another accuracy of one vote, of which no item has votes."""
    return one if percent == round(100 * one.accuracy) else replace(one, accuracy=percent / 100, own=())


def _most(one: Labels) -> int:
    votes = one.votes
    return MOST_VOTES if not isfinite(votes) else int(min(max(MOST_VOTES, 1.2 * votes), 99))


def labels_table(one: Labels) -> Shown:
    """What each number of votes gives and costs."""
    costs = one.prices.costs
    votes = list(range(1, _most(one) + 1))
    rows = pd.DataFrame(
        {
            "Votes per item": votes,
            "Right": [one.right(n) for n in votes],
            "Price": [costs.fixed + one.items * (costs.item + n * costs.rating) for n in votes],
        }
    )
    return rows, {
        "Right": lambda value: share(value, 1),
        "Price": lambda value: money(value, one.prices.currency),
    }
