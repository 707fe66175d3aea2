"""Training a metric: which features predict the assessors, and whether it helps to leave some assessors out."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from math import nan

import pandas as pd

from analysis.assessors.metric_training import Cell, Method, Trained, TrainingSpec, number_of_fits
from analysis.values.estimate import Estimate
from features.blocks import Finding
from features.plotting.numbers import MINUS, count, decimal, interval
from features.study import Scenario
from features.tables import Shown
from features.verdicts import clear_if, excludes, not_enough_data
from features.words import Sentence, listed
from findings.leaving_out import left_out_words

METHOD_NAMES: dict[Method, str] = {
    "huber": "robust regression (Huber)",
    "nnls": "non-negative least squares",
    "cca": "canonical correlation",
}
FEWEST_FEATURES, FEWEST_SPLITS = 2, 3
_EXACT = partial(decimal, digits=3)
_LEARNED = "Learned from"
_WRITTEN: dict[str, Callable[[float], str]] = {
    **dict.fromkeys(("r when tested", "r when chosen"), _EXACT),
    **dict.fromkeys(("Models compared", "Systems", "Judgements fitted", "Judgements chosen with"), count),
}
Column = tuple[str, Cell]
"""A column of Table 5: who is ranked under which condition, in words, and its metrics."""


@dataclass(frozen=True)
class Asked:
    """What is to be trained: `splits` are the names of those to fit on, choose on and test on."""

    measure: str
    features: tuple[str, ...]
    splits: tuple[str, str, str]
    machine_kind: str
    spec: TrainingSpec


def missing(has_systems: bool, splits: int, features: int) -> Sentence | None:
    """What the data set lacks for training, and how to provide it; None where nothing."""
    if not has_systems:
        return (
            "A metric is judged by how it ranks systems, and this data set names none. Give a column <b>system</b> "
            "on the Data page to train one.",
            {},
        )
    if splits < FEWEST_SPLITS:
        return (
            "Training a metric needs three parts of the data: one to fit models on, one to choose among them, one "
            "to test the choice. Give a column <b>split</b> with at least three values (years, for instance) on "
            "the Data page; this data set has {n}.",
            {"n": splits or "no such column"},
        )
    if features < FEWEST_FEATURES:
        return (
            "Training a metric needs at least two <b>numeric columns</b> that describe the items, such as "
            "automatic metrics or lengths, each with one value per item; this data set has {n}. Add them to the "
            "file and upload it again on the Data page.",
            {"n": features or "none"},
        )
    return None


def columns(asked: Asked, cells: Sequence[Cell], conditions: Sequence[str]) -> list[Column]:
    """The columns of Table 5 with their names."""
    return [(_name(asked, cell, conditions), cell) for cell in cells]


def _name(asked: Asked, cell: Cell, conditions: Sequence[str]) -> str:
    who = "All systems"
    if asked.machine_kind:
        who = "Systems only" if cell.systems_only else "With humans"
    if not len(conditions):
        return who
    return f"{who}, {conditions[cell.condition] if cell.condition >= 0 else 'no condition'}"


def finding(scenario: Scenario, asked: Asked, columns: Sequence[Column]) -> Finding:
    """How well the best trained metric ranks systems; with an exclusion, what learning without them changes."""
    tested = [column for column in columns if column[1].everyone.correlation_test.defined]
    if not tested:
        return not_enough_data(
            "No metric can be trained for {measure}: {reason}.",
            {"measure": asked.measure, "reason": columns[0][1].everyone.reason},
        )
    changed = [column for column in columns if column[1].difference.defined]
    if scenario.excludes and changed:
        return _changed_most(scenario, asked, changed)
    ending = (
        " Without the raters left out no metric can be trained: {reason}."
        if scenario.excludes
        else " Choose raters to <b>leave out</b> in the sidebar to see whether it learns better."
    )
    return _ranks_best(asked, tested, ending, columns[0][1].difference.reason)


def _ranks_best(asked: Asked, tested: Sequence[Column], ending: str, reason: str) -> Finding:
    name, cell = max(tested, key=lambda column: column[1].everyone.correlation_test.value)
    best = cell.everyone
    return clear_if(
        excludes(best.correlation_test),
        "The metric trained for {measure} ranks the systems of {test} best in the column {cell}: Pearson's r "
        "<b>{r}</b> ({interval}) with the assessors, from {features}, the best of {fits} models." + ending,
        {
            "reason": reason,
            "measure": asked.measure,
            "test": asked.splits[2],
            "cell": name,
            "r": decimal(best.correlation_test.value),
            "interval": interval(best.correlation_test),
            "features": listed([asked.features[at] for at in best.features]),
            "fits": count(best.fits),
        },
    )


def _changed_most(scenario: Scenario, asked: Asked, changed: Sequence[Column]) -> Finding:
    name, most = max(changed, key=lambda column: abs(column[1].difference.value))
    differences = [cell.difference for _, cell in changed]
    sure = sum(map(excludes, differences))
    return clear_if(
        excludes(most.difference),
        "Learning without <b>{k} rater{s}</b> ({name}), the metric for {measure} does better in <b>{better} of {n}</b> "
        "columns. It changes most in {cell}: Pearson's r with the assessors <b>{after}</b> instead of <b>{before}</b> "
        "(difference {difference}). {sure} of the {n} differences {are} clear of 0.",
        left_out_words(scenario)
        | {
            "measure": asked.measure,
            "better": sum(difference.value > 0 for difference in differences),
            "n": len(changed),
            "cell": name,
            "before": _EXACT(most.everyone.correlation_test.value),
            "after": _EXACT(most.left_out.correlation_test.value if most.left_out else nan),
            "difference": interval(most.difference, 3),
            "sure": sure or "None",
            "are": "is" if sure < 2 else "are",
        },
    )


def correlations_when_tested(columns: Sequence[Column]) -> list[tuple[str, Estimate, Estimate | None]]:
    """Each column's name and correlation when tested, learned from everyone and without those left out."""
    return [
        (
            name,
            cell.everyone.correlation_test,
            None if cell.left_out is None else cell.left_out.correlation_test,
        )
        for name, cell in columns
    ]


