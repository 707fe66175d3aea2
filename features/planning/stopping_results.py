"""Precision and reliability of the ratings so far, and the ratings per item that would be enough."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import isfinite, isnan, nan, sqrt

import numpy as np

from analysis.agreement.agreement_summary import AgreementSummary, from_nothing
from analysis.agreement.intraclass import OneWayIntervals, stepped_up
from analysis.agreement.reliability import OneWay
from analysis.items.rating_spread import RatingSpread
from analysis.planning.budget import items_along
from analysis.planning.precision import mos_half_width
from analysis.repetitions.attenuation import ratings_for
from analysis.repetitions.stopping import narrow
from analysis.values.estimate import Estimate, Scope
from features.planning.costs import Prices
from features.planning.power_results import Curves
from features.rater_agreement import of_group
from features.repetitions.variance_results import one_way_intervals_of, one_way_of, score_range, spread_of
from features.study import Study

RELIABLE = 0.8


@dataclass(frozen=True)
class StoppingSpec:
    """What is wanted of the ratings: a half-width of an item's mean, and a reliability.

    `measure` is the one in the headline, "" for the first; `half` None stands for 6 of 100 of the range of its scores.
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

    @property
    def defined(self) -> bool:
        """True where ratings of one item are known to differ, or not to."""
        return not isnan(self.found.sd_within) and self.ratings >= 1

    @property
    def ratings(self) -> int:
        """Ratings of an item, about."""
        return 0 if isnan(self.found.ratings_per_item) else round(self.found.ratings_per_item)

    def half_at(self, ratings: int) -> float:
        """Return the half-width of the interval of an item's mean."""
        variance, degrees = self.spread.of_means
        return float(mos_half_width(ratings, sqrt(variance), degrees=degrees))

    def half_with_ends(self, ratings: int) -> Estimate:
        """Return the same with the uncertainty of the SD that it is based on."""
        half, sd = self.half_at(ratings), self.intervals.sd_within
        low, high = (half * end / sd.value if end >= 0 and sd.value > 0 else nan for end in (sd.low, sd.high))
        return Estimate(half, low, high)

    @property
    def reliability_now(self) -> Estimate:
        """Reliability of the mean of an item's ratings."""
        return from_nothing(stepped_up(self.agreement.one, self.found.ratings_per_item))

    def reliability_at(self, ratings: int) -> float:
        """Return the reliability of the mean of so many ratings."""
        return stepped_up(Estimate(self.agreement.one.value), ratings).value

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

    @property
    def numbers(self) -> list[int]:
        """Ratings per item at which it is worth knowing what further ratings would buy."""
        return sorted({self.ratings + step for step in (0, 1, 2, 4, 8)} | {2 * self.ratings} | self._target)

    @property
    def _target(self) -> set[int]:
        return {int(self.enough_at)} if isfinite(self.enough_at) and self.enough_at > self.ratings else set()

    def curves(self) -> Curves:
        """Return the half-width along the ratings of an item, past those at hand."""
        x = items_along(max([2 * self.ratings, 10, *self._target]), self.ratings, fewest=2, points=24)
        return {0: (x, tuple(self.half_with_ends(r) for r in x))}

    @property
    def highest(self) -> float | None:
        """End of the figure's axis: intervals of two or three ratings are many times as wide."""
        now = self.half_at(self.ratings)
        return None if isnan(now) else 3 * max(now, self.half)


@dataclass(frozen=True)
class StoppingFound:
    """Every measure's ratings so far, and the measure of the headline."""

    spec: StoppingSpec
    chosen: SoFar
    every: Sequence[SoFar]


def usual_half(study: Study, measure: str) -> float:
    """Return a half-width that many ask for: 6 of 100 of the range of the scores."""
    return 0.06 * score_range(study, measure)


def check_enough(study: Study, spec: StoppingSpec) -> StoppingFound:
    """Compare the ratings so far with the precision and the reliability that are wanted.

    Parameters
    ----------
    study : study of ratings
    spec : what is wanted

    Returns
    -------
    StoppingFound
        each measure's precision, reliability, and the ratings per item that are enough.
    """
    measure = spec.measure or study.measures[0]
    half = usual_half(study, measure) if spec.half is None else spec.half
    every = [_so_far(study, each, half, spec) for each in study.measures]
    return StoppingFound(spec, every[study.measures.index(measure)], every)


def _so_far(study: Study, measure: str, half: float, spec: StoppingSpec) -> SoFar:
    return SoFar(
        measure,
        one_way_of(study, measure),
        one_way_intervals_of(study, measure),
        spread_of(study, measure),
        of_group(study, measure, study.candidate, spec.scope),
        half,
        spec.reliability,
    )
