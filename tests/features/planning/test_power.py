"""Findings, tables and notes of a planned comparison of systems, and of what it costs."""

from math import inf

import numpy as np
import pytest

from analysis.planning import (
    DifferencePlan,
    SimulatedPower,
    difference_power,
    effective_raters,
    power_with_pilot,
    simulated_power,
)
from analysis.planning.budget import items_for_power
from features.blocks import Figure, Finding, NextStep, Note, Status, Table, Warning
from features.planning.power_findings import (
    DESIGNS,
    alternatives_table,
    describe_for_paper,
    power_finding,
    power_notes,
    simulation_finding,
    too_large_finding,
)
from features.planning.power_results import MOST_CELLS, PowerFound, Prices
from features.planning.section import power_section
from features.planning.variances import (
    BUSIEST,
    LoadsSpec,
    VariancesSpec,
    find_loads,
    loads_notes,
    raters_of,
    stand_in_finding,
)
from tests.features.planning.plans import SPEC, STUDY, VARIANCES, line_of, planned, unsure
from tests.features.studies import said

PLAN = DifferencePlan(20, 20, 0.5, **VARIANCES, ratings_per_item=10)


def test_the_headline_is_the_chance_and_the_evidence_what_the_wanted_power_needs() -> None:
    found = planned()
    power = difference_power(20, 20, 0.5, 0.3, 0.1, 0.1, ratings_per_item=10).power
    assert found.power.value == pytest.approx(power)
    finding = power_finding(found)
    assert f"{100 * power:.0f}% chance" in said(finding)
    assert finding.status is Status.CLEAR
    items = int(items_for_power(PLAN, 0.8))
    assert f"for 80%: {items} items" in line_of(finding.evidence)
    at = [difference_power(20, n, 0.5, 0.3, 0.1, 0.1, ratings_per_item=10).power for n in (items - 1, items)]
    assert at[0] < 0.8 <= at[1]


def test_raters_who_differ_about_the_systems_are_too_few() -> None:
    few = planned(raters=6, per_item=6)
    assert few.items_needed(6) == inf
    assert "more items alone reach" in line_of(power_finding(few).evidence)
    alone = planned(design="both within", raters=2, items=4, per_item=1)
    assert power_finding(alone).status is Status.NOT_ENOUGH_DATA


def test_a_pilot_makes_the_verdict_uncertain() -> None:
    variances = unsure()
    plan = SPEC.plan(variances, None)
    factors = {name: 4 * value for name, value in VARIANCES.items()}
    low = difference_power(20, 20, 0.5, **factors, ratings_per_item=10).power
    found = planned()
    power = power_with_pilot(variances.pilot, plan)
    assert power.low == pytest.approx(low)
    finding = power_finding(PowerFound(SPEC, variances, plan, power, found.half_width))
    assert finding.status is Status.UNCERTAIN
    assert line_of(finding.evidence).startswith("95% CI ")


def test_price_hours_and_the_table_are_those_of_the_plan() -> None:
    """20 items x 10 raters under both systems: 400 ratings; 200 + 20 + 40 + 10."""
    found = planned()
    notes = [line_of(note.text) for note in power_notes(found)]
    assert any("Price 270.00 €: 400 ratings, about 20 by each rater, 3.3 hours" in note for note in notes)
    table = alternatives_table(found, "Ratings per item").frame.set_index("Ratings per item")
    assert table["Price"].to_dict() == {2: 110, 5: 170, 10: 270, 20: 470}


def test_nothing_has_a_price_that_nobody_entered() -> None:
    found = planned(prices=Prices())
    blocks = list(power_section(STUDY, found.spec))
    shown = [line_of(block.text) for block in blocks if isinstance(block, Note)]
    assert not any("€" in text or "Price" in text for text in shown)
    assert any("Enter the price" in block.hint for block in blocks if isinstance(block, Figure))
    assert found.same_price() == []
    assert not any("Price" in block.frame for block in blocks if isinstance(block, Table))
    free = planned(prices=Prices(0.0))
    assert alternatives_table(free, "Ratings per item").frame["Price"].tolist() == [0] * 4


