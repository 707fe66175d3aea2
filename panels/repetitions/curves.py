"""Repetition curves of the open study: from ratings to simulated curves and fits, shelved.

Above `LARGEST_BOOTSTRAP` items the curves rest on a seeded sample of them; the page says so.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import pandas as pd

from analysis.repetitions.cost import CostSpec, costs
from analysis.repetitions.curves import Curves
from analysis.repetitions.knee import knee
from analysis.repetitions.repetition import RepetitionSpec, simulate
from analysis.repetitions.saturation import Saturation, fit_all
from analysis.repetitions.split_halves import Extrapolation, extrapolate
from analysis.repetitions.stopping import reliable
from analysis.values.estimate import Estimate
from analysis.values.ratings import Ratings
from charts.parts.numbers import count, decimal, interval, share_saved
from charts.repetitions.curves import SINGLE_LINES, Panel, quantiles
from findings.study import Study
from findings.words import Sentence
from panels.crowd_vs_lab.comparisons import column_values, pairs
from panels.parts.shelf import key_of, result
from panels.parts.store import LARGEST_BOOTSTRAP, query, ratings

DEFAULT_SHUFFLES = 200
FARTHEST = 12
"""Ratings per item to which split halves are carried on at least."""
TARGET = 0.8
"""The reliability that the finding names, a common wish for the mean of an item's ratings."""


@dataclass(frozen=True)
class Fitted:
    """One measure's curves, the fitted saturation and its knee (None where there is none)."""

    measure: str
    curves: Curves
    saturation: Saturation
    knee: int | None
    beyond: Extrapolation | None
    """For split halves: how they carry on to more ratings."""


def candidate_ratings(study: Study, measure: str) -> Ratings:
    """The ratings that a curve runs over: those of items that the reference knows, or a sample of them."""
    chosen: dict[str, Any] = {}
    if _items(study, measure) > LARGEST_BOOTSTRAP:
        chosen = {"max_items": LARGEST_BOOTSTRAP, "seed": 0}
        if study.reference is not None:
            chosen["shared_with"] = study.reference
    return ratings(study.dataset, measure, study.candidate, **chosen)


def reference_values(study: Study, measure: str) -> dict[Any, float] | None:
    """What each item is held against: the reference group's MOS, a column, or None for split halves."""
    if study.reference_column is not None:
        return column_values(study, study.reference_column)
    if study.reference is None:
        return None

    def read() -> dict[Any, float]:
        sums = pairs(study, measure)
        known = sums.n_reference > 0
        return dict(zip(sums.item[known].tolist(), sums.mos_reference[known].tolist(), strict=True))

    return result(key_of(study.dataset, "reference", measure, study.reference), read)


def fitted(study: Study, spec: RepetitionSpec, sensitivity: float) -> tuple[Fitted, ...]:
    """All chosen measures under one spec, simulated from scratch and fitted together."""

    def compute() -> tuple[Fitted, ...]:
        curves = [
            simulate(candidate_ratings(study, measure), reference_values(study, measure), spec)
            for measure in study.measures
        ]
        return tuple(
            Fitted(measure, c, f, knee(f.a, f.b, f.c, max(c.repetitions, 1), sensitivity), _beyond(c))
            for measure, c, f in zip(study.measures, curves, fit_all(curves), strict=True)
        )

    return result(curves_key(study, "fitted", spec, sensitivity), compute)


def _beyond(curves: Curves) -> Extrapolation | None:
    if curves.reference != "split halves" or not curves.repetitions:
        return None
    return extrapolate(curves, max(FARTHEST, 2 * curves.repetitions + 1))


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


def range_of_repetitions(study: Study) -> tuple[int, int]:
    """The largest number of repetitions that all items of all chosen measures have, and the most any has."""
    cells = query(study.dataset, "cells")
    here = [
        at
        for at, (measure, group) in enumerate(
            zip(cells["measure"].tolist(), cells["group"].tolist(), strict=True)
        )
        if measure in study.measures and group == study.candidate
    ]
    if not here:
        return 1, 1
    least, most = cells["ratings_per_item_min"][here], cells["ratings_per_item_max"][here]
    return int(least.min()), int(most.max())


def panels(found: Sequence[Fitted], shown: Sequence[str]) -> list[Panel]:
    """What the picture shows of each measure."""
    return [
        Panel(one.measure, one.curves, one.saturation, one.knee, one.beyond)
        for one in found
        if one.measure in shown
    ]


