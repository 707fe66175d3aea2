"""Findings and tables of "Automatic metrics": how a metric agrees with raters, and what an exclusion changes."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial

import numpy as np

from analysis.assessors.automatic_metrics import Change, MetricAgreement
from analysis.values.estimate import Estimate
from analysis.values.names import shorten
from features.blocks import (
    MAIN,
    Finding,
    NextStep,
    Note,
    Table,
    Warning,
    clear_if,
    confidence_interval,
    excludes,
    for_raters,
    not_enough_data,
    resampled_scope,
)
from features.metrics.results import MetricResult
from features.plotting.numbers import count, decimal
from features.study import Scenario
from features.words import Column, counted, estimate_columns, listed, table_of

TERMS = {"pearson": "r", "spearman": "ρ"}
AGREEMENT, RATERS = "metrics", "metric raters"
"""Names of the tables."""
_EXACT = partial(decimal, digits=3)


def no_metric() -> Finding:
    """Return the finding of a study without any metric, and how to add one."""
    return not_enough_data(
        "Not enough data to compare a metric with raters: none is known.",
        {},
        "A file of kind metrics has an item column and a number per item",
        "or import the ratings with a numeric column, or with the columns text and reference_text for ROUGE",
        next_step=NextStep("Upload metrics", "datasets.py"),
    )


def current(change: Change) -> Estimate:
    """Return the correlation without those excluded where it is known, else with everyone."""
    return change.after if change.after.defined else change.before


def agreement_finding(found: MetricResult, name: str = MAIN) -> Finding:
    """Return the measure with which the metric correlates best."""
    metric, term = found.spec.metric.name, TERMS[found.spec.correlation]
    known = {m: one for m, one in found.agreements.items() if current(one.system_level).defined}
    if not known:
        reason = next(iter(found.agreements.values())).system_level.before.reason
        headline, line = "Not enough data to compare {metric} with raters.", _named(reason, found.what)
        return not_enough_data(headline, {"metric": metric}, line[:1].upper() + line[1:], name=name)
    best = max(known, key=lambda measure: current(known[measure].system_level).value)
    over, single = current(known[best].system_level), current(known[best].summary_level)
    return clear_if(
        excludes(over),
        f"{{metric}} correlates {'best ' if len(known) > 1 else ''}with {{best}}, {{term}} = <b>{{value}}</b>.",
        {"metric": f"Metric {metric}", "best": best, "term": term, "value": decimal(over.value)},
        confidence_interval(over),
        f"{count(over.n)} {found.what}",
        *([] if found.spec.kind == "" else [f"only {shorten(found.spec.kind)}"]),
        f"on single items within a rater {decimal(single.value)}",
        _scope(known[best]),
        name=name,
    )


def exclusion_finding(found: MetricResult, scenario: Scenario) -> Finding:
    """Return the measure whose correlation the exclusion changes most."""
    metric, who = found.spec.metric.name, {"who": without(scenario)}
    changed = {m: one for m, one in found.agreements.items() if one.system_level.difference.defined}
    if not changed:
        reasons = {one.system_level.difference.reason for one in found.agreements.values()}
        line = _named("; ".join(sorted(reasons - {""})), found.what)
        return not_enough_data("Without {who}, no correlation is defined.", who, line, name="exclusion")
    measure = max(changed, key=lambda one: abs(changed[one].system_level.difference.value))
    over, single = changed[measure].system_level, changed[measure].summary_level
    values = who | {"metric": metric, "measure": measure, "term": TERMS[found.spec.correlation]}
    return clear_if(
        excludes(over.difference),
        "Without {who}, {term} of {metric} and {measure} changes by <b>{change}</b>.",
        values | {"change": signed(over.difference.value)},
        confidence_interval(over.difference, _EXACT),
        f"{_EXACT(over.after.value)} instead of {_EXACT(over.before.value)}",
        f"{count(over.after.n)} {found.what}",
        f"on single items within a rater {decimal(single.after.value)} instead of {decimal(single.before.value)}",
        f"the largest change of {counted(len(changed), 'measure')}" if len(changed) > 1 else "",
        name="exclusion",
    )


def signed(value: float) -> str:
    """Return a change with its sign.

    >>> signed(0.0071), signed(-0.02)
    ('+0.007', '−0.020')
    """
    return f"{'+' if value > 0 else ''}{_EXACT(value)}"


def without(scenario: Scenario) -> str:
    """Return the excluded raters by name where they are few, else by number."""
    return listed(scenario.names, 3) if len(scenario.names) <= 3 else counted(len(scenario.names), "rater")


def _scope(agreement: MetricAgreement) -> str:
    """Return the raters that intervals hold for, "" before they are drawn."""
    return for_raters(resampled_scope(agreement.resampled)) if agreement.resampled else ""


def agreement_table(found: MetricResult, excludes_raters: bool, name: str = AGREEMENT) -> Table:
    """Return the paper's Tables 3 (systems) and 4 (single items), with a row per level and measure."""
    rows = [
        (level, measure, getattr(agreement, field))
        for level, field in ((found.what, "system_level"), ("single items of a rater", "summary_level"))
        for measure, agreement in found.agreements.items()
    ]
    sides = ("before", "after", "difference") if excludes_raters else ("before",)
    columns = [Column("Over", [one for one, _, _ in rows]), Column("Measure", [one for _, one, _ in rows])]
    for side in sides:
        columns += estimate_columns(side.capitalize(), [getattr(one, side) for *_, one in rows], _EXACT)
    columns += [Column(f"n {side}", [getattr(one, side).n for *_, one in rows], count) for side in sides[:2]]
    caption = (
        "Correlation ({term}) of {metric} with human scores over {what} and on single items, with 95% CI."
    )
    spec = found.spec
    values = {"term": TERMS[spec.correlation], "metric": spec.metric.name, "what": found.what}
    return table_of(name, (caption, values), columns)


