"""Pyramid: who misses content that he marked elsewhere, by manual less automatic Pyramid score."""

from collections.abc import Callable
from functools import partial
from math import isfinite

import pandas as pd

from analysis.assessors.pyramid import AssessorDifferences, PyramidScores, by_topic
from analysis.values.estimate import BootstrapSpec, Estimate
from features.blocks import Finding
from features.plotting.numbers import count, decimal, interval
from features.study import Scenario
from features.tables import Shown
from features.verdicts import clear_if, not_enough_data
from features.words import Sentence
from findings.leaving_out import marked

NO_TEXTS = (
    "mP − aP looks for marked words in the summaries' texts, and this data set has none. Import it again on "
    "the <b>Data</b> page with a column <b>text</b>."
)
NO_TEXTS_NOR_CONTRIBUTORS = NO_TEXTS + " The contributors of the pyramid are uploaded there too."
NO_CONTRIBUTORS = (
    "There are no contributors of a pyramid for these items yet. Upload them on the <b>Data</b> page as kind "
    "<b>contributors</b>: a row per marked string with topic, summary (by the same name as the item here), "
    "content unit, its words and its weight."
)
_WRITTEN: dict[str, Callable[[float], str]] = {
    **dict.fromkeys(("mP − aP", "Manual", "Automatic"), partial(decimal, digits=3)),
    **dict.fromkeys(("Topics", "Summaries"), count),
}


def by_name(of_each: AssessorDifferences) -> list[tuple[str, Estimate]]:
    """Each assessor's name and mP − aP."""
    return list(zip(of_each.raters.tolist(), of_each.difference, strict=True))


def finding(of_each: AssessorDifferences, scenario: Scenario) -> Finding:
    """Who is lowest, and who highest."""
    rows = sorted(by_name(of_each), key=lambda row: row[1].value)
    if not rows:
        return not_enough_data("No summary could be scored: see below what was set aside.")
    (lowest, low), (highest, high) = rows[0], rows[-1]
    values: dict[str, object] = {
        "lowest": lowest or "the assessor",
        "low": decimal(low.value, 3),
        "interval": interval(low, 3),
        "topics": count(low.n),
        "highest": highest,
        "high": decimal(high.value, 3),
        "high_interval": interval(high, 3),
        "out": ", who is left out now" if lowest in scenario.names else "",
    }
    sentence = "mP − aP is lowest for <b>{lowest}</b>{out}: <b>{low}</b> ({interval}) over {topics} topics"
    if len(rows) == 1:
        return clear_if(low.high < 0, sentence + "; there is nobody to hold it against.", values)
    sentence += "; highest for {highest}: {high} ({high_interval})."
    if low.high < 0:
        sentence += (
            " Below 0, content marked in other summaries was missed more often than new content was found."
        )
    elif low.value < 0 and isfinite(low.high):
        sentence += (
            " Whether content was missed more often than found cannot be told: no interval lies below 0."
        )
    return clear_if(low.high < 0, sentence, values)


def assessor_table(of_each: AssessorDifferences, scenario: Scenario) -> Shown:
    """One row per assessor, the lowest first."""
    table = pd.DataFrame(
        {
            "Rater": of_each.raters.astype(str),
            "Left out": marked(of_each.raters.tolist(), scenario.names),
            "mP − aP": [e.value for e in of_each.difference],
            "95 %": [interval(e, 3) for e in of_each.difference],
            "Topics": of_each.topics,
            "Summaries": of_each.summaries,
        }
    )
    return table.sort_values("mP − aP", ignore_index=True), _WRITTEN


def topic_table(scores: PyramidScores) -> Shown:
    """One row per assessor, topic and condition, the lowest difference first."""
    of_each = by_topic(scores)
    columns = {"Rater": of_each.raters.astype(str), "Topic": of_each.topics.astype(str)}
    if (of_each.conditions != "").any():
        columns["Condition"] = of_each.conditions.astype(str)
    table = pd.DataFrame(
        {
            **columns,
            "Manual": of_each.manual,
            "Automatic": of_each.automatic,
            "mP − aP": of_each.difference,
            "Summaries": of_each.summaries,
        }
    )
    return table.sort_values("mP − aP", ignore_index=True), _WRITTEN


def scored(scores: PyramidScores) -> Sentence:
    """How many summaries and topics the figures rest on."""
    return (
        "{summaries} summaries under {cells} topics (a topic under a condition counts as one).",
        {"summaries": count(len(scores)), "cells": count(scores.cells)},
    )


def intervals(spec: BootstrapSpec) -> Sentence:
    """How intervals were drawn."""
    return (
        "Intervals: {draws} draws of an assessor's topics, seed {seed}.",
        {"draws": count(spec.draws), "seed": spec.seed},
    )


def remarks(scores: PyramidScores) -> list[Sentence]:
    """What was set aside, and where there are no model summaries."""
    told: list[Sentence] = [
        ("{number} set aside: {reason}.", {"number": count(number), "reason": reason})
        for reason, number in scores.left_out
    ]
    if scores.cells_without_models:
        told.append(
            (
                "{cells} topics have no model summaries (column is_model), so the mean number of content units is "
                "that of all their summaries.",
                {"cells": count(scores.cells_without_models)},
            )
        )
    return told


EXPLANATION = r"""
**mP − aP.** In every summary an assessor marks the strings (contributors) that express a content unit (SCU).
The *manual* Pyramid score *mP* of a summary is the weight of the distinct units marked in it. The *automatic*
score *aP* is the weight of the units marked in any *other* summary of its topic and condition with a string that
occurs in its text, as whole words; case, white space and punctuation do not matter.

Both are divided by the same amount, the best total weight for the topic's mean number of units per model summary
(the modified pyramid); where no summary is marked as a model, the mean is over all summaries of the topic. With
different divisors the automatic score could exceed the manual one by finding less.

The difference is averaged over the summaries of a topic, then over an assessor's topics (the paper's Figure 1). A
low value means that the assessor missed content which the same words expressed elsewhere, or marked by accident.
Only the order of assessors speaks of their consistency: the level depends on how literally summaries copy.
Intervals draw an assessor's topics, with Student's t for few of them.

Source: Owczarzak, Rankel, Dang and Conroy 2012, section 2 and Figure 1; Nenkova and Passonneau 2004. The intervals
are not in the paper.
"""
