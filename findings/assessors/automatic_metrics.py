"""Automatic metrics: how a metric agrees with the raters, and what that becomes without some of them."""

from collections.abc import Callable, Mapping
from functools import partial
from math import isnan

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analysis.assessors.automatic_metrics import MetricAgreement
from analysis.values.estimate import BootstrapSpec, Estimate
from features.blocks import Finding
from features.evidence import for_raters, resampled_scope
from features.plotting.numbers import count, decimal, interval
from features.study import Scenario
from features.tables import Shown
from features.verdicts import clear_if, excludes, not_enough_data
from features.words import Sentence, listed
from findings.leaving_out import left_out_words, marked

PENDING = "…"
"""What stands in a table until its intervals are drawn."""
NO_METRIC = (
    "There is no metric to hold against the raters. Upload a file of kind <b>metrics</b> on the <b>Data</b> page (an "
    "item column and a number per item), or import the ratings with a further numeric column, or with the columns "
    "<b>text</b> and <b>reference_text</b> for ROUGE."
)
_EXACT = partial(decimal, digits=3)
_WRITTEN: dict[str, Callable[[float], str]] = {
    **dict.fromkeys(("Before", "After", "Difference"), _EXACT),
    **dict.fromkeys(("n before", "n after"), count),
}
Agreements = Mapping[str, MetricAgreement]
"""By measure."""


def finding(
    agreements: Agreements, metric: str, term: str, what: str, scenario: Scenario, on_page: bool = True
) -> Finding:
    """The measure that the metric follows best; with an exclusion, the one whose correlation changes most.

    On a page it says where to exclude raters.
    """
    known = {m: agreement for m, agreement in agreements.items() if agreement.system_level.before.defined}
    if not known:
        undefined = next(iter(agreements.values())).system_level.before
        return not_enough_data(
            "{metric} cannot be held against the raters: {why}.",
            {"metric": metric, "why": _named(undefined.reason, what)},
        )
    best = max(known, key=lambda measure: known[measure].system_level.before.value)
    if not scenario.excludes:
        hint = " Choose raters to leave out in the sidebar to see what that changes." if on_page else ""
        return _followed_best(known, best, metric, term, what, hint)
    changed = {m: agreement for m, agreement in known.items() if agreement.system_level.difference.defined}
    if not changed:
        undefined_since = " What the exclusion changes is undefined: {why}."
        return _followed_best(known, best, metric, term, what, undefined_since)
    return _changed_most(changed, metric, term, what, scenario)


def _followed_best(known: Agreements, best: str, metric: str, term: str, what: str, ending: str) -> Finding:
    of_best = known[best].system_level
    return clear_if(
        excludes(of_best.before),
        "Over {n} {what} {metric} follows <b>{best}</b>"
        + (" best" if len(known) > 1 else "")
        + ": {term} <b>{value}</b>; on single items within a rater "
        "{items}." + ending,
        {
            "metric": metric,
            "term": term,
            "what": what,
            "best": best,
            "value": decimal(of_best.before.value),
            "n": count(of_best.before.n),
            "items": decimal(known[best].summary_level.before.value),
            "why": of_best.difference.reason,
        },
        _scope(known[best]),
    )


def _changed_most(changed: Agreements, metric: str, term: str, what: str, scenario: Scenario) -> Finding:
    measure = max(changed, key=lambda measure: abs(changed[measure].system_level.difference.value))
    systems, items = changed[measure].system_level, changed[measure].summary_level
    sentence = (
        "Without <b>{k} rater{s}</b> ({name}) {metric} and {measure} correlate at <b>{after}</b> instead of "
        "{before} over {what} ({term})"
        + (", the largest change of all measures" if len(changed) > 1 else "")
        + "; on single items within a rater at <b>{item_after}</b> instead of {item_before}."
    )
    is_clear = excludes(systems.difference)
    if not isnan(systems.difference.low):
        sentence += (
            f" The change over {{what}} is {'clear' if is_clear else 'not clear'} of chance ({{difference}})."
        )
    values = left_out_words(scenario) | {
        "metric": metric,
        "term": term,
        "what": what,
        "measure": measure,
        "before": decimal(systems.before.value),
        "after": decimal(systems.after.value),
        "item_before": decimal(items.before.value),
        "item_after": decimal(items.after.value),
        "difference": interval(systems.difference, 3),
    }
    return clear_if(is_clear, sentence, values, _scope(changed[measure]))


def _scope(agreement: MetricAgreement) -> str:
    """Return the raters that intervals hold for, "" before they are drawn."""
    return for_raters(resampled_scope(agreement.resampled)) if agreement.resampled else ""


def agreement_table(agreements: Agreements, what: str, scenario: Scenario, drawn: bool) -> Shown:
    """The paper's Tables 3 (systems) and 4 (single items), a row per level and measure."""
    rows = []
    for level, field in ((what, "system_level"), ("single items of a rater", "summary_level")):
        for measure, agreement in agreements.items():
            change = getattr(agreement, field)
            row = {"Over": level, "Measure": measure, **_cells("Before", change.before, drawn)}
            if scenario.excludes:
                row |= _cells("After", change.after, drawn) | _cells("Difference", change.difference, drawn)
            row["n before"] = change.before.n
            if scenario.excludes:
                row["n after"] = change.after.n
            rows.append(row)
    return pd.DataFrame(rows), _WRITTEN


def _cells(name: str, estimate: Estimate, drawn: bool) -> dict[str, object]:
    return {name: estimate.value, f"{name}, 95 %": interval(estimate, 3) if drawn else PENDING}


