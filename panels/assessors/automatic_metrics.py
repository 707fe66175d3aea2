"""Automatic metrics: how a metric agrees with the raters, and what that becomes without some of them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from math import isnan
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st
from numpy.typing import NDArray

from analysis.assessors.automatic_metrics import MetricAgreement, MetricScores, metric_agreement
from analysis.assessors.rouge import rouge
from analysis.values.estimate import BootstrapSpec, Estimate
from charts.assessors.automatic_metrics import TERMS, Panel, scatter
from charts.parts.numbers import count, decimal, interval
from charts.parts.panels import MOST
from data.dataset import Dataset
from findings.study import Scenario, Study
from findings.words import Sentence, listed
from panels.assessors.assessments import assessments, item_numbers, item_texts, names, system_kinds
from panels.assessors.joined_datasets import choose_joined, joinable, values_by_item
from panels.parts.controls import measures_on_show
from panels.parts.downloads import downloads
from panels.parts.errors import told_in_words
from panels.parts.pictures import draw, let_it_be_drawn, look
from panels.parts.progress import long_result
from panels.parts.sampling_controls import draws_control, seed_control
from panels.parts.shelf import key_of
from panels.parts.tables import show_table
from panels.parts.words import note, say, warn

ROUGE = {"ROUGE-2 of the texts": "rouge2", "ROUGE-1 of the texts": "rouge1", "ROUGE-L of the texts": "rougeL"}
"""The first is shown where there is no other metric: it is the paper's."""
CORRELATIONS = {"Pearson's r": "pearson", "Spearman's ρ": "spearman"}
EVERY_KIND = "all systems"
_MACHINES = ("machine", "system", "automatic", "peer")
PENDING = "…"
_EXACT = partial(decimal, digits=3)
WRITTEN: dict[str, Callable[[float], str]] = {
    **dict.fromkeys(("Before", "After", "Difference"), _EXACT),
    **dict.fromkeys(("n before", "n after", "Items"), count),
}


@dataclass(frozen=True)
class Metric:
    """What is held against the raters: its name, and what the cache needs to know of where it comes from."""

    name: str
    source: str
    values: Callable[[], NDArray[np.float64] | None]


Found = Mapping[str, MetricAgreement]


def show(study: Study, scenario: Scenario) -> None:
    """Finding, scatter of the systems per measure, Tables 3 and 4, and each rater's correlation."""
    finding = st.empty()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        joined = choose_joined("Metrics file", joinable(study, "metrics", "metrics"), "metrics", none="none")
        metric = _choose_metric(study, joined)
        if metric is None:
            with finding:
                say(_NO_METRIC)
            return
        term = st.selectbox("Correlation", list(CORRELATIONS), key="metric_correlation", bind="query-params")
        kind = _choose_kind(study)
        with st.popover("More"):
            draws = draws_control()
            seed = seed_control()
    with told_in_words():
        values = metric.values()
    if values is None:
        return
    closed = _agreements(study, scenario, metric, values, term, kind, BootstrapSpec(draws=0))
    if closed is None:
        return
    what = _what(study)
    with finding:
        template, told = finding_of(closed, metric.name, term, what, scenario)
        say(template, **told)
    panels = [
        Panel(measure, closed[measure], _ranked_names(study, measure)[closed[measure].systems])
        for measure in measures_on_show(study.measures, MOST)
    ]
    figure = scatter(panels, metric.name, look())
    draw(
        st,
        figure,
        key="metric_scatter",
        alt="Mean human score of each system against its mean metric, one panel per measure",
    )
    let_it_be_drawn(f"metrics {study.key} {metric.source} {kind} {scenario.left_out_codes}")
    place = st.empty()
    with place:
        _show_table(agreement_table(closed, what, scenario, drawn=False))
    spec = BootstrapSpec(draws, seed)
    drawn = _agreements(study, scenario, metric, values, term, kind, spec)
    found = drawn or closed
    table = agreement_table(found, what, scenario, drawn=drawn is not None)
    with place:
        _show_table(table)
    if drawn is not None:
        with finding:
            template, told = finding_of(drawn, metric.name, term, what, scenario)
            say(template, **told)
        note(
            "Intervals: {draws} draws of {what}, seed {seed}; before and after share their draws.",
            draws=count(spec.draws),
            what=_named(next(iter(drawn.values())).resampled or "nothing", what),
            seed=spec.seed,
        )
    note("n counts {what}, and raters where the correlations on single items are averaged.", what=what)
    for template, told in _warnings(found, what, drawn is not None):
        warn(template, **told)
    st.subheader("Each rater")
    raters = rater_table(study, found, scenario, TERMS[CORRELATIONS[term]])
    written = {
        column: _EXACT if column.startswith(TERMS[CORRELATIONS[term]]) else count
        for column in raters.columns[2:]
    }
    show_table(raters, written, alt="Correlation of the metric with each rater's scores", most=10)
    downloads("metrics", lambda: table, lambda: figure)


