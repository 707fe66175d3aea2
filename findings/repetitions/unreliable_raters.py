"""What leaving out the least reliable quarter of raters would bring each measure."""

from collections.abc import Sequence
from functools import partial

import numpy as np
import pandas as pd

from analysis.repetitions.sensitivity import Sensitivity
from features.blocks import Finding
from features.plotting.numbers import decimal
from features.tables import Shown
from features.verdicts import uncertain
from features.words import Sentence, listed
from findings.repetitions.aggregations import ratings

HOW_CHOSEN = (
    "Reliability: correlation of a rater's scores with the mean of the others on the same items; the reference "
    "is not looked at. The gain is a little too good, since the same ratings choose the raters."
)


def unreliable_table(measures: Sequence[str], sensitivities: Sequence[Sensitivity]) -> Shown:
    """One row per measure, the largest gain first."""
    rows = [
        {
            "Measure": measure,
            "Raters": one.raters,
            "Left out": one.gone,
            "Ratings per item": one.without.repetitions,
            "Everyone": one.correlation,
            "Without them": one.correlation_without,
            "Gain": one.gain,
        }
        for measure, one in zip(measures, sensitivities, strict=True)
    ]
    table = pd.DataFrame(rows).sort_values("Gain", ascending=False, ignore_index=True)
    return table, dict.fromkeys(("Everyone", "Without them", "Gain"), partial(decimal, digits=3))


def largest_gain(table: pd.DataFrame) -> Finding | None:
    """The measure that gains most of these ratings, or that none does; nothing where no gain is known."""
    gains = table[np.isfinite(table["Gain"]) & (table["Left out"] > 0)]
    if not len(gains):
        return None
    first = gains.iloc[0]
    if decimal(first["Without them"]) == decimal(first["Everyone"]) or first["Gain"] < 0:
        return uncertain(
            "No measure of these ratings gains from leaving out the least reliable quarter of its raters."
        )
    most = " most" if len(table) > 1 else ""
    return uncertain(
        f"<b>{{measure}}</b> gains{most} from leaving out the least reliable quarter of its raters: "
        "{without} instead of {everyone} after {r} per item. Whether it would with other raters cannot be told from "
        "that.",
        {
            "measure": first["Measure"],
            "without": decimal(first["Without them"]),
            "everyone": decimal(first["Everyone"]),
            "r": ratings(first["Ratings per item"]),
        },
    )


def remarks(measures: Sequence[str], sensitivities: Sequence[Sensitivity]) -> list[Sentence]:
    """Why a gain is not known, and for which measures."""
    where: dict[str, list[str]] = {}
    for measure, one in zip(measures, sensitivities, strict=True):
        if one.reason:
            where.setdefault(one.reason, []).append(measure)
    return [
        ("{where}: {reason}.", {"where": listed(named), "reason": reason}) for reason, named in where.items()
    ]
