"""Items that can stop early: results and findings."""

from dataclasses import dataclass, field
from functools import partial
from math import floor, isfinite, isnan, nan, sqrt

import numpy as np

from analysis.agreement.agreement_summary import AgreementSummary
from analysis.agreement.intraclass import OneWayIntervals, spearman_brown
from analysis.agreement.reliability import OneWay
from analysis.items.rating_spread import RatingSpread
from analysis.planning.budget import item_grid
from analysis.planning.precision import mos_half_width
from analysis.repetitions.attenuation import ratings_for_reliability
from analysis.repetitions.stopping import ratings_for_width
from analysis.values.estimate import Estimate, Scope
from features.assessments import of_group
from features.blocks import (
    Finding,
    NextStep,
    Note,
    Table,
    clear_if,
    for_raters,
    not_enough_data,
    uncertain,
)
from features.planning.power_results import Curves, Prices
from features.plotting.theme import as_typed, count, decimal, estimate_with_interval
from features.repetitions.ratings_results import one_way_intervals_of, one_way_of, score_span, spread_of
from features.study import Study, digits_of_scores
from features.words import Column, counted, of_many, per_item, table_of

RELIABLE = 0.8


@dataclass(frozen=True)
class StoppingSpec:
    """Precision and reliability that are wanted of the ratings: a half-width of an item's mean, and a reliability.

    `measure` is "" for the first; `half` None stands for 6 of 100 of the range of its scores.
    """

    measure: str = ""
    half: float | None = None
    reliability: float = RELIABLE
    scope: Scope | None = None
    prices: Prices = field(default_factory=Prices)


@dataclass(frozen=True)
class SoFar:
    """One measure's ratings so far, and what is wanted of them."""

    measure: str
    found: OneWay
    intervals: OneWayIntervals
    spread: RatingSpread
    agreement: AgreementSummary
    half: float
    reliability: float
    half_digits: int = 2

    @property
    def defined(self) -> bool:
        """True where ratings of one item are known to differ, or not to."""
        return not isnan(self.found.sd_within) and self.ratings >= 1

    @property
    def ratings(self) -> float:
        """Mean number of ratings of an item so far."""
        return 0.0 if isnan(self.agreement.per_item) else self.agreement.per_item

    def write_half(self, half: float) -> str:
        return decimal(half, self.half_digits)

    def half_at(self, ratings: float) -> float:
        variance, degrees = self.spread.mean_variance
        return float(mos_half_width(ratings, sqrt(variance), degrees=degrees))

    def half_with_ends(self, ratings: float) -> Estimate:
        """Return the same with the uncertainty of the SD that it is based on."""
        half, sd = self.half_at(ratings), self.intervals.sd_within
        low, high = (half * end / sd.value if end >= 0 and sd.value > 0 else nan for end in (sd.low, sd.high))
        return Estimate(half, low, high)

    @property
    def reliability_now(self) -> Estimate:
        """Reliability of the mean of an item's ratings."""
        return self.agreement.mean

    def reliability_at(self, ratings: float) -> float:
        """Return the reliability of the mean of so many ratings, or of those so far, of unequally many."""
        if ratings == self.ratings:
            return self.reliability_now.value
        return spearman_brown(Estimate(self.agreement.one.value), ratings).value

    @property
    def for_half(self) -> float:
        """Ratings per item that are enough for the half-width."""
        variance, degrees = self.spread.mean_variance
        return ratings_for_width(sqrt(variance), 2 * self.half, degrees)

    @property
    def for_reliability(self) -> float:
        """Ratings per item that are enough for the reliability."""
        return ratings_for_reliability(self.agreement.one.value, self.reliability)

    @property
    def enough_at(self) -> float:
        """Ratings per item that are enough for both, NaN where one of them is not known."""
        return float(np.maximum(self.for_half, self.for_reliability))

    @property
    def numbers(self) -> list[float]:
        """Ratings per item at which it is worth knowing what further ratings would buy."""
        whole = floor(self.ratings)
        more = {float(number) for number in (*(whole + step for step in (1, 2, 4, 8)), 2 * whole)}
        return sorted({self.ratings, *(each for each in more if each > self.ratings), *self._target})

    @property
    def _target(self) -> set[float]:
        return (
            {float(self.enough_at)} if isfinite(self.enough_at) and self.enough_at > self.ratings else set()
        )

    def curves(self) -> Curves:
        """Return the half-width along the ratings of an item, past those at hand."""
        most = int(max([2 * self.ratings, 10, *self._target]))
        x = tuple(sorted({*map(float, item_grid(most, fewest=2, points=24)), self.ratings}))
        return {0: (x, tuple(self.half_with_ends(r) for r in x))}

    @property
    def highest(self) -> float | None:
        """End of the figure's axis: intervals of two or three ratings are many times as wide."""
        now = self.half_at(self.ratings)
        return None if isnan(now) else 3 * max(now, self.half)


