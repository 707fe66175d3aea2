"""Training a metric: which features predict the assessors, and whether it helps to leave some assessors out."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from math import nan
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st
from numpy.typing import NDArray

from analysis.assessors.metric_training import (
    METHODS,
    MOST_FITS,
    Cell,
    Method,
    SummaryScores,
    Trained,
    TrainingSpec,
    number_of_fits,
    summary_scores,
    table5,
    usual_largest_subset,
)
from analysis.values.estimate import BootstrapSpec
from charts.assessors.metric_training import correlations
from charts.parts.numbers import MINUS, count, decimal, interval
from findings.study import Scenario, Study
from findings.words import Sentence, listed
from panels.assessors.assessments import assessments, item_numbers, names, system_kinds
from panels.parts.downloads import downloads
from panels.parts.pictures import draw, let_it_be_drawn, look
from panels.parts.progress import long_result
from panels.parts.sampling_controls import draws_control, seed_control
from panels.parts.shelf import key_of
from panels.parts.tables import show_table
from panels.parts.words import note, say, warn

METHOD_NAMES: dict[Method, str] = {
    "huber": "robust regression (Huber)",
    "nnls": "non-negative least squares",
    "cca": "canonical correlation",
}
FEWEST_FEATURES = 2
_EXACT = partial(decimal, digits=3)
_MACHINE_WORDS = ("machine", "system", "automatic", "peer", "model output")
_LEARNED = "Learned from"
WRITTEN: dict[str, Callable[[float], str]] = {
    **dict.fromkeys(("r when tested", "r when chosen"), _EXACT),
    **dict.fromkeys(("Models compared", "Systems", "Judgements fitted", "Judgements chosen with"), count),
}


@dataclass(frozen=True)
class _Asked:
    """What the controls say."""

    measure: str
    features: tuple[str, ...]
    splits: tuple[str, str, str]
    machine_kind: str
    spec: TrainingSpec


def show(study: Study, scenario: Scenario) -> None:
    """Finding, dot plot, Table 5, and the chosen models."""
    missing = _missing(study)
    if missing:
        template, values = missing
        say(template, **values)
        return
    finding = st.empty()
    asked = _controls(study)
    if asked is None:
        return
    cells = long_result(
        key_of(study.whole, "training a metric", study.candidate, asked, scenario.left_out_codes),
        "Training a metric",
        lambda on_progress: table5(
            _judgments(study, asked),
            _judged(study).index(asked.measure),
            asked.spec,
            scenario.left_out_codes,
            on_progress,
        ),
    )
    if cells is None:
        return
    with finding:
        template, values = _finding(study, scenario, asked, cells)
        say(template, **values)
    labels = [_label(study, asked, cell) for cell in cells]
    figure = correlations(
        [
            (label, cell.everyone.correlation_test, cell.left_out and cell.left_out.correlation_test)
            for label, cell in zip(labels, cells, strict=True)
        ],
        look(),
    )
    if any(cell.everyone.correlation_test.defined for cell in cells):
        draw(
            st,
            figure,
            key="training_correlations",
            alt="Correlation of the trained metrics with the assessors over the systems of the test split",
        )
        let_it_be_drawn(f"training {study.key} {asked} {scenario.left_out_codes}")
    whole = _table5(scenario, labels, cells)
    show_table(whole, dict.fromkeys(labels, _EXACT), alt="Correlations of the trained metrics, as in Table 5")
    models = _models(scenario, asked, labels, cells)
    show_table(models, WRITTEN, alt="The chosen model of each metric", most=10)
    for template, values in _remarks(study, asked, labels, cells):
        note(template, **values)
    downloads("training", lambda: models, lambda: figure)


def _missing(study: Study) -> Sentence | None:
    """What the data set lacks for training, and how to provide it; None where nothing."""
    whole = study.whole
    features = whole.named("item number")
    if not whole.has("system"):
        return (
            "A metric is judged by how it ranks systems, and this data set names none. Give a column <b>system</b> "
            "on the Data page to train one.",
            {},
        )
    if len(names(study, "split")) < 3:
        return (
            "Training a metric needs three parts of the data: one to fit models on, one to choose among them, one "
            "to test the choice. Give a column <b>split</b> with at least three values (years, for instance) on "
            "the Data page; this data set has {n}.",
            {"n": len(names(study, "split")) or "no such column"},
        )
    if len(features) < FEWEST_FEATURES:
        return (
            "Training a metric needs at least two <b>numeric columns</b> that describe the items, such as "
            "automatic metrics or lengths, each with one value per item; this data set has {n}. Add them to the "
            "file and upload it again on the Data page.",
            {"n": len(features) or "none"},
        )
    return None


def _controls(study: Study) -> _Asked | None:
    offered = study.whole.named("item number")
    splits = names(study, "split").tolist()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        measure = st.selectbox(
            "Measure to predict", _judged(study), key="training_measure", bind="query-params", width=240
        )
        fitted, chosen, tested = (
            st.selectbox(
                label, splits, index=at, key=f"training_{key}", bind="query-params", help=told, width=130
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
    return _Asked(measure, tuple(features), (fitted, chosen, tested), machine_kind, spec)


def _machine_kind(study: Study) -> str:
    """The value of `system_kind` that means a machine, "" where the data do not tell kinds apart."""
    kinds = list(dict.fromkeys(kind for kind in system_kinds(study).tolist() if kind))
    if len(kinds) < 2:
        return ""
    at = next((i for i, kind in enumerate(kinds) if any(w in kind.casefold() for w in _MACHINE_WORDS)), 0)
    return st.selectbox(
        "Systems only are those of kind",
        kinds,
        index=at,
        key="training_kind",
        bind="query-params",
        help="The others are people, who enter the columns 'with humans' only.",
    )


def _judged(study: Study) -> list[str]:
    """The measures that the candidate group rated."""
    return [measure for measure in study.all_measures if len(assessments(study, measure))]


def _judgments(study: Study, asked: _Asked) -> SummaryScores:
    kinds = system_kinds(study)
    is_machine: NDArray[np.bool_] | None = kinds == asked.machine_kind if asked.machine_kind else None
    features = np.column_stack([item_numbers(study, name) for name in asked.features])
    return summary_scores([assessments(study, measure) for measure in _judged(study)], features, is_machine)


def _label(study: Study, asked: _Asked, cell: Cell) -> str:
    """A column of Table 5: who is ranked, and under which condition."""
    who = "All systems"
    if asked.machine_kind:
        who = "Systems only" if cell.systems_only else "With humans"
    conditions = names(study, "condition")
    if not len(conditions):
        return who
    return f"{who}, {conditions[cell.condition] if cell.condition >= 0 else 'no condition'}"


def _finding(study: Study, scenario: Scenario, asked: _Asked, cells: Sequence[Cell]) -> Sentence:
    values: dict[str, object] = {"measure": asked.measure, "test": asked.splits[2], "cells": len(cells)}
    tested = [cell for cell in cells if cell.everyone.correlation_test.defined]
    if not tested:
        return "No metric can be trained for {measure}: {reason}.", values | {
            "reason": cells[0].everyone.reason
        }
    changed = [cell for cell in cells if cell.difference.defined]
    if not scenario.excludes or not changed:
        best = max(tested, key=lambda cell: cell.everyone.correlation_test.value)
        found = best.everyone
        values |= {
            "cell": _label(study, asked, best),
            "r": decimal(found.correlation_test.value),
            "interval": interval(found.correlation_test),
            "features": listed([asked.features[at] for at in found.features]),
            "fits": count(found.fits),
            "reason": cells[0].difference.reason,
        }
        told = (
            "The metric trained for {measure} ranks the systems of {test} best in the column {cell}: Pearson's r "
            "<b>{r}</b> ({interval}) with the assessors, from {features}, the best of {fits} models. "
        )
        if scenario.excludes:
            return told + "Without the raters left out no metric can be trained: {reason}.", values
        return (
            told + "Choose raters to <b>leave out</b> in the sidebar to see whether it learns better.",
            values,
        )
    most = max(changed, key=lambda cell: abs(cell.difference.value))
    sure = sum(cell.difference.low > 0 or cell.difference.high < 0 for cell in changed)
    values |= {
        "k": len(scenario.left_out_codes),
        "s": "" if len(scenario.left_out_codes) == 1 else "s",
        "name": scenario.name,
        "better": sum(cell.difference.value > 0 for cell in changed),
        "n": len(changed),
        "cell": _label(study, asked, most),
        "before": _EXACT(most.everyone.correlation_test.value),
        "after": _EXACT(most.left_out.correlation_test.value if most.left_out else nan),
        "difference": interval(most.difference, 3),
        "sure": sure or "None",
        "are": "is" if sure < 2 else "are",
    }
    return (
        "Learning without <b>{k} rater{s}</b> ({name}), the metric for {measure} does better in <b>{better} of {n}</b> "
        "columns. It changes most in {cell}: Pearson's r with the assessors <b>{after}</b> instead of <b>{before}</b> "
        "(difference {difference}). {sure} of the {n} differences {are} clear of 0.",
        values,
    )


def _variants(scenario: Scenario, cell: Cell) -> list[tuple[str, Trained]]:
    told = [("everyone", cell.everyone)]
    return told if cell.left_out is None else [*told, (f"without {_who(scenario)}", cell.left_out)]


def _who(scenario: Scenario) -> str:
    return listed(list(scenario.names), 3)


def _table5(scenario: Scenario, labels: Sequence[str], cells: Sequence[Cell]) -> pd.DataFrame:
    """The paper's Table 5: learned from everyone, without some, and the difference with its interval."""
    rows: list[dict[str, Any]] = [
        {_LEARNED: "everyone"}
        | {label: cell.everyone.correlation_test.value for label, cell in zip(labels, cells, strict=True)}
    ]
    if scenario.excludes:
        after = [(label, cell.left_out, cell.difference) for label, cell in zip(labels, cells, strict=True)]
        rows.append(
            {_LEARNED: f"without {_who(scenario)}"}
            | {label: np.nan if w is None else w.correlation_test.value for label, w, _ in after}
        )
        rows.append({_LEARNED: "difference"} | {label: d.value for label, _, d in after})
        rows.append({_LEARNED: "difference, low end"} | {label: d.low for label, _, d in after})
        rows.append({_LEARNED: "difference, high end"} | {label: d.high for label, _, d in after})
    return pd.DataFrame(rows)


