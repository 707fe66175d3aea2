"""Plans of votes: the power to find a preference of one of two systems, and the votes that make labels right."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import inf, isfinite, isnan

from analysis.planning.budget import item_grid, smallest_sufficient
from analysis.planning.promises_of_choices import (
    Majority,
    OpenQuality,
    OpenVotes,
    quality_of,
    sd_of_shares,
    votes_by_dawid_skene,
    votes_with_answers,
    without_guesses,
)
from analysis.planning.votes import preference_half_width, preference_power
from analysis.values.estimate import Estimate
from features.assessments import is_pairs, polls
from features.blocks import Finding, NextStep, Table, clear, uncertain
from features.planning.power_results import Curves, Prices, axis_end
from features.plotting.theme import PERCENT_ONE_DIGIT, decimal, share
from features.study import Study, key_of, result
from features.words import Column, counted, of_many, table_of

USUAL_QUALITY, USUAL_SD = 0.9, 0.1
"""Share of votes that are not guesses, and SD of the items' shares, where no choices tell them."""


@dataclass(frozen=True)
class PreferenceSpec:
    """Planned comparison of two systems by votes that looks for a preference of `share`.

    Items' own shares differ by `item_sd`; `quality` is the share of the votes that are not guesses.
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
class PreferenceFound:
    """A planned comparison by votes with its power, and how many votes of the open choices are not guesses."""

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
    """Return how many votes of the open choices between two systems are not guesses; None where there are none."""
    return quality_of(polls(study)) if study.holds_choices and is_pairs(study) else None


def usual_item_sd(study: Study) -> float:
    """Return the SD of the items' shares that a control starts with: that of the open choices, if nobody guessed."""
    quality = open_quality(study)
    sd = None if quality is None else sd_of_shares(polls(study))
    return USUAL_SD if quality is None or sd is None else min(round(without_guesses(sd, quality), 2), 0.5)


def usual_quality(quality: OpenQuality | None) -> int:
    """Return the percent of votes that a control starts with: what is known, else the usual, or the least possible."""
    usual = round(100 * USUAL_QUALITY)
    if quality is None or not quality.known.defined:
        least = 0 if quality is None or isnan(quality.least) else round(100 * quality.least)
        return max(usual, least)
    return min(max(round(100 * quality.known.value), 10), 100)


USUAL_ICC = 0.3
"""Intraclass correlation of right and wrong votes where nothing is known of it."""
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
class LabelsFound:
    """Labels by the majority; `known` is what the open choices tell where the numbers of the spec are theirs."""

    spec: LabelsSpec
    known: OpenVotes | None = None

    @cached_property
    def majority(self) -> Majority:
        own = self.known.own if self.known is not None else ()
        return Majority(self.spec.accuracy, self.spec.options, self.spec.icc, own)

    @property
    def votes(self) -> float:
        """The fewest votes whose majority is right often enough; infinite where none are."""
        return self.majority.votes_for(self.spec.wanted)

    def curves(self) -> Curves:
        """Return how often the majority is right along votes, by the percent of single votes that are right."""
        x = tuple(range(1, self.most + 1))
        here = round(100 * self.spec.accuracy)
        made: Curves = {}
        for percent in (here - 10, here, here + 10):
            if 0 < percent < 100:
                other = replace(self.majority, accuracy=percent / 100, own=())
                one = self.majority if percent == here else other
                made[percent] = x, tuple(Estimate(one.right(votes)) for votes in x)
        return made

    @property
    def most(self) -> int:
        """Votes up to which curves go."""
        votes = self.votes
        return MOST_VOTES if votes == inf else int(min(max(MOST_VOTES, 1.2 * votes), MOST_TRIED))


def usual_labels(known: OpenVotes) -> LabelsSpec:
    """Return the spec in which a vote is right as often as in the open choices, to the digits of the controls."""
    icc = USUAL_ICC if isnan(known.icc) else min(round(known.icc, 2), 0.95)
    percent = min(max(round(100 * known.accuracy), 5), 99)
    return LabelsSpec(percent / 100, icc, min(known.options, 20))


def plan_labels(study: Study, spec: LabelsSpec) -> LabelsFound:
    """Find how often the majority of votes is right, by the items' own votes where the numbers are theirs."""
    known = open_votes(study)
    usual_spec = replace(LabelsSpec(), accuracy=spec.accuracy, icc=spec.icc, options=spec.options)
    return LabelsFound(spec, known if known is not None and usual_labels(known) == usual_spec else None)


def open_votes(study: Study) -> OpenVotes | None:
    """Return how often votes are right: by known answers, else by Dawid-Skene; None where neither can tell."""
    if not study.holds_choices:
        return None
    all_polls = polls(study)
    return votes_with_answers(all_polls) or result(
        key_of(study.dataset, "votes right by Dawid-Skene"), lambda: votes_by_dawid_skene(all_polls)
    )


def labels_finding(found: LabelsFound) -> Finding:
    """Return the votes that labels need.

    Without known answers it is uncertain: errors that raters share look like agreement, and more votes repeat them.
    """
    spec, known, votes = found.spec, found.known, found.votes
    assumed = f"one vote right on {share(spec.accuracy)}, ICC {decimal(spec.icc)}"
    source = _source(spec, known)
    values: dict[str, object] = {"wanted": share(spec.wanted)}
    if not isfinite(votes):
        reached = f"{MOST_TRIED} votes reach {share(found.majority.right(MOST_TRIED))}"
        headline = "No number of votes makes labels right on {wanted} of items."
        return clear(headline, values, f"Limit {share(found.majority.limit)}", reached, assumed, source)
    n = int(votes)
    values |= {"votes": counted(n, "vote")}
    line = (
        f"{of_many(n, 'votes')}: {share(found.majority.right(n))}",
        f"limit {share(found.majority.limit)}",
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
            Column("Right", [found.majority.right(n) for n in votes], PERCENT_ONE_DIGIT),
            *spec.prices.column([spec.prices.of_votes(spec.items, n) for n in votes]),
        ],
    )
