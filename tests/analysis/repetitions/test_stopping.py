"""Every rule against a search that tries r = 1, 2, 3, …, and the systems rule against simulated studies."""

from typing import get_args

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from scipy import stats

from analysis.agreement.reliability import OneWay, one_way
from analysis.repetitions.attenuation import Attenuation
from analysis.repetitions.stopping import (
    NestedVariances,
    Rule,
    Stop,
    StoppingSpec,
    apply_stopping_rules,
    curve_rule_interval,
    nested_variance_components,
    ratings_for_difference,
    ratings_for_share,
    ratings_for_small_gain,
    ratings_for_width,
)
from analysis.values.estimate import InputError
from analysis.values.ratings import Ratings


def first(holds, start=1, most=10_000):
    return next((r for r in range(start, most) if holds(r)), None)


@given(some.floats(0.1, 1), some.floats(0, 50), some.floats(0.5, 0.99), some.floats(0.0005, 0.2))
def test_rules_on_the_curve_equal_a_search(limit, half, share, gain):
    def rho(r):
        return limit * np.sqrt(r / (r + half))

    one, two = np.array([limit]), np.array([half])
    assert ratings_for_share(two, share)[0] == first(lambda r: rho(r) >= share * limit - 1e-10)
    assert ratings_for_small_gain(one, two, gain)[0] == first(lambda r: rho(r + 1) - rho(r) < gain)


@given(some.floats(0.1, 3), some.floats(0.2, 3), some.integers(2, 200), some.sampled_from([0.9, 0.95, 0.99]))
@settings(deadline=None, max_examples=20)
def test_width_equals_a_search(sd, width, degrees, level):
    expected = first(
        lambda r: np.diff(stats.t.interval(level, degrees, scale=sd / np.sqrt(r)))[0] < width, start=1
    )
    assert ratings_for_width(sd, width, degrees, level) == expected


@pytest.mark.parametrize("m", [2, 3, 8, 24])
def test_the_width_rule_does_not_move_with_the_number_collected(m):
    """True SD 1, full width .5: 62 ratings (1.96² / .25² = 61.5), whatever was collected."""
    rng = np.random.default_rng(m)
    items = 40_000 // m
    item = np.repeat(np.arange(items), m)
    ratings = Ratings(item, np.arange(len(item)), rng.normal(0, 2, items)[item] + rng.normal(0, 1, len(item)))
    found = one_way(ratings)
    assert found.degrees == items * (m - 1)
    assert ratings_for_width(found.sd_within, 0.5, found.degrees) == pytest.approx(62, abs=1.5)


def studies_of_systems(rng, systems, items, ratings, between, within, distance=0.0):
    level = np.arange(systems) * distance
    quality = level[:, None] + rng.normal(0, np.sqrt(between), (systems, items))
    return quality[:, :, None] + rng.normal(0, np.sqrt(within), (systems, items, ratings))


def test_nested_components_are_recovered():
    rng = np.random.default_rng(1)
    score = studies_of_systems(rng, 30, 60, 4, 0.5, 1.2, distance=3.0).ravel()
    item = np.repeat(np.arange(1800), 4)
    keep = rng.random(len(item)) < 0.7
    keep[::4] = True
    ratings = Ratings(item[keep], np.arange(keep.sum()), score[keep])
    found = nested_variance_components(ratings, {i: f"s{i // 60}" for i in range(1800)} | {5: None, 7: None})
    assert found.between_items == pytest.approx(0.5, rel=0.15)
    assert found.within_items == pytest.approx(1.2, rel=0.08)
    assert found.systems == 30
    assert 59 < found.items_per_system < 60


@pytest.mark.slow
def test_systems_are_distinguished_with_the_power_asked_for():
    systems = NestedVariances(between_items=0.3, within_items=1.0, items_per_system=40, systems=2)
    r = int(ratings_for_difference(systems, distance=0.45, power=0.8))
    rng = np.random.default_rng(2)
    hits = {}
    for ratings in (r, r - 1):
        draws = [studies_of_systems(rng, 2, 40, ratings, 0.3, 1.0, 0.45).mean(axis=2) for _ in range(1500)]
        hits[ratings] = np.mean([stats.ttest_ind(*draw).pvalue < 0.05 for draw in draws])
    assert hits[r] == pytest.approx(0.8, abs=0.035)
    assert hits[r - 1] < hits[r]


