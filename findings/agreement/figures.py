"""How far all raters agree: every figure with its intervals, what differs between two of them, and each two raters."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from math import nan

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analysis.agreement.credit import Weights
from analysis.agreement.rater_pairs import FEWEST_SHARED, RaterPairs
from analysis.assessors.agreement_of_everyone import AgreementFigure
from analysis.values.estimate import Estimate
from features.blocks import Finding
from features.plotting.numbers import count, decimal, interval
from features.tables import Shown
from features.verdicts import clear, not_enough_data, uncertain
from features.words import Sentence, counted

WEIGHTS: dict[str, Weights] = {"quadratic": "quadratic", "linear": "linear", "none": "identity"}
TOO_MANY: Sentence = (
    "Agreement beyond chance is not worked out for so many ratings and values; alpha and the ICCs are.",
    {},
)
_THESE, _OTHERS = "95 %, these raters", "95 %, raters too"
_EXACT = partial(decimal, digits=3)
_WRITTEN: dict[str, Callable[[float], str]] = {
    **dict.fromkeys(("Value", "Difference"), _EXACT),
    "Items": count,
}
_MEANINGS = {
    "alpha": "do raters give an item the same score, severity included? 1 always, 0 by chance",
    "ICC(1,1)": "how much of one rating is the item, when raters differ from item to item",
    "ICC(A,1)": "the same with crossed raters, severity counting as disagreement",
    "ICC(C,1)": "the same with crossed raters, severity set aside",
    "ICC(1,k)": "of the mean of an item's ratings, raters differing from item to item",
    "ICC(A,k)": "of the mean of an item's ratings, severity counting as disagreement",
    "ICC(C,k)": "of the mean of an item's ratings, severity set aside",
    "percent agreement": "of two ratings of an item, how often are both the same value? Chance counts as agreement",
    "Brennan-Prediger": "beyond chance, if all values were equally likely by chance",
    **dict.fromkeys(
        ("Gwet's AC1", "Gwet's AC2"),
        "beyond chance, where only items that are hard to judge are left to chance; stays high if one value prevails",
    ),
    "Fleiss' kappa": "beyond chance, if all used the values as often as all together; falls if one value prevails",
    "Conger's kappa": "beyond chance, if each rater used the values as often as now; falls if one value prevails",
    "Cohen's kappa": "beyond chance, if both raters used the values as often as now; falls if one value prevails",
    "mean pairwise kappa": "Cohen's kappa of each two raters, averaged (Light's)",
}


def agreement_table(
    figures: Mapping[str, AgreementFigure], differences: Mapping[str, AgreementFigure] = {}
) -> Shown:
    """One row per figure, with what it says; beside it what it differs from that of other ratings."""
    rows = []
    for name, figure in figures.items():
        known = figure.fixed or figure.random or Estimate(nan)
        row: dict[str, object] = {
            "Figure": name,
            "Value": known.value,
            _THESE: _told(figure.fixed),
            _OTHERS: _told(figure.random),
        }
        if differences:
            less = differences.get(name)
            row["Difference"] = nan if less is None or less.fixed is None else less.fixed.value
            row[f"Difference, {_THESE}"] = _told(None if less is None else less.fixed)
            row[f"Difference, {_OTHERS}"] = _told(None if less is None else less.random)
        meaning = _MEANINGS[name.partition(",")[0] if name.startswith("alpha") else name]
        row |= {
            "SE": _EXACT(figure.error) if figure.error == figure.error else "–",
            "Items": known.n,
            "What it says": known.reason if not known.defined else meaning,
        }
        rows.append(row)
    return pd.DataFrame(rows), _WRITTEN


def for_these_raters(figures: Mapping[str, AgreementFigure]) -> dict[str, AgreementFigure]:
    """Without intervals over raters, where rater ids are no persons."""
    return {name: replace(figure, random=None) for name, figure in figures.items()}


def _told(estimate: Estimate | None) -> str:
    return "–" if estimate is None else interval(estimate, 3)


def why_no_interval(figures: Mapping[str, AgreementFigure]) -> list[Sentence]:
    """Each reason for which a figure has no interval, once, with the figures it holds for."""
    reasons: dict[str, list[str]] = {}
    for name, figure in figures.items():
        for estimate in (figure.fixed, figure.random):
            if estimate is not None and estimate.defined and estimate.reason:
                reasons.setdefault(estimate.reason, []).append(name)
    return [
        ("No interval of {which}: {reason}.", {"which": ", ".join(dict.fromkeys(names)), "reason": reason})
        for reason, names in reasons.items()
    ]


def difference(differences: Mapping[str, AgreementFigure], here: str, there: str) -> Finding:
    """Whether raters agree more here than there, by Gwet's coefficient."""
    name = next(name for name in differences if name.startswith("Gwet"))
    fixed, random = differences[name].fixed, differences[name].random
    values: dict[str, object] = {"name": name, "here": here, "there": there}
    if fixed is None or not fixed.defined or fixed.low != fixed.low:
        reason = "" if fixed is None else fixed.reason
        return not_enough_data(
            "Whether raters agree more on {here} than on {there} is unknown: {reason}.",
            values | {"reason": reason},
        )
    widest = fixed if random is None or random.low != random.low else random
    values |= {
        "difference": decimal(abs(fixed.value)),
        "between": interval(widest),
        "chance": "items, for these raters" if widest is fixed else "items and raters",
        "more": "more" if fixed.value > 0 else "less",
        "items": count(fixed.n),
    }
    if widest.low <= 0 <= widest.high:
        return uncertain(
            "Whether raters agree more on {here} or on {there} cannot be told: the difference of {name} is within "
            "{between} (over {chance}, {items} items).",
            values,
        )
    return clear(
        "Raters agree {more} on {here} than on {there}: {name} differs by <b>{difference}</b> ({between} over "
        "{chance}, {items} items).",
        values,
    )


def correlations_of(pairs: RaterPairs) -> NDArray[np.float64]:
    """The correlations of the pairs that have one."""
    upper = pairs.correlation[np.triu_indices(len(pairs.raters), 1)]
    there: NDArray[np.float64] = upper[~np.isnan(upper)]
    return there


def pairs_of_raters(pairs: RaterPairs, raters: int, group: str = "") -> Sentence:
    """Between what the agreement of two raters lies, of so many raters in all; of a group where there are several."""
    correlations = correlations_of(pairs)
    if not len(correlations):
        return "No two raters share {fewest} items on which both vary, so no pair has a correlation.", {
            "fewest": FEWEST_SHARED
        }
    ordered = np.sort(correlations)
    return (
        "Two raters{of} agree with r from {low} to {high}, median <b>{middle}</b> ({pairs} with at least {fewest} "
        "items in common{busiest}).",
        {
            "of": f" of {group}" if group else "",
            "low": decimal(float(ordered[0])),
            "high": decimal(float(ordered[-1])),
            "middle": decimal(float(np.median(ordered))),
            "pairs": counted(len(correlations), "pair"),
            "fewest": FEWEST_SHARED,
            "busiest": f"; the {len(pairs.raters)} busiest raters" if len(pairs.raters) < raters else "",
        },
    )
