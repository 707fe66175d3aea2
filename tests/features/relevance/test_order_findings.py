"""Equal judgments between presentations: status, the numbers of the verdict and the table."""

from math import nan

from analysis.relevance.tukey import OrderStudy, SameJudgments
from analysis.values.estimate import Estimate
from features.blocks import Status
from features.relevance import agreement_findings
from tests.features.relevance.judged import evidence, said


def same(value: float, low: float, high: float, n: int, raters: int = 8) -> SameJudgments:
    return SameJudgments(Estimate(value, low, high, n), round(value * n), 1, raters, "bootstrap over raters")


def test_the_ends_of_equal_judgments_are_in_the_evidence() -> None:
    pairs = {
        ("D1S2D2", "D1", "D2"): same(0.8, 0.7, 0.9, 20),
        ("D1S2D2", "S2", "D2"): same(0.95, 0.92, 0.99, 20),
    }
    study = OrderStudy(pairs, repeated=2, unlabelled=0)
    found = agreement_findings.order_finding(study)
    assert "more between D1 and D2 than" in said(found)
    assert "80% (70–90%) and 95% (92–99%) stay the same" in evidence(found)
    assert [one.text[1] for one in agreement_findings.order_warnings(study)] == [{"n": "2"}]
    assert agreement_findings.order_table(study).frame["Changed"].tolist() == [4, 1]


def test_a_single_pair_is_a_share_without_a_comparison() -> None:
    few = OrderStudy({("S1D1", "S1", "D1"): same(0.5, nan, nan, 4, raters=1)}, 0, 0)
    assert said(agreement_findings.order_finding(few)) == "50% of the documents got the same judgment twice."
    assert [one.text[1] for one in agreement_findings.order_warnings(few)] == [{"raters": "1 rater"}]


def test_missing_columns_are_named() -> None:
    assert agreement_findings.no_order(["order_label"]).headline[1]["columns"] == "order_label"
    assert agreement_findings.no_order([]).status is Status.NOT_ENOUGH_DATA


def test_presentations_differ_clearly_where_intervals_do_not_overlap() -> None:
    def status(*of: SameJudgments) -> Status:
        pairs = {("D", "1", str(at)): one for at, one in enumerate(of)}
        return agreement_findings.order_finding(OrderStudy(pairs, 0, 0)).status

    low, near, high = (same(v, v - 0.1, v + 0.1, 20) for v in (0.4, 0.55, 0.8))
    assert status(low, high) is Status.CLEAR
    assert status(low, near) is Status.UNCERTAIN
    assert status(low) is Status.UNCERTAIN
    assert status() is Status.NOT_ENOUGH_DATA
