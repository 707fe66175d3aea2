"""Is a running study enough: how precise its means are by now, and what more ratings would buy; by precision only."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import isfinite, isnan, nan, sqrt

import numpy as np
import pandas as pd

from analysis.agreement.agreement_summary import AgreementSummary, from_nothing
from analysis.agreement.intraclass import stepped_up
from analysis.agreement.one_way_intervals import OneWayIntervals
from analysis.agreement.reliability import OneWay
from analysis.items.rating_spread import RatingSpread
from analysis.planning.alternatives import items_along
from analysis.planning.budget import StudyCosts
from analysis.planning.precision import mos_half_width
from analysis.repetitions.ratings_needed import ratings_for, ratings_needed
from analysis.repetitions.stopping import narrow
from analysis.values.estimate import Estimate
from features.blocks import Finding
from features.evidence import for_raters
from features.plotting.numbers import count, counts, decimal, decimal_with_interval, money
from features.tables import Shown
from features.verdicts import clear_if, not_enough_data, uncertain
from features.words import of_many
from findings.planning.apart import Prices
from findings.planning.precise import TYPICAL

FIRST = ("Measure", "Ratings per item", "Half of the interval", "Mean of ratings", "Enough at")
EXPLANATION = """
**Enough by precision.** Two rules: the half-width of the interval of an item's MOS (Student's t with the variances of
raters and residual pooled over items: it holds for a typical item; disputed items are less certain), and the
reliability of an item's mean (by Spearman-Brown from that of one rating, as on Agreement). Both say how many ratings
per item are enough; the answer does not move with how many were collected, beyond chance. With two raters the
half-width is that of items compared by both. Further rules are on the Repetitions page.

**Never by p.** Whoever collects until a p value is small will find one sooner or later, whether there is a difference
or not. Precision may be looked at as often as one likes. What the difference is, is said when the study is over.

**What more would buy** assumes further ratings like those so far: other raters from the same crowd, the same items.
"""

FREE = Prices(StudyCosts(0.0, 0.0, 0.0, 0.0), "", 0.0)


@dataclass(frozen=True)
class SoFar:
    """One measure's ratings so far, and what is wanted of them: a half-width of a MOS, and a reliability."""

    measure: str
    found: OneWay
    intervals: OneWayIntervals
    spread: RatingSpread
    agreement: AgreementSummary
    half: float
    reliability: float

    @property
    def defined(self) -> bool:
        return self.found.sd_within == self.found.sd_within and self.ratings >= 1

    @property
    def ratings(self) -> int:
        """Of an item, about."""
        return (
            round(self.found.ratings_per_item)
            if self.found.ratings_per_item == self.found.ratings_per_item
            else 0
        )

    @property
    def compared(self) -> str:
        """Meaning of the half-width, in words."""
        return "compared with other items by the same raters" if self.spread.compares_only else TYPICAL

    def half_at(self, ratings: int) -> float:
        """Half-width of the interval of an item's MOS."""
        variance, degrees = self.spread.of_means
        return float(mos_half_width(ratings, sqrt(variance), degrees=degrees))

    def half_with_ends(self, ratings: int) -> Estimate:
        """The same with the uncertainty of the SD that it is based on."""
        half, sd = self.half_at(ratings), self.intervals.sd_within
        low, high = (half * end / sd.value if end >= 0 and sd.value > 0 else nan for end in (sd.low, sd.high))
        return Estimate(half, low, high)

    @property
    def reliability_now(self) -> Estimate:
        """Of the mean of an item's ratings."""
        return from_nothing(stepped_up(self.agreement.one, self.found.ratings_per_item))

    @property
    def for_half(self) -> float:
        """Ratings per item that are enough for the half-width."""
        variance, degrees = self.spread.of_means
        return narrow(sqrt(variance), 2 * self.half, degrees)

    @property
    def for_reliability(self) -> float:
        """Ratings per item that are enough for the reliability."""
        return ratings_for(self.agreement.one.value, self.reliability)

    @property
    def enough_at(self) -> float:
        """Ratings per item that are enough for both, NaN where one of them is not known."""
        return float(np.maximum(self.for_half, self.for_reliability))


def finding(one: SoFar, prices: Prices) -> list[Finding]:
    """What is known by now, whether that is enough, and what is missing."""
    if not one.defined:
        return [
            not_enough_data(
                "Whether {measure} has enough ratings cannot be told: {reason}.",
                {"measure": one.measure, "reason": one.found.reason or "no item has two ratings"},
            )
        ]
    reliability = one.reliability_now
    values: dict[str, object] = {
        "ratings": of_many(one.ratings, "ratings"),
        "items": of_many(one.found.items, "items"),
        "measure": one.measure,
        "half": decimal_with_interval(one.half_with_ends(one.ratings)),
        "reliability": decimal_with_interval(reliability),
        "compared": one.compared,
        "wanted": decimal(one.half),
        "reliable": decimal(one.reliability),
    }
    now = clear_if(
        reliability.low > 0,
        "So far <b>about {ratings} per item</b> ({items}): a MOS of {measure} is known to about <b>±\u00a0{half}</b> "
        "({compared}), and the means have a reliability of <b>{reliability}</b>.",
        values,
        for_raters(one.agreement.scope),
    )
    return [now, _verdict(one, prices, values)]


