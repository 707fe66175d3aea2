"""How sure the knees are and what other rules say: intervals, limits and stopping rules of the Repetitions page."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from math import nan
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st
from numpy.typing import NDArray

from analysis.agreement.reliability import OneWay, one_way
from analysis.repetitions import attenuation
from analysis.repetitions.attenuation import Attenuation
from analysis.repetitions.knee import knees_by_repetitions
from analysis.repetitions.knee_intervals import KneeInterval
from analysis.repetitions.repetition import RepetitionSpec
from analysis.repetitions.stopping import (
    Rule,
    Stop,
    StoppingSpec,
    Systems,
    nested,
    small_gain,
    stops,
    within_share,
)
from analysis.values.estimate import Estimate
from analysis.values.ratings import Ratings
from charts.parts.numbers import decimal, interval, share
from charts.parts.theme import group_colour
from charts.repetitions import stopping as charts
from findings.study import Study
from findings.words import listed
from panels.parts.pictures import draw, look
from panels.parts.shelf import key_of, result
from panels.parts.store import query
from panels.parts.tables import show_table
from panels.parts.words import note, say, warn
from panels.repetitions.curves import Fitted, candidate_ratings, curves_key
from panels.repetitions.knee_intervals import Intervals

RULES: dict[Rule, str] = {
    "share of the limit": "{share} of the limit",
    "gain of one more": "Gain under {gain}",
    "reliability": "Reliability {reliability}",
    "width of the interval": "Interval under {width}",
    "systems told apart": "Systems {distance} apart",
}
ON_THE_CURVE: tuple[Rule, ...] = ("share of the limit", "gain of one more")
"""Rules whose answers have an interval: that of the curve they rest on."""


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
class Sure:
    """One measure: its limit, its stopping rules, and the knee's interval where it is known."""

    fitted: Fitted
    attenuation: Attenuation
    components: OneWay
    stops: tuple[Stop, ...]
    interval: KneeInterval | None


def show_rules(
    study: Study, found: Sequence[Fitted], spec: RepetitionSpec, sensitivity: float, intervals: Intervals
) -> None:
    """Draws how many ratings per item are enough by each rule."""
    note(
        "The knee moves with how many ratings were collected. These rules do not: they rest on the limit of the "
        "attenuation curve and on how far ratings of an item differ."
    )
    enough = _controls(study)
    known = sure(study, found, spec, sensitivity, enough, intervals)
    table, written = rules_table(known, enough)
    show_table(table, written, alt="Ratings per item that are enough by each rule, per measure")
    for reason, where in reasons(known).items():
        warn("{where}: {reason}.", where=listed(where), reason=reason)


def show_models(
    study: Study,
    found: Sequence[Fitted],
    spec: RepetitionSpec,
    sensitivity: float,
    intervals: Intervals,
    correlation: str,
) -> None:
    """Draws both models past the ratings collected, and the knee against their number."""
    known = sure(study, found, spec, sensitivity, Enough(), intervals)
    _detail(study, known, correlation, sensitivity)
    show_table(model_table(known), MODEL_WRITTEN, alt="Limit, and fit of both models, per measure")


def _controls(study: Study) -> Enough:
    with st.popover("What counts as enough"):
        percent = partial(st.slider, bind="query-params", format="%d %%")
        limit = percent("Share of the limiting correlation", 50, 99, 95, key="share")
        gain = st.number_input(
            "Smallest gain of one more rating",
            0.0001,
            0.1,
            0.005,
            0.001,
            "%.4f",
            key="gain",
            bind="query-params",
        )
        reliability = st.slider(
            "Reliability of an item's mean", 0.5, 0.99, 0.8, 0.01, key="reliability", bind="query-params"
        )
        width = percent("Width of an item's 95 % interval, as share of the scale", 5, 100, 25, key="width")
        distance, power = 10, 80
        if study.dataset.has("system"):
            distance = percent("Distance of two systems, as share of the scale", 1, 50, 10, key="distance")
            power = percent("Chance to tell them apart", 50, 99, 80, key="power")
    return Enough(limit / 100, float(gain), float(reliability), width / 100, distance / 100, power / 100)


def sure(
    study: Study,
    found: Sequence[Fitted],
    spec: RepetitionSpec,
    sensitivity: float,
    enough: Enough,
    intervals: Intervals,
) -> tuple[Sure, ...]:
    """Limits, rules and (where they are known) intervals of all measures."""

    def compute() -> tuple[Sure, ...]:
        limits = attenuation.fit_all([one.curves for one in found])
        made = []
        for at, (one, limit) in enumerate(zip(found, limits, strict=True)):
            rated = candidate_ratings(study, one.measure)
            components = _components(study, one.measure)
            scale = float(np.ptp(rated.score)) if len(rated) else 0.0
            rules = stops(limit, components, enough.spec(scale), _systems(study, one.measure, rated))
            made.append(Sure(one, limit, components, rules, None if intervals is None else intervals[at]))
        return tuple(made)

    drawn = None if intervals is None else intervals[0].draws
    return result(curves_key(study, "sure", spec, sensitivity, enough, drawn), compute)