def usual_half(study: Study, measure: str) -> float:
    """Return a half-width that many ask for: 6 of 100 of the range of the scores."""
    return 0.06 * score_span(study, measure)


def check_enough(study: Study, spec: StoppingSpec) -> SoFar:
    """Compare the ratings so far with the precision and the reliability that are wanted."""
    measure = spec.measure or study.measures[0]
    return SoFar(
        measure,
        one_way_of(study, measure),
        one_way_intervals_of(study, measure),
        spread_of(study, measure),
        of_group(study, measure, study.candidate, spec.scope),
        usual_half(study, measure) if spec.half is None else spec.half,
        spec.reliability,
        digits_of_scores(study, measure),
    )


def stopping_finding(one: SoFar) -> Finding:
    """Return the ratings per item that the precision needs, and whether they are reached."""
    if not one.defined:
        reason = one.found.reason or "no item has two ratings"
        step = NextStep("Plan a pilot", "planning.py", {"plan": "How precise?"})
        headline = "Not enough ratings of {measure} to say how many are enough."
        return not_enough_data(headline, {"measure": one.measure}, reason, next_step=step)
    half, reliability, scope = one.half_with_ends(one.ratings), one.reliability_now, one.agreement.scope
    values = {"half": f"±\u00a0{as_typed(one.half)}", "measure": one.measure}
    line = (
        f"now {per_item(one.ratings)}",
        f"±\u00a0{estimate_with_interval(half, one.write_half)}",
        counted(one.found.items, "item"),
        one.measure,
        _reliability(one),
        "for items compared by the same raters" if one.spread.has_two_raters else "",
        for_raters(scope),
    )
    if not isfinite(one.for_reliability):
        return uncertain("No number of ratings makes means of {measure} reliable.", values, *line)
    if not isfinite(one.for_half):
        return uncertain("No number of ratings reaches a precision of {half}.", values, *line)
    is_enough = one.for_half <= one.ratings
    headline = "A precision of {half} needs <b>{needed}</b> per item."
    return clear_if(
        reliability.low > 0 and (half.high <= one.half if is_enough else half.low > one.half),
        "The ratings so far reach a precision of {half}." if is_enough else headline,
        values | {"needed": of_many(one.for_half, "ratings")},
        f"{count(one.for_half)} needed per item" if is_enough else "",
        *line,
    )


def _reliability(one: SoFar) -> str:
    """Return whether the reliability is reached, and if not, by how many ratings."""
    now, wanted = one.reliability_now, decimal(one.reliability)
    text = f"reliability {estimate_with_interval(now)}"
    if not isfinite(one.for_reliability):
        return f"{text}, items do not differ beyond chance"
    if now.value >= one.reliability:
        return f"{text}, {wanted} is reached"
    return f"{text}, {wanted} needs {count(one.for_reliability)}"


RULE = Note(
    ("Stop on precision, never on a p value: stopping at a small p finds differences that do not exist.", {})
)


def further_table(one: SoFar, prices: Prices) -> Table:
    numbers = one.numbers
    more = [(r - one.ratings) * one.found.items for r in numbers]
    return table_of(
        "further-ratings",
        "Precision and reliability with further ratings per item.",
        [
            Column("Ratings per item", numbers, partial(per_item, unit="")),
            Column(
                "Half-width", [one.half_at(r) for r in numbers], partial(decimal, digits=one.half_digits + 1)
            ),
            Column("Reliability", [one.reliability_at(r) for r in numbers], decimal),
            Column("More ratings", more, count),
            *prices.column([prices.costs.rating * n for n in more]),
        ],
    )
