"""A plan's variances from a pilot, and how unsure they leave its power."""

from dataclasses import replace

import numpy as np
import pytest

from analysis.planning.difference import DifferencePlan, power_of_plan
from analysis.planning.pilot import (
    NO_ITEMS,
    NO_RATERS,
    NO_SYSTEMS,
    pilot,
    power_by_items,
    power_with_pilot,
    severity,
    system_half_widths,
    undetermined_reason,
)
from analysis.planning.precision import system_half_width
from analysis.values.estimate import BootstrapSpec
from analysis.variance.components import Components, components

SOURCES = ("item", "rater", "system", "topic", "system × rater", "topic × rater", "rest")
PLAN = DifferencePlan(20, 40, 0.5, 1.0, 1.0, 1.0)


def found(variance: list[float], drawn: list[list[float]], sources: tuple[str, ...] = SOURCES) -> Components:
    return Components(
        sources,
        tuple(frozenset({name}) for name in sources),
        (9,) * len(sources),
        np.array(variance),
        None,
        np.array(drawn).reshape(-1, len(sources)),
        0.95,
        "REML",
        (),
        {},
        100,
        0,
    )


def test_slopes_are_half_of_what_systems_have_with_raters_and_topics() -> None:
    told = pilot(found([0.2, 0.3, 9.0, 0.4, 0.1, -0.1, 0.5], [[0.4, -1, 9, 1, 1, 1, 1]]))
    assert told.estimated == {
        "residual": 0.5,
        "rater_slope": 0.05,
        "item_slope": 0.1,
        "rater": 0.35,
        "item": 0.5,
        "rater_item": 0.0,
    }
    assert {name: values.tolist() for name, values in told.drawn.items()} == {
        "residual": [1],
        "rater_slope": [0.5],
        "item_slope": [0.2],
        "rater": [0.5],
        "item": [1.2],
        "rater_item": [1],
    }


def test_severity_is_the_raters_share_of_what_ratings_of_an_item_differ_by() -> None:
    """Raters .3, rest .6 of one item; drawn as .1 of 1 and as .5 of 1."""
    told = severity(
        pilot(found([0.2, 0.3, 0.6], [[1, 0.1, 0.9], [1, 0.5, 0.5]] * 50, ("item", "rater", "rest")))
    )
    assert (told.value, told.low, told.high) == pytest.approx((1 / 3, 0.1, 0.5))
    assert np.isnan(severity(pilot(found([0.2, 0.3, 0.6], [], ("item", "rater", "rest")))).low)


@pytest.mark.parametrize("design", ["crossed", "raters within", "items within", "both within"])
def test_the_variance_of_a_difference_is_that_of_studies_with_these_parts(design: str) -> None:
    """6 raters and 8 topics drawn with what each has with either system, 4,000 times."""
    rng = np.random.default_rng(2)
    parts = {
        "rater": 0.3,
        "topic": 0.4,
        "system × rater": 0.2,
        "item": 0.5,
        "topic × rater": 0.3,
        "rest": 0.6,
    }
    told = pilot(found([parts.get(name, 9.0) for name in SOURCES], []))

    def drawn(name: str, *shape: int) -> np.ndarray:
        return np.sqrt(parts[name]) * rng.standard_normal((4000, *shape))

    score = drawn("rater", 6, 1, 1) + drawn("topic", 1, 8, 1) + drawn("topic × rater", 6, 8, 1)
    score = score + drawn("system × rater", 6, 1, 2) + drawn("item", 1, 8, 2) + drawn("rest", 6, 8, 2)
    raters = [slice(0, 3), slice(3, 6)] if "raters" in design or "both" in design else [slice(0, 6)] * 2
    items = [slice(0, 4), slice(4, 8)] if "items" in design or "both" in design else [slice(0, 8)] * 2
    means = [score[:, raters[at], items[at], at].mean(axis=(1, 2)) for at in (0, 1)]
    plan = replace(PLAN, raters=6, items=8, design=design, **told.estimated)  # type: ignore[arg-type]
    assert 4 * sum(plan.parts) == pytest.approx(np.var(means[1] - means[0]), rel=0.08)


