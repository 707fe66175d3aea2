"""The best study for the money, against every study that the money buys."""

from dataclasses import replace
from math import isnan

import pytest

from analysis.planning import DifferencePlan, StudyCosts, best_design, best_of_plan, difference_half_width
from analysis.planning.budget import MOST_PER_ITEM
from analysis.planning.difference import LAYOUTS, power_of_plan
from analysis.values.estimate import InputError

VARIANCES = {
    "residual": 0.3,
    "rater_slope": 0.1,
    "item_slope": 0.1,
    "rater": 0.2,
    "item": 0.2,
    "rater_item": 0.1,
}
COSTS = StudyCosts(rating=0.5, item=1.0, rater=2.0, fixed=5.0)


@pytest.mark.parametrize("design", LAYOUTS)
def test_no_study_for_the_money_is_better(design: str) -> None:
    """Every number of raters, items and ratings per item in turn."""
    budget, groups, sets = 45.0, LAYOUTS[design].groups, LAYOUTS[design].sets
    both = design == "both within"
    bought = [
        plan
        for raters in range(groups, 20, groups)
        for items in range(sets, 40, sets)
        for k in range(1, min(raters // (groups if both else 1), MOST_PER_ITEM) + 1)
        if (both or k % groups == 0)
        and items * k >= raters
        and COSTS.of(
            plan := DifferencePlan(raters, items, 0.8, design=design, ratings_per_item=k, **VARIANCES)
        )
        <= budget
    ]
    powers = [power_of_plan(plan).power for plan in bought]
    widths = [difference_half_width(plan) for plan in bought]
    found = best_design(budget, COSTS, 0.8, design=design, **VARIANCES)
    assert found.power == pytest.approx(max(power for power in powers if not isnan(power)))
    again = DifferencePlan(
        found.raters, found.items, 0.8, design=design, ratings_per_item=found.ratings_per_item, **VARIANCES
    )
    assert COSTS.of(again) == pytest.approx(found.cost)
    assert found.cost <= budget
    assert power_of_plan(again).power == pytest.approx(found.power)
    assert difference_half_width(again) == pytest.approx(found.half_width)
    assert found.more == 4.5
    assert found.next_power >= found.power
    precise = best_design(budget, COSTS, 0.8, design=design, aim="precision", **VARIANCES)
    assert precise.half_width == pytest.approx(min(width for width in widths if not isnan(width)))


@pytest.mark.parametrize("design", LAYOUTS)
def test_unequal_loads_enter_the_best_study_and_are_reported_where_its_power_is_rough(design: str) -> None:
    plan = DifferencePlan(4, 4, 0.8, design=design, loads=[24.0] + [1.0] * 11, **VARIANCES)
    found = best_of_plan(200.0, COSTS, plan, most_raters=30)
    again = replace(plan, raters=found.raters, items=found.items, ratings_per_item=found.ratings_per_item)
    assert power_of_plan(again).power == pytest.approx(found.power)
    assert difference_half_width(again) == pytest.approx(found.half_width)
    assert found.caution == again.caution
    assert best_of_plan(2000.0, COSTS, replace(plan, loads=None), most_raters=12).caution == ""


def test_a_budget_that_buys_nothing_says_so() -> None:
    found = best_design(6, COSTS, 0.8, **VARIANCES)
    assert found.reason == "the budget buys no study with two raters and two items"
    assert isnan(found.power)


def test_what_cannot_be_searched_is_refused() -> None:
    with pytest.raises(InputError, match="`budget` must be"):
        best_design(0, COSTS, 0.8, **VARIANCES)
    with pytest.raises(InputError, match="`aim` must be"):
        best_design(10, COSTS, 0.8, aim="fame", **VARIANCES)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="`rating` must be"):
        StudyCosts(rating=-1)
