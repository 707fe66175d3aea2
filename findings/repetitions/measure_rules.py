"""How many ratings per item are enough by rules that do not move with the number collected, measure by measure."""

from collections.abc import Sequence

import numpy as np

from analysis.repetitions import attenuation
from analysis.repetitions.fitted_curves import FittedCurves
from analysis.repetitions.stopping import Systems, nested, stops
from analysis.values.ratings import Ratings
from analysis.values.scope import Scope
from features.item_variance import candidate_ratings, one_way_intervals_of, one_way_of
from features.rater_agreement import of_group
from features.results import key_of, query, result
from features.study import Study
from findings.repetitions.knee_table import Intervals
from findings.repetitions.needed import Reliability
from findings.repetitions.rating_curves import curves_key
from findings.repetitions.settings import Settings
from findings.repetitions.stopping_rules import MeasureRules


def measure_rules(
    study: Study,
    chosen: Settings,
    fitted: Sequence[FittedCurves],
    intervals: Intervals,
) -> tuple[MeasureRules, ...]:
    """Limits, rules and (where they are known) intervals of all measures."""

    enough = chosen.enough

    def compute() -> tuple[MeasureRules, ...]:
        limits = attenuation.fit_all([one.curves for one in fitted])
        made = []
        for at, (one, limit) in enumerate(zip(fitted, limits, strict=True)):
            rated = candidate_ratings(study, one.measure)
            components = one_way_of(study, one.measure)
            scale = float(np.ptp(rated.score)) if len(rated) else 0.0
            found = of_group(study, one.measure, study.candidate, chosen.scope)
            systems = _systems(study, one.measure, rated)
            rules = stops(limit, components, enough.spec(scale), systems, found.one)
            made.append(
                MeasureRules(
                    one,
                    limit,
                    components,
                    rules,
                    None if intervals is None else intervals[at],
                    one_way_intervals_of(study, one.measure),
                    scale,
                    found,
                )
            )
        return tuple(made)

    drawn = None if intervals is None else intervals[0].draws
    return result(
        curves_key(study, "sure", chosen.spec, chosen.sensitivity, enough, drawn, chosen.scope), compute
    )


def reliabilities(study: Study, scope: Scope | None = None) -> tuple[Reliability, ...]:
    """Return the reliability of one rating on each chosen measure, as Agreement has it, in a scope or its default."""
    return tuple(
        Reliability(measure, of_group(study, measure, study.candidate, scope)) for measure in study.measures
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
