"""Findings and tables of "Automatic metrics": how a metric agrees with raters, and what an exclusion changes."""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import numpy as np

from analysis.assessors.automatic_metrics import Change
from analysis.values.estimate import Estimate, shorten
from features.blocks import (
    MAIN,
    Finding,
    NextStep,
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
from features.plotting.theme import count, decimal
from features.study import Scenario
from features.words import Column, by_reason, counted, estimate_columns, raters_named, table_of

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
        headline = "Not enough data to compare {metric} with raters."
        return not_enough_data(headline, {"metric": metric}, _named(reason, found.what), name=name)
    best = max(known, key=lambda measure: current(known[measure].system_level).value)
    over, single = current(known[best].system_level), current(known[best].summary_level)
    resampled = known[best].resampled
    return clear_if(
        excludes(over),
        f"{{metric}} correlates {'best ' if len(known) > 1 else ''}with {{best}}, {{term}} = <b>{{value}}</b>.",
        {"metric": f"Metric {metric}", "best": best, "term": term, "value": decimal(over.value)},
        confidence_interval(over),
        f"{count(over.n)} {found.what}",
        f"only {shorten(found.spec.kind)}" if found.spec.kind else "",
        f"on single items within a rater {decimal(single.value)}",
        for_raters(resampled_scope(resampled)) if resampled else "",
        name=name,
    )


def exclusion_finding(found: MetricResult, scenario: Scenario) -> Finding:
    """Return the measure whose correlation the exclusion changes most."""
    values = {"who": raters_named(scenario.names), "metric": found.spec.metric.name}
    changed = {m: one for m, one in found.agreements.items() if one.system_level.difference.defined}
    if not changed:
        reasons = {one.system_level.difference.reason for one in found.agreements.values()} - {""}
        line = _named("; ".join(sorted(reasons)), found.what)
        return not_enough_data("Without {who}, no correlation is defined.", values, line, name="exclusion")
    measure = max(changed, key=lambda one: abs(changed[one].system_level.difference.value))
    over, single = changed[measure].system_level, changed[measure].summary_level
    sign = "+" if over.difference.value > 0 else ""
    values |= {"measure": measure, "term": TERMS[found.spec.correlation]}
    return clear_if(
        excludes(over.difference),
        "Without {who}, {term} of {metric} and {measure} changes by <b>{change}</b>.",
        values | {"change": f"{sign}{_EXACT(over.difference.value)}"},
        confidence_interval(over.difference, _EXACT),
        f"{_EXACT(over.after.value)} instead of {_EXACT(over.before.value)}",
        f"{count(over.after.n)} {found.what}",
        f"on single items within a rater {decimal(single.after.value)} instead of {decimal(single.before.value)}",
        f"the largest change of {counted(len(changed), 'measure')}" if len(changed) > 1 else "",
        name="exclusion",
    )


def agreement_table(found: MetricResult, excludes_raters: bool, name: str = AGREEMENT) -> Table:
    """Return the paper's Tables 3 (systems) and 4 (single items), with a row per level and measure."""
    rows = [
        (level, measure, getattr(agreement, field))
        for level, field in ((found.what, "system_level"), ("single items of a rater", "summary_level"))
        for measure, agreement in found.agreements.items()
    ]
    heads = {"before": "Correlation"}
    if excludes_raters:
        heads = {"before": "Before", "after": "After", "difference": "Difference"}
    columns = [Column("Over", [one for one, _, _ in rows]), Column("Measure", [one for _, one, _ in rows])]
    for side, head in heads.items():
        columns += estimate_columns(head, [getattr(one, side) for *_, one in rows], _EXACT)
    counted_sides = {"before": "n before", "after": "n after"} if excludes_raters else {"before": "n"}
    for side, head in counted_sides.items():
        columns.append(Column(head, [getattr(one, side).n for *_, one in rows], count))
    caption = (
        "Correlation ({term}) of {metric} with human scores over {what} and on single items, with 95% CI. n counts "
        "{what}, and raters on single items."
    )
    spec = found.spec
    values = {"term": TERMS[spec.correlation], "metric": spec.metric.name, "what": found.what}
    return table_of(name, (caption, values), columns)


def raters_table(found: MetricResult, scenario: Scenario) -> Table:
    """Return the correlation of each rater with the metric by measure, and the items that it is based on."""
    term, columns = TERMS[found.spec.correlation], list[Column]()
    codes = sorted({int(code) for agreement in found.agreements.values() for code in agreement.raters})
    for measure, agreement in found.agreements.items():
        known = zip(agreement.rater_correlation.tolist(), agreement.rater_items.tolist(), strict=True)
        of = dict(zip(agreement.raters.tolist(), known, strict=True))
        pairs = [of.get(code, (np.nan, np.nan)) for code in codes]
        columns += [
            Column(f"{term}, {measure}", [r for r, _ in pairs], _EXACT),
            Column(f"Items, {measure}", [items for _, items in pairs], count, False),
        ]
    excluded = ["yes" if code in scenario.left_out_codes else "" for code in codes]
    table = table_of(
        RATERS,
        "Correlation of the metric with each rater's scores, the lowest on the first measure on top.",
        [
            Column("Rater", found.raters[codes]),
            Column("Excluded", excluded, at_first_sight=scenario.excludes),
            *columns,
        ],
    )
    return replace(table, frame=table.frame.sort_values(table.frame.columns[2], ignore_index=True))


def agreement_warnings(found: MetricResult) -> Iterator[Warning]:
    """Yield what was set aside and what is undefined, each reason once."""
    every = found.agreements
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
    yield from by_reason(
        (measure, _named(estimate.reason, found.what))
        for measure, agreement in every.items()
        for level in (agreement.system_level, agreement.summary_level)
        for estimate in (level.before, level.after)
        if found.is_drawn or not estimate.defined
    )


def _named(text: str, what: str) -> str:
    """Return a sentence of `analysis` with the word for what is ranked."""
    return text.replace("systems", what)
