"""Automatic metrics: whether a metric such as ROUGE tells how well people judge, and where it is high or low."""

from functools import partial
from math import isnan

import streamlit as st

from analysis.correlation.rows import FEWEST
from analysis.relevance import anova, tukey
from analysis.relevance.judged_texts import OUTCOMES
from analysis.relevance.metric_correlations import (
    LEVELS,
    MEASURES,
    CorrelationSpec,
    Level,
    Measure,
    MetricCorrelations,
)
from analysis.relevance.metric_means import metric_means, outcome_means
from analysis.values.estimate import BootstrapSpec
from analysis.values.p_values import Alternative
from charts.relevance.metrics import Point, scatter
from features.plotting.figure import Figure
from features.plotting.series_dots import Series, series_dots
from features.results import key_of, long_result
from features.study import Study
from findings.code import relevance as program
from findings.relevance import judgments
from findings.relevance.anova import missing_cells
from findings.relevance.metrics import (
    LEVEL_NAMES,
    MEASURE_NAMES,
    NO_OUTCOME,
    OUTCOMES_NOTE,
    ByLevel,
    correlation_table,
    finding_of,
    highest_first,
    in_the_picture,
    means_finding,
    means_table,
    nothing_to_correlate,
    outcomes_table,
    remarks,
    stars_note,
    table_in_full,
    with_outcomes,
)
from findings.relevance.rows import Rows, correlated, metric_table, texts
from panels.relevance import metric_pairs
from panels.relevance.controls import metric_control, side_control
from panels.relevance.full_text import main_rows
from ui.conclusions import show_code, show_finding
from ui.controls import choose_one
from ui.pictures import draw, look
from ui.stages import conclude, show_stages
from ui.words import note, say

LEVEL_OF: dict[str, Level] = {name: level for level, name in LEVEL_NAMES.items()}
MEASURE_OF: dict[str, Measure] = {name: measure for measure, name in MEASURE_NAMES.items()}
TAILS: dict[str, Alternative] = {"two-sided": "two-sided", "one-tailed (as in the paper)": "greater"}
SUBJECTS = ("events", "documents")


def show(study: Study) -> None:
    """Finding, controls, scatter of one level, Tables 4 to 6 as one, the metric's means, and those per outcome."""
    rows = main_rows(study)
    closed = nothing_to_correlate(rows.surrogates, judgments.metrics(study))
    if closed is not None:
        say(*closed)
        return
    finding = st.empty()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        metric = metric_control(study)
        side = side_control(rows.surrogates)
        measure = MEASURE_OF[
            st.selectbox("Measure", list(MEASURE_OF), key="judging", bind="query-params", width=140)
        ]
        level = LEVEL_OF[
            choose_one(
                "Points",
                list(LEVEL_OF),
                usual=list(LEVEL_OF)[len(rows.surrogates.summaries) < FEWEST],
                key="level",
                width=220,
                help="Surrogates: each is one point. Surrogates × events: each surrogate in each event. Adjusted for "
                "events: the same, less the event's mean, so that easy events do not make a correlation.",
            )
        ]
        with st.popover("More"):
            tail = st.selectbox("Test", list(TAILS), key="tail", bind="query-params")
            keep_full_text = st.toggle(
                "Full text, too",
                key="keep_full_text",
                bind="query-params",
                help="Its length alone gives it a high metric: it is left out, as in the paper.",
            )
    picture = st.empty()

    def at(level: Level) -> MetricCorrelations | None:
        spec = CorrelationSpec(level, TAILS[tail], rows.full_text, keep_full_text)
        return correlated(study, rows, metric, side, spec)

    def at_all(_: ByLevel) -> ByLevel | None:
        by_level = {level: of for level in LEVELS if (of := at(level)) is not None}
        return by_level if len(by_level) == len(LEVELS) else None

    shown = at(level)
    if shown is None:
        return

    def show_levels(by_level: ByLevel, stage: str) -> None:
        if stage == "closed":
            draw(
                picture,
                _scatter(rows, shown, metric, measure),
                key="metric against",
                alt=f"{metric} against {MEASURE_NAMES[measure]}",
            )
        else:
            with finding:
                show_finding(finding_of(by_level, metric, side, measure))

    of_one: ByLevel = {level: shown}
    by_level = show_stages(
        of_one,
        show_levels,
        ("all levels", at_all),
    )
    if len(by_level) < len(LEVELS):
        return
    conclude(
        "metric_correlations",
        [
            (
                correlation_table(by_level),
                "Correlations of the metric with accuracy, precision, recall and F at three levels",
            )
        ],
        remarks=remarks(by_level, texts(study, rows, metric, side)),
        notes=[stars_note(by_level, tail)],
        download=lambda: table_in_full(by_level),
        figure=lambda: _scatter(rows, shown, metric, measure),
    )
    compared = metric_pairs.show(study, rows, side, keep_full_text)
    subjects = _show_means(study, rows, metric, keep_full_text)
    _show_outcomes(study, rows, metric, side)
    show_code(lambda: program.metrics(study, metric, side, shown.spec, compared, subjects))


