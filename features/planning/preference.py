"""Judgments for a preference: results and findings."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import inf, isfinite, isnan

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
from analysis.workers.polls import Poll
from features.blocks import Finding, Note, Table, Text
from features.planning.power_findings import chance_of, written_number
from features.planning.power_results import Curves, Prices, effort, reach
from features.plotting.numbers import chance, count, decimal, p_value, share, share_with_interval
from features.polls import is_pairs, polls
from features.study import Study
from features.tables import Column, table_of
from features.verdicts import clear, for_raters
from features.words import counted, of_many

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
class OpenShares:
    """SD of the items' own shares in the open choices, over `items` with 2 votes or more for either side."""

    sd: float
    items: int
    name: str


@dataclass(frozen=True)
class OpenQuality:
    """Share of the votes that are no guesses: by known answers, or the least with which votes agree so often."""

    known: Estimate
    least: float


@dataclass(frozen=True)
class PreferenceFound:
    """A planned comparison by votes with its power, and what the open choices tell; None where they tell nothing."""

    spec: PreferenceSpec
    shares: OpenShares | None = None
    quality: OpenQuality | None = None

    @property
    def power(self) -> float:
        """Power of the chosen comparison."""
        return self.power_at(self.spec.items, self.spec.votes)

    def power_at(self, items: float, votes: int) -> float:
        """Return the power with other numbers."""
        spec = self.spec
        rest = spec.item_sd, spec.quality, spec.alpha, spec.comparisons
        return preference_power(spec.share, items, votes, *rest).power

    def half_width(self, votes: int) -> float:
        """Return the half-width of the interval of the share, which guesses pull towards one half."""
        spec = self.spec
        seen = 0.5 + spec.quality * (spec.share - 0.5)
        return preference_half_width(seen, spec.items, votes, spec.quality * spec.item_sd)

    def price(self, votes: int) -> float:
        """Return the price with so many votes per item."""
        costs = self.spec.prices.costs
        return costs.fixed + self.spec.items * (costs.item + votes * costs.rating)

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

    def same_price(self) -> list[tuple[float, float, int]]:
        """Return items, power and votes of the comparisons that cost what may be spent."""
        prices, points = self.spec.prices, []
        budget = self.price(self.spec.votes) if prices.budget is None else prices.budget
        for votes in self.others if prices.are_known else ():
            each = prices.item + votes * prices.costs.rating
            items = (budget - prices.fixed) / each if each else 0.0
            if 4 <= items <= reach(self.spec.items):
                points.append((items, self.power_at(items, votes), votes))
        return points


def plan_preference(study: Study, spec: PreferenceSpec) -> PreferenceFound:
    """Plan a comparison of two systems by votes.

    Parameters
    ----------
    study : study whose choices may tell how items differ and how many votes are guesses
    spec : the planned comparison

    Returns
    -------
    PreferenceFound
        its power and precision.
    """
    return PreferenceFound(spec, shares_without_guesses(study), open_quality(study))


def open_shares(study: Study) -> OpenShares | None:
    """Return how items' shares differ in the open choices between two systems; None where there are none."""
    return shares_of(polls(study)) if study.holds_choices and is_pairs(study) else None


def open_quality(study: Study) -> OpenQuality | None:
    """Return how many votes of the open choices between two systems are no guesses; None where there are none."""
    return quality_of(polls(study)) if study.holds_choices and is_pairs(study) else None


def shares_without_guesses(study: Study) -> OpenShares | None:
    """Return how items' shares would differ if nobody guessed: guesses pull all of them towards one half."""
    return without_guesses(open_shares(study), open_quality(study))


def without_guesses(shares: OpenShares | None, quality: OpenQuality | None) -> OpenShares | None:
    """Return the shares' SD without the guesses that known answers show."""
    if shares is None or quality is None or not quality.known.defined or not quality.known.value:
        return shares
    return replace(shares, sd=min(shares.sd / quality.known.value, 0.5))


def usual_quality(quality: OpenQuality | None) -> int:
    """Return the percent of votes that a control starts with: what is known, else the usual, or the least possible."""
    usual = round(100 * USUAL_QUALITY)
    if quality is None or not quality.known.defined:
        least = 0 if quality is None or isnan(quality.least) else round(100 * quality.least)
        return max(usual, least)
    return min(max(round(100 * quality.known.value), 10), 100)


def shares_of(asked: tuple[Poll, ...]) -> OpenShares | None:
    """Return the shares of the comparison with the most such items; answers for both or neither do not count."""
    found = []
    for poll in asked:
        first, second = (
            np.bincount(poll.votes.item[poll.votes.choice == side], minlength=poll.votes.items)
            for side in (0, 1)
        )
        sd, items = spread_of_shares(first, first + second), int((first + second >= 2).sum())
        if not isnan(sd):
            found.append(OpenShares(sd, items, poll.name))
    return max(found, key=lambda one: one.items, default=None)


