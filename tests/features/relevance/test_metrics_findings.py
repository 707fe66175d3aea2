"""A metric compared with how well people judge: status, numbers of the verdicts and the tables."""

from dataclasses import replace

import numpy as np
import pytest

from analysis.relevance import tukey
from analysis.relevance.anova import repeated_measures_table
from analysis.relevance.judgments import MetricTable, judged_texts
from analysis.relevance.metric_correlations import LEVELS, CorrelationSpec, correlations
from analysis.relevance.metric_means import metric_means, outcome_means
from features.blocks import Status
from features.relevance import metrics_findings as findings
from features.relevance.agreement_results import LDC, Differences
from features.relevance.metrics_results import ComparedMetric, MetricSpec
from tests.features.relevance.judged import CLOSED, SURROGATES, evidence, judged, main
from tests.features.relevance.test_differences_findings import MEANS


@pytest.fixture(scope="module")
def found() -> ComparedMetric:
    """A metric that rises from text to text."""
    of = judged()
    first = np.arange(len(of)) % 12 == np.arange(len(of))
    values = np.linspace(0.1, 0.9, int(first.sum()))
    table = MetricTable(of.event[first], of.document[first], of.surrogate[first], values)
    texts = judged_texts(of, of.gold, table)
    by_level = {level: correlations(texts, CorrelationSpec(level, full_text=2)) for level in LEVELS}
    test = repeated_measures_table(MEANS, np.arange(3))
    outcomes = {(one.surrogate, one.outcome): one for one in outcome_means(texts, CLOSED)}
    differences = Differences("R", "R", "", "events", SURROGATES, test, tukey.tukey_after_anova(test))
    spec = MetricSpec("ROUGE-1", LDC)
    return ComparedMetric(spec, main(), texts, by_level, metric_means(table), differences, outcomes=outcomes)


def test_a_correlation_that_is_not_significant_is_uncertain(found: ComparedMetric) -> None:
    verdict = findings.correlation_finding(found)
    assert verdict.status is Status.UNCERTAIN
    adjusted = found.by_level["event-adjusted"].cell("accuracy", "pearson").estimate
    assert f"r = {adjusted.value:.2f}".replace("-", "−") in evidence(verdict)
    assert LDC in evidence(verdict)
    points = f"{adjusted.n} points adjusted for events"
    assert points in evidence(verdict)
    labels = {
        level: findings.correlation_label(of, "accuracy", level) for level, of in found.by_level.items()
    }
    assert [level for level, label in labels.items() if points in label] == ["event-adjusted"]
    assert labels["system x event"].endswith("surrogates × events")


def test_the_correlation_table_has_all_levels(found: ComparedMetric) -> None:
    table = findings.correlation_table(found).frame
    assert table["Surrogates"].isna().all()
    adjusted = [
        found.by_level["event-adjusted"].cell("recall", name).estimate.value for name in findings.CORRELATIONS
    ]
    np.testing.assert_array_equal(table[table["Measure"] == "Recall"]["Adjusted for events"], adjusted)
    assert all(table["Why"])


def test_means_by_surrogate_and_by_outcome(found: ComparedMetric) -> None:
    assert findings.with_outcomes(found) == [0, 1]
    rows = findings.outcomes_table(found).frame
    assert rows["Outcome"].tolist() == ["TP", "TN", "FP", "FN"] * 2
    assert rows["Judgments"].tolist() == [2, 3, 1, 2, 4, 3, 1, 0]
    means = findings.metric_means_table(found).frame
    assert means["Surrogate"].tolist() == ["Summary", "Full Text", "Headline"]
    assert means["Texts"].tolist() == [4, 4, 4]


def test_without_a_metric_a_summary_or_a_truth_something_lacks() -> None:
    assert findings.missing_metric(SURROGATES, ["ROUGE-1"]) is None
    alone = replace(SURROGATES, summaries=(), is_predicted=False)
    no_truth = replace(SURROGATES, has_gold=False, is_predicted=False)
    lacking = [findings.missing_metric(of, names) for of, names in
               ((SURROGATES, []), (alone, ["R"]), (no_truth, ["R"]))]  # fmt: skip
    assert [one and one.status for one in lacking] == [
        Status.NOT_ENOUGH_DATA,
        Status.NOT_APPLICABLE,
        Status.NOT_ENOUGH_DATA,
    ]
