"""How many ratings per item are enough by rules that do not move with the number collected."""

from collections.abc import Sequence
from functools import partial

import numpy as np
import streamlit as st

from analysis.agreement.reliability import OneWay, one_way
from analysis.repetitions import attenuation
from analysis.repetitions.fitted_curves import FittedCurves
from analysis.repetitions.stopping import Systems, nested, stops
from analysis.values.ratings import Ratings
from findings.repetitions.knee_table import Intervals
from findings.repetitions.stopping_rules import WHY_RULES, Enough, MeasureRules, rules_table, unanswered
from findings.study import Study
from panels.parts.shelf import key_of, result
from panels.parts.store import query
from panels.parts.tables import show_table
from panels.parts.words import note, warn
from panels.repetitions.rating_curves import candidate_ratings, curves_key
from panels.repetitions.settings import Settings


def show(study: Study, chosen: Settings, fitted: Sequence[FittedCurves], intervals: Intervals) -> None:
    """Draws how many ratings per item are enough by each rule."""
    note(WHY_RULES)
    enough = _controls(study)
    by_measure = measure_rules(study, chosen, fitted, intervals, enough)
    show_table(
        *rules_table(by_measure, enough),
        alt="Ratings per item that are enough by each rule, per measure",
    )
    for reason in unanswered(by_measure):
        warn(*reason)


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


def measure_rules(
    study: Study,
    chosen: Settings,
    fitted: Sequence[FittedCurves],
    intervals: Intervals,
    enough: Enough,
) -> tuple[MeasureRules, ...]:
    """Limits, rules and (where they are known) intervals of all measures."""

    def compute() -> tuple[MeasureRules, ...]:
        limits = attenuation.fit_all([one.curves for one in fitted])
        made = []
        for at, (one, limit) in enumerate(zip(fitted, limits, strict=True)):
            rated = candidate_ratings(study, one.measure)
            components = _components(study, one.measure)
            scale = float(np.ptp(rated.score)) if len(rated) else 0.0
            rules = stops(limit, components, enough.spec(scale), _systems(study, one.measure, rated))
            made.append(
                MeasureRules(one, limit, components, rules, None if intervals is None else intervals[at])
            )
        return tuple(made)

    drawn = None if intervals is None else intervals[0].draws
    return result(curves_key(study, "sure", chosen.spec, chosen.sensitivity, enough, drawn), compute)


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
