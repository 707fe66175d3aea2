"""The best use of a budget in words, picture and table: against every study tried one by one."""

from dataclasses import replace

import numpy as np
import pytest

from analysis.planning import DifferencePlan, Pilot, StudyCosts, difference_half_width, difference_power
from findings.planning.apart import Prices
from findings.planning.basis import Basis, typed
from findings.planning.best import curves, finding, free, spent, table
from tests.findings.planning.test_apart import VARIANCES
from tests.findings.studies import said

PLAN = DifferencePlan(4, 4, 0.5, **VARIANCES)
BASIS = typed(VARIANCES, 4.0)
PRICES = Prices(StudyCosts(0.5, item=2.0, rater=3.0, fixed=5.0), "€", 30.0)


def test_no_study_for_the_money_is_better() -> None:
    one = spent(PLAN, BASIS, PRICES, 150.0, 12)
    tried = {}
    for raters in range(2, 13):
        for k in range(1, raters + 1):
            items = int((150 - 5 - 3 * raters) / (2 + 0.5 * 2 * k))
            if items >= 2 and items * k >= raters:
                found = difference_power(raters, items, 0.5, 0.3, 0.1, 0.1, ratings_per_item=k)
                tried[raters, items, k] = found.power
    best = max(tried, key=lambda study: tried[study])
    assert (one.best.raters, one.best.items, one.best.ratings_per_item) == best
    assert table(one)[0]["Power"].iloc[0] == pytest.approx(tried[best])
    told = said(finding(one)[0])
    assert f"{best[1]} items, each rated under both systems by" in told
    assert said(finding(one)[1]).startswith("15.00 € more would make that")
    drawn = curves(one)
    x, power = drawn[best[2]]
    assert power[x.index(best[0])].value == pytest.approx(tried[best])


def test_curves_of_more_ratings_per_item_than_the_best_study_has_raters_are_drawn() -> None:
    """Raters hardly count and differences are large: three raters of all items are enough, and cheapest."""
    variances = {"residual": 21.0, "rater_slope": 0.0, "item_slope": 12.0}
    costs = StudyCosts(0.1)
    plan = DifferencePlan(4, 4, 6.0, **variances)
    one = spent(plan, typed(variances, 80.0), Prices(costs, "€", 30.0), 100.0, 60)
    drawn = curves(one)
    assert one.best.raters < max(drawn)
    for k, (raters, power) in drawn.items():
        assert raters[0] == max(2, k)
        assert raters[-1] == 60
        for p, found in zip(raters, power, strict=True):
            items = int(100 / (0.1 * 2 * k) + 1e-9)
            told = difference_power(p, items, 6.0, **variances, ratings_per_item=k)
            assert found.value == pytest.approx(told.power)


def test_widths_are_those_of_the_studies() -> None:
    one = spent(PLAN, BASIS, PRICES, 150.0, 12)
    best = one.best
    plan = replace(PLAN, raters=best.raters, items=best.items, ratings_per_item=best.ratings_per_item)
    assert best.half_width == pytest.approx(difference_half_width(plan))


def test_what_is_free_is_said() -> None:
    assert free(PRICES.costs) is None
    assert said(free(StudyCosts(1.0)) or ("", {})).startswith("Items and raters cost nothing here")
    assert said(free(StudyCosts(1.0, rater=2.0)) or ("", {})).startswith("Items cost nothing here")


def test_too_little_money_is_said() -> None:
    one = spent(PLAN, BASIS, PRICES, 6.0, 12)
    assert "no study can be had" in said(finding(one)[0])


def test_a_pilot_leaves_the_best_study_s_power_open() -> None:
    """Draws of which one half has a quarter of the variances, the other four times as much."""
    drawn = {name: np.repeat([value / 4, 4 * value], 100) for name, value in VARIANCES.items()}
    one = spent(PLAN, Basis(Pilot(VARIANCES, drawn, 0.95), "", 4.0), PRICES, 150.0, 12)
    best = one.best
    numbers = {"raters": best.raters, "items": best.items, "ratings_per_item": best.ratings_per_item}
    ends = [
        difference_power(
            **numbers, d=0.5, **{name: factor * value for name, value in VARIANCES.items()}
        ).power
        for factor in (4, 0.25)
    ]
    assert (one.sure.value, one.sure.low, one.sure.high) == pytest.approx((best.power, *ends))
    assert "as far as the pilot knows" in said(finding(one)[0])
