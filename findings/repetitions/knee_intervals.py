"""The knees' intervals: resampled studies of the open study, cached.

Resampled studies do not depend on the number of shuffles, so a step of the slider reads them again but draws
none.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analysis.repetitions.fitted_curves import FittedCurves
from analysis.repetitions.knee_intervals import knee_interval
from analysis.repetitions.resampled_ratings import resampled_curves
from features.item_variance import candidate_ratings, has_many_items
from features.results import LARGEST_BOOTSTRAP, cached, long_result, part, ratings, result
from features.study import Study
from findings.repetitions.knee_table import SHUFFLES, Intervals, varies_raters
from findings.repetitions.rating_curves import (
    curves_key,
    reference_values,
)
from findings.repetitions.settings import Settings

Draws = Sequence[NDArray[np.float64]]


def known(study: Study, chosen: Settings, fitted: Sequence[FittedCurves]) -> Intervals:
    """The intervals if their draws are there already."""
    draws = cached(_key(study, chosen))
    return None if draws is None else _read(study, chosen, fitted, draws)


def intervals(study: Study, chosen: Settings, fitted: Sequence[FittedCurves]) -> Intervals:
    """The intervals, drawn under a progress line where need be; None while that is stopped."""
    bare = replace(chosen.spec, shuffles=0)

    def compute(on_progress: Callable[[float], object]) -> Draws:
        return tuple(
            resampled_curves(
                candidate_ratings(study, measure),
                _reference(study, measure),
                bare,
                chosen.bootstrap,
                SHUFFLES,
                varies_raters(study, chosen.scope),
                on_progress=part(on_progress, at, len(study.measures)),
            )
            for at, measure in enumerate(study.measures)
        )

    draws = long_result(_key(study, chosen), "Intervals of the knees", compute)
    return None if draws is None else _read(study, chosen, fitted, draws)


def _key(study: Study, chosen: Settings) -> str:
    varies = varies_raters(study, chosen.scope)
    return curves_key(study, "resampled", replace(chosen.spec, shuffles=0), chosen.bootstrap, varies)


def _read(study: Study, chosen: Settings, fitted: Sequence[FittedCurves], draws: Draws) -> Intervals:
    return result(
        curves_key(
            study,
            "knee intervals",
            chosen.spec,
            chosen.sensitivity,
            chosen.bootstrap,
            varies_raters(study, chosen.scope),
        ),
        lambda: tuple(
            knee_interval(
                one.curves, drawn, chosen.sensitivity, chosen.bootstrap.level, fitted=one.saturation
            )
            for one, drawn in zip(fitted, draws, strict=True)
        ),
    )


def _reference(study: Study, measure: str) -> Any:
    """The reference group's own ratings, whose raters are drawn too; else its values, or None."""
    if study.reference is None:
        return reference_values(study, measure)
    chosen: dict[str, Any] = {}
    if has_many_items(study, measure, study.reference):
        chosen = {"max_items": LARGEST_BOOTSTRAP, "seed": 0, "shared_with": study.candidate}
    return ratings(study.dataset, measure, study.reference, **chosen)
