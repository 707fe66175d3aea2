"""Automatic metrics: how a metric agrees with the raters, and what that becomes without some of them."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from analysis.assessors.rouge import rouge
from analysis.correlation.rows import CorrelationName
from analysis.values.estimate import BootstrapSpec
from charts.assessors.automatic_metrics import TERMS, Panel, scatter
from data.dataset import Dataset
from features.assessments import item_numbers, item_texts, names, system_kinds
from features.exclusion import kind_of_ranked, names_of_ranked
from features.plotting.panels import MOST
from features.results import key_of, long_result
from features.study import Scenario, Study
from findings.assessors import automatic_metrics as findings
from findings.assessors.automatic_metrics import EXPLANATION
from findings.assessors.metric_rows import EVERY_KIND, ByMeasure, agreements_of
from findings.code import assessors as program
from findings.code.assessors import Source
from panels.assessors import metric_comparison
from panels.assessors.joined_datasets import choose_joined, joinable, values_by_item
from panels.assessors.metric_rows import Metric
from ui.conclusions import show_code, show_finding
from ui.controls import choose_one, measures_on_show
from ui.downloads import downloads
from ui.errors import told_in_words
from ui.pictures import draw, look
from ui.sampling_controls import bootstrap_controls
from ui.stages import show_stages
from ui.tables import show_table
from ui.words import note, say, warn

__all__ = ["EXPLANATION", "show"]

ROUGE = {"ROUGE-2 of the texts": "rouge2", "ROUGE-1 of the texts": "rouge1", "ROUGE-L of the texts": "rougeL"}
"""The first is shown where there is no other metric: it is the paper's."""
CORRELATIONS: dict[str, CorrelationName] = {"Pearson's r": "pearson", "Spearman's ρ": "spearman"}
_MACHINES = ("machine", "system", "automatic", "peer")
WITH_HUMANS = "Correlation of the metric with human scores over systems and single items"
BY_RATER = "Correlation of the metric with each rater's scores"


@dataclass(frozen=True)
class Chosen:
    """What the controls say."""

    metric: Metric
    offered: Mapping[str, Metric]
    term: str
    kind: str
    spec: BootstrapSpec
    joined: tuple[str, Dataset] | None


def show(study: Study, scenario: Scenario) -> None:
    """Finding, scatter of the systems per measure, Tables 3 and 4, and each rater's correlation."""
    finding = st.empty()
    chosen = _controls(study)
    if chosen is None:
        with finding:
            say(findings.NO_METRIC)
        return
    with told_in_words():
        values = chosen.metric.values()
    if values is None:
        return
    of = chosen.metric.source, values, chosen.kind, CORRELATIONS[chosen.term]
    closed = agreements_of(study, scenario, *of, BootstrapSpec(draws=0))
    if closed is None:
        return
    metric, what = chosen.metric, kind_of_ranked(study, study.measures[0])
    panels = [
        Panel(measure, closed[measure], names_of_ranked(study, measure)[closed[measure].systems])
        for measure in measures_on_show(study.measures, MOST)
    ]
    draw(
        st,
        scatter(panels, metric.name, look()),
        key="metric_scatter",
        alt="Mean human score of each system against its mean metric, one panel per measure",
    )
    place = st.empty()

    def show_agreements(agreements: ByMeasure, stage: str) -> None:
        with finding:
            show_finding(findings.finding(agreements, metric.name, chosen.term, what, scenario))
        with place:
            show_table(
                *findings.agreement_table(agreements, what, scenario, drawn=stage != "closed"),
                alt=WITH_HUMANS,
            )

    agreements = show_stages(
        closed,
        show_agreements,
        ("with intervals", lambda _: agreements_of(study, scenario, *of, chosen.spec)),
    )
    drawn = agreements is not closed
    remarks = findings.remarks(agreements, what, drawn)
    with st.container():
        for sentence in findings.notes(agreements, what, chosen.spec, drawn, scenario.excludes):
            note(*sentence)
        for sentence in remarks:
            warn(*sentence)
    compared = metric_comparison.show(
        study,
        scenario,
        chosen.offered,
        TERMS[CORRELATIONS[chosen.term]],
        CORRELATIONS[chosen.term],
        chosen.kind,
        chosen.spec,
    )
    st.header("Each rater")
    sign = TERMS[CORRELATIONS[chosen.term]]
    by_rater = findings.rater_table(agreements, names(study, "rater"), scenario, sign), BY_RATER
    show_table(*by_rater[0], alt=BY_RATER, most=10)
    over_all = findings.agreement_table(agreements, what, scenario, drawn), WITH_HUMANS
    downloads("metrics", [over_all, by_rater], lambda: scatter(panels, metric.name, look()), notes=remarks)
    kind = "" if chosen.kind == EVERY_KIND else chosen.kind.removeprefix("only ")
    asked = [metric.origin, *(each.origin for each in compared)]
    correlation = CORRELATIONS[chosen.term]
    show_code(lambda: program.metrics(study, scenario, asked, chosen.joined, correlation, kind, chosen.spec))


