"""All groups against the reference: which orders the items most like it, and which lies above or below."""

from collections.abc import Mapping, Sequence
from itertools import permutations
from math import isnan
from statistics import median

import pandas as pd

from analysis.comparison.comparison import Comparison
from analysis.values.estimate import Estimate
from features.blocks import Finding
from features.plotting.numbers import decimal, decimal_with_interval, interval
from features.study import Study
from features.verdicts import clear, not_enough_data, uncertain
from features.words import Sentence, counted
from findings.crowd_vs_lab.agreement import scope_of

FEWEST_ITEMS = 10
"""Shared items below which no group is named closest to the reference."""
ByGroup = Mapping[str, Sequence[Comparison]]
"""The comparisons of each group with the reference, a measure after the other."""
PAIRS_NOTE: Sentence = (
    "Spearman's ρ of each two groups over the items that both rated. Choose a cell to look at its pair below: the row "
    "is the candidate, the column the reference.",
    {},
)


def candidates(study: Study) -> list[str]:
    """The groups that are held against the reference; several where there is more than a pair to look at."""
    return [group for group in study.groups if group != study.reference] if study.comparable else []


def finding(study: Study, by_group: ByGroup) -> Finding:
    """Between what the groups' correlations with the reference lie, and whose are the ends if that can be told."""
    values: dict[str, object] = {"reference": study.reference_name, "groups": counted(len(by_group), "group")}
    known = {
        group: [c.spearman for c in of if c.spearman.defined and c.items_shared >= FEWEST_ITEMS]
        for group, of in by_group.items()
    }
    middle = {group: median([e.value for e in of]) for group, of in known.items() if of}
    if len(middle) < 2:
        return not_enough_data(
            "Which of the {groups} orders the items most like {reference} cannot be told: it takes two that share at "
            "least {fewest} items with it.",
            values | {"fewest": FEWEST_ITEMS},
        )
    low, high = min(middle, key=middle.__getitem__), max(middle, key=middle.__getitem__)
    values |= {
        "low": low,
        "high": high,
        "least": decimal(middle[low]),
        "most": decimal(middle[high]),
    }
    scope = scope_of([c for of in by_group.values() for c in of if not isnan(c.spearman.low)])
    if len(study.measures) > 1:
        return uncertain(
            "Of the {groups} held against {reference}, <b>{high}</b> has the highest median correlation over "
            "{measures} (Spearman's ρ <b>{most}</b>), {low} the lowest (<b>{least}</b>).",
            values | {"measures": counted(len(study.measures), "measure")},
            scope,
        )
    (of_low,), (of_high,) = known[low], known[high]
    values |= {"least_between": _between(of_low), "most_between": _between(of_high)}
    if of_low.high < of_high.low:
        return clear(
            "Of the {groups} held against {reference}, <b>{high}</b> orders the items most like it (Spearman's ρ "
            "<b>{most}</b>{most_between}), <b>{low}</b> least (<b>{least}</b>{least_between}).",
            values,
            scope,
        )
    runs = "runs from <b>{least}</b> ({low}{least_between}) to <b>{most}</b> ({high}{most_between})."
    if of_low.high != of_low.high or of_high.low != of_high.low:
        return uncertain("Spearman's ρ of the {groups} held against {reference} " + runs, values)
    return uncertain(
        "Which of the {groups} orders the items most like {reference} cannot be told: Spearman's ρ " + runs,
        values,
        scope,
    )


def _between(e: Estimate) -> str:
    return "" if e.low != e.low else f", {interval(e)}"


def cells_with_intervals(
    groups: Sequence[str], rho: Mapping[tuple[str, str], Estimate]
) -> list[tuple[int, int, str]]:
    """Row, column and text of each cell of the matrix whose correlation has an interval."""
    return [
        (row, column, decimal_with_interval(e))
        for (one, other), e in rho.items()
        if e.defined and e.low == e.low
        for row, column in permutations((groups.index(one), groups.index(other)))
    ]


def matrix(groups: Sequence[str], rho: Mapping[tuple[str, str], Estimate]) -> pd.DataFrame:
    """Groups by groups with the correlation of each two, which is the same either way; NaN where there is none."""
    nothing = Estimate(float("nan"))
    cells = [
        [(rho.get((row, column)) or rho.get((column, row)) or nothing).value for column in groups]
        for row in groups
    ]
    return pd.DataFrame(cells, index=list(groups), columns=list(groups))
