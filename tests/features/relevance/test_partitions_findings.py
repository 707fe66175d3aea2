"""Correlations over random partitions: status, the numbers of the verdict and the table."""

from dataclasses import replace
from math import nan

import numpy as np

from analysis.relevance.partitions import Partition, PartitionSpec, PartitionStudy
from analysis.values.estimate import Estimate
from features.blocks import Status
from features.relevance import metrics_findings
from features.relevance.agreement_results import LDC
from features.relevance.metrics_results import Partitions, PartitionsSpec, SizedPartitions
from tests.features.relevance.judged import evidence, main, said

OPEN, APART = Estimate(0.1, -0.3, 0.4), Estimate(0.42, 0.05, 0.7)


def partition(surrogate: int, mean: float, **known: object) -> Partition:
    counts, none = np.zeros(80, np.int64), np.empty(0)
    spread = (mean, 0.1, mean - 0.2, mean + 0.2)
    return replace(Partition(surrogate, 4, 15, 62, 2, none, *spread, counts, 0.9, 0.1, 0, ""), **known)


def found(*of: Partition, intervals: tuple[Estimate, ...] | None = None) -> Partitions:
    sized = SizedPartitions(PartitionStudy(PartitionSpec((4,), 10_000), of), intervals)
    return Partitions(PartitionsSpec("ROUGE-1", LDC), main(), [sized])


def test_the_surrogate_whose_interval_excludes_0_is_named() -> None:
    two = partition(0, 0.1), partition(1, 0.42)
    verdict = metrics_findings.partitions_finding(found(*two, intervals=(OPEN, APART)))
    assert verdict.status is Status.CLEAR
    assert "Summary, r = 0.42" in said(verdict)
    assert evidence(verdict)[:2] == ["95% CI 0.05–0.70", "groups of 4 documents"]


def test_without_an_interval_that_excludes_0_nothing_is_clear() -> None:
    two = partition(0, 0.1), partition(1, 0.42)
    for intervals in (None, (OPEN, OPEN)):
        verdict = metrics_findings.partitions_finding(found(*two, intervals=intervals))
        assert verdict.status is Status.UNCERTAIN
    undefined = metrics_findings.partitions_finding(found(partition(0, nan, reason="all groups agree")))
    assert (undefined.status, evidence(undefined)) == (Status.NOT_ENOUGH_DATA, ["All groups agree", LDC])


def test_what_fills_no_group_or_has_no_correlation_is_warned_of() -> None:
    of = found(
        partition(0, nan, reason="all agree"),
        partition(1, 0.4, undefined=0.02, reason="some agree"),
        intervals=(Estimate(nan), Estimate(0.4, 0.1, 0.6)),
    )
    told = [one.text[1] for one in metrics_findings.partitions_warnings(of)]
    assert [(one["name"], one["share"]) for one in told] == [("Summary", "2.0%")]
    table = metrics_findings.partitions_table(of).frame
    assert table["Why"].tolist() == ["all agree", ""]
    assert (table["Left over"].tolist(), table["Documents"].tolist()) == ([2, 2], [62, 62])
    assert table["Mean r to"].tolist()[1] == 0.6
    assert table["5th to 95th percentile"].tolist() == ["–", "0.200 to 0.600"]
