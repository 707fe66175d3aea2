"""The knees' intervals: resampled studies of the open study, and the table of Table 2 with what they add.

Resampled studies do not depend on the number of shuffles, so a step of the slider reads them again but draws
none.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analysis.repetitions.knee_intervals import KneeInterval, knee_interval
from analysis.repetitions.repetition import RepetitionSpec
from analysis.repetitions.resampled_ratings import resampled_curves
from analysis.values.estimate import BootstrapSpec
from charts.parts.numbers import interval, share
from findings.study import Study
from findings.words import Sentence
from panels.parts.progress import long_result
from panels.parts.shelf import result, shelved
from panels.parts.store import LARGEST_BOOTSTRAP, ratings
from panels.repetitions import curves
from panels.repetitions.curves import Fitted, candidate_ratings, curves_key, reference_values

SHUFFLES = 20
"""Shuffles in each draw (methods, section 0)."""
PENDING = "…"

Intervals = Sequence[KneeInterval] | None
"""One per measure, None while they are not known."""

WRITTEN: dict[str, Callable[[float], str]] = curves.WRITTEN | {"Without a knee": share}


def known(
    study: Study, found: Sequence[Fitted], spec: RepetitionSpec, sensitivity: float, bootstrap: BootstrapSpec
) -> Intervals:
    """The intervals if their draws are there already."""
    draws = shelved(_key(study, spec, bootstrap))
    return None if draws is None else _read(study, found, spec, sensitivity, bootstrap, draws)


def intervals(
    study: Study, found: Sequence[Fitted], spec: RepetitionSpec, sensitivity: float, bootstrap: BootstrapSpec
) -> Intervals:
    """The intervals, drawn under a progress line where need be; None while that is stopped."""
    bare = replace(spec, shuffles=0)

    def compute(on_progress: Callable[[float], object]) -> tuple[NDArray[np.float64], ...]:
        total = len(study.measures)
        drawn = []
        for at, measure in enumerate(study.measures):
            drawn.append(
                resampled_curves(
                    candidate_ratings(study, measure),
                    _reference(study, measure),
                    bare,
                    bootstrap,
                    SHUFFLES,
                    raters_are_persons=study.raters_are_persons,
                    on_progress=lambda done, at=at: on_progress((at + done) / total),
                )
            )
        return tuple(drawn)

    draws = long_result(_key(study, spec, bootstrap), "Intervals of the knees", compute)
    return None if draws is None else _read(study, found, spec, sensitivity, bootstrap, draws)


def _key(study: Study, spec: RepetitionSpec, bootstrap: BootstrapSpec) -> str:
    return curves_key(study, "resampled", replace(spec, shuffles=0), bootstrap)


def _read(
    study: Study,
    found: Sequence[Fitted],
    spec: RepetitionSpec,
    sensitivity: float,
    bootstrap: BootstrapSpec,
    draws: Sequence[NDArray[np.float64]],
) -> tuple[KneeInterval, ...]:
    return result(
        curves_key(study, "knee intervals", spec, sensitivity, bootstrap),
        lambda: tuple(
            knee_interval(one.curves, drawn, sensitivity, bootstrap.level)
            for one, drawn in zip(found, draws, strict=True)
        ),
    )


def _reference(study: Study, measure: str) -> Any:
    """The reference group's own ratings, whose raters are drawn too; else its values, or None."""
    if study.reference is None:
        return reference_values(study, measure)
    chosen: dict[str, Any] = {}
    if len(reference_values(study, measure) or {}) > LARGEST_BOOTSTRAP:
        chosen = {"max_items": LARGEST_BOOTSTRAP, "seed": 0, "shared_with": study.candidate}
    return ratings(study.dataset, measure, study.reference, **chosen)


def shown_table(found: Sequence[Fitted], intervals: Intervals) -> pd.DataFrame:
    """The fitted curves with each knee's interval and how often there was none."""
    table = curves.shown_table(found)
    after = list(table).index("Knee") + 1
    table.insert(
        after,
        "Knee, 95 %",
        PENDING if intervals is None else [interval(one.knee, 0) for one in intervals],
    )
    without = np.nan if intervals is None else [one.without_knee for one in intervals]
    table.insert(after + 1, "Without a knee", without)
    return table


def full_table(found: Sequence[Fitted], intervals: Intervals) -> pd.DataFrame:
    """The same to take away: R² of every shuffle, the interval's ends as numbers."""
    table = curves.table(found)
    if intervals is None:
        return table
    after = list(table).index("Knee") + 1
    for at, (name, values) in enumerate(
        {
            "Knee low": [one.knee.low for one in intervals],
            "Knee high": [one.knee.high for one in intervals],
            "Draws without a knee": [one.without_knee for one in intervals],
        }.items()
    ):
        table.insert(after + at, name, values)
    return table


def how_drawn(study: Study, bootstrap: BootstrapSpec) -> Sentence:
    """What the intervals rest on."""
    return (
        "Knee, 95 %: from {draws} draws of {what}, each with {shuffles} shuffles and everything fitted again; seed "
        "{seed}. R² is that of the one fitted curve for each order.",
        {"draws": bootstrap.draws, "what": _drawn(study), "shuffles": SHUFFLES, "seed": bootstrap.seed},
    )


def _drawn(study: Study) -> str:
    if study.reference is None and study.reference_column is None:
        return "items (a rater drawn twice would stand in both halves)"
    if not study.raters_are_persons:
        return "items only, since raters are slots and not persons"
    return "items and raters" + (" of both groups" if study.reference is not None else "")
