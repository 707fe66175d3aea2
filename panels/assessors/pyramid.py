"""Pyramid: who misses content that he marked elsewhere, by manual less automatic Pyramid score."""

from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from analysis.assessors.pyramid import AssessorDifferences, PyramidScores, by_topic
from analysis.values.estimate import BootstrapSpec
from charts.assessors.pyramid import differences
from charts.parts.numbers import count, decimal, interval
from findings.study import Scenario, Study
from findings.words import Sentence
from panels.assessors import contributors
from panels.assessors.joined_datasets import choose_joined
from panels.parts.downloads import downloads
from panels.parts.pictures import draw, let_it_be_drawn, look
from panels.parts.sampling_controls import draws_control, seed_control
from panels.parts.tables import show_table
from panels.parts.words import note, say, warn

_EXACT = partial(decimal, digits=3)
WRITTEN = {
    **dict.fromkeys(("mP − aP", "Manual", "Automatic"), _EXACT),
    **dict.fromkeys(("Topics", "Summaries"), count),
}


def show(study: Study, scenario: Scenario) -> None:
    """Finding, dots with whiskers per assessor (Figure 1), their table, then topic by topic."""
    offered = contributors.offered(study)
    if not study.whole.has("text") or not offered:
        say(_missing(study, bool(offered)))
        return
    finding = st.empty()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen = choose_joined("Contributors", offered, "pyramid")
        with st.popover("More"):
            draws = draws_control()
            seed = seed_control()
    if chosen is None:
        return
    scores = contributors.scores(study, chosen)
    if scores is None:
        return
    spec = BootstrapSpec(draws, seed)
    found = contributors.differences(study, chosen, scores, spec)
    with finding:
        template, values = finding_of(found, scenario)
        say(template, **values)
    if not len(found.raters):
        _remark(scores)
        return
    figure = differences(_rows(found), look(), set(scenario.names))
    draw(
        st,
        figure,
        key="pyramid_differences",
        alt="Manual less automatic Pyramid score of each assessor with its interval, the lowest at the bottom",
    )
    let_it_be_drawn(f"pyramid {study.key} {chosen.id} {scenario.names}")
    table = assessor_table(found, scenario)
    show_table(table, WRITTEN, alt="mP − aP per assessor, the lowest first", most=12)
    _remark(scores)
    note(
        "Intervals: {draws} draws of an assessor's topics, seed {seed}.",
        draws=count(spec.draws),
        seed=spec.seed,
    )
    st.subheader("Topic by topic")
    show_table(topic_table(scores), WRITTEN, alt="mP − aP per topic and assessor, the lowest first", most=10)
    downloads("pyramid", lambda: table, lambda: figure)


def finding_of(found: AssessorDifferences, scenario: Scenario) -> Sentence:
    """Who is lowest, and who highest."""
    rows = sorted(_rows(found), key=lambda row: row[1].value)
    if not rows:
        return "No summary could be scored: see below what was set aside.", {}
    (lowest, low), (highest, high) = rows[0], rows[-1]
    values: dict[str, Any] = {
        "lowest": lowest or "the assessor",
        "low": decimal(low.value, 3),
        "interval": interval(low, 3),
        "topics": count(low.n),
        "highest": highest,
        "high": decimal(high.value, 3),
        "out": ", who is left out now," if lowest in scenario.names else "",
    }
    sentence = "mP − aP is lowest for <b>{lowest}</b>{out}: <b>{low}</b> ({interval}) over {topics} topics"
    if len(rows) == 1:
        return sentence + "; there is nobody to hold it against.", values
    sentence += "; highest for {highest}: {high}."
    if low.value < 0:
        sentence += (
            " Below 0, content marked in other summaries was missed more often than new content was found."
        )
    return sentence, values


def assessor_table(found: AssessorDifferences, scenario: Scenario) -> pd.DataFrame:
    """One row per assessor, the lowest first."""
    table = pd.DataFrame(
        {
            "Rater": found.raters.astype(str),
            "Left out": ["yes" if rater in scenario.names else "" for rater in found.raters.tolist()],
            "mP − aP": [e.value for e in found.difference],
            "95 %": [interval(e, 3) for e in found.difference],
            "Topics": found.topics,
            "Summaries": found.summaries,
        }
    )
    return table.sort_values("mP − aP", ignore_index=True)


def topic_table(scores: PyramidScores) -> pd.DataFrame:
    """One row per assessor, topic and condition, the lowest difference first."""
    found = by_topic(scores)
    columns = {"Rater": found.raters.astype(str), "Topic": found.topics.astype(str)}
    if (found.conditions != "").any():
        columns["Condition"] = found.conditions.astype(str)
    table = pd.DataFrame(
        {
            **columns,
            "Manual": found.manual,
            "Automatic": found.automatic,
            "mP − aP": found.difference,
            "Summaries": found.summaries,
        }
    )
    return table.sort_values("mP − aP", ignore_index=True)


def _rows(found: AssessorDifferences) -> list[tuple[str, Any]]:
    return list(zip(found.raters.tolist(), found.difference, strict=True))


def _remark(scores: PyramidScores) -> None:
    note(
        "{summaries} summaries under {cells} topics (a topic under a condition counts as one).",
        summaries=count(len(scores)),
        cells=count(scores.cells),
    )
    for reason, number in scores.left_out:
        warn("{number} set aside: {reason}.", number=count(number), reason=reason)
    if scores.cells_without_models:
        warn(
            "{cells} topics have no model summaries (column is_model), so the mean number of content units is that "
            "of all their summaries.",
            cells=count(scores.cells_without_models),
        )


def _missing(study: Study, contributors: bool) -> str:
    if contributors or not study.whole.has("text"):
        return (
            "mP − aP looks for marked words in the summaries' texts, and this data set has none. Import it again on "
            "the <b>Data</b> page with a column <b>text</b>."
            + ("" if contributors else " The contributors of the pyramid are uploaded there too.")
        )
    return (
        "There are no contributors of a pyramid for these items yet. Upload them on the <b>Data</b> page as kind "
        "<b>contributors</b>: a row per marked string with topic, summary (by the same name as the item here), "
        "content unit, its words and its weight."
    )


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
