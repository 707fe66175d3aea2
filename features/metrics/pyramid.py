"""The pyramid score of summaries: findings and section."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from analysis.assessors.pyramid import AssessorDifferences, PyramidScores, TopicScores, scores_by_topic
from analysis.values.estimate import BootstrapSpec, Estimate, InputError, shorten
from data.dataset import Dataset
from features.assessments import pyramid_differences, score_pyramid
from features.blocks import (
    Block,
    Figure,
    Finding,
    NextStep,
    Table,
    Warning,
    clear_if,
    confidence_interval,
    for_raters,
    method_of,
    not_applicable,
    not_enough_data,
)
from features.cache import Stopped
from features.metrics.section import difference_dots
from features.plotting.theme import THREE_DIGITS, count, estimate_with_interval
from features.program import computed_by
from features.study import Scenario, Study
from features.words import Column, counted, estimate_columns, raters_named, table_of

DIFFERENCE = "mP − aP"
_DATA = NextStep("Add them on Data", "datasets.py")


def nothing_to_score(has_texts: bool) -> Finding:
    """Return the finding of a study without the items' texts, or without contributors."""
    why, *line = (
        "these items have no contributors",
        "A file of kind contributors has a row per marked string",
        "topic, summary (named as the item here), content unit, its words and its weight",
    )
    if not has_texts:
        why, *line = (
            "the summaries have no texts",
            "Import the ratings again with a column text",
            "contributors of the pyramid are uploaded as well",
        )
    return not_enough_data(f"Not enough data to score pyramids: {why}.", {}, *line, next_step=_DATA)


def by_name(of_each: AssessorDifferences) -> list[tuple[str, Estimate]]:
    """Return each rater's name and mP - aP, the lowest first."""
    rows = zip(of_each.raters.tolist(), of_each.difference, strict=True)
    return sorted(rows, key=lambda row: row[1].value)


def pyramid_finding(of_each: AssessorDifferences, scenario: Scenario) -> Finding:
    """Return the rater with the lowest mP - aP, and if content was clearly missed."""
    rows = by_name(of_each)
    if not rows:
        return not_enough_data(
            "Not enough data to score pyramids: no summary could be scored.", next_step=_DATA
        )
    (lowest, low), (highest, high) = rows[0], rows[-1]
    misses = low.high < 0
    return clear_if(
        misses,
        "{lowest} misses content, scoring <b>{low}</b> below the automatic Pyramid."
        if misses
        else "{lowest} has the lowest mP − aP, <b>{low}</b>.",
        {
            "lowest": f"Rater {lowest}" if lowest else "The only rater",
            "low": THREE_DIGITS(-low.value if misses else low.value),
        },
        f"Manual minus automatic {THREE_DIGITS(low.value)}" if misses else "",
        confidence_interval(low, THREE_DIGITS),
        counted(low.n, "topic"),
        counted(len(rows), "rater"),
        f"highest: {shorten(highest)} {estimate_with_interval(high, THREE_DIGITS)}" if len(rows) > 1 else "",
        "excluded now" if lowest in scenario.names else "",
        for_raters("these raters"),
    )


def raters_table(of_each: AssessorDifferences, scenario: Scenario) -> Table:
    """Return the table with a row per rater, the lowest first."""
    order = np.argsort([one.value for one in of_each.difference], kind="stable")
    names = of_each.raters[order].tolist()
    excluded = ["yes" if name in scenario.names else "" for name in names]
    return table_of(
        "pyramid",
        "mP − aP of each rater, the lowest first.",
        [
            Column("Rater", names),
            Column("Excluded", excluded, None, scenario.excludes),
            *estimate_columns(DIFFERENCE, [of_each.difference[at] for at in order], THREE_DIGITS),
            Column("Topics", of_each.topics[order], count),
            Column("Summaries", of_each.summaries[order], count),
        ],
    )


