"""What curves become without the raters of the scenario: read at the largest number that both sides have."""

from collections.abc import Sequence

import pandas as pd

from analysis.repetitions.curves import Curves
from analysis.repetitions.fitted_curves import FittedCurves
from analysis.values.estimate import Estimate
from features.tables import Shown
from findings.leaving_out import Changed, change_columns, written


def changes(everyone: Sequence[FittedCurves], without: Sequence[FittedCurves]) -> list[Changed]:
    """Each measure's figure at equally many ratings per item, of what both sides have."""
    return [(after.measure, *_read(before, after)) for before, after in _pairs(everyone, without)]


def table(everyone: Sequence[FittedCurves], without: Sequence[FittedCurves], figure: str, of: str) -> Shown:
    """The curve's figure at the last repetition and the knee per measure, with everyone and without."""
    rows = [
        {
            of: after.measure,
            "Compared at r": _last_of_both(before, after),
            **change_columns(figure, *(one.value for one in _read(before, after))),
            "Knee, everyone": before.knee,
            "Knee, without": after.knee,
        }
        for before, after in _pairs(everyone, without)
    ]
    shown = pd.DataFrame(rows).astype({"Knee, everyone": "Int64", "Knee, without": "Int64"})
    return shown, written(shown)


def _pairs(
    everyone: Sequence[FittedCurves], without: Sequence[FittedCurves]
) -> list[tuple[FittedCurves, FittedCurves]]:
    by_name = {one.measure: one for one in everyone}
    return [(by_name[after.measure], after) for after in without]


def _last_of_both(before: FittedCurves, after: FittedCurves) -> int:
    return min(before.curves.repetitions, after.curves.repetitions)


def _read(before: FittedCurves, after: FittedCurves) -> tuple[Estimate, Estimate]:
    r = _last_of_both(before, after)
    return _at(r, before.curves), _at(r, after.curves)


def _at(r: int, curves: Curves) -> Estimate:
    return Estimate(curves.mean_at(r), n=int(curves.items[r - 1]) if r else 0)
