"""Findings on candidates for the place of a rater of the reference group."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from math import isnan, nan
from typing import Literal

import numpy as np

from analysis.comparison.comparison import Comparison, ComparisonSpec
from analysis.replacing_raters.alternative_annotator import AlternativeAnnotator, Score
from analysis.values.estimate import Estimate
from analysis.values.scope import Scope
from features.blocks import Finding, Status, Text
from features.evidence import confidence_interval, evidence, for_raters
from features.plotting.numbers import MINUS, count, decimal, decimal_with_interval, share_with_interval
from features.plotting.theme import called_crowd
from features.verdicts import clear_if, excludes, not_applicable, not_enough_data, uncertain
from features.words import Sentence, counted, listed

Kind = Literal["group", "column", "rater"]
FEWEST_RATERS = 3
"""Reference raters that must be tested before anything is concluded (Calderon et al. 2025, section 3)."""
FEWEST_ITEMS = 10
"""Items below which nobody is advised to lower the fewest."""
EPSILONS = {
    0.1: "usual where the reference are crowd workers",
    0.15: "usual where the reference are skilled raters",
    0.2: "usual where the reference are experts",
}
CROWD, UNKNOWN = 0.1, 0.2
"""Where epsilon starts for a reference that is called a crowd, and for others."""
OTHER_SCALE = "numbers on another scale are neither near to the ratings nor far from them"
LITTLE = 0.2
"""Alpha of the reference raters below which passing a test of agreement with them says little."""
LABELS = "choices have no mean to correlate"
NO_EQUAL = "it never gives an answer that a rater gave, so that none are equal"
NO_LINE = "it takes 10 items and different values for a line onto the scale of the ratings"


@dataclass(frozen=True)
class Asked:
    """What is asked of the candidates: for whom they would stand in, on which measure, and how they are tested.

    `rater` is a candidate beside groups and columns; `rescaled`: numbers on another scale are put on that of the
    ratings; `spec` is of order and level; `scope` of all intervals.
    """

    reference: str
    measure: str
    of_several: bool
    score: Score
    epsilon: float = UNKNOWN
    q: float = 0.05
    fewest: int = 30
    rater: str | None = None
    rescaled: bool = False
    spec: ComparisonSpec = field(default_factory=ComparisonSpec)
    one_group: bool = False
    scope: Scope = "raters like these"

    @property
    def of(self) -> str:
        """Of which group, where there are several."""
        return "" if self.one_group else f" of {self.reference}"

    @property
    def on(self) -> str:
        """On which measure, where there are several."""
        return f" on {self.measure}" if self.of_several else ""


@dataclass(frozen=True, eq=False)
class Standing:
    """What is known of one candidate: the test (None with its reason where its scale is another one), how many raters
    it is worth, and its comparison with the reference, in which a group is the candidate and
    anybody else the reference; choices have none. What raters carry was `read_off` so many items for the interval of
    worth, 0 for all. `agreement` is the alpha of the reference's raters with each other."""

    name: str
    kind: Kind
    test: AlternativeAnnotator | None
    worth: Estimate
    compared: Comparison | None
    rescaled: bool = False
    untested: str = ""
    read_off: int = 0
    agreement: Estimate = field(default=Estimate(nan))

    @property
    def tested(self) -> bool:
        """Whether enough reference raters were held against it for a verdict."""
        return self.test is not None and len(self.test.raters) >= FEWEST_RATERS

    @property
    def passes_test(self) -> bool:
        """True where the candidate passes the test, whatever that says."""
        return self.test is not None and self.tested and self.test.passes

    @property
    def passes(self) -> bool:
        """True where the candidate passes the test, and the reference raters agree enough for that to say something."""
        return self.passes_test and not hardly_agree(self.agreement)

    @property
    def verdict(self) -> str | None:
        """Word of the table: whether the candidate may stand in; None without a test."""
        return None if not self.tested else "yes" if self.passes else "unclear" if self.passes_test else "no"

    @property
    def advantage(self) -> Estimate:
        """The chance that it agrees with the others at least as well as a rater does."""
        return Estimate(nan, reason=self.untested) if self.test is None else self.test.advantage

    @property
    def order(self) -> Estimate:
        """Spearman's rho of its values with the reference's means."""
        return Estimate(nan, reason=LABELS) if self.compared is None else self.compared.spearman

    @property
    def level(self) -> Estimate:
        """Its mean less the reference's, in points of the scale."""
        if self.compared is None:
            return Estimate(nan, reason=LABELS)
        if self.rescaled or not self.compared.same_scale:
            return Estimate(nan, reason="it is on another scale")
        difference = self.compared.mean_difference
        if self.kind != "column":
            return difference
        return replace(difference, value=-difference.value, low=-difference.high, high=-difference.low)

    @property
    def middling(self) -> bool:
        """Whether it passes though it hardly tells which item is better: it stays where everybody is near."""
        return self.passes and self.worth.defined and self.worth.value < 0.5


