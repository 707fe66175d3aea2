"""Controls of "Relevance": the question, the full text, and the choices of each question."""

from collections.abc import Sequence

import streamlit as st

from analysis.correlation.rank_rows import FEWEST_PAIRS
from analysis.relevance.metric_correlations import Level, Measure
from analysis.values.estimate import Alternative, BootstrapSpec
from features.relevance import agreement_results as agreement
from features.relevance.agreement_findings import FIGURE_NAMES
from features.relevance.agreement_results import Surrogates, find_full_text, main_study, metrics, names
from features.relevance.metrics_findings import LEVEL_NAMES, MEASURE_NAMES, missing_metric
from features.relevance.metrics_results import LARGEST_SIZE, MetricSpec, PartitionsSpec
from features.study import Study
from ui.controls import (
    choose_bootstrap,
    choose_compared_metrics,
    choose_number,
    choose_one,
    choose_seed,
    choose_segment,
    choose_segment_in_row,
    choose_value,
)

ACCURACY, RATERS, DIFFERENCES = "Which summaries suffice", "Do raters agree", "Significant differences"
METRICS, PARTITIONS, ORDER = "Automatic metrics", "Partitions", "Order of presentation"
QUESTIONS = (ACCURACY, RATERS, DIFFERENCES, METRICS, PARTITIONS, ORDER)
NO_FULL_TEXT = "none of them"
_FIGURES: dict[str, agreement.Figure] = {name: figure for figure, name in FIGURE_NAMES.items()}
_LEVELS: dict[str, Level] = {name: level for level, name in LEVEL_NAMES.items()}
_MEASURES: dict[str, Measure] = {name: measure for measure, name in MEASURE_NAMES.items()}
_TAILS: dict[str, Alternative] = {"two-sided": "two-sided", "one-tailed (as in the paper)": "greater"}
_SUBJECTS: dict[str, agreement.Subjects] = {"raters": "raters", "events": "events"}


def choose_question() -> str:
    return choose_segment("Question", {each: each for each in QUESTIONS}, key="about")


def choose_full_text(study: Study) -> str:
    """Draw the choice of the surrogate that is the document itself in the sidebar; "" for none."""
    surrogates = names(study, "surrogate").tolist()
    with st.sidebar:
        chosen = choose_one(
            "Full text",
            [*surrogates, NO_FULL_TEXT],
            usual=find_full_text(study) or NO_FULL_TEXT,
            key="full_text",
            help="The surrogate that is the whole document: judgments of the others are compared with it.",
        )
    return str(chosen) if chosen in surrogates else ""


def choose_accuracy(study: Study, full_text: str) -> agreement.AccuracySpec:
    help = (
        "Accuracy: the share of judgments that agree. Precision: of those judged relevant, how many are. Recall: of "
        "those that are relevant, how many were judged so. Kappa: agreement beyond each rater's own chance."
    )
    with st.container(horizontal=True, vertical_alignment="bottom"):
        figure = choose_value("Figure", _FIGURES, key="relevance_figure", width=240, help=help)
        baseline = _choose_baseline(study, full_text)
        bootstrap = _choose_bootstrap()
    return agreement.AccuracySpec(figure, bootstrap, full_text=full_text, baseline=baseline)


def _choose_baseline(study: Study, full_text: str) -> str:
    """Draw the choice of the lower baseline, where there is a full text and something in between; "" for none."""
    surrogates = [name for name in names(study, "surrogate").tolist() if name != full_text]
    if not full_text or len(surrogates) < 2:
        return ""
    help = "A surrogate such as the first words of a text. Others are placed between it and the full text."
    chosen = choose_one(
        "Lower baseline",
        [*surrogates, NO_FULL_TEXT],
        usual=agreement.find_baseline(study) or NO_FULL_TEXT,
        key="baseline",
        width=200,
        help=help,
    )
    return str(chosen) if chosen in surrogates else ""


def choose_raters(full_text: str) -> agreement.RatersSpec:
    help = "For the paper's kappa, (P_A − P_E) / (1 − P_E), with P_A the accuracy compared with gold."
    with st.container(horizontal=True, vertical_alignment="bottom"):
        chance = st.number_input(
            "Agreement by chance (P_E)",
            0.0,
            0.99,
            agreement.CHANCE,
            0.05,
            key="chance",
            bind="query-params",
            width=220,
            help=help,
        )
        bootstrap = _choose_bootstrap()
    return agreement.RatersSpec(float(chance), bootstrap, full_text)


