"""Whether another mean would do better: the correlation under each aggregation."""

from collections.abc import Mapping
from functools import partial
from operator import itemgetter

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analysis.repetitions.aggregation import AGGREGATIONS, Aggregation
from features.plotting.numbers import decimal
from features.study import Study
from features.tables import Shown
from features.words import Sentence

MeanCurves = Mapping[str, Mapping[Aggregation, NDArray[np.float64]]]
"""measure -> aggregation -> mean curve over orders (m,)."""


def aggregation_table(means: MeanCurves, r: int) -> Shown:
    """One row per measure: the correlation at r under each aggregation, and which is highest."""
    rows = []
    for measure, curves in means.items():
        row: dict[str, object] = {"Measure": measure}
        known = {kind: float(curve[r - 1]) for kind, curve in curves.items() if r <= len(curve)}
        row |= {kind: known.get(kind, np.nan) for kind in curves}
        row["Highest"] = _highest(known)
        rows.append(row)
    return pd.DataFrame(rows), dict.fromkeys(AGGREGATIONS, partial(decimal, digits=3))


def _highest(values: Mapping[Aggregation, float]) -> str:
    defined = [(value, kind) for kind, value in values.items() if value == value]
    return max(defined, key=itemgetter(0))[1] if defined else ""


def how_averaged(study: Study, r: int, orders: int) -> Sentence:
    """What the table rests on."""
    return (
        "Correlation after {at} per item, mean over {k} orders. A rater's severity, spread and reliability "
        "rest on the first ratings of the same order only.{slots}",
        {
            "at": ratings(r),
            "k": orders,
            "slots": ""
            if study.raters_are_persons
            else " Raters are slots here, so nothing is corrected for raters.",
        },
    )


def ratings(number: int) -> str:
    """So many ratings in words."""
    return "1 rating" if number == 1 else f"{number} ratings"
