"""What is said of a planned study, and of the studies beside it."""

from dataclasses import replace
from math import inf

import pytest

from analysis.planning import DifferencePlan, StudyCosts, difference_power
from analysis.planning.alternatives import items_for_power
from features.blocks import Status
from findings.planning.apart import (
    DESIGNS,
    Prices,
    beside,
    curves,
    effort,
    finding,
    for_the_paper,
    paid_for,
    plan_table,
    planned,
)
from findings.planning.basis import of_preset, typed
from tests.findings.studies import said

VARIANCES = {
    "residual": 0.3,
    "rater_slope": 0.1,
    "item_slope": 0.1,
    "rater": 0.2,
    "item": 0.2,
    "rater_item": 0.1,
}
PLAN = DifferencePlan(20, 20, 0.5, **VARIANCES, ratings_per_item=10)
PRICES = Prices(StudyCosts(0.5, item=1.0, rater=2.0, fixed=10.0), "€", 30.0)


def one(**changed: object):  # type: ignore[no-untyped-def]
    return planned(replace(PLAN, **changed), typed(VARIANCES, 4.0), PRICES, 0.8)  # type: ignore[arg-type]


def test_price_hours_and_the_table_are_those_of_the_plan() -> None:
    """20 items x 10 raters under both systems: 400 ratings; 200 + 20 + 40 + 10."""
    plan = one()
    assert (
        said(effort(plan))
        .replace("<b>", "")
        .startswith("That is 270.00 €</b>: 400 ratings, about 20 by each")
    )
    assert "3.3 hours at 30\u00a0s each" in said(effort(plan))
    table = beside(plan)[0].set_index("Ratings per item")
    assert table["Price"].to_dict() == {2: 110, 5: 170, 10: 270, 20: 470}
    written = dict(plan_table(plan).to_numpy().tolist())
    assert (written["Ratings"], written["Price"], written["Design"]) == ("400", "270.0", "crossed")


def test_a_smaller_study_for_the_same_money_has_more_items() -> None:
    """With 5 raters an item takes 6 instead of 11: 220 / 6 items."""
    points = {k: (items, power) for items, power, k in paid_for(one(), (5, 10), 500)}
    assert points[10][0] == 20
    assert points[5] == (
        pytest.approx(220 / 6),
        pytest.approx(difference_power(20, 220 / 6, 0.5, 0.3, 0.1, 0.1, ratings_per_item=5).power),
    )
    rich = replace(one(), prices=replace(PRICES, budget=490.0))
    assert paid_for(rich, (10,), 500)[0][0] == 40


def test_what_it_takes_is_the_first_number_that_has_the_power() -> None:
    told = said(finding(one())[1])
    items = int(items_for_power(PLAN, 0.8))
    assert f"For 80 % it takes {items} items with these raters" in told
    at = {
        n: difference_power(20, n, 0.5, 0.3, 0.1, 0.1, ratings_per_item=10).power for n in (items - 1, items)
    }
    assert at[items - 1] < 0.8 <= at[items]


def test_raters_who_differ_about_the_systems_are_said_to_be_too_few() -> None:
    few = one(raters=6, ratings_per_item=6)
    assert items_for_power(replace(PLAN, raters=6, ratings_per_item=6), 0.8) == inf
    assert "No number of items is enough for 80 % with these raters" in said(finding(few)[1])
    alone = one(design="both within", raters=2, items=4, ratings_per_item=1)
    assert "leave no degrees of freedom" in said(finding(alone)[0])


@pytest.mark.parametrize("design", DESIGNS.values())
def test_each_design_is_told_and_drawn(design: str) -> None:
    plan = one(design=design)
    told = said(finding(plan)[0])
    assert "20 items" in told
    assert "20 raters" in told
    assert f"{100 * plan.power.value:.0f} %" in told
    assert f"with a power of {100 * plan.power.value:.0f} %" in for_the_paper(plan)
    drawn = curves(plan, 60)
    assert 10 in drawn
    assert 20 in drawn[10][0]
    assert drawn[10][1][drawn[10][0].index(20)].value == pytest.approx(plan.power.value)


def test_a_preset_names_its_source_and_asks_for_a_difference_of_its_scale() -> None:
    assert of_preset("speech").difference == 0.3
    assert of_preset("summaries").difference == 7.5
    assert "SQuALITY" in said(of_preset("summaries").note)  # type: ignore[arg-type]
    assert of_preset("video").warning is None


def test_a_plan_without_degrees_of_freedom_has_no_power() -> None:
    assert {told.status for told in finding(one())} == {Status.CLEAR}
    alone = one(design="both within", raters=2, items=4, ratings_per_item=1)
    assert [told.status for told in finding(alone)] == [Status.NOT_ENOUGH_DATA]
