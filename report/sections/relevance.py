"""Relevance: which summaries suffice, whether raters agree, and what metrics say of either."""

from collections.abc import Iterator
from dataclasses import replace

from features.relevance.agreement_results import AccuracySpec, RatersSpec
from features.relevance.agreement_section import accuracy_section, raters_section
from features.relevance.judgments_results import main_study, metrics
from features.relevance.metrics_findings import missing_metric
from features.relevance.metrics_results import MetricSpec
from features.relevance.metrics_section import correlation_section
from features.study import Scenario, Study
from report.parts.asked import Asked
from report.parts.model import Section
from report.parts.of_blocks import section_of, together
from report.parts.without import what_changes
from report.sections.metrics import TITLE


def sections(study: Study, scenario: Scenario, asked: Asked) -> Iterator[Section]:
    """Yield agreement with gold and with the own full text, kappa, and the correlations of each metric."""
    bootstrap, surrogates = asked.bootstrap(), main_study(study).surrogates
    if asked.wants("relevance"):
        spec = AccuracySpec(bootstrap=bootstrap, by_event=False)
        accuracy = accuracy_section(study, scenario, spec)
        found = section_of("relevance", "Which summaries suffice", accuracy)
        yield replace(found, tables=[*found.tables, *what_changes(study, scenario)[1]])
        raters = raters_section(study, scenario, RatersSpec(bootstrap=bootstrap))
        yield section_of("kappa", "Whether raters agree", raters)
    if asked.wants("metrics") and missing_metric(surrogates, metrics(study)) is None:
        yield together(
            section_of(
                "metrics",
                TITLE,
                correlation_section(
                    study, scenario, MetricSpec(metric, surrogates.sides[0], seed=asked.seed)
                ),
                f"-{nth}",
            )
            for nth, metric in enumerate(metrics(study), 1)
        )