def _models(scenario: Scenario, asked: _Asked, labels: Sequence[str], cells: Sequence[Cell]) -> pd.DataFrame:
    """One row per metric: how well it does, and what it is made of."""
    return pd.DataFrame(
        [
            {
                "Metric": label,
                _LEARNED: who,
                "r when tested": found.correlation_test.value,
                "95 %": interval(found.correlation_test, 3),
                "r when chosen": found.correlation_choose,
                "Method": METHOD_NAMES[found.method] if found.method else "",
                "Features": ", ".join(asked.features[at] for at in found.features),
                "Model": _model(found, asked.features),
                "Models compared": found.fits,
                "Systems": found.systems,
                "Judgements fitted": found.summaries[0],
                "Judgements chosen with": found.summaries[1],
                "Why undefined": found.reason,
            }
            for label, cell in zip(labels, cells, strict=True)
            for who, found in _variants(scenario, cell)
        ]
    )


def _model(found: Trained, features: Sequence[str]) -> str:
    """The chosen model as a sum, in the units of features and score."""
    if found.method is None:
        return ""
    terms = [_number(found.intercept, "")]
    terms += [
        f"{_number(weight, '+')} × {features[at]}"
        for at, weight in zip(found.features, found.coefficients.tolist(), strict=True)
    ]
    return " ".join(terms)