def _controls(study: Study) -> Chosen | None:
    """What is held against the raters, and how; None where there is no metric."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        files = joinable(study, "metrics", st.query_params.get("metrics"))
        joined = choose_joined("Metrics file", files, "metrics", none="none")
        offered = _offered(study, joined)
        if not offered:
            return None
        metric = _choose_metric(offered)
        term = st.selectbox("Correlation", list(CORRELATIONS), key="metric_correlation", bind="query-params")
        kind = _choose_kind(study)
        with st.popover("More"):
            spec = bootstrap_controls()
    of_file = next(((key, file) for key, file in files.items() if file is joined), None)
    return Chosen(metric, offered, term, kind, spec, of_file)


def _offered(study: Study, joined: Dataset | None) -> Mapping[str, Metric]:
    """Numeric columns of the items, those of the joined file, and ROUGE where there are texts for it."""
    offered: dict[str, Metric] = {}
    if joined is not None:
        for column in joined.named("item number"):
            name = f"{column} ({joined.name})"
            of_file = partial(values_by_item, study, joined, column)
            offered[name] = Metric(name, f"{joined.sha256} {column}", of_file, Source(name, "joined", column))
    for column in study.whole.named("item number"):
        of_items = partial(item_numbers, study, column)
        offered[column] = Metric(column, f"column {column}", of_items, Source(column, "column", column))
    if study.whole.has("text", "reference_text"):
        for name, kind in ROUGE.items():
            offered[name] = Metric(name, kind, partial(_rouge, study, kind), Source(name, "texts", kind))
    return offered


def _choose_metric(offered: Mapping[str, Metric]) -> Metric:
    names_of = list(offered)
    usual = next((name for name in names_of if "rouge2" in name.casefold()), names_of[0])
    return offered[choose_one("Metric", names_of, usual=usual, key="metric", width=300)]


def _rouge(study: Study, kind: str) -> NDArray[np.float64] | None:
    """ROUGE of the items' texts, all kinds at once; None while stopped."""
    by_kind = long_result(
        key_of(study.whole, "rouge"),
        "ROUGE of the texts",
        lambda on_progress: rouge(*item_texts(study), on_progress=on_progress),
    )
    return None if by_kind is None else by_kind[kind]


def _choose_kind(study: Study) -> str:
    """Which kind of system is compared, where the data set tells machines from people."""
    kinds = sorted({kind for kind in system_kinds(study).tolist() if kind})
    if len(kinds) < 2:
        return EVERY_KIND
    options = [EVERY_KIND, *(f"only {kind}" for kind in kinds)]
    usual = next((f"only {kind}" for kind in kinds if kind.casefold() in _MACHINES), EVERY_KIND)
    return choose_one(
        "Systems",
        options,
        usual=usual,
        key="systems_of",
        help="People and machines together often correlate otherwise than machines alone: people stand apart.",
    )