def quality_of(asked: tuple[Poll, ...]) -> OpenQuality:
    """Return the share of votes that are no guesses; answers for both or neither do not count.

    An expert's preference is no answer that others guess: who prefers otherwise may have looked as closely.
    """
    items, raters, right = (np.zeros(0, dtype=np.int64) for _ in range(3))
    chosen, both = (np.zeros(0, dtype=np.int64) for _ in range(2))
    for poll in asked:
        votes = poll.votes
        first, second = (
            np.bincount(votes.item[votes.choice == side], minlength=votes.items) for side in (0, 1)
        )
        chosen, both = np.append(chosen, first), np.append(both, first + second)
        answer = poll.gold[votes.item]
        counts = np.isin(answer, (0, 1)) & np.isin(votes.choice, (0, 1))
        items = np.append(items, poll.item_code[votes.item[counts]])
        raters = np.append(raters, poll.rater_code[votes.rater[counts]])
        right = np.append(right, answer[counts] == votes.choice[counts])
    return OpenQuality(
        quality_by_known_answers(items, raters, right), least_quality_by_agreement(chosen, both)
    )


def preference_finding(found: PreferenceFound) -> Finding:
    """Return the chance that the comparison detects the preference, and the items that the wanted power needs."""
    spec, needed = found.spec, found.items_needed(found.spec.votes)
    needs = f"{of_many(needed, 'items')}" if isfinite(needed) else "no number of items is enough"
    return clear(
        "This plan has <b>{chance}</b> to detect a preference of {share}.",
        {"chance": chance_of(found.power), "share": share(spec.share)},
        f"Expected 95% CI ±\u00a0{decimal(100 * found.half_width(spec.votes), 0)} points",
        of_many(spec.items, "items"),
        f"{counted(spec.votes, 'vote')} each",
        for_raters("these raters"),
        f"for {share(spec.wanted)}: {needs}",
    )


def preference_notes(found: PreferenceFound) -> Iterator[Note]:
    """Yield the effort, what a paper says of the size, and what the open choices tell of the assumptions."""
    spec = found.spec
    yield Note(effort(spec.prices, spec.items * spec.votes, found.price(spec.votes), what="votes"))
    yield Note(("For the paper or the ethics form: {told}", {"told": describe_for_paper(found)}))
    if found.shares is not None:
        yield Note(_shares_note(found.shares))
    if found.quality is not None:
        yield Note(_quality_note(found.quality, found))


def describe_for_paper(found: PreferenceFound) -> str:
    """Return what an application or a paper says of the size of the study."""
    spec = found.spec
    tests = (
        "" if spec.comparisons == 1 else f", Bonferroni-adjusted for {count(spec.comparisons)} comparisons"
    )
    return (
        f"We plan {of_many(spec.items, 'items')} with {of_many(spec.votes, 'votes')} each. A two-sided test over items "
        f"at alpha = {p_value(spec.alpha)}{tests} then detects a preference of {share(spec.share)} with a power of "
        f"{chance(found.power)} (items differing by an SD of {decimal(spec.item_sd)}; {share(spec.quality)} of the "
        f"votes no guesses)."
    )


def _shares_note(one: OpenShares) -> Text:
    return (
        "In the open choices ({name}, {items}) the items' own shares differ by an SD of {sd}, without what so few "
        "votes of each add by chance and known guesses hide.",
        {"name": one.name, "items": of_many(one.items, "items"), "sd": decimal(one.sd)},
    )


def _quality_note(quality: OpenQuality, found: PreferenceFound) -> Text:
    """Return the source of the share of votes that are no guesses, or why the open choices do not tell it."""
    known = quality.known
    if known.defined:
        low, high = (
            replace(found, spec=replace(found.spec, quality=end)).power for end in (known.low, known.high)
        )
        return (
            "Of the {votes} in the open choices whose answer is known, <b>{quality}</b> are no guesses (twice the "
            "share that is right, minus one): with either end the power is {low} or {high}. Raters who looked closely "
            "and disagree with the known answer count as guessing.",
            {
                "votes": of_many(known.n, "votes"),
                "quality": share_with_interval(known),
                "low": chance(low),
                "high": chance(high),
            },
        )
    if isnan(quality.least):
        return (
            "The open choices do not tell how many votes are no guesses: no answers are known, and no item has several "
            "votes.",
            {},
        )
    return (
        "Without known answers the open choices do not tell how many votes are no guesses: votes that disagree are "
        "guesses, or raters who differ. From how often votes on one item agree, it is at least about {least}.",
        {"least": share(quality.least)},
    )


def preference_table(found: PreferenceFound) -> Table:
    """Return the same comparison with other votes per item."""
    prices, others = found.spec.prices, found.alternatives
    power, half = zip(*others.values(), strict=True)
    price = [Column("Price", [found.price(votes) for votes in others], prices.written)]
    return table_of(
        "alternatives",
        "The same comparison with other votes per item.",
        [
            Column("Votes per item", list(others)),
            Column("Power", power, lambda value: share(value, 1)),
            Column("±", half, lambda value: share(value, 1)),
            *(price if prices.are_known else []),
            Column(
                f"Items for {share(found.spec.wanted)}",
                [found.items_needed(votes) for votes in others],
                written_number,
            ),
        ],
    )
