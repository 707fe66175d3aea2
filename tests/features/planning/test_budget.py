"""The best use of a budget in finding, figure and table: compared with every study tried one by one."""

from dataclasses import replace

import pytest

from analysis.planning import DifferencePlan, Pilot, difference_half_width, difference_power
from features.blocks import Status, Table
from features.planning import power_results
from features.planning.power_findings import NO_PRICE, budget_finding, budget_note, budget_table
from features.planning.power_results import BudgetFound, BudgetSpec, PowerSpec, Prices, spend_budget
from features.planning.section import budget_section
from features.planning.variances import Variances
from tests.features.planning.plans import STUDY, VARIANCES, line_of, typed, unsure
from tests.features.studies import said

PRICES = Prices(0.5, item=2.0, rater=3.0, fixed=5.0)
SPEC = BudgetSpec(PowerSpec(typed(), 0.5, prices=PRICES), 150.0, 12)


def test_no_study_for_the_money_is_better() -> None:
    found = spend_budget(STUDY, SPEC)
    tried = {}
    for raters in range(2, 13):
        for k in range(1, raters + 1):
            items = int((150 - 5 - 3 * raters) / (2 + 0.5 * 2 * k))
            if items >= 2 and items * k >= raters:
                power = difference_power(raters, items, 0.5, 0.3, 0.1, 0.1, ratings_per_item=k).power
                tried[raters, items, k] = power
    best = max(tried, key=lambda study: tried[study])
    assert (found.best.raters, found.best.items, found.best.ratings_per_item) == best
    assert budget_table(found).frame["Power"].iloc[0] == pytest.approx(tried[best])
    assert f"{best[1]} items" in said(budget_finding(found))
    assert line_of(budget_note(found).text).startswith("15.00 € more would buy")
    x, power_along = found.curves()[best[2]]
    assert power_along[x.index(best[0])].value == pytest.approx(tried[best])
    plan = DifferencePlan(best[0], best[1], 0.5, **VARIANCES, ratings_per_item=best[2])
    assert found.best.half_width == pytest.approx(difference_half_width(plan))


def test_curves_of_more_ratings_per_item_than_the_best_study_has_raters_are_drawn() -> None:
    """Raters hardly count and differences are large: three raters of all items are enough, and cheapest."""
    variances = {
        "residual": 21.0,
        "rater_slope": 0.0,
        "item_slope": 12.0,
        "rater": 0,
        "item": 0,
        "rater_item": 0,
    }
    planned = PowerSpec(typed(variances), 6.0, prices=Prices(0.1))
    found = spend_budget(STUDY, BudgetSpec(planned, 100.0, 60))
    drawn = found.curves()
    assert found.best.raters < max(drawn)
    for k, (raters, power) in drawn.items():
        assert raters[0] == max(2, k)
        assert raters[-1] == 60
        for p, along in zip(raters, power, strict=True):
            items = int(100 / (0.1 * 2 * k) + 1e-9)
            expected = difference_power(
                p, items, 6.0, residual=21.0, rater_slope=0.0, item_slope=12.0, ratings_per_item=k
            )
            assert along.value == pytest.approx(expected.power)


def test_what_is_free_is_said() -> None:
    assert "cost nothing" not in line_of(budget_finding(spend_budget(STUDY, SPEC)).evidence)
    free = replace(SPEC, study=replace(SPEC.study, prices=Prices(0.5, rater=3.0)))
    assert "items cost nothing as entered" in line_of(budget_finding(spend_budget(STUDY, free)).evidence)


def test_without_a_price_or_with_too_little_money_there_is_no_study() -> None:
    unpriced = replace(SPEC, study=replace(SPEC.study, prices=Prices()))
    assert list(budget_section(STUDY, unpriced)) == [NO_PRICE]
    blocks = list(budget_section(STUDY, replace(SPEC, budget=6.0)))
    assert blocks[0].status is Status.NOT_ENOUGH_DATA  # type: ignore[union-attr]
    assert not any(isinstance(block, Table) for block in blocks)


def test_a_pilot_leaves_the_best_study_s_power_open(monkeypatch: pytest.MonkeyPatch) -> None:
    def one_stage(*_: object) -> list[Variances]:
        return [unsure()]

    monkeypatch.setattr(power_results, "variance_stages", one_stage)
    found: BudgetFound = spend_budget(STUDY, replace(SPEC, most_raters=11))
    best = found.best
    numbers = {"raters": best.raters, "items": best.items, "ratings_per_item": best.ratings_per_item}
    ends = [
        difference_power(
            **numbers, d=0.5, **{name: factor * value for name, value in VARIANCES.items()}
        ).power
        for factor in (4, 0.25)
    ]
    assert (found.power.value, found.power.low, found.power.high) == pytest.approx((best.power, *ends))
    assert budget_finding(found).status is Status.UNCERTAIN
    assert isinstance(found.variances.pilot, Pilot)
