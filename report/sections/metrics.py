"""Automatic metrics of a study of ratings: the agreement of each numeric column of the items with each group."""

from features.metrics.results import MetricSpec, offered_metrics
from features.metrics.section import all_metrics_section
from features.study import Scenario, Study
from report.parts.asked import Asked
from report.parts.by_group import of_all
from report.parts.model import Section
from report.parts.of_blocks import section_of
from report.parts.opening import of_each_group

TITLE = "Automatic metrics"


def section(study: Study, scenario: Scenario, asked: Asked) -> Section | None:
    """Return the correlation of each metric with the scores over systems and single items; None without metrics."""
    metrics = [one for one in offered_metrics(study, None).values() if one.origin == "items"]
    if not metrics:
        return None
    specs = [MetricSpec(one, bootstrap=asked.bootstrap()) for one in metrics]
    parts = {
        each.candidate: section_of("metrics", TITLE, all_metrics_section(each, scenario, specs))
        for each in of_each_group(study, asked)
    }
    return next(iter(of_all(parts)), None)