def table5(scenario: Scenario, columns: Sequence[Column]) -> Shown:
    """The paper's Table 5: learned from everyone, without some, and the difference with its interval."""
    rows: list[dict[str, object]] = [
        {_LEARNED: "everyone"}
        | {name: everyone.value for name, everyone, _ in correlations_when_tested(columns)}
    ]
    if scenario.excludes:
        rows += [
            {_LEARNED: _without(scenario)}
            | {
                name: nan if after is None else after.value
                for name, _, after in correlations_when_tested(columns)
            },
            {_LEARNED: "difference"} | {name: cell.difference.value for name, cell in columns},
            {_LEARNED: "difference, low end"} | {name: cell.difference.low for name, cell in columns},
            {_LEARNED: "difference, high end"} | {name: cell.difference.high for name, cell in columns},
        ]
    return pd.DataFrame(rows), dict.fromkeys((name for name, _ in columns), _EXACT)


def models_table(scenario: Scenario, asked: Asked, columns: Sequence[Column]) -> Shown:
    """One row per metric: how well it does, and what it is made of."""
    rows = [
        {
            "Metric": name,
            _LEARNED: learned_from,
            "r when tested": trained.correlation_test.value,
            "95 %": interval(trained.correlation_test, 3),
            "r when chosen": trained.correlation_choose,
            "Method": METHOD_NAMES[trained.method] if trained.method else "",
            "Features": ", ".join(asked.features[at] for at in trained.features),
            "Model": _model(trained, asked.features),
            "Models compared": trained.fits,
            "Systems": trained.systems,
            "Judgements fitted": trained.summaries[0],
            "Judgements chosen with": trained.summaries[1],
            "Why undefined": trained.reason,
        }
        for name, cell in columns
        for learned_from, trained in (("everyone", cell.everyone), (_without(scenario), cell.left_out))
        if trained is not None
    ]
    return pd.DataFrame(rows), _WRITTEN


def _without(scenario: Scenario) -> str:
    return f"without {listed(list(scenario.names), 3)}"


def _model(trained: Trained, features: Sequence[str]) -> str:
    """The chosen model as a sum, in the units of features and score."""
    if trained.method is None:
        return ""
    terms = [_number(trained.intercept, "")]
    terms += [
        f"{_number(weight, '+')} × {features[at]}"
        for at, weight in zip(trained.features, trained.coefficients.tolist(), strict=True)
    ]
    return " ".join(terms)


def _number(value: float, sign: str) -> str:
    return f"{value:{sign}.3g}".replace("-", MINUS)


def notes(asked: Asked, columns: Sequence[Column]) -> list[Sentence]:
    """What was searched, how intervals were drawn, and what is left out or undefined."""
    first = columns[0][1].everyone
    told: list[Sentence] = [
        (
            "Up to {fits} models per metric ({features} features, at most {largest} in one, {methods} kinds of "
            "model), fitted on {fit}, chosen on {choose}, tested on {test}.",
            {
                "fits": count(
                    number_of_fits(len(asked.features), asked.spec.largest_subset, len(asked.spec.methods))
                ),
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
                "Intervals: {draws} draws of {what} of {test} with the predictions as they are; those of differences "
                "from the correlation of both errors over the same systems. They are for these metrics, not for the "
                "search that found them; everyone's scores stay in {test}.",
                {
                    "draws": count(asked.spec.bootstrap.draws),
                    "what": first.resampled,
                    "test": asked.splits[2],
                },
            )
        )
    unknown = max(cell.everyone.unknown for _, cell in columns)
    if unknown:
        told.append(
            (
                "Up to {n} judgements per metric are left out, as a feature or the score is not known.",
                {"n": count(unknown)},
            )
        )
    reasons = dict.fromkeys(
        f"{name}: {trained.reason or trained.correlation_test.reason}"
        for name, cell in columns
        for trained in (cell.everyone, cell.left_out or cell.everyone)
        if trained.reason or trained.correlation_test.reason
    )
    told += [("Undefined, or without an interval, in {reason}.", {"reason": reason}) for reason in reasons]
    return told


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

**Intervals** are those of any metric (*Automatic metrics*): for other systems, raters and topics than those of the
third part, with the predictions as they are; where each topic was judged by one rater, raters with all their topics.
The difference is that of two metrics on the same systems (Pearson and Filon 1898). The search is not repeated in a
draw: the interval tells how sure the test of *these* metrics is.

Source: Owczarzak, Rankel, Dang and Conroy 2012, section 4 and Table 5. The paper prints no intervals.
"""