def _choose_metric(study: Study, joined: Dataset | None) -> Metric | None:
    """A numeric column of the items, one of the joined file, or ROUGE where there are texts for it."""
    offered: dict[str, Metric] = {}
    if joined is not None:
        for column in joined.named("item number"):
            name = f"{column} ({joined.name})"
            of_file = partial(values_by_item, study, joined, column)
            offered[name] = Metric(name, f"{joined.sha256} {column}", of_file)
    for column in study.whole.named("item number"):
        offered[column] = Metric(column, f"column {column}", partial(item_numbers, study, column))
    if study.whole.has("text", "reference_text"):
        for name, kind in ROUGE.items():
            offered[name] = Metric(name, kind, partial(_rouge, study, kind))
    if not offered:
        return None
    names_of = list(offered)
    usual = next((at for at, name in enumerate(names_of) if "rouge2" in name.casefold()), 0)
    return offered[
        st.selectbox("Metric", names_of, index=usual, key="metric", bind="query-params", width=300)
    ]


def _rouge(study: Study, kind: str) -> NDArray[np.float64] | None:
    """ROUGE of the items' texts, all kinds at once; None while stopped."""
    found = long_result(
        key_of(study.whole, "rouge"),
        "ROUGE of the texts",
        lambda on_progress: rouge(*item_texts(study), on_progress=on_progress),
    )
    return None if found is None else found[kind]


def _choose_kind(study: Study) -> str:
    """Which kind of system is compared, where the data set tells machines from people."""
    kinds = sorted({kind for kind in system_kinds(study).tolist() if kind})
    if len(kinds) < 2:
        return EVERY_KIND
    options = [EVERY_KIND, *(f"only {kind}" for kind in kinds)]
    usual = next((at + 1 for at, kind in enumerate(kinds) if kind.casefold() in _MACHINES), 0)
    return st.selectbox(
        "Systems",
        options,
        index=usual,
        key="systems_of",
        bind="query-params",
        help="People and machines together often correlate otherwise than machines alone: people stand apart.",
    )


def _agreements(
    study: Study,
    scenario: Scenario,
    metric: Metric,
    values: NDArray[np.float64],
    term: str,
    kind: str,
    spec: BootstrapSpec,
) -> dict[str, MetricAgreement] | None:
    """Every measure's agreement with the metric, before and after; None while stopped."""

    def compute(on_progress: Callable[[float], None]) -> dict[str, MetricAgreement]:
        found = {}
        for at, measure in enumerate(study.measures):
            a = assessments(study, measure)
            kept = (a.ranked >= 0) & _of_kind(study, kind, a.system)
            found[measure] = metric_agreement(
                MetricScores(
                    values[a.item[kept]],
                    *(column[kept] for column in (a.item, a.ranked, a.block, a.rater, a.score)),
                ),
                scenario.left_out_codes,
                CORRELATIONS[term],
                spec,
                lambda done, at=at: on_progress((at + done) / len(study.measures)),
            )
        return found

    parts = (study.candidate, study.measures, scenario.left_out_codes, metric.source, term, kind, spec)
    what = "Intervals of the metric's correlations" if spec.draws else "The metric against the raters"
    return long_result(key_of(study.whole, "metric agreement", *parts), what, compute)