def _number(value: float, sign: str) -> str:
    return f"{value:{sign}.3g}".replace("-", MINUS)


def _remarks(study: Study, asked: _Asked, labels: Sequence[str], cells: Sequence[Cell]) -> list[Sentence]:
    first = cells[0].everyone
    asked_for = number_of_fits(len(asked.features), asked.spec.largest_subset, len(asked.spec.methods))
    told: list[Sentence] = [
        (
            "Up to {fits} models per metric ({features} features, at most {largest} in one, {methods} kinds of "
            "model), fitted on {fit}, chosen on {choose}, tested on {test}.",
            {
                "fits": count(asked_for),
                "features": len(asked.features),
                "largest": asked.spec.largest_subset,
                "methods": len(asked.spec.methods),
                "fit": asked.splits[0],
                "choose": asked.splits[1],
                "test": asked.splits[2],
            },
        )
    ]
    if first.resampled:
        told.append(
            (
                "Intervals: {draws} draws of {what} of {test} with the predictions as they are. They are for these "
                "metrics, not for the search that found them; everyone's scores stay in {test}.",
                {
                    "draws": count(asked.spec.bootstrap.draws),
                    "what": _resampled(first),
                    "test": asked.splits[2],
                },
            )
        )
    unknown = max(cell.everyone.unknown for cell in cells)
    if unknown:
        told.append(
            (
                "Up to {n} judgements per metric are left out, as a feature or the score is not known.",
                {"n": count(unknown)},
            )
        )
    reasons = dict.fromkeys(
        f"{label}: {found.reason or found.correlation_test.reason}"
        for label, cell in zip(labels, cells, strict=True)
        for found in (cell.everyone, cell.left_out or cell.everyone)
        if found.reason or found.correlation_test.reason
    )
    told += [("Undefined, or without an interval, in {reason}.", {"reason": reason}) for reason in reasons]
    return told