def rater_table(agreements: Agreements, raters: NDArray[np.str_], scenario: Scenario, sign: str) -> Shown:
    """One row per rater: the correlation with the metric, and the items it rests on, per measure."""
    codes = sorted({int(code) for agreement in agreements.values() for code in agreement.raters})
    table = pd.DataFrame(
        {"Rater": raters[codes], "Left out": marked(codes, scenario.left_out_codes)}, index=codes
    )
    written: dict[str, Callable[[float], str]] = {}
    for measure, agreement in agreements.items():
        correlation, items = f"{sign}, {measure}", f"Items, {measure}"
        table[correlation] = pd.Series(agreement.rater_correlation, index=agreement.raters)
        table[items] = pd.Series(agreement.rater_items, index=agreement.raters)
        written |= {correlation: _EXACT, items: count}
    return table.sort_values(table.columns[2], ignore_index=True), written


def notes(
    agreements: Agreements, what: str, spec: BootstrapSpec, drawn: bool, excludes: bool
) -> list[Sentence]:
    """How intervals were made, once they are drawn, how sure that of a difference is, and what n counts."""
    on_intervals: Sentence = (
        "Intervals: {draws} draws of {what}, seed {seed}."
        + (
            " On single items, and for Spearman's ρ over few systems, that of a difference is wider than it says: "
            "it held in 99 to 100 of 100 simulated studies."
            if excludes
            else ""
        ),
        {
            "draws": count(spec.draws),
            "what": _named(next(iter(agreements.values())).resampled or "nothing", what),
            "seed": spec.seed,
        },
    )
    on_n: Sentence = (
        "n counts {what}, and raters where the correlations on single items are averaged.",
        {"what": what},
    )
    return [on_intervals, on_n] if drawn else [on_n]


def remarks(agreements: Agreements, what: str, drawn: bool) -> list[Sentence]:
    """What was left out and what is undefined, each reason once."""
    told: list[Sentence] = []
    missing = max(agreement.without_metric for agreement in agreements.values())
    if missing:
        told.append(
            ("Up to {n} ratings of a measure have no metric value and are left out.", {"n": count(missing)})
        )
    undefined = max(agreement.undefined_raters for agreement in agreements.values())
    if undefined:
        sentence = (
            "For up to {n} raters of a measure the correlation is undefined (fewer than three items, or all scores or "
            "metric values equal); they are not in the mean over raters."
        )
        told.append((sentence, {"n": count(undefined)}))
    reasons: dict[str, list[str]] = {}
    for measure, agreement in agreements.items():
        for level in (agreement.system_level, agreement.summary_level):
            for estimate in (level.before, level.after):
                if estimate.reason and (drawn or not estimate.defined):
                    reasons.setdefault(estimate.reason, []).append(measure)
    told += [
        (
            "{measures}: {reason}.",
            {"measures": listed(list(dict.fromkeys(measures))), "reason": _named(reason, what)},
        )
        for reason, measures in reasons.items()
    ]
    return told


def _named(text: str, what: str) -> str:
    """A sentence of `analysis`, which calls whatever is ranked a system."""
    return text.replace("systems", what)


EXPLANATION = r"""
**Over systems** (the paper's Table 3). A system's human score is the mean over topics (topic and condition) of the
topic's mean score; the metric is averaged over exactly the same ratings, so an exclusion takes the same topics from
both. The figure is their correlation over systems.

**Single items** (the paper's Table 4). For each rater the correlation of the scores with the metric over that
rater's items, then the mean over raters. A rater with fewer than three items, or with constant scores, has none.

**Intervals** are for other systems like these, other raters and other topics. Systems are drawn with their means as
observed (for Spearman's ρ what they add is worked out, as ranks of systems drawn twice are tied); to their variance
comes what raters and topics do to all systems together, from draws of these; where each topic was judged by one rater,
raters are drawn with all their topics. On single items a draw weighs systems, raters and topics at once. They are
centred on the estimate on Fisher's z, with Student's t for few units. The change over systems has an interval
with Student's t from the correlation of both errors (Pearson and Filon 1898); on single items before and after share
their bootstrap samples. Before and after are based on mostly the same ratings, so that the interval of a change on
single items is cautious: in simulated studies it held the true change in 99 to 100 of 100. Under five systems there are
no such intervals.

**Which metric goes better** compares every two metrics on the ratings for which both are known, by the raters who stay.
A metric that falls where scores rise (an error rate) is turned round first. *Williams' test* asks whether two
correlations with the same scores differ, for systems drawn from many like these; for ranks its error grows by
√(1 + ρ²/2). *p (Holm)* is for all pairs of a measure at once. The interval of the difference is *Zou's*, from both
correlations' own intervals and how they hang together. A metric is called better only where p (Holm) is below .05, the
interval leaves out 0 and there are 8 systems or more. *BOOT-BOTH* draws systems and topics and takes percentiles.
*PERM-BOTH* exchanges the standardised values of both metrics text by text: it asks whether the metrics can be told
apart on *these* systems, and of metrics that are equally good over many systems it tells 20 to 60 of 100 pairs apart.

**ROUGE** is the F-measure against the item's reference text, by the package `rouge-score`, with words of every script,
without stemming.

A metric cannot imitate random human mistakes, so leaving out inconsistent raters should raise the correlation on
single items; over systems mistakes average out, and leaving out data often costs more than it gains.

Sources: Owczarzak, Rankel, Dang and Conroy 2012, section 3, Tables 3 and 4; Lin 2004; Williams 1959; Graham and
Baldwin 2014; Zou 2007; Bonett and Wright 2000; Deutsch, Dror and Roth 2021 (BOOT-BOTH, PERM-BOTH). Intervals and
comparisons are not in Owczarzak et al.
"""
