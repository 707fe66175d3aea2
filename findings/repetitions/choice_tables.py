"""The tables of repetitions of choices: shares of items at the knee and after all votes, by either way to an answer."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from math import nan

import pandas as pd

from analysis.repetitions.fitted_curves import FittedCurves
from analysis.repetitions.knee_intervals import KneeInterval
from analysis.values.estimate import Estimate
from features.blocks import Finding
from features.plotting.numbers import percent, share
from features.tables import Shown
from features.verdicts import uncertain
from features.words import Sentence, counted
from findings.repetitions import knee_table
from findings.repetitions.choice_curves import ALL_VOTES, ChoiceView
from findings.repetitions.knee_table import PENDING, Intervals

RENAMED = {"Measure": "Comparison", "Ratings per item": "Votes per item"}
AFTER_ONE, AT_KNEE, AT_KNEE_INTERVAL, AFTER_ALL = "After 1", "At the knee", "At the knee, 95 %", "After all"
IN_PERCENT = (AFTER_ONE, AT_KNEE, AT_KNEE_INTERVAL, AFTER_ALL)
TABLE = "Fitted curve, knee with its interval, and share of items after one vote, at the knee and after all"
_percent = partial(share, digits=1)
WRITTEN: Mapping[str, Callable[[float], str]] = {
    **knee_table.WRITTEN,
    **dict.fromkeys((AFTER_ONE, AT_KNEE, AFTER_ALL), _percent),
}


OF_THESE_VOTES: Sentence = (
    "These are figures of these votes: whether one way would be better with other items or workers is not worked out "
    "here.",
    {},
)
"""What majority beside PCC-H weights does not tell."""


def shown_table(fitted: Sequence[FittedCurves], intervals: Intervals) -> Shown:
    """The knee with its interval, the share of items after one vote, there and after all, then the fitted curves."""
    knees, _ = knee_table.shown_table(fitted, intervals)
    table = knees.rename(columns=RENAMED).assign(**_shares(fitted))
    table[AT_KNEE_INTERVAL] = (
        PENDING if intervals is None else [percent(one, 1) for one in _at_knee(fitted, intervals)]
    )
    names = [str(column) for column in table]
    last = [name for name in names if name in ("a", "b", "c") or name.startswith("R²")]
    first = [name for name in names if name not in (*last, *IN_PERCENT)]
    return table[[*first, *IN_PERCENT, *last]], WRITTEN


def full_table(fitted: Sequence[FittedCurves], intervals: Intervals) -> pd.DataFrame:
    """The same to take away: R² of every shuffle, the intervals' ends as numbers."""
    table = knee_table.full_table(fitted, intervals).rename(columns=RENAMED)
    added = _shares(fitted)
    if intervals is not None:
        at_knee = _at_knee(fitted, intervals)
        added |= {
            f"{AT_KNEE} low": [one.low for one in at_knee],
            f"{AT_KNEE} high": [one.high for one in at_knee],
        }
    return pd.concat([table, pd.DataFrame(added)], axis=1)


def _shares(fitted: Sequence[FittedCurves]) -> dict[str, list[float]]:
    return {
        AFTER_ONE: [one.curves.mean_at(min(1, one.curves.repetitions)) for one in fitted],
        AT_KNEE: [one.curves.mean_at(one.knee or 0) for one in fitted],
        AFTER_ALL: [one.curves.mean_at(one.curves.repetitions) for one in fitted],
    }


def _at_knee(fitted: Sequence[FittedCurves], intervals: Sequence[KneeInterval]) -> list[Estimate]:
    return [
        Estimate(nan)
        if one.knee is None or not drawn.draws
        else Estimate(
            one.curves.mean_at(one.knee), float(drawn.low[one.knee - 1]), float(drawn.high[one.knee - 1])
        )
        for one, drawn in zip(fitted, intervals, strict=True)
    ]


def compared_answers(
    fitted: Sequence[FittedCurves], by_majority: Sequence[FittedCurves], by_weights: Sequence[FittedCurves]
) -> Shown:
    """Majority and PCC-H weights at the knee of the curves shown (after all votes where there is none)."""
    rows = []
    for one, majority, weighted in zip(fitted, by_majority, by_weights, strict=True):
        m = one.curves.repetitions
        r = one.knee or m
        at_r = majority.curves.mean_at(r), weighted.curves.mean_at(r)
        rows.append(
            {
                "Comparison": one.measure,
                "Items": int(one.curves.items[r - 1]) if r else 0,
                "Votes": r,
                "Majority": at_r[0],
                "PCC-H weights": at_r[1],
                "Difference": at_r[1] - at_r[0],
                "Majority, all": majority.curves.mean_at(m),
                "PCC-H weights, all": weighted.curves.mean_at(m),
            }
        )
    shares = ("Majority", "PCC-H weights", "Difference", "Majority, all", "PCC-H weights, all")
    return pd.DataFrame(rows), dict.fromkeys(shares, _percent)


def one_compared_answer(table: pd.DataFrame, m: int, view: ChoiceView) -> Finding | None:
    """The same of a single comparison in a sentence; nothing where no share is defined."""
    row = table.iloc[0]
    if row["Majority"] != row["Majority"]:
        return None
    start, after_all = "After {r} of {m} votes per item,", "; after all, {all_heads} and {all_weighted}"
    if row["Votes"] == m:
        start, after_all = "With {all} per item,", ""
    return uncertain(
        f"{start} majority gives the {{against}} for <b>{{heads}}</b> of {{items}} and PCC-H weights for "
        f"<b>{{weighted}}</b>{after_all}. {OF_THESE_VOTES[0]}",
        {
            "r": row["Votes"],
            "m": m,
            "all": counted(m, "vote"),
            "items": counted(row["Items"], "item"),
            "against": view.against,
            "heads": _percent(row["Majority"]),
            "weighted": _percent(row["PCC-H weights"]),
            "all_heads": _percent(row["Majority, all"]),
            "all_weighted": _percent(row["PCC-H weights, all"]),
        },
    )


def each_against_its_own(view: ChoiceView) -> Sentence | None:
    """What both ways are held against, where that is not the same."""
    return ("Each is held against its own answer of all votes.", {}) if view.against == ALL_VOTES else None