def _of_kind(study: Study, kind: str, system: NDArray[np.int64]) -> NDArray[np.bool_]:
    if kind == EVERY_KIND:
        return np.ones(len(system), dtype=bool)
    return np.append(system_kinds(study), "")[system] == kind.removeprefix("only ")


def _ranked_names(study: Study, measure: str) -> NDArray[np.str_]:
    return names(study, "system" if assessments(study, measure).has_systems else "item")


def _what(study: Study) -> str:
    """What is ranked, as a plural word."""
    return "systems" if assessments(study, study.measures[0]).has_systems else "items"


def _named(text: str, what: str) -> str:
    """A sentence of `analysis`, which calls whatever is ranked a system."""
    return text.replace("systems", what)


def finding_of(found: Found, metric: str, term: str, what: str, scenario: Scenario) -> Sentence:
    """The measure that the metric follows best; with an exclusion, the one whose correlation changes most."""
    known = {measure: one for measure, one in found.items() if one.system_level.before.defined}
    if not known:
        first = next(iter(found.values())).system_level.before
        return "{metric} cannot be held against the raters: {why}.", {
            "metric": metric,
            "why": _named(first.reason, what),
        }
    values: dict[str, Any] = {
        "metric": metric,
        "term": term,
        "what": what,
        "name": scenario.name,
        "k": len(scenario.left_out_codes),
        "s": "" if len(scenario.left_out_codes) == 1 else "s",
    }
    changed = {measure: one for measure, one in known.items() if one.system_level.difference.defined}
    if scenario.excludes and changed:
        measure = max(changed, key=lambda measure: abs(changed[measure].system_level.difference.value))
        systems, items = changed[measure].system_level, changed[measure].summary_level
        values |= {
            "measure": measure,
            "before": decimal(systems.before.value),
            "after": decimal(systems.after.value),
            "item_before": decimal(items.before.value),
            "item_after": decimal(items.after.value),
            "difference": interval(systems.difference, 3),
        }
        sentence = (
            "Without <b>{k} rater{s}</b> ({name}) {metric} and {measure} correlate at <b>{after}</b> instead of "
            "{before} over {what} ({term}), the largest change of all measures; on single items within a rater at "
            "<b>{item_after}</b> instead of {item_before}."
        )
        if not isnan(systems.difference.low):
            clear = systems.difference.low > 0 or systems.difference.high < 0
            sentence += " The change over {what} is " + ("clear of" if clear else "not clear of")
            sentence += " chance ({difference})."
        return sentence, values
    best = max(known, key=lambda measure: known[measure].system_level.before.value)
    values |= {
        "best": best,
        "value": decimal(known[best].system_level.before.value),
        "n": count(known[best].system_level.before.n),
        "items": decimal(known[best].summary_level.before.value),
    }
    sentence = (
        "Over {n} {what} {metric} follows <b>{best}</b> best: {term} <b>{value}</b>; on single items within a rater "
        "{items}."
    )
    if scenario.excludes:
        values["why"] = known[best].system_level.difference.reason
        return sentence + " What the exclusion changes is undefined: {why}.", values
    return sentence + " Choose raters to leave out in the sidebar to see what that changes.", values


