"""The smallest difference that a study finds: power asked backwards."""

from dataclasses import replace
from math import isnan

import numpy as np
import pytest

from analysis.planning import (
    DifferencePlan,
    Pilot,
    difference_power,
    preference_power,
)
from analysis.planning.pilot import NO_SYSTEMS, detectable_difference, detectable_share, spread_of_shares

VARIANCES = {
    "residual": 0.3,
    "rater_slope": 0.1,
    "item_slope": 0.1,
    "rater": 0.2,
    "item": 0.2,
    "rater_item": 0.1,
}
PLAN = DifferencePlan(20, 20, 0.0, 0.3, 0.1, 0.1, 0.2, 0.2, 0.1)


def without_draws(**variances: float) -> Pilot:
    return Pilot(variances, {name: np.empty(0) for name in variances}, 0.95)


@pytest.mark.parametrize(
    "design", ["crossed", "counterbalanced", "items within", "raters within", "both within"]
)
@pytest.mark.parametrize("power", [0.5, 0.8, 0.95])
def test_the_power_at_the_smallest_difference_is_the_power_asked_for(design: str, power: float) -> None:
    plan = replace(PLAN, design=design, comparisons=3)  # type: ignore[arg-type]
    d = detectable_difference(without_draws(**VARIANCES), plan, power)
    assert isnan(d.low)
    found = difference_power(
        20,
        20,
        d.value,
        **VARIANCES,
        design=design,
        comparisons=3,  # type: ignore[arg-type]
    )
    assert found.power == pytest.approx(power, abs=1e-9)


def test_unequal_loads_find_less() -> None:
    loads = tuple(float(load) for load in range(1, 21))
    plan = replace(PLAN, loads=loads, ratings_per_item=4)
    d = detectable_difference(without_draws(**VARIANCES), plan).value
    found = difference_power(20, 20, d, **VARIANCES, ratings_per_item=4, loads=loads)
    assert found.power == pytest.approx(0.8, abs=1e-9)
    assert d > detectable_difference(without_draws(**VARIANCES), replace(plan, loads=None)).value


def test_published_power_backwards() -> None:
    """Westfall, Kenny and Judd's formula gives .6638 for a difference of 0.5 (see `difference_power`)."""
    pilot = without_draws(**VARIANCES)
    power = difference_power(20, 20, 0.5, 0.3, 0.1, 0.1).power
    assert detectable_difference(pilot, PLAN, power).value == pytest.approx(0.5)


def test_draws_leave_an_interval_around_it_and_more_raters_find_less() -> None:
    rng = np.random.default_rng(5)
    drawn = {name: value * rng.chisquare(9, 400) / 9 for name, value in VARIANCES.items()}
    here = detectable_difference(Pilot(VARIANCES, drawn, 0.95), PLAN)
    assert here.low < here.value < here.high
    assert here.n == 400
    more = detectable_difference(Pilot(VARIANCES, drawn, 0.95), replace(PLAN, raters=40, items=40))
    assert more.value < here.value


def test_an_undefined_result_has_its_reason() -> None:
    unknown = replace(without_draws(**VARIANCES), reason=NO_SYSTEMS)
    assert detectable_difference(unknown, PLAN).reason == NO_SYSTEMS
    alone = detectable_difference(without_draws(**VARIANCES), replace(PLAN, raters=1))
    assert "degrees of freedom" in alone.reason


@pytest.mark.parametrize(("items", "votes", "item_sd"), [(100, 2, 0.0), (40, 9, 0.2), (400, 1, 0.1)])
def test_a_preference_at_the_edge_has_the_power_asked_for(items: int, votes: int, item_sd: float) -> None:
    share = detectable_share(items, votes, item_sd, 0.9, comparisons=2)
    assert preference_power(share, items, votes, item_sd, comparisons=2).power == pytest.approx(0.9, abs=1e-6)


def test_one_item_tells_no_preference() -> None:
    assert isnan(detectable_share(1, 9))


def test_the_spread_of_shares_is_what_was_drawn() -> None:
    rng = np.random.default_rng(3)
    own = rng.beta(4, 4, 40_000)
    votes = rng.integers(1, 9, 40_000)
    assert spread_of_shares(rng.binomial(votes, own), votes) == pytest.approx(own.std(), abs=0.005)
    assert spread_of_shares(rng.binomial(votes, 0.6), votes) < 0.05
    assert isnan(spread_of_shares([1, 0, 2], [1, 1, 2]))
