"""Repetition curves of the open study: from ratings to simulated curves and fits, cached.

Above `LARGEST_BOOTSTRAP` items the curves rest on a seeded sample of them; the page says so.
"""

from dataclasses import dataclass, replace
from math import ceil
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analysis.repetitions.curves import Curves
from analysis.repetitions.fitted_curves import FittedCurves, fit_curves
from analysis.repetitions.rating_orders import reach
from analysis.repetitions.repetition import RepetitionSpec, simulate
from features.item_sums import item_pairs
from features.item_variance import candidate_ratings, is_sampled
from features.results import cached, key_of, query, result
from features.study import Study

DEFAULT_SHUFFLES = 200
AHEAD = 50
"""Shuffles are drawn in multiples of so many."""


def reference_values(study: Study, measure: str) -> dict[Any, float] | None:
    """What each item that a curve runs over is held against: the reference group's MOS, a column, or None for split
    halves."""
    if study.reference_column is None and study.reference is None:
        return None

    def read() -> dict[Any, float]:
        item, value = _known_values(study, measure)
        here = np.isin(item, candidate_ratings(study, measure).item)
        return dict(zip(item[here].tolist(), value[here].tolist(), strict=True))

    of = study.candidate, study.reference, study.reference_column
    return result(key_of(study.dataset, "reference", measure, *of), read)


def _known_values(study: Study, measure: str) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """All items that the reference knows, and what it says of them."""
    if study.reference_column is not None:
        rows = query(study.dataset, "item_numbers", column=study.reference_column)
        return rows["item"], rows["value"]
    if study.dataset.has_sums:
        rows = query(study.dataset, "cell_means", measure=measure, group=study.reference)
        return rows["item"], rows["mean"]
    sums = item_pairs(study, measure)
    known = sums.n_reference > 0
    return sums.item[known], sums.mos_reference[known]


def fitted_curves(study: Study, spec: RepetitionSpec, sensitivity: float) -> tuple[FittedCurves, ...]:
    """All chosen measures under one spec, simulated from scratch and fitted together."""

    def compute() -> tuple[FittedCurves, ...]:
        curves = [_simulated(study, measure, spec) for measure in study.measures]
        return fit_curves(study.measures, curves, sensitivity)

    return result(curves_key(study, "fitted", spec, sensitivity), compute)


def _simulated(study: Study, measure: str, spec: RepetitionSpec) -> Curves:
    """One measure's curves. The first shuffles are the same however many are drawn, so that some are drawn ahead:
    most steps of the slider draw none, and every other only those that are new."""
    rated, known = candidate_ratings(study, measure), reference_values(study, measure)

    def key(shuffles: int) -> str:
        of = study.candidate, study.reference, study.reference_column
        return key_of(study.dataset, "shuffles", measure, *of, replace(spec, shuffles=shuffles))

    def compute() -> Curves:
        fewer = (cached(key(shuffles)) for shuffles in range(ahead - AHEAD, 0, -AHEAD))
        before = next((curves for curves in fewer if curves is not None), None)
        return simulate(rated, known, replace(spec, shuffles=ahead), before)

    ahead = ceil(spec.shuffles / AHEAD) * AHEAD
    return simulate(rated, known, spec, result(key(ahead), compute))


def curves_key(study: Study, what: str, *parts: object) -> str:
    """The cache key of something made from the curves of the chosen measures."""
    return key_of(
        study.dataset,
        what,
        study.measures,
        study.candidate,
        study.reference,
        study.reference_column,
        *parts,
    )


@dataclass(frozen=True)
class Range:
    """How far curves can run: what all items of all measures have, what most have, and what any has."""

    smallest: int = 1
    usual: int = 1
    most: int = 1

    @property
    def repetitions(self) -> int | None:
        """Where curves end by themselves, as a spec says it."""
        return None if self.usual == self.smallest else self.usual


def range_of_repetitions(study: Study) -> Range:
    """How far the curves of the chosen measures can run."""

    def compute() -> Range:
        each = []
        for measure in study.measures:
            known = reference_values(study, measure)
            items, counts = np.unique(candidate_ratings(study, measure).item, return_counts=True)
            each.append(counts if known is None else counts[np.isin(items, list(known))])
        rated = [one for one in each if len(one)]
        if not rated:
            return Range()
        return Range(
            int(min(one.min() for one in rated)),
            min(reach(one) for one in rated),
            int(max(one.max() for one in rated)),
        )

    return result(curves_key(study, "range of repetitions"), compute)


def sampled_measures(study: Study) -> list[str]:
    """The measures whose curves rest on a sample of the items."""
    return [measure for measure in study.measures if is_sampled(study, measure)]