def raters_table(found: MetricResult, scenario: Scenario) -> Table:
    """Return the correlation of each rater with the metric by measure, and the items that it is based on."""
    term = TERMS[found.spec.correlation]
    codes = sorted({int(code) for agreement in found.agreements.values() for code in agreement.raters})
    columns: list[tuple[Column, Column]] = []
    for measure, agreement in found.agreements.items():
        place = {int(code): at for at, code in enumerate(agreement.raters)}
        at = [place.get(code) for code in codes]
        r = [np.nan if one is None else float(agreement.rater_correlation[one]) for one in at]
        items = [np.nan if one is None else float(agreement.rater_items[one]) for one in at]
        columns.append(
            (Column(f"{term}, {measure}", r, _EXACT), Column(f"Items, {measure}", items, count, False))
        )
    excluded = ["yes" if code in scenario.left_out_codes else "" for code in codes]
    table = table_of(
        RATERS,
        "Correlation of the metric with each rater's scores, the lowest on the first measure on top.",
        [
            Column("Rater", found.raters[codes]),
            Column("Excluded", excluded, at_first_sight=scenario.excludes),
            *(column for pair in columns for column in pair),
        ],
    )
    return replace(table, frame=table.frame.sort_values(table.frame.columns[2], ignore_index=True))


def counts_note(found: MetricResult) -> Note:
    """Return what n counts."""
    text = "n counts {what}, and raters where the correlations on single items are averaged."
    return Note((text, {"what": found.what}))


def interval_note(found: MetricResult, excludes_raters: bool) -> Iterator[Note]:
    """Yield how intervals were drawn, and how cautious that of a difference is; nothing before they are drawn."""
    if found.is_drawn:
        text = "Intervals: {draws} bootstrap samples of {what}, seed {seed}."
        if excludes_raters:
            text += (
                " On single items, and for Spearman's ρ over few systems, that of a difference is wider than it "
                "says: it held in 99 to 100 of 100 simulated studies."
            )
        resampled = next(iter(found.agreements.values())).resampled or "nothing"
        bootstrap = found.spec.bootstrap
        values = {
            "draws": count(bootstrap.draws),
            "what": _named(resampled, found.what),
            "seed": bootstrap.seed,
        }
        yield Note((text, values))


def agreement_warnings(found: MetricResult) -> Iterator[Warning]:
    """Yield what was set aside and what is undefined, each reason once."""
    every: Mapping[str, MetricAgreement] = found.agreements
    missing = max(agreement.without_metric for agreement in every.values())
    if missing:
        text = "Up to {n} ratings of a measure have no metric value and are not used."
        yield Warning((text, {"n": count(missing)}))
    undefined = max(agreement.undefined_raters for agreement in every.values())
    if undefined:
        text = (
            "For up to {n} raters of a measure the correlation is undefined (fewer than three items, or all scores or "
            "metric values equal); they are not in the mean over raters."
        )
        yield Warning((text, {"n": count(undefined)}))
    reasons: dict[str, list[str]] = {}
    for measure, agreement in every.items():
        for level in (agreement.system_level, agreement.summary_level):
            for estimate in (level.before, level.after):
                if estimate.reason and (found.is_drawn or not estimate.defined):
                    reasons.setdefault(estimate.reason, []).append(measure)
    for reason, measures in reasons.items():
        told = {"measures": listed(list(dict.fromkeys(measures))), "reason": _named(reason, found.what)}
        yield Warning(("{measures}: {reason}.", told))


def _named(text: str, what: str) -> str:
    """Return a sentence of `analysis` with the word for what is ranked."""
    return text.replace("systems", what)
