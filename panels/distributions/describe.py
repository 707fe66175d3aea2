"""Descriptions of the groups' ratings and their histograms: from the store's reductions to results."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from analysis.distributions.distribution import Description, describe_means, histogram, shared_edges
from charts.distributions.histograms import Bars
from charts.parts.numbers import count, decimal
from findings.study import Study
from findings.words import Sentence, listed
from panels.crowd_vs_lab.comparisons import candidate_sums, pairs
from panels.parts.shelf import key_of, result
from panels.parts.store import query

Described = Sequence[tuple[str, str, Description]]
"""(measure, group, description)"""


def shown_groups(study: Study) -> tuple[str, ...]:
    """Candidate and, where it is a group of its own, reference; in the data set's order."""
    return tuple(g for g in study.groups if g in (study.candidate, study.reference))


def descriptions(study: Study) -> Described:
    """Every chosen measure and shown group that has ratings."""
    cells = query(study.dataset, "cells")
    there = {
        (measure, group): raters
        for measure, group, raters in zip(
            cells["measure"].tolist(), cells["group"].tolist(), cells["raters"].tolist(), strict=True
        )
    }
    return [
        (measure, group, _described(study, measure, group, there[measure, group]))
        for measure in study.measures
        for group in shown_groups(study)
        if (measure, group) in there
    ]


def bars(study: Study, measure: str, what: str) -> list[Bars]:
    """Histograms of the shown groups on shared bars."""
    groups = shown_groups(study)
    if what == "Item MOS":
        values = {group: _means(study, measure, group)[0] for group in groups}
        counts: dict[str, np.ndarray | None] = dict.fromkeys(groups)
    else:
        rows = query(study.dataset, "score_counts", measure=measure)
        values = {group: rows["score"][rows["group"] == group] for group in groups}
        counts = {group: rows["count"][rows["group"] == group] for group in groups}
    there = [v for v in values.values() if len(v)]
    if not there:
        return []
    edges = shared_edges(min(v.min() for v in there), max(v.max() for v in there))
    return [Bars(group, edges, histogram(values[group], edges, counts[group])) for group in groups]


def finding(study: Study, described: Described) -> Sentence:
    """Which group's items lie higher, and on how many measures."""
    by_group = {
        group: {measure: d for measure, of, d in described if of == group} for group in shown_groups(study)
    }
    if len(by_group) < 2:
        measure, _, d = described[0]
        return (
            "Half of the items have a MOS above <b>{median}</b> for {measure}; "
            "the items' SD is {sd} ({items} items, {ratings} ratings).",
            {
                "median": decimal(d.median),
                "measure": measure,
                "sd": decimal(d.sd),
                "items": count(d.items),
                "ratings": count(d.ratings),
            },
        )
    ours, theirs = by_group[study.candidate], by_group[str(study.reference)]
    both = [measure for measure in ours if measure in theirs]
    if not both:
        return "No measure has ratings of both {candidate} and {reference}.", _names(study)
    higher = [measure for measure in both if ours[measure].median > theirs[measure].median]
    apart = widest(study, described)
    return (
        "The median item MOS of {candidate} lies above that of {reference} on <b>{higher} of {measures}</b> "
        "measures; they are furthest apart on {widest}: <b>{ours}</b> against <b>{theirs}</b>.",
        {
            **_names(study),
            "higher": len(higher),
            "measures": len(both),
            "widest": apart,
            "ours": decimal(ours[apart].median),
            "theirs": decimal(theirs[apart].median),
        },
    )


def widest(study: Study, described: Described) -> str:
    """The measure on which the groups' median MOS are furthest apart; the first where there is one group."""
    medians: dict[str, list[float]] = {}
    for measure, _, d in described:
        medians.setdefault(measure, []).append(d.median)
    return max(medians, key=lambda measure: max(medians[measure]) - min(medians[measure]))


def remarks(described: Described) -> list[Sentence]:
    """What is undefined, and why; each reason once, with the measures and groups it holds for."""
    reasons: dict[str, list[str]] = {}
    for measure, group, d in described:
        for reason in {d.reason, d.normality.reason} - {""}:
            reasons.setdefault(reason, []).append(f"{measure} ({group})")
    return [
        ("Undefined for {where}: {reason}.", {"where": listed(where), "reason": reason})
        for reason, where in reasons.items()
    ]


def table(described: Described) -> pd.DataFrame:
    """One row per measure and group."""
    return pd.DataFrame(
        [
            {
                "Measure": measure,
                "Group": group,
                "Items": d.items,
                "Ratings": d.ratings,
                "Raters": d.raters,
                "Ratings per item": _per_item(d),
                "Median": d.median,
                "Mean": d.mean,
                "SD": d.sd,
                "Skewness": d.skewness,
                "Normality A²": d.normality.statistic,
                "p": d.normality.p,
            }
            for measure, group, d in described
        ]
    )


def _per_item(d: Description) -> str:
    if d.per_item_min == d.per_item_max:
        return str(d.per_item_min)
    return f"{d.per_item_min} to {d.per_item_max} (median {d.per_item_median:g})"


def _described(study: Study, measure: str, group: str, raters: int) -> Description:
    means, counts = _means(study, measure, group)
    return result(
        key_of(study.dataset, "description", measure, group), lambda: describe_means(means, counts, raters)
    )


def _means(study: Study, measure: str, group: str) -> tuple[np.ndarray, np.ndarray]:
    """MOS and number of ratings of every item that the group rated."""
    sums = pairs(study, measure) if study.reference is not None else candidate_sums(study, measure)
    ours = group == study.candidate
    means = sums.mos_candidate if ours else sums.mos_reference
    counts = sums.n_candidate if ours else sums.n_reference
    rated = counts > 0
    return means[rated], counts[rated]


def _names(study: Study) -> Mapping[str, str]:
    return {"candidate": study.candidate, "reference": study.reference_name}


CELLS_WRITTEN = dict.fromkeys(("Ratings", "Items", "Raters"), count)


def cells_table(study: Study) -> pd.DataFrame:
    """Sizes of each measure and group of the data set."""
    cells = query(study.dataset, "cells")
    return pd.DataFrame(
        {
            "Measure": cells["measure"],
            "Group": cells["group"],
            "Ratings": cells["ratings"],
            "Items": cells["items"],
            "Raters": cells["raters"],
            "Per item": [
                str(least) if least == most else f"{least} to {most}"
                for least, most in zip(
                    cells["ratings_per_item_min"], cells["ratings_per_item_max"], strict=True
                )
            ],
        }
    )
