"""Training a metric: which features predict the assessors, and whether it helps to leave some assessors out."""

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from analysis.assessors.metric_training import (
    METHODS,
    MOST_FITS,
    Cell,
    TrainingSpec,
    table5,
    usual_largest_subset,
)
from analysis.assessors.summary_scores import SummaryScores, summary_scores
from analysis.values.estimate import BootstrapSpec
from analysis.values.names import distinct_label
from charts.assessors.metric_training import correlations
from features.assessments import assessments, item_numbers, names, system_kinds
from features.results import key_of, long_result
from features.study import Scenario, Study
from findings.assessors import metric_training as findings
from findings.assessors.metric_training import EXPLANATION, METHOD_NAMES, Asked
from findings.code import assessors as program
from ui.conclusions import show_code, show_finding
from ui.controls import choose_one
from ui.downloads import downloads
from ui.pictures import draw, look
from ui.sampling_controls import draws_control, seed_control
from ui.tables import show_table
from ui.words import note, say, warn

__all__ = ["EXPLANATION", "show"]

_MACHINE_WORDS = ("machine", "system", "automatic", "peer", "model output")

TRAINED = "Correlations of the trained metrics, as in Table 5"
MODELS = "The chosen model of each metric"


def show(study: Study, scenario: Scenario) -> None:
    """Finding, dot plot, Table 5, and the chosen models."""
    features = study.whole.named("item number")
    lacking = findings.missing(study.whole.has("system"), len(names(study, "split")), len(features))
    if lacking is not None:
        say(*lacking)
        return
    finding = st.empty()
    asked = _controls(study)
    cells = None if asked is None else _trained(study, scenario, asked)
    if asked is None or cells is None:
        return
    columns = findings.columns(asked, cells, names(study, "condition").tolist())
    with finding:
        show_finding(findings.finding(scenario, asked, columns))
    tested = findings.correlations_when_tested(columns)
    if any(everyone.defined for _, everyone, _ in tested):
        draw(
            st,
            correlations(tested, look()),
            key="training_correlations",
            alt="Correlation of the trained metrics with the assessors over the systems of the test split",
        )
    trained = findings.table5(scenario, columns)
    show_table(*trained, alt=TRAINED)
    models, written = findings.models_table(scenario, asked, columns)
    show_table(models, written, alt=MODELS, most=10)
    for sentence in findings.notes(asked, columns):
        note(*sentence)
    downloads(
        "training", [(trained, TRAINED), ((models, written), MODELS)], lambda: correlations(tested, look())
    )
    show_code(lambda: program.training(study, scenario, asked, _judged(study)))


def _trained(study: Study, scenario: Scenario, asked: Asked) -> tuple[Cell, ...] | None:
    """The metrics of every column of Table 5; None while stopped."""
    return long_result(
        key_of(study.whole, "training a metric", study.candidate, asked, scenario.left_out_codes),
        "Training a metric",
        lambda on_progress: table5(
            _summary_scores(study, asked),
            _judged(study).index(asked.measure),
            asked.spec,
            scenario.left_out_codes,
            on_progress,
        ),
    )


def _controls(study: Study) -> Asked | None:
    offered = study.whole.named("item number")
    splits = names(study, "split").tolist()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        measure = choose_one("Measure to predict", _judged(study), key="training_measure", width=240)
        fitted, chosen, tested = (
            st.selectbox(
                label,
                splits,
                index=at,
                format_func=distinct_label,
                key=f"training_{key}",
                bind="query-params",
                help=told,
                width=130,
            )
            for at, (label, key, told) in enumerate(
                (
                    ("Fit on", "fit", "Every model is fitted to this part first."),
                    ("Choose on", "choose", "The model that ranks this part's systems best is chosen."),
                    (
                        "Test on",
                        "test",
                        "The chosen model, fitted again, is tested here; nobody is left out.",
                    ),
                )
            )
        )
        features = st.multiselect(
            "Features",
            offered,
            format_func=distinct_label,
            key="training_features",
            bind="query-params",
            placeholder="All numeric columns",
            help="What a model may use. With none chosen, all numeric columns of the items.",
            width=300,
        ) or list(offered)
        usual = usual_largest_subset(len(features))
        most = usual_largest_subset(len(features), fits=MOST_FITS)
        largest = st.number_input(
            "Features at most",
            1,
            most,
            None,
            key="training_largest",
            bind="query-params",
            placeholder=f"{usual}",
            width=150,
            help="The most features of one model. Left empty: as many as keep the search within about 2,000 fits.",
        )
        with st.popover("More"):
            methods = st.multiselect(
                "Kinds of model",
                [METHOD_NAMES[method] for method in METHODS],
                key="training_methods",
                bind="query-params",
                placeholder="All three",
            )
            draws = draws_control("training_draws")
            seed = seed_control("training_seed")
            machine_kind = _machine_kind(study)
    if len({fitted, chosen, tested}) < 3:
        warn("Choose three different parts to fit on, to choose on and to test on.")
        return None
    spec = TrainingSpec(
        splits.index(fitted),
        splits.index(chosen),
        splits.index(tested),
        tuple(method for method in METHODS if not methods or METHOD_NAMES[method] in methods),
        min(int(largest or usual), most),
        BootstrapSpec(draws, seed),
    )
    return Asked(measure, tuple(features), (fitted, chosen, tested), machine_kind, spec)


def _machine_kind(study: Study) -> str:
    """The value of `system_kind` that means a machine, "" where the data do not tell kinds apart."""
    kinds: list[str] = list(dict.fromkeys(kind for kind in system_kinds(study).tolist() if kind))
    if len(kinds) < 2:
        return ""
    usual = next((kind for kind in kinds if any(w in kind.casefold() for w in _MACHINE_WORDS)), kinds[0])
    return choose_one(
        "Systems only are those of kind",
        kinds,
        usual=usual,
        key="training_kind",
        help="The others are people, who enter the columns 'with humans' only.",
    )


def _judged(study: Study) -> list[str]:
    """The measures that the candidate group rated."""
    return [measure for measure in study.all_measures if len(assessments(study, measure))]


def _summary_scores(study: Study, asked: Asked) -> SummaryScores:
    kinds = system_kinds(study)
    is_machine: NDArray[np.bool_] | None = kinds == asked.machine_kind if asked.machine_kind else None
    features = np.column_stack([item_numbers(study, name) for name in asked.features])
    return summary_scores([assessments(study, measure) for measure in _judged(study)], features, is_machine)
