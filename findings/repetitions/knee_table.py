"""The paper's Table 2: each measure's fitted curve, its knee with the interval, and how well the curve fits."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import numpy as np
import pandas as pd

from analysis.repetitions.fitted_curves import FittedCurves
from analysis.repetitions.knee_intervals import KneeInterval
from analysis.values.estimate import BootstrapSpec, Estimate
from analysis.values.scope import Scope, chosen_scope
from charts.repetitions.curves import SINGLE_LINES, quantiles
from features.plotting.numbers import counts, decimal, interval, share
from features.rater_agreement import fewest_raters
from features.study import Study
from features.tables import Shown
from features.words import Sentence

SHUFFLES = 20
"""Shuffles in each draw (methods, section 0)."""
PRINTED_SHUFFLES = 5
"""Shuffles whose fit is printed one by one, as many as the paper has."""
OF_EACH_ORDER: Sentence = (
    "One curve is fitted to all orders; below 0 % it lies further from that order's points than their mean does.",
    {},
)
PENDING = "…"
TABLE = "Coefficients of the fitted curve, knee with its interval and R² per measure"

Intervals = Sequence[KneeInterval] | None
"""One per measure, None while they are not known."""

WRITTEN: Mapping[str, Callable[[float], str]] = {
    **dict.fromkeys(("a", "b", "c"), partial(decimal, digits=3)),
    **dict.fromkeys(("R² measured", "R² shuffles, median"), decimal),
    **{f"R² shuffle {at}": decimal for at in range(1, SINGLE_LINES + 1)},
    "Without a knee": share,
}


def shown_table(fitted: Sequence[FittedCurves], intervals: Intervals) -> Shown:
    """The fitted curves with each knee's interval and how often there was none; of many shuffles R² as median."""
    table = _all_shuffles(fitted) if _few_shuffles(fitted) else _median_of_shuffles(fitted)
    after = list(table).index("Knee") + 1
    table.insert(
        after,
        "Knee, 95 %",
        PENDING if intervals is None else [counts(one.knee) for one in intervals],
    )
    without = np.nan if intervals is None else [one.without_knee for one in intervals]
    table.insert(after + 1, "Without a knee", without)
    first = ["Measure", "Knee", "Knee, 95 %", "Without a knee", "Ratings per item", "Items"]
    fit = ["a", "b", "c"]
    return table[[*first, *(name for name in table if name not in (*first, *fit)), *fit]], WRITTEN


def fits_table(fitted: Sequence[FittedCurves]) -> Shown:
    """The paper's Table 2: coefficients, knee, and R² in percent for the measured order and the first few shuffles one
    by one; behind them the median of all."""
    single, of_all = _all_shuffles(fitted), _median_of_shuffles(fitted)
    alone = [name for name in map(str, single) if name.startswith("R² shuffle ")][:PRINTED_SHUFFLES]
    table = single[["Measure", *"abc", "Knee", "R² measured", *alone]].assign(
        **{"R² shuffles, median": of_all["R² shuffles, median"]}
    )
    written: dict[str, Callable[[float], str]] = dict.fromkeys("abc", partial(decimal, digits=3))
    in_percent = ["R² measured", "R² shuffles, median", *alone]
    return table, {**written, **dict.fromkeys(in_percent, partial(share, digits=1))}


def full_table(fitted: Sequence[FittedCurves], intervals: Intervals) -> pd.DataFrame:
    """The same to take away: R² of every shuffle, the interval's ends as numbers."""
    table = _all_shuffles(fitted)
    if intervals is None:
        return table
    after = list(table).index("Knee") + 1
    of_intervals = pd.DataFrame(
        {
            "Knee low": [one.knee.low for one in intervals],
            "Knee high": [one.knee.high for one in intervals],
            "Draws without a knee": [one.without_knee for one in intervals],
        }
    )
    return pd.concat([table.iloc[:, :after], of_intervals, table.iloc[:, after:]], axis=1)


def _few_shuffles(fitted: Sequence[FittedCurves]) -> bool:
    return all(len(one.curves.shuffled) <= SINGLE_LINES for one in fitted)


def _all_shuffles(fitted: Sequence[FittedCurves]) -> pd.DataFrame:
    rows = [
        _coefficients(one)
        | {
            f"R² shuffle {at}": value
            for at, value in enumerate(one.saturation.r_squared_shuffled.tolist(), start=1)
        }
        for one in fitted
    ]
    return pd.DataFrame(rows).astype({"Knee": "Int64"})


def _median_of_shuffles(fitted: Sequence[FittedCurves]) -> pd.DataFrame:
    rows = []
    for one in fitted:
        low, middle, high = quantiles(one.saturation.r_squared_shuffled[:, None], (0.05, 0.5, 0.95))
        rows.append(
            _coefficients(one)
            | {
                "R² shuffles, median": float(middle[0]),
                "R² shuffles, 5–95 %": interval(Estimate(0.0, float(low[0]), float(high[0]))),
            }
        )
    return pd.DataFrame(rows).astype({"Knee": "Int64"})


def _coefficients(one: FittedCurves) -> dict[str, object]:
    return {
        "Measure": one.measure,
        "Items": int(one.curves.items.max(initial=0)),
        "Ratings per item": one.curves.repetitions,
        "a": one.saturation.a,
        "b": one.saturation.b,
        "c": one.saturation.c,
        "Knee": one.knee,
        "R² measured": one.saturation.r_squared_measured,
    }


def varies_raters(study: Study, scope: Scope | None) -> bool:
    """Return True where bootstrap samples of the knee are of other raters, too."""
    raters = fewest_raters(study, study.candidate)
    return chosen_scope(scope, raters, study.raters_are_persons) == "raters like these"


def how_drawn(study: Study, bootstrap: BootstrapSpec, scope: Scope | None = None) -> Sentence:
    """Return the source of the knees' intervals."""
    return (
        "Knee, 95 %: from {draws} draws of {what}, each with {shuffles} shuffles and everything fitted again; seed "
        "{seed}. It is the interval of the knee of studies with this many ratings; a knee is a whole number, so that "
        "it held in 99 to 100 % of simulated studies. R² is that of the one fitted curve for each order.",
        {
            "draws": bootstrap.draws,
            "what": _drawn(study, scope),
            "shuffles": SHUFFLES,
            "seed": bootstrap.seed,
        },
    )


def _drawn(study: Study, scope: Scope | None) -> str:
    if not study.raters_are_persons:
        return "items only, since raters are slots and not persons"
    if not varies_raters(study, scope):
        return "items, for these raters"
    return (
        "items, spread by what raters" + (" of both groups" if study.reference is not None else "") + " add"
    )
