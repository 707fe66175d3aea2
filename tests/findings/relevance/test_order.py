"""How many judgments stay the same, in whole sentences with their numbers."""

from math import nan

from analysis.relevance.order_study import OrderStudy, SameJudgments
from analysis.values.estimate import Estimate
from features.blocks import Status
from findings.relevance import order
from tests.findings.relevance.judged import told


def same(value: float, low: float, high: float, n: int, raters: int = 8) -> SameJudgments:
    return SameJudgments(Estimate(value, low, high, n), round(value * n), 1, raters, "raters drawn")


def test_how_many_judgments_stayed_the_same() -> None:
    study = OrderStudy(
        {
            ("D1S2D2", "D1", "D2"): same(0.8, 0.7, 0.9, 20),
            ("D1S2D2", "S2", "D2"): same(0.95, nan, nan, 20),
        },
        repeated=2,
        unlabelled=0,
    )
    assert told(order.finding_of(study)) == (
        "Of the documents that were judged twice, from 80 % (D1S2D2: D1 and D2, 70 to 90 %) to 95 % (D1S2D2: S2 and "
        "D2) got the same judgment."
    )
    assert list(map(told, order.remarks(study))) == ["2 repeated judgments were set aside; the first counts."]
    table, _ = order.order_table(study)
    assert table["Changed"].tolist() == [4, 1]
    few = OrderStudy({("S1D1", "S1", "D1"): same(0.5, nan, nan, 4, raters=1)}, 0, 0)
    assert told(order.finding_of(few)) == (
        "50 % of the documents got the same judgment twice (S1D1: S1 and D1)."
    )
    assert list(map(told, order.remarks(few))) == [
        "Only 1 rater took part: what holds for them need not hold for others."
    ]


def test_the_columns_that_tell_the_order() -> None:
    assert "the columns order_label and presentation (such" in told(
        order.no_order(["order_label", "presentation"])
    )
    assert "rows with both order_label and presentation (such" in told(order.no_order([]))


def test_presentations_differ_clearly_where_their_intervals_leave_room() -> None:
    def status(*of: SameJudgments) -> Status:
        return order.finding_of(
            OrderStudy({("D", "1", str(at)): one for at, one in enumerate(of)}, 0, 0)
        ).status

    low, near, high = (same(v, v - 0.1, v + 0.1, 20) for v in (0.4, 0.55, 0.8))
    assert status(low, high) is Status.CLEAR
    assert status(low, near) is Status.UNCERTAIN
    assert status(low) is Status.UNCERTAIN
    assert status() is Status.NOT_ENOUGH_DATA