def test_too_few_items_are_named():
    systems = NestedVariances(between_items=0.3, within_items=1.0, items_per_system=5, systems=2)
    assert ratings_for_difference(systems, 0.3) == np.inf
    spec = StoppingSpec(distance=0.3)
    stop = apply_stopping_rules(
        Attenuation(0.9, 2, 1, np.ones(1)), OneWay(1, 1, 0.5, 1, 5, 9, 45), spec, systems
    )[-1]
    assert stop.ratings is None
    assert "about 54 items per system" in stop.reason
    assert np.isfinite(ratings_for_difference(NestedVariances(0.3, 1.0, 54, 2), 0.3))


@pytest.mark.parametrize(
    ("systems", "reason"),
    [
        ({0: "a", 1: "a"}, "fewer than two systems"),
        ({}, "fewer than two systems"),
        ({0: "a", 1: "b"}, "no system has two items"),
    ],
)
def test_systems_that_say_nothing_give_a_reason(systems, reason):
    assert (
        reason
        in nested_variance_components(Ratings([0, 0, 1, 1], [0, 1, 0, 1], [1, 2, 3, 4]), systems).reason
    )


def test_all_rules_in_order():
    spec = StoppingSpec(width=1.0, distance=0.5)
    found = apply_stopping_rules(
        Attenuation(0.9, 2, 1, np.ones(1)),
        OneWay(0.5, 1, 1 / 3, 0.9, 5, 9, 45),
        spec,
        NestedVariances(0.1, 1, 50, 3),
    )
    assert [stop.rule for stop in found] == list(get_args(Rule))
    degrees = 45 - 9
    of_width = (2 * stats.t.ppf(0.975, degrees) * 0.9) ** 2
    assert [stop.ratings for stop in found[2:]] == [8, np.ceil(of_width), 2]
    assert found[0].ratings == first(lambda r: np.sqrt(r / (r + 2)) >= 0.95)
    assert found[1].ratings == first(
        lambda r: 0.9 * (np.sqrt((r + 1) / (r + 3)) - np.sqrt(r / (r + 2))) < 0.005
    )


def test_undefined_rules_say_why():
    nothing = Attenuation(np.nan, np.nan, np.nan, np.zeros(0), reason="no limit in sight")
    found = apply_stopping_rules(nothing, OneWay(-0.1, 1, -0.1, 1, 5, 9, 45), StoppingSpec())
    assert [stop.ratings for stop in found] == [None] * 3
    assert [stop.reason for stop in found[:2]] == ["no limit in sight"] * 2
    assert "no mean gets reliable" in found[2].reason
    assert np.isnan(ratings_for_width(np.nan, 1.0, 10))
    assert ratings_for_width(0.0, 1.0, 10) == 1
    assert ratings_for_width(1e9, 1e-3, 10) == np.inf


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"share": 1.0}, "`share` must be between 0 and 1, got 1.0"),
        ({"gain": 0.0}, "`gain` must be above 0, got 0.0"),
        ({"width": -1.0}, "`width` must be above 0, got -1.0"),
    ],
)
def test_a_wrong_spec_says_what_is_allowed(arguments, message):
    with pytest.raises(InputError, match=message):
        StoppingSpec(**arguments)


def test_a_rule_on_the_curve_has_the_middle_of_its_draws():
    halves, limits = np.array([1.0, 2.0, 2.0, 4.0, np.nan]), np.full(5, 0.9)
    stop = Stop("share of the limit", 19)
    interval = curve_rule_interval(stop, limits, halves, StoppingSpec(share=0.95))
    assert (interval.value, interval.low) == (19, ratings_for_share(halves, 0.95)[0])
    assert np.isinf(interval.high), "a draw without a limit counts as beyond any number"
    answered = curve_rule_interval(stop, limits[:4], halves[:4], StoppingSpec(share=0.95))
    assert answered.high == ratings_for_share(halves, 0.95)[3]
    unanswered = curve_rule_interval(
        Stop("share of the limit", None, "no limit"), limits, halves, StoppingSpec()
    )
    assert np.isnan(unanswered.value)
    assert np.isnan(curve_rule_interval(Stop("reliability", 4), limits, halves, StoppingSpec()).value)
    alone = curve_rule_interval(Stop("gain of one more", 7), limits[4:], halves[4:], StoppingSpec())
    assert (alone.value, np.isnan(alone.low)) == (7, True)
