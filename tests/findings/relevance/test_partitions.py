"""Correlations over random partitions, in whole sentences with their numbers."""

from dataclasses import replace
from math import nan

import numpy as np

from analysis.relevance.partitions import Partition, PartitionSpec, PartitionStudy
from analysis.values.estimate import Estimate
from features.blocks import Status
from findings.relevance import partitions
from findings.relevance.surrogates import LDC
from tests.findings.relevance.judged import SURROGATES, told


def partition(surrogate: int, mean: float, **known: object) -> Partition:
    of = Partition(
        surrogate,
        4,
        15,
        62,
        2,
        np.empty(0),
        mean,
        0.1,
        mean - 0.2,
        mean + 0.2,
        np.zeros(80, np.int64),
        0.9,
        0.1,
        0,
        "",
    )
    return replace(of, **known)


def drawn(*of: Partition, intervals: tuple[Estimate, ...] | None = None) -> partitions.Drawn:
    return partitions.Drawn(PartitionStudy(PartitionSpec((4,), 10_000), of), intervals)


def test_correlations_over_random_partitions() -> None:
    two = partition(0, 0.1), partition(1, 0.42)
    assert told(partitions.finding_of(SURROGATES, "ROUGE-1", LDC, drawn(*two))) == (
        "In groups of 4 documents ROUGE-1 and agreement (LDC Agreement) correlate at 0.42 for Summary, 0.10 for "
        "Headline."
    )
    both_open = (Estimate(0.1, -0.3, 0.4), Estimate(0.42, -0.05, 0.7))
    assert told(partitions.finding_of(SURROGATES, "ROUGE-1", LDC, drawn(*two, intervals=both_open))) == (
        "In groups of 4 documents ROUGE-1 and agreement (LDC Agreement) correlate at 0.42 (−0.05 to 0.70) for Summary, "
        "0.10 (−0.30 to 0.40) for Headline: not distinguishable from none."
    )
    one_apart = (Estimate(0.1, -0.3, 0.4), Estimate(0.42, 0.05, 0.7))
    assert "distinguishable" not in told(
        partitions.finding_of(SURROGATES, "ROUGE-1", LDC, drawn(*two, intervals=one_apart))
    )
    undefined = drawn(partition(0, nan, reason="all groups agree"))
    assert told(partitions.finding_of(SURROGATES, "ROUGE-1", LDC, undefined)) == (
        "No correlation over groups of 4: all groups agree."
    )


def test_what_fills_no_group_or_has_no_correlation() -> None:
    of = drawn(partition(0, nan, reason="all agree"), partition(1, 0.4, undefined=0.02, reason="some agree"))
    assert list(map(told, partitions.remarks(SURROGATES, of.study))) == [
        "Headline: undefined, since all agree.",
        "Summary: 2.0 % of the partitions have no correlation, since some agree.",
        "Summary: 2 of 62 documents fill no group, other ones in each partition.",
    ]
    assert told(partitions.notes(of)[0]).startswith(
        "The outline shows 10\u202f000 random partitions; its width"
    )
    intervals = (Estimate(nan), Estimate(0.4, 0.1, 0.6))
    table, _ = partitions.partition_table(SURROGATES, [replace(of, intervals=intervals)])
    assert table["95 % interval"].tolist() == ["–", "0.100 to 0.600"]
    assert table["5th to 95th of draws"].tolist() == ["–", "0.200 to 0.600"]


def test_correlations_over_groups_are_clear_where_one_interval_leaves_out_0() -> None:
    two = partition(0, 0.1), partition(1, 0.42)
    open_, apart = Estimate(0.1, -0.3, 0.4), Estimate(0.42, 0.05, 0.7)

    def status(*of: Partition, intervals: tuple[Estimate, ...] | None = None) -> Status:
        return partitions.finding_of(SURROGATES, "ROUGE-1", LDC, drawn(*of, intervals=intervals)).status

    assert status(*two) is Status.UNCERTAIN
    assert status(*two, intervals=(open_, open_)) is Status.UNCERTAIN
    assert status(*two, intervals=(open_, apart)) is Status.CLEAR
    assert status(partition(0, nan, reason="all groups agree")) is Status.NOT_ENOUGH_DATA
