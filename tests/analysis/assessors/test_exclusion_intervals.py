"""Intervals before and after an exclusion: what is drawn."""

import numpy as np
import pytest
from scipy import stats

from analysis.assessors.exclusion import (
    ExclusionSpec,
    exclusion_of_cells,
    intervals_of_cells,
    intervals_of_everyone,
)
from analysis.assessors.exclusion_intervals import draw_intervals, empty_intervals, resampled_units
from analysis.pairs.system_table import build_cells
from analysis.values.estimate import BootstrapSpec


def test_a_rater_with_topics_of_their_own_is_drawn_with_them():
    nested = build_cells(["a", "b"] * 2, [1, 1, 2, 2], ["x", "x", "y", "y"], [1, 2, 3, 4])
    everyone = np.ones(2, dtype=bool)
    assert resampled_units(nested, everyone) == "raters with their topics"
    assert resampled_units(nested, np.array([True, False])) == ""
    crossed = build_cells(["a", "b"] * 4, [1, 1, 2, 2] * 2, ["x"] * 4 + ["y"] * 4, range(8))
    assert resampled_units(crossed, everyone) == "raters and topics"


def test_without_draws_there_is_a_reason_and_no_end():
    table = build_cells(["a", "b"] * 2, [1, 1, 2, 2], ["x", "x", "y", "y"], [1, 2, 3, 4])
    none = draw_intervals(
        table, np.ones(2, dtype=bool), "plain", BootstrapSpec(0), (np.zeros(2), np.zeros(2))
    )
    assert none.reason == "no draws were asked for"
    assert np.isnan(none.before_low).all()
    assert empty_intervals(3, "why").difference_high.shape == (3,)


def test_where_nobody_goes_scores_after_have_the_intervals_before():
    rng = np.random.default_rng(2)
    system, topic, rater = (part.ravel() for part in np.indices((3, 6, 5)))
    table = build_cells(system, topic, rater, rng.normal(system, 1))
    found = draw_intervals(
        table, np.ones(5, dtype=bool), "plain", BootstrapSpec(50), (np.zeros(3), np.zeros(3))
    )
    np.testing.assert_array_equal(found.before_low, found.after_low)
    np.testing.assert_array_equal(found.before_high, found.after_high)
    fewer = draw_intervals(table, np.arange(5) > 0, "plain", BootstrapSpec(50), (np.zeros(3), np.zeros(3)))
    np.testing.assert_array_equal(fewer.before_low, found.before_low)
    assert (fewer.after_low != found.after_low).any()


def test_known_intervals_of_everyone_serve_every_exclusion():
    rng = np.random.default_rng(3)
    system, topic, rater = (part.ravel() for part in np.indices((3, 6, 8)))
    there = rng.random(len(system)) < 0.8
    table = build_cells(system[there], topic[there], rater[there], rng.normal(system, 1)[there])
    spec = ExclusionSpec(draws=60)
    for gone in ((1,), (2, 5)):
        point = exclusion_of_cells(table, gone, spec)
        everyone = intervals_of_everyone(table, point.method, spec, "raters like these")
        known, anew = (intervals_of_cells(table, point, spec, everyone=given) for given in (everyone, None))
        for end in ("before_low", "before_high", "after_low", "after_high", "difference_low"):
            np.testing.assert_array_equal(getattr(known, end), getattr(anew, end), end)
        np.testing.assert_array_equal(known.pairs_before.p, anew.pairs_before.p)
        assert (known.before_low != known.after_low).any()


def test_a_system_of_few_topics_has_the_degrees_of_freedom_of_its_own():
    rng = np.random.default_rng(4)
    system, topic, rater = (part.ravel() for part in np.indices((3, 30, 4)))
    scores = np.round(rng.normal(3, 1, len(system)), 3)
    few = (system < 2) | (topic < 3)
    table = build_cells(system[few], topic[few], rater[few], scores[few])
    found = intervals_of_everyone(table, "plain", ExclusionSpec(draws=4000), "these raters")
    means = scores[system == 2].reshape(30, 4)[:3].mean(axis=1)
    half_width = stats.t.ppf(0.975, 2) * means.std(ddof=1) / np.sqrt(3)
    assert (found.high[2] - found.low[2]) / 2 == pytest.approx(half_width, rel=0.2)
    alone = build_cells(system[few], topic[few], rater[few], np.where(system == 2, 3.0, scores)[few])
    assert (intervals_of_everyone(alone, "plain", ExclusionSpec(draws=60), "these raters").low[2]) == 3


def test_two_topics_alike_tell_no_variance():
    rng = np.random.default_rng(4)
    system, topic, rater = (part.ravel() for part in np.indices((3, 6, 5)))
    few = (system < 2) | (topic < 2)
    scores = np.where(system == 2, 3.8, rng.normal(system, 1))
    table = build_cells(system[few], topic[few], rater[few], scores[few])
    found = intervals_of_everyone(table, "plain", ExclusionSpec(draws=60), "these raters")
    np.testing.assert_array_equal(np.isnan(found.low), [False, False, True])
