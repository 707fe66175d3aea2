"""Findings on a metric compared with raters: status, the numbers that are named, and the tables."""

from dataclasses import replace
from math import nan

import numpy as np
import pytest

from analysis.assessors.automatic_metrics import Change, MetricAgreement
from analysis.values.estimate import BootstrapSpec, Estimate
from features.blocks import Finding, Status
from features.metrics.results import Metric, MetricResult, MetricSpec
from features.metrics.section import (
    agreement_finding,
    agreement_table,
    agreement_warnings,
    exclusion_finding,
)
from features.study import Scenario
from tests.features.studies import said
from tests.findings_rules import check_findings

NOBODY, BOB = Scenario(), Scenario("picked by hand", (1,), ("Bob",))

UNDEFINED = Estimate(nan, reason="all systems have the same score")
SPEC = MetricSpec(Metric("rouge2", "items", "rouge2"), bootstrap=BootstrapSpec(200, 7))


def level(before: float, after: float, low: float = nan, high: float = nan, n: int = 6) -> Change:
    return Change(
        Estimate(before, before - 0.1, before + 0.1, n),
        Estimate(after, after - 0.1, after + 0.1, n - 1),
        Estimate(after - before, low, high, n),
    )


def agreement(systems: Change, **more: object) -> MetricAgreement:
    means = np.array([1.0, 2.0])
    made = MetricAgreement(
        correlation="pearson",
        system_level=systems,
        summary_level=level(0.3, 0.35, n=3),
        systems=np.array([0, 1]),
        human_before=means,
        metric_before=means,
        human_after=means,
        metric_after=means,
        raters=np.array([0, 1]),
        rater_correlation=np.array([0.4, 0.2]),
        rater_items=np.array([10, 12]),
        excluded=np.array([False, True]),
        ratings=22,
        ratings_left=10,
        topics=2,
        topics_left=2,
        without_metric=0,
        resampled="raters and systems",
    )
    return replace(made, **more)


def result(what: str = "systems", is_drawn: bool = True, **agreements: MetricAgreement) -> MetricResult:
    return MetricResult(SPEC, agreements, {}, what, is_drawn)


def line(found: Finding) -> set[object]:
    return set(found.evidence[1].values())


def test_the_measure_with_which_the_metric_correlates_best_is_named() -> None:
    found = agreement_finding(result(focus=agreement(level(0.5, nan)), grammar=agreement(level(0.9, nan))))
    assert (found.headline[1]["best"], found.headline[1]["value"]) == ("grammar", "0.90")
    assert {"95% CI 0.80–1.00", "6 systems", "within raters 0.35"} <= line(found)


def test_a_correlation_that_may_be_zero_is_not_claimed() -> None:
    unclear, clear = agreement(level(0.05, nan)), agreement(level(0.5, nan))
    found = agreement_finding(result(focus=unclear))
    assert said(found) == "Metric rouge2 does not clearly correlate with focus."
    assert {"r 0.05", "95% CI −0.05 to 0.15"} <= line(found)
    both = agreement_finding(result(focus=unclear, grammar=unclear))
    assert said(both).endswith(", but not clearly.")
    assert "clearly" not in said(agreement_finding(result(focus=unclear, grammar=clear)))


def test_with_an_exclusion_the_headline_is_of_the_raters_that_stay() -> None:
    found = agreement_finding(result(focus=agreement(level(0.5, 0.75, 0.1, 0.4))))
    assert found.headline[1]["value"] == "0.75"


def test_the_largest_change_is_named_and_graded() -> None:
    both = result(focus=agreement(level(0.5, 0.75, 0.1, 0.4)), grammar=agreement(level(0.9, 0.8)))
    found = exclusion_finding(both, BOB)
    assert found.status is Status.CLEAR
    told = {name: found.headline[1][name] for name in ("who", "measure", "change")}
    assert told == {"who": "Bob", "measure": "focus", "change": "+0.250"}
    assert {"95% CI 0.100–0.400", "0.750 instead of 0.500", "the largest change of 2 measures"} <= line(found)
    check_findings([found, agreement_finding(both)])
    unsure = exclusion_finding(result(focus=agreement(level(0.5, 0.75, -0.1, 0.4))), BOB)
    assert unsure.status is Status.UNCERTAIN


def test_what_is_undefined_has_its_reason_in_the_word_for_what_is_ranked() -> None:
    nothing = agreement(Change(UNDEFINED, UNDEFINED, UNDEFINED))
    found = agreement_finding(result("items", focus=nothing))
    assert (found.status, line(found)) == (
        Status.NOT_ENOUGH_DATA,
        {"All items have the same score"},
    )
    found = exclusion_finding(result("items", focus=nothing), BOB)
    assert (found.status, line(found)) == (Status.NOT_ENOUGH_DATA, {"All items have the same score"})


@pytest.mark.parametrize(
    ("before", "status"), [(Estimate(0.5, 0.1, 0.9, 6), "clear"), (Estimate(0.5, -0.1, 0.9, 6), "uncertain")]
)
def test_a_correlation_is_clear_where_its_interval_excludes_0(before: Estimate, status: str) -> None:
    found = agreement_finding(result(focus=agreement(replace(level(0.5, nan), before=before))))
    assert found.status.value == status


def test_tables_3_and_4_have_a_row_per_level_and_measure() -> None:
    one = result(focus=agreement(level(0.5, 0.75, 0.1, 0.4)))
    table = agreement_table(one, True)
    assert table.frame["Over"].tolist() == ["systems", "single items of a rater"]
    assert table.frame.loc[0, ["Before", "After", "Difference"]].tolist() == [0.5, 0.75, 0.25]
    assert table.formats["Difference"][0] == "0.250 (0.100 to 0.400)"
    assert table.frame["n after"].tolist() == [5, 2]
    alone = agreement_table(one, False).frame
    assert alone["Correlation"].tolist() == [0.5, 0.3]
    assert alone["n"].tolist() == [6, 3]
    assert not {"Before", "n before", "After"} & set(alone)


def test_warnings_say_what_is_missing_and_undefined() -> None:
    odd = agreement(
        Change(UNDEFINED, UNDEFINED, UNDEFINED), without_metric=4, rater_correlation=np.array([nan, 0.2])
    )
    found = result("items", focus=odd, x=odd)
    missing, undefined, reason = (one.text[1] for one in agreement_warnings(found))
    assert (missing, undefined) == ({"n": "4"}, {"n": "1"})
    assert reason == {"where": "Both measures", "reason": "all items have the same score"}
