"""What fewer ratings cost, save and give up, in words."""

from math import nan

from analysis.repetitions.cost import CostSpec, costs
from features.blocks import Status
from findings.repetitions.cost import RATINGS, finding, hours, no_knee, table
from tests.findings.repetitions.fitted import saturating
from tests.findings.studies import said

BOTH = [saturating(), saturating("grammar", b=0.4)]
SPEC = CostSpec(price=1.0, fixed=100, seconds=36)
SPENT = costs(50, 2, 12, SPEC)


def test_the_sentence_tells_money_and_the_measure_that_gives_up_most() -> None:
    assert said(finding(BOTH, 4, 12, SPENT, "€")) == (
        "<b>4 of 12</b> ratings per item: <b>66 %</b> of the per-rating cost saved (57 % of the whole cost: 300.00 € "
        "instead of 700.00 €); in these ratings a correlation of <b>0.85</b> instead of 0.90 for focus (50 items), and "
        "grammar gives up most: 0.78 instead of 0.90. What other items or raters would give up is not worked out here."
    )


def test_hours_are_told_where_seconds_are_known() -> None:
    work = hours(SPEC, SPENT, 4, 12)
    assert work is not None
    assert said(work) == "At 36.0 seconds per rating that is 4 hours of work instead of 12."
    assert hours(CostSpec(seconds=nan), SPENT, 4, 12) is None


def test_the_table_tells_what_each_measure_gives_up() -> None:
    rows, written = table(BOTH, 4, 12)
    assert rows["Given up"].round(4).tolist() == [0.0540, 0.1162]
    assert written["Given up"](rows["Given up"][0]) == "0.054"


def test_without_a_knee_a_number_is_asked_for() -> None:
    assert said(no_knee(RATINGS)) == (
        "No measure has a knee. Type the number of ratings per item whose cost you want to weigh."
    )


def test_what_is_given_up_has_no_interval_and_without_a_knee_there_is_nothing_to_weigh() -> None:
    assert finding(BOTH, 4, 12, SPENT, "€").status is Status.UNCERTAIN
    assert no_knee(RATINGS).status is Status.NOT_ENOUGH_DATA
