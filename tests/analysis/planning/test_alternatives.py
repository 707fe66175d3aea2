"""Studies beside a planned one."""

from dataclasses import replace
from math import inf

import pytest

from analysis.planning.budget import (
    StudyCosts,
    affordable_items,
    alternative_ratings_per_item,
    items_for_power,
    most_per_item,
    per_item_step,
    raters_for_power,
)
from analysis.planning.difference import LAYOUTS, DifferencePlan, power_of_plan
from analysis.planning.simulated_difference import simulated_power

PLAN = DifferencePlan(24, 20, 0.6, 0.3, 0.1, 0.1, 0.2, 0.2, 0.1, ratings_per_item=8)


@pytest.mark.parametrize("design", LAYOUTS)
def test_what_is_offered_beside_can_be_dealt_out(design: str) -> None:
    """A simulation refuses what a design cannot deal out."""
    layout = LAYOUTS[design]  # type: ignore[index]
    beside = alternative_ratings_per_item(layout, 24, 8)
    assert beside[-1] == most_per_item(layout, 24)
    assert {each % per_item_step(layout) for each in beside} == {0}
    for each in (beside[0], beside[-1]):
        plan = replace(PLAN, design=design, ratings_per_item=each)  # type: ignore[arg-type]
        assert simulated_power(plan, studies=1).studies == 1


@pytest.mark.parametrize("design", LAYOUTS)
def test_the_fewest_are_enough_and_one_less_is_not(design: str) -> None:
    plan = replace(PLAN, design=design, d=1.0)  # type: ignore[arg-type]
    items = items_for_power(plan, 0.7)
    enough, less = (power_of_plan(replace(plan, items=n)).power for n in (items, items - 1))
    assert less < 0.7 <= enough
    raters = raters_for_power(plan, 0.7)
    assert power_of_plan(replace(plan, raters=raters)).power >= 0.7


def test_no_difference_and_no_raters_are_never_enough() -> None:
    assert items_for_power(replace(PLAN, d=0.0), 0.8) == inf
    assert raters_for_power(replace(PLAN, d=0.01), 0.8) == inf


def test_a_budget_below_the_raters_buys_no_items() -> None:
    assert affordable_items(PLAN, StudyCosts(0.1, rater=10), 100) == 0
    assert affordable_items(PLAN, StudyCosts(0.0), 100) == inf