def _scatter(rows: Rows, shown: MetricCorrelations, metric: str, measure: Measure) -> Figure:
    at = MEASURES.index(measure)
    drawn = zip(
        shown.surrogate.tolist(),
        shown.event.tolist(),
        shown.metric[at].tolist(),
        shown.value[at].tolist(),
        strict=True,
    )
    points = [
        Point(
            rows.surrogates.names[shown.surrogates[surrogate]],
            "" if event < 0 else rows.events[shown.events[event]],
            x,
            y,
        )
        for surrogate, event, x, y in drawn
        if not isnan(y)
    ]
    return scatter(
        points,
        metric,
        MEASURE_NAMES[measure],
        in_the_picture(shown, measure),
        look(),
        adjusted=shown.spec.level == "event-adjusted",
    )


def _show_means(study: Study, rows: Rows, metric: str, keep_full_text: bool) -> str:
    """Finding, means with letters, table; whose differences are the yardstick."""
    st.header("The metric by surrogate")
    subjects = st.segmented_control(
        "Subjects of the test",
        SUBJECTS,
        default="events",
        required=True,
        key="metric_subjects",
        bind="query-params",
        help="Events: for other events. Documents: for other documents of these events.",
    )
    of = metric_table(study, metric)
    if not keep_full_text:
        of = of.without(rows.full_text)
    test = anova.repeated_measures(of.event if subjects == "events" else of.document, of.surrogate, of.value)
    pairs = tukey.after(test)
    (say if test.defined else note)(*means_finding(metric, test))
    order, codes = highest_first(test), test.conditions.tolist()
    draw(
        st,
        series_dots(
            [rows.surrogates.names[codes[at]] for at in order],
            [Series(metric, [test.means[at] for at in order])],
            f"Mean metric, by {subjects}",
            look(),
            shares=False,
            letters=[pairs.letters[at] for at in order],
        ),
        key="metric means",
        alt="Mean of the metric for each surrogate, with letters",
    )
    table = means_table(rows.surrogates, metric_means(of), test, pairs, subjects)
    conclude("metric_means", [(table, "Means of the metric with letters")], notes=missing_cells(test))
    return subjects


def _show_outcomes(study: Study, rows: Rows, metric: str, side: str) -> None:
    st.header("The metric where people judge right and wrong")
    bootstrap = BootstrapSpec()
    means = long_result(
        key_of(study.dataset, "outcome means", rows.full_text, metric, side, bootstrap),
        "Intervals by outcome",
        partial(outcome_means, texts(study, rows, metric, side), bootstrap),
    )
    if means is None:
        return
    outcomes = {(mean.surrogate, mean.outcome): mean for mean in means}
    order = with_outcomes(rows.surrogates, outcomes)
    if not order:
        note(*NO_OUTCOME)
        return
    draw(
        st,
        series_dots(
            [rows.surrogates.names[code] for code in order],
            [Series(each.upper(), [outcomes[code, each].mean for code in order]) for each in OUTCOMES],
            f"Mean metric over judgments ({side})",
            look(),
            shares=False,
        ),
        key="metric by outcome",
        alt="Mean of the metric over true and false positives and negatives",
    )
    table = outcomes_table(rows.surrogates, outcomes)
    conclude(
        "metric_outcomes",
        [(table, "Mean of the metric by outcome and surrogate")],
        notes=[OUTCOMES_NOTE],
    )


EXPLANATION = r"""
**Three levels.** *Surrogates*: the mean metric of each against its accuracy (precision, recall, F) over all its
judgments; with ten surrogates, ten points. *Surrogates × events*: a point for each surrogate in each event. *Adjusted
for events*: the same with each event's mean removed from both sides, so that an easy event with a high metric does not
make a correlation.

**The full text is left out** before means are removed: its length alone gives it a high metric.

**p.** Surrogates: Student's t with n − 2 degrees of freedom (Spearman's exact for up to eight). The paper uses t for
*surrogates × events*, too, which takes points for independent, though those of a surrogate are not (its p is in the
download). Here p of the two levels with events comes from permuting whole surrogates. Two-sided, or one-tailed for a
positive correlation as in the paper.

**Intervals.** Surrogates: Fisher's z (Bonett and Wright's for Spearman's ρ, over few
surrogates a little wide: over 5 it held in 98 to 99 of 100 simulated studies), for other surrogates like these. With
events: from what whole surrogates and whole events add to the correlation, on Fisher's z with Student's t, for other
surrogates and events. They need three of each.

**Means.** The metric of each surrogate with a repeated-measures analysis of variance, events (or documents) as
subjects, and Tukey's HSD: surrogates that share a letter do not differ significantly.

**By outcome.** The mean metric of the texts behind true and false positives and negatives, a text counting once per
judgment. A metric that knows what misleads is lower where people judge wrong. Intervals draw raters and documents.

Sources: Hobson, Dorr, Monz and Schwartz 2007, section 4.3.3, Tables 3 to 6 and 9, section 5.4; Cameron,
Gelbach and Miller 2011; Bonett and Wright 2000.
"""