def choose_differences(study: Study, full_text: str) -> agreement.DifferencesSpec:
    """Draw the controls of "Significant differences", where there is a measure; the default one has a test."""
    offered = agreement.measures_of(main_study(study, full_text).surrogates)
    if not offered:
        return agreement.DifferencesSpec("", full_text=full_text)
    help = (
        "Whose differences are the yardstick: raters, for other raters on these documents; events, for other events "
        "judged by these raters."
    )
    with st.container(horizontal=True, vertical_alignment="bottom"):
        usual = agreement.default_measure(study, full_text)
        measure = choose_one("Measure", offered, usual=usual, key="compared_measure", width=220)
        subjects = choose_segment_in_row("Subjects", _SUBJECTS, key="subjects", help=help)
    return agreement.DifferencesSpec(measure, subjects, full_text)


def choose_metric(study: Study, full_text: str) -> MetricSpec:
    surrogates, offered = main_study(study, full_text).surrogates, metrics(study)
    if missing_metric(surrogates, offered) is not None:
        return MetricSpec("", "", full_text=full_text)
    points = (
        "Surrogates: each is one point. Surrogates × events: each surrogate in each event. Adjusted for events: the "
        "same, minus the event's mean, so that easy events do not make a correlation."
    )
    keep_help = "Its length alone gives it a high metric: it is left out, as in the paper."
    usual = list(_LEVELS)[len(surrogates.summaries) < FEWEST_PAIRS]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        metric, side = _choose_metric_and_side(surrogates, offered)
        measure = choose_value("Measure", _MEASURES, key="judging", width=140)
        level = _LEVELS[choose_one("Points", list(_LEVELS), usual=usual, key="level", width=220, help=points)]
        with st.popover("Settings"):
            tail = choose_value("Test", _TAILS, key="tail")
            keep = st.toggle("Full text, too", key="keep_full_text", bind="query-params", help=keep_help)
            compared = list[str]()
            if len(offered) > 1:
                texts = "texts for which both are known"
                compared = choose_compared_metrics("relevance_metrics_compared", offered, texts)
    return MetricSpec(metric, side, measure, level, tail, keep, tuple(compared), full_text)


def choose_partitions(study: Study, full_text: str) -> PartitionsSpec:
    surrogates, offered = main_study(study, full_text).surrogates, metrics(study)
    if missing_metric(surrogates, offered) is not None:
        return PartitionsSpec("", "", full_text=full_text)
    help = "Larger groups have steadier rates but there are fewer of them."
    more = "Partitions of the documents at random; more of them make the outline steadier."
    with st.container(horizontal=True, vertical_alignment="bottom"):
        metric, side = _choose_metric_and_side(surrogates, offered)
        size = st.slider(
            "Documents per group",
            1,
            LARGEST_SIZE,
            4,
            key="group_size",
            bind="query-params",
            width=260,
            help=help,
        )
        with st.popover("Settings"):
            draws = choose_number(
                "Random partitions", 100, 100_000, 10_000, 1000, key="partition_draws", help=more
            )
            seed = choose_seed("partition_seed")
    return PartitionsSpec(metric, side, int(size), draws, seed, full_text)


def choose_order() -> BootstrapSpec:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        return _choose_bootstrap()


def _choose_bootstrap() -> BootstrapSpec:
    with st.popover("Settings"):
        return choose_bootstrap("relevance_")


def _choose_metric_and_side(surrogates: Surrogates, offered: Sequence[str]) -> tuple[str, str]:
    """Draw the choices of the metric, and of the agreement where both are defined."""
    metric = choose_one("Metric", list(offered), key="metric", width=200)
    if len(surrogates.sides) == 1:
        return metric, surrogates.sides[0]
    help = "Relevance Prediction compares with what the same rater said of the full text, LDC Agreement with gold."
    sides = {side: side for side in surrogates.sides}
    return metric, choose_segment_in_row("Agreement", sides, key="agreement", help=help)