def in_focus(found: Sequence[Fitted]) -> Fitted:
    """The measure that the finding speaks of: the middle one by its knee, or the least reliable one."""
    with_knee = _by_knee(found)
    if with_knee:
        return with_knee[len(with_knee) // 2]
    return min(found, key=lambda one: one.beyond.reliability_of_one if one.beyond else 1.0)


def _by_knee(found: Sequence[Fitted]) -> list[Fitted]:
    return sorted((one for one in found if one.knee is not None), key=lambda one: one.knee or 0)


def finding(study: Study, found: Sequence[Fitted]) -> Sentence:
    """Where more ratings stop paying, what is saved there and what is given up."""
    if study.reference is None and study.reference_column is None:
        return _repeatability(found)
    with_knee = _by_knee(found)
    if not with_knee:
        return _no_knee(found)
    middle = in_focus(found)
    r, m = int(middle.knee or 0), middle.curves.repetitions
    at_r, at_m = middle.saturation.at([r, m]).tolist()
    values = {
        "r": r,
        "m": m,
        "at_r": decimal(at_r),
        "at_m": decimal(at_m),
        "saved": share_saved(float(costs(1, 1, m, CostSpec()).saved_of_ratings[r - 1])),
        "measure": middle.measure,
        "low": with_knee[0].knee,
        "high": with_knee[-1].knee,
        "k": len(with_knee),
        "n": len(found),
    }
    sentence = (
        "At <b>{r}</b> of {m} ratings per item the correlation of {measure} is <b>{at_r}</b> instead of {at_m}: "
        "<b>{saved}</b> of the ratings saved."
    )
    if len(found) > 1:
        sentence += " Knees lie from <b>{low} to {high}</b> ({k} of {n} measures have one)."
    return sentence, values


def _repeatability(found: Sequence[Fitted]) -> Sentence:
    """How far ratings repeat themselves, where there is nothing else to hold them against."""
    known = [one for one in found if one.beyond is not None and not one.beyond.reason]
    if not known:
        reasons = {one.beyond.reason if one.beyond else one.curves.reason for one in found}
        return "Nothing can be said about how far ratings repeat themselves: {why}.", {
            "why": "; ".join(reasons)
        }
    weakest = min(known, key=lambda one: one.beyond.reliability_of_one if one.beyond else 1)
    assert weakest.beyond is not None
    return (
        "Held against their own other half, ratings of {measure}{weakest} have a reliability of <b>{one}</b> each; "
        "a mean with a reliability of {target} takes about <b>{r}</b> ratings per item. "
        "This is repeatability, not validity.",
        {
            "measure": weakest.measure,
            "weakest": " (the weakest measure)" if len(known) > 1 else "",
            "one": decimal(weakest.beyond.reliability_of_one),
            "target": decimal(TARGET, 1),
            "r": count(reliable(weakest.beyond.reliability_of_one, TARGET)),
        },
    )


def _no_knee(found: Sequence[Fitted]) -> Sentence:
    reasons = {one.saturation.reason or one.curves.reason or _why_no_knee(one) for one in found}
    return (
        "More ratings per item still pay everywhere, or there are too few to tell: no measure has a knee ({why}).",
        {"why": "; ".join(sorted(reasons))},
    )


def _why_no_knee(one: Fitted) -> str:
    m = one.curves.repetitions
    return f"{m} repetitions are too few for a knee" if m <= 5 else "the curve after it is not flat enough"


def table(found: Sequence[Fitted]) -> pd.DataFrame:
    """The paper's Table 2: coefficients, knee, and R² of the one curve for every order."""
    rows = [
        _coefficients(one)
        | {
            f"R² shuffle {at}": value
            for at, value in enumerate(one.saturation.r_squared_shuffled.tolist(), start=1)
        }
        for one in found
    ]
    return pd.DataFrame(rows).astype({"Knee": "Int64"})


def shown_table(found: Sequence[Fitted]) -> pd.DataFrame:
    """The same; with many shuffles their R² as median and 5-95 %."""
    if all(len(one.curves.shuffled) <= SINGLE_LINES for one in found):
        return table(found)
    rows = []
    for one in found:
        low, middle, high = quantiles(one.saturation.r_squared_shuffled[:, None], (0.05, 0.5, 0.95))
        rows.append(
            _coefficients(one)
            | {
                "R² shuffles, median": float(middle[0]),
                "R² shuffles, 5–95 %": interval(Estimate(0.0, float(low[0]), float(high[0]))),
            }
        )
    return pd.DataFrame(rows).astype({"Knee": "Int64"})


def _coefficients(one: Fitted) -> dict[str, Any]:
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


WRITTEN: dict[str, Callable[[float], str]] = {
    **dict.fromkeys(("a", "b", "c"), partial(decimal, digits=3)),
    **dict.fromkeys(("R² measured", "R² shuffles, median"), decimal),
    **{f"R² shuffle {at}": decimal for at in range(1, SINGLE_LINES + 1)},
}


def remarks(study: Study, found: Sequence[Fitted]) -> list[Sentence]:
    """What is undefined, left out or sampled, each reason once."""
    told: dict[str, list[str]] = {}
    for one in found:
        reasons = [one.curves.reason, one.saturation.reason]
        if one.saturation.defined and one.knee is None:
            reasons.append(_why_no_knee(one))
        if one.curves.left_out:
            reasons.append(f"{one.curves.left_out} items without a reference are left out")
        if len(one.curves.items) and one.curves.items[-1] < one.curves.items[0]:
            reasons.append(
                f"items with fewer ratings leave the curve: {one.curves.items[0]} at the first repetition, "
                f"{one.curves.items[-1]} at the last"
            )
        if _items(study, one.measure) > LARGEST_BOOTSTRAP:
            reasons.append(f"the curves rest on {LARGEST_BOOTSTRAP} items drawn at random (seed 0)")
        for reason in dict.fromkeys(reasons):
            if reason:
                told.setdefault(reason, []).append(one.measure)
    return [
        ("{where}: {reason}.", {"where": ", ".join(where[:9]), "reason": reason})
        for reason, where in told.items()
    ]


def _items(study: Study, measure: str) -> int:
    cells = query(study.dataset, "cells")
    here = (cells["measure"] == measure) & (cells["group"] == study.candidate)
    return int(cells["items"][here].sum())