def hardly_agree(agreement: Estimate) -> bool:
    """Return True where raters may agree no better than chance, or clearly agree little."""
    if isnan(agreement.low):
        return agreement.value < LITTLE
    return agreement.low <= 0 or agreement.high < LITTLE


def by_advantage(standings: Sequence[Standing]) -> list[Standing]:
    """Those that a verdict is known of, the highest advantage first."""
    return sorted((one for one in standings if one.tested), key=lambda one: -one.advantage.value)


def finding(asked: Asked, standings: Sequence[Standing]) -> Finding:
    """Return how many candidates may replace a rater, and what that is based on for the one with the highest advantage.

    Where the reference raters hardly agree with each other, nobody is said to pass.
    """
    ranked = by_advantage(standings)
    if not ranked:
        return _cannot_be_told(asked, standings)
    first, k = ranked[0], len(ranked)
    passing = [one.name for one in ranked if one.passes]
    in_vain = [one.name for one in ranked if one.passes_test and not one.passes]
    values = {
        "name": first.name,
        "of": asked.of,
        "on": asked.on,
        "passing": str(len(passing)),
        "tested": str(k),
    }
    if in_vain:
        headline = "Passing says little{on}: the reference raters hardly agree themselves."
        line = evidence(
            f"alpha {decimal(first.agreement.value)}",
            confidence_interval(first.agreement),
            counted(first.agreement.n, "item"),
            for_raters(asked.scope if asked.score == "negative rmse" else "these raters"),
            f"{listed(in_vain)} would pass",
        )
        return Finding((headline, values), line, Status.UNCERTAIN)
    line = _evidence(asked, first, passing if 0 < len(passing) < k else [])
    if k == 1:
        headline = "{name} may replace a rater{of}{on}."
        if not passing:
            headline = "It is not shown that {name} may replace a rater{of}{on}."
    elif passing:
        share = "All {tested}" if len(passing) == k else "{passing} of {tested}"
        headline = f"{share} candidates may replace a rater{{of}}{{on}}."
    else:
        headline = "None of {tested} candidates is shown to replace a rater{of}{on}."
    return Finding((headline, values), line, Status.CLEAR if passing else Status.UNCERTAIN)


def _evidence(asked: Asked, first: Standing, passing: Sequence[str]) -> Text:
    """Return what the verdict on the first candidate is based on, and who passes where not all do."""
    assert first.test is not None
    worth = first.worth
    return evidence(
        listed(passing),
        f"{first.name} is worth about {decimal(worth.value, 1)} raters" if worth.defined else first.name,
        confidence_interval(worth, partial(decimal, digits=1)),
        f"advantage {share_with_interval(first.advantage)}",
        counted(first.advantage.n, "item"),
        for_raters(asked.scope),
        f"replaces {int(first.test.replaced.sum())} of {counted(len(first.test.raters), 'rater')} tested",
        f"alpha of these raters {decimal(first.agreement.value)}" if first.agreement.defined else "",
        "ε = " + f"{asked.epsilon:.2f}".replace("-", MINUS),
    )


def leading(standings: Sequence[Standing]) -> Standing | None:
    """The candidate whose worth, order and level are told; None where no worth is known."""
    ranked = by_advantage(standings) or [one for one in standings if one.worth.defined]
    return ranked[0] if ranked and ranked[0].worth.defined else None


