"""Controls of "Automatic metrics", "Pyramid" and "Training a metric": what the visitor chooses becomes a spec."""

from functools import partial

import streamlit as st

from analysis.assessors.metric_training import METHODS, MOST_FITS, TrainingSpec, default_largest_subset
from analysis.correlation.rank_rows import CorrelationName
from analysis.values.estimate import BootstrapSpec
from features.assessments import names
from features.metrics.difference import MOST_METRICS, DifferenceSpec
from features.metrics.results import Joined, Metric, MetricSpec, list_kinds, offered_metrics
from features.metrics.training import METHOD_NAMES, MetricTrainingSpec, rated_measures
from features.study import Study
from ui.controls import (
    choose_bootstrap,
    choose_bootstrap_samples,
    choose_compared_metrics,
    choose_measure,
    choose_one,
    choose_seed,
    choose_segment,
    choose_some,
    choose_value,
)
from ui.visit.study import METRICS, PYRAMID, choose_joined, joinable_contributors, joinable_metrics

CORRELATIONS: dict[str, CorrelationName] = {"Pearson's r": "pearson", "Spearman's ρ": "spearman"}
ALL_KINDS = "all systems"
AGREEMENT, DIFFERENCE = "Agreement with raters", "Worth of a difference"
_number = partial(st.number_input, bind="query-params")
_MACHINES = ("machine", "system", "automatic", "peer")
_MACHINE_WORDS = (*_MACHINES, "model output")
_SPLITS = {
    "fit": ("Fit on", "Every model is fitted to this split first."),
    "choose": ("Choose on", "The model that ranks this split's systems best is chosen."),
    "test": ("Test on", "The chosen model, fitted again, is tested here with everyone's ratings."),
}


def choose_question() -> str:
    return choose_segment("Question", {each: each for each in (AGREEMENT, DIFFERENCE)}, key="about")


def choose_difference(study: Study) -> tuple[DifferenceSpec | None, Joined]:
    """Draw the controls of what a difference is worth; return the spec, None without a metric, and the joined file."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        metric, offered, joined = _choose_metric(study)
        if metric is None:
            return None, None
        measure = choose_measure(study, key="metric_measure", width=200)
        kind = _choose_kind(study)
        first, second = (
            _number(
                f"{which} value",
                value=None,
                key=f"metric_value_{at}",
                format="%.4f",
                width=150,
                placeholder="of the metric",
                help="Two systems' values of the metric: how likely people prefer the higher one.",
            )
            for at, which in enumerate(("First", "Second"), 1)
        )
    values = None if first is None or second is None else (float(first), float(second))
    others = tuple(one for one in offered.values() if one != metric)[: MOST_METRICS - 1]
    return DifferenceSpec(metric, measure, kind, others, values), joined


def _choose_metric(study: Study) -> tuple[Metric | None, dict[str, Metric], Joined]:
    """Draw the choice of the metrics file and of a metric; None where there is none."""
    joined = choose_joined("Metrics file", joinable_metrics(study), METRICS, none="none")
    offered = offered_metrics(study, None if joined is None else joined[1])
    if not offered:
        return None, {}, None
    usual = next((name for name in offered if "rouge2" in name.casefold()), next(iter(offered)))
    return offered[choose_one("Metric", list(offered), usual=usual, key="metric", width=260)], offered, joined


def choose_metrics(study: Study) -> tuple[MetricSpec | None, Joined]:
    """Draw the controls of the page; return the spec, None without any metric, and the joined file."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        metric, offered, joined = _choose_metric(study)
        if metric is None:
            return None, None
        kind = _choose_kind(study)
        with st.popover("Settings"):
            correlation = choose_value("Correlation", CORRELATIONS, key="metric_correlation")
            compared = choose_compared_metrics(
                "metrics_compared", list(offered), "ratings for which both are known"
            )
            bootstrap = choose_bootstrap()
    others = tuple(offered[name] for name in compared)
    return MetricSpec(metric, others, kind, correlation, bootstrap), joined


def _choose_kind(study: Study) -> str:
    """Draw the choice of the kind of systems, where the data tell machines from people; "" for all."""
    kinds = list_kinds(study)
    if len(kinds) < 2:
        return ""
    options = {ALL_KINDS: "", **{f"only {kind}": kind for kind in kinds}}
    usual = next((name for name, kind in options.items() if kind.casefold() in _MACHINES), ALL_KINDS)
    help = "Correlations over people and machines together differ from those over machines alone."
    return options[choose_one("Systems", list(options), usual=usual, key="systems_of", width=170, help=help)]


def choose_pyramid(study: Study) -> tuple[BootstrapSpec, Joined]:
    """Draw the controls of the page; return how intervals are computed, and the contributors."""
    offered = joinable_contributors(study) if study.whole.has("text") else {}
    if not offered:
        return BootstrapSpec(), None
    with st.container(horizontal=True, vertical_alignment="bottom"):
        joined = choose_joined("Contributors", offered, PYRAMID)
        with st.popover("Settings"):
            bootstrap = choose_bootstrap()
    return bootstrap, joined


def choose_training(study: Study) -> MetricTrainingSpec | None:
    """Draw the controls of the page; return the spec, None where the splits are not different."""
    splits, offered = names(study, "split").tolist(), study.whole.named("item number")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        measure = choose_one("Measure to predict", rated_measures(study), key="training_measure", width=220)
        chosen = [_choose_split(name, at, splits) for at, name in enumerate(_SPLITS)]
        with st.popover("Settings"):
            help = "Numbers that a model may use. With none chosen, all numeric columns of the items."
            features = choose_some(
                "Features", offered, "All numeric columns", key="training_features", help=help
            )
            features = features or tuple(offered)
            most = default_largest_subset(len(features), fits=MOST_FITS)
            help = "The most features of one model. Left empty: as many as keep the search within about 2,000 fits."
            usual, label = default_largest_subset(len(features)), "Features at most"
            largest = _number(label, 1, most, None, key="training_largest", placeholder=f"{usual}", help=help)
            labels = [METHOD_NAMES[method] for method in METHODS]
            kinds = choose_some("Kinds of model", labels, "All three", key="training_methods")
            bootstrap = BootstrapSpec(
                choose_bootstrap_samples("training_draws"), choose_seed("training_seed")
            )
            machine_kind = _choose_machine_kind(study)
    fit, choose, test = chosen
    if len({fit, choose, test}) < 3:
        return None
    search = TrainingSpec(
        splits.index(fit),
        splits.index(choose),
        splits.index(test),
        tuple(method for method in METHODS if not kinds or METHOD_NAMES[method] in kinds),
        min(int(largest or usual), most),
        bootstrap,
    )
    return MetricTrainingSpec(measure, tuple(features), (fit, choose, test), machine_kind, search)


def _choose_split(name: str, at: int, splits: list[str]) -> str:
    label, help = _SPLITS[name]
    return choose_one(label, splits, usual=splits[at], key=f"training_{name}", help=help, width=130)


def _choose_machine_kind(study: Study) -> str:
    """Draw the choice of the kind of systems that are machines; "" where the data do not tell kinds apart."""
    kinds = list_kinds(study)
    if len(kinds) < 2:
        return ""
    usual = next(
        (kind for kind in kinds if any(word in kind.casefold() for word in _MACHINE_WORDS)), kinds[0]
    )
    help = "The others are people, who enter the columns 'with humans' only."
    return choose_one("Systems only are those of kind", kinds, usual=usual, key="training_kind", help=help)