def agreement_table(found: Found, what: str, scenario: Scenario, drawn: bool) -> pd.DataFrame:
    """The paper's Tables 3 (systems) and 4 (single items), a row per level and measure."""
    rows = []
    for level, field in ((what, "system_level"), ("single items of a rater", "summary_level")):
        for measure, one in found.items():
            change = getattr(one, field)
            row = {"Over": level, "Measure": measure, **_cells("Before", change.before, drawn)}
            if scenario.excludes:
                row |= _cells("After", change.after, drawn) | _cells("Difference", change.difference, drawn)
            row["n before"] = change.before.n
            if scenario.excludes:
                row["n after"] = change.after.n
            rows.append(row)
    return pd.DataFrame(rows)


def _cells(name: str, estimate: Estimate, drawn: bool) -> dict[str, object]:
    return {name: estimate.value, f"{name}, 95 %": interval(estimate, 3) if drawn else PENDING}


def _show_table(table: pd.DataFrame) -> None:
    show_table(
        table, WRITTEN, alt="Correlation of the metric with human scores over systems and single items"
    )


def rater_table(study: Study, found: Found, scenario: Scenario, term: str) -> pd.DataFrame:
    """One row per rater: the correlation with the metric, and the items it rests on, per measure."""
    who = names(study, "rater")
    codes = sorted({int(code) for one in found.values() for code in one.raters})
    table = pd.DataFrame(
        {
            "Rater": who[codes],
            "Left out": ["yes" if code in scenario.left_out_codes else "" for code in codes],
        },
        index=codes,
    )
    for measure, one in found.items():
        table[f"{term}, {measure}"] = pd.Series(one.rater_correlation, index=one.raters)
        table[f"Items, {measure}"] = pd.Series(one.rater_items, index=one.raters)
    return table.sort_values(table.columns[2], ignore_index=True)


def _warnings(found: Found, what: str, drawn: bool) -> list[Sentence]:
    """What was left out and what is undefined, each reason once."""
    told: list[Sentence] = []
    missing = max(one.without_metric for one in found.values())
    if missing:
        told.append(
            ("Up to {n} ratings of a measure have no metric value and are left out.", {"n": count(missing)})
        )
    undefined = max(one.undefined_raters for one in found.values())
    if undefined:
        sentence = (
            "For up to {n} raters of a measure the correlation is undefined (fewer than three items, or all scores or "
            "metric values equal); they are not in the mean over raters."
        )
        told.append((sentence, {"n": count(undefined)}))
    reasons: dict[str, list[str]] = {}
    for measure, one in found.items():
        for level in (one.system_level, one.summary_level):
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


_NO_METRIC = (
    "There is no metric to hold against the raters. Upload a file of kind <b>metrics</b> on the <b>Data</b> page (an "
    "item column and a number per item), or import the ratings with a further numeric column, or with the columns "
    "<b>text</b> and <b>reference_text</b> for ROUGE."
)

EXPLANATION = r"""
**Over systems** (the paper's Table 3). A system's human score is the mean over topics (topic and condition) of the
topic's mean score; the metric is averaged over exactly the same ratings, so an exclusion takes the same topics from
both. The figure is their correlation over systems.

**Single items** (the paper's Table 4). For each rater the correlation of the scores with the metric over that
rater's items, then the mean over raters. A rater with fewer than three items, or with constant scores, has none.

**Intervals** draw raters and topics (the pigeonhole bootstrap); where each topic was judged by one rater, raters with
all their topics. Systems stay the same ones. Before and after share their draws, so that their difference has an
interval of its own; intervals are centred on the estimate on Fisher's z, with Student's t for few units. With one
topic only, systems are drawn in its place.

**ROUGE** is the F-measure against the item's reference text, by the package `rouge-score`, with words of every script,
without stemming.

A metric cannot imitate random human mistakes, so leaving out inconsistent raters should raise the correlation on
single items; over systems mistakes average out, and leaving out data often costs more than it gains.

Source: Owczarzak, Rankel, Dang and Conroy 2012, section 3, Tables 3 and 4; Lin 2004. The intervals are not in the
paper.
"""