def worth_finding(asked: Asked, standings: Sequence[Standing]) -> Finding | None:
    """How many raters the first candidate is worth, and how high it rates; None where neither is known."""
    if (first := leading(standings)) is None or first.compared is None:
        return None
    values = {
        "name": first.name,
        "of": asked.of,
        "worth": decimal_with_interval(first.worth, 1),
        "rho": decimal_with_interval(first.order),
    }
    told = (
        "One value of {name} tells as much about which item is better as <b>{worth}</b> raters{of} (ρ with "
        "their mean {rho})"
    )
    scope = for_raters(asked.scope)
    if not first.level.defined:
        return clear_if(excludes(first.worth), told + ".", values, scope)
    higher = "lower" if first.level.value < 0 else "higher"
    ends = sorted(abs(end) for end in (first.level.low, first.level.high))
    values |= {"level": decimal(abs(first.level.value)), "higher": higher}
    if isnan(ends[0]):
        return uncertain(told + "; it lies {level} points {higher} than they do.", values, scope)
    if first.level.low * first.level.high < 0:
        values |= {"between": f"{decimal(first.level.low)} to {decimal(first.level.high)}"}
        return uncertain(
            told + "; whether it lies higher or lower is <b>unclear</b> ({between} points).",
            values,
            scope,
        )
    values |= {"between": f"{decimal(ends[0])} to {decimal(ends[1])}"}
    return clear_if(
        excludes(first.worth), told + "; it lies <b>{level}</b> ({between}) points {higher}.", values, scope
    )


def cautions(asked: Asked, standings: Sequence[Standing]) -> list[Sentence]:
    """What to know before anybody is replaced."""
    told: list[Sentence] = []
    middling = [one for one in standings if one.middling]
    if middling:
        told.append(
            (
                "{who} pass{es}, yet {is_worth} less than half a rater: who stays near the middle of the scale is "
                "seldom far from anybody, and tells nothing of which item is better.",
                {
                    "who": listed([one.name for one in middling]),
                    "es": "es" if len(middling) == 1 else "",
                    "is_worth": "is worth" if len(middling) == 1 else "each is worth",
                },
            )
        )
    return told


def skipped(asked: Asked, standings: Sequence[Standing], names: Sequence[str]) -> Sentence | None:
    """Which raters were not tested, for they share too few items; `names` by rater code."""
    tests = [one.test for one in standings if one.test is not None]
    if not tests:
        return None
    test = max(tests, key=lambda one: len(one.raters))
    if not test.skipped:
        return None
    least_first = sorted(test.skipped, key=lambda rater: -test.skipped[rater])
    nobody = "No rater was tested: each shares fewer than {fewest} items with another rater and the candidate: {who}."
    return (
        "{k} of {w} {were} not tested, for fewer than {fewest} items are shared with another rater and the candidate: "
        "{who}. They still count among the others."
        if len(test.raters)
        else nobody,
        {
            "k": count(len(test.skipped)),
            "w": counted(len(test.skipped) + len(test.raters), "rater"),
            "were": "was" if len(test.skipped) == 1 else "were",
            "fewest": str(asked.fewest),
            "who": listed([f"{names[rater]} ({test.skipped[rater]})" for rater in least_first], 6),
        },
    )


def undefined(standings: Sequence[Standing]) -> list[Sentence]:
    """Why a figure of the table, or its interval, is a dash, each reason once; and what rests on some of the items."""
    told: dict[tuple[str, str], list[str]] = {}
    for one in standings:
        if one.test is not None and not one.tested and not one.test.reason:
            why = f"{counted(len(one.test.raters), 'rater')} could be tested, and it takes {FEWEST_RATERS}"
            told.setdefault(("verdict", why), []).append(one.name)
        worth = [("number of raters it is worth", one.worth)] if one.compared is not None else []
        for what, e in (("advantage", one.advantage), *worth):
            if e.reason and (not e.defined or isnan(e.low)):
                told.setdefault((what if not e.defined else f"interval of the {what}", e.reason), []).append(
                    one.name
                )
    found: list[Sentence] = [
        ("No {what} ({who}): {why}.", {"what": what, "who": listed(who), "why": why})
        for (what, why), who in told.items()
    ]
    read_off: list[Sentence] = [
        (
            "Raters' part in the interval of how many {name} is worth was read off {some} of {items}, drawn at random "
            "(seed 0).",
            {"name": one.name, "some": count(one.read_off), "items": counted(one.worth.n, "item")},
        )
        for one in standings
        if one.read_off
    ]
    return found + read_off