def test_a_smaller_study_for_the_same_money_has_more_items() -> None:
    """With 5 raters an item costs 6 instead of 11: 220 / 6 items."""
    points = {each: (items, power) for items, power, each in planned().same_price()}
    assert points[10][0] == 20
    power = difference_power(20, 220 / 6, 0.5, 0.3, 0.1, 0.1, ratings_per_item=5).power
    assert points[5] == (pytest.approx(220 / 6), pytest.approx(power))


@pytest.mark.parametrize("design", DESIGNS.values())
def test_each_design_is_reported_and_drawn(design: str) -> None:
    found = planned(design=design)
    assert f"with a power of {100 * found.power.value:.0f}%" in describe_for_paper(found)
    x, along = found.curves()[10]
    assert along[x.index(20)].value == pytest.approx(found.power.value)
    assert "20 items" in line_of(power_finding(found).evidence)


def test_more_raters_of_an_item_than_the_design_has_are_said() -> None:
    found = planned(design="both within", per_item=20)
    assert found.per_item == 10
    assert any(isinstance(block, Warning) for block in power_notes(found))


def test_variances_that_the_ratings_cannot_supply_are_reported_with_a_step(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (told,) = stand_in_finding(STUDY, VariancesSpec("video study"))
    assert told.status is Status.NOT_ENOUGH_DATA
    assert told.next_step == NextStep("Map columns on Data", "datasets.py")
    assert not list(stand_in_finding(STUDY, SPEC.variances))


def test_formula_and_simulation_stand_next_to_each_other() -> None:
    found = planned(items=10)
    simulated = simulated_power(found.plan, 200, seed=1)
    told = line_of(simulation_finding(found, simulated, 1).evidence)
    assert f"half-width {simulated.half_width:.3f}, formula {found.half_width:.3f}" in told
    assert abs(simulated.power - found.power.value) < 0.12
    assert simulation_finding(found, simulated, 1).status is Status.CLEAR
    far = SimulatedPower(found.power.value + 0.2, 0.01, 0.1, 20, 200)
    assert simulation_finding(found, far, 1).status is Status.UNCERTAIN


def test_what_is_too_large_is_not_simulated() -> None:
    large = planned(items=MOST_CELLS // 10 + 1)
    assert large.plan.cells > MOST_CELLS >= PLAN.cells
    assert too_large_finding(large.plan).status is Status.NOT_APPLICABLE
    blocks = power_section(STUDY, large.spec, simulation_seed=0)
    assert "simulation" in {block.name for block in blocks if isinstance(block, Finding)}


def test_the_busiest_fifth_does_what_was_typed() -> None:
    loads = find_loads(STUDY, LoadsSpec(BUSIEST, busiest=0.6))
    assert loads is not None
    assert sum(sorted(loads)[-10:]) / sum(loads) == pytest.approx(0.6)
    assert np.ptp(find_loads(STUDY, LoadsSpec(BUSIEST, busiest=0.2))) == pytest.approx(0)


def test_raters_are_worth_fewer_only_where_their_loads_differ() -> None:
    loads = find_loads(STUDY, LoadsSpec(BUSIEST))
    unequal = DifferencePlan(20, 40, 0.5, 0.3, 0.1, 0.1, ratings_per_item=2, loads=loads)
    assert raters_of(unequal) == (
        f"2 of 20 raters each (with unequal loads worth {unequal.effective_raters:.1f} raters)"
    )
    full = DifferencePlan(20, 40, 0.5, 0.3, 0.1, 0.1, loads=loads)
    assert raters_of(full) == "all 20 raters each"
    assert not [*loads_notes(full), *loads_notes(PLAN)]
    assert effective_raters(np.ones(20)) == 20


@pytest.mark.parametrize("told", ["power", "width"])
def test_power_and_width_are_rough_where_one_rater_does_most(told: str) -> None:
    most = DifferencePlan(40, 60, 0.5, 0.3, 0.1, 0.1, ratings_per_item=2, loads=(24.0, *[1.0] * 39))
    (warning,) = loads_notes(most, told)
    assert isinstance(warning, Warning)
    assert line_of(warning.text).startswith(f"The {told} is rough here, since one rater does more than 20%")
