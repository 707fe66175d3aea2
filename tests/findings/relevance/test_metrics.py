"""Whether a metric goes with how well people judge, in whole sentences with their numbers."""

from dataclasses import replace

import numpy as np

from analysis.relevance import tukey
from analysis.relevance.anova import of_table
from analysis.relevance.judged_texts import MetricTable, judged_texts
from analysis.relevance.metric_correlations import LEVELS, CorrelationSpec, correlations
from analysis.relevance.metric_means import metric_means, outcome_means
from findings.relevance import metrics
from findings.relevance.surrogates import LDC
from tests.findings.relevance.judged import CLOSED, MEANS, SURROGATES, judged, told


def by_level() -> tuple[metrics.ByLevel, MetricTable]:
    of = judged()
    first = np.arange(len(of)) % 12 == np.arange(len(of))
    table = MetricTable(
        of.event[first], of.document[first], of.surrogate[first], np.linspace(0.1, 0.9, int(first.sum()))
    )
    texts = judged_texts(of, of.gold, table)
    return {level: correlations(texts, CorrelationSpec(level, full_text=2)) for level in LEVELS}, table


def test_whether_a_metric_goes_with_judging() -> None:
    of_levels, table = by_level()
    said = told(metrics.finding_of(of_levels, "ROUGE-1", LDC, "accuracy"))
    pooled = of_levels["system x event"].cell("accuracy", "pearson")
    assert said.startswith("ROUGE-1 cannot be shown to go with accuracy (LDC Agreement): r = ")
    assert f"r = {pooled.estimate.value:.2f}".replace("-", "−") in said
    assert "over 4 surrogates × events" in said
    rows, _ = metrics.correlation_table(of_levels)
    assert rows["Surrogates"].tolist() == ["–"] * 8
    assert len(metrics.table_in_full(of_levels)) == 24
    of = judged()
    undefined, *_ = map(told, metrics.remarks(of_levels, judged_texts(of, of.gold, table)))
    assert undefined == (
        "Surrogates: correlations with Accuracy, Precision, Recall and F are undefined: a correlation needs at least "
        "3 surrogates with accuracy; there are 2."
    )


def test_means_of_a_metric_by_surrogate_and_by_outcome() -> None:
    _, table = by_level()
    of = judged()
    outcomes = {
        (mean.surrogate, mean.outcome): mean
        for mean in outcome_means(judged_texts(of, of.gold, table), CLOSED)
    }
    assert metrics.with_outcomes(SURROGATES, outcomes) == [0, 1]
    rows, _ = metrics.outcomes_table(SURROGATES, outcomes)
    assert rows["Outcome"].tolist() == ["TP", "TN", "FP", "FN"] * 2
    assert rows["Judgments"].tolist() == [2, 3, 1, 2, 4, 3, 1, 0]
    test = of_table(MEANS, np.arange(3))
    assert told(metrics.means_finding("ROUGE-1", test)) == (
        "ROUGE-1 differs between surrogates: F(2, 6) = 37.80, p = .004."
    )
    means, _ = metrics.means_table(SURROGATES, metric_means(table), test, tukey.after(test), "events")
    assert means["Surrogate"].tolist() == ["Summary", "Full Text", "Headline"]
    assert means["Texts"].tolist() == [4, 4, 4]


def test_without_a_metric_or_a_truth_the_next_step_is_told() -> None:
    assert metrics.nothing_to_correlate(SURROGATES, ["ROUGE-1"]) is None
    assert metrics.nothing_to_correlate(SURROGATES, []) == metrics.NO_METRIC
    alone, untold = (
        replace(SURROGATES, summaries=()),
        replace(SURROGATES, has_gold=False, has_full_text=False),
    )
    assert metrics.nothing_to_correlate(alone, ["ROUGE-1"]) == metrics.NO_SUMMARY
    assert metrics.nothing_to_correlate(untold, ["ROUGE-1"]) == metrics.NO_TRUTH