def _resampled(found: Trained) -> str:
    told = [f"{count(n)} {what}" for what, n in found.resampled.items()]
    alone = " with all their topics" if list(found.resampled) == ["raters"] else ""
    return " and ".join(told) + alone


EXPLANATION = r"""
**The search.** A *feature* is a number known for each item. Every subset of the features, up to the chosen
size, is fitted in three ways to the assessors' scores in the first part of the data: *robust regression*
(Huber, k = 1.345, scale by the median absolute residual, with an intercept), *non-negative least squares* (no
feature may count against an item; the intercept is free), and *canonical correlation* (the mixture of
features that correlates highest with a mixture of all measures at once, turned so that it rises with the
measure to predict; with one measure it is least squares). One row is one assessor's judgement of one item.
Subsets in which a feature follows from the others are passed over: a smaller subset predicts the same.

**The choice.** The model whose predictions correlate highest (Pearson) with the assessors over the systems of
the second part is fitted again there, and tested in the third. A system's score, predicted or given, is the
mean over topics of the topic's mean. Its correlation *when chosen* is the best of many, so it flatters; the
one *when tested* does not.

**Without some assessors.** The raters of the scenario are left out of the first two parts, never of the
third: both metrics are held against everyone's scores. *Systems only* and *with humans* (the paper's NoModels
and AllPeers) and each condition are trained and tested apart.

**Intervals** draw raters and topics of the third part anew, with the predictions as they are; where each
topic was judged by one rater, raters with all their topics. For the difference both metrics see the same
draws. The search is not repeated in a draw: the interval tells how sure the test of *these* metrics is.

Source: Owczarzak, Rankel, Dang and Conroy 2012, section 4 and Table 5. The paper prints no intervals.
"""
