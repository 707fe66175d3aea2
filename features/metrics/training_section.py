"""Section of "Training a metric": how well trained metrics rank systems, and their models."""

from collections.abc import Iterator
from functools import partial

from features.assessments import names
from features.blocks import Block, Figure, Finding
from features.cache import Stopped
from features.methods import method_of
from features.metrics import training_findings as findings
from features.metrics.training_figures import correlations
from features.metrics.training_results import MetricTrainingSpec, train_metrics
from features.program import study_program
from features.study import Scenario, Study


def lacking(study: Study) -> Finding | None:
    """Return what the study lacks for training a metric, None where nothing."""
    splits, features = len(names(study, "split")), len(study.whole.named("item number"))
    return findings.missing(study.whole.has("system"), splits, features)


def training_section(study: Study, scenario: Scenario, spec: MetricTrainingSpec | None) -> Iterator[Block]:
    """Yield how well trained metrics rank systems, and their models; no spec where splits are not different."""
    if spec is None:
        yield findings.same_splits()
        return
    try:
        trained = train_metrics(study, scenario, spec)
    except Stopped:
        return
    if scenario.excludes:
        yield findings.exclusion_finding(trained, scenario)
    yield findings.training_finding(trained)
    tested = findings.correlations_when_tested(trained.columns)
    if any(everyone.defined for _, everyone, _ in tested):
        caption = "Pearson's r of the trained metrics with the raters over the systems of the test split, with 95% CI."
        yield Figure("training_correlations", (caption, {}), partial(correlations, tested))
    yield findings.training_table(trained, scenario)
    yield findings.models_table(trained, scenario)
    yield from findings.training_notes(trained)
    yield method_of("metrics", "training", ["owczarzak2012"])


def training_program(study: Study, scenario: Scenario, spec: MetricTrainingSpec) -> str:
    """Return a program that trains the metrics without a browser."""
    return study_program(study, scenario, train_metrics, spec, ["results = dict(found.columns)"])
