"""Sections of "Automatic metrics": one metric compared with raters, and all metrics of a study."""

from collections.abc import Iterator, Sequence
from functools import partial

from data.dataset import Dataset
from features.blocks import MAIN, Block, Figure, Finding, Heading, Table, in_stages
from features.cache import Stopped
from features.metric_pairs import pair_finding, pair_note, pair_warnings, pairs_table
from features.metrics import findings
from features.metrics.figures import scatter
from features.metrics.results import (
    MetricResult,
    MetricSpec,
    compare_with_metric,
    metric_stages,
)
from features.program import method_of, study_program
from features.study import Scenario, Study
from features.tables import stacked

Joined = tuple[str, Dataset] | None
"""Key and data set of a joined table, for programs."""


def metrics_section(
    study: Study, scenario: Scenario, spec: MetricSpec, joined: Dataset | None, measures: Sequence[str]
) -> Iterator[Block]:
    """Yield how a metric agrees with raters, each rater, and pairs of metrics; `measures` are those drawn."""
    try:
        yield from in_stages(
            metric_stages(study, scenario, spec, joined), partial(_blocks, scenario, measures)
        )
    except Stopped:
        return
    bootstrap = spec.bootstrap
    yield method_of("metrics", "metrics", ["owczarzak2012"], draws=bootstrap.draws, seed=bootstrap.seed)


def _blocks(scenario: Scenario, measures: Sequence[str], found: MetricResult) -> Iterator[Block]:
    if scenario.excludes:
        yield findings.exclusion_finding(found, scenario)
    yield findings.agreement_finding(found)
    caption = "Mean score by raters of each of the {what} and its mean {metric}, by measure."
    values = {"what": found.what, "metric": found.spec.metric.name}
    yield Figure("metric_scatter", (caption, values), partial(scatter, found, measures))
    yield findings.agreement_table(found, scenario.excludes)
    yield from findings.agreement_warnings(found)
    yield findings.counts_note(found)
    yield Heading("Each rater")
    yield findings.raters_table(found, scenario)
    yield from findings.interval_note(found, scenario.excludes)
    if found.pairs is not None:
        metrics = len(found.spec.compared)
        yield Heading("Metrics compared with each other")
        yield pair_finding(found.pairs, findings.TERMS[found.spec.correlation], found.what, "pairs")
        yield pairs_table(found.pairs)
        yield pair_note(found.what, found.spec.bootstrap, metrics * (metrics - 1) // 2)
        yield from pair_warnings(found.pairs, found.what)


def metrics_program(study: Study, scenario: Scenario, spec: MetricSpec, joined: Joined) -> str:
    """Return a program that compares the metrics without a browser."""
    used = joined if any(one.origin == "joined" for one in (spec.metric, *spec.compared)) else None
    lines = ["results = {**found.agreements, 'pairs': found.pairs}"]
    return study_program(study, scenario, compare_with_metric, spec, lines, joined=used)


def all_metrics_section(study: Study, scenario: Scenario, specs: Sequence[MetricSpec]) -> Iterator[Block]:
    """Yield how each of several metrics of the items agrees with raters, for a report."""
    tables, headlines = dict[str, Table](), list[Finding]()
    for at, spec in enumerate(specs):
        found = compare_with_metric(study, scenario, spec)
        headlines.append(findings.agreement_finding(found, name=spec.metric.name if at else MAIN))
        tables[spec.metric.name] = findings.agreement_table(found, scenario.excludes)
    yield from headlines
    caption = "Correlation of each metric with human scores over systems and on single items, with 95% CI."
    yield stacked("metrics", caption, "Metric", tables)
    bootstrap = specs[0].bootstrap
    yield method_of("metrics", "metrics", ["owczarzak2012"], draws=bootstrap.draws, seed=bootstrap.seed)