def usual_epsilon(reference: str) -> float:
    """Where epsilon starts for a reference group."""
    return CROWD if called_crowd(reference) else UNKNOWN


def meaning_of(epsilon: float) -> Sentence:
    """What a value of epsilon allows."""
    usual = EPSILONS.get(round(epsilon, 2))
    return (
        "ε = {epsilon}: a candidate, who costs less, may lose to a rater on up to {percent} of the items more than it "
        "wins on{usual}.",
        {
            "epsilon": f"{epsilon:.2f}".replace("-", MINUS),
            "percent": f"{100 * epsilon:.0f} %",
            "usual": f" ({usual})" if usual else "",
        },
    )


def nobody(asked: Asked) -> Sentence:
    """What is said where no candidate has values of the measure."""
    return (
        "Nobody stands in for {reference}{on}: no other group rated it, and no number is known for its items. Choose "
        "another reference or measure in the sidebar, or add a file with a model's or a metric's column on the "
        "<b>Data</b> page.",
        {"reference": asked.reference, "on": asked.on},
    )


HOLLOW = (
    "Filled: may stand in. Hollow: that it may is not shown. Dotted line: as near to the others as a rater."
)
SLOTS: Sentence = (
    "Rater ids of this data set are only slots of a table: what counts here as one rater is several people.",
    {},
)


def _cannot_be_told(asked: Asked, standings: Sequence[Standing]) -> Finding:
    tests = [one for one in standings if one.test is not None]
    values: dict[str, object] = {
        "of": asked.of,
        "on": asked.on,
        "fewest": str(asked.fewest),
        "raters": str(FEWEST_RATERS),
    }
    if not tests:
        reason = standings[0].untested
        further = standings[0].worth.reason if not standings[0].worth.defined else ""
        cannot = not_applicable if reason == OTHER_SCALE else not_enough_data
        return cannot(
            "Whether {who} may stand in for a rater{of}{on} <b>cannot be told</b>: {reason}{further}."
            + (
                " They can be put on that scale (<b>More</b> on the page Standing in)."
                if reason == OTHER_SCALE and not further
                else ""
            ),
            values
            | {
                "who": listed([one.name for one in standings]),
                "reason": reason,
                "further": f"; and {further}" if further else "",
            },
        )
    best = max(tests, key=lambda one: len(one.test.raters) if one.test else 0)
    test = best.test
    assert test is not None
    shared = np.sort([*test.items.tolist(), *test.skipped.values()])[::-1]
    values |= {"who": listed([one.name for one in tests]), "k": counted(len(test.raters), "rater")}
    told = (
        "Whether {who} may stand in for a rater{of}{on} <b>cannot be told</b>: {k}{of} "
        "share{s} {fewest} items with another rater and the candidate, and it takes {raters}. "
    )
    values["s"] = "s" if len(test.raters) == 1 else ""
    if len(shared) < FEWEST_RATERS:
        return not_enough_data(told + "Ratings of more raters would do.", values)
    third = int(shared[FEWEST_RATERS - 1])
    values |= {"third": str(third), "third_raters": str(FEWEST_RATERS)}
    if third < FEWEST_ITEMS:
        return not_enough_data(
            told + "Only more ratings by the same raters would do: the third most of a rater is {third}.",
            values,
        )
    return not_enough_data(
        told + "More ratings by the same raters would do; or lower the fewest items (<b>More</b> on the page "
        "Standing in): {third_raters} share {third}, which makes the test less sure.",
        values,
    )
