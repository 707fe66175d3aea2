"""Results beyond the curves: stopping rules, both models, other aggregations, unreliable raters, times; cached."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from analysis.agreement.agreement_summary import AgreementSummary
from analysis.agreement.intraclass import OneWayIntervals
from analysis.agreement.reliability import OneWay
from analysis.repetitions import attenuation as attenuation_module
from analysis.repetitions.attenuation import Attenuation
from analysis.repetitions.cost import Sensitivity, Times, repeated, sensitivity, times_of
from analysis.repetitions.knee import FittedCurves, KneeInterval
from analysis.repetitions.rating_orders import AGGREGATIONS, BY_ITEM, Aggregation
from analysis.repetitions.repetition import simulate
from analysis.repetitions.saturation import mean_and_number
from analysis.repetitions.stopping import Stop, StoppingSpec, Systems, nested, stops
from analysis.values.ratings import Ratings
from features.assessments import of_group
from features.repetitions.ratings_results import (
    TARGET,
    RatingsSpec,
    Repetitions,
    candidate_ratings,
    curves_key,
    one_way_intervals_of,
    one_way_of,
    reference_values,
)
from features.results import OnProgress, in_parts, key_of, query, read, result
from features.study import Study

FEWER_SHUFFLES = 50
"""Shuffles of figures without bands: a mean over so many moves by less than the width of a line."""
MeanCurves = Mapping[str, Mapping[Aggregation, NDArray[np.float64]]]
"""measure -> aggregation -> mean curve over orders (m,)."""


@dataclass(frozen=True)
class Enough:
    """Thresholds of the stopping rules, widths and distances as shares of the scale."""

    share: float = 0.95
    gain: float = 0.005
    reliability: float = TARGET
    width: float = 0.25
    distance: float = 0.1
    power: float = 0.8

    def spec(self, scale: float) -> StoppingSpec:
        """Return the same in points of a scale; a measure whose scores are all equal has none."""
        return StoppingSpec(
            share=self.share,
            gain=self.gain,
            reliability=self.reliability,
            width=self.width * scale if scale > 0 else None,
            distance=self.distance * scale if scale > 0 else None,
            power=self.power,
        )


@dataclass(frozen=True)
class MeasureRules:
    """One measure with the limit of its curve, its stopping rules, and the intervals that are known."""

    fitted: FittedCurves
    attenuation: Attenuation
    components: OneWay
    stops: tuple[Stop, ...]
    interval: KneeInterval | None
    of_components: OneWayIntervals
    agreement: AgreementSummary
    scale: float = 0.0


def measure_rules(
    study: Study, spec: RatingsSpec, found: Repetitions, enough: Enough
) -> tuple[MeasureRules, ...]:
    """Return limits and stopping rules of all measures."""

    def of_measure(one: FittedCurves, limit: Attenuation, interval: KneeInterval | None) -> MeasureRules:
        rated, components = candidate_ratings(study, one.measure), one_way_of(study, one.measure)
        scale = float(np.ptp(rated.score)) if len(rated) else 0.0
        agreement = of_group(study, one.measure, study.candidate, spec.scope)
        systems = _systems(study, one.measure, rated)
        rules = stops(limit, components, enough.spec(scale), systems, agreement.one)
        intervals = one_way_intervals_of(study, one.measure)
        return MeasureRules(one, limit, components, rules, interval, intervals, agreement, scale)

    def compute() -> tuple[MeasureRules, ...]:
        limits = attenuation_module.fit_all([one.curves for one in found.fitted])
        return tuple(map(of_measure, found.fitted, limits, found.intervals or (None,) * len(limits)))

    drawn = None if found.intervals is None else found.intervals[0].draws
    return result(curves_key(study, "stopping rules", spec, enough, drawn), compute)


def _systems(study: Study, measure: str, rated: Ratings) -> Systems | None:
    if not study.dataset.has("system"):
        return None
    rows = query(study.dataset, "systems")
    systems = dict(zip(rows["item"].tolist(), rows["system"].tolist(), strict=True))
    return result(
        key_of(study.dataset, "nested", measure, study.candidate, study.reference),
        lambda: nested(rated, systems),
    )


def aggregated_curves(study: Study, spec: RatingsSpec) -> MeanCurves | None:
    """Return the mean curve of each measure under every aggregation; None while stopped."""
    fewer = replace(spec.curves, shuffles=min(FEWER_SHUFFLES, spec.curves.shuffles), aggregation="mean")
    kinds = AGGREGATIONS if study.raters_are_persons else BY_ITEM

    def mean_of(one: tuple[str, Aggregation], _: OnProgress) -> NDArray[np.float64]:
        measure, kind = one
        rated, known = candidate_ratings(study, measure), reference_values(study, measure)
        return mean_and_number(simulate(rated, known, replace(fewer, aggregation=kind)).points)[0]

    every = [(measure, kind) for measure in study.measures for kind in kinds]
    key = curves_key(study, "aggregations", fewer)
    if (means := in_parts(key, "Other aggregations", every, mean_of)) is None:
        return None
    found = dict(zip(every, means, strict=True))
    return {measure: {kind: found[measure, kind] for kind in kinds} for measure in study.measures}


def rater_sensitivities(study: Study, spec: RatingsSpec) -> tuple[Sensitivity, ...] | None:
    """Return each measure's curves with and without its least reliable raters; None while stopped."""
    fewer = replace(spec.curves, shuffles=min(FEWER_SHUFFLES, spec.curves.shuffles))

    def of_measure(measure: str, _: OnProgress) -> Sensitivity:
        return sensitivity(candidate_ratings(study, measure), reference_values(study, measure), fewer)

    key = curves_key(study, "sensitivity", fewer)
    return in_parts(key, "Without unreliable raters", study.measures, of_measure)


def times_of_ratings(study: Study) -> Times:
    """Return the times of the candidate's ratings."""
    if not study.dataset.has("seconds"):
        return Times()

    def compute() -> Times:
        every = [
            read(study.dataset, "ratings", measure=measure, group=study.candidate)
            for measure in study.measures
        ]
        cells = [np.column_stack([rows["rater"], rows["item"], rows["seconds"]]) for rows in every]
        times = times_of(every[0]["rater"], every[0]["seconds"], repeated(np.vstack(cells)))
        return times.settled() if "@seconds" in study.dataset.mapping else times

    return result(key_of(study.dataset, "times", study.measures, study.candidate), compute)