@pytest.mark.parametrize("design", ["crossed", "both within"])
def test_the_band_holds_the_powers_of_the_draws(design: str) -> None:
    """Each draw's power one by one; their 2.5th and 97.5th percentiles."""
    rng = np.random.default_rng(0)
    drawn = rng.gamma(4, 0.05, (60, 7))
    variance = drawn.mean(axis=0)
    plan = replace(PLAN, rater=1.0, item=1.0, rater_item=1.0, design=design)  # type: ignore[arg-type]
    told = power_with_pilot(pilot(found(variance.tolist(), drawn.tolist())), plan)

    def power(row: np.ndarray) -> float:
        item, rater, _, topic, of_rater, of_topic, rest = row.tolist()
        return power_of_plan(
            replace(
                plan,
                residual=rest,
                rater_slope=of_rater / 2,
                item_slope=item / 2,
                rater=rater + of_rater / 2,
                item=topic + item / 2,
                rater_item=of_topic,
            )
        ).power

    assert told.value == pytest.approx(power(variance))
    each = [power(row) for row in drawn]
    assert (told.low, told.high) == pytest.approx(tuple(np.quantile(each, [0.025, 0.975])))


def test_a_study_of_one_system_says_what_it_lacks() -> None:
    rng = np.random.default_rng(1)
    item, rater = (each.ravel() for each in np.indices((8, 4)))
    one = components(item, rater, rng.normal(size=32), bootstrap=BootstrapSpec(10))
    assert pilot(one).reason == NO_SYSTEMS
    assert power_with_pilot(pilot(one), PLAN).reason == NO_SYSTEMS
    same = components(item, rater, np.ones(32), bootstrap=BootstrapSpec(10))
    assert pilot(same).reason == same.reason


def test_a_pilot_without_draws_has_a_power_and_no_band() -> None:
    told = power_with_pilot(pilot(found([0.2, 0.3, 9.0, 0.4, 0.1, 0.1, 0.5], [])), PLAN)
    assert 0 < told.value < 1
    assert np.isnan(told.low)


def test_what_a_design_leaves_open_is_said() -> None:
    assert undetermined_reason(SOURCES) == ""
    assert undetermined_reason(set(SOURCES) - {"topic"}) == NO_SYSTEMS
    assert undetermined_reason(set(SOURCES) - {"system × rater"}) == NO_RATERS
    assert undetermined_reason(set(SOURCES) - {"item"}) == NO_ITEMS


def test_unequal_loads_are_whole_items_at_each_number_of_items() -> None:
    """24 raters with Zipf's loads of whom few rate where there are 5 items, and all where there are 60."""
    of = pilot(found([0.2, 0.3, 9.0, 0.4, 0.1, 0.1, 0.5], []))
    loads = tuple(1 / np.arange(1, 25))
    variances = {name: float(value) for name, value in of.estimated.items()}
    plan = replace(PLAN, raters=24, ratings_per_item=4, loads=loads, **variances)
    powers = power_by_items(of, plan, (5, 8, 60))
    halves = system_half_widths(of, 24, (5, 8, 60), 4, loads)
    of_system = (
        of.estimated["residual"] + of.estimated["rater_item"],
        of.estimated["rater"] + of.estimated["rater_slope"],
        of.estimated["item"] + of.estimated["item_slope"],
    )
    for items, power, half in zip((5, 8, 60), powers, halves, strict=True):
        assert power.value == pytest.approx(power_of_plan(replace(plan, items=items)).power, rel=1e-9)
        assert half.value == pytest.approx(system_half_width(24, items, *of_system, 4, loads=loads), rel=1e-9)
