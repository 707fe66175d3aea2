"""How many ratings per item are enough by each rule, and how well both models of a curve describe it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import pandas as pd

from analysis.agreement.agreement_summary import AgreementSummary
from analysis.agreement.one_way_intervals import OneWayIntervals
from analysis.agreement.reliability import OneWay
from analysis.repetitions.attenuation import Attenuation
from analysis.repetitions.fitted_curves import FittedCurves
from analysis.repetitions.knee_intervals import KneeInterval
from analysis.repetitions.ratings_needed import ratings_needed
from analysis.repetitions.stopping import (
    ON_COMPONENTS,
    ON_THE_CURVE,
    Rule,
    Stop,
    StoppingSpec,
    interval_of,
    interval_of_components,
)
from analysis.values.estimate import Estimate
from features.plotting.numbers import counts, decimal, share
from features.tables import Shown
from features.words import Sentence, listed

RULES: dict[Rule, str] = {
    "share of the limit": "{share} of the limit",
    "gain of one more": "Gain under {gain}",
    "reliability": "Reliability {reliability}",
    "width of the interval": "Interval under {width}",
    "systems told apart": "Systems {distance} apart",
}
WHY_RULES = (
    "The knee moves with how many ratings were collected. These rules do not: they rest on the limit of the "
    "attenuation curve and on how far ratings of an item differ. Their intervals are of whole numbers, and held in 95 "
    "to 99 of 100 simulated studies."
)


@dataclass(frozen=True)
class Enough:
    """What counts as enough, widths and distances as shares of the scale."""

    share: float = 0.95
    gain: float = 0.005
    reliability: float = 0.8
    width: float = 0.25
    distance: float = 0.1
    power: float = 0.8

    def spec(self, scale: float) -> StoppingSpec:
        """The same in points of a scale; a measure whose scores are all equal has none."""
        return StoppingSpec(
            share=self.share,
            gain=self.gain,
            reliability=self.reliability,
            width=self.width * scale if scale > 0 else None,
            distance=self.distance * scale if scale > 0 else None,
            power=self.power,
        )

    def named(self, rule: Rule) -> str:
        """The rule as a column's head."""
        return RULES[rule].format(
            share=share(self.share),
            gain=f"{self.gain:g}",
            reliability=decimal(self.reliability),
            width=share(self.width),
            distance=share(self.distance),
        )


@dataclass(frozen=True)
class MeasureRules:
    """One measure: its limit, its stopping rules, and what intervals of both are known."""

    fitted: FittedCurves
    attenuation: Attenuation
    components: OneWay
    stops: tuple[Stop, ...]
    interval: KneeInterval | None
    of_components: OneWayIntervals | None = None
    scale: float = 0.0
    agreement: AgreementSummary | None = None

    @property
    def one(self) -> Estimate:
        """Reliability of one rating."""
        return Estimate(self.components.icc) if self.agreement is None else self.agreement.one


def rules_table(by_measure: Sequence[MeasureRules], enough: Enough) -> Shown:
    """Ratings per item that each rule asks for, beside the knee; rules on the curve with their interval."""
    rows = []
    for one in by_measure:
        row: dict[str, object] = {"Measure": one.fitted.measure, "Knee": one.fitted.knee}
        row |= {enough.named(stop.rule): stop.ratings for stop in one.stops}
        if one.interval is not None:
            limits, halves = one.interval.rho_inf, one.interval.ratings_for_half
            row |= {
                f"{enough.named(stop.rule)}, from – to": counts(
                    interval_of(stop, limits, halves, enough.spec(scale=0))
                )
                for stop in one.stops
                if stop.rule in ON_THE_CURVE
            }
        if one.of_components is not None:
            row |= {
                f"{enough.named(stop.rule)}, from – to": counts(
                    interval_of_components(
                        stop, one.of_components, enough.spec(one.scale), one.components.degrees
                    )
                )
                for stop in one.stops
                if stop.rule in ON_COMPONENTS
            }
        if one.agreement is not None:
            needed = ratings_needed(one.agreement, enough.reliability)
            row[f"{enough.named('reliability')}, from – to"] = counts(needed)
        rows.append(row)
    table = pd.DataFrame(rows)
    whole = ["Knee", *(enough.named(stop.rule) for stop in by_measure[0].stops)]
    return table.astype(dict.fromkeys(whole, "Int64")), {}


def unanswered(by_measure: Sequence[MeasureRules]) -> list[Sentence]:
    """Why a rule has no answer, and for which measures."""
    measures: dict[str, list[str]] = {}
    for one in by_measure:
        for reason in dict.fromkeys(stop.reason for stop in one.stops if stop.ratings is None):
            measures.setdefault(reason, []).append(one.fitted.measure)
    return [
        ("{where}: {reason}.", {"where": listed(where), "reason": reason})
        for reason, where in measures.items()
    ]


def model_table(by_measure: Sequence[MeasureRules]) -> Shown:
    """The attenuation curve, and how well both models describe the measured order."""
    rows = [
        {
            "Measure": one.fitted.measure,
            "Limit ρ∞": one.attenuation.rho_inf,
            "λ": one.attenuation.ratings_for_half,
            "R² exponential": one.fitted.saturation.r_squared_measured,
            "R² attenuation": one.attenuation.r_squared_measured,
            "Reliability of one (ICC)": one.one.value,
        }
        for one in by_measure
    ]
    return pd.DataFrame(rows), _MODEL_WRITTEN


_MODEL_WRITTEN: Mapping[str, Callable[[float], str]] = {
    **dict.fromkeys(("R² exponential", "R² attenuation", "λ"), decimal),
    **dict.fromkeys(("Limit ρ∞", "Reliability of one (ICC)"), partial(decimal, digits=3)),
}