def _components(study: Study, measure: str) -> OneWay:
    return result(
        key_of(study.dataset, "one-way", measure, study.candidate, study.reference),
        lambda: one_way(candidate_ratings(study, measure)),
    )


def _systems(study: Study, measure: str, rated: Ratings) -> Systems | None:
    if not study.dataset.has("system"):
        return None
    rows = query(study.dataset, "systems")
    systems = dict(zip(rows["item"].tolist(), rows["system"].tolist(), strict=True))
    return result(
        key_of(study.dataset, "nested", measure, study.candidate, study.reference),
        lambda: nested(rated, systems),
    )


def rules_table(known: Sequence[Sure], enough: Enough) -> tuple[pd.DataFrame, dict[str, Any]]:
    """Ratings per item that each rule asks for, beside the knee; rules on the curve with their interval."""
    rows = []
    for one in known:
        row: dict[str, Any] = {"Measure": one.fitted.measure, "Knee": one.fitted.knee}
        row |= {enough.named(stop.rule): stop.ratings for stop in one.stops}
        if one.interval is not None:
            row |= {
                f"{enough.named(stop.rule)}, from – to": interval(
                    Estimate(0.0, *rule_interval(one, stop, enough)), 0
                )
                for stop in one.stops
                if stop.rule in ON_THE_CURVE
            }
        rows.append(row)
    table = pd.DataFrame(rows)
    whole = ["Knee", *(enough.named(stop.rule) for stop in known[0].stops)]
    return table.astype(dict.fromkeys(whole, "Int64")), {}


def rule_interval(one: Sure, stop: Stop, enough: Enough) -> tuple[float, float]:
    """The middle of the draws that answer a rule on the curve, NaN where it has no answer."""
    if one.interval is None or stop.ratings is None:
        return nan, nan
    limit, half = one.interval.rho_inf, one.interval.ratings_for_half
    if stop.rule == "share of the limit":
        drawn = within_share(half, enough.share)
    else:
        drawn = small_gain(limit, half, enough.gain)
    drawn = drawn[np.isfinite(drawn)]
    if not len(drawn):
        return nan, nan
    low, high = np.quantile(drawn, (0.025, 0.975), method="inverted_cdf")
    return float(min(low, stop.ratings)), float(max(high, stop.ratings))


def model_table(known: Sequence[Sure]) -> pd.DataFrame:
    """The attenuation curve, and how well both models describe the measured order."""
    return pd.DataFrame(
        [
            {
                "Measure": one.fitted.measure,
                "Limit ρ∞": one.attenuation.rho_inf,
                "λ": one.attenuation.ratings_for_half,
                "R² exponential": one.fitted.saturation.r_squared_measured,
                "R² attenuation": one.attenuation.r_squared_measured,
                "Reliability of one (ICC)": one.components.icc,
            }
            for one in known
        ]
    )


MODEL_WRITTEN: dict[str, Callable[[float], str]] = {
    **dict.fromkeys(("R² exponential", "R² attenuation", "λ"), decimal),
    **dict.fromkeys(("Limit ρ∞", "Reliability of one (ICC)"), partial(decimal, digits=3)),
}


def reasons(known: Sequence[Sure]) -> dict[str, list[str]]:
    """Why a rule has no answer, and for which measures."""
    told: dict[str, list[str]] = {}
    for one in known:
        for reason in dict.fromkeys(stop.reason for stop in one.stops if stop.ratings is None):
            told.setdefault(reason, []).append(one.fitted.measure)
    return told


def _detail(study: Study, known: Sequence[Sure], correlation: str, sensitivity: float) -> None:
    chosen = st.selectbox(
        "Measure in detail",
        [one.fitted.measure for one in known],
        key="detail",
        bind="query-params",
        width=260,
    )
    one = next(one for one in known if one.fitted.measure == chosen)
    m = one.fitted.curves.repetitions
    if not np.isfinite(one.fitted.curves.points).any():
        say("{measure}: {reason}.", measure=chosen, reason=one.fitted.curves.reason or "there is no curve")
        return
    left, right = st.columns(2, gap="large")
    with left:
        mean = _mean(one.fitted)
        figure = charts.models(
            charts.Models(mean, one.fitted.saturation, one.attenuation, one.interval),
            correlation,
            group_colour(study.candidate, study.groups),
            look(),
        )
        draw(
            st,
            figure,
            key="models",
            alt=f"Mean curve of {chosen} with its interval, the exponential and the attenuation curve",
        )
    with right:
        if not one.fitted.saturation.defined:
            say("No knee to follow: {reason}.", reason=one.fitted.saturation.reason)
            return
        against = knees_by_repetitions(one.fitted.saturation, max(2 * m, 24), sensitivity)
        draw(
            st,
            charts.knees_by_repetitions(against, m, one.fitted.knee, look()),
            key="knee_by_m",
            alt=f"Knee of {chosen} against the number of ratings collected",
        )


def _mean(one: Fitted) -> NDArray[np.float64]:
    points = one.curves.points
    number = np.isfinite(points).sum(axis=0)
    return np.where(number > 0, np.nansum(points, axis=0) / np.maximum(number, 1), np.nan)
