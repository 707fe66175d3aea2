"""Sections of "Relevance" on automatic metrics: correlations with how well people judge, and random partitions."""

from collections.abc import Iterator, Mapping
from functools import partial

from analysis.relevance.metric_correlations import CorrelationSpec
from analysis.values.estimate import BootstrapSpec, Estimate
from features.blocks import Block, Figure, Heading, Method, Status, in_stages, last_of
from features.methods import method_of
from features.metric_pairs import pair_finding, pair_note, pair_warnings, pairs_table
from features.plotting.numbers import count, decimal
from features.program import study_program
from features.relevance import metrics_figures as figures
from features.relevance import metrics_findings as findings
from features.relevance import metrics_results as results
from features.relevance import partitions_findings
from features.relevance.judgments_results import main_study, metrics
from features.relevance.metrics_results import ComparedMetric, MetricSpec, Partitions, PartitionsSpec
from features.study import Scenario, Study
from features.verdicts import largest_change


def metrics_section(study: Study, scenario: Scenario, spec: MetricSpec) -> Iterator[Block]:
    """Yield whether a metric correlates with how well people judge, then its rivals, its means and its outcomes."""
    missing = findings.missing_metric(main_study(study, spec.full_text).surrogates, metrics(study))
    if missing is not None:
        yield missing
        return
    stages = results.metric_stages(study, spec)
    found = yield from in_stages(stages, partial(_correlation_blocks, study, scenario))
    if found.compared:
        yield Heading("Metrics compared")
        yield from _comparison(found)
    yield Heading("The metric by surrogate")
    yield findings.means_finding(found)
    if found.test.k > 1:
        caption = "Mean {metric} of each surrogate with its within-subject 95% CI, the highest on top."
        metric = {"metric": spec.metric}
        yield Figure("metric-means", (caption, metric), partial(figures.metric_mean_dots, found))
        yield findings.means_table(found)
        yield from findings.means_notes(found)
    if found.outcomes is not None:
        yield from _outcomes(found)
    yield _method(spec)


def _comparison(found: ComparedMetric) -> Iterator[Block]:
    pairs, surrogates = {findings.in_words(found.spec.measure): found.compared}, "surrogates"
    verdict = pair_finding(pairs, "r", surrogates, name="comparison")
    yield verdict
    if verdict.status is not Status.NOT_ENOUGH_DATA:
        yield pairs_table(pairs)
        yield pair_note(surrogates, BootstrapSpec(), len(found.compared))
        yield from pair_warnings(pairs, surrogates)


def correlation_section(study: Study, scenario: Scenario, spec: MetricSpec) -> Iterator[Block]:
    """Yield the correlations of a metric alone, for the report."""
    yield from in_stages(
        results.correlation_stages(study, spec), partial(_correlation_blocks, study, scenario)
    )
    yield _method(spec)


def _correlation_blocks(study: Study, scenario: Scenario, found: ComparedMetric) -> Iterator[Block]:
    if study.dataset.without and found.by_level:
        stages = results.correlation_stages(study.everyone, found.spec)
        before = last_of(stages) if found.is_complete else last_of([next(stages)])
        yield largest_change(scenario, "r at the level", _correlations(before), _correlations(found), decimal)
    if found.by_level:
        yield findings.correlation_finding(found)
    yield from _scatter(found)
    if not found.is_complete:
        return
    if any(cell.estimate.defined for of in found.by_level.values() for cell in of.cells):
        yield findings.correlation_table(found)
    yield from findings.correlation_warnings(found)
    yield from findings.correlation_notes(found)


def _scatter(found: ComparedMetric) -> Iterator[Block]:
    if found.drawn is not None and found.drawn.cell(found.spec.measure, "pearson").estimate.defined:
        measure, level = findings.MEASURE_NAMES[found.spec.measure], findings.LEVEL_NAMES[found.spec.level]
        caption = "{metric} and {measure} ({side}): {level}."
        values = {"metric": found.spec.metric, "measure": measure, "side": found.spec.side, "level": level}
        draw = partial(figures.metric_scatter, found)
        yield Figure("metric-scatter", (caption, values), draw)


def _correlations(found: ComparedMetric) -> Mapping[str, Estimate]:
    return {
        findings.LEVEL_NAMES[level].lower(): of.cell(found.spec.measure, "pearson").estimate
        for level, of in found.by_level.items()
    }


def _outcomes(found: ComparedMetric) -> Iterator[Block]:
    yield Heading("The metric where people judge right and wrong")
    verdict = findings.outcome_finding(found)
    yield verdict
    if verdict.status is not Status.NOT_ENOUGH_DATA:
        caption = "Mean {metric} over true and false positives and negatives, with 95% CI."
        metric = {"metric": found.spec.metric}
        yield Figure("metric-outcomes", (caption, metric), partial(figures.outcome_dots, found))
        yield findings.outcomes_table(found)
        yield findings.OUTCOMES_NOTE


def _method(spec: MetricSpec) -> Method:
    most = count(CorrelationSpec().permutations)
    return method_of("relevance", "metrics", ["hobson2007"], most=most, seed=spec.seed)


def metrics_program(study: Study, spec: MetricSpec) -> str:
    """Return a program that compares a metric with judgments without a browser."""
    return study_program(study, None, results.compare_metric, spec, ["results = found.figures"])


def partitions_section(study: Study, scenario: Scenario, spec: PartitionsSpec) -> Iterator[Block]:
    """Yield the correlation of a metric with agreement over random partitions, first without intervals."""
    missing = findings.missing_metric(main_study(study, spec.full_text).surrogates, metrics(study))
    if missing is not None:
        yield missing
        return
    stages = results.partition_stages(study, spec)
    found = yield from in_stages(stages, partial(_partition_blocks, study, scenario))
    if found.sizes:
        yield partitions_findings.partitions_table(found)
    yield from partitions_findings.partitions_warnings(found)
    yield from partitions_findings.partitions_notes(found)
    yield method_of("relevance", "partitions", ["hobson2007"], draws=count(spec.draws))


def _partition_blocks(study: Study, scenario: Scenario, found: Partitions) -> Iterator[Block]:
    if study.dataset.without:
        before = results.preview_partitions(study.everyone, found.spec)
        yield largest_change(scenario, "r of", before.means, found.means, decimal)
    yield partitions_findings.partitions_finding(found)
    caption = "Correlation of {metric} with agreement over random partitions of the documents, by surrogate."
    draw = partial(figures.partition_outlines, found)
    yield Figure("partitions", (caption, {"metric": found.spec.metric}), draw)


def partitions_program(study: Study, spec: PartitionsSpec) -> str:
    """Return a program that correlates a metric with agreement over partitions without a browser."""
    return study_program(study, None, results.correlate_partitions, spec, ["results = found.figures"])