def at_a_glance(one: SoFar) -> Finding:
    """What is known by now, and how many ratings would be enough; without prices."""
    now = finding(one, FREE)[0]
    if not one.defined or not isfinite(one.enough_at):
        return now
    told, values = now.headline
    headline = (
        told
        + " It takes {half_at} of them for ±\u00a0{wanted}, {reliable_at} for a reliability of {reliable}.",
        {**values, "half_at": count(one.for_half), "reliable_at": count(one.for_reliability)},
    )
    return replace(now, headline=headline)


def _verdict(one: SoFar, prices: Prices, values: dict[str, object]) -> Finding:
    enough, scope = one.enough_at, for_raters(one.agreement.scope)
    if not isfinite(enough):
        return uncertain(
            "Items do not differ more than chance would have it, so that no number of ratings makes their means "
            "reliable.",
            values,
            scope,
        )
    half, reliability = one.half_with_ends(one.ratings), one.reliability_now
    at = {"enough": count(enough), "half_at": count(one.for_half), "reliable_at": count(one.for_reliability)}
    if one.ratings >= enough:
        return clear_if(
            half.high <= one.half and reliability.low >= one.reliability,
            "<b>That is enough</b>: it takes {half_at} ratings per item for ±\u00a0{wanted}, {reliable_at} for a "
            "reliability of {reliable}.",
            values | at,
            scope,
        )
    more = int(enough) - one.ratings
    ratings = more * one.found.items
    return clear_if(
        reliability.low > 0 and (half.low > one.half or reliability.high < one.reliability),
        "<b>Not yet</b>: it takes {half_at} ratings per item for ±\u00a0{wanted}, {reliable_at} for a reliability of "
        "{reliable}. That is {more} more for each item: {all_more} for {price}.",
        values
        | at
        | {
            "more": count(more),
            "all_more": of_many(ratings, "ratings"),
            "price": money(ratings * prices.costs.rating, prices.currency),
        },
        scope,
    )


def table(every: Sequence[SoFar]) -> Shown:
    """Each measure: what is known now, and at how many ratings it is enough."""
    rows = pd.DataFrame(
        {
            "Measure": [one.measure for one in every],
            "Ratings per item": [one.found.ratings_per_item for one in every],
            "Half of the interval": [
                one.half_at(one.ratings) if one.defined else float("nan") for one in every
            ],
            "Mean of ratings": [one.reliability_now.value for one in every],
            "Enough at": [one.enough_at for one in every],
            "For the interval": [one.for_half for one in every],
            "For the reliability": [one.for_reliability for one in every],
        }
    )
    whole = dict.fromkeys(("Enough at", "For the interval"), _written)
    needed = [ratings_needed(one.agreement, one.reliability) for one in every]
    return rows, whole | {
        "Ratings per item": lambda value: decimal(value, 1),
        "Half of the interval": decimal,
        "Mean of ratings": [decimal_with_interval(one.reliability_now) for one in every],
        "For the reliability": [
            _written(one.for_reliability) + ("" if counts(e) == "–" else f" ({counts(e)})")
            for one, e in zip(every, needed, strict=True)
        ],
    }


def _written(value: float) -> str:
    return count(value) if isfinite(value) else "–"


def more_table(one: SoFar, prices: Prices) -> Shown:
    """What more ratings would buy."""
    numbers = sorted(
        {one.ratings, *(one.ratings + step for step in (1, 2, 4, 8)), 2 * one.ratings} | _target(one)
    )
    rows = pd.DataFrame(
        {
            "Ratings per item": numbers,
            "Half of the interval": [one.half_at(r) for r in numbers],
            "Mean of ratings": [stepped_up(Estimate(one.agreement.one.value), r).value for r in numbers],
            "More ratings": [(r - one.ratings) * one.found.items for r in numbers],
            "Price": [(r - one.ratings) * one.found.items * prices.costs.rating for r in numbers],
        }
    )
    return rows, {
        "Half of the interval": lambda value: decimal(value, 3),
        "Mean of ratings": decimal,
        "More ratings": count,
        "Price": lambda value: money(value, prices.currency),
    }


def _target(one: SoFar) -> set[int]:
    return {int(one.enough_at)} if isfinite(one.enough_at) and one.enough_at > one.ratings else set()


def curve(one: SoFar) -> dict[int, tuple[tuple[int, ...], tuple[Estimate, ...]]]:
    """The half-width of a MOS along the ratings of an item, past those at hand."""
    most = max([2 * one.ratings, 10, *_target(one)])
    x = items_along(most, one.ratings, fewest=2, points=24)
    return {0: (x, tuple(one.half_with_ends(r) for r in x))}


def highest(one: SoFar) -> float | None:
    """Where the picture ends."""
    now = one.half_at(one.ratings)
    return None if isnan(now) else 3 * max(now, one.half)