def topics_table(scores: PyramidScores) -> Table:
    """Return the table with a row per rater, topic and condition, the lowest difference first."""
    of_each = scores_by_topic(scores)
    has_conditions = bool((of_each.conditions != "").any())
    caption = (
        "mP − aP per topic and rater, the lowest first, of {summaries} summaries under {cells} topics (a topic under a "
        "condition counts as one)."
    )
    values = {"summaries": count(len(scores)), "cells": count(scores.cells)}
    table = table_of(
        "pyramid topics",
        (caption, values),
        [
            Column("Rater", of_each.raters.astype(str)),
            Column("Topic", of_each.topics.astype(str)),
            *([Column("Condition", of_each.conditions.astype(str))] if has_conditions else []),
            Column("Manual", of_each.manual, THREE_DIGITS),
            Column("Automatic", of_each.automatic, THREE_DIGITS),
            Column(DIFFERENCE, of_each.difference, THREE_DIGITS),
            Column("Summaries", of_each.summaries, count),
        ],
        fold="Topic by topic",
    )
    return replace(table, frame=table.frame.sort_values(DIFFERENCE, ignore_index=True))


def pyramid_warnings(scores: PyramidScores) -> Iterator[Warning]:
    """Yield what was set aside, and that there are no model summaries."""
    for reason, number in scores.left_out:
        yield Warning(("{number} set aside: {reason}.", {"number": count(number), "reason": reason}))
    if scores.cells_without_models:
        text = (
            "{cells} topics have no model summaries (column is_model), so the mean number of content units is that of "
            "all their summaries."
        )
        yield Warning((text, {"cells": count(scores.cells_without_models)}))


@dataclass(frozen=True, eq=False)
class RaterPyramids:
    """Pyramid scores of the summaries, and mP - aP of each rater."""

    scores: PyramidScores
    of_each: AssessorDifferences

    @property
    def differences(self) -> dict[str, Estimate]:
        """Return mP - aP by rater."""
        return dict(by_name(self.of_each))

    @property
    def topics(self) -> TopicScores:
        return scores_by_topic(self.scores)


def score_raters(study: Study, spec: BootstrapSpec, contributors: Dataset) -> RaterPyramids:
    """Score the summaries by their contributors, and return mP - aP of each rater with its interval.

    Raises
    ------
    InputError
        where a column of the contributors cannot be read.
    Stopped
        where the computation was stopped.
    """
    scores = score_pyramid(study, contributors)
    if scores is None:
        raise Stopped
    return RaterPyramids(scores, pyramid_differences(study, contributors, scores, spec))


@computed_by(
    score_raters, "results = {'raters': found.differences, 'sizes': found.of_each, 'topics': found.topics}"
)
def pyramid_section(
    study: Study, scenario: Scenario, spec: BootstrapSpec, contributors: Dataset | None
) -> Iterator[Block]:
    """Yield mP - aP of each rater, then topic by topic."""
    if contributors is None or not study.whole.has("text"):
        yield nothing_to_score(study.whole.has("text"))
        return
    try:
        found = score_raters(study, spec, contributors)
    except Stopped:
        return
    except InputError as error:
        headline = "The contributors of the pyramid cannot be used."
        yield not_enough_data(headline, {}, str(error), next_step=_DATA)
        return
    if scenario.excludes:
        who = {"who": raters_named(scenario.names)}
        yield replace(not_applicable("Excluded raters are drawn hollow: {who}.", who), name="exclusion")
    yield pyramid_finding(found.of_each, scenario)
    if found.differences:
        rows = by_name(found.of_each)
        caption = "Manual minus automatic Pyramid score of each rater with its 95% CI, the lowest on top."
        draw = partial(difference_dots, rows, excluded=set(scenario.names))
        yield Figure("pyramid", (caption, {}), draw)
        yield raters_table(found.of_each, scenario)
        yield topics_table(found.scores)
    yield from pyramid_warnings(found.scores)
    yield method_of("metrics", "pyramid", ["owczarzak2012", "nenkova2004"])
